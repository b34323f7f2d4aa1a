"""Which games there are: every folder beside this file that offers a `GAME`. There is no list to keep."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from controller import games
from controller.game import Game, GameError, Json
from vision.scene import PieceKind


class UnknownGame(GameError, LookupError):
    """No game of that name; names those there are."""


class NotAGame(GameError, ImportError):
    """A folder among the games that offers no engine; names the folder and what it lacks."""


class PartMissing(GameError, LookupError):
    """A game whose folder lacks a module that is needed now, such as `table` for reading it; names who has it."""


def game_names() -> tuple[str, ...]:
    """The names of all games, sorted. Imports none of them."""
    return tuple(sorted(_folders()))


def games_with(part: str) -> tuple[str, ...]:
    """The names of the games that have this module, sorted: `table` for those whose pieces can be read, `hands` for
    those that can be played on the simulated table. Imports none of them."""
    return tuple(name for name in game_names() if part in _modules(name))


def load_game(name: str) -> Game[Any, Any]:
    """The engine of this game. Raises UnknownGame, or NotAGame for a folder without a proper engine."""
    module = load_part(name)
    game = getattr(module, "GAME", None)
    missing = [part for part in _PARTS if not hasattr(game, part)]
    if game is None or missing or game.name != name:
        lacking = "GAME" if game is None else ", ".join(missing) or f"the name {name!r} in GAME.name"
        raise NotAGame(f"{module.__name__}: lacks {lacking}; a game's folder offers GAME, see controller.game.Game")
    engine: Game[Any, Any] = game
    return engine


def load_part(name: str, part: str | None = None) -> ModuleType:
    """A game's package, or one of its modules, such as `table`. Raises UnknownGame or PartMissing."""
    if part is None:
        _check_known(name)
    else:
        check_parts(name, part)
    package = f"{games.__name__}.{name}"
    return import_module(f"{package}.{part}" if part else package)


def check_parts(name: str, *parts: str) -> None:
    """Check that a game has these modules, without importing them. Raises UnknownGame or PartMissing."""
    _check_known(name)
    for part in parts:
        if part not in _modules(name):
            able, use = ", ".join(games_with(part)) or "none", _USES.get(part, part)
            raise PartMissing(f"{name}: the game has rules but no {part}.py ({use}); games with it: {able}")


def kinds_of(name: str) -> frozenset[PieceKind]:
    """The kinds of piece by which this game is followed on a table: its `table` may need fewer than there are. Raises
    UnknownGame or PartMissing."""
    described = load_part(name, "describe").KINDS
    kinds: frozenset[PieceKind] = getattr(load_part(name, "table"), "KINDS", described)
    return kinds


def needs_faces(name: str) -> bool:
    """Whether this game is followed on a table by what was enrolled from the owner's copy of it. Raises UnknownGame or
    PartMissing."""
    return bool(kinds_of(name) - _TOLD_BY_FORM)


def table_options(name: str) -> Mapping[str, Json]:
    """The options with which a game is followed on a table where nothing else is said: what its `table` has as OPTIONS.
    None for a game that is not followed on one. Raises UnknownGame."""
    _check_known(name)
    options: Mapping[str, Json] = {}
    if "table" in _modules(name):
        options = getattr(load_part(name, "table"), "OPTIONS", options)
    return options


def components_text(name: str) -> str:
    """The text of a game's components.toml. Raises UnknownGame or PartMissing."""
    _check_known(name)
    file = files(f"{games.__name__}.{name}").joinpath("components.toml")
    if not file.is_file():
        raise PartMissing(f"{name}: the game has no components.toml")
    return file.read_text(encoding="utf-8")


_TOLD_BY_FORM = {PieceKind.SHEET, PieceKind.DIE}
"""Kinds that nobody enrols."""
_USES = {
    "describe": "what can be read in a picture of it",
    "table": "how its pieces lie on a table and are read",
    "hands": "how hands move its pieces",
}
_PARTS = (*sorted(part for part in vars(Game) if not part.startswith("_")), "name", "title", "player_counts")


def _check_known(name: str) -> None:
    if name not in _folders():
        raise UnknownGame(f"{name!r} is no game; there are {', '.join(game_names()) or 'none'}")


def _modules(name: str) -> set[str]:
    return {module.name for folder in games.__path__ for module in iter_modules([str(Path(folder) / name)])}


def _folders() -> Iterator[str]:
    return (module.name for module in iter_modules(games.__path__) if module.ispkg)
