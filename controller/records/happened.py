"""What happened in a game of a journal, line by line: for whoever asks later why something was refused, or who ruled.

Nothing is told but what the display has shown to everybody.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from controller.journal import LOST, RECOVERED
from controller.journal import Record as Entry
from controller.records.journalled import names_in
from controller.running_game import with_names

Kind = Literal["begun", "play", "undo", "refused", "unseen", "rename", "paused", "left", "started", "damaged"]


class Happened(NamedTuple):
    """Something that happened, as it is told."""

    entry: Entry
    kind: Kind
    text: str


def happened(entries: Sequence[Entry], *, over: bool) -> Iterator[Happened]:
    """What is told of a game's entries, in their order; players are called as they were called last. `over`: whether
    it was played to its end."""
    known = bool(entries) and entries[0].kind == "game"
    names = dict(enumerate(names_in(entries), 1)) if known else {}
    plays: list[str] = []
    for entry in entries:
        if entry.kind == "play":
            plays.append(with_names(str(entry.data.get("text", "")), names))
        kind, text = _told(entry, names, plays)
        if kind == "left" and over:
            text = "The game was over, and the table waited for the next"
        if kind is not None:
            yield Happened(entry, kind, text)


def _told(entry: Entry, names: dict[int, str], plays: list[str]) -> tuple[Kind | None, str]:
    """What is told of one entry; `plays` are those that stand, this one included. None: nothing."""
    match entry.kind:
        case "game":
            return "begun", f"Begun by {', '.join(names.values())}"
        case "play":
            return "play", plays[-1]
        case "undo":
            return "undo", f"Taken back: {plays.pop() if plays else 'a play that is lost'}"
        case "refused":
            return "refused" if entry.data.get("certain", True) else "unseen", with_names(
                str(entry.data.get("problem", "")), names
            )
        case "rename":
            return "rename", f"Seat {entry.data.get('seat')} is called {entry.data.get('name')}"
        case "pause":
            return "paused", "Paused"
        case "resume":
            return "paused", "The game goes on"
        case "lobby":
            return "left", "The game was left"
        case "start":
            return "started", "The table was started anew"
        case "interrupted":
            return "damaged", f"The journal could not be written: {entry.data.get('problem', '')}"
        case kind if kind == LOST:
            return "damaged", "Here something is lost, as the journal was damaged"
        case kind if kind == RECOVERED:
            return "damaged", "What could be read of the damaged journal was kept"
        case _:
            return None, ""
