"""The games, and what is rendered of each."""

from collections.abc import Iterator

from tests.rigs.traced.bodies import Layout
from tests.rigs.traced.lay_slices import SliceGame

GAMES = ("new_york_slice", "pizzeria", "slice", "pizza_theory", "dice_and_slice")


def layouts(game: str, seed: int, pictures: int) -> Iterator[Layout]:
    """A game's pictures of one print run: those to learn from, then so many to be read."""
    match game:
        case "new_york_slice" | "pizzeria":
            slices = SliceGame(game, seed)
            yield from slices.enrolment()
            yield from slices.pictures(pictures)
