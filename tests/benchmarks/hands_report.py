"""Hands in single pictures: how much of each is said to be hidden, and what is said to be hidden where none is.

Run with `make hands-report`; ARGS="--pictures 60 --seed 1", ARGS="--folder ../shared/photos/table".

Of what a hand covers in a picture, over the mat and beyond it, the share that the scene calls hidden. In a folder these
are the pictures with a hand in their truth files, read by faces learned from its own pictures meant for that; others
say what is called hidden where no hand is. A camera that watches a table sees hands move besides.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.cli.vision_report import learned_faces
from tests.benchmarks.simulated_pieces import FAMILIES, enrolled, photographs
from vision.files.labelled import labelled, picture_name
from vision.files.photos import load_photo, photo_beside
from vision.frame import Frame, Image
from vision.looking_for import finders_for
from vision.mat.errors import RegistrationError
from vision.mat.registration import Registration
from vision.pieces.faces import MAT_HALF_MM, FacePack
from vision.reader import Reader
from vision.reports.report import PICTURES
from vision.scene import HiddenCause, PieceKind, Scene
from vision.threads import use_one_core

CELL_MM = 2.5
REACH_MM = 700.0
"""So far from the mat's middle a picture may show the table."""
NOTICED = 0.2
"""A hand is noticed where so much of it is called hidden."""
LEAST_CM2 = 15.0
"""Less of a hand than this is none to be noticed there."""
KINDS = ("cards", "hand", "ring", "seats", "split", "theory")
"""The kinds of labelled picture that show a mat."""
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Noticed:
    """What is said of the hands in one picture. Areas in cm2."""

    name: str
    on_mat: tuple[float, float]
    """How much of the mat hands cover, and how much of that is called hidden."""
    beyond: tuple[float, float]
    """The same of the table beside it."""
    elsewhere: float
    """What is called hidden by hands or other things where no hand is."""


def main(arguments: Sequence[str]) -> int:
    """Print how hands are noticed in some pictures."""
    parser = argparse.ArgumentParser(prog="make hands-report", description=__doc__)
    parser.add_argument("--pictures", type=int, default=30, help="simulated tables of each kind (default 30)")
    parser.add_argument("--seed", type=int, default=1, help="number of the first table (default 1)")
    parser.add_argument("--families", nargs="+", default=["tiles", "cards", "theory"], choices=sorted(FAMILIES))
    parser.add_argument("--folder", type=Path, help="labelled pictures instead of simulated tables")
    parser.add_argument("--faults", action="store_true", help="name each picture that is not as it should be")
    options = parser.parse_args(arguments)
    use_one_core()
    pictures = _labelled(options.folder) if options.folder else _simulated(options)
    seen: dict[str, list[Noticed]] = {}
    for group, one in pictures:
        seen.setdefault(group, []).append(one)
        if sys.stderr.isatty():
            print(f"\r{sum(map(len, seen.values()))} pictures", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print("\r", end="", file=sys.stderr)
    for group, some in seen.items():
        print("\n".join([f"{group}: {len(some)} pictures", *_lines(some)]))
        if options.faults:
            print("\n".join(f"    {_said(one)}" for one in some if _is_fault(one)))
    return 0


def noticed(name: str, scene: Scene, registration: Registration, hands_px: Sequence[NDArray[np.float64]]) -> Noticed:
    """How much of hands that cover these parts of a picture is called hidden."""
    hands = _cells([registration.to_table(outline) for outline in hands_px])
    told = [np.array(place.outline_mm) for place in scene.hidden if place.cause is not HiddenCause.GLARE]
    told += [np.array(outline) for piece in scene.sightings for outline in piece.covering_mm]
    hidden, mat = _cells(told), _cells([np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * MAT_HALF_MM])
    pieces = _cells([np.array(piece.outline_mm) for piece in scene.sightings if piece.kind is not PieceKind.BOARD])
    on_mat, beyond = (((hands & part), (hands & hidden & part)) for part in (mat, ~mat))
    near = np.asarray(cv2.dilate(hands.astype(np.uint8), np.ones((9, 9), np.uint8))) > 0
    return Noticed(name, _areas(on_mat), _areas(beyond), _area(hidden & ~near & ~pieces))


def _cells(outlines_mm: Sequence[NDArray[np.float64]]) -> Mask:
    side = int(2 * REACH_MM / CELL_MM)
    mask = np.zeros((side, side), np.uint8)
    for outline in outlines_mm:
        near = np.clip(outline, -4 * REACH_MM, 4 * REACH_MM)
        cv2.fillPoly(mask, [np.round((near * [1, -1] + REACH_MM) / CELL_MM).astype(np.int32)], (1,))
    return mask > 0


def _area(mask: Mask) -> float:
    return float(np.count_nonzero(mask)) * CELL_MM**2 / 100.0


def _areas(masks: tuple[Mask, Mask]) -> tuple[float, float]:
    return _area(masks[0]), _area(masks[1])


def _lines(some: Sequence[Noticed]) -> Iterator[str]:
    for where, parts in (("on the mat", [one.on_mat for one in some]), ("beyond it", [one.beyond for one in some])):
        there = [(area, told) for area, told in parts if area >= LEAST_CM2]
        if there:
            shares = [told / area for area, told in there]
            whole = sum(told for _, told in there) / sum(area for area, _ in there)
            yield (
                f"  {where}: hands in {len(there)}, noticed in {sum(share >= NOTICED for share in shares)}; "
                f"of what they cover {whole:.0%} is called hidden (median of pictures {np.median(shares):.0%})"
            )
    bare = [one for one in some if not (one.on_mat[0] or one.beyond[0])]
    for where, group in (("with hands", [one for one in some if one not in bare]), ("without hands", bare)):
        if group:
            areas = [one.elsewhere for one in group]
            yield (
                f"  {where} ({len(group)}): called hidden where no hand is: {np.mean(areas):.1f} cm2 a picture, "
                f"more than {LEAST_CM2:.0f} cm2 in {sum(area > LEAST_CM2 for area in areas)}"
            )


def _is_fault(one: Noticed) -> bool:
    missed = any(area >= LEAST_CM2 and told < NOTICED * area for area, told in (one.on_mat, one.beyond))
    return missed or one.elsewhere > LEAST_CM2


def _said(one: Noticed) -> str:
    parts = (
        f"{told:.0f} of {area:.0f} cm2 {where}"
        for (area, told), where in ((one.on_mat, "on the mat"), (one.beyond, "beyond"))
    )
    return f"{one.name}: {', '.join(parts)}, {one.elsewhere:.0f} cm2 elsewhere"


def _simulated(options: argparse.Namespace) -> Iterator[tuple[str, Noticed]]:
    for name in options.families:
        family = FAMILIES[name]
        pack = enrolled(family)
        for seed in range(options.seed, options.seed + options.pictures):
            for share in (1.0, 0.0):
                image, labels = photographs(replace(family, with_hands=share), seed)
                one = _read(f"{name} {seed}", image, labels, pack, frozenset(pack.kinds) | PICTURES[family.picture])
                if one:
                    yield name, one


def _labelled(folder: Path) -> Iterator[tuple[str, Noticed]]:
    learned: set[str] = set()
    faces = cache(partial(learned_faces, folder, learned))
    for path, labels in labelled(folder, KINDS):
        style, kind = labels["style"], labels["kind"]
        pack = faces(style, kind)
        photo = photo_beside(path, labels)
        if (name := picture_name(path)) not in learned:
            one = _read(name, load_photo(photo), labels, pack, PICTURES[kind])
            if one:
                yield kind, one


def _read(name: str, image: Image, labels: Any, pack: FacePack, kinds: frozenset[PieceKind]) -> Noticed | None:
    reader = Reader(pack, finders=finders_for(kinds, pack), thorough=True)
    try:
        scene = reader.read(Frame(image, 0.0, 0))
    except RegistrationError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return None
    hands = [piece for piece in labels["pieces"] if piece["kind"] == "hand"]
    outlines = [outline for hand in hands for outline in hand.get("outlines_px", [hand.get("outline_px", [])])]
    assert reader.registration is not None
    return noticed(name, scene, reader.registration, [np.array(outline, np.float64) for outline in outlines if outline])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
