"""Whole games by simulated hands, through perfect eyes and through eyes that doubt, tremble and blink."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from controller.games.new_york_slice import GAME
from controller.simulation.players import Tally
from tests.controller.perfect_eyes import PerfectEyes, outline
from tests.controller.played_games import played, seats_of
from tests.long import cases
from vision.scene import FaceLikelihood, Pose, Scene, Sighting

Eyes = Callable[[Scene], Scene]


@cases("players", [2, 4, 6], always=1)
def test_every_play_is_read_and_every_breach_found(players: int) -> None:
    tally = play(players, seed=players, mistake=0.4)
    assert tally.wrong == 0
    assert tally.breaches_missed == {}
    assert sum(tally.breaches_found.values()) >= 2
    assert tally.asked <= 2, tally.notes


@pytest.mark.long
@pytest.mark.parametrize("seed", [3])
def test_trembling_eyes_see_the_same_game(seed: int) -> None:
    """Poses are wrong by 1.5 mm and 1 degree, another way in each scene."""
    tally = play(2 + seed, seed, mistake=0.1, eyes=trembling(Random(seed)))
    assert tally.wrong == 0
    assert tally.breaches_missed == {}
    assert tally.asked <= 0.2 * tally.plays, tally.notes


@pytest.mark.long
@pytest.mark.parametrize("seed", [5])
def test_blinking_eyes_see_the_same_game(seed: int) -> None:
    """One slice in thirty is missed, another one in each scene."""
    tally = play(seed - 1, seed, mistake=0.1, eyes=blinking(Random(seed), 0.03))
    assert tally.wrong == 0
    assert tally.breaches_missed == {}
    assert tally.asked <= 0.2 * tally.plays, tally.notes


@pytest.mark.parametrize("seed", [7])
def test_doubting_eyes_are_never_silently_wrong(seed: int) -> None:
    """Each time a piece is laid, one face in fifty is seen as two, 0.7 to 0.3, and the likelier one is right in seven
    cases of ten."""
    tally = play(seed - 4, seed, mistake=0.0, eyes=doubting(Random(seed), 0.02))
    assert tally.wrong == 0
    assert tally.asked <= 0.25 * tally.plays, tally.notes


def play(players: int, seed: int, mistake: float, eyes: Eyes = lambda scene: scene) -> Tally:
    """One game from joining to the guest check; ends with the state that the hands have in mind."""
    rng, sight = Random(seed), PerfectEyes()
    seats = seats_of(players, rng)
    game = played(GAME.name, lambda now: eyes(sight.scene(now)), seats, rng, seed=seed, mistake=mistake)
    assert game.state == game.believed
    assert GAME.winners(game.state)
    return game.tally


# Eyes that are not perfect --------------------------------------------------------------------------------------------


def trembling(rng: Random) -> Eyes:
    def see(scene: Scene) -> Scene:
        return replace(scene, sightings=tuple(_shaken(s, rng) for s in scene.sightings))

    return see


def _shaken(sighting: Sighting, rng: Random) -> Sighting:
    was = sighting.pose
    pose = Pose(was.x_mm + rng.gauss(0, 1.0), was.y_mm + rng.gauss(0, 1.0), was.angle_deg + rng.gauss(0, 1.0))
    return replace(sighting, pose=pose, outline_mm=outline(sighting.kind, pose))


def blinking(rng: Random, share: float) -> Eyes:
    def see(scene: Scene) -> Scene:
        return replace(scene, sightings=tuple(s for s in scene.sightings if rng.random() >= share))

    return see


def doubting(rng: Random, share: float) -> Eyes:
    """What is doubted is the same as long as the piece is not laid anew."""
    doubts: dict[tuple[str, Pose], tuple[FaceLikelihood, ...]] = {}
    faces = sorted(GAME.components.by_face)

    def look(sighting: Sighting) -> tuple[FaceLikelihood, ...]:
        if sighting.face.startswith("special/") or not sighting.face_up or rng.random() >= share:
            return sighting.faces
        other = rng.choice([f for f in faces if f != sighting.face])
        pair = (sighting.face, other) if rng.random() < 0.7 else (other, sighting.face)
        return (FaceLikelihood(pair[0], 0.7), FaceLikelihood(pair[1], 0.295))

    def see(scene: Scene) -> Scene:
        for s in scene.sightings:
            doubts.setdefault((s.face, s.pose), look(s))
        return replace(scene, sightings=tuple(replace(s, faces=doubts[s.face, s.pose]) for s in scene.sightings))

    return see
