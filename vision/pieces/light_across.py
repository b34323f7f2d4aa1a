"""Light that changes across a whole picture: the edge of a shadow, a window's sun, stripes of blinds.

Its edges are straight and go on across all that lies there. So of the steps of brightness over a line in their
direction most are the same, and over any other line most are about none, whatever is printed, lies or grows there:
their median tells the light without knowing what is lit. Added up, those are the profile of the light, and it can be
taken off the picture.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.mat.markers import MAT_HALF_MM
from vision.mat.rectify import PX_PER_MM, Box, TableMap
from vision.mat.registration import Registration

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

CELL_MM = 2.5
"""No edge of light is sharper: the narrowest penumbra, seen softly."""
ACROSS_MM = 2.0 * (MAT_HALF_MM - 30.0)
"""So much of the table is looked at, the mat without its printed edge."""
BESIDE_MM, BEYOND_MM = 10.0, 150.0
"""What lies so far beside the mat is not its edge; so far beyond what is looked at of it light is told by that."""
COARSE = 2
"""Cells are put together for a first look in all directions,"""
TURN_STEP_DEG, FINE_STEPS_DEG = 2.5, (0.8, 0.25)
"""so far apart; then closer."""
FLOOR = 6.0
"""Levels that are added before brightness is compared, as noise is no light."""
NARROW_MM = 7.5
"""Bands as narrow are lines that are printed there or sticks with their shadows."""
LEAST_MM = 30.0
"""A line of which less is seen tells nothing."""
LEAST_STEPS = 0.04
"""The sum of a profile's squared steps (logarithm), at the first look, from which on it is light, and not what lies
there in one direction: an edge four cells wide, beyond which it is 1.6 times as dark, has 0.055. Of thirty simulated
boards under sticks and hands four had more than 0.04, and none fitted better without."""
TINTED = 0.2
"""By so large a share of its depth a channel's shade may be deeper or less deep than that of all: the sky is blue."""
DEEPEST = 1.4
"""What is darker (logarithm) stays dark: too little of it is seen (`vision.light.darkness`)."""
GRID_PX = 8
"""The light of a picture is worked out every so many pixels."""


@dataclass(frozen=True, slots=True)
class LightAcross:
    """A profile of light along one direction of the table."""

    turn_deg: float
    """The direction, from x to y."""
    first_mm: float
    """Where along it the profile's first value is,"""
    step_mm: float
    """and how far apart the others are; beyond both ends light is even."""
    logs: Floats
    """n x 3: how much brighter (logarithm) each channel is lit there."""

    def shade_at(self, along_mm: Floats) -> Floats:
        """How much darker (logarithm) each channel is lit at places along the direction (rows x columns gives rows x
        columns x 3) than where there is most light; not at all where it is too dark to tell anything."""
        at = np.clip((along_mm - self.first_mm) / self.step_mm, 0.0, len(self.logs) - 1.0).astype(np.float32)
        shade = self.logs.max(0) - self.logs
        told = np.where(shade.mean(-1, keepdims=True) < DEEPEST, shade, np.float32(0.0))
        return np.asarray(cv2.remap(told[None], at, np.zeros_like(at), cv2.INTER_LINEAR))

    def taken_off(self, image: Image, registration: Registration) -> Image:
        """The picture as the brightest of this light would show all of it."""
        height, width = image.shape[:2]
        columns, rows = (np.arange(0, side + GRID_PX, GRID_PX, dtype=np.float64) for side in (width, height))
        grid = np.stack(np.meshgrid(columns, rows), axis=-1)
        turn = np.radians(self.turn_deg)
        along = registration.to_table(grid.reshape(-1, 2)) @ [np.cos(turn), np.sin(turn)]
        to_grid = np.array([[1.0 / GRID_PX, 0.0, 0.0], [0.0, 1.0 / GRID_PX, 0.0]])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        sparse = along.reshape(grid.shape[:2]).astype(np.float32)
        return self._less_shade(image, np.asarray(cv2.warpAffine(sparse, to_grid, (width, height), flags=flags)))

    def taken_off_map(self, looked: Image, table: TableMap, part: Box) -> Image:
        """A part of the table, seen from above, as the brightest of this light would show all of it."""
        turn = np.radians(self.turn_deg)
        columns = table.left_mm + np.arange(part.left, part.right) / PX_PER_MM
        rows = table.top_mm - np.arange(part.top, part.bottom) / PX_PER_MM
        return self._less_shade(looked, np.add.outer(rows * np.sin(turn), columns * np.cos(turn)).astype(np.float32))

    def _less_shade(self, image: Image, along_mm: Floats) -> Image:
        brighter = np.exp(self.shade_at(along_mm))
        return np.asarray(np.minimum(image * brighter + np.float32(0.5), np.float32(255.0)), np.uint8)


def light_across(looked: Image, table: TableMap) -> LightAcross | None:
    """The light of a picture of the table, seen from above (`TableMap.look`), where it changes steeply across the
    mat; None where it does not."""
    scale = 1.0 / (PX_PER_MM * CELL_MM)
    small = cv2.resize(looked, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    middle = (table.to_map(np.zeros((1, 2)))[0] + 0.5) * scale - 0.5
    logs = np.log(small.astype(np.float32) + np.float32(FLOOR))
    rows, columns = np.indices(small.shape[:2])
    away = np.maximum(abs(columns - middle[0]), abs(rows - middle[1])) * CELL_MM
    around = np.where((away > MAT_HALF_MM + BESIDE_MM) & small.any(-1), logs.mean(-1), np.float32("nan"))
    return light_of(logs, CELL_MM, middle, ACROSS_MM, np.asarray(around, np.float32))


def light_of(
    logs: Floats, cell_mm: float, middle: Array, across_mm: float, around: Floats | None = None
) -> LightAcross | None:
    """The light of a plane of cells so wide that are so bright (logarithms, rows x columns x 3), where it changes
    steeply across so much of it; None where it does not. `middle` (column, row) is where the plane's frame begins. How
    it goes on beyond, is told by what lies `around`, of which nothing but its light is like what it is across the
    plane (rows x columns, not a number where the plane is)."""
    grey = np.asarray(logs.mean(-1), np.float32)
    coarse = np.asarray(cv2.resize(grey, None, fx=1 / COARSE, fy=1 / COARSE, interpolation=cv2.INTER_AREA), np.float32)
    turns: Array = np.arange(0.0, 180.0, TURN_STEP_DEG)
    turn, strength = _steepest(coarse, (middle + 0.5) / COARSE - 0.5, turns, cell_mm * COARSE, across_mm)
    if strength < LEAST_STEPS:
        return None
    for step in FINE_STEPS_DEG:
        near: Array = turn + step * np.arange(-2.0, 3.0)
        turn, _ = _steepest(grey, middle, near, cell_mm, across_mm)
    found = np.array([turn])
    steps = _steps(grey, middle, found, cell_mm, across_mm)[0]
    each = np.stack([_steps(logs[..., i], middle, found, cell_mm, across_mm)[0] for i in range(3)], axis=-1)
    share = np.clip((each * steps[:, None]).sum(0) / np.square(steps).sum(), 1.0 - TINTED, 1.0 + TINTED)
    profile = np.concatenate([[0.0], np.cumsum(steps)])
    if around is not None:  # it is in no other light than some of the mat
        beyond = round(BEYOND_MM / cell_mm)
        wider = _steps(around, middle, found, cell_mm, across_mm + 2.0 * beyond * cell_mm)[0]
        before = profile[0] - np.cumsum(wider[:beyond][::-1])[::-1]
        after = profile[-1] + np.cumsum(wider[-beyond:])
        profile = np.concatenate([before, profile, after]).clip(profile.min(), profile.max())
    first_mm = -(len(profile) - 1) / 2 * cell_mm
    return LightAcross(turn, first_mm, cell_mm, np.asarray(profile[:, None] * share, np.float32))


def _steepest(logs: Floats, middle: Array, turns_deg: Array, cell_mm: float, across_mm: float) -> tuple[float, float]:
    """The direction in which the steps are largest, and the sum of their squares."""
    found = np.square(_steps(logs, middle, turns_deg, cell_mm, across_mm)).sum(1)
    return float(turns_deg[int(found.argmax())]), float(found.max())


def _steps(logs: Floats, middle: Array, turns_deg: Array, cell_mm: float, across_mm: float) -> Floats:
    """The middle ones of the steps over the lines across each direction, narrow bands left out: turns x steps."""
    count = round(across_mm / cell_mm)
    steps = [_middle_steps(logs, middle, float(turn), count, LEAST_MM / cell_mm) for turn in np.radians(turns_deg)]
    profiles = np.cumsum(np.stack(steps), axis=1)
    reach = round(NARROW_MM / cell_mm)
    wide = np.pad(profiles, ((0, 0), (reach, reach)), mode="edge")
    smooth = np.median(np.lib.stride_tricks.sliding_window_view(wide, 2 * reach + 1, axis=1), axis=-1)
    return np.asarray(np.diff(smooth, axis=1, prepend=0.0), np.float32)


def _middle_steps(logs: Floats, middle: Array, turn: float, count: int, least: float) -> Floats:
    """The middle ones of the steps over the lines across one direction; none where a line has but a few cells."""
    along, down = np.array([np.cos(turn), -np.sin(turn)]), np.array([np.sin(turn), np.cos(turn)])
    to_picture = np.column_stack([down, along, middle - (along + down) * (count - 1) / 2])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    nothing = (float("nan"),)
    turned = cv2.warpAffine(
        logs, to_picture, (count, count), flags=flags, borderMode=cv2.BORDER_CONSTANT, borderValue=nothing
    )
    ordered = np.sort(turned[1:] - turned[:-1], axis=1)  # what lies beyond the plane comes last
    known = np.count_nonzero(~np.isnan(ordered), axis=1)
    steps = ordered[np.arange(count - 1), np.maximum(known - 1, 0) // 2]
    return np.where(known < least, np.float32(0.0), steps)
