"""The pieces of Pizza Theory: the board with its spaces, lines and starts, read from `components.toml`.

Spaces have whole coordinates x, y, z that add up to 0; spaces next to each other differ by one step. Sets of spaces
are also written as bits of a whole number, in the order of the file, where they are counted again and again.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from math import sqrt

from controller.game import Json
from controller.games.facts import PACKAGED, ComponentError, Table, list_facts, load_by, parse_table, read_packaged

PLACES = ("1st", "2nd", "3rd")
"""What the board says at its three sides, in turn order."""
Cube = tuple[int, int, int]
_AXES = ("x", "y", "z")
_STARTS_EACH = 2


@dataclass(frozen=True, slots=True)
class Place:
    """One of the three sides of the board, with what a player who sits at it has there."""

    name: str
    """One of PLACES."""
    corner: Cube
    """The corner of the board that the player faces."""
    axis: int
    """The coordinate that has one value all along a line of this place: 0, 1 or 2."""
    lines: tuple[float, ...]
    """That value for each number of the die, number 1 first."""
    starts: tuple[str, ...]
    """The two X spaces closest to the player."""


@dataclass(frozen=True, slots=True)
class Components:
    """The board and the pieces of one copy of the game."""

    colours: tuple[str, ...] = field(compare=False, repr=False)
    each: int = field(compare=False, repr=False)
    """Toppings of each colour."""
    places: tuple[Place, ...] = field(compare=False, repr=False)
    """Clockwise as seen from above."""
    spaces: Mapping[str, Cube] = field(compare=False, repr=False)
    own: tuple[tuple[str, str], ...] = ()
    """(fact, value as JSON) that this copy has otherwise than the packaged file."""
    neighbours: Mapping[str, frozenset[str]] = field(init=False, compare=False, repr=False)
    bits: Mapping[str, int] = field(init=False, compare=False, repr=False)
    turn_order: tuple[int, ...] = field(init=False, compare=False, repr=False)
    """Which of `places` is the 1st, the 2nd and the 3rd."""
    touching: Mapping[tuple[int, int], tuple[str, ...]] = field(init=False, compare=False, repr=False)
    """The spaces that touch the cutter, by (index of the place, number)."""
    slices: Mapping[tuple[int, ...], tuple[int, ...]] = field(init=False, compare=False, repr=False)
    """The slices as bits, by the numbers of the three cuts in the order of `places`."""

    def __post_init__(self) -> None:
        tables = {
            "neighbours": {name: _next_to(self.spaces, name) for name in self.spaces},
            "bits": {name: 1 << index for index, name in enumerate(self.spaces)},
            "turn_order": tuple([place.name for place in self.places].index(name) for name in PLACES),
            "touching": dict(_touching(self.spaces, self.places)),
        }
        for name, value in tables.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "slices", _all_slices(self))

    @property
    def numbers(self) -> range:
        """What a die shows: the numbers of the lines."""
        return range(1, len(self.places[0].lines) + 1)

    def as_bits(self, spaces: Iterable[str]) -> int:
        """A set of spaces as the bits of a number."""
        bits = 0
        for space in spaces:
            bits |= self.bits[space]
        return bits

    def as_spaces(self, bits: int) -> frozenset[str]:
        """The spaces that these bits stand for."""
        return frozenset(self.in_order(bits))

    def in_order(self, bits: int) -> list[str]:
        """The spaces that these bits stand for, in the order of the file."""
        return [space for space, bit in self.bits.items() if bits & bit]

    def slices_by(self, cuts: Iterable[tuple[int, int]]) -> tuple[int, ...]:
        """The slices as bits that some cuts make: each (index of the place, number)."""
        lines = [(self.places[place].axis, self.places[place].lines[number - 1]) for place, number in cuts]
        slices: dict[tuple[bool, ...], int] = {}
        for name, at in self.spaces.items():
            sides = tuple(at[axis] > line for axis, line in lines)
            slices[sides] = slices.get(sides, 0) | self.bits[name]
        return tuple(slices.values())


def with_own_facts(own: object, where: str = "option components") -> Components:
    """The packaged pieces with the facts that a copy shows otherwise: a mapping such as `{"place.1st.starts":
    ["c1", "e1"]}`. Facts that the rules state stay. Raises ComponentError."""
    if not isinstance(own, Mapping):
        raise ComponentError(f"{where}: {own!r} is no mapping of facts, such as 'place.1st.starts', to their values")
    return parse_components(read_packaged(__package__), PACKAGED, own, where)


def parse_components(text: str, where: str, own: Mapping[str, Json] | None = None, own_where: str = "") -> Components:
    """The pieces described by TOML text, some facts replaced; `where` and `own_where` name their sources in errors.
    Raises ComponentError."""
    table = parse_table(text, where)
    if own:
        _replace_facts(table, own, own_where)
        table = Table(own_where, "", table.data)
    spaces = _spaces(table.table("space"))
    names = table.table("board").fact("clockwise", list)
    if sorted(map(str, names)) != sorted(PLACES):
        raise ComponentError(f"{table.where}: board.clockwise: {names!r} is not {', '.join(PLACES)} in some order")
    numbers = table.table("die").number("numbers", range(1, 7))
    places = tuple(_place(table.table("place").table(name), spaces, numbers) for name in names)
    _check_places(table, places)
    return Components(
        colours=_colours(table.table("colours")),
        each=table.table("topping").number("each", range(1, 100)),
        places=places,
        spaces=spaces,
        own=tuple(sorted((name, json.dumps(value)) for name, value in (own or {}).items())),
    )


load_components = load_by(parse_components, __package__)


def position_on_board(at: tuple[float, float, float]) -> tuple[float, float]:
    """Where these coordinates lie as seen from above with "1st" towards the viewer: to the right, and away. Spaces
    next to each other are 1 apart."""
    x, y, z = at
    return round((x - (y + z) / 2) / sqrt(3), 4), round((z - y) / 2, 4)


def line_ends(components: Components, place: Place, number: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where a line begins, in front of the player, and where it ends, half a space beyond the outer spaces."""
    rim = max(abs(value) for at in components.spaces.values() for value in at) + 0.5
    value = place.lines[number - 1]
    half = rim - abs(value) / 2
    ends = []
    for side in (1, -1):
        at = [0.0, 0.0, 0.0]
        towards, away = (place.axis + 1) % 3, (place.axis + 2) % 3
        sign = side if place.corner[towards] > 0 else -side
        at[place.axis], at[towards], at[away] = value, sign * half - value / 2, -sign * half - value / 2
        ends.append(position_on_board((at[0], at[1], at[2])))
    return ends[0], ends[1]


def _replace_facts(table: Table, own: Mapping[str, Json], where: str) -> None:
    known = {f"{fact.piece}.{fact.name}": fact for fact in list_facts(table)}
    for name, value in own.items():
        if name not in known:
            raise ComponentError(f"{where}: {name!r} is no fact; expected one such as 'place.1st.starts'")
        if known[name].provenance == "rules":
            raise ComponentError(f"{where}: {name}: {value!r} cannot be, the rules say {known[name].value!r}")
        piece = table
        for key in known[name].piece.split("."):
            piece = piece.table(key)
        piece.data[known[name].name]["is"] = value


def _colours(entry: Table) -> tuple[str, ...]:
    names = entry.fact("names", list)
    if len(names) != len(PLACES) or len(set(map(str, names))) != len(names) or not all(map(_is_word, names)):
        raise ComponentError(f"{entry.where}: {entry.path('names')}: {names!r} are not three different words")
    return tuple(names)


def _spaces(entry: Table) -> dict[str, Cube]:
    spaces: dict[str, Cube] = {}
    for name in entry.data:
        at = _cube(entry, name)
        if not _is_word(name):
            raise ComponentError(f"{entry.where}: {entry.path(name)}: a space is named by a letter and a number")
        if at in spaces.values():
            raise ComponentError(f"{entry.where}: {entry.path(name)}: {list(at)} is another space's place, too")
        spaces[name] = at
    return spaces


def _place(entry: Table, spaces: Mapping[str, Cube], numbers: int) -> Place:
    axis = entry.fact("axis", str)
    if axis not in _AXES:
        raise ComponentError(f"{entry.where}: {entry.path('axis')}: {axis!r} is none of {', '.join(_AXES)}")
    corner = _cube(entry, "corner")
    index = _AXES.index(axis)
    if corner[index] != 0:
        raise ComponentError(f"{entry.where}: {entry.path('corner')}: lines of constant {axis} do not run towards it")
    lines = _lines(entry, numbers, {at[index] for at in spaces.values()})
    starts = entry.fact("starts", list)
    if len(starts) != _STARTS_EACH or not all(isinstance(space, str) and space in spaces for space in starts):
        raise ComponentError(f"{entry.where}: {entry.path('starts')}: {starts!r} are not two spaces of the board")
    return Place(entry.key.rpartition(".")[2], corner, index, lines, tuple(starts))


def _lines(entry: Table, numbers: int, rows: set[int]) -> tuple[float, ...]:
    where = f"{entry.where}: {entry.path('lines')}"
    lines = entry.fact("lines", list)
    if len(lines) != numbers or not all(isinstance(line, float) for line in lines):
        raise ComponentError(f"{where}: {lines!r} are not {numbers} numbers with a decimal point")
    if lines not in (sorted(set(lines)), sorted(set(lines), reverse=True)):
        raise ComponentError(f"{where}: {lines!r} are not in order")
    for line in lines:
        if line in rows or not min(rows) < line < max(rows):
            raise ComponentError(f"{where}: {line} is not between rows of spaces")
    return tuple(lines)


def _check_places(table: Table, places: tuple[Place, ...]) -> None:
    for place, following in zip(places, places[1:] + places[:1], strict=True):
        x, y, z = place.corner
        if following.corner != (z, x, y):
            where = f"{table.where}: place.{following.name}.corner"
            raise ComponentError(f"{where}: {list(following.corner)} is not 120 degrees clockwise of {place.name}'s")
    starts = [space for place in places for space in place.starts]
    twice = [space for space in starts if starts.count(space) > 1]
    if twice:
        raise ComponentError(f"{table.where}: place: the start {twice[0]!r} is there twice")


def _cube(entry: Table, key: str) -> Cube:
    value = entry.numbers(key, range(-9, 10))
    if len(value) != len(_AXES) or sum(value) != 0:
        raise ComponentError(f"{entry.where}: {entry.path(key)}: {value} are not three numbers that add up to 0")
    return value[0], value[1], value[2]


def _is_word(name: object) -> bool:
    return isinstance(name, str) and name.isascii() and name.isalnum() and name[0].isalpha() and name == name.lower()


def _next_to(spaces: Mapping[str, Cube], name: str) -> frozenset[str]:
    here = spaces[name]
    return frozenset(
        other
        for other, there in spaces.items()
        if max(abs(one - two) for one, two in zip(here, there, strict=True)) == 1
    )


def _touching(
    spaces: Mapping[str, Cube], places: tuple[Place, ...]
) -> Iterable[tuple[tuple[int, int], tuple[str, ...]]]:
    """A space is one step wide, so the spaces that touch a cutter have their middle half a step from it."""
    for index, place in enumerate(places):
        for number, line in enumerate(place.lines, start=1):
            yield (index, number), tuple(name for name, at in spaces.items() if abs(at[place.axis] - line) <= 0.5)


def _all_slices(components: Components) -> dict[tuple[int, ...], tuple[int, ...]]:
    return {
        numbers: components.slices_by(enumerate(numbers))
        for numbers in product(components.numbers, repeat=len(components.places))
    }
