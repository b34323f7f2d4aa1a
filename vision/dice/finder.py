"""Dice on the table: the size that a die must have at each place, its top in millimetres, and where it stands."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.dice.finding import DiceReader, SeenDie, load_reader
from vision.frame import Image
from vision.registration import Registration
from vision.scene import FaceLikelihood, PieceKind, Pose, Sighting

Array = NDArray[np.float64]

SIDES_MM = (12.0, 50.0)
"""Sides of the smallest and the largest die."""
TOLERANCE = 1.25
"""A die read a little off its size is still one."""
SILHOUETTES = (1.0, 1.5)
"""How much wider than its side a die may look, least and most: its sides and corners show."""
TYPICAL_MM = 20.0


class DiceFinder:
    """Finds dice on the table. Keeps nothing between pictures."""

    name = "dice"

    def __init__(self, reader: DiceReader | None = None, *, sides_mm: tuple[float, float] = SIDES_MM) -> None:
        """`sides_mm`: how large the dice are that may lie there."""
        self._reader = reader or load_reader()
        self._sides_mm = sides_mm

    def find(self, image: Image, registration: Registration, seen: Sequence[Sighting]) -> Sequence[Sighting]:
        """The dice whose top can be read, but for those that were seen before (with other patterns than pips).

        The angle is that of a side, the outline where the die stands.
        """
        low, high = self._sides_mm
        scales = _scales(registration)
        sizes_px = (low * scales[0] * SILHOUETTES[0], high * scales[1] * SILHOUETTES[1])
        dice = self._reader.find(image, sizes_px, steps=lambda at: _steps(registration, at))
        sightings = [_sighting(die, registration) for die in dice]
        known = [other for other in seen if other.kind is PieceKind.DIE]
        return [
            one
            for one in sightings
            if low / TOLERANCE <= side_mm(one) <= high * TOLERANCE and not any(_same_die(one, k) for k in known)
        ]


def side_mm(sighting: Sighting) -> float:
    """How wide a sighted die is."""
    first, second = np.array(sighting.outline_mm[0]), np.array(sighting.outline_mm[1])
    return float(np.linalg.norm(second - first))


def _same_die(one: Sighting, other: Sighting) -> bool:
    apart = np.hypot(one.pose.x_mm - other.pose.x_mm, one.pose.y_mm - other.pose.y_mm)
    return bool(apart < 0.6 * side_mm(other))


def _sighting(die: SeenDie, registration: Registration) -> Sighting:
    """The corners as they lie on the table, at the height that the die is wide."""
    flat = registration.to_table(np.array(die.corners_px))
    side = _side(flat)
    for _ in range(3):
        side = _side(registration.on_table(flat, side))
    corners = registration.on_table(flat, side)
    x, y = corners.mean(0)
    edges = np.roll(corners, -1, axis=0) - corners
    turn = np.angle(((edges[:, 0] + 1j * edges[:, 1]) ** 4).mean()) / 4
    stands = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * side / 2
    stands = stands @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) + [x, y]
    likely = sorted(enumerate(die.likelihoods, 1), key=lambda pair: -pair[1])
    return Sighting(
        kind=PieceKind.DIE,
        pose=Pose(float(x), float(y), float(np.degrees(turn) % 90.0)),
        faces=tuple(FaceLikelihood(str(value), share) for value, share in likely),
        face_up=True,
        visible=1.0,
        outline_mm=tuple((float(a), float(b)) for a, b in stands),
    )


def _side(corners: Array) -> float:
    return float(np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1).mean())


def _scales(registration: Registration) -> tuple[float, float]:
    """Least and most pixels to a millimetre in the picture."""
    wide, high = registration.size_px
    places = np.array([[x * wide, y * high] for x in (0.05, 0.5, 0.95) for y in (0.05, 0.5, 0.95)])
    scales = [float(np.sqrt(abs(np.linalg.det(_steps(registration, place))))) for place in places]
    return min(scales), max(scales)


def _steps(registration: Registration, at_px: Array) -> Array:
    """Pixels of a millimetre to the right and of one away, on top of a die that is seen at a pixel."""
    here = registration.on_table(registration.to_table(at_px), TYPICAL_MM)[0]
    points = registration.seen_from_table(here + np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), TYPICAL_MM)
    px = registration.to_picture(points)
    return np.column_stack([px[1] - px[0], px[2] - px[0]])
