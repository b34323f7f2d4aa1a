"""The process of the simulated table: the world, and the people who play at it.

It outlives the service, as a table does: pieces stay where they lie when the Pi restarts. The people see only the display,
which they fetch as any browser does, and press buttons that reach the service through its pins.
"""

import http.client
import json
import logging
import signal
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from threading import Event
from types import FrameType
from urllib.parse import urlsplit

from pydantic import ValidationError

from config.schema import TableConfig
from controller.games.new_york_slice import GAME
from controller.games.new_york_slice.hands import NewYorkSliceHands
from controller.seating import areas
from controller.simulation.play import random_seats
from controller.simulation.players import Habits, SimulatedPlayers, Stuck
from controller.views import TableView
from hardware.simulated.link import serve_world
from hardware.simulated.world import World

LOOK_S = 0.15
"""Between two looks at the display."""
STEP_S = 0.02
PAUSE_BEFORE_NEXT_GAME_S = 25.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Gathering:
    """Who plays at the simulated table, and how."""

    players: int
    seed: int
    speed: float
    """How much faster than people their hands are."""
    mistakes: float
    games: int
    """After this many games they stop; 0: never."""


@dataclass(frozen=True, slots=True)
class Paths:
    """The files of a simulated table, all in one private folder."""

    folder: Path

    @property
    def socket(self) -> Path:
        return self.folder / "table.sock"

    @property
    def service(self) -> Path:
        """Where the service writes its address and the host's token."""
        return self.folder / "service.json"

    @property
    def config(self) -> Path:
        return self.folder / "table.json"

    @property
    def tally(self) -> Path:
        """Where the people write what happened, after each game."""
        return self.folder / "tally.jsonl"


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
        body = json.dumps({"question_id": question, "candidate_id": candidate}).encode()
        try:
            self._ask("POST", "/api/answer", body)
        except (OSError, http.client.HTTPException, ValueError) as error:
            _log.info("answer not taken: %s", error)

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
    """Sit down, play, and sit down again for the next game."""

    def __init__(self, world: World, config: TableConfig, paths: Paths, gathering: Gathering) -> None:
        self._world = world
        self._config = config
        self._paths = paths
        self._gathering = gathering
        self._display = Display(paths.service)
        self._game = 0
        self._resting_until_s: float | None = None
        self._players = self._sit_down()

    def step(self, world: World) -> None:
        """Go on as far as the world's time allows."""
        if self._resting_until_s is not None:
            if world.now_s >= self._resting_until_s and self._game != self._gathering.games:
                self._resting_until_s = None
                self._clear()
                self._players = self._sit_down()
            return
        problem = ""
        try:
            self._players.step()
        except Stuck as stuck:
            problem = str(stuck)
        if self._players.over or problem:
            self._note(problem)
            self._game += 1
            self._resting_until_s = world.now_s + PAUSE_BEFORE_NEXT_GAME_S

    def _sit_down(self) -> SimulatedPlayers:
        rng = Random(self._gathering.seed * 1000 + self._game)
        seats = random_seats(self._config, self._gathering.players, rng)
        speed = self._gathering.speed
        habits = Habits(
            gesture_s=(1.0 / speed, 1.9 / speed), hesitate_s=(0.3 / speed, 1.6 / speed), mistake=self._gathering.mistakes
        )
        start = GAME.start(len(seats), {}, 1)
        hands = NewYorkSliceHands(GAME, start, areas(self._config, seats), rng)
        return SimulatedPlayers(
            self._world, GAME, hands, start, seats, rng, self._display.look, self._display.answer, habits
        )

    def _clear(self) -> None:
        for piece_id, piece in self._world.pieces.items():
            if piece.pose is not None:
                self._world.put(piece_id, None, False)

    def _note(self, problem: str) -> None:
        view = self._display.look()
        line = {
            "game": self._game,
            "problem": problem,
            "agrees": view is not None and view.position == GAME.view(self._players.state, None),
            "tally": asdict(self._players.tally),
        }
        with self._paths.tally.open("a") as file:
            file.write(json.dumps(line) + "\n")


def main(arguments: list[str]) -> None:
    """`python -m controller.simulation.people FOLDER GATHERING`, both written by whoever starts it."""
    paths = Paths(Path(arguments[0]))
    gathering = Gathering(**json.loads(arguments[1]))
    config = TableConfig.model_validate_json(paths.config.read_text())
    world = World(Random(gathering.seed), time.monotonic())
    people = People(world, config, paths, gathering)
    stop = Event()

    def end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        stop.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    serve_world(world, paths.socket, time.monotonic, stop, people.step, STEP_S)


if __name__ == "__main__":
    main(sys.argv[1:])
