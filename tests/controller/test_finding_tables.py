"""Tables are found by what they announce over real multicast on loopback, and so is what is none."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from zeroconf import DNSOutgoing, DNSPointer, IPVersion, ServiceInfo, Zeroconf  # type: ignore[attr-defined]
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from controller import discovery, finding_tables
from controller.discovery import Announcement, Discovery
from controller.event import Event
from controller.finding_tables import MOST_TABLES, TOO_MANY, FoundTable, NoTable, TableFinder, parse_service
from controller.table_folder import identity_of_start
from tests.controller.web.table import until

LOOPBACK = ("127.0.0.1",)
PATIENCE_S = 60
_RESPONSE, _TYPE_PTR, _CLASS_IN = 0x8400, 12, 1
"""RFC 6762, section 18; RFC 1035, sections 3.2.2 and 3.2.4."""
OURS = f"_pizza{os.getpid()}._tcp.local."
"""Tables that run meanwhile, of other tests or on this network, announce themselves on the same multicast group."""
PROBE_MS = discovery._PROBE_MS
KITCHEN = Announcement("Kitchen table", "new_york_slice", "0.1.0", 8080)


@pytest.fixture(autouse=True)
def others_are_not_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (discovery, finding_tables):
        monkeypatch.setattr(module, "SERVICE", OURS)
    monkeypatch.setattr(discovery, "WEB_SERVICE", f"_web{os.getpid()}._tcp.local.")
    monkeypatch.setattr(discovery, "_PROBE_MS", 1000)  # nobody else has these names


class Heard:
    """What a finder tells."""

    def __init__(self) -> None:
        self.tables: list[FoundTable] = []
        self.problems: list[str] = []
        self._told = asyncio.Event()

    def tell(self, tables: Sequence[FoundTable], problem: str) -> None:
        self.tables, self.problems = list(tables), [*self.problems, problem]
        self._told.set()

    async def until(self, condition: Callable[[list[FoundTable]], bool]) -> list[FoundTable]:
        while not condition(self.tables):
            self._told.clear()
            await self._told.wait()
        return self.tables


@contextlib.asynccontextmanager
async def finding(interfaces: Sequence[str] = LOOPBACK) -> AsyncIterator[Heard]:
    heard = Heard()
    keeping = asyncio.create_task(TableFinder(heard.tell, interfaces).keep())
    try:
        yield heard
    finally:
        keeping.cancel()
        await asyncio.wait([keeping])


@contextlib.asynccontextmanager
async def announced(announcement: Announcement, identity: str | None = None) -> AsyncIterator[Discovery]:
    table = Discovery(announcement, LOOPBACK, identity=identity)
    try:
        await table.refresh()
        yield table
    finally:
        await table.close()


def service(name: str = "Cellar", port: int = 8080, hosts: Sequence[str] = LOOPBACK, **told: object) -> ServiceInfo:
    properties = {key: value for key, value in ({"id": "1a-2b"} | told).items() if value != ""}
    server = f"{abs(hash(name))}.local."
    return ServiceInfo(
        OURS, f"{name}.{OURS}", port=port, properties=properties, server=server, parsed_addresses=list(hosts)
    )


@contextlib.asynccontextmanager
async def foreign(*services: ServiceInfo) -> AsyncIterator[AsyncZeroconf]:
    """Devices that are no tables of ours."""
    zeroconf = AsyncZeroconf(interfaces=list(LOOPBACK), ip_version=IPVersion.V4Only)
    try:
        for spreading in [await zeroconf.async_register_service(one, strict=False) for one in services]:
            await spreading
        yield zeroconf
    finally:
        await zeroconf.async_unregister_all_services()
        await zeroconf.async_close()


def run(scenario: Callable[[], object]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(PATIENCE_S):
            await scenario()  # type: ignore[misc]

    asyncio.run(limited())


def test_tables_come_change_and_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "_PROBE_MS", PROBE_MS)  # two take one name

    async def scenario() -> None:
        async with announced(KITCHEN, "1a2b3c4d") as kitchen, finding() as heard:
            (found,) = await heard.until(lambda tables: len(tables) == 1)
            assert (found.name, found.addresses, found.table) == (
                "Kitchen table", ("http://127.0.0.1:8080",), "1a2b3c4d",
            )  # fmt: skip
            async with announced(replace(KITCHEN, port=8081)) as second:
                one, other = await heard.until(lambda tables: len(tables) == 2)
                assert (
                    {one.name, other.name} == {"Kitchen table", second.name} == {"Kitchen table", "Kitchen table (2)"}
                )
                assert one.table != other.table
            assert await heard.until(lambda tables: len(tables) == 1) == [found]
            await kitchen._withdraw()
            kitchen._announcement = replace(KITCHEN, port=9000)
            await kitchen.refresh()
            (moved,) = await heard.until(
                lambda tables: [one.addresses for one in tables] == [("http://127.0.0.1:9000",)]
            )
            assert moved.identity == found.identity
            assert set(heard.problems) == {""}

    run(scenario)


def test_one_that_is_started_anew_says_that_it_is_the_same() -> None:
    async def scenario() -> None:
        async with finding() as heard:
            async with announced(KITCHEN, identity_of_start("1a2b3c4d")):
                (before,) = await heard.until(lambda tables: len(tables) == 1)
            await heard.until(lambda tables: not tables)
            async with announced(replace(KITCHEN, table="Cellar", port=8081), identity_of_start("1a2b3c4d")):
                (after,) = await heard.until(lambda tables: len(tables) == 1)
        assert after.table == before.table
        assert after.identity != before.identity

    run(scenario)


def pointers(*names: str) -> DNSOutgoing:
    """An answer that services of these names are tables."""
    answer = DNSOutgoing(_RESPONSE)
    for name in names:
        answer.add_answer_at_time(DNSPointer(OURS, _TYPE_PTR, _CLASS_IN, 120, name), 0)
    return answer


@pytest.mark.long
def test_what_others_announce_by_that_name_breaks_nothing(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        long: dict[str, Any] = {f"key{i}": "x" * 200 for i in range(4)}
        strange = [
            service("no identity", id=""), service("empty identity", id=None), service("no port", port=0),
            service("many", **long),
            service("nowhere", hosts=["0.0.0.0", "224.0.0.1"]),
        ]  # fmt: skip
        torn = service("torn text")
        torn.text = b"\xff\x00=\xfe\x07id=\xff\xfe\xfd\x80"
        async with foreign(*strange, torn) as devices, finding() as heard, announced(KITCHEN):
            devices.zeroconf.async_send(pointers("junk.local.", f"a.b.{OURS}", OURS, f"{chr(0)}.{OURS}", "."))
            devices.zeroconf.async_send(pointers(*(f"{number}.{OURS}" for number in range(2 * MOST_TABLES))))
            found = await heard.until(lambda tables: any(table.name == "Kitchen table" for table in tables))
            assert {table.name for table in found} <= {"Kitchen table", "many", "torn text"}
            await until(lambda: TOO_MANY in heard.problems)

            await asyncio.sleep(0)

    run(scenario)
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.parametrize(
    ("announced", "why"),
    [
        (service(id=""), "'Cellar': its TXT record names no id"),
        (service(id=None), "'Cellar': its TXT record names no id"),
        (service(port=0), "'Cellar': expected a TCP port, found 0"),
        (service(hosts=["0.0.0.0", "224.0.0.1", "fe80::1"]), "'Cellar': it has no IPv4 address"),
    ],
)
def test_what_is_no_table_is_named(announced: ServiceInfo, why: str) -> None:
    with pytest.raises(NoTable, match=why):
        parse_service(announced)


def test_a_table_on_several_networks_is_one_and_containers_addresses_are_its_own() -> None:
    found = parse_service(service("A\u202eb", hosts=["192.168.1.5", "10.0.0.5", "172.17.0.1"]), own=["172.17.0.1"])
    assert found == FoundTable("1a-2b", "1a", "A b", ("http://10.0.0.5:8080", "http://192.168.1.5:8080"))
    here = parse_service(service(hosts=["10.0.0.5"]), own=["10.0.0.5"])
    assert here.addresses == ("http://10.0.0.5:8080",)


def test_without_a_network_it_is_said_and_looked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding_tables, "NETWORK_S", 0.05)
    there: list[str] = []
    monkeypatch.setattr(finding_tables, "addresses_on", lambda _: tuple(there))

    async def scenario() -> None:
        async with announced(KITCHEN), finding() as heard:
            await asyncio.sleep(0)
            assert heard.problems == ["this machine has no address on any network"]
            there.append("127.0.0.1")
            await heard.until(lambda tables: len(tables) == 1)
            assert heard.problems[-1] == ""
            there.clear()
            await until(lambda: heard.problems[-1] != "")

    run(scenario)


@pytest.mark.parametrize("what", ["AsyncZeroconf", "addresses_on"])
def test_a_system_that_refuses_is_said(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither its network nor its addresses are to be had."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(finding_tables, what, refuse)

    async def scenario() -> None:
        async with finding() as heard:
            await asyncio.sleep(0)
            assert heard.problems == ["the network cannot be asked: [Errno 24] Too many open files"]

    run(scenario)


@pytest.mark.long
def test_tables_that_are_asked_anew_take_no_place_from_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding_tables, "MOST_TABLES", 2)
    monkeypatch.setattr(finding_tables, "RENEW_S", 0.3)
    monkeypatch.setattr(finding_tables, "NETWORK_S", 0.1)

    async def scenario() -> None:
        async with announced(KITCHEN), finding() as heard:
            await heard.until(lambda tables: len(tables) == 1)
            async with announced(replace(KITCHEN, table="Cellar", port=8081)):
                await heard.until(lambda tables: len(tables) == 2)
                await asyncio.sleep(1)
        assert TOO_MANY not in heard.problems

    run(scenario)


@pytest.mark.long
def test_everybody_is_asked_anew_from_time_to_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a question may have been lost: here the finder hears nobody who was there before it, until it asks anew."""
    monkeypatch.setattr(finding_tables, "RENEW_S", 0.3)
    monkeypatch.setattr(finding_tables, "NETWORK_S", 0.1)
    asked = []

    class Deaf(TableFinder):
        def _changed(self, zeroconf: object, service_type: object, name: str, state_change: object) -> None:
            asked.append(name)
            if len(asked) > 1:
                super()._changed(zeroconf, service_type, name, state_change)  # type: ignore[arg-type]

    async def scenario() -> None:
        heard = Heard()
        async with announced(KITCHEN):
            keeping = asyncio.create_task(Deaf(heard.tell, LOOPBACK).keep())
            await heard.until(lambda tables: len(tables) == 1)
            keeping.cancel()
            await asyncio.wait([keeping])

    run(scenario)


@pytest.mark.long
def test_an_answer_that_is_lost_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    class Lossy(AsyncServiceInfo):
        async def async_request(self, zc: Zeroconf, *about: object, **more: object) -> bool:
            asked.append(self.name)
            return len(asked) > 1 and await super().async_request(zc, *about, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(finding_tables, "AsyncServiceInfo", Lossy)

    async def scenario() -> None:
        async with announced(KITCHEN), finding() as heard:
            (found,) = await heard.until(lambda tables: len(tables) == 1)
            assert asked[0] == f"{found.name}.{OURS}"

    run(scenario)


def test_an_event_keeps_up_with_tables_that_come_and_go() -> None:
    async def scenario() -> None:
        event = Event([], lambda: 0.0, lambda: datetime.now(UTC))
        assert event.view().finding.startswith("No table was found in this network yet.")
        keeping = [
            asyncio.create_task(work) for work in (event.keep(), TableFinder(event.found, LOOPBACK).keep())
        ]  # fmt: skip
        async with announced(replace(KITCHEN, port=9), "1a2b3c4d"):
            await until(lambda: (shown := event.view().tables) and "not asked yet" not in shown[0].calls)
            (shown,) = event.view().tables
            assert (shown.table, shown.address) == ("Kitchen table", "http://127.0.0.1:9")
            assert shown.calls == "does not answer: Connection refused"
            assert event.view().finding == ""
        async with announced(replace(KITCHEN, port=10), "1a2b3c4d"):
            await until(lambda: [table.address for table in event.view().tables] == ["http://127.0.0.1:10"])
        for task in keeping:
            task.cancel()
        await asyncio.wait(keeping)
        assert event.view().tables == [], "it never answered"

    run(scenario)
