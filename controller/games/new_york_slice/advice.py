"""What a sensible player of New York Slice would do, and why: how slices and Specials are valued; the rest of it is in
`cut_and_choose_advice`."""

from collections.abc import Sequence
from dataclasses import replace

from controller.game import Advice, Player
from controller.games import cut_and_choose_advice as family
from controller.games.cut_and_choose import Outlook
from controller.games.cut_and_choose_advice import MOST_ADVICE, Judgement
from controller.games.new_york_slice import rules, showing
from controller.games.new_york_slice.components import ANCHOVY, SUPREME, VALUES
from controller.games.new_york_slice.rules import ChooseStack, Decide, Divide, EatSeconds, Phase, Sneak, State


def advise(state: State, player: Player) -> Sequence[Advice]:
    """Moves of this player, best first, at most a dozen. None where the player does best to let others act (Dibs!,
    Cut in Line) or has nothing to do."""
    if player not in rules.turn(state).players:
        return ()
    advice = _advice(showing.as_known_to(state, player), player)
    return sorted(advice, key=lambda one: -one.value)[:MOST_ADVICE]


def _advice(state: State, player: Player) -> list[Advice]:
    match state.phase:
        case Phase.STACK:
            return [Advice(ChooseStack(state.stacks[0]), 0.0, "All stacks look alike.")]
        case Phase.DIVIDE:
            calls = _advise_dibs(state) if rules.dibs_caller(state) == player else []
            divisions = _advise_divide(state) if player == state.slicer else []
            return family.before_dividing(calls, divisions, _JUDGEMENT.expected(state, player))
        case Phase.CHOOSE:
            return _advise_choice(state, player)
        case Phase.DECIDE:
            return _advise_decision(state, player)
        case Phase.SECONDS:
            return _advise_seconds(state, player)
        case _:
            return []


def _outlook(state: State) -> Outlook:
    players = range(1, state.players + 1)
    edges = {
        player: dict.fromkeys(players, 0.25 if rules.owned(state, player, rules.TIEBREAKER) is not None else -0.25)
        for player in players
    }
    return Outlook(rules.type_counts(state), family.openness(state, VALUES), edges)


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


def _advise_choice(state: State, player: Player) -> list[Advice]:
    sneaks = []
    if rules.may_sneak(state, player):
        sneaks = [move for move in rules.legal(state) if isinstance(move, Sneak) and move.player == player]
    return family.choices(_JUDGEMENT, state, player, sneaks, rules.apply, "Shift")


# Dividing -------------------------------------------------------------------------------------------------------------


def _advise_divide(state: State) -> list[Advice]:
    advice = []
    for value, portions, special_in, why in family.divisions(_JUDGEMENT, state):
        assert special_in is not None
        advice.append(Advice(Divide(portions, special_in), value, why))
    return advice


def _advise_dibs(state: State) -> list[Advice]:
    caller = rules.dibs_caller(state)
    assert caller is not None
    return family.slices_taken(_JUDGEMENT, state, caller, rules.legal_dibs(state), rules.apply, "Collect")


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
                rated[move] = _JUDGEMENT.expected(rules.apply(state, move), player)
        return max(variants, key=rated.__getitem__)

    def near(move: Decide) -> list[Decide]:
        changes = family.changes(state, move.eaten, edible)
        return [best_with(eaten, move.mystery_eaten) for eaten in changes]

    for mystery_eaten in _mystery_choices(state, player):
        family.climb(best_with(frozenset(), mystery_eaten), near, rated)
    return [Advice(move, value, _why_decide(move)) for move, value in rated.items()]


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
    advice = [Advice(EatSeconds(player, frozenset()), _JUDGEMENT.expected(state, player), "Eat nothing.")]
    for kind, faces in rules.seconds_choices(state, player).items():
        ranked = sorted(faces, key=lambda face: anchovy * by_face[face].anchovies - by_face[face].pepperoni)
        for number in range(1, len(ranked) + 1):
            move = EatSeconds(player, frozenset(ranked[:number]))
            value = _JUDGEMENT.expected(rules.apply(state, move), player)
            advice.append(Advice(move, value, f"Eat {number} of the {kind}s."))
    return advice


_JUDGEMENT: Judgement[State] = Judgement(_outlook, _sure_points, _worth, _special_worth)
