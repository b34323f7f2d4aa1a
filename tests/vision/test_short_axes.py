"""What is quicker along short axes is what numpy says."""

import numpy as np
import pytest

from vision.short_axes import dot, median, median_of, middle_row, row_medians, row_quantiles, total

NUMBERS = np.random.default_rng(3)


def colours(*shape: int) -> np.ndarray:
    return NUMBERS.normal(size=(*shape, 3)).astype(np.float32)


@pytest.mark.parametrize("shape", [(), (5,), (4, 7)])
def test_sums_and_products_over_channels(shape: tuple[int, ...]) -> None:
    one, other = colours(*shape), colours(*shape)
    assert dot(one, other) == pytest.approx((one * other).sum(-1), rel=1e-5, abs=1e-6)
    assert total(one) == pytest.approx(one.sum(-1), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("count", range(1, 11))
def test_the_median_of_any_count(count: int) -> None:
    values = np.concatenate([colours(6, count), np.zeros((2, count, 3), np.float32)])
    kept = values.copy()
    assert np.array_equal(median(values, 1), np.median(values, axis=1))
    assert np.array_equal(values, kept), "nothing is put in order in place"


@pytest.mark.parametrize("count", [1, 2, 3, 40, 41, 200])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_quantiles_and_medians_of_rows(count: int, kind: type) -> None:
    rows: np.ndarray = NUMBERS.normal(size=(7, 3, count)).astype(kind)
    kept = rows.copy()
    assert np.array_equal(row_medians(rows), np.median(rows, axis=-1))
    assert median_of(rows) == np.median(rows)
    assert median_of(rows[0, 0]) == np.median(rows[0, 0])
    for share in (0.0, 0.25, 0.35, 0.5, 0.9, 1.0):
        assert row_quantiles(rows, share) == pytest.approx(np.quantile(rows, share, axis=-1), rel=1e-6, abs=1e-6)
    assert np.array_equal(middle_row(rows[:, 0]), np.median(rows[:, 0], axis=0))
    assert np.array_equal(rows, kept), "nothing is put in order in place"
