"""What the state of New York Slice says of pieces that are not on the table yet."""

from controller.games.cut_and_choose_seen import Ahead
from controller.games.new_york_slice.rules import MYSTERY_SLICE, Holding, Phase, State


def faces_to_come(state: State) -> frozenset[str]:
    """Faces that a chance outcome may turn up next."""
    match state.phase:
        case Phase.STACK | Phase.REVEAL:
            return state.unseen | state.unseen_specials
        case Phase.REDRAW:
            return state.unseen_specials
        case Phase.CHOOSE | Phase.MYSTERY if state.special == MYSTERY_SLICE:
            return state.unseen
        case Phase.COUNT:
            return state.unseen.union(*(holding.eaten for holding in state.holdings))
        case _:
            return frozenset()


def _comes_down(state: State) -> bool:
    """No slice can come face down but one that has lain open, or the Mystery slice."""
    return state.special == MYSTERY_SLICE and state.phase in (Phase.CHOOSE, Phase.MYSTERY)


def _eaten(holding: Holding) -> int:
    return len(holding.eaten) + holding.unseen_eaten


AHEAD: Ahead[State] = Ahead(faces_to_come, _comes_down, _eaten)
