"""Dice on the table: the size that a die must have at each place, its top in millimetres, and where it stands."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.finding import FAMILIAR, MOST, DiceReader, SeenDie, load_reader
from vision.dice.holding import load_hands_around
from vision.dice.patches import Ground
from vision.dice.proposing import Box, Proposal
from vision.finders import Changed, Moves, nothing_moves, nowhere
from vision.frame import Image
from vision.mat.registration import Registration
from vision.scene import FaceLikelihood, PieceKind, Pose, Sighting

Array = NDArray[np.float64]

SIDES_MM = (12.0, 50.0)
"""Sides of the smallest and the largest die."""
TOLERANCE = 1.15
"""A die read a little off its size is still one: on simulated tables sides are read 0.89 to 1.08 times as long."""
SILHOUETTES = (1.0, 1.5)
"""How much wider than its side a die may look, least and most: its sides and corners show."""
TYPICAL_MM = 20.0
TYPICAL_SILHOUETTE = 1.2
BLOCK_PX = 16
"""So fine what changed is looked up."""
BESIDE_MM = 4.0
"""A die hides of a space what matters when it reaches so near to its middle."""
_SQUARE = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
PROMISING = 0.35
"""Proposals on a table that promise less are passed over: hardly a die is among them, and they are many. Chosen on
simulated tables with seeds 301 to 399, together with how much more what is larger promises: of 833 dice 814 are among
the 49 places of a picture that are then looked at."""
FAINT = 0.25
"""But where they touch a die that was found, only those that promise even less."""
EXPLAINS = 0.9
"""What other pieces are said to be with this likelihood explains what is seen there."""


class DiceFinder:
    """Finds dice on the table. Keeps nothing between pictures."""

    name = "dice"

    def __init__(self, reader: DiceReader | None = None) -> None:
        self._reader = reader or load_reader()
        self._hands = load_hands_around()

    def find(self, image: Image, registration: Registration, seen: Sequence[Sighting]) -> Sequence[Sighting]:
        """The dice whose top can be read, but for those that were seen before (with other patterns than pips), and but
        for where other pieces explain what is seen.

        The angle is that of a side, the outline where the die stands.
        """
        return self._within(image, registration, seen, None)

    def find_again(
        self,
        image: Image,
        registration: Registration,
        seen: Sequence[Sighting],
        before: Sequence[Sighting],
        changed: Changed,
        moves: Moves = nothing_moves,
        written: Changed = nowhere,
    ) -> Sequence[Sighting]:
        """What `find` gives, looking only where something changed; dice that nothing changed are those of before."""
        stay = [
            one
            for one in before
            if not changed(_silhouette(one, registration)).any()
            and not any(_explains(other, _foot(one), side_mm(one)) for other in seen)
        ]
        found: list[Sighting] = []
        for box in _boxes(registration, changed, silhouettes_px(registration)[1] / 2):
            found += self._within(image, registration, (*seen, *stay, *found), box, sure_tops(stay, registration))
        return (*stay, *found)

    def in_hand(self, image: Image, registration: Registration, found: Sequence[Sighting]) -> Sequence[float]:
        """How likely each of these dice is in somebody's hand, by what is seen around it."""
        return [float(share) for share in self._hands.likelihoods(image, registration, found)]

    def _within(
        self,
        image: Image,
        registration: Registration,
        seen: Sequence[Sighting],
        box: Box | None,
        known_px: Sequence[Array] = (),
    ) -> list[Sighting]:
        """The dice whose tops have their middles in a box of the picture; `known_px` are tops of others."""
        low, high = SIDES_MM
        dice = self._reader.find(
            image,
            silhouettes_px(registration),
            ground_at=lambda at: ground(registration, at),
            within=box,
            sift=lambda found: _unexplained([p for p in found if p.promise >= FAINT], registration, seen),
            least_promise=PROMISING,
            known_px=known_px,
        )
        sightings = [_sighting(die, registration) for die in dice]
        return [
            one
            for one in sightings
            if low / TOLERANCE <= side_mm(one) <= high * TOLERANCE
            and not any(_same_die(one, other) for other in seen if other.kind is PieceKind.DIE)
            and not any(_explains(other, _foot(one), side_mm(one)) for other in seen)
        ]


def _silhouette(die: Sighting, registration: Registration) -> Array:
    """Points of where a die seems to lie at z = 0: of the face it stands on, of its top, and of both middles."""
    foot = _foot(die)
    foot = np.vstack([foot, foot.mean(0), (foot + np.roll(foot, 1, axis=0)) / 2])
    return np.vstack([foot, registration.seen_from_table(foot, side_mm(die))])


def sure_tops(dice: Sequence[Sighting], registration: Registration) -> list[Array]:
    """The tops of those dice that are sure by themselves, their corners in the picture (4 x 2 each)."""
    sure = [die for die in dice if die.probability > FAMILIAR]
    return [registration.to_picture(registration.seen_from_table(_foot(die), side_mm(die))) for die in sure]


def _boxes(registration: Registration, changed: Changed, around_px: float) -> list[Box]:
    """The parts of the picture where a die may look otherwise: what changed, and so far around it."""
    wide, high = registration.size_px
    columns, rows = (np.arange(0, size + BLOCK_PX, BLOCK_PX) for size in (wide, high))
    spots = np.stack(np.meshgrid(columns, rows), axis=-1)
    mask = changed(registration.to_table(spots.reshape(-1, 2))).reshape(spots.shape[:2]).astype(np.uint8)
    reach = int(np.ceil(around_px / BLOCK_PX))
    mask = np.asarray(cv2.dilate(mask, np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)), np.uint8)
    _, _, parts, _ = cv2.connectedComponentsWithStats(mask)
    ends = np.column_stack([parts[1:, :2], parts[1:, :2] + parts[1:, 2:4]]) * BLOCK_PX - BLOCK_PX // 2
    inside = np.clip(ends, 0, [wide, high, wide, high])
    return [(int(left), int(top), int(right), int(bottom)) for left, top, right, bottom in inside]


def _unexplained(
    proposals: Sequence[Proposal], registration: Registration, seen: Sequence[Sighting]
) -> Sequence[Proposal]:
    """The proposals but for those where other pieces explain what is seen."""
    flat = [piece for piece in seen if piece.kind is not PieceKind.DIE and piece.probability >= EXPLAINS]
    if not flat or not proposals:
        return proposals
    middles = np.array([p.centre_px for p in proposals])
    seem = registration.to_table(middles)
    beside = registration.to_table(middles + np.array([1.0, 0.0]))
    sides = np.array([p.size_px for p in proposals]) * np.linalg.norm(beside - seem, axis=1) / TYPICAL_SILHOUETTE
    outlines = [np.array(piece.outline_mm) for piece in flat]
    middles_mm = np.array([outline.mean(0) for outline in outlines])
    reaches = np.array([np.hypot(*(outline - outline.mean(0)).T).max() for outline in outlines])
    kept = []
    for proposal, place, side in zip(proposals, seem, sides, strict=True):
        stands = registration.on_table(place, 0.75 * side)[0]
        near = np.flatnonzero(np.hypot(*(middles_mm - stands).T) < reaches)
        if not any(_explains(flat[i], stands + _SQUARE * side / 2, float(side)) for i in near):
            kept.append(proposal)
        if len(kept) == 2 * MOST:
            break
    return kept


def _explains(piece: Sighting, foot_mm: Array, side: float) -> bool:
    """Whether a flat piece shows its own face where a die of this side would stand: every space under it is seen to be
    empty or to hold a topping, or it shows more of itself than the die would leave."""
    if piece.probability < EXPLAINS or piece.kind in (PieceKind.DIE, PieceKind.CUTTER):
        return False
    x, y = foot_mm.mean(0)
    if piece.spaces:
        under = [s for s in piece.spaces if np.hypot(s.x_mm - x, s.y_mm - y) < side / 2 + BESIDE_MM]
        return bool(under) and all(s.contents and s.contents[0].probability >= EXPLAINS for s in under)
    outline = np.array(piece.outline_mm, np.float32)
    if len(outline) < 3 or cv2.pointPolygonTest(outline, (float(x), float(y)), False) < 0:
        return False
    shared, _ = cv2.intersectConvexConvex(cv2.convexHull(outline), foot_mm.astype(np.float32))
    under_it = shared > 0.6 * side**2
    return under_it and piece.visible > 1.0 - 0.5 * shared / max(cv2.contourArea(outline), 1.0)


def _foot(die: Sighting) -> Array:
    return np.array(die.outline_mm)


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
    stands = _SQUARE * side / 2
    stands = stands @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) + [x, y]
    return Sighting(
        kind=PieceKind.DIE,
        pose=Pose(round(float(x), 2), round(float(y), 2), round(float(np.degrees(turn) % 90.0), 2)),
        faces=likely_first(die.likelihoods),
        face_up=True,
        visible=1.0,
        outline_mm=tuple((float(a), float(b)) for a, b in stands),
    )


def likely_first(likelihoods: Sequence[float]) -> tuple[FaceLikelihood, ...]:
    """The values 1 to 6 with these likelihoods, the likeliest first."""
    likely = sorted(enumerate(likelihoods, 1), key=lambda pair: -pair[1])
    return tuple(FaceLikelihood(str(value), round(share, 4)) for value, share in likely)


def _side(corners: Array) -> float:
    return float(np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1).mean())


def silhouettes_px(registration: Registration) -> tuple[float, float]:
    """How wide the smallest and the largest die may look in the picture."""
    wide, high = registration.size_px
    places = np.array([[x * wide, y * high] for x in (0.05, 0.5, 0.95) for y in (0.05, 0.5, 0.95)])
    scales = [float(np.sqrt(abs(np.linalg.det(ground(registration, place).plane)))) for place in places]
    return SIDES_MM[0] * min(scales) * SILHOUETTES[0], SIDES_MM[1] * max(scales) * SILHOUETTES[1]


def ground(registration: Registration, at_px: Array) -> Ground:
    """How the table is seen where the top of a die is seen at a pixel; steps are millimetres."""
    here = registration.on_table(registration.to_table(at_px), TYPICAL_MM)[0]
    points = registration.seen_from_table(here + np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), TYPICAL_MM)
    px = registration.to_picture(points)
    lean = (here - registration.camera_mm[:2]) / (registration.camera_mm[2] - TYPICAL_MM)
    return Ground(np.column_stack([px[1] - px[0], px[2] - px[0]]), lean)
