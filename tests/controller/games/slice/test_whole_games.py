"""Whole games by simulated hands, through perfect eyes and through eyes that doubt."""

import asyncio
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from config.loader import load_table
from controller.game import Actor
from controller.games.slice import GAME
from controller.games.slice.hands import SliceHands
from controller.games.slice.table import OPTIONS as ON_TABLE
from controller.journal import Journal
from controller.seating import areas
from controller.simulation.players import Habits, SimulatedPlayers, Tally
from controller.table import Table
from firmware_bridge.signals import Signal, SignalKind
from hardware.simulated.world import World
from tests.controller.games.slice.laid_slice import SEATS, CardEyes, Contents
from tests.controller.laid_table import Outlets, make_table
from vision.scene import PieceKind

STEP_S = 0.2
LONGEST_S = 3000.0
DOUBTFUL = 0.02
"""The share of cards."""
OPTIONS = {"pizzas": 1, **ON_TABLE}


@pytest.mark.parametrize(("players", "seed"), [(2, 2), (4, 3)])
def test_every_play_is_read_and_every_breach_found(players: int, seed: int) -> None:
    tally = play(players, seed, mistake=0.3)
    assert tally.wrong == 0
    assert tally.breaches_missed == {}, tally.notes
    assert sum(tally.breaches_found.values()) >= 3
    assert tally.asked <= 1, tally.notes


def test_doubting_eyes_are_never_silently_wrong() -> None:
    """At any time some cards cannot be told, are not seen, or look like another as well."""
    tally = play(3, 4, mistake=0.0, doubt=Random(4))
    assert tally.wrong == 0
    assert tally.asked <= 0.3 * tally.plays, tally.notes


def play(players: int, seed: int, mistake: float, doubt: Random | None = None) -> Tally:
    """One game from joining to its end, which looks as the hands have it in mind."""
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "journal.sqlite") as journal:
        table = make_table(journal, Outlets(), game="slice", options=OPTIONS)
        people = asyncio.run(_played(table, dict(SEATS[players]), seed, mistake, doubt))
        assert table.state == people.state
        assert GAME.turn(table.state).actor is Actor.NOBODY
        return people.tally


async def _played(
    table: Table, seats: dict[int, int], seed: int, mistake: float, doubt: Random | None
) -> SimulatedPlayers:
    rng = Random(seed)
    start = GAME.start(len(seats), OPTIONS, 1)
    world, sight = World(Random(seed)), CardEyes()
    hands = SliceHands(GAME, start, areas(load_table([]), seats), rng)
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
            sight.doubt = _doubts(world, doubt)
        await table.on_scene(scene)
        while answers:
            await table.answer(*answers.pop())
        people.step()
    return people


def _doubts(world: World, rng: Random) -> dict[str, Contents]:
    doubts: dict[str, Contents] = {}
    fronts = sorted({piece.front for piece in world.pieces.values() if piece.kind is PieceKind.SLICE_CARD})
    for name, piece in world.pieces.items():
        if piece.kind is PieceKind.SLICE_CARD and piece.pose is not None and rng.random() < DOUBTFUL:
            other = rng.choice([front for front in (*fronts, piece.back) if front != piece.face])
            doubts[name] = rng.choice([(), ((piece.face, 0.55), (other, 0.4)), ((piece.face, 0.7),)])
    return doubts
