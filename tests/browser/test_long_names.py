"""The pages of every game with as many players as find a seat, each of the longest name that a table takes."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from config.loader import load_table
from controller.games.registry import games_with, load_game
from controller.journal import Journal
from controller.views import TableView
from tests.browser.chromium import find_chromium
from tests.browser.shots import SIZES, TABLET
from tests.browser.test_display import CLINGING, OVERFLOWS, room, run
from tests.controller.games.random_play import play
from tests.controller.laid_table import Outlets, make_table
from tests.controller.web.fixture_views import six_players
from tests.long import cases

pytestmark = pytest.mark.skipif(find_chromium() is None, reason="needs Debian's chromium (apt-get install chromium)")
SEATS = len(load_table([]).seats)
NAMES = ("W" * 40, "Bartholomäus Featherstonehaugh the Third", "Maximiliane-Sophie von Hohenlohe-Öhring")


def after(folder: Path, game: str, share: float, called: Sequence[str] = NAMES) -> TableView:
    """The view of a random game after so much of it, as a table shows it that starts anew and sees nothing yet."""
    engine: Any = load_game(game)
    players = min(engine.player_counts[-1], SEATS)
    plies = list(play(engine, engine.start(players, {}, 1), Random(3)))
    names = [called[player % len(called)] for player in range(players)]
    begun = {"game": game, "seats": list(range(1, players + 1)), "names": names, "options": {}, "first": 1}
    with Journal(folder / f"{share}.sqlite") as journal:
        journal.append("game", begun, begins_game=True)
        for ply in plies[: round(share * len(plies))]:
            text = engine.format(ply.state, ply.move)
            journal.append("play", {"moves": [engine.encode_move(ply.move)], "text": text, "source": "table"})
        table = make_table(journal, Outlets(), game=game)
        asyncio.run(table.start())
    assert table.view is not None
    return table.view


@cases("game", games_with("table"), always=1)
def test_names_of_any_length_leave_the_page_in_its_window(tmp_path: Path, game: str) -> None:
    views = [after(tmp_path, game, share) for share in (0.6, 1.0)]
    assert views[-1].referee.value == "over"

    async def scenario() -> None:
        async with room(views[0]) as table:
            sizes = SIZES | {"tablet": TABLET}
            shown = [*((size, view) for size in SIZES for view in views), ("tablet", views[0])]
            for seq, (size, view) in enumerate(shown, start=5_000_000):
                table.hub.publish(view.model_copy(update={"seq": seq}))
                address = f"http://table.local:{table.port}/"
                await table.page.open(address, *sizes[size])
                over = str(view.referee.value == "over").lower()
                await table.page.until(f"document.getElementById('final')?.hidden === !{over}")
                await table.page.until("document.getElementById('players').children.length")
                where = f"{game} {size} {view.referee.value}"
                assert await table.page.evaluate(OVERFLOWS) == [], where
                assert await table.page.evaluate("document.documentElement.scrollWidth") == sizes[size][0], where
                letters = "parseFloat(getComputedStyle(document.documentElement).fontSize)"
                assert await table.page.evaluate(letters) > 10.5, where

    run(scenario)


def test_a_name_that_is_written_from_right_to_left_keeps_its_beginning_and_its_place() -> None:
    """What is too long is cut off at its end, whole letters at a time, and turns nothing that stands beside it."""
    arabic, cooks = "محمد بن عبد الله بن عبد المطلب الهاشمي", "Anna" + "👩‍🍳" * 9
    view = six_players()
    names = [arabic, cooks, *(seat.name for seat in view.seats[2:])]
    seats = [seat.model_copy(update={"name": name}) for seat, name in zip(view.seats, names, strict=True)]

    async def scenario() -> None:
        async with room(view.model_copy(update={"seats": seats})) as table:
            await table.show()
            heads = "[...document.querySelectorAll('#players h2')].slice(0, 2)"
            assert await table.page.evaluate(f"{heads}.map((h) => h.textContent)") == [arabic, cooks]
            assert await table.page.evaluate(f"{heads}.map((h) => getComputedStyle(h).direction)") == ["rtl", "ltr"]
            plates = await table.page.evaluate(
                "[...document.querySelectorAll('.names text')].map((t) => t.textContent)"
            )
            assert plates[0] == f"1  \u2068{arabic[:15]}…\u2069"
            assert plates[1] == f"2  Anna{'👩‍🍳' * 7}…"

    run(scenario)


@pytest.mark.parametrize(("game", "size"), [("dice_and_slice", "wide"), ("pizza_theory", "phone")])
def test_a_name_that_is_written_from_right_to_left_stands_where_others_do(tmp_path: Path, game: str, size: str) -> None:
    view = after(tmp_path, game, 0.6, ["عمر"])

    async def scenario() -> None:
        async with room(view) as table:
            await table.page.open(f"http://table.local:{table.port}/", *SIZES[size])
            await table.page.until("document.querySelector('h2[dir=auto]') !== null")
            assert await table.page.evaluate(CLINGING) == []

    run(scenario)
