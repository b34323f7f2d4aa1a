"""`pizzatable vision-report`: how well labelled photos are read."""

import csv
import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from controller.cli.common import EXISTING_FILE, PhotoError, load_photo, save_photo, told, writing
from controller.sheet_prints import load_prints
from vision.faces import FacePack, enrol, load_pack
from vision.registration import RegistrationError, VisionError, find_mat
from vision.report import PICTURES, PhotoReport, Report, labelled, report
from vision.scene import PieceKind
from vision.sheets.layout import SheetLayout
from vision.threads import use_one_core

if TYPE_CHECKING:
    from vision.frame import Image
    from vision.report_pictures import ErrorTile

SHEET_LAYOUT = "sheet-layout.json"
"""The file of a folder that describes the print of its score sheets."""
ENROL_PICTURES = {"cards": "enrol-cards"}
"""The kind of picture that faces are learned from, where it is not `enrol`."""


@click.command(epilog="Example:  pizzatable vision-report photos --kind ring --kind split --out report")
@click.option("--faces", type=EXISTING_FILE, help="Read with these faces instead of the folder's own.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(tuple(PICTURES)), help="Only pictures of this kind.")
@click.option("--style", "styles", multiple=True, help="Only pictures of this style.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="A folder for report.json, confusion.csv, reliability.png and errors.png.",
)
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
def command(
    faces: Path | None, kinds: tuple[str, ...], styles: tuple[str, ...], out: Path | None, folder: Path
) -> None:
    """Read every photo in DIR that has its truth beside it (NAME.jpg, NAME.json) and compare both ways.

    Prints the share of pieces read right by kind, with 95 % intervals; whole pictures; what was claimed as sure but
    wrong; likelihoods against how often they were right; milliseconds by stage.

    Without --faces they are learned, for each style, from the folder's own photos of kind `enrol` (cards:
    `enrol-cards`). The board of `theory` is learned from the first such picture of a style, which is not judged. Sheets
    are read for our own print, and for the one that DIR describes in `sheet-layout.json`; their marks are counted.
    """
    use_one_core()
    wanted = kinds or tuple(PICTURES)
    tiles: list[ErrorTile] = []
    with told(VisionError, PhotoError, FileNotFoundError, OSError):
        pack_for = partial(_given, load_pack(faces)) if faces is not None else partial(_learned, folder)
        count = sum(1 for _ in labelled(folder, wanted, styles))
        with click.progressbar(length=count, label="Reading", file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:

            def on_photo(photo: PhotoReport, image: "Image") -> None:
                bar.update(1)
                if out is not None:
                    tiles.extend(_tiles(photo, image))

            result = report(folder, pack_for, wanted, styles, on_photo, _prints(folder))
        if faces is None:
            result = _judged(result, folder)
        click.echo(result.as_text(), nl=False)
        if out is not None:
            with writing(out, "a folder that can be made and written to"):
                _write(out, result, tiles)


def _given(pack: FacePack, style: str, kind: str) -> FacePack:  # noqa: ARG001
    return pack


def _learned(folder: Path, style: str, kind: str) -> FacePack:
    """The faces of a style for a kind of picture, from the folder's own photos. Dice need none."""
    if PICTURES[kind] == {PieceKind.DIE}:
        return FacePack({}, ())
    pictures = list(labelled(folder, (ENROL_PICTURES.get(kind, "enrol"),), (style,))) if kind != "theory" else []
    pictures = pictures or list(labelled(folder, (kind,), (style,)))[:1]
    photos = [(load_photo(path.with_suffix(".jpg")), labels) for path, labels in pictures]
    return enrol(photos, source=[path.name for path, _ in pictures])


def _prints(folder: Path) -> tuple[SheetLayout, ...]:
    """Our own print of the score sheet, and the folder's."""
    own = folder / SHEET_LAYOUT
    return load_prints([own] if own.is_file() else [])


def _judged(result: Report, folder: Path) -> Report:
    """Without the pictures that were learned from."""
    styles = {photo.style for photo in result.photos if photo.kind == "theory"}
    learned = {next(labelled(folder, ("theory",), (style,)))[0].stem for style in styles}
    return Report(tuple(photo for photo in result.photos if photo.photo not in learned))


def _tiles(photo: PhotoReport, image: "Image") -> "list[ErrorTile]":
    from vision.report_pictures import error_tiles

    if photo.perfect:
        return []
    try:
        registration = find_mat(image)
    except RegistrationError:
        return []
    return error_tiles(photo, image, registration)


def _write(out: Path, result: Report, tiles: "list[ErrorTile]") -> None:
    from vision.report_pictures import error_sheet, reliability_diagram

    out.mkdir(parents=True, exist_ok=True)
    save_photo(out / "reliability.png", reliability_diagram(result.reliability()))
    save_photo(out / "errors.png", error_sheet(tiles))
    (out / "report.json").write_text(json.dumps([_as_json(photo) for photo in result.photos], indent=1) + "\n")
    with (out / "confusion.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["kind", "true", "read", "count"])
        rows.writerows([*names, count] for names, count in sorted(result.confusion().items()))


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
        "wrong_marks": [[c.mark.kind.value, list(c.mark.at), c.mark.probability] for c in photo.wrong_marks],
        "problem": photo.problem,
        "stage_ms": dict(photo.stage_ms),
    }
