"""The service as a real program: `pizzatable run` with its real child processes, started, disturbed and ended.

Only what needs a faulty part of our own is tested within this process.
"""

import asyncio
import contextlib
import json
import os
import re
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import httpx
import numpy as np
import pytest

from config.loader import load_table
from controller.journal import Journal, read_journal
from controller.lens_proof import AGAIN_S, FIRST_S, prove_lens
from controller.parts import lens_part
from controller.slap_book import SETTLED_S
from controller.table_folder import KnownBy
from controller.views import PartState, PartView
from hardware.simulated.emulated_board import EmulatedBoard
from tests.controller.web.table import got, until
from tests.long import cases
from tests.rigs.emulation import CannotEmulate, build
from tests.rigs.running import SETTINGS, Patience, Service, learn_own_copy
from tests.vision import drawn_table
from vision.frame import Frame
from vision.mat.lens import Lens
from vision.mat.registration import find_mat

PATIENT = f"{SETTINGS}\n[timing]\nhang_s = 3600\n"
"""On a machine that is too busy, camera and reading are late and have not hung."""
PLAYERS = ("--players", "2", "--speed", "4", "--mistakes", "0", "--seed", "5")


@pytest.fixture(scope="module")
def own_copy(request: pytest.FixtureRequest) -> list[Path]:
    """Our own copy's art and faces, made once and kept from run to run; the files' names change with the art."""
    return learn_own_copy(request.config.cache.mkdir("own-copy"))


@pytest.fixture
def service(tmp_path: Path, own_copy: list[Path]) -> Iterator[Service]:
    """A table of its own, not yet started; whatever it leaves is put away."""
    service = Service(tmp_path, *PLAYERS, settings=PATIENT)
    for file in own_copy:
        (service.data / file.name).symlink_to(file)
    yield service
    service.end()


def running(service: Service) -> Any:
    """Started, until pictures are read and the game is on."""
    service.start()
    return service.look_until(lambda view: view["parts"]["reading"]["state"] == "ok" and view["position"], 60)


def refused(service: Service, *options: str) -> str:
    """What it says when it does not start."""
    already = len(service.log.read_text()) if service.log.exists() else 0
    service.start(*options)
    assert service.wait() == 1
    said = service.log.read_text()[already:]
    assert "Traceback" not in said
    return said


def part(view: Any, name: str) -> tuple[str, str]:
    return view["parts"][name]["state"], view["parts"][name]["text"]


def until_part(service: Service, name: str, state: str, within_s: float = 30) -> Any:
    return service.look_until(lambda view: view["parts"].get(name, {}).get("state") == state, within_s)


def can_emulate() -> bool:
    """Whether the simulated table will have a microcontroller; its program and emulator are built for that."""
    with contextlib.suppress(CannotEmulate):
        build()
        return True
    return False


def check_board(service: Service) -> None:
    """The microcontroller of a table whose knife goes round: the real firmware, back when its line was gone."""
    view = service.look_until(lambda view: view["board"]["knives"], 120)
    assert view["parts"]["board"]["text"].startswith("the real firmware, emulated; ")
    assert view["board"]["link"] == "ready"
    assert view["board"]["words"] == "all is well"
    assert (view["board"]["emulated"], view["board"]["starts"], view["board"]["lost"]) == (True, 1, 0)
    slicer = next(seat["seat"] for seat in view["seats"] if seat["player"] == view["position"]["slicer"])
    assert view["board"]["knives"] == [slicer]
    emulator = next(pid for pid, command in service.processes().items() if "emulator" in command.split()[0])
    os.kill(emulator, signal.SIGKILL)
    view = until_part(service, "board", "lost")
    assert part(view, "board")[1].startswith("the microcontroller cannot be reached: ")
    assert view["board"]["knives"] == []
    until_part(service, "board", "ok")
    service.look_until(lambda view: view["board"]["link"] == "ready", 10)


# Starting -------------------------------------------------------------------------------------------------------------


def test_a_taken_port_is_said_and_leaves_no_process(service: Service) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", service.port))
        taken.listen()
        said = refused(service)
    assert f"Cannot listen on 127.0.0.1 port {service.port}: Address already in use" in said
    assert "--port" in said
    assert "is played" not in said
    assert service.processes() == {}


def test_a_second_one_on_the_same_folder_is_refused_and_changes_nothing(service: Service) -> None:
    chosen = service.data / "choice.json"
    chosen.write_text("what the first one's host chose")
    with Journal(service.journal):
        said = refused(service, "--game", "slice")
    assert "another process has this journal open. Does this table run already?" in said
    assert chosen.exists()


def test_a_data_folder_that_cannot_be_made_is_said(tmp_path: Path, service: Service) -> None:
    (tmp_path / "file").touch()
    said = refused(service, "--data", str(tmp_path / "file" / "data"))
    assert f"Error: data_dir {tmp_path / 'file' / 'data'}: expected a folder that can be written" in said


def test_a_damaged_journal_is_recovered_and_the_page_says_so(tmp_path: Path, service: Service) -> None:
    settings = tmp_path / "usb.toml"
    settings.write_text(SETTINGS.replace("[camera]", '[camera]\ndriver = "opencv:9"'))
    begun = {"game": "dice_and_slice", "seats": [1, 3], "names": ["Ann", "Ben"], "options": {}, "first": 1}
    with Journal(service.journal) as journal:
        journal.append("game", begun, begins_game=True).result()
    content = bytearray(service.journal.read_bytes())
    content[:100] = bytes(100)
    service.journal.write_bytes(content)
    for _ in range(2):
        service.start("--config", str(settings), "--game", "dice_and_slice")
        view = service.look_until(lambda view: True, 30)
        assert [seat["name"] for seat in view["seats"] if seat["player"]] == ["Ann", "Ben"]
        assert view["message"].startswith("The journal was damaged. Check that the table lies as shown, after 0 plays.")
        service.end()
    first = "the journal was damaged: 1 of its records could be read, none is known to be missing; the damaged file is"
    assert service.log.read_text().count(f"WARNING {first} journal-damaged-1.sqlite") == 1
    assert (service.data / "journal-damaged-1.sqlite").read_bytes() == content


def test_foreign_and_damaged_journals_are_refused_and_left_alone(service: Service) -> None:
    service.journal.write_text("once upon a time " * 100)
    assert "expected a journal, found a file that is no SQLite file. Move it away" in refused(service)
    service.journal.unlink()
    with sqlite3.connect(service.journal) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()
    content = service.journal.read_bytes()
    assert "found another SQLite file" in refused(service)
    assert service.journal.read_bytes() == content


def test_a_record_that_does_not_replay_is_named(tmp_path: Path, service: Service) -> None:
    (tmp_path / "usb.toml").write_text(SETTINGS.replace("[camera]", '[camera]\ndriver = "opencv:0"'))
    with Journal(service.journal) as journal:
        journal.append("play", {"moves": [], "text": "?"}).result()
    said = refused(service, "--config", str(tmp_path / "usb.toml"), "--game", "dice_and_slice")
    assert "record 1 (play) does not replay: no game is running" in said
    assert "`pizzatable run --fresh` leaves that game be" in said


def test_the_host_of_an_unattended_table_leaves_a_game_that_does_not_replay(tmp_path: Path, service: Service) -> None:
    (tmp_path / "usb.toml").write_text(SETTINGS.replace("[camera]", '[camera]\ndriver = "opencv:0"'))
    with Journal(service.journal) as journal:
        journal.append("play", {"moves": [], "text": "?"}).result()
    service.start("--unattended", "--config", str(tmp_path / "usb.toml"), "--game", "dice_and_slice")
    patience = Patience(30, service.processes)
    said = b""
    while not said and patience.lasts():
        with contextlib.suppress(OSError):
            said = service.ask("GET", "/api/state")[1]
        time.sleep(0.05)
    assert b"record 1 (play) does not replay" in said
    address, stranger = f"http://127.0.0.1:{service.port}/api/leave_game", {"Via": "1.1 somebody"}
    refused = httpx.post(address, headers=stranger)
    assert (refused.status_code, refused.headers["content-type"]) == (403, "application/problem+json")
    assert service.look() is None, "nobody but the host leaves it"
    token = (service.data / "host-token").read_text().strip()
    assert httpx.post(address, headers=stranger | {"X-Host-Token": token}).status_code == 204
    service.look_until(lambda view: True, 30)
    service.send(signal.SIGTERM)
    assert service.wait() == 0
    assert [record.kind for record in read_journal(service.journal) or []][:3] == ["play", "start", "lobby"]


@cases("content", ["another game", None, b"no faces"], always=1)
def test_faces_that_cannot_be_used_are_said(
    tmp_path: Path, service: Service, own_copy: list[Path], content: bytes | str | None
) -> None:
    path = tmp_path / "mine.faces"
    expected = {None: "No such file", b"no faces": "is no file of faces or is damaged", "another game": "are missing"}
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        _forget_slices(next(file for file in own_copy if file.suffix == ".faces"), path)
    (tmp_path / "faces.toml").write_text(f'faces = "{path}"\n{SETTINGS}')
    said = refused(service, "--config", str(tmp_path / "faces.toml"))
    assert expected[content] in said
    assert str(path) in said
    assert "pizzatable enrol" in said
    assert "http://" not in said, "nobody is sent to a table that does not start"
    assert service.processes() == {}


def _forget_slices(faces: Path, path: Path) -> None:
    from vision.pieces.faces import FacePack, load_pack, save_pack
    from vision.scene import PieceKind

    pack = load_pack(faces)
    save_pack(FacePack({PieceKind.SPECIAL: pack.kinds[PieceKind.SPECIAL]}, pack.source), path)


@pytest.mark.long
def test_another_copy_than_the_one_that_was_shown_is_said(
    tmp_path: Path, service: Service, own_copy: list[Path]
) -> None:
    """What is dark of one is bright of the other."""
    from vision.pieces.faces import FacePack, load_pack, save_pack

    shown = load_pack(next(file for file in own_copy if file.suffix == ".faces"))
    other = {kind: replace(faces, colours=-faces.colours, slopes=-faces.slopes) for kind, faces in shown.kinds.items()}
    save_pack(FacePack(other, shown.source), tmp_path / "other.faces")
    (tmp_path / "other.toml").write_text(f'faces = "{tmp_path / "other.faces"}"\n{PATIENT}')
    service.start("--config", str(tmp_path / "other.toml"))
    view = until_part(service, "faces", "lost", 90)
    assert "Is it another copy? `pizzatable enrol --game new_york_slice --page`" in part(view, "faces")[1]
    assert not view["log"]


def test_a_real_camera_without_faces_is_refused(tmp_path: Path, service: Service) -> None:
    text = SETTINGS.replace("[camera]", '[camera]\ndriver = "opencv:0"')
    (tmp_path / "usb.toml").write_text(text)
    assert 'faces = "": expected the file that `pizzatable enrol` wrote' in refused(
        service, "--config", str(tmp_path / "usb.toml")
    )


@pytest.mark.skipif(Path("/dev/gpiochip0").exists(), reason="this machine has GPIO pins")
def test_a_table_without_pins_goes_on_and_says_so(tmp_path: Path, service: Service, own_copy: list[Path]) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    (pictures / "1.png").write_bytes(cv2.imencode(".png", np.full((720, 1280, 3), 90, np.uint8))[1].tobytes())
    faces = next(file for file in own_copy if file.suffix == ".faces")
    text = SETTINGS.replace("[camera]", f'[camera]\ndriver = "opencv:{pictures}"')
    (tmp_path / "real.toml").write_text(f'faces = "{faces}"\n{text}')
    service.start("--config", str(tmp_path / "real.toml"))
    _, said = part(until_part(service, "panel", "lost", 120), "panel")
    assert said.startswith("buttons: missing. no GPIO pins on this machine: ")
    assert 'timing.confirm = "rest"' in said
    assert service.look()["turn"]["prompt"].endswith("press your button to join, 2 to 6 players.")
    service.send(signal.SIGTERM)
    assert service.wait() == 0
    with (tmp_path / "real.toml").open("a") as settings:
        settings.write('\n[timing]\nconfirm = "rest"\n')
    service.start("--config", str(tmp_path / "real.toml"))
    view = until_part(service, "panel", "absent", 120)
    assert view["parts"]["panel"]["note"] == "none, moves count when they lie still"
    assert view["turn"]["prompt"] == (
        "New York Slice for 2 to 6 players: the host says who plays, at Game… on the host's page."
    )


def test_real_pins_are_imported_before_another_process_is_started() -> None:
    """Their import changes the working directory for a moment."""
    for real in (True, False):
        asks = f"import sys; _import_devices({real}); print('hardware.real_pins' in sys.modules)"
        program = [sys.executable, "-c", f"from controller.service import _import_devices; {asks}"]
        assert subprocess.run(program, capture_output=True, text=True, check=True).stdout == f"{real}\n"


def test_a_picture_in_which_a_marker_is_hidden_proves_no_lens() -> None:
    image, lens = drawn_table.photograph([], drawn_table.View()), Lens(0.86, 0.12, 0.0)
    told = lens_part(image, lens)
    assert told is not None
    assert told.state.value == "lost"
    corner = next(iter(find_mat(image).markers_px.values())).mean(0)
    cv2.circle(image, (round(corner[0]), round(corner[1])), 60, (120, 150, 200), -1)
    assert lens_part(image, lens) is None
    assert lens_part(np.full_like(image, 90), lens) is None


def test_a_lens_is_looked_at_again_only_after_a_while() -> None:
    """A marker may be hidden for a whole evening, and to look for the mat takes longer than to judge."""
    image = drawn_table.photograph([], drawn_table.View())
    frames = iter([None, Frame(np.full_like(image, 90), 0.0, 1), Frame(image, 1.0, 2)])
    told: list[PartView] = []
    slept: list[float] = []

    async def sleep(span_s: float) -> None:
        slept.append(span_s)

    asyncio.run(prove_lens(Lens(0.86, 0.12, 0.0), lambda: next(frames), told.append, sleep))
    assert slept == [FIRST_S, AGAIN_S]
    assert [part.state.value for part in told] == ["lost"]


@pytest.mark.long
def test_another_cameras_lens_is_told(service: Service) -> None:
    """With the first the mat lies askew; the second cannot be used, and nothing is read without it."""

    def start_with(k1: float, height: int) -> None:
        lens = {"focal_widths": 0.86, "k1": k1, "k2": 0.0}
        (service.data / "lens-simulated.json").write_text(json.dumps({"lens": lens, "size_px": [1280, height]}))
        service.start()

    start_with(0.12, 720)
    state, said = part(service.look_until(lambda view: "lens" in view["parts"], 60), "lens")
    assert state == "lost"
    assert re.match(r"the mat's markers miss their places by \d\.\d\d px with the calibrated lens, by 0\.\d\d px", said)
    service.kill()
    start_with(0.0, 960)
    view = service.look_until(lambda view: "lens-simulated" in str(view["parts"]), 60)
    said = "made from pictures of 1280x960 and does not hold for 1280x720, which is another shape; calibrate again"
    assert said in str(view["parts"])
    service.send(signal.SIGTERM)
    assert service.wait() == 0


def test_score_sheets_need_no_faces(tmp_path: Path, service: Service) -> None:
    """A table with a camera on which only sheets and dice lie, which nobody enrols."""
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    (pictures / "1.png").write_bytes(cv2.imencode(".png", np.full((720, 1280, 3), 90, np.uint8))[1].tobytes())
    text = SETTINGS.replace("[camera]", f'[camera]\ndriver = "opencv:{pictures}"')
    (tmp_path / "real.toml").write_text(f'game = "dice_and_slice"\n{text}')
    service.start("--config", str(tmp_path / "real.toml"))
    _, said = part(service.look_until(lambda view: view["parts"]["camera"]["state"] == "ok", 60), "reading")
    assert "marker" in said, "it is read, and says what is wrong with the picture"
    service.send(signal.SIGTERM)
    assert service.wait() == 0


# Running --------------------------------------------------------------------------------------------------------------


def test_the_host_chooses_another_game_which_is_played_from_then_on(service: Service) -> None:
    service.start()
    view = service.look_until(lambda view: True, 30)
    assert view["game"] == "new_york_slice"
    status, answer = service.ask("POST", "/api/play_game", {"game": "slice", "options": {"pizzas": 9}})
    assert (status, "option pizzas: 9" in answer.decode()) == (422, True)
    status, answer = service.ask("POST", "/api/play_game", {"game": "ludo"})
    assert (status, "'ludo' is no game; there are " in answer.decode()) == (422, True)
    assert service.ask("POST", "/api/play_game", {"game": "slice", "options": {"pizzas": 1}, "players": 3})[0] == 204
    view = service.look_until(lambda view: view["game"] == "slice" and view["position"], 60)
    assert [seat["player"] for seat in view["seats"] if seat["player"]] == [1, 2, 3]
    service.send(signal.SIGTERM)
    assert service.wait() == 0
    assert service.processes() == {}

    service.start()
    assert service.look_until(lambda view: True, 30)["game"] == "slice"
    assert json.loads(service.ask("GET", "/api/games")[1])["players"] == 2, "as --players says"
    assert service.ask("POST", "/api/play_game", {"game": "dice_and_slice"})[0] == 204
    service.kill()
    service.start()
    assert service.look_until(lambda view: True, 30)["game"] == "dice_and_slice", "it was acknowledged"


@pytest.mark.long
def test_a_game_that_is_named_at_the_start_is_played_from_then_on(service: Service) -> None:
    service.start()
    service.look_until(lambda view: True, 30)
    assert service.ask("POST", "/api/play_game", {"game": "slice"})[0] == 204
    service.look_until(lambda view: view["game"] == "slice" and view["position"], 60)
    for options, game in (((), "slice"), (("--game", "new_york_slice"), "new_york_slice"), ((), "new_york_slice")):
        service.kill()
        service.start(*options)
        assert service.look_until(lambda view: True, 30)["game"] == game


def test_a_table_plays_survives_what_may_happen_and_ends_clean(service: Service) -> None:
    """One table through everything that may happen in an evening: starting it for each would take minutes."""
    emulated = can_emulate()
    view = running(service)
    if emulated:
        view = until_part(service, "board", "ok")
    assert {name: text["state"] for name, text in view["parts"].items()} == {
        "camera": "ok", "reading": "ok", "panel": "ok", "journal": "ok", "referee": "ok", "simulation": "ok",
        "discovery": "absent", "board": "ok" if emulated else "absent",
    }  # fmt: skip
    if emulated:
        check_board(service)
    else:
        assert "no board is emulated here" in view["parts"]["board"]["text"]
        assert view["board"] is None
    view = service.look_until(lambda view: view["log"], 60)

    # A second service on the same folder.
    second = Service(service.data.parent, *PLAYERS, settings=PATIENT)
    assert "another process has this journal open. Does this table run already?" in refused(second)
    assert service.look()["log"][: len(view["log"])] == view["log"]
    assert service.people() is not None

    # The child process of camera and reading is killed.
    vision = service.vision()
    assert vision is not None
    os.kill(vision, signal.SIGKILL)
    view = until_part(service, "camera", "lost")
    assert "exit code -9" in part(view, "camera")[1]
    assert part(view, "reading") == ("lost", "no pictures to read")
    until_part(service, "reading", "ok")
    log = service.log.read_text()
    assert re.search(r"WARNING .*\(exit code -9\); starting again\n(.*\n)*INFO camera and reading are back", log), log

    # The service is killed: the table stays, the game goes on.
    view = service.look()
    service.kill()
    time.sleep(0.2)
    assert service.people() is not None
    _, resumed = service.start_and_look()
    assert resumed["log"][: len(view["log"])] == view["log"]
    assert resumed["seq"] > view["seq"]
    until_part(service, "reading", "ok")

    # The disk takes no more.
    written = service.journal.with_name("journal.sqlite-wal").stat().st_size
    resource.prlimit(service.pid, resource.RLIMIT_FSIZE, (written, resource.RLIM_INFINITY))
    view = until_part(service, "journal", "lost", 60)
    assert "Moves count again when it can be written" in part(view, "journal")[1]
    acknowledged = view["log"]
    status, body = service.ask("POST", "/api/new_game", {"players": [{"seat": s, "name": f"x{s}"} for s in (1, 2)]})
    assert status == 503
    assert b"Nothing has changed" in body
    status, body = service.ask("POST", "/api/play_game", {"game": "slice"})
    assert (status, b"the table cannot be set anew now: " in body) == (409, True)
    assert service.look()["log"] == acknowledged
    assert service.ask("POST", "/api/pause")[0] == 204
    service.look_until(lambda view: "The journal did not take the pause" in view["message"], 10)
    resource.prlimit(service.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    until_part(service, "journal", "ok")
    service.look_until(lambda view: view["message"].startswith("Paused. "), 10)
    assert service.ask("POST", "/api/resume")[0] == 204
    service.look_until(lambda view: len(view["log"]) > len(acknowledged), 60)

    # The simulated table is gone: a new one is set up, and its people begin anew.
    people = service.people()
    assert people is not None
    os.kill(people, signal.SIGKILL)
    view = until_part(service, "simulation", "lost")
    assert "A new one is being set up" in part(view, "simulation")[1]
    service.look_until(lambda view: view["position"] is None, 20)
    until_part(service, "simulation", "ok")
    assert service.people() not in (None, people)
    if emulated:
        until_part(service, "board", "ok")

    # SIGTERM puts everything away.
    service.send(signal.SIGTERM)
    assert service.wait() == 0
    assert service.processes() == {}
    assert "Traceback" not in service.log.read_text()
    with Journal(service.journal) as journal:
        assert [record.kind for record in journal.records()].count("start") == 2
        assert [record.kind for record in journal.records()].count("interrupted") == 1
        breaks = [record.kind for record in journal.records() if record.kind in ("pause", "resume")]
        assert breaks == ["pause", "resume"]


@pytest.mark.long
def test_a_microcontroller_on_its_line(tmp_path: Path, service: Service) -> None:
    if not can_emulate():
        pytest.skip("needs avr-gcc and simavr: make firmware-tools")
    with EmulatedBoard(tmp_path / "board") as board:
        settings = f'{SETTINGS}\n[serial]\nport = "{board.port}"\n'
        (tmp_path / "serial.toml").write_text(settings)
        service.start("--config", str(tmp_path / "serial.toml"))
        view = until_part(service, "board", "ok", 120)
        assert view["parts"]["board"]["state"] == "ok"
        assert (view["board"]["port"], view["board"]["emulated"]) == (str(board.port), False)

        # Its lamps do what the panel's do.
        view = service.look_until(lambda view: any(seat["lamp"] == "on" for seat in view["seats"]), 60)
        lit = next(seat["seat"] for seat in view["seats"] if seat["lamp"] == "on")
        service.look_until(lambda view: board.level(f"C{lit - 1}") == 1, 60)

        # Slaps are put in order, shown, and written down.
        board.soon([(1000, "A4", 0), (2000, "K2", 0), (2000 + 412 * 16, "K4", 0)])
        view = service.look_until(lambda view: view["board"]["slaps"] and view["board"]["slaps"]["margin_us"], 60)
        slaps = view["board"]["slaps"]
        assert (slaps["first"], slaps["seats"]) == ([3], [3, 5])
        assert slaps["margin_us"] == pytest.approx(412, abs=5)
        service.look_until(lambda view: (view["board"]["knives"], view["board"]["pads"]) == ([5], [3, 5]), 60)
        time.sleep(SETTLED_S + 0.2)

        # Pulled and put back, it keeps what happened meanwhile.
        board.do("unplug")
        view = until_part(service, "board", "lost", 60)
        assert "the microcontroller cannot be reached: " in part(view, "board")[1]
        assert view["board"]["knives"] == []
        board.soon([(1000, "K2", 1), (2000, "K4", 1), (3000, "A4", 1), (40_000_000, "K7", 0)])
        board.do("plug")
        until_part(service, "board", "ok", 60)
        view = service.look_until(lambda view: view["board"]["slaps"] and view["board"]["slaps"]["seats"] == [8], 60)
        assert view["board"]["slaps"]["number"] == 2
        assert (view["board"]["knives"], view["board"]["pads"]) == ([], [8])

        service.send(signal.SIGTERM)
        assert service.wait() == 0
        assert [board.level(f"C{bit}") for bit in range(8)] == [0] * 8, "the lamps go off"
    assert "Traceback" not in service.log.read_text()
    with Journal(service.journal) as journal:
        written = [record.data for record in journal.records() if record.kind == "slaps"]
    assert [slaps["seats"] for slaps in written[:1]] == [[3, 5]]
    assert written[0]["margin_us"] == pytest.approx(412, abs=5)


def test_ctrl_c_ends_it_clean_at_any_time_and_fresh_begins_anew(service: Service) -> None:
    service.start_and_look()
    service.send(signal.SIGINT)  # while camera and reading are starting
    assert service.wait() == 0
    assert service.processes() == {}
    with Journal(service.journal) as journal:
        seats = {"game": "new_york_slice", "seats": [1, 3], "names": ["a", "b"], "options": {}, "first": 1}
        journal.append("game", seats).result()
    (service.simulated / "people.log").unlink()
    _, view = service.start_and_look()
    assert view["position"] is None, "the table of that game is gone, so it is left"
    assert "Traceback" not in service.log.read_text()


# Faults of our own ----------------------------------------------------------------------------------------------------


def test_what_cannot_be_judged_is_said_and_changes_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    from controller.journal_keeper import JournalKeeper
    from controller.service import _Service

    async def play() -> None:
        config = load_table().model_copy(update={"data_dir": tmp_path})
        journal = JournalKeeper(tmp_path / "journal.sqlite")
        try:
            service = _Service(config, journal, None, KnownBy("token", "1a2b"))
            await service._table.start()

            async def faulty() -> None:
                raise IndexError("tuple index out of range")

            async def sound() -> None:
                pass

            await service._judged(faulty(), "what lies on the table")
            await service._judged(faulty(), "what lies on the table")
            view = service._hub.view
            assert view is not None
            text = "cannot judge what lies on the table: IndexError: tuple index out of range"
            assert (view.parts["referee"].state.value, view.parts["referee"].text) == ("lost", text)
            assert [record.message for record in caplog.records if record.levelname == "ERROR"] == [
                "cannot judge what lies on the table; going on with the next scene"
            ]
            await service._judged(sound(), "what lies on the table")
            view = service._hub.view
            assert view is not None
            assert view.parts["referee"].state.value == "ok"
            assert [record.kind for record in journal.records()] == ["start"]
        finally:
            journal.close()

    asyncio.run(play())


def test_a_mat_that_was_moved_is_reported(tmp_path: Path) -> None:
    from controller.journal_keeper import JournalKeeper
    from controller.service import _Service
    from vision.scene import Scene

    async def play() -> None:
        journal = JournalKeeper(tmp_path / "journal.sqlite")
        try:
            service = _Service(
                load_table().model_copy(update={"data_dir": tmp_path}), journal, None, KnownBy("token", "1a2b")
            )
            await service._table.start()
            deciding = asyncio.create_task(service._decide())
            notes = []
            for number, shift_mm in enumerate((0.4, 12.3, 0.6)):
                service._inbox.scene(Scene(float(number), number, (), (), 0.0, shift_mm))
                await until(lambda: service._outlets.scene is not None and service._outlets.scene.sequence == number)  # noqa: B023
                await asyncio.sleep(0)
                view = service._hub.view
                assert view is not None
                notes.append(view.parts["mat"].note if "mat" in view.parts else None)
            deciding.cancel()
            assert notes == [None, "moved 12 mm", "moved back"]
        finally:
            journal.close()

    asyncio.run(play())


def test_a_disk_that_fills_up_is_said_before_it_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from controller.journal_keeper import JournalKeeper
    from controller.parts import FULL_BYTES, SCARCE_BYTES
    from controller.service import _Service

    free = 9 * SCARCE_BYTES
    monkeypatch.setattr("controller.service.os.statvfs", lambda _: SimpleNamespace(f_bavail=free, f_frsize=1))

    async def play() -> None:
        nonlocal free
        journal = JournalKeeper(tmp_path / "journal.sqlite")
        try:
            service = _Service(
                load_table().model_copy(update={"data_dir": tmp_path}), journal, None, KnownBy("token", "1a2b")
            )
            await service._table.start()
            keeping = asyncio.create_task(service._keep_disk(every_s=0.0))

            async def until_said(text: str, free_bytes: int) -> PartView:
                nonlocal free
                free = free_bytes
                await until(lambda: text in getattr(service._table.parts.get("disk"), "text", ""))
                return service._table.parts["disk"]

            await asyncio.sleep(0.1)
            assert "disk" not in service._table.parts
            assert (await until_said("filling up", SCARCE_BYTES - 10_000_000)).note == "0.99 GB left"
            assert (await until_said("nearly full: 0.09 GB left", FULL_BYTES - 10_000_000)).state is PartState.LOST
            assert (await until_said("room again", SCARCE_BYTES)).state is PartState.OK
            keeping.cancel()
        finally:
            journal.close()

    asyncio.run(play())


def test_a_lens_that_cannot_be_proved_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(image: object, lens: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("controller.lens_proof.lens_part", broken)
    told: list[PartView] = []
    frame = Frame(np.zeros((4, 4, 3), np.uint8), 0.0, 1)
    asyncio.run(prove_lens(Lens(1.0), lambda: frame, told.append))
    assert [part.text for part in told] == ["cannot be told: ZeroDivisionError: a bug"]


def test_that_the_disk_takes_long_is_shown_until_it_has_the_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from controller.journal import _transaction
    from controller.journal_keeper import JournalKeeper
    from controller.parts import JOURNAL_WAITS, JOURNAL_WAITS_S
    from controller.service import _Service

    now_s, taken = [100.0], threading.Event()

    @contextlib.contextmanager
    def slow(connection: sqlite3.Connection) -> Iterator[None]:
        with _transaction(connection):
            taken.wait(60)
            yield

    async def watch() -> None:
        with contextlib.closing(JournalKeeper(tmp_path / "journal.sqlite", lambda: now_s[0])) as journal:
            settings = load_table().model_copy(update={"data_dir": tmp_path})
            service = _Service(settings, journal, None, KnownBy("token", "1a2b"))
            await service._table.start()
            service._show_starting()
            watching = asyncio.create_task(service._watch_journal(every_s=0.0))
            monkeypatch.setattr("controller.journal._transaction", slow)
            written = asyncio.wrap_future(journal.append("play", {}))
            await asyncio.sleep(0)
            assert service._table.parts["journal"].state is PartState.OK
            now_s[0] += JOURNAL_WAITS_S
            await until(lambda: service._table.parts["journal"] == JOURNAL_WAITS)
            taken.set()
            await written
            await until(lambda: service._table.parts["journal"].state is PartState.OK)
            watching.cancel()

    asyncio.run(watch())


def test_a_data_folder_that_is_moved_away_is_shown_before_a_record_is_refused(tmp_path: Path) -> None:
    from controller.journal_keeper import JournalKeeper
    from controller.service import _Service

    data = tmp_path / "data"

    async def watch() -> None:
        with contextlib.closing(JournalKeeper(data / "journal.sqlite")) as journal:
            settings = load_table().model_copy(update={"data_dir": data})
            service = _Service(settings, journal, None, KnownBy("token", "1a2b"))
            await service._table.start()
            service._show_starting()
            keeping = [service._watch_journal(every_s=0.0), service._keep_journal()]
            tasks = [asyncio.create_task(one) for one in keeping]
            data.rename(tmp_path / "away")
            await until(lambda: service._table.parts["journal"].state is PartState.LOST)
            assert service._table.parts["journal"].text.startswith(f"{data / 'journal.sqlite'}: is gone. ")
            for task in tasks:
                task.cancel()

    asyncio.run(watch())


def test_work_that_ends_by_itself_ends_the_service_with_an_error() -> None:
    from controller.service import ServiceError, _until_one_ends

    async def broken() -> None:
        raise RuntimeError("the display is gone")

    async def wait() -> None:
        with pytest.raises(ServiceError, match=r"the display is gone\. Start it again"):
            await _until_one_ends(asyncio.Event(), [broken()])

    asyncio.run(wait())


def test_the_lan_knows_the_table_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from controller.discovery import Announcement, Discovery
    from controller.journal_keeper import JournalKeeper
    from controller.service import _Service

    told: list[str | None] = []

    class Telling(Discovery):
        def __init__(self, announcement: Announcement, *, identity: str | None = None, **others: Any) -> None:
            told.append(identity)
            super().__init__(announcement, ["no-such-interface"], identity=identity, **others)

    monkeypatch.setattr("controller.discovery.Discovery", Telling)

    async def scenario() -> None:
        journal = JournalKeeper(tmp_path / "journal.sqlite")
        with contextlib.closing(journal):
            service = _Service(load_table(), journal, None, KnownBy("token", "1a2b"))
            await service._table.start()
            async with service._announced(8080):
                answer = await got(service._app(), "/api/results")
                assert answer.json()["identity"] == told[0], "also at another address"
                assert (await got(service._app(), "/api/state")).json()["identity"] == told[0]

    asyncio.run(scenario())
    assert [(identity or "").partition("-")[0] for identity in told] == ["1a2b"]


def test_games_are_found_by_their_numbers_as_people_count_them(tmp_path: Path) -> None:
    from controller.commands import Sitting
    from controller.journal_keeper import JournalKeeper
    from controller.service import _Service

    async def scenario() -> None:
        journal = JournalKeeper(tmp_path / "journal.sqlite")
        with contextlib.closing(journal):
            service = _Service(load_table(), journal, None, KnownBy("token", "1a2b"))
            await service._table.start()
            for first in ("Ann", "Cara"):
                await service._table.new_game([Sitting(1, first), Sitting(2, "Ben")], {})
            app = service._app()
            games = (await got(app, "/api/results")).json()["games"]
            assert [game["number"] for game in games] == [1, 2]
            told = [(await got(app, f"/api/results/{number}")).json() for number in (1, 2)]
            assert [lines[0]["text"] for lines in told] == ["Begun by Ann, Ben", "Begun by Cara, Ben"]
            missing = await got(app, "/api/results/3")
            assert (missing.status_code, "No game here has the number 3" in missing.text) == (404, True)

    asyncio.run(scenario())
