"""What is drawn on a picture: names that can be read, and marks that can be told apart and are explained."""

from itertools import combinations
from random import Random
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.simulated.lying import outline_mm
from hardware.simulated.surroundings import Conditions
from tests.benchmarks.simulated_pieces import FAMILIES, SIZE
from tests.long import cases
from tests.vision.drawn_table import photograph
from vision.mat.registration import find_mat
from vision.reports.drawing import (
    GROUNDS,
    HATCHINGS,
    LEGEND,
    Hatching,
    Line,
    draw_dice,
    draw_scene,
    draw_swatch,
    draw_unread,
    name_of,
    places_of_names,
)
from vision.reports.name_places import NamePlace, ToName, place_names
from vision.scene import FaceLikelihood, HiddenCause, HiddenPlace, PieceKind, Pose, Scene, Settled, Sighting

Outlines = list[NDArray[np.float64]]
BLANK = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)


def crowded(family: str, seed: int) -> tuple[list[str], Outlines, list[bool]]:
    """Names and outlines (pixels) of a simulated table's pieces, and which of them others lie on."""
    rng = Random(seed)
    views = FAMILIES[family].table(rng)
    camera = Conditions.random(rng).camera_model(*SIZE)
    names, outlines = [], []
    for view in views:
        faces = (FaceLikelihood(view.face.removeprefix("topping/"), rng.choice([1.0, 0.97, 0.6])),)
        names.append(name_of(Sighting(view.kind, Pose(0.0, 0.0, 0.0), faces, True, 1.0, ())))
        on_table = np.asarray(outline_mm(view.kind, view.pose), np.float64)
        outlines.append(camera.project(np.column_stack([on_table, np.zeros(len(on_table))])))
    return names, outlines, [view.kind in GROUNDS for view in views]


def overlap(one: NamePlace, other: NamePlace) -> bool:
    return (
        one.left < other.left + other.width
        and other.left < one.left + one.width
        and one.top < other.top + other.height
        and other.top < one.top + one.height
    )


@cases("seed", [1, 2], always=1)
@cases("family", ["cards", "tiles", "pizzeria", "boards"], always=2)
def test_names_on_a_crowded_table_overlap_neither_each_other_nor_print(family: str, seed: int) -> None:
    names, outlines, grounds = crowded(family, seed)
    assert len(names) >= (5 if family == "boards" else 40)
    places = places_of_names(BLANK, names, outlines, grounds)
    named = [place for place in places if place is not None]
    assert len(named) == len(names)
    assert [(a, b) for a, b in combinations(named, 2) if overlap(a, b)] == []
    pieces = [
        np.round(outline).astype(np.int32) for outline, ground in zip(outlines, grounds, strict=True) if not ground
    ]
    shown = cv2.fillPoly(BLANK[..., 0].copy(), pieces[:1], 255)
    for piece in pieces[1:]:
        cv2.fillPoly(shown, [piece], 255)
    for place in named:
        assert place.left >= 0
        assert place.top >= 0
        assert place.left + place.width <= SIZE[0]
        assert place.top + place.height <= SIZE[1]
        under = shown[place.top : place.top + place.height, place.left : place.left + place.width]
        assert np.count_nonzero(under) <= 0.02 * under.size, "cells are a few pixels wide"


@cases("family", ["tiles", "cards"], always=1)
def test_each_name_has_a_line_to_its_own_piece(family: str) -> None:
    names, outlines, grounds = crowded(family, 5)
    for place, outline in zip(places_of_names(BLANK, names, outlines, grounds), outlines, strict=True):
        assert place is not None
        start, end = place.line
        assert place.left <= start[0] <= place.left + place.width
        assert place.top <= start[1] <= place.top + place.height
        assert cv2.pointPolygonTest(outline.astype(np.float32), (float(end[0]), float(end[1])), True) > -4.0


def test_a_name_without_room_beside_pieces_stands_on_them_and_one_without_any_is_left_out() -> None:
    everywhere = np.array([[-5.0, -5.0], [205.0, -5.0], [205.0, 105.0], [-5.0, 105.0]])
    one, other, wide = place_names(
        [ToName(everywhere, (90, 60)), ToName(everywhere, (90, 60)), ToName(everywhere, (300, 20))], (200, 100)
    )
    assert one is not None
    assert other is not None
    assert wide is None
    assert not overlap(one, other)


def test_a_piece_beyond_the_picture_is_named_at_its_edge() -> None:
    beyond = np.array([[210.0, 40.0], [230.0, 40.0], [230.0, 60.0]])
    [place] = place_names([ToName(beyond, (30, 10))], (200, 100))
    assert place is not None
    assert place.left + place.width <= 200
    assert place.left > 120


def test_nothing_read_draws_nothing() -> None:
    picture = photograph([])
    assert np.array_equal(draw_scene(picture, Scene(0.0, 0, (), (), 0.0), find_mat(picture)), picture)
    assert np.array_equal(draw_dice(picture, []), picture)


def test_what_something_moves_over_is_drawn_as_it_lay_before() -> None:
    picture = np.full_like(photograph([]), 60)
    square = tuple((200.0 + x, y) for x, y in ((0.0, 0.0), (40.0, 0.0), (40.0, 40.0), (0.0, 40.0)))
    piece = Sighting(PieceKind.SLICE, Pose(220.0, 20.0, 0.0), (FaceLikelihood("a/1", 1.0),), True, 1.0, square)
    moving = Scene(1.0, 1, (), (), 0.0, settled=Settled((piece,), 0.0))
    at_rest = Scene(1.0, 1, (piece,), (), 1.0, settled=Settled((piece,), 1.0))
    registration = find_mat(photograph([]))
    left, right = np.round(registration.to_picture(np.array([[200.0, 20.0], [240.0, 20.0]]))[:, 0]).astype(int)

    def shows(scene: Scene, name: str) -> bool:
        """Whether something is drawn in a line's colour, if only as a shade of it, as thin lines are."""
        drawn = draw_scene(picture, scene, registration)[:, left - 2 : right + 3].reshape(-1, 3) - 60.0
        shade = np.array(LEGEND[name].colour) - 60.0
        strong = drawn[np.linalg.norm(drawn, axis=1) > 60.0]
        return bool((strong @ shade > 0.998 * np.linalg.norm(strong, axis=1) * np.linalg.norm(shade)).any())

    assert [shows(moving, name) for name in ("remembered", "sure")] == [True, False]
    assert [shows(at_rest, name) for name in ("remembered", "sure")] == [False, True]


# The legend -----------------------------------------------------------------------------------------------------------


def test_every_cause_and_every_outline_is_explained() -> None:
    assert HATCHINGS.keys() == set(HiddenCause)
    assert {name for name, mark in LEGEND.items() if isinstance(mark, Hatching)} == {c.value for c in HiddenCause}
    assert {name for name, mark in LEGEND.items() if isinstance(mark, Line)} == {
        "sure", "doubtful", "changed", "gone", "remembered"
    }  # fmt: skip
    assert len({mark.meaning for mark in LEGEND.values()}) == len(LEGEND)


def test_a_swatch_has_the_colour_that_is_drawn() -> None:
    for name, mark in LEGEND.items():
        colours = {tuple(pixel) for pixel in draw_swatch(name).reshape(-1, 3).tolist()}
        assert mark.colour in colours, name


def test_what_is_drawn_is_told_apart_without_any_colour() -> None:
    """Lines by width or dashes, hatchings by their direction."""
    looks = {name: (draw_swatch(name) != draw_swatch(name)[0, 0]).any(-1) for name in LEGEND}
    for one, other in combinations(LEGEND, 2):
        if {one, other} == {"sure", "gone"}:
            continue  # by light alone
        together, either = (looks[one] & looks[other]).sum(), (looks[one] | looks[other]).sum()
        assert together < 0.85 * either, (one, other)
    bright = {name: cv2.cvtColor(draw_swatch(name), cv2.COLOR_BGR2GRAY).max() for name in ("sure", "gone")}
    assert bright["gone"] > bright["sure"] + 50


# Machado, Oliveira and Fernandes, A Physiologically-based Model for Simulation of Color Vision Deficiency (2009), Table
# 1 at severity 1.0, for linear RGB.
BLIND: dict[str, Any] = {
    "red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


@pytest.mark.parametrize("blind", BLIND)
def test_hidden_causes_have_colours_that_colour_blind_people_tell_apart(blind: str) -> None:
    def seen(colour: tuple[int, int, int]) -> NDArray[np.float64]:
        linear = (np.array(colour[::-1]) / 255.0) ** 2.2
        shown = np.clip(np.array(BLIND[blind]) @ linear, 0.0, 1.0) ** (1 / 2.2)
        pixel = shown.astype(np.float32).reshape(1, 1, 3)
        return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_RGB2LAB).reshape(3), np.float64)

    for one, other in combinations(HATCHINGS.values(), 2):
        assert np.linalg.norm(seen(one.colour) - seen(other.colour)) > 20.0, (one.meaning, other.meaning)


def test_the_mat_beyond_the_picture_is_hatched_along_the_pictures_edge() -> None:
    picture = photograph([])
    registration = find_mat(picture)
    height, width = picture.shape[:2]
    beyond = np.array(
        [[width / 3, height], [width / 2, height], [width / 2, height + 60.0], [width / 3, height + 60.0]]
    )
    outline = tuple((float(x), float(y)) for x, y in registration.to_table(beyond))
    place = HiddenPlace(outline, HiddenCause.OUT_OF_PICTURE)
    drawn = draw_scene(picture, Scene(0.0, 0, (), (place,), 0.0), registration)
    rows, columns = np.nonzero((drawn != picture).any(axis=-1))
    assert rows.min() > 0.95 * height
    assert columns.min() > 0.3 * width
    assert columns.max() < 0.55 * width
    assert HATCHINGS[HiddenCause.OUT_OF_PICTURE].colour in {tuple(p) for p in drawn[rows, columns].tolist()}


def test_kinds_that_others_lie_on_are_named_over_them() -> None:
    assert {PieceKind.BOARD, PieceKind.SHEET} == GROUNDS


@pytest.mark.parametrize("width", [160, 640, 1920])
def test_a_reason_is_written_whole_however_narrow_the_picture(width: int) -> None:
    why = 3 * "found none of the corner markers 0, 1, 2, 3 in the picture; at least 2 must show, sharp. "
    picture = np.full((400, width, 3), 120, np.uint8)
    drawn = draw_unread(picture, why)
    ground, letters = (np.argwhere(of.all(-1)) for of in (drawn != picture, drawn > 150))
    assert 0.6 * width < ground[:, 1].max() < width
    assert len(letters) > 20
    assert letters[:, 1].max() < width - 1
    assert letters[:, 0].max() < 100
    assert np.array_equal(draw_unread(picture, ""), picture)
