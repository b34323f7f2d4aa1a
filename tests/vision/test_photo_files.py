"""Files that are no photo say what they are, and what helps."""

from pathlib import Path

import cv2
import numpy as np
import pytest

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


def test_what_is_no_picture_at_all_is_counted(tmp_path: Path) -> None:
    assert refusal(tmp_path, b"<html>") == NO_PHOTO + "6 bytes of something else"
