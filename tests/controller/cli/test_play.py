"""`pizzatable play`: its options. The games are tested where they are played."""

import click
import pytest

from controller.cli.play import command, player_counts

CONTEXT = click.Context(command)
PLAYERS = next(option for option in command.params if option.name == "players")


@pytest.mark.parametrize(("text", "counts"), [("4", [4]), ("2-6", [2, 3, 4, 5, 6]), ("3-3", [3])])
def test_numbers_of_players(text: str, counts: list[int]) -> None:
    assert list(player_counts(CONTEXT, PLAYERS, text)) == counts


@pytest.mark.parametrize("text", ["", "x", "2-", "1-3", "2-7", "5-3", "2-3-4", "-3"])
def test_wrong_numbers_of_players_are_named(text: str) -> None:
    with pytest.raises(click.BadParameter, match=f"'{text}': expected"):
        player_counts(CONTEXT, PLAYERS, text)
