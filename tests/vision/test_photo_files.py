"""Files that are no photo say what they are, and what helps."""

import os
from pathlib import Path
from unittest import mock

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.files.photos import PhotoError, load_photo

PICTURE = np.random.default_rng(3).integers(0, 255, (60, 80, 3)).astype(np.uint8)
NO_PHOTO = "expected a picture such as JPEG or PNG, found "
DAMAGED = "that cannot be decoded: it is cut off, damaged or of an unusual kind"


def refusal(folder: Path, content: bytes) -> str:
    path = folder / "mine.jpg"
    path.write_bytes(content)
    with pytest.raises(PhotoError) as raised:
        load_photo(path)
    return str(raised.value).removeprefix(f"{path}: ")


def test_a_file_without_a_byte_is_called_empty(tmp_path: Path) -> None:
    assert refusal(tmp_path, b"") == "the file is empty; expected a picture such as JPEG or PNG"


@pytest.mark.parametrize("brand", [b"heic", b"heix", b"mif1"])
def test_a_phones_heic_file_is_told_with_what_helps(tmp_path: Path, brand: bytes) -> None:
    said = refusal(tmp_path, b"\0\0\0\x18ftyp" + brand + bytes(200))
    assert said.startswith(NO_PHOTO + "a HEIC file, which this program does not read: let the phone save JPEG")


@pytest.mark.parametrize(("ending", "name"), [(".webp", "a WebP"), (".tiff", "a TIFF or raw"), (".bmp", "a BMP")])
def test_a_cut_off_picture_is_told_from_what_is_none(
    tmp_path: Path, ending: str, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    whole = cv2.imencode(ending, PICTURE)[1].tobytes()
    half = whole[: len(whole) // 2]
    assert refusal(tmp_path, half) == f"{NO_PHOTO}{name} file of {len(half)} bytes {DAMAGED}"
    assert capfd.readouterr().err == ""  # OpenCV has nothing to add


def test_a_jpeg_damaged_in_its_middle_is_refused_and_libjpeg_says_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """As where a card has lost a sector: from there on the picture is grey, and nothing is missing at its end."""
    noise = np.random.default_rng(0).integers(0, 256, (360, 640, 3), np.uint8)
    content = cv2.imencode(".jpg", cv2.GaussianBlur(noise, (0, 0), 3.0))[1].tobytes()
    middle = len(content) // 2
    damaged = content[:middle] + bytes(512) + content[middle + 512 :]
    assert refusal(tmp_path, damaged).endswith("the JPEG is damaged in its middle; expected a picture that is whole")
    (tmp_path / "whole.jpg").write_bytes(content)
    assert load_photo(tmp_path / "whole.jpg").shape == (360, 640, 3)
    assert capfd.readouterr().err == ""


def test_what_others_write_to_standard_error_meanwhile_is_not_lost(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def decode(*_: object) -> NDArray[np.uint8]:
        os.write(2, b"another thread\nCorrupt JPEG data: 3 extraneous bytes before marker 0xd9\n")
        return np.zeros((2, 2, 3), np.uint8)

    (tmp_path / "some.bmp").write_bytes(b"BM")
    monkeypatch.setattr("vision.files.photos.cv2.imdecode", decode)
    load_photo(tmp_path / "some.bmp")
    assert capfd.readouterr().err == "another thread\n"


def test_what_is_no_picture_at_all_is_counted(tmp_path: Path) -> None:
    assert refusal(tmp_path, b"<html>") == NO_PHOTO + "6 bytes of something else"


def test_a_photo_is_read_where_there_is_no_room_for_what_is_said_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "photo.jpg"
    cv2.imwrite(str(path), np.full((40, 60, 3), 128, np.uint8))
    monkeypatch.setattr("tempfile.TemporaryFile", mock.Mock(side_effect=OSError(28, "No space left on device")))
    assert load_photo(path).shape == (40, 60, 3)
