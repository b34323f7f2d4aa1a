"""Cards to be cut out: order and slice cards, and special offers."""

import colorsys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from hardware.kit.cutting import Piece
from hardware.kit.drawing import (
    WHITE,
    Anchor,
    Area,
    Disc,
    Ink,
    Outline,
    Placed,
    Shape,
    Stroke,
    Words,
    arc,
    box,
    centred_box,
    placed_points,
)
from hardware.kit.lettering import fitting_mm, lines_of
from hardware.kit.slices import special_outline
from hardware.kit.toppings import topping
from hardware.simulated.artwork import SPECIAL_HEIGHT_MM, SPECIAL_WIDTH_MM

SLICE_CARD_MM = (40.0, 56.0)
ORDER_CARD_MM = 70.0
_INK, _CREAM = "#2a1c14", "#fffaf0"
_CRUST, _CHEESE = "#c98d4b", "#f8dd8d"
_EDGES: Mapping[str, Ink] = {
    "pepperoni": "#c23b2c",
    "mushroom": "#8a6238",
    "olive": "#46562f",
    "onion": "#8d4a92",
    "pepper": "#3a9a3f",
    "tomato": "#f2614a",
    "bacon": "#e08a76",
    "pineapple": "#e2ad12",
}
_TOP = "#3a2417"
_GOLDEN = 0.618
_BACK, _BACK_LINE = "#21485c", "#3c6b82"


class When(Enum):
    """When a special offer is used, as its symbol says."""

    THIS_ROUND = "this round"
    ANY_ROUND = "any round"
    END = "end"


@dataclass(frozen=True, slots=True)
class Offer:
    """What a special offer shows."""

    face: str
    letter: str
    text: str
    when: When
    never_in: str
    """The round it may not appear in: "first", "last" or ""."""
    two_players: bool
    """Whether it is used with two players."""


# SLICE ----------------------------------------------------------------------------------------------------------------


def slice_cards(cards: Sequence[tuple[str, str, int]], toppings: Sequence[str]) -> list[Piece]:
    """Each kind of card as often as there are of it: (kind, name, number). `toppings` are what Combo stands for.

    Raises:
        ValueError: there is no drawing of a kind.
    """
    outline = centred_box(*SLICE_CARD_MM)
    back = _card_back(*SLICE_CARD_MM, "SLICE")
    pieces = []
    for kind, name, count in cards:
        if kind == "hot-sauce":
            front = _hot_sauce(name)
        elif kind == "combo":
            front = _combo(name, toppings)
        else:
            front = _topping_card(kind, name)
        pieces += [Piece(f"slice/{kind}", outline, front, back)] * count
    return pieces


def order_cards(orders: Sequence[tuple[str, Sequence[str]]]) -> list[Piece]:
    """Order cards: (name, the toppings of the places, clockwise from the top)."""
    outline = centred_box(ORDER_CARD_MM, ORDER_CARD_MM)
    back = _card_back(ORDER_CARD_MM, ORDER_CARD_MM, "ORDER")
    return [Piece(f"order/{name}", outline, _order(name, places), back) for name, places in orders]


def _topping_card(kind: str, name: str) -> tuple[Shape, ...]:
    width, height = SLICE_CARD_MM
    edge = _EDGES.get(kind, "#6b7280")
    small = [topping(kind, (x, y), 3.6) for x in (-13.0, 13.0) for y in (21.0,)]
    return (
        *_frame(width, height, edge),
        topping(kind, (0.0, 3.0), 14.0),
        *small,
        *_name(name, -20.5, width - 9.0),
    )


def _hot_sauce(name: str) -> tuple[Shape, ...]:
    width, height = SLICE_CARD_MM
    flames = [topping("flame", (x, -8.0), 6.0) for x in (-10.5, 10.5)]
    return (
        Area((centred_box(width + 4, height + 4),), fill="#1d1410"),
        Area((centred_box(width - 5, height - 5, corner_mm=3.0),), line="#f79a1e", width_mm=1.4),
        *flames,
        topping("flame", (0.0, 4.0), 15.0),
        *_name(name, -20.5, width - 9.0, "#fde58a"),
    )


def _combo(name: str, toppings: Sequence[str]) -> tuple[Shape, ...]:
    width, height = SLICE_CARD_MM
    rays: list[Shape] = [Area((centred_box(width + 4, height + 4),), fill="#fff1b8")]
    for number in range(12):
        ray = placed_points(((0.0, 0.0), (60.0, -8.1), (60.0, 8.1)), (0.0, 3.0), 30.0 * number)
        rays.append(Area((ray,), fill="#f2c230"))
    ring = [
        topping(kind, placed_points([(0.0, 12.0)], (0.0, 3.0), -45.0 * number)[0], 4.3)
        for number, kind in enumerate(toppings[:8])
    ]
    plate = Disc((0.0, 3.0), 6.6, fill=WHITE, line=_INK, width_mm=0.6)
    star = placed_points(
        [point for k in range(5) for point in placed_points([(0.0, 5.2), (1.26, 1.74)], (0, 0), -72.0 * k)], (0.0, 3.0)
    )
    return (
        Placed(tuple(rays), clip=centred_box(width + 4, height + 4)),
        Area((centred_box(width - 5, height - 5, corner_mm=3.0),), line="#7a5200", width_mm=1.4),
        *ring,
        plate,
        Area((star,), fill="#e23a1c"),
        Area((box(-15.0, -22.6, 15.0, -15.8, corner_mm=2.0),), fill=_CREAM, line="#7a5200", width_mm=0.4),
        *_name(name, -20.9, width - 12.0),
    )


def _order(name: str, places: Sequence[str]) -> tuple[Shape, ...]:
    step = 360.0 / len(places)
    number_ = name.rsplit("-", 1)[-1]
    ground = _hue(int(number_) if number_.isdigit() else 0, 0.45, 0.92)
    corner, far = ORDER_CARD_MM / 2 - 16.0, ORDER_CARD_MM / 2 + 2.0
    shapes: list[Shape] = [
        Area(
            (centred_box(ORDER_CARD_MM + 4, ORDER_CARD_MM + 4),),
            fill=ground,
        ),
        # Which place is the first: towards the card's top, where its corners are dark.
        *(Area((((side * far, corner), (side * far, far), (side * corner, far)),), fill=_TOP) for side in (-1, 1)),
        Disc((0.0, 0.0), 32.6, fill=_CRUST),
        Disc((0.0, 0.0), 30.2, fill=_CHEESE),
    ]
    for number, kind in enumerate(places):
        turn = -step * number
        cut = placed_points(((0.0, 0.0), (0.0, 30.2)), (0.0, 0.0), turn + step / 2)
        (at,) = placed_points([(0.0, 21.0)], (0.0, 0.0), turn)
        shapes += [Stroke(cut, _CRUST, 0.8), topping(kind, at, 7.0)]
    shapes += [
        Disc((0.0, 0.0), 6.6, fill=_CREAM, line=_CRUST, width_mm=0.8),
        Words(number_, (0.0, -2.2), 4.4, _INK, bold=True),
        Area((((-2.2, 30.6), (2.2, 30.6), (0.0, 34.2)),), fill="#b3261a"),
    ]
    return tuple(shapes)


def _hue(number: int, saturation: float, value: float) -> Ink:
    """A colour for each number, those of numbers near each other far apart: cards that differ in little else."""
    red, green, blue = colorsys.hsv_to_rgb(number * _GOLDEN % 1.0, saturation, value)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


def _card_back(width: float, height: float, word: str) -> tuple[Shape, ...]:
    """The word lies low, so that a camera sees which way up a card lies."""
    shapes: list[Shape] = [Area((centred_box(width + 4, height + 4),), fill=_BACK)]
    reach = width + height
    for step in range(-int(reach // 6), int(reach // 6) + 1):
        x = 6.0 * step
        shapes += [Stroke(((x, -height), (x + 2 * lean * height, height)), _BACK_LINE, 0.35) for lean in (-1, 1)]
    shapes.append(Area((centred_box(width - 6, height - 6, corner_mm=3.0),), line="#f2dfb8", width_mm=0.7))
    low = 0.22 * height
    slab = centred_box(min(width - 9.0, 34.0), 12.0, at=(0.0, -low), corner_mm=3.0)
    shapes.append(Area((slab,), fill=_BACK, line="#f2dfb8", width_mm=0.7))
    capital = fitting_mm(word, 5.0, min(width - 13.0, 28.0), bold=True)
    return (*shapes, Words(word, (0.0, -low - capital / 2), capital, "#f2dfb8", bold=True))


def _frame(width: float, height: float, edge: Ink, ground: Ink = _CREAM) -> tuple[Shape, ...]:
    return (
        Area((centred_box(width + 4, height + 4),), fill=edge),
        Area((centred_box(width - 6, height - 6, corner_mm=3.0),), fill=ground),
    )


def _name(name: str, y: float, widest: float, ink: Ink = _INK) -> list[Shape]:
    capital = fitting_mm(name.upper(), 3.4, widest - 2.0, bold=True)
    return [Words(name.upper(), (0.0, y), capital, ink, bold=True)]


# Pizzeria's special offers --------------------------------------------------------------------------------------------


def offers(cards: Sequence[Offer]) -> list[Piece]:
    """Special offers: menu cards with a letter, what they do, and the symbols of when."""
    back = _card_back(SPECIAL_WIDTH_MM, SPECIAL_HEIGHT_MM, "OFFER")
    return [Piece(offer.face, special_outline(), _offer(offer), back) for offer in cards]


_GROUNDS = {When.THIS_ROUND: "#b3361f", When.ANY_ROUND: "#2d6a4f", When.END: "#3b3f6b"}
_BANDS = 8
_WHEN_WORDS = {When.THIS_ROUND: "this round", When.ANY_ROUND: "any round", When.END: "at the end"}


def _offer(offer: Offer) -> tuple[Shape, ...]:
    width, height, ground = SPECIAL_WIDTH_MM, SPECIAL_HEIGHT_MM, _GROUNDS[offer.when]
    shapes: list[Shape] = [
        *_frame(width, height, ground, _hue(ord(offer.letter), 0.2, 0.99)),
        _bands(offer.letter, width - 6, height - 6),
        Disc((0.0, 18.5), 13.5, fill=ground),
        Disc((0.0, 18.5), 11.8, line=_CREAM, width_mm=0.5),
        Words(offer.letter, (0.0, 18.5 - 5.5), 11.0, _CREAM, bold=True),
        *_symbol(offer.when, (-19.0, 34.5), ground),
        Words(_WHEN_WORDS[offer.when], (24.0, 33.8), 2.6, ground, bold=True, anchor=Anchor.END),
    ]
    lines = _fitted(offer.text, 46.0)
    for number, line in enumerate(lines[1]):
        shapes.append(Words(line, (0.0, -1.5 - 1.75 * lines[0] * number), lines[0], _INK))
    signs = []
    if offer.never_in:
        signs.append(f"not in the {offer.never_in} round")
    if not offer.two_players:
        signs.append("not with two players")
    for number, sign in enumerate(signs):
        y = -37.0 + 4.6 * (len(signs) - 1 - number)
        shapes.append(Words(sign, (0.0, y), 2.2, ground, bold=True))
    return tuple(shapes)


def _bands(letter: str, width: float, height: float) -> Shape:
    """Darker bands in four of eight places across an offer: a camera tells it by what shows of it, in any light.

    Any two of 14 letters differ in at least four places: these are words of the Reed-Muller code RM(1, 3).
    """
    word = (ord(letter) - ord("A")) % 14 + 2
    high = height / _BANDS
    tint = _hue(ord(letter), 0.3, 0.85)
    bands = [
        Area((box(-width / 2, height / 2 - (k + 1) * high, width / 2, height / 2 - k * high),), fill=tint)
        for k in range(_BANDS)
        if ((word >> 1) & k).bit_count() % 2 != word & 1
    ]
    return Placed(tuple(bands), clip=centred_box(width, height, corner_mm=3.0))


def _fitted(text: str, widest: float) -> tuple[float, list[str]]:
    """The largest letters with which a text has room, and its lines."""
    for capital in (3.6, 3.2, 2.9, 2.6, 2.3):
        lines = lines_of(text, capital, widest)
        if len(lines) * 1.75 * capital <= 30.0:
            return capital, lines
    raise ValueError(f"{text!r} does not fit on a special offer")


def _symbol(when: When, at: tuple[float, float], ink: Ink) -> list[Shape]:
    """A lightning bolt, a clock, a chequered flag."""
    match when:
        case When.THIS_ROUND:
            bolt: Outline = ((0.6, 4.4), (-3.0, -0.6), (-0.4, -0.6), (-1.4, -4.6), (3.0, 1.0), (0.4, 1.0), (2.0, 4.4))
            return [Area((placed_points(bolt, at),), fill=ink)]
        case When.ANY_ROUND:
            hands = placed_points(((0.0, 2.6), (0.0, 0.0), (1.9, -1.1)), at)
            return [Disc(at, 4.0, fill=WHITE, line=ink, width_mm=0.9), Stroke(hands, ink, 0.7)]
        case When.END:
            cells = tuple(
                placed_points(box(1.6 * i - 2.4, 1.4 * j - 0.2, 1.6 * i - 0.8, 1.4 * j + 1.2), at)
                for i in range(4)
                for j in range(3)
                if (i + j) % 2 == 0
            )
            frame = placed_points(box(-2.4, -0.2, 4.0, 4.0), at)
            pole = placed_points(((-2.4, 4.0), (-2.4, -4.4)), at)
            return [Area(cells, fill=ink), Area((frame,), line=ink, width_mm=0.3), Stroke(pole, ink, 0.8)]


def circle_outline(diameter_mm: float) -> Outline:
    """The outline of a disc, its middle at the origin."""
    return arc((0.0, 0.0), diameter_mm / 2, 0, 360, steps=72)[:-1]
