"""What an owner points at in a photo of a board: points in pixels, from which the board's labels follow.

Under `marks` of a photo's labels stand, each point as [x, y] in pixels of the photo:

- `corners`: by the names printed there ("1st", "2nd", "3rd", clockwise as seen from above unless the copy's components
  say otherwise), the middles of the corner spaces beside these names,
- `rim`: three or more points all around the board's edge, or, where that is not round, around the printed pizza's,
- `toppings`: by colour, the middles of all toppings in the photo; three or more lie on spaces,
- `topping_edge`: a point on the edge of one of them,
- `cutters`: by colour, the ends of the sticks: [[blunt end], [coloured end]],
- `cutter_mm`: how thick they are; skewers are 3 mm, which is meant where nothing is said, the kit's folded ones 5 mm.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from vision.files.label_kinds import LabelError

Pixel = tuple[float, float]

MARKS = "marks"
POINT = "a point [x, y] in pixels of the photo"
KEYS = ("corners", "rim", "toppings", "topping_edge", "cutters", "cutter_mm")
FAR_PX = 100000.0
SKEWER_MM, THIN_MM, THICK_MM = 3.0, 1.5, 19.0


@dataclass(frozen=True, slots=True)
class BoardMarks:
    """Points in a photo, in pixels; what was not pointed at yet is empty."""

    corners: Mapping[str, Pixel]
    rim: tuple[Pixel, ...]
    toppings: Mapping[str, tuple[Pixel, ...]]
    topping_edge: Pixel | None
    cutters: Mapping[str, tuple[Pixel, Pixel]]
    cutter_mm: float


def parse_marks(content: object, where: str) -> BoardMarks:
    """The marks under `marks` of a photo's labels; `where` names the file or photo. Raises LabelError."""
    at = f"{where}: {MARKS}"
    marks = _object(content, at, ", ".join(KEYS))
    if unknown := sorted(marks.keys() - set(KEYS)):
        raise LabelError(f"{at} has {unknown[0]!r}; expected {', '.join(KEYS)}")
    corners = _object(
        marks.get("corners", {}), f"{at}.corners", f'the names printed there, such as "1st", each with {POINT}'
    )
    toppings = _object(marks.get("toppings", {}), f"{at}.toppings", "colours, each with a list of toppings' middles")
    cutters = _object(marks.get("cutters", {}), f"{at}.cutters", "colours, each with a cutter's two ends")
    edge, thick = marks.get("topping_edge"), marks.get("cutter_mm", SKEWER_MM)
    if not _is_number(thick) or not THIN_MM <= thick <= THICK_MM:
        raise LabelError(
            f"{at}.cutter_mm is {_shown(thick)}; expected a number of millimetres from {THIN_MM:g} to {THICK_MM:g}"
        )
    return BoardMarks(
        {name: _point(value, f"{at}.corners.{name}") for name, value in corners.items()},
        _points(marks.get("rim", []), f"{at}.rim"),
        {colour: _points(value, f"{at}.toppings.{colour}") for colour, value in toppings.items()},
        None if edge is None else _point(edge, f"{at}.topping_edge"),
        {colour: _ends(value, f"{at}.cutters.{colour}") for colour, value in cutters.items()},
        float(thick),
    )


def _ends(value: object, at: str) -> tuple[Pixel, Pixel]:
    points = _points(value, at)
    if len(points) != 2 or math.dist(*points) < 1.0:
        raise LabelError(f"{at} is {_shown(value)}; expected two points apart, the blunt end and the coloured end")
    return points[0], points[1]


def _object(value: object, at: str, expected: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise LabelError(f"{at} is {_shown(value)}; expected an object with {expected}")
    return value


def _points(value: object, at: str) -> tuple[Pixel, ...]:
    if not isinstance(value, list):
        raise LabelError(f"{at} is {_shown(value)}; expected a list, each {POINT}")
    return tuple(_point(one, f"{at}[{index}]") for index, one in enumerate(value))


def _point(value: object, at: str) -> Pixel:
    if not isinstance(value, list) or len(value) != 2 or not all(map(_is_pixel, value)):
        raise LabelError(f"{at} is {_shown(value)}; expected {POINT}")
    return float(value[0]), float(value[1])


def _is_pixel(value: object) -> bool:
    return _is_number(value) and abs(value) <= FAR_PX


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
