"""The sun through a window: what stands before it throws shadows that wander over the table, and clouds pass."""

import math
from dataclasses import dataclass
from random import Random

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulated.camera import GAMMA, SimulatedCamera
from hardware.simulated.flawed import FlawedCamera
from hardware.simulated.lens import CameraModel
from vision.frame import Image

SUN_RAD = math.radians(0.53)
"""So wide the sun is seen: what throws a shadow from afar throws none with sharp edges. (1919 seconds of arc, NASA's
Sun Fact Sheet.)"""
TURNS_RAD_S = math.radians(15.0) / 3600.0
"""So fast it goes round what throws the shadow."""
SKY, BLUER = (0.45, 0.8), (1.0, 1.15)
"""Out of the sun so much of its light is left, from the sky and the room; it is so many times as blue, as much less
red."""
CLOUD_EVERY_S, CLOUD_S, CLOUD_COMES_S = 60.0, 20.0, 3.0
"""So often a cloud comes, so long it stays, and so long its edge takes to pass."""
STEP_MM = 0.1
"""What has moved by less is not drawn anew."""
_PER_MM, _REACH_MM = 2.0, 640.0
"""A shadow's picture: its pixels per millimetre, and how far it goes from the table's middle to each side."""

_Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Shade:
    """What stands between the sun and the table: seen from the sun it lets so much through at each place."""

    away_mm: float
    through: _Floats
    """0 to 1, of _PER_MM pixels a millimetre."""
    sways_mm: float = 0.0

    def on_table(self) -> _Floats:
        """What comes of it on the table: an edge is as wide as the sun is seen from there."""
        wide_px = max(self.away_mm * SUN_RAD * _PER_MM, 1.0)
        return np.asarray(cv2.GaussianBlur(self.through, (0, 0), wide_px / 4.0), np.float32)


def window(rng: Random) -> Shade:
    """A window's panes: the sun lies on a part of the table, with its bars' shadows across."""
    across, along = _axes(rng)
    pane_mm, bar_mm = rng.uniform(250.0, 500.0), rng.uniform(25.0, 70.0)
    open_ = np.ones_like(across)
    for axis, panes in ((across, rng.randint(1, 2)), (along, rng.randint(1, 3))):
        half_mm = panes * pane_mm / 2.0
        open_ *= (np.abs(axis) < half_mm) & ((axis + half_mm + bar_mm / 2.0) % pane_mm > bar_mm)
    return Shade(rng.uniform(800.0, 3000.0), open_)


def blinds(rng: Random) -> Shade:
    """Slats, half open."""
    across, _ = _axes(rng)
    apart_mm = rng.uniform(25.0, 80.0)
    return Shade(rng.uniform(500.0, 2500.0), _slits(across, apart_mm, rng.uniform(0.3, 0.6) * apart_mm))


def netting(rng: Random) -> Shade:
    """A curtain of net, wire or a trellis beside the table."""
    across, along = _axes(rng)
    apart_mm, thick_mm = rng.uniform(10.0, 40.0), rng.uniform(0.8, 3.0)
    through = _slits(across, apart_mm, thick_mm)
    if rng.random() < 0.6:
        through = through * _slits(along, apart_mm * rng.uniform(0.7, 1.5), thick_mm)
    return Shade(rng.uniform(50.0, 300.0), through)


def leaves(rng: Random) -> Shade:
    """A tree's, in the wind."""
    side = int(2 * _REACH_MM * _PER_MM)
    coarse = np.random.default_rng(rng.getrandbits(32)).normal(size=(64, 64)).astype(np.float32)
    spots = cv2.resize(cv2.GaussianBlur(coarse, (0, 0), 0.8), (side, side), interpolation=cv2.INTER_CUBIC)
    through = (spots > np.quantile(spots, rng.uniform(0.4, 0.75))).astype(np.float32)
    return Shade(rng.uniform(2000.0, 5000.0), through, rng.uniform(3.0, 15.0))


SHADES = {one.__name__: one for one in (window, blinds, netting, leaves)}


def _axes(rng: Random) -> tuple[_Floats, _Floats]:
    """Two directions over the table in which a shadow's edges lie, from somewhere near its middle, in millimetres. What
    a low sun throws is longer."""
    places = np.arange(-_REACH_MM, _REACH_MM, 1.0 / _PER_MM, dtype=np.float32)
    x, y = np.meshgrid(places + rng.uniform(-150.0, 150.0), places + rng.uniform(-100.0, 100.0))
    turn, skew = rng.uniform(0.0, math.pi), rng.uniform(math.radians(60.0), math.radians(120.0))
    across = x * math.cos(turn) + y * math.sin(turn)
    along = x * math.cos(turn + skew) + y * math.sin(turn + skew)
    return np.asarray(across, np.float32), np.asarray(along / rng.uniform(1.0, 2.0), np.float32)


def _slits(axis: _Floats, apart_mm: float, thick_mm: float) -> _Floats:
    return np.asarray(axis % apart_mm >= thick_mm, np.float32)


class SunThroughWindow(FlawedCamera):
    """A simulated camera over a table in such light.

    The light is laid over finished pictures, as it falls on the table: on hands, and what stands up, it lies as flat.
    """

    def __init__(self, camera: SimulatedCamera | FlawedCamera, rng: Random, kind: str | None = None) -> None:
        """`kind` is what throws the shadow, one of SHADES; without it any."""
        kind = kind or rng.choice(list(SHADES))
        super().__init__(camera, f"the sun through {kind}")
        shade = SHADES[kind](rng)
        self._shadow = np.asarray(np.round(255.0 * shade.on_table()), np.uint8)
        way = rng.uniform(0.0, 2.0 * math.pi)
        self._mm_s = shade.away_mm * TURNS_RAD_S * np.array([math.cos(way), math.sin(way)])
        self._sways_mm = shade.sways_mm
        sky, bluer = rng.uniform(*SKY), rng.uniform(*BLUER)
        self._sky = np.array([sky * bluer, sky, sky / bluer])
        self._clouds = _Clouds(rng)
        self._seen_by: CameraModel | None = None
        self._lit: tuple[tuple[float, ...], Image] | None = None

    def _seen(self, image: Image, time_s: float) -> Image:
        return np.asarray(cv2.multiply(image, self._light(time_s), scale=1.0 / 255.0), np.uint8)

    def _light(self, time_s: float) -> Image:
        """By what each pixel's levels are multiplied, of 255: rows x columns x 3."""
        if self._seen_by != self.model:
            self._seen_by, self._lit = self.model, None
            at = self.model.table_grid()
            self._places = [(one + np.float32(_REACH_MM)) * np.float32(_PER_MM) for one in at]
        off_mm = self._mm_s * time_s + self._sways_mm * _breeze(time_s)
        sun = round(self._clouds.sun(time_s), 2)
        drawn = (*np.round(off_mm / STEP_MM), sun)
        if self._lit is None or self._lit[0] != drawn:
            whole = np.arange(256) / 255.0 * sun
            levels = [255.0 * (sky + (1.0 - sky) * whole) ** (1.0 / GAMMA) for sky in self._sky]
            columns, rows = (one - np.float32(by * _PER_MM) for one, by in zip(self._places, off_mm, strict=True))
            seen = cv2.remap(self._shadow, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
            table = np.clip(np.round(np.stack(levels, axis=-1)), 0, 255).astype(np.uint8)[:, None]
            self._lit = drawn, np.asarray(cv2.LUT(cv2.merge([seen, seen, seen]), table), np.uint8)
        return self._lit[1]


class _Clouds:
    """When the sun is behind one."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._from_s, self._to_s = 0.0, -CLOUD_COMES_S

    def sun(self, time_s: float) -> float:
        """How much of the sun there is, 0 to 1, after so many seconds; asked about later and later times."""
        while time_s > self._to_s + CLOUD_COMES_S:
            self._from_s = self._to_s + CLOUD_COMES_S + self._rng.uniform(0.5, 1.5) * CLOUD_EVERY_S
            self._to_s = self._from_s + CLOUD_COMES_S + self._rng.uniform(0.5, 1.5) * CLOUD_S
        gone, back = ((time_s - at) / CLOUD_COMES_S for at in (self._from_s, self._to_s))
        return 1.0 - min(max(gone, 0.0), 1.0) + min(max(back, 0.0), 1.0)


def _breeze(time_s: float) -> NDArray[np.float64]:
    """How far leaves sway, of 1: in gusts."""
    gust = 0.5 + 0.5 * math.sin(0.4 * time_s)
    return gust * np.array([math.sin(2.1 * time_s), math.sin(1.3 * time_s + 1.0)])
