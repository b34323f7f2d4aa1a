"""What a sensible player of New York Slice or Pizzeria would do: a valuation, not a search.

A player's chance to score a type grows with the lead over each other player, and is the more open the more slices of
the type are still to come (`cut_and_choose.Outlook`). From that follow the worth of a run of neighbouring slices to
each player, what everybody would choose from a division (the best for themselves, in order), and so the worth of every
division. How a game counts is its `Judgement`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Generic, Protocol, TypeVar

from controller.game import Advice, Player
from controller.games import cut_and_choose
from controller.games.cut_and_choose import (
    SLICES_IN_A_PIZZA,
    Outlook,
    Portion,
    Ring,
    Worths,
    choose_in_order,
    lead,
    rated_divisions,
)
from controller.games.cut_and_choose_rules import RoundState, Shift, State, Take, all_players, in_words, open_portions

MOST_ADVICE = 12
_SETTLED = 0.06
"""How open a type is (in slices) when no more of it will come: just enough to stay smooth."""
_OPEN = 0.6
"""How much each slice still to come opens a type up (times the root of their number for each player)."""
Move = TypeVar("Move")


@dataclass(frozen=True, slots=True)
class Judgement(Generic[State]):
    """What slices and Specials count in a game."""

    outlook: Callable[[State], Outlook]
    sure_points: Callable[[State, Player], float]
    """Points that no other player can take away any more."""
    worth: Callable[[Outlook, State, Player, Ring], float]
    """What a run of slices brings a player."""
    special_worth: Callable[[State, Player, str], float]
    """What the Special brings a player who takes it now."""

    def points(self, state: State) -> list[float]:
        """What each player may expect, as the table stands."""
        outlook = self.outlook(state)
        return [
            sum(value * outlook.chance(value, player) for value in outlook.counts) + self.sure_points(state, player)
            for player in all_players(state)
        ]

    def expected(self, state: State, player: Player) -> float:
        """The player's expected lead over the average of the others, in points, as the table stands."""
        points = self.points(state)
        own = points.pop(player - 1)
        return own - sum(points) / len(points)


def slices_to_come(state: RoundState, values: Iterable[int]) -> dict[int, float]:
    """How many slices of each type are expected to come, one of two types as half of each."""
    coming = len(state.stacks) * SLICES_IN_A_PIZZA / max(1, len(state.unseen))
    pieces = state.options.components
    left = dict.fromkeys(values, 0.0)
    for face in pieces.in_order(state.unseen):
        for value in pieces.by_face[face].values:
            left[value] += coming / len(pieces.by_face[face].values)
    return left


def openness(state: RoundState, values: Iterable[int]) -> dict[int, float]:
    """How open each type is, in slices."""
    left = slices_to_come(state, values)
    return {value: _SETTLED + _OPEN * sqrt(count / state.players) for value, count in left.items()}


# Dividing -------------------------------------------------------------------------------------------------------------


def divisions(judgement: Judgement[State], state: State) -> Iterator[tuple[float, tuple[Ring, ...], int | None, str]]:
    """The best divisions: the value, the portions, which has the Special, and why. Each is worth what the slicer is
    expected to be left with beyond what the others choose."""
    outlook, special = judgement.outlook(state), state.special
    bonus = None
    if special is not None:
        bonus = {player: judgement.special_worth(state, player, special) for player in all_players(state)}
    order = cut_and_choose.choosing_order(state.slicer, state.players)
    now = judgement.expected(state, state.slicer)
    rated = rated_divisions(
        state.ring, order, lambda player, slices: judgement.worth(outlook, state, player, slices), bonus, MOST_ADVICE
    )
    for ahead, portions, special_in in rated:
        yield now + ahead, portions, special_in, f"Expected to leave you {ahead:+.1f} on the others."


class SliceTaken(Protocol):
    """A move that takes a slice from the pizza before it is divided."""

    @property
    def face(self) -> str: ...
    @property
    def eat(self) -> bool: ...


def slices_taken(
    judgement: Judgement[State],
    state: State,
    caller: Player,
    moves: Iterable[SliceTaken],
    apply: Callable[[State, Any], State],
    keep: str,
) -> list[Advice]:
    """Slices worth taking now, best first; none while waiting for a better pizza is worth more. `keep` says what is
    done with one that is not eaten."""
    now = judgement.expected(state, caller)
    enough = 1.0 + 0.6 * (state.rounds - state.round)
    advice = []
    for move in moves:
        value = judgement.expected(apply(state, move), caller)
        if value - now > enough:
            advice.append(Advice(move, value, f"{'Eat' if move.eat else keep} {in_words(state, move.face)} now."))
    return sorted(advice, key=lambda one: -one.value)


def before_dividing(calls: list[Advice], division: list[Advice], now: float) -> list[Advice]:
    """Both together: the slicer's own call comes first and the division after it, so both leads are to be expected."""
    if calls and division:
        ahead = division[0].value - now
        calls = [replace(call, value=call.value + ahead) for call in calls[: MOST_ADVICE // 2]]
    return [*calls, *division]


# Choosing -------------------------------------------------------------------------------------------------------------


def choices(
    judgement: Judgement[State],
    state: State,
    player: Player,
    shifts: Iterable[Shift],
    apply: Callable[[State, Any], State],
    verb: str,
) -> list[Advice]:
    """Portions to take and slices to shift before that, best first. None where the player, who is not next, does best
    to wait."""
    now = judgement.expected(state, player)
    leads = _take_leads(judgement, state, player)
    best = leads[0][0]
    patience = 0.5 * (state.rounds - state.round)
    if player != state.order[0] and state.shifter is None:
        in_turn = choose_in_order(_portion_worths(judgement, state), state.order, open_portions(state.portions))
        if best < lead(in_turn, player) + 1.0 + patience:
            return []
    advice = [Advice(Take(player, index), now + ahead, _why_take(state, index)) for ahead, index in leads]
    found = []
    for move in shifts:
        shifted = apply(state, move)
        ahead, index = _take_leads(judgement, shifted, player)[0]
        why = f"{verb} {in_words(state, move.face)}, then: {_why_take(shifted, index)}"
        found.append(Advice(move, now + ahead, why))
    if found and max(one.value for one in found) > now + best + 0.5 + patience:
        advice = found + advice
    return sorted(advice, key=lambda one: -one.value)


def _portion_worths(judgement: Judgement[State], state: State) -> Worths:
    outlook, special = judgement.outlook(state), state.special

    def worth(player: Player, portion: Portion) -> float:
        bonus = judgement.special_worth(state, player, special) if portion.special and special is not None else 0.0
        return judgement.worth(outlook, state, player, portion.slices) + bonus

    return {player: [worth(player, one) for one in state.portions] for player in all_players(state)}


def _take_leads(judgement: Judgement[State], state: State, player: Player) -> list[tuple[float, int]]:
    """The lead that each open portion is expected to bring, best first, when the others choose after."""
    worths = _portion_worths(judgement, state)
    left = open_portions(state.portions)
    after = list(state.order)
    after.remove(player)
    leads = []
    for index in left:
        gained = choose_in_order(worths, after, [other for other in left if other != index])
        gained[player] += worths[player][index]
        leads.append((lead(gained, player), index))
    return sorted(leads, key=lambda one: (-one[0], one[1]))


def _why_take(state: RoundState, index: int) -> str:
    portion = state.portions[index]
    parts = [" ".join(portion.slices)] if portion.slices else []
    if portion.special and state.special is not None:
        parts.append(in_words(state, state.special))
    return f"Best of what is left after the others: {' + '.join(parts)}."


# Deciding -------------------------------------------------------------------------------------------------------------


def climb(current: Move, near: Callable[[Move], Sequence[Move]], rated: Mapping[Move, float]) -> None:
    """From one decision to the best of those near it, while that helps; `near` rates what it finds."""
    improving = True
    while improving:
        best = max([current, *near(current)], key=rated.__getitem__)
        improving = rated[best] > rated[current] + 1e-9
        current = best


def changes(state: RoundState, eaten: frozenset[str], edible: Sequence[str]) -> list[frozenset[str]]:
    """What else might be eaten: one slice more or less, or all of a type at once, as that may help where eating one of
    it does not."""
    by_face = state.options.components.by_face
    types = sorted({by_face[face].values for face in edible})
    groups = (frozenset(face for face in edible if by_face[face].values == values) for values in types)
    return [*(eaten ^ {face} for face in edible), *(eaten | group for group in groups)]
