"""Which players' names somebody has said."""

import re

from config.loader import default_seat_names

_UNNAMED = re.compile(r"Player \d+")
"""What a player is called whose name nobody has said."""


def is_said(seat: int, name: str) -> bool:
    """Whether somebody said who sits there: "Player 1" or "Blue" is another person in the next game, or at the next
    table."""
    return not _UNNAMED.fullmatch(name) and name != default_seat_names().get(seat)
