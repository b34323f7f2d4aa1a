"""A board's labels, from what an owner pointed at in a photo: where board, toppings and cutters lie in millimetres."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.board.record import TOPPING_THICK_MM, as_complex, height_of
from vision.files.board_marks import BoardMarks, Pixel
from vision.files.label_kinds import LabelError
from vision.mat.registration import Registration

Array = NDArray[np.float64]

LEAST_RIM = 3
RADIUS_MM = (25.0, 300.0)
LEAST_STEP_MM = 6.0
"""From space to space: toppings lie on them."""
TOPPINGS_MM = (5.0, 60.0)
"""So wide a topping may be; others are marked wrongly."""
OFF_MM = 6.0
"""Corners and rim that miss one board by more are marked wrongly."""
ON_SPACE = 0.4
"""A topping so near to a space's middle, in steps from space to space, lies on it."""
CIRCLE = 24
"""Points of a topping's outline."""


@dataclass(frozen=True, slots=True)
class MarkedBoard:
    """What marks tell of a board."""

    pieces: list[dict[str, Any]]
    """Board, toppings and cutters, as labels."""
    spaces_mm: Mapping[str, Array]
    """Where the middle of each space lies on the table, and it the board's face."""
    height_mm: float
    corners: Mapping[str, str]
    """Which space is the corner beside each name."""


def board_of_marks(
    marks: BoardMarks,
    registration: Registration,
    name: str,
    corners: Mapping[str, str],
    spaces: Sequence[str],
) -> MarkedBoard:
    """The board that marks in a photo of this name tell of; the photo is laid over the table.

    `corners` are the coordinates of the board's corner spaces by the names beside them, clockwise as seen from above,
    `spaces` those of all spaces; the direction of the first of `corners` is the board's.

    Raises:
        LabelError: marks are missing, or are not those of one board.
    """
    where = f"marks of {name}"
    _check_there(marks, corners, where)
    height = height_of(*_circle(registration.to_table(np.array(marks.rim)), where)[0])

    def on_board(points_px: Sequence[Pixel], above_mm: float = 0.0) -> Array:
        return registration.on_table(registration.to_table(np.array(points_px, np.float64)), height + above_mm)

    centre, radius = _circle(on_board(marks.rim), where)
    beside = on_board([marks.corners[corner] for corner in corners])
    at = _places(beside, list(corners.values()), spaces, where)
    _check_way_round(beside, marks, list(corners), where)
    middle = np.mean([at[space] for space in corners.values()], axis=0)
    if np.linalg.norm(middle - centre) > OFF_MM:
        raise LabelError(
            f"{where}: the rim's middle is {np.linalg.norm(middle - centre):.0f} mm from that of the corners; expected "
            "the rim all around the board, and the middles of the spaces beside the names"
        )
    first = at[next(iter(corners.values()))] - middle
    board = {
        "kind": "board", "x_mm": float(centre[0]), "y_mm": float(centre[1]),
        "angle_deg": float(np.degrees(np.arctan2(first[1], first[0]))), "diameter_mm": 2.0 * radius,
    }  # fmt: skip
    toppings = _toppings(marks, on_board, at, where)
    rings = [_outline_px(one, registration, height) for one in toppings]
    cutters = [_cutter(colour, ends, marks.cutter_mm, registration, on_board) for colour, ends in marks.cutters.items()]
    pieces = [board, *({**one, "outline_px": ring} for one, ring in zip(toppings, rings, strict=True)), *cutters]
    return MarkedBoard(pieces, at, height, corners)


def _check_there(marks: BoardMarks, corners: Mapping[str, str], where: str) -> None:
    if missing := [corner for corner in corners if corner not in marks.corners]:
        raise LabelError(
            f"{where}: the corners at {', '.join(missing)} are not marked; expected all of {', '.join(corners)}"
        )
    if len(marks.rim) < LEAST_RIM:
        raise LabelError(
            f"{where}: {len(marks.rim)} points of the rim are marked; expected {LEAST_RIM} or more, all around it"
        )
    if not any(marks.toppings.values()):
        raise LabelError(f"{where}: no topping is marked; expected three or more on spaces, one of each colour")
    if marks.topping_edge is None:
        raise LabelError(f"{where}: no edge of a topping is marked; expected a point on one")


def _check_way_round(beside: Array, marks: BoardMarks, corners: Sequence[str], where: str) -> None:
    """Check that corners (n x 2, mm) follow each other clockwise: else all spaces would lie as in a mirror."""
    x, y = (beside - beside.mean(0)).T
    if float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum()) > 0.0:
        marked = ", ".join(
            f"{name} at [{marks.corners[name][0]:.0f}, {marks.corners[name][1]:.0f}]" for name in corners
        )
        raise LabelError(
            f"{where}: the corners {marked} follow each other counter-clockwise; expected {', '.join(corners)} "
            "clockwise as seen from above. Point at them anew if two are exchanged; if your copy is printed so, "
            "board.clockwise in the option components of its table's settings says so"
        )


def _circle(points: Array, where: str) -> tuple[Array, float]:
    """Middle and radius of the circle through points, by least squares. Raises LabelError where there is none."""
    rows = np.column_stack([2.0 * points, np.ones(len(points))])
    (x, y, rest), _, rank, _ = np.linalg.lstsq(rows, (points**2).sum(1), rcond=None)
    centre, radius = np.array([x, y]), float(np.sqrt(max(rest + x * x + y * y, 0.0)))
    miss = np.abs(np.linalg.norm(points - centre, axis=1) - radius).max() if rank == 3 else np.inf
    if miss > OFF_MM or not RADIUS_MM[0] < radius < RADIUS_MM[1]:
        raise LabelError(
            f"{where}: the points of the rim lie on no circle; expected them all around the board's edge, or, "
            "where that is not round, all around the round edge of the pizza that is printed on it"
        )
    return centre, radius


def _places(seen: Array, corners: Sequence[str], spaces: Sequence[str], where: str) -> dict[str, Array]:
    """Where every space lies, by three or more of them: the even lattice through them, seen from either side."""
    points = seen[:, 0] + 1j * seen[:, 1]
    fits = []
    for mirrored in (False, True):
        steps = np.array([as_complex(corner, mirrored=mirrored) for corner in corners])
        solution = np.linalg.lstsq(np.column_stack([steps, np.ones(len(steps))]), points, rcond=None)[0]
        fits.append((float(np.abs(steps * solution[0] + solution[1] - points).max()), mirrored, solution))
    miss, mirrored, (step, middle) = min(fits, key=lambda fit: fit[0])
    apart = float(abs(step)) * np.sqrt(3.0)
    if miss > OFF_MM or apart < LEAST_STEP_MM:
        wrong = f"miss even spaces by {miss:.0f} mm" if miss > OFF_MM else f"leave {apart:.0f} mm from space to space"
        raise LabelError(f"{where}: the corners {wrong}; expected the middles of the corner spaces beside their names")
    at = {space: as_complex(space, mirrored=mirrored) * step + middle for space in spaces}
    return {space: np.array([place.real, place.imag]) for space, place in at.items()}


def _toppings(marks: BoardMarks, on_board: Any, at: Mapping[str, Array], where: str) -> list[dict[str, Any]]:
    placed = [
        (colour, place)
        for colour, points in marks.toppings.items()
        if points
        for place in on_board(points, TOPPING_THICK_MM)
    ]
    assert marks.topping_edge is not None  # it was checked
    (edge,) = on_board([marks.topping_edge], TOPPING_THICK_MM)
    diameter = 2.0 * min(float(np.linalg.norm(edge - place)) for _, place in placed)
    if not TOPPINGS_MM[0] < diameter < TOPPINGS_MM[1]:
        raise LabelError(
            f"{where}: topping_edge makes toppings {diameter:.0f} mm wide; expected a point on the edge of one that "
            "is marked"
        )
    names, places = list(at), np.array(list(at.values()))
    apart = np.linalg.norm(places - places[0], axis=1)
    step = float(apart[apart > 0].min())
    found = []
    for colour, place in placed:
        away = np.linalg.norm(places - place, axis=1)
        space = names[int(away.argmin())] if away.min() < ON_SPACE * step else None
        found.append({
            "kind": "topping", "colour": colour, "x_mm": float(place[0]), "y_mm": float(place[1]),
            "diameter_mm": diameter, "space": space,
        })  # fmt: skip
    return found


def _outline_px(topping: Mapping[str, Any], registration: Registration, height: float) -> list[list[float]]:
    turn = np.linspace(0.0, 2.0 * np.pi, CIRCLE, endpoint=False)
    ring = np.column_stack([np.cos(turn), np.sin(turn)]) * topping["diameter_mm"] / 2
    ring += [topping["x_mm"], topping["y_mm"]]
    seen = registration.seen_from_table(ring, height + TOPPING_THICK_MM)
    return [[float(x), float(y)] for x, y in registration.to_picture(seen)]


def _cutter(
    colour: str, ends: tuple[Pixel, Pixel], thick_mm: float, registration: Registration, on_board: Any
) -> dict[str, Any]:
    ends_mm = on_board(ends, TOPPING_THICK_MM)
    seen = registration.to_table(np.array(ends, np.float64))
    way = (seen[1] - seen[0]) / np.linalg.norm(seen[1] - seen[0])
    side = np.array([-way[1], way[0]]) * thick_mm / 2
    band = registration.to_picture(np.array([seen[0] - side, seen[1] - side, seen[1] + side, seen[0] + side]))
    return {
        "kind": "cutter", "colour": colour, "diameter_mm": thick_mm,
        "ends_mm": [[float(x), float(y)] for x, y in ends_mm], "ends_px": [list(end) for end in ends],
        "outline_px": [[float(x), float(y)] for x, y in band],
    }  # fmt: skip
