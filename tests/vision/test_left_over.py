"""Pieces that nothing but their colours leads to."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from tests.benchmarks.vision_tables import enrolled, new_world, render, ring_table
from tests.long import cases
from vision.following.known_table import LOOKS, KnownTable
from vision.frame import Frame
from vision.mat.rectify import table_map
from vision.mat.registration import find_mat
from vision.motion import shrink
from vision.pieces.checking import check
from vision.pieces.finding import come_to_rest
from vision.pieces.from_above import FromAbove
from vision.pieces.left_over import _told, with_left_over
from vision.pieces.prepared import prepare
from vision.pieces.raster import Raster, explained, select
from vision.pieces.reading import Reading
from vision.pieces.search import build_index

SIZE = (1280, 720)


class Table:
    """A circle of eleven slices and a Special, read where they truly lie."""

    def __init__(self) -> None:
        self.kinds = {kind: prepare(faces) for kind, faces in enrolled(SIZE).kinds.items()}
        self.index = build_index(enrolled(SIZE).kinds)
        world = ring_table(Random(1))
        picture = render(world, SIZE, 10)
        registration = find_mat(picture)
        self.registration = registration
        self.small = shrink(picture)
        self.view = FromAbove(picture, table_map(registration), registration)
        lying = [(piece, piece.pose) for piece in world.pieces.values() if piece.pose is not None]
        found = []
        for kind, prepared in self.kinds.items():
            mine = [(piece.front, pose) for piece, pose in lying if piece.kind is kind]
            poses = np.array([[pose.x_mm, pose.y_mm, pose.angle_deg] for _, pose in mine])
            faces = np.array([prepared.faces.names.index(face) for face, _ in mine], np.intp)
            found += check(self.view.look, kind, prepared, poses, faces)
        self.readings = select(found, self.kinds, Raster(self.view.table))

    def found_besides(self, known: list[Reading]) -> list[str]:
        """The faces that are found in what these leave unexplained."""
        unexplained = explained(known, self.kinds, Raster(self.view.table)).open_pixels()
        look, looked = self.view.look, self.view.looked
        joined = with_left_over(look, looked, self.kinds, self.index, known, unexplained)
        assert set(names(known)) <= set(names(joined))
        return sorted(set(names(joined)) - set(names(known)))


def names(readings: list[Reading]) -> list[str]:
    return sorted(reading.prepared.faces.names[reading.face] for reading in readings)


@pytest.fixture(scope="module")
def table() -> Table:
    return Table()


@cases("face", ["7/2", "anchovy", "special/buffet"], always=1)
def test_the_one_piece_that_was_missed_is_found(table: Table, face: str) -> None:
    known = [reading for reading in table.readings if reading.prepared.faces.names[reading.face] != face]
    assert len(known) == len(table.readings) - 1
    assert table.found_besides(known) == [face]


@pytest.mark.parametrize("face", ["7/2", "anchovy", "special/buffet"])
def test_a_piece_seen_askew_explains_nothing(table: Table, face: str) -> None:
    empty = render(new_world(Random(1)), SIZE, 10)
    known = KnownTable(table.registration, table.view, table.kinds, shrink(empty), Frame(empty, 0.0, 0))
    known.remember(known.nowhere, np.zeros((known.coarse.height, known.coarse.width), np.uint8))
    known.motion.follow(table.small, 0.2)
    (missed,) = (reading for reading in table.readings if reading.prepared.faces.names[reading.face] == face)
    others = [reading for reading in table.readings if reading is not missed]
    known.looks = LOOKS
    known.add_change(known.blocks.covered(table.readings))
    known.leave_over(table.readings)
    assert known.left_over(table.readings, known.nowhere) is None
    askew = replace(missed, pose=np.array([*missed.pose, 1.5, -9.5, -5.2]), agrees=np.zeros_like(missed.agrees))
    assert not askew.confirmed
    known.leave_over([*others, askew])
    assert known.left_over([*others, askew], known.nowhere) is not None
    known.take(others)
    assert not known.is_plain()


@pytest.mark.parametrize(("gain", "holds"), [(2.4, True), (1.6, False)])
def test_what_is_hardly_more_than_an_even_surface_is_no_dear_piece(table: Table, gain: float, holds: bool) -> None:
    """A blue mat with wood for a crust was surely a pale blue slice that costs as much."""
    (plain,) = (reading for reading in table.readings if reading.prepared.faces.names[reading.face] == "7/2")
    dear = replace(
        plain,
        costs=np.where((plain.candidates == plain.face)[:, None], np.full_like(plain.costs, 1.9), 6.0),
        gain=np.full_like(plain.gain, gain),
        agrees=np.ones_like(plain.agrees),
    )
    assert not dear.trusted
    assert dear.confirmed is holds


@pytest.mark.long
def test_beside_what_is_known_nothing_is_made_up(table: Table) -> None:
    assert len(table.readings) == 12
    assert table.found_besides(table.readings) == []


def test_where_nothing_is_left_over_nothing_is_looked_at(table: Table) -> None:
    nowhere = np.zeros(table.view.looked.shape[:2], np.uint8)
    look, looked = table.view.look, table.view.looked
    assert with_left_over(look, looked, table.kinds, table.index, table.readings, nowhere) == table.readings


def test_a_corner_that_is_left_over_holds_no_piece(table: Table) -> None:
    corner = np.zeros(table.view.looked.shape[:2], np.uint8)
    corner[:12, :12] = 255
    corner &= table.view.table.seen
    corner[300:306, 300:306] = 255
    look, looked = table.view.look, table.view.looked
    joined = with_left_over(look, looked, table.kinds, table.index, table.readings, corner)
    assert names(joined) == names(table.readings)


@pytest.mark.parametrize("turned_deg", [-2.0, 2.0])
def test_what_had_not_come_to_where_it_fits_best_moves_on(table: Table, turned_deg: float) -> None:
    """A print of rings tells its turn little: a few steps do not lead there."""
    turned = np.array([0.4, -0.3, turned_deg])
    askew = [replace(reading, pose=reading.pose + turned) for reading in table.readings]
    rested = come_to_rest(table.view.look, askew, table.kinds, Raster(table.view.table))
    assert names(rested) == names(table.readings)
    for reading in table.readings:
        face = reading.prepared.faces.names[reading.face]
        (again,) = [other for other in rested if other.prepared.faces.names[other.face] == face]
        assert np.abs(again.pose - reading.pose).max() < 0.5


def test_what_is_done_stays_where_it_is(table: Table) -> None:
    askew = [replace(reading, pose=np.add(reading.pose, [0.0, 0.0, 2.0])) for reading in table.readings]
    rested = come_to_rest(table.view.look, askew, table.kinds, Raster(table.view.table), askew)
    assert [id(reading) for reading in rested] == [id(reading) for reading in askew]


def test_what_is_seen_better_tells_more_than_what_little_of_is_a_little_more_alike() -> None:
    """As measured in a tight fan of backs: one of which two thirds are open, the back over it shifted by a step, of
    which a little is left open, and a place askew between two of them, all of which is open."""
    told = _told(np.array([0.87, 0.93, 0.78], np.float32), np.array([0.65, 0.35, 0.95], np.float32))
    assert told.argmax() == 0
