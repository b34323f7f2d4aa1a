"""New York Slice as a display is told: everything that everybody at the table may know.

Eaten slices are listed although they lie face down, as all saw them being eaten; a Mystery slice in the hand, or eaten
unseen, is only counted, but for its owner, who knows it. The game has no other secrets.
"""

from dataclasses import replace
from random import Random
from typing import Any

from controller.game import Json, Player, Score
from controller.games import cut_and_choose_showing as family
from controller.games.new_york_slice import rules
from controller.games.new_york_slice.components import SUPREME
from controller.games.new_york_slice.rules import Holding, State


def view(state: State, viewer: Player | None) -> dict[str, Any]:
    """The game as JSON; the page in `view.js` is written against this shape."""
    sheets = rules.score(state)
    counts = rules.type_counts(state)
    return {
        **family.table(state),
        "special_text": _special_text(state, state.special) if state.special else None,
        "set_aside": list(state.set_aside),
        "moved": state.shifter,
        "mystery": {"drawn": state.mystery_drawn, "face": state.mystery if viewer == state.taker else None},
        "players": [_player(state, player, sheets[player - 1], viewer) for player in range(1, state.players + 1)],
        "types": [_type(state, value, counts[value]) for value in counts],
        "score": [family.sheet(sheet) for sheet in sheets],
        "winners": list(rules.winners(state)),
        "components": family.components(state),
    }


def determinize(state: State, viewer: Player | None, random: Random) -> State:
    """A state that this viewer cannot tell from this one: the Mystery slice that only its owner knows is any that it
    could be. What lies in the stacks is no part of the state."""
    if state.mystery is not None and viewer != state.taker:
        drawn = random.choice(rules.in_order(state, state.unseen | {state.mystery}))
        return replace(state, mystery=drawn, unseen=(state.unseen | {state.mystery}) - {drawn})
    for player, holding in enumerate(state.holdings, start=1):
        if holding.unseen_faces and viewer != player:
            (known,) = holding.unseen_faces
            possible = rules.could_be_eaten_unseen(state, player, state.unseen | {known})
            drawn = random.choice(rules.in_order(state, possible))
            changed = replace(holding, unseen_faces=(drawn,))
            holdings = (*state.holdings[: player - 1], changed, *state.holdings[player:])
            return replace(state, holdings=holdings, unseen=(state.unseen | {known}) - {drawn})
    return state


def as_known_to(state: State, viewer: Player | None) -> State:
    """The state without what this viewer may not know: a Mystery slice that another player has eaten is unknown, and
    may still be anywhere for all they know."""
    for player, holding in enumerate(state.holdings, start=1):
        if holding.unseen_faces and viewer != player:
            holdings = (*state.holdings[: player - 1], replace(holding, unseen_faces=()), *state.holdings[player:])
            state = replace(state, holdings=holdings, unseen=state.unseen.union(holding.unseen_faces))
    return state


def _player(state: State, player: Player, sheet: Score, viewer: Player | None) -> Json:
    holding = state.holdings[player - 1]
    points = rules.special_points(state, player)
    return {
        "player": player,
        "collected": [_collected(state, holding, face) for face in holding.collected],
        "eaten": list(holding.eaten),
        "unseen_eaten": holding.unseen_eaten,
        "unseen_faces": list(holding.unseen_faces) if viewer == player else [],
        "specials": [
            {
                "face": one.name,
                **_special_text(state, one.name),
                "round": one.round,
                "used": one.used,
                "score": points.get(one.name),
            }
            for one in holding.specials
        ],
        "total_so_far": sheet.total,
    }


def _collected(state: State, holding: Holding, face: str) -> Json:
    facts = state.options.components.by_face[face]
    return {
        "face": face,
        "values": list(facts.values),
        "pepperoni": facts.pepperoni,
        "anchovies": facts.anchovies,
        "attached": holding.supreme_as if face == SUPREME else None,
    }


def _type(state: State, value: int, counts: dict[Player, int]) -> Json:
    return {**family.type_counts(state, value, counts), "scorer": rules.scorer(state, counts)}


def _special_text(state: State, special: str) -> dict[str, str]:
    return family.special_text(state.options.components.specials_by_face[special])
