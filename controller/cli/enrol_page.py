"""`pizzatable enrol --page`: serve the page until Ctrl+C."""

import asyncio
import contextlib
import os
import secrets
import signal
import threading
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

import click

from config.loader import load_table, table_files
from config.schema import TableConfig
from controller.addresses import NotReachable, host_address, lan_address
from controller.cli.common import keep_what_is_read, told
from controller.kept_enrolment import KeptEnrolment
from controller.lenses import lens_for, stored_lens
from controller.watching import open_table_camera
from controller.web.enrolling import Desk, create_enrolling_app
from controller.web.enrolling_board import BoardDesk, create_board_app
from controller.web.hub import Hub
from controller.web.server import ServerError, serving
from controller.whose_faces import GameFaces
from hardware.camera import CameraError
from hardware.drivers import recorded_files
from hardware.exposure import settled_picture
from vision.files.photos import load_photo
from vision.frame import Image
from vision.mat.errors import VisionError

PICTURE_S = 10.0
SETTLED = 5
"""Pictures that a camera takes until exposure and white balance have settled."""


def serve_page(
    game: GameFaces,
    out: Path,
    empty: Image | None,
    photos: Sequence[Path],
    port: int,
    config_file: Path | None,
    lens_file: Path | None,
) -> None:
    """Serve the page for these photos, or for the table's camera where none are given. Pieces have the names that they
    were given before. Without a file for the lens it is the one that the table's camera was calibrated with.

    Raises:
        VisionError: no photo can be read and laid over the table, or names that were given before would be lost.
        ConfigError: the settings are wrong.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(KeptEnrolment(out).held())
        take, lens = None, None
        if not photos:
            config = load_table(table_files(config_file, os.environ))
            take, lens = stack.enter_context(_camera(config, out)), stored_lens(config)
        lens = lens_for(lens_file) or lens
        desk = BoardDesk(game, out, take, lens) if game.board_corners else Desk(game, out, take, lens)
        if empty is not None and isinstance(desk, Desk):
            desk.set_empty(empty)
        show_all(desk, photos, lens_file)
        desk.resume(click.echo)
        with told(ServerError):
            asyncio.run(_serve(desk, port))


def show_all(desk: Desk | BoardDesk, photos: Sequence[Path], lens_file: Path | None = None) -> None:
    """Put photos on the page. One that is of no use, or not of the lens's shape, is named, and the others are shown.

    Raises:
        VisionError: none is of use.
    """
    refused: list[VisionError] = []
    for photo in photos:
        try:
            image = load_photo(photo)
            lens_for(lens_file, image)
            click.echo(f"{photo}: {desk.add(photo.name, image)}")
        except VisionError as error:
            refused.append(error)
            if len(refused) == len(photos):
                raise
            click.echo(f"Error: {error}; this photo is not on the page", err=True)


@contextlib.contextmanager
def _camera(config: TableConfig, out: Path):  # type: ignore[no-untyped-def]
    """What takes a photo with the table's camera, one at a time: several pages, or a click twice, may ask at once."""
    if config.camera.driver == "simulated":
        raise click.UsageError("the table's camera is the simulated one; expected photos, or --config with a camera")
    recorded = recorded_files(config.camera.driver)
    keep_what_is_read({"--out": out}, recorded)
    with told(CameraError):
        camera = open_table_camera(config, None)

    def newest() -> Image:
        # Of a recording each picture is a photo: there is nothing that settles.
        for _ in range(1 if recorded else SETTLED):
            frame = camera.read(PICTURE_S)
        return frame.image.copy()

    def adjusted() -> Image:
        return settled_picture(camera, newest)

    taken: Callable[[], Image] = adjusted if config.camera.follow_light else newest
    one_at_a_time = threading.Lock()

    def take() -> Image:
        with one_at_a_time:
            return taken()

    try:
        yield take
    finally:
        camera.close()


async def _serve(desk: Desk | BoardDesk, port: int) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    token = secrets.token_urlsafe(12)
    make = create_enrolling_app if isinstance(desk, Desk) else create_board_app
    app = make(desk, version=version("pizzatable"), token=token)  # type: ignore[arg-type]
    async with serving(app, Hub(), "0.0.0.0", port) as bound:
        click.echo(f"Name the pieces at  {address_elsewhere(bound, token)}")
        click.echo(f"on this machine at  http://localhost:{bound}/")
        await stopped.wait()


def address_elsewhere(port: int, token: str) -> str:
    """The page's address for other machines, as a number: not every phone finds names."""
    try:
        return host_address(lan_address("0.0.0.0", port), token)
    except NotReachable as error:
        return f"no other machine: {error}"
