"""Which enrolled faces can be taken for each other."""

import numpy as np

from tests.vision.drawn_table import Piece, View, enrolment, label, photograph
from vision.alike import confused, likenesses, read_copies
from vision.faces import enrol
from vision.scene import PieceKind


def test_two_names_for_one_face_are_too_alike() -> None:
    pieces = [*enrolment(), Piece("a/1", 250.0, 100.0, 80.0)]
    labels = label(pieces)
    labels["pieces"][-1]["face"] = "a/9"
    pack = enrol([(photograph(pieces), labels)], source=["drawn"])
    alike = [one for one in likenesses(pack) if one.too_alike]
    assert {(one.face, one.other) for one in alike} == {("a/1", "a/9"), ("a/9", "a/1")}
    others = [one for one in likenesses(pack) if not one.too_alike]
    assert {one.kind for one in others} == {PieceKind.SLICE, PieceKind.SPECIAL}
    assert np.all([one.lead > 1.0 for one in others])


def test_altered_copies_show_what_is_confused() -> None:
    pieces = enrolment()
    labels = label(pieces)
    image = photograph(pieces, View())
    pack = enrol([(image, labels)], source=["drawn"])
    report = read_copies([(image, labels)], pack)
    assert [photo.photo for photo in report.photos] == [
        f"photo 1, {how}" for how in ("darker", "tinted", "blurred", "smaller")
    ]
    assert not confused(report)
    assert sum(photo.right for photo in report.photos) >= 0.9 * sum(photo.expected for photo in report.photos)
    labels["pieces"][0]["face"], labels["pieces"][1]["face"] = labels["pieces"][1]["face"], labels["pieces"][0]["face"]
    assert confused(read_copies([(image, labels)], pack)).total() > 0
