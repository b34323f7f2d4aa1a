"""The simulated table in a process of its own, as a real table is: it outlives a crash of the program.

One message each way per request, pickled values over a Unix socket in a folder that only its owner may enter; the
server asks the kernel who is calling and hangs up on anybody else's process.

The server's threads: the caller's own, which lets time pass; one that accepts; one per client.
"""

import os
import pickle
import socket
import stat
import struct
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Condition, Event, Lock, Thread
from typing import TypeVar

from hardware.simulated.world import ButtonEdge, Gesture, World, WorldError, WorldSnapshot

STEP_S = 0.01
"""How often the served world moves on."""
_LARGEST_MESSAGE = 4 << 20
_EDGES_KEPT = 1000
_LONGEST_WAIT_S = 5.0
_RETRY_S = 0.1

_Value = TypeVar("_Value")


class LinkError(Exception):
    """Root of what the line to the simulated table fails with."""


class LinkLost(LinkError, ConnectionError):
    """Nobody answers at the address; the next call tries again."""


class LinkBroken(LinkError, ValueError):
    """What came over the line is no message of this link."""


class LinkUnsafe(LinkError, PermissionError):
    """The socket's folder is open to others."""


@dataclass(frozen=True, slots=True)
class _Ask:
    """A request: what to do with the world, by name."""

    what: str
    arguments: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class _Answer:
    """The result, or the world's refusal."""

    value: object
    error: WorldError | LinkError | None


@dataclass(frozen=True, slots=True)
class Edges:
    """Button edges after a sequence number."""

    sequence: int
    """To ask on from."""
    edges: tuple[ButtonEdge, ...]
    buttons_down: frozenset[int]


def serve_world(
    world: World,
    address: Path,
    clock: Callable[[], float],
    stop: Event,
    step: Callable[[World], None] | None = None,
    step_s: float = STEP_S,
) -> None:
    """Let the world's time follow the clock and answer clients, until `stop` is set.

    `step` is called with the world after each step: whoever moves its pieces from within this process.

    Raises:
        LinkUnsafe: others may enter the address's folder.
        LinkError: somebody serves there already.
    """
    server = _Server(world, address)
    try:
        while not stop.wait(step_s):
            server.advance(clock(), step)
    finally:
        server.close()


class RemoteWorld:
    """The world of another process. Safe to use from several threads; closing twice is fine.

    Every call raises LinkLost when nobody answers and what the world itself raises when it refuses; the call after a
    lost one tries the address anew.
    """

    def __init__(self, address: Path, timeout_s: float = 2.0) -> None:
        self._address = address
        self._timeout_s = timeout_s
        self._lock = Lock()
        self._connection: Connection | None = None

    def snapshot(self) -> WorldSnapshot:
        """What can be seen now."""
        return self._ask(WorldSnapshot, "snapshot")

    def perform(self, gesture: Gesture) -> None:
        """Queue a gesture: `World.perform`."""
        self._ask(type(None), "perform", gesture)

    def press(self, seat: int, held_s: float) -> None:
        """Press a button: `World.press`."""
        self._ask(type(None), "press", seat, held_s)

    def set_lamp(self, seat: int, brightness: float) -> None:
        """Light a lamp: `World.set_lamp`."""
        self._ask(type(None), "set_lamp", seat, brightness)

    def set_buzzer(self, sounding: bool) -> None:
        """Sound the buzzer: `World.set_buzzer`."""
        self._ask(type(None), "set_buzzer", sounding)

    def edges(self, after: int | None, wait_s: float) -> Edges:
        """Button edges after a sequence number, waiting for one for up to `wait_s` (5 s at most); None: from now on."""
        return self._ask(Edges, "edges", after, wait_s, patience_s=wait_s)

    def close(self) -> None:
        """Hang up."""
        with self._lock:
            self._hang_up()

    def _ask(self, kind: type[_Value], what: str, *arguments: object, patience_s: float = 0.0) -> _Value:
        with self._lock:
            try:
                connection = self._connection = self._connection or self._dial()
                connection.send_bytes(pickle.dumps(_Ask(what, arguments)))
                if not connection.poll(self._timeout_s + patience_s):
                    raise TimeoutError(f"no answer within {self._timeout_s + patience_s} s")
                answer = _parse(connection.recv_bytes(_LARGEST_MESSAGE), _Answer)
            except (OSError, EOFError) as error:
                self._hang_up()
                raise LinkLost(f"the simulated table at {self._address} does not answer: {error}") from error
            except LinkBroken:
                self._hang_up()
                raise
        if answer.error is not None:
            raise answer.error
        if not isinstance(answer.value, kind):
            raise LinkBroken(f"the answer to {what!r} is {answer.value!r}: expected {kind.__name__}")
        return answer.value

    def _dial(self) -> Connection:
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            line.settimeout(self._timeout_s)
            line.connect(str(self._address))
            line.settimeout(None)
        except OSError:
            line.close()
            raise
        return Connection(line.detach())

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


class PanelCable:
    """What joins a remote world's panel to its pins: edges in, lamps out, over any break of the line.

    Two threads, one each way. Closing twice is fine.
    """

    def __init__(self, address: Path, clock: Callable[[], float]) -> None:
        """`clock` stamps the edges that happened while the line was broken."""
        self._address = address
        self._clock = clock
        self._down: frozenset[int] = frozenset()
        self._stop = Event()
        self._wanted: dict[int | None, float] = {}
        self._unsent: set[int | None] = set()
        self._outputs = Condition()
        self._threads = [Thread(target=self._send, name="table-lamps", daemon=True)]
        self._threads[0].start()

    def listen(self, on_edge: Callable[[ButtonEdge], None]) -> None:
        """From now on hand the buttons' edges on, on a thread of this object. To be called once."""
        self._threads.append(Thread(target=self._hear, args=(on_edge,), name="table-buttons", daemon=True))
        self._threads[-1].start()

    def set_lamp(self, seat: int, brightness: float) -> None:
        """Light a lamp, now or as soon as the world answers again."""
        self._want(seat, brightness)

    def set_buzzer(self, sounding: bool) -> None:
        """Sound the buzzer, now or as soon as the world answers again."""
        self._want(None, float(sounding))

    def close(self) -> None:
        """Pull the cable."""
        self._stop.set()
        with self._outputs:
            self._outputs.notify_all()
        for thread in self._threads:
            thread.join()

    def _want(self, output: int | None, level: float) -> None:
        with self._outputs:
            self._wanted[output] = level
            self._unsent.add(output)
            self._outputs.notify_all()

    def _send(self) -> None:
        remote = RemoteWorld(self._address)
        while not self._stop.is_set():
            with self._outputs:
                self._outputs.wait_for(lambda: bool(self._unsent) or self._stop.is_set(), 1.0)
                levels = {output: self._wanted[output] for output in self._unsent}
                self._unsent.clear()
            try:
                for output, level in levels.items():
                    if output is None:
                        remote.set_buzzer(level > 0.5)
                    else:
                        remote.set_lamp(output, level)
            except LinkError:
                with self._outputs:
                    self._unsent.update(self._wanted)
                self._stop.wait(_RETRY_S)
        remote.close()

    def _hear(self, on_edge: Callable[[ButtonEdge], None]) -> None:
        remote = RemoteWorld(self._address)
        after: int | None = None
        while not self._stop.is_set():
            try:
                heard = remote.edges(after, 0.25)
            except LinkError:
                after = None
                self._stop.wait(_RETRY_S)
                continue
            for edge in heard.edges:
                self._hand_on(edge, on_edge)
            for seat in sorted(heard.buttons_down ^ self._down):
                self._hand_on(ButtonEdge(seat, seat in heard.buttons_down, self._clock()), on_edge)
            if after is None:
                with self._outputs:  # a world that was started again has dark lamps
                    self._unsent.update(self._wanted)
                    self._outputs.notify_all()
            after = heard.sequence
        remote.close()

    def _hand_on(self, edge: ButtonEdge, on_edge: Callable[[ButtonEdge], None]) -> None:
        self._down = self._down | {edge.seat} if edge.pressed else self._down - {edge.seat}
        on_edge(edge)


class _Server:
    def __init__(self, world: World, address: Path) -> None:
        self._world = world
        self._changed = Condition()
        self._edges: deque[tuple[int, ButtonEdge]] = deque(maxlen=_EDGES_KEPT)
        self._sequence = 0
        self._clients: set[Connection] = set()
        self._address = address
        self._closed = False
        self._socket = _listen(address)
        self._acceptor = Thread(target=self._accept, name="table-accept", daemon=True)
        self._acceptor.start()

    def advance(self, to_s: float, step: Callable[[World], None] | None) -> None:
        with self._changed:
            self._world.advance(to_s)
            if step is not None:
                step(self._world)
            self._publish()

    def _publish(self) -> None:
        """Number the world's new edges under their lock: what is down was told of as an edge."""
        edges = self._world.take_edges()
        for edge in edges:
            self._sequence += 1
            self._edges.append((self._sequence, edge))
        if edges:
            self._changed.notify_all()

    def close(self) -> None:
        self._closed = True
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._acceptor.join()
        with suppress(FileNotFoundError):
            self._address.unlink()
        for client in list(self._clients):
            with suppress(OSError), socket.socket(fileno=os.dup(client.fileno())) as line:
                line.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while not self._closed:
            try:
                line, _ = self._socket.accept()
            except OSError:
                return
            if _caller(line) != os.getuid():
                line.close()
                continue
            client = Connection(line.detach())
            self._clients.add(client)
            Thread(target=self._attend, args=(client,), name="table-client", daemon=True).start()

    def _attend(self, client: Connection) -> None:
        try:
            while True:
                try:
                    answer = self._answer(_parse(client.recv_bytes(_LARGEST_MESSAGE), _Ask))
                except LinkBroken as error:
                    answer = _Answer(None, error)
                client.send_bytes(pickle.dumps(answer))
        except (OSError, EOFError):
            return
        finally:
            self._clients.discard(client)
            client.close()

    def _answer(self, ask: _Ask) -> _Answer:
        try:
            if ask.what == "edges":
                return _Answer(self._edges_after(*ask.arguments), None)  # type: ignore[arg-type]
            if ask.what not in _QUESTIONS:
                raise LinkBroken(f"asked for {ask.what!r}: expected one of {sorted(_QUESTIONS)}")
            with self._changed:
                value = getattr(self._world, ask.what)(*ask.arguments)
                self._publish()
                return _Answer(value, None)
        except (WorldError, LinkError) as error:
            return _Answer(None, error)
        except (TypeError, ValueError, AttributeError) as error:
            return _Answer(None, LinkBroken(f"{ask.what} with {ask.arguments!r}: {error}"))

    def _edges_after(self, after: int | None, wait_s: float) -> Edges:
        with self._changed:
            if after is not None and after <= self._sequence:
                self._changed.wait_for(lambda: self._sequence > after, min(wait_s, _LONGEST_WAIT_S))
            edges = () if after is None else tuple(edge for number, edge in self._edges if number > after)
            return Edges(self._sequence, edges, self._world.snapshot().buttons_down)


_QUESTIONS = frozenset({"snapshot", "perform", "press", "set_lamp", "set_buzzer", "edges"})


def _parse(data: bytes, kind: type[_Value]) -> _Value:
    try:
        message = pickle.loads(data)
    except Exception as error:  # whatever unpickling of bad bytes raises
        raise LinkBroken(f"{len(data)} bytes starting {data[:16]!r} are no pickled value: {error}") from error
    if not isinstance(message, kind):
        raise LinkBroken(f"received {type(message).__name__}: expected {kind.__name__}")
    return message


def _listen(address: Path) -> socket.socket:
    folder = address.parent
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if stat.S_IMODE(folder.stat().st_mode) & 0o077:
        raise LinkUnsafe(f"folder {folder} has mode {stat.S_IMODE(folder.stat().st_mode):o}: expected 700")
    if address.exists():
        _remove_stale(address)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(address))
    listener.listen(8)
    return listener


def _remove_stale(address: Path) -> None:
    """Remove the socket that a killed server left; refuse to take over a living one's."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(address))
        except ConnectionRefusedError:
            address.unlink()
            return
    raise LinkError(f"a simulated table is served at {address} already")


def _caller(line: socket.socket) -> int:
    """The user id of the process at the other end."""
    _, user, _ = struct.unpack("3i", line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    return int(user)
