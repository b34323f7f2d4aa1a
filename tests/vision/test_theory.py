"""Pizza Theory's board is found by its own print, in any turn and light: drawn, simulated, and on the rendered pictures
beside the repository."""

import json
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
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
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import PieceView
from tests.benchmarks.simulated_pieces import FAMILIES, Family, enrolled, photograph, photographs
from tests.long import cases
from tests.vision.altered import as_a_phone_shows_it
from tests.vision.drawn_board import DIAMETER_MM, Board, draw, every_space, label, space_mm
from tests.vision.drawn_table import View, project
from tests.vision.rendered import PHOTOS, load, with_photos
from tests.vision.theory_pictures import (
    BEFORE,
    ENROLLED,
    LIGHTS,
    SURE,
    Array,
    arranged,
    found_again,
    kit_pack,
    learned_from,
    pack,
    read,
    same,
    spaces_of,
)
from vision.board.finder import board_finder
from vision.files.label_kinds import LabelError
from vision.frame import Image
from vision.looking_for import finders_for
from vision.mat.registration import find_mat
from vision.pieces.faces import FacePack, FacePackError, load_pack, save_pack
from vision.pieces.learning import enrol
from vision.scene import EMPTY, HiddenCause, PieceKind, Pose
from vision.shapes import place

COLOURED = ("red", "green", "white")


@cases(("light", "turn_deg"), list(zip(LIGHTS, (2.0, 125.0, 236.0, 300.0), strict=True)), always=1)
def test_board_spaces_and_turn(light: str, turn_deg: float) -> None:
    board = arranged(round(turn_deg) + len(light), Board(-6.0, 5.0, turn_deg))
    scene = read(draw(board, LIGHTS[light]))
    found = next(s for s in scene.sightings if s.kind is PieceKind.BOARD)
    assert (found.pose.x_mm, found.pose.y_mm) == pytest.approx((-6.0, 5.0), abs=0.5)
    assert abs((found.pose.angle_deg - turn_deg + 180.0) % 360.0 - 180.0) < 0.4
    assert found.probability > SURE
    assert spaces_of(scene) == {name: (board.spaces or {}).get(name, EMPTY) for name in every_space()}


@pytest.mark.long
@cases(("saturation", "contrast"), [(1.6, 1.0), (1.0, 1.4), (1.4, 1.25), (0.6, 1.0)], always=1)
@cases("style", ["alpha", "beta"], always=1)
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


@cases(("saturation", "contrast"), [(2.0, 1.0), (1.5, 1.3)], always=0)
def test_a_simulated_board_is_read_in_other_colours(saturation: float, contrast: float) -> None:
    image, labels = photographs(FAMILIES["theory"], 501)
    seen = spaces_of(read(as_a_phone_shows_it(image, saturation, contrast), enrolled(FAMILIES["theory"])))
    toppings = {p["space"]: p["colour"] for p in labels["pieces"] if p["kind"] == "topping" and p.get("space")}
    assert len(toppings) > 20
    assert seen.items() >= toppings.items()


@pytest.mark.long
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


@pytest.mark.long
def test_as_it_was_enrolled_a_board_is_in_no_other_tone() -> None:
    faces = pack().board
    assert faces is not None
    for light in LIGHTS.values():
        image = draw(arranged(5, Board(-6.0, 5.0, 125.0)), light)
        finder = board_finder(faces)
        assert finder.find(image, find_mat(image), ())
        assert finder.board is faces


@pytest.mark.long
def test_a_picture_without_colours_tells_of_no_topping_and_no_cutter() -> None:
    grey = cv2.cvtColor(draw(arranged(11, Board(0.0, 0.0, 30.0))), cv2.COLOR_BGR2GRAY)
    described: Any = describe(read(np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), np.uint8)))
    assert (described["spaces"], described["cutters"], described["loose"]) == ({}, {}, {})
    assert len(described["unclear"]) == 37


# Moved ----------------------------------------------------------------------------------------------------------------


def test_a_board_that_was_moved_is_found_anew() -> None:
    _, again, anew = found_again(BEFORE, replace(arranged(21, Board(9.0, 6.0, 46.0))))
    assert again == anew


@pytest.mark.long
@cases("turn_deg", [120.0, 240.0], always=1)
@cases("off_mm", [0.0, 0.4], always=1)
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


@pytest.mark.long
@cases("turn_deg", [5.0, -125.0], always=1)
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


def test_a_cutters_shadow_in_the_only_photo_is_not_learned_as_print() -> None:
    """What lies bare beside it is learned as bright as where no shadow falls."""
    image, stick = draw(ENROLLED), np.array(ENROLLED.sticks[0].ends_mm)
    way = (stick[1] - stick[0]) / np.linalg.norm(stick[1] - stick[0])
    side = np.array([-way[1], way[0]])
    band = np.array([stick[0] + 5.0 * side, stick[1] + 5.0 * side, stick[1] + 10.0 * side, stick[0] + 10.0 * side])
    shadow = cv2.fillPoly(np.zeros(image.shape[:2], np.uint8), [np.round(project(band, View())).astype(np.int32)], 1)
    image[shadow > 0] = (image[shadow > 0] * 0.75).astype(np.uint8)
    board, plain = enrol([(image, label(ENROLLED))], source=["one"]).board, pack().board
    assert board is not None
    assert plain is not None
    pose = np.array([ENROLLED.x_mm, ENROLLED.y_mm, ENROLLED.angle_deg])
    points = place(board.points.reshape(-1, 2), pose)
    off, out = (points - stick[0]) @ side, np.linalg.norm(points - pose[:2], axis=1)
    beside = board.known.ravel() & plain.known.ravel() & (off > 6.5) & (off < 8.5) & (out < DIAMETER_MM / 2 - 4.0)
    assert abs(float(np.median((board.colours - plain.colours).reshape(-1, 3)[beside]))) < 0.06


def test_spaces_lie_where_they_are_printed() -> None:
    board = pack().board
    assert board is not None
    assert set(board.space_names) == set(every_space())
    for name, at in zip(board.space_names, board.spaces_mm, strict=True):
        assert at == pytest.approx(space_mm(name), abs=0.3)


def alike_from_three_sides(printed: Image) -> Image:
    """A board's print averaged over its three turns."""
    middle = ((printed.shape[1] - 1) / 2, (printed.shape[0] - 1) / 2)
    turns = [cv2.getRotationMatrix2D(middle, turn, 1.0) for turn in (0, 120, 240)]
    turned = [cv2.warpAffine(printed, turn, printed.shape[1::-1], flags=cv2.INTER_LINEAR) for turn in turns]
    return np.asarray(np.mean(np.array(turned, np.float32), axis=0), np.uint8)


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


@pytest.mark.long
def test_faint_flecks_all_over_a_board_tell_how_it_is_turned() -> None:
    family = with_board(flecked)
    faces = enrolled(family)
    for seed in (510,):
        image, labels = photographs(family, seed)
        (found,) = [s for s in read(image, faces).sightings if s.kind is PieceKind.BOARD]
        (turn,) = [piece["angle_deg"] for piece in labels["pieces"] if piece["kind"] == "board"]
        assert found.probability > 0.95
        assert abs((found.pose.angle_deg - turn + 180.0) % 360.0 - 180.0) < 2.0


@pytest.mark.long
def test_a_board_alike_from_three_sides_is_never_said_to_lie_one_way() -> None:
    """The kit's own tells by burnt spots and words on its rim."""
    theory, plain = FAMILIES["theory"], with_board(alike_from_three_sides)
    faces = enrolled(plain)
    for seed in (512,):
        for family, known, low, high in ((plain, faces, 0.0, 0.9), (theory, kit_pack(), 0.95, 1.0)):
            image, _ = photographs(replace(family, with_hands=0.0), seed)
            (found,) = [s for s in read(image, known).sightings if s.kind is PieceKind.BOARD]
            assert low <= found.probability <= high, (family.name, seed)


@pytest.mark.long
def test_a_board_with_long_shadows_on_a_chequered_cloth_is_found() -> None:
    """Rings that are printed on the mat hide its rim, and the cloth's corners look likelier than any place on it."""
    image, labels = photographs(FAMILIES["boards"], 731360)
    (true,) = [piece for piece in labels["pieces"] if piece["kind"] == "board"]
    (seen,) = [s for s in read(image, kit_pack()).sightings if s.kind is PieceKind.BOARD]
    assert (seen.pose.x_mm, seen.pose.y_mm) == pytest.approx((true["x_mm"], true["y_mm"]), abs=1.0)
    assert seen.probability > SURE


# The rendered pictures ------------------------------------------------------------------------------------------------


@with_photos
@cases("style", ["alpha", "beta"], always=1)
def test_rendered_boards_are_read_with_one_picture_enrolled(style: str) -> None:
    names = sorted(path.stem for path in PHOTOS.glob(f"theory-{style}-*.json"))
    hands = 0
    for name, other in list(zip(names, [*names[1:], names[0]], strict=True))[1::2]:
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
