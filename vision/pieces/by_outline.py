"""Faces that show nothing from afar, as a back of one colour or of a fine pattern: they are told by where they end.

What is of such a face's colour, and all around is not, in just its shape and size, is a piece with that face. No corner
leads to it, and a pattern that repeats is alike in many places; so outlines do.
"""

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.mat.rectify import PX_PER_MM
from vision.pieces.features import LOG_FLOOR, levels_of
from vision.pieces.outlines import Outlined, Standing, in_shape_of, lying_apart
from vision.pieces.prepared import Prepared
from vision.pieces.reading import Reading
from vision.pieces.sweep import about
from vision.pieces.verify import Flags, Floats, Indices, Look
from vision.shapes import FULL_TURN_DEG, Shape, place

Array = NDArray[np.float64]

SOFT_MM = 1.5
"""Blurred so much (standard deviation) a fine pattern is of one colour, and an edge is where it was."""
OF_LIGHTNESS = 0.5
"""How much a difference in lightness counts against one in colour: light differs from place to place."""
ANOTHER = (0.5, 0.2)
"""What differs so much (logarithm) from a face's colour has nothing of it: by the first where light has changed it, by
the second where the table is nearly of that colour."""
OWN_COLOUR = 0.3
"""What differs more is of another colour. Plain red and blue cards on 12 simulated tables differed by 0.25 at most."""
STANDS_OUT = 5.0
"""How `Standing.apart` counts what has all of it: a little more than what is plainly another thing."""
LEAST_CONTRAST, LEAST_EDGED = 0.3, 0.3
"""What stands out less, or has an edge along less of its outline, is not looked at."""
INSIDE_MM, BEYOND_MM = (2.5, 4.5), (2.0, 6.0)
"""So far inside and beyond its outline it is told whether a piece ends there: what is but framed by a line, as places
printed on a mat are, goes on beyond it."""
ALONG = 7
"""Of patterns the mean colour along so many places of the outline counts."""
LEAST_FREE = 0.6
"""It ends on the table along so much of its outline."""
ENDS_BY = 0.12
"""It ends where its colour (logarithm, root of the mean square) differs by so much from what lies beyond."""


def guesses_by_outline(
    look: Look, looked: Image, prepared: Prepared, unexplained: NDArray[np.uint8]
) -> tuple[Array, Indices]:
    """Where pieces whose faces are even may lie that nothing explains yet (`unexplained`: 255 at such pixels of the
    map): poses (n x 3), and which face each has. A card may lie either way round."""
    poses: list[Array] = []
    faces: list[int] = []
    if not prepared.even.any():
        return np.zeros((0, 3)), np.zeros(0, np.intp)
    soft = cv2.GaussianBlur(looked, (0, 0), SOFT_MM * PX_PER_MM)
    shown = np.log(soft * look.gain + np.float32(LOG_FLOOR))
    free = (unexplained > 0) & (look.table.seen > 0)
    for face in np.flatnonzero(prepared.even):
        apart = _apart(shown, _colour(prepared, int(face)))
        shape = prepared.faces.shape
        found = [one for least in ANOTHER for one in _standing_out(look, apart, free, least, shape)]
        for one in lying_apart(found):
            turns = one.pose[2] + np.arange(0.0, 360.0, FULL_TURN_DEG[shape.kind])
            poses.append(about(shape.centre, np.repeat(one.centre[None], len(turns), axis=0), turns))
            faces += [int(face)] * len(turns)
    return np.concatenate([np.zeros((0, 3)), *poses]), np.array(faces, np.intp)


def _standing_out(
    look: Look, apart: Floats, free: NDArray[np.bool_], another: float, shape: Shape
) -> Iterator[Outlined]:
    """What stands out in this shape, `apart` so much less than `another` from its colour."""
    like = np.where(free, np.clip(1.0 - apart / np.float32(another), 0.0, 1.0), np.float32(0.0))
    standing = Standing(look.table, like * np.float32(STANDS_OUT), like, like)
    for one in in_shape_of(standing, shape):
        if one.contrast > LEAST_CONTRAST and one.edged > LEAST_EDGED:
            yield one


def ends_of_even(look: Look, prepared: Prepared, poses: Array, faces: Indices) -> Floats:
    """n: along which share of its outline a piece with an even face ends at each pose (n x 3); 0 where what lies there
    is of another colour, and for other faces."""
    found = np.zeros(len(poses), np.float32)
    for face in np.unique(faces[prepared.even[faces]]):
        mine = faces == face
        found[mine] = _ends(look, prepared, poses[mine], int(face)).mean(-1)
    return found


def lies_free(look: Look, reading: Reading, unexplained: NDArray[np.uint8]) -> bool:
    """Whether a piece with an even face ends where the table begins (`unexplained`: 255 at pixels of the map that no
    other piece explains) along most of its outline: a gap between others ends where these begin."""
    shape = reading.prepared.faces.shape
    beyond = look.table.meets(unexplained, place(_beside(shape)[1], reading.pose[None]))
    free = beyond.reshape(len(BEYOND_MM), -1).all(0)
    ended = _ends(look, reading.prepared, reading.pose[None], reading.face)[0]
    return bool((ended & free).mean() >= LEAST_FREE)


def _beside(shape: Shape) -> tuple[Array, Array]:
    """Places INSIDE_MM within and BEYOND_MM beyond the outline, one after the other: each n x 2, own frame."""
    rim, outwards = shape.rim
    inside, beyond = (np.array(steps)[:, None, None] * outwards for steps in (INSIDE_MM, BEYOND_MM))
    return (rim - inside).reshape(-1, 2), (rim + beyond).reshape(-1, 2)


def _ends(look: Look, prepared: Prepared, poses: Array, face: int) -> Flags:
    """n x places along the outline: where what lies at each pose ends, if it is of that face's colour."""
    within, outside = (place(points, poses) for points in _beside(prepared.faces.shape))
    shape = (len(poses), 3, -1, len(prepared.faces.shape.rim[0]))
    inside = _smooth(look.colours(within).reshape(shape).mean(2))
    beyond = _smooth(look.colours(outside).reshape(shape))
    seen = look.table.shows(outside).reshape(len(poses), len(BEYOND_MM), -1).all(1)
    differs = np.sqrt(np.square(beyond - inside[:, :, None]).mean(1)).min(1) > ENDS_BY
    own = _apart(np.median(inside, axis=-1), _colour(prepared, face)) < OWN_COLOUR
    return np.asarray(differs & seen & own[:, None])


def _colour(prepared: Prepared, face: int) -> Floats:
    """The mean colour of a face: 3 logarithms."""
    return np.asarray(np.log(levels_of(prepared.full.enrolled[face]).mean(-1) + np.float32(LOG_FLOOR)), np.float32)


def _apart(colours: Floats, other: Floats) -> Floats:
    """How far colours (... x 3) are from another."""
    off = colours - other
    lightness = off.mean(-1, keepdims=True)
    return np.asarray(np.sqrt(np.square(off - (1.0 - OF_LIGHTNESS) * lightness).sum(-1)), np.float32)


def _smooth(along: Floats) -> Floats:
    """Means of ALONG places around each of a closed outline: n x channels x ... x places."""
    half = ALONG // 2
    closed = np.concatenate([along[..., -half:], along, along[..., :half]], axis=-1)
    sums = np.cumsum(np.concatenate([np.zeros_like(closed[..., :1]), closed], axis=-1), axis=-1)
    return np.asarray((sums[..., ALONG:] - sums[..., :-ALONG]) / np.float32(ALONG), np.float32)
