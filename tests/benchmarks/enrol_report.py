"""Pieces laid out apart for enrolling, on simulated tables: how many are found and outlined without anybody's help.

Run with `make enrol-report`; ARGS="--photos 12 --seed 5 --families tiles cards --faults faults", or
ARGS="--folder ../shared/photos/table" for the labelled pictures there that faces are learned from.

Each simulated photo shows 3 to 34 pieces of our own copy, in any turn, on the mat and around it, kinds and backs mixed,
on any table in any light. A piece is outlined rightly where what is found shares seven eighths of the area that both
cover.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulated.lying import outline_mm
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import PieceView
from tests.benchmarks.simulated_pieces import (
    FAMILIES,
    Family,
    as_card,
    as_tile,
    photograph,
    scattered,
)
from vision.enrolling.laid_out import LaidOut, SeenTable, find_laid_out
from vision.files.label_kinds import LABEL_KINDS
from vision.files.labelled import labelled
from vision.files.photos import load_photo, photo_beside
from vision.frame import Image
from vision.mat.registration import find_mat
from vision.pieces.outlines import overlap
from vision.reports.rates import wilson
from vision.scene import PieceKind
from vision.shapes import place, polygon_area
from vision.threads import use_one_core

FEWEST, MOST = 3, 34
APART_MM = 6.0
"""Pieces that are laid out lie so far from each other, at least."""
RIGHT = 7 / 8
KINDS = dict.fromkeys(("tiles", "pizzeria"), (PieceKind.SLICE, PieceKind.SPECIAL))
CARDS = (PieceKind.SLICE_CARD, PieceKind.ORDER_CARD)
SHOWING = {"enrol": (PieceKind.SLICE, PieceKind.SPECIAL), "enrol-cards": CARDS}
"""The kinds of labelled pictures that show pieces laid out, and of what kinds these are."""
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Found:
    """What is found of a photo's pieces."""

    name: str
    table: str
    """On what they lie."""
    image: Image
    right: list[str]
    worse: list[str]
    missed: list[str]
    extra: int
    doubted: tuple[int, int, int]
    """Of what is missed how many are said to be doubtful, how many of these are outlined rightly; how often is it said
    of nothing."""
    outlines: tuple[list[Array], list[Array]]
    """In the picture (px): what lies there and is not outlined rightly, and what is found."""


def main(arguments: Sequence[str]) -> int:
    """Print how many are found."""
    parser = argparse.ArgumentParser(
        prog="make enrol-report", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--photos", type=int, default=6, help="photos of each family (default 6)")
    parser.add_argument("--seed", type=int, default=1, help="number of the first photo (default 1)")
    parser.add_argument("--families", nargs="+", default=["tiles", "pizzeria", "cards"], choices=sorted(FAMILIES))
    parser.add_argument("--folder", type=Path, help="labelled pictures instead of simulated tables")
    parser.add_argument("--faults", type=Path, help="a folder for pictures of what is not found rightly")
    options = parser.parse_args(arguments)
    use_one_core()
    seeds = range(options.seed, options.seed + options.photos)
    groups: dict[str, Iterator[Found]] = {
        name: map(partial(found_in, FAMILIES[name]), seeds) for name in options.families
    }
    if options.folder is not None:
        groups = {"labelled pictures": found_in_folder(options.folder)}
    for name, photos in groups.items():
        found = []
        for one in photos:
            found.append(one)
            if options.faults is not None and (one.worse or one.missed or one.extra):
                options.faults.mkdir(parents=True, exist_ok=True)
                cv2.imwrite(str(options.faults / f"{one.name}.png"), drawn(one))
            print(_line(one.name, [one]), file=sys.stderr, flush=True)
        print(_line(name, found), flush=True)
    return 0


def laid_out(rng: Random, family: Family) -> list[PieceView]:
    """Pieces of a family apart from each other, some of them, in any turn."""
    as_piece = as_card if family.name == "cards" else as_tile
    faces = rng.sample(sorted(family.art()), rng.randint(FEWEST, MOST))
    views: list[PieceView] = []
    for view in scattered(rng, [as_piece(face) for face in faces], most_covered=0.0):
        mine = _grown(view)
        if not any(overlap(mine, _grown(other)) or _touch(mine, _grown(other)) for other in views):
            views.append(view)
    return views


def _grown(view: PieceView) -> Array:
    """A piece's outline half of APART_MM farther out."""
    outline = np.array(outline_mm(view.kind, view.pose))
    middle = outline.mean(0)
    return np.asarray(outline + (outline - middle) / np.linalg.norm(outline - middle, axis=1, keepdims=True) * APART_MM)


def _touch(one: Array, other: Array) -> bool:
    return cv2.intersectConvexConvex(one.astype(np.float32), other.astype(np.float32))[0] > 0.0


def found_in(family: Family, seed: int) -> Found:
    """What is found in the photo of this number."""
    rng = Random(f"laid out {family.name} {seed}")
    views, conditions = laid_out(rng, family), Conditions.random(rng)
    image, labels = photograph(family, views, conditions)
    table = f"{conditions.surface.value}, {conditions.mat.value}"
    return _compared(f"{family.name}-{seed}", table, image, labels, frozenset(KINDS.get(family.name, CARDS)))


def found_in_folder(folder: Path) -> Iterator[Found]:
    """What is found in the labelled pictures of a folder that faces are learned from."""
    for path, labels in labelled(folder, tuple(SHOWING)):
        image = load_photo(photo_beside(path, labels))
        yield _compared(path.stem, "", image, labels, frozenset(SHOWING[labels["kind"]]))


def _compared(name: str, table: str, image: Image, labels: dict[str, Any], kinds: frozenset[PieceKind]) -> Found:
    registration = find_mat(image)
    search = find_laid_out(SeenTable(image, registration), kinds)
    pieces = list(search.pieces)
    right, worse, missed = list[str](), list[str](), list[str]()
    wrong: list[Array] = []
    left, doubtful, hinted = list(pieces), list(search.doubtful), list[float]()
    for label in labels["pieces"]:
        if label["kind"] not in LABEL_KINDS:
            continue
        kind = PieceKind.SLICE if label["kind"] == "tile" else PieceKind(label["kind"])
        truth = registration.to_table(np.array(label["outline_px"]))
        near = [one for one in left if one.shape.kind is kind and _shared(one, truth) > 0.4]
        best = max(near, key=lambda one: _shared(one, truth), default=None)
        if best is None:
            missed.append(label["face"])
            there = [one for one in doubtful if one.shape.kind is kind and _shared(one, truth) > 0.4]
            hinted += [max(_shared(one, truth) for one in there)] if there else []
            doubtful = [one for one in doubtful if not any(one is it for it in there)]
        else:
            left = [one for one in left if one is not best]
            (right if _shared(best, truth) >= RIGHT else worse).append(label["face"])
        if best is None or worse[-1:] == [label["face"]]:
            wrong.append(np.array(label["outline_px"]))
    drawn_px = [one.outline_px(registration) for one in pieces]
    doubted = len(hinted), sum(shared >= RIGHT for shared in hinted), len(doubtful)
    return Found(name, table, image, right, worse, missed, len(left), doubted, (wrong, drawn_px))


def _shared(one: LaidOut, truth: Array) -> float:
    """Of the area that an outline found and a true one (table, mm, as seen) cover, the share that both do."""
    mine = place(one.shape.outline, one.seen_pose)
    both, _ = cv2.intersectConvexConvex(mine.astype(np.float32), cv2.convexHull(truth.astype(np.float32)))
    return both / max(abs(polygon_area(mine)) + abs(polygon_area(truth)) - both, 1e-6)


def drawn(found: Found) -> Image:
    """The photo with what is found (green), and what lies there and is not outlined rightly (red)."""
    image = found.image.copy()
    for outlines, colour, width in ((found.outlines[1], (0, 200, 0), 2), (found.outlines[0], (0, 0, 255), 3)):
        cv2.polylines(image, [np.round(outline).astype(np.int32) for outline in outlines], True, colour, width)
    return image


def _line(name: str, some: Sequence[Found]) -> str:
    right, worse, missed = (sum(len(getattr(one, what)) for one in some) for what in ("right", "worse", "missed"))
    of = right + worse + missed
    low, high = wilson(right, of)
    kinds = Counter(face.partition("/")[0] for one in some for face in [*one.worse, *one.missed])
    hinted, rightly, of_nothing = (sum(one.doubted[n] for one in some) for n in range(3))
    doubted = f" ({hinted} of them doubtful, {rightly} outlined rightly so)" if missed else ""
    table = f"{some[0].table}: " if len(some) == 1 and some[0].table else ""
    which = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common(5))
    return (
        f"{name}: {table}of {of} pieces {right} outlined rightly ({low:.1%} to {high:.1%}), {worse} worse, {missed} "
        f"missed{doubted}; {sum(one.extra for one in some)} where none lies, {of_nothing} doubtful"
        f"{'; not rightly: ' + which if which else ''}"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
