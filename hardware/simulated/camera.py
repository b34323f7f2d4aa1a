"""A camera over the simulated table, behind the same interface as a real one."""

from collections.abc import Callable

from hardware.camera import CameraLost, CameraTimeout
from hardware.simulated.renderer import Renderer
from hardware.simulated.world import WorldSnapshot
from vision.frame import Frame


class SimulatedCamera:
    """Pictures of whatever `source` says the world looks like at that moment."""

    def __init__(
        self,
        source: Callable[[], WorldSnapshot],
        renderer: Renderer,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
        rate_hz: float = 15.0,
    ) -> None:
        """`source` gives the world as it is now and raises ConnectionError when it cannot be reached.

        `clock` stamps the frames; `sleep` waits until the next picture is due.
        """
        if not rate_hz > 0:
            raise ValueError(f"a camera of {rate_hz} pictures a second: expected more than 0")
        self._source = source
        self._renderer = renderer
        self._clock = clock
        self._sleep = sleep
        self._period_s = 1.0 / rate_hz
        self._started_s = clock()
        self._last = -1
        self._open = True

    @property
    def description(self) -> str:
        """What it is, for people: driver, size, rate."""
        model = self._renderer.camera
        return f"simulated camera {model.width}x{model.height} at {1 / self._period_s:g} pictures/s"

    def read(self, timeout_s: float) -> Frame:
        """Wait for a picture newer than the last one given; see `hardware.camera.Camera`."""
        if not self._open:
            raise CameraLost(f"the {self.description} is closed")
        self._wait_until_due(timeout_s)
        time_s = self._clock()
        try:
            snapshot = self._source()
        except ConnectionError as error:
            raise CameraLost(f"the {self.description} lost its world: {error}") from error
        self._last = self._count(time_s)
        return Frame(self._renderer.render(snapshot), time_s, self._last)

    def close(self) -> None:
        """Give no more pictures."""
        self._open = False

    def _count(self, time_s: float) -> int:
        """How many pictures a camera of this rate has taken by then."""
        return int((time_s - self._started_s) / self._period_s + 1e-6)

    def _wait_until_due(self, timeout_s: float) -> None:
        now = self._clock()
        due = self._started_s + (self._last + 1) * self._period_s
        if due - now > timeout_s:
            self._sleep(timeout_s)
            raise CameraTimeout(f"the {self.description} gave no picture within {timeout_s} s")
        while self._count(now) <= self._last:
            self._sleep(max(due - now, 1e-4))
            now = self._clock()
