"""The examples in docs/records.md, docs/referee-protocol.md and docs/examples: made by play, checked by tests.

`python -m tests.controller.doc_examples` writes them anew, for every game there is.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from controller.game import Actor, Game
from controller.games.registry import game_names, load_game
from controller.protocol import Session
from controller.records.record import (
    Header,
    MoveLine,
    Record,
    TakenBack,
    components_mark,
    format_record,
    move_line,
    result,
)

DOCS = Path(__file__).parents[2] / "docs"
RECORDS, PROTOCOL, EXAMPLES = DOCS / "records.md", DOCS / "referee-protocol.md", DOCS / "examples"
_LONGEST = 240
_EXCERPT = 12
_NAMES = ("Ann", "Ben", "Cara", "Dev", "Eve", "Finn", "Gus", "Hana")


def blocks(text: str, language: str) -> list[str]:
    """The code blocks of this language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def exchanges(block: str) -> Iterator[tuple[str, str]]:
    """Requests with their shortened answers of a session."""
    lines = block.splitlines()
    return zip((line[2:] for line in lines[::2]), (line[2:] for line in lines[1::2]), strict=True)


def shortened(answer: str) -> str:
    """An answer as the documentation shows it."""
    return answer if len(answer) <= _LONGEST else f"{answer[:_LONGEST]} …"


def advised_moves(engine: Game[Any, Any], state: Any) -> list[Any]:
    """What the adviser says to all who may act now, what is worth most first."""
    advised = [advice for player in engine.turn(state).players for advice in engine.advise(state, player)]
    return [advice.move for advice in sorted(advised, key=lambda one: -one.value)]


def advised_record(name: str) -> Record:
    """A whole game that the adviser plays, with one move taken back on the way."""
    engine, rng = load_game(name), Random(f"example {name}")
    players = 3 if 3 in engine.player_counts else engine.player_counts[0]
    header = Header(
        name, players, _NAMES[:players], components=components_mark(name),
        notes={"Date": "2026-11-20", "Table": "Kitchen table", "Event": "An evening with friends"},
    )  # fmt: skip
    states: list[Any] = [engine.start(players, {})]
    lines: list[MoveLine | TakenBack] = []
    corrected = False
    while (turn := engine.turn(states[-1])).actor is not Actor.NOBODY:
        moves = [engine.draw(states[-1], rng)] if turn.actor is Actor.CHANCE else advised_moves(engine, states[-1])
        if len(states) > 4 and len(moves) > 1 and not corrected:
            lines.append(replace(move_line(engine, states[-1], moves[1]), comments=("thinks again",)))
            lines.append(TakenBack(len(states)))
            corrected = True
        lines.append(move_line(engine, states[-1], moves[0]))
        states.append(engine.apply(states[-1], moves[0]))
    return Record(header, tuple(lines), result(engine, states[-1]), ("Played by the adviser.",))


def excerpt(record: Record) -> str:
    """The beginning of a record."""
    return format_record(replace(record, lines=record.lines[:_EXCERPT], result=None))


def session_text(name: str) -> str:
    """A session: the first moves of a game, as the adviser plays them, and everything that can be asked."""
    session, said = Session("0.1.0"), []

    def ask(**request: Any) -> Any:
        line = json.dumps(request)
        answer = session.answer(line)
        said.append(f"> {line}\n< {shortened(answer)}\n")
        return json.loads(answer)

    engine = load_game(name)
    players = 3 if 3 in engine.player_counts else engine.player_counts[0]
    status = ask(do="new", game=name, players=players, seed=7)
    ask(do="legal", limit=2)
    made: list[str] = []
    for _ in range(3):
        acting = status["turn"]["players"]
        advice = [one for player in acting for one in ask(do="advise", player=player)["advice"]]
        status = ask(do="play", notation=max(advice, key=lambda one: one["value"])["notation"])
        made += [move["notation"] for move in status["played"]]
    ask(do="explain", notation=next(text for text in made if _is_illegal(session, text)))
    ask(do="undo")
    ask(do="view", player=1)
    ask(do="score")
    position = ask(do="position")["position"]
    ask(do="record", notes={"Event": "An example"})
    if len(json.dumps(position)) < 600:
        ask(do="setup", game=name, players=players, position=position)
    ask(do="quit")
    return "".join(said)


def _is_illegal(session: Session, notation: str) -> bool:
    answer = json.loads(session.answer(json.dumps({"do": "explain", "notation": notation})))
    return answer.get("legal") is False


def written(text: str, language: str, examples: Sequence[tuple[str, str]]) -> str:
    """A document with these examples under its last heading, "## Examples": (title, text) each."""
    before, heading, _ = text.partition("## Examples\n")
    assert heading, "the document has no heading ## Examples"
    parts = [f"\n### {title}\n\n```{language}\n{example}```\n" for title, example in examples]
    return f"{before}{heading}{''.join(parts)}"


def _main() -> None:
    EXAMPLES.mkdir(exist_ok=True)
    records = {name: advised_record(name) for name in game_names()}
    for name, record in records.items():
        (EXAMPLES / f"{name}.record").write_text(format_record(record), encoding="utf-8")
    shown = [(load_game(name).title, excerpt(record)) for name, record in records.items()]
    RECORDS.write_text(written(RECORDS.read_text(encoding="utf-8"), "record", shown), encoding="utf-8")
    sessions = [(load_game(name).title, session_text(name)) for name in game_names()]
    PROTOCOL.write_text(written(PROTOCOL.read_text(encoding="utf-8"), "session", sessions), encoding="utf-8")


if __name__ == "__main__":
    _main()
