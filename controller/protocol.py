"""The referee's protocol: one JSON request a line, one answer each; docs/referee-protocol.md describes it.

`Session.answer` is the whole of it: a request as text, the answer as text. A request that cannot be met is answered
with an error and changes nothing.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from random import Random
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from config.names import is_name
from config.wrong_values import expectation, is_of_kind, shown_value
from controller.game import (
    Actor,
    Game,
    GameError,
    IllegalMove,
    Json,
    NotationError,
    OptionError,
    Player,
    PositionError,
    Refusal,
    Score,
)
from controller.games.registry import UnknownGame, game_names, load_game
from controller.records.record import (
    MOST_LINES,
    Header,
    MoveLine,
    NoteError,
    Record,
    Source,
    TakenBack,
    begin,
    check_note,
    components_mark,
    format_record,
    move_line,
    result,
)
from controller.said_names import ANOTHER_NAME, namesakes
from controller.strict_json import NotStrictJson, parse_json

VERSION = 1
LONGEST_REQUEST = 200_000
"""Bytes of UTF-8, without the line's end."""
MOST_LISTED = 100_000
"""Legal moves in one answer."""
LONGEST_ID = 100


# Requests -------------------------------------------------------------------------------------------------------------


class Request(BaseModel):
    """What every request may have; another key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    id: int | Annotated[str, Field(max_length=LONGEST_ID)] | None = None
    """Comes back with the answer."""


class Version(Request):
    """Which protocol and program this is."""

    do: Literal["version"]


class Games(Request):
    """The games there are, with their options."""

    do: Literal["games"]


class New(Request):
    """Begin a game. With a seed the referee draws what is left to chance; without one the client plays it."""

    do: Literal["new"]
    game: str
    players: Annotated[int, Field(ge=1, le=100)] | Annotated[list[str], Field(min_length=1, max_length=100)]
    """Their number, or their names clockwise."""
    options: dict[str, Any] = {}
    first: int = 1
    seed: int | None = None


class Setup(Request):
    """Begin a game in a described position; who is first stands in it."""

    do: Literal["setup"]
    game: str
    players: Annotated[int, Field(ge=1, le=100)] | Annotated[list[str], Field(min_length=1, max_length=100)]
    options: dict[str, Any] = {}
    position: dict[str, Any]
    seed: int | None = None


class Legal(Request):
    """The moves that may be made now, and chance outcomes where they are few."""

    do: Literal["legal"]
    limit: Annotated[int, Field(ge=1, le=MOST_LISTED)] = 1000


class OneMove(Request):
    """A move: as an object or in notation."""

    move: dict[str, Any] | None = None
    notation: Annotated[str, Field(max_length=20_000)] | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.move is None) is (self.notation is None):
            found = "neither is there" if self.move is None else "both are there"
            raise ValueError(f"move, notation: {found}, expected one of the two keys")
        return self


class Play(OneMove):
    """Make a move."""

    do: Literal["play"]
    ruling: bool = False
    """Whether the record shall say that somebody in charge ruled it."""


class Explain(OneMove):
    """Whether a move is legal, and if not, why not."""

    do: Literal["explain"]


class Undo(Request):
    """Take moves back, with what was drawn after each."""

    do: Literal["undo"]
    moves: Annotated[int, Field(ge=1)] = 1


class View(Request):
    """What a player, or a spectator, may know."""

    do: Literal["view"]
    player: int | None = None


class Position(Request):
    """The position, as `setup` takes it."""

    do: Literal["position"]


class ScoreSheets(Request):
    """Every line of every player's score as if the game ended now, and the winners when it has."""

    do: Literal["score"]


class Advise(Request):
    """Moves ranked, best first; without a player for the one who must act first."""

    do: Literal["advise"]
    player: int | None = None


class WriteRecord(Request):
    """The game so far as a record; the notes become its tags."""

    do: Literal["record"]
    notes: dict[Annotated[str, Field(pattern=r"^[A-Z][A-Za-z0-9]{0,39}$")], Annotated[str, Field(max_length=2000)]] = {}


class Quit(Request):
    """End the session."""

    do: Literal["quit"]


AnyRequest = (
    Version | Games | New | Setup | Legal | Play | Explain | Undo | View | Position | ScoreSheets | Advise
    | WriteRecord | Quit
)  # fmt: skip
_REQUESTS: Mapping[str, type[AnyRequest]] = {
    get_args(kind.model_fields["do"].annotation)[0]: kind for kind in get_args(AnyRequest)
}


class RequestError(GameError):
    """A request that cannot be met; `code` is one of those in the protocol's description."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


# The session ----------------------------------------------------------------------------------------------------------


class Session:
    """One client's game, or none yet."""

    def __init__(self, program: str) -> None:
        """`program` is the version that `version` tells."""
        self.over = False
        """Whether the client has quit."""
        self._program = program
        self._game: _Running | None = None

    def answer(self, line: str) -> str:
        """The answer to a request, both as JSON in one line without its end."""
        number: Json = None
        try:
            data = _parse(line)
            number = _id(data)
            answer = {"ok": True, **self._do(_request(data))}
        except RequestError as error:
            answer = {"ok": False, "error": {"code": error.code, "message": str(error)}}
        except GameError as error:
            answer = {"ok": False, "error": _game_error(error)}
        return json.dumps(answer if number is None else {"id": number, **answer}, allow_nan=False)

    def _do(self, request: AnyRequest) -> dict[str, Json]:
        """Meet a request. The game is exchanged last of all, when nothing can fail any more."""
        match request:
            case Version():
                return {"protocol": VERSION, "program": self._program}
            case Games():
                return {"games": [_about(load_game(name)) for name in game_names()]}
            case Quit():
                self.over = True
                return {}
            case New() | Setup():
                game = _begun(request)
            case Play():
                game = _played(self._running, request)
            case Undo():
                game = _taken_back(self._running, request.moves)
            case _:
                return _told(self._running, request)
        known = len(self._game.lines) if self._game is not None and isinstance(request, Play | Undo) else 0
        answer = _status(game, since=known)
        self._game = game
        return answer

    @property
    def _running(self) -> "_Running":
        if self._game is None:
            raise RequestError("no_game", "no game has begun; send new or setup first")
        return self._game


# Changing the game ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Running:
    """A game in play; immutable, so that a request that fails half-way has changed nothing."""

    header: Header
    engine: Game[Any, Any]
    seed: int | None
    states: tuple[Any, ...]
    """The start, then one for each move that stands."""
    lines: tuple[MoveLine | TakenBack, ...] = ()
    drawn: frozenset[int] = frozenset()
    """Numbers of the standing moves that the referee drew."""

    @property
    def state(self) -> Any:
        """Now."""
        return self.states[-1]


def _begun(request: New | Setup) -> _Running:
    players = request.players if isinstance(request.players, int) else len(request.players)
    names = () if isinstance(request.players, int) else tuple(request.players)
    for name in names:
        if not is_name(name):
            raise RequestError("bad_request", f"players: {shown_value(name)} is no name; expected printable text")
    for one, other, *_ in namesakes(dict(enumerate(names, 1))):
        both = f"{shown_value(names[one - 1])} is player {one} and {shown_value(names[other - 1])} is player {other}"
        raise RequestError("bad_request", f"players: {both}: {ANOTHER_NAME}")
    engine = load_game(request.game)
    header = Header(
        game=request.game,
        players=players,
        names=names,
        options=request.options,
        first=request.first if isinstance(request, New) else 1,
        position=request.position if isinstance(request, Setup) else None,
        components=components_mark(request.game),
    )
    return _with_chance(_Running(header, engine, request.seed, (begin(engine, header),)))


def _played(game: _Running, request: Play) -> _Running:
    move = _move(game, request)
    return _with_chance(_after(game, move, Source.RULING if request.ruling else Source.PLAYER))


def _with_chance(game: _Running) -> _Running:
    """With everything drawn that is left to chance now, if the game was begun with a seed.

    What is drawn follows from the seed and the move's number: a move made again after an undo meets the same chance.
    """
    while game.seed is not None and game.engine.turn(game.state).actor is Actor.CHANCE:
        number = len(game.states)
        move = game.engine.draw(game.state, Random(f"{game.seed} {number}"))
        game = replace(_after(game, move, Source.CHANCE), drawn=game.drawn | {number})
    return game


def _after(game: _Running, move: Any, source: Source) -> _Running:
    if len(game.lines) >= MOST_LINES:
        raise RequestError("too_long", f"the game has {MOST_LINES} moves and corrections already")
    state = game.engine.apply(game.state, move)
    line = move_line(game.engine, game.state, move, source)
    return replace(game, states=(*game.states, state), lines=(*game.lines, line))


def _taken_back(game: _Running, count: int) -> _Running:
    """Without the last moves of players, and what was drawn after them."""
    own = [number for number in range(1, len(game.states)) if number not in game.drawn]
    if count > len(own):
        raise RequestError("nothing_to_undo", f"moves: {count} are too many; {len(own)} can be taken back")
    number = own[-count]
    return replace(
        game,
        states=game.states[:number],
        lines=(*game.lines, TakenBack(number)),
        drawn=frozenset(one for one in game.drawn if one < number),
    )


def _move(game: _Running, request: Play | Explain) -> Any:
    """The move that is meant. Raises NotationError, and IllegalMove for notation of an illegal one."""
    if request.move is not None:
        return game.engine.decode_move(request.move)
    return game.engine.parse(game.state, request.notation or "")


# Telling of the game --------------------------------------------------------------------------------------------------


def _told(game: _Running, request: AnyRequest) -> dict[str, Json]:
    engine, state = game.engine, game.state
    match request:
        case Legal():
            listed = list(islice(engine.legal(state), request.limit + 1))
            moves = [_move_json(engine, state, move) for move in listed[: request.limit]]
            unlisted = not listed and engine.turn(state).actor is Actor.CHANCE
            return {"moves": moves, "more": len(listed) > request.limit or unlisted}
        case Explain():
            return _explained(game, request)
        case View():
            _check_player(game, request.player)
            return {"view": engine.view(state, request.player)}
        case Position():
            return {"players": game.header.players, "options": game.header.options, "position": engine.position(state)}
        case ScoreSheets():
            return {"scores": [_score(sheet) for sheet in engine.score(state)], "winners": list(engine.winners(state))}
        case Advise():
            return {"advice": _advice(game, request.player)}
        case WriteRecord():
            return {"record": _record_text(game, request.notes)}
        case _:
            raise RequestError("bad_request", f"do: {request.do!r} asks for nothing")


def _explained(game: _Running, request: Explain) -> dict[str, Json]:
    try:
        move = _move(game, request)
    except IllegalMove as error:
        return {"legal": False, "refusal": _refusal(error.refusal)}
    found = game.engine.refusal(game.state, move)
    return {"legal": found is None, "refusal": None if found is None else _refusal(found)}


def _advice(game: _Running, player: Player | None) -> Json:
    engine, state = game.engine, game.state
    acting = engine.turn(state).players
    _check_player(game, player)
    if not acting or (player is not None and player not in acting):
        raise RequestError("not_now", f"player: there is nothing to advise: {engine.turn(state).prompt}")
    advised = engine.advise(state, acting[0] if player is None else player)
    return [
        {**_move_json(engine, state, advice.move), "value": round(advice.value, 3), "reason": advice.reason}
        for advice in advised
    ]


def _record_text(game: _Running, notes: Mapping[str, str]) -> str:
    for name, value in notes.items():
        try:
            check_note(name, value)
        except NoteError as error:
            raise RequestError("bad_request", f"notes.{error}") from error
    record = Record(replace(game.header, notes=notes), game.lines, result(game.engine, game.state))
    return format_record(record)


def _check_player(game: _Running, player: Player | None) -> None:
    if player is not None and not 1 <= player <= game.header.players:
        raise RequestError("bad_request", f"player: {player} is none of the players 1 to {game.header.players}")


# Answers --------------------------------------------------------------------------------------------------------------


def _status(game: _Running, since: int) -> dict[str, Json]:
    """Where the game stands, and the moves that were made or drawn from line `since` on."""
    turn = game.engine.turn(game.state)
    return {
        "moves": len(game.states) - 1,
        "played": [
            {"notation": line.text, "by": _BY[line.source]} for line in game.lines[since:] if isinstance(line, MoveLine)
        ],
        "turn": {"actor": turn.actor.value, "players": list(turn.players), "prompt": turn.prompt},
        "winners": list(game.engine.winners(game.state)),
    }


_BY = {Source.PLAYER: "player", Source.CHANCE: "chance", Source.RULING: "ruling"}


def _about(engine: Game[Any, Any]) -> Json:
    return {
        "game": engine.name,
        "title": engine.title,
        "players": list(engine.player_counts),
        "options": [
            {
                "name": option.name,
                "default": option.default,
                "meaning": option.meaning,
                "choices": list(option.choices),
            }
            for option in engine.option_list
        ],
    }


def _move_json(engine: Game[Any, Any], state: Any, move: Any) -> dict[str, Json]:
    return {"notation": engine.format(state, move), "move": engine.encode_move(move)}


def _score(sheet: Score) -> Json:
    lines = [{"label": line.label, "points": line.points, "detail": line.detail} for line in sheet.lines]
    return {"player": sheet.player, "lines": lines, "total": sheet.total, "tie_break": list(sheet.tie_break)}


def _refusal(refusal: Refusal) -> dict[str, Json]:
    return {
        "heading": refusal.heading,
        "problem": refusal.problem,
        "remedy": refusal.remedy,
        "pieces": list(refusal.pieces),
    }


def _game_error(error: GameError) -> dict[str, Json]:
    code = next((code for kind, code in _CODES.items() if isinstance(error, kind)), "refused")
    found: dict[str, Json] = {"code": code, "message": str(error)}
    return found | {"refusal": _refusal(error.refusal)} if isinstance(error, IllegalMove) else found


_CODES: dict[type[GameError], str] = {
    UnknownGame: "unknown_game",
    OptionError: "bad_option",
    PositionError: "bad_position",
    IllegalMove: "illegal_move",
    NotationError: "bad_move",
}


# Reading requests -----------------------------------------------------------------------------------------------------


def _parse(line: str) -> Json:
    if len(line.encode(errors="surrogatepass")) > LONGEST_REQUEST:
        raise RequestError("not_json", f"a request of more than {LONGEST_REQUEST} bytes, which are the most")
    try:
        return parse_json(line)
    except NotStrictJson as error:
        where = "" if error.at is None else f"column {error.at + 1}: "
        raise RequestError("not_json", f"{where}{error}") from error


def _id(data: Json) -> Json:
    """What to answer with, also where the rest of the request is wrong."""
    number = data.get("id") if isinstance(data, dict) else None
    return number if type(number) is int or (isinstance(number, str) and len(number) <= LONGEST_ID) else None


def _request(data: Json) -> AnyRequest:
    if not isinstance(data, dict):
        raise RequestError("bad_request", f"a request: got {shown_value(data)}, expected an object with the key do")
    known = ", ".join(_REQUESTS)
    if "do" not in data:
        raise RequestError("bad_request", f"do: missing; expected one of {known}")
    do = data["do"]
    if not isinstance(do, str) or do not in _REQUESTS:
        raise RequestError("bad_request", f"do: {shown_value(do)} is none of {known}")
    try:
        return _REQUESTS[do].model_validate(data)
    except ValidationError as error:
        raise RequestError("bad_request", _said(error.errors(include_url=False), data, _REQUESTS[do])) from error


def _said(errors: Sequence[ErrorDetails], data: dict[str, Json], kind: type[AnyRequest]) -> str:
    """The key that is wrong first, what was found there and what was expected."""
    places = [_place(details, data) for details in errors]
    # A key that takes several kinds of values has an error for each; what got furthest says what was meant.
    key = places[0][:1]
    place = max((place for place in places if place[:1] == key), key=len)
    here = [details for details, other in zip(errors, places, strict=True) if other == place]
    here = [details for details in here if is_of_kind(details)] or here
    expected = " or ".join(dict.fromkeys(map(expectation, here)))
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)[1 : LONGEST_ID + 1]
    match here[0]["type"]:
        case "missing":
            return f"{where}: missing"
        case "extra_forbidden":
            return f"{where}: unknown key; expected {', '.join(kind.model_fields)}"
        case "value_error":
            return expected
        case _:
            return f"{where}: got {shown_value(here[0]['input'])}, expected {expected}"


def _place(details: ErrorDetails, data: Json) -> tuple[str | int, ...]:
    """The keys and numbers in lists that lead to what is wrong: in pydantic's place names of kinds stand between."""
    place: list[str | int] = []
    for part in details["loc"]:
        is_key = isinstance(data, dict) and part in data and data is not details["input"]
        if is_key or (isinstance(data, list) and isinstance(part, int)):
            data = data[part]
            place.append(part)
    return (*place, details["loc"][-1]) if details["type"] == "missing" else tuple(place)
