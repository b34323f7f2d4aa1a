"""`pizzatable components`: what is known about a game's pieces, and who says so."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict

import click

from controller.cli.common import told
from controller.game import GameError
from controller.games.facts import PROVENANCES, ComponentError, Fact, list_facts, parse_table
from controller.games.registry import components_text, game_names

_LONGEST_VALUE = 60
_MARK = "*"


@click.command(epilog="Example:  pizzatable components new_york_slice")
@click.argument("game", type=click.Choice(game_names()))
@click.option("--json", "as_json", is_flag=True, help="One JSON object a fact and line instead of the table.")
def command(game: str, as_json: bool) -> None:
    """Print every fact about a game's pieces with where it comes from; * marks what is only reconstructed."""
    with told(GameError):
        facts = list(list_facts(parse_table(components_text(game), "components.toml")))
        if not facts:
            raise ComponentError(
                f"components.toml of {game}: it is cut off before its first fact; install pizzatable anew"
            )
    for line in _json_lines(facts) if as_json else table_lines(facts):
        click.echo(line)


def table_lines(facts: Sequence[Fact]) -> Iterator[str]:
    """The facts as a table, then how many come from where."""
    rows = [("", "piece", "fact", "is", "from")]
    rows += [(_mark(fact), fact.piece, fact.name, _value(fact), fact.source or fact.provenance) for fact in facts]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        yield "  ".join((*(cell.ljust(width) for cell, width in zip(row[:4], widths, strict=True)), row[4])).rstrip()
    counts = Counter(fact.provenance for fact in facts)
    summed = ", ".join(f"{counts[name]} {_MEANINGS[name]}" for name in PROVENANCES if counts[name])
    yield ""
    yield f"{len(facts)} facts: {summed}"


_MEANINGS = {
    "rules": "from the rules",
    "source": "from a named source",
    "inferred": "inferred",
    "reconstructed": f"reconstructed ({_MARK})",
}


def _json_lines(facts: Sequence[Fact]) -> Iterator[str]:
    return (json.dumps(asdict(fact), ensure_ascii=False) for fact in facts)


def _mark(fact: Fact) -> str:
    return _MARK if fact.provenance == "reconstructed" else ""


def _value(fact: Fact) -> str:
    text = fact.value if isinstance(fact.value, str) else json.dumps(fact.value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"
