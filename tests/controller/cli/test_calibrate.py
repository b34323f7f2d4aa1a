"""`pizzatable calibrate`, and what uses the lens it found."""

import json
import re
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result

from config.loader import load_table
from controller.cli.calibrate import command, told_lines
from controller.cli.read import command as read
from controller.games.registry import load_part
from controller.lenses import lens_file, stored_lens
from hardware.kit.paper import Paper, make_pages
from hardware.kit.raster import draw_page
from hardware.kit.table_sheets import calibration_sheet
from tests.long import cases
from tests.vision.drawn_table import enrolled, photograph
from tests.vision.lens_photos import PhotoMaker, stands
from vision.files.photos import load_photo
from vision.mat.calibration import calibrate
from vision.mat.calibration_sheet import see_sheet
from vision.mat.errors import LensFileError
from vision.mat.lens import Lens
from vision.mat.lens_file import load_lens
from vision.pieces.faces import BACKS, FacePack, save_pack

MAKER = PhotoMaker((960, 540), Lens(0.86, -0.08, 0.03))


@cache
def pictures() -> tuple[bytes, ...]:
    (page,) = make_pages(Paper.A4, calibration_sheet(Paper.A4))
    sheet, rng, rays = draw_page(page, 4.0), np.random.default_rng(7), MAKER.rays()
    made = [MAKER.photo(sheet, 4.0, stand, rays, rng) for stand in stands(np.random.default_rng(3), 7, 400.0)]
    return tuple(cv2.imencode(".png", image)[1].tobytes() for image in made)


@pytest.fixture
def photos(tmp_path: Path) -> list[str]:
    paths = [tmp_path / f"photo-{number}.png" for number in range(1, len(pictures()) + 1)]
    for path, content in zip(paths, pictures(), strict=True):
        path.write_bytes(content)
    return [str(path) for path in paths]


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    folder = tmp_path / "frames"
    path.write_text(
        f'data_dir = "{tmp_path / "data"}"\n[camera]\ndriver = "opencv:{folder}"\nwidth = 960\nheight = 540\n'
    )
    return path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments)


def test_photos_make_a_lens_file_and_a_picture(photos: list[str], tmp_path: Path) -> None:
    result = run("--out", str(tmp_path / "found" / "lens.json"), *photos)
    assert result.exit_code == 0, result.output
    assert "reprojection error 0." in result.output
    assert "% of the picture was covered" in result.output
    assert result.output.count(" px ") >= 7
    lens = load_lens(tmp_path / "found" / "lens.json")
    assert lens.focal_widths == pytest.approx(0.86, rel=0.01)
    assert lens.k1 == pytest.approx(-0.08, abs=0.012)
    assert cv2.imread(str(tmp_path / "found" / "lens-misses.png")) is not None


def test_photos_that_do_not_serve_are_named(photos: list[str], tmp_path: Path) -> None:
    wall = tmp_path / "wall.png"
    wall.write_bytes(cv2.imencode(".png", np.full((540, 960, 3), 99, np.uint8))[1].tobytes())
    result = run("--out", str(tmp_path / "lens.json"), str(wall), *photos)
    assert result.exit_code == 0
    assert "left out: wall.png: no marker of the calibration sheet is seen" in result.output
    result = run("--out", str(tmp_path / "none.json"), str(wall))
    assert result.exit_code == 1
    assert "Error: the photo does not serve: wall.png: no marker" in result.output
    assert not (tmp_path / "none.json").exists()


def test_photos_are_never_written_over(photos: list[str], tmp_path: Path) -> None:
    before = [Path(photo).read_bytes() for photo in photos]
    shutil.copy(photos[0], tmp_path / "lens-misses.png")
    for out, named in ((photos[2], f"--out {photos[2]}"), (tmp_path / "lens.json", "the picture beside it")):
        result = CliRunner().invoke(command, ["--out", str(out), *photos, str(tmp_path / "lens-misses.png")])
        assert result.exit_code == 2
        assert f"{named}" in result.stderr
        assert "is read, too; expected another file to write" in result.stderr
    assert [Path(photo).read_bytes() for photo in photos] == before


def test_files_that_are_no_pictures_are_left_out_and_named(photos: list[str], tmp_path: Path) -> None:
    empty, note = tmp_path / "empty.png", tmp_path / "note.jpg"
    empty.write_bytes(b"")
    note.write_text("not a picture")
    gone = tmp_path / "gone.png"
    result = run("--out", str(tmp_path / "lens.json"), str(empty), str(note), str(gone), *photos)
    assert result.exit_code == 0, result.output
    assert f"left out: {empty}: the file is empty; expected a picture such as JPEG or PNG" in result.output
    assert f"left out: {note}: expected a picture such as JPEG or PNG" in result.output
    assert f"left out: {gone}: cannot be read: No such file" in result.output
    assert load_lens(tmp_path / "lens.json").focal_widths == pytest.approx(0.86, rel=0.01)


def test_photos_of_the_same_name_are_told_apart(photos: list[str], tmp_path: Path) -> None:
    """As two cameras number their pictures."""
    (tmp_path / "other").mkdir()
    for path in photos[:3]:
        shutil.move(path, tmp_path / "other")
    shutil.copy(photos[3], tmp_path / "other" / "photo-5.png")
    result = run("--out", str(tmp_path / "lens.json"), str(tmp_path / "other" / "photo-5.png"), *photos[4:])
    assert f"{tmp_path / 'other' / 'photo-5.png'}" not in result.output  # too few: nothing is listed
    assert "Error: 4 photos serve" in result.output
    others = [str(path) for path in sorted((tmp_path / "other").iterdir())]
    result = run("--out", str(tmp_path / "lens.json"), *others, *photos[4:])
    assert result.exit_code == 0, result.output
    assert str(tmp_path / "other" / "photo-5.png") in result.output


def test_the_same_view_counts_once_however_often_it_is_given(photos: list[str], tmp_path: Path) -> None:
    """A copy of a photo makes no lens surer, and two views are too few though each is given five times."""
    again = tmp_path / "again.png"
    image = cv2.imread(photos[0])
    assert image is not None
    cv2.imwrite(str(again), np.clip(image * 0.9 + 4.0, 0, 255).astype(np.uint8))
    alone = run("--out", str(tmp_path / "lens.json"), *photos).output.splitlines()
    result = run("--out", str(tmp_path / "lens.json"), *photos, str(again), photos[1])
    assert result.exit_code == 0, result.output
    said = result.output.splitlines()
    assert f"left out: again.png: it shows what {Path(photos[0]).name} shows, from the same place" in result.output
    assert [line for line in said if line.startswith("focal")] == [line for line in alone if line.startswith("focal")]
    result = run("--out", str(tmp_path / "none.json"), *(photos[:2] * 5))
    assert result.exit_code == 1
    assert re.search(
        r"Error: 2 photos serve, besides .* and 4 more that show the same as others; at least 5", result.output
    )


def test_where_the_axis_goes_is_said(photos: list[str], tmp_path: Path) -> None:
    result = run("--out", str(tmp_path / "lens.json"), *photos)
    said = re.search(
        r"its axis goes ([+-]\d+) px to the right of the picture's middle, ([+-]\d+) px below it", result.output
    )
    assert said is not None
    assert max(abs(int(part)) for part in said.groups()) <= 4
    assert "-0" not in said.groups()


def test_what_makes_the_focal_length_surer_is_said_where_it_is_open() -> None:
    shown = [cv2.imdecode(np.frombuffer(p, np.uint8), cv2.IMREAD_COLOR) for p in pictures()]
    found = calibrate([see_sheet(np.asarray(one, np.uint8), "a") for one in shown])
    for spread, asked in ((0.004, False), (0.006, True)):
        said = "\n".join(told_lines(replace(found, focal_spread=spread)))
        assert f"± {spread:.1%}" in said
        assert ("make the focal length surer" in said) == asked


def test_too_few_photos_are_refused(photos: list[str], tmp_path: Path) -> None:
    result = run("--out", str(tmp_path / "lens.json"), *photos[:3])
    assert result.exit_code == 1
    assert "Error: 3 photos serve; at least 5 are needed" in result.output


def test_a_file_that_is_no_picture_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_text("x")
    result = run("--out", str(tmp_path / "lens.json"), str(tmp_path / "a.jpg"))
    assert result.exit_code == 1
    assert "a.jpg: expected a picture" in result.output


def test_a_running_camera_gives_views_when_the_sheet_is_held_still(settings: Path, tmp_path: Path) -> None:
    """Each pose is seen in two pictures, the first again at the end; between them the sheet moves."""
    folder = tmp_path / "frames"
    folder.mkdir()
    for number, content in enumerate([*pictures(), pictures()[0]]):
        for copy in "ab":
            (folder / f"{number:02}{copy}.png").write_bytes(content)
    result = run("--config", str(settings))
    assert result.exit_code == 0, result.output
    assert "hold it still" in result.output
    assert "7 of 12 views" in result.output
    assert "8 of 12 views" not in result.output
    assert "now elsewhere in the picture" in result.output
    config = load_table([settings])
    assert lens_file(config).parent == tmp_path / "data"
    lens = stored_lens(config)
    assert lens is not None
    assert lens.focal_widths == pytest.approx(0.86, rel=0.01)
    assert json.loads(lens_file(config).read_text())["camera"].startswith("opencv:")


def test_a_recording_is_never_written_over(settings: Path, tmp_path: Path) -> None:
    played = tmp_path / "frames" / "1.png"
    played.parent.mkdir()
    played.write_bytes(pictures()[0])
    result = run("--config", str(settings), "--out", str(played))
    assert result.exit_code == 2
    assert f"--out {played} is read, too; expected another file to write" in result.output
    assert played.read_bytes() == pictures()[0]


def test_the_simulated_camera_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(f'data_dir = "{tmp_path}"\n')
    result = run("--config", str(path))
    assert result.exit_code == 1
    assert "no sheet can be held before the simulated camera" in result.output


def test_a_camera_that_is_not_there_is_an_error(settings: Path) -> None:
    result = run("--config", str(settings))
    assert result.exit_code == 1
    assert "no video file and no folder" in result.output


def test_the_stored_lens_is_that_of_the_tables_camera(settings: Path, photos: list[str], tmp_path: Path) -> None:
    config = load_table([settings])
    assert stored_lens(config) is None
    assert run("--config", str(settings), *photos).exit_code == 0
    assert stored_lens(config) == load_lens(lens_file(config))
    other = tmp_path / "other.toml"
    other.write_text(settings.read_text().replace("opencv:", "opencv:/elsewhere"))
    assert stored_lens(load_table([other])) is None
    square = tmp_path / "square.toml"
    square.write_text(settings.read_text().replace("width = 960", "width = 720"))
    with pytest.raises(LensFileError, match="which is another shape; calibrate again"):
        stored_lens(load_table([square]))


def test_photos_of_another_shape_than_the_tables_pictures_replace_no_lens(settings: Path, photos: list[str]) -> None:
    assert run("--config", str(settings), *photos).exit_code == 0
    kept = lens_file(load_table([settings])).read_bytes()
    for photo in photos:
        cv2.imwrite(photo, load_photo(Path(photo))[:, 40:-40])
    result = run("--config", str(settings), *photos)
    assert result.exit_code == 1
    assert (
        "the photos are of 880x540 pixels, and camera.width and camera.height of the settings are 960x540, another "
        "shape: no lens is kept; expected photos by this camera as it is played, or --out" in result.output
    )
    assert lens_file(load_table([settings])).read_bytes() == kept
    assert run("--config", str(settings), "--out", str(settings.with_name("lens.json")), *photos).exit_code == 0


def test_a_camera_of_another_shape_than_the_settings_is_told_before_the_sheet_is_held(settings: Path) -> None:
    folder = settings.with_name("frames")
    folder.mkdir()
    (folder / "1.png").write_bytes(pictures()[0])
    settings.write_text(settings.read_text().replace("width = 960", "width = 720"))
    result = run("--config", str(settings))
    assert result.exit_code == 1
    assert (
        "the camera's pictures are of 960x540 pixels, and camera.width and camera.height of the settings are 720x540, "
        "another shape: no lens is kept; expected these settings to say what the camera gives" in result.output
    )


def named_as_in_the_game(pack: FacePack) -> FacePack:
    """The faces with names that New York Slice has."""
    slices = iter([face for face in load_part("new_york_slice", "describe").faces() if face[0].isdigit()])
    kinds = {
        kind: replace(faces, names=tuple(name if name in BACKS.values() else next(slices) for name in faces.names))
        for kind, faces in pack.kinds.items()
    }
    return replace(pack, kinds=kinds)


@cases("dice_alone", [False, True], always=1)
def test_read_warns_of_another_cameras_lens(tmp_path: Path, dice_alone: bool) -> None:
    picture, faces = tmp_path / "table.png", tmp_path / "mine.faces"
    save_pack(named_as_in_the_game(enrolled()), faces)
    image = photograph([])
    cv2.imwrite(str(picture), image)
    what = ["--game", "pizza_theory", "--dice"] if dice_alone else ["--game", "new_york_slice", "--faces", str(faces)]
    for k1, warned in ((0.0, False), (0.15, True)):
        path = tmp_path / f"lens{k1}.json"
        lens = {"focal_widths": 0.86, "k1": k1, "k2": 0.0}
        path.write_text(json.dumps({"lens": lens, "size_px": [image.shape[1], image.shape[0]]}))
        result = CliRunner().invoke(read, [*what, "--lens", str(path), str(picture)])
        assert result.exit_code == 0, result.output
        assert (f"Warning: {path}: the mat's markers miss their places by" in result.stderr) == warned


def test_read_takes_a_lens(photos: list[str], tmp_path: Path) -> None:
    """A photo of another shape than the lens was made for gets a line with the reason."""
    lens, faces = tmp_path / "lens.json", tmp_path / "mine.faces"
    save_pack(named_as_in_the_game(enrolled()), faces)
    assert run("--out", str(lens), *photos).exit_code == 0
    image = cv2.imread(photos[0])
    assert image is not None
    cv2.imwrite(str(tmp_path / "square.png"), image[:, :540])
    shutil.copy(photos[0], tmp_path / "same.png")
    arguments = ["--game", "new_york_slice", "--faces", str(faces), "--lens", str(lens)]
    result = CliRunner().invoke(read, [*arguments, str(tmp_path / "square.png"), str(tmp_path / "same.png")])
    first, second = (json.loads(line)["error"] for line in result.stdout.splitlines())
    assert "does not hold for 540x540" in first
    assert "corner markers" in second
