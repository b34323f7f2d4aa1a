"""A round board with spaces, toppings and cutters, drawn on the drawn table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.vision.drawn_table import View, photograph, project, taken
from vision.frame import Image

Array = NDArray[np.float64]

DIAMETER_MM = 240.0
PITCH_MM = 21.0
TOPPING_MM = 17.0
CUTTER_MM = (220.0, 3.0)
FACE_MM, TOP_MM = 2.0, 5.0
ART_PX_PER_MM = 4
COLOURS: Mapping[str, tuple[int, int, int]] = {"blue": (190, 90, 40), "orange": (40, 130, 235), "black": (45, 40, 40)}
PLAIN: Mapping[str, tuple[int, int, int]] = {"white": (232, 238, 240), "green": (90, 150, 70), "red": (50, 45, 170)}
"""Toppings that show nothing but their rim, and throw a shadow."""
SHADOW, SHADOW_MM = 0.25, (1.3, -1.0)
WOOD = (110, 165, 205)
TIP_MM = 30.0


@dataclass(frozen=True)
class Stick:
    """A cutter: ends on the table (mm), the coloured one second, and the heights of its axis there."""

    colour: str
    ends_mm: tuple[tuple[float, float], tuple[float, float]]
    heights_mm: tuple[float, float] = (FACE_MM + 1.5, FACE_MM + 1.5)
    painted: bool = False
    """All over, and not at its end alone."""
    bare: float = 0.0
    """How much of the way to wood its end is: at 1 it is wood all over, and no cutter at all."""


@dataclass(frozen=True)
class Board:
    """A drawn board as it lies."""

    x_mm: float = 0.0
    y_mm: float = 0.0
    angle_deg: float = 0.0
    spaces: Mapping[str, str] | None = None
    """Space -> colour."""
    sticks: Sequence[Stick] = ()

    def to_table(self, own: Array) -> Array:
        turn = np.radians(self.angle_deg)
        spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        return np.asarray(own @ spin.T + [self.x_mm, self.y_mm])


def space_mm(name: str) -> Array:
    """Where a space lies on the board: the first label is on +x, the 2nd counter-clockwise of it."""
    x, y, z = (int(step) for step in name.split(","))
    spin = np.exp(2j * np.pi / 3)
    at = PITCH_MM / np.sqrt(3.0) * 1j * (x + y * spin + z * spin**2)
    return np.array([at.real, at.imag])


def every_space() -> list[str]:
    """The names of all 37 spaces."""
    return [f"{x},{y},{-x - y}" for x in range(-3, 4) for y in range(-3, 4) if abs(x + y) <= 3]


def line_ends(side: int, number: int, board: Board) -> tuple[tuple[float, float], tuple[float, float]]:
    """The ends of a stick that lies on a line of the 1st, 2nd or 3rd side (0, 1, 2), its point towards that side."""
    turn = np.radians(120.0 * side)
    way, right = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    off = (number - 3.5) * PITCH_MM * np.sqrt(3.0) / 2 * right
    first, last = board.to_table(np.array([off - way * CUTTER_MM[0] / 2, off + way * CUTTER_MM[0] / 2]))
    return (float(first[0]), float(first[1])), (float(last[0]), float(last[1]))


def draw(
    board: Board,
    view: View | None = None,
    hand: Array | None = None,
    loose: Mapping[str, Sequence[tuple[float, float]]] | None = None,
) -> Image:
    """A picture of the table with the board, and loose toppings (colour -> places on the mat) beside it."""
    view = view or View()
    plain = View(view.size, view.height_mm, view.tilt, view.turn_deg, noise=0.0, blur=0.01, seed=view.seed)
    picture = photograph([], plain)
    _paste_round(picture, board, plain)
    for name, colour in (board.spaces or {}).items():
        _disc(picture, board.to_table(space_mm(name)[None])[0], colour, plain)
    for colour, places in (loose or {}).items():
        for place in places:
            _disc(picture, np.array(place), colour, plain, TOP_MM - FACE_MM)
    for stick in board.sticks:
        _stick(picture, stick, plain)
    if hand is not None:
        cv2.fillPoly(picture, [np.round(project(hand, plain)).astype(np.int32)], (118, 150, 205))
    return taken(picture, view)


def label(board: Board, view: View | None = None) -> dict[str, Any]:
    """Its label file."""
    view = view or View()
    pieces: list[dict[str, Any]] = [
        {
            "kind": "board",
            "x_mm": board.x_mm,
            "y_mm": board.y_mm,
            "angle_deg": board.angle_deg,
            "diameter_mm": DIAMETER_MM,
        }
    ]
    for name, colour in (board.spaces or {}).items():
        at = board.to_table(space_mm(name)[None])[0]
        rim = project(at + _circle(TOPPING_MM / 2), view, TOP_MM)
        pieces.append(
            {
                "kind": "topping",
                "colour": colour,
                "space": name,
                "x_mm": at[0],
                "y_mm": at[1],
                "diameter_mm": TOPPING_MM,
                "outline_px": rim.tolist(),
            }
        )
    pieces += [
        {
            "kind": "cutter",
            "colour": stick.colour,
            "ends_mm": [list(end) for end in stick.ends_mm],
            "ends_px": _axis(stick, view).tolist(),
            "diameter_mm": CUTTER_MM[1],
            "outline_px": _outline(stick, view).tolist(),
        }
        for stick in board.sticks
    ]
    return {"style": "drawn", "kind": "theory", "pieces": pieces}


def _circle(radius_mm: float) -> Array:
    turns = np.radians(np.arange(0.0, 360.0, 10.0))
    return radius_mm * np.column_stack([np.cos(turns), np.sin(turns)])


def _paste_round(picture: Image, board: Board, view: View) -> None:
    art = _art()
    half = DIAMETER_MM / 2
    corners = board.to_table(np.array([[-half, half], [half, half], [half, -half], [-half, -half]]))
    size = art.shape[0]
    source = np.array([[0, 0], [size, 0], [size, size], [0, size]], np.float32) - 0.5
    seen = project(corners, view, FACE_MM).astype(np.float32)
    warp = cv2.getPerspectiveTransform(source, seen)
    soft = cv2.GaussianBlur(art, (0, 0), 0.4 * size / float(np.linalg.norm(seen[0] - seen[1])))  # or its lines wobble
    laid = cv2.warpPerspective(soft, warp, (picture.shape[1], picture.shape[0]), flags=cv2.INTER_AREA)
    rim = project(board.to_table(_circle(half)), view, FACE_MM)
    mask = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(rim * 16).astype(np.int32)], 255, shift=4, lineType=cv2.LINE_AA)
    left, top, width, height = cv2.boundingRect(mask)
    there = slice(top, top + height), slice(left, left + width)
    share = mask[there][..., None] / 255.0
    picture[there] = (picture[there] * (1 - share) + laid[there] * share).astype(np.uint8)


@cache
def _art() -> Image:
    """The print: a crust with blots, a pale face, circles for spaces, and a word at each of three sides."""
    size = int(DIAMETER_MM * ART_PX_PER_MM)
    art = np.full((size, size, 3), (150, 215, 235), np.uint8)
    rng = np.random.default_rng(5)
    blots = cv2.resize(rng.integers(0, 30, (12, 12, 1)).astype(np.uint8), (size, size), interpolation=cv2.INTER_CUBIC)
    art -= np.asarray(blots, np.uint8)[..., None]
    middle = (size // 2, size // 2)
    cv2.circle(art, middle, size // 2 - 24, (90, 150, 205), 48)
    for _ in range(14):
        turn, reach = rng.uniform(0, 2 * np.pi), size / 2 - 24
        spot = (int(size / 2 + reach * np.cos(turn)), int(size / 2 - reach * np.sin(turn)))
        cv2.circle(art, spot, int(rng.integers(10, 26)), (60, 95, 150), -1, cv2.LINE_AA)
    for name in every_space():
        x, y = space_mm(name) * ART_PX_PER_MM
        spot = (int(size / 2 + x), int(size / 2 - y))
        cv2.circle(art, spot, int(TOPPING_MM / 2 * ART_PX_PER_MM), (120, 185, 210), 2, cv2.LINE_AA)
    for side, word in enumerate(("1st", "2nd", "3rd")):
        spin = cv2.getRotationMatrix2D(middle, 120.0 * side, 1.0)
        blank = np.zeros_like(art)
        where = (int(size * 0.87) - 70, middle[1] + 15)
        cv2.putText(blank, word, where, cv2.FONT_HERSHEY_DUPLEX, 1.7, (255, 255, 255), 5, cv2.LINE_AA)
        ink = cv2.warpAffine(blank, spin, (size, size))[..., :1] / 255.0
        art[:] = (art * (1 - ink) + np.array([40, 30, 90]) * ink).astype(np.uint8)
    return art


def _disc(picture: Image, at_mm: Array, colour: str, view: View, top_mm: float = TOP_MM) -> None:
    if colour in PLAIN:
        _shadow(picture, project(at_mm + SHADOW_MM + _circle(TOPPING_MM / 2), view, top_mm - TOP_MM + FACE_MM))
    shares = ((1.0, 0.88), (0.94, 1.0)) if colour in PLAIN else ((1.0, 0.8), (0.86, 1.0), (0.4, 0.9))
    for share, dim in shares:
        rim = project(at_mm + _circle(share * TOPPING_MM / 2), view, top_mm)
        ink = tuple(int(dim * channel) for channel in {**COLOURS, **PLAIN}[colour])
        cv2.fillPoly(picture, [np.round(rim * 16).astype(np.int32)], ink, shift=4, lineType=cv2.LINE_AA)


def _shadow(picture: Image, outline_px: Array) -> None:
    mask = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(outline_px * 16).astype(np.int32)], 255, shift=4, lineType=cv2.LINE_AA)
    soft = cv2.GaussianBlur(mask, (0, 0), 2.0)[..., None] / 255.0
    picture[:] = (picture * (1.0 - SHADOW * soft)).astype(np.uint8)


def _axis(stick: Stick, view: View) -> Array:
    ends = np.array(stick.ends_mm)
    return np.concatenate([project(end[None], view, h) for end, h in zip(ends, stick.heights_mm, strict=True)])


def _outline(stick: Stick, view: View) -> Array:
    return _band(stick, view, 0.0, 1.0)


def _band(stick: Stick, view: View, start: float, stop: float) -> Array:
    """Pixels of a part of a stick, from share to share of its length."""
    first, last = np.array(stick.ends_mm)
    way = (last - first) / np.linalg.norm(last - first)
    side = np.array([-way[1], way[0]]) * CUTTER_MM[1] / 2
    corners = []
    for share, sign in ((start, 1), (stop, 1), (stop, -1), (start, -1)):
        height = stick.heights_mm[0] * (1 - share) + stick.heights_mm[1] * share
        corners.append(project((first + (last - first) * share + sign * side)[None], view, height)[0])
    return np.array(corners)


def _stick(picture: Image, stick: Stick, view: View) -> None:
    tip = 1.0 - TIP_MM / CUTTER_MM[0]
    colour = {**COLOURS, **PLAIN}[stick.colour]
    end = tuple((1.0 - stick.bare) * of + stick.bare * wood for of, wood in zip(colour, WOOD, strict=True))
    for start, stop, ink in ((0.0, tip, colour if stick.painted else WOOD), (tip, 1.0, end)):
        band = np.round(_band(stick, view, start, stop) * 16).astype(np.int32)
        cv2.fillPoly(picture, [band], ink, shift=4, lineType=cv2.LINE_AA)
