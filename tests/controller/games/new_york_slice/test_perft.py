"""Numbers of ways a game of New York Slice can go from described positions, counted in two ways.

The second way is a model of its own, written from the rule text without the engine's rules: what lies where is kept in
sets, a pizza is a circle that is walked slice by slice, and every subset is tried. Where that is too slow there is a
closed form or a symmetry.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import chain, combinations, product
from math import comb, perm
from typing import Any, NamedTuple

import pytest

from controller.games.new_york_slice import GAME, rules
from controller.games.new_york_slice.rules import Decide, Holding, Phase, Sneak, State, Take
from tests.controller.games.known import known
from tests.controller.games.new_york_slice.situations import (
    RING,
    divided,
    faces,
    game,
    having,
    in_round,
    owning,
    play,
    quarters,
    served,
    takes,
)
from tests.controller.games.new_york_slice.test_random_games import played
from tests.long import cases

# The engine's way -----------------------------------------------------------------------------------------------------


def reached(state: State, depth: int) -> list[list[State]]:
    """After 0, 1, 2 .. moves: the state at the end of each sequence."""
    found = [[state]]
    for _ in range(depth):
        found.append([GAME.apply(one, move) for one in found[-1] for move in GAME.legal(one)])
    return found


def perft(state: State, depth: int) -> tuple[int, int]:
    """How many sequences of so many moves there are, and how many different tables lie at their ends."""
    ends = reached(state, depth)[-1]
    return len(ends), len(set(map(seen, ends)))


# The slow way: what lies on the table ---------------------------------------------------------------------------------


Circle = tuple[str, ...]
"""Slices clockwise."""
Portion = tuple[frozenset[str], bool]
"""Its slices, and whether the Special is with them."""
Check = tuple[dict[int, int], int, int]
"""A guest check: the points by type, Special*, Pepperoni - Anchovy."""


class Seat(NamedTuple):
    """What lies in front of a player."""

    front: frozenset[str] = frozenset()
    """Face up."""
    eaten: frozenset[str] = frozenset()
    hidden: str | None = None
    """The Mystery slice, eaten unseen; "?" where only its owner knows it."""
    boards: frozenset[tuple[str, int]] = frozenset()
    """Specials, each with the round it came in."""
    played: frozenset[str] = frozenset()
    """Those of Cut in Line, Dibs! and Sneak-a-Slice that are used up."""
    beside: str | None = None
    """What the Supreme slice was laid next to."""


class Table(NamedTuple):
    """A situation, the same for all who look at it."""

    waits: str
    round: int
    slicer: int
    stacks: frozenset[int]
    seats: tuple[Seat, ...]
    pizza: Circle = ()
    """The circle as it was divided, from its smallest slice."""
    board: str | None = None
    """Today's Special."""
    aside: frozenset[str] = frozenset()
    portions: frozenset[Portion] = frozenset()
    """Those left."""
    choosing: tuple[int, ...] = ()
    shifter: int | None = None
    taker: int | None = None
    hand: frozenset[str] = frozenset()
    fresh: bool = False
    """Whether the Special came with the slices in hand."""
    extra: str | None = None
    """The Mystery slice in hand; "?" where only its taker sees it."""


def turned(circle: Circle) -> Circle:
    first = circle.index(min(circle)) if circle else 0
    return circle[first:] + circle[:first]


def seen(state: State) -> Table:
    """The engine's state as the model has it."""
    left = frozenset((frozenset(one.slices), one.special) for one in state.portions if one.taken_by is None)
    return Table(
        waits=state.phase.value,
        round=state.round,
        slicer=state.slicer,
        stacks=frozenset(state.stacks),
        seats=tuple(map(seen_seat, state.holdings)),
        pizza=turned(state.ring),
        board=state.special,
        aside=frozenset(state.set_aside),
        portions=left,
        choosing=state.order,
        shifter=state.shifter,
        taker=state.taker,
        hand=frozenset(state.taken),
        fresh=state.took_special,
        extra=(state.mystery or "?") if state.mystery_drawn else None,
    )


def seen_seat(holding: Holding) -> Seat:
    hidden = holding.unseen_faces[0] if holding.unseen_faces else "?" if holding.unseen_eaten else None
    return Seat(
        front=frozenset(holding.collected),
        eaten=frozenset(holding.eaten),
        hidden=hidden,
        boards=frozenset((one.name, one.round) for one in holding.specials),
        played=frozenset(one.name for one in holding.specials if one.used and one.name in ONCE),
        beside=holding.supreme_as,
    )


# The slow way: what can follow ----------------------------------------------------------------------------------------

ONCE = {"special/cut-in-line", "special/dibs", "special/sneak-a-slice"}
SPECIALS = set(
    faces(
        "buffet combo-craving cut-in-line day-old-pizza dibs everyone-else-diet mystery-slice seconds sneak-a-slice"
        " stuffed-crust supersize-combos tiebreaker you-like-anchovies you-love-veggies"
    )
)
COMBOS = {"combo-8-10": (8, 10), "combo-5-7": (5, 7), "combo-4-6": (4, 6), "combo-9-11": (9, 11)}
NUMBERED = {f"{value}/{number}": value for value in range(3, 12) for number in range(1, value + 1)}
SLICES = {*NUMBERED, *COMBOS, "anchovy", "supreme"}
IN_THE_BOX = {
    2: {face for face, value in NUMBERED.items() if value in (3, 8, 10)} | {"combo-8-10"},
    5: {face for face, value in NUMBERED.items() if value == 10} | {"combo-8-10"},
}
PEPPERONI = {face: facts.pepperoni for face, facts in GAME.components.by_face.items()}
ANCHOVIES = {face: facts.anchovies for face, facts in GAME.components.by_face.items()}


def some_of(things: Iterable[str]) -> Iterator[frozenset[str]]:
    """Every subset."""
    pool = sorted(things)
    return map(frozenset, chain.from_iterable(combinations(pool, size) for size in range(len(pool) + 1)))


def clockwise(circle: Circle) -> list[tuple[str, str]]:
    return list(zip(circle, circle[1:] + circle[:1], strict=True))


def runs_between(circle: Circle, knives: tuple[bool, ...]) -> list[frozenset[str]]:
    """The portions of a circle that is cut behind the slices at these places."""
    begin = knives.index(True) + 1
    runs: list[list[str]] = [[]]
    for step in range(len(circle)):
        place = (begin + step) % len(circle)
        runs[-1].append(circle[place])
        if knives[place]:
            runs.append([])
    return [frozenset(run) for run in runs[:-1]]


def all_cuts(circle: Circle, portions: int) -> Iterator[list[frozenset[str]]]:
    """Every way to lay knives between the slices of a circle, tried one by one."""
    if portions == 1:
        yield [frozenset(circle)]
        return
    for knives in product((False, True), repeat=len(circle)):
        if sum(knives) == portions:
            yield runs_between(circle, knives)


def all_divisions(circle: Circle, portions: int) -> Iterator[frozenset[Portion]]:
    """With the Special added to a portion or as one of its own."""
    for runs in all_cuts(circle, portions):
        for chosen in runs:
            yield frozenset((run, run == chosen) for run in runs)
    for runs in all_cuts(circle, portions - 1):
        yield frozenset([(frozenset(), True), *((run, False) for run in runs)])


class Model:
    """The rules once more, slowly. `house` names the readings that are switched from their defaults."""

    def __init__(self, players: int, house: frozenset[str] = frozenset()) -> None:
        self.players = players
        self.house = house
        self.slices = SLICES - IN_THE_BOX.get(players, set())
        self.portions = 4 if players == 2 else players

    def layer_after(self, layer: Counter[Table]) -> Counter[Table]:
        """One move on: each situation with the number of sequences that lead to it."""
        following: Counter[Table] = Counter()
        for table, ways in layer.items():
            for after in self.after(table):
                following[after] += ways
        return following

    def after(self, table: Table) -> list[Table]:
        """What can follow, one for each choice or chance."""
        ways = {
            "stack": self.stacks, "redraw": self.redraws, "divide": self.divides, "choose": self.chooses,
            "mystery": self.extras, "decide": self.decides, "seconds": self.seconds, "count": self.counts,
        }  # fmt: skip
        return list(ways[table.waits](table)) if table.waits in ways else []

    def owner(self, table: Table, name: str) -> tuple[int, int]:
        """Who has this Special: the player and the round it came in; 0 and 0 where nobody has it."""
        for player, seat in enumerate(table.seats, start=1):
            for board, since in seat.boards:
                if board == f"special/{name}":
                    return player, since
        return 0, 0

    def may_play(self, table: Table, name: str) -> int | None:
        """Who may use this Special in this round."""
        player, since = self.owner(table, name)
        if player and since < table.round and f"special/{name}" not in table.seats[player - 1].played:
            return player
        return None

    def seated(self, table: Table, player: int, **changes: Any) -> tuple[Seat, ...]:
        seat = table.seats[player - 1]._replace(**changes)
        return (*table.seats[: player - 1], seat, *table.seats[player:])

    def spent(self, table: Table, player: int, name: str) -> tuple[Seat, ...]:
        return self.seated(table, player, played=table.seats[player - 1].played | {f"special/{name}"})

    def unknown(self, table: Table) -> set[str]:
        """Slices nobody has turned up."""
        turned_up = set(table.pizza) | {table.extra}
        for seat in table.seats:
            turned_up |= seat.front | seat.eaten | {seat.hidden}
        return self.slices - turned_up

    # Start each round

    def stacks(self, table: Table) -> Iterator[Table]:
        for stack in table.stacks:
            yield table._replace(waits="reveal", stacks=table.stacks - {stack})

    def redraws(self, table: Table) -> Iterator[Table]:
        assert table.board is not None
        met = {board for seat in table.seats for board, _ in seat.boards} | table.aside | {table.board}
        for name in SPECIALS:
            if f"special/{name}" not in met:
                again = name == "cut-in-line" and (self.players == 2 or not table.stacks)
                again |= name == "sneak-a-slice" and not table.stacks
                again |= name in ("dibs", "you-love-veggies") and self.players == 2
                waits = "redraw" if again else "divide"
                yield table._replace(waits=waits, aside=table.aside | {table.board}, board=f"special/{name}")

    # Divide the pizza

    def divides(self, table: Table) -> Iterator[Table]:
        caller = self.may_play(table, "dibs")
        if caller:
            yield from self.calls(table, caller)
        once_round = tuple((table.slicer + step) % self.players + 1 for step in range(self.players))
        choosing = once_round * (2 if self.players == 2 else 1)
        for portions in all_divisions(table.pizza, self.portions):
            yield table._replace(waits="choose", portions=portions, choosing=choosing)

    def calls(self, table: Table, caller: int) -> Iterator[Table]:
        seat = table.seats[caller - 1]
        craving = self.owner(table, "combo-craving")[0] == caller
        for face in table.pizza:
            left = turned(tuple(one for one in table.pizza if one != face))
            called = table._replace(pizza=left, seats=self.spent(table, caller, "dibs"))
            front = seat.front | {face}
            for beside in self.laid_beside(seat, front):
                yield called._replace(seats=self.seated(called, caller, front=front, beside=beside))
            if PEPPERONI[face] or (face in COMBOS and craving):
                yield called._replace(seats=self.seated(called, caller, eaten=seat.eaten | {face}))

    # Choose a portion

    def chooses(self, table: Table) -> Iterator[Table]:
        choosers = [table.choosing[0]]
        cutter = self.may_play(table, "cut-in-line")
        if cutter and cutter != table.slicer and len(table.portions) == self.portions and cutter not in choosers:
            choosers.append(cutter)
        if table.shifter:
            choosers = [table.shifter]
        for player in choosers:
            yield from self.takes(table, player)
            if self.may_play(table, "sneak-a-slice") == player != table.slicer:
                yield from self.sneaks(table, player)

    def takes(self, table: Table, player: int) -> Iterator[Table]:
        for slices, with_special in table.portions:
            seats = table.seats if player == table.choosing[0] else self.spent(table, player, "cut-in-line")
            taken = table._replace(seats=seats)
            if with_special:
                boards = seats[player - 1].boards | {(table.board, table.round)}
                taken = taken._replace(seats=self.seated(taken, player, boards=boards))
            place = table.choosing.index(player)
            mystery = with_special and table.board == "special/mystery-slice"
            yield taken._replace(
                waits="mystery" if mystery else "decide",
                portions=table.portions - {(slices, with_special)},
                choosing=table.choosing[:place] + table.choosing[place + 1 :],
                shifter=None,
                taker=player,
                hand=slices,
                fresh=with_special,
            )

    def sneaks(self, table: Table, player: int) -> Iterator[Table]:
        """Two slices that lie side by side, once those that are gone are skipped, in two portions."""
        home = {face: portion for portion in table.portions for face in portion[0]}
        circle = tuple(face for face in table.pizza if face in home)
        moves = set()
        for one, other in clockwise(circle):
            if home[one] != home[other]:
                moves |= {(one, home[other]), (other, home[one])}
        for face, target in moves:
            slices, special = home[face]
            if slices == {face} and not special and "sneak_may_empty" not in self.house:
                continue
            portions = table.portions - {home[face], target}
            portions |= {(slices - {face}, special), (target[0] | {face}, target[1])}
            yield table._replace(portions=portions, shifter=player, seats=self.spent(table, player, "sneak-a-slice"))

    def extras(self, table: Table) -> Iterator[Table]:
        for face in self.unknown(table) | {"?"}:
            yield table._replace(waits="decide", extra=face)

    # Collect or eat

    def kind(self, seat: Seat, face: str) -> int | None:
        """The type of a slice of one type."""
        if face == "supreme":
            return int(seat.beside) if seat.beside is not None and seat.beside != "anchovy" else None
        return NUMBERED.get(face)

    def laid_beside(self, seat: Seat, front: frozenset[str]) -> Collection[str | None]:
        """Everything that the Supreme slice may be next to, once these slices lie face up."""
        if seat.beside or "supreme" not in front:
            return {seat.beside}
        types: set[str] = set()
        for face in front:
            types |= {str(value) for value in COMBOS.get(face, ())}
            types |= {str(NUMBERED[face])} if face in NUMBERED else set()
        if "anchovy" in front and "supreme_on_anchovy" not in self.house:
            types.add("anchovy")
        return types or {None}

    def edible(self, table: Table, player: int, face: str) -> bool:
        """Of slices just gained."""
        if face in COMBOS:
            return self.owner(table, "combo-craving")[0] == player
        loved = table.fresh and table.board == "special/you-love-veggies" and NUMBERED.get(face) == 3
        return PEPPERONI[face] > 0 or loved

    def decides(self, table: Table) -> Iterator[Table]:
        assert table.taker is not None
        seat = table.seats[table.taker - 1]
        edible = {face for face in table.hand if self.edible(table, table.taker, face)}
        if table.fresh and table.board == "special/combo-craving":
            edible |= seat.front & set(COMBOS)
        if table.fresh and table.board == "special/you-love-veggies":
            edible |= {face for face in seat.front if self.kind(seat, face) == 3}
        for eaten in some_of(edible):
            for hidden, shown in self.extra_ways(table):
                front = (seat.front | table.hand | shown) - eaten
                for beside in self.laid_beside(seat, front):
                    changes: dict[str, Any] = {"front": front, "eaten": seat.eaten | eaten, "beside": beside}
                    changes["hidden"] = hidden or seat.hidden
                    yield self.next_turn(table._replace(seats=self.seated(table, table.taker, **changes)))

    def extra_ways(self, table: Table) -> list[tuple[str | None, set[str]]]:
        """The Mystery slice eaten (what lies hidden, what is shown) or collected."""
        if table.extra is None:
            return [(None, set())]
        if table.extra == "?":
            return [("?", set())]
        assert table.taker is not None
        eats = "mystery_needs_pepperoni" in self.house or self.edible(table, table.taker, table.extra)
        return [(None, {table.extra}), *([(table.extra, set())] if eats else [])]

    def next_turn(self, table: Table) -> Table:
        table = table._replace(taker=None, hand=frozenset(), fresh=False, extra=None)
        if table.choosing:
            return table._replace(waits="choose")
        table = table._replace(pizza=(), board=None, portions=frozenset())
        if table.stacks:
            left = table.slicer % self.players + 1
            return table._replace(waits="stack", round=table.round + 1, slicer=left)
        owner = self.owner(table, "seconds")[0]
        if owner and self.second_helpings(table.seats[owner - 1]):
            return table._replace(waits="seconds")
        return self.closing(table)

    # Game end

    def closing(self, table: Table) -> Table:
        return table._replace(waits="count" if any(seat.hidden for seat in table.seats) else "over")

    def second_helpings(self, seat: Seat) -> Collection[set[str]]:
        """Collected slices by type, of types with pepperoni."""
        found: dict[int, set[str]] = {}
        for face in seat.front:
            kind = self.kind(seat, face)
            if kind and "seconds_needs_pepperoni" in self.house:
                kind = kind if PEPPERONI[face] else None
            if kind and any(PEPPERONI[one] for one, value in NUMBERED.items() if value == kind):
                found.setdefault(kind, set()).add(face)
        return found.values()

    def seconds(self, table: Table) -> Iterator[Table]:
        owner = self.owner(table, "seconds")[0]
        seat = table.seats[owner - 1]
        for eaten in set(chain.from_iterable(map(some_of, self.second_helpings(seat)))):
            changes = {"front": seat.front - eaten, "eaten": seat.eaten | eaten}
            yield self.closing(table._replace(seats=self.seated(table, owner, **changes)))

    def counts(self, table: Table) -> Iterator[Table]:
        """What could not be eaten turns out to have been collected."""
        player = next(player for player, seat in enumerate(table.seats, start=1) if seat.hidden)
        seat = table.seats[player - 1]
        assert seat.hidden is not None
        for face in self.unknown(table) if seat.hidden == "?" else {seat.hidden}:
            changes: dict[str, Any] = {"front": seat.front, "eaten": seat.eaten, "hidden": None}
            craved, had = self.owner(table, "combo-craving"), self.owner(table, "mystery-slice")
            eats = face in COMBOS and craved[0] == player and craved[1] <= had[1]
            if PEPPERONI[face] or eats or "mystery_needs_pepperoni" in self.house:
                changes["eaten"] |= {face}
            else:
                changes["front"] |= {face}
            yield self.closing(table._replace(seats=self.seated(table, player, **changes)))


# The slow way: scoring ------------------------------------------------------------------------------------------------


def slow_check(seats: tuple[Seat, ...]) -> list[Check]:
    """The guest checks of each player."""
    names = [{board.removeprefix("special/") for board, _ in seat.boards} for seat in seats]
    types: list[dict[int, int]] = [{} for _ in seats]
    for value in range(3, 12):
        amounts = [slow_amount(seat, value, "supersize-combos" in own) for seat, own in zip(seats, names, strict=True)]
        first = [index for index, amount in enumerate(amounts) if amount == max(amounts) > 0]
        if len(first) > 1:
            first = [index for index in first if "tiebreaker" in names[index]]
        for index in first:
            types[index][value] = value
    checks = []
    for index, seat in enumerate(seats):
        anchovies = sum(ANCHOVIES[face] for face in seat.front)
        last = sum(PEPPERONI[face] for face in seat.eaten)
        last += anchovies if "you-like-anchovies" in names[index] else -anchovies
        checks.append((types[index], slow_special(seat, names[index], set().union(*names)), last))
    return checks


def slow_amount(seat: Seat, value: int, supersized: bool) -> float:
    amount = sum(1.0 for face in seat.front if NUMBERED.get(face) == value)
    amount += sum(2.0 if supersized else 0.5 for face in seat.front if value in COMBOS.get(face, ()))
    return amount + ("supreme" in seat.front and seat.beside == str(value))


def slow_special(seat: Seat, own: set[str], everybodys: set[str]) -> int:
    points = 5 * ("stuffed-crust" in own) - 2 * ("day-old-pizza" in own)
    if "everyone-else-diet" in everybodys - own:
        points -= (len(seat.eaten) + (seat.hidden is not None)) // 2
    if "combo-craving" in own:
        points += 3 * len(seat.eaten & set(COMBOS))
    if "you-love-veggies" in own:
        loved = {face for face in seat.eaten if NUMBERED.get(face) == 3}
        points += 3 * (len(loved) + ("supreme" in seat.eaten and seat.beside == "3"))
    if "buffet" in own:
        types = {str(value) for value in range(3, 12) if slow_amount(seat, value, False)}
        points += len(types | ({"anchovy"} & seat.front))
    return points


def slow_winners(seats: tuple[Seat, ...]) -> tuple[int, ...]:
    totals = [sum(types.values()) + special + last for types, special, last in slow_check(seats)]
    best = max(zip(totals, (len(seat.eaten) for seat in seats), strict=True))
    return tuple(player for player, seat in enumerate(seats, start=1) if (totals[player - 1], len(seat.eaten)) == best)


def engine_check(state: State) -> list[Check]:
    """The engine's guest checks in the model's shape."""
    checks = []
    for sheet in GAME.score(state):
        *types, special, last = [one.points for one in sheet.lines]
        assert sheet.total == sum(types) + special + last
        checks.append(({value: won for value, won in zip(range(3, 12), types, strict=True) if won}, special, last))
    return checks


# Both ways from the same position -------------------------------------------------------------------------------------


def agree(state: State, depth: int, *house: str) -> list[int]:
    """Plays all moves in both ways: the same situations, each reached as often, scored alike; of those in which the
    same lies in front of everybody, one is scored. Returns the numbers of sequences after each move."""
    fast = reached(state, depth)
    slow = Counter([seen(state)])
    model = Model(state.players, frozenset(house))
    for layer in fast[1:]:
        slow = model.layer_after(slow)
        assert Counter(map(seen, layer)) == slow
    for one in {(one.holdings, one.phase): one for one in fast[-1]}.values():
        check_scores(one)
    return [len(layer) for layer in fast[1:]]


def check_scores(state: State) -> None:
    seats = seen(state).seats
    assert engine_check(state) == slow_check(seats)
    assert GAME.winners(state) == (slow_winners(seats) if state.phase is Phase.OVER else ())


PLAIN = faces("7/1 7/7 11/1 11/10 4/1 6/6 9/1 9/9 combo-9-11 combo-5-7 5/1")
"""A pizza in use with any number of players. Those with pepperoni are 7/1, 11/1, 4/1, 9/1 and 5/1."""
EDIBLE = 5
CUTS = {
    3: ("7/1 7/7 11/1 11/10", "4/1 6/6 9/1 9/9", "combo-9-11 combo-5-7 5/1"),
    4: ("7/1 7/7 11/1", "11/10 4/1 6/6", "9/1 9/9 combo-9-11", "combo-5-7 5/1"),
    5: ("7/1 7/7 11/1", "11/10 4/1 6/6", "9/1", "9/9 combo-9-11", "combo-5-7 5/1"),
    6: ("7/1 7/7", "11/1", "11/10 4/1 6/6", "9/1", "9/9 combo-9-11", "combo-5-7 5/1"),
}
"""With pepperoni are, in each portion: 2 2 1; 2 1 1 1."""


def number_of_divisions(slices: int, portions: int) -> int:
    """With the Special in any portion, or alone."""
    return portions * comb(slices, portions) + comb(slices, portions - 1)


def cut(state: State, special: str = rules.STUFFED_CRUST) -> State:
    """PLAIN served and divided, the Special in the first portion."""
    return divided(served(state, PLAIN, special), *CUTS[4 if state.players == 2 else state.players])


def portion_with(state: State, face: str) -> int:
    """The number of a portion, which is not the one that `divided` was given it in."""
    return next(index for index, portion in enumerate(state.portions) if face in portion.slices)


def later(players: int, *owned: tuple[int, str], first: int = 1, number: int = 2) -> State:
    """A later round; the Specials lie in front of the players given, (player, Special)."""
    state = in_round(game(players, first), number)
    for player, special in owned:
        state = owning(state, player, special)
    return state


# Start each round -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "stacks"), [(2, 4), (3, 6), (4, 6), (5, 5), (6, 6)])
def test_stacks(players: int, stacks: int) -> None:
    # The pizza that is turned up is not listed.
    assert agree(game(players), 2) == [stacks, 0]


def test_a_special_that_may_not_be_used_gives_way_to_any_of_the_others() -> None:
    """With two players Cut in Line, Dibs! and You Love Veggies do, in the last round Sneak-a-Slice too; else only this
    and Cut in Line, in the last round."""
    assert redrawn(served(game(2), RING, rules.CUT_IN_LINE)) == {rules.DIBS, rules.YOU_LOVE_VEGGIES}
    last_of_two = served(later(2, number=4), RING, rules.SNEAK_A_SLICE)
    assert redrawn(last_of_two) == {rules.CUT_IN_LINE, rules.DIBS, rules.YOU_LOVE_VEGGIES}
    assert redrawn(served(later(4, number=6), RING, rules.CUT_IN_LINE)) == {rules.SNEAK_A_SLICE}


def redrawn(state: State) -> set[str | None]:
    """Of the 13 others those that give way in their turn, to one of 12."""
    assert agree(state, 1) == [13]
    again = [one for one in reached(state, 1)[-1] if one.phase is Phase.REDRAW]
    assert all(agree(one, 1) == [12] for one in again)
    return {one.special for one in again}


# Divide the pizza (and Special) into portions -------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "number"), [(2, 1485), (3, 550), (4, 1485), (5, 2640), (6, 3234)])
def test_divisions(players: int, number: int) -> None:
    state = served(game(players))
    assert number == number_of_divisions(11, 4 if players == 2 else players)
    assert agree(state, 1) == [number]


@pytest.mark.parametrize("portions", range(2, 7))
def test_divisions_of_the_slices_are_choices_of_cuts(portions: int) -> None:
    assert len({frozenset(runs) for runs in all_cuts(PLAIN, portions)}) == comb(11, portions)


@pytest.mark.long
def test_a_pizza_for_three_to_the_first_decision() -> None:
    """Each portion may be taken, and then any of its slices with pepperoni be eaten."""
    ways = sum(2 ** sum(PEPPERONI[face] > 0 for face in slices) for one in all_divisions(PLAIN, 3) for slices, _ in one)
    assert agree(served(game(3), PLAIN), 3) == [550, 3 * 550, ways]


def test_a_pizza_turned_is_the_same_pizza() -> None:
    assert {served(game(3), RING[turn:] + RING[:turn]) for turn in range(11)} == {served(game(3))}


@pytest.mark.long
def test_a_mirrored_pizza_has_as_many_ways() -> None:
    assert perft(served(game(3), PLAIN[::-1]), 3) == perft(served(game(3), PLAIN), 3)


# Choose a portion, next player chooses --------------------------------------------------------------------------------


@pytest.mark.parametrize("players", CUTS)
def test_portions_are_taken_in_any_order(players: int) -> None:
    """Where everybody collects everything."""
    layer = [cut(game(players))]
    for chosen in range(1, players + 1):
        layer = [
            play(one, move, Decide(known(Take, move).player, frozenset())) for one in layer for move in GAME.legal(one)
        ]
        assert len(layer) == len(set(map(seen, layer))) == perm(players, chosen)


@pytest.mark.parametrize("players", [3, 4])
def test_a_whole_round(players: int) -> None:
    """Also each slice with pepperoni eaten or not; all the ends can be told apart."""
    ends = perm(players) * 2**EDIBLE
    assert perft(cut(game(players)), 2 * players) == (ends, ends)


def test_a_whole_round_of_two() -> None:
    """Four portions in any order, 24 ways; who has which of them in the end, 6 ways."""
    assert agree(cut(game(2)), 8)[-1] == 24 * 2**EDIBLE
    assert perft(cut(game(2)), 8) == (24 * 2**EDIBLE, 6 * 2**EDIBLE)


def test_a_round_with_every_kind_of_slice() -> None:
    """The Supreme slice is eaten, or attached to the 9 beside it, or alone: four ways in its portion too."""
    numbers = agree(quarters(served(game(4))), 6)
    assert numbers[:2] == [4, 2 + 4 + 4 + 4]
    assert numbers[-1] == perm(3) * (3 * 2 * 4 * 4 + 4 * 4 * 4)


def test_another_players_name_changes_nothing() -> None:
    """Everybody sits some seats further clockwise."""

    def everything(seats_on: int) -> Iterator[Table]:
        unmoved = ((4, rules.SNEAK_A_SLICE), (2, rules.DIBS), (1, rules.CUT_IN_LINE))
        owned = [((player - 1 + seats_on) % 4 + 1, special) for player, special in unmoved]
        return map(seen, reached(cut(later(4, *owned, first=1 + seats_on)), 4)[-1])

    expected = Counter(everything(0))
    for seats_on in (1, 2, 3):
        assert Counter(moved_on(table, 4 - seats_on) for table in everything(seats_on)) == expected


def moved_on(table: Table, seats_on: int) -> Table:
    """The same with everybody that many seats further clockwise."""
    players = len(table.seats)

    def seat(player: int) -> int:
        return (player - 1 + seats_on) % players + 1

    return table._replace(
        slicer=seat(table.slicer),
        choosing=tuple(map(seat, table.choosing)),
        shifter=None if table.shifter is None else seat(table.shifter),
        taker=None if table.taker is None else seat(table.taker),
        seats=tuple(table.seats[(place - seats_on) % players] for place in range(players)),
    )


# Supreme slice --------------------------------------------------------------------------------------------------------


def test_a_supreme_slice_that_waits_is_attached_to_what_is_collected_next() -> None:
    """For each subset that is eaten as many ways as types are left: 7 and 11; 6 and 9, and 4 unless eaten; 9, 11, 5
    and 7."""
    state = cut(having(later(3), 3, "supreme"))
    assert agree(state, 2) == [3, 4 * 2 + 2 * (3 + 2) + 2 * 4]


# Combo Craving, You Love Veggies --------------------------------------------------------------------------------------


def test_combo_craving_adds_the_combos_in_the_portion_and_those_collected() -> None:
    """In the second portion the Supreme slice is eaten, or laid beside 5, 7, 8, 10, 11 or the 9 unless eaten."""
    state = having(later(4), 3, "combo-8-10 combo-5-7 11/2")
    others = (2 + 5 + 6) + 4 + 4
    assert agree(quarters(served(state)), 2) == [4, 2 + others]
    assert agree(quarters(served(state, RING, rules.COMBO_CRAVING)), 2) == [4, 2 * 2**3 + others]
    owner = owning(state, 3, rules.COMBO_CRAVING)
    assert agree(quarters(served(owner)), 2) == [4, 2 * 2 + others]


def test_you_love_veggies_adds_the_veggies_in_the_portion_and_those_collected() -> None:
    """3/3 has no pepperoni; the Supreme slice that lies beside a Veggie is one."""
    pizza = tuple("3/3" if face == "combo-5-7" else face for face in PLAIN)
    portions = ("3/3 5/1", "7/1 7/7 11/1", "11/10 4/1 6/6", "9/1 9/9 combo-9-11")
    state = having(later(4), 3, "3/1 3/2 supreme 7/3", supreme_as="3")
    assert agree(divided(served(state, pizza), *portions), 2) == [4, 2 + 4 + 2 + 2]
    loved = divided(served(state, pizza, rules.YOU_LOVE_VEGGIES), *portions)
    assert agree(loved, 2) == [4, 4 * 2**3 + 4 + 2 + 2]
    owner = owning(state, 3, rules.YOU_LOVE_VEGGIES)
    assert agree(divided(served(owner, pizza), *portions), 2) == [4, 2 + 4 + 2 + 2]


# Cut in Line ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("owner", "choices"), [(1, 8), (2, 4), (3, 4), (4, 8)])
def test_cut_in_line_doubles_the_first_choice(owner: int, choices: int) -> None:
    """Player 2 slices, so player 3 is the first anyway. All orders of the portions, with the cut and without."""
    numbers = agree(cut(later(4, (owner, rules.CUT_IN_LINE))), 3)
    assert numbers[0] == choices
    subsets = 4 + 2 + 2 + 2
    assert numbers[1:] == [choices // 4 * subsets, choices // 4 * subsets * 3]


# Dibs! ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("owner", [1, 2, 3])
def test_dibs_takes_each_slice_to_collect_it_or_eat_it(owner: int) -> None:
    """The Slicer, player 2, may call too."""
    state = served(later(3, (owner, rules.DIBS)), PLAIN)
    assert agree(state, 1) == [11 + EDIBLE + number_of_divisions(11, 3)]


@pytest.mark.long
def test_ten_slices_are_divided_after_dibs() -> None:
    """Or eleven, where nothing is called."""
    state = served(later(3, (1, rules.DIBS)), PLAIN)
    called = (11 + EDIBLE) * number_of_divisions(10, 3)
    assert agree(state, 2)[1] == called + 3 * number_of_divisions(11, 3)


def test_dibs_on_the_supreme_slice_attaches_it() -> None:
    """To either type that lies there; in the pizza 4/1, 5/1, 7/1, 7/2, 9/2 and 11/1 have pepperoni too."""
    state = having(later(3, (3, rules.DIBS)), 3, "5/2 4/2")
    calls = 10 + 6 + 2 + 1
    assert agree(served(state), 1) == [calls + number_of_divisions(11, 3)]
    craving = served(owning(state, 3, rules.COMBO_CRAVING))
    assert agree(craving, 1) == [calls + 1 + number_of_divisions(11, 3)]


# Mystery Slice --------------------------------------------------------------------------------------------------------


def test_the_mystery_slice_is_any_that_nobody_has_seen() -> None:
    """Unknown to others it is eaten; a known one is eaten if it may be, or collected. Two of the three slices beside it
    may be eaten, 7/1 and 11/1; so the Supreme slice has 7 to lie beside, and 11 unless that is eaten."""
    state = cut(game(4), rules.MYSTERY_SLICE)
    state = play(state, Take(2, portion_with(state, "7/1")))
    unseen = SLICES - set(PLAIN)
    edible = sum(PEPPERONI[face] > 0 for face in unseen - {"supreme"})
    supreme = 4 + 2 * (2 + 1)
    assert agree(state, 2) == [59, 4 + 8 * edible + supreme + 4 * (57 - edible)]


def test_the_mystery_slice_may_be_eaten_in_any_case_where_tables_say_so() -> None:
    state = cut(game(4, mystery_needs_pepperoni=False), rules.MYSTERY_SLICE)
    state = play(state, Take(2, portion_with(state, "7/1")))
    assert agree(state, 2, "mystery_needs_pepperoni") == [59, 4 + 8 * 57 + 4 + 2 * (2 + 1)]


# Sneak-a-Slice --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [3, 4, 5])
def test_sneak_a_slice_over_each_cut_of_all_divisions(players: int) -> None:
    """Each end of a portion moves to the portion beside it, unless the slice lies there alone without the Special."""
    state = served(later(players, (3, rules.SNEAK_A_SLICE)))
    # A slice alone and the other ten in one portion less; with the Special in another portion, or by itself.
    alone = 11 * comb(9, players - 2) * (players - 1) + 11 * comb(9, players - 3)
    ends = players * players * comb(11, players) + (players - 1) * comb(11, players - 1)
    shifts = Counter(isinstance(move, Sneak) for division in reached(state, 1)[-1] for move in GAME.legal(division))
    assert shifts == {True: 2 * (ends - alone), False: players * number_of_divisions(11, players)}


def test_sneak_a_slice_from_every_division_for_three() -> None:
    agree(served(later(3, (3, rules.SNEAK_A_SLICE))), 2)


@pytest.mark.parametrize(("owner", "depth"), [(1, 6), (2, 4), (3, 3), (4, 4)])
def test_sneak_a_slice_over_gaps(owner: int, depth: int) -> None:
    """Portions that are gone leave those on either side beside each other. Player 2 slices and may not shift."""
    numbers = agree(cut(later(4, (owner, rules.SNEAK_A_SLICE))), depth)
    assert numbers[0] == (4 + 8 if owner == 3 else 4)


@pytest.mark.parametrize("special_in", range(4))
def test_sneak_a_slice_of_single_slices(special_in: int) -> None:
    agree(divided(later_sneaking(), *single_slices(), special_in=special_in), 2)


def later_sneaking(**options: Any) -> State:
    """PLAIN served; player 3, the first to choose, may shift a slice."""
    return served(owning(in_round(game(4, **options), 2), 3, rules.SNEAK_A_SLICE), PLAIN)


def single_slices() -> tuple[str, ...]:
    """Portions of 8, 1, 1 and 1 slices of PLAIN."""
    return " ".join(PLAIN[:8]), *PLAIN[8:]


def test_sneak_a_slice_beside_the_special_alone() -> None:
    """Of two portions with a slice alone between them, each may give it one."""
    state = divided(later_sneaking(), " ".join(PLAIN[:5]), PLAIN[5], " ".join(PLAIN[6:]), "", special_in=3)
    assert agree(state, 2)[0] == 4 + 4


def test_sneak_a_slice_may_leave_nothing_where_tables_say_so() -> None:
    """Not, the 8 slices give one to either side; else each of the three alone moves either way too."""
    assert agree(divided(later_sneaking(), *single_slices()), 1) == [4 + 2]
    emptied = divided(later_sneaking(sneak_may_empty=True), *single_slices())
    assert agree(emptied, 2, "sneak_may_empty")[0] == 4 + 8


def test_cutting_in_line_and_sneaking_a_slice() -> None:
    """The same player, or one after the other."""
    for sneaker in (1, 3, 4):
        state = cut(later(4, (1, rules.CUT_IN_LINE), (sneaker, rules.SNEAK_A_SLICE)))
        assert agree(state, 4)[0] == (8 if sneaker == 4 else 16)


# Game end & scoring ---------------------------------------------------------------------------------------------------


def ending(**options: Any) -> State:
    """The last round of three players with eight Specials; one portion is left."""
    state = in_round(game(3, **options), 6)
    state = having(state, 1, "7/3 11/11 11/3 9/3 supreme", supreme_as="9")
    state = having(state, 2, "11/2 combo-8-10 anchovy 7/4", "6/3 10/3")
    state = having(state, 3, "5/2 combo-4-6 9/4 6/5 3/1", "10/1 10/2 8/3 3/2")
    state = owning(state, 1, rules.SECONDS, rules.BUFFET)
    state = owning(state, 2, rules.EVERYONE_ELSE_DIET, rules.YOU_LIKE_ANCHOVIES, rules.TIEBREAKER)
    state = owning(state, 3, rules.SUPERSIZE_COMBOS, rules.YOU_LOVE_VEGGIES)
    state = cut(state, rules.COMBO_CRAVING)
    state = takes(state, 1, portion_with(state, "5/1"))
    return takes(state, 2, portion_with(state, "7/1"), "7/1 combo-8-10")


def test_the_last_decision_and_seconds_to_the_end() -> None:
    """Player 3 may eat 4/1 and 9/1; then player 1 the 7, any of 11 11, any of 9/3 and the Supreme slice, or the 5."""
    assert agree(ending(), 3) == [1, 4, 4 * (1 + 1 + 3 + 3 + 1)]


def test_seconds_may_need_pepperoni_on_each_slice() -> None:
    """11/11 has none."""
    numbers = agree(ending(seconds_needs_pepperoni=True), 3, "seconds_needs_pepperoni")
    assert numbers == [1, 4, 4 * (1 + 1 + 1 + 3 + 1)]


def test_a_slice_eaten_unseen_is_turned_up_at_the_end() -> None:
    """It is any that nobody has seen. What could not be eaten counts as collected."""
    state = play(in_last_round_with_mystery(), rules.Mystery(None))
    assert agree(state, 2) == [4, 4 * 58]
    known = play(in_last_round_with_mystery(), rules.Mystery("10/9"))
    assert agree(known, 2) == [4 + 4, 4]


def in_last_round_with_mystery() -> State:
    """The Slicer has just taken the last portion, of whose slices 7/1 and 11/1 may be eaten, and Mystery Slice."""
    state = cut(in_round(game(3), 6), rules.MYSTERY_SLICE)
    state = takes(takes(state, 1, portion_with(state, "5/1")), 2, portion_with(state, "9/1"))
    return play(state, Take(3, portion_with(state, "7/1")))


# The Supreme slice beside the Anchovy slice ---------------------------------------------------------------------------


@pytest.mark.parametrize("house", [(), ("supreme_on_anchovy",)])
def test_the_supreme_slice_beside_the_anchovy_slice(house: tuple[str, ...]) -> None:
    """It is attached to it, or waits where tables say that the Anchovy slice is no neighbour."""
    state = served(game(3, **dict.fromkeys(house, False)))
    state = divided(state, "anchovy supreme", "9/2 9/9 5/1 7/1 7/2", "11/1 11/10 4/1 combo-9-11")
    assert agree(state, 6, *house)[:2] == [3, 2 + 16 + 4]
    front = {(frozenset(one.holdings[1].collected), one.holdings[1].supreme_as) for one in reached(state, 2)[-1]}
    waits = None if house else "anchovy"
    assert (frozenset({"anchovy", "supreme"}), waits) in front


# Anywhere -------------------------------------------------------------------------------------------------------------


@pytest.mark.long
@cases("players", [3, 2, 4, 5, 6], always=1)
def test_both_ways_agree_all_along_whole_games(players: int) -> None:
    for seed in range(2):
        for number, (state, _) in enumerate(played(players, 100 * players + seed)):
            check_scores(state)
            if state.phase is not Phase.DIVIDE or number % 12 == 0:
                agree(state, 1)
