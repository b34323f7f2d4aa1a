"""What the adviser advises: legal, ranked, and far better than chance."""

from random import Random
from typing import Any

import pytest

from controller.game import Actor
from controller.games.dice_and_slice import GAME
from controller.games.dice_and_slice.rules import ExtraDot, Phase, Pick, Roll, State, Stop
from tests.controller.games.dice_and_slice.situations import (
    FINISHED,
    TINY,
    game,
    mark,
    outline,
    play,
    rolled,
    turn,
    with_dots,
)
from tests.long import cases


def played(players: int, seed: int, advised: set[int], options: dict[str, Any] | None = None) -> State:
    """A game of advised players against players who do anything legal."""
    random = Random(seed)
    state = GAME.start(players, options or {}, random.randint(1, players))
    while state.phase is not Phase.OVER:
        now = GAME.turn(state)
        if now.actor is Actor.CHANCE:
            move = GAME.draw(state, random)
        elif now.players[0] in advised:
            advice = GAME.advise(state, now.players[0])
            assert 0 < len(advice) <= 12
            assert [one.value for one in advice] == sorted((one.value for one in advice), reverse=True)
            assert all(GAME.refusal(state, one.move) is None and one.reason for one in advice)
            move = advice[0].move
        else:
            move = random.choice(
                [one for one in GAME.legal(state) if not isinstance(one, Roll) and one.player == now.players[0]]
            )
        state = GAME.apply(state, move)
    return state


@cases(("players", "seed"), [(2, 1), (2, 2), (3, 3)], always=1)
def test_advice_wins_against_chance(players: int, seed: int) -> None:
    me = seed % players + 1
    state = played(players, seed, {me})
    assert GAME.winners(state) == (me,)
    assert GAME.score(state)[me - 1].total > 300


def test_a_game_of_advised_players_on_a_small_sheet() -> None:
    for seed in range(5):
        assert GAME.winners(played(3, seed, {1, 2, 3}, {"components": TINY}))


def test_nobody_is_advised_out_of_turn() -> None:
    assert not GAME.advise(game(), 1)
    assert not GAME.advise(rolled(game()), 2)
    assert not GAME.advise(play(rolled(game()), Pick(1, "A"), mark(1, "a1")), 1)


def test_the_dot_that_encloses_large_slices_is_marked() -> None:
    state = play(rolled(with_dots(game(), 1, FINISHED - {"c4", "l4", "l7"})), Pick(1, "A"))
    best = GAME.advise(state, 1)[0]
    assert best.move == mark(1, "c4")
    assert best.reason == "Encloses a1-f4, a4-f7 for 240 points."


def test_the_die_that_encloses_large_slices_is_picked() -> None:
    state = rolled(with_dots(game(), 1, FINISHED - {"c4", "d4", "l7"}), "A5", "B4")
    assert GAME.advise(state, 1)[0].move == Pick(1, "B")


def test_an_extra_dot_encloses_another_slice() -> None:
    state = turn(with_dots(game(), 1, FINISHED - {"a1", "l4", "c7"}), "a1")
    best = GAME.advise(state, 1)[0].move
    assert isinstance(best, ExtraDot)
    assert best.dot == "c7"


def test_no_extra_dot_where_every_one_would_spoil_a_slice() -> None:
    state = turn(with_dots(game(), 1, FINISHED - {"a1"}), "a1")
    assert GAME.advise(state, 1)[0].move == Stop(1)


@pytest.mark.parametrize(
    ("slice_name", "last", "reason"),
    [
        ("d4-f6", "f6", "Encloses d4-f6 for 10 points."),
        ("g5-h6", "h6", "Encloses g5-h6 for 1 point."),
        ("a1-d4", "a4", "Scores mushroom-salami."),
    ],
)
def test_what_can_be_closed_is_closed_before_another_player_ends_the_game(
    slice_name: str, last: str, reason: str
) -> None:
    mine = with_dots(game(), 1, outline(slice_name) - {last})
    near = play(rolled(with_dots(mine, 2, FINISHED - {"a1"})), Pick(1, "A"))
    best = GAME.advise(near, 1)[0]
    assert (best.move, best.reason) == (mark(1, last), reason)


def test_a_game_that_is_won_is_ended() -> None:
    state = with_dots(with_dots(game(), 1, FINISHED - {"g4"}), 2, "a1 b1")
    assert GAME.advise(play(rolled(state), Pick(1, "A")), 1)[0].move == mark(1, "g4")


def test_there_is_advice_where_nothing_can_be_gained() -> None:
    state = with_dots(game(), 1, set(game().options.components.grid.names) - {"a1"})
    assert GAME.advise(rolled(state, "A1", "B5"), 1)[0].move == Pick(1, "A")
