"""Enrolling faces, and the file they are kept in."""

import io
import json
import zipfile
from contextlib import suppress
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.drawn_table import FACES, SPECIALS, enrolled, enrolment, label, photograph
from vision.files.label_kinds import LabelError
from vision.mat.errors import RegistrationError
from vision.pieces.faces import PACK_VERSION, FacePack, FacePackError, load_pack, save_pack
from vision.pieces.learning import Blurred, enrol
from vision.scene import PieceKind


@pytest.fixture(scope="module")
def pack() -> FacePack:
    return enrolled()


def test_all_faces_and_sizes_are_learned(pack: FacePack) -> None:
    assert pack.kinds[PieceKind.SLICE].names == tuple(sorted(FACES))
    assert pack.kinds[PieceKind.SPECIAL].names == tuple(sorted(SPECIALS))
    assert pack.sizes_mm == pytest.approx(
        {"slice_radius": 100.0, "special_width": 60.0, "special_height": 90.0}, abs=0.6
    )


def test_a_face_down_piece_teaches_its_back() -> None:
    labels = label(enrolment())
    labels["pieces"][0]["face_up"] = False
    labels["pieces"] = [piece for piece in labels["pieces"] if piece["face"] != "back"]
    learned = enrol([(photograph(enrolment()), labels)], source=["one"])
    assert "back" in learned.names
    assert "a/1" not in learned.names


def test_other_kinds_in_a_label_are_passed_over() -> None:
    labels = label(enrolment())
    labels["pieces"].append({"kind": "die", "value": 4})
    assert len(enrol([(photograph(enrolment()), labels)], source=[]).names) == len(FACES) + len(SPECIALS)


@pytest.mark.parametrize("key", ["face", "x_mm", "angle_deg", "outline_px"])
def test_a_label_that_lacks_something_says_what_and_where(key: str) -> None:
    labels = label(enrolment())
    del labels["pieces"][3][key]
    with pytest.raises(LabelError, match=rf"mine\.jpg: pieces\[3\]\.{key} \(piece 4 of \d+\) is missing; expected "):
        enrol([(photograph(enrolment()), labels)], source=["mine.jpg"])


def test_a_label_with_an_impossible_outline_is_refused() -> None:
    labels = label(enrolment())
    labels["pieces"][2]["outline_px"] = [[1, 2], [3, 4]]
    with pytest.raises(LabelError, match=r"pieces\[2\]\.outline_px .* is a list of 2; expected at least three points"):
        enrol([(photograph(enrolment()), labels)], source=["mine.jpg"])


def test_a_label_without_pieces_is_refused() -> None:
    with pytest.raises(LabelError, match=r"labels of mine\.jpg: there is nothing to learn; expected a named piece"):
        enrol([(photograph(enrolment()), {"pieces": []})], source=["mine.jpg"])
    with pytest.raises(LabelError, match=r"labels of mine\.jpg: pieces is missing; expected a list of pieces"):
        enrol([(photograph(enrolment()), {})], source=["mine.jpg"])


def test_a_face_of_two_kinds_is_refused() -> None:
    labels = label(enrolment())
    special = next(piece for piece in labels["pieces"] if piece["kind"] == "special")
    special["face"] = labels["pieces"][0]["face"]
    with pytest.raises(
        LabelError, match=r"b\.jpg: the face 'a/1' is of kind special, in the labels of a\.jpg of kind tile"
    ):
        enrol(
            [(photograph(enrolment()), label(enrolment())), (photograph(enrolment()), labels)],
            source=["a.jpg", "b.jpg"],
        )


def test_a_pack_comes_back_as_it_was_saved(pack: FacePack, tmp_path: Path) -> None:
    save_pack(pack, tmp_path / "mine.faces")
    back = load_pack(tmp_path / "mine.faces")
    assert back.source == pack.source
    for kind, faces in pack.kinds.items():
        same = back.kinds[kind]
        assert same.names == faces.names
        assert np.array_equal(same.shape.lattice, faces.shape.lattice)
        assert np.abs(same.colours - faces.colours).max() < 0.01
        assert np.array_equal(same.keypoints.descriptors, faces.keypoints.descriptors)


def test_a_missing_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_pack(tmp_path / "none.faces")


@pytest.mark.parametrize("content", [b"", b"not a pack", b"PK\x03\x04" + b"\x00" * 60])
def test_other_files_are_no_packs(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "other.faces"
    path.write_bytes(content)
    with pytest.raises(FacePackError, match=r"other\.faces"):
        load_pack(path)


def test_a_pack_cut_off_or_overwritten_anywhere_is_refused_or_read_alike(pack: FacePack, tmp_path: Path) -> None:
    path = tmp_path / "mine.faces"
    save_pack(pack, path)
    whole = path.read_bytes()
    for position in range(0, len(whole), max(len(whole) // 25, 1)):
        path.write_bytes(whole[:position])
        with pytest.raises(FacePackError):
            load_pack(path)
        path.write_bytes(whole[:position] + b"\xff\x00\xff\x00" + whole[position + 4 :])
        with suppress(FacePackError):
            assert load_pack(path).names == pack.names


@pytest.mark.parametrize(("more", "what"), [(-1, "enrol again"), (1, "it is of a newer program: update this one")])
def test_another_version_is_told(pack: FacePack, tmp_path: Path, more: int, what: str) -> None:
    path = tmp_path / "mine.faces"
    save_pack(pack, path)
    _change_header(path, version=PACK_VERSION + more)
    with pytest.raises(FacePackError, match=f"version {PACK_VERSION + more}.*: {what}"):
        load_pack(path)


def test_another_format_is_told(pack: FacePack, tmp_path: Path) -> None:
    path = tmp_path / "mine.faces"
    save_pack(pack, path)
    _change_header(path, format="something")
    with pytest.raises(FacePackError, match="'something'"):
        load_pack(path)


def test_arrays_of_a_wrong_shape_are_refused(pack: FacePack, tmp_path: Path) -> None:
    path = tmp_path / "mine.faces"
    save_pack(pack, path)
    header = json.loads(zipfile.ZipFile(path).read("header.json"))
    header["kinds"]["slice"]["faces"].append("one more")
    _change_header(path, kinds=header["kinds"])
    with pytest.raises(FacePackError, match=r"slice\.colours has shape"):
        load_pack(path)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("owners", 500, r"mine\.faces: slice\.owners holds 500; expected 0 to "),
        ("colours", np.nan, r"mine\.faces: slice\.colours holds nan; expected numbers"),
    ],
)
def test_values_that_cannot_be_are_refused(pack: FacePack, tmp_path: Path, name: str, value: float, said: str) -> None:
    path = tmp_path / "mine.faces"
    save_pack(pack, path)
    with zipfile.ZipFile(path) as file:
        array = np.load(io.BytesIO(file.read(f"slice.{name}.npy")))
    array.reshape(-1)[3] = value
    content = io.BytesIO()
    np.save(content, array)
    _change_member(path, f"slice.{name}.npy", content.getvalue())
    with pytest.raises(FacePackError, match=said):
        load_pack(path)


@pytest.mark.parametrize(("key", "off"), [("angle_deg", 180.0), ("x_mm", 300.0)])
def test_a_label_that_lies_elsewhere_than_its_outline_is_refused(key: str, off: float) -> None:
    labels = label(enrolment())
    for piece in labels["pieces"]:
        piece[key] += off
    with pytest.raises(LabelError, match=r"labels of mine: a/1 is at x_mm .*, but by its outline_px around"):
        enrol([(photograph(enrolment()), labels)], source=["mine"])


@pytest.mark.parametrize(
    ("face", "wrong", "said"),
    [
        (
            "a/1",
            {"kind": "special", "x_mm": 16.0, "y_mm": 89.0},
            r"labels of mine: a/1 is \d+ x \d+ mm large as it is turned, others of its kind, special,",
        ),
        (
            "special/two",
            {"angle_deg": 90.0},
            r"special/\w+ is \d+ x \d+ mm large as it is turned, others of its kind, special, are \d+ x \d+ mm",
        ),
    ],
)
def test_a_piece_that_is_not_of_its_kinds_size_is_refused(face: str, wrong: dict[str, object], said: str) -> None:
    """Labelled as another kind, or turned, it would be learned askew, and never be found."""
    labels = label(enrolment())
    for piece in labels["pieces"]:
        if piece.get("face") == face:
            for key, value in wrong.items():
                piece[key] = piece[key] + value if isinstance(value, float) else value
    with pytest.raises(LabelError, match=said):
        enrol([(photograph(enrolment()), labels)], source=["mine"])


def test_a_photo_that_cannot_be_laid_over_the_table_is_named() -> None:
    with pytest.raises(RegistrationError, match=r"mine: the picture's brightest part is 0"):
        enrol([(0 * photograph([]), label(enrolment()))], source=["mine"])


def test_a_blurred_photo_is_refused_with_what_to_do() -> None:
    sharp = photograph(enrolment())
    mild, strong = (cv2.GaussianBlur(sharp, (0, 0), sharp.shape[1] * widths) for widths in (0.0012, 0.0025))
    enrol([(np.asarray(mild, np.uint8), label(enrolment()))], source=["mine"])
    with pytest.raises(Blurred, match=r"mine: the picture is blurred: .* px; at most .* px will do: focus, hold"):
        enrol([(np.asarray(strong, np.uint8), label(enrolment()))], source=["mine"])


def _change_header(path: Path, **changes: object) -> None:
    with zipfile.ZipFile(path) as file:
        header = json.loads(file.read("header.json")) | changes
    _change_member(path, "header.json", json.dumps(header).encode())


def _change_member(path: Path, member: str, content: bytes) -> None:
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()} | {member: content}
    with zipfile.ZipFile(path, "w") as file:
        for name, its_content in members.items():
            file.writestr(name, its_content)
