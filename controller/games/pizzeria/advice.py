"""What a sensible player of Pizzeria would do, and why: a valuation, not a search, as in New York Slice.

A player's chance to score a kind grows with the lead over each other player (`cut_and_choose.Outlook`); a tie scores
too. From that follow the worth of a run of neighbouring slices to each player, what everybody would choose from a
division, and so the worth of every division.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import sqrt

from controller.game import Advice, Player
from controller.games import cut_and_choose
from controller.games.cut_and_choose import SLICES_IN_A_PIZZA, Outlook, Portion, Ring, Worths, choose_in_order, lead
from controller.games.pizzeria import rules, solo
from controller.games.pizzeria.components import TOMATO, VALUES
from controller.games.pizzeria.rules import (
    ChoosePile,
    Decide,
    Divide,
    EatKind,
    MoveSlice,
    Phase,
    State,
    Take,
    TakeSlice,
)

MOST_ADVICE = 12
_SETTLED = 0.06
"""How open a kind is (in slices) when no more of it will come: just enough to stay smooth."""
_OPEN = 0.6
"""How much each slice still to come opens a kind up (times the root of their number for each player)."""
_TIE = 0.25
"""What a tie counts in slices: for who scores it, and against who loses it to offer I."""
_EATEN = 0.02
"""What an eaten slice is worth besides its leaves: eaten slices decide a tie at the end."""


def advise(state: State, player: Player) -> Sequence[Advice]:
    """Moves of this player, best first, at most a dozen. None where the player does best to let others act (offers D
    and F) or has nothing to do."""
    if player not in solo.turn(state).players:
        return ()
    advice = sorted(_advice(state, player), key=lambda one: -one.value)[:MOST_ADVICE]
    # All parts rate a move by the lead over the average of the others; what is told is the margin over the best.
    behind = _behind_the_best(state, player)
    return tuple(replace(one, value=one.value + behind) for one in advice)


def _advice(state: State, player: Player) -> list[Advice]:
    match state.phase:
        case Phase.PILE:
            return [Advice(ChoosePile(state.stacks[0]), _expected(state, player), "All piles look alike.")]
        case Phase.DIVIDE:
            calls = _advise_take_slice(state) if rules.slice_taker(state) == player else []
            divisions = _advise_divide(state) if player == state.slicer else []
            if calls and divisions:
                # The slicer's own offer comes first and the division after it: both leads are to be expected.
                ahead = divisions[0].value - _expected(state, player)
                calls = [replace(call, value=call.value + ahead) for call in calls[: MOST_ADVICE // 2]]
            return [*calls, *divisions]
        case Phase.CHOOSE:
            return _advise_choice(state, player)
        case Phase.DECIDE:
            return _advise_decision(state, player)
        case _:
            return _advise_eat_kind(state, player)


def _left(state: State) -> dict[int, float]:
    """How many slices of each kind are expected to come, a mixed one as half."""
    coming = len(state.stacks) * SLICES_IN_A_PIZZA / max(1, len(state.unseen))
    by_face = state.options.components.by_face
    left = dict.fromkeys(VALUES, 0.0)
    for face in state.unseen:
        for value in by_face[face].values:
            left[value] += coming / len(by_face[face].values)
    return left


def _outlook(state: State) -> Outlook:
    left = _left(state)
    players = range(1, state.players + 1)
    openness = {value: _SETTLED + _OPEN * sqrt(left[value] / state.players) for value in VALUES}
    wins_ties = {player for player in players if rules.owned(state, player, rules.OFFER_I) is not None}
    edges = {
        player: {other: -_TIE if other in wins_ties and player not in wins_ties else _TIE for other in players}
        for player in players
    }
    counts = {value: counts for value, counts in rules.type_counts(state).items() if value != TOMATO}
    return Outlook(counts, openness, edges)


def _points(state: State) -> list[float]:
    """What each player may expect, as the table stands."""
    outlook = _outlook(state)
    return [
        sum(value * outlook.chance(value, player) for value in outlook.counts) + _sure_points(state, player)
        for player in range(1, state.players + 1)
    ]


def _expected(state: State, player: Player) -> float:
    """The player's expected lead over the average of the others, in points, as the table stands."""
    points = _points(state)
    own = points.pop(player - 1)
    return own - sum(points) / len(points)


def _behind_the_best(state: State, player: Player) -> float:
    """How much less than the lead over the average of the others the lead over the best of them is."""
    others = _points(state)
    del others[player - 1]
    return sum(others) / len(others) - max(others)


def _sure_points(state: State, player: Player) -> float:
    """Basil, tomatoes and special offers so far; a little for slices eaten, and for those to come under offer C."""
    holding = state.holdings[player - 1]
    tomatoes = sum(TOMATO for face in holding.collected if state.options.components.by_face[face].values == (TOMATO,))
    specials = float(sum(rules.special_points(state, player).values()))
    favourite = rules.owned(state, player, rules.OFFER_C)
    if favourite is not None and favourite.kind is not None:
        specials += 0.7 * _left(state)[favourite.kind] / state.players
    return rules.basil_leaves(state, player) + tomatoes + specials + _EATEN * rules.number_eaten(state, player)


# What slices and special offers are worth to a player -----------------------------------------------------------------


def _worth(outlook: Outlook, state: State, player: Player, slices: Ring) -> float:
    """What a run of slices brings a player who eats and saves the best of each kind."""
    by_face = state.options.components.by_face
    kinds: dict[int, list[int]] = {}
    total = 0.0
    for face in slices:
        facts = by_face[face]
        if len(facts.values) == 1:
            kinds.setdefault(facts.values[0], []).append(facts.basil)
        else:
            total += sum(outlook.gain(player, value, 1) for value in facts.values if value != TOMATO)
    for value, leaves in kinds.items():
        total += TOMATO * len(leaves) if value == TOMATO else _kind_worth(outlook, state, player, value, leaves)
    return total


def _kind_worth(outlook: Outlook, state: State, player: Player, value: int, leaves: list[int]) -> float:
    """The best split of some slices of one kind: those with most leaves are eaten first."""
    favourite = rules.owned(state, player, rules.OFFER_C)
    saved_bonus = 1.0 if favourite is not None and favourite.kind == value else 0.0
    best = outlook.gain(player, value, 2 * len(leaves)) + saved_bonus * len(leaves)
    running = 0.0
    for eaten, basil in enumerate(sorted((one for one in leaves if one), reverse=True), start=1):
        running += basil + _EATEN
        kept = len(leaves) - eaten
        best = max(best, running + outlook.gain(player, value, 2 * kept) + saved_bonus * kept)
    return best


def _special_worth(state: State, player: Player, special: str) -> float:
    """A rough worth of the special offer of this round to a player who takes it now."""
    to_come = state.rounds - state.round
    later = 1.0 if to_come else 0.0
    by_face = state.options.components.by_face
    holding = state.holdings[player - 1]
    saved = [by_face[face] for face in holding.collected]
    eaten = [by_face[face].values[0] for face in holding.eaten]
    match special:
        case rules.OFFER_A:
            return 0.8 * min(2, sum(facts.basil > 0 for facts in saved))
        case rules.OFFER_C:
            kinds = [facts.values[0] for facts in saved]
            return 1.0 + max((kinds.count(kind) for kind in kinds), default=0) + 0.4 * to_come
        case rules.OFFER_H:
            kinds_saved = len({value for facts in saved for value in facts.values})
            return kinds_saved + (10 - kinds_saved) * min(0.8, 0.2 + 0.15 * to_come)
        case rules.OFFER_K:
            return len(set(eaten)) + 0.5 * to_come
        case rules.OFFER_L:
            return max((eaten.count(kind) for kind in eaten), default=0) + 0.5 * to_come
        case rules.OFFER_E:
            return 1.0 if state.players == 2 else later
        case _:
            return {rules.OFFER_D: 3.0, rules.OFFER_F: 1.5}.get(special, 0.0) * later + {
                rules.OFFER_B: 1.8,
                rules.OFFER_G: 5.0,
                rules.OFFER_I: 2.5,
                rules.OFFER_J: 2.0,
            }.get(special, 0.0)


# Choosing -------------------------------------------------------------------------------------------------------------


def _portion_worths(state: State, portions: Sequence[Portion]) -> Worths:
    outlook = _outlook(state)
    special = state.special
    return {
        player: [
            _worth(outlook, state, player, one.slices)
            + (_special_worth(state, player, special) if one.special and special is not None else 0.0)
            for one in portions
        ]
        for player in range(1, state.players + 1)
    }


def _open(portions: Sequence[Portion]) -> list[int]:
    return [index for index, one in enumerate(portions) if one.taken_by is None]


def _take_leads(state: State, player: Player, portions: Sequence[Portion]) -> list[tuple[float, int]]:
    """The lead that each open portion is expected to bring, best first, when the others choose after."""
    worths = _portion_worths(state, portions)
    left = _open(portions)
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
        in_turn = choose_in_order(_portion_worths(state, state.portions), state.order, _open(state.portions))
        if best < lead(in_turn, player) + 1.0 + patience:
            return []
    if rules.may_move_slice(state, player):
        shifts = list(_shifts(state, player, now))
        if shifts and max(one.value for one in shifts) > now + best + 0.5 + patience:
            takes = shifts + takes
    return takes


def _shifts(state: State, player: Player, now: float) -> Iterator[Advice]:
    for move in rules.legal(state):
        if isinstance(move, MoveSlice) and move.player == player:
            shifted = rules.apply(state, move)
            ahead, index = _take_leads(shifted, player, shifted.portions)[0]
            words = state.options.components.words(move.face)
            yield Advice(move, now + ahead, f"Move {words}, then: {_why_take(shifted, index)}")


def _why_take(state: State, index: int) -> str:
    portion = state.portions[index]
    what = " ".join(portion.slices)
    if portion.special and state.special is not None:
        offer = state.options.components.words(state.special)
        what = f"{what} + {offer}" if what else offer
    return f"Best of what is left after the others: {what}."


# Slicing --------------------------------------------------------------------------------------------------------------


def _advise_divide(state: State) -> list[Advice]:
    """Every division, by what the slicer is expected to be left with beyond what the others choose."""
    outlook = _outlook(state)
    special = state.special
    bonus = None
    if special is not None:
        bonus = {player: _special_worth(state, player, special) for player in range(1, state.players + 1)}
    order = cut_and_choose.choosing_order(state.slicer, state.players)
    now = _expected(state, state.slicer)
    rated = cut_and_choose.rated_divisions(
        state.ring, order, lambda player, slices: _worth(outlook, state, player, slices), bonus, MOST_ADVICE
    )
    return [
        Advice(
            Divide(state.slicer, portions, special_in),
            now + ahead,
            f"Expected to leave you {ahead:+.1f} on the others.",
        )
        for ahead, portions, special_in in rated
    ]


def _advise_take_slice(state: State) -> list[Advice]:
    """Slices worth offer D now, best first; none while waiting for a better pizza is worth more."""
    caller = rules.slice_taker(state)
    assert caller is not None
    now = _expected(state, caller)
    enough = 1.0 + 0.6 * (state.rounds - state.round)
    advice = []
    for move in rules.legal(state):
        if not isinstance(move, TakeSlice):
            break
        value = _expected(rules.apply(state, move), caller)
        if value - now > enough:
            words = state.options.components.words(move.face)
            advice.append(Advice(move, value, f"{'Eat' if move.eat else 'Save'} {words} now."))
    return sorted(advice, key=lambda one: -one.value)


# Eating and saving ----------------------------------------------------------------------------------------------------


def _advise_decision(state: State, player: Player) -> list[Advice]:
    """From saving all, one change at a time while it helps; every decision looked at on the way is rated."""
    edible = [face for face in state.taken if rules.may_eat(state, face)]
    earlier = rules.saved_that_may_be_eaten(state, player)
    rated: dict[Decide, float] = {}

    def best_with(eaten: frozenset[str]) -> Decide:
        move = Decide(player, eaten)
        variants = [move, *(replace(move, kind=kind) for kind in rules.kinds_to_put_on(state, move))]
        for one in variants:
            if one not in rated:
                rated[one] = _expected(rules.apply(state, one), player)
        return max(variants, key=rated.__getitem__)

    current = best_with(frozenset())
    improving = True
    while improving:
        changed = [current.eaten ^ {face} for face in (*edible, *earlier)]
        # Eating all of a kind at once may help where eating one of it does not.
        changed += [current.eaten | group for group in _by_kind(state, edible)]
        allowed = [eaten for eaten in changed if rules.refusal(state, Decide(player, eaten)) is None]
        best = max([current, *(best_with(eaten) for eaten in allowed)], key=rated.__getitem__)
        improving = rated[best] > rated[current] + 1e-9
        current = best
    return [Advice(move, value, _why_decide(state, move)) for move, value in rated.items()]


def _by_kind(state: State, faces: Sequence[str]) -> Iterator[frozenset[str]]:
    by_face = state.options.components.by_face
    values = {by_face[face].values for face in faces}
    return (frozenset(face for face in faces if by_face[face].values == value) for value in sorted(values))


def _why_decide(state: State, move: Decide) -> str:
    leaves = sum(state.options.components.by_face[face].basil for face in move.eaten)
    put = f", offer C on the {move.kind}s" if move.kind is not None else ""
    return f"Eat {len(move.eaten)} for {leaves} leaves, save the rest{put}." if move.eaten else f"Save all{put}."


def _advise_eat_kind(state: State, player: Player) -> list[Advice]:
    advice = [Advice(EatKind(player, None), _expected(state, player), "Eat nothing.")]
    for kind in rules.kinds_to_eat(state, player):
        move = EatKind(player, kind)
        advice.append(Advice(move, _expected(rules.apply(state, move), player), f"Eat all the {kind}s."))
    return advice
