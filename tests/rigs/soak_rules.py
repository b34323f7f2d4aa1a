"""Very many random games of every game, without an exception: `make soak-rules GAMES=100000`.

Games run in several processes. One in some gets every check: pieces and moves as JSON, notation, described positions,
views of redrawn states, refusals of the moves of other games; all the others are only played to their end and scored.
The exit status is 1 if anything went wrong; the seed that is printed brings it back:

    .venv/bin/python tests/rigs/soak_rules.py --games slice --only 1234
"""

import argparse
import multiprocessing
import os
import sys
import time
import traceback
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

if __name__ == "__main__":  # as `python tests/rigs/soak_rules.py`, and in the processes that it starts
    sys.path.insert(0, str(Path(__file__).parents[2]))

from controller.game import Actor, Game, GameError
from controller.games.registry import game_names, load_game
from tests.controller.games.random_play import Ply, last_state, play, through_json

CHECKED_EVERY = 100
BATCH = 50
DRAW_LIMITS = (25, 50, 100, 200, 400)
"""For the option `draw_limit`: who plays at random hardly ever wins SLICE, so that this ends nearly every game."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A game that went wrong."""

    name: str
    seed: int
    trace: str


def soak(name: str, seeds: range) -> tuple[int, list[Failure]]:
    """Play a game for each seed; the moves made, and what went wrong."""
    engine, moves, failures = load_game(name), 0, []
    for seed in seeds:
        try:
            moves += one_game(engine, seed)
        except Exception:
            failures.append(Failure(name, seed, traceback.format_exc()))
    return moves, failures


def one_game(engine: Game[Any, Any], seed: int) -> int:
    """Play the game of this seed, and check it thoroughly if it is one of those; the moves made."""
    rng = Random(f"{engine.name} {seed}")
    players = rng.choice(engine.player_counts)
    options = _options(engine, players, rng)
    moves, kept = 0, deque[Ply](maxlen=None if seed % CHECKED_EVERY == 0 else 1)
    for ply in play(engine, engine.start(players, options, rng.randint(1, players)), rng):
        moves += 1
        kept.append(ply)
    end = last_state(engine, kept)
    assert engine.turn(end).actor is Actor.NOBODY
    _check_end(engine, end, players)
    if seed % CHECKED_EVERY == 0:
        for ply in rng.sample(kept, min(moves, 25)):
            _check_ply(engine, ply, players, options, rng)
    return moves


def _options(engine: Game[Any, Any], players: int, rng: Random) -> dict[str, Any]:
    """Some options otherwise than usual, as far as they go together."""
    options = {one.name: rng.choice(one.choices) for one in engine.option_list if one.choices and rng.random() < 0.3}
    if any(one.name == "draw_limit" for one in engine.option_list):
        options["draw_limit"] = rng.choice(DRAW_LIMITS)
    try:
        engine.start(players, options)
    except GameError:
        return {}
    return options


def _check_end(engine: Game[Any, Any], end: Any, players: int) -> None:
    sheets = engine.score(end)
    assert [sheet.player for sheet in sheets] == list(range(1, players + 1))
    assert all(sheet.total == sum(line.points for line in sheet.lines) for sheet in sheets)
    assert set(engine.winners(end)) <= set(range(1, players + 1))
    assert not list(engine.legal(end))


def _check_ply(engine: Game[Any, Any], ply: Ply, players: int, options: dict[str, Any], rng: Random) -> None:
    state, move = ply.state, ply.move
    assert engine.refusal(state, move) is None
    after = engine.apply(state, move)
    assert engine.apply(state, engine.parse(state, engine.format(state, move))) == after
    assert engine.decode_move(through_json(engine.encode_move(move))) == move
    assert engine.decode_state(through_json(engine.encode_state(state))) == state
    assert engine.setup(players, options, through_json(engine.position(state))) == state
    for viewer in (None, rng.randint(1, players)):
        other = engine.determinize(state, viewer, rng)
        assert engine.view(other, viewer) == engine.view(state, viewer)


def batches(games: int, first: int) -> Iterator[range]:
    """The seeds, some at a time."""
    for start in range(first, first + games, BATCH):
        yield range(start, min(start + BATCH, first + games))


def main() -> None:
    parser = argparse.ArgumentParser(description="Very many random games of every game.")
    parser.add_argument("--count", type=int, default=1000, help="games of each game (default 1000)")
    parser.add_argument("--games", nargs="*", default=game_names(), help="these games only")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default 0)")
    parser.add_argument("--only", type=int, help="the one game of this seed, thoroughly checked or not as in a run")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default one a core)")
    options = parser.parse_args()
    if options.only is not None:
        options.first, options.count = options.only, 1
    failed = False
    for name in options.games:
        failed |= _soak_one(name, options.count, options.first, options.jobs)
    sys.exit(1 if failed else 0)


def _soak_one(name: str, count: int, first: int, jobs: int) -> bool:
    """All games of one game; whether any went wrong."""
    started, games, moves = time.monotonic(), 0, 0
    failures: list[Failure] = []
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        waiting = {pool.submit(soak, name, seeds): len(seeds) for seeds in batches(count, first)}
        for done in as_completed(waiting):
            made, wrong = done.result()
            games, moves, failures = games + waiting[done], moves + made, failures + wrong
            _progress(name, games, count, len(failures), started)
    spent_s = time.monotonic() - started
    print(f"{name}: {games} games, {moves} moves in {spent_s:.0f} s; {len(failures)} went wrong".ljust(79))
    for failure in failures[:3]:
        print(f"--- {failure.name}, seed {failure.seed}\n{failure.trace}")
    return bool(failures)


def _progress(name: str, games: int, count: int, wrong: int, started: float) -> None:
    if sys.stderr.isatty():
        rate = games / (time.monotonic() - started)
        print(f"{name}: {games} of {count}, {wrong} wrong, {rate:.0f} games/s".ljust(79), end="\r", file=sys.stderr)


if __name__ == "__main__":
    main()
