"""The room's display of Pizza Theory, at moments of a real game laid by simulated hands."""

import asyncio
import re
from pathlib import Path

import pytest

from controller.commands import Sitting
from controller.game import Player
from controller.games.pizza_theory import GAME, rules
from controller.games.pizza_theory.rules import Phase
from controller.journal import Journal
from controller.views import TableView
from firmware_bridge.signals import Signal, SignalKind
from tests.browser.chromium import find_chromium
from tests.browser.legible import illegible
from tests.browser.shots import SIZES
from tests.browser.test_display import OVERFLOWS, room, run
from tests.controller.games.known import known
from tests.controller.games.pizza_theory.laid_pizza import LaidPizza
from tests.controller.laid_table import Outlets, make_table
from tests.long import cases

pytestmark = pytest.mark.skipif(find_chromium() is None, reason="needs Debian's chromium (apt-get install chromium)")

# Cutters that reach beyond the picture of the Pizza.
CUT_OFF = """
[...document.querySelectorAll('.pth-pizza .pth-cutter')].filter((e) => {
  const [own, all] = [e, e.closest('svg')].map((one) => one.getBoundingClientRect());
  return own.left < all.left || own.right > all.right || own.top < all.top || own.bottom > all.bottom;
}).map((e) => e.getAttribute('class'))
"""


class Watched:
    """A table that looks on while hands lay what they choose."""

    def __init__(self, journal: Journal, players: int) -> None:
        self.outlets = Outlets()
        self.table = make_table(journal, self.outlets, game="pizza_theory", options={"last_round": 5})
        self.pizza = LaidPizza(GAME.start(players, {"last_round": 5}, 1), seed=4)
        self.now_s = 100.0

    async def start(self) -> None:
        await self.table.start()
        await self.table.new_game([Sitting(seat, f"Player {p}") for p, seat in self.pizza.seats.items()], {})

    @property
    def view(self) -> TableView:
        assert self.table.view is not None
        return self.table.view

    def phase(self) -> Phase:
        """The phase of the game by now."""
        return known(Phase, self.table.state.phase)

    async def look(self, *, moved: bool = True) -> TableView:
        for rest_s in (0.0,) * moved + (0.5, 0.7, 0.9):
            self.now_s += 0.2
            scene = self.pizza.scene()
            scene = type(scene)(self.now_s, scene.sequence, scene.sightings, (), rest_s)
            await self.table.on_scene(scene)
        return self.view

    async def press(self, player: Player) -> None:
        self.now_s += 1.5
        seat = self.pizza.seats[player]
        await self.table.on_signal(Signal(seat, SignalKind.BUTTON_PRESSED, self.now_s, 0.001))

    async def make_next(self) -> TableView:
        self.pizza.state = self.table.state
        moves, player = self.pizza.hands.next_play(self.table.state)
        for step in self.pizza.hands.steps(self.table.state, moves, self.pizza.lying()):
            self.pizza.lay(*step.lays)
        before = self.table.state
        await self.look()
        assert player is not None
        await self.press(player)
        view = await self.look(moved=False)
        assert self.table.state != before, view.message
        return view


async def moments(folder: Path, players: int) -> list[TableView]:
    """Views of a game: toppings are added, cutters lie, something is wrong, something is asked, the end."""
    views = []
    with Journal(folder / "journal.sqlite") as journal:
        game = Watched(journal, players)
        await game.start()
        while game.table.state.round < 4 or game.phase() is not Phase.ADD:
            await game.make_next()
        views.append(await game.look())
        while game.phase() is not Phase.REPLACE:
            await game.make_next()
        views.append(await game.look())
        game.pizza.state = game.table.state
        first = rules.first_player(game.table.state)
        mistake = game.pizza.hands._not_all(game.table.state, game.pizza.lying())
        before = game.pizza.lying()
        assert mistake is not None
        for step in mistake.steps:
            game.pizza.lay(*step.lays)
        await game.look()
        await game.press(first)
        views.append(await game.look(moved=False))
        assert views[-1].breach is not None
        for name, was in before.items():
            if game.pizza.lying()[name] != was:
                game.pizza.world.put(name, was.pose, was.face_up)
        await game.look()
        while game.phase() is not Phase.OVER:
            await game.make_next()
        views.append(await game.look())
    return views


def cut_at_the_edges(view: TableView) -> TableView:
    """The view with seven slices, each with the longest sentence, and the cutters on outermost lines."""
    told = view.position["slices"][0] | {"result": "Green has the most: no change; red and white are safe"}
    lines = [place["lines"]["1"] for place in view.position["board"]["places"].values()]
    cutters = [cutter | {"ends": ends} for cutter, ends in zip(view.position["cutters"], lines, strict=True)]
    slices = [told | {"name": name} for name in "ABCDEFG"]
    return view.model_copy(update={"position": view.position | {"slices": slices, "cutters": cutters}})


@cases(("players", "size"), [(2, "phone"), (3, "wide")], always=0)
def test_every_moment_fits_the_window(tmp_path: Path, players: int, size: str) -> None:
    views = asyncio.run(moments(tmp_path, players))
    if players == 3:
        views.insert(2, cut_at_the_edges(views[1]))

    async def scenario() -> None:
        async with room(views[0]) as table:
            for seq, view in enumerate(views, start=1000):
                table.hub.publish(view.model_copy(update={"seq": seq}))
                await table.show(size)
                assert await table.page.evaluate(OVERFLOWS) == [], view.message
                assert await illegible(table.page, television=size == "wide") == [], view.message
                width = SIZES[size][0]
                assert await table.page.evaluate("document.documentElement.scrollWidth") == width, view.message
                toppings = [space for one in view.position["players"] for space in one["toppings"]]
                pizza = "document.querySelector('.pth-pizza').ariaLabel"
                assert set(toppings) <= set(re.split("[ ,;]+", await table.page.evaluate(pizza)))
                assert await table.page.evaluate(CUT_OFF) == [], view.message
                if view.turn.actor != "nobody":
                    bottom = "document.querySelector('.pth-pizza').getBoundingClientRect().bottom"
                    assert await table.page.evaluate(bottom) <= SIZES[size][1], "read without scrolling"
                lying = [piece for piece in view.pieces if piece.kind in ("topping", "cutter")]
                assert await table.page.evaluate("document.querySelectorAll('.pieces .piece').length") == len(lying)
                spaces = await table.page.evaluate("document.querySelectorAll('.under .pth-space').length")
                assert spaces == len(view.position["board"]["spaces"])

    run(scenario)


def test_of_the_spaces_that_are_lit_it_is_said_how_many(tmp_path: Path) -> None:
    async def begun() -> TableView:
        with Journal(tmp_path / "journal.sqlite") as journal:
            game = Watched(journal, 2)
            await game.start()
            return game.view

    view = asyncio.run(begun())
    acts, other = view.position["players"]
    position = view.position | {"players": [acts | {"legal_spaces": acts["legal_spaces"][:1]}, other]}
    one_lit = view.model_copy(update={"seq": view.seq + 1, "position": position})
    many = f"any of the {len(acts['legal_spaces'])} lit spaces"

    async def scenario() -> None:
        async with room(view) as table:
            await table.page.open(f"http://table.local:{table.port}/", *SIZES["wide"])
            for shown, spaces in ((view, many), (one_lit, "the lit space")):
                table.hub.publish(shown)
                said = f"Player 1: {spaces}, then the button"
                await table.page.until(f"document.querySelector('.pth-hint')?.textContent === '{said}'")

    run(scenario)
