"""How people play Dice and Slice: they throw dice, take one, and pencil on their sheets. For simulated players."""

from collections.abc import Sequence
from dataclasses import dataclass

from vision.scene import MarkKind

SHEET = "sheet"
"""The front of an empty sheet."""


@dataclass(frozen=True, slots=True)
class Pencilled:
    """A mark on a sheet; places as in `vision.scene.MarkKind`, a line's ends may lie anywhere."""

    kind: MarkKind
    at: tuple[int, ...]
    rubbed: bool = False
    """Whether it was rubbed out again: only a trace is left."""


def write_front(player: int, marks: Sequence[Pencilled]) -> str:
    """The front of a sheet with what this player has written on it."""
    written = ",".join(f"{'~' * one.rubbed}{one.kind.value} {'.'.join(map(str, one.at))}" for one in marks)
    return f"{SHEET}/{player}:{written}"


def read_front(front: str) -> tuple[str, tuple[Pencilled, ...]]:
    """Who has written, and what: `write_front` backwards."""
    head, _, written = front.partition(":")
    return head.removeprefix(f"{SHEET}/"), tuple(map(_read_mark, filter(None, written.split(","))))


def _read_mark(text: str) -> Pencilled:
    kind, _, at = text.removeprefix("~").partition(" ")
    return Pencilled(MarkKind(kind), tuple(map(int, at.split("."))), text.startswith("~"))
