"""What there is to print for each game, from the facts about its pieces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from hardware.kit.paper import Content, Paper
from vision.scene import Point

if TYPE_CHECKING:
    from hardware.kit.cutting import Piece
    from hardware.kit.nets import Die
    from hardware.kit.theory import BoardSide

PICTURE_PX_PER_MM = 8.0
"""How fine drawn pictures are printed: about 200 dots an inch."""
Prints = Callable[[Paper, float], list[Content]]
"""All pages for one copy of a game; how fine its pictures are, where it has some."""

_CARD = "Print on stiff paper, on both sides (flipped on the long edge); cut along the fine lines."
_WEDGES = f"{_CARD} Turned face down, all slices look alike."
_DICE_NOTE = (
    "Cut out, fold along the lines, glue the tabs inside; a cube of stiff card or foam within keeps it square. Bought "
    "dice do as well."
)


def sheet_points() -> list[tuple[int, int]]:
    """What Dice and Slice's score sheet has in its table: the squares of each slice that can come about, its points."""
    from controller.games.dice_and_slice.components import load_components

    components = load_components()
    return [(size, components.points[size]) for size in components.sizes]


def dot_dice() -> list[Die]:
    """Dice and Slice's dice."""
    from controller.games.dice_and_slice.components import DICE, FACES, load_components
    from hardware.kit.nets import Die, dot_face
    from hardware.kit.score_sheets import load_sheet_print

    components, layout = load_components(), load_sheet_print().layout
    inks = {"A": "#b3261a", "B": "#1d4f91"}
    dice = []
    for name in DICE:
        facts = [components.faces[name + face] for face in FACES]
        faces = tuple(dot_face(face.picture, layout.pips_mm, inks[name], connected=face.connected) for face in facts)
        dice.append(Die(f"die {name}", layout.die_mm, "#fffdf6", faces))
    return dice


def dice_and_slice(paper: Paper, _: float) -> list[Content]:
    """A score sheet, to be copied as often as there are players, and the two dice."""
    from hardware.kit.nets import die_sheets
    from hardware.kit.score_sheets import load_sheet_print, score_sheet

    return [
        score_sheet(paper, load_sheet_print(), sheet_points()),
        *die_sheets(paper, "Dice and Slice: dice", _DICE_NOTE, dot_dice()),
    ]


def new_york_slice(paper: Paper, px_per_mm: float) -> list[Content]:
    """Slices and Specials: the pictures that the simulated table shows."""
    from controller.games.new_york_slice.components import load_components
    from controller.simulation.copies.new_york_slice import art as faces
    from hardware.kit.cutting import sheets_of
    from hardware.kit.slices import picture_pieces, special_outline, wedge
    from hardware.simulated.slice_art import SLICE_BACK
    from hardware.simulated.special_art import SPECIAL_BACK

    components, art = load_components(), faces(px_per_mm)
    slices = picture_pieces(art, [one.face for one in components.slices], SLICE_BACK, wedge())
    specials = picture_pieces(art, [one.face for one in components.specials], SPECIAL_BACK, special_outline())
    return [
        *sheets_of(paper, "New York Slice: slices", _WEDGES, slices, nested=True),
        *sheets_of(paper, "New York Slice: Specials", _CARD, specials),
    ]


def pizzeria_pieces() -> tuple[list[Piece], list[Piece]]:
    """Pizzeria's slices and special offers."""
    from controller.games.pizzeria.components import load_components
    from hardware.kit.cards import Offer, When, offers
    from hardware.kit.slices import BasilSlice, basil_slices

    components = load_components()
    slices = basil_slices([BasilSlice(one.face, one.values, one.basil) for one in components.slices])
    cards = offers(
        [
            Offer(one.face, one.title[-1], one.text, When(one.when), one.never_in, one.two_players)
            for one in components.specials
        ]
    )
    return slices, cards


def pizzeria(paper: Paper, _: float) -> list[Content]:
    """Slices and special offers."""
    from hardware.kit.cutting import sheets_of

    slices, cards = pizzeria_pieces()
    return [
        *sheets_of(paper, "Pizzeria: slices", _WEDGES, slices, nested=True),
        *sheets_of(paper, "Pizzeria: special offers", _CARD, cards),
    ]


def theory_board() -> tuple[list[Point], list[BoardSide]]:
    """What Pizza Theory's board shows: its spaces, as `hardware.kit.theory.BoardSide` says, and its sides."""
    from controller.games.pizza_theory.components import line_ends, load_components, position_on_board
    from hardware.kit.theory import BoardSide

    components = load_components()
    places = {name: position_on_board(at) for name, at in components.spaces.items()}
    sides = [
        BoardSide(
            place.name,
            tuple(line_ends(components, place, number) for number in components.numbers),
            tuple(places[start] for start in place.starts),
        )
        for place in components.places
    ]
    return list(places.values()), sides


def pizza_theory(paper: Paper, _: float) -> list[Content]:
    """The board, the toppings, cutters and dice."""
    from controller.games.pizza_theory.components import load_components
    from hardware.kit import theory
    from hardware.kit.cutting import sheets_of
    from hardware.kit.nets import Die, die_sheets, pip_faces

    components = load_components()
    edge = 24.0
    dice = [
        Die(f"{colour} die", edge, theory.INKS[colour][0], pip_faces(edge, _pip_ink(colour)))
        for colour in components.colours
    ]
    note = "Print on stiff paper and cut along the fine lines, or glue on card first."
    return [
        theory.board_sheet(paper, *theory_board()),
        *sheets_of(paper, "Pizza Theory: toppings", note, theory.toppings(components.colours, components.each)),
        theory.cutter_sheet(paper, components.colours),
        *die_sheets(paper, "Pizza Theory: dice", _DICE_NOTE, dice),
    ]


def slice_pieces() -> tuple[list[Piece], list[Piece]]:
    """SLICE's order cards, and its slice cards, each as often as there are of it."""
    from controller.games.slice.components import SPECIAL_CARDS, load_components
    from hardware.kit.cards import order_cards, slice_cards

    components = load_components()
    toppings = [card for card in components.cards if card not in SPECIAL_CARDS]
    cards = [
        (card, components.words(card), count) for card, count in zip(components.cards, components.counts, strict=True)
    ]
    return order_cards(components.orders), slice_cards(cards, toppings)


def slice_game(paper: Paper, _: float) -> list[Content]:
    """Order cards and slice cards."""
    from hardware.kit.cutting import sheets_of

    orders, slices = slice_pieces()
    return [
        *sheets_of(paper, "SLICE: order cards", _CARD, orders),
        *sheets_of(paper, "SLICE: slice cards", _CARD, slices),
    ]


def _pip_ink(colour: str) -> str:
    return "#22262b" if colour == "white" else "#ffffff"


GAME_PRINTS: Mapping[str, Prints] = {
    "dice_and_slice": dice_and_slice,
    "new_york_slice": new_york_slice,
    "pizza_theory": pizza_theory,
    "pizzeria": pizzeria,
    "slice": slice_game,
}
"""Of each game that can be printed."""
