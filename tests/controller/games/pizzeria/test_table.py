"""What a whole table makes of moments that single scenes do not show: presses, breaches, what comes after."""

import asyncio
from pathlib import Path

from controller.games.pizzeria import rules
from controller.games.pizzeria.rules import Decide, Phase, State, Take
from controller.views import RefereeState
from tests.controller.games.pizzeria.situations import advanced, quarters, served
from tests.controller.laid_table import LaidTable, laid_at


async def laid(folder: Path, state: State) -> LaidTable:
    return await laid_at(folder, state, "pizzeria", {"advanced": state.options.advanced})


def test_the_slice_of_offer_b_may_be_eaten_before_the_offer_is_turned_down(tmp_path: Path) -> None:
    state = quarters(served(advanced(), special=rules.OFFER_B))

    async def go() -> None:
        table = await laid(tmp_path, state)
        with table.journal:
            table.give(2, *state.portions[1].slices, rules.OFFER_B)
            await table.moved()
            table.give(2, "4/4")
            await table.moved()
            assert table.state.phase is Phase.DECIDE
            table.flip("4/4")
            await table.moved()
            assert "Turn it face down" in table.view.message
            table.flip(rules.OFFER_B)
            await table.moved()
            await table.press(2)
            await table.look()
            assert table.state.holdings[1].eaten == ("4/4",)

    asyncio.run(go())


def test_a_portion_taken_early_counts_after_the_one_before(tmp_path: Path) -> None:
    state = quarters(served(advanced()))

    async def go() -> None:
        table = await laid(tmp_path, state)
        with table.journal:
            table.play(state, Take(2, 0), Decide(2, frozenset({"7/2"})))
            table.give(3, *state.portions[2].slices)
            await table.moved()
            assert (await table.look(scenes=14)).referee is RefereeState.BREACH
            await table.press(2)
            assert "Player 3: press your button" in (await table.look(scenes=4)).message
            await table.press(3)
            await table.look()
            assert [portion.taken_by for portion in table.state.portions] == [2, None, 3, None]

    asyncio.run(go())
