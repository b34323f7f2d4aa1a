"""Which game is played at a table: that of its settings, or the one that its host chose since.

What the host chooses holds across restarts, until the settings or the command line name a game anew.
"""

import contextlib
import json
import logging
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from config.loader import written_at
from config.os_errors import reason
from config.schema import TableConfig
from controller.game import GameError, Json, Option, OptionError
from controller.games.facts import ComponentError
from controller.games.registry import UnknownGame, check_parts, games_with, load_game, needs_faces, table_options
from controller.journal import Record
from controller.seating import player_counts
from vision.files.whole_files import write_whole

USUAL_PLAYERS = 4
"""So many sit at the simulated table where nothing else is said."""
_log = logging.getLogger("pizzatable")


class NotPlayable(GameError):
    """A game that cannot be played at this table; says what is missing and what to do."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A game and how it is played."""

    game: str
    options: Mapping[str, Json] = field(default_factory=dict)
    players: int | None = None
    """How many sit at the simulated table; None where people are real."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A game that a host may choose."""

    game: str
    title: str
    players: tuple[int, ...]
    options: tuple[Option, ...]
    """Their defaults are those of this table: what they are if nothing else is chosen."""
    why_not: str
    """Why it cannot be played here, and what to do; empty where it can."""


class Shelf:
    """The games that a table can play, and the one that its host took from the shelf."""

    def __init__(self, settings: TableConfig, players: int | None = None, config_file: Path | None = None) -> None:
        """`players` sit at the table where it is a simulated one; None: as many as are usual. `config_file` holds the
        settings, where it was named."""
        self._settings = settings
        self._players = players
        self._config_file = config_file
        self._file = settings.data_dir / "choice.json"

    @property
    def simulated(self) -> bool:
        """Whether the table is a simulated one."""
        return self._settings.camera.driver == "simulated"

    def usual(self, game: str | None = None, options: Mapping[str, Json] | None = None) -> Choice:
        """The settings' game, or this one; with the options that a table has anyway, the settings' where the game is
        theirs, and these."""
        name = game or self._settings.game
        own = self._settings.options if name == self._settings.game else {}
        return Choice(name, {**table_options(name), **own, **(options or {})})

    def checked(self, choice: Choice) -> Choice:
        """The choice, with as many players as there will be.

        Raises:
            GameError: this cannot be played here; says why.
        """
        if reason := self.why_not(choice.game):
            raise NotPlayable(f"{choice.game}: {reason}")
        return self.by_rules(choice)

    def by_rules(self, choice: Choice) -> Choice:
        """The same, whether or not this game can be read here.

        Raises:
            GameError: there is no such game, or its rules or this table's seats are against it; says why.
        """
        game = load_game(choice.game)
        counts = player_counts(self._settings, game.player_counts)
        if not self.simulated:
            game.start(game.player_counts.start, choice.options)
            return Choice(choice.game, choice.options)
        players = choice.players or self._players or min(USUAL_PLAYERS, counts[-1])
        if players not in counts:
            raise NotPlayable(f"{players} players: expected {counts[0]} to {counts[-1]} for {game.title} at this table")
        game.start(players, choice.options)
        return Choice(choice.game, choice.options, players)

    def why_not(self, game: str) -> str:
        """Why a game cannot be played at this table, and what to do; empty where it can. Raises UnknownGame."""
        try:
            check_parts(game, "table", *(["hands"] if self.simulated else []))
        except GameError as error:
            return str(error)
        if self.simulated or not needs_faces(game):
            return ""
        path = self._settings.faces_of(game)
        if path is None:
            return 'faces = "": expected the file that `pizzatable enrol` wrote for your copy of the game'
        if game != self._settings.game and path == self._settings.faces:
            return (
                f"faces = {str(path)!r} is one game's file; with {{game}} in it, such as {{game}}.faces, it names one "
                "for each game"
            )
        return "" if path.exists() else f"no {path.name} yet: `{enrol_command(game, path, self._config_file)}` makes it"

    @contextlib.contextmanager
    def placed(self, files: Sequence[Path]) -> Iterator[None]:
        """Let a GameError about the settings' game, or its options, say where in these files they stand."""
        try:
            yield
        except UnknownGame as error:
            raise GameError(f"{written_at(files, ('game',))}: {error}") from error
        except OptionError as error:
            named = _option_of(error)
            key = ("options", named) if named else ("options",)
            raise GameError(f"{written_at(files, key)}: {self._settings.game}: {error}") from error

    def settings_of(self, choice: Choice) -> TableConfig:
        """The table's settings with this game."""
        return self._settings.model_copy(update={"game": choice.game, "options": dict(choice.options)})

    def offers(self, playing: Choice) -> tuple[Offer, ...]:
        """All games, by title, with the options that they would be played with."""
        games = [load_game(name) for name in games_with("table")]
        return tuple(
            Offer(
                game.name,
                game.title,
                tuple(player_counts(self._settings, game.player_counts)),
                self._options(game.name, playing),
                self.why_not(game.name),
            )
            for game in sorted(games, key=lambda game: game.title.casefold())
        )

    def _options(self, game: str, playing: Choice) -> tuple[Option, ...]:
        values = (playing if game == playing.game else self.usual(game)).options
        return tuple(
            replace(option, default=values.get(option.name, option.default)) for option in load_game(game).option_list
        )

    # What the host chose -------------------------------------------------------------------------------------------

    def kept(self) -> Choice | None:
        """What the host chose last, as far as it still can be played and the settings are what they were then."""
        try:
            kept = _Kept.model_validate_json(self._file.read_bytes(), strict=True)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValidationError) as error:
            _log.warning(
                "%s: expected the game that the host chose; the settings' game is played: %s", self._file, reason(error)
            )
            return None
        if kept.instead_of != self._named():
            return None
        choice = Choice(kept.game, kept.options, self._players or kept.players)
        try:
            return self.checked(choice)
        except GameError as error:
            _log.warning("%s: the settings' game is played: %s", self._file, error)
            return None

    def keep(self, choice: Choice) -> None:
        """Remember what the host chose, also across a power cut. Raises OSError."""
        kept = _Kept(game=choice.game, options=dict(choice.options), players=choice.players, instead_of=self._named())
        write_whole(self._file, kept.model_dump_json(indent=1).encode())

    def put_back(self, choice: Choice | None) -> None:
        """What was chosen since cannot be played: what the host had chosen before holds again, or, where that is None,
        what the settings say."""
        if choice is None:
            return self.forget()
        try:
            self.keep(choice)
        except OSError as error:
            _log.error("%s: the game that was played before cannot be kept: %s", self._file, reason(error))

    def forget(self) -> None:
        """From now on the settings say what is played."""
        with contextlib.suppress(OSError):
            self._file.unlink(missing_ok=True)

    def _named(self) -> str:
        """The game of the settings, with its options."""
        return json.dumps([self._settings.game, self._settings.options], sort_keys=True, default=str)


def enrol_command(game: str, out: Path, config_file: Path | None) -> str:
    """What to type, wherever that is, to show a copy of a game to the camera of a table with these settings."""
    words = ["pizzatable", "enrol", "--game", game, "--out", str(out.absolute()), "--page"]
    return shlex.join([*words, "--config", str(config_file.absolute())] if config_file is not None else words)


def told_left(records: Sequence[Record], playing: str) -> str:
    """What is said at the start of another game that was played here last, by its records; empty where none was."""
    name = next((record.data.get("game", playing) for record in reversed(records) if record.kind == "game"), playing)
    if name == playing:
        return ""
    return f"The last game here was of another kind: --game {name} goes back to it, until a new one begins."


class _Kept(BaseModel):
    """What the file says."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    game: str
    options: dict[str, Json]
    players: int | None
    instead_of: str


def _option_of(error: OptionError) -> str:
    """The option that it is about; empty where it is none alone."""
    if isinstance(error.__cause__, ComponentError):
        return "components"
    words, found, _ = str(error).partition(": ")
    return words.removeprefix("option ") if found and words.startswith("option ") else ""
