"""Any scene at all against any state: reading answers, never raises, and offers only legal plays."""

from random import Random

from hypothesis import example, given, settings
from hypothesis import strategies as st

from controller.game import Actor
from controller.games.new_york_slice import GAME
from controller.games.new_york_slice.rules import Phase, State
from controller.games.new_york_slice.table import GAME_TABLE, rules_refusal
from controller.reading import Layout, ReadingKind
from tests.controller.games.new_york_slice.test_random_games import played
from tests.controller.laid_table import LaidWorld
from tests.controller.perfect_eyes import outline
from vision.scene import FaceLikelihood, PieceKind, Pose, Scene, Sighting

SLICES = [*GAME.components.by_face, "back", "none-of-ours"]
SPECIALS = [*GAME.components.specials_by_face, "special/back", "special/none-of-ours"]
ANY = settings(max_examples=120, deadline=None)


@ANY
@given(st.integers(2, 6), st.integers(0, 10**6))
def test_any_scene_is_answered(players: int, seed: int) -> None:
    rng = Random(seed)
    state = rng.choice(played(players, seed % 7))[0]
    world = LaidWorld(players, seed)
    scene = rng.choice((_nonsense, _disturbed))(state, world, rng)
    pressed = frozenset(rng.sample(range(1, players + 1), rng.randint(0, players)))
    reading = GAME_TABLE.read(state, scene, Layout(world.areas), pressed)
    assert len(reading.places) == len(reading.faces) == len(scene.sightings)
    assert (reading.fault is not None) >= (reading.kind is ReadingKind.FAULT)
    assert bool(reading.plays) >= (reading.kind is ReadingKind.MOVES)
    for play in reading.plays:
        assert rules_refusal(state, play.moves) is None
        assert 0 <= play.probability <= 1 + 1e-9
    assert sum(play.probability for play in reading.plays) <= 1 + 1e-9
    if reading.fault is not None:
        assert reading.fault.refusal.problem
        assert all(0 <= i < len(scene.sightings) for i in reading.fault.sightings)


@ANY
@given(st.integers(2, 6), st.integers(0, 10**6))
@example(3, 16208).via("33 slices and three Specials in front of one player")
def test_what_lies_as_every_state_says_is_no_fault(players: int, seed: int) -> None:
    rng = Random(seed)
    state = rng.choice(played(players, seed % 7))[0]
    if GAME.turn(state).actor is Actor.CHANCE or state.phase is Phase.DECIDE or state.shifter:
        return
    world = LaidWorld(players, seed)
    world.arrange(state)
    reading = GAME_TABLE.read(state, world.scene(), Layout(world.areas), frozenset())
    assert reading.kind is ReadingKind.AS_BEFORE, (reading.fault, reading.note)


def _nonsense(state: State, world: LaidWorld, rng: Random) -> Scene:
    """Pieces anywhere, any faces, in doubt or not."""
    return Scene(1.0, 1, tuple(_anything(rng) for _ in range(rng.randint(0, 40))), (), 1.0)


def _disturbed(state: State, world: LaidWorld, rng: Random) -> Scene:
    """What the state says, with some sightings changed, missing or added."""
    try:
        world.arrange(state)
    except (StopIteration, ValueError):
        return _nonsense(state, world, rng)
    sightings = [s for s in world.scene().sightings if rng.random() < 0.97]
    for _ in range(rng.randint(0, 4)):
        sightings.insert(rng.randint(0, len(sightings)), _anything(rng))
    return Scene(1.0, 1, tuple(sightings), (), 1.0)


def _anything(rng: Random) -> Sighting:
    kind = rng.choice(list(PieceKind))
    pose = Pose(rng.uniform(-580, 580), rng.uniform(-330, 330), rng.uniform(-720, 720))
    if rng.random() < 0.5:
        pose = Pose(pose.x_mm / 8, pose.y_mm / 8, pose.angle_deg)
    names = rng.sample(SLICES if kind is PieceKind.SLICE else SPECIALS, rng.randint(1, 4))
    likely = sorted((rng.random() for _ in names), reverse=True)
    total = sum(likely) / rng.uniform(0.3, 1.0)
    faces = tuple(FaceLikelihood(name, p / total) for name, p in zip(names, likely, strict=True))
    return Sighting(kind, pose, faces, "back" not in names[0], rng.random(), outline(kind, pose))
