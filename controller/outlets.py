"""The devices that a table's decisions go to, as far as they are there: displays, lamps, buzzers, camera."""

from typing import TYPE_CHECKING

from controller.views import Lamp, TableView
from controller.web.hub import Hub
from controller.wiring import board_lamps
from firmware_bridge.session import Buzzing
from vision.scene import Scene

if TYPE_CHECKING:
    from controller.live_picture import LivePicture
    from firmware_bridge.link import Link
    from hardware.panel import Panel
    from hardware.vision_process import VisionProcess
    from vision.frame import Frame

BUZZ_S = (0.08, 0.08, 0.08)
BOARD_BUZZ = Buzzing(on_s=0.08, off_s=0.08, times=2)
"""The same on the board's buzzer."""


class DeviceOutlets:
    """Where the table's decisions go: hub, lamps, buzzer; and where its evidence comes from."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.vision: VisionProcess | None = None
        self.panel: Panel | None = None
        self.board: Link | None = None
        self._modes: dict[int, Lamp] = {}
        self.live: LivePicture | None = None
        self.scene: Scene | None = None

    def see(self, scene: Scene) -> None:
        """The newest scene."""
        self.scene = scene
        if self.live is not None:
            self.live.take(scene)

    def read(self) -> "Frame | None":
        """The picture that the newest scene was read from, as long as it is kept."""
        return self.vision.picture(self.scene.sequence) if self.vision is not None and self.scene is not None else None

    def show(self, view: TableView) -> None:
        """See `Outlets`."""
        self._hub.publish(view)

    def lamp(self, seat: int, mode: Lamp) -> None:
        """See `Outlets`."""
        if self.panel is not None:
            from hardware.panel import LampState

            self.panel.set_lamp(seat, LampState(mode))
        if self._modes.get(seat) != mode:
            self._modes[seat] = mode
            if self.board is not None:
                self.board.set_lamps(*board_lamps(self._modes))

    def plug_board(self, board: "Link") -> None:
        """From now on lamps and buzzer on the microcontroller do what the panel's do."""
        self.board = board
        board.set_lamps(*board_lamps(self._modes))

    def light(self, view: TableView) -> None:
        """All lamps as a view has them."""
        for seat in view.seats:
            self.lamp(seat.seat, seat.lamp)

    def unplug(self) -> None:
        """From now on there is no panel."""
        self.panel = None

    def buzz(self) -> None:
        """See `Outlets`."""
        if self.panel is not None:
            self.panel.buzz(BUZZ_S)
        if self.board is not None:
            self.board.buzz(BOARD_BUZZ)

    def evidence(self) -> bytes | None:
        """See `Outlets`."""
        if self.vision is None or self.scene is None:
            return None
        return self.vision.jpeg(sequence=self.scene.sequence)
