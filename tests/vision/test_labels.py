"""Labels files: whatever they hold, they are read or refused with the place, the value and what was expected."""

import json
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.files.label_kinds import EVERY_KIND, LABEL_KINDS, LabelError
from vision.files.labels import (
    TrueDots,
    TruePips,
    check_outlines,
    check_size,
    labels_to_compare,
    labels_to_learn,
    load_json,
    load_labels,
    sheet_label,
)
from vision.scene import PieceKind

OUTLINE = [[10, 10], [20, 10], [15, 20]]
POSE = {"x_mm": 1.5, "y_mm": 2, "angle_deg": 90}
TILE = {"kind": "tile", "face": "3/1", **POSE, "outline_px": OUTLINE}
BOARD = {"kind": "board", "face": "board", **POSE, "diameter_mm": 260.0}
TOPPING = {"kind": "topping", "colour": "red", **POSE, "space": "1,-1,0", "outline_px": OUTLINE}
CUTTER = {
    "kind": "cutter",
    "colour": "red",
    **POSE,
    "ends_mm": [[-120, 0], [120, 0]],
    "diameter_mm": 3,
    "outline_px": OUTLINE,
}
PIPS, DOTS = {"kind": "die", "value": 3, **POSE}, {"kind": "die", "pattern": ["#..", "...", "..#"], **POSE}
SHEET = {
    "dots": [[0, 1]],
    "lines": [[[0, 1], [1, 1]]],
    "crossed": [{"square": [2, 3], "kind": "olive"}],
    "circled": [0],
    "crossed_bonuses": [],
}


def refusal(check: Callable[[], object]) -> str:
    with pytest.raises(LabelError) as caught:
        check()
    return str(caught.value)


# Files ----------------------------------------------------------------------------------------------------------------


def test_a_file_holds_one_photos_labels_or_a_list(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    one = {"photo": "a.jpg", "pieces": [TILE]}
    path.write_text(json.dumps(one))
    assert load_labels(path) == [one]
    path.write_text("\ufeff" + json.dumps([one, {"pieces": []}]), encoding="utf-8")
    assert load_labels(path) == [one, {"pieces": []}]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty; expected JSON"),
        (b" \n", "the file is empty; expected JSON"),
        ("{}".encode("utf-16"), "byte 0 is not UTF-8; expected a JSON file in UTF-8"),
        (b'{"photo": "K\xe4se"}', "byte 12 is not UTF-8"),
        (b"{hello", "line 1, column 2 is not JSON; expected a whole JSON file"),
        (b'{"pieces": [\n{"kind": "tile",', "line 2, column 17, where the file ends, is not JSON"),
        (b"[" * 100000, "lists or objects are nested too deep"),
        (b"9" * 5000, "a number has too many digits"),
        (b'{"photo": "a", "photo": "b", "pieces": []}', 'the key "photo" stands twice in an object; expected it once'),
        (b'{"pieces": [{"kind": "tile", "kind": "die"}]}', 'the key "kind" stands twice'),
        (b"3", "is 3; expected an object with a photo's labels, or a list"),
        (b"null", "is null; expected an object"),
        (b"[]", "it holds an empty list; expected an object"),
        (b'[{"pieces": []}, 7]', "photo 2 of 2 is 7; expected an object"),
        (b"[[]]", "photo 1 of 1 is a list of 0; expected an object"),
        (b"{}", "pieces is missing; expected a list of pieces"),
        (b'{"pieces": {"a": 1}}', "pieces is an object; expected a list of pieces"),
        (b'{"pieces": [7]}', "pieces[0] (piece 1 of 1) is 7; expected an object with its kind"),
        (b'{"photo": 5, "pieces": []}', "photo is 5; expected the photo's file name as text"),
        (b'{"photo": "\\ud800", "pieces": []}', 'photo is "\\ud800"; expected the photo\'s file name as text'),
        (b'{"image": {"width": 7.5, "height": 1}, "pieces": []}', "image.width is 7.5; expected a whole number of pix"),
        (b'{"image": [1280, 720], "pieces": []}', "image is a list of 2; expected an object with the photo's width"),
        (b'[{"pieces": [{}]}]', "photo 1 of 1: pieces[0].kind (piece 1 of 1) is missing; expected one of tile"),
    ],
)
def test_a_file_that_holds_no_labels_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "mine.json"
    path.write_bytes(content)
    message = refusal(lambda: load_labels(path))
    assert message.startswith(str(path))
    assert said in message
    assert "; expected " in message
    message.encode("utf-8")


# Pieces ---------------------------------------------------------------------------------------------------------------


def test_right_labels_are_read() -> None:
    learned = labels_to_learn({"pieces": [TILE, {"kind": "cutter", "face": None}, {**TILE, "face": ""}]}, "mine")
    assert [(one.face, one.face_up, one.y_mm, one.outline_px) for one in learned.faces] == [("3/1", True, 2, OUTLINE)]
    assert learned.board is None
    board = labels_to_learn({"pieces": [BOARD, TOPPING, {**TOPPING, "space": None}, CUTTER, TILE]}, "mine").board
    assert board is not None
    assert [topping.space for topping in board.toppings] == ["1,-1,0", None]
    assert [(c.ends_mm, c.ends_px) for c in board.cutters] == [(CUTTER["ends_mm"], None)]
    assert len(board.outlines_px) == 4
    compared = labels_to_compare({"pieces": [TILE, {"kind": "hand"}, PIPS, DOTS, TOPPING]}, "mine")
    assert [kind for kind, _ in compared] == [PieceKind.SLICE, PieceKind.DIE, PieceKind.DIE, PieceKind.TOPPING]
    assert isinstance(compared[1][1], TruePips)
    assert isinstance(compared[2][1], TrueDots)


NUMBER = "expected a number of millimetres from -10000 to 10000"
POINTS = "expected at least three points [x, y] in pixels"
NAN = float("nan")


@pytest.mark.parametrize(
    ("piece", "key", "value", "said"),
    [
        (TILE, "kind", None, ".kind (piece 2 of 2) is null; expected one of tile, "),
        (TILE, "kind", [], ".kind (piece 2 of 2) is a list of 0; expected one of tile, "),
        (TILE, "kind", "spaceship", '.kind (piece 2 of 2) is "spaceship"; expected one of tile, '),
        (TILE, "face", None, ".face (piece 2 of 2) is null; expected the face's name as text"),
        (TILE, "face", 7, ".face (piece 2 of 2) is 7; expected the face's name as text"),
        (TILE, "face", "\x1b[31mred", '.face (piece 2 of 2) is "\\u001b[31mred"; expected the face\'s name as text'),
        (
            TILE,
            "face",
            "a\nb",
            '.face (piece 2 of 2) is "a\\nb"; expected the face\'s name as text of 100 letters at most',
        ),
        (TILE, "face", "x" * 101, "expected the face's name as text of 100 letters at most"),
        (TILE, "face", "\udcff", '.face (piece 2 of 2) is "\\udcff"; expected the face\'s name as text'),
        (TILE, "face_up", "yes", '.face_up (piece 2 of 2) is "yes"; expected true or false'),
        (TILE, "face_up", 1, ".face_up (piece 2 of 2) is 1; expected true or false"),
        (TILE, "x_mm", "here", f'.x_mm (piece 2 of 2) is "here"; {NUMBER}'),
        (TILE, "x_mm", True, f".x_mm (piece 2 of 2) is true; {NUMBER}"),
        (TILE, "x_mm", NAN, f".x_mm (piece 2 of 2) is NaN; {NUMBER}"),
        (TILE, "x_mm", -float("inf"), f".x_mm (piece 2 of 2) is -Infinity; {NUMBER}"),
        (TILE, "y_mm", 1e300, f".y_mm (piece 2 of 2) is 1e+300; {NUMBER}"),
        (TILE, "y_mm", -10001, f".y_mm (piece 2 of 2) is -10001; {NUMBER}"),
        (TILE, "y_mm", 10**400, f".y_mm (piece 2 of 2) is a number of more than 50 digits; {NUMBER}"),
        (TILE, "angle_deg", [1], ".angle_deg (piece 2 of 2) is a list of 1; expected a number of degrees"),
        (TILE, "angle_deg", {}, ".angle_deg (piece 2 of 2) is an object; expected a number of degrees"),
        (TILE, "outline_px", None, f".outline_px (piece 2 of 2) is null; {POINTS}"),
        (TILE, "outline_px", [[1, 2]], f".outline_px (piece 2 of 2) is a list of 1; {POINTS}"),
        (TILE, "outline_px", [[1, 2], [3, 4], [5]], f".outline_px[2] (piece 2 of 2) is a list of 1; {POINTS}"),
        (TILE, "outline_px", [[1, 2], [3, 4], [5, 6, 7]], f".outline_px[2] (piece 2 of 2) is a list of 3; {POINTS}"),
        (TILE, "outline_px", [[NAN, 1], [2, 3], [4, 5]], f".outline_px[0][0] (piece 2 of 2) is NaN; {POINTS}"),
        (TILE, "outline_px", [[0, -1e6], [2, 3], [4, 5]], f".outline_px[0][1] (piece 2 of 2) is -1000000.0; {POINTS}"),
        (
            TILE,
            "corners_px",
            [[1, 2]] * 5,
            ".corners_px (piece 2 of 2) is a list of 5; expected a list of its three or",
        ),
        (TILE, "corners_px", [[1, NAN]], ".corners_px[0][1] (piece 2 of 2) is NaN; expected a list of its three or f"),
        (TILE, "corners_px", [], ".corners_px (piece 2 of 2) is a list of 0; expected a list of its three or four"),
        (TILE, "removed", 1, ".removed (piece 2 of 2) is 1; expected true or false"),
        (TILE, "doubtful", 1, ".doubtful (piece 2 of 2) is 1; expected true or false"),
        (TILE, "removed", True, ".removed (piece 2 of 2) is true and its face is '3/1'; expected one of them alone"),
        (TILE | {"face": "", "corners_px": [[1, 2]] * 3}, "removed", True, ".removed (piece 2 of 2) is true and its c"),
        (BOARD, "diameter_mm", -260.0, ".diameter_mm (piece 1 of 2) is -260.0; expected a number of millimetres, 50"),
        (TOPPING, "colour", "", '.colour (piece 2 of 2) is ""; expected a colour\'s name as text'),
        (TOPPING, "diameter_mm", 0, ".diameter_mm (piece 2 of 2) is 0; expected a number of millimetres, 5 to 100"),
        (TOPPING, "space", "B2", '.space (piece 2 of 2) is "B2"; expected coordinates such as "1,-1,0"'),
        (TOPPING, "space", "1,1,1", '.space (piece 2 of 2) is "1,1,1"; expected coordinates such as "1,-1,0"'),
        (TOPPING, "space", "²,-1,-1", '.space (piece 2 of 2) is "²,-1,-1"; expected coordinates'),
        (CUTTER, "ends_mm", [[1, 2]], ".ends_mm (piece 2 of 2) is a list of 1; expected two points [x, y] in millim"),
        (CUTTER, "ends_mm", [[1, 2], [1, 2]], ".ends_mm (piece 2 of 2) is a list of 2; expected two points"),
        (
            CUTTER,
            "ends_mm",
            [[0, 0], [0, 900]],
            ".ends_mm (piece 2 of 2) is a list of 2; expected two points [x, y] in",
        ),
        (CUTTER, "ends_px", [[1, 2], [1, 2]], ".ends_px (piece 2 of 2) is a list of 2; expected two points [x, y] in"),
        (CUTTER, "ends_px", [[1, 2], [3]], ".ends_px[1] (piece 2 of 2) is a list of 1; expected two points [x, y] in"),
        (CUTTER, "diameter_mm", "thin", '.diameter_mm (piece 2 of 2) is "thin"; expected a number of millimetres'),
        ({"kind": "hand", "outline_px": OUTLINE}, "outline_px", 3, f".outline_px (piece 2 of 2) is 3; {POINTS}"),
    ],
)
def test_a_wrong_value_to_learn_from_is_named(piece: dict[str, Any], key: str, value: object, said: str) -> None:
    pieces = [{**piece, key: value}, TILE] if piece is BOARD else [BOARD, {**piece, key: value}]
    message = refusal(lambda: labels_to_learn({"pieces": pieces}, "mine.json"))
    assert message.startswith(f"mine.json: pieces[{pieces.index({**piece, key: value})}].")
    assert said in message


@pytest.mark.parametrize("piece", [TILE, BOARD, TOPPING, CUTTER], ids=lambda piece: str(piece["kind"]))
def test_a_missing_key_to_learn_from_is_named(piece: dict[str, Any]) -> None:
    spared = {"face", "space"} if piece is not TILE else set()
    spared |= {"x_mm", "y_mm", "angle_deg"} if piece is CUTTER else {"angle_deg"} if piece is TOPPING else set()
    for key in piece.keys() - spared:
        pieces = [{name: value for name, value in piece.items() if name != key}] + [BOARD] * (piece is not BOARD)
        message = refusal(partial(labels_to_learn, {"pieces": pieces}, "mine"))
        assert message.startswith(f"mine: pieces[0].{key} (piece 1 of {len(pieces)}) is missing; expected "), key


def test_two_boards_in_a_photo_are_refused() -> None:
    message = refusal(lambda: labels_to_learn({"pieces": [BOARD, BOARD]}, "mine"))
    assert message == "mine: 2 pieces are of kind board; expected one board in a photo"


@pytest.mark.parametrize(
    ("piece", "key", "value", "said"),
    [
        (TILE, "face", 3, ".face (piece 1 of 1) is 3; expected the face's name as text"),
        (TILE, "visible", 1.5, ".visible (piece 1 of 1) is 1.5; expected the share that shows, 0 to 1"),
        (TILE, "visible", NAN, ".visible (piece 1 of 1) is NaN; expected the share that shows, 0 to 1"),
        (CUTTER, "colour", None, ".colour (piece 1 of 1) is null; expected a colour's name"),
        (CUTTER, "x_mm", NAN, f".x_mm (piece 1 of 1) is NaN; {NUMBER}"),
        (PIPS, "value", 7, ".value (piece 1 of 1) is 7; expected a whole number from 1 to 6"),
        (PIPS, "value", 3.0, ".value (piece 1 of 1) is 3.0; expected a whole number from 1 to 6"),
        (DOTS, "pattern", ["...", "..."], '.pattern (piece 1 of 1) is a list of 2; expected three rows such as "#.."'),
        (DOTS, "pattern", ["...", "...", "x.."], '.pattern[2] (piece 1 of 1) is "x.."; expected three rows such as'),
        (DOTS, "pattern", ["...", "...", "..#\n"], ".pattern[2] (piece 1 of 1) is "),
    ],
)
def test_a_wrong_value_to_compare_with_is_named(piece: dict[str, Any], key: str, value: object, said: str) -> None:
    labels = {"pieces": [{**piece, key: value}]}
    message = refusal(lambda: labels_to_compare(labels, "mine"))
    assert message.startswith("mine: pieces[0]" + said)
    assert labels_to_compare(labels, "mine", frozenset({PieceKind.SHEET})) == []


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("dots",), None, "arrangement.sheet.dots is null; expected a list of dots [column, row]"),
        (("dots",), [[1, 2, 3]], "arrangement.sheet.dots[0] is a list of 3; expected a list of dots"),
        (("dots",), [[1, -2]], "arrangement.sheet.dots[0][1] is -2; expected a list of dots"),
        (("lines",), [[[0, 1]]], "arrangement.sheet.lines[0] is a list of 1; expected a list of lines"),
        (("crossed",), [[2, 3]], 'arrangement.sheet.crossed[0] is a list of 2; expected a list of toppings such as {"'),
        (("crossed",), [{}], "arrangement.sheet.crossed[0].square is missing; expected a square [column, row]"),
        (("circled",), ["1"], 'arrangement.sheet.circled[0] is "1"; expected a list of the boxes\' numbers'),
        ((), [], "arrangement.sheet is a list of 0; expected an object with the marks of a score sheet"),
    ],
)
def test_a_wrong_mark_is_named(path: tuple[str, ...], value: object, said: str) -> None:
    labels = {"arrangement": {"sheet": {**SHEET, path[0]: value} if path else value}}
    assert refusal(lambda: sheet_label(labels, "mine")).startswith(f"mine: {said}")
    assert sheet_label({"arrangement": {"sheet": SHEET}}, "mine").crossed[0].square == [2, 3]


def test_labels_of_a_photo_of_another_size_are_refused() -> None:
    check_size({"pieces": []}, 640, 360, "mine")
    check_size({"pieces": [], "image": {"width": 640, "height": 360}}, 640, 360, "mine")
    message = refusal(lambda: check_size({"pieces": [], "image": {"width": 640, "height": 361}}, 640, 360, "mine"))
    assert message.startswith("mine: image says 640 x 361 pixels; the photo has 640 x 360; expected ")


def test_an_outline_outside_its_picture_is_refused() -> None:
    partly = {**TILE, "outline_px": [[-50, -50], [10, -50], [10, 10]]}
    check_outlines({"pieces": [TILE, partly, {"kind": "die"}]}, 200, 100, "mine.json")
    for outline in ([[-50, -50], [-40, -50], [-45, -40]], [[50, 101], [60, 101], [60, 120]]):
        labels = {"pieces": [TILE, {**TILE, "outline_px": outline}]}
        message = refusal(partial(check_outlines, labels, 200, 100, "mine.json"))
        assert message.startswith("mine.json: pieces[1].outline_px (piece 2 of 2) goes from x ")
        assert message.endswith("expected it in the picture, at least in part: 200 x 100 pixels")


# Anything -------------------------------------------------------------------------------------------------------------

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from([10**400, "\ud800"])
ANY = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
KEYS = sorted({*TILE, *BOARD, *TOPPING, *CUTTER, *DOTS, *PIPS, "ends_px", "visible", "face_up"})
RIGHT = {
    "photo": "a.jpg",
    "image": {"width": 20, "height": 20},
    "pieces": [TILE, BOARD, TOPPING, CUTTER, PIPS, DOTS, {"kind": "hand", "outline_px": OUTLINE}],
    "arrangement": {"sheet": SHEET},
}


@st.composite
def spoilt(draw: st.DrawFn) -> object:
    """Right labels in which something is another thing."""
    labels: Any = deepcopy(RIGHT)
    for _ in range(draw(st.integers(1, 3))):
        place: Any = labels
        for _ in range(draw(st.integers(0, 4))):
            inner = [
                one for one in (place.values() if isinstance(place, dict) else place) if isinstance(one, dict | list)
            ]
            if inner:
                place = draw(st.sampled_from(inner))
        if isinstance(place, dict):
            place[draw(st.sampled_from([*KEYS, *place]))] = draw(ANY)
        elif place:
            place[draw(st.integers(0, len(place) - 1))] = draw(ANY)
    return labels


def says_what_was_expected(check: Callable[[], object], where: str) -> None:
    """Run a check; where it refuses, it does so with a message that any terminal can show."""
    try:
        check()
    except LabelError as error:
        said = str(error)
    else:
        return
    assert said.startswith(where)
    assert "; expected " in said
    said.encode("utf-8")


@settings(max_examples=300, deadline=None)
@given(ANY | spoilt())
def test_any_labels_are_read_or_refused_with_what_was_expected(labels: object) -> None:
    checks: list[Callable[[], object]] = [
        lambda: labels_to_learn(labels, "mine"),
        lambda: labels_to_compare(labels, "mine"),
        lambda: sheet_label(labels, "mine"),
    ]
    if isinstance(labels, dict):
        checks += [lambda: check_size(labels, 20, 20, "mine"), lambda: check_outlines(labels, 20, 20, "mine")]
    for check in checks:
        says_what_was_expected(check, "mine")


@settings(max_examples=200, deadline=None)
@given(st.binary() | st.builds(lambda labels: json.dumps(labels).encode(), ANY | spoilt()), st.integers(0, 400))
def test_any_file_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes, cut: int) -> None:
    path = tmp_path_factory.mktemp("any") / "mine.json"
    for part in (content, content[:cut]):
        path.write_bytes(part)
        says_what_was_expected(lambda: load_labels(path), str(path))
        says_what_was_expected(lambda: load_json(path), str(path))


def test_every_kind_has_its_check() -> None:
    assert set(LABEL_KINDS) < set(EVERY_KIND)
    for kind in LABEL_KINDS:
        assert len(labels_to_learn({"pieces": [{**TILE, "kind": kind}]}, "mine").faces) == 1
