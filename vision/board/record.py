"""What an owner's round board with spaces looks like, and the toppings and cutters that lie on it.

A board's own frame has its centre at (0, 0) and its first label on +x. Its print is kept as colours on a square grid,
no finer than other faces are kept.
"""

import cmath
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.mat.errors import VisionError
from vision.mat.markers import MAT_HALF_MM, MAT_MM
from vision.shapes import CELL_MM

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

BOARD_VERSION = 1
_SPIN = cmath.exp(2j * cmath.pi / 3)

FACE_MM = 2.0
"""How high a board's face lies over what it lies on."""
TOPPING_THICK_MM = 3.0
RING_STEP_MM = 1.5
"""Toppings are told by their colours on rings so far apart."""
ALONG_STEP_MM = 2.0
"""Cutters are told by their colours along the stick at so many millimetres."""

HARDLY_APART, STICK_HARDLY_APART = 0.25, 0.15
"""Where print and toppings are cut off at white, one that differs from the print of its space by less (logarithm, root
mean square) is hardly surer than none: of 195 such claims on 20 simulated tables 34 were wrong, four of them said with
more than 0.9; of 151 others none. Print of spaces is not enrolled better than that in one colour alone. And which end
of a cutter is the coloured one is hardly told where it differs from wood by less than the second."""
PAINTED = 0.35
"""What lies behind coloured ends strays by more than this (logarithm, in the channel where it does most) where cutters
are painted all over: on boards with wooden ones, drawn, simulated and path-traced, each enrolled by one picture, by
0.05 to 0.21, on a simulated board with red, green and white ones by 0.65."""
HARDLY_SURE = 0.85
"""What is hardly told is no surer than this."""


class BoardRecordError(VisionError, ValueError):
    """A kept board cannot be used."""


@dataclass(frozen=True, slots=True)
class Looks:
    """What the pieces of each colour look like: logarithms of colours, light taken out."""

    names: tuple[str, ...]
    colours: Floats
    """names x steps x 3: a topping's from its middle outwards, a cutter's from its point backwards."""
    spread: Floats
    """names x steps x 3: how far single ones stray from that."""


@dataclass(frozen=True, slots=True)
class BoardPrint:
    """One board, with what is played on it."""

    diameter_mm: float
    colours: Floats
    """n x n x 3 logarithms on a grid of CELL_MM about the centre, rows from far to near, columns along x. Where the
    print was never seen it is guessed from around."""
    slopes: Floats
    """n x n x 2 x 3: their change per millimetre along x and y."""
    known: NDArray[np.bool_]
    """n x n: where the bare print was seen."""
    space_names: tuple[str, ...]
    spaces_mm: Array
    """spaces x 2, own frame."""
    topping_mm: float
    """Diameter of a topping."""
    toppings: Looks
    cutter_mm: tuple[float, float]
    """Length and diameter of a cutter."""
    cutters: Looks
    wood: Floats
    """2 x 3: colours of a cutter behind its point, and how far they stray."""
    richer: float = 1.0
    """How many times as far apart as enrolled a picture's tone shows its tints, and light's; 1 at least."""
    cut_off: bool = False
    """Whether it is in so much light that a picture cuts off what is pale of it at white."""

    def of_each_colour(self) -> "tuple[BoardPrint, ...]":
        """The board with the cutters of each colour alone where they are painted all over, so that no wood is common to
        all: what is learned as wood is between their colours, and strays so far that print would pass for it."""
        if float(self.wood[1].max()) <= PAINTED:
            return (self,)
        looks = self.cutters
        woods = np.stack([np.median(looks.colours, axis=1), np.median(looks.spread, axis=1)], axis=1)
        return tuple(
            replace(self, cutters=Looks((name,), looks.colours[i : i + 1], looks.spread[i : i + 1]), wood=woods[i])
            for i, name in enumerate(looks.names)
        )

    @property
    def points(self) -> Array:
        """n x n x 2: where the grid's points lie, own frame."""
        return grid_points(self.diameter_mm)

    @property
    def pitch_mm(self) -> float:
        """Distance between neighbouring spaces."""
        apart = np.linalg.norm(self.spaces_mm[:, None] - self.spaces_mm, axis=-1)
        return float(np.median(np.where(apart < 1e-6, np.inf, apart).min(1)))


def apart(one: Floats, other: Floats) -> NDArray[np.float32]:
    """How far looks (... x points x 3 logarithms) differ (root mean square)."""
    return np.asarray(np.sqrt(((one - other) ** 2).mean((-2, -1))), np.float32)


def grid_points(diameter_mm: float) -> Array:
    """The points of a board's grid, own frame."""
    half = int(diameter_mm / 2 / CELL_MM)
    steps = np.arange(-half, half + 1) * CELL_MM
    return np.stack(np.meshgrid(steps, steps[::-1]), axis=-1)


def as_complex(space: str, *, mirrored: bool = False) -> complex:
    """Where a space lies from the board's middle, by its coordinates "x,y,z"; neighbours are sqrt(3) apart."""
    x, y, z = map(int, space.split(","))
    at = x + y * _SPIN + z * _SPIN**2
    return at.conjugate() if mirrored else at


def height_of(x_mm: float, y_mm: float) -> float:
    """How high the face of a board lies whose middle is there, above the mat's face."""
    on_mat = abs(x_mm) <= MAT_HALF_MM and abs(y_mm) <= MAT_HALF_MM
    return FACE_MM if on_mat else FACE_MM - MAT_MM


def topping_rings(diameter_mm: float) -> Array:
    """rings x angles x 2: points of a topping about its middle, evenly spread."""
    radii = np.arange(RING_STEP_MM / 2, diameter_mm / 2 - 1.0, RING_STEP_MM)
    angles = np.radians(np.arange(0.0, 360.0, 22.5))
    return np.stack(
        [radii[:, None] * np.cos(angles), radii[:, None] * np.sin(angles)],
        axis=-1,
    )


def header_of(board: BoardPrint) -> dict[str, Any]:
    """What of a board is kept as text."""
    return {
        "version": BOARD_VERSION,
        "diameter_mm": board.diameter_mm,
        "spaces": list(board.space_names),
        "topping_mm": board.topping_mm,
        "toppings": list(board.toppings.names),
        "cutter_mm": list(board.cutter_mm),
        "cutters": list(board.cutters.names),
    }


def arrays_of(board: BoardPrint) -> dict[str, NDArray[Any]]:
    """What of a board is kept as arrays."""
    return {
        "colours": board.colours.astype(np.float16),
        "slopes": board.slopes.astype(np.float16),
        "known": board.known,
        "spaces": board.spaces_mm.astype(np.float32),
        "topping_colours": board.toppings.colours,
        "topping_spread": board.toppings.spread,
        "cutter_colours": board.cutters.colours,
        "cutter_spread": board.cutters.spread,
        "wood": board.wood,
    }


def board_from(header: Mapping[str, Any], load: Callable[[str], NDArray[Any]]) -> BoardPrint:
    """The inverse of `header_of` and `arrays_of`; `load` gives the array of a name.

    Raises:
        BoardRecordError: it is of another version, or what it says does not fit together.
        LookupError, TypeError, ValueError: something is missing or is no number.
    """
    if header["version"] != BOARD_VERSION:
        raise BoardRecordError(
            f"the board has version {header['version']!r}, this program reads {BOARD_VERSION}: enrol again"
        )
    diameter, topping = float(header["diameter_mm"]), float(header["topping_mm"])
    length, thickness = (float(size) for size in header["cutter_mm"])
    if not (
        50.0 < diameter < 600.0 and 4.0 < topping < diameter / 4 and 50.0 < length < 800.0 and 1.0 < thickness < 20.0
    ):
        raise BoardRecordError(
            f"a board of {diameter} mm, toppings of {topping} mm or cutters of {length} mm are out of range"
        )
    spaces = tuple(str(name) for name in header["spaces"])
    toppings, cutters = (tuple(str(name) for name in header[kind]) for kind in ("toppings", "cutters"))
    size = len(grid_points(diameter))

    def floats(name: str, *shape: int) -> Floats:
        array = np.asarray(load(name), np.float32)
        if array.ndim != len(shape) or any(want not in (-1, is_) for want, is_ in zip(shape, array.shape, strict=True)):
            raise BoardRecordError(f"array {name} of the board has shape {array.shape}, expected {shape}")
        if not np.isfinite(array).all():
            raise BoardRecordError(f"array {name} of the board is not finite")
        return array

    known = floats("known", size, size) > 0.5
    if not known.any() or not spaces or not toppings or not cutters:
        raise BoardRecordError("the board has no print, no spaces or no colours")
    rings = len(topping_rings(topping))
    return BoardPrint(
        diameter,
        floats("colours", size, size, 3),
        floats("slopes", size, size, 2, 3),
        known,
        spaces,
        floats("spaces", len(spaces), 2).astype(np.float64),
        topping,
        Looks(
            toppings,
            floats("topping_colours", len(toppings), rings, 3),
            np.maximum(floats("topping_spread", len(toppings), rings, 3), 1e-3),
        ),
        (length, thickness),
        Looks(
            cutters,
            floats("cutter_colours", len(cutters), -1, 3),
            np.maximum(floats("cutter_spread", len(cutters), -1, 3), 1e-3),
        ),
        floats("wood", 2, 3),
    )
