"""What is worked out only where something changed is what working it out all over gives."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.drawn_table import Piece, View, enrolled, photograph
from vision.frame import Image
from vision.hiding.cells import CoarseMap, coarse_map
from vision.masks import widened
from vision.mat.markers import MARKERS_MM
from vision.mat.rectify import TableMap, table_map
from vision.mat.registration import find_mat
from vision.pieces import features
from vision.pieces.features import find_keypoints, light_gain, soften
from vision.pieces.finding import find_pieces
from vision.pieces.prepared import Prepared, prepare
from vision.pieces.raster import Raster, explained
from vision.pieces.reading import Reading
from vision.pieces.search import build_index
from vision.pieces.verify import Look, judge
from vision.scene import PieceKind
from vision.shapes import place

TABLE = (Piece("a/1", 2.0, 0.0, 20.0), Piece("b/2", 0.0, -20.0, 290.0), Piece("special/two", 150.0, 60.0, 45.0))
PARTS = ((slice(0, 40), slice(3, 90)), (slice(101, 180), slice(200, 203)), (slice(60, 61), slice(60, 150)))
"""Rows and columns of cells."""

Mask = NDArray[np.uint8]


@pytest.fixture(scope="module")
def seen() -> tuple[Image, TableMap]:
    picture = photograph(TABLE, View(noise=2.0))
    table = table_map(find_mat(picture))
    return table.look(picture), table


@pytest.fixture(scope="module")
def coarse(seen: tuple[Image, TableMap]) -> CoarseMap:
    return coarse_map(seen[1])


def cells_of(part: tuple[slice, slice], coarse: CoarseMap) -> Mask:
    mask = np.zeros((coarse.height, coarse.width), np.uint8)
    mask[part] = np.random.default_rng(1).integers(0, 2, mask[part].shape) * np.uint8(255)
    return mask


def test_corners_in_a_small_part_of_a_tile_are_those_of_the_whole_tile(
    seen: tuple[Image, TableMap], monkeypatch: pytest.MonkeyPatch
) -> None:
    looked, table = seen
    for x_mm, y_mm in ((60.0, 10.0), (150.0, 60.0), (10.0, -60.0)):
        column, row = np.round(table.to_map(np.array([x_mm, y_mm]))).astype(int)
        small = np.zeros((table.height, table.width), np.uint8)
        small[row - 45 : row + 40, column - 30 : column + 55] = 255
        with monkeypatch.context() as whole_tiles:
            whole_tiles.setattr(features, "_AROUND_PX", max(looked.shape))
            of_all = find_keypoints(looked, table, mask=small)
        only = find_keypoints(looked, table, mask=small)
        assert len(only) > 10
        for of_corners in ("points_mm", "angles_deg", "descriptors", "strength"):
            assert (getattr(only, of_corners) == getattr(of_all, of_corners)).all(), of_corners


@pytest.mark.parametrize("part", PARTS)
def test_cells_as_pixels_and_wider(part: tuple[slice, slice], coarse: CoarseMap) -> None:
    cells, kernel = cells_of(part, coarse), np.ones((41, 41), np.uint8)
    size = (coarse.table.width, coarse.table.height)
    assert (coarse.pixels(cells) == cv2.resize(cells, size, interpolation=cv2.INTER_NEAREST)).all()
    assert (widened(cells, kernel) == cv2.dilate(cells, kernel)).all()


def test_without_any_cells_there_are_no_pixels(coarse: CoarseMap) -> None:
    nothing = np.zeros((coarse.height, coarse.width), np.uint8)
    assert not coarse.pixels(nothing).any()
    assert not widened(nothing, np.ones((5, 5), np.uint8)).any()


@pytest.fixture(scope="module")
def kinds() -> dict[PieceKind, Prepared]:
    return {kind: prepare(faces) for kind, faces in enrolled().kinds.items()}


@pytest.fixture(scope="module")
def look(seen: tuple[Image, TableMap]) -> Look:
    return Look(soften(seen[0]), seen[1], light_gain(*seen, MARKERS_MM))


@pytest.fixture(scope="module")
def found(seen: tuple[Image, TableMap], look: Look, kinds: dict[PieceKind, Prepared]) -> list[Reading]:
    index = build_index({kind: prepared.faces for kind, prepared in kinds.items()})
    return find_pieces(look, find_keypoints(*seen), kinds, index)


def test_what_is_not_explained_within_a_part(
    found: list[Reading], kinds: dict[PieceKind, Prepared], coarse: CoarseMap
) -> None:
    assert len(found) == len(TABLE)
    raster = explained(found, kinds, Raster(coarse.table))
    for part in PARTS:
        within = coarse.pixels(cells_of(part, coarse))
        assert (raster.open_pixels(within) == (raster.open_pixels() & within)).all()


def test_pieces_of_which_too_little_agrees_are_not_compared_with_an_even_surface(
    found: list[Reading], kinds: dict[PieceKind, Prepared], look: Look
) -> None:
    slices = kinds[PieceKind.SLICE]
    poses = np.array([reading.pose for reading in found if reading.kind is PieceKind.SLICE] + [[150.0, 60.0, 0.0]])
    colours = look.colours(place(slices.full.points, poses))
    faces = np.tile(np.arange(3), (len(poses), 1))
    every = judge(colours, faces, slices.full, look.trust)
    shares = every.agrees.mean(1)
    least = float(shares.min() + shares.max()) / 2
    asked = shares >= least
    some = judge(colours, faces, slices.full, look.trust, least_agreeing=least)
    assert (every.costs == some.costs).all()
    assert (every.agrees == some.agrees).all()
    assert not asked.all()
    assert some.gain[asked] == pytest.approx(every.gain[asked], abs=1e-4)
    assert not some.gain[~asked].any()
