"""Train the network that says whether a die is in a hand, from drawn hands, tables and dice.

Run: python -m tests.rigs.dice_training.hands OUT_FOLDER --samples 30000 --more /tmp/tables.pictures --seconds 1800

The package's learned for 2760 s beside other work: from 24 000 samples, few of them at fingertips, and at last from
5500 with more as well (--start). Then it went on (--start, --also, --rate 1e-3) under lamps of several colours: 780 s
from 14 000 samples, half of them so lit; 1000 s with 14 000 more, a tenth of them so lit; and 1700 s with another
14 000, a quarter of them so lit (--seed 6700000), some with dice that rolled against each other.

It is shown what lies around a die, seen from above, from near and from far, and where this die and others are; see
`vision.dice.holding`. The hands are of `tests.vision.drawn_hands`, the dice of `drawn_dice`; what is flat, and no hand,
are the drawn tables with pieces and prints, cloths and clutter of the other networks; lamps of several colours are of
`drawn_lamps`. With --more it learns what dice may lie on from simulated tables, too; of their hands and dice, and of
photographs, it learns nothing.
"""

import argparse
import copy
import pickle
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import nn
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from tests.rigs.dice_training.simulated import EMPTY_EVERY, HANDS_EVERY
from tests.rigs.dice_training.sources import Example, own_table
from tests.vision.drawn_cloths import draw_cloth
from tests.vision.drawn_clutter import draw_clutter
from tests.vision.drawn_dice import Camera, Die, DrawnDie, background, die_style, photograph_dice, plain_table
from tests.vision.drawn_hands import at_fingertip, lay_hand, some_hand, somewhere_on
from tests.vision.drawn_lamps import light_table, some_lights
from vision.dice.holding import AROUND_MM, CHANNELS, NEAR_MM, OUTSIDE, PX, WIDE_MM, shrunk
from vision.frame import Image

Array = NDArray[np.float64]
Rng = np.random.Generator

WIDE = round(WIDE_MM)
"""Pixels of a sample while it is drawn: one to the millimetre."""
GROUND = round(1.5 * WIDE_MM)
"""Width of what dice may lie on."""
HELD, FREE = 0.25, 0.02
"""A die is held where so much of what is around it is a hand, and is not where it is less."""
OVER_HAND = 0.3
"""Or where it hides a hand by so much of itself."""
AT_TIPS = 0.4
"""The share of dice on hands that are at fingertips."""
ON_HAND, BESIDE = 0.4, 0.25
"""Shares of the samples in which the die is put on a hand, and beside one,"""
BESIDE_MM = 30.0, 160.0
"""so far from some place on it."""
BATCH = 128
PART = 500
"""So many samples are drawn from one seed."""
EASY = 0.25
"""What is shown more often: samples that were said badly, each as often as its loss and this say."""
IN_COMPANY, OVERLOOKED = 0.4, 0.15
"""The share of the samples in which other dice stand right beside it, and of other dice that nobody found."""
IN_ROWS = 0.5
"""How often they stand in rows; else as they rolled, each turned in its own way."""
FARTHER = 5
"""So many more at most lie somewhere."""
SIDES_MM = 11.0, 50.0
AT_EDGE, LIT = 0.35, 0.5
"""Shares of the samples at the picture's edge, and with a lamp's light or a large shadow on them."""
LAMPS = 0.5
"""The share of the samples that are lit by lamps of several colours, unless another is asked for."""
PALE = 0.3
"""The share in which a pale mat or sheet lies on what was drawn: shadows of two colours show best there."""


class Holding(nn.Module):  # type: ignore[misc]  # torch may be missing
    """2 CHANNELS x 64 x 64 to one number: the logit of a hand around the die. What is near and what is seen from far is
    looked at apart at first."""

    def __init__(self) -> None:
        super().__init__()
        sizes = ((2 * CHANNELS, 32, 5), (32, 64, 3), (64, 96, 3), (96, 104, 3))
        layers: list[nn.Module] = []
        for inside, outside, size in sizes:
            layers += [
                nn.Conv2d(inside, outside, size, 2, size // 2, groups=2, bias=False),
                nn.BatchNorm2d(outside),
                nn.ReLU(inplace=True),
            ]
        self.layers = nn.Sequential(
            *layers, nn.Conv2d(104, 16, 1), nn.ReLU(inplace=True), nn.Flatten(), nn.Dropout(0.1), nn.Linear(256, 1)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


def grounds(tables: int, others: int, first_seed: int, simulated: list[Example]) -> list[Image]:
    """What dice may lie on, a millimetre to the pixel."""
    tables_drawn = (
        own_table(seed, dice=seed % 3 == 0, prints=bool(seed % 2)) for seed in range(first_seed, first_seed + tables)
    )
    found = [_from_above(example, (260.0, 260.0)) for example in tables_drawn]
    found += [_from_above(example, (460.0, 250.0)) for example in simulated for _ in range(2)]
    for seed in range(first_seed, first_seed + others):
        rng = np.random.default_rng(seed)
        kind = seed % 3
        how = (draw_cloth, draw_clutter, background)[kind]
        drawn = how(rng, GROUND)
        found.append(np.asarray(np.clip(drawn, 0, 255), np.uint8))
    return found


def _from_above(example: Example, reach_mm: tuple[float, float]) -> Image:
    assert example.registration is not None
    x, y = np.meshgrid(np.arange(-reach_mm[0], reach_mm[0]), np.arange(reach_mm[1], -reach_mm[1], -1.0))
    px = example.registration.to_picture(np.column_stack([x.ravel(), y.ravel()])).astype(np.float32)
    at = px.reshape(*x.shape, 2)
    return np.asarray(
        cv2.remap(example.image, at[..., 0], at[..., 1], cv2.INTER_LINEAR, None, cv2.BORDER_REFLECT), np.uint8
    )


def without_hands(simulated: list[Example]) -> list[Example]:
    """Those of the simulated tables (see simulated.py) over which nobody reaches: of their hands nothing is learned."""
    numbers = [int(example.name.rpartition("-")[2]) for example in simulated]
    return [
        e for e, number in zip(simulated, numbers, strict=True) if number % HANDS_EVERY or number % EMPTY_EVERY == 0
    ]


def sample(rng: Rng, some: list[Image], lamps: float = LAMPS) -> tuple[Image, int] | None:
    """Both looks at a die (2 x PX x PX x CHANNELS), and whether it is held; None where that cannot be told. The share
    `lamps` of all samples is lit by lamps of several colours."""
    picture = _ground(rng, some)
    if rng.random() < PALE:
        _pale(rng, picture)
    flesh = covered = np.zeros((WIDE, WIDE))
    kind, middle = rng.random(), np.full(2, (WIDE - 1) / 2)
    if kind < ON_HAND + BESIDE:
        hand, turn = some_hand(rng), rng.uniform(0, 2 * np.pi)
        to_hand = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        at = (at_fingertip if rng.random() < AT_TIPS else somewhere_on)(rng, hand)
        if kind >= ON_HAND:
            way = rng.uniform(0, 2 * np.pi)
            at = at + rng.uniform(*BESIDE_MM) * np.array([np.cos(way), np.sin(way)])
        flesh, covered = lay_hand(rng, picture, hand, to_hand, at)
    if rng.random() < LIT:
        _light(rng, picture)
    side = _some_side(rng) if kind >= ON_HAND else float(rng.uniform(11, 32))
    camera = Camera(float(rng.uniform(0, 32)), 35.0, 35.0 * side, float(rng.uniform(0, 360)), (middle[0], middle[1]))
    off = rng.normal(0, 1.5, 2) / side
    die = Die(float(off[0]), float(off[1]), 1.0, float(rng.uniform(0, 90)), int(rng.integers(1, 7)), die_style(rng))
    dice = [die]
    if rng.random() < IN_COMPANY:
        dice += (_beside if rng.random() < IN_ROWS else _heaped)(rng, die, side)
    dice += _farther(rng, side, dice)
    lit = rng.random() < lamps
    if lit:
        light_table(rng, picture, some_lights(rng), dice, camera, covered)
    seen, found = photograph_dice(rng, np.clip(picture, 0, 255).astype(np.uint8), dice, camera, shaded=lit)
    found.sort(key=lambda one: float(np.linalg.norm(one.foot_px.mean(0) - camera.project(np.zeros((1, 3)))[0])))
    own = _silhouettes(found[:1])
    others = _silhouettes([one for one in found[1:] if rng.random() >= OVERLOOKED])
    reach = 2 * round(AROUND_MM) + 1
    near = (cv2.dilate(own, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach))) > 0) & (own == 0)
    held = bool((flesh[near] > 0.5).mean() >= HELD or (flesh[own > 0] > 0.5).mean() >= OVER_HAND)
    if not held and (covered[near | (own > 0)] > 0.5).mean() > FREE:
        return None
    if rng.random() < AT_EDGE:
        _cut_off(rng, seen, others)
    whole = np.dstack([seen, own, others])
    inner = slice((WIDE - round(NEAR_MM)) // 2, (WIDE + round(NEAR_MM)) // 2)
    return np.stack([shrunk(whole[inner, inner]), shrunk(whole)]), int(held)


def _some_side(rng: Rng) -> float:
    return float(np.exp(rng.uniform(*np.log(SIDES_MM))))


def _beside(rng: Rng, die: Die, side: float) -> list[Die]:
    """Dice that stand beside one of such a side, on some of its sides: as large, or of any size."""
    sides = rng.permutation(4)[: int(rng.integers(1, 4))]
    alike = rng.random() < 0.6
    found: list[Die] = []
    for turn in np.radians(die.turn) + sides * np.pi / 2:
        wide = 1.0 if alike else _some_side(rng) / side
        far = (1.0 + wide) / 2 + abs(rng.normal(0.02, 0.08))
        place = np.array([die.x, die.y]) + far * np.array([np.cos(turn), np.sin(turn)])
        place += rng.uniform(-0.4, 0.4) * np.array([-np.sin(turn), np.cos(turn)]) * (not alike)
        style = die.style if alike and rng.random() < 0.5 else die_style(rng)
        if all(np.hypot(*(place - (one.x, one.y))) > 0.7 * (wide + one.side) for one in found):
            found.append(Die(float(place[0]), float(place[1]), wide, die.turn, int(rng.integers(1, 7)), style))
    return found


def _heaped(rng: Rng, die: Die, side: float) -> list[Die]:
    """Dice that rolled against one of such a side, and against each other: as large, or of any size."""
    found: list[Die] = []
    for _ in range(int(rng.integers(1, 7))):
        alike = rng.random() < 0.6
        wide = 1.0 if alike else _some_side(rng) / side
        beside = (die, *found)[int(rng.integers(len(found) + 1))]
        way, turn = float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(0, 90))
        far = _reach(beside, way) + _reach(Die(0, 0, wide, turn, 1, die.style), way) + abs(rng.normal(0.02, 0.08))
        x, y = np.array([beside.x, beside.y]) + far * np.array([np.cos(way), np.sin(way)])
        if all(np.hypot(x - one.x, y - one.y) > 0.7 * (wide + one.side) for one in (die, *found) if one is not beside):
            style = die.style if alike and rng.random() < 0.5 else die_style(rng)
            found.append(Die(float(x), float(y), wide, turn, int(rng.integers(1, 7)), style))
    return found


def _reach(die: Die, way: float) -> float:
    """How far a die's foot reaches from its middle in this direction (radians)."""
    off = way - np.radians(die.turn)
    return float(die.side / 2 * (abs(np.cos(off)) + abs(np.sin(off))))


def _farther(rng: Rng, side: float, dice: list[Die]) -> list[Die]:
    """Some more, anywhere in the picture but where these stand."""
    found: list[Die] = []
    for _ in range(int(rng.integers(0, FARTHER + 1))):
        wide, (x, y) = _some_side(rng) / side, rng.uniform(-0.5, 0.5, 2) * WIDE / side
        if all(np.hypot(x - one.x, y - one.y) > 0.8 * (wide + one.side) for one in (*dice, *found)):
            turn, value = float(rng.uniform(0, 90)), int(rng.integers(1, 7))
            found.append(Die(float(x), float(y), wide, turn, value, die_style(rng)))
    return found


def _silhouettes(dice: list[DrawnDie]) -> Image:
    """255 where these are seen."""
    mask = np.zeros((WIDE, WIDE), np.uint8)
    for die in dice:
        hull = cv2.convexHull(np.vstack([die.foot_px, die.top_px]).astype(np.float32))
        cv2.fillConvexPoly(mask, np.round(hull * 16).astype(np.int32), (255,), cv2.LINE_AA, 4)
    return mask


def _light(rng: Rng, picture: Array) -> None:
    """A lamp's light or a shadow without an edge, somewhere."""
    x, y = np.meshgrid(np.arange(WIDE), np.arange(WIDE))
    at, wide = rng.uniform(0, WIDE, 2), np.exp(rng.uniform(np.log(15), np.log(200)))
    spot = np.exp(-(np.square(x - at[0]) + np.square(y - at[1])) / (2 * wide**2))
    if rng.random() < 0.5:
        picture += spot[..., None] * rng.uniform(10, 90) * np.array([rng.uniform(0.8, 1.1), 1.0, 1.0])
    else:
        picture *= np.exp(rng.uniform(-0.8, 0.4) * spot)[..., None]


def _cut_off(rng: Rng, picture: Image, others: Image) -> None:
    """What lies beyond the picture's edge is not seen, and no die is found there."""
    x, y = np.meshgrid(np.arange(WIDE), np.arange(WIDE)) - np.full((2, 1, 1), (WIDE - 1) / 2)
    way = rng.uniform(0, 2 * np.pi)
    beyond = x * np.cos(way) + y * np.sin(way) > rng.uniform(22, 150)
    picture[beyond], others[beyond] = OUTSIDE, 0


def _ground(rng: Rng, some: list[Image]) -> Array:
    """A piece of one, turned, a little larger or smaller, in colours of its own now and then."""
    whole = some[int(rng.integers(len(some)))]
    half = WIDE * 0.72
    at = rng.uniform(half, np.array(whole.shape[1::-1]) - half)
    turn = np.asarray(
        cv2.getRotationMatrix2D((float(at[0]), float(at[1])), float(rng.uniform(0, 360)), float(rng.uniform(0.8, 1.5))),
        np.float64,
    )
    turn[:, 2] += (WIDE - 1) / 2 - at
    cut = cv2.warpAffine(whole, turn, (WIDE, WIDE), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    if rng.random() < 0.35:
        hsv = cv2.cvtColor(cut, cv2.COLOR_BGR2HSV)
        hsv[..., 0] = (hsv[..., 0].astype(np.int32) + int(rng.integers(180))) % 180
        cut = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)
    if rng.random() < 0.3:  # as brown as wood, as skin
        grey = cv2.cvtColor(cut, cv2.COLOR_BGR2GRAY).astype(np.float64)[..., None]
        tint = np.array([rng.uniform(0.35, 0.8), rng.uniform(0.6, 0.9), 1.0])
        return np.asarray(np.clip(grey * tint * rng.uniform(0.8, 1.4), 0, 255))
    return np.asarray(cut, np.float64)


def _pale(rng: Rng, picture: Array) -> None:
    """A mat or a sheet of hardly any colour over some of it, or all."""
    x, y = np.meshgrid(np.arange(WIDE), np.arange(WIDE)) - np.full((2, 1, 1), (WIDE - 1) / 2)
    way = rng.uniform(0, 2 * np.pi)
    sides = (way, way + np.pi / 2)[: int(rng.integers(1, 3))]
    on_it = np.minimum.reduce([rng.uniform(-30, 150) - x * np.cos(side) - y * np.sin(side) for side in sides])
    paper = plain_table(rng, WIDE)
    share = np.clip(on_it + 0.5, 0, 1)[..., None]
    if rng.random() < 0.5:  # prints show on it
        paper = paper * (0.6 + 0.4 * picture.mean(2, keepdims=True) / 255.0)
    picture += (paper - picture) * share


def spoilt(rng: Rng, pieces: torch.Tensor) -> torch.Tensor:
    """Looks (n x 2 x CHANNELS x PX x PX) as the network takes them: mirrored, turned, in other light, blurred, with
    noise."""
    pieces = torch.rot90(pieces, int(rng.integers(4)), (3, 4))
    if rng.random() < 0.5:
        pieces = pieces.flip(4)
    count = len(pieces)
    light = np.exp(rng.normal(0, 0.09, (count, 1, 3, 1, 1)) + rng.normal(-0.1, 0.3, (count, 1, 1, 1, 1)))
    colours = pieces[:, :, :3].float() * torch.from_numpy(light).float()
    if rng.random() < 0.5:
        colours = functional.avg_pool2d(functional.pad(colours.flatten(1, 2), (1,) * 4, mode="replicate"), 3, 1)
        colours = colours.unflatten(1, (2, 3))
    colours += torch.randn_like(colours) * torch.from_numpy(rng.uniform(0, 6, (count, 1, 1, 1, 1))).float()
    return _taken(colours.clamp(0, 255), pieces)


def _taken(colours: torch.Tensor, pieces: torch.Tensor) -> torch.Tensor:
    """See `vision.dice.holding.shown`; the first look's channels before the second's."""
    return (
        torch.cat([colours / 127.5 - 1.0, pieces[:, :, 3:].float() / 255.0], 2)
        .flatten(1, 2)
        .contiguous(memory_format=torch.channels_last)
    )


def drawn(count: int, seed: int, some: list[Image], lamps: float, jobs: int) -> tuple[Image, NDArray[np.int64]]:
    """So many samples, by so many processes."""
    parts = [(min(PART, count - first), seed + 2 * first, lamps) for first in range(0, count, PART)]
    with ProcessPoolExecutor(jobs, get_context("fork"), _lie_on, (some,)) as pool:
        done = [one for part in pool.map(_part, parts) for one in part]
    return np.array([p for p, _ in done]), np.array([held for _, held in done])


_grounds: list[Image] = []
"""What dice may lie on, in a process that draws."""


def _lie_on(some: list[Image]) -> None:
    cv2.setNumThreads(1)
    _grounds[:] = some


def _part(asked: tuple[int, int, float]) -> list[tuple[Image, int]]:
    count, seed, lamps = asked
    rng = np.random.default_rng(seed)
    samples: list[tuple[Image, int]] = []
    while len(samples) < count:
        if (one := sample(rng, _grounds, lamps)) is not None:
            samples.append(one)
    return samples


def main() -> None:
    """Draw samples, train, and write the network."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--samples", type=int, default=24_000)
    parser.add_argument("--keep", type=Path, help="a file in which the samples are kept for other runs")
    parser.add_argument("--also", type=Path, help="samples that another run kept are learned from, too")
    parser.add_argument("--lamps", type=float, default=LAMPS, help="the share that lamps of several colours light")
    parser.add_argument("--more", type=Path, help="a file of simulated tables: see simulated.py")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--start", type=Path, help="weights to go on from, as they are written beside it, or .onnx")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="processes that draw")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    rng = np.random.default_rng(options.seed)
    if options.keep and options.keep.is_file():
        patches, labels = pickle.loads(options.keep.read_bytes())
    else:
        simulated = without_hands(pickle.loads(options.more.read_bytes())) if options.more else []
        some = grounds(150, 450, 5_000_000 + options.seed, simulated)
        patches, labels = drawn(options.samples, options.seed, some, options.lamps, options.jobs)
        if options.keep:
            options.keep.write_bytes(pickle.dumps((patches, labels)))
    if options.also:
        more = pickle.loads(options.also.read_bytes())
        patches, labels = np.concatenate([patches, more[0]]), np.concatenate([labels, more[1]])
    print(f"{len(labels)} samples, {labels.mean():.2f} of them held", flush=True)
    network = Holding()
    if options.start and options.start.suffix == ".onnx":
        unfold(network, options.start, patches)
    elif options.start:
        network.load_state_dict(torch.load(options.start))
    write(fit(network, patches, labels, options.seconds, options.rate, rng), options.out / "holding.onnx")


def unfold(network: Holding, path: Path, patches: Image) -> None:
    """Give it the weights of an ONNX file, in which batches are no longer normalised: as if these samples' statistics
    had been taken off, and put on again."""
    stored = {
        one.name: torch.from_numpy(numpy_helper.to_array(one).copy()) for one in onnx.load(path).graph.initializer
    }
    folded = [one for name, one in stored.items() if "Conv" in name]
    pieces = torch.from_numpy(patches[:1000]).permute(0, 1, 4, 2, 3)
    x = _taken(pieces[:, :, :3].float(), pieces)
    layers = network.eval().layers
    with torch.no_grad():
        for number, (weight, bias) in enumerate(zip(folded[::2], folded[1::2], strict=True)):
            convolution, normal = layers[3 * number], layers[3 * number + 1]
            convolution.weight.copy_(weight)
            seen = convolution(x)
            normal.running_mean.copy_(seen.mean((0, 2, 3)))
            normal.running_var.copy_(seen.var((0, 2, 3)))
            normal.weight.copy_(torch.sqrt(normal.running_var + normal.eps))
            normal.bias.copy_(normal.running_mean + bias)
            x = functional.relu(normal(seen))
        for name, one in layers.named_parameters():
            if f"layers.{name}" in stored:
                one.copy_(stored[f"layers.{name}"])


def fit(
    network: Holding, patches: Image, labels: NDArray[np.int64], seconds: float, rate: float, rng: Rng
) -> nn.Module:
    """Train for so long, on all samples but each twentieth; gives the running mean of the weights."""
    pieces, truth = torch.from_numpy(patches).permute(0, 1, 4, 2, 3).contiguous(), torch.from_numpy(labels).float()
    kept = torch.arange(len(truth)) % 20 != 0
    network.to(memory_format=torch.channels_last).train()  # half the time on a processor
    mean_of = AveragedModel(network, multi_avg_fn=get_ema_multi_avg_fn(0.995), use_buffers=True)
    optimiser = torch.optim.AdamW(network.parameters(), rate, weight_decay=0.02)
    numbers = torch.nonzero(kept)[:, 0]
    hardness = np.ones(len(numbers))
    start, told, losses = time.monotonic(), 0.0, []
    while (share := (time.monotonic() - start) / seconds) < 1.0:
        for group in optimiser.param_groups:
            group["lr"] = rate * 0.5 * (1 + np.cos(np.pi * share))
        at = rng.choice(len(numbers), BATCH, p=hardness / hardness.sum())
        batch = numbers[torch.from_numpy(at)]
        said = network(spoilt(rng, pieces[batch]))[:, 0]
        each = functional.binary_cross_entropy_with_logits(said, truth[batch] * 0.98 + 0.01, reduction="none")
        loss = each.mean()
        hardness[at] = 0.7 * hardness[at] + 0.3 * (EASY + each.detach().numpy().astype(np.float64))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        mean_of.update_parameters(network)
        losses.append(float(loss.detach()))
        if share > told + 0.1:
            told = share
            print(
                f"{share:4.0%} loss {np.mean(losses):.3f}; {_of_others(mean_of.module, pieces, truth, ~kept)}",
                flush=True,
            )
            losses = []
    return mean_of.module


def _of_others(network: nn.Module, pieces: torch.Tensor, truth: torch.Tensor, which: torch.Tensor) -> str:
    """What it says of samples that it did not learn from."""
    network = copy.deepcopy(network).eval()
    shown = _taken(pieces[which][:, :, :3].float(), pieces[which])
    with torch.no_grad():
        said = network(shown)[:, 0]
    held = truth[which] > 0.5
    shares = [float((said[those] > 0).float().mean()) for those in (held, ~held)]
    return f"said to be held: {shares[0]:.3f} of others that are, {shares[1]:.3f} of others that are not"


def write(network: nn.Module, path: Path) -> None:
    """Write the network for OpenCV, and check that OpenCV says the same."""
    network = copy.deepcopy(network).cpu().eval()
    path.parent.mkdir(parents=True, exist_ok=True)
    shown = torch.randn(3, 2 * CHANNELS, PX, PX)
    torch.onnx.export(
        network, (shown,), str(path), input_names=["in"], output_names=["out"],
        dynamic_axes={"in": {0: "n"}, "out": {0: "n"}}, dynamo=False,
    )  # fmt: skip
    net = cv2.dnn.readNetFromONNX(str(path), cv2.dnn.ENGINE_NEW)
    net.setInput(shown.numpy())
    off = float(np.abs(net.forward() - network(shown).detach().numpy()).max())
    torch.save(network.state_dict(), path.with_suffix(".pt"))
    print(f"{path}: {path.stat().st_size / 1e3:.0f} kB, OpenCV differs by {off:.1e}", flush=True)


if __name__ == "__main__":
    main()
