"""Backs of one colour or of a fine pattern lead no corner to them: they are read by where they end."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from hardware.simulated.surroundings import Conditions, Surface
from hardware.simulated.world import PieceView
from tests.benchmarks.copies_report import BACK, CARDS, shown, with_back
from tests.benchmarks.simulated_pieces import FAMILIES, as_card, enrolled, photograph, photographs, piece_view
from tests.long import cases
from vision.frame import Frame
from vision.pieces.faces import BACKS
from vision.pieces.features import LOG_FLOOR
from vision.pieces.prepared import prepare
from vision.reader import Reader, read_photo
from vision.scene import SURE, PieceKind, Pose, Scene

SIZE = (1280, 720)
LIGHT = Conditions(tilt_deg=2.0, surface=Surface.OAK)


def laid(backs: Sequence[Pose], faces: Sequence[tuple[str, Pose]] = ()) -> list[PieceView]:
    under = [piece_view(f"back:{i}", PieceKind.SLICE_CARD, BACK, pose) for i, pose in enumerate(backs)]
    return under + [piece_view(face, as_card(face)[0], face, pose) for face, pose in faces]


ALONE = [Pose(-260.0, 90.0, 20.0), Pose(60.0, -90.0, 100.0), Pose(300.0, 60.0, 305.0), Pose(-60.0, 60.0, 0.0)]
OTHERS = [("slice/onion", Pose(-300.0, -80.0, 60.0)), ("slice/combo", Pose(150.0, 90.0, 200.0))]


def backs_in(scene: Scene) -> list[Pose]:
    assert all(sighting.probability >= SURE for sighting in scene.sightings)
    return [sighting.pose for sighting in scene.sightings if sighting.face == BACK]


def lie_there(found: Sequence[Pose], there: Sequence[Pose]) -> bool:
    """Whether these are they, either way round."""
    off = np.array([[(a.x_mm - b.x_mm, a.y_mm - b.y_mm) for b in there] for a in found]).reshape(-1, len(there), 2)
    nearest = np.linalg.norm(off, axis=-1).argmin(1)
    turned = [(a.angle_deg - there[i].angle_deg + 90.0) % 180.0 - 90.0 for a, i in zip(found, nearest, strict=True)]
    return (
        sorted(nearest.tolist()) == list(range(len(there)))
        and float(np.linalg.norm(off, axis=-1).min(1).max()) < 3.0
        and float(np.abs(turned).max()) < 2.0
    )


@cases("pattern", ["plain", "dots", "stripes"], always=1)
def test_backs_that_show_nothing_from_afar_are_read(pattern: str) -> None:
    pack = shown(pattern)
    faces = pack.kinds[PieceKind.SLICE_CARD]
    assert [name for name, even in zip(faces.names, prepare(faces).even, strict=True) if even] == [BACK]
    image, _ = photograph(with_back(pattern), laid(ALONE, OTHERS), LIGHT, SIZE)
    scene = read_photo(image, pack)
    assert lie_there(backs_in(scene), ALONE)
    assert sorted(sighting.face for sighting in scene.sightings if sighting.face != BACK) == [
        "slice/combo",
        "slice/onion",
    ]


@pytest.mark.long
def test_a_card_of_another_colour_is_no_back() -> None:
    other = piece_view("other", PieceKind.SLICE_CARD, BACK, ALONE[0])
    image, _ = photograph(CARDS, [other, *laid([], OTHERS)], LIGHT, SIZE)
    assert not backs_in(read_photo(image, shown("plain")))


@pytest.mark.long
def test_a_gap_between_pieces_is_no_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of grey linen, between a Special and a slice, as wide as a slice."""
    tiles = enrolled(FAMILIES["tiles"])
    slices = tiles.kinds[PieceKind.SLICE]
    colours, back = slices.colours.copy(), slices.names.index(BACKS[PieceKind.SLICE])
    colours[back] = np.log(0.92 * 128.0 + LOG_FLOOR)
    kinds = {**tiles.kinds, PieceKind.SLICE: replace(slices, colours=colours)}
    image, _ = photographs(FAMILIES["tiles"], 743310)

    def backs() -> list[Pose]:
        scene = read_photo(image, replace(tiles, kinds=kinds))
        return [sighting.pose for sighting in scene.sightings if sighting.face == slices.names[back]]

    assert not backs()
    monkeypatch.setattr("vision.pieces.left_over.lies_free", lambda *seen: True)
    assert backs()


@pytest.mark.long
@pytest.mark.parametrize("pattern", ["plain", "dots"])
def test_a_back_that_is_laid_down_on_a_watched_table_is_read_and_gone_when_it_is_taken(pattern: str) -> None:
    family, pack = with_back(pattern), shown(pattern)
    reader = Reader(pack)
    tables = [ALONE[:1]] * 6 + [ALONE[:2]] * 6 + [ALONE[1:2]] * 6  # it is looked for by its outline in the third look
    scenes = []
    for number, backs in enumerate(tables):
        image, _ = photograph(family, laid(backs, OTHERS), LIGHT, SIZE)
        scenes.append(reader.read(Frame(image, 0.3 * number, number)))
    for last, backs in ((5, ALONE[:1]), (11, ALONE[:2]), (17, ALONE[1:2])):
        assert lie_there(backs_in(scenes[last]), backs), last


@cases("light", [0.45, 1.15], always=0)
def test_light_is_no_other_colour(light: float) -> None:
    conditions = Conditions(tilt_deg=2.0, surface=Surface.OAK, light=light, kelvin=4000.0)
    image, _ = photograph(with_back("plain"), laid(ALONE, OTHERS), conditions, SIZE)
    assert lie_there(backs_in(read_photo(image, shown("plain"))), ALONE)
