"""The addresses that a page shows to phones."""

import re
from collections.abc import Callable

from fastapi import Request
from pydantic import BaseModel

from controller.addresses import NotReachable, host_address
from controller.web.qr import qr_svg
from controller.web.security import is_here, is_loopback

Reached = Callable[[int], str]
"""The display's address for other machines, at a port. Raises NotReachable."""
_HOST = re.compile(r"[A-Za-z0-9._-]{1,253}(:\d{1,5})?|\[[0-9A-Fa-f:.]{2,45}\](:\d{1,5})?")
"""What a Host header may say, RFC 9112, section 3.2; names are ASCII there."""


class AddressView(BaseModel):
    """An address for phones."""

    address: str
    """Empty where there is none."""
    qr: str
    """The same as a QR code: SVG, black on white, with its quiet zone."""
    why_not: str
    """Why there is none, and what to do; empty where there is."""


def display_view(request: Request, reached: Reached) -> AddressView:
    """The display's address, as a phone beside whoever asks can open it."""
    return _view(request, reached, lambda display: display)


def host_view(request: Request, reached: Reached, token: str) -> AddressView:
    """The same for the host's controls, with the token in it: for the host alone."""
    return _view(request, reached, lambda display: host_address(display, token))


def _view(request: Request, reached: Reached, of_display: Callable[[str], str]) -> AddressView:
    try:
        address = of_display(_display(request, reached))
    except NotReachable as error:
        return AddressView(address="", qr="", why_not=str(error))
    return AddressView(address=address, qr=qr_svg(address), why_not="")


def _display(request: Request, reached: Reached) -> str:
    """What led another machine here leads a phone here. On the table's own machine, whatever its page was opened by,
    and where a proxy says nothing of use, it is the machine's address on the LAN. Raises NotReachable."""
    named = request.headers.get("Host", "")
    if is_here(request) or not _HOST.fullmatch(named) or is_loopback(request.url.hostname):
        return reached(request.scope["server"][1])
    return f"http://{named}/"
