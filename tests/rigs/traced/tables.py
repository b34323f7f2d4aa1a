"""What lies under everything: the table's own surface, and the mat as the kit prints it."""

import math
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np

from tests.rigs.traced.bodies import Image

SURFACES = ("wood", "dark wood", "white", "black", "felt", "chequered", "striped", "grey")
TABLE_MM = (1700.0, 1300.0)
_PX_PER_MM = 1.6


def surface(kind: str, rng: np.random.Generator) -> Image:
    """A picture of the table's surface, TABLE_MM large."""
    width, height = (round(side * _PX_PER_MM) for side in TABLE_MM)
    match kind:
        case "wood" | "dark wood":
            found = _wood(rng, width, height, kind == "dark wood")
        case "white":
            found = np.full((height, width, 3), rng.uniform(0.86, 0.94)) * (1 + _cloud(rng, width, height, 9) * 0.01)
        case "black":
            found = np.full((height, width, 3), rng.uniform(0.05, 0.12)) * (1 + _cloud(rng, width, height, 3) * 0.1)
        case "grey":
            found = np.full((height, width, 3), rng.uniform(0.3, 0.6)) * (1 + _cloud(rng, width, height, 30) * 0.05)
        case "felt":
            green = np.array([(0.1, 0.36, 0.2), (0.5, 0.1, 0.12), (0.12, 0.2, 0.42)][int(rng.integers(3))])
            fibres = rng.normal(0, 0.1, (height, width, 1)) + _cloud(rng, width, height, 25) * 0.03
            found = green * (1 + fibres)
        case "chequered" | "striped":
            found = _cloth(rng, width, height, kind == "striped")
        case _:
            raise ValueError(f"the table's surface is {kind!r}; expected one of {', '.join(SURFACES)}")
    return np.asarray(np.clip(found * 255, 0, 255), dtype=np.uint8)


@cache
def mat_print() -> Image:
    """The kit's mat, 400 mm square, cut from its page for a print shop."""
    page = kit_page("dice_and_slice", "mat-print-shop.pdf", 0, 5.0)
    middle = (page.shape[0] / 2, page.shape[1] / 2)
    half = 200 * 5
    top, left = round(middle[0] - half), round(middle[1] - half)
    return page[top : top + 2 * half, left : left + 2 * half]


@cache
def kit_page(game: str, file: str, page: int, px_per_mm: float) -> Image:
    """A page that `pizzatable kit` writes for a game, as pixels."""
    import pypdfium2

    with TemporaryDirectory() as folder:
        kit = [sys.executable, "-m", "controller.cli", "kit", "--out", folder, "--game", game]
        code = "import sys; from controller.cli import main; sys.argv = ['pizzatable', *sys.argv[1:]]; main()"
        subprocess.run([sys.executable, "-c", code, *kit[3:]], check=True, stdout=subprocess.DEVNULL)
        document = pypdfium2.PdfDocument(str(Path(folder) / file))
        pixels = document[page].render(scale=px_per_mm * 25.4 / 72).to_numpy()
        document.close()
    return np.ascontiguousarray(pixels[..., ::-1])


def _cloud(rng: np.random.Generator, width: int, height: int, cell: float) -> np.ndarray:
    noise = rng.normal(0, 1, (max(2, round(height / cell)), max(2, round(width / cell)))).astype(np.float32)
    return np.asarray(cv2.resize(noise, (width, height), interpolation=cv2.INTER_CUBIC))[..., None]


def _wood(rng: np.random.Generator, width: int, height: int, dark: bool) -> np.ndarray:
    """Boards with grain along x."""
    base = np.array((0.36, 0.22, 0.13) if dark else (0.74, 0.55, 0.36)) * rng.uniform(0.85, 1.12)
    found = np.empty((height, width, 3), np.float32)
    board = round(rng.uniform(90, 170) * _PX_PER_MM)
    for start in range(0, height, board):
        rows = min(board, height - start)
        grain = np.zeros((rows, width), np.float32)
        for across, along, strength in ((2, 400, 0.035), (7, 700, 0.04), (30, 900, 0.05)):
            noise = rng.normal(0, 1, (max(2, rows // across), max(2, width // along))).astype(np.float32)
            grain += strength * np.asarray(cv2.resize(noise, (width, rows), interpolation=cv2.INTER_CUBIC))
        found[start : start + rows] = base * rng.uniform(0.88, 1.1) * (1 + grain[..., None])
        found[start : start + 2] *= 0.45
    return found


def _cloth(rng: np.random.Generator, width: int, height: int, striped: bool) -> np.ndarray:
    """A woven cloth: two colours that cross and mix."""
    colour = np.array([(0.78, 0.1, 0.1), (0.1, 0.28, 0.6), (0.16, 0.42, 0.2), (0.3, 0.3, 0.32)][int(rng.integers(4))])
    step, turn = rng.uniform(14, 45) * _PX_PER_MM, rng.uniform(-0.2, 0.2)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    u, v = x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)
    share = (u % (2 * step) < step).astype(np.float32)
    if not striped:
        share = (share + (v % (2 * step) < step)) / 2
    weave = 1 + 0.05 * np.sin(u * 2.2) * np.sin(v * 2.2) + rng.normal(0, 0.02, (height, width)).astype(np.float32)
    mixed = share[..., None] * colour + (1 - share[..., None]) * np.array((0.93, 0.92, 0.88))
    return np.asarray(mixed * weave[..., None])
