"""Where a table's calibrated lens is kept: one file for each camera, in the data folder."""

import re
from pathlib import Path

from config.schema import TableConfig
from vision.frame import Image
from vision.mat.lens import Lens
from vision.mat.lens_file import load_lens


def lens_file(config: TableConfig) -> Path:
    """The file of this table's camera, whether it is there or not."""
    camera = re.sub(r"[^a-z0-9]+", "-", config.camera.driver.lower()).strip("-")
    return config.data_dir / f"lens-{camera}.json"


def lens_for(path: Path | None, image: Image | None = None) -> Lens | None:
    """The lens in a file that was named, if one was; for pictures of this one's shape.

    Raises:
        LensFileError: the file is damaged, or was made from pictures of another shape.
        OSError: it cannot be read.
    """
    if path is None:
        return None
    return load_lens(path, None if image is None else (image.shape[1], image.shape[0]))


def stored_lens(config: TableConfig) -> Lens | None:
    """The calibrated lens of this table's camera; None where it was not calibrated.

    Raises:
        LensFileError: the file is damaged, or was made from pictures of another shape.
        OSError: it cannot be read.
    """
    path = lens_file(config)
    return load_lens(path, (config.camera.width, config.camera.height)) if path.exists() else None
