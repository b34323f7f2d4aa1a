"""`pizzatable enrol`: learn what the pieces of an owner's copy look like, from photos in which they lie apart."""

import contextlib
import os
import sys
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from config.counted import counted
from config.errors import ConfigError
from config.loader import load_table, table_files, written_at
from controller.cli.common import EXISTING_FILE, NamedPath, game_option, keep_what_is_read, told, writing
from controller.game import GameError
from controller.games.facts import ComponentError
from controller.games.registry import needs_faces
from controller.lenses import lens_for
from controller.whose_faces import GameFaces, faces_of, whole_of_others
from vision.files.board_marks import MARKS
from vision.files.photos import PhotoError, load_photo, save_photo
from vision.mat.errors import VisionError
from vision.pieces.faces import load_pack

if TYPE_CHECKING:
    from controller.enrolling import Learned
    from vision.frame import Image
    from vision.mat.lens import Lens

Label = dict[str, Any]
WAYS: Mapping[str, Set[str]] = {
    "find": {"find", "empty", "lens_file"},
    "page": {"out", "page", "empty", "port", "config_file", "lens_file"},
    "out": {"out", "labels", "check", "config_file", "lens_file"},
}
"""The options that each way of enrolling takes besides the game and photos."""
HOW_TOPS = (
    "it is the thick side of the outline in the numbered photos; where it is not, add 90, 180 or 270 to the card's "
    '"angle_deg", which goes counter-clockwise'
)
SHOWN = 8
"""So many faces of a kind of trouble are named on one line."""


class LabelFileError(Exception):
    """Labels do not go with the photos."""


@click.command(
    epilog="""\b
    Example:  pizzatable enrol --game slice --out mine.faces --page photo-*.jpg
    or, without a browser:
    pizzatable enrol --game slice --find mine.json photo-*.jpg
    then, with the names filled in:
    pizzatable enrol --game slice --out mine.faces --labels mine.json photo-*.jpg
    """
)
@game_option
@click.pass_context
@click.option("--out", type=NamedPath(dir_okay=False), help="The file of faces to write.")
@click.option(
    "--labels",
    multiple=True,
    type=EXISTING_FILE,
    help="What lies where in a photo: a JSON file with one photo's labels or a list of them. May be given several "
    "times, or once with several files; a label that names a photo goes with that photo, the others in order.",
)
@click.option(
    "--find",
    type=NamedPath(dir_okay=False),
    help="Find the pieces and write this labels file, each face left to be filled in, and beside it each photo with "
    "the pieces numbered.",
)
@click.option(
    "--empty", type=EXISTING_FILE, help="A photo of the same table with nothing on it: patterns do not matter."
)
@click.option(
    "--page", is_flag=True, help="Name the pieces on a page, or point at a board, in photos given here or taken there."
)
@click.option("--port", type=click.IntRange(0, 65535), default=8081, show_default=True, help="The page's TCP port.")
@click.option(
    "--config",
    "config_file",
    type=EXISTING_FILE,
    help="The table's settings: for its camera, with --page, and for what cards of your copy's own are called.",
)
@click.option(
    "--lens",
    "lens_file",
    type=EXISTING_FILE,
    help="The camera's lens, from `pizzatable calibrate`; the table's own camera has it with --page.",
)
@click.option(
    "--check", is_flag=True, help="Read darker, tinted, blurred and smaller copies: which faces are confused?"
)
@click.argument("photos", metavar="[PHOTO]...", nargs=-1, type=EXISTING_FILE)
def command(
    ctx: click.Context,
    game: str,
    out: Path | None,
    labels: tuple[Path, ...],
    find: Path | None,
    empty: Path | None,
    page: bool,
    port: int,
    config_file: Path | None,
    lens_file: Path | None,
    check: bool,
    photos: tuple[Path, ...],
) -> None:
    """Learn what the pieces of your copy of a game look like.

    Lay the pieces on the mat and around it, none touching another, in any order and turn, some in each photo; one piece
    of each back, too. Name them on the page, or in the labels file that --find writes.
    """
    # A shell's "--labels *.json" ends the option after its first file.
    labels += tuple(path for path in photos if path.suffix.lower() == ".json")
    photos = tuple(path for path in photos if path.suffix.lower() != ".json")
    way = "find" if find is not None else "page" if page else "out"
    _something_to_enrol(game, way)
    if find is None and out is None:
        raise click.UsageError("expected --find LABELS to find the pieces, or --out FACES to learn them")
    _of_use(ctx, way, labels)
    if page and empty is not None and faces_of(game).board_corners:
        raise click.UsageError(f"--empty does nothing for {game}, whose board is pointed at; expected it left out")
    numbered = {f"the drawing of {photo}": _numbered(find, photo) for photo in photos if find is not None}
    keep_what_is_read({"--out": out, "--find": find, **numbered}, [*photos, *labels, empty, config_file, lens_file])
    if find is not None or page:
        _named_apart(photos)
    with told(LabelFileError, PhotoError, VisionError, ConfigError, GameError, OSError):
        if out is not None and out.is_file():
            _not_anothers(out, game)
        if find is not None:
            _find(game, find, empty, photos, lens_file)
        elif page and out is not None:
            _page(_with_own(game, config_file), out, empty, photos, port, config_file, lens_file)
        elif out is not None:
            _learn(_with_own(game, config_file), out, labels, photos, lens_file, check=check)


def _not_anothers(out: Path, game: str) -> None:
    """Refuse to learn into another game's file, before anybody names anything."""
    with contextlib.suppress(VisionError, OSError):  # what cannot be read is told when it is to be written over
        if others := whole_of_others(load_pack(out), game):
            raise click.UsageError(
                f"--out {out}: these are faces of {' or '.join(others)}, not of {game}; expected another file"
            )


def _with_own(game: str, config_file: Path | None) -> GameFaces:
    """What there is to enrol, where names may differ, or a board's corners, with those that the table's settings have.
    Raises ConfigError, GameError."""
    if not (faces := faces_of(game)).names_may_differ and not faces.board_corners:
        return faces
    files = table_files(config_file, os.environ)
    config = load_table(files)
    try:
        return faces_of(game, config.options if config.game == game else {})
    except ComponentError as error:
        raise GameError(f"{written_at(files, ('options', 'components'))}: {game}: {error}") from error


def _something_to_enrol(game: str, way: str) -> None:
    """Refuse a game whose pieces need not be shown, or are not found by themselves."""
    from vision.enrolling.laid_out import SIZES_MM

    if not needs_faces(game):
        raise click.UsageError(f"there is nothing to enrol of {game}: its pieces have no faces that would be learned")
    if way == "find" and not faces_of(game).kinds & SIZES_MM.keys():
        raise click.UsageError(
            f"--find finds slices and cards; expected --page, on which board and toppings of {game} are pointed at"
        )


def _of_use(ctx: click.Context, way: str, labels: Sequence[Path]) -> None:
    """Refuse options that this way of enrolling does nothing with."""
    given = {
        name
        for name in ctx.params
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE and name != "labels"
    }
    given |= {"labels"} if labels else set()
    names = {option.name: option.opts[0] for option in ctx.command.params}
    if useless := sorted(given - WAYS[way] - {"game", "photos"}):
        raise click.UsageError(f"{names[useless[0]]} does nothing together with --{way}; expected it left out")


def _named_apart(photos: Sequence[Path]) -> None:
    """Refuse photos of one name: their labels are told apart by it."""
    for photo in photos:
        alike = [str(other) for other in photos if other.stem == photo.stem]
        if len(alike) > 1:
            raise click.UsageError(f"{len(alike)} photos have one name: {', '.join(alike)}; expected a name for each")


def _numbered(find: Path, photo: Path) -> Path:
    """The copy of a photo with its pieces numbered, in a folder of its own: where photos are asked for by a pattern,
    these are none of them."""
    return find.with_name(f"{find.stem}-found") / f"{photo.stem}.jpg"


def _find(game: str, path: Path, empty: Path | None, photos: Sequence[Path], lens_file: Path | None) -> None:
    from controller.enrolling import Naming, as_text, label_of, spread

    kinds = faces_of(game).kinds
    bare = load_photo(empty) if empty is not None else None
    found, refused = [], []
    if not photos:
        raise click.UsageError("expected at least one photo")
    _keep_names(path)
    lens_for(lens_file)
    for photo in photos:
        try:
            image = load_photo(photo)
            one = spread(photo.name, image, kinds, bare, lens_for(lens_file, image))
        except VisionError as error:
            refused.append(photo)
            click.echo(f"Error: {error}; nothing is said of this photo", err=True)
            continue
        if one.doubt:
            click.echo(f"warning: {photo}: {one.doubt} (--empty)", err=True)
        for warning in one.warnings:
            click.echo(f"warning: {photo}: {warning}", err=True)
        found.append(label_of(one, [Naming("")] * len(one.pieces), doubtful=True))
        drawn = _numbered(path, photo)
        with writing(drawn.parent, "a folder that can be made and written to"):
            drawn.parent.mkdir(parents=True, exist_ok=True)
        save_photo(drawn, one.picture(faces_of(game).tops))
        doubtful = f" and {len(one.doubtful)} doubtful" if one.doubtful else ""
        click.echo(f"{photo}: {counted(len(one.pieces), 'piece')}{doubtful}, numbered in {drawn}")
    if not found:
        raise click.ClickException(f"{path}: not written, as no photo could be used")
    if not any(label["pieces"] for label in found):
        raise click.ClickException(f"{path}: not written, as no piece was found; expected pieces that lie apart")
    with writing(path, "a labels file that can be written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(as_text(found), encoding="utf-8")
    names = f" with a name from {_write_names(game, path)}" if faces_of(game).looks else ""
    click.echo(
        f'{path}: fill in each "face"{names}, in the order of the numbers; leave it empty where there is no piece'
    )
    click.echo(
        "A piece without a number was not found: photograph it once more, on the mat (a cream one beside it), or "
        "outline it on the page."
    )
    if tops := faces_of(game).of_tops(HOW_TOPS):
        click.echo(tops)
    if refused:
        raise click.ClickException(f"{len(refused)} of {len(photos)} photos could not be used: {_some(refused)}")


def _write_names(game: str, path: Path) -> Path:
    """A file that says what each name stands for, beside the drawings."""
    looks = faces_of(game).looks
    names = _numbered(path, Path("names")).with_suffix(".txt")
    width = max(map(len, looks))
    note = "Names that show the same may be given in any order. A copy that shows otherwise: see docs/playing.md."
    lines = [f"{face:<{width}}  {shows}" for face, shows in looks.items()]
    with writing(names, "a file that can be written"):
        names.write_text("\n".join([f"The faces of {game}. {note}", "", *lines, ""]), encoding="utf-8")
    return names


def _keep_names(path: Path) -> None:
    """Refuse to write over labels that somebody has filled in, and over what --find did not write."""
    from controller.kept_enrolment import was_told
    from vision.files.label_kinds import LabelError
    from vision.files.labels import load_json

    try:
        content = load_json(path) if path.exists() else []
    except LabelError as error:
        raise click.ClickException(f"{error}; it is not written over") from error
    photos = content if isinstance(content, list) else [content]
    found: list[Any] = [photo.get("pieces") if isinstance(photo, dict) else None for photo in photos]
    pieces = [piece for its in found if isinstance(its, list) for piece in its]
    if told_of := sum(isinstance(piece, dict) and was_told(piece) for piece in pieces):
        raise click.ClickException(
            f"{path}: {told_of} of its {len(pieces)} pieces have a face already, or were outlined or removed by hand; "
            "expected a new file, or one without"
        )
    if not all(isinstance(its, list) for its in found) or not all(map(_is_found, pieces)):
        raise click.ClickException(f"{path}: it is no labels file of --find; expected a new file, or one that it wrote")


def _is_found(piece: object) -> bool:
    """Whether this is a piece as --find writes it, with or without its face."""
    return isinstance(piece, dict) and {"number", "kind", "face", "outline_px"} <= piece.keys()


def _page(
    game: GameFaces,
    out: Path,
    empty: Path | None,
    photos: Sequence[Path],
    port: int,
    config_file: Path | None,
    lens_file: Path | None,
) -> None:
    from controller.cli.enrol_page import serve_page

    bare = load_photo(empty) if empty is not None else None
    serve_page(game, out, bare, photos, port, config_file, lens_file)


def _learn(
    game: GameFaces,
    out: Path,
    labels: Sequence[Path],
    photos: Sequence[Path],
    lens_file: Path | None,
    *,
    check: bool,
) -> None:
    from controller.enrolling import learn, with_pieces
    from controller.kept_enrolment import save_faces
    from vision.files.labels import check_outlines, check_size, load_labels

    if not photos or not labels:
        raise click.UsageError("expected photos and --labels that say what lies in them; --find writes such labels")
    loaded = [(path, load_labels(path)) for path in labels]
    matched, warnings = match_labels(photos, loaded)
    for warning in warnings:
        click.echo(f"warning: {warning}", err=True)
    images = _images(photos)
    for image in images:
        lens_for(lens_file, image)
    lens = lens_for(lens_file)
    files = ", ".join(str(path) for path in labels)
    for photo, image, label in zip(photos, images, matched, strict=True):
        height, width = image.shape[:2]
        check_size({"pieces": [], **label}, width, height, f"{files}: labels of {photo.name}")
        if MARKS in label:
            _draw_marked(game, _numbered(out, photo), label, image, photo.name, lens)
        else:
            check_outlines(label, width, height, f"{files}: labels of {photo.name}")
    matched = [
        with_pieces(label, image, photo.name, game, lens)
        for photo, image, label in zip(photos, images, matched, strict=True)
    ]
    pictures = list(zip(images, matched, strict=True))
    learned = learn(pictures, [photo.name for photo in photos], game, lens, _named_at(loaded))
    with writing(out, "a file of faces that can be written"):
        save_faces(learned.pack, out, [photo.name for photo in photos])
    board = learned.pack.board
    also = f" and a board of {len(board.space_names)} spaces" if board is not None else ""
    faces = counted(len(learned.pack.names), "face")
    click.echo(f"{out}: {faces}{also} of {game.game} from {counted(len(photos), 'photo')}")
    _tell(learned)
    if check:
        _check(pictures, [photo.name for photo in photos], learned)


def _named_at(files: Sequence[tuple[Path, Sequence[Label]]]) -> dict[str, list[str]]:
    """Where each face is named, as other errors in labels say it."""
    places: dict[str, list[str]] = {}
    for path, photos in files:
        file = f"{path}: " if len(files) > 1 else ""
        for number, label in enumerate(photos, 1):
            for index, piece in enumerate(label.get("pieces", ())):
                at = f"{file}photo {number} of {len(photos)}: pieces[{index}]"
                places.setdefault(str(piece.get("face", "")).strip(), []).append(at)
    return places


def _draw_marked(game: GameFaces, drawing: Path, label: Label, image: "Image", name: str, lens: "Lens | None") -> None:
    """A copy of a photo with its board as it is understood."""
    from controller.enrolling import marked_board
    from vision.enrolling.marked_board import draw_marked_board
    from vision.pieces.learning import find_named

    registration = find_named(image, name, lens)
    board = marked_board(label[MARKS], registration, name, game)
    save_photo(drawing, draw_marked_board(image, registration, board))
    click.echo(f"{drawing}: the board as its marks are understood")


def _tell(learned: "Learned") -> None:
    """What the owner should know of the faces."""
    if learned.missing:
        click.echo(f"still missing of the game: {', '.join(learned.missing)}")
    for sentence in learned.sentences():
        click.echo(sentence)
    for doubt in learned.doubts:
        click.echo(f"warning: {doubt}", err=True)


def _check(photos: "Sequence[tuple[Image, Label]]", names: Sequence[str], learned: "Learned") -> None:
    from controller.enrolling import named_only
    from vision.enrolling.alike import COPIES, confused, read_copies

    named = [(image, named_only(labels)) for image, labels in photos]
    count, hidden = COPIES * len(named), not sys.stderr.isatty()
    with click.progressbar(length=count, label="Reading copies", file=sys.stderr, hidden=hidden) as bar:
        report = read_copies(named, learned.pack, names, lambda: bar.update(1))
    right, expected = sum(photo.right for photo in report.photos), sum(photo.expected for photo in report.photos)
    if not expected:
        click.echo("Nothing to check: no piece in the photos has a face that could be taken for another.")
        return
    click.echo(f"On {len(report.photos)} altered copies of the photos {right} of {expected} pieces are read right.")
    for (true, claimed), count in confused(report).most_common():
        click.echo(f"  {true} taken for {claimed}: {count} times")
    for fault in report.faults():
        click.echo(f"  {fault}")


def _some(names: Sequence[object]) -> str:
    return ", ".join(str(name) for name in names[:SHOWN]) + (" ..." if len(names) > SHOWN else "")


def _images(photos: Sequence[Path]) -> "list[Image]":
    with click.progressbar(photos, label="Reading photos", file=sys.stderr, hidden=not sys.stderr.isatty()) as shown:
        return [load_photo(photo) for photo in shown]


def match_labels(
    photos: Sequence[Path], files: Sequence[tuple[Path, Sequence[Label]]]
) -> tuple[list[Label], list[str]]:
    """Each photo's label: the one that has its name, else the next of those that name no photo. And warnings: where one
    photo is left and a file holds a label for one other photo only, it is taken to be the same photo, renamed.

    Raises:
        LabelFileError: a photo is left without a label, or has two.
    """
    labels = [label for _, several in files for label in several]
    names = [label["photo"] for label in labels if isinstance(label.get("photo"), str)]
    named = {label["photo"]: label for label in labels if isinstance(label.get("photo"), str)}
    for photo in photos:
        if names.count(photo.name) > 1:
            raise LabelFileError(
                f'{photo}: expected one label with "photo": "{photo.name}", not {names.count(photo.name)}'
            )
        if photo.name in named and sum(other.name == photo.name for other in photos) > 1:
            raise LabelFileError(f'{photo}: labels with "photo": "{photo.name}" may be of another photo of that name')
    without = [photo for photo in photos if photo.name not in named]
    rest = [label for label in labels if not isinstance(label.get("photo"), str)]
    others = [name for name in names if name not in {photo.name for photo in photos}]
    renamed = [(path, several[0]) for path, several in files if [one.get("photo") for one in several] == others]
    if len(without) == len(others) == len(renamed) == 1 and not rest:
        ((path, label),) = renamed
        warning = f"{path} has labels of {others[0]}; they are used for {without[0]}, the only photo without labels"
        return [named.get(photo.name, label) for photo in photos], [warning]
    if len(without) != len(rest):
        also = f"; labels of other photos: {_some(others)}" if others else ""
        first = without[0] if without else photos[0]
        raise LabelFileError(
            f'{first}: expected a label with "photo": "{first.name}", or as many labels without a photo\'s '
            f"name as photos without a label; {len(without)} such photos and {len(rest)} such labels are left{also}"
        )
    in_order = iter(rest)
    return [named[photo.name] if photo.name in named else next(in_order) for photo in photos], []
