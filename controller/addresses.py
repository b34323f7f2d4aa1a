"""Where a table is reached: by the network, on its own machine, and by its host, with the token."""

import ipaddress
import socket
from collections.abc import Sequence
from urllib.parse import quote

import ifaddr

_MAPPED = "::ffff:"
"""RFC 4291, section 2.5.5.2: so a socket for both shows an IPv4 peer."""


class NotReachable(Exception):
    """Other machines cannot reach this table; the message says why and what to do."""


def lan_address(served_on: str, port: int) -> str:
    """The address of the display for other machines of the network, where it is served on `served_on` (lan.host).

    Raises NotReachable.
    """
    if _is_any(served_on):
        return _address(_own_host(), port)
    if is_loopback(served_on):
        raise NotReachable(f'lan.host is {served_on}, which is for this machine alone; "0.0.0.0" is for every network')
    return _address(served_on, port)


def address_here(served_on: str, port: int) -> str:
    """The address of the display on the table's own machine."""
    return _address("127.0.0.1" if _is_any(served_on) else served_on, port)


def host_address(display: str, token: str) -> str:
    """The address of the host's controls, for a display's address."""
    return f"{display}?host={quote(token, safe='')}"


def told_addresses(served_on: str, port: int, token: str | None) -> list[str]:
    """What people are told of all three, a line each; without the host's where the token is not known."""
    here = address_here(served_on, port)
    try:
        display = shown = lan_address(served_on, port)
    except NotReachable as error:
        display, shown = here, f"for no other machine: {error}"
    lines = [f"The table's display:  {shown}", f"On this machine:      {here}"]
    return lines if token is None else [*lines, f"The host's controls:  {host_address(display, token)}"]


def addresses_on(interfaces: Sequence[str]) -> tuple[str, ...]:
    """The IPv4 addresses of the interfaces, names ("eth0") or addresses, sorted; empty: of all but loopback."""
    found = []
    for adapter in ifaddr.get_adapters():
        for address in adapter.ips:
            if not isinstance(address.ip, str):
                continue
            if interfaces:
                wanted = adapter.name in interfaces or address.ip in interfaces
            else:
                wanted = not ipaddress.ip_address(address.ip).is_loopback
            if wanted:
                found.append(address.ip)
    return tuple(sorted(found))


def is_loopback(host: str) -> bool:
    """Whether a name or address is that of this machine for itself; also an IPv4 address that IPv6 maps."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.removeprefix(_MAPPED)).is_loopback
    except ValueError:
        return False


def _own_host() -> str:
    """This machine's address on the way out; where no way leads out, as on a table's own access point, any it has.

    Raises NotReachable.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a documentation address: nothing is sent
            return str(probe.getsockname()[0])
        except OSError:
            for address in addresses_on(()):
                return address
    raise NotReachable("this machine has no address on any network; plug the network in, or join the wireless one")


def _address(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def _is_any(host: str) -> bool:
    return host in ("0.0.0.0", "::")
