"""Dice are read on surfaces of our own and on the rendered tables; what is no top of a die is not."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from controller.cli import vision_report
from controller.games.pizza_theory.describe import KINDS, describe
from controller.games.registry import games_with, load_part
from hardware.simulated.dice import PIPS
from tests.benchmarks.simulated_pieces import FAMILIES, photographs
from tests.long import cases
from tests.rigs.dice_training.sources import own_table
from tests.vision import drawn_board
from tests.vision.drawn_dice import Camera, Die, TableView, die_style, dim_style, draw_dice, photograph_dice
from tests.vision.drawn_table import View, photograph
from vision.dice.finder import DiceFinder, ground, side_mm, silhouettes_px, sure_tops
from vision.dice.finding import (
    FAMILIAR,
    TOLD,
    UNTOLD,
    DiceReader,
    Measured,
    claimed,
    in_company,
    load_reader,
    odds_of,
    of_a_make,
)
from vision.dice.makes import Make
from vision.dice.patches import Pyramid
from vision.dice.proposing import LARGER, Proposal, propose
from vision.dice.recolouring import decorrelated, enriched
from vision.frame import Image
from vision.hiding.cells import coarse_map
from vision.hiding.hidden import told_by_form
from vision.looking_for import finders_for
from vision.mat.rectify import table_map
from vision.mat.registration import find_mat
from vision.pieces.faces import FacePack
from vision.pieces.learning import enrol
from vision.reader import read_photo
from vision.scene import FaceLikelihood, PieceKind, Pose, Sighting

PHOTOS = Path(__file__).parents[2].parent / "shared" / "photos" / "table"
SEED = 700_000
"""Far from those that the networks learned from."""
SURE = 0.9
SQUARE = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
Array = NDArray[np.float64]
OAK, SKIN = (72.0, 120.0, 170.0), (120.0, 150.0, 205.0)
BOARD = drawn_board.Board(-4.0, 6.0, 20.0)


@cache
def reader() -> DiceReader:
    return load_reader()


@cache
def drawn_table(values: tuple[int, ...], side: float, view: View) -> tuple[Image, list[Die]]:
    """Dice of one size on the drawn table, each with the value and style of its turn."""
    rng = np.random.default_rng(round(side * 10) + sum(values))
    table = photograph([], view)
    places = [(-120.0, 60.0), (0.0, -40.0), (110.0, 90.0), (-60.0, -120.0), (90.0, -110.0), (-20.0, 130.0)]
    dice = []
    for (x, y), value in zip(places, values, strict=False):
        style = die_style(rng) | {"what": "dots", "gloss": False, "solid": False}
        dice.append(Die(x, y, side, float(rng.uniform(0, 90)), value, style))
    picture, _ = photograph_dice(rng, table, dice, TableView(find_mat(table)))
    return picture, dice


def seen_on(picture: Image) -> list[Sighting]:
    return list(DiceFinder(reader()).find(picture, find_mat(picture), ()))


def nearest(seen: list[Sighting], die: Die) -> Sighting:
    return min(seen, key=lambda s: float(np.hypot(s.pose.x_mm - die.x, s.pose.y_mm - die.y)))


def darkened(image: Image) -> Image:
    noise = np.random.default_rng(1).normal(0, 2, image.shape)
    return np.asarray(np.clip(image * 0.35 + noise, 0, 255), np.uint8)


def tinted(image: Image) -> Image:
    return np.asarray(np.clip(image * np.array([0.6, 0.85, 1.1]), 0, 255), np.uint8)


def turned(image: Image) -> Image:
    return np.ascontiguousarray(image[::-1, ::-1])


def same(image: Image) -> Image:
    return image


@cases("side", [12.0, 50.0, 16.0, 30.0], always=1)
def test_dice_of_all_sizes_are_found_where_they_stand(side: float) -> None:
    size = (1920, 1080)
    picture, dice = drawn_table((1, 2, 3, 4, 5, 6), side, View(size=size, height_mm=760.0))
    seen = seen_on(picture)
    assert len(seen) == len(dice)
    for sighting in seen:
        die = min(dice, key=lambda d: float(np.hypot(sighting.pose.x_mm - d.x, sighting.pose.y_mm - d.y)))
        assert sighting.face == str(die.value)
        assert np.hypot(sighting.pose.x_mm - die.x, sighting.pose.y_mm - die.y) < 0.08 * side + 0.8
        assert abs((sighting.pose.angle_deg - die.turn + 45.0) % 90.0 - 45.0) < 6.0
        assert side_mm(sighting) == pytest.approx(side, rel=0.12)


@cases("change", [same, darkened, tinted, turned], always=2)
def test_light_and_turn_of_the_picture_do_not_matter(change: Any) -> None:
    picture, dice = drawn_table((6, 5, 4, 3, 2, 1), 18.0, View(height_mm=800.0))
    picture = change(picture)
    seen = seen_on(picture)
    assert {s.face for s in seen} <= {str(die.value) for die in dice}
    assert len(seen) >= len(dice) - 1
    for sighting in seen:
        die = next(die for die in dice if str(die.value) == sighting.face)
        assert np.hypot(sighting.pose.x_mm - die.x, sighting.pose.y_mm - die.y) < 3.0


@pytest.mark.long
def test_drawn_dice_on_surfaces_never_seen() -> None:
    dice = right = wrong = 0
    for seed in range(SEED, SEED + 20):
        image, truth, _ = draw_dice(np.random.default_rng(seed), side_px=float(22 + seed % 20))
        middle = float(np.median([_width(die.box) for die in truth])) if truth else 30.0
        seen = reader().find(image, (middle * 0.6, middle * 1.6))
        for die in truth:
            if die.value:
                near = [s for s in seen if np.linalg.norm(s.centre_px - die.top_px.mean(0)) < 0.4 * _width(die.box)]
                dice += 1
                right += any(s.value == die.value for s in near)
                wrong += any(s.value != die.value and s.probability >= SURE for s in near)
    assert dice > 40
    assert right >= 0.75 * dice
    assert wrong <= 0.02 * dice


@pytest.mark.parametrize("tilt_deg", [10.0, 35.0, 55.0])
def test_tops_are_laid_square_however_they_are_seen(tilt_deg: float) -> None:
    rng = np.random.default_rng(11)
    style = die_style(rng) | {"what": "dots", "gloss": False, "solid": False}
    style |= {"body": np.full(3, 225.0), "second": np.full(3, 225.0), "pips": np.full(3, 30.0), "six": (1.0, 1.0)}
    camera = Camera(tilt_deg, 30.0, 30.0 * 34.0, 15.0, (160.0, 160.0))
    dice = [Die(x, y, 1.0, 30.0 * x, value, style) for x, y, value in ((-2.2, 1.0, 5), (0.4, -1.5, 6), (2.3, 1.2, 3))]
    picture, truth = photograph_dice(rng, np.full((320, 320, 3), (95, 120, 105), np.uint8), dice, camera)
    measured = reader().measure(picture, (20.0, 70.0))
    for die in truth:
        best = min(measured, key=lambda one: float(np.linalg.norm(one.centre_px - die.top_px.mean(0))))
        orders = [np.roll(way, turn, axis=0) for way in (die.top_px, die.top_px[::-1]) for turn in range(4)]
        off = min(float(np.linalg.norm(best.corners_px - order, axis=1).max()) for order in orders)
        assert off < 0.2 * float(np.sqrt(cv2.contourArea(die.top_px.astype(np.float32))))
        assert int(best.fits.argmax()) + 1 == die.value


def measured_as(far: int, near: int, counted: int, *, fit: float = 0.7) -> Measured:
    """A place where each reading plainly shows some value."""

    def said(value: int) -> Array:
        return np.log(np.where(np.arange(7) == value, 0.994, 0.001))

    fits = np.where(np.arange(1, 7) == counted, fit, 0.1)
    return Measured(np.zeros(2), SQUARE * 20.0, said(far), said(near), fits, lean=None)


@pytest.mark.parametrize(
    ("far", "near", "counted", "fit", "sure"),
    [(5, 5, 5, 0.7, True), (5, 5, 4, 0.7, False), (5, 4, 5, 0.7, False), (4, 5, 5, 0.7, False), (5, 5, 5, 0.2, False)],
)
def test_a_value_is_sure_only_where_all_readings_agree(
    far: int, near: int, counted: int, fit: float, sure: bool
) -> None:
    die = claimed(measured_as(far, near, counted, fit=fit), UNTOLD)
    assert (die.probability >= SURE) is sure
    assert die.value == 5 or not sure


@pytest.mark.parametrize(
    ("share", "fit", "other", "sure"),
    [(0.6, 0.7, 0.1, True), (0.6, 0.35, 0.3, False), (0.6, 0.45, 0.38, False), (0.1, 0.6, 0.3, False)],
)
def test_a_close_look_that_hesitates_needs_pips_that_fit_all_the_better(
    share: float, fit: float, other: float, sure: bool
) -> None:
    plain = measured_as(5, 5, 5, fit=fit)
    close = np.log(np.where(np.arange(7) == 5, share, (1.0 - share) / 6))
    die = claimed(replace(plain, close=close, fits=np.maximum(plain.fits, other)), UNTOLD)
    assert die.value == 5
    assert (die.probability >= SURE) is sure


@pytest.mark.parametrize(("rival", "other", "sure"), [(0.05, 0.1, True), (0.5, 0.1, False), (0.05, 0.66, False)])
def test_a_value_that_all_readings_together_tell_is_sure_unless_one_finds_another(
    rival: float, other: float, sure: bool
) -> None:
    """Where the close look is not plain."""
    plain = measured_as(5, 5, 5, fit=0.65)
    close = np.log(np.array([0.1, 0.05, 0.05, 0.05, rival, 0.45, 0.05]))
    fits = np.where(np.arange(1, 7) == 4, other, plain.fits)
    die = claimed(replace(plain, close=close, fits=fits), UNTOLD)
    assert die.value == 5
    assert (die.probability >= SURE) is sure


def hesitant(share: float, odds: float, fit: float) -> Measured:
    """A place that plainly shows a 5 from near, but from afar a 5 with this share, if it shows a die, else a 4."""
    plain = measured_as(5, 5, 5, fit=fit)
    none = 1.0 / (1.0 + np.exp(odds))
    said = np.array([0.0, *(1e-4,) * 3, 1.0 - share, share, 1e-4])
    far = np.log(np.append(none, (1.0 - none) * said[1:] / said[1:].sum()))
    return replace(plain, network=far)


def test_where_looks_hesitate_between_values_clear_pips_need_less_odds() -> None:
    odds = UNTOLD.sure_odds - 0.6
    clear = hesitant(0.8, odds, 0.7)
    assert odds_of(clear.network) == pytest.approx(odds)
    assert claimed(clear, UNTOLD).value == 5
    assert claimed(clear, UNTOLD).probability >= SURE
    plain_to_read = hesitant(0.999, odds, 0.7)
    faint = hesitant(0.8, odds, 0.45)
    at_the_border = replace(clear, cut_off=True)
    for doubtful in (plain_to_read, faint, at_the_border):
        assert 0.5 < claimed(doubtful, UNTOLD).probability < SURE
    flat = replace(hesitant(0.8, TOLD.sure_odds - 0.6, 0.7), lean=0.24)
    assert claimed(flat, TOLD).probability < SURE


def test_a_top_at_the_border_may_be_the_side_of_a_die_that_is_cut_off() -> None:
    picture, dice, _ = draw_dice(np.random.default_rng(820020))
    middle, side = dice[0].top_px.mean(0), float(np.linalg.norm(dice[0].top_px[1] - dice[0].top_px[0]))
    left = max(0, int(middle[0] - 0.6 * side))

    def cut_off(image: Image, at: Array) -> bool:
        found = reader().measure(image, (0.5 * side, 2.0 * side))
        return min(found, key=lambda one: float(np.linalg.norm(one.centre_px - at))).cut_off

    assert not cut_off(picture, middle)
    assert cut_off(np.ascontiguousarray(picture[:, left:]), middle - [left, 0])


def test_a_die_whose_value_nobody_can_tell_is_asked_about_not_missed() -> None:
    picture, dice, _ = draw_dice(np.random.default_rng(820059))
    (at,) = (die.top_px.mean(0) for die in dice if die.value == 3 and np.hypot(*(die.top_px.mean(0) - [136, 61])) < 8)
    near = [one for one in reader().find(picture, (15.0, 60.0)) if np.linalg.norm(one.centre_px - at) < 8]
    assert [one.value for one in near] == [3]
    assert near[0].probability < 0.5
    assert sum(near[0].likelihoods) > 0.9


@pytest.mark.parametrize(("lean", "sure"), [(None, False), (0.0, False), (0.1, False), (0.3, True), (0.6, True)])
def test_the_more_of_a_side_must_show_the_fewer_odds_make_a_die_sure(lean: float | None, sure: bool) -> None:
    odds = 3.5
    plain = measured_as(5, 5, 5)
    far = np.append(-np.log1p(np.exp(odds)), plain.network[1:])
    far[1:] += np.log(1.0 - np.exp(far[0])) - np.log(np.exp(far[1:]).sum())
    place = replace(plain, network=far, lean=lean)
    assert odds_of(far) == pytest.approx(odds)
    assert (claimed(place, UNTOLD if lean is None else TOLD).probability >= SURE) is sure


@pytest.mark.long
def test_dice_are_found_on_cloth_of_which_much_looks_like_dice() -> None:
    """Hundreds of its squares are likelier dice at first sight than most of the dice."""
    image, labels = photographs(FAMILIES["dice"], 616185)
    dice = [piece for piece in labels["pieces"] if piece["kind"] == "die" and piece["visible"] >= 0.5]
    seen = DiceFinder().find(image, find_mat(image), ())
    found = sum(
        any(
            int(one.face) == die["value"] and np.hypot(one.pose.x_mm - die["x_mm"], one.pose.y_mm - die["y_mm"]) < 12.0
            for one in seen
        )
        for die in dice
    )
    assert found >= 11, "of 13"


def test_of_two_proposals_as_likely_the_larger_promises_more() -> None:
    picture = np.full((900, 900, 3), 120, np.uint8)
    white = die_style(np.random.default_rng(4)) | {"what": "dots", "gloss": False, "solid": False}
    white |= {"body": np.full(3, 230.0), "second": np.full(3, 230.0), "pips": np.full(3, 25.0)}
    camera = Camera(5.0, 40.0, 40.0 * 40.0, 0.0, (450.0, 450.0))
    dice = [Die(-5.0, 0.0, 1.0, 20.0, 5, white), Die(4.0, 0.0, 4.0, 30.0, 5, white)]
    seen, truth = photograph_dice(np.random.default_rng(1), picture, dice, camera)
    network = np.frombuffer((files("vision.dice") / "proposer.onnx").read_bytes(), np.uint8)
    net = cv2.dnn.readNetFromONNX(network, cv2.dnn.ENGINE_NEW)
    found = propose(net, seen, (30.0, 240.0))
    assert [p.promise for p in found] == sorted((p.promise for p in found), reverse=True)
    assert all(p.promise == pytest.approx(p.score + LARGER * np.log2(p.size_px / 30.0)) for p in found)
    for die in truth:
        assert any(np.hypot(*(p.centre_px - die.top_px.mean(0))) < 0.3 * _width(die.box) for p in found)


def test_red_pips_on_black_are_read() -> None:
    rng = np.random.default_rng(12)
    style = die_style(rng) | {"what": "dots", "gloss": False, "solid": False, "six": (1.0, 1.0), "speckle": 2.0}
    style |= {"body": np.full(3, 48.0), "second": np.full(3, 48.0), "pips": np.array([45.0, 38.0, 150.0])}
    style |= {"radius": 0.1, "spacing": 0.25, "one": (0.13, style["pips"])}
    camera = Camera(8.0, 30.0, 30.0 * 38.0, 10.0, (200.0, 200.0))
    places = [(-3.4, 2.2), (0.0, 2.4), (3.2, 2.0), (-3.0, -2.2), (0.3, -2.4), (3.3, -2.1)]
    dice = [Die(x, y, 1.0, 24.0 * x, value, style) for value, (x, y) in enumerate(places, 1)]
    picture, truth = photograph_dice(rng, np.full((400, 400, 3), 185, np.uint8), dice, camera)
    seen = reader().find(picture, (25.0, 90.0))
    right = [
        die.value
        for die in truth
        for one in seen
        if one.value == die.value and np.linalg.norm(one.centre_px - die.top_px.mean(0)) < 12.0
    ]
    assert len(right) >= 5


@pytest.mark.long
@cases(("pips", "least"), [((30.0, 25.0, 75.0), 18), ((60.0, 50.0, 120.0), 24)], always=1)
def test_dark_polished_dice_with_dim_pips_are_read_surely(pips: tuple[float, ...], least: int) -> None:
    """In their own colours alone 15 and 22 of 36 are."""
    sure, wrong = 0, 0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        dice = []
        for number in range(12):
            body = np.full(3, 30.0)
            style = dim_style(rng) | {"body": body, "second": body, "pips": np.array(pips), "six": (1.0, 1.0)}
            style |= {"gloss": 0.08, "rough": 0.03, "bulge": 0.03, "one": (style["one"][0], np.array(pips))}
            x, y = 3.0 * (number % 4) - 4.5, 2.9 * (number // 4) - 2.9
            dice.append(Die(x, y, 1.0, 24.0 * number, number % 6 + 1, style))
        camera = Camera(8.0, 30.0, 30.0 * 30.0, 10.0, (210.0, 170.0))
        picture, truth = photograph_dice(rng, np.full((340, 420, 3), 185, np.uint8), dice, camera)
        for seen in reader().find(picture, (20.0, 75.0)):
            near = [die for die in truth if np.linalg.norm(seen.centre_px - die.top_px.mean(0)) < 12.0]
            sure += seen.probability >= SURE and seen.value in [die.value for die in near]
            wrong += seen.probability >= SURE and seen.value not in [die.value for die in near]
    assert sure >= least
    assert wrong == 0


def test_in_other_colours_what_differs_in_colour_stands_out() -> None:
    rng = np.random.default_rng(5)
    grey = rng.normal(90.0, 40.0, (48, 48, 1))
    values = grey + rng.normal(0.0, 4.0, (48, 48, 3)) * [0.2, 0.2, 1.0]
    values[20:28, 20:28, 2] += 30.0
    face = np.asarray(np.clip(values, 0, 255), np.uint8)
    flat = np.asarray(np.clip(rng.normal(90.0, 1.0, (48, 48, 3)), 0, 255), np.uint8)

    def share(picture: NDArray[Any]) -> float:
        red = picture[..., 2].astype(float) - picture[..., 1]
        spread = picture[8:-8, 8:-8].reshape(-1, 3).astype(float).std(0).mean()
        return float(red[20:28, 20:28].mean() - np.median(red)) / float(spread)

    assert share(enriched(face)) > 1.5 * share(face)
    assert share(decorrelated(face)) > 1.5 * share(face)
    assert enriched(face).mean(2) == pytest.approx(face.mean(2), abs=0.1)
    assert np.abs(decorrelated(flat) - flat).max() < 0.5


def _width(box: tuple[float, float, float, float]) -> float:
    return float(np.sqrt((box[2] - box[0]) * (box[3] - box[1])))


def test_games_with_dice_look_for_them_unasked() -> None:
    having = [game for game in games_with("describe") if PieceKind.DIE in load_part(game, "describe").KINDS]
    (finder,) = finders_for({PieceKind.DIE}, FacePack({}, ()))
    assert having == ["pizza_theory"]
    assert isinstance(finder, DiceFinder)


@pytest.mark.long
def test_dice_beside_the_board_are_described_with_it() -> None:
    sticks = [
        drawn_board.Stick(colour, drawn_board.line_ends(side, 2, BOARD), (6.5, 6.5))
        for side, colour in enumerate(drawn_board.COLOURS)
    ]
    board = replace(
        BOARD, spaces=dict(zip(drawn_board.every_space(), drawn_board.COLOURS, strict=False)), sticks=sticks
    )
    pack = enrol([(drawn_board.draw(board), drawn_board.label(board))], source=["drawn"])
    rng = np.random.default_rng(5)
    table = drawn_board.draw(board, View(seed=6))
    white = np.full(3, 230.0)
    style = die_style(rng) | {"what": "dots", "gloss": False, "body": white, "second": white, "pips": np.full(3, 25.0)}
    dice = [Die(x, -160.0, 30.0, 20.0 * x, value, style) for x, value in ((-60.0, 2), (0.0, 6), (60.0, 5))]
    picture, _ = photograph_dice(rng, table, dice, TableView(find_mat(table)))
    described: Any = describe(read_photo(picture, pack, finders=finders_for(KINDS, pack)))
    values = [die["value"] for die in described["dice"]]
    assert len(values) >= 2
    assert values == [value for value in (2, 6, 5) if value in values]
    assert described["board"] is not None


@pytest.mark.long
def test_a_report_counts_dice(tmp_path: Path) -> None:
    picture, dice = drawn_table((1, 2, 3, 4, 5, 6), 18.0, View(size=(1920, 1080), height_mm=760.0))
    pieces: list[dict[str, Any]] = [
        {"kind": "die", "value": d.value, "x_mm": d.x, "y_mm": d.y, "angle_deg": d.turn, "visible": 1.0} for d in dice
    ]
    pieces[0]["value"] = 3
    pieces[1]["x_mm"] += 60.0
    cv2.imwrite(str(tmp_path / "dice-01.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, 97])
    (tmp_path / "dice-01.json").write_text(json.dumps({"kind": "dice", "style": "mine", "pieces": pieces}))
    result = CliRunner().invoke(vision_report.command, ["--kind", "dice", str(tmp_path)])
    assert result.exit_code == 0, result.output
    line = next(line for line in result.stdout.splitlines() if line.startswith("die "))
    assert " 4 of      6 right" in line
    assert "1 missing, 1 wrong, 1 extra, " in line
    assert " sure but wrong" in line


def test_an_empty_table_has_no_dice() -> None:
    assert seen_on(photograph([], View(size=(1920, 1080)))) == []


@cache
def printed(value: int) -> Image:
    """A die's face, to be printed."""
    face = np.full((120, 120, 3), 245, np.uint8)
    for across, up in PIPS[value]:
        cv2.circle(face, (60 + 30 * across, 60 + 30 * up), 13, (30, 30, 30), -1, cv2.LINE_AA)
    return face


@cases("framed", [False, True], always=1)
def test_faces_printed_flat_on_the_table_are_seldom_taken_for_dice(framed: bool) -> None:
    picture = photograph([], View(size=(1920, 1080), height_mm=760.0, seed=8))
    registration = find_mat(picture)
    places = [(-160.0, 60.0), (-110.0, -120.0), (120.0, -60.0), (130.0, 90.0), (-60.0, 150.0), (60.0, -150.0)]
    for value, (x, y) in enumerate(places, 1):
        side = 14.0 + 5.0 * value
        turn = np.radians(25.0 * value)
        axes = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        corners = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) * side / 2 @ axes + [x, y]
        face = printed(value).copy()
        if framed:
            cv2.rectangle(face, (0, 0), (119, 119), (40, 40, 40), 4)
        source = np.array([[0, 0], [120, 0], [120, 120], [0, 120]], np.float32) - 0.5
        warp = cv2.getPerspectiveTransform(source, registration.to_picture(corners).astype(np.float32))
        size = (picture.shape[1], picture.shape[0])
        cv2.warpPerspective(face, warp, size, picture, cv2.INTER_AREA, cv2.BORDER_TRANSPARENT)
    picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.8), np.uint8)
    assert sum(s.probability >= SURE for s in seen_on(picture)) <= 2
    assert max((s.probability for s in seen_on(picture)), default=0.0) < 0.95


@cases("seed", range(SEED, SEED + 6), always=1)
def test_tables_full_of_flat_things_have_no_dice(seed: int) -> None:
    table = own_table(seed, dice=False, prints=True)
    assert table.registration is not None
    seen = DiceFinder(reader()).find(table.image, table.registration, ())
    assert [(s.face, s.probability) for s in seen if s.probability >= SURE] == []


def test_only_what_changed_is_read_again() -> None:
    picture, dice = drawn_table((1, 2, 3, 4, 5, 6), 24.0, View(height_mm=700.0))
    other, _ = drawn_table((2, 2, 3, 4, 5, 6), 24.0, View(height_mm=700.0))
    registration, finder = find_mat(picture), DiceFinder(reader())
    near = registration.to_picture([[dice[0].x, dice[0].y]])[0].astype(int)
    picture, after = picture.copy(), picture.copy()
    part = (slice(near[1] - 45, near[1] + 45), slice(near[0] - 45, near[0] + 45))
    after[part] = other[part]
    before = list(finder.find(picture, registration, ()))

    def changed(points_mm: Array) -> Any:
        return (np.abs(registration.to_picture(points_mm) - near) <= 45).all(axis=1)

    again = list(finder.find_again(after, registration, (), before, changed))
    assert len(before) >= 5
    assert nearest(again, dice[0]).face == "2"
    assert len([s for s in again if any(s is old for old in before)]) == len(before) - 1
    assert (
        list(finder.find_again(after, registration, (), before, lambda points: np.zeros(len(points), bool))) == before
    )


def test_what_another_piece_explains_is_no_die() -> None:
    picture, dice = drawn_table((6, 5), 20.0, View(height_mm=700.0))
    registration = find_mat(picture)
    corners = np.array([[-60.0, -60.0], [60.0, -60.0], [60.0, 60.0], [-60.0, 60.0]])

    def card(visible: float) -> Sighting:
        outline = tuple((float(x), float(y)) for x, y in corners + np.array([dice[0].x, dice[0].y]))
        pose = Pose(dice[0].x, dice[0].y, 0.0)
        return Sighting(PieceKind.SPECIAL, pose, (FaceLikelihood("special/a", 0.99),), True, visible, outline)

    finder = DiceFinder(reader())
    assert sorted(s.face for s in finder.find(picture, registration, (card(0.97),))) == ["5", "6"]
    assert [s.face for s in finder.find(picture, registration, (card(1.0),))] == ["5"]


def test_cubes_without_pips_are_no_dice() -> None:
    rng = np.random.default_rng(3)
    table = photograph([], View())
    blank = [Die(40.0 * i - 80, 30.0 * i - 60, 20.0, 17.0 * i, 3, die_style(rng) | {"what": "blank"}) for i in range(5)]
    picture, _ = photograph_dice(rng, table, blank, TableView(find_mat(table)))
    assert [s for s in seen_on(picture) if s.probability >= SURE] == []


def test_a_covered_top_is_not_deduced_from_the_sides() -> None:
    picture, dice = drawn_table((2, 3, 4, 5), 30.0, View(height_mm=700.0, tilt=0.3))
    registration = find_mat(picture)
    covered = picture.copy()
    view = TableView(registration)
    for die in dice:
        middle = view.project(np.array([[die.x, die.y, die.side]]))[0]
        width = np.linalg.norm(view.project(np.array([[die.x + die.side, die.y, die.side]]))[0] - middle)
        cv2.circle(covered, tuple(int(v) for v in middle), round(width * 0.62), (120, 150, 205), -1, cv2.LINE_AA)
    assert [s for s in seen_on(covered) if s.probability >= SURE] == []


def test_a_die_that_another_finder_saw_is_not_told_again() -> None:
    picture, dice = drawn_table((6, 5), 20.0, View(height_mm=700.0))
    die = dice[0]
    pose = Pose(die.x, die.y, die.turn)
    corner = ((-10.0, -10.0), (10.0, -10.0), (10.0, 10.0), (-10.0, 10.0))
    outline = tuple((die.x + x, die.y + y) for x, y in corner)
    other = Sighting(PieceKind.DIE, pose, (FaceLikelihood("#../.../..#", 1.0),), True, 1.0, outline)
    seen = DiceFinder(reader()).find(picture, find_mat(picture), (other,))
    assert [s.face for s in seen] == ["5"]


@cases("seed", [5, 8, 25], always=1)
def test_dice_of_one_make_that_touch_are_each_found(seed: int) -> None:
    """The first network takes some of them for one."""
    rng, side = np.random.default_rng(seed), 20.0
    table = photograph([], View(height_mm=780.0, tilt=0.1, turn_deg=20.0))
    style, turn = die_style(rng) | {"what": "dots", "solid": False, "gloss": False}, float(rng.uniform(0, 90))
    along = side * np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn))])
    places = [np.array([20.0, -60.0]) + number * 1.03 * along for number in range(3)]
    dice = [Die(float(x), float(y), side, turn, int(rng.integers(1, 7)), style) for x, y in places]
    picture, _ = photograph_dice(rng, table, dice, TableView(find_mat(table)))
    seen = seen_on(picture)
    near = [nearest(seen, die) for die in dice]
    assert [int(one.face) for one in near] == [die.value for die in dice]
    assert all(np.hypot(one.pose.x_mm - die.x, one.pose.y_mm - die.y) < 4 for one, die in zip(near, dice, strict=True))


@pytest.mark.parametrize("seed", [63_000_024, 63_000_045])
def test_dice_that_touch_are_found_without_a_mat_where_they_are_seen_from_above(seed: int) -> None:
    picture, dice, _ = draw_dice(np.random.default_rng(seed), rows=True)
    width = float(np.median([np.sqrt((x2 - x1) * (y2 - y1)) for x1, y1, x2, y2 in (die.box for die in dice)]))
    seen = reader().find(picture, (0.5 * width, 2.0 * width))
    for die in dice:
        middle = die.top_px.mean(0)
        one = min(seen, key=lambda one: float(np.linalg.norm(one.centre_px - middle)))
        assert one.value == die.value
        assert np.linalg.norm(one.centre_px - middle) < 0.25 * width


def test_dice_beside_each_other_are_in_no_hand() -> None:
    """What is strange around a die is the others, and the sides of it that show; in fingers it goes on."""
    coarse = coarse_map(table_map(find_mat(photograph([], View()))))

    def die(x: float, y: float, side: float = 20.0) -> Sighting:
        half = side / 2
        outline = tuple((x + a * half, y + b * half) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
        return Sighting(PieceKind.DIE, Pose(x, y, 0.0), (FaceLikelihood("5", 0.95),), True, 1.0, outline)

    block = tuple(die(x, y) for x in (-20.5, 0.0, 20.5) for y in (-20.5, 0.0, 20.5))
    around = np.array([[-34.0, -34.0], [34.0, -34.0], [34.0, 34.0], [-34.0, 34.0]])
    lying, strange = told_by_form(block, coarse.polygons([around]), coarse)
    assert lying == block
    assert not strange.any()
    lying, strange = told_by_form(
        (*block, die(120.0, 0.0)), coarse.polygons([around, 1.5 * around + [120.0, 0.0]]), coarse
    )
    assert lying == block
    assert strange.any()


def die_at(x: float) -> Sighting:
    """A five of 20 mm, surely."""
    outline = np.array([x, 0.0]) + 10.0 * SQUARE
    corners = tuple((float(a), float(b)) for a, b in outline)
    return Sighting(PieceKind.DIE, Pose(x, 0.0, 0.0), (FaceLikelihood("5", 0.99),), True, 1.0, corners)


@pytest.mark.parametrize(
    ("half_mm", "share", "lies"),
    [
        (0.0, 0.5, "surely"),
        (0.0, 0.96, "doubtfully"),
        (0.0, 0.99, None),
        (50.0, 0.1, "surely"),  # a print
        (50.0, 0.25, "doubtfully"),
        (50.0, 0.5, None),
        (30.0, 0.5, "surely"),  # too small for a hand
    ],
)
def test_a_die_on_the_mat_is_in_a_hand_where_the_picture_and_what_is_foreign_say_so(
    half_mm: float, share: float, lies: str | None
) -> None:
    coarse, die = coarse_map(table_map(find_mat(photograph([], View())))), die_at(0.0)
    around = coarse.polygons([half_mm * SQUARE] if half_mm else [])
    lying, _ = told_by_form((die,), around, coarse, {id(die): share})
    assert [one.probability for one in lying] == {"surely": [0.99], "doubtfully": [0.89], None: []}[lies]


@pytest.mark.parametrize(("said", "lies"), [(0.97, [0.97]), (0.93, [0.89]), (0.8, [])])
def test_what_may_be_printed_on_something_strange_is_a_die_only_where_it_is_nearly_sure(
    said: float, lies: list[float]
) -> None:
    coarse, die = coarse_map(table_map(find_mat(photograph([], View())))), die_at(0.0)
    die = replace(die, faces=(FaceLikelihood("5", said),))
    lying, _ = told_by_form((die,), coarse.polygons([50.0 * SQUARE]), coarse, {id(die): 0.1})
    assert [one.probability for one in lying] == lies


@pytest.mark.parametrize("x", [185.0, 240.0])
@pytest.mark.parametrize(
    ("around", "half_mm", "share", "lies"),
    [
        (OAK, 50.0, 0.97, "doubtfully"),
        (OAK, 50.0, 0.86, "surely"),
        (SKIN, 50.0, 0.95, None),
        (SKIN, 50.0, 0.45, None),
        (SKIN, 50.0, 0.4, "doubtfully"),
        (SKIN, 50.0, 0.1, "surely"),
        (SKIN, 24.0, 0.5, "surely"),
    ],
)
def test_a_hand_beyond_the_mat_is_large_and_does_not_look_as_the_table_does(
    x: float, around: tuple[float, ...], half_mm: float, share: float, lies: str | None
) -> None:
    """Nor as the mat: a die near its edge is seen on both."""
    coarse, die = coarse_map(table_map(find_mat(photograph([], View())))), die_at(x)
    cells = np.full((coarse.height, coarse.width, 3), OAK) + np.random.default_rng(1).normal(
        0, 2, (coarse.height, coarse.width, 3)
    )
    hand = coarse.polygons([np.array([x, 0.0]) + half_mm * SQUARE])
    cells[hand > 0] = around
    foreign = hand & coarse.polygons([200.0 * SQUARE]) if around is SKIN else coarse.polygons([])
    lying, _ = told_by_form((die,), foreign, coarse, {id(die): share}, np.asarray(cells, np.uint8))
    assert [one.probability for one in lying] == {"surely": [0.99], "doubtfully": [0.89], None: []}[lies]


def measured_at(x: float, side: float, odds: float, *, lean: float | None = None) -> Measured:
    """A place that shows a 4 with such odds on a die, its pips plainly."""
    none = 1.0 / (1.0 + np.exp(odds))
    network = np.log(np.array([none, *(1e-4,) * 3, 1.0 - none, *(1e-4,) * 2]))
    close = np.log(np.array([1e-3, *(1e-3,) * 3, 0.99, *(1e-3,) * 2]))
    fits = np.array([0.1, 0.1, 0.1, 0.7, 0.2, 0.1])
    return Measured(np.array([x, 50.0]), np.array([x, 50.0]) + SQUARE * side / 2, network, close, fits, lean)


@pytest.mark.parametrize(("fit", "read"), [(0.5, True), (0.3, False)])
def test_plain_pips_tell_the_value_where_the_networks_guess(fit: float, *, read: bool) -> None:
    """Under a lamp's arc; though never surely."""
    network = np.log(np.array([0.03, 0.1, 0.07, 0.2, 0.05, 0.5, 0.05]))
    close = np.log(np.array([0.03, 0.1, 0.15, 0.2, 0.05, 0.45, 0.02]))
    fits = np.array([0.2, 0.2, fit, 0.1, 0.2, 0.2])
    one = Measured(np.zeros(2), SQUARE * 15, network, close, fits, None)
    die = claimed(one, UNTOLD)
    assert (die.value == 3 and 0.5 <= die.probability < 0.9) == read
    assert read or die.probability < 0.5


def test_what_is_as_large_as_a_die_that_is_sure_is_likelier_one_but_never_surely() -> None:
    plain, poor, larger = measured_at(50, 30, 9), measured_at(150, 32, 0), measured_at(250, 50, 0)

    def shares(*places: Measured) -> list[float]:
        before = [claimed(one, UNTOLD) for one in places]
        return [die.probability for die in in_company(places, before, UNTOLD)]

    alone = shares(poor)[0]
    assert alone < 0.5
    first, second, third = shares(plain, poor, larger)
    assert first > 0.9
    assert 0.5 < second < 0.9
    assert third == pytest.approx(alone, abs=1e-6)
    told = [replace(one, lean=0.2) for one in (plain, poor)]
    assert shares(*told)[1] == pytest.approx(claimed(told[1], UNTOLD).probability)


def test_what_promises_little_is_looked_at_where_it_touches_a_die() -> None:
    rng = np.random.default_rng(11)
    style = die_style(rng) | {"what": "dots", "solid": False, "gloss": False}
    table = photograph([], View(height_mm=700.0))
    registration = find_mat(table)
    places = (-60.0, -35.5, 70.0)
    dice = [Die(x, 0.0, 24.0, 0.0, value, style) for x, value in zip(places, (5, 4, 5), strict=True)]
    picture, _ = photograph_dice(rng, table, dice, TableView(registration))
    middles = [registration.to_picture(registration.seen_from_table([[x, 0.0]], 24.0))[0] for x in places]

    def faint_but_for_the_first(found: Sequence[Proposal]) -> list[Proposal]:
        nearest = [int(np.argmin([np.linalg.norm(p.centre_px - at) for at in middles])) for p in found]
        return [replace(p, promise=0.9 if die == 0 else 0.3) for p, die in zip(found, nearest, strict=True)]

    def seen(least_promise: float) -> list[int]:
        found = reader().find(
            picture, silhouettes_px(registration), ground_at=lambda at: ground(registration, at),
            sift=faint_but_for_the_first, least_promise=least_promise,
        )  # fmt: skip
        return [i for i, at in enumerate(middles) if any(np.linalg.norm(die.centre_px - at) < 12 for die in found)]

    assert seen(0.0) == [0, 1, 2]
    assert seen(0.4) == [0, 1]


def test_likelihoods_leave_something_to_nothing() -> None:
    picture, _ = drawn_table((6, 5, 4, 3, 2, 1), 18.0, View(height_mm=800.0))
    for sighting in seen_on(picture):
        assert [f.probability for f in sighting.faces] == sorted((f.probability for f in sighting.faces), reverse=True)
        assert 0.5 <= sum(f.probability for f in sighting.faces) <= 1.0


def test_pieces_are_cut_where_they_are() -> None:
    image = np.zeros((240, 320, 3), np.uint8)
    cv2.circle(image, (200, 100), 12, (255, 255, 255), -1)
    for scale in (0.5, 1.0, 3.0):
        patch = Pyramid(image).cut(np.array([200.0, 100.0]), np.eye(2) * scale)
        moments = cv2.moments(patch[..., 0])
        assert moments["m10"] / moments["m00"] == pytest.approx(23.5, abs=0.15)
        assert moments["m01"] / moments["m00"] == pytest.approx(23.5, abs=0.15)


@pytest.mark.skipif(not PHOTOS.is_dir(), reason=f"no pictures at {PHOTOS}")
def test_dice_on_the_rendered_tables() -> None:
    dice = read = 0
    for path in sorted(path for kind in ("dice", "theory") for path in PHOTOS.glob(f"{kind}-*.jpg"))[::2]:
        image = cv2.imread(str(path), cv2.IMREAD_COLOR)
        assert image is not None
        labels = json.loads(path.with_suffix(".json").read_text())
        true_dice = [piece for piece in labels["pieces"] if piece["kind"] == "die"]
        dice += len(true_dice)
        for sighting in seen_on(np.asarray(image, np.uint8)):
            near = [
                p for p in true_dice if np.hypot(sighting.pose.x_mm - p["x_mm"], sighting.pose.y_mm - p["y_mm"]) < 4
            ]
            assert [sighting.face] == [str(piece["value"]) for piece in near], path.name
            read += 1
    assert dice > 15
    assert read >= 0.85 * dice


@pytest.mark.skipif(not PHOTOS.is_dir(), reason=f"no pictures at {PHOTOS}")
@cases("name", ["ring-alpha-01", "split-beta-01", "seats-alpha-01", "cards-alpha-01"], always=2)
def test_no_die_where_there_is_none(name: str) -> None:
    image = cv2.imread(str(PHOTOS / f"{name}.jpg"), cv2.IMREAD_COLOR)
    assert image is not None
    assert seen_on(np.asarray(image, np.uint8)) == []


def make(
    side: float = 30.0, top: tuple[float, float, float] = (70, 10, 20), pips: tuple[float, ...] = (20, 0, 0)
) -> Make:
    return Make(side, np.array(top, np.float32), np.array(pips, np.float32))


@pytest.mark.parametrize(
    ("other", "far", "alike"),
    [
        (make(), 100.0, True),
        (make(side=31.0, top=(60, 12, 18)), 100.0, True),
        (make(side=33.0), 100.0, False),
        (make(top=(70, -10, 20)), 100.0, False),
        (make(pips=(90, 0, 0)), 100.0, False),
        (make(), 33.0, False),
    ],
)
def test_what_is_of_one_make_with_a_sure_die_is_a_die(other: Make, far: float, *, alike: bool) -> None:
    """Another size or colour says nothing, nor does what is right beside it: a domino has two alike halves."""
    sure, poor = measured_at(50, 30, 9, lean=0.1), measured_at(50 + far, 30, 2, lean=0.1)
    before = [claimed(one, TOLD) for one in (sure, poor)]
    assert before[0].probability > 0.95 > 0.9 > before[1].probability

    def make_at(corners_px: Array) -> Make:
        return make() if abs(corners_px[:, 0].mean() - 50) < 1 else other

    first, second = of_a_make([sure, poor], before, TOLD, make_at)
    assert first == before[0]
    assert (second.probability >= SURE) == alike
    assert alike or second == before[1]
    known = of_a_make([poor], before[1:], TOLD, lambda _: other, [sure.corners_px])
    assert (known[0].probability >= SURE) == (far == 100.0)  # as they all look alike here


@pytest.mark.parametrize(("apart", "half"), [(1.0, True), (0.6, False), (1.5, False)])
def test_halves_of_dominoes_do_not_vouch_for_each_other(apart: float, half: bool) -> None:
    first, second = measured_at(50, 30, 9, lean=0.1), measured_at(250, 30, 2, lean=0.1)
    others = [measured_at(x + apart * 30, 30, -9, lean=0.1) for x in (50, 250)]

    def vouched_for(*places: Measured) -> bool:
        before = [claimed(one, TOLD) for one in places]
        return of_a_make(places, before, TOLD, lambda _: make())[1].probability >= SURE

    assert vouched_for(first, second)
    assert vouched_for(first, second, others[0]) is not half
    assert vouched_for(first, second, others[1]) is not half


@pytest.mark.parametrize(("more", "sure"), [(0.72, True), (0.85, False)])
def test_more_pips_than_six_are_no_value(more: float, sure: bool) -> None:
    plain = measured_as(6, 6, 6, fit=0.7)
    assert (claimed(replace(plain, more=more), UNTOLD).probability >= SURE) is sure


def test_what_leans_far_or_is_not_plain_is_not_vouched_for() -> None:
    sure, leaning = measured_at(50, 30, 9, lean=0.1), measured_at(150, 30, 1, lean=0.8)
    unclear = replace(measured_at(150, 30, 2, lean=0.1), fits=np.full(6, 0.2))
    for one in (leaning, unclear):
        before = [claimed(place, TOLD) for place in (sure, one)]
        assert of_a_make([sure, one], before, TOLD, lambda _: make()) == before


def test_a_die_that_is_only_vouched_for_vouches_for_none() -> None:
    sure, poor = measured_at(50, 30, 9, lean=0.1), measured_at(150, 30, 2, lean=0.1)
    (_, familiar) = of_a_make([sure, poor], [claimed(one, TOLD) for one in (sure, poor)], TOLD, lambda _: make())
    assert SURE <= familiar.probability <= FAMILIAR
    registration = find_mat(photograph([], View()))
    die = replace(die_at(0.0), faces=(FaceLikelihood("4", familiar.probability),))
    assert sure_tops([die], registration) == []
    assert len(sure_tops([replace(die, faces=(FaceLikelihood("4", 0.94),))], registration)) == 1


@pytest.mark.long
def test_dice_that_lie_there_still_vouch_for_one_that_comes() -> None:
    """As they do where all are seen at once."""
    image, _ = photographs(FAMILIES["dice"], 991312)
    registration, finder = find_mat(image), DiceFinder()
    at_once = finder.find(image, registration, ())
    come = next(one for one in at_once if np.hypot(one.pose.x_mm + 1.9, one.pose.y_mm + 23.6) < 5)
    assert come.probability == FAMILIAR
    rest = [one for one in at_once if one is not come]

    def changed(points_mm: Array) -> NDArray[np.bool_]:
        return np.asarray(np.hypot(points_mm[:, 0] - come.pose.x_mm, points_mm[:, 1] - come.pose.y_mm) < 25.0)

    def seen(before: Sequence[Sighting]) -> list[float]:
        found = finder.find_again(image, registration, (), before, changed)
        return [one.probability for one in found if np.hypot(one.pose.x_mm + 1.9, one.pose.y_mm + 23.6) < 5]

    assert seen(rest) == [pytest.approx(FAMILIAR, abs=0.01)]
    assert max(seen([])) < SURE
