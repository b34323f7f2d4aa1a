"""What displays are told alike of New York Slice and Pizzeria."""

from collections.abc import Mapping

from controller.game import Json, Player, Score
from controller.games import cut_and_choose
from controller.games.cut_and_choose_components import SpecialFacts
from controller.games.cut_and_choose_rules import RoundState


def table(state: RoundState) -> dict[str, Json]:
    """The round and what lies in the middle, without the Special's text."""
    return {
        "phase": state.phase.value,
        "round": state.round,
        "rounds": state.rounds,
        "slicer": state.slicer,
        "order": list(state.order),
        "taker": state.taker,
        "ring": list(state.ring) or None,
        "portions": [
            {"slices": list(portion.slices), "special": portion.special, "taken_by": portion.taken_by}
            for portion in state.portions
        ],
        "special": state.special,
    }


def special_text(facts: SpecialFacts) -> dict[str, str]:
    """What stands on a Special."""
    return {"title": facts.title, "text": facts.text}


def type_counts(state: RoundState, value: int, counts: Mapping[Player, int]) -> dict[str, Json]:
    """Who has how much of a type."""
    return {
        "type": str(value),
        "name": state.options.components.type_names[value],
        "value": value,
        "counts": {str(player): halves / 2 for player, halves in counts.items()},
        "leaders": list(cut_and_choose.most(counts)),
    }


def sheet(score: Score) -> Json:
    """A player's score."""
    lines = [{"label": line.label, "points": line.points, "detail": line.detail} for line in score.lines]
    return {"player": score.player, "total": score.total, "lines": lines}


def components(state: RoundState) -> Json:
    """What is printed on the slices in the game, by face."""
    pieces = state.options.components
    return {
        facts.face: {"values": list(facts.values), **facts.marks(), "name": facts.name}
        for facts in pieces.slices
        if facts.face not in pieces.removed[state.players]
    }
