"""The wiring drawing on paper: the SVG that the pin table makes, laid on a page.

Only what `hardware.pin_table.drawing` writes is understood; anything else is an error, so that nothing goes missing.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from xml.etree import ElementTree

from hardware.kit.drawing import Anchor, Area, Disc, Ink, Outline, Placed, Shape, Stroke, Words, arc, box
from hardware.kit.lettering import CAPITAL_EMS
from hardware.kit.paper import Content, Paper, content_area
from vision.scene import Point

_NAMESPACE = "{http://www.w3.org/2000/svg}"
_ANCHORS = {"start": Anchor.START, "middle": Anchor.MIDDLE, "end": Anchor.END}
_DEFAULT = {"font-size": "16px", "fill": "#000000", "stroke": "none", "stroke-width": "1"}


class UnknownSvg(ValueError):
    """Something in an SVG that is not understood here; names it."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where and how an element is drawn. y grows downwards in SVG."""

    right: float = 0.0
    down: float = 0.0


def wiring_sheet(paper: Paper, svg: str) -> list[Content]:
    """The drawing on one page, on its side, as large as it fits.

    Raises:
        UnknownSvg: there is something in the SVG that cannot be drawn.
    """
    width, height, shapes = svg_shapes(svg)
    left, bottom, right, top = content_area(paper)
    scale = min((top - bottom) / width, (right - left) / height)
    at = ((left + right) / 2 + height * scale / 2, (bottom + top) / 2 - width * scale / 2)
    # Turned by 90 degrees, the drawing's own lower left corner comes to lie at the lower right.
    placed = Placed(shapes, at, 90.0, scale)
    note = "What each pin is wired to, and how. Wire with everything switched off; hardware/README.md says more."
    return [Content("Wiring", note, (placed,))]


def svg_shapes(svg: str) -> tuple[float, float, tuple[Shape, ...]]:
    """Width, height and shapes of an SVG, one unit a millimetre, its lower left corner at the origin."""
    root = ElementTree.fromstring(svg)
    _, _, width, height = (float(part) for part in root.attrib["viewBox"].split())
    styles: dict[str, dict[str, str]] = {}
    shapes = tuple(_drawn(root, _Frame(0.0, height), styles))
    return width, height, shapes


def _drawn(parent: ElementTree.Element, frame: _Frame, styles: dict[str, dict[str, str]]) -> Iterator[Shape]:
    for element in parent:
        tag = element.tag.removeprefix(_NAMESPACE)
        style = _style(element, styles)
        match tag:
            case "style":
                styles.update(_rules(element.text or ""))
            case "g":
                yield from _drawn(element, _moved(frame, element.attrib["transform"]), styles)
            case "rect":
                yield _area((_rectangle(element, frame),), style)
            case "circle":
                yield _circle(element, frame, style)
            case "path":
                yield from _path(element, frame, style)
            case "text" if not element.text:
                pass
            case "text":
                yield _text(element, frame, style)
            case _:
                raise UnknownSvg(f"<{tag}>: expected rect, circle, path, text, g or style")


def _style(element: ElementTree.Element, styles: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    tag = element.tag.removeprefix(_NAMESPACE)
    style = dict(_DEFAULT) | dict(styles.get(tag, {}))
    # What a style sheet says is stronger than an attribute of the element.
    style |= {name: value for name, value in element.attrib.items() if name not in ("class", "x", "y", "d")}
    for name in element.attrib.get("class", "").split():
        style |= styles.get(f".{name}", {})
    return style


def _rules(text: str) -> dict[str, dict[str, str]]:
    rules = {}
    for selector, body in re.findall(r"([.\w]+)\s*\{([^}]*)\}", text):
        pairs = (pair.split(":", 1) for pair in body.split(";") if ":" in pair)
        rules[selector] = {name.strip(): value.strip() for name, value in pairs}
    return rules


def _moved(frame: _Frame, transform: str) -> _Frame:
    found = re.fullmatch(r"translate\((-?[\d.]+) (-?[\d.]+)\)", transform)
    if found is None:
        raise UnknownSvg(f'transform="{transform}": expected translate(x y)')
    return replace(frame, right=frame.right + float(found[1]), down=frame.down - float(found[2]))


def _at(frame: _Frame, x: float, y: float) -> Point:
    return frame.right + x, frame.down - y


def _rectangle(element: ElementTree.Element, frame: _Frame) -> Outline:
    x, y, width, height, corner = (float(element.attrib.get(name, 0)) for name in ("x", "y", "width", "height", "rx"))
    left, bottom = _at(frame, x, y + height)
    return box(left, bottom, left + width, bottom + height, corner_mm=min(corner, width / 2, height / 2))


def _circle(element: ElementTree.Element, frame: _Frame, style: Mapping[str, str]) -> Disc:
    x, y, radius = (float(element.attrib[name]) for name in ("cx", "cy", "r"))
    return Disc(_at(frame, x, y), radius, _ink(style["fill"]), _ink(style["stroke"]), float(style["stroke-width"]))


def _area(outlines: tuple[Outline, ...], style: Mapping[str, str]) -> Area:
    return Area(outlines, _ink(style["fill"]), _ink(style["stroke"]), float(style["stroke-width"]))


def _text(element: ElementTree.Element, frame: _Frame, style: Mapping[str, str]) -> Words:
    at = _at(frame, float(element.attrib.get("x", 0)), float(element.attrib.get("y", 0)))
    anchor = _ANCHORS[style.get("text-anchor", "start")]
    size = float(style["font-size"].removesuffix("px"))
    bold = style.get("font-weight") == "bold"
    ink = {"white": "#ffffff"}.get(style["fill"], style["fill"])
    # Words are laid out as in Helvetica, a little narrower than the screen's letters.
    return Words(element.text or "", at, size * CAPITAL_EMS, ink, bold, anchor)


def _ink(value: str) -> Ink | None:
    return None if value == "none" else value


def _path(element: ElementTree.Element, frame: _Frame, style: Mapping[str, str]) -> Iterator[Shape]:
    lines: list[list[Point]] = []
    closed = False
    for letter, numbers in re.findall(r"([A-Za-z])([^A-Za-z]*)", element.attrib["d"]):
        values = [float(part) for part in re.findall(r"-?[\d.]+", numbers)]
        match letter:
            case "M":
                lines.append([(values[0], values[1])])
            case "L":
                lines[-1].append((values[0], values[1]))
            case "H":
                lines[-1].append((values[0], lines[-1][-1][1]))
            case "V":
                lines[-1].append((lines[-1][-1][0], values[0]))
            case "A":
                lines[-1] += _half_circle(lines[-1][-1], (values[5], values[6]), values)
            case "Z":
                lines[-1].append(lines[-1][0])
                closed = True
            case _:
                raise UnknownSvg(f'path "{element.attrib["d"]}": expected M, L, H, V, A or Z, found {letter}')
    outlines = tuple(tuple(_at(frame, *point) for point in line) for line in lines)
    if closed and _ink(style["fill"]) is not None:
        yield _area(outlines, style)
        return
    stroke = _ink(style["stroke"])
    if stroke is not None:
        yield from (Stroke(outline, stroke, float(style["stroke-width"])) for outline in outlines)


def _half_circle(start: Point, end: Point, values: list[float]) -> list[Point]:
    """The only arcs there are: half a circle, clockwise on the screen."""
    radius = math.dist(start, end) / 2
    if not math.isclose(values[0], radius) or not math.isclose(values[1], radius) or values[4] != 1.0:
        raise UnknownSvg(f"arc {values}: expected half a circle, clockwise")
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    turn = math.degrees(math.atan2(start[1] - middle[1], start[0] - middle[0]))
    return list(arc(middle, radius, turn, turn + 180.0, steps=16))[1:]
