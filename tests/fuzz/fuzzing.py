"""Fuzzing of what strangers may send: records, and requests to the referee. `make fuzz` runs it for a while.

A mutator, not a coverage-guided fuzzer: it begins with texts that are right (games of every kind, played at random),
spoils them by characters, words, lines and JSON values, and mixes them with one another. Whatever comes of it must be
read, or refused with an error that says where and why; and a refused request must change nothing.
"""

import argparse
import contextlib
import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from controller.game import Actor
from controller.games.registry import game_names, load_game
from controller.protocol import Session
from controller.records.loading import RecordError, decode_text, load_record
from controller.records.record import Header, Record, TakenBack, components_mark, format_record, move_line, result
from tests.controller.games.random_play import leaves, mutated, play, random_move, through_json


def seed_records(rng: Random) -> list[str]:
    """A record of every game, with everything that a record can have."""
    return [_a_record(name, rng) for name in game_names()]


def fuzz_record(seeds: Sequence[str], rng: Random) -> str:
    """Spoil a record and read it; the text. Raises AssertionError, or what the reader should not raise."""
    head, _, body = rng.choice(seeds).partition(_BLANK)
    # Most of it is the game; what is wrong in the tags hides whatever comes after them.
    if rng.random() < 0.25:
        text = spoilt(f"{head}\n\n{body}", seeds, rng)
    else:
        text = f"{head}\n\n{spoilt(body, [seed.partition(_BLANK)[2] for seed in seeds], rng)}"
    if rng.random() < 0.1:
        text = _spoilt_bytes(text, rng)
    with _telling(text):
        replay, refused = None, None
        try:
            replay = load_record(text)
        except RecordError as error:
            refused = error
        if refused is not None:
            lines = text.split("\n")
            assert 1 <= refused.line <= len(lines)
            assert 1 <= refused.column <= len(lines[refused.line - 1]) + 1
            assert refused.reason
        else:
            assert replay is not None
            again = load_record(format_record(replay.record))
            assert again.record == replay.record
            assert again.state == replay.state
    return text


def fuzz_session(seeds: Sequence[str], rng: Random, requests: int = 40) -> None:
    """A session of which many requests are spoilt. Raises AssertionError, or what the referee should not raise."""
    session, pool = Session("fuzz"), list(_VALUES)
    history: list[str] = []
    name = rng.choice(game_names())
    players = rng.choice(load_game(name).player_counts)
    request: Any = {"do": "new", "game": name, "players": players, "seed": rng.choice((None, 1))}
    for _ in range(requests):
        line = json.dumps(request)
        if history and rng.random() < 0.6:
            line = _spoilt_request(request, seeds, rng, pool)
        history.append(line)
        with _telling("\n".join(history)):
            answer = _asked(session, line)
        pool = [*pool, *leaves(answer)][-300:]
        if session.over:
            return
        request = _next_request(session, name, players, rng)


def spoilt(text: str, seeds: Sequence[str], rng: Random, times: int | None = None) -> str:
    """The text with some things wrong in it, or none by chance."""
    for _ in range(rng.choice((1, 1, 2, 4)) if times is None else times):
        text = rng.choice(_SPOILERS)(text, rng.choice(seeds), rng)
    return text


def run(seconds: float, seed: int, clock: Callable[[], float] = time.monotonic) -> int:
    """Fuzz for so long; how many texts and sessions were tried."""
    end, tried = clock() + seconds, 0
    while clock() < end:
        rng = Random(f"{seed} {tried // 100}")
        seeds = seed_records(rng)
        for _ in range(100):
            fuzz_record(seeds, rng)
            tried += 1
        for _ in range(10):
            fuzz_session(seeds, rng)
            tried += 1
        if tried % 5_500 == 0:
            print(f"{tried} tried", file=sys.stderr)
    return tried


# Right texts ----------------------------------------------------------------------------------------------------------


def _a_record(name: str, rng: Random) -> str:
    engine = load_game(name)
    players = rng.choice(engine.player_counts)
    header = Header(
        game=name,
        players=players,
        names=tuple(f"Ann {player}" for player in range(players)) if rng.random() < 0.5 else (),
        options={option.name: option.default for option in engine.option_list if rng.random() < 0.5},
        first=rng.randint(1, players),
        components=components_mark(name),
        notes={"Date": "2026-11-20", "Event": "Fuzz"},
    )
    states = [engine.start(players, header.options, header.first)]
    if rng.random() < 0.3:
        plies = list(play(engine, states[0], rng))
        middle = rng.choice(plies).state
        header = Header(name, players, options=header.options, position=through_json(engine.position(middle)))
        states = [engine.setup(players, header.options, header.position)]
    lines: list[Any] = []
    # Long games are cut short: what matters to a reader comes early.
    while engine.turn(states[-1]).actor is not Actor.NOBODY and len(lines) < 40:
        move = random_move(engine, states[-1], rng)
        lines.append(move_line(engine, states[-1], move))
        states.append(engine.apply(states[-1], move))
        if rng.random() < 0.1:
            number = rng.randrange(1, len(states))
            lines.append(TakenBack(number, ("a comment",)))
            del states[number:]
    return format_record(Record(header, tuple(lines), result(engine, states[-1]), ("before it begins", "and }")))


def _next_request(session: Session, name: str, players: int, rng: Random) -> Any:
    """A right request, made of what the session says."""
    listed = json.loads(session.answer('{"do": "legal", "limit": 20}')).get("moves", [])
    if listed and rng.random() < 0.6:
        move = rng.choice(listed)
        known = {"move": move["move"]} if rng.random() < 0.7 else {"notation": move["notation"]}
        return {"do": rng.choice(("play", "play", "explain")), **known}
    position = json.loads(session.answer('{"do": "position"}')).get("position", {})
    return rng.choice(
        (
            {"do": "version"},
            {"do": "legal", "limit": 3},
            {"do": "undo", "moves": rng.choice((1, 3))},
            {"do": "view", "player": rng.randint(1, players)},
            {"do": "score"},
            {"do": "record", "notes": {"Date": "2026-11-20"}},
            {"do": "setup", "game": name, "players": players, "position": position, "options": {}},
            {"do": "setup", "game": name, "players": players, "position": position, "seed": 1},
        )
    )


def _spoilt_request(request: Any, seeds: Sequence[str], rng: Random, pool: list[Any]) -> str:
    """Something wrong in the move or the position, in the request around it, or in its text."""
    inner = [key for key in ("move", "position") if key in request]
    if inner and rng.random() < 0.7:
        return json.dumps(request | {inner[0]: mutated(request[inner[0]], rng, pool)})
    if rng.random() < 0.7:
        return json.dumps(mutated(request, rng, pool))
    return spoilt(json.dumps(request), seeds, rng, times=1).replace("\n", " ")


def _asked(session: Session, line: str) -> Any:
    """The answer, checked."""
    before = session.answer('{"do": "record"}')
    text = session.answer(line)
    answer = json.loads(text)
    assert "\n" not in text
    assert isinstance(answer["ok"], bool)
    if not answer["ok"]:
        assert answer["error"]["code"]
        assert answer["error"]["message"]
        assert session.answer('{"do": "record"}') == before
        assert not session.over
    return answer


# Spoiling -------------------------------------------------------------------------------------------------------------


def _character(text: str, _: str, rng: Random) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(_CHARACTERS) + text[at + rng.randrange(2) :]


def _span(text: str, other: str, rng: Random) -> str:
    at, there = rng.randrange(len(text) + 1), rng.randrange(len(other) + 1)
    return text[:at] + other[there : there + rng.randrange(1, 60)] + text[at + rng.randrange(60) :]


def _line(text: str, other: str, rng: Random) -> str:
    lines, others = text.split("\n"), other.split("\n")
    at = rng.randrange(len(lines))
    match rng.randrange(5):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[rng.randrange(len(lines))])
        case 2:
            there = rng.randrange(len(lines))
            lines[at], lines[there] = lines[there], lines[at]
        case 3:
            lines.insert(at, rng.choice(others))
        case _:
            lines.insert(at, rng.choice(_LINES))
    return "\n".join(lines)


def _word(text: str, other: str, rng: Random) -> str:
    found = list(re.finditer(r"\S+", text))
    if not found:
        return other
    one = rng.choice(found)
    new: str = rng.choice((*_WORDS, *re.findall(r"\S+", other)[:200]))
    return text[: one.start()] + new + text[one.end() :]


def _json_value(text: str, _: str, rng: Random) -> str:
    """One tag's value changed as JSON."""
    found = list(re.finditer(r"^\[(\w+) (.*)\]$", text, re.MULTILINE))
    if not found:
        return text
    tag = rng.choice(found)
    try:
        value = json.loads(tag[2])
    except ValueError:
        return text
    return text[: tag.start(2)] + json.dumps(mutated(value, rng, list(_VALUES))) + text[tag.end(2) :]


def _spoilt_bytes(text: str, rng: Random) -> str:
    """Through a file with a wrong byte, as far as it can be read at all."""
    content = bytearray(text.encode())
    for _ in range(3):
        if content:
            content[rng.randrange(len(content))] = rng.randrange(256)
    with contextlib.suppress(RecordError):
        return decode_text(bytes(content))
    return text


_BLANK = "\n\n"
_SPOILERS = (_character, _span, _line, _line, _word, _word, _json_value)
_CHARACTERS: tuple[str, ...] = ("", *' {};[]"\\\n\r\t\x00\x1b09.~é\u2028')
_LINES = (
    "undo 1",
    "undo 0",
    "undo 99999999",
    "*",
    "result 1 2 won by nobody",
    "{",
    "}",
    "; x",
    "[Game 1]",
    "1.",
    "[" * 99,
)
_WORDS: tuple[str, ...] = (
    *("P1", "P0", "P99", "A", "Z", "1.", "2~", "3!", "undo", "nothing"),
    *"²٣|,:",
    "-1",
    "99999999999999999999",
)
_VALUES: tuple[Any, ...] = (None, -1, 0, 1, 2, 3, 99, "P1", "x", [], {}, "new_york_slice", 1e300, 2**60)


@contextlib.contextmanager
def _telling(text: str) -> Iterator[None]:
    """Puts the input that did it into the message of whatever goes wrong."""
    try:
        yield
    except Exception as error:
        error.add_note(f"The input was:\n{text!r}")
        raise


def _main(arguments: Iterator[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long (default 60)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed tries the same texts (default 1)")
    options = parser.parse_args(list(arguments) if arguments is not None else None)
    print(f"{run(options.seconds, options.seed)} texts and sessions, nothing found")


if __name__ == "__main__":
    _main()
