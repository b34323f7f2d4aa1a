"""The rendered pictures beside the repository with their truth files, and the faces learned from them."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from vision.frame import Image
from vision.pieces.faces import FacePack
from vision.pieces.learning import enrol

PHOTOS = Path(__file__).parents[2].parent / "shared" / "photos" / "table"

with_photos = pytest.mark.skipif(not PHOTOS.is_dir(), reason=f"no pictures at {PHOTOS}")
"""Skips a test where the pictures are missing."""


def load(name: str) -> tuple[Image, dict[str, Any]]:
    """A picture and what its truth file says."""
    image = cv2.imread(str(PHOTOS / f"{name}.jpg"), cv2.IMREAD_COLOR)
    assert image is not None
    return np.asarray(image, np.uint8), json.loads((PHOTOS / f"{name}.json").read_text())


@cache
def pack_of(kind: str) -> FacePack:
    """The faces on the enrol pictures of a kind, such as "alpha" (tiles of that style) or "cards-alpha"."""
    names = sorted(path.stem for path in PHOTOS.glob(f"enrol-{kind}-*.json"))
    return enrol([load(name) for name in names], source=names)
