"""The simulated camera: where it hangs, its lens, and where points of the table come to lie in its picture.

As OpenCV writes it: pixel centres at integers, camera axes x right, y down, z ahead; table millimetres to camera
millimetres by R and t; lens by k1, k2, p1, p2, k3.
"""

import math
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from tests.rigs.traced.bodies import Floats


@dataclass(frozen=True, slots=True)
class Camera:
    """One camera in one place."""

    width: int
    height: int
    K: Floats
    dist: Floats
    R: Floats
    t: Floats

    def project(self, points: Floats) -> Floats:
        """Points of the table, n x 3 in mm, in the picture, n x 2 in pixels, lens included."""
        turned = points @ self.R.T + self.t
        x, y = turned[:, 0] / turned[:, 2], turned[:, 1] / turned[:, 2]
        k1, k2, p1, p2, k3 = self.dist
        r2 = x * x + y * y
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        bent_x = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
        bent_y = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
        return np.column_stack([self.K[0, 0] * bent_x + self.K[0, 2], self.K[1, 1] * bent_y + self.K[1, 2]])

    @property
    def place(self) -> Floats:
        """Where it hangs, in table mm."""
        return np.asarray(-self.R.T @ self.t, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Straight:
    """The lens-free picture that is rendered, and where each pixel of the camera's picture is found in it."""

    width: int
    height: int
    focal_px: float
    map_x: npt.NDArray[np.float32]
    map_y: npt.NDArray[np.float32]


def hang(rng: np.random.Generator, span_mm: float, aim_mm: tuple[float, float], large: bool) -> Camera:
    """A camera about 0.9 m above the table, tilted by up to 8 degrees, that sees so much from lower to upper edge."""
    width, height = (1920, 1080) if large else (1280, 720)
    above = rng.uniform(700, 1100)
    tilt, towards, roll = (
        math.radians(rng.uniform(0, 8)),
        rng.uniform(0, 2 * math.pi),
        math.radians(rng.normal(0, 1.0)),
    )
    ahead = np.array([math.sin(tilt) * math.cos(towards), math.sin(tilt) * math.sin(towards), -math.cos(tilt)])
    aim = np.array([aim_mm[0] + rng.uniform(-12, 12), aim_mm[1] + rng.uniform(-12, 12), 0.0])
    place = aim - ahead * above / math.cos(tilt)
    up = np.array([-math.sin(roll), math.cos(roll), 0.0])
    right = np.cross(ahead, up)
    right /= np.linalg.norm(right)
    R = np.stack([right, np.cross(ahead, right), ahead])
    focal = height * (above / math.cos(tilt)) / span_mm
    K = np.array(
        [
            [focal, 0, (width - 1) / 2 + rng.normal(0, 0.006 * width)],
            [0, focal, (height - 1) / 2 + rng.normal(0, 0.006 * height)],
            [0, 0, 1],
        ]
    )
    dist = np.array([rng.uniform(-0.09, 0.0), rng.uniform(-0.01, 0.02), *rng.normal(0, 2e-4, 2), 0.0])
    return Camera(width, height, K, dist, R, -R @ place)


def straight(camera: Camera) -> Straight:
    """How to render for this camera without its lens: a little more than it sees, at its own resolution."""
    x, y = np.meshgrid(np.arange(camera.width), np.arange(camera.height))
    pixels = np.stack([x, y], -1).reshape(-1, 1, 2).astype(np.float64)
    plain = np.asarray(cv2.undistortPoints(pixels, camera.K, camera.dist)).reshape(-1, 2)
    focal = float(camera.K[0, 0]) * 1.02
    half_width = math.ceil(np.abs(plain[:, 0]).max() * focal) + 3
    half_height = math.ceil(np.abs(plain[:, 1]).max() * focal) + 3
    shape = (camera.height, camera.width)
    return Straight(
        2 * half_width,
        2 * half_height,
        focal,
        (plain[:, 0] * focal + half_width - 0.5).reshape(shape).astype(np.float32),
        (plain[:, 1] * focal + half_height - 0.5).reshape(shape).astype(np.float32),
    )
