"""Pages as a PDF file: true to scale, its letters embedded, pictures as JPEG."""

import io
import math
from collections.abc import Iterable, Mapping, Sequence

import cv2
import numpy as np
import pydyf

from hardware.kit.drawing import Anchor, Area, Bitmap, Disc, Ink, Outline, Page, Placed, Shape, Stroke, Words
from hardware.kit.glyphs import EM, advance_ems, glyph
from hardware.kit.lettering import CAPITAL_EMS, ENCODING, encoded, width_mm

POINTS_PER_MM = 72.0 / 25.4
_ROUND = 0.5522847498
"""How far a quarter circle's Bezier points lie along its tangents, in radii."""
_JPEG_QUALITY = 90
NAMES = {False: "R", True: "B"}
"""What the fonts are called within the file: regular and bold."""


def write_pdf(pages: Sequence[Page], title: str) -> bytes:
    """The file's content. The same pages make the same bytes.

    Raises:
        UnknownLetter: words hold a letter that files cannot encode.
    """
    pdf = pydyf.PDF()
    pdf.info.update({"Title": pydyf.String(title), "Producer": pydyf.String("pizzatable")})
    # A viewer's print dialogue starts with "actual size".
    pdf.catalog["ViewerPreferences"] = pydyf.Dictionary({"PrintScaling": "/None"})
    fonts = {bold: _Font(bold=bold) for bold in (False, True)}
    embedded = pydyf.Dictionary()
    pdf.add_object(embedded)
    pictures = _Pictures(pdf)
    for page in pages:
        stream = pydyf.Stream(compress=True)
        stream.set_matrix(POINTS_PER_MM, 0, 0, POINTS_PER_MM, 0, 0)
        stream.set_line_cap(1)
        stream.set_line_join(1)
        _draw(stream, page.shapes, pictures, fonts)
        pdf.add_object(stream)
        resources = pydyf.Dictionary({"Font": embedded.reference, "XObject": pydyf.Dictionary(pictures.used)})
        size = pydyf.Array([0, 0, *(round(side * POINTS_PER_MM, 3) for side in (page.width_mm, page.height_mm))])
        entry = {"Type": "/Page", "Parent": pdf.pages.reference, "MediaBox": size}
        entry |= {"Contents": stream.reference, "Resources": resources}
        if page.trim_mm is not None:
            entry["TrimBox"] = pydyf.Array([round(part * POINTS_PER_MM, 3) for part in page.trim_mm])
        pdf.add_page(pydyf.Dictionary(entry))
    embedded.update({NAMES[bold]: font.embed(pdf) for bold, font in fonts.items() if font.letters})
    content = io.BytesIO()
    pdf.write(content, version=b"1.4")
    return content.getvalue()


class _Pictures:
    """The file's pictures, each kept once however often it is drawn."""

    def __init__(self, pdf: pydyf.PDF) -> None:
        self._pdf = pdf
        self._names: dict[int, str] = {}
        self._held: list[Bitmap] = []
        self.used: dict[str, bytes] = {}

    def name(self, bitmap: Bitmap) -> str:
        key = id(bitmap.image)
        if key not in self._names:
            self._held.append(bitmap)  # so that no other picture gets its id
            self._names[key] = f"P{len(self._names)}"
            self.used[self._names[key]] = self._add(bitmap)
        return self._names[key]

    def _add(self, bitmap: Bitmap) -> bytes:
        _, jpeg = cv2.imencode(".jpg", bitmap.image, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
        height, width = bitmap.image.shape[:2]
        about = {"Type": "/XObject", "Subtype": "/Image", "Width": width, "Height": height}
        about |= {"ColorSpace": "/DeviceRGB", "BitsPerComponent": 8, "Filter": "/DCTDecode"}
        picture = pydyf.Stream([np.asarray(jpeg).tobytes()], extra=about)
        self._pdf.add_object(picture)
        return bytes(picture.reference)


class _Font:
    """A font of the letters that are written: each is drawn by the file itself (PDF 1.4, 5.5.4: Type 3)."""

    def __init__(self, *, bold: bool) -> None:
        self._bold = bold
        self.letters: set[int] = set()
        """Their codes."""

    def encode(self, text: str) -> bytes:
        """Words in the file's encoding; their letters belong to the font from now on."""
        code = encoded(text)
        self.letters.update(code)
        return code

    def embed(self, pdf: pydyf.PDF) -> bytes:
        """Add the font, and a reference to it."""
        codes = sorted(self.letters)
        glyphs = [glyph(_letter(code), bold=self._bold) for code in codes]
        points = [point for one in glyphs for outline in one.outlines for point in outline] or [(0.0, 0.0)]
        low, high = np.floor(np.min(points, axis=0)), np.ceil(np.max(points, axis=0))
        box = [round(float(part)) for part in (*low, *high)]
        drawn = {}
        for code, one in zip(codes, glyphs, strict=True):
            stream = pydyf.Stream([f"{one.advance:.1f} 0 {' '.join(map(str, box))} d1".encode()], compress=True)
            for outline in one.outlines:
                _path(stream, outline)
                stream.close()
            if one.outlines:
                stream.fill(even_odd=True)
            pdf.add_object(stream)
            drawn[f"g{code}"] = stream.reference
        names = [part for code in codes for part in (code, f"/g{code}")]
        meant = pydyf.Stream([_meaning(codes)], compress=True)
        pdf.add_object(meant)
        every = range(codes[0], codes[-1] + 1)
        wide = {code: round(one.advance, 1) for code, one in zip(codes, glyphs, strict=True)}
        font = pydyf.Dictionary(
            {
                "Type": "/Font",
                "Subtype": "/Type3",
                "FontBBox": pydyf.Array(box),
                "FontMatrix": pydyf.Array([1 / EM, 0, 0, 1 / EM, 0, 0]),
                "CharProcs": pydyf.Dictionary(drawn),
                "Encoding": pydyf.Dictionary({"Type": "/Encoding", "Differences": pydyf.Array(names)}),
                "FirstChar": codes[0],
                "LastChar": codes[-1],
                "Widths": pydyf.Array([wide.get(code, 0) for code in every]),
                "Resources": pydyf.Dictionary(),
                "ToUnicode": meant.reference,
            }
        )
        pdf.add_object(font)
        return bytes(font.reference)


def _letter(code: int) -> str:
    return bytes([code]).decode(ENCODING)


def _meaning(codes: Sequence[int]) -> bytes:
    """Which letter each code stands for, so that words can be searched and copied (PDF 1.4, 5.9.2)."""
    lines = [
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Letters def /CMapType 2 def",
        "1 begincodespacerange <00> <FF> endcodespacerange",
    ]
    for start in range(0, len(codes), 100):
        part = codes[start : start + 100]
        pairs = " ".join(f"<{code:02X}> <{ord(_letter(code)):04X}>" for code in part)
        lines.append(f"{len(part)} beginbfchar {pairs} endbfchar")
    lines.append("endcmap CMapName currentdict /CMap defineresource pop end end")
    return "\n".join(lines).encode()


def _draw(stream: pydyf.Stream, shapes: Iterable[Shape], pictures: _Pictures, fonts: Mapping[bool, _Font]) -> None:
    for shape in shapes:
        match shape:
            case Area():
                _set_pen(stream, shape.fill, shape.line, shape.width_mm)
                for outline in shape.outlines:
                    _path(stream, outline)
                    stream.close()
                _paint(stream, shape)
            case Disc():
                _set_pen(stream, shape.fill, shape.line, shape.width_mm)
                _circle(stream, shape)
                _paint(stream, shape)
            case Stroke():
                _stroke(stream, shape)
            case Words():
                _write(stream, shape, fonts[shape.bold])
            case Bitmap():
                stream.push_state()
                stream.set_matrix(*_rounded(shape.width_mm, 0, 0, shape.height_mm, *shape.at))
                stream.draw_x_object(pictures.name(shape))
                stream.pop_state()
            case Placed():
                _place(stream, shape, pictures, fonts)


def _place(stream: pydyf.Stream, placed: Placed, pictures: _Pictures, fonts: Mapping[bool, _Font]) -> None:
    stream.push_state()
    c, s = (placed.scale * part for part in _cosine_sine(placed.turn_deg))
    stream.set_matrix(*_rounded(c, s, -s, c, *placed.at))
    if placed.clip is not None:
        _path(stream, placed.clip)
        stream.close()
        stream.clip()
        stream.end()
    _draw(stream, placed.shapes, pictures, fonts)
    stream.pop_state()


def _path(stream: pydyf.Stream, outline: Outline) -> None:
    stream.move_to(*_rounded(*outline[0]))
    for point in outline[1:]:
        stream.line_to(*_rounded(*point))


def _circle(stream: pydyf.Stream, disc: Disc) -> None:
    (x, y), r = disc.at, disc.radius_mm
    stream.move_to(*_rounded(x + r, y))
    for turn in range(4):
        c, s = ((1, 0), (0, 1), (-1, 0), (0, -1))[turn]
        ends = ((c - _ROUND * s, s + _ROUND * c), (_ROUND * c - s, _ROUND * s + c), (-s, c))
        stream.curve_to(*_rounded(*(part for u, v in ends for part in (x + r * u, y + r * v))))
    stream.close()


def _set_pen(stream: pydyf.Stream, fill: Ink | None, line: Ink | None, width: float) -> None:
    """Between a path and its painting no colour may be set."""
    if fill is not None:
        stream.set_color_rgb(*_rgb(fill))
    if line is not None:
        stream.set_color_rgb(*_rgb(line), stroke=True)
        stream.set_line_width(round(width, 4))


def _paint(stream: pydyf.Stream, shape: Area | Disc) -> None:
    if shape.fill is not None and shape.line is not None:
        stream.fill_and_stroke(even_odd=True)
    elif shape.fill is not None:
        stream.fill(even_odd=True)
    elif shape.line is not None:
        stream.stroke()
    else:
        stream.end()


def _stroke(stream: pydyf.Stream, stroke: Stroke) -> None:
    stream.set_color_rgb(*_rgb(stroke.ink), stroke=True)
    stream.set_line_width(round(stroke.width_mm, 4))
    if stroke.dash_mm is not None:
        stream.set_dash(stroke.dash_mm, 0)
    _path(stream, stroke.points)
    stream.stroke()
    if stroke.dash_mm is not None:
        stream.set_dash((), 0)


def _write(stream: pydyf.Stream, words: Words, font: _Font) -> None:
    """The letters are made as wide together as the layout takes them to be, as in `hardware.kit.raster`."""
    wide, size = width_mm(words.text, words.capital_mm, bold=words.bold), words.capital_mm / CAPITAL_EMS
    code = font.encode(words.text)
    own = size * advance_ems(code.decode(ENCODING), bold=words.bold)
    back = {Anchor.START: 0.0, Anchor.MIDDLE: 0.5, Anchor.END: 1.0}[words.anchor] * wide
    c, s = _cosine_sine(words.turn_deg)
    stream.begin_text()
    stream.set_color_rgb(*_rgb(words.ink))
    stream.set_font_size(NAMES[words.bold], round(size, 4))
    stream.set_text_matrix(*_rounded(c, s, -s, c, words.at[0] - back * c, words.at[1] - back * s))
    stream.stream.append(f"{100.0 * wide / own if own else 100.0:.2f} Tz".encode())
    stream.show_text(b"<" + code.hex().encode() + b">")
    stream.end_text()


def _cosine_sine(turn_deg: float) -> tuple[float, float]:
    return math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))


def _rounded(*parts: float) -> tuple[float, ...]:
    return tuple(round(float(part), 4) for part in parts)


def _rgb(ink: Ink) -> tuple[float, ...]:
    return tuple(round(int(ink[place : place + 2], 16) / 255, 3) for place in (1, 3, 5))
