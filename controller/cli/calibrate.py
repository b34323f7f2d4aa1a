"""`pizzatable calibrate`: the lens of a camera, from photos of a printed sheet."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from config.errors import ConfigError
from config.loader import load_table, table_files
from config.schema import TableConfig
from controller.calibrating import Wanted, collect_views
from controller.cli.common import EXISTING_FILE, NamedPath, keep_what_is_read, told, writing
from controller.lenses import lens_file
from hardware.camera import CameraError
from hardware.drivers import recorded_files
from vision.files.photos import PhotoError, load_photo, save_photo
from vision.files.whole_files import write_whole
from vision.frame import Image
from vision.mat.calibration import Calibration, calibrate
from vision.mat.calibration_picture import draw_misses
from vision.mat.calibration_sheet import See, View, see_mat, see_sheet
from vision.mat.errors import CalibrationError, TooFewViews
from vision.mat.lens_file import lens_text, of_one_shape

VIEWS = Wanted(views=12, limit_s=180.0)
WELL_COVERED = 0.5
"""Share of the picture below which more photos are asked for."""
SURE_FOCAL = 0.005
"""A focal length that is less sure (one deviation, as a share of it) can be had surer."""


@click.command(epilog="Example:  pizzatable calibrate --out lens.json photo-*.jpg")
@click.option(
    "--config", "config_file", type=EXISTING_FILE, help="This table's settings (TOML), laid over the defaults."
)
@click.option(
    "--out",
    type=NamedPath(dir_okay=False),
    help="The file to write. Without it: that of this table's camera in its data folder, which the service uses.",
)
@click.option("--mat", is_flag=True, help="The photos show the mat's markers, not the calibration sheet.")
@click.argument("photos", metavar="[PHOTO]...", nargs=-1, type=NamedPath())
def command(config_file: Path | None, out: Path | None, mat: bool, photos: tuple[Path, ...]) -> None:
    """Find a camera's focal length and distortion from photos of the calibration sheet, or with the camera live.

    Print the sheet with `pizzatable kit`. In ten photos or more it lies at other places, also in the picture's corners,
    and leans other ways. Without photos the table's camera is opened, and views are taken while you hold the sheet
    still. A picture beside the file shows how far each corner misses.
    """
    see = see_mat if mat else see_sheet
    with told(ConfigError, CalibrationError, CameraError, PhotoError, OSError):
        config = load_table(table_files(config_file, os.environ))
        path = out or lens_file(config)
        picture = path.with_name(f"{path.stem}-misses.png")
        keep_what_is_read(
            {"--out" if out else "the lens": path, "the picture beside it": picture},
            [config_file, *(photos or recorded_files(config.camera.driver))],
        )
        if photos:
            found = calibrate(photo_views(photos, see))
        else:
            found = calibrate(live_views(config, see if out else _of_the_settings_shape(config, see)))
        if not out:
            _check_shape(config, found.size_px, "the photos are", "photos by this camera as it is played, or --out")
        with writing(path, "a lens file that can be written"):
            path.parent.mkdir(parents=True, exist_ok=True)
            save_photo(picture, draw_misses(found))
            write_whole(path, lens_text(found, "photos" if photos and out else config.camera.driver).encode())
    for line in told_lines(found):
        click.echo(line)
    click.echo(f"{path}: the lens; {picture}: how far each corner misses")


def photo_views(photos: Sequence[Path], see: See) -> list[View]:
    """The photos that serve; the others are named with why they do not.

    Raises:
        PhotoError, CalibrationError: none serves; the reason is that of the first.
    """
    views: list[View] = []
    refused: list[CalibrationError | PhotoError] = []
    alike = Counter(photo.name for photo in photos)
    for photo in photos:
        try:
            views.append(see(load_photo(photo), photo.name if alike[photo.name] == 1 else str(photo)))
        except (CalibrationError, PhotoError) as error:
            refused.append(error)
            click.echo(f"left out: {error}", err=True)
    if refused and not views:
        none = f"none of {len(photos)} photos serves; the first" if len(photos) > 1 else "the photo does not serve"
        raise type(refused[0])(f"{none}: {refused[0]}")
    return views


def live_views(config: TableConfig, see: See) -> list[View]:
    """Views from this table's camera.

    Raises:
        CameraError: there is no such camera.
        TooFewViews: it is a simulated one, before which no sheet can be held.
    """
    from controller.watching import open_table_camera

    if config.camera.driver == "simulated":
        raise TooFewViews("no sheet can be held before the simulated camera; give photos, or settings with another one")
    camera = open_table_camera(config, None)
    click.echo(
        f"{camera.description}: hold the sheet before it, {VIEWS.views} times at other places and angles", err=True
    )
    try:
        return collect_views(camera, see, VIEWS, lambda said: click.echo(said, err=True))
    finally:
        camera.close()


def _of_the_settings_shape(config: TableConfig, see: See) -> See:
    """`see`, for a camera that gives pictures of the settings' shape: before anybody holds the sheet twelve times."""

    def seen(image: Image, name: str) -> View:
        size_px = image.shape[1], image.shape[0]
        _check_shape(config, size_px, "the camera's pictures are", "these settings to say what the camera gives")
        return see(image, name)

    return seen


def _check_shape(config: TableConfig, size_px: tuple[int, int], what: str, expected: str) -> None:
    """Refuse a lens with which the table would not start. Raises click.ClickException."""
    settings = config.camera.width, config.camera.height
    if not of_one_shape(size_px, settings):
        raise click.ClickException(
            f"{what} of {size_px[0]}x{size_px[1]} pixels, and camera.width and camera.height of the settings are "
            f"{settings[0]}x{settings[1]}, another shape: no lens is kept; expected {expected}"
        )


def told_lines(found: Calibration) -> Iterator[str]:
    """What was found, for people."""
    width, height = found.size_px
    lens = found.lens
    for name, why in found.left_out:
        yield f"left out: {name}: {why}"
    yield f"{'view':<24}{'error':>10}{'lean':>8}"
    for view in found.views:
        yield f"{view.name:<24}{view.error_px:>7.2f} px{view.lean_deg:>6.0f}°"
    yield (
        f"focal length {lens.focal_widths * width:.1f} px (± {found.focal_spread:.1%}), k1 {lens.k1:+.4f}, "
        f"k2 {lens.k2:+.4f}, for pictures of {width}x{height}"
    )
    if found.focal_spread > SURE_FOCAL:
        yield (
            "More photos in which the sheet leans, to all sides, with zoom and focus left alone, make the focal "
            "length surer."
        )
    if found.centre_shown:
        yield (
            f"its axis goes {round(lens.right * width):+d} px to the right of the picture's middle, "
            f"{round(lens.down * width):+d} px below it"
        )
    else:
        yield (
            "The photos do not tell where its axis goes, which is taken to be the picture's middle: more of them in "
            "which the sheet leans, to all sides, would tell."
        )
    yield f"reprojection error {found.error_px:.3f} px; {found.covered:.0%} of the picture was covered"
    if not found.k2_shown:
        yield (
            "The photos do not tell k2, which is left at 0: more of them with the sheet in the picture's corners make "
            "the lens surer there."
        )
    elif found.covered < WELL_COVERED:
        yield "Little of the picture was covered: more photos with the sheet near its edges make the lens surer there."
