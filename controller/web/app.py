"""The HTTP API and the pages of one table."""

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import unquote

from fastapi import APIRouter, Depends, FastAPI, Header, HTTPException, Query, Request, Response
from fastapi import Path as PathParameter
from fastapi.staticfiles import StaticFiles
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError
from starlette.responses import FileResponse

from config.names import parse_name
from controller.commands import Commands, GameShelf, Sitting
from controller.views import HappenedView, LegendView, PartState, PartView, PictureView, ResultsView, TableView
from controller.web.bodies import StrictRoute
from controller.web.hub import Hub
from controller.web.pages import STATIC, page_response
from controller.web.phones import AddressView, Reached, display_view, host_view
from controller.web.problems import DescribedApp, Problem, add_problem_handlers
from controller.web.responses import CSV_FILE, NO_STORE, csv_download
from controller.web.security import Guard, is_host, require_host
from controller.web.stream import EventStream, parse_last_event_id

PICTURE_HEADER = "X-Picture"
"""What was read from a picture travels with it, in this header."""
# Said here and not left to the system's tables: a browser runs no module of another type.
_MEDIA_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
_ASKED_EACH_TIME = {"Cache-Control": "no-cache"}
"""Of what a browser may keep but asks about each time, so that an update shows at once."""
_MOST_RECORDS = 2**63 - 1
"""Of a journal: SQLite counts no further."""
GivenToken = Annotated[str | None, Header(description="Needed from any machine but the table's own")]
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    403: {"model": Problem, "description": "Only the host may do this"},
    409: {"model": Problem, "description": "The table refuses it now"},
    422: {"model": Problem, "description": "A value is wrong"},
}


Whole = Annotated[int, Field(strict=True)]
"""A whole number of a request's body: not true, nor "2"."""


class Body(BaseModel):
    """A request's body: an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Answer(Body):
    """Which candidate of which question."""

    question_id: Whole
    candidate_id: Whole


PlayerName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40), AfterValidator(parse_name)
]
"""As the display, the log and the records show it."""


def _host_name(
    x_host_name: Annotated[str | None, Header(description="The host's name for the journal, percent-encoded")] = None,
) -> str:
    """Who asks; empty where that is not said."""
    if x_host_name is None:
        return ""
    try:
        # Other bytes are Latin-1 to HTTP, RFC 9110, section 5.5, and mostly UTF-8 to those who send them.
        x_host_name.encode("ascii")
        return TypeAdapter(PlayerName).validate_python(unquote(x_host_name, errors="strict"))
    except (ValidationError, UnicodeError) as error:
        expected = "expected 1 to 40 characters that can be shown, as percent-encoded UTF-8"
        raise HTTPException(422, f"X-Host-Name: {x_host_name[:120]!r}: {expected}") from error


By = Annotated[str, Depends(_host_name)]


class NewPlayer(Body):
    """Who plays at a seat."""

    seat: Annotated[Whole, Field(ge=1, le=16)]
    name: PlayerName


class Renaming(NewPlayer):
    """What whoever plays at a seat is called from now on."""

    others: Annotated[list[NewPlayer], Field(max_length=16)] = []
    """Who is renamed at the same time, as where two swap their names."""
    number: Annotated[Whole, Field(ge=0)] | None = None
    """The number of the game that its host sees, 0 for none; where another is played, nobody is renamed."""


class NewGame(Body):
    """Who plays, in clockwise order and each of another name, and the game's options."""

    players: Annotated[list[NewPlayer], Field(min_length=1, max_length=16)]
    options: dict[str, Any] = {}
    """Which the game checks."""
    first: Annotated[Whole, Field(ge=1, le=16)] | None = None
    """The seat of who begins; else it is who held a button down for it, who won the last game, or who sits at the
    lowest seat."""
    number: Annotated[Whole, Field(ge=0)] | None = None
    """The number of the game that its host sees, 0 for none; where another is played, that is not ended."""


class OtherGame(Body):
    """The game to set the table for."""

    game: Annotated[str, Field(max_length=60)]
    options: dict[str, Any] = {}
    """Beside those that it is played with anyway; the game checks them."""
    players: Annotated[Whole, Field(ge=1, le=16)] | None = None
    """How many are to sit at a simulated table."""


class OptionView(BaseModel):
    """An option of a game."""

    name: str
    meaning: str
    choices: list[Any]
    """The values it takes; empty where its meaning says what they look like."""
    value: Any
    """What it is now, or would be if nothing else was chosen."""


class GameView(BaseModel):
    """A game on the shelf."""

    game: str
    title: str
    players: list[int]
    options: list[OptionView]
    why_not: str
    """Why it cannot be played here, and what to do; empty where it can."""


class Games(BaseModel):
    """The games that can be played at this table."""

    playing: str
    players: int | None
    """How many sit at a simulated table; null where people are real."""
    games: list[GameView]


class Undo(Body):
    """Which move is taken back."""

    number: Annotated[Whole, Field(ge=0)] | None = None
    """The number of the game that its host sees, 0 for none; where another is played, nothing is taken back."""
    last: Annotated[Whole, Field(ge=0)] | None = None
    """The seq of the log's newest line, as its host sees it, 0 for none; where another came since, nothing is taken
    back."""


class Ruling(Body):
    """A move in the game's notation."""

    text: Annotated[str, Field(min_length=1, max_length=400)]
    number: Annotated[Whole, Field(ge=0)] | None = None
    """The number of the game that its host sees, 0 for none; where another is played, it is refused."""
    last: Annotated[Whole, Field(ge=0)] | None = None
    """The seq of the log's newest line, as its host sees it, 0 for none; where another came since, it is refused."""


class Health(BaseModel):
    """How the table is doing."""

    status: Literal["ok", "degraded", "starting"]
    """starting: nothing was shown yet; degraded: a part is lost."""
    seq: int | None
    displays: int
    """How many event streams are open."""
    parts: dict[str, PartView]


class Role(BaseModel):
    """What the one who asks may do."""

    host: bool


def create_app(
    hub: Hub,
    commands: Commands,
    shelf: GameShelf,
    games_root: Path,
    *,
    version: str,
    host_token: str,
    picture: Callable[[], tuple[bytes, PictureView] | None],
    results: Callable[[], ResultsView],
    happened: Callable[[int], Sequence[HappenedView] | None],
    evidence: Callable[[int], bytes | None],
    reached: Reached,
) -> FastAPI:
    """The application of one table.

    Args:
        hub: where views come from.
        commands: the table.
        shelf: the games that can be played at it.
        games_root: the folder that holds one folder a game, each with its view.js and view.css.
        version: this program's version.
        host_token: lets its owner use the host's controls; so does a request from this machine itself.
        picture: the newest camera picture with what was read drawn on it, as JPEG, and what was read from it; None when
            there is none. Called from a worker thread, one call at a time.
        results: the games that were played here. Called from worker threads.
        happened: what happened in the game of this number, if there is one. Likewise.
        evidence: the picture, as JPEG, that this record of the journal was read from, if it is kept. Likewise.
        reached: where other machines find the display. Called from worker threads.
    """
    app = DescribedApp(
        title="pizzatable",
        summary="What lies on a game table, what it means and what comes next",
        version=version,
        docs_url=None,
        redoc_url=None,
    )
    app.add_middleware(Guard)
    add_problem_handlers(app)
    app.include_router(_state_router(hub, results))
    app.include_router(_past_router(happened, evidence))
    app.include_router(_picture_router(picture))
    app.include_router(_choices_router(shelf, host_token))
    app.include_router(_controls_router(commands, shelf, host_token))
    app.include_router(_address_router(reached, host_token))
    app.include_router(_page_router(games_root))
    app.mount("/static", PageFiles(directory=STATIC))
    return app


def host_only(token: str) -> Any:
    """What a route depends on that is for the host alone, who has this token: see `require_host`."""

    def check(request: Request, x_host_token: GivenToken = None) -> None:
        require_host(request, x_host_token, token)

    return Depends(check)


class PageFiles(StaticFiles):
    """The pages' files, with their types said."""

    def file_response(self, full_path: Any, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(full_path, *args, **kwargs)
        response.headers.update(_ASKED_EACH_TIME)
        media_type = _MEDIA_TYPES.get(Path(full_path).suffix)
        if media_type is not None and response.status_code == 200:
            response.headers["Content-Type"] = media_type
        return response


def app_of_page(page: str, router: APIRouter, version: str, *, title: str) -> FastAPI:
    """The application of a page that is not a table's, and of what the page asks for."""
    app = DescribedApp(title=title, version=version, docs_url=None, redoc_url=None)
    app.add_middleware(Guard)
    add_problem_handlers(app)
    app.include_router(router)
    app.mount("/static", PageFiles(directory=STATIC))

    @app.get("/", include_in_schema=False)
    def whole_page() -> Response:
        """The page."""
        return page_response(page, NO_STORE)

    return app


def _state_router(hub: Hub, results: Callable[[], ResultsView]) -> APIRouter:
    router = APIRouter(prefix="/api", tags=["state"])

    @router.get("/state", response_model=TableView, responses={503: {"model": Problem}})
    async def state() -> Response:
        """The newest view that a spectator may see."""
        if hub.newest is None:
            raise HTTPException(503, "The table has shown nothing yet.", {"Retry-After": "1"})
        return Response(hub.newest.body, media_type="application/json", headers=NO_STORE)

    @router.get(
        "/events",
        response_class=Response,
        responses={
            200: {
                "description": "Server-sent events: each one's data is a whole TableView, its id the view's seq",
                "content": {"text/event-stream": {"schema": {"type": "string"}}},
            }
        },
    )
    async def events(
        last_event_id: Annotated[str | None, Header(description="The seq that the display already has")] = None,
    ) -> Response:
        """Every change, as it happens: the newest view at once unless Last-Event-ID says it is known."""
        return EventStream(hub, parse_last_event_id(last_event_id))

    @router.get("/results")
    def played() -> ResultsView:
        """Every game that was begun at this table, the earliest first, and how it ended."""
        return results()

    @router.get("/results.csv", response_class=Response, responses=CSV_FILE)
    def for_a_spreadsheet() -> Response:
        """The same for a spreadsheet."""
        return csv_download(results().games)

    @router.get("/health")
    async def health() -> Health:
        """Whether the table and its parts work."""
        view = hub.view
        if view is None:
            return Health(status="starting", seq=None, displays=hub.subscribers, parts={})
        lost = any(part.state is PartState.LOST for part in view.parts.values())
        status: Literal["ok", "degraded"] = "degraded" if lost else "ok"
        return Health(status=status, seq=view.seq, displays=hub.subscribers, parts=view.parts)

    return router


def _past_router(
    happened: Callable[[int], Sequence[HappenedView] | None], evidence: Callable[[int], bytes | None]
) -> APIRouter:
    router = APIRouter(prefix="/api/results", tags=["state"], responses={404: {"model": Problem}})

    @router.get("/{game}")
    def what_happened(game: Annotated[int, PathParameter(ge=1, le=_MOST_RECORDS)]) -> Sequence[HappenedView]:
        """What happened in the game of this number: plays, what was refused and why, and what the host did."""
        told = happened(game)
        if told is None:
            raise HTTPException(404, f"No game here has the number {game}; /api/results lists those that there are.")
        return told

    @router.get(
        "/pictures/{seq}",
        response_class=Response,
        responses={200: {"content": {"image/jpeg": {"schema": {"type": "string", "format": "binary"}}}}},
    )
    def picture_of(seq: Annotated[int, PathParameter(ge=1, le=_MOST_RECORDS)]) -> Response:
        """The camera's picture that this was read from."""
        content = evidence(seq)
        if content is None:
            raise HTTPException(404, f"No picture is kept of {seq}.")
        return Response(content, media_type="image/jpeg", headers=NO_STORE)

    return router


def _picture_router(picture: Callable[[], tuple[bytes, PictureView] | None]) -> APIRouter:
    router = APIRouter(prefix="/api", tags=["state"])
    newest = _Picture(picture)
    described = {
        "description": "What was read from this very picture, as JSON",
        "required": True,
        "content": {"application/json": {"schema": _whole_schema(PictureView)}},
    }

    @router.get(
        "/picture",
        response_class=Response,
        responses={
            200: {
                "description": "The picture; what was read from it is in a header",
                "headers": {PICTURE_HEADER: described},
                "content": {"image/jpeg": {"schema": {"type": "string", "format": "binary"}}},
            },
            503: {"model": Problem},
        },
    )
    async def camera_picture() -> Response:
        """The newest camera picture that was read, with what was read drawn on it; `/api/legend` explains it.

        While nothing new comes it is the same one again: the header says how old.
        """
        answer = await newest.read()
        if answer is None:
            raise HTTPException(503, "There is no picture from the camera now.", {"Retry-After": "1"})
        data, told = answer
        headers = NO_STORE | {PICTURE_HEADER: json.dumps(told.model_dump(mode="json"))}
        return Response(data, media_type="image/jpeg", headers=headers)

    @router.get("/legend")
    def legend() -> list[LegendView]:
        """All that may be drawn on the camera's picture, and what it means."""
        from controller.live_picture import legend_views

        return legend_views()

    return router


def _whole_schema(model: type[BaseModel]) -> dict[str, Any]:
    """A model's schema that stands alone: models in its lists are written out."""
    schema = model.model_json_schema()
    inner = schema.pop("$defs", {})
    for value in schema["properties"].values():
        if "$ref" in value.get("items", {}):
            value["items"] = inner[value["items"]["$ref"].rpartition("/")[2]]
    return schema


def _choices_router(shelf: GameShelf, host_token: str) -> APIRouter:
    """What anybody may ask about the host's controls."""
    router = APIRouter(prefix="/api", tags=["host"])

    @router.get("/role")
    async def role(request: Request, x_host_token: GivenToken = None) -> Role:
        """Whether the host's controls answer to the one who asks."""
        return Role(host=is_host(request, x_host_token, host_token))

    @router.get("/games")
    async def games() -> Games:
        """The games that can be played at this table, with their options."""
        views = [
            GameView(
                game=offer.game, title=offer.title, players=list(offer.players), why_not=offer.why_not,
                options=[
                    OptionView(name=o.name, meaning=o.meaning, choices=list(o.choices), value=o.default)
                    for o in offer.options
                ],
            )
            for offer in await shelf.offers()
        ]  # fmt: skip
        return Games(playing=shelf.playing.game, players=shelf.playing.players, games=views)

    return router


def _controls_router(commands: Commands, shelf: GameShelf, host_token: str) -> APIRouter:
    """The host's controls."""
    router = APIRouter(
        prefix="/api",
        tags=["host"],
        dependencies=[host_only(host_token)],
        responses=_PROBLEMS,
        route_class=StrictRoute,
    )

    @router.get("/moves")
    async def moves(
        words: Annotated[str, Query(max_length=400)] = "", most: Annotated[int, Query(ge=1, le=200)] = 40
    ) -> list[str]:
        """Moves that could be ruled now, in the game's notation: those with all of these words."""
        return list(commands.legal_moves(words, most))

    @router.post("/answer", status_code=204)
    async def answer(body: Answer, by: By) -> None:
        """The players say which candidate of the open question they meant."""
        await commands.answer(body.question_id, body.candidate_id, by=by)

    @router.post("/undo", status_code=204)
    async def undo(by: By, body: Undo | None = None) -> None:
        """Take the last move back."""
        seen = body or Undo()
        await commands.undo(by=by, number=seen.number, last=seen.last)

    @router.post("/pause", status_code=204)
    async def pause() -> None:
        """Judge nothing until the game is resumed."""
        await commands.pause()

    @router.post("/resume", status_code=204)
    async def resume() -> None:
        """Go on after a pause."""
        await commands.resume()

    @router.post("/new_game", status_code=204)
    async def new_game(body: NewGame, by: By) -> None:
        """End this game and start another."""
        sittings = _sittings(body.players)
        await commands.new_game(sittings, body.options, first=body.first, by=by, number=body.number)

    @router.post("/rename", status_code=204)
    async def rename(body: Renaming, by: By) -> None:
        """Whoever plays at this seat is called so from now on; in one game everybody has another name."""
        await commands.rename(_sittings([body, *body.others]), by=by, number=body.number)

    @router.post("/play_game", status_code=204)
    async def play_game(body: OtherGame) -> None:
        """Set the table for another game, or for this one with other options; takes a few seconds."""
        await shelf.play(body.game, body.options, body.players)

    @router.post("/rule_move", status_code=204)
    async def rule_move(body: Ruling, by: By) -> None:
        """The host rules that this move, in the game's notation, was made."""
        await commands.rule_move(body.text, by=by, number=body.number, last=body.last)

    return router


def _address_router(reached: Reached, host_token: str) -> APIRouter:
    router = APIRouter(prefix="/api")

    @router.get("/address", tags=["state"])
    def address(request: Request, response: Response) -> AddressView:
        """The display's address for phones, as a QR code too."""
        response.headers.update(NO_STORE)
        return display_view(request, reached)

    @router.get("/host_address", tags=["host"], dependencies=[host_only(host_token)], responses={403: _PROBLEMS[403]})
    def address_of_host(request: Request, response: Response) -> AddressView:
        """The address of the host's controls, with the token: whoever opens it decides at this table."""
        response.headers.update(NO_STORE)
        return host_view(request, reached, host_token)

    return router


def _page_router(games_root: Path) -> APIRouter:
    router = APIRouter(include_in_schema=False)

    @router.get("/")
    async def page() -> Response:
        return page_response("index.html", _ASKED_EACH_TIME)

    @router.get("/setup")
    async def setup() -> Response:
        return page_response("setup.html", _ASKED_EACH_TIME)

    @router.get("/results")
    async def results() -> Response:
        return page_response("results.html", _ASKED_EACH_TIME)

    @router.get("/game")
    async def one_game() -> Response:
        return page_response("game.html", _ASKED_EACH_TIME)

    @router.get("/docs")
    async def docs() -> Response:
        return page_response("docs.html", _ASKED_EACH_TIME)

    @router.get("/games/{family}.{kind}")
    async def family_file(
        family: Annotated[str, PathParameter(pattern="^[a-z][a-z0-9_]{0,60}$")], kind: Literal["js", "css"]
    ) -> Response:
        """What the views of several games share."""
        path = games_root / f"{family}.{kind}"
        if not path.is_file():
            raise HTTPException(404, f"No {kind} that games share is named {family!r}.")
        return _file(path)

    @router.get("/games/{name}/{file}")
    async def game_file(
        name: Annotated[str, PathParameter(pattern="^[a-z][a-z0-9_]{0,60}$")],
        file: Literal["view.js", "view.css"],
    ) -> Response:
        path = games_root / name / file
        if not path.is_file():
            raise HTTPException(404, f"No {file} for a game named {name!r}.")
        return _file(path)

    return router


def _sittings(players: Sequence[NewPlayer]) -> list[Sitting]:
    return [Sitting(player.seat, player.name) for player in players]


def _file(path: Path) -> Response:
    return FileResponse(path, media_type=_MEDIA_TYPES[path.suffix], headers=_ASKED_EACH_TIME)


class _Picture:
    """Draws one picture at a time, however many ask: those who wait share the one that is drawn."""

    def __init__(self, picture: Callable[[], tuple[bytes, PictureView] | None]) -> None:
        self._picture = picture
        self._drawing: asyncio.Task[tuple[bytes, PictureView] | None] | None = None

    async def read(self) -> tuple[bytes, PictureView] | None:
        if self._drawing is None or self._drawing.done():
            self._drawing = asyncio.create_task(asyncio.to_thread(self._picture))
        return await asyncio.shield(self._drawing)
