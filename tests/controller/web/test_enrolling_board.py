"""The page on which an owner points at a board: its API from outside, on a drawn board."""

import asyncio
import json
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
import pytest
from click.testing import CliRunner

from controller.cli.enrol import command
from controller.web.enrolling_board import BoardDesk, create_board_app
from controller.whose_faces import GameFaces, faces_of
from tests.vision.drawn_board import draw, every_space
from tests.vision.drawn_table import View, photograph
from tests.vision.test_marked_board import CORNERS, SHOWN, marks_of
from vision.files.label_kinds import LabelError
from vision.frame import Image
from vision.pieces.faces import load_pack
from vision.scene import PieceKind

GAME = GameFaces(
    "drawn",
    frozenset({PieceKind.BOARD, PieceKind.TOPPING, PieceKind.CUTTER}),
    board_spaces=tuple(every_space()),
    board_corners=CORNERS,
    board_colours=("blue", "orange", "black"),
)


def desk_for(tmp_path: Path, pictures: list[Image] | None = None) -> BoardDesk:
    desk = BoardDesk(GAME, tmp_path / "mine.faces", None if pictures is None else pictures.pop)
    if pictures is None:
        desk.add("laid.jpg", draw(SHOWN))
    return desk


def request(desk: BoardDesk, method: str, path: str, token: str | None = "secret", **arguments: Any) -> httpx.Response:
    async def send() -> httpx.Response:
        app = create_board_app(desk, version="1", token="secret")
        transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=("192.0.2.7", 40000))
        async with httpx.AsyncClient(transport=transport, base_url="http://table.local:8081") as session:
            headers = {"X-Host-Token": token} if token else {}
            return await session.request(method, f"/api/enrol{path}", headers=headers, **arguments)

    return asyncio.run(send())


def test_a_board_is_pointed_at_and_learned(tmp_path: Path) -> None:
    desk = desk_for(tmp_path)
    view = request(desk, "GET", "").json()
    assert (view["corners"], view["colours"]) == (["1st", "2nd", "3rd"], ["blue", "orange", "black"])
    assert "the corners at 1st, 2nd, 3rd are not marked" in view["photos"][0]["lacks"]
    assert "nothing is marked" in request(desk, "POST", "/learn").json()["detail"]
    marks = marks_of(SHOWN, View())
    half = {"corners": marks["corners"]}
    said = request(desk, "POST", "/photo/0/marks", json={"marks": half}).json()
    assert "0 points of the rim" in said["photos"][0]["lacks"]
    refused = request(desk, "GET", "/photo/0/understood.jpg")
    assert (refused.status_code, "points of the rim" in refused.json()["detail"]) == (409, True)
    said = request(desk, "POST", "/photo/0/marks", json={"marks": marks}).json()
    (photo,) = said["photos"]
    assert photo.pop("mat") == pytest.approx([0.5, 0.5, 0.43], abs=0.03)
    assert photo.pop("state") != view["photos"][0]["state"]
    assert photo == {"name": "laid.jpg", "marks": marks, "lacks": ""}
    bare, drawn = (
        cv2.imdecode(np.frombuffer(request(desk, "GET", f"/photo/0{end}.jpg").content, np.uint8), 1)
        for end in ("", "/understood")
    )
    assert bare is not None
    assert drawn is not None
    assert bare.shape == drawn.shape
    assert (cv2.absdiff(bare, drawn).max(-1) > 60).sum() > 500
    learned = request(desk, "POST", "/learn").json()
    assert learned == {"file": "mine.faces", "faces": 0, "missing": [], "notes": []}
    board = load_pack(tmp_path / "mine.faces").board
    assert board is not None
    assert set(board.toppings.names) == set(board.cutters.names) == {"blue", "orange", "black"}
    assert desk_again(tmp_path).view() == desk.view()


def desk_again(tmp_path: Path) -> BoardDesk:
    desk = desk_for(tmp_path)
    desk.resume(pytest.fail)
    return desk


def test_what_is_wrong_is_said_and_nothing_of_it_kept(tmp_path: Path) -> None:
    desk = desk_for(tmp_path)
    refused = request(desk, "POST", "/photo/0/marks", json={"marks": {"rim": [[1, "x"]]}})
    assert (refused.status_code, refused.json()["detail"]) == (
        409,
        "laid.jpg: marks.rim[0] is [1, 'x']; expected a point [x, y] in pixels of the photo",
    )
    assert request(desk, "POST", "/photo/3/marks", json={"marks": {}}).status_code == 404
    assert request(desk, "GET", "", token=None).status_code == 403
    assert request(desk, "POST", "/photo").json()["detail"] == "There is no camera here; give photos to the command."
    assert not (tmp_path / "mine.labels.json").exists()


def test_photos_that_were_taken_are_there_again(tmp_path: Path) -> None:
    desk = desk_for(tmp_path, [draw(SHOWN), np.zeros((720, 1280, 3), np.uint8), photograph([])])
    assert request(desk, "POST", "/photo").status_code == 200
    assert "brightest part" in request(desk, "POST", "/photo").json()["detail"]
    assert request(desk, "POST", "/photo").status_code == 200
    marks = {"rim": [[1.0, 2.0]]}
    request(desk, "POST", "/photo/1/marks", json={"marks": marks})
    request(desk, "DELETE", "/photo/0")
    again, told = desk_for(tmp_path, []), list[str]()
    again.resume(told.append)
    assert [(photo.name, photo.marks) for photo in again.view().photos] == [("photo-2.png", marks)]
    assert told == [f"{tmp_path / 'mine-photos' / 'photo-2.png'}: taken before; the mat is found"]


def test_marks_that_another_page_made_are_not_written_over_nor_put_to_another_photo(tmp_path: Path) -> None:
    desk = desk_for(tmp_path, [draw(SHOWN), draw(SHOWN)])
    for _ in range(2):
        desk.photograph()
    old = request(desk, "GET", "").json()["photos"][1]["state"]
    marks = {"rim": [[1.0, 2.0]]}
    assert request(desk, "POST", "/photo/1/marks", json={"marks": marks, "state": old}).status_code == 200
    refused = request(desk, "POST", "/photo/1/marks", json={"marks": {}, "state": old})
    assert (refused.status_code, refused.json()["detail"]) == (
        412,
        "photo-2.png has other marks by now; it was changed on another page; nothing is done: look at what is shown "
        "now",
    )
    assert request(desk, "DELETE", "/photo/0?name=photo-1.png").status_code == 200
    refused = request(desk, "DELETE", "/photo/0?name=photo-1.png")
    assert (refused.status_code, "photo 0 is photo-2.png by now" in refused.json()["detail"]) == (412, True)
    assert [(photo.name, photo.marks) for photo in desk.view().photos] == [("photo-2.png", marks)]


def test_a_photo_is_dropped_once_no_mark_tells_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = desk_for(tmp_path, [draw(SHOWN)])
    desk.photograph()
    desk.mark(0, {"rim": [[1.0, 2.0]]})

    def full(*_: object) -> None:
        raise OSError("full")

    monkeypatch.setattr("controller.kept_enrolment.KeptEnrolment.keep", full)
    with pytest.raises(OSError, match="full"):
        desk.drop(0)
    again = desk_for(tmp_path, [])
    again.resume(lambda _: None)
    assert [(photo.name, photo.marks) for photo in again.view().photos] == [("photo-1.png", {"rim": [[1.0, 2.0]]})]


def test_marks_of_a_photo_that_is_not_here_are_not_written_over(tmp_path: Path) -> None:
    desk_for(tmp_path).mark(0, {"rim": [[1.0, 2.0]]})
    other = BoardDesk(GAME, tmp_path / "mine.faces", None)
    with pytest.raises(LabelError, match=r"laid\.jpg, which is not among the photos"):
        other.resume(pytest.fail)


def of_the_game(marks: dict[str, Any]) -> dict[str, Any]:
    """The drawn board's marks, its colours called as the game's are."""
    names = dict(zip(("blue", "orange", "black"), faces_of("pizza_theory").board_colours, strict=True))
    return marks | {of: {names[one]: at for one, at in marks[of].items()} for of in ("toppings", "cutters")}


@pytest.mark.parametrize(
    ("of", "known"),
    [("corners", "1st, 2nd, 3rd"), ("toppings", "blue, orange, black"), ("cutters", "blue, orange, black")],
)
def test_marks_of_what_the_game_does_not_have_are_told(tmp_path: Path, of: str, known: str) -> None:
    desk, marks = desk_for(tmp_path), marks_of(SHOWN, View())
    marks[of] = {**marks[of], "purple": next(iter(marks[of].values()))}
    said = request(desk, "POST", "/photo/0/marks", json={"marks": marks}).json()
    assert said["photos"][0]["lacks"] == f"labels of laid.jpg: marks.{of} has 'purple'; expected {known}"


def test_a_cutter_with_exchanged_ends_is_told(tmp_path: Path) -> None:
    desk, marks = desk_for(tmp_path), marks_of(SHOWN, View())
    marks["cutters"]["orange"].reverse()
    request(desk, "POST", "/photo/0/marks", json={"marks": marks})
    said = request(desk, "POST", "/learn").json()["detail"]
    assert "labels of laid.jpg: the orange cutter's coloured end is said to lie at (" in said
    assert "expected the plain end first, then the coloured one" in said


def test_a_copy_that_is_printed_the_other_way_round_says_so_in_its_components() -> None:
    plain = faces_of("pizza_theory").board_corners
    other = {
        "board.clockwise": ["1st", "3rd", "2nd"],
        "place.2nd.corner": [3, -3, 0], "place.2nd.axis": "z", "place.2nd.starts": ["e5", "f3"],
        "place.3rd.corner": [-3, 0, 3], "place.3rd.axis": "y", "place.3rd.starts": ["b3", "c5"],
    }  # fmt: skip
    own = faces_of("pizza_theory", {"components": other}).board_corners
    assert list(plain) == ["1st", "2nd", "3rd"]
    assert list(own) == ["1st", "3rd", "2nd"]
    assert list(own.values()) == list(plain.values())


def test_marks_are_learned_from_a_file_and_drawn_beside_it(tmp_path: Path) -> None:
    """What the page kept, or what somebody wrote."""
    photo, labels = tmp_path / "board.png", tmp_path / "board.json"
    cv2.imwrite(str(photo), draw(SHOWN))
    labels.write_text(json.dumps({"photo": "board.png", "marks": of_the_game(marks_of(SHOWN, View()))}))
    arguments = ["--labels", str(labels), "--out", str(tmp_path / "mine.faces"), str(photo)]
    result = CliRunner().invoke(command, ["--game", "pizza_theory", *arguments])
    assert result.exit_code == 0, result.output
    drawing = tmp_path / "mine-found" / "board.jpg"
    assert f"{drawing}: the board as its marks are understood" in result.output
    assert "0 faces and a board of 37 spaces of pizza_theory from 1 photo" in result.output
    assert cv2.imread(str(drawing)) is not None
    result = CliRunner().invoke(command, ["--game", "slice", *arguments])
    assert result.exit_code == 1
    assert "labels of board.png: marks are of a board, and slice has none; expected pieces" in result.output
    labels.write_text(json.dumps({"photo": "board.png", "marks": {}, "image": {"width": 640, "height": 360}}))
    result = CliRunner().invoke(command, ["--game", "pizza_theory", *arguments])
    assert "labels of board.png: image says 640 x 360 pixels; the photo has 1280 x 720" in result.output
    labels.write_text(json.dumps({"photo": "board.png", "marks": {"rim": 5}}))
    result = CliRunner().invoke(command, ["--game", "pizza_theory", *arguments])
    assert f"Error: {labels}: marks.rim is 5; expected a list" in result.output
