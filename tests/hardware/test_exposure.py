"""The camera's exposure and white balance follow the light of the room."""

from collections.abc import Callable, Collection
from dataclasses import replace
from random import Random

import cv2
import numpy as np
import pytest

from controller.games.dice_and_slice.hands import write_front
from controller.sheet_prints import load_prints
from controller.simulation.copy import own_art
from hardware.camera import Adjustment, Automatic, Camera
from hardware.exposure import (
    AT_AN_END_S,
    BRIGHT_ENOUGH,
    DARK_ENOUGH,
    LASTS_S,
    MOST,
    MOST_JUMPS,
    MUCH_LESS,
    SETTLED_S,
    UNRESTED_S,
    ExposureKeeper,
    settled_picture,
    wanted_for,
)
from hardware.simulated.camera import SimulatedCamera, evening_light, steady
from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import World
from tests.long import cases
from vision.frame import Image
from vision.light.paper import paper_seen
from vision.looking_for import finders_for
from vision.mat.errors import RegistrationError
from vision.mat.registration import find_mat
from vision.mat.sharpness import FOCUS_WIDTHS, blur_widths
from vision.pieces.faces import FacePack
from vision.reader import Reader
from vision.scene import PaperLevel, PieceKind, Pose, Scene

SIZE = (960, 540)
RATE_HZ = 4.0
PLACE = Pose(390.0, -15.0, 181.0)


class Room:
    """A table with a score sheet before a simulated camera, in light that changes, and who reads it."""

    def __init__(self, room: Callable[[float], float] = steady, *, follow: bool = True, kelvin: float = 5000.0) -> None:
        conditions = Conditions(seed=6, noise=1.5, kelvin=kelvin)
        world = World(Random(4))
        front = write_front(1, [])
        world.add_piece("sheet/1", PieceKind.SHEET, front, front, pose=PLACE, face_up=True)
        renderer = Renderer(own_art("dice_and_slice"), conditions.camera_model(*SIZE), conditions)
        self.now_s = 0.0
        pack = FacePack({}, ())
        self.camera = SimulatedCamera(world.snapshot, renderer, lambda: self.now_s, self._wait, RATE_HZ, room)
        self.reader = Reader(pack, finders=finders_for({PieceKind.SHEET}, pack, load_prints()))
        self.keeper = ExposureKeeper(self.camera, self.reader) if follow else None

    def _wait(self, seconds: float) -> None:
        self.now_s += seconds

    def watch(self, seconds: float) -> list[Scene]:
        """The scenes until then; nothing where the table was not found."""
        scenes, end = [], self.now_s + seconds
        while self.now_s < end:
            frame = self.camera.read(1.0)
            try:
                scene = self.reader.read(frame)
            except RegistrationError:
                if self.keeper is not None:
                    self.keeper.unreadable(frame.image, frame.time_s)
                continue
            scenes.append(scene)
            if self.keeper is not None:
                self.keeper.after(scene)
        return scenes

    def paper(self) -> float:
        """How bright paper is beside the markers, where it is brightest but one."""
        image = self.camera.read(1.0).image
        return sorted(max(level) for level in paper_seen(image, find_mat(image), ()))[-2]


def test_paper_is_seen_beside_markers_and_on_sheets() -> None:
    room = Room()
    (scene, *_) = room.watch(0.2)
    levels = paper_seen(room.camera.read(1.0).image, find_mat(room.camera.read(1.0).image), scene.sightings)
    assert len(levels) == 4 + 4
    assert all(180.0 < max(level) <= 255.0 for level in levels)
    assert np.allclose(scene.paper, levels, atol=6.0)


@pytest.mark.long
def test_in_steady_light_the_camera_stays_as_it_is() -> None:
    room = Room()
    before = room.camera.read(1.0).image
    room.watch(8.0)
    assert float(np.abs(room.camera.read(1.0).image.astype(float).mean() - before.mean())) < 0.5


@pytest.mark.long
@cases("light", [0.05, 2.5], always=1)
def test_a_lamp_switched_off_or_on_is_followed(light: float) -> None:
    def room(time_s: float) -> float:
        return 1.0 if time_s < 2.0 else light

    follows, stays = Room(room), Room(room, follow=False)
    scenes = follows.watch(14.0)
    stays.watch(3.0)
    assert DARK_ENOUGH - 3.0 <= follows.paper() <= BRIGHT_ENOUGH + 3.0
    assert not DARK_ENOUGH <= stays.paper() <= BRIGHT_ENOUGH
    assert all(any(one.kind is PieceKind.SHEET for one in scene.sightings) for scene in scenes[-5:])
    (sheet,) = (one for one in scenes[-1].sightings if one.kind is PieceKind.SHEET)
    assert not any(mark.probability > 0.1 or mark.hidden for mark in sheet.marks)


@pytest.mark.parametrize("light", [0.05, 3.0])
def test_a_picture_to_learn_from_is_exposed_for_paper(light: float) -> None:
    def newest(room: Room) -> Image:
        return room.camera.read(1.0).image

    room = Room(lambda _: light)
    first = newest(room)
    image = settled_picture(room.camera, lambda: newest(room))
    levels = [sorted(max(level) for level in paper_seen(one, find_mat(one), ()))[-2] for one in (first, image)]
    assert not DARK_ENOUGH - 3.0 <= levels[0] <= BRIGHT_ENOUGH + 3.0
    assert DARK_ENOUGH - 3.0 <= levels[1] <= BRIGHT_ENOUGH + 6.0


def test_without_a_mat_a_picture_is_taken_as_it_is() -> None:
    camera, black = Noted(), np.zeros((90, 160, 3), np.uint8)
    assert settled_picture(camera, lambda: black) is black  # type: ignore[arg-type]
    assert not camera.asked


def test_a_table_too_dark_to_be_found_is_found() -> None:
    def room(_: float) -> float:
        return 0.0003

    assert not Room(room, follow=False).watch(3.0)
    assert Room(room).watch(18.0)


@pytest.mark.long
def test_light_of_another_colour_is_followed() -> None:
    warm, stays = Room(kelvin=2800.0), Room(kelvin=2800.0, follow=False)
    warm.watch(9.0)
    stays.watch(1.0)

    def tint(room: Room) -> float:
        image = room.camera.read(1.0).image
        colours = np.mean(paper_seen(image, find_mat(image), ()), axis=0)
        return float(colours.max() / colours.min())

    assert tint(stays) > 1.4
    assert tint(warm) < 1.12


class Noted:
    """A camera that notes how it is adjusted, and can go so far."""

    description = "noted"

    def __init__(self, steps: int = 100) -> None:
        self.steps, self.asked = steps, list[Adjustment]()

    def adjust(self, by: Adjustment) -> bool:
        self.asked.append(by)
        return len(self.asked) <= self.steps


def scene(time_s: float, level: float, at_rest_s: float = 2.0) -> Scene:
    return Scene(time_s, 0, (), (), at_rest_s, paper=((level,) * 3,) * 4)


def keeper_of(camera: Noted) -> ExposureKeeper:
    return ExposureKeeper(camera, None)  # type: ignore[arg-type]


def test_nothing_is_adjusted_while_something_moves_or_for_a_moment() -> None:
    camera = Noted()
    keeper = keeper_of(camera)
    for number in range(20):
        keeper.after(scene(number * 0.5, 60.0, at_rest_s=0.0))
    for number in range(20, 40):
        keeper.after(scene(number * 0.5, 60.0 if number % 3 else 210.0))
    assert not camera.asked
    for number in range(40, 45):
        keeper.after(scene(number * 0.5, 60.0))
    assert camera.asked


def test_a_camera_that_can_go_no_farther_is_left_alone_for_a_while() -> None:
    camera = Noted(steps=2)
    keeper = keeper_of(camera)
    for number in range(int(AT_AN_END_S)):
        keeper.after(scene(float(number), 40.0))
    assert len(camera.asked) == 3


def test_one_place_in_a_lamps_reflection_is_no_reason() -> None:
    even: PaperLevel = (205.0, 210.0, 212.0)
    assert wanted_for([even, even, even, (255.0, 255.0, 255.0)]) is None
    assert wanted_for([even, (255.0,) * 3, (255.0,) * 3]) == Adjustment(light=0.75)


def test_a_mirrored_lamp_does_not_make_the_rest_dark() -> None:
    """What is mirrored is cut off however little light the camera gathers."""
    mirrored: PaperLevel = (255.0,) * 3
    paper, steps = 230.0, 0
    while (wanted := wanted_for([mirrored, mirrored, *[(paper,) * 3] * 6], light=steps > 0)) is not None:
        paper *= wanted.light ** (1 / 2.2)
        steps += 1
        assert steps < 10
    assert paper > 150.0
    dark = wanted_for([mirrored, mirrored, *[(45.0,) * 3] * 6])
    assert dark is not None
    assert dark.light > 1.0


def test_a_step_is_as_large_as_what_paper_shows() -> None:
    wanted = wanted_for([(170.0,) * 3] * 4, light=True)
    assert wanted is not None
    assert 170.0 * wanted.light ** (1 / 2.2) == pytest.approx(215.0)
    assert wanted_for([(30.0,) * 3] * 4) == Adjustment(light=MOST)
    assert wanted_for([(170.0,) * 3] * 4) is None
    assert wanted_for([(255.0,) * 3] * 4) == Adjustment(light=MUCH_LESS)


def test_the_evening_grows_dark_before_lamps_are_switched_on() -> None:
    lights = [evening_light(float(time_s)) for time_s in range(0, 320, 10)]
    assert lights[0] == 1.0
    assert min(lights) == pytest.approx(0.15)
    assert max(lights[18:]) > 5 * min(lights)


def test_cameras_that_follow_by_themselves_are_left_alone() -> None:
    class Plain:
        description = "plain"

    camera: Camera = Plain()  # type: ignore[assignment]
    keeper = ExposureKeeper(camera, None)
    for number in range(20):
        keeper.after(scene(float(number), 40.0))


ALL = frozenset(Automatic)
FOCUS = frozenset({Automatic.FOCUS})


class Webcam:
    """One that exposes so that paper has some level, and notes what it is to hold, and when."""

    description = "webcam"

    def __init__(self, *, can: frozenset[Automatic] = ALL, jumps_to: float | None = None, level: float = 200.0) -> None:
        self._can, self._jumps_to, self.exposes_for = can, jumps_to, level
        self.level = level
        self.now_s = 0.0
        self.asked: list[tuple[float, frozenset[Automatic]]] = []

    def hold(self, which: Collection[Automatic]) -> frozenset[Automatic]:
        self.asked.append((self.now_s, frozenset(which)))
        if Automatic.EXPOSURE in which:
            self.level = self._jumps_to or self.level
        else:
            self.level = self.exposes_for
        return self._can.intersection(which)

    @property
    def held(self) -> list[frozenset[Automatic]]:
        return [which for _, which in self.asked]


class AnewNoted:
    """A reader that notes how often it was told to read anew."""

    anew = 0

    def read_anew(self) -> None:
        self.anew += 1


def played(
    webcam: Webcam,
    light: Callable[[float], float] = steady,
    seconds: float = 30.0,
    *,
    rest_s: float = 60.0,
    follow_light: bool = True,
) -> AnewNoted:
    """What the reader was told of a table in such light, where something moves every `rest_s`."""
    reader = AnewNoted()
    keeper = ExposureKeeper(webcam, reader, follow_light=follow_light)  # type: ignore[arg-type]
    while webcam.now_s < seconds:
        webcam.now_s += 0.5
        keeper.after(scene(webcam.now_s, min(webcam.level * light(webcam.now_s), 255.0), webcam.now_s % rest_s))
    return reader


def test_a_camera_holds_what_it_can_once_it_has_settled() -> None:
    webcam = Webcam()
    assert played(webcam).anew == 0
    assert webcam.held == [ALL]
    assert webcam.asked[0][0] == pytest.approx(SETTLED_S + 0.5)
    partly = Webcam(can=FOCUS)
    played(partly, lambda time_s: 1.0 if time_s < 10.0 else 0.3)
    assert partly.held == [ALL]


def test_nothing_is_held_while_something_moves_or_the_camera_adjusts_itself() -> None:
    moves, adjusts = Webcam(), Webcam()
    played(moves, rest_s=SETTLED_S)
    played(adjusts, lambda time_s: 0.4 * 1.1**time_s, seconds=9.0)
    assert not moves.asked
    assert not adjusts.asked


@pytest.mark.parametrize(("light", "follow_light"), [(0.3, True), (1.5, True), (0.3, False), (0.6, True), (0.8, True)])
def test_when_the_light_changes_a_camera_follows_and_holds_again(light: float, follow_light: bool) -> None:
    def room(time_s: float) -> float:
        changed = time_s >= 10.0 and webcam.held[-1] == ALL and len(webcam.held) == 1
        return light if changed else 1.0

    webcam = Webcam()
    reader = played(webcam, room, follow_light=follow_light)
    followed = follow_light and light != 0.8
    assert webcam.held == ([ALL, FOCUS, ALL] if followed else [ALL])
    assert reader.anew == followed
    if followed:
        assert webcam.asked[1][0] == pytest.approx(10.0 + LASTS_S)


def test_dusk_is_followed_though_no_two_pictures_differ_much() -> None:
    webcam = Webcam()

    def dusk(time_s: float) -> float:
        """What a camera that is held loses; one that runs exposes for it."""
        if Automatic.EXPOSURE not in (webcam.held or [FOCUS])[-1]:
            return 1.0
        return float(0.99 ** (time_s - webcam.asked[-1][0]))

    played(webcam, dusk, 100.0)
    assert webcam.held == [ALL, FOCUS, ALL, FOCUS, ALL]


@pytest.mark.parametrize("level", [50.0, 250.0])
def test_a_camera_that_exposes_badly_by_itself_is_not_let_run_for_that(level: float) -> None:
    webcam = Webcam(level=level)
    played(webcam, lambda time_s: 1.0 if time_s < 20.0 else 0.9)
    assert webcam.held == ([ALL, FOCUS, ALL] if level == 50.0 else [ALL]), (
        "only where it is no better, and not as it was"
    )


LETS_GO = [FOCUS, ALL] * (MOST_JUMPS - 1) + [FOCUS]


@pytest.mark.parametrize("shows_after_s", [0.0, 0.7])
def test_a_camera_whose_exposure_jumps_when_it_is_held_keeps_it(
    caplog: pytest.LogCaptureFixture, shows_after_s: float
) -> None:
    def late(time_s: float) -> float:
        return 1.0 if webcam.asked and time_s - webcam.asked[-1][0] > shows_after_s else 200.0 / webcam.level

    webcam = Webcam(jumps_to=150.0)
    played(webcam, late)
    assert webcam.held == [ALL, *LETS_GO]
    assert webcam.level == webcam.exposes_for
    (record,) = caplog.records
    assert "holds its exposure and white balance: left to the camera" in record.getMessage()


def test_an_exposure_that_jumps_only_in_other_light_is_kept_then() -> None:
    def dusk(time_s: float) -> float:
        if time_s >= 10.0 and Automatic.EXPOSURE in webcam.held[-1]:
            return 0.5
        return 1.0

    webcam = Webcam()
    played(webcam, dusk, 60.0)
    assert webcam.held == [ALL, FOCUS, ALL, *LETS_GO]


def test_a_lamp_switched_just_after_a_camera_was_held_is_no_jump() -> None:
    webcam = Webcam()
    played(webcam, lambda time_s: 0.5 if time_s > 2.0 and len(webcam.held) == 1 else 1.0)
    assert webcam.held == [ALL, FOCUS, ALL]


@pytest.mark.parametrize("follow_light", [True, False])
@pytest.mark.parametrize("found", [True, False])
def test_a_camera_in_whose_held_pictures_nothing_is_told_is_left_alone(found: bool, follow_light: bool) -> None:
    """Its exposure jumps so far that all of it is taken for hands, or no table is found."""
    webcam = Webcam()
    keeper = ExposureKeeper(webcam, None, follow_light=follow_light)  # type: ignore[arg-type]
    since_s = 0.0
    for number in range(200):
        webcam.now_s = 0.5 * number
        if webcam.held and Automatic.EXPOSURE in webcam.held[-1]:
            since_s = webcam.now_s
            if found:
                keeper.after(replace(scene(webcam.now_s, 255.0, 0.0), paper=()))
            else:
                keeper.unreadable(np.zeros((90, 160, 3), np.uint8), webcam.now_s)
        else:
            keeper.after(scene(webcam.now_s, 200.0, webcam.now_s - since_s))
    if found:
        assert webcam.held == [ALL, *LETS_GO]
    else:
        assert webcam.held == [ALL, frozenset()] * MOST_JUMPS


def test_a_lamp_is_noticed_where_one_colour_was_cut_off_before() -> None:
    """As by a webcam that exposes for the whole of a table with much red on it. What is a little darker or brighter
    than that is no lamp."""
    webcam = Webcam()
    keeper = ExposureKeeper(webcam, None)  # type: ignore[arg-type]
    for number in range(90):
        webcam.now_s = 0.5 * number
        lit = number >= 60 and len(webcam.held) == 1
        level = (254.0, 253.0, 252.0) if lit else (255.0, 253.0 - number % 5, 240.0 - number % 5)
        keeper.after(replace(scene(webcam.now_s, 200.0, webcam.now_s), paper=(level,) * 4))
    assert webcam.held == [ALL, FOCUS, ALL]
    assert webcam.asked[1][0] == pytest.approx(30.0 + LASTS_S)


@pytest.mark.parametrize(
    ("darkest", "at_s"), [(255.0, 5.0 + LASTS_S), (180.0, 4.5 + UNRESTED_S + 0.5)], ids=["lamp", "a hand there"]
)
def test_a_lamp_that_cuts_all_paper_off_is_followed_at_once_though_it_looks_like_hands(
    darkest: float, at_s: float
) -> None:
    webcam = Webcam()
    keeper = ExposureKeeper(webcam, None)  # type: ignore[arg-type]
    for number in range(60):
        webcam.now_s = 0.5 * number
        lit = number >= 10 and len(webcam.held) == 1
        levels = (255.0, 255.0, 255.0, darkest) if lit else (200.0,) * 4
        paper = tuple((level,) * 3 for level in levels)
        keeper.after(replace(scene(webcam.now_s, 200.0, 0.0 if lit else webcam.now_s), paper=paper))
    assert webcam.held == [ALL, FOCUS, ALL]
    assert webcam.asked[1][0] == pytest.approx(at_s)


def test_a_camera_that_can_be_adjusted_is_while_such_a_lamp_looks_like_hands() -> None:
    camera = Noted()
    keeper = keeper_of(camera)
    for number in range(10):
        keeper.after(scene(number * 0.5, 210.0))
    hand = tuple((level,) * 3 for level in (255.0, 255.0, 255.0, 180.0))
    for number in range(10, 20):
        keeper.after(replace(scene(number * 0.5, 255.0, at_rest_s=0.0), paper=hand))
    assert not camera.asked
    for number in range(20, 25):
        keeper.after(scene(number * 0.5, 255.0, at_rest_s=0.0))
    assert camera.asked


@pytest.mark.parametrize("follow_light", [True, False])
def test_a_lamp_that_is_taken_for_hands_is_followed(follow_light: bool) -> None:
    webcam = Webcam()
    keeper = ExposureKeeper(webcam, None, follow_light=follow_light)  # type: ignore[arg-type]
    for number in range(60):
        webcam.now_s = 0.5 * number
        if number < 10 or len(webcam.held) > 1:
            keeper.after(scene(webcam.now_s, 200.0, webcam.now_s if number < 10 else webcam.now_s - 15.0))
        else:
            keeper.after(replace(scene(webcam.now_s, 255.0, 0.0), paper=()))
    assert webcam.held == ([ALL, FOCUS, ALL] if follow_light else [ALL])
    assert not follow_light or webcam.asked[1][0] == pytest.approx(4.5 + UNRESTED_S + 0.5)


def held_while_a_sheet_comes(level: float, sheet: float, *, after: int, pictures: int) -> list[frozenset[Automatic]]:
    """What was held, one after the other, while markers are so bright and a sheet is, after so many pictures."""
    webcam = Webcam()
    keeper = ExposureKeeper(webcam, None)  # type: ignore[arg-type]
    for number in range(pictures):
        paper = ((level,) * 3,) * 4 + (((sheet,) * 3,) * 8 if number > after else ())
        webcam.now_s = 0.5 * number
        keeper.after(replace(scene(webcam.now_s, level, webcam.now_s), paper=paper))
    return webcam.held


def test_a_camera_held_before_a_bare_table_exposes_anew_for_sheets_that_are_cut_off() -> None:
    """Once: one that exposes for the whole picture may do no better."""
    assert held_while_a_sheet_comes(240.0, 254.0, after=8, pictures=60) == [ALL, FOCUS, ALL]


@pytest.mark.parametrize(
    ("darkest", "held"),
    [(224.0, [ALL, FOCUS, ALL]), (250.0, [ALL])],
    ids=["as a lamp is new", "as it is from the start"],
)
def test_a_lamp_is_noticed_where_most_paper_was_about_to_be_cut_off(
    darkest: float, held: list[frozenset[Automatic]]
) -> None:
    """Paper in four places is little brighter than when the camera was held, but cut off in all of them."""
    webcam = Webcam()
    keeper = ExposureKeeper(webcam, None)  # type: ignore[arg-type]
    for number in range(60):
        webcam.now_s = 0.5 * number
        lit = number > 20 and webcam.held[-1] == ALL and len(webcam.held) == 1
        levels = (255.0, 250.0, 250.0, 250.0) if lit else (252.0, 249.0, 249.0, darkest)
        paper = tuple((level,) * 3 for level in levels)
        keeper.after(replace(scene(webcam.now_s, 250.0, webcam.now_s), paper=paper))
    assert webcam.held == held


SHARP, SOFT = 0.8 * FOCUS_WIDTHS, 1.2 * FOCUS_WIDTHS
LIGHT = ALL - FOCUS


@pytest.mark.parametrize(
    ("blur", "asked"),
    [
        (lambda held, time_s: SHARP if time_s < 10.0 or len(held) > 1 else SOFT, [ALL, LIGHT, ALL]),
        (lambda held, time_s: SOFT if len(held) < 2 else SHARP, [ALL, LIGHT, ALL]),
        (lambda held, time_s: SOFT, [ALL, LIGHT, ALL]),
        (lambda held, time_s: SOFT if time_s < 20.0 else 1.3 * SOFT, [ALL, LIGHT, ALL, LIGHT, ALL]),
        (lambda held, time_s: SHARP / 2 if time_s < 10.0 else SHARP, [ALL]),
        (lambda held, time_s: SOFT if time_s % 5.0 > 4.0 else SHARP, [ALL]),
        (lambda held, time_s: SOFT if held and held[-1] == ALL else SHARP, [ALL, LIGHT] * MOST_JUMPS),
    ],
    ids=["knocked", "at first", "for ever", "worse", "less sharp", "for a moment", "when held"],
)  # fmt: skip
def test_a_camera_out_of_focus_focuses_anew_where_that_helps(
    blur: Callable[[list[frozenset[Automatic]], float], float], asked: list[frozenset[Automatic]]
) -> None:
    webcam = Webcam()
    keeper = ExposureKeeper(webcam, None)  # type: ignore[arg-type]
    for number in range(80):
        now_s = webcam.now_s = 0.5 * number
        keeper.after(replace(scene(now_s, 200.0, now_s), blur_widths=blur(webcam.held, now_s)))
    assert webcam.held == asked


def test_a_picture_out_of_focus_is_told_by_its_markers() -> None:
    room = Room()
    (sharp, *_) = room.watch(0.2)
    assert sharp.blur_widths is not None
    assert sharp.blur_widths < FOCUS_WIDTHS
    image = room.camera.read(1.0).image
    markers = list(find_mat(image).markers_px.values())
    covered = image.copy()
    (left, top), (right, bottom) = (np.rint(edge(markers[0], axis=0)).astype(int) for edge in (np.min, np.max))
    covered[top - 8 : bottom + 8, left - 8 : right + 8] = np.linspace(40, 90, right - left + 16)[None, :, None]
    assert blur_widths(covered, markers) == pytest.approx(sharp.blur_widths, rel=0.2)
    soft = np.asarray(cv2.GaussianBlur(image, (0, 0), 1.2), np.uint8)
    assert blur_widths(soft, markers) > FOCUS_WIDTHS


def test_a_sheet_that_comes_into_view_is_no_jump() -> None:
    assert held_while_a_sheet_comes(200.0, 240.0, after=3, pictures=12) == [ALL]


def test_all_automatics_run_again_where_the_table_is_not_found() -> None:
    webcam = Webcam()
    keeper = ExposureKeeper(webcam, None)  # type: ignore[arg-type]
    for number in range(8):
        keeper.after(scene(0.5 * number, 200.0, 0.5 * number))
    grey = np.full((90, 160, 3), 128, np.uint8)
    for number in range(8, 20):
        keeper.unreadable(grey, 0.5 * number)
    assert webcam.held == [ALL, frozenset()]
    for number in range(20, 30):
        keeper.after(scene(0.5 * number, 200.0, 0.5 * (number - 19)))
    assert webcam.held == [ALL, frozenset(), ALL]
