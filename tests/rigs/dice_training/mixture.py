"""What the networks learn from: batches of pieces of pictures of several sources, drawn at random by many processes."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import replace
from multiprocessing import get_context
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from tests.rigs.dice_training.networks import VALUES
from tests.rigs.dice_training.samples import (
    PHOTOGRAPHS,
    PatchSample,
    patch_sample,
    top_seen,
    window_sample,
    wrong_sample,
)
from tests.rigs.dice_training.sources import SOURCES, Example
from tests.rigs.dice_training.spoiling import normalised_all
from vision.dice.patches import DIE_PX, LEAST_CONTRAST, UPRIGHT, Pyramid, laid_out, stretched, told
from vision.dice.proposing import propose
from vision.frame import Image

Batch = tuple[torch.Tensor, ...]
"""For the first network pieces (n x 3 x h x w) and truth; for the second pieces, what it is told, values, geometry."""

NOTHING = np.empty((0, 3))
SHARES = {
    "drawn": 0.44, "traced": 0.4, "clutter": 0.11, "own table": 0.4, "nellbyler": 0.2, "epanemu": 0.14, "table": 0.14,
}  # fmt: skip
"""How often each source is drawn from; what is left out goes to the others."""
MOST_HARD = 8000
HARD_SHARE = 0.2
"""How many of the second network's patches are places that were taken for a die and are none, and of how many."""
HARDEST, EASIEST = 0.7, 0.02
TABLES = ("table", "own table")
LEVELS = 3
"""Of each picture's pyramid, so many are made before processes share them."""


class Mixture:
    """Examples of several sources, drawn from at random."""

    def __init__(self, examples: Sequence[Example], rng: np.random.Generator) -> None:
        self.rng = rng
        self.by_source: dict[str, list[int]] = {}
        self.examples = list(examples)
        self.pyramids = [Pyramid(example.image) for example in examples]
        with ThreadPoolExecutor() as pool:
            list(pool.map(lambda pyramid: pyramid.level(LEVELS), self.pyramids))
        self.wrong = [NOTHING] * len(examples)
        self.hard: list[tuple[int, int]] = []
        """Picture and number in `wrong`."""
        self.hardness = torch.empty(0, dtype=torch.float64)
        """Shared by the processes: how often each of those is drawn."""
        for number, example in enumerate(examples):
            self.by_source.setdefault(example.source, []).append(number)
        self._share_out()

    def restricted(self, sources: Sequence[str], *, every: int = 1) -> "Mixture":
        """The same of these sources only, and of photographs and rendered tables of every so manieth picture only."""
        some = copy(self)
        some.by_source = {
            source: members[:: every if source in SOURCES else 1]
            for source, members in self.by_source.items()
            if source in sources
        }
        some._share_out()
        some.choose_hard()
        return some

    def _share_out(self) -> None:
        shares = np.array([SHARES[source] for source in self.by_source])
        self.shares = shares / shares.sum()
        self.weights = {}
        for source, members in self.by_source.items():
            weight = np.sqrt([max(len(self.examples[m].boxes), 1) for m in members])
            self.weights[source] = weight / weight.sum()

    def batches(self, count: int, *, windows: bool, jobs: int, seed: int) -> Iterator[Batch]:
        """Batches without end, for the first network (`windows`) or the second, made by so many processes."""
        endless = _Endless(self, count, windows, seed)
        more: dict[str, Any] = {"multiprocessing_context": "fork", "prefetch_factor": 4} if jobs else {}
        return iter(
            DataLoader(endless, batch_size=None, num_workers=jobs, pin_memory=torch.cuda.is_available(), **more)
        )

    def windows(self, count: int) -> Batch:
        """A batch for the first network."""
        made = [window_sample(self.rng, self.examples[i], self.pyramids[i]) for i in self._pick(count)]
        return _pieces([m[0] for m in made]), torch.from_numpy(np.stack([m[1] for m in made])).float()

    def patches(self, count: int) -> Batch:
        """A batch for the second network."""
        hard = round(count * HARD_SHARE) if self.hard else 0
        made = [
            patch_sample(self.rng, self.examples[i], self.pyramids[i], self.wrong[i]) for i in self._pick(count - hard)
        ]
        often = self.hardness.numpy().copy()
        if hard:
            chosen = self.rng.choice(len(self.hard), hard, p=often / often.sum())
            made += [self._wrong_sample(*self.hard[int(c)]) for c in chosen]
        made = [made[int(i)] for i in self.rng.permutation(len(made))]
        geometry = torch.from_numpy(np.stack([m.geometry for m in made])).float()
        besides = torch.tensor([told(m.lean, close=m.close) for m in made])
        return _pieces([m.patch for m in made]), besides, torch.tensor([m.value for m in made]), geometry

    def find_wrong(self, network: cv2.dnn.Net, most: int, jobs: int = 1) -> None:
        """Remember where the first network proposes a die and there is none, found by so many processes.

        epanemu is left out: some of its dice are not labelled.
        """
        some = [
            int(number)
            for source, members in self.by_source.items()
            if source != "epanemu"
            for number in self.rng.permutation(members)[:most]
        ]
        with get_context("fork").Pool(jobs, _share_with_forked, (network, self.examples)) as pool:
            found = pool.map(_wrong_in, some, chunksize=8)
        for number, places in zip(some, found, strict=True):
            self.wrong[number] = places
        self.choose_hard()

    def choose_hard(self) -> None:
        """Take some of the wrong places to be shown often."""
        members = [number for some in self.by_source.values() for number in some]
        every = [(i, j) for i in members for j in range(len(self.wrong[i]))]
        self.hard = [every[int(n)] for n in self.rng.permutation(len(every))[:MOST_HARD]]
        self.hardness = torch.ones(len(self.hard), dtype=torch.float64).share_memory_()

    def find_tops(self, network: nn.Module, device: str) -> None:
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
                said = _said_of(network, cut, [told(None)] * len(cut), device)
                for pick, one in enumerate(said):
                    tops[pick] = np.nan
                    top = top_seen(one[VALUES:], centres[pick], steps[pick])
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

    def harden(self, network: nn.Module, device: str) -> None:
        """Show those places more often that the second network takes for a die."""
        network.eval()
        sure = [np.empty(0)]
        for start in range(0, len(self.hard), 256):
            pieces = [self._as_proposed(i, j) for i, j in self.hard[start : start + 256]]
            said = _said_of(network, [piece for piece, _ in pieces], [told(lean) for _, lean in pieces], device)
            odds = np.exp(said[:, :VALUES] - said[:, :VALUES].max(1, keepdims=True))
            sure.append(1 - odds[:, 0] / odds.sum(1))
        network.train()
        weight = np.clip(np.concatenate(sure), EASIEST, HARDEST)
        self.hardness.copy_(torch.from_numpy(weight))
        print(f"{len(self.hard)} wrong places, {int((weight > 0.3).sum())} of them taken for dice", flush=True)

    def _pick(self, count: int) -> list[int]:
        """Numbers of pictures."""
        sources = list(self.by_source)
        counts = self.rng.multinomial(count, self.shares)
        picked = [
            self.rng.choice(self.by_source[source], many, p=self.weights[source])
            for source, many in zip(sources, counts, strict=True)
        ]
        return [int(number) for number in self.rng.permutation(np.concatenate(picked))]

    def _wrong_sample(self, number: int, place: int) -> PatchSample:
        return wrong_sample(self.rng, self.examples[number], self.pyramids[number], self.wrong[number][place])

    def _as_proposed(self, number: int, place: int) -> tuple[Image, float | None]:
        x, y, size = self.wrong[number][place]
        to_px, lean = laid_out(self.examples[number].ground_at(np.array([x, y]), self.rng) or UPRIGHT)
        return self.pyramids[number].cut(np.array([x, y]), to_px * size / DIE_PX), lean


class _Endless(IterableDataset):  # type: ignore[misc]  # torch may be missing
    """Batches without end; every process draws others."""

    def __init__(self, mixture: Mixture, count: int, windows: bool, seed: int) -> None:
        self._mixture, self._count, self._windows, self._seed = mixture, count, windows, seed

    def __iter__(self) -> Iterator[Batch]:
        worker = get_worker_info()
        if worker is not None:
            cv2.setNumThreads(1)
            torch.set_num_threads(1)
            self._mixture.rng = np.random.default_rng((self._seed, worker.id))
        make = self._mixture.windows if self._windows else self._mixture.patches
        while True:
            yield make(self._count)


def with_leans(seen: torch.Tensor, besides: torch.Tensor) -> torch.Tensor:
    """Normalised patches (n x 3 x h x w) with what the second network is told besides (n x 2): n x 5 x h x w."""
    return torch.cat([seen, besides.to(seen)[:, :, None, None].expand(-1, -1, *seen.shape[2:])], 1)


def _said_of(
    network: nn.Module, patches: Sequence[Image], besides: Sequence[tuple[float, float]], device: str
) -> NDArray[np.float64]:
    """What the second network says of patches as they are."""
    with torch.no_grad():
        seen = normalised_all(_pieces(patches).to(device).float(), LEAST_CONTRAST)
        return np.asarray(network(with_leans(seen, torch.tensor(besides))).double().cpu().numpy())


def _pieces(images: Sequence[Image]) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(np.stack(images).transpose(0, 3, 1, 2)))


_shared: tuple[cv2.dnn.Net, Sequence[Example]]
"""Of a forked process: the first network, and all pictures."""


def _share_with_forked(network: cv2.dnn.Net, examples: Sequence[Example]) -> None:
    global _shared
    _shared = network, examples


def _wrong_in(number: int) -> NDArray[np.float64]:
    network, examples = _shared
    return _wrong_of(network, examples[number])


def _wrong_of(network: cv2.dnn.Net, example: Example) -> NDArray[np.float64]:
    middle = float(np.median(example.sizes)) if len(example.sizes) else (example.scale_px or 30.0)
    widest = 3.5 if example.source in TABLES else 1.7
    found = propose(network, example.image, (middle * 0.55, middle * widest), least=0.1)
    places = np.array([[*p.centre_px, p.size_px] for p in found]).reshape(-1, 3)
    if len(example.boxes) and len(places):
        apart = np.linalg.norm(places[:, None, :2] - example.centres[None], axis=2) / example.sizes
        places = places[(apart > 0.6).all(1)]
    return np.asarray(places[:60])
