"""Reading a record: every line is checked against the rules as it is read, and nothing is drawn."""

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from config.names import can_be_shown, is_name
from controller.game import Actor, Game, GameError, Json
from controller.games.registry import load_game
from controller.records.record import (
    KNOWN_TAGS,
    LONGEST_LINE,
    LONGEST_NOTE,
    LONGEST_RECORD,
    MOST_LINES,
    VERSION,
    Header,
    MoveLine,
    Record,
    Result,
    Source,
    TakenBack,
    begin,
    components_mark,
    format_result,
    move_line,
    result,
)
from controller.strict_json import NotStrictJson, parse_json

MOST_PLAYERS = 100
_MOST_DIGITS = 6


class RecordError(GameError, ValueError):
    """The first thing wrong in a record; line and column count from 1."""

    def __init__(self, line: int, column: int, reason: str) -> None:
        super().__init__(f"line {line}, column {column}: {reason}")
        self.line = line
        self.column = column
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Step:
    """What one line of the record did."""

    line: MoveLine | TakenBack
    number: int
    """Of the move, or of the first one that was taken back."""
    move: Any
    """None for what was taken back."""
    state: Any
    """After it."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A record and the game it tells."""

    record: Record
    engine: Game[Any, Any]
    start: Any
    steps: tuple[Step, ...]
    other_components: bool
    """Whether it was played with other pieces than the program knows now."""

    @property
    def state(self) -> Any:
        """The state after the last line."""
        return self.steps[-1].state if self.steps else self.start


def load_record(text: str) -> Replay:
    """The record, replayed from its first line to its last. Raises RecordError with the first thing wrong."""
    if len(text) > LONGEST_RECORD:
        raise RecordError(1, 1, f"the record has {len(text)} characters; expected at most {LONGEST_RECORD}")
    loading = _Loading()
    for piece in _pieces(text):
        loading.take(piece)
    return loading.finish()


def decode_text(content: bytes) -> str:
    """The characters of a record's file. Raises RecordError where it is no UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8-sig", "replace")) + 1
        raise RecordError(line, column, f"byte 0x{content[error.start]:02x} is no UTF-8 text") from error


# Pieces of text -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Piece:
    """A tag, a line of the game, or a comment."""

    line: int
    column: int
    text: str
    comment: bool = False

    def fail(self, reason: str, offset: int = 0) -> NoReturn:
        raise RecordError(self.line, self.column + offset, reason)


_PART = re.compile(r"(?P<game>[^{;]+)|\{(?P<comment>[^}]*)(?P<end>\}?)|;(?P<rest>.*)")


def _pieces(text: str) -> Iterator[_Piece]:
    """The text cut into pieces, without empty ones. Raises RecordError."""
    opened: _Piece | None = None
    for number, raw in enumerate(text.split("\n"), start=1):
        line, column = raw.removesuffix("\r"), 0
        _check_characters(number, line)
        if opened is not None:
            inside, ended, _ = line.partition("}")
            opened = replace(opened, text=f"{opened.text} {inside}")
            if not ended:
                continue
            yield _tidied(opened)
            opened, column = None, len(inside) + 1
        elif line.lstrip().startswith("["):
            yield _trimmed(number, 0, line)
            continue
        for part in _PART.finditer(line, column):
            if part["game"] is not None:
                if part["game"].strip():
                    yield _trimmed(number, part.start(), part["game"])
                continue
            comment = _Piece(number, part.start() + 1, part["comment"] or part["rest"] or "", comment=True)
            if part["comment"] is not None and not part["end"]:
                opened = comment
            else:
                yield _tidied(comment)
    if opened is not None:
        opened.fail("this comment has no end; expected '}' after it")


def _check_characters(number: int, line: str) -> None:
    if len(line) > LONGEST_LINE:
        raise RecordError(number, LONGEST_LINE + 1, f"expected at most {LONGEST_LINE} characters in a line")
    if not can_be_shown(line):
        for column, character in enumerate(line, start=1):
            if not can_be_shown(character) and character != "\t":
                raise RecordError(number, column, f"{character!r} cannot be shown; expected printable text")


def _trimmed(line: int, column: int, text: str) -> _Piece:
    return _Piece(line, column + 1 + len(text) - len(text.lstrip()), text.strip())


def _tidied(comment: _Piece) -> _Piece:
    return replace(comment, text=" ".join(comment.text.split()))


# The game -------------------------------------------------------------------------------------------------------------


class _Loading:
    """A record while it is read: the tags, then the game from the first line that is none."""

    def __init__(self) -> None:
        self._tags: dict[str, tuple[_Piece, Json]] = {}
        self._opening: list[str] = []
        self._game: _Running | None = None

    def take(self, piece: _Piece) -> None:
        """Read one more piece. Raises RecordError."""
        if piece.comment:
            self._comment(piece)
        elif piece.text.startswith("["):
            self._tag(piece)
        else:
            if self._game is None:
                self._game = _begun(self._tags, self._opening, piece)
            self._game.take(piece)

    def finish(self) -> Replay:
        """What was read. Raises RecordError where it cannot be all."""
        if self._game is None:
            self._game = _begun(self._tags, self._opening, _Piece(1, 1, ""))
        return self._game.finish()

    def _comment(self, piece: _Piece) -> None:
        if not piece.text:
            return
        if self._game is None:
            self._opening.append(piece.text)
        else:
            self._game.comment(piece)

    def _tag(self, piece: _Piece) -> None:
        if self._game is not None:
            piece.fail("a tag stands before the first move")
        found = re.fullmatch(r"\[([A-Z][A-Za-z0-9]{0,39})[ \t]+(.*)\]", piece.text)
        if found is None:
            piece.fail('this is no tag; expected a line such as [Game "new_york_slice"]')
        name, value = found[1], _json(found[2], piece, found.start(2))
        if not self._tags and (name, value) != ("Record", VERSION):
            piece.fail(f'this is no record, or of a newer form; expected [Record "{VERSION}"] first')
        if name in self._tags:
            piece.fail(f"the tag {name} stands in line {self._tags[name][0].line} already")
        self._tags[name] = (piece, value)


class _Running:
    """The game of a record while it is replayed."""

    def __init__(self, header: Header, engine: Game[Any, Any], start: Any, comments: list[str]) -> None:
        self._header = header
        self._engine = engine
        self._states = [start]
        self._steps: list[Step] = []
        self._comments = comments
        self._ending: _Piece | None = None
        self._other_components = header.components not in ("", components_mark(header.game))

    def take(self, piece: _Piece) -> None:
        """Replay one more line. Raises RecordError."""
        if self._ending is not None:
            piece.fail("nothing but comments stands after the end of the game")
        if piece.text == "*" or piece.text.startswith("result "):
            self._end(piece)
        elif len(self._steps) == MOST_LINES:
            piece.fail(f"expected at most {MOST_LINES} moves and corrections")
        elif piece.text.startswith("undo "):
            self._take_back(piece)
        else:
            self._play(piece)

    def comment(self, piece: _Piece) -> None:
        """A comment belongs to the line before it, or to the game before its first line."""
        if not self._steps:
            self._comments.append(piece.text)
            return
        last = self._steps[-1]
        line = replace(last.line, comments=(*last.line.comments, piece.text))
        self._steps[-1] = replace(last, line=line)

    def finish(self) -> Replay:
        outcome = result(self._engine, self._states[-1])
        lines = tuple(step.line for step in self._steps)
        record = Record(self._header, lines, outcome, tuple(self._comments))
        return Replay(record, self._engine, self._states[0], tuple(self._steps), self._other_components)

    def _play(self, piece: _Piece) -> None:
        found = re.fullmatch(rf"(\d{{1,{_MOST_DIGITS}}})([.~!])[ \t]*(.*)", piece.text)
        number = len(self._states)
        if found is None:
            piece.fail(
                f"this is no line of a game; expected '{number}.' and a move, 'undo' and a number, or the result"
            )
        if int(found[1]) != number:
            piece.fail(f"move {found[1]} is not the next; expected {number}")
        state, source = self._states[-1], Source(found[2])
        if source is Source.CHANCE and self._engine.turn(state).actor is not Actor.CHANCE:
            piece.fail(f"nothing is left to chance here: {self._engine.turn(state).prompt}", found.start(2))
        try:
            move = self._engine.parse(state, found[3])
        except GameError as error:
            piece.fail(f"{error}{self._doubt()}", found.start(3))
        after = self._engine.apply(state, move)
        self._states.append(after)
        source = Source.PLAYER if source is Source.CHANCE else source
        self._steps.append(Step(move_line(self._engine, state, move, source), number, move, after))

    def _take_back(self, piece: _Piece) -> None:
        found = re.fullmatch(rf"undo[ \t]+(\d{{1,{_MOST_DIGITS}}})", piece.text)
        moves = len(self._states) - 1
        if found is None or not 1 <= int(found[1]) <= moves:
            expected = f"a move that stands, 1 to {moves}" if moves else "a move before it"
            piece.fail(f"{piece.text!r} takes nothing back; expected {expected}")
        number = int(found[1])
        del self._states[number:]
        self._steps.append(Step(TakenBack(number), number, None, self._states[-1]))

    def _end(self, piece: _Piece) -> None:
        self._ending = piece
        outcome = result(self._engine, self._states[-1])
        said = _parse_result(piece)
        if said is None and outcome is not None:
            piece.fail("the game is over here; expected its result")
        if said is not None and outcome is None:
            piece.fail(f"the game is not over here: {self._engine.turn(self._states[-1]).prompt}; expected *")
        if said is not None and outcome is not None and said != outcome:
            piece.fail(f"the rules make of the game: {format_result(outcome)}{self._doubt()}")

    def _doubt(self) -> str:
        if not self._other_components:
            return ""
        return f" (The game was played with other components, {self._header.components}.)"


def _begun(tags: Mapping[str, tuple[_Piece, Json]], comments: list[str], here: _Piece) -> _Running:
    """The game that the tags describe. Raises RecordError at the tag that cannot be, or here for a missing one."""
    if "Record" not in tags:
        here.fail(f'this is no record; expected [Record "{VERSION}"] first')
    for name in ("Game", "Players"):
        if name not in tags:
            here.fail(f"the tag {name} is missing before this line")
    header = _header(tags)
    with _blaming(tags["Game"][0]):
        engine = load_game(header.game)
    if header.players not in engine.player_counts:
        counts = engine.player_counts
        tags["Players"][0].fail(f"{header.players} players; {engine.title} takes {counts.start} to {counts.stop - 1}")
    # One tag after the other, so that the wrong one is named.
    plain = replace(header, first=1, position=None)
    for name, partial in (("Options", plain), ("First", replace(header, position=None)), ("Position", header)):
        if name in tags:
            with _blaming(tags[name][0]):
                begin(engine, partial)
    return _Running(header, engine, begin(engine, header), comments)


def _header(tags: Mapping[str, tuple[_Piece, Json]]) -> Header:
    values = {name: value for name, (_, value) in tags.items()}
    if "Position" in tags and "First" in tags:
        tags["First"][0].fail("who is first stands in the Position; leave one of the two out")
    players, names = _players(*tags["Players"])
    return Header(
        game=_text(tags, "Game"),
        players=players,
        names=names,
        options=_of_kind(tags, "Options", dict, "an object such as {}") if "Options" in values else {},
        first=_of_kind(tags, "First", int, "a player's number") if "First" in values else 1,
        position=_of_kind(tags, "Position", dict, "an object such as {}") if "Position" in values else None,
        components=_text(tags, "Components") if "Components" in values else "",
        notes={name: _text(tags, name) for name in values if name not in KNOWN_TAGS},
    )


def _players(piece: _Piece, value: Json) -> tuple[int, tuple[str, ...]]:
    """Their number and, where they are given, their names."""
    if type(value) is int and 1 <= value <= MOST_PLAYERS:
        return value, ()
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_PLAYERS:
        piece.fail('expected the players\' names or their number, such as ["Ann", "Ben"] or 2')
    for name in value:
        if not isinstance(name, str) or not is_name(name):
            piece.fail(f"{name!r} is no name; expected printable text")
    return len(value), tuple(value)


def _text(tags: Mapping[str, tuple[_Piece, Json]], name: str) -> str:
    text: str = _of_kind(tags, name, str, "a text in quotation marks")
    if len(text) > LONGEST_NOTE or not can_be_shown(text):
        tags[name][0].fail(f"expected at most {LONGEST_NOTE} printable characters")
    return text


def _of_kind(tags: Mapping[str, tuple[_Piece, Json]], name: str, kind: type, expected: str) -> Any:
    piece, value = tags[name]
    if type(value) is not kind:
        piece.fail(f"the tag {name} expects {expected}")
    return value


@contextlib.contextmanager
def _blaming(piece: _Piece) -> Iterator[None]:
    """What the engine refuses stands in this piece."""
    try:
        yield
    except GameError as error:
        piece.fail(str(error))


def _json(text: str, piece: _Piece, offset: int) -> Json:
    try:
        return parse_json(text)
    except NotStrictJson as error:
        piece.fail(f"{error}", offset + (error.at or 0))


def _parse_result(piece: _Piece) -> Result | None:
    """What the last line says; None for a game that goes on."""
    if piece.text == "*":
        return None
    number = rf"-?\d{{1,{_MOST_DIGITS}}}"
    wins = r"nobody|\d{1,3}(?: \d{1,3})*"
    found = re.fullmatch(rf"result ({number}(?: {number})*) won by ({wins})", piece.text)
    if found is None:
        piece.fail("this is no result; expected '*', or such as 'result 31 27 40 won by 3'")
    winners = () if found[2] == "nobody" else tuple(map(int, found[2].split()))
    return Result(tuple(map(int, found[1].split())), winners)
