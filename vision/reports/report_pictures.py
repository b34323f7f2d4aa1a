"""A report's pictures: likelihood against truth as a diagram, and every error as a tile of one sheet."""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.reports.compared import LEAST_VISIBLE, PhotoReport
from vision.reports.mark_report import MarkClaim
from vision.reports.rates import Reliability
from vision.scene import SURE, MarkKind, PieceKind, Point, Pose, SheetMark, Sighting
from vision.sheets.layout import SheetLayout

WHITE, INK, GREY, BLUE = (255, 255, 255), (40, 40, 40), (190, 190, 190), (190, 110, 30)
TRUE_COLOUR, CLAIM_COLOUR = (60, 200, 60), (60, 60, 235)
FONT = cv2.FONT_HERSHEY_SIMPLEX
TEXT_SIZE = 0.45
SIDE = 640
MARGIN = 70
TILE = (320, 284)
"""Width and height in pixels of an error's tile, its lines of text included."""
TEXT_PX, LETTERS = 58, 40
"""The height of a tile's text, and how long its lines may be."""
COLUMNS = 4
AROUND_MM = (95.0, 69.0)
"""How much of the table an error's tile shows to both sides, and upwards and downwards."""
MARK_AROUND_MM = (20.0, 14.5)
"""The same for a place of a sheet."""
TO_MIDDLE_MM = 55.0
"""From a slice's tip to its middle, about."""


PICTURE = (TILE[0] - 8, TILE[1] - TEXT_PX - 4)
"""Width and height in pixels of an error's picture."""
LEAST_APART = 4
"""Pixels between the numbers of a diagram."""


@dataclass(frozen=True, slots=True)
class ErrorTile:
    """A part of a picture where something was read wrong, of the size PICTURE."""

    picture: Image
    what: str
    where: str


ToPicture = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Where points (n x 2) of the frame that places are said in are seen, in pixels."""


def _tile(picture: Image, what: str, where: str) -> ErrorTile:
    return ErrorTile(np.asarray(cv2.resize(picture, PICTURE, interpolation=cv2.INTER_AREA)), what, where)


def reliability_diagram(bins: Sequence[Reliability], what: str = "that was right") -> Image:
    """Claimed likelihood rightwards, upwards the share `what`, with 95 % intervals; on the diagonal both agree."""
    drawn = np.full((SIDE, SIDE, 3), 255, np.uint8)
    for tick in np.linspace(0.0, 1.0, 6):
        x, y = _at(float(tick), float(tick))
        cv2.line(drawn, (x, _at(0, 0)[1]), (x, _at(0, 1)[1]), GREY, 1)
        cv2.line(drawn, (_at(0, 0)[0], y), (_at(1, 0)[0], y), GREY, 1)
        _text(drawn, f"{tick:.1f}", (x - 12, SIDE - MARGIN + 22))
        _text(drawn, f"{tick:.1f}", (MARGIN - 40, y + 5))
    cv2.line(drawn, _at(0, 0), _at(1, 1), GREY, 2, cv2.LINE_AA)
    spots = [_at(one.claimed, one.right) for one in bins]
    taken = [(x - 6, y - 6, x + 6, y + 6) for x, y in spots]
    for one, (x, _) in zip(bins, spots, strict=True):
        low, high = one.interval
        cv2.line(drawn, (x, _at(0, low)[1]), (x, _at(0, high)[1]), BLUE, 2, cv2.LINE_AA)
    for one, spot in zip(bins, spots, strict=True):
        _number(drawn, str(len(one.claims)), spot, taken)
    _text(drawn, "likelihood claimed", (SIDE // 2 - 70, SIDE - 18))
    _text(drawn, f"share {what}, and how many claims", (MARGIN, MARGIN - 30))
    return drawn


def _number(drawn: Image, text: str, spot: tuple[int, int], taken: list[tuple[int, int, int, int]]) -> None:
    """A number as near to a spot as nothing else is `taken`, below it where there is room, and a line to it."""
    (width, height), _ = cv2.getTextSize(text, FONT, TEXT_SIZE, 1)
    left = spot[0] - width - 10 if spot[0] > SIDE // 2 else spot[0] + 10
    for down in sorted(range(-SIDE, SIDE, LEAST_APART), key=lambda down: (abs(down), -down)):
        box = (left, spot[1] + 10 + down, left + width, spot[1] + 10 + down + height)
        if box[1] > MARGIN // 2 and box[3] < SIDE - MARGIN and not any(_overlap(box, other) for other in taken):
            break
    taken.append(box)
    near = box[2] + 2 if left < spot[0] else box[0] - 2
    cv2.line(drawn, spot, (near, (box[1] + box[3]) // 2), GREY, 1, cv2.LINE_AA)
    cv2.circle(drawn, spot, 5, BLUE, -1, cv2.LINE_AA)
    cv2.rectangle(drawn, (box[0] - 1, box[1] - 1), (box[2] + 1, box[3] + 1), WHITE, -1)
    _text(drawn, text, (box[0], box[3]))


def _overlap(first: tuple[int, int, int, int], second: tuple[int, int, int, int]) -> bool:
    across = first[0] < second[2] + LEAST_APART and second[0] < first[2] + LEAST_APART
    return across and first[1] < second[3] + LEAST_APART and second[1] < first[3] + LEAST_APART


def problem_tile(photo: PhotoReport, image: Image | None) -> ErrorTile:
    """A tile for a picture that could not be read at all, or is not there: the whole of it, and why."""
    picture = np.full((TILE[1], TILE[0], 3), GREY, np.uint8) if image is None else image
    return _tile(picture, photo.problem, photo.photo)


def error_tiles(
    photo: PhotoReport, image: Image, to_picture: ToPicture, prints: Sequence[SheetLayout] = ()
) -> list[ErrorTile]:
    """A tile for each error of a picture: green is what lies there, red what was claimed; `prints` of its sheets."""
    tiles = [
        _tile(
            _part(image, to_picture, _middle(piece.kind, piece.pose), piece.pose, None),
            f"{piece.face} missing",
            photo.photo,
        )
        for piece in photo.missing
        if piece.visible >= LEAST_VISIBLE
    ]
    tiles += [
        _tile(
            _part(image, to_picture, _middle(match.truth.kind, match.truth.pose), match.truth.pose, match.sighting),
            f"{match.truth.face} read as {match.sighting.face} {match.sighting.probability:.2f}",
            photo.photo,
        )
        for match in photo.matches
        if not match.right or (not match.read and match.truth.visible >= LEAST_VISIBLE)
    ]
    tiles += [
        _tile(
            _part(image, to_picture, _middle(match.truth.kind, match.truth.pose), match.truth.pose, match.sighting),
            f"{match.sighting.face} {match.sighting.probability:.2f} claimed, {match.truth.visible:.0%} shows",
            photo.photo,
        )
        for match in photo.matches
        if match.right and match.truth.visible < LEAST_VISIBLE and match.sighting.probability >= SURE
    ]
    tiles += [
        _tile(
            _part(image, to_picture, _middle(sighting.kind, sighting.pose), None, sighting),
            f"no {sighting.face} {sighting.probability:.2f}",
            photo.photo,
        )
        for sighting in photo.extra
    ]
    tiles += [_mark_tile(photo, image, to_picture, prints, claim) for claim in photo.wrong_marks]
    lines = list(photo.misarranged or ())
    if photo.unread_marks:
        lines.append(f"{len(photo.unread_marks)} marks lie where no place of a sheet was read")
    return tiles + [_tile(image, line, photo.photo) for line in lines]


def _mark_tile(
    photo: PhotoReport, image: Image, to_picture: ToPicture, prints: Sequence[SheetLayout], claim: MarkClaim
) -> ErrorTile:
    """The picture around a place of a sheet that was read as what it is not."""
    mark = claim.mark
    what = f"{mark.kind.value} {mark.at} {'missing' if claim.there else 'claimed'}, {mark.probability:.2f}"
    sheet = next(match.sighting for match in photo.matches if mark in match.sighting.marks)
    layout = next((one for one in prints if _same_print(one, sheet)), None)
    if layout is None:
        return _tile(image, what, photo.photo)
    turn = np.radians(sheet.pose.angle_deg - 90.0)
    x, y = _printed_at(layout, mark)
    spot = Pose(
        sheet.pose.x_mm + x * float(np.cos(turn)) - y * float(np.sin(turn)),
        sheet.pose.y_mm + x * float(np.sin(turn)) + y * float(np.cos(turn)),
        0.0,
    )
    middle = (spot.x_mm, spot.y_mm)
    return _tile(_part(image, to_picture, middle, spot, None, MARK_AROUND_MM), what, photo.photo)


def _same_print(layout: SheetLayout, sheet: Sighting) -> bool:
    counts = [sum(mark.kind is kind for mark in sheet.marks) for kind in (MarkKind.DOT, MarkKind.CIRCLED_BONUS)]
    return counts == [layout.columns * layout.rows, len(layout.boxes)]


def _printed_at(layout: SheetLayout, mark: SheetMark) -> Point:
    """Where a place is printed, in millimetres of the sheet's own frame."""
    match mark.kind:
        case MarkKind.DOT:
            return layout.dot_mm((mark.at[0], mark.at[1]))
        case MarkKind.LINE:
            ends = layout.dot_mm((mark.at[0], mark.at[1])), layout.dot_mm((mark.at[2], mark.at[3]))
            return (ends[0][0] + ends[1][0]) / 2, (ends[0][1] + ends[1][1]) / 2
        case MarkKind.CROSSED_TOPPING:
            return next(topping.centre_mm for topping in layout.toppings if topping.square == mark.at)
        case _:
            return layout.boxes[mark.at[0]].centre_mm


def error_sheet(tiles: Sequence[ErrorTile]) -> Image:
    """All tiles below and beside each other; what is wrong in at most two lines each."""
    width, height = TILE
    rows = max(1, -(-len(tiles) // COLUMNS))
    sheet = np.full((rows * height, COLUMNS * width, 3), 255, np.uint8)
    if not tiles:
        _text(sheet, "No errors.", (20, 40))
    for number, tile in enumerate(tiles):
        left, top = number % COLUMNS * width, number // COLUMNS * height
        lines = textwrap.wrap(tile.what, LETTERS, max_lines=2, placeholder=" ...")
        sheet[top + 4 : top + height - TEXT_PX, left + 4 : left + width - 4] = tile.picture
        for line, text in enumerate([*lines, textwrap.shorten(tile.where, LETTERS, placeholder="...")]):
            _text(sheet, text, (left + 6, top + height - TEXT_PX + 17 * (line + 1)))
    return sheet


def _middle(kind: PieceKind, pose: Pose) -> Point:
    """Where a piece's middle lies."""
    if kind is not PieceKind.SLICE:
        return pose.x_mm, pose.y_mm
    angle = np.radians(pose.angle_deg)
    return pose.x_mm + TO_MIDDLE_MM * float(np.cos(angle)), pose.y_mm + TO_MIDDLE_MM * float(np.sin(angle))


def _part(
    image: Image,
    to_picture: ToPicture,
    middle: Point,
    pose: Pose | None,
    claim: Sighting | None,
    around_mm: tuple[float, float] = AROUND_MM,
) -> Image:
    """The picture around a place, with what lies there and what was claimed; all of it where nobody knows the place."""
    if np.isnan(middle[0]):
        return image
    drawn = image.copy()
    if claim is not None and claim.outline_mm:
        cv2.polylines(drawn, [_pixels(to_picture, claim.outline_mm)], True, CLAIM_COLOUR, 2, cv2.LINE_AA)
    if pose is not None:
        x, y = _pixels(to_picture, [(pose.x_mm, pose.y_mm)])[0]
        cv2.drawMarker(drawn, (int(x), int(y)), TRUE_COLOUR, cv2.MARKER_CROSS, 18, 2)
    x_mm, y_mm = middle
    corners = [(x_mm + sx * around_mm[0], y_mm + sy * around_mm[1]) for sx in (-1, 1) for sy in (-1, 1)]
    spots = _pixels(to_picture, corners)
    low = np.clip(spots.min(0), 0, [image.shape[1] - 2, image.shape[0] - 2])
    high = np.clip(spots.max(0), low + 1, [image.shape[1], image.shape[0]])
    return np.asarray(drawn[low[1] : high[1], low[0] : high[0]])


def _pixels(to_picture: ToPicture, points_mm: Sequence[Point]) -> NDArray[np.int32]:
    return np.asarray(np.round(to_picture(np.array(points_mm, np.float64))).astype(np.int32))


def _at(claimed: float, right: float) -> tuple[int, int]:
    inner = SIDE - 2 * MARGIN
    return round(MARGIN + claimed * inner), round(SIDE - MARGIN - right * inner)


def _text(drawn: Image, text: str, spot: tuple[int, int]) -> None:
    """Letters that the font lacks are question marks: text that is no UTF-8 ends the whole process."""
    cv2.putText(drawn, text.encode("ascii", "replace").decode(), spot, FONT, TEXT_SIZE, INK, 1, cv2.LINE_AA)
