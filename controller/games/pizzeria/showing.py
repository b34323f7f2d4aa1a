"""Pizzeria as a display is told: everything that everybody at the table may know.

Eaten slices are listed although they lie face down, as all saw them being eaten. The game has no secrets, so players
and spectators see the same.
"""

from random import Random
from typing import Any

from controller.game import Json, Player, Score
from controller.games import cut_and_choose_showing as family
from controller.games.pizzeria import rules, solo
from controller.games.pizzeria.components import TOMATO
from controller.games.pizzeria.rules import OwnedSpecial, State


def view(state: State, viewer: Player | None) -> dict[str, Any]:  # noqa: ARG001
    """The game as JSON."""
    sheets = rules.score(state)
    counts = rules.type_counts(state)
    turn = solo.turn(state)
    return {
        "turn": {"actor": turn.actor.value, "players": list(turn.players), "prompt": turn.prompt},
        "variant": "advanced" if state.options.advanced else "basic",
        "house": solo.HOUSE if state.options.solo else None,
        **family.table(state),
        "piles": list(state.stacks),
        "taken": list(state.taken),
        "may_eat": _may_eat(state),
        "special_text": _special_text(state, state.special) if state.special else None,
        "set_aside": list(state.set_aside),
        "moved": state.shifter,
        "players": [_player(state, player, sheets[player - 1]) for player in range(1, state.players + 1)],
        "types": [_type(state, value, counts[value]) for value in counts],
        "score": [family.sheet(sheet) for sheet in sheets],
        "winners": list(rules.winners(state)),
        "components": family.components(state),
    }


def determinize(state: State, viewer: Player | None, random: Random) -> State:  # noqa: ARG001
    """The state itself: what lies face down has no order yet, so a state has nothing to keep from anybody."""
    return state


def _may_eat(state: State) -> list[str]:
    """What the taker may eat now, saved slices that offer A allows included."""
    if state.taker is None:
        return []
    earlier = rules.saved_that_may_be_eaten(state, state.taker)
    return [*(face for face in state.taken if rules.may_eat(state, face)), *earlier]


def _player(state: State, player: Player, sheet: Score) -> Json:
    holding = state.holdings[player - 1]
    points = rules.special_points(state, player)
    return {
        "player": player,
        "saved": [_saved(state, face) for face in holding.collected],
        "eaten": list(holding.eaten),
        "basil": rules.basil_leaves(state, player),
        "specials": [_owned(state, one, points) for one in holding.specials],
        "total_so_far": sheet.total,
    }


def _owned(state: State, one: OwnedSpecial, points: dict[str, int]) -> Json:
    return {
        "face": one.name,
        **_special_text(state, one.name),
        "round": one.round,
        "used": one.used,
        "kind": one.kind,
        "score": points.get(one.name),
    }


def _saved(state: State, face: str) -> Json:
    facts = state.options.components.by_face[face]
    return {"face": face, "values": list(facts.values), "basil": facts.basil}


def _type(state: State, value: int, counts: dict[Player, int]) -> Json:
    return {**family.type_counts(state, value, counts), "scorers": list(_scorers(state, value, counts))}


def _scorers(state: State, value: int, counts: dict[Player, int]) -> tuple[Player, ...]:
    """Tomato pizza scores for everybody who has some."""
    if value == TOMATO:
        return tuple(player for player, halves in counts.items() if rules.tomato_points(halves))
    return rules.scorers(state, counts)


def _special_text(state: State, special: str) -> dict[str, str]:
    facts = state.options.components.specials_by_face[special]
    return {**family.special_text(facts), "when": facts.when}
