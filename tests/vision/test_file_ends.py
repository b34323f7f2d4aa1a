"""A picture's file that stops too early is known."""

import cv2
import numpy as np
import pytest

from vision.files.file_ends import is_cut_off

PICTURE = np.random.default_rng(3).integers(0, 255, (60, 80, 3)).astype(np.uint8)
FORMATS = {
    "jpeg": (".jpg", []),
    "progressive jpeg": (".jpg", [cv2.IMWRITE_JPEG_PROGRESSIVE, 1]),
    "png": (".png", []),
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_is_whole_only_to_its_last_byte(name: str) -> None:
    ending, options = FORMATS[name]
    content = cv2.imencode(ending, PICTURE, options)[1].tobytes()
    assert not is_cut_off(content)
    assert not is_cut_off(content + b"what a phone adds behind the picture")
    assert all(is_cut_off(content[:length]) for length in range(9, len(content), 7))
    assert is_cut_off(content[:-1])


def test_the_end_of_a_preview_is_not_the_pictures() -> None:
    content = cv2.imencode(".jpg", PICTURE)[1].tobytes()
    preview = b"Exif\0\0" + content
    segment = b"\xff\xe1" + (len(preview) + 2).to_bytes(2, "big") + preview
    assert not is_cut_off(content[:2] + segment + content[2:])
    assert is_cut_off(content[:2] + segment + content[2:-40])


def test_other_files_are_somebody_elses_business() -> None:
    assert not is_cut_off(b"")
    assert not is_cut_off(b"BM no picture")
