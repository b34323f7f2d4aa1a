"""What was read, drawn on the picture it was read from."""

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.finding import SeenDie
from vision.frame import Image
from vision.registration import Registration
from vision.scene import HiddenCause, HiddenPlace, Point, Scene, Sighting

Colour = tuple[int, int, int]

SURE = 0.9
"""A face at least this likely is drawn as sure."""
SURE_COLOUR: Colour = (60, 220, 60)
DOUBTFUL_COLOUR: Colour = (40, 170, 255)
GONE_COLOUR: Colour = (255, 255, 255)
FONT = cv2.FONT_HERSHEY_SIMPLEX
SMALLEST_TEXT = 0.7
"""Names are written no smaller than this share of their usual size."""
HIDDEN_COLOURS: dict[HiddenCause, Colour] = {
    HiddenCause.HAND: (240, 60, 200),
    HiddenCause.FOREIGN: (200, 120, 40),
    HiddenCause.GLARE: (0, 0, 230),
    HiddenCause.OUT_OF_PICTURE: (128, 128, 128),
}


def draw_scene(image: Image, scene: Scene, registration: Registration) -> Image:
    """A copy of the picture with every piece's outline and face, and hidden places hatched.

    Green is a face read as sure, orange a doubtful one; a number is its likelihood in percent, where that is less than
    100. Names are as long as the piece has room for. What changed last has a bold outline; where it lay before, a
    white one.
    """
    drawn = image.copy()
    for place in scene.hidden:
        _hatch(drawn, place, registration)
    width = max(1, round(image.shape[1] / 900))
    changes = scene.settled.changes if scene.settled is not None else ()
    bold = {id(change.after) for change in changes}
    for change in changes:
        if change.before is not None:
            before = _pixels(registration, change.before.outline_mm)
            cv2.polylines(drawn, [before], True, GONE_COLOUR, width, cv2.LINE_AA)
    for sighting in scene.sightings:
        colour = SURE_COLOUR if sighting.probability >= SURE else DOUBTFUL_COLOUR
        outline = _pixels(registration, sighting.outline_mm)
        thick = 3 * width if id(sighting) in bold else width
        cv2.polylines(drawn, [outline], True, colour, thick, cv2.LINE_AA)
    for sighting in scene.sightings:
        _name(drawn, sighting, registration)
    return drawn


def draw_dice(image: Image, dice: Sequence[SeenDie]) -> Image:
    """A copy of a picture that is laid over no table with the tops of dice, as `draw_scene` draws pieces."""
    drawn = image.copy()
    width = max(1, round(image.shape[1] / 900))
    for die in dice:
        colour = SURE_COLOUR if die.probability >= SURE else DOUBTFUL_COLOUR
        top = np.round(np.array(die.corners_px)).astype(np.int32).reshape(-1, 1, 2)
        cv2.polylines(drawn, [top], True, colour, width, cv2.LINE_AA)
    for die in dice:
        _write(drawn, f"{die.value} {100 * die.probability:.0f}", np.array(die.centre_px))
    return drawn


def _name(drawn: Image, sighting: Sighting, registration: Registration) -> None:
    percent = round(100 * sighting.probability)
    text = sighting.face.rpartition("/")[2] if sighting.face.startswith("special/") else sighting.face
    outline = _pixels(registration, sighting.outline_mm)[:, 0]
    room = float(np.ptp(outline, axis=0).max())
    _write(drawn, text if percent >= 100 else f"{text} {percent}", (outline.min(0) + outline.max(0)) / 2, room)


def _write(drawn: Image, text: str, middle: NDArray[Any], room: float = np.inf) -> None:
    """Write about a place: smaller, and at last cut short, where there is no more room (pixels)."""
    scale = drawn.shape[1] / 2600
    needed = _size(text, scale)[0]
    scale *= min(1.0, max(room / max(needed, 1), SMALLEST_TEXT))
    while len(text) > 1 and _size(text, scale)[0] > room:
        text = text[:-1]
    width, height = _size(text, scale)
    corner = (int(middle[0] - width / 2), int(middle[1] + height / 2))
    for shift_x, shift_y, colour in ((-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, 255)):
        spot = (corner[0] + shift_x, corner[1] + shift_y)
        cv2.putText(drawn, text, spot, FONT, scale, (colour, colour, colour), 1, cv2.LINE_AA)


def _size(text: str, scale: float) -> tuple[int, int]:
    (width, height), _ = cv2.getTextSize(text, FONT, scale, 1)
    return int(width), int(height)


def _hatch(drawn: Image, place: HiddenPlace, registration: Registration) -> None:
    outline = _pixels(registration, place.outline_mm)
    mask = np.zeros(drawn.shape[:2], np.uint8)
    cv2.fillPoly(mask, [outline], 255)
    height, width = drawn.shape[0], drawn.shape[1]
    lines = np.zeros_like(mask)
    step = max(6, width // 120)
    for start in range(-height, width, step):
        cv2.line(lines, (start, height), (start + height, 0), 255, 1, cv2.LINE_AA)
    colour = HIDDEN_COLOURS[place.cause]
    drawn[(mask > 0) & (lines > 96)] = colour
    cv2.polylines(drawn, [outline], True, colour, 1, cv2.LINE_AA)


def _pixels(registration: Registration, points_mm: Sequence[Point]) -> NDArray[np.int32]:
    pixels = registration.to_picture(np.array(points_mm))
    return np.round(pixels).astype(np.int32).reshape(-1, 1, 2)
