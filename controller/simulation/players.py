"""Simulated players: they play a whole game with their hands on a simulated table, looking only at the display.

They know the rules and what they want to do; what the table's program makes of it they learn from its display, as
people do. When it asks, they answer; when it complains about something that is as it should be, they lay the pieces it
names anew; now and then they break a rule on purpose, wait for the complaint, and put it right. Where the host takes
plays back they lay the table as it was before.
"""

import copy
import functools
import math
from collections import Counter, deque
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

from controller.game import Actor, Game, Player
from controller.hands import GameHands, Lay, Lying, Mistake, Step
from controller.views import RefereeState, TableView
from firmware_bridge.signals import HOST_SEAT
from hardware.simulated.world import Carry, Gesture, Piece, arm_home
from vision.scene import PieceKind


class TableWorld(Protocol):
    """The part of a simulated world that hands need."""

    @property
    def now_s(self) -> float: ...

    @property
    def busy(self) -> bool: ...

    def busy_at(self, seat: int) -> bool: ...

    @property
    def pieces(self) -> Mapping[str, Piece]: ...

    def add_piece(self, piece_id: str, kind: PieceKind, front: str, back: str) -> None: ...

    def perform(self, gesture: Gesture) -> None: ...

    def press(self, seat: int, held_s: float) -> None: ...


@dataclass(frozen=True, slots=True)
class Habits:
    """How these people play. Seconds and shares."""

    gesture_s: tuple[float, float] = (0.7, 1.3)
    hesitate_s: tuple[float, float] = (0.1, 0.6)
    idle_hand: float = 0.08
    """How often a hand just hovers over the table."""
    fidget: float = 0.25
    """How often somebody else's hand is about the own pieces meanwhile."""
    mistake: float = 0.06
    """How often a rule is broken on purpose before a play."""
    patience_s: float = 6.0
    """After this long without the expected answer they try again."""
    press_again_s: float = 1.2
    """A press sooner after an own one is meant for the same play: who breaks a rule by pressing takes longer."""
    breach_patience_s: float = 12.0
    """A broken rule must have been noticed by then."""


@dataclass(slots=True)
class Tally:
    """What happened, counted."""

    plays: int = 0
    read: int = 0
    """Plays taken at once and right."""
    asked: int = 0
    """Plays that took a question, or a complaint about nothing."""
    wrong: int = 0
    """Plays that the table took for others."""
    breaches_found: Counter[str] = field(default_factory=Counter)
    breaches_missed: Counter[str] = field(default_factory=Counter)
    complaints: Counter[str] = field(default_factory=Counter)
    """What was complained about although it was as it should be."""
    notes: list[str] = field(default_factory=list)
    """What went wrong, in words, for whoever looks into it."""


LONGEST_OUTAGE_S = 120.0
"""A display that is dark for longer is not waited for."""


REMEMBERED = 20
"""So many plays people remember well enough to lay the table as it was before one of them."""


@dataclass(frozen=True, slots=True)
class _Moment:
    """The table before a play."""

    state: Any
    lying: Mapping[str, Lying]
    hands: Mapping[str, Any]
    """What the hands knew."""


@dataclass(slots=True)
class Memory:
    """What people remember of a game."""

    before: deque[_Moment] = field(default_factory=functools.partial(deque, maxlen=REMEMBERED))
    """The moments before each of the last plays."""
    undone: int = 0
    """The number of the log's line that said last that something was taken back, as far as they have seen to it."""


class _TakenBack(Exception):
    """The host took plays back, up to this moment."""

    def __init__(self, moment: _Moment) -> None:
        super().__init__()
        self.moment = moment


class Stuck(Exception):
    """The table did not take a play, however often it was laid out again."""


Eyes = Callable[[], TableView | None]
Mouth = Callable[[int, int], None]
"""Answers a question: question id, candidate id."""


class SimulatedPlayers:
    """The people at one simulated table. Call `step` whenever the world's time has moved."""

    def __init__(
        self,
        world: TableWorld,
        game: Game[Any, Any],
        hands: GameHands,
        state: Any,
        seats: Mapping[Player, int],
        rng: Random,
        eyes: Eyes,
        mouth: Mouth,
        habits: Habits | None = None,
    ) -> None:
        self._world = world
        self._game = game
        self._hands = hands
        self.state = state
        """What the players know to be true."""
        self._seats = seats
        self._rng = rng
        self._eyes = eyes
        self._mouth = mouth
        self._habits = habits or Habits()
        self.tally = Tally()
        self.over = False
        self.memory = Memory()
        self._script = self._play()

    def step(self) -> None:
        """Go on with the game as far as the world and the display allow now."""
        if not self.over:
            try:
                next(self._script)
            except StopIteration:
                self.over = True

    # The script ----------------------------------------------------------------------------------------------------

    def _play(self) -> Generator[None, None, None]:
        for new in self._hands.box():
            if new.piece not in self._world.pieces:
                self._world.add_piece(new.piece, new.kind, new.front, new.back)
        yield from self._sit_down()
        while self._game.turn(self.state).actor is not Actor.NOBODY:
            try:
                yield from self._next_play()
            except _TakenBack as back:
                yield from self._lay_as_before(back.moment)

    def _sit_down(self) -> Generator[None, None, None]:
        """Join with the seats' buttons, start with the host's."""
        yield from self._until(_anything, LONGEST_OUTAGE_S)
        for seat in self._seats.values():
            if not self._joined(seat):
                yield from self._press(seat)
                yield from self._until(functools.partial(self._sees_joined, seat), 4.0)
        if (view := self._eyes()) is not None and view.position is None:
            yield from self._press(HOST_SEAT)
            yield from self._until(lambda view: view.position is not None, 6.0)

    def _joined(self, seat: int) -> bool:
        view = self._eyes()
        return view is not None and self._sees_joined(seat, view)

    @staticmethod
    def _sees_joined(seat: int, view: TableView) -> bool:
        return view.position is not None or any(s.seat == seat and s.lamp == "on" for s in view.seats)

    def _next_play(self) -> Generator[None, None, None]:
        self._check_not_taken_back()
        self.memory.before.append(_Moment(self.state, self._lying(), self._copied(vars(self._hands))))
        moves, player = self._hands.next_play(self.state)
        if self._rng.random() < self._habits.mistake:
            yield from self._break_a_rule(moves)
        if self._rng.random() < self._habits.idle_hand:
            yield from self._hover()
        if player is not None and self._rng.random() < self._habits.fidget:
            self._fidget(self._rng.choice([seat for other, seat in self._seats.items() if other != player]))
        before = self.state
        for move in moves:
            self.state = self._game.apply(self.state, move)
        expected = self._game.view(self.state, None)
        self.tally.plays += 1
        troubled = False
        yield from self._carry_out(self._hands.steps(before, moves, self._lying()))
        for _ in range(6):
            yield from self._until(_anything, LONGEST_OUTAGE_S)
            if player is not None and not self._agrees(expected):
                yield from self._press(self._seats[player])
            yield from self._until(
                lambda view: view.position == expected or self._trouble(view), self._habits.patience_s
            )
            if self._agrees(expected):
                break
            troubled = True
            yield from self._sort_out(before, moves)
            if self._agrees(expected):
                break
        else:
            raise Stuck(f"{self._display()} instead of {[self._text(before, moves)]}")
        if troubled:
            self.tally.asked += 1
        else:
            self.tally.read += 1

    def _sort_out(self, before: Any, moves: Sequence[Any]) -> Generator[None, None, None]:
        """Answer a question, or lay anew what the display complains about."""
        view = self._eyes()
        if view is None:
            return
        self._check_not_taken_back()
        reached = self._on_the_way(before, moves, view.position)
        if reached is None:
            self.tally.wrong += 1
            taken_for = view.log[-1].text if view.log else ""
            raise Stuck(f"silently wrong: {taken_for} instead of {self._text(before, moves)}")
        if view.question is not None:
            for candidate in view.question.candidates:
                if self._leads_to(reached, candidate.moves) == self.state:
                    self.tally.notes.append(f"asked: {candidate.text}")
                    self._mouth(view.question.id, candidate.id)
                    yield from self._until(lambda now: now.question is None, self._habits.patience_s)
                    return
            offered = [c.moves for c in view.question.candidates]
            self.tally.notes.append(f"none of {offered} is meant, but {self._text(before, moves)}")
        if view.breach is not None:
            self.tally.complaints[view.breach.rule] += 1
            self.tally.notes.append(f"complaint: {view.breach.problem} after {self._text(before, moves)}")
        yield from self._nudge(view)

    def _on_the_way(self, before: Any, moves: Sequence[Any], position: Any) -> Any | None:
        """The state of a play of several moves that the table has come to: a card that was drawn and lay still counts
        before it is grabbed. None where it took the play for another."""
        state = before
        for move in (None, *moves):
            state = state if move is None else self._game.apply(state, move)
            if self._game.view(state, None) == position:
                return state
        return None

    def _nudge(self, view: TableView) -> Generator[None, None, None]:
        """Lay anew, a little differently, the pieces named, or all that were moved last."""
        faces = view.breach.faces if view.breach else []
        player = view.breach.player if view.breach else None
        steps = self._hands.lay_anew(self.state, faces, player, self._lying()) if view.breach else []
        yield from self._carry_out(steps)
        yield from self._wait(1.0)

    def _break_a_rule(self, moves: Sequence[Any]) -> Generator[None, None, None]:
        possible = self._hands.mistakes(self.state, moves, self._lying())
        if not possible:
            return
        mistake = self._rng.choice(possible)
        lying = self._lying()
        yield from self._carry_out(mistake.steps)
        if mistake.press:
            if not mistake.steps:
                yield from self._wait(self._habits.press_again_s)
            yield from self._press(self._seats[mistake.player])
        noticed = yield from self._until(lambda view: view.breach is not None, self._habits.breach_patience_s)
        found = self.tally.breaches_found if noticed else self.tally.breaches_missed
        found[mistake.name] += 1
        if not noticed:
            self.tally.notes.append(f"missed: {mistake.name}; the display says {self._display()}")
            if (view := self._eyes()) is not None and view.position != self._game.view(self.state, None):
                self.tally.wrong += 1
                raise Stuck(f"a broken rule was taken for a move: {mistake.name}: {view.log[-1].text}")
        yield from self._put_right(mistake, lying)

    def _put_right(self, mistake: Mistake, lying: Mapping[str, Lying]) -> Generator[None, None, None]:
        changed = self._changed_since(lying)
        back = [Step(mistake.player, changed)] if changed else []
        yield from self._carry_out(mistake.put_right or back)
        yield from self._until(
            lambda view: view.breach is None and view.referee is not RefereeState.HANDS, self._habits.patience_s
        )

    # What is taken back ----------------------------------------------------------------------------------------------

    def _check_not_taken_back(self) -> None:
        """Raises _TakenBack where the display shows the table as it was before one of the last plays."""
        view = self._eyes()
        last = view.log[-1] if view is not None and view.log else None
        if view is None or last is None or last.source != "undo" or last.seq == self.memory.undone:
            return
        if view.position == self._shown(self.state):
            return
        for moment in reversed(self.memory.before):
            if self._shown(moment.state) == view.position:
                self.memory.undone = last.seq
                raise _TakenBack(moment)

    def _lay_as_before(self, moment: _Moment) -> Generator[None, None, None]:
        self.tally.notes.append("taken back by the host")
        while self.memory.before.pop() is not moment:
            pass
        while self._world.busy:
            yield
        self.state = moment.state
        vars(self._hands).update(self._copied(moment.hands))
        changed = self._changed_since(moment.lying)
        yield from self._carry_out([Step(next(iter(self._seats)), changed)] if changed else [])
        yield from self._until(
            lambda view: view.breach is None and view.referee is not RefereeState.HANDS, self._habits.patience_s
        )

    def _copied(self, hands: Mapping[str, Any]) -> dict[str, Any]:
        """What hands know, apart from what they go on with: whoever plays again may do otherwise."""
        kept = (self._game, self._world, self._rng)
        return copy.deepcopy(dict(hands), {id(one): one for one in kept})

    def _shown(self, state: Any) -> Any:
        return self._game.view(state, None)

    # Hands and eyes ------------------------------------------------------------------------------------------------

    def _carry_out(self, steps: Sequence[Step]) -> Generator[None, None, None]:
        for step in steps:
            carries = tuple(Carry(lay.piece, lay.to, lay.face_up, lay.shows) for lay in step.lays)
            duration = self._rng.uniform(*self._habits.gesture_s)
            self._world.perform(Gesture(self._seats[step.player], carries, duration))
            yield
            while self._world.busy_at(self._seats[step.player]):
                yield
            yield from self._wait(self._rng.uniform(*self._habits.hesitate_s) * 0.3)

    def _hover(self) -> Generator[None, None, None]:
        seat = self._rng.choice(list(self._seats.values()))
        point = (self._rng.uniform(-120, 120), self._rng.uniform(-120, 120))
        self._world.perform(Gesture(seat, (), self._rng.uniform(*self._habits.gesture_s), 0.6, point))
        yield
        while self._world.busy:
            yield

    def _fidget(self, seat: int) -> None:
        """A hand comes, stays over something that lies near it, and does so again, while others go on."""
        home = arm_home(seat)
        lying = [(p.pose.x_mm, p.pose.y_mm) for p in self._world.pieces.values() if p.pose is not None]
        near = [point for point in lying if math.dist(point, home) < math.hypot(*point)]
        for _ in range(self._rng.randint(1, 3) if near else 0):
            duration_s, stays_s = self._rng.uniform(*self._habits.gesture_s), self._rng.uniform(0.2, 2.5)
            self._world.perform(Gesture(seat, (), duration_s, stays_s, self._rng.choice(near)))

    def _press(self, seat: int) -> Generator[None, None, None]:
        yield from self._wait(self._rng.uniform(*self._habits.hesitate_s))
        self._world.press(seat, 0.15)
        yield from self._wait(0.25)

    def _wait(self, seconds: float) -> Generator[None, None, None]:
        end = self._world.now_s + seconds
        while self._world.now_s < end:
            yield

    def _until(self, condition: Callable[[TableView], bool], patience_s: float) -> Generator[None, None, bool]:
        """Look at the display until it shows something, or patience is over."""
        end = self._world.now_s + patience_s
        while True:
            view = self._eyes()
            if view is not None and condition(view):
                return True
            if self._world.now_s >= end:
                return False
            yield

    def _agrees(self, expected: Any) -> bool:
        view = self._eyes()
        return view is not None and view.position == expected

    def _trouble(self, view: TableView) -> bool:
        return view.question is not None or view.breach is not None

    def _display(self) -> str:
        view = self._eyes()
        return "nothing" if view is None else f"{view.referee.value}: {view.message}"

    def _lying(self) -> dict[str, Lying]:
        return {name: Lying(piece.pose, piece.face_up, piece.front) for name, piece in self._world.pieces.items()}

    def _changed_since(self, lying: Mapping[str, Lying]) -> tuple[Lay, ...]:
        """What lays everything as it lay then."""
        return tuple(
            Lay(piece, lying[piece].pose, lying[piece].face_up, lying[piece].front)
            for piece, now in self._lying().items()
            if now != lying[piece]
        )

    def _notation(self, state: Any, moves: Sequence[Any]) -> list[str]:
        texts = []
        for move in moves:
            texts.append(self._game.format(state, move))
            state = self._game.apply(state, move)
        return texts

    def _leads_to(self, state: Any, texts: Sequence[str]) -> Any:
        for text in texts:
            state = self._game.apply(state, self._game.parse(state, text))
        return state

    def _text(self, state: Any, moves: Sequence[Any]) -> str:
        return "; ".join(self._notation(state, moves))


def _anything(view: TableView) -> bool:  # noqa: ARG001
    """Whether the display shows anything at all."""
    return True
