"""Fit how much the second network and the pips' fits count: seven numbers, by maximum likelihood on measured places.

Run: python -m tests.rigs.dice_training.fit_likelihoods --write

Each source is measured with the networks of tests/benchmarks/dice_without that never learned from it; so are drawn
tables, with and without flat prints and dice on them, and drawn pictures, with seeds that were never learned from.
epanemu's places without a label count for nothing: some of its dice are not labelled.

For each source the numbers are also fitted without it, and its claims are shown with those and with the package's;
`--write` keeps them beside the networks that never saw the source (likelihoods.json), for `make dice-report`.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.rigs.dice_training.sources import Example, draw_one, load, own_table
from vision.dice.finder import ground, silhouettes_px
from vision.dice.finding import TOLD, UNTOLD, Counts, DiceReader, Measured, odds_of, together, upright
from vision.threads import use_one_core

Array = NDArray[np.float64]

FOLDS = Path(__file__).parents[2] / "benchmarks" / "dice_without"
NUMBERS = len(fields(Counts)) - 1
"""Those that are fitted: all but the last."""
FLAT = 0.99
SURE_UNTOLD = 3.3
"""To be sure, a die's odds must be greater than those of so many flat places on drawn tables, where the network is told
how far it would lean; else greater than the other, chosen so that no more of drawn clutter is sure than before."""
SEED = 800_000
BARE_SEED = 10_000
SHARES_UNTOLD = {"nellbyler": 1.0, "epanemu": 1.0, "drawn": 0.5, "table": 1.0, "own table": 1.0}
SHARES_TOLD = SHARES_UNTOLD | {"own table": 0.4}
"""How much each source counts, where the network is not told how far a die would lean, and where it is. Photographs
hardly show what is no die: without the tables' many such places too much would be sure. Where it is told, the drawn
tables' many flat prints count less; this was chosen on simulated tables with seeds below 41."""
TOLD_SOURCES = ("table", "own table")
EDGES = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.01)


@dataclass(frozen=True)
class Place:
    """One measured place."""

    source: str
    number: int
    """Of the picture."""
    seen: Measured
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
            yield Place(example.source, number, one, truth)


def features(places: Sequence[Place]) -> Array:
    """n x 7 x 7: what each of the numbers is multiplied with for nothing and for each value."""
    rows = np.zeros((len(places), 7, NUMBERS))
    for row, place in zip(rows, places, strict=True):
        seen = place.seen
        row[0, :4] = seen.network[0], seen.close[0], 1.0, seen.fits.max()
        row[1:, 4], row[1:, 5], row[1:, 6] = seen.network[1:], seen.close[1:], seen.fits
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
    numbers = np.array([0.5, 0.5, 0.0, 0.0, 0.5, 0.5, 1.0])
    for _ in range(40):
        shares = _shares(numbers, rows)
        there = np.eye(7)[truth]
        mean = np.einsum("nv,nvk->nk", shares, rows)
        slope = (((there - shares)[..., None] * rows).sum(1) * weights[:, None]).sum(0)
        spread = np.einsum("nv,nvk,nvl,n->kl", shares, rows, rows, weights) - (mean * weights[:, None]).T @ mean
        step = np.linalg.solve(spread + 1e-6 * weights.sum() * np.eye(NUMBERS), slope)
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


def measured(folds: Path, tables: int, drawn: int) -> list[Place]:
    """Every place of every source, by networks that never learned from it."""
    places: list[Place] = []
    for source in ("nellbyler", "epanemu", "table"):
        reader = reader_of(folds / source)
        places += [p for number, e in enumerate(load(source)) for p in places_of(e, number, reader)]
    reader = reader_of(folds / "table")
    places += [p for i in range(drawn) for p in places_of(draw_one(SEED + i), i, reader)]
    places += [p for i in range(tables) for p in places_of(own_table(SEED + i), i, reader)]
    bare = (own_table(SEED + BARE_SEED + i, dice=False, prints=True) for i in range(tables // 2))
    return [*places, *(p for i, example in enumerate(bare) for p in places_of(example, i, reader))]


def fitted(places: Sequence[Place], shares: Mapping[str, float], without: str | None = None) -> Counts:
    """The numbers for places of these sources but one."""
    some = [p for p in places if p.source in shares and p.source != without]
    used = {source: share for source, share in shares.items() if source != without}
    numbers = fit(features(some), np.array([p.truth for p in some]), weights_of(some, used))
    flat = [odds_of(p.seen.network) for p in places if p.source == "own table" and not p.truth]
    sure = float(np.quantile(flat, FLAT)) if shares is SHARES_TOLD else SURE_UNTOLD
    return Counts(*(round(float(number), 3) for number in (*numbers, sure)))


def likelihoods(places: Sequence[Place], counts: Counts) -> Iterator[tuple[float, bool]]:
    """How likely the likeliest value is at each place, and whether it is there."""
    for place in places:
        shares = together(place.seen, counts)[1:]
        yield float(shares.max()), int(shares.argmax()) + 1 == place.truth


def reliability(places: Sequence[Place], counts: Counts) -> str:
    """Claims by their likelihood: how many, what they say, how many are right."""
    claims = list(likelihoods(places, counts))
    cells = []
    for low, high in pairwise(EDGES):
        inside = [(said, right) for said, right in claims if low <= said < high]
        if inside:
            mean, share = np.mean(inside, axis=0)
            cells.append(f"{len(inside)} said {mean:.2f} right {share:.3f}")
    return "; ".join(cells)


def main() -> None:
    """Print the numbers fitted on all sources and without each, and what is claimed with them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folds", type=Path, default=FOLDS)
    parser.add_argument("--tables", type=int, default=80, help="drawn tables")
    parser.add_argument("--drawn", type=int, default=200, help="drawn pictures")
    parser.add_argument("--write", action="store_true", help="keep each source's numbers beside its networks")
    options = parser.parse_args()
    use_one_core()
    places = measured(options.folds, options.tables, options.drawn)
    for name, shares, now in (("TOLD", SHARES_TOLD, TOLD), ("UNTOLD", SHARES_UNTOLD, UNTOLD)):
        print(f"{name}: {fitted(places, shares)}, as it is {now}")
    for source in SHARES_UNTOLD:
        told, untold = fitted(places, SHARES_TOLD, source), fitted(places, SHARES_UNTOLD, source)
        own, now = (told, TOLD) if source in TOLD_SOURCES else (untold, UNTOLD)
        some = [p for p in places if p.source == source]
        print(f"{source}: {len(some)} places\n  as it is     {reliability(some, now)}")
        print(f"  without it   {reliability(some, own)}")
        if options.write and (options.folds / source).is_dir():
            text = json.dumps({"told": asdict(told), "untold": asdict(untold)}, indent=1)
            (options.folds / source / "likelihoods.json").write_text(text + "\n")


def reader_of(folder: Path) -> DiceReader:
    """The networks in a folder, with the likelihoods that belong to them."""
    kept = folder / "likelihoods.json"
    counts = (
        {sort: Counts(**numbers) for sort, numbers in json.loads(kept.read_text()).items()} if kept.is_file() else {}
    )
    return DiceReader((folder / "proposer.onnx").read_bytes(), (folder / "reader.onnx").read_bytes(), **counts)


if __name__ == "__main__":
    main()
