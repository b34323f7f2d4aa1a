"""The pieces of Dice and Slice: the score sheet and the dice, read from `components.toml`, with the tables that follow.

An owner's own copy is described by the same keys with plain values, such as `{"die": {"A": {"4": {"dots": ["o.o"]}}}}`;
a topping without squares or a bonus without toppings is not on the sheet.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import product
from string import ascii_lowercase
from typing import Any

from controller.game import Json
from controller.games.dice_and_slice.grid import MOST_SQUARES, Grid, Rectangle, build_grid
from controller.games.facts import ComponentError, Table, load_by, parse_table, whole_number
from controller.games.wording import joined

PLAYER_COUNTS = range(2, 7)
DICE = ("A", "B")
FACES = ("1", "2", "3", "4", "5", "6")

_POINTS = range(1000)
_COLUMNS = range(2, 26)
_ROWS = range(2, 26)
_OWNED = {"from": "source", "source": "the owner's copy"}


@dataclass(frozen=True, slots=True)
class Face:
    """A face of a die."""

    name: str
    """Its die and its number, such as "A3"."""
    picture: tuple[str, ...]
    """The die's grid from above, row by row: o a dot, . none."""
    dots: frozenset[tuple[int, int]]
    """Column and row of each dot, both from 0 at the lower left of the smallest rectangle around all of them."""
    connected: bool
    """Whether it prints the lines between its neighbouring dots. They are drawn in any case."""

    @property
    def in_words(self) -> str:
        """Its picture in a sentence, row after row."""
        return " ".join(row.replace("o", "●").replace(".", "·") for row in self.picture)


@dataclass(frozen=True, slots=True)
class Topping:
    """A topping on the sheet."""

    name: str
    """Its kind and its square, such as "mushroom-b2"."""
    kind: str
    square: str

    @property
    def in_words(self) -> str:
        """As it is called where people read of it."""
        return f"the {self.kind} in {self.square}"


@dataclass(frozen=True, slots=True)
class Bonus:
    """A topping bonus at the top of the sheet."""

    name: str
    kinds: tuple[str, ...]
    """Exactly these toppings, sorted."""
    points: int

    @property
    def in_words(self) -> str:
        """As it is called where people read of it."""
        return f"the bonus for {joined(self.kinds)}"


@dataclass(frozen=True)
class Components:
    """A score sheet and the two dice of one copy of the game."""

    own: str
    """What this copy shows otherwise than the packaged file: JSON, its keys sorted."""
    data: Mapping[str, Any] = field(hash=False, repr=False)
    """The facts as the file has them."""
    columns: int = field(compare=False, repr=False)
    rows: int = field(compare=False, repr=False)
    points: tuple[int, ...] = field(compare=False, repr=False)
    """Of a slice by its number of squares, from 0."""
    toppings: tuple[Topping, ...] = field(compare=False, repr=False)
    bonuses: tuple[Bonus, ...] = field(compare=False, repr=False)
    faces: Mapping[str, Face] = field(compare=False, repr=False)

    @cached_property
    def grid(self) -> Grid:
        """The sheet's dots and squares."""
        return build_grid(self.columns, self.rows)

    @cached_property
    def topping_squares(self) -> int:
        """The squares with a topping."""
        return sum(self.topping_bits.values())

    @cached_property
    def topping_bits(self) -> Mapping[str, int]:
        """The square of each topping by its name, in the order of the squares."""
        bits = {one.name: self.grid.bits[one.square] for one in self.toppings}
        return dict(sorted(bits.items(), key=lambda item: item[1]))

    @cached_property
    def bonus_bits(self) -> Mapping[str, int]:
        """A bit for each topping bonus by its name."""
        return {one.name: 1 << number for number, one in enumerate(self.bonuses)}

    @cached_property
    def bonus_of(self) -> tuple[int, ...]:
        """For each of the grid's rectangles the bit of the bonus that its toppings are, or 0."""
        kinds = {self.grid.bits[one.square]: one.kind for one in self.toppings}
        bits = {one.kinds: self.bonus_bits[one.name] for one in self.bonuses}
        return tuple(
            bits.get(tuple(sorted(kind for bit, kind in kinds.items() if bit & one.squares)), 0)
            for one in self.grid.rectangles
        )

    @cached_property
    def placements(self) -> Mapping[str, tuple[int, ...]]:
        """All sets of dots that a face can be laid on, by the face's name."""
        return {name: tuple(_placements(face, self.grid)) for name, face in self.faces.items()}

    @cached_property
    def covering(self) -> Mapping[str, tuple[tuple[int, ...], ...]]:
        """Those of them that hold a dot, by the face's name and the dot's number."""
        return {
            name: tuple(tuple(one for one in laid if one & bit) for bit in self.grid.bits.values())
            for name, laid in self.placements.items()
        }

    @cached_property
    def coverable(self) -> Mapping[str, int]:
        """The dots that a face can be laid on at all, by the face's name."""
        return {
            name: sum(bit for bit, laid in zip(self.grid.bits.values(), by_dot, strict=True) if laid)
            for name, by_dot in self.covering.items()
        }

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of squares that a scorable slice can have."""
        return tuple(sorted({one.size for one in self.grid.rectangles}))

    def toppings_in(self, rectangle: Rectangle) -> int:
        """The squares with toppings in it."""
        return rectangle.squares & self.topping_squares


def turned(dots: frozenset[tuple[int, int]]) -> frozenset[tuple[int, int]]:
    """A dot arrangement rotated by 90 degrees, still at the lower left."""
    top = max(row for _, row in dots)
    return frozenset((top - row, column) for column, row in dots)


def parse_components(text: str, where: str) -> Components:
    """The pieces described by TOML text; `where` names its file in errors. Raises ComponentError."""
    return _components(parse_table(text, where), "{}")


load_components = load_by(parse_components, __package__)


def with_own_facts(components: Components, own: Json, where: str = "option components") -> Components:
    """These pieces as an owner's copy shows them. Raises ComponentError."""
    if not isinstance(own, Mapping):
        raise ComponentError(f"{where}: {own!r} is no mapping such as {{'sheet': {{'points': [1, 3]}}}}")
    if not own:
        return components
    try:
        text = json.dumps(own, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise ComponentError(f"{where}: {own!r} is no JSON: {error}") from error
    return _owned(components, text, where)


@lru_cache(maxsize=8)
def _owned(components: Components, own: str, where: str) -> Components:
    """The tables of a copy are built once, not with every state that is read."""
    return _components(Table(where, "", _merged(components.data, json.loads(own), where, "")), own)


def _merged(data: Mapping[str, Any], own: Mapping[str, Any], where: str, key: str) -> dict[str, Any]:
    """The facts with the owner's values in their place. Toppings and bonuses may be new."""
    merged = dict(data)
    for name, value in own.items():
        path = f"{key}.{name}" if key else str(name)
        old = data.get(name)
        if isinstance(old, Mapping) and "is" in old:
            merged[name] = {"is": value, **_OWNED}
        elif (old is None and key not in ("topping", "bonus")) or not isinstance(value, Mapping):
            known = ", ".join(data) if old is None else ", ".join(old)
            raise ComponentError(f"{where}: {path}: {value!r} is not expected here; known are {known}")
        elif old is None:
            merged[name] = {fact: {"is": plain, **_OWNED} for fact, plain in value.items()}
        else:
            merged[name] = _merged(old, value, where, path)
    return merged


def _components(table: Table, own: str) -> Components:
    sheet = table.table("sheet")
    points = sheet.numbers("points", _POINTS)
    if len(points) != MOST_SQUARES:
        raise ComponentError(f"{sheet.where}: {sheet.path('points')}: {points} are not {MOST_SQUARES} numbers")
    columns, rows = sheet.number("columns", _COLUMNS), sheet.number("rows", _ROWS)
    toppings = tuple(_toppings(table.table("topping"), columns, rows))
    dice = table.table("die")
    pairs = list(product(DICE, FACES))
    _expect_only(dice, DICE)
    for die in DICE:
        _expect_only(dice.table(die), FACES)
    return Components(
        own=own,
        data=table.data,
        columns=columns,
        rows=rows,
        points=(0, *points),
        toppings=toppings,
        bonuses=tuple(_bonuses(table.table("bonus"), set(table.table("topping").data))),
        faces={die + face: _face(die + face, dice.table(die).table(face)) for die, face in pairs},
    )


def _expect_only(table: Table, names: tuple[str, ...]) -> None:
    for name in table.data:
        if name not in names:
            raise ComponentError(f"{table.where}: {table.path(name)}: is none of {', '.join(names)}")


def _toppings(table: Table, columns: int, rows: int) -> Iterator[Topping]:
    squares = {f"{ascii_lowercase[column]}{row + 1}" for column in range(columns) for row in range(rows)}
    for kind in table.data:
        _check_name(table, kind)
        entry = table.table(kind)
        for square in entry.fact("squares", list):
            if not isinstance(square, str) or square not in squares:
                raise ComponentError(f"{table.where}: {entry.path('squares')}: {square!r} is no square without topping")
            squares.remove(square)
            yield Topping(f"{kind}-{square}", kind, square)


def _bonuses(table: Table, kinds: set[str]) -> Iterator[Bonus]:
    seen: dict[tuple[str, ...], str] = {}
    for name in table.data:
        _check_name(table, name)
        entry = table.table(name)
        wanted = entry.fact("toppings", list)
        for kind in wanted:
            if not isinstance(kind, str) or kind not in kinds:
                raise ComponentError(f"{table.where}: {entry.path('toppings')}: {kind!r} is no topping of the sheet")
        exactly = tuple(sorted(wanted))
        if exactly in seen:
            raise ComponentError(f"{table.where}: {entry.path('toppings')}: the same as those of {seen[exactly]}")
        if exactly:
            seen[exactly] = name
            yield Bonus(name, exactly, entry.number("points", _POINTS))


def _check_name(table: Table, name: str) -> None:
    if not all(word.isascii() and word.isalnum() and word.islower() for word in name.split("-")):
        raise ComponentError(f"{table.where}: {table.path(name)}: is no name of small letters, digits and hyphens")


def _face(name: str, entry: Table) -> Face:
    picture = entry.fact("dots", list)
    where = f"{entry.where}: {entry.path('dots')}"
    if not picture or not all(isinstance(row, str) and set(row) <= {"o", "."} for row in picture):
        raise ComponentError(f"{where}: {picture!r} are no rows of o and .")
    if len({len(row) for row in picture}) > 1:
        raise ComponentError(f"{where}: {picture!r} are not rows of one length")
    places = [(x, -y) for y, row in enumerate(picture) for x, sign in enumerate(row) if sign == "o"]
    whole_number(len(places), range(1, 10), entry.where, f"{entry.path('dots')}: number of dots")
    left, bottom = min(x for x, _ in places), min(y for _, y in places)
    dots = frozenset((x - left, y - bottom) for x, y in places)
    connected = entry.fact("connected", bool)
    if connected and not any({(x + 1, y), (x, y + 1)} & dots for x, y in dots):
        raise ComponentError(f"{entry.where}: {entry.path('connected')}: no two of its dots are neighbours")
    return Face(name, tuple(picture), dots, connected)


def _placements(face: Face, grid: Grid) -> Iterator[int]:
    """Every rotation of the face wherever no dot hangs off the grid; rotations that look alike count once."""
    dots = face.dots
    seen = set()
    for _ in range(4):
        if dots not in seen:
            seen.add(dots)
            mask = sum(1 << row * grid.stride + column for column, row in dots)
            width, height = max(column for column, _ in dots), max(row for _, row in dots)
            for row, column in product(range(grid.rows + 1 - height), range(grid.columns + 1 - width)):
                yield mask << row * grid.stride + column
        dots = turned(dots)
