"""Photos of dice labelled by a table, compared with what is read of them."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from controller.cli import vision_report
from tests.long import cases
from tests.vision.drawn_dice import draw_dice
from vision.dice.boxed_dice import BoxedPhoto, TrueDie, boxed_photos
from vision.dice.photo import DicePhotos
from vision.files.label_kinds import LabelError

HEAD = "image,value,xmin,ymin,xmax,ymax\n"


def drawn(folder: Path, seed: int = 700_012) -> list[tuple[int, np.ndarray]]:
    """A picture of dice, and the value and box (left, top, right, bottom) of each that is read in it."""
    picture, _, _ = draw_dice(np.random.default_rng(seed), side_px=24.0)
    (folder / "images").mkdir()
    cv2.imwrite(str(folder / "images" / "dice.png"), picture)
    scene, _ = DicePhotos().read(picture)
    tops = [np.array(die.outline_mm) for die in scene.sightings]
    boxes = [np.concatenate([top.min(0), top.max(0)]).round(1) for top in tops]
    assert len(boxes) > 2
    return [(int(die.face), box) for die, box in zip(scene.sightings, boxes, strict=True)]


def report(folder: Path, *options: str) -> str:
    result = CliRunner().invoke(vision_report.command, [*options, str(folder)])
    assert result.exit_code == 0, result.output
    return result.stdout


@cases("in_shares", [True, False], always=1)
def test_dice_in_boxes_are_compared_where_they_lie(tmp_path: Path, *, in_shares: bool) -> None:
    dice = drawn(tmp_path)
    picture = cv2.imread(str(tmp_path / "images" / "dice.png"))
    assert picture is not None
    high, wide = picture.shape[:2]
    by = np.array([wide, high, wide, high]) if in_shares else np.ones(4)
    other = dice[0][0] % 6 + 1
    rows = [(other, dice[0][1]), *dice[1:-1]]  # one is labelled otherwise, one not at all
    table = HEAD + "".join(f"dice.png,{value},{','.join(map(str, box / by))}\n" for value, box in rows)
    (tmp_path / "labels.csv").write_text(table)
    text = report(tmp_path, "--out", str(tmp_path / "out"))
    place = "({:.0f}, {:.0f}) pixels".format(*(dice[0][1][:2] + dice[0][1][2:]) / 2)
    assert f"dice: {other} at {place} read as {dice[0][0]}" in text
    assert f"dice: nothing where {dice[-1][0]} " in text
    assert f"of {len(rows):6} right" in text
    assert (tmp_path / "out" / "errors.png").is_file()


@pytest.mark.long
def test_of_photos_with_values_alone_these_are_compared(tmp_path: Path) -> None:
    values = sorted(value for value, _ in drawn(tmp_path))
    (tmp_path / "labels.csv").write_text(
        f"image,n_dice,values_sorted\ndice.png,{len(values)},{' '.join(map(str, values))}\n"
    )
    right = report(tmp_path)
    assert f"{len(values)} of {len(values):6} right" in right
    other = values[0] % 6 + 1
    (tmp_path / "labels.csv").write_text(
        f"image,n_dice,values_sorted\ndice.png,{len(values)},{' '.join(map(str, [other, *values[1:]]))}\n"
    )
    wrong = report(tmp_path)
    assert f"dice: missing {other} at some place" in wrong
    assert f"dice: nothing where {values[0]} " in wrong


@pytest.mark.long
def test_photos_that_are_not_there_are_told_and_the_others_read(tmp_path: Path) -> None:
    [value, box], *_ = drawn(tmp_path)
    rows = "".join(f"{name},{value},{','.join(map(str, box))}\n" for name in ("gone.jpg", "dice.png"))
    (tmp_path / "labels.csv").write_text(HEAD + rows)
    text = report(tmp_path)
    assert "gone: not read: " in text
    assert "cannot be read: No such file" in text
    assert "1 of      2 right" in text


def test_a_folder_without_a_table_has_none(tmp_path: Path) -> None:
    assert boxed_photos(tmp_path) == []


def test_rows_of_one_photo_belong_together(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text(HEAD + "a.jpg,1,0,0,0.5,0.5\nb.jpg,6,0,0,1,1\na.jpg,2,0.5,0.5,1,1\n")
    first, second = boxed_photos(tmp_path)
    assert first == BoxedPhoto(
        tmp_path / "a.jpg", (TrueDie(1, (0.0, 0.0, 0.5, 0.5)), TrueDie(2, (0.5, 0.5, 1.0, 1.0))), in_shares=True
    )
    assert second.path == tmp_path / "b.jpg"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "labels.csv: it has no row; expected the columns image, value, xmin"),
        (
            "image,count\na.jpg,3\n",
            "it has count, image; expected the columns image, value, xmin, ymin, xmax, ymax, or",
        ),
        (HEAD + "a.jpg,7,0,0,1,1\n", "labels.csv:2: value is '7'; expected a die's value, 1 to 6"),
        (HEAD + "a.jpg,1,0,0,1,1\na.jpg,1,0,0,1\n", "labels.csv:3: ymax is None; expected a number, 0 or more"),
        (HEAD + "a.jpg,1,0,nan,1,1\n", "labels.csv:2: ymin is 'nan'; expected a number, 0 or more"),
        (HEAD + "a.jpg,1,3,0,1,1\n", "labels.csv:2: the box goes from (3.0, 0.0) to (1.0, 1.0); expected xmin < xmax"),
        (HEAD + "../a.jpg,1,0,0,1,1\n", "labels.csv:2: image is '../a.jpg'; expected the name of a file beside"),
        ("image,values_sorted\na.jpg,1 2 nine\n", "labels.csv:2: values_sorted is 'nine'; expected a die's value"),
        (HEAD.encode() + b"\xff", "labels.csv: 'utf-8' codec can't decode byte 0xff"),
    ],
)
def test_a_table_that_is_wrong_is_named_with_its_place(tmp_path: Path, content: str | bytes, said: str) -> None:
    (tmp_path / "labels.csv").write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(LabelError) as error:
        boxed_photos(tmp_path)
    assert said in str(error.value)
    result = CliRunner().invoke(vision_report.command, [str(tmp_path)])
    assert result.exit_code == 1
    assert said in result.output
