"""How long it takes to read a scene of New York Slice against the game's state, beside the advice for one move.

    .venv/bin/python -m tests.benchmarks.bench_reading

Plays whole games with everything laid at once, and reads each scene in which a play lies on the table, several times;
the best of them counts. Prints milliseconds for each phase: the median, the slowest, and how many pieces lay there.
"""

import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

from controller.game import Actor
from controller.games.new_york_slice import GAME
from controller.games.new_york_slice.table import GAME_TABLE
from controller.reading import Layout
from tests.controller.laid_table import LaidWorld

TIMES = 3


def measure(players: int, seed: int, found: dict[str, list[tuple[float, int]]]) -> None:
    """One game; adds milliseconds and number of pieces by phase to `found`."""
    world = LaidWorld(players, seed)
    layout = Layout(world.areas)
    state = GAME.start(players, {}, 1)
    while GAME.turn(state).actor is not Actor.NOBODY:
        moves, _ = world.hands.next_play(state)
        world.play(state, *moves)
        scene = world.scene()
        spent = best_ms(partial(GAME_TABLE.read, state, scene, layout, frozenset()))
        found[state.phase.value].append((spent, len(scene.sightings)))
        turn = GAME.turn(state)
        if turn.players:
            advised = best_ms(partial(GAME.advise, state, turn.players[0]))
            found["(advice)"].append((advised, len(scene.sightings)))
        for move in moves:
            state = GAME.apply(state, move)


def best_ms(work: Callable[[], Any]) -> float:
    def once() -> float:
        start = time.perf_counter()
        work()
        return (time.perf_counter() - start) * 1000

    return min(once() for _ in range(TIMES))


def main() -> None:
    found: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for seed, players in enumerate((2, 3, 4, 5, 6, 6)):
        measure(players, seed, found)
    print(f"{'phase':<10} {'scenes':>6} {'median ms':>10} {'slowest ms':>10} {'pieces':>7}")
    for phase, spent in found.items():
        slowest = max(spent)
        print(f"{phase:<10} {len(spent):>6} {median(ms for ms, _ in spent):>10.2f} {slowest[0]:>10.2f} {slowest[1]:>7}")


if __name__ == "__main__":
    main()
