"""The geometry that counts pips on a top face."""

from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from hardware.simulated.dice import PIPS
from vision.dice.pips import SIDE_PX, SIZE, pip_fits
from vision.frame import Image

RED, DARK, IVORY = (50, 40, 190), (70, 72, 75), (215, 230, 235)
FINE = 8


def _top(
    value: int, body: tuple[int, ...], pips: tuple[int, ...], *, arcs: bool = False, turned: bool = False
) -> Image:
    """A top face with its pips; `arcs`: a ring of white lamps is mirrored in it."""
    return _spotted(PIPS[value], body, pips, arcs=arcs, turned=turned)


def _spotted(
    spots: Sequence[tuple[float, float]],
    body: tuple[int, ...],
    pips: tuple[int, ...],
    *,
    arcs: bool = False,
    turned: bool = False,
) -> Image:
    wide = SIZE * FINE
    face = np.full((wide, wide, 3), body, np.uint8)
    for across, up in spots:
        across, up = (up, -across) if turned else (across, up)
        at = (round(wide / 2 + across * 0.25 * SIDE_PX * FINE), round(wide / 2 + up * 0.25 * SIDE_PX * FINE))
        cv2.circle(face, at, round(0.1 * SIDE_PX * FINE), pips, -1)
    lit = face.astype(np.float64)
    if arcs:
        ring = np.zeros((wide, wide), np.uint8)
        cv2.ellipse(ring, (wide // 2, round(wide * 0.55)), (wide // 4, wide // 4), 20, 0, 250, 150, 2 * FINE)
        lit += ring[..., None]
    small = cv2.resize(np.clip(lit, 0, 255), (SIZE, SIZE), interpolation=cv2.INTER_AREA)
    noise = np.random.default_rng(len(spots)).normal(0, 2, small.shape)
    return np.asarray(np.clip(small + noise, 0, 255), np.uint8)


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("colours", [(IVORY, DARK), (DARK, RED), (RED, IVORY), (DARK, IVORY)])
def test_a_clear_face_shows_its_own_value(
    value: int, colours: tuple[tuple[int, ...], tuple[int, ...]], *, turned: bool
) -> None:
    fits = pip_fits(_top(value, *colours, turned=turned))[0]
    assert fits.argmax() + 1 == value
    assert fits.max() > 0.6


@pytest.mark.parametrize("value", range(1, 7))
def test_a_lamp_mirrored_over_pips_of_another_hue_hides_none(value: int) -> None:
    fits = pip_fits(_top(value, DARK, RED, arcs=True))[0]
    assert fits.argmax() + 1 == value
    assert fits.max() > 0.5
    assert np.sort(fits)[-1] - np.sort(fits)[-2] > 0.05


@pytest.mark.parametrize("turned", [False, True])
def test_more_pips_than_a_die_has_are_told_from_a_six(*, turned: bool) -> None:
    columns = [(x, y) for x in (-1, 1) for y in (-1, 0, 1)]
    for value in range(1, 7):
        fits, more = pip_fits(_top(value, IVORY, DARK, turned=turned))
        assert more < fits[value - 1] - 0.05
    for spots in ([*columns, (0, 0)], [*columns, (0, -1), (0, 1)], [*columns, (0, -1), (0, 0), (0, 1)]):
        fits, more = pip_fits(_spotted(spots, IVORY, DARK, turned=turned))
        assert more > fits.max() + 0.1


def test_an_even_top_and_what_is_all_one_blur_show_none() -> None:
    even = np.full((SIZE, SIZE, 3), 120, np.uint8)
    assert pip_fits(even)[0].max() < 0.01
    slope = np.asarray(even + np.arange(SIZE, dtype=np.uint8)[:, None, None] * 2, np.uint8)
    assert pip_fits(slope)[0].max() < 0.05
    noise = np.random.default_rng(3).integers(0, 256, even.shape, np.uint8)
    assert pip_fits(noise)[0].max() < 0.4
