"""Photos in files: read whole or refused, and written."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.files.file_ends import is_cut_off
from vision.frame import Image
from vision.mat.errors import VisionError

ENDS = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff")
"""How a photo's name may end, in small letters or capitals; the first is preferred."""


class PhotoError(VisionError):
    """A file is no picture that can be read, or cannot be written."""


def load_photo(path: Path) -> Image:
    """The picture in a file. Raises PhotoError."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PhotoError(f"{path}: cannot be read: {error.strerror}") from error
    if is_cut_off(content):
        raise PhotoError(f"{path}: the file is cut off after {len(content)} bytes; expected a whole picture")
    try:
        image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR) if content else None
    except cv2.error as error:  # larger than OpenCV's limits
        raise PhotoError(f"{path}: cannot be decoded: {error.err}; expected a photo of a camera's size") from error
    if image is None:
        raise PhotoError(
            f"{path}: expected a picture such as JPEG or PNG, found {len(content)} bytes of something else"
        )
    return image.astype(np.uint8, copy=False)


def save_photo(path: Path, image: Image) -> None:
    """Write a picture, in the format its name ends with. Raises PhotoError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _, encoded = cv2.imencode(path.suffix, image)
        path.write_bytes(encoded.tobytes())
    except OSError as error:
        raise PhotoError(f"{path}: cannot be written: {error.strerror}") from error


def photo_beside(labels_file: Path, labels: Mapping[str, Any]) -> Path:
    """The photo of a labels file: the one it names, if that lies beside it, or one with its own name.

    Raises:
        PhotoError: there is none.
    """
    said = labels.get("photo")
    named = [labels_file.with_name(Path(said).name)] if isinstance(said, str) and Path(said).name else []
    if named and named[0].is_file():
        return named[0]
    if alike := _alike(labels_file):
        return alike[0]
    looked_for = " or ".join(dict.fromkeys(path.name for path in [*named, labels_file.with_suffix(ENDS[0])]))
    raise PhotoError(f"{labels_file}: its photo is missing; expected {looked_for} beside it")


def has_photo_beside(labels_file: Path) -> bool:
    """Whether a photo with the file's own name lies beside it."""
    return bool(_alike(labels_file))


def _alike(labels_file: Path) -> list[Path]:
    ends = [written for end in ENDS for written in (end, end.upper(), end[:2].upper() + end[2:])]
    return [path for end in ends if (path := labels_file.with_suffix(end)).is_file()]
