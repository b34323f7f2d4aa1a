"""Whole games by simulated hands, through perfect eyes and through eyes that doubt."""

import asyncio
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest

from config.loader import load_table
from controller.game import Actor
from controller.games.pizza_theory import GAME
from controller.games.pizza_theory.hands import PizzaTheoryHands
from controller.journal import Journal
from controller.seating import areas
from controller.simulation.players import Habits, SimulatedPlayers, Tally
from controller.table import Table
from firmware_bridge.signals import Signal, SignalKind
from hardware.simulated.world import World
from tests.controller.games.pizza_theory.laid_pizza import PARTS, Contents, PizzaEyes
from tests.controller.laid_table import Outlets, make_table
from vision.scene import EMPTY, Space

STEP_S = 0.2
LONGEST_S = 3000.0
SEATS = {2: {1: 2, 2: 5}, 3: {1: 1, 2: 3, 3: 5}}


@pytest.mark.parametrize(("players", "seed"), [(2, 2), (3, 3)])
def test_every_play_is_read_and_every_breach_found(players: int, seed: int) -> None:
    tally = play(players, seed, mistake=0.4)
    assert tally.wrong == 0
    assert tally.breaches_missed == {}, tally.notes
    assert sum(tally.breaches_found.values()) >= 3
    assert tally.asked <= 1, tally.notes


@pytest.mark.parametrize(("players", "seed"), [(3, 5)])
def test_doubting_eyes_are_never_silently_wrong(players: int, seed: int) -> None:
    """At any time some spaces cannot be told, or look like something else as well."""
    tally = play(players, seed, mistake=0.0, doubt=Random(seed))
    assert tally.wrong == 0
    assert tally.asked <= 0.25 * tally.plays, tally.notes


def play(players: int, seed: int, mistake: float, doubt: Random | None = None) -> Tally:
    """One game from joining to its end, which has the state that the hands have in mind."""
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "journal.sqlite") as journal:
        table = make_table(journal, Outlets(), game="pizza_theory", options={"last_round": 6})
        people = asyncio.run(_played(table, SEATS[players], seed, mistake, doubt))
        assert table.state == people.state
        assert GAME.turn(table.state).actor is Actor.NOBODY
        return people.tally


async def _played(
    table: Table, seats: dict[int, int], seed: int, mistake: float, doubt: Random | None
) -> SimulatedPlayers:
    rng = Random(seed)
    start = GAME.start(len(seats), {"last_round": 6}, 1)
    world, sight = World(Random(seed)), PizzaEyes()
    hands = PizzaTheoryHands(GAME, start, areas(load_table([]), seats), rng)
    answers: list[tuple[int, int]] = []
    mouth: Callable[[int, int], None] = lambda question, candidate: answers.append((question, candidate))  # noqa: E731
    habits = Habits(mistake=mistake)
    people = SimulatedPlayers(world, GAME, hands, start, seats, rng, lambda: table.view, mouth, habits)
    await table.start()
    now_s = 0.0
    while not people.over:
        now_s += STEP_S
        assert now_s < LONGEST_S
        world.advance(now_s)
        for edge in world.take_edges():
            kind = SignalKind.BUTTON_PRESSED if edge.pressed else SignalKind.BUTTON_RELEASED
            await table.on_signal(Signal(edge.seat, kind, edge.time_s, 0.001))
        scene = sight.scene(world.snapshot())
        if doubt is not None and scene.at_rest_s == 0.0:
            sight.doubt = {}
            bare = sight.scene(world.snapshot()).sightings
            sight.doubt = _doubts(bare[0].spaces if bare else (), doubt)
        await table.on_scene(scene)
        while answers:
            await table.answer(*answers.pop())
        people.step()
    return people


def _doubts(spaces: Sequence[Space], rng: Random) -> dict[str, Contents]:
    """Some spaces say nothing, some look almost as much like something else."""
    names = {",".join(map(str, at)): name for name, at in PARTS.spaces.items()}
    doubts: dict[str, Contents] = {}
    for space in spaces:
        if rng.random() < 0.04:
            others = (
                [face for face in (EMPTY, *PARTS.colours) if face != space.contents[0].face] if space.contents else []
            )
            seen = ((space.contents[0].face, 0.55), (rng.choice(others), 0.4)) if rng.random() < 0.5 and others else ()
            doubts[names[space.name]] = seen
    return doubts
