"""What a game makes of a scene: which move it shows, if any. The seam between a game's `table.py` and the referee."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol, TypeVar

from controller.game import Json, Player, Refusal
from vision.scene import Point, Scene


@dataclass(frozen=True, slots=True)
class Layout:
    """Who sits where, as far as reading needs it."""

    areas: Mapping[Player, Sequence[Sequence[Point]]]
    """Each player's own area: polygons in table millimetres."""
    buttons: bool = True
    """Whether a play counts with its player's button; else it counts when it has lain still."""

    def pressing(self, clause: str) -> str:
        """What a text says of pressing the button: nothing where there is none."""
        return clause if self.buttons else ""


class ReadingKind(Enum):
    """What the table shows, compared with the game's state."""

    AS_BEFORE = "as-before"
    """Everything lies where the state says; nobody has begun a move."""
    UNFINISHED = "unfinished"
    """A move was begun; what lies there can still become legal."""
    MOVES = "moves"
    """One or more legal plays explain what lies there."""
    FAULT = "fault"
    """No legal play explains it."""


@dataclass(frozen=True, slots=True)
class Play:
    """One or more moves in a row that players made before the scene came to rest."""

    moves: tuple[Any, ...]
    probability: float
    """Share of the evidence, over all plays of the reading."""
    text: str
    """In a player's words."""
    differs: tuple[str, ...] = ()
    """Faces of it that other plays of the reading do not share; what a question shows."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong on the table."""

    refusal: Refusal
    player: Player | None
    """Whose move it is about, where that is known."""
    sightings: tuple[int, ...] = ()
    """Indices into the scene of the pieces it is about."""
    certain: bool = True
    """False where the camera may simply not see something that is there."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one scene at rest says about one state."""

    kind: ReadingKind
    places: tuple[str, ...]
    """For each sighting where it counts as lying; see `controller.views.PieceView.place`."""
    faces: tuple[str, ...] = ()
    """For each sighting the face it is taken for, the state's word included."""
    plays: tuple[Play, ...] = ()
    """Most probable first; only legal ones."""
    confirm: Player | None = None
    """Whose button turns the play into a move; None where coming to rest is enough."""
    others: frozenset[Player] = frozenset()
    """Who else may have made what lies there: whose own button says so."""
    unanswered: frozenset[Player] = frozenset()
    """Who has pressed for something that the play does not tell of: their press counts on after it."""
    fault: Fault | None = None
    """What is wrong; of an unfinished move, what would be wrong if it stayed as it is."""
    note: str = ""
    """What is still to be done, in a player's words."""
    declares: frozenset[Player] = field(default_factory=frozenset)
    """Players whose button alone is a play here, such as declining an offer."""


State = TypeVar("State", contravariant=True)


class GameTable(Protocol[State]):
    """How one game lies on a table."""

    def read(self, state: State, scene: Scene, layout: Layout, pressed: frozenset[Player]) -> Reading:
        """What a scene at rest says. `pressed`: players who have pressed their button since the pieces moved last."""
        ...

    def lamps(self, state: State) -> frozenset[Player]:
        """Players whose button must be lit: those who are to act or may interrupt."""
        ...


class Describe(Protocol):
    """`describe` of a game's `describe.py`."""

    def __call__(self, scene: Scene) -> Json:
        """The arrangement of the pieces without any game state, for people and programs that read single pictures."""
        ...
