"""The simulated camera's geometry: where a point of the table comes out in the picture, and back."""

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.scene import Point

_Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class CameraModel:
    """A pinhole camera with a lens, looking down.

    Angles in degrees: `tilt` leans the view away from seat 1, `pan` to the right, `roll` turns the picture.
    """

    width: int
    height: int
    focal_px: float
    centre_px: Point
    k1: float
    k2: float
    position_mm: tuple[float, float, float]
    tilt_deg: float
    pan_deg: float
    roll_deg: float

    @property
    def px_per_mm(self) -> float:
        """Scale near the middle of the table."""
        return self.focal_px / self.position_mm[2]

    def rotation(self) -> NDArray[np.float64]:
        """Table frame to camera frame (x right, y down, z away)."""
        tilt, pan, roll = (math.radians(angle) for angle in (self.tilt_deg, self.pan_deg, self.roll_deg))
        down = np.diag([1.0, -1.0, -1.0])
        return _about_z(roll) @ _about_y(-pan) @ _about_x(-tilt) @ down

    def matrix(self) -> NDArray[np.float64]:
        """The camera matrix."""
        return np.array([[self.focal_px, 0, self.centre_px[0]], [0, self.focal_px, self.centre_px[1]], [0, 0, 1.0]])

    def distortion(self) -> NDArray[np.float64]:
        """k1, k2, p1, p2 as OpenCV orders them."""
        return np.array([self.k1, self.k2, 0.0, 0.0])

    def project(self, points_mm: NDArray[np.float64]) -> NDArray[np.float64]:
        """Pixels (n, 2) of table points (n, 3); whole numbers are pixel centres."""
        rotation = self.rotation()
        shift = -rotation @ np.array(self.position_mm)
        vector, _ = cv2.Rodrigues(rotation)
        pixels, _ = cv2.projectPoints(
            np.asarray(points_mm, np.float64).reshape(-1, 1, 3), vector, shift, self.matrix(), self.distortion()
        )
        return np.asarray(pixels, np.float64).reshape(-1, 2)

    def table_grid(self) -> tuple[_Floats, _Floats]:
        """The table's x and y in millimetres (height 0) seen by every pixel, to a hundredth of a millimetre.

        Between exact places straight lines are taken: OpenCV's cubic ones do not keep a straight line straight.
        """
        step = 8
        columns = np.arange(-step, self.width + 2 * step, step, dtype=np.float64)
        rows = np.arange(-step, self.height + 2 * step, step, dtype=np.float64)
        coarse = np.stack(np.meshgrid(columns, rows), axis=-1)
        table = self.to_table(coarse.reshape(-1, 2)).reshape(coarse.shape).astype(np.float32)
        map_x = np.tile((np.arange(self.width, dtype=np.float32) / step + 1), (self.height, 1))
        map_y = np.tile((np.arange(self.height, dtype=np.float32)[:, None] / step + 1), (1, self.width))
        fine = [cv2.remap(np.ascontiguousarray(table[..., k]), map_x, map_y, cv2.INTER_LINEAR) for k in range(2)]
        return np.asarray(fine[0], np.float32), np.asarray(fine[1], np.float32)

    def to_table(self, pixels: NDArray[np.float64]) -> NDArray[np.float64]:
        """Table points (n, 2) at height 0 that the pixels (n, 2) look at."""
        flat = cv2.undistortPoints(
            np.asarray(pixels, np.float64).reshape(-1, 1, 2), self.matrix(), self.distortion()
        ).reshape(-1, 2)
        rays = np.column_stack([flat, np.ones(len(flat))]) @ self.rotation()
        position = np.array(self.position_mm)
        return np.asarray(position[:2] - rays[:, :2] * (position[2] / rays[:, 2:]), np.float64)


def looking_down(
    width: int,
    height: int,
    *,
    height_mm: float = 900.0,
    seen_mm: float = 1250.0,
    tilt_deg: float = 0.0,
    pan_deg: float = 0.0,
    roll_deg: float = 0.0,
    offset_mm: Point = (0.0, 0.0),
    k1: float = 0.0,
    k2: float = 0.0,
) -> CameraModel:
    """A camera that sees `seen_mm` of the table's width with the point `offset_mm` in its middle."""
    focal = width * height_mm / seen_mm
    middle = ((width - 1) / 2, (height - 1) / 2)
    model = CameraModel(width, height, focal, middle, k1, k2, (0.0, 0.0, height_mm), tilt_deg, pan_deg, roll_deg)
    axis = model.rotation()[2]
    reach = height_mm / axis[2]
    return replace(model, position_mm=(offset_mm[0] + reach * axis[0], offset_mm[1] + reach * axis[1], height_mm))


def _about_x(angle: float) -> NDArray[np.float64]:
    cos, sin = math.cos(angle), math.sin(angle)
    return np.array([[1.0, 0, 0], [0, cos, -sin], [0, sin, cos]])


def _about_y(angle: float) -> NDArray[np.float64]:
    cos, sin = math.cos(angle), math.sin(angle)
    return np.array([[cos, 0, sin], [0, 1.0, 0], [-sin, 0, cos]])


def _about_z(angle: float) -> NDArray[np.float64]:
    cos, sin = math.cos(angle), math.sin(angle)
    return np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1.0]])
