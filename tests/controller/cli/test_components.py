"""`pizzatable components`: the facts about the pieces as a table and as JSON."""

import json

import pytest
from click.testing import CliRunner

from controller.cli.components import command, table_lines
from controller.games.facts import PROVENANCES, Fact
from controller.games.registry import game_names


def ran(*arguments: str) -> str:
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize("game", game_names())
def test_every_fact_of_every_game_is_printed(game: str) -> None:
    facts = [json.loads(line) for line in ran(game, "--json").splitlines()]
    assert facts
    assert all(fact["provenance"] in PROVENANCES for fact in facts)
    table = ran(game).splitlines()
    assert len(table) == len(facts) + 3
    marked = [line for line in table[1:-2] if line.startswith("*")]
    assert len(marked) == sum(fact["provenance"] == "reconstructed" for fact in facts)
    assert table[-1].startswith(f"{len(facts)} facts: ")


def test_the_table_marks_what_is_reconstructed_and_names_sources() -> None:
    facts = [
        Fact("value.3", "name", "Veggie", "rules"),
        Fact("value.3", "pepperoni", [1, 0], "reconstructed"),
        Fact("box", "made", 2017, "source", "the publisher"),
        Fact("box", "text", "x" * 99, "inferred"),
    ]
    assert list(table_lines(facts)) == [
        "   piece    fact       is" + " " * 60 + "from",
        "   value.3  name       Veggie" + " " * 56 + "rules",
        "*  value.3  pepperoni  [1, 0]" + " " * 56 + "reconstructed",
        "   box      made       2017" + " " * 58 + "the publisher",
        f"   box      text       {'x' * 59}…  inferred",
        "",
        "4 facts: 1 from the rules, 1 from a named source, 1 inferred, 1 reconstructed (*)",
    ]


def test_a_file_that_is_cut_off_before_its_first_fact_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.cli.components.components_text", lambda _: "# The pieces of SLI")
    result = CliRunner().invoke(command, ["slice"])
    assert result.exit_code == 1
    assert "components.toml of slice: it is cut off before its first fact" in result.stderr
    assert result.stdout == ""


def test_an_unknown_game_is_said() -> None:
    result = CliRunner().invoke(command, ["chess"])
    assert result.exit_code == 2
    assert "'chess' is not one of" in result.stderr
