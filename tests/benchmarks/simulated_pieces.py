"""Tables full of pieces that lie as they fell, as the simulated camera sees them in any light, with truth files.

Each family is one kind of picture: tiles (New York Slice), pizzeria, fans and pizzeria-fans (slices of these in rows in
which each covers up to six tenths of the next), cards (SLICE), theory (Pizza Theory's board), boards (the same tables,
no die looked for), heaps (such with toppings of one colour side by side around the board), dice (on bare tables, and
among tiles, cards and prints nobody enrolled); grey-tiles, grey-pizzeria and grey-cards are printed without colour,
pale-tiles, pale-pizzeria, pale-cards and pale-theory in little ink.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from random import Random
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.games.pizza_theory.components import Components, line_ends, position_on_board
from controller.games.pizza_theory.components import load_components as pizza_theory
from controller.printing import pizzeria_pieces, slice_pieces, theory_board
from controller.simulation.copy import own_art
from hardware.kit import theory
from hardware.simulated.artwork import Artwork, Drawings, in_grey, in_little_ink
from hardware.simulated.bodies import piece_outline, thickness_mm
from hardware.simulated.dice import DieView
from hardware.simulated.kit_art import cut_out, kit_art
from hardware.simulated.lens import CameraModel
from hardware.simulated.lying import Lying, lying, outline_mm
from hardware.simulated.renderer import Renderer, at_scale, texture_scale
from hardware.simulated.surroundings import Conditions, Picture
from hardware.simulated.world import HandView, PieceView, WorldSnapshot
from tests.benchmarks.simulated_dice import SIDES_MM, die_label, prints, thrown, tops_visible
from tests.benchmarks.simulated_hands import reaching
from tests.benchmarks.views import View
from vision.frame import Image
from vision.mat.markers import MARKERS_MM
from vision.pieces.faces import BACKS, FacePack
from vision.pieces.learning import enrol
from vision.reports.compared import NEAR_DEG, NEAR_MM
from vision.scene import PieceKind, Pose

Array = NDArray[np.float64]
Photo = tuple[Image, dict[str, Any]]

SIZE = (1920, 1080)
PX_PER_MM = 4.0
REACH_MM = (500.0, 265.0)
"""How far from the mat's middle pieces lie."""
CLEAR_MM = 10.0
"""Around the mat's markers."""
MOST_COVERED = 0.4
RASTER_MM = 1.5
WITH_HANDS = 1 / 3
"""The share of pictures that hands reach into."""
HIDES = 128
"""A pixel that a hand covers by more of 255 shows nothing of what lies there."""


@dataclass(frozen=True, slots=True)
class Family:
    """Pieces that are shown together: their art, what shows them once, and tables of them."""

    name: str
    picture: str
    """What truth files call such a picture."""
    art: Callable[[], Mapping[str, Artwork]]
    enrolment: Callable[[], Iterator[list[PieceView]]]
    table: Callable[[Random], list[PieceView]]
    with_hands: float = WITH_HANDS
    dice: bool = False
    """Whether dice are thrown among them."""
    near_mm: float = NEAR_MM
    near_deg: float = NEAR_DEG
    """How far from its place a piece may be seen, and how far turned. Enrolled pieces tell the lens far from the mat,
    dice do not; and nothing asks how a die is turned."""


def enrolled(family: Family) -> FacePack:
    """The faces, learned from pictures in one light; once for all families that are shown alike."""
    return _enrolled(family.art, family.enrolment)


@lru_cache(maxsize=16)
def _enrolled(art: Callable[[], Mapping[str, Artwork]], enrolment: Callable[[], Iterator[list[PieceView]]]) -> FacePack:
    family = Family("enrolment", "enrolment", art, enrolment, lambda rng: [])
    photos = [photograph(family, views, Conditions(tilt_deg=1.0)) for views in enrolment()]
    if not photos:
        return FacePack({}, ())
    return enrol(photos, source=["simulated table"] * len(photos))


@lru_cache(maxsize=4)
def photographs(family: Family, seed: int, size: tuple[int, int] = SIZE, view: View | None = None) -> Photo:
    """The picture and truth of a table; which, and in which light, on what and from where, the seed says, and what of
    that is otherwise, a `view`. The last few are kept for who asks again: nobody is to change them."""
    rng = Random(seed)
    views, conditions = family.table(rng), Conditions.random(rng)
    if view is not None:
        conditions = view.change(conditions, Random(seed))
    hands = reaching(rng, views, REACH_MM) if rng.random() < family.with_hands else ()
    dice = thrown(rng, views, REACH_MM) if family.dice else ()
    image, labels = photograph(family, views, conditions, size, hands, dice)
    image.setflags(write=False)
    return image, labels


def photograph(
    family: Family,
    views: Sequence[PieceView],
    conditions: Conditions,
    size: tuple[int, int] = SIZE,
    hands: tuple[HandView, ...] = (),
    dice: Sequence[DieView] = (),
) -> Photo:
    """What the camera sees of pieces, bottom first, dice on them, under hands, and the truth about it."""
    camera = conditions.camera_model(*size)
    renderer = Renderer(for_camera(family.art, round(texture_scale(camera), 9)), camera, conditions)
    snapshot = WorldSnapshot(0.0, tuple(views), hands, frozenset(), (), dice=tuple(dice))
    lie = lying(views)
    heights = [lies.base_mm + thickness_mm(view.kind) for lies, view in zip(lie, views, strict=True)]
    shown = shares_visible(views)
    masks = renderer.hiding(snapshot)
    open_shares = shares_beside_hands(views, heights, camera, masks) if hands and views else shown
    pieces = [
        true_label(view, lies, visible, camera)
        for view, lies, share, visible in zip(views, lie, shown, open_shares, strict=True)
        if share > 0.0
    ]
    tops = tops_visible(dice, camera, masks)
    pieces += [die_label(die, visible, camera) for die, visible in zip(dice, tops, strict=True) if visible > 0.0]
    pieces += [_hand_label(hand, mask) for hand, mask in zip(hands, masks, strict=True) if (mask >= HIDES).any()]
    style = f"{conditions.surface.value}"[:6]
    return renderer.render(snapshot), {"style": style, "kind": family.picture, "pieces": pieces}


@lru_cache(maxsize=4)
def for_camera(art: Callable[[], Mapping[str, Artwork]], px_per_mm: float) -> Mapping[str, Artwork]:
    """Art made as small as a camera's pictures show it, what they show of it, once for all of them."""
    faces = art()
    return Drawings({face: partial(_small, faces, face, px_per_mm) for face in faces})


def _small(art: Mapping[str, Artwork], face: str, px_per_mm: float) -> Artwork:
    return at_scale(art[face], px_per_mm)


def shares_visible(views: Sequence[PieceView]) -> list[float]:
    """The share of each piece, bottom first, that no other lies on."""
    owner, _, areas = _owners(views)
    shown = np.bincount(owner.ravel(), minlength=len(areas) + 1)[1:]
    return [float(count) / max(area, 1) for count, area in zip(shown, areas, strict=True)]


def shares_beside_hands(
    views: Sequence[PieceView], tops_mm: Sequence[float], camera: CameraModel, masks: Sequence[Picture]
) -> list[float]:
    """The share of each piece, bottom first, that neither another nor, in the picture, a hand covers."""
    owner, origin_mm, areas = _owners(views)
    rows, columns = np.nonzero(owner)
    whose = owner[rows, columns].astype(np.intp) - 1
    places = np.column_stack([columns * RASTER_MM - origin_mm[0], origin_mm[1] - rows * RASTER_MM])
    pixels = np.round(camera.project(np.column_stack([places, np.array(tops_mm)[whose]]))).astype(np.intp)
    inside = np.asarray(((pixels >= 0) & (pixels < (camera.width, camera.height))).all(1), np.bool_)
    hidden = np.maximum.reduce(list(masks)) >= HIDES
    seen = ~inside
    seen[inside] = ~hidden[pixels[inside, 1], pixels[inside, 0]]
    shown = np.bincount(whose[seen], minlength=len(areas))
    return [float(count) / max(area, 1) for count, area in zip(shown, areas, strict=True)]


def _owners(views: Sequence[PieceView]) -> tuple[NDArray[np.uint16], tuple[float, float], list[int]]:
    """Who is on top, in cells of RASTER_MM: numbers from 1, bottom first, 0 for nobody; how far left of and above the
    mat's middle the first cell lies; and how many cells each covers by itself."""
    origin = [reach + 130.0 for reach in REACH_MM]
    outlines = [np.array(outline_mm(view.kind, view.pose)) * [1, -1] + origin for view in views]
    cells = [np.round(outline / RASTER_MM).astype(np.int32) for outline in outlines]
    if not cells:
        return np.zeros((1, 1), np.uint16), (0.0, 0.0), []
    first = np.min([outline.min(0) for outline in cells], axis=0)
    width, height = np.max([outline.max(0) for outline in cells], axis=0) - first + 1
    owner = np.zeros((int(height), int(width)), np.uint16)
    areas = []
    for number, outline in enumerate(cells, 1):
        (left, top), (right, bottom) = outline.min(0) - first, outline.max(0) - first + 1
        mask = np.zeros((int(bottom - top), int(right - left)), np.uint8)
        cv2.fillPoly(mask, [outline - outline.min(0)], (255,))
        cv2.copyTo(np.full(mask.shape, number, np.uint16), mask, owner[top:bottom, left:right])
        areas.append(cv2.countNonZero(mask))
    return owner, (origin[0] - float(first[0]) * RASTER_MM, origin[1] - float(first[1]) * RASTER_MM), areas


def _hand_label(hand: HandView, mask: Picture) -> dict[str, Any]:
    contours, _ = cv2.findContours((mask >= HIDES).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    outlines = [cv2.approxPolyDP(contour, 1.0, True).reshape(-1, 2).tolist() for contour in contours]
    way = math.degrees(math.atan2(hand.fingertip[1] - hand.shoulder[1], hand.fingertip[0] - hand.shoulder[0]))
    return {
        "kind": "hand",
        "x_mm": hand.fingertip[0],
        "y_mm": hand.fingertip[1],
        "angle_deg": way % 360.0,
        "outlines_px": outlines,
    }


def true_label(view: PieceView, lies: Lying, visible: float, camera: CameraModel) -> dict[str, Any]:
    outline = np.array(outline_mm(view.kind, view.pose))
    along = np.array([x for x, _ in piece_outline(view.kind)])
    tops = lies.base_at(along) + thickness_mm(view.kind)
    label: dict[str, Any] = {
        "kind": "tile" if view.kind is PieceKind.SLICE else view.kind.value,
        "face": view.face,
        "face_up": view.face_up,
        "x_mm": view.pose.x_mm,
        "y_mm": view.pose.y_mm,
        "angle_deg": view.pose.angle_deg,
        "outline_px": camera.project(np.column_stack([outline, tops])).tolist(),
        "visible": visible,
    }
    if view.kind in (PieceKind.BOARD, PieceKind.TOPPING):
        label["diameter_mm"] = theory.BOARD_MM if view.kind is PieceKind.BOARD else theory.TOPPING_MM
    if view.kind is PieceKind.TOPPING:
        _, label["colour"], *space = view.piece_id.split(":")
        label |= {"space": space[0]} if space else {}
    if view.kind is PieceKind.CUTTER:
        turn = math.radians(view.pose.angle_deg)
        way = theory.CUTTER_MM / 2 * np.array([math.cos(turn), math.sin(turn)])
        ends = np.array([[view.pose.x_mm, view.pose.y_mm]]) + np.array([-way, way])
        heights = lies.base_at(np.array([-0.5, 0.5]) * theory.CUTTER_MM) + theory.SLEEVE_MM / 2
        axis = np.column_stack([ends, heights])
        label |= {"colour": view.piece_id.split(":")[1], "diameter_mm": theory.SLEEVE_MM}
        label |= {"ends_mm": ends.tolist(), "ends_px": camera.project(axis).tolist()}
    return label


def piece_view(piece_id: str, kind: PieceKind, face: str, pose: Pose) -> PieceView:
    return PieceView(piece_id, kind, face, face != BACKS.get(kind), pose, 0.0, 1.0, (0.0, 0.0), None)


# Where pieces fall ----------------------------------------------------------------------------------------------------

_MARKERS = [np.array(corners, np.float32) for corners in MARKERS_MM.values()]


def scattered(rng: Random, pieces: Sequence[tuple[PieceKind, str]], *, most_covered: float) -> list[PieceView]:
    """Pieces in any turn, one after the other wherever no marker is and none below becomes covered too much."""
    views: list[PieceView] = []
    for number, (kind, face) in enumerate(pieces):
        for _ in range(60):
            x, y = (rng.uniform(-reach, reach) for reach in REACH_MM)
            pose = Pose(x, y, rng.uniform(0, 360))
            view = piece_view(f"{face}:{number}", kind, face, pose)
            if fits(view, views, most_covered):
                views.append(view)
                break
    return views


def fits(view: PieceView, below: Sequence[PieceView], most_covered: float) -> bool:
    outline = np.array(outline_mm(view.kind, view.pose), np.float32)
    if (np.abs(outline) > np.array(REACH_MM) + 15.0).any():
        return False
    low, high = outline.min(0) - CLEAR_MM, outline.max(0) + CLEAR_MM
    if any((low < marker.max(0)).all() and (marker.min(0) < high).all() for marker in _MARKERS):
        return False
    near = [b for b in below if math.dist((b.pose.x_mm, b.pose.y_mm), (view.pose.x_mm, view.pose.y_mm)) < 220.0]
    shares = shares_visible([*near, view])
    return all(share >= 1.0 - most_covered for share in shares)


def laid_apart(pieces: Sequence[tuple[PieceKind, str]], step_mm: tuple[float, float]) -> Iterator[list[PieceView]]:
    """Each piece upright and apart from others, on as many tables as that takes."""
    views: list[PieceView] = []
    across, up = step_mm
    spots = [
        (x, y)
        for y in np.arange(-REACH_MM[1] + up / 2, REACH_MM[1] - up / 2 + 1, up)
        for x in np.arange(-REACH_MM[0] + across / 2, REACH_MM[0] - across / 2 + 1, across)
    ]
    free = iter(spots)
    for kind, face in pieces:
        while True:
            spot = next(free, None)
            if spot is None:
                yield views
                views, free = [], iter(spots)
                continue
            x, y = float(spot[0]), float(spot[1])
            pose = Pose(x, y - 50.0, 90.0) if kind is PieceKind.SLICE else Pose(x, y, 90.0)
            view = piece_view(face, kind, face, pose)
            if fits(view, views, 0.0):
                views.append(view)
                break
    yield views


# New York Slice -------------------------------------------------------------------------------------------------------


@cache
def _tiles() -> Mapping[str, Artwork]:
    return own_art("new_york_slice")


@cache
def _offers() -> Mapping[str, Artwork]:
    slices, offers = pizzeria_pieces()
    faces = kit_art([*slices, *offers], PX_PER_MM, backs={"offer": BACKS[PieceKind.SPECIAL]})
    return faces | {BACKS[PieceKind.SLICE]: cut_out(slices[0].back, slices[0].outline, PX_PER_MM)}


def as_tile(face: str) -> tuple[PieceKind, str]:
    return (PieceKind.SPECIAL if face.partition("/")[0] in ("special", "offer") else PieceKind.SLICE), face


def _tile_table(art: Mapping[str, Artwork], rng: Random) -> list[PieceView]:
    """Slices and Specials anywhere, backs among them, some on others."""
    faces = [as_tile(face) for face in art]
    slices = rng.sample([one for one in faces if one[0] is PieceKind.SLICE], 30)
    specials = [one for one in faces if one[0] is PieceKind.SPECIAL] * 2
    pieces = slices + specials
    rng.shuffle(pieces)
    return scattered(rng, pieces, most_covered=MOST_COVERED)


FANS, FAN_OF = (4, 7), (4, 12)
"""So many fans lie on a table, of so many slices each."""
FAN_PITCH_MM, FAN_SPREAD_DEG = (13.0, 24.0), (-1.5, 3.0)
"""From slice to slice of a fan, and by how much each is turned further: such as cover a third to six tenths."""
FAN_STRAYS_MM, FAN_STRAYS_DEG = 0.7, 1.2
"""How exactly people lay them, as simulated players do."""
FAN_COVERED, HEAD_TO_TAIL = 0.6, 0.25
"""A slice is covered to this share at most; in so many fans every other one points the other way."""
FAN_NEAR_MM, FAN_NEAR_DEG = 8.0, 8.0
"""A slice that lies on others is raised, and seems to lie farther out."""
SLICE_MM = 100.0
SHARE_DOWN = (0.0, 0.3, 0.3, 0.8, 1.0)
"""How many slices of a fan are face down: a fan has one of these shares."""


def _fan_table(art: Mapping[str, Artwork], rng: Random) -> list[PieceView]:
    """Rows of slices that lie on each other, faces and backs mixed, laid from either end or in any order."""
    faces = rng.sample([face for face in art if as_tile(face)[0] is PieceKind.SLICE], 40)
    views: list[PieceView] = []
    for _ in range(rng.randint(*FANS)):
        for _ in range(60 if len(faces) >= FAN_OF[1] else 0):
            fan = _fan(rng, faces[-FAN_OF[1] :])
            if all(fits(view, views, 0.0) for view in fan) and min(shares_visible(fan)) >= 1.0 - FAN_COVERED:
                views += fan
                faces = [face for face in faces if face not in {view.face for view in fan}]
                break
    return views


def _fan(rng: Random, faces: Sequence[str]) -> list[PieceView]:
    """One fan anywhere, bottom first; in some every other slice points the other way."""
    angle, pitch, spread = rng.uniform(0, 360), rng.uniform(*FAN_PITCH_MM), rng.uniform(*FAN_SPREAD_DEG)
    first, down = [rng.uniform(-reach, reach) for reach in REACH_MM], rng.choice(SHARE_DOWN)
    head_to_tail = rng.random() < HEAD_TO_TAIL
    fan = []
    for number, face in enumerate(faces[: rng.randint(*FAN_OF)]):
        turn = angle - number * spread + rng.gauss(0, FAN_STRAYS_DEG)
        ahead, turn = (SLICE_MM, turn + 180.0) if head_to_tail and number % 2 else (0.0, turn)
        way, beside = math.radians(angle), math.radians(angle - 90.0)
        at = (
            first[0] + number * pitch * math.cos(beside) + ahead * math.cos(way),
            first[1] + number * pitch * math.sin(beside) + ahead * math.sin(way),
        )
        x, y = (along + rng.gauss(0, FAN_STRAYS_MM) for along in at)
        pose = Pose(x, y, turn % 360.0)
        shown = BACKS[PieceKind.SLICE] if rng.random() < down else face
        fan.append(piece_view(f"{face}:{number}", PieceKind.SLICE, shown, pose))
    order = rng.choice(("along", "back", "any"))
    return fan if order == "along" else fan[::-1] if order == "back" else rng.sample(fan, len(fan))


# SLICE ----------------------------------------------------------------------------------------------------------------


@cache
def _cards() -> Mapping[str, Artwork]:
    orders, slices = slice_pieces()
    return kit_art([*slices, *orders], PX_PER_MM, backs={"slice": BACKS[PieceKind.SLICE_CARD]})


def as_card(face: str) -> tuple[PieceKind, str]:
    return (PieceKind.ORDER_CARD if face.startswith("order/") else PieceKind.SLICE_CARD), face


def _card_table(rng: Random) -> list[PieceView]:
    """Cards anywhere beside each other; some lie on another, as nearly as people lay them."""
    faces = [as_card(face) for face in _cards()]
    slices = [one for one in faces if one[0] is PieceKind.SLICE_CARD]
    orders = [one for one in faces if one[0] is PieceKind.ORDER_CARD]
    pieces = [rng.choice(slices) for _ in range(40)] + [rng.choice(orders) for _ in range(26)]
    rng.shuffle(pieces)
    views = scattered(rng, pieces, most_covered=0.0)
    below = [view for view in views if view.kind is PieceKind.SLICE_CARD]
    for number, view in enumerate(rng.sample(below, min(5, len(below)))):
        kind, face = rng.choice(slices)
        at = replace(
            view.pose,
            x_mm=view.pose.x_mm + rng.gauss(0, 1.5),
            y_mm=view.pose.y_mm + rng.gauss(0, 1.5),
            angle_deg=view.pose.angle_deg + rng.gauss(0, 3.0),
        )
        views.append(piece_view(f"{face}:on:{number}", kind, face, at))
    return views


# Pizza Theory ---------------------------------------------------------------------------------------------------------

FEWER_CUTTERS = 0.2
"""The share of boards without all three cutters."""
ASKEW = 0.15
"""The share of cutters that lie along no line."""


@cache
def theory_parts() -> Components:
    return pizza_theory()


@cache
def _theory() -> Mapping[str, Artwork]:
    colours = theory_parts().colours
    board = theory.board_drawing(*theory_board())
    pieces = [*theory.toppings(colours, 1), *map(theory.folded_cutter, colours)]
    return {"board": cut_out(board, piece_outline(PieceKind.BOARD), PX_PER_MM)} | kit_art(pieces, PX_PER_MM)


def on_board(board: Pose, point: tuple[float, float]) -> tuple[float, float]:
    """The place on the table of a point of the board's drawing, in spaces from its middle, the first player below."""
    turn = math.radians(board.angle_deg)
    along, left = point[1] * theory.PITCH_MM, -point[0] * theory.PITCH_MM
    x = board.x_mm + along * math.cos(turn) - left * math.sin(turn)
    return x, board.y_mm + along * math.sin(turn) + left * math.cos(turn)


def theory_table(rng: Random, filled: float | None = None) -> list[PieceView]:
    """A board in any turn on the mat, toppings on some of its spaces, and the three cutters, mostly all, mostly on
    lines of their own; one lies on another where they cross."""
    components = theory_parts()
    board = Pose(rng.uniform(-15, 15), rng.uniform(-15, 15), rng.uniform(0, 360))
    views = [piece_view("board", PieceKind.BOARD, "board", board)]
    share = rng.uniform(0.2, 1.0) if filled is None else filled
    for at in components.spaces.values():
        if rng.random() < share:
            x, y = on_board(board, position_on_board(at))
            colour = rng.choice(components.colours)
            pose = Pose(x + rng.gauss(0, 0.7), y + rng.gauss(0, 0.7), 0.0)
            space = ",".join(map(str, at))
            views.append(piece_view(f"topping:{colour}:{space}", PieceKind.TOPPING, f"topping/{colour}", pose))
    places = rng.sample(list(components.places), 3)
    colours = rng.sample(list(components.colours), 3)
    some = rng.randint(0, 2) if filled is None and rng.random() < FEWER_CUTTERS else 3
    for place, colour in list(zip(places, colours, strict=True))[:some]:
        if filled is None and rng.random() < ASKEW:
            turn, along, aside = rng.uniform(0, 2 * math.pi), rng.uniform(-0.5, 0.5), rng.uniform(-2.5, 2.5)
            off = along * math.cos(turn) - aside * math.sin(turn), along * math.sin(turn) + aside * math.cos(turn)
            pose = Pose(*on_board(board, off), (math.degrees(turn) + board.angle_deg - 90.0) % 360.0)
            views.append(piece_view(f"cutter:{colour}", PieceKind.CUTTER, f"cutter/{colour}", pose))
            continue
        start, end = (on_board(board, at) for at in line_ends(components, place, rng.choice(components.numbers)))
        angle = math.degrees(math.atan2(start[1] - end[1], start[0] - end[0])) + rng.gauss(0, 1.0)
        middle = ((start[0] + end[0]) / 2 + rng.gauss(0, 0.8), (start[1] + end[1]) / 2 + rng.gauss(0, 0.8))
        views.append(piece_view(f"cutter:{colour}", PieceKind.CUTTER, f"cutter/{colour}", Pose(*middle, angle % 360)))
    return views


HEAP_MM = (165.0, 330.0)
"""How far from the mat's middle heaps of toppings lie."""
TOUCH_MM = 18.1
"""From middle to middle of toppings that lie side by side."""
HEAP_OF = 6
"""So many are in a heap at most."""


def heap_table(rng: Random) -> list[PieceView]:
    """A board as in play, and beside it two heaps of toppings of each colour, as they lie before their owners."""
    heaps: list[PieceView] = []
    for colour in theory_parts().colours:
        for heap in range(2):
            turn, away, lies = rng.uniform(0, 2 * math.pi), rng.uniform(*HEAP_MM), rng.uniform(0, math.pi / 3)
            middle = away * math.cos(turn), 0.7 * away * math.sin(turn)
            for number, step in enumerate(rng.sample(_SIDE_BY_SIDE, rng.randint(1, HEAP_OF))):
                x = middle[0] + TOUCH_MM * (step[0] * math.cos(lies) - step[1] * math.sin(lies)) + rng.uniform(0, 0.8)
                y = middle[1] + TOUCH_MM * (step[0] * math.sin(lies) + step[1] * math.cos(lies)) + rng.uniform(0, 0.8)
                name = f"topping {heap}-{number}:{colour}"
                view = piece_view(name, PieceKind.TOPPING, f"topping/{colour}", Pose(x, y, rng.uniform(0, 360)))
                if fits(view, heaps, 0.1):
                    heaps.append(view)
    return theory_table(rng) + heaps


_SIDE_BY_SIDE = [(0.0, 0.0), *((math.cos(i * math.pi / 3), math.sin(i * math.pi / 3)) for i in range(6))]
"""Seven places that touch, in diameters."""


def _theory_family(name: str, picture: str, table: Callable[[Random], list[PieceView]] = theory_table) -> Family:
    return Family(
        name,
        picture,
        _theory,
        _theory_enrolment,
        table,
    )


def _theory_enrolment() -> Iterator[list[PieceView]]:
    return (theory_table(Random(10_000 + number), share) for number, share in enumerate((0.0, 0.4, 0.6, 0.7)))


_THEORY = _theory_family("theory", "theory")


def _tile_family(name: str, art: Callable[[], Mapping[str, Artwork]]) -> Family:
    return Family(
        name,
        "ring",
        art,
        lambda: laid_apart([as_tile(face) for face in art()], (66.0, 108.0)),
        lambda rng: _tile_table(art(), rng),
    )


def _fan_family(name: str, tiles: Family) -> Family:
    return replace(
        tiles,
        name=name,
        table=lambda rng: _fan_table(tiles.art(), rng),
        with_hands=0.0,
        near_mm=FAN_NEAR_MM,
        near_deg=FAN_NEAR_DEG,
    )


def _in_grey(family: Family) -> Family:
    """The same copy, printed without colour."""
    return replace(family, name=f"grey-{family.name}", art=cache(lambda: in_grey(family.art())))


INK = 0.6
"""A copy in little ink is printed with so much of it."""


def _in_little_ink(family: Family) -> Family:
    """The same copy, printed in little ink."""
    return replace(family, name=f"pale-{family.name}", art=cache(lambda: in_little_ink(family.art(), INK)))


# Dice -----------------------------------------------------------------------------------------------------------------

BARE = 0.4
"""The share of dice's tables on which nothing else lies."""
AMONG = 12
"""So many tiles and so many cards are among the things that dice lie among."""


@cache
def _among() -> Mapping[str, Artwork]:
    rng = Random("among dice")
    some = [(face, faces[face]) for faces in (_tiles(), _cards()) for face in rng.sample(sorted(faces), AMONG)]
    return {**dict(some), **prints()}


def _dice_table(rng: Random) -> list[PieceView]:
    """What dice lie among: nothing, tiles and cards, or prints as well."""
    if rng.random() < BARE:
        return []
    faces = [face for face in _among() if face not in prints()] + rng.choice([[], list(prints())])
    pieces = [as_card(face) if face in prints() or face in _cards() else as_tile(face) for face in faces]
    return scattered(rng, rng.sample(pieces, rng.randint(3, min(18, len(pieces)))), most_covered=0.1)


_NEW_YORK_SLICE, _PIZZERIA = _tile_family("tiles", _tiles), _tile_family("pizzeria", _offers)
_CARDS = Family(
    "cards",
    "cards",
    _cards,
    lambda: laid_apart([as_card(face) for face in _cards()], (80.0, 80.0)),
    _card_table,
)
FAMILIES: Mapping[str, Family] = {
    family.name: family
    for family in (
        _NEW_YORK_SLICE,
        _PIZZERIA,
        _fan_family("fans", _NEW_YORK_SLICE),
        _fan_family("pizzeria-fans", _PIZZERIA),
        _CARDS,
        *map(_in_grey, (_NEW_YORK_SLICE, _PIZZERIA, _CARDS)),
        *map(_in_little_ink, (_NEW_YORK_SLICE, _PIZZERIA, _CARDS, _THEORY)),
        _THEORY,
        _theory_family("boards", "board"),
        _theory_family("heaps", "board", heap_table),
        Family("dice", "dice", _among, lambda: iter(()), _dice_table, dice=True, near_mm=SIDES_MM[0], near_deg=10.0),
    )
}
