"""`pizzatable play`: its options. The games are tested where they are played."""

from collections import Counter

import click
import pytest
from click.testing import CliRunner

from controller.cli.common import game_options
from controller.cli.play import command, player_counts
from controller.playing import Summary, line_of
from controller.simulation.play import Played
from controller.simulation.players import Tally

CONTEXT = click.Context(command)
PLAYERS = next(option for option in command.params if option.name == "players")


@pytest.mark.parametrize(("text", "counts"), [("4", [4]), ("2-6", [2, 3, 4, 5, 6]), ("3-3", [3])])
def test_numbers_of_players(text: str, counts: list[int]) -> None:
    said = player_counts(CONTEXT, PLAYERS, text)
    assert said is not None
    assert list(said) == counts


@pytest.mark.parametrize("text", ["", "x", "2-", "1-3", "2-7", "5-3", "2-3-4", "-3"])
def test_wrong_numbers_of_players_are_named(text: str) -> None:
    with pytest.raises(click.BadParameter, match=f"'{text}': expected"):
        player_counts(CONTEXT, PLAYERS, text)


def test_options_of_a_game() -> None:
    assert game_options(CONTEXT, PLAYERS, ()) == {}
    texts = ("advanced", "solo=false", 'components={"3/1": {"basil": 2}}')
    assert game_options(CONTEXT, PLAYERS, texts) == {
        "advanced": True, "solo": False, "components": {"3/1": {"basil": 2}}
    }  # fmt: skip
    with pytest.raises(click.BadParameter, match="'advanced=yes': expected"):
        game_options(CONTEXT, PLAYERS, ("advanced=yes",))
    for value in ("NaN", "[" * 100000, "9" * 5000):
        with pytest.raises(click.BadParameter, match=r"'advanced=.{,60}': expected"):
            game_options(CONTEXT, PLAYERS, (f"advanced={value}",))


def test_an_option_that_the_game_does_not_have_is_named() -> None:
    result = CliRunner().invoke(command, ["--game", "pizzeria", "--option", "fancy"])
    assert result.exit_code == 1
    assert "option fancy: unknown" in result.output


def test_a_game_that_needs_colours_is_not_played_without() -> None:
    result = CliRunner().invoke(command, ["--game", "pizza_theory", "--grey"])
    assert result.exit_code == 1
    assert "--grey with pizza_theory: expected another game" in result.output


@pytest.mark.parametrize("option", ["--rate", "--mistakes", "--flicker", "--sway"])
def test_what_is_no_number_lies_in_no_range(option: str) -> None:
    result = CliRunner().invoke(command, [option, "nan"])
    assert result.exit_code == 2
    assert f"Invalid value for '{option}': 'nan': expected a finite number" in result.output


def test_a_game_is_told_in_a_line() -> None:
    tally = Tally(plays=31, read=30, asked=1, breaches_found=Counter({"late": 2}))
    line = line_of(Played(7, 3, tally, (1,), 900, 400.0, {}))
    assert line == ("seed 7, 3 players: 31 plays, 30 read, 1 asked, 0 silently wrong; breaches 2 found, 0 missed")


def test_games_that_were_not_played_are_said_and_are_no_success() -> None:
    summary = Summary(wanted=2)
    for seed in (1, 2):
        assert not summary.clean
        summary.add(Played(seed, 2, Tally(plays=20, read=20), (1,), 500, 300.0, {}))
        assert ("1 of 2 before it was stopped" in str(summary)) is (seed == 1)
    assert summary.clean
