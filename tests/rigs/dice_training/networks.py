"""The two networks: where a die may lie, seen small; what its top shows, seen at one size."""

import torch
from torch import nn

VALUES = 7
GEOMETRY = 7


def layer(inside: int, outside: int, size: int = 3, stride: int = 1, *, dilation: int = 1) -> nn.Module:
    """A convolution, its batches normalised, of which nothing below zero is left."""
    padding = dilation * (size // 2)
    return nn.Sequential(
        nn.Conv2d(inside, outside, size, stride, padding, dilation, bias=False),
        nn.BatchNorm2d(outside),
        nn.ReLU(inplace=True),
    )


class Proposer(nn.Module):  # type: ignore[misc]  # torch may be missing
    """3 x h x w to 4 x h/4 x w/4: whether a die's middle is in the cell (logit), its offset in cells, its log size."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(layer(3, 16, stride=2), layer(16, 32, stride=2))
        self.blocks = nn.ModuleList(layer(32, 32, dilation=dilation) for dilation in (1, 2, 1))
        self.head = nn.Conv2d(32, 4, 1)
        nn.init.constant_(self.head.bias, -2.0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.stem(x)
        for block in self.blocks:
            x = x + block(x)
        return self.head(x)


class Residual(nn.Module):  # type: ignore[misc]  # torch may be missing
    """Two layers whose result is added to what they were given."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(layer(channels, channels), layer(channels, channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.layers(x)


class TopReader(nn.Module):  # type: ignore[misc]  # torch may be missing
    """5 x 48 x 48 to 14 numbers: logits of nothing and of 1 to 6; place, size, stretch and turn of the top face."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            layer(5, 32, 5, 2),
            layer(32, 64, 3, 2),
            Residual(64),
            layer(64, 128, 3, 2),
            Residual(128),
            layer(128, 32, 1),
            nn.Flatten(),
            nn.Dropout(0.1),
            nn.Linear(32 * 36, 128),
            nn.ReLU(inplace=True),
            nn.Linear(128, VALUES + GEOMETRY),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)
