"""A report's pictures: likelihood against truth as a diagram, and every error as a tile of one sheet."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.registration import Registration
from vision.report import LEAST_VISIBLE, PhotoReport, Reliability
from vision.scene import PieceKind, Point, Pose, Sighting

WHITE, INK, GREY, BLUE = (255, 255, 255), (40, 40, 40), (190, 190, 190), (190, 110, 30)
TRUE_COLOUR, CLAIM_COLOUR = (60, 200, 60), (60, 60, 235)
FONT = cv2.FONT_HERSHEY_SIMPLEX
SIDE = 640
MARGIN = 70
TILE = (300, 260)
"""Width and height in pixels of an error's tile, its two lines of text included."""
COLUMNS = 4
AROUND_MM = (95.0, 69.0)
"""How much of the table an error's tile shows to both sides, and upwards and downwards."""
TO_MIDDLE_MM = 55.0
"""From a slice's tip to its middle, about."""


@dataclass(frozen=True, slots=True)
class ErrorTile:
    """A part of a picture where something was read wrong."""

    picture: Image
    what: str
    where: str


def reliability_diagram(bins: Sequence[Reliability]) -> Image:
    """Claimed likelihood rightwards, right share upwards, with 95 % intervals; on the diagonal both agree."""
    drawn = np.full((SIDE, SIDE, 3), 255, np.uint8)
    for tick in np.linspace(0.0, 1.0, 6):
        x, y = _at(float(tick), float(tick))
        cv2.line(drawn, (x, _at(0, 0)[1]), (x, _at(0, 1)[1]), GREY, 1)
        cv2.line(drawn, (_at(0, 0)[0], y), (_at(1, 0)[0], y), GREY, 1)
        _text(drawn, f"{tick:.1f}", (x - 12, SIDE - MARGIN + 22))
        _text(drawn, f"{tick:.1f}", (MARGIN - 40, y + 5))
    cv2.line(drawn, _at(0, 0), _at(1, 1), GREY, 2, cv2.LINE_AA)
    for one in bins:
        low, high = one.interval
        x, y = _at(one.claimed, one.right)
        cv2.line(drawn, (x, _at(0, low)[1]), (x, _at(0, high)[1]), BLUE, 2, cv2.LINE_AA)
        cv2.circle(drawn, (x, y), 5, BLUE, -1, cv2.LINE_AA)
        _text(drawn, str(len(one.claims)), (x - 34 if one.claimed > 0.5 else x + 8, y + 18))
    _text(drawn, "likelihood claimed", (SIDE // 2 - 70, SIDE - 18))
    _text(drawn, "share that was right, and how many claims", (MARGIN, MARGIN - 30))
    return drawn


def error_tiles(photo: PhotoReport, image: Image, registration: Registration) -> list[ErrorTile]:
    """A tile for each error of a picture: green is what lies there, red what was claimed."""
    tiles = [
        ErrorTile(
            _part(image, registration, _middle(piece.kind, piece.pose), piece.pose, None),
            f"{piece.face} missing",
            photo.photo,
        )
        for piece in photo.missing
        if piece.visible >= LEAST_VISIBLE
    ]
    tiles += [
        ErrorTile(
            _part(image, registration, _middle(match.truth.kind, match.truth.pose), match.truth.pose, match.sighting),
            f"{match.truth.face} read as {match.sighting.face} {match.sighting.probability:.2f}",
            photo.photo,
        )
        for match in photo.matches
        if not match.right
    ]
    tiles += [
        ErrorTile(
            _part(image, registration, _middle(sighting.kind, sighting.pose), None, sighting),
            f"no {sighting.face} {sighting.probability:.2f}",
            photo.photo,
        )
        for sighting in photo.extra
    ]
    return tiles


def error_sheet(tiles: Sequence[ErrorTile]) -> Image:
    """All tiles below and beside each other."""
    width, height = TILE
    rows = max(1, -(-len(tiles) // COLUMNS))
    sheet = np.full((rows * height, COLUMNS * width, 3), 255, np.uint8)
    if not tiles:
        _text(sheet, "No errors.", (20, 40))
    for number, tile in enumerate(tiles):
        left, top = number % COLUMNS * width, number // COLUMNS * height
        part = cv2.resize(tile.picture, (width - 8, height - 48), interpolation=cv2.INTER_AREA)
        sheet[top + 4 : top + height - 44, left + 4 : left + width - 4] = part
        _text(sheet, tile.what[:40], (left + 6, top + height - 26))
        _text(sheet, tile.where[:40], (left + 6, top + height - 8))
    return sheet


def _middle(kind: PieceKind, pose: Pose) -> Point:
    """Where a piece's middle lies."""
    if kind is not PieceKind.SLICE:
        return pose.x_mm, pose.y_mm
    angle = np.radians(pose.angle_deg)
    return pose.x_mm + TO_MIDDLE_MM * float(np.cos(angle)), pose.y_mm + TO_MIDDLE_MM * float(np.sin(angle))


def _part(image: Image, registration: Registration, middle: Point, pose: Pose | None, claim: Sighting | None) -> Image:
    """The picture around a place, with what lies there and what was claimed."""
    drawn = image.copy()
    if claim is not None and claim.outline_mm:
        cv2.polylines(drawn, [_pixels(registration, claim.outline_mm)], True, CLAIM_COLOUR, 2, cv2.LINE_AA)
    if pose is not None:
        x, y = _pixels(registration, [(pose.x_mm, pose.y_mm)])[0]
        cv2.drawMarker(drawn, (int(x), int(y)), TRUE_COLOUR, cv2.MARKER_CROSS, 18, 2)
    x_mm, y_mm = middle
    corners = [(x_mm + sx * AROUND_MM[0], y_mm + sy * AROUND_MM[1]) for sx in (-1, 1) for sy in (-1, 1)]
    spots = _pixels(registration, corners)
    low = np.clip(spots.min(0), 0, [image.shape[1] - 2, image.shape[0] - 2])
    high = np.clip(spots.max(0), low + 1, [image.shape[1], image.shape[0]])
    return np.asarray(drawn[low[1] : high[1], low[0] : high[0]])


def _pixels(registration: Registration, points_mm: Sequence[Point]) -> NDArray[np.int32]:
    return np.asarray(np.round(registration.to_picture(np.array(points_mm))).astype(np.int32))


def _at(claimed: float, right: float) -> tuple[int, int]:
    inner = SIDE - 2 * MARGIN
    return round(MARGIN + claimed * inner), round(SIDE - MARGIN - right * inner)


def _text(drawn: Image, text: str, spot: tuple[int, int]) -> None:
    cv2.putText(drawn, text, spot, FONT, 0.45, INK, 1, cv2.LINE_AA)
