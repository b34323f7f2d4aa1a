"""A piece that lies where it lay is known in light in which it cannot be read."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.drawn_table import Piece, View, enrolled, photograph
from vision.frame import Frame, Image
from vision.motion import Small
from vision.pieces.same_print import in_place_of, is_otherwise_lit, may_show_the_same, shows_the_same
from vision.reader import Reader
from vision.scene import PieceKind, Scene

TABLE = (
    Piece("a/1", 2.0, 0.0, 20.0),
    Piece("a/2", 2.0, 1.0, 54.0),
    Piece("b/2", 0.0, -20.0, 290.0),
    Piece("special/two", 150.0, 60.0, 45.0),
)
SIZE = (12, 20)


def under_leaves(picture: Image, wide_px: float = 30.0) -> Image:
    """In the sun through leaves: spots of light."""
    spots = np.random.default_rng(3).normal(0.0, 1.0, picture.shape[:2]).astype(np.float32)
    soft = np.asarray(cv2.GaussianBlur(spots, (0, 0), wide_px))
    light = 0.3 + 0.7 / (1.0 + np.exp(-4.0 * soft / soft.std()))
    return np.asarray(picture * light[..., None], np.uint8)


def followed(first: Image, then: Image) -> Scene:
    """What is said at last of a table that looks so, and then so."""
    reader = Reader(enrolled())
    for number in range(6):
        noise = np.random.default_rng(number).integers(-2, 3, first.shape, np.int16)
        shown = np.clip((first if number < 3 else then) + noise, 0, 255).astype(np.uint8)
        scene = reader.read(Frame(shown, number * 0.5, number))
    return scene


def test_pieces_are_not_lost_when_the_sun_shines_through_leaves() -> None:
    picture = photograph(TABLE, View(noise=2.0))
    scene = followed(picture, under_leaves(picture))
    assert sorted(piece.face for piece in scene.sightings) == sorted(piece.face for piece in TABLE)


@pytest.mark.long
def test_one_that_was_taken_in_that_moment_is_gone() -> None:
    after = photograph(TABLE[:3], View(noise=2.0))
    scene = followed(photograph(TABLE, View(noise=2.0)), under_leaves(after))
    assert "special/two" not in [piece.face for piece in scene.sightings]


@pytest.mark.long
def test_another_one_in_its_very_place_is_told_by_its_print_in_other_light_too() -> None:
    picture = photograph(TABLE, View(noise=2.0))
    swapped = photograph((*TABLE[:3], replace(TABLE[3], face="special/one")), View(noise=2.0))
    (plain,) = (piece for piece in followed(picture, swapped).sightings if piece.kind is PieceKind.SPECIAL)
    assert plain.face == "special/one"
    assert plain.probability > 0.99
    scene = followed(picture, under_leaves(swapped, 50.0))
    (lit,) = (piece for piece in scene.sightings if piece.kind is PieceKind.SPECIAL)
    assert [one.face for one in lit.faces] == ["special/one"]


def test_what_fits_badly_where_the_same_may_still_lie_is_in_doubt() -> None:
    reader = Reader(enrolled())
    reader.read(Frame(photograph(TABLE, View(noise=2.0)), 0.0, 0))
    assert reader._table is not None
    lay = next(reading for reading in reader._table.readings if reading.kind is PieceKind.SPECIAL)
    other = int(next(face for face in lay.candidates if face != lay.face))
    found = replace(lay, face=other, costs=np.ones_like(lay.costs))
    assert in_place_of(found, [lay], lambda _: True).formerly == lay.face
    assert in_place_of(found, [lay], lambda _: False).formerly is None
    assert in_place_of(replace(found, costs=0.3 * found.costs), [lay], lambda _: True).formerly is None
    elsewhere = replace(found, pose=found.pose + np.array([5.0, 0.0, 0.0]))
    assert in_place_of(elsewhere, [lay], lambda _: True).formerly is None


@pytest.mark.long
def test_a_soft_picture_of_one_that_was_turned_over_is_in_no_doubt() -> None:
    """It looks otherwise by itself, and shows another print."""
    picture = photograph(TABLE, View(noise=2.0))
    swapped = photograph((*TABLE[:3], replace(TABLE[3], face="special/one")), View(noise=2.0))
    differs = np.abs(swapped.astype(np.int16) - picture).max(axis=2) > 20
    there = cv2.morphologyEx(differs.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    soft = cv2.GaussianBlur(swapped, (0, 0), 4.0)
    image = np.where(cv2.dilate(there, np.ones((25, 25), np.uint8))[..., None] > 0, soft, swapped)
    (seen,) = (piece for piece in followed(picture, image).sightings if piece.kind is PieceKind.SPECIAL)
    assert seen.face == "special/one"
    assert seen.probability > 0.9


def printed(seed: int) -> Small:
    """Something colourful of SIZE blocks."""
    levels = np.random.default_rng(seed).uniform(40.0, 220.0, (*SIZE, 3))
    return np.asarray(cv2.GaussianBlur(levels, (0, 0), 0.6), np.float32)


def test_what_is_printed_is_told_from_the_light_on_it() -> None:
    inside = np.full(SIZE, 255, np.uint8)
    stripes = 0.75 + 0.25 * np.sin(np.arange(SIZE[1]) / 2.5)[None, :, None]
    lit = np.asarray(printed(1) * stripes * 0.7, np.float32)
    assert shows_the_same(printed(1), lit, inside)
    assert not shows_the_same(printed(1), printed(2), inside)
    assert may_show_the_same(printed(1), lit, inside)
    assert not may_show_the_same(printed(1), printed(2), inside)
    half = lit.copy()
    half[:, : SIZE[1] // 4] = 140.0  # a hand
    assert not shows_the_same(printed(1), half, inside)


def test_light_that_is_as_it_was_is_told_from_other_light() -> None:
    inside = np.full(SIZE, 255, np.uint8)
    noise = np.random.default_rng(4).normal(0.0, 1.0, (*SIZE, 3)).astype(np.float32)
    assert not is_otherwise_lit(printed(1), printed(1) + noise, inside)
    assert is_otherwise_lit(printed(1), printed(1) * np.float32(0.8), inside)


def test_nothing_is_told_of_a_plain_place_nor_of_a_small_one() -> None:
    plain = np.full((*SIZE, 3), 180.0, np.float32) + printed(3) * 0.01
    assert not shows_the_same(plain, plain, np.full(SIZE, 255, np.uint8))
    few = np.zeros(SIZE, np.uint8)
    few[:4, :4] = 255
    assert not shows_the_same(printed(1), printed(1), few)
