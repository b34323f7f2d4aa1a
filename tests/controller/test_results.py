"""Results: how the games of journals and of running tables ended, for whoever runs the event."""

import asyncio
import csv
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner, Result
from fastapi import FastAPI

from controller.cli import replay as replay_command
from controller.cli import results as results_command
from controller.cli.results import told_lines
from controller.event import Event
from controller.game import Json
from controller.games.pizza_theory import GAME
from controller.journal import LOST, RECOVERED, Journal
from controller.journal import Record as Entry
from controller.records.journalled import NoSuchGame, record_of
from controller.records.results import TORN, Results, standings
from controller.records.spreadsheet import csv_file, local_time
from controller.views import GameResultView, PlayerResultView, ResultsView
from controller.web.event import create_event_app
from controller.web.hub import Hub
from controller.web.server import serving
from tests.controller.games.random_play import play
from tests.controller.web.table import got, make_app

BEGUN: dict[str, Any] = {"game": "pizza_theory", "seats": [2, 5], "names": ["Ann", "Ben"], "options": {}, "first": 1}
WHERE = {"table": "Left table", "event": "Con"}


def play_whole_game(
    journal: Journal, seed: int = 1, then: Sequence[str] = ("lobby",), names: Sequence[str] = ("Ann", "Ben")
) -> tuple[list[int], tuple[int, ...]]:
    """The totals and the winners."""
    journal.append("game", BEGUN | WHERE | {"names": list(names)}, begins_game=True)
    state = GAME.start(2, {}, 1)
    for ply in play(GAME, state, Random(seed)):
        journal.append("play", {"moves": [GAME.encode_move(ply.move)], "text": "", "source": "table"})
        state = GAME.apply(ply.state, ply.move)
    written = [entry for entry in journal.records() if entry.kind == "play"]
    for kind in then:
        journal.append(*("play", written[-1].data) if kind == "last" else (kind, {}))
    return [sheet.total for sheet in GAME.score(state)], GAME.winners(state)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A journal with a game that was left, of a version that wrote no table's name."""
    path = tmp_path / "journal.sqlite"
    with Journal(path, wall_clock=lambda: datetime(2026, 3, 1, 12, tzinfo=UTC)) as journal:
        journal.append("start", {"version": "1", "game": "pizza_theory"})
        journal.append("game", BEGUN, begins_game=True).result()
    return path


def test_a_game_that_was_played_to_its_end_was_not_left(path: Path) -> None:
    def ends(journal: Journal) -> list[str]:
        told = Results(journal.records).happened(journal.records(game=journal.last_game()), frozenset()) or []
        return [one.text for one in told if one.kind == "left"]

    with Journal(path) as journal:
        journal.append("lobby", {}).result()
        assert ends(journal) == ["The game was left"]
        play_whole_game(journal)
        assert ends(journal) == ["The game was over, and the table waited for the next"]


def ran(*arguments: object) -> Result:
    return CliRunner().invoke(results_command.command, list(map(str, arguments)))


def test_each_game_is_told_and_what_cannot_change_is_looked_at_once(path: Path) -> None:
    asked: list[int] = []
    with Journal(path) as journal:

        def entries_after(seq: int) -> list[Entry]:
            asked.append(seq)
            return journal.records(seq)

        results = Results(entries_after)
        (left,) = results.read().games
        assert (left.table, left.number, left.title, left.over) == ("", 1, "Pizza Theory", False)
        assert left.began == left.ended == "2026-03-01T12:00:00.000+00:00"
        assert [(player.seat, player.name, player.total) for player in left.players] == [
            (2, "Ann", None),
            (5, "Ben", None),
        ]
        totals, winners = play_whole_game(journal)
        again, over = results.read().games
        assert again == left
        assert asked == [0, 2]
        assert (over.table, over.event, over.number, over.over) == ("Left table", "Con", 2, True)
        assert over.began < over.ended
        assert [player.total for player in over.players] == totals
        assert [player.won for player in over.players] == [player in winners for player in (1, 2)]
        notes = record_of(journal.records(), 2).header.notes
        assert (notes["Table"], notes["Event"]) == ("Left table", "Con")


def test_a_game_whose_moves_are_not_understood_hides_no_other(path: Path) -> None:
    with Journal(path) as journal:
        journal.append("play", {"moves": ["of another version"], "text": "", "source": "table"})
        play_whole_game(journal)
        spoilt, over = Results(journal.records).read().games
    assert spoilt.problem
    assert "Error" not in spoilt.problem
    assert not spoilt.over
    assert over.over


def test_a_game_of_which_records_were_lost_says_so_and_one_without_its_beginning_is_no_other_ones(path: Path) -> None:
    with Journal(path) as journal:
        play_whole_game(journal)
        journal.append(LOST, {}, begins_game=True)
        journal.append("play", {"moves": ["of the game that was lost"], "text": "", "source": "table"})
        journal.append("game", BEGUN, begins_game=True)
        journal.append(LOST, {})
        journal.append("play", {"moves": ["after it"], "text": "", "source": "table"})
        play_whole_game(journal)
        _, one, torn, other = Results(journal.records).read().games
        assert one.over
        assert other.over
        assert (one.problem, other.problem) == ("", "")
        assert (one.number, torn.number, other.number) == (2, 4, 5), "the third is lost"
        with pytest.raises(NoSuchGame, match="game 3: its beginning was lost when the journal was damaged"):
            record_of(journal.records(), 3)
        assert torn.problem == "what came after its first part was lost when the journal was damaged"


@pytest.mark.parametrize(
    ("kinds", "over", "doubt"),
    [
        ([], True, ""),
        ([LOST, "lobby"], True, TORN),
        ([RECOVERED], True, TORN),
        (["lobby", LOST, RECOVERED], True, ""),
        ([LOST, "play", RECOVERED], False, ""),
        ([LOST, "undo"], False, ""),
        ([LOST, "undo", RECOVERED, "undo", "last", "lobby"], True, ""),
    ],
)
def test_a_game_that_was_over_may_have_been_taken_back_in_what_was_lost(
    path: Path, kinds: list[str], over: bool, doubt: str
) -> None:
    with Journal(path) as journal:
        play_whole_game(journal, then=kinds)
        game = Results(journal.records).read().games[-1]
    assert (game.over, game.doubt, any(player.won for player in game.players)) == (over, doubt, over)
    assert bool(game.problem) is not over
    assert next(told_lines([game])).endswith(f"({TORN})") is bool(doubt)


@pytest.mark.parametrize(
    "spoilt",
    [
        {"gbme": "pizza_theory"} | {key: value for key, value in BEGUN.items() if key != "game"},
        BEGUN | {"game": "pizza_theorx"}, BEGUN | {"seats": ["2", "x"]}, BEGUN | {"names": ["Ann"]},
    ],
    ids=["key", "game", "seats", "names"],
)  # fmt: skip
def test_a_damaged_letter_in_a_games_beginning_hides_no_other(path: Path, spoilt: dict[str, Json]) -> None:
    with Journal(path) as journal:
        journal.append("game", spoilt, begins_game=True)
        play_whole_game(journal)
        _, one, over = Results(journal.records).read().games
    assert one.problem
    assert not one.over
    assert [player.name for player in one.players] in ([], ["Ann", "Ben"])
    assert over.over


@pytest.mark.parametrize("kinds", [["recovered"], [LOST, "recovered"]])
def test_a_recovery_in_another_start_of_the_computer_moves_no_game_in_time(path: Path, kinds: list[str]) -> None:
    """A recovered journal goes on with a record of the new start before that start's own."""
    noon = datetime(2026, 6, 6, 12, tzinfo=UTC)
    with Journal(path, wall_clock=lambda: noon, monotonic=lambda: 100_000.0) as journal:
        journal.append("start", {"boot": "first"})
        journal.append("game", BEGUN, begins_game=True).result()
    with Journal(path, wall_clock=lambda: noon + timedelta(hours=1), monotonic=lambda: 50.0) as journal:
        for kind in kinds:
            journal.append(kind, {})
        journal.append("start", {"boot": "second"})
        *_, game = Results(journal.records, boot="second", clock=lambda: 60.0).read().games
    assert (game.began[:16], game.began_ago_s) == ("2026-06-06T12:00", None)


def test_a_time_that_was_damaged_beyond_all_calendars_is_told_by_the_wall_clock(path: Path) -> None:
    noon, since_boot_s = datetime(2026, 6, 6, 12, tzinfo=UTC), iter([1.0, 1e300, 3.0])
    with Journal(path, wall_clock=lambda: noon, monotonic=lambda: next(since_boot_s)) as journal:
        journal.append("start", {"boot": "first"})
        journal.append("game", BEGUN, begins_game=True)
        journal.append("start", {"boot": "first"})
        assert Results(journal.records).read().games[-1].began[:16] == "2026-06-06T12:00"


def test_a_clock_that_is_put_right_in_the_middle_tells_the_times_before_too(tmp_path: Path) -> None:
    """As on a Raspberry Pi, which has no clock of its own, once it finds a time server."""
    wrong, right = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 6, 6, 9, tzinfo=UTC)
    since_boot_s, switched_on = 60.0, wrong
    path = tmp_path / "journal.sqlite"

    def wall_clock() -> datetime:
        return switched_on + timedelta(seconds=since_boot_s)

    with Journal(path, wall_clock=wall_clock, monotonic=lambda: since_boot_s) as journal:
        results = Results(journal.records, boot="second", clock=lambda: since_boot_s)
        journal.append("start", {"boot": "first"})
        play_whole_game(journal)
        since_boot_s, switched_on = 30.0, wrong + timedelta(days=1)
        journal.append("start", {"boot": "second"})
        play_whole_game(journal)
        since_boot_s = 630.0
        before = results.read()
        switched_on = right
        play_whole_game(journal)
        since_boot_s = 1230.0
        old, second, third = results.read().games
        lines = [results.happened(journal.records(game=game), frozenset()) or [] for game in journal.games()[:2]]
        assert [(line[0].at, line[0].ago_s) for line in lines] == [(old.began, None), (second.began, 1200.0)]
        assert results.happened(journal.records(game=1), frozenset()) is None, "before any game"
        assert results.happened(journal.records(game=3), frozenset()) is None
        told = datetime.now(UTC)
        app = make_app(results=results.read)

        async def ask() -> Result:
            async with serving(app, Hub(), "127.0.0.1", 0) as port:
                return await asyncio.to_thread(ran, "--csv", "--since", "2026-02-01", f"http://127.0.0.1:{port}")

        rows = list(csv.DictReader(asyncio.run(ask()).stdout.splitlines()))
    assert [game.began[:16] for game in before.games] == ["2026-01-01T00:01", "2026-01-02T00:00"]
    assert (old.began[:19], old.began_ago_s) == ("2026-01-01T00:01:00", None), "no more is known of this one"
    assert (second.began[:19], second.began_ago_s) == ("2026-06-06T09:00:30", 1200.0)
    assert (third.began[:19], third.ended_ago_s) == ("2026-06-06T09:10:30", 600.0)
    identities = [game.identity for game in (*before.games, third)]
    assert [old.identity, second.identity, third.identity] == identities, "the same by whatever clock"
    assert len(set(identities)) == 3
    began = {row["number"]: datetime.fromisoformat(row["began"]).astimezone() for row in rows}
    ago_s = [(told - began[str(game.number)]).total_seconds() for game in (second, third)]
    assert ago_s == pytest.approx([1200, 600], abs=10), "by the clock of whoever asks"
    assert str(old.number) not in began


def test_the_command_tells_games_and_standings_of_several_tables(path: Path, tmp_path: Path) -> None:
    with Journal(path) as journal:
        _, winners = play_whole_game(journal)
    said = ran(path, tmp_path / "none")
    assert said.exit_code == 1
    assert f"Error: {tmp_path / 'none'}: expected a journal.sqlite" in said.stderr
    first, second, _, *standings = said.stdout.splitlines()
    assert first.endswith("  Game 1  Pizza Theory: Ann 2, Ben 2: not over"), "as it stood"
    assert "  Left table, game 2  Pizza Theory: Ann " in second
    best = BEGUN["names"][winners[0] - 1]
    assert standings[:2] == ["Games over: 1 of 2", f"1. {best}  won 1 of 1"]
    assert "Game 1  Pizza Theory" not in ran("--since", "2026-03-02", path).stdout


def test_two_tables_of_one_name_are_told_apart_and_those_without_a_name_are_nobody(tmp_path: Path) -> None:
    """Two tables whose settings say the same name, on which a game each was played by people who said no names."""
    paths = [tmp_path / "one.sqlite", tmp_path / "other.sqlite"]
    for path, names in zip(paths, (["Orange", "Player 2"], ["Orange", "Zoë"]), strict=True):
        with Journal(path) as journal:
            play_whole_game(journal, names=names)
    said = ran(*paths)
    assert [f"Left table ({path}), game 1 " in said.stdout for path in paths] == [True, True]
    assert " Zoë  won " in said.stdout
    assert " Orange  won" not in said.stdout, "seat 2 is called so where nobody says anything"
    assert " Player 2  won" not in said.stdout
    assert "Games over: 2 of 2" in ran("--event", "Con", *paths).stdout
    assert "Games over: 2 of 2" in ran("--event", " cON", *paths).stdout
    other = ran("--event", "Other", *paths)
    assert "Games over: 0 of 0" in other.stdout
    assert other.stderr == "No game is of the event 'Other'; their tables' settings say 'Con'\n"
    assert "(" not in ran(paths[0]).stdout


@pytest.mark.parametrize("identity", ["1-1", ""])
def test_a_table_that_is_named_twice_is_counted_once_and_this_is_said(path: Path, identity: str) -> None:
    with Journal(path) as journal:
        play_whole_game(journal)
        told = Results(journal.records, identity=identity).read()
    app = make_app(results=lambda: told)

    async def ask() -> tuple[list[str], Result]:
        async with serving(app, Hub(), "127.0.0.1", 0) as port:
            there = f"http://127.0.0.1:{port}"
            sources = [there, f"{there}/", f"http://{'localhost' if identity else '127.0.0.1'}:{port}/results"]
            return sources, await asyncio.to_thread(ran, *sources)

    (there, *others), said = asyncio.run(ask())
    assert said.exit_code == 0
    assert "\nGames over: 1 of 2\n" in said.stdout
    assert "(" not in said.stdout
    assert said.stderr == "".join(f"{one} is the table of {there}: its games are counted once\n" for one in others)
    other = path.parent / "." / "x" / ".." / path.name
    (path.parent / "x").mkdir()
    assert "\nGames over: 1 of 2\n" in ran(path, other).stdout


def test_games_of_simulated_people_are_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with Journal(path) as journal:
        journal.append("game", BEGUN | {"simulated": True}, begins_game=True)
        journal.append("game", BEGUN, begins_game=True)
    assert "  Pizza Theory (simulated): " in ran(path).stdout.splitlines()[0]
    assert "  Pizza Theory: " in ran(path).stdout.splitlines()[1]
    rows = csv.DictReader(ran("--csv", path).stdout.splitlines())
    assert [row["simulated"] for row in rows] == ["True", "True", "False", "False"]


def test_simulated_games_make_no_standings_but_where_there_are_no_others() -> None:
    def won(by: str, *, simulated: bool) -> GameResultView:
        player = PlayerResultView(seat=1, name=by, total=7, won=True)
        told = {"number": 1, "game": "slice", "title": "SLICE", "began": "", "ended": "", "over": True}
        told |= {"table": "", "event": "", "players": [player], "simulated": simulated}
        return GameResultView.model_validate(told)

    tried, played = won("Robot", simulated=True), won("Ann", simulated=False)
    assert [one.name for one in standings([tried, played])] == ["Ann"]
    assert [one.name for one in standings([tried])] == ["Robot"]


def test_who_did_as_well_as_others_shares_their_rank() -> None:
    games = []
    for number, (winner, loser) in enumerate([("Ann", "Ben"), ("Cem", "Dan"), ("Eve", "Dan"), ("Fay", "Eve")]):
        players = [PlayerResultView(seat=1, name=winner, total=7, won=True)]
        players.append(PlayerResultView(seat=2, name=loser, total=3, won=False))
        told = {"table": "", "event": "", "number": number, "game": "slice", "title": "SLICE", "players": players}
        told |= {"began": "2026-03-01T12:00:00+00:00", "ended": "2026-03-01T12:40:00+00:00", "over": True}
        games.append(GameResultView.model_validate(told))
    ranks = [("Ann", 1), ("Cem", 1), ("Fay", 1), ("Eve", 4), ("Ben", 5), ("Dan", 6)]
    assert [(one.name, one.rank) for one in standings(games)] == ranks
    assert list(told_lines(games))[-4:-2] == ["1. Fay  won 1 of 1", "4. Eve  won 1 of 2"]


def test_one_person_is_one_however_the_name_is_typed_and_called_as_last(path: Path) -> None:
    with Journal(path) as journal:
        for ann, zoe in (("Ann", "Zoe\u0308"), ("ANN", "Zoë "), ("A\u200bnn", "zoë"), ("Ann", "Zoë")):
            play_whole_game(journal, names=[ann, zoe])
        read = Results(journal.records).read()
    assert {one.name: one.played for one in read.standings} == {"Ann": 4, "Zoë": 4}
    assert standings(read.games[::-1]) == read.standings, "in whatever order tables tell them"


def test_a_game_of_two_who_have_one_name_counts_once(path: Path) -> None:
    """As tables let them begin one before names were kept apart."""
    with Journal(path) as journal:
        play_whole_game(journal, names=["Ann", "Ann"])
        (ann,) = Results(journal.records).read().standings
    assert (ann.name, ann.won, ann.played) == ("Ann", 1, 1)
    assert ran(path).stdout.endswith("\n1. Ann  won 1 of 1\n")


CALLED = ("=HYPERLINK(1)", "\x1b[2JBen 👩\u200d🍳")
"""A formula, and what clears a terminal's window."""


def test_a_spreadsheet_has_a_line_for_each_player(path: Path) -> None:
    with Journal(path) as journal:
        totals, _ = play_whole_game(journal)
    rows = list(csv.DictReader(ran("--csv", path).stdout.splitlines()))
    assert [(row["number"], row["over"], row["seat"], row["name"], row["total"], row["so_far"]) for row in rows] == [
        ("1", "False", "2", "Ann", "", "2"),
        ("1", "False", "5", "Ben", "", "2"),
        ("2", "True", "2", "Ann", str(totals[0]), ""),
        ("2", "True", "5", "Ben", str(totals[1]), ""),
    ]


def test_a_spreadsheets_times_are_those_of_the_clock_on_the_wall(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Journal(path) as journal:
        play_whole_game(journal)
        (game, *_) = [game for game in Results(journal.records).read().games if game.over]
    monkeypatch.setenv("TZ", "Asia/Kolkata")  # five and a half hours ahead all year
    time.tzset()
    try:
        rows = list(csv.DictReader(csv_file([game]).decode("utf-8-sig").splitlines()))
    finally:
        monkeypatch.undo()
        time.tzset()
    ended = rows[0]["ended"]
    assert (len(ended), ended[10]) == (19, " "), "else a spreadsheet takes it for text"
    assert datetime.fromisoformat(ended) - datetime.fromisoformat(game.ended[:19]) == timedelta(hours=5, minutes=30)


@pytest.mark.parametrize(
    ("zone", "told"), [("America/New_York", "0001-01-01T00:00:00"), ("Asia/Kolkata", "9999-12-31T23:59:59")]
)
def test_a_year_that_no_clock_has_breaks_no_spreadsheet(zone: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other machines say when their games were."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        said = local_time(f"{told}+00:00")
    finally:
        monkeypatch.undo()
        time.tzset()
    assert said.isoformat() == f"{told}+00:00"


def test_a_spreadsheet_says_which_results_are_in_doubt_and_which_cannot_be_told(path: Path) -> None:
    with Journal(path) as journal:
        play_whole_game(journal, then=[LOST])
    rows = list(csv.DictReader(ran("--csv", path).stdout.splitlines()))
    assert {(row["number"], row["doubt"], row["problem"]) for row in rows} == {("1", "", ""), ("2", TORN, "")}


def test_names_of_other_machines_are_neither_formulas_nor_a_terminals_commands(path: Path) -> None:
    with Journal(path) as journal:
        play_whole_game(journal)
        (game,) = [game for game in Results(journal.records).read().games if game.over]
    called = [player.model_copy(update={"name": name}) for player, name in zip(game.players, CALLED, strict=True)]
    told = ResultsView(games=[game.model_copy(update={"players": called})], standings=[])
    app = make_app(results=lambda: told)

    async def ask(*options: str) -> str:
        async with serving(app, Hub(), "127.0.0.1", 0) as port:
            return (await asyncio.to_thread(ran, *options, f"http://127.0.0.1:{port}")).stdout

    rows = list(csv.DictReader(asyncio.run(ask("--csv")).splitlines()))
    assert [row["name"] for row in rows] == ["'=HYPERLINK(1)", "?[2JBen 👩\u200d🍳"]
    assert "=HYPERLINK(1)" in asyncio.run(ask())
    assert "\x1b" not in asyncio.run(ask())


def test_a_page_gives_the_same_lines_as_a_file_that_spreadsheets_read_right(path: Path) -> None:
    with Journal(path) as journal:
        play_whole_game(journal, names=["Zoë", "Jürgen"])
        results = Results(journal.records).read()
    app = make_app(results=lambda: results)
    answer = asyncio.run(got(app, "/api/results.csv"))
    assert answer.headers["content-disposition"] == 'attachment; filename="games.csv"'
    assert answer.content.startswith(b"\xef\xbb\xbf"), "or some take ë for another letter"
    assert answer.content.decode("utf-8-sig").splitlines() == ran("--csv", path).stdout.splitlines()
    assert ",Zoë," in answer.text


def test_running_tables_are_asked_at_their_address(path: Path) -> None:
    with Journal(path) as journal:
        app = make_app(results=Results(journal.records).read)

        async def ask() -> tuple[Result, Result]:
            async with serving(app, Hub(), "127.0.0.1", 0) as port:
                asked = asyncio.to_thread(ran, f"http://127.0.0.1:{port}/?host=x")
                return await asked, await asyncio.to_thread(ran, f"http://127.0.0.1:{port}", path)

        alone, held = asyncio.run(ask())
    assert alone.exit_code == 0
    assert "Game 1  Pizza Theory: Ann 2, Ben 2: not over" in alone.stdout
    assert held.exit_code == 1
    assert "has this journal open. If its table runs, give that table's address instead" in held.stderr


def test_a_table_that_was_updated_before_says_more_and_is_understood(path: Path) -> None:
    newer = FastAPI()
    with Journal(path) as journal:
        told = Results(journal.records).read().model_dump()

    @newer.get("/api/results")
    def results() -> dict[str, Any]:
        game = {**told["games"][0], "weather": "rain"}
        return told | {"games": [game | {"players": [{**player, "age": 9} for player in game["players"]]}], "more": 1}

    async def ask() -> Result:
        async with serving(newer, Hub(), "127.0.0.1", 0) as port:
            return await asyncio.to_thread(ran, f"http://127.0.0.1:{port}")

    assert "Game 1  Pizza Theory: Ann 2, Ben 2: not over" in asyncio.run(ask()).stdout


def test_games_of_a_journal_that_was_copied_are_counted_once(path: Path) -> None:
    with Journal(path) as journal:
        play_whole_game(journal)
    copied = path.with_name("copied.sqlite")
    copied.write_bytes(path.read_bytes())
    with Journal(copied) as journal:
        play_whole_game(journal)
    alone, both = ran(path), ran(path, copied)
    assert "Games over: 1 of 2" in alone.stdout
    assert "Games over: 2 of 4" in both.stdout
    assert both.stderr == f"{copied} has 1 game of another table, whose folder was copied: each is counted once\n"


def test_what_is_no_table_is_said() -> None:
    async def ask() -> list[Result]:
        async with serving(make_app(results=_failing), Hub(), "127.0.0.1", 0) as port:
            addresses = (f"http://127.0.0.1:{port}", "ftp://x", "http://127.0.0.1:1")
            return [await asyncio.to_thread(ran, address) for address in addresses]

    failing, no_http, nobody = asyncio.run(ask())
    assert "cannot be asked: The table failed to do this; its log says more" in failing.stderr
    assert "Error: ftp://x: expected an address such as" in no_http.stderr
    assert "Error: http://127.0.0.1:1: cannot be asked: Connection refused" in nobody.stderr


def test_the_screen_of_an_event_is_told_from_a_table() -> None:
    event = Event([], time.monotonic, lambda: datetime.now(UTC))

    async def ask() -> tuple[int, Result]:
        async with serving(create_event_app(event, "1"), Hub(), "127.0.0.1", 0) as port:
            return port, await asyncio.to_thread(ran, f"http://127.0.0.1:{port}/")

    port, told = asyncio.run(ask())
    assert "it is the screen of an event, expected a table" in told.stderr
    assert f"are at http://127.0.0.1:{port}/api/event.csv" in told.stderr


def test_where_nobody_could_be_asked_no_games_are_counted(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("once upon a time " * 100)
    for options in ((), ("--csv",)):
        said = ran("http://127.0.0.1:1", tmp_path / "notes.txt", *options)
        assert (said.exit_code, said.stdout) == (1, "")
        assert said.stderr.count("Error: ") == 2


def test_of_a_damaged_journal_is_said_what_to_do(path: Path) -> None:
    with Journal(path) as journal:
        play_whole_game(journal)
    content = bytearray(path.read_bytes())
    content[4096:8192] = bytes(4096)
    path.write_bytes(content)
    replayed = CliRunner().invoke(replay_command.command, ["--journal", str(path)])
    for said in (ran(path), replayed):
        assert (said.exit_code, said.stdout) == (1, "")
        assert said.stderr.startswith(f"Error: {path}: expected a journal that reads back whole, found: ")
        assert said.stderr.endswith(". Starting its table (`pizzatable run`) recovers what can be read.\n")


def _failing() -> ResultsView:
    raise RuntimeError("no results")
