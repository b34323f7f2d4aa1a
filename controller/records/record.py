"""A game as text that people read and write, as PGN is for chess; docs/records.md describes it.

[Record "1"]
[Game "new_york_slice"]
[Players ["Ann", "Ben", "Cara"]]

1. stack 3
2~ pizza buffet: 3/1 7/2 combo-5-7 ...
3. divide 3/1 7/2 + special | combo-5-7 ... | ...
4. P2 takes A {too fast}
undo 4
4! P2 takes B
*
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from config.names import can_be_shown
from config.wrong_values import shown_value
from controller.game import Actor, Game, GameError, Json, OptionError, Player
from controller.games.registry import components_text
from controller.games.values import KIND_WORDS

VERSION = "1"
LONGEST_LINE = 20_000
"""Characters of a line."""
LONGEST_RECORD = 1_000_000
"""Characters of a record."""
MOST_LINES = 20_000
"""Moves and corrections of a record."""


LONGEST_NOTE = 2_000
"""Characters of a tag's text."""
KNOWN_TAGS = ("Record", "Game", "Players", "First", "Position", "Options", "Components")


class NoteError(GameError, ValueError):
    """A note that cannot be a record's tag; names it and what was expected."""


class Source(Enum):
    """Who made a move; the value is the sign after its number."""

    PLAYER = "."
    CHANCE = "~"
    RULING = "!"
    """Somebody in charge said that this was the move."""


@dataclass(frozen=True, slots=True)
class MoveLine:
    """One move."""

    text: str
    """In the game's notation."""
    source: Source = Source.PLAYER
    comments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TakenBack:
    """A correction: this move and all after it are taken back."""

    number: int
    """1 upwards, at most the number of moves that stand."""
    comments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """How the game ended."""

    totals: tuple[int, ...]
    """Player 1's first."""
    winners: tuple[Player, ...]


@dataclass(frozen=True, slots=True)
class Header:
    """What a game is begun with, and what people note about it."""

    game: str
    players: int
    names: tuple[str, ...] = ()
    """Player 1's first; empty where nobody is named."""
    options: Mapping[str, Json] = field(default_factory=dict)
    first: Player = 1
    position: Json = None
    """Where the game begins if not at its start; who is first then stands in it."""
    components: str = ""
    """See `components_mark`; empty where it is not said."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """Other tags, such as Date, Table and Event."""


@dataclass(frozen=True, slots=True)
class Record:
    """A whole record."""

    header: Header
    lines: tuple[MoveLine | TakenBack, ...] = ()
    result: Result | None = None
    """None while the game goes on."""
    comments: tuple[str, ...] = ()
    """Before the first move."""


def format_record(record: Record) -> str:
    """The record as text; `loading.load_record` gives it back."""
    tags = [f"[{name} {json.dumps(value, ensure_ascii=False)}]" for name, value in _tags(record.header)]
    ending = "*" if record.result is None else format_result(record.result)
    return "\n".join((*tags, "", *map(_comment, record.comments), *_move_lines(record), ending, ""))


def format_result(outcome: Result) -> str:
    """The last line of a game that is over."""
    winners = " ".join(map(str, outcome.winners)) or "nobody"
    return f"result {' '.join(map(str, outcome.totals))} won by {winners}"


def begin(engine: Game[Any, Any], header: Header) -> Any:
    """The state that a game with this header begins with. Raises GameError."""
    check_options(engine, header.options)
    if header.position is not None:
        return engine.setup(header.players, header.options, header.position)
    return engine.start(header.players, header.options, header.first)


def check_options(engine: Game[Any, Any], options: Mapping[str, Json]) -> None:
    """Check that every option is of its default's kind, as a game from strangers needs it: an engine may take more from
    its owner, such as a file's name where a table of facts is expected. Raises OptionError."""
    for option in engine.option_list:
        value = options.get(option.name, option.default)
        if option.default is not None and type(value) is not type(option.default) and value not in option.choices:
            kind = KIND_WORDS[type(option.default)]
            raise OptionError(f"option {option.name}: {value!r} is no {kind}; it says {option.meaning}")


def check_note(name: str, value: str) -> None:
    """Check that a tag can be one of `Header.notes`. Raises NoteError."""
    if name in KNOWN_TAGS:
        raise NoteError(f"{name}: a tag that each record has of its own; expected such as Date, Table or Event")
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]{0,39}", name):
        raise NoteError(f"{name}: no name for a note; expected such as Date, Table or Event")
    if len(value) > LONGEST_NOTE or not can_be_shown(value):
        expected = f"at most {LONGEST_NOTE} characters that can be shown"
        raise NoteError(f"{name}: got {shown_value(value)}, expected {expected}")


def result(engine: Game[Any, Any], state: Any) -> Result | None:
    """How the game ended; None while it goes on."""
    if engine.turn(state).actor is not Actor.NOBODY:
        return None
    return Result(tuple(sheet.total for sheet in engine.score(state)), engine.winners(state))


def move_line(engine: Game[Any, Any], state: Any, move: Any, source: Source = Source.PLAYER) -> MoveLine:
    """The line of a legal move in this state; chance is told from the state."""
    if source is Source.PLAYER and engine.turn(state).actor is Actor.CHANCE:
        source = Source.CHANCE
    return MoveLine(engine.format(state, move), source)


def components_mark(game: str) -> str:
    """A short mark of what the program knows of this game's pieces: it changes when a fact does."""
    return hashlib.sha256(components_text(game).encode()).hexdigest()[:12]


def _tags(header: Header) -> Iterator[tuple[str, Json]]:
    yield "Record", VERSION
    yield "Game", header.game
    yield "Players", list(header.names) or header.players
    if header.position is not None:
        yield "Position", header.position
    elif header.first != 1:
        yield "First", header.first
    if header.options:
        yield "Options", dict(header.options)
    if header.components:
        yield "Components", header.components
    yield from header.notes.items()


def _move_lines(record: Record) -> Iterator[str]:
    number = 1
    for line in record.lines:
        if isinstance(line, MoveLine):
            start = f"{number}{line.source.value} {line.text}"
            number += 1
        else:
            start = f"undo {line.number}"
            number = line.number
        comments = [_comment(text) for text in line.comments]
        together = " ".join((start, *comments))
        # A comment from `;` on takes the rest of its line with it.
        if len(together) <= 110 and not any(comment.startswith(";") for comment in comments):
            yield together
        else:
            yield from (start, *comments)


def _comment(text: str) -> str:
    return f"; {text}" if "}" in text else f"{{{text}}}"
