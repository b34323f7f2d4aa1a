"""Games by simulated hands, through perfect eyes and through eyes that doubt."""

import asyncio
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from config.loader import load_table
from controller.game import Actor
from controller.games.dice_and_slice import GAME
from controller.games.dice_and_slice.hands import DiceAndSliceHands
from controller.journal import Journal
from controller.seating import areas
from controller.simulation.players import Habits, SimulatedPlayers, Tally
from controller.table import Table
from firmware_bridge.signals import Signal, SignalKind
from hardware.simulated.world import World
from tests.controller.games.dice_and_slice.laid_sheets import ALL, SheetEyes
from tests.controller.laid_table import Outlets, make_table
from vision.scene import MarkKind

STEP_S = 0.2
LONGEST_S = 3000.0
SEATS = {2: {1: 2, 2: 5}, 3: {1: 1, 2: 3, 3: 5}}


@pytest.mark.parametrize(("players", "seed"), [(2, 2), (3, 3)])
def test_every_play_is_read_and_every_breach_found(players: int, seed: int) -> None:
    tally = play(players, seed, mistake=0.3, plays=16)
    assert tally.wrong == 0
    assert tally.breaches_missed == {}, tally.notes
    assert sum(tally.breaches_found.values()) >= 3
    assert tally.asked <= 1, tally.notes


def test_doubting_eyes_are_never_silently_wrong() -> None:
    """At any time some marks cannot be told."""
    tally = play(2, 5, mistake=0.0, plays=16, doubt=Random(5))
    assert tally.wrong == 0
    assert tally.asked <= 0.25 * tally.plays, tally.notes


@pytest.mark.skipif("PIZZATABLE_LONG" not in os.environ, reason="takes minutes; PIZZATABLE_LONG=1 runs it")
@pytest.mark.parametrize(("players", "seed"), [(2, 2), (3, 3), (2, 11)])
def test_whole_games_end_as_the_hands_know(players: int, seed: int) -> None:
    tally = play(players, seed, mistake=0.1)
    assert (tally.wrong, tally.breaches_missed) == (0, {}), tally.notes
    assert tally.asked <= 2, tally.notes


def play(players: int, seed: int, mistake: float, plays: int | None = None, doubt: Random | None = None) -> Tally:
    """A game from joining to its end, where the table has the state that the hands have in mind, or to so many plays,
    each compared by the people themselves."""
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "journal.sqlite") as journal:
        table = make_table(journal, Outlets(), game="dice_and_slice", options={})
        people = asyncio.run(_played(table, SEATS[players], seed, mistake, plays, doubt))
        if plays is None:
            assert table.state == people.state
            assert GAME.turn(table.state).actor is Actor.NOBODY
        return people.tally


async def _played(
    table: Table, seats: dict[int, int], seed: int, mistake: float, plays: int | None, doubt: Random | None
) -> SimulatedPlayers:
    rng = Random(seed)
    start = GAME.start(len(seats), {}, 1)
    world, sight = World(Random(seed)), SheetEyes()
    hands = DiceAndSliceHands(GAME, start, areas(load_table([]), seats), rng)
    answers: list[tuple[int, int]] = []
    mouth: Callable[[int, int], None] = lambda question, candidate: answers.append((question, candidate))  # noqa: E731
    habits = Habits(mistake=mistake)
    people = SimulatedPlayers(world, GAME, hands, start, seats, rng, lambda: table.view, mouth, habits)
    await table.start()
    now_s = 0.0
    while not people.over and (plays is None or people.tally.read + people.tally.asked < plays):
        now_s += STEP_S
        assert now_s < LONGEST_S
        world.advance(now_s)
        for edge in world.take_edges():
            kind = SignalKind.BUTTON_PRESSED if edge.pressed else SignalKind.BUTTON_RELEASED
            await table.on_signal(Signal(edge.seat, kind, edge.time_s, 0.001))
        scene = sight.scene(world.snapshot())
        if doubt is not None and scene.at_rest_s == 0.0:
            sight.doubt = {}
            for _ in range(3):
                kind, at = doubt.choice(ALL)
                if kind in (MarkKind.DOT, MarkKind.LINE):
                    sight.doubt[(doubt.randint(1, len(seats)), (kind, at))] = doubt.choice((0.2, 0.5, 0.8))
        await table.on_scene(scene)
        while answers:
            await table.answer(*answers.pop())
        people.step()
    return people
