"""A ring of slices and a Special, and what is found of it in a single picture."""

from collections.abc import Mapping, Sequence
from random import Random

from tests.benchmarks.vision_tables import enrolled, render, ring_table
from vision.mat.rectify import table_map
from vision.mat.registration import find_mat
from vision.pieces.features import find_keypoints
from vision.pieces.finding import find_pieces
from vision.pieces.from_above import FromAbove
from vision.pieces.prepared import Prepared, prepare
from vision.pieces.reading import Reading
from vision.pieces.search import build_index
from vision.scene import PieceKind

SIZE = (1280, 720)


def read_ring() -> tuple[FromAbove, Mapping[PieceKind, Prepared], Sequence[Reading]]:
    """The table from above, the enrolled faces, and the pieces found."""
    picture = render(ring_table(Random(1)), SIZE, 10)
    registration = find_mat(picture)
    view = FromAbove(picture, table_map(registration), registration)
    faces = enrolled(SIZE).kinds
    kinds = {kind: prepare(some) for kind, some in faces.items()}
    return view, kinds, find_pieces(view.look, find_keypoints(view.looked, view.table), kinds, build_index(faces))
