"""How bright white paper is on a table."""

import cv2
import numpy as np

from tests.vision.drawn_table import View, photograph
from vision.light.glare import paper_levels
from vision.light.paper import paper_seen
from vision.mat.registration import find_mat


def test_paper_that_is_cut_off_is_told_on_a_dark_mat_that_blur_mixes_with_it() -> None:
    """A lamp that was switched on over such a mat was not noticed for twenty seconds by a held webcam."""
    picture = photograph((), View(noise=0.0))
    registration = find_mat(picture)
    paper = np.zeros(picture.shape[:2], np.uint8)
    for corners in registration.markers_px.values():
        middle = corners.mean(0)
        cv2.fillConvexPoly(paper, np.round(middle + 1.12 * (corners - middle)).astype(np.int32), (255,))
    dark = np.where(paper[..., None] > 0, picture, np.uint8(40))
    bright = np.clip(cv2.GaussianBlur(dark, (0, 0), 1.8).astype(np.float32) * 1.35, 0, 255).astype(np.uint8)
    assert max(paper_levels(bright, registration).values()) < 245.0
    assert min(max(level) for level in paper_seen(bright, registration, ())) > 250.0
