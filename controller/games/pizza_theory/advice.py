"""What a sensible player of Pizza Theory would do, and why: one round ahead, all cuts weighed.

A topping is worth what its colour has on the Pizza when the round's cuts have been made, on average over all of them.
A cut is weighed against what the others would cut, each for their own good; what they really chose is not looked at.
"""

from collections.abc import Iterable, Sequence
from itertools import product
from math import exp

from controller.game import Advice, Player
from controller.games.pizza_theory import rules, slices
from controller.games.pizza_theory.rules import COLOURS, UNSELECTED, Add, Cut, Pass, Phase, Place, Replace, State
from controller.games.pizza_theory.slices import Toppings

MOST_ADVICE = 12
_GAME = 8.0
"""Toppings that winning or losing the game is worth."""
_STEPS = 40
"""Times that the players think about one another's cuts."""
_SHARPNESS = 1.5
"""How much more readily a cut is chosen that brings one topping more (as a power of e)."""
Cuts = tuple[int, ...]
"""A cut of each colour."""
Outcome = tuple[float, ...]
"""Each colour's toppings on the Pizza, or their average."""


def advise(state: State, player: Player) -> Sequence[Advice]:
    """Moves of this player, best first, at most a dozen; none where the player has nothing to do."""
    if player not in rules.turn(state).players:
        return ()
    match state.phase:
        case Phase.ADD:
            spaces = rules.available(state, player)
            moves = [(Add(player, space), _after_topping(state, player, space)) for space in spaces]
            if not moves:
                return (_forced(state, player, Pass(player), "No space is available: pass."),)
            return _ranked(state, player, moves)
        case Phase.UNSELECTED:
            places = [(Place(player, at), _after_topping(state, UNSELECTED, at)) for at in rules.touching(state)]
            if not places:
                return (_forced(state, player, Pass(player), "No empty space touches the cutter."),)
            return _ranked(state, player, places)
        case Phase.CUT:
            return _advise_cut(state, player)
        case _:
            return (_forced(state, player, Replace(player), "The slices leave no choice."),)


def _ranked(state: State, player: Player, moves: Iterable[tuple[Add | Place, Toppings]]) -> Sequence[Advice]:
    possible = _possible_slices(state).values()
    advice = []
    for move, toppings in moves:
        outcomes = [_outcome(parts, toppings) for parts in possible]
        value = sum(_margin(state, player, outcome) for outcome in outcomes) / len(outcomes)
        advice.append(Advice(move, round(value, 3), _words(state, player, _average(outcomes))))
    return sorted(advice, key=lambda one: -one.value)[:MOST_ADVICE]


def _forced(state: State, player: Player, move: Pass | Replace, reason: str) -> Advice:
    counts = tuple(map(len, rules.replaced(state) if state.phase is Phase.REPLACE else state.toppings))
    return Advice(move, _margin(state, player, counts), reason)


# Cuts -----------------------------------------------------------------------------------------------------------------


def _advise_cut(state: State, player: Player) -> Sequence[Advice]:
    """The numbers by what they bring when the others choose as they probably do."""
    toppings = rules.bits_of(state)
    outcomes = {cuts: _outcome(parts, toppings) for cuts, parts in _possible_slices(state).items()}
    chances = _probable_cuts(state, outcomes)
    advice = []
    for number in state.options.components.numbers:
        with_number = {cuts: outcome for cuts, outcome in outcomes.items() if cuts[player - 1] == number}
        weights = {cuts: _chance_of_others(cuts, chances, player) for cuts in with_number}
        value = sum(weights[cuts] * _margin(state, player, outcome) for cuts, outcome in with_number.items())
        average = tuple(
            sum(weights[cuts] * outcome[colour] for cuts, outcome in with_number.items()) for colour in range(COLOURS)
        )
        advice.append(Advice(Cut(player, number), round(value, 3), _words(state, player, average)))
    return sorted(advice, key=lambda one: -one.value)


def _probable_cuts(state: State, outcomes: dict[Cuts, Outcome]) -> list[dict[int, float]]:
    """How readily each colour chooses each number: everybody begins with any, then thinks again and again about what
    the others choose; all those thoughts are averaged."""
    possible = _possible_cuts(state)
    margins = {
        cuts: tuple(_margin(state, player, outcome) for player in range(1, state.players + 1))
        for cuts, outcome in outcomes.items()
    }
    chances = [dict.fromkeys(numbers, 1 / len(numbers)) for numbers in possible]
    for step in range(1, _STEPS + 1):
        expected = [dict.fromkeys(numbers, 0.0) for numbers in possible]
        for cuts, margin in margins.items():
            for player in range(1, state.players + 1):
                weight = _chance_of_others(cuts, chances, player)
                expected[player - 1][cuts[player - 1]] += weight * margin[player - 1]
        for index in range(state.players):
            answer = _readiness(expected[index])
            for number, chance in answer.items():
                chances[index][number] += (chance - chances[index][number]) / (step + 1)
    return chances


def _readiness(values: dict[int, float]) -> dict[int, float]:
    best = max(values.values())
    weights = {number: exp(_SHARPNESS * (value - best)) for number, value in values.items()}
    total = sum(weights.values())
    return {number: weight / total for number, weight in weights.items()}


def _chance_of_others(cuts: Cuts, chances: list[dict[int, float]], player: Player) -> float:
    chance = 1.0
    for index, number in enumerate(cuts):
        if index != player - 1:
            chance *= chances[index][number]
    return chance


# The parts that several use -------------------------------------------------------------------------------------------


def _possible_cuts(state: State) -> list[Sequence[int]]:
    """Each colour's cuts that are possible for all that everybody knows: only the unselected colour's may be known."""
    numbers = state.options.components.numbers
    rolled = state.cuts[UNSELECTED - 1] if state.players == 2 else None
    return [numbers, numbers, numbers if rolled is None else (rolled,)]


def _possible_slices(state: State) -> dict[Cuts, tuple[int, ...]]:
    """The slices that the possible cuts of all colours make."""
    places = [rules.place_of(state, number) for number in range(1, COLOURS + 1)]
    possible = {}
    for cuts in product(*_possible_cuts(state)):
        by_place = dict(zip(places, cuts, strict=True))
        possible[cuts] = state.options.components.slices[by_place[0], by_place[1], by_place[2]]
    return possible


def _after_topping(state: State, number: int, space: str) -> Toppings:
    bit = state.options.components.bits[space]
    return tuple(one | bit if index == number else one for index, one in enumerate(rules.bits_of(state), start=1))


def _outcome(parts: Sequence[int], toppings: Toppings) -> Outcome:
    return tuple([one.bit_count() for one in slices.replace_toppings(parts, toppings)])


def _margin(state: State, player: Player, counts: Outcome) -> float:
    """The player's toppings over the best other colour's, and the game where it is over."""
    own = counts[player - 1]
    others = max(count for index, count in enumerate(counts, start=1) if index != player)
    each = state.options.components.each
    if others >= each and others >= own:
        return own - others - _GAME
    return own - others + (_GAME if own >= each else 0.0)


def _average(outcomes: Sequence[Outcome]) -> Outcome:
    return tuple(sum(counts) / len(outcomes) for counts in zip(*outcomes, strict=True))


def _words(state: State, player: Player, counts: Outcome) -> str:
    others = [(count, index) for index, count in enumerate(counts, start=1) if index != player]
    best, colour_number = max(others)
    name = rules.colour(state, colour_number)
    return f"After the cuts probably {counts[player - 1]:.1f} toppings, {name} {best:.1f}."
