"""What lies on the table, in millimetres: the only thing the rest of the program learns from a picture.

Table frame: origin at the mat's centre, x to the right, y away from seat 1, z up, millimetres, degrees
counter-clockwise from +x.
"""

from dataclasses import dataclass, field, replace
from enum import Enum

Point = tuple[float, float]
"""(x, y) in table millimetres."""


class PieceKind(Enum):
    """The kinds of piece that vision can find."""

    SLICE = "slice"
    SPECIAL = "special"
    SLICE_CARD = "slice-card"
    ORDER_CARD = "order-card"
    BOARD = "board"
    TOPPING = "topping"
    CUTTER = "cutter"
    DIE = "die"
    SHEET = "sheet"

    @property
    def words(self) -> str:
        """As a sentence has it: "order card"."""
        return self.value.replace("-", " ")


class HiddenCause(Enum):
    """Why a part of the table cannot be seen."""

    HAND = "hand"
    FOREIGN = "foreign"
    """Something that is no piece of this game."""
    GLARE = "glare"
    """A lamp's reflection or the sun, so bright that the picture shows nothing there."""
    DARK = "dark"
    """So little light beside the rest of the mat that nothing can be told there."""
    STRIPES = "stripes"
    """Shadows as thin as pencil strokes lie on a sheet."""
    OUT_OF_PICTURE = "out-of-picture"


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a piece lies.

    A slice's point is its tip and its angle points from the tip to the middle of the crust. The point of all others
    is their centre; the angle points to the top of the writing (Specials, cards, boards, sheets), along the stick to
    its pointed end (cutters), along a side (dice; modulo 90 degrees), and is 0 for toppings.
    """

    x_mm: float
    y_mm: float
    angle_deg: float


@dataclass(frozen=True, slots=True)
class FaceLikelihood:
    """How likely it is that a sighting shows this face, 0 to 1."""

    face: str
    probability: float


class MarkKind(Enum):
    """What players pencil on a printed sheet."""

    DOT = "dot"
    """At (column, row), from 0 at the left and at the top."""
    LINE = "line"
    """At (column, row) of its left or upper dot, then of the other."""
    CROSSED_TOPPING = "crossed-topping"
    """At (column, row) of its square."""
    CIRCLED_BONUS = "circled-bonus"
    """At (number,), from 0 at the left."""
    CROSSED_BONUS = "crossed-bonus"
    """At (number,), likewise."""
    DIAGONAL = "diagonal"
    """A line between the dots at two opposite corners of a square: at (column, row) of the left one, then of the other.
    Told only on sheets that were seen blank."""


@dataclass(frozen=True, slots=True)
class SheetMark:
    """One place of a sheet that may be marked."""

    kind: MarkKind
    at: tuple[int, ...]
    probability: float
    """How likely it is marked, 0 to 1; what it is likely to be without looking where `hidden`."""
    hidden: bool = False
    """Whether something lies on it, or it is so bright that pencil may not show."""


@dataclass(frozen=True, slots=True)
class Space:
    """One space of a board."""

    name: str
    x_mm: float
    """Where its middle lies on the table."""
    y_mm: float
    contents: tuple[FaceLikelihood, ...]
    """EMPTY and the colours of toppings, most likely first; what they leave to 1 is something else. Nothing where the
    space cannot be seen."""


EMPTY = "empty"
"""What a space without a topping shows."""


class Origin(Enum):
    """Whose frame a scene is measured in."""

    MAT = "mat"
    """The table frame."""
    SHEET = "sheet"
    """No mat shows: from the centre of the one sheet, x to the right and y up as it is printed."""
    PICTURE = "picture"
    """Neither shows: pixels of the picture, x to the right and y down, in place of millimetres."""


LIKELY = 0.5
"""The likelihood from which on something is likelier than not."""
SURE = 0.9
"""The likelihood from which on a claim counts as sure, where scenes are shown and where they are judged."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """One piece as it was seen."""

    kind: PieceKind
    pose: Pose
    faces: tuple[FaceLikelihood, ...]
    """Most likely first. What the probabilities leave to 1 is "some other face". Backs are faces too. The face of a die
    is the number on top ("1" to "6") or its dots, that of a topping or cutter its colour."""
    face_up: bool
    """Whether the most likely face is a front. A piece whose back is seen keeps its front to itself."""
    visible: float
    """Share of the piece's outline where the piece itself is seen, 0 to 1."""
    outline_mm: tuple[Point, ...]
    """The outline of the whole piece, hidden parts included, counter-clockwise."""
    marks: tuple[SheetMark, ...] = ()
    """Of a sheet: every place that may be marked, marked or not."""
    spaces: tuple[Space, ...] = ()
    """Of a board: every space it has."""
    covering_mm: tuple[tuple[Point, ...], ...] = ()
    """Of boards and sheets: the outlines of what lies over them and is no piece, where they seem to lie at z = 0. Over
    sheets dice, too."""
    blinded_mm: tuple[tuple[Point, ...], ...] = ()
    """Of a sheet: the outlines of parts of its grid so bright that pencil may not show,"""
    striped_mm: tuple[tuple[Point, ...], ...] = ()
    """and of those where shadows as thin as strokes lie."""

    @property
    def face(self) -> str:
        """The most likely face."""
        return self.faces[0].face

    @property
    def probability(self) -> float:
        """How likely the most likely face is."""
        return self.faces[0].probability

    @property
    def likely(self) -> bool:
        """Whether it is likelier that one of these faces lies there than that none does."""
        return sum(face.probability for face in self.faces) >= LIKELY


@dataclass(frozen=True, slots=True)
class HiddenPlace:
    """A part of the table that this scene says nothing about."""

    outline_mm: tuple[Point, ...]
    cause: HiddenCause


@dataclass(frozen=True, slots=True)
class Change:
    """One piece that came (nothing before), went (nothing after), or lies or looks different. At least one is given."""

    before: Sighting | None
    after: Sighting | None


@dataclass(frozen=True, slots=True)
class Settled:
    """How everything lay when its own part of the table was last at rest."""

    sightings: tuple[Sighting, ...]
    """Under a hand that moves, what was seen there before."""
    at_rest_s: float
    """For how long the rest of the table, where no hand moves, has been at rest."""
    changes: tuple[Change, ...] = ()
    """By which this differs from how everything lay before something changed last."""


PaperLevel = tuple[float, float, float]
"""Blue, green and red, in levels of 255."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What lay on the table when a frame was taken."""

    time_s: float
    """The frame's monotonic time."""
    sequence: int
    """The frame's sequence number."""
    sightings: tuple[Sighting, ...]
    hidden: tuple[HiddenPlace, ...]
    at_rest_s: float
    """For how long nothing on the table has moved and no hand has been in the picture; 0 while something moves."""
    shift_mm: float = 0.0
    """How far the mat lies from where it was first registered."""
    stage_ms: dict[str, float] = field(default_factory=dict)
    """Milliseconds spent in each stage of reading, in order."""
    origin: Origin = Origin.MAT
    settled: Settled | None = None
    """What is at rest while hands move elsewhere; None in a single picture."""
    paper: tuple[PaperLevel, ...] = ()
    """How bright white paper is in some places, now and then; while something moves hands may lie over it."""
    blur_widths: float | None = None
    """The deviation of the blur across the sides of the mat's markers, in picture widths, when `paper` is said and
    nothing moves."""

    def likely(self) -> "Scene":
        """The same moment without what is more likely not there than there."""
        return replace(self, sightings=tuple(sighting for sighting in self.sightings if sighting.likely))

    def last_rest(self) -> "Scene":
        """The same moment with everything as it lay when its own part of the table was last at rest.

        Raises:
            ValueError: the scene does not say.
        """
        if self.settled is None:
            raise ValueError(
                f"scene {self.sequence}: it is of a single picture, expected one of a table that is watched"
            )
        return replace(self, sightings=self.settled.sightings, at_rest_s=self.settled.at_rest_s)
