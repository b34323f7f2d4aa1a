"""A camera over the simulated table, behind the same interface as a real one."""

from collections.abc import Callable

from hardware.camera import Adjustment, CameraLost, CameraTimeout
from hardware.simulated.lens import CameraModel
from hardware.simulated.renderer import Renderer
from hardware.simulated.world import WorldSnapshot
from vision.frame import Frame

GAMMA = 2.2
"""Levels grow with about this root of the light (sRGB)."""
_DIMMEST, _BRIGHTEST = 1.0 / 16.0, 16.0
"""How many times as much light it can gather as at first."""
_LEAST_TINT, _MOST_TINT = 0.3, 3.0


DUSK, DUSK_FROM_S, DUSK_S = 0.15, 20.0, 150.0
"""In the evening there is so much light left, from when it grows darker, and how long that takes;"""
LAMP, LAMP_S = 6.0, 60.0
"""a lamp makes it so many times as bright, for so long each time."""


def steady(_: float) -> float:
    """A room whose light stays as it is."""
    return 1.0


def evening_light(time_s: float) -> float:
    """A room in which it grows dark, so many times as bright after some seconds as at first; then a lamp is switched on
    and off, and on again."""
    dark: float = DUSK ** min(max(time_s - DUSK_FROM_S, 0.0) / DUSK_S, 1.0)
    since_s = time_s - DUSK_FROM_S - DUSK_S
    return dark * LAMP if since_s >= 0.0 and int(since_s / LAMP_S) % 2 == 0 else dark


class SimulatedCamera:
    """Pictures of whatever `source` says the world looks like at that moment."""

    def __init__(
        self,
        source: Callable[[], WorldSnapshot],
        renderer: Renderer,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
        rate_hz: float = 15.0,
        room: Callable[[float], float] = steady,
    ) -> None:
        """`source` gives the world as it is now and raises ConnectionError when it cannot be reached.

        `clock` stamps the frames; `sleep` waits until the next picture is due. `room` says how many times as much light
        there is at a time of the clock as the renderer's conditions have.
        """
        if not rate_hz > 0:
            raise ValueError(f"a camera of {rate_hz} pictures a second: expected more than 0")
        self._source = source
        self._renderer = renderer
        self._clock = clock
        self._sleep = sleep
        self._period_s = 1.0 / rate_hz
        self._started_s = clock()
        self._room = room
        self._set = Adjustment()
        self._last = -1
        self._open = True

    @property
    def description(self) -> str:
        """What it is, for people: driver, size, rate."""
        model = self._renderer.camera
        return f"simulated camera {model.width}x{model.height} at {1 / self._period_s:g} pictures/s"

    @property
    def model(self) -> CameraModel:
        """How it hangs, and its lens."""
        return self._renderer.camera

    def hang(self, model: CameraModel) -> None:
        """Take the next pictures from elsewhere, or through another lens."""
        self._renderer = self._renderer.seen_by(model)

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
        self._expose(time_s)
        return Frame(self._renderer.render(snapshot), time_s, self._last)

    def adjust(self, by: Adjustment) -> bool:
        """See `hardware.camera.Adjustable`."""
        light = min(max(self._set.light * by.light, _DIMMEST), _BRIGHTEST)
        blue, red = (
            min(max(now * times, _LEAST_TINT), _MOST_TINT)
            for now, times in ((self._set.blue, by.blue), (self._set.red, by.red))
        )
        before, self._set = self._set, Adjustment(light, blue, red)
        return self._set != before

    def _expose(self, time_s: float) -> None:
        light = self._set.light * self._room(time_s)
        parts = (light * self._set.blue, light, light * self._set.red)
        blue, green, red = (part ** (1.0 / GAMMA) for part in parts)
        # What a sensor gathers less of is noisier when it is made brighter.
        self._renderer.expose(blue, green, red, noise=max(self._set.light, 1.0) ** 0.5)

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
