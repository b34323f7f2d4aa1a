"""A piece that somebody outlined in a photo by its corners, where it was not found or was outlined badly."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from vision.enrolling.laid_out import LaidOut
from vision.files.label_kinds import LabelError, with_article
from vision.mat.rectify import table_map
from vision.mat.registration import Registration
from vision.pieces.faces import true_pose
from vision.scene import PieceKind
from vision.shapes import Shape, card_shape, place, polygon_area, slice_shape

Array = NDArray[np.float64]

CORNERS: Mapping[PieceKind, int] = {
    PieceKind.SLICE: 3, PieceKind.SPECIAL: 4, PieceKind.SLICE_CARD: 4, PieceKind.ORDER_CARD: 4
}  # fmt: skip
"""How many corners a piece has: a slice its tip and both ends of its crust."""
BESIDE_MM = 4.0
"""Corners lie so near those of a slice or card: pointed at on a small screen they miss by 2 mm, by the wrong one of
another piece's corners by a centimetre and more."""
LEAST_MM, MOST_MM = 15.0, 300.0
"""A piece's sides and a slice's reach: no piece is smaller or larger."""
TIP_DEG = (10.0, 60.0)
"""A slice's tip: of the games' 11 in a circle 33 degrees."""


def outlined(corners_px: Sequence[Sequence[float]], kind: PieceKind, registration: Registration, where: str) -> LaidOut:
    """The piece with these corners, in their order around it, either way: a card's from its top left on, a slice's from
    any.

    A card that is not square is taken to be upright on its shorter side. `where` names the outline.

    Raises:
        LabelError: they are too few or too many, lie outside the picture or the table, their sides cross, or they are
            not those of such a piece.
    """
    _check_count(len(corners_px), kind, where)
    corners = np.array(corners_px, np.float64)
    _check_inside(corners, registration.size_px, where)
    if crossed := _crossed(corners):
        raise LabelError(f"{where} crosses itself: {crossed}; expected the corners in their order around the piece")
    on_table = registration.to_table(corners)
    shape, pose = (_slice if kind is PieceKind.SLICE else _card)(kind, on_table, where)
    misses = np.linalg.norm(on_table[:, None] - place(_corners(shape), pose), axis=2).min(axis=1)
    if misses.max() > BESIDE_MM:
        raise LabelError(
            f"{where} is no {kind.words}'s: its corners lie up to {misses.max():.0f} mm beside those of the "
            f"{kind.words} that fits them best; expected {BESIDE_MM:.0f} mm at most"
        )
    for number, shown in enumerate(table_map(registration).shows(on_table), 1):
        if not shown:
            raise LabelError(f"{where}: corner {number} lies too far from the mat; expected pieces on it or around it")
    pointed = tuple((float(x), float(y)) for x, y in corners)
    return LaidOut(shape, true_pose(pose, shape, registration), pose, 1.0, pointed)


def corners_px(piece: LaidOut, registration: Registration) -> list[tuple[float, float]]:
    """The corners of a piece in the picture, as `outlined` takes them."""
    if piece.pointed_px:
        return list(piece.pointed_px)
    seen = registration.to_picture(place(_corners(piece.shape), piece.seen_pose))
    return [(round(float(x), 1), round(float(y), 1)) for x, y in seen]


def _corners(shape: Shape) -> Array:
    """Own frame: a slice's tip and both ends of its crust, a card's clockwise from its top left."""
    return shape.outline[[0, -1, 1]] if shape.kind is PieceKind.SLICE else shape.outline[[2, 1, 0, 3]]


def _check_count(count: int, kind: PieceKind, where: str) -> None:
    if count != CORNERS[kind]:
        corners = f"{count} corner{'' if count == 1 else 's'}"
        which = "its tip and both ends of its crust" if kind is PieceKind.SLICE else "clockwise from its top left"
        raise LabelError(f"{where} has {corners}; expected the {CORNERS[kind]} of {with_article(kind)}: {which}")


def _check_inside(corners: Array, size_px: tuple[int, int], where: str) -> None:
    width, height = size_px
    for number, (x, y) in enumerate(corners, 1):
        if not (0 <= x <= width and 0 <= y <= height):
            raise LabelError(
                f"{where}: corner {number} at x {x:.0f}, y {y:.0f} lies outside the picture; expected x from 0 to "
                f"{width}, y from 0 to {height}"
            )


def _crossed(corners: Array) -> str:
    """Which sides of a closed outline cross; "" where none do."""
    sides = list(zip(corners, np.roll(corners, -1, axis=0), strict=True))
    count = len(sides)
    for first, second in combinations(range(count), 2):
        if (second - first) % count in (1, count - 1):
            continue
        (a, b), (c, d) = sides[first], sides[second]
        if _turn(a, b, c) * _turn(a, b, d) < 0 and _turn(c, d, a) * _turn(c, d, b) < 0:
            ends = (f"{at + 1} to {(at + 1) % count + 1}" for at in (first, second))
            return f"its side from corner {next(ends)} the one from corner {next(ends)}"
    return ""


def _turn(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _slice(kind: PieceKind, corners: Array, where: str) -> tuple[Shape, Array]:
    """The slice whose tip is the sharpest corner."""
    tip, sharpest = 0, np.inf
    for at in range(3):
        angle = _angle_deg(corners[at], corners[at - 1], corners[at - 2])
        if angle < sharpest:
            tip, sharpest = at, angle
    ends = corners[[tip - 1, tip - 2]] - corners[tip]
    reaches = np.linalg.norm(ends, axis=1)
    radius = float(reaches.mean())
    _check_size((radius,), kind, where)
    if not TIP_DEG[0] <= sharpest <= TIP_DEG[1]:
        low, high = TIP_DEG
        raise LabelError(
            f"{where} has a tip of {sharpest:.0f} degrees; expected {with_article(kind)}'s, {low:.0f} to {high:.0f}"
        )
    ahead = (ends / reaches[:, None]).sum(axis=0)
    return slice_shape(radius, sharpest), np.array([*corners[tip], np.degrees(np.arctan2(ahead[1], ahead[0]))])


def _card(kind: PieceKind, corners: Array, where: str) -> tuple[Shape, Array]:
    """The card of whose top the first corner is the left one, seen with the top up."""
    clockwise = polygon_area(corners) < 0
    first, second, third, fourth = corners if clockwise else corners[[0, 3, 2, 1]]
    up, across = (first + second - third - fourth) / 2, (second + third - first - fourth) / 2
    if kind is not PieceKind.ORDER_CARD and np.linalg.norm(across) > np.linalg.norm(up):
        up, across = -across, up
    height, width = float(np.linalg.norm(up)), float(np.linalg.norm(across))
    _check_size((width, height), kind, where)
    if kind is PieceKind.ORDER_CARD:
        width = height = (width + height) / 2
    beside = np.array([-across[1], across[0]])
    ahead = up + (beside if beside @ up > 0 else -beside)
    pose = np.array([*corners.mean(axis=0), np.degrees(np.arctan2(ahead[1], ahead[0]))])
    return card_shape(kind, width, height), pose


def _angle_deg(corner: Array, one: Array, other: Array) -> float:
    a, b = one - corner, other - corner
    return float(np.degrees(np.arctan2(abs(a[0] * b[1] - a[1] * b[0]), a @ b)))


def _check_size(sides_mm: Sequence[float], kind: PieceKind, where: str) -> None:
    if not all(LEAST_MM <= side <= MOST_MM for side in sides_mm):
        size = " x ".join(f"{side:.0f}" for side in sides_mm)
        raise LabelError(
            f"{where} is {size} mm large; expected {with_article(kind)}, {LEAST_MM:.0f} to {MOST_MM:.0f} mm a side"
        )
