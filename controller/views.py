"""What a display is told: the one description of it. The HTTP API's schema is made from these models.

A view is whole: a display that has missed some needs only the newest. Positions are table millimetres (origin at the
mat's centre, x right, y away from seat 1), angles degrees counter-clockwise.
"""

from enum import Enum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Outline = list[tuple[float, float]]


class Model(BaseModel):
    """Strict and immutable: an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PartState(Enum):
    """How a part of the table is doing."""

    OK = "ok"
    STARTING = "starting"
    LOST = "lost"
    ABSENT = "absent"
    """Not configured; the table plays without it."""


class PartView(Model):
    """One part of the table: camera, reading, panel, journal, discovery."""

    state: PartState
    text: str
    """What it is, or what is wrong and what to do."""


class SeatView(Model):
    """One place at the table."""

    seat: int
    """1 upwards, clockwise from the picture's lower edge."""
    player: int | None
    """The game's player who sits here; None where nobody plays."""
    name: str
    colour: str
    """CSS colour of this seat wherever it is drawn."""
    area_mm: Outline
    lamp: Literal["off", "on", "blink"]


class PieceView(Model):
    """One piece as it lies."""

    kind: str
    """slice or special"""
    face: str
    """Face id; the back's id when face down."""
    face_up: bool
    x_mm: float
    y_mm: float
    angle_deg: float
    likelihood: float
    outline_mm: Outline
    place: str
    """Where it counts as lying: "ring", "portion/0", "seat/3/collected", "seat/3/eaten", "stray"."""


class RefereeState(Enum):
    """What the referee makes of the table right now."""

    WAITING = "waiting"
    """The table is as the game state says; somebody is to move."""
    HANDS = "hands"
    """Hands or movement: nothing is judged until they are gone."""
    UNFINISHED = "unfinished"
    """Something was begun that is not yet a move; or it is one and waits for its button."""
    UNCLEAR = "unclear"
    BREACH = "breach"
    PAUSED = "paused"
    OVER = "over"


class CandidateView(Model):
    """One move that the table may mean."""

    id: int
    text: str
    likelihood: float
    moves: list[str]
    """The moves in the game's notation."""
    differs: list[str]
    """The faces that make this candidate differ from the others, to be drawn as pictures."""


class QuestionView(Model):
    """Several moves fit: the players are asked."""

    id: int
    text: str
    candidates: list[CandidateView]


class BreachView(Model):
    """No legal move fits."""

    rule: str
    """Heading in the rule text."""
    problem: str
    remedy: str
    player: int | None
    pieces: list[PieceView]
    """The pieces it is about, where they lie."""
    faces: list[str]
    """Faces of the pieces it is about, also of those that cannot be seen."""


class TurnView(Model):
    """Who is to act."""

    actor: Literal["players", "chance", "nobody"]
    players: list[int]
    prompt: str


class LogLine(Model):
    """One line of what happened, newest last."""

    seq: int
    player: int | None
    text: str


class TableView(Model):
    """All that one viewer may know about a table."""

    seq: Annotated[int, Field(ge=0)]
    """Counts up with every change; the event stream's id."""
    version: str
    table: str
    """The table's name."""
    game: str
    """The game's folder name; its view.js draws `position`."""
    title: str
    simulated: bool
    """Whether the camera looks at the simulated table."""
    referee: RefereeState
    message: str
    """One line for the room: what the table waits for."""
    turn: TurnView
    seats: list[SeatView]
    pieces: list[PieceView]
    hidden: list[Outline]
    question: QuestionView | None
    breach: BreachView | None
    position: Any
    """The game's own view of its state; see the game's view.js."""
    log: list[LogLine]
    parts: dict[str, PartView]
