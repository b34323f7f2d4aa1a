"""Maps that are known at every few pixels are filled in between, and go on beyond the last."""

import numpy as np
import pytest

from vision.spreading import spread


@pytest.mark.parametrize(("width", "height"), [(21, 15), (19, 13), (25, 22), (1, 1)])
def test_what_is_straight_stays_straight_also_beyond_the_last_known_pixel(width: int, height: int) -> None:
    rows, columns = np.mgrid[0:15:3, 0:21:3].astype(np.float64)
    found = spread(np.stack([5.0 + 2.0 * columns, -rows], axis=-1), 3, width, height)
    y, x = np.indices((height, width))
    assert found.shape == (height, width, 2)
    assert found == pytest.approx(np.stack([5.0 + 2.0 * x, -1.0 * y], axis=-1), abs=1e-3)


def test_known_pixels_are_kept_and_those_between_lie_on_the_way() -> None:
    sparse = np.random.default_rng(1).random((4, 5, 2)) * 100.0
    found = spread(sparse, 4, 20, 16)
    assert found[::4, ::4] == pytest.approx(sparse, rel=1e-5)
    assert found[1, 4] == pytest.approx(sparse[0, 1] * 0.75 + sparse[1, 1] * 0.25, rel=1e-4)
    assert found[2, 2] == pytest.approx(sparse[:2, :2].mean(axis=(0, 1)), rel=1e-4)
