"""The simulated camera's pictures: repeatable, true to their geometry, with everything that must be seen in them."""

from collections.abc import Mapping
from dataclasses import replace
from random import Random

import cv2
import numpy as np
import pytest

from hardware.simulated.artwork import Artwork
from hardware.simulated.lens import looking_down
from hardware.simulated.lying import lying, outline_mm
from hardware.simulated.renderer import Renderer, at_scale, texture_scale
from hardware.simulated.slice_art import SliceArt, draw_slice
from hardware.simulated.surroundings import MARKER_MM, MARKER_OUTER_MM, Conditions, MatStyle, Surface
from hardware.simulated.world import World
from tests.hardware.demo_table import demo_art, demo_gestures, demo_world
from tests.long import cases
from vision.scene import PieceKind, Pose

SIZE = (1280, 720)


@pytest.fixture(scope="module")
def art() -> Mapping[str, Artwork]:
    return demo_art(2.0)


def marker_centres() -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    out = MARKER_OUTER_MM - MARKER_MM / 2
    return np.array([(-out, out, 0), (out, out, 0), (out, -out, 0), (-out, -out, 0)])


@cases(("seed", "size"), [*((seed, (1280, 720)) for seed in range(8)), (0, (1920, 1080)), (1, (1920, 1080))], always=4)
def test_all_markers_are_found_where_they_are(seed: int, size: tuple[int, int]) -> None:
    conditions = Conditions.random(Random(seed))
    camera = conditions.camera_model(*size)
    picture = Renderer({}, camera, conditions).render(World(Random(0)).snapshot())
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    corners, ids, _ = detector.detectMarkers(picture)
    assert ids is not None
    found = {int(number): quad.reshape(4, 2) for number, quad in zip(ids.ravel(), corners, strict=True)}
    assert set(found) == {0, 1, 2, 3}
    half = MARKER_MM / 2
    for number, centre in enumerate(marker_centres()):
        square = centre + np.array([(-half, half, 0), (half, half, 0), (half, -half, 0), (-half, -half, 0)])
        off = found[number].mean(axis=0) - camera.project(square).mean(axis=0)
        assert np.abs(off).max() < 1.0


def test_the_same_snapshot_gives_the_same_picture(art: Mapping[str, Artwork]) -> None:
    conditions = Conditions.random(Random(3))
    camera = conditions.camera_model(*SIZE)
    world = demo_world(Random(1))
    demo_gestures(world)
    world.advance(0.6)
    snapshot = world.snapshot()
    one, other = (Renderer(art, camera, conditions).render(snapshot) for _ in range(2))
    assert np.array_equal(one, other)


def test_what_was_rendered_before_leaves_no_trace(art: Mapping[str, Artwork]) -> None:
    conditions = Conditions.random(Random(4))
    camera = conditions.camera_model(640, 360)
    renderer = Renderer(art, camera, conditions)
    world = demo_world(Random(1))
    demo_gestures(world)
    while world.busy:
        world.advance(world.now_s + 0.25)
        picture = renderer.render(world.snapshot())
        fresh = Renderer(art, camera, conditions).render(world.snapshot())
        assert np.array_equal(picture, fresh)


@pytest.mark.long
def test_art_made_smaller_beforehand_gives_the_same_picture(art: Mapping[str, Artwork]) -> None:
    conditions = Conditions.random(Random(5))
    camera = conditions.camera_model(*SIZE)
    small = {face: at_scale(drawn, texture_scale(camera)) for face, drawn in art.items()}
    assert any(small[face].image.shape != art[face].image.shape for face in art)
    snapshot = demo_world(Random(1)).snapshot()
    one, other = (Renderer(faces, camera, conditions).render(snapshot) for faces in (art, small))
    assert np.array_equal(one, other)


def test_two_moments_differ_by_noise_alone() -> None:
    conditions = Conditions(noise=2.0)
    renderer = Renderer({}, conditions.camera_model(*SIZE), conditions)
    world = World(Random(0))
    first = renderer.render(world.snapshot()).astype(np.int16)
    world.advance(0.1)
    second = renderer.render(world.snapshot()).astype(np.int16)
    assert float(np.std(first - second)) == pytest.approx(2.0 * np.sqrt(2), rel=0.1)


def test_a_piece_is_seen_where_it_lies() -> None:
    slice_art = {"4/1": draw_slice(SliceArt("4/1", (4,), 1, 0, "four"), 4.0)}
    conditions = Conditions(noise=0.0, shadow=0.0, surface=Surface.PLAIN, mat=MatStyle.SLATE, tilt_deg=5.0)
    camera = conditions.camera_model(*SIZE)
    renderer = Renderer(slice_art, camera, conditions)
    empty = renderer.render(World(Random(0)).snapshot())
    for pose in (Pose(20, -30, 75), Pose(-330, 120, 181), Pose(400, -150, 300)):
        world = World(Random(0))
        world.add_piece("4/1", PieceKind.SLICE, "4/1", "back", pose=pose, face_up=True)
        changed = np.abs(renderer.render(world.snapshot()).astype(int) - empty).max(axis=2) > 12
        outline = np.array([(x, y, 2.0) for x, y in outline_mm(PieceKind.SLICE, pose)])
        truth = np.zeros(changed.shape, np.uint8)
        cv2.fillPoly(truth, [np.round(camera.project(outline)).astype(np.int32)], (1,))
        shared = np.logical_and(changed, truth).sum() / np.logical_or(changed, truth).sum()
        assert shared > 0.88
        middles = [np.argwhere(mask).mean(axis=0) for mask in (changed, truth)]
        assert np.abs(middles[0] - middles[1]).max() < 1.5


def test_the_upper_piece_hides_the_lower() -> None:
    faces = {face: draw_slice(SliceArt(face, (value,), 0, 0, ""), 2.0) for face, value in (("3/1", 3), ("10/1", 10))}
    conditions = Conditions(noise=0.0)
    camera = conditions.camera_model(*SIZE)
    column, row = np.round(camera.project(np.array([(0.0, 75.0, 2.0)]))[0]).astype(int)
    colours = []
    for order in (("3/1", "10/1"), ("10/1", "3/1")):
        world = World(Random(0))
        for face in order:
            world.add_piece(face, PieceKind.SLICE, face, "back", pose=Pose(0, 0, 90), face_up=True)
        colours.append(Renderer(faces, camera, conditions).render(world.snapshot())[row, column].astype(int))
    assert np.abs(colours[0] - colours[1]).max() > 40


@pytest.mark.parametrize("surface", [Surface.LINEN, Surface.STONE])
def test_another_camera_sees_the_same_table(surface: Surface) -> None:
    conditions = Conditions(surface=surface, noise=0.0)
    camera = conditions.camera_model(*SIZE)
    first = Renderer({}, camera, conditions)
    x, y, z = camera.position_mm
    raised = first.seen_by(replace(camera, position_mm=(x, y, 1.002 * z)))
    bare = World(Random(0)).snapshot()
    one, other = (cv2.blur(renderer.render(bare), (5, 5)).astype(int) for renderer in (first, raised))
    assert np.quantile(np.abs(one - other), 0.9) < 4


def test_hands_reach_into_the_picture_and_leave_it(art: Mapping[str, Artwork]) -> None:
    conditions = Conditions(noise=0.0)
    renderer = Renderer(art, conditions.camera_model(*SIZE), conditions)
    world = demo_world(Random(1))
    still = renderer.render(world.snapshot())
    pieces = dict(world.pieces)
    demo_gestures(world)
    world.advance(0.7)
    assert len(world.snapshot().hands) == 3
    assert (np.abs(renderer.render(world.snapshot()).astype(int) - still).max(axis=2) > 25).mean() > 0.05
    while world.busy:
        world.advance(world.now_s + 0.1)
    for piece_id, piece in pieces.items():
        world.put(piece_id, piece.pose, piece.face_up)
    order = [view.piece_id for view in demo_world(Random(1)).snapshot().pieces]
    for piece_id in order:
        world.put(piece_id, pieces[piece_id].pose, pieces[piece_id].face_up)
    assert np.array_equal(renderer.render(world.snapshot()), still)


def test_a_hand_hides_what_it_is_said_to_hide(art: Mapping[str, Artwork]) -> None:
    """Where it covers all there is nothing else in the picture, and what changes elsewhere is its shadow."""
    conditions = Conditions(noise=0.0, blur_px=0.0, shadow=0.0)
    camera = conditions.camera_model(*SIZE)
    world = demo_world(Random(1))
    bare = Renderer(art, camera, conditions).render(replace(world.snapshot(), pieces=()))
    demo_gestures(world)
    world.advance(0.7)
    snapshot = world.snapshot()
    masks = Renderer(art, camera, conditions).hiding(snapshot)
    assert len(masks) == len(snapshot.hands) == 3
    hides = np.maximum.reduce(masks)
    held = tuple(piece for piece in snapshot.pieces if piece.holder is not None)
    without = Renderer(art, camera, conditions).render(replace(snapshot, pieces=held))
    everything = Renderer(art, camera, conditions).render(snapshot)
    assert (hides == 255).sum() > 20_000
    assert np.array_equal(everything[hides == 255], without[hides == 255])
    assert np.array_equal(without[hides == 0], bare[hides == 0])


def test_a_face_without_art_is_an_error() -> None:
    world = World(Random(0))
    world.add_piece("x", PieceKind.SLICE, "x/1", "back", pose=Pose(0, 0, 0), face_up=True)
    conditions = Conditions()
    with pytest.raises(KeyError, match="no art for face 'x/1'"):
        Renderer({}, conditions.camera_model(*SIZE), conditions).render(world.snapshot())


def test_projecting_and_looking_back_agree() -> None:
    camera = looking_down(1280, 720, tilt_deg=6, pan_deg=-2, roll_deg=2, offset_mm=(8, -5), k1=-0.08, k2=0.02)
    points = np.array([(x, y, 0.0) for x in (-500, 0, 450) for y in (-280, 10, 280)], np.float64)
    assert np.abs(camera.to_table(camera.project(points)) - points[:, :2]).max() < 0.05
    middle = camera.project(np.array([(8.0, -5.0, 0.0)]))[0]
    assert middle == pytest.approx([639.5, 359.5], abs=0.01)
    table_x, table_y = camera.table_grid()
    columns, rows = (each.ravel() for each in np.meshgrid(np.arange(97, 1280, 131), np.arange(3, 720, 59)))
    seen = np.column_stack([table_x[rows, columns], table_y[rows, columns], np.zeros(len(rows))])
    assert np.abs(camera.project(seen) - np.column_stack([columns, rows])).max() < 0.02


def test_pieces_lie_on_those_below() -> None:
    world = World(Random(0))
    for number, x_mm in enumerate((0.0, 20.0, 200.0)):
        world.add_piece(str(number), PieceKind.SLICE, "3/1", "back", pose=Pose(x_mm, 0, 90), face_up=True)
    assert [lies.base_mm for lies in lying(world.snapshot().pieces)] == [0.0, 2.0, 0.0]


def test_conditions_decide_the_light() -> None:
    def brightness(conditions: Conditions) -> float:
        camera = conditions.camera_model(320, 180)
        return float(Renderer({}, camera, conditions).render(World(Random(0)).snapshot()).mean())

    plain = Conditions(surface=Surface.PLAIN)
    assert brightness(replace(plain, light=0.6)) < 0.7 * brightness(plain)
