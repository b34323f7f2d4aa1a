"""Laying pictures over the table by the mat's markers."""

from dataclasses import replace
from random import Random

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import World
from tests.long import cases
from tests.vision.altered import shaken_along
from tests.vision.drawn_table import SIZE, View, photograph, project
from vision.frame import Image
from vision.mat.errors import (
    LensMisfit,
    MarkersMisplaced,
    MarkersMissing,
    MarkersRepeated,
    PictureTooBright,
    PictureTooDark,
)
from vision.mat.lens import Lens
from vision.mat.markers import DICTIONARY, MARKERS_MM
from vision.mat.registration import Registration, bent_too_far, find_mat, lens_doubt, register, with_lens

GRID_MM = np.array([(x, y) for x in (-300.0, -100.0, 0.0, 250.0) for y in (-180.0, 0.0, 150.0)])


def test_points_go_to_the_table_and_back() -> None:
    registration = find_mat(photograph([]))
    assert np.allclose(registration.to_table(registration.to_picture(GRID_MM)), GRID_MM, atol=1e-6)


@pytest.mark.parametrize("turn_deg", [0.0, 12.0, 90.0, 181.0])
def test_the_table_lies_where_the_camera_sees_it(turn_deg: float) -> None:
    view = View(turn_deg=turn_deg, tilt=0.05)
    registration = find_mat(photograph([], view))
    assert np.abs(registration.to_table(project(GRID_MM, view)) - GRID_MM).max() < 0.1


@cases("seed", range(6), always=2)
def test_another_cameras_lens_is_doubted_and_ones_own_is_not(seed: int) -> None:
    conditions = Conditions.random(Random(seed))
    camera = conditions.camera_model(1280, 720)
    picture = Renderer({}, camera, conditions).render(World(Random(seed)).snapshot())
    own = Lens(camera.focal_px / 1280, camera.k1, camera.k2)
    assert lens_doubt(find_mat(picture, lens=own), own) == ""
    for more in (-0.12, 0.12):
        other = replace(own, k1=own.k1 + more)
        assert "it may be another camera's" in lens_doubt(find_mat(picture, lens=other), other)
    with pytest.raises(LensMisfit, match="Without the calibrated lens they fit: it may be another camera's"):
        find_mat(picture, lens=replace(own, k1=own.k1 - 1.2))
    known = find_mat(picture)
    three = replace(known, markers_px={i: known.markers_px[i] for i in (0, 1, 2)})
    assert lens_doubt(three, replace(own, k1=own.k1 + 0.12)) == "", "three markers fit many a lens"


def test_an_axis_beside_the_middle_moves_the_camera_to_the_side() -> None:
    """The mat is laid alike, as a tilt looks much the same; what lies higher is seen from another place."""
    picture = photograph([])
    plain, beside = (find_mat(picture, lens=Lens(0.86, right=right)) for right in (0.0, 0.02))
    assert np.abs(plain.to_table(beside.to_picture(GRID_MM)) - GRID_MM).max() < 1.0
    assert abs(beside.camera_mm[0] - plain.camera_mm[0]) + abs(beside.camera_mm[1] - plain.camera_mm[1]) > 10.0


def test_the_camera_is_where_it_is() -> None:
    registration = find_mat(photograph([], View(tilt=0.0, turn_deg=0.0, height_mm=800.0)))
    assert registration.camera_mm[2] == pytest.approx(800.0, rel=0.03)
    assert np.linalg.norm(registration.camera_mm[:2]) < 15.0


@pytest.mark.parametrize("quarter_turns", [1, 2, 3])
def test_the_camera_is_as_high_when_it_is_held_upright(quarter_turns: int) -> None:
    picture = photograph([], View(tilt=0.0, turn_deg=0.0, height_mm=800.0))
    registration = find_mat(np.ascontiguousarray(np.rot90(picture, quarter_turns)))
    assert registration.camera_mm[2] == pytest.approx(800.0, rel=0.03)


def test_what_lies_higher_is_moved_towards_the_point_below_the_camera() -> None:
    registration = find_mat(photograph([]))
    spots = np.array([[300.0, 100.0], [-50.0, 20.0]])
    lowered = registration.on_table(spots, 20.0)
    foot = np.array(registration.camera_mm[:2])
    assert (np.linalg.norm(lowered - foot, axis=1) < np.linalg.norm(spots - foot, axis=1)).all()
    assert np.allclose(registration.seen_from_table(lowered, 20.0), spots)


def cover(picture: Image, corners_px: NDArray[np.float64]) -> None:
    """Lay something over a marker."""
    corners = np.round(corners_px + (corners_px - corners_px.mean(0))).astype(np.int32)
    cv2.fillConvexPoly(picture, corners, (90, 120, 200))


def test_a_bent_picture_shows_its_lens() -> None:
    lens = Lens(0.86, k1=-0.06)
    straight = find_mat(photograph([])).table_to_plane
    bent = Registration(straight, _matrix(), lens, (0.0, 0.0, 800.0), {}, 0.0, SIZE)
    corners = {marker: bent.to_picture(mm) for marker, mm in MARKERS_MM.items()}
    found = register(corners, SIZE)
    assert found.lens.k1 == pytest.approx(-0.06, abs=0.02)
    assert with_lens(found, lens).error_px < 0.05


@cases(("height_mm", "k1"), [(550.0, -0.2), (420.0, -0.2)], always=1)
def test_a_wide_lens_that_nobody_calibrated_is_found_and_said_to_bend_too_far(height_mm: float, k1: float) -> None:
    conditions = replace(Conditions(), height_mm=height_mm, k1=k1, k2=0.03)
    picture = Renderer({}, conditions.camera_model(1920, 1080), conditions).render(World(Random(5)).snapshot())
    found = find_mat(picture)
    assert found.error_px < 0.5
    true = conditions.camera_model(1920, 1080).project(np.column_stack([GRID_MM, np.zeros(len(GRID_MM))]))
    near = np.abs(GRID_MM).max(1) <= 200.0
    assert np.linalg.norm(found.to_table(true) - GRID_MM, axis=1)[near].max() < 0.3
    assert abs(found.camera_mm[2] / height_mm - 1.0) < 0.15
    assert "the lens bends the picture by" in bent_too_far(found)
    assert bent_too_far(find_mat(photograph([]))) == ""


@cases(
    ("height_mm", "k1", "tilt_deg"),
    [(800.0, -0.45, 8.0), (800.0, 0.25, 0.0), (1000.0, -0.6, 5.0), (700.0, -0.3, 12.0), (800.0, 0.25, 8.0)],
    always=2,
)
@pytest.mark.parametrize("hidden", [None, 2])
def test_a_lens_that_bends_much_for_its_focal_length_shows_all_of_the_table_where_it_is(
    hidden: int | None, height_mm: float, k1: float, tilt_deg: float
) -> None:
    """Barrel or pincushion. A barrel's picture is that of a wider lens that bends less, until the mat shows the focal
    length."""
    conditions = replace(Conditions(), height_mm=height_mm, k1=k1, k2=0.0, tilt_deg=tilt_deg)
    camera = conditions.camera_model(1920, 1080)
    picture = Renderer({}, camera, conditions).render(World(Random(5)).snapshot())
    if hidden is not None:
        cover(picture, camera.project(np.column_stack([MARKERS_MM[hidden], np.zeros(4)])))
    found = find_mat(picture)
    assert (set(MARKERS_MM) - found.markers_px.keys()) == ({hidden} - {None})
    assert found.laid_mm is None, "these are printed"
    true = camera.project(np.column_stack([GRID_MM, np.zeros(len(GRID_MM))]))
    assert np.linalg.norm(found.to_table(true) - GRID_MM, axis=1).max() < 0.5
    assert "the lens bends the picture by" in bent_too_far(found)


@pytest.mark.parametrize("hidden", sorted(MARKERS_MM))
def test_three_markers_are_enough(hidden: int) -> None:
    picture = photograph([])
    before = find_mat(picture)
    cover(picture, before.to_picture(MARKERS_MM[hidden]))
    for near in (None, before):
        found = find_mat(picture, near=near)
        assert hidden not in found.markers_px
        assert np.abs(found.to_table(before.to_picture(GRID_MM)) - GRID_MM).max() < 0.1


@pytest.mark.parametrize("covered", [{}, {1}, {0, 2}])
def test_what_shows_of_markers_half_under_a_hand_counts(covered: set[int]) -> None:
    conditions = Conditions(k1=-0.09, k2=0.02, tilt_deg=6.0, pan_deg=-2.0, noise=3.0)
    camera = conditions.camera_model(1920, 1080)
    picture = Renderer({}, camera, conditions).render(World(Random(0)).snapshot())
    for marker in covered:
        corners = MARKERS_MM[marker]
        hand = np.array([corners[0], corners[1], corners[2] + [0.0, 20.0], corners[3] + [0.0, 4.0]])
        under = camera.project(np.column_stack([hand + np.array([0.0, 3.0]), np.zeros(4)]))
        cv2.fillConvexPoly(picture, np.round(under).astype(np.int32), (118, 150, 205), cv2.LINE_AA)
    found = find_mat(picture)
    assert found.markers_px.keys() == MARKERS_MM.keys() - covered
    seen = camera.project(np.column_stack([GRID_MM, np.zeros(len(GRID_MM))]))
    off = np.linalg.norm(found.to_table(seen) - GRID_MM, axis=1)
    near = np.abs(GRID_MM).max(1) <= 200.0
    assert off[near].max() < 0.15
    assert off.max() < 2.0


def test_markers_too_small_to_measure_edges_are_laid_by_their_corners() -> None:
    view = View(height_mm=1900.0)
    found = find_mat(photograph([], view))
    assert found.edges is None
    assert np.abs(found.to_table(project(GRID_MM, view)) - GRID_MM).max() < 2.5


def test_with_another_lens_the_same_edges_count() -> None:
    found = find_mat(photograph([]))
    longer = with_lens(found, Lens(1.0))
    assert longer.edges is found.edges
    assert longer.camera_mm[2] == pytest.approx(found.camera_mm[2] / 0.86, rel=0.01)
    assert np.abs(longer.to_table(found.to_picture(GRID_MM)) - GRID_MM).max() < 0.1


def test_a_moved_mat_is_found_again_and_the_way_it_moved_is_told() -> None:
    before = find_mat(photograph([], View(turn_deg=0.0)))
    after = find_mat(photograph([], View(turn_deg=4.0)), near=before)
    assert after.shift_mm(before) == pytest.approx(283.0 * np.radians(4.0), rel=0.1)
    assert after.shift_mm(after) == pytest.approx(0.0, abs=1e-6)


def test_noise_blur_and_little_light_are_borne() -> None:
    view = View(light=(0.2, 0.22, 0.25), noise=3.0, blur=1.2)
    registration = find_mat(photograph([], view))
    assert np.abs(registration.to_table(project(GRID_MM, view)) - GRID_MM).max() < 0.2


@pytest.mark.parametrize(("blur", "off_mm"), [(2.5, 0.8), (3.0, 1.5)])
def test_a_mat_out_of_focus_is_found(blur: float, off_mm: float) -> None:
    """By all four markers, whose cells are 8 pixels wide; that they seem to lie a little askew is the blur's doing."""
    view = View(blur=blur)
    registration = find_mat(photograph([], view))
    assert len(registration.markers_px) == 4
    assert registration.laid_mm is None
    assert np.abs(registration.to_table(project(GRID_MM, view)) - GRID_MM).max() < off_mm


@pytest.mark.parametrize(("px", "turn_deg"), [(6, 3.0), (10, 3.0), (10, 93.0)])
def test_a_mat_seen_by_a_camera_that_shakes_is_one_mat(px: int, turn_deg: float) -> None:
    """Slantwise: each marker's corners are drawn out then, as if the table were askew and the markers lay loose on it.
    That turned it by up to 23 mm."""
    view = View(turn_deg=turn_deg)
    registration = find_mat(shaken_along(photograph([], view), px, np.pi / 4))
    assert registration.laid_mm is None
    assert np.abs(registration.to_table(project(GRID_MM, view)) - GRID_MM).max() < 1.0


def test_where_a_shaking_camera_shows_no_mat_the_blur_is_named() -> None:
    shaken = shaken_along(photograph([]), 12.0, np.pi / 4)
    with pytest.raises(MarkersMisplaced, match=r"miss their places by .* px.*The picture is blurred"):
        find_mat(shaken)


def test_a_black_picture_says_so() -> None:
    with pytest.raises(PictureTooDark, match="brightest part is 2 of 255"):
        find_mat(np.full((720, 1280, 3), 2, np.uint8))


def test_a_white_picture_and_a_mirrored_one_say_so() -> None:
    with pytest.raises(PictureTooBright, match="darkest part is 255 of 255"):
        find_mat(np.full((720, 1280, 3), 255, np.uint8))
    with pytest.raises(MarkersMissing, match="the picture is mirrored"):
        find_mat(np.ascontiguousarray(photograph([])[:, ::-1]))


def test_a_table_without_mat_says_which_markers_it_lacks() -> None:
    with pytest.raises(MarkersMissing, match="found none of the corner markers 0, 1, 2, 3 in the picture; at least 2"):
        find_mat(np.full((720, 1280, 3), 128, np.uint8))


def test_two_mats_are_refused() -> None:
    small = cv2.resize(photograph([]), (640, 360), interpolation=cv2.INTER_AREA)
    with pytest.raises(MarkersRepeated, match="more than once"):
        find_mat(np.asarray(cv2.resize(np.hstack([small, small]), (2560, 720)), np.uint8))


def with_marker(image: Image, marker: int, top: int, side: int) -> Image:
    """Printed white around, at the picture's left."""
    more = image.copy()
    more[top : top + side + 14, 20 : side + 34] = 255
    print_of = cv2.aruco.generateImageMarker(DICTIONARY, marker, side)
    more[top + 7 : top + 7 + side, 27 : 27 + side] = print_of[..., None]
    return more


def test_print_that_looks_like_one_more_marker_is_none() -> None:
    image, places = photograph([]), np.concatenate(list(MARKERS_MM.values()))
    registration = find_mat(image)
    px = np.linalg.norm(registration.markers_px[1][0] - registration.markers_px[1][1])
    more = with_marker(with_marker(image, 1, 200, round(0.55 * px)), 3, 300, round(0.6 * px))
    assert find_mat(more).to_picture(places) == pytest.approx(registration.to_picture(places), abs=0.05)


@pytest.mark.parametrize("hidden", [(), (2,), (0, 2, 3)])
def test_a_marker_of_another_mat_refuses_the_picture_whatever_hands_hide(hidden: tuple[int, ...]) -> None:
    """Else the other mat would be followed where hands lie over ours."""
    image = photograph([])
    small = np.asarray(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
    ours = small.copy()
    for marker in hidden:
        cv2.fillConvexPoly(ours, np.round(find_mat(image).markers_px[marker] / 2).astype(np.int32), (90, 110, 170))
    with pytest.raises(MarkersRepeated, match="more than once"):
        find_mat(np.asarray(cv2.resize(np.hstack([ours, small]), (2560, 720)), np.uint8))


def test_markers_off_their_places_are_refused() -> None:
    found = find_mat(photograph([])).markers_px
    corners = {0: found[1], 1: found[0], 2: found[2], 3: found[3]}
    with pytest.raises(MarkersMisplaced, match="miss their places by"):
        register(corners, SIZE)


def _matrix() -> np.ndarray:
    focal = 0.86 * SIZE[0]
    return np.array([[focal, 0, (SIZE[0] - 1) / 2], [0, focal, (SIZE[1] - 1) / 2], [0, 0, 1]])
