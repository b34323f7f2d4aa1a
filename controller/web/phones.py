"""The addresses that a page shows to phones."""

from collections.abc import Callable

from fastapi import Request
from pydantic import BaseModel

from controller.addresses import NotReachable, host_address, is_loopback
from controller.web.qr import qr_svg
from controller.web.security import is_here, is_passed_on, named_host

Reached = Callable[[int], str]
"""The display's address for other machines, at a port. Raises NotReachable."""


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
    """What led another machine here, where it leads any phone here. Else, as on the table's own machine, whatever its
    page was opened by, and where a proxy says nothing of use, the machine's address on the LAN. Raises NotReachable."""
    named = named_host(request)
    leads = bool(named) and not is_loopback(named)
    if leads and not is_passed_on(request):
        leads = not is_here(request) and _is_found_by_any(named)
    return f"http://{request.headers['Host']}/" if leads else reached(request.scope["server"][1])


def _is_found_by_any(host: str) -> bool:
    """Whether any phone finds it: many know no multicast DNS (.local), and a name without a dot need not be theirs."""
    return ":" in host or ("." in host and not host.endswith(".local"))
