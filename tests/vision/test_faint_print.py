"""Faces whose print is hardly darker than the card are read; what shows less than they do is none of them."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from hardware.simulated.artwork import Artwork
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import PieceView
from tests.benchmarks.simulated_pieces import FAMILIES, Family, enrolled, photograph, photographs
from tests.long import cases
from vision.reader import read_photo
from vision.reports.compared import compare, true_pieces
from vision.scene import SURE, PieceKind, Pose

FACES, FAINT = 6, 0.2
"""So much of its contrast is left of the print of so many Specials."""


@cache
def art() -> dict[str, Artwork]:
    """Specials whose print is faint."""
    drawn = FAMILIES["tiles"].art()
    return {name: faint(drawn[name]) for name in [name for name in drawn if name.startswith("special/")][:FACES]}


def faint(drawn: Artwork) -> Artwork:
    picture = drawn.image.copy()
    colours = picture[..., :3].astype(np.float64)
    card = np.median(colours.reshape(-1, 3), axis=0)
    picture[..., :3] = np.clip(card + FAINT * (colours - card), 0, 255)
    return replace(drawn, image=picture)


def laid_out(shift_mm: float = 0.0, turn_deg: float = 0.0) -> list[PieceView]:
    return [
        PieceView(
            face,
            PieceKind.SPECIAL,
            face,
            True,
            Pose(-150.0 + 100.0 * (i % 3) + shift_mm, -80.0 + 160.0 * (i // 3), 90.0 + turn_deg * i),
            0.0,
            1.0,
            (0.0, 0.0),
            None,
        )
        for i, face in enumerate(art())
    ]


def _shown_once() -> Iterator[list[PieceView]]:
    yield laid_out()


FAMILY = Family("faint", "ring", art, _shown_once, lambda _: [])


@cases(("seed", "light"), [(1, 1.0), (3, 0.5)], always=0)
def test_faint_print_is_read(seed: int, light: float) -> None:
    conditions = Conditions(tilt_deg=2.0, light=light, noise=3.0, seed=seed)
    image, labels = photograph(FAMILY, laid_out(7.0 * seed, 35.0 * seed), conditions)
    matches, missing, extra = compare(read_photo(image, enrolled(FAMILY)), true_pieces(labels, "faint"))
    assert len(matches) == FACES
    assert not missing
    assert not extra
    assert all(match.right and match.sighting.probability >= SURE for match in matches)


@pytest.mark.long
def test_nothing_else_is_taken_for_faint_print() -> None:
    image, _ = photographs(FAMILIES["cards"], 955001)
    assert not read_photo(image, enrolled(FAMILY)).sightings
