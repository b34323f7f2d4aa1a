"""The players' panel on gpiozero: a lit button per seat, the host's button, a buzzer.

No threads of its own: edges arrive on the pin factory's thread, and everything that takes time happens in `Panel.poll`.
"""

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from threading import RLock

from gpiozero import PWMLED, Button, Buzzer, GPIOZeroError
from gpiozero.pins import Factory

from firmware_bridge.signals import HOST_SEAT, Signal, SignalKind

BLINK_S = 0.8
"""A blinking lamp is on for the first half of each such period."""
_NO_TICKS_UNCERTAINTY_S = 0.005
_TICKS_UNCERTAINTY_S = 0.00005
_OLDEST_TICK_S = 5.0


class PanelError(Exception):
    """Root of everything a panel can fail with."""


class PanelUnavailable(PanelError, OSError):
    """There are no pins to work with."""


class UnknownSeat(PanelError, KeyError):
    """A seat without a lamp."""


class LampState(Enum):
    """What a seat's lamp is told to do."""

    OFF = "off"
    ON = "on"
    BLINK = "blink"


@dataclass(frozen=True, slots=True)
class SeatPins:
    """A seat's GPIO numbers (BCM). The button connects its pin to ground."""

    button: int
    lamp: int


@dataclass(frozen=True, slots=True)
class PanelPins:
    """All of a panel's GPIO numbers (BCM)."""

    seats: Mapping[int, SeatPins]
    host_button: int
    buzzer: int


@dataclass(frozen=True, slots=True)
class PanelTiming:
    """How long things last, in seconds."""

    bounce_s: float = 0.02
    """After an edge, a button's contacts are not believed for so long."""
    held_s: float = 1.0
    """A button down for so long counts as held."""


def open_real_pins() -> Factory:
    """The Raspberry Pi's own pins, by lgpio.

    Raises:
        PanelUnavailable: no GPIO chip, or no right to use it.
    """
    try:
        from gpiozero.pins.lgpio import LGPIOFactory

        return LGPIOFactory()
    except Exception as error:  # lgpio's own error is no subclass of any of gpiozero's
        raise PanelUnavailable(
            f"no GPIO pins on this machine: {error}; expected a /dev/gpiochip that may be opened"
        ) from error


class Panel:
    """Buttons in, lamps and buzzer out. Closing twice is fine."""

    def __init__(
        self,
        pins: PanelPins,
        factory: Factory,
        clock: Callable[[], float],
        on_signal: Callable[[Signal], None],
        timing: PanelTiming | None = None,
    ) -> None:
        """`on_signal` is called on the factory's thread at an edge and on the caller's of `poll`; `clock` is monotonic.

        Raises:
            PanelUnavailable: a pin cannot be claimed.
        """
        self._clock = clock
        self._timing = timing or PanelTiming()
        self._buttons: list[_DebouncedButton] = []
        self._lamps: dict[int, PWMLED] = {}
        self._states: dict[int, LampState] = {}
        self._buzzer: Buzzer | None = None
        self._buzzes: deque[tuple[float, bool]] = deque()
        numbers = {HOST_SEAT: pins.host_button} | {seat: of_seat.button for seat, of_seat in pins.seats.items()}
        try:
            for seat, of_seat in pins.seats.items():
                self._lamps[seat] = PWMLED(of_seat.lamp, pin_factory=factory)
                self._states[seat] = LampState.OFF
            self._buzzer = Buzzer(pins.buzzer, pin_factory=factory)
            for seat, number in numbers.items():
                button = Button(number, pull_up=True, pin_factory=factory)
                self._buttons.append(_DebouncedButton(seat, button, clock, on_signal, self._timing))
        except (GPIOZeroError, OSError) as error:
            self.close()
            raise PanelUnavailable(f"the panel's pins {numbers} cannot be used: {error}") from error

    def set_lamp(self, seat: int, state: LampState) -> None:
        """Light a seat's lamp, darken it or let it blink.

        Raises:
            UnknownSeat: that seat has no lamp.
        """
        if seat not in self._lamps:
            raise UnknownSeat(f"seat {seat} has no lamp: expected one of {sorted(self._lamps)}")
        self._states[seat] = state
        self._light(seat, self._clock())

    def buzz(self, pattern_s: Sequence[float]) -> None:
        """Sound for the first time span, be silent for the second, and so on; replaces what still sounds."""
        now = self._clock()
        self._buzzes.clear()
        sounding = True
        for span_s in pattern_s:
            if not span_s >= 0:
                raise ValueError(f"a buzz of {span_s} s in {list(pattern_s)}: expected 0 or more")
            self._buzzes.append((now, sounding))
            now, sounding = now + span_s, not sounding
        self._buzzes.append((now, False))
        self._sound(self._clock())

    def poll(self) -> None:
        """Settle bounces, notice held buttons, blink and buzz. To be called at least twenty times a second."""
        now = self._clock()
        for button in self._buttons:
            button.poll(now)
        for seat in self._lamps:
            self._light(seat, now)
        self._sound(now)

    def close(self) -> None:
        """Let go of the pins; lamps and buzzer go off."""
        for button in self._buttons:
            button.close()
        for lamp in self._lamps.values():
            lamp.close()
        if self._buzzer is not None:
            self._buzzer.close()
        self._buttons, self._lamps, self._buzzer = [], {}, None

    def _light(self, seat: int, now_s: float) -> None:
        state, lamp = self._states[seat], self._lamps[seat]
        lit = state is LampState.ON or (state is LampState.BLINK and now_s % BLINK_S < BLINK_S / 2)
        if lamp.value != float(lit):
            lamp.value = float(lit)

    def _sound(self, now_s: float) -> None:
        while self._buzzer is not None and self._buzzes and self._buzzes[0][0] <= now_s:
            _, sounding = self._buzzes.popleft()
            self._buzzer.value = sounding


class _DebouncedButton:
    """The first edge counts, at the time of its tick; for a while after it none does.

    Not left to lgpio: its own debouncing compares two different clocks on kernels from 5.7.
    """

    def __init__(
        self,
        seat: int,
        button: Button,
        clock: Callable[[], float],
        on_signal: Callable[[Signal], None],
        timing: PanelTiming,
    ) -> None:
        self._seat = seat
        self._button = button
        self._clock = clock
        self._on_signal = on_signal
        self._timing = timing
        self._down = False
        self._held = False
        self._changed_s = -math.inf
        self._lock = RLock()
        # gpiozero's own callbacks drop the edge's time; the pin's keeps it.
        button.pin.when_changed = self._pin_changed
        self.poll(clock())

    def poll(self, now_s: float) -> None:
        """Notice what bounced over an edge, and that the button is held."""
        with self._lock:
            if bool(self._button.is_pressed) != self._down:
                self._change(not self._down, now_s, _NO_TICKS_UNCERTAINTY_S)
            if self._down and not self._held and now_s - self._changed_s >= self._timing.held_s:
                self._held = True
                self._say(SignalKind.BUTTON_HELD, self._changed_s + self._timing.held_s, _TICKS_UNCERTAINTY_S)

    def close(self) -> None:
        self._button.close()

    def _pin_changed(self, ticks_s: float, level: int) -> None:
        now = self._clock()
        if 0 <= now - ticks_s <= _OLDEST_TICK_S:
            time_s, uncertainty_s = ticks_s, _TICKS_UNCERTAINTY_S
        else:  # lgpio promises no origin for its ticks: older kernels count from 1970
            time_s, uncertainty_s = now, _NO_TICKS_UNCERTAINTY_S
        with self._lock:
            if (not level) != self._down:
                self._change(not level, time_s, uncertainty_s)

    def _change(self, down: bool, time_s: float, uncertainty_s: float) -> None:
        if time_s - self._changed_s < self._timing.bounce_s:
            return
        self._down, self._held, self._changed_s = down, False, time_s
        self._say(SignalKind.BUTTON_PRESSED if down else SignalKind.BUTTON_RELEASED, time_s, uncertainty_s)

    def _say(self, kind: SignalKind, time_s: float, uncertainty_s: float) -> None:
        self._on_signal(Signal(self._seat, kind, time_s, uncertainty_s))
