"""What was read, drawn on the picture it was read from, and what the drawing's colours and lines mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.following.settling import remembered
from vision.frame import Image
from vision.mat.registration import Registration
from vision.reports.name_places import NamePlace, ToName, place_names
from vision.scene import SURE, HiddenCause, PieceKind, Point, Scene, Sighting

Colour = tuple[int, int, int]
"""Blue, green, red, 0 to 255."""


@dataclass(frozen=True, slots=True)
class Line:
    """How outlines of a kind are drawn."""

    meaning: str
    colour: Colour
    widths: int = 1
    """How wide, in widths of a thin line."""
    dash: float = 0.0
    """How long its dashes and the gaps between them are, in its own width; 0: it has none."""


@dataclass(frozen=True, slots=True)
class Hatching:
    """How places that are hidden for one cause are drawn."""

    meaning: str
    colour: Colour
    runs: tuple[Point, ...]
    """Across each set of its lines, unit vectors in pixels (y down)."""


SURE_LINE = Line("read as sure", (60, 220, 60))
DOUBTFUL_LINE = Line("doubtful", (40, 170, 255), dash=6.0)
CHANGED_LINE = Line("came or changed last", SURE_LINE.colour, widths=3)
GONE_LINE = Line("where that lay before, or what is gone", (255, 255, 255))
REMEMBERED_LINE = Line("as it lay before something moved there", (235, 225, 190), dash=3.5)
_DIAGONAL = 0.5**0.5
# Okabe and Ito, Color Universal Design (2008): people who see no red or no green tell these apart; and each is hatched
# in another way.
HATCHINGS: dict[HiddenCause, Hatching] = {
    HiddenCause.HAND: Hatching("hidden by a hand", (167, 121, 204), ((_DIAGONAL, _DIAGONAL),)),
    HiddenCause.FOREIGN: Hatching("hidden by something strange", (233, 180, 86), ((_DIAGONAL, -_DIAGONAL),)),
    HiddenCause.GLARE: Hatching("hidden by glare", (0, 94, 213), ((_DIAGONAL, _DIAGONAL), (_DIAGONAL, -_DIAGONAL))),
    HiddenCause.DARK: Hatching("too dark", (178, 114, 0), ((1.0, 0.0),)),
    HiddenCause.STRIPES: Hatching("hidden by stripes of shadow", (0, 0, 0), ((1.0, 0.0), (0.0, 1.0))),
    HiddenCause.OUT_OF_PICTURE: Hatching("the mat goes on beyond the picture", (66, 228, 240), ((0.0, 1.0),)),
}
LEGEND: dict[str, Line | Hatching] = {
    "sure": SURE_LINE,
    "doubtful": DOUBTFUL_LINE,
    "changed": CHANGED_LINE,
    "gone": GONE_LINE,
    "remembered": REMEMBERED_LINE,
    **{cause.value: hatching for cause, hatching in HATCHINGS.items()},
}
"""All that is drawn but names, by a name of its own."""
SWATCH_PX = (72, 44)
"""Width and height of a legend's picture."""
SWATCH_GROUND: Colour = (70, 90, 112)
WIDTHS_PER_PICTURE = 900
"""A picture is so many thin lines wide."""
HATCHES_PER_PICTURE = 120
EDGE_SHARE = 0.012
"""What goes on beyond the picture is drawn along its edge, so wide (a share of the picture's width)."""
FONT = cv2.FONT_HERSHEY_SIMPLEX
NAME_SHARE = 2600
"""A name's letters in a picture so many pixels wide are as large as the font has them."""
GROUNDS = frozenset({PieceKind.BOARD, PieceKind.SHEET})
"""Pieces that others lie on and are named over."""


def draw_scene(image: Image, scene: Scene, registration: Registration) -> Image:
    """A copy of the picture with every piece's outline and name, and hidden places hatched, as `LEGEND` says.

    A number behind a name is the face's likelihood in percent, where that is less than 100. Names stand beside their
    pieces, with a line from each.
    """
    drawn = image.copy()
    for hidden in scene.hidden:
        _hatch(drawn, _pixels(registration, hidden.outline_mm), hidden.cause)
    changes = scene.settled.changes if scene.settled is not None else ()
    for change in changes:
        if change.before is not None:
            _outline(drawn, _pixels(registration, change.before.outline_mm), GONE_LINE)
    changed = {id(change.after) for change in changes}
    before = remembered(scene)
    known = [*scene.sightings, *before]
    outlines = [_pixels(registration, sighting.outline_mm) for sighting in known]
    lines = [_line(sighting.probability) for sighting in scene.sightings] + [REMEMBERED_LINE] * len(before)
    for sighting, outline, line in zip(known, outlines, lines, strict=True):
        _outline(drawn, outline, line, id(sighting) in changed)
    names = [name_of(sighting) for sighting in known]
    grounds = [sighting.kind in GROUNDS for sighting in known]
    _write(drawn, names, places_of_names(image, names, outlines, grounds))
    return drawn


def draw_dice(image: Image, dice: Sequence[Sighting]) -> Image:
    """A copy of a picture that is laid over no table with the tops of dice, in pixels, as `draw_scene` does."""
    drawn = image.copy()
    tops = [np.array(die.outline_mm, np.float64) for die in dice]
    for die, top in zip(dice, tops, strict=True):
        _outline(drawn, top, _line(die.probability))
    names = [_with_percent(die.face, die.probability) for die in dice]
    _write(drawn, names, places_of_names(image, names, tops, [False] * len(dice)))
    return drawn


def draw_unread(image: Image, why: str) -> Image:
    """A copy of a picture that could not be read, with the reason written over its top in as many lines as it takes."""
    drawn = image.copy()
    lines: list[str] = []
    for word in why.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and _name_size(image, longer)[0] <= image.shape[1]:
            lines[-1] = longer
        else:
            lines.append(word)
    top = 0
    for line in lines:
        width, height, _ = _name_size(image, line)
        _write_name(drawn, line, NamePlace(0, top, min(width, image.shape[1]), height, ((0, 0), (0, 0))))
        top += height
    return drawn


def draw_swatch(name: str) -> Image:
    """What a name of `LEGEND` looks like in a picture as large as this would have it: a small picture of its own."""
    width, height = SWATCH_PX
    swatch = np.full((height, width, 3), SWATCH_GROUND, np.uint8)
    corners = np.array([[0.16, 0.18], [0.84, 0.18], [0.84, 0.82], [0.16, 0.82]]) * [width - 1, height - 1]
    match LEGEND[name]:
        case Line() as line:
            draw_line(swatch, corners, line, 2)
        case Hatching() as hatching:
            _draw_hatching(swatch, corners, hatching, 9)
    return swatch


def name_of(sighting: Sighting) -> str:
    """What is written beside a piece."""
    group, _, own = sighting.face.rpartition("/")
    return _with_percent(own if group == "special" else sighting.face, sighting.probability)


def places_of_names(
    image: Image, names: Sequence[str], outlines_px: Sequence[NDArray[Any]], grounds: Sequence[bool]
) -> list[NamePlace | None]:
    """Where each name stands; `grounds` says which outlines others lie on."""
    sizes = [_name_size(image, name) for name in names]
    things = [
        ToName(outline, (width, height), ground)
        for outline, (width, height, _), ground in zip(outlines_px, sizes, grounds, strict=True)
    ]
    return place_names(things, (image.shape[1], image.shape[0]))


def _with_percent(name: str, probability: float) -> str:
    percent = round(100 * probability)
    return name if percent >= 100 else f"{name} {percent}"


def _line(probability: float) -> Line:
    return SURE_LINE if probability >= SURE else DOUBTFUL_LINE


# Outlines and hatching ------------------------------------------------------------------------------------------------


def _outline(drawn: Image, outline_px: NDArray[Any], line: Line, changed: bool = False) -> None:
    thin = max(1, round(drawn.shape[1] / WIDTHS_PER_PICTURE))
    draw_line(drawn, outline_px, line, thin * (CHANGED_LINE.widths if changed else 1))


def draw_line(drawn: Image, outline_px: NDArray[Any], line: Line, thin: int) -> None:
    """An outline; `thin` is a thin line's width, pixels."""
    width = thin * line.widths
    whole = np.round(outline_px).astype(np.int32).reshape(-1, 1, 2)
    parts = _dashes(outline_px, line.dash * width) if line.dash else [whole]
    cv2.polylines(drawn, parts, not line.dash, line.colour, width, cv2.LINE_AA)


def _dashes(outline_px: NDArray[Any], length: float) -> list[NDArray[np.int32]]:
    """Pieces of an outline about so long, with gaps as long between."""
    dashes = []
    for start, end in zip(outline_px, np.roll(outline_px, -1, axis=0), strict=True):
        count = max(1, round(float(np.linalg.norm(end - start)) / (2.0 * length)))
        for number in range(count):
            ends = [start + (end - start) * ((number + share) / count) for share in (0.25, 0.75)]
            dashes.append(np.round(np.array(ends)).astype(np.int32).reshape(-1, 1, 2))
    return dashes


def _hatch(drawn: Image, outline_px: NDArray[Any], cause: HiddenCause) -> None:
    width = drawn.shape[1]
    if cause is HiddenCause.OUT_OF_PICTURE:
        edge = np.round(outline_px).astype(np.int32).reshape(-1, 1, 2)
        mask = np.zeros(drawn.shape[:2], np.uint8)
        cv2.polylines(mask, [edge], True, 255, 2 * max(2, round(width * EDGE_SHARE)))
        _draw_hatches(drawn, mask, HATCHINGS[cause], max(6, width // HATCHES_PER_PICTURE))
        return
    _draw_hatching(drawn, outline_px, HATCHINGS[cause], max(6, width // HATCHES_PER_PICTURE))


def _draw_hatching(drawn: Image, outline_px: NDArray[Any], hatching: Hatching, step: int) -> None:
    outline = np.round(outline_px).astype(np.int32).reshape(-1, 1, 2)
    mask = np.zeros(drawn.shape[:2], np.uint8)
    cv2.fillPoly(mask, [outline], 255)
    _draw_hatches(drawn, mask, hatching, step)
    cv2.polylines(drawn, [outline], True, hatching.colour, 1, cv2.LINE_AA)


def _draw_hatches(drawn: Image, mask: NDArray[np.uint8], hatching: Hatching, step: int) -> None:
    """Lines every `step` pixels where a mask is set."""
    left, top, width, height = cv2.boundingRect(mask)
    part = slice(top, top + height), slice(left, left + width)
    rows, columns = np.ogrid[top : top + height, left : left + width]
    lines = np.zeros((height, width), np.bool_)
    for across_x, across_y in hatching.runs:
        lines |= (columns * across_x + rows * across_y) % step < max(1.3, step / 8)
    drawn[part][lines & (mask[part] > 0)] = hatching.colour


# Names ----------------------------------------------------------------------------------------------------------------


def _write(drawn: Image, names: Sequence[str], places: Sequence[NamePlace | None]) -> None:
    """Names on dark ground, each with a line to its piece."""
    placed = [(name, place) for name, place in zip(names, places, strict=True) if place is not None]
    thin = max(1, round(drawn.shape[1] / 1900))
    for _, place in placed:
        start, end = place.line
        cv2.line(drawn, start, end, (0, 0, 0), thin + 2, cv2.LINE_AA)
        cv2.line(drawn, start, end, (255, 255, 255), thin, cv2.LINE_AA)
        cv2.circle(drawn, end, 2 * thin, (255, 255, 255), cv2.FILLED, cv2.LINE_AA)
    for name, place in placed:
        _write_name(drawn, name, place)


def _write_name(drawn: Image, name: str, place: NamePlace) -> None:
    thin = max(1, round(drawn.shape[1] / 1900))
    right, bottom = place.left + place.width, place.top + place.height
    drawn[place.top : bottom, place.left : right] //= 4
    _, _, baseline = _name_size(drawn, name)
    corner = (place.left + _margin(drawn), bottom - baseline - _margin(drawn))
    cv2.putText(drawn, name, corner, FONT, drawn.shape[1] / NAME_SHARE, (255, 255, 255), thin, cv2.LINE_AA)


def _name_size(image: Image, name: str) -> tuple[int, int, int]:
    """Width and height of a name with its margin, and how far letters reach below their line, pixels."""
    (width, height), baseline = cv2.getTextSize(name, FONT, image.shape[1] / NAME_SHARE, 1)
    below = baseline // 2
    return int(width) + 2 * _margin(image), int(height) + below + 2 * _margin(image), below


def _margin(image: Image) -> int:
    return max(1, int(image.shape[1]) // 640)


def _pixels(registration: Registration, points_mm: Sequence[Point]) -> NDArray[np.float64]:
    return registration.to_picture(np.array(points_mm))
