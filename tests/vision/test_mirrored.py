"""Pieces that mirror a lamp are told behind its light, and only where they lie."""

from collections.abc import Mapping
from dataclasses import replace
from random import Random

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.benchmarks.altered_report import LEAST_SHOWN, glossy
from tests.benchmarks.simulated_pieces import FAMILIES, photographs
from tests.benchmarks.simulated_pieces import enrolled as learned
from tests.benchmarks.vision_tables import camera, enrolled, labels, new_world, render
from tests.long import cases
from tests.vision.altered import mirrored
from vision.mat.rectify import table_map
from vision.mat.registration import find_mat
from vision.pieces.checking import check
from vision.pieces.from_above import FromAbove
from vision.pieces.mirrored import is_told, mirroring, mirroring_there
from vision.pieces.prepared import Prepared, prepare
from vision.pieces.reading import Reading
from vision.pieces.sweep import shrunk
from vision.reports.report import report_photo
from vision.scene import PieceKind, Pose
from vision.shapes import place

Array = NDArray[np.float64]
SIZE = (1280, 720)
LYING = {"7/2": Pose(-180.0, -60.0, 250.0), "6/1": Pose(150.0, 90.0, 40.0), "special/buffet": Pose(-40.0, 60.0, 20.0)}
AROUND_MM = 75.0


@pytest.fixture(scope="module")
def kinds() -> Mapping[PieceKind, Prepared]:
    return {kind: prepare(faces) for kind, faces in enrolled(SIZE).kinds.items()}


class Lit:
    """A table on which one of three pieces mirrors a lamp beside its middle."""

    def __init__(self, kinds: Mapping[PieceKind, Prepared], face: str, light: float, beside_px: float) -> None:
        world = new_world(Random(1))
        for name, pose in LYING.items():
            world.put(name, pose, True)
        pieces = labels(world, camera(SIZE))["pieces"]
        outlines = [np.array(piece["outline_px"]) for piece in pieces]
        at = outlines[[piece["face"] for piece in pieces].index(face)].mean(0) + np.array([beside_px, 0.0])
        picture = mirrored(render(world, SIZE, 3), outlines, at, 90.0, light)
        registration = find_mat(picture)
        self.view = FromAbove(picture, table_map(registration), registration)
        self.kind = PieceKind.SPECIAL if face.startswith("special") else PieceKind.SLICE
        self.prepared = kinds[self.kind]
        self.face = self.prepared.faces.names.index(face)
        self.pose = np.array([[LYING[face].x_mm, LYING[face].y_mm, LYING[face].angle_deg]])

    def in_plain_light(self) -> list[Reading]:
        """What is told where it lies, if the lamp is not thought of."""
        found = check(self.view.look, self.kind, self.prepared, self.pose, np.array([self.face]))
        return [reading for reading in found if reading.settled]

    def told(self, middle_mm: Array) -> list[Reading]:
        """What is told behind the lamp's light around a place where nothing is explained."""
        look, open_there = self.view.look, np.zeros((self.view.table.height, self.view.table.width), np.uint8)
        x, y = self.view.table.to_map(middle_mm[None])[0]
        reach = float(np.linalg.norm(self.view.table.to_map(middle_mm[None] + [AROUND_MM, 0.0])[0] - [x, y]))
        cv2.circle(open_there, (round(x), round(y)), round(reach), 255, -1)
        found = mirroring(look, shrunk(look, self.view.looked), self.kind, self.prepared, open_there)
        return [reading for reading in found if is_told(reading)]

    def middle(self) -> Array:
        return np.asarray(place(self.prepared.faces.shape.centre[None], self.pose)[0, 0])


@cases(
    ("face", "light", "beside_px"),
    [("7/2", 0.6, -60.0), ("7/2", 0.6, 60.0), ("6/1", 0.5, 0.0), ("6/1", 0.7, 60.0)],
    always=0,
)
def test_a_piece_is_told_behind_the_light_of_a_lamp(
    kinds: Mapping[PieceKind, Prepared], face: str, light: float, beside_px: float
) -> None:
    lit = Lit(kinds, face, light, beside_px)
    assert lit.in_plain_light() == []
    told = min(lit.told(lit.middle()), key=lambda reading: reading.cost)
    assert told.face == lit.face
    assert np.abs(told.pose - lit.pose[0]).max() < 2.0
    assert {reading.face for reading in lit.told(lit.middle())} == {lit.face}


@pytest.mark.long
@pytest.mark.parametrize("off_mm", [0.0, 1.5])
def test_a_piece_to_which_keypoints_lead_is_told_there(kinds: Mapping[PieceKind, Prepared], off_mm: float) -> None:
    lit = Lit(kinds, "7/2", 0.6, 60.0)
    assert not lit.in_plain_light()
    guess = lit.pose + np.array([off_mm, 0.0, 0.0])
    found = mirroring_there(lit.view.look, lit.kind, lit.prepared, guess, np.array([lit.face]))
    assert [reading.face for reading in found if is_told(reading)] == [lit.face]
    assert not mirroring_there(
        lit.view.look, lit.kind, lit.prepared, guess + np.array([90.0, 0.0, 0.0]), np.array([lit.face])
    )


@pytest.mark.long
def test_pieces_that_keypoints_find_under_a_lamp_are_read() -> None:
    """Going through the table in steps finds two less."""
    image, truth = photographs(replace(FAMILIES["tiles"], with_hands=0.0), 300)
    outlines = [np.array(piece["outline_px"]) for piece in truth["pieces"] if piece["visible"] > LEAST_SHOWN]
    read = report_photo(
        glossy(image, np.random.default_rng(300), outlines), truth, learned(FAMILIES["tiles"]), "lamp", near_mm=8.0
    )
    assert read.sure_but_wrong == 0
    assert read.right >= read.expected - 1


def test_nothing_is_told_where_none_lies_nor_of_one_that_is_blinded(kinds: Mapping[PieceKind, Prepared]) -> None:
    assert Lit(kinds, "6/1", 0.5, 0.0).told(np.array([100.0, -150.0])) == []
    blinded = Lit(kinds, "7/2", 1.5, 0.0)
    assert blinded.told(blinded.middle()) == []
