"""Games by simulated hands, through perfect eyes and through eyes that doubt."""

from random import Random

import pytest

from controller.game import Actor
from controller.games.dice_and_slice import GAME
from controller.simulation.players import Tally
from hardware.simulated.world import WorldSnapshot
from tests.controller.games.dice_and_slice.laid_sheets import ALL, SheetEyes
from tests.controller.played_games import played
from tests.long import cases
from vision.scene import MarkKind, Scene

SEATS = {2: {1: 2, 2: 5}, 3: {1: 1, 2: 3, 3: 5}}


@cases(("players", "seed"), [(2, 2), (3, 3)], always=1)
def test_every_play_is_read_and_every_breach_found(players: int, seed: int) -> None:
    tally = play(players, seed, mistake=0.3, plays=16)
    assert tally.wrong == 0
    assert tally.breaches_missed == {}, tally.notes
    assert sum(tally.breaches_found.values()) >= 3
    assert tally.asked <= 1, tally.notes


@pytest.mark.long
def test_who_presses_with_nothing_marked_is_told_so_also_after_an_own_press() -> None:
    """A second press within a second is taken for the first; people take longer for another."""
    tally = play(2, 24, mistake=0.9, plays=14)
    assert tally.breaches_found["nothing marked"] >= 3
    assert tally.breaches_missed == {}, tally.notes


def test_doubting_eyes_are_never_silently_wrong() -> None:
    """At any time some marks cannot be told."""
    tally = play(2, 5, mistake=0.0, plays=16, doubt=Random(5))
    assert tally.wrong == 0
    assert tally.asked <= 0.25 * tally.plays, tally.notes


@pytest.mark.long
@pytest.mark.parametrize(("players", "seed"), [(2, 2), (3, 3), (2, 11)])
def test_whole_games_end_as_the_hands_know(players: int, seed: int) -> None:
    tally = play(players, seed, mistake=0.1)
    assert (tally.wrong, tally.breaches_missed) == (0, {}), tally.notes
    assert tally.asked <= 2, tally.notes


def play(players: int, seed: int, mistake: float, plays: int | None = None, doubt: Random | None = None) -> Tally:
    """A game from joining to its end, where the table has the state that the hands have in mind, or to so many plays,
    each compared by the people themselves."""
    sight = SheetEyes()

    def see(now: WorldSnapshot) -> Scene:
        scene = sight.scene(now)
        if doubt is not None and scene.at_rest_s == 0.0:
            sight.doubt = {}
            for _ in range(3):
                kind, at = doubt.choice(ALL)
                if kind in (MarkKind.DOT, MarkKind.LINE):
                    sight.doubt[(doubt.randint(1, players), (kind, at))] = doubt.choice((0.2, 0.5, 0.8))
        return scene

    game = played(GAME.name, see, SEATS[players], Random(seed), seed=seed, mistake=mistake, plays=plays)
    if plays is None:
        assert game.state == game.believed
        assert GAME.turn(game.state).actor is Actor.NOBODY
    return game.tally
