"""What a sensible player of New York Slice would do, and why: a valuation, not a search.

A player's chance to win a type grows with the lead over each other player, and is the more open the more slices of the
type are still to come. From that follow the worth of a run of neighbouring slices to each player, what everybody would
choose from a division (the best for themselves, in order), and so the worth of every division.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import exp, sqrt

from controller.game import Advice, Player
from controller.games import cut_and_choose
from controller.games.new_york_slice import rules, showing
from controller.games.new_york_slice.components import ANCHOVY, SUPREME, VALUES
from controller.games.new_york_slice.rules import (
    ChooseStack,
    Decide,
    Dibs,
    Divide,
    EatSeconds,
    Phase,
    Portion,
    Sneak,
    State,
    Take,
)

MOST_ADVICE = 12
_SETTLED = 0.06
"""How open a type is (in slices) when no more of it will come: just enough to stay smooth."""
_OPEN = 0.6
"""How much each slice still to come opens a type up (times the root of their number for each player)."""


def advise(state: State, player: Player) -> Sequence[Advice]:
    """Moves of this player, best first, at most a dozen. None where the player does best to let others act (Dibs!,
    Cut in Line) or has nothing to do."""
    if player not in rules.turn(state).players:
        return ()
    state = showing.as_known_to(state, player)
    match state.phase:
        case Phase.STACK:
            return (Advice(ChooseStack(state.stacks[0]), 0.0, "All stacks look alike."),)
        case Phase.DIVIDE:
            calls = _advise_dibs(state) if rules.dibs_caller(state) == player else []
            divisions = _advise_divide(state) if player == state.slicer else []
            if calls and divisions:
                # The Slicer's own call comes first and the division after it: both leads are to be expected.
                lead = divisions[0].value - _expected(state, player)
                calls = [replace(call, value=call.value + lead) for call in calls[: MOST_ADVICE // 2]]
            return sorted([*calls, *divisions], key=lambda one: -one.value)[:MOST_ADVICE]
        case Phase.CHOOSE:
            return _advise_choice(state, player)[:MOST_ADVICE]
        case Phase.DECIDE:
            return _advise_decision(state, player)[:MOST_ADVICE]
        case Phase.SECONDS:
            return _advise_seconds(state, player)[:MOST_ADVICE]
        case _:
            return ()


@dataclass(slots=True)
class _Outlook:
    """What each player may expect of each type, as the table stands."""

    state: State
    counts: dict[int, dict[Player, int]]
    openness: dict[int, float]
    gains: dict[tuple[Player, int, int], float] = field(default_factory=dict)
    """Worth of more half slices by (player, value, halves), as far as asked."""

    def chance(self, value: int, player: Player, more: int = 0, rival_more: int = 0, rival: Player = 0) -> float:
        """The chance that the player scores the type, holding some half slices more."""
        counts = self.counts[value]
        have = counts[player] + more + (rival_more if rival == player else 0)
        openness = self.openness[value]
        edge = 0.25 if rules.owned(self.state, player, rules.TIEBREAKER) is not None else -0.25
        chance = 1.0 if have else min(1.0, openness)
        for other, halves in counts.items():
            if other != player:
                theirs = halves + (rival_more if other == rival else 0)
                chance *= 1 / (1 + exp(min(60.0, -((have - theirs) / 2 + edge) / openness)))
        return chance

    def gain(self, player: Player, value: int, halves: int) -> float:
        """What so many more half slices of a type bring: own points, and the others' lost, shared among them."""
        key = (player, value, halves)
        if key not in self.gains:
            others = [other for other in self.counts[value] if other != player]
            lost = sum(
                self.chance(value, other) - self.chance(value, other, rival=player, rival_more=halves)
                for other in others
            )
            own = self.chance(value, player, halves) - self.chance(value, player)
            self.gains[key] = value * (own + lost / len(others))
        return self.gains[key]


def _outlook(state: State) -> _Outlook:
    coming = len(state.stacks) * rules.SLICES_IN_A_PIZZA / max(1, len(state.unseen))
    by_face = state.options.components.by_face
    left = dict.fromkeys(VALUES, 0.0)
    for face in rules.in_order(state, state.unseen):
        for value in by_face[face].values:
            left[value] += coming / len(by_face[face].values)
    openness = {value: _SETTLED + _OPEN * sqrt(left[value] / state.players) for value in VALUES}
    return _Outlook(state, rules.type_counts(state), openness)


def _expected(state: State, player: Player) -> float:
    """The player's expected lead over the average of the others, in points, as the table stands."""
    outlook = _outlook(state)
    points = [
        sum(value * outlook.chance(value, one) for value in VALUES) + _sure_points(state, one)
        for one in range(1, state.players + 1)
    ]
    own = points.pop(player - 1)
    return own - sum(points) / len(points)


def _sure_points(state: State, player: Player) -> float:
    """The Special* and Pepperoni lines so far, and a little for slices eaten: they break ties."""
    holding = state.holdings[player - 1]
    by_face = state.options.components.by_face
    unseen = sum(by_face[face].pepperoni for face in holding.unseen_faces)
    specials = sum(rules.special_points(state, player).values())
    return (
        sum(rules.pepperoni_and_anchovies(state, player)) + unseen + specials + 0.02 * rules.number_eaten(state, player)
    )


# What slices and Specials are worth to a player -----------------------------------------------------------------------


def _worth(outlook: _Outlook, player: Player, slices: Sequence[str]) -> float:
    """What a run of slices brings a player who eats and collects the best of each type."""
    state = outlook.state
    by_face = state.options.components.by_face
    types: dict[int, list[str]] = {}
    total = 0.0
    for face in slices:
        values = by_face[face].values
        if len(values) == 1:
            types.setdefault(values[0], []).append(face)
        elif values:
            craving = rules.owned(state, player, rules.COMBO_CRAVING) is not None
            halves = 4 if rules.owned(state, player, rules.SUPERSIZE_COMBOS) is not None else 1
            kept = sum(outlook.gain(player, value, halves) for value in values)
            total += max(kept, 3.0) if craving else kept
        elif face == ANCHOVY:
            total += _anchovy_worth(state, player) * by_face[face].anchovies
    for value, faces in types.items():
        total += _type_worth(outlook, player, value, faces)
    if SUPREME in slices:
        mine = {value for value in VALUES if outlook.counts[value][player]} | set(types)
        total += max([2.0, *(outlook.gain(player, value, 2) for value in mine)])
    return total


def _type_worth(outlook: _Outlook, player: Player, value: int, faces: list[str]) -> float:
    """The best split of some slices of one type: those that lose most by being collected are eaten."""
    state = outlook.state
    by_face = state.options.components.by_face
    anchovy = _anchovy_worth(state, player)
    fasting = any(one.name == rules.EVERYONE_ELSE_DIET for two in state.holdings for one in two.specials)
    fasting = fasting and rules.owned(state, player, rules.EVERYONE_ELSE_DIET) is None
    veggies = value == 3 and rules.owned(state, player, rules.YOU_LOVE_VEGGIES) is not None
    collected_cost = 0.0
    eaten_gain = []
    for face in faces:
        facts = by_face[face]
        collected_cost += anchovy * facts.anchovies
        if facts.pepperoni:
            eaten = facts.pepperoni + 3 * veggies - 0.5 * fasting + 0.02
            eaten_gain.append(eaten - anchovy * facts.anchovies)
    eaten_gain.sort(reverse=True)
    best = outlook.gain(player, value, 2 * len(faces))
    running = 0.0
    for eaten_number, eaten in enumerate(eaten_gain, start=1):
        running += eaten
        best = max(best, running + outlook.gain(player, value, 2 * (len(faces) - eaten_number)))
    return best + collected_cost


def _anchovy_worth(state: State, player: Player) -> int:
    return 1 if rules.owned(state, player, rules.YOU_LIKE_ANCHOVIES) is not None else -1


def _special_worth(state: State, player: Player, special: str) -> float:
    """A rough worth of today's Special to a player who takes it now."""
    to_come = state.rounds - state.round
    holding = state.holdings[player - 1]
    by_face = state.options.components.by_face
    combos = sum(len(by_face[face].values) == 2 for face in holding.collected)
    more_combos = sum(len(by_face[face].values) == 2 for face in (*state.unseen, *state.ring)) / state.players
    later = 1.0 if to_come else 0.0
    match special:
        case rules.BUFFET:
            types = len({value for face in holding.collected for value in by_face[face].values})
            return types + (9 - types) * min(0.8, 0.2 + 0.15 * to_come)
        case rules.COMBO_CRAVING:
            return 2.5 * (combos + more_combos)
        case rules.DAY_OLD_PIZZA:
            return -2.0
        case rules.EVERYONE_ELSE_DIET:
            others = [rules.number_eaten(state, one) for one in range(1, state.players + 1) if one != player]
            return 0.5 * sum(others) / len(others) + 0.4 * to_come
        case rules.STUFFED_CRUST:
            return 5.0
        case rules.SUPERSIZE_COMBOS:
            return 3.0 * combos + 3.0 * more_combos
        case rules.YOU_LIKE_ANCHOVIES:
            return 2.0 * sum(by_face[face].anchovies for face in holding.collected) + 0.7 * to_come
        case rules.YOU_LOVE_VEGGIES:
            veggies = sum(by_face[face].values == (3,) for face in holding.collected)
            return 2.5 * veggies + 0.5 * to_come
        case _:
            return {rules.DIBS: 3.0, rules.CUT_IN_LINE: 1.5, rules.SNEAK_A_SLICE: 1.0}.get(special, 0.0) * later + {
                rules.TIEBREAKER: 3.0,
                rules.SECONDS: 2.5,
                rules.MYSTERY_SLICE: 1.8,
            }.get(special, 0.0)


# Choosing -------------------------------------------------------------------------------------------------------------

_Worths = Mapping[Player, Sequence[float]]
"""What each portion is worth to each player."""


def _choose_in_order(worths: _Worths, order: Sequence[Player], left: list[int]) -> dict[Player, float]:
    """What everybody gains when each in order takes the best of what is left for themselves."""
    gained = dict.fromkeys(worths, 0.0)
    for player in order:
        mine = worths[player]
        best = max(left, key=mine.__getitem__)
        gained[player] += mine[best]
        left.remove(best)
    return gained


def _lead(gained: dict[Player, float], player: Player) -> float:
    others = sum(gained.values()) - gained[player]
    return gained[player] - others / (len(gained) - 1)


def _portion_worths(state: State, portions: Sequence[Portion]) -> _Worths:
    outlook = _outlook(state)
    special = state.special
    assert special is not None
    return {
        player: [
            _worth(outlook, player, one.slices) + (_special_worth(state, player, special) if one.special else 0.0)
            for one in portions
        ]
        for player in range(1, state.players + 1)
    }


def _take_leads(state: State, player: Player, portions: Sequence[Portion]) -> list[tuple[float, int]]:
    """The lead that each open portion is expected to bring, best first, when the others choose after."""
    worths = _portion_worths(state, portions)
    left = [index for index, one in enumerate(portions) if one.taken_by is None]
    after = list(state.order)
    after.remove(player)
    leads = []
    for index in left:
        gained = _choose_in_order(worths, after, [other for other in left if other != index])
        gained[player] += worths[player][index]
        leads.append((_lead(gained, player), index))
    return sorted(leads, key=lambda one: (-one[0], one[1]))


def _advise_choice(state: State, player: Player) -> list[Advice]:
    now = _expected(state, player)
    leads = _take_leads(state, player, state.portions)
    takes = [Advice(Take(player, index), now + lead, _why_take(state, index)) for lead, index in leads]
    best = leads[0][0]
    patience = 0.5 * (state.rounds - state.round)
    if player != state.order[0] and state.sneaked is None:
        waiting = _lead(_choose_in_order(_portion_worths(state, state.portions), state.order, _open(state)), player)
        if best < waiting + 1.0 + patience:
            return []
    if rules.may_sneak(state, player):
        sneaks = list(_sneaks(state, player, now))
        if sneaks and max(one.value for one in sneaks) > now + best + 0.5 + patience:
            takes = sneaks + takes
    return sorted(takes, key=lambda one: -one.value)


def _open(state: State) -> list[int]:
    return [index for index, one in enumerate(state.portions) if one.taken_by is None]


def _sneaks(state: State, player: Player, now: float) -> Iterator[Advice]:
    for move in rules.legal(state):
        if isinstance(move, Sneak) and move.player == player:
            shifted = rules.apply(state, move)
            lead, index = _take_leads(shifted, player, shifted.portions)[0]
            words = state.options.components.words(move.face)
            yield Advice(move, now + lead, f"Shift {words}, then: {_why_take(shifted, index)}")


def _why_take(state: State, index: int) -> str:
    portion = state.portions[index]
    what = " ".join(portion.slices)
    if portion.special and state.special is not None:
        what = f"{what} + {state.options.components.words(state.special)}" if what else "the Special"
    return f"Best of what is left after the others: {what}."


# Dividing -------------------------------------------------------------------------------------------------------------


def _advise_divide(state: State) -> list[Advice]:
    """Every division, by what the Slicer is expected to be left with beyond what the others choose."""
    slicer, ring, players = state.slicer, state.ring, range(1, state.players + 1)
    size = len(ring)
    outlook = _outlook(state)
    special = state.special
    assert special is not None
    bonus = {player: _special_worth(state, player, special) for player in players}
    runs = {
        player: [
            [0.0, *(_worth(outlook, player, (ring * 2)[begin : begin + length]) for length in range(1, size + 1))]
            for begin in range(size)
        ]
        for player in players
    }
    order = cut_and_choose.choosing_order(slicer, state.players)
    portions = cut_and_choose.portions_for(state.players)
    rated = []
    for cuts in combinations(range(size), portions):
        plain = _cut_worths(runs, cuts, size)
        for special_in in range(portions):
            worths = {}
            for player, mine in plain.items():
                with_special = mine.copy()
                with_special[special_in] += bonus[player]
                worths[player] = with_special
            rated.append((_lead(_choose_in_order(worths, order, list(range(portions))), slicer), cuts, special_in))
    for cuts in combinations(range(size), portions - 1):
        worths = {player: [*mine, bonus[player]] for player, mine in _cut_worths(runs, cuts, size).items()}
        rated.append((_lead(_choose_in_order(worths, order, list(range(portions))), slicer), cuts, portions - 1))
    rated.sort(key=lambda one: (-one[0], one[1], one[2]))
    now = _expected(state, slicer)
    return [
        Advice(_division(state, cuts, special_in), now + lead, f"Expected to leave you {lead:+.1f} on the others.")
        for lead, cuts, special_in in rated[:MOST_ADVICE]
    ]


def _cut_worths(runs: dict[Player, list[list[float]]], cuts: tuple[int, ...], size: int) -> dict[Player, list[float]]:
    lengths = [(after - before) % size or size for before, after in zip(cuts, cuts[1:] + cuts[:1], strict=True)]
    spans = list(zip(cuts, lengths, strict=True))
    return {player: [mine[begin][length] for begin, length in spans] for player, mine in runs.items()}


def _division(state: State, cuts: tuple[int, ...], special_in: int) -> Divide:
    size = len(state.ring)
    twice = state.ring * 2
    ends = (*cuts[1:], cuts[0] + size)
    portions = tuple(twice[begin:end] for begin, end in zip(cuts, ends, strict=True))
    if special_in == len(portions):
        portions = (*portions, ())
    return rules.canonical_divide(state, Divide(portions, special_in))


def _advise_dibs(state: State) -> list[Advice]:
    """Slices worth a Dibs! now; none while waiting for a better pizza is worth more."""
    caller = rules.dibs_caller(state)
    assert caller is not None
    now = _expected(state, caller)
    enough = 1.0 + 0.6 * (state.rounds - state.round)
    advice = []
    for move in rules.legal(state):
        if not isinstance(move, Dibs):
            break
        value = _expected(rules.apply(state, move), caller)
        if value - now > enough:
            words = state.options.components.words(move.face)
            advice.append(Advice(move, value, f"{'Eat' if move.eat else 'Collect'} {words} now."))
    return sorted(advice, key=lambda one: -one.value)


# Eating and collecting ------------------------------------------------------------------------------------------------


def _advise_decision(state: State, player: Player) -> list[Advice]:
    """From collecting all, one change at a time while it helps; every decision looked at on the way is rated."""
    edible = [face for face in state.taken if rules.may_eat(state, player, face)]
    edible += rules.may_eat_collected(state, player)
    rated: dict[Decide, float] = {}

    def best_with(eaten: frozenset[str], mystery_eaten: bool) -> Decide:
        variants = _attached(state, Decide(player, eaten, None, mystery_eaten))
        for move in variants:
            if move not in rated:
                rated[move] = _expected(rules.apply(state, move), player)
        return max(variants, key=rated.__getitem__)

    for mystery_eaten in _mystery_choices(state, player):
        current = best_with(frozenset(), mystery_eaten)
        improving = True
        while improving:
            changes = [best_with(current.eaten ^ {face}, mystery_eaten) for face in edible]
            # Eating all of a type at once may help where eating one of it does not.
            changes += [best_with(current.eaten | group, mystery_eaten) for group in _by_type(state, edible)]
            best = max([current, *changes], key=rated.__getitem__)
            improving = rated[best] > rated[current] + 1e-9
            current = best
    return sorted((Advice(move, value, _why_decide(move)) for move, value in rated.items()), key=lambda one: -one.value)


def _by_type(state: State, faces: Sequence[str]) -> Iterator[frozenset[str]]:
    by_face = state.options.components.by_face
    values = {by_face[face].values for face in faces}
    return (frozenset(face for face in faces if by_face[face].values == value) for value in sorted(values))


def _mystery_choices(state: State, player: Player) -> tuple[bool, ...]:
    return tuple(
        mystery_eaten
        for mystery_eaten in (False, True)
        if rules.refusal(state, _attached(state, Decide(player, frozenset(), None, mystery_eaten))[0]) is None
    )


def _attached(state: State, move: Decide) -> list[Decide]:
    """The move with every possible attachment of the Supreme slice."""
    return [replace(move, attach=attach) for attach in rules.attachments_after(state, move)]


def _why_decide(move: Decide) -> str:
    number = len(move.eaten) + move.mystery_eaten
    attached = f", the Supreme slice as {move.attach}" if move.attach else ""
    return f"Eat {number}, collect the rest{attached}." if number else f"Collect all{attached}."


def _advise_seconds(state: State, player: Player) -> list[Advice]:
    """For each type the slices that bring most eaten, one more at a time."""
    by_face = state.options.components.by_face
    anchovy = _anchovy_worth(state, player)
    advice = [Advice(EatSeconds(player, frozenset()), _expected(state, player), "Eat nothing.")]
    for kind, faces in rules.seconds_choices(state, player).items():
        ranked = sorted(faces, key=lambda face: anchovy * by_face[face].anchovies - by_face[face].pepperoni)
        for number in range(1, len(ranked) + 1):
            move = EatSeconds(player, frozenset(ranked[:number]))
            value = _expected(rules.apply(state, move), player)
            advice.append(Advice(move, value, f"Eat {number} of the {kind}s."))
    return sorted(advice, key=lambda one: -one.value)
