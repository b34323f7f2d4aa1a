"""Numbers of reachable states, counted by the engine and in second ways.

`slow_after` is the rule text written down again with sets of names, walking over squares: it shares nothing with the
engine but the pieces. On a sheet of 3 × 2 squares all states of both must be the same, not only their number. On the
whole sheet first turns are counted in closed form, and by turning the sheet around.
"""

from collections.abc import Callable, Iterator
from itertools import product
from random import Random
from typing import Any, NamedTuple

import pytest

from controller.games.dice_and_slice import GAME, rules
from controller.games.dice_and_slice.rules import State
from tests.controller.games.dice_and_slice.situations import (
    DICE,
    TINY,
    game,
    mark,
    named,
    rolled,
    slow_parts,
    tiny_game,
    with_dots,
    xy,
)
from tests.long import cases

NOTHING: frozenset[Any] = frozenset()


class SlowSheet(NamedTuple):
    dots: frozenset[str] = NOTHING
    crossed: frozenset[str] = NOTHING
    counted: frozenset[str] = NOTHING
    bonuses: frozenset[str] = NOTHING
    marked: bool = False
    earned: frozenset[str] = NOTHING


class SlowState(NamedTuple):
    sheets: tuple[SlowSheet, ...]
    turn: int = 1
    roll: tuple[str, ...] = ()
    picked: str | None = None
    closed: frozenset[str] = NOTHING
    over: bool = False


# The rule text once more ----------------------------------------------------------------------------------------------

COLUMNS, ROWS = TINY["sheet"]["columns"], TINY["sheet"]["rows"]
ALL_DOTS = {named(place) for place in product(range(COLUMNS + 1), range(ROWS + 1))}
TOPPINGS = {xy(square): f"{kind}-{square}" for kind, entry in TINY["topping"].items() for square in entry["squares"]}
BONUSES = {name: sorted(entry["toppings"]) for name, entry in TINY["bonus"].items() if entry["toppings"]}


def slow_after(state: SlowState) -> Iterator[SlowState]:
    """Every state that one move leads to."""
    if state.over:
        return
    active = (state.turn - 1) % len(state.sheets)
    if not state.roll:
        yield from (state._replace(roll=(f"A{a}", f"B{b}")) for a, b in product(DICE["A"], DICE["B"]))
    elif state.picked is None:
        possible = [die for die, face in zip("AB", state.roll, strict=True) if lays(state.sheets[active], face)]
        for die in possible or ["A", "B"]:
            yield picked(state, active, die)
    else:
        for index, sheet in enumerate(state.sheets):
            for after in sheets_after(state, sheet, face_of(state, active, index)):
                yield turned_over(state._replace(sheets=(*state.sheets[:index], after, *state.sheets[index + 1 :])))


def picked(state: SlowState, active: int, die: str) -> SlowState:
    state = state._replace(picked=die)
    sheets = [
        one if lays(one, face_of(state, active, index)) else one._replace(marked=True)
        for index, one in enumerate(state.sheets)
    ]
    if all(one.marked for one in sheets):
        return state._replace(roll=(), picked=None, over=True)
    return state._replace(sheets=tuple(sheets))


def face_of(state: SlowState, active: int, index: int) -> str:
    assert state.picked is not None
    dice = dict(zip("AB", state.roll, strict=True))
    return dice[state.picked] if index == active else next(dice[die] for die in "AB" if die != state.picked)


def sheets_after(state: SlowState, sheet: SlowSheet, face: str) -> Iterator[SlowSheet]:
    if not sheet.marked:
        for new in lays(sheet, face):
            yield with_new(state, sheet._replace(marked=True), new)
    elif sheet.earned:
        yield sheet._replace(earned=NOTHING)
        for topping, dot in product(sheet.earned, ALL_DOTS - sheet.dots):
            crossed = sheet._replace(crossed=sheet.crossed | {topping}, earned=sheet.earned - {topping})
            yield with_new(state, crossed, frozenset([dot]))


def lays(sheet: SlowSheet, face: str) -> set[frozenset[str]]:
    """The sets of new dots of every way to lay the face on the sheet."""
    rows = DICE[face[0]][face[1]]["dots"]
    found = set()
    for _ in range(4):
        rows = ["".join(column) for column in zip(*rows[::-1], strict=True)]
        spots = [(x, y) for y, row in enumerate(reversed(rows)) for x, sign in enumerate(row) if sign == "o"]
        for right, up in product(range(-3, COLUMNS + 4), range(-3, ROWS + 4)):
            dots = {(x + right, y + up) for x, y in spots}
            if all(0 <= x <= COLUMNS and 0 <= y <= ROWS for x, y in dots):
                found.add(frozenset(map(named, dots)) - sheet.dots)
    return found - {NOTHING}


def with_new(state: SlowState, sheet: SlowSheet, new: frozenset[str]) -> SlowSheet:
    before, after = (
        {p.squares for p in slow_parts(COLUMNS, ROWS, dots) if p.scorable} for dots in (sheet.dots, sheet.dots | new)
    )
    earned = set(sheet.earned)
    bonuses, counted = set(sheet.bonuses), set(sheet.counted)
    for part in before ^ after:
        earned |= {TOPPINGS[square] for square in part if square in TOPPINGS}
    for part in after - before:
        held = {TOPPINGS[square] for square in part if square in TOPPINGS}
        for name, kinds in BONUSES.items():
            exact = sorted(topping.split("-")[0] for topping in held) == kinds
            if exact and name not in state.closed | sheet.bonuses and not held & sheet.counted:
                bonuses.add(name)
                counted |= held
    dots = sheet.dots | new
    earned -= sheet.crossed
    return sheet._replace(
        dots=dots,
        earned=NOTHING if dots == ALL_DOTS else frozenset(earned),
        bonuses=frozenset(bonuses),
        counted=frozenset(counted),
    )


def turned_over(state: SlowState) -> SlowState:
    """The state in the next turn where everybody has finished this one."""
    if not all(one.marked and not one.earned for one in state.sheets):
        return state
    rim = {dot for dot in ALL_DOTS if xy(dot)[0] in (0, COLUMNS) or xy(dot)[1] in (0, ROWS)}
    over = any(
        rim <= one.dots and all(len(part.squares) <= 15 for part in slow_parts(COLUMNS, ROWS, one.dots))
        for one in state.sheets
    )
    return SlowState(
        sheets=tuple(one._replace(marked=False) for one in state.sheets),
        turn=state.turn if over else state.turn + 1,
        closed=frozenset().union(*(one.bonuses for one in state.sheets)),
        over=over,
    )


# The same states ------------------------------------------------------------------------------------------------------


def as_slow(state: State) -> SlowState:
    data = GAME.encode_state(state)
    sets = ("dots", "crossed", "counted", "bonuses", "earned")
    return SlowState(
        sheets=tuple(
            SlowSheet(marked=one["marked"], **{key: frozenset(one[key]) for key in sets}) for one in data["sheets"]
        ),
        turn=data["turn"],
        roll=tuple(data["roll"]),
        picked=data["picked"],
        closed=frozenset(data["closed"]),
        over=data["phase"] == "over",
    )


def reach(state: State, depth: int) -> list[set[State]]:
    """The states after one move, two moves, and so on."""
    levels = [{state}]
    for _ in range(depth):
        levels.append({GAME.apply(one, move) for one in levels[-1] for move in GAME.legal(one)})
    return levels[1:]


def slow_reach(state: SlowState, depth: int) -> list[set[SlowState]]:
    levels = [{state}]
    for _ in range(depth):
        levels.append({after for one in levels[-1] for after in slow_after(one)})
    return levels[1:]


def nearly_enclosed() -> State:
    """Both are about to enclose toppings: the left two squares of each sheet, and single squares."""
    state = with_dots(tiny_game(), 1, "a1 b1 c1 a2 c2 a3 b3")
    return with_dots(state, 2, "a1 b1 a2 c2 c3 d1 d2")


def with_extra_dots() -> State:
    """Player 1 has enclosed the four squares at the left, and a dot inside them would enclose all again."""
    state = rolled(nearly_enclosed(), "A4", "B2")
    return GAME.apply(GAME.apply(state, rules.Pick(1, "A")), mark(1, "c3"))


def after_bonuses() -> State:
    """The second turn of a game in which one bonus was scored and no extra dot placed."""
    state = with_extra_dots()
    for move in (rules.Stop(1), mark(2, "b2"), rules.Stop(2)):
        state = GAME.apply(state, move)
    return GAME.apply(GAME.apply(state, rules.Roll(("A4", "B4"))), rules.Pick(2, "B"))


def nearly_over() -> State:
    """One more dot of player 2 ends the game."""
    state = with_dots(with_dots(tiny_game(), 1, "a1 b2 c3"), 2, ALL_DOTS - {"d3", "b2"})
    return rolled(state, "A5", "B2")


@cases(
    ("situation", "counts"),
    [
        (tiny_game, [36, 72, 1584]),
        (with_extra_dots, [14, 69, 280, 2112]),
        (nearly_over, [2, 23, 57, 80, 552]),
        (nearly_enclosed, [36, 72, 804, 4401]),
        (after_bonuses, [9, 38, 310, 1516]),
    ],
    always=3,
)
def test_the_same_states_as_the_rule_text_once_more(situation: Callable[[], State], counts: list[int]) -> None:
    depth = len(counts)
    fast, slow = reach(situation(), depth), slow_reach(as_slow(situation()), depth)
    for states, others in zip(fast, slow, strict=True):
        assert {as_slow(one) for one in states} == others
    assert [len(states) for states in fast] == counts


@pytest.mark.parametrize("seed", range(4))
def test_whole_games_go_the_same_ways(seed: int) -> None:
    random = Random(seed)
    state = tiny_game(2 + seed % 2)
    while state.phase is not rules.Phase.OVER:
        moves = list(GAME.legal(state))
        assert {as_slow(GAME.apply(state, move)) for move in moves} == set(slow_after(as_slow(state)))
        state = GAME.apply(state, random.choice(moves))
    assert not set(slow_after(as_slow(state)))


# The whole sheet ------------------------------------------------------------------------------------------------------


def ways(picture: list[str]) -> int:
    """In how many ways a face can be laid on an empty sheet: each look of it, anywhere in 13 × 10 dots."""
    looks = set()
    rows = tuple(picture)
    for _ in range(4):
        rows = tuple("".join(column) for column in zip(*rows[::-1], strict=True))
        spots = [(x, y) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign == "o"]
        left, top = min(x for x, _ in spots), min(y for _, y in spots)
        looks.add(frozenset((x - left, y - top) for x, y in spots))
    return sum((13 - max(x for x, _ in one)) * (10 - max(y for _, y in one)) for one in looks)


@pytest.mark.long
def test_first_turn_in_closed_form() -> None:
    by_face = {die: [ways(entry["dots"]) for entry in DICE[die].values()] for die in "AB"}
    # For each roll the active player picks either die, then one of two players marks.
    expected = [36, 72, 2 * 6 * (sum(by_face["A"]) + sum(by_face["B"]))]
    assert [len(states) for states in reach(game(), 3)] == expected


@pytest.mark.parametrize("players", [3, 6])
def test_first_marks_of_more_players_in_closed_form(players: int) -> None:
    state = GAME.apply(rolled(game(players), "A6", "B6"), rules.Pick(1, "B"))
    one, two = ways(DICE["B"]["6"]["dots"]), ways(DICE["A"]["6"]["dots"])
    assert sum(1 for _ in GAME.legal(state)) == one + (players - 1) * two


def test_marks_turn_with_the_sheet() -> None:
    """What can be marked on a sheet turned around is what can be marked on it, turned around."""
    random = Random(3)
    table = game().options.components.grid
    for face in [f"{die}{number}" for die in "AB" for number in "123456"]:
        dots = random.sample(table.names, random.choice((5, 60, 110)))
        around = {dot: named((12 - xy(dot)[0], 9 - xy(dot)[1])) for dot in table.names}
        state, other = with_dots(game(), 1, dots), with_dots(game(), 1, [around[dot] for dot in dots])
        found, turned = ({frozenset(_names(one, new)) for new in rules.marks(one, 1, face)} for one in (state, other))
        assert {frozenset(around[dot] for dot in one) for one in found} == turned


def _names(state: State, new: int) -> list[str]:
    return [name for name, bit in state.options.components.grid.bits.items() if bit & new]
