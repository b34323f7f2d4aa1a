"""Photographs of dice whose labels are a table: in `labels.csv` beside them a row for each die with its value and the
box around it, or a row for each photo with the values of its dice."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vision.dice.photo import DicePhotos, tops_in_picture
from vision.files.label_kinds import LabelError
from vision.files.labelled import picture_name
from vision.frame import Image
from vision.mat.errors import RegistrationError
from vision.reports.compared import NOWHERE, Match, PhotoReport, TruePiece, light_of
from vision.scene import Origin, PieceKind, Pose, Scene, Sighting

LABELS = "labels.csv"
PICTURES = "images"
"""The folder beside LABELS that may hold the photos."""
BOX = ("xmin", "ymin", "xmax", "ymax")
BOXED, COUNTED = ("image", "value", *BOX), ("image", "values_sorted")
"""The columns of both kinds of table; a box is in pixels, or, where no number of the file is more than 1, in shares of
the photo's width and height. Values are apart by spaces."""
EXPECTED = f"expected the columns {', '.join(BOXED)}, or {' and '.join(COUNTED)}"
NEAR = 0.4
"""A die is read where the middle of its top is so near to its box's, in widths of the box."""
KIND = "dice"


@dataclass(frozen=True, slots=True)
class TrueDie:
    """A die of a photo."""

    value: int
    box: tuple[float, float, float, float] | None
    """Left, top, right, bottom; None where only the value is known."""


@dataclass(frozen=True, slots=True)
class BoxedPhoto:
    """A photo and its dice."""

    path: Path
    dice: tuple[TrueDie, ...]
    in_shares: bool
    """Whether boxes are in shares of the photo's sides, not in pixels."""


def boxed_photos(folder: Path) -> list[BoxedPhoto]:
    """The photos that a folder's LABELS name, in its order; none where it has no such file.

    Raises:
        LabelError: the file is none of both tables; names line, column, value and what was expected.
        OSError: it cannot be read.
    """
    path = folder / LABELS
    if not path.is_file():
        return []
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file, strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise LabelError(f"{path}: {error}; expected a table of commas in UTF-8") from error
    columns = set(rows[0]) if rows else set()
    if not columns >= set(BOXED) and not columns >= set(COUNTED):
        named = ", ".join(sorted(map(str, columns))) or "no row"
        raise LabelError(f"{path}: it has {named}; {EXPECTED}")
    of_each: dict[str, list[TrueDie]] = {}
    for number, row in enumerate(rows, 2):
        where = f"{path}:{number}"
        of_each.setdefault(_name(row, where), []).extend(_dice(row, where))
    numbers = [number for dice in of_each.values() for die in dice for number in die.box or ()]
    in_shares = bool(numbers) and max(numbers) <= 1.0
    there = folder / PICTURES if (folder / PICTURES).is_dir() else folder
    return [BoxedPhoto(there / name, tuple(dice), in_shares) for name, dice in of_each.items()]


def report_boxed(photo: BoxedPhoto, image: Image, reader: DicePhotos) -> PhotoReport:
    """Read a photo's dice and compare, in the picture's own frame."""
    truth = [_true_piece(die, photo, image) for die in photo.dice]
    try:
        scene = tops_in_picture(*reader.read(image))
    except RegistrationError as error:
        return unread_boxed(photo, str(error), light_of(image))
    boxed = all(die.box is not None for die in photo.dice)
    widths = [_width(die, photo, image) for die in photo.dice] if boxed else []
    matches, missing, extra = _by_place(scene, truth, widths) if boxed else _by_value(scene, truth)
    return PhotoReport(
        picture_name(photo.path), "", KIND, tuple(matches), tuple(missing), tuple(extra), scene.stage_ms,
        light=light_of(image), origin=Origin.PICTURE,
    )  # fmt: skip


def unread_boxed(photo: BoxedPhoto, problem: str, light: str = "") -> PhotoReport:
    """Of a photo that could not be read everything is missing."""
    missing = tuple(TruePiece(PieceKind.DIE, str(die.value), NOWHERE, 1.0) for die in photo.dice)
    return PhotoReport(
        picture_name(photo.path), "", KIND, (), missing, (), {}, problem, light, origin=Origin.PICTURE
    )  # fmt: skip


def _name(row: Mapping[str, str | None], where: str) -> str:
    name = row["image"] or ""
    if not name or Path(name).name != name:
        raise LabelError(f"{where}: image is {name!r}; expected the name of a file beside {LABELS} or in {PICTURES}/")
    return name


def _dice(row: Mapping[str, str | None], where: str) -> Iterator[TrueDie]:
    if "value" in row:
        low, high = (tuple(_number(row, key, where) for key in keys) for keys in (BOX[:2], BOX[2:]))
        if not (low[0] < high[0] and low[1] < high[1]):
            raise LabelError(f"{where}: the box goes from {low} to {high}; expected xmin < xmax and ymin < ymax")
        yield TrueDie(_value(row["value"], "value", where), (*low, *high))  # type: ignore[arg-type]
    else:
        for value in (row["values_sorted"] or "").split():
            yield TrueDie(_value(value, "values_sorted", where), None)


def _value(text: str | None, key: str, where: str) -> int:
    if text is None or text.strip() not in {"1", "2", "3", "4", "5", "6"}:
        raise LabelError(f"{where}: {key} is {text!r}; expected a die's value, 1 to 6")
    return int(text)


def _number(row: Mapping[str, str | None], key: str, where: str) -> float:
    try:
        number = float(row[key] or "")
    except ValueError:
        number = np.nan
    if not (np.isfinite(number) and number >= 0.0):
        raise LabelError(f"{where}: {key} is {row[key]!r}; expected a number, 0 or more")
    return float(number)


def _box_px(die: TrueDie, photo: BoxedPhoto, image: Image) -> tuple[float, float, float, float]:
    height, width = image.shape[:2]
    if die.box is None:
        return NOWHERE.x_mm, NOWHERE.y_mm, NOWHERE.x_mm, NOWHERE.y_mm
    left, top, right, bottom = die.box
    across, down = (width, height) if photo.in_shares else (1, 1)
    return left * across, top * down, right * across, bottom * down


def _width(die: TrueDie, photo: BoxedPhoto, image: Image) -> float:
    left, top, right, bottom = _box_px(die, photo, image)
    return float(np.sqrt((right - left) * (bottom - top)))


def _true_piece(die: TrueDie, photo: BoxedPhoto, image: Image) -> TruePiece:
    left, top, right, bottom = _box_px(die, photo, image)
    middle = Pose((left + right) / 2, (top + bottom) / 2, 0.0)
    return TruePiece(PieceKind.DIE, str(die.value), middle, 1.0)


def _by_place(
    scene: Scene, truth: Sequence[TruePiece], widths: Sequence[float]
) -> tuple[list[Match], list[TruePiece], list[Sighting]]:
    """Pairs, the nearest first, measured in the dice's own widths; dice not found; sightings of nothing."""
    pairs = sorted(
        (_apart(piece.pose, seen.pose) / width, i, j)
        for i, (piece, width) in enumerate(zip(truth, widths, strict=True))
        for j, seen in enumerate(scene.sightings)
    )
    matched: dict[int, int] = {}
    for off, i, j in pairs:
        if off <= NEAR and i not in matched and j not in matched.values():
            matched[i] = j
    return _split(scene, truth, matched)


def _by_value(scene: Scene, truth: Sequence[TruePiece]) -> tuple[list[Match], list[TruePiece], list[Sighting]]:
    """The same where only values are known: dice of one value are alike, of the others nobody says which is which."""
    matched: dict[int, int] = {}
    for i, piece in enumerate(truth):
        alike = (j for j, seen in enumerate(scene.sightings) if seen.face == piece.face and j not in matched.values())
        if (j := next(alike, None)) is not None:
            matched[i] = j
    return _split(scene, truth, matched)


def _split(
    scene: Scene, truth: Sequence[TruePiece], matched: Mapping[int, int]
) -> tuple[list[Match], list[TruePiece], list[Sighting]]:
    used = set(matched.values())
    pairs = [(truth[i], scene.sightings[j]) for i, j in matched.items()]
    return (
        [Match(piece, seen, _apart(piece.pose, seen.pose), 0.0) for piece, seen in pairs],
        [piece for i, piece in enumerate(truth) if i not in matched],
        [seen for j, seen in enumerate(scene.sightings) if j not in used],
    )


def _apart(one: Pose, other: Pose) -> float:
    return float(np.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm))
