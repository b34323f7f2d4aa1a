"""Reads labelled pictures and compares what is read with what truly lay there."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from vision.files.label_kinds import LabelError
from vision.files.labelled import labelled, picture_name
from vision.files.labels import (
    arrangement_label,
    check_size,
    labels_to_compare,
    picture_kind,
    sheet_label,
)
from vision.files.photos import PhotoError, load_with_focal, photo_beside
from vision.frame import Image
from vision.looking_for import finders_for
from vision.mat.errors import RegistrationError
from vision.mat.lens import ANY_CAMERA, AssumedFocal
from vision.pieces.faces import FacePack, FacePackError
from vision.reader import read_photo
from vision.reports.compared import NEAR_DEG, NEAR_MM, PhotoReport, compare, light_of, true_pieces
from vision.reports.mark_report import claims, in_sheets_frame, true_marks, unread
from vision.reports.rates import Report
from vision.scene import Origin, PieceKind, Scene
from vision.sheets.finder import read_sheets
from vision.sheets.layout import SheetLayout

NOT_READ = ("not read, so nothing of its arrangement",)
"""What is not as it truly is in the arrangement of a picture that could not be read."""
Misarranged = Callable[[Scene, Mapping[str, Any], str], tuple[str, ...] | None]
"""Says what of a picture's arrangement is not as its labels say, given the scene, the labels and the picture's name."""

_TILES = frozenset({PieceKind.SLICE, PieceKind.SPECIAL})
PICTURES: Mapping[str, frozenset[PieceKind]] = {
    "ring": _TILES,
    "split": _TILES,
    "hand": _TILES,
    "seats": _TILES,
    "theory": frozenset({PieceKind.BOARD, PieceKind.TOPPING, PieceKind.CUTTER, PieceKind.DIE}),
    "board": frozenset({PieceKind.BOARD, PieceKind.TOPPING, PieceKind.CUTTER}),
    "dice": frozenset({PieceKind.DIE}),
    "cards": frozenset({PieceKind.SLICE_CARD, PieceKind.ORDER_CARD}),
    "sheet": frozenset({PieceKind.SHEET, PieceKind.DIE}),
}
"""The kinds of labelled picture that are read, and what is looked for in each."""
SHEET_PICTURES = "sheet"
"""Those that may show no mat, and a sheet whose marks are compared too."""


def report(
    folder: Path,
    pack_for: Callable[[str, str], FacePack],
    kinds: Sequence[str] = tuple(PICTURES),
    styles: Sequence[str] = (),
    on_photo: Callable[[PhotoReport, Image | None], object] | None = None,
    prints: Sequence[SheetLayout] = (),
    misarranged: Misarranged | None = None,
) -> Report:
    """Read the labelled pictures of these kinds and compare.

    All labels are checked before the first picture is read. A photo that is missing, cut off or of another size is a
    problem of that picture alone. `pack_for` gives the faces of a style for a kind of picture; sheets need none, but
    their `prints`. `on_photo` is called after each picture, with None where there is none. `misarranged` compares what
    a game makes of a scene with the labels.

    Raises:
        FileNotFoundError: the folder holds no such picture, or none of one of these styles.
        LabelError: label files do not say what is needed; names each of them.
    """
    pictures = list(labelled(folder, kinds, styles))
    there = {picture_kind(labels, str(path))[1] for path, labels in labelled(folder, kinds)} if styles else set()
    if not pictures and not there:
        raise FileNotFoundError(f"{folder} holds no labelled picture of kind {', '.join(kinds)}")
    if unknown := sorted(set(styles) - there):
        known = f"expected of {', '.join(sorted(there))}"
        raise FileNotFoundError(f"{folder} holds no labelled picture of style {', '.join(unknown)}; {known}")
    _check_all(pictures)
    photos = []
    packs: dict[tuple[str, str], FacePack] = {}
    for path, labels in pictures:
        kind, style = picture_kind(labels, str(path))
        name, image = picture_name(path), None
        try:
            image, assumed = load_with_focal(photo_beside(path, labels))
            check_size(labels, image.shape[1], image.shape[0], str(path))
        except (PhotoError, LabelError) as error:
            photos.append(_unread(labels, name, str(error), misarranged=misarranged))
        else:
            if kind == SHEET_PICTURES:
                photos.append(report_sheet(image, labels, prints, name))
            else:
                if (style, kind) not in packs:
                    packs[style, kind] = pack_for(style, kind)
                photos.append(
                    report_photo(image, labels, packs[style, kind], name, misarranged=misarranged, assumed=assumed)
                )
        if on_photo is not None:
            on_photo(photos[-1], image)
    return Report(tuple(photos))


def _check_all(pictures: Sequence[tuple[Path, Mapping[str, Any]]]) -> None:
    """Check all that is compared, so that errors name the file. Raises LabelError."""
    wrong = []
    for path, labels in pictures:
        try:
            labels_to_compare(labels, str(path), PICTURES.get(labels["kind"], frozenset(PieceKind)))
            arrangement_label(labels, str(path))
            if labels["kind"] == SHEET_PICTURES:
                sheet_label(labels, str(path))
        except LabelError as error:
            wrong.append(str(error))
    if wrong:
        raise LabelError("\n".join(wrong))


def report_photo(
    image: Image,
    labels: Mapping[str, Any],
    pack: FacePack,
    name: str,
    *,
    near_mm: float = NEAR_MM,
    near_deg: float = NEAR_DEG,
    misarranged: Misarranged | None = None,
    assumed: AssumedFocal = ANY_CAMERA,
) -> PhotoReport:
    """Read one picture and compare it with its labels; what is seen is taken for a piece that lies so near."""
    style, kind = str(labels.get("style", "")), str(labels.get("kind", ""))
    kinds = PICTURES.get(kind) or frozenset(pack.kinds)
    truth = true_pieces(labels, name, kinds)
    light = light_of(image)
    try:
        scene = read_photo(image, pack, assumed=assumed, finders=finders_for(kinds, pack))
    except (RegistrationError, FacePackError) as error:
        return _unread(labels, name, str(error), light, misarranged)
    matches, missing, extra = compare(scene, truth, near_mm=near_mm, near_deg=near_deg)
    extra = [sighting for sighting in extra if sighting.kind in kinds]
    arranged = misarranged(scene, labels, name) if misarranged else None
    return PhotoReport(
        name, style, kind, tuple(matches), tuple(missing), tuple(extra), scene.stage_ms,
        light=light, misarranged=arranged,
    )  # fmt: skip


def report_sheet(image: Image, labels: Mapping[str, Any], prints: Sequence[SheetLayout], name: str) -> PhotoReport:
    """Read one picture of a score sheet of these prints, with or without a mat, and compare its pieces and marks.

    Raises:
        LabelError: the labels do not say what is needed.
    """
    style, kind, light = str(labels.get("style", "")), str(labels.get("kind", "")), light_of(image)
    kinds = PICTURES[SHEET_PICTURES]
    truth = true_pieces(labels, name, kinds)
    marked = true_marks(labels, name)
    try:
        scene = read_sheets(image, prints)
    except RegistrationError as error:
        return _unread(labels, name, str(error), light)
    lying = [piece.pose for piece in truth if piece.kind is PieceKind.SHEET]
    if scene.origin is Origin.SHEET and lying:
        truth = [replace(piece, pose=in_sheets_frame(piece.pose, lying[0])) for piece in truth]
    matches, missing, extra = compare(scene, truth)
    marks = [mark for match in matches if match.truth.kind is PieceKind.SHEET for mark in match.sighting.marks]
    return PhotoReport(
        name, style, kind, tuple(matches), tuple(missing), tuple(extra), scene.stage_ms,
        light=light, marks=claims(marks, marked), unread_marks=unread(marks, marked),
    )  # fmt: skip


def _unread(
    labels: Mapping[str, Any], name: str, problem: str, light: str = "", misarranged: Misarranged | None = None
) -> PhotoReport:
    """Of a picture that could not be read everything is missing that its labels say."""
    style, kind = str(labels.get("style", "")), str(labels.get("kind", ""))
    truth = true_pieces(labels, name, PICTURES.get(kind, frozenset(PieceKind)))
    arranged = NOT_READ if misarranged and arrangement_label(labels, name) is not None else None
    marked = true_marks(labels, name) if kind == SHEET_PICTURES else ()
    return PhotoReport(
        name, style, kind, (), tuple(truth), (), {}, problem, light, misarranged=arranged,
        unread_marks=unread((), marked),
    )  # fmt: skip
