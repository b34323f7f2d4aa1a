"""Finds the tables that announce themselves on the LAN (`controller.discovery`), as they come, change and go.

What is heard may be anybody's: a record that is not a table's is logged and left out.
"""

import asyncio
import contextlib
import ipaddress
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from zeroconf import DNSQuestionType, IPVersion, ServiceInfo, ServiceStateChange, Zeroconf
from zeroconf import Error as ZeroconfError
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from controller.addresses import addresses_on
from controller.discovery import IDENTITY, SERVICE, is_told

RENEW_S = 60.0
"""How often everybody is asked anew: a question that a pulled cable swallowed is not asked again by itself."""
NETWORK_S = 5.0
"""How often it is looked whether there is a network, or another one."""
MOST_TABLES = 100
"""More are not asked, so that nobody fills the network and this machine with them."""
TOO_MANY = f"more than {MOST_TABLES} announce themselves; name those to be shown"
_ANSWER_MS = 9000
_log = logging.getLogger(__name__)


class NoTable(ValueError):
    """What is announced is not a table; the message names it and says why."""


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table as it announces itself."""

    identity: str
    """Of this table since its last start."""
    table: str
    """Of this table, whenever it was started."""
    name: str
    addresses: tuple[str, ...]
    """Its origins, such as http://192.168.1.20:8080, at least one."""


class TableFinder:
    """Tells which tables announce themselves, at every change, and why there may be others; empty: there are none."""

    def __init__(self, tell: Callable[[Sequence[FoundTable], str], None], interfaces: Sequence[str] = ()) -> None:
        """`interfaces`: names ("eth0") or IPv4 addresses to ask on; empty: all but loopback."""
        self._tell = tell
        self._interfaces = tuple(interfaces)
        self._found: dict[str, FoundTable] = {}
        self._asking: dict[str, asyncio.Task[None]] = {}
        self._problem = ""

    async def keep(self) -> None:
        """Look for tables for ever; cancel it to stop. What hinders it is told, and tried again."""
        while True:
            try:
                if addresses := addresses_on(self._interfaces):
                    await self._look(addresses)
                else:
                    self._say("this machine has no address on any network")
            except (OSError, ZeroconfError) as error:
                _log.warning("tables cannot be looked for: %r", error)
                self._say(f"the network cannot be asked: {error}")
            await asyncio.sleep(NETWORK_S)

    async def _look(self, addresses: tuple[str, ...]) -> None:
        """Until this machine has other addresses. Raises OSError, zeroconf.Error."""
        zeroconf = AsyncZeroconf(interfaces=list(addresses), ip_version=IPVersion.V4Only)
        self._found.clear()
        try:
            while addresses == addresses_on(self._interfaces):
                self._say("")
                # An answer to this machine's port 5353 may come to another program that holds it, too.
                browser = AsyncServiceBrowser(
                    zeroconf.zeroconf, [SERVICE], handlers=[self._changed], question_type=DNSQuestionType.QM
                )
                try:
                    await self._while_there(addresses)
                finally:
                    await browser.async_cancel()
        finally:
            for asking in self._asking.values():
                asking.cancel()
            await zeroconf.async_close()

    async def _while_there(self, addresses: tuple[str, ...]) -> None:
        """Until it is time to ask anew, or this machine has other addresses."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(RENEW_S):
                while addresses == addresses_on(self._interfaces):  # noqa: ASYNC110 the system tells nobody
                    await asyncio.sleep(NETWORK_S)

    def _changed(self, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:
        if (before := self._asking.pop(name, None)) is not None:
            before.cancel()
        if state_change is ServiceStateChange.Removed:
            if self._found.pop(name, None) is not None:
                self._tell(list(self._found.values()), self._problem)
        elif len(self._found.keys() | self._asking.keys() | {name}) <= MOST_TABLES:
            task = self._asking[name] = asyncio.create_task(self._ask(zeroconf, name))
            task.add_done_callback(lambda done: self._asked(name, done))
        else:
            self._say(TOO_MANY)

    async def _ask(self, zeroconf: Zeroconf, name: str) -> None:
        try:
            service = AsyncServiceInfo(SERVICE, name)
            if not await is_told(zeroconf, service, _ANSWER_MS):
                return  # asked again when everybody is
            found = parse_service(service, own=addresses_on(()))
        except (NoTable, ZeroconfError) as error:
            _log.info("not a table: %s", error)
            return
        if self._found.get(name) != found:
            self._found[name] = found
            self._tell(list(self._found.values()), self._problem)

    def _asked(self, name: str, task: asyncio.Task[None]) -> None:
        if self._asking.get(name) is task:
            del self._asking[name]
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("cannot tell what %r is", name, exc_info=error)

    def _say(self, problem: str) -> None:
        if problem != self._problem:
            self._problem = problem
            self._tell(list(self._found.values()), problem)


def parse_service(service: ServiceInfo, own: Sequence[str] = ()) -> FoundTable:
    """The table that a service is. `own`: the addresses of this machine; a table of another may have some of the same,
    such as those of containers, which do not lead to it.

    Raises NoTable.
    """
    name = service.name.removesuffix(f".{service.type}")
    told = service.decoded_properties
    identity = told.get(IDENTITY) or ""
    if not identity:
        raise NoTable(f"{name!r}: its TXT record names no {IDENTITY}")
    if not service.port:
        raise NoTable(f"{name!r}: expected a TCP port, found {service.port}")
    hosts = sorted(host for host in service.parsed_addresses(IPVersion.V4Only) if _is_host(host))
    hosts = [host for host in hosts if host not in own] or hosts
    if not hosts:
        raise NoTable(f"{name!r}: it has no IPv4 address")
    shown = "".join(character if character.isprintable() else " " for character in name)
    addresses = tuple(f"http://{host}:{service.port}" for host in hosts)
    return FoundTable(identity, identity.partition("-")[0], shown, addresses)


def _is_host(text: str) -> bool:
    address = ipaddress.ip_address(text)
    return not (address.is_unspecified or address.is_multicast or address.is_reserved)
