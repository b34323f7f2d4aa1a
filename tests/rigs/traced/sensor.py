"""From the light that falls on a sensor to the file that a camera writes."""

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from tests.rigs.traced.bodies import Floats, Image

Radiance = npt.NDArray[np.float32]
"""Height x width x 3, linear RGB."""


def develop(light: Radiance, white: Floats, rng: np.random.Generator, dimness: float = 1.0) -> Image:
    """A camera's picture: white balance, exposure, falling off to the corners, slight defocus, grain, tone, sharpening.

    `white` is the colour of the light on the table, which white balance takes away for the most part; `dimness` says
    how strong the grain is: 1 in a well lit room.
    """
    height, width = light.shape[:2]
    mean = light.reshape(-1, 3).mean(0)
    gains = (white.mean() / white) ** rng.uniform(0.55, 1.0) * rng.uniform(0.97, 1.03, 3)
    gains *= (mean.mean() / np.maximum(mean, 1e-9)) ** rng.uniform(0.0, 0.25)
    balanced = light * gains.astype(np.float32)
    bright = np.percentile(balanced.max(2), 97)
    metered = float(rng.uniform(0.2, 0.34) / max(float(np.mean(balanced)), 1e-9))
    exposed = balanced * min(metered, float(rng.uniform(0.85, 1.15) / max(float(bright), 1e-9)))
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    corner = ((x / width - 0.5) ** 2 + (y / height - 0.5) ** 2)[..., None]
    exposed *= 1 - rng.uniform(0.1, 0.5) * corner
    blur = rng.uniform(0.35, 0.85) * height / 720
    seen = np.asarray(cv2.GaussianBlur(exposed, (0, 0), blur))
    shot = np.sqrt(np.maximum(seen, 0) * 2.2e-4) + 0.0022
    grain = rng.standard_normal(seen.shape, dtype=np.float32) * shot * dimness * rng.uniform(0.6, 1.3)
    grain = 0.7 * grain + 0.5 * np.asarray(cv2.GaussianBlur(grain, (0, 0), 0.8))
    toned = _tone(np.maximum(seen + grain, 0), float(rng.uniform(0.0, 0.35)))
    soft = np.asarray(cv2.GaussianBlur(toned, (0, 0), 1.0))
    sharp = toned + (toned - soft) * rng.uniform(0.1, 0.7)
    return np.clip(sharp * 255 + 0.5, 0, 255).astype(np.uint8)


def write(picture: Image, path: Path, rng: np.random.Generator) -> None:
    """As a JPEG, whole or not at all."""
    quality = int(rng.integers(80, 96))
    done, data = cv2.imencode(".jpg", picture[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise OSError(f"{path} cannot be written as a JPEG")
    part = path.with_suffix(".part")
    part.write_bytes(data.tobytes())
    part.rename(path)


def _tone(linear: Radiance, bend: float) -> Radiance:
    """sRGB's curve, with the lights rolled off and some contrast, as cameras do."""
    rolled = np.where(linear > 0.8, 0.8 + 0.2 * (1 - np.exp(-(linear - 0.8) / 0.2)), linear)
    curve = np.where(rolled <= 0.0031308, 12.92 * rolled, 1.055 * np.maximum(rolled, 1e-9) ** (1 / 2.4) - 0.055)
    steeper = curve * curve * (3 - 2 * curve)
    return np.asarray(curve * (1 - bend) + steeper * bend, dtype=np.float32)
