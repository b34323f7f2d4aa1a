"""Sheets and turns to test the rules of Dice and Slice with, and a slow second reading of a sheet.

The pieces are the tests' own, so that an owner's figures in the packaged file change no test. The slow reading knows
no tables: it walks from square to square wherever no line lies between them.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from controller.game import Json
from controller.games.dice_and_slice import GAME, rules
from controller.games.dice_and_slice.grid import mask_of, names_of
from controller.games.dice_and_slice.rules import Mark, Move, Pick, Roll, Sheet, State

DICE: dict[str, Any] = {
    "A": {
        "1": {"dots": ["oo.", "...", "..."], "connected": True},
        "2": {"dots": ["ooo", "...", "..."], "connected": True},
        "3": {"dots": ["oo.", "o..", "..."], "connected": False},
        "4": {"dots": ["...", ".o.", "..."], "connected": False},
        "5": {"dots": ["o..", ".o.", "..."], "connected": False},
        "6": {"dots": ["oo.", ".oo", "..."], "connected": True},
    },
    "B": {
        "1": {"dots": ["o..", "..o", "..."], "connected": False},
        "2": {"dots": ["o..", "...", "..."], "connected": False},
        "3": {"dots": ["o..", ".o.", "..o"], "connected": False},
        "4": {"dots": ["o..", "o..", "..."], "connected": True},
        "5": {"dots": [".o.", "o.o", ".o."], "connected": False},
        "6": {"dots": ["oo.", "...", "..o"], "connected": True},
    },
}
"""A1 and B4 are two neighbours, A4 and B2 one dot, B5 has no dot in a corner, B6 looks otherwise in a mirror."""


def own_pieces(sheet: Json, toppings: Mapping[str, list[str]], bonuses: Mapping[str, tuple[list[str], int]]) -> Json:
    """The option `components` for exactly these pieces and the dice above."""
    packaged = GAME.components.data
    return {
        "sheet": {"columns": 12, "rows": 9, "points": [n * (n + 1) // 2 for n in range(1, 16)], **sheet},
        "topping": {kind: {"squares": toppings.get(kind, [])} for kind in {**packaged["topping"], **toppings}},
        "bonus": {name: {"toppings": []} for name in packaged["bonus"]}
        | {name: {"toppings": kinds, "points": points} for name, (kinds, points) in bonuses.items()},
        "die": DICE,
    }


OWN = own_pieces(
    {},
    {
        "chili": ["f1", "k3"],
        "mushroom": ["b2", "h2", "l6"],
        "olive": ["d1", "i4", "a8"],
        "salami": ["c2", "g6", "j6"],
    },
    {
        "mushroom-salami": (["salami", "mushroom"], 20),
        "chili-olive": (["chili", "olive"], 25),
        "salami-pair": (["salami", "salami"], 30),
        "just-olive": (["olive"], 7),
        "just-mushroom": (["mushroom"], 3),
    },
)
TINY = own_pieces(
    {"columns": 3, "rows": 2},
    {"chili": ["b2"], "mushroom": ["a1"], "salami": ["c1"]},
    {"chili-mushroom": (["chili", "mushroom"], 9), "just-chili": (["chili"], 5), "just-salami": (["salami"], 4)},
)
"""A sheet of 3 × 2 squares."""


def game(players: int = 2, first: int = 1, **options: object) -> State:
    return GAME.start(players, {"components": OWN, **options}, first)


def tiny_game(players: int = 2, first: int = 1) -> State:
    return GAME.start(players, {"components": TINY}, first)


def play(state: State, *moves: Move) -> State:
    for move in moves:
        state = GAME.apply(state, move)
    return state


def rolled(state: State, first: str = "A4", second: str = "B2") -> State:
    """Both dice on the table; A4 and B2 are one dot each."""
    return play(state, Roll((first, second)))


def turn(state: State, *dots: str, dice: tuple[str, str] = ("A4", "B2"), picks: str = "A") -> State:
    """A whole turn or its beginning: the dots of player 1, of player 2 and so on; none for who is still to mark."""
    state = play(rolled(state, *dice), Pick(state.active, picks))
    return play(state, *(mark(player, one) for player, one in enumerate(dots, start=1) if one))


def mark(player: int, dots: str) -> Mark:
    return Mark(player, frozenset(dots.split()))


def with_dots(state: State, player: int, dots: str | Collection[str], **sheet: Any) -> State:
    """With these dots on a player's sheet, and nothing scored with them."""
    names = dots.split() if isinstance(dots, str) else dots
    mask = mask_of(state.options.components.grid, names)
    assert mask is not None, names
    sheets = list(state.sheets)
    sheets[player - 1] = Sheet(mask, **sheet)
    return replace(state, sheets=tuple(sheets))


def dots_on(state: State, player: int) -> list[str]:
    return names_of(state.options.components.grid, state.sheets[player - 1].dots)


def extra_dots_for(state: State, player: int) -> list[str]:
    return rules.topping_names(state, state.sheets[player - 1].earned)


def crossed(state: State, player: int) -> list[str]:
    return rules.topping_names(state, state.sheets[player - 1].crossed)


def bonuses(state: State, player: int) -> list[str]:
    return rules.bonus_names(state, state.sheets[player - 1].bonuses)


def refused(state: State, move: Move) -> tuple[str, str]:
    """Heading and problem of a move that must be illegal."""
    refusal = GAME.refusal(state, move)
    assert refusal is not None, f"{move} is legal"
    assert refusal.remedy
    assert move not in list(GAME.legal(state))
    return refusal.heading, refusal.problem


def legal(state: State, move: Move) -> bool:
    return GAME.refusal(state, move) is None


def points(state: State, player: int) -> int:
    return GAME.score(state)[player - 1].total


def line(state: State, player: int, label: str) -> int:
    return next(one.points for one in GAME.score(state)[player - 1].lines if one.label == label)


# Dots by hand ---------------------------------------------------------------------------------------------------------


def xy(name: str) -> tuple[int, int]:
    """Column and row from 0 of a dot."""
    return "abcdefghijklmnopqrstuvwxyz".index(name[0]), int(name[1:]) - 1


def named(place: tuple[int, int]) -> str:
    return f"{'abcdefghijklmnopqrstuvwxyz'[place[0]]}{place[1] + 1}"


def outline(*slices: str) -> set[str]:
    """The dots around rectangles such as "a1-d4"."""
    dots = set()
    for one in slices:
        (left, bottom), (right, top) = map(xy, one.split("-"))
        area = {(x, y) for x in range(left, right + 1) for y in range(bottom, top + 1)}
        dots |= {(x, y) for x, y in area if x in (left, right) or y in (bottom, top)}
    return {named(place) for place in dots}


def cut_at(columns: Collection[int], rows: Collection[int]) -> set[str]:
    """All dots of a 12 × 9 sheet in these columns and in these rows, from 0."""
    return {named((x, y)) for x in range(13) for y in range(10) if x in columns or y in rows}


FINISHED = cut_at((0, 5, 10, 12), (0, 3, 6, 9))
"""Six slices of 15 and three of 6: 783 points."""


# A slow second reading of a sheet -------------------------------------------------------------------------------------

Place = tuple[int, int]


@dataclass(frozen=True)
class Part:
    """Squares that no line separates."""

    squares: frozenset[Place]
    enclosed: bool
    scorable: bool


def slow_parts(columns: int, rows: int, dots: Collection[str]) -> list[Part]:
    """The parts of a sheet, found by walking."""
    marked = {xy(dot) for dot in dots}
    unseen = {(x, y) for x in range(columns) for y in range(rows)}
    parts = []
    while unseen:
        part, border = set(), [min(unseen)]
        enclosed = True
        while border:
            here = border.pop()
            part.add(here)
            for there in _open_ways(here, marked):
                if not (0 <= there[0] < columns and 0 <= there[1] < rows):
                    enclosed = False
                elif there not in part:
                    border.append(there)
        unseen -= part
        parts.append(Part(frozenset(part), enclosed, enclosed and _is_slice(part, marked)))
    return parts


def _open_ways(square: Place, marked: set[Place]) -> Iterator[Place]:
    """The squares beside one, and places beside the sheet, with no line between."""
    x, y = square
    sides = {
        (x - 1, y): ((x, y), (x, y + 1)),
        (x + 1, y): ((x + 1, y), (x + 1, y + 1)),
        (x, y - 1): ((x, y), (x + 1, y)),
        (x, y + 1): ((x, y + 1), (x + 1, y + 1)),
    }
    return (there for there, ends in sides.items() if not marked.issuperset(ends))


def _is_slice(part: set[Place], marked: set[Place]) -> bool:
    """A rectangle of at most 15 squares with no dot inside it."""
    left, right = min(x for x, _ in part), max(x for x, _ in part)
    bottom, top = min(y for _, y in part), max(y for _, y in part)
    whole = {(x, y) for x in range(left, right + 1) for y in range(bottom, top + 1)}
    within = {(x, y) for x in range(left + 1, right + 1) for y in range(bottom + 1, top + 1)}
    return part == whole and len(part) <= 15 and not within & marked
