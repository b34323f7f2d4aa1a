"""When a reading becomes a move, a question or a breach: timing, buttons and thresholds. Knows no game and no pixels.

The four answers of the design: nothing yet, a move, unclear, a breach. The referee holds no game state; it remembers
only which buttons were pressed and for how long the same thing has been lying there.
"""

import math
from collections import deque
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from controller.game import Player
from controller.games.polygons import apart_mm, inside
from controller.reading import Fault, Play, Reading, ReadingKind
from vision.following.settling import changes, same_marks, turned_deg
from vision.scene import LIKELY, Change, HiddenCause, PieceKind, Point, Scene, Sighting

Outlines = tuple[tuple[Point, ...], ...]
BESIDE_HAND_MM = 40.0
"""What lies (by its place) no farther from a hand's outline may have been under it a moment before,"""
RIM_BESIDE_HAND_MM = 15.0
"""or what reaches so near to it."""
MEASURED_ANEW_MM_DEG = {PieceKind.CUTTER: (5.0, 3.0), PieceKind.SHEET: (5.0, 3.0), PieceKind.DIE: (4.0, 45.0)}
"""By so much a piece may seem to have moved that is only measured anew: how far along itself a stick lies, a sheet of
which a hand hid a corner, a die seen from another side. None of them means anything else a little farther on."""
EARLY_S = 1.5
"""What a hand let go of no longer than this before a press may be seen to lie there only after it."""
BESIDE_GLARE_MM = 40.0
"""Glare may hide what lies no farther from it: it washes out what is beside it, and most of a piece must show."""
MOST_HANDS = 1000
"""In so many pictures it is remembered where hands were since all lay as it should."""
OLDEST_S = 60.0
"""Where hands were before that is forgotten: whatever changes then uses up a press as old as that."""

DARK = "Part of the table is too dark: put a lamp beside it, or lay the pieces where they can be seen."
GLARE = "Glare hides part of the table: turn the lamp away, draw a curtain, or lay the pieces where they can be seen."
STRIPES = (
    "Shadows as thin as pencil strokes lie on a score sheet: draw a curtain, or move the sheet, the lamp, or what "
    "throws them."
)
BLINDED = {HiddenCause.GLARE: GLARE, HiddenCause.DARK: DARK, HiddenCause.STRIPES: STRIPES}
"""What players are asked to do before they are told that something is missing."""
LIES_OVER = "Take away what lies on the table and belongs to no game: it may hide a piece."
"""What they are told besides where such a thing lies about."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds; see `timing` in the configuration."""

    rest_s: float
    """A scene that has been at rest for this long is judged."""
    clear_rest_s: float
    """After this long a play counts already that is clear, and what lies as before is known to."""
    breach_s: float
    """A fault must have stood still for this long."""
    confirm_rest_s: float | None
    """A play that waits for its button is taken after this long without it; None: the button is needed."""
    clear: float = 0.99
    """A play is clear when it has at least this share of the evidence."""
    linger_s: float = 8.0
    """What is unfinished and cannot stay as it is has become a breach after this long."""
    twice_s: float = 1.0
    """A further press of the button that has just made a play, within this time of the press before, is meant for the
    same play."""
    blink_s: float = 0.45
    """A reading that is gone for no longer than this was there all the time: vision may miss a piece once,"""
    certain_blink_s: float = 1.0
    """or one of many pieces again and again; what is certain when it is seen may be gone for longer."""


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
    """The move to make, or the one that waits for its button; None where it is not clear which one waits."""
    candidates: tuple[Play, ...] = ()
    fault: Fault | None = None
    confirm: Player | None = None
    others: frozenset[Player] = frozenset()
    """Whose button may be waited for besides."""
    unanswered: frozenset[Player] = frozenset()
    """Whose press counts on after the move."""
    note: str = ""


@dataclass(slots=True)
class _Standing:
    """Since when, and when last, a reading was the same."""

    first_s: float
    last_s: float


@dataclass(frozen=True, slots=True)
class _Hands:
    """Where hands were in one picture."""

    time_s: float
    outlines: Outlines


class Referee:
    """Turns readings into verdicts over time. All times are the scenes' own."""

    def __init__(self, timing: Timing) -> None:
        self._timing = timing
        self._pressed: dict[Player, float] = {}
        self._answered: frozenset[Player] = frozenset()
        """Whose press has been answered by a breach: it was meant for what lay there then."""
        self._lies: tuple[Sighting, ...] | None = None
        self._used_up: tuple[dict[Player, float], tuple[Sighting, ...]] | None = None
        """Presses that a breach had answered when hands came, and what lay there then."""
        self._lay: tuple[Sighting, ...] = ()
        """What lay there when all lay as it should last; nothing where that is not known any more."""
        self._hands_since: list[Outlines] = []
        """Where hands were in each picture since then that showed any."""
        self._beside: tuple[Hashable, bool] = (None, True)
        """Whether glare may hide what is missing, as it was told last, and of what."""
        self._hands: deque[_Hands] = deque()
        self._at_rest = False
        self._standing: dict[Hashable, _Standing] = {}
        self._just_made: tuple[Player | None, float] | None = None
        self._taken_back: tuple[Any, ...] | None = None

    def press(self, player: Player, time_s: float) -> None:
        """A player's button went down."""
        if self._just_made is not None:
            made_by, made_s = self._just_made
            if player == made_by and time_s < made_s + self._timing.twice_s:
                self._just_made = made_by, time_s
                return
        self._pressed[player] = time_s
        self._answered -= {player}

    def counted(self, scene: Scene) -> frozenset[Player]:
        """Players whose press counts for this scene: it was made before the scene was taken, and is not used up."""
        return frozenset(player for player, pressed_s in self._pressed.items() if pressed_s <= scene.time_s)

    def follow(self, scene: Scene) -> None:
        """Take notice of what lies there now; before anything is asked about a scene.

        A press was meant for what lay there when it was made. It is used up when that has changed, but where a hand was
        when it was made: people press with one hand while the other still lets go. Nor by what a hand had let go of a
        moment before, and none has touched since: it lay there already, only the camera had not seen it at rest. Nor by
        a sheet's marks, where no hand has come anywhere since: nobody writes so fast without one, they are read anew. A
        hand that changes nothing uses up nothing: what was answered by a breach counts again when the hand is gone.
        """
        hands = tuple(place.outline_mm for place in scene.hidden if place.cause is HiddenCause.HAND)
        self._hands.append(_Hands(scene.time_s, hands))
        if hands and self._lay:
            self._hands_since.append(hands)
            if len(self._hands_since) > MOST_HANDS:
                self._lay_right(())
        oldest_s = max(min((*self._pressed.values(), scene.time_s)) - EARLY_S, scene.time_s - OLDEST_S)
        while len(self._hands) > 1 and self._hands[1].time_s <= oldest_s:
            self._hands.popleft()
        if scene.settled is None:
            return
        # What vision thinks less likely than not is nothing that somebody laid there or took away.
        before, self._lies = self._lies, tuple(s for s in scene.settled.sightings if s.probability >= LIKELY)
        if before is not None:
            changed = [change for change in changes(before, self._lies) if not _measured_anew(change)]
            self._pressed = {
                player: pressed_s
                for player, pressed_s in self._pressed.items()
                if all(self._meant(change, pressed_s, scene.time_s) for change in changed)
            }
        if self._used_up is not None and self.settled(scene):
            pressed, lay = self._used_up
            if all(map(_measured_anew, changes(lay, self._lies))):
                self._pressed = {**pressed, **self._pressed}
            self._used_up = None

    def settled(self, scene: Scene) -> bool:
        """Whether this scene may be judged at all."""
        return scene.at_rest_s >= self._timing.rest_s

    def settling(self, scene: Scene) -> bool:
        """Whether this scene is on its way to rest: nothing moves any more, but it is too early to judge all of it."""
        return self._timing.rest_s > scene.at_rest_s > 0.0

    def settled_apart(self, scene: Scene) -> bool:
        """Whether hands still move, but all the rest of the table has been at rest for long enough."""
        return not self.settled(scene) and scene.settled is not None and scene.settled.at_rest_s >= self._timing.rest_s

    def foresee(self, scene: Scene, reading: Reading) -> Verdict:
        """The verdict on a scene that is about to be at rest, and what its reading says. What is clear need not wait: a
        hand that only pauses is still in the picture. Questions, faults and unfinished moves get their whole time."""
        stood_s = self._stood_s(scene, reading)
        if scene.at_rest_s < self._timing.clear_rest_s or stood_s <= 0:
            return Verdict(Answer.HANDS)
        verdict = Verdict(Answer.HANDS)
        if reading.kind is ReadingKind.MOVES:
            verdict = self._if_clear(scene, reading)
        elif reading.kind is ReadingKind.AS_BEFORE and not reading.declares & self.counted(scene):
            verdict = Verdict(Answer.AS_BEFORE, confirm=reading.confirm, note=reading.note)
        self._at_rest |= verdict.answer is not Answer.HANDS
        return verdict

    def hands(self, scene: Scene) -> Verdict:
        """The verdict on a scene that is not at rest."""
        self._use_up_answered(scene)
        self._moves_again(scene)
        self._standing.clear()
        self._taken_back = None
        return Verdict(Answer.HANDS)

    def judge(self, scene: Scene, reading: Reading) -> Verdict:
        """The verdict on a scene at rest, and what its reading says. A press counts until something moves again."""
        self._at_rest = True
        stood_s = self._stood_s(scene, reading)
        match reading.kind:
            case ReadingKind.AS_BEFORE:
                self._lay_right(self._lies or ())
                return self._as_before(scene, reading, stood_s)
            case ReadingKind.UNFINISHED:
                if reading.fault is not None and stood_s >= self._timing.linger_s:
                    return self._breach(scene, reading.fault)
                return Verdict(Answer.UNFINISHED, note=reading.note)
            case ReadingKind.FAULT:
                return self._fault(scene, reading, stood_s)
            case ReadingKind.MOVES:
                return self._moves(scene, reading, stood_s)

    def judge_apart(self, scene: Scene, reading: Reading) -> Verdict:
        """The verdict on what is at rest while hands move elsewhere, and what its reading says: a play that explains
        all of it counts. All else waits for the hands: under them may lie what makes it right, or wrong."""
        self._use_up_answered(scene)
        self._moves_again(scene)
        stood_s = self._stood_s(scene, reading)
        if reading.kind is not ReadingKind.MOVES or stood_s <= 0:
            return Verdict(Answer.HANDS)
        verdict = self._if_clear(scene, reading)
        return verdict if verdict.answer is Answer.MOVE else Verdict(Answer.HANDS)

    def forget(self) -> None:
        """After a correction: buttons pressed before it no longer count."""
        self._pressed.clear()
        self._answered, self._used_up = frozenset(), None
        self._standing.clear()
        self._just_made = None
        self._taken_back = None
        self._lay_right(())

    def pressed_by(self, players: frozenset[Player]) -> dict[Player, float]:
        """The presses of these that count still, for `made`."""
        return {player: pressed_s for player, pressed_s in self._pressed.items() if player in players}

    def made(self, player: Player | None, time_s: float, kept: Mapping[Player, float] | None = None) -> None:
        """A play was made, confirmed by this player's button where it needed one; these presses it does not answer."""
        self.forget()
        self._pressed.update(kept or {})
        self._lay_right(self._lies or ())
        self._just_made = (player, time_s)

    def taken_back(self, moves: tuple[Any, ...]) -> None:
        """A play was taken back: as long as nothing moves, what lies there does not make it again."""
        self.forget()
        self._taken_back = moves

    def _meant(self, change: Change, pressed_s: float, now_s: float) -> bool:
        """Whether somebody who pressed then may have meant what is seen to have changed since."""
        until = [hands for hands in self._hands if hands.time_s <= pressed_s]
        if until and _lies_under(change, until[-1].outlines):
            return True
        since = [hands for hands in self._hands if hands.time_s > pressed_s]
        if now_s <= pressed_s + EARLY_S and _differs_in_marks_alone(change) and not any(h.outlines for h in since):
            return True
        let_go = any(_lies_under(change, hands.outlines) for hands in until if hands.time_s >= pressed_s - EARLY_S)
        return let_go and not any(_lies_under(change, hands.outlines) for hands in since)

    def _use_up_answered(self, scene: Scene) -> None:
        """Hands come to put right what was a breach: half-way there it may look like a play nobody pressed for. Where
        there are none, all is only read anew, as in other light."""
        if scene.settled is not None and all(place.cause is not HiddenCause.HAND for place in scene.hidden):
            return
        used_up = {p: pressed_s for p, pressed_s in self._pressed.items() if p in self._answered}
        if used_up and self._lies is not None:
            self._used_up = used_up, self._lies
        self._pressed = {p: pressed_s for p, pressed_s in self._pressed.items() if p not in self._answered}
        self._answered = frozenset()

    def _moves_again(self, scene: Scene) -> None:
        if self._at_rest and scene.settled is None:
            self._pressed = {p: pressed_s for p, pressed_s in self._pressed.items() if pressed_s > scene.time_s}
        self._at_rest = False

    def _stood_s(self, scene: Scene, reading: Reading) -> float:
        """For how long this reading has been the same."""
        certain = reading.fault is None or reading.fault.certain
        blink_s = self._timing.certain_blink_s if certain else self._timing.blink_s
        return max(self._since_s(meaning, scene.time_s, blink_s) for meaning in _meanings(reading))

    def _since_s(self, meaning: Hashable, now_s: float, blink_s: float) -> float:
        standing = self._standing.get(meaning)
        if standing is None or now_s - standing.last_s > blink_s:
            standing = self._standing[meaning] = _Standing(now_s, now_s)
        standing.last_s = now_s
        return now_s - standing.first_s

    def _if_clear(self, scene: Scene, reading: Reading) -> Verdict:
        """The likeliest play, if it is clear: made, or waiting for its button."""
        play, confirm = reading.plays[0], reading.confirm
        if play.moves == self._taken_back or play.probability < self._timing.clear:
            return Verdict(Answer.HANDS)
        if confirm is None or confirm in self.counted(scene):
            return Verdict(Answer.MOVE, play=play, confirm=confirm, unanswered=reading.unanswered)
        return Verdict(Answer.WAITING_FOR_BUTTON, play=play, confirm=confirm, note=reading.note)

    def _as_before(self, scene: Scene, reading: Reading, stood_s: float) -> Verdict:
        declared = reading.declares & self.counted(scene)
        if declared and reading.plays:
            return self._clear_or_not(reading, min(declared), stood_s)
        return Verdict(Answer.AS_BEFORE, confirm=reading.confirm, note=reading.note)

    def _moves(self, scene: Scene, reading: Reading, stood_s: float) -> Verdict:
        play, confirm = reading.plays[0], reading.confirm
        if play.moves == self._taken_back:
            return Verdict(Answer.AS_BEFORE)
        ready = confirm is None or confirm in self.counted(scene)
        limit = self._timing.confirm_rest_s
        if ready or (limit is not None and stood_s >= limit):
            return self._clear_or_not(reading, confirm, stood_s)
        clear = play if play.probability >= self._timing.clear else None
        return Verdict(Answer.WAITING_FOR_BUTTON, clear, confirm=confirm, others=reading.others, note=reading.note)

    def _clear_or_not(self, reading: Reading, confirm: Player | None, stood_s: float) -> Verdict:
        """A play counts when two pictures say the same: one alone may have missed a piece."""
        if stood_s <= 0:
            return Verdict(Answer.UNFINISHED, note=reading.note)
        if reading.plays[0].probability < self._timing.clear:
            return Verdict(Answer.UNCLEAR, candidates=reading.plays, confirm=confirm, note=reading.note)
        return Verdict(Answer.MOVE, play=reading.plays[0], confirm=confirm, unanswered=reading.unanswered)

    def _fault(self, scene: Scene, reading: Reading, stood_s: float) -> Verdict:
        """A press says that the player has finished; but what may only be hidden from the camera gets its time, and
        one picture alone says nothing."""
        fault = reading.fault
        finished = fault is not None and fault.certain and bool(self.counted(scene)) and stood_s > 0
        if fault is not None and (finished or stood_s >= self._timing.breach_s):
            verdict = self._breach(scene, fault)
            if verdict.answer is Answer.BREACH:
                self._answered |= self.counted(scene)
            return verdict
        return Verdict(Answer.UNFINISHED)

    def _breach(self, scene: Scene, fault: Fault) -> Verdict:
        """A breach; but what glare or darkness may hide is none: the players are asked to mend the light. Where a thing
        lies about, they are told that it may hide what is missing."""
        if fault.certain:
            return Verdict(Answer.BREACH, fault=fault)
        light = mend_light(scene)
        if light is not None and self._may_be_blinded(scene, fault):
            return Verdict(Answer.UNFINISHED, note=f"{fault.refusal.problem} {light}")
        if any(place.cause is HiddenCause.FOREIGN for place in scene.hidden):
            remedy = f"{fault.refusal.remedy} {LIES_OVER}".strip()
            return Verdict(Answer.BREACH, fault=replace(fault, refusal=replace(fault.refusal, remedy=remedy)))
        return Verdict(Answer.BREACH, fault=fault)

    def _may_be_blinded(self, scene: Scene, fault: Fault) -> bool:
        """Whether too much light, or too little, may hide what is missing.

        Glare does not that lies neither where anything of it lay when all lay as it should, nor where a hand was since,
        which may have laid it there. Where it is not known what is missing, or where it lay, glare anywhere may. In the
        dark hands may not be seen, either.
        """
        if any(place.cause is HiddenCause.DARK for place in scene.hidden):
            return True
        gone = tuple(c.before for c in changes(self._lay, self._lies or ()) if c.before is not None and c.after is None)
        missing = fault.refusal.pieces
        if not missing or any(not any(_is_named(piece, name) for piece in gone) for name in missing):
            return True
        glare = tuple(place.outline_mm for place in scene.hidden if place.cause is HiddenCause.GLARE)
        asked = (glare, gone, len(self._hands_since))
        if self._beside[0] != asked:
            where = (*(piece.outline_mm for piece in gone), *(hand for hands in self._hands_since for hand in hands))
            near = (apart_mm(one, other, BESIDE_GLARE_MM) <= BESIDE_GLARE_MM for one in where for other in glare)
            self._beside = asked, any(near)
        return self._beside[1]

    def _lay_right(self, lies: tuple[Sighting, ...]) -> None:
        """All lies as it should, so; or it is not known any more how it did."""
        self._lay = lies
        self._hands_since.clear()
        self._beside = None, True


def mend_light(scene: Scene) -> str | None:
    """What the players are asked to do where light hides part of the table."""
    causes = {place.cause for place in scene.hidden}
    return next((text for cause, text in BLINDED.items() if cause in causes), None)


def _lies_under(change: Change, hands: Outlines) -> bool:
    """Whether what came, or what went, lies where one of these hands was, or any part of it."""
    piece = change.after or change.before
    assert piece is not None  # one of both is given
    spot = (piece.pose.x_mm, piece.pose.y_mm)
    return any(
        inside(spot, hand)
        or _distance_mm(spot, hand) < BESIDE_HAND_MM
        or any(inside(point, hand) or _distance_mm(point, hand) < RIM_BESIDE_HAND_MM for point in piece.outline_mm)
        or any(inside(point, piece.outline_mm) for point in hand)  # over the middle of a sheet
        for hand in hands
    )


def _is_named(piece: Sighting, name: str) -> bool:
    """Whether a piece is, or may be, the one of which a refusal speaks."""
    return any(face.face == name or face.face.endswith(f"/{name}") for face in piece.faces)


def _measured_anew(change: Change) -> bool:
    """Whether a piece only seems to lie a little elsewhere, and bears what it bore."""
    before, after = change.before, change.after
    return before is not None and after is not None and _lies_as_it_lay(before, after) and same_marks(before, after)


def _differs_in_marks_alone(change: Change) -> bool:
    """Whether it is a sheet that lies as it lay."""
    before, after = change.before, change.after
    if before is None or after is None:
        return False
    return after.kind is PieceKind.SHEET and _lies_as_it_lay(before, after)


def _lies_as_it_lay(before: Sighting, after: Sighting) -> bool:
    """Whether a piece that may be measured anew only seems to lie a little elsewhere."""
    if after.kind not in MEASURED_ANEW_MM_DEG:
        return False
    most_mm, most_deg = MEASURED_ANEW_MM_DEG[after.kind]
    off_mm = math.dist((before.pose.x_mm, before.pose.y_mm), (after.pose.x_mm, after.pose.y_mm))
    return off_mm < most_mm and turned_deg(before, after) < most_deg


def _distance_mm(spot: Point, outline: tuple[Point, ...]) -> float:
    """How far a point is from an outline's corners and the middles between them."""
    sides = zip(outline, (*outline[1:], outline[0]), strict=True)
    return min(min(math.dist(spot, a), math.dist(spot, ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2))) for a, b in sides)


def _meanings(reading: Reading) -> list[Hashable]:
    """What must stay the same for a reading to be standing still; of several pieces that cannot be seen, each."""
    fault = reading.fault
    if fault is not None and not fault.certain and fault.refusal.pieces:
        return [(reading.kind, piece) for piece in fault.refusal.pieces]
    moves = tuple(play.moves for play in reading.plays[:1])
    return [(reading.kind, moves, (fault.refusal.problem, fault.player) if fault else None, reading.note)]
