"""`pizzatable read`: its lines, and what it says of photos that cannot be read."""

import json
import math
import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from random import Random

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result

from controller.cli import enrol, read
from tests.long import cases
from tests.vision.drawn_table import photograph
from vision.mat.lens import Lens
from vision.pieces.faces import load_pack, save_pack
from vision.scene import FaceLikelihood, HiddenCause, HiddenPlace, Origin, PieceKind, Pose, Scene, Sighting

PHOTOS = Path(__file__).parents[4] / "shared" / "photos" / "table"


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The faces of one enrolment photo."""
    if not PHOTOS.is_dir():
        pytest.skip("the pictures in ../shared/photos are not there")
    path = tmp_path_factory.mktemp("faces") / "pack"
    arguments = ["--game", "new_york_slice", "--out", str(path), "--labels", str(PHOTOS / "enrol-alpha-05.json")]
    result = CliRunner().invoke(enrol.command, [*arguments, str(PHOTOS / "enrol-alpha-05.jpg")])
    assert result.exit_code == 0, result.output
    return path


def _read(pack: Path, *arguments: Path | str) -> Result:
    return CliRunner().invoke(
        read.command, ["--game", "new_york_slice", "--faces", str(pack), *(str(argument) for argument in arguments)]
    )


def test_a_photo_is_read_and_drawn(pack: Path, tmp_path: Path) -> None:
    result = _read(pack, "--draw", tmp_path / "drawn", PHOTOS / "enrol-alpha-05.jpg")
    assert result.exit_code == 0, result.output
    line = json.loads(result.stdout)
    assert "warning" not in line
    assert list(line) == ["photo", "frame", "pieces", "arrangement", "hidden", "stage_ms"]
    truth = json.loads((PHOTOS / "enrol-alpha-05.json").read_text())
    wanted = {piece["face"] for piece in truth["pieces"] if piece["kind"] == "special" and piece["face_up"]}
    assert wanted <= {piece["face"] for piece in line["pieces"]}
    assert all(spent_ms > 0 for spent_ms in line["stage_ms"].values())
    drawn = cv2.imread(str(tmp_path / "drawn" / "enrol-alpha-05-read.jpg"))
    assert drawn is not None
    assert drawn.shape == (720, 1280, 3)


def test_a_photo_that_cannot_be_read_does_not_stop_the_others(pack: Path, tmp_path: Path) -> None:
    empty, black, missing = tmp_path / "empty.jpg", tmp_path / "black.png", tmp_path / "missing.jpg"
    good = tmp_path / "good.png"
    empty.touch()
    cv2.imwrite(str(good), photograph([]))
    cv2.imwrite(str(black), np.zeros((720, 1280, 3), np.uint8))
    result = _read(pack, empty, black, missing, good)
    assert result.exit_code == 1
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["photo"] for line in lines] == ["empty.jpg", "black.png", "missing.jpg", "good.png"]
    assert ["error" in line for line in lines] == [True, True, True, False]
    assert lines[2]["error"] == f"{missing}: cannot be read: No such file or directory"


def test_a_photo_that_this_user_may_not_read_does_not_stop_the_others(
    pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed, empty = tmp_path / "closed.jpg", tmp_path / "empty.jpg"
    closed.touch()
    empty.touch()
    access = os.access
    monkeypatch.setattr("os.access", lambda path, mode: Path(os.fsdecode(path)) != closed and access(path, mode))
    result = _read(pack, closed, empty)
    assert [json.loads(line)["photo"] for line in result.stdout.splitlines()] == ["closed.jpg", "empty.jpg"]


def test_a_photo_that_is_cut_off_is_named(pack: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.jpg"
    cut.write_bytes((PHOTOS / "enrol-alpha-05.jpg").read_bytes()[:-2000])
    result = _read(pack, cut)
    assert result.exit_code == 1
    assert "cut.jpg: the file is cut off after" in json.loads(result.stdout)["error"]


@pytest.mark.long
def test_pieces_of_another_copy_are_said_to_be_unknown(pack: Path) -> None:
    line = json.loads(_read(pack, PHOTOS / "ring-beta-01.jpg").stdout)
    assert line["pieces"] == []
    assert line["warning"].startswith("none of the enrolled faces of new_york_slice is seen")


def test_a_table_without_a_sheet_says_so(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "photo.png"), photograph([]))
    result = CliRunner().invoke(read.command, ["--game", "dice_and_slice", str(tmp_path / "photo.png")])
    assert "no score sheet is found" in json.loads(result.stdout)["warning"]


def test_a_photo_without_colours_and_one_without_pieces_are_named() -> None:
    image, nothing = photograph([]), Scene(0.0, 1, (), (), 0.0)
    some = replace(nothing, sightings=(_slice(0.9),))
    grey = np.asarray(cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR), np.uint8)
    for game, kind in (("pizza_theory", PieceKind.TOPPING), ("new_york_slice", PieceKind.SLICE)):
        assert read.what_is_wrong(some, image, game, {kind}) is None
        assert "shows no colours" in str(read.what_is_wrong(some, grey, game, {kind}))
        assert f"none of the enrolled faces of {game} is seen" in str(read.what_is_wrong(nothing, image, game, {kind}))


def test_a_board_that_is_not_found_or_not_told_which_way_is_named() -> None:
    image = photograph([])
    topping, board = (replace(_slice(0.9), kind=kind) for kind in (PieceKind.TOPPING, PieceKind.BOARD))
    untold = replace(board, faces=(FaceLikelihood("board", 1 / 3),))
    kinds = {PieceKind.TOPPING, PieceKind.BOARD}

    def said(*sightings: Sighting) -> str:
        return str(read.what_is_wrong(Scene(0.0, 1, sightings, (), 0.0), image, "pizza_theory", kinds))

    assert said(topping, board) == "None"
    assert said(topping).startswith("the board is not found")
    assert said(topping, untold).startswith("which of its three turns the board lies in cannot be told")
    assert said(untold).startswith("none of the enrolled faces")


def test_a_sheet_read_beside_a_mat_that_is_not_found_is_said_to_be_alone() -> None:
    whole = photograph([])
    scene = Scene(0.0, 1, (replace(_slice(0.9), kind=PieceKind.SHEET),), (), 0.0, origin=Origin.SHEET)
    part = whole.copy()
    part[:, whole.shape[1] // 2 :] = part[whole.shape[0] // 2 :] = 128
    warning = str(read.what_is_wrong(scene, part, "dice_and_slice", {PieceKind.SHEET}))
    assert "the mat is not found" in warning
    assert "of these 0 shows; other sheets" in warning
    assert "of these 0, 1, 2, 3 show; other" in str(
        read.what_is_wrong(scene, whole, "dice_and_slice", {PieceKind.SHEET})
    )
    assert read.what_is_wrong(scene, np.full_like(part, 128), "dice_and_slice", {PieceKind.SHEET}) is None


def test_a_photo_is_no_memory_for_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.vision.theory_pictures import pack

    used: list[object] = []

    def read_photo(*_: object, finders: Sequence[object], **__: object) -> Scene:
        used.extend(finders)
        return Scene(0.0, 0, (), (), 0.0)

    faces, photos = tmp_path / "faces", [tmp_path / f"{number}.png" for number in range(2)]
    save_pack(pack(), faces)
    for photo in photos:
        cv2.imwrite(str(photo), photograph([]))
    monkeypatch.setattr("controller.cli.read.read_photo", read_photo)
    arguments = ["--game", "pizza_theory", "--faces", str(faces), *map(str, photos)]
    assert CliRunner().invoke(read.command, arguments).exit_code == 0
    assert len({id(finder) for finder in used}) == len(used) > len(photos)


def test_photos_of_one_name_are_told_apart(tmp_path: Path) -> None:
    photos = [tmp_path / folder / "photo.png" for folder in ("first", "second")]
    for photo in photos:
        photo.parent.mkdir()
        cv2.imwrite(str(photo), photograph([]))
    arguments = ["--game", "dice_and_slice", "--draw", str(tmp_path / "drawn"), *map(str, photos)]
    result = CliRunner().invoke(read.command, arguments)
    assert [json.loads(line)["photo"] for line in result.stdout.splitlines()] == [str(photo) for photo in photos]
    assert sorted(path.name for path in (tmp_path / "drawn").iterdir()) == ["photo-read-2.jpg", "photo-read.jpg"]


def test_a_drawing_that_cannot_be_written_loses_no_reading(tmp_path: Path) -> None:
    photo, taken = tmp_path / "photo.png", tmp_path / "taken"
    cv2.imwrite(str(photo), photograph([]))
    taken.symlink_to(tmp_path / "photo.png" / "no folder")
    result = CliRunner().invoke(read.command, ["--game", "dice_and_slice", "--draw", str(taken), str(photo)])
    assert result.exit_code == 1
    assert json.loads(result.stdout)["pieces"] == []
    assert f"Error: {taken / 'photo-read.jpg'}: cannot be written: " in result.stderr


def test_photos_are_never_drawn_over(tmp_path: Path) -> None:
    photos = [tmp_path / "photo.jpg", tmp_path / "photo-read.jpg"]
    for photo in photos:
        cv2.imwrite(str(photo), photograph([]))
    before = photos[1].read_bytes()
    arguments = ["--game", "dice_and_slice", "--draw", str(tmp_path), *map(str, photos)]
    result = CliRunner().invoke(read.command, arguments)
    assert result.exit_code == 2
    assert f"--draw of {photos[0]} {photos[1]} is read, too; expected another file" in result.stderr
    assert photos[1].read_bytes() == before


def test_pictures_of_any_shape_get_a_line(pack: Path, tmp_path: Path) -> None:
    for size in ((1, 5000), (5000, 1), (1, 1)):
        cv2.imwrite(str(tmp_path / f"{size[0]}.png"), np.full((*size, 3), 120, np.uint8))
    result = _read(pack, *(tmp_path / name for name in ("1.png", "5000.png")))
    assert ["error" in json.loads(line) for line in result.stdout.splitlines()] == [True, True]


def test_another_games_faces_are_refused_and_strange_ones_counted(pack: Path, tmp_path: Path) -> None:
    photo = str(tmp_path / "photo.png")
    cv2.imwrite(photo, photograph([]))
    result = CliRunner().invoke(read.command, ["--game", "slice", "--faces", str(pack), photo])
    assert result.exit_code == 1
    assert result.stdout == ""
    assert f"{pack}: these seem to be the faces of new_york_slice" in result.stderr
    assert "expected a file that `pizzatable enrol --game slice` made" in result.stderr
    known = load_pack(pack)
    specials = known.kinds[PieceKind.SPECIAL]
    names = tuple("my/own" if name == specials.names[-1] else name for name in specials.names)
    mixed = replace(known, kinds={**known.kinds, PieceKind.SPECIAL: replace(specials, names=names)})
    save_pack(mixed, tmp_path / "mixed.faces")
    result = _read(tmp_path / "mixed.faces", photo)
    assert result.exit_code == 0, result.output
    assert (
        f"1 of its {len(set(known.names) - {'back', 'special/back'})} faces are none of new_york_slice's: my/own"
        in (result.stderr)
    )


def test_a_file_that_holds_no_faces_is_named(tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    pack.write_text("no faces")
    result = _read(pack, "photo.jpg")
    assert result.exit_code == 1
    assert f"Error: {pack}" in result.stderr


def _slice(likelihood: float) -> Sighting:
    pose, faces = Pose(1.2345, -2.0, 359.999), (FaceLikelihood("7/5", likelihood),)
    return Sighting(PieceKind.SLICE, pose, faces, True, 0.87654, ((0.0, 0.0),) * 3)


def test_a_scene_becomes_one_line() -> None:
    scene = Scene(
        0.0, 0, (_slice(0.98765),), (HiddenPlace(((1.23, 4.56),), HiddenCause.HAND),), 0.0, 0.0, {"register": 1.234}
    )
    assert read.scene_line(scene, {"ring": None}) == {
        "frame": "mat",
        "pieces": [
            {
                "kind": "slice",
                "face": "7/5",
                "face_up": True,
                "x_mm": 1.23,
                "y_mm": -2.0,
                "angle_deg": 360.0,
                "likelihood": 0.9877,
                "visible": 0.877,
            }
        ],
        "arrangement": {"ring": None},
        "hidden": [{"outline_mm": [[1.2, 4.6]], "cause": "hand"}],
        "stage_ms": {"register": 1.23},
    }


@pytest.mark.long
def test_a_sheet_is_read_without_faces_and_without_a_mat(tmp_path: Path) -> None:
    from hardware.kit.score_sheets import load_sheet_print
    from tests.vision.drawn_sheet import Camera, Hand, blank_sheet, pencil_all, photograph

    rng = np.random.default_rng(2)
    sheet = blank_sheet(load_sheet_print())
    pencil_all(sheet, rng, Hand(), share=0.2)
    cv2.imwrite(str(tmp_path / "sheet.png"), photograph(sheet, rng, Camera(px_per_mm=4.0)))
    cv2.imwrite(str(tmp_path / "table.png"), np.full((720, 1280, 3), 90, np.uint8))
    pictures = [str(tmp_path / name) for name in ("sheet.png", "table.png")]
    result = CliRunner().invoke(
        read.command, ["--game", "dice_and_slice", "--draw", str(tmp_path / "drawn"), *pictures]
    )
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 1
    assert lines[0]["frame"] == "sheet"
    assert [piece["kind"] for piece in lines[0]["pieces"]] == ["sheet"]
    assert len(lines[0]["arrangement"]["sheets"][0]["dots"]) > 20
    assert (tmp_path / "drawn" / "sheet-read.jpg").is_file()
    assert "nor does a score sheet" in lines[1]["error"]


def test_dice_alone_are_read_without_faces_and_without_a_mat(tmp_path: Path) -> None:
    from tests.vision.drawn_dice import Die, TableView, die_style, draw_dice, photograph_dice
    from tests.vision.drawn_table import View, photograph
    from vision.mat.registration import find_mat

    rng = np.random.default_rng(4)
    table = photograph([], View(height_mm=700.0))
    white = np.full(3, 235.0)
    style = die_style(rng) | {"what": "dots", "gloss": False, "body": white, "second": white, "pips": np.full(3, 20.0)}
    dice = [Die(90.0 * i - 90.0, 40.0, 24.0, 20.0 * i, value, style) for i, value in enumerate((6, 3, 5))]
    picture, _ = photograph_dice(rng, table, dice, TableView(find_mat(table)))
    bare, truth, _ = draw_dice(np.random.default_rng(700_012), side_px=24.0)
    cv2.imwrite(str(tmp_path / "table.png"), picture)
    cv2.imwrite(str(tmp_path / "bare.png"), bare)
    names = [str(tmp_path / name) for name in ("table.png", "bare.png")]
    options = ["--game", "pizza_theory", "--dice", "--draw", str(tmp_path / "drawn")]
    result = CliRunner().invoke(read.command, [*options, *names])
    assert result.exit_code == 0, result.output
    on_table, in_picture = (json.loads(line) for line in result.stdout.splitlines())
    assert on_table["frame"] == "mat"
    assert set(on_table["arrangement"]["dice"]) <= {3, 5, 6}
    assert len(on_table["arrangement"]["dice"]) >= 2
    assert in_picture["frame"] == "picture"
    sure = [piece for piece in in_picture["pieces"] if piece["likelihood"] >= 0.9]
    assert len(sure) >= 3
    for piece in sure:
        near = min(truth, key=lambda d: float(np.hypot(*(d.top_px.mean(0) - [piece["x_px"], piece["y_px"]]))))
        assert str(near.value) == piece["face"]
    assert len(list((tmp_path / "drawn").iterdir())) == 2
    assert CliRunner().invoke(read.command, [*options, "--sheet", names[0], names[0]]).exit_code == 2


@pytest.mark.long
@cases("seed", [1, 13], always=1)
def test_a_die_in_a_hand_is_doubted_where_dice_are_read_alone(tmp_path: Path, seed: int) -> None:
    """Nobody has thrown it yet; without the network for hands it was surely read."""
    from tests.benchmarks.held_dice import held_die

    held = held_die(seed)
    assert held is not None
    cv2.imwrite(str(tmp_path / "held.png"), held.picture)
    result = CliRunner().invoke(read.command, ["--game", "pizza_theory", "--dice", str(tmp_path / "held.png")])
    pieces = json.loads(result.output)["pieces"]
    near = [p for p in pieces if np.hypot(p["x_mm"] - held.place_mm[0], p["y_mm"] - held.place_mm[1]) < 25.0]
    assert len(near) == 1
    assert near[0]["likelihood"] < 0.9


@pytest.mark.long
def test_a_photos_exif_tells_the_focal_length_where_the_camera_looks_straight_down(tmp_path: Path) -> None:
    """So dice stand where they are: seen from low through a wide lens they are placed millimetres beside it without.
    A calibrated lens counts for more."""
    from hardware.simulated.surroundings import Conditions
    from tests.benchmarks.simulated_dice import thrown
    from tests.benchmarks.simulated_pieces import FAMILIES, REACH_MM, SIZE, photograph
    from tests.vision.test_exif import with_exif

    conditions = Conditions(height_mm=560.0, tilt_deg=0.0, k1=0.0, k2=0.0)
    picture, label = photograph(FAMILIES["dice"], (), conditions, SIZE, (), thrown(Random(3), (), REACH_MM))
    focal = conditions.camera_model(*SIZE).focal_px / SIZE[0]
    film = focal * 43.267 / np.hypot(1.0, SIZE[1] / SIZE[0])
    plain = cv2.imencode(".jpg", picture)[1].tobytes()
    lens = tmp_path / "lens.json"
    about = {"camera": "mine", "size_px": SIZE, "lens": asdict(Lens(focal)), "error_px": 0.1, "views": 9}
    lens.write_text(json.dumps(about))

    def off_mm(photo: bytes, *options: str) -> float:
        (tmp_path / "photo.jpg").write_bytes(photo)
        arguments = ["--game", "pizza_theory", "--dice", *options, str(tmp_path / "photo.jpg")]
        result = CliRunner().invoke(read.command, arguments, catch_exceptions=False)
        found = [(piece["x_mm"], piece["y_mm"]) for piece in json.loads(result.stdout)["pieces"]]
        dice = [(die["x_mm"], die["y_mm"]) for die in label["pieces"] if die["kind"] == "die"]
        return max(min(math.dist(die, place) for place in found) for die in dice)

    told, wrong = with_exif(plain, {0xA405: round(film)}), with_exif(plain, {0xA405: 60})
    assert off_mm(plain) > 4.0
    assert off_mm(told) < 2.0
    assert off_mm(wrong, "--lens", str(lens)) < 2.0
