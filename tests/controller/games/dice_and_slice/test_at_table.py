"""What a table makes of sheets and dice over time: presses, questions, complaints."""

import asyncio
from dataclasses import replace
from pathlib import Path

from controller.commands import Sitting
from controller.journal import Journal
from controller.views import TableView
from firmware_bridge.signals import Signal, SignalKind
from tests.controller.games.dice_and_slice.laid_sheets import LaidSheets, started
from tests.controller.laid_table import Outlets, make_table
from vision.scene import Pose


class Evening:
    """A game at a table that looks at laid sheets."""

    def __init__(self, folder: Path, players: int) -> None:
        self.sheets = LaidSheets(started(players)).arrange()
        self.outlets = Outlets()
        self.table = make_table(Journal(folder / "journal.sqlite"), self.outlets, game="dice_and_slice")
        self.now_s = 100.0

    async def start(self) -> None:
        await self.table.start()
        await self.table.new_game([Sitting(seat, f"Player {p}") for p, seat in self.sheets.seats.items()], {})

    def lay(self, *texts: str) -> None:
        """What the hands lay for these moves of the state, whatever the table has read."""
        self.sheets.state = self.table.state
        self.sheets.play(*texts)

    async def press(self, *players: int) -> TableView:
        for player in players:
            self.now_s += 0.05
            seat = self.sheets.seats[player]
            await self.table.on_signal(Signal(seat, SignalKind.BUTTON_PRESSED, self.now_s, 0.001))
        return await self.look()

    async def look(self, scenes: int = 3) -> TableView:
        for _ in range(scenes):
            self.now_s += 0.2
            scene = replace(self.sheets.scene(), time_s=self.now_s)
            await self.table.on_scene(scene)
        view = self.table.view
        assert view is not None
        return view

    async def turn(self, *texts: str, pressing: tuple[int, ...]) -> TableView:
        self.lay(*texts)
        self.now_s += 3.0
        await self.look()
        return await self.press(*pressing)


def test_who_presses_with_wrong_marks_together_with_another_is_told(tmp_path: Path) -> None:
    async def play() -> None:
        evening = Evening(tmp_path, 3)
        await evening.start()
        await evening.turn("roll A3 B5", "P1 picks A", pressing=(1,))
        assert evening.table.state.picked == "A"
        evening.sheets.mark(2, "k9")
        view = await evening.turn("P1 marks c3 d3 c4", pressing=(2, 1))
        assert evening.table.state.sheets[0].dots, "player 1's marks count"
        assert view.breach is not None
        assert view.breach.faces == ["sheet/2/k9"]

    asyncio.run(play())


def test_dice_that_may_only_have_been_laid_are_asked_about(tmp_path: Path) -> None:
    async def play() -> None:
        evening = Evening(tmp_path, 2)
        await evening.start()
        await evening.turn("roll A3 B5", "P1 picks A", pressing=(1,))
        await evening.turn("P1 marks c3 d3 c4", "P2 marks e5 d6 f6 e7", pressing=(1, 2))
        evening.sheets.state = evening.table.state
        evening.sheets.take("B", player=2)
        evening.sheets.world.put("die/A", Pose(50.0, 50.0, 10.0), True)
        await evening.look()
        view = await evening.press(2)
        assert view.question is not None
        assert view.question.text == "Was this meant?"
        assert view.message.startswith("A3 and B5 were the roll of the turn before, too: if nobody threw both dice")
        await evening.table.answer(view.question.id, 0)
        assert evening.table.state.picked == "B"

    asyncio.run(play())
