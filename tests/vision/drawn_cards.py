"""SLICE's cards on a drawn table: two seats, two piles."""

from functools import cache

import numpy as np

from tests.vision.drawn_table import Piece, label, photograph
from vision.pieces.faces import FacePack
from vision.pieces.learning import enrol

TOPPINGS = ("tomato", "olive", "pepper", "onion", "bacon", "basil")
SLICES = tuple(f"slice/{topping}" for topping in (*TOPPINGS, "combo", "hot-sauce", "back"))
ORDERS = tuple(f"order/{number}" for number in range(1, 5))


def enrolment() -> list[Piece]:
    slices = [Piece(face, -260.0 + 65 * i, 60.0, 85.0 + i) for i, face in enumerate(SLICES)]
    return slices + [Piece(face, -200.0 + 130 * i, -90.0, 90.0 - 2 * i) for i, face in enumerate(ORDERS)]


def circle(order: Piece, faces: list[str]) -> list[Piece]:
    """Slices around an order card, the first beyond its top, clockwise."""
    pieces = []
    for k, face in enumerate(faces):
        way = np.radians(order.angle_deg - 45.0 * k)
        x, y = order.x_mm + 80 * np.cos(way), order.y_mm + 80 * np.sin(way)
        pieces.append(Piece(face, float(x), float(y), order.angle_deg - 45.0 * k + (-3.0, 2.0, 4.0)[k % 3]))
    return pieces


WEST, EAST = Piece("order/2", -300.0, 4.0, 2.0), Piece("order/4", 301.0, -3.0, 178.0)
BACK, SAUCE = "slice/back", "slice/hot-sauce"
TABLE = [
    WEST,
    *circle(WEST, [BACK, "slice/olive", BACK, "slice/tomato", "slice/olive", BACK, "slice/onion", SAUCE]),
    EAST,
    *circle(EAST, ["slice/bacon", BACK, "slice/basil", "slice/combo", BACK, SAUCE, "slice/bacon", BACK]),
    Piece(BACK, -38.0, 3.0, 87.0),
    Piece("slice/pepper", 37.0, 2.0, 94.0),
]
UNDER = [Piece("slice/onion", 33.0, 4.0, 88.0), Piece(BACK, *[(p.x_mm, p.y_mm, p.angle_deg) for p in TABLE][8])]
"""Under the open pile's top card, and under a Hot Sauce card: hardly seen."""
MORE = [*TABLE, Piece("slice/combo", 35.0, -1.0, 91.0)]
"""With one more card on the open pile."""


@cache
def enrolled() -> FacePack:
    """A pack of all drawn cards."""
    return enrol([(photograph(enrolment()), label(enrolment()))], source=["drawn"])
