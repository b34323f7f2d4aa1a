"""The networks that outline things: one looks at a table from near and from far, and says of each cell; one weighs
what that says with what changed."""

from itertools import pairwise

import torch
from torch import nn
from torch.nn import functional

from tests.rigs.dice_training.networks import layer
from vision.hiding.outlining import CHANNELS, WEIGHED

WIDTHS = (16, 24, 40, 56, 64)
"""Channels: of pixels half as large as cells, then of cells, and of what is twice as wide each."""


WEIGHER, DILATIONS = 16, (1, 2, 4, 8)
"""Channels of the one that weighs, and how far its layers look."""


class Outliner(nn.Module):  # type: ignore[misc]  # torch may be missing
    """CHANNELS x 2h x 2w to 1 x h x w: the logit of a thing in each cell."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = layer(CHANNELS, WIDTHS[0], 5, 2)
        self.down = nn.ModuleList(
            nn.Sequential(layer(inside, outside, 3, 2), layer(outside, outside)) for inside, outside in pairwise(WIDTHS)
        )
        self.wide = nn.ModuleList(layer(WIDTHS[-1], WIDTHS[-1], dilation=dilation) for dilation in (1, 2, 4))
        self.beside = nn.ModuleList(nn.Conv2d(width, narrow, 1) for narrow, width in pairwise(WIDTHS))
        self.up = nn.ModuleList(layer(width, width) for width in WIDTHS[:-1])
        self.head = nn.Conv2d(WIDTHS[0], 1, 1)
        nn.init.constant_(self.head.bias, -2.0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        seen = [self.stem(x)]
        for down in self.down:
            seen.append(down(seen[-1]))
        x = seen.pop()
        for wide in self.wide:
            x = x + wide(x)
        for beside, up in zip(reversed(self.beside), reversed(self.up), strict=True):
            x = functional.interpolate(beside(x), scale_factor=2.0, mode="bilinear", align_corners=False)
            x = up(x + seen.pop())
        return self.head(x)


class Weigher(nn.Module):  # type: ignore[misc]  # torch may be missing
    """WEIGHED x h x w to 1 x h x w: the logit of a thing in each cell; where none is known, the one it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = layer(WEIGHED, WEIGHER)
        self.wide = nn.ModuleList(layer(WEIGHER, WEIGHER, dilation=dilation) for dilation in DILATIONS)
        self.head = nn.Conv2d(WEIGHER, 1, 1)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        x = self.stem(given)
        for wide in self.wide:
            x = x + wide(x)
        return given[:, :1] + given[:, -1:] * self.head(x)
