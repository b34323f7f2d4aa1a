"""How fast the rules are, on one core: validated moves and whole random games of every game, beside python-chess.

    make bench-rules
    .venv/bin/python -m tests.benchmarks.bench_rules --games pizza_theory --seconds 5

A validated move is `refusal` (is it legal?) and then `apply` (which checks again and gives the state after it); for
python-chess `is_legal`, `push` and `pop`, as its boards change in place. They are timed on the plies of random games,
each kind of move for itself, in processor time; the best of three rounds counts. A random game lists moves, takes one
at random and applies it, until the game is over.

python-chess is under the GPL; it is only measured here and no part of the program.
"""

import argparse
import platform
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import chess

from controller.game import Game
from controller.games.registry import game_names, load_game
from tests.controller.games.random_play import Ply, play

ROUNDS = 3
PLIES_OF_A_KIND = 400
Timed = tuple[str, int, float]
"""Kind of move, number of plies, validated moves a second."""


def best_rate(work: Callable[[], int], seconds: float) -> float:
    """Things done a second: the best of some rounds, each of about so many seconds."""
    rates = []
    for _ in range(ROUNDS):
        start, done = time.process_time(), 0
        while (spent := time.process_time() - start) < seconds / ROUNDS:
            done += work()
        rates.append(done / spent)
    return max(rates)


def plies_of(engine: Game[Any, Any], rng: Random, seconds: float) -> dict[str, list[Ply]]:
    """Plies of random games by kind of move, with every number of players."""
    found: dict[str, list[Ply]] = defaultdict(list)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or not found:
        players = rng.choice(engine.player_counts)
        for ply in play(engine, engine.start(players, {}, rng.randint(1, players)), rng):
            kind = found[type(ply.move).__name__]
            if len(kind) < PLIES_OF_A_KIND:
                kind.append(ply)
    return found


def rate_of(engine: Game[Any, Any], plies: Sequence[Ply], seconds: float) -> float:
    """Validated moves a second."""
    refusal, apply, pairs = engine.refusal, engine.apply, [(ply.state, ply.move) for ply in plies]

    def once() -> int:
        for state, move in pairs:
            refusal(state, move)
            apply(state, move)
        return len(pairs)

    return best_rate(once, seconds)


def random_games(engine: Game[Any, Any], rng: Random) -> Callable[[], int]:
    """Plays one game; gives 1."""

    def once() -> int:
        players = rng.choice(engine.player_counts)
        for _ in play(engine, engine.start(players, {}), rng):
            pass
        return 1

    return once


def measure(name: str, seconds: float) -> tuple[list[Timed], float]:
    """Validated moves a second by kind, and random games a second."""
    engine, rng = load_game(name), Random(1)
    plies = plies_of(engine, rng, seconds)
    timed = [(kind, len(found), rate_of(engine, found, seconds)) for kind, found in plies.items()]
    return timed, best_rate(random_games(engine, rng), 2 * seconds)


def measure_chess(seconds: float) -> tuple[list[Timed], float]:
    """The same of python-chess."""
    rng, pairs = Random(1), []

    def game(keep: bool) -> int:
        board = chess.Board()
        while not board.is_game_over(claim_draw=False):
            move = rng.choice(list(board.legal_moves))
            if keep:
                pairs.append((board.copy(stack=False), move))
            board.push(move)
        return 1

    game(keep=True)

    def once() -> int:
        for board, move in pairs:
            board.is_legal(move)
            board.push(move)
            board.pop()
        return len(pairs)

    return [("push", len(pairs), best_rate(once, seconds))], best_rate(lambda: game(keep=False), 2 * seconds)


def show(title: str, timed: Sequence[Timed], games: float) -> None:
    print(f"{title:<28} {'':>12} {games:>10.1f} games/s")
    for kind, plies, rate in timed:
        print(f"  {kind:<26} {rate:>12,.0f} moves/s   ({plies} plies)")


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast the rules are, beside python-chess.")
    parser.add_argument("--games", nargs="*", default=game_names(), help="these games only")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each figure, about (default 1)")
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, one core; python-chess {chess.__version__}\n")
    show("python-chess", *measure_chess(options.seconds))
    for name in options.games:
        show(load_game(name).title, *measure(name, options.seconds))


if __name__ == "__main__":
    main()
