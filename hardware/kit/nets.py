"""Dice to be folded from paper."""

from collections.abc import Sequence
from dataclasses import dataclass

from hardware.kit.drawing import WHITE, Area, Disc, Ink, Outline, Placed, Shape, Stroke, Words, centred_box
from hardware.kit.paper import FAINT, INK, Content, Paper, content_area, content_middle
from vision.scene import Point

_TAB_MM = 6.0
# Where the faces lie in the net, in edges from its middle. Folded up, faces two apart in the column are opposite each
# other, and so are the two wings.
_PLACES: tuple[tuple[int, int], ...] = ((0, 1), (0, 0), (0, -1), (0, -2), (-1, 0), (1, 0))
_TABS: tuple[tuple[Point, float], ...] = (
    ((0.0, 1.5), 0.0),
    ((-0.5, 1.0), 90.0),
    ((0.5, 1.0), -90.0),
    ((-0.5, -1.0), 90.0),
    ((0.5, -1.0), -90.0),
    ((-1.5, 0.0), 90.0),
    ((1.5, 0.0), -90.0),
)
"""Middle of the edge each is at, in edges, and which way it points (0: up)."""


@dataclass(frozen=True, slots=True)
class Die:
    """A die: its name, its edge, and what is drawn on its six faces, in the frame of a face's middle."""

    name: str
    edge_mm: float
    ground: Ink
    faces: tuple[tuple[Shape, ...], ...]
    """The first and the third are opposite each other, the second and the fourth, the fifth and the sixth."""


def die_sheets(paper: Paper, title: str, note: str, dice: Sequence[Die]) -> list[Content]:
    """Nets, as many on a page as find room."""
    size = max(die.edge_mm for die in dice)
    width, height = 3 * size + 2 * _TAB_MM + 6.0, 4 * size + _TAB_MM + 12.0
    left, bottom, right, top = content_area(paper)
    across, down = int((right - left) // width), int((top - bottom) // height)
    x, y = content_middle(paper)
    contents = []
    for start in range(0, len(dice), across * down):
        batch = dice[start : start + across * down]
        columns, rows = min(across, len(batch)), -(-len(batch) // across)
        shapes: list[Shape] = []
        for number, die in enumerate(batch):
            row, column = divmod(number, across)
            at = (x + width * (column - (columns - 1) / 2), y + height * ((rows - 1) / 2 - row) + size / 2)
            shapes.append(Placed(tuple(net(die)), at))
        contents.append(Content(title, note, tuple(shapes), tuple(die.name for die in batch)))
    return contents


def net(die: Die) -> list[Shape]:
    """A die's net, the middle of its second face at the origin."""
    edge = die.edge_mm
    shapes: list[Shape] = [Area((_tab(edge, at, turn),), fill=WHITE, line=INK, width_mm=0.15) for at, turn in _TABS]
    for (column, row), drawn in zip(_PLACES, die.faces, strict=True):
        middle = (column * edge, row * edge)
        shapes.append(Area((centred_box(edge, edge, at=middle),), fill=die.ground, line=INK, width_mm=0.15))
        shapes.append(Placed(drawn, middle))
    words = Words(die.name, (0.0, -2.5 * edge - 6.0), 2.6, FAINT, bold=True)
    return [*shapes, words]


def pip_faces(edge_mm: float, ink: Ink) -> tuple[tuple[Shape, ...], ...]:
    """The faces 1 to 6 of a usual die, in a net's order: opposite faces add up to seven."""
    return tuple(_pips(number, edge_mm, ink) for number in (1, 2, 6, 5, 3, 4))


def dot_face(picture: Sequence[str], pitch_mm: float, ink: Ink, *, connected: bool) -> tuple[Shape, ...]:
    """A face with dots in three rows of three (o a dot, . none), neighbours joined where it prints lines."""
    dots = {
        (column, row): ((column - 1) * pitch_mm, (1 - row) * pitch_mm)
        for row, signs in enumerate(picture)
        for column, sign in enumerate(signs)
        if sign == "o"
    }
    shapes: list[Shape] = []
    if connected:
        for (column, row), at in dots.items():
            beside = ((column + 1, row), (column, row + 1))
            shapes += [Stroke((at, dots[other]), ink, 0.9) for other in beside if other in dots]
    return (*shapes, *(Disc(at, 1.5, fill=ink) for at in dots.values()))


def _pips(number: int, edge: float, ink: Ink) -> tuple[Shape, ...]:
    d, radius = edge * 0.26, edge * 0.09
    corners: dict[int, tuple[Point, ...]] = {
        1: ((0.0, 0.0),),
        2: ((-d, d), (d, -d)),
        4: ((-d, d), (d, -d), (d, d), (-d, -d)),
        6: ((-d, d), (d, -d), (d, d), (-d, -d), (-d, 0.0), (d, 0.0)),
    }
    places = corners[number] if number in corners else corners[number - 1] + corners[1]
    return tuple(Disc(at, radius, fill=ink) for at in places)


def _tab(edge: float, at: Point, turn: float) -> Outline:
    """A tab at the middle of an edge, pointing up (0), to the left (90) or to the right (-90)."""
    x, y = at[0] * edge, at[1] * edge
    half, short = edge / 2, edge / 2 - 4.0
    upright = ((-half, 0.0), (half, 0.0), (short, _TAB_MM), (-short, _TAB_MM))
    if turn == 0.0:
        return tuple((x + px, y + py) for px, py in upright)
    side = -1.0 if turn > 0 else 1.0
    return tuple((x + side * py, y + px) for px, py in upright)
