"""What a sensible player of Pizzeria would do, and why: how slices and special offers are valued; the rest of it is in
`cut_and_choose_advice`. A tie scores too."""

from collections.abc import Sequence
from dataclasses import replace

from controller.game import Advice, Player
from controller.games import cut_and_choose_advice as family
from controller.games.cut_and_choose import Outlook, Ring
from controller.games.cut_and_choose_advice import MOST_ADVICE, Judgement
from controller.games.cut_and_choose_rules import in_words
from controller.games.pizzeria import rules, solo
from controller.games.pizzeria.components import TOMATO, VALUES
from controller.games.pizzeria.rules import ChoosePile, Decide, Divide, EatKind, EatSaved, MoveSlice, Phase, State

_TIE = 0.25
"""What a tie counts in slices: for who scores it, and against who loses it to offer I."""
_EATEN = 0.02
"""What an eaten slice is worth besides its leaves: eaten slices decide a tie at the end."""


def advise(state: State, player: Player) -> Sequence[Advice]:
    """Moves of this player, best first, at most a dozen. None where the player does best to let others act (offers A,
    D and F) or has nothing to do."""
    if player not in solo.turn(state).players:
        return ()
    advice = sorted(_advice(state, player), key=lambda one: -one.value)[:MOST_ADVICE]
    # All parts rate a move by the lead over the average of the others; what is told is the margin over the best.
    behind = _behind_the_best(state, player)
    return tuple(replace(one, value=one.value + behind) for one in advice)


def _advice(state: State, player: Player) -> list[Advice]:
    match state.phase:
        case Phase.PILE:
            return [Advice(ChoosePile(state.stacks[0]), _JUDGEMENT.expected(state, player), "All piles look alike.")]
        case Phase.DIVIDE:
            calls = _advise_take_slice(state) if rules.slice_taker(state) == player else []
            divisions = _advise_divide(state) if player == state.slicer else []
            return family.before_dividing(calls, divisions, _JUDGEMENT.expected(state, player))
        case Phase.CHOOSE:
            return _advise_choice(state, player)
        case Phase.DECIDE:
            return _advise_decision(state, player)
        case _:
            return _advise_eat_kind(state, player)


def _outlook(state: State) -> Outlook:
    players = range(1, state.players + 1)
    wins_ties = {player for player in players if rules.owned(state, player, rules.OFFER_I) is not None}
    edges = {
        player: {other: -_TIE if other in wins_ties and player not in wins_ties else _TIE for other in players}
        for player in players
    }
    counts = {value: counts for value, counts in rules.type_counts(state).items() if value != TOMATO}
    return Outlook(counts, family.openness(state, VALUES), edges)


def _behind_the_best(state: State, player: Player) -> float:
    """How much less than the lead over the average of the others the lead over the best of them is."""
    others = _JUDGEMENT.points(state)
    del others[player - 1]
    return sum(others) / len(others) - max(others)


def _sure_points(state: State, player: Player) -> float:
    """Basil, tomatoes and special offers so far; a little for slices eaten, and for those to come under offer C."""
    holding = state.holdings[player - 1]
    tomatoes = sum(TOMATO for face in holding.collected if state.options.components.by_face[face].values == (TOMATO,))
    specials = float(sum(rules.special_points(state, player).values()))
    favourite = rules.owned(state, player, rules.OFFER_C)
    if favourite is not None and favourite.kind is not None:
        specials += 0.7 * family.slices_to_come(state, VALUES)[favourite.kind] / state.players
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


def _advise_choice(state: State, player: Player) -> list[Advice]:
    if player not in rules.choosers(state):
        return _advise_saved_eaten(state, player)
    shifts = []
    if rules.may_move_slice(state, player):
        shifts = [move for move in rules.legal(state) if isinstance(move, MoveSlice) and move.player == player]
    return family.choices(_JUDGEMENT, state, player, shifts, rules.apply, "Move")


# Slicing --------------------------------------------------------------------------------------------------------------


def _advise_divide(state: State) -> list[Advice]:
    return [
        Advice(Divide(state.slicer, portions, special_in), value, why)
        for value, portions, special_in, why in family.divisions(_JUDGEMENT, state)
    ]


def _advise_take_slice(state: State) -> list[Advice]:
    caller = rules.slice_taker(state)
    assert caller is not None
    return family.slices_taken(_JUDGEMENT, state, caller, rules.legal_slices_taken(state), rules.apply, "Save")


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
                rated[one] = _JUDGEMENT.expected(rules.apply(state, one), player)
        return max(variants, key=rated.__getitem__)

    def near(move: Decide) -> list[Decide]:
        changes = family.changes(state, move.eaten, edible) + [move.eaten ^ {face} for face in earlier]
        return [best_with(eaten) for eaten in changes if rules.refusal(state, Decide(player, eaten)) is None]

    family.climb(best_with(frozenset()), near, rated)
    return [Advice(move, value, _why_decide(state, move)) for move, value in rated.items()]


def _why_decide(state: State, move: Decide) -> str:
    leaves = sum(state.options.components.by_face[face].basil for face in move.eaten)
    put = f", offer C on the {move.kind}s" if move.kind is not None else ""
    return f"Eat {len(move.eaten)} for {leaves} leaves, save the rest{put}." if move.eaten else f"Save all{put}."


def _advise_saved_eaten(state: State, player: Player) -> list[Advice]:
    """Saved slices worth eating with offer A now: nothing is lost by waiting but the offer, at the end of the round."""
    now = _JUDGEMENT.expected(state, player)
    moves = (move for move in rules.legal(state) if isinstance(move, EatSaved))
    rated = [(move, _JUDGEMENT.expected(rules.apply(state, move), player)) for move in moves]
    return [
        Advice(move, value, f"Eat {in_words(state, *rules.in_order(state, move.eaten))}.")
        for move, value in rated
        if value > now
    ]


def _advise_eat_kind(state: State, player: Player) -> list[Advice]:
    advice = [Advice(EatKind(player, None), _JUDGEMENT.expected(state, player), "Eat nothing.")]
    for kind in rules.kinds_to_eat(state, player):
        move = EatKind(player, kind)
        advice.append(Advice(move, _JUDGEMENT.expected(rules.apply(state, move), player), f"Eat all the {kind}s."))
    return advice


_JUDGEMENT: Judgement[State] = Judgement(_outlook, _sure_points, _worth, _special_worth)
