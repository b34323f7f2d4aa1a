"""Errors as the LAN sees them: problem details (RFC 9457) that name the value and what was expected, and no more."""

from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from controller.commands import CommandError, InvalidCommand

_SHOWN_VALUE_CHARS = 80


class WrongValue(BaseModel):
    """One value that could not be taken."""

    where: str
    """Such as body.question_id."""
    value: str
    """The value as it was sent, shortened."""
    expected: str


class Problem(BaseModel):
    """Why a request was refused."""

    title: str
    status: int
    detail: str
    errors: list[WrongValue] = []


def problem_response(status: int, title: str, detail: str, errors: Sequence[WrongValue] = ()) -> JSONResponse:
    """A refusal as application/problem+json."""
    problem = Problem(title=title, status=status, detail=detail, errors=list(errors))
    return JSONResponse(problem.model_dump(), status, media_type="application/problem+json")


def add_problem_handlers(app: FastAPI) -> None:
    """Let every error of `app` leave as a Problem."""

    async def command(_: Request, error: Exception) -> JSONResponse:
        if isinstance(error, InvalidCommand):
            return problem_response(422, "Invalid command", str(error))
        return problem_response(409, "Not possible now", str(error))

    async def http(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        response = problem_response(error.status_code, _TITLES.get(error.status_code, "Refused"), str(error.detail))
        response.headers.update(error.headers or {})
        return response

    async def validation(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        errors = [_wrong_value(item) for item in error.errors()]
        detail = "; ".join(f"{e.where}: got {e.value}, expected: {e.expected}" for e in errors)
        return problem_response(422, "Invalid request", detail, errors)

    async def unexpected(_: Request, __: Exception) -> JSONResponse:
        return problem_response(500, "Internal error", "The table failed to do this; its log says more.")

    app.add_exception_handler(CommandError, command)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(RequestValidationError, validation)
    app.add_exception_handler(Exception, unexpected)


_TITLES = {
    403: "Host only",
    404: "Not found",
    405: "Method not allowed",
    411: "Length required",
    413: "Too large",
    503: "Not ready",
}


def _wrong_value(error: dict[str, Any]) -> WrongValue:
    where = ".".join(str(part) for part in error["loc"])
    value = "nothing" if error["type"] == "missing" else repr(error.get("input"))
    if len(value) > _SHOWN_VALUE_CHARS:
        value = value[: _SHOWN_VALUE_CHARS - 1] + "…"
    return WrongValue(where=where, value=value, expected=str(error["msg"]))
