"""The arrangement of one pizza's pieces in a picture, with no game state to help: what `pizzatable read` prints of New
York Slice and Pizzeria."""

import itertools
import math
from collections.abc import Sequence

from controller.game import Json
from controller.games.cut_and_choose_laid import (
    CUT_MM,
    MIDDLE_TIP_MM,
    SLICE_ANGLE_DEG,
    TOUCH_MM,
    centroid,
    clockwise,
    distance_mm,
    gap_mm,
)
from controller.games.polygons import inside
from vision.scene import HiddenPlace, PieceKind, Point, Scene, Sighting

KINDS = frozenset({PieceKind.SLICE, PieceKind.SPECIAL})
"""The pieces that may lie on the table: slices, and Specials or offers."""
BACKS = ("back", "special/back")
"""The faces of what lies face down."""

HALF_SLICE_DEG = SLICE_ANGLE_DEG / 2
UNSEEN_AT_MM = (35.0, 55.0, 75.0, 95.0)
"""So far from the middle it is looked whether something hides what may lie between two slices."""

SIDES = ("south", "west", "north", "east")
"""The mat's four sides, clockwise from the picture's lower edge."""


def describe(scene: Scene) -> Json:
    """The ring or the portions, clockwise, with the Special's place, and what lies at each side of the mat.

    Returns a dictionary: `ring` (faces clockwise when the circle is whole, else None), `portions` (faces of each
    portion, clockwise, the portions clockwise too; a Special that is a portion of its own is an empty list at the end),
    `special`, `special_portion` (index or None), `special_alone`, `middle` (faces in the middle, clockwise), `unseen`
    (pairs of faces, the second clockwise of the first, between which something hides the table), `seats` (side of the
    mat -> collected groups of faces, eaten count, specials).
    """
    slices = [s for s in scene.sightings if s.kind is PieceKind.SLICE]
    middle = [s for s in slices if math.hypot(s.pose.x_mm, s.pose.y_mm) < MIDDLE_TIP_MM]
    at_seats = [s for s in slices if math.hypot(s.pose.x_mm, s.pose.y_mm) >= MIDDLE_TIP_MM]
    specials = [s for s in scene.sightings if s.kind is PieceKind.SPECIAL]
    groups = portions(middle)
    of_round = _of_round([s for s in specials if s.face_up], groups, at_seats)
    owned = [s for s in specials if s is not of_round]
    names = [[s.face for s in group] for group in groups]
    special_portion, alone = _special_portion(of_round, groups)
    if alone:
        names.append([])
    return {
        "ring": names[0] if _is_whole(groups) else None,
        "portions": names,
        "special": of_round.face if of_round else None,
        "special_portion": special_portion,
        "special_alone": alone,
        "middle": [s.face for group in groups for s in group],
        "unseen": [[before.face, after.face] for before, after in _hidden_between(groups, scene.hidden)],
        "seats": {side: view for side in SIDES if (view := _side(side, at_seats, owned)) is not None},
    }


def portions(middle: Sequence[Sighting]) -> list[list[Sighting]]:
    """The slices in the middle, parted where they lie apart, clockwise."""
    if not middle:
        return []
    order = [middle[i] for i in clockwise(middle)]
    groups = [[order[0]]]
    for before, after in itertools.pairwise(order):
        if gap_mm(before, after) > CUT_MM:
            groups.append([])
        groups[-1].append(after)
    return groups


def _is_whole(groups: Sequence[Sequence[Sighting]]) -> bool:
    """Whether these slices are one circle without a gap: the last one lies beside the first, too."""
    return len(groups) == 1 and len(groups[0]) > 2 and gap_mm(groups[0][-1], groups[0][0]) <= CUT_MM


def _hidden_between(
    groups: Sequence[Sequence[Sighting]], hidden: Sequence[HiddenPlace]
) -> list[tuple[Sighting, Sighting]]:
    """Neighbours that lie apart, and between which the table is hidden: what lies there is not known."""
    ends = [(before[-1], after[0]) for before, after in itertools.pairwise([*groups, *groups[:1]])]
    return [
        (before, after)
        for before, after in ends
        if gap_mm(before, after) > CUT_MM
        and any(inside(at, place.outline_mm) for place in hidden for at in _between(before, after))
    ]


def _between(before: Sighting, after: Sighting) -> list[Point]:
    """Points in the open part of the circle from one slice clockwise to another."""
    start, turn = before.pose.angle_deg - HALF_SLICE_DEG, (before.pose.angle_deg - after.pose.angle_deg) % 360.0
    open_deg = max(turn - 2 * HALF_SLICE_DEG, 0.0)
    count = max(round(open_deg / HALF_SLICE_DEG), 1)
    angles = [math.radians(start - open_deg * (i + 0.5) / count) for i in range(count)]
    return [(r * math.cos(angle), r * math.sin(angle)) for angle in angles for r in UNSEEN_AT_MM]


def _of_round(
    specials: Sequence[Sighting], groups: Sequence[Sequence[Sighting]], at_seats: Sequence[Sighting]
) -> Sighting | None:
    """The Special of the round: one that lies with the pizza, or any while no player has slices yet."""
    beside = (s for s in specials if any(distance_mm(s, group) <= TOUCH_MM for group in groups))
    return next(beside, None if at_seats else next(iter(specials), None))


def _special_portion(special: Sighting | None, groups: Sequence[Sequence[Sighting]]) -> tuple[int | None, bool]:
    """The index of the portion that the Special lies with, and whether it is a portion of its own."""
    if special is None or len(groups) < 2:
        return None, False
    distances = [distance_mm(special, group) for group in groups]
    nearest = min(range(len(groups)), key=lambda i: distances[i])
    if distances[nearest] > TOUCH_MM:
        return len(groups), True
    return nearest, False


def _side(side: str, slices: Sequence[Sighting], specials: Sequence[Sighting]) -> Json | None:
    here = [s for s in slices if _side_of(s) == side]
    cards = [s for s in specials if _side_of(s) == side]
    if not here and not cards:
        return None
    collected = [s for s in here if s.face_up]
    return {
        "collected": [[s.face for s in group] for group in _groups(collected, side)],
        "eaten": len(here) - len(collected),
        "specials": [s.face for s in cards],
    }


def _groups(slices: Sequence[Sighting], side: str) -> list[list[Sighting]]:
    """Players keep slices of one value next to each other: neighbours of one value are a group."""
    along = sorted(slices, key=lambda s: centroid(s)[0] if side in ("south", "north") else centroid(s)[1])
    return [list(group) for _, group in itertools.groupby(along, key=lambda s: s.face.partition("/")[0])]


def _side_of(sighting: Sighting) -> str:
    x, y = centroid(sighting)
    if abs(x) > abs(y):
        return "east" if x > 0 else "west"
    return "north" if y > 0 else "south"
