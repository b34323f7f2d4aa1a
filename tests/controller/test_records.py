"""Records: what is written is read again, and the first thing wrong is named with its place."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.cli import replay as replay_command
from controller.games.new_york_slice import GAME
from controller.games.new_york_slice.rules import ChooseStack, Divide, Move, Reveal, Take
from controller.games.pizza_theory import GAME as THEORY
from controller.games.pizzeria import GAME as PIZZERIA
from controller.journal import Journal, games_of
from controller.records.journalled import NoSuchGame, record_of
from controller.records.loading import RecordError, decode_text, load_record
from controller.records.record import (
    LONGEST_LINE,
    LONGEST_RECORD,
    MOST_LINES,
    Header,
    MoveLine,
    NoteError,
    Record,
    Source,
    TakenBack,
    check_note,
    components_mark,
    format_record,
)

RING = ("3/1", "7/1", "7/2", "11/1", "4/1", "5/1", "5/2", "9/1", "9/2", "6/1", "anchovy")
HEADER = """[Record "1"]
[Game "new_york_slice"]
[Players ["Ann", "Ben", "Cara"]]
"""
PIZZA = f"2~ pizza buffet: {' '.join(RING)}\n"
GAME_TEXT = (
    HEADER
    + """
{Ann brought the pizza.}
1. stack 3
"""
    + PIZZA
    + """3. divide 3/1 7/1 + special | 7/2 11/1 4/1 | 5/1 5/2 9/1 9/2 6/1 anchovy
4. P2 takes A {too fast}
undo 4 {Ben meant B}
4! P2 takes B
*
"""
)


def wrong(text: str) -> tuple[int, int, str]:
    """Line, column and reason of the first thing wrong."""
    with pytest.raises(RecordError) as caught:
        load_record(text)
    return caught.value.line, caught.value.column, caught.value.reason


# Reading --------------------------------------------------------------------------------------------------------------


def test_a_record_is_a_game() -> None:
    replay = load_record(GAME_TEXT)
    state = GAME.start(3, {})
    division = Divide((RING[:2], RING[2:5], RING[5:]), 0)
    for move in (ChooseStack(3), Reveal("special/buffet", RING), division, Take(2, 1)):
        state = GAME.apply(state, move)
    assert replay.state == state
    assert replay.record == Record(
        Header("new_york_slice", 3, ("Ann", "Ben", "Cara")),
        (
            MoveLine("stack 3"),
            MoveLine(PIZZA[3:-1], Source.CHANCE),
            MoveLine("divide 3/1 7/1 + special | 7/2 11/1 4/1 | 5/1 5/2 9/1 9/2 6/1 anchovy"),
            MoveLine("P2 takes A", comments=("too fast",)),
            TakenBack(4, ("Ben meant B",)),
            MoveLine("P2 takes B", Source.RULING),
        ),
        None,
        ("Ann brought the pizza.",),
    )
    assert [step.number for step in replay.steps] == [1, 2, 3, 4, 4, 4]
    assert not replay.other_components


def test_writing_gives_back_what_was_read() -> None:
    assert format_record(load_record(GAME_TEXT).record) == GAME_TEXT


def test_people_may_write_as_they_like() -> None:
    """Spaces, empty lines, Windows' ends of lines, a sign for chance left out, comments to the end of a line."""
    text = GAME_TEXT.replace("2~", " 2.  ").replace("{too fast}", "; too   fast").replace("\n", "\r\n").replace("*", "")
    assert load_record(text).record == load_record(GAME_TEXT).record


def test_comments_go_over_lines_and_follow_what_they_are_about() -> None:
    text = GAME_TEXT.replace("{too fast}", "{too\n  fast} ; he\n{said [x] 1. stack 2 ; so}")
    lines = load_record(text).record.lines
    assert lines[3] == MoveLine("P2 takes A", comments=("too fast", "he", "said [x] 1. stack 2 ; so"))
    assert load_record(format_record(load_record(text).record)).record.lines == lines


def test_a_comment_with_a_brace_is_written_to_the_end_of_its_line() -> None:
    record = Record(Header("new_york_slice", 3), (MoveLine("stack 3", comments=("a } b", "c")),), None, ("} first",))
    text = format_record(record)
    assert "1. stack 3\n; a } b\n{c}\n" in text
    assert load_record(text).record == record


def test_options_first_and_notes_are_kept() -> None:
    header = Header(
        "new_york_slice", 2, options={"sneak_may_empty": True}, first=2, components=components_mark("new_york_slice"),
        notes={"Date": "2026-11-20", "Event": 'The "big" one', "Annotator": "Ünal"},
    )  # fmt: skip
    replay = load_record(format_record(Record(header)))
    assert replay.record.header == header
    assert replay.start == GAME.start(2, {"sneak_may_empty": True}, 2)


def test_a_game_may_begin_in_a_position() -> None:
    text = HEADER + '[Position {"first": 2, "round": 1, "phase": "reveal"}]\n' + PIZZA.replace("2~", "1~")
    assert load_record(text).state == GAME.apply(
        GAME.apply(GAME.start(3, {}, 2), ChooseStack(1)), Reveal("special/buffet", RING)
    )


def test_other_components_are_told() -> None:
    text = HEADER + '[Components "0123456789ab"]\n1. stack 3\n'
    assert load_record(text).other_components
    assert "played with other components, 0123456789ab" in wrong(text + "2~ pizza x: 3/1\n")[2]


# What is wrong, and where ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("", (1, 1), "this is no record"),
        ("1. e4 e5", (1, 1), "this is no record"),
        ('\n[Event "x"]', (2, 1), "this is no record, or of a newer form"),
        ('[Record "2"]', (1, 1), r'expected \[Record "1"\] first'),
        ('[Record "1"]\n\n  1. stack 3', (3, 3), "the tag Game is missing before this line"),
        ('[Record "1"]\n[Game "chess"]\n[Players 2]\n', (2, 1), "'chess' is no game"),
        ('[Record "1"]\n[Game 1]\n[Players 2]\n', (2, 1), "the tag Game expects a text"),
        (HEADER.replace("Game ", "Game"), (2, 1), "this is no tag"),
        (HEADER.replace("] ", "}").replace('"]]', '"]'), (3, 31), "no JSON"),
        (HEADER.replace('"Ben", "Cara"', ""), (3, 18), "no JSON"),
        (HEADER.replace(', "Ben", "Cara"', ""), (3, 1), "1 players; New York Slice takes 2 to 6"),
        (HEADER.replace('"Ben"', "7"), (3, 1), "7 is no name"),
        (HEADER.replace('"Ben"', '"\\u001b[31m"'), (3, 1), "is no name; expected printable text"),
        (HEADER + "[Players 3]", (4, 1), "the tag Players stands in line 3 already"),
        (HEADER + '[Options {"x": 1}]', (4, 1), "option x: unknown"),
        (HEADER + '[Options {"components": "/dev/zero"}]', (4, 1), "option components: '/dev/zero' is no object"),
        (HEADER + "[Options []]", (4, 1), "the tag Options expects an object"),
        (HEADER + "[Options {}]\n[First 4]", (5, 1), "first: 4 is none of the players 1 to 3"),
        (HEADER + "[First 1]\n[Position {}]", (4, 1), "who is first stands in the Position"),
        (HEADER + '[Position {"round": 9}]', (4, 1), "position.round: 9 is no whole number from 1 to 6"),
        (HEADER + "[Position {" + '"a":[' * 50 + "]", (4, 20), "no JSON"),
        (HEADER + "[Position " + "[" * 2000 + "]" * 2000 + "]", (4, 11), "nested deeper"),
        (HEADER + '[Position {"round": 1e999}]', (4, 11), "too large a number"),
        (HEADER + '[Position {"round": NaN}]', (4, 11), "NaN is no JSON number"),
        (HEADER + '[Date "a\\u0007"]', (4, 1), "printable"),
        (HEADER + "1. stack 3\n[Date 1]", (5, 1), "a tag stands before the first move"),
        (HEADER + "stack 3", (4, 1), "this is no line of a game; expected '1.'"),
        (HEADER + "2. stack 3", (4, 1), "move 2 is not the next; expected 1"),
        (HEADER + "1~ stack 3", (4, 2), "nothing is left to chance here: Player 1 slices"),
        (HEADER + "1. stack 9", (4, 4), "Stack 9 is not on the table"),
        (HEADER + " 1.  stuck 3", (4, 6), "'stuck 3' is no move"),
        (HEADER + "{a}  1. stack", (4, 9), "'stack' is no move"),
        (HEADER + "undo 1", (4, 1), "'undo 1' takes nothing back; expected a move before it"),
        (HEADER + "1. stack 3\nundo 2", (5, 1), "expected a move that stands, 1 to 1"),
        (HEADER + "1. stack 3\nundo 99999999999", (5, 1), "takes nothing back"),
        (HEADER + "result 1 2 3 won by 1", (4, 1), "the game is not over here: Player 1 slices"),
        (HEADER + "result 1 won", (4, 1), "this is no result"),
        (HEADER + "*\n1. stack 3", (5, 1), "nothing but comments stands after the end"),
        (HEADER + "1. stack 3 {what", (4, 12), "this comment has no end"),
        (HEADER + "1. stack 3\x1b[2J", (4, 11), "cannot be shown"),
        (HEADER + "; " + "x" * LONGEST_LINE, (4, LONGEST_LINE + 1), "at most"),
    ],
)
def test_the_first_thing_wrong_is_named(text: str, place: tuple[int, int], reason: str) -> None:
    line, column, said = wrong(text)
    assert re.search(reason, said), said
    assert (line, column) == place


def test_a_record_is_not_larger_than_a_game_can_be() -> None:
    assert "characters; expected at most" in wrong("x" * (LONGEST_RECORD + 1))[2]
    text = HEADER + "1. stack 3\nundo 1\n" * (MOST_LINES // 2) + "1. stack 3\n"
    assert wrong(text) == (4 + MOST_LINES, 1, f"expected at most {MOST_LINES} moves and corrections")


def test_a_finished_game_needs_the_right_result() -> None:
    text = Path(__file__).with_name("games").joinpath("new_york_slice", "three_players.record").read_text()
    assert load_record(text).record.result is not None
    right = text.rstrip().split("\n")[-1]
    last = len(text.rstrip().split("\n"))
    assert wrong(text.replace(right, "*"))[::2] == (last, "the game is over here; expected its result")
    assert wrong(text.replace(right, right.replace("result ", "result 1")))[2].startswith("the rules make of the game")
    assert load_record(text.replace(right, "")).record == load_record(text).record


def test_bytes_that_are_no_text_are_named() -> None:
    assert decode_text("\ufeffé".encode()) == "é"
    with pytest.raises(RecordError, match=r"line 2, column 3: byte 0xff is no UTF-8 text"):
        decode_text("ä\né \xff".encode("latin-1").replace(b"\xe9", "é".encode()).replace(b"\xe4", b"a"))


def test_notes_are_tags_that_can_be_read_again() -> None:
    check_note("Event", "Friday")
    for name, value in (("Game", "x"), ("event", "x"), ("Event", "a\nb"), ("Event", "x" * 3000)):
        with pytest.raises(NoteError, match=name):
            check_note(name, value)


# From a journal -------------------------------------------------------------------------------------------------------


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A journal of two games; in the second a play of two moves was taken back, and one was ruled."""
    path = tmp_path / "journal.sqlite"
    begun = {"game": "new_york_slice", "seats": [1, 3, 5], "names": ["Ann", "Ben", "Cara"], "options": {}, "first": 2}
    stack, pizza = ChooseStack(3), Reveal("special/buffet", RING)
    with Journal(path, wall_clock=lambda: datetime(2026, 3, 1, tzinfo=UTC)) as journal:

        def played(*moves: Move, source: str = "table") -> None:
            encoded = [GAME.encode_move(move) for move in moves]
            journal.append("play", {"moves": encoded, "text": "", "source": source})

        journal.append("start", {"version": "1", "game": "new_york_slice"})
        journal.append("game", begun | {"first": 1}, begins_game=True)
        played(ChooseStack(1))
        journal.append("game", begun, begins_game=True)
        played(stack, pizza)
        journal.append("undo", {})
        played(stack, source="answer")
        played(pizza, source="ruling")
        journal.append("lobby", {}).result()
    return path


def test_a_game_of_a_journal_becomes_a_record(journal: Path) -> None:
    with Journal(journal) as opened:
        entries = opened.records()
    assert games_of(entries) == (2, 4)
    record = record_of(entries)
    text = format_record(record)
    assert load_record(text).record == record
    assert text == (
        HEADER + f'[First 2]\n[Components "{components_mark("new_york_slice")}"]\n[Date "2026-03-01"]\n\n'
        f"1. stack 3\n{PIZZA}undo 1\n1. stack 3\n{PIZZA.replace('~', '!')}*\n"
    )
    assert record_of(entries, 1).lines == (MoveLine("stack 1"),)
    assert record_of(entries, 2) == record
    for number in (0, 3):
        with pytest.raises(NoSuchGame, match=f"game {number}: expected one of the journal's, 1 to 2"):
            record_of(entries, number)


def test_whatever_names_a_journal_has_its_games_become_records(tmp_path: Path) -> None:
    """Older versions took any; see `config.names` for those that are taken now."""
    cook, path = "👩\u200d🍳 Mia", tmp_path / "journal.sqlite"
    begun = {
        "game": "new_york_slice",
        "seats": [1, 3, 5],
        "names": [cook, "\u3164", "Zo\u200b\n\u202eë\u3000L"],
        "options": {},
    }
    with Journal(path) as journal:
        journal.append("game", begun | {"first": 1, "table": "a\nb", "event": "Con\tCon"}, begins_game=True)
        ruled = {"moves": [GAME.encode_move(ChooseStack(1))], "text": "", "source": "ruling", "by": cook}
        journal.append("play", ruled)
        journal.append("undo", {"by": "\x1b[2J}\nBo"}).result()
    told = ran("--journal", path)
    assert told.startswith(f"New York Slice, 3 players: {cook}, ?, Zo???ë L\n")
    assert "\nTable: a?b\nEvent: Con?Con\n" in told
    assert f"{{ruled by {cook}}}" in told
    assert "{taken back by ?[2J}?Bo}" in told


# The command ----------------------------------------------------------------------------------------------------------


def ran(*arguments: object) -> str:
    result = CliRunner().invoke(replay_command.command, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "friday.game"
    path.write_text(GAME_TEXT, encoding="utf-8")
    return path


def test_replay_tells_the_game_turn_by_turn_and_its_score(file: Path) -> None:
    told = ran(file)
    assert told.startswith("New York Slice, 3 players: Ann, Ben, Cara\n    {Ann brought the pizza.}\n")
    assert "        Ann slices: choose a stack\n    1. stack 3\n" in told
    assert "    4. P2 takes A\n        {too fast}\n      back to before move 4\n" in told
    assert "    4! P2 takes B\n        Ben decides what to eat and what to collect\n" in told
    assert "                     Ann  Ben  Cara\n3 Veggie               0    0     0\n" in told


def test_replay_stops_anywhere(file: Path) -> None:
    assert "1. stack" not in ran(file, "--until", 0)
    assert ran(file, "--until", 2).count("2~ pizza") == 1
    assert "divide 3/1" not in ran(file, "--until", 2)
    assert "4! P2 takes B" in ran(file, "--until", 4)
    result = CliRunner().invoke(replay_command.command, [str(file), "--until", "5"])
    assert result.exit_code == 2
    assert "the game has the moves 1 to 4" in result.stderr


def test_replay_says_that_nobody_won(tmp_path: Path) -> None:
    both_lose = {"phase": "over", "toppings": {"red": [], "green": [], "white": sorted(THEORY.components.spaces)[:16]}}
    assert ran(over(tmp_path, "pizza_theory", {}, both_lose)).endswith("won by nobody\n")


def test_replay_says_what_decided_a_tie(tmp_path: Path) -> None:
    """Ann has a slice of every kind, and Ben has eaten all that has basil, but three slices of three leaves."""
    slices = sorted(PIZZERIA.start(2, {}).unseen - {"11/1", "11/2", "11/3"})
    basil = PIZZERIA.components.by_face
    saved, eaten = ([face for face in slices if (basil[face].basil > 0) is leaves] for leaves in (False, True))
    end = {"phase": "over", "round": 4, "players": {"1": {"saved": saved}, "2": {"eaten": eaten}}}
    told = ran(over(tmp_path, "pizzeria", {}, end)).splitlines()
    assert [line.split() for line in told[-3:-1]] == [["total", "46", "46"], ["decides", "the", "tie", "0", "34"]]
    assert told[-1] == "won by Ben"


def over(folder: Path, game: str, options: object, position: object) -> Path:
    """The record of a game that begins at its end."""
    path = folder / "over.game"
    tags = {"Record": "1", "Game": game, "Players": ["Ann", "Ben"], "Options": options, "Position": position}
    path.write_text("".join(f"[{name} {json.dumps(value)}]\n" for name, value in tags.items()), encoding="utf-8")
    return path


def test_replay_writes_tidy_records(file: Path, journal: Path, tmp_path: Path) -> None:
    assert ran(file, "--write", "-") == GAME_TEXT
    written = tmp_path / "journalled.game"
    assert ran("--journal", journal, "--write", written) == ""
    assert "5. " not in ran(written)
    assert "1. stack 1\n" in ran("--journal", journal, "--game", 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "expected either a RECORD or --journal"),
        (("--game", "2"), "--game needs --journal"),
    ],
)
def test_replay_says_what_it_needs(arguments: tuple[str, ...], said: str) -> None:
    result = CliRunner().invoke(replay_command.command, arguments)
    assert result.exit_code == 2
    assert said in result.stderr


def test_replay_names_the_file_that_a_full_disk_refused(file: Path) -> None:
    done = CliRunner().invoke(main, ["replay", "--write", "/dev/full", str(file)])
    expected = "/dev/full: cannot be written: the disk is full; free some space; expected a file that can be written"
    assert (done.exit_code, done.stderr) == (1, f"Error: {expected}\n")


def test_replay_names_what_is_wrong_without_a_traceback(file: Path) -> None:
    file.write_text(GAME_TEXT.replace("stack 3", "stack 8"), encoding="utf-8")
    result = CliRunner().invoke(replay_command.command, [str(file)])
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: line 6, column 4: ")
    result = CliRunner().invoke(replay_command.command, ["--journal", str(file)])
    assert result.exit_code == 1
    assert "found a file that is no SQLite file" in result.stderr
