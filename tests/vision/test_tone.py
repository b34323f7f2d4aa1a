"""Colours as a picture shows them: the mixture of channels is found from the pieces, and taken onto the faces."""

from dataclasses import replace

import numpy as np
import pytest

from tests.long import cases
from tests.vision.altered import as_a_phone_shows_it, lit
from tests.vision.drawn_cards import TABLE, enrolled
from tests.vision.drawn_table import photograph
from vision.frame import Image
from vision.mat.rectify import table_map
from vision.mat.registration import find_mat
from vision.pieces.checking import check
from vision.pieces.faces import FacePack
from vision.pieces.features import LOG_FLOOR, light_gain, soften
from vision.pieces.prepared import prepare
from vision.pieces.reading import Reading
from vision.pieces.tone import Tone, in_tone, tone_of
from vision.pieces.verify import Look
from vision.scene import PieceKind

MIX = np.array([[0.7, 0.2, 0.1], [0.05, 0.9, 0.05], [0.0, 0.1, 0.9]])


@pytest.fixture(scope="module")
def pack() -> FacePack:
    return enrolled()


def test_the_plain_tone_changes_nothing(pack: FacePack) -> None:
    faces = pack.kinds[PieceKind.SLICE_CARD]
    same = in_tone(faces, Tone(np.eye(3)))
    assert np.abs(same.colours - faces.colours).max() < 0.01
    assert np.abs(same.slopes - faces.slopes).max() < 0.01


def test_faces_take_on_a_mixture(pack: FacePack) -> None:
    faces = pack.kinds[PieceKind.SLICE_CARD]
    levels = np.exp(in_tone(faces, Tone(MIX, 5.0)).colours) - LOG_FLOOR
    plain = np.exp(faces.colours) - LOG_FLOOR
    assert levels == pytest.approx(np.clip(plain @ MIX.T + 5.0, 0, 255), abs=0.1)


def look_at(image: Image) -> Look:
    registration = find_mat(image)
    table = table_map(registration)
    looked = table.look(image)
    return Look(soften(looked), table, light_gain(looked, table, registration.markers_mm))


def test_nothing_read_shows_no_tone() -> None:
    tone = tone_of(look_at(photograph([])), [], {})
    assert np.array_equal(tone.mix, np.eye(3))
    assert tone.is_plain


def lying(look: Look, pack: FacePack) -> list[Reading]:
    """The table's pieces, where they lie."""
    readings: list[Reading] = []
    for kind, faces in pack.kinds.items():
        mine = [p for p in TABLE if p.face in faces.names]
        poses = np.array([[p.x_mm, p.y_mm, p.angle_deg] for p in mine])
        hints = np.array([faces.names.index(p.face) for p in mine])
        readings += check(look, kind, prepare(faces), poses, hints)
    return readings


def told(image: Image, pack: FacePack) -> Tone:
    look = look_at(image)
    return tone_of(look, lying(look, pack), {kind: prepare(faces) for kind, faces in pack.kinds.items()})


def test_pieces_show_how_a_camera_mixes_channels(pack: FacePack) -> None:
    found = told(np.asarray(np.clip(photograph(TABLE) @ MIX.T, 0, 255), np.uint8), pack).mix
    assert found == pytest.approx(MIX, abs=0.15)
    assert np.abs(found - MIX).max() < np.abs(np.eye(3) - MIX).max()


@pytest.mark.parametrize(("contrast", "black"), [(1.35, -18.0), (0.75, 55.0)])
def test_contrast_is_told_from_light(pack: FacePack, contrast: float, black: float) -> None:
    """It makes black darker or paler; brightness would leave it as it is."""
    tone = told(as_a_phone_shows_it(photograph(TABLE), 1.0, contrast), pack)
    dark = tone.light * tone.shown(np.full(3, 20.0))
    assert dark == pytest.approx(np.full(3, max(black, 0.0)), abs=8.0)
    assert tone.mix == pytest.approx(np.eye(3), abs=0.12)


@cases("alter", ["contrast", "saturation", "gamma"], always=1)
def test_pieces_cost_less_in_the_tone_that_they_show(pack: FacePack, alter: str) -> None:
    plain = photograph(TABLE)
    altered = {
        "contrast": as_a_phone_shows_it(plain, 1.0, 1.35),
        "saturation": as_a_phone_shows_it(plain, 1.6, 1.0),
        "gamma": np.asarray(255.0 * (plain / 255.0) ** 1.5, np.uint8),
    }[alter]
    tone = told(altered, pack)
    look = look_at(altered)
    other = replace(pack, kinds={kind: in_tone(faces, tone) for kind, faces in pack.kinds.items()})
    before, after = (np.mean([reading.cost for reading in lying(look, faces)]) for faces in (pack, other))
    assert after < 0.7 * before
    assert len(lying(look, other)) == len(TABLE)


def test_a_tone_in_which_pieces_cost_no_less_is_not_taken(pack: FacePack) -> None:
    """A mirrored lamp adds light to one piece alone."""
    assert told(lit(photograph(TABLE), TABLE[0].x_mm, TABLE[0].y_mm, 60.0, 40.0), pack).is_plain


def test_levels_and_their_changes_belong_together() -> None:
    tone = Tone(MIX, -20.0, 0.3, 1.2)
    levels = np.array([[60.0, 120.0, 200.0], [30.0, 180.0, 90.0], [140.0, 140.0, 140.0]])
    change = np.array([[0.5, -0.2, 0.1]])
    by_levels = (tone.shown(levels + 0.01 * change) - tone.shown(levels)) / 0.01
    assert tone.change_shown(levels, change) == pytest.approx(by_levels, abs=0.01)
