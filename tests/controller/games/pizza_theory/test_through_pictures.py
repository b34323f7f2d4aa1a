"""A game's beginning through pictures, pins, reading, rules and journal, and single pictures of what comes later."""

import asyncio
from pathlib import Path
from random import Random

import pytest

from config.loader import load_table
from controller.games.pizza_theory import GAME
from controller.games.pizza_theory.hands import HANDS
from controller.games.pizza_theory.table import GAME_TABLE, KINDS
from controller.reading import ReadingKind
from controller.seating import areas
from controller.simulation.copy import enrol_own_copy, own_art
from controller.simulation.play import _HeadlessTable
from controller.simulation.players import Habits, SimulatedPlayers
from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions
from tests.controller.games.pizza_theory.laid_pizza import LaidPizza
from tests.controller.games.pizza_theory.situations import EXAMPLE, at
from vision.looking_for import finders_for
from vision.pieces.faces import FacePack
from vision.reader import read_photo

SIZE = (1280, 720)
ART = own_art("pizza_theory")


@pytest.fixture(scope="module")
def pack() -> FacePack:
    return enrol_own_copy("pizza_theory", ART, *SIZE)


@pytest.mark.long
def test_cuts_and_their_replacing_are_read_from_pictures(pack: FacePack) -> None:
    conditions = Conditions(seed=3)
    renderer = Renderer(ART, conditions.camera_model(*SIZE), conditions)
    finders = finders_for(KINDS, pack)
    pizza = LaidPizza(at(**EXAMPLE)).arrange()

    def read() -> list[str]:
        scene = read_photo(renderer.render(pizza.world.snapshot()), pack, finders=finders)
        reading = GAME_TABLE.read(pizza.state, scene, pizza.layout, frozenset())
        assert reading.kind in (ReadingKind.MOVES, ReadingKind.AS_BEFORE), (reading.note, reading.fault)
        return [GAME.format(pizza.state, move) for play in reading.plays for move in play.moves]

    assert read() == []
    pizza.state = at(phase="cut", toppings=EXAMPLE["toppings"])
    assert read() == ["P1 cuts 5", "P2 cuts 6", "P3 cuts 4"]
    pizza.state = at(**EXAMPLE)
    pizza.play("P1 replaces")
    assert read() == ["P1 replaces"]


def test_a_game_begins_through_the_real_seams(pack: FacePack, tmp_path: Path) -> None:
    config = load_table([])
    camera = config.camera.model_copy(update={"width": SIZE[0], "height": SIZE[1], "rate": 5.0})
    config = config.model_copy(update={"camera": camera, "game": "pizza_theory"})
    seats, rng, start = {1: 2, 2: 5}, Random(3), GAME.start(2, {}, 1)
    habits = Habits(gesture_s=(0.4, 0.5), hesitate_s=(0.8, 0.9), idle_hand=0.0, fidget=0.0, mistake=0.0)
    with _HeadlessTable(config, ART, pack, Conditions(seed=3), tmp_path) as table:
        hands = HANDS(GAME, start, areas(config, seats), rng)
        people = SimulatedPlayers(table.world, GAME, hands, start, seats, rng, table.look, table.ask, habits)

        class Beginning:
            """The people, until the first topping was added."""

            @property
            def over(self) -> bool:
                return people.tally.read + people.tally.asked >= 1

            def step(self) -> None:
                people.step()

        asyncio.run(table.run(Beginning()))  # type: ignore[arg-type]
        assert people.tally.read == 1, people.tally.notes
        assert table.table.state.order == (2,)
