"""What is around a die is seen from near and from far, so that a whole hand tells itself from grain and shadows."""

import numpy as np
import pytest

from tests.vision.drawn_dice import Die, TableView, die_style, photograph_dice
from tests.vision.drawn_hands import at_fingertip, lay_hand, some_hand
from tests.vision.drawn_lamps import Lamp, Lights, glowing, light_table
from tests.vision.drawn_table import View, photograph
from vision.dice.holding import CHANNELS, PX, WIDE_MM, load_hands_around, shown
from vision.hiding.hidden import ASKED, IN_HAND
from vision.mat.lens import Lens
from vision.mat.registration import Registration, find_mat
from vision.scene import FaceLikelihood, PieceKind, Pose, Sighting

OWN, OTHERS = 3, 4


def die_at(x: float, y: float, side: float = 20.0) -> Sighting:
    half = side / 2
    outline = tuple((x + a * half, y + b * half) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
    return Sighting(PieceKind.DIE, Pose(x, y, 0.0), (FaceLikelihood("5", 0.99),), True, 1.0, outline)


def from_above(wide_mm: int) -> Registration:
    """A square of a table seen from 750 mm above its middle, a millimetre to the pixel."""
    middle = (wide_mm - 1) / 2
    to_plane = np.array([[1.0, 0.0, middle], [0.0, -1.0, middle], [0.0, 0.0, 1.0]])
    camera = np.array([[750.0, 0.0, middle], [0.0, 750.0, middle], [0.0, 0.0, 1.0]])
    return Registration(to_plane, camera, Lens(750.0 / wide_mm), (0.0, 0.0, 750.0), {}, 0.0, (wide_mm, wide_mm))


def test_a_die_is_shown_with_the_others_around_it_from_near_and_from_far() -> None:
    picture = photograph([], View())
    registration = find_mat(picture)
    dice = [die_at(0.0, 0.0), die_at(-30.0, 0.0), die_at(0.0, 120.0)]
    looks = shown(picture, registration, dice)
    assert looks.shape == (3, 2 * CHANNELS, PX, PX)
    near, wide = looks[0, :CHANNELS], looks[0, CHANNELS:]
    half = PX // 2
    for look in (near, wide):
        assert look[OWN, half, half] > 0.9
        assert look[OTHERS, half, half] == 0.0
    assert near[OTHERS].any()
    assert not near[OTHERS, :, half:].any()
    assert wide[OTHERS, : half - 10].any()
    row = np.argwhere(wide[OTHERS, : half - 10].any(1)).mean()
    assert row == pytest.approx(half - 120.0 * PX / WIDE_MM, abs=2.5)
    alone = shown(picture, registration, dice[:1])[0]
    assert np.array_equal(alone[:3], near[:3])
    assert not alone[[OTHERS, CHANNELS + OTHERS]].any()


def test_beyond_the_pictures_edge_nothing_is_shown() -> None:
    picture = photograph([], View())
    registration = find_mat(picture)
    left = registration.to_table(np.array([[40.0, picture.shape[0] / 2]]))[0]
    wide = shown(picture, registration, [die_at(float(left[0]), float(left[1]))])[0, CHANNELS : CHANNELS + 3]
    sides = [part for part in (wide[:, :, :8], wide[:, :, -8:], wide[:, :8], wide[:, -8:]) if np.ptp(part) == 0.0]
    assert len(sides) == 1
    assert sides[0].ravel()[0] == pytest.approx(0.0, abs=0.01)


def test_shadows_of_two_colours_are_no_hand_and_a_hand_in_such_light_is_one() -> None:
    """A warm and a cold lamp: beside a white die on pale paper one shadow is blue, and one looks like flesh."""
    rng = np.random.default_rng(2)
    registration, places = from_above(560), [(0.0, 0.0), (-190.0, 160.0), (190.0, 170.0), (-180.0, -180.0)]
    picture = np.full((560, 560, 3), 215.0)
    white = dict.fromkeys(("body", "second"), np.full(3, 235.0)) | {"pips": np.full(3, 25.0), "what": "dots"}
    style = die_style(rng) | white | {"solid": False}
    dice = [Die(x, y, 22.0, 20.0 + x, 3, style) for x, y in places]
    hand = some_hand(rng)
    _, covered = lay_hand(rng, picture, hand, np.eye(2), at_fingertip(rng, hand))
    lamps = (
        Lamp(np.array([1.1, -0.4]), 0.08, 1.4 * glowing(2700.0)),
        Lamp(np.array([-0.6, 0.9]), 0.06, glowing(6500.0)),
    )
    light_table(rng, picture, Lights(lamps, np.full(3, 0.2)), dice, TableView(registration), covered)
    table = np.clip(picture, 0, 255).astype(np.uint8)
    seen, _ = photograph_dice(rng, table, dice, TableView(registration), shaded=True)
    held, *free = load_hands_around().likelihoods(seen, registration, [die_at(x, y, 22.0) for x, y in places])
    assert held > IN_HAND
    assert max(free) < ASKED
