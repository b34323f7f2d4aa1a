"""`pizzatable kit`: files to print."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from controller.cli.common import NamedPath, told, writing
from controller.printing import GAME_PRINTS, PICTURE_PX_PER_MM
from hardware.kit.drawing import Page
from hardware.kit.paper import Paper, make_pages
from vision.files.photos import PhotoError, save_photo
from vision.files.whole_files import write_whole

_PICTURE_PX_PER_MM = 4.0


@click.command(epilog="Example:  pizzatable kit --out kit --paper letter --game dice_and_slice")
@click.option("--out", required=True, type=NamedPath(file_okay=False), help="The folder to write to.")
@click.option(
    "--paper",
    type=click.Choice([paper.name.lower() for paper in Paper]),
    default=Paper.A4.name.lower(),
    show_default=True,
    help="What the printer holds.",
)
@click.option(
    "--game",
    "games",
    multiple=True,
    type=click.Choice(sorted(GAME_PRINTS)),
    help="A game whose pieces are to be printed, too; may be given several times. Without it: all of them.",
)
@click.option("--pictures", is_flag=True, help="Write each page as a PNG, too, to look at.")
def command(out: Path, paper: str, games: tuple[str, ...], pictures: bool) -> None:
    """Write PDF files to print: the mat, loose corners, calibration and wiring sheets, and our own faces for each game.

    Print them at 100 % ("actual size"): the ruler at the foot of each page is 100 mm long.
    """
    with told(PhotoError), writing(out, "a folder that can be made and written to"):
        out.mkdir(parents=True, exist_ok=True)
        for name, title, pages in kit_files(Paper[paper.upper()], games or sorted(GAME_PRINTS)):
            _write(out / f"{name}.pdf", title, pages, pictures=pictures)


def kit_files(paper: Paper, games: Sequence[str]) -> Iterator[tuple[str, str, list[Page]]]:
    """Name, title and pages of each file."""
    from hardware.kit.table_sheets import calibration_sheet, loose_corners, mat_for_a_print_shop, mat_tiles
    from hardware.kit.wiring import wiring_sheet
    from hardware.pin_table.drawing import draw_wiring
    from hardware.pin_table.table import load_pin_table

    yield "mat", "The mat, on six sheets", make_pages(paper, mat_tiles(paper))
    yield "mat-print-shop", "The mat, in one piece", mat_for_a_print_shop()
    yield "corners", "Four loose corners", make_pages(paper, loose_corners(paper))
    yield "calibration-sheet", "The calibration sheet", make_pages(paper, calibration_sheet(paper))
    yield "wiring", "The wiring", make_pages(paper, wiring_sheet(paper, draw_wiring(load_pin_table())))
    for game in games:
        title = game.replace("_", " ").title().replace("And", "and")
        yield game.replace("_", "-"), title, make_pages(paper, GAME_PRINTS[game](paper, PICTURE_PX_PER_MM))


def _write(path: Path, title: str, pages: Sequence[Page], *, pictures: bool) -> None:
    from hardware.kit.pdf import write_pdf

    write_whole(path, write_pdf(pages, title))
    count = "1 page" if len(pages) == 1 else f"{len(pages)} pages"
    click.echo(f"{path}: {count}")
    if pictures:
        from hardware.kit.raster import draw_page

        for number, page in enumerate(pages, start=1):
            save_photo(path.with_name(f"{path.stem}-{number:02}.png"), draw_page(page, _PICTURE_PX_PER_MM))
