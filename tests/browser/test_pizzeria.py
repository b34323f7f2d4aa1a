"""The room's display of Pizzeria, at moments of a real game laid by simulated hands."""

import asyncio
from pathlib import Path

import pytest

from controller.views import TableView
from tests.browser.chromium import find_chromium
from tests.browser.legible import illegible
from tests.browser.shots import SIZES
from tests.browser.test_display import OVERFLOWS, room, run
from tests.controller.laid_table import LaidTable
from tests.long import cases

pytestmark = pytest.mark.skipif(find_chromium() is None, reason="needs Debian's chromium (apt-get install chromium)")


async def moments(folder: Path) -> list[TableView]:
    """Views of an advanced game of four: being served, portions, late in the game, its end."""
    table = LaidTable(folder, 4, 3, game="pizzeria", options={"advanced": True})
    wanted = {"divide": 1, "choose": 2, "pile": 4, "over": 4}
    views = []
    with table.journal:
        await table.start()
        for phase, number in wanted.items():
            while not (table.state.phase.value == phase and table.state.round == number):
                await table.make_next()
                if table.view.question is not None:
                    await table.table.answer(table.view.question.id, 0)
            views.append(await table.look())
    return views


@cases("size", SIZES, always=0)
def test_every_moment_fits_the_window(tmp_path: Path, size: str) -> None:
    views = asyncio.run(moments(tmp_path))

    async def scenario() -> None:
        async with room(views[0]) as table:
            for seq, view in enumerate(views, start=1000):
                table.hub.publish(view.model_copy(update={"seq": seq}))
                await table.show(size)
                assert await table.page.evaluate(OVERFLOWS) == [], view.message
                assert await illegible(table.page, television=size == "wide") == [], view.message
                width = SIZES[size][0]
                assert await table.page.evaluate("document.documentElement.scrollWidth") == width, view.message
            assert await table.page.evaluate("document.querySelectorAll('.pie-check tbody tr').length") == 12
            drawn = await table.page.evaluate("document.querySelectorAll('.pie-check .pie-hand').length")
            assert drawn >= 8, "totals and what was scored"

    run(scenario)
