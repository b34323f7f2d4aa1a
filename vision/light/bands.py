"""Stripes across a picture that lamps make that flicker with the mains, each row of a rolling shutter being exposed a
little later than the one before it. They move from picture to picture, or stand still.

How much brighter a picture's rows are than what is known of the table is a wave, wherever something covers less than
half of a row: the one that explains most rows is taken off the picture before it is compared and read.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Frame, Image
from vision.motion import SATURATED, Blocks, Small, differences, shrink, usual_noise
from vision.short_axes import median_of, row_medians, total

Waves = NDArray[np.float64]

NOTICED = 0.5
"""Where half of the rows are brighter or darker than what is known by more levels than this, as far as their noise
tells, stripes are looked for."""
EVERY = 8
"""Of the blocks of a row every so many are asked for that; of those that tell more,"""
FINELY = 2
TELLING = 12
"""at least so many have to be neither cut off nor dark in a row that counts,"""
DARK = 12.0
"""darker than this,"""
ROWS, FEWEST = 0.5, 60
"""and so large a share of rows has to count, of at least so many."""
STEP = 0.05
NUMBERS = np.arange(1.0, 8.0 + STEP, STEP)
"""So many stripes there may be, one below the other: lamps flicker 100 or 120 times a second, and sensors of 1080 rows
are read within 10 to 40 ms."""
HARMONICS, PLAIN = (1, 2, 3), 2
"""Which of their overtones; and how many parts of what makes rows brighter are no waves."""
ROUNDS, FAR_OFF = 3, 3.0
"""So often waves are fitted; rows that miss them by so many times as much as half of all count little: something covers
them. (Iteratively reweighted least squares)"""
LEFT = 0.7
"""Stripes leave less than this share of what half of the blocks differed by."""
STRONGEST = 0.4
"""By a larger share lamps' light is no more brighter and darker in a picture; what seems so is something else."""
WHITE, CUT_OFF, LASTS = 250, 0.02, 0.97
"""Pixels above this level are cut off, as far as a JPEG tells; blocks of which a larger share is come and go with the
stripes. What was so goes on being so: so much of it is left from picture to picture."""
BY_STRIPES, STEADIES = 3.0, 0.1
"""Where they differ from how they looked by less than so many times the strongest stripes lately, that follows them by
this share."""
OUTDATED = 5
"""How it looked lately counts for nothing when no stripes were seen in so many pictures: other pieces may lie there."""
FORGETS = 0.05
"""What is known of the table had stripes itself when it was seen: by this share of the difference it follows each
picture's, so that it comes to show what lies between them all."""
_LEVELS = np.arange(256.0)


@dataclass(frozen=True, slots=True)
class Even:
    """A picture without its stripes."""

    small: Small
    apart: Small
    """By how many levels it differs from what is known of the table; see `vision.motion.differences`."""
    gains: Small
    """By how many times each colour of each row was brighter: rows x 3."""
    as_lately: Blocks
    """Blocks of which a colour is as it looked lately, and shows less noise than the camera has."""

    def followed(self, known: Small) -> Small:
        """What is known of the table, a little nearer to having no stripes."""
        return np.asarray(known * (1.0 + FORGETS * (self.gains[:, None] - 1.0)), np.float32)

    def of(self, frame: Frame) -> Frame:
        """The frame without its stripes."""
        rows = len(frame.image)
        at = (np.arange(rows) + 0.5) * len(self.gains) / rows - 0.5
        fine = np.stack([np.interp(at, np.arange(len(self.gains)), gains) for gains in self.gains.T], axis=1)
        levels = np.clip(np.round(_LEVELS[:, None] / fine[:, None]), 0, 255).astype(np.uint8)
        levels[:, 255] = 255  # what is cut off is brighter than that, mostly
        image = np.empty_like(frame.image)
        for row, table in enumerate(levels):  # the fastest by far
            cv2.LUT(frame.image[row : row + 1], table[None], image[row : row + 1])
        return replace(frame, image=image)


class Bands:
    """Takes stripes off one camera's pictures, one after the other. Keeps what was cut off lately, and its looks."""

    def __init__(self) -> None:
        self._cut: Small | None = None
        self._steady: Small | None = None
        self._strongest = 0.0
        self._without = 0
        """In so many pictures, up to the last one, no stripes were seen."""

    def taken_off(self, image: Image, small: Small, known: Small, apart: Small) -> Even | None:
        """A small picture without stripes, by what is known of the table and by how much it differs from that (`apart`,
        see `vision.motion.differences`); None where no stripes explain how it differs. `image` is the whole picture."""
        even = self._evened(image, small, known, apart)
        self._without = 0 if even is not None else self._without + 1
        if self._without >= OUTDATED:
            self._steady, self._cut, self._strongest = None, None, 0.0
        return even

    def _evened(self, image: Image, small: Small, known: Small, apart: Small) -> Even | None:
        rows = row_medians(total(small[:, ::EVERY] - known[:, ::EVERY])) / 3.0
        if median_of(np.abs(rows - median_of(rows))) < NOTICED:
            return None
        stripes = _fitted(*row_gains(small, known))
        if stripes is None or (strongest := float(np.abs(stripes).max())) > STRONGEST:
            return None
        gains = np.asarray(1.0 + stripes, np.float32)
        plain, cut_off = small / gains[:, None], self._cut_off(image) > CUT_OFF
        strongest = max(strongest, LASTS * self._strongest)
        steady = self._steadied(plain, strongest)
        even = np.where(cut_off, steady, plain)
        left, as_lately = differences(even, known), np.asarray(cut_off.any(2))
        if usual_noise(left, as_lately) >= LEFT * usual_noise(apart, as_lately):
            return None
        self._steady, self._strongest = steady, strongest
        return Even(even, left, gains, as_lately)

    def _steadied(self, even: Small, strongest: float) -> Small:
        """How a small picture without stripes looks lately: stripes cannot be taken off what is cut off, if it is only
        here and there in a block."""
        before = even if self._steady is None or self._steady.shape != even.shape else self._steady
        by_stripes = np.abs(even - before) < before * np.float32(BY_STRIPES * strongest)
        return np.where(by_stripes, before + np.float32(STEADIES) * (even - before), even)

    def _cut_off(self, image: Image) -> Small:
        """The share of each block's pixels that are cut off in each colour, or were lately."""
        now = shrink(np.asarray(cv2.threshold(image, WHITE, 1, cv2.THRESH_BINARY)[1], np.uint8))
        before = self._cut
        self._cut = now if before is None or before.shape != now.shape else np.maximum(now, before * np.float32(LASTS))
        return self._cut


def row_gains(small: Small, known: Small) -> tuple[Waves, NDArray[np.bool_]]:
    """How many times as bright as what is known half of each row's blocks are in each colour (rows x 3), and which rows
    tell that."""
    some, others = small[:, ::FINELY], known[:, ::FINELY]
    tell = np.logical_and.reduce((some < SATURATED) & (others < SATURATED) & (others > DARK), axis=2)
    gains = np.sort(np.where(tell[:, :, None], some / np.maximum(others, np.float32(1.0)), np.float32(np.inf)), axis=1)
    count = np.count_nonzero(tell, axis=1)
    middle = np.take_along_axis(gains, (np.maximum(count - 1, 0) // 2)[:, None, None], axis=1)[:, 0]
    tells = count >= TELLING
    return np.where(tells[:, None], middle, 1.0).astype(np.float64), tells


def _fitted(gains: Waves, tells: NDArray[np.bool_]) -> Waves | None:
    """The waves that rows' gains (rows x 3) show, and more light lower down, around nought; None where too few rows
    tell anything."""
    if np.count_nonzero(tells) < ROWS * max(len(tells), FEWEST):
        return None
    off = np.where(tells[:, None], gains / np.median(gains[tells], axis=0) - 1.0, 0.0)
    shown = np.einsum("kwr,r->kw", _bases(len(gains)), off.mean(1))
    waves = _waves(len(gains), _number_of_most((shown * shown).sum(1)))
    weights = tells.astype(np.float64)
    for _ in range(ROUNDS):
        weighted = (waves * weights[:, None]).T
        parts = np.linalg.lstsq(weighted @ waves, weighted @ off, rcond=None)[0]
        missed = np.abs(off - waves @ parts).max(1)
        usual = FAR_OFF * max(float(np.median(missed[tells])), 1e-4)
        weights = np.where(tells, 1.0 / (1.0 + (missed / usual) ** 2) ** 2, 0.0)
    stripes = waves @ parts
    return np.asarray(stripes - np.median(stripes, axis=0))


def _waves(rows: int, number: float) -> Waves:
    """What makes rows brighter, rows x (PLAIN + 2 for each harmonic): more light, more of it lower down, and waves, so
    many of them."""
    at = (np.arange(rows) + 0.5) / rows
    waves = [turn(2.0 * np.pi * n * number * at) for n in HARMONICS for turn in (np.sin, np.cos)]
    return np.column_stack([np.ones(rows), at - 0.5, *waves])


@lru_cache(maxsize=2)
def _bases(rows: int) -> Waves:
    """For each of NUMBERS what of such waves is neither more light nor more of it lower down, orthonormal: numbers x
    waves x rows."""
    return np.stack([np.linalg.qr(_waves(rows, number))[0][:, PLAIN:].T for number in NUMBERS])


def _number_of_most(explained: Waves) -> float:
    """How many waves explain most, by how much each of NUMBERS explains: the top of the parabola there."""
    best = int(np.argmax(explained))
    if not 0 < best < len(explained) - 1:
        return float(NUMBERS[best])
    before, top, after = explained[best - 1 : best + 2]
    bend = before - 2.0 * top + after
    return float(NUMBERS[best] + STEP * (0.5 * (before - after) / bend if bend < 0.0 else 0.0))
