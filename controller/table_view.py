"""What is shown of a table: the whole view, made from how it stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from config.schema import Confirm, SeatConfig, TableConfig
from controller.game import Game, Json, Player
from controller.reading import GameTable, Play
from controller.referee import Answer, Verdict, mend_light
from controller.running_game import RunningGame, spoken_of
from controller.said_names import is_said
from controller.seating import player_counts, told_counts
from controller.views import (
    BoardView,
    BreachView,
    CandidateView,
    Lamp,
    LogLine,
    PartView,
    PieceView,
    QuestionView,
    RefereeState,
    SeatView,
    TableView,
    TurnView,
)
from vision.scene import Scene, Sighting

LOG_LINES = 40
"""How many lines of the log a view carries."""
_REFEREE = {
    Answer.HANDS: RefereeState.HANDS,
    Answer.AS_BEFORE: RefereeState.WAITING,
    Answer.UNFINISHED: RefereeState.UNFINISHED,
    Answer.WAITING_FOR_BUTTON: RefereeState.UNFINISHED,
    Answer.MOVE: RefereeState.WAITING,
    Answer.UNCLEAR: RefereeState.UNCLEAR,
    Answer.BREACH: RefereeState.BREACH,
}
SEVERAL_WAYS = "The table can be read in more than one way."


@dataclass(frozen=True, slots=True)
class Question:
    """Which of several plays was meant."""

    number: int
    plays: tuple[Play, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """How a table stands at one moment: all that is shown of it."""

    running: RunningGame | None
    """None in the lobby."""
    joined: Sequence[int]
    """Seats of those who have joined in the lobby."""
    begins: int | None
    """Which of these begins; None where nobody has joined."""
    pause_note: str | None
    """What is said of the pause first, if anything; None while the table is not paused."""
    scene: Scene | None
    """What lies there; None before it was seen."""
    places: tuple[str, ...]
    """Where each of the scene's pieces counts as lying; empty where the game has not been asked."""
    faces: tuple[str, ...]
    """What each of them counts as; likewise."""
    verdict: Verdict
    """On this scene."""
    question: Question | None
    parts: Mapping[str, PartView]
    board: BoardView | None


class TableViews:
    """Makes one table's views. What one shares with the last is not made anew."""

    def __init__(
        self,
        config: TableConfig,
        game: Game[Any, Any],
        game_table: GameTable[Any],
        *,
        version: str,
        simulated: bool,
        identity: str,
    ) -> None:
        self._config = config
        self._game = game
        self._game_table = game_table
        self._version = version
        self._simulated = simulated
        self._identity = identity
        self._buttons = config.timing.confirm is Confirm.BUTTON
        self._pieces = _Pieces()
        self._viewed: tuple[Any, Json] | None = None

    def of(self, table: Standing, seq: int) -> TableView:
        """The view of a table that stands so, with this number."""
        pieces = self._pieces.views(table.scene, table.faces, table.places)
        hidden = table.scene.hidden if table.scene else ()
        lit = self._lit(table)
        return TableView(
            seq=seq,
            version=self._version,
            table=self._config.name,
            game=self._game.name,
            title=self._game.title,
            number=table.running.number if table.running is not None else 0,
            simulated=self._simulated,
            referee=_referee_state(table),
            message=_named(table, self._message(table)),
            turn=self._turn(table),
            seats=[self._seat(table, number, seat, lit) for number, seat in self._config.seats.items()],
            pieces=pieces,
            hidden=[[_rounded(p) for p in place.outline_mm] for place in hidden],
            hidden_by=[place.cause.value for place in hidden],
            question=_question(table),
            breach=_breach(table, pieces),
            position=self._position(table),
            log=_log(table),
            parts=dict(table.parts),
            board=table.board,
            buttons=self._buttons,
            identity=self._identity,
        )

    def _position(self, table: Standing) -> Json:
        """The game's view of its state, made once for each state."""
        if table.running is None:
            return None
        state = table.running.state
        if self._viewed is None or self._viewed[0] is not state:
            self._viewed = (state, self._game.view(state, None))
        return self._viewed[1]

    def _message(self, table: Standing) -> str:
        if table.running is None:
            return self._lobby_message(table)
        if table.pause_note is not None:
            goes_on = "The host's button or page resumes." if self._buttons else "The host's page resumes."
            return f"{table.pause_note}Paused. {goes_on}"
        verdict = table.verdict
        if verdict.answer is Answer.BREACH and verdict.fault is not None:
            return verdict.fault.refusal.problem
        if verdict.answer is Answer.UNCLEAR:
            light = mend_light(table.scene) if table.scene is not None else None
            said = (
                f"{verdict.note.removesuffix('.')}." if len(verdict.candidates) == 1 and verdict.note else SEVERAL_WAYS
            )
            return said + (f" {light}" if light else "")
        if verdict.answer is Answer.WAITING_FOR_BUTTON:
            return f"{verdict.note.removesuffix('.')}. {self._awaited(verdict)}"
        if verdict.answer in (Answer.UNFINISHED, Answer.AS_BEFORE) and verdict.note:
            return verdict.note
        return self._game.turn(table.running.state).prompt

    def _awaited(self, verdict: Verdict) -> str:
        """What makes what lies there count, or has it asked what was meant where that is not clear."""
        clear = verdict.play is not None
        if not self._buttons:
            return "It counts if it stays so." if clear else "If it stays so, the table asks what was meant."
        players = " or ".join(f"Player {player}" for player in sorted(_awaited_players(verdict)))
        return f"{players}: press your button{'' if clear else ' when you have finished'}."

    def _lobby_message(self, table: Standing) -> str:
        counts = player_counts(self._config, self._game.player_counts)
        many = f"{told_counts(counts)} players"
        if self._simulated and not self._buttons:
            return f"{self._game.title}: the simulated players sit down."
        if not self._buttons and not table.joined:
            return f"{self._game.title} for {many}: the host says who plays, at Game… on the host's page."
        if table.begins is not None and len(table.joined) in counts:
            first = f"{len(table.joined)} players have joined, {self._config.seats[table.begins].name} begins."
            return f"{first} To begin instead, hold your button down. The host's button starts the game."
        if len(table.joined) > counts[-1]:
            return f"{len(table.joined)} have joined, {self._game.title} takes {many}: press again to leave."
        return f"{self._game.title}: press your button to join, {many}."

    def _turn(self, table: Standing) -> TurnView:
        if table.running is None:
            return TurnView(actor="nobody", players=[], prompt=self._lobby_message(table))
        turn = self._game.turn(table.running.state)
        named = [player for player in turn.players if player in spoken_of(turn.prompt)]
        return TurnView(
            actor=turn.actor.value, players=list(turn.players), named=named, prompt=_named(table, turn.prompt)
        )

    def _seat(self, table: Standing, number: int, seat: SeatConfig, lit: frozenset[Player]) -> SeatView:
        running, verdict = table.running, table.verdict
        player = running.player_at(number) if running is not None else None
        name = running.names[player] if running is not None and player is not None else seat.name
        waits = verdict.answer is Answer.WAITING_FOR_BUTTON and verdict.play is not None
        lamp: Lamp = "off"
        if running is None:
            lamp = "on" if number in table.joined else "off"
        elif player is not None and player in lit:
            lamp = "blink" if waits and verdict.confirm == player else "on"
        return SeatView(
            seat=number,
            player=player,
            name=name,
            said=is_said(number, name),
            colour=seat.colour,
            area_mm=[_rounded(p) for p in seat.area_mm],
            lamp=lamp,
            begins=number == table.begins,
        )

    def _lit(self, table: Standing) -> frozenset[Player]:
        if table.running is None or table.running.over:
            return frozenset()
        return self._game_table.lamps(table.running.state) | _awaited_players(table.verdict)


def _awaited_players(verdict: Verdict) -> frozenset[Player]:
    return verdict.others if verdict.confirm is None else verdict.others | {verdict.confirm}


class _Pieces:
    """The pieces as they lie, with the faces and places that they counted as when they were judged last."""

    def __init__(self) -> None:
        self._told: dict[tuple[object, ...], Sequence[str]] = {}
        """Face and place of what was judged last, by how it lies."""
        self._before: dict[tuple[object, ...], PieceView] = {}

    def views(self, scene: Scene | None, faces: tuple[str, ...], places: tuple[str, ...]) -> list[PieceView]:
        """The scene's pieces, in its order."""
        if scene is None:
            return []
        sightings = scene.sightings
        if places or faces:
            places = places or ("",) * len(sightings)
            faces = faces or tuple(s.face for s in sightings)
            self._told = {_lies(s): told for s, *told in zip(sightings, faces, places, strict=True)}
        # While hands are about nothing is judged: what lies as it lay is what it was.
        told = [self._told.get(_lies(s), (s.face, "")) for s in sightings]
        # Most of what lies there was shown so before: who looks at it anew makes it anew for nothing.
        shown: dict[tuple[object, ...], PieceView] = {}
        views = []
        for sighting, (face, place) in zip(sightings, told, strict=True):
            what = (*_lies(sighting), sighting.probability, sighting.outline_mm, face, place)
            shown[what] = self._before.get(what) or _piece(sighting, face, place)
            views.append(shown[what])
        self._before = shown
        return views


def _referee_state(table: Standing) -> RefereeState:
    if table.pause_note is not None:
        return RefereeState.PAUSED
    if table.running is None:
        return RefereeState.WAITING
    return RefereeState.OVER if table.running.over else _REFEREE[table.verdict.answer]


def _question(table: Standing) -> QuestionView | None:
    if table.question is None or table.running is None:
        return None
    return QuestionView(
        id=table.question.number,
        text="Which of these was meant?" if len(table.question.plays) > 1 else "Was this meant?",
        candidates=[
            CandidateView(
                id=i,
                text=_named(table, play.text),
                likelihood=round(play.probability, 3),
                moves=table.running.notation(play),
                differs=list(play.differs),
            )
            for i, play in enumerate(table.question.plays)
        ],
    )


def _breach(table: Standing, pieces: Sequence[PieceView]) -> BreachView | None:
    fault = table.verdict.fault
    if table.verdict.answer is not Answer.BREACH or fault is None or table.pause_note is not None:
        return None
    return BreachView(
        rule=fault.refusal.heading,
        problem=_named(table, fault.refusal.problem),
        remedy=_named(table, fault.refusal.remedy),
        player=fault.player,
        pieces=[pieces[i] for i in fault.sightings],
        faces=list(fault.refusal.pieces),
        certain=fault.certain,
    )


def _log(table: Standing) -> list[LogLine]:
    return table.running.log[-LOG_LINES:] if table.running is not None else []


def _named(table: Standing, text: str) -> str:
    return table.running.named(text) if table.running is not None else text


def _lies(sighting: Sighting) -> tuple[object, ...]:
    return sighting.kind, sighting.face, sighting.face_up, sighting.pose


def _piece(sighting: Sighting, face: str, place: str) -> PieceView:
    return PieceView(
        kind=sighting.kind.value,
        face=face,
        face_up=sighting.face_up,
        x_mm=round(sighting.pose.x_mm),
        y_mm=round(sighting.pose.y_mm),
        angle_deg=round(sighting.pose.angle_deg),
        likelihood=round(sighting.probability, 2),
        outline_mm=[_rounded(p) for p in sighting.outline_mm],
        place=place,
    )


def _rounded(point: tuple[float, float]) -> tuple[float, float]:
    return (round(point[0]), round(point[1]))
