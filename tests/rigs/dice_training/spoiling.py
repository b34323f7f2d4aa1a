"""Batches of pieces of pictures in other lights, seen by other cameras."""

import numpy as np
import torch
from torch.nn import functional

Rng = np.random.Generator


CURVED, SHADED, NOISY = 0.4, 0.2, 0.5
"""Shares of the pieces with another curve of lightness, with a shadow, with noise."""
BLURS = 12
"""Into so many parts a batch is divided; every second one is blurred."""


def spoilt(rng: Rng, pieces: torch.Tensor) -> torch.Tensor:
    """Pieces (n x 3 x h x w, 0 to 255) with other colours, light, shadows, blur and noise; every piece its own."""
    values = _recoloured(rng, pieces.float())
    some = _some(rng, values, CURVED)
    powers = _each(np.exp(rng.normal(0, 0.45, (len(some), 1))), values)
    values[some] = 255.0 * (values[some].clamp(0, 255) / 255.0).pow(powers)
    some = _some(rng, values, SHADED)
    values[some] *= _shadows(rng, len(some), values)
    values = _blurred(rng, values)
    some = _some(rng, values, NOISY)
    values[some] += torch.randn_like(values[some]) * _each(rng.uniform(0, 9, (len(some), 1)), values)
    return values.clamp_(0, 255)


def _some(rng: Rng, values: torch.Tensor, share: float) -> torch.Tensor:
    return torch.from_numpy(np.flatnonzero(rng.random(len(values)) < share)).to(values.device)


def _each(numbers: np.ndarray, like: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(numbers)).to(like)[:, :, None, None]


def _recoloured(rng: Rng, values: torch.Tensor) -> torch.Tensor:
    """Colours turned round the greys, or channels in another order; now and then a negative, or grey, or paler; in
    other light."""
    count = len(values)
    mixes = np.broadcast_to(np.eye(3, 4), (count, 3, 4)).copy()
    kind = rng.random(count)
    orders, turned = kind < 0.25, (kind >= 0.25) & (kind < 0.6)
    mixes[orders, :, :3] = np.eye(3)[rng.permuted(np.tile(np.arange(3), (int(orders.sum()), 1)), axis=1)]
    mixes[turned, :, :3] = _turned_colours(rng.uniform(-np.pi, np.pi, int(turned.sum())))
    pale = np.where(rng.random(count) < 0.6, rng.uniform(0, 1, count), -rng.uniform(0, 0.8, count))
    pale = np.where(rng.random(count) < 0.3, pale, 0.0)[:, None, None]
    mixes[:, :, :3] = (1 - pale) * mixes[:, :, :3] + pale / 3
    negative = rng.random(count) < 0.15
    mixes[negative, :, :3] *= -1.0
    mixes[negative, :, 3] = 255.0
    mixes *= np.exp(rng.normal(0, 0.12, (count, 3)) + rng.normal(-0.15, 0.3, (count, 1)))[:, :, None]
    mixes[:, :, 3] += (rng.uniform(0, 60, count) * (rng.random(count) < 0.3))[:, None]
    weights = torch.from_numpy(mixes).to(values)
    flat = values.flatten(2)
    return torch.baddbmm(weights[:, :, 3:], weights[:, :, :3], flat).view_as(values)


def _turned_colours(angles: np.ndarray) -> np.ndarray:
    """Turns of colours (n x 3 x 3) round the line of greys."""
    axis = np.full(3, 3**-0.5)
    cross = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]) * 3**-0.5
    cosine, sine = np.cos(angles)[:, None, None], np.sin(angles)[:, None, None]
    return np.asarray(cosine * np.eye(3) + sine * cross + (1 - cosine) * np.outer(axis, axis))


def _shadows(rng: Rng, count: int, values: torch.Tensor) -> torch.Tensor:
    """The edge of a shadow, or of a lamp's light, across them."""
    size = values.shape[2]
    way = rng.uniform(0, 2 * np.pi, count)
    off, wide = rng.uniform(-size / 3, size / 3, count), np.exp(rng.uniform(np.log(0.5), np.log(12), count))
    depth = rng.uniform(0.2, 0.75, count)
    grid = torch.arange(size).to(values) - (size - 1) / 2
    column = [torch.from_numpy(v).to(values).view(-1, 1, 1, 1) for v in (np.cos(way), np.sin(way), off, wide, depth)]
    across = (grid.view(1, 1, 1, -1) * column[0] + grid.view(1, 1, -1, 1) * column[1] - column[2]) / column[3]
    return 1 - column[4] * torch.sigmoid(across)


def _blurred(rng: Rng, values: torch.Tensor) -> torch.Tensor:
    """Parts of the batch: about half as they are, others softened along a line or all round, each to its own width."""
    parts = list(values.chunk(BLURS))
    for number in range(0, len(parts), 2):
        widest = (1.4, 1.2, 1.9)[number // 2 % 3]
        sigma = rng.uniform(0.3, widest, 2) if number // 2 % 3 else np.array([rng.uniform(0.3, widest), 0.01])
        reach = torch.arange(-4, 5).to(values)
        lines = [torch.exp(-((reach / float(s)) ** 2) / 2) for s in sigma[:: rng.choice([-1, 1])]]
        part = functional.pad(parts[number], (4, 4, 4, 4), mode="replicate")
        for line, shape in zip(lines, ((9, 1), (1, 9)), strict=True):
            kernel = (line / line.sum()).view(1, 1, *shape).expand(3, 1, *shape)
            part = functional.conv2d(part, kernel, groups=3)
        parts[number] = part
    return torch.cat(parts)


def normalised_all(patches: torch.Tensor, least: float) -> torch.Tensor:
    """What vision.dice.patches.normalised does, for a batch."""
    middle = patches[:, :, 8:-8, 8:-8]
    spread = middle.std((1, 2, 3), keepdim=True, correction=0).clamp(min=least)
    return (patches - middle.mean((1, 2, 3), keepdim=True)) / (2 * spread)
