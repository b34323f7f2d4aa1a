"""The announcement, heard by a second zeroconf instance over real multicast on loopback."""

import asyncio
import contextlib
import resource
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from zeroconf import DNSOutgoing, IPVersion, ServiceInfo  # type: ignore[attr-defined]
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from controller.discovery import SERVICE, WEB_SERVICE, Announcement, Discovery, Holder, is_told, who_has
from controller.views import PartState, PartView

LOOPBACK = ("127.0.0.1",)
AUTHORITATIVE_ANSWER = 0x8400
"""The flags of an answer (RFC 6762, section 18)."""
PATIENCE_S = 60
PANTRY = Announcement("Pantry table", "new_york_slice", "0.1.0", 8080)


@contextlib.asynccontextmanager
async def listener() -> AsyncIterator[AsyncZeroconf]:
    zeroconf = AsyncZeroconf(interfaces=list(LOOPBACK), ip_version=IPVersion.V4Only)
    try:
        yield zeroconf
    finally:
        await zeroconf.async_close()


@contextlib.asynccontextmanager
async def announced(announcement: Announcement, **settings: Any) -> AsyncIterator[Discovery]:
    discovery = Discovery(announcement, LOOPBACK, **settings)
    try:
        await discovery.refresh()
        yield discovery
    finally:
        await discovery.close()


async def find(zeroconf: AsyncZeroconf, kind: str, name: str) -> AsyncServiceInfo:
    """Wait until a service of this name is announced and give what is told about it."""
    heard = asyncio.Event()

    def changed(name_heard: str, **_: object) -> None:
        if name_heard == f"{name}.{kind}":
            heard.set()

    browser = AsyncServiceBrowser(
        zeroconf.zeroconf, [kind], handlers=[lambda zeroconf, service_type, name, state_change: changed(name)]
    )
    try:
        await heard.wait()
    finally:
        await browser.async_cancel()
    info = AsyncServiceInfo(kind, f"{name}.{kind}")
    assert await is_told(zeroconf.zeroconf, info, 3000)
    return info


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(PATIENCE_S):
            await scenario()

    asyncio.run(limited())


def test_a_table_is_found_with_what_it_plays() -> None:
    async def scenario() -> None:
        async with announced(PANTRY) as discovery, listener() as zeroconf:
            assert discovery.state.state is PartState.OK
            assert discovery.state.text == "announced as “Pantry table” on 127.0.0.1"
            for kind in (SERVICE, WEB_SERVICE):
                info = await find(zeroconf, kind, "Pantry table")
                assert info.port == 8080
                assert info.parsed_addresses() == ["127.0.0.1"]
                assert info.server == "pantry-table-pizzatable.local."
                assert info.decoded_properties == {
                    "id": discovery._identity,
                    "game": "new_york_slice",
                    "table": "Pantry table",
                    "version": "0.1.0",
                    "path": "/",
                }

    run(scenario)


def test_two_tables_of_one_name_are_both_found() -> None:
    async def scenario() -> None:
        async with announced(PANTRY), announced(Announcement("Pantry table", "pizzeria", "0.1.0", 8081)) as second:
            assert second.name == "Pantry table (2)"
            assert second.state.state is PartState.OK
            async with listener() as zeroconf:
                assert (await find(zeroconf, SERVICE, "Pantry table")).port == 8080
                info = await find(zeroconf, SERVICE, "Pantry table (2)")
                assert (info.port, info.decoded_properties["game"]) == (8081, "pizzeria")

    run(scenario)


class Deaf(Discovery):
    """A table that hears nobody when it takes its name, as where several are switched on at once."""

    async def _is_taken(self, *_: object) -> bool:
        return False

    async def _register(self, zeroconf: AsyncZeroconf, services: list[ServiceInfo]) -> None:
        for service in services:
            await (await zeroconf.async_register_service(service, cooperating_responders=True))
        self._services = services


@pytest.mark.long
def test_a_name_is_never_free_for_those_who_ask_while_others_do() -> None:
    """Repeated questions are passed over and answers held back; the wait is long enough for both."""

    async def scenario() -> None:
        async def ask(after_s: float) -> Holder | None:
            await asyncio.sleep(after_s)
            return await who_has(PANTRY.table, LOOPBACK)

        async with announced(PANTRY):
            holders = await asyncio.gather(*(ask(0.11 * number) for number in range(20)))
        assert holders == [Holder(LOOPBACK, PANTRY.port)] * len(holders)

    run(scenario)


def test_a_name_is_heard_whatever_the_order_of_what_is_told() -> None:
    """Who asks which services there are is told a host's address and its name in any order."""

    async def scenario() -> None:
        table = f"Shuffled.{SERVICE}"
        service = ServiceInfo(SERVICE, table, port=8080, server="shuffled.local.", parsed_addresses=list(LOOPBACK))
        told = DNSOutgoing(AUTHORITATIVE_ANSWER)
        for record in (*service.dns_addresses(), service.dns_service(), service.dns_text()):
            told.add_answer_at_time(record, 0)
        async with listener() as telling, listener() as zeroconf:
            asked = AsyncServiceInfo(SERVICE, table)
            asking = asyncio.create_task(is_told(zeroconf.zeroconf, asked, 3000))
            await asyncio.sleep(0.2)
            telling.zeroconf.async_send(told)
            assert await asking
            assert (asked.parsed_addresses(), asked.port) == (list(LOOPBACK), 8080)

    run(scenario)


def test_tables_that_took_one_name_at_once_part() -> None:
    async def scenario() -> None:
        first, second = (Deaf(replace(PANTRY, port=port), LOOPBACK) for port in (8080, 8081))
        first._identity, second._identity = "1", "2"
        try:
            await asyncio.gather(first.refresh(), second.refresh())
            assert first.name == second.name == "Pantry table"
            second.__class__ = Discovery  # type: ignore[assignment]
            await asyncio.gather(first.refresh(), second.refresh())
            assert (first.name, second.name) == ("Pantry table", "Pantry table (2)")
        finally:
            await first.close()
            await second.close()

    run(scenario)


def test_without_a_network_the_state_says_so_and_nothing_is_raised() -> None:
    async def scenario() -> None:
        told: list[PartView] = []
        discovery = Discovery(PANTRY, ["no-such-interface"], told.append)
        await discovery.refresh()
        await discovery.refresh()
        assert discovery.state.state is PartState.LOST
        assert "No address on no-such-interface" in discovery.state.text
        assert told == [discovery.state]
        await discovery.close()
        await discovery.close()
        assert [view.state for view in told] == [PartState.LOST, PartState.ABSENT]

    run(scenario)


def test_where_the_networks_cannot_be_asked_for_the_state_says_so_and_it_is_tried_again() -> None:
    async def scenario() -> None:
        discovery = Discovery(PANTRY, ["no-such-interface"])
        usual = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, usual[1]))  # as when every file is taken
        try:
            await discovery.refresh()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, usual)
        assert discovery.state.state is PartState.LOST
        assert discovery.state.text == "Not announced: [Errno 24] Too many open files. Trying again."
        await discovery.refresh()
        assert "No address on no-such-interface" in discovery.state.text

    run(scenario)


def test_whatever_goes_wrong_is_shown_and_it_is_tried_again() -> None:
    async def scenario() -> None:
        told: list[PartView] = []
        came = asyncio.Event()

        def note(view: PartView) -> None:
            told.append(view)
            came.set()

        discovery = Discovery(replace(PANTRY, table="x" * 300), LOOPBACK, note)  # no TXT record holds it: a ValueError
        keeping = asyncio.create_task(discovery.keep(interval_s=0.0))
        await came.wait()
        assert [view.state for view in told] == [PartState.LOST]
        assert told[0].text == "Not announced: bytes must be in range(0, 256). Trying again."
        assert not keeping.done()
        keeping.cancel()
        await discovery.close()

    run(scenario)


def test_a_goodbye_that_fails_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with announced(PANTRY) as discovery:

            async def fails(self: AsyncZeroconf) -> None:
                monkeypatch.undo()
                raise RuntimeError("no loop")

            monkeypatch.setattr(AsyncZeroconf, "async_unregister_all_services", fails)
            await discovery.close()
            assert discovery.state.state is PartState.ABSENT

    run(scenario)


@pytest.mark.long
def test_names_whose_letters_no_host_name_has_lead_to_hosts_of_their_own() -> None:
    async def scenario() -> None:
        async with (
            announced(Announcement("Стол А", "pizzeria", "0.1.0", 8080)),
            announced(Announcement("Стол Б", "pizzeria", "0.1.0", 8080)),
            listener() as zeroconf,
        ):
            servers = {(await find(zeroconf, SERVICE, name)).server for name in ("Стол А", "Стол Б")}
            assert len(servers) == 2

    run(scenario)


def test_any_name_is_announced() -> None:
    async def announce(table: str) -> None:
        async with announced(Announcement(table, "new_york_slice", "0.1.0", 8080)) as discovery:
            assert discovery.state.state is PartState.OK, discovery.state.text
            assert discovery.name is not None
            assert len(discovery.name.encode()) <= 63

    async def scenario() -> None:
        names = ["Pete's «Pizza» 🍕 table", "a.b\n", "x" * 200, "…" * 40, ""]
        await asyncio.gather(*map(announce, names))

    run(scenario)
