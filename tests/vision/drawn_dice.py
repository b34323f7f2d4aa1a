"""Dice of our own, drawn with a few strokes: cubes of any colour on made-up surfaces, seen by a tilted camera.

They train the dice reader's models and test it where no photographs are at hand. What lies about besides (blank cubes,
cubes with numbers, printed dots and lines, a finger over a die) is there so that it is not taken for a die.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulated.dice import PIPS
from tests.vision.drawn_solid_dice import (
    Room,
    draw_solid,
    lamps_above,
    polished,
    ring_around,
    solid_style,
    some_room,
)
from vision.frame import Image
from vision.mat.registration import Registration

Array = NDArray[np.float64]
Rng = np.random.Generator

FACE_PX = 48
SOLIDS = 0.7
"""So many dice are drawn as solids, the others with flat faces."""
FAINT_LEVELS = 32.0
"""Pips whose colour differs less from the die's are not drawn: nobody could read them."""
FAR_ENOUGH, NEAR = 9.0, 3.5
"""How near the camera may be, in sides of a die: as a rule, and in pictures from low down, where some fill it,"""
WIDEST = 0.7
"""but never so near that a wide lens would be needed: so many widths of what the picture shows;"""
BEFORE_CAMERA = 2.5
"""and no die lies nearer to it than so many sides."""
SOLD_RGB = (
    (28, 26, 28), (60, 56, 56), (120, 118, 116), (240, 238, 232), (235, 222, 190), (190, 24, 34), (120, 16, 30),
    (225, 90, 90), (235, 110, 30), (240, 210, 40), (40, 150, 60), (16, 80, 50), (20, 140, 150), (30, 110, 200),
    (30, 40, 130), (90, 40, 130), (60, 25, 80), (230, 120, 170), (110, 70, 40), (180, 150, 70), (170, 170, 175),
)  # fmt: skip
"""Colours of dice in shops, about."""
SOLD_PIPS_RGB = ((245, 245, 240), (15, 15, 18), (200, 25, 35), (215, 180, 80), (240, 215, 60), (60, 120, 220))
SOLD_PIPS_SHARES = (0.38, 0.18, 0.25, 0.09, 0.05, 0.05)


@dataclass(frozen=True)
class DrawnDie:
    """A die in a drawn picture."""

    value: int
    """1 to 6, or 0 where its top cannot be read."""
    box: tuple[float, float, float, float]
    """Left, top, right, bottom of its silhouette in pixels."""
    top_px: Array
    """4 x 2 corners of the top face."""
    foot_px: Array
    """4 x 2 corners of the face it stands on."""
    turn_deg: float
    """How far a side of the top face is turned in the table's plane from the direction away from the viewer."""
    to_px: Array
    """2 x 2: a tenth of a side to the right and away from the viewer, in pixels at the top face."""


class Viewer(Protocol):
    """Where points in space are seen."""

    @property
    def place(self) -> Array:
        """Where the camera is."""
        ...

    def project(self, points: Array) -> Array:
        """Pixels of points (n x 3; x to the right, y away, z up)."""
        ...


@dataclass(frozen=True)
class TableView:
    """The camera of a picture that is laid over the table; millimetres."""

    registration: Registration

    @property
    def place(self) -> Array:
        """Where the camera is."""
        return np.array(self.registration.camera_mm)

    def project(self, points: Array) -> Array:
        """Pixels of points."""
        seen = [self.registration.seen_from_table(point[None, :2], float(point[2]))[0] for point in points]
        return self.registration.to_picture(seen)


@dataclass(frozen=True)
class Camera:
    """A pinhole above the table, in sides of a die."""

    tilt_deg: float
    distance: float
    focal_px: float
    roll_deg: float
    centre_px: tuple[float, float]

    def project(self, points: Array) -> Array:
        """Pixels of points (n x 3; x to the right, y away, z up)."""
        tilt, roll = np.radians(self.tilt_deg), np.radians(self.roll_deg)
        y = points[:, 1] * np.cos(tilt) + points[:, 2] * np.sin(tilt)
        depth = self.distance + points[:, 1] * np.sin(tilt) - points[:, 2] * np.cos(tilt)
        flat = np.column_stack([points[:, 0], -y]) * (self.focal_px / depth)[:, None]
        turn = np.array([[np.cos(roll), -np.sin(roll)], [np.sin(roll), np.cos(roll)]])
        return np.asarray(flat @ turn.T + self.centre_px)

    @property
    def place(self) -> Array:
        """Where the camera is."""
        tilt = np.radians(self.tilt_deg)
        return np.array([0.0, -np.sin(tilt), np.cos(tilt)]) * self.distance


@dataclass(frozen=True)
class Die:
    """A die that stands on the table."""

    x: float
    y: float
    side: float
    turn: float
    value: int
    style: dict[str, Any]


def photograph_dice(
    rng: Rng, table: Image, dice: Sequence[Die], viewer: Viewer, *, shaded: bool = False
) -> tuple[Image, list[DrawnDie]]:
    """A picture of a table with dice put on it; `shaded`: their shadows are there already."""
    picture = table.astype(np.float64)
    truth = _put(rng, picture, dice, viewer, shaded=shaded)
    seen = cv2.GaussianBlur(picture, (0, 0), 0.6) + rng.normal(0, 2.0, picture.shape)
    return np.asarray(np.clip(seen, 0, 255), np.uint8), truth


def _put(
    rng: Rng,
    picture: Array,
    dice: Sequence[Die],
    viewer: Viewer,
    *,
    from_above: bool = False,
    ring: bool = False,
    shaded: bool = False,
) -> list[DrawnDie]:
    """Draw them with their shadows, the farthest first; `from_above`: all lamps are above them; `ring`: one more is a
    ring around the camera; `shaded`: their shadows are there already."""
    light, room = rng.normal(0, 0.5, 2), some_room(rng)
    room = lamps_above(rng, room) if from_above else room
    room = ring_around(rng, room, viewer.place) if ring else room
    if not shaded:
        _shade(rng, picture, dice, viewer, light)
    truth: list[DrawnDie] = []
    for die in sorted(dice, key=lambda d: -float(np.linalg.norm(viewer.place - [d.x, d.y, d.side / 2]))):
        drawn = _draw(rng, picture, die, viewer, (light, room))
        truth = [*(_behind(other, drawn) for other in truth), drawn]
    return truth


def draw_dice(
    rng: Rng,
    size: int = 224,
    *,
    cloth: Image | None = None,
    side_px: float | None = None,
    most: int = 6,
    tilts_deg: tuple[float, float] | None = None,
    sixes: float = 0.0,
    dim: float = 0.0,
    shiny: float = 0.0,
    sold: float = 0.0,
    rows: bool = False,
) -> tuple[Image, list[DrawnDie], float]:
    """A square picture of up to `most` dice of about the same size, what is true of them, and the camera's roll in
    degrees (0: away from the viewer is up). They stand on `cloth` (as large), else on some other surface. `tilts_deg`:
    how far the camera is tilted from straight above, least and most, and it may be near; else 0 to 57, mostly little.
    `sixes`: so many dice show a 6, and the others any value. `dim`: so many have pips that are hardly lighter or darker
    than they. `shiny`: so many mirror the lamps above. `sold`: so many look as dice in shops do, mostly polished and on
    a plain table, often in the light of a ring around the camera. `rows`: they are alike and stand flush in a row."""
    kind = rng.random()
    tilt = rng.uniform(0, 14) if kind < 0.45 else rng.uniform(10, 30) if kind < 0.83 else rng.uniform(30, 57)
    tilt = rng.uniform(*tilts_deg) if tilts_deg else tilt
    side = side_px or float(np.exp(rng.uniform(np.log(15), np.log(52))))
    nearest = max(NEAR, WIDEST * size / side) if tilts_deg else FAR_ENOUGH
    distance = float(np.exp(rng.uniform(np.log(nearest), np.log(50))))
    roll = rng.uniform(0, 360) if tilt < 30 else rng.uniform(-25, 25)
    camera = Camera(tilt, distance, side * distance, roll, (size / 2, size / 2))
    picture = background(rng, size) if cloth is None else cloth.astype(np.float64)
    plain, ring = (sold > 0 and rng.random() < share for share in (0.8, 0.6))
    picture = plain_table(rng, size) if plain else picture
    dice = _in_a_row(rng, most) if rows else _lay_out(rng, size / side, most)
    dice = [die for die in dice if np.linalg.norm(camera.place - [die.x, die.y, die.side]) > BEFORE_CAMERA]
    dice = [replace(die, value=6) if sixes and rng.random() < sixes else die for die in dice]
    dice = [replace(die, style=dim_style(rng)) if dim and rng.random() < dim else die for die in dice]
    dice = [replace(die, style=shiny_style(rng)) if shiny and rng.random() < shiny else die for die in dice]
    dice = [replace(die, style=sold_style(rng)) if sold and rng.random() < sold else die for die in dice]
    truth = _put(rng, picture, dice, camera, from_above=shiny + sold > 0, ring=ring)
    truth = _hide_some(rng, picture, truth)
    truth = [die for die in truth if _inside(die.box, size)]
    return as_photographed(rng, picture), truth, roll


def _behind(die: DrawnDie, nearer: DrawnDie) -> DrawnDie:
    """The die as it is seen behind a nearer one: unreadable where that hides its top."""
    hull = cv2.convexHull(np.vstack([nearer.top_px, nearer.foot_px]).astype(np.float32))
    top = die.top_px.astype(np.float32)
    area, _ = cv2.intersectConvexConvex(cv2.convexHull(top), hull)
    return replace(die, value=0) if area > 0.1 * cv2.contourArea(top) else die


def _inside(box: Sequence[float], size: int) -> bool:
    return box[0] > -2 and box[1] > -2 and box[2] < size + 2 and box[3] < size + 2


def _lay_out(rng: Rng, room: float, most: int) -> list[Die]:
    """Dice that do not stand in each other; often close together."""
    dice: list[Die] = []
    same = die_style(rng) if rng.random() < 0.4 else None
    spread = min(room / 2, rng.uniform(1.5, 8.0))
    for _ in range(int(rng.integers(1, most + 1)) * 3):
        side = float(np.exp(rng.normal(0, 0.1)))
        if dice and rng.random() < 0.4:
            near = dice[int(rng.integers(len(dice)))]
            turn, way = near.turn + rng.choice([0.0, rng.uniform(0, 90)]), rng.uniform(0, 2 * np.pi)
            apart = (side + near.side) / 2 * rng.uniform(1.0, 1.45)
            if turn == near.turn:
                way = np.radians(turn) + rng.integers(4) * np.pi / 2
            x, y = near.x + apart * np.cos(way), near.y + apart * np.sin(way)
        else:
            (x, y), turn = rng.uniform(-spread, spread, 2), rng.uniform(0, 90)
        die = Die(float(x), float(y), side, float(turn), int(rng.integers(1, 7)), same or die_style(rng))
        if all(not _overlap(die, other) for other in dice):
            dice.append(die)
        if len(dice) >= most:
            break
    return dice


def _in_a_row(rng: Rng, most: int) -> list[Die]:
    """Dice of one make that stand flush, or nearly so, in a row or in two."""
    style, turn, apart = die_style(rng) | {"what": "dots"}, float(rng.uniform(0, 90)), float(rng.uniform(1.0, 1.08))
    count, columns = int(rng.integers(2, max(most, 2) + 1)), int(rng.integers(2, 5))
    way = np.radians(turn)
    axes = np.array([[np.cos(way), np.sin(way)], [-np.sin(way), np.cos(way)]]) * apart
    steps = np.array([divmod(number, columns)[::-1] for number in range(count)], np.float64)
    places = (steps - steps.mean(0) + rng.normal(0, 0.02, steps.shape)) @ axes
    return [Die(float(x), float(y), 1.0, turn, int(rng.integers(1, 7)), style) for x, y in places]


def _overlap(first: Die, second: Die) -> bool:
    area, _ = cv2.intersectConvexConvex(foot_of(first).astype(np.float32), foot_of(second).astype(np.float32))
    return area > 0.01


def foot_of(die: Die) -> Array:
    """The corners (4 x 2) of the face it stands on."""
    turn = np.radians(die.turn)
    axes = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return np.asarray(np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * die.side / 2 @ axes + [die.x, die.y])


def some_colour(rng: Rng) -> Array:
    """Any colour a die, a table or ink may have: often near white or black."""
    kind = rng.random()
    if kind < 0.22:
        return np.array(rng.uniform(175, 250)) + rng.normal(0, 8, 3)
    if kind < 0.38:
        return np.array(rng.uniform(12, 60)) + rng.normal(0, 6, 3)
    hsv = np.array([[[rng.integers(180), rng.uniform(90, 255), rng.uniform(60, 250)]]], np.uint8)
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0], np.float64)


def die_style(rng: Rng) -> dict[str, Any]:
    """A die's colours and form."""
    body, pips = some_colour(rng), some_colour(rng)
    luma = np.array([0.114, 0.587, 0.299])
    while np.abs((body - pips) @ luma) < FAINT_LEVELS and np.abs(body - pips).max() < 2.2 * FAINT_LEVELS:
        body, pips = some_colour(rng), some_colour(rng)
    if rng.random() < 0.5:
        pips = np.array(rng.uniform(200, 250) if body @ luma < 120 else rng.uniform(5, 50)) + rng.normal(0, 5, 3)
    radius = rng.uniform(0.055, 0.125)
    style: dict[str, Any] = {
        "body": body,
        "second": np.clip(body + rng.normal(0, 45, 3), 0, 255) if rng.random() < 0.3 else body,
        "pips": pips,
        "radius": radius,
        "one": (radius * rng.uniform(1.0, 1.7), some_colour(rng) if rng.random() < 0.1 else pips),
        "spacing": max(rng.uniform(0.18, 0.29), radius * 2.15),
        "round": rng.uniform(0.05, 0.5),
        "sunk": rng.random() < 0.5,
        "edge": rng.uniform(0.75, 1.25),
        "speckle": rng.uniform(0, 12),
        "what": "dots" if rng.random() < 0.86 else rng.choice(["blank", "numbers"]),
        "gloss": rng.random() < 0.3,
        "solid": False,
    }
    style["six"] = _six(rng.spawn(1)[0], style)
    return style | {"solid": True} | solid_style(rng, some_colour) if rng.random() < SOLIDS else style


def dim_style(rng: Rng) -> dict[str, Any]:
    """A die whose pips differ from it in colour more than in lightness, such as red on black; glossy as a rule."""
    luma = np.array([0.114, 0.587, 0.299])
    body, pips = np.zeros(3), np.zeros(3)
    while np.abs(body - pips).max() < 2.2 * FAINT_LEVELS or np.abs((body - pips) @ luma) > 1.3 * FAINT_LEVELS:
        body = rng.uniform(15, 85) * np.exp(rng.normal(0, 0.12, 3)) if rng.random() < 0.6 else some_colour(rng)
        pips = some_colour(rng)
    style = die_style(rng) | {"what": "dots", "solid": True}
    style |= solid_style(rng, some_colour) | {"body": body, "second": body, "pips": pips, "worn": 0.0, "marble": None}
    return style | {"one": (style["one"][0], pips), "odd": {}}


def shiny_style(rng: Rng) -> dict[str, Any]:
    """A polished die, its pips often of little lightness, or its body of two colours from which they both differ."""
    kind = rng.random()
    if kind < 0.4:
        return dim_style(rng) | polished(rng)
    style = die_style(rng)
    style |= {"what": "dots", "solid": True} | solid_style(rng, some_colour) | {"worn": 0.0, "odd": {}} | polished(rng)
    if kind < 0.7:
        return style
    pips = style["pips"]
    bodies = [pips, pips]
    while min(np.abs(body - pips).max() for body in bodies) < 2.2 * FAINT_LEVELS:
        bodies = [some_colour(rng), some_colour(rng) if rng.random() < 0.5 else np.full(3, rng.uniform(5, 45))]
    return style | {"body": bodies[0], "second": bodies[0], "marble": bodies[1], "one": (style["one"][0], pips)}


def sold_style(rng: Rng) -> dict[str, Any]:
    """A die in colours of dice in shops, every second one of two, and most of them polished."""
    body, pips, marble = np.zeros(3), np.zeros(3), None
    while min(np.abs(one - pips).max() for one in ([body] if marble is None else [body, marble])) < 2 * FAINT_LEVELS:
        body, marble = _sold_colour(rng), _sold_colour(rng) if rng.random() < 0.5 else None
        marble = np.full(3, rng.uniform(12, 45)) if marble is not None and rng.random() < 0.4 else marble
        pips = np.array(SOLD_PIPS_RGB[rng.choice(len(SOLD_PIPS_RGB), p=SOLD_PIPS_SHARES)][::-1], np.float64)
        pips = np.clip(pips + rng.normal(0, 12, 3), 0, 255)
    style = die_style(rng) | {"what": "dots", "solid": True} | solid_style(rng, some_colour)
    style |= {"body": body, "second": body, "marble": marble, "pips": pips, "worn": 0.0, "odd": {}}
    style |= {"speckle": rng.uniform(0, 5), "one": (style["one"][0], pips)}
    return style | polished(rng) if rng.random() < 0.75 else style


def _sold_colour(rng: Rng) -> Array:
    colour = np.array(SOLD_RGB[rng.integers(len(SOLD_RGB))][::-1], np.float64)
    return np.asarray(np.clip(colour * np.exp(rng.normal(0, 0.15)) + rng.normal(0, 10, 3), 0, 255))


def _six(rng: Rng, style: dict[str, Any]) -> tuple[float, float]:
    """How far apart the two columns of a 6 are, and their pips, as shares of what they are in a square; closer columns
    are common."""
    if rng.random() < 0.5:
        return 1.0, 1.0
    least = style["radius"] / style["spacing"]
    return max(rng.uniform(0.55, 1.05), 1.1 * least), max(rng.uniform(0.85, 1.12), 2.1 * least)


def _face(rng: Rng, value: int, style: dict[str, Any], light: float) -> tuple[Array, Array]:
    """A face's colours and its mask, FACE_PX wide."""
    n = FACE_PX
    cloud = cv2.resize(rng.random((4, 4)), (n, n), interpolation=cv2.INTER_CUBIC)[..., None]
    face = style["body"] * cloud + style["second"] * (1 - cloud)
    yy, xx = np.mgrid[0:n, 0:n].astype(np.float64) / n - 0.5 + 0.5 / n
    if style["what"] == "dots":
        swap = rng.random() < 0.5
        wide, high = style.get("six", (1.0, 1.0)) if value == 6 else (1.0, 1.0)
        for column, row in ((column * wide, row * high) for column, row in PIPS[value]):
            across, up = (row, column) if swap else (column, row)
            if value in (2, 3) and not swap:
                up = -up
            radius, colour = style["one"] if value == 1 else (style["radius"], style["pips"])
            x, y = across * style["spacing"], up * style["spacing"]
            inside = np.clip((radius - np.hypot(xx - x, yy - y)) * n + 0.5, 0, 1)[..., None]
            shaded = colour + (rng.uniform(-50, 50) * ((xx - x) + (yy - y)) / radius)[..., None] * style["sunk"]
            face = face * (1 - inside) + shaded * inside
    elif style["what"] == "numbers":
        face = np.ascontiguousarray(np.clip(face, 0, 255), np.uint8)
        colour = tuple(float(c) for c in np.clip(style["pips"], 0, 255))
        text = str(rng.integers(0, 21))
        font = int(rng.choice([cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX]))
        spot = (round(n * (0.35 if len(text) == 1 else 0.2)), round(n * 0.7))
        cv2.putText(face, text, spot, font, n / 48, colour, 2, cv2.LINE_AA)
    face = face.astype(np.float64) * light + rng.normal(0, style["speckle"], (n, n, 1))
    bevel = np.clip((np.maximum(np.abs(xx), np.abs(yy)) - 0.44) / 0.06, 0, 1)[..., None]
    face = face * (1 + (style["edge"] - 1) * bevel)
    corner = style["round"] * 0.5
    reach = np.hypot(np.maximum(np.abs(xx) - (0.5 - corner), 0), np.maximum(np.abs(yy) - (0.5 - corner), 0))
    return np.asarray(np.clip(face, 0, 255)), np.clip((corner - reach) * n + 0.5, 0, 1)


def _gloss(rng: Rng, face: Array) -> Array:
    """A lamp or a window in the top face."""
    n = FACE_PX
    if rng.random() < 0.5:
        yy, xx = np.mgrid[0:n, 0:n] / n
        x, y, wide = rng.uniform(0, 1), rng.uniform(0, 1), rng.uniform(0.05, 0.3)
        spot = np.exp(-((xx - x) ** 2 + (yy - y) ** 2) / wide**2) * rng.uniform(0.3, 0.9)
    else:
        cells = rng.random((int(rng.integers(2, n)), int(rng.integers(2, n))))
        spot = cv2.resize(cells, (n, n), interpolation=cv2.INTER_LINEAR) * rng.uniform(0.1, 0.55)
    return np.asarray(face + (rng.uniform(190, 255) - face) * spot[..., None])


def _draw(rng: Rng, picture: Array, die: Die, viewer: Viewer, lit: tuple[Array, Room]) -> DrawnDie:
    light, room = lit
    foot = foot_of(die)
    low = np.column_stack([foot, np.zeros(4)])
    high = np.column_stack([foot, np.full(4, die.side)])
    px_low, px_high = viewer.project(low), viewer.project(high)
    hull = cv2.convexHull(np.vstack([px_low, px_high]).astype(np.float32)).reshape(-1, 2)
    style = die.style
    sun = np.append(light, 1.5)
    sun = sun / np.linalg.norm(sun)
    ambient = rng.uniform(0.35, 0.75)
    bodies = [(px_high, np.array([0.0, 0.0, 1.0]), die.value)]
    side_values = [v for v in rng.permutation(6) + 1 if v not in (die.value, 7 - die.value)]
    for k in range(4):
        a, b = k, (k + 1) % 4
        middle = np.append((foot[a] + foot[b]) / 2, die.side / 2)
        normal = np.append((foot[a] + foot[b]) / 2 - [die.x, die.y], 0.0) / (die.side / 2)
        if normal @ (viewer.place - middle) > 0:
            bodies.append((np.array([px_high[b], px_high[a], px_low[a], px_low[b]]), normal, int(side_values[k])))
    left, top = np.floor(hull.min(0)).astype(int) - 3
    right, bottom = np.ceil(hull.max(0)).astype(int) + 4
    box = tuple(float(v) for v in (*hull.min(0), *hull.max(0)))
    whole = (max(left, 0), max(top, 0), min(right, picture.shape[1]), min(bottom, picture.shape[0]))
    if whole[0] < whole[2] and whole[1] < whole[3]:
        size = (int(right - left), int(bottom - top))
        if style["solid"]:
            patch, mask = _solid(rng, die, viewer, (left, top, *size), room)
        else:
            here = [(corners - [left, top], normal, value) for corners, normal, value in bodies]
            patch, mask = _cube(rng, here, style, hull - [left, top], size, (sun, ambient))
        cut = (slice(whole[1] - top, whole[3] - top), slice(whole[0] - left, whole[2] - left))
        part = picture[whole[1] : whole[3], whole[0] : whole[2]]
        part += (patch[cut] - part) * mask[cut][..., None]
    steps = np.array([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0]]) * die.side + [die.x, die.y, die.side]
    at = viewer.project(steps)
    to_px = np.column_stack([at[1] - at[0], at[2] - at[0]])
    value = die.value if style["what"] == "dots" else 0
    return DrawnDie(value, (box[0], box[1], box[2], box[3]), px_high, px_low, die.turn % 90, to_px)


def _solid(rng: Rng, die: Die, viewer: Viewer, box: tuple[int, int, int, int], room: Room) -> tuple[Array, Array]:
    """The die as a solid, in a box of the picture (left, top, width, height), and its mask."""
    turn = np.radians(die.turn)
    middle = np.array([die.x, die.y, die.side / 2])
    axes = np.array([[np.cos(turn), np.sin(turn), 0], [-np.sin(turn), np.cos(turn), 0], [0, 0, 1]]) * die.side
    square = np.array([[-2, -2], [2, -2], [2, 2], [-2, 2]]) * die.side + [die.x, die.y]
    seen = viewer.project(np.column_stack([square, np.zeros(4)]))
    to_table = cv2.getPerspectiveTransform(seen.astype(np.float32), square.astype(np.float32))
    left, top, wide, high = box
    columns, rows = np.meshgrid(np.arange(2 * wide) / 2 - 0.25 + left, np.arange(2 * high) / 2 - 0.25 + top)
    at = np.column_stack([columns.ravel(), rows.ravel(), np.ones(columns.size)]) @ to_table.T
    ends = np.column_stack([at[:, :2] / at[:, 2:], np.zeros(len(at))])
    one, other = rng.permutation([v for v in range(1, 7) if v not in (die.value, 7 - die.value)])[:2]
    values = (int(one), 7 - int(one), int(other), 7 - int(other), die.value)
    return draw_solid(rng, die.style, values, (middle, axes, viewer.place), (ends, (2 * wide, 2 * high)), room)


def _cube(
    rng: Rng,
    bodies: Sequence[tuple[Array, Array, int]],
    style: dict[str, Any],
    hull: Array,
    size: tuple[int, int],
    lamp: tuple[Array, float],
) -> tuple[Array, Array]:
    """The die by itself and its mask, drawn twice as fine and shrunk."""
    fine = 2
    wide, high = size[0] * fine, size[1] * fine
    mask: NDArray[np.uint8] = np.zeros((high, wide), np.uint8)
    cv2.fillConvexPoly(mask, np.round(hull * fine * 8).astype(np.int32), 255, cv2.LINE_AA, 3)
    side_px = float(np.sqrt(cv2.contourArea(bodies[0][0].astype(np.float32)))) * fine
    bite = round(side_px * style["round"] * 0.35)
    if bite > 1:
        round_ = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * bite + 1, 2 * bite + 1))
        padded = cv2.copyMakeBorder(mask, bite, bite, bite, bite, cv2.BORDER_CONSTANT, value=0)
        opened = np.asarray(cv2.morphologyEx(padded, cv2.MORPH_OPEN, round_), np.uint8)
        mask = opened[bite:-bite, bite:-bite]
    sun, ambient = lamp
    dull = ambient + (1 - ambient) * 0.5
    patch = np.empty((high, wide, 3), np.float32)
    patch[:] = np.clip(style["body"] * dull * style["edge"], 0, 255)
    square = np.array([[0, 0], [FACE_PX, 0], [FACE_PX, FACE_PX], [0, FACE_PX]], np.float32) - 0.5
    for number, (corners, normal, value) in enumerate(bodies):
        light = ambient + (1 - ambient) * max(0.0, float(normal @ sun))
        face, alpha = _face(rng, value, style, light)
        if number == 0 and style["gloss"]:
            face = _gloss(rng, face)
        to_patch = cv2.getPerspectiveTransform(square, (corners * fine).astype(np.float32))
        seen = cv2.warpPerspective(np.dstack([face, alpha]).astype(np.float32), to_patch, (wide, high))
        patch = np.where(seen[..., 3:] > 0.02, patch + (seen[..., :3] - patch) * np.minimum(seen[..., 3:], 1), patch)
    small = cv2.resize(patch, size, interpolation=cv2.INTER_AREA)
    return small.astype(np.float64), np.asarray(
        cv2.resize(mask, size, interpolation=cv2.INTER_AREA) / 255.0, np.float64
    )


def _shade(rng: Rng, picture: Array, dice: Sequence[Die], viewer: Viewer, light: Array) -> None:
    """Shadows on the table, darkest where the dice stand."""
    shade = np.zeros(picture.shape[:2], np.uint8)
    for die in dice:
        foot = foot_of(die)
        cast = np.vstack([foot, foot - light * die.side * 0.8])
        at = cv2.convexHull(viewer.project(np.column_stack([cast, np.zeros(8)])).astype(np.float32))
        cv2.fillConvexPoly(shade, np.round(at).astype(np.int32), 255)
    soft = cv2.GaussianBlur(shade, (0, 0), rng.uniform(1, 8)).astype(np.float64) / 255
    picture *= (1 - soft * rng.uniform(0.05, 0.7))[..., None]


def _hide_some(rng: Rng, picture: Array, dice: list[DrawnDie]) -> list[DrawnDie]:
    """Now and then something lies over a die: then its top is not to be read."""
    if not dice or rng.random() > 0.12:
        return dice
    victim = int(rng.integers(len(dice)))
    die = dice[victim]
    middle = die.top_px.mean(0)
    side = float(np.sqrt(cv2.contourArea(die.top_px.astype(np.float32))))
    way = rng.uniform(0, 2 * np.pi)
    skin = np.array([120, 150, 205]) * rng.uniform(0.4, 1.15) if rng.random() < 0.6 else some_colour(rng)
    start = middle + side * rng.uniform(0.0, 0.35) * np.array([np.cos(way), np.sin(way)])
    end = start + 400 * np.array([np.cos(way + rng.normal(0, 0.4)), np.sin(way)])
    tips = [tuple(int(v) for v in np.round(p)) for p in (start, end)]
    width = max(3, round(side * rng.uniform(0.6, 1.4)))
    layer = picture.copy()
    cv2.line(layer, tips[0], tips[1], tuple(float(c) for c in skin), width, cv2.LINE_AA)
    picture[:] = layer
    covered = []
    for number, other in enumerate(dice):
        mask = np.zeros(picture.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, np.round(other.top_px).astype(np.int32), 1)
        line = np.zeros_like(mask)
        cv2.line(line, tips[0], tips[1], 1, width)
        share = float((mask & line).sum()) / max(float(mask.sum()), 1.0)
        hidden = number == victim or share > 0.08
        covered.append(replace(other, value=0) if hidden else other)
    return covered


def background(rng: Rng, size: int) -> Array:
    """A table without anything on it but prints."""
    kind = rng.random()
    first, second = some_colour(rng), some_colour(rng)
    if rng.random() < 0.5:
        second = np.clip(first + rng.normal(0, 18, 3), 0, 255)
    if kind < 0.7:
        share = np.linspace(0, 1, size)[:, None, None] * rng.uniform(0, 1)
        canvas = first * (1 - share) + second * share + np.zeros((size, size, 1))
    else:
        cells = (int(np.exp(rng.uniform(0.7, 4.5))), int(np.exp(rng.uniform(0.7, 4.5))))
        noise = cv2.resize(rng.random(cells), (size, size), interpolation=cv2.INTER_CUBIC)[..., None]
        if rng.random() < 0.3:
            noise = (noise > 0.5).astype(np.float64)
        canvas = first * noise + second * (1 - noise)
    levels = np.ascontiguousarray(np.clip(canvas, 0, 255), np.uint8)
    if rng.random() < 0.55:
        _print(rng, levels)
    return np.asarray(
        levels + cv2.GaussianBlur(rng.normal(0, rng.uniform(0, 25), (size, size)), (0, 0), 0.7)[..., None]
    )


def plain_table(rng: Rng, size: int) -> Array:
    """A table of one colour, white or grey as a rule, in light that falls off slowly, with a little grain."""
    colour = (
        np.full(3, rng.uniform(60, 235)) * np.exp(rng.normal(0, 0.03, 3)) if rng.random() < 0.7 else some_colour(rng)
    )
    corners = np.exp(rng.normal(0, rng.uniform(0, 0.2), (2, 2)))
    light = cv2.resize(corners, (size, size), interpolation=cv2.INTER_LINEAR)[..., None]
    grain = cv2.GaussianBlur(rng.normal(0, rng.uniform(0, 8), (size, size)), (0, 0), 0.8)[..., None]
    return np.asarray(colour * light + grain)


def _print(rng: Rng, canvas: Image) -> None:
    """Lines, dots, patterns of dots, circles and writing that lie flat on the table."""
    size = canvas.shape[0]
    for _ in range(int(rng.integers(1, 14))):
        colour = tuple(float(c) for c in np.clip(some_colour(rng), 0, 255))
        x, y = (int(v) for v in rng.integers(0, size, 2))
        kind = rng.integers(6)
        if kind == 0:
            cv2.line(canvas, (x, y), tuple(int(v) for v in rng.integers(0, size, 2)), colour, int(rng.integers(1, 6)))
        elif kind == 1:
            cv2.circle(canvas, (x, y), int(rng.integers(2, 40)), colour, int(rng.choice([-1, 1, 2, 4])))
        elif kind == 2:
            text = "".join(chr(int(c)) for c in rng.integers(65, 91, 4))
            cv2.putText(canvas, text, (x, y), 0, rng.uniform(0.4, 1.5), colour, int(rng.integers(1, 4)), cv2.LINE_AA)
        elif kind == 3:
            wide, high = (int(v) for v in rng.integers(6, 80, 2))
            cv2.rectangle(canvas, (x, y), (x + wide, y + high), colour, int(rng.choice([-1, 1, 3])))
        elif kind == 4:
            for dx, dy in rng.integers(-30, 30, (int(rng.integers(3, 14)), 2)):
                cv2.circle(canvas, (x + int(dx), y + int(dy)), int(rng.integers(1, 6)), colour, -1, cv2.LINE_AA)
        else:
            step = int(rng.integers(5, 14))
            for i, j in np.ndindex(int(rng.integers(1, 6)), int(rng.integers(2, 6))):
                cv2.circle(canvas, (x + i * step, y + j * step), max(1, step // 4), colour, -1, cv2.LINE_AA)


def as_photographed(rng: Rng, picture: Array) -> Image:
    """What a camera makes of it: white balance, exposure, blur, noise, sharpening, JPEG."""
    picture = np.clip(picture, 0, 255) * np.exp(rng.normal(0, 0.1, 3)) * np.exp(rng.normal(-0.15, 0.3))
    if rng.random() < 0.25:
        size = picture.shape[0]
        edge = cv2.resize(rng.random((3, 3)), (size, size), interpolation=cv2.INTER_CUBIC)
        picture = picture * (0.45 + 0.55 * np.clip(edge * 6 - 2.5, 0, 1))[..., None]
    if rng.random() < 0.6:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.3, 1.3)), np.float64)
    picture = picture + rng.normal(0, rng.uniform(0.3, 7), picture.shape)
    if rng.random() < 0.3:
        picture = picture + (picture - cv2.GaussianBlur(picture, (0, 0), 1.2)) * rng.uniform(0.2, 1.2)
    seen = np.clip(picture, 0, 255).astype(np.uint8)
    packed = cv2.imencode(".jpg", seen, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(40, 97))])[1]
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
