"""Any scene at all against any state of Pizzeria: reading answers, never raises, and offers only legal plays."""

from random import Random
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from controller.game import Actor
from controller.games.pizzeria import GAME
from controller.games.pizzeria.rules import State
from controller.games.pizzeria.table import GAME_TABLE
from controller.reading import Layout, ReadingKind
from tests.controller.laid_table import LaidWorld
from tests.controller.perfect_eyes import outline
from vision.scene import FaceLikelihood, PieceKind, Pose, Scene, Sighting

SLICES = [*GAME.components.by_face, "back", "none-of-ours"]
OFFERS = [*GAME.components.specials_by_face, "special/back", "special/none-of-ours"]
FEW = settings(max_examples=50, deadline=None)


@FEW
@given(st.integers(2, 6), st.integers(0, 10**6))
def test_any_scene_is_answered(players: int, seed: int) -> None:
    rng = Random(seed)
    state, world = _somewhere(players, rng)
    sightings = [s for s in world.scene().sightings if rng.random() < 0.97] if rng.random() < 0.6 else []
    sightings += [_anything(rng) for _ in range(rng.randint(0, 4 if sightings else 40))]
    scene = Scene(1.0, 1, tuple(sightings), (), 1.0)
    pressed = frozenset(rng.sample(range(1, players + 1), rng.randint(0, players)))
    reading = GAME_TABLE.read(state, scene, Layout(world.areas), pressed)
    assert len(reading.places) == len(reading.faces) == len(scene.sightings)
    assert (reading.fault is not None) >= (reading.kind is ReadingKind.FAULT)
    assert bool(reading.plays) >= (reading.kind is ReadingKind.MOVES)
    for play in reading.plays:
        assert GAME_TABLE.rules_refusal(state, play.moves) is None
    assert sum(play.probability for play in reading.plays) <= 1 + 1e-9
    if reading.fault is not None:
        assert reading.fault.refusal.problem
        assert all(0 <= i < len(scene.sightings) for i in reading.fault.sightings)


@FEW
@example(2, 1228)
@example(3, 138)  # the kind that offer C lies on has been eaten with offer A
@given(st.integers(2, 6), st.integers(0, 10**6))
def test_what_lies_as_every_state_says_is_no_fault(players: int, seed: int) -> None:
    state, world = _somewhere(players, Random(seed))
    reading = GAME_TABLE.read(state, world.scene(), Layout(world.areas), frozenset())
    undecided = state.taker is not None or state.shifter is not None or GAME.turn(state).actor is Actor.CHANCE
    assert undecided or reading.kind is ReadingKind.AS_BEFORE, (reading.fault, reading.note)
    assert reading.kind is not ReadingKind.FAULT, reading.fault


def _somewhere(players: int, rng: Random) -> tuple[State, LaidWorld]:
    """A state on the way through a random game, laid as it says."""
    options: dict[str, Any] = {"advanced": rng.random() < 0.8, "solo": players == 2 and rng.random() < 0.3}
    state = GAME.start(players, options)
    for _ in range(rng.randint(0, 40)):
        turn = GAME.turn(state)
        if turn.actor is Actor.NOBODY:
            break
        move = GAME.draw(state, rng) if turn.actor is Actor.CHANCE else rng.choice(list(GAME.legal(state)))
        state = GAME.apply(state, move)
    world = LaidWorld(players, rng.randrange(1000), "pizzeria", options)
    world.arrange(state)
    return state, world


def _anything(rng: Random) -> Sighting:
    kind = rng.choice(list(PieceKind))
    pose = Pose(rng.uniform(-580, 580), rng.uniform(-330, 330), rng.uniform(-720, 720))
    if rng.random() < 0.5:
        pose = Pose(pose.x_mm / 8, pose.y_mm / 8, pose.angle_deg)
    names = rng.sample(SLICES if kind is PieceKind.SLICE else OFFERS, rng.randint(1, 4))
    likely = sorted((rng.random() for _ in names), reverse=True)
    total = sum(likely) / rng.uniform(0.3, 1.0)
    faces = tuple(FaceLikelihood(name, p / total) for name, p in zip(names, likely, strict=True))
    return Sighting(kind, pose, faces, "back" not in names[0], rng.random(), outline(kind, pose))
