"""The examples in the documentation of records and of the referee's protocol are right, and there is one a game."""

import json
import re
from pathlib import Path
from random import Random

import pytest

from controller.games.registry import game_names, load_game
from controller.protocol import Session
from controller.records.loading import load_record
from controller.records.record import format_record
from tests.controller.doc_examples import EXAMPLES, PROTOCOL, RECORDS, blocks, exchanges, shortened
from tests.controller.games.random_play import play

RECORD_BLOCKS = blocks(RECORDS.read_text(encoding="utf-8"), "record")
SESSIONS = blocks(PROTOCOL.read_text(encoding="utf-8"), "session")


@pytest.mark.parametrize("text", RECORD_BLOCKS)
def test_each_record_in_the_documentation_is_one(text: str) -> None:
    assert format_record(load_record(text).record) == text


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.record")), ids=lambda path: path.stem)
def test_each_example_is_a_whole_game(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    replay = load_record(text)
    assert replay.record.result is not None
    assert not replay.other_components
    assert format_record(replay.record) == text


@pytest.mark.parametrize("block", SESSIONS)
def test_each_session_in_the_documentation_goes_so(block: str) -> None:
    session = Session("0.1.0")
    for request, answer in exchanges(block):
        assert shortened(session.answer(request)) == answer


@pytest.mark.parametrize("name", game_names())
def test_every_game_has_a_record_and_a_session(name: str) -> None:
    title = load_game(name).title
    assert (EXAMPLES / f"{name}.record").is_file()
    for document in (RECORDS, PROTOCOL):
        assert f"### {title}\n" in document.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", game_names())
def test_every_kind_of_move_is_described(name: str) -> None:
    """By the word that says what is done: the first one after the player."""
    engine = load_game(name)
    section = RECORDS.read_text(encoding="utf-8").partition("## The moves")[2].partition(f"**{engine.title}**")[2]
    described = section.partition("\n**")[0]
    played = [ply for n in engine.player_counts[:2] for ply in play(engine, engine.start(n, {}), Random(n))]
    words = {re.sub(r"^P\d ", "", engine.format(ply.state, ply.move)).split()[0] for ply in played}
    assert {word for word in words if not re.search(rf"`(P\d )?{word} ?[^`]*`", described)} == set()


def test_every_request_and_error_is_described() -> None:
    text = PROTOCOL.read_text(encoding="utf-8")
    session = Session("0.1.0")
    known = json.loads(session.answer('{"do": "?"}'))["error"]["message"].partition("tags: ")[2]
    for name in known.replace("'", "").split(", "):
        assert f"`{name}`" in text
    source = Path(__file__).parents[2].joinpath("controller", "protocol.py").read_text(encoding="utf-8")
    for code in ("no_game", "not_json", "bad_request", "too_long", "nothing_to_undo", "not_now", "refused"):
        assert f'"{code}"' in source
        assert f"`{code}`" in text
