"""`pizzatable enrol`: which label goes with which photo, and what it says when none does."""

import json
import re
import shlex
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result

from config.loader import load_table
from config.schema import TableConfig
from controller.cli import main
from controller.cli.enrol import LabelFileError, command, match_labels
from controller.cli.enrol_page import _camera, address_elsewhere, serve_page, show_all
from controller.games.slice.components import load_components
from controller.kept_enrolment import KeptElsewhere, KeptEnrolment
from controller.web.enrolling import Desk
from controller.whose_faces import faces_of
from hardware.camera import Camera, CameraLost, RecordingEnded
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import PieceView
from tests.benchmarks.simulated_pieces import FAMILIES
from tests.benchmarks.simulated_pieces import photograph as photograph_simulated
from tests.controller.found_once import spread_doubting_two, spread_once
from tests.vision import drawn_cards
from tests.vision.drawn_table import Piece, enrolment, label, photograph
from vision.files.photos import PhotoError
from vision.frame import Frame, Image
from vision.mat.errors import VisionError
from vision.mat.lens import Lens
from vision.pieces.faces import load_pack
from vision.scene import PieceKind, Pose

A, B, C = Path("there/a.jpg"), Path("there/b.jpg"), Path("there/c.jpg")


MINE, YOURS = Path("mine.json"), Path("yours.json")


@pytest.fixture(autouse=True)
def found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.enrolling.spread", spread_once)


def test_labels_with_a_photos_name_go_with_that_photo() -> None:
    labels = [{"photo": "b.jpg"}, {"photo": "x.jpg"}, {"photo": "a.jpg"}]
    assert match_labels([A, B], [(MINE, labels)]) == ([{"photo": "a.jpg"}, {"photo": "b.jpg"}], [])


def test_other_labels_go_in_order() -> None:
    labels: list[dict[str, Any]] = [{"n": 1}, {"photo": "b.jpg"}, {"n": 2}]
    assert match_labels([A, B, C], [(MINE, labels)]) == (labels, [])
    assert match_labels([A, B], [(MINE, [{"n": 1}]), (YOURS, [{"n": 2}])]) == ([{"n": 1}, {"n": 2}], [])


def test_labels_of_one_renamed_photo_are_used_with_a_warning_that_has_both_names() -> None:
    other = {"photo": "elsewhere.jpg"}
    matched, (warning,) = match_labels([A], [(MINE, [other])])
    assert matched == [other]
    assert (
        warning == "mine.json has labels of elsewhere.jpg; they are used for there/a.jpg, the only photo without labels"
    )
    matched, (warning,) = match_labels([B, A], [(MINE, [other]), (YOURS, [{"photo": "b.jpg"}])])
    assert matched == [{"photo": "b.jpg"}, other]
    assert "mine.json has labels of elsewhere.jpg; they are used for there/a.jpg" in warning


@pytest.mark.parametrize(
    ("photos", "files"),
    [
        ([A], [(MINE, [{"photo": "x.jpg"}, {"photo": "y.jpg"}])]),
        ([A], [(MINE, [{"photo": "x.jpg"}]), (YOURS, [{"photo": "y.jpg"}])]),
        ([A, B], [(MINE, [{"photo": "x.jpg"}])]),
        ([A, B], [(MINE, [{"photo": "x.jpg"}]), (YOURS, [{"photo": "y.jpg"}])]),
        ([A, B], [(MINE, [{"photo": "a.jpg"}, {"photo": "x.jpg"}])]),
    ],
)
def test_which_of_several_photos_was_renamed_is_not_guessed(
    photos: list[Path], files: list[tuple[Path, list[dict[str, Any]]]]
) -> None:
    with pytest.raises(LabelFileError, match=r"labels of other photos: x\.jpg"):
        match_labels(photos, files)


def test_two_labels_of_a_photo_are_refused() -> None:
    with pytest.raises(LabelFileError, match=r'expected one label with "photo": "a\.jpg", not 2'):
        match_labels([A], [(MINE, [{"photo": "a.jpg"}]), (YOURS, [{"photo": "a.jpg"}])])


def test_a_photo_without_a_label_is_named() -> None:
    with pytest.raises(LabelFileError, match=r'there/b\.jpg: expected a label with "photo": "b\.jpg"'):
        match_labels([A, B], [(MINE, [{"photo": "a.jpg"}])])
    with pytest.raises(LabelFileError, match="1 such photos and 2 such labels are left"):
        match_labels([A], [(MINE, [{}, {}])])


def enrol_drawn(folder: Path, labels: object, photo: str = "a.jpg", game: str = "new_york_slice") -> Result:
    """`pizzatable enrol` of a drawn photo with a labels file."""
    cv2.imwrite(str(folder / photo), photograph(enrolment()))
    (folder / "mine.json").write_text(json.dumps(labels))
    arguments = ["--game", game, "--out", folder / "pack", "--labels", folder / "mine.json", folder / photo]
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def test_a_renamed_photo_is_learned_with_a_warning(tmp_path: Path) -> None:
    size = {"width": 1280, "height": 720}
    result = enrol_drawn(tmp_path, {**label(enrolment()), "photo": "before.jpg", "image": size}, "after.jpg")
    assert result.exit_code == 0, result.output
    assert f"mine.json has labels of before.jpg; they are used for {tmp_path / 'after.jpg'}" in result.stderr
    assert load_pack(tmp_path / "pack").source == ("after.jpg",)


@pytest.mark.long
def test_pictures_of_what_was_found_are_no_photos_of_the_next_command(tmp_path: Path) -> None:
    """As in the README: both commands are given photo-*.jpg, and the first one perhaps twice."""
    assert cv2.imwrite(str(tmp_path / "photo-1.jpg"), photograph(enrolment()[:3]))
    for _ in range(2):
        photos = [str(photo) for photo in sorted(tmp_path.glob("photo-*.jpg"))]
        arguments = ["--game", "new_york_slice", "--find", str(tmp_path / "mine.json"), *photos]
        result = CliRunner().invoke(command, arguments)
        assert result.exit_code == 0, result.output
    assert [photo.name for photo in tmp_path.rglob("*.jpg")] == ["photo-1.jpg", "photo-1.jpg"]
    assert (tmp_path / "mine-found" / "photo-1.jpg").exists()
    assert len(json.loads((tmp_path / "mine.json").read_text())) == 1


@pytest.mark.long
def test_pieces_left_unnamed_are_none_to_be_read_when_faces_are_checked(tmp_path: Path) -> None:
    labels = {**label(enrolment()), "photo": "mine.jpg"}
    named = sum(piece.get("kind") in ("tile", "special") for piece in labels["pieces"])
    labels["pieces"][0] = {**labels["pieces"][0], "face": ""}
    cv2.imwrite(str(tmp_path / "mine.jpg"), photograph(enrolment()))
    (tmp_path / "mine.json").write_text(json.dumps(labels))
    arguments = ["--out", tmp_path / "pack", "--labels", tmp_path / "mine.json", "--check", tmp_path / "mine.jpg"]
    result = CliRunner().invoke(command, ["--game", "new_york_slice", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    assert f"of {4 * (named - 1)} pieces are read right" in result.stdout
    assert "photo 1" not in result.stdout
    assert not [line for line in result.stdout.splitlines() if "missing  at" in line]


def test_labels_of_a_photo_of_another_size_are_refused(tmp_path: Path) -> None:
    size = {"width": 1920, "height": 1080}
    result = enrol_drawn(tmp_path, {**label(enrolment()), "photo": "before.jpg", "image": size}, "after.jpg")
    assert result.exit_code == 1
    assert "labels of after.jpg: image says 1920 x 1080 pixels; the photo has 1280 x 720; expected" in result.stderr
    assert not (tmp_path / "pack").exists()


def test_faces_and_kinds_that_the_game_lacks_are_warned_of(tmp_path: Path) -> None:
    result = enrol_drawn(tmp_path, label(enrolment()), game="pizzeria")
    assert result.exit_code == 0, result.output
    assert "warning: pizzeria has no such faces: a/1 at photo 1 of 1: pieces[" in result.stderr
    result = enrol_drawn(tmp_path, label(enrolment()), game="slice")
    assert result.exit_code == 1
    assert "none of the pieces in a.jpg is one of slice: they are of kind special, tile; expected" in result.stderr


def test_a_wrong_label_is_named_with_its_file_and_place(tmp_path: Path) -> None:
    labels = label(enrolment())
    labels["pieces"][2]["x_mm"] = "left"
    result = enrol_drawn(tmp_path, [labels])
    assert result.exit_code == 1
    assert f"{tmp_path / 'mine.json'}: photo 1 of 1: pieces[2].x_mm (piece 3 of " in result.stderr
    assert 'is "left"; expected a number of millimetres from -10000 to 10000' in result.stderr


def test_a_file_of_faces_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    result = enrol_drawn(tmp_path, label(enrolment()))
    assert result.exit_code == 2
    assert "pack' is a directory" in result.stderr
    (tmp_path / "file").write_text("")
    (tmp_path / "pack").rmdir()
    (tmp_path / "pack").symlink_to(tmp_path / "file" / "pack")
    result = enrol_drawn(tmp_path, label(enrolment()))
    assert result.exit_code == 1
    why = "cannot be written: Not a directory; expected a file of faces that can be written"
    assert f"Error: {tmp_path / 'pack'}: {why}" in result.stderr


def find_in(labels: Path, *photos: Path) -> Result:
    arguments = ["--game", "new_york_slice", "--find", labels, *photos]
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def test_faces_of_photos_that_are_not_given_are_not_written_over(tmp_path: Path) -> None:
    first, second = label(enrolment()), label(enrolment())
    second["pieces"] = second["pieces"][:2]
    assert enrol_drawn(tmp_path, first, "first.jpg").exit_code == 0
    before = (tmp_path / "pack").read_bytes()
    result = enrol_drawn(tmp_path, second, "second.jpg")
    assert result.exit_code == 1
    lost = sorted({piece["face"] for piece in first["pieces"]} - {piece["face"] for piece in second["pieces"]})
    assert f"pack has {len(lost)} faces that no photo here shows (" in result.stderr
    assert "learned from first.jpg; expected that, too, another --out, or that file moved away" in result.stderr
    assert (tmp_path / "pack").read_bytes() == before
    # The same photo again may have fewer names: somebody has thought better of them.
    assert enrol_drawn(tmp_path, second, "first.jpg").exit_code == 0
    assert len(load_pack(tmp_path / "pack").names) == 2
    # Another photo of all that was known takes its place.
    assert enrol_drawn(tmp_path, first, "second.jpg").exit_code == 0
    assert load_pack(tmp_path / "pack").source == ("second.jpg",)


def test_what_is_no_file_of_faces_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "pack").write_text("my notes")
    result = enrol_drawn(tmp_path, label(enrolment()))
    assert result.exit_code == 1
    assert (
        f"{tmp_path / 'pack'}: it is no file of faces and is not written over; expected another --out" in result.stderr
    )
    assert (tmp_path / "pack").read_text() == "my notes"
    (tmp_path / "pack").write_bytes(b"PK\x03\x04 half of one")
    assert enrol_drawn(tmp_path, label(enrolment())).exit_code == 0


def test_one_page_at_a_time_keeps_what_is_said_for_a_file_of_faces(tmp_path: Path) -> None:
    kept = KeptEnrolment(tmp_path / "new" / "mine.faces")
    with kept.held():
        with pytest.raises(KeptElsewhere, match=r"mine\.faces: another page of `pizzatable enrol` is open for it"):
            serve_page(faces_of("slice"), kept.out, None, [tmp_path / "none.jpg"], 0, None, None)
        with KeptEnrolment(tmp_path / "new" / "other.faces").held():
            pass
    with pytest.raises(PhotoError, match="none"):
        serve_page(faces_of("slice"), kept.out, None, [tmp_path / "none.jpg"], 0, None, None)
    with kept.held():
        pass
    assert list((tmp_path / "new").iterdir()) == []
    (tmp_path / "file").write_text("")
    nowhere = tmp_path / "file" / "mine.faces"
    with (
        pytest.raises(KeptElsewhere, match=r"cannot be written: .*; expected a file of faces that can be written"),
        KeptEnrolment(nowhere).held(),
    ):
        pass


@pytest.mark.parametrize("told", [{"face": "5/2"}, {"corners_px": [[1, 1], [9, 1], [9, 9]]}, {"removed": True}])
def test_labels_that_somebody_filled_in_are_not_written_over(tmp_path: Path, told: dict[str, object]) -> None:
    labels = tmp_path / "mine.json"
    found = {"number": 1, "kind": "tile", "face": "", "outline_px": []}
    labels.write_text(json.dumps([{"photo": "a.jpg", "pieces": [found, found | told]}]))
    before = labels.read_bytes()
    photo = tmp_path / "a.jpg"
    cv2.imwrite(str(photo), photograph(enrolment()))
    result = find_in(labels, photo)
    assert result.exit_code == 1
    assert f"{labels}: 1 of its 2 pieces have a face already, or were" in result.stderr
    assert labels.read_bytes() == before


@pytest.mark.parametrize("face_up", [True, False])
@pytest.mark.parametrize(
    ("face", "why"),
    [
        (
            "back",
            "is named back, as a slice is in new_york_slice; expected the name of a special (its back is "
            "special/back); where it is a slice, remove its outline on the page and outline it as one by hand, or "
            "leave it without a name",
        ),
        ("6/1", "is named 6/1, as a slice is in new_york_slice; expected the name of a special; where it is a slice, "),
    ],
)
def test_a_name_of_another_kind_of_piece_is_refused(tmp_path: Path, face: str, why: str, face_up: bool) -> None:
    """The back of a Special that is called as a slice's would be read as the front of one."""
    labels = label(enrolment())
    special = next(piece for piece in labels["pieces"] if piece["kind"] == "special")
    special |= {"face": face, "face_up": face_up}
    result = enrol_drawn(tmp_path, labels)
    assert result.exit_code == 1
    at = f"({special['x_mm']:.0f}, {special['y_mm']:.0f}) mm"
    assert f"the piece at {at} was outlined as a special and {why}" in result.stderr


def test_the_name_of_a_front_for_what_lies_face_down_is_refused(tmp_path: Path) -> None:
    labels = label(enrolment())
    down = next(piece for piece in labels["pieces"] if piece["kind"] == "tile")
    face, at = down["face"], f"({down['x_mm']:.0f}, {down['y_mm']:.0f}) mm"
    down |= {"face_up": False, "number": 7}
    result = enrol_drawn(tmp_path, labels)
    assert result.exit_code == 1
    assert f'piece 7 at {at} is named {face} and has "face_up": false' in result.stderr
    assert f"expected true where {face} shows, or the back's name, back" in result.stderr
    assert not (tmp_path / "pack").exists()
    assert enrol_drawn(tmp_path, label(enrolment())).exit_code == 0


def enrol_cards(folder: Path, names: Mapping[str, str], *more: str) -> Result:
    """`pizzatable enrol` of cards of SLICE under other names."""
    cards = drawn_cards.enrolment()
    labels = label(cards)
    for piece in labels["pieces"]:
        piece["face"] = names.get(piece["face"], piece["face"])
    cv2.imwrite(str(folder / "a.jpg"), photograph(cards))
    (folder / "mine.json").write_text(json.dumps(labels))
    arguments = ["--out", folder / "pack", "--labels", folder / "mine.json", folder / "a.jpg", *more]
    return CliRunner().invoke(command, ["--game", "slice", *map(str, arguments)])


CALLED = {"slice/basil": "slice/pineapple", "order/1": "order/order-1", "order/2": "order/order-2",
          "order/3": "order/order-3", "order/4": "order/order-4"}  # fmt: skip


def test_a_misspelt_name_is_told_with_the_one_that_is_meant_where_a_copy_may_have_its_own(tmp_path: Path) -> None:
    whole = enrol_cards(tmp_path, CALLED)
    assert "no such faces" not in whole.stderr
    assert "slice/onion" not in whole.stdout
    result = enrol_cards(tmp_path, {**CALLED, "slice/onion": "slice/onoin", "order/4": "order/ordr-4"})
    assert result.exit_code == 0, result.output
    (missing,) = [line for line in result.stdout.splitlines() if "still missing" in line]
    assert {"slice/onion", "order/order-4"} <= set(missing.partition(": ")[2].split(", "))
    (said,) = [line for line in result.stderr.splitlines() if "no such faces" in line]
    labels = json.loads((tmp_path / "mine.json").read_text())
    at = {piece["face"]: f"photo 1 of 1: pieces[{index}]" for index, piece in enumerate(labels["pieces"])}
    assert said == (
        f"warning: slice has no such faces: slice/onoin (is slice/onion meant?) at {at['slice/onoin']}, order/ordr-4 "
        f"(is order/order-4 meant?) at {at['order/ordr-4']}; where your copy has such pieces, the option components of "
        "its table's settings (--config) says so"
    )


def test_names_of_a_copys_own_by_its_settings_are_none_to_warn_of(tmp_path: Path) -> None:
    components = load_components()
    cards = {
        "ham" if card == "onion" else card: count
        for card, count in zip(components.cards, components.counts, strict=True)
    }
    orders = {name: ["ham" if one == "onion" else one for one in tops] for name, tops in components.orders}
    (tmp_path / "own.toml").write_text(
        f"cards = {{{', '.join(f'{card} = {count}' for card, count in cards.items())}}}\n[orders]\n"
        + "\n".join(f"{name} = {json.dumps(tops)}" for name, tops in orders.items())
    )
    settings = tmp_path / "table.toml"
    settings.write_text('game = "slice"\n[options]\ncomponents = "own.toml"\n')
    own = {**CALLED, "slice/onion": "slice/ham"}
    assert "slice has no such faces: slice/ham" in enrol_cards(tmp_path, own).stderr
    result = enrol_cards(tmp_path, own, "--config", str(settings))
    assert result.exit_code == 0, result.output
    assert "no such faces" not in result.stderr
    settings.write_text('game = "slice"\n[options]\ncomponents = {tops = 3}\n')
    result = enrol_cards(tmp_path, own, "--config", str(settings))
    assert result.exit_code == 1
    assert "table.toml:3: slice: option components: tops: unknown key" in result.stderr


def test_a_card_that_was_outlined_as_another_kind_is_told_so(tmp_path: Path) -> None:
    result = enrol_cards(tmp_path, {**CALLED, "order/2": "slice/pepperoni"})
    assert result.exit_code == 1
    assert (
        "was outlined as an order card and is named slice/pepperoni, as a slice card is in slice; expected the name of "
        "an order card; where it is a slice card, remove its outline on the page"
    ) in result.stderr


def test_two_faces_that_are_alike_are_told_once(tmp_path: Path) -> None:
    """Each is most like the other."""
    pieces = [*enrolment(), Piece("a/1", 250.0, 100.0, 80.0)]
    labels = label(pieces)
    labels["pieces"][-1]["face"] = "a/9"
    cv2.imwrite(str(tmp_path / "a.jpg"), photograph(pieces))
    (tmp_path / "mine.json").write_text(json.dumps(labels))
    arguments = ["--out", tmp_path / "pack", "--labels", tmp_path / "mine.json", tmp_path / "a.jpg"]
    result = CliRunner().invoke(command, ["--game", "new_york_slice", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    assert result.stdout.count("look alike") == 1


def test_spaces_around_a_name_are_none_of_it(tmp_path: Path) -> None:
    labels = label(enrolment())
    labels["pieces"][0]["face"] = " 3/1\t"
    labels["pieces"][1]["face"] = "  "
    result = enrol_drawn(tmp_path, labels)
    assert result.exit_code == 0, result.output
    assert "3/1" in load_pack(tmp_path / "pack").names
    assert not any(name != name.strip() or not name for name in load_pack(tmp_path / "pack").names)


def test_a_picture_of_the_empty_table_is_of_no_use_for_a_board(tmp_path: Path) -> None:
    photo = tmp_path / "a.jpg"
    cv2.imwrite(str(photo), photograph([]))
    arguments = ["--game", "pizza_theory", "--page", "--out", tmp_path / "mine.faces", "--empty", photo, photo]
    result = CliRunner().invoke(command, [str(argument) for argument in arguments])
    assert result.exit_code == 2
    assert "--empty does nothing for pizza_theory" in result.stderr


@pytest.mark.long
def test_pieces_that_touch_are_told_as_they_are_not_found(tmp_path: Path) -> None:
    ring = tmp_path / "ring.jpg"
    names = ["a/1", "a/2", "a/3", "b/1", "b/2"]
    pizza = [Piece(names[i % 5], 0.0, 0.0, i * 360.0 / 11) for i in range(11)]
    cv2.imwrite(str(ring), photograph([*pizza, Piece("special/one", 150.0, 20.0, 90.0)]))
    result = find_in(tmp_path / "mine.json", ring)
    (said,) = [line for line in result.stderr.splitlines() if "larger than pieces" in line]
    assert said.startswith(f"warning: {ring}: something larger than pieces lies on the mat at (")
    x, y = (float(part) for part in re.findall(r"at \((.*), (.*)\) mm", said)[0])
    assert abs(x) < 15
    assert abs(y) < 15
    assert said.endswith("pieces that touch are not found; lay them apart")


@pytest.mark.long
def test_what_each_name_stands_for_is_written_beside_the_drawings(tmp_path: Path) -> None:
    photo = tmp_path / "a.jpg"
    cv2.imwrite(str(photo), photograph(enrolment()[:3]))
    result = find_in(tmp_path / "mine.json", photo)
    names = tmp_path / "mine-found" / "names.txt"
    assert f"{photo}: 3 pieces, numbered in" in result.stdout
    assert result.stdout.endswith(
        "A piece without a number was not found: photograph it once more, on the mat (a cream one beside it), or "
        "outline it on the page.\n"
    )
    assert f'fill in each "face" with a name from {names}, in the order of the numbers' in result.stdout
    lines = [line.split("  ", 1) for line in names.read_text().splitlines()[2:]]
    looks = {line[0].strip(): line[1].strip() for line in lines}
    assert set(looks) == set(faces_of("new_york_slice").faces)
    assert looks["6/1"] == "6 Hawaiian: 2 pepperoni"
    assert looks["7/1"] == "7 White: 2 pepperoni, 1 anchovy"
    assert looks["3/3"] == "3 Veggie: no pepperoni or anchovies"
    assert looks["special/dibs"] == "Dibs!"


@pytest.mark.long
def test_where_places_are_counted_from_a_cards_top_the_owner_is_told_which_side_is_taken_for_it(
    tmp_path: Path,
) -> None:
    photo, labels = tmp_path / "a.jpg", tmp_path / "mine.json"
    assert cv2.imwrite(str(photo), photograph(drawn_cards.enrolment()))
    result = CliRunner().invoke(command, ["--game", "slice", "--find", str(labels), str(photo)])
    assert result.stdout.splitlines()[-1] == (
        "Places are counted from the top of each order card: make sure that it is the thick side of the outline in "
        'the numbered photos; where it is not, add 90, 180 or 270 to the card\'s "angle_deg", which goes '
        "counter-clockwise."
    )
    drawn = np.asarray(cv2.imread(str(tmp_path / "mine-found" / "a.jpg")), np.uint8)
    for card in json.loads(labels.read_text())[0]["pieces"]:
        if card["kind"] == "order-card":
            corners, way = np.array(card["outline_px"]), np.radians(card["angle_deg"])
            sides = (corners + np.roll(corners, -1, axis=0)) / 2
            red = [_red_near(drawn, side) for side in sides]
            ahead = (sides - corners.mean(axis=0)) @ [np.cos(way), -np.sin(way)]
            assert np.argmax(red) == np.argmax(ahead)
            assert max(red) > 1.5 * sorted(red)[-2]
    result = find_in(tmp_path / "other.json", photo)
    assert "are counted from" not in result.stdout


def _red_near(drawn: Image, at: Any) -> int:
    x, y = np.round(at).astype(int)
    near = drawn[y - 6 : y + 7, x - 6 : x + 7].astype(int)
    return int(((near[..., 2] > 180) & (near[..., 1] < 120)).sum())


@pytest.mark.parametrize(
    ("game", "way", "why"),
    [
        ("dice_and_slice", "--find", "there is nothing to enrol of dice_and_slice: its pieces have no faces"),
        ("dice_and_slice", "--out", "there is nothing to enrol of dice_and_slice"),
        ("pizza_theory", "--find", "--find finds slices and cards; expected --page, on which board and toppings"),
    ],
)
def test_pieces_that_are_not_found_by_themselves_are_told(tmp_path: Path, game: str, way: str, why: str) -> None:
    photo = tmp_path / "a.jpg"
    cv2.imwrite(str(photo), photograph([]))
    result = CliRunner().invoke(command, ["--game", game, way, str(tmp_path / "mine.json"), str(photo)])
    assert result.exit_code == 2
    assert why in result.stderr
    assert not (tmp_path / "mine.json").exists()


@pytest.mark.parametrize(
    "content",
    [{"pieces": 5}, {"tables": []}, [[1, 2]], [{"pieces": [7]}], [{"pieces": [{"kind": "tile", "x_mm": 3}]}], 5],
)
def test_what_find_did_not_write_is_not_written_over(tmp_path: Path, content: object) -> None:
    labels, photo = tmp_path / "mine.json", tmp_path / "a.jpg"
    labels.write_text(json.dumps(content))
    before = labels.read_bytes()
    cv2.imwrite(str(photo), photograph(enrolment()))
    result = find_in(labels, photo)
    assert result.exit_code == 1
    assert (
        f"Error: {labels}: it is no labels file of --find; expected a new file, or one that it wrote" in result.stderr
    )
    assert labels.read_bytes() == before


@pytest.mark.long
def test_what_hardly_stands_out_is_numbered_and_learned_if_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.enrolling.spread", spread_doubting_two)
    photo, labels = tmp_path / "a.png", tmp_path / "mine.json"
    assert cv2.imwrite(str(photo), photograph(enrolment()))
    found = find_in(labels, photo)
    assert found.exit_code == 0, found.output
    assert f"{photo}: 7 pieces and 2 doubtful, numbered in " in found.stdout
    assert "may be pieces: 8, 9, in broken lines" in found.stderr
    filled = json.loads(labels.read_text())
    assert [piece.get("doubtful", False) for piece in filled[0]["pieces"]] == [False] * 7 + [True] * 2
    filled[0]["pieces"][8]["face"] = "special/one"
    result = enrol_drawn(tmp_path, filled, "a.png")
    assert result.exit_code == 0, result.output
    assert load_pack(tmp_path / "pack").names == ("special/one",)


@pytest.mark.long
def test_labels_that_find_wrote_are_written_anew_unless_nothing_is_found(tmp_path: Path) -> None:
    labels, photo, bare = tmp_path / "mine.json", tmp_path / "a.jpg", tmp_path / "bare.jpg"
    cv2.imwrite(str(photo), photograph(enrolment()[:3]))
    cv2.imwrite(str(bare), photograph([]))
    for _ in range(2):
        result = find_in(labels, photo)
        assert result.exit_code == 0, result.output
    before = labels.read_bytes()
    result = find_in(labels, bare)
    assert result.exit_code == 1
    assert f"Error: {labels}: not written, as no piece was found; expected pieces that lie apart" in result.stderr
    assert labels.read_bytes() == before


def test_what_is_read_is_never_written_over(tmp_path: Path) -> None:
    labels, photo = tmp_path / "mine.json", tmp_path / "a.jpg"
    cv2.imwrite(str(photo), photograph(enrolment()))
    labels.write_text(json.dumps(label(enrolment())))
    (tmp_path / "link").symlink_to(photo)
    before = labels.read_bytes(), photo.read_bytes()
    learn = ["--game", "new_york_slice", "--labels", labels, photo]
    for named, arguments in (
        (labels, [*learn, "--out", labels]),
        (photo, [*learn, "--out", photo]),
        (tmp_path / "link", [*learn, "--out", tmp_path / "link"]),
        (photo, ["--game", "new_york_slice", "--find", photo, photo]),
    ):
        result = CliRunner().invoke(command, [str(argument) for argument in arguments])
        assert result.exit_code == 2
        also = f" (as {photo})" if named.is_symlink() else ""
        assert f"{named} is read, too{also}; expected another file to write" in result.stderr
        assert (labels.read_bytes(), photo.read_bytes()) == before


def test_a_recording_that_the_page_takes_photos_of_is_never_written_over(tmp_path: Path) -> None:
    film, settings = tmp_path / "film.mp4", tmp_path / "table.toml"
    film.write_bytes(b"a film")
    settings.write_text(f'[camera]\ndriver = "opencv:{film}"\n')
    arguments = ["--game", "new_york_slice", "--page", "--config", str(settings), "--out", str(film)]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 2
    assert f"--out {film} is read, too; expected another file to write" in result.stderr
    assert film.read_bytes() == b"a film"


def test_options_without_any_use_are_refused(tmp_path: Path) -> None:
    labels, photo = tmp_path / "mine.json", tmp_path / "a.jpg"
    cv2.imwrite(str(photo), photograph(enrolment()))
    labels.write_text("[]")
    for said, arguments in (
        ("--out does nothing together with --find", ["--find", labels, "--out", tmp_path / "f", photo]),
        ("--labels does nothing together with --find", ["--find", tmp_path / "new.json", labels, photo]),
        ("--check does nothing together with --page", ["--page", "--check", "--out", tmp_path / "f", photo]),
        ("--port does nothing together with --out", ["--port", "8000", "--out", tmp_path / "f", labels, photo]),
    ):
        result = CliRunner().invoke(command, ["--game", "new_york_slice", *[str(argument) for argument in arguments]])
        assert result.exit_code == 2
        assert f"{said}; expected it left out" in result.stderr


def test_photos_of_one_name_are_refused(tmp_path: Path) -> None:
    photos = [tmp_path / folder / "a.jpg" for folder in ("one", "two")]
    for photo in photos:
        photo.parent.mkdir()
        cv2.imwrite(str(photo), photograph(enrolment()))
    result = find_in(tmp_path / "mine.json", *photos)
    assert result.exit_code == 2
    assert f"2 photos have one name: {photos[0]}, {photos[1]}; expected a name for each" in result.stderr
    with pytest.raises(LabelFileError, match=r'one.a\.jpg: labels with "photo": "a\.jpg" may be of another photo'):
        match_labels(photos, [(MINE, [{"photo": "a.jpg"}])])


@pytest.mark.long
def test_a_photo_that_cannot_be_used_is_named_and_the_others_are_looked_at(tmp_path: Path) -> None:
    good, black, labels = tmp_path / "good.jpg", tmp_path / "black.jpg", tmp_path / "mine.json"
    cv2.imwrite(str(good), photograph(enrolment()))
    cv2.imwrite(str(black), 0 * photograph([]))
    result = find_in(labels, black, good)
    assert result.exit_code == 1
    assert "Error: black.jpg: the picture's brightest part is 0 of 255" in result.stderr
    assert f"1 of 2 photos could not be used: {black}" in result.stderr
    assert [photo["photo"] for photo in json.loads(labels.read_text())] == ["good.jpg"]


@pytest.mark.long
def test_two_looks_under_one_name_are_said(tmp_path: Path) -> None:
    labels = label(enrolment())
    result = enrol_drawn(tmp_path, labels)
    assert "this name" not in result.stdout
    labels["pieces"][1]["face"] = labels["pieces"][0]["face"]
    result = enrol_drawn(tmp_path, labels)
    assert result.exit_code == 0, result.output
    assert "mm does not look like another of this name; 2 pieces have this name: is it right for each?" in result.stdout


@pytest.mark.long
def test_a_photo_that_cannot_be_used_keeps_no_other_from_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, black = tmp_path / "good.jpg", tmp_path / "black.jpg"
    cv2.imwrite(str(good), photograph(enrolment()))
    cv2.imwrite(str(black), 0 * photograph([]))
    desk = Desk(faces_of("new_york_slice"), tmp_path / "mine.faces", None)
    show_all(desk, [black, good])
    shown, errors = capsys.readouterr()
    assert f"{good}: " in shown
    assert "black.jpg: the picture's brightest part is 0 of 255" in errors
    assert "this photo is not on the page" in errors
    with pytest.raises(VisionError, match=r"black\.jpg"):
        show_all(desk, [black])


@pytest.mark.parametrize("asked", [["doctor", "--json"], ["run"]])
def test_the_command_that_doctor_and_run_say_can_be_typed_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: list[str]
) -> None:
    def no_camera(config: TableConfig, world: Path | None) -> Camera:
        raise CameraLost(f"{config.camera.driver} is asked for")

    monkeypatch.setattr("controller.cli.enrol_page.open_table_camera", no_camera)
    here = tmp_path / "my tables"
    here.mkdir()
    (here / "my.toml").write_text('faces = "{game}.faces"\n[camera]\ndriver = "opencv:none.mp4"\n')
    monkeypatch.chdir(tmp_path)
    said = CliRunner().invoke(main, [*asked, "--config", "my tables/my.toml"]).output
    typed = shlex.split(re.findall(r"`(pizzatable enrol .*?)`", said)[0])
    monkeypatch.chdir("/")
    result = CliRunner().invoke(main, typed[1:])
    assert result.output == "Error: opencv:none.mp4 is asked for\n"
    assert typed[typed.index("--out") + 1] == str(here / "new_york_slice.faces")


@pytest.mark.parametrize("content", [b"", b"no picture"])
def test_a_photo_that_is_none_is_named(tmp_path: Path, content: bytes) -> None:
    photo, labels = tmp_path / "a.jpg", tmp_path / "a.json"
    photo.write_bytes(content)
    labels.write_text(json.dumps({"photo": "a.jpg", "pieces": []}))
    arguments = ["--game", "new_york_slice", "--out", str(tmp_path / "pack"), "--labels", str(labels), str(photo)]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 1
    assert re.search(rf"{photo}: .*expected a picture such as JPEG or PNG", result.stderr)
    assert not (tmp_path / "pack").exists()


def test_an_unknown_game_is_named() -> None:
    result = CliRunner().invoke(command, ["--game", "chess", "--out", "x", "--labels", "y", "z"])
    assert result.exit_code == 2
    assert "'chess'" in result.stderr
    assert "new_york_slice" in result.stderr


def test_photos_that_several_pages_ask_for_at_once_are_taken_one_after_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Raspberry Pi's camera gives two that read it at once the same picture, which each then gives back."""

    class Camera:
        reading, most = 0, 0

        def read(self, timeout_s: float) -> Frame:
            self.reading += 1
            self.most = max(self.most, self.reading)
            time.sleep(0.002)
            self.reading -= 1
            return Frame(np.zeros((4, 4, 3), np.uint8), 0.0, 0)

        def close(self) -> None:
            pass

    camera = Camera()
    monkeypatch.setattr("controller.cli.enrol_page.open_table_camera", lambda config, world: camera)
    (tmp_path / "table.toml").write_text('[camera]\ndriver = "opencv:0"\n')
    with (
        _camera(load_table([tmp_path / "table.toml"]), tmp_path / "mine.faces") as take,
        ThreadPoolExecutor(4) as pages,
    ):
        list(pages.map(lambda _: take(), range(4)))
    assert camera.most == 1


def test_each_picture_of_a_folder_is_a_photo_and_after_the_last_one_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "camera").mkdir()
    for number in range(2):
        cv2.imwrite(str(tmp_path / f"camera/{number}.png"), np.full((4, 4, 3), number, np.uint8))
    (tmp_path / "table.toml").write_text(f'[camera]\ndriver = "opencv:{tmp_path}/camera"\n')
    with _camera(load_table([tmp_path / "table.toml"]), tmp_path / "mine.faces") as take:
        assert [take().max() for _ in range(2)] == [0, 1]
        with pytest.raises(RecordingEnded, match="ended after 2 pictures"):
            take()


def test_the_pages_address_is_a_number_as_not_every_phone_finds_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.addresses._own_host", lambda: "192.168.1.20")
    assert address_elsewhere(8081, "secret-1") == "http://192.168.1.20:8081/?host=secret-1"


FAR = [(x, y) for x in (-500.0, 500.0) for y in (-150.0, 0.0, 150.0)]
NEAR = [(x, y) for x in (-320.0, 320.0) for y in (-110.0, 110.0)]


def too_large(found: Path, labels: Mapping[str, Any]) -> tuple[float, float]:
    """How many times wider pieces far from the mat and near it are outlined than they are, in the median."""
    outlines = [np.array(piece["outline_px"], np.float32) for piece in json.loads(found.read_text())[0]["pieces"]]

    def wider(places: list[tuple[float, float]]) -> float:
        shares = []
        for truth in labels["pieces"]:
            true = np.array(truth["outline_px"], np.float32)
            if (round(truth["x_mm"], -1), round(truth["y_mm"], -1)) in places:
                near = min(outlines, key=lambda one: float(np.linalg.norm(one.mean(0) - true.mean(0))))
                shares.append(np.sqrt(cv2.contourArea(near) / cv2.contourArea(true)))
        return float(np.median(shares))

    return wider(FAR), wider(NEAR)


@pytest.mark.long
def test_what_lies_far_out_is_outlined_by_the_calibrated_lens(tmp_path: Path) -> None:
    """Without one it is told that a guessed lens may be wrong there; another camera's shows what it does."""
    faces = [name for name in FAMILIES["cards"].art() if name.startswith("order/order-")]
    laid = [
        PieceView(face, PieceKind.ORDER_CARD, face, True, Pose(x, y, 95.0), 0.0, 1.0, (0.0, 0.0), None)
        for face, (x, y) in zip(faces, [*FAR, *NEAR], strict=False)
    ]
    seen = Conditions(k1=-0.08, height_mm=800.0, noise=2.0)
    camera, photo = seen.camera_model(1280, 720), tmp_path / "a.png"
    image, labels = photograph_simulated(FAMILIES["cards"], laid, seen, (1280, 720))
    cv2.imwrite(str(photo), image)
    lens, others = tmp_path / "lens.json", tmp_path / "others.json"
    for path, k1 in ((lens, camera.k1), (others, 0.02)):
        about = {"camera": "mine", "size_px": [1280, 720], "lens": asdict(Lens(camera.focal_px / 1280, k1))}
        path.write_text(json.dumps(about))

    def find(name: str, *more: str) -> Result:
        return CliRunner().invoke(command, ["--game", "slice", "--find", str(tmp_path / name), *more, str(photo)])

    guessed, calibrated = find("guessed.json"), find("calibrated.json", "--lens", str(lens))
    assert "more than 40 cm from the mat's middle" in guessed.stderr
    assert "40 cm" not in calibrated.stderr
    far, near = too_large(tmp_path / "calibrated.json", labels)
    assert far == pytest.approx(near, abs=0.006)
    assert "another camera" in find("by-others.json", "--lens", str(others)).stderr
    far, near = too_large(tmp_path / "by-others.json", labels)
    assert far > near + 0.015
    about["size_px"] = [1000, 1000]
    lens.write_text(json.dumps(about))
    refused = find("refused.json", "--lens", str(lens))
    assert refused.exit_code == 1
    assert "lens.json: it was made from pictures of 1000x1000" in refused.output
