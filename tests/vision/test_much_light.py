"""A board in more light than a picture can show: what is pale of it is cut off at white."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from controller.games.pizza_theory.describe import KINDS
from tests.long import cases
from tests.vision.drawn_board import Board, Stick, draw, every_space, label, line_ends, space_mm
from tests.vision.drawn_table import View, project
from tests.vision.theory_pictures import plain_pack
from vision.board.finder import board_finder
from vision.board.much_light import cut_off, find_in_much_light, told_times
from vision.board.sight import sight_of
from vision.frame import Frame, Image
from vision.looking_for import finders_for
from vision.mat.registration import find_mat
from vision.pieces.faces import FacePack
from vision.pieces.features import LOG_FLOOR
from vision.pieces.learning import enrol
from vision.reader import Reader
from vision.scene import EMPTY, PieceKind, Scene, Sighting

SURE = 0.9


def arranged(seed: int, x_mm: float, y_mm: float, turn_deg: float) -> Board:
    rng = np.random.default_rng(seed)
    board = Board(x_mm, y_mm, turn_deg)
    spaces = {name: str(rng.choice(["blue", "orange", "black"])) for name in every_space() if rng.random() < 0.45}
    return replace(board, spaces=spaces, sticks=[Stick("blue", line_ends(0, int(rng.integers(1, 7)), board))])


BOARD = arranged(3, -6.0, 5.0, 125.0)


@cache
def pack() -> FacePack:
    enrolled = arranged(7, 3.0, -4.0, 20.0)
    return enrol([(draw(enrolled), label(enrolled))], source=["drawn"])


def bright(picture: Image, times: float, falls: float = 0.0) -> Image:
    """In so many times as much light, less of it to the right by so much."""
    across = times * (1.0 - falls * np.linspace(0.0, 1.0, picture.shape[1]))
    return np.asarray(np.clip(picture * across[None, :, None] + 0.5, 0, 255), np.uint8)


def watched(*pictures: Image, faces: FacePack | None = None) -> Scene:
    """What is known after a while of each of these."""
    faces = faces or pack()
    reader = Reader(faces, finders=finders_for(KINDS & {PieceKind.BOARD}, faces))
    scene: Scene | None = None
    for number, picture in enumerate(picture for picture in pictures for _ in range(4)):
        scene = reader.read(Frame(picture, number * 0.5, number))
    assert scene is not None
    return scene


def picture_of(board: Board, seed: int = 1) -> Image:
    return draw(board, View(noise=2.0, seed=seed))


def board_of(scene: Scene) -> Sighting:
    (board,) = [one for one in scene.sightings if one.kind is PieceKind.BOARD]
    return board


def is_so(scene: Scene, board: Board, unsure: str | None = None) -> None:
    """All spaces are surely what lies on them, but for one that is `unsure`."""
    for space in board_of(scene).spaces:
        assert space.contents[0].face == (board.spaces or {}).get(space.name, EMPTY), space
        assert (space.contents[0].probability > SURE) is (space.name != unsure), space


@pytest.mark.long
@cases("times", [1.5, 1.9, 2.4], always=1)
def test_the_board_tells_how_much_light_there_is(times: float) -> None:
    image = bright(picture_of(BOARD), times)
    enrolled = pack().board
    assert enrolled is not None
    sight = sight_of(image, find_mat(image))
    assert cut_off(sight)
    lit = find_in_much_light(sight, enrolled, board_finder(enrolled).enrolled_grid)
    assert lit is not None
    assert lit.fit.pose[:2] == pytest.approx((BOARD.x_mm, BOARD.y_mm), abs=0.7)
    assert lit.fit.pose[2] == pytest.approx(BOARD.angle_deg, abs=0.5)
    plain = sight_of(picture_of(BOARD), find_mat(picture_of(BOARD)))
    white = 215.0 / plain.gain * times / 255.0
    assert lit.times.mean((0, 1)) == pytest.approx(white, rel=0.12)


@pytest.mark.long
def test_black_print_tells_nothing_of_light() -> None:
    image = bright(picture_of(BOARD), 1.9)
    enrolled = pack().board
    assert enrolled is not None
    colours = enrolled.colours.copy()
    colours[:8] = np.log(np.float32(LOG_FLOOR))
    black = replace(enrolled, colours=colours)
    sight, grid = sight_of(image, find_mat(image)), board_finder(enrolled).enrolled_grid
    lit = find_in_much_light(sight, enrolled, grid)
    assert lit is not None
    told = told_times(sight, black, grid, lit.fit, np.ones(3))
    assert told.mean((0, 1)) == pytest.approx(lit.times.mean((0, 1)), rel=0.1)


def test_in_plain_light_nothing_is_cut_off() -> None:
    image = bright(picture_of(BOARD), 0.9)
    assert not cut_off(sight_of(image, find_mat(image)))


def test_where_no_board_lies_none_is_found() -> None:
    image = bright(draw(Board(0.0, 0.0, 0.0), View(noise=2.0)), 1.9)
    bare = np.full_like(image, 255)
    registration = find_mat(image)
    enrolled = pack().board
    assert enrolled is not None
    for corners in registration.markers_px.values():
        left, top = (int(v) - 8 for v in corners.min(0))
        right, low = (int(v) + 9 for v in corners.max(0))
        bare[top:low, left:right] = image[top:low, left:right]
    assert find_in_much_light(sight_of(bare, registration), enrolled, board_finder(enrolled).enrolled_grid) is None


@cases("falls", [0.0, 0.2], always=1)
def test_what_lay_there_before_a_lamp_was_switched_on_is_known(falls: float) -> None:
    plain = picture_of(BOARD)
    scene = watched(plain, bright(picture_of(BOARD, 2), 2.0, falls))
    is_so(scene, BOARD)
    (stick,) = [one for one in scene.sightings if one.kind is PieceKind.CUTTER]
    assert stick.face == "blue"


@pytest.mark.long
def test_what_was_doubtful_is_doubtful_in_that_light_too() -> None:
    """A skewer that may be a white cutter does not go away."""
    bare = Board(-6.0, 5.0, 125.0)
    bare = replace(bare, sticks=[Stick("white", line_ends(1, 2, bare), bare=0.7)])
    plain = picture_of(bare)
    for pictures in ([plain], [plain, bright(picture_of(bare, 2), 2.0)]):
        (seen,) = [one for one in watched(*pictures, faces=plain_pack()).sightings if one.kind is PieceKind.CUTTER]
        assert (seen.face, seen.probability < SURE) == ("white", True)


@pytest.mark.long
def test_and_what_is_laid_and_taken_away_in_that_light_is_seen() -> None:
    spaces = dict(BOARD.spaces or {})
    gone = next(name for name, colour in spaces.items() if colour == "black")
    free = [name for name in every_space() if name not in spaces]
    after = replace(BOARD, spaces={**{n: c for n, c in spaces.items() if n != gone}, free[3]: "blue"}, sticks=[])
    lit = [bright(picture_of(board, 2 + i), 2.0) for i, board in enumerate((BOARD, after, after))]
    scene = watched(picture_of(BOARD), *lit)
    is_so(scene, after, unsure=gone)
    assert not [one for one in scene.sightings if one.kind is PieceKind.CUTTER and one.probability > SURE]


@pytest.mark.long
def test_when_the_light_is_as_before_all_is_read_anew() -> None:
    after = replace(
        BOARD,
        spaces={**(BOARD.spaces or {}), next(n for n in every_space() if n not in (BOARD.spaces or {})): "orange"},
    )
    scene = watched(picture_of(BOARD), bright(picture_of(BOARD, 2), 2.0), picture_of(after, 3))
    is_so(scene, after)


@pytest.mark.long
def test_a_board_that_is_moved_in_that_light_is_where_it_lies_now() -> None:
    moved = replace(BOARD, x_mm=4.0, y_mm=-3.0, angle_deg=131.0, sticks=[])
    scene = watched(picture_of(replace(BOARD, sticks=[])), bright(picture_of(moved, 2), 2.0))
    is_so(scene, moved)
    board = board_of(scene)
    assert (board.pose.x_mm, board.pose.y_mm) == pytest.approx((4.0, -3.0), abs=0.7)


@pytest.mark.long
def test_toppings_under_a_pale_hand_in_that_light_are_not_thought_gone() -> None:
    """Skin is cut off as print is; when it has gone they are known again."""
    hand = np.array([[-40.0, -400.0], [45.0, -400.0], [45.0, 10.0], [-40.0, 10.0]])
    under = draw(BOARD, View(noise=2.0, seed=3), hand=hand)
    lit = [bright(picture, 2.0) for picture in (picture_of(BOARD, 2), under, picture_of(BOARD, 4))]
    spaces = board_of(watched(picture_of(BOARD), *lit[:2])).spaces
    covered = [s for s in spaces if abs(s.x_mm) < 30.0 and s.y_mm < -5.0 and s.name in (BOARD.spaces or {})]
    assert len(covered) > 2
    for space in covered:
        assert not space.contents or space.contents[0].probability < SURE, space
    is_so(watched(picture_of(BOARD), *lit), BOARD)


@pytest.mark.long
def test_a_white_topping_is_not_known_as_before_where_a_mirrored_lamp_blinds_all_around_it() -> None:
    colours = {"blue": "white", "orange": "green", "black": "red"}
    before = replace(BOARD, spaces={name: colours[one] for name, one in (BOARD.spaces or {}).items()}, sticks=[])
    blinded, *others = (name for name, colour in (before.spaces or {}).items() if colour == "white")
    after = bright(picture_of(replace(before, spaces={**(before.spaces or {}), blinded: "green"}), 2), 1.7)
    x, y = project(before.to_table(space_mm(blinded)[None]), View())[0]
    rows, columns = np.mgrid[: after.shape[0], : after.shape[1]]
    lamp = 900.0 * np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / 32.0**2)
    board = plain_pack().board
    assert board is not None
    finder, registration = board_finder(board), find_mat(after)
    finder.find(picture_of(before), registration, ())
    lit = np.asarray(np.clip(after + lamp[..., None], 0, 255), np.uint8)
    lying = next(one for one in finder.find(lit, registration, ()) if one.kind is PieceKind.BOARD)
    known = {space.name: space.contents[0] for space in lying.spaces if space.contents}
    assert blinded not in known or known[blinded].probability < SURE
    far = [name for name in others if np.linalg.norm(space_mm(name) - space_mm(blinded)) > 60.0]
    assert far
    assert all(known[name].face == "white" and known[name].probability > SURE for name in far)
