"""What an event's screen knows of tables that are gone, when it is started again."""

import asyncio
import json
import resource
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from controller.cli.event import command
from controller.event import Event
from controller.kept_event import HELD_AGAIN_S, HELD_TRIES, EventFile, EventFileError, KeptTable, _alone
from controller.views import GameResultView
from tests.controller.test_event import NOW, SLOW_MACHINE_S, Moving, announced, game, named, tables
from tests.controller.web.fixture_views import lobby
from tests.controller.web.table import until

ANN, BEN = ("Ann", 9, True), ("Ben", 8, True)
SLOW_DISK_S = 60.0
"""A busy disk may take many seconds to say that it has written a file."""
LEFT = named(lobby(), "Left")


def file_in(folder: Path, event: str = "Con", hours: float = 0.0) -> EventFile:
    return EventFile(folder, event, lambda: NOW + timedelta(hours=hours))


def keep(moving: Moving, file: EventFile) -> str:
    """As the program does after a change."""
    return file.update(lambda before: moving.event._kept(moving.event._told(), before))


def again(file: EventFile, *addresses: str, **options: Any) -> Moving:
    kept, missing = file.read()
    return Moving(*addresses, event="Con", kept=kept, missing=missing, **options)


def kept(*games: GameResultView, name: str = "Left", identity: str = "1-1") -> KeptTable:
    own = [one.model_copy(update={"began_ago_s": None, "ended_ago_s": None}) for one in games]
    return KeptTable(name=name, address="http://a", identities=[identity], games=own)


@asynccontextmanager
async def program(folder: Path, *arguments: str) -> Any:
    """`pizzatable event`, ended by a power cut; its address."""
    code = "from controller.cli.event import command; command()"
    running = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, "--port", "0", "--data", str(folder), *arguments,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert running.stdout is not None
    try:
        line = b""
        while b"On this machine" not in line:
            line = await asyncio.wait_for(running.stdout.readline(), 10 + SLOW_MACHINE_S)
            assert line, await running.communicate()
        yield line.decode().split()[-1]
    finally:
        running.kill()
        await running.communicate()


async def shown_by(address: str) -> Any:
    def ask() -> Any:
        with urllib.request.urlopen(f"{address}api/event") as answer:
            return json.load(answer)

    return await asyncio.to_thread(ask)


def test_a_power_cut_of_the_screen_loses_no_game_of_a_table_that_is_gone(tmp_path: Path) -> None:
    async def scenario() -> None:
        won = [game("Left", 5, ANN, event="Con")]
        async with (
            tables((LEFT, won), identities=["1-1"]) as ((address,), _),
            program(tmp_path, "--event", "Con", address),
            asyncio.timeout(SLOW_DISK_S),
        ):
            await until(lambda: any(tmp_path.glob("event-con-*.json")))
        async with program(tmp_path, "--event", "CON", address) as screen:
            view = await shown_by(screen)
            assert (view["games"], [one["name"] for one in view["standings"]], view["kept"]) == (1, ["Ann"], "")
            assert view["twice"].endswith("by tables that are not here, and count on: 1 of “Left”.")
        for arguments in (["--event", "Con", "--anew"], ["--event", "Con"], ["--event", "Other"], []):
            async with program(tmp_path, *arguments, address) as screen:
                assert (await shown_by(screen))["games"] == 0, arguments

    asyncio.run(scenario())
    assert len(list(tmp_path.glob("event-con-*-aside-1.json"))) == 1, "what was set aside is there"


def test_a_table_that_comes_back_having_played_on_counts_each_game_once(tmp_path: Path) -> None:
    file = file_in(tmp_path)
    over, begun = game("Left", 30, ANN, event="Con"), game("Left", 5, BEN, event="Con", over=False)
    begun = begun.model_copy(update={"number": 3})
    ended = game("Left", 0, BEN, event="Con").model_copy(update={"number": 3})
    renamed = over.model_copy(update={"players": [over.players[0].model_copy(update={"name": "Zoe"})]})
    taken_back = over.model_copy(update={"over": False})

    async def counted(identity: str, games: Sequence[GameResultView]) -> list[tuple[int, int, str]]:
        told = []
        for where in ("a", "b"):
            moving = again(file, "http://a", "http://b")
            assert moving.event.view().games == 1, "before it has answered"
            view = await moving.after(**{where: (identity, LEFT, list(games))})
            told.append((view.games, len(moving.event.games()), view.twice))
            gone = await moving.after()
            assert gone.games == view.games
        return told

    async def scenario() -> None:
        moving = Moving("http://a", event="Con")
        await moving.after(a=("1-1", LEFT, [over, begun]))
        keep(moving, file)
        assert await counted("1-1", [over, begun]) == [(1, 2, "")] * 2
        assert await counted("1-2", [over, ended]) == [(2, 2, "")] * 2
        assert await counted("1-2", [renamed, ended]) == [(2, 2, "")] * 2
        assert await counted("1-1", [taken_back, ended]) == [(1, 2, "")] * 2
        copied = await counted("1-9", [over])
        assert [one[:2] for one in copied] == [(1, 2)] * 2, "a copy of it from before"
        other = await counted("2-1", [game("Right", 3, BEN, event="Con")])
        assert [one[:2] for one in other] == [(2, 3)] * 2

    asyncio.run(scenario())


def test_a_game_that_is_taken_back_after_its_end_while_nobody_asks_counts_as_it_ended_last(tmp_path: Path) -> None:
    """Also where its table was started again meanwhile, whose journal has lost other games or not; an older copy of the
    journal takes nothing from it."""
    file = file_in(tmp_path)

    def known(one: GameResultView, number: int, minute: int, longer_s: float = 0.0) -> GameResultView:
        since = {"began_ago_s": 60.0 * minute + 1800 + longer_s, "ended_ago_s": 60.0 * minute}
        return one.model_copy(update={"number": number, "identity": f"at {number}"} | since)

    first = known(game("Left", 0, ANN, event="Con"), 2, 90)
    by_ann = known(game("Left", 0, ANN, (*BEN[:2], False), event="Con"), 3, 50)
    by_ben = known(game("Left", 0, (*ANN[:2], False), BEN, event="Con"), 3, 40, 600.0)
    taken_back = known(game("Left", 0, (*ANN[:2], False), event="Con", over=False), 3, 50)
    older = known(game("Left", 0, (*ANN[:2], False), event="Con", over=False), 3, 60, -600.0)

    async def won(identity: str, *games: GameResultView) -> list[object]:
        told = []
        for moving in (again(file, "http://a"), running):
            view = await moving.after(a=(identity, LEFT, list(games)))
            told.append([view.games, *sorted(f"{one.name} {one.won}" for one in view.standings if one.won)])
        assert told[0] == told[1], "as the screen was started again meanwhile, and as it was not"
        return told[0]

    running = Moving("http://a", event="Con")

    async def scenario() -> None:
        nonlocal running
        for identity, games, expected in (
            ("1-2", (first, by_ben), [2, "Ann 1", "Ben 1"]),
            ("1-2", (first, taken_back), [1, "Ann 1"]),
            ("1-2", (by_ben,), [2, "Ann 1", "Ben 1"]),
            ("1-2", (first, older), [2, "Ann 2"]),
            ("2-1", (first, by_ben), [3, "Ann 2", "Ben 1"]),
        ):
            running = Moving("http://a", event="Con")
            await running.after(a=("1-1", LEFT, [first, by_ann]))
            keep(running, file)
            assert await won(identity, *games) == expected

    asyncio.run(scenario())


def test_a_copy_of_a_table_that_is_gone_takes_nothing_from_it() -> None:
    """Nor does it itself, when its journal has lost games."""

    async def scenario() -> None:
        before, own = game("Left", 30, ANN), game("Left", 5, BEN)
        moving = Moving("http://a")
        moving.event.found([announced("Left", "1-1", "http://a")])
        await moving.after(a=("1-1", LEFT, [before, own]))
        assert (await moving.after(a=("1-2", LEFT, [before]))).games == 2
        assert (await moving.after(a=("1-3", LEFT, [before, own]))).games == 2

    asyncio.run(scenario())


def test_a_table_without_a_clock_keeps_its_times_also_where_the_screen_is_started_again(tmp_path: Path) -> None:
    file, played = file_in(tmp_path), game("Left", 50, ANN, event="Con")
    lasted_s = (played.began_ago_s or 0) - (played.ended_ago_s or 0)
    switched_off = played.model_copy(
        update={
            "ended": f"2026-01-01T00:{int(lasted_s) // 60:02}:{lasted_s % 60:06.3f}+00:00",
            "began_ago_s": None,
            "ended_ago_s": None,
        }
    )

    async def scenario() -> None:
        moving = Moving("http://a", event="Con")
        before = await moving.after(a=("1-1", LEFT, [played]))
        keep(moving, file)
        after = await again(file, "http://a").after(a=("1-2", LEFT, [switched_off]))
        assert (after.newest, after.twice) == (before.newest, "")

    asyncio.run(scenario())


def test_only_what_changes_is_written(tmp_path: Path) -> None:
    """Answers take now longer, now shorter."""
    file, won = file_in(tmp_path), [game("Left", 5, ANN, event="Con")]

    async def scenario() -> None:
        moving = Moving("http://a", event="Con")
        await moving.after(a=("1-1", LEFT, won))
        assert moving.event._changed.is_set()
        keep(moving, file)
        written = file.path.stat().st_ino
        moving.event._changed.clear()
        for late_s in (0.3, 1.2, 0.1):
            took = {"began_ago_s": (won[0].began_ago_s or 0) + 5, "ended_ago_s": (won[0].ended_ago_s or 0) + 5}
            won[0] = won[0].model_copy(update=took)
            moving.now_s += late_s
            await moving.after(a=("1-1", LEFT, [*won, game("Left", 5, ANN)]))
            assert not moving.event._changed.is_set(), "the other game is not of this event"
        keep(moving, file)
        assert file.path.stat().st_ino == written
        await moving.after(a=("1-1", LEFT, [*won, game("Left", 1, BEN, event="Con")]))
        assert moving.event._changed.is_set()
        keep(moving, file)
        assert file.path.stat().st_ino != written

    asyncio.run(scenario())


def test_an_event_without_a_name_keeps_games_of_these_hours(tmp_path: Path) -> None:
    file, since = file_in(tmp_path, ""), NOW.isoformat()
    one = game("Left", 0, ANN).model_copy(update={"began": since, "ended": since})
    file.update(lambda _: [kept(one)])
    assert file_in(tmp_path, "", 11).read() == ([kept(one)], "")
    assert file_in(tmp_path, "", 13).read() == ([], "")
    named_one = file_in(tmp_path, "Con", 0)
    named_one.update(lambda _: [kept(one)])
    assert file_in(tmp_path, "Con", 13).read() == ([kept(one)], "")


def test_two_programs_with_one_file_keep_what_the_other_was_told(tmp_path: Path) -> None:
    first, second = file_in(tmp_path), file_in(tmp_path)

    async def scenario() -> None:
        one, other = Moving("http://a", event="Con"), Moving("http://b", event="Con")
        await one.after(a=("1-1", LEFT, [game("Left", 5, ANN, event="Con")]))
        await other.after(b=("2-1", LEFT, [game("Left", 5, BEN, event="Con")]))
        for _ in range(2):
            keep(one, first)
            keep(other, second)
        assert [table.identities for table in first.read()[0]] == [["1-1"], ["2-1"]]
        assert again(first).event.view().games == 2

    asyncio.run(scenario())


def test_a_folder_that_another_program_holds_for_long_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("controller.kept_event.time.sleep", waits.append)
    with _alone(tmp_path), pytest.raises(EventFileError, match="cannot be written: another program writes there"):
        file_in(tmp_path).update(lambda before: before)
    assert waits == [HELD_AGAIN_S] * HELD_TRIES


GOOD = {"version": 1, "event": "Con", "tables": [kept(game("Left", 5, ANN, event="Con")).model_dump()]}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "no JSON: Expecting value"), ("\0" * 100, "no JSON"), ('{"version": 1, "tab', "no JSON"),
        ("[]", "version 1"), ("\xff", "no UTF-8 text"), ('{"version": 0}', "version 1, found version 0"),
        ('{"version": 2}', "found version 2"),
        (json.dumps(GOOD | {"more": 1}), "more: Extra inputs are not permitted"),
        (json.dumps(GOOD | {"event": "Other"}), "expected the event 'Con', found 'Other'"),
        (json.dumps(GOOD).replace("2026-01-01T", "soon "), "tables.0.games: Value error, game 2: expected ISO 8601"),
        (json.dumps(GOOD).replace('["1-1"]', "[]"), "tables.0.identities: List should have at least 1 item"),
        (json.dumps(GOOD).replace('"1-1"', "11"), "tables.0.identities.0: Input should be a valid string"),
    ],
)  # fmt: skip
def test_a_spoilt_or_another_versions_file_is_said_and_set_aside(tmp_path: Path, content: str, said: str) -> None:
    file = file_in(tmp_path)
    for number in (1, 2):
        file.path.write_bytes(content.encode("latin-1"))
        tables, missing = file.read()
        assert (tables, said in missing) == ([], True), missing
        aside = file.path.with_name(f"{file.path.stem}-aside-{number}.json")
        assert missing.startswith(f"{file.path}: ")
        assert missing.endswith(f"it was set aside as {aside.name}.")
        assert aside.read_bytes() == content.encode("latin-1")
    assert file.read() == ([], "")


@contextmanager
def full_disk() -> Iterator[None]:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_full_disk_is_said_on_the_screen_as_long_as_it_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.event.KEPT_S", 0.01)
    file = file_in(tmp_path)
    file.update(lambda _: [kept(game("Right", 5, BEN, event="Con"), name="Right", identity="2-1")])
    before = file.path.read_bytes()

    async def scenario() -> None:
        async with tables((LEFT, [game("Left", 5, ANN, event="Con")]), identities=["1-1"]) as ((address,), _):
            event = Event([address], lambda: 0.0, lambda: NOW, event="Con")
            keeping = asyncio.create_task(event.keep(file))
            async with asyncio.timeout(SLOW_DISK_S):
                with full_disk():
                    await until(lambda: event.view().kept != "")
                    assert event.view().kept == (
                        "What tables tell is not kept, and lost with this program where they are gone: "
                        f"{file.path}: it cannot be written: File too large."
                    )
                    assert (event.view().games, file.path.read_bytes()) == (1, before)
                await until(lambda: event.view().kept == "")
            keeping.cancel()
        assert [one.name for one in file.read()[0]] == ["Left", "Right"]

    asyncio.run(scenario())


def test_what_was_told_just_before_the_program_is_ended_is_kept(tmp_path: Path) -> None:
    file = file_in(tmp_path)

    async def scenario() -> None:
        over: list[GameResultView] = [game("Left", 5, ANN, event="Con")]
        async with tables((LEFT, over), identities=["1-1"]) as ((address,), _):
            event = Event([address], lambda: 0.0, lambda: NOW, event="Con")
            keeping = asyncio.create_task(event.keep(file))
            async with asyncio.timeout(SLOW_DISK_S):
                await until(file.path.exists)
                over.append(game("Left", 1, BEN, event="Con"))
                await event.look(0, results=True)
                assert event.view().games == 2
            keeping.cancel()
            await asyncio.wait([keeping])
        assert [len(one.games) for one in file.read()[0]] == [2]

    asyncio.run(scenario())


def test_a_folder_that_cannot_be_stops_no_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "file"
    folder.write_text("no folder")
    said: list[str] = []

    async def serve(event: Event, *_: object) -> None:
        said.append(event.view().kept)

    monkeypatch.setattr("controller.cli.event._serve", serve)
    for arguments in ([], ["--anew"]):
        ran = CliRunner().invoke(command, ["--data", str(folder / "in"), *arguments])
        assert ran.exit_code == 0, ran.output
        assert said[-1] in ran.output
        assert said[-1].startswith("Games of tables that are gone by now may be missing: ")
        assert said[-1].endswith("Not a directory.")


def test_of_tables_that_are_named_these_alone_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file_in(tmp_path).update(lambda _: [kept(game("Left", 5, ANN, event="Con"))])
    counted: list[int] = []

    async def serve(event: Event, *_: object) -> None:
        counted.append(event.view().games)

    monkeypatch.setattr("controller.cli.event._serve", serve)
    outputs = [
        CliRunner().invoke(command, ["--data", str(tmp_path), "--event", "Con", *named]).output
        for named in ([], ["http://a"], ["http://b"])
    ]
    assert counted == [1, 1, 0]
    assert outputs[:2] == ["", ""]
    assert outputs[2].endswith("their tables are not among those named: 1 of Left (http://a)\n")
