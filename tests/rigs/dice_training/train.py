"""Train the dice reader's two networks and write them for OpenCV.

Needs PyTorch and onnx, which nothing else here does; take a virtual environment of its own:

    python3 -m venv /tmp/dice-venv
    /tmp/dice-venv/bin/pip install torch==2.13.0 onnx onnxscript 'numpy>=2' 'opencv-python-headless>=5'
    python -m tests.rigs.dice_training.simulated /tmp/tables.pictures --tables 110   # in the project's own environment
    train="/tmp/dice-venv/bin/python -m tests.rigs.dice_training.train --keep /tmp/own.pictures"
    train="$train --more /tmp/tables.pictures"
    $train --out /tmp/drawn --without photographs --proposer-s 220 --reader-s 3250
    $train --out vision/dice --start /tmp/drawn --rate 8e-4 --only reader --reader-s 410
    python -m tests.rigs.dice_training.fit_likelihoods --write

Seconds are of one core. First both learn from what we drew and simulated alone (tests/vision/drawn_dice.py, and
simulated tables without dice), then from the photographs in ../shared/photos too. The reader in /tmp/drawn is that of
all three folders of tests/benchmarks/dice_without: it never saw any photograph or rendered table. It was taught in
parts: 1900 s before there were close looks and `--low`, 510 s with them, 570 s with `--sixes` too, and 270 s at a
falling rate. That in vision/dice learned 270 s from all, then 140 s with six tenths of its
patches from drawn tables, nine of ten of these told how far a die would lean.

The proposers in vision/dice and dice_without are older, as the new ones find fewer dice on simulated tables. They
learned from dice with flat faces only (`SOLIDS` 0 in drawn_dice.py, and 40 for its `FAINT_LEVELS`): 200 s on 5000
drawn pictures, 1200 without dice and 160 tables; then the package's 50 s and 110 s more with 1600 cloths and the
photographs, and 200 s on 3600 other drawn pictures, 900 without dice, 170 tables, 1000 cloths and 54 simulated tables;
that without nellbyler 25 s with the other photographs, that for the table 25 s without any, and 130 s on those other
pictures. That without epanemu is from an earlier run of this kind.

`--without SOURCE` leaves a source out, so that it can be tested on (`make dice-report`); `--start` takes the networks
that a run before had learned from drawn dice. kamil's photographs are never learned from: they have no boxes.
"""

import argparse
import copy
import pickle
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import nn
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from tests.rigs.dice_training.networks import VALUES, Proposer, TopReader
from tests.rigs.dice_training.samples import PHOTOGRAPHS, WINDOW, patch_sample, window_sample, wrong_sample
from tests.rigs.dice_training.sources import (
    SOURCES,
    Example,
    cloths,
    clutter,
    drawn,
    drawn_from_aside,
    drawn_sixes,
    load,
    own_tables,
)
from tests.rigs.dice_training.spoiling import normalised_all, spoilt
from vision.dice.patches import DIE_PX, LEAST_CONTRAST, PATCH, UPRIGHT, Pyramid, laid_out, stretched, told
from vision.dice.proposing import propose
from vision.frame import Image


@dataclass(frozen=True)
class Plan:
    """How a network is trained."""

    seconds: float
    rate: float
    batch: int
    out: Path
    """The ONNX file."""


NOTHING = np.empty((0, 3))
SHARES = {"drawn": 0.42, "clutter": 0.13, "own table": 0.3, "nellbyler": 0.2, "epanemu": 0.14, "table": 0.14}
"""How often each source is drawn from; what is left out goes to the others."""
MOST_HARD = 5000
HARD_SHARE = 0.2
"""How many of the second network's patches are places that were taken for a die and are none, and of how many."""
TABLES = ("table", "own table")
STYLES = ("table-alpha", "table-beta")
"""Parts of a source that can be left out alone."""


class Mixture:
    """Examples of several sources, drawn from at random."""

    def __init__(self, examples: Sequence[Example], rng: np.random.Generator) -> None:
        self.rng = rng
        self.by_source: dict[str, list[int]] = {}
        self.examples = list(examples)
        self.pyramids = [Pyramid(example.image) for example in examples]
        self.wrong = [NOTHING] * len(examples)
        self.hard: list[tuple[int, int]] = []
        """Picture and number in `wrong`."""
        self.hardness = np.empty(0)
        for number, example in enumerate(examples):
            self.by_source.setdefault(example.source, []).append(number)
        shares = np.array([SHARES[source] for source in self.by_source])
        self.shares = shares / shares.sum()
        self.weights = {}
        for source, members in self.by_source.items():
            weight = np.sqrt([max(len(self.examples[m].boxes), 1) for m in members])
            self.weights[source] = weight / weight.sum()

    def pick(self, count: int) -> list[int]:
        """Numbers of pictures."""
        sources = list(self.by_source)
        counts = self.rng.multinomial(count, self.shares)
        picked = [
            self.rng.choice(self.by_source[source], many, p=self.weights[source])
            for source, many in zip(sources, counts, strict=True)
        ]
        return [int(number) for number in self.rng.permutation(np.concatenate(picked))]

    def windows(self, count: int) -> tuple[torch.Tensor, torch.Tensor]:
        """A batch for the first network."""
        made = [window_sample(self.rng, self.examples[i], self.pyramids[i]) for i in self.pick(count)]
        seen = spoilt(self.rng, _pieces([m[0] for m in made])) / 127.5 - 1.0
        return seen, torch.from_numpy(np.stack([m[1] for m in made])).float()

    def patches(self, count: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """A batch for the second network."""
        hard = round(count * HARD_SHARE) if self.hard else 0
        made = [
            patch_sample(self.rng, self.examples[i], self.pyramids[i], self.wrong[i]) for i in self.pick(count - hard)
        ]
        chosen = self.rng.choice(len(self.hard), hard, p=self.hardness) if hard else []
        for number, place in (self.hard[int(c)] for c in chosen):
            made.append(wrong_sample(self.rng, self.examples[number], self.pyramids[number], self.wrong[number][place]))
        made = [made[int(i)] for i in self.rng.permutation(len(made))]
        seen = normalised_all(spoilt(self.rng, _pieces([m.patch for m in made])), LEAST_CONTRAST)
        seen = with_leans(seen, [m.lean for m in made], [m.close for m in made])
        geometry = torch.from_numpy(np.stack([m.geometry for m in made])).float()
        return seen, torch.tensor([m.value for m in made]), geometry

    def find_wrong(self, network: cv2.dnn.Net, most: int) -> None:
        """Remember where the first network proposes a die and there is none.

        epanemu is left out: some of its dice are not labelled.
        """
        for source, members in self.by_source.items():
            if source == "epanemu":
                continue
            for number in self.rng.permutation(members)[:most]:
                self.wrong[number] = _wrong_of(network, self.examples[number])
        every = [(i, j) for i, places in enumerate(self.wrong) for j in range(len(places))]
        self.hard = [every[int(n)] for n in self.rng.permutation(len(every))[:MOST_HARD]]
        self.hardness = np.full(len(self.hard), 1 / max(len(self.hard), 1))

    def find_tops(self, network: nn.Module) -> None:
        """Say of photographs' dice where their tops lie, as the second network sees them, where it sees their value."""
        network.eval()
        found = of = 0
        for number, example in enumerate(self.examples):
            if example.source not in PHOTOGRAPHS or not len(example.boxes):
                continue
            tops = example.tops.copy()
            steps = [np.eye(2) * size / DIE_PX for size in example.sizes]
            centres = example.centres.copy()
            for _ in range(2):
                cut = [self.pyramids[number].cut(at, to_px) for at, to_px in zip(centres, steps, strict=True)]
                with torch.no_grad():
                    seen = normalised_all(_pieces(cut).float(), LEAST_CONTRAST)
                    said = network(with_leans(seen, [None] * len(cut))).double().numpy()
                for pick, one in enumerate(said):
                    tops[pick] = np.nan
                    top = _top_seen(one, centres[pick], steps[pick])
                    off = np.linalg.norm(top.mean(0) - example.centres[pick]) / example.sizes[pick]
                    if int(one[1:VALUES].argmax()) + 1 == example.values[pick] and off < 0.35:
                        tops[pick] = top
                    if off < 0.35:
                        centres[pick] = top.mean(0)
                        square = stretched(*one[VALUES + 3 : VALUES + 5])
                        steps[pick] = steps[pick] @ square * np.exp(np.clip(one[VALUES + 2] + 0.22, -0.25, 0.25))
            found, of = found + int(np.isfinite(tops).all((1, 2)).sum()), of + len(tops)
            self.examples[number] = replace(example, tops=tops)
        print(f"tops of {found} of {of} photographed dice", flush=True)
        network.train()

    def harden(self, network: nn.Module) -> None:
        """Show those places more often that the second network takes for a die."""
        network.eval()
        sure = []
        for start in range(0, len(self.hard), 256):
            pieces = [self._as_proposed(i, j) for i, j in self.hard[start : start + 256]]
            with torch.no_grad():
                seen = normalised_all(_pieces([piece for piece, _ in pieces]).float(), LEAST_CONTRAST)
                said = network(with_leans(seen, [lean for _, lean in pieces]))[:, :VALUES].float()
            sure.append(1 - said.softmax(1)[:, 0].numpy())
        network.train()
        weight = np.clip(np.concatenate(sure), 0.02, 0.7) if sure else np.empty(0)
        self.hardness = weight / max(weight.sum(), 1e-9)
        print(f"{len(self.hard)} wrong places, {int((weight > 0.3).sum())} of them taken for dice", flush=True)

    def _as_proposed(self, number: int, place: int) -> tuple[Image, float | None]:
        x, y, size = self.wrong[number][place]
        to_px, lean = laid_out(self.examples[number].ground_at(np.array([x, y]), self.rng) or UPRIGHT)
        return self.pyramids[number].cut(np.array([x, y]), to_px * size / DIE_PX), lean


def with_leans(
    patches: torch.Tensor, leans: Sequence[float | None], closes: Sequence[bool] | None = None
) -> torch.Tensor:
    """Normalised patches (n x 3 x h x w) with what the second network is told besides (n x 5 x h x w)."""
    closes = closes or [False] * len(leans)
    each = [told(lean, close=close) for lean, close in zip(leans, closes, strict=True)]
    besides = torch.tensor(each, dtype=patches.dtype)
    return torch.cat([patches, besides[:, :, None, None].expand(-1, -1, *patches.shape[2:])], 1)


def _top_seen(said: NDArray[np.float64], centre: NDArray[np.float64], to_px: NDArray[np.float64]) -> Any:
    """The corners (4 x 2) of the top that the second network sees in a patch."""
    dx, dy, size, along, across, cosine, sine = said[VALUES:]
    turn = np.arctan2(sine, cosine) / 4
    turned = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    sides = to_px @ stretched(along, across) @ turned * DIE_PX * np.exp(size)
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2
    return centre + to_px @ np.array([dx, dy]) * DIE_PX + corners @ sides.T


def _pieces(images: Sequence[Image]) -> torch.Tensor:
    return torch.from_numpy(np.stack(images)).permute(0, 3, 1, 2)


def _wrong_of(network: cv2.dnn.Net, example: Example) -> NDArray[np.float64]:
    middle = float(np.median(example.sizes)) if len(example.sizes) else (example.scale_px or 30.0)
    widest = 3.5 if example.source in TABLES else 1.7
    found = propose(network, example.image, (middle * 0.55, middle * widest), least=0.1)
    places = np.array([[*p.centre_px, p.size_px] for p in found]).reshape(-1, 3)
    if len(example.boxes) and len(places):
        apart = np.linalg.norm(places[:, None, :2] - example.centres[None], axis=2) / example.sizes
        places = places[(apart > 0.6).all(1)]
    return places[:60]


def heat_loss(said: torch.Tensor, truth: torch.Tensor) -> torch.Tensor:
    """CenterNet's focal loss on the heat, and the distance of place and size where there is a die."""
    heat, weight = truth[:, 0], truth[:, 1]
    logit = said[:, 0]
    score = torch.sigmoid(logit)
    there = (heat > 0.999).float()
    positive = -functional.logsigmoid(logit) * (1 - score) ** 2 * there
    negative = -functional.logsigmoid(-logit) * score**2 * (1 - heat) ** 4 * (1 - there)
    count = there.mul(weight).sum() + 1
    near = (heat > 0.25).float() * weight
    place = (functional.smooth_l1_loss(said[:, 1:4], truth[:, 2:5], reduction="none", beta=0.1).sum(1) * near).sum()
    return ((positive + negative) * weight).sum() / count + place / (near.sum() + 1)


def top_loss(said: torch.Tensor, value: torch.Tensor, geometry: torch.Tensor) -> torch.Tensor:
    """Cross entropy of the value, and the distance of place, size and turn where they are known."""
    known = torch.isfinite(geometry[:, 0])
    loss = functional.cross_entropy(said[:, :VALUES], value, label_smoothing=0.01)
    if known.any():
        off = functional.smooth_l1_loss(said[known, VALUES:], geometry[known], reduction="none", beta=0.05)
        loss = loss + (off * torch.tensor([4.0, 4.0, 4.0, 4.0, 4.0, 1.0, 1.0])).sum(1).mean() * 0.5
    return loss


def fit(network: nn.Module, mixture: Mixture, plan: Plan) -> nn.Module:
    """Train for so long, at a rate that falls to nothing; gives the running mean of its weights, saved now and then."""
    network.train()
    network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    mean_of = AveragedModel(network, multi_avg_fn=get_ema_multi_avg_fn(0.995), use_buffers=True)
    optimiser = torch.optim.AdamW(network.parameters(), plan.rate, weight_decay=0.01)
    start, steps, mean, saved = time.process_time(), 0, 0.0, 0.0
    while (share := (time.process_time() - start) / plan.seconds) < 1.0:
        for group in optimiser.param_groups:
            group["lr"] = plan.rate * min(1.0, (steps + 1) / 60) * 0.5 * (1 + np.cos(np.pi * share))
        for loss in _losses(network, mixture, plan.batch):
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimiser.step()
            mean_of.update_parameters(network)
            steps += 1
            mean += (loss.item() - mean) * max(0.02, 1 / steps)
        if share > saved + 0.1:
            if isinstance(network, TopReader) and int(share * 4) > int(saved * 4):
                mixture.harden(mean_of.module)
            saved = share
            write(mean_of.module, plan.out)
            print(f"{plan.out.stem} {share:4.0%} step {steps} loss {mean:.3f}", flush=True)
    write(mean_of.module, plan.out)
    return mean_of.module


def _losses(network: nn.Module, mixture: Mixture, batch: int) -> Iterator[torch.Tensor]:
    """The loss over a batch, then over its mirror image: mirrored pips are pips too, and drawing samples takes long."""
    if isinstance(network, Proposer):
        windows, truth = mixture.windows(batch)
        for mirrored in (False, True):
            if mirrored:
                windows, truth = windows.flip(3), truth.flip(3) * torch.tensor([1, 1, -1, 1, 1]).view(1, 5, 1, 1)
            yield heat_loss(_said(network, windows), truth)
    else:
        patches, value, geometry = mixture.patches(batch)
        for mirrored in (False, True):
            if mirrored:
                patches, geometry = patches.flip(3), geometry * torch.tensor([-1, 1, 1, 1, -1, 1, -1])
            yield top_loss(_said(network, patches), value, geometry)


def _said(network: nn.Module, shown: torch.Tensor) -> torch.Tensor:
    with torch.autocast("cpu", torch.bfloat16):
        said = network(shown.to(memory_format=torch.channels_last))
    return said.float()


def write(network: nn.Module, path: Path) -> None:
    """Write a network's weights, and the network for OpenCV; check that OpenCV says the same."""
    network = copy.deepcopy(network).eval().to(memory_format=torch.contiguous_format)  # type: ignore[call-overload]
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(network.state_dict(), path.with_suffix(".pt"))
    size = WINDOW if isinstance(network, Proposer) else PATCH
    shown = torch.randn(2, 3 if isinstance(network, Proposer) else 5, size, size)
    axes = {"in": {0: "n"}, "out": {0: "n"}}
    if isinstance(network, Proposer):
        axes = {"in": {0: "n", 2: "h", 3: "w"}, "out": {0: "n", 2: "h", 3: "w"}}
    torch.onnx.export(
        network, (shown,), str(path), input_names=["in"], output_names=["out"], dynamic_axes=axes, dynamo=False
    )
    net = cv2.dnn.readNetFromONNX(str(path))
    net.setInput(shown.numpy())
    off = float(np.abs(net.forward() - network(shown).detach().numpy()).max())
    print(f"{path}: {path.stat().st_size / 1e6:.2f} MB, OpenCV differs by {off:.1e}", flush=True)


def load_weights(network: nn.Module, held: dict[str, torch.Tensor]) -> None:
    """Give a network these weights; a last layer that says more than theirs begins with nothing to say there."""
    now = network.state_dict()
    for name, part in held.items():
        if now[name].shape != part.shape:
            more = torch.zeros_like(now[name])
            more[: VALUES + 3], more[-2:] = part[: VALUES + 3], part[-2:]
            part = more
        now[name] = part
    network.load_state_dict(now)


def restore(network: nn.Module, path: Path, shown: torch.Tensor) -> None:
    """Give a network the weights of an ONNX file that `write` wrote, whose batch norms are part of its convolutions.

    `shown` are samples of what the network sees: by them the batch norms are set, so that the network says the same and
    can learn on.
    """
    model = onnx.load(str(path))
    held = {one.name: torch.tensor(numpy_helper.to_array(one).copy()) for one in model.graph.initializer}
    nodes = [node for node in model.graph.node if node.op_type in ("Conv", "Gemm")]
    layers = [layer for layer in network.modules() if isinstance(layer, nn.Conv2d | nn.Linear)]
    blocks = [block for block in network.modules() if isinstance(block, nn.Sequential) and len(block) == 3]
    norms = {block[0]: block[1] for block in blocks if isinstance(block[1], nn.BatchNorm2d)}
    seen: dict[nn.Module, torch.Tensor] = {}
    with torch.no_grad():
        for layer, node in zip(layers, nodes, strict=True):
            layer.weight.copy_(held[node.input[1]])
            if layer in norms:
                norms[layer].weight.fill_((1.0 + norms[layer].eps) ** 0.5)
            norms.get(layer, layer).bias.copy_(held[node.input[2]])
        network.eval()
        for norm in norms.values():
            norm.register_forward_pre_hook(lambda module, given: seen.__setitem__(module, given[0]), prepend=True)
        network(shown)
        for norm in norms.values():
            norm._forward_pre_hooks.clear()
            mean, spread = seen[norm].mean((0, 2, 3)), seen[norm].var((0, 2, 3))
            norm.bias.add_(mean)
            norm.running_mean.copy_(mean)
            norm.running_var.copy_(spread)
            norm.weight.copy_((spread + norm.eps).sqrt())


def main() -> None:
    """Train as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder for the two networks")
    parser.add_argument(
        "--start", type=Path, help="folder of networks, of a run before or of the package: go on from them"
    )
    parser.add_argument("--more", type=Path, help="a file of more pictures: see simulated.py")
    parser.add_argument("--without", choices=[*SOURCES, *STYLES, "photographs"], action="append", default=[])
    parser.add_argument("--drawn", type=int, default=4400, help="drawn pictures")
    parser.add_argument("--low", type=int, default=1400, help="drawn pictures seen from low down")
    parser.add_argument("--sixes", type=int, default=2200, help="drawn pictures with many a 6")
    parser.add_argument("--keep", type=Path, help="a file in which our own pictures are kept for other runs")
    parser.add_argument("--clutter", type=int, default=1200, help="drawn pictures without dice")
    parser.add_argument("--cloths", type=int, default=1600, help="drawn patterned surfaces, half of them with dice")
    parser.add_argument("--tables", type=int, default=300, help="drawn tables")
    parser.add_argument("--first-seed", type=int, default=3_000_000, help="added to the seeds of what is drawn")
    parser.add_argument("--proposer-s", type=float, default=300.0)
    parser.add_argument("--reader-s", type=float, default=600.0)
    parser.add_argument("--only", choices=["proposer", "reader"])
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    if options.keep and options.keep.is_file():
        examples = pickle.loads(options.keep.read_bytes())
    else:
        first = options.first_seed
        examples = drawn(options.drawn, first + 1000) + clutter(options.clutter, first + 500_000)
        examples += own_tables(options.tables, first + 500_000) + cloths(options.cloths, first + 500_000)
        examples += drawn_from_aside(options.low, first + 700_000) + drawn_sixes(options.sixes, first + 900_000)
        if options.keep:
            options.keep.write_bytes(pickle.dumps(examples))
    for source in SOURCES:
        if source not in options.without and "photographs" not in options.without:
            examples += load(source)
    left_out = tuple(f"-{style.removeprefix('table-')}-" for style in options.without if style in STYLES)
    if options.more:
        examples += pickle.loads(options.more.read_bytes())
    examples = [e for e in examples if e.source != "table" or not any(name in e.name for name in left_out)]
    mixture = Mixture(examples, np.random.default_rng(options.seed))
    for name, network, seconds in (
        ("proposer", Proposer(), options.proposer_s),
        ("reader", TopReader(), options.reader_s),
    ):
        if options.only not in (None, name):
            continue
        if options.start:
            weights = options.start / f"{name}.pt"
            if weights.is_file():
                load_weights(network, torch.load(weights))
            else:
                shown = mixture.windows(64)[0] if name == "proposer" else mixture.patches(256)[0]
                restore(network, options.start / f"{name}.onnx", shown)
        if name == "reader":
            if options.start:
                mixture.find_tops(network)
            where = options.out if (options.out / "proposer.onnx").exists() else options.start
            if where:
                mixture.find_wrong(cv2.dnn.readNetFromONNX(str(where / "proposer.onnx"), cv2.dnn.ENGINE_NEW), 250)
        plan = Plan(seconds, options.rate, 32 if name == "proposer" else 128, options.out / f"{name}.onnx")
        fit(network, mixture, plan)


if __name__ == "__main__":
    main()
