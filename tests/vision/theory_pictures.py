"""Pictures of Pizza Theory's board: drawn ones and our kit's, what learned them, and what is read from them."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.games.pizza_theory.describe import KINDS
from controller.whose_faces import faces_of
from tests.benchmarks.simulated_pieces import FAMILIES, enrolled
from tests.vision.drawn_board import COLOURS, PLAIN, Board, Stick, draw, every_space, label, line_ends
from tests.vision.drawn_table import View
from tests.vision.rendered import load
from vision.board.finder import board_finder
from vision.finders import Changed
from vision.frame import Image
from vision.looking_for import finders_for
from vision.mat.registration import find_mat
from vision.pieces.faces import FacePack
from vision.pieces.learning import enrol
from vision.reader import read_photo
from vision.scene import PieceKind, Scene, Sighting

Array = NDArray[np.float64]

SURE = 0.9


def arranged(seed: int, board: Board, colours: Sequence[str] = tuple(COLOURS)) -> Board:
    """The board with toppings on about half of its spaces and its three cutters on lines, one a side."""
    rng = np.random.default_rng(seed)
    spaces = {name: str(rng.choice(list(colours))) for name in every_space() if rng.random() < 0.45}
    numbers = rng.integers(1, 7, 3)
    sticks = [
        Stick(colour, line_ends(side, int(numbers[side]), board), (5.0 + 1.5, 5.0 + 1.5))
        for side, colour in enumerate(colours)
    ]
    return replace(board, spaces=spaces, sticks=sticks[:1] if seed == 1 else sticks)


ENROLLED = arranged(7, Board(3.0, -4.0, 20.0))


@cache
def pack() -> FacePack:
    return enrol([(draw(ENROLLED), label(ENROLLED))], source=["drawn"])


@cache
def plain_pack() -> FacePack:
    """With toppings that show nothing but their rim."""
    shown = arranged(7, Board(3.0, -4.0, 20.0), tuple(PLAIN))
    return enrol([(draw(shown), label(shown))], source=["drawn"])


@cache
def learned_from(name: str) -> FacePack:
    """The board of one of the rendered pictures beside the repository."""
    return enrol([load(name)], source=[name], board_spaces=faces_of("pizza_theory").board_spaces)


def read(image: Image, faces: FacePack | None = None) -> Scene:
    faces = faces or pack()
    return read_photo(image, faces, finders=finders_for(KINDS & {PieceKind.BOARD}, faces))


def spaces_of(scene: Scene) -> dict[str, str]:
    board = next(s for s in scene.sightings if s.kind is PieceKind.BOARD)
    return {space.name: space.contents[0].face for space in board.spaces if space.contents}


LIGHTS = {
    "as enrolled": View(),
    "evening": View(light=(0.35, 0.5, 0.62), noise=2.5, seed=2),
    "from elsewhere": View(tilt=-0.05, turn_deg=186.0, height_mm=720.0, seed=3),
    "large": View(size=(1920, 1080), seed=4),
}


def found_again(before: Board, after: Board, changed: Changed | None = None, **drawn: Any) -> tuple[Any, Any, Any]:
    """What is found before, from that in a picture of the table after, and there without knowing what was before.

    `changed` says where to look; the places where the pictures differ if None.
    """
    faces = pack().board
    assert faces is not None
    finder = board_finder(faces)
    first, second = draw(before), draw(after, **drawn)
    registration = find_mat(first)
    unlike = cv2.dilate(cv2.absdiff(first, second).max(-1), np.ones((9, 9), np.uint8)) > 40

    def differs(points_mm: Array) -> NDArray[np.bool_]:
        column, row = np.round(registration.to_picture(points_mm)).astype(int).T
        inside = (column >= 0) & (row >= 0) & (column < unlike.shape[1]) & (row < unlike.shape[0])
        column, row = np.clip(column, 0, unlike.shape[1] - 1), np.clip(row, 0, unlike.shape[0] - 1)
        return np.asarray(unlike[row, column] & inside)

    known = finder.find(first, registration, ())
    return (
        known,
        finder.find_again(second, registration, (), known, changed or differs),
        finder.find(second, registration, ()),
    )


def same(one: Sequence[Sighting], other: Sequence[Sighting]) -> None:
    """Both are the same pieces in the same places, and the same on each space."""
    names = [sorted((s.kind.value, s.face) for s in sightings) for sightings in (one, other)]
    assert names[0] == names[1]
    for sighting in one:
        near = [
            s for s in other
            if (s.kind, s.face) == (sighting.kind, sighting.face)
            and np.hypot(s.pose.x_mm - sighting.pose.x_mm, s.pose.y_mm - sighting.pose.y_mm) < 1.0
            and abs((s.pose.angle_deg - sighting.pose.angle_deg + 180.0) % 360.0 - 180.0) < 0.5
        ]  # fmt: skip
        assert near, sighting
    spaces = [{s.name: s.contents[0].face for s in sightings[0].spaces} for sightings in (one, other)]
    assert spaces[0] == spaces[1]


BEFORE = arranged(21, Board(4.0, -3.0, 40.0))


@cache
def kit_pack() -> FacePack:
    return enrolled(FAMILIES["theory"])


UNDER_HANDS = replace(FAMILIES["theory"], with_hands=1.0)
