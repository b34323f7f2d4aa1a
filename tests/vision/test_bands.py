"""Stripes of lamps that flicker: taken off a picture, and nothing else is."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.long import cases
from tests.vision.altered import flickering
from tests.vision.drawn_table import View, enrolled, photograph, taken
from tests.vision.test_reader import TABLE, assert_shows
from vision.following.settling import Motion
from vision.frame import Frame, Image
from vision.light.bands import Bands, Even
from vision.motion import Small, beyond_noise, differences, middle_of, shrink
from vision.reader import Reader

HAND = np.array([[150.0, -300.0], [150.0, -90.0], [105.0, -90.0], [105.0, -300.0]])
ARM = np.array([[-600.0, -40.0], [60.0, -40.0], [60.0, 60.0], [-600.0, 60.0]])
"""Over more than half of the picture's width."""
FRAME_S = 1 / 15


def view(seed: int, light: float = 0.85) -> View:
    """Paper is not cut off then where stripes are brightest."""
    return View(seed=seed, light=(light, light, light))


def seen(seed: int, hand: np.ndarray | None = None, light: float = 0.85) -> Image:
    return photograph(TABLE, view(seed, light), hand=hand)


def even_of(picture: Image, known: Small, bands: Bands | None = None) -> Even | None:
    small = shrink(picture)
    return (bands or Bands()).taken_off(picture, small, known, differences(small, known))


def off(small: Small, known: Small) -> float:
    return middle_of(differences(small, known))


@cases("share", [0.03, 0.1, 0.2], always=1)
@cases("number", [1.2, 3.3, 6.8], always=1)
@pytest.mark.parametrize("hand", [None, HAND, ARM], ids=["no hand", "a hand", "an arm along the rows"])
def test_stripes_are_taken_off_what_is_compared(share: float, number: float, hand: np.ndarray | None) -> None:
    known = shrink(flickering(seen(1), share, number, 0.1))
    steady, lit = shrink(seen(2, hand)), flickering(seen(2, hand), share, number, 0.45)
    even = even_of(lit, known)
    assert even is not None
    noise = off(steady, shrink(seen(1)))
    assert off(shrink(lit), known) > 2.0 * noise
    assert middle_of(even.apart) < 1.5 * noise
    changed = np.count_nonzero(beyond_noise(differences(steady, shrink(seen(1)))))
    assert np.count_nonzero(beyond_noise(even.apart)) == pytest.approx(changed, abs=0.02 * changed + 8)


@pytest.mark.parametrize(
    ("share", "hand", "light"),
    [(0.0, None, 0.85), (0.0, HAND, 0.85), (0.0, ARM, 0.85), (0.0, None, 0.7), (0.003, None, 0.85)],
)
def test_nothing_is_taken_off_in_steady_light(share: float, hand: np.ndarray | None, light: float) -> None:
    assert even_of(flickering(seen(2, hand, light), share, 3.3, 0.45), shrink(seen(1))) is None


def test_a_large_thing_that_is_laid_there_is_no_stripe() -> None:
    known, covered = shrink(seen(1)), seen(2)
    cv2.rectangle(covered, (0, 240), (1279, 420), (60, 70, 190), cv2.FILLED)
    assert even_of(covered, known) is None


@pytest.mark.long
def test_what_is_cut_off_here_and_there_is_no_change() -> None:
    """As the red of warm wood is, in part: that does not go on and off with the stripes."""
    bright = [photograph(TABLE, View(seed=seed, light=(0.85, 0.95, 1.25))) for seed in range(6)]
    assert 0.02 < (shrink((bright[0] > 250).astype(np.uint8)) > 0.02).mean() < 0.6
    known, bands, before = shrink(flickering(bright[0], 0.1, 3.3, 0.1)), Bands(), None
    for number in range(1, 20):
        even = even_of(flickering(bright[number % 6], 0.1, 3.3, 0.1 + 0.37 * number), known, bands)
        assert even is not None
        if before is not None and number > 6:
            assert np.count_nonzero(beyond_noise(differences(even.small, before))) < 6
        known, before = even.followed(known), even.small


def test_what_changes_a_little_where_much_is_cut_off_is_noticed_soon() -> None:
    """As something grey that is laid on white paper in too much light."""
    bright = [
        np.asarray(cv2.rectangle(seen(seed), (560, 300), (680, 420), (249, 249, 249), cv2.FILLED), np.uint8)
        for seed in range(6)
    ]
    marked = [
        np.asarray(cv2.rectangle(one.copy(), (590, 330), (650, 390), (225, 225, 225), cv2.FILLED), np.uint8)
        for one in bright
    ]
    known, bands, noticed = shrink(flickering(bright[0], 0.1, 3.3, 0.1)), Bands(), []
    for number in range(1, 30):
        picture = (marked if number > 12 else bright)[number % 6]
        even = even_of(flickering(picture, 0.1, 3.3, 0.1 + 0.35 * number), known, bands)
        if number % 20 == 0:
            continue  # its stripes are where they were in what is known
        assert even is not None
        noticed.append(np.count_nonzero(beyond_noise(even.apart)[60:75, 108:124]))
    assert min(noticed[20:]) > 100


def test_something_white_that_is_laid_there_is_a_change() -> None:
    covered = seen(2)
    cv2.rectangle(covered, (300, 300), (380, 360), (255, 255, 255), cv2.FILLED)
    even = even_of(flickering(covered, 0.1, 3.3, 0.45), shrink(flickering(seen(1), 0.1, 3.3, 0.1)))
    assert even is not None
    assert np.count_nonzero(beyond_noise(even.apart)) > 100


def on_white_cloth(seed: int) -> Image:
    """A table of which the larger part is white, too bright for the camera but for the cloth's threads."""
    cloth = view(seed)
    laid = photograph(TABLE, replace(cloth, noise=0.0, light=(0.7, 0.7, 0.7)))
    laid[:, :900] = 255
    laid[:, 3:900:9] = 210
    return taken(laid, replace(cloth, light=(1.2, 1.2, 1.2), noise=4.0))


def test_nothing_moves_while_lamps_flicker_over_a_table_most_of_which_is_too_bright() -> None:
    """What is cut off is compared as it looked lately, which shows next to no noise; the rest of the table does."""
    pictures = [on_white_cloth(seed) for seed in range(6)]
    known, bands, motion = shrink(flickering(pictures[0], 0.1, 3.3, 0.1)), Bands(), None
    for number in range(1, 20):
        even = even_of(flickering(pictures[number % 6], 0.1, 3.3, 0.1 + 0.37 * number), known, bands)
        assert even is not None
        assert even.as_lately.mean() > 0.4
        known = even.followed(known)
        if motion is None:
            motion = Motion(even.small, number * FRAME_S)
        else:
            assert not motion.follow(even.small, number * FRAME_S, quieter=even.as_lately).any()


def test_how_it_looked_lately_is_forgotten_when_stripes_have_not_been_seen_for_a_while() -> None:
    bright = photograph(TABLE, View(seed=1, light=(0.85, 0.95, 1.25)))
    laid = bright.copy()
    laid[100:600, 100:400] //= np.uint8(4)
    laid[100:600, 100:400] *= np.uint8(3)
    laid[100:600:12, 100:400] = 255
    known, bands = shrink(bright), Bands()
    for number in range(10):
        assert even_of(flickering(bright, 0.19, 3.3, 0.1 + 0.37 * number), known, bands) is not None
    for _ in range(10):
        assert even_of(laid, shrink(laid), bands) is None
    even = even_of(flickering(laid, 0.1, 3.3, 0.45), shrink(laid), bands)
    assert even is not None
    shown = np.abs(even.small - shrink(laid))[25:110, 25:70].max(2)
    assert float(np.quantile(shown, 0.9)) < 5.0


@pytest.mark.long
def test_what_is_known_loses_its_own_stripes() -> None:
    """However long stripes wander."""
    rng, steady = np.random.default_rng(5), shrink(seen(1))
    known = shrink(flickering(seen(1), 0.15, 2.7, 0.0))
    pictures = [seen(number) for number in range(2, 8)]
    worst = []
    for number in range(150):
        even = even_of(flickering(pictures[number % 6], 0.15, 2.7, rng.random()), known)
        known = known if even is None else even.followed(known)
        worst.append(float(np.abs(known - steady).mean(1).max()))
    assert worst[0] > 6.0
    assert max(worst[100:]) < 3.0


def test_a_frame_loses_the_stripes_that_its_small_picture_lost() -> None:
    known = shrink(seen(1))
    lit = flickering(seen(2), 0.1, 3.3, 0.45)
    even = even_of(lit, known)
    assert even is not None
    frame = even.of(Frame(lit, 1.0, 7))
    assert (frame.time_s, frame.sequence) == (1.0, 7)
    open_ones = (seen(2) < 230).all(2)
    assert float(np.abs(frame.image.astype(float) - seen(2))[open_ones].mean()) < 0.8
    assert float(np.abs(lit.astype(float) - seen(2))[open_ones].mean()) > 2.5


@pytest.mark.long
def test_a_piece_that_was_moved_is_noticed_at_once_while_lamps_flicker() -> None:
    reader, rng = Reader(enrolled()), np.random.default_rng(2)
    moved = (*TABLE[:2], replace(TABLE[2], x_mm=-150.0, y_mm=60.0), *TABLE[3:])
    scenes = []
    for number in range(24):
        picture = photograph(TABLE if number < 12 else moved, view(number))
        scenes.append(reader.read(Frame(flickering(picture, 0.15, 2.1, rng.random()), number * FRAME_S, number)))
    assert_shows(scenes[11], TABLE)
    assert_shows(scenes[16], moved)
    assert scenes[11].at_rest_s == pytest.approx(11 * FRAME_S)
    assert scenes[23].at_rest_s == pytest.approx(11 * FRAME_S)
    assert not scenes[23].hidden
