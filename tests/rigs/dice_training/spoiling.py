"""Batches of pieces of pictures in other lights, seen by other cameras."""

import numpy as np
import torch
from torch.nn import functional

Rng = np.random.Generator


CURVED, SHADED, NOISY = 0.4, 0.2, 0.5
"""Shares of the pieces with another curve of lightness, with a shadow, with noise."""


def spoilt(rng: Rng, pieces: torch.Tensor) -> torch.Tensor:
    """Pieces (n x 3 x h x w, 0 to 255) with other colours, light, shadows, blur and noise; every piece its own."""
    values = _recoloured(rng, pieces.float())
    some = _some(rng, len(values), CURVED)
    powers = _each(np.exp(rng.normal(0, 0.45, (len(some), 1))))
    values[some] = 255.0 * (values[some].clamp(0, 255) / 255.0).pow(powers)
    some = _some(rng, len(values), SHADED)
    values[some] *= _shadows(rng, len(some), pieces.shape[2])
    values = _blurred(rng, values)
    some = _some(rng, len(values), NOISY)
    values[some] += torch.randn(values[some].shape) * _each(rng.uniform(0, 9, (len(some), 1)))
    return values.clamp_(0, 255)


def _some(rng: Rng, count: int, share: float) -> torch.Tensor:
    return torch.from_numpy(np.flatnonzero(rng.random(count) < share))


def _each(numbers: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(numbers)).float()[:, :, None, None]


def _recoloured(rng: Rng, values: torch.Tensor) -> torch.Tensor:
    """Colours turned round the greys, or channels in another order; now and then a negative, or grey, or paler; in
    other light."""
    mixes = np.empty((len(values), 3, 4))
    for mix in mixes:
        kind = rng.random()
        mix[:, :3] = np.eye(3)
        mix[:, 3] = 0.0
        if kind < 0.25:
            mix[:, :3] = np.eye(3)[rng.permutation(3)]
        elif kind < 0.6:
            mix[:, :3] = _turned_colours(rng.uniform(-np.pi, np.pi))
        if rng.random() < 0.3:
            pale = rng.uniform(0, 1) if rng.random() < 0.6 else -rng.uniform(0, 0.8)
            mix[:, :3] = (1 - pale) * mix[:, :3] + pale / 3
        if rng.random() < 0.15:
            mix[:, :3], mix[:, 3] = -mix[:, :3], 255.0
        gains = np.exp(rng.normal(0, 0.12, 3) + rng.normal(-0.15, 0.3))
        mix *= gains[:, None]
        mix[:, 3] += rng.uniform(0, 60) * (rng.random() < 0.3)
    weights = torch.from_numpy(mixes).float()
    flat = values.flatten(2)
    return torch.baddbmm(weights[:, :, 3:], weights[:, :, :3], flat).view_as(values)


def _turned_colours(angle: float) -> np.ndarray:
    """A turn of colours (3 x 3) round the line of greys."""
    axis = np.full(3, 3**-0.5)
    cross = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]) * 3**-0.5
    return np.cos(angle) * np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * np.outer(axis, axis)


def _shadows(rng: Rng, count: int, size: int) -> torch.Tensor:
    """The edge of a shadow, or of a lamp's light, across them."""
    way = rng.uniform(0, 2 * np.pi, count)
    off, wide = rng.uniform(-size / 3, size / 3, count), np.exp(rng.uniform(np.log(0.5), np.log(12), count))
    depth = rng.uniform(0.2, 0.75, count)
    grid = torch.arange(size).float() - (size - 1) / 2
    column = [torch.from_numpy(v).float().view(-1, 1, 1, 1) for v in (np.cos(way), np.sin(way), off, wide, depth)]
    across = (grid.view(1, 1, 1, -1) * column[0] + grid.view(1, 1, -1, 1) * column[1] - column[2]) / column[3]
    return 1 - column[4] * torch.sigmoid(across)


def _blurred(rng: Rng, values: torch.Tensor) -> torch.Tensor:
    """Sixths of the batch: three as they are, one softened along a line of random length, two all round."""
    sixth = len(values) // 6
    parts = [values[: len(values) - 3 * sixth]]
    for number in range(3):
        start = len(values) - (3 - number) * sixth
        widest = (1.4, 1.2, 1.9)[number]
        sigma = rng.uniform(0.3, widest, 2) if number else np.array([rng.uniform(0.3, widest), 0.01])
        reach = torch.arange(-4, 5).float()
        lines = [torch.exp(-((reach / float(s)) ** 2) / 2) for s in sigma[:: rng.choice([-1, 1])]]
        part = functional.pad(values[start : start + sixth], (4, 4, 4, 4), mode="replicate")
        for line, shape in zip(lines, ((9, 1), (1, 9)), strict=True):
            kernel = (line / line.sum()).view(1, 1, *shape).expand(3, 1, *shape)
            part = functional.conv2d(part, kernel, groups=3)
        parts.append(part)
    return torch.cat(parts)


def normalised_all(patches: torch.Tensor, least: float) -> torch.Tensor:
    """What vision.dice.patches.normalised does, for a batch."""
    middle = patches[:, :, 8:-8, 8:-8]
    spread = middle.std((1, 2, 3), keepdim=True, correction=0).clamp(min=least)
    return (patches - middle.mean((1, 2, 3), keepdim=True)) / (2 * spread)
