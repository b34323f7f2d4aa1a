"""The page of an event: all its tables on one screen."""

import time
from collections.abc import Callable

from fastapi import APIRouter, FastAPI, Response

from controller.event import Event
from controller.event_views import EventView
from controller.web.app import app_of_page
from controller.web.responses import CSV_FILE, csv_download

HELD_S = 1.0
"""For so long a view is shown to whoever asks, so that many phones cost no more than one."""


def create_event_app(event: Event, version: str, clock: Callable[[], float] = time.monotonic) -> FastAPI:
    """The application of an event's screen. Anyone may look: it shows what the tables show to everybody."""
    router = APIRouter(prefix="/api")
    held: EventView | None = None
    made_s = 0.0

    @router.get("/event")
    async def view() -> EventView:
        """How the tables are doing, who has won how many, and the last games."""
        nonlocal held, made_s
        if held is None or clock() - made_s >= HELD_S:
            held, made_s = event.view(), clock()
        return held

    @router.get("/event.csv", response_class=Response, responses=CSV_FILE)
    async def for_a_spreadsheet() -> Response:
        """Every game that counts, for a spreadsheet."""
        return csv_download(event.games())

    return app_of_page("event.html", router, version, title="pizzatable event")
