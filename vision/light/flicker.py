"""How much lamps flicker, by pictures in a row: their stripes move at one pace, as nothing else does that makes whole
rows brighter and darker. Stripes that stand still, of lamps that flicker a whole number of times from picture to
picture, cannot be told from a table that looks so."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.frame import GAMMA
from vision.light.bands import NUMBERS, ROWS, row_gains
from vision.motion import Small

FEWEST = 12
"""Of fewer pictures nothing is said."""
PACES = 128
"""So many paces are tried, from half a stripe up for each picture to half a stripe down."""
SLOWEST_HZ = 2.0
"""What goes up and down less often may be people, or a camera that exposes by itself."""
EXPLAINED = 0.5
"""Stripes are the larger part of what makes rows brighter and darker: beside many hands nothing is said."""
NEAR_HZ = 1.0
"""Pictures are counted for about a second, which tells a pace to a cycle a second or so."""
MAINS_HZ = (50, 60)


@dataclass(frozen=True, slots=True)
class Flicker:
    """What lamps do."""

    share: float
    """By so much of its mean a row's light is more and less, 0 where no stripes move."""
    seems_hz: float
    """So often that seems to happen at one place: less than half the pictures' rate, and below nought where stripes
    seem to go the other way."""
    rate_hz: float
    """The pictures' rate."""

    def mains_hz(self) -> int | None:
        """The mains whose lamps would seem to flicker so; None where those of neither or of both would."""
        near = [hz for hz in MAINS_HZ if abs(_seeming(2 * hz - self.seems_hz, self.rate_hz)) < NEAR_HZ]
        return near[0] if len(near) == 1 else None

    def untold_hz(self) -> list[int]:
        """The mains whose lamps' stripes would stand still, or nearly so, in pictures of this rate."""
        return [hz for hz in MAINS_HZ if abs(_seeming(2 * hz, self.rate_hz)) < SLOWEST_HZ]


def flicker_of(pictures: Sequence[Small], numbers: Sequence[int], rate_hz: float) -> Flicker | None:
    """What lamps do in small pictures (`vision.motion.shrink`) of one size, by each one's number as the camera counts
    and its rate; None where they are too few, or too dark or bright, to tell."""
    if len(pictures) < FEWEST:
        return None
    usual = np.asarray(np.mean(pictures, axis=0), np.float32)
    gains, tells = zip(*(row_gains(picture, usual) for picture in pictures), strict=True)
    telling = np.logical_and.reduce(tells)
    if telling.mean() < ROWS:
        return None
    light = np.mean(gains, axis=2)[:, telling] ** GAMMA
    light -= light.mean(axis=1, keepdims=True)
    light -= light.mean(axis=0)
    at = (np.flatnonzero(telling) + 0.5) / len(telling)
    paces = np.arange(PACES) / PACES - 0.5
    # The Fourier transform, of the stripes that there may be and the paces that are no people's.
    paces = paces[np.abs(paces) * rate_hz >= SLOWEST_HZ]
    waves = np.exp(-2j * np.pi * np.outer(paces, numbers)) @ light @ np.exp(-2j * np.pi * np.outer(at, NUMBERS))
    power = np.abs(waves).max(axis=1, initial=0.0) ** 2 / light.size
    if not power.size or 2.0 * power.max() < EXPLAINED * np.sum(light**2):
        return Flicker(0.0, 0.0, rate_hz)
    best = int(np.argmax(power))
    return Flicker(2.0 * float(np.sqrt(power[best] / light.size)), float(paces[best]) * rate_hz, rate_hz)


def _seeming(hz: float, rate_hz: float) -> float:
    """What a frequency seems to be in pictures of this rate."""
    return (hz + rate_hz / 2) % rate_hz - rate_hz / 2
