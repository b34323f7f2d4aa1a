"""Our own art: repeatable, every face its own, pepperoni and anchovies to be counted."""

from itertools import combinations

import cv2
import numpy as np
import pytest

from hardware.simulated.art import draw_all
from hardware.simulated.artwork import Artwork
from hardware.simulated.slice_art import SliceArt, draw_slice
from hardware.simulated.special_art import SpecialArt, draw_special
from tests.hardware.demo_table import demo_slices, demo_specials

PX_PER_MM = 2.0


def seen(art: Artwork) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return art.image[..., :3].astype(np.float64) * (art.image[..., 3:] / 255.0)


def test_every_face_is_drawn_and_none_twice() -> None:
    slices = demo_slices()
    drawn = draw_all(slices, demo_specials(), PX_PER_MM)
    assert len(slices) == 69
    assert len(drawn) == 69 + 14 + 2
    numbered = [art for art in slices if art.values == (11,)]
    for a, b in combinations(numbered, 2):
        assert np.abs(seen(drawn[a.face]) - seen(drawn[b.face])).mean() > 2.0


def test_the_same_face_is_the_same_picture() -> None:
    art = SliceArt("7/3", (7,), 2, 1, "seven")
    assert np.array_equal(draw_slice(art, PX_PER_MM).image, draw_slice(art, PX_PER_MM).image)


@pytest.mark.parametrize("value", [3, 4, 5, 6, 7, 8, 9, 10, 11])
@pytest.mark.parametrize("pepperoni", [0, 1, 2, 3])
def test_pepperoni_can_be_counted(value: int, pepperoni: int) -> None:
    image = draw_slice(SliceArt(f"{value}/2", (value,), pepperoni, 0, ""), 4.0).image
    blue, green, red = (image[..., k].astype(int) for k in range(3))
    bright = ((red > 180) & (green < 72) & (blue < 80)).astype(np.uint8)
    core = cv2.erode(cv2.morphologyEx(bright, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8)), np.ones((25, 25), np.uint8))
    count, _ = cv2.connectedComponents(core)
    assert count - 1 == pepperoni


def test_a_slice_is_a_wedge_with_its_tip_at_the_anchor() -> None:
    art = draw_slice(SliceArt("5/1", (5,), 1, 0, ""), 4.0)
    alpha = art.image[..., 3]
    column, row = art.anchor_px
    assert alpha[round(row) - 40, round(column)] == 255
    assert alpha[round(row) + 3 :, :].max() == 0
    length_mm = (row - np.nonzero(alpha.max(axis=1))[0].min()) / art.px_per_mm
    assert length_mm == pytest.approx(100.0, abs=0.4)
    width_mm = np.nonzero(alpha.max(axis=0))[0].size / art.px_per_mm
    assert width_mm == pytest.approx(2 * 100 * np.sin(np.pi / 11), abs=0.6)


def test_a_special_is_60_by_90_mm() -> None:
    art = draw_special(SpecialArt("special/dibs", "Dibs!", "take one first", False), 4.0)
    rows, columns = np.nonzero(art.image[..., 3] > 127)
    assert (np.ptp(columns) + 1) / 4.0 == pytest.approx(60, abs=0.3)
    assert (np.ptp(rows) + 1) / 4.0 == pytest.approx(90, abs=0.3)


def test_a_blue_star_only_where_it_belongs() -> None:
    def blue(star: bool) -> int:
        image = draw_special(SpecialArt("special/dibs", "Dibs!", "take one first", star), 4.0).image.astype(int)
        return int(((image[..., 0] > 180) & (image[..., 2] < 90)).sum())

    assert blue(True) > 300
    assert blue(False) < 20


def test_a_value_without_art_is_an_error() -> None:
    with pytest.raises(ValueError, match="no art for a slice of value 12"):
        draw_slice(SliceArt("12/1", (12,), 0, 0, ""), PX_PER_MM)
