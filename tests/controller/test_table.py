"""The table: lobby, a whole game, corrections, the journal, and that what is shown has been written."""

import asyncio
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import Future
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from config.loader import load_table
from config.schema import Confirm
from controller.commands import CommandError, InvalidCommand, Sitting
from controller.game import Actor
from controller.games.new_york_slice import GAME
from controller.games.new_york_slice.rules import Phase
from controller.games.registry import game_names, load_game, load_part
from controller.hands import Lay
from controller.journal import LOST, RECOVERED, Journal, JournalDamaged, JournalError
from controller.journal_recovery import open_recovering
from controller.reading import Reading
from controller.records.journalled import record_of
from controller.records.results import Results
from controller.referee import GLARE, Referee
from controller.table import RESULT_STAYS_S, NotReplayed, Table
from controller.table_view import LOG_LINES
from controller.views import BoardView, PartState, PartView, RefereeState, TableView
from controller.wiring import timing
from firmware_bridge.session import LinkState
from firmware_bridge.signals import HOST_SEAT, Signal, SignalKind
from tests.controller.laid_table import LaidTable, Outlets, make_table
from tests.controller.web.table import until
from vision.scene import HiddenCause, HiddenPlace, Pose

Test = Callable[..., Coroutine[Any, Any, None]]


def in_loop(test: Test) -> Callable[..., None]:
    """A test that awaits."""

    @wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        asyncio.run(test(*args, **kwargs))

    return run


@asynccontextmanager
async def playing(folder: Path, players: int = 3, seed: int = 2) -> AsyncIterator[LaidTable]:
    """A game that has just begun."""
    table = LaidTable(folder, players, seed)
    with table.journal:
        await table.start()
        yield table


@asynccontextmanager
async def in_lobby(folder: Path) -> AsyncIterator[tuple[Table, Outlets, Journal]]:
    outlets = Outlets()
    with Journal(folder / "journal.sqlite") as journal:
        table = make_table(journal, outlets)
        await table.start()
        yield table, outlets, journal


async def signals(table: Table, seat: int, *kinds: SignalKind, at_s: float = 1.0) -> None:
    for kind in kinds:
        await table.on_signal(Signal(seat, kind, at_s, 0.001))


async def press(table: Table, *seats: int) -> TableView:
    for seat in seats:
        await signals(table, seat, SignalKind.BUTTON_PRESSED, SignalKind.BUTTON_RELEASED)
    assert table.view is not None
    return table.view


# The lobby ------------------------------------------------------------------------------------------------------------


@in_loop
async def test_buttons_join_and_leave(tmp_path: Path) -> None:
    async with in_lobby(tmp_path) as (table, outlets, _):
        view = await press(table, 4, 2)
        assert {s.seat for s in view.seats if s.lamp == "on"} == {2, 4}
        assert outlets.lamps[4] == "on"
        assert "2 players have joined" in view.message
        view = await press(table, 4)
        assert {s.seat for s in view.seats if s.lamp == "on"} == {2}
        assert "press your button to join" in view.message
        assert view.position is None


@in_loop
async def test_one_player_is_too_few(tmp_path: Path) -> None:
    async with in_lobby(tmp_path) as (table, _, _):
        view = await press(table, 4, HOST_SEAT)
        assert view.position is None
        assert table.state is None
        assert {s.seat for s in view.seats if s.lamp == "on"} == {4}


@in_loop
async def test_the_hosts_button_starts_and_players_sit_clockwise(tmp_path: Path) -> None:
    async with in_lobby(tmp_path) as (table, _, journal):
        view = await press(table, 5, 1, 3, HOST_SEAT)
        assert {s.seat: s.player for s in view.seats if s.player} == {1: 1, 3: 2, 5: 3}
        assert view.turn.players == [1]
        assert table.state.players == 3
        assert journal.last_game() is not None
        (game,) = Results(journal.records).read().games
        assert game.simulated, "as the table is"


@pytest.mark.parametrize(
    ("buttons", "simulated", "said"),
    [
        (True, True, "New York Slice: press your button to join, 2 to 4 players."),
        (False, True, "New York Slice: the simulated players sit down."),
        (False, False, "New York Slice for 2 to 4 players: the host says who plays, at Game… on the host's page."),
    ],
)
@in_loop
async def test_a_table_says_how_many_find_a_seat(tmp_path: Path, buttons: bool, simulated: bool, said: str) -> None:
    settings = load_table([])
    seats = {number: seat for number, seat in settings.seats.items() if number <= 4}
    ends = settings.timing.model_copy(update={"confirm": Confirm.BUTTON if buttons else Confirm.REST})
    with Journal(tmp_path / "journal.sqlite") as journal:
        config = settings.model_copy(update={"seats": seats, "timing": ends})
        table = make_table(journal, Outlets(), config=config, simulated=simulated)
        await table.start()
        assert table.view is not None
        assert table.view.message == table.view.turn.prompt == said
        with pytest.raises(InvalidCommand, match=r"^1 player: New York Slice takes 2 to 4 at this table$"):
            await table.new_game([Sitting(1, "Ada")], {})


@in_loop
async def test_who_sits_at_a_seat_by_the_settings_is_called_so_at_its_button(tmp_path: Path) -> None:
    settings = load_table([])
    seats = {n: seat.model_copy(update={"name": "Mum"}) if n == 5 else seat for n, seat in settings.seats.items()}
    with Journal(tmp_path / "journal.sqlite") as journal:
        table = make_table(journal, Outlets(), config=settings.model_copy(update={"seats": seats}))
        await table.start()
        view = await press(table, 5, 1, HOST_SEAT)
        assert [(seat.name, seat.said) for seat in view.seats if seat.player] == [("Blue", False), ("Mum", True)]


@pytest.mark.parametrize(
    ("sittings", "options", "named"),
    [
        ([Sitting(1, "Ada")], {}, "1 player: New York Slice takes 2 to 6 at this table"),
        ([Sitting(1, "Ada"), Sitting(1, "Bo")], {}, "each seat"),
        ([Sitting(1, "Ada"), Sitting(9, "Bo")], {}, "seat 9"),
        ([Sitting(1, "Ada"), Sitting(2, "Bo")], {"cheese": True}, "cheese"),
        # The settings may name a file; who holds the host's token may not have the table read any.
        ([Sitting(1, "Ada"), Sitting(2, "Bo")], {"components": __file__}, "components: '.*' is no object"),
    ],
)
@in_loop
async def test_a_game_that_cannot_be_is_refused(
    tmp_path: Path, sittings: list[Sitting], options: dict[str, object], named: str
) -> None:
    async with in_lobby(tmp_path) as (table, _, journal):
        with pytest.raises(InvalidCommand, match=named):
            await table.new_game(sittings, options)
        assert table.state is None
        assert [r.kind for r in journal.records()] == ["start"]


@in_loop
async def test_players_are_called_by_their_names(tmp_path: Path) -> None:
    async with in_lobby(tmp_path) as (table, _, _):
        await table.new_game([Sitting(4, "Ünal"), Sitting(2, "Player 2")], {})
        assert table.view is not None
        assert [(s.name, s.player) for s in table.view.seats if s.player] == [("Player 2", 1), ("Ünal", 2)]
        assert "Player 2" in table.view.turn.prompt


@in_loop
async def test_all_who_act_at_once_are_called_by_their_names(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.sqlite") as journal:
        table = make_table(journal, Outlets(), game="pizza_theory")
        await table.start()
        await table.new_game([Sitting(1, "Ann"), Sitting(3, "Bo"), Sitting(5, "Cy")], {})
        for text in ("P1 adds d4", "P2 adds a4", "P3 adds g4"):
            await table.rule_move(text)
        assert table.view is not None
        assert table.view.turn.prompt == "Ann, Bo and Cy secretly choose a cut"
        assert table.view.turn.named == [1, 2, 3]


@in_loop
async def test_the_host_says_who_begins(tmp_path: Path) -> None:
    async with in_lobby(tmp_path) as (table, _, journal):
        sittings = [Sitting(2, "Ann"), Sitting(4, "Bo")]
        with pytest.raises(InvalidCommand, match=r"first = 3: nobody plays at that seat; expected one of \[2, 4\]"):
            await table.new_game(sittings, {}, first=3)
        await table.new_game(sittings, {}, first=4)
        again = make_table(journal, Outlets())
        await again.start()
        for view in (table.view, again.view):
            assert view is not None
            assert view.turn.players == [2]
        await table.new_game(sittings, {})
        assert table.view is not None
        assert table.view.turn.players == [1]


@in_loop
async def test_too_many_are_told_to_leave(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.sqlite") as journal:
        table = make_table(journal, Outlets(), game="pizza_theory")
        await table.start()
        view = await press(table, 1, 2, 4, 5, HOST_SEAT)
        assert view.message == "4 have joined, Pizza Theory takes 2 to 3 players: press again to leave."
        assert (await press(table, 5)).message.startswith("3 players have joined, Blue begins.")


@in_loop
async def test_who_holds_the_own_button_down_begins(tmp_path: Path) -> None:
    async def hold(table: Table, seat: int) -> None:
        await signals(table, seat, SignalKind.BUTTON_PRESSED, SignalKind.BUTTON_HELD, SignalKind.BUTTON_RELEASED)

    def begins(view: TableView) -> list[int]:
        return [seat.seat for seat in view.seats if seat.begins]

    async with in_lobby(tmp_path) as (table, _, _):
        view = await press(table, 4, 2)
        assert begins(view) == [2], "the lowest seat"
        said = "2 players have joined, Orange begins. To begin instead, hold your button down. The host's button "
        assert view.message == f"{said}starts the game."
        await hold(table, 4)  # who had joined stays
        await hold(table, 5)  # who had not, joins
        assert begins(await press(table)) == [5]
        assert begins(await press(table, 5)) == [2], "who leaves does not begin"
        await hold(table, 4)
        view = await press(table, 5, HOST_SEAT)
        assert {seat.seat: seat.player for seat in view.seats if seat.player} == {2: 1, 4: 2, 5: 3}
        assert view.turn.players == [2]
        assert begins(view) == []
        await hold(table, 5)
        assert (await press(table)).turn.players == [2], "in a game it says nothing"
        await table.to_lobby()
        view = await press(table, 2, 4, 5)
        assert begins(view) == [2], "it was said for that game"


@in_loop
async def test_who_wants_to_begin_is_never_shown_as_having_left(tmp_path: Path) -> None:
    """Of who has joined a press may be the beginning of a hold: they leave when the button is let go before that."""
    async with in_lobby(tmp_path) as (table, outlets, _):
        await press(table, 4, 2)
        outlets.views.clear()
        await signals(table, 4, SignalKind.BUTTON_PRESSED)
        await signals(table, 4, SignalKind.BUTTON_HELD, SignalKind.BUTTON_RELEASED)
        assert [[seat.seat for seat in view.seats if seat.lamp == "on"] for view in outlets.views] == [[2, 4]]
        assert [seat.seat for seat in outlets.views[-1].seats if seat.begins] == [4]
        await signals(table, 2, SignalKind.BUTTON_PRESSED)  # the game is started before the button is let go
        view = await press(table, HOST_SEAT)
        await signals(table, 2, SignalKind.BUTTON_RELEASED)
        assert {seat.seat: seat.player for seat in view.seats if seat.player} == {2: 1, 4: 2}


@in_loop
async def test_a_player_is_renamed_in_the_middle_of_a_game(tmp_path: Path) -> None:
    async with in_lobby(tmp_path) as (table, outlets, journal):
        with pytest.raises(CommandError, match="no game is running: the host begins one at Game…"):
            await table.rename([Sitting(4, "Bo")])
        await table.new_game([Sitting(4, "Player 2"), Sitting(2, "Player 1")], {})
        with pytest.raises(InvalidCommand, match=r"seat 3: nobody plays there; expected one of \[2, 4\]"):
            await table.rename([Sitting(2, "Bo"), Sitting(3, "Bo")])
        with pytest.raises(InvalidCommand, match=r"seats \[2, 2\]: each seat is named once"):
            await table.rename([Sitting(2, "Bo"), Sitting(2, "Mia")])
        await table.rename([Sitting(2, "Ünal")])
        again = make_table(journal, Outlets())
        await again.start()
        for view in (outlets.views[-1], again.view):
            assert view is not None
            assert [(s.name, s.player) for s in view.seats if s.player] == [("Ünal", 1), ("Player 2", 2)]
            assert view.turn.prompt.startswith("Ünal ")
        assert record_of(journal.records()).header.names == ("Ünal", "Player 2")
        assert [player.name for player in Results(journal.records).read().games[0].players] == ["Ünal", "Player 2"]


@in_loop
async def test_in_one_game_everybody_has_another_name(tmp_path: Path) -> None:
    async with in_lobby(tmp_path) as (table, outlets, journal):
        with pytest.raises(InvalidCommand, match=r"^“Ann” is at seat 2 and at seat 4: in one game everybody needs "):
            await table.new_game([Sitting(1, "Bo"), Sitting(2, "Ann"), Sitting(4, " aNN")], {})
        await table.new_game([Sitting(1, "Bo"), Sitting(2, "Ann"), Sitting(4, "Cy")], {})
        before = len(journal.records())
        for alike in (
            [Sitting(4, "ＡNN ")],
            [Sitting(1, "Di"), Sitting(4, "di")],
            [Sitting(1, "Di"), Sitting(2, "Cy")],
        ):
            with pytest.raises(InvalidCommand, match=r"is at seat . and at seat 4: "):
                await table.rename(alike)
        assert len(journal.records()) == before, "none of them was renamed"
        await table.rename([Sitting(1, "Ann"), Sitting(2, "Bo"), Sitting(4, "cy")])
        assert [seat.name for seat in outlets.views[-1].seats if seat.player] == ["Ann", "Bo", "cy"]


@in_loop
async def test_who_is_called_alike_by_the_settings_is_nobody_at_the_buttons(tmp_path: Path) -> None:
    settings, named = load_table([]), {1: "Mum", 3: "Dad", 5: "mum "}
    seats = {n: seat.model_copy(update={"name": named.get(n, seat.name)}) for n, seat in settings.seats.items()}
    with Journal(tmp_path / "journal.sqlite") as journal:
        table = make_table(journal, Outlets(), config=settings.model_copy(update={"seats": seats}))
        await table.start()
        view = await press(table, 1, 3, 5, HOST_SEAT)
        assert [seat.name for seat in view.seats if seat.player] == ["Player 1", "Dad", "Player 3"]


@in_loop
async def test_a_game_begun_before_names_were_kept_apart_goes_on(tmp_path: Path) -> None:
    begun = {"game": "new_york_slice", "seats": [2, 4], "names": ["Ann", "Ann"], "options": {}, "first": 1}
    with Journal(tmp_path / "journal.sqlite") as journal:
        journal.append("game", begun, begins_game=True)
        table = make_table(journal, Outlets())
        await table.start()
        await table.rename([Sitting(4, "Bea")])
        assert table.view is not None
        assert [seat.name for seat in table.view.seats if seat.player] == ["Ann", "Bea"]


# A whole game ---------------------------------------------------------------------------------------------------------


@in_loop
async def test_a_whole_game_and_a_restart_at_every_record(tmp_path: Path) -> None:
    """Whatever was shown had been written, and from every record on the game comes back as it was."""
    async with playing(tmp_path, players=2) as table:
        known: dict[int, tuple[Any, Any]] = {}

        def note(view: TableView) -> None:
            if view.log and view.log[-1].seq not in known:
                last = table.journal.records()[-1]
                assert last.seq == view.log[-1].seq, "shown before it was written"
                known[last.seq] = (table.state, view.position)

        table.outlets.on_view = note
        await play_to_the_end(table)
        assert table.view.referee is RefereeState.OVER
        assert table.view.position["winners"]
        records = table.journal.records()
        assert all(evidence == b"picture" for evidence in [table.journal.evidence(seq) for seq in known])
    for seq, (state, position) in known.items():
        with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "journal.sqlite") as journal:
            for record in records[:seq]:
                journal.append(record.kind, record.data)
            again = make_table(journal, Outlets())
            await again.start()
            assert again.state == state
            assert again.view is not None
            assert again.view.position == position
            assert again.view.seq > len(records)


@in_loop
async def test_after_the_game_pieces_may_be_put_away_and_the_winner_slices_first(tmp_path: Path) -> None:
    async with playing(tmp_path, players=2, seed=3) as table:
        while GAME.turn(table.state).actor is not Actor.NOBODY:
            await table.make_next()
        assert GAME.winners(table.state) == (2,), "not whoever would slice first anyway"
        for name in table.world.pieces:
            table.world.put(name, None, False)
        await table.look(scenes=15)
        assert table.view.breach is None
        assert all(seat.lamp == "off" for seat in table.view.seats)
        table.now_s += RESULT_STAYS_S
        await table.press_seat(HOST_SEAT)
        assert table.view.position is None
        for seat in (*table.seats.values(), HOST_SEAT):
            await table.press_seat(seat)
        assert table.state.slicer == 2


@in_loop
async def test_views_are_shown_only_when_something_has_changed_and_their_numbers_grow(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        await table.make_next()
        count = len(table.outlets.views)
        await table.look(scenes=20)
        assert len(table.outlets.views) == count
        numbers = [view.seq for view in table.outlets.views]
        assert numbers == sorted(set(numbers))
        again = make_table(table.journal, Outlets())
        await again.start()
        assert again.view is not None
        assert again.view.seq > numbers[-1]


@pytest.mark.parametrize(
    ("game", "copy"),
    [
        ("new_york_slice", '["3/1"]\npepperoni = 2\n'),
        ("pizzeria", '["3/1"]\nbasil = 2\n'),
        ("pizza_theory", '"place.1st.starts" = ["c1", "e1"]\n'),
    ],
)
@in_loop
async def test_a_game_goes_on_as_it_began_when_the_file_of_the_copys_components_changes(
    tmp_path: Path, game: str, copy: str
) -> None:
    (tmp_path / "mine.toml").write_text(copy)
    options = {"components": str(tmp_path / "mine.toml")}
    table = LaidTable(tmp_path, 3, 2, game=game, options=options)
    with table.journal:
        await table.start()
        began = table.state
        assert began != load_game(game).start(3, {}, 1)
        (tmp_path / "mine.toml").unlink()
        again = make_table(table.journal, Outlets(), game=game)
        await again.start()
        assert again.state == began


@in_loop
async def test_a_fresh_start_leaves_the_last_game_be(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        await table.make_next()
        fresh = make_table(table.journal, Outlets())
        await fresh.start(fresh=True)
        assert fresh.state is None
        again = make_table(table.journal, Outlets())
        await again.start()
        assert again.state is None


@in_loop
async def test_a_game_that_does_not_replay_is_left_be_by_a_fresh_start_for_good(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        await table.make_next()
        table.journal.append("play", {"moves": [{"of": "another version"}], "text": "?"}).result()
        with pytest.raises(JournalDamaged, match=r"record \d+ \(play\) does not replay"):
            await make_table(table.journal, Outlets()).start()
        await make_table(table.journal, Outlets()).start(fresh=True)
        again = make_table(table.journal, Outlets())
        await again.start()
        assert again.state is None


@pytest.mark.parametrize("spoil", [lambda text: b"\xff" * len(text), bytes.swapcase], ids=["no text", "another text"])
@in_loop
async def test_a_game_whose_journal_was_damaged_stands_where_it_can_be_read_and_waits(
    tmp_path: Path, spoil: Callable[[bytes], bytes]
) -> None:
    async with playing(tmp_path) as table:
        states = [table.state]
        for _ in range(6):
            await table.make_next()
            states.append(table.state)
        plays = [record for record in table.journal.records() if record.kind == "play"]
    path = table.journal.path
    content = path.read_bytes()
    spoilt = plays[2].data["text"].encode()
    assert content.count(spoilt) == 1
    path.write_bytes(content.replace(spoilt, spoil(spoilt)))
    journal, recovery = open_recovering(path)
    assert recovery is not None
    assert recovery.lost == (plays[2].seq,)
    with journal:
        for _ in range(2):  # also after one more start, as long as nobody has gone on
            again = make_table(journal, Outlets())
            await again.start()
            assert again.state == states[2]
            assert again.view is not None
            assert again.view.referee is RefereeState.PAUSED
            assert again.view.message.startswith(
                "The journal was damaged: the game stands as after 2 plays, what came next is lost, and 3 later plays "
                "do not count. Lay the table as shown, or rule what was played since. Paused."
            )
        (told,) = Results(journal.records).read().games
        assert (told.over, told.problem) == (False, "")
        await again.rule_move(GAME.format(again.state, next(GAME.legal(again.state))))
        after = make_table(journal, Outlets())
        await after.start()
        assert after.state == again.state
        assert after.view is not None
        assert after.view.referee is not RefereeState.PAUSED
        assert len(record_of(journal.records()).lines) == 4
        await after.new_game([Sitting(1, "Ann"), Sitting(3, "Ben")], {})
        left, _ = Results(journal.records).read().games
        assert left.problem == ""


@in_loop
async def test_a_game_that_was_over_when_the_journal_was_damaged_stays_over_and_says_what_may_be_missing(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path, players=2, seed=3) as table:
        while GAME.turn(table.state).actor is not Actor.NOBODY:
            await table.make_next()
        over, last = table.state, table.view.log[-1].text
        for kinds, said in (
            ([LOST, RECOVERED], "what came next may be lost: if the end was taken back, take it back again"),
            ([LOST, "play", RECOVERED], "It was gone on with: 1 later plays do not count. Take the last move back"),
        ):
            for kind in kinds:
                table.journal.append(kind, {}).result()
            again = make_table(table.journal, Outlets())
            await again.start()
            assert again.state == over
            assert again.view is not None
            assert again.view.referee is RefereeState.OVER
            assert said in again.view.log[-1].text
            assert again.view.log[-2].text == last
        assert again.view is not None
        await again.undo(last=again.view.log[-1].seq)
        after = make_table(table.journal, Outlets())
        await after.start()
        assert after.state == again.state != over


@in_loop
async def test_a_fresh_start_with_a_recovered_journal_waits_for_nobody(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        await table.make_next()
        table.journal.append(RECOVERED, {}).result()
        fresh = make_table(table.journal, Outlets())
        await fresh.start(fresh=True)
        assert fresh.view is not None
        assert fresh.view.position is None
        assert fresh.view.referee is RefereeState.WAITING


@in_loop
async def test_what_the_microcontroller_feels_does_not_end_the_wait_after_a_recovery(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        await table.make_next()
        for kind in (RECOVERED, "start", "signal", "verdict"):
            table.journal.append(kind, {}).result()
        again = make_table(table.journal, Outlets())
        await again.start()
        assert again.view is not None
        assert again.view.referee is RefereeState.PAUSED


@in_loop
async def test_a_game_whose_name_was_damaged_is_named_and_a_fresh_start_leaves_it(tmp_path: Path) -> None:
    async with in_lobby(tmp_path) as (_, _, journal):
        journal.append("game", {"gbme": "new_york_slice"}, begins_game=True).result()
        with pytest.raises(JournalDamaged, match=r"\(game\) does not replay: 'seats'"):
            await make_table(journal, Outlets()).start()
        await make_table(journal, Outlets()).start(fresh=True)


@in_loop
async def test_a_seat_that_was_taken_away_since_is_named(tmp_path: Path) -> None:
    async with in_lobby(tmp_path) as (_, _, journal):
        begun = {"game": "new_york_slice", "seats": [1, 8], "names": ["a", "b"], "options": {}, "first": 1}
        journal.append("game", begun, begins_game=True).result()
        with pytest.raises(
            NotReplayed, match=r"\(game\) does not replay: seat 8: expected one of \[1, 2, 3, 4, 5, 6\]"
        ) as refused:
            await make_table(journal, Outlets()).start()
        assert refused.value.remedy == (
            "Put seat 8 back, present = true under [seats.8] in the settings, to go on with that game. "
            "`pizzatable run --fresh` leaves that game be."
        )


# Buttons, questions, breaches -----------------------------------------------------------------------------------------


@in_loop
async def test_a_move_waits_for_its_lit_button(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        await table.make_next()
        before = table.state
        assert before.phase is Phase.DIVIDE
        moves, player = table.hands.next_play(before)
        table.play(before, *moves)
        view = await table.moved()
        assert view.referee is RefereeState.UNFINISHED
        assert "press your button" in view.message
        assert {s.player for s in view.seats if s.lamp == "blink"} == {player}
        for other in set(table.seats) - {player}:
            await table.press(other)
        await table.look(scenes=3)
        assert table.state == before
        await table.press(before.slicer)
        await table.look()
        assert table.state.phase is Phase.CHOOSE
        assert len(table.view.log) == 2


@in_loop
async def test_where_there_are_no_buttons_none_is_asked_for(tmp_path: Path) -> None:
    settings = tmp_path / "table.toml"
    settings.write_text('[timing]\nconfirm = "rest"\n')
    config = load_table([settings])
    laid = LaidTable(tmp_path, 3, 2)
    table = Table(
        config, GAME, load_part("new_york_slice", "table").GAME_TABLE, Referee(timing(config)), laid.journal,
        laid.outlets, version="test", simulated=False,
    )  # fmt: skip
    laid.table = table
    with laid.journal:
        await table.start()
        said = [laid.view.message]
        await table.new_game([Sitting(seat, f"Player {p}") for p, seat in laid.seats.items()], {})
        await table.pause()
        said.append(laid.view.message)
        await table.resume()
        moves, _ = laid.hands.next_play(laid.state)
        await laid.make(moves, None)
        moves, _ = laid.hands.next_play(laid.state)
        laid.play(laid.state, *moves)
        said.append((await laid.moved()).message)
        served = laid.state
        await laid.look(scenes=40)
        assert laid.state != served
        assert not laid.view.buttons
        assert table._running is not None
        assert not table._running.layout.buttons, "the game's own texts ask for none either"
    assert said[:2] == [
        "New York Slice for 2 to 6 players: the host says who plays, at Game… on the host's page.",
        "Paused. The host's page resumes.",
    ]
    assert said[2].endswith(". It counts if it stays so.")


@in_loop
async def test_a_button_pressed_while_the_table_is_paused_confirms_nothing(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        await table.make_next()
        before = table.state
        moves, player = table.hands.next_play(before)
        table.play(before, *moves)
        await table.moved()
        await table.table.pause()
        await table.press(player)
        await table.look()
        await table.table.resume()
        view = await table.look(scenes=5)
        assert table.state == before
        assert {s.player for s in view.seats if s.lamp == "blink"} == {player}
        await table.press(player)
        await table.look()
        assert table.state != before


@in_loop
async def test_a_clear_move_counts_before_all_else_is_judged(tmp_path: Path) -> None:
    """Its button is pressed as the hand leaves: a tenth of a second of rest is enough, one picture is not."""
    async with playing(tmp_path) as table:
        await table.make_next()
        moves, player = table.hands.next_play(table.state)
        table.play(table.state, *moves)
        await table.look(0.0)
        await table.press(player)
        await table.look(0.04, scenes=2, step_s=0.04)
        waiting = table.state
        assert waiting.phase is Phase.DIVIDE
        await table.look(0.12, scenes=1, step_s=0.04)
        assert table.state.phase is Phase.CHOOSE


@in_loop
async def test_the_same_pieces_are_read_once_while_the_state_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game_table = load_part("new_york_slice", "table").GAME_TABLE
    read, times = type(game_table).read, 0

    def counted(self: object, *asked: object) -> object:
        nonlocal times
        times += 1
        return read(self, *asked)

    monkeypatch.setattr(type(game_table), "read", counted)
    async with playing(tmp_path) as table:
        await table.make_next()
        await table.look()
        before = times
        await table.look(scenes=10)
        assert times == before
        moves, _ = table.hands.next_play(table.state)
        table.play(table.state, *moves)
        await table.moved()
        assert times > before


@in_loop
async def test_a_breach_is_shown_on_its_pieces_and_goes_away_when_it_is_put_right(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        await table.make_next()
        ring, lying = table.state.ring, table.lying()
        table.lay(Lay(ring[2], table.pose(ring[6]), True), Lay(ring[6], table.pose(ring[2]), True))
        await table.look(0.0)
        view = await table.look(scenes=15)
        assert view.referee is RefereeState.BREACH
        assert view.breach is not None
        assert view.breach.remedy
        assert view.breach.certain
        assert {piece.face for piece in view.breach.pieces} & {ring[2], ring[6]}
        assert table.outlets.buzzed == 1
        # Whoever asks an hour later finds why, with the picture, once.
        (refused,) = [record for record in table.journal.records() if record.kind == "refused"]
        assert (refused.data["rule"], refused.data["remedy"]) == (view.breach.rule, view.breach.remedy)
        assert table.journal.evidence(refused.seq) == b"picture"
        (game,) = table.journal.games()
        told = Results(table.journal.records).happened(table.journal.records(game=game), table.journal.pictured(game))
        assert told is not None
        assert [(one.kind, one.picture) for one in told] == [("begun", False), ("play", True), ("refused", True)]
        assert (told[-1].text, told[-1].remedy) == (view.breach.problem, view.breach.remedy)
        comment = record_of(table.journal.records()).lines[-1].comments[-1]
        assert comment.endswith(f": {refused.data['problem']}")
        table.restore(lying)
        view = await table.moved()
        assert (view.referee, view.breach) == (RefereeState.WAITING, None)


@in_loop
async def test_a_piece_that_is_gone_may_only_be_hidden(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        await table.make_next()
        table.lay(Lay(table.state.ring[2], None, False))
        await table.look(0.0)
        view = await table.look(scenes=60)
        assert view.breach is not None, view.message
        assert not view.breach.certain


async def asked(table: LaidTable) -> TableView:
    """A Special between two portions, and the Slicer has pressed."""
    await table.make_next()
    while True:
        moves, _ = table.hands.next_play(table.state)
        if moves[0].portions[moves[0].special_in]:
            break
    state, lying = table.state, table.lying()
    for x in range(-150, 151, 6):
        table.restore(lying)
        table.play(state, *moves)
        table.lay(Lay(str(state.special), Pose(float(x), -120.0, 90.0), True))
        waits = await table.moved()
        await table.press(state.slicer)
        await table.look()
        if table.view.question is not None:
            assert waits.message.endswith(f"Player {state.slicer}: press your button when you have finished.")
            assert {seat.player for seat in waits.seats if seat.lamp == "on"} == {state.slicer}
            return table.view
        if table.state != state:
            await table.table.undo()
    raise AssertionError("nothing was doubtful")


@in_loop
async def test_who_is_asked_in_glare_is_told_what_may_help(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        view = await asked(table)
        assert "lamp" not in view.message
        glare = HiddenPlace(((0.0, 300.0), (50.0, 300.0), (0.0, 350.0)), HiddenCause.GLARE)
        await table.table.on_scene(replace(table.scene(1.0), hidden=(glare,)))
        assert table.view.question is not None
        assert table.view.message.endswith(GLARE)


@in_loop
async def test_a_question_is_answered(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        view = await asked(table)
        question = view.question
        assert question is not None
        assert view.referee is RefereeState.UNCLEAR
        before = table.state
        await table.look(scenes=5)
        assert table.view.question is not None
        assert table.view.question.id == question.id
        with pytest.raises(CommandError, match="not open"):
            await table.table.answer(question.id + 1, 0)
        with pytest.raises(InvalidCommand, match="expected 0 to"):
            await table.table.answer(question.id, 99)
        await table.table.answer(question.id, question.candidates[-1].id)
        wanted = GAME.apply(before, GAME.parse(before, question.candidates[-1].moves[0]))
        assert table.state == wanted
        assert table.view.question is None
        with pytest.raises(CommandError, match="not open any more"):
            await table.table.answer(question.id, 0)


@in_loop
async def test_a_question_is_gone_when_something_moves(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        question = (await asked(table)).question
        assert question is not None
        await table.look(0.0)
        assert table.view.question is None
        with pytest.raises(CommandError):
            await table.table.answer(question.id, 0)


@in_loop
async def test_a_question_is_gone_when_the_move_before_it_is_taken_back(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        question = (await asked(table)).question
        assert question is not None
        await table.table.undo()
        assert table.view.question is None
        with pytest.raises(CommandError, match="not open any more"):
            await table.table.answer(question.id, 0)


# The host's corrections -----------------------------------------------------------------------------------------------


@in_loop
async def test_undo_takes_back_and_stays_taken_back(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        start = table.state
        await table.make_next()
        served = table.state
        await table.table.undo()
        assert table.state == start
        await table.look(scenes=10)
        assert table.state == start
        await table.moved()
        assert table.state == served
        await table.table.undo()
        with pytest.raises(CommandError, match="no move to take back"):
            await table.table.undo()


@in_loop
async def test_undo_comes_back_after_a_restart(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        for _ in range(3):
            await table.make_next()
        await table.table.undo()
        again = make_table(table.journal, Outlets())
        await again.start()
        assert again.state == table.state
        assert again.view is not None
        assert [line.text for line in again.view.log] == [line.text for line in table.view.log]


@in_loop
async def test_while_a_slow_disk_is_read_the_rest_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with playing(tmp_path) as table:
        others_go_on, waited = threading.Event(), []
        for name in ("games", "records"):
            read = getattr(table.journal, name)

            def slowly(*given: Any, read: Callable[..., Any] = read) -> Any:
                waited.append(others_go_on.wait(timeout=5.0))
                return read(*given)

            monkeypatch.setattr(table.journal, name, slowly)
        asyncio.get_running_loop().call_soon(others_go_on.set)
        await table.table.catch_up()
        assert waited == [True, True]
        others_go_on.clear()
        asyncio.get_running_loop().call_later(0.1, others_go_on.set)
        await table.table.new_game([Sitting(1, "Ann"), Sitting(2, "Ben")], {})
        assert waited == [True, True, True]
        assert table.table.view is not None
        assert table.table.view.number == 2


@in_loop
async def test_what_is_in_the_journal_though_it_was_refused_counts_once_and_is_not_made_again(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        ours, journals = table.table, make_table(table.journal, Outlets())
        await journals.start()
        assert await ours.catch_up() == []
        await journals.rule_move(GAME.format(table.state, next(GAME.legal(table.state))))
        assert [record.kind for record in await ours.catch_up()] == ["play"]
        assert ours.state == journals.state
        assert ours.view is not None
        assert journals.view is not None
        assert ours.view.log == journals.view.log
        assert await ours.catch_up() == []
        seat = min(table.seats.values())
        await journals.rename([Sitting(seat, "Mia")])
        await journals.undo()
        await ours.catch_up()
        assert (ours.state, len(ours.view.log)) == (journals.state, 1)
        assert "Mia" in {shown.name for shown in ours.view.seats}
        await journals.new_game([Sitting(1, "Ann"), Sitting(2, "Ben")], {})
        await ours.catch_up()
        assert ours.view.number == journals.view.number
        await ours.rule_move(GAME.format(ours.state, next(GAME.legal(ours.state))))
        again = make_table(table.journal, Outlets())
        await again.start()
        assert again.state == ours.state


@in_loop
async def test_no_other_game_is_ended_than_the_one_that_its_host_sees(tmp_path: Path) -> None:
    async with in_lobby(tmp_path) as (table, _, _):
        both = [Sitting(1, "Ann"), Sitting(2, "Ben")]
        await table.new_game(both, {}, number=0)
        with pytest.raises(CommandError, match="a game has begun since: now it is game 1"):
            await table.new_game(both, {}, number=0)
        await table.new_game(both, {}, number=1)
        with pytest.raises(CommandError, match="game 1, which your page shows, is no longer played: now it is game 2"):
            await table.new_game(both, {}, number=1)
        await table.to_lobby()
        await table.new_game(both, {}, number=2)
        assert table.view is not None
        assert table.view.number == 3


@in_loop
async def test_another_game_is_left_be(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        await table.make_next()
        other = make_table(table.journal, Outlets(), game="pizzeria", options={"advanced": True})
        await other.start()
        unbegun = other.state
        assert unbegun is None
        again = make_table(table.journal, Outlets())
        await again.start()
        assert again.state == table.state
        await other.new_game([Sitting(1, "Ann"), Sitting(2, "Ben")], {})
        assert other.state.options.advanced, "the settings' option"
        await other.new_game([Sitting(1, "Ann"), Sitting(2, "Ben")], {"advanced": False})
        assert not other.state.options.advanced, "what was asked for"


@in_loop
async def test_the_host_rules_a_move(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        move = next(GAME.legal(table.state))
        text = GAME.format(table.state, move)
        wanted = GAME.apply(table.state, move)
        await table.table.rule_move(text)
        assert table.state == wanted
        assert table.journal.records()[-1].data["source"] == "ruling"
        assert [line.text for line in table.view.log] == [text]
        for nonsense in ("", "xyzzy", text):
            with pytest.raises(InvalidCommand):
                await table.table.rule_move(nonsense)
        await table.make_next()
        assert table.state.phase in (Phase.DIVIDE, Phase.REDRAW)


@in_loop
async def test_who_ruled_is_written_down_and_shown_after_a_restart_too(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        (text, *_) = table.table.legal_moves("STACK 2", 40)
        assert text == "stack 2"
        await table.table.rule_move(text, by="Zoë")
        await table.table.undo(by="Mia")
        await table.table.rule_move(text)
        await table.table.undo()
        await table.table.rule_move(text, by="Zoë")
        written = [(record.kind, record.data.get("by")) for record in table.journal.records()][-5:]
        assert written == [("play", "Zoë"), ("undo", "Mia"), ("play", None), ("undo", None), ("play", "Zoë")]
        again = make_table(table.journal, Outlets())
        await again.start()
        for view in (table.view, again.view):
            assert view is not None
            assert [(line.text, line.source, line.by) for line in view.log] == [
                ("Taken back: stack 2", "undo", "Mia"),
                ("Taken back: stack 2", "undo", ""),
                ("stack 2", "ruling", "Zoë"),
            ]
        lines = record_of(table.journal.records()).lines
        assert [line.comments for line in lines] == [
            ("ruled by Zoë",), ("taken back by Mia",), (), (), ("ruled by Zoë",),
        ]  # fmt: skip


@in_loop
async def test_a_host_whose_page_shows_the_game_before_decides_nothing_in_the_next(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        before = table.view.number
        assert before == 1
        await table.table.new_game([Sitting(1, "Ann"), Sitting(2, "Ben")], {})
        now = table.view.number
        assert now == 2, "as people count games, whatever else the journal has"
        again = make_table(table.journal, Outlets())
        await again.start()
        assert again.view is not None
        assert again.view.number == now
        old = f"game {before}, which your page shows, is no longer played: now it is game {now}; look again"
        for number, why in ((before, old), (0, f"a game has begun since: now it is game {now}; look again")):
            for refused in (
                table.table.rule_move("stack 2", number=number, last=0),
                table.table.undo(number=number, last=0),
                table.table.rename([Sitting(1, "Mia")], number=number),
            ):
                with pytest.raises(CommandError, match=why):
                    await refused
        assert "Mia" not in {seat.name for seat in table.view.seats}
        await table.table.rename([Sitting(1, "Mia")], number=now)
        await table.table.rule_move("stack 2", number=now, last=0)
        await table.table.undo(number=now)
        await table.table.to_lobby()
        assert table.view.number == 0


@in_loop
async def test_two_hosts_who_undo_at_once_take_one_move_back(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        await table.table.rule_move("stack 2", last=0)
        seen = table.view.log[-1].seq
        with pytest.raises(CommandError, match=f"its last line is {seen}, not 0; look again"):
            await table.table.rule_move("stack 2", last=0)
        await table.table.undo(last=seen)
        undone = seen + 1
        assert table.view.log[-1].seq == undone
        with pytest.raises(CommandError, match=f"its last line is {undone}, not {seen}; look again"):
            await table.table.undo(last=seen)


@in_loop
async def test_a_pause_outlasts_a_restart_until_the_game_goes_on(tmp_path: Path) -> None:
    """Over dinner the power goes: what lies elsewhere now is no move."""
    async with playing(tmp_path) as table:
        states: list[RefereeState] = []
        for decide in (
            table.table.pause,
            table.table.undo,
            table.table.resume,
            table.table.pause,
            table.table.to_lobby,
        ):
            if not states:
                await table.make_next()
            await decide()
            again = make_table(table.journal, Outlets())
            await again.start()
            assert again.view is not None
            states.append(again.view.referee)
        paused, waiting = RefereeState.PAUSED, RefereeState.WAITING
        assert [state is paused for state in states] == [True, True, False, True, False]
        assert states[-1] is waiting
        told = (
            Results(table.journal.records).happened(table.journal.records(game=table.journal.last_game()), frozenset())
            or []
        )
        assert [one.text for one in told if one.kind == "paused"] == ["Paused", "The game goes on", "Paused"]


@in_loop
async def test_a_pause_that_the_journal_did_not_take_says_so_and_is_written_when_it_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with playing(tmp_path) as table:
        await table.make_next()
        full = JournalError("the disk is full")

        def refuses(*_: object, **__: object) -> Future[int]:
            raise full

        def fails(*_: object, **__: object) -> Future[int]:
            later = Future[int]()
            later.set_exception(full)
            return later

        for append in (refuses, fails):
            with monkeypatch.context() as disk:
                disk.setattr(table.journal, "append", append)
                await table.table.pause()
                assert "The journal did not take the pause" in table.view.message
            assert await restarted(table.journal) is not RefereeState.PAUSED
            table.table.keep_pause()
            await until(lambda: not table.table._pause_unwritten)
            assert await restarted(table.journal) is RefereeState.PAUSED
            table.table.set_part("disk", PartView(state=PartState.OK, text=append.__name__))
            assert table.view.message.startswith("Paused. ")
            await table.table.resume()
            assert await restarted(table.journal) is not RefereeState.PAUSED


async def restarted(journal: Journal) -> RefereeState:
    again = make_table(journal, Outlets())
    await again.start()
    assert again.view is not None
    return again.view.referee


@in_loop
async def test_nothing_is_judged_while_the_table_is_paused(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        before = table.state
        await table.press_seat(HOST_SEAT)
        assert table.view.referee is RefereeState.PAUSED
        with pytest.raises(CommandError, match="paused already: Resume lets the game go on"):
            await table.table.pause()
        moves, _ = table.hands.next_play(before)
        table.play(before, *moves)
        await table.moved()
        await table.look(scenes=20)
        assert table.state == before
        await table.press_seat(HOST_SEAT)
        await table.look()
        assert table.state != before
        with pytest.raises(CommandError, match="not paused"):
            await table.table.resume()
        await table.table.pause()
        await table.table.new_game([Sitting(1, "Ann"), Sitting(2, "Ben")], {})
        assert table.view.referee is not RefereeState.PAUSED, "that was the game before"


@asynccontextmanager
async def in_a_breach(folder: Path) -> AsyncIterator[LaidTable]:
    """A game in which two slices changed places."""
    async with playing(folder) as table:
        await table.make_next()
        ring = table.state.ring
        table.lay(Lay(ring[2], table.pose(ring[6]), True), Lay(ring[6], table.pose(ring[2]), True))
        await table.look(0.0)
        await table.look(scenes=15)
        assert table.view.breach is not None
        yield table


@in_loop
async def test_a_breach_is_told_anew_after_a_pause_though_its_pieces_are_gone(tmp_path: Path) -> None:
    async with in_a_breach(tmp_path) as table:
        await table.table.pause()
        assert table.view.referee is RefereeState.PAUSED
        lying = table.lying()
        table.remove(*lying)
        await table.look()
        await table.press_seat(HOST_SEAT)
        assert (table.view.referee, table.view.breach) == (RefereeState.HANDS, None)
        table.restore(lying)
        await table.look(scenes=15)
        assert table.view.breach is not None


@in_loop
async def test_a_breach_is_not_shown_on_what_could_not_be_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with in_a_breach(tmp_path) as table:

        def broken(*_: Any) -> Reading:
            raise ZeroDivisionError("a bug")

        monkeypatch.setattr(type(load_part("new_york_slice", "table").GAME_TABLE), "read", broken)
        table.remove(*table.lying())
        with pytest.raises(ZeroDivisionError):
            await table.look()
        table.table.set_part("referee", PartView(state=PartState.LOST, text="a bug"))
        assert table.view.breach is None


@in_loop
async def test_a_breach_is_over_in_the_lobby(tmp_path: Path) -> None:
    async with in_a_breach(tmp_path) as table:
        await table.table.to_lobby()
        assert table.view.breach is None
        table.remove(*table.lying())
        assert (await table.look()).pieces == []


@in_loop
async def test_the_hosts_button_held_down_takes_the_last_move_back(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        before = table.state
        await hold(table)
        assert table.view.message == "Paused. The host's button or page resumes.", "there was no move to take back"
        await table.press_seat(HOST_SEAT)
        await table.make_next()
        made = table.state
        assert made != before
        await hold(table)
        assert table.state == before
        assert table.view.referee is RefereeState.PAUSED
        assert table.view.message == "The last move is taken back. Paused. The host's button or page resumes."
        assert [record.kind for record in table.journal.records()][-1] == "undo"
        await table.look(scenes=10)
        assert table.state == before, "paused: the table can be put in order first"
        await table.press_seat(HOST_SEAT)
        assert table.view.referee is not RefereeState.PAUSED


@in_loop
async def test_a_move_made_while_the_hosts_button_is_down_is_not_taken_back(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        await table.press_seat(HOST_SEAT)  # paused; the next press lets the game go on
        await table.table.on_signal(Signal(HOST_SEAT, SignalKind.BUTTON_PRESSED, 1.0, 0.001))
        await table.make_next()
        made = table.state
        await table.table.on_signal(Signal(HOST_SEAT, SignalKind.BUTTON_HELD, 2.0, 0.001))
        assert table.state == made
        assert table.view.referee is RefereeState.PAUSED


@in_loop
async def test_starting_with_a_long_press_does_not_pause(tmp_path: Path) -> None:
    async with in_lobby(tmp_path) as (table, _, _):
        await press(table, 1, 2)
        kinds = (SignalKind.BUTTON_PRESSED, SignalKind.BUTTON_HELD, SignalKind.BUTTON_RELEASED)
        await signals(table, HOST_SEAT, *kinds)
        assert table.view is not None
        assert table.view.position is not None
        assert table.view.referee is not RefereeState.PAUSED


@in_loop
async def test_a_result_stays_until_the_hosts_button_is_pressed_some_seconds_after_the_end(tmp_path: Path) -> None:
    """A press that was meant for the last move takes nothing off everybody's screen."""
    async with playing(tmp_path, players=2) as table:
        await play_to_the_end(table)
        result, ended_s = table.view.position, table.now_s
        for after_s in (0.1, RESULT_STAYS_S - 1.0):
            table.now_s = ended_s + after_s
            await table.press_seat(HOST_SEAT)
            assert (table.view.referee, table.view.position) == (RefereeState.OVER, result)
        await table.press_seat(next(iter(table.seats.values())))
        assert table.view.referee is RefereeState.OVER
        table.now_s = ended_s + RESULT_STAYS_S + 1.0
        await signals(table.table, HOST_SEAT, SignalKind.BUTTON_PRESSED, at_s=table.now_s)
        assert table.view.referee is RefereeState.OVER, "it may be held down"
        await signals(table.table, HOST_SEAT, SignalKind.BUTTON_RELEASED, at_s=table.now_s)
        assert table.view.position is None


@in_loop
async def test_the_hosts_button_held_down_takes_back_a_last_move_that_was_read_wrongly(tmp_path: Path) -> None:
    async with playing(tmp_path, players=2) as table:
        before = await play_to_the_end(table)
        await hold(table)
        assert table.state == before
        assert table.view.message == "The last move is taken back. Paused. The host's button or page resumes."


@in_loop
async def test_a_game_that_the_host_rules_to_its_end_in_a_pause_shows_its_result(tmp_path: Path) -> None:
    async with playing(tmp_path, players=2) as table:
        await play_to_the_end(table)
        assert table.table._running is not None
        moves = table.table._running.moves[-1]
        await table.table.undo()
        await table.table.pause()
        for move in moves:
            await table.table.rule_move(GAME.format(table.state, move))
        assert table.view.referee is RefereeState.OVER
        assert table.view.position["winners"]
        with pytest.raises(CommandError, match="over"):
            await table.table.pause()
        await table.table.undo()
        assert table.view.message.startswith("Paused. "), "as it was"


async def play_to_the_end(table: LaidTable) -> Any:
    """The state before the last play."""
    while GAME.turn(table.state).actor is not Actor.NOBODY:
        before = table.state
        await table.make_next()
        assert table.state != before, table.view.message
    return before


async def hold(table: LaidTable) -> None:
    """The host's button down for more than a second."""
    kinds = (SignalKind.BUTTON_PRESSED, SignalKind.BUTTON_HELD, SignalKind.BUTTON_RELEASED)
    await signals(table.table, HOST_SEAT, *kinds, at_s=table.now_s)


@in_loop
async def test_what_changes_no_game_is_written_and_replays(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        table.table._journal.append("slaps", {"burst": 1, "seats": [3], "first": [3], "margin_us": None}).result()
        board = BoardView(
            link=LinkState.READY, words="", port="", emulated=True, starts=1, watchdog_resets=0, failed_pads=[],
            lost=0, clock_bound_us=None, pads=[], knives=[2], skewers=[], beam_broken=False, slaps=None,
        )  # fmt: skip
        seq = table.view.seq
        table.table.set_board(board)
        table.table.set_board(board)
        assert (table.view.board, table.view.seq) == (board, seq + 1)
        before = table.state
    with Journal(tmp_path / "journal.sqlite") as journal:
        assert "slaps" in [record.kind for record in journal.records()]
        again = make_table(journal, Outlets())
        await again.start()
        assert again.state == before


@in_loop
async def test_without_a_game_there_is_nothing_to_correct(tmp_path: Path) -> None:
    async with in_lobby(tmp_path) as (table, _, _):
        for command in (table.undo, table.pause, lambda: table.rule_move("x")):
            with pytest.raises(CommandError, match="no game"):
                await command()


@in_loop
async def test_commands_and_scenes_at_once_happen_one_after_the_other(tmp_path: Path) -> None:
    """Undoing while a move is being written undoes that move, or nothing; the journal tells the same story."""
    async with playing(tmp_path) as table:
        for _ in range(4):
            before = table.state
            moves, player = table.hands.next_play(before)
            table.play(before, *moves)
            await table.moved()
            if player is not None and table.state == before:
                await table.press(player)
            table.now_s += 0.2
            scene = table.scene(2.0)
            await asyncio.gather(
                table.table.on_scene(scene), table.table.undo(), table.table.on_scene(scene), return_exceptions=True
            )
            await table.moved()
            again = make_table(table.journal, Outlets())
            await again.start()
            assert again.state == table.state
            if table.state == before:
                await table.make(moves, player)


# The rest -------------------------------------------------------------------------------------------------------------


@in_loop
async def test_what_lies_as_it_lay_keeps_its_place_while_hands_are_about(tmp_path: Path) -> None:
    async with playing(tmp_path) as table:
        await table.make(*table.hands.next_play(table.state))
        before = {(piece.x_mm, piece.y_mm): piece.place for piece in (await table.look()).pieces}
        table.now_s += 0.2
        await table.table.on_scene(table.scene(0.0))
        assert table.view.referee is RefereeState.HANDS
        assert {(piece.x_mm, piece.y_mm): piece.place for piece in table.view.pieces} == before
        assert any(before.values())


@in_loop
async def test_parts_are_shown_when_they_change(tmp_path: Path) -> None:
    async with in_lobby(tmp_path) as (table, outlets, _):
        part = PartView(state=PartState.LOST, text="The camera is gone: plug it in.")
        table.set_part("camera", part)
        assert outlets.views[-1].parts == {"camera": part}
        count = len(outlets.views)
        table.set_part("camera", part)
        assert len(outlets.views) == count


@in_loop
async def test_the_log_of_a_view_is_short(tmp_path: Path) -> None:
    async with playing(tmp_path, players=6) as table:
        for _ in range(LOG_LINES + 3):
            await table.make_next()
        assert len(table.view.log) == LOG_LINES
        assert table.view.log[-1].seq > table.view.log[0].seq


def test_the_table_knows_no_game() -> None:
    """Everything about New York Slice comes in through the game, its table and its hands."""
    root = Path(__file__).parents[2] / "controller"
    for name in (
        "table.py",
        "referee.py",
        "reading.py",
        "seating.py",
        "hands.py",
        "simulation/players.py",
        "simulation/play.py",
    ):
        text = (root / name).read_text().lower()
        for word in ("new_york", "new york", "slice", "portion", "pizza ", "supreme", "dibs"):
            assert word not in text, f"{name}: {word}"
    for name in ("simulation/people.py", "simulation/copy.py", "playing.py"):
        text = (root / name).read_text().lower()
        assert not [game for game in game_names() if game in text and game != "slice"], name
