"""Colours as a picture shows them: the mixture of channels is found from the pieces, and taken onto the faces."""

import numpy as np
import pytest

from tests.vision.drawn_cards import TABLE, enrolled
from tests.vision.drawn_table import photograph
from vision.checking import check
from vision.faces import FacePack
from vision.features import LOG_FLOOR, light_gain, soften
from vision.frame import Image
from vision.reading import Reading
from vision.rectify import table_map
from vision.registration import find_mat
from vision.scene import PieceKind
from vision.tone import Tone, in_tone, tone_of
from vision.verify import Look, prepare

MIX = np.array([[0.7, 0.2, 0.1], [0.05, 0.9, 0.05], [0.0, 0.1, 0.9]])


@pytest.fixture(scope="module")
def pack() -> FacePack:
    return enrolled()


def test_the_plain_tone_changes_nothing(pack: FacePack) -> None:
    faces = pack.kinds[PieceKind.SLICE_CARD]
    same = in_tone(faces, Tone(np.eye(3), np.zeros(3)))
    assert np.abs(same.colours - faces.colours).max() < 0.01
    assert np.abs(same.slopes - faces.slopes).max() < 0.01


def test_faces_take_on_a_mixture(pack: FacePack) -> None:
    faces = pack.kinds[PieceKind.SLICE_CARD]
    levels = np.exp(in_tone(faces, Tone(MIX, np.full(3, 5.0))).colours) - LOG_FLOOR
    plain = np.exp(faces.colours) - LOG_FLOOR
    assert levels == pytest.approx(np.clip(plain @ MIX.T + 5.0, 0, 255), abs=0.1)


def look_at(image: Image) -> Look:
    registration = find_mat(image)
    table = table_map(registration)
    looked = table.look(image)
    return Look(soften(looked), table, light_gain(looked, table, registration.markers_px))


def test_nothing_read_shows_no_tone() -> None:
    tone = tone_of(look_at(photograph([])), [], {})
    assert np.array_equal(tone.mix, np.eye(3))
    assert not tone.lift.any()


def test_pieces_show_how_a_camera_mixes_channels(pack: FacePack) -> None:
    look = look_at(np.asarray(np.clip(photograph(TABLE) @ MIX.T, 0, 255), np.uint8))
    kinds = {kind: prepare(faces) for kind, faces in pack.kinds.items()}
    readings: list[Reading] = []
    for kind, prepared in kinds.items():
        mine = [p for p in TABLE if p.face in prepared.faces.names]
        poses = np.array([[p.x_mm, p.y_mm, p.angle_deg] for p in mine])
        hints = np.array([prepared.faces.names.index(p.face) for p in mine])
        readings += check(look, kind, prepared, poses, hints)
    found = tone_of(look, readings, kinds).mix
    assert found == pytest.approx(MIX, abs=0.15)
    assert np.abs(found - MIX).max() < np.abs(np.eye(3) - MIX).max()
