"""Things are outlined by how they look, and light, shadow and pieces are none."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.drawn_things_report import counted, unseen
from tests.benchmarks.simulated_pieces import FAMILIES, enrolled, photographs
from vision.frame import Image
from vision.hiding.cells import coarse_map
from vision.hiding.outlining import (
    CHANNELS,
    FINE,
    STEP,
    Changed,
    changes,
    shown,
    thing_outliner,
    usual_colours,
    weighed,
)
from vision.masks import Mask
from vision.mat.rectify import table_map
from vision.mat.registration import find_mat
from vision.pieces.from_above import FromAbove
from vision.reader import read_photo
from vision.scene import HiddenCause

NETWORKS_MB = 3.0
Table = tuple[Image, Mask, Mask, Mask]


def test_the_networks_of_all_of_vision_are_small() -> None:
    networks = list((Path(__file__).parents[2] / "vision").rglob("*.onnx"))
    assert len(networks) == 5
    assert sum(path.stat().st_size for path in networks) < NETWORKS_MB * 1e6


@pytest.mark.long
def test_most_drawn_things_are_outlined_and_hardly_anything_else() -> None:
    """Tables, lights and things that the network never learned from; if they are watched, more."""
    single, watched = counted(thing_outliner(), unseen(8, 8_000_000))
    assert single.things == watched.things > 100
    assert single.outlined / single.things > 0.6
    assert single.slim_outlined / single.slim > 0.4
    assert watched.outlined / watched.things > 0.7
    assert np.mean(single.false_cm2) < 9.5
    assert np.mean(watched.false_cm2) < 5.0


@pytest.fixture
def table() -> Table:
    """A dark table with a white mat on its right half, in 40 x 60 cells; all of it is seen, and no piece."""
    fine = np.full((40 * FINE, 60 * FINE, 3), 60, np.uint8)
    fine[:, 30 * FINE :] = 200
    mat = np.zeros((40, 60), np.uint8)
    mat[:, 30:] = 255
    return fine, np.zeros_like(mat), mat, np.full_like(mat, 255)


def test_how_bright_the_mat_and_the_picture_are_counts_for_nothing(table: Table) -> None:
    fine, pieces, mat, seen = table
    values = shown(*table, usual_colours(*table))
    assert values.shape == (CHANNELS, 3 * STEP * FINE, 4 * STEP * FINE)
    assert not values[:3].any()
    fine[:4, :4] = 120
    darker = fine // 2, pieces, mat, seen
    bright, dark = (shown(*one, usual_colours(*one))[:3, :4, :4] for one in (table, darker))
    assert bright.min() > 1.0
    assert dark == pytest.approx(bright, rel=0.35)  # dark levels have a floor


def test_pieces_and_what_lies_beyond_the_picture_do_not_tell_how_a_table_looks(table: Table) -> None:
    fine, pieces, _, seen = table
    pieces[:25, :30], fine[: 25 * FINE, : 30 * FINE] = 255, 250
    seen[25:30, :10], fine[25 * FINE : 30 * FINE, : 10 * FINE] = 0, 0
    values = shown(*table, usual_colours(*table))
    assert not values[:3, 25 * FINE :].any()
    assert values[:3, : 25 * FINE, : 30 * FINE].all()


def test_light_that_all_of_the_table_gained_is_no_change() -> None:
    before = np.random.default_rng(1).uniform(60, 120, (30, 40, 3)).astype(np.float32)
    known = np.full((30, 40), 255, np.uint8)
    now = 1.3 * before
    now[:10, :10] = before[:10, :10]
    changed = changes(now, before, known)
    assert np.abs(changed[10:]).max() < 0.05
    assert changed[:10, :10].max() < -0.15
    known[15:] = 0
    now[15:] = 250
    assert changes(now, before, known)[:15] == pytest.approx(changed[:15], abs=0.02)


def test_where_no_change_is_known_the_likelihood_stays(table: Table) -> None:
    fine, pieces, _, seen = table
    fine[10:24, 10:24] = 160
    light = np.random.default_rng(2).normal(0, 0.5, (*seen.shape, 3)).astype(np.float32)
    known = seen.copy()
    known[:, :30] = 0
    values = shown(*table, usual_colours(*table))
    assert not weighed(np.zeros((3 * STEP, 4 * STEP), np.float32), values, Changed(light, known))[7:, :, :30].any()
    single, watched = (thing_outliner().of(values, pieces.shape, one) for one in (None, Changed(light, known)))
    assert watched[:, :30] == pytest.approx(single[:, :30])
    assert np.abs(watched - single)[:, 30:].max() > 0.01


def test_asked_about_a_part_it_says_what_it_says_of_all() -> None:
    image, labels = photographs(replace(FAMILIES["cards"], with_hands=0.0), 74003)
    registration = find_mat(image)
    view = FromAbove(image, table_map(registration), registration)
    coarse = coarse_map(view.table)
    pieces = coarse.polygons([registration.to_table(np.array(piece["outline_px"])) for piece in labels["pieces"]])
    within = np.zeros_like(pieces)
    within[60:90, 100:160] = 255
    everywhere, there = (thing_outliner().likelihoods(view.looked, coarse, pieces, part) for part in (None, within))
    assert there.shape == everywhere.shape == coarse.seen.shape
    assert not there[:30].any()
    assert np.abs(there - everywhere)[within > 0].mean() < 0.05


@pytest.mark.long
def test_a_lamps_reflection_beside_the_mat_is_no_arm() -> None:
    """It was taken for one: 355 cm2 of a table without hands were said to be hidden."""
    cards = FAMILIES["cards"]
    image, _ = photographs(replace(cards, with_hands=0.0), 74003)
    scene = read_photo(image, enrolled(cards))
    assert not [place for place in scene.hidden if place.cause is HiddenCause.HAND]
