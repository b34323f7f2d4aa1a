"""Tables of dice as they were thrown: of any size and colour, on whatever lies there, some side by side; and flat
prints that look a little like dice."""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from random import Random

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.kit.cards import ORDER_CARD_MM
from hardware.simulated.artwork import Artwork
from hardware.simulated.bodies import thickness_mm
from hardware.simulated.dice import PIPS, Colour, DieLook, DieView
from hardware.simulated.lens import CameraModel
from hardware.simulated.lying import lying, outline_mm
from hardware.simulated.renderer import in_drawing_order
from hardware.simulated.surroundings import Picture
from hardware.simulated.world import PieceView
from vision.mat.markers import MARKERS_MM
from vision.scene import Point, Pose

Array = NDArray[np.float64]

SIDES_MM = (12.0, 50.0)
WITHOUT = 0.15
"""The share of tables on which no die lies."""
TOGETHER = 0.35
"""The share of dice that are thrown beside another one."""
MOST = 16
CLEAR_MM = 10.0
"""Around the mat's markers."""
FAINTEST = 35.0
"""Pips differ from their die by so much at least (CIELAB distance): fainter ones nobody could read."""
PRINTS = 12
PRINT_PX_PER_MM = 4.0
HIDES = 128
"""A pixel that a hand covers by more of 255 shows nothing of what lies there."""
HARDLY = 0.49
"""What is said to be visible at most of a top whose value cannot be told."""
_LOOKS = ((1, 2, 3), (2, 3, 1), (3, 1, 2), (1, 3, 2), (3, 2, 1), (2, 1, 3))


def thrown(rng: Random, below: Sequence[PieceView], reach_mm: Point) -> list[DieView]:
    """Up to MOST dice, ten or so, on the table and on what lies there; none on some tables."""
    if rng.random() < WITHOUT:
        return []
    looks = [some_look(rng) for _ in range(rng.randint(1, 4))]
    sizes = [_some_side(rng) for _ in looks]
    floors = _floors(below)
    dice: list[DieView] = []
    for _ in range(rng.randint(4, MOST)):
        kind = rng.randrange(len(looks) + 1)
        side, look = (_some_side(rng), some_look(rng)) if kind == len(looks) else (sizes[kind], looks[kind])
        for _ in range(40):
            pose = _somewhere(rng, dice, side, reach_mm)
            die = DieView(pose, side, _values(rng), look)
            base = _stands_on(die, floors)
            if base is not None and _free(die, dice, reach_mm):
                dice.append(DieView(pose, side, die.values, look, base))
                break
    return dice


def some_look(rng: Random) -> DieLook:
    """A die's colours and form."""
    body = _some_colour(rng)
    dark = _lab(body)[0] < 55.0
    pips = body
    while np.linalg.norm(_lab(pips) - _lab(body)) < FAINTEST:
        level = rng.uniform(205, 250) if dark else rng.uniform(8, 45)
        pips = (level, level, level) if rng.random() < 0.7 else _some_colour(rng)
    second = body
    if rng.random() < 0.2:
        blue, green, red = (min(255.0, max(0.0, part + rng.gauss(0, 35))) for part in body)
        second = (blue, green, red)
    radius = rng.uniform(0.07, 0.115)
    rounding = rng.uniform(0.03, 0.14)
    return DieLook(
        body=body,
        pips=pips,
        second=second if np.linalg.norm(_lab(pips) - _lab(second)) > FAINTEST else body,
        rounding=rounding,
        ball=rng.choice([0.9, rng.uniform(0.68, 0.8)]),
        pip_radius=radius,
        single_radius=radius * rng.uniform(1.0, 1.6),
        spacing=max(rng.uniform(0.21, 0.27), 2.2 * radius),
        drilled=rng.random() < 0.6,
        gloss=rng.choice([0.0, rng.uniform(0.0, 0.8)]),
        slants=rng.randrange(2**31),
    )


def die_label(die: DieView, visible: float, camera: CameraModel) -> dict[str, object]:
    """A die's truth, as the rendered tables' label files have it."""
    return {
        "kind": "die",
        "value": die.value,
        "x_mm": die.pose.x_mm,
        "y_mm": die.pose.y_mm,
        "angle_deg": die.pose.angle_deg % 90.0,
        "size_mm": die.side_mm,
        "outline_px": camera.project(die.corners_mm(1.0)).tolist(),
        "visible": visible,
    }


def tops_visible(dice: Sequence[DieView], camera: CameraModel, hands: Sequence[Picture]) -> list[float]:
    """The share of each die's top that neither a nearer die, nor a hand, nor the picture's edge hides; less than half
    where one of the nine places that pips may have is not wholly seen: its value cannot be told then."""
    order = in_drawing_order(dice, camera)
    hulls = [camera.project(np.vstack([die.corners_mm(0.0), die.corners_mm(1.0)])) for die in order]
    found = {}
    for number, die in enumerate(order):
        hidden = np.zeros((camera.height, camera.width), np.uint8)
        for hull in hulls[number + 1 :]:
            cv2.fillConvexPoly(hidden, cv2.convexHull(np.round(hull).astype(np.int32)), (1,))
        spots = camera.project(_on_top(die, np.linspace(-0.49, 0.49, 29)))
        pips = camera.project(_on_top(die, np.array([-0.35, -0.25, -0.15, 0.0, 0.15, 0.25, 0.35])))
        share, pattern = (float(_seen(places, hidden, hands).mean()) for places in (spots, pips))
        found[id(die)] = share if pattern == 1.0 else min(share, HARDLY)
    return [found[id(die)] for die in dice]


def _on_top(die: DieView, steps: Array) -> Array:
    """Points of a die's top (n x 3), `steps` of its side from its middle both ways."""
    corners = die.corners_mm(1.0)
    along, aside = corners[1] - corners[0], corners[3] - corners[0]
    return np.array([corners.mean(0) + a * along + b * aside for a in steps for b in steps])


def _seen(places_px: Array, hidden: Picture, hands: Sequence[Picture]) -> Array:
    columns, rows = np.round(places_px).astype(np.intp).T
    inside = (columns >= 0) & (rows >= 0) & (columns < hidden.shape[1]) & (rows < hidden.shape[0])
    rows, columns = np.where(inside, rows, 0), np.where(inside, columns, 0)
    seen = inside & (hidden[rows, columns] == 0)
    for hand in hands:
        seen &= hand[rows, columns] < HIDES
    return np.asarray(seen)


@cache
def prints() -> Mapping[str, Artwork]:
    """Square cards with what may be taken for dice printed on them: dice's faces, rings, buttons, toppings, words."""
    return {f"order/print-{number}": _print(Random(f"print {number}")) for number in range(PRINTS)}


def _print(rng: Random) -> Artwork:
    size = round(ORDER_CARD_MM * PRINT_PX_PER_MM)
    image = np.full((size, size, 4), 255, np.uint8)
    image[..., :3] = np.array(_some_colour(rng), np.uint8)
    cells = rng.randint(1, 3)
    for row in range(cells):
        for column in range(cells):
            wide = size / cells
            middle = ((column + 0.5) * wide, (row + 0.5) * wide)
            _draw_thing(rng, image, middle, wide * rng.uniform(0.45, 0.85))
    return Artwork(np.asarray(image, np.uint8), PRINT_PX_PER_MM, (size / 2 - 0.5, size / 2 - 0.5))


def _draw_thing(rng: Random, image: Picture, middle: Point, wide: float) -> None:
    ground, ink = (*_some_colour(rng), 255.0), (*_some_colour(rng), 255.0)
    turn = rng.uniform(0, 2 * math.pi)
    along = np.array([math.cos(turn), math.sin(turn)])
    aside = np.array([-along[1], along[0]])

    def dot(column: float, row: float, radius: float) -> None:
        at = np.array(middle) + wide * (column * along + row * aside)
        cv2.circle(image, (round(at[0] * 16), round(at[1] * 16)), round(radius * wide * 16), ink, -1, cv2.LINE_AA, 4)

    match rng.choice(["face", "spots", "ring", "word", "button"]):
        case "face":
            square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * wide / 2 @ np.array([along, aside]) + middle
            corners = np.round(square * 16).astype(np.int32)
            if rng.random() < 0.5:
                cv2.fillPoly(image, [corners], ground, cv2.LINE_AA, 4)
            if rng.random() < 0.5:
                cv2.polylines(image, [corners], True, ink, 2, cv2.LINE_AA, 4)
            for column, row in PIPS[rng.randint(1, 6)]:
                dot(0.25 * column, 0.25 * row, 0.09)
        case "spots":
            cv2.circle(image, (round(middle[0]), round(middle[1])), round(wide / 2), ground, -1, cv2.LINE_AA)
            for _ in range(rng.randint(1, 7)):
                dot(rng.uniform(-0.3, 0.3), rng.uniform(-0.3, 0.3), 0.08)
        case "ring":
            cv2.circle(image, (round(middle[0]), round(middle[1])), round(wide / 2), ink, round(wide / 8), cv2.LINE_AA)
            dot(0.0, 0.0, 0.1)
        case "button":
            cv2.circle(image, (round(middle[0]), round(middle[1])), round(wide / 2), ground, -1, cv2.LINE_AA)
            for column, row in PIPS[rng.choice([2, 4])]:
                dot(0.14 * column, 0.14 * row, 0.06)
        case _:
            spot = (round(middle[0] - wide / 2), round(middle[1] + wide / 4))
            cv2.putText(image, rng.choice(["AB", "88", "oo", "::", "Q?"]), spot, 0, wide / 45, ink, 3, cv2.LINE_AA)


def _some_colour(rng: Random) -> Colour:
    """Any colour; often white, ivory or black."""
    kind = rng.random()
    if kind < 0.25:
        level = rng.uniform(190, 250)
        return (level * rng.uniform(0.85, 1.0), level, level)
    if kind < 0.4:
        level = rng.uniform(10, 55)
        return (level, level, level)
    pixel = np.array([[[rng.randrange(180), round(rng.uniform(60, 255)), round(rng.uniform(40, 250))]]], np.uint8)
    blue, green, red = (float(part) for part in cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0])
    return (blue, green, red)


def _lab(colour: Colour) -> Array:
    return np.asarray(cv2.cvtColor(np.array([[colour]], np.float32) / 255, cv2.COLOR_BGR2Lab)[0, 0], np.float64)


def _some_side(rng: Random) -> float:
    return math.exp(rng.uniform(*(math.log(side) for side in SIDES_MM)))


def _values(rng: Random) -> tuple[int, int, int]:
    """Any of the 24 ways a die may lie, of dice of both hands."""
    along, aside, top = rng.choice(_LOOKS)
    along, aside, top = (value if rng.random() < 0.5 else 7 - value for value in (along, aside, top))
    return along, aside, top


def _somewhere(rng: Random, dice: Sequence[DieView], side: float, reach_mm: Point) -> Pose:
    if not dice or rng.random() >= TOGETHER:
        x, y = (rng.uniform(-reach, reach) for reach in reach_mm)
        return Pose(x, y, rng.uniform(0, 360))
    near = rng.choice(list(dice))
    face = near.pose.angle_deg + 90.0 * rng.randrange(4)
    turn, along = rng.choice([face, rng.uniform(0, 360)]), rng.uniform(-0.4, 0.4) * side
    askew = math.radians(turn - face)
    apart = near.side_mm / 2 + side / 2 * (abs(math.cos(askew)) + abs(math.sin(askew))) + abs(rng.gauss(0.2, 0.6))
    way = math.radians(face)
    x = near.pose.x_mm + apart * math.cos(way) - along * math.sin(way)
    return Pose(x, near.pose.y_mm + apart * math.sin(way) + along * math.cos(way), turn % 360)


def _free(die: DieView, dice: Sequence[DieView], reach_mm: Point) -> bool:
    foot = die.corners_mm(0.0)[:, :2].astype(np.float32)
    if (np.abs(foot) > np.array(reach_mm) + 5.0).any():
        return False
    low, high = foot.min(0) - CLEAR_MM, foot.max(0) + CLEAR_MM
    markers = [np.array(corners, np.float32) for corners in MARKERS_MM.values()]
    if any((low < marker.max(0)).all() and (marker.min(0) < high).all() for marker in markers):
        return False
    feet = (other.corners_mm(0.0)[:, :2].astype(np.float32) for other in dice)
    return all(cv2.intersectConvexConvex(foot, other)[0] < 0.01 for other in feet)


def _floors(below: Sequence[PieceView]) -> list[tuple[Array, float]]:
    """Outlines of what lies there, bottom first, and how high their upper sides are."""
    return [
        (np.array(outline_mm(view.kind, view.pose), np.float32), lies.base_mm + thickness_mm(view.kind))
        for view, lies in zip(below, lying(below), strict=True)
    ]


def _stands_on(die: DieView, floors: Sequence[tuple[Array, float]]) -> float | None:
    """How high a die stands; None where it would stand half on something."""
    foot = die.corners_mm(0.0)[:, :2].astype(np.float32)
    base = 0.0
    for outline, top in floors:
        shared, _ = cv2.intersectConvexConvex(cv2.convexHull(outline), foot)
        if shared < 0.01:
            continue
        if shared < 0.98 * die.side_mm**2:
            return None
        base = max(base, top)
    return base
