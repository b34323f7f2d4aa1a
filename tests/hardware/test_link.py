"""The simulated table's process and its clients, across real processes."""

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from queue import Queue
from random import Random
from threading import Event, Thread

import pytest

from firmware_bridge.signals import Signal, SignalKind
from hardware.panel import LampState, Panel, PanelPins, SeatPins
from hardware.simulated.link import LinkBroken, LinkError, LinkLost, LinkUnsafe, PanelCable, RemoteWorld, serve_world
from hardware.simulated.pins import SimulatedPins
from hardware.simulated.world import ButtonEdge, Carry, Gesture, ImpossibleGesture, UnknownPiece, World
from vision.scene import Pose

CHILD = Path(__file__).with_name("link_children.py")
ROOT = CHILD.parents[2]
PINS = PanelPins({1: SeatPins(5, 4), 2: SeatPins(6, 17)}, host_button=16, buzzer=12)
PATIENCE_S = 20.0


class Table:
    """A table's process that can be killed and started again."""

    def __init__(self, address: Path) -> None:
        self.address = address
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        environ = os.environ | {"PYTHONPATH": str(ROOT)}
        self._process = subprocess.Popen([sys.executable, str(CHILD), str(self.address)], env=environ)
        eventually(lambda: answers(self.address))

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def eventually(holds: Callable[[], bool]) -> None:
    """Wait on other processes until it holds."""
    end_s = time.monotonic() + PATIENCE_S
    pause = Event()
    while not holds():
        assert time.monotonic() < end_s, "it never came to hold"
        pause.wait(0.02)


def answers(address: Path) -> bool:
    remote = RemoteWorld(address)
    try:
        remote.snapshot()
    except LinkLost:
        return False
    else:
        return True
    finally:
        remote.close()


@pytest.fixture
def table() -> Iterator[Table]:
    with tempfile.TemporaryDirectory() as folder:  # short: a socket's path has at most 107 characters
        table = Table(Path(folder) / "table")
        yield table
        table.kill()


def test_a_world_in_another_process(table: Table) -> None:
    table.start()
    remote = RemoteWorld(table.address)
    snapshot = remote.snapshot()
    piece = snapshot.pieces[0]
    assert abs(snapshot.time_s - time.monotonic()) < 1.0
    remote.perform(Gesture(1, (Carry(piece.piece_id, Pose(5, 6, 7), False),), 0.3))

    def arrived() -> bool:
        found = {view.piece_id: view for view in remote.snapshot().pieces}[piece.piece_id]
        return found.pose == Pose(5, 6, 7) and not found.face_up and found.holder is None

    eventually(arrived)
    remote.close()
    remote.close()


def test_refusals_come_back_as_what_they_are(table: Table) -> None:
    table.start()
    remote = RemoteWorld(table.address)
    with pytest.raises(UnknownPiece, match="nothing-like-it"):
        remote.perform(Gesture(1, (Carry("nothing-like-it", None, True),), 1.0))
    with pytest.raises(ImpossibleGesture, match="seat 9"):
        remote.perform(Gesture(9, (), 1.0, hover=(0, 0)))
    remote.close()


def test_the_server_is_killed_and_started_again(table: Table) -> None:
    table.start()
    remote = RemoteWorld(table.address)
    remote.snapshot()
    table.kill()
    with pytest.raises(LinkLost, match="does not answer"):
        remote.snapshot()
    with pytest.raises(LinkLost):
        remote.snapshot()
    table.start()
    assert remote.snapshot().pieces
    remote.close()


def test_the_panel_over_the_line_and_over_a_break(table: Table) -> None:
    table.start()
    heard: Queue[Signal] = Queue()
    cable = PanelCable(table.address, time.monotonic)
    pins = SimulatedPins(PINS, cable.set_lamp, cable.set_buzzer)
    panel = Panel(PINS, pins.factory, time.monotonic, heard.put)
    cable.listen(pins.apply)
    remote = RemoteWorld(table.address)
    try:
        panel.set_lamp(2, LampState.ON)
        eventually(lambda: dict(remote.snapshot().lamps).get(2) == 1.0)
        for _ in range(2):  # the line to the buttons may stand only after the first press
            Event().wait(0.1)  # longer than contacts bounce
            remote.press(2, 0.05)
            pressed, released = heard.get(timeout=PATIENCE_S), heard.get(timeout=PATIENCE_S)
            assert [pressed.kind, released.kind] == [SignalKind.BUTTON_PRESSED, SignalKind.BUTTON_RELEASED]
        assert released.time_s - pressed.time_s == pytest.approx(0.05, abs=0.001)
        table.kill()
        panel.set_lamp(1, LampState.ON)
        table.start()
        eventually(
            lambda: answers(table.address) and dict(RemoteWorld(table.address).snapshot().lamps) == {1: 1.0, 2: 1.0}
        )
        eventually(lambda: press(remote, 1))
        assert heard.get(timeout=PATIENCE_S).seat == 1
    finally:
        panel.close()
        cable.close()
        cable.close()
        remote.close()


def test_a_button_that_is_down_was_told_of_as_an_edge(table: Table) -> None:
    table.start()
    remote = RemoteWorld(table.address)
    after = remote.edges(None, 0.0).sequence
    for _ in range(20):
        remote.press(2, 0.02)
        heard = remote.edges(after, 0.0)
        assert [(edge.seat, edge.pressed) for edge in heard.edges][:1] == [(2, True)]
        eventually(lambda: not remote.edges(None, 0.0).buttons_down)
        after = remote.edges(None, 0.0).sequence
    remote.close()


def press(remote: RemoteWorld, seat: int) -> bool:
    try:
        remote.press(seat, 0.3)
    except LinkLost:
        return False
    return True


def test_bad_bytes_are_answered_and_hurt_nobody(table: Table) -> None:
    table.start()
    for sent in (b"\x00\x00\x00\x05hello", b"\x00\x00\x00\x00", b"\xff\xff\xff\xff", b"GET / HTTP/1.1\r\n\r\n"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.connect(str(table.address))
            line.sendall(sent)
            line.shutdown(socket.SHUT_WR)
            with suppress(ConnectionResetError):
                while line.recv(4096):
                    pass
    assert answers(table.address)


def test_a_question_that_does_not_exist(table: Table) -> None:
    table.start()
    remote = RemoteWorld(table.address)
    with pytest.raises(LinkBroken, match="asked for 'fly': expected one of"):
        remote._ask(type(None), "fly")
    with pytest.raises(LinkBroken, match="press"):
        remote._ask(type(None), "press", "one")
    assert remote.snapshot().pieces
    remote.close()


def test_a_second_server_is_refused(table: Table) -> None:
    table.start()
    with pytest.raises(LinkError, match="already"):
        serve_world(a_world(), table.address, time.monotonic, Event())


def test_a_folder_open_to_others_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir(mode=0o755)
    with pytest.raises(LinkUnsafe, match="expected 700"):
        serve_world(a_world(), folder / "table", time.monotonic, Event())


def test_a_server_that_stops_leaves_nothing_behind() -> None:
    with tempfile.TemporaryDirectory() as folder:
        address, stop = Path(folder) / "table", Event()
        server = Thread(target=serve_world, args=(a_world(), address, time.monotonic, stop))
        server.start()
        eventually(lambda: answers(address))
        remote = RemoteWorld(address)
        remote.snapshot()
        stop.set()
        server.join()
        assert not address.exists()
        with pytest.raises(LinkLost):
            remote.snapshot()
        remote.close()


def a_world() -> World:

    return World(Random(0), time.monotonic())


def test_edges_can_be_asked_for_from_any_point(table: Table) -> None:
    table.start()
    remote = RemoteWorld(table.address)
    start = remote.edges(None, 0.0)
    assert start.edges == ()
    remote.press(1, 0.02)

    def both() -> bool:
        return len(remote.edges(start.sequence, 0.5).edges) == 2

    eventually(both)
    edges = remote.edges(start.sequence, 0.0).edges
    assert [(edge.seat, edge.pressed) for edge in edges] == [(1, True), (1, False)]
    assert isinstance(edges[0], ButtonEdge)
    assert remote.edges(start.sequence + 1, 0.0).edges == edges[1:]
    remote.close()
