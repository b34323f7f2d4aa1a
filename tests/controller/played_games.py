"""Whole games by simulated hands and given eyes, through referee, rules and journal."""

import asyncio
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from config.loader import load_table
from controller.game import Player
from controller.games.registry import load_game, load_part
from controller.journal import Journal
from controller.seating import areas
from controller.simulation.players import Habits, SimulatedPlayers, Tally
from controller.table import Table
from firmware_bridge.signals import Signal, SignalKind
from hardware.simulated.world import World, WorldSnapshot
from tests.controller.laid_table import Outlets, make_table
from vision.scene import Scene

STEP_S = 0.2
LONGEST_S = 3000.0
See = Callable[[WorldSnapshot], Scene]


@dataclass(frozen=True, slots=True)
class Played:
    """A game from joining to its end."""

    state: Any
    """What the table says at the end."""
    believed: Any
    """What the hands have in mind."""
    tally: Tally


def seats_of(players: int, rng: Random) -> dict[Player, int]:
    """So many players at any of the table's seats."""
    return dict(enumerate(sorted(rng.sample(list(load_table([]).seats), players)), 1))


def played(
    game: str,
    see: See,
    seats: Mapping[Player, int],
    rng: Random,
    *,
    seed: int,
    options: Mapping[str, Any] | None = None,
    mistake: float = 0.0,
    plays: int | None = None,
) -> Played:
    """Play one game, or only so many `plays` of it; `rng` is the people's, `seed` the world's, `mistake` how often they
    break a rule."""
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "journal.sqlite") as journal:
        table = make_table(journal, Outlets(), game=game, options=dict(options or {}))
        people = asyncio.run(_play(table, game, see, dict(seats), rng, seed, dict(options or {}), mistake, plays))
        return Played(table.state, people.state, people.tally)


async def _play(
    table: Table, game: str, see: See, seats: dict[Player, int], rng: Random, seed: int, options: dict[str, Any],
    mistake: float, plays: int | None,
) -> SimulatedPlayers:  # fmt: skip
    engine = load_game(game)
    start = engine.start(len(seats), options, 1)
    world = World(Random(seed))
    hands = load_part(game, "hands").HANDS(engine, start, areas(load_table([]), seats), rng)
    answers: list[tuple[int, int]] = []
    mouth: Callable[[int, int], None] = lambda question, candidate: answers.append((question, candidate))  # noqa: E731
    habits = Habits(mistake=mistake)
    people = SimulatedPlayers(world, engine, hands, start, seats, rng, lambda: table.view, mouth, habits)
    await table.start()
    now_s = 0.0
    while not people.over and (plays is None or people.tally.read + people.tally.asked < plays):
        now_s += STEP_S
        assert now_s < LONGEST_S
        world.advance(now_s)
        for edge in world.take_edges():
            kind = SignalKind.BUTTON_PRESSED if edge.pressed else SignalKind.BUTTON_RELEASED
            await table.on_signal(Signal(edge.seat, kind, edge.time_s, 0.001))
        await table.on_scene(see(world.snapshot()))
        while answers:
            await table.answer(*answers.pop())
        people.step()
    return people
