"""The serial line to the board: opened, kept open, opened anew; its signals in a queue.

One thread of its own, `board-line`, does all reading and writing. It ends with `close`.
"""

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Full, Queue
from threading import Event as Flag
from threading import Lock, Thread

import serial

from firmware_bridge.contacts import Contacts
from firmware_bridge.framing import FrameError
from firmware_bridge.schema import BAUD, Hello
from firmware_bridge.session import Buzzing, LinkState, Session
from firmware_bridge.signals import RingPlace, Signal

SERIAL_NAMES = Path("/dev/serial/by-id")
"""Where Linux names serial devices after what they are, whatever order they were plugged in."""
RETRY_S = 0.2
"""How often a port that is not there is tried."""
READ_S = 0.01
WRITE_S = 1.0
QUEUE_SIZE = 256
"""Signals that wait to be fetched. Nothing is dropped: what has no room stays on the board, which sends no more than
WINDOW ahead of what was settled."""


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """How the connection is, at one moment."""

    state: LinkState
    words: str
    """What is wrong, or that nothing is, for people."""
    port: str
    hello: Hello | None
    """What the board last said of itself: boots, cause of the last one, self-test."""
    lost: int
    """Events that the board had no room for since it started."""
    faults: int
    """Stretches of this connection that were no frame."""
    clock_bound_s: float | None
    """How far the mapping of the board's clock may be off at present; None before it is known."""
    contacts: Contacts | None = None
    """What is closed on the board now; None while nobody says."""


def board_ports(folder: Path = SERIAL_NAMES) -> tuple[str, ...]:
    """The stable names of the USB serial devices that are plugged in: what may be set as `serial.port`."""
    return tuple(sorted(str(path) for path in folder.iterdir())) if folder.is_dir() else ()


class Link:
    """A board on a serial port. Closing twice is fine.

    Whoever has got signals says when they need the board no more (`settle`). What was not settled is kept there, and
    comes again over the next link.
    """

    def __init__(
        self,
        port: str,
        clock: Callable[[], float],
        *,
        baud: int = BAUD,
        takes_signals: bool = True,
        settled: RingPlace | None = None,
    ) -> None:
        """`clock` is monotonic, in seconds: that of the signals' times.

        Who does not take signals leaves them on the board, for the program whose they are. `settled` is the last place
        that is known to have been settled over an earlier link: nothing is got anew that stood there or before.
        """
        self._port = port
        self._baud = baud
        self._clock = clock
        self._signals: Queue[Signal] = Queue(QUEUE_SIZE)
        self._takes_signals = takes_signals
        self._session = Session(self._take, settled)
        self._lock = Lock()
        self._stop = Flag()
        self._thread = Thread(target=self._run, name="board-line", daemon=True)
        self._thread.start()

    def get(self, timeout_s: float = 0.0) -> Signal | None:
        """The next signal, in the board's order; None if none comes in time."""
        try:
            return self._signals.get(timeout_s > 0, timeout_s or None)
        except Empty:
            return None

    def settle(self, signal: Signal) -> None:
        """This signal, and all that were got before it, need the board no more: it may forget them."""
        if signal.place is not None:
            with self._lock:
                self._session.settle(signal.place)

    def status(self) -> LinkStatus:
        """How the connection is now."""
        with self._lock:
            session = self._session
            clock, pong = session.clock, session.pong
            bound_s = None
            if clock is not None and pong is not None and clock.exchanges:
                bound_s = clock.newest_bound_s
            return LinkStatus(
                session.state,
                session.words,
                self._port,
                session.hello,
                pong.lost if pong is not None else 0,
                session.faults,
                bound_s,
                session.contacts,
            )

    def set_lamps(self, on: int, blinking: int = 0) -> None:
        """Light and blink the seats' lamps, seat 1 in the lowest bit; the board is told again whenever it forgets."""
        with self._lock:
            self._session.set_lamps(on, blinking)

    def buzz(self, sound: Buzzing) -> None:
        """Sound the buzzer, once."""
        with self._lock:
            self._session.buzz(sound)

    def test_pads(self) -> None:
        """Let the board test its pads; another `hello` says what it found."""
        with self._lock:
            self._session.test_pads()

    def close(self) -> None:
        """Let go of the port; the lamps go off, as far as there is a board."""
        self._stop.set()
        self._thread.join()

    def _take(self, signal: Signal) -> bool:
        if not self._takes_signals:
            return False
        try:
            self._signals.put_nowait(signal)
        except Full:
            return False
        return True

    def _run(self) -> None:
        while not self._stop.is_set():
            words = "stopped"
            try:
                with open_line(self._port, self._baud) as line:
                    self._converse(line)
            except (OSError, FrameError) as error:  # SerialException is an OSError
                words = f"{self._port}: {_reason(error)}; expected a board there, used by nobody else"
            except Exception as error:  # termios has an error of its own; a fault of ours is shown, too
                words = f"{self._port}: {type(error).__name__}: {error}; trying again"
            with self._lock:
                self._session.close(LinkState.NO_BOARD, words)
            self._stop.wait(RETRY_S)
        with self._lock:
            self._session.close(LinkState.CLOSED, "stopped")

    def _converse(self, line: serial.Serial) -> None:
        with self._lock:
            self._session.open(self._clock())
        while not self._stop.is_set():
            with self._lock:
                waiting = self._session.due(self._clock())
            if waiting:
                line.write(waiting)
            received = line.read(1)
            if received:
                received += line.read(line.in_waiting)
            now_s = self._clock()
            with self._lock:
                self._session.receive(received, now_s)
                if self._session.is_dead(now_s):
                    raise TimeoutError("the board has fallen silent")
        with self._lock:
            self._session.set_lamps(0, 0)
            last = self._session.due(self._clock())
        line.write(last)


def _reason(error: Exception) -> str:
    """What is wrong, without pyserial's repetitions of the port."""
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.EAGAIN:  # the lock is taken
        return "another program has it"
    return os.strerror(number) if number else str(error)


def open_line(port: str, baud: int) -> serial.Serial:
    """The port for nobody but us, without the DTR pulse that resets an Arduino.

    Raises:
        OSError: it is not there, or somebody else has it.
    """
    line = serial.Serial(None, baud, timeout=READ_S, write_timeout=WRITE_S, exclusive=True)
    line.dtr = line.rts = False
    line.port = port
    line.open()
    return line
