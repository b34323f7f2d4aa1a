"""Who has which part of the table."""

from collections.abc import Mapping
from random import Random

from config.schema import TableConfig
from controller.game import Player
from vision.scene import Point

Areas = dict[Player, tuple[tuple[Point, ...], ...]]
"""Each player's polygons, the own seat's first, in table millimetres."""


def player_counts(config: TableConfig, counts: range) -> range:
    """Those numbers of players for whom there are seats."""
    return range(counts.start, min(counts.stop, len(config.seats) + 1))


def told_counts(counts: range) -> str:
    """Such as "2 to 4"."""
    return f"{counts.start} to {counts[-1]}" if len(counts) > 1 else str(counts.start)


def areas(config: TableConfig, seats: Mapping[Player, int]) -> Areas:
    """Each player's own seat, and the empty seats nearest to it: who has room spreads out.

    An empty seat midway between two players goes to the one after whom it comes clockwise.
    """
    numbers = list(config.seats)
    owned: dict[Player, list[int]] = {player: [seat] for player, seat in seats.items()}
    for index, number in enumerate(numbers):
        if number in seats.values():
            continue
        owned[_nearest(numbers, index, seats)].append(number)
    return {player: tuple(config.seats[seat].area_mm for seat in mine) for player, mine in owned.items()}


def random_seats(config: TableConfig, players: int, rng: Random) -> dict[int, int]:
    """Player to seat, for players who spread out around the table as people do."""
    numbers = list(config.seats)
    turn = rng.randrange(len(numbers))
    taken = sorted(numbers[(turn + k * len(numbers) // players) % len(numbers)] for k in range(players))
    return dict(enumerate(taken, 1))


def _nearest(numbers: list[int], index: int, seats: Mapping[Player, int]) -> Player:
    def steps(player: Player) -> tuple[int, int]:
        clockwise = (index - numbers.index(seats[player])) % len(numbers)
        return min(clockwise, len(numbers) - clockwise), clockwise

    return min(seats, key=steps)
