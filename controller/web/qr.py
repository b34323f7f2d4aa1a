"""An address as a QR code (ISO/IEC 18004), for a page and for a terminal."""

import functools

import cv2
import numpy as np
from numpy.typing import NDArray

QUIET_MODULES = 4
"""The quiet zone around a symbol, ISO/IEC 18004, section 6.3.8."""
_BORDER_MODULES = 2
"""What OpenCV puts around a symbol."""
_HALVES = {(True, True): "█", (True, False): "▀", (False, True): "▄", (False, False): " "}
"""A character for two modules, one above the other: whether each is light."""


@functools.lru_cache(maxsize=16)
def qr_modules(text: str) -> NDArray[np.bool_]:
    """The symbol with its quiet zone, N x N: whether a module is dark. Error correction level M: 15 % may be lost."""
    wanted = cv2.QRCodeEncoder.Params()
    wanted.correction_level = cv2.QRCODE_ENCODER_CORRECT_LEVEL_M
    drawn = cv2.QRCodeEncoder.create(wanted).encode(text)
    symbol = drawn[_BORDER_MODULES:-_BORDER_MODULES, _BORDER_MODULES:-_BORDER_MODULES] == 0
    modules: NDArray[np.bool_] = np.pad(symbol, QUIET_MODULES)
    modules.setflags(write=False)
    return modules


def qr_svg(text: str) -> str:
    """The symbol with its quiet zone, black on white, a unit a module: the runs of each row are one path."""
    modules = qr_modules(text)
    size = len(modules)
    runs = []
    for y, row in enumerate(modules):
        edges = np.flatnonzero(np.diff(row.astype(np.int8), prepend=0, append=0))
        runs += [f"M{start} {y}h{end - start}v1h{start - end}z" for start, end in edges.reshape(-1, 2)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" shape-rendering="crispEdges">'
        f'<path fill="#fff" d="M0 0h{size}v{size}h-{size}z"/><path d="{"".join(runs)}"/></svg>'
    )


def qr_lines(text: str) -> list[str]:
    """The symbol with its quiet zone as lines of half blocks: what is light is drawn, to be written bright on black."""
    light = ~qr_modules(text)
    rows = np.vstack([light, np.ones_like(light[:1])])  # their number is odd: the last is quiet zone, too
    return [
        "".join(_HALVES[bool(upper), bool(lower)] for upper, lower in zip(*pair, strict=True))
        for pair in zip(rows[::2], rows[1::2], strict=True)
    ]
