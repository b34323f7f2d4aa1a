"""What the adviser advises: legal, ranked, fair, and better than chance."""

from random import Random

from controller.game import Actor
from controller.games.pizza_theory import GAME
from controller.games.pizza_theory.rules import Cut, Pass, Replace, Roll
from tests.controller.games.pizza_theory.situations import EXAMPLE, at, random_game, toppings
from tests.long import cases


def winners_of(players: int, seed: int, advised: int) -> tuple[int, ...]:
    """Who wins a game in which this player follows the advice and the others play at random."""
    random = Random(seed)
    state = GAME.start(players, {}, random.randint(1, players))
    while (turn := GAME.turn(state)).actor is not Actor.NOBODY:
        if turn.actor is Actor.CHANCE:
            move = GAME.draw(state, random)
        elif turn.players[0] == advised:
            move = GAME.advise(state, advised)[0].move
        else:
            move = random.choice(
                [one for one in GAME.legal(state) if not isinstance(one, Roll) and one.player == turn.players[0]]
            )
        state = GAME.apply(state, move)
    return GAME.winners(state)


@cases("players", [2, 3], always=0)
def test_the_adviser_beats_random_players(players: int) -> None:
    won = sum(seed % players + 1 in winners_of(players, seed, seed % players + 1) for seed in range(9))
    assert won >= 6


@cases("players", [2, 3], always=1)
def test_advice_is_legal_ranked_and_has_reasons(players: int) -> None:
    for state in random_game(players, 2):
        for player in range(1, players + 1):
            advice = GAME.advise(state, player)
            assert bool(advice) == (player in GAME.turn(state).players)
            assert len(advice) <= 12
            assert [one.value for one in advice] == sorted((one.value for one in advice), reverse=True)
            assert len({one.move for one in advice}) == len(advice)
            for one in advice:
                assert GAME.refusal(state, one.move) is None
                assert one.move.player == player
                assert one.reason
                assert "\n" not in one.reason


def test_advice_does_not_look_at_hidden_cuts() -> None:
    state = at(phase="cut", cuts={"red": 2, "green": 5})
    other = at(phase="cut", cuts={"red": 6, "green": 1})
    assert GAME.advise(state, 3) == GAME.advise(other, 3)


def test_advice_on_cuts_knows_the_unselected_colors() -> None:
    spaces = toppings("a1 b3 d4 e4", "c3 d3 f3", "d5 e2 g2")
    state = at(2, phase="cut", cuts={"white": 1}, toppings=spaces)
    other = at(2, phase="cut", cuts={"white": 4}, toppings=spaces)
    assert [one.value for one in GAME.advise(state, 1)] != [one.value for one in GAME.advise(other, 1)]
    assert {one.move for one in GAME.advise(state, 1)} == {Cut(1, number) for number in range(1, 7)}


def test_what_leaves_no_choice() -> None:
    assert [one.move for one in GAME.advise(at(**EXAMPLE), 1)] == [Replace(1)]
    full = at(2, phase="unselected", cuts={"white": 1}, toppings=toppings("d1 e1 f1 g1 c1 d2 e2 f2 g2"))
    assert [one.move for one in GAME.advise(full, 1)] == [Pass(1)]
    crowded = at(toppings=toppings("a1 a3 b4 b2 c1 c4 d2 d6 e1 e4 f2 f5 g3 c6 g1", "e6"))
    assert [one.move for one in GAME.advise(crowded, 1)] == list(GAME.legal(crowded))


def test_a_cut_that_makes_safe_is_advised() -> None:
    """Red would win with green's d4 and d5; line 3 of the 2nd parts them, so that neither can be replaced."""
    left = "a1 a2 a3 a4 b1 b2 b3 b4 b5 c2 c3 c4 c5 d3"
    state = at(2, phase="cut", cuts={"white": 1}, toppings=toppings(left, "d4 d5", "g1"))
    best, second, *_ = GAME.advise(state, 2)
    assert best.move == Cut(2, 3)
    assert best.value > second.value + 3
