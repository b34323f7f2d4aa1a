"""What simulated players need to know of a game: where its pieces go, and how its rules get broken."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol, runtime_checkable

from controller.game import Game, Player
from vision.scene import PieceKind, Point, Pose


@dataclass(frozen=True, slots=True)
class Lay:
    """One piece and where a hand lays it; None is off the table."""

    piece: str
    to: Pose | None
    face_up: bool
    shows: str | None = None
    """The front that it shows from then on, of a die that is thrown, a sheet that is written on; None: as before. What
    is changed so and laid just where it lies is not lifted."""


@dataclass(frozen=True, slots=True)
class Step:
    """What one hand does in one go."""

    player: Player
    lays: tuple[Lay, ...]


@dataclass(frozen=True, slots=True)
class Mistake:
    """A broken rule, made on purpose."""

    name: str
    player: Player
    steps: tuple[Step, ...]
    press: bool
    """Whether the player presses the button afterwards, as if all were well."""
    put_right: tuple[Step, ...] = ()
    """How it is put right, where laying everything back as it was is not the way."""


@dataclass(frozen=True, slots=True)
class NewPiece:
    """A piece of the box, before the game."""

    piece: str
    kind: PieceKind
    front: str
    back: str


@dataclass(frozen=True, slots=True)
class Lying:
    """Where a piece is now."""

    pose: Pose | None
    face_up: bool
    front: str = ""
    """What its front shows now."""


class GameHands(Protocol):
    """How people handle one game's pieces."""

    def box(self) -> Sequence[NewPiece]:
        """Every piece, by id."""
        ...

    def next_play(self, state: Any) -> tuple[Sequence[Any], Player | None]:
        """The moves made next, up to where the table must agree, and who makes them. Chance comes from the box."""
        ...

    def uses_knife(self, moves: Sequence[Any]) -> bool:
        """Whether somebody uses the table's knife in these moves, where the game has one."""
        ...

    def steps(self, state: Any, moves: Sequence[Any], lying: Mapping[str, Lying]) -> Sequence[Step]:
        """The hand movements that carry these moves out."""
        ...

    def mistakes(self, state: Any, moves: Sequence[Any], lying: Mapping[str, Lying]) -> Sequence[Mistake]:
        """Ways to break a rule here instead."""
        ...

    def lay_anew(
        self, state: Any, faces: Sequence[str], player: Player | None, lying: Mapping[str, Lying]
    ) -> Sequence[Step]:
        """Lay pieces that cannot be read again; without faces, everything in front of the player."""
        ...


@runtime_checkable
class Slapping(Protocol):
    """What hands have besides where people slap cards, and so their pads where the table has some."""

    def slaps(self, state: Any, moves: Sequence[Any]) -> Sequence[Player]:
        """Who slaps a card in these moves, the first one first."""
        ...


MakeHands = Callable[[Game[Any, Any], Any, Mapping[Player, Sequence[Sequence[Point]]], Random], GameHands]
"""What a game's `hands` module offers as `HANDS`: of the engine, the state at the start, each player's area as in
`controller.reading.Layout`, and a source of chance."""
