"""When a reading becomes a move, a question or a breach: timing, buttons and thresholds. Knows no game and no pixels.

The four answers of the design: nothing yet, a move, unclear, a breach. The referee holds no game state; it remembers only
which buttons were pressed and for how long the same thing has been lying there.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from enum import Enum

from controller.game import Player
from controller.reading import Fault, Play, Reading, ReadingKind
from vision.scene import Scene


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds; see `timing` in the configuration."""

    rest_s: float
    """A scene that has been at rest for this long is judged."""
    breach_s: float
    """A fault must have stood still for this long."""
    confirm_rest_s: float | None
    """A play that waits for its button is taken after this long without it; None: the button is needed."""
    clear: float = 0.99
    """A play is clear when it has at least this share of the evidence."""


class Answer(Enum):
    """What the referee makes of the table."""

    HANDS = "hands"
    AS_BEFORE = "as-before"
    UNFINISHED = "unfinished"
    WAITING_FOR_BUTTON = "waiting-for-button"
    MOVE = "move"
    UNCLEAR = "unclear"
    BREACH = "breach"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The referee's answer to one scene."""

    answer: Answer
    play: Play | None = None
    """The move to make, or the one that waits for its button."""
    candidates: tuple[Play, ...] = ()
    fault: Fault | None = None
    confirm: Player | None = None
    note: str = ""


class Referee:
    """Turns readings into verdicts over time. All times are the scenes' own."""

    def __init__(self, timing: Timing) -> None:
        self._timing = timing
        self._pressed: dict[Player, float] = {}
        self._same: Hashable = None
        self._same_since_s = 0.0
        self._answered: set[Player] = set()

    def press(self, player: Player, time_s: float) -> None:
        """A player's button went down."""
        self._pressed[player] = time_s
        self._answered.discard(player)

    @property
    def pressed(self) -> frozenset[Player]:
        """Players whose button counts as pressed for the next judgement."""
        return frozenset(self._pressed)

    def settled(self, scene: Scene) -> bool:
        """Whether this scene may be judged at all."""
        return scene.at_rest_s >= self._timing.rest_s

    def hands(self) -> Verdict:
        """The verdict on a scene that is not at rest. Presses that were answered before are used up by it."""
        for player in self._answered:
            self._pressed.pop(player, None)
        self._answered.clear()
        return Verdict(Answer.HANDS)

    def judge(self, scene: Scene, reading: Reading) -> Verdict:
        """The verdict on a scene at rest, and what its reading says. A press counts until something moves again."""
        self._answered |= self._counted(scene)
        meaning = _meaning(reading)
        if meaning != self._same:
            self._same, self._same_since_s = meaning, scene.time_s
        stood_s = scene.time_s - self._same_since_s
        match reading.kind:
            case ReadingKind.AS_BEFORE:
                return self._as_before(scene, reading)
            case ReadingKind.UNFINISHED:
                return Verdict(Answer.UNFINISHED, note=reading.note)
            case ReadingKind.FAULT:
                return self._fault(scene, reading, stood_s)
            case ReadingKind.MOVES:
                return self._moves(scene, reading, stood_s)

    def forget(self) -> None:
        """After a move, an undo or a correction: buttons pressed before it no longer count."""
        self._pressed.clear()
        self._answered.clear()
        self._same = None

    def _as_before(self, scene: Scene, reading: Reading) -> Verdict:
        declared = reading.declares & self._counted(scene)
        if declared and reading.plays:
            return Verdict(Answer.MOVE, play=reading.plays[0], confirm=min(declared))
        return Verdict(Answer.AS_BEFORE, confirm=reading.confirm, note=reading.note)

    def _moves(self, scene: Scene, reading: Reading, stood_s: float) -> Verdict:
        play, confirm = reading.plays[0], reading.confirm
        ready = confirm is None or confirm in self._counted(scene)
        limit = self._timing.confirm_rest_s
        if not ready and limit is not None and stood_s >= limit:
            ready = True
        if play.probability < self._timing.clear:
            if ready:
                return Verdict(Answer.UNCLEAR, candidates=reading.plays, confirm=confirm, note=reading.note)
            return Verdict(Answer.UNFINISHED, note=reading.note)
        if not ready:
            return Verdict(Answer.WAITING_FOR_BUTTON, play=play, confirm=confirm, note=reading.note)
        return Verdict(Answer.MOVE, play=play, confirm=confirm)

    def _fault(self, scene: Scene, reading: Reading, stood_s: float) -> Verdict:
        if self._counted(scene) or stood_s >= self._timing.breach_s:
            return Verdict(Answer.BREACH, fault=reading.fault)
        return Verdict(Answer.UNFINISHED)

    def _counted(self, scene: Scene) -> frozenset[Player]:
        """A press counts for scenes taken after it."""
        return frozenset(p for p, time_s in self._pressed.items() if time_s <= scene.time_s)


def _meaning(reading: Reading) -> Hashable:
    """What must stay the same for a reading to be standing still."""
    fault = reading.fault
    return (
        reading.kind,
        tuple(play.moves for play in reading.plays[:1]),
        (fault.refusal.problem, fault.player) if fault else None,
        reading.note,
    )
