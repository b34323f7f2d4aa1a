"""`pizzatable watch` on a recording of a drawn table."""

import itertools
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result

from config.loader import load_table
from controller.cli import watch
from controller.lenses import lens_file
from tests.vision.drawn_table import Piece, View, enrolled, photograph
from vision.frame import Image
from vision.pieces.faces import FacePack, save_pack

NAMES = {
    "a/1": "3/1", "a/2": "3/2", "a/3": "3/3", "b/1": "4/1", "b/2": "4/2",
    "special/one": "special/dibs", "special/two": "special/seconds",
}  # fmt: skip
"""Of the drawn faces in the game."""
FIRST = [Piece("a/1", 0.0, 0.0, 20.0), Piece("special/two", -120.0, 30.0, 200.0)]
THEN = [*FIRST, Piece("b/1", 90.0, 60.0, 80.0)]


def faces(names: Mapping[str, str] = NAMES) -> FacePack:
    """The drawn faces by other names."""
    pack = enrolled()
    kinds = {
        kind: replace(some, names=tuple(names.get(name, name) for name in some.names))
        for kind, some in pack.kinds.items()
    }
    return replace(pack, kinds=kinds)


def recording(folder: Path, pictures: Iterable[Image], pack: FacePack | None = None) -> Path:
    """Settings of a table whose camera is a folder of pictures."""
    (folder / "pictures").mkdir()
    for number, picture in enumerate(pictures):
        cv2.imwrite(str(folder / "pictures" / f"{number:03}.png"), picture)
    save_pack(pack or faces(), folder / "drawn.faces")
    settings = folder / "table.toml"
    settings.write_text(
        f'faces = "{folder / "drawn.faces"}"\n\n[camera]\ndriver = "opencv:{folder / "pictures"}"\nrate = 30\n'
    )
    return settings


def run(settings: Path, *arguments: str) -> Result:
    return CliRunner().invoke(watch.command, ["--game", "new_york_slice", "--config", str(settings), *arguments])


def test_too_few_pictures_to_lie_still_in_are_said(tmp_path: Path) -> None:
    result = run(recording(tmp_path, [photograph(FIRST)]))
    assert (result.exit_code, result.stdout) == (0, "")
    nothing = "nothing lay still for long enough in 1 picture; `pizzatable read` reads single ones"
    assert result.stderr.splitlines()[-1] == nothing


def test_a_line_is_printed_when_what_lies_there_changed(tmp_path: Path) -> None:
    one, two = photograph(FIRST), photograph(THEN)
    result = run(recording(tmp_path, [one] * 6 + [two] * 12), "--draw", str(tmp_path / "live.png"))
    assert result.exit_code == 0, result.output
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    seen = [sorted(piece["face"] for piece in line["pieces"]) for line in lines]
    assert seen[0] == ["3/1", "special/seconds"]
    assert seen[-1] == ["3/1", "4/1", "special/seconds"]
    assert all(before != after for before, after in itertools.pairwise(seen))
    assert lines[0]["changed"] == []
    (came,) = lines[-1]["changed"]
    assert (came["kind"], came["face"], came["from_mm"]) == ("slice", "4/1", None)
    assert came["to_mm"] == pytest.approx([90.0, 60.0], abs=1.5)
    drawn = cv2.imread(str(tmp_path / "live.png"))
    assert drawn is not None
    assert drawn.shape == one.shape
    assert (drawn != one).any()


@pytest.mark.long
def test_another_cameras_lens_is_warned_of_once(tmp_path: Path) -> None:
    picture = photograph(FIRST)
    settings = recording(tmp_path, [picture] * 4)
    settings.write_text(f'data_dir = "{tmp_path}"\n{settings.read_text()}width = 1280\nheight = 720\n')
    height, width = picture.shape[:2]
    kept = lens_file(load_table([settings]))
    for k1, warned in ((0.0, False), (0.15, True)):
        lens = {"focal_widths": 0.86, "k1": k1, "k2": 0.0}
        kept.write_text(json.dumps({"lens": lens, "size_px": [width, height]}))
        result = run(settings)
        assert result.exit_code == 0, result.output
        assert (result.stderr.count("it may be another camera's") == 1) == warned
        assert len(json.loads(result.stdout.splitlines()[-1])["pieces"]) == 2


def test_what_keeps_pictures_from_being_read_is_said_once(tmp_path: Path) -> None:
    black = photograph([]) * 0
    result = run(recording(tmp_path, [black] * 4))
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 1
    assert "brightest part" in json.loads(result.stdout)["error"]


def test_a_picture_that_cannot_be_read_is_drawn_with_the_reason(tmp_path: Path) -> None:
    """Whoever sets the camera up must see what it sees before all of the mat is in the picture."""
    grey = np.full_like(photograph([]), 90)
    result = run(recording(tmp_path, [grey] * 4), "--draw", str(tmp_path / "live.png"))
    assert "found none of the corner markers" in json.loads(result.stdout)["error"]
    drawn = cv2.imread(str(tmp_path / "live.png"))
    assert drawn is not None
    assert drawn.shape == grey.shape
    written = np.flatnonzero((drawn != grey).any(axis=(1, 2)))
    assert written.size > 5
    assert written.max() < 60
    assert drawn.max() > 200


def test_a_game_without_faces_needs_no_file_of_them(tmp_path: Path) -> None:
    """The settings name another game's, or one that is not there."""
    settings = recording(tmp_path, [photograph([])] * 4)
    (tmp_path / "drawn.faces").unlink()
    arguments = ["--game", "dice_and_slice", "--config", str(settings)]
    result = CliRunner().invoke(watch.command, arguments)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout.splitlines()[0])["pieces"] == []
    result = CliRunner().invoke(watch.command, [*arguments, "--faces", str(settings)])
    assert result.exit_code == 2
    assert "--faces: dice_and_slice's pieces are told without any; expected it left out" in result.stderr


def test_a_recording_s_picture_that_cannot_be_read_ends_it_with_its_name(tmp_path: Path) -> None:
    settings = recording(tmp_path, [photograph(FIRST)] * 6)
    cut_off = tmp_path / "pictures" / "004.png"
    cut_off.write_bytes(cut_off.read_bytes()[:9000])
    result = run(settings)
    assert result.exit_code == 1
    assert f"Error: {cut_off}: the file is cut off after 9000 bytes" in result.stderr
    assert len(result.stdout.splitlines()) == 1  # what was read before it


@pytest.mark.parametrize("name", ["live", "live.txt"])
def test_a_drawing_without_a_picture_s_name_is_refused(tmp_path: Path, name: str) -> None:
    result = run(recording(tmp_path, [photograph(FIRST)] * 6), "--draw", str(tmp_path / name))
    assert result.exit_code == 2
    assert f"{tmp_path / name}: expected a name that ends in .jpg, .jpeg, .png" in result.stderr


def test_a_recording_s_pictures_are_not_drawn_over(tmp_path: Path) -> None:
    settings = recording(tmp_path, [photograph(FIRST)] * 6)
    played = tmp_path / "pictures" / "003.png"
    (tmp_path / "live.png").symlink_to(played)
    before = played.read_bytes()
    for drawing, also in ((played, ""), (tmp_path / "live.png", f" (as {played})")):
        result = run(settings, "--draw", str(drawing))
        assert result.exit_code == 2
        assert f"--draw {drawing} is read, too{also}; expected another file to write" in result.stderr
    assert result.stdout == ""
    assert played.read_bytes() == before


def test_a_table_without_a_camera_is_refused() -> None:
    result = CliRunner().invoke(watch.command, ["--game", "new_york_slice"])
    assert result.exit_code == 2
    assert "the table's camera is the simulated one" in result.output


def test_another_games_faces_are_refused_and_others_besides_warned_of(tmp_path: Path) -> None:
    settings = recording(tmp_path, [photograph(FIRST)], faces({}))
    result = run(settings)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "drawn.faces: these are the faces of no game known: of its 7 faces none is named like one" in result.stderr
    save_pack(faces(NAMES | {"special/two": "special/two"}), tmp_path / "drawn.faces")
    result = run(settings)
    assert result.exit_code == 0, result.output
    warning, lacks, _ = result.stderr.splitlines()
    assert "not enrolled: 4/3, " in lacks
    assert warning.endswith("1 of its 7 faces are none of new_york_slice's: special/two")


@pytest.mark.long
def test_a_hand_at_one_end_does_not_hold_up_the_other(tmp_path: Path) -> None:
    wave = [np.array([[x, -300.0], [x, -90.0], [x - 45.0, -90.0], [x - 45.0, -300.0]]) for x in (150, 175, 160)]
    waving = [photograph(THEN, View(seed=i), hand=wave[i % 3]) for i in range(14)]
    result = run(recording(tmp_path, [photograph(FIRST)] * 6 + waving))
    assert result.exit_code == 0, result.output
    last = json.loads(result.stdout.splitlines()[-1])
    assert sorted(piece["face"] for piece in last["pieces"]) == ["3/1", "4/1", "special/seconds"]
    assert [change["face"] for change in last["changed"]] == ["4/1"]


def test_a_mat_that_is_moved_is_told_once(tmp_path: Path) -> None:
    before = photograph(FIRST)
    turn = cv2.getRotationMatrix2D((before.shape[1] / 2, before.shape[0] / 2), 2.0, 1.0)
    size = (before.shape[1], before.shape[0])
    after = np.asarray(cv2.warpAffine(before, turn, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)
    result = run(recording(tmp_path, [before] * 6 + [after] * 8))
    assert result.exit_code == 0, result.output
    _, told = result.stderr.splitlines()  # the first warns of faces that were not enrolled
    assert "from where it lay when the camera started; that is followed" in told
