"""The focal length of a camera that nobody calibrated."""

import math
from dataclasses import replace
from random import Random
from statistics import median

import numpy as np
import pytest

from hardware.simulated.surroundings import Conditions
from tests.benchmarks.simulated_dice import thrown
from tests.benchmarks.simulated_pieces import FAMILIES, REACH_MM, SIZE, photograph
from tests.long import cases
from vision.frame import Image
from vision.looking_for import finders_for
from vision.mat.lens import ANY_CAMERA, TYPICAL_FOCAL, AssumedFocal
from vision.mat.registration import find_mat
from vision.pieces.faces import FacePack
from vision.reader import read_photo
from vision.scene import PieceKind

DIE_MM = 50.0


def picture(conditions: Conditions) -> Image:
    """The mat alone."""
    return photograph(FAMILIES["dice"], (), conditions)[0]


def seen_from(height_mm: float, tilt_deg: float, seed: int) -> Conditions:
    """A camera that sees as much of the table from lower with a shorter lens, in light that the seed says."""
    drawn = Conditions.random(Random(seed))
    return replace(drawn, height_mm=height_mm, tilt_deg=tilt_deg, pan_deg=0.0, k1=-0.02, k2=0.0)


@cases("height_mm", [750.0, 550.0, 1400.0], always=1)
def test_a_mat_seen_leaning_tells_the_focal_length(height_mm: float) -> None:
    """So a die is placed where it stands: as a typical lens sees it, it would stand up to a centimetre beside it."""
    conditions = seen_from(height_mm, 14.0, seed=round(height_mm))
    camera, found = conditions.camera_model(*SIZE), find_mat(picture(conditions))
    assert found.lens.focal_widths * SIZE[0] == pytest.approx(camera.focal_px, rel=0.08)
    assert found.camera_mm[2] == pytest.approx(height_mm, rel=0.08)
    tops = np.array([(x, y, DIE_MM) for x in (-350.0, 0.0, 350.0) for y in (-150.0, 150.0)])
    placed = found.on_table(found.to_table(camera.project(tops)), DIE_MM)
    assert np.linalg.norm(placed - tops[:, :2], axis=1).max() < 2.0


@cases("height_mm", [550.0, 1400.0], always=1)
def test_a_mat_seen_from_straight_above_tells_no_focal_length(height_mm: float) -> None:
    """What is typical is assumed then, whatever small errors of paper and picture seem to say."""
    found = find_mat(picture(seen_from(height_mm, 0.0, seed=7)))
    assert abs(math.log(found.lens.focal_widths / TYPICAL_FOCAL)) < 0.2


@cases("seed", [1, 2], always=1)
def test_corners_laid_by_hand_tell_it_where_the_camera_leans_far(seed: int) -> None:
    """Each is as square and as large as the others, which is less than how they lie to each other."""
    conditions = seen_from(600.0, 22.0, seed=seed).with_corners_by_hand(Random(seed))
    found = find_mat(picture(conditions))
    assert found.laid_mm is not None
    assert found.camera_mm[2] == pytest.approx(600.0, rel=0.12)


def test_what_the_first_picture_told_holds_for_those_after_it() -> None:
    """Also where the camera was tilted upright since: it is the same one."""
    leaning, upright = seen_from(550.0, 14.0, seed=3), seen_from(550.0, 1.0, seed=3)
    first = find_mat(picture(leaning))
    again = find_mat(picture(upright), near=first)
    assert again.lens.focal_widths == first.lens.focal_widths
    assert again.camera_mm[2] == pytest.approx(550.0, rel=0.08)


@cases("height_mm", [550.0, 1400.0], always=0)
def test_what_is_known_of_a_camera_that_looks_straight_down_places_dice(height_mm: float) -> None:
    conditions = seen_from(height_mm, 0.0, seed=7)
    dice = thrown(Random(5), (), REACH_MM)
    image, label = photograph(FAMILIES["dice"], (), conditions, SIZE, (), dice)
    known = AssumedFocal(conditions.camera_model(*SIZE).focal_px / SIZE[0] * 1.03, 0.05)
    nothing = FacePack({}, ())
    off_mm = []
    for assumed in (ANY_CAMERA, known):
        scene = read_photo(image, nothing, assumed=assumed, finders=finders_for({PieceKind.DIE}, nothing))
        places = [(seen.pose.x_mm, seen.pose.y_mm) for seen in scene.sightings]
        true = [(die["x_mm"], die["y_mm"]) for die in label["pieces"] if die["kind"] == "die"]
        off_mm.append(median(min(math.dist(die, place) for die in true) for place in places))
    assert off_mm[1] < 1.0
    assert off_mm[0] > 1.5 * off_mm[1]


@cases("bent", [-0.02, -0.1], always=1)
@cases("times", [0.5, 1.5, 2.5, 5.0], always=1)
def test_a_mat_that_leans_far_tells_more_than_a_photo_that_says_otherwise(times: float, bent: float) -> None:
    """A picture that was cropped, or a module with another lens: what is said of its focal length is wrong."""
    conditions = replace(seen_from(700.0, 20.0, seed=7), k1=bent)
    focal = conditions.camera_model(*SIZE).focal_px / SIZE[0]
    found = find_mat(picture(conditions), assumed=AssumedFocal(focal * times, 0.05))
    assert found.lens.focal_widths == pytest.approx(focal, rel=0.04)


@cases("assumed", [0.828, 2.0, 3.0], always=1)
def test_a_lens_that_bends_otherwise_is_not_the_one_that_was_assumed(assumed: float) -> None:
    """Seen from straight above, too: a wide lens on a module that is sold with another."""
    conditions = replace(seen_from(450.0, 0.0, seed=7), k1=-0.2)
    image = picture(conditions)
    assert find_mat(image, assumed=AssumedFocal(assumed, 0.05)).lens == find_mat(image).lens
