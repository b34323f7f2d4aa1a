"""What of the path-traced tables can be tested without a path tracer: geometry, truth, art, solids, the command."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.rigs.traced import command
from tests.rigs.traced.art_board import BoardRun, line_mm, space_mm, spaces
from tests.rigs.traced.art_cards import CardRun, orders, slice_fronts
from tests.rigs.traced.art_slices import SliceRun, notice_faces, slice_faces
from tests.rigs.traced.bodies import Body, Floats, Layout, generator, rectangle, wedge
from tests.rigs.traced.camera import Camera, hang, straight
from tests.rigs.traced.games import GAMES, layouts
from tests.rigs.traced.hands import a_hand, reach_over
from tests.rigs.traced.lay_board import BoardGame
from tests.rigs.traced.lay_cards import CardGame
from tests.rigs.traced.lay_slices import SliceGame
from tests.rigs.traced.meshes import plate
from tests.rigs.traced.resting import Rest, rest
from tests.rigs.traced.solids import pip_die, stick
from tests.rigs.traced.things import THINGS, strewn
from tests.rigs.traced.truth import outline_px, truth
from vision.files.labels import arrangement_label, labels_to_compare, labels_to_learn, sheet_label

pytestmark = pytest.mark.long


def a_plate(x: float, y: float, turn: float = 90.0, thickness: float = 2.0) -> Body:
    return Body({"kind": "tile", "face": "3/1"}, x, y, turn, rectangle(60, 90, 0), thickness)


def seen_flat(bodies: Sequence[Body], rests: Sequence[Rest], camera: Camera) -> Any:
    """Which body each pixel shows, by drawing outlines from the lowest up: what a renderer finds but for edges."""
    shown = np.full((camera.height, camera.width), -1, dtype=np.int32)
    for index, (body, lying) in enumerate(zip(bodies, rests, strict=True)):
        cv2.fillPoly(shown, [np.round(outline_px(body, lying, camera)).astype(np.int32)], index)
    return shown.astype(np.int64)


def truth_of(layout: Layout, finger: tuple[float, float, float] | None = None) -> dict[str, Any]:
    camera = hang(generator(layout.name), layout.span_mm, layout.aim_mm, False)
    rests = rest(layout.bodies, layout.mat)
    said = truth(layout, rests, camera, seen_flat(layout.bodies, rests, camera), finger)
    return dict(json.loads(json.dumps(said)))


# Camera and lens -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_points_are_projected_as_opencv_projects_them(seed: int) -> None:
    camera = hang(generator("camera", seed), 560, (0, 0), seed % 2 == 1)
    points = generator("points", seed).uniform(-250, 250, (50, 3)) * (1, 1, 0.1)
    turn, _ = cv2.Rodrigues(camera.R)
    expected, _ = cv2.projectPoints(points, turn, camera.t, camera.K, camera.dist)
    assert np.abs(camera.project(points) - expected.reshape(-1, 2)).max() < 1e-3


@pytest.mark.parametrize("seed", range(4))
def test_the_lens_finds_each_point_where_it_is_rendered(seed: int) -> None:
    camera = hang(generator("camera", seed), 560, (0, 0), False)
    lens = straight(camera)
    points = np.column_stack([generator("on table", seed).uniform(-240, 240, (40, 2)), np.zeros(40)])
    pixels = camera.project(points)
    inside = (pixels > 2).all(1) & (pixels < (camera.width - 3, camera.height - 3)).all(1)
    turned = points[inside] @ camera.R.T + camera.t
    rendered = turned[:, :2] / turned[:, 2:] * lens.focal_px + (lens.width / 2 - 0.5, lens.height / 2 - 0.5)
    for (x, y), (u, v) in zip(pixels[inside], rendered, strict=True):
        patch = (slice(int(y), int(y) + 2), slice(int(x), int(x) + 2))
        share = np.outer([1 - y % 1, y % 1], [1 - x % 1, x % 1])
        assert abs((lens.map_x[patch] * share).sum() - u) < 0.01
        assert abs((lens.map_y[patch] * share).sum() - v) < 0.01


@pytest.mark.parametrize("seed", range(20))
def test_cameras_hang_about_90_cm_above_and_lean_8_degrees_at_most(seed: int) -> None:
    camera = hang(generator("hanging", seed), 560, (0, 0), False)
    assert 700 <= camera.place[2] <= 1100
    assert np.degrees(np.arccos(-camera.R[2, 2])) <= 8.0
    assert np.linalg.det(camera.R) == pytest.approx(1)


# Household things ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", THINGS)
def test_a_thing_is_a_plate_or_a_solid_that_stands_on_the_table(name: str) -> None:
    layout = Layout("some", "slice", "any", "cards", [a_plate(0, 0)], {}, 560)
    for part in THINGS[name](generator("thing", name), layout):
        assert part.thickness > 0
        assert (part.mesh is None) != (part.top is None)
        if part.mesh is not None:
            assert np.isfinite(part.mesh.vertices).all()
            assert -4 < part.mesh.vertices[:, 2].min() < 6
            assert part.mesh.faces.max() < len(part.mesh.vertices) == len(part.mesh.colours)
            assert part.mesh.colours.min() >= 0
            assert part.mesh.colours.max() <= 1


@cache
def layouts_to_judge() -> list[Layout]:
    """Without score sheets, which a library draws that may not be there."""
    board = BoardGame(3)
    return [*SliceGame("pizzeria", 3).pictures(3), *CardGame(3).pictures(1), *board.enrolment(), *board.pictures(1)]


@pytest.mark.parametrize("game", [game for game in GAMES if game != "new_york_slice"])  # laid as Pizzeria is
def test_things_are_strewn_over_tables_to_be_read_and_named_in_their_truth(game: str) -> None:
    if game == "dice_and_slice":
        pytest.importorskip("pypdfium2", reason="the kit's pages are drawn by the traced extra")
    some: Iterable[Layout] = layouts(game, 3, 2) if game == "dice_and_slice" else layouts_to_judge()
    # Over a sheet that lies alone there is room for one.
    layout = next(one for one in some if one.game == game and not one.plain_light and len(one.bodies) > 1)
    strewn_over = strewn(layout, 6)
    assert list(strewn_over.bodies[: len(layout.bodies)]) == list(layout.bodies)
    said = truth_of(strewn_over)
    assert len(said["pieces"]) == len(layout.bodies)
    assert [thing["place"] for thing in said["things"]] == ["pieces", "mat", "beside"] * 2
    assert len({thing["thing"] for thing in said["things"]}) == 6
    assert labels_to_compare(said, "truth")
    assert min(piece["visible"] for piece in said["pieces"]) < 1


# Resting -------------------------------------------------------------------------------------------------------------


def test_a_plate_lies_level_on_the_mat_and_lower_beside_it() -> None:
    on_mat, beside = rest([a_plate(0, 0), a_plate(400, 0)])
    assert on_mat.origin[2] == pytest.approx(0)
    assert beside.origin[2] == pytest.approx(-1.5)
    assert on_mat.rotation[2, 2] == pytest.approx(1)


def test_a_thin_sheet_wholly_on_the_mat_lies_on_it() -> None:
    (lying,) = rest([a_plate(3, 5, 84, 0.1)])
    assert lying.points(np.array([[-30, -45, 0], [30, 45, 0], [30, -45, 0.0]]))[:, 2].min() > -1e-6


def test_a_plate_half_on_another_leans_on_its_edge_and_on_the_mat() -> None:
    _, upper = rest([a_plate(0, 0), a_plate(40, 0)])
    corners = upper.points(np.column_stack([rectangle(60, 90, 0), np.zeros(4)]))
    assert corners[:, 2].min() == pytest.approx(0, abs=0.01)
    assert corners[:, 2].max() > 2.0
    at_edge = upper.points(np.array([[-10.0, 0.0, 0.0]]))[0]
    assert at_edge[2] == pytest.approx(2.0, abs=0.02)


def test_no_plate_of_a_messy_table_reaches_into_another() -> None:
    layout = next(SliceGame("new_york_slice", 5).pictures(1))
    rests = rest(layout.bodies, layout.mat)
    for upper in range(len(rests)):
        outline = layout.bodies[upper].outline
        inner = np.concatenate([outline * s for s in (0.25, 0.5, 0.75, 0.98)])
        below = rests[upper].points(np.column_stack([inner, np.zeros(len(inner))]))
        for lower in range(upper):
            local = (below - rests[lower].origin) @ rests[lower].rotation
            within = [
                cv2.pointPolygonTest(layout.bodies[lower].outline.astype(np.float32), (float(u), float(v)), True) > 0.5
                for u, v, _ in local
            ]
            if any(within):
                assert local[within, 2].min() > layout.bodies[lower].thickness - 0.05


def test_a_stick_over_another_tilts_and_does_not_roll() -> None:
    mesh = stick(240, 3, (1, 0, 0), 30)
    bodies = [
        Body({"kind": "cutter"}, 0, y, turn, rectangle(240, 3, 0), 3, mesh=mesh)
        for y, turn in ((0.0, 0.0), (60.0, 90.0))
    ]
    _, upper = rest(bodies)
    assert upper.rotation[2, 0] == pytest.approx(-3 / 180, rel=0.03)
    assert upper.rotation[2, 1] == pytest.approx(0, abs=1e-6)


# Art -----------------------------------------------------------------------------------------------------------------


def test_there_are_the_faces_that_the_games_list() -> None:
    for game in ("new_york_slice", "pizzeria"):
        values = Counter(face.values[0] for face in slice_faces(game) if len(face.values) == 1)
        assert all(count == value for value, count in values.items())
        assert len(slice_faces(game)) == 69
    assert [len(notice_faces(game)) for game in ("new_york_slice", "pizzeria")] == [14, 12]
    assert len(slice_fronts()) == 10
    assert len(orders()) == 24
    assert len(spaces()) == 37


def prints(seed: int) -> list[Any]:
    slices, cards, board = SliceRun("new_york_slice", seed), CardRun(seed), BoardRun(seed)
    face, notice = slice_faces("new_york_slice")[20], notice_faces("new_york_slice")[3]
    drawn = [slices.slice(face), slices.slice_back(), slices.notice(notice), cards.front("slice/olive"), cards.back()]
    return [one.image for one in (*drawn, cards.order("order/order-3"), board.board())]


def test_art_is_the_same_for_a_seed_and_another_for_every_other() -> None:
    once, again, other = prints(1), prints(1), prints(2)
    for one, same, different in zip(once, again, other, strict=True):
        assert np.array_equal(one, same)
        small = [
            np.asarray(cv2.resize(image, (48, 48), interpolation=cv2.INTER_AREA), np.float64)
            for image in (one, different)
        ]
        assert np.abs(small[0] - small[1]).mean() > 8


def test_lines_of_the_board_pass_between_its_spaces() -> None:
    places = np.array([space_mm(*space) for space in spaces()])
    for place in ("1st", "2nd", "3rd"):
        for number in range(1, 7):
            one, two = line_mm(place, number)
            along = (two - one) / np.hypot(*(two - one))
            away = np.abs((places - one) @ np.array([-along[1], along[0]]))
            assert away.min() == pytest.approx(22 * np.sqrt(0.75) / 2)


# Solids --------------------------------------------------------------------------------------------------------------


def volume(vertices: Floats, faces: Any) -> float:
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


def is_closed(faces: Any) -> bool:
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    there = {(int(a), int(b)) for a, b in edges}
    return all((b, a) in there for a, b in there)


def test_a_die_is_closed_and_has_its_size_and_its_pips() -> None:
    die = pip_die(5, 16, (0.9, 0.1, 0.1), (1, 1, 1), generator("die"))
    assert is_closed(die.faces)
    assert 0.9 * 16**3 < volume(die.vertices, die.faces) < 16**3
    painted = die.vertices[(die.colours[:, 1] > 0.5) & (die.vertices[:, 2] > 15)]
    mask = np.zeros((160, 160), np.uint8)
    for x, y, _ in painted:
        cv2.circle(mask, (round(80 + 9 * x), round(80 + 9 * y)), 4, 255, -1)
    assert cv2.connectedComponents(mask)[0] - 1 == 5


def test_hands_plates_and_sticks_are_closed_and_turned_outwards() -> None:
    skin, sleeve, _ = a_hand(generator("a hand", 3))
    for mesh in (skin, sleeve, stick(240, 3, (1, 0, 0), 30)):
        assert volume(mesh.vertices, mesh.faces) > 0
    assert is_closed(sleeve.faces)
    vertices, faces, _ = plate(wedge(110, 32.7), 2.0)
    assert volume(vertices, faces) == pytest.approx(0.5 * 110**2 * np.radians(32.7) * 2, rel=0.02)


def test_a_hand_is_held_above_what_lies_there() -> None:
    layout = next(CardGame(2).pictures(1))
    rests = rest(layout.bodies, layout.mat)
    reach = reach_over(layout, rests, generator("reaching"))
    skin = reach.meshes[0].vertices
    assert skin[:, 2].min() > 0.5
    assert max(mesh.vertices[:, 2].max() for mesh in reach.meshes) < 500
    for body, lying in zip(layout.bodies, rests, strict=True):
        local = (skin - lying.origin) @ lying.rotation
        inside = (np.abs(local[:, :2]) < np.abs(body.outline).max(0) - 1).all(1) & (local[:, 2] < body.thickness)
        assert not inside.any()


# Truth ---------------------------------------------------------------------------------------------------------------


def test_the_truth_is_what_labels_have_to_be() -> None:
    for layout in layouts_to_judge():
        said = truth_of(layout, (10.0, 20.0, 90.0) if layout.hand else None)
        compared = labels_to_compare(said, layout.name)
        assert len(compared) == len(layout.bodies)
        assert (arrangement_label(said, layout.name) is not None) == bool(layout.arrangement)
        if layout.kind == "theory":
            learned = labels_to_learn(said, layout.name).board
            assert learned is not None
            assert {topping.colour for topping in learned.toppings} == {"red", "green", "white"}


def test_pieces_to_learn_from_lie_apart_and_wholly_in_the_picture() -> None:
    for layout in CardGame(4).enrolment():
        said = truth_of(layout)
        for piece in said["pieces"]:
            outline = np.array(piece["outline_px"])
            assert (outline > 0).all()
            assert (outline < (said["image"]["width"], said["image"]["height"])).all()
            assert piece["visible"] > 0.97
            assert piece["height_mm"] < 1


def test_what_another_piece_hides_is_not_visible() -> None:
    layout = Layout("two", "new_york_slice", "s", "ring", [a_plate(0, 0), a_plate(30, 0)], {}, 500.0)
    lower, upper = truth_of(layout)["pieces"]
    assert upper["visible"] > 0.99
    assert lower["visible"] == pytest.approx(0.5, abs=0.05)


def test_a_sheets_truth_says_what_is_pencilled_on_it() -> None:
    pytest.importorskip("pypdfium2")
    from tests.rigs.traced.lay_sheet import SheetGame

    layout = next(SheetGame(3).pictures(1))
    said = truth_of(layout)
    label = sheet_label(said, layout.name)
    dots = {tuple(dot) for dot in label.dots}
    assert all(tuple(one) in dots and tuple(two) in dots for one, two in label.lines)
    assert layout.bodies[0].top is not None


# The command ---------------------------------------------------------------------------------------------------------


def test_help_gives_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main(["--help"])
    assert ended.value.code == 0
    assert "Example:" in capsys.readouterr().out
    assert set(GAMES) >= {"slice", "pizza_theory"}


def test_pictures_that_are_there_are_not_rendered_again(tmp_path: Path) -> None:
    wanted = list(CardGame(1).pictures(2))
    for layout in wanted:
        (tmp_path / f"{layout.name}.json").write_text("{}")
    command.render(wanted, tmp_path, 16, None)
    assert len(list(tmp_path.iterdir())) == 2
