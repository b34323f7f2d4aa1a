"""The process of the simulated table: the world, and the people who play at it.

It outlives the service, as a table does: pieces stay where they lie when the Pi restarts. The people see only the
display, which they fetch as any browser does, press buttons that reach the service through its pins, and use the page's
controls. Where the microcontroller is emulated, the knife goes from dock to dock with the slicer, and a game ends with
everybody slapping: the last one clears the table. Who slaps cards in a game slaps the own pad with them.
"""

import contextlib
import http.client
import json
import logging
import signal
import sys
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import fields
from itertools import count
from pathlib import Path
from random import Random
from threading import Event
from types import FrameType
from typing import Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from config.schema import TableConfig
from controller.game import Player
from controller.games.registry import load_game, load_part
from controller.hands import GameHands, Lying, MakeHands, Mistake, NewPiece, Slapping, Step
from controller.seating import areas, random_seats
from controller.simulation.gathering import Gathering, Paths
from controller.simulation.players import Habits, Memory, SimulatedPlayers, Stuck, Tally
from controller.views import RefereeState, TableView
from firmware_bridge.signals import HOST_SEAT
from hardware.simulated.board_cable import BoardCable
from hardware.simulated.link import serve_world
from hardware.simulated.world import ImpossibleGesture, World

LOOK_S = 0.15
"""Between two looks at the display."""
STEP_S = 0.02
PATIENCE_S = 4.0
"""After this long without an answer to a button they press it again."""
RULINGS_TRIED = 10
REACTION_S = (0.18, 0.45)
"""From a word to a hand on its pad."""
LATER_S = (0.002, 0.12)
"""From one hand on its pad to the next."""
ABANDONED_S = 600.0
"""When the display has been dark for so long they go home."""
_log = logging.getLogger(__name__)


class Display:
    """What people see of the display: the newest view, fetched over HTTP; None while the service cannot be reached."""

    def __init__(self, service: Path) -> None:
        self._service = service
        self._seen: TableView | None = None
        self._raw = b""
        self._looked_s = -1.0

    def look(self) -> TableView | None:
        """The view, at most LOOK_S old."""
        now = time.monotonic()
        if now - self._looked_s >= LOOK_S:
            self._looked_s = now
            try:
                raw = self._ask("GET", "/api/state")
                if raw != self._raw:
                    self._seen, self._raw = TableView.model_validate_json(raw), raw
            except (OSError, http.client.HTTPException, ValidationError, ValueError):
                self._seen, self._raw = None, b""
        return self._seen

    def answer(self, question: int, candidate: int) -> None:
        """Answer a question on the page; an answer that comes too late is none."""
        self._command("/api/answer", {"question_id": question, "candidate_id": candidate})

    def new_game(self, seats: list[int]) -> None:
        """Begin a game on the page, whatever game was on."""
        players = [{"seat": seat, "name": f"Player {i}"} for i, seat in enumerate(seats, 1)]
        self._command("/api/new_game", {"players": players})

    def rule(self, text: str) -> None:
        """Rule on the page that a move was made."""
        self._command("/api/rule_move", {"text": text})

    def _command(self, path: str, body: Any) -> None:
        try:
            self._ask("POST", path, json.dumps(body).encode())
        except (OSError, http.client.HTTPException, ValueError) as error:
            _log.warning("not taken: %s", error)

    def _ask(self, method: str, path: str, body: bytes | None = None) -> bytes:
        service = json.loads(self._service.read_text())
        place = urlsplit(service["url"])
        connection = http.client.HTTPConnection(place.hostname or "127.0.0.1", place.port, timeout=2)
        try:
            headers = {"X-Host-Token": service["token"], "Content-Type": "application/json"}
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            content = response.read()
        finally:
            connection.close()
        if response.status >= 400:
            raise ValueError(f"{method} {path}: {response.status} {content.decode(errors='replace')}")
        return content


class People:
    """Sit down, play, look at the guest check, clear the table, and sit down again."""

    def __init__(
        self,
        world: World,
        config: TableConfig,
        display: Display,
        tally: Path,
        gathering: Gathering,
        go_home: Callable[[], None],
    ) -> None:
        """Each game's outcome is written to the file `tally`. `go_home` is called when the display has been dark for
        too long.
        """
        self._world = world
        self._config = config
        self._tally = tally
        self._gathering = gathering
        self._go_home = go_home
        self._display = display
        self._game = load_game(config.game)
        self._make_hands: MakeHands = load_part(config.game, "hands").HANDS
        self._seen_s = world.now_s
        self._script = self._games()

    def step(self, world: World) -> None:
        """Go on as far as the world's time and the display allow."""
        view = self._display.look()
        if view is not None:
            self._seen_s = world.now_s
        elif world.now_s - self._seen_s > ABANDONED_S:
            self._go_home()
        if view is None or view.referee is not RefereeState.PAUSED:
            next(self._script, None)

    def _games(self) -> Generator[None, None, None]:
        for number in range(self._gathering.games) if self._gathering.games else count():
            rng = Random(self._gathering.seed * 1000 + number)
            seats = random_seats(self._config, self._gathering.players, rng)
            state = yield from self._sit_down(list(seats.values()))
            hands = _Hands(self._make_hands(self._game, state, areas(self._config, seats), rng), Random(rng.random()))
            hands.give_knife(self._world, seats)
            yield from self._play(number, hands, state, seats, rng)
            for seat in seats.values():
                self._world.slap(seat, rng.uniform(*REACTION_S), rng.uniform(0.1, 0.3))
            yield from self._wait(self._gathering.pause_s)
            self._clear()

    def _sit_down(self, seats: list[int]) -> Generator[None, None, Any]:
        """Until the display shows the beginning of a game of just these seats; gives its state."""
        while True:
            view = yield from self._look_up()
            if view.position is None:
                yield from self._join(view, seats)
            elif view.referee is RefereeState.OVER:
                yield from self._press(HOST_SEAT, lambda view: view.position is None)
            elif (state := self._beginning(view, seats)) is not None:
                return state
            else:  # a game that nobody here plays
                self._display.new_game(seats)
                yield from self._wait(1.0)

    def _beginning(self, view: TableView, seats: list[int]) -> Any:
        """The state that is shown, if it is the beginning of a game of these seats, whoever begins."""
        if [seat.seat for seat in view.seats if seat.player is not None] != seats:
            return None
        options = self._config.options
        states = (self._game.start(len(seats), options, player) for player in range(1, len(seats) + 1))
        return next((state for state in states if self._game.view(state, None) == view.position), None)

    def _join(self, view: TableView, seats: list[int]) -> Generator[None, None, None]:
        """Press one button that is still to be pressed: a seat's, to join or to leave, or at last the host's."""
        joined = {seat.seat for seat in view.seats if seat.lamp == "on"}
        if wrong := sorted(joined ^ set(seats)):
            seat = wrong[0]
            yield from self._press(seat, lambda now: (seat in joined) is not _is_lit(now, seat))
        else:
            yield from self._press(HOST_SEAT, lambda now: now.position is not None)

    def _play(
        self, number: int, hands: "_Hands", state: Any, seats: dict[Player, int], rng: Random
    ) -> Generator[None, None, None]:
        """Play to the end. A play that the table does not see, however often it is laid out, the host rules."""
        tally, memory, rulings, problem, over = Tally(), Memory(), list[str](), "", False
        while not over:
            look, answer, habits = self._display.look, self._display.answer, self._habits()
            players = SimulatedPlayers(self._world, self._game, hands, state, seats, rng, look, answer, habits)
            players.tally, players.memory = tally, memory
            try:
                while not players.over:
                    players.step()
                    yield
                over = True
            except Stuck as stuck:
                if (yield from self._rule(hands)):
                    rulings.append(str(stuck))
                else:
                    problem, over = str(stuck), True
            state = players.state
        yield from self._look_up()
        self._note(number, players, rulings, problem)

    def _rule(self, hands: "_Hands") -> Generator[None, None, bool]:
        """The host rules the moves that were made last, as far as the table does not have them; whether it has now."""
        states = [hands.before]
        for move in hands.moves:
            states.append(self._game.apply(states[-1], move))
        shown = [self._game.view(state, None) for state in states]
        for _ in range(RULINGS_TRIED):
            view = yield from self._look_up()
            if view.position == shown[-1]:
                return True
            if view.position not in shown:
                return False
            now = shown.index(view.position)
            self._display.rule(self._game.format(states[now], hands.moves[now]))
            yield from self._wait(1.0)
        return False

    def _press(self, seat: int, expected: Callable[[TableView], bool]) -> Generator[None, None, None]:
        yield from self._wait(0.5 / self._gathering.speed)
        with contextlib.suppress(ImpossibleGesture):  # it is down already
            self._world.press(seat, 0.15)
        end = self._world.now_s + PATIENCE_S
        while self._world.now_s < end and not ((view := self._display.look()) is not None and expected(view)):
            yield
        yield from self._wait(0.3)

    def _look_up(self) -> Generator[None, None, TableView]:
        """Wait until the display shows something."""
        while (view := self._display.look()) is None:
            yield
        return view

    def _wait(self, seconds: float) -> Generator[None, None, None]:
        end = self._world.now_s + seconds
        while self._world.now_s < end:
            yield

    def _habits(self) -> Habits:
        speed, mistakes = self._gathering.speed, self._gathering.mistakes
        return Habits(gesture_s=(1.0 / speed, 1.9 / speed), hesitate_s=(0.3 / speed, 1.6 / speed), mistake=mistakes)

    def _clear(self) -> None:
        """Everything back into the box."""
        for piece_id, piece in self._world.pieces.items():
            if piece.pose is not None:
                with contextlib.suppress(ImpossibleGesture):  # a hand has it, after a game that got stuck
                    self._world.put(piece_id, None, False)

    def _note(self, number: int, players: SimulatedPlayers, rulings: list[str], problem: str) -> None:
        view, known = self._display.look(), self._game.view(players.state, None)
        line = {
            "game": number,
            "problem": problem,
            "rulings": rulings,
            "agrees": view is not None and view.position == known,
            "tally": {field.name: getattr(players.tally, field.name) for field in fields(players.tally)},
            "position": known,
        }
        with self._tally.open("a") as file:
            file.write(json.dumps(line) + "\n")


class _Hands:
    """A game's hands that remember which play they made last."""

    def __init__(self, hands: GameHands, rng: Random) -> None:
        self._hands = hands
        self._rng = rng
        self.before: Any = None
        self.moves: Sequence[Any] = ()
        self._world: World | None = None
        self._seats: Mapping[Player, int] = {}
        self._slicer: Player | None = None

    def give_knife(self, world: World, seats: Mapping[Player, int]) -> None:
        """There is a knife: the slicer takes it out of the dock it is in, and lays it into the own one when done."""
        self._world, self._seats = world, seats

    def next_play(self, state: Any) -> tuple[Sequence[Any], Player | None]:
        """See `GameHands`."""
        self.before = state
        self.moves, player = self._hands.next_play(state)
        self._hand_knife_on(player if self.uses_knife(self.moves) else None)
        self._slap(state)
        return self.moves, player

    def box(self) -> Sequence[NewPiece]:
        """See `GameHands`."""
        return self._hands.box()

    def uses_knife(self, moves: Sequence[Any]) -> bool:
        """See `GameHands`."""
        return self._hands.uses_knife(moves)

    def steps(self, state: Any, moves: Sequence[Any], lying: Mapping[str, Lying]) -> Sequence[Step]:
        """See `GameHands`."""
        return self._hands.steps(state, moves, lying)

    def mistakes(self, state: Any, moves: Sequence[Any], lying: Mapping[str, Lying]) -> Sequence[Mistake]:
        """See `GameHands`."""
        return self._hands.mistakes(state, moves, lying)

    def lay_anew(
        self, state: Any, faces: Sequence[str], player: Player | None, lying: Mapping[str, Lying]
    ) -> Sequence[Step]:
        """See `GameHands`."""
        return self._hands.lay_anew(state, faces, player, lying)

    def _slap(self, state: Any) -> None:
        """Whoever slaps a card slaps the own pad with it, each a little after the one before."""
        if self._world is None or not isinstance(self._hands, Slapping):
            return
        after_s = REACTION_S[0]
        for player in self._hands.slaps(state, self.moves):
            self._world.slap(self._seats[player], after_s, 0.2)
            after_s += self._rng.uniform(*LATER_S)

    def _hand_knife_on(self, slicer: Player | None) -> None:
        if self._world is None:
            return
        if self._slicer is not None:
            self._world.lay_knife(self._seats[self._slicer])
        self._slicer = slicer
        if slicer is not None:
            self._world.lay_knife(None)


def _is_lit(view: TableView, seat: int) -> bool:
    return any(s.seat == seat and s.lamp == "on" for s in view.seats)


def main(arguments: list[str]) -> None:
    """`python -m controller.simulation.people FOLDER GATHERING`, both written by whoever starts it."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    paths = Paths(Path(arguments[0]))
    gathering = Gathering(**json.loads(arguments[1]))
    config = TableConfig.model_validate_json(paths.config.read_text())
    world = World(Random(gathering.seed), time.monotonic())
    stop = Event()
    people = People(world, config, Display(paths.service), paths.tally, gathering, stop.set)

    def end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        stop.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if paths.no_board.exists():
        serve_world(world, paths.socket, time.monotonic, stop, people.step, STEP_S)
        return
    with contextlib.closing(BoardCable(paths.board)) as board:

        def step(world: World) -> None:
            people.step(world)
            board.follow(world)

        serve_world(world, paths.socket, time.monotonic, stop, step, STEP_S)


if __name__ == "__main__":
    main(sys.argv[1:])
