"""Situations of Pizzeria to start tests from."""

from collections.abc import Sequence
from dataclasses import replace

from controller.games.pizzeria import GAME, rules
from controller.games.pizzeria.rules import (
    ChoosePile,
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

RING = ("2/1", "7/1", "7/2", "11/1", "11/10", "4/1", "mixed-9-11", "9/2", "9/9", "5/1", "6/1")
"""A pizza for any number of players: 2/1, 11/10, mixed-9-11 and 9/9 have no basil, 11/1 has three leaves."""


def faces(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def game(players: int = 4, first: int = 1, **options: object) -> State:
    return GAME.start(players, options, first)


def advanced(players: int = 4, first: int = 1, **options: object) -> State:
    return game(players, first, advanced=True, **options)


def play(state: State, *moves: Move) -> State:
    for move in moves:
        state = GAME.apply(state, move)
    return state


def served(state: State, ring: Sequence[str] = RING, special: str | None = None) -> State:
    """The next pile turned up; in the advanced variant with offer G where nothing else is said."""
    if special is None and state.options.advanced:
        special = rules.OFFER_G
    return play(state, ChoosePile(state.stacks[0]), Reveal(tuple(ring), special))


def divided(state: State, *portions: str, special_in: int | None = None) -> State:
    """The pizza on the table sliced; portions are faces with spaces between."""
    return play(state, Divide(state.slicer, tuple(faces(portion) for portion in portions), special_in))


def quarters(state: State) -> State:
    """RING in four portions: A 2/1 7/1 7/2, B 11/1 11/10 4/1, C mixed-9-11 9/2, D 9/9 5/1 6/1, an offer with B."""
    portions = ("2/1 7/1 7/2", "11/1 11/10 4/1", "mixed-9-11 9/2", "9/9 5/1 6/1")
    return divided(state, *portions, special_in=1 if state.options.advanced else None)


def owning(state: State, player: int, *specials: str, since: int = 1) -> State:
    """With these special offers in front of a player, not used yet."""
    holding = state.holdings[player - 1]
    owned = tuple(OwnedSpecial(special, since) for special in specials)
    changed = replace(holding, specials=holding.specials + owned)
    unseen = state.unseen_specials - set(specials)
    return replace(with_holding(state, player, changed), unseen_specials=unseen)


def having(state: State, player: int, saved: str = "", eaten: str = "") -> State:
    """With these slices in front of a player."""
    holding = replace(state.holdings[player - 1], collected=faces(saved), eaten=faces(eaten))
    changed = with_holding(state, player, holding)
    return replace(changed, unseen=state.unseen.difference(holding.collected, holding.eaten))


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


def takes(state: State, player: int, portion: int, eaten: str = "", kind: int | None = None) -> State:
    """A player takes a portion and decides."""
    return play(state, Take(player, portion), Decide(player, frozenset(faces(eaten)), kind))


def late_a(saved: str = "5/1 5/2", players: int = 3) -> State:
    """Round 2: player 2 has taken the portion with offer A alone and decided; these slices, and the one with basil
    taken with it, are saved."""
    ring = faces("2/1 7/1 7/2 11/1 11/9 4/1 mixed-9-11 9/2 9/9 6/1 6/2")
    state = in_round(advanced(players, first=players), 2)
    state = served(having(state, 2, saved=saved), ring, rules.OFFER_A)
    portions = ("2/1 7/1 7/2", "11/1", "11/9 4/1 mixed-9-11 9/2 9/9 6/1 6/2")
    return takes(divided(state, *portions, special_in=1), 2, 1)


def refused(state: State, move: Move) -> tuple[str, str]:
    """Heading and problem of a move that must be illegal."""
    refusal = GAME.refusal(state, move)
    assert refusal is not None, f"{move} is legal"
    assert refusal.remedy
    return refusal.heading, refusal.problem


def legal(state: State, move: Move) -> bool:
    return GAME.refusal(state, move) is None


def line(state: State, player: int, label: str) -> int:
    """Points of one line of the score."""
    sheet = GAME.score(state)[player - 1]
    return next(one.points for one in sheet.lines if one.label.startswith(label))


def totals(state: State) -> list[int]:
    return [sheet.total for sheet in GAME.score(state)]
