"""What the reading of New York Slice and Pizzeria speaks of: one look at a table, and what may have been played."""

from dataclasses import dataclass, replace
from typing import Any, Generic

from controller.game import Player
from controller.games.cut_and_choose_rules import State
from controller.games.cut_and_choose_seen import Changes, Seen
from controller.reading import Fault, Layout, Reading, ReadingKind

Moves = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Look(Generic[State]):
    """One reading of a scene against one state."""

    state: State
    seen: Seen
    changed: Changes
    pressed: frozenset[Player]
    """Who has pressed the button since the pieces moved last."""
    layout: Layout


@dataclass(frozen=True, slots=True)
class Draft:
    """A play not yet judged."""

    moves: Moves
    weight: float
    text: str
    faces: tuple[str, ...]
    """What it depends on, for telling it from others."""


@dataclass(frozen=True, slots=True)
class Way:
    """A legal way up to what a player decides about a portion."""

    moves: Moves
    slices: tuple[str, ...]
    special: bool
    """Whether the Special comes with them."""
    extra: int = 0
    """How many slices are taken besides that were put aside."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What a player has taken, compared with the state before."""

    player: Player
    eaten: frozenset[str]
    """Face down, and known."""
    strange: tuple[str, ...]
    """Face up, and not of this pizza."""
    hidden: int
    """Face down, and unknown."""


def wrong(fault: Fault) -> Reading:
    """No play explains the table."""
    return Reading(ReadingKind.FAULT, (), fault=fault)


def unfinished(note: str, fault: Fault | None = None) -> Reading:
    """Something was begun; with a fault, it cannot stay so for long."""
    return Reading(ReadingKind.UNFINISHED, (), note=note, fault=fault)


def without_taking(look: Look[State], player: Player) -> Look[State]:
    """The same but for what this player has begun to take."""
    changed = look.changed
    special_at = None if changed.special_at == player else changed.special_at
    return replace(look, changed=replace(changed, new={**changed.new, player: ()}, special_at=special_at))
