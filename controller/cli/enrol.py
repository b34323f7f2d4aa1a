"""`pizzatable enrol`: learn an owner's faces from labelled photos."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from controller.cli.common import EXISTING_FILE, PhotoError, game_option, load_photo, told
from vision.faces import enrol, save_pack
from vision.registration import VisionError

Label = dict[str, Any]


class LabelFileError(Exception):
    """A label file is no label file, or does not go with the photos."""


@click.command(
    epilog="Example:  pizzatable enrol --game new_york_slice --out mine.faces --labels labels.json photo-*.jpg"
)
@game_option
@click.option("--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The file to write.")
@click.option(
    "--labels",
    required=True,
    multiple=True,
    type=EXISTING_FILE,
    help="What lies where in a photo: a JSON file with one photo's labels or a list of them. May be given several "
    "times, or once with several files; a label that has a photo's name goes with that photo, the others in order.",
)
@click.argument("photos", metavar="PHOTO...", nargs=-1, required=True, type=EXISTING_FILE)
def command(game: str, out: Path, labels: tuple[Path, ...], photos: tuple[Path, ...]) -> None:
    """Learn what the pieces of your copy of a game look like, from photos whose labels say what lies where."""
    # A shell's "--labels *.json" ends the option after its first file.
    labels += tuple(path for path in photos if path.suffix == ".json")
    photos = tuple(path for path in photos if path.suffix != ".json")
    with told(LabelFileError, PhotoError, VisionError, OSError):
        matched = match_labels(photos, [label for path in labels for label in read_labels(path)])
        with click.progressbar(
            photos, label="Reading photos", file=sys.stderr, hidden=not sys.stderr.isatty()
        ) as shown:
            images = [load_photo(photo) for photo in shown]
        pack = enrol(list(zip(images, matched, strict=True)), source=[photo.name for photo in photos])
        out.parent.mkdir(parents=True, exist_ok=True)
        save_pack(pack, out)
    click.echo(f"{out}: {len(pack.names)} faces of {game} from {len(photos)} photos")


def read_labels(path: Path) -> list[Label]:
    """The labels in a file: one photo's or a list of them. Raises LabelFileError."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise LabelFileError(f"{path}: expected a JSON file: {error}") from error
    labels = content if isinstance(content, list) else [content]
    if not labels or not all(isinstance(label, dict) for label in labels):
        raise LabelFileError(f"{path}: expected an object with a photo's labels, or a list of them")
    return labels


def match_labels(photos: Sequence[Path], labels: Sequence[Label]) -> list[Label]:
    """Each photo's label: the one that has its name, else the next of those that have no photo's name.

    Raises:
        LabelFileError: a photo is left without a label.
    """
    named = {label["photo"]: label for label in labels if isinstance(label.get("photo"), str)}
    without = [photo for photo in photos if photo.name not in named]
    names = {photo.name for photo in photos}
    rest = [label for label in labels if label.get("photo") not in names]
    if without and len(without) != len(rest):
        raise LabelFileError(
            f'{without[0]}: expected a label with "photo": "{without[0].name}", or as many labels without a photo\'s '
            f"name as photos without a label; {len(without)} such photos and {len(rest)} such labels are left"
        )
    in_order = iter(rest)
    return [named[photo.name] if photo.name in named else next(in_order) for photo in photos]
