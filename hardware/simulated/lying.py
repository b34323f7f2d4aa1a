"""How high pieces come to lie on what is under them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.kit.theory import CUTTER_MM, SLEEVE_MM
from hardware.simulated.bodies import TILE_MM, piece_outline, thickness_mm
from hardware.simulated.world import PieceView
from vision.scene import PieceKind, Point, Pose

_Array = NDArray[np.float64]

TILES = frozenset({PieceKind.SLICE, PieceKind.SPECIAL})
_LEANING_MM = 2 * TILE_MM
"""No tile's middle is raised further than this by what lies under parts of it."""
_TOUCHES_MM2 = 60.0
"""What overlaps by less lies beside; but sticks are stiff, and lie on whatever they touch."""
_ALONG_MM, _ACROSS_MM = 2.0, 0.5
"""How finely it is worked out what a stick lies on."""


@dataclass(frozen=True, slots=True)
class Lying:
    """How a piece's underside lies."""

    base_mm: float
    """Its height under the middle of the piece."""
    rise_mm: float = 0.0
    """How much higher it is at a stick's pointed end than at the other."""

    def base_at(self, along_mm: _Array) -> _Array:
        """Its height so far along the piece from its middle."""
        return self.base_mm + self.rise_mm * along_mm / CUTTER_MM


def lying(views: Sequence[PieceView]) -> list[Lying]:
    """How each piece lies, bottom first: what lies over others is raised. Tiles lean, sticks tilt."""
    outlines = [np.array(outline_mm(view.kind, view.pose), np.float32) for view in views]
    boxes = [(outline.min(axis=0), outline.max(axis=0)) for outline in outlines]
    found: list[Lying] = []
    for k, (low, high) in enumerate(boxes):
        near = [j for j in range(k) if (boxes[j][0] < high).all() and (low < boxes[j][1]).all()]
        if views[k].kind is PieceKind.CUTTER:
            found.append(_stick(views[k].pose, [(views[j], outlines[j], found[j]) for j in near]))
            continue
        under = 0.0
        for j in near:
            area, _ = cv2.intersectConvexConvex(outlines[k], outlines[j])
            if area > _TOUCHES_MM2:
                under = max(under, found[j].base_mm + thickness_mm(views[j].kind))
        found.append(Lying(min(under, _LEANING_MM) if views[k].kind in TILES else under))
    return found


def outline_mm(kind: PieceKind, pose: Pose) -> tuple[Point, ...]:
    """A piece's outline on the table, counter-clockwise."""
    return tuple(placed(piece_outline(kind), pose))


def placed(points: Sequence[Point], pose: Pose) -> list[Point]:
    """Points of a piece's own frame on the table."""
    cos, sin = math.cos(math.radians(pose.angle_deg)), math.sin(math.radians(pose.angle_deg))
    return [(pose.x_mm + x * cos - y * sin, pose.y_mm + x * sin + y * cos) for x, y in points]


def _stick(pose: Pose, below: Sequence[tuple[PieceView, NDArray[np.float32], Lying]]) -> Lying:
    """How a stick lies on pieces with these outlines: as low as its middle, where its weight is, can come."""
    along = np.arange(round(CUTTER_MM / _ALONG_MM), dtype=np.float64) * _ALONG_MM + (_ALONG_MM - CUTTER_MM) / 2
    turn = math.radians(pose.angle_deg)
    way = np.array([math.cos(turn), math.sin(turn)])
    on_table = np.array([pose.x_mm, pose.y_mm]) + along[:, None] * way
    support = np.zeros(len(along))
    for view, outline, lies in below:
        off = outline - [pose.x_mm, pose.y_mm]
        column = (off @ way + CUTTER_MM / 2) / _ALONG_MM
        row = (off @ [-way[1], way[0]] + SLEEVE_MM / 2) / _ACROSS_MM
        cells = np.round((np.column_stack([column, row]) - 0.5) * 16).astype(np.int32)
        mask = np.zeros((round(SLEEVE_MM / _ACROSS_MM), len(along)), np.uint8)
        cv2.fillPoly(mask, [cells], (1,), shift=4)
        top = np.full(len(along), lies.base_mm)
        if view.kind is PieceKind.CUTTER:
            other = math.radians(view.pose.angle_deg)
            from_middle = on_table - [view.pose.x_mm, view.pose.y_mm]
            top = lies.base_at(from_middle @ [math.cos(other), math.sin(other)])
        support = np.maximum(support, np.where(mask.any(axis=0), top + thickness_mm(view.kind), 0.0))
    return _lowest(along, support)


def _lowest(along_mm: _Array, support_mm: _Array) -> Lying:
    """The line above all supports that is lowest in the middle: it lies on one support on each side."""
    before, after = along_mm < 0.0, along_mm > 0.0
    here, there = along_mm[before][:, None], along_mm[after][None, :]
    low, high = support_mm[before][:, None], support_mm[after][None, :]
    middles = (low * there - high * here) / (there - here)
    i, j = np.unravel_index(int(middles.argmax()), middles.shape)
    slope = float((high[0, j] - low[i, 0]) / (there[0, j] - here[i, 0]))
    return Lying(float(middles[i, j]), slope * CUTTER_MM)
