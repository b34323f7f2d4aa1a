"""Which enrolled faces can be taken for each other."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import cv2
import numpy as np
import pytest

from tests.long import cases
from tests.vision import drawn_cards
from tests.vision.drawn_table import Piece, View, enrolment, label, photograph, project
from tests.vision.rendered import load, pack_of, with_photos
from vision.enrolling.alike import (
    COPIES,
    LEAST_FACES,
    confused,
    even_faces,
    hardly_printed,
    like_another_group,
    likenesses,
    read_copies,
    upside_down,
)
from vision.frame import Image
from vision.mat.rectify import table_map
from vision.mat.registration import find_mat
from vision.pieces.checking import check
from vision.pieces.faces import FacePack, seen_pose
from vision.pieces.from_above import FromAbove
from vision.pieces.learning import enrol
from vision.pieces.prepared import prepare
from vision.reader import read_photo
from vision.scene import SURE, PieceKind


@cache
def named_twice() -> FacePack:
    """One face has two names, as where a copy has the same print on several pieces."""
    pieces = [*enrolment(), Piece("a/1", 250.0, 100.0, 80.0)]
    labels = label(pieces)
    labels["pieces"][-1]["face"] = "a/9"
    return enrol([(photograph(pieces), labels)], source=["drawn"])


@pytest.mark.long
def test_of_two_names_for_one_face_each_is_as_likely_where_it_lies() -> None:
    seen = read_photo(photograph([Piece("a/1", 0.0, 40.0, 200.0), Piece("b/1", -100.0, 40.0, 100.0)]), named_twice())
    twice, once = sorted(seen.sightings, key=lambda sighting: sighting.face)
    assert once.face == "b/1"
    assert once.probability > SURE
    assert twice.likely
    assert {face.face for face in twice.faces} == {"a/1", "a/9"}
    assert all(0.4 < face.probability < 0.6 for face in twice.faces)


DOT_MM = 3.0


def dotted(image: Image, piece: Piece) -> Image:
    """With a dark dot on a slice, DOT_MM wide to each side."""
    turn = np.radians(piece.angle_deg)
    at = [[piece.x_mm + 66.0 * np.cos(turn), piece.y_mm + 66.0 * np.sin(turn)]]
    (middle,) = np.round(project(np.array(at), View(), 2.0) * 16).astype(int).tolist()
    return np.asarray(cv2.circle(image, middle, round(DOT_MM * 16), (30, 30, 60), -1, cv2.LINE_AA, 4), np.uint8)


def outlined_beside(beside_mm: float) -> FacePack:
    """Of two slices that are alike but for a dot one was outlined so far beside where it lay, as by hand, or as a
    slice's tip is where shadows widen it."""
    other = Piece("a/1", 250.0, 100.0, 0.0)
    labels = label([*enrolment(), replace(other, x_mm=other.x_mm + beside_mm)])
    labels["pieces"][-1]["face"] = "a/9"
    return enrol([(dotted(photograph([*enrolment(), other]), other), labels)], source=["drawn"])


@cases("beside_mm", [1.0, 4.0], always=1)
def test_of_faces_that_are_alike_each_is_compared_where_it_fits_best_itself(
    beside_mm: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vision.pieces.learning.strays", lambda faces: np.zeros((len(faces.names), 3)))
    pack = outlined_beside(beside_mm)
    lying = Piece("a/1", 0.0, 40.0, 200.0)
    image = dotted(photograph([lying]), lying)
    registration = find_mat(image)
    look = FromAbove(image, table_map(registration), registration).look
    prepared = prepare(pack.kinds[PieceKind.SLICE])
    of, to = (prepared.faces.names.index(name) for name in ("a/1", "a/9"))
    assert prepared.beside[of, to] == pytest.approx([beside_mm, 0.0, 0.0], abs=0.2)
    pose = seen_pose(np.array([lying.x_mm, lying.y_mm, lying.angle_deg]), prepared.faces.shape, registration)
    (found,) = check(look, PieceKind.SLICE, prepared, pose[None], np.array([of]))
    assert prepared.faces.names[found.face] == "a/9"


def test_faces_that_are_alike_are_learned_as_if_they_had_been_outlined_alike() -> None:
    prepared = prepare(outlined_beside(4.0).kinds[PieceKind.SLICE])
    of, to = (prepared.faces.names.index(name) for name in ("a/1", "a/9"))
    assert prepared.beside[of, to] == pytest.approx([0.0, 0.0, 0.0], abs=0.25)
    assert prepared.apart[of, to] < 1.0


def test_faces_outlined_alike_are_learned_where_they_were_outlined(monkeypatch: pytest.MonkeyPatch) -> None:
    def learned() -> FacePack:
        return enrol([(photograph(enrolment()), label(enrolment()))], source=["drawn"])

    as_they_are = learned()
    monkeypatch.setattr("vision.pieces.learning.strays", lambda faces: np.zeros((len(faces.names), 3)))
    for kind, faces in learned().kinds.items():
        assert np.array_equal(faces.colours, as_they_are.kinds[kind].colours)


def test_two_names_for_one_face_are_too_alike() -> None:
    pack = named_twice()
    alike = [one for one in likenesses(pack) if one.too_alike]
    assert {(one.face, one.other) for one in alike} == {("a/1", "a/9"), ("a/9", "a/1")}
    others = [one for one in likenesses(pack) if not one.too_alike]
    assert {one.kind for one in others} == {PieceKind.SLICE, PieceKind.SPECIAL}
    assert np.all([one.lead > 1.0 for one in others])


@pytest.mark.long
def test_altered_copies_show_what_is_confused(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = enrolment()
    labels = label(pieces)
    image = photograph(pieces, View())
    pack = enrol([(image, labels)], source=["drawn"])
    told: list[int] = []
    report = read_copies([(image, labels)], pack, on_copy=lambda: told.append(len(told)))
    assert len(told) == COPIES
    assert [photo.photo for photo in report.photos] == [
        f"photo 1, {how}" for how in ("darker", "tinted", "blurred", "smaller")
    ]
    assert not confused(report)
    assert sum(photo.right for photo in report.photos) >= 0.9 * sum(photo.expected for photo in report.photos)
    labels["pieces"][0]["face"], labels["pieces"][1]["face"] = labels["pieces"][1]["face"], labels["pieces"][0]["face"]
    monkeypatch.setattr("vision.enrolling.alike.altered", lambda image: [("as it is", image)])
    assert confused(read_copies([(image, labels)], pack)).total() > 0


def laid_out(titled: bool, turned: str = "", only: int = 99) -> FacePack:
    """Drawn slice cards, each with its own noise; all with a dark title at the top, or with nothing in common."""
    faces = drawn_cards.enrolled().kinds[PieceKind.SLICE_CARD]
    faces = replace(faces, names=faces.names[:only], colours=faces.colours[:only])
    lattice, rng = faces.shape.lattice, np.random.default_rng(4)
    colours = rng.normal(0.0, 0.3, faces.colours.shape).astype(np.float32)
    for name, one in zip(faces.names, colours, strict=True):
        if titled:
            up = -1.0 if name == turned else 1.0
            one[up * lattice[:, 0] > 15.0] -= 0.8
    return FacePack({PieceKind.SLICE_CARD: replace(faces, colours=colours)}, ("drawn",))


def test_a_face_labelled_upside_down_is_told_by_how_the_others_are_laid_out() -> None:
    assert upside_down(laid_out(titled=True)) == []
    assert upside_down(laid_out(titled=True, turned="slice/olive")) == ["slice/olive"]


def test_no_face_is_called_upside_down_where_faces_have_little_in_common_or_are_few() -> None:
    assert upside_down(laid_out(titled=False)) == []
    few = laid_out(titled=True, turned="slice/bacon", only=LEAST_FACES)
    assert "slice/bacon" in few.names
    assert "slice/back" in few.names
    assert upside_down(few) == []
    assert upside_down(drawn_cards.enrolled()) == []


@with_photos
def test_a_rendered_special_labelled_upside_down_is_told() -> None:
    image, labels = load("enrol-alpha-05")
    specials = [piece for piece in labels["pieces"] if piece["kind"] == "special" and piece["face_up"]]
    assert upside_down(enrol([(image, labels)], source=["right"])) == []
    specials[3]["angle_deg"] = (specials[3]["angle_deg"] + 180.0) % 360.0
    assert upside_down(enrol([(image, labels)], source=["wrong"])) == [specials[3]["face"]]


@pytest.mark.parametrize(
    ("left", "even", "little"), [(1.0, [], []), (0.3, [], ["a/1"]), (0.1, ["a/1"], []), (0.05, ["a/1"], [])]
)
def test_a_face_of_nearly_one_colour_is_told(left: float, even: list[str], little: list[str]) -> None:
    """So much is left of the contrast of its print."""
    pack = with_colours(lambda colours: colours.mean(axis=0) + left * (colours - colours.mean(axis=0)))
    assert even_faces(pack) == even
    assert hardly_printed(pack) == little


def test_a_face_of_one_colour_with_a_word_on_it_is_told() -> None:
    lattice = with_colours(lambda colours: colours).kinds[PieceKind.SLICE].shape.lattice
    word = np.asarray((np.abs(lattice - [60.0, 0.0]) < [3.0, 8.0]).all(axis=1))
    assert 0.01 < word.mean() < 0.06
    pack = with_colours(lambda colours: np.where(word[:, None], -1.0, 0.0) + colours.mean(axis=0))
    assert even_faces(pack) == []
    assert hardly_printed(pack) == ["a/1"]


def with_colours(changed: Callable[[Any], Any]) -> FacePack:
    """The drawn faces, one of them with changed colours (cells x 3)."""
    pack = enrol([(photograph(enrolment()), label(enrolment()))], source=["drawn"])
    slices = pack.kinds[PieceKind.SLICE]
    colours, face = slices.colours.copy(), slices.names.index("a/1")
    colours[face] = changed(colours[face])
    return replace(pack, kinds={**pack.kinds, PieceKind.SLICE: replace(slices, colours=colours)})


def exchanged(pack: FacePack, *pair: str) -> FacePack:
    """The pack of somebody who named two faces as each other."""
    names = {pair[0]: pair[1], pair[1]: pair[0]}
    kinds = {
        kind: replace(faces, names=tuple(names.get(name, name) for name in faces.names))
        for kind, faces in pack.kinds.items()
    }
    return FacePack(kinds, pack.source)


@with_photos
@cases("style", ["alpha", "beta"], always=1)
def test_slices_named_as_those_of_another_type_are_told(style: str) -> None:
    pack = pack_of(style)
    assert like_another_group(pack) == []
    for pair in (("6/1", "5/1"), ("11/4", "3/2")):
        told = {face for face, _ in like_another_group(exchanged(pack, *pair))}
        assert told, "one of the two at least"
        assert told <= set(pair), "and no other"
    # Which of a type it is says nothing but the number of what lies on it.
    assert like_another_group(exchanged(pack, "9/1", "9/8")) == []


def test_faces_that_have_nothing_in_common_with_others_of_their_name_are_not_told() -> None:
    """Those of drawn tables have not, and cards of one kind are one group."""
    drawn = enrol([(photograph(enrolment()), label(enrolment()))], source=["drawn"])
    assert like_another_group(exchanged(drawn, "a/1", "b/1")) == []
