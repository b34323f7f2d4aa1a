"""What a whole table makes of moments that single scenes do not show: messages, presses, what comes after."""

import asyncio
from dataclasses import replace
from pathlib import Path

from controller.games.new_york_slice import rules
from controller.games.new_york_slice.rules import Phase, State
from tests.controller.games.new_york_slice.situations import game, having, owning
from tests.controller.laid_table import LaidTable


async def laid(folder: Path, state: State) -> LaidTable:
    """A table at which the game stands so, and all lies as it should."""
    table = LaidTable(folder, state.players, 1)
    await table.start()
    assert table.table._running is not None
    table.table._running.states[-1] = state
    table.arrange(state)
    await table.moved()
    return table


def test_the_owner_of_seconds_is_told_how_to_eat_nothing(tmp_path: Path) -> None:
    async def go() -> None:
        state = having(owning(game(), 2, rules.SECONDS), 2, "7/1 7/2 11/1", "6/1")
        table = await laid(tmp_path, replace(state, phase=Phase.SECONDS, stacks=()))
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
