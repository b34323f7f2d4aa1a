"""How well the labelled pictures are read as other cameras, lamps and windows would show them.

Run: python -m tests.benchmarks.altered_report [FOLDER] [--only NAME]...

The folder (by default ../shared/photos/table) holds pictures with truth files beside them. Faces are learned from its
pictures as they are, as `pizzatable vision-report` does; those that are judged are altered, each in its own way, the
same each time. A row for each alteration: pieces and arrangements read right, whole pictures, and what is surely wrong.
"""

import argparse
import shutil
import sys
import tempfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from controller.arranged import misarranged
from controller.cli.vision_report import SHEET_LAYOUT, learned_faces
from controller.sheet_prints import load_prints
from tests.vision.altered import (
    as_a_phone_shows_it,
    as_some_camera_shows_it,
    curved,
    flickering,
    in_shadow,
    in_sleeves,
    mirrored,
    shaken_along,
    sharpened,
    some_shadow_edge,
    some_sheen,
)
from vision.files.label_kinds import TRUE_KINDS
from vision.files.labelled import labelled, picture_name
from vision.files.photos import load_photo, photo_beside, save_photo
from vision.frame import Image
from vision.reports.rates import Report
from vision.reports.report import PICTURES, report
from vision.scene import PieceKind
from vision.threads import use_one_core

PHOTOS = Path(__file__).parents[2].parent / "shared" / "photos" / "table"
Outlines = Sequence[NDArray[np.float64]]
"""Of the pieces: each n x 2 pixels."""
Alter = Callable[[Image, np.random.Generator], Image]
SLEEVED = {PieceKind.SLICE, PieceKind.SPECIAL, PieceKind.SLICE_CARD, PieceKind.ORDER_CARD}
"""What is put in sleeves."""
LEAST_SHOWN = 0.3
"""Pieces of which less shows mirror nothing."""


def as_it_is(image: Image, _: np.random.Generator) -> Image:
    """Nothing altered."""
    return image


def saturated(image: Image, _: np.random.Generator) -> Image:
    """Colours half as far again from grey."""
    return as_a_phone_shows_it(image, 1.5, 1.0)


def contrasted(image: Image, _: np.random.Generator) -> Image:
    """Levels a third farther from the middle one, cut off at both ends."""
    return as_a_phone_shows_it(image, 1.0, 1.35)


def phone(image: Image, _: np.random.Generator) -> Image:
    """More colourful, levels along an S, sharpened: what phones make of a picture."""
    return sharpened(curved(as_a_phone_shows_it(image, 1.35, 1.0), 0.35), 0.8, 1.5)


def some_camera(image: Image, rng: np.random.Generator) -> Image:
    """Another camera each time: its colours, contrast, gamma, sharpening and coding."""
    return as_some_camera_shows_it(image, rng)


def faded(image: Image, _: np.random.Generator) -> Image:
    """Two thirds of the colour and three quarters of the contrast."""
    return as_a_phone_shows_it(image, 0.65, 0.75)


def deep(image: Image, _: np.random.Generator) -> Image:
    """Middle levels a third darker, as a camera with another gamma shows them."""
    return _levels(255.0 * (image / 255.0) ** 1.5)


def pale(image: Image, _: np.random.Generator) -> Image:
    """Middle levels brighter, the other way round."""
    return _levels(255.0 * (image / 255.0) ** 0.7)


def bright(image: Image, rng: np.random.Generator) -> Image:
    """In half as much to twice as much light again, cut off at white."""
    return _levels(image.astype(np.float32) * np.float32(rng.uniform(1.5, 2.0)))


def warm(image: Image, _: np.random.Generator) -> Image:
    """The white balance of another lamp, and more contrast."""
    return as_a_phone_shows_it(_levels(image * np.array([0.75, 0.95, 1.05])), 1.0, 1.2)


def veiled(image: Image, _: np.random.Generator) -> Image:
    """Behind light from a window: half the contrast, and as much light over all."""
    return _levels(image.astype(np.float32) * 0.55 + 90.0)


def unfocused(image: Image, _: np.random.Generator) -> Image:
    """Out of focus: blurred by a six-hundredth of its width (standard deviation)."""
    return np.asarray(cv2.GaussianBlur(image, (0, 0), image.shape[1] / 600), np.uint8)


def shaken(image: Image, rng: np.random.Generator) -> Image:
    """By a camera that shakes while the picture is taken: all moves by a 250th of its width, some way."""
    return shaken_along(image, image.shape[1] / 250, rng.uniform(0.0, np.pi))


def lamps(image: Image, rng: np.random.Generator) -> Image:
    """Three lamps mirrored in the table, which add up to half of white's light and blow out white alone."""
    height, width = image.shape[:2]
    y, x = np.indices((height, width), np.float32)
    lit = image.astype(np.float32)
    for _ in range(3):
        at, wide = (rng.uniform(0.2, 0.8) * width, rng.uniform(0.2, 0.8) * height), rng.uniform(0.05, 0.12) * width
        spot = np.exp(-((x - at[0]) ** 2 + (y - at[1]) ** 2) / (2.0 * wide**2))
        lit += rng.uniform(60.0, 120.0) * spot[..., None] * np.array([0.95, 1.0, 1.0], np.float32)
    return _levels(lit)


def blinds(image: Image, rng: np.random.Generator) -> Image:
    """The sun through blinds: stripes of nearly half the light, as wide as a few fingers."""
    height, width = image.shape[:2]
    y, x = np.indices((height, width), np.float32)
    turn, wide = rng.uniform(0.0, np.pi), rng.uniform(0.04, 0.08) * width
    wave = np.sin((x * np.cos(turn) + y * np.sin(turn)) / wide * 2.0 * np.pi)
    stripes = np.asarray(cv2.GaussianBlur(1.0 / (1.0 + np.exp(-6.0 * wave)), (0, 0), 3.0))
    return _levels(image * (0.55 + 0.45 * stripes)[..., None])


def flicker(image: Image, rng: np.random.Generator) -> Image:
    """Lamps that flicker: rows in light that is a fifth more and less."""
    return flickering(image, 0.2, rng.uniform(1.2, 4.0), rng.random())


def shadow_edge(image: Image, rng: np.random.Generator) -> Image:
    """One straight, more or less soft edge of a shadow across the table."""
    return in_shadow(image, some_shadow_edge(rng))


def glossy(image: Image, rng: np.random.Generator, outlines: Outlines) -> Image:
    """A lamp that the pieces mirror, over one of them and those beside it: up to nine tenths of white's light."""
    if not outlines:
        return image
    outline = outlines[int(rng.integers(len(outlines)))]
    at, wide = outline.mean(0) + rng.normal(0.0, 15.0, 2), np.ptp(outline, axis=0).max() * rng.uniform(0.4, 1.5)
    return mirrored(image, outlines, at, wide, rng.uniform(0.2, 0.9))


def sleeves(image: Image, rng: np.random.Generator, outlines: Outlines) -> Image:
    """Pieces in sleeves, three of five of which mirror a band of light, all nearly the same way."""
    across = rng.uniform(0.0, np.pi)
    some = [some_sheen(rng, outline, across) if rng.random() < 0.6 else None for outline in outlines]
    return in_sleeves(image, outlines, some)


ALTERATIONS: Mapping[str, Alter] = {
    alter.__name__.replace("_", "-"): alter
    for alter in (
        as_it_is,
        saturated,
        contrasted,
        phone,
        some_camera,
        faded,
        deep,
        pale,
        bright,
        warm,
        veiled,
        unfocused,
        shaken,
        lamps,
        blinds,
        shadow_edge,
        flicker,
    )
}
ON_PIECES = {alter.__name__: alter for alter in (glossy, sleeves)}
"""What is altered on the pieces alone."""
NAMES = (*ALTERATIONS, *ON_PIECES)


def main(folder: Path, names: list[str]) -> int:
    """Print the table; 1 where anything of the pictures as they are was claimed as sure and wrong."""
    use_one_core()
    worst = 0
    print(f"{'':12} pieces right   of  whole  of  surely wrong  arranged  of")
    for name in names:
        result = _read(folder, name)
        judged = result.photos
        sure = sum(photo.sure_but_wrong for photo in judged)
        arranged = [photo for photo in judged if photo.misarranged is not None]
        print(
            f"{name:12} {sum(p.right for p in judged):12d} {sum(p.expected for p in judged):4d} "
            f"{sum(p.perfect for p in judged):6d} {len(judged):3d} {sure:13d} "
            f"{sum(not p.misarranged for p in arranged):9d} {len(arranged):3d}",
            flush=True,
        )
        worst |= int(sure > 0 and name == "as-it-is")
    return worst


def _read(folder: Path, name: str) -> Report:
    learned: set[str] = set()
    sheet = folder / SHEET_LAYOUT
    with tempfile.TemporaryDirectory() as made:
        count = _alter(folder, Path(made), name)
        with click.progressbar(length=count, label=name, file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
            result = report(
                Path(made),
                partial(learned_faces, folder, learned),
                tuple(PICTURES),
                (),
                lambda *_: bar.update(1),
                load_prints([sheet] if sheet.is_file() else []),
                misarranged,
            )
    return Report(tuple(photo for photo in result.photos if photo.photo not in learned))


def _alter(folder: Path, out: Path, name: str) -> int:
    """Altered copies of all pictures that are judged, with their labels; how many."""
    count = 0
    for path, labels in labelled(folder, tuple(PICTURES)):
        photo = photo_beside(path, labels)
        rng = np.random.default_rng(zlib.crc32(picture_name(path).encode()))
        save_photo(out / photo.name, _alteration(name, labels)(load_photo(photo), rng))
        shutil.copy(path, out / path.name)
        count += 1
    return count


def _alteration(name: str, labels: Mapping[str, Any]) -> Alter:
    if name in ALTERATIONS:
        return ALTERATIONS[name]
    shown = [piece for piece in labels["pieces"] if piece["visible"] > LEAST_SHOWN and piece["kind"] != "sheet"]
    if name == sleeves.__name__:
        shown = [piece for piece in shown if TRUE_KINDS.get(piece["kind"]) in SLEEVED]
    return partial(ON_PIECES[name], outlines=[np.array(piece["outline_px"]) for piece in shown])


def _levels(image: np.ndarray) -> Image:
    return np.asarray(np.clip(image, 0, 255), np.uint8)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=PHOTOS)
    parser.add_argument("--only", action="append", choices=NAMES, help="this one; may be repeated")
    arguments = parser.parse_args()
    sys.exit(main(arguments.folder, arguments.only or list(NAMES)))
