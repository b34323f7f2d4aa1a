"""How well the network that outlines things does on drawn ones that it never learned from, by itself: each as a single
picture, and on a table that is watched.

Run with `make things-report`; ARGS="--tables 40 --first-seed 9000000". Household things by a renderer that is not ours,
read by the whole of vision: `make traced-report ARGS="--seed 18 --things 8"`, with `--live` if they are watched.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.rigs.things_training.scene import Scene
from tests.rigs.things_training.scenes import scenes, simulated
from vision.hiding.cells import CELL_MM
from vision.hiding.lying_about import like_things
from vision.hiding.outlining import ThingOutliner, shown, thing_outliner, usual_colours
from vision.reports.rates import wilson
from vision.threads import use_one_core

FIRST_SEED = 9_000_000
"""The network learned from seeds below."""
LEAST_MM2 = 150.0
"""Of smaller things nothing is asked."""
BINS = (0.0, 0.05, 0.2, 0.5, 0.8, 0.95, 1.0)
OUTLINED = 0.5


@dataclass
class Counts:
    """What was outlined."""

    scenes: int = 0
    things: int = 0
    outlined: int = 0
    """By half or more."""
    slim: int = 0
    """Of the things, those of which less than half is three cells wide;"""
    slim_outlined: int = 0
    """and of the outlined ones."""
    false_cm2: list[float] = field(default_factory=list)
    """Of each scene, what is outlined and no thing, and not beside one."""
    bins: NDArray[np.int64] = field(default_factory=lambda: np.zeros((len(BINS) - 1, 2), np.int64))
    """Cells of such likelihoods, and how many of them are covered by things."""

    def take(self, scene: Scene, likely: NDArray[np.float32]) -> None:
        """Count one scene, in which things are so `likely` in each cell."""
        self.scenes += 1
        asked = scene.asked > 0
        true = np.where(asked & (scene.things > 127), np.uint8(255), np.uint8(0))
        found = like_things(likely, scene.seen & ~scene.pieces)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(true, connectivity=8)
        for number in range(1, count):
            if stats[number, cv2.CC_STAT_AREA] * CELL_MM**2 >= LEAST_MM2:
                own = labels == number
                outlined = float((found[own] > 0).mean()) >= OUTLINED
                self.things += 1
                self.outlined += outlined
                wide = cv2.morphologyEx(own.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
                if 2 * np.count_nonzero(wide) < np.count_nonzero(own):
                    self.slim += 1
                    self.slim_outlined += outlined
        near = cv2.dilate(scene.things, np.ones((5, 5), np.uint8)) > 0
        self.false_cm2.append(float(np.count_nonzero((found > 0) & asked & ~near)) * CELL_MM**2 / 100)
        of = np.clip(np.digitize(likely[asked], BINS) - 1, 0, len(BINS) - 2)
        for number in range(len(self.bins)):
            self.bins[number] += np.count_nonzero(of == number), np.count_nonzero(true[asked][of == number])


def counted(network: ThingOutliner, many: Iterator[Scene]) -> tuple[Counts, Counts]:
    """What a network says of some scenes as single pictures, and if they had been watched."""
    single, watched = Counts(), Counts()
    for scene in many:
        usual = usual_colours(scene.fine, scene.pieces, scene.mat, scene.seen)
        values = shown(scene.fine, scene.pieces, scene.mat, scene.seen, usual)
        for counts, changed in ((single, None), (watched, scene.changed)):
            counts.take(scene, network.of(values, scene.seen.shape, changed))
    return single, watched


def unseen(tables: int, first_seed: int = FIRST_SEED) -> Iterator[Scene]:
    """The scenes of so many tables."""
    for seed in range(first_seed, first_seed + tables):
        table = simulated(seed)
        if table is not None:
            yield from scenes(table, np.random.default_rng(seed))


def as_text(counts: Counts) -> str:
    """Rates with their intervals, and how often things are where they are said to be so likely."""
    low, high = wilson(counts.outlined, counts.things)
    stray = np.array(counts.false_cm2)
    lines = [
        f"{counts.outlined} of {counts.things} things outlined by half or more: {counts.outlined / counts.things:.1%}, "
        f"95 %: {low:.1%} to {high:.1%}; of the thin ones {counts.slim_outlined} of {counts.slim}",
        f"outlined and no thing: {stray.mean():.1f} cm2 a table, more than 5 cm2 on {np.count_nonzero(stray > 5)} of "
        f"{counts.scenes}",
        "likelihood of a cell   cells   of them things",
    ]
    for number, (cells, true) in enumerate(counts.bins):
        lines.append(f"{BINS[number]:.2f} to {BINS[number + 1]:.2f}  {cells:12}   {true / max(cells, 1):.3f}")
    return "\n".join(lines)


def main() -> None:
    """Print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=40, help="so many simulated tables, with five scenes each")
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    options = parser.parse_args()
    use_one_core()
    single, watched = counted(thing_outliner(), unseen(options.tables, options.first_seed))
    print(f"Single pictures\n{as_text(single)}\n\nTables that were watched\n{as_text(watched)}")


if __name__ == "__main__":
    main()
