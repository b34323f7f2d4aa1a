"""What joins the simulated table's contacts to its microcontroller: the board's own firmware, emulated."""

import logging
from collections.abc import Sequence
from pathlib import Path

from hardware.pin_table.table import Device, PinTable, load_pin_table
from hardware.simulated.emulated_board import HERTZ, BoardGone, EmulatedBoard, EmulatorError
from hardware.simulated.world import ContactEdge, ContactKind, World

RETRY_S = 5.0
"""After this long a board that ended, or did not start, is switched on anew."""
_GROUPS = {ContactKind.PAD: "pads", ContactKind.KNIFE_DOCK: "knife_docks"}
_ERASED = 0xFFFF
"""What an EEPROM holds that was never written: the firmware's first start is number 1."""
_log = logging.getLogger(__name__)


class BoardCable:
    """An emulated board in real time, wired to a world. Closing twice is fine.

    Call `follow` whenever the world has moved. A board that ends is a board without power: another one is switched on,
    and feels what is in its docks.
    """

    def __init__(self, port: Path) -> None:
        """`port` becomes the name of the board's serial port; what its EEPROM counts is kept beside it."""
        self._port = port
        self._eeprom = port.with_suffix(".eeprom")
        self._pins = contact_pins(load_pin_table())
        self._board: EmulatedBoard | None = None
        self._retry_s: float | None = None

    def follow(self, world: World) -> None:
        """Let the pins do what the world's contacts did, each edge at its own time."""
        edges = world.take_contact_edges()
        try:
            if self._board is None and (self._retry_s is None or world.now_s >= self._retry_s):
                self._board = EmulatedBoard(self._port, boots=self._count_start())
                edges = _docked(world)
            if self._board is not None and not self._board.is_running:
                raise BoardGone("its emulator has ended")
            if self._board is not None and edges:
                self._apply(self._board, edges, world.now_s)
        except (EmulatorError, OSError) as error:
            _log.warning("the microcontroller is gone: %s", error)
            self.close()
            self._retry_s = world.now_s + RETRY_S

    def close(self) -> None:
        """Switch the board off."""
        if self._board is not None:
            self._board.close()
            self._board = None

    def _count_start(self) -> int:
        """How often it was started before. By its starts a host tells one ring of events from the next."""
        try:
            before = int(self._eeprom.read_text())
        except (FileNotFoundError, ValueError):
            before = _ERASED
        self._eeprom.write_text(str(1 if before == _ERASED else (before + 1) % _ERASED))
        return before

    def _apply(self, board: EmulatedBoard, edges: Sequence[ContactEdge], now_s: float) -> None:
        board.soon(
            [
                (max(round((edge.time_s - now_s) * HERTZ), 0), self._pins[edge.kind, edge.seat], int(not edge.closed))
                for edge in edges
            ]
        )


def contact_pins(table: PinTable) -> dict[tuple[ContactKind, int], str]:
    """The board's pin of each contact, such as "K0"."""
    return {
        (kind, wire.number): wire.pin.removeprefix("P")
        for kind, name in _GROUPS.items()
        for wire in table.group(Device.BOARD, name).wires
    }


def _docked(world: World) -> tuple[ContactEdge, ...]:
    """What a board feels that is switched on now."""
    if world.knife_seat is None:
        return ()
    return (ContactEdge(ContactKind.KNIFE_DOCK, world.knife_seat, True, world.now_s),)
