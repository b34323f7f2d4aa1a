"""The games, and what is rendered of each."""

from collections.abc import Iterator

from tests.rigs.traced.bodies import Layout
from tests.rigs.traced.lay_board import BoardGame
from tests.rigs.traced.lay_cards import CardGame
from tests.rigs.traced.lay_sheet import SheetGame
from tests.rigs.traced.lay_slices import SliceGame

GAMES = ("new_york_slice", "pizzeria", "slice", "pizza_theory", "dice_and_slice")


def layouts(game: str, seed: int, pictures: int) -> Iterator[Layout]:
    """A game's pictures of one print run: those to learn from, then so many to be read."""
    match game:
        case "new_york_slice" | "pizzeria":
            slices = SliceGame(game, seed)
            yield from slices.enrolment()
            yield from slices.pictures(pictures)
        case "slice":
            cards = CardGame(seed)
            yield from cards.enrolment()
            yield from cards.pictures(pictures)
        case "pizza_theory":
            boards = BoardGame(seed)
            yield from boards.enrolment()
            yield from boards.pictures(pictures)
        case "dice_and_slice":
            yield from SheetGame(seed).pictures(pictures)
        case _:
            raise ValueError(f"the game is {game!r}; expected one of {', '.join(GAMES)}")
