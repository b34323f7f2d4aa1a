"""What a sensible player of New York Slice would do, and why: a valuation, not a search.

A player's chance to win a type grows with the lead over each other player, and is the more open the more slices of the
type are still to come. From that follow the worth of a run of neighbouring slices to each player, what everybody would
choose from a division (the best for themselves, in order), and so the worth of every division.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import sqrt

from controller.game import Advice, Player
from controller.games import cut_and_choose
from controller.games.cut_and_choose import Outlook, Portion, Ring, Worths, choose_in_order, lead
from controller.games.new_york_slice import rules, showing
from controller.games.new_york_slice.components import ANCHOVY, SUPREME, VALUES
from controller.games.new_york_slice.rules import (
    ChooseStack,
    Decide,
    Dibs,
    Divide,
    EatSeconds,
    Phase,
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
                ahead = divisions[0].value - _expected(state, player)
                calls = [replace(call, value=call.value + ahead) for call in calls[: MOST_ADVICE // 2]]
            return sorted([*calls, *divisions], key=lambda one: -one.value)[:MOST_ADVICE]
        case Phase.CHOOSE:
            return _advise_choice(state, player)[:MOST_ADVICE]
        case Phase.DECIDE:
            return _advise_decision(state, player)[:MOST_ADVICE]
        case Phase.SECONDS:
            return _advise_seconds(state, player)[:MOST_ADVICE]
        case _:
            return ()


def _outlook(state: State) -> Outlook:
    coming = len(state.stacks) * rules.SLICES_IN_A_PIZZA / max(1, len(state.unseen))
    by_face = state.options.components.by_face
    left = dict.fromkeys(VALUES, 0.0)
    for face in rules.in_order(state, state.unseen):
        for value in by_face[face].values:
            left[value] += coming / len(by_face[face].values)
    openness = {value: _SETTLED + _OPEN * sqrt(left[value] / state.players) for value in VALUES}
    players = range(1, state.players + 1)
    edges = {
        player: dict.fromkeys(players, 0.25 if rules.owned(state, player, rules.TIEBREAKER) is not None else -0.25)
        for player in players
    }
    return Outlook(rules.type_counts(state), openness, edges)


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


def _worth(outlook: Outlook, state: State, player: Player, slices: Sequence[str]) -> float:
    """What a run of slices brings a player who eats and collects the best of each type."""
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
        total += _type_worth(outlook, state, player, value, faces)
    if SUPREME in slices:
        mine = {value for value in VALUES if outlook.counts[value][player]} | set(types)
        total += max([2.0, *(outlook.gain(player, value, 2) for value in mine)])
    return total


def _type_worth(outlook: Outlook, state: State, player: Player, value: int, faces: list[str]) -> float:
    """The best split of some slices of one type: those that lose most by being collected are eaten."""
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


def _portion_worths(state: State, portions: Sequence[Portion]) -> Worths:
    outlook = _outlook(state)
    special = state.special
    assert special is not None
    return {
        player: [
            _worth(outlook, state, player, one.slices)
            + (_special_worth(state, player, special) if one.special else 0.0)
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
        gained = choose_in_order(worths, after, [other for other in left if other != index])
        gained[player] += worths[player][index]
        leads.append((lead(gained, player), index))
    return sorted(leads, key=lambda one: (-one[0], one[1]))


def _advise_choice(state: State, player: Player) -> list[Advice]:
    now = _expected(state, player)
    leads = _take_leads(state, player, state.portions)
    takes = [Advice(Take(player, index), now + ahead, _why_take(state, index)) for ahead, index in leads]
    best = leads[0][0]
    patience = 0.5 * (state.rounds - state.round)
    if player != state.order[0] and state.shifter is None:
        waiting = lead(choose_in_order(_portion_worths(state, state.portions), state.order, _open(state)), player)
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
            ahead, index = _take_leads(shifted, player, shifted.portions)[0]
            words = state.options.components.words(move.face)
            yield Advice(move, now + ahead, f"Shift {words}, then: {_why_take(shifted, index)}")


def _why_take(state: State, index: int) -> str:
    portion = state.portions[index]
    what = " ".join(portion.slices)
    if portion.special and state.special is not None:
        what = f"{what} + {state.options.components.words(state.special)}" if what else "the Special"
    return f"Best of what is left after the others: {what}."


# Dividing -------------------------------------------------------------------------------------------------------------


def _advise_divide(state: State) -> list[Advice]:
    """Every division, by what the Slicer is expected to be left with beyond what the others choose."""
    outlook = _outlook(state)
    special = state.special
    assert special is not None
    bonus = {player: _special_worth(state, player, special) for player in range(1, state.players + 1)}
    order = cut_and_choose.choosing_order(state.slicer, state.players)
    now = _expected(state, state.slicer)
    rated = cut_and_choose.rated_divisions(
        state.ring, order, lambda player, slices: _worth(outlook, state, player, slices), bonus, MOST_ADVICE
    )
    return [
        Advice(_divide(portions, special_in), now + ahead, f"Expected to leave you {ahead:+.1f} on the others.")
        for ahead, portions, special_in in rated
    ]


def _divide(portions: tuple[Ring, ...], special_in: int | None) -> Divide:
    assert special_in is not None
    return Divide(portions, special_in)


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
