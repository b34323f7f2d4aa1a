"""Photos of a flat print, taken through a lens that is known."""

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.mat.lens import Lens


@dataclass(frozen=True, slots=True)
class Stand:
    """How a print is held before the camera: turned about the view, leant to the right and away, its middle where it is
    seen (shares of the picture from its middle) at a distance in millimetres."""

    turn_deg: float
    right_deg: float
    away_deg: float
    at: tuple[float, float]
    distance_mm: float


@dataclass(frozen=True, slots=True)
class PhotoMaker:
    """A camera: size, lens, how blurred and how noisy its pictures are."""

    size_px: tuple[int, int]
    lens: Lens
    blur_px: float = 0.8
    noise: float = 3.0

    def rays(self) -> NDArray[np.float64]:
        """Where every pixel looks (rows x columns x 2), the lens taken out."""
        width, height = self.size_px
        columns, rows = np.meshgrid(np.arange(width, dtype=np.float64), np.arange(height, dtype=np.float64))
        pixels = np.stack([columns, rows], axis=-1).reshape(-1, 1, 2)
        bent = np.array([self.lens.k1, self.lens.k2, 0.0, 0.0])
        # The inverse is found step by step: the usual few leave pixels of error where a lens bends a lot.
        exactly = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 60, 1e-7)
        straight = cv2.undistortPoints(pixels, self.matrix(), bent, criteria=exactly)
        return np.asarray(straight, np.float64).reshape(height, width, 2)

    def matrix(self) -> NDArray[np.float64]:
        width, height = self.size_px
        lens = self.lens
        x, y = (width - 1) / 2 + lens.right * width, (height - 1) / 2 + lens.down * width
        return np.array([[lens.focal_widths * width, 0, x], [0, lens.focal_widths * width, y], [0, 0, 1.0]])

    def photo(
        self, picture: Image, px_per_mm: float, stand: Stand, rays: NDArray[np.float64], rng: np.random.Generator
    ) -> Image:
        """The print before a grey wall."""
        rows, columns = picture.shape[:2]
        rotation, middle = _pose(self, stand)
        # A ray meets the print where it is so many millimetres along the print's own axes from the print's middle.
        normal = rotation[:, 2]
        directions = np.dstack([rays, np.ones(rays.shape[:2])])
        reach = (middle @ normal) / (directions @ normal)
        own = (directions * reach[..., None] - middle) @ rotation[:, :2]
        map_x = (own[..., 0] * px_per_mm + (columns - 1) / 2).astype(np.float32)
        map_y = (own[..., 1] * px_per_mm + (rows - 1) / 2).astype(np.float32)
        seen = cv2.remap(
            picture, map_x, map_y, cv2.INTER_AREA, borderMode=cv2.BORDER_CONSTANT, borderValue=(120, 124, 128)
        )
        seen = cv2.GaussianBlur(seen, (0, 0), self.blur_px).astype(np.float64) * 0.8 + 20
        return np.clip(seen + rng.normal(0, self.noise, seen.shape), 0, 255).astype(np.uint8)


def stands(rng: np.random.Generator, count: int, distance_mm: float, *, lean_deg: float = 28.0) -> list[Stand]:
    """Ways to hold a print that reach all of the picture."""
    spots = [(x, y) for y in (-0.22, 0.22, 0.0) for x in (-0.3, 0.3, 0.0)]
    return [
        Stand(
            turn_deg=float(rng.uniform(-180, 180)),
            right_deg=lean_deg * math.cos(2.4 * number),
            away_deg=lean_deg * math.sin(2.4 * number),
            at=spots[number % len(spots)],
            distance_mm=distance_mm * float(rng.uniform(0.9, 1.15)),
        )
        for number in range(count)
    ]


def _about(axis: int, angle_deg: float) -> NDArray[np.float64]:
    vector = np.zeros(3)
    vector[axis] = math.radians(angle_deg)
    return np.asarray(cv2.Rodrigues(vector)[0])


def held_points(maker: PhotoMaker, stand: Stand, points_mm: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pixels of points of a print (n x 2, from its middle, x to the right, y up as printed)."""
    rotation, middle = _pose(maker, stand)
    own = np.column_stack([points_mm[:, 0], -points_mm[:, 1], np.zeros(len(points_mm))])
    bent = np.array([maker.lens.k1, maker.lens.k2, 0.0, 0.0])
    pixels, _ = cv2.projectPoints(own, cv2.Rodrigues(rotation)[0], middle, maker.matrix(), bent)
    return np.asarray(pixels, np.float64).reshape(-1, 2)


def _pose(maker: PhotoMaker, stand: Stand) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A print's own axes (x to the right, y down) in the camera's frame, and where its middle is."""
    rotation = _about(2, stand.turn_deg) @ _about(1, stand.right_deg) @ _about(0, stand.away_deg)
    focal, height = maker.lens.focal_widths, maker.size_px[1] / maker.size_px[0]
    return rotation, stand.distance_mm * np.array([stand.at[0] / focal, stand.at[1] * height / focal, 1.0])
