"""The players' panel on gpiozero: a lit button per seat, the host's button, a buzzer.

No threads of its own: edges arrive on the pin factory's thread, and everything that takes time happens in `Panel.poll`.
"""

import contextlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from threading import RLock

from gpiozero import LED, Button, Buzzer, GPIODevice
from gpiozero.pins import Factory

from firmware_bridge.signals import HOST_SEAT, Signal
from hardware.debounce import Change, Debouncer

BLINK_S = 0.8
"""A blinking lamp is on for the first half of each such period."""
BOUNCE_S = 0.02
"""After an edge, a button's contacts are not believed for so long."""
HELD_S = 1.0
"""A button down for so long counts as held."""
_NO_TICKS_UNCERTAINTY_S = 0.005
_TICKS_UNCERTAINTY_S = 0.00005
_OLDEST_TICK_S = 5.0


class PanelError(Exception):
    """Root of everything a panel can fail with."""


class PanelUnavailable(PanelError, OSError):
    """There are no pins to work with."""


class PanelLost(PanelError, ConnectionError):
    """The pins that there were do not work any more; open the panel again."""


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


def open_real_pins() -> Factory:
    """The Raspberry Pi's own pins, by lgpio.

    Raises:
        PanelUnavailable: no GPIO chip, or no right to use it.
    """
    try:
        from hardware.real_pins import RealPins

        return RealPins()
    except Exception as error:  # lgpio's own error is a subclass of nothing else
        raise PanelUnavailable(
            f"no GPIO pins on this machine: {error}; expected a Raspberry Pi whose /dev/gpiochip this user may open"
        ) from error


class Panel:
    """Buttons in, lamps and buzzer out. Closing twice is fine."""

    def __init__(
        self,
        pins: PanelPins,
        factory: Factory,
        clock: Callable[[], float],
        on_signal: Callable[[Signal], None],
    ) -> None:
        """`on_signal` is called on the factory's thread at an edge and on the caller's of `poll`; `clock` is monotonic.

        Raises:
            PanelUnavailable: a pin cannot be claimed.
        """
        self._clock = clock
        self._pins = pins
        self._lost: tuple[str, Exception] | None = None
        self._buttons: list[_PinButton] = []
        self._lamps: dict[int, LED] = {}
        self._states: dict[int, LampState] = {}
        self._buzzer: Buzzer | None = None
        self._buzzes: deque[tuple[float, bool]] = deque()
        numbers = {HOST_SEAT: pins.host_button} | {seat: of_seat.button for seat, of_seat in pins.seats.items()}
        try:
            for seat, of_seat in pins.seats.items():
                self._lamps[seat] = LED(of_seat.lamp, pin_factory=factory)
                self._states[seat] = LampState.OFF
            self._buzzer = Buzzer(pins.buzzer, pin_factory=factory)
            for seat, number in numbers.items():
                button = Button(number, pull_up=True, pin_factory=factory)
                self._buttons.append(_PinButton(seat, button, clock, on_signal))
        except Exception as error:  # gpiozero's, the system's, or lgpio's own, which is a subclass of nothing else
            self.close()
            raise PanelUnavailable(f"the panel's pins cannot be used: {error}; they are {_all_pins(pins)}") from error

    def set_lamp(self, seat: int, state: LampState) -> None:
        """Light a seat's lamp, darken it or let it blink. That the pins are lost is said by `poll`.

        Raises:
            UnknownSeat: that seat has no lamp.
        """
        if seat not in self._states:
            raise UnknownSeat(f"seat {seat} has no lamp: expected one of {sorted(self._states)}")
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
        """Settle bounces, notice held buttons, blink and buzz. To be called at least twenty times a second.

        Raises:
            PanelLost: the pins do not work any more.
        """
        now = self._clock()
        for button in self._buttons:
            with self._keeping_failure(_button_name(self._pins, button.seat)):
                button.poll(now)
        for seat in self._lamps:
            self._light(seat, now)
        self._sound(now)
        if self._lost is not None:
            what, error = self._lost
            raise PanelLost(f"the panel's pins do not work any more: {what}: {error}") from error

    def close(self) -> None:
        """Let go of the pins; lamps and buzzer go off."""
        outputs = [*self._lamps.values(), *([self._buzzer] if self._buzzer is not None else [])]
        buttons, self._buttons, self._lamps, self._buzzer = self._buttons, [], {}, None
        for button in buttons:
            with self._keeping_failure("closing them"):
                button.close()
        for output in outputs:
            with self._keeping_failure("closing them"):
                output.off()  # a pin that is let go of floats, and whatever amplifies it for a lamp may stay lit
            with self._keeping_failure("closing them"), _closed_for_good(output):
                output.close()

    @contextlib.contextmanager
    def _keeping_failure(self, what: str) -> Iterator[None]:
        """Keep the first thing that goes wrong, and with `what` pin, for `poll` to say."""
        try:
            yield
        except Exception as error:  # see __init__
            self._lost = self._lost or (what, error)

    def _light(self, seat: int, now_s: float) -> None:
        state, lamp = self._states[seat], self._lamps.get(seat)
        lit = state is LampState.ON or (state is LampState.BLINK and now_s % BLINK_S < BLINK_S / 2)
        with self._keeping_failure(f"seat {seat}'s lamp GPIO{self._pins.seats[seat].lamp}"):
            if lamp is not None and lamp.is_lit != lit:
                lamp.value = lit

    def _sound(self, now_s: float) -> None:
        while self._buzzer is not None and self._buzzes and self._buzzes[0][0] <= now_s:
            _, sounding = self._buzzes.popleft()
            with self._keeping_failure(f"the buzzer GPIO{self._pins.buzzer}"):
                self._buzzer.value = sounding


class _PinButton:
    """A button's pin, debounced, and what it says.

    Not left to lgpio: its own debouncing compares two different clocks on kernels from 5.7.
    """

    def __init__(
        self,
        seat: int,
        button: Button,
        clock: Callable[[], float],
        on_signal: Callable[[Signal], None],
    ) -> None:
        self.seat = seat
        self._button = button
        self._clock = clock
        self._on_signal = on_signal
        self._lock = RLock()
        # A button that is down already counts as pressed now.
        self._debouncer = Debouncer(BOUNCE_S, HELD_S)
        if button.is_pressed:
            self._say(self._debouncer.edge(True, clock(), _NO_TICKS_UNCERTAINTY_S))
        # gpiozero's own callbacks drop the edge's time; the pin's keeps it.
        button.pin.when_changed = self._pin_changed

    def poll(self, now_s: float) -> None:
        """Notice what settled after bouncing, edges that were lost, and that the button is held."""
        with self._lock:
            self._say(self._debouncer.settle(bool(self._button.is_pressed), now_s))

    def close(self) -> None:
        # gpiozero forgets to: the next edge after the factory is closed would then end lgpio's thread, and a panel that
        # is opened later in this process would be told of none.
        with _closed_for_good(self._button):
            try:
                self._button.pin.when_changed = None
            finally:
                self._button.close()

    def _pin_changed(self, ticks_s: float, level: int) -> None:
        now = self._clock()
        if 0 <= now - ticks_s <= _OLDEST_TICK_S:
            time_s, uncertainty_s = ticks_s, _TICKS_UNCERTAINTY_S
        else:  # lgpio promises no origin for its ticks: older kernels count from 1970
            time_s, uncertainty_s = now, _NO_TICKS_UNCERTAINTY_S
        with self._lock:
            self._say(self._debouncer.edge(not level, time_s, uncertainty_s))

    def _say(self, changes: Sequence[Change]) -> None:
        for change in changes:
            self._on_signal(Signal(self.seat, change.kind, change.time_s, change.uncertainty_s))


@contextlib.contextmanager
def _closed_for_good(device: GPIODevice) -> Iterator[None]:
    """gpiozero closes a device that it could not close once more when nobody knows it any more, which would fail again,
    or meet a pin that somebody else has by then."""
    try:
        yield
    finally:
        device._pin = None


def _button_name(pins: PanelPins, seat: int) -> str:
    """Which button is a seat's, for people."""
    return (
        f"the host's button GPIO{pins.host_button}"
        if seat == HOST_SEAT
        else f"seat {seat}'s button GPIO{pins.seats[seat].button}"
    )


def _all_pins(pins: PanelPins) -> str:
    """All of a panel's pins, for people."""
    seats = (f"seat {seat} button GPIO{of.button} lamp GPIO{of.lamp}" for seat, of in pins.seats.items())
    return ", ".join([*seats, f"host's button GPIO{pins.host_button}", f"buzzer GPIO{pins.buzzer}"])
