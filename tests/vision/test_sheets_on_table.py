"""Sheets as they lie on a table, most of them too far from the camera for their markers to be decoded."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from random import Random

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from controller.games.dice_and_slice.hands import SHEET, Pencilled, write_front
from controller.sheet_prints import load_prints
from controller.simulation.copy import own_art
from hardware.simulated.artwork import Artwork
from hardware.simulated.pencil import PencilledSheet, Writer
from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions, MatStyle
from hardware.simulated.world import World
from tests.long import cases
from vision.dice.dot_dice import _judged, _top_view, find_dot_dice
from vision.frame import Image
from vision.looking_for import finders_for
from vision.mat.registration import Registration, find_mat, with_lens
from vision.pieces.faces import FacePack
from vision.reader import read_photo
from vision.scene import MarkKind, Origin, PieceKind, Pose, Scene, Sighting
from vision.sheets.finder import SheetFinder, read_sheets
from vision.sheets.finding import find_sheets

DOTS = ((3, 4), (4, 4), (9, 2), (0, 0), (12, 9))
LINE = (3, 4, 4, 4)
DIE_AT = Pose(-263.0, -77.0, 33.0)
DIE_SPOT = (DIE_AT.x_mm, DIE_AT.y_mm)
A1 = "..#/..#/..."
POSES = {1: Pose(6.0, -249.0, 91.0), 2: Pose(-390.0, -107.0, 358.0), 5: Pose(391.0, 104.0, 181.5)}


@pytest.fixture(scope="module")
def image() -> Image:
    return table()


@pytest.fixture(scope="module")
def with_die() -> Image:
    return table(die=DIE_AT)


def table(die: Pose | None = None) -> Image:
    """The sheets, and a die that shows A1."""
    fronts = {}
    for player in POSES:
        marks = [Pencilled(MarkKind.DOT, dot) for dot in DOTS[:player]]
        fronts[player] = write_front(player, [*marks, Pencilled(MarkKind.LINE, LINE)][: len(marks) + (player > 1)])
    image = picture(fronts, die)
    decoded = find_sheets(image.min(axis=2), load_prints())
    assert len(decoded) <= 1, "near enough for their markers: this shows nothing"
    return image


def picture(fronts: Mapping[int, str], die: Pose | None) -> Image:
    """Each player's sheet with this front, and a die that shows A1."""
    conditions = Conditions(seed=4)
    world = World(Random(4))
    for player, pose in POSES.items():
        front = fronts[player]
        world.add_piece(f"sheet/{player}", PieceKind.SHEET, front, front, pose=pose, face_up=True)
    if die is not None:
        world.add_piece("die/A", PieceKind.DIE, "die/A1", "die/A1", pose=die, face_up=True)
    art = own_art("dice_and_slice")
    return Renderer(art, conditions.camera_model(1920, 1080), conditions).render(world.snapshot())


@pytest.fixture(scope="module")
def seen(image: Image) -> Scene:
    pack = FacePack({}, ())
    return read_photo(image, pack, finders=finders_for({PieceKind.SHEET}, pack, load_prints()))


def test_each_is_found_where_it_lies_the_right_way_round(seen: Scene) -> None:
    sheets = {round(one.pose.x_mm, -2): one.pose for one in seen.sightings if one.kind is PieceKind.SHEET}
    assert len(sheets) == len(POSES)
    for pose in POSES.values():
        found = sheets[round(pose.x_mm, -2)]
        assert abs(found.x_mm - pose.x_mm) < 1.0
        assert abs(found.y_mm - pose.y_mm) < 1.0
        assert abs((found.angle_deg - pose.angle_deg + 180.0) % 360.0 - 180.0) < 0.5


def test_its_dots_and_lines_are_read(seen: Scene) -> None:
    for player, pose in POSES.items():
        (sheet,) = (one for one in seen.sightings if abs(one.pose.x_mm - pose.x_mm) < 5.0)
        kinds = (MarkKind.DOT, MarkKind.LINE)
        marks = {(mark.kind, mark.at) for mark in sheet.marks if mark.kind in kinds and mark.probability > 0.5}
        lines = {(MarkKind.LINE, LINE)} if player > 1 else set()
        assert marks == {(MarkKind.DOT, dot) for dot in DOTS[:player]} | lines


@pytest.mark.long
def test_lines_around_toppings_at_the_edge_hide_nothing() -> None:
    """Of what is under a topping only the printed border is left to guess it from there."""
    (layout,) = load_prints()
    corners = {(c + dx, r + dy) for c, r in (one.square for one in layout.toppings) for dx in (0, 1) for dy in (0, 1)}
    marks = [Pencilled(MarkKind.DOT, dot) for dot in sorted(corners)]
    marks += [Pencilled(MarkKind.LINE, (*a, *b)) for a, b in layout.lines if {a, b} <= corners]
    image = picture({player: write_front(player, marks) for player in POSES}, None)
    found = [one for one in SheetFinder([layout]).find(image, find_mat(image), ()) if one.kind is PieceKind.SHEET]
    assert len(found) == len(POSES)
    assert not [mark for sheet in found for mark in sheet.marks if mark.hidden]


def test_one_picture_by_itself_shows_them_all(image: Image) -> None:
    """As `pizzatable read` reads it: the mat says where each pixel lies, also where no marker can be decoded."""
    scene = read_sheets(image, load_prints())
    found = {(round(s.pose.x_mm, -1), round(s.pose.y_mm, -1)) for s in scene.sightings if s.kind is PieceKind.SHEET}
    assert scene.origin is Origin.MAT
    assert found == {(round(pose.x_mm, -1), round(pose.y_mm, -1)) for pose in POSES.values()}


@cases("mat", MatStyle, always=1)
def test_one_within_lines_that_are_printed_around_the_mat_is_found(mat: MatStyle) -> None:
    lies = Pose(-4.0, 12.0, 160.0)
    image = one_sheet(Conditions(seed=4, mat=mat), own_art("dice_and_slice"), SHEET, lies)
    (sheet,) = (s for s in read_sheets(image, load_prints()).sightings if s.kind is PieceKind.SHEET)
    assert (sheet.pose.x_mm, sheet.pose.y_mm) == pytest.approx((lies.x_mm, lies.y_mm), abs=1.5)
    assert sheet.pose.angle_deg == pytest.approx(lies.angle_deg, abs=1.0)


@pytest.mark.long
@cases("count", [1, 40], always=1)
def test_a_faint_pencil_writes_dots_and_does_not_become_print(count: int) -> None:
    """However many there are: what a sheet's own dots tell is how dark they are, not that there are none."""
    art = dict(own_art("dice_and_slice"))
    sheet = PencilledSheet(art[SHEET], Writer("faint", darkness=(0.24, 0.3)))
    dots = Random(5).sample(load_prints()[0].dots, count)
    for dot in dots:
        sheet.dot(load_prints()[0].dot_mm(dot))
    art["faint"] = sheet.art()
    blank, written = (one_sheet(Conditions(seed=4), art, face, POSES[5]) for face in (SHEET, "faint"))
    finder, mat = SheetFinder(load_prints()), find_mat(blank)
    finder.find(blank, mat, ())
    for _ in range(2):
        (seen,) = (s for s in finder.find(written, mat, ()) if s.kind is PieceKind.SHEET)
        likely = {mark.at: mark.probability for mark in seen.marks if mark.kind is MarkKind.DOT}
        assert sum(likely[dot] > 0.5 for dot in dots) >= 0.95 * count, sorted(likely[dot] for dot in dots)
        assert all(likely[dot] > 0.02 for dot in dots)
        assert not [dot for dot, p in likely.items() if dot not in dots and p > 0.5]


def one_sheet(conditions: Conditions, art: Mapping[str, Artwork], front: str, pose: Pose) -> Image:
    world = World(Random(4))
    world.add_piece("sheet/1", PieceKind.SHEET, front, front, pose=pose, face_up=True)
    return Renderer(art, conditions.camera_model(1920, 1080), conditions).render(world.snapshot())


@pytest.mark.long
@cases("off", [-0.09, 0.09], always=1)
def test_they_are_found_and_found_again_where_the_mat_alone_tells_the_lens_badly(image: Image, off: float) -> None:
    by_mat = find_mat(image)
    bent = with_lens(by_mat, replace(by_mat.lens, k1=by_mat.lens.k1 + off))
    finder = SheetFinder(load_prints())
    found = [one for one in finder.find(image, bent, ()) if one.kind is PieceKind.SHEET]
    assert len(found) == len(POSES)
    again = finder.find_again(image, bent, (), found, lambda points: np.ones(len(points), bool))
    assert len([one for one in again if one.kind is PieceKind.SHEET]) == len(POSES)
    for pose in POSES.values():
        (sheet,) = (one for one in found if np.hypot(one.pose.x_mm - pose.x_mm, one.pose.y_mm - pose.y_mm) < 20.0)
        player = next(number for number, at in POSES.items() if at == pose)
        dots = {mark.at for mark in sheet.marks if mark.kind is MarkKind.DOT and mark.probability > 0.5}
        assert dots == set(DOTS[:player])


@pytest.mark.long
def test_a_change_beside_a_sheet_where_nothing_looks_like_a_dot_is_no_die(image: Image) -> None:
    where, finder = find_mat(image), SheetFinder(load_prints())
    found = finder.find(image, where, ())
    white = np.full_like(image, 255)
    assert tuple(finder.find_again(white, where, (), found, lambda points: np.abs(points).max(axis=1) < 60.0)) == tuple(
        found
    )


@pytest.mark.long
def test_a_sheet_that_was_covered_is_seen_again_when_only_its_middle_changes(image: Image) -> None:
    """What lies on it goes, and its corners look as they did before."""
    where, finder = find_mat(image), SheetFinder(load_prints())
    found = finder.find(image, where, ())
    sheet = next(one for one in found if one.pose.y_mm < -200.0)
    near = partial(beside, (sheet.pose.x_mm, sheet.pose.y_mm), 120.0)
    covered = image.copy()
    (left, top), (right, bottom) = where.to_picture([[-120.0, -150.0], [130.0, -330.0]]).round().astype(int)
    covered[top:bottom, left:right] = (60, 60, 60)
    without = finder.find_again(covered, where, (), found, near)
    assert len(without) == len(POSES) - 1
    again = finder.find_again(image, where, (), without, partial(beside, (sheet.pose.x_mm, sheet.pose.y_mm), 30.0))
    assert len(again) == len(POSES)


def beside(spot: tuple[float, float], near_mm: float, points: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray(np.hypot(points[:, 0] - spot[0], points[:, 1] - spot[1]) < near_mm)


def test_what_looks_like_a_die_on_a_sheet_is_none_where_nothing_came() -> None:
    """Numbers in print may stand as its dots do, and shadows may be its edges."""
    on_sheet = Pose(-390.0, -150.0, 33.0)
    image, finder = table(die=on_sheet), SheetFinder(load_prints())
    where = find_mat(image)
    found = finder.find(image, where, ())
    assert [one.face for one in found if one.kind is PieceKind.DIE] == [A1]
    sheets = [one for one in found if one.kind is PieceKind.SHEET]

    def dice_where_changed(before: Sequence[Sighting], off_mm: float, near_mm: float) -> list[str]:
        changed = partial(beside, (on_sheet.x_mm, on_sheet.y_mm + off_mm), near_mm)
        again = finder.find_again(image, where, (), before, changed)
        return [one.face for one in again if one.kind is PieceKind.DIE]

    assert dice_where_changed(sheets, 0.0, 30.0) == [A1]
    assert dice_where_changed(sheets, 25.0, 10.0) == []
    assert dice_where_changed(found, 12.0, 8.0) == [A1], "somebody writes beside a die that lay there"


@pytest.mark.long
@cases("off", [(0.0, 0.0), (20.0, 0.0), (-20.0, 0.0), (0.0, 20.0), (0.0, -20.0)], always=1)
def test_a_die_of_which_only_an_edge_changed_is_found(with_die: Image, off: tuple[float, float]) -> None:
    """Fingers let go of it: the last that changes is beside it, or one of its edges."""
    where, finder = find_mat(with_die), SheetFinder(load_prints())
    found = finder.find(with_die, where, ())
    assert [one.face for one in found if one.kind is PieceKind.DIE] == [A1]
    sheets = [one for one in found if one.kind is PieceKind.SHEET]
    edge = partial(beside, (DIE_AT.x_mm + off[0], DIE_AT.y_mm + off[1]), 8.0)
    assert [one.face for one in finder.find_again(with_die, where, (), sheets, edge) if one.kind is PieceKind.DIE] == [
        A1
    ]


@cases("way", [(1, 0), (-1, 0), (0, 1), (0, -1)], always=1)
@pytest.mark.parametrize("cut", [0.0, 4.0, 20.0])
def test_a_die_at_the_edge_of_what_is_looked_at_is_not_guessed(
    with_die: Image, way: tuple[int, int], cut: float
) -> None:
    """What lies at that edge seems to go on beyond it: a die that it cuts would be another die, a line perhaps one."""
    low, high = np.array(DIE_SPOT) - 45.0, np.array(DIE_SPOT) + 45.0
    for axis, side in enumerate(way):
        if side:
            (high if side > 0 else low)[axis] = DIE_SPOT[axis] + side * cut
    box = np.array([low, high])
    found = [die.sighting.face for die in find_dot_dice(with_die, find_mat(with_die), 20.0, 5.0, within_mm=box)]
    assert found == ([A1] if cut == 20.0 else [])


@pytest.mark.long
@cases("turn", [19.0, 109.0, 199.0, 289.0], always=1)
def test_dots_that_run_into_each_other_are_a_die_all_the_same(turn: float) -> None:
    """Three in a row, joined by a printed line, of few pixels each: however the pixels fall."""
    art, conditions = own_art("dice_and_slice"), Conditions.random(Random(4))
    for step in range(0, 8, 2):
        world = World(Random(1))
        spot = Pose(28.0 + 0.21 * step, 31.0 + 0.17 * step, turn)
        world.add_piece("die/A", PieceKind.DIE, "die/A2", "die/A2", pose=spot, face_up=True)
        image = Renderer(art, conditions.camera_model(1920, 1080), conditions).render(world.snapshot())
        box = np.array([[-80.0, -40.0], [100.0, 160.0]])
        (die,) = find_dot_dice(image, find_mat(image), 20.0, 5.0, within_mm=box)
        assert die.sighting.face.count("#") == 3
        assert any(line == "###" for line in die.sighting.face.split("/")) == (turn in (109.0, 289.0))


def white_die(spot: Pose) -> Image:
    """A die that shows A1, in light so bright that its sides are as white as its top."""
    art, conditions = own_art("dice_and_slice"), Conditions.random(Random(71002))
    world = World(Random(1))
    world.add_piece("die/A", PieceKind.DIE, "die/A1", "die/A1", pose=spot, face_up=True)
    return Renderer(art, conditions.camera_model(1920, 1080), conditions).render(world.snapshot())


@pytest.mark.parametrize("spot", [Pose(262.0, 122.0, 243.5), Pose(265.9, 119.7, 244.3)])
def test_a_white_die_in_light_so_bright_that_its_sides_are_white_too_is_found(spot: Pose) -> None:
    """Its top ends where its sides begin, by little, but nothing on the top itself differs by as much."""
    image, at = white_die(spot), np.array([spot.x_mm, spot.y_mm])
    (die,) = find_dot_dice(image, find_mat(image), 20.0, 5.0, within_mm=np.array([at - 60.0, at + 60.0]))
    assert die.sighting.face == ".../.../.##"
    assert die.sighting.probability < 0.9, "of a die whose sides hardly show nothing is sure"
    assert np.hypot(die.sighting.pose.x_mm - spot.x_mm, die.sighting.pose.y_mm - spot.y_mm) < 1.5


@pytest.mark.long
def test_dots_that_are_known_to_be_a_sheets_leave_pale_ones_of_a_die_their_places() -> None:
    image = white_die(Pose(262.0, 122.0, 243.5))
    mat = find_mat(image)
    steps = np.arange(-120.0, 121.0, 6.0)
    for x, y in mat.to_picture(np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)).round().astype(int):
        cv2.circle(image, (int(x), int(y)), 2, (40, 40, 40), -1)

    def explained(points_px: NDArray[np.float64]) -> NDArray[np.bool_]:
        return np.asarray((np.abs(mat.to_table(points_px)) < 130.0).all(axis=1))

    found = [die.sighting.face for die in find_dot_dice(image, mat, 20.0, 5.0, explained=explained)]
    assert ".../.../.##" in found


@cases("seed", [1, 19], always=1)
def test_the_gap_between_two_planks_is_no_row_of_dots(seed: int) -> None:
    conditions = Conditions(seed=4)
    image = Renderer({}, conditions.camera_model(1280, 720), conditions).render(World(Random(1)).snapshot())
    mat = find_mat(image)
    box = np.array([[222.0, -230.0], [440.0, 230.0]])
    assert find_dot_dice(planks(image, mat, seed), mat, 20.0, 5.0, within_mm=box) == []


def planks(image: Image, mat: Registration, seed: int) -> Image:
    """The picture with other wood beside the mat: streaks along the planks, dark gaps between them, all sharpened."""
    rng = np.random.default_rng(seed)
    width, height = mat.size_px
    x, y = np.meshgrid(np.arange(200.0, 440.0, 0.5), np.arange(140.0, -200.0, -0.5))
    streaks = cv2.GaussianBlur(rng.normal(size=x.shape), (0, 0), sigmaX=60.0, sigmaY=2.0)
    gaps = np.abs((y + 30.0) % 90.0 - 45.0) < 1.0
    wood = np.where(gaps[..., None], 0.25, np.exp(0.1 * streaks / streaks.std())[..., None]) * (70.0, 122.0, 172.0)
    turn, middle = np.radians(-14.0), np.array([320.0, -30.0])
    along = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    on_table = mat.to_table(np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(-1, 2))
    at = ((on_table - middle) @ along + middle - (200.0, 140.0)) * (2.0, -2.0)
    columns, rows = (part.reshape(height, width).astype(np.float32) for part in at.T)
    seen = cv2.remap(wood.astype(np.float32), columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)
    beside = (on_table[:, 0] > 222.0).reshape(height, width, 1)
    drawn = np.where(beside, cv2.GaussianBlur(seen, (0, 0), 0.6), image) + rng.normal(0.0, 1.5, image.shape)
    return np.asarray(np.clip(drawn + 0.8 * (drawn - cv2.GaussianBlur(drawn, (0, 0), 1.5)), 0, 255), np.uint8)


DIAGONAL = [(-5.0, 5.0), (0.0, 0.0), (5.0, -5.0)]
"""Where the dots of a die that shows "#../.#./..#" are on its top."""


def painted_die(
    image: Image,
    mat: Registration,
    pose: Pose,
    colours: Sequence[tuple[int, int, int]],
    dots: Sequence[tuple[float, float]] = DIAGONAL,
    radius_mm: float = 1.35,
) -> None:
    """Paint a die of 20 mm that shows some dots: its sides, its top and its dots have these colours."""
    turn = np.radians(pose.angle_deg)
    along = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])

    def top(points: NDArray[np.float64]) -> NDArray[np.float64]:
        return mat.to_picture(mat.seen_from_table(points @ along + (pose.x_mm, pose.y_mm), 20.0))

    square = np.array([(-10.0, -10.0), (10.0, -10.0), (10.0, 10.0), (-10.0, 10.0)])
    base = mat.to_picture(square @ along + (pose.x_mm, pose.y_mm))
    round_about = radius_mm * np.array(
        [(np.cos(a), np.sin(a)) for a in np.linspace(0.0, 2 * np.pi, 24, endpoint=False)]
    )
    hull = cv2.convexHull(np.concatenate([base, top(square)]).astype(np.float32)).reshape(-1, 2)
    parts = [(hull, colours[0]), (top(square), colours[1])]
    for outline, colour in [*parts, *((top(np.array(dot) + round_about), colours[2]) for dot in dots)]:
        cv2.fillPoly(image, [np.round(outline * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)


def test_small_dots_are_found_from_where_a_lattice_lies_a_little_beside_them() -> None:
    conditions = Conditions(mat=MatStyle.CREAM)
    bare = Renderer(own_art("dice_and_slice"), conditions.camera_model(1920, 1080), conditions)
    image = np.asarray(bare.render(World(Random(1)).snapshot()), np.uint8)
    mat = find_mat(image)
    for at, turn in (((-14.0, 26.0), 221.0), ((53.0, 59.0), 261.0), ((30.0, 55.0), 106.0), ((-21.0, 59.0), 68.0)):
        shown = image.copy()
        grey = [(150, 150, 150), (225, 225, 225), (40, 40, 40)]
        painted_die(shown, mat, Pose(*at, turn), grey, DIAGONAL[1:], 0.6)
        view = _top_view(
            np.asarray(cv2.GaussianBlur(shown, (0, 0), 0.7), np.uint8),
            mat,
            20.0,
            np.add(at, [[-45.0], [45.0]]),
        )
        assert view is not None
        for x, y, turned in product((-0.4, 0.4), (-0.4, 0.4), (-2.0, 2.0)):
            (fit,) = _judged(view, np.array([[at[0] + x, at[1] + y, turn + turned]]), 20.0, 5.0)
            assert fit.dots.sum() == 2
            assert np.hypot(*(fit.pose[:2] - at)) < 0.8


@pytest.mark.long
def test_light_dots_of_a_black_die_are_no_pencil_wherever_they_lie_on_a_sheet(image: Image) -> None:
    """All three of them where the sheet has dots and a topping."""
    image, layout = image.copy(), load_prints()[0]
    mat, finder = find_mat(image), SheetFinder(load_prints())
    (sheet,) = (one for one in finder.find(image, mat, ()) if one.kind is PieceKind.SHEET and one.pose.y_mm < -200.0)
    frame = cv2.findHomography(layout.corners_mm, np.array(sheet.outline_mm)[::-1], 0)[0]
    spot = cv2.perspectiveTransform(np.array([[layout.toppings[0].centre_mm]]), frame)[0]
    ((x, y),) = mat.on_table(spot, 20.0)
    painted_die(image, mat, Pose(x, y, sheet.pose.angle_deg - 90.0), [(30, 30, 30), (24, 24, 24), (215, 215, 215)])
    found = finder.find(np.asarray(cv2.GaussianBlur(image, (0, 0), 0.6), np.uint8), mat, ())
    assert [one.face.count("#") for one in found if one.kind is PieceKind.DIE] == [3]


@cases(
    ("side", "dots", "count"),
    [((60, 60, 60), (25, 60, 90), 1), ((88, 88, 88), (25, 60, 90), 0), ((60, 60, 60), (45, 45, 45), 0)],
    always=2,
)
def test_a_white_die_on_white_is_told_by_coloured_dots_and_one_side(
    side: tuple[int, int, int], dots: tuple[int, int, int], count: int
) -> None:
    """In shade, where noise hides three of its sides; dots without any side may be printed, grey ones pencilled."""
    conditions = Conditions(seed=4)
    image = Renderer({}, conditions.camera_model(1920, 1080), conditions).render(World(Random(1)).snapshot())
    mat = find_mat(image)
    white = mat.to_picture(np.array([(-300.0, -60.0), (-210.0, -60.0), (-210.0, 60.0), (-300.0, 60.0)]))
    cv2.fillPoly(image, [np.round(white).astype(np.int32)], (90, 90, 90))
    painted_die(image, mat, Pose(-255.0, 0.0, 20.0), [side, (90, 90, 90), dots])
    noise = np.random.default_rng(1).normal(0.0, 5.0, image.shape)
    noisy = np.clip(cv2.GaussianBlur(image, (0, 0), 0.6) + noise, 0, 255).astype(np.uint8)
    found = find_dot_dice(noisy, mat, 20.0, 5.0, within_mm=np.array([(-295.0, -50.0), (-215.0, 50.0)]))
    assert len(found) == count
    assert all(die.sighting.face.count("#") == 3 and die.sighting.probability < 0.9 for die in found)


@pytest.mark.long
def test_what_was_taken_for_a_die_is_none_when_it_looks_otherwise_however_little_changes(
    image: Image, with_die: Image
) -> None:
    where, finder = find_mat(image), SheetFinder(load_prints())
    found = finder.find_again(with_die, where, (), finder.find(with_die, where, ()), partial(beside, DIE_SPOT, 20.0))
    assert any(one.kind is PieceKind.DIE for one in found)
    gone = finder.find_again(image, where, (), found, partial(beside, (0.0, 0.0), 30.0))
    assert not any(one.kind is PieceKind.DIE for one in gone)
