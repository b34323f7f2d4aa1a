"""Score sheets drawn by rule, pencilled by a made-up hand and photographed by a made-up camera, with their truth."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.kit.drawing import Page, Placed
from hardware.kit.raster import draw_page
from hardware.kit.score_sheets import SheetPrint, sheet_drawing
from vision.frame import Image
from vision.scene import MarkKind
from vision.sheets.layout import SheetLayout

PX_PER_MM = 8.0
MarkPlace = tuple[MarkKind, tuple[int, ...]]


@dataclass
class Hand:
    """How somebody pencils."""

    darkness: tuple[float, float] = (0.55, 1.0)
    """How much of the paper's light pencil takes, least and most: 1 is as dark as graphite gets."""
    dot_mm: tuple[float, float] = (1.0, 1.7)
    """Radius of dots."""
    line_mm: tuple[float, float] = (0.45, 0.8)
    off_mm: float = 0.55
    """Spread of dots about their places."""
    wobble_mm: float = 0.25
    forgets: float = 0.03
    """Share of lines that should be there and are not."""


@dataclass(frozen=True)
class Camera:
    """How a sheet is seen."""

    size: tuple[int, int] = (1280, 720)
    px_per_mm: float = 3.5
    turn_deg: float = 0.0
    tilt: float = 0.05
    """How much of its size a far edge loses."""
    blur_px: float = 0.7
    disc_px: float = 0.0
    """Radius of the disc that a point is, out of focus."""
    moved_px: tuple[float, float] = (0.0, 0.0)
    """How far it moves, right and down, while the picture is taken."""
    noise: float = 2.5
    white: tuple[float, float, float] = (225.0, 232.0, 236.0)
    """Blue, green, red of white paper."""
    gradient: float = 0.15
    """By how much light falls off across the picture."""
    quality: int = 88


@dataclass
class DrawnSheet:
    """A sheet and what is on it."""

    layout: SheetLayout
    ink: NDArray[np.float32]
    """The print's reflectance, height x width x 3, 0 to 1, `PX_PER_MM`."""
    pencil: NDArray[np.float32]
    """What of the light pencil leaves."""
    takes: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """As of a pen in `hardware.simulated.pencil.PENS`."""
    marks: set[MarkPlace] = field(default_factory=set)


def blank_sheet(printed: SheetPrint, *, grid: tuple[int, int, int] | None = None, border: bool = False) -> DrawnSheet:
    """Our own print; `grid` fills the pizza with a colour (blue, green, red), `border` joins its outer dots."""
    width, height = printed.layout.size_mm
    drawing = sheet_drawing(printed, [(1, 1), (4, 10), (6, 21)])
    picture = draw_page(Page(width, height, (Placed(drawing, (width / 2, height / 2)),)), PX_PER_MM)
    ink = picture.astype(np.float32) / 255.0
    sheet = DrawnSheet(printed.layout, ink, np.ones(picture.shape[:2], np.float32))
    ends = np.array(
        [printed.layout.first_mm, printed.layout.dot_mm((printed.layout.columns - 1, printed.layout.rows - 1))]
    )
    (x0, y0), (x1, y1) = np.round(_pixels(sheet, ends)).astype(int)
    if grid is not None:
        ink[y0 : y1 + 1, x0 : x1 + 1] *= np.array(grid, np.float32) / 255.0
    if border:
        cv2.rectangle(ink, (x0, y0), (x1, y1), (0.45, 0.62, 0.8), round(0.3 * PX_PER_MM), cv2.LINE_AA)
    return sheet


def pencil_all(sheet: DrawnSheet, rng: np.random.Generator, hand: Hand, *, share: float = 0.5) -> None:
    """Pencil a made-up game on it: dots along rectangles and alone, lines between neighbours, crosses, circles,
    smudges of what was rubbed out."""
    layout = sheet.layout
    for _ in range(rng.integers(2, 5)):
        smudge(sheet, rng, layout.dot_mm((int(rng.integers(layout.columns)), int(rng.integers(layout.rows)))))
    dots: set[tuple[int, int]] = set()
    while len(dots) < share * layout.columns * layout.rows:
        c0, c1 = sorted(rng.choice(layout.columns, 2, replace=False))
        r0, r1 = sorted(rng.choice(layout.rows, 2, replace=False))
        dots |= {(int(c), int(r)) for c in range(c0, c1 + 1) for r in (r0, r1)}
        dots |= {(int(c), int(r)) for c in (c0, c1) for r in range(r0, r1 + 1)}
        dots.add((int(rng.integers(layout.columns)), int(rng.integers(layout.rows))))
    at = {dot: np.array(layout.dot_mm(dot)) + np.clip(rng.normal(0, hand.off_mm, 2), -1.2, 1.2) for dot in sorted(dots)}
    for first, second in layout.lines:
        if first in at and second in at and rng.random() > hand.forgets:
            stroke(sheet, rng, hand, [at[first], at[second]])
            sheet.marks.add((MarkKind.LINE, (*first, *second)))
    for dot, place in at.items():
        disc(sheet, rng, hand, place)
        sheet.marks.add((MarkKind.DOT, dot))
    for topping in layout.toppings:
        if rng.random() < 0.4:
            cross(sheet, rng, hand, np.array(topping.centre_mm), np.full(2, rng.uniform(2.6, 3.6)))
            sheet.marks.add((MarkKind.CROSSED_TOPPING, topping.square))
    for number, box in enumerate(layout.boxes):
        chance = rng.random()
        if chance < 0.35:
            circle(sheet, rng, hand, np.array(box.centre_mm), np.array(box.size_mm))
            sheet.marks.add((MarkKind.CIRCLED_BONUS, (number,)))
        elif chance < 0.65:
            cross(sheet, rng, hand, np.array(box.centre_mm), np.array(box.size_mm) * rng.uniform(0.33, 0.45))
            sheet.marks.add((MarkKind.CROSSED_BONUS, (number,)))


def rub_out(sheet: DrawnSheet, rng: np.random.Generator, hand: Hand, count: int) -> None:
    """Lines and dots where no mark is, rubbed out again: a trace stays, wide smudges about it."""
    layout = sheet.layout
    dots = {at for kind, at in sheet.marks if kind is MarkKind.DOT}
    free = [line for line in layout.lines if (MarkKind.LINE, (*line[0], *line[1])) not in sheet.marks]
    for number in rng.permutation(len(free))[:count]:
        remains = float(rng.uniform(0.03, 0.22))
        trace = Hand(
            tuple(remains * level for level in hand.darkness),  # type: ignore[arg-type]
            hand.dot_mm,
            hand.line_mm,
            wobble_mm=hand.wobble_mm,
        )
        ends = [np.array(layout.dot_mm(dot)) + rng.normal(0, 0.4, 2) for dot in free[number]]
        stroke(sheet, rng, trace, ends)
        for dot, place in zip(free[number], ends, strict=True):
            if (dot[0], dot[1]) not in dots and rng.random() < 0.7:
                disc(sheet, rng, trace, place)
        if rng.random() < 0.7:
            x, y = np.mean(ends, axis=0)
            smudge(sheet, rng, (float(x), float(y)))


def disc(sheet: DrawnSheet, rng: np.random.Generator, hand: Hand, place: NDArray[np.float64]) -> None:
    """A filled dot, not quite round."""
    radius = rng.uniform(*hand.dot_mm)
    angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    radii = radius * (1 + 0.1 * np.sin(2 * angles + rng.uniform(0, 6)) + rng.normal(0, 0.04, len(angles)))
    outline = place + radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    _draw(sheet, rng, hand, outline, None)


def stroke(sheet: DrawnSheet, rng: np.random.Generator, hand: Hand, points: Iterable[NDArray[np.float64]]) -> None:
    """A line through points with a wobble."""
    ends = np.array(list(points))
    count = 24
    shares = np.linspace(0, len(ends) - 1, count * (len(ends) - 1))
    path = np.column_stack([np.interp(shares, range(len(ends)), ends[:, i]) for i in (0, 1)])
    bend = cv2.GaussianBlur(rng.normal(0, 1, (len(path), 2)).astype(np.float32), (1, 0), 0.01, sigmaY=5.0)
    path = path + bend / max(float(bend.std()), 1e-6) * rng.uniform(0, hand.wobble_mm)
    _draw(sheet, rng, hand, path, max(1, round(rng.uniform(*hand.line_mm) * PX_PER_MM)))


def cross(
    sheet: DrawnSheet, rng: np.random.Generator, hand: Hand, centre: NDArray[np.float64], half: NDArray[np.float64]
) -> None:
    """Two strokes over each other."""
    for way in ((1, 1), (1, -1)):
        ends = np.array([half * way, -half * way]) + centre + rng.normal(0, 0.12 * float(half.min()), (2, 2))
        stroke(sheet, rng, hand, ends)


def circle(
    sheet: DrawnSheet, rng: np.random.Generator, hand: Hand, centre: NDArray[np.float64], size: NDArray[np.float64]
) -> None:
    """An ellipse that does not quite meet itself."""
    radii = size * rng.uniform(0.4, 0.54, 2)
    start = rng.uniform(0, 2 * np.pi)
    angles = np.linspace(start, start + 2 * np.pi + rng.uniform(-0.2, 0.5), 14)
    middle = centre + rng.normal(0, 0.5, 2)
    stroke(sheet, rng, hand, middle + radii * np.column_stack([np.cos(angles), np.sin(angles)]))


def smudge(sheet: DrawnSheet, rng: np.random.Generator, place: tuple[float, float]) -> None:
    """What an eraser leaves: wide, faint, uneven."""
    layer = np.zeros(sheet.pencil.shape, np.float32)
    for _ in range(6):
        at = np.array(place) + rng.normal(0, 1.5, 2)
        size = (round(rng.uniform(1.5, 4) * PX_PER_MM), round(rng.uniform(0.8, 2) * PX_PER_MM))
        x, y = np.round(_pixels(sheet, at[None])[0]).astype(int)
        cv2.ellipse(layer, (int(x), int(y)), size, rng.uniform(0, 180), 0, 360, float(rng.uniform(0.3, 1)), -1)
    soft = cv2.GaussianBlur(layer, (0, 0), 0.8 * PX_PER_MM)
    sheet.pencil *= 1 - np.clip(soft, 0, 1) * rng.uniform(0.04, 0.16)


def photograph(
    sheet: DrawnSheet, rng: np.random.Generator, camera: Camera, noise: np.random.Generator | None = None
) -> Image:
    """The sheet on a table, seen by a camera; `noise` makes its noise, where several pictures are taken alike."""
    width, height = camera.size
    grain, places = _laid(sheet, rng, camera)
    left = np.stack([sheet.pencil if one == 1.0 else sheet.pencil**one for one in sheet.takes], axis=-1)
    colours = sheet.ink * left * grain.astype(np.float32)[..., None]
    h, w = sheet.pencil.shape
    matrix = cv2.getPerspectiveTransform(
        np.array([[-0.5, -0.5], [w - 0.5, -0.5], [w - 0.5, h - 0.5], [-0.5, h - 0.5]], np.float32),
        places.astype(np.float32),
    )
    table = np.array([rng.uniform(40, 190, 3)], np.float32).reshape(1, 1, 3) / 255
    soft = cv2.GaussianBlur(colours.astype(np.float32), (0, 0), 0.35 * PX_PER_MM / camera.px_per_mm)
    seen = cv2.warpPerspective(soft, matrix, (width, height), flags=cv2.INTER_AREA, borderValue=(-1, -1, -1))
    seen = np.where(seen < -0.01, table, seen) * np.array(camera.white, np.float32)
    y, x = (np.arange(count)[:, None] / width for count in (height, width))
    way = rng.uniform(0, 2 * np.pi)
    light = 1 - camera.gradient * (0.5 + (x.T - 0.5) * np.cos(way) + (y - 0.28) * np.sin(way)).astype(np.float32)
    lit = cv2.GaussianBlur(seen * light[..., None], (0, 0), camera.blur_px)
    if camera.disc_px or any(camera.moved_px):
        lit = cv2.filter2D(lit, -1, _spread_of_a_point(camera), borderType=cv2.BORDER_REPLICATE)
    noisy = lit + (noise or rng).normal(0, camera.noise, lit.shape).astype(np.float32)
    coded = cv2.imencode(".jpg", np.clip(noisy, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, camera.quality])[1]
    image = cv2.imdecode(coded, cv2.IMREAD_COLOR)
    assert image is not None
    return np.asarray(image, np.uint8)


def corners_px(sheet: DrawnSheet, rng: np.random.Generator, camera: Camera) -> NDArray[np.float64]:
    """Where the picture that `photograph` takes with the same randomness shows the sheet's corners: 4 x 2, top left
    first, clockwise."""
    return _laid(sheet, rng, camera)[1]


def _laid(
    sheet: DrawnSheet, rng: np.random.Generator, camera: Camera
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The paper's grain, and its corners in the picture."""
    grain = 1 + rng.normal(0, 0.012, sheet.pencil.shape)
    half = np.array(sheet.layout.size_mm) / 2 * camera.px_per_mm
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    corners *= 1 - camera.tilt * np.array([[1], [0], [0], [1]]) * rng.uniform(0.5, 1)
    turn = np.radians(camera.turn_deg)
    turned = corners @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return grain, turned - turned.mean(0) + np.array(camera.size) / 2 + rng.uniform(-10, 10, 2)


def _spread_of_a_point(camera: Camera) -> NDArray[np.float32]:
    """What disc and movement make of a point, 1 in all."""
    fine, half = 8, int(np.ceil(camera.disc_px + np.abs(camera.moved_px).max() / 2)) + 1
    side = (2 * half + 1) * fine
    drawn = np.zeros((side, side), np.float32)
    radius = max(round(camera.disc_px * fine), fine // 2)
    for share in np.linspace(-0.5, 0.5, 33 if any(camera.moved_px) else 1):
        at = np.round((side - 1) / 2 + share * fine * np.array(camera.moved_px)).astype(int)
        stamp = cv2.circle(np.zeros_like(drawn), (int(at[0]), int(at[1])), radius, 1.0, -1)
        drawn += stamp
    kernel = cv2.resize(drawn, (2 * half + 1,) * 2, interpolation=cv2.INTER_AREA)
    return np.asarray(kernel / kernel.sum(), np.float32)


def some_camera(rng: np.random.Generator) -> Camera:
    """A camera, a distance, a light."""
    size = [(1280, 720), (1920, 1080), (2304, 1296)][int(rng.integers(3))]
    level = rng.uniform(70, 240)
    quarter = int(rng.choice([0, 90, 180, 270]))
    most = size[1] / (160.0 if quarter % 180 == 0 else 235.0)
    return Camera(
        size=size,
        px_per_mm=float(rng.uniform(1.7, most)),
        turn_deg=float(quarter + np.clip(rng.normal(0, 3), -5, 5)),
        tilt=float(rng.uniform(0, 0.12)),
        blur_px=float(rng.uniform(0.4, 1.3)),
        noise=float(rng.uniform(0.5, 5)),
        white=tuple(level * rng.uniform(0.8, 1.0, 3)),
        gradient=float(rng.uniform(0, 0.4)),
        quality=int(rng.integers(70, 96)),
    )


def some_hand(rng: np.random.Generator) -> Hand:
    """Faint or firm, neat or not."""
    firm = float(rng.uniform(0.35, 0.9))
    return Hand(darkness=(firm * 0.8, min(1.0, firm * 1.2)), wobble_mm=float(rng.uniform(0.1, 0.45)))


def _draw(
    sheet: DrawnSheet, rng: np.random.Generator, hand: Hand, points_mm: NDArray[np.float64], width: int | None
) -> None:
    """Graphite along points, or inside them, on the paper's grain: it takes much of the light, unevenly."""
    pixels = _pixels(sheet, points_mm)
    low = np.floor(pixels.min(0) - 12).astype(int).clip(0)
    high = np.ceil(pixels.max(0) + 12).astype(int)
    part = np.s_[low[1] : high[1], low[0] : high[0]]
    layer = np.zeros(sheet.pencil[part].shape, np.float32)
    fixed = [np.round((pixels - low) * 16).astype(np.int32)]
    if width is None:
        cv2.fillPoly(layer, fixed, 1.0, cv2.LINE_AA, 4)
    else:
        cv2.polylines(layer, fixed, False, 1.0, width, cv2.LINE_AA, 4)
    grain = 1 + 0.15 * cv2.GaussianBlur(rng.normal(0, 3, layer.shape).astype(np.float32), (0, 0), 1.5)
    taken = rng.uniform(*hand.darkness) * 0.72 * np.clip(grain, 0.4, 1.3)
    sheet.pencil[part] *= 1 - np.clip(layer * taken, 0, 0.8)


def _pixels(sheet: DrawnSheet, points_mm: NDArray[np.float64]) -> NDArray[np.float64]:
    width, height = sheet.layout.size_mm
    return np.column_stack([points_mm[:, 0] + width / 2, height / 2 - points_mm[:, 1]]) * PX_PER_MM - 0.5


def draw_die(
    image: Image,
    at_px: tuple[float, float],
    px_per_mm: float,
    turn_deg: float,
    pattern: tuple[str, ...],
    colour: tuple[int, int, int],
    dots: tuple[int, int, int],
) -> None:
    """Draw a 20 mm die with dots 5 mm apart, seen from straight above, over a picture; turned counter-clockwise."""
    turn = np.radians(turn_deg)
    # Its top is nearer to the camera and looks larger.
    scale = px_per_mm * 1.06
    matrix = scale * np.array([[np.cos(turn), -np.sin(turn)], [-np.sin(turn), -np.cos(turn)]])
    half = 10.0
    corners = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    outline = np.round((corners @ matrix.T + at_px) * 16).astype(np.int32)
    cv2.fillPoly(image, [outline], colour, cv2.LINE_AA, 4)
    cv2.polylines(image, [outline], True, tuple(int(c * 0.6) for c in colour), 2, cv2.LINE_AA, 4)
    for row, line in enumerate(pattern):
        for column, mark in enumerate(line):
            if mark == "#":
                x, y = np.array([(column - 1) * 5.0, (1 - row) * 5.0]) @ matrix.T + at_px
                cv2.circle(image, (round(x * 16), round(y * 16)), round(1.85 * scale * 16), dots, -1, cv2.LINE_AA, 4)
