"""Which players' names somebody has said, and whose are alike."""

import re
from collections.abc import Mapping

from config.loader import default_seat_names
from config.names import same_name

ANOTHER_NAME = "in one game everybody needs another name, as games are counted by name"
"""Why two players of one name are refused."""
_UNNAMED = re.compile(r"Player \d+")
"""What a player is called whose name nobody has said."""


def is_said(seat: int, name: str) -> bool:
    """Whether somebody said who sits there: "Player 1" or "Blue" is another person in the next game, or at the next
    table."""
    return not _UNNAMED.fullmatch(name) and name != default_seat_names().get(seat)


def namesakes(names: Mapping[int, str]) -> list[list[int]]:
    """Seats of which the names, by seat, are one person's (`same_name`); together, those that are."""
    seats: dict[str, list[int]] = {}
    for seat, name in names.items():
        seats.setdefault(same_name(name), []).append(seat)
    return [alike for alike in seats.values() if len(alike) > 1]
