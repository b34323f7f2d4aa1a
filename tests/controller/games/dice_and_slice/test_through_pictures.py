"""A game's beginning through pictures, pins, reading, rules and journal; and what hands leave on paper."""

import asyncio
from dataclasses import replace
from pathlib import Path
from random import Random

from config.loader import load_table
from controller.games.dice_and_slice import GAME
from controller.games.dice_and_slice.hands import HANDS, Pencilled, standing
from controller.games.dice_and_slice.rules import Phase
from controller.seating import areas
from controller.simulation.copy import enrol_own_copy, own_art
from controller.simulation.play import _HeadlessTable
from controller.simulation.players import Habits, SimulatedPlayers
from hardware.simulated.surroundings import Conditions
from vision.scene import MarkKind

PLAYS = 2
"""The roll and the pick, and the first sheet that is marked."""


def test_a_game_begins_through_the_real_seams(tmp_path: Path) -> None:
    config = load_table([])
    camera = config.camera.model_copy(update={"rate": 5.0})
    config = config.model_copy(update={"camera": camera, "game": "dice_and_slice"})
    size = (config.camera.width, config.camera.height)
    art = own_art("dice_and_slice")
    pack = enrol_own_copy("dice_and_slice", art, *size)
    assert pack.names == (), "sheets and dice are told by their form"
    seats, rng, start = {1: 2, 2: 5}, Random(4), GAME.start(2, {}, 1)
    habits = Habits(gesture_s=(0.4, 0.5), hesitate_s=(0.8, 0.9), idle_hand=0.0, fidget=0.0, mistake=0.0)
    with _HeadlessTable(config, art, pack, Conditions(seed=4), tmp_path) as table:
        hands = HANDS(GAME, start, areas(config, seats), rng)
        people = SimulatedPlayers(table.world, GAME, hands, start, seats, rng, table.look, table.ask, habits)

        class Beginning:
            """The people, until the first sheet was marked."""

            @property
            def over(self) -> bool:
                return people.tally.read + people.tally.asked >= PLAYS

            def step(self) -> None:
                people.step()

        asyncio.run(table.run(Beginning()))  # type: ignore[arg-type]
        assert people.tally.read == PLAYS, people.tally.notes
        assert table.table.state.phase in (Phase.MARK, Phase.ROLL)
        assert any(sheet.dots for sheet in table.table.state.sheets)


def test_who_rubs_over_a_trace_rubs_that_out_too() -> None:
    """Who is told that a cross is still seen rubs again, and makes it no darker."""
    cross = Pencilled(MarkKind.CROSSED_TOPPING, (3, 4))
    trace = replace(cross, rubbed=True)
    assert standing([cross, trace]) == [trace]
    assert standing([cross, trace, cross, trace]) == [trace]
    assert standing([cross, trace, trace]) == standing([cross, trace, trace, trace]) == []
    assert standing([trace]) == [trace]
    assert standing([cross, trace, cross]) == [trace, cross]
