"""A kind's faces ready for comparing, and what they cost in each other's place."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vision.pieces.faces import KindFaces
from vision.pieces.laid_over import laid_over
from vision.pieces.verify import ALL_TRUSTED, COST_LIMIT, Flags, Floats, Grid, Indices, even_costs, grid_of, judge

Array = NDArray[np.float64]

BLUR_MM = 3.0
"""Where the table is gone through in steps faces are compared so blurred (standard deviation): a step and a turn may
hit a piece no better than that."""
ENROLLED_BLUR_MM = 0.9
"""Of this, faces have so much already."""
EVEN_PRINT = 0.013
"""Blurred so, a face that strays less from its mean colour (logarithm, root of the mean square) is even: its print is
fine, or there is none. Two styles' faces and those of our own copies have 0.073 and more, 0.038 and more if these are
printed in grey, patterns of dots, diamonds and stripes 0.004 to 0.009. Of grey slices in two fifths of the ink, with
0.012 and more, 297 of 436 were read so, 249 with 0.02."""

COVERS_ITSELF_MM, TURNED_ALIKE = 2.0, 0.85
"""A shape covers itself when turned half round where every lattice point comes so near to another; a face is alike then
where at least this share of it agrees."""


@dataclass(frozen=True)
class Prepared:
    """A kind's faces, ready for comparing."""

    faces: KindFaces
    full: Grid
    sparse: Grid

    @property
    def apart(self) -> Floats:
        """faces x faces: what the second costs on average where the first is seen just as it was enrolled, laid over it
        where it fits best."""
        return self._laid_over[0]

    @property
    def beside(self) -> Array:
        """faces x faces x 3: where the second fits best then, a pose in the first's own frame."""
        return self._laid_over[1]

    @cached_property
    def _laid_over(self) -> tuple[Floats, Array]:
        return laid_over(self.faces, self.full)

    @cached_property
    def turned(self) -> Floats:
        """faces: what each costs on average where it is seen just as it was enrolled, but turned half round; COST_LIMIT
        where the shape does not cover itself then, or hardly as much of the face is seen as of any."""
        opposite = 2.0 * self.faces.shape.centre - self.full.points
        far = np.linalg.norm(opposite[:, None] - self.full.points, axis=-1)
        count = len(self.faces.colours)
        if far.min(1).max() > COVERS_ITSELF_MM:
            return np.full(count, COST_LIMIT, np.float32)
        colours = np.ascontiguousarray(np.swapaxes(self.faces.colours[:, far.argmin(1)], 1, 2))
        verdict = judge(colours, np.arange(count)[:, None], self.full, ALL_TRUSTED)
        costs = verdict.costs[:, 0].mean(-1)
        return np.where(verdict.agrees.mean(-1) < TURNED_ALIKE, np.float32(COST_LIMIT), costs)

    @cached_property
    def from_afar(self) -> Floats:
        """faces: how far each strays from its mean colour (logarithm, root mean square), blurred by BLUR_MM."""
        shown = self.full.enrolled @ blurring(self.full, np.arange(len(self.full.points))).T
        strays = shown - shown.mean(-1, keepdims=True)
        return np.asarray(np.sqrt(np.square(strays).mean((1, 2))), np.float32)

    @property
    def even(self) -> Flags:
        """faces: which show nothing from afar but where they end."""
        return np.asarray(self.from_afar < EVEN_PRINT)

    @cached_property
    def contrast(self) -> Floats:
        """faces x cells: what an even surface costs where each is seen just as it was enrolled."""
        return even_costs(self.full)


def blurring(grid: Grid, cells: Indices) -> Floats:
    """How much each cell of a grid has of the colours at some of them, blurred by BLUR_MM: n x cells, each row 1."""
    apart = np.square(grid.points[cells, None] - grid.points[None]).sum(-1)
    weight = np.exp(-apart / (2 * (BLUR_MM**2 - ENROLLED_BLUR_MM**2))).astype(np.float32)
    return np.asarray(weight / weight.sum(1, keepdims=True), np.float32)


def prepare(faces: KindFaces) -> Prepared:
    """Work out what comparing with a kind's faces needs."""
    everything = np.arange(len(faces.shape.lattice))
    return Prepared(faces, grid_of(faces, everything, faces.shape.neighbours), grid_of(faces, faces.shape.sparse, None))
