"""`pizzatable enrol`: which label goes with which photo, and what it says when none does."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from controller.cli.enrol import LabelFileError, command, match_labels, read_labels
from controller.enrolling import check_outlines
from vision.faces import LabelError

A, B, C = Path("there/a.jpg"), Path("there/b.jpg"), Path("there/c.jpg")


def test_labels_with_a_photos_name_go_with_that_photo() -> None:
    labels = [{"photo": "b.jpg"}, {"photo": "x.jpg"}, {"photo": "a.jpg"}]
    assert match_labels([A, B], labels) == [{"photo": "a.jpg"}, {"photo": "b.jpg"}]


def test_other_labels_go_in_order() -> None:
    assert match_labels([A, B, C], [{"n": 1}, {"photo": "b.jpg"}, {"n": 2}]) == [{"n": 1}, {"photo": "b.jpg"}, {"n": 2}]


def test_a_label_of_another_photo_is_not_used() -> None:
    with pytest.raises(LabelFileError, match=r"labels of other photos: elsewhere\.jpg"):
        match_labels([A], [{"photo": "elsewhere.jpg"}])
    with pytest.raises(LabelFileError, match=r'expected one label with "photo": "a\.jpg", not 2'):
        match_labels([A], [{"photo": "a.jpg"}, {"photo": "a.jpg"}])


def test_a_photo_without_a_label_is_named() -> None:
    with pytest.raises(LabelFileError, match=r'there/b\.jpg: expected a label with "photo": "b\.jpg"'):
        match_labels([A, B], [{"photo": "a.jpg"}])
    with pytest.raises(LabelFileError, match="1 such photos and 2 such labels are left"):
        match_labels([A], [{}, {}])


def test_a_label_file_holds_one_photos_labels_or_a_list(tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    path.write_text('{"photo": "a.jpg", "pieces": []}')
    assert read_labels(path) == [{"photo": "a.jpg", "pieces": []}]
    path.write_text('[{"photo": "a.jpg", "pieces": []}, {"photo": "b.jpg", "pieces": []}]')
    assert len(read_labels(path)) == 2
    for wrong in ("[]", "3", "[1]", "{", ""):
        path.write_text(wrong)
        with pytest.raises(LabelFileError, match=r"labels\.json: expected"):
            read_labels(path)


PIECE = {
    "kind": "tile",
    "face": "3/1",
    "x_mm": 1.5,
    "y_mm": 2,
    "angle_deg": 90,
    "outline_px": [[10, 10], [20, 10], [15, 20]],
}


def test_a_right_label_is_read(tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    pieces = [PIECE, {"kind": "cutter", "face": None}, {**PIECE, "face": ""}]
    path.write_text(json.dumps({"pieces": pieces}))
    assert read_labels(path) == [{"pieces": pieces}]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{}".encode("utf-16"), "expected a JSON file in UTF-8"),
        (b"{hello", "expected a JSON file; line 1, column 2 is not JSON"),
        (b"[" * 100000, "nested too deep"),
        (b"9" * 5000, "a number has too many digits"),
        (b"{}", "pieces is missing; expected a list of pieces"),
        (b'{"pieces": {"a": 1}}', "pieces is an object; expected a list of pieces"),
        (b'{"pieces": [7]}', "piece 1 of 1 is 7; expected an object"),
        (b'{"photo": 5, "pieces": []}', "photo is 5; expected the photo's file name"),
    ],
)
def test_a_file_that_holds_no_labels_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "labels.json"
    path.write_bytes(content)
    with pytest.raises((LabelFileError, LabelError)) as caught:
        read_labels(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("kind", None, "kind is null; expected one of tile"),
        ("kind", 5, "kind is 5; expected one of tile"),
        ("kind", "spaceship", 'kind is "spaceship"; expected one of tile'),
        ("face", None, "face is null; expected the face's name as text"),
        ("face", 7, "face is 7; expected the face's name as text"),
        ("x_mm", "here", 'x_mm is "here"; expected a number of millimetres'),
        ("x_mm", float("nan"), "x_mm is NaN; expected a number of millimetres"),
        ("y_mm", 1e300, "y_mm is 1e+300; expected a number of millimetres"),
        ("y_mm", 10**400, "expected a number of millimetres"),
        ("angle_deg", [1], "angle_deg is a list of 1; expected a number of degrees"),
        ("outline_px", None, "outline_px is null; expected at least three points"),
        ("outline_px", [[1, 2]], "outline_px is a list of 1; expected at least three points"),
        ("outline_px", [[1, 2], [3, 4], [5]], "outline_px is a list of 1; expected at least three points"),
        ("outline_px", [[float("nan"), 1], [2, 3], [4, 5]], "outline_px is NaN; expected at least three points"),
    ],
)
def test_a_wrong_piece_is_named(tmp_path: Path, key: str, value: object, said: str) -> None:
    path = tmp_path / "labels.json"
    path.write_text(json.dumps({"pieces": [PIECE, {**PIECE, key: value}]}))
    with pytest.raises(LabelError) as caught:
        read_labels(path)
    assert str(caught.value).startswith(f"{path}: piece 2 of 2: ")
    assert said in str(caught.value)


@pytest.mark.parametrize("key", ["kind", "face", "x_mm", "y_mm", "angle_deg", "outline_px"])
def test_a_missing_key_is_named(tmp_path: Path, key: str) -> None:
    path = tmp_path / "labels.json"
    path.write_text(json.dumps({"pieces": [{name: value for name, value in PIECE.items() if name != key}]}))
    with pytest.raises(LabelError, match=f"piece 1 of 1: {key} is missing; expected "):
        read_labels(path)


def test_an_outline_outside_its_picture_is_refused() -> None:
    image = np.zeros((100, 200, 3), np.uint8)
    check_outlines({"pieces": [PIECE]}, image, "mine.json")
    outside = {**PIECE, "outline_px": [[-50, -50], [-40, -50], [-45, -40]]}
    with pytest.raises(LabelError, match=r"mine\.json: piece 2 of 2: outline_px .* outside the picture; .* 200 x 100"):
        check_outlines({"pieces": [PIECE, outside]}, image, "mine.json")


@pytest.mark.parametrize("content", [b"", b"no picture"])
def test_a_photo_that_is_none_is_named(tmp_path: Path, content: bytes) -> None:
    photo, labels = tmp_path / "a.jpg", tmp_path / "a.json"
    photo.write_bytes(content)
    labels.write_text(json.dumps({"photo": "a.jpg", "pieces": []}))
    arguments = ["--game", "new_york_slice", "--out", str(tmp_path / "pack"), "--labels", str(labels), str(photo)]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 1
    assert f"{photo}: expected a picture such as JPEG or PNG" in result.stderr
    assert not (tmp_path / "pack").exists()


def test_an_unknown_game_is_named() -> None:
    result = CliRunner().invoke(command, ["--game", "chess", "--out", "x", "--labels", "y", "z"])
    assert result.exit_code == 2
    assert "'chess'" in result.stderr
    assert "new_york_slice" in result.stderr
