"""Pictures as other cameras, and lamps, would show them."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.mat.errors import RegistrationError
from vision.mat.registration import Registration, find_mat
from vision.pieces.tone import LUMA

Array = NDArray[np.float64]
GAMMA = 2.2
"""What cameras raise light to the inverse power of, nearly (IEC 61966-2-1, sRGB)."""
WITHOUT_MAT_MM = 600.0


def as_a_phone_shows_it(image: Image, saturation: float, contrast: float) -> Image:
    """More or less colourful than it is, and of more or less contrast."""
    seen = image.astype(np.float64)
    grey = (seen @ LUMA)[..., None]
    for step, by in (
        (np.subtract, grey), (np.multiply, saturation), (np.add, grey),
        (np.subtract, 128.0), (np.multiply, contrast), (np.add, 128.0),
    ):  # fmt: skip
        step(seen, by, out=seen)  # in place, as there is much of it
    return np.clip(seen, 0, 255, out=seen).astype(np.uint8)


def sharpened(image: Image, amount: float, wide_px: float) -> Image:
    """With so much of what differs from its surroundings, so wide, added once more."""
    seen = image.astype(np.float32)
    return np.asarray(np.clip(seen + amount * (seen - cv2.GaussianBlur(seen, (0, 0), wide_px)), 0, 255), np.uint8)


def curved(image: Image, steeper: float) -> Image:
    """Levels along an S: so much steeper in the middle."""
    share = image.astype(np.float32) / 255.0
    bent = share + steeper * (share - 0.5) * 4.0 * share * (1.0 - share)
    return np.asarray(np.clip(bent, 0.0, 1.0) * 255.0, np.uint8)


def as_some_camera_shows_it(image: Image, rng: np.random.Generator) -> Image:
    """As one of the cameras may show it that people have: colours, contrast, gamma, sharpening, coding."""
    seen = as_a_phone_shows_it(image, rng.uniform(0.75, 1.5), rng.uniform(0.85, 1.35))
    seen = curved(seen, rng.uniform(0.0, 0.4) * (rng.random() < 0.6))
    seen = np.asarray(255.0 * (seen / 255.0) ** rng.uniform(0.8, 1.3), np.uint8)
    seen = sharpened(seen, rng.uniform(0.0, 1.0), rng.uniform(0.7, 1.6) * image.shape[1] / 1280)
    quality = int(rng.integers(75, 95))
    return np.asarray(cv2.imdecode(cv2.imencode(".jpg", seen, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], 1), np.uint8)


def shaken_along(picture: Image, px: float, way: float) -> Image:
    """Moved by so many pixels, evenly, along a way (radians) while it was taken."""
    reach = int(np.ceil(px / 2)) + 1
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
    for step in np.linspace(-0.5, 0.5, 65) * px:
        at = np.array([reach + step * np.sin(way), reach + step * np.cos(way)])
        (row, column), (down, right) = np.floor(at).astype(int), at % 1.0
        kernel[row : row + 2, column : column + 2] += np.outer([1.0 - down, down], [1.0 - right, right])
    return np.asarray(cv2.filter2D(picture, -1, kernel / kernel.sum(), borderType=cv2.BORDER_REPLICATE), np.uint8)


def lit(picture: Image, x_mm: float, y_mm: float, added: float, wide_mm: float = 60.0) -> Image:
    """With a lamp mirrored there: its light is added, most in the middle."""
    at = find_mat(picture).to_picture(np.array([[x_mm, y_mm], [x_mm + wide_mm, y_mm]]))
    rows, columns = np.indices(picture.shape[:2])
    away = ((columns - at[0, 0]) ** 2 + (rows - at[0, 1]) ** 2) / (2.0 * ((at[1] - at[0]) ** 2).sum())
    return np.asarray(np.clip(picture + added * np.exp(-away)[..., None], 0, 255), np.uint8)


def mirrored(picture: Image, pieces_px: Sequence[Array], at_px: Array, wide_px: float, light: float) -> Image:
    """With a lamp mirrored by glossy pieces (outlines, n x 2 pixels), not by what they lie on: so much light, of what
    white paper sends back, is added in the middle, and less around it (standard deviation `wide_px`)."""
    glossy = np.zeros(picture.shape[:2], np.float32)
    for outline in pieces_px:
        cv2.fillPoly(glossy, [np.round(outline).astype(np.int32)], 1.0)
    rows, columns = np.indices(picture.shape[:2], np.float32)
    away = ((columns - at_px[0]) ** 2 + (rows - at_px[1]) ** 2) / (2.0 * wide_px**2)
    added = light * np.exp(-away) * cv2.GaussianBlur(glossy, (0, 0), 0.7)
    lit = (picture / np.float32(255.0)) ** GAMMA + added[..., None]
    return np.asarray(255.0 * np.clip(lit, 0.0, 1.0) ** (1.0 / GAMMA), np.uint8)


@dataclass(frozen=True, slots=True)
class Sheen:
    """A band of light that a sleeve mirrors."""

    at_px: Array
    """Where its middle crosses the piece."""
    across: float
    """Radians: the way across it, in the picture."""
    wide_px: float
    """Standard deviation."""
    light: float
    """In its middle, of what white paper sends back."""
    bent: float = 0.0
    """How many pixels it leaves its straight way by at 100 pixels from where it crosses."""


def some_sheen(rng: np.random.Generator, outline_px: Array, across: float) -> Sheen:
    """One over a piece of that outline, about that way across, a fifteenth to a quarter of it wide."""
    wide = float(np.ptp(outline_px, axis=0).max())
    at = outline_px.mean(0) + rng.normal(0.0, 0.14 * wide, 2)
    turn, bent = across + rng.normal(0.0, 0.3), rng.normal(0.0, 15.0)
    return Sheen(at, turn, rng.uniform(0.06, 0.25) * wide, rng.uniform(0.08, 0.6), bent)


def in_sleeves(picture: Image, pieces_px: Sequence[Array], sheens: Sequence[Sheen | None]) -> Image:
    """With pieces (outlines, n x 2 pixels, what lies below first) in sleeves that mirror such bands of light."""
    added = np.zeros(picture.shape[:2], np.float32)
    for outline, sheen in zip(pieces_px, sheens, strict=True):
        inside = np.zeros(picture.shape[:2], np.uint8)
        cv2.fillPoly(inside, [np.round(outline).astype(np.int32)], (1,))
        rows, columns = np.nonzero(inside)
        added[rows, columns] = 0.0  # it covers what is below
        if sheen is not None:
            along, down = columns - sheen.at_px[0], rows - sheen.at_px[1]
            aside = down * np.cos(sheen.across) - along * np.sin(sheen.across)
            away = along * np.cos(sheen.across) + down * np.sin(sheen.across) + sheen.bent * (aside / 100.0) ** 2
            added[rows, columns] = sheen.light * np.exp(-(away**2) / (2.0 * sheen.wide_px**2))
    lit = (picture / np.float32(255.0)) ** GAMMA + cv2.GaussianBlur(added, (0, 0), 1.0)[..., None]
    return np.asarray(255.0 * np.clip(lit, 0.0, 1.0) ** (1.0 / GAMMA), np.uint8)


@dataclass(frozen=True, slots=True)
class ShadowEdge:
    """The straight edge of a shadow, as that of a window's frame or of somebody beside a lamp."""

    x_mm: float
    y_mm: float
    """A place of the table in the middle of the edge."""
    turn_deg: float
    """Where from there the shade is."""
    ratio: float
    """How many times as bright it is where the light falls."""
    penumbra_mm: float
    """How wide the edge is."""
    bluer: float = 1.0
    """How many times as blue, for its red, the shade is: the sky lights what the sun does not."""


def some_shadow_edge(rng: np.random.Generator) -> ShadowEdge:
    """One as families have them, over the middle of the table."""
    x_mm, y_mm = rng.uniform(-120.0, 120.0, 2)
    ratio, penumbra = np.exp(rng.uniform(np.log([1.6, 2.0]), np.log([3.0, 20.0])))
    return ShadowEdge(x_mm, y_mm, rng.uniform(0.0, 360.0), ratio, penumbra, rng.uniform(1.0, 1.15))


def in_shadow(picture: Image, edge: ShadowEdge) -> Image:
    """With such an edge across all of it. Where no mat shows, the picture's width stands for WITHOUT_MAT_MM."""
    height, width = picture.shape[:2]
    columns, rows = np.meshgrid(np.linspace(0, width - 1, 161), np.linspace(0, height - 1, 121))
    pixels = np.column_stack([columns.ravel(), rows.ravel()])
    try:
        table = find_mat(picture).to_table(pixels)
    except RegistrationError:
        table = (pixels - [width / 2, height / 2]) * [1.0, -1.0] * (WITHOUT_MAT_MM / width)
    turn = np.radians(edge.turn_deg)
    into = (table - [edge.x_mm, edge.y_mm]) @ [np.cos(turn), np.sin(turn)]
    between = np.meshgrid(np.linspace(0, 160, width, dtype=np.float32), np.linspace(0, 120, height, dtype=np.float32))
    far = cv2.remap(into.reshape(columns.shape).astype(np.float32), *between, cv2.INTER_LINEAR)
    share = np.clip(far / edge.penumbra_mm + 0.5, 0.0, 1.0)[..., None]
    shade = np.array([np.sqrt(edge.bluer), 1.0, 1.0 / np.sqrt(edge.bluer)]) / edge.ratio
    return np.asarray(picture * (1.0 - share * (1.0 - shade)), np.uint8)


def flickering(picture: Image, share: float, number: float, phase: float) -> Image:
    """Rows in light that is more and less by a share, so many times from top to bottom, from a phase (0 to 1) on."""
    at = (np.arange(len(picture)) + 0.5) / len(picture)
    light = 1.0 + share * np.sin(2.0 * np.pi * (number * at + phase))
    return np.asarray(np.clip(np.round(picture * light[:, None, None] ** (1.0 / GAMMA)), 0, 255), np.uint8)


def swayed(picture: Image, right: float, down: float, turn_deg: float = 0.0) -> Image:
    """What a camera shows that hangs so otherwise that all is so many pixels farther to the right, and below."""
    size = (picture.shape[1], picture.shape[0])
    way = np.asarray(cv2.getRotationMatrix2D(((size[0] - 1) / 2, (size[1] - 1) / 2), turn_deg, 1.0), np.float64)
    way[:, 2] += [right, down]
    return np.asarray(cv2.warpAffine(picture, way, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))


def striped(picture: Image, registration: Registration, period_mm: float = 55.0, turn: float = 0.6) -> Image:
    """In the sun through blinds."""
    rows, columns = np.indices(picture.shape[:2])
    table = registration.to_table(np.column_stack([columns.ravel(), rows.ravel()]).astype(np.float64))
    across = table @ [np.cos(turn), np.sin(turn)] / period_mm
    light = 0.5 + 0.5 / (1.0 + np.exp(-6.0 * np.sin(2.0 * np.pi * across)))
    return np.asarray(picture * light.reshape(*picture.shape[:2], 1), np.uint8)
