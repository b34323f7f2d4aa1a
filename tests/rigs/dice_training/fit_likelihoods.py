"""Fit how much the second network and the pips' fits count: four numbers, by maximum likelihood on measured places.

Run: python -m tests.rigs.dice_training.fit_likelihoods

Each source is measured with the networks of tests/benchmarks/dice_without that never learned from it; so are drawn
tables, with flat prints on them, and drawn pictures, with seeds that were never learned from. Every second picture is
fitted on, the others check it. epanemu's places without a label count for nothing: some of its dice are not labelled.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.rigs.dice_training.sources import Example, draw_one, load, own_table
from vision.dice.finder import ground, silhouettes_px
from vision.dice.finding import TOLD, UNTOLD, Counts, DiceReader, upright

Array = NDArray[np.float64]

FOLDS = Path(__file__).parents[2] / "benchmarks" / "dice_without"
SEED = 800_000
SHARES = {"nellbyler": 1.0, "epanemu": 0.3, "table": 1.0, "own table": 1.0, "drawn": 0.5}
"""How much each source counts in all."""
SHARES_TOLD = SHARES | {"own table": 2.0}
"""And for where the network is told how far a die would lean: there flat prints count for more."""


@dataclass(frozen=True)
class Place:
    """One measured place."""

    source: str
    number: int
    """Of the picture."""
    network: Array
    fits: Array
    truth: int
    """0: no die."""


def places_of(example: Example, number: int, reader: DiceReader) -> Iterator[Place]:
    """Every place that is measured in a picture, nearest to each die the one that is best measured."""
    if example.registration is not None:
        registration = example.registration
        sizes = silhouettes_px(registration)
        measured = reader.measure(example.image, sizes, ground_at=lambda at: ground(registration, at))
    else:
        middle = float(np.median(example.sizes)) if len(example.boxes) else 30.0
        measured = reader.measure(example.image, (0.5 * middle, 2.0 * middle), ground_at=upright)
    for one in measured:
        apart = np.linalg.norm(example.centres - one.centre_px, axis=1) / example.sizes if len(example.boxes) else []
        near = [int(i) for i in np.argsort(apart) if apart[i] < 0.4]
        truth = int(example.values[near[0]]) if near else 0
        unlabelled = example.source == "epanemu" and not near
        if truth >= 0 and not unlabelled and not any(apart[i] < 0.7 for i in range(len(apart)) if i not in near):
            yield Place(example.source, number, one.network, one.fits, truth)


def features(places: Sequence[Place]) -> Array:
    """n x 7 x 4: what each of the numbers is multiplied with for nothing and for each value."""
    rows = np.zeros((len(places), 7, 4))
    for row, place in zip(rows, places, strict=True):
        row[0, 0], row[0, 1] = place.network[0], 1.0
        row[1:, 2], row[1:, 3] = place.network[1:], place.fits
    return rows


def log_loss(numbers: Array, rows: Array, truth: NDArray[np.int64], weights: Array) -> float:
    """The weighted mean."""
    return float(-(np.log(_shares(numbers, rows)[np.arange(len(rows)), truth]) * weights).sum() / weights.sum())


def _shares(numbers: Array, rows: Array) -> Array:
    said = rows @ numbers
    odds = np.exp(said - said.max(1, keepdims=True))
    return np.asarray(np.maximum(odds / odds.sum(1, keepdims=True), 1e-12))


def fit(rows: Array, truth: NDArray[np.int64], weights: Array) -> Array:
    """The numbers, by Newton's method with steps that are halved until they lead down: the loss is convex."""
    numbers = np.array([1.0, 0.0, 1.0, 1.0])
    for _ in range(40):
        shares = _shares(numbers, rows)
        there = np.eye(7)[truth]
        mean = np.einsum("nv,nvk->nk", shares, rows)
        slope = (((there - shares)[..., None] * rows).sum(1) * weights[:, None]).sum(0)
        spread = np.einsum("nv,nvk,nvl,n->kl", shares, rows, rows, weights) - (mean * weights[:, None]).T @ mean
        step = np.linalg.solve(spread + 1e-6 * weights.sum() * np.eye(4), slope)
        before = log_loss(numbers, rows, truth, weights)
        while np.abs(step).max() > 1e-6 and log_loss(numbers + step, rows, truth, weights) > before:
            step = step / 2
        numbers = numbers + step
        if np.abs(step).max() < 1e-6:
            break
    return numbers


def weights_of(places: Sequence[Place], shares: Mapping[str, float]) -> Array:
    """What each place counts, so that sources count their shares."""
    count = {source: max(sum(p.source == source for p in places), 1) for source in shares}
    return np.array([shares[p.source] / count[p.source] * len(places) for p in places])


def main() -> None:
    """Print the numbers, and the log loss with them and with those of the package, on what was not fitted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folds", type=Path, default=FOLDS)
    parser.add_argument("--tables", type=int, default=60, help="drawn tables")
    parser.add_argument("--drawn", type=int, default=200, help="drawn pictures")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    places: list[Place] = []
    for source in ("nellbyler", "epanemu", "table"):
        reader = reader_of(options.folds / source)
        places += [p for number, e in enumerate(load(source)) for p in places_of(e, number, reader)]
    reader = reader_of(options.folds / "table")
    places += [p for i in range(options.drawn) for p in places_of(draw_one(SEED + i), i, reader)]
    places += [p for i in range(options.tables) for p in places_of(own_table(SEED + i), i, reader)]
    compared(places, SHARES_TOLD, TOLD)
    compared(places, SHARES, UNTOLD)


def compared(places: Sequence[Place], shares: Mapping[str, float], now: Counts) -> None:
    """Print the numbers fitted on each half and on all, and how they do on what they were not fitted on."""
    print("fitted on  checked on  numbers")
    half = [[p for p in places if p.number % 2 == side] for side in (0, 1)]
    for learned, other in ((half[0], half[1]), (half[1], half[0]), (places, places)):
        numbers = fit(features(learned), np.array([p.truth for p in learned]), weights_of(learned, shares))
        print(f"{len(learned):9} {len(other):11}  {np.round(numbers, 3)}")
        for source in shares:
            some = [p for p in other if p.source == source]
            if some:
                rows, true, ones = features(some), np.array([p.truth for p in some]), np.ones(len(some))
                losses = [log_loss(n, rows, true, ones) for n in (numbers, np.array(astuple(now)))]
                print(f"  {source:10} {len(some):5} places: {losses[0]:.4f}, as it is {losses[1]:.4f}")


def reader_of(folder: Path) -> DiceReader:
    """The networks in a folder."""
    return DiceReader((folder / "proposer.onnx").read_bytes(), (folder / "reader.onnx").read_bytes())


if __name__ == "__main__":
    main()
