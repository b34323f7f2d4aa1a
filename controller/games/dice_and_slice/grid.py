"""A sheet's grid: its dots and squares as bits of whole numbers, and what the lines between dots enclose.

A dot is the bit `row * (columns + 1) + column`, both from 0 at the lower left; a square has the bit of the dot at its
lower left corner and bears its name. Neighbouring dots are always connected (Connecting dots), so the dots alone say
which lines there are.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_lowercase

MOST_SQUARES = 15
"""A scorable slice has 15 squares or fewer."""
SHEETS_KEPT = 256
"""What lines enclose is asked for the same sheets over and over: in scores, and in each player's view."""


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle that can be a scorable slice: of at most 15 squares, and no line must run through it."""

    number: int
    """Its place in `Grid.rectangles`."""
    name: str
    """Its lower left and its upper right dot, such as "a1-d4"."""
    left: int
    """The column of its lower left dot, from 0."""
    bottom: int
    """The row of that dot."""
    width: int
    height: int
    outline: int
    """The dots of its outline. With all of them marked and none of `inside` it is a scorable slice."""
    inside: int
    """The dots within."""
    squares: int

    @property
    def size(self) -> int:
        """The number of its squares."""
        return self.width * self.height


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """What can be said about a sheet of this size before any dot is marked."""

    columns: int
    """In squares."""
    rows: int
    names: tuple[str, ...]
    """Of the dots, by number; the square names are among them."""
    bits: Mapping[str, int]
    """The bit of a dot by its name."""
    dots: int
    """All dots."""
    squares: int
    """All squares."""
    perimeter: int
    """The dots around the pizza."""
    neighbours: tuple[int, ...]
    """The orthogonally adjacent dots of each dot."""
    rectangles: tuple[Rectangle, ...]
    through: tuple["Sought", ...]
    """For each dot the rectangles whose outline runs through it."""
    around: tuple["Sought", ...]
    """For each dot the rectangles that have it inside."""

    @property
    def stride(self) -> int:
        """How many bits a dot is from the one above it."""
        return self.columns + 1


Sought = tuple[tuple[int, int, tuple[tuple[int, int, Rectangle], ...]], ...]
"""Rectangles at a dot, to be looked for on a sheet: each after all its dots and those of its outline; and all that are
alike at the four neighbours of the dot together, after those of the neighbours that are theirs and that are of their
outline."""


@dataclass(frozen=True, slots=True)
class Region:
    """Squares that no line separates."""

    squares: int
    enclosed: bool
    """Whether lines separate it from what lies outside the sheet."""

    @property
    def size(self) -> int:
        """The number of its squares."""
        return self.squares.bit_count()


def build_grid(columns: int, rows: int) -> Grid:
    """The tables of a sheet of so many squares; at most 25 columns."""
    places = [(column, row) for row in range(rows + 1) for column in range(columns + 1)]
    names = tuple(f"{ascii_lowercase[column]}{row + 1}" for column, row in places)
    bits = {name: 1 << number for number, name in enumerate(names)}

    def mask(points: Iterable[tuple[int, int]]) -> int:
        return sum(1 << row * (columns + 1) + column for column, row in set(points))

    neighbours = tuple(mask(_beside(column, row) & set(places)) for column, row in places)
    rectangles = tuple(_rectangles(columns, rows, names, mask))
    dots = list(zip(bits.values(), neighbours, strict=True))
    return Grid(
        columns=columns,
        rows=rows,
        names=names,
        bits=bits,
        dots=mask(places),
        squares=mask((column, row) for column, row in places if column < columns and row < rows),
        perimeter=mask((column, row) for column, row in places if column in (0, columns) or row in (0, rows)),
        neighbours=neighbours,
        rectangles=rectangles,
        through=tuple(_sought((one for one in rectangles if one.outline & bit), near) for bit, near in dots),
        around=tuple(_sought((one for one in rectangles if one.inside & bit), near) for bit, near in dots),
    )


def list_bits(mask: int) -> Iterator[int]:
    """The single bits of a mask, lowest first."""
    while mask:
        bit = mask & -mask
        yield bit
        mask ^= bit


def names_of(grid: Grid, mask: int) -> list[str]:
    """The names of these dots (or squares): by row, from the left."""
    return [grid.names[bit.bit_length() - 1] for bit in list_bits(mask)]


def mask_of(grid: Grid, names: Iterable[str]) -> int | None:
    """The dots of these names; None where one is no dot of the sheet."""
    mask = 0
    for name in names:
        bit = grid.bits.get(name)
        if bit is None:
            return None
        mask |= bit
    return mask


def lines(grid: Grid, dots: int) -> Iterator[tuple[str, str]]:
    """The lines between these dots, each from its left or lower dot."""
    for bit in list_bits(dots):
        number = bit.bit_length() - 1
        for other in list_bits(grid.neighbours[number] & dots & ~(bit - 1)):
            yield grid.names[number], grid.names[other.bit_length() - 1]


@lru_cache(maxsize=SHEETS_KEPT)
def slices(grid: Grid, dots: int) -> tuple[Rectangle, ...]:
    """All scorable slices on a sheet with these dots."""
    return tuple(one for one in grid.rectangles if dots & (one.outline | one.inside) == one.outline)


def slices_made(grid: Grid, dots: int, added: int) -> list[Rectangle]:
    """The scorable slices among these dots that the added ones, part of them, have enclosed."""
    return list(_found(grid.through, dots, added))


def slices_divided(grid: Grid, before: int, added: int) -> list[Rectangle]:
    """The scorable slices among the dots before that lines to the added ones cut in two or more parts. A dot inside
    whose line ends there only spoils its slice."""
    touched = _found(grid.around, before, added)
    dots = before | added
    return [one for one in touched if _spread(grid, dots, one.squares & -one.squares) != one.squares]


@lru_cache(maxsize=SHEETS_KEPT)
def regions(grid: Grid, dots: int) -> tuple[Region, ...]:
    """The sheet's squares, grouped by what the lines separate."""
    below, left = _sides(grid, dots)
    first_column = sum(1 << row * grid.stride for row in range(grid.rows))
    first_row = (1 << grid.columns) - 1
    found = []
    rest = grid.squares
    while rest:
        region = _spread(grid, dots, rest & -rest)
        out = (region << 1) & ~left | (region << grid.stride) & ~below
        open_side = out & ~grid.squares | region & first_column & ~left | region & first_row & ~below
        found.append(Region(region, not open_side))
        rest &= ~region
    return tuple(found)


def _found(at: tuple[Sought, ...], dots: int, places: int) -> Iterable[Rectangle]:
    """Those of the rectangles at these places that are scorable slices among the dots, each once."""
    found = {}
    for bit in list_bits(places):
        for near, near_outline, rectangles in at[bit.bit_length() - 1]:
            if dots & near == near_outline:
                for area, outline, rectangle in rectangles:
                    if dots & area == outline:
                        found[rectangle.number] = rectangle
    return found.values()


def _spread(grid: Grid, dots: int, square: int) -> int:
    """The squares that no line between these dots separates from this one."""
    below, left = _sides(grid, dots)
    region, before = square, 0
    while region != before:
        before = region
        region |= (region & ~left) >> 1 | (region << 1) & ~left
        region |= (region & ~below) >> grid.stride | (region << grid.stride) & ~below
        region &= grid.squares
    return region


def _sides(grid: Grid, dots: int) -> tuple[int, int]:
    """Where a line runs along the lower, and where along the left side of the square with that bit."""
    return dots & dots >> 1, dots & dots >> grid.stride


_Mask = Callable[[Iterable[tuple[int, int]]], int]


def _rectangles(columns: int, rows: int, names: tuple[str, ...], mask: _Mask) -> Iterator[Rectangle]:
    number = 0
    for width, height in ((w, h) for w in range(1, columns + 1) for h in range(1, rows + 1) if w * h <= MOST_SQUARES):
        # The dots along both sides of a row of squares face each other: lines run across it.
        if min(width, height) == 1 < max(width, height):
            continue
        for left, bottom in ((x, y) for y in range(rows - height + 1) for x in range(columns - width + 1)):
            right, top = left + width, bottom + height
            area = [(x, y) for x in range(left, right + 1) for y in range(bottom, top + 1)]
            inside = [(x, y) for x, y in area if left < x < right and bottom < y < top]
            lower_left, upper_right = bottom * (columns + 1) + left, top * (columns + 1) + right
            yield Rectangle(
                number=number,
                name=f"{names[lower_left]}-{names[upper_right]}",
                left=left,
                bottom=bottom,
                width=width,
                height=height,
                outline=mask(area) & ~mask(inside),
                inside=mask(inside),
                squares=mask((x, y) for x, y in area if x < right and y < top),
            )
            number += 1


def _sought(rectangles: Iterable[Rectangle], neighbours: int) -> Sought:
    alike: dict[tuple[int, int], list[tuple[int, int, Rectangle]]] = {}
    for one in rectangles:
        area = one.outline | one.inside
        alike.setdefault((area & neighbours, one.outline & neighbours), []).append((area, one.outline, one))
    return tuple((near, near_outline, tuple(ones)) for (near, near_outline), ones in alike.items())


def _beside(column: int, row: int) -> set[tuple[int, int]]:
    return {(column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)}
