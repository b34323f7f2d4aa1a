"""`pizzatable vision-report` on a folder of drawn photos: rates, errors and pictures of them."""

import csv
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2
import pytest
from click.testing import CliRunner, Result

from controller.cli import vision_report
from tests.vision.drawn_table import Piece, View, enrolled, enrolment, label, photograph
from vision.pieces.faces import save_pack

PIECES = (Piece("a/1", 0.0, 0.0, 20.0), Piece("b/1", -60.0, 90.0, 80.0), Piece("special/two", -120.0, 30.0, 200.0))

CIRCLE = (Piece("a/1", 0.0, 0.0, 20.0), Piece("b/1", 0.0, 0.0, 54.0))


def write(folder: Path, name: str, kind: str, pieces: Sequence[Piece], **wrong: str) -> None:
    labels = {**label(pieces), "photo": f"{name}.jpg", "kind": kind}
    for index, face in wrong.items():
        labels["pieces"][int(index[1:])]["face"] = face
    (folder / f"{name}.json").write_text(json.dumps(labels))
    cv2.imwrite(str(folder / f"{name}.jpg"), photograph(pieces, View()))


def run(*arguments: Path | str) -> Result:
    return CliRunner().invoke(vision_report.command, [str(argument) for argument in arguments])


def test_faces_are_learned_from_the_folder_and_every_error_is_shown(tmp_path: Path) -> None:
    write(tmp_path, "enrol-drawn-01", "enrol", enrolment())
    write(tmp_path, "ring-drawn-01", "ring", PIECES)
    write(tmp_path, "ring-drawn-02", "ring", PIECES, _0="a/2")
    result = run("--out", tmp_path / "out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "ring-drawn-02: a/2 at (0, 0) mm read as a/1" in result.stdout
    assert "slice            3 of      4 right" in result.stdout
    photos = json.loads((tmp_path / "out" / "report.json").read_text())
    assert [(photo["photo"], photo["whole"]) for photo in photos] == [("ring-drawn-01", True), ("ring-drawn-02", False)]
    assert [photo["sure_but_wrong"] for photo in photos] == [0, 1]
    with (tmp_path / "out" / "confusion.csv").open() as file:
        assert {"kind": "slice", "true": "a/2", "read": "a/1", "count": "1"} in list(csv.DictReader(file))
    errors = cv2.imread(str(tmp_path / "out" / "errors.png"))
    diagram = cv2.imread(str(tmp_path / "out" / "reliability.png"))
    assert errors is not None
    assert diagram is not None
    assert errors.shape[1] == 1280
    assert errors[:200, :290].std() > 10  # the error's place in the picture
    assert errors[:200, 330:].std() < 1  # and no second error
    assert diagram.std() > 5


def test_a_folder_without_labelled_photos_is_an_error(tmp_path: Path) -> None:
    result = run(tmp_path)
    assert result.exit_code == 1
    assert f"{tmp_path} holds no labelled picture of kind ring" in result.output


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{}", "Not judged, as they do not say their kind: a.json; expected one of ring, "),
        ('{"kind": "ring", "pieces": "x"}', 'a.json: pieces is "x"; expected a list of pieces'),
        ("[]", "Passed over: {}/a.json: expected an object with the photo's pieces"),
    ],
)
def test_why_truth_beside_a_photo_is_not_used_is_said(tmp_path: Path, content: str, why: str) -> None:
    assert cv2.imwrite(str(tmp_path / "a.jpg"), photograph(PIECES))
    (tmp_path / "a.json").write_text(content)
    result = run(tmp_path)
    assert result.exit_code == 1
    assert why.format(tmp_path) in result.stderr


def test_a_label_file_that_is_no_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "ring-drawn-01.json").write_text("{")
    result = run(tmp_path)
    assert result.exit_code == 1
    assert (
        "ring-drawn-01.json: line 1, column 2, where the file ends, is not JSON; expected a whole JSON" in result.output
    )


def test_a_wrong_piece_is_named_with_its_file(tmp_path: Path) -> None:
    write(tmp_path, "enrol-drawn-01", "enrol", enrolment())
    write(tmp_path, "ring-drawn-01", "ring", PIECES)
    path = tmp_path / "ring-drawn-01.json"
    labels = json.loads(path.read_text())
    labels["pieces"][1]["angle_deg"] = float("nan")
    path.write_text(json.dumps(labels))
    result = run(tmp_path)
    assert result.exit_code == 1
    said = "pieces[1].angle_deg (piece 2 of 3) is NaN; expected a number of degrees from -3600 to 3600"
    assert f"Error: {path}: {said}\n" in result.output
    path.write_text(json.dumps({**labels, "kind": "sheet", "pieces": []}))
    assert f"Error: {path}: arrangement is missing; expected an object with what is on the" in run(tmp_path).output


def test_where_truth_is_too_little_to_learn_faces_from_those_that_were_learned_are_asked_for(tmp_path: Path) -> None:
    (tmp_path / "friday.png").write_bytes(cv2.imencode(".png", photograph([]))[1].tobytes())
    piece = {"kind": "tile", "face": "6/1", "x_mm": 4.0, "y_mm": 3.5, "angle_deg": 90.0}
    (tmp_path / "friday.json").write_text(json.dumps({"kind": "ring", "pieces": [piece]}))
    result = run(tmp_path)
    assert result.exit_code == 1
    assert "no faces can be learned here: labels of friday.json: pieces[0].outline_px" in result.output
    assert "or give those you have: --faces" in result.output


def test_a_picture_that_cannot_be_judged_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    write(tmp_path, "enrol-drawn-01", "enrol", enrolment())
    for number in (1, 2, 3, 4):
        write(tmp_path, f"ring-drawn-{number:02}", "ring", PIECES)
    first = tmp_path / "ring-drawn-01.json"
    first.write_text(json.dumps({**json.loads(first.read_text()), "image": {"width": 640, "height": 360}}))
    (tmp_path / "ring-drawn-02.jpg").unlink()
    photo = tmp_path / "ring-drawn-03.jpg"
    photo.write_bytes(photo.read_bytes()[:20000])
    (tmp_path / "ring-drawn-04.jpg").rename(tmp_path / "ring-drawn-04.JPG")
    (tmp_path / "other.json").write_text("{}")
    result = run("--out", tmp_path / "out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "ring-drawn-01.json: image says 640 x 360 pixels; the photo has 1280 x 720" in result.stdout
    assert "ring-drawn-02.json: its photo is missing; expected ring-drawn-02.jpg beside it" in result.stdout
    assert "ring-drawn-03.jpg: the file is cut off after 20000 bytes" in result.stdout
    assert "slice            2 of      8 right" in result.stdout
    photos = json.loads((tmp_path / "out" / "report.json").read_text())
    assert [(photo["expected"], photo["right"]) for photo in photos] == [(3, 0), (3, 0), (3, 0), (3, 3)]
    errors = cv2.imread(str(tmp_path / "out" / "errors.png"))
    assert errors is not None
    shown = [bool((errors[:220, left : left + 300] < 250).any()) for left in (0, 320, 640, 960)]
    assert shown == [True, True, True, False]


@pytest.mark.long
def test_kinds_that_are_not_judged_are_said_and_those_that_are_no_text_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "ring-drawn-01", "ring", PIECES)
    write(tmp_path, "ring-drawn-02", "ring", PIECES)
    write(tmp_path, "ring-drawn-03", "rign", PIECES)
    result = run(tmp_path)
    assert "Not judged, as faces were learned from them: ring-drawn-01\n" in result.stderr
    assert "median ms of each stage (pictures that have it): register" in result.stdout
    assert "as no picture showed" not in result.stderr
    assert "Not judged, as their kind is 'rign': ring-drawn-03.json; expected one of ring, split" in result.stderr
    assert "ring-drawn-01" not in result.stdout
    write(tmp_path, "ring-drawn-02", "ring", [*PIECES, Piece("b/2", 120.0, -60.0, 290.0)])
    (tmp_path / "ring-drawn-01.jpg").unlink()
    (tmp_path / "ring-drawn-02.json").rename(tmp_path / "ring-drawn-04.json")
    write(tmp_path, "ring-drawn-02", "ring", PIECES)
    result = run(tmp_path)
    assert "Not judged, as faces were learned from them: ring-drawn-02\n" in result.stderr
    assert "Missing, as no picture showed these faces for learning: b/2\n" in result.stderr
    write(tmp_path, "ring-drawn-03", ["ring"], PIECES)  # type: ignore[arg-type]
    result = run(tmp_path)
    assert result.exit_code == 1
    assert "ring-drawn-03.json: kind is a list of 1; expected the kind of picture as text" in result.output


@pytest.mark.long
def test_pieces_read_right_in_another_arrangement_than_the_true_one_are_an_error(tmp_path: Path) -> None:
    write(tmp_path, "enrol-drawn-01", "enrol", enrolment())
    for name, circle in (("ring-drawn-01", ["a/1", "b/1"]), ("ring-drawn-02", ["b/1", "a/2", "a/1"])):
        write(tmp_path, name, "ring", CIRCLE)
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "arrangement": {"ring": circle}}))
    result = run("--out", tmp_path / "out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "arrangement      1 of      2 right" in result.stdout
    assert "ring-drawn-02: the circle b/1 a/2 a/1 is read as b/1 a/1" in result.stdout
    photos = json.loads((tmp_path / "out" / "report.json").read_text())
    assert [photo["whole"] for photo in photos] == [True, False]
    path.write_text(json.dumps({**json.loads(path.read_text()), "arrangement": {"ring": ["a/1", 7]}}))
    assert f"{path}: arrangement.ring[1] is 7; expected a list of the circle's faces" in run(tmp_path).output
    (tmp_path / "ring-drawn-01.jpg").write_bytes(b"no photo")
    path.write_text(json.dumps({**json.loads(path.read_text()), "arrangement": {"ring": ["b/1", "a/1"]}}))
    assert "arrangement      1 of      2 right" in run(tmp_path).stdout  # what is not read is not right


@pytest.mark.long
def test_what_is_called_json_and_is_no_photo_s_labels_is_passed_over_with_its_name(tmp_path: Path) -> None:
    write(tmp_path, "enrol-drawn-01", "enrol", enrolment())
    write(tmp_path, "ring-drawn-01", "ring", PIECES)
    (tmp_path / "notes.json").write_text("to do: dice")
    (tmp_path / "._ring-drawn-01.json").write_bytes(b"\0\5\x16\7")
    (tmp_path / "old.json").mkdir()
    result = run(tmp_path)
    assert result.exit_code == 0, result.output
    assert "slice            2 of      2 right" in result.stdout
    assert f"Passed over: {tmp_path / 'notes.json'}: line 1, column 1 is not JSON" in result.stderr
    assert f"Passed over: {tmp_path / 'old.json'}: it is a folder; expected a file in JSON" in result.stderr
    (tmp_path / "ring-drawn-01.json").write_text("{")
    result = run(tmp_path)
    assert result.exit_code == 1
    assert f"Error: {tmp_path / 'ring-drawn-01.json'}: line 1, column 2" in result.stderr


def test_styles_that_no_picture_has_and_folders_with_nothing_to_judge_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "ring-drawn-01", "ring", PIECES)
    result = run("--style", "zeta", "--style", "drawn", tmp_path)
    assert result.exit_code == 1
    assert f"Error: {tmp_path} holds no labelled picture of style zeta; expected of drawn\n" in result.stderr
    result = run(tmp_path)
    assert result.exit_code == 1
    assert "holds no picture but those that faces were learned from; expected others, or --faces: ring" in result.stderr


def test_a_report_into_the_folder_of_its_photos_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "errors", "ring", PIECES)
    write(tmp_path, "report", "ring", PIECES)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    result = run("--out", tmp_path / "out" / "..", tmp_path)
    assert result.exit_code == 1
    assert "is the folder of the photos; expected another one, such as" in result.stderr
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.long
def test_a_name_that_is_no_utf_8_is_shown_as_far_as_it_can_be(tmp_path: Path) -> None:
    write(tmp_path, "enrol-drawn-01", "enrol", enrolment())
    write(tmp_path, "ring", "ring", PIECES, _0="a/2")
    odd = tmp_path / os.fsdecode(b"K\xe4se.json")
    labels = json.loads((tmp_path / "ring.json").read_text())
    odd.write_text(json.dumps({**labels, "photo": "ring.jpg"}))
    (tmp_path / "ring.json").unlink()
    start = "from controller.cli import main; main()"
    program = [sys.executable, "-c", start, "vision-report", "--out", str(tmp_path / "out"), str(tmp_path)]
    done = subprocess.run(program, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "K?se: a/2 at (0, 0) mm read as a/1" in done.stdout.decode()
    assert json.loads((tmp_path / "out" / "report.json").read_text())[0]["photo"] == "K?se"
    assert (tmp_path / "out" / "errors.png").is_file()


@pytest.mark.long
def test_pictures_of_a_game_whose_faces_lack_its_board_are_their_own_fault(tmp_path: Path) -> None:
    write(tmp_path, "ring-drawn-01", "ring", PIECES)
    write(tmp_path, "theory-drawn-01", "theory", ())
    save_pack(enrolled(), tmp_path / "drawn.faces")
    result = run("--faces", tmp_path / "drawn.faces", tmp_path)
    assert result.exit_code == 0, result.output
    assert "slice            2 of      2 right" in result.stdout
    assert "theory-drawn-01: not read: " in result.stdout
    assert "board" in result.stdout.partition("theory-drawn-01: not read: ")[2].splitlines()[0]
