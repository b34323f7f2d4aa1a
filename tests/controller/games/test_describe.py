"""Every game can be given to `pizzatable read`: what it looks for, what it says of an empty table, what is enrolled."""

import json

import pytest

from controller.games.registry import game_names, load_part
from controller.whose_faces import faces_of
from vision.scene import PieceKind, Scene

EMPTY = Scene(0.0, 0, (), (), 0.0)


@pytest.mark.parametrize("name", game_names())
def test_every_game_says_what_it_looks_for_and_describes_an_empty_table(name: str) -> None:
    part = load_part(name, "describe")
    assert part.KINDS
    assert all(isinstance(kind, PieceKind) for kind in part.KINDS)
    assert json.loads(json.dumps(part.describe(EMPTY))) == part.describe(EMPTY)


@pytest.mark.parametrize(("name", "count"), [("new_york_slice", 69 + 14 + 2), ("pizzeria", 69 + 12 + 2)])
def test_faces_to_enrol_are_all_different(name: str, count: int) -> None:
    faces = load_part(name, "describe").faces()
    assert len(faces) == len(set(faces)) == count


@pytest.mark.parametrize("name", game_names())
def test_an_owner_is_told_what_each_face_shows(name: str) -> None:
    faces = faces_of(name)
    assert set(faces.looks) == set(faces.faces)
    assert all(faces.looks.values())
