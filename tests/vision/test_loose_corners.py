"""Markers that are laid on a table one by one, each a little beside its place."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.long import cases
from tests.vision.drawn_table import View, photograph, project, taken
from vision.frame import Image
from vision.mat.errors import MarkersMisplaced
from vision.mat.markers import MARKERS_MM
from vision.mat.registration import find_mat, lens_doubt

Array = NDArray[np.float64]

CARD_MM, CARD_PX_PER_MM = 48.0, 8
GRID_MM = np.array([(x, y) for x in (-400.0, -200.0, 0.0, 200.0, 400.0) for y in (-220.0, 0.0, 220.0)])
SQUARE = np.array([[-1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])


def laid_by_hand(seed: int, off_mm: float, off_deg: float) -> Array:
    """How far each corner lies beside its place: mm, mm and radians (4 x 3)."""
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.normal(0.0, off_mm, (4, 2)), np.radians(rng.normal(0.0, off_deg, 4))])


def picture_of(laid: Array, view: View | None = None, hidden: int | None = None) -> Image:
    """Corners laid so on a wooden table."""
    view = view or View(size=(1920, 1080))
    picture = np.full((view.size[1], view.size[0], 3), (70, 110, 150), np.uint8)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    side = round(CARD_MM * CARD_PX_PER_MM)
    for number, (x, y, turn) in enumerate(laid):
        if number == hidden:
            continue
        card = np.full((side, side, 3), 235, np.uint8)
        marker = cv2.aruco.generateImageMarker(dictionary, number, 36 * CARD_PX_PER_MM)
        edge = (side - marker.shape[0]) // 2
        card[edge:-edge, edge:-edge] = np.clip(marker, 20, 235)[..., None]
        spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        corners_mm = SQUARE * CARD_MM / 2 @ spin + MARKERS_MM[number].mean(0) + [x, y]
        corners_px = np.array([[0, 0], [side, 0], [side, side], [0, side]], np.float32) - 0.5
        where = cv2.getPerspectiveTransform(corners_px, project(corners_mm, view).astype(np.float32))
        laid_card = cv2.warpPerspective(card, where, view.size, flags=cv2.INTER_AREA)
        there = cv2.warpPerspective(np.full(card.shape[:2], 255, np.uint8), where, view.size)
        picture = np.where(there[..., None] > 127, laid_card, picture)
    return taken(np.asarray(picture, np.uint8), view)


def farthest_off_mm(found: Array, truth: Array) -> float:
    """How far points are from where they are at most, wherever the middle of all is and however all are turned."""
    here, there = found - found.mean(0), truth - truth.mean(0)
    left, _, right = np.linalg.svd(here.T @ there)
    return float(np.linalg.norm(here @ left @ right - there, axis=1).max())


@cases("seed", range(6), always=2)
def test_corners_laid_by_hand_show_the_table_by_their_size_and_shape(seed: int) -> None:
    view = View(size=(1920, 1080))
    found = find_mat(picture_of(laid_by_hand(seed, 3.0, 2.0), view))
    assert found.laid_mm is not None
    assert farthest_off_mm(found.to_table(project(GRID_MM, view)), GRID_MM) < 4.0
    shifts = np.array([found.laid_mm[i].mean(0) - MARKERS_MM[i].mean(0) for i in sorted(MARKERS_MM)])
    assert np.abs(shifts).max() > 1.0


@pytest.mark.parametrize("noise", [1.5, 4.0])
def test_markers_of_one_mat_are_taken_for_such(noise: float) -> None:
    assert find_mat(photograph([], View(noise=noise))).laid_mm is None
    assert find_mat(picture_of(np.zeros((4, 3)), View(size=(1920, 1080), noise=noise))).laid_mm is None


def test_three_corners_tell_it_too_until_the_fourth_is_seen() -> None:
    laid = laid_by_hand(1, 3.0, 2.0)
    view = View(size=(1920, 1080))
    three = find_mat(picture_of(laid, view, hidden=2))
    assert sorted(three.laid_mm or {}) == [0, 1, 3]
    assert farthest_off_mm(three.to_table(project(GRID_MM, view)), GRID_MM) < 6.0
    four = find_mat(picture_of(laid, view), near=three)
    assert sorted(four.laid_mm or {}) == [0, 1, 2, 3]
    assert farthest_off_mm(four.to_table(project(GRID_MM, view)), GRID_MM) < 4.0


def test_where_corners_were_laid_is_kept_while_one_is_hidden() -> None:
    laid = laid_by_hand(1, 3.0, 2.0)
    view = View(size=(1920, 1080))
    before = find_mat(picture_of(laid, view))
    after = find_mat(picture_of(laid, replace(view, seed=2), hidden=2), near=before)
    assert sorted(after.markers_px) == [0, 1, 3]
    assert after.laid_mm == before.laid_mm
    assert after.shift_mm(before) < 1.0


def test_a_corner_that_somebody_moves_is_told_anew() -> None:
    laid = laid_by_hand(1, 3.0, 2.0)
    moved = laid + np.array([[0.0, 0.0, 0.0], [9.0, -7.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    view = View(size=(1920, 1080))
    after = find_mat(picture_of(moved, view), near=find_mat(picture_of(laid, view)))
    assert farthest_off_mm(after.to_table(project(GRID_MM, view)), GRID_MM) < 4.0


def test_another_cameras_lens_is_not_taken_for_loose_corners() -> None:
    view = View(size=(1920, 1080))
    printed = picture_of(np.zeros((4, 3)), view)
    own = find_mat(printed).lens
    for k1 in (-0.12, 0.12):
        other = replace(own, k1=own.k1 + k1)
        found = find_mat(printed, lens=other)
        assert found.laid_mm is None
        assert "it may be another camera's" in lens_doubt(found, other)


def test_loose_corners_do_not_speak_against_the_own_lens() -> None:
    view = View(size=(1920, 1080))
    own = find_mat(picture_of(np.zeros((4, 3)), view)).lens
    found = find_mat(picture_of(laid_by_hand(3, 3.0, 2.0), view), lens=own)
    assert found.laid_mm is not None
    assert lens_doubt(found, own) == ""
    assert farthest_off_mm(found.to_table(project(GRID_MM, view)), GRID_MM) < 4.0


def test_a_corner_far_from_its_place_is_refused() -> None:
    laid = np.zeros((4, 3))
    laid[2, :2] = 45.0, 30.0
    with pytest.raises(MarkersMisplaced, match="miss their places by"):
        find_mat(picture_of(laid))
