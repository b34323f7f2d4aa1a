"""Whole games of Pizzeria by simulated hands, through perfect eyes."""

import asyncio
from pathlib import Path
from random import Random
from typing import Any

import pytest

from config.loader import load_table
from controller.games.pizzeria import GAME
from controller.games.pizzeria.hands import PizzeriaHands
from controller.journal import Journal
from controller.seating import areas
from controller.simulation.players import Habits, SimulatedPlayers, Tally
from firmware_bridge.signals import Signal, SignalKind
from hardware.simulated.world import World
from tests.controller.laid_table import Outlets, make_table
from tests.controller.perfect_eyes import PerfectEyes

STEP_S = 0.2
LONGEST_S = 3000.0


@pytest.mark.parametrize(
    ("players", "options"), [(2, {"advanced": True}), (3, {}), (4, {"advanced": True}), (2, {"solo": True})]
)
def test_every_play_is_read_and_every_breach_found(tmp_path: Path, players: int, options: dict[str, Any]) -> None:
    with Journal(tmp_path / "journal.sqlite") as journal:
        tally = asyncio.run(_play(journal, players, options, 0.0 if "solo" in options else 0.3))
    assert tally.wrong == 0
    assert tally.breaches_missed == {}
    assert sum(tally.breaches_found.values()) >= (0 if "solo" in options else 2)
    assert tally.asked <= 1, tally.notes


async def _play(journal: Journal, players: int, options: dict[str, Any], mistake: float) -> Tally:
    """One game from joining to the bill; ends with the state that the hands have in mind."""
    outlets = Outlets()
    table = make_table(journal, outlets, game="pizzeria", options=options)
    config, rng = load_table([]), Random(players)
    seats = dict(enumerate(sorted(rng.sample(list(config.seats), players)), 1))
    start = GAME.start(players, options, 1)
    world, sight = World(Random(players)), PerfectEyes()
    hands = PizzeriaHands(GAME, start, areas(config, seats), rng)
    answers: list[tuple[int, int]] = []
    people = SimulatedPlayers(
        world,
        GAME,
        hands,
        start,
        seats,
        rng,
        lambda: table.view,
        lambda question, candidate: answers.append((question, candidate)),
        Habits(mistake=mistake),
    )
    await table.start()
    now_s = 0.0
    while not people.over:
        now_s += STEP_S
        assert now_s < LONGEST_S
        world.advance(now_s)
        for edge in world.take_edges():
            kind = SignalKind.BUTTON_PRESSED if edge.pressed else SignalKind.BUTTON_RELEASED
            await table.on_signal(Signal(edge.seat, kind, edge.time_s, 0.001))
        await table.on_scene(sight.scene(world.snapshot()))
        while answers:
            await table.answer(*answers.pop())
        people.step()
    assert table.state == people.state
    assert GAME.winners(table.state)
    return people.tally
