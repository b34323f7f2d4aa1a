"""Errors as the LAN sees them: problem details (RFC 9457) that name the value and what was expected, and no more."""

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from pydantic_core import ErrorDetails
from starlette.exceptions import HTTPException

from config.wrong_values import expectation, shown_value
from controller.commands import CommandError, InvalidCommand

MEDIA_TYPE = "application/problem+json"
_SCHEMAS = "#/components/schemas/"


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


class DescribedApp(FastAPI):
    """An application whose description says how it refuses: with a Problem, whatever the reason."""

    def openapi(self) -> dict[str, Any]:
        """The description of all that may be asked, as OpenAPI has it."""
        if self.openapi_schema is None:
            described = super().openapi()
            for path in described["paths"].values():
                for operation in path.values():
                    for status, response in operation["responses"].items():
                        if status >= "400":
                            response["content"] = {MEDIA_TYPE: {"schema": {"$ref": _SCHEMAS + Problem.__name__}}}
            schemas = described.setdefault("components", {}).setdefault("schemas", {})
            for never_sent in ("HTTPValidationError", "ValidationError"):
                schemas.pop(never_sent, None)
            problem = Problem.model_json_schema(ref_template=_SCHEMAS + "{model}")
            schemas |= {**problem.pop("$defs"), Problem.__name__: problem}
        return self.openapi_schema or {}


def problem_response(status: int, title: str, detail: str, errors: Sequence[WrongValue] = ()) -> JSONResponse:
    """A refusal as application/problem+json."""
    problem = Problem(title=title, status=status, detail=detail, errors=list(errors))
    return JSONResponse(problem.model_dump(), status, media_type=MEDIA_TYPE)


def add_problem_handlers(app: FastAPI) -> None:
    """Let every error of `app` leave as a Problem."""

    async def command(_: Request, error: Exception) -> JSONResponse:
        if isinstance(error, InvalidCommand):
            return problem_response(422, "Invalid command", str(error))
        return problem_response(409, "Not possible now", str(error))

    async def http(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        headers = dict(error.headers or {})
        if error.status_code == 405:
            headers["Allow"] = _allowed(headers.get("Allow", ""))
        detail = _detail(request.scope["path"], request.method, error, headers)
        response = problem_response(error.status_code, _TITLES.get(error.status_code, "Refused"), detail)
        response.headers.update(headers)
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


def _allowed(routed: str) -> str:
    """The methods that are taken, told by those that are routed: `security.Guard` takes HEAD wherever GET is."""
    methods = set(re.findall(r"[A-Z]+", routed))
    return ", ".join(sorted(methods | {"HEAD"} if "GET" in methods else methods))


def _detail(path: str, method: str, error: HTTPException, headers: Mapping[str, str]) -> str:
    """Why, also where Starlette says no more than the status does."""
    if error.detail != HTTPStatus(error.status_code).phrase:
        return str(error.detail)
    match error.status_code:
        case 404:
            return f"Nothing is at {shown_value(path)}; /openapi.json describes what there is."
        case 405:
            return f"{shown_value(path)} cannot be asked with {method[:20]}; expected {headers['Allow']}."
        case _:
            return str(error.detail)


def _wrong_value(error: ErrorDetails) -> WrongValue:
    where = ".".join(str(part) for part in error["loc"])
    if error["type"] == "json_invalid":
        at = f" at character {error['loc'][-1]}" if error["loc"][-1] else ""
        broken = f"what is no JSON{at} ({error['ctx']['error']})"
        return WrongValue(where=str(error["loc"][0]), value=broken, expected="JSON")
    if where == "body" and isinstance(error.get("input"), bytes):  # FastAPI reads it as JSON only if that is said
        expected = "JSON, with the header Content-Type: application/json"
        return WrongValue(where=where, value="one whose type is not told as JSON", expected=expected)
    value = "nothing" if error["type"] == "missing" else shown_value(error["input"])
    return WrongValue(where=where, value=value, expected=expectation(error))
