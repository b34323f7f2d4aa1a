"""A GPIO chip behind lgpio's functions, as gpiozero's own pin factory for the Raspberry Pi calls them.

Levels, pulls and edges are kept; an edge carries the nanoseconds that the kernel would stamp it with.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from hardware.real_pins import lgpio_pins  # type: ignore[attr-defined]  # imported there, where it leaves no pipe

OUT, PULL_UP = 1 << 1, 1 << 5


class Error(Exception):
    """As lgpio's own: a subclass of nothing that gpiozero or the system raises."""


@dataclass
class _Line:
    mode: int = 0
    level: int = 0
    claimed: bool = False
    told: list[Callable[[int, int, int, int], None]] = field(default_factory=list)


@dataclass
class FakeLgpio:
    """Stands where gpiozero has imported lgpio."""

    chips: tuple[int, ...] = (0,)
    """Those that there are."""
    labels: Mapping[int, str] = field(default_factory=dict)
    """What the kernel calls them."""
    busy: frozenset[int] = frozenset()
    """Lines that another program holds."""
    gone: bool = False
    """Whether nothing works any more."""
    opened: list[int] = field(default_factory=list)
    closed: list[int] = field(default_factory=list)
    lines: dict[int, _Line] = field(default_factory=dict)

    error = Error
    SET_PULL_NONE, SET_PULL_UP, SET_PULL_DOWN = (
        lgpio_pins.lgpio.SET_PULL_NONE,
        lgpio_pins.lgpio.SET_PULL_UP,
        lgpio_pins.lgpio.SET_PULL_DOWN,
    )
    BOTH_EDGES, RISING_EDGE, FALLING_EDGE = (
        lgpio_pins.lgpio.BOTH_EDGES,
        lgpio_pins.lgpio.RISING_EDGE,
        lgpio_pins.lgpio.FALLING_EDGE,
    )

    # What a person does ----------------------------------------------------------------------------------------------

    def edge(self, gpio: int, level: int, ticks_ns: int) -> None:
        """Somebody presses (0) or lets go (1)."""
        line = self._line(gpio)
        line.level = level
        for told in list(line.told):
            told(0, gpio, level, ticks_ns)

    def level(self, gpio: int) -> float:
        """What a line gives out."""
        line = self._line(gpio)
        return float(line.level) if line.mode & OUT else 0.0

    # lgpio -----------------------------------------------------------------------------------------------------------

    def gpiochip_open(self, chip: int) -> int:
        if self.gone or chip not in self.chips:
            raise Error("can not open gpiochip")
        self.opened.append(chip)
        return chip

    def gpiochip_close(self, handle: int) -> None:
        self.closed.append(handle)
        for line in self.lines.values():
            line.claimed = False
            line.told.clear()

    def gpio_get_chip_info(self, handle: int) -> tuple[int, int, str, str]:
        return 0, 54, f"gpiochip{handle}", self.labels.get(handle, "")

    def gpio_claim_input(self, handle: int, gpio: int, flags: int = 0) -> None:
        line = self._claim(gpio)
        pulled_up = bool(flags & self.SET_PULL_UP)
        line.mode = PULL_UP if pulled_up else 0
        if pulled_up and not line.told:
            line.level = 1

    def gpio_claim_output(self, handle: int, gpio: int, level: int = 0, flags: int = 0) -> None:
        line = self._claim(gpio)
        line.mode, line.level = OUT, level

    def gpio_claim_alert(self, handle: int, gpio: int, edges: int, flags: int = 0) -> None:
        self._claim(gpio)

    def gpio_free(self, handle: int, gpio: int) -> None:
        self._line(gpio).claimed = False

    def gpio_get_mode(self, handle: int, gpio: int) -> int:
        if handle not in self.chips:  # None, where gpiozero has closed its factory
            raise Error("unknown handle")
        return self._line(gpio).mode

    def gpio_read(self, handle: int, gpio: int) -> int:
        return int(self._line(gpio).level)

    def gpio_write(self, handle: int, gpio: int, level: int) -> None:
        self._line(gpio).level = int(level)

    def tx_pwm(self, handle: int, gpio: int, frequency: float, duty: float) -> None:
        self._line(gpio).level = int(duty >= 50)

    def gpio_set_debounce_micros(self, handle: int, gpio: int, micros: int) -> None:
        assert micros == 0, "lgpio's own debouncing compares two different clocks"

    def callback(self, handle: int, gpio: int, edge: int, told: Callable[[int, int, int, int], None]) -> "_Callback":
        self._line(gpio).told.append(told)
        return _Callback(self._line(gpio), told)

    def _claim(self, gpio: int) -> _Line:
        if gpio in self.busy:
            raise Error("GPIO busy")
        line = self._line(gpio)
        line.claimed = True
        return line

    def _line(self, gpio: int) -> _Line:
        if self.gone:
            raise Error("unknown handle")
        return self.lines.setdefault(gpio, _Line())


@dataclass
class _Callback:
    line: _Line
    told: Callable[[int, int, int, int], None]

    def cancel(self) -> None:
        if self.told in self.line.told:
            self.line.told.remove(self.told)
