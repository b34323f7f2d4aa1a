"""Situations of New York Slice to start tests from."""

from collections.abc import Sequence
from dataclasses import replace

from controller.games.new_york_slice import GAME, rules
from controller.games.new_york_slice.rules import (
    ChooseStack,
    Decide,
    Divide,
    Holding,
    Move,
    OwnedSpecial,
    Phase,
    Reveal,
    State,
    Take,
)

RING = ("7/1", "7/2", "11/1", "11/10", "4/1", "combo-9-11", "anchovy", "supreme", "9/2", "9/9", "5/1")
"""A pizza with every kind of slice: 11/10, 9/9, combo-9-11 and anchovy have no pepperoni."""


def faces(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def game(players: int = 4, first: int = 1, **options: object) -> State:
    return GAME.start(players, options, first)


def play(state: State, *moves: Move) -> State:
    for move in moves:
        state = GAME.apply(state, move)
    return state


def served(state: State, ring: Sequence[str] = RING, special: str = rules.STUFFED_CRUST) -> State:
    """The next stack turned up."""
    return play(state, ChooseStack(state.stacks[0]), Reveal(special, tuple(ring)))


def divided(state: State, *portions: str, special_in: int = 0) -> State:
    """The pizza on the table divided; portions are faces with spaces between."""
    return play(state, Divide(tuple(faces(portion) for portion in portions), special_in))


def quarters(state: State, special_in: int = 0) -> State:
    """RING in four portions: A 4/1 .. anchovy, B supreme 9/2, C 9/9 5/1 7/1, D 7/2 11/1 11/10."""
    portions = ("4/1 combo-9-11 anchovy", "supreme 9/2", "9/9 5/1 7/1", "7/2 11/1 11/10")
    return divided(state, *portions, special_in=special_in)


def owning(state: State, player: int, *specials: str, since: int = 1) -> State:
    """With these Specials in front of a player, not used yet."""
    holding = state.holdings[player - 1]
    owned = tuple(OwnedSpecial(special, since) for special in specials)
    changed = replace(holding, specials=holding.specials + owned)
    unseen = state.unseen_specials - set(specials)
    return replace(with_holding(state, player, changed), unseen_specials=unseen)


def having(state: State, player: int, collected: str = "", eaten: str = "", supreme_as: str | None = None) -> State:
    """With these slices in front of a player."""
    holding = replace(state.holdings[player - 1], collected=faces(collected), eaten=faces(eaten), supreme_as=supreme_as)
    return replace(
        with_holding(state, player, holding), unseen=state.unseen.difference(holding.collected, holding.eaten)
    )


def with_holding(state: State, player: int, holding: Holding) -> State:
    holdings = list(state.holdings)
    holdings[player - 1] = holding
    return replace(state, holdings=tuple(holdings))


def in_round(state: State, number: int) -> State:
    """The same game some rounds later, everything else as it is."""
    slicer = (state.first + number - 2) % state.players + 1
    return replace(state, round=number, stacks=tuple(range(number, state.rounds + 1)), slicer=slicer)


def over(state: State) -> State:
    """The same game at its end."""
    return replace(state, phase=Phase.OVER, stacks=())


def takes(state: State, player: int, portion: int, eaten: str = "", attach: str | None = None) -> State:
    """A player takes a portion and decides."""
    return play(state, Take(player, portion), Decide(player, frozenset(faces(eaten)), attach))


def refused(state: State, move: Move) -> tuple[str, str]:
    """Heading and problem of a move that must be illegal."""
    refusal = GAME.refusal(state, move)
    assert refusal is not None, f"{move} is legal"
    assert refusal.remedy
    return refusal.heading, refusal.problem


def legal(state: State, move: Move) -> bool:
    return GAME.refusal(state, move) is None


def line(state: State, player: int, label: str) -> int:
    """Points of one line of the guest check."""
    sheet = GAME.score(state)[player - 1]
    return next(one.points for one in sheet.lines if one.label.startswith(label))
