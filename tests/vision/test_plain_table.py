"""Whether what is around something looks as the rest of the table does."""

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.frame import Image
from vision.hiding.plain_table import colours_of, share_of_rare

OAK, SKIN = (72.0, 120.0, 170.0), (120.0, 150.0, 205.0)
RED, WHITE = (60.0, 50.0, 180.0), (215.0, 225.0, 230.0)
HIGH, WIDE = 90, 160


def table(first: tuple[float, ...], second: tuple[float, ...] | None = None) -> Image:
    """A table in one colour, or chequered, darker to one side, with noise."""
    rows, columns = np.mgrid[0:HIGH, 0:WIDE]
    other = ((rows // 10 + columns // 10) % 2)[..., None] * float(second is not None)
    plain = np.array(first) * (1 - other) + np.array(second or first) * other
    lit = plain * (1.0 - 0.15 * columns[..., None] / WIDE)
    return np.asarray(np.clip(lit + np.random.default_rng(4).normal(0, 3, lit.shape), 0, 255), np.uint8)


def parts() -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """The rest of the table, and what is around something in its middle."""
    rows, columns = np.mgrid[0:HIGH, 0:WIDE]
    far = np.hypot(rows - 45, columns - 80)
    return far > 30, (far < 9) & (far > 4)


@pytest.mark.parametrize("picture", [table(OAK), table(RED, WHITE)])
def test_the_bare_table_looks_as_the_rest_of_it(picture: Image) -> None:
    share = share_of_rare(colours_of(picture), *parts())
    assert share is not None
    assert share < 0.2


def test_a_hand_on_wood_does_not_though_an_arm_lies_there_too() -> None:
    picture = table(OAK)
    rows, columns = np.mgrid[0:HIGH, 0:WIDE]
    picture[(np.hypot(rows - 45, columns - 80) < 12) | ((np.abs(columns - 80) < 3) & (rows < 45))] = SKIN
    share = share_of_rare(colours_of(picture), *parts())
    assert share is not None
    assert share > 0.9


def test_of_little_nothing_is_told() -> None:
    colours, (rest, around) = colours_of(table(OAK)), parts()
    assert share_of_rare(colours, rest & (np.arange(WIDE) < 3), around) is None
    assert share_of_rare(colours, rest, around & (np.arange(WIDE) == 80)) is None
