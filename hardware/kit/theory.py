"""Pizza Theory: the board, its toppings, and sleeves that make cutters of sticks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hardware.kit.cards import circle_outline
from hardware.kit.cutting import Piece
from hardware.kit.drawing import (
    WHITE,
    Area,
    Disc,
    Ink,
    Placed,
    Shape,
    Stroke,
    Words,
    box,
    centred_box,
    placed_points,
)
from hardware.kit.lettering import fitting_mm
from hardware.kit.paper import FAINT, INK, Content, Paper, content_middle
from hardware.kit.toppings import topping
from vision.scene import Point

BOARD_MM = 190.0
PITCH_MM = 22.0
"""From one space to the next."""
SPACE_MM = 16.0
"""Less than a topping, so that the lines show between them."""
TOPPING_MM = 18.0
CUTTER_MM = 230.0
SLEEVE_MM = 5.0
"""The width of each of a sleeve's sides."""
INKS: dict[str, tuple[Ink, Ink, str]] = {
    "red": ("#d62f22", "#7d150d", "tomato"),
    "green": ("#2f9e44", "#14532d", "basil"),
    "white": ("#fbfaf5", "#8b8577", "mushroom"),
}
"""Ground, edge and emblem of each colour of topping."""
_CRUST, _RIND, _CHEESE, _SPACE = "#d29a58", "#96622d", "#f7dc93", "#e3b765"
_LINE = "#b06c2c"
_BURNT, _BURN_MM, _BURN_STEPS_DEG = "#5f3512", 4.6, (0.0, 9.0, -9.0)
_RIM_MM = 79.5
"""From the middle to where the crust begins."""


@dataclass(frozen=True, slots=True)
class BoardSide:
    """What the board shows in front of a player."""

    name: str
    """Such as "1st"."""
    lines: tuple[tuple[Point, Point], ...]
    """Each cut, number 1 first: where it begins in front of the player, and where it ends. In spaces from the middle,
    the 1st player below."""
    starts: tuple[Point, ...]
    """The spaces with an X."""


def board_sheet(paper: Paper, spaces: Sequence[Point], sides: Sequence[BoardSide]) -> Content:
    """The board on one page; spaces as in `BoardSide`."""
    note = (
        "Glue it on stiff card, then cut along the rim. Lay it with “1st” towards the first player. The toppings are "
        "on the next page; thick card under each makes them easy to pick up."
    )
    outline = circle_outline(BOARD_MM)
    cut = Area((outline,), line=FAINT, width_mm=0.1)
    board = Placed((*board_drawing(spaces, sides), cut), content_middle(paper))
    return Content("Pizza Theory: the board", note, (board,), ("board",))


def board_drawing(spaces: Sequence[Point], sides: Sequence[BoardSide]) -> tuple[Shape, ...]:
    """The board, its middle at the origin."""
    shapes: list[Shape] = [
        Disc((0.0, 0.0), BOARD_MM / 2, fill=_CRUST),
        Disc((0.0, 0.0), BOARD_MM / 2 - 1.5, line=_RIND, width_mm=0.8),
        Disc((0.0, 0.0), _RIM_MM, fill=_CHEESE, line=_RIND, width_mm=0.8),
    ]
    for side in sides:
        shapes += [Stroke((_onward(_mm(end), _mm(start), _RIM_MM), _mm(end)), _LINE, 0.8) for start, end in side.lines]
    for space in spaces:
        shapes.append(Disc(_mm(space), SPACE_MM / 2, fill=_SPACE, line=_LINE, width_mm=0.6))
    for place, side in enumerate(sides):
        shapes += [shape for start in side.starts for shape in _start(_mm(start))]
        shapes += _side(place, side)
    return tuple(shapes)


def toppings(colours: Sequence[str], each: int) -> list[Piece]:
    """Discs of each colour, in order.

    Raises:
        ValueError: there is no drawing of a colour.
    """
    return [piece for colour in colours for piece in [_disc(colour)] * each]


def cutter_sheet(paper: Paper, colours: Sequence[str]) -> Content:
    """A sleeve for each cutter, to be folded around a stick or into a beam of paper."""
    x, y = content_middle(paper)
    shapes: list[Shape] = []
    gap = 4 * SLEEVE_MM + 4.0 + 14.0
    for number, colour in enumerate(colours):
        at = (x + gap * (number - (len(colours) - 1) / 2), y)
        shapes.append(Placed(tuple(_sleeve(colour)), at))
    note = (
        f"Cut out, fold along the dashed lines into a beam {SLEEVE_MM:.0f} mm thick, glue the tab inside; a stick "
        "within keeps it straight. The solid colour is the cutter's pointed end."
    )
    return Content("Pizza Theory: cutters", note, tuple(shapes), tuple(f"cutter/{colour}" for colour in colours))


def folded_cutter(colour: str) -> Piece:
    """What one side of a folded sleeve shows, its pointed end up.

    Raises:
        ValueError: there is no drawing of a colour.
    """
    outline = centred_box(SLEEVE_MM, CUTTER_MM)
    return Piece(f"cutter/{colour}", outline, tuple(_sleeve_sides(colour, -SLEEVE_MM / 2, SLEEVE_MM)))


def _mm(point: Point) -> Point:
    return point[0] * PITCH_MM, point[1] * PITCH_MM


def _start(at: Point) -> list[Shape]:
    r = 3.6
    (x, y) = at
    return [
        Stroke(((x - r, y - r), (x + r, y + r)), _LINE, 1.5),
        Stroke(((x - r, y + r), (x + r, y - r)), _LINE, 1.5),
    ]


def _side(place: int, side: BoardSide) -> list[Shape]:
    """The numbers where a player's lines begin, the player's name on the rim, and burnt spots to its right, one for the
    1st place (0), two for the 2nd and so on: a camera tells by them how the board is turned."""
    shapes: list[Shape] = []
    for number, (start, end) in enumerate(side.lines, start=1):
        at = _onward(_mm(end), _mm(start), _RIM_MM + 6.0)
        turn = math.degrees(math.atan2(start[1] - end[1], start[0] - end[0])) + 90.0
        shapes.append(Disc(at, 4.3, fill=WHITE, line=_RIND, width_mm=0.4))
        base = placed_points([(0.0, -2.1)], at, turn)[0]
        shapes.append(Words(str(number), base, 4.2, INK, bold=True, turn_deg=turn))
    middle = [sum(part) for part in zip(*(start for start, _ in side.lines), strict=True)]
    angle = math.degrees(math.atan2(middle[1], middle[0]))
    (base,) = placed_points([(_RIM_MM + 8.2, 0.0)], (0.0, 0.0), angle)
    capital = fitting_mm(side.name, 4.4, 8.4, bold=True)
    shapes += [
        Disc(placed_points([(_RIM_MM + 7.8, 0.0)], (0.0, 0.0), angle + 60.0 + step)[0], _BURN_MM, fill=_BURNT)
        for step in _BURN_STEPS_DEG[: place + 1]
    ]
    return [*shapes, Words(side.name, base, capital, "#fff8e6", bold=True, turn_deg=angle + 90.0)]


def _onward(start: Point, end: Point, radius: float) -> Point:
    """Where the ray from one point through another comes to lie so far from the middle."""
    length = math.dist(start, end)
    ahead = ((end[0] - start[0]) / length, (end[1] - start[1]) / length)
    along = end[0] * ahead[0] + end[1] * ahead[1]
    reach = -along + math.sqrt(along**2 - (end[0] ** 2 + end[1] ** 2) + radius**2)
    return end[0] + ahead[0] * reach, end[1] + ahead[1] * reach


def _inks(colour: str) -> tuple[Ink, Ink, str]:
    try:
        return INKS[colour]
    except KeyError:
        raise ValueError(f"{colour!r}: there is no drawing of such a topping; there are of {', '.join(INKS)}") from None


def _disc(colour: str) -> Piece:
    ground, edge, emblem = _inks(colour)
    front = (
        Disc((0.0, 0.0), TOPPING_MM / 2 + 2.0, fill=ground),
        Disc((0.0, 0.0), TOPPING_MM / 2 - 1.6, line=edge, width_mm=0.7),
        topping(emblem, (0.0, 0.0), 3.2),
    )
    return Piece(f"topping/{colour}", circle_outline(TOPPING_MM), front)


def _sleeve_sides(colour: str, left: float, width: float) -> list[Shape]:
    """A cutter's print: its point coloured, the rest like wood."""
    ground, _, _ = _inks(colour)
    half = CUTTER_MM / 2
    return [
        Area((box(left, half - 30.0, left + width, half),), fill=ground),
        Area((box(left, -half, left + width, half - 32.0),), fill="#e2c08e"),
    ]


def _sleeve(colour: str) -> list[Shape]:
    _, edge, _ = _inks(colour)
    half, width, tab = CUTTER_MM / 2, 4 * SLEEVE_MM, 4.0
    left = -(width + tab) / 2
    shapes: list[Shape] = [
        Area((box(left, -half, left + width + tab, half),), fill=WHITE, line=INK, width_mm=0.15),
        *_sleeve_sides(colour, left, width),
    ]
    for number in range(1, 5):
        x = left + SLEEVE_MM * number
        shapes.append(Stroke(((x, -half), (x, half)), edge, 0.15, (2.0, 1.5)))
    for number in range(4):
        x = left + SLEEVE_MM * (number + 0.5)
        # A bright middle line, by which its place is measured.
        shapes.append(Stroke(((x, -half + 4.0), (x, half - 36.0)), "#8a5a24", 0.5))
        shapes.append(Area((((x - 1.6, half - 12.0), (x + 1.6, half - 12.0), (x, half - 3.0)),), fill=edge))
    shapes.append(Words("glue", (left + width + tab / 2 + 0.8, 0.0), 1.6, FAINT, turn_deg=90.0))
    return shapes
