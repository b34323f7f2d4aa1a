"""The arrangement in one picture, without a game: drawn ones, and the true poses of the rendered pictures."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from controller.games.new_york_slice.describe import describe
from controller.games.new_york_slice.rules import TIEBREAKER, Divide
from controller.hands import Lay
from tests.controller.games.new_york_slice.situations import RING, game, quarters, served
from tests.controller.laid_table import LaidWorld
from vision.scene import FaceLikelihood, HiddenCause, HiddenPlace, PieceKind, Point, Pose, Scene, Sighting

PHOTOS = Path(__file__).parents[5] / "shared" / "photos" / "table"
CRUST_MM = {"alpha": 110.0, "beta": 104.0}


def described(world: LaidWorld) -> Any:
    return describe(world.scene())


def same_circle(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """The same, wherever it begins."""
    return len(one) == len(other) and any([*one[i:], *one[:i]] == list(other) for i in range(max(1, len(one))))


# Laid by hands --------------------------------------------------------------------------------------------------------


def test_nothing() -> None:
    empty = described(LaidWorld(4))
    assert empty["portions"] == empty["middle"] == []
    assert empty["ring"] is None
    assert empty["special"] is None
    assert empty["seats"] == {}


@pytest.mark.parametrize("seed", range(4))
def test_a_whole_circle(seed: int) -> None:
    world = LaidWorld(4, seed)
    world.arrange(served(game()))
    found = described(world)
    assert same_circle(found["ring"], RING)
    assert len(found["portions"]) == 1
    assert found["special"] == "special/stuffed-crust"
    assert found["special_portion"] is None


@pytest.mark.parametrize("gone", [[2, 3], [4]])
def test_a_circle_with_a_gap_is_none_and_what_hides_the_gap_is_said(gone: list[int]) -> None:
    world = LaidWorld(4, 1)
    world.arrange(served(game()))
    missing = [s for s in world.scene().sightings if s.face in {RING[i] for i in gone}]
    world.remove(*(RING[i] for i in gone))
    open_scene = world.scene()
    found: Any = describe(open_scene)
    assert found["ring"] is None
    assert len(found["portions"]) == 1
    assert found["unseen"] == []
    over = HiddenPlace(missing[0].outline_mm, HiddenCause.HAND)
    elsewhere = next(s for s in open_scene.sightings if s.face == RING[8])
    beside = replace(over, outline_mm=elsewhere.outline_mm)
    for hidden, unseen in ((over, [[RING[gone[0] - 1], RING[gone[-1] + 1]]]), (beside, [])):
        described_so: Any = describe(replace(open_scene, hidden=(hidden,)))
        assert described_so["unseen"] == unseen


def test_what_is_less_likely_than_not_arranges_nothing() -> None:
    world = LaidWorld(4, 2)
    world.arrange(served(game()))
    scene = world.scene()
    phantom = replace(
        scene.sightings[0], kind=PieceKind.SLICE, pose=Pose(112.0, -138.0, 30.0), faces=(FaceLikelihood("7/1", 0.49),)
    )
    found: Any = describe(replace(scene, sightings=(*scene.sightings, phantom)).likely())
    assert found["special"] == "special/stuffed-crust"
    assert found["seats"] == {}
    shared = replace(phantom, faces=(FaceLikelihood("7/1", 0.49), FaceLikelihood("7/2", 0.4)))
    assert shared.likely


@pytest.mark.parametrize("special_in", range(4))
def test_portions_and_the_special_with_one_of_them(special_in: int) -> None:
    state = quarters(served(game()), special_in)
    world = LaidWorld(4, 5)
    world.arrange(state)
    found = described(world)
    assert found["ring"] is None
    assert same_circle(found["portions"], [list(p.slices) for p in state.portions])
    with_special = next(p for p in state.portions if p.special)
    assert found["portions"][found["special_portion"]] == list(with_special.slices)
    assert not found["special_alone"]


def test_a_special_beside_the_pizza_is_of_the_round_whatever_lies_in_front_of_the_players() -> None:
    state = quarters(served(game()), 1)
    world = LaidWorld(4, 5)
    world.arrange(state)
    world.lay(Lay("7/1", Pose(-80, -215, 270), False))
    world.lay(Lay(TIEBREAKER, Pose(150, -260, 90), True))
    found = described(world)
    assert found["special"] == "special/stuffed-crust"
    with_special = next(p for p in state.portions if p.special)
    assert found["portions"][found["special_portion"]] == list(with_special.slices)
    assert found["seats"] == {"south": {"collected": [], "eaten": 1, "specials": [TIEBREAKER]}}


def test_a_special_alone_is_the_last_portion() -> None:
    world = LaidWorld(4, 6)
    state = served(game())
    world.arrange(state)
    world.play(state, Divide((RING[:4], RING[4:6], RING[6:], ()), 3))
    found = described(world)
    assert found["special_alone"]
    assert found["portions"][-1] == []
    assert found["special_portion"] == len(found["portions"]) - 1 == 3


def test_what_lies_in_front_of_the_players() -> None:
    world = LaidWorld(6, 7)
    for number, face in enumerate(("3/1", "3/2", "5/5", "6/1", "6/2")):
        world.lay(Lay(face, Pose(-80 + 40 * number, -215, 270), number < 3))
    world.lay(Lay(TIEBREAKER, Pose(150, -260, 90), True))
    assert described(world)["seats"] == {
        "south": {"collected": [["3/1", "3/2"], ["5/5"]], "eaten": 2, "specials": [TIEBREAKER]}
    }


# True poses of rendered pictures --------------------------------------------------------------------------------------


def truths(*kinds: str) -> list[Any]:
    found = [path for kind in kinds for path in sorted(PHOTOS.glob(f"{kind}-*.json"))]
    if not found:
        reason = pytest.mark.skip(reason=f"the pictures' truth is not at {PHOTOS.name} beside the repository")
        return [pytest.param(None, marks=reason)]
    return [pytest.param(path, id=path.stem) for path in found]


def scene_of(truth: Any, rng: Random) -> Scene:
    """The true pieces in any order."""
    pieces = [p for p in truth["pieces"] if p["kind"] in ("tile", "special")]
    rng.shuffle(pieces)
    return Scene(0.0, 1, tuple(_sighting(p, CRUST_MM[truth["style"]]) for p in pieces), (), 1.0)


def _sighting(piece: Any, crust_mm: float) -> Sighting:
    kind = PieceKind.SLICE if piece["kind"] == "tile" else PieceKind.SPECIAL
    pose = Pose(piece["x_mm"], piece["y_mm"], piece["angle_deg"])
    back = "back" if kind is PieceKind.SLICE else "special/back"
    face = piece["face"] if piece["face_up"] else back
    return Sighting(kind, pose, (FaceLikelihood(face, 1.0),), piece["face_up"], 1.0, _outline(kind, pose, crust_mm))


def _outline(kind: PieceKind, pose: Pose, crust_mm: float) -> tuple[Point, ...]:
    angle = math.radians(pose.angle_deg)
    if kind is PieceKind.SPECIAL:
        corners = [(-45, -30), (-45, 30), (45, 30), (45, -30)]
        cos, sin = math.cos(angle), math.sin(angle)
        return tuple((pose.x_mm + x * cos - y * sin, pose.y_mm + x * sin + y * cos) for x, y in corners)
    arc = [angle + math.pi / 11 * k / 4 for k in range(-4, 5)]
    crust = [(pose.x_mm + crust_mm * math.cos(a), pose.y_mm + crust_mm * math.sin(a)) for a in arc]
    return ((pose.x_mm, pose.y_mm), *crust)


@pytest.mark.parametrize("path", truths("ring", "split", "hand"))
def test_true_circles_and_portions_are_described_as_they_are(path: Path) -> None:
    truth = json.loads(path.read_text())
    true = truth["arrangement"]
    found = describe(scene_of(truth, Random(1)))
    assert found["special"] == true["special"]
    if "ring" in true:
        assert same_circle(found["ring"], true["ring"])
        assert found["special_portion"] is None
        return
    alone = true["special_alone"]
    mine, theirs = (p[: len(p) - alone] for p in (found["portions"], true["portions"]))
    assert same_circle(mine, theirs)
    assert found["special_alone"] == alone
    assert found["portions"][found["special_portion"]] == true["portions"][true["special_portion"]]


@pytest.mark.parametrize("path", truths("seats"))
def test_true_areas_are_described_as_they_are(path: Path) -> None:
    truth = json.loads(path.read_text())
    true = truth["arrangement"]
    found = describe(scene_of(truth, Random(2)))
    assert same_circle(found["middle"], true["middle"])
    assert found["seats"].keys() == true["seats"].keys()
    for side, seat in true["seats"].items():
        mine = found["seats"][side]
        assert sorted(map(sorted, mine["collected"])) == sorted(map(sorted, seat["collected"])), side
        assert mine["eaten"] == len(seat["eaten"])
        assert sorted(mine["specials"]) == sorted(seat["specials"])
