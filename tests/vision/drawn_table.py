"""A table drawn with a few strokes: a mat with markers, wedges and cards with blots on them, a tilted camera."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.vision.camera_noise import camera_noise
from vision.files.label_kinds import LABEL_KINDS
from vision.frame import Image
from vision.mat.markers import MARKERS_MM
from vision.pieces.faces import FacePack, piece_height_mm
from vision.pieces.learning import enrol

SIZE = (1280, 720)
RADIUS_MM = 100.0
ANGLE_DEG = 360.0 / 11
CARDS_MM = {"special": (60.0, 90.0), "slice-card": (40.0, 56.0), "order-card": (70.0, 70.0)}
"""Width and height of what is no wedge, by the kind in a label."""
ART_PX_PER_MM = 4
FACES = ("a/1", "a/2", "a/3", "b/1", "b/2", "back")
SPECIALS = ("special/one", "special/two", "special/back")

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Piece:
    """One piece on the drawn table."""

    face: str
    x_mm: float
    y_mm: float
    angle_deg: float

    @property
    def label_kind(self) -> str:
        """The kind in a label, told by the face's name: special/..., slice/... and order/... are cards."""
        group = self.face.partition("/")[0]
        return {"special": "special", "slice": "slice-card", "order": "order-card"}.get(group, "tile")

    @property
    def size_mm(self) -> tuple[float, float] | None:
        """Width and height of a card; None for a wedge."""
        return CARDS_MM.get(self.label_kind)


@dataclass(frozen=True)
class View:
    """How the table is looked at and lit."""

    size: tuple[int, int] = SIZE
    height_mm: float = 800.0
    tilt: float = 0.02
    turn_deg: float = 3.0
    light: tuple[float, float, float] = (1.0, 1.0, 1.0)
    noise: float = 1.5
    blur: float = 0.6
    seed: int = 1


def photograph(pieces: Sequence[Piece], view: View | None = None, hand: Array | None = None) -> Image:
    """A picture of the table; `hand` is an outline in table millimetres painted over everything."""
    view = view or View()
    if hand is None:
        return _photographed(tuple(pieces), view).copy()
    picture = _laid(pieces, view)
    cv2.fillPoly(picture, [np.round(project(hand, view)).astype(np.int32)], (118, 150, 205))
    return taken(picture, view)


def taken(picture: Image, view: View) -> Image:
    """What is drawn, as a camera shows it in this light: blurred, with noise."""
    lit = np.asarray(cv2.GaussianBlur(picture, (0, 0), view.blur) * np.array(view.light, np.float32), np.float32)
    if view.noise:
        lit += camera_noise(lit.shape, view.noise, view.seed)
    return np.asarray(np.clip(lit, 0, 255), np.uint8)


def label(pieces: Sequence[Piece], view: View | None = None) -> dict[str, Any]:
    """The label file of such a picture."""
    view = view or View()
    return {
        "style": "drawn",
        "kind": "ring",
        "pieces": [
            {
                "kind": piece.label_kind,
                "face": piece.face,
                "face_up": True,
                "x_mm": piece.x_mm,
                "y_mm": piece.y_mm,
                "angle_deg": piece.angle_deg,
                "outline_px": project(_outline(piece), view, _height(piece)).tolist(),
                "visible": 1.0,
            }
            for piece in pieces
        ],
    }


def enrolment() -> list[Piece]:
    """Every face once, apart."""
    pieces = [Piece(face, -250.0 + 100 * i, -10.0, 80.0 + 5 * i) for i, face in enumerate(FACES)]
    return pieces + [Piece(face, -100.0 + 100 * i, -110.0, 90.0 + 4 * i) for i, face in enumerate(SPECIALS)]


@cache
def enrolled() -> FacePack:
    """A pack of all drawn faces."""
    return enrol([(photograph(enrolment()), label(enrolment()))], source=["drawn"])


def without(pack: FacePack, face: str) -> FacePack:
    """The pack as if a face had not been enrolled."""
    kinds = dict(pack.kinds)
    for kind, known in pack.kinds.items():
        kept = [i for i, name in enumerate(known.names) if name != face]
        points = np.flatnonzero(np.isin(known.owners, kept))
        kinds[kind] = replace(
            known,
            names=tuple(known.names[i] for i in kept),
            colours=known.colours[kept],
            slopes=known.slopes[kept],
            keypoints=known.keypoints.pick(points),
            owners=np.searchsorted(kept, known.owners[points]),
        )
    return replace(pack, kinds=kinds)


def project(points_mm: Array, view: View, height_mm: float = 0.0) -> Array:
    """Pixels of table points at a height."""
    moved = np.column_stack([points_mm, np.full(len(points_mm), height_mm)])
    cast = moved @ _camera(view)[:, :3].T + _camera(view)[:, 3]
    return np.asarray(cast[:, :2] / cast[:, 2:])


def _camera(view: View) -> Array:
    """3 x 4: table mm and height to pixels."""
    focal = 0.86 * view.size[0]
    inner = np.array([[focal, 0, (view.size[0] - 1) / 2], [0, focal, (view.size[1] - 1) / 2], [0, 0, 1]])
    turn = np.radians(view.turn_deg)
    spin = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    down = np.diag([1.0, -1.0, -1.0])
    lean = cv2.Rodrigues(np.array([view.tilt, -view.tilt / 2, 0.0]))[0]
    return np.asarray(inner @ np.column_stack([lean @ down @ spin, [0.0, 0.0, view.height_mm]]))


def _height(piece: Piece) -> float:
    return piece_height_mm(piece.x_mm, piece.y_mm, LABEL_KINDS[piece.label_kind])


@lru_cache(maxsize=16)
def _photographed(pieces: tuple[Piece, ...], view: View) -> Image:
    return taken(_laid(pieces, view), view)


def _laid(pieces: Sequence[Piece], view: View) -> Image:
    picture = _table(view.size, view.height_mm, view.tilt, view.turn_deg).copy()
    for piece in pieces:
        _lay(picture, piece, view)
    return picture


@lru_cache(maxsize=8)
def _table(size: tuple[int, int], height_mm: float, tilt: float, turn_deg: float) -> Image:
    view = View(size, height_mm, tilt, turn_deg)
    grain = cv2.resize(
        np.random.default_rng(0).integers(0, 40, (60, 12, 1)).astype(np.uint8), view.size, interpolation=cv2.INTER_CUBIC
    )
    picture = np.asarray(np.clip(np.array([70, 110, 150]) + grain[..., None].astype(int), 0, 255), np.uint8)
    mat = np.array([[-200, -200], [200, -200], [200, 200], [-200, 200]], np.float64)
    cv2.fillPoly(picture, [np.round(project(mat, view)).astype(np.int32)], (205, 220, 225))
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    for marker, corners in MARKERS_MM.items():
        side = np.linalg.norm(project(corners, view)[0] - project(corners, view)[1])
        # About as large as it is seen, so that no edge is drawn a part of a pixel off.
        art = np.pad(dictionary.generateImageMarker(marker, 6), 1, constant_values=250)
        art = np.repeat(np.repeat(art, round(side / 6), axis=0), round(side / 6), axis=1)
        paper = corners + np.sign(corners - corners.mean(0)) * 6.0
        _paste(picture, np.asarray(cv2.cvtColor(art, cv2.COLOR_GRAY2BGR), np.uint8), project(paper, view))
    return picture


def _lay(picture: Image, piece: Piece, view: View) -> None:
    art, corners = _art(piece.face)
    turn = np.radians(piece.angle_deg)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    placed = corners @ spin.T + [piece.x_mm, piece.y_mm]
    _paste(picture, art, project(placed, view, _height(piece)), project(_outline(piece), view, _height(piece)))


def _paste(picture: Image, art: Image, corners_px: Array, outline_px: Array | None = None) -> None:
    height, width = art.shape[:2]
    source = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
    warp = cv2.getPerspectiveTransform(source, corners_px.astype(np.float32))
    outline = corners_px if outline_px is None else outline_px
    left, top = np.maximum(np.floor(outline.min(axis=0)).astype(int) - 1, 0)
    right, bottom = np.ceil(outline.max(axis=0)).astype(int) + 2
    there = picture[top : max(bottom, 0), left : max(right, 0)]  # only there is anything drawn
    if not there.size:
        return
    moved = np.array([[1.0, 0.0, -left], [0.0, 1.0, -top], [0.0, 0.0, 1.0]]) @ warp
    size = (there.shape[1], there.shape[0])
    laid = cv2.warpPerspective(art, moved, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)
    mask = np.zeros(there.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round((outline - [left, top]) * 16).astype(np.int32)], 255, shift=4)
    there[mask > 0] = laid[mask > 0]


def _outline(piece: Piece) -> Array:
    if piece.size_mm:
        width, height = piece.size_mm
        own = np.array([[-height, -width], [height, -width], [height, width], [-height, width]]) / 2
    else:
        arc = np.radians(np.linspace(-ANGLE_DEG / 2, ANGLE_DEG / 2, 12))
        own = np.vstack([[0.0, 0.0], RADIUS_MM * np.column_stack([np.cos(arc), np.sin(arc)])])
    turn = np.radians(piece.angle_deg)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return np.asarray(own @ spin.T + [piece.x_mm, piece.y_mm])


@cache
def _art(face: str) -> tuple[Image, Array]:
    """A piece's picture and where its corners lie in the piece's own frame."""
    piece = Piece(face, 0.0, 0.0, 0.0)
    rng = np.random.default_rng(sum(ord(letter) * 7**i for i, letter in enumerate(piece.face)))
    wide_mm, long_mm = piece.size_mm or (60.0, RADIUS_MM)
    width, height = int(long_mm * ART_PX_PER_MM), int(wide_mm * ART_PX_PER_MM)
    draw = {"slice-card": _slice_art, "order-card": _order_art}.get(piece.label_kind, _blots)
    left = -long_mm / 2 if piece.size_mm else 0.0
    top = wide_mm / 2
    corners = np.array([[left, top], [left + long_mm, top], [left + long_mm, -top], [left, -top]])
    return draw(width, height, rng), corners


def _blots(width: int, height: int, rng: np.random.Generator) -> Image:
    art = np.full((height, width, 3), rng.integers(60, 230, 3), np.uint8)
    for _ in range(45):
        centre = (int(rng.integers(0, width)), int(rng.integers(0, height)))
        colour = _colour(rng)
        if rng.random() < 0.5:
            cv2.circle(art, centre, int(rng.integers(8, 22)), colour, -1, cv2.LINE_AA)
        else:
            side = int(rng.integers(14, 40))
            cv2.rectangle(art, centre, (centre[0] + side, centre[1] + side // 2), colour, -1)
    return art


def _slice_art(width: int, height: int, rng: np.random.Generator) -> Image:
    """Pale, with a wedge pointing to the card's top and one topping on it in a few places: faces differ in no more."""
    art = np.full((height, width, 3), (225, 236, 240), np.uint8)
    cv2.rectangle(art, (4, 4), (width - 5, height - 5), (40, 40, 150), 2)
    wedge = np.array([[width - 24, height // 2], [30, 16], [30, height - 16]])
    cv2.fillPoly(art, [wedge], (90, 200, 245), cv2.LINE_AA)
    cv2.rectangle(art, (20, 16), (30, height - 16), (60, 120, 190), -1)
    colour = _colour(rng)
    for _ in range(14):
        x = int(rng.integers(44, width - 60))
        reach = max(int((width - 40 - x) * 0.28), 8)
        at = (x, height // 2 + int(rng.integers(-reach, reach)))
        cv2.circle(art, at, int(rng.integers(7, 12)), colour, -1, cv2.LINE_AA)
        cv2.circle(art, at, 3, (30, 30, 30), -1, cv2.LINE_AA)
    return art


def _order_art(width: int, height: int, rng: np.random.Generator) -> Image:
    """A plate with eight toppings around it and a triangle that points to the top."""
    art = np.full((height, width, 3), (170, 215, 235), np.uint8)
    middle = np.array([width / 2, height / 2])
    cv2.circle(art, (width // 2, height // 2), int(width * 0.46), (70, 150, 210), -1, cv2.LINE_AA)
    for k in range(8):
        turn = np.radians(45.0 * k)
        at = middle + width * 0.31 * np.array([np.cos(turn), np.sin(turn)])
        cv2.circle(art, (int(at[0]), int(at[1])), int(width * 0.1), (240, 244, 244), -1, cv2.LINE_AA)
        shape, colour = int(rng.integers(3, 7)), _colour(rng)
        cv2.ellipse(art, (int(at[0]), int(at[1])), (shape * 4, 12), float(rng.integers(0, 180)), 0, 360, colour, -1)
    triangle = np.array(
        [[width / 2 + 22, height / 2], [width / 2 - 6, height / 2 - 14], [width / 2 - 6, height / 2 + 14]]
    )
    cv2.fillPoly(art, [triangle.astype(np.int32)], (30, 30, 90), cv2.LINE_AA)
    return art


def _colour(rng: np.random.Generator) -> tuple[int, int, int]:
    blue, green, red = (int(level) for level in rng.integers(0, 255, 3))
    return blue, green, red
