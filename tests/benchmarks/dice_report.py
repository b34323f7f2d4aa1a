"""How well dice are read, each source by networks that never learned from it; and the milliseconds that it takes.

Run: make dice-report, or python -m tests.benchmarks.dice_report --only table --faults

The networks in tests/benchmarks/dice_without/SOURCE learned from everything but that source (`--without` of
tests/rigs/dice_training/train.py); those for the table, and epanemu's reader, from drawn pictures alone. The networks
that come with the package, which learned from all sources, read kamil's photographs and drawn pictures with these
seeds: neither was learned from. `--own` reads every source with those: what they remember, not what they can do on a
table they have not seen.

A die counts as found where the middle of its top is read within 0.4 of its width from the middle of its box (of the
true top, for the table's). Sizes are given roughly: half to twice the photograph's median die; the table's dice are
sought at 12 to 50 mm by the registration, and where Pizza Theory's board is, once it is read: the board is learned from
another picture.
"""

import argparse
import csv
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.rigs.dice_training.fit_likelihoods import reader_of
from tests.rigs.dice_training.sources import PHOTOS, Example, clutter, drawn, load, own_table
from vision.dice.finder import DiceFinder, side_mm
from vision.dice.finding import DiceReader, load_reader
from vision.files.labels import load_json
from vision.finders import Finder
from vision.frame import Image
from vision.looking_for import finders_for
from vision.mat.errors import RegistrationError
from vision.mat.registration import find_mat
from vision.pieces.learning import enrol
from vision.scene import SURE, PieceKind, Sighting
from vision.threads import use_one_core

Array = NDArray[np.float64]

FOLDS = Path(__file__).parent / "dice_without"
DRAWN_SEED = 900_000
ROUGHLY = (0.5, 2.0)
KAMIL_SHARES = (0.02, 0.16)
"""Widths of kamil's dice as shares of the picture's width."""
BINS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 1.0)


def _darker(image: Image) -> Image:
    noise = np.random.default_rng(1).normal(0, 3, image.shape)
    return np.asarray(np.clip(image * 0.4 + noise, 0, 255), np.uint8)


def _tinted(image: Image) -> Image:
    return np.asarray(np.clip(image * np.array([0.65, 0.9, 1.15]), 0, 255), np.uint8)


def _softer(image: Image) -> Image:
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 1.0), np.uint8)


def _upside_down(image: Image) -> Image:
    return np.ascontiguousarray(image[::-1, ::-1])


def _larger(image: Image) -> Image:
    return np.asarray(cv2.resize(image, (1920, 1080), interpolation=cv2.INTER_CUBIC), np.uint8)


CHANGES: Mapping[str, Callable[[Image], Image]] = {
    "darker": _darker,
    "tinted": _tinted,
    "softer": _softer,
    "upside down": _upside_down,
    "1920 x 1080": _larger,
}


@dataclass(frozen=True)
class Claim:
    """What was said of one place, and what is true of it."""

    likelihoods: tuple[float, ...]
    """Of 1 to 6."""
    truth: int
    """0: no readable die."""

    @property
    def share(self) -> float:
        """How sure it is."""
        return max(self.likelihoods)

    @property
    def right(self) -> bool:
        """Whether the likeliest value is the true one."""
        return int(np.argmax(self.likelihoods)) + 1 == self.truth


Seen = tuple[Array, tuple[float, ...]]


@dataclass
class Tally:
    """What was counted over a source."""

    name: str
    dice: int = 0
    missing: int = 0
    photos: int = 0
    whole: int = 0
    claims: list[Claim] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def count(self, name: str, truth: list[tuple[Array, float, int]], seen: list[Seen]) -> None:
        """One picture: true dice (place, width, value; 0 or less is left alone) and seen ones."""
        self.photos += 1
        faults = len(self.faults)
        left = list(seen)
        for place, width, value in sorted(truth, key=lambda die: -die[2]):
            near = [one for one in left if np.linalg.norm(one[0] - place) < 0.4 * width]
            best = min(near, key=lambda one: float(np.linalg.norm(one[0] - place)), default=None)
            if best is not None:
                left = [one for one in left if one is not best]
            if value > 0:
                self._count_die(f"{name}: {value} at ({place[0]:.0f}, {place[1]:.0f})", value, best)
        for place, shares in left:
            claim = Claim(shares, 0)
            self.claims.append(claim)
            self.faults.append(f"{name}: {_said(claim)} at ({place[0]:.0f}, {place[1]:.0f}) where none is labelled")
        self.whole += len(self.faults) == faults

    def _count_die(self, what: str, value: int, seen: Seen | None) -> None:
        self.dice += 1
        if seen is None:
            self.missing += 1
            self.faults.append(f"{what} missing")
            return
        claim = Claim(seen[1], value)
        self.claims.append(claim)
        if not claim.right:
            self.faults.append(f"{what} read as {_said(claim)}")

    def row(self) -> str:
        """A line of the table."""
        of_dice = [claim for claim in self.claims if claim.truth]
        false = [claim for claim in self.claims if not claim.truth]
        right, wrong = [c for c in of_dice if c.right], [c for c in of_dice if not c.right]
        read = _sure(right)
        low, high = wilson(read, self.dice)
        return (
            f"{self.name:28} {self.dice:6} {read:6} {read / max(self.dice, 1):7.2%} [{low:6.2%}, {high:7.2%}] "
            f"{len(right) - read:8} {len(wrong) - _sure(wrong):8} {self.missing:7} {_sure(wrong):10} "
            f"{_sure(false):6} {len(false) - _sure(false):8} {self.whole:5}/{self.photos}"
        )


HEAD = (
    "source                         dice   read    rate [    95 % of it]  doubtful doubtful missing sure&wrong  false"
    "    false whole pictures\n"
    "                                                                      & right  & wrong                    & sure"
    " doubtful"
)


def _sure(claims: list[Claim]) -> int:
    return sum(claim.share >= SURE for claim in claims)


def _said(claim: Claim) -> str:
    return f"{int(np.argmax(claim.likelihoods)) + 1} {claim.share:.2f}"


def wilson(right: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a rate."""
    if not count:
        return 0.0, 1.0
    z, share = 1.96, right / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * np.sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return float(max(0.0, middle - half)), float(min(1.0, middle + half))


def seen_in(reader: DiceReader, image: Image, sizes_px: tuple[float, float]) -> list[Seen]:
    """Places and likelihoods of a photograph's dice."""
    return [(np.array(die.centre_px), die.likelihoods) for die in reader.find(image, sizes_px)]


def tally_boxes(name: str, examples: list[Example], reader: DiceReader) -> Tally:
    """Photographs, or drawn pictures, with boxes."""
    tally = Tally(name)
    for example in examples:
        middle = float(np.median(example.sizes)) if len(example.boxes) else example.scale_px or 30.0
        seen = seen_in(reader, example.image, (middle * ROUGHLY[0], middle * ROUGHLY[1]))
        truth = list(zip(example.centres, example.sizes, (int(v) for v in example.values), strict=True))
        tally.count(example.name, truth, seen)
    return tally


def kamil_lines(reader: DiceReader) -> Iterator[str]:
    """The eight photographs of which only the values are known, dice of other kinds among them."""
    folder = PHOTOS / "dice" / "kamil"
    for row in csv.DictReader((folder / "labels.csv").open()):
        image = _load(folder / "images" / row["image"])
        sizes = (KAMIL_SHARES[0] * image.shape[1], KAMIL_SHARES[1] * image.shape[1])
        seen = sorted((int(np.argmax(s)) + 1, max(s)) for _, s in seen_in(reader, image, sizes))
        sure = [value for value, share in seen if share >= SURE]
        rest = " ".join(f"{value}?{share:.2f}" for value, share in seen if share < SURE)
        yield f"kamil {row['image']}: true {row['values_sorted']}, read {' '.join(map(str, sure))}, doubtful {rest}"


def tally_table(
    reader: DiceReader, *, name: str, change: Callable[[Image], Image] | None = None, names: str = "*"
) -> list[Tally]:
    """The rendered tables: those with dice, and those without any (sheets with dot dice are left out)."""
    dice, empty = Tally(name), Tally(f"{name}, none there")
    finder = DiceFinder(reader)
    for path in sorted((PHOTOS / "table").glob(f"{names}.json")):
        truth = load_json(path)
        if not isinstance(truth, dict) or "pieces" not in truth:
            continue
        true_dice = [piece for piece in truth["pieces"] if piece["kind"] == "die"]
        if any("value" not in piece for piece in true_dice):
            continue
        image = _load(path.with_suffix(".jpg"))
        try:
            image = change(image) if change else image
            registration = find_mat(image)
        except RegistrationError:
            continue
        others = boards.find(image, registration, ()) if (boards := board_of(path.stem)) else ()
        seen = finder.find(image, registration, others)
        places = [(np.array([p["x_mm"], p["y_mm"]]), float(p["size_mm"]), int(p["value"])) for p in true_dice]
        found = [(np.array([s.pose.x_mm, s.pose.y_mm]), by_value(s)) for s in seen]
        (dice if true_dice else empty).count(path.stem, places, found)
    return [dice, empty]


@cache
def board_of(name: str) -> Finder | None:
    """What finds the board in a picture of Pizza Theory, learned from another one of its style; None for others."""
    kind, style = name.split("-")[:2]
    if kind != "theory":
        return None
    other = next(path for path in sorted((PHOTOS / "table").glob(f"theory-{style}-*.json")) if path.stem != name)
    labels = load_json(other)
    assert isinstance(labels, dict)
    pack = enrol([(_load(other.with_suffix(".jpg")), labels)], source=[other.stem])
    (finder,) = finders_for({PieceKind.BOARD}, pack)
    return finder


def tally_drawn_tables(reader: DiceReader, count: int, *, name: str, dice: bool) -> Tally:
    """Drawn tables with pieces, boards and flat prints of all kinds on them, pips too; with or without dice."""
    tally = Tally(name)
    finder = DiceFinder(reader)
    for seed in range(DRAWN_SEED, DRAWN_SEED + count):
        example = own_table(seed, dice=dice, prints=True)
        assert example.registration is not None
        registration = example.registration
        found = [
            (registration.to_picture(registration.seen_from_table([[s.pose.x_mm, s.pose.y_mm]], side_mm(s)))[0], s)
            for s in finder.find(example.image, registration, ())
        ]
        truth = list(zip(example.centres, example.sizes, (int(v) for v in example.values), strict=True))
        tally.count(example.name, truth, [(place, by_value(sighting)) for place, sighting in found])
    return tally


def by_value(sighting: Sighting) -> tuple[float, ...]:
    """A sighting's likelihoods of 1 to 6."""
    shares = {face.face: face.probability for face in sighting.faces}
    return tuple(shares.get(str(value), 0.0) for value in range(1, 7))


def reliability(claims: list[Claim]) -> Iterator[str]:
    """Claims by their likelihood beside how many were right."""
    yield "likelihood        claims   mean     right"
    for low, high in pairwise(BINS):
        inside = [c for c in claims if low <= c.share < high or c.share == high == 1.0]
        if inside:
            right = np.mean([c.right for c in inside])
            yield f"{low:6.3f} to {high:5.3f} {len(inside):7} {np.mean([c.share for c in inside]):7.3f} {right:8.3f}"


def milliseconds(reader: DiceReader) -> Iterator[str]:
    """The finder alone on pictures of dice at three sizes, one thread."""
    finder = DiceFinder(reader)
    for name in ("dice-alpha-01", "theory-alpha-01", "ring-alpha-01"):
        for size in ((1280, 720), (1920, 1080), (2304, 1296)):
            image = _load(PHOTOS / "table" / f"{name}.jpg")
            image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_CUBIC), np.uint8)
            registration = find_mat(image)
            times = []
            for _ in range(8):
                start = time.process_time()
                seen = list(finder.find(image, registration, ()))
                times.append((time.process_time() - start) * 1e3)
            sides = " ".join(f"{side_mm(s):.0f}" for s in seen)
            yield f"{name} {size[0]}x{size[1]}: {np.median(times):.1f} ms of one core; dice of {sides} mm"


def main() -> int:
    """Print all tables; 1 where a die is claimed as sure on an empty table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--own", action="store_true", help="the package's networks for every source")
    parser.add_argument(
        "--only", choices=["nellbyler", "epanemu", "kamil", "table", "changed", "drawn", "prints", "time"]
    )
    parser.add_argument("--models", type=Path, help="networks for every source instead of the left-out ones")
    parser.add_argument("--drawn", type=int, default=400, help="drawn pictures")
    parser.add_argument("--every", type=int, default=1, help="only every so manieth photograph")
    parser.add_argument("--faults", action="store_true", help="list every fault")
    parser.add_argument("--claims", type=Path, help="write every claim to this file, for fitting the sharpness")
    options = parser.parse_args()
    use_one_core()
    own = reader_of(options.models) if options.models else load_reader()

    def without(source: str) -> DiceReader:
        return own if options.own or options.models else reader_of(FOLDS / source)

    def wanted(source: str) -> bool:
        return options.only in (None, source)

    photographs = [source for source in ("nellbyler", "epanemu") if wanted(source)]
    tallies = [tally_boxes(source, load(source)[:: options.every], without(source)) for source in photographs]
    if wanted("table"):
        tallies += tally_table(without("table"), name="table")
    if wanted("changed"):
        for name, change in CHANGES.items():
            tallies += tally_table(without("table"), change=change, name=f"table, {name}")
    if wanted("drawn"):
        tallies.append(tally_boxes("drawn, other seeds", drawn(options.drawn, DRAWN_SEED), own))
        tallies.append(tally_boxes("drawn, no dice, no mat", clutter(options.drawn, DRAWN_SEED), own))
    if wanted("prints"):
        for name, dice in (("drawn tables, flat prints", True), ("flat prints, none there", False)):
            tallies.append(tally_drawn_tables(own, options.drawn // 2, name=name, dice=dice))
    if tallies:
        print(HEAD, *(tally.row() for tally in tallies), sep="\n")
        together = [claim for tally in tallies for claim in tally.claims]
        print("", *reliability(together), sep="\n")
        if options.claims:
            options.claims.write_text(json.dumps([[*claim.likelihoods, claim.truth] for claim in together]))
    if options.faults:
        print("", *(fault for tally in tallies for fault in tally.faults), sep="\n")
    if wanted("kamil"):
        print("", *kamil_lines(own), sep="\n")
    if wanted("time"):
        print("", *milliseconds(own), sep="\n")
    return int(any(c.share >= SURE for tally in tallies if "none there" in tally.name for c in tally.claims))


def _load(path: Path) -> Image:
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if image is None:
        raise FileNotFoundError(f"{path} is missing or is no picture")
    return np.asarray(image, np.uint8)


if __name__ == "__main__":
    sys.exit(main())
