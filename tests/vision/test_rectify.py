"""The table seen from above, and a picture's values at points."""

import numpy as np

from vision.mat.rectify import sample


def test_as_many_points_as_many_guesses_of_many_faces_have_are_looked_at() -> None:
    """OpenCV takes no more than 32 766 rows at once: 27 places around three faces each of 410 guesses are more."""
    random = np.random.default_rng(3)
    picture = random.integers(0, 256, (24, 32, 3), np.uint8)
    points = random.integers(0, 24, (33_210, 2, 2)).astype(np.float32)
    column, row = np.moveaxis(points.astype(int), -1, 0)
    assert (sample(picture, points) == picture[row, column]).all()
