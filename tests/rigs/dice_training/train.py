"""Train the dice reader's two networks and write them for OpenCV.

Needs PyTorch and onnx, which nothing else here does; take a virtual environment of its own:

    python3 -m venv /tmp/dice-venv
    /tmp/dice-venv/bin/pip install torch==2.13.0 onnx onnxscript 'numpy>=2' 'opencv-python-headless>=5'
    python -m tests.rigs.dice_training.simulated /tmp/tables.pictures --tables 110   # in the project's own environment
    train="/tmp/dice-venv/bin/python -m tests.rigs.dice_training.train --keep /tmp/own.pictures"
    train="$train --more /tmp/tables.pictures"
    $train --out /tmp/drawn --without photographs --proposer-s 220 --reader-s 3250
    $train --out /tmp/all --start /tmp/drawn --rate 8e-4 --only reader --reader-s 600
    python -m tests.rigs.dice_training.fit_likelihoods --write

Seconds are of one core. First both learn from what we drew and simulated alone (tests/vision/drawn_dice.py, and
simulated tables without dice), then from the photographs in ../shared/photos too. The reader in /tmp/drawn is that of
all three folders of tests/benchmarks/dice_without: it never saw any photograph or rendered table. It was taught in
parts: 1900 s before there were close looks and `--low`, 510 s with them, 570 s with `--sixes` too, 270 s at a falling
rate, 660 s with `--dim`, at a rate of 1.2e-3, 3600 s with 2500 `--shiny` (`--first-seed 8000000`, `--seed 16`), and
then with 2500 `--sold` too. From it one went on for 600 s at a rate of 8e-4 with the photographs and all of these;
that of vision/dice lay seven tenths of the way to it from the package's reader before, which found fewer dice but also
fewer where none are (the share was chosen on drawn pictures and on the shared pictures of tables without dice):

    $train --out vision/dice --mix /tmp/before /tmp/all --share 0.7

From the one in dice_without all of today's went on in ten minutes of a GPU, see at_once.py. The package's then learned
of dice that touch, `--start` being at_once.py's `all`, and lies half of the way there (the share was chosen on drawn
and simulated tables, with seeds 830000, 840000 and 963001):

    $train --out /tmp/rows --start /tmp/all --only reader --reader-s 330 --rate 5e-4 --mean 0.998 --first-seed 32000000
        --jobs 2 --drawn 600 --low 200 --sixes 300 --dim 200 --shiny 300 --sold 500 --rows 1300 --clutter 700
        --cloths 300 --tables 60
    $train --out vision/dice --mix /tmp/all /tmp/rows --share 0.5

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
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from tests.rigs.dice_training.mixture import Mixture, with_leans
from tests.rigs.dice_training.networks import VALUES, Proposer, TopReader
from tests.rigs.dice_training.samples import WINDOW
from tests.rigs.dice_training.sources import (
    SOURCES,
    Example,
    cloths,
    clutter,
    drawn,
    drawn_dim,
    drawn_from_aside,
    drawn_rows,
    drawn_shiny,
    drawn_sixes,
    drawn_sold,
    load,
    own_tables,
)
from tests.rigs.dice_training.spoiling import normalised_all, spoilt
from tests.rigs.halves import halved
from tests.rigs.halves import load as load_network
from vision.dice.patches import LEAST_CONTRAST, PATCH


@dataclass(frozen=True)
class Plan:
    """How a network is trained."""

    seconds: float
    rate: float
    batch: int
    out: Path
    """The ONNX file."""
    device: str = "cpu"
    jobs: int = 0
    """Processes that make batches."""
    mean: float = 0.995
    """How slowly the running mean of the weights follows."""
    seed: int = 1
    echoes: int = 1
    """How often each sample is learned from at once, each time in other light."""


STYLES = ("table-alpha", "table-beta")
"""Parts of a source that can be left out alone."""
WARM_UP = 100
"""Steps in which the rate rises."""
WRONG_OF = 250
"""Of so many pictures of each source it is looked at what the first network proposes."""


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
    known = torch.isfinite(geometry[:, 0]).float()
    loss = functional.cross_entropy(said[:, :VALUES], value, label_smoothing=0.01)
    off = functional.smooth_l1_loss(said[:, VALUES:], geometry.nan_to_num(), reduction="none", beta=0.05)
    weights = off.new_tensor([4.0, 4.0, 4.0, 4.0, 4.0, 1.0, 1.0])
    return loss + ((off * weights).sum(1) * known).sum() / known.sum().clamp(min=1.0) * 0.5


def fit(network: nn.Module, mixture: Mixture, plan: Plan) -> nn.Module:
    """Train for so long, at a rate that falls to nothing; gives the running mean of its weights, saved now and then."""
    network.to(plan.device, memory_format=torch.channels_last).train()
    mean_of = AveragedModel(network, multi_avg_fn=get_ema_multi_avg_fn(plan.mean), use_buffers=True)
    optimiser = torch.optim.AdamW(network.parameters(), plan.rate, weight_decay=0.01)
    rng = np.random.default_rng(plan.seed)
    windows = isinstance(network, Proposer)
    batches = mixture.batches(plan.batch, windows=windows, jobs=plan.jobs, seed=plan.seed)
    start, saved, losses = time.monotonic(), 0.0, []
    for step, batch in enumerate(batches):
        share = (time.monotonic() - start) / plan.seconds
        if share >= 1.0:
            break
        for group in optimiser.param_groups:
            group["lr"] = plan.rate * min(1.0, (step + 1) / WARM_UP) * 0.5 * (1 + np.cos(np.pi * share))
        loss = _loss(network, rng, [part.to(plan.device, non_blocking=True) for part in batch], plan.echoes)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimiser.step()
        mean_of.update_parameters(network)
        losses.append(loss.detach())
        if share > saved + 0.1:
            if not windows and int(share * 4) > int(saved * 4):
                mixture.harden(mean_of.module, plan.device)
            saved = share
            print(f"{plan.out} {share:4.0%} step {step} loss {float(torch.stack(losses).mean()):.4f}", flush=True)
            losses = []
    write(mean_of.module, plan.out)
    return mean_of.module


def _loss(network: nn.Module, rng: np.random.Generator, batch: Sequence[torch.Tensor], echoes: int) -> torch.Tensor:
    """The loss over a batch and its mirror image, each in other light and as often as the plan says: mirrored pips are
    pips too, and drawing samples takes long. (Choi et al., Faster neural network training with data echoing, 2019)"""
    batch = [torch.cat([part] * echoes) for part in batch]
    pieces = spoilt(rng, torch.cat([batch[0], batch[0].flip(3)]))
    if isinstance(network, Proposer):
        truth = batch[1]
        truth = torch.cat([truth, truth.flip(3) * truth.new_tensor([1, 1, -1, 1, 1]).view(1, 5, 1, 1)])
        return heat_loss(_said(network, pieces / 127.5 - 1.0), truth)
    besides, value, geometry = batch[1:]
    seen = with_leans(normalised_all(pieces, LEAST_CONTRAST), torch.cat([besides, besides]))
    mirrored = geometry * geometry.new_tensor([-1, 1, 1, 1, -1, 1, -1])
    return top_loss(_said(network, seen), torch.cat([value, value]), torch.cat([geometry, mirrored]))


def _said(network: nn.Module, shown: torch.Tensor) -> torch.Tensor:
    with torch.autocast(shown.device.type, torch.bfloat16):
        said = network(shown.to(memory_format=torch.channels_last))
    return said.float()


def write(network: nn.Module, path: Path) -> None:
    """Write a network's weights, and the network for OpenCV; check that OpenCV says the same."""
    network = copy.deepcopy(network).cpu().eval().to(memory_format=torch.contiguous_format)
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
    onnx.save(halved(onnx.load(str(path))), str(path))
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
    model = load_network(path)
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


def own_pictures(options: argparse.Namespace) -> list[Example]:
    """What we draw ourselves."""
    first, jobs = options.first_seed, options.jobs
    examples = drawn(options.drawn, first + 1000, jobs) + clutter(options.clutter, first + 500_000, jobs)
    examples += own_tables(options.tables, first + 500_000, jobs) + cloths(options.cloths, first + 500_000, jobs)
    examples += drawn_from_aside(options.low, first + 700_000, jobs)
    examples += drawn_sixes(options.sixes, first + 900_000, jobs)
    examples += drawn_dim(options.dim, first + 1_100_000, jobs)
    examples += drawn_shiny(options.shiny, first + 1_300_000, jobs)
    examples += drawn_sold(options.sold, first + 1_500_000, jobs)
    return examples + drawn_rows(options.rows, first + 1_700_000, jobs)


def main() -> None:
    """Train as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder for the two networks")
    parser.add_argument(
        "--start", type=Path, help="folder of networks, of a run before or of the package: go on from them"
    )
    parser.add_argument(
        "--more", type=Path, action="append", default=[], help="a file of more pictures: see simulated.py and traced.py"
    )
    parser.add_argument("--without", choices=[*SOURCES, *STYLES, "photographs"], action="append", default=[])
    parser.add_argument("--drawn", type=int, default=4400, help="drawn pictures")
    parser.add_argument("--low", type=int, default=1400, help="drawn pictures seen from low down")
    parser.add_argument("--sixes", type=int, default=2200, help="drawn pictures with many a 6")
    parser.add_argument("--dim", type=int, default=900, help="drawn pictures with many a die whose pips hardly show")
    parser.add_argument("--shiny", type=int, default=1500, help="drawn pictures with many a die that mirrors lamps")
    parser.add_argument("--sold", type=int, default=2500, help="drawn pictures with many a die as those in shops")
    parser.add_argument("--rows", type=int, default=2500, help="drawn pictures with dice flush in a row")
    parser.add_argument("--keep", type=Path, help="a file in which our own pictures are kept for other runs")
    parser.add_argument("--clutter", type=int, default=1200, help="drawn pictures without dice")
    parser.add_argument("--cloths", type=int, default=1600, help="drawn patterned surfaces, half of them with dice")
    parser.add_argument("--tables", type=int, default=300, help="drawn tables")
    parser.add_argument("--first-seed", type=int, default=3_000_000, help="added to the seeds of what is drawn")
    parser.add_argument("--proposer-s", type=float, default=300.0)
    parser.add_argument("--reader-s", type=float, default=600.0)
    parser.add_argument("--only", choices=["proposer", "reader"])
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument(
        "--batch", type=int, default=64, help="patches of a batch, which are mirrored too; windows are half as many"
    )
    parser.add_argument("--mean", type=float, default=0.995, help="how slowly the mean of the weights follows")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--jobs", type=int, default=0, help="processes that draw pictures and make batches")
    parser.add_argument("--mix", type=Path, nargs=2, help="no training: two folders of readers to lie between")
    parser.add_argument("--share", type=float, default=0.5, help="with --mix: so far on the way to the second")
    options = parser.parse_args()
    if options.mix:
        before, after = options.mix
        mix(before, after, options.share, options.out)
        return
    torch.manual_seed(options.seed)
    torch.set_num_threads(max(options.jobs, 1))
    cv2.setNumThreads(1)
    if options.keep and options.keep.is_file():
        examples = pickle.loads(options.keep.read_bytes())
    else:
        examples = own_pictures(options)
        if options.keep:
            options.keep.write_bytes(pickle.dumps(examples))
    for source in SOURCES:
        if source not in options.without and "photographs" not in options.without:
            examples += load(source)
    left_out = tuple(f"-{style.removeprefix('table-')}-" for style in options.without if style in STYLES)
    for more in options.more:
        examples += pickle.loads(more.read_bytes())
    examples = [e for e in examples if e.source != "table" or not any(name in e.name for name in left_out)]
    mixture = Mixture(examples, np.random.default_rng(options.seed))
    for name, network, seconds, batch in (
        ("proposer", Proposer(), options.proposer_s, options.batch // 2),
        ("reader", TopReader(), options.reader_s, options.batch),
    ):
        if options.only in (None, name):
            if options.start:
                begin(network, name, options.start, mixture)
            if name == "reader":
                _prepare(mixture, network, options)
            out = options.out / f"{name}.onnx"
            fit(
                network, mixture,
                Plan(seconds, options.rate, batch, out, options.device, options.jobs, options.mean, options.seed),
            )  # fmt: skip


def mix(before: Path, after: Path, share: float, out: Path) -> None:
    """Write a reader whose weights lie between those of two, of which the second went on from the first or from what
    became it: `share` of the way. (Wortsman et al., Model soups, 2022)"""
    first, second = (load_network(folder / "reader.onnx") for folder in (before, after))
    for held, other in zip(first.graph.initializer, second.graph.initializer, strict=True):
        one, more = numpy_helper.to_array(held), numpy_helper.to_array(other)
        if one.dtype.kind == "f":
            held.CopyFrom(numpy_helper.from_array((one + share * (more - one)).astype(one.dtype), held.name))
    out.mkdir(parents=True, exist_ok=True)
    onnx.save(halved(first), str(out / "reader.onnx"))


def begin(network: nn.Module, name: str, folder: Path, mixture: Mixture) -> None:
    """Give a network the weights that are kept in a folder."""
    weights = folder / f"{name}.pt"
    if weights.is_file():
        load_weights(network, torch.load(weights))
        return
    if isinstance(network, Proposer):
        restore(network, folder / f"{name}.onnx", mixture.windows(64)[0].float() / 127.5 - 1.0)
        return
    pieces, besides = mixture.patches(256)[:2]
    restore(network, folder / f"{name}.onnx", with_leans(normalised_all(pieces.float(), LEAST_CONTRAST), besides))


def _prepare(mixture: Mixture, network: nn.Module, options: argparse.Namespace) -> None:
    """Find where photographs' tops lie, and what the first network takes for dice."""
    if options.start:
        mixture.find_tops(network, "cpu")
    where = options.out if (options.out / "proposer.onnx").exists() else options.start
    if where:
        mixture.find_wrong(cv2.dnn.readNetFromONNX(str(where / "proposer.onnx"), cv2.dnn.ENGINE_NEW), WRONG_OF)


if __name__ == "__main__":
    main()
