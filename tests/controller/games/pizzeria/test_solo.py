"""Playing alone against the House, whose rules are the project's own; they stand in `solo.py`, here in their order."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from controller.game import Actor, IllegalMove, OptionError
from controller.games.pizzeria import GAME, rules
from controller.games.pizzeria.rules import (
    ChoosePile,
    Decide,
    Divide,
    DrawSlice,
    EatKind,
    EatSaved,
    Move,
    Phase,
    State,
    Take,
)
from tests.controller.games.pizzeria.situations import (
    RING,
    divided,
    game,
    having,
    legal,
    owning,
    play,
    quarters,
    refused,
    served,
    takes,
)

NOTHING: frozenset[str] = frozenset()


def solo(first: int = 1, **options: Any) -> State:
    return game(2, first, solo=True, **options)


def test_one_person_plays_the_two_player_game() -> None:
    assert (solo().rounds, solo().unseen) == (game(2).rounds, game(2).unseen)
    assert len(GAME.score(solo())) == 2
    for players in (3, 4, 5, 6):
        with pytest.raises(OptionError, match="option solo: True with"):
            game(players, solo=True)


def test_the_houses_moves_are_chance_and_it_is_not_advised() -> None:
    state = solo(first=2)
    assert GAME.turn(state).actor is Actor.CHANCE
    assert GAME.turn(state).prompt.startswith("The House")
    assert not GAME.advise(state, 2)
    assert GAME.turn(solo()).players == (1,)


def test_pile_the_lowest_number() -> None:
    state = replace(solo(first=2), stacks=(2, 4))
    assert list(GAME.legal(state)) == [ChoosePile(2)]
    assert refused(state, ChoosePile(4)) == ("Solo variant", "The House does something else by its rules.")
    with pytest.raises(IllegalMove, match="Solo variant"):
        GAME.apply(state, ChoosePile(4))


@pytest.mark.parametrize("variant", [{}, {"advanced": True}])
def test_slicing_where_the_knife_points_and_after_every_third_slice(variant: dict[str, Any]) -> None:
    state = served(solo(first=2, **variant))
    moves = list(GAME.legal(state))
    assert len(moves) == len(set(moves)) == 11
    for move in moves:
        assert isinstance(move, Divide)
        assert sorted(len(portion) for portion in move.portions) == [2, 3, 3, 3]
        turned = replace(move, portions=move.portions[1:] + move.portions[:1], special_in=None)
        if variant:
            assert move.special_in is not None
            assert len(move.portions[move.special_in]) == 2
            turned = replace(turned, special_in=(move.special_in - 1) % 4)
        assert legal(state, move)
        assert legal(state, turned)
    unequal = Divide(2, (RING[:2], RING[2:4], RING[4:6], RING[6:]), 0 if variant else None)
    assert refused(state, unequal)[0] == "Solo variant"
    assert len({GAME.draw(state, Random(seed)) for seed in range(100)}) == 11


def test_choosing_what_counts_most() -> None:
    """A counts 1 + 2 + 2, B 3 + 1 + 1, C 1 + 2, D 1 + 1 + 2; A and B are equal in slices too."""
    state = quarters(served(solo()))
    assert list(GAME.legal(state)) == [Take(2, 0)]
    assert refused(state, Take(2, 1))[0] == "Solo variant"
    # With the offer B counts two more.
    assert list(GAME.legal(quarters(served(solo(advanced=True))))) == [Take(2, 1)]


def test_choosing_of_equal_ones_that_with_more_slices() -> None:
    state = divided(served(solo()), "2/1 7/1", "7/2 11/1", "11/10 4/1 mixed-9-11 9/2", "9/9 5/1 6/1")
    assert list(GAME.legal(state)) == [Take(2, 2)]


def test_deciding_saves_what_is_not_behind_and_eats_the_rest() -> None:
    state = having(solo(), 1, saved="7/3 7/4 7/5")
    state = play(quarters(served(state)), Take(2, 0))
    assert list(GAME.legal(state)) == [Decide(2, frozenset({"7/1", "7/2"}))]
    state = having(solo(), 1, saved="7/3 7/4")
    state = play(quarters(served(state)), Take(2, 0))
    assert list(GAME.legal(state)) == [Decide(2, NOTHING)]
    assert refused(state, Decide(2, frozenset({"7/1"})))[0] == "Solo variant"


def test_deciding_puts_offer_c_on_what_it_has_most_of() -> None:
    state = quarters(served(having(solo(advanced=True), 2, saved="4/2"), special=rules.OFFER_C))
    state = play(state, Take(2, 1))
    assert list(GAME.legal(state)) == [Decide(2, NOTHING, 11)]


def test_deciding_about_the_slice_of_offer_b() -> None:
    state = play(quarters(served(solo(advanced=True), special=rules.OFFER_B)), Take(2, 1))
    assert state.phase is Phase.DRAW
    assert list(GAME.legal(play(state, DrawSlice("5/2")))) == [Decide(2, NOTHING)]


def test_the_house_never_uses_e_and_j() -> None:
    state = quarters(served(owning(solo(advanced=True), 2, rules.OFFER_E)))
    assert list(GAME.legal(state)) == [Take(2, 1)]
    state = owning(having(solo(advanced=True), 2, saved="5/2"), 2, rules.OFFER_J)
    state = replace(state, phase=Phase.EAT_KIND, stacks=(), round=4)
    assert list(GAME.legal(state)) == [EatKind(2, None)]
    assert GAME.draw(state, Random(1)) == EatKind(2, None)


def test_the_person_plays_as_in_the_two_player_game() -> None:
    state = play(quarters(served(solo())), Take(2, 0), Decide(2, NOTHING))
    plain = takes(quarters(served(game(2))), 2, 0)
    assert list(GAME.legal(state)) == list(GAME.legal(plain))
    assert refused(state, Take(2, 1)) == refused(plain, Take(2, 1))


@pytest.mark.parametrize("variant", [{}, {"advanced": True}])
def test_whole_games_against_the_house(variant: dict[str, Any]) -> None:
    """The House is no fool: a careful player wins most games, one who does not look wins few."""
    careful, careless = 0, 0
    for seed in range(12):
        careful += 1 in GAME.winners(finished(seed, lambda state, _: GAME.advise(state, 1)[0].move, variant))
        careless += 1 in GAME.winners(finished(seed, lambda state, random: random.choice(some(state)), variant))
    assert careful >= 7
    assert careless <= 4


def finished(seed: int, choose: Callable[[State, Random], Move], variant: dict[str, Any]) -> State:
    random = Random(seed)
    state = solo(random.randint(1, 2), **variant)
    while GAME.turn(state).actor is not Actor.NOBODY:
        chance = GAME.turn(state).actor is Actor.CHANCE
        state = play(state, GAME.draw(state, random) if chance else choose(state, random))
    return state


def some(state: State) -> list[Move]:
    return [move for _, move in zip(range(300), GAME.legal(state), strict=False)]


def with_a(owner: int) -> State:
    """Player 1 or the House has just decided about offer A's portion in round 2; the other one chooses."""
    state = replace(solo(first=3 - owner, advanced=True), round=2, stacks=(2, 3, 4), slicer=3 - owner)
    state = served(having(state, owner, saved="5/2 6/3"), special=rules.OFFER_A)
    portions = ("2/1 7/1 7/2", "11/1 11/10 4/1", "mixed-9-11 9/2", "9/9 5/1 6/1", "")
    if owner == 2:
        return takes(replace(divided(replace(state, slicer=1), *portions[:4], special_in=3)), 2, 3)
    house_divides = next(move for move in GAME.legal(state) if isinstance(move, Divide))
    state = play(state, house_divides)
    return takes(state, 1, next(i for i, one in enumerate(state.portions) if one.special))


def test_offer_a_may_be_used_before_the_house_takes_a_portion() -> None:
    state = with_a(1)
    late = EatSaved(1, frozenset({"5/2"}))
    assert GAME.turn(state).actor is Actor.CHANCE
    assert GAME.turn(state).prompt.endswith("; player 1 may still eat saved slices with offer A")
    assert late in set(GAME.legal(state))
    used = play(state, late)
    assert used.holdings[0].eaten == ("5/2",)
    assert GAME.turn(used).actor is Actor.CHANCE


def test_the_house_never_uses_offer_a_later() -> None:
    state = with_a(2)
    assert GAME.turn(state).players == (1,)
    assert refused(state, EatSaved(2, frozenset({"5/2"})))[0] == "Solo variant"
