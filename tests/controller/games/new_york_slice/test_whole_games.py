"""Whole games by simulated hands, through perfect eyes and through eyes that doubt, tremble and blink."""

import asyncio
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from config.loader import load_table
from controller.games.new_york_slice import GAME
from controller.games.new_york_slice.hands import NewYorkSliceHands
from controller.journal import Journal
from controller.seating import areas
from controller.simulation.players import Habits, SimulatedPlayers, Tally
from controller.table import Table
from firmware_bridge.signals import Signal, SignalKind
from hardware.simulated.world import World
from tests.controller.laid_table import Outlets, make_table
from tests.controller.perfect_eyes import PerfectEyes, outline
from vision.scene import FaceLikelihood, Pose, Scene, Sighting

STEP_S = 0.2
LONGEST_S = 3000.0
Eyes = Callable[[Scene], Scene]


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_every_play_is_read_and_every_breach_found(players: int) -> None:
    tally = play(players, seed=players, mistake=0.4)
    assert tally.wrong == 0
    assert tally.breaches_missed == {}
    assert sum(tally.breaches_found.values()) >= 2
    assert tally.asked <= 2, tally.notes


@pytest.mark.parametrize("seed", [1, 3])
def test_trembling_eyes_see_the_same_game(seed: int) -> None:
    """Poses are wrong by 1.5 mm and 1 degree, another way in each scene."""
    tally = play(2 + seed, seed, mistake=0.1, eyes=trembling(Random(seed)))
    assert tally.wrong == 0
    assert tally.breaches_missed == {}
    assert tally.asked <= 0.2 * tally.plays, tally.notes


@pytest.mark.parametrize("seed", [5])
def test_blinking_eyes_see_the_same_game(seed: int) -> None:
    """One slice in thirty is missed, another one in each scene."""
    tally = play(seed - 1, seed, mistake=0.1, eyes=blinking(Random(seed), 0.03))
    assert tally.wrong == 0
    assert tally.breaches_missed == {}
    assert tally.asked <= 0.2 * tally.plays, tally.notes


@pytest.mark.parametrize("seed", [6, 7])
def test_doubting_eyes_are_never_silently_wrong(seed: int) -> None:
    """Each time a piece is laid, one face in fifty is seen as two, 0.7 to 0.3, and the likelier one is right in seven
    cases of ten."""
    tally = play(seed - 4, seed, mistake=0.0, eyes=doubting(Random(seed), 0.02))
    assert tally.wrong == 0
    assert tally.asked <= 0.25 * tally.plays, tally.notes


def play(players: int, seed: int, mistake: float, eyes: Eyes = lambda scene: scene) -> Tally:
    """One game from joining to the guest check; ends with the state that the hands have in mind."""
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "journal.sqlite") as journal:
        outlets = Outlets()
        table = make_table(journal, outlets)
        people = asyncio.run(_played(table, outlets, players, seed, mistake, eyes))
        assert table.state == people.state
        assert GAME.winners(table.state)
        return people.tally


async def _played(
    table: Table, outlets: Outlets, players: int, seed: int, mistake: float, eyes: Eyes
) -> SimulatedPlayers:
    config = load_table([])
    rng = Random(seed)
    seats = dict(enumerate(sorted(rng.sample(list(config.seats), players)), 1))
    start = GAME.start(players, {}, 1)
    world, sight = World(Random(seed)), PerfectEyes()
    hands = NewYorkSliceHands(GAME, start, areas(config, seats), rng)
    answers: list[tuple[int, int]] = []
    people = SimulatedPlayers(
        world,
        GAME,
        hands,
        start,
        seats,
        rng,
        lambda: table.view,
        lambda question, candidate: answers.append((question, candidate)),
        Habits(mistake=mistake),
    )
    await table.start()
    now_s = 0.0
    while not people.over:
        now_s += STEP_S
        assert now_s < LONGEST_S
        world.advance(now_s)
        for edge in world.take_edges():
            kind = SignalKind.BUTTON_PRESSED if edge.pressed else SignalKind.BUTTON_RELEASED
            await table.on_signal(Signal(edge.seat, kind, edge.time_s, 0.001))
        await table.on_scene(eyes(sight.scene(world.snapshot())))
        while answers:
            await table.answer(*answers.pop())
        people.step()
    return people


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
