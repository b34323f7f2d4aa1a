"""Who has which part of the table."""

from itertools import combinations

import pytest

from config.loader import load_table
from controller.seating import areas


def owners(seats: dict[int, int]) -> dict[int, set[int]]:
    """Player to the numbers of the seats whose areas are theirs."""
    config = load_table([])
    number_of = {seat.area_mm: number for number, seat in config.seats.items()}
    return {player: {number_of[area] for area in mine} for player, mine in areas(config, seats).items()}


def test_everybody_has_their_own_seat_at_a_full_table() -> None:
    assert owners({p: p for p in range(1, 7)}) == {p: {p} for p in range(1, 7)}


def test_two_players_opposite_each_other_share_the_table() -> None:
    assert owners({1: 1, 2: 4}) == {1: {1, 2, 6}, 2: {3, 4, 5}}


def test_an_empty_seat_midway_goes_to_the_one_before_it_clockwise() -> None:
    assert owners({1: 1, 2: 3, 3: 5}) == {1: {1, 2}, 2: {3, 4}, 3: {5, 6}}


def test_neighbours_spread_away_from_each_other() -> None:
    assert owners({1: 1, 2: 2}) == {1: {1, 6, 5}, 2: {2, 3, 4}}


def test_a_players_own_seat_comes_first() -> None:
    config = load_table([])
    for player, mine in areas(config, {1: 2, 2: 5}).items():
        assert mine[0] == config.seats[{1: 2, 2: 5}[player]].area_mm


@pytest.mark.parametrize("players", range(2, 7))
def test_every_area_has_exactly_one_owner(players: int) -> None:
    for taken in combinations(range(1, 7), players):
        seats = dict(enumerate(taken, 1))
        mine = owners(seats)
        assert sorted(number for numbers in mine.values() for number in numbers) == [1, 2, 3, 4, 5, 6]
        assert all(seat in mine[player] for player, seat in seats.items())
