"""The page on which an owner names pieces: its API from outside, on a drawn table."""

import asyncio
import contextlib
import errno
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
import pytest
from fastapi import FastAPI, HTTPException

from controller.enrolling import Naming, label_of
from controller.games.slice.describe import describe
from controller.web.enrolling import Desk, Outline, PieceName, create_enrolling_app
from controller.web.enrolling_board import BoardDesk
from controller.whose_faces import GameFaces, faces_of
from hardware.camera import CameraLost
from tests.controller.found_once import spread_doubting_two, spread_once
from tests.vision import drawn_cards
from tests.vision.drawn_table import enrolment, label, photograph
from vision.files.label_kinds import LabelError
from vision.frame import Image
from vision.pieces.faces import KindFaces, load_pack, save_pack
from vision.reader import read_photo
from vision.scene import PieceKind

KINDS = frozenset({PieceKind.SLICE, PieceKind.SPECIAL})
FACES = ("a/1", "a/2", "a/3", "b/1", "b/2", "b/3", "back", "special/one", "special/two", "special/back")
TOKEN = "secret"


def request(app: FastAPI, method: str, path: str, *, token: str | None = TOKEN, **arguments: Any) -> httpx.Response:
    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=("192.0.2.7", 40000))
        async with httpx.AsyncClient(transport=transport, base_url="http://table.local:8081") as session:
            headers = {"X-Host-Token": token} if token else {}
            return await session.request(method, path, headers=headers, **arguments)

    return asyncio.run(send())


def app_for(tmp_path: Path, pictures: Sequence[Image] = ()) -> FastAPI:
    waiting = list(pictures)

    def take() -> Image:
        if not waiting:
            raise CameraLost("the camera is gone")
        return waiting.pop(0)

    desk = Desk(GameFaces("drawn", KINDS, FACES), tmp_path / "mine.faces", take)
    return create_enrolling_app(desk, version="1", token=TOKEN)


@pytest.fixture(autouse=True)
def found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.web.enrolling.spread", spread_once)


@pytest.fixture(scope="module")
def picture() -> Image:
    return photograph(enrolment())


def test_pieces_are_photographed_named_and_learned(tmp_path: Path, picture: Image) -> None:
    app = app_for(tmp_path, [photograph([]), picture])
    assert request(app, "POST", "/api/enrol/photo?empty=true").json()["empty"] is True
    view = request(app, "POST", "/api/enrol/photo").json()
    assert [len(photo["pieces"]) for photo in view["photos"]] == [9]
    truth = label(enrolment())["pieces"]
    for piece in view["photos"][0]["pieces"]:
        crop = request(app, "GET", f"/api/enrol/photo/0/{piece['number']}.jpg")
        cut = cv2.imdecode(np.frombuffer(crop.content, np.uint8), 1)
        assert cut is not None
        assert cut.shape == (158, 140, 3)
    # Named by where they lie, as an owner names them by how they look.
    labels_path = tmp_path / "mine.labels.json"
    request(app, "POST", "/api/enrol/name", json={"photo": 0, "number": 1, "face": "a/1"})
    assert request(app, "POST", "/api/enrol/learn").status_code == 200
    laid = json.loads(labels_path.read_text())[0]["pieces"]
    for number, piece in enumerate(laid, 1):
        there = min(truth, key=lambda one: np.hypot(one["x_mm"] - piece["x_mm"], one["y_mm"] - piece["y_mm"]))
        said = {"photo": 0, "number": number, "face": there["face"]}
        view = request(app, "POST", "/api/enrol/name", json=said).json()
    assert {piece["face"] for piece in view["photos"][0]["pieces"]} == {piece["face"] for piece in truth}
    learned = request(app, "POST", "/api/enrol/learn").json()
    assert learned == {"file": "mine.faces", "faces": 9, "missing": ["b/3"], "notes": []}
    assert set(load_pack(tmp_path / "mine.faces").names) == {piece["face"] for piece in truth}
    preview = cv2.imread(str(tmp_path / "mine.preview.jpg"))
    assert preview is not None
    assert preview.std() > 10


def test_names_that_the_game_does_not_have_are_told_when_they_are_learned(tmp_path: Path, picture: Image) -> None:
    app = app_for(tmp_path, [picture])
    request(app, "POST", "/api/enrol/photo")
    request(app, "POST", "/api/enrol/name", json={"photo": 0, "number": 1, "face": "Margarita"})
    assert request(app, "POST", "/api/enrol/learn").json()["notes"] == ["drawn has no such faces: Margarita"]


def test_a_card_that_lies_upside_down_is_turned(tmp_path: Path, picture: Image) -> None:
    app = app_for(tmp_path, [picture])
    view = request(app, "POST", "/api/enrol/photo").json()
    card = next(piece for piece in view["photos"][0]["pieces"] if piece["kind"] == "special")
    said = {"photo": 0, "number": card["number"], "face": "special/one"}
    angles = []
    for turn_deg in (0, 180):
        request(app, "POST", "/api/enrol/name", json={**said, "turn_deg": turn_deg})
        request(app, "POST", "/api/enrol/learn")
        pieces = json.loads((tmp_path / "mine.labels.json").read_text())[0]["pieces"]
        angles.append(pieces[card["number"] - 1]["angle_deg"])
    assert (angles[1] - angles[0]) % 360 == pytest.approx(180.0)


IN_ANY_TURN = [
    replace(card, angle_deg=card.angle_deg + 90.0 * number) for number, card in enumerate(drawn_cards.enrolment())
]


def desk_of_cards(tmp_path: Path) -> Desk:
    desk = Desk(faces_of("slice"), tmp_path / "mine.faces", None)
    desk.add("cards.jpg", photograph(IN_ANY_TURN))
    return desk


def turn_cards(desk: Desk, tmp_path: Path) -> None:
    """Name all cards, and turn each as it lies: by what nobody can tell but who sees its picture."""
    desk.name(PieceName(photo=0, number=1, face=""))
    found = json.loads((tmp_path / "mine.labels.json").read_text())[0]["pieces"]
    for piece, label_ in zip(desk.view().photos[0].pieces, found, strict=True):
        truth = min(IN_ANY_TURN, key=lambda one: np.hypot(one.x_mm - label_["x_mm"], one.y_mm - label_["y_mm"]))
        turns = round((truth.angle_deg - label_["angle_deg"]) / piece.step_deg)
        desk.name(PieceName(photo=0, number=piece.number, face=truth.face, turn_deg=turns * piece.step_deg % 360))


@pytest.mark.long
def test_square_cards_are_turned_by_quarters_and_places_counted_from_their_tops(tmp_path: Path) -> None:
    """Nothing tells which side of a square is its top: the owner does, or its places are all counted wrongly."""
    desk = desk_of_cards(tmp_path)
    turn_cards(desk, tmp_path)
    turns = {piece.face: piece.turn_deg for piece in desk.view().photos[0].pieces}
    assert {turn % 180 for face, turn in turns.items() if face in drawn_cards.ORDERS} == {0, 90}
    for piece in json.loads((tmp_path / "mine.labels.json").read_text())[0]["pieces"]:
        truth = next(one for one in IN_ANY_TURN if one.face == piece["face"])
        assert abs((piece["angle_deg"] - truth.angle_deg + 180.0) % 360.0 - 180.0) < 3.0
    desk.learn()
    seats = describe(read_photo(photograph(drawn_cards.TABLE), load_pack(tmp_path / "mine.faces")))["seats"]
    assert [slot["face"] for slot in seats["west"]["slots"]] == [
        None, "slice/olive", None, "slice/tomato", "slice/olive", None, "slice/onion", None
    ]  # fmt: skip
    again = desk_of_cards(tmp_path)
    again.resume(pytest.fail)
    assert said_of(again) == said_of(desk)


@pytest.mark.long
def test_a_card_is_shown_as_it_will_be_learned(tmp_path: Path) -> None:
    desk = desk_of_cards(tmp_path)
    card = next(piece for piece in desk.view().photos[0].pieces if piece.kind == "order-card")
    shown = []
    for turn_deg in (0, 90):
        desk.name(PieceName(photo=0, number=card.number, face="", turn_deg=turn_deg))
        shown.append(desk.piece(0, card.number)[9:149].astype(int))
    off = [np.abs(shown[1] - np.rot90(shown[0], turns)).mean() for turns in range(4)]
    assert np.argmin(off) == 3, "clockwise by a quarter"
    again = desk_of_cards(tmp_path)
    again.resume(pytest.fail)
    assert said_of(again)[card.number - 1] == ("", 90), "turned first, named later"


@pytest.mark.long
def test_only_what_a_shape_leaves_open_is_turned(tmp_path: Path) -> None:
    desk = desk_of_cards(tmp_path)
    pieces = desk.view().photos[0].pieces
    assert {piece.kind: piece.step_deg for piece in pieces} == {"slice-card": 180, "order-card": 90}
    number = next(piece.number for piece in pieces if piece.kind == "slice-card")
    with pytest.raises(HTTPException, match="turn_deg 90: expected a multiple of 180, as piece") as refused:
        desk.name(PieceName(photo=0, number=number, face="", turn_deg=90))
    assert refused.value.status_code == 422


def test_a_piece_outlined_as_another_kind_keeps_its_name_and_no_turn_that_it_cannot_have(tmp_path: Path) -> None:
    desk = desk_of_cards(tmp_path)
    card = next(piece for piece in desk.view().photos[0].pieces if piece.kind == "order-card")
    desk.name(PieceName(photo=0, number=card.number, face="slice/olive", turn_deg=90))
    desk.outline(Outline(photo=0, number=card.number, kind="slice-card", corners=card.corners))
    assert said_of(desk)[card.number - 1] == ("slice/olive", 0)


def desk_for(tmp_path: Path, pictures: Sequence[Image] | None = None) -> Desk:
    """A desk that goes on where the last one for this file was left."""
    waiting = list(pictures or [])
    desk = Desk(GameFaces("drawn", KINDS, FACES), tmp_path / "mine.faces", None if pictures is None else waiting.pop)
    if pictures is None:
        desk.add("laid.jpg", photograph(enrolment()))
    return desk


def said_of(desk: Desk) -> list[tuple[str, int]]:
    return [(piece.face, piece.turn_deg) for photo in desk.view().photos for piece in photo.pieces]


def test_names_are_there_again_when_the_page_was_closed(tmp_path: Path) -> None:
    """Nothing was learned yet; whoever named pieces for an hour need not begin anew."""
    desk = desk_for(tmp_path)
    kinds = [piece.kind for piece in desk.view().photos[0].pieces]
    card = kinds.index("special") + 1
    desk.name(PieceName(photo=0, number=1, face="a/1"))
    desk.name(PieceName(photo=0, number=card, face="special/one", turn_deg=180))
    before = said_of(desk)
    assert before[card - 1] == ("special/one", 180)
    again = desk_for(tmp_path)
    again.resume(pytest.fail)
    assert said_of(again) == before


@pytest.mark.long
def test_photos_that_were_taken_are_there_again_each_with_a_name_of_its_own(tmp_path: Path, picture: Image) -> None:
    desk = desk_for(tmp_path, [picture, photograph(enrolment()[:3]), picture, photograph([])])
    desk.photograph(empty=True)
    desk.photograph(empty=False)
    desk.photograph(empty=False)
    desk.name(PieceName(photo=1, number=1, face="b/1"))
    desk.drop(0)
    desk.photograph(empty=False)
    before = desk.view()
    assert [(photo.name, len(photo.pieces)) for photo in before.photos] == [("photo-2.png", 3), ("photo-1.png", 9)]
    again, told = desk_for(tmp_path, []), list[str]()
    again.resume(told.append)
    assert again.view() == before
    folder = tmp_path / "mine-photos"
    assert told == [
        f"{folder / 'photo-2.png'}: taken before; 3 pieces",
        f"{folder / 'photo-1.png'}: taken before; 9 pieces",
    ]
    for photo in (0, 0):
        again.drop(photo)
    assert not (tmp_path / "mine.labels.json").exists()
    assert [path.name for path in (tmp_path / "mine-photos").iterdir()] == ["empty.png"]


def test_names_of_another_game_are_not_written_over(tmp_path: Path, picture: Image) -> None:
    desk = desk_for(tmp_path, [picture])
    desk.photograph(empty=False)
    desk.name(PieceName(photo=0, number=1, face="b/1"))
    kept = (tmp_path / "mine.labels.json").read_bytes()
    for other in (Desk(faces_of("slice"), tmp_path / "mine.faces", lambda: picture), board_desk(tmp_path, picture)):
        with pytest.raises(
            LabelError, match=r"tells of 1 piece \(slice\) that .* does not have; expected --game to be"
        ):
            other.resume(pytest.fail)
    assert (tmp_path / "mine.labels.json").read_bytes() == kept
    other = board_desk(tmp_path / "board", picture)
    other.photograph()
    other.mark(0, {"rim": [[1.0, 2.0]]})
    with pytest.raises(LabelError, match=r"tells of 1 piece \(board\) that drawn does not have"):
        desk_for(tmp_path / "board", []).resume(pytest.fail)


def board_desk(tmp_path: Path, picture: Image) -> BoardDesk:
    return BoardDesk(faces_of("pizza_theory"), tmp_path / "mine.faces", lambda: picture)


def full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_photo_is_kept_whole_or_not_at_all_and_dropped_once_nothing_tells_of_it(
    tmp_path: Path, picture: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = desk_for(tmp_path, [picture, picture])
    with monkeypatch.context() as full:
        full.setattr("os.fsync", full_disk)
        with pytest.raises(OSError, match="No space left"):
            desk.photograph(empty=False)
    assert list((tmp_path / "mine-photos").iterdir()) == []
    desk.photograph(empty=False)
    desk.name(PieceName(photo=0, number=1, face="b/1"))
    before = desk.view()
    with monkeypatch.context() as full:
        full.setattr("controller.kept_enrolment.KeptEnrolment.keep", full_disk)
        with pytest.raises(OSError, match="No space left"):
            desk.drop(0)
    again = desk_for(tmp_path, [])
    again.resume(lambda _: None)
    assert again.view().photos == before.photos


def test_names_in_a_photo_that_is_not_here_are_not_written_over(tmp_path: Path, picture: Image) -> None:
    desk_for(tmp_path).name(PieceName(photo=0, number=2, face="a/2"))
    before = (tmp_path / "mine.labels.json").read_bytes()
    other = Desk(GameFaces("drawn", KINDS, FACES), tmp_path / "mine.faces", None)
    other.add("other.jpg", picture)
    with pytest.raises(
        LabelError, match=r"mine\.labels\.json tells of a piece in laid\.jpg, which is not among the photos"
    ):
        other.resume(pytest.fail)
    assert (tmp_path / "mine.labels.json").read_bytes() == before


@pytest.mark.parametrize("outlined", [True, False])
def test_outlines_and_removals_in_a_photo_that_is_not_here_are_not_written_over(
    tmp_path: Path, picture: Image, outlined: bool
) -> None:
    desk = desk_for(tmp_path)
    if outlined:
        desk.outline(Outline(photo=0, number=2, kind="slice", corners=corners_of(desk, 2)))
    else:
        desk.remove(0, 2)
    other = Desk(GameFaces("drawn", KINDS, FACES), tmp_path / "mine.faces", None)
    other.add("other.jpg", picture)
    with pytest.raises(LabelError, match=r"mine\.labels\.json tells of .* in laid\.jpg, which is not among the photos"):
        other.resume(pytest.fail)


@pytest.mark.long
def test_names_are_not_put_to_what_another_photo_of_that_name_shows(tmp_path: Path, picture: Image) -> None:
    """Two slices have changed places since. Another decoder's picture of the same file is no other photo."""
    laid = enrolment()
    changed = [
        replace(laid[1], x_mm=laid[0].x_mm, y_mm=laid[0].y_mm),
        replace(laid[0], x_mm=laid[1].x_mm, y_mm=laid[1].y_mm),
    ]
    desk_for(tmp_path).name(PieceName(photo=0, number=2, face="a/2"))
    decoded_otherwise = np.asarray(cv2.add(photograph(laid), np.array([1.0, 1.0, 1.0, 0.0])), np.uint8)
    for image, same in ((photograph([*changed, *laid[2:]]), False), (decoded_otherwise, True)):
        other = Desk(GameFaces("drawn", KINDS, FACES), tmp_path / "mine.faces", None)
        other.add("laid.jpg", image)
        with (
            contextlib.nullcontext() if same else pytest.raises(LabelError, match=r"in another photo called laid\.jpg")
        ):
            other.resume(pytest.fail)


def test_names_that_fit_no_piece_are_told(tmp_path: Path) -> None:
    """Of a file that somebody wrote, or found pieces in with another program's version."""
    desk_for(tmp_path).name(PieceName(photo=0, number=2, face="a/2"))
    labels = json.loads((tmp_path / "mine.labels.json").read_text())
    for piece in labels[0]["pieces"]:
        piece["x_mm"] += 20.0
    (tmp_path / "mine.labels.json").write_text(json.dumps(labels))
    other, told = desk_for(tmp_path), list[str]()
    other.resume(told.append)
    assert told == [f"{tmp_path / 'mine.labels.json'}: 1 of its names in laid.jpg fit no piece found there"]


@pytest.mark.long
def test_a_photo_without_pieces_has_no_first_one(tmp_path: Path) -> None:
    app = app_for(tmp_path, [photograph([])])
    assert request(app, "POST", "/api/enrol/photo").json()["photos"][0]["pieces"] == []
    said = {"photo": 0, "number": 1, "face": "a/1"}
    answers = [request(app, "GET", "/api/enrol/photo/0/1.jpg"), request(app, "POST", "/api/enrol/name", json=said)]
    assert [(answer.status_code, answer.json()["detail"]) for answer in answers] == [
        (404, "piece 1: photo 0 has 0 pieces")
    ] * 2


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path, picture: Image) -> None:
    app = app_for(tmp_path, [picture])
    assert request(app, "POST", "/api/enrol/photo").status_code == 200
    (tmp_path / "mine.faces").mkdir()
    assert request(app, "POST", "/api/enrol/name", json={"photo": 0, "number": 1, "face": "a/1"}).status_code == 200
    answer = request(app, "POST", "/api/enrol/learn")
    assert (answer.status_code, answer.json()["detail"]) == (409, f"{tmp_path / 'mine.faces'}: Is a directory")


def test_a_photo_that_is_dropped_is_forgotten_and_one_that_was_never_here_is_not(
    tmp_path: Path, picture: Image
) -> None:
    app = app_for(tmp_path, [picture, picture])
    for photo in (0, 1):
        assert request(app, "POST", "/api/enrol/photo").status_code == 200
        name = {"photo": photo, "number": 1, "face": FACES[photo]}
        assert request(app, "POST", "/api/enrol/name", json=name).status_code == 200
    assert request(app, "POST", "/api/enrol/learn").json()["faces"] == 2
    assert request(app, "DELETE", "/api/enrol/photo/1").status_code == 200
    assert request(app, "POST", "/api/enrol/learn").json()["faces"] == 1
    pack = load_pack(tmp_path / "mine.faces")
    save_pack(replace(pack, kinds=renamed(pack.kinds), source=("long-ago.jpg",)), tmp_path / "mine.faces")
    answer = request(app, "POST", "/api/enrol/learn")
    assert answer.status_code == 409
    assert "has 1 face that no photo here shows (a/9), learned from long-ago.jpg; expected" in answer.json()["detail"]


def renamed(kinds: Mapping[PieceKind, KindFaces]) -> dict[PieceKind, KindFaces]:
    """With another name for the only face."""
    return {kind: replace(faces, names=("a/9",)) for kind, faces in kinds.items()}


def test_what_goes_wrong_is_said(tmp_path: Path, picture: Image) -> None:
    app = app_for(tmp_path, [np.zeros((720, 1280, 3), np.uint8), picture])
    black = request(app, "POST", "/api/enrol/photo")
    assert (black.status_code, black.headers["content-type"]) == (409, "application/problem+json")
    assert "brightest part" in black.json()["detail"]
    assert request(app, "POST", "/api/enrol/photo").status_code == 200
    assert request(app, "POST", "/api/enrol/photo").json()["detail"] == "the camera is gone"
    assert "no piece is named" in request(app, "POST", "/api/enrol/learn").json()["detail"]
    wrong = request(app, "POST", "/api/enrol/name", json={"photo": 0, "number": 99, "face": "a/1"})
    assert (wrong.status_code, wrong.json()["detail"]) == (404, "piece 99: photo 0 has 9 pieces")
    assert request(app, "GET", "/api/enrol/photo/7.jpg").status_code == 404
    assert request(app, "POST", "/api/enrol/name", json={"photo": 0, "number": 1, "colour": "red"}).status_code == 422
    numbered = request(app, "POST", "/api/enrol/name", json={"photo": 0, "number": True, "face": "x"})
    assert numbered.json()["detail"] == "body.number: got true, expected: a whole number"
    assert not (tmp_path / "mine.faces").exists()
    assert request(app, "DELETE", "/api/enrol/photo/0").json()["photos"] == []


def test_only_the_host_may_look_or_name(tmp_path: Path) -> None:
    app = app_for(tmp_path)
    for method, path in (("GET", "/api/enrol"), ("POST", "/api/enrol/learn"), ("POST", "/api/enrol/photo")):
        assert request(app, method, path, token=None).status_code == 403
        assert request(app, method, path, token="wrong").status_code == 403
    for path, operations in app.openapi()["paths"].items():
        for method in operations:
            there = re.sub(r"{\w+}", "0", path)
            assert request(app, method, there, token=None, json={"no": "such key"}).status_code == 403, (method, path)
    page = request(app, "GET", "/", token=None)
    assert page.status_code == 200
    assert "enrol.js" in page.text


def corners_of(desk: Desk, number: int) -> list[list[float]]:
    return [list(corner) for corner in desk.view().photos[0].pieces[number - 1].corners]


def test_a_piece_that_was_not_found_is_outlined_by_hand_and_learned_like_others(tmp_path: Path, picture: Image) -> None:
    """What was found there is taken away first, which stays so; a corner of the new outline is moved."""
    app = app_for(tmp_path, [picture])
    before = request(app, "POST", "/api/enrol/photo").json()
    assert before["corners"] == {"slice": 3, "special": 4}
    assert [before["photos"][0][side] for side in ("width", "height")] == [1280, 720]
    pieces = before["photos"][0]["pieces"]
    gone = next(piece for piece in pieces if piece["kind"] == "special")
    said = {"photo": 0, "number": gone["number"] + 1, "face": "special/two"}
    request(app, "POST", "/api/enrol/name", json=said)
    view = request(app, "DELETE", f"/api/enrol/photo/0/{gone['number']}").json()["photos"][0]["pieces"]
    assert [piece["number"] for piece in view] == list(range(1, 9))
    assert view[gone["number"] - 1]["face"] == "special/two"
    outline = {"photo": 0, "kind": "special", "corners": gone["corners"]}
    view = request(app, "POST", "/api/enrol/outline", json=outline).json()["photos"][0]["pieces"]
    assert (view[8]["kind"], view[8]["face"], view[8]["corners"]) == ("special", "", gone["corners"])
    request(app, "POST", "/api/enrol/name", json={"photo": 0, "number": 9, "face": "special/one", "turn_deg": 180})
    moved = [[gone["corners"][0][0] + 1.0, gone["corners"][0][1]], *gone["corners"][1:]]
    view = request(app, "POST", "/api/enrol/outline", json={**outline, "number": 9, "corners": moved}).json()
    assert view["photos"][0]["pieces"][8] | {"place": ""} == {
        "number": 9, "place": "", "kind": "special", "face": "special/one", "turn_deg": 180, "step_deg": 180,
        "corners": moved,
    }  # fmt: skip
    kept = json.loads((tmp_path / "mine.labels.json").read_text())[0]["pieces"]
    assert (kept[8]["face"], kept[8]["corners_px"], kept[9]["removed"], kept[9]["face"]) == (
        "special/one",
        moved,
        True,
        "",
    )
    assert request(app, "POST", "/api/enrol/learn").json()["faces"] == 2
    assert load_pack(tmp_path / "mine.faces").names == ("special/one", "special/two")


def test_what_hardly_stands_out_is_a_piece_when_it_is_outlined(
    tmp_path: Path, picture: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.web.enrolling.spread", spread_doubting_two)
    desk = desk_for(tmp_path, [picture])
    app = create_enrolling_app(desk, version="1", token=TOKEN)
    photo = request(app, "POST", "/api/enrol/photo").json()["photos"][0]
    assert (len(photo["pieces"]), [one["number"] for one in photo["doubtful"]]) == (7, [8, 9])
    assert "may be pieces: 8, 9, in broken lines" in photo["doubt"]
    first, second = photo["doubtful"]
    crops = [request(app, "GET", f"/api/enrol/photo/0/{number}.jpg") for number in (8, 9, 10)]
    assert [crop.status_code for crop in crops] == [200, 200, 404]
    unnamed = request(app, "POST", "/api/enrol/name", json={"photo": 0, "number": 8, "face": "a/1"})
    assert unnamed.status_code == 404, "it is no piece yet"
    outline = {"photo": 0, "kind": second["kind"], "corners": second["corners"]}
    photo = request(app, "POST", "/api/enrol/outline", json=outline).json()["photos"][0]
    assert [(one["number"], one["corners"]) for one in photo["doubtful"]] == [(9, first["corners"])]
    assert photo["pieces"][7]["corners"] == second["corners"]
    assert "may be a piece: 9, in broken lines" in photo["doubt"]
    request(app, "POST", "/api/enrol/name", json={"photo": 0, "number": 8, "face": "a/1"})
    assert request(app, "POST", "/api/enrol/learn").json()["faces"] == 1

    again, told = desk_for(tmp_path, []), list[str]()
    again.resume(told.append)
    assert len(told) == 1, "no name is lost"
    assert again.view().photos[0].pieces[7].face == "a/1"
    assert [one.number for one in again.view().photos[0].doubtful] == [9]
    again.outline(Outline(photo=0, kind=first["kind"], corners=first["corners"], face=" special/one "))
    assert [one.face for one in again.view().photos[0].pieces[7:]] == ["a/1", "special/one"]


def test_what_hardly_stands_out_and_was_named_in_the_labels_is_a_piece(
    tmp_path: Path, picture: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.web.enrolling.spread", spread_doubting_two)
    one = spread_doubting_two("laid.jpg", picture, KINDS)
    labels = label_of(one, [Naming("")] * 7, doubtful=True)
    assert [(piece["number"], piece.get("doubtful", False)) for piece in labels["pieces"]][6:] == [
        (7, False), (8, True), (9, True)
    ]  # fmt: skip
    labels["pieces"][8]["face"] = "a/2"
    (tmp_path / "mine.labels.json").write_text(json.dumps([labels]))
    desk = Desk(GameFaces("drawn", KINDS, FACES), tmp_path / "mine.faces", None)
    desk.add("laid.jpg", picture)
    desk.resume(lambda line: pytest.fail(line))
    (shown,) = desk.view().photos
    assert [piece.face for piece in shown.pieces] == [""] * 7 + ["a/2"]
    assert [one.number for one in shown.doubtful] == [9]


def test_outlines_and_removals_are_there_again(tmp_path: Path) -> None:
    desk = desk_for(tmp_path)
    corners = corners_of(desk, 2)
    desk.remove(0, 2)
    desk.remove(0, 4)
    desk.outline(Outline(photo=0, kind="slice", corners=corners))
    desk.outline(Outline(photo=0, number=3, kind="slice", corners=corners_of(desk, 3)))
    desk.name(PieceName(photo=0, number=3, face="a/2"))
    desk.name(PieceName(photo=0, number=8, face="a/1"))

    def what(of: Desk) -> list[tuple[str, str, list[tuple[float, float]]]]:
        return sorted((piece.kind, piece.face, piece.corners) for piece in of.view().photos[0].pieces)

    again = desk_for(tmp_path)
    again.resume(pytest.fail)
    assert what(again) == what(desk)
    assert len(what(again)) == 8
    desk.remove(0, 8)
    other = desk_for(tmp_path)
    other.resume(pytest.fail)
    assert what(other) == what(desk)


def test_an_outline_that_is_no_pieces_is_told_and_nothing_changes(tmp_path: Path, picture: Image) -> None:
    app = app_for(tmp_path, [picture])
    before = request(app, "POST", "/api/enrol/photo").json()
    corners = before["photos"][0]["pieces"][0]["corners"]
    kind = before["photos"][0]["pieces"][0]["kind"]
    wrong = [
        ({"kind": kind, "corners": corners[:2]}, 409, "photo-1.png: the outline has 2 corners; expected the"),
        ({"kind": kind, "corners": [*corners[:-1], [-9.0, 4.0]]}, 409, "lies outside the picture"),
        ({"kind": kind, "corners": corners}, 409, "photo-1.png: the outline covers piece 1, too; expected pieces that"),
        ({"kind": kind, "corners": corners, "number": 2}, 409, "covers piece 1, too"),
        ({"kind": kind, "corners": corners, "number": 10}, 404, "piece 10: photo 0 has 9 pieces"),
        ({"kind": "board", "corners": corners}, 404, "kind 'board': drawn has no such piece to outline; expected s"),
        ({"kind": kind, "corners": [[1e9, 0.0]]}, 422, "100000"),
        ({"kind": kind, "corners": ["here"]}, 422, "here"),
    ]  # fmt: skip
    for said, status, detail in wrong:
        answer = request(app, "POST", "/api/enrol/outline", json={"photo": 0, **said})
        assert (answer.status_code, detail in answer.json()["detail"]) == (status, True), answer.json()["detail"]
    assert request(app, "DELETE", "/api/enrol/photo/0/10").json()["detail"] == "piece 10: photo 0 has 9 pieces"
    assert request(app, "GET", "/api/enrol").json() == before


def test_an_outline_in_the_file_that_is_none_is_named(tmp_path: Path) -> None:
    desk = desk_for(tmp_path)
    desk.outline(Outline(photo=0, number=1, kind="slice", corners=corners_of(desk, 1)))
    labels = json.loads((tmp_path / "mine.labels.json").read_text())
    labels[0]["pieces"][0]["corners_px"][2] = [0.0, 0.0]
    (tmp_path / "mine.labels.json").write_text(json.dumps(labels))
    with pytest.raises(LabelError, match=r"mine\.labels\.json: piece 1 of laid\.jpg "):
        desk_for(tmp_path).resume(pytest.fail)


def test_what_is_said_of_a_piece_on_an_old_page_is_not_put_to_another(tmp_path: Path, picture: Image) -> None:
    """Two people name pieces, each on a page of their own, and one of them takes an outline away: numbers move up."""
    app = app_for(tmp_path, [picture, picture])
    old = request(app, "POST", "/api/enrol/photo").json()["photos"][0]["pieces"]
    request(app, "DELETE", f"/api/enrol/photo/0/2?place={old[1]['place']}")
    now = request(app, "GET", "/api/enrol").json()
    assert [piece["place"] for piece in now["photos"][0]["pieces"]] == [
        piece["place"] for piece in old if piece["number"] != 2
    ]
    third = {"photo": 0, "number": 3, "place": old[2]["place"]}
    corners = {"kind": old[2]["kind"], "corners": old[2]["corners"]}
    for answer in (
        request(app, "POST", "/api/enrol/name", json={**third, "face": "a/1"}),
        request(app, "POST", "/api/enrol/outline", json={**third, **corners}),
        request(app, "DELETE", f"/api/enrol/photo/0/3?place={old[2]['place']}"),
    ):
        assert answer.status_code == 412
        assert "piece 3 of photo-1.png is another by now" in answer.json()["detail"]
    assert request(app, "GET", "/api/enrol").json() == now
    assert request(app, "POST", "/api/enrol/name", json={**third, "number": 2, "face": "a/1"}).status_code == 200
    request(app, "POST", "/api/enrol/photo")
    request(app, "DELETE", "/api/enrol/photo/0?name=photo-1.png")
    answer = request(app, "DELETE", "/api/enrol/photo/0?name=photo-1.png")
    assert (answer.status_code, "photo 0 is photo-2.png by now" in answer.json()["detail"]) == (412, True)


def test_outlines_are_not_put_to_the_same_photo_in_another_size(tmp_path: Path, picture: Image) -> None:
    desk = desk_for(tmp_path)
    desk.outline(Outline(photo=0, number=1, kind="slice", corners=corners_of(desk, 1)))
    labels = json.loads((tmp_path / "mine.labels.json").read_text())
    labels[0]["image"] = {"width": 640, "height": 360}
    (tmp_path / "mine.labels.json").write_text(json.dumps(labels))
    with pytest.raises(LabelError, match=r"mine\.labels\.json: laid\.jpg: image says 640 x 360 pixels"):
        desk_for(tmp_path).resume(pytest.fail)


def test_what_else_lies_in_a_labels_file_has_no_outlines(tmp_path: Path) -> None:
    """A file written by hand, or another game's."""
    desk = desk_for(tmp_path)
    desk.name(PieceName(photo=0, number=1, face="a/1"))
    labels = json.loads((tmp_path / "mine.labels.json").read_text())
    die = {"kind": "die", "value": 3, "outline_px": [[1, 1], [9, 1], [9, 9]], "corners_px": [[1, 1], [9, 1], [9, 9]]}
    labels[0]["pieces"].append(die)
    (tmp_path / "mine.labels.json").write_text(json.dumps(labels))
    again = desk_for(tmp_path)
    again.resume(pytest.fail)
    assert said_of(again) == said_of(desk)
    del labels[0]["pieces"]
    (tmp_path / "mine.labels.json").write_text(json.dumps([{**labels[0], "marks": {}}]))
    desk_for(tmp_path).resume(pytest.fail)
