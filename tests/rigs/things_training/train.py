"""Train the network that outlines things, and write it for OpenCV.

Needs PyTorch and onnx, which nothing else here does; take a virtual environment of its own, see
tests/rigs/dice_training/train.py:

    python -m tests.rigs.things_training.scenes /tmp/scenes --tables 400  # in the project's own environment
    /tmp/dice-venv/bin/python -m tests.rigs.things_training.train /tmp/scenes --seconds 1500 --out /tmp/out

The package's was taught in parts: 420 s and 700 s beside other work, from 120 and then 560 tables, when mat and table
still had one usual colour in common (it told hardly anything on mats much brighter than their table); 1500 s by two
threads at a rate of 2.5e-3 from 640 tables (seeds 1000000 to 1000399 with hands on an eighth of them, 2000000 to
2000239), since each has its own; and 600 s at 1e-3 with 80 more (seed 4000000) twice, of which more are lit by several
lamps and bare. 960 s more, with these once, found more things and more that are none, which a lower likelihood does as
well. Since then more of the drawn things are tall, clear or as pale as the ground, and some shadows have hard edges;
2800 s more with 440 tables of that kind (seeds 6000000 to 6000439) brought nothing, see docs/what-did-not-pay.md. Since
then a fifth of the things are thin (tests/vision/drawn_bones.py) and some mirror the room, thin ones are learned from
where they fill no cell, and count more: 3000 s (15 600 steps) at 1.5e-3 with 360 such tables (seeds 7000000 to 7000359,
--seed 2) made the package's. The mean of its weights and those of another seed, and 1300 s more, brought nothing.
"""

import argparse
import copy
import pickle
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from tests.rigs.halves import halved
from tests.rigs.things_training.network import Outliner
from tests.rigs.things_training.scene import VARIANTS, Scene
from tests.rigs.unfolded import unfold
from vision.hiding.outlining import CHANNELS, FINE, shown, usual_colours

Floats = NDArray[np.float32]
Rng = np.random.Generator
Learned = tuple[torch.Tensor, torch.Tensor, torch.Tensor]
"""What a network is shown, where things are (1), and how much that counts in each cell."""

CROP = 112
"""So many cells of a scene are learned from at a time, each way,"""
BATCH = 16
"""of so many scenes."""
HELD_ASIDE = 15
"""Of all tables each so manieth is not learned from."""
EDGE = 0.25
"""A cell that a thing covers by more than this and less than the rest of all is not learned from;"""
OF_THIN, SLIM_COUNTS = 0.35, 2.5
"""unless the thing fills none beside it, and this much of it. What is less than three cells wide counts as so many."""
SPECKLED = 0.3
"""In such a share of scenes pieces seem to be seen here and there: under things they may, by chance."""
SETTLED_BY = 100
"""What a network that is taught on normalises is settled by so many scenes."""
MOST_ASIDE = 40
"""Of these so many say how well it goes."""
WARM = 200
"""In so many steps the rate rises."""
START = (
    "what to go on from: a network (.onnx), such as the package's, or weights that were kept meanwhile (.pt); of "
    "several their mean, which --seconds 0 writes as it is"
)
TOLD = 0.1
"""After such a share of the time it is told how well it goes."""


def batch(rng: Rng, scenes: Sequence[Scene], usual: Sequence[Floats]) -> tuple[Floats, Floats, Floats]:
    """Pieces of some scenes, whose grounds have these colours, as the network takes them (n x CHANNELS x FINE CROP x
    FINE CROP); how much of each cell a thing covers; and how much each counts (n x 1 x CROP x CROP each)."""
    looks: list[Floats] = []
    truth: list[Floats] = []
    asked: list[Floats] = []
    while len(looks) < BATCH:
        number = int(rng.integers(len(scenes)))
        scene = _cut(rng, scenes[number])
        things, learned = wanted(scene)
        if not learned.any() or (not (things * learned).any() and rng.random() < 0.5):
            continue
        one = _in_other_light(rng, shown(scene.fine, scene.pieces, scene.mat, scene.seen, usual[number]))
        turns, mirrored = int(rng.integers(4)), rng.random() < 0.5
        for kept, part in ((looks, one), (truth, things[None]), (asked, learned[None])):
            turned = np.rot90(part, turns, (1, 2))
            kept.append(turned[:, :, ::-1] if mirrored else turned)
    stacked = [np.ascontiguousarray(np.stack(some), np.float32) for some in (looks, truth, asked)]
    return stacked[0], stacked[1], stacked[2]


def _cut(rng: Rng, scene: Scene) -> Scene:
    """A square of it."""
    row, column = (int(rng.integers(0, max(side - CROP, 0) + 1)) for side in scene.seen.shape)

    def part(values: NDArray[Any], fine: int = 1) -> NDArray[Any]:
        own = values[fine * row : fine * (row + CROP), fine * column : fine * (column + CROP)]
        missing = [(0, fine * CROP - side) for side in own.shape[:2]]
        return np.pad(own, [*missing, *[(0, 0)] * (own.ndim - 2)])

    return Scene(
        part(scene.fine, FINE), part(scene.pieces), part(scene.mat), part(scene.seen), part(scene.things),
        part(scene.asked), part(scene.light), part(scene.known),
    )  # fmt: skip


def wanted(scene: Scene) -> tuple[Floats, Floats]:
    """How much of each cell things cover, 0 to 1, or 1 where one is too thin to; and how much each cell counts that is
    learned from."""
    near = np.ones((3, 3), np.uint8)
    things = np.asarray(scene.things / np.float32(255), np.float32)
    filled = np.where(things >= 1 - EDGE, np.uint8(1), np.uint8(0))
    things[(things >= OF_THIN) & (cv2.dilate(filled, near) == 0)] = 1.0
    filled[things == 1.0] = 1
    slim = (filled > 0) & (cv2.morphologyEx(filled, cv2.MORPH_OPEN, near) == 0)
    learned = (scene.asked > 0) & ((things <= EDGE) | (filled > 0))
    return things, np.where(slim, np.float32(SLIM_COUNTS), np.float32(1)) * learned


def _in_other_light(rng: Rng, one: Floats) -> Floats:
    tone = rng.normal(0, 0.1, (3, 1, 1)) + rng.normal(0, 0.1)
    one[:3] = (one[:3] * np.exp(rng.normal(0, 0.12)) + tone * one[5]).astype(np.float32)
    if rng.random() < SPECKLED:
        cells = (rng.random((CROP, CROP)) < rng.uniform(0, 0.06)).repeat(FINE, 0).repeat(FINE, 1)
        one[3] = np.maximum(one[3], cells)
    return one


def ground_of(scene: Scene) -> Floats:
    """The usual colour of what lies under everything."""
    return usual_colours(scene.fine, scene.pieces, scene.mat, scene.seen)


def fit(network: Outliner, scenes: Sequence[Scene], seconds: float, rate: float, rng: Rng, kept: Path) -> nn.Module:
    """Train on all but those held aside: see `learned`."""
    network.to(memory_format=torch.channels_last)
    own = [scene for number, scene in enumerate(scenes) if number // VARIANTS % HELD_ASIDE]
    aside = [scene for number, scene in enumerate(scenes) if number // VARIANTS % HELD_ASIDE == 0][:MOST_ASIDE]
    usual = [ground_of(scene) for scene in own]

    def some() -> Learned:
        looks, things, asked = (torch.from_numpy(part) for part in batch(rng, own, usual))
        return looks.contiguous(memory_format=torch.channels_last), (things > 0.5).float(), asked

    return learned(network, some, lambda mean: _of_others(mean, aside), seconds, rate, kept)


def learned(
    network: nn.Module,
    some: Callable[[], Learned],
    of_others: Callable[[nn.Module], str],
    seconds: float,
    rate: float,
    kept: Path,
) -> nn.Module:
    """Train a network for so long on `some` tables after others, and tell meanwhile what it says `of_others`; gives the
    running mean of the weights, which is `kept` in a file meanwhile."""
    network.train()
    mean_of = AveragedModel(network, multi_avg_fn=get_ema_multi_avg_fn(0.995), use_buffers=True)
    optimiser = torch.optim.AdamW(network.parameters(), rate, weight_decay=0.01)
    print(f"before: {of_others(mean_of.module)}", flush=True)
    began, told, losses, steps = time.monotonic(), 0.0, [], 0
    while seconds and (share := (time.monotonic() - began) / seconds) < 1.0:
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1.0, (steps + 1) / WARM) * 0.5 * (1 + np.cos(np.pi * share))
        looks, things, asked = some()
        each = functional.binary_cross_entropy_with_logits(network(looks), things * 0.98 + 0.01, reduction="none")
        loss = (each * asked).sum() / asked.sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        mean_of.update_parameters(network)
        losses.append(float(loss.detach()))
        steps += 1
        if share > told + TOLD:
            told = share
            torch.save(mean_of.module.state_dict(), kept)
            print(f"{share:4.0%} {steps} steps, loss {np.mean(losses):.4f}; {of_others(mean_of.module)}", flush=True)
            losses = []
    print(of_others(mean_of.module), flush=True)
    return mean_of.module


def _of_others(network: nn.Module, scenes: Sequence[Scene]) -> str:
    """What it says of scenes that it did not learn from."""
    network = copy.deepcopy(network).eval()
    cells = np.zeros(4)
    for scene in scenes:
        things, learned = wanted(scene)
        one = shown(scene.fine, scene.pieces, scene.mat, scene.seen, ground_of(scene))
        height, width = things.shape
        with torch.no_grad():
            said = network(torch.from_numpy(one[None]))[0, 0, :height, :width].numpy() > 0
        true, asked = things > 0.5, learned > 0
        cells += [np.count_nonzero(part & asked) for part in (said & true, true, said & ~true, ~true)]
    return f"outlined: {cells[0] / cells[1]:.3f} of things, {cells[2] / cells[3]:.5f} of the rest"


def go_on_from(network: nn.Module, start: Sequence[Path], shown: torch.Tensor) -> None:
    """Give a network the mean weights of some files: see `START`. `shown` is what it is shown, for a network."""
    each = []
    for path in start:
        if path.suffix == ".onnx":
            unfold(network, path, shown)
        else:
            network.load_state_dict(torch.load(path))
        each.append(copy.deepcopy(network.state_dict()))
    network.load_state_dict({name: sum(one[name] for one in each) / len(each) for name in each[0]})


def write(network: nn.Module, path: Path, channels: int = CHANNELS) -> None:
    """Write a network for OpenCV, its weights with eleven bits each, and check that OpenCV says the same."""
    network = copy.deepcopy(network).cpu().eval()
    torch.save(network.state_dict(), path.with_suffix(".pt"))
    looks = torch.randn(1, channels, 64, 96)
    torch.onnx.export(
        network, (looks,), str(path), input_names=["in"], output_names=["out"],
        dynamic_axes={"in": {2: "h", 3: "w"}, "out": {2: "h", 3: "w"}}, dynamo=False,
    )  # fmt: skip
    onnx.save(halved(onnx.load(str(path))), str(path))
    net = cv2.dnn.readNetFromONNX(str(path), cv2.dnn.ENGINE_NEW)
    net.setInput(looks.numpy())
    off = float(np.abs(net.forward() - network(looks).detach().numpy()).max())
    print(f"{path}: {path.stat().st_size / 1e3:.0f} kB, OpenCV differs by {off:.1e}", flush=True)


def main() -> None:
    """Train and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", type=Path, nargs="+", help="folders of scenes: see scenes.py")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=1500.0)
    parser.add_argument("--start", type=Path, nargs="+", help=START)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--threads", type=int, default=1, help="of PyTorch; more than there are idle cores are far slower"
    )
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    cv2.setNumThreads(1)
    paths = sorted(path for folder in options.scenes for path in folder.glob("*.pkl"))
    scenes = [one for path in paths for one in pickle.loads(path.read_bytes())]
    print(f"{len(scenes)} scenes", flush=True)
    network, rng = Outliner(), np.random.default_rng(options.seed)
    if options.start is not None:
        some = scenes[:: max(len(scenes) // SETTLED_BY, 1)]
        looks, _, _ = batch(rng, some, [ground_of(scene) for scene in some])
        go_on_from(network, options.start, torch.from_numpy(looks))
    options.out.mkdir(parents=True, exist_ok=True)
    out = options.out / "things.onnx"
    write(fit(network, scenes, options.seconds, options.rate, rng, out.with_suffix(".pt")), out)


if __name__ == "__main__":
    main()
