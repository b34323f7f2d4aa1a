"""Backs that show nothing from afar, and faces that are nearly alike, on simulated tables: how many are read.

`python -m tests.benchmarks.copies_report backs --tables 3 --seed 743330` lays twelve backs of one colour, or of a fine
pattern, and twelve cards beside each other on each table. `... twins` lays slices of which three each differ by a dot
alone, learned from outlines that stray as those do that are found without knowing a face.
"""

import argparse
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from random import Random
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulated.artwork import Artwork
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import PieceView
from tests.benchmarks.piece_rates import rates
from tests.benchmarks.simulated_pieces import (
    FAMILIES,
    MOST_COVERED,
    Family,
    as_card,
    as_tile,
    laid_apart,
    photograph,
    photographs,
    scattered,
)
from vision.pieces.faces import BACKS, FacePack
from vision.pieces.learning import enrol
from vision.reports.compared import PhotoReport
from vision.reports.report import report_photo
from vision.scene import SURE, PieceKind
from vision.threads import use_one_core

CARDS = FAMILIES["cards"]
BACK = BACKS[PieceKind.SLICE_CARD]
PATTERNS = ("plain", "dots", "stripes", "diamonds")
INK, GROUND = (215.0, 225.0, 235.0), (122.0, 82.0, 44.0)
"""Blue, green, red; the latter is the colour of the blue mat."""
BACKS_LAID, FACES_LAID, TWINS_LAID = 12, 12, 34
NEAR_MM, NEAR_DEG = 4.0, 4.0
DOT_MM, DOTTED = 3.0, 20
"""Twins' dots reach so far from their middles, and so many slices have two twins each."""
STRAYS = (1.5, 0.4, 0.16)
"""Standard deviation of how far outlines stray along a slice and across it (mm), and by how much they turn (degrees):
what was seen of `find_laid_out` on simulated tables."""

Shares = NDArray[np.float64]


def inked(pattern: str, x_mm: Shares, y_mm: Shares, px_per_mm: float) -> Shares:
    """How much of each point is ink, 0 to 1."""
    beyond_mm = {
        "plain": np.full_like(x_mm, -1.0),
        "stripes": 1.0 - np.abs(x_mm % 4.0 - 2.0),
        "diamonds": 0.6 - np.minimum(np.abs((x_mm + y_mm) % 5.0 - 2.5), np.abs((x_mm - y_mm) % 5.0 - 2.5)),
        "dots": 0.9 - np.hypot(x_mm % 4.0 - 2.0, y_mm % 4.0 - 2.0),
    }[pattern]
    return np.asarray(np.clip(0.5 + beyond_mm * px_per_mm / 2, 0.0, 1.0))


@cache
def with_back(pattern: str) -> Family:
    """SLICE's cards, all slice cards with such a back."""

    def art() -> dict[str, Artwork]:
        faces = dict(CARDS.art())
        old = faces[BACK]
        y, x = np.indices(old.image.shape[:2]) / old.px_per_mm
        ink = inked(pattern, x, y, old.px_per_mm)[..., None]
        image = old.image.copy()
        image[..., :3] = np.array(GROUND) * (1.0 - ink) + np.array(INK) * ink
        return faces | {BACK: Artwork(image, old.px_per_mm, old.anchor_px)}

    return Family("cards", "cards", cache(art), CARDS.enrolment, _backs_and_cards)


def _backs_and_cards(rng: Random) -> list[PieceView]:
    faces = [as_card(face) for face in sorted(CARDS.art()) if face != BACK]
    pieces = [(PieceKind.SLICE_CARD, BACK)] * BACKS_LAID + rng.sample(faces, FACES_LAID)
    rng.shuffle(pieces)
    return scattered(rng, pieces, most_covered=0.0)


@cache
def shown(pattern: str) -> FacePack:
    family = with_back(pattern)
    photos = [photograph(family, views, Conditions(tilt_deg=1.0)) for views in family.enrolment()]
    return enrol(photos, source=["simulated table"] * len(photos))


@cache
def twins() -> Family:
    """Pizzeria's slices, some of them with two twins that have one dot more."""

    def art() -> dict[str, Artwork]:
        every = FAMILIES["pizzeria"].art()
        slices = [
            face for face in sorted(every) if as_tile(face)[0] is PieceKind.SLICE and face != BACKS[PieceKind.SLICE]
        ]
        faces: dict[str, Artwork] = {}
        for number, face in enumerate(slices[:: len(slices) // DOTTED][:DOTTED]):
            rng = Random(number)
            dotted = {f"{face}/twin-{twin}": _dotted(every[face], rng) for twin in (1, 2)}
            faces |= {face: every[face], **dotted}
        return faces

    drawn = cache(art)
    return Family(
        "twins", "pizzeria", drawn, lambda: laid_apart([as_slice(face) for face in drawn()], (90.0, 130.0)), _twins
    )


def as_slice(face: str) -> tuple[PieceKind, str]:
    """What is laid with this face."""
    return PieceKind.SLICE, face


def _twins(rng: Random) -> list[PieceView]:
    pieces = [as_slice(face) for face in twins().art()]
    rng.shuffle(pieces)
    return scattered(rng, pieces[:TWINS_LAID], most_covered=MOST_COVERED)


def _dotted(art: Artwork, rng: Random) -> Artwork:
    along = rng.uniform(45.0, 80.0)
    aside = rng.uniform(-0.17, 0.17) * along
    at = np.array(art.anchor_px) + np.array([aside, -along]) * art.px_per_mm
    column, row = np.round(at * 16).astype(int).tolist()
    image, radius = art.image.copy(), round(DOT_MM * art.px_per_mm * 16)
    cv2.circle(image, (column, row), radius, (40, 40, 60, 255), -1, cv2.LINE_AA, 4)
    return Artwork(image, art.px_per_mm, art.anchor_px)


@cache
def shown_strayed() -> FacePack:
    """The twins learned from outlines that have strayed."""
    photos = [photograph(twins(), views, Conditions(tilt_deg=1.0)) for views in twins().enrolment()]
    rng = Random(7)
    for _, labels in photos:
        for piece in labels["pieces"]:
            along, across, turn = (rng.gauss(0.0, spread) for spread in STRAYS)
            way = math.radians(piece["angle_deg"])
            piece["x_mm"] += along * math.cos(way) - across * math.sin(way)
            piece["y_mm"] += along * math.sin(way) + across * math.cos(way)
            piece["angle_deg"] = (piece["angle_deg"] + turn) % 360.0
    return enrol(photos, source=["simulated table"] * len(photos))


def backs_read(pattern: str, seeds: Sequence[int]) -> str:
    """How many backs of a pattern are read, either way round."""
    there, sure, doubted, elsewhere = 0, 0, 0, 0
    for seed in seeds:
        image, labels = photographs(with_back(pattern), seed)
        found = report_photo(image, labels, shown(pattern), f"{pattern}-{seed}", near_mm=NEAR_MM, near_deg=NEAR_DEG)
        right = [match.sighting for match in found.matches if match.right and match.truth.face == BACK]
        lost = [piece for piece in found.missing if piece.face == BACK]
        for sighting in (one for one in found.extra if one.face == BACK):
            turned = [piece for piece in lost if _half_round(piece.pose, sighting.pose)]
            lost = [piece for piece in lost if piece not in turned]
            right += [sighting] * bool(turned)
            elsewhere += not turned
        there += len([match for match in found.matches if match.truth.face == BACK])
        there += len([piece for piece in found.missing if piece.face == BACK])
        sure += sum(sighting.probability >= SURE for sighting in right)
        doubted += sum(sighting.probability < SURE for sighting in right)
    return f"{pattern}: of {there} backs {sure} surely, {doubted} in doubt; where none lies {elsewhere}"


def _half_round(one: Any, other: Any) -> bool:
    off = (one.angle_deg - other.angle_deg) % 360.0 - 180.0
    return math.dist((one.x_mm, one.y_mm), (other.x_mm, other.y_mm)) < NEAR_MM and abs(off) < NEAR_DEG


def twins_read(seeds: Sequence[int]) -> list[str]:
    """How many twins are read."""
    photos: list[PhotoReport] = []
    for seed in seeds:
        image, labels = photographs(twins(), seed)
        photos.append(report_photo(image, labels, shown_strayed(), f"twins-{seed}", near_mm=8.0, near_deg=8.0))
    return rates(photos)


def main(arguments: Sequence[str]) -> int:
    """Read the tables and print the rates."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("backs", "twins"))
    parser.add_argument("--tables", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    use_one_core()
    seeds = range(options.seed, options.seed + options.tables)
    told: Mapping[str, Callable[[], list[str]]] = {
        "backs": lambda: [backs_read(pattern, seeds) for pattern in PATTERNS],
        "twins": partial(twins_read, seeds),
    }
    print("\n".join(told[options.what]()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
