"""The real service as a process, started, watched and killed from outside."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

COMMAND = Path(sys.executable).with_name("pizzatable")
PATIENCE_LOOK_S = 0.25
"""How often it is looked who waits for a processor."""
MOST_WAITING = 100.0
"""Patience ends after so many times its seconds, lest a test of what works on and on never ends."""
LONGEST_ANSWER_S = 120.0
"""A request that a busy machine is slow to answer is not given up before that."""
SETTINGS = """
[camera]
width = 1280
height = 720
rate = 8

[lan]
host = "127.0.0.1"
announce = false
"""


def free_port() -> int:
    """A TCP port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Service:
    """One `pizzatable run` on a folder of its own, again and again on the same port."""

    def __init__(
        self, folder: Path, *options: str, settings: str = SETTINGS, environment: Mapping[str, str] | None = None
    ) -> None:
        self.data = folder / "data"
        self.data.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self.log = folder / "service.log"
        self._config = folder / "table.toml"
        self._config.write_text(settings)
        self._options = options
        self._environment = {"OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"} | dict(environment or {})
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The main process."""
        assert self._process is not None
        return self._process.pid

    @property
    def journal(self) -> Path:
        return self.data / "journal.sqlite"

    @property
    def simulated(self) -> Path:
        """The simulated table's folder."""
        return self.data / "simulated"

    def start(self, *options: str) -> None:
        """Start it; does not wait."""
        arguments = ["--config", str(self._config), "--port", str(self.port), "--data", str(self.data)]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [str(COMMAND), "run", *arguments, *self._options, *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=os.environ | self._environment,
            )  # fmt: skip

    def start_and_look(self, within_s: float = 30.0) -> tuple[float, Any]:
        """Start it; gives the seconds until it showed a view, and that view."""
        begun = time.monotonic()
        self.start()
        return self.look_until(lambda view: True, within_s) and (time.monotonic() - begun, self.look())

    def look(self) -> Any:
        """The view that it shows now; None while it shows none."""
        with contextlib.suppress(OSError, http.client.HTTPException):
            status, content = self.ask("GET", "/api/state")
            if status == 200:
                return json.loads(content)
        return None

    def look_until(self, condition: Any, within_s: float) -> Any:
        """The first view that fulfils `condition`, within so much time in which the service could work.

        Raises:
            TimeoutError: there was none in time, or the service ended.
        """
        patience = Patience(within_s, self.processes)
        view, lasts = None, True
        while lasts:
            lasts = patience.lasts()  # asked before looking: we too may have waited for a processor
            view = self.look()
            if view is not None and condition(view):
                return view
            if view is None and self._process is not None and self._process.poll() is not None:
                break
            time.sleep(0.005 if view is None else 0.05)
        shown = None if view is None else {key: view[key] for key in ("referee", "message", "parts")}
        raise TimeoutError(f"not shown within {within_s} s; instead {shown}; log:\n{self.log.read_text()[-3000:]}")

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, bytes]:
        """One request from this machine."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONGEST_ANSWER_S)
        try:
            content = None if body is None else json.dumps(body)
            connection.request(method, path, content, {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def send(self, number: int) -> None:
        """Send the main process a signal."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """kill -9."""
        self.send(signal.SIGKILL)
        self.wait()

    def wait(self, within_s: float = 20.0) -> int:
        """Its exit code, within so much time in which it could work.

        Raises:
            TimeoutError: it goes on.
        """
        assert self._process is not None
        patience, lasts = Patience(within_s, self.processes), True
        while lasts:
            lasts = patience.lasts()
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self._process.wait(0.1)
        raise TimeoutError(f"process {self.pid} has not ended within {within_s} s")

    def vision(self) -> int | None:
        """The child process of camera and reading."""
        return next((pid for pid, command in children(self.pid).items() if "spawn_main" in command), None)

    def people(self) -> int | None:
        """The process of the simulated table."""
        people = f"controller.simulation.people {self.simulated}"
        return next((pid for pid, command in _commands() if people in command), None)

    def processes(self) -> dict[int, str]:
        """Every process that knows this folder, and its descendants."""
        found = {pid: command for pid, command in _commands() if str(self.data) in command}
        for pid in list(found):
            found |= children(pid)
        return found

    def end(self) -> None:
        """Whatever is still there, the simulated table included, ends."""
        if self._process is not None and self._process.poll() is None:
            self.kill()
        while (pid := self.people()) is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)


class Patience:
    """Seconds in which processes could work: those that a thread of theirs, or of ours and of what we started, spent
    waiting for a processor do not count, so that what is late is the program and not the machine. Where the kernel does
    not tell, every second counts.
    """

    def __init__(self, seconds: float, processes: Callable[[], Iterable[int]]) -> None:
        self._left_s = seconds
        self._processes = processes
        self._looked_s = time.monotonic()
        self._end_s = self._looked_s + seconds * MOST_WAITING
        self._waited = self._waiting_times()

    def lasts(self) -> bool:
        """Whether there is some left."""
        now_s = time.monotonic()
        passed_s = now_s - self._looked_s
        if passed_s >= PATIENCE_LOOK_S:
            waited = self._waiting_times()
            longest_s = max((waited[thread] - self._waited.get(thread, 0.0) for thread in waited), default=0.0)
            self._left_s -= passed_s - longest_s  # the kernel counts a wait when it is over: it may be longer than this
            self._looked_s, self._waited = now_s, waited
        return self._left_s > 0 and now_s < self._end_s

    def _waiting_times(self) -> dict[int, float]:
        return waiting_times({os.getpid(), *children(os.getpid()), *self._processes()})


class Spectator:
    """A display's event stream: keeps the newest view, over every break."""

    def __init__(self, port: int, on_view: Any = None) -> None:
        self.newest: Any = None
        self.seen: dict[int, str] = {}
        """Every line of the log that was ever shown, by its number in the journal."""
        self._port = port
        self._on_view = on_view
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join(30)

    def _listen(self) -> None:
        while not self._stop.is_set():
            connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=20)
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                connection.request("GET", "/api/events")
                response = connection.getresponse()
                while not self._stop.is_set() and (line := response.readline()):
                    if line.startswith(b"data: ") and line.endswith(b"\n"):
                        self._take(json.loads(line[6:]))
            connection.close()
            self._stop.wait(0.02)

    def _take(self, view: Any) -> None:
        self.newest = view
        self.seen.update((line["seq"], line["text"]) for line in view["log"])
        if self._on_view is not None:
            self._on_view(view)


def learn_own_copy(folder: Path) -> list[Path]:
    """Our own copy's art and faces, made once for many tables: the files to lay into a table's data folder."""
    from controller.simulation.copy import OwnCopy

    OwnCopy(folder, "new_york_slice").faces(1280, 720)
    return sorted(folder.glob("own-copy-*"))


def waiting_times(pids: Iterable[int]) -> dict[int, float]:
    """How many seconds each thread of these processes has been ready to run without a processor to run on."""
    waited: dict[int, float] = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{pid}/task").iterdir():
                waited[int(task.name)] = int((task / "schedstat").read_text().split()[1]) * 1e-9
    return waited


def children(pid: int) -> dict[int, str]:
    """The processes that a process started, and theirs, with their command lines."""
    found: dict[int, str] = {}
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                found |= {child: _command(child)} | children(child)
    return found


def _commands() -> list[tuple[int, str]]:
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [(pid, _command(pid)) for pid in pids if pid != os.getpid()]


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""
