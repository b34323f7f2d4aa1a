"""Where the pins of the two computers are: facts of their datasheets and drawings.

Raspberry Pi 4 and 5: the 40-pin header of the Raspberry Pi documentation, "GPIO and the 40-pin header". ATmega2560: the
board's labels from the Arduino Mega 2560's pin mapping, pin change interrupts from the ATmega640/1280/1281/2560/2561
datasheet (2549Q), sections 13.3 and 15.2.
"""

from collections.abc import Mapping

_BCM = (
    "2:3 3:5 4:7 14:8 15:10 17:11 18:12 27:13 22:15 23:16 24:18 10:19 9:21 25:22 11:23 8:24 7:26 5:29 6:31 12:32 13:33 "
    "19:35 16:36 26:37 20:38 21:40"
)
PI_HEADER: Mapping[str, int] = {
    f"GPIO{bcm}": int(position) for bcm, position in (entry.split(":") for entry in _BCM.split())
}
"""The Pi's GPIO to its place on the header: odd places are the inner row, counted from the corner."""

PI_POWER: Mapping[int, str] = {1: "3.3 V", 17: "3.3 V", 2: "5 V", 4: "5 V", 27: "ID", 28: "ID"} | dict.fromkeys(
    (6, 9, 14, 20, 25, 30, 34, 39), "ground"
)
"""What is on the header's places that are no GPIO."""

PI_TAKEN: Mapping[str, str] = {
    "GPIO2": "has a pull-up of its own (I2C)",
    "GPIO3": "has a pull-up of its own (I2C)",
    "GPIO14": "is the serial console's",
    "GPIO15": "is the serial console's",
}
"""GPIOs that are no good for a panel, and why."""

_DIGITAL = (
    "PE0 PE1 PE4 PE5 PG5 PE3 PH3 PH4 PH5 PH6 PB4 PB5 PB6 PB7 PJ1 PJ0 PH1 PH0 PD3 PD2 PD1 PD0 PA0 PA1 PA2 PA3 PA4 PA5 "
    "PA6 PA7 PC7 PC6 PC5 PC4 PC3 PC2 PC1 PC0 PD7 PG2 PG1 PG0 PL7 PL6 PL5 PL4 PL3 PL2 PL1 PL0 PB3 PB2 PB1 PB0"
)
BOARD_LABELS: Mapping[str, str] = (
    {pin: f"D{number}" for number, pin in enumerate(_DIGITAL.split())}
    | {f"PF{bit}": f"A{bit}" for bit in range(8)}
    | {f"PK{bit}": f"A{8 + bit}" for bit in range(8)}
)
"""The microcontroller's pin to what is printed beside it on the board; pins that are not led out are missing."""

BOARD_HEADERS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "double row at the board's end": (
        ("5V", "5V"),
        *((f"D{number}", f"D{number + 1}") for number in range(22, 54, 2)),
        ("GND", "GND"),
    ),
    "row A8 to A15": tuple((f"A{number}",) for number in range(8, 16)),
    "row A0 to A7": tuple((f"A{number}",) for number in range(8)),
    "row D8 to D13": tuple((label,) for label in ("AREF", "GND", *(f"D{number}" for number in range(13, 7, -1)))),
    "row D0 to D7": tuple((f"D{number}",) for number in range(7, -1, -1)),
    "row D14 to D21": tuple((f"D{number}",) for number in range(14, 22)),
}
"""The board's rows of sockets by what they are called in the drawing, place by place as on the board."""

BOARD_TAKEN: Mapping[str, str] = {
    "PE0": "is the serial line to the Pi",
    "PE1": "is the serial line to the Pi",
    "PB7": "has the board's own LED on it",
}
"""Pins of the board that are no good for anything else, and why."""

PIN_CHANGE: Mapping[str, int] = {"B": 0, "K": 2}
"""Ports whose eight bits all have pin change interrupts, and the number of their group: PCMSK0, PCINT0_vect, ..."""
