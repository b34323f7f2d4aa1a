"""The serial line with its thread: the emulated board in real time behind a pseudo-terminal."""

import fcntl
import os
import pty
import threading
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from signal import SIGKILL
from threading import Event

import pytest

from firmware_bridge.link import Link, board_ports
from firmware_bridge.session import Buzzing, LinkState
from firmware_bridge.signals import Signal, SignalKind
from hardware.simulated.emulated_board import HERTZ, EmulatedBoard
from tests.rigs.emulation import CannotEmulate, build

PATIENCE_S = 30.0
MS = HERTZ // 1000


def eventually(holds: Callable[[], bool]) -> float:
    """Wait on other threads and processes until it holds; how long that took."""
    begin_s = time.monotonic()
    pause = Event()
    while not holds():
        assert time.monotonic() - begin_s < PATIENCE_S, "it never came to hold"
        pause.wait(0.005)
    return time.monotonic() - begin_s


@pytest.fixture
def board(tmp_path: Path) -> Iterator[EmulatedBoard]:
    try:
        build()
    except CannotEmulate as error:
        pytest.skip(str(error))
    with EmulatedBoard(tmp_path / "board") as board:
        yield board


@pytest.fixture
def link(board: EmulatedBoard) -> Iterator[Link]:
    link = Link(str(board.port), time.monotonic)
    yield link
    link.close()
    link.close()


def is_ready(link: Link) -> bool:
    status = link.status()
    return status.state is LinkState.READY and status.clock_bound_s is not None


def slaps(link: Link, count: int) -> list[Signal]:
    found: list[Signal] = []

    def enough() -> bool:
        signal = link.get()
        if signal is not None:
            found.append(signal)
        return len(found) >= count

    eventually(enough)
    return found


def test_slaps_lamps_and_states(board: EmulatedBoard, link: Link) -> None:
    eventually(lambda: is_ready(link))
    cycle, _ = board.now()
    board.edges([(cycle + (20 + pad) * MS, f"K{pad}", 0) for pad in range(8)])
    found = slaps(link, 8)
    assert [(signal.seat, signal.kind) for signal in found] == [(seat, SignalKind.PAD_PRESSED) for seat in range(1, 9)]
    link.set_lamps(0b10)
    link.buzz(Buzzing(0.2, 0.0, 1))
    eventually(lambda: board.level("C1") == 1)
    status = link.status()
    assert (status.state, status.words, status.lost) == (LinkState.READY, "all is well", 0)
    assert link.get() is None
    link.close()
    assert link.status().state is LinkState.CLOSED


def test_a_pulled_line_is_back_within_two_seconds_with_all_events(board: EmulatedBoard, link: Link) -> None:
    eventually(lambda: is_ready(link))
    for turn in range(3):
        board.do("unplug")
        eventually(lambda: link.status().state is LinkState.NO_BOARD)
        assert "expected a board there" in link.status().words
        cycle, _ = board.now()
        board.edges([(cycle + MS, "K2", turn % 2)])
        eventually(lambda: len(board.fired()) == 1)
        board.do("plug")
        assert eventually(lambda: link.status().state is LinkState.READY) < 2.0
        kind = SignalKind.PAD_RELEASED if turn % 2 else SignalKind.PAD_PRESSED
        assert [(signal.seat, signal.kind) for signal in slaps(link, 1)] == [(3, kind)]


def test_a_board_that_starts_anew_is_followed(board: EmulatedBoard, link: Link) -> None:
    eventually(lambda: is_ready(link))
    board.do("reset")

    def greeted_anew() -> bool:
        hello = link.status().hello
        return hello is not None and hello.cold_boots == 2 and is_ready(link)

    eventually(greeted_anew)


def test_a_port_has_one_user(board: EmulatedBoard, link: Link) -> None:
    eventually(lambda: is_ready(link))
    other = Link(str(board.port), time.monotonic)
    eventually(lambda: "used by nobody else" in other.status().words)
    assert other.status().state is LinkState.NO_BOARD
    assert is_ready(link)
    other.close()


def test_the_name_of_a_board_that_died_leads_to_no_other_board(board: EmulatedBoard, tmp_path: Path) -> None:
    """The kernel gives the number of its terminal to the next one that asks."""
    os.kill(board.pid, SIGKILL)
    eventually(lambda: not board.is_running)
    with EmulatedBoard(tmp_path / "other"):
        assert board.port.is_symlink()
        with pytest.raises(FileNotFoundError):
            os.open(board.port, os.O_RDWR | os.O_NOCTTY)
    board.close()
    assert not board.port.is_symlink()


def test_who_only_looks_leaves_the_signals_on_the_board(board: EmulatedBoard) -> None:
    onlooker = Link(str(board.port), time.monotonic, takes_signals=False)
    eventually(lambda: is_ready(onlooker))
    board.edge(0, "K5", 0)
    eventually(lambda: len(board.fired()) == 1)
    assert onlooker.get(0.5) is None
    onlooker.close()
    player = Link(str(board.port), time.monotonic)
    assert [(signal.seat, signal.kind) for signal in slaps(player, 1)] == [(6, SignalKind.PAD_PRESSED)]
    player.close()


def test_a_port_that_is_not_there_is_a_state(tmp_path: Path) -> None:
    link = Link(str(tmp_path / "none"), time.monotonic)
    eventually(lambda: link.status().state is LinkState.NO_BOARD)
    assert "none" in link.status().words
    assert link.status().hello is None
    link.close()


def test_a_device_that_talks_rubbish_is_never_ready() -> None:
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    link = Link(os.ttyname(theirs), time.monotonic)
    try:
        eventually(lambda: link.status().state is LinkState.GREETING)
        os.write(ours, bytes(range(256)) * 8 + b"\0\x03ab\0")
        eventually(lambda: link.status().faults > 1)
        assert link.status().state is LinkState.GREETING
        assert "not answered" in link.status().words
    finally:
        link.close()
        os.close(ours)
        os.close(theirs)


def test_closing_lets_go_of_thread_and_port(board: EmulatedBoard) -> None:
    link = Link(str(board.port), time.monotonic)
    eventually(lambda: is_ready(link))
    link.close()
    assert "board-line" not in {thread.name for thread in threading.enumerate()}
    line = os.open(board.port, os.O_RDWR | os.O_NOCTTY)
    fcntl.flock(line, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(line)


def test_stable_names(tmp_path: Path) -> None:
    assert board_ports(tmp_path / "none") == ()
    for name in ("usb-b", "usb-a"):
        (tmp_path / name).touch()
    assert board_ports(tmp_path) == (str(tmp_path / "usb-a"), str(tmp_path / "usb-b"))
