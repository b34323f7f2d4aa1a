"""What a whole table makes of moments that single scenes do not show: messages, presses, what comes after."""

import asyncio
from dataclasses import replace
from pathlib import Path

from controller.games.new_york_slice import rules
from controller.games.new_york_slice.rules import Decide, Phase, Take
from tests.controller.games.new_york_slice.situations import faces, game, having, owning, quarters, served, takes
from tests.controller.laid_table import laid_at


def test_the_owner_of_seconds_is_told_how_to_eat_nothing(tmp_path: Path) -> None:
    async def go() -> None:
        state = having(owning(game(), 2, rules.SECONDS), 2, "7/1 7/2 11/1", "6/1")
        table = await laid_at(tmp_path, replace(state, phase=Phase.SECONDS, stacks=()))
        with table.journal:
            assert "press to eat nothing" in table.view.message
            table.flip(rules.SECONDS)
            await table.moved()
            await table.press(2)
            assert "turn face down what is eaten" in (await table.look(scenes=4)).message
            table.flip(rules.SECONDS)
            await table.moved()
            await table.press(2)
            await table.look()
            assert table.state.phase is Phase.OVER

    asyncio.run(go())


def test_the_next_pizza_may_be_served_before_the_last_taker_has_pressed(tmp_path: Path) -> None:
    state = quarters(served(game()))
    for player, portion, attach in ((2, 1, "9"), (3, 2, None), (4, 3, None)):
        state = takes(state, player, portion, attach=attach)
    ring = faces("3/1 5/2 6/1 6/2 8/1 8/2 9/3 10/1 10/2 11/5 11/6")

    async def go() -> None:
        table = await laid_at(tmp_path, state)
        with table.journal:
            table.play(state, Take(1, 0), Decide(1, frozenset()))
            steps = table.hands._serve(2, rules.BUFFET, ring)
            for step in steps:
                table.lay(*step.lays)
                assert (await table.moved()).message == "Player 1 takes a portion. Player 1: press your button."
            await table.press(1)
            await table.look(scenes=6)
            assert (table.state.phase, table.state.round, table.state.special) == (Phase.DIVIDE, 2, rules.BUFFET)
            assert set(table.state.ring) == set(ring)

    asyncio.run(go())
