"""What a display is told: the one description of it. The HTTP API's schema is made from these models.

A view is whole: a display that has missed some needs only the newest. Positions are table millimetres (origin at the
mat's centre, x right, y away from seat 1), angles degrees counter-clockwise.
"""

from enum import Enum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from firmware_bridge.session import LinkState

Outline = list[tuple[float, float]]
Source = Literal["table", "answer", "ruling", "undo"]
"""Whether a move was read from the table, chosen by the players where it was not clear, ruled by a host, or taken
back."""
Lamp = Literal["off", "on", "blink"]
"""What a seat's lamp does."""


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
    """One part of the table: its camera, the reading, the referee, the journal and so on."""

    state: PartState
    text: str
    """What it is, or what is wrong and what to do."""
    note: str = ""
    """A few words to show while nothing is wrong; empty: none."""


class SlapsView(Model):
    """Slaps that belong together, and who was first."""

    number: int
    """Counts up with every burst."""
    seats: list[int]
    """Every seat that slapped, the earliest first."""
    first: list[int]
    """The seat that was first; several for a tie, which is left to the eye."""
    margin_us: float | None
    """Microseconds from the first to the second; None where only one slapped."""


class BoardView(Model):
    """The microcontroller: how its line is, what it says of itself, what is closed on it."""

    link: LinkState
    words: str
    """What is wrong with the line, or that nothing is."""
    port: str
    emulated: bool
    """Whether its firmware runs in an emulator."""
    starts: int | None
    """Since it was made, but for those by its watchdog; where a boot loader hides what it was, those after power came.
    None before it has said so."""
    watchdog_resets: int | None
    """Since the last of these; None where a boot loader hides which they are."""
    failed_pads: list[int]
    """Seats whose pad failed the self-test."""
    lost: int
    """Signals that it had no room for since its start."""
    clock_bound_us: int | None
    """How far its clock may be off, rounded up; None before it is known."""
    pads: list[int]
    """Seats whose pad is pressed."""
    knives: list[int]
    """Seats in whose dock the knife lies."""
    skewers: list[int]
    """Docks, from 1, that a skewer stands in."""
    beam_broken: bool
    """Whether something is in the dice tower's beam."""
    slaps: SlapsView | None
    """The last slaps, for some seconds."""


class SeatView(Model):
    """One place at the table."""

    seat: int
    """1 upwards, clockwise from the picture's lower edge."""
    player: int | None
    """The game's player who sits here; None where nobody plays."""
    name: str
    said: bool = False
    """Whether somebody said that name; otherwise it is the place's."""
    colour: str
    """CSS colour of this seat wherever it is drawn."""
    area_mm: Outline
    lamp: Lamp
    begins: bool = False
    """Before a game: whether who has joined here begins, if it starts so."""


class PieceView(Model):
    """One piece as it lies."""

    kind: str
    """What it is: slice, special, board, die, sheet and so on (`vision.scene.PieceKind`)."""
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
    certain: bool = True
    """False where the camera may simply not see something that is there."""


class TurnView(Model):
    """Who is to act."""

    actor: Literal["players", "chance", "nobody"]
    players: list[int]
    prompt: str
    named: list[int] = []
    """Those of the players whom the prompt names: who acts at once where there are several."""


class LogLine(Model):
    """One line of what happened, newest last."""

    seq: int
    player: int | None
    text: str
    source: Source = "table"
    by: str = ""
    """The host who answered, ruled or took back; empty where that was not said."""


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
    number: int = 0
    """Which of the table's games is played, counted from 1; 0 where none is."""
    simulated: bool
    """Whether the camera looks at the simulated table."""
    referee: RefereeState
    message: str
    """One line for the room: what the table waits for."""
    turn: TurnView
    seats: list[SeatView]
    pieces: list[PieceView]
    hidden: list[Outline]
    hidden_by: list[str] = []
    """For each of them why: hand, foreign, glare, dark, stripes or out-of-picture."""
    question: QuestionView | None
    breach: BreachView | None
    position: Any
    """The game's own view of its state; see the game's view.js."""
    log: list[LogLine]
    parts: dict[str, PartView]
    board: BoardView | None = None
    """The microcontroller; None where there is none."""
    buttons: bool = True
    """Whether a move counts with its player's button; else it counts when it has lain still, and the page begins."""
    identity: str = ""
    """Whose view it is: see `ResultsView.identity`."""


class DoubtView(Model):
    """A piece that was read doubtfully."""

    face: str
    likelihood: float
    """0 to 1."""
    x_mm: float
    y_mm: float


class PictureView(Model):
    """What was read from one picture of the camera: that which it travels with."""

    sequence: int
    """The camera's number of the picture; begins anew when the camera does."""
    age_s: float
    """Seconds since the camera took it, when it was sent."""
    late_s: float
    """A picture older than this is late: several newer ones should have come."""
    why_not_read: str
    """Why nothing is drawn on it; empty where it was read."""
    pieces: int
    """How many were read."""
    doubtful: int
    """How many of them doubtfully."""
    doubts: list[DoubtView]
    """The most doubtful of these, first."""
    remembered: int
    """How many others are known from before something moved where they lay."""
    hidden: list[str]
    """Why each place is hidden that is: hand, foreign, glare, dark, stripes or out-of-picture."""


class LegendView(Model):
    """Something that may be drawn on the camera's picture."""

    name: str
    """sure, doubtful, changed, gone or remembered for an outline; for a hidden place the cause's name."""
    meaning: str
    colour: str
    """CSS colour."""
    swatch: str
    """What it looks like: a PNG picture as data URI."""


class PlayerResultView(Model):
    """How one player did in a game."""

    seat: int
    name: str
    total: int | None
    """Points; None while the game is not over."""
    won: bool
    """Several may share."""
    so_far: int | None = None
    """Points up to where a game goes on or was left, as the display shows them; None for one that is over."""


class GameResultView(Model):
    """A game that was begun at a table, and how it ended."""

    table: str
    """The table's name when it began; empty where that was not written down."""
    event: str
    """The event that it counts for; empty for none."""
    number: int
    """Which of the table's games it is, counted from 1."""
    game: str
    title: str
    began: str
    """ISO 8601, UTC, by the table's clock as it was set last before the computer was switched off."""
    ended: str
    """When the last play was made."""
    began_ago_s: float | None = None
    """Seconds since then, whatever the table's clock says; None where the computer was switched off in between."""
    ended_ago_s: float | None = None
    over: bool
    """False where it goes on, or was left."""
    players: list[PlayerResultView]
    """Clockwise."""
    problem: str = ""
    """Why it cannot be told how it ended: the rules do not allow its moves any more."""
    doubt: str = ""
    """Why it may have ended otherwise; empty where nothing speaks for that."""
    simulated: bool = False
    """Whether people and pieces were simulated."""
    identity: str = ""
    """What tells it from every other game of its number, in its table's folder and in copies of that: when it began, as
    was written then, whatever clock tells that later; empty: an older table does not say."""

    @property
    def titled(self) -> str:
        """Its title, with that it was simulated."""
        return f"{self.title} (simulated)" if self.simulated else self.title


class HappenedView(Model):
    """Something that happened in a game."""

    seq: int
    """As the journal numbers it."""
    at: str
    """When, and how long ago: as `GameResultView.began`."""
    ago_s: float | None
    kind: Literal["begun", "play", "undo", "refused", "unseen", "rename", "paused", "left", "started", "damaged"]
    text: str
    remedy: str = ""
    """How what was refused was to be put right."""
    source: str = ""
    """Of a play: as in the log."""
    by: str = ""
    """The host who did it, where that was said."""
    picture: bool = False
    """Whether the picture that it was read from is kept."""


class StandingView(Model):
    """How somebody did in all games that are over."""

    rank: int = 0
    """From 1; those who did as well share one, and as many of the next are left out. 0: an older table does not say."""
    name: str
    won: int
    played: int


class ResultsView(Model):
    """Every game of a table, the earliest first."""

    games: list[GameResultView]
    standings: list[StandingView]
    """By games won, then by as few as possible played; only of players whose names were said, and of simulated games
    only where there are no others. Whoever has the same name, but for case and the like
    (`config.names.same_name`), is the same, is called as in the last game, and has played a game once."""
    identity: str = ""
    """The table's since its start, by which it is known at another address
    (`controller.table_folder.identity_of_start`); empty where no table runs."""
