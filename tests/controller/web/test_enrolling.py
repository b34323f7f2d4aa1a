"""The page on which an owner names pieces: its API from outside, on a drawn table."""

import asyncio
import json
from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest

from controller.web.enrolling import Desk, create_enrolling_app
from controller.whose_faces import GameFaces
from hardware.camera import CameraLost
from tests.vision.drawn_table import enrolment, label, photograph
from vision.pieces.faces import load_pack
from vision.scene import PieceKind

KINDS = frozenset({PieceKind.SLICE, PieceKind.SPECIAL})
FACES = ("a/1", "a/2", "a/3", "b/1", "b/2", "b/3", "back", "special/one", "special/two", "special/back")
TOKEN = "secret"


def request(app, method, path, *, token=TOKEN, **arguments):
    async def send():
        transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=("192.0.2.7", 40000))
        async with httpx.AsyncClient(transport=transport, base_url="http://table.local:8081") as session:
            headers = {"X-Host-Token": token} if token else {}
            return await session.request(method, path, headers=headers, **arguments)

    return asyncio.run(send())


def app_for(tmp_path: Path, pictures=()):
    waiting = list(pictures)

    def take():
        if not waiting:
            raise CameraLost("the camera is gone")
        return waiting.pop(0)

    desk = Desk(GameFaces("drawn", KINDS, FACES), tmp_path / "mine.faces", take)
    return create_enrolling_app(desk, version="1", token=TOKEN)


@pytest.fixture(scope="module")
def picture():
    return photograph(enrolment())


def test_pieces_are_photographed_named_and_learned(tmp_path: Path, picture) -> None:
    app = app_for(tmp_path, [photograph([]), picture])
    assert request(app, "POST", "/api/enrol/photo?empty=true").json()["empty"] is True
    view = request(app, "POST", "/api/enrol/photo").json()
    assert [len(photo["pieces"]) for photo in view["photos"]] == [9]
    truth = label(enrolment())["pieces"]
    for piece in view["photos"][0]["pieces"]:
        crop = request(app, "GET", f"/api/enrol/photo/0/{piece['number']}.jpg")
        assert cv2.imdecode(np.frombuffer(crop.content, np.uint8), 1).shape == (158, 140, 3)
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
    assert cv2.imread(str(tmp_path / "mine.preview.jpg")).std() > 10


def test_a_card_that_lies_upside_down_is_turned(tmp_path: Path, picture) -> None:
    app = app_for(tmp_path, [picture])
    view = request(app, "POST", "/api/enrol/photo").json()
    card = next(piece for piece in view["photos"][0]["pieces"] if piece["kind"] == "special")
    said = {"photo": 0, "number": card["number"], "face": "special/one"}
    angles = []
    for turned in (False, True):
        request(app, "POST", "/api/enrol/name", json={**said, "turned": turned})
        request(app, "POST", "/api/enrol/learn")
        pieces = json.loads((tmp_path / "mine.labels.json").read_text())[0]["pieces"]
        angles.append(pieces[card["number"] - 1]["angle_deg"])
    assert (angles[1] - angles[0]) % 360 == pytest.approx(180.0)


def test_what_goes_wrong_is_said(tmp_path: Path, picture) -> None:
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
    assert not (tmp_path / "mine.faces").exists()
    assert request(app, "DELETE", "/api/enrol/photo/0").json()["photos"] == []


def test_only_the_host_may_look_or_name(tmp_path: Path) -> None:
    app = app_for(tmp_path)
    for method, path in (("GET", "/api/enrol"), ("POST", "/api/enrol/learn"), ("POST", "/api/enrol/photo")):
        assert request(app, method, path, token=None).status_code == 403
        assert request(app, method, path, token="wrong").status_code == 403
    page = request(app, "GET", "/", token=None)
    assert page.status_code == 200
    assert "enrol.js" in page.text
