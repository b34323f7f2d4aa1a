"""A sheet as if scanned: rectified, and how much darker than its own paper it is at every point.

Pencil is grey: it darkens red, green and blue alike. Coloured print leaves at least one of them bright, so darkness is
that of the brightest of the three, each against the paper around it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.mat.registration import Registration
from vision.pieces.light_across import light_of
from vision.sheets.contrasts import box_points, differing, looks_at, of_print, topping_points
from vision.sheets.focus import blurs_mm, paper_beside
from vision.sheets.layout import Array, SheetLayout
from vision.short_axes import median_of
from vision.spreading import spread

Plane = NDArray[np.float32]
Mask = NDArray[np.uint8]
Zone = tuple[slice, slice]
"""Rows and columns of cells."""

PX_PER_MM = 4.5
ALIKE_GROUND = 0.2
"""Boxes' grounds that differ by less (logarithms) are of one colour, in more or less light."""
LEAST_TOPPINGS = 3
"""So many toppings tell how much print differs within itself."""
MARGIN_MM = 5.0
COARSE = 3
"""The paper is looked at in cells of so many pixels."""
CELL_MM = COARSE / PX_PER_MM
TOPPING_ROOM = 1.35
"""Times its size, a topping's print and a cross over it may spread."""
TOPPINGS_GONE_MM = 11.0
MARKS_GONE_MM = 7.0
"""Marks are narrower than this in one direction at least."""
DOTS_GONE_MM = 4.4
"""Dots and lines are narrower than this, things that lie on the sheet are wider."""
SMOOTH_MM = 0.2
BLACK = 4.0
"""Added to levels (0 to 255) before their logarithm: less is noise."""
FOREIGN_DARK = 0.9
FOREIGN_BRIGHT = 0.22
FOREIGN_COLOUR = 0.055
FOREIGN_SPREADS = 7.0
"""Logarithms by which a thing on the sheet is darker, brighter or of another colour than the paper; of colour, also so
many times what is usual. A shadow is darker and of nearly the same colour; marks in it can be read."""
IN_GRID, IN_BOX, BESIDE = 255, 192, 128
DARK_COLOUR = 0.3
"""Pencil seems coloured where paper is brighter than the picture shows, by less than this times how dark it is."""
BESIDE_COLOUR = 0.2
"""Beside grid and boxes paper may be of another colour by less than this."""
FOREIGN_MM2 = 25.0
"""Smaller parts are print or pencil."""
INKED_SHARE, INKED_DARK, INKED_COLOUR = 0.3, 0.2, 0.5
"""Between dense strokes of a pen little paper shows, and what is left when dots and lines are closed over has the ink's
colour. Those are it where nothing is left once marks are, and where such a share is darker than what is left by the
second (logarithm), and takes of one colour less than of another by such a part of that: of 20 such places on simulated
sheets 0.41 and more did, by 0.69 and more. Of each of 13 things in the grid 2 % and more was left."""
INKED_MM2, INKED_HALF = 50.0, 0.5
"""A part no larger than the first of which so much is strokes is them, whatever is left: a cross over a topping among
lines leaves some of its colour."""
UNSEEN_MM = 1.4
"""So much wider than a topping's room is what was guessed from its surroundings, as dots and lines are closed over."""
FLAT_TERMS = 3
"""Of a quadratic: a plane. Little paper tells no more."""
LIGHT_ROUNDS = ((1, 0.2), (3, 0.2), (3, 0.1), (3, 0.06), (6, 0.06), (6, 0.06), (6, 0.06), (6, 0.06))
"""The light is fitted in rounds: so many of its terms, and how far (logarithm) most paper is off them."""
SHADED, SHADED_SHARES = 0.25, (0.1, 0.9)
"""Where brightness (logarithm) between these shares of the cells differs by more, there may be a shadow's edge;"""
SHADE_CELLS = 2
"""that is looked for in cells so many times as wide."""
EVENER = 0.6
"""Without it the squares of what is left of paper and print are less than this share of those with it: of labelled
sheets, altered, they were 0.6 at most where light explained them, and 0.9 at least where hands or things did."""
EVERY = 3
"""The light is fitted to every third cell."""
OTHER_COLOUR = 0.12
"""What is of another colour than paper beside the sheet's markers, by more than this (logarithm), may be none: a shadow
from which the light of a window is taken differs by up to 0.15, skin in blue light by as little as 0.14."""
LEAST_PAPER, MOST_PAPER = 0.02, 0.6
"""Where more of the grid than the first share, but less than the second, is of the paper's colour, a hand may cover
more than it leaves, and the light is that of the paper alone."""
CUT_OFF = 252.5
"""Paper no darker than this, in every channel, may be brighter than the picture shows."""
TOO_BRIGHT = 0.8
"""A sheet of which such a share may be is too bright; what is left of another shows that its paper is hardly brighter
than the picture shows."""
WASHED_MM = 3.0
"""So far beside it light that is not cut off yet is stray light, too."""
PALER = 0.7
"""A topping printed there that shows less than this of its contrast elsewhere is washed out, and so is pencil;"""
NEAREST = 3
"""so many toppings nearest to a place tell of it,"""
TELLS_MM = 60.0
"""none farther off than this."""
GROWN_MM = 2.0
"""Edges of things are soft."""
OUT_OF_FOCUS = 0.0007
"""Of the picture's width: simulated and shared pictures as they are blur a sheet's print by 0.0004 to 0.00066."""


_LOGARITHMS = np.log(np.arange(256, dtype=np.float32) + BLACK)


@dataclass(frozen=True, slots=True)
class FlatSheet:
    """The part of a sheet that may be marked: its grid and bonus boxes."""

    layout: SheetLayout
    left_mm: float
    top_mm: float
    darkness: Plane
    """Logarithms, 0 on paper. `PX_PER_MM` pixels a millimetre, y down."""
    colours: Plane
    """height x width x 3: the same of blue, green and red each."""
    foreign: Mask
    """255 where something lies on the sheet, or where the picture ends."""
    washed: Mask
    """255 where paper is brighter than the picture shows, and elsewhere is not: the light of a lamp mirrored there may
    wash out what is pencilled."""
    cut_off: Mask
    """255 where a colour of the paper may be brighter than the picture shows."""
    loss: Plane
    """How much darkness (logarithm) the light takes from what is pencilled, at most, where it takes any."""
    cells: Plane
    """height/`COARSE` x width/`COARSE` x 3: logarithms of blue, green and red as they are, print and all."""
    odd: Mask
    """The same cells: 255 where what is seen in the grid is no paper, in a box none of its ground, print and all;"""
    told: Mask
    """and where that is told: `IN_GRID`, `IN_BOX`, or `BESIDE` them, where only what is very dark or coloured is."""
    px_per_mm: float
    """Of the picture it was taken from."""
    blur_mm: float
    """The deviation of the blur in which its print is seen; 0 where that is not known."""
    out_of_focus: bool
    """Whether that is more than in most pictures."""
    stripes: Mask
    """255 where a shadow as thin as a stroke lies, once that was looked for."""
    blank: Plane | None = None
    """The darkness of the same sheet, or another of its print, when nothing was pencilled on it; None: never seen."""
    veil: float = 0.0
    """How much light (paper's is 1) lies over it that did not then; negative where it did then and does not now."""

    @property
    def pencilled(self) -> "FlatSheet":
        """Without what it showed when it was blank, so that only pencil is dark; itself where that is not known."""
        return self if self.blank is None else replace(self, darkness=self.darkness - self.blank)

    @property
    def too_bright(self) -> bool:
        """Whether so much of its paper may be brighter than the picture shows that marks may not show, where it was
        never seen blank."""
        return self.blank is None and float((self.cut_off > 0).mean()) >= TOO_BRIGHT

    @property
    def soft_mm(self) -> float:
        """The blur's deviation out of focus; 0 in focus."""
        return self.blur_mm if self.out_of_focus else 0.0

    def at(self, points_mm: Array) -> tuple[Array, Array]:
        """Pixel columns and rows of points (... x 2) in the sheet's own frame."""
        return pixels_at(points_mm, self.left_mm, self.top_mm)

    def to_cells(self, points_mm: Array) -> Array:
        """Columns and rows of cells (... x 2) of points."""
        return (np.stack(self.at(points_mm), axis=-1) + 0.5) / COARSE - 0.5

    def outlines_mm(self, mask: Mask, least_mm: float, gap_mm: float) -> list[Array]:
        """The outlines (n x 2 each) of those parts of a mask that are nowhere narrower than this; what lies no farther
        apart than such a gap is one part."""
        cells = cv2.resize(mask, self.odd.shape[::-1], interpolation=cv2.INTER_NEAREST)
        closed = cv2.morphologyEx(cells, cv2.MORPH_CLOSE, _disc(gap_mm))
        opened = cv2.morphologyEx(closed, cv2.MORPH_OPEN, _disc(least_mm))
        contours, _ = cv2.findContours(opened, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        rounded = [cv2.approxPolyDP(contour, 0.8, True).reshape(-1, 2) for contour in contours]
        corner = np.array([self.left_mm, self.top_mm])
        return [corner + (one + 0.5) * CELL_MM * (1.0, -1.0) for one in rounded if len(one) >= 3]

    def sampled(self, plane: Plane, points_mm: Array) -> Plane:
        """A plane's values, or those of each of its colours, at points (any shape x 2), smoothly."""
        columns, rows = (at.astype(np.float32) for at in self.at(points_mm))
        shape = columns.shape
        if len(shape) != 2:
            columns, rows = columns.reshape(1, -1), rows.reshape(1, -1)
        values = cv2.remap(plane, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(values, np.float32).reshape(shape + plane.shape[2:])


@dataclass(frozen=True, slots=True)
class Places:
    """Where in a picture each pixel of a flat sheet is."""

    columns: Plane
    rows: Plane
    outside: Mask
    """255 where the picture shows nothing."""


def places_of(layout: SheetLayout, registration: Registration) -> Places:
    """Where the picture of a registration (in the sheet's own frame) shows such a sheet."""
    left, top, width, height = _extent(layout)
    columns = left + (np.arange(0, width, COARSE) + 0.5) / PX_PER_MM
    rows = top - (np.arange(0, height, COARSE) + 0.5) / PX_PER_MM
    grid = np.stack(np.meshgrid(columns, rows), axis=-1)
    # Smooth enough to be interpolated between every few pixels.
    sparse = registration.to_picture(grid.reshape(-1, 2))
    pixels = spread(sparse.reshape(grid.shape), COARSE, width, height)
    across, down = (np.ascontiguousarray(pixels[..., i]) for i in range(2))
    return Places(across, down, _outside(pixels, registration.size_px))


def flatten(
    image: Image,
    layout: SheetLayout,
    registration: Registration,
    *,
    over_px: Sequence[Array] = (),
    places: Places | None = None,
) -> FlatSheet:
    """The sheet that this registration (in its own frame) lays out; `over_px` are outlines, in the picture, of what is
    known to lie on it, `places` is what `places_of` gives, worked out before."""
    left, top, width, height = _extent(layout)
    places = places or places_of(layout, registration)
    flat = cv2.remap(image, places.columns, places.rows, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    outside = places.outside
    px_corners = registration.to_picture(layout.corners_mm)
    diagonals = (np.linalg.norm(corners[0] - corners[2]) for corners in (px_corners, layout.corners_mm))
    px_per_mm = float(next(diagonals) / next(diagonals))
    blurs = blurs_mm(image, layout.marks, registration)
    blur = median_of(np.array(list(blurs.values()), np.float32)) if blurs else 0.0
    beside = paper_beside(image, {number: layout.marks[number] for number in blurs}, registration)
    hue = None if beside is None else _hue(np.asarray(np.median(np.log(beside + BLACK), axis=0), np.float32))
    logs = np.asarray(cv2.LUT(cv2.GaussianBlur(flat, (0, 0), SMOOTH_MM * PX_PER_MM), _LOGARITHMS), np.float32)
    printed = _printed(layout, (height // COARSE, width // COARSE), left, top)
    cells = _coarse(logs)
    bare = _without_toppings(cells, printed)
    surface = _closed(bare, DOTS_GONE_MM)
    cut_off = np.where(_brightest(surface) >= np.log(CUT_OFF + BLACK), np.uint8(255), np.uint8(0))
    if cut_off.any():
        cut_off = np.asarray(cv2.morphologyEx(cut_off, cv2.MORPH_CLOSE, _disc(TOPPINGS_GONE_MM)), np.uint8)
    grid = _zone(surface.shape, np.array([layout.first_mm, _last_mm(layout)]), -1.0, left, top)
    bare_paper = _paper_in(surface[grid], hue)
    shade = _shade_across(surface, layout, left, top) if bare_paper.all() else None  # a sleeve is no shadow
    if shade is not None:
        logs += cv2.resize(shade, (width, height), interpolation=cv2.INTER_LINEAR)
        cells = _coarse(logs)
        bare = _without_toppings(cells, printed)
        surface = _closed(bare, DOTS_GONE_MM)
    unmarked = _closed(bare, MARKS_GONE_MM)
    paper = np.asarray(cv2.GaussianBlur(unmarked, (0, 0), 1.5), np.float32)
    colours = np.asarray(cv2.resize(paper, (width, height), interpolation=cv2.INTER_LINEAR) - logs, np.float32)
    outside = np.maximum(outside, _outlines([registration.to_table(one) for one in over_px], outside.shape, left, top))
    foreign, odd, told = _foreign(cells, (bare, surface, unmarked), printed, cut_off, bare_paper, layout, left, top)
    washed = _washed_out(paper, _coarse(colours), layout, left, top)
    blue, green, red = cv2.split(colours)
    return FlatSheet(
        layout=layout,
        left_mm=left,
        top_mm=top,
        darkness=np.asarray(cv2.min(cv2.min(blue, green), red), np.float32),
        colours=colours,
        foreign=np.maximum(cv2.resize(foreign, (width, height), interpolation=cv2.INTER_NEAREST), outside),
        cut_off=np.asarray(cv2.resize(cut_off, (width, height), interpolation=cv2.INTER_NEAREST), np.uint8),
        loss=np.zeros((height, width), np.float32),
        stripes=np.zeros((height, width), np.uint8),
        washed=np.asarray(cv2.resize(washed, (width, height), interpolation=cv2.INTER_NEAREST), np.uint8),
        cells=cells,
        odd=odd,
        told=told,
        px_per_mm=px_per_mm,
        blur_mm=blur,
        out_of_focus=blur * px_per_mm > OUT_OF_FOCUS * image.shape[1],
    )


def pixels_at(points_mm: Array, left_mm: float, top_mm: float) -> tuple[Array, Array]:
    """Pixel columns and rows of points (... x 2) on a flat sheet whose left and upper edges are there."""
    points = np.asarray(points_mm, np.float64)
    across, down = points[..., 0] - left_mm, top_mm - points[..., 1]
    return across * PX_PER_MM - 0.5, down * PX_PER_MM - 0.5


@lru_cache(maxsize=16)
def disc_points(inner_mm: float, outer_mm: float, step_mm: float) -> Array:
    """Points (n x 2) of a ring about (0, 0), evenly spread."""
    line = np.arange(-outer_mm, outer_mm + step_mm / 2, step_mm)
    points = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    radius = np.hypot(points[:, 0], points[:, 1])
    within = np.asarray(points[(radius >= inner_mm) & (radius <= outer_mm + 1e-9)], np.float64)
    within.setflags(write=False)
    return within


def flat_size(layout: SheetLayout) -> tuple[int, int]:
    """Rows and columns of a flat sheet of this print."""
    _, _, width, height = _extent(layout)
    return height, width


def _extent(layout: SheetLayout) -> tuple[float, float, int, int]:
    """Left and upper edge (mm) and size (pixels, whole coarse cells) of what may be marked."""
    last = _last_mm(layout)
    boxes = [
        (box.centre_mm[0] + dx * box.size_mm[0] / 2, box.centre_mm[1] + dy * box.size_mm[1] / 2)
        for box in layout.boxes
        for dx in (-1, 1)
        for dy in (-1, 1)
    ]
    points = np.array([layout.first_mm, last, *boxes])
    low, high = points.min(0) - MARGIN_MM, points.max(0) + MARGIN_MM
    cells = np.ceil((high - low) * PX_PER_MM / COARSE).astype(int)
    return float(low[0]), float(high[1]), int(cells[0]) * COARSE, int(cells[1]) * COARSE


def _outside(pixels: Plane, size_px: tuple[int, int]) -> Mask:
    """255 where the picture shows nothing."""
    inside = cv2.inRange(pixels, (-0.5, -0.5, 0.0, 0.0), (size_px[0] - 0.5, size_px[1] - 0.5, 0.0, 0.0))
    return np.asarray(cv2.bitwise_not(inside), np.uint8)


def _outlines(outlines_mm: Sequence[Array], shape: tuple[int, ...], left: float, top: float) -> Mask:
    """255 inside any of these outlines."""
    mask = np.zeros(shape, np.uint8)
    for outline in outlines_mm:
        pixels = np.column_stack([outline[:, 0] - left, top - outline[:, 1]]) * PX_PER_MM - 0.5
        cv2.fillPoly(mask, [np.round(pixels * 16).astype(np.int32)], 255, shift=4)
    return mask


def _coarse(plane: Plane) -> Plane:
    size = (plane.shape[1] // COARSE, plane.shape[0] // COARSE)
    return np.asarray(cv2.resize(plane, size, interpolation=cv2.INTER_AREA), np.float32)


def _closed(plane: Plane, width_mm: float) -> Plane:
    """Without what is darker than its surroundings and narrower than this."""
    return np.asarray(cv2.morphologyEx(plane, cv2.MORPH_CLOSE, _disc(width_mm)), np.float32)


def _disc(width_mm: float) -> Mask:
    side = 2 * round(width_mm * PX_PER_MM / COARSE / 2) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)), np.uint8)


def _brightest(colours: Plane) -> Plane:
    """The brightest of each pixel's three colours; numpy is slow along an axis so short."""
    blue, green, red = cv2.split(colours)
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.float32)


def _cells(points_mm: Array, left: float, top: float) -> Array:
    points = np.asarray(points_mm, np.float64).reshape(-1, 2)
    scale = PX_PER_MM / COARSE
    return np.column_stack([points[:, 0] - left, top - points[:, 1]]) * scale - 0.5


def _printed(layout: SheetLayout, shape: tuple[int, int], left: float, top: float) -> Mask:
    """255 in the cells where toppings are printed."""
    printed = np.zeros(shape, np.uint8)
    middles = _cells(np.array([topping.centre_mm for topping in layout.toppings]), left, top)
    for topping, at in zip(layout.toppings, middles, strict=True):
        radius = round(topping.size_mm / 2 * TOPPING_ROOM * PX_PER_MM / COARSE)
        cv2.circle(printed, (round(at[0]), round(at[1])), radius, 255, -1)
    return printed


def _shade_across(surface: Plane, layout: SheetLayout, left: float, top: float) -> Plane | None:
    """How much darker (logarithm) the light of each cell is than the brightest, where a shadow's edge or stripes lie
    across the sheet; None where its light is even, or what is dark there is something else."""
    grid = _zone(surface.shape, np.array([layout.first_mm, _last_mm(layout)]), -1.0, left, top)
    low, high = np.quantile(surface[grid].reshape(-1, 3)[::EVERY].mean(-1), SHADED_SHARES)
    if high - low < SHADED:
        return None
    height, width = surface.shape[:2]
    cell_mm = SHADE_CELLS * COARSE / PX_PER_MM
    small = cv2.resize(surface, None, fx=1 / SHADE_CELLS, fy=1 / SHADE_CELLS, interpolation=cv2.INTER_AREA)
    middle = np.array([small.shape[1] - 1, small.shape[0] - 1]) / 2
    light = light_of(np.asarray(small, np.float32), cell_mm, middle, cell_mm * float(np.hypot(*small.shape[:2])))
    if light is None:
        return None
    turn = np.radians(light.turn_deg)
    columns, rows = (((np.arange(side) + 0.5) - side / 2) * COARSE / PX_PER_MM for side in (width, height))
    shade = light.shade_at((columns[None] * np.cos(turn) - rows[:, None] * np.sin(turn)).astype(np.float32))
    uneven, left_over = (
        np.square(one[grid] - _even_light(one, grid)(grid)).mean() for one in (surface, surface + shade)
    )
    return shade if left_over < EVENER * uneven else None


def _without_toppings(coarse: Plane, printed: Mask) -> Plane:
    """The paper as it would be under the toppings."""
    holed = coarse.copy()
    holed[printed > 0] = 0.0
    return np.asarray(cv2.copyTo(_closed(holed, TOPPINGS_GONE_MM), printed, coarse.copy()), np.float32)


def _foreign(
    cells: Plane,
    closed: tuple[Plane, Plane, Plane],
    printed: Mask,
    cut_off: Mask,
    paper: NDArray[np.bool_],
    layout: SheetLayout,
    left: float,
    top: float,
) -> tuple[Mask, Mask, Mask]:
    """255 in the cells where the paper does not look as elsewhere: something lies there; what is `FlatSheet.odd`, and
    `told`. `closed` are cells without toppings, those without dots and lines, too, and those without any marks; `paper`
    is what `_paper_in` says of the grid."""
    bare, surface, unmarked = closed
    strange, odd = (np.zeros(bare.shape[:2], bool) for _ in range(2))
    told = np.zeros(bare.shape[:2], np.uint8)
    of_dark = np.where(cut_off > 0, np.float32(DARK_COLOUR), np.float32(0.0))
    last = _last_mm(layout)
    grid = _zone(bare.shape, np.array([layout.first_mm, last]), -1.0, left, top)
    # Under a topping no paper is seen. Lines around one at the edge leave only the printed border to guess it from.
    unseen = np.asarray(cv2.dilate(printed, _disc(UNSEEN_MM)), np.uint8) > 0
    edges = [np.array(b.centre_mm) + np.outer((-0.5, 0.5), b.size_mm) for b in layout.boxes]
    around = _zone(bare.shape, np.concatenate([[layout.first_mm, last], *edges]), MARGIN_MM, left, top)
    even = _even_light(surface, grid, paper)
    off = surface[grid] - even(grid)
    strange[grid] = ~unseen[grid] & _differs(off, off[paper])
    on_paper = off[paper]
    light, colour = _light_and_colour(cells[around] - even(around))
    odd[around], told[around] = (light < -FOREIGN_DARK) | (colour > BESIDE_COLOUR), BESIDE
    told[_zone(bare.shape, np.array([layout.first_mm, last]), 1.0, left, top)] = IN_GRID  # its outer dots are in it
    odd[grid] = _differs(cells[grid] - surface[grid] + off, off[paper], of_dark=of_dark[grid])
    if layout.boxes:
        zones = [_zone(bare.shape, edge, -1.5, left, top) for edge in edges]
        boxes = np.zeros_like(strange)
        for zone in zones:
            boxes[zone] = True
        part = _around(boxes, _disc(TOPPINGS_GONE_MM).shape[0])
        ground = np.zeros_like(bare)
        ground[part] = _closed(np.ascontiguousarray(bare[part]), TOPPINGS_GONE_MM)
        usual = _box_ground(ground, zones, _box_shows(cells, layout, left, top), even)
        off = ground[part] - usual
        strange[part] |= boxes[part] & _differs(off, off[boxes[part]], shade=0.2)
        whole = np.zeros_like(boxes)
        for edge in edges:
            whole[_zone(bare.shape, edge, 0.0, left, top)] = True
        differs = _differs(cells[part] - usual, off[boxes[part]], shade=0.2, of_dark=of_dark[part])
        odd[part] = np.where(whole[part], differs, odd[part])
        told[whole] = IN_BOX
    mask = _as_mask(strange)
    opened = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    parts = _large(np.asarray(opened, np.uint8))
    if parts.any():
        left_over = _differs(unmarked[grid] - even(grid), on_paper)
        parts = _not_drawn(parts, grid, _inked(bare[grid], surface[grid]), left_over)
    joined = cv2.morphologyEx(parts, cv2.MORPH_CLOSE, _disc(TOPPINGS_GONE_MM))
    return np.asarray(cv2.dilate(joined, _disc(2 * GROWN_MM)), np.uint8), _as_mask(odd), told


def _inked(bare: Plane, surface: Plane) -> NDArray[np.bool_]:
    """Which of these cells are darker than what is left of them without dots and lines, in one colour more than in
    another."""
    blue, green, red = cv2.split(surface - bare)
    most, least = cv2.max(cv2.max(blue, green), red), cv2.min(cv2.min(blue, green), red)
    return np.asarray((most > INKED_DARK) & (most - least > INKED_COLOUR * most))


def _not_drawn(parts: Mask, grid: Zone, strokes: NDArray[np.bool_], left_over: NDArray[np.bool_]) -> Mask:
    """The parts; none where all are dense `strokes` in the grid, of which nothing is `left_over` without marks, or that
    are small. Beside a hand fingers look like strokes: there all are kept."""
    if not strokes[parts[grid] > 0].any():
        return parts
    count, labels = cv2.connectedComponents(parts, connectivity=8)
    in_grid = labels[grid]
    cells, inside, drawn, left = (
        np.bincount(some.reshape(-1), minlength=count)
        for some in (labels, in_grid, in_grid[strokes], in_grid[left_over])
    )
    small = (cells < INKED_MM2 * (PX_PER_MM / COARSE) ** 2) & (drawn >= INKED_HALF * cells)
    kept = (inside < cells) | ((left > 0) & ~small) | (drawn < INKED_SHARE * cells)
    return parts if kept[1:].any() else np.zeros_like(parts)


def _box_shows(cells: Plane, layout: SheetLayout, left: float, top: float) -> NDArray[np.bool_]:
    """Which boxes' print may show, by how much it differs within itself beside toppings'; all where these are few."""
    if len(layout.toppings) < LEAST_TOPPINGS:
        return np.ones(len(layout.boxes), bool)
    boxes, toppings = (
        looks_at(cells, _cells(points, left, top).reshape(points.shape))
        for points in (box_points(layout.boxes), topping_points(layout.toppings))
    )
    differ, (least, most) = differing(boxes), of_print(toppings)
    return np.asarray((differ >= least) & (differ <= most))


def _box_ground(
    surface: Plane, zones: Sequence[Zone], shows: NDArray[np.bool_], even: Callable[[Zone], Plane]
) -> Plane:
    """The colour of boxes' ground in these zones of the surface. Things may lie on most: of those whose print shows, if
    any does, the one most like paper in its `even` light tells, with those that are like it."""
    told = [zone for zone, one in zip(zones, shows, strict=True) if one] or list(zones)
    grounds = np.array([np.median(surface[zone].reshape(-1, 3), axis=0) for zone in told])
    paper = np.array([np.median(even(zone).reshape(-1, 3), axis=0) for zone in told])
    most = grounds[np.abs(grounds - paper).max(axis=1).argmin()]
    alike = np.abs(grounds - most).max(axis=1) < ALIKE_GROUND
    return np.asarray(np.median(grounds[alike], axis=0), np.float32)


def _as_mask(flags: NDArray[np.bool_]) -> Mask:
    return np.where(flags, np.uint8(255), np.uint8(0))


def _washed_out(paper: Plane, colours: Plane, layout: SheetLayout, left: float, top: float) -> Mask:
    """255 in the cells where paper (logarithms) is cut off and the print around does not show as it does elsewhere.

    More light on white paper takes little from a print: it is as many times brighter, too. Light that a lamp adds, by
    its reflection, takes much of it.
    """
    blue, green, red = cv2.split(paper)
    cut_off = np.minimum(np.minimum(blue, green), red) >= np.log(CUT_OFF + BLACK)
    if not cut_off.any() or not layout.toppings:  # nothing to tell it by
        return np.zeros(paper.shape[:2], np.uint8)
    at = _cells(np.array([topping.centre_mm for topping in layout.toppings]), left, top)
    paler = _paler(at, cut_off, colours, layout)
    rows, columns = np.nonzero(cut_off)
    away = np.hypot(rows[:, None] - at[:, 1], columns[:, None] - at[:, 0])
    nearest = np.argsort(away, axis=1)[:, :NEAREST]
    near = np.take_along_axis(away, nearest, axis=1) < TELLS_MM * PX_PER_MM / COARSE
    shows = near[:, 0] & ~(paler[nearest] & near).any(axis=1)
    washed = np.zeros(cut_off.shape, np.uint8)
    washed[rows[~shows], columns[~shows]] = 255
    return np.asarray(cv2.dilate(washed, _disc(2 * WASHED_MM)), np.uint8)


def _paler(at: Array, cut_off: NDArray[np.bool_], colours: Plane, layout: SheetLayout) -> NDArray[np.bool_]:
    """Which toppings (at these cells) show less contrast than those of their kind that are lit as they ought to be."""
    height, width = cut_off.shape
    darkest, shown, clear = colours.max(axis=2), [], []
    for (x, y), topping in zip(np.round(at).astype(int), layout.toppings, strict=True):
        reach = max(round(topping.size_mm / 2 * PX_PER_MM / COARSE), 1)
        rows, columns = (slice(max(i - reach, 0), i + reach + 1) for i in (y, x))
        shown.append(float(darkest[rows, columns].mean()) if 0 <= y < height and 0 <= x < width else 0.0)
        clear.append(not cut_off[rows, columns].any())
    kinds = [topping.kind for topping in layout.toppings]
    told, well = np.array(shown), np.array(clear, bool)
    usual = np.zeros(len(kinds))
    for kind in set(kinds):
        mine = np.array([other == kind for other in kinds])
        usual[mine] = np.median(told[mine & well]) if (mine & well).any() else np.quantile(told[mine], 0.8)
    return np.asarray(told < PALER * usual)


def _last_mm(layout: SheetLayout) -> tuple[float, float]:
    return layout.dot_mm((layout.columns - 1, layout.rows - 1))


def _large(mask: Mask) -> Mask:
    """Without parts too small to be a thing."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    large = stats[:, cv2.CC_STAT_AREA] >= FOREIGN_MM2 * (PX_PER_MM / COARSE) ** 2
    large[0] = False
    return np.where(large[labels], np.uint8(255), np.uint8(0))


def _around(cells: NDArray[np.bool_], more: int) -> Zone:
    """The rectangle in which these cells lie, and so many more on all sides."""
    x, y, width, height = cv2.boundingRect(cells.astype(np.uint8))
    return slice(max(y - more, 0), y + height + more), slice(max(x - more, 0), x + width + more)


def _zone(shape: tuple[int, ...], edges_mm: Array, more_mm: float, left: float, top: float) -> Zone:
    """The cells of a rectangle, grown by this much."""
    low, high = edges_mm.min(0) - more_mm, edges_mm.max(0) + more_mm
    corners = _cells(np.array([[low[0], high[1]], [high[0], low[1]]]), left, top)
    (x0, y0), (x1, y1) = np.clip(np.round(corners).astype(int), 0, None)
    return slice(y0, min(y1 + 1, shape[0])), slice(x0, min(x1 + 1, shape[1]))


def _even_light(surface: Plane, zone: Zone, paper: NDArray[np.bool_] | None = None) -> Callable[[Zone], Plane]:
    """What the light of a zone of the surface tells of any, as light that changes slowly would show it: a quadratic for
    each colour, fitted to most cells; a plane, fitted to what is `paper`, where that is not all."""
    terms = _quadratic(*surface.shape[:2])
    at, seen = terms[zone].reshape(-1, 6)[::EVERY], surface[zone].reshape(-1, 3)[::EVERY].astype(np.float64)
    if paper is not None and not paper.all():
        told = paper.reshape(-1)[::EVERY]
        at, seen = at[told, :FLAT_TERMS], seen[told]
    at = np.ascontiguousarray(at)
    fitted: Array = np.zeros((at.shape[1], 3))
    fitted[0] = np.median(seen, axis=0)
    # Most of it is paper. A thing at a corner must not bend the light to itself: terms come one kind after the other.
    for count, scale in LIGHT_ROUNDS:
        off = np.maximum.reduce(list(np.abs(seen - at @ fitted).T))
        weight = 1.0 / (1.0 + (off / scale) ** 2)
        some = at[:, :count]
        weighted = some * weight[:, None] ** 2
        fitted[:count] = np.linalg.lstsq(weighted.T @ some, weighted.T @ seen, rcond=None)[0]
    return lambda of: np.asarray(np.ascontiguousarray(terms[of][..., : len(fitted)]) @ fitted, np.float32)


def _paper_in(surface: Plane, hue: Plane | None) -> NDArray[np.bool_]:
    """Which of these cells (height x width x 3) tell how paper looks: all, or, where many are not of its `hue`, those
    that are."""
    if hue is not None:
        paper = np.asarray(_light_and_colour(np.asarray(surface - hue, np.float32))[1] < OTHER_COLOUR)
        if LEAST_PAPER < paper.mean() < MOST_PAPER:
            return paper
    return np.ones(surface.shape[:2], bool)


def _hue(logarithms: Plane) -> Plane:
    """A colour (3) without how bright it is."""
    return np.asarray(logarithms - np.mean(logarithms), np.float32)


@lru_cache(maxsize=4)
def _quadratic(height: int, width: int) -> Array:
    """height x width x 6: the terms of a quadratic over a plane."""
    y, x = np.indices((height, width)) / max(height, width)
    terms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1)
    terms.setflags(write=False)
    return terms


def _differs(
    off: Plane, paper: Plane | None = None, shade: float = 0.0, of_dark: Plane | float = 0.0
) -> NDArray[np.bool_]:
    """Where what is off from the usual is no paper; how much colours usually differ `paper` (... x 3), or all, tells.
    `shade` more or less light is allowed everywhere; where there is less of it, `of_dark` times as much more colour."""
    light, colour = _light_and_colour(off)
    usual = colour if paper is None else _light_and_colour(paper.reshape(-1, 1, 3))[1]
    allowed = max(FOREIGN_COLOUR, FOREIGN_SPREADS * median_of(usual))
    coloured = colour > allowed + of_dark * np.maximum(-light, 0.0)
    return np.asarray(coloured | (light > FOREIGN_BRIGHT + shade) | (light < -FOREIGN_DARK - shade))


def _light_and_colour(off: Plane) -> tuple[Plane, Plane]:
    """Channel by channel: numpy is slow along an axis so short."""
    blue, green, red = cv2.split(off)
    light = (blue + green + red) / 3
    colour = np.maximum(np.maximum(np.abs(blue - light), np.abs(green - light)), np.abs(red - light))
    return np.asarray(light, np.float32), np.asarray(colour, np.float32)
