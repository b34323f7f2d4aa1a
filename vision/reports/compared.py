"""What was read from one picture beside what truly lay there, both ways."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vision.files.labels import TrueColour, TrueDots, TrueFace, TrueLabel, TruePips, labels_to_compare
from vision.frame import Image
from vision.pieces.faces import BACKS
from vision.reports.mark_report import MarkClaim, MarkPlace, turned_pattern
from vision.scene import SURE, Origin, PieceKind, Pose, Scene, Sighting

NEAR_MM = 5.0
NEAR_DEG = 5.0
"""What is seen no farther from a piece, and turned by no more, is that piece."""
STICK_ALONG_MM = 20.0
"""So far along itself a stick may seem to lie elsewhere."""
NOWHERE = Pose(float("nan"), float("nan"), 0.0)
"""The place of a piece of which labels do not say where it lies."""
LEAST_VISIBLE = 0.5
"""Pieces of which less shows are not expected to be read, and must not be claimed as sure."""
EVERY_DEG: Mapping[PieceKind, float] = {PieceKind.DIE: 90.0, PieceKind.TOPPING: 0.0}
"""After so many degrees a piece looks as before; 0: it has no direction."""
LIGHTS = ((70.0, "dim"), (125.0, "middling"), (256.0, "bright"))
"""Names for a picture's median grey value (0 to 255) below each of these."""


@dataclass(frozen=True, slots=True)
class TruePiece:
    """A piece as a label file has it; its face is what the picture shows, a back if it is face down."""

    kind: PieceKind
    face: str
    pose: Pose
    visible: float


@dataclass(frozen=True, slots=True)
class Match:
    """A piece and the sighting of it."""

    truth: TruePiece
    sighting: Sighting
    distance_mm: float
    turn_deg: float

    @property
    def right(self) -> bool:
        """Whether the most likely face is the true one."""
        return self.sighting.face == self.truth.face

    @property
    def read(self) -> bool:
        """Whether it is said to be what it is: what is likelier not there is not read, whatever it looks like."""
        return self.right and self.sighting.likely


@dataclass(frozen=True, slots=True)
class PhotoReport:
    """One picture's pieces: found, missing, and what is claimed but not there."""

    photo: str
    style: str
    kind: str
    matches: tuple[Match, ...]
    missing: tuple[TruePiece, ...]
    extra: tuple[Sighting, ...]
    stage_ms: Mapping[str, float]
    problem: str = ""
    """Why it could not be read at all."""
    light: str = ""
    """One of LIGHTS."""
    marks: tuple[MarkClaim, ...] = ()
    """Every place of its score sheet."""
    misarranged: tuple[str, ...] | None = None
    """What of the pieces' arrangement is not as it truly is; None where nothing says how it is."""
    unread_marks: tuple[MarkPlace, ...] = ()
    """What was pencilled where nothing was read: its sheet was not found, or its print has no such place."""
    origin: Origin = Origin.MAT
    """Whose frame places are said in; in the picture's own they are pixels."""

    @property
    def expected(self) -> int:
        """Pieces that show enough to be read."""
        found = sum(match.truth.visible >= LEAST_VISIBLE for match in self.matches)
        return found + sum(piece.visible >= LEAST_VISIBLE for piece in self.missing)

    @property
    def right(self) -> int:
        """Expected pieces that were read right."""
        return sum(match.read and match.truth.visible >= LEAST_VISIBLE for match in self.matches)

    @property
    def sure_but_wrong(self) -> int:
        """Sightings claimed as sure that are of another face or of nothing."""
        wrong = sum(not match.right and match.sighting.probability >= SURE for match in self.matches)
        wrong += sum(sighting.probability >= SURE for sighting in self.extra)
        return wrong + sum(claim.sureness >= SURE for claim in self.wrong_marks)

    @property
    def wrong_marks(self) -> tuple[MarkClaim, ...]:
        """Places of the sheet that are read as what they are not, but for those said to be hidden."""
        return tuple(claim for claim in self.marks if not claim.right and not claim.mark.hidden)

    @property
    def sure_but_hardly_visible(self) -> int:
        """Pieces claimed as sure of which less than half shows."""
        return sum(m.truth.visible < LEAST_VISIBLE and m.sighting.probability >= SURE for m in self.matches)

    @property
    def perfect(self) -> bool:
        """Whether everything expected is right and nothing is claimed that is not there."""
        pieces = self.right == self.expected and not self.extra and not self.sure_but_hardly_visible
        marks = not self.wrong_marks and not self.unread_marks
        return not self.problem and pieces and marks and not self.misarranged


def light_of(image: Image) -> str:
    """One of LIGHTS."""
    level = float(np.median(image[::4, ::4].mean(axis=2)))
    return next(name for below, name in LIGHTS if level < below)


def true_pieces(labels: Mapping[str, Any], name: str, kinds: Set[PieceKind] = frozenset(PieceKind)) -> list[TruePiece]:
    """The pieces of these kinds that vision should find, from a label file.

    Raises:
        LabelError: something is missing in a piece or is not what was expected.
    """
    return [
        TruePiece(kind, _true_face(kind, label), Pose(label.x_mm, label.y_mm, label.angle_deg), label.visible)
        for kind, label in labels_to_compare(labels, f"labels of {name}", kinds)
    ]


def compare(
    scene: Scene, truth: Sequence[TruePiece], *, near_mm: float = NEAR_MM, near_deg: float = NEAR_DEG
) -> tuple[list[Match], list[TruePiece], list[Sighting]]:
    """Pair pieces with sightings, the nearest first, what lies on top before what lies below: pairs, pieces not found,
    sightings of nothing."""
    pairs = sorted(
        (
            (piece.visible < LEAST_VISIBLE, _apart(piece.kind, piece.pose, seen.pose), i, j)
            for i, piece in enumerate(truth)
            for j, seen in enumerate(scene.sightings)
            if piece.kind is seen.kind
        ),
    )
    matches: list[Match] = []
    found: set[int] = set()
    used: set[int] = set()
    for _, distance, i, j in pairs:
        turn = _turn(truth[i].kind, truth[i].pose, scene.sightings[j].pose)
        if i in found or j in used or distance > near_mm or turn > near_deg:
            continue
        matches.append(Match(said_alike(truth[i], scene.sightings[j]), scene.sightings[j], distance, turn))
        found.add(i)
        used.add(j)
    missing = [piece for i, piece in enumerate(truth) if i not in found]
    extra = [seen for j, seen in enumerate(scene.sightings) if j not in used]
    return matches, missing, extra


def _true_face(kind: PieceKind, label: TrueLabel) -> str:
    match label:
        case TrueDots():
            return "/".join(label.pattern)
        case TruePips():
            return str(label.value)
        case TrueColour():
            return label.colour
        case TrueFace():
            return label.face if label.face_up else BACKS.get(kind, label.face)


def _turn(kind: PieceKind, first: Pose, second: Pose) -> float:
    """Degrees between two directions of a piece of this kind."""
    every = EVERY_DEG.get(kind, 360.0)
    if not every:
        return 0.0
    return abs((first.angle_deg - second.angle_deg + every / 2) % every - every / 2)


def said_alike(piece: TruePiece, seen: Sighting) -> TruePiece:
    """A die's dots said from the side that its sighting says them from."""
    if piece.kind is not PieceKind.DIE or "/" not in piece.face:
        return piece
    quarters = 90.0 * round((piece.pose.angle_deg - seen.pose.angle_deg) / 90.0)
    face, _ = turned_pattern(piece.face, quarters)
    return replace(piece, face=face, pose=replace(piece.pose, angle_deg=piece.pose.angle_deg - quarters))


def _apart(kind: PieceKind, first: Pose, second: Pose) -> float:
    """How far apart two pieces lie, in millimetres. Of sticks only how far they lie beside each other, as long as that
    is no other stick: where a stick begins says nothing, and other things hide its ends."""
    off = _distance(first, second)
    if kind is not PieceKind.CUTTER or off > STICK_ALONG_MM:
        return off
    angle = np.radians(first.angle_deg)
    return float(abs((second.x_mm - first.x_mm) * np.sin(angle) - (second.y_mm - first.y_mm) * np.cos(angle)))


def _distance(first: Pose, second: Pose) -> float:
    return float(np.hypot(first.x_mm - second.x_mm, first.y_mm - second.y_mm))
