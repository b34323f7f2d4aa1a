"""Bodies of requests, read as strictly as the referee reads: no key twice, no number that is too large."""

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute

from controller.strict_json import NotStrictJson, parse_json


class StrictRoute(APIRoute):
    """A route whose body, where it is JSON, is strict JSON; for routers' `route_class`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's own, which is given a request that reads strictly."""
        handle = super().get_route_handler()

        async def strictly(request: Request) -> Response:
            return await handle(_StrictRequest(request.scope, request.receive))

        return strictly


class _StrictRequest(Request):
    async def json(self) -> Any:
        """The body. Raises JSONDecodeError, which FastAPI answers as a wrong value."""
        body = await self.body()
        try:
            return parse_json(body.decode())
        except UnicodeDecodeError as error:
            raise json.JSONDecodeError(f"no UTF-8: {error.reason}", "", error.start) from error
        except NotStrictJson as error:
            raise json.JSONDecodeError(str(error).removeprefix("no JSON: "), "", error.at or 0) from error
