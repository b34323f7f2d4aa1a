"""Announces the table on the LAN by zeroconf, so that a browser, `avahi-browse` or an app finds it without typing.

Two services, one name: `_pizzatable._tcp` for programs that know this table, `_http._tcp` for everything that lists web
pages. The table plays on without them: whatever goes wrong here is a state that is shown.
"""

import asyncio
import errno
import logging
import re
import secrets
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from zeroconf import DNSQuestionType, IPVersion, NonUniqueNameException, ServiceInfo, Zeroconf
from zeroconf import Error as ZeroconfError
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from controller.addresses import addresses_on
from controller.table_folder import identity_of_start
from controller.views import PartState, PartView

SERVICE = "_pizzatable._tcp.local."
WEB_SERVICE = "_http._tcp.local."
IDENTITY = "id"
"""The key of the TXT record that tells tables apart, whatever else they say (`identity_of_start`)."""
_TYPE_TXT, _CLASS_IN = 16, 1
"""RFC 1035, sections 3.2.2 and 3.2.4."""
_MAX_NAMES = 20
_PROBE_MS = 3000
"""How long the name is asked for before it is free. A question that somebody has just asked in the same words is passed
over as a repeated packet for 0.8 s; it is asked again after a second, and a responder may hold its answer back for up
to another 1.1 s when it has said it within the last second (RFC 6762, section 6). An answer ends the wait."""
_TURN_MS = 1000
"""The same question is not sent again within 0.999 s."""
_OTHERS_S = 1.5
"""How long the answers of others to the same question are waited for after the first one."""
# A DNS label, RFC 1035.
_LABEL_BYTES = 63
_HOST_CHARS = 40
_log = logging.getLogger(__name__)


class DiscoveryError(Exception):
    """Root of what announcing fails with."""


class NoFreeName(DiscoveryError, ValueError):
    """Other tables have every name that was tried."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """What is told about a table."""

    table: str
    """The table's name; another with the same name on the LAN makes it "name (2)"."""
    game: str
    """The game's folder name."""
    version: str
    port: int
    path: str = "/"

    def text(self) -> dict[str, str]:
        """The service's TXT record."""
        return {"game": self.game, "table": self.table, "version": self.version, "path": self.path}


class Discovery:
    """Keeps a table announced on whatever networks there are. Closing twice is fine.

    `refresh` brings the announcement up to date with the network and is called again from time to time (`keep`): what
    a pulled cable took comes back alone.
    """

    def __init__(
        self,
        announcement: Announcement,
        interfaces: Sequence[str] = (),
        on_change: Callable[[PartView], None] = lambda _: None,
        identity: str | None = None,
    ) -> None:
        """Announce nothing yet.

        Args:
            announcement: what to tell.
            interfaces: names ("eth0") or IPv4 addresses to announce on; empty: all but loopback.
            on_change: told every new state.
            identity: the table's, since its start (`identity_of_start`); None: nobody knows it again.
        """
        self._announcement = announcement
        self._interfaces = tuple(interfaces)
        self._on_change = on_change
        self._zeroconf: AsyncZeroconf | None = None
        self._services: list[ServiceInfo] = []
        self._addresses: tuple[str, ...] = ()
        self._identity = identity or identity_of_start(secrets.token_hex(4))
        self._state = PartView(state=PartState.STARTING, text="not announced yet")
        self._lock = asyncio.Lock()

    @property
    def state(self) -> PartView:
        """How announcing is doing."""
        return self._state

    @property
    def name(self) -> str | None:
        """The name that the table is found by; None while it is not announced."""
        return _instance(self._services[0]) if self._services else None

    async def refresh(self) -> None:
        """Announce on the addresses that there are now. Never raises: failure is the state."""
        async with self._lock:
            try:
                await self._refresh()
            except Exception as error:  # a fault of the library, or ours, is shown, too
                is_usual = isinstance(error, OSError | DiscoveryError | ZeroconfError)
                _log.warning("announcing the table failed: %r", error, exc_info=not is_usual)
                await self._withdraw()
                self._show(PartState.LOST, f"Not announced: {_reason(error)}. Trying again.")

    async def keep(self, interval_s: float = 10.0) -> None:
        """Refresh for ever; cancel it to stop."""
        while True:
            await self.refresh()
            await asyncio.sleep(interval_s)

    async def close(self) -> None:
        """Say goodbye and leave the network."""
        async with self._lock:
            await self._withdraw()
            self._show(PartState.ABSENT, "not announced")

    async def _refresh(self) -> None:
        addresses = addresses_on(self._interfaces)
        if addresses == self._addresses and self._services and not await self._yields():
            return
        await self._withdraw()
        if addresses:
            await self._announce(addresses)
            self._show(PartState.OK, f"announced as “{self.name}” on {', '.join(addresses)}")
        else:
            wanted = ", ".join(self._interfaces) or "any network"
            self._show(PartState.LOST, f"No address on {wanted}; the table is not announced. Plug the network in.")

    async def _announce(self, addresses: tuple[str, ...]) -> None:
        self._zeroconf = AsyncZeroconf(interfaces=list(addresses), ip_version=IPVersion.V4Only)
        for number in range(1, _MAX_NAMES + 1):
            services = _services(
                self._announcement, _numbered(self._announcement.table, number), addresses, self._identity
            )
            if await self._is_taken(self._zeroconf, services[0]):
                continue
            try:
                await self._register(self._zeroconf, services)
            except NonUniqueNameException:
                continue
            self._addresses = addresses
            return
        taken = _numbered(self._announcement.table, _MAX_NAMES)
        raise NoFreeName(f"every name up to {taken!r} is taken; give this table a name of its own")

    async def _yields(self) -> bool:
        """Whether another table has this one's name too, and is the one to keep it.

        Tables that are switched on together, or whose networks are joined later, cannot hear of one another before they
        take a name. Of those the one with the lowest identity keeps it.
        """
        own = self._services[0]
        listening = AsyncZeroconf(interfaces=list(self._addresses), ip_version=IPVersion.V4Only)
        try:
            await is_told(listening.zeroconf, AsyncServiceInfo(own.type, own.name), _PROBE_MS)
            await asyncio.sleep(_OTHERS_S)  # the first answer ends the request
            told = listening.zeroconf.cache.async_all_by_details(own.name, _TYPE_TXT, _CLASS_IN)
            texts = [text for record in told if isinstance(text := getattr(record, "text", None), bytes)]
            return min(map(_identity, texts), default=self._identity) < self._identity
        finally:
            await listening.async_close()

    async def _is_taken(self, zeroconf: AsyncZeroconf, service: ServiceInfo) -> bool:
        """Ask everybody for the name.

        The library's own check, while registering, misses a name that was announced less than a second ago, and asks
        for an answer to this machine's port 5353, where the system's own responder may be the one to get it.
        """
        return await is_told(zeroconf.zeroconf, AsyncServiceInfo(service.type, service.name), _PROBE_MS)

    async def _register(self, zeroconf: AsyncZeroconf, services: list[ServiceInfo]) -> None:
        self._services = []
        spreading = []
        try:
            for service in services:
                spreading.append(await zeroconf.async_register_service(service))
                self._services.append(service)
            await asyncio.gather(*spreading)
        except NonUniqueNameException:
            for service in self._services:
                await (await zeroconf.async_unregister_service(service))
            self._services = []
            raise

    async def _withdraw(self) -> None:
        self._services = []
        self._addresses = ()
        if self._zeroconf is None:
            return
        try:
            try:
                await self._zeroconf.async_unregister_all_services()
            finally:
                await self._zeroconf.async_close()
        except Exception as error:  # mostly as the network that would hear the goodbye is gone
            _log.info("no goodbye: %r", error)
        self._zeroconf = None  # not before: where this is cancelled `close` goes on

    def _show(self, state: PartState, text: str) -> None:
        view = PartView(state=state, text=text)
        if view != self._state:
            self._state = view
            self._on_change(view)


async def is_told(zeroconf: Zeroconf, service: AsyncServiceInfo, wait_ms: int) -> bool:
    """Ask everybody on the LAN for a service; whether all of it is told within that time.

    Asked in turns: the library passes over an address that stands before the name of its host in one answer, as it may
    where somebody else has asked which services there are. It is in the cache, where each turn looks first.
    """
    for _ in range(0, wait_ms, _TURN_MS):
        if await service.async_request(zeroconf, _TURN_MS, question_type=DNSQuestionType.QM):
            return True
    return service.load_from_cache(zeroconf)


@dataclass(frozen=True, slots=True)
class Holder:
    """Who answers to a table's name."""

    addresses: tuple[str, ...]
    port: int


async def who_has(table: str, interfaces: Sequence[str] = ()) -> Holder | None:
    """Who answers to a table's name on the LAN; None where nobody does.

    Raises:
        OSError, zeroconf.Error: the network cannot be asked.
    """
    zeroconf = AsyncZeroconf(interfaces=list(addresses_on(interfaces)), ip_version=IPVersion.V4Only)
    try:
        holder = AsyncServiceInfo(SERVICE, f"{_numbered(table, 1)}.{SERVICE}")
        if not await is_told(zeroconf.zeroconf, holder, _PROBE_MS):
            return None
        return Holder(tuple(sorted(holder.parsed_addresses())), holder.port or 0)
    finally:
        await zeroconf.async_close()


def _services(announcement: Announcement, name: str, addresses: Sequence[str], identity: str) -> list[ServiceInfo]:
    server = f"{_host_label(name)}-pizzatable.local."
    return [
        ServiceInfo(
            kind,
            f"{name}.{kind}",
            port=announcement.port,
            properties={**announcement.text(), IDENTITY: identity},
            server=server,
            parsed_addresses=list(addresses),
        )
        for kind in (SERVICE, WEB_SERVICE)
    ]


def _identity(text: bytes) -> str:
    """The identity in a TXT record (RFC 6763, section 6.1: strings, each after its length); empty for none."""
    while text:
        length = text[0]
        name, _, value = text[1 : length + 1].partition(b"=")
        if name == IDENTITY.encode():
            return value.decode(errors="replace")
        text = text[length + 1 :]
    return ""


def _host_label(name: str) -> str:
    """A host name of its own for each table name: the machine's belongs to its system's responder. Where letters are
    lost on the way, as all of "Стол А" are, a checksum tells names apart."""
    lower = name.lower()
    label = re.sub(r"[^a-z0-9]+", "-", lower)[:_HOST_CHARS].strip("-")
    if label.replace("-", " ") == lower:
        return label
    return f"{label or 'table'}-{zlib.crc32(lower.encode()):08x}"


def _numbered(table: str, number: int) -> str:
    """The name at the given attempt, within a DNS label; dots would part it, control characters are not allowed."""
    suffix = "" if number == 1 else f" ({number})"
    text = "".join(c if c.isprintable() and c != "." else " " for c in table).strip() or "pizzatable"
    return text.encode()[: _LABEL_BYTES - len(suffix)].decode(errors="ignore") + suffix


def _instance(service: ServiceInfo) -> str:
    return service.name.removesuffix(f".{service.type}")


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return "another program holds port 5353 for itself"
    return str(error) or type(error).__name__
