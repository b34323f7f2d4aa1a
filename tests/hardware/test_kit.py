"""What is printed: true to scale, whole, and seen by the camera as what it is."""

import math
import re
import zlib
from collections.abc import Iterator, Sequence
from itertools import combinations

import cv2
import numpy as np
import pytest

from hardware.kit.cards import Offer, When, offers, order_cards
from hardware.kit.cutting import Piece, sheets_of
from hardware.kit.drawing import (
    Area,
    Bitmap,
    Disc,
    Page,
    Placed,
    Shape,
    Stroke,
    Words,
    all_words,
    box,
    centred_box,
)
from hardware.kit.glyphs import CAPITAL_SHARE, EM, advance_ems, glyph
from hardware.kit.lettering import CAPITAL_EMS, UnknownLetter, encoded, fitting_mm, lines_of, width_mm
from hardware.kit.markers import marker
from hardware.kit.nets import Die, dot_face, net, pip_faces
from hardware.kit.paper import HEAD_MM, MARGIN_MM, RULER_MM, Content, Paper, content_area, make_pages, ruler
from hardware.kit.pdf import write_pdf
from hardware.kit.raster import draw_page, draw_shapes
from hardware.kit.score_sheets import load_sheet_print, score_sheet, sheet_drawing
from hardware.kit.slices import BasilSlice, basil_slices, slice_back, wedge
from hardware.kit.table_sheets import (
    MAT_MM,
    calibration_sheet,
    loose_corners,
    mat_drawing,
    mat_for_a_print_shop,
    mat_tiles,
)
from hardware.kit.theory import SPACE_MM, BoardSide, board_drawing
from hardware.kit.toppings import TOPPINGS, topping
from hardware.kit.wiring import UnknownSvg, svg_shapes, wiring_sheet
from hardware.pin_table.drawing import draw_wiring
from hardware.pin_table.table import load_pin_table
from vision.mat.calibration_sheet import SHEET
from vision.mat.markers import MARKERS_MM
from vision.mat.registration import find_mat

PX_PER_MM = 4.0
LEAST_ALIKE = 0.88
"""Of two drawings of a letter, the share that both ink of what either does: half a pixel is so much of small ones."""
POINTS = [(1, 1), (4, 10), (15, 120)]
PAPERS = pytest.mark.parametrize("paper", list(Paper))


def found_markers(picture: np.ndarray, page_height_mm: float, px_per_mm: float) -> dict[int, np.ndarray]:
    """Corners of the markers seen, in the page's frame."""
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary, parameters).detectMarkers(picture)
    assert ids is not None
    assert len(set(ids.ravel())) == len(ids), "a marker is there twice"
    found: dict[int, np.ndarray] = {}
    for number, px in zip(ids.ravel().tolist(), corners, strict=True):
        x, y = (px.reshape(4, 2).T + 0.5) / px_per_mm
        found[int(number)] = np.stack([x, page_height_mm - y], axis=1)
    return found


def table_contents(paper: Paper) -> list[Content]:
    contents = [*mat_tiles(paper), *loose_corners(paper), *calibration_sheet(paper)]
    contents += wiring_sheet(paper, draw_wiring(load_pin_table()))
    return [*contents, score_sheet(paper, load_sheet_print(), POINTS)]


def points_of(shapes: Sequence[Shape]) -> Iterator[tuple[float, float]]:
    """Every point that is drawn, roughly, in the frame of these shapes."""
    for shape in shapes:
        match shape:
            case Area():
                yield from (point for outline in shape.outlines for point in outline)
            case Stroke():
                yield from shape.points
            case Disc():
                yield from centred_box(2 * shape.radius_mm, 2 * shape.radius_mm, at=shape.at)
            case Bitmap():
                x, y = shape.at
                yield from box(x, y, x + shape.width_mm, y + shape.height_mm)
            case Words():
                yield shape.at
            case Placed():
                inner = shape.clip if shape.clip is not None else tuple(points_of(shape.shapes))
                turn = math.radians(shape.turn_deg)
                for x, y in inner:
                    yield (
                        shape.at[0] + shape.scale * (x * math.cos(turn) - y * math.sin(turn)),
                        shape.at[1] + shape.scale * (x * math.sin(turn) + y * math.cos(turn)),
                    )


# The mat and the corners ----------------------------------------------------------------------------------------------


def test_the_mats_markers_are_where_registration_expects_them() -> None:
    picture = draw_shapes((Placed((mat_drawing(),), (MAT_MM / 2, MAT_MM / 2)),), MAT_MM, MAT_MM, PX_PER_MM)
    found = found_markers(picture, MAT_MM, PX_PER_MM)
    assert found.keys() == MARKERS_MM.keys()
    for number, corners in found.items():
        assert np.abs(corners - MAT_MM / 2 - MARKERS_MM[number]).max() < 0.2


def test_a_picture_of_the_mat_is_laid_over_the_table() -> None:
    picture = draw_shapes((Placed((mat_drawing(),), (400.0, 250.0)),), 800.0, 500.0, 2.0)
    registration = find_mat(picture)
    assert registration.error_px < 0.5
    middle = registration.to_table([[799.5, 499.5]])
    assert np.abs(middle).max() < 0.3


@PAPERS
def test_six_tiles_make_the_mat(paper: Paper) -> None:
    """Cut along their fine lines and laid side by side they are the mat, nothing missing and nothing twice."""
    whole = draw_shapes((Placed((mat_drawing(),), (MAT_MM / 2, MAT_MM / 2)),), MAT_MM, MAT_MM, 2.0)
    covered = np.zeros(whole.shape[:2], np.uint8)
    for page in make_pages(paper, mat_tiles(paper))[1:]:
        tile = next(shape for shape in page.shapes if isinstance(shape, Placed) and shape.clip is not None)
        name = re.search(r"sheet ([AB])([123])", next(all_words(page.shapes[2:])) + " ".join(all_words(page.shapes)))
        assert name is not None
        row, column = "AB".index(name[1]), int(name[2]) - 1
        left, top = column * MAT_MM / 3, row * MAT_MM / 2
        picture = draw_page(page, 2.0)
        x, y = tile.at[0] + left - MAT_MM / 2, tile.at[1] + MAT_MM / 2 - top
        rows = slice(round((page.height_mm - y) * 2) + 3, round((page.height_mm - y + MAT_MM / 2) * 2) - 3)
        columns = slice(round(x * 2) + 3, round((x + MAT_MM / 3) * 2) - 3)
        part = picture[rows, columns]
        there = (
            slice(round(top * 2) + 3, round(top * 2) + 3 + part.shape[0]),
            slice(round(left * 2) + 3, round(left * 2) + 3 + part.shape[1]),
        )
        # But for the crosses where cuts meet, and half a pixel of rounding.
        assert np.mean(np.abs(part.astype(int) - whole[there]).max(2) > 60) < 0.03
        covered[there] += 1
    assert covered.max() == 1
    assert np.mean(covered) > 0.96


def test_the_print_shops_mat_has_its_size_bleed_and_trim() -> None:
    (page,) = mat_for_a_print_shop()
    assert page.trim_mm is not None
    left, bottom, right, top = page.trim_mm
    assert (right - left, top - bottom) == (400.0, 400.0)
    found = found_markers(draw_page(page, 3.0), page.height_mm, 3.0)
    for number, corners in MARKERS_MM.items():
        assert np.abs(found[number] - (left + 200.0, bottom + 200.0) - corners).max() < 0.3
    picture = draw_page(page, 3.0)
    outside = picture[round((page.height_mm - top - 2) * 3), round((left - 2) * 3)]
    assert tuple(outside) == (0xDD, 0xEC, 0xF3), "the ground goes on beyond the cut"


@PAPERS
def test_loose_corners_have_the_mats_markers(paper: Paper) -> None:
    (page,) = make_pages(paper, loose_corners(paper))
    found = found_markers(draw_page(page, PX_PER_MM), page.height_mm, PX_PER_MM)
    assert found.keys() == MARKERS_MM.keys()
    for number, corners in found.items():
        own = corners - corners.mean(0)
        assert np.abs(own - (MARKERS_MM[number] - MARKERS_MM[number].mean(0))).max() < 0.1


# The calibration sheet ------------------------------------------------------------------------------------------------


@PAPERS
def test_the_calibration_sheet_is_the_board_that_is_looked_for(paper: Paper) -> None:
    (page,) = make_pages(paper, calibration_sheet(paper))
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    ids = np.array(SHEET.marker_ids)
    board = cv2.aruco.CharucoBoard((SHEET.columns, SHEET.rows), SHEET.square_mm, SHEET.marker_mm, dictionary, ids)
    corners, numbers, _, marker_ids = cv2.aruco.CharucoDetector(board).detectBoard(draw_page(page, PX_PER_MM))
    assert sorted(marker_ids.ravel()) == list(SHEET.marker_ids)
    assert len(numbers) == (SHEET.columns - 1) * (SHEET.rows - 1)
    mm = (corners.reshape(-1, 2) + 0.5) / PX_PER_MM
    known = np.asarray(board.getChessboardCorners())[numbers.ravel(), :2]
    assert np.abs((mm - mm[0]) - (known - known[0])).max() < 0.1


def test_no_two_sheets_share_a_marker() -> None:
    ours = [set(MARKERS_MM), set(SHEET.marker_ids), set(load_sheet_print().layout.marks)]
    assert sum(map(len, ours)) == len(set.union(*ours))


# Score sheets ---------------------------------------------------------------------------------------------------------


@PAPERS
def test_a_score_sheets_marks_and_dots_are_where_they_are_read(paper: Paper) -> None:
    printed = load_sheet_print()
    page = make_pages(paper, [score_sheet(paper, printed, POINTS)])[0]
    picture = draw_page(page, 8.0)
    found = found_markers(picture, page.height_mm, 8.0)
    assert found.keys() == printed.layout.marks.keys()
    on_sheet = np.concatenate([printed.layout.marks[number] for number in found])
    on_page = np.concatenate(list(found.values()))
    homography, _ = cv2.findHomography(on_sheet, on_page)
    back = cv2.perspectiveTransform(on_sheet.reshape(-1, 1, 2), homography).reshape(-1, 2)
    assert np.abs(back - on_page).max() < 0.1
    size = np.linalg.norm(
        np.diff(cv2.perspectiveTransform(np.array([[[0.0, 0.0], [100.0, 0.0]]]), homography)[0], axis=0)
    )
    assert size == pytest.approx(100.0, abs=0.1)
    dots = np.array([printed.layout.dot_mm(dot) for dot in printed.layout.dots])
    where = cv2.perspectiveTransform(dots.reshape(-1, 1, 2), homography).reshape(-1, 2)
    px = np.round(where * (8, -8) + (0, page.height_mm * 8) - 0.5).astype(int)
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    assert all(grey[row, column] < 200 for column, row in px)


def test_what_is_written_on_a_score_sheet_is_what_it_was_given() -> None:
    printed = load_sheet_print()
    words = list(all_words(sheet_drawing(printed, POINTS)))
    assert [word for word in words if word.isdecimal()] == [
        *(str(bonus.points) for bonus in printed.bonuses),
        *(str(squares) for squares, _ in POINTS),
    ]
    assert [word for word in words if word.startswith("×")] == [f"× {worth}" for _, worth in POINTS]


# Wiring ---------------------------------------------------------------------------------------------------------------


def test_the_wiring_sheet_shows_all_of_the_drawing() -> None:
    svg = draw_wiring(load_pin_table())
    (page,) = make_pages(Paper.A4, wiring_sheet(Paper.A4, svg))
    words = list(all_words(page.shapes))
    texts = re.findall(r"<text[^>]*>([^<]+)</text>", svg)
    assert len(texts) > 150
    assert [text.replace("&#x27;", "'") for text in texts] == words[: len(texts)]
    assert len(svg_shapes(svg)[2]) >= svg.count("<rect") - svg.count("<g")


@pytest.mark.parametrize(
    ("element", "message"),
    [
        ("<ellipse/>", "<ellipse>: expected rect"),
        ('<path d="M0 0C1 1 2 2 3 3"/>', "found C"),
        ('<path d="M0 0A5 5 0 0 1 3 0" stroke="#000000"/>', "half a circle"),
        ('<g transform="rotate(3)"/>', r"expected translate\(x y\)"),
    ],
)
def test_what_the_wiring_drawing_does_not_hold_is_refused(element: str, message: str) -> None:
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10">{element}</svg>'
    with pytest.raises(UnknownSvg, match=message):
        svg_shapes(svg)


# Pages ----------------------------------------------------------------------------------------------------------------


@PAPERS
def test_all_of_a_page_is_where_printers_reach(paper: Paper) -> None:
    for page in make_pages(paper, table_contents(paper)):
        points = np.array(list(points_of(page.shapes)))
        assert (page.width_mm, page.height_mm) == paper.value
        assert points.min() >= MARGIN_MM - 5.0
        assert (points <= (page.width_mm - MARGIN_MM + 5.0, page.height_mm - MARGIN_MM + 5.0)).all()


@PAPERS
def test_every_page_has_title_note_ruler_and_number(paper: Paper) -> None:
    contents = table_contents(paper)
    for number, (page, content) in enumerate(zip(make_pages(paper, contents), contents, strict=True), start=1):
        words = " ".join(all_words(page.shapes))
        for wanted in (content.title, content.note, f"page {number} of {len(contents)}", "Print at 100 %"):
            assert wanted in words
        left, bottom, right, top = content_area(paper)
        own = np.array(list(points_of(content.shapes)))
        assert (own >= (left - 6.5, bottom - 0.1)).all()
        assert (own <= (right + 6.5, top + 0.1)).all()


def test_a_note_that_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="room for 2"):
        make_pages(Paper.A4, [Content("Much", "word " * 200, ())])


def test_the_ruler_is_a_hundred_millimetres_long() -> None:
    lines = [shape for shape in ruler(5.0, 5.0) if isinstance(shape, Stroke)]
    picture = draw_shapes(lines, 120.0, 15.0, 10.0)
    dark = np.nonzero((picture < 128).all(2).any(0))[0]
    assert (dark.max() - dark.min()) / 10.0 == pytest.approx(RULER_MM, abs=0.4)
    assert HEAD_MM < RULER_MM


# Toppings, words, pictures --------------------------------------------------------------------------------------------


def test_toppings_differ_and_stay_in_their_circle() -> None:
    drawn = {kind: draw_shapes([topping(kind, (6.0, 6.0), 5.0)], 12.0, 12.0, 4.0) for kind in TOPPINGS}
    inside = np.zeros((48, 48), np.uint8)
    cv2.circle(inside, (24, 24), 22, (1,), -1)
    for kind, picture in drawn.items():
        assert (picture[inside == 0] > 240).all(), kind
        assert np.mean((picture < 230).any(2)) > 0.1, kind
    small = {
        kind: cv2.resize(picture, (12, 12), interpolation=cv2.INTER_AREA).astype(int) for kind, picture in drawn.items()
    }
    for one in small:
        for other in small:
            assert one == other or np.abs(small[one] - small[other]).mean() > 5.0, (one, other)


def test_an_unknown_topping_is_named() -> None:
    with pytest.raises(ValueError, match="'anvil': there is no drawing of it; there are drawings of pepperoni"):
        topping("anvil", (0.0, 0.0), 1.0)


def test_words_are_measured_broken_and_made_to_fit() -> None:
    # A capital is 718 thousandths of the font's size; "AB" is 667 + 667 of them wide.
    assert width_mm("AB", 7.18) == pytest.approx(13.34)
    assert width_mm("é", 7.18) == width_mm("e", 7.18)
    assert fitting_mm("ABBA", 5.0, 10.0) == pytest.approx(10.0 / width_mm("ABBA", 1.0))
    assert lines_of("one two three", 2.0, width_mm("one two", 2.0)) == ["one two", "three"]


def test_letters_that_the_fonts_lack_are_named() -> None:
    assert encoded("“−1” é ×") == b"\x93\x961\x94 \xe9 \xd7"
    with pytest.raises(UnknownLetter, match="'★' in 'a ★': expected letters"):
        encoded("a ★")


def test_what_is_clipped_stays_inside() -> None:
    clipped = Placed((Area((centred_box(8.0, 8.0),), fill="#ff0000"),), (5.0, 5.0), clip=centred_box(2.0, 2.0))
    red = (draw_shapes([clipped], 10.0, 10.0, 10.0) == (0, 0, 255)).all(2)
    assert red.sum() == pytest.approx(400, abs=45)
    assert red[45:55, 45:55].all()


# The file -------------------------------------------------------------------------------------------------------------


def parsed(pdf: bytes) -> list[tuple[tuple[float, ...], bytes]]:
    """Size and drawing commands of each page, by the file's own cross-reference table."""
    start = int(re.findall(rb"startxref\n(\d+)\n%%EOF", pdf)[-1])
    lines = pdf[start:].split(b"\n")
    count = int(lines[1].split()[1])
    offsets = [int(line.split()[0]) for line in lines[2 : 2 + count]]
    pages = []
    for number in range(1, count):
        body = pdf[offsets[number] :]
        assert body.startswith(b"%d 0 obj" % number)
        head = body[: body.index(b"endobj")]
        if b"/Type /Page/" not in head.replace(b"\n", b""):
            continue
        size = tuple(float(part) for part in re.findall(rb"MediaBox \[([^\]]+)\]", head)[0].split())
        content = int(re.findall(rb"Contents (\d+) 0 R", head)[0])
        stream = pdf[offsets[content] :]
        length = int(re.findall(rb"/Length (\d+)", stream)[0])
        begin = stream.index(b"stream\n") + len(b"stream\n")
        pages.append((size, zlib.decompress(stream[begin : begin + length])))
    return pages


@PAPERS
def test_the_file_has_every_page_in_its_size(paper: Paper) -> None:
    pages = make_pages(paper, table_contents(paper))
    read = parsed(write_pdf(pages, "The kit"))
    assert len(read) == len(pages)
    for size, commands in read:
        assert size == pytest.approx((0, 0, paper.width_mm / 25.4 * 72, paper.height_mm / 25.4 * 72), abs=0.01)
        assert commands.startswith(b"2.834646 0 0 2.834646 0 0 cm"), "millimetres"


def test_a_shape_is_in_the_file_where_it_is_on_the_page() -> None:
    page = Page(100.0, 50.0, (Area((box(10.0, 20.0, 30.0, 40.0),), fill="#ff8000"), Words("Hi", (5.0, 6.0), 7.18)))
    ((_, commands),) = parsed(write_pdf([page], "One"))
    assert b"1 0.502 0 rg" in commands
    assert b"10 20 m\n30 20 l\n30 40 l\n10 40 l\nh\nf*" in commands
    wide = width_mm("Hi", 7.18) / 2
    assert f"/R 10 Tf\n1 0 0 1 {round(5.0 - wide, 4)} 6 Tm".encode() in commands
    own = 10.0 * advance_ems("Hi")
    assert f"{100 * 2 * wide / own:.2f} Tz\n[<4869>] TJ".encode() in commands


def streams_of(pdf: bytes) -> list[tuple[bytes, bytes]]:
    """What is said of each compressed stream of a file, and what it holds."""
    starts = [match.end() for match in re.finditer(rb"/FlateDecode(?:(?!endobj).)*?stream\n", pdf, re.DOTALL)]
    return [
        (pdf[pdf.rindex(b"obj", 0, start) : start], zlib.decompressobj().decompress(pdf[start:])) for start in starts
    ]


def test_every_letter_is_in_the_file() -> None:
    words = Words("Käse 21 €", (5.0, 6.0), 7.0), Words("Uno", (5.0, 20.0), 7.0, bold=True)
    pdf = write_pdf([Page(100.0, 50.0, words), Page(100.0, 50.0, words[:1])], "Letters")
    assert b"/Type1" not in pdf
    assert pdf.count(b"/Subtype /Type3") == 2, "regular and bold"
    letters = [content for _, content in streams_of(pdf) if content.split(b"\n")[0].endswith(b" d1")]
    assert len(letters) == len({*"Käse 21 €"}) + len({*"Uno"})
    assert sum(content.endswith(b"f*") for content in letters) == len(letters) - 1, "all but the space are inked"
    meant = b"".join(content for _, content in streams_of(pdf) if b"beginbfchar" in content)
    assert b"<80> <20AC>" in meant, "a euro can be searched for"
    assert b"<E4> <00E4>" in meant
    assert write_pdf([Page(10.0, 10.0, ())], "None").count(b"/Type3") == 0


@pytest.mark.parametrize("bold", [False, True])
@pytest.mark.parametrize("letter", "Hag8&%Äß€”–×Œ")
def test_letters_in_files_look_as_opencv_draws_them(letter: str, bold: bool) -> None:
    size, base, left = 200, 280, 60
    drawn, traced = np.zeros((360, 360), np.uint8), np.zeros((360, 360), np.uint8)
    cv2.putText(drawn, letter, (left, base), (255,), cv2.FontFace("sans"), size, 700 if bold else 400)
    one, scale = glyph(letter, bold=bold), size * CAPITAL_SHARE / CAPITAL_EMS / EM
    edges = [np.array(edge) * [scale, -scale] + [left - 0.5, base - 0.5] for edge in one.outlines]
    cv2.fillPoly(traced, [np.round(edge * 16).astype(np.int32) for edge in edges], (255,), cv2.LINE_AA, 4)
    both, any_of_them = (drawn > 127) & (traced > 127), (drawn > 127) | (traced > 127)
    assert both.sum() / any_of_them.sum() > LEAST_ALIKE
    around = [np.array(cv2.boundingRect((picture > 127).astype(np.uint8))) for picture in (drawn, traced)]
    assert np.abs(around[0] - around[1]).max() <= 2
    assert one.advance * scale == pytest.approx(
        cv2.getTextSize((0, 0), letter, (0, 0), cv2.FontFace("sans"), size, 700 if bold else 400)[2], abs=1.0
    )


def test_a_picture_is_kept_once_however_often_it_is_drawn() -> None:
    image = np.random.default_rng(1).integers(0, 256, (40, 30, 3), np.uint8)
    page = Page(100.0, 100.0, tuple(Bitmap(image, (10.0 * k, 5.0), 9.0, 12.0) for k in range(4)))
    pdf = write_pdf([page, page], "Pictures")
    assert pdf.count(b"/Subtype /Image") == 1
    assert all(commands.count(b"/P0 Do") == 4 for _, commands in parsed(pdf))
    jpeg = pdf[pdf.index(b"\xff\xd8") :]
    read = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert read is not None
    assert read.shape == image.shape


def test_the_same_pages_make_the_same_bytes() -> None:
    pages = make_pages(Paper.A4, calibration_sheet(Paper.A4))
    assert write_pdf(pages, "Twice") == write_pdf(pages, "Twice")


def test_a_marker_has_its_bits() -> None:
    picture = draw_shapes((marker(7, 36.0, (12.0, 48.0)),), 60.0, 60.0, 4.0)
    found = found_markers(picture, 60.0, 4.0)
    assert set(found) == {7}
    assert np.abs(found[7] - [[12, 48], [48, 48], [48, 12], [12, 12]]).max() < 0.2


# Faces ----------------------------------------------------------------------------------------------------------------


def wedges(count: int) -> list[Piece]:
    return [Piece(f"w{number}", wedge(), (Area((wedge(),), fill="#ff0000"),), slice_back()) for number in range(count)]


@PAPERS
@pytest.mark.parametrize("nested", [False, True])
def test_pieces_lie_apart_in_true_size(paper: Paper, nested: bool) -> None:
    (front, back) = sheets_of(paper, "Wedges", "Cut.", wedges(4), nested=nested)
    assert (front.faces, back.faces) == (("w0", "w1", "w2", "w3"), ())
    red = Page(
        paper.width_mm, paper.height_mm, tuple(s for s in placed(front) if isinstance(s.shapes[0], Area) and s.clip)
    )
    picture = (draw_page(red, 8.0)[..., 0] < 128).astype(np.uint8)
    count, _, stats, _ = cv2.connectedComponentsWithStats(picture)
    assert count == 5
    assert stats[1:, cv2.CC_STAT_AREA] / 64 == pytest.approx(math.pi * 100**2 / 11, rel=0.01)


def placed(sheet: Content) -> list[Placed]:
    """What is on a sheet of pieces."""
    shapes = [shape for shape in sheet.shapes if isinstance(shape, Placed)]
    assert len(shapes) == len(sheet.shapes)
    return shapes


@PAPERS
def test_backs_lie_behind_their_fronts(paper: Paper) -> None:
    (front, back) = sheets_of(paper, "Wedges", "Cut.", wedges(5), nested=True)
    fronts = [(paper.width_mm - s.at[0], s.at[1], s.turn_deg) for s in placed(front) if s.clip]
    assert [(s.at[0], s.at[1], s.turn_deg) for s in placed(back)] == fronts


def test_a_piece_larger_than_the_paper_is_refused() -> None:
    with pytest.raises(ValueError, match="300 x 20 mm does not fit on A4"):
        sheets_of(Paper.A4, "Much", "", [Piece("long", centred_box(300.0, 20.0), ())])


def test_a_net_folds_up_with_opposite_faces_adding_up_to_seven() -> None:
    faces = pip_faces(20.0, "#000000")
    pips = [len(face) for face in faces]
    assert sorted(pips) == [1, 2, 3, 4, 5, 6]
    assert (pips[0] + pips[2], pips[1] + pips[3], pips[4] + pips[5]) == (7, 7, 7)
    drawn = [shape for shape in net(Die("d", 20.0, "#ffffff", faces)) if isinstance(shape, Placed)]
    assert [shape.at for shape in drawn] == [(0, 20), (0, 0), (0, -20), (0, -40), (-20, 0), (20, 0)]


def test_dots_of_a_die_are_those_of_its_pattern() -> None:
    face = dot_face(["oo.", "..o", "..o"], 5.0, "#000000", connected=True)
    assert {shape.at for shape in face if isinstance(shape, Disc)} == {(-5, 5), (0, 5), (5, 0), (5, -5)}
    assert {shape.points for shape in face if isinstance(shape, Stroke)} == {((-5, 5), (0, 5)), ((5, 0), (5, -5))}
    assert not any(isinstance(s, Stroke) for s in dot_face(["oo.", "...", "..."], 5.0, "#000000", connected=False))


def test_a_slice_shows_its_value_and_as_many_leaves_as_it_has() -> None:
    for leaves in range(4):
        (piece,) = basil_slices([BasilSlice("9/1", (9,), leaves)])
        green = sum(
            shape.shapes == topping("basil", (0, 0), 1.0).shapes for shape in piece.front if isinstance(shape, Placed)
        )
        assert green == leaves
        assert list(all_words(piece.front)) == ["9"]
    with pytest.raises(ValueError, match="no drawing of a slice of value 12"):
        basil_slices([BasilSlice("12/1", (12,), 0)])


def test_an_order_card_shows_its_toppings_clockwise_from_the_top() -> None:
    places = ["olive", "onion", "bacon", "chili", "olive", "onion", "bacon", "chili"]
    (piece,) = order_cards([("order-7", places)])
    drawn = [shape for shape in piece.front if isinstance(shape, Placed)]
    assert [shape.shapes for shape in drawn] == [topping(kind, (0, 0), 1.0).shapes for kind in places]
    assert drawn[0].at == pytest.approx((0.0, 21.0))
    assert drawn[2].at == pytest.approx((21.0, 0.0))
    assert list(all_words(piece.front)) == ["7"]


def test_offers_have_their_bands_in_places_of_their_own() -> None:
    """In half of the places, and any two differ in half of them or all, so that a part of a card tells it."""
    letters = "ABCDEFGHIJKLMN"
    cards = [Offer(f"offer/{letter.lower()}", letter, "Eat it.", When.END, "", True) for letter in letters]
    words = []
    for piece in offers(cards):
        (bands,) = [shape for shape in piece.front if isinstance(shape, Placed) and shape.clip]
        tops = [max(y for _, y in shape.outlines[0]) for shape in bands.shapes if isinstance(shape, Area)]
        words.append({round((42.0 - top) / 10.5, 3) for top in tops})
    assert all(len(word) == 4 and word <= set(range(8)) for word in words)
    assert all(len(one ^ other) >= 4 for one, other in combinations(words, 2))


def test_the_boards_lines_run_between_its_spaces() -> None:
    spaces = [(float(x), float(y)) for x in (-1, 0, 1) for y in (-1, 0, 1)]
    side = BoardSide("1st", (((-0.5, -1.5), (-0.5, 1.5)), ((0.5, -1.5), (0.5, 1.5))), ((0.0, 0.0),))
    shapes = board_drawing(spaces, [side])
    discs = [shape.at for shape in shapes if isinstance(shape, Disc) and shape.radius_mm == SPACE_MM / 2]
    assert discs == [(22.0 * x, 22.0 * y) for x, y in spaces]
    first, second = [shape for shape in shapes if isinstance(shape, Stroke)][:2]
    assert first.points[1] == (-11.0, 33.0)
    assert math.hypot(*first.points[0]) == pytest.approx(79.5)
    assert first.points[0][0] == pytest.approx(-11.0)
    assert second.points[0][0] == pytest.approx(11.0)
    assert list(all_words(shapes)) == ["1", "2", "1st"]
