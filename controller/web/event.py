"""The page of an event: all its tables on one screen."""

from fastapi import APIRouter, FastAPI, Response

from controller.event import Event, EventView
from controller.web.app import app_of_page
from controller.web.responses import CSV_FILE, csv_download


def create_event_app(event: Event, version: str) -> FastAPI:
    """The application of an event's screen. Anyone may look: it shows what the tables show to everybody."""
    router = APIRouter(prefix="/api")

    @router.get("/event")
    async def view() -> EventView:
        """How the tables are doing, who has won how many, and the last games."""
        return event.view()

    @router.get("/event.csv", response_class=Response, responses=CSV_FILE)
    async def for_a_spreadsheet() -> Response:
        """Every game that counts, for a spreadsheet."""
        return csv_download(event.games())

    return app_of_page("event.html", router, version, title="pizzatable event")
