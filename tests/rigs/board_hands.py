"""The emulated board outside of the virtual machine of `make test-usb`, and somebody who sits there: slaps what is lit
and, when all lamps are lit, pulls the board's USB cable, slaps a pad meanwhile and puts the cable back.

    python -m tests.rigs.board_hands PORT MONITOR

PORT becomes the board's serial port, MONITOR is where the virtual machine's monitor will listen (QMP). All that is
known of the program in there is what the board's lamps show: how long each time took is from putting the cable back
until the lamps say that it was noticed.
"""

import contextlib
import json
import os
import signal
import socket
import sys
import termios
import time
from pathlib import Path
from random import Random
from typing import Any

from hardware.pin_table.table import Device, load_pin_table
from hardware.simulated.emulated_board import EmulatedBoard
from tests.rigs.emulation import CannotEmulate, build
from tests.rigs.running import children, waiting_times

CABLE = {"driver": "usb-serial", "id": "board", "chardev": "board", "bus": "usb.0", "serial": "emulated"}
BACK_S = 2.0
AWAY_S = (0.2, 1.5)
LOOK_S = 0.005
PATIENCE_S = 60.0


class Monitor:
    """The virtual machine's, by which devices are plugged and pulled."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(PATIENCE_S)
        self._socket.connect(str(path))
        self._lines = self._socket.makefile("r")
        self._until("QMP")
        self.do("qmp_capabilities")

    def do(self, command: str, **arguments: str) -> None:
        """Let it do something.

        Raises:
            RuntimeError: it refused.
        """
        self._socket.sendall(json.dumps({"execute": command, "arguments": arguments}).encode())
        answer = self._until("return", "error")
        if "error" in answer:
            raise RuntimeError(f"{command} {arguments}: {answer['error']}")

    def wait_for(self, event: str) -> None:
        """Wait until something has happened there."""
        while self._until("event")["event"] != event:
            pass

    def _until(self, *keys: str) -> Any:
        for line in self._lines:
            answer = json.loads(line)
            if any(key in answer for key in keys):
                return answer
        raise ConnectionError("the virtual machine has ended")


class Hands:
    """Whoever sits at the board."""

    def __init__(self, board: EmulatedBoard, monitor: Path) -> None:
        self._board = board
        self._monitor = monitor
        self._lamps, self._pads = (
            {wire.number: wire.pin.removeprefix("P") for wire in load_pin_table().group(Device.BOARD, name).wires}
            for name in ("seat_lamps", "pads")
        )
        self._seen: set[int] = set()
        self._down: set[int] = set()
        self._rng = Random(1)
        self.took_s: list[float] = []
        self.worked_s: list[float] = []
        """The same, less what virtual machine, emulator or these hands waited for a processor of a busy machine."""

    def look(self) -> None:
        """Do what the lamps want."""
        lit = self._lit()
        if lit != self._seen:  # one lamp is looked at after the other
            self._seen = lit
            return
        if lit == set(self._lamps):
            self._pull()
            return
        for seat in lit ^ self._down:
            self._board.edge(0, self._pads[seat], int(seat not in lit))
        self._down = lit

    def _lit(self) -> set[int]:
        return {seat for seat, pin in self._lamps.items() if self._board.level(pin)}

    def _pull(self) -> None:
        monitor = Monitor(self._monitor)
        monitor.do("device_del", id="board")
        monitor.wait_for("DEVICE_DELETED")
        self._slap(min(self._pads))
        time.sleep(self._rng.uniform(*AWAY_S))
        self._forget_line()
        monitor.do("device_add", **CABLE)
        begun_s, waited = time.monotonic(), self._waiting_times()
        while self._lit() == set(self._lamps):
            if time.monotonic() - begun_s > PATIENCE_S:
                raise TimeoutError(f"nothing for {PATIENCE_S} s after the cable was put back")
            time.sleep(LOOK_S)
        took_s = time.monotonic() - begun_s
        waiting_s = max(now_s - waited.get(thread, 0.0) for thread, now_s in self._waiting_times().items())
        self.took_s.append(took_s)
        self.worked_s.append(took_s - min(waiting_s, took_s))

    def _waiting_times(self) -> dict[int, float]:
        return waiting_times({os.getpid(), *children(os.getppid())})

    def _slap(self, seat: int) -> None:
        self._board.soon([(16_000, self._pads[seat], 0), (1_600_000, self._pads[seat], 1)])
        fired = 0
        while fired < 2:
            fired += len(self._board.fired())
            time.sleep(LOOK_S)

    def _forget_line(self) -> None:
        """What was said into a pulled cable is gone."""
        line = os.open(self._board.port, os.O_RDWR | os.O_NOCTTY)
        termios.tcflush(line, termios.TCIFLUSH)
        os.close(line)


class _Ended(Exception):
    """Somebody ended this program."""


def _main() -> None:
    port, monitor = map(Path, sys.argv[1:3])
    try:
        build()
    except CannotEmulate as error:
        sys.stdout.write(f"{error}\n")
        sys.exit(1)

    def end(number: int, frame: Any) -> None:
        raise _Ended

    signal.signal(signal.SIGTERM, end)
    with EmulatedBoard(port) as board:
        hands = Hands(board, monitor)
        with contextlib.suppress(_Ended):
            while True:
                hands.look()
                time.sleep(LOOK_S)
    took_s, worked_s = sorted(hands.took_s), sorted(hands.worked_s)
    if took_s:
        sys.stdout.write(
            f"The cable was pulled {len(took_s)} times; from putting it back until the board heard that this was "
            f"noticed: {took_s[len(took_s) // 2]:.2f} s (median), {took_s[-1]:.2f} s at most; less what was spent "
            f"waiting for a processor: {worked_s[len(worked_s) // 2]:.2f} s, {worked_s[-1]:.2f} s\n"
        )
    sys.exit(max(worked_s, default=0.0) > BACK_S)


if __name__ == "__main__":
    _main()
