"""Fingers over a score sheet, drawn into a picture of it, as bright and smooth as paper in their shadows may be."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.vision.drawn_sheet import Camera
from vision.frame import Image
from vision.mat.registration import Registration
from vision.scene import MarkKind, SheetMark
from vision.sheets.layout import SheetLayout

Array = NDArray[np.float64]
Finger = tuple[tuple[float, float], tuple[float, float]]
"""Where it begins and its tip lies (mm, in the sheet's frame)."""

SOFT_MM = 4.0
"""How far the edges of shadows are blurred."""


@dataclass(frozen=True)
class Reaching:
    """Fingers, and the light they are in."""

    fingers: tuple[Finger, ...]
    skin: tuple[float, float, float] = (0.73, 0.87, 1.07)
    """Of the light that white paper beside the hand shows: blue, green, red."""
    in_shade: tuple[float, float, float] = (0.67, 0.79, 0.87)
    """What is left of that light in the hand's shadow: here of a lamp's and a window's where the window's is taken."""
    shadow_mm: tuple[float, float] = (-6.0, 22.0)
    """From the fingers to their shadows."""
    half_mm: float = 8.5
    """Of a finger's width."""


@dataclass(frozen=True)
class Covered:
    """A picture of a sheet under fingers."""

    image: Image
    over: NDArray[np.float32]
    """How far each pixel is covered, 0 to 1,"""
    shade: NDArray[np.float32]
    """and how far in shadow."""
    layout: SheetLayout
    where: Registration
    px_per_mm: float

    def share(self, mark: SheetMark, plane: NDArray[np.float32]) -> float:
        """The least of the values of a plane all over a mark's place."""
        columns, rows = self.where.to_picture(place_mm(mark, self.layout)).astype(np.float32).T
        return float(cv2.remap(plane, columns, rows, cv2.INTER_LINEAR).min())


def reach_over(
    plain: Image,
    layout: SheetLayout,
    where: Registration,
    hand: Reaching,
    camera: Camera,
    rng: np.random.Generator,
) -> Covered:
    """The picture of a sheet with fingers and their shadows on it; `where` lays out the sheet in its own frame."""
    height, width = plain.shape[:2]
    rows, columns = np.indices((height, width))
    at = where.to_table(np.column_stack([columns.ravel(), rows.ravel()]).astype(np.float64))
    near, thrown = (
        np.min([_away_mm(at - off, *finger) for finger in hand.fingers], axis=0).reshape(height, width)
        for off in ((0.0, 0.0), hand.shadow_mm)
    )
    over = np.clip((hand.half_mm - near) * camera.px_per_mm + 0.5, 0.0, 1.0).astype(np.float32)
    dark = (thrown < hand.half_mm).astype(np.float32)
    shade = np.asarray(cv2.GaussianBlur(dark, (0, 0), SOFT_MM * camera.px_per_mm), np.float32)
    lit = plain * (1.0 - shade[..., None] * (1.0 - np.array(hand.in_shade)))
    round_mm = np.sqrt(np.maximum(hand.half_mm**2 - near**2, 0.0))
    skin = (0.85 + 0.15 * round_mm / hand.half_mm)[..., None] * np.array(hand.skin) * camera.white
    skin += rng.normal(0.0, camera.noise, skin.shape)
    soft = cv2.GaussianBlur(over, (0, 0), camera.blur_px)[..., None]
    image = np.clip(lit * (1.0 - soft) + skin * soft, 0, 255).astype(np.uint8)
    return Covered(image, over, shade, layout, where, camera.px_per_mm)


def some_hand(rng: np.random.Generator) -> Reaching:
    """One to three fingers over the grid, from below, about as bright as paper in their shadow."""
    shade = np.sort(rng.uniform(0.6, 0.95, 3)) if rng.random() < 0.6 else np.full(3, rng.uniform(0.6, 0.9))
    tint = np.array([rng.uniform(0.75, 0.98), 1.0, rng.uniform(1.02, 1.3)])
    skin = shade.mean() * rng.uniform(0.85, 1.1) * tint
    first, apart, reach = rng.uniform(-88.0, -20.0), rng.uniform(19.0, 28.0), rng.uniform(-45.0, -20.0)
    tips = [(float(first + n * apart), float(reach + rng.uniform(-8.0, 8.0))) for n in range(int(rng.integers(1, 4)))]
    fingers = tuple(((x + float(rng.uniform(-15.0, 0.0)), -85.0), (x, y)) for x, y in tips)
    shadow_mm = (float(rng.uniform(-12.0, 12.0)), float(rng.uniform(5.0, 25.0)))
    return Reaching(fingers, tuple(skin.tolist()), tuple(shade.tolist()), shadow_mm)


def place_mm(mark: SheetMark, layout: SheetLayout) -> Array:
    """Points all over the place of a dot, line or topping, and in the middle of a box."""
    around = np.stack(np.meshgrid(*[np.linspace(-1.0, 1.0, 5)] * 2), axis=-1).reshape(-1, 2)
    match mark.kind:
        case MarkKind.DOT | MarkKind.LINE | MarkKind.DIAGONAL:
            ends = np.array([layout.dot_mm((int(c), int(r))) for c, r in np.array(mark.at).reshape(-1, 2)])
            middles = ends[0] + np.linspace(0.0, 1.0, 9)[:, None] * (ends[-1] - ends[0])
            return np.asarray((middles[:, None] + around).reshape(-1, 2))
        case MarkKind.CIRCLED_BONUS | MarkKind.CROSSED_BONUS:
            return np.array(layout.boxes[mark.at[0]].centre_mm) + 4.0 * around
        case _:
            return np.array(next(one.centre_mm for one in layout.toppings if one.square == mark.at)) + 3.5 * around


def _away_mm(points: Array, first: tuple[float, float], last: tuple[float, float]) -> Array:
    """How far points (n x 2) are from a line between two."""
    start, way = np.array(first), np.subtract(last, first)
    share = np.clip((points - start) @ way / (way @ way), 0.0, 1.0)
    return np.asarray(np.hypot(*(points - start - share[:, None] * way).T))
