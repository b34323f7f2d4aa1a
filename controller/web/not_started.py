"""Why a table cannot start, on its own address: for whoever has a display, and no terminal, before them."""

import asyncio
import contextlib
import enum
import html
import signal
from collections.abc import Callable

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse

from controller.web.app import GivenToken, PageFiles, Role
from controller.web.hub import Hub
from controller.web.pages import STATIC, page_text
from controller.web.problems import add_problem_handlers, problem_response
from controller.web.responses import NO_STORE
from controller.web.security import Guard, is_host, require_host
from controller.web.server import serving

NOT_STARTED = "Not started"
"""The title of the problem that everything is answered with; displays know it by that (app.js)."""


class Then(enum.Enum):
    """What comes after why a table cannot start was said."""

    TRY_AGAIN = enum.auto()
    END = enum.auto()
    """Somebody ended the program."""
    LEAVE_GAME = enum.auto()
    """The host leaves the game that cannot be gone on with."""


def create_app(reason: str, *, host_token: str | None = None, leave: Callable[[], None] = lambda: None) -> FastAPI:
    """An application that says `reason` to people and programs, whatever they ask for.

    Args:
        host_token: as in `controller.web.app.create_app`, where it is a game that the host may leave.
        leave: the host leaves that game.
    """
    app = FastAPI(openapi_url=None)
    add_problem_handlers(app)
    app.add_middleware(Guard)
    app.mount("/static", PageFiles(directory=STATIC))
    page = page_text("not-started.html").replace("{reason}", html.escape(reason))
    if host_token is not None:
        _add_leaving(app, host_token, leave)

    @app.api_route("/{path:path}", methods=["GET", "POST", "PUT", "DELETE"], include_in_schema=False)
    def not_started(request: Request) -> Response:
        """The reason, as a page to whoever wants one."""
        if "text/html" in request.headers.get("Accept", ""):
            return HTMLResponse(page, 503, NO_STORE)
        return problem_response(503, NOT_STARTED, f"This table cannot start: {reason}")

    return app


def _add_leaving(app: FastAPI, host_token: str, leave: Callable[[], None]) -> None:
    @app.get("/api/role")
    async def role(request: Request, x_host_token: GivenToken = None) -> Role:
        """Whether the one who asks may leave the game."""
        return Role(host=is_host(request, x_host_token, host_token))

    @app.post("/api/leave_game", status_code=204)
    async def leave_game(request: Request, x_host_token: GivenToken = None) -> None:
        """Begin anew; the game that cannot be gone on with stays in the journal."""
        require_host(request, x_host_token, host_token)
        leave()


async def tell_not_started(reason: str, host: str, port: int, for_s: float, host_token: str | None = None) -> Then:
    """Say so for a while, or until the program is to end or the host leaves the game; what comes then. `host_token`: as
    in `create_app`.

    Raises:
        ServerError: nothing can listen at this address.
    """
    over, then = asyncio.Event(), Then.TRY_AGAIN

    def to(what: Then) -> None:
        nonlocal then
        then = what
        over.set()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, to, Then.END)
    app = create_app(reason, host_token=host_token, leave=lambda: to(Then.LEAVE_GAME))
    async with serving(app, Hub(), host, port):
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(over.wait(), for_s)
    return then
