"""Poses moved to where their faces fit best."""

from random import Random
from unittest.mock import patch

import numpy as np

from tests.benchmarks.vision_tables import enrolled, render, ring_table
from vision.mat.rectify import table_map
from vision.mat.registration import find_mat
from vision.pieces.features import find_keypoints
from vision.pieces.finding import find_pieces
from vision.pieces.from_above import FromAbove
from vision.pieces.search import build_index
from vision.pieces.verify import Look, prepare, refine

MANY = 12


def test_pieces_that_lie_where_they_fit_best_are_moved_no_further_and_others_get_there() -> None:
    picture = render(ring_table(Random(1)), (1280, 720), 10)
    registration = find_mat(picture)
    view = FromAbove(picture, table_map(registration), registration)
    faces = enrolled((1280, 720)).kinds
    kinds = {kind: prepare(some) for kind, some in faces.items()}
    readings = find_pieces(view.look, find_keypoints(view.looked, view.table), kinds, build_index(faces))
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
