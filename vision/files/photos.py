"""Photos in files: read whole or refused, and written."""

import contextlib
import os
import tempfile
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.files.exif import focal_by_exif
from vision.files.file_ends import is_cut_off
from vision.frame import Image
from vision.mat.errors import VisionError
from vision.mat.lens import ANY_CAMERA, AssumedFocal

ENDS = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff")
"""How a photo's name may end, in small letters or capitals; the first is preferred."""


HEIC = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
"""Brands of files in which phones keep photos (ISO/IEC 23008-12, annex B) and that OpenCV does not read."""
KNOWN = {
    b"\xff\xd8\xff": "a JPEG", b"\x89PNG\r\n\x1a\n": "a PNG", b"GIF8": "a GIF", b"BM": "a BMP",
    b"II*\0": "a TIFF or raw", b"MM\0*": "a TIFF or raw", b"%PDF": "a PDF", b"PK\3\4": "a ZIP",
}  # fmt: skip
"""What files are, by their first bytes."""

_DAMAGED = (b"premature end of data", b"bad Huffman code")
"""What libjpeg says of a picture that it fills with something else from there on (libjpeg-turbo, src/jerror.h). Bytes
too many, of which it speaks too, some cameras write."""
_STANDARD_ERROR = 2
_overhearing = threading.Lock()


class PhotoError(VisionError):
    """A file is no picture that can be read, or cannot be written."""


def load_photo(path: Path) -> Image:
    """The picture in a file. Raises PhotoError."""
    return _decoded(_content(path), path)


def load_with_focal(path: Path) -> tuple[Image, AssumedFocal]:
    """The picture in a file, and what is assumed of its camera's focal length: what the file says, if it does. Raises
    PhotoError."""
    content = _content(path)
    image = _decoded(content, path)
    return image, focal_by_exif(content, (image.shape[1], image.shape[0])) or ANY_CAMERA


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise PhotoError(f"{path}: cannot be read: {error.strerror}") from error


def _decoded(content: bytes, path: Path) -> Image:
    if is_cut_off(content):
        raise PhotoError(f"{path}: the file is cut off after {len(content)} bytes; expected a whole picture")
    if not content:
        raise PhotoError(f"{path}: the file is empty; expected a picture such as JPEG or PNG")
    try:
        with _quietly(), _overheard() as said:
            image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error as error:  # larger than OpenCV's limits
        raise PhotoError(f"{path}: cannot be decoded: {error.err}; expected a photo of a camera's size") from error
    if image is None:
        raise PhotoError(f"{path}: expected a picture such as JPEG or PNG, found {_what_is_in(content)}")
    if any(complaint in said for complaint in _DAMAGED):
        raise PhotoError(f"{path}: the JPEG is damaged in its middle; expected a picture that is whole")
    return image.astype(np.uint8, copy=False)


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Let OpenCV say nothing of what it cannot decode: our own error does."""
    before = cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
    try:
        yield
    finally:
        cv2.utils.logging.setLogLevel(before)


@contextlib.contextmanager
def _overheard() -> Iterator[bytearray]:
    """What is written to standard error meanwhile, once it is over: OpenCV's libjpeg tells nobody else what it misses.
    All of it is written there afterwards, but for libjpeg's own words."""
    said = bytearray()
    with _overhearing, contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(tempfile.TemporaryFile())
            usual = os.dup(_STANDARD_ERROR)
        except OSError:  # it is closed, or there is no room for what is written there
            yield said
            return
        os.dup2(file.fileno(), _STANDARD_ERROR)
        try:
            yield said
        finally:
            os.dup2(usual, _STANDARD_ERROR)
            os.close(usual)
            file.seek(0)
            said += file.read()
            others = [line for line in bytes(said).splitlines(keepends=True) if b"JPEG" not in line]
            with contextlib.suppress(OSError):
                os.write(_STANDARD_ERROR, b"".join(others))


def _what_is_in(content: bytes) -> str:
    """What a file that cannot be decoded is, by its first bytes, and what helps."""
    if content[4:8] == b"ftyp" and content[8:12] in HEIC:
        return (
            "a HEIC file, which this program does not read: let the phone save JPEG (on an iPhone: Settings, Camera, "
            "Formats, Most Compatible), or convert it"
        )
    webp = content[:4] == b"RIFF" and content[8:12] == b"WEBP"
    known = "a WebP" if webp else next((name for start, name in KNOWN.items() if content.startswith(start)), None)
    if known is None:
        return f"{len(content)} bytes of something else"
    return f"{known} file of {len(content)} bytes that cannot be decoded: it is cut off, damaged or of an unusual kind"


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
