"""Where the host takes another game from the shelf: then the table ends, and is opened again for that one."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace

from config.os_errors import in_words
from config.schema import TableConfig
from controller.choosing import Choice, NotPlayable, Offer, Shelf
from controller.commands import CommandError, InvalidCommand
from controller.game import GameError, Json
from controller.games.registry import load_game, needs_faces
from controller.records.record import check_options

_log = logging.getLogger("pizzatable")


class HostChoice:
    """Where the host takes another game from the shelf."""

    def __init__(self, shelf: Shelf, playing: Choice, *, keep: bool, forget: bool = False) -> None:
        """`keep` says that the host chose what is played now, which holds from when the table runs; `forget` that it
        was named anew, so that what the host chose before holds no more once the table is ours."""
        self._shelf = shelf
        self._keep = keep
        self._forget = forget
        self._stopped: asyncio.Event | None = None
        self._why_not_now: Callable[[], str] = str
        self.playing = playing
        self.next: Choice | None = None
        """What the host chose; the table is to end for it."""

    @property
    def simulated(self) -> bool:
        """Whether people are simulated, and their number can be chosen."""
        return self._shelf.simulated

    async def offers(self) -> tuple[Offer, ...]:
        """See `GameShelf`."""
        return await asyncio.to_thread(self._shelf.offers, self.playing)

    async def play(self, game: str, options: Mapping[str, Json], players: int | None) -> None:
        """See `GameShelf`."""
        if reason := self._why_not_now():
            raise CommandError(reason)
        try:
            check_options(load_game(game), options)
            choice = self._shelf.checked(replace(self._shelf.usual(game, options), players=players))
            if not self.simulated and needs_faces(game):
                await asyncio.to_thread(check_table_faces, self._shelf.settings_of(choice))
        except GameError as error:
            raise InvalidCommand(str(error)) from error
        self.next = choice
        if self._stopped is not None:
            self._stopped.set()

    def ours(self) -> None:
        """The table is this program's, and no other's that runs."""
        if self._forget:
            self._shelf.forget()

    def runs(self, stopped: asyncio.Event, why_not_now: Callable[[], str]) -> None:
        """The table runs until `stopped` is set, also by the host's choice, unless `why_not_now` gives a reason. What
        the host chose before holds across restarts now."""
        self._stopped, self._why_not_now = stopped, why_not_now
        if self.next is not None:
            stopped.set()
        if self._keep:
            try:
                self._shelf.keep(self.playing)
            except OSError as error:
                _log.error("the host's choice cannot be kept: %s", in_words(error))


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
