"""Whole games at the simulated table during which the service is killed, again and again, at random moments.

Every game is played by the service's real processes; what is killed is the main process, the child process of camera
and reading, or the main process just while it commits a play. The service is started again at once. In the end the
position must be the one that the people know to be true, no play that was ever shown may be missing from the journal,
and the journal must replay to that position, twice.

    python tests/rigs/kill_test.py --games 50 --jobs 2
"""

import os
import random
import shutil
import signal
import statistics
import sys
import tempfile
import time
from asyncio import run
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from json import loads
from pathlib import Path
from typing import Any

import click

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from config.loader import load_table  # noqa: E402
from controller.games.registry import load_game, load_part  # noqa: E402
from controller.journal import Journal  # noqa: E402
from controller.referee import Referee  # noqa: E402
from controller.table import Table  # noqa: E402
from controller.wiring import timing  # noqa: E402
from tests.rigs.running import Service, Spectator, learn_own_copy  # noqa: E402

LONGEST_GAME_S = 1500.0
LONGEST_COMMIT_S = 25.0


@dataclass
class Outcome:
    """What one game showed."""

    seed: int
    kills: int = 0
    in_commits: int = 0
    vision_kills: int = 0
    resumed: int = 0
    """Restarts whose first view was the last one before the kill, or one with the play that was being written."""
    starts_ms: list[float] = field(default_factory=list)
    lost: int = 0
    plays: int = 0
    asked: int = 0
    ruled: int = 0
    """Plays that the table did not see however often they were laid out; the host ruled them."""
    wrong: int = 0
    same: bool = False
    """Service, people and two replays of the journal agree on the final position."""
    seconds: float = 0.0
    problems: list[str] = field(default_factory=list)


class Killing:
    """One game with its kills."""

    def __init__(self, folder: Path, seed: int, speed: float, mistakes: float, every_s: float) -> None:
        self._rng = random.Random(seed)
        players = 2 + seed % 5
        options = ("--players", str(players), "--speed", str(speed), "--mistakes", str(mistakes), "--seed", str(seed))
        self._folder = folder
        self._service = Service(folder, *options)
        self._every_s = every_s
        self.outcome = Outcome(seed)

    def play(self) -> Outcome:
        """Start, kill and start again until the game is over, then compare."""
        begun = time.monotonic()
        spectator = None
        try:
            self._service.start_and_look(120.0)
            spectator = Spectator(self._service.port)
            while not self._is_over() and time.monotonic() - begun < LONGEST_GAME_S:
                self._kill_something(spectator)
            self._compare(spectator)
        except (TimeoutError, AssertionError) as error:
            self.outcome.problems.append(str(error))
        finally:
            if spectator is not None:
                spectator.close()
            self._service.end()
        self.outcome.seconds = time.monotonic() - begun
        return self.outcome

    def _kill_something(self, spectator: Spectator) -> None:
        self._pass(self._rng.uniform(0.2, 2 * self._every_s))
        chance = self._rng.random()
        if self._is_over():
            return
        if chance < 0.2:
            if (vision := self._service.vision()) is not None:
                os.kill(vision, signal.SIGKILL)
                self.outcome.vision_kills += 1
            return
        if chance < 0.6:
            self.outcome.in_commits += self._wait_for_commit()
        before = spectator.newest
        self._service.kill()
        self.outcome.kills += 1
        before = spectator.newest or before
        seconds, view = self._service.start_and_look()
        self.outcome.starts_ms.append(1000 * seconds)
        self._judge_resumed(before, view)

    def _judge_resumed(self, before: Any, view: Any) -> None:
        shown, now = before["log"], view["log"]
        gone = [line for line in shown if line["seq"] >= (now[0]["seq"] if now else 0) and line not in now]
        same = before["position"] == view["position"]
        if gone or (not same and len(now) <= len(shown) and now == shown and bool(shown)):
            self.outcome.problems.append(f"shown before the kill, not resumed: {gone or 'another position'}")
        else:
            self.outcome.resumed += 1

    def _wait_for_commit(self) -> bool:
        """Until the journal's file grows, and a little longer: somewhere between its first byte and the display."""
        wal = self._service.journal.with_name(self._service.journal.name + "-wal")
        size, end = wal.stat().st_size, time.monotonic() + LONGEST_COMMIT_S
        while wal.stat().st_size == size:
            if time.monotonic() > end or self._is_over():
                return False
            time.sleep(0.0002)
        time.sleep(self._rng.choice([0.0, 0.0, 0.001, 0.003, 0.01]))
        return True

    def _pass(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self._is_over():
            time.sleep(0.05)

    @property
    def _tally(self) -> Path:
        return self._service.simulated / "tally.jsonl"

    def _is_over(self) -> bool:
        return self._tally.exists() and self._tally.read_text().endswith("\n")

    def _compare(self, spectator: Spectator) -> None:
        assert self._is_over(), f"no end after {LONGEST_GAME_S} s: {(self._service.look() or {}).get('message')}"
        told = loads(self._tally.read_text().splitlines()[0])
        tally, outcome = told["tally"], self.outcome
        outcome.plays, outcome.asked, outcome.wrong = tally["plays"], tally["asked"], tally["wrong"]
        outcome.ruled = len(told["rulings"])
        if told["problem"]:
            outcome.problems.append(told["problem"])
        shown = self._service.look_until(lambda view: view["position"] is not None, 10)["position"]
        self._service.send(signal.SIGTERM)
        code = self._service.wait()
        if code or self._service.processes():
            outcome.problems.append(f"SIGTERM: exit code {code}, still there: {self._service.processes()}")
        with Journal(self._service.journal) as journal:
            kept = {record.seq: record.data["text"] for record in journal.records() if record.kind == "play"}
        outcome.lost = sum(kept.get(seq) is None for seq in spectator.seen)
        replays = [_replayed(self._service.journal, self._folder / f"replay-{number}.sqlite") for number in (1, 2)]
        outcome.same = told["agrees"] and all(position == told["position"] for position in (shown, *replays))


def _replayed(journal: Path, copy: Path) -> Any:
    """The position that a copy of the journal replays to."""
    shutil.copyfile(journal, copy)
    config = load_table()
    game = load_game(config.game)
    with Journal(copy) as log:
        table = Table(
            config, game, load_part(config.game, "table").GAME_TABLE, Referee(timing(config)), log, _Nowhere(),
            version="replay", simulated=True,
        )  # fmt: skip
        run(table.start())
        return table.view.position if table.view else None


class _Nowhere:
    """A table without lamps and displays."""

    def show(self, view: Any) -> None: ...

    def lamp(self, seat: int, mode: str) -> None: ...

    def buzz(self) -> None: ...

    def evidence(self) -> bytes | None:
        return None


@click.command()
@click.option("--games", default=5, show_default=True, help="How many games.")
@click.option("--jobs", default=1, show_default=True, help="How many at a time.")
@click.option("--seed", default=1, show_default=True, help="The first game's seed.")
@click.option("--speed", default=4.0, show_default=True, help="How much faster than people's the hands are.")
@click.option("--mistakes", default=0.02, show_default=True, help="How often a rule is broken on purpose.")
@click.option("--every", default=6.0, show_default=True, help="Seconds between two kills, on average.")
@click.option("--keep", type=click.Path(path_type=Path), help="Keep the folders of games that ended badly here.")
def main(games: int, jobs: int, seed: int, speed: float, mistakes: float, every: float, keep: Path | None) -> None:
    """Play games and kill the service meanwhile."""
    with tempfile.TemporaryDirectory(prefix="kill-test-") as name:
        folder = Path(name)
        (folder / "copy").mkdir()
        own_copy = learn_own_copy(folder / "copy")

        def play(number: int) -> Outcome:
            place = folder / str(number)
            (place / "data").mkdir(parents=True)
            for file in own_copy:
                (place / "data" / file.name).symlink_to(file)
            outcome = Killing(place, number, speed, mistakes, every).play()
            if keep is not None and not _is_good(outcome):
                shutil.copytree(place, keep / str(number), ignore=shutil.ignore_patterns("*.sock"), dirs_exist_ok=True)
            shutil.rmtree(place)
            return outcome

        outcomes = []
        with ThreadPoolExecutor(jobs) as pool:
            for waiting in as_completed([pool.submit(play, number) for number in range(seed, seed + games)]):
                outcomes.append(waiting.result())
                _print_game(outcomes[-1])
    _print_summary(outcomes)
    sys.exit(0 if all(map(_is_good, outcomes)) else 1)


def _is_good(outcome: Outcome) -> bool:
    return outcome.same and not (outcome.problems or outcome.lost or outcome.wrong)


def _print_game(outcome: Outcome) -> None:
    ended = "the same" if outcome.same else "OTHERWISE"
    click.echo(
        f"game {outcome.seed}: {outcome.plays} plays, {outcome.kills} kills, ended {ended}, {outcome.seconds:.0f} s"
    )
    for problem in outcome.problems:
        click.echo(f"  {problem}")


def _print_summary(outcomes: list[Outcome]) -> None:
    starts = sorted(ms for outcome in outcomes for ms in outcome.starts_ms) or [0.0]
    kills = sum(outcome.kills for outcome in outcomes)
    rows = {
        "games": f"{len(outcomes)}, {statistics.mean(o.seconds for o in outcomes):.0f} s each",
        "plays": sum(o.plays for o in outcomes),
        "kills of the main process": f"{kills}, {sum(o.in_commits for o in outcomes)} of them during a commit",
        "kills of camera and reading": sum(o.vision_kills for o in outcomes),
        "resumed where it was": f"{sum(o.resumed for o in outcomes)} of {kills}",
        "process start to the same view": f"median {statistics.median(starts):.0f} ms, max {starts[-1]:.0f} ms",
        "records lost": sum(o.lost for o in outcomes),
        "ended the same": f"{sum(o.same for o in outcomes)} of {len(outcomes)}",
        "silently wrong": sum(o.wrong for o in outcomes),
        "plays asked about or laid again": sum(o.asked for o in outcomes),
        "plays ruled by the host": sum(o.ruled for o in outcomes),
    }
    click.echo("")
    for name, value in rows.items():
        click.echo(f"{name:32} {value}")


if __name__ == "__main__":
    main()
