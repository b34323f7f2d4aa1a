"""What is printed on a sheet, and where: the geometry that reading needs, as a checked value.

A sheet's own frame has its origin at the sheet's centre, x to the right and y up as printed, in millimetres. Dot
(column, row) and square (column, row) count from 0 at the left and at the top; a square has the dot of its own numbers
at its upper left corner.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from vision.mat.errors import VisionError

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Dot = tuple[int, int]

DICTIONARY = "DICT_4X4_50"
DIE_MM = 20.0
PIPS_MM = 5.0


class SheetLayoutError(VisionError, ValueError):
    """A description of a print cannot be used; names the key, the value and what was expected."""


@dataclass(frozen=True, slots=True)
class PrintedTopping:
    """A topping in one square."""

    square: Dot
    kind: str
    centre_mm: tuple[float, float]
    size_mm: float
    """Across."""


@dataclass(frozen=True, slots=True)
class BonusBox:
    """A box above the grid that is circled or crossed out."""

    centre_mm: tuple[float, float]
    size_mm: tuple[float, float]


@dataclass(frozen=True, slots=True)
class SheetLayout:
    """One print. All lengths in millimetres of the sheet's own frame."""

    size_mm: tuple[float, float]
    columns: int
    """Of dots."""
    rows: int
    pitch_mm: float
    first_mm: tuple[float, float]
    """The dot at the upper left."""
    toppings: tuple[PrintedTopping, ...]
    boxes: tuple[BonusBox, ...]
    marks: Mapping[int, Array]
    """Its markers (DICT_4X4_50): id -> 4 x 2, each marker's own top left first, clockwise as printed."""
    die_mm: float = DIE_MM
    """Edge of the dice that belong to the sheet."""
    pips_mm: float = PIPS_MM
    """Between neighbouring dots of a die."""
    dots: tuple[Dot, ...] = field(init=False, repr=False, compare=False)
    """All dots, row by row."""
    lines: tuple[tuple[Dot, Dot], ...] = field(init=False, repr=False, compare=False)
    """All pairs of neighbouring dots."""
    diagonals: tuple[tuple[Dot, Dot], ...] = field(init=False, repr=False, compare=False)
    """All pairs of dots at opposite corners of a square, the left one first."""
    dots_mm: Array = field(init=False, repr=False, compare=False)
    """n x 2: where the dots are printed."""
    bare_mm: Array = field(init=False, repr=False, compare=False)
    """m x 2: the middles of squares in which nothing is printed."""
    outer_dots: Flags = field(init=False, repr=False, compare=False)
    """Which of the dots are at an edge of the grid,"""
    outer_lines: Flags = field(init=False, repr=False, compare=False)
    """and which of the lines lie along one."""

    def __post_init__(self) -> None:
        columns, rows = self.columns, self.rows
        dots = tuple((column, row) for row in range(rows) for column in range(columns))
        across = [((c, r), (c + 1, r)) for r in range(rows) for c in range(columns - 1)]
        down = [((c, r), (c, r + 1)) for r in range(rows - 1) for c in range(columns)]
        squares = [(c, r) for r in range(rows - 1) for c in range(columns - 1)]
        falling = [((c, r), (c + 1, r + 1)) for c, r in squares]
        rising = [((c, r + 1), (c + 1, r)) for c, r in squares]
        sides = ((0, columns - 1), (1, rows - 1))
        inked = {topping.square for topping in self.toppings}
        half = self.pitch_mm / 2
        bare = [self.dot_mm(square) for square in squares if square not in inked]
        outer = [any(dot[i] in (0, most) for i, most in sides) for dot in dots]
        along = [any(a[i] == b[i] and a[i] in (0, most) for i, most in sides) for a, b in across + down]
        derived = {
            "dots": dots,
            "lines": tuple(across + down),
            "diagonals": tuple(falling + rising),
            "dots_mm": np.array([self.dot_mm(dot) for dot in dots]),
            "bare_mm": np.array(bare).reshape(-1, 2) + np.array([half, -half]),
            "outer_dots": np.array(outer),
            "outer_lines": np.array(along),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    def dot_mm(self, dot: Dot) -> tuple[float, float]:
        """Where a dot is printed."""
        return self.first_mm[0] + self.pitch_mm * dot[0], self.first_mm[1] - self.pitch_mm * dot[1]

    @property
    def corners_mm(self) -> Array:
        """The sheet's corners: top left, top right, bottom right, bottom left."""
        x, y = self.size_mm[0] / 2, self.size_mm[1] / 2
        return np.array([[-x, y], [x, y], [x, -y], [-x, -y]])


def parse_layout(data: Mapping[str, Any], where: str) -> SheetLayout:
    """A layout from tables such as a TOML or JSON file has; `where` names the file in errors.

    Keys: `sheet_mm`; `dots` with `columns`, `rows`, `pitch_mm`, `first_mm`; `toppings`, each with `square`, `kind` and
    perhaps `centre_mm`, `size_mm`; `topping_mm` for all whose size is not said; `bonus_boxes`, each with `centre_mm`
    and `size_mm`; `marks` with `corners_mm` (id -> four corners); perhaps `die` with `size_mm`, `pips_mm`. Other keys
    are for who prints.

    Raises:
        SheetLayoutError: something is missing or cannot be.
    """
    entry = _Entry(where, "", data)
    dots = entry.table("dots")
    columns, rows = dots.count("columns"), dots.count("rows")
    pitch, first = dots.length("pitch_mm"), dots.point("first_mm")
    size = entry.length("topping_mm") if "topping_mm" in data else 0.7 * pitch
    die = entry.table("die") if "die" in data else _Entry(where, "die", {"size_mm": DIE_MM, "pips_mm": PIPS_MM})
    toppings = []
    for topping in entry.tables("toppings"):
        column, row = topping.point("square")
        square = (int(column), int(row))
        if square != (column, row) or not (0 <= column < columns - 1 and 0 <= row < rows - 1):
            topping.refuse("square", f"is no square of {columns - 1} x {rows - 1}")
        middle = (first[0] + pitch * (column + 0.5), first[1] - pitch * (row + 0.5))
        toppings.append(
            PrintedTopping(
                square=square,
                kind=topping.text("kind"),
                centre_mm=topping.point("centre_mm") if "centre_mm" in topping.data else middle,
                size_mm=topping.length("size_mm") if "size_mm" in topping.data else size,
            )
        )
    return SheetLayout(
        size_mm=entry.point("sheet_mm"),
        columns=columns,
        rows=rows,
        pitch_mm=pitch,
        first_mm=first,
        toppings=tuple(toppings),
        boxes=tuple(BonusBox(box.point("centre_mm"), box.point("size_mm")) for box in entry.tables("bonus_boxes")),
        marks=_marks(entry.table("marks")),
        die_mm=die.length("size_mm"),
        pips_mm=die.length("pips_mm"),
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    """A table of the description together with its place, for errors."""

    where: str
    key: str
    data: Mapping[str, Any]

    def table(self, key: str) -> "_Entry":
        value = self._get(key)
        if not isinstance(value, Mapping):
            self.refuse(key, "is no table")
        return _Entry(self.where, self._path(key), value)

    def tables(self, key: str) -> "list[_Entry]":
        value = self._get(key)
        if not isinstance(value, list) or not all(isinstance(one, Mapping) for one in value):
            self.refuse(key, "is no list of tables")
        return [_Entry(self.where, f"{self._path(key)}[{i}]", one) for i, one in enumerate(value)]

    def count(self, key: str) -> int:
        value = self._get(key)
        if type(value) is not int or not 2 <= value <= 26:
            self.refuse(key, "is no whole number from 2 to 26")
        return int(value)

    def length(self, key: str) -> float:
        value = self._get(key)
        if not _is_number(value) or value <= 0:
            self.refuse(key, "is no length")
        return float(value)

    def text(self, key: str) -> str:
        value = self._get(key)
        if not isinstance(value, str):
            self.refuse(key, "is no text")
        return str(value)

    def point(self, key: str) -> tuple[float, float]:
        value = self._get(key)
        if not isinstance(value, list) or len(value) != 2 or not all(map(_is_number, value)):
            self.refuse(key, "is no pair of numbers")
        return float(value[0]), float(value[1])

    def refuse(self, key: str, what: str) -> NoReturn:
        raise SheetLayoutError(f"{self.where}: {self._path(key)}: {self.data.get(key)!r} {what}")

    def _get(self, key: str) -> Any:
        if key not in self.data:
            raise SheetLayoutError(f"{self.where}: {self._path(key)}: missing")
        return self.data[key]

    def _path(self, key: str) -> str:
        return f"{self.key}.{key}" if self.key else key


def _marks(entry: _Entry) -> Mapping[int, Array]:
    if entry.data.get("dictionary", DICTIONARY) != DICTIONARY:
        entry.refuse("dictionary", f"is not {DICTIONARY}")
    corners = entry.table("corners_mm")
    marks: dict[int, Array] = {}
    for name, value in corners.data.items():
        if not str(name).isdecimal() or int(name) >= 50 or not _are_corners(value):
            corners.refuse(name, "are no four corners of a marker 0 to 49")
        marks[int(name)] = np.array(value, np.float64)
    if len(marks) < 2:
        raise SheetLayoutError(f"{entry.where}: {corners.key}: {len(marks)} markers; expected two or more")
    return marks


def _are_corners(value: Any) -> bool:
    return (
        isinstance(value, Sequence)
        and len(value) == 4
        and all(isinstance(point, Sequence) and len(point) == 2 and all(map(_is_number, point)) for point in value)
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and bool(np.isfinite(value))
