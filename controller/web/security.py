"""Who may do what, and the headers that keep a page to itself."""

import re
import secrets

from fastapi import HTTPException, Request
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from controller.addresses import is_loopback
from controller.web.pages import WHOLE_HASH
from controller.web.problems import problem_response

MAX_BODY_BYTES = 64 * 1024
"""No command is longer."""
HOST_TOKEN_HEADER = "X-Host-Token"
_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")
"""What a proxy adds to a request that it passes on for somebody else."""
_HOST = re.compile(r"([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?")
"""What a Host header may say, RFC 9112, section 3.2; names are ASCII there."""
_HEADERS = {
    # Everything the page needs comes from this table; nothing may frame it.
    "Content-Security-Policy": (
        f"default-src 'self'; script-src 'self' '{WHOLE_HASH}'; img-src 'self' data: blob:; object-src 'none'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # The host's address carries the token.
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


def is_host(request: Request, given: str | None, token: str) -> bool:
    """Whether a request may use the host's controls: it carries the token or comes from a page on this machine.

    A page from elsewhere that the machine's own browser shows must not count as this machine, even when its name was
    made to resolve to loopback: the name asked for has to be a loopback name too, and the origin the same. Nor must
    what a proxy on this machine passes on.
    """
    if given is not None and secrets.compare_digest(given.encode(), token.encode()):
        return True
    return is_here(request) and _is_own_page(request)


def is_here(request: Request) -> bool:
    """Whether a request was made on this machine, and not passed on by a proxy for somebody else."""
    return request.client is not None and is_loopback(request.client.host) and not is_passed_on(request)


def is_passed_on(request: Request) -> bool:
    """Whether a proxy passed a request on for somebody else."""
    return any(name in request.headers for name in _FORWARDED)


def named_host(request: Request) -> str:
    """The host that a request names, without its port; empty where its Host header names none.

    Starlette's `request.url` then has the address that the request came to, which nobody named.
    """
    named = _HOST.fullmatch(request.headers.get("Host", ""))
    return named[1].strip("[]").lower() if named else ""


def require_host(request: Request, given: str | None, token: str) -> None:
    """Raises HTTPException 403 for everybody but the host."""
    if not is_host(request, given, token):
        raise HTTPException(
            403,
            "Only the host may do this: open the address with ?host= that was printed at start, or send its token as "
            f"{HOST_TOKEN_HEADER}.",
        )


class Guard:
    """ASGI middleware: adds the security headers to every response, refuses bodies that are too long, and answers HEAD
    as GET without the text (RFC 9110, section 9.3.2)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        without_text = scope["method"] == "HEAD"
        ended = False

        async def guarded(message: Message) -> None:
            nonlocal ended
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            elif ended:
                return
            elif without_text:  # a stream hears then that nobody listens, and ends
                message, ended = {"type": "http.response.body"}, True
            await send(message)

        headers = dict(scope["headers"])
        length = headers.get(b"content-length", b"0")
        app = self._app
        if b"transfer-encoding" in headers:
            app = problem_response(411, "Length required", "Send a body with a Content-Length, not in chunks.")
        elif not length.isdigit() or int(length) > MAX_BODY_BYTES:
            shown = length[:20].decode("ascii", "replace")
            app = problem_response(413, "Too large", f"Body of {shown} bytes, expected at most {MAX_BODY_BYTES}.")
        await app({**scope, "method": "GET"} if without_text else scope, receive, guarded)


def _is_own_page(request: Request) -> bool:
    origin = request.headers.get("Origin")
    if origin is not None and origin.partition("://")[2] != request.headers.get("Host"):
        return False
    return is_loopback(named_host(request))
