"""The table as a physical world: pieces, hands, buttons, lamps, slap pads, the knife in its dock. It knows no rules.

Millimetres and degrees of the table frame (see `vision.scene`), seconds of whatever clock the owner keeps: time
passes in `World.advance` only.
"""

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from random import Random
from types import MappingProxyType

from hardware.simulated.dice import DieView
from vision.scene import PieceKind, Point, Pose

LIFT_MM = 18.0
"""How high a hand carries pieces."""
_REACH_SHARE = 0.28
_LEAVE_SHARE = 0.27
_EDGES_KEPT = 256
"""Edges of contacts that nobody took: a table without a microcontroller."""


class WorldError(Exception):
    """Root of what the simulated world refuses."""


class UnknownPiece(WorldError, KeyError):
    """A piece that is not part of this world."""


class ImpossibleGesture(WorldError, ValueError):
    """A gesture that no hand could make."""


@dataclass(frozen=True, slots=True)
class Carry:
    """One piece on its way."""

    piece_id: str
    to: Pose | None
    """None: off the table."""
    face_up: bool
    shows: str | None = None
    """The front that it shows once it is let go, of a die that is thrown, a sheet that is written on; None: as before.
    What is changed so and laid just where it lies is not lifted."""

    def stays(self, piece: "Piece") -> bool:
        """Whether the piece only changes where it lies."""
        return self.shows is not None and self.to is not None and (self.to, self.face_up) == (piece.pose, piece.face_up)


@dataclass(frozen=True, slots=True)
class Gesture:
    """One hand coming in, carrying pieces all at once, and leaving."""

    seat: int
    carries: tuple[Carry, ...]
    """Laid down in this order: a later one lies on an earlier one."""
    duration_s: float
    """From the first sight of the hand until it is gone again, `linger_s` not counted."""
    linger_s: float = 0.0
    """How long the hand stays where it let go."""
    hover: Point | None = None
    """Where the hand stays for `linger_s`; where it let go if None."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece, wherever it is."""

    piece_id: str
    kind: PieceKind
    front: str
    back: str
    face_up: bool
    pose: Pose | None
    """None: off the table."""

    @property
    def face(self) -> str:
        """The face that shows."""
        return self.front if self.face_up else self.back


@dataclass(frozen=True, slots=True)
class PieceView:
    """A piece on or over the table at one moment."""

    piece_id: str
    kind: PieceKind
    face: str
    """The face seen from above."""
    face_up: bool
    pose: Pose
    lift_mm: float
    """Height of its underside over what lies beneath; 0 when it lies."""
    flip: float
    """1 flat, 0 on edge: how much of its width shows while it turns over."""
    speed_mm_s: Point
    holder: int | None
    """The seat whose hand has it."""


@dataclass(frozen=True, slots=True)
class HandView:
    """A hand over the table at one moment."""

    seat: int
    fingertip: Point
    """Where the middle finger's tip is."""
    shoulder: Point
    """Where the arm comes from."""
    height_mm: float
    grip: float
    """0 open, 1 closed on something."""
    speed_mm_s: Point


@dataclass(frozen=True, slots=True)
class WorldSnapshot:
    """Everything that can be seen at one moment."""

    time_s: float
    pieces: tuple[PieceView, ...]
    """Bottom first: who lies on whom."""
    hands: tuple[HandView, ...]
    buttons_down: frozenset[int]
    lamps: tuple[tuple[int, float], ...]
    """Seat and brightness, 0 to 1, of every lamp that was ever switched."""
    buzzing: bool = False
    dice: tuple[DieView, ...] = ()


@dataclass(frozen=True, slots=True)
class ButtonEdge:
    """A button going down or up."""

    seat: int
    pressed: bool
    time_s: float


class ContactKind(Enum):
    """What a contact of the microcontroller belongs to."""

    PAD = "pad"
    KNIFE_DOCK = "knife-dock"


@dataclass(frozen=True, slots=True)
class ContactEdge:
    """A contact that closes or opens, now or soon: hands on their way cannot be called back."""

    kind: ContactKind
    seat: int
    closed: bool
    time_s: float


def arm_home(seat: int) -> Point:
    """Where a seat's hand rests, out of the camera's sight.

    Raises:
        ImpossibleGesture: there is no such seat.
    """
    return _home(seat)[0]


class World:
    """Pieces, hands, contacts and lamps of one table; nothing happens between two calls of `advance`."""

    def __init__(self, rng: Random, start_s: float = 0.0) -> None:
        self._rng = rng
        self._now = start_s
        self._pieces: dict[str, Piece] = {}
        self._stacking: list[str] = []
        self._waiting: dict[int, deque[Gesture]] = {}
        self._active: dict[int, _Action] = {}
        self._held: set[str] = set()
        self._presses: list[tuple[float, int, bool]] = []
        self._down: set[int] = set()
        self._edges: list[ButtonEdge] = []
        self._contact_edges: deque[ContactEdge] = deque(maxlen=_EDGES_KEPT)
        self._knife_seat: int | None = None
        self._lamps: dict[int, float] = {}
        self._buzzing = False

    @property
    def now_s(self) -> float:
        """The time that `advance` last reached."""
        return self._now

    @property
    def pieces(self) -> Mapping[str, Piece]:
        """Every piece by id. One in a hand still counts as lying where it was taken from."""
        return MappingProxyType(self._pieces)

    @property
    def stacking(self) -> tuple[str, ...]:
        """Ids of the pieces on the table, bottom first."""
        return tuple(self._stacking)

    @property
    def busy(self) -> bool:
        """Whether a hand is over the table or about to be, or a button is down."""
        return bool(self._active or any(self._waiting.values()) or self._presses)

    def busy_at(self, seat: int) -> bool:
        """Whether this seat's hand is over the table or about to be."""
        return seat in self._active or bool(self._waiting.get(seat))

    def add_piece(
        self,
        piece_id: str,
        kind: PieceKind,
        front: str,
        back: str,
        *,
        pose: Pose | None = None,
        face_up: bool = False,
    ) -> None:
        """Bring a piece into the world, off the table unless a pose is given."""
        if piece_id in self._pieces:
            raise ImpossibleGesture(f"piece {piece_id!r} is in this world already")
        self._pieces[piece_id] = Piece(piece_id, kind, front, back, face_up, None)
        self.put(piece_id, pose, face_up)

    def put(self, piece_id: str, pose: Pose | None, face_up: bool, shows: str | None = None) -> None:
        """Place a piece at once, on top of whatever lies there. For setting up; hands are `perform`'s.

        `shows` is its front from then on, where that changes.

        Raises:
            UnknownPiece: no piece of that id.
            ImpossibleGesture: a hand holds it.
        """
        piece = self._piece(piece_id)
        if piece_id in self._held:
            raise ImpossibleGesture(f"piece {piece_id!r} is in a hand")
        self._place(piece if shows is None else replace(piece, front=shows), pose, face_up)

    def perform(self, gesture: Gesture) -> None:
        """Queue a gesture behind those that its seat has still to make.

        A hand that finds a piece in another hand waits over it until it is let go.

        Raises:
            UnknownPiece: it carries a piece that does not exist.
            ImpossibleGesture: no such seat, a piece named twice, nothing to do, or no time to do it in.
        """
        _home(gesture.seat)
        ids = [carry.piece_id for carry in gesture.carries]
        for piece_id in ids:
            self._piece(piece_id)
        if len(set(ids)) != len(ids):
            raise ImpossibleGesture(f"gesture of seat {gesture.seat} carries a piece twice: {ids}")
        if not ids and gesture.hover is None:
            raise ImpossibleGesture(f"gesture of seat {gesture.seat} neither carries a piece nor hovers anywhere")
        if not gesture.duration_s > 0 or not gesture.linger_s >= 0:
            raise ImpossibleGesture(
                f"gesture of seat {gesture.seat} lasts {gesture.duration_s} s and lingers {gesture.linger_s} s: "
                "expected more than 0 and at least 0"
            )
        self._waiting.setdefault(gesture.seat, deque()).append(gesture)

    def press(self, seat: int, held_s: float) -> None:
        """Press a seat's button (0: the host's) now and let it go after `held_s`.

        Raises:
            ImpossibleGesture: it is down already, or `held_s` is not positive.
        """
        if seat in self._down:
            raise ImpossibleGesture(f"the button of seat {seat} is down already")
        if not held_s > 0:
            raise ImpossibleGesture(f"the button of seat {seat} cannot be held for {held_s} s: expected more than 0")
        self._set_button(seat, True, self._now)
        self._presses.append((self._now + held_s, seat, False))

    def take_edges(self) -> tuple[ButtonEdge, ...]:
        """The buttons' edges since the last call, oldest first."""
        edges, self._edges = tuple(self._edges), []
        return edges

    def slap(self, seat: int, after_s: float, held_s: float) -> None:
        """Let a hand come down on a seat's slap pad after a while, and leave it after `held_s`.

        Raises:
            ImpossibleGesture: there is no such seat, or a time that is none.
        """
        _home(seat)
        if not after_s >= 0 or not held_s > 0:
            raise ImpossibleGesture(
                f"a slap of seat {seat} after {after_s} s for {held_s} s: expected at least 0 and more than 0"
            )
        down_s = self._now + after_s
        self._contact_edges.append(ContactEdge(ContactKind.PAD, seat, True, down_s))
        self._contact_edges.append(ContactEdge(ContactKind.PAD, seat, False, down_s + held_s))

    @property
    def knife_seat(self) -> int | None:
        """The seat in whose dock the knife lies; None while somebody has it."""
        return self._knife_seat

    def lay_knife(self, seat: int | None) -> None:
        """Lay the knife into a seat's dock, or take it out of the one that it is in.

        Raises:
            ImpossibleGesture: there is no such seat.
        """
        if seat is not None:
            _home(seat)
        before, self._knife_seat = self._knife_seat, seat
        for dock, closed in ((before, False), (seat, True)):
            if dock is not None and before != seat:
                self._contact_edges.append(ContactEdge(ContactKind.KNIFE_DOCK, dock, closed, self._now))

    def take_contact_edges(self) -> tuple[ContactEdge, ...]:
        """The contacts' edges since the last call."""
        edges = tuple(self._contact_edges)
        self._contact_edges.clear()
        return edges

    def lamp(self, seat: int) -> float:
        """How bright a seat's lamp is now, 0 to 1."""
        return self._lamps.get(seat, 0.0)

    def set_lamp(self, seat: int, brightness: float) -> None:
        """Light a seat's lamp, 0 to 1."""
        self._lamps[seat] = brightness

    def set_buzzer(self, sounding: bool) -> None:
        """Sound the buzzer."""
        self._buzzing = sounding

    def advance(self, to_s: float) -> None:
        """Let time pass up to `to_s`; going back does nothing."""
        while True:
            self._start_waiting()
            moments = [action.next_s(self._now) for action in self._active.values()]
            moments += [moment for moment, _, _ in self._presses]
            upcoming = [moment for moment in moments if moment <= to_s]
            if not upcoming:
                break
            self._now = max(self._now, min(upcoming))
            self._release_buttons()
            if not self._step_actions() and self._now >= to_s:
                break
        self._now = max(self._now, to_s)

    def snapshot(self) -> WorldSnapshot:
        """What can be seen now."""
        moving = {view.piece_id: view for action in self._active.values() for view in action.views(self._now)}
        order = [i for i in self._stacking if i not in moving] + list(moving)
        views = tuple(moving[i] if i in moving else _lying(self._pieces[i]) for i in order)
        hands = tuple(self._active[seat].hand(self._now) for seat in sorted(self._active))
        return WorldSnapshot(
            self._now, views, hands, frozenset(self._down), tuple(sorted(self._lamps.items())), self._buzzing
        )

    def _piece(self, piece_id: str) -> Piece:
        try:
            return self._pieces[piece_id]
        except KeyError:
            raise UnknownPiece(f"no piece {piece_id!r} among the {len(self._pieces)} of this world") from None

    def _let_go(self, carry: Carry) -> None:
        piece = self._pieces[carry.piece_id]
        stays = carry.stays(piece)
        if carry.shows is not None:
            piece = self._pieces[carry.piece_id] = replace(piece, front=carry.shows)
        if not stays:
            self._place(piece, carry.to, carry.face_up)

    def _place(self, piece: Piece, pose: Pose | None, face_up: bool) -> None:
        self._pieces[piece.piece_id] = replace(piece, pose=pose, face_up=face_up)
        if piece.piece_id in self._stacking:
            self._stacking.remove(piece.piece_id)
        if pose is not None:
            self._stacking.append(piece.piece_id)

    def _set_button(self, seat: int, pressed: bool, time_s: float) -> None:
        if pressed:
            self._down.add(seat)
        else:
            self._down.discard(seat)
        self._edges.append(ButtonEdge(seat, pressed, time_s))

    def _release_buttons(self) -> None:
        due = sorted(press for press in self._presses if press[0] <= self._now)
        for moment, seat, pressed in due:
            self._set_button(seat, pressed, moment)
        self._presses = [press for press in self._presses if press[0] > self._now]

    def _start_waiting(self) -> None:
        for seat, queue in self._waiting.items():
            if queue and seat not in self._active:
                self._active[seat] = _Action(queue.popleft(), self._now, self._pieces, self._rng)

    def _step_actions(self) -> bool:
        """Take every action over the boundary it has reached; False if all wait for others."""
        progressed = False
        for seat, action in list(self._active.items()):
            if action.next_s(self._now) > self._now:
                continue
            progressed |= self._step_action(seat, action)
        return progressed

    def _step_action(self, seat: int, action: "_Action") -> bool:
        ids = [carry.piece_id for carry in action.gesture.carries]
        if action.stage is _Stage.REACHING:
            if self._held.intersection(ids):
                action.wait(self._now)
                return False
            action.grab(self._now, self._pieces, ids)
            self._held.update(ids)
        elif action.stage is _Stage.CARRYING:
            targets = {carry.piece_id: carry for carry in action.gesture.carries}
            for piece_id in action.order:
                self._let_go(targets[piece_id])
            self._held.difference_update(ids)
            action.let_go(self._now)
        elif action.stage is _Stage.LINGERING:
            action.leave(self._now)
        else:
            del self._active[seat]
        return True


class _Stage(Enum):
    REACHING = "reaching"
    CARRYING = "carrying"
    LINGERING = "lingering"
    LEAVING = "leaving"


@dataclass(frozen=True, slots=True)
class _Load:
    """One piece of a portion in the hand: its middle's offset from the portion's at both ends."""

    piece: Piece
    angle_deg: float
    turn_deg: float
    flips: bool
    offset_start: Point
    offset_rest: Point
    """What is left of the end's offset after the portion's common turn, in the end's directions."""


class _Action:
    """A gesture being made."""

    def __init__(self, gesture: Gesture, now_s: float, pieces: Mapping[str, Piece], rng: Random) -> None:
        self.gesture = gesture
        self.stage = _Stage.REACHING
        self.order: tuple[str, ...] = ()
        self._home, self._shoulder = _home(gesture.seat)
        jitter = (rng.gauss(0, 14), rng.gauss(0, 10))
        self._home = (self._home[0] + jitter[0], self._home[1] + jitter[1])
        self._shoulder = (self._shoulder[0] + 2 * jitter[0], self._shoulder[1] + 2 * jitter[1])
        self._bow = rng.uniform(-0.09, 0.09)
        self._pad = (rng.gauss(0, 5), rng.gauss(0, 5))
        self._loads: tuple[_Load, ...] = ()
        self._centre_start = self._centre_end = self._home
        self._turn_deg = 0.0
        self._from = self._home
        self._to = self._aim(pieces)
        self._begin(now_s, gesture.duration_s * (_REACH_SHARE if gesture.carries else 0.5))
        self._carried_from = self._carried_to = self._to

    def next_s(self, now_s: float) -> float:
        """When the present stage is over; now, for a hand that waits for another."""
        return max(now_s, self._end) if self.stage is _Stage.REACHING else self._end

    def wait(self, now_s: float) -> None:
        """Look again shortly whether the other hand has let go."""
        self._from, self._begun = self._to, now_s
        self._end = now_s + 0.02

    def grab(self, now_s: float, pieces: Mapping[str, Piece], order: list[str]) -> None:
        self.order = tuple(order)
        if not order:
            self.let_go(now_s)
            return
        self._load(pieces)
        self.stage = _Stage.CARRYING
        share = 1.0 - _REACH_SHARE - _LEAVE_SHARE
        self._begin(now_s, self.gesture.duration_s * share)

    def let_go(self, now_s: float) -> None:
        at = self._carried_to if self.order else self._to
        self.stage = _Stage.LINGERING
        self._from = self._to = at
        if self.gesture.hover is not None and self.gesture.linger_s > 0:
            self._to = self.gesture.hover
        self._begin(now_s, self.gesture.linger_s)

    def leave(self, now_s: float) -> None:
        self.stage = _Stage.LEAVING
        self._from, self._to = self._to, self._home
        self._begin(now_s, self.gesture.duration_s * (_LEAVE_SHARE if self.gesture.carries else 0.5))

    def hand(self, now_s: float) -> HandView:
        before, tip = self._fingertip(now_s - 0.005), self._fingertip(now_s)
        speed = ((tip[0] - before[0]) / 0.005, (tip[1] - before[1]) / 0.005)
        progress = self._progress(now_s)
        grip = {_Stage.REACHING: 0.0, _Stage.CARRYING: 1.0, _Stage.LINGERING: 0.15, _Stage.LEAVING: 0.0}[self.stage]
        height = 24.0 + 26.0 * math.sin(math.pi * progress) if self.stage is not _Stage.LINGERING else 22.0
        return HandView(self.gesture.seat, tip, self._shoulder, height, grip, speed)

    def views(self, now_s: float) -> list[PieceView]:
        """The pieces in this hand."""
        if self.stage is not _Stage.CARRYING:
            return []
        return [self._view(load, now_s) for load in self._loads]

    def _view(self, load: _Load, now_s: float) -> PieceView:
        step = 0.005
        middle, angle = self._where(load, now_s)
        before, _ = self._where(load, now_s - step)
        progress = self._progress(now_s)
        turned = min(1.0, max(0.0, (progress - 0.25) / 0.5)) if load.flips else 0.0
        flip = abs(math.cos(math.pi * turned))
        face_up = load.piece.face_up != (turned > 0.5)
        lift = LIFT_MM * math.sin(math.pi * min(1.0, max(0.0, progress))) * (2.2 if load.flips else 1.0)
        speed = ((middle[0] - before[0]) / step, (middle[1] - before[1]) / step)
        face = load.piece.front if face_up else load.piece.back
        pose = pose_at_middle(load.piece.kind, middle, angle)
        return PieceView(
            load.piece.piece_id, load.piece.kind, face, face_up, pose, lift, flip, speed, self.gesture.seat
        )

    def _where(self, load: _Load, now_s: float) -> tuple[Point, float]:
        share = _ease(self._progress(now_s))
        centre = self._bowed(self._centre_start, self._centre_end, share)
        offset = _rotate(load.offset_start, self._turn_deg * share)
        rest = _rotate(load.offset_rest, self._turn_deg * (share - 1))
        middle = (centre[0] + offset[0] + share * rest[0], centre[1] + offset[1] + share * rest[1])
        return middle, load.angle_deg + share * load.turn_deg

    def _fingertip(self, now_s: float) -> Point:
        share = _ease(self._progress(now_s))
        if self.stage is _Stage.CARRYING:
            pad = (self._carried_from[0] - self._centre_start[0], self._carried_from[1] - self._centre_start[1])
            rest = (self._carried_to[0] - self._centre_end[0], self._carried_to[1] - self._centre_end[1])
            x_mm, y_mm = self._bowed(self._centre_start, self._centre_end, share)
            return x_mm + pad[0] + share * (rest[0] - pad[0]), y_mm + pad[1] + share * (rest[1] - pad[1])
        if self.stage is _Stage.LINGERING:
            share = _ease(min(1.0, self._progress(now_s) * 4))
        return self._bowed(self._from, self._to, share)

    def _begin(self, now_s: float, lasting_s: float) -> None:
        self._begun, self._end = now_s, now_s + lasting_s

    def _progress(self, now_s: float) -> float:
        span = self._end - self._begun
        return min(1.0, max(0.0, (now_s - self._begun) / span)) if span > 0 else 1.0

    def _bowed(self, start: Point, end: Point, share: float) -> Point:
        """A point on the slightly curved way that an arm takes."""
        across = self._bow * math.sin(math.pi * share)
        x_mm = start[0] + share * (end[0] - start[0]) - across * (end[1] - start[1])
        return x_mm, start[1] + share * (end[1] - start[1]) + across * (end[0] - start[0])

    def _aim(self, pieces: Mapping[str, Piece]) -> Point:
        """Where the fingertips go first."""
        middles = [self._middle_of(pieces[carry.piece_id]) for carry in self.gesture.carries]
        if not middles:
            return self.gesture.hover or self._home
        return self._beyond(_mean(middles))

    def _middle_of(self, piece: Piece) -> Point:
        return self._home if piece.pose is None else middle_of(piece.kind, piece.pose)

    def _beyond(self, middle: Point) -> Point:
        """The fingertips' place for holding something by its middle: a little further than the middle."""
        away = (middle[0] - self._shoulder[0], middle[1] - self._shoulder[1])
        reach = 18.0 / max(1.0, math.hypot(*away))
        return middle[0] + reach * away[0] + self._pad[0], middle[1] + reach * away[1] + self._pad[1]

    def _load(self, pieces: Mapping[str, Piece]) -> None:
        """Split the pieces' ways into the portion's common one and what each adds to it."""
        targets = {carry.piece_id: carry for carry in self.gesture.carries}
        ways = [self._way(pieces[piece_id], targets[piece_id]) for piece_id in self.order]
        self._centre_start = _mean([start for _, start, _, _, _ in ways])
        self._centre_end = _mean([end for _, _, end, _, _ in ways])
        turns = [turn for _, _, _, _, turn in ways]
        self._turn_deg = turns[0] if max(turns) - min(turns) < 5 else 0.0
        moved = [way for way in ways if not targets[way[0].piece_id].stays(way[0])]
        self._loads = tuple(self._as_load(targets, *way) for way in moved)
        self._carried_from = self._to
        self._carried_to = (
            self._home if all(c.to is None for c in self.gesture.carries) else self._beyond(self._centre_end)
        )

    def _way(self, piece: Piece, carry: Carry) -> tuple[Piece, Point, Point, float, float]:
        start, end = self._middle_of(piece), self._home if carry.to is None else middle_of(piece.kind, carry.to)
        angle = piece.pose.angle_deg if piece.pose is not None else carry.to.angle_deg if carry.to is not None else 0.0
        turn = 0.0 if carry.to is None else (carry.to.angle_deg - angle + 180) % 360 - 180
        return piece, start, end, angle, turn

    def _as_load(
        self, targets: Mapping[str, Carry], piece: Piece, start: Point, end: Point, angle: float, turn: float
    ) -> _Load:
        offset = (start[0] - self._centre_start[0], start[1] - self._centre_start[1])
        turned = _rotate(offset, self._turn_deg)
        rest = (end[0] - self._centre_end[0] - turned[0], end[1] - self._centre_end[1] - turned[1])
        flips = targets[piece.piece_id].face_up != piece.face_up
        return _Load(piece, angle, turn, flips, offset, rest)


_SLICE_MIDDLE_MM = 60.0
_HOMES: Mapping[int, tuple[Point, Point]] = MappingProxyType(
    {
        1: ((0.0, -470.0), (60.0, -900.0)),
        2: ((-740.0, -110.0), (-1180.0, -190.0)),
        3: ((-740.0, 110.0), (-1180.0, 60.0)),
        4: ((0.0, 470.0), (-60.0, 900.0)),
        5: ((740.0, 110.0), (1180.0, 190.0)),
        6: ((740.0, -110.0), (1180.0, -60.0)),
    }
)
"""By seat: where the hand rests, and the shoulder."""


def middle_of(kind: PieceKind, pose: Pose) -> Point:
    """Where a finger would go to hold the piece."""
    if kind is not PieceKind.SLICE:
        return pose.x_mm, pose.y_mm
    x_mm, y_mm = _rotate((_SLICE_MIDDLE_MM, 0.0), pose.angle_deg)
    return pose.x_mm + x_mm, pose.y_mm + y_mm


def pose_at_middle(kind: PieceKind, middle: Point, angle_deg: float) -> Pose:
    """The pose whose middle is given: `middle_of` backwards."""
    if kind is not PieceKind.SLICE:
        return Pose(middle[0], middle[1], angle_deg)
    x_mm, y_mm = _rotate((_SLICE_MIDDLE_MM, 0.0), angle_deg)
    return Pose(middle[0] - x_mm, middle[1] - y_mm, angle_deg)


def _home(seat: int) -> tuple[Point, Point]:
    try:
        return _HOMES[seat]
    except KeyError:
        raise ImpossibleGesture(f"no seat {seat} at this table: expected one of {sorted(_HOMES)}") from None


def _lying(piece: Piece) -> PieceView:
    assert piece.pose is not None
    return PieceView(piece.piece_id, piece.kind, piece.face, piece.face_up, piece.pose, 0.0, 1.0, (0.0, 0.0), None)


def _mean(points: list[Point]) -> Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def _rotate(point: Point, angle_deg: float) -> Point:
    cos, sin = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
    return point[0] * cos - point[1] * sin, point[0] * sin + point[1] * cos


def _ease(share: float) -> float:
    """Start and stop gently."""
    return share * share * share * (share * (6 * share - 15) + 10)
