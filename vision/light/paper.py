"""How bright white paper is on a table: beside the mat's markers, and all over score sheets."""

from collections.abc import Sequence

import numpy as np

from vision.frame import Image
from vision.light.glare import paper_beside_markers
from vision.mat.rectify import sample
from vision.mat.registration import Registration
from vision.pieces.features import white_cells_mm
from vision.scene import PaperLevel, PieceKind, Sighting

SHARE = 0.7
"""Of a sheet's points, ordered by how bright they are, this one shows bare paper, print and pencil or not."""
ALONG = 8
"""Points along each side of a quarter of a sheet."""


def paper_seen(image: Image, registration: Registration, pieces: Sequence[Sighting]) -> tuple[PaperLevel, ...]:
    """The colour of white paper beside each marker or in it, where it is brighter, and in each quarter of each sheet
    that is wholly in the picture. Beside a marker, blur mixes a dark mat with the paper, and what is cut off would not
    seem to be."""
    beside = paper_beside_markers(image, registration)
    inside = {marker: white_cells_mm(marker, registration.markers_mm[marker]) for marker in beside}
    pixels = [registration.to_picture(points).astype(np.float32)[None] for points in inside.values()]
    levels = [
        np.maximum(np.median(colours, axis=0), np.median(sample(image, cells)[0], axis=0))
        for colours, cells in zip(beside.values(), pixels, strict=True)
    ]
    height, width = image.shape[:2]
    for piece in pieces:
        if piece.kind is not PieceKind.SHEET or len(piece.outline_mm) != 4:
            continue
        quarters = np.round(registration.to_picture(_quarters(np.array(piece.outline_mm)).reshape(-1, 2))).astype(int)
        if ((quarters >= 0) & (quarters < (width, height))).all():
            colours = image[quarters[:, 1], quarters[:, 0]].reshape(4, ALONG * ALONG, 3)
            levels += list(np.quantile(colours, SHARE, axis=1))
    return tuple((float(blue), float(green), float(red)) for blue, green, red in levels)


def _quarters(
    corners: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Points in each quarter of a quadrilateral (4 x 2), not at its rim: 4 x `ALONG`^2 x 2."""
    steps = (np.arange(ALONG) + 0.5) / ALONG * 0.4
    start, second, across, last = corners
    quarters = []
    for left, down in ((0.07, 0.07), (0.53, 0.07), (0.07, 0.53), (0.53, 0.53)):
        x, y = (axis[..., None] for axis in np.meshgrid(left + steps, down + steps))
        quarters.append((1 - y) * ((1 - x) * start + x * second) + y * ((1 - x) * last + x * across))
    return np.stack([quarter.reshape(-1, 2) for quarter in quarters])
