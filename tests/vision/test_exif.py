"""What a photo's EXIF says of its camera's focal length."""

import math
import struct
from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.files.exif import SPREAD_35_MM, SPREAD_CROPPED, SPREAD_PLANE, SPREAD_WIDE, focal_by_exif
from vision.files.photos import load_with_focal
from vision.mat.lens import ANY_CAMERA

PHONE = {0xA405: 26, 0xA002: 4032, 0xA003: 3024}
"""A focal length in 35 mm film, and the sides of the picture that was taken."""
CAMERA = {0x920A: (4.2, 0), 0xA20E: (7142.857, 0), 0xA210: 3, 0xA002: 4000, 0xA003: 3000}
"""A focal length in millimetres, and pixels a centimetre of the sensor."""


def with_exif(jpeg: bytes, tags: Mapping[int, object], order: str = "<") -> bytes:
    """A JPEG with an EXIF segment: whole numbers as such, pairs (value, _) as rational numbers."""
    entries, beyond = b"", b""
    inner = 8 + 2 + 12 + 4
    end = inner + 2 + 12 * len(tags) + 4
    for tag, value in sorted(tags.items()):
        if isinstance(value, tuple):
            entries += struct.pack(order + "HHII", tag, 5, 1, end + len(beyond))
            beyond += struct.pack(order + "II", round(value[0] * 10000), 10000)
        else:
            entries += struct.pack(order + "HHII", tag, 4, 1, value)
    first = struct.pack(order + "HHHIII", 1, 0x8769, 4, 1, inner, 0)
    head = {"<": b"II*\0", ">": b"MM\0*"}[order] + struct.pack(order + "I", 8)
    tiff = head + first + struct.pack(order + "H", len(tags)) + entries + b"\0" * 4 + beyond
    segment = b"Exif\0\0" + tiff
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(segment) + 2) + segment + jpeg[2:]


@pytest.fixture(scope="module")
def jpeg() -> bytes:
    return cv2.imencode(".jpg", np.full((48, 64, 3), 99, np.uint8))[1].tobytes()


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_focal_length_in_35_mm_film_is_of_the_diagonal(jpeg: bytes, order: str) -> None:
    """26 mm of a diagonal of 43.3 mm; a picture of 4 to 3 is four fifths of its diagonal long. Made smaller, or turned,
    it is the same."""
    for size in ((4032, 3024), (1280, 960), (960, 1280)):
        told = focal_by_exif(with_exif(jpeg, PHONE, order), size)
        assert told is not None
        assert told.longer_sides == pytest.approx(26 / 43.267 / 0.8, rel=1e-3)
        assert told.spread == SPREAD_35_MM


def test_a_focal_length_in_millimetres_needs_the_sensors_pixels(jpeg: bytes) -> None:
    told = focal_by_exif(with_exif(jpeg, CAMERA), (2000, 1500))
    assert told is not None
    assert told.longer_sides == pytest.approx(4.2 * 714.2857 / 4000, rel=1e-4)
    assert told.spread == SPREAD_PLANE
    assert focal_by_exif(with_exif(jpeg, {0x920A: (4.2, 0)}), (2000, 1500)) is None


def test_a_picture_of_another_shape_was_cropped_so_that_less_is_known(jpeg: bytes) -> None:
    of_sensor = 26 / 43.267 / 0.8
    square = PHONE | {0xA002: 640, 0xA003: 640}
    for tags, size, times in ((PHONE, (1920, 1080), 1.0), (PHONE, (900, 900), 4 / 3), (square, (640, 640), 4 / 3)):
        told = focal_by_exif(with_exif(jpeg, tags), size)
        assert told is not None
        assert told.spread == SPREAD_CROPPED
        assert told.longer_sides == pytest.approx(of_sensor * times, rel=1e-3)


def test_a_wide_picture_may_be_of_a_whole_sensor_or_not(jpeg: bytes) -> None:
    told = focal_by_exif(with_exif(jpeg, {0xA405: 26}), (1920, 1080))
    assert told is not None
    assert 26 / 43.267 * np.hypot(1, 9 / 16) < told.longer_sides < 26 / 43.267 / 0.8
    assert told.spread == SPREAD_WIDE


def test_digital_zoom_may_be_counted_in_or_not(jpeg: bytes) -> None:
    told = focal_by_exif(with_exif(jpeg, PHONE | {0xA404: (1.2, 0)}), (4032, 3024))
    assert told is not None
    plain = 26 / 43.267 / 0.8
    assert told.longer_sides == pytest.approx(plain * math.sqrt(1.2), rel=1e-3)
    assert told.spread > math.log(1.2) / 2
    assert focal_by_exif(with_exif(jpeg, PHONE | {0xA404: (0.0, 0)}), (4032, 3024)) == focal_by_exif(
        with_exif(jpeg, PHONE), (4032, 3024)
    )


def test_a_panorama_tells_nothing(jpeg: bytes) -> None:
    """It was seen by no lens; nor does what is left of a picture after a strip was cut out."""
    wide = {0xA405: 26, 0xA002: 12000, 0xA003: 3000}
    assert focal_by_exif(with_exif(jpeg, wide), (12000, 3000)) is None
    assert focal_by_exif(with_exif(jpeg, wide), (4000, 3000)) is None
    assert focal_by_exif(with_exif(jpeg, PHONE), (4032, 1000)) is None


@pytest.mark.parametrize(
    "tags",
    [
        {}, {0xA405: 0}, {0xA405: 4_000_000_000}, {0xA405: 1}, {0x920A: (0.0, 0), 0xA20E: (0.0, 0), 0xA210: 3},
        PHONE | {0xA404: (2.0, 0)}, CAMERA | {0xA210: 0}, CAMERA | {0xA210: 7}, CAMERA | {0xA002: 0, 0xA003: 0},
    ],
)  # fmt: skip
def test_what_says_nothing_of_use_is_passed_over(jpeg: bytes, tags: dict[int, object]) -> None:
    assert focal_by_exif(with_exif(jpeg, tags), (64, 48)) is None


def test_a_photo_that_is_turned_on_reading_keeps_its_focal_length(tmp_path: Path, jpeg: bytes) -> None:
    """A phone held upright writes the picture lying, and by how much it is to be turned (tag 0x0112)."""
    turn = b"Exif\0\0II*\0" + struct.pack("<IHHHIII", 8, 1, 0x0112, 3, 1, 6, 0)
    lying = with_exif(jpeg, PHONE)
    (tmp_path / "a.jpg").write_bytes(lying[:2] + b"\xff\xe1" + struct.pack(">H", len(turn) + 2) + turn + lying[2:])
    image, told = load_with_focal(tmp_path / "a.jpg")
    assert image.shape == (64, 48, 3)
    assert told.longer_sides == pytest.approx(26 / 43.267 / 0.8, rel=1e-3)


def test_broken_exif_hurts_nothing(jpeg: bytes) -> None:
    whole = with_exif(jpeg, CAMERA | PHONE)
    rng = np.random.default_rng(1)
    for cut in range(0, len(whole), 3):
        focal_by_exif(whole[:cut], (64, 48))
    for _ in range(3000):
        spoilt = bytearray(whole)
        for at in rng.integers(2, 200, 4):
            spoilt[at] = int(rng.integers(256))
        told = focal_by_exif(bytes(spoilt), (64, 48))
        assert told is None or 0.3 <= told.longer_sides <= 5.0


def test_a_photo_in_a_file_brings_its_focal_length_along(tmp_path: Path, jpeg: bytes) -> None:
    (tmp_path / "a.jpg").write_bytes(with_exif(jpeg, {0xA405: 28}))
    (tmp_path / "b.jpg").write_bytes(jpeg)
    (tmp_path / "c.png").write_bytes(cv2.imencode(".png", np.full((48, 64, 3), 99, np.uint8))[1].tobytes())
    image, told = load_with_focal(tmp_path / "a.jpg")
    assert image.shape == (48, 64, 3)
    assert told.longer_sides == pytest.approx(28 / 43.267 / 0.8, rel=1e-3)
    assert load_with_focal(tmp_path / "b.jpg")[1] == load_with_focal(tmp_path / "c.png")[1] == ANY_CAMERA
