"""Hands over the mat in single pictures: many cells of one side, and skin hardly of another colour than the paper."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import WorldSnapshot
from tests.benchmarks.hands_report import noticed
from tests.benchmarks.simulated_pieces import FAMILIES, SIZE, photographs
from tests.long import cases
from vision.frame import Frame, Image
from vision.pieces.faces import FacePack
from vision.reader import Reader
from vision.scene import HiddenCause, HiddenPlace

PALM_MM = np.array([[-90.0, -60.0], [-20.0, -60.0], [-15.0, 30.0], [-95.0, 30.0]])
NOTHING_ENROLLED = FacePack({}, ())


def read(image: Image) -> tuple[Reader, tuple[HiddenPlace, ...]]:
    reader = Reader(NOTHING_ENROLLED, thorough=True)
    return reader, reader.read(Frame(image, 0.0, 0)).hidden


@pytest.fixture(scope="module")
def bare() -> Image:
    """A table with nothing on its mat."""
    conditions = Conditions(tilt_deg=1.0)
    renderer = Renderer({}, conditions.camera_model(*SIZE), conditions)
    return renderer.render(WorldSnapshot(0.0, (), (), frozenset(), ()))


def tinted(bare: Image, blue_green_red: tuple[float, float, float]) -> Image:
    """The same where a palm would lie, of another colour."""
    reader, _ = read(bare)
    assert reader.registration is not None
    outline = np.round(reader.registration.to_picture(PALM_MM)).astype(np.int32)
    mask = np.zeros(bare.shape[:2], np.uint8)
    cv2.fillPoly(mask, [outline], 255)
    other = np.clip(bare * np.array(blue_green_red), 0, 255).astype(np.uint8)
    return np.where(mask[..., None] > 0, other, bare)


def in_palm(hidden: tuple[HiddenPlace, ...]) -> float:
    """The share of the palm that is hidden."""
    masks: list[NDArray[np.uint8]] = []
    for outlines in ([PALM_MM], [np.array(place.outline_mm) for place in hidden]):
        mask = np.zeros((400, 400), np.uint8)
        for outline in outlines:
            cv2.fillPoly(mask, [np.round(outline + 200).astype(np.int32)], 1)
        masks.append(mask)
    return float((masks[0] & masks[1]).sum()) / float(masks[0].sum())


@pytest.mark.long
@cases("skin", [(0.88, 0.98, 1.03), (0.9, 0.99, 1.04)], always=1)
def test_skin_hardly_of_another_colour_than_the_mat_is_noticed(bare: Image, skin: tuple[float, float, float]) -> None:
    assert in_palm(read(tinted(bare, skin))[1]) > 0.8


@cases("light", [(0.86, 0.9, 0.94), (1.02, 1.06, 1.1), (0.8, 0.8, 0.8)], always=1)
def test_light_and_shadow_of_a_little_colour_are_no_hands(bare: Image, light: tuple[float, float, float]) -> None:
    """They make all colours darker, or all brighter."""
    assert in_palm(read(tinted(bare, light))[1]) == 0.0


@pytest.mark.long
@cases("seed", [23, 24], always=1)
def test_hands_over_a_side_of_the_mat_are_not_taken_for_its_light(seed: int) -> None:
    image, labels = photographs(replace(FAMILIES["theory"], with_hands=1.0), seed)
    reader = Reader(NOTHING_ENROLLED, thorough=True)
    scene = reader.read(Frame(image, 0.0, 0))
    assert reader.registration is not None
    outlines = [
        np.array(o, np.float64) for one in labels["pieces"] if one["kind"] == "hand" for o in one["outlines_px"]
    ]
    area, told = noticed("", scene, reader.registration, outlines).on_mat
    assert told > 0.75 * area


def painted(bare: Image, outline_mm: NDArray[np.float64]) -> tuple[Reader, tuple[HiddenPlace, ...]]:
    """What is hidden where something blue has this outline."""
    reader, _ = read(bare)
    assert reader.registration is not None
    image = bare.copy()
    cv2.fillPoly(image, [np.round(reader.registration.to_picture(outline_mm)).astype(np.int32)], (140, 60, 50))
    return read(image)


def reach_mm(hidden: tuple[HiddenPlace, ...]) -> float:
    """How far to the left what is hidden reaches."""
    return -min(float(np.array(place.outline_mm)[:, 0].min()) for place in hidden)


def test_what_ends_beside_the_mats_edge_is_no_hand(bare: Image) -> None:
    """The table shows beside it as it does elsewhere: no arm goes on there."""
    around = np.linspace(0, 2 * np.pi, 60)
    coaster = np.stack([45 * np.cos(around) - 180, 45 * np.sin(around) + 20], 1)
    _, hidden = painted(bare, coaster)
    assert {place.cause for place in hidden} == {HiddenCause.FOREIGN}
    assert reach_mm(hidden) < 240


def test_what_goes_on_beyond_the_mats_edge_is_a_hand(bare: Image) -> None:
    sleeve = np.array([[-900.0, -30.0], [-120.0, -30.0], [-120.0, 45.0], [-900.0, 45.0]])
    _, hidden = painted(bare, sleeve)
    assert {place.cause for place in hidden} == {HiddenCause.HAND}
    assert reach_mm(hidden) > 300
