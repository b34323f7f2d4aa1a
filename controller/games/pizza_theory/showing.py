"""Pizza Theory as a display is told: the board, who may add where, the slices that the cuts make and what happens in
each. The only secret is what a player has chosen on the die until everybody has."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from string import ascii_uppercase
from typing import Any

from controller.game import Json, Player, Score
from controller.games.pizza_theory import rules, slices
from controller.games.pizza_theory.components import Place, line_ends, position_on_board
from controller.games.pizza_theory.rules import COLOURS, UNSELECTED, Phase, State
from controller.games.pizza_theory.slices import Judgement


def view(state: State, viewer: Player | None) -> dict[str, Any]:
    """The game as JSON.

    Places on the board are [to the right, away] as seen with "1st" at the bottom of the picture, spaces 1 apart;
    the board lies turned clockwise by `turned_deg` from how it lay in round 1. `slices` are those that the cuts make
    that this viewer knows; what happens in each is told when all cuts are revealed.
    """
    cuts = _known_cuts(state, viewer)
    turn = rules.turn(state)
    revealed = state.phase is Phase.REPLACE
    return {
        "phase": state.phase.value,
        "round": state.round,
        "last_round": state.options.last_round or None,
        "first_player": rules.first_player(state),
        "players_to_act": list(turn.players),
        "prompt": turn.prompt,
        "board": _board(state),
        "turned_deg": 120 * ((state.round - 1) % COLOURS),
        "players": [_colour(state, player, cuts) for player in range(1, state.players + 1)],
        "unselected": _colour(state, UNSELECTED, cuts) if state.players == 2 else None,
        "cutters": [_cutter(state, number, cut) for number, cut in enumerate(cuts, start=1) if cut is not None],
        "slices": _judged_slices(state) if revealed else _open_slices(state, cuts),
        "safety": _safety(state) if revealed else None,
        "after": dict(zip(state.options.colours, map(len, rules.replaced(state)), strict=True)) if revealed else None,
        "score": [_sheet(sheet) for sheet in rules.score(state)],
        "winners": list(rules.winners(state)),
        "all_lose": state.phase is Phase.OVER and not rules.winners(state),
    }


def determinize(state: State, viewer: Player | None, random: Random) -> State:
    """The same state, the cuts that the viewer may not know yet drawn anew."""
    numbers = state.options.components.numbers
    known = _known_cuts(state, viewer)
    cuts = tuple(
        random.choice(numbers) if cut is not None and shown is None else cut
        for cut, shown in zip(state.cuts, known, strict=True)
    )
    return replace(state, cuts=cuts)


def _known_cuts(state: State, viewer: Player | None) -> tuple[int | None, ...]:
    """Each colour's cut, without those that other players still hide under a hand."""
    if state.phase is not Phase.CUT:
        return state.cuts
    return tuple(
        cut if number == viewer or number > state.players else None for number, cut in enumerate(state.cuts, start=1)
    )


def _board(state: State) -> Json:
    pieces = state.options.components
    return {
        "spaces": {space: list(position_on_board(at)) for space, at in pieces.spaces.items()},
        "places": {place.name: _place(state, place) for place in pieces.places},
    }


def _place(state: State, place: Place) -> Json:
    pieces = state.options.components
    return {
        "corner": list(position_on_board(place.corner)),
        "starts": list(place.starts),
        "lines": {str(number): _ends(state, place, number) for number in pieces.numbers},
    }


def _ends(state: State, place: Place, number: int) -> Json:
    return [list(end) for end in line_ends(state.options.components, place, number)]


def _place_of(state: State, number: int) -> Place:
    return state.options.components.places[rules.place_of(state, number)]


def _colour(state: State, number: int, cuts: tuple[int | None, ...]) -> Json:
    """A colour on the table, a player's or the unselected one."""
    each, on_pizza = state.options.components.each, len(state.toppings[number - 1])
    return {
        "player": number if number <= state.players else None,
        "colour": rules.colour(state, number),
        "place": _place_of(state, number).name,
        "toppings": _in_order(state, state.toppings[number - 1]),
        "on_pizza": min(on_pizza, each),
        "supply": max(0, each - on_pizza),
        "would_have": on_pizza,
        "legal_spaces": _legal_spaces(state, number),
        "has_chosen": state.cuts[number - 1] is not None,
        "cut": cuts[number - 1],
    }


def _legal_spaces(state: State, number: int) -> Json:
    """Where this colour could add a topping if it were its turn now."""
    if state.phase is Phase.ADD and number in state.order:
        return list(rules.available(state, number))
    if state.phase is Phase.UNSELECTED and number == UNSELECTED:
        return list(rules.touching(state))
    return []


def _cutter(state: State, number: int, cut: int) -> Json:
    place = _place_of(state, number)
    return {
        "colour": rules.colour(state, number),
        "place": place.name,
        "number": cut,
        "ends": _ends(state, place, cut),
    }


def _open_slices(state: State, cuts: tuple[int | None, ...]) -> Json:
    """The slices that the known cuts make so far."""
    pieces = state.options.components
    made = [(rules.place_of(state, number), cut) for number, cut in enumerate(cuts, start=1) if cut is not None]
    parts = pieces.slices_by(made) if made else ()
    counts = slices.count_toppings(parts, rules.bits_of(state))
    return [_slice(state, index, part, counts[index]) for index, part in enumerate(parts)]


def _slice(state: State, index: int, part: int, counts: Sequence[int]) -> dict[str, Any]:
    return {
        "name": ascii_uppercase[index],
        "spaces": state.options.components.in_order(part),
        "counts": dict(zip(state.options.colours, counts, strict=True)),
        "most": None,
        "result": None,
        "changes": None,
    }


def _judged_slices(state: State) -> Json:
    """The slices of all cuts with what happens in each."""
    toppings = rules.bits_of(state)
    judged = slices.judge(rules.slices_of(state), toppings)
    return [
        _slice(state, index, one.slice, one.counts)
        | {
            "most": [state.options.colours[leader] for leader in one.leaders],
            "result": _describe(state, one),
            "changes": _changes(state, one),
        }
        for index, one in enumerate(judged)
    ]


def _changes(state: State, one: Judgement) -> Json:
    """Each topping that goes, with the colour that comes in its place."""
    pieces, colours = state.options.components, state.options.colours
    comes = colours[one.leaders[0]] if len(one.leaders) == 1 else None
    return [
        {"space": space, "from": colours[loser], "to": comes}
        for loser in one.losers
        for space in _in_order(state, pieces.as_spaces(one.slice) & state.toppings[loser])
    ]


def _describe(state: State, one: Judgement) -> str:
    """What happens in a slice and why, in a player's words."""
    colours = state.options.colours
    inside = [colours[index] for index, count in enumerate(one.counts) if count]
    leaders = [colours[leader] for leader in one.leaders]
    lost = " and ".join(f"{one.counts[loser]} {colours[loser]}" for loser in one.losers)
    kept = [name for name in inside if name not in leaders and colours.index(name) not in one.losers]
    safe = f"; {' and '.join(kept)} {'is' if len(kept) == 1 else 'are'} safe" if kept else ""
    if not inside:
        return "Empty"
    if len(leaders) == COLOURS:
        return "Three-way tie: nothing changes"
    if len(leaders) == 2:
        return f"{leaders[0].capitalize()} and {leaders[1]} tie: {f'{lost} removed' if lost else 'no change'}{safe}"
    if len(inside) == 1:
        return f"Only {leaders[0]}: no change"
    return f"{leaders[0].capitalize()} has the most: {f'replaces {lost}' if lost else 'no change'}{safe}"


def _safety(state: State) -> Json:
    """The safety rule at work: where each colour has most toppings together, and whether that makes it safe."""
    counts = slices.count_toppings(rules.slices_of(state), rules.bits_of(state))
    safe = slices.safe_colours(counts)
    shown = {}
    for index, name in enumerate(state.options.colours):
        of_colour = [inside[index] for inside in counts]
        most = max(of_colour)
        together = ascii_uppercase[of_colour.index(most)]
        why = "never more than one in a slice" if safe[index] else f"{most} together in slice {together}"
        shown[name] = {"safe": safe[index], "most_in_a_slice": most, "why": why}
    return shown


def _in_order(state: State, spaces: frozenset[str]) -> list[str]:
    return [space for space in state.options.components.spaces if space in spaces]


def _sheet(sheet: Score) -> Json:
    lines = [{"label": line.label, "points": line.points, "detail": line.detail} for line in sheet.lines]
    return {"player": sheet.player, "total": sheet.total, "lines": lines}
