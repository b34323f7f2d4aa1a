"""Comparing what was read with what lay there."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.drawn_table import Piece, View, enrolled, label, photograph
from vision.files.label_kinds import LabelError
from vision.frame import Frame
from vision.mat.registration import find_mat
from vision.reader import Reader
from vision.reports.compared import Match, PhotoReport, TruePiece, compare, true_pieces
from vision.reports.drawing import HATCHINGS, SURE_LINE, draw_scene
from vision.reports.rates import Report, wilson
from vision.reports.report import report, report_photo
from vision.reports.report_pictures import PICTURE, error_tiles
from vision.scene import FaceLikelihood, HiddenCause, HiddenPlace, PieceKind, Pose, Scene, Sighting

PIECES = (Piece("a/1", 0.0, 0.0, 20.0), Piece("special/two", -120.0, 30.0, 200.0))


def scene_of(*sightings: Sighting) -> Scene:
    return Scene(0.0, 0, sightings, (), 0.0)


def seen(face: str, x: float, y: float, angle: float, probability: float = 0.99) -> Sighting:
    kind = PieceKind.SPECIAL if face.startswith("special/") else PieceKind.SLICE
    return Sighting(kind, Pose(x, y, angle), (FaceLikelihood(face, probability),), True, 1.0, ())


def test_pairs_missing_and_extra() -> None:
    truth = true_pieces(label(PIECES), "drawn")
    matches, missing, extra = compare(scene_of(seen("a/2", 1.0, 0.5, 21.0), seen("a/1", 80.0, 0.0, 20.0)), truth)
    assert [(m.truth.face, m.sighting.face, m.right) for m in matches] == [("a/1", "a/2", False)]
    assert [piece.face for piece in missing] == ["special/two"]
    assert [sighting.pose.x_mm for sighting in extra] == [80.0]


def test_angles_are_compared_around_the_circle() -> None:
    truth = true_pieces(label([Piece("a/1", 0.0, 0.0, 359.0)]), "drawn")
    matches, _, _ = compare(scene_of(seen("a/1", 0.0, 0.0, 1.0)), truth)
    assert matches[0].turn_deg == pytest.approx(2.0)


def test_what_is_likelier_not_there_is_not_read() -> None:
    truth = true_pieces(label(PIECES), "drawn")
    sightings = (seen("a/1", 0.0, 0.0, 20.0), seen("special/two", -120.0, 30.0, 200.0, probability=0.3))
    matches, missing, extra = compare(scene_of(*sightings), truth)
    photo = PhotoReport("one", "drawn", "ring", tuple(matches), tuple(missing), tuple(extra), {})
    assert (photo.expected, photo.right, photo.perfect) == (2, 1, False)
    text = Report((photo,)).as_text()
    assert "special          0 of      1 right" in text
    assert "1 missing, 0 wrong, 0 extra, 0 sure but wrong" in text
    assert "one: special/two at (-120, 30) mm doubted away, special/two 0.30" in text


def test_a_folder_is_reported_by_style_and_kind(tmp_path: Path) -> None:
    labels = label(PIECES)
    labels["pieces"][0]["face"] = "a/2"
    for name, content in (("one", label(PIECES)), ("two", labels)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
        cv2.imwrite(str(tmp_path / f"{name}.jpg"), photograph(PIECES))
    pack = enrolled()
    result = report(tmp_path, lambda style, kind: pack)
    assert [photo.perfect for photo in result.photos] == [True, False]
    assert result.photos[1].sure_but_wrong == 1
    assert "two: a/2 at (0, 0) mm read as a/1 1.00" in result.as_text()
    assert result.as_text().splitlines()[1].split()[:6] == ["drawn", "ring", "2", "1", "4", "3"]


def test_a_picture_that_cannot_be_read_is_a_fault() -> None:
    result = report_photo(np.zeros((720, 1280, 3), np.uint8), label(PIECES), enrolled(), "black")
    assert not result.perfect
    assert "brightest part" in result.problem
    assert len(result.missing) == 2


def test_an_empty_folder_and_a_bad_label_are_errors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no labelled picture"):
        report(tmp_path, lambda style, kind: enrolled())
    with pytest.raises(LabelError, match=r"labels of mine: pieces\[0\]\.x_mm \(piece 1 of 1\) is missing; expected "):
        true_pieces({"pieces": [{"kind": "tile", "face": "a/1"}]}, "mine")


def test_what_was_read_is_drawn_where_it_lies() -> None:
    picture = photograph(PIECES, View())
    reader = Reader(enrolled())
    scene = reader.read(Frame(picture, 0.0, 0))
    hidden = HiddenPlace(((-180.0, -100.0), (-120.0, -100.0), (-120.0, -60.0)), HiddenCause.HAND)
    registration = reader.registration
    assert registration is not None
    drawn = draw_scene(picture, Scene(0.0, 0, scene.sightings, (hidden,), 0.0), registration)
    colours = [SURE_LINE.colour, HATCHINGS[HiddenCause.HAND].colour]
    in_them = np.any([(abs(drawn.astype(int) - colour) < 60).all(axis=-1) for colour in colours], axis=0)
    changed = np.argwhere(in_them & (drawn != picture).any(axis=-1))[:, ::-1].astype(float)
    lows, highs = registration.to_table(changed).min(0), registration.to_table(changed).max(0)
    assert lows[0] == pytest.approx(-180, abs=10)  # a thin tip
    assert highs[0] == pytest.approx(98, abs=4)
    assert not np.array_equal(drawn, picture)
    assert drawn.shape == picture.shape


def reported(*claims: tuple[str, str, float]) -> Report:
    """A picture in which slices with these true faces were read as these, with these likelihoods."""
    matches = [
        Match(TruePiece(PieceKind.SLICE, true, Pose(0.0, 0.0, 0.0), 1.0), seen(read, 0.0, 0.0, 0.0, likelihood), 0, 0)
        for true, read, likelihood in claims
    ]
    return Report((PhotoReport("one", "drawn", "ring", tuple(matches), (), (), {}, light="bright"),))


def test_likelihoods_are_held_against_what_was_right() -> None:
    result = reported(*[("a/1", "a/1", 0.96)] * 19, ("a/1", "a/2", 0.96), ("a/1", "a/1", 1.0), ("a/1", "a/2", 0.2))
    bins = [(one.low, one.high, len(one.claims), one.right) for one in result.reliability()]
    assert bins == [(0.0, 0.3, 1, 0.0), (0.95, 0.99, 20, 0.95), (0.999, 1.0, 1, 1.0)]
    assert result.confusion() == {("slice", "a/1", "a/1"): 20, ("slice", "a/1", "a/2"): 2}


def test_stages_are_timed_by_the_pictures_that_have_them() -> None:
    times = [{"register": 10.0}, {"register": 20.0, "dice": 40.0}, {"register": 30.0, "dice": 50.0}, {}]
    photos = tuple(PhotoReport(str(i), "drawn", "ring", (), (), (), ms) for i, ms in enumerate(times))
    said = "median ms of each stage (pictures that have it): register 20 (3), dice 45 (2)"
    assert Report(photos).as_text().splitlines()[-1] == said


def test_a_sure_claim_of_a_piece_that_hardly_shows_has_its_tile() -> None:
    picture = photograph(PIECES, View())
    pose = Pose(0.0, 0.0, 20.0)
    sure, hidden = seen("a/1", 0.0, 0.0, 20.0), TruePiece(PieceKind.SLICE, "a/1", pose, 0.2)
    claims = [Match(hidden, sure, 0.0, 0.0), Match(hidden, seen("a/1", 0.0, 0.0, 20.0, 0.5), 0.0, 0.0)]
    photo = PhotoReport("one", "drawn", "ring", tuple(claims), (), (), {})
    tiles = error_tiles(photo, picture, find_mat(picture).to_picture)
    assert [(tile.what, tile.where) for tile in tiles] == [("a/1 0.99 claimed, 20% shows", "one")]
    assert tiles[0].picture.base is None  # a tile keeps no whole picture
    assert tiles[0].picture.shape[1::-1] == PICTURE


def test_intervals_are_wilsons() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(10, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)  # Newcombe, Statistics in Medicine 17, 857


def test_pieces_without_a_direction_and_square_ones_are_matched_at_any_turn() -> None:
    truth = true_pieces(
        {
            "pieces": [
                {"kind": "die", "value": 3, "x_mm": 0, "y_mm": 0, "angle_deg": 80.0},
                {"kind": "topping", "colour": "red", "face": "red", "x_mm": 50, "y_mm": 0, "angle_deg": 170.0},
            ]
        },
        "mine",
    )
    die = Sighting(PieceKind.DIE, Pose(0.5, 0.0, 351.0), (FaceLikelihood("3", 0.9),), True, 1.0, ())
    topping = Sighting(PieceKind.TOPPING, Pose(50.0, 0.5, 0.0), (FaceLikelihood("red", 0.9),), True, 1.0, ())
    matches, missing, extra = compare(scene_of(die, topping), truth)
    assert [(match.right, match.turn_deg) for match in matches] == [(True, 1.0), (True, 0.0)]
    assert not missing
    assert not extra
