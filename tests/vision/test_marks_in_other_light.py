"""Score sheets that are written on in the moments in which other light comes to fall on them."""

from functools import cache
from random import Random

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from controller.games.dice_and_slice.hands import Pencilled, write_front
from controller.games.polygons import inside
from controller.sheet_prints import load_prints
from controller.simulation.copy import own_art
from hardware.kit.score_sheets import load_sheet_print
from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import World
from tests.vision.altered import ShadowEdge, in_shadow
from vision.frame import Frame, Image
from vision.looking_for import finders_for
from vision.pieces.faces import FacePack
from vision.reader import Reader
from vision.scene import HiddenCause, MarkKind, PieceKind, Pose, Scene, SheetMark

PLACE = Pose(390.0, -15.0, 181.0)
DOTS = [(column, row) for column in range(1, 13, 3) for row in range(1, 9, 2)]
SHADE = ShadowEdge(-60.0, 0.0, 10.0, 2.4, 8.0)
"""Over more than half of the table, the whole sheet in it."""


CROSSED = [topping.square for topping in load_sheet_print().layout.toppings[::2]]
"""Half of the toppings."""


@cache
def pictures(kelvin: float = 5000.0, light: float = 1.0, *, crossed: bool = False) -> tuple[Image, Image]:
    """The sheet when it is blank, and pencilled: with dots, or with crosses, too."""
    conditions = Conditions(seed=6, kelvin=kelvin, light=light, noise=1.5)
    renderer = Renderer(own_art("dice_and_slice"), conditions.camera_model(1920, 1080), conditions)
    shown = []
    dots = [Pencilled(MarkKind.DOT, dot) for dot in DOTS]
    crosses = [Pencilled(MarkKind.CROSSED_TOPPING, at) for at in CROSSED]
    for marks in ([], [*dots, *crosses] if crossed else dots):
        world = World(Random(4))
        front = write_front(1, marks)
        world.add_piece("sheet/1", PieceKind.SHEET, front, front, pose=PLACE, face_up=True)
        shown.append(np.asarray(renderer.render(world.snapshot()), np.uint8))
    return shown[0], shown[1]


@cache
def camera_noise(number: int) -> NDArray[np.int16]:
    """That of a camera's picture, once for all pictures of this number."""
    return np.random.default_rng(number).integers(-2, 3, (1080, 1920, 3), np.int16)


def scene_after(first: Image, then: Image) -> Scene:
    """What is said some seconds after the picture changed."""
    pack = FacePack({}, ())
    reader = Reader(pack, finders=finders_for({PieceKind.SHEET}, pack, load_prints()))
    for number in range(7):
        shown = cv2.add(first if number < 3 else then, camera_noise(number), dtype=cv2.CV_8U)
        scene = reader.read(Frame(np.asarray(shown, np.uint8), number * 0.5, number))
    return scene


def marks_after(first: Image, then: Image, kind: MarkKind = MarkKind.DOT) -> dict[tuple[int, ...], SheetMark]:
    """The places for marks of a kind, as they are said to be some seconds after the picture changed."""
    (sheet,) = (piece for piece in scene_after(first, then).sightings if piece.kind is PieceKind.SHEET)
    return {mark.at: mark for mark in sheet.marks if mark.kind is kind}


def veiled(image: Image, share: float = 0.45) -> Image:
    """The picture with the light of a window over all of it that takes this share of its contrast."""
    return np.asarray(np.clip(image * (1.0 - share) + 200.0 * share, 0.0, 255.0), np.uint8)


@pytest.mark.long
def test_what_is_pencilled_as_a_shadow_falls_on_the_sheet_is_read() -> None:
    blank, pencilled = pictures()
    dots = marks_after(blank, in_shadow(pencilled, SHADE))
    assert {at for at, mark in dots.items() if mark.probability > 0.5} == set(DOTS)


@pytest.mark.long
def test_what_a_lamp_makes_too_bright_to_be_seen_is_not_surely_absent() -> None:
    blank, pencilled = pictures(6200.0, 0.85)
    lit = np.minimum(pencilled * 1.5, 255.0).astype(np.uint8)
    dots = marks_after(blank, lit)
    assert not [at for at in DOTS if dots[at].probability < 0.1 and not dots[at].hidden]


@pytest.mark.long
def test_crosses_in_a_veil_of_light_are_told_from_print_that_it_makes_paler() -> None:
    blank, pencilled = pictures(crossed=True)
    crosses = marks_after(blank, veiled(pencilled), MarkKind.CROSSED_TOPPING)
    assert {at for at, mark in crosses.items() if mark.probability > 0.5} == set(CROSSED)
    assert not any(mark.hidden for mark in crosses.values())


@pytest.mark.long
def test_a_sheet_first_seen_in_a_veil_of_light_is_read_when_that_is_gone() -> None:
    blank, pencilled = pictures(crossed=True)
    crosses = marks_after(veiled(blank), pencilled, MarkKind.CROSSED_TOPPING)
    assert {at for at, mark in crosses.items() if mark.probability > 0.5} == set(CROSSED)


@pytest.mark.parametrize(
    ("kelvin", "first", "then"),
    [
        pytest.param(4000.0, 1.15, 0.5, id="not too bright any more"),
        pytest.param(4000.0, 1.2, 1.0, marks=pytest.mark.long, id="still too bright in one colour"),
        pytest.param(3200.0, 1.25, 0.95, marks=pytest.mark.long, id="so bright that pale print did not show"),
    ],
)
def test_print_beside_paper_that_was_too_bright_when_it_was_blank_is_no_cross_in_less_light(
    kelvin: float, first: float, then: float
) -> None:
    """Beside paper brighter than the picture showed, print seemed less dark than it is."""
    (blank, _), (_, pencilled) = (pictures(kelvin, light, crossed=True) for light in (first, then))
    crosses = marks_after(blank, pencilled, MarkKind.CROSSED_TOPPING)
    assert {at for at, mark in crosses.items() if mark.probability > 0.5} == set(CROSSED)
    assert max(mark.probability for at, mark in crosses.items() if at not in CROSSED) < 0.1


@pytest.mark.long
def test_bright_paper_is_read_where_its_printed_dots_show() -> None:
    """Crossed toppings are darker than others of their kind: those did not seem to be washed out by a lamp alone."""
    dots = marks_after(*pictures(light=1.4, crossed=True))
    assert sum(mark.hidden for mark in dots.values()) <= 2
    assert {at for at, mark in dots.items() if mark.probability > 0.5} == set(DOTS)


@pytest.mark.long
def test_what_light_hides_of_a_sheet_is_outlined() -> None:
    blank, pencilled = pictures(6200.0, 0.85)
    scene = scene_after(blank, np.minimum(pencilled * 1.5, 255.0).astype(np.uint8))
    (sheet,) = (piece for piece in scene.sightings if piece.kind is PieceKind.SHEET)
    glare = [place.outline_mm for place in scene.hidden if place.cause is HiddenCause.GLARE]
    assert sheet.blinded_mm
    assert any(inside((sheet.pose.x_mm, sheet.pose.y_mm + y), one) for one in glare for y in range(-60, 61, 10))


@pytest.mark.long
def test_a_sheet_seen_blank_in_a_veil_is_remembered_as_it_looks_without_one() -> None:
    blank, _ = pictures(crossed=True)
    pack = FacePack({}, ())
    (finder,) = finders_for({PieceKind.SHEET}, pack, load_prints())
    reader, shown = Reader(pack, finders=[finder]), []
    for number, image in enumerate((veiled(blank), blank, veiled(blank))):
        reader.read_anew()
        scene = reader.read(Frame(image, number * 0.5, number))
        (sheet,) = (piece for piece in scene.sightings if piece.kind is PieceKind.SHEET)
        assert number == 0 or not any(mark.probability > 0.1 for mark in sheet.marks)
        shown.append(float(finder._blanks._known[0].darkness.mean()))  # type: ignore[attr-defined]
    assert shown[1] > 1.3 * shown[0], "better than before is taken,"
    assert shown[2] == shown[1], "worse is not"
