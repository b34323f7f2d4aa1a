"""Tables with score sheets that people have written on, and thrown dice, as the simulated camera sees them, with truth.

Each table is seen twice: with blank sheets, and written on. Sheets lie about where players have theirs or in the middle
of the mat. Any dot may be made, neighbours are mostly joined, toppings and bonuses crossed out or circled, some of it
rubbed out again. Pencils are from faint to firm.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.games.dice_and_slice.components import DICE, FACES, load_components
from controller.games.dice_and_slice.hands import SHEET, SHEET_OUT_MM, Pencilled
from controller.simulation.copies import dice_and_slice
from hardware.kit.score_sheets import load_sheet_print
from hardware.simulated.artwork import Artwork
from hardware.simulated.bodies import FOLDED_DIE_MM, piece_outline, thickness_mm
from hardware.simulated.lens import CameraModel
from hardware.simulated.lying import lying, outline_mm, placed
from hardware.simulated.pencil import PencilledSheet, Writer
from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions, Picture, light_gain
from hardware.simulated.world import PieceView, WorldSnapshot
from tests.benchmarks.simulated_hands import reaching
from tests.benchmarks.simulated_pieces import (
    HIDES,
    PX_PER_MM,
    REACH_MM,
    SIZE,
    WITH_HANDS,
    shares_beside_hands,
    shares_visible,
)
from tests.vision.drawn_sticks import draw_napkin, draw_thing, some_thing
from vision.frame import Image
from vision.mat.markers import MARKERS_MM
from vision.reports.compared import TruePiece
from vision.reports.mark_report import MarkPlace
from vision.scene import MarkKind, PieceKind, Point, Pose
from vision.sheets.layout import SheetLayout

Array = NDArray[np.float64]

MOST_SHEETS, MOST_DICE = 4, 4
IN_THE_MIDDLE = 0.15
"""The share of sheets that lie on the mat."""
OFF_MM, OFF_DEG = 8.0, 5.0
"""How far (standard deviation) a sheet lies from where it would lie straight."""
DOTS = (0.1, 0.7)
"""Of a sheet's dots, at least and at most."""
JOINED, ASLANT = 0.85, 0.005
"""Of neighbouring dots that were both made, and of dots at opposite corners of a square."""
CROSSED, CIRCLED, STRUCK, RUBBED = 0.35, 0.3, 0.25, 0.06
"""Of toppings, bonuses, bonuses, and of all marks those that were rubbed out again."""
SPREAD_MM = 2.2
"""From the middle of its place a mark may be so far."""
ON_A_SHEET = 0.1
"""The share of dice that may come to lie on a sheet."""
THINGS, THING_OFF_MM = 0.85, 60.0
"""The share of sheets on which something lies, and how far at most its middle from theirs, across and along."""
NAPKIN_COVERS = (0.15, 0.5)
"""Of a grid, at least and at most."""
THROWN_MM = 150.0
APART_MM = 26.0
_PICTURE_EDGE_PX = 12
_SOFT = 16
"""Below this of 255 a hand covers nothing."""


@dataclass(frozen=True, slots=True)
class WrittenSheet:
    """A sheet and what was written on it."""

    piece: PieceView
    marks: frozenset[MarkPlace]
    """What is there, without what was rubbed out."""


@dataclass(frozen=True, slots=True)
class SheetTable:
    """A table before and after people have written."""

    blank: Image
    written: Image
    sheets: tuple[WrittenSheet, ...]
    truth: tuple[TruePiece, ...]
    """Sheets and dice on the second picture."""
    open_places: tuple[Mapping[MarkPlace, bool | None], ...]
    """For each sheet and each of its places whether it shows on the second picture: True if nothing is over it, False
    if all of it is covered, None if a part is."""
    hands: int
    style: str


def sheet_table(seed: int, size: tuple[int, int] = SIZE, *, things: bool = False, napkins: bool = False) -> SheetTable:
    """Both pictures of a table, and the truth; the seed decides everything. With `things` pencils, pens, coins lie on
    most of the written sheets, with `napkins` one on each."""
    rng = Random(f"sheets {seed}")
    conditions = Conditions.random(rng)
    camera = conditions.camera_model(*size)
    art = SheetArt()
    blank = list(lain(rng, camera))
    sheets = [_written(rng, art, piece) for piece in blank]
    dice = thrown(rng, blank)
    views = [*(sheet.piece for sheet in sheets), *dice]
    hands = reaching(rng, views, REACH_MM) if rng.random() < WITH_HANDS else ()
    renderer = Renderer(art, camera, conditions)
    before = renderer.render(WorldSnapshot(0.0, tuple(blank), (), frozenset(), (), dice=()))
    after = WorldSnapshot(1.0, tuple(views), hands, frozenset(), (), dice=())
    masks = renderer.hiding(after)
    tops = [lies.base_mm + thickness_mm(view.kind) for lies, view in zip(lying(views), views, strict=True)]
    shares = shares_beside_hands(views, tops, camera, masks) if hands else shares_visible(views)
    over, after_image = over_sheets(camera, masks, dice), renderer.render(after)
    if things:
        over = np.maximum(over, _things_on(after_image, blank, conditions, camera, seed))
    if napkins:
        over = np.maximum(over, _napkins_on(after_image, blank, camera, seed))
    return SheetTable(
        before,
        after_image,
        tuple(sheets),
        tuple(true_piece(view, share) for view, share in zip(views, shares, strict=True)),
        tuple(open_places(sheet.piece.pose, camera, over) for sheet in sheets),
        len(hands),
        conditions.surface.value[:6],
    )


def _things_on(
    image: Image, sheets: Sequence[PieceView], conditions: Conditions, camera: CameraModel, seed: int
) -> Picture:
    """Draws what lies on most of the sheets, and says how far it covers each pixel, 0 to 255."""
    rng = np.random.default_rng(seed)
    white = np.asarray(245.0 / 128.0 * light_gain(conditions, *camera.table_grid()))
    over = np.zeros(image.shape[:2], np.uint8)
    for sheet in sheets:
        if rng.random() < THINGS:
            middle = np.array([sheet.pose.x_mm, sheet.pose.y_mm])
            thing = some_thing(rng, middle - THING_OFF_MM, middle + THING_OFF_MM)
            mask = draw_thing(
                image, thing, camera.project, white, rng,
                lamp_deg=conditions.lamp_deg, shadow=conditions.shadow, blur_px=conditions.blur_px,
                noise=conditions.noise,
            )  # fmt: skip
            over = np.maximum(over, mask)
    return over


def _napkins_on(image: Image, sheets: Sequence[PieceView], camera: CameraModel, seed: int) -> Picture:
    """Draws a napkin on each sheet, over one side of its grid and beyond, and says where they are, as `_things_on`."""
    rng = np.random.default_rng(seed)
    over = np.zeros(image.shape[:2], np.uint8)
    low, high = printed().dots_mm.min(axis=0), printed().dots_mm.max(axis=0)
    for sheet in sheets:
        way = np.array(((-1, 0), (1, 0), (0, 1), (0, -1))[int(rng.integers(4))], np.float64)
        across = np.array([-way[1], way[0]])
        wide = rng.uniform(*NAPKIN_COVERS) * abs(float(way @ (high - low)))
        edge = (low + high) / 2 + way * (np.abs(way @ (high - low)) / 2 - wide) + across * rng.uniform(-25.0, 25.0)
        side, out = across * rng.uniform(50.0, 110.0), way * (wide + rng.choice([14.0, 44.0]))
        turn = np.radians(rng.normal(0.0, 12.0))
        turned = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        corners = np.array([-side, side, side + out, out - side]) @ turned.T + edge
        over = np.maximum(over, draw_napkin(image, _seen(corners, sheet.pose, camera), rng))
    return over


@cache
def printed() -> SheetLayout:
    """The print of our own sheets."""
    return load_sheet_print().layout


def places(layout: SheetLayout) -> Iterator[MarkPlace]:
    """Every place of a sheet that may be marked, lines by their left or upper end first."""
    yield from ((MarkKind.DOT, dot) for dot in layout.dots)
    yield from ((MarkKind.LINE, (*first, *second)) for first, second in layout.lines)
    yield from ((MarkKind.DIAGONAL, (*first, *second)) for first, second in layout.diagonals)
    yield from ((MarkKind.CROSSED_TOPPING, topping.square) for topping in layout.toppings)
    for number in range(len(layout.boxes)):
        yield from ((kind, (number,)) for kind in (MarkKind.CIRCLED_BONUS, MarkKind.CROSSED_BONUS))


class SheetArt(dict[str, Artwork]):
    """The printed pieces of our copy, and the sheets of one table."""

    def __init__(self) -> None:
        super().__init__(_printed_art())


@cache
def _printed_art() -> Mapping[str, Artwork]:
    return dict(dice_and_slice.art(PX_PER_MM).items())


# Sheets and pencils ---------------------------------------------------------------------------------------------------


def lain(rng: Random, camera: CameraModel) -> Iterator[PieceView]:
    """Blank sheets before players, or on the mat, none on another or on a marker, all wholly in the picture."""
    around = [np.array(corners, np.float32) for corners in MARKERS_MM.values()]
    for number in range(rng.randint(1, MOST_SHEETS)):
        for _ in range(60):
            pose = _somewhere(rng)
            outline = np.array(outline_mm(PieceKind.SHEET, pose), np.float32)
            if _in_picture(outline, camera) and all(cv2.intersectConvexConvex(outline, o)[0] < 1.0 for o in around):
                around.append(outline)
                yield PieceView(f"sheet {number}", PieceKind.SHEET, SHEET, True, pose, 0.0, 1.0, (0.0, 0.0), None)
                break


def _somewhere(rng: Random) -> Pose:
    off = (rng.gauss(0, OFF_MM), rng.gauss(0, OFF_MM))
    if rng.random() < IN_THE_MIDDLE:
        return Pose(off[0], off[1], rng.uniform(0, 360))
    way = rng.choice((-1.0, 1.0))
    if rng.random() < 0.6:
        middle, turn = (way * SHEET_OUT_MM[0], rng.uniform(-130, 130)), 180.0 if way > 0 else 0.0
    else:
        middle, turn = (rng.uniform(-230, 230), way * SHEET_OUT_MM[1]), -90.0 * way
    return Pose(middle[0] + off[0], middle[1] + off[1], (turn + rng.gauss(0, OFF_DEG)) % 360.0)


def _in_picture(outline: NDArray[np.float32], camera: CameraModel) -> bool:
    pixels = camera.project(np.column_stack([outline, np.zeros(len(outline))]))
    inside = (pixels >= _PICTURE_EDGE_PX) & (pixels < np.array([camera.width, camera.height]) - _PICTURE_EDGE_PX)
    return bool(inside.all())


def _written(rng: Random, art: SheetArt, blank: PieceView) -> WrittenSheet:
    """The sheet with pencil on it; puts what it looks like to the other art."""
    made = list(some_marks(rng))
    return written(art, blank, made, some_writer(rng))


def some_writer(rng: Random) -> Writer:
    """Somebody who pencils faintly or firmly, more or less neatly."""
    firm = rng.uniform(0.3, 0.85)
    return Writer(
        f"{rng.random()}",
        darkness=(0.85 * firm, min(1.0, 1.15 * firm)),
        wobble_mm=rng.uniform(0.1, 0.45),
        off_mm=rng.uniform(0.25, 0.6),
    )


def written(art: SheetArt, blank: PieceView, made: Sequence[Pencilled], writer: Writer, turn: int = 0) -> WrittenSheet:
    """The sheet with these marks on it; puts what it looks like, at that `turn`, to the other art."""
    sheet = PencilledSheet(_printed_art()[SHEET], writer)
    for mark in made:
        dice_and_slice.pencil(sheet, printed(), mark)
    face = f"{SHEET}/{blank.piece_id}/{turn}"
    art[face] = sheet.art()
    left = frozenset((mark.kind, mark.at) for mark in made if not mark.rubbed)
    return WrittenSheet(replace(blank, face=face), left)


def some_marks(rng: Random) -> Iterator[Pencilled]:
    """What may be written on one sheet, dots before the lines that join them."""
    layout = printed()
    share = rng.uniform(*DOTS)
    made_dots = [dot for dot in layout.dots if rng.random() < share]

    def made(kind: MarkKind, at: tuple[int, ...]) -> Pencilled:
        return Pencilled(kind, at, rubbed=rng.random() < RUBBED)

    written = [made(MarkKind.DOT, dot) for dot in made_dots]
    yield from written
    dots = {mark.at for mark in written if not mark.rubbed}
    for first, second in layout.lines:
        if {first, second} <= dots and rng.random() < JOINED:
            yield made(MarkKind.LINE, (*first, *second))
    for first, second in layout.diagonals:
        if {first, second} <= dots and rng.random() < ASLANT:
            yield made(MarkKind.DIAGONAL, (*first, *second))
    yield from (made(MarkKind.CROSSED_TOPPING, one.square) for one in layout.toppings if rng.random() < CROSSED)
    for number in range(len(layout.boxes)):
        chance = rng.random()
        if chance < CIRCLED:
            yield made(MarkKind.CIRCLED_BONUS, (number,))
        elif chance < CIRCLED + STRUCK:
            yield made(MarkKind.CROSSED_BONUS, (number,))


# Dice -----------------------------------------------------------------------------------------------------------------


def thrown(rng: Random, sheets: Sequence[PieceView]) -> list[PieceView]:
    """Dice on the mat, few on a sheet, none half on one."""
    outlines = [np.array(outline_mm(view.kind, view.pose), np.float32) for view in sheets]
    dice: list[PieceView] = []
    for number in range(rng.randint(0, MOST_DICE)):
        anywhere = rng.random() < ON_A_SHEET
        for _ in range(40):
            pose = Pose(rng.uniform(-THROWN_MM, THROWN_MM), rng.uniform(-THROWN_MM, THROWN_MM), rng.uniform(0, 360))
            at = (pose.x_mm, pose.y_mm)
            near = [-cv2.pointPolygonTest(outline, at, measureDist=True) for outline in outlines]
            others = [math.dist(at, (die.pose.x_mm, die.pose.y_mm)) for die in dice]
            beside = all((abs(mm) if anywhere else mm) > APART_MM for mm in near)
            if beside and all(mm > 1.2 * APART_MM for mm in others):
                face = f"die/{rng.choice(DICE)}{rng.choice(FACES)}"
                dice.append(PieceView(f"die {number}", PieceKind.DIE, face, True, pose, 0.0, 1.0, (0.0, 0.0), None))
                break
    return dice


def true_piece(view: PieceView, visible: float) -> TruePiece:
    """A sheet or a die as it truly lies."""
    if view.kind is PieceKind.SHEET:
        return TruePiece(view.kind, SHEET, view.pose, visible)
    face = load_parts()[view.face.removeprefix("die/")]
    # A piece's angle is that of its print's up; a die is said with its right side.
    return TruePiece(view.kind, face, replace(view.pose, angle_deg=view.pose.angle_deg - 90.0), visible)


@cache
def load_parts() -> Mapping[str, str]:
    """Each die's face as `DotDie` says it: rows of # and . from the top."""
    faces = load_components().faces.values()
    return {face.name: "/".join(row.replace("o", "#") for row in face.picture) for face in faces}


# What shows -----------------------------------------------------------------------------------------------------------


def over_sheets(camera: CameraModel, masks: Sequence[Picture], dice: Sequence[PieceView]) -> Picture:
    """How far hands and dice cover each pixel, 0 to 255."""
    over = np.zeros((camera.height, camera.width), np.uint8)
    for mask in masks:
        over = np.maximum(over, mask)
    for die in dice:
        foot = np.array(placed(piece_outline(die.kind), die.pose))
        corners = np.vstack([np.column_stack([foot, np.full(len(foot), mm)]) for mm in (0.0, FOLDED_DIE_MM)])
        hull = cv2.convexHull(np.round(camera.project(corners)).astype(np.int32))
        cv2.fillConvexPoly(over, hull, (255,))
    return over


def open_places(pose: Pose, camera: CameraModel, over: Picture) -> Mapping[MarkPlace, bool | None]:
    """Of each place of a sheet whether it shows, as `SheetTable.open_places` has it; `over` says what is covered."""
    shows: dict[MarkPlace, bool | None] = {}
    for place in places(printed()):
        covers = _covers(_spots(place), pose, camera, over)
        shows[place] = True if covers.max() < _SOFT else (False if covers.min() >= HIDES else None)
    return shows


def _covers(spots_mm: Array, pose: Pose, camera: CameraModel, over: Picture) -> NDArray[np.uint8]:
    pixels = np.round(_seen(spots_mm, pose, camera)).astype(np.intp)
    columns, rows = np.clip(pixels, 0, np.array([camera.width, camera.height]) - 1).T
    return np.asarray(over[rows, columns], np.uint8)


def _seen(spots_mm: Array, pose: Pose, camera: CameraModel) -> Array:
    """Where points of a sheet's own frame are seen."""
    # That has y up; a piece's has x along its angle, which is the sheet's up.
    own: list[Point] = [(float(y), float(-x)) for x, y in spots_mm]
    table = np.array(placed(own, pose))
    return np.asarray(camera.project(np.column_stack([table, np.zeros(len(table))])))


@cache
def _spots(place: MarkPlace) -> Array:
    """Points all over a mark's place, in the sheet's own frame."""
    layout, (kind, at) = printed(), place
    if kind is MarkKind.DOT:
        return _box(layout.dot_mm((at[0], at[1])), (SPREAD_MM, SPREAD_MM))
    if kind in (MarkKind.LINE, MarkKind.DIAGONAL):
        start, end = (np.array(layout.dot_mm((c, r))) for c, r in ((at[0], at[1]), (at[2], at[3])))
        return np.vstack([_box(tuple(start + share * (end - start)), (1.0, 1.0)) for share in np.linspace(0, 1, 7)])
    if kind is MarkKind.CROSSED_TOPPING:
        topping = next(one for one in layout.toppings if one.square == at)
        return _box(topping.centre_mm, (0.55 * topping.size_mm,) * 2)
    box = layout.boxes[at[0]]
    return _box(box.centre_mm, (0.55 * box.size_mm[0], 0.55 * box.size_mm[1]))


def _box(middle: Sequence[float], half_mm: tuple[float, float]) -> Array:
    steps = np.linspace(-1, 1, 5)
    return np.array([(middle[0] + x * half_mm[0], middle[1] + y * half_mm[1]) for x in steps for y in steps])
