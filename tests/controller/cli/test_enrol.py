"""`pizzatable enrol`: which label goes with which photo, and what it says when none does."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli.enrol import LabelFileError, command, match_labels, read_labels

A, B, C = Path("there/a.jpg"), Path("there/b.jpg"), Path("there/c.jpg")


def test_labels_with_a_photos_name_go_with_that_photo() -> None:
    labels = [{"photo": "b.jpg"}, {"photo": "x.jpg"}, {"photo": "a.jpg"}]
    assert match_labels([A, B], labels) == [{"photo": "a.jpg"}, {"photo": "b.jpg"}]


def test_other_labels_go_in_order() -> None:
    assert match_labels([A, B, C], [{"n": 1}, {"photo": "b.jpg"}, {"n": 2}]) == [{"n": 1}, {"photo": "b.jpg"}, {"n": 2}]
    assert match_labels([A], [{"photo": "renamed.jpg"}]) == [{"photo": "renamed.jpg"}]


def test_a_photo_without_a_label_is_named() -> None:
    with pytest.raises(LabelFileError, match=r'there/b\.jpg: expected a label with "photo": "b\.jpg"'):
        match_labels([A, B], [{"photo": "a.jpg"}])
    with pytest.raises(LabelFileError, match="1 such photos and 2 such labels are left"):
        match_labels([A], [{"photo": "x.jpg"}, {"photo": "y.jpg"}])


def test_a_label_file_holds_one_photos_labels_or_a_list(tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    path.write_text('{"photo": "a.jpg"}')
    assert read_labels(path) == [{"photo": "a.jpg"}]
    path.write_text('[{"photo": "a.jpg"}, {"photo": "b.jpg"}]')
    assert len(read_labels(path)) == 2
    for wrong in ("[]", "3", "[1]", "{", ""):
        path.write_text(wrong)
        with pytest.raises(LabelFileError, match=r"labels\.json: expected"):
            read_labels(path)


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
