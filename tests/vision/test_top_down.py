"""Rows of slices each of which covers half of the next, explained from the top down."""

from collections.abc import Mapping, Sequence
from functools import cache
from random import Random

import cv2
import pytest

from hardware.simulated.surroundings import Conditions
from tests.benchmarks.simulated_pieces import FAMILIES, Photo, enrolled, photograph, photographs
from tests.benchmarks.vision_tables import enrolled as learned
from tests.benchmarks.vision_tables import render, ring_table
from tests.vision.ring_read import read_ring
from vision.frame import Frame
from vision.pieces.prepared import Prepared
from vision.pieces.raster import Raster
from vision.pieces.reading import Reading
from vision.pieces.top_down import from_top_down
from vision.pieces.verify import Look
from vision.reader import Reader, read_photo
from vision.reports.compared import compare, true_pieces
from vision.scene import PieceKind, Scene

FANS, SEED = FAMILIES["fans"], 110
"""Faces and backs on chequered cloth; of 32 slices four tenths show at least."""
NEAR_MM, NEAR_DEG = 8.0, 8.0


@cache
def bare() -> Photo:
    """The same table before anything lay on it."""
    rng = Random(SEED)
    FANS.table(rng)
    return photograph(FANS, (), Conditions.random(rng))


def faults(scene: Scene) -> list[str]:
    """What is missing, of nothing, or taken for another."""
    truth = true_pieces(photographs(FANS, SEED)[1], "fans")
    assert len(truth) == 32
    matches, missing, extra = compare(scene, truth, near_mm=NEAR_MM, near_deg=NEAR_DEG)
    wrong = [f"{match.truth.face} as {match.sighting.face}" for match in matches if not match.right]
    return wrong + [f"no {piece.face}" for piece in missing] + [f"{seen.face} of nothing" for seen in extra]


@pytest.mark.long
def test_every_slice_of_tight_fans_is_found() -> None:
    assert faults(read_photo(photographs(FANS, SEED)[0], enrolled(FANS))) == []


@pytest.mark.long
def test_every_slice_of_tight_fans_is_found_while_the_table_is_watched() -> None:
    reader = Reader(enrolled(FANS))
    pictures = [bare()[0]] * 4 + [photographs(FANS, SEED)[0]] * 5
    scenes = [reader.read(Frame(image, 0.4 * number, number)) for number, image in enumerate(pictures)]
    assert scenes[3].sightings == ()
    assert faults(scenes[-1]) == []


@pytest.mark.long
def test_what_lies_side_by_side_stays_as_it_was_read() -> None:
    view, kinds, readings = read_ring()
    assert len(readings) == 12
    again = from_top_down(view.look, readings, kinds, Raster(view.table))
    assert [id(reading) for reading in again] == [id(reading) for reading in readings]


@pytest.mark.long
def test_what_was_told_in_vain_is_not_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    in_vain: list[int] = []

    def told(
        look: Look,
        readings: Sequence[Reading],
        kinds: Mapping[PieceKind, Prepared],
        raster: Raster,
        others: Sequence[Reading] = (),
    ) -> list[Reading]:
        found = from_top_down(look, readings, kinds, raster, others)
        if {id(one) for one in found} == {id(one) for one in readings}:
            in_vain.append(len(readings))
        return found

    monkeypatch.setattr("vision.reader.from_top_down", told)
    before = render(ring_table(Random(1)), (1280, 720), 10)
    after = before.copy()
    for row in range(8):  # a thing, which no face is like
        cv2.circle(after, (640 + 9 * row, 360 - 5 * row), 7, (40 + 25 * row, 90, 200 - 20 * row), -1)
    reader = Reader(learned((1280, 720)))
    for number, image in enumerate([before] * 4 + [after] * 5):
        if number == 4:
            in_vain.clear()
        reader.read(Frame(image, 0.4 * number, number))
    assert len(in_vain) == 1
