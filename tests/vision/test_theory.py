"""A board is found by its own print, and toppings and cutters on it are read: on a drawn board, and on the rendered
pictures beside the repository."""

import json
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice, permutations
from pathlib import Path
from random import Random
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from controller.games.pizza_theory.describe import KINDS, describe
from controller.games.registry import load_part
from controller.whose_faces import faces_of
from hardware.simulated.surroundings import Conditions, MatStyle, Surface
from hardware.simulated.world import PieceView
from tests.benchmarks.altered_report import blinds, phone
from tests.benchmarks.simulated_pieces import FAMILIES, Family, enrolled, photograph, photographs
from tests.benchmarks.theory_report import line_error
from tests.vision.altered import as_a_phone_shows_it, as_some_camera_shows_it
from tests.vision.drawn_board import COLOURS, Board, Stick, draw, every_space, label, line_ends, space_mm
from tests.vision.drawn_table import View, project
from tests.vision.rendered import PHOTOS, load, with_photos
from vision.board.changed import Changed
from vision.board.covering import find_covering
from vision.board.cutters import lies_beside, with_one_more
from vision.board.finder import board_finder
from vision.board.pose import find_board
from vision.board.resting import Disc, rest
from vision.board.sight import sight_of
from vision.board.sightings import odd_ones_doubted
from vision.board.stick_colours import CutterFit
from vision.board.stick_edges import on_edges
from vision.board.stick_lines import candidates, other_than_print
from vision.board.toppings import SpaceFit, read_spaces
from vision.files.label_kinds import LabelError
from vision.frame import Image
from vision.looking_for import finders_for
from vision.mat.registration import find_mat
from vision.pieces.faces import FacePack, FacePackError, enrol, load_pack, save_pack
from vision.reader import read_photo
from vision.reports.report import report_photo
from vision.scene import EMPTY, HiddenCause, PieceKind, Pose, Scene, Sighting
from vision.shapes import place

Array = NDArray[np.float64]

SURE = 0.9


def arranged(seed: int, board: Board) -> Board:
    """The board with toppings on about half of its spaces and its three cutters on lines, one a side."""
    rng = np.random.default_rng(seed)
    spaces = {name: str(rng.choice(["blue", "orange", "black"])) for name in every_space() if rng.random() < 0.45}
    numbers = rng.integers(1, 7, 3)
    sticks = [
        Stick(colour, line_ends(side, int(numbers[side]), board), (5.0 + 1.5, 5.0 + 1.5))
        for side, colour in enumerate(("blue", "orange", "black"))
    ]
    return replace(board, spaces=spaces, sticks=sticks[:1] if seed == 1 else sticks)


COLOURED = ("red", "green", "white")
ENROLLED = arranged(7, Board(3.0, -4.0, 20.0))


@cache
def pack() -> FacePack:
    return enrol([(draw(ENROLLED), label(ENROLLED))], source=["drawn"])


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


@pytest.mark.parametrize(("light", "turn_deg"), list(zip(LIGHTS, (2.0, 125.0, 236.0, 300.0), strict=True)))
def test_board_spaces_and_turn(light: str, turn_deg: float) -> None:
    board = arranged(round(turn_deg) + len(light), Board(-6.0, 5.0, turn_deg))
    scene = read(draw(board, LIGHTS[light]))
    found = next(s for s in scene.sightings if s.kind is PieceKind.BOARD)
    assert (found.pose.x_mm, found.pose.y_mm) == pytest.approx((-6.0, 5.0), abs=0.5)
    assert abs((found.pose.angle_deg - turn_deg + 180.0) % 360.0 - 180.0) < 0.4
    assert found.probability > SURE
    assert spaces_of(scene) == {name: (board.spaces or {}).get(name, EMPTY) for name in every_space()}


@pytest.mark.parametrize(("saturation", "contrast"), [(1.6, 1.0), (1.0, 1.4), (1.4, 1.25), (0.6, 1.0)])
@pytest.mark.parametrize("style", ["alpha", "beta"])
@with_photos
def test_a_board_is_read_in_colours_that_another_camera_shows(style: str, saturation: float, contrast: float) -> None:
    """Something seemed to lie over all of it; cameras that sharpen and colour more are no light."""
    one, other = ("theory-alpha-01", "theory-alpha-04") if style == "alpha" else ("theory-beta-06", "theory-beta-07")
    image, labels = load(other)
    faces = learned_from(one)
    scene = read(as_a_phone_shows_it(image, saturation, contrast), faces)
    toppings = {p["space"]: p["colour"] for p in labels["pieces"] if p["kind"] == "topping" and p.get("space")}
    told = {space: face for space, face in spaces_of(scene).items() if face != EMPTY}
    assert told.items() >= toppings.items()
    board = next(s for s in scene.sightings if s.kind is PieceKind.BOARD)
    more = [space for space in board.spaces if space.name in told.keys() - toppings.keys()]
    assert len(more) <= 1
    assert not [space for space in more if space.contents[0].probability >= SURE]


@pytest.mark.parametrize(("saturation", "contrast"), [(1.0, 1.0), (2.0, 1.0), (1.5, 1.3)])
def test_a_simulated_board_is_read_in_other_colours(saturation: float, contrast: float) -> None:
    image, labels = photographs(FAMILIES["theory"], 501)
    seen = spaces_of(read(as_a_phone_shows_it(image, saturation, contrast), enrolled(FAMILIES["theory"])))
    toppings = {p["space"]: p["colour"] for p in labels["pieces"] if p["kind"] == "topping" and p.get("space")}
    assert len(toppings) > 20
    assert seen.items() >= toppings.items()


def test_what_is_white_on_a_white_mat_is_no_tip_where_a_hand_hides_the_other_end() -> None:
    """The mat beyond a stick's blunt end was its white end, and it lay the other way round."""
    image, labels = photographs(FAMILIES["boards"], 766033)
    seen = as_some_camera_shows_it(image, np.random.default_rng(766033))
    assert report_photo(seen, labels, enrolled(FAMILIES["boards"]), "hidden end").sure_but_wrong == 0


@with_photos
def test_a_board_whose_print_a_camera_shows_quite_otherwise_is_found() -> None:
    """Hardly any of it is seen as enrolled, but most of it in that camera's tone."""
    image, labels = load("theory-alpha-03")
    scene = read(as_a_phone_shows_it(image, 1.7, 1.35), learned_from("theory-alpha-01"))
    board = next(s for s in scene.sightings if s.kind is PieceKind.BOARD)
    true = next(p for p in labels["pieces"] if p["kind"] == "board")
    assert (board.pose.x_mm, board.pose.y_mm) == pytest.approx((true["x_mm"], true["y_mm"]), abs=1.0)
    assert abs((board.pose.angle_deg - true["angle_deg"] + 180.0) % 360.0 - 180.0) < 0.5
    toppings = {p["space"]: p["colour"] for p in labels["pieces"] if p["kind"] == "topping" and p.get("space")}
    assert spaces_of(scene).items() >= toppings.items()


@pytest.mark.parametrize("seed", [902, 906])
def test_cutters_are_read_as_a_phone_shows_them(seed: int) -> None:
    """Sharpened and more colourful they look less like wood, but their edges are the clearer."""
    image, labels = photographs(replace(FAMILIES["boards"], with_hands=0.0), seed, (1280, 720))
    seen = report_photo(phone(image, np.random.default_rng(0)), labels, enrolled(FAMILIES["boards"]), "phone")
    assert sum(piece["kind"] == "cutter" for piece in labels["pieces"]) >= 2
    assert seen.perfect


@with_photos
def test_a_rim_that_a_phone_shows_redder_is_no_hand() -> None:
    """Where red is cut off, and levels along a curve, the rest of a colour seemed to be something that lies there."""
    image, labels = load("theory-beta-07")
    scene = read(phone(image, np.random.default_rng(0)), learned_from("theory-beta-06"))
    board = next(s for s in scene.sightings if s.kind is PieceKind.BOARD)
    assert not board.covering_mm
    true = {p["colour"]: p["angle_deg"] for p in labels["pieces"] if p["kind"] == "cutter"}
    seen = {s.face: s for s in scene.sightings if s.kind is PieceKind.CUTTER}
    for colour, angle_deg in true.items():
        assert abs((seen[colour].pose.angle_deg - angle_deg + 180.0) % 360.0 - 180.0) < 1.0
        assert seen[colour].probability > 0.5


def test_as_it_was_enrolled_a_board_is_in_no_other_tone() -> None:
    faces = pack().board
    assert faces is not None
    for light in LIGHTS.values():
        image = draw(arranged(5, Board(-6.0, 5.0, 125.0)), light)
        finder = board_finder(faces)
        assert finder.find(image, find_mat(image), ())
        assert finder.board is faces


@pytest.mark.parametrize("turn_deg", [2.0, 125.0, 236.0])
def test_cutters_and_the_lines_they_lie_on(turn_deg: float) -> None:
    board = Board(-6.0, 5.0, turn_deg)
    numbers = (2, 5, 1)
    sticks = [
        Stick(colour, line_ends(side, numbers[side], board)) for side, colour in enumerate(("black", "blue", "orange"))
    ]
    scene = read(draw(replace(board, sticks=sticks[:2])))
    described: Any = describe(scene)
    assert described["cutters"] == {
        "black": {"side": "1st", "line": 2, "between": None},
        "blue": {"side": "2nd", "line": 5, "between": None},
    }
    seen = next(s for s in scene.sightings if s.kind is PieceKind.CUTTER and s.face == "black")
    first, last = np.array(sticks[0].ends_mm)
    way = (last - first) / np.linalg.norm(last - first)
    off = np.array([seen.pose.x_mm, seen.pose.y_mm]) - (first + last) / 2
    assert abs(off[0] * way[1] - off[1] * way[0]) < 0.5
    assert abs((seen.pose.angle_deg - np.degrees(np.arctan2(way[1], way[0])) + 180.0) % 360.0 - 180.0) < 0.3


def test_a_cutter_between_two_lines_is_on_neither() -> None:
    board = Board(0.0, 0.0, 90.0)
    on, next_to = (np.array(line_ends(0, number, board)) for number in (3, 4))
    ends = (on + next_to) / 2
    stick = Stick("blue", ((ends[0, 0], ends[0, 1]), (ends[1, 0], ends[1, 1])))
    described: Any = describe(read(draw(replace(board, sticks=[stick]))))
    assert described["cutters"] == {"blue": {"side": "1st", "line": None, "between": [3, 4]}}


@pytest.mark.parametrize("turn_deg", [3.0, 20.0])
@pytest.mark.parametrize("number", [1, 3])
def test_print_that_looks_like_wood_is_no_cutter(number: int, turn_deg: float) -> None:
    """The drawn board's cheese is nearly as pale; what tells a stick is that it has edges."""
    board = Board(0.0, 0.0, 90.0)
    ends = (np.array(line_ends(0, number, board)) + np.array(line_ends(0, number + 1, board))) / 2
    stick = Stick("blue", ((ends[0, 0], ends[0, 1]), (ends[1, 0], ends[1, 1])))
    seen = read(draw(replace(board, sticks=[stick]), View(turn_deg=turn_deg))).sightings
    (cutter,) = [s for s in seen if s.kind is PieceKind.CUTTER]
    off_mm, angle_deg = line_error(np.array(cutter.outline_mm), ends)
    assert (cutter.face, off_mm < 0.2, angle_deg < 0.1) == ("blue", True, True)


def test_what_a_hand_covers_is_not_guessed() -> None:
    board = arranged(11, Board(0.0, 0.0, 30.0))
    hand = np.array([[-30.0, -260.0], [30.0, -260.0], [35.0, -20.0], [0.0, 5.0], [-35.0, -20.0]])
    scene = read(draw(board, hand=hand))
    found = next(s for s in scene.sightings if s.kind is PieceKind.BOARD)
    for space in found.spaces:
        truth = (board.spaces or {}).get(space.name, EMPTY)
        if cv2.pointPolygonTest(hand.astype(np.float32), (space.x_mm, space.y_mm), True) > 9.0:
            assert not space.contents or space.contents[0].probability < SURE
        elif cv2.pointPolygonTest(hand.astype(np.float32), (space.x_mm, space.y_mm), True) < -12.0:
            assert space.contents[0].face == truth
    places = [np.array(place.outline_mm, np.float32) for place in scene.hidden if place.cause is HiddenCause.HAND]
    for point in ((0.0, -40.0), (0.0, -190.0)):
        assert any(cv2.pointPolygonTest(outline, point, False) > 0 for outline in places)
    assert not any(cv2.pointPolygonTest(outline, (80.0, 80.0), False) > 0 for outline in places)


@pytest.mark.parametrize("wide_mm", [28.0, 32.0, 90.0])
@pytest.mark.parametrize("colour", ["blue", "black"])
def test_what_is_wider_than_a_topping_and_looks_like_one_is_none(colour: str, wide_mm: float) -> None:
    """A bottle cap, or a plate: whatever lies under it is not said."""
    board = arranged(11, Board(0.0, 0.0, 30.0))
    around = np.linspace(0.0, 2.0 * np.pi, 60)
    middle = board.to_table(space_mm("0,0,0")[None])[0] + (4.0, 3.0)
    cap = middle + wide_mm / 2 * np.stack([np.cos(around), np.sin(around)], 1)
    picture = draw(board)
    cv2.fillPoly(picture, [np.round(project(cap, View())).astype(np.int32)], COLOURS[colour])
    scene = read(picture)
    found = next(s for s in scene.sightings if s.kind is PieceKind.BOARD)
    for space in found.spaces:
        inside = cv2.pointPolygonTest(cap.astype(np.float32), (space.x_mm, space.y_mm), True)
        if inside > 5.0:
            assert not space.contents or space.contents[0].probability < SURE, space
        elif inside < -14.0:
            assert space.contents[0].face == (board.spaces or {}).get(space.name, EMPTY)
    toppings = [s for s in scene.sightings if s.kind is PieceKind.TOPPING and s.probability >= SURE]
    for one in toppings:
        at = (one.pose.x_mm, one.pose.y_mm)
        assert cv2.pointPolygonTest(cap.astype(np.float32), at, True) < 0.0
    assert any(
        cv2.pointPolygonTest(np.array(place.outline_mm, np.float32), middle.tolist(), False) > 0
        for place in scene.hidden
    )


def test_a_picture_without_colours_tells_of_no_topping_and_no_cutter() -> None:
    grey = cv2.cvtColor(draw(arranged(11, Board(0.0, 0.0, 30.0))), cv2.COLOR_BGR2GRAY)
    described: Any = describe(read(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR)))
    assert (described["spaces"], described["cutters"], described["loose"]) == ({}, {}, {})
    assert len(described["unclear"]) == 37


def test_loose_toppings_are_counted() -> None:
    board = arranged(17, Board(0.0, 0.0, 30.0))
    loose = {"blue": [(-160.0, 20.0), (-160.0, 50.0)], "black": [(150.0, -100.0)], "orange": [(30.0, 165.0)]}
    described: Any = describe(read(draw(board, loose=loose)))
    assert described["loose"] == {colour: len(places) for colour, places in loose.items()}
    assert described["spaces"] == board.spaces


# Read again ---------------------------------------------------------------------------------------------------------


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


def test_a_topping_laid_down_and_one_taken_away_are_read_again() -> None:
    spaces = dict(BEFORE.spaces or {})
    free = sorted(set(every_space()) - set(spaces))
    taken = sorted(spaces)[3]
    del spaces[taken]
    spaces[free[2]] = "orange"
    known, again, anew = found_again(BEFORE, replace(BEFORE, spaces=spaces))
    same(again, anew)
    assert {s.name: s.contents[0].face for s in again[0].spaces}[free[2]] == "orange"
    stayed = [sighting for sighting in again if any(sighting is old for old in known)]
    assert len(stayed) >= len(known) - 2 - 4, "what nothing touched is the very sighting of before"


@pytest.mark.parametrize("sticks", [0, 1, 3])
def test_cutters_laid_down_and_taken_away_are_read_again(sticks: int) -> None:
    two = replace(BEFORE, sticks=BEFORE.sticks[:2])
    _, again, anew = found_again(two, replace(BEFORE, sticks=BEFORE.sticks[:sticks]))
    same(again, anew)
    assert sum(s.kind is PieceKind.CUTTER for s in again) == sticks


def test_a_cutter_laid_on_another_line_is_read_again() -> None:
    other = Stick("black", line_ends(2, 6 if BEFORE.sticks[2].ends_mm == line_ends(2, 1, BEFORE) else 1, BEFORE))
    _, again, anew = found_again(BEFORE, replace(BEFORE, sticks=[*BEFORE.sticks[:2], other]))
    same(again, anew)


def test_loose_toppings_are_read_again() -> None:
    _, again, anew = found_again(BEFORE, BEFORE, loose={"blue": [(-160.0, 20.0)], "orange": [(30.0, 165.0)]})
    same(again, anew)


def test_a_board_that_was_moved_is_found_anew() -> None:
    _, again, anew = found_again(BEFORE, replace(arranged(21, Board(9.0, 6.0, 46.0))))
    assert again == anew


@pytest.mark.parametrize("turn_deg", [120.0, 240.0])
@pytest.mark.parametrize("off_mm", [0.0, 0.4])
def test_a_board_turned_in_its_place_is_found_anew(turn_deg: float, off_mm: float) -> None:
    turned = arranged(21, Board(4.0 + off_mm, -3.0, (40.0 + turn_deg) % 360.0))
    _, again, anew = found_again(BEFORE, turned)
    same(again, anew)


def bumped(views: Sequence[PieceView], turn_deg: float, off_mm: float) -> list[PieceView]:
    """A board with all that lies on it, turned about its middle and pushed to the right."""
    middle = next(view.pose for view in views if view.kind is PieceKind.BOARD)
    turn = np.array([0.0, 0.0, turn_deg])
    arms = place(np.array([[view.pose.x_mm - middle.x_mm, view.pose.y_mm - middle.y_mm] for view in views]), turn)
    return [
        replace(view, pose=Pose(middle.x_mm + off_mm + x, middle.y_mm + y, (view.pose.angle_deg + turn_deg) % 360.0))
        for view, (x, y) in zip(views, arms.tolist(), strict=True)
    ]


@pytest.mark.parametrize("turn_deg", [5.0, -125.0])
def test_a_board_that_somebody_bumped_is_found_where_it_lies_now(turn_deg: float) -> None:
    """Most of its print is alike enough where it lay: what is not would seem to be covered."""
    family = FAMILIES["theory"]
    views = [view for view in family.table(Random(31)) if view.kind is not PieceKind.CUTTER]
    pictures = [
        photograph(family, lying, Conditions(seed=31), (1280, 720))[0]
        for lying in (views, bumped(views, turn_deg, 2.3))
    ]
    faces, registration = kit_pack().board, find_mat(pictures[0])
    assert faces is not None
    finder = board_finder(faces)
    known = finder.find(pictures[0], registration, ())
    (seen,) = [
        s
        for s in finder.find_again(pictures[1], registration, (), known, lambda points: np.ones(len(points), bool))
        if s.kind is PieceKind.BOARD
    ]
    off_deg = seen.pose.angle_deg - views[0].pose.angle_deg - turn_deg
    assert abs((off_deg + 180.0) % 360.0 - 180.0) < 1.0
    assert seen.probability >= SURE
    assert seen.covering_mm == ()


def test_only_what_may_have_changed_is_read_again() -> None:
    spaces = dict.fromkeys(every_space(), "orange")

    def left(points_mm: Array) -> NDArray[np.bool_]:
        return np.asarray((points_mm[:, 0] < -60.0) & (np.abs(points_mm[:, 1]) < 40.0))

    bare = replace(BEFORE, sticks=(), spaces={})
    _, again, _ = found_again(bare, replace(bare, spaces=spaces), left)
    for space in again[0].spaces:
        assert space.contents[0].face == ("orange" if space.x_mm < -72.0 and abs(space.y_mm) < 30.0 else EMPTY) or (
            -85.0 < space.x_mm < -40.0 or 25.0 < abs(space.y_mm) < 55.0
        )
    nothing = found_again(bare, replace(bare, spaces=spaces), lambda points: np.zeros(len(points), bool))
    assert nothing[1] == nothing[0]


def test_nothing_is_seen_where_no_board_lies() -> None:
    from tests.vision.drawn_table import photograph

    scene = read(photograph([]))
    assert scene.sightings == ()
    assert describe(scene) == {"board": None, "spaces": {}, "unclear": [], "cutters": {}, "loose": {}, "dice": []}


def test_a_pack_keeps_its_board(tmp_path: Path) -> None:
    save_pack(pack(), tmp_path / "mine.faces")
    loaded = load_pack(tmp_path / "mine.faces")
    board = arranged(13, Board(2.0, 2.0, 240.0))
    assert spaces_of(read(draw(board), loaded)) == spaces_of(read(draw(board)))


def test_a_board_of_another_version_is_refused(tmp_path: Path) -> None:
    save_pack(pack(), tmp_path / "mine.faces")
    with zipfile.ZipFile(tmp_path / "mine.faces") as old, zipfile.ZipFile(tmp_path / "other.faces", "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "header.json":
                header = json.loads(content)
                header["board"]["version"] = 99
                content = json.dumps(header).encode()
            new.writestr(name, content)
    with pytest.raises(FacePackError, match="99"):
        load_pack(tmp_path / "other.faces")


def test_reading_without_an_enrolled_board_says_so() -> None:
    with pytest.raises(FacePackError, match="board"):
        finders_for(KINDS, FacePack({}, ()))


def test_a_board_has_all_its_spaces_whichever_of_them_bear_toppings() -> None:
    image, labels = draw(ENROLLED), label(ENROLLED)
    spaces = faces_of("pizza_theory").board_spaces
    inner = [p for p in labels["pieces"] if not p.get("space") or max(abs(int(t)) for t in p["space"].split(",")) < 3]
    assert len(inner) < len(labels["pieces"])
    board = enrol([(image, {**labels, "pieces": inner})], source=["one"], board_spaces=spaces).board
    whole = pack().board
    assert board is not None
    assert whole is not None
    assert sorted(board.space_names) == sorted(whole.space_names) == sorted(spaces)
    at, lie = (dict(zip(one.space_names, one.spaces_mm, strict=True)) for one in (board, whole))
    assert max(np.hypot(*(at[space] - lie[space])) for space in spaces) < 0.5
    far = {**next(p for p in labels["pieces"] if p.get("space")), "space": "4,-4,0"}
    with pytest.raises(
        LabelError, match="labels of one: a topping lies on space 4,-4,0; expected one of the board's 37"
    ):
        enrol([(image, {**labels, "pieces": [*labels["pieces"], far]})], source=["one"], board_spaces=spaces)


@pytest.mark.parametrize(
    ("lost", "missing"),
    [
        ((), ()),
        (("-3,3,0", "0,0,0"), ("2 of the board's 37 spaces",)),
        (("red",), ("red topping", "red cutter")),
    ],
)
def test_what_of_a_board_was_not_learned_is_told(lost: tuple[str, ...], missing: tuple[str, ...]) -> None:
    game, part = faces_of("pizza_theory"), load_part("pizza_theory", "describe")
    learned = {PieceKind.BOARD: game.board_spaces, PieceKind.TOPPING: COLOURED, PieceKind.CUTTER: COLOURED}
    left = {kind: tuple(name for name in names if name not in lost) for kind, names in learned.items()}
    assert part.missing(left) == missing
    assert game.missing(FacePack({}, ())) == ("board",)


def test_labels_that_lack_something_are_named() -> None:
    image, labels = draw(ENROLLED), label(ENROLLED)
    without_size = [
        {k: v for k, v in p.items() if k != "diameter_mm"} if p["kind"] == "board" else p for p in labels["pieces"]
    ]
    with pytest.raises(LabelError, match=r"labels of one: pieces\[0\]\.diameter_mm \(piece 1 of \d+\) is missing"):
        enrol([(image, {**labels, "pieces": without_size})], source=["one"])
    board, *others = labels["pieces"]
    rim = [(board["x_mm"] + 130 * np.cos(turn), board["y_mm"] + 130 * np.sin(turn)) for turn in np.linspace(0, 6, 20)]
    outline = find_mat(image).to_picture(np.array(rim)).tolist()
    for wrong, said in (
        ({"diameter_mm": 300.0}, "the board has diameter_mm 300 around x_mm 3, y_mm -4, but by its outline_px 260 mm"),
        ({"x_mm": 43.0}, "the board has diameter_mm 260 around x_mm 43, y_mm -4, but by its outline_px 260 mm around"),
    ):
        other = {**board, "diameter_mm": 260.0, "outline_px": outline, **wrong}
        with pytest.raises(LabelError, match=said):
            enrol([(image, {**labels, "pieces": [other, *others]})], source=["one"])
    few = [p for p in labels["pieces"] if p["kind"] != "topping"]
    with pytest.raises(LabelError, match="toppings lie on 0 spaces of the board; expected at least three"):
        enrol([(image, {**labels, "pieces": few})], source=["one"])


def test_spaces_lie_where_they_are_printed() -> None:
    board = pack().board
    assert board is not None
    assert set(board.space_names) == set(every_space())
    for name, at in zip(board.space_names, board.spaces_mm, strict=True):
        assert at == pytest.approx(space_mm(name), abs=0.3)


def test_a_stick_rests_on_what_lies_under_its_middle() -> None:
    ends = np.array([[-100.0, 0.0], [100.0, 0.0]])
    assert rest(ends, 1.5, 2.0, [], []) == pytest.approx((3.5, 3.5))
    beside = Disc(np.array([50.0, 20.0]), 9.0, 5.0)
    assert rest(ends, 1.5, 2.0, [beside], []) == pytest.approx((3.5, 3.5))
    under = Disc(np.array([40.0, 0.0]), 9.0, 5.0)
    low, high = rest(ends, 1.5, 2.0, [under], [])
    assert low == pytest.approx(3.5)
    assert low + (high - low) * (131.0 / 200.0) == pytest.approx(6.5)
    sides = [Disc(np.array([off, side * 9.5]), 9.0, 5.0) for off in (-40.0, 40.0) for side in (-1.0, 1.0)]
    assert rest(ends, 1.5, 2.0, sides, []) == pytest.approx((5.0 + 2.0**0.5,) * 2)
    across = (np.array([[10.0, -50.0], [10.0, 50.0]]), (3.5, 3.5))
    low, high = rest(ends, 1.5, 2.0, [], [across])
    assert (low + (high - low) * 0.55, low) == pytest.approx((6.5, 3.5))


def test_a_stick_longer_than_its_board_hangs_over_the_rim() -> None:
    ends = np.array([[-115.0, 0.0], [115.0, 0.0]])
    board = Disc(np.zeros(2), 95.0, 2.0)
    assert rest(ends, 2.5, 0.0, [board], []) == pytest.approx((4.5, 4.5))
    low, high = rest(ends, 2.5, 0.0, [board, Disc(np.array([60.0, 0.0]), 9.0, 5.0)], [])
    slope = 3.0 / (95.0 + 51.0)
    assert (low, high) == pytest.approx((4.5 - 20.0 * slope, 7.5 + 64.0 * slope))


# Simulated tables -------------------------------------------------------------------------------------------------


@cache
def kit_pack() -> FacePack:
    return enrolled(FAMILIES["theory"])


PALE = {
    "cream mat, pale cloth": Conditions(mat=MatStyle.CREAM, surface=Surface.PLAIN, seed=41),
    "cream mat, checked cloth": Conditions(mat=MatStyle.CREAM, surface=Surface.CHECKED_CLOTH, kelvin=4200.0, seed=42),
}


@pytest.mark.parametrize("conditions", PALE.values(), ids=PALE.keys())
def test_white_toppings_on_pale_ground_are_counted_and_nothing_else(conditions: Conditions) -> None:
    bare = [view for view in FAMILIES["theory"].table(Random(41)) if view.kind is not PieceKind.CUTTER]
    places = [(-165.0, 30.0), (-160.0, 62.0), (130.0, -120.0), (168.0, 20.0), (260.0, 60.0), (300.0, -90.0)]
    loose = [
        PieceView(
            f"topping:white:{i}",
            PieceKind.TOPPING,
            "topping/white",
            True,
            Pose(*at, 50.0 * i),
            0.0,
            1.0,
            (0.0, 0.0),
            None,
        )
        for i, at in enumerate(places)
    ]
    for lying in ([], loose):
        image, _ = photograph(FAMILIES["theory"], [*bare, *lying], conditions)
        described: Any = describe(read(image, kit_pack()))
        assert described["loose"] == ({"white": len(lying)} if lying else {})


def test_what_fits_badly_beside_a_hand_is_not_sure() -> None:
    hand = np.array([[0.0, 0.0], [40.0, 0.0], [40.0, 60.0], [0.0, 60.0]])

    def fitted(x_mm: float, cost: float) -> SpaceFit:
        return SpaceFit("0,0,0", (("white", 0.99), (EMPTY, 0.01)), np.array([x_mm, 30.0]), 1.0, cost)

    spaces = [fitted(-12.0, 14.0), fitted(-12.0, 5.0), fitted(-60.0, 14.0)]
    shares = [space.contents[0][1] for space in odd_ones_doubted([hand], spaces, 18.0)]
    assert shares[0] < 0.9
    assert shares[1:] == [0.99, 0.99]
    assert list(odd_ones_doubted([], spaces, 18.0)) == spaces


def test_toppings_in_heaps_are_counted() -> None:
    for seed in (502, 514):
        image, labels = photographs(replace(FAMILIES["heaps"], with_hands=0.0), seed)
        loose = Counter(
            piece["colour"] for piece in labels["pieces"] if piece["kind"] == "topping" and "space" not in piece
        )
        described: Any = describe(read(image, kit_pack()))
        assert sum(loose.values()) > 9
        assert described["loose"] == loose


def test_white_squares_of_a_cloth_are_no_toppings() -> None:
    bare = [view for view in FAMILIES["theory"].table(Random(41)) if view.kind is not PieceKind.CUTTER]
    image, _ = photograph(FAMILIES["theory"], bare, Conditions(surface=Surface.WALNUT, seed=43))
    mat = find_mat(image)
    for x in range(-480, 481, 38):
        for y in range(-240, 241, 38):
            if max(abs(x), abs(y)) > 220:
                corners = np.array([[x, y], [x + 18.5, y], [x + 18.5, y + 18.5], [x, y + 18.5]], float)
                cv2.fillPoly(image, [np.round(mat.to_picture(corners)).astype(np.int32)], (205, 222, 228))
    described: Any = describe(read(image, kit_pack()))
    assert described["loose"] == {}


@pytest.mark.parametrize("seed", [7, 23, 25])
def test_a_printed_line_that_ends_in_a_white_number_is_no_cutter(seed: int) -> None:
    rng = Random(seed)
    bare = [view for view in FAMILIES["theory"].table(rng) if view.kind is not PieceKind.CUTTER]
    image, _ = photograph(FAMILIES["theory"], bare, Conditions.random(rng), (1280, 720))
    scene = read(image, kit_pack())
    assert [s.face for s in scene.sightings if s.kind is PieceKind.CUTTER] == []
    assert any(s.kind is PieceKind.BOARD for s in scene.sightings)


def test_cutters_under_and_over_each_other_are_where_they_lie() -> None:
    errors, lying = [], 0
    for seed in (31, 32, 33, 34):
        views = FAMILIES["theory"].table(Random(seed))
        image, labels = photograph(FAMILIES["theory"], views, Conditions(seed=seed), (1920, 1080))
        seen = {s.face: s for s in read(image, kit_pack()).sightings if s.kind is PieceKind.CUTTER}
        true = {piece["colour"]: piece for piece in labels["pieces"] if piece["kind"] == "cutter"}
        lying += len(true)
        errors += [
            line_error(np.array(sighting.outline_mm), np.array(true[colour]["ends_mm"]))
            for colour, sighting in seen.items()
        ]
    assert len(errors) == lying
    off_mm, turn_deg = np.percentile(errors, 80, axis=0)
    assert off_mm < 0.5
    assert turn_deg < 0.3


@pytest.mark.parametrize("seed", [32, 63])
def test_a_pale_stick_on_pale_cheese_between_bright_toppings_is_not_overlooked(seed: int) -> None:
    image, labels = photographs(FAMILIES["boards"], seed)
    true = sorted(piece["colour"] for piece in labels["pieces"] if piece["kind"] == "cutter" and piece["visible"] > 0.5)
    seen = [s for s in read(image, kit_pack()).sightings if s.kind is PieceKind.CUTTER]
    assert sorted(s.face for s in seen) == true
    assert min(s.probability for s in seen) >= SURE


def test_what_two_cutters_leave_unexplained_leads_to_the_third_at_once() -> None:
    """Many a line through the coloured end of a cutter that was found looks like one, too."""
    image, labels = photographs(replace(FAMILIES["theory"], with_hands=0.0), 9)
    board = kit_pack().board
    sight = sight_of(image, find_mat(image))
    fit = find_board(sight, board)
    assert fit is not None
    other = other_than_print(sight, board, fit, read_spaces(sight, board, fit))
    sticks = [np.array(piece["ends_px"]) for piece in labels["pieces"] if piece["kind"] == "cutter"]
    seen = [sight.registration.to_table(ends) for ends in sticks]
    assert len(seen) == 3
    for third in seen:
        rest = [ends for ends in seen if ends is not third]
        line = next(candidates(sight, board, fit, other.without(rest, sight, board, fit)))
        assert lies_beside(line, third)


def test_of_two_lines_explained_alike_that_with_clearer_edges_is_the_stick() -> None:
    """As measured in a game: the second lies askew over a green stick, beside its end, where the mat is pale."""

    def line(seen_mm: list[list[float]], colour: str, score: float, edged: float) -> CutterFit:
        ends = np.array(seen_mm)
        return CutterFit(ends, ends, (0.0, 0.0), ((colour, 1.0),), 0.9, score, 0.8, 230.0, edged)

    stick = line([[-69.0, -94.0], [102.0, 60.0]], "green", 4.59, 0.1011)
    askew = line([[-67.0, -90.0], [108.0, 60.0]], "white", 4.62, 0.0571)
    shadow = line([[-72.0, -90.0], [99.0, 64.0]], "white", 3.2, 0.1)
    other = line([[-33.0, 115.0], [7.0, -112.0]], "white", 4.0, 0.1179)
    for order in permutations((stick, askew, shadow, other)):
        found: list[CutterFit] = []
        for cutter in order:
            found = with_one_more(found, cutter)
        assert {id(cutter) for cutter in found} == {id(stick), id(other)}


@pytest.mark.parametrize("seed", [17, 22, 36])
def test_toppings_of_which_sticks_leave_half_are_told_and_those_that_hardly_show_never_surely(seed: int) -> None:
    image, labels = photographs(replace(FAMILIES["theory"], with_hands=0.0), seed)
    scene = read(image, kit_pack())
    seen = [s for s in scene.sightings if s.kind is PieceKind.TOPPING]
    for true in (piece for piece in labels["pieces"] if piece["kind"] == "topping" and piece["visible"] >= 0.5):
        assert true["colour"] in {
            s.face for s in seen if np.hypot(s.pose.x_mm - true["x_mm"], s.pose.y_mm - true["y_mm"]) < 5.0
        }
    hardly = [s for s in seen if s.visible < 0.3]
    assert hardly
    assert all(s.probability < SURE for s in hardly)


def alike_from_three_sides(printed: Image) -> Image:
    """A board's print averaged over its three turns."""
    middle = ((printed.shape[1] - 1) / 2, (printed.shape[0] - 1) / 2)
    turns = [cv2.getRotationMatrix2D(middle, turn, 1.0) for turn in (0, 120, 240)]
    turned = [cv2.warpAffine(printed, turn, printed.shape[1::-1], flags=cv2.INTER_LINEAR) for turn in turns]
    return np.mean(np.array(turned, np.float32), axis=0).astype(np.uint8)


def with_board(change: Callable[[Image], Image]) -> Family:
    """Tables with a board of another print."""
    theory = FAMILIES["theory"]
    art = dict(theory.art())
    art["board"] = replace(art["board"], image=change(art["board"].image))
    return Family("plain", "theory", lambda: art, theory.enrolment, theory.table, with_hands=0.0)


def flecked(printed: Image) -> Image:
    """Alike from three sides but for faint flecks all over, as of dough."""
    soft = cv2.GaussianBlur(np.random.default_rng(3).normal(0.0, 1.0, printed.shape[:2]), (0, 0), 12.0)
    image = alike_from_three_sides(printed).astype(np.float32)
    image[..., :3] += (9.0 * soft / soft.std())[..., None]
    return np.asarray(np.clip(image, 0, 255), np.uint8)


def test_faint_flecks_all_over_a_board_tell_how_it_is_turned() -> None:
    family = with_board(flecked)
    faces = enrolled(family)
    for seed in (503, 510):
        image, labels = photographs(family, seed)
        (found,) = [s for s in read(image, faces).sightings if s.kind is PieceKind.BOARD]
        (turn,) = [piece["angle_deg"] for piece in labels["pieces"] if piece["kind"] == "board"]
        assert found.probability > 0.95
        assert abs((found.pose.angle_deg - turn + 180.0) % 360.0 - 180.0) < 2.0


def test_a_board_alike_from_three_sides_is_never_said_to_lie_one_way() -> None:
    """The kit's own tells by burnt spots and words on its rim."""
    theory, plain = FAMILIES["theory"], with_board(alike_from_three_sides)
    faces = enrolled(plain)
    for seed in (508, 512):
        for family, pack, low, high in ((plain, faces, 0.0, 0.9), (theory, kit_pack(), 0.95, 1.0)):
            image, _ = photographs(replace(family, with_hands=0.0), seed)
            (found,) = [s for s in read(image, pack).sightings if s.kind is PieceKind.BOARD]
            assert low <= found.probability <= high, (family.name, seed)


@pytest.mark.parametrize("seed", [3, 9, 11, 24])
def test_which_of_crossing_cutters_lies_above_is_seen(seed: int) -> None:
    views = [view for view in FAMILIES["theory"].table(Random(seed)) if view.kind is PieceKind.CUTTER]
    image, _ = photographs(replace(FAMILIES["theory"], with_hands=0.0), seed)
    seen = [s.face for s in read(image, kit_pack()).sightings if s.kind is PieceKind.CUTTER]
    assert seen == [view.piece_id.split(":")[1] for view in views]


UNDER_HANDS = replace(FAMILIES["theory"], with_hands=1.0)


@pytest.mark.parametrize("seed", [14, 36, 15])
def test_a_cutter_partly_under_a_hand_is_read_by_what_shows(seed: int) -> None:
    image, labels = photographs(UNDER_HANDS, seed)
    seen = {s.face: s for s in read(image, kit_pack()).sightings if s.kind is PieceKind.CUTTER}
    true = {piece["colour"]: piece for piece in labels["pieces"] if piece["kind"] == "cutter"}
    assert any(piece["visible"] < 0.75 for piece in true.values())
    for colour, piece in true.items():
        if piece["visible"] >= 0.5:
            off_mm, turn_deg = line_error(np.array(seen[colour].outline_mm), np.array(piece["ends_mm"]))
            assert off_mm < 2.0
            assert turn_deg < 1.5
            assert seen[colour].probability > 0.5


@pytest.mark.parametrize("seed", [15, 16])
def test_beside_hands_in_stripes_of_light_nothing_on_a_board_is_sure(seed: int) -> None:
    """The stripes are taken off the picture, and off the fingers, which look like toppings then."""
    image, _ = photographs(UNDER_HANDS, seed)
    sightings = read(blinds(image, np.random.default_rng(seed)), kit_pack()).sightings
    [board] = [s for s in sightings if s.kind is PieceKind.BOARD]
    hands = [np.array(outline, np.float32) for outline in board.covering_mm]
    spaces = [(space.x_mm, space.y_mm, one.probability) for space in board.spaces for one in space.contents[:1]]
    spaces += [(s.pose.x_mm, s.pose.y_mm, s.probability) for s in sightings if s.kind is PieceKind.TOPPING]
    beside = [how_sure for x, y, how_sure in spaces if any(cv2.pointPolygonTest(h, (x, y), True) > -8.0 for h in hands)]
    assert beside
    assert max(beside) < 0.9
    assert max(how_sure for *_, how_sure in spaces) > 0.95, "away from them all is as it was"


@pytest.mark.parametrize("seed", [210, 223])
def test_hands_over_what_tells_its_turn_leave_a_board_s_turn_open(seed: int) -> None:
    """What covers the print stays where it is, whichever turn the board is thought to lie in."""
    image, labels = photographs(replace(FAMILIES["boards"], with_hands=1.0), seed)
    (true,) = [piece for piece in labels["pieces"] if piece["kind"] == "board"]
    (seen,) = [s for s in read(image, kit_pack()).sightings if s.kind is PieceKind.BOARD]
    off_deg = abs((seen.pose.angle_deg - true["angle_deg"] + 180.0) % 360.0 - 180.0)
    assert off_deg < 2.0 or seen.probability < 0.8


def test_a_cutter_whose_point_a_hand_hides_is_of_no_sure_colour() -> None:
    """Two lie there: that it has the colour of neither the other nor of one that is hidden cannot be known."""
    image, labels = photographs(UNDER_HANDS, 38)
    true = [piece["colour"] for piece in labels["pieces"] if piece["kind"] == "cutter"]
    seen = {s.face: s for s in read(image, kit_pack()).sightings if s.kind is PieceKind.CUTTER}
    assert sorted(true) == ["red", "white"]
    assert seen["red"].probability > SURE
    assert max(s.probability for colour, s in seen.items() if colour != "red") < 0.6


def test_pale_skin_on_a_white_mat_is_no_white_point_of_a_cutter() -> None:
    """Fingers over the board reach it from beyond its rim, where they look like the mat."""
    image, labels = photographs(FAMILIES["boards"], 731364)
    true = sorted(piece["colour"] for piece in labels["pieces"] if piece["kind"] == "cutter")
    seen = [s for s in read(image, kit_pack()).sightings if s.kind is PieceKind.CUTTER]
    assert sorted(s.face for s in seen) == true
    assert {s.face: s.probability > SURE for s in seen}["red"] is False, "its point does not show"


def test_a_board_with_long_shadows_on_a_chequered_cloth_is_found() -> None:
    """Rings that are printed on the mat hide its rim, and the cloth's corners look likelier than any place on it."""
    image, labels = photographs(FAMILIES["boards"], 731360)
    (true,) = [piece for piece in labels["pieces"] if piece["kind"] == "board"]
    (seen,) = [s for s in read(image, kit_pack()).sightings if s.kind is PieceKind.BOARD]
    assert (seen.pose.x_mm, seen.pose.y_mm) == pytest.approx((true["x_mm"], true["y_mm"]), abs=1.0)
    assert seen.probability > SURE


@pytest.mark.parametrize("clearly", [0.6, 0.9])
def test_a_stick_of_the_board_s_own_colour_is_looked_for_where_its_point_is_seen(clearly: float) -> None:
    rng = Random(5)
    bare = [view for view in FAMILIES["theory"].table(rng) if view.kind is PieceKind.BOARD]
    image, _ = photograph(FAMILIES["theory"], bare, Conditions.random(rng), (1280, 720))
    board = kit_pack().board
    assert board is not None
    sight = sight_of(image, find_mat(image))
    fit = find_board(sight, board)
    assert fit is not None
    other = other_than_print(sight, board, fit, read_spaces(sight, board, fit))
    size = other.known.shape[0]
    ends = np.array([[0, size // 2 - 14], [size - 1, size // 2 - 10]])
    point = cv2.line(np.zeros((size, size), np.uint8), ends[0].tolist(), ends[1].tolist(), 255) > 0
    point &= np.arange(size) > 0.8 * size
    red = board.cutters.colours[board.cutters.names.index("red")].mean(0)
    seen = other.residual + clearly * (point & other.known)[..., None] * (red - other.expected)
    likeliest = list(islice(candidates(sight, board, fit, replace(other, residual=seen.astype(np.float32))), 4))
    true = sight.seen(place((ends - size // 2) * 2.0, fit.pose), fit.height_mm)
    assert any(lies_beside(line, true) for line in likeliest)


def test_cutters_side_by_side_are_no_hand() -> None:
    """Two of them cross at ten degrees."""
    image, labels = photographs(replace(FAMILIES["theory"], with_hands=0.0), 65)
    seen = [s for s in read(image, kit_pack()).sightings if s.kind is PieceKind.CUTTER]
    assert len([s for s in seen if s.probability > SURE]) == len([p for p in labels["pieces"] if p["kind"] == "cutter"])


@pytest.mark.parametrize("turned_deg", [-4.6, -2.0, 3.2, 4.6])
def test_a_stick_is_found_from_a_line_that_is_turned_well_away_from_it(turned_deg: float) -> None:
    """Where a pale stick lies on pale print, the likeliest line may be another than the stick's."""
    image, labels = photographs(replace(FAMILIES["theory"], with_hands=0.0), 12)
    board = kit_pack().board
    assert board is not None
    sight = sight_of(image, find_mat(image))
    fit = find_board(sight, board)
    assert fit is not None
    for piece in labels["pieces"]:
        if piece["kind"] != "cutter":
            continue
        true = sight.seen(np.array(piece["ends_mm"], np.float64), fit.height_mm)
        turn = np.radians(turned_deg)
        spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        way = np.diff(on_edges(sight, image, board, fit, (true - true.mean(0)) @ spin.T + true.mean(0))[0], axis=0)[0]
        across = np.diff(true, axis=0)[0]
        crossed = across[0] * way[1] - across[1] * way[0]
        off = np.degrees(np.arcsin(crossed / np.linalg.norm(across) / np.linalg.norm(way)))
        assert abs(off) < 0.6, piece["colour"]


@pytest.mark.parametrize(("seed", "hands"), [(7, 1.0), (36, 1.0), (10, 1.0), (7, 0.0), (12, 0.0)])
def test_what_lies_over_a_board_is_known_from_its_print(seed: int, hands: float) -> None:
    image, labels = photographs(replace(FAMILIES["theory"], with_hands=hands), seed)
    board = kit_pack().board
    assert board is not None
    registration = find_mat(image)
    sight = sight_of(image, registration)
    fit = find_board(sight, board)
    assert fit is not None
    covering = find_covering(sight, board, fit, read_spaces(sight, board, fit))
    hidden = replace(fit, covering=covering).hidden_at(board.points)
    truth = np.zeros(image.shape[:2], np.uint8)
    for piece in labels["pieces"]:
        if piece["kind"] == "hand":
            cv2.fillPoly(truth, [np.array(outline, np.int32) for outline in piece["outlines_px"]], 255)
    table = place(board.points.reshape(-1, 2), fit.pose)
    column, row = np.round(registration.to_picture(sight.seen(table, fit.height_mm))).astype(int).T
    under = (truth[row, column] > 0).reshape(hidden.shape)
    on_board = np.linalg.norm(board.points, axis=-1) < board.diameter_mm / 2
    assert under[on_board].any() == bool(hands)
    assert hidden[on_board & ~under].mean() < (0.2 if hands else 0.001)
    if hands:
        assert hidden[on_board & under].mean() > 0.9


# The rendered pictures --------------------------------------------------------------------------------------------


@with_photos
@pytest.mark.parametrize("style", ["alpha", "beta"])
def test_rendered_boards_are_read_with_one_picture_enrolled(style: str) -> None:
    names = sorted(path.stem for path in PHOTOS.glob(f"theory-{style}-*.json"))
    hands = 0
    for name, other in zip(names, [*names[1:], names[0]], strict=True):
        image, labels = load(name)
        scene = read(image, enrol([load(other)], source=[other]))
        described: Any = describe(scene)
        truth = labels["arrangement"]
        assert described["spaces"] == truth["spaces"]
        assert described["unclear"] == []
        assert described["loose"] == {}
        lines = {colour: (cutter["side"], cutter["line"]) for colour, cutter in described["cutters"].items()}
        assert lines == {colour: (cutter["side"], cutter["line"]) for colour, cutter in truth["cutters"].items()}
        hands += sum(place.cause is HiddenCause.HAND for place in scene.hidden)
    assert hands <= 1  # a die's side at the mat's edge; a board as large as the mat has the table beside it


@with_photos
def test_a_die_beside_the_board_is_no_hand_that_reaches_for_it() -> None:
    pizza_theory = KINDS & {PieceKind.BOARD, PieceKind.DIE}
    faces = enrol([load("theory-alpha-01")], source=["theory-alpha-01"])
    image, labels = load("theory-alpha-02")
    scene = read_photo(image, faces, finders=finders_for(pizza_theory, faces))
    dice = sum(piece["kind"] == "die" for piece in labels["pieces"])
    assert sum(sighting.kind is PieceKind.DIE for sighting in scene.sightings) == dice
    assert scene.hidden == ()
