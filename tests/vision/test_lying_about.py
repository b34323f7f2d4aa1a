"""Things told from one picture by their colours and sharp edges; light, shadow and print are none."""

from random import Random

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import WorldSnapshot
from tests.benchmarks.simulated_pieces import SIZE
from tests.long import cases
from vision.frame import Frame, Image
from vision.mat.registration import Registration, find_mat
from vision.pieces.faces import FacePack
from vision.reader import Reader
from vision.scene import HiddenCause, HiddenPlace

Outline = NDArray[np.float64]
Colour = tuple[float, float, float]
COPPER, BLUE, BLACK = (40.0, 70.0, 110.0), (140.0, 60.0, 50.0), (45.0, 45.0, 45.0)


@pytest.fixture(scope="module")
def bare() -> Image:
    """A table with nothing on its mat."""
    conditions = Conditions(tilt_deg=1.0)
    return Renderer({}, conditions.camera_model(*SIZE), conditions).render(WorldSnapshot(0.0, (), (), frozenset(), ()))


@pytest.fixture(scope="module")
def registration(bare: Image) -> Registration:
    return find_mat(bare)


def read(image: Image) -> tuple[HiddenPlace, ...]:
    return Reader(FacePack({}, ()), thorough=True).read(Frame(image, 0.0, 0)).hidden


def disc(x: float, y: float, radius: float) -> Outline:
    around = np.linspace(0, 2 * np.pi, 60)
    return np.asarray(radius * np.stack([np.cos(around), np.sin(around)], 1) + (x, y))


def rectangle(x: float, y: float, width: float, height: float) -> Outline:
    return np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]])


def mask_of(image: Image, registration: Registration, outline_mm: Outline) -> NDArray[np.float32]:
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(registration.to_picture(outline_mm)).astype(np.int32)], 255)
    return np.asarray(mask / np.float32(255))


def painted(image: Image, registration: Registration, outline_mm: Outline, colour: Colour) -> Image:
    mask = mask_of(image, registration, outline_mm)
    noise = np.random.default_rng(1).normal(0.0, 1.5, image.shape)
    return np.where(mask[..., None] > 0, np.clip(np.array(colour) + noise, 0, 255), image).astype(np.uint8)


def lit(image: Image, registration: Registration, outline_mm: Outline, share: Colour, soft_px: float) -> Image:
    """With so many times the light, channel by channel, within an outline that is soft."""
    mask = cv2.GaussianBlur(mask_of(image, registration, outline_mm), (0, 0), soft_px)
    return np.clip(image * (1.0 + mask[..., None] * (np.array(share) - 1.0)), 0, 255).astype(np.uint8)


def hidden_share(hidden: tuple[HiddenPlace, ...], outline_mm: Outline) -> float:
    """The share of an outline that is hidden."""
    masks = []
    for outlines in ([outline_mm], [np.array(place.outline_mm) for place in hidden]):
        mask = np.zeros((1000, 1400), np.uint8)
        for outline in outlines:
            cv2.fillPoly(mask, [np.round(outline + np.array([700, 500])).astype(np.int32)], 1)
        masks.append(mask)
    return float((masks[0] & masks[1]).sum()) / float(masks[0].sum())


@cases(
    ("outline", "colour"),
    [
        (disc(60.0, 70.0, 10.0), COPPER),  # a coin on the mat
        (disc(-270.0, -60.0, 9.0), BLUE),  # a button beside it
        (disc(-70.0, 90.0, 7.0), BLACK),  # a button
        (disc(-270.0, 60.0, 30.0), BLUE),  # a lid beside it
        (rectangle(260.0, -80.0, 60.0, 90.0), (235.0, 235.0, 235.0)),  # paper on dark wood
    ],
    always=2,
)
def test_what_lies_about_is_outlined(bare: Image, registration: Registration, outline: Outline, colour: Colour) -> None:
    hidden = read(painted(bare, registration, outline, colour))
    assert {place.cause for place in hidden} == {HiddenCause.FOREIGN}
    assert hidden_share(hidden, outline) > 0.7


def test_white_paper_on_the_cream_mat_is_outlined(bare: Image, registration: Registration) -> None:
    card = rectangle(-30.0, 60.0, 60.0, 50.0)
    white = np.median(bare[mask_of(bare, registration, disc(0.0, 100.0, 20.0)) > 0], axis=0) * (1.08, 1.04, 1.0)
    assert hidden_share(read(painted(bare, registration, card, tuple(white))), card) > 0.7


def test_a_grey_cup_is_told_from_a_shadow_by_its_edges(bare: Image, registration: Registration) -> None:
    """Both are darker than the mat by one measure in all colours."""
    cup = bare
    for radius, share in ((40.0, 0.6), (33.0, 0.85), (26.0, 0.55), (18.0, 0.8), (10.0, 0.6)):
        cup = lit(bare if radius == 40.0 else cup, registration, disc(60.0, 70.0, radius), (share,) * 3, 0.8)
    assert hidden_share(read(cup), disc(60.0, 70.0, 40.0)) > 0.5
    assert not read(lit(bare, registration, disc(60.0, 70.0, 40.0), (0.6,) * 3, 0.8))


@pytest.mark.long
@cases("seed", [72004, 72033, 72036], always=1)
def test_letters_and_rings_on_dark_mats_are_no_things(seed: int) -> None:
    conditions = Conditions.random(Random(seed))
    renderer = Renderer({}, conditions.camera_model(*SIZE), conditions)
    assert not read(renderer.render(WorldSnapshot(0.0, (), (), frozenset(), ())))


@pytest.mark.long
def test_the_mats_print_and_light_on_the_table_are_no_things(bare: Image, registration: Registration) -> None:
    assert not read(bare)
    assert not read(lit(bare, registration, disc(-280.0, 0.0, 40.0), (1.3, 1.35, 1.4), 12.0))
    assert not read(lit(bare, registration, disc(-280.0, 0.0, 40.0), (0.55, 0.52, 0.5), 2.0))
    assert not read(lit(bare, registration, disc(40.0, 60.0, 40.0), (0.55, 0.52, 0.5), 2.0))
