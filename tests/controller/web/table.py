"""A table for the tests of the LAN: it takes notes of what its host asks, and refuses when told to."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import httpx
from fastapi import FastAPI

from config.loader import load_table
from controller.choosing import Choice, Offer, Shelf
from controller.commands import CommandError, Commands, GameShelf, InvalidCommand, Sitting
from controller.game import Json
from controller.views import ResultsView
from controller.web.app import create_app
from controller.web.hub import Hub
from tests.controller.web.fixture_views import GAMES_ROOT

TOKEN = "correct horse"


async def until(condition: Callable[[], object]) -> None:
    """Let everybody else run until the condition holds."""
    while not condition():  # noqa: ASYNC110 the condition is other tasks' work and tells nobody
        await asyncio.sleep(0)


class NotingCommands:
    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.by: list[str] = []
        self.seen: list[tuple[int | None, int | None]] = []
        self.refusal: str | None = None

    async def answer(self, question_id: int, candidate_id: int, *, by: str = "") -> None:
        self._note("answer", question_id, candidate_id, by=by)

    async def undo(self, *, by: str = "", number: int | None = None, last: int | None = None) -> None:
        self._note("undo", by=by, seen=(number, last))

    async def pause(self) -> None:
        self._note("pause")

    async def resume(self) -> None:
        self._note("resume")

    async def new_game(
        self,
        players: Sequence[Sitting],
        options: Mapping[str, Json],
        *,
        first: int | None = None,
        by: str = "",
        number: int | None = None,
    ) -> None:
        self._note("new_game", [(p.seat, p.name) for p in players], options, first, by=by, seen=(number, None))

    async def rename(self, players: Sequence[Sitting], *, by: str = "", number: int | None = None) -> None:
        self._note("rename", [(p.seat, p.name) for p in players], by=by, seen=(number, None))

    async def rule_move(self, text: str, *, by: str = "", number: int | None = None, last: int | None = None) -> None:
        if "?" in text:
            raise InvalidCommand(f"{text!r} is no move; expected notation such as 'A 8/1'")
        self._note("rule_move", text, by=by, seen=(number, last))

    def legal_moves(self, words: str, most: int) -> list[str]:
        return [move for move in ("A 8/1", "A 9/2", "B") if words in move][:most]

    def _note(self, *what: Any, by: str = "", seen: tuple[int | None, int | None] = (None, None)) -> None:
        if self.refusal:
            raise CommandError(self.refusal)
        self.asked.append(what)
        self.by.append(by)
        self.seen.append(seen)


class NotingShelf:
    """The games of a simulated table for four; takes notes of what is chosen."""

    def __init__(self, players: int | None = 4) -> None:
        self._shelf = Shelf(load_table([]))
        self.playing = Choice("new_york_slice", {}, players)
        self.simulated = players is not None
        self.asked: list[tuple[str, Mapping[str, Json], int | None]] = []

    async def offers(self) -> list[Offer]:
        offers = self._shelf.offers(self.playing)
        return [replace(o, why_not="its faces are missing") if o.game == "slice" else o for o in offers]

    async def play(self, game: str, options: Mapping[str, Json], players: int | None) -> None:
        if options.get("solo"):
            raise InvalidCommand("option solo: True with 4 players; expected 2")
        self.asked.append((game, options, players))


def make_app(
    hub: Hub | None = None, commands: Commands | None = None, shelf: GameShelf | None = None, **changes: Any
) -> FastAPI:
    settings: dict[str, Any] = {
        "version": "1.2.3",
        "host_token": TOKEN,
        "picture": lambda: None,
        "results": lambda: ResultsView(games=[], standings=[]),
        "happened": lambda game: None,
        "evidence": lambda seq: None,
        "reached": lambda port: f"http://192.168.1.20:{port}/",
    } | changes
    return create_app(hub or Hub(), commands or NotingCommands(), shelf or NotingShelf(), GAMES_ROOT, **settings)


async def got(app: FastAPI, path: str) -> httpx.Response:
    """What another machine on the LAN gets from there."""
    transport = httpx.ASGITransport(app, client=("192.0.2.7", 40000))
    async with httpx.AsyncClient(transport=transport, base_url="http://table.local:8080") as session:
        return await session.get(path)
