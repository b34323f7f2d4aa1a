"""What the state of Pizzeria says of pieces that are not on the table yet."""

from controller.games.cut_and_choose_rules import Holding
from controller.games.cut_and_choose_seen import Ahead, special_in_middle
from controller.games.pizzeria.rules import OFFER_B, Phase, State


def faces_to_come(state: State) -> frozenset[str]:
    """Faces that a chance outcome may turn up next."""
    if _may_be_drawn(state):
        return state.unseen
    match state.phase:
        case Phase.PILE | Phase.REVEAL:
            return state.unseen | state.unseen_specials
        case Phase.REDRAW:
            return state.unseen_specials
        case _:
            return frozenset()


def _may_be_drawn(state: State) -> bool:
    """Whether one of the slices put aside may come with the next play. It may come face down, by mistake."""
    waits = state.phase is Phase.CHOOSE and special_in_middle(state)
    return state.special == OFFER_B and (waits or state.phase is Phase.DRAW)


def _eaten(holding: Holding) -> int:
    return len(holding.eaten)


AHEAD: Ahead[State] = Ahead(faces_to_come, _may_be_drawn, _eaten)
