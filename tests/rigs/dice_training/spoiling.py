"""Batches of pieces of pictures in other lights, seen by other cameras."""

import numpy as np
import torch
from torch.nn import functional

Rng = np.random.Generator


def spoilt(rng: Rng, pieces: torch.Tensor) -> torch.Tensor:
    """Pieces (n x 3 x h x w, 0 to 255) with other colours, light, shadows, blur and noise; every piece its own."""
    count = len(pieces)
    values = _recoloured(rng, pieces.float())
    gains = np.exp(rng.normal(0, 0.12, (count, 3)) + rng.normal(-0.1, 0.35, (count, 1)))
    lift = rng.uniform(0, 60, (count, 1)) * (rng.random((count, 1)) < 0.3)
    values = values * _each(gains) + _each(np.broadcast_to(lift, (count, 3)))
    values = values * _shadows(rng, count, pieces.shape[2])
    values = _blurred(rng, values)
    noise = torch.randn(values.shape) * _each(rng.uniform(0, 8, (count, 1)) * (rng.random((count, 1)) < 0.5))
    return (values + noise).clamp(0, 255)


def _each(numbers: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(numbers)).float()[:, :, None, None]


def _recoloured(rng: Rng, values: torch.Tensor) -> torch.Tensor:
    """Channels in another order or mixed; now and then a negative, or grey."""
    mixes = np.empty((len(values), 3, 4))
    for mix in mixes:
        kind = rng.random()
        order = rng.permutation(3) if kind < 0.4 else np.arange(3)
        mix[:, :3] = np.eye(3)[order]
        mix[:, 3] = 0.0
        if rng.random() < 0.15:
            mix[:, :3] = 1 / 3
        if rng.random() < 0.1:
            mix[:, :3], mix[:, 3] = -mix[:, :3], 255.0
    weights = torch.from_numpy(mixes).float()
    flat = values.flatten(2)
    return (weights[:, :, :3] @ flat + weights[:, :, 3:]).view_as(values)


def _shadows(rng: Rng, count: int, size: int) -> torch.Tensor:
    """The edge of a shadow, or of a lamp's light, across some of them."""
    way = rng.uniform(0, 2 * np.pi, count)
    off, wide = rng.uniform(-size / 3, size / 3, count), np.exp(rng.uniform(np.log(0.5), np.log(12), count))
    depth = rng.uniform(0.2, 0.75, count) * (rng.random(count) < 0.2)
    grid = torch.arange(size).float() - (size - 1) / 2
    column = [torch.from_numpy(v).float().view(-1, 1, 1, 1) for v in (np.cos(way), np.sin(way), off, wide, depth)]
    across = (grid.view(1, 1, 1, -1) * column[0] + grid.view(1, 1, -1, 1) * column[1] - column[2]) / column[3]
    return 1 - column[4] * torch.sigmoid(across)


def _blurred(rng: Rng, values: torch.Tensor) -> torch.Tensor:
    """Quarters of the batch: two as they are, one softened along a line of random length, one all round."""
    fourth = len(values) // 4
    parts = [values[: len(values) - 2 * fourth]]
    for number in range(2):
        start = len(values) - (2 - number) * fourth
        sigma = np.array([rng.uniform(0.3, 1.2), rng.uniform(0.3, 1.2) if number else 0.01])[:: rng.choice([-1, 1])]
        reach = torch.arange(-3, 4).float()
        lines = [torch.exp(-((reach / float(s)) ** 2) / 2) for s in sigma]
        kernel = (lines[0] / lines[0].sum())[:, None] * (lines[1] / lines[1].sum())[None]
        part = functional.pad(values[start : start + fourth], (3, 3, 3, 3), mode="replicate")
        parts.append(functional.conv2d(part, kernel.expand(3, 1, 7, 7), groups=3))
    return torch.cat(parts)


def normalised_all(patches: torch.Tensor, least: float) -> torch.Tensor:
    """What vision.dice.patches.normalised does, for a batch."""
    middle = patches[:, :, 8:-8, 8:-8]
    spread = middle.std((1, 2, 3), keepdim=True, correction=0).clamp(min=least)
    return (patches - middle.mean((1, 2, 3), keepdim=True)) / (2 * spread)
