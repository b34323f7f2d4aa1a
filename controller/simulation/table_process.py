"""The simulated table's own process, seen from the service: joined where it is there already, else set up.

It is no child that dies with the service: when the service is killed, the table stays, as tables do, and the next run
of the service joins it.
"""

import contextlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Self

from config.os_errors import in_words, reason
from config.schema import TableConfig
from controller.simulation.gathering import Gathering, Paths
from hardware.simulated.emulated_board import why_not_emulated

_LAST_WORDS_S = 3.0


class SimulatedTableError(Exception):
    """The simulated table cannot be set up; the message says why."""


class SimulatedTable:
    """A simulated table and the people at it. Putting it away twice is fine."""

    def __init__(self, paths: Paths, config: TableConfig, gathering: Gathering) -> None:
        self._paths = paths
        self._config = config
        self._gathering = gathering
        self._process: subprocess.Popen[bytes] | None = None
        self._handle: int | None = None
        """A pidfd of the process, which is readable when the process has ended."""

    @property
    def socket(self) -> Path:
        """Where the world answers; see `hardware.simulated.link`."""
        return self._paths.socket

    @property
    def board(self) -> Path:
        """Where its microcontroller's serial port is, if it has one."""
        return self._paths.board

    @property
    def why_no_board(self) -> str:
        """Why it has no microcontroller, for people; empty where it has one."""
        try:
            return self._paths.no_board.read_text()
        except FileNotFoundError:
            return ""

    @property
    def about(self) -> str:
        """What it is, for people."""
        return f"{self._gathering.players} players, hands {self._gathering.speed:g} times as fast as people's"

    def join(self) -> bool:
        """Take over the table that an earlier run of the service left; whether there is one. One at which people play
        something else is put away."""
        pid = _served_by(self._paths)
        if pid is None:
            return False
        with contextlib.suppress(ProcessLookupError):
            self._handle = os.pidfd_open(pid)
        if self._handle is not None and not self._plays_the_same():
            self.put_away()
        return self._handle is not None

    def _plays_the_same(self) -> bool:
        """Whether the people there play this game, in this way."""
        try:
            theirs = json.loads(self._paths.config.read_text())
        except (OSError, ValueError):
            return False
        return (theirs.get("game"), theirs.get("options")) == (self._config.game, self._config.options)

    def set_up(self) -> None:
        """Set up a new table, with new people; does not wait until it is there. May start compilers.

        Raises:
            SimulatedTableError: its folder or its process cannot be made.
        """
        try:
            self._paths.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._paths.folder.chmod(0o700)
            self._paths.config.write_text(self._config.model_dump_json())
            self._note_board()
            with self._paths.log.open("a") as log:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "controller.simulation.people", str(self._paths.folder),
                     json.dumps(asdict(self._gathering))],
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                )  # fmt: skip
            self._handle = os.pidfd_open(self._process.pid)
        except OSError as error:
            raise SimulatedTableError(
                f"a simulated table in {self._paths.folder} cannot be set up: {in_words(error)}"
            ) from error

    def tell(self, url: str, token: str) -> None:
        """Tell the people where the display is, and the host's token.

        Raises:
            SimulatedTableError: they cannot be told; names the file.
        """
        draft = self._paths.service.with_suffix(".part")
        try:
            draft.write_text(json.dumps({"url": url, "token": token}))
            draft.replace(self._paths.service)
        except OSError as error:
            raise SimulatedTableError(f"{draft}: cannot be written: {reason(error)}") from error

    @property
    def ended(self) -> str | None:
        """How its process ended, for people; None while it runs."""
        if self._handle is None:
            return "it was never there"
        if not _is_over(self._handle, 0.0):
            return None
        code = self._process.wait() if self._process is not None else None
        self._forget()
        how = f" with exit code {code}" if code else ""
        return f"its process ended{how} (it may have written why to {self._paths.log})"

    def put_away(self) -> None:
        """End its process, at the latest by killing it."""
        if self._handle is None:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, number)
            if _is_over(self._handle, _LAST_WORDS_S):
                break
        if self._process is not None:
            self._process.wait()
        self._forget()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.put_away()

    def _note_board(self) -> None:
        if reason := why_not_emulated():
            self._paths.no_board.write_text(reason)
        else:
            self._paths.no_board.unlink(missing_ok=True)

    def _forget(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
        self._process = self._handle = None


def _served_by(paths: Paths) -> int | None:
    """The process that answers at the table's socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        try:
            line.connect(str(paths.socket))
        except (FileNotFoundError, ConnectionRefusedError):
            return None
        except OSError as error:
            raise SimulatedTableError(
                f"the simulated table at {paths.socket} cannot be reached: {reason(error)}"
            ) from error
        pid, _, _ = struct.unpack("3i", line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
        return int(pid)


def _is_over(handle: int, within_s: float) -> bool:
    return bool(select.select([handle], [], [], within_s)[0])
