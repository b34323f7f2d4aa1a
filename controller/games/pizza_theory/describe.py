"""The board, its toppings and its cutters in one picture, with no game state to help: what `pizzatable read` prints.

Spaces are named by their coordinates, "x,y,z", as components.toml has them.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from controller.game import Json
from controller.games.pizza_theory.components import PLACES, Components, load_components, with_own_facts
from controller.games.pizza_theory.laid import Lattice, along, facing, lattice_of
from vision.scene import EMPTY, PieceKind, Scene, Sighting, Space

KINDS = frozenset({PieceKind.BOARD, PieceKind.TOPPING, PieceKind.CUTTER, PieceKind.DIE})
"""The pieces that may lie on its table."""

LEAST = 0.5
"""What is less likely is not said to lie there."""
ON_LINE = 0.36
"""A cutter within so many steps (a step is from line to line) of a line, all over the spaces, lies on it; farther off
it would run over the middles of spaces."""


def board_spaces() -> tuple[str, ...]:
    """All spaces of the board, by their coordinates."""
    return tuple(",".join(map(str, at)) for at in load_components().spaces.values())


def board_colours() -> tuple[str, ...]:
    """The colours of toppings and cutters."""
    return load_components().colours


def board_corners(options: Mapping[str, Json]) -> dict[str, str]:
    """The coordinates of the board's corner spaces by the names printed beside them, clockwise as seen from above, the
    1st first; of a copy by the options of its table. Raises ComponentError."""
    places = with_own_facts(options.get("components", {})).places
    first = [place.name for place in places].index(PLACES[0])
    return {place.name: ",".join(map(str, place.corner)) for place in (*places[first:], *places[:first])}


def missing(enrolled: Mapping[PieceKind, Sequence[str]]) -> tuple[str, ...]:
    """What of the board, its toppings and its cutters is not among what was learned of each kind."""
    if PieceKind.BOARD not in enrolled:
        return ("board",)
    spaces = board_spaces()
    without = len(set(spaces) - set(enrolled[PieceKind.BOARD]))
    pieces = [
        f"{colour} {kind.value}"
        for kind in (PieceKind.TOPPING, PieceKind.CUTTER)
        for colour in load_components().colours
        if colour not in enrolled.get(kind, ())
    ]
    return (*([f"{without} of the board's {len(spaces)} spaces"] if without else []), *pieces)


def describe(scene: Scene) -> Json:
    """What lies on the board and beside it.

    Returns a dictionary: `board` (None where there is none, else `centre_mm`, `turn_deg` as the direction of its first
    label, and `nearest`, the label nearest to the picture's lower edge), `spaces` (coordinates -> colour, those with a
    topping), `unclear` (spaces that cannot be told), `cutters` (colour -> `side` and `line` it lies on, both None where
    it lies on none; `between`: the numbers of the lines of `side` it lies between, None where it lies on one or along
    none; with line 0 and 7 for beyond the outermost), `loose` (colour -> how many toppings lie on no space), and `dice`
    (from left to right, each with `value`, `likelihood` and `at_mm`).
    """
    parts = load_components()
    board = next((s for s in scene.sightings if s.kind is PieceKind.BOARD), None)
    toppings = [s for s in scene.sightings if s.kind is PieceKind.TOPPING and s.probability >= LEAST]
    cutters = [s for s in scene.sightings if s.kind is PieceKind.CUTTER and s.probability >= LEAST]
    dice = [s for s in scene.sightings if s.kind is PieceKind.DIE and s.probability >= LEAST]
    spaces = board.spaces if board else ()
    lattice = lattice_of(spaces)
    on_spaces = {space.name: space.contents[0].face for space in spaces if _told(space) and not _empty(space)}
    return {
        "board": None if board is None else _board(board, lattice, parts),
        "spaces": on_spaces,
        "unclear": [space.name for space in spaces if not _told(space)],
        "cutters": {s.face: _cutter(s, lattice, parts) for s in cutters} if lattice else {},
        "loose": dict(sorted(Counter(s.face for s in toppings if not _on_a_space(s, spaces)).items())),
        "dice": [_die(die) for die in sorted(dice, key=lambda die: die.pose.x_mm)],
    }


def _die(die: Sighting) -> Json:
    return {"value": int(die.face), "likelihood": die.probability, "at_mm": [die.pose.x_mm, die.pose.y_mm]}


def _told(space: Space) -> bool:
    return bool(space.contents) and space.contents[0].probability >= LEAST


def _empty(space: Space) -> bool:
    return space.contents[0].face == EMPTY


def _on_a_space(topping: Sighting, spaces: Sequence[Space]) -> bool:
    pitch = _pitch_mm(spaces)
    near = (math.hypot(s.x_mm - topping.pose.x_mm, s.y_mm - topping.pose.y_mm) for s in spaces)
    return min(near, default=math.inf) < pitch / 2


def _pitch_mm(spaces: Sequence[Space]) -> float:
    first = spaces[0] if spaces else None
    apart = (math.hypot(s.x_mm - first.x_mm, s.y_mm - first.y_mm) for s in spaces[1:]) if first else ()
    return min(apart, default=0.0)


def _board(board: Sighting, lattice: Lattice | None, parts: Components) -> Mapping[str, Json]:
    turn = board.pose.angle_deg
    labels = {} if lattice is None else facing(lattice, parts)
    nearest = max(labels, key=lambda name: -math.sin(math.radians(labels[name])), default=None)
    return {"centre_mm": [board.pose.x_mm, board.pose.y_mm], "turn_deg": turn, "nearest": nearest}


def _cutter(cutter: Sighting, lattice: Lattice, parts: Components) -> Mapping[str, Json]:
    """The line that a cutter lies on, or the two lines between which it does."""
    place, low, high = along(cutter.pose, lattice, parts)
    if place is None:
        return {"side": None, "line": None, "between": None}
    middle = (low + high) / 2
    number, value = min(enumerate(place.lines, 1), key=lambda line: abs(line[1] - middle))
    if max(abs(low - value), abs(high - value)) <= ON_LINE:
        return {"side": place.name, "line": number, "between": None}
    before = sum(line < middle for line in place.lines)
    return {"side": place.name, "line": None, "between": [before, before + 1]}
