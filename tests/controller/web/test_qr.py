"""QR codes, read back by a program that is not ours."""

import re

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from controller.web.qr import QUIET_MODULES, qr_lines, qr_modules, qr_svg

ADDRESSES = [
    "http://192.168.1.20:8080/",
    "http://192.168.178.100:8080/?host=p4Y_x-3bQ9zTAb0c",
    "http://192.168.1.20:9000/?host=AZNLiiGQtml9suBO",
    "http://[fd00::1234:5678:9abc:def0]:8080/",
]
_PIXELS = 6


def read(dark: NDArray[np.bool_]) -> str:
    """What a reader makes of these modules, each drawn as a few pixels.

    OpenCV's other reader, `cv2.QRCodeDetector`, does not find one code in some hundreds, the third of the addresses
    above among them, which ZXing reads.
    """
    image = np.where(dark, 0, 255).astype(np.uint8)
    text, _, _ = cv2.QRCodeDetectorAruco().detectAndDecode(np.kron(image, np.ones((_PIXELS, _PIXELS), np.uint8)))
    return text


def from_lines(lines: list[str]) -> NDArray[np.bool_]:
    """The modules that half blocks show, where what is not drawn is dark."""
    light = {"█": (True, True), "▀": (True, False), "▄": (False, True), " ": (False, False)}
    rows = [[light[character][half] for character in line] for line in lines for half in (0, 1)]
    return ~np.array(rows)


@pytest.mark.parametrize("address", ADDRESSES)
def test_it_is_read_and_has_its_quiet_zone(address: str) -> None:
    dark = qr_modules(address)
    assert read(dark) == address
    rows, columns = np.nonzero(dark)
    size = len(dark)
    assert (rows.min(), columns.min(), rows.max(), columns.max()) == (
        QUIET_MODULES, QUIET_MODULES, size - 1 - QUIET_MODULES, size - 1 - QUIET_MODULES,
    )  # fmt: skip


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_terminal_shows_the_same_with_as_much_around_it(address: str) -> None:
    dark = from_lines(qr_lines(address))
    assert read(dark) == address
    assert np.array_equal(dark[:-1], qr_modules(address))
    assert not dark[-1].any()


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_page_shows_the_same(address: str) -> None:
    drawn = qr_svg(address)
    dark = np.zeros_like(qr_modules(address))
    assert f'viewBox="0 0 {len(dark)} {len(dark)}"' in drawn
    for x, y, width in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\d+z", drawn):
        dark[int(y), int(x) : int(x) + int(width)] = True
    assert np.array_equal(dark, qr_modules(address))
