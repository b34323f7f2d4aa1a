"""Train the small network that weighs what the one that outlines things says with what changed on a watched table.

The other one stays as it is. In the environment of train.py, with scenes as it takes them:

    /tmp/dice-venv/bin/python -m tests.rigs.things_training.weigh /tmp/scenes --seconds 780 --out /tmp/out

The package's was taught so, from 320 tables (seed 5000000), and 900 s more at a rate of 3e-3; both beside other work.
"""

import argparse
import copy
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from tests.rigs.things_training.network import Weigher
from tests.rigs.things_training.scene import VARIANTS, Scene
from tests.rigs.things_training.train import (
    BATCH,
    CROP,
    HELD_ASIDE,
    MOST_ASIDE,
    START,
    Learned,
    go_on_from,
    ground_of,
    learned,
    wanted,
    write,
)
from vision.hiding.outlining import WEIGHED, shown, weighed

Floats = NDArray[np.float32]
Halves = NDArray[np.float16]
Rng = np.random.Generator

THINGS = Path("vision/hiding/things.onnx")


@dataclass(frozen=True)
class Watched:
    """A table that was watched."""

    given: Halves
    """What the network is given: WEIGHED x h x w."""
    things: NDArray[np.bool_]
    learned: NDArray[np.bool_]


def watched(network: cv2.dnn.Net, scene: Scene) -> Watched:
    """What the outlining network says of a scene, with what changed."""
    values = shown(scene.fine, scene.pieces, scene.mat, scene.seen, ground_of(scene))
    network.setInput(values[None])
    given = weighed(np.asarray(network.forward()[0, 0], np.float32), values, scene.changed)
    things, asked = (np.zeros(given.shape[1:], bool) for _ in range(2))
    height, width = scene.seen.shape
    covered, own = wanted(scene)
    things[:height, :width], asked[:height, :width] = covered > 0.5, (own > 0) & (scene.known > 0)
    return Watched(given.astype(np.float16), things, asked)


def all_watched(folders: Sequence[Path]) -> Iterator[Watched]:
    """Those of all scenes in some folders."""
    network = cv2.dnn.readNetFromONNX(np.frombuffer(THINGS.read_bytes(), np.uint8), cv2.dnn.ENGINE_NEW)
    for path in sorted(path for folder in folders for path in folder.glob("*.pkl")):
        yield from (watched(network, scene) for scene in pickle.loads(path.read_bytes()))


def batch(rng: Rng, tables: Sequence[Watched]) -> Learned:
    """Parts of some of them: n x (WEIGHED, 1, 1) x CROP x CROP."""
    parts: list[tuple[NDArray[np.generic], ...]] = []
    while len(parts) < BATCH:
        table = tables[int(rng.integers(len(tables)))]
        row, column = (int(rng.integers(0, side - CROP + 1)) for side in table.things.shape)
        part = slice(row, row + CROP), slice(column, column + CROP)
        one = table.given[:, *part], table.things[None, *part], table.learned[None, *part]
        if not one[2].any() or (not (one[1] & one[2]).any() and rng.random() < 0.5):
            continue
        turns, mirrored = int(rng.integers(4)), rng.random() < 0.5
        turned = [np.rot90(values, turns, (1, 2)) for values in one]
        parts.append(tuple(values[:, :, ::-1] if mirrored else values for values in turned))
    given, things, asked = (torch.from_numpy(np.stack(some).astype(np.float32)) for some in zip(*parts, strict=True))
    return given, things, asked


def fit(network: Weigher, tables: Sequence[Watched], seconds: float, rate: float, rng: Rng, kept: Path) -> nn.Module:
    """Train on all but those held aside: see `learned`."""
    own = [table for number, table in enumerate(tables) if number // VARIANTS % HELD_ASIDE]
    aside = [table for number, table in enumerate(tables) if number // VARIANTS % HELD_ASIDE == 0][:MOST_ASIDE]
    return learned(network, lambda: batch(rng, own), lambda mean: _of_others(mean, aside), seconds, rate, kept)


def _of_others(network: nn.Module, tables: Sequence[Watched]) -> str:
    """What it says of tables that it did not learn from."""
    network = copy.deepcopy(network).eval()
    cells, losses = np.zeros(4), []
    for table in tables:
        with torch.no_grad():
            said = network(torch.from_numpy(table.given[None].astype(np.float32)))[0, 0]
        true, asked, yes = table.things, table.learned, said.numpy() > 0
        cells += [np.count_nonzero(part & asked) for part in (yes & true, true, yes & ~true, ~true)]
        each = functional.binary_cross_entropy_with_logits(said, torch.from_numpy(true).float(), reduction="none")
        losses.append(float(each[torch.from_numpy(asked)].mean()))
    return (
        f"outlined: {cells[0] / cells[1]:.3f} of things, {cells[2] / cells[3]:.5f} of the rest, loss "
        f"{np.nanmean(losses):.4f}"
    )


def main() -> None:
    """Train and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", type=Path, nargs="+", help="folders of scenes: see scenes.py")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=900.0)
    parser.add_argument("--start", type=Path, nargs="+", help=START)
    parser.add_argument("--rate", type=float, default=4e-3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    tables = list(all_watched(options.scenes))
    print(f"{len(tables)} tables", flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    network, rng = Weigher(), np.random.default_rng(options.seed)
    if options.start is not None:
        go_on_from(network, options.start, batch(rng, tables)[0])
    out = options.out / "changed.onnx"
    write(fit(network, tables, options.seconds, options.rate, rng, out.with_suffix(".pt")), out, WEIGHED)


if __name__ == "__main__":
    main()
