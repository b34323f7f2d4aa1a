"""The Raspberry Pi's own pins, by lgpio."""

import contextlib
import tempfile
from pathlib import Path

# As it is imported lgpio lays a pipe in the working directory, which may be anybody's, and leaves it there
# (https://github.com/joan2937/lg/issues/22). Once both its ends are open, nobody needs its name.
with tempfile.TemporaryDirectory(prefix="pizzatable-") as _folder, contextlib.chdir(_folder):
    from gpiozero.pins import lgpio as lgpio_pins

DEVICES = Path("/dev")
HEADER_LABELS = frozenset({"pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"})
"""What the kernel calls the chip with the header's lines: up to the Raspberry Pi 3, on the 4, on the 5."""


class RealPins(lgpio_pins.LGPIOFactory):  # type: ignore[misc]  # gpiozero has no types
    """gpiozero's factory, which finds its chip by name and can be closed when it is gone. Closing twice is fine."""

    _handle: int | None

    def __init__(self) -> None:
        """Open the chip with the header, whatever its number: that differs between kernels, and a chip that was taken
        away while its lines were held comes back with another one (seen with Linux 6.1).
        """
        super().__init__(_header_chip())

    def close(self) -> None:
        """Let go of all lines.

        gpiozero first makes each an input again. On a chip that is gone that fails, and the chip would stay open: a
        thread of lgpio's would go on looking at dead lines as fast as it can.
        """
        try:
            super().close()
        except Exception:  # lgpio's own error is a subclass of nothing else
            handle, self._handle = self._handle, None
            # Both are shared with every later factory of this process.
            self.pins.clear()
            self._reservations.clear()
            with contextlib.suppress(Exception):
                lgpio_pins.lgpio.gpiochip_close(handle)


def _header_chip() -> int | None:
    """The number of the chip with the header; None where none is called so: gpiozero then knows best."""
    for number in sorted(int(path.name[8:]) for path in DEVICES.glob("gpiochip[0-9]*")):
        with contextlib.suppress(Exception):  # it may not be opened: whoever needs it will say so
            handle = lgpio_pins.lgpio.gpiochip_open(number)
            try:
                _, _, _, label = lgpio_pins.lgpio.gpio_get_chip_info(handle)
            finally:
                lgpio_pins.lgpio.gpiochip_close(handle)
            if label in HEADER_LABELS:
                return number
    return None
