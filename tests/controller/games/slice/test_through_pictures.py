"""A game's beginning through pictures, pins, reading, rules and journal, and single pictures of what comes later."""

import asyncio
from pathlib import Path
from random import Random

import pytest

from config.loader import load_table
from controller.games.slice import GAME
from controller.games.slice.describe import KINDS
from controller.games.slice.hands import HANDS
from controller.games.slice.rules import Phase
from controller.reading import ReadingKind
from controller.seating import areas
from controller.simulation.copy import enrol_own_copy, own_art
from controller.simulation.play import _HeadlessTable
from controller.simulation.players import Habits, SimulatedPlayers
from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions
from tests.controller.games.slice.laid_slice import LaidSlice, notation
from tests.controller.games.slice.situations import table
from vision.looking_for import finders_for
from vision.pieces.faces import FacePack
from vision.reader import read_photo

SIZE = (1280, 720)
ART = own_art("slice")


@pytest.fixture(scope="module")
def pack() -> FacePack:
    return enrol_own_copy("slice", ART, *SIZE)


@pytest.mark.long
def test_a_chain_of_swaps_is_read_from_a_picture(pack: FacePack) -> None:
    conditions = Conditions(seed=3)
    renderer = Renderer(ART, conditions.camera_model(*SIZE), conditions)
    finders = finders_for(KINDS, pack)
    state = table("? ? ?! combo pepperoni ? ? ?", open=["bacon", "onion"])
    cards = LaidSlice(state).arrange(p2_3="tomato", p2_8="bacon")

    moves = ["P2 grabs", "P2 fills 3", "reveal tomato", "P2 fills 8", "reveal bacon"]
    cards.play(*moves)
    scene = read_photo(renderer.render(cards.world.snapshot()), pack, finders=finders)
    reading = cards.table.read(cards.state, scene, cards.layout, frozenset({2}))
    assert reading.kind is ReadingKind.MOVES, (reading.note, reading.fault)
    assert notation(cards.state, reading.plays[0].moves) == moves


@pytest.mark.long
def test_a_game_begins_through_the_real_seams(pack: FacePack, tmp_path: Path) -> None:
    config = load_table([])
    camera = config.camera.model_copy(update={"width": SIZE[0], "height": SIZE[1], "rate": 5.0})
    config = config.model_copy(update={"camera": camera, "game": "slice"})
    seats, rng, start = {1: 2, 2: 5}, Random(3), GAME.start(2, {}, 1)
    habits = Habits(gesture_s=(0.4, 0.5), hesitate_s=(0.2, 0.3), idle_hand=0.0, fidget=0.0, mistake=0.0)
    with _HeadlessTable(config, ART, pack, Conditions(seed=3), tmp_path) as table_:
        hands = HANDS(GAME, start, areas(config, seats), rng)
        people = SimulatedPlayers(table_.world, GAME, hands, start, seats, rng, table_.look, table_.ask, habits)

        class Beginning:
            """The people, until a card was drawn."""

            @property
            def over(self) -> bool:
                return people.tally.read + people.tally.asked >= 2

            def step(self) -> None:
                people.step()

        asyncio.run(table_.run(Beginning()))  # type: ignore[arg-type]
        assert people.tally.read == 2, people.tally.notes
        assert table_.table.state.phase in (Phase.GRAB, Phase.DRAW)
        assert table_.table.state.draws == 1
