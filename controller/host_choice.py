"""Where the host takes another game from the shelf: then the table ends, and is opened again for that one."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace

from config.os_errors import in_words
from config.schema import TableConfig
from controller.choosing import Choice, NotPlayable, Offer, Shelf
from controller.commands import CommandError, InvalidCommand
from controller.game import GameError, Json
from controller.games.registry import load_game, needs_faces
from controller.records.record import check_options


class HostChoice:
    """Where the host takes another game from the shelf."""

    def __init__(self, shelf: Shelf, playing: Choice, *, forget: bool = False) -> None:
        """`forget` says that what is played was named anew, so that what the host chose before holds no more once the
        table is ours."""
        self._shelf = shelf
        self._forget = forget
        self._stopped: asyncio.Event | None = None
        self._one_after_another = asyncio.Lock()
        self._why_not_now: Callable[[], str] = str
        self.playing = playing
        self.next: Choice | None = None
        """What the host chose; the table is to end for it."""
        self.before: Choice | None = None
        """What the host had chosen before that; None where the settings said what is played."""

    @property
    def simulated(self) -> bool:
        """Whether people are simulated, and their number can be chosen."""
        return self._shelf.simulated

    async def offers(self) -> tuple[Offer, ...]:
        """See `GameShelf`."""
        return await asyncio.to_thread(self._shelf.offers, self.playing)

    async def play(self, game: str, options: Mapping[str, Json], players: int | None) -> None:
        """See `GameShelf`. The choice holds across power cuts when this returns."""
        if reason := self._why_not_now():
            raise CommandError(reason)
        try:
            check_options(load_game(game), options)
            choice = self._shelf.checked(replace(self._shelf.usual(game, options), players=players))
            if not self.simulated and needs_faces(game):
                await asyncio.to_thread(check_table_faces, self._shelf.settings_of(choice))
        except GameError as error:
            raise InvalidCommand(str(error)) from error
        async with self._one_after_another:
            before = await asyncio.to_thread(self._shelf.kept)
            try:
                await asyncio.to_thread(self._shelf.keep, choice)
            except OSError as error:
                raise CommandError(f"the choice cannot be kept: {in_words(error)}. Nothing has changed.") from error
            if self.next is None:
                self.before = before
            self.next = choice
        if self._stopped is not None:
            self._stopped.set()

    def ours(self) -> None:
        """The table is this program's, and no other's that runs."""
        if self._forget:
            self._shelf.forget()

    def runs(self, stopped: asyncio.Event, why_not_now: Callable[[], str]) -> None:
        """The table runs until `stopped` is set, also by the host's choice, unless `why_not_now` gives a reason."""
        self._stopped, self._why_not_now = stopped, why_not_now
        if self.next is not None:
            stopped.set()

    @property
    def ran(self) -> bool:
        """Whether the table came to run."""
        return self._stopped is not None


def check_table_faces(config: TableConfig) -> None:
    """Check that a table's faces can be used. Raises NotPlayable."""
    from controller.games.facts import ComponentError
    from controller.watching import known_faces
    from vision.mat.errors import VisionError

    try:
        known_faces(config)
    except ComponentError as error:
        raise NotPlayable(str(error)) from error
    except VisionError as error:
        raise _no_faces(str(error)) from error
    except OSError as error:
        raise _no_faces(in_words(error)) from error


def _no_faces(why: str) -> NotPlayable:
    return NotPlayable(f"faces: {why}. `pizzatable enrol` makes the file from photos of your copy.")
