"""Why a table cannot start, on its own address: for whoever has a display, and no terminal, before them."""

import asyncio
import contextlib
import html
import signal

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles

from controller.web.app import STATIC
from controller.web.hub import Hub
from controller.web.problems import problem_response
from controller.web.responses import NO_STORE
from controller.web.security import Guard
from controller.web.server import serving

NOT_STARTED = "Not started"
"""The title of the problem that everything is answered with; displays know it by that (app.js)."""


def create_app(reason: str) -> FastAPI:
    """An application that says `reason` to people and programs, whatever they ask for."""
    app = FastAPI(openapi_url=None)
    app.add_middleware(Guard)
    app.mount("/static", StaticFiles(directory=STATIC))
    page = (STATIC / "not-started.html").read_text("utf-8").replace("{reason}", html.escape(reason))

    @app.api_route("/{path:path}", methods=["GET", "HEAD", "POST", "PUT", "DELETE"], include_in_schema=False)
    def not_started(request: Request) -> Response:
        """The reason, as a page to whoever wants one."""
        if "text/html" in request.headers.get("Accept", ""):
            return HTMLResponse(page, 503, NO_STORE)
        return problem_response(503, NOT_STARTED, f"This table cannot start: {reason}")

    return app


async def tell_not_started(reason: str, host: str, port: int, for_s: float) -> bool:
    """Say so for a while, or until the program is to end; whether it is.

    Raises:
        ServerError: nothing can listen at this address.
    """
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    async with serving(create_app(reason), Hub(), host, port):
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), for_s)
    return ended.is_set()
