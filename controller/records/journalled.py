"""A game of a table's journal as a record."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from config.names import is_name, shown
from controller.game import GameError, Json
from controller.games.registry import load_game
from controller.journal import LOST, counted, games_of
from controller.journal import Record as Entry
from controller.records.record import (
    Header,
    MoveLine,
    Record,
    Source,
    TakenBack,
    components_mark,
    move_line,
    result,
)


class NoSuchGame(GameError, LookupError):
    """The journal has no such game; names those it has."""


def names_in(entries: Sequence[Entry]) -> tuple[str, ...]:
    """The players' names, clockwise, as they were called last in the game that the first entry begins."""
    begun = entries[0].data
    names = dict(zip(begun["seats"], begun["names"], strict=True))
    names.update((entry.data["seat"], entry.data["name"]) for entry in entries if entry.kind == "rename")
    return tuple(names.values())


def record_of(entries: Sequence[Entry], number: int | None = None) -> Record:
    """The game of this number, from 1, of a journal; the last one if none is named. Raises NoSuchGame, or GameError for
    one that the rules do not allow any more."""
    games = games_of(entries)
    if not games or (number is not None and not 1 <= number <= len(games)):
        expected = f"expected one of the journal's, 1 to {len(games)}" if games else "the journal has no games"
        raise NoSuchGame(f"game {number}: {expected}" if number is not None else expected)
    game = games[number - 1 if number is not None else -1]
    ours = [entry for entry in entries if entry.game == game]
    if ours[0].kind == LOST:
        raise NoSuchGame(f"game {number or len(games)}: its beginning was lost when the journal was damaged")
    return played_of(ours)[0]


def played_of(entries: Sequence[Entry]) -> tuple[Record, tuple[int, ...]]:
    """The record of the game that the first entry begins, with each player's points up to there, as far as everybody
    may know them. Raises GameError."""
    ours = counted(entries)
    beginning = ours[0]
    header = Header(
        game=beginning.data["game"],
        players=len(beginning.data["seats"]),
        names=tuple(map(_name, names_in(ours))),
        options=beginning.data["options"],
        first=beginning.data["first"],
        components=components_mark(beginning.data["game"]),
        notes={"Date": beginning.wall_time[:10], **_where(beginning.data)},
    )
    engine = load_game(header.game)
    # The journal is the table's own: its options may name an owner's file.
    states = [engine.start(header.players, header.options, header.first)]
    plays: list[int] = []
    lines: list[MoveLine | TakenBack] = []
    before: list[str] = []
    for entry in ours[1:]:
        if entry.kind == "play":
            plays.append(len(states))
            source = Source.RULING if entry.data["source"] == "ruling" else Source.PLAYER
            said = "ruled" if source is Source.RULING else "answered"
            for data in entry.data["moves"]:
                move = engine.decode_move(data)
                line = move_line(engine, states[-1], move, source)
                lines.append(replace(line, comments=_signature(said, entry.data)))
                states.append(engine.apply(states[-1], move))
        elif entry.kind == "undo":
            lines.append(TakenBack(plays[-1], _signature("taken back", entry.data)))
            del states[plays.pop() :]
        elif entry.kind == "refused":
            at = datetime.fromisoformat(entry.wall_time).astimezone()
            what = "refused" if entry.data["certain"] else "not seen"
            comment = f"{what} at {at:%H:%M}: {entry.data['problem']}"
            if lines:
                lines[-1] = replace(lines[-1], comments=(*lines[-1].comments, comment))
            else:
                before.append(comment)
    points = tuple(sheet["total"] for sheet in engine.view(states[-1], None)["score"])
    return Record(header, tuple(lines), result(engine, states[-1]), tuple(before)), points


def _name(name: str) -> str:
    """As a record can have it, whatever an older version took for a name."""
    return said if is_name(said := shown(name)) else "?"


def _signature(did: str, data: Mapping[str, Json]) -> tuple[str, ...]:
    """Which host did it, where that was written down."""
    return (f"{did} by {shown(str(data['by']))}",) if data.get("by") else ()


def _where(begun: Mapping[str, Json]) -> dict[str, str]:
    """Table and event, as far as they were written down."""
    return {name: shown(str(begun[name.lower()])) for name in ("Table", "Event") if begun.get(name.lower())}
