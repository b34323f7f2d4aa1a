"""Poses moved to where their faces fit best."""

from unittest.mock import patch

import numpy as np
import pytest

from tests.vision.ring_read import read_ring
from vision.pieces.verify import Look, refine

MANY = 12


@pytest.mark.long
def test_pieces_that_lie_where_they_fit_best_are_moved_no_further_and_others_get_there() -> None:
    view, _, readings = read_ring()
    mine = [reading for reading in readings if reading.kind is readings[0].kind]
    grid, centre = mine[0].prepared.full, mine[0].prepared.faces.shape.centre
    chosen, lying = np.array([r.face for r in mine]), np.array([r.pose for r in mine])

    def refined(poses: np.ndarray) -> tuple[np.ndarray, int]:
        with patch.object(Look, "colours", autospec=True, side_effect=Look.colours) as looks:
            return refine(view.look, poses, chosen, grid, centre, rounds=MANY), looks.call_count

    there, looks = refined(lying)
    assert looks < MANY / 2
    assert np.abs(there - lying).max() < 0.2
    from_beside, looks = refined(lying + np.array([1.2, -0.8, 1.0]))
    assert np.abs(from_beside - there).max() < 0.1
    assert looks > 2
