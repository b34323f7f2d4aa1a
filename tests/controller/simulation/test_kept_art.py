"""Art kept in a file is the art that was drawn, whatever happens to the file."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from controller.simulation.copy import own_art
from controller.simulation.kept_art import KeptArt
from hardware.simulated.artwork import Artwork, Drawings

FACES = ("back", "11/11", "special/dibs")


class Counted(dict[str, Artwork]):
    """Counts how often it is asked."""

    asked = 0

    def __getitem__(self, face: str) -> Artwork:
        self.asked += 1
        return super().__getitem__(face)


@pytest.fixture(scope="module")
def drawn() -> Mapping[str, Artwork]:
    art = own_art("new_york_slice")
    return {face: art[face] for face in FACES}


def test_what_was_kept_is_read_and_not_drawn(tmp_path: Path, drawn: Mapping[str, Artwork]) -> None:
    KeptArt(drawn, tmp_path / "art").keep()
    counted = Counted(drawn)
    kept = KeptArt(counted, tmp_path / "art")
    assert list(kept) == list(FACES)
    for face in FACES:
        assert np.array_equal(kept[face].image, drawn[face].image)
        assert (kept[face].px_per_mm, kept[face].anchor_px) == (drawn[face].px_per_mm, drawn[face].anchor_px)
    assert all(face in kept for face in FACES)
    assert counted.asked == 0


def test_whether_there_is_a_face_is_told_without_drawing_it() -> None:
    drawings = Drawings({"back": lambda: pytest.fail("drawn")})
    assert "back" in drawings
    assert "front" not in drawings


@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[:1000], lambda data: b"x" * len(data), None])
def test_what_cannot_be_read_is_drawn(tmp_path: Path, drawn: Mapping[str, Artwork], damage: object) -> None:
    path = tmp_path / "art"
    KeptArt(drawn, path).keep()
    path.write_bytes(damage(path.read_bytes())) if callable(damage) else path.unlink()
    kept = KeptArt(drawn, path)
    assert all(np.array_equal(kept[face].image, drawn[face].image) for face in FACES)


def test_one_damaged_face_is_drawn(tmp_path: Path, drawn: Mapping[str, Artwork]) -> None:
    path = tmp_path / "art"
    KeptArt(drawn, path).keep()
    content = bytearray(path.read_bytes())
    content[20_000:20_100] = bytes(100 * [77])
    path.write_bytes(content)
    kept = KeptArt(drawn, path)
    assert all(np.array_equal(kept[face].image, drawn[face].image) for face in FACES)
