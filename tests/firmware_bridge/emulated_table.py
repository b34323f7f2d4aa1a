"""A session with the board's own ELF on the emulator's time: as fast as this machine is, and always the same."""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from firmware_bridge.session import LinkState, Session
from firmware_bridge.signals import RingPlace, Signal, SignalKind
from hardware.simulated.emulated_board import HERTZ, EmulatedBoard

STEP = HERTZ // 500
"""How often the line is looked at: 2 ms."""


Faults = Callable[[bytes, float], bytes]
"""What comes out of a line by a time, of what was put into it so far."""


def _faultless(data: bytes, now_s: float) -> bytes:
    return data


class EmulatedTable:
    """Board, line and session. Closing twice is fine."""

    def __init__(
        self,
        folder: Path,
        room: int = 1 << 30,
        faults: tuple[Faults, Faults] = (_faultless, _faultless),
        step: int = STEP,
        said: bool = False,
        keeps: Callable[[], bool] = lambda: True,
        loader: bool = False,
    ) -> None:
        """`faults` stand in the line to us and in the line to the board.

        The line is looked at every `step` cycles, with `said` also whenever the board has finished saying something.
        Whenever it is, `keeps` says whether what is in hand is kept now, and whether the board is told now.
        `loader`: see `EmulatedBoard`.
        """
        self._step, self._said = step, said
        self.board = EmulatedBoard(folder / "board", free=True, loader=loader)
        self._faults = faults
        self._keeps = keeps
        self.signals: list[Signal] = []
        """Kept: they outlive the program."""
        self._in_hand: list[Signal] = []
        self._kept: RingPlace | None = None
        self.room = room
        self.session = Session(self._take)
        self.cycle = 0
        self._frozen_s = 0.0
        self._line: int | None = None
        self.plug()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    @property
    def now_s(self) -> float:
        return self.cycle / HERTZ + self._frozen_s

    def plug(self) -> None:
        """Open the port."""
        self._line = os.open(self.board.port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self.session.open(self.now_s)

    def unplug(self) -> None:
        """Pull the line; the board runs on."""
        if self._line is not None:
            os.close(self._line)
            self._line = None
        self.board.do("unplug")
        self.session.close(LinkState.NO_BOARD, "pulled")

    def replug(self) -> None:
        """Put it back."""
        self.board.do("plug")
        self.plug()

    def kill(self) -> None:
        """The program dies, with what it has in hand, and another one goes on from what was kept."""
        assert self._line is not None
        os.close(self._line)
        self._in_hand.clear()
        self.session = Session(self._take, self._kept)
        self.plug()

    def run(self, seconds: float) -> None:
        """Let time pass."""
        end = self.cycle + round(seconds * HERTZ)
        while self.cycle < end:
            self.cycle = self.board.until(min(self.cycle + self._step, end), said=self._said)
            self._converse()

    def oversleep(self, seconds: float) -> None:
        """Let time pass without looking at the line."""
        self.cycle = self.board.until(self.cycle + round(seconds * HERTZ))

    def freeze(self, seconds: float) -> None:
        """Let time pass for us and not for the board, as on a machine that is too busy to emulate it."""
        end_s = self._frozen_s + seconds
        while self._frozen_s < end_s:
            self._frozen_s += self._step / HERTZ
            self._converse()

    def until_ready(self, within_s: float = 1.0) -> float:
        """Let time pass until events can flow; how long it took."""
        begin_s = self.now_s
        while (
            self.session.state is not LinkState.READY or self.session.clock is None or not self.session.clock.exchanges
        ):
            assert self.now_s - begin_s < within_s, self.session.words
            self.run(0.01)
        return self.now_s - begin_s

    def edges(self, edges: list[tuple[int, str, int]]) -> None:
        """Edges so many cycles from now."""
        self.board.edges([(self.cycle + cycle, pin, level) for cycle, pin, level in edges])

    def pads(self) -> list[Signal]:
        """The slaps so far."""
        return [signal for signal in self.signals if signal.kind is SignalKind.PAD_PRESSED]

    def close(self) -> None:
        if self._line is not None:
            os.close(self._line)
            self._line = None
        self.board.close()

    def _converse(self) -> None:
        if self._line is not None:
            received = b""
            with contextlib.suppress(BlockingIOError):
                received = os.read(self._line, 4096)
            self.session.receive(self._faults[0](received, self.now_s), self.now_s)
            self._keep()
            os.write(self._line, self._faults[1](self.session.due(self.now_s), self.now_s))

    def _keep(self) -> None:
        if self._in_hand and self._keeps():
            self.signals += self._in_hand
            self._kept = self._in_hand[-1].place
            self._in_hand.clear()
        if self._kept is not None and self._keeps():
            self.session.settle(self._kept)

    def _take(self, signal: Signal) -> bool:
        if len(self.signals) + len(self._in_hand) >= self.room:
            return False
        self._in_hand.append(signal)
        return True
