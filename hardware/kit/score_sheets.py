"""Score sheets of Dice and Slice: a grid of dots, toppings in its squares, bonuses, points, marks in the corners."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from hardware.kit.drawing import WHITE, Anchor, Area, Disc, Placed, Shape, Stroke, Words, box, centred_box
from hardware.kit.markers import marker
from hardware.kit.paper import FAINT, INK, Content, Paper, content_middle, cut_cross
from hardware.kit.toppings import topping
from vision.sheets.layout import SheetLayout, parse_layout

_CRUST, _CHEESE, _HEAD, _DOT = "#c98d4b", "#fff7e0", "#e9eef2", "#8a929b"
_LAYOUT = "dot_sheet.toml"


@dataclass(frozen=True, slots=True)
class Bonus:
    """What stands in one of the boxes above the grid."""

    toppings: tuple[str, ...]
    points: int


@dataclass(frozen=True, slots=True)
class SheetPrint:
    """Our print: what reading needs, and what is only printed."""

    layout: SheetLayout
    bonuses: tuple[Bonus, ...]
    """One for each of the layout's boxes."""
    scores_mm: tuple[float, float, float, float]
    """Left, bottom, right, top of the table of points."""
    dot_mm: float
    """Across one printed dot."""


def load_sheet_print() -> SheetPrint:
    """The print of `dot_sheet.toml`.

    Raises:
        SheetLayoutError, KeyError: the file is damaged.
    """
    data: Mapping[str, Any] = tomllib.loads((files(__package__) / _LAYOUT).read_text(encoding="utf-8"))
    left, bottom, right, top = (float(side) for side in data["score_table"]["rect_mm"])
    return SheetPrint(
        layout=parse_layout(data, _LAYOUT),
        bonuses=tuple(Bonus(tuple(entry["toppings"]), int(entry["points"])) for entry in data["bonus_boxes"]),
        scores_mm=(left, bottom, right, top),
        dot_mm=float(data["dots"]["printed_mm"]),
    )


def score_sheet(paper: Paper, printed: SheetPrint, points: Sequence[tuple[int, int]]) -> Content:
    """A page with a sheet, lying on its side.

    `points` are the numbers of squares and the points of each slice that can come about.
    """
    note = (
        "One sheet for each player and game; both sides of the paper can be printed. Cut at the crosses. Keep the "
        "small black marks in the corners clear, the camera finds the sheet by them; a soft dark pencil reads best."
    )
    width, height = printed.layout.size_mm
    x, y = content_middle(paper)
    corners = [(x + dx, y + dy) for dx in (-height / 2, height / 2) for dy in (-width / 2, width / 2)]
    crosses = [cross for corner in corners for cross in cut_cross(*corner)]
    sheet = Placed(sheet_drawing(printed, points), (x, y), 90.0)
    return Content("Dice and Slice: score sheet", note, (sheet, *crosses))


def sheet_drawing(printed: SheetPrint, points: Sequence[tuple[int, int]]) -> tuple[Shape, ...]:
    """A sheet, its middle at the origin."""
    layout = printed.layout
    marks = []
    for number, corners in layout.marks.items():
        (x, y), (right, _) = corners[0], corners[1]
        marks.append(marker(number, float(right - x), (float(x), float(y))))
    paper = Area((centred_box(*layout.size_mm),), fill=WHITE)
    return (paper, *_pizza(printed), *_bonuses(printed), *_scores(printed.scores_mm, points), *_title(layout), *marks)


def _pizza(printed: SheetPrint) -> list[Shape]:
    layout = printed.layout
    left, top = layout.dot_mm((0, 0))
    right, bottom = layout.dot_mm((layout.columns - 1, layout.rows - 1))
    crust = box(left - 2.2, bottom - 2.2, right + 2.2, top + 2.2, corner_mm=3.0)
    shapes: list[Shape] = [Area((crust,), line=_CRUST, width_mm=0.9)]
    shapes += [topping(one.kind, one.centre_mm, one.size_mm / 2, seed=7 * sum(one.square)) for one in layout.toppings]
    shapes += [Disc(layout.dot_mm(dot), printed.dot_mm / 2, fill=_DOT) for dot in layout.dots]
    return shapes


def _bonuses(printed: SheetPrint) -> list[Shape]:
    shapes: list[Shape] = []
    for place, bonus in zip(printed.layout.boxes, printed.bonuses, strict=True):
        (x, y), (width, height) = place.centre_mm, place.size_mm
        outline = centred_box(width, height, at=(x, y), corner_mm=2.0)
        shapes.append(Area((outline,), fill=_CHEESE, line=_CRUST, width_mm=0.3))
        step = min(6.6, (width - 2.0) / len(bonus.toppings))
        for number, kind in enumerate(bonus.toppings):
            at = (x + step * (number - (len(bonus.toppings) - 1) / 2), y + height / 2 - 6.4)
            shapes.append(topping(kind, at, min(3.0, step / 2 - 0.2), seed=number))
        shapes.append(Words(str(bonus.points), (x, y - height / 2 + 2.8), 4.6, INK, bold=True))
    return shapes


def _scores(rect: tuple[float, float, float, float], points: Sequence[tuple[int, int]]) -> list[Shape]:
    left, bottom, right, top = rect
    height = (top - bottom) / (len(points) + 3)
    columns = [left + (right - left) * share for share in (0.0, 0.2, 0.45, 0.7, 1.0)]
    middles = [(columns[place] + columns[place + 1]) / 2 for place in range(4)]
    shapes: list[Shape] = [Area((box(left, top - height, right, top),), fill=_HEAD)]
    for middle, word in zip(middles, ("squares", "points", "slices", "total"), strict=True):
        shapes.append(Words(word, (middle, top - height * 0.6), 1.9, INK, bold=True))
    for number, (squares, worth) in enumerate(points, start=1):
        base = top - height * number - height * 0.64
        shapes.append(Words(str(squares), (middles[0], base), 3.2, INK, bold=True))
        shapes.append(Words(f"× {worth}", (middles[1], base), 2.6, FAINT))
    for number, word in enumerate(("topping bonuses", "sum"), start=len(points) + 1):
        at = (columns[3] - 2.0, top - height * number - height * 0.62)
        shapes.append(Words(word, at, 2.2, INK, bold=True, anchor=Anchor.END))
    for number in range(1, len(points) + 3):
        y = top - height * number
        shapes.append(Stroke(((left, y), (right, y)), FAINT, 0.15))
    low = top - height * (len(points) + 1)
    shapes += [Stroke(((x, low), (x, top)), FAINT, 0.15) for x in columns[1:3]]
    shapes.append(Stroke(((columns[3], bottom), (columns[3], top)), FAINT, 0.15))
    shapes.append(Area((box(left, bottom, right, top),), line=INK, width_mm=0.3))
    return shapes


def _title(layout: SheetLayout) -> list[Shape]:
    y = -layout.size_mm[1] / 2 + 4.5
    left, right = layout.first_mm[0] + 6.0, layout.dot_mm((layout.columns - 1, 0))[0]
    return [
        Words("name", (left, y), 1.9, FAINT, anchor=Anchor.START),
        Stroke(((left + 9.0, y - 0.4), (left + 58.0, y - 0.4)), FAINT, 0.15),
        Words("Dice and Slice", (right, y), 2.8, FAINT, bold=True, anchor=Anchor.END),
    ]
