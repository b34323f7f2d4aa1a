"""What is around a die is seen from near and from far, so that a whole hand tells itself from grain and shadows."""

import numpy as np
import pytest

from tests.vision.drawn_table import View, photograph
from vision.dice.holding import CHANNELS, PX, WIDE_MM, shown
from vision.mat.registration import find_mat
from vision.scene import FaceLikelihood, PieceKind, Pose, Sighting

OWN, OTHERS = 3, 4


def die_at(x: float, y: float, side: float = 20.0) -> Sighting:
    half = side / 2
    outline = tuple((x + a * half, y + b * half) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
    return Sighting(PieceKind.DIE, Pose(x, y, 0.0), (FaceLikelihood("5", 0.99),), True, 1.0, outline)


def test_a_die_is_shown_with_the_others_around_it_from_near_and_from_far() -> None:
    picture = photograph([], View())
    registration = find_mat(picture)
    dice = [die_at(0.0, 0.0), die_at(-30.0, 0.0), die_at(0.0, 120.0)]
    looks = shown(picture, registration, dice)
    assert looks.shape == (3, 2 * CHANNELS, PX, PX)
    near, wide = looks[0, :CHANNELS], looks[0, CHANNELS:]
    half = PX // 2
    for look in (near, wide):
        assert look[OWN, half, half] > 0.9
        assert look[OTHERS, half, half] == 0.0
    assert near[OTHERS].any()
    assert not near[OTHERS, :, half:].any()
    assert wide[OTHERS, : half - 10].any()
    row = np.argwhere(wide[OTHERS, : half - 10].any(1)).mean()
    assert row == pytest.approx(half - 120.0 * PX / WIDE_MM, abs=2.5)
    alone = shown(picture, registration, dice[:1])[0]
    assert np.array_equal(alone[:3], near[:3])
    assert not alone[[OTHERS, CHANNELS + OTHERS]].any()


def test_beyond_the_pictures_edge_nothing_is_shown() -> None:
    picture = photograph([], View())
    registration = find_mat(picture)
    left = registration.to_table(np.array([[40.0, picture.shape[0] / 2]]))[0]
    wide = shown(picture, registration, [die_at(float(left[0]), float(left[1]))])[0, CHANNELS : CHANNELS + 3]
    sides = [part for part in (wide[:, :, :8], wide[:, :, -8:], wide[:, :8], wide[:, -8:]) if np.ptp(part) == 0.0]
    assert len(sides) == 1
    assert sides[0].ravel()[0] == pytest.approx(0.0, abs=0.01)
