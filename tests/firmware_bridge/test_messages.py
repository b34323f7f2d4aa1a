"""Messages there and back, what does not fit, and the C header."""

import dataclasses
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge import c_header, schema
from firmware_bridge.framing import Frame
from firmware_bridge.messages import MessageError, format_message, parse_message
from firmware_bridge.schema import MESSAGES, Buzz, Event, Here, Message, Ping, wire_fields


def largest(kind: type[Message]) -> Message:
    values: dict[str, Any] = {
        name: "w" * wire.size if wire.is_text else 256**wire.size - 1 for name, wire in wire_fields(kind)
    }
    return kind(**values)


def counting(kind: type[Message]) -> Message:
    fields = enumerate(wire_fields(kind), 1)
    values: dict[str, Any] = {name: f"words {place}" if wire.is_text else place for place, (name, wire) in fields}
    return kind(**values)


@pytest.mark.parametrize("kind", MESSAGES)
def test_there_and_back(kind: type[Message]) -> None:
    for message in (largest(kind), counting(kind)):
        assert parse_message(format_message(message)) == message


def test_numbers_are_little_endian_without_gaps() -> None:
    assert format_message(Buzz(1, 0x0203, 4, 5)) == Frame(9, bytes((1, 3, 2, 4, 0, 5)))


@pytest.mark.parametrize(
    ("message", "wrong"),
    [
        (Ping(65536), r"Ping\.token is 65536"),
        (Ping(-1), r"Ping\.token is -1"),
        (Here(0, 1, "w" * 49), r"Here\.words"),
        (Here(0, 1, "käse"), r"Here\.words"),
    ],
)
def test_what_does_not_fit(message: Message, wrong: str) -> None:
    with pytest.raises(MessageError, match=wrong):
        format_message(message)


@pytest.mark.parametrize(
    ("frame", "wrong"),
    [
        (Frame(0, b""), "kind 0: expected one of"),
        (Frame(Event.NUMBER, b"abc"), "Event of 3 bytes: expected 17"),
        (Frame(Here.NUMBER, b"\xff" * 53), "expected ASCII"),
    ],
)
def test_what_is_no_message(frame: Frame, wrong: str) -> None:
    with pytest.raises(MessageError, match=wrong):
        parse_message(frame)


def test_numbers_of_messages_differ() -> None:
    assert len({kind.NUMBER for kind in MESSAGES}) == len(MESSAGES)
    assert 0 not in {kind.NUMBER for kind in MESSAGES}


def test_the_header_is_current() -> None:
    command = [sys.executable, "-m", "firmware_bridge.c_header", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(c_header.__file__).parents[1])
    assert done.returncode == 0, done.stderr


def test_an_old_header_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c_header, "HEADER", tmp_path / "messages.h")
    assert c_header.main(["--check"]) == 1
    assert c_header.main([]) == 0
    assert c_header.main(["--check"]) == 0
    c_header.HEADER.write_text(c_header.HEADER.read_text().replace("DEBOUNCE_TICKS", "DEBOUNCE"))
    assert c_header.main(["--check"]) == 1


def test_the_hash_is_of_everything_both_sides_share() -> None:
    text = schema.schema_text()
    assert "EVENT_KIND_PAD 1" in text
    for kind in MESSAGES:
        line = next(line for line in text.splitlines() if line.startswith(f"{kind.__name__} "))
        assert all(field.name in line for field in dataclasses.fields(kind))
