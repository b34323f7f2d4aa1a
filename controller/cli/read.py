"""`pizzatable read`: read single photos of a table."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from config.counted import counted
from controller.cli.common import EXISTING_FILE, NamedPath, game_option, keep_what_is_read, told
from controller.games.registry import load_part
from controller.lenses import lens_for
from controller.reading import Describe
from controller.whose_faces import check_faces
from vision.dice.photo import DicePhotos
from vision.files.photos import load_with_focal, save_photo
from vision.finders import Finder
from vision.frame import Image, shows_colours
from vision.looking_for import finders_for
from vision.mat.errors import VisionError
from vision.mat.lens import AssumedFocal, Lens
from vision.mat.registration import Registration, find_mat, lens_doubt
from vision.pieces.faces import load_pack
from vision.reader import read_photo
from vision.reports.drawing import draw_dice, draw_scene
from vision.scene import HiddenCause, Origin, PieceKind, Scene
from vision.sheets.finder import mat_markers
from vision.threads import use_one_core


@click.command(epilog="Example:  pizzatable read --game new_york_slice --faces mine.faces --draw drawn photo.jpg")
@game_option
@click.option(
    "--faces",
    type=EXISTING_FILE,
    help="The enrolled faces, from `pizzatable enrol`. Only a game without any, such as dice_and_slice, goes without.",
)
@click.option(
    "--sheet",
    "sheets",
    multiple=True,
    type=EXISTING_FILE,
    help="A print of Dice and Slice's sheet besides our own: its geometry, a TOML or JSON file like the kit's.",
)
@click.option(
    "--lens",
    "lens_file",
    type=EXISTING_FILE,
    help="The camera's lens, from `pizzatable calibrate`; without it, it is estimated from each photo.",
)
@click.option(
    "--dice",
    is_flag=True,
    help="Read ordinary dice alone: in any photo, without faces; without a mat, places are in pixels.",
)
@click.option(
    "--draw",
    type=NamedPath(file_okay=False),
    help="A folder for copies of the photos with what was read drawn on them: NAME-read.jpg, NAME-read-2.jpg.",
)
@click.argument("photos", metavar="PHOTO...", nargs=-1, required=True, type=NamedPath(readable=False))
@click.pass_context
def command(
    ctx: click.Context,
    game: str,
    faces: Path | None,
    sheets: tuple[Path, ...],
    lens_file: Path | None,
    dice: bool,
    draw: Path | None,
    photos: tuple[Path, ...],
) -> None:
    """Print what lies on the table, one line of JSON a photo.

    Lengths are millimetres from the mat's centre, x to the right, y up in the photo; angles are degrees
    counter-clockwise. The arrangement leaves out what is less likely than not. Score sheets are read without a mat,
    too: "frame" is then "sheet", and lengths are from the sheet's centre, as it is printed. A photo that cannot be read
    gets a line with "error"; the exit status is then 1.
    """
    use_one_core()
    part = load_part(game, "describe")
    describe: Describe = part.describe
    with told(VisionError, OSError):
        if dice:
            line_of = _dice_lines(faces, sheets, lens_file)
        else:
            read, lay_out = _reader(game, part.KINDS, faces, sheets, lens_file)

            def line_of(image: Image, assumed: AssumedFocal) -> tuple[dict[str, Any], Callable[[], Image]]:
                scene = read(image, assumed)
                line = scene_line(scene, describe(scene.likely()))
                if (warning := what_is_wrong(scene, image, game, part.KINDS)) is not None:
                    line["warning"] = warning
                return line, lambda: draw_scene(image, scene, lay_out(image, assumed))

    drawings = [None if draw is None else draw / name for name in _drawings(photos)]
    keep_what_is_read(
        {f"--draw of {p}": to for p, to in zip(photos, drawings, strict=True)}, [*photos, faces, lens_file]
    )
    failed = False
    for photo, name, drawing in zip(photos, _names(photos), drawings, strict=True):
        drawn: Callable[[], Image] | None = None
        try:
            line, drawn = line_of(*load_with_focal(photo))
        except VisionError as error:
            line = {"error": str(error)}
            failed = True
        click.echo(json.dumps({"photo": name} | line, ensure_ascii=False))
        if drawing is not None and drawn is not None:
            try:
                save_photo(drawing, drawn())
            except VisionError as error:
                click.echo(f"Error: {error}", err=True)
                failed = True
    ctx.exit(1 if failed else 0)


def _drawings(photos: Sequence[Path]) -> Iterator[str]:
    """What each photo's drawing is called: photos of one name have one each."""
    count = Counter[str]()
    for photo in photos:
        count[photo.stem] += 1
        yield f"{photo.stem}-read{f'-{count[photo.stem]}' if count[photo.stem] > 1 else ''}.jpg"


def _names(photos: Sequence[Path]) -> list[str]:
    """What each photo is called: its own name, or where several have one its path as it was given."""
    count = Counter(photo.name for photo in photos)
    return [photo.name if count[photo.name] == 1 else str(photo) for photo in photos]


def what_is_wrong(scene: Scene, image: Image, game: str, kinds: Collection[PieceKind]) -> str | None:
    """What to say of a photo that shows less than it should; None where all is well."""
    if PieceKind.TOPPING in kinds and not shows_colours(image):
        return "the photo shows no colours: expected some, as toppings and cutters are told by them alone"
    if PieceKind.SHEET in kinds and not any(seen.kind is PieceKind.SHEET for seen in scene.sightings):
        return (
            "no score sheet is found: expected one of which three corner marks show, each at least 13 pixels wide, "
            "sharply, and the sheets given with --sheet where they are not the kit's"
        )
    if scene.origin is Origin.SHEET and (shown := mat_markers(image)):
        return (
            "the mat is not found: expected two of its corner markers, sharp; of these "
            f"{', '.join(map(str, shown))} {'shows' if len(shown) == 1 else 'show'}; other sheets than this may be "
            "missing, and lengths are from this one's centre"
        )
    if (nothing := nothing_known(scene, game)) is not None:
        return nothing
    if PieceKind.BOARD in kinds and (unknown := _board_unknown(scene)) is not None:
        return unknown
    if kinds != {PieceKind.SHEET} and not shows_colours(image):
        return "the photo shows no colours: pieces may be missed, as faces are told by theirs, too"
    return None


def nothing_known(scene: Scene, game: str) -> str | None:
    """What to say of a table on which nothing of this game is seen; None where something is."""
    if any(seen.likely for seen in scene.sightings):
        return None
    strange = sum(place.cause is HiddenCause.FOREIGN for place in scene.hidden)
    besides = f", but {counted(strange, 'place')} with something strange" if strange else ""
    return (
        f"none of the enrolled faces of {game} is seen{besides}: expected this game's pieces, and faces that were "
        "enrolled from this copy"
    )


def _board_unknown(scene: Scene) -> str | None:
    """What to say where the board, or how it lies, is not known; None where it is."""
    boards = [seen for seen in scene.sightings if seen.kind is PieceKind.BOARD]
    if any(seen.likely for seen in boards):
        return None
    if boards:
        return (
            "which of its three turns the board lies in cannot be told: expected more of its names in sight; what lies "
            "on its spaces and lines is left out"
        )
    return "the board is not found: expected the one that was enrolled, with most of its print in sight"


def _reader(
    game: str,
    kinds: Collection[PieceKind],
    faces: Path | None,
    sheets: Sequence[Path],
    lens_file: Path | None,
) -> tuple[Callable[[Image, AssumedFocal], Scene], Callable[[Image, AssumedFocal], Registration]]:
    """What reads a photo of these kinds of piece, and what lays it over the table for drawing."""
    from controller.sheet_prints import load_prints

    if kinds == {PieceKind.SHEET}:
        from vision.sheets.finder import lay_out, read_sheets

        if lens_file is not None:
            raise click.UsageError(
                "--lens is for photos of a table with its mat: sheets are laid flat by their own marks"
            )
        layouts = load_prints(sheets)
        return lambda image, _: read_sheets(image, layouts), lambda image, _: lay_out(image, layouts)[0]
    if faces is None:
        raise click.UsageError("this game's pieces are told by their faces: give them with --faces")
    pack = load_pack(faces)
    for warning in check_faces(pack, faces, game):
        click.echo(f"Warning: {warning}", err=True)
    prints = load_prints(sheets)

    def finders() -> Sequence[Finder]:
        """New ones for each photo: what one shows of a table is no memory for the next, which may show another."""
        return finders_for(kinds, pack, prints)

    finders()  # what is missing is said before any photo is read
    if lens_file is None:
        return (
            lambda image, assumed: read_photo(image, pack, assumed=assumed, finders=finders()),
            lambda image, assumed: find_mat(image, assumed=assumed),
        )

    lens_for(lens_file)

    def read(image: Image, _: AssumedFocal) -> Scene:
        lens = lens_for(lens_file, image)
        _warn_of_lens(find_mat(image, lens=lens), lens, lens_file)
        return read_photo(image, pack, lens=lens, finders=finders())

    return read, lambda image, _: find_mat(image, lens=lens_for(lens_file, image))


def _warn_of_lens(registration: Registration, lens: Lens | None, lens_file: Path | None) -> None:
    """Warn where a lens that was given seems to be another camera's."""
    if lens is not None and (doubt := lens_doubt(registration, lens)):
        click.echo(f"Warning: {lens_file}: {doubt}", err=True)


def scene_line(scene: Scene, arrangement: Any) -> dict[str, Any]:
    """What is printed of a scene."""
    return {
        "frame": scene.origin.value,
        "pieces": [
            {
                "kind": sighting.kind.value,
                "face": sighting.face,
                "face_up": sighting.face_up,
                "x_mm": round(sighting.pose.x_mm, 2),
                "y_mm": round(sighting.pose.y_mm, 2),
                "angle_deg": round(sighting.pose.angle_deg, 2),
                "likelihood": round(sighting.probability, 4),
                "visible": round(sighting.visible, 3),
            }
            for sighting in scene.sightings
        ],
        "arrangement": arrangement,
        "hidden": [
            {"outline_mm": [[round(x, 1), round(y, 1)] for x, y in place.outline_mm], "cause": place.cause.value}
            for place in scene.hidden
        ],
        "stage_ms": {stage: round(spent_ms, 2) for stage, spent_ms in scene.stage_ms.items()},
    }


def _dice_lines(
    faces: Path | None, sheets: Sequence[Path], lens_file: Path | None
) -> Callable[[Image, AssumedFocal], tuple[dict[str, Any], Callable[[], Image]]]:
    """What reads dice alone: a photo's line, and the photo with them drawn on it."""
    if faces is not None or sheets:
        raise click.UsageError("--dice reads dice alone: expected neither --faces nor --sheet with it")
    photos = DicePhotos()
    lens_for(lens_file)

    def line_of(image: Image, assumed: AssumedFocal) -> tuple[dict[str, Any], Callable[[], Image]]:
        lens = lens_for(lens_file, image)
        scene, registration = photos.read(image, lens, assumed)
        if registration is None:
            return dice_line(scene), lambda: draw_dice(image, scene.sightings)
        _warn_of_lens(registration, lens, lens_file)
        values = sorted(int(sighting.face) for sighting in scene.sightings)
        return scene_line(scene, {"dice": values}), lambda: draw_scene(image, scene, registration)

    return line_of


def dice_line(scene: Scene) -> dict[str, Any]:
    """What is printed of dice in a photo without a mat; places and corners of the tops in pixels."""
    return {
        "frame": scene.origin.value,
        "pieces": [
            {
                "kind": die.kind.value,
                "face": die.face,
                "x_px": die.pose.x_mm,
                "y_px": die.pose.y_mm,
                "corners_px": [[x, y] for x, y in die.outline_mm],
                "likelihood": round(die.probability, 4),
            }
            for die in scene.sightings
        ],
        "arrangement": {"dice": sorted(int(die.face) for die in scene.sightings)},
    }
