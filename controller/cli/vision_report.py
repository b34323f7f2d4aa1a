"""`pizzatable vision-report`: how well labelled photos are read."""

import csv
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from controller.arranged import GAMES, misarranged
from controller.cli.common import EXISTING_FILE, NamedPath, told, writing
from controller.sheet_prints import load_prints
from controller.whose_faces import faces_of
from vision.dice.boxed_dice import BoxedPhoto, boxed_photos, report_boxed, unread_boxed
from vision.dice.photo import DicePhotos
from vision.files.label_kinds import LABEL_KINDS
from vision.files.labelled import labelled, of_other_kinds, picture_name, strays
from vision.files.labels import SpacesLabel
from vision.files.photos import PhotoError, load_photo, photo_beside, save_photo
from vision.mat.errors import VisionError
from vision.mat.registration import find_mat
from vision.pieces.faces import FacePack, load_pack
from vision.pieces.learning import enrol
from vision.reports.compared import PhotoReport
from vision.reports.rates import Report
from vision.reports.report import PICTURES, SHEET_PICTURES, report
from vision.scene import Origin, PieceKind
from vision.sheets.layout import SheetLayout
from vision.threads import use_one_core

if TYPE_CHECKING:
    from vision.frame import Image
    from vision.reports.report_pictures import ErrorTile

SHEET_LAYOUT = "sheet-layout.json"
"""The file of a folder that describes the print of its score sheets."""
ENROL_PICTURES = {"cards": "enrol-cards"}
"""The kind of picture that faces are learned from, where it is not `enrol`."""


REPORT, CONFUSION, ERRORS = "report.json", "confusion.csv", "errors.png"
RELIABILITY, MARK_RELIABILITY = "reliability.png", "reliability-marks.png"
"""The files of --out."""
NOTHING_TO_JUDGE = "holds no picture but those that faces were learned from; expected others, or --faces"


@click.command(epilog="Example:  pizzatable vision-report photos --kind ring --kind split --out report")
@click.option("--faces", type=EXISTING_FILE, help="Read with these faces instead of the folder's own.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(tuple(PICTURES)), help="Only pictures of this kind.")
@click.option("--style", "styles", multiple=True, help="Only pictures of this style.")
@click.option(
    "--out",
    type=NamedPath(file_okay=False),
    help=f"A folder for {REPORT}, {CONFUSION}, {RELIABILITY} (of sheets {MARK_RELIABILITY}) and {ERRORS}; not DIR.",
)
@click.argument("folder", metavar="DIR", type=NamedPath(exists=True, file_okay=False))
def command(
    faces: Path | None, kinds: tuple[str, ...], styles: tuple[str, ...], out: Path | None, folder: Path
) -> None:
    """Read every photo in DIR that has its truth beside it and compare both ways.

    The truth is NAME.json beside NAME.jpg, or for photos of ordinary dice labels.csv: the columns image, value, xmin,
    ymin, xmax, ymax (in pixels or in shares of the photo), or image and values_sorted; photos may lie in DIR/images.

    Prints the share of pieces read right by kind, with 95 % intervals; whole pictures; what was claimed as sure but
    wrong; likelihoods against how often they were right; milliseconds by stage. Where the labels say how pieces are
    arranged, so does what the game makes of them have to be: the circle, portions, seats, spaces, lines and places.

    Without --faces they are learned, for each style, from the folder's own photos of kind `enrol` (cards:
    `enrol-cards`); where there are none, and for the board of `theory`, from the first picture of that kind and style,
    which is not judged then. Sheets are read for our own print, and for the one that DIR describes in
    `sheet-layout.json`; their marks are counted.
    """
    use_one_core()
    wanted = kinds or tuple(PICTURES)
    if out is not None and out.resolve() == folder.resolve():
        expected = f"expected another one, such as {out / 'report'}"
        raise click.ClickException(f"--out {out} is the folder of the photos; {expected}")
    tiles: list[ErrorTile] = []
    with told(VisionError, PhotoError, FileNotFoundError, OSError):
        for why in strays(folder):
            click.echo(f"Passed over: {why}", err=True)
        learned: set[str] = set()
        known: set[str] = set()
        pack_for = partial(_given, load_pack(faces)) if faces is not None else partial(learned_faces, folder, learned)
        pack_for = partial(_noted, known, pack_for)
        boxed = boxed_photos(folder) if "dice" in wanted and not styles else []
        count = sum(1 for _ in labelled(folder, wanted, styles)) + len(boxed)
        if not count:
            _tell_left_out(folder, learned)
        prints = _prints(folder)
        with click.progressbar(length=count, label="Reading", file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:

            def on_photo(photo: PhotoReport, image: "Image | None") -> None:
                bar.update(1)
                if out is not None and photo.photo not in learned:
                    tiles.extend(_tiles(photo, image, prints))

            photos = _report_boxed(boxed, on_photo)
            if len(photos) < count or not photos:
                photos += report(folder, pack_for, wanted, styles, on_photo, prints, misarranged).photos
        result = Report(tuple(photo for photo in photos if photo.photo not in learned))
        if not result.photos:
            raise FileNotFoundError(f"{folder} {NOTHING_TO_JUDGE}: {', '.join(sorted(learned))}")
        click.echo(result.as_text(), nl=False)
        _tell_left_out(folder, learned)
        _tell_unknown(result, known, faces)
        if out is not None:
            with writing(out, "a folder that can be made and written to"):
                _write(out, result, tiles)


def _noted(known: set[str], pack_for: Callable[[str, str], FacePack], style: str, kind: str) -> FacePack:
    """A pack whose faces are noted."""
    pack = pack_for(style, kind)
    known.update(pack.names)
    return pack


def _given(pack: FacePack, style: str, kind: str) -> FacePack:  # noqa: ARG001
    return pack


def learned_faces(folder: Path, learned: set[str], style: str, kind: str) -> FacePack:
    """The faces of a style for a kind of picture, from the folder's own photos. Dice need none.

    What is learned from a picture that would be judged itself goes into `learned`.
    """
    if PICTURES[kind] == {PieceKind.DIE}:
        return FacePack({}, ())
    pictures = list(labelled(folder, (ENROL_PICTURES.get(kind, "enrol"),), (style,))) if kind != "theory" else []
    if pictures:
        return _faces_in(pictures)
    refused: VisionError | None = None
    for path, labels in labelled(folder, (kind,), (style,)):
        try:
            pack = _faces_in([(path, labels)])
        except VisionError as error:
            refused = refused or error
        else:
            learned.add(picture_name(path))
            return pack
    if refused:
        raise type(refused)(f"no faces can be learned here: {refused}; or give those you have: --faces")
    raise FileNotFoundError(
        f"{folder} holds no picture of style {style!r} that faces can be learned from; give --faces"
    )


def _faces_in(pictures: Sequence[tuple[Path, dict[str, Any]]]) -> FacePack:
    photos = [(load_photo(photo_beside(path, labels)), labels) for path, labels in pictures]
    spaces = faces_of(GAMES[SpacesLabel]).board_spaces
    return enrol(photos, source=[path.name for path, _ in pictures], board_spaces=spaces)


def _prints(folder: Path) -> tuple[SheetLayout, ...]:
    """Our own print of the score sheet, and the folder's."""
    own = folder / SHEET_LAYOUT
    return load_prints([own] if own.is_file() else [])


def _report_boxed(
    boxed: Sequence[BoxedPhoto], on_photo: "Callable[[PhotoReport, Image | None], object]"
) -> list[PhotoReport]:
    """Photos of dice that a table of labels names."""
    photos = []
    reader = DicePhotos() if boxed else None
    for one in boxed:
        image = None
        try:
            image = load_photo(one.path)
        except PhotoError as error:
            photos.append(unread_boxed(one, str(error)))
        else:
            assert reader is not None  # there is one where there are photos
            photos.append(report_boxed(one, image, reader))
        on_photo(photos[-1], image)
    return photos


def _tell_left_out(folder: Path, learned: set[str]) -> None:
    """Say which labelled pictures are not judged, and why."""
    if learned:
        click.echo(f"Not judged, as faces were learned from them: {', '.join(sorted(learned))}", err=True)
    others = of_other_kinds(folder, (*PICTURES, "enrol", *ENROL_PICTURES.values()))
    for kind in sorted({kind for _, kind in others}):
        names = ", ".join(name for name, its in others if its == kind)
        said = f"their kind is {kind!r}" if kind else "they do not say their kind"
        click.echo(f"Not judged, as {said}: {names}; expected one of {', '.join(PICTURES)}", err=True)


def _tell_unknown(result: Report, known: set[str], faces: Path | None) -> None:
    """Say which faces are missing because nobody showed them, or because these `faces` lack them."""
    read = [photo for photo in result.photos if not photo.problem]
    missing = {piece.face for photo in read for piece in photo.missing if piece.kind in LABEL_KINDS.values()}
    if unknown := sorted(missing - known):
        none = "Missing, as no picture showed these faces for learning"
        if faces is not None:
            none = f"Missing, as {faces} has no such faces (was it made from this copy of this game?)"
        click.echo(f"{none}: {', '.join(unknown)}", err=True)


def _tiles(photo: PhotoReport, image: "Image | None", prints: tuple[SheetLayout, ...]) -> "list[ErrorTile]":
    from vision.reports.report_pictures import error_tiles, problem_tile
    from vision.sheets.finder import lay_out

    if photo.perfect:
        return []
    if photo.problem or image is None:
        return [problem_tile(photo, image)]
    if photo.origin is Origin.PICTURE:
        return error_tiles(photo, image, np.asarray)
    registration = lay_out(image, prints)[0] if photo.kind == SHEET_PICTURES else find_mat(image)
    return error_tiles(photo, image, registration.to_picture, prints)


def _write(out: Path, result: Report, tiles: "list[ErrorTile]") -> None:
    from vision.reports.report_pictures import error_sheet, reliability_diagram

    out.mkdir(parents=True, exist_ok=True)
    (out / REPORT).write_text(json.dumps([_as_json(photo) for photo in result.photos], indent=1) + "\n")
    with (out / CONFUSION).open("w", newline="", encoding="utf-8", errors="replace") as file:
        rows = csv.writer(file)
        rows.writerow(["kind", "true", "read", "count"])
        rows.writerows([*names, count] for names, count in sorted(result.confusion().items()))
    save_photo(out / RELIABILITY, reliability_diagram(result.reliability()))
    if marks := result.mark_reliability():
        save_photo(out / MARK_RELIABILITY, reliability_diagram(marks, "of places that had a mark"))
    save_photo(out / ERRORS, error_sheet(tiles))


def _as_json(photo: PhotoReport) -> dict[str, Any]:
    return {
        "photo": photo.photo,
        "style": photo.style,
        "kind": photo.kind,
        "light": photo.light,
        "whole": photo.perfect,
        "expected": photo.expected,
        "right": photo.right,
        "sure_but_wrong": photo.sure_but_wrong,
        "missing": [piece.face for piece in photo.missing],
        "extra": [sighting.face for sighting in photo.extra],
        "marks": len(photo.marks),
        "unread_marks": len(photo.unread_marks),
        "wrong_marks": [[c.mark.kind.value, list(c.mark.at), c.mark.probability] for c in photo.wrong_marks],
        "misarranged": None if photo.misarranged is None else list(photo.misarranged),
        "problem": photo.problem,
        "stage_ms": dict(photo.stage_ms),
    }
