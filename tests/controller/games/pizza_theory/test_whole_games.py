"""Whole games by simulated hands, through perfect eyes and through eyes that doubt."""

from collections.abc import Sequence
from random import Random

import pytest

from controller.game import Actor
from controller.games.pizza_theory import GAME
from controller.simulation.players import Tally
from hardware.simulated.world import WorldSnapshot
from tests.controller.games.pizza_theory.laid_pizza import PARTS, Contents, PizzaEyes
from tests.controller.played_games import played
from tests.long import cases
from vision.scene import EMPTY, Scene, Space

SEATS = {2: {1: 2, 2: 5}, 3: {1: 1, 2: 3, 3: 5}}


@cases(("players", "seed"), [(2, 2), (3, 3)], always=1)
def test_every_play_is_read_and_every_breach_found(players: int, seed: int) -> None:
    tally = play(players, seed, mistake=0.4)
    assert tally.wrong == 0
    assert tally.breaches_missed == {}, tally.notes
    assert sum(tally.breaches_found.values()) >= 3
    assert tally.asked <= 1, tally.notes


@pytest.mark.parametrize(("players", "seed"), [(3, 5)])
def test_doubting_eyes_are_never_silently_wrong(players: int, seed: int) -> None:
    """At any time some spaces cannot be told, or look like something else as well."""
    tally = play(players, seed, mistake=0.0, doubt=Random(seed))
    assert tally.wrong == 0
    assert tally.asked <= 0.25 * tally.plays, tally.notes


def play(players: int, seed: int, mistake: float, doubt: Random | None = None) -> Tally:
    """One game from joining to its end, which has the state that the hands have in mind."""
    sight = PizzaEyes()

    def see(now: WorldSnapshot) -> Scene:
        scene = sight.scene(now)
        if doubt is not None and scene.at_rest_s == 0.0:
            sight.doubt = {}
            bare = sight.scene(now).sightings
            sight.doubt = _doubts(bare[0].spaces if bare else (), doubt)
        return scene

    options = {"last_round": 6}
    game = played(GAME.name, see, SEATS[players], Random(seed), seed=seed, options=options, mistake=mistake)
    assert game.state == game.believed
    assert GAME.turn(game.state).actor is Actor.NOBODY
    return game.tally


def _doubts(spaces: Sequence[Space], rng: Random) -> dict[str, Contents]:
    """Some spaces say nothing, some look almost as much like something else."""
    names = {",".join(map(str, at)): name for name, at in PARTS.spaces.items()}
    doubts: dict[str, Contents] = {}
    for space in spaces:
        if rng.random() < 0.04:
            others = (
                [face for face in (EMPTY, *PARTS.colours) if face != space.contents[0].face] if space.contents else []
            )
            seen = ((space.contents[0].face, 0.55), (rng.choice(others), 0.4)) if rng.random() < 0.5 and others else ()
            doubts[names[space.name]] = seen
    return doubts
