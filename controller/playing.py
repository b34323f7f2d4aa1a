"""Many whole games on the simulated table, several at a time, and the sum of what happened: `pizzatable play`."""

import multiprocessing
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from config.loader import load_table
from config.schema import TableConfig
from controller.batch import asked_to_stop, results
from controller.game import Json
from controller.games.registry import table_options
from controller.simulation.copy import enrol_own_copy, own_art
from controller.simulation.play import QUIET, Played, play_game
from controller.simulation.players import Habits
from hardware.simulated.artwork import in_grey
from hardware.simulated.circumstances import Circumstances
from vision.threads import use_one_core

_worker: dict[str, Any] = {}
"""What a worker process prepares once: the art and the faces enrolled from it."""


@dataclass(slots=True)
class Summary:
    """What happened in all games together."""

    wanted: int = 0
    """How many games were to be played; fewer were if somebody stopped it."""
    games: int = 0
    ended: int = 0
    plays: int = 0
    read: int = 0
    asked: int = 0
    wrong: int = 0
    found: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    complaints: int = 0
    frames: int = 0
    world_s: float = 0.0
    wall_s: float = 0.0
    stage_ms: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Nothing silently wrong, no broken rule missed, every game played, and to its end."""
        return not self.wrong and not self.missed and self.ended == self.games == self.wanted

    def add(self, game: Played) -> None:
        """Count one more game."""
        tally = game.tally
        self.games += 1
        self.ended += not game.problem
        self.plays += tally.plays
        self.read += tally.read
        self.asked += tally.asked
        self.wrong += tally.wrong
        self.found.update(tally.breaches_found)
        self.missed.update(tally.breaches_missed)
        self.complaints += sum(tally.complaints.values())
        self.frames += game.frames
        self.world_s += game.world_s
        self.stage_ms.update({stage: round(ms) for stage, ms in game.stage_ms.items()})
        who = f"seed {game.seed}, {game.players} players"
        self.problems += [f"{who}: {note}" for note in tally.notes if note.startswith("missed")]
        if game.problem:
            self.problems.append(f"{who}: not ended: {game.problem}")

    def __str__(self) -> str:
        lines = [
            f"games            {self._played()}, {self.ended} played to the end",
            f"plays            {self.plays}",
            f"read at once     {_share(self.read, self.plays)}",
            f"asked            {_share(self.asked, self.plays)}",
            f"silently wrong   {_share(self.wrong, self.plays)}",
            f"breaches         {self.found.total()} found, {self.missed.total()} missed",
        ]
        names = sorted({*self.found, *self.missed})
        lines += [f"  {name:<34} {self.found[name]:>4} found {self.missed[name]:>3} missed" for name in names]
        lines.append(f"complaints about nothing  {self.complaints}")
        if self.frames:
            stages = ", ".join(f"{stage} {ms / self.frames:.1f}" for stage, ms in self.stage_ms.items())
            lines.append(f"pictures         {self.frames}; reading, ms a picture: {stages}")
        lines.append(f"time             {self.world_s:.0f} s at the table, {self.wall_s:.0f} s here")
        lines += self.problems
        return "\n".join(lines)

    def _played(self) -> str:
        return str(self.games) if self.games == self.wanted else f"{self.games} of {self.wanted} before it was stopped"


def line_of(game: Played) -> str:
    """One game in a line."""
    tally = game.tally
    found, missed = (sum(counted.values()) for counted in (tally.breaches_found, tally.breaches_missed))
    return (
        f"seed {game.seed}, {game.players} players: {tally.plays} plays, {tally.read} read, {tally.asked} asked, "
        f"{tally.wrong} silently wrong; breaches {found} found, {missed} missed"
        + (f"; not ended: {game.problem}" if game.problem else "")
    )


def play_games(
    *,
    games: int,
    players: range,
    seed: int,
    jobs: int,
    on_game: Callable[[Played], object],
    size: tuple[int, int] = (1920, 1080),
    mistakes: float = 0.06,
    rate_hz: float = 5.0,
    game: str | None = None,
    options: Mapping[str, Json] | None = None,
    grey: bool = False,
    circumstances: Circumstances = QUIET,
) -> Summary:
    """Play games with the seeds `seed`, `seed + 1`, ..., on `jobs` processes, and sum up.

    `size` is the camera's width and height in pixels, `rate_hz` its pictures a second; `game` is that of the settings
    where none is named, `options` are its own, those that people agree on where none are given; `grey`: the copy was
    printed without colour. `on_game` is called after each game. Ctrl-C and SIGTERM end it early, with the sum of the
    games that were played by then.
    """
    summary, started = Summary(wanted=games), time.monotonic()
    context = multiprocessing.get_context("spawn")
    seeds = range(seed, seed + games)
    wanted = [(number, players[number % len(players)], mistakes, circumstances) for number in seeds]
    with asked_to_stop() as stop:
        for played in results(
            _play,
            wanted,
            stop,
            processes=jobs,
            context=context,
            initializer=_prepare,
            initargs=(size, rate_hz, game, dict(options or {}), grey),
        ):
            summary.add(played)
            on_game(played)
    summary.wall_s = time.monotonic() - started
    return summary


def _prepare(size: tuple[int, int], rate_hz: float, game: str | None, options: dict[str, Json], grey: bool) -> None:
    use_one_core()
    config = load_table()
    camera = config.camera.model_copy(update={"width": size[0], "height": size[1], "rate": rate_hz})
    name = game or config.game
    config = config.model_copy(update={"camera": camera, "game": name, "options": {**table_options(name), **options}})
    art = own_art(config.game)
    if grey:
        art = art.in_grey() if hasattr(art, "in_grey") else in_grey(art)
    _worker.update(config=config, art=art, pack=enrol_own_copy(config.game, art, size[0], size[1]))


def _play(seed: int, players: int, mistakes: float, circumstances: Circumstances) -> Played:
    config: TableConfig = _worker["config"]
    art, pack, habits = _worker["art"], _worker["pack"], Habits(mistake=mistakes)
    return play_game(config, art, pack, seed, players, habits, circumstances=circumstances)


def _share(part: int, whole: int) -> str:
    return f"{part} ({100 * part / whole:.2f} %)" if whole else "0"
