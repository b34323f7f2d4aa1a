"""Pictures in shared memory."""

import numpy as np
import pytest

from hardware.pictures import SLOTS, PictureRing, PictureTooLarge
from vision.frame import Frame


def _frame(sequence: int, shape: tuple[int, int, int] = (4, 5, 3)) -> Frame:
    return Frame(np.full(shape, sequence, np.uint8), sequence / 10, sequence)


def test_the_last_pictures_can_be_read_elsewhere_and_older_ones_are_gone() -> None:
    with PictureRing(60) as mine, PictureRing(60, name=mine.name) as other:
        stored = [mine.write(_frame(sequence)) for sequence in range(1, SLOTS + 3)]
        assert [other.read(picture) is None for picture in stored] == [True, True] + [False] * SLOTS
        newest = other.read(stored[-1])
        assert newest is not None
        assert (newest.time_s, newest.sequence) == (0.6, 6)
        assert (newest.image == 6).all()
        mine.write(_frame(9))
        assert (newest.image == 6).all()


def test_smaller_pictures_fit_and_larger_ones_are_refused() -> None:
    with PictureRing(60) as ring:
        small = ring.read(ring.write(_frame(1, (2, 3, 3))))
        assert small is not None
        assert small.image.shape == (2, 3, 3)
        with pytest.raises(PictureTooLarge, match="a picture of 5 x 5 came, expected at most 20 pixels"):
            ring.write(_frame(1, (5, 5, 3)))


def test_closing_twice_is_fine_and_nothing_is_read_afterwards() -> None:
    ring = PictureRing(60)
    stored = ring.write(_frame(1))
    ring.close()
    ring.close()
    assert ring.read(stored) is None
