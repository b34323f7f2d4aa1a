"""A back that is nearly plain is read where it lies, and nowhere else: wood and the mat's printed circle are none."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import cv2
import numpy as np

from hardware.simulated.artwork import Artwork
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import PieceView
from tests.benchmarks.simulated_pieces import FAMILIES, Family, enrolled, photograph
from tests.long import cases
from vision.reader import read_photo
from vision.scene import SURE, PieceKind, Pose

BACK = "special/back"
OCHRE, RED = (60, 150, 190), (20, 20, 120)
SPECIALS = 5


@cache
def art() -> dict[str, Artwork]:
    """Some Specials, and a back that is a word on ochre."""
    drawn = FAMILIES["tiles"].art()
    fronts = [name for name in drawn if name.startswith("special/") and name != BACK][:SPECIALS]
    return {name: drawn[name] for name in fronts} | {BACK: worded(drawn[BACK])}


def worded(drawn: Artwork) -> Artwork:
    picture = drawn.image.copy()
    high, wide = picture.shape[:2]
    card = np.full((high, wide, 3), OCHRE, np.uint8)
    noise = np.random.default_rng(3).normal(0.0, 4.0, (high, wide, 1))
    card = np.clip(card + cv2.GaussianBlur(noise, (0, 0), 3.0)[..., None] * 4, 0, 255).astype(np.uint8)
    scale = 0.75 * wide / cv2.getTextSize("SPECIAL", cv2.FONT_HERSHEY_TRIPLEX, 1.0, 2)[0][0]
    (word, tall), _ = cv2.getTextSize("SPECIAL", cv2.FONT_HERSHEY_TRIPLEX, scale, 3)
    at = ((wide - word) // 2, (high + tall) // 2)
    cv2.putText(card, "SPECIAL", at, cv2.FONT_HERSHEY_TRIPLEX, scale, RED, 3, cv2.LINE_AA)
    picture[..., :3] = card
    return replace(drawn, image=picture)


def lying(face: str, x: float, y: float, turn_deg: float) -> PieceView:
    return PieceView(face, PieceKind.SPECIAL, face, face != BACK, Pose(x, y, turn_deg), 0.0, 1.0, (0.0, 0.0), None)


def _shown_once() -> Iterator[list[PieceView]]:
    yield [lying(face, -150.0 + 100.0 * (i % 3), -80.0 + 160.0 * (i // 3), 90.0) for i, face in enumerate(art())]


FAMILY = Family("plain-back", "ring", art, _shown_once, lambda _: [])


@cases("seed", [1, 4, 2, 3], always=0)
def test_a_nearly_plain_back_is_seen_only_where_it_lies(seed: int) -> None:
    laid = [lying(BACK, -330.0, 140.0, 25.0 * seed), lying(BACK, 120.0, -120.0, -40.0 * seed)]
    image, _ = photograph(FAMILY, laid, Conditions(tilt_deg=2.0, noise=2.0, seed=seed))
    found = read_photo(image, enrolled(FAMILY)).sightings
    assert sorted(round(one.pose.x_mm, -1) for one in found if one.probability >= SURE) == [-330.0, 120.0]
    assert len(found) <= len(laid) + 1
