"""Keeps a camera's exposure and white balance with the light of the room, by white paper on the table.

Between two steps a camera stays as it is, so that a piece looks the same from picture to picture: what moves is told by
what changes. Nothing is done while hands move, unless paper is cut off everywhere, as where a lamp was switched on,
which looks like hands all over; nor by one place alone: that may lie in a lamp's reflection. A camera that cannot be
adjusted, but told to stay as it is, is told so once its automatics have settled; a step is then that they run again
until they have.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from hardware.camera import Adjustable, Adjustment, Automatic, Camera, Holdable
from vision.frame import GAMMA, Image
from vision.light.paper import paper_seen
from vision.mat.errors import RegistrationError
from vision.mat.registration import find_mat
from vision.mat.sharpness import FOCUS_WIDTHS
from vision.scene import PaperLevel, Scene

AIM = 215.0
"""How bright (of 255) white paper is to be where it is brightest."""
DARKEST, BRIGHTEST = 70.0, 247.0
"""Where it is darker, or brighter, the camera is adjusted: what is dim is read as well, but each step disturbs; what is
cut off is lost;"""
DARK_ENOUGH, BRIGHT_ENOUGH = 190.0, 240.0
"""until it lies between these."""
DARK_USUALLY, BRIGHT_USUALLY = 50.0, 175.0
"""Where a lamp is mirrored paper is cut off, however little light the camera gathers: less is never gathered than so
that half of the places are as bright as the second, and more is where half of them are darker than the first."""
TINTED, PLAIN = 1.3, 1.08
"""Where white paper shows so many times as much of one colour as of another the white balance is, until so many."""
LESS, MUCH_LESS, MOST, MOST_TINT = 0.75, 0.4, 2.0, 1.3
"""One step's times as much light: how bright paper is that is cut off is not known, but where it is so nearly all over,
as when a lamp is switched on, it is much too bright; nor is more believed at once."""
REST_S, LASTS_S, STEP_S = 0.4, 1.5, 0.7
"""For how long nothing moves before a step; for how long light is otherwise before the first; and between two."""
AT_AN_END_S = 20.0
"""When a camera could go no farther it is asked again after this time."""
MOST_STEPS = 12
SETTLED_S = 1.0
"""A camera's automatics have settled when nothing has moved for so long, as everything does while they focus,"""
ALIKE = 1.06
"""and white paper has in no colour become so many times as bright;"""
JUMPED = 1.15
"""where it has, by so much, `SETTLED_S` after they were told to stay as they are, they jumped: a camera's next pictures
may have been taken before it did as it was told."""
MOST_JUMPS = 3
"""They are left to the camera when that, or that the table is not found or nothing comes to rest, followed so often in
a row: once, somebody may have switched a lamp, or leaned over the table."""
OTHER_LIGHT = 1.4
"""When it has, by so much, since then, there is half or twice the light: they run again though paper is neither dark
nor cut off, as that takes a second, and pictures that a camera packs as JPEG lose faint pencil when they are dim."""
UNRESTED_S = 10.0
"""They also do when nothing was at rest for so long: a lamp that was switched on may look like hands all over."""
FOLLOWS_LIGHT = frozenset({Automatic.EXPOSURE, Automatic.WHITE_BALANCE})
SOFTER = 1.25
"""What is blurred by more than `FOCUS_WIDTHS` is out of focus, as where the camera was knocked, or settled on a hand;
once it has focused anew for that, only what is blurred so many times as far as it was then: it can do no better."""
UNREADABLE_S = 2.0
"""When the table was not found in any picture for so long,"""
BLACK, WHITE = 60.0, 225.0
"""and they are so dark or so bright on the whole, that is the reason."""


_log = logging.getLogger(__name__)


@runtime_checkable
class ReadsAnew(Protocol):
    """A reader that can be told that all looks otherwise now."""

    def read_anew(self) -> None:
        """Read the next picture in which nothing moves as if nothing had been known."""
        ...


class ExposureKeeper:
    """Adjusts one camera by what is seen of the table."""

    def __init__(self, camera: Camera, reader: object, *, follow_light: bool = True) -> None:
        """A camera that can neither be adjusted nor told to stay as it is is left alone. A `reader` that can
        (`ReadsAnew`) is told when the camera has been adjusted. `follow_light`: False where it shall not be."""
        self._camera = camera if isinstance(camera, Adjustable) and follow_light else None
        self._reader = reader if isinstance(reader, ReadsAnew) else None
        self._automatics = _Automatics(camera, self._reader, follow_light) if isinstance(camera, Holdable) else None
        self._odd_since_s: float | None = None
        self._light = self._tint = False
        """Whether these are being adjusted."""
        self._not_before_s = -np.inf
        self._seen_s: float | None = None

    def after(self, scene: Scene) -> None:
        """Adjust the camera by a scene, where that is due."""
        self._seen_s = scene.time_s
        if self._automatics is not None:
            self._automatics.after(scene)
        if self._camera is None or not scene.paper or scene.time_s < self._not_before_s or not _tells_of_light(scene):
            return
        wanted = wanted_for(scene.paper, light=self._light, tint=self._tint)
        if wanted is None:
            self._odd_since_s = None
            self._arrived()
            return
        self._odd_since_s = scene.time_s if self._odd_since_s is None else self._odd_since_s
        if self._light or self._tint or scene.time_s - self._odd_since_s >= LASTS_S:
            self._adjust(wanted, scene.time_s)

    def unreadable(self, image: Image, time_s: float) -> None:
        """Adjust the camera by a picture in which the table was not found, where that lasts."""
        if self._seen_s is None:
            self._seen_s = time_s
        if time_s - self._seen_s < UNREADABLE_S:
            return
        if self._automatics is not None:
            self._automatics.run(Automatic)
        if self._camera is None or time_s < self._not_before_s:
            return
        level = float(image[::16, ::16].mean())
        if level < BLACK or level > WHITE:
            self._adjust(Adjustment(MOST if level < BLACK else 1.0 / MOST), time_s)

    def _adjust(self, by: Adjustment, time_s: float) -> None:
        assert self._camera is not None
        if self._camera.adjust(by):
            self._light, self._tint = self._light or by.light != 1.0, self._tint or by.blue != 1.0 or by.red != 1.0
            self._not_before_s = time_s + STEP_S
        else:
            self._not_before_s = time_s + AT_AN_END_S
            self._arrived()

    def _arrived(self) -> None:
        if (self._light or self._tint) and self._reader is not None:
            self._reader.read_anew()
        self._light = self._tint = False


class _Automatics:
    """Those of one camera, which stay as they are while the table looks as it did when they had settled."""

    def __init__(self, camera: Holdable, reader: ReadsAnew | None, follow_light: bool) -> None:
        self._camera, self._reader, self._follow_light = camera, reader, follow_light
        self._can = frozenset(Automatic)
        """Which may be held."""
        self._held: frozenset[Automatic] = frozenset()
        self._stays = False
        """Whether it was seen that what is held stays as it was."""
        self._jumps = 0
        """How often in a row it was not."""
        self._steady: Scene | None = None
        """The first scene since which paper was as bright as now and nothing moved; or what was seen when they were
        held."""
        self._anew = False
        """Whether they were held before, and all may look otherwise."""
        self._odd_since_s: float | None = None
        self._sharp_enough = FOCUS_WIDTHS
        """What is blurred farther, in picture widths, is out of focus;"""
        self._soft_since_s: float | None = None
        """and has been since then."""
        self._focuses_anew = False
        """Whether focus runs for that."""
        self._rested_s: float | None = None

    def run(self, which: Iterable[Automatic]) -> None:
        """Let these run until they have settled; for good where they never stay as they were when they are held."""
        running = self._held.intersection(which)
        if not running:
            return
        self._jumps = 0 if self._stays else self._jumps + 1
        if self._jumps >= MOST_JUMPS:
            names = " and ".join(one.value for one in Automatic if one in running)
            _log.warning(
                "the table looks otherwise, or is not read, when the camera holds its %s: left to the camera", names
            )
            self._can -= running
            self._jumps, self._stays = 0, True
        self._held = self._camera.hold(self._held - running)
        self._anew, self._odd_since_s, self._soft_since_s = True, None, None
        if self._held != self._can:
            self._steady = None

    def after(self, scene: Scene) -> None:
        """Hold or let run what is due by a scene."""
        if scene.at_rest_s > 0.0 or self._rested_s is None:
            self._rested_s = scene.time_s
        elif (self._follow_light or not self._stays) and scene.time_s - self._rested_s > UNRESTED_S:
            self.run(FOLLOWS_LIGHT)
        if not scene.paper:
            return
        if scene.at_rest_s < REST_S:
            if self._stays and self._held & FOLLOWS_LIGHT and _tells_of_light(scene):
                self._follow(scene)
            return
        if self._held != self._can:
            self._hold_where_settled(scene)
        elif not self._stays:
            self._see_whether_it_stays(scene)
        else:
            if self._held & FOLLOWS_LIGHT:
                self._follow(scene)
            if Automatic.FOCUS in self._held:
                self._focus_anew(scene)

    def _hold_where_settled(self, scene: Scene) -> None:
        first = self._steady
        if first is None or scene.at_rest_s < scene.time_s - first.time_s or _times_brighter(first, scene) > ALIKE:
            self._steady = scene
        elif scene.time_s - first.time_s >= SETTLED_S:
            if Automatic.FOCUS not in self._held:
                best = (scene.blur_widths or 0.0) if self._focuses_anew else 0.0
                self._sharp_enough, self._focuses_anew = max(FOCUS_WIDTHS, SOFTER * best), False
            self._held = self._can = self._camera.hold(self._can)
            self._steady, self._stays = scene, False
            if self._reader is not None and self._anew:
                self._reader.read_anew()

    def _see_whether_it_stays(self, scene: Scene) -> None:
        """Whether nothing jumped when it was held; what did is let run."""
        assert self._steady is not None
        if scene.time_s - self._steady.time_s < SETTLED_S:
            return
        jumped = FOLLOWS_LIGHT if _times_brighter(self._steady, scene) > JUMPED else frozenset()
        blur, was = (one.blur_widths or 0.0 for one in (scene, self._steady))
        if blur > max(FOCUS_WIDTHS, SOFTER * was):
            jumped |= {Automatic.FOCUS}
        self._stays = not self._held & jumped
        self.run(jumped)

    def _follow(self, scene: Scene) -> None:
        """Let run what follows the light where that has changed much, or it is to be adjusted, as it changed or sheets
        were laid: a camera that was held before a bare table cuts them off. How much brighter paper is that was about
        to be cut off is not seen: it is enough that now it is so everywhere, in one colour or in all."""
        assert self._steady is not None
        times = _times_brighter(self._steady, scene)
        laid = len(scene.paper) > len(self._steady.paper)
        lost = any(
            _darkest_of_both(scene, self._steady, colour) > BRIGHTEST >= _darkest_of_both(self._steady, scene, colour)
            for colour in (max, min)
        )
        due = times > OTHER_LIGHT or ((times > ALIKE or laid or lost) and wanted_for(scene.paper) is not None)
        if not self._follow_light or not due:
            self._odd_since_s = None
            return
        self._odd_since_s = scene.time_s if self._odd_since_s is None else self._odd_since_s
        if scene.time_s - self._odd_since_s >= LASTS_S:
            self.run(FOLLOWS_LIGHT)

    def _focus_anew(self, scene: Scene) -> None:
        """Let the focus run where the table has been out of it for a while."""
        if (scene.blur_widths or 0.0) <= self._sharp_enough:
            self._soft_since_s = None
            return
        self._soft_since_s = scene.time_s if self._soft_since_s is None else self._soft_since_s
        if scene.time_s - self._soft_since_s >= LASTS_S:
            self._focuses_anew = True
            self.run({Automatic.FOCUS})


def _tells_of_light(scene: Scene) -> bool:
    """Whether what paper looks like is due to the light, and not to hands over it."""
    return scene.at_rest_s >= REST_S or min(min(level) for level in scene.paper) > BRIGHTEST


def _darkest_of_both(one: Scene, other: Scene, colour: Callable[[PaperLevel], float]) -> float:
    """How bright paper is where it is darkest, of the places that both scenes tell of, in the `colour` of its levels
    that is asked for."""
    return min(colour(level) for level in one.paper[: min(len(one.paper), len(other.paper))])


def _times_brighter(one: Scene, other: Scene) -> float:
    """How many times as bright as in the other paper is in most places of two scenes, and that colour, where it is
    most."""
    both = min(len(one.paper), len(other.paper))  # sheets come and go, and are after the markers
    logs = [np.log(np.maximum(scene.paper[:both], 1.0)) for scene in (one, other)]
    return float(np.exp(np.abs(np.median(logs[0] - logs[1], axis=0)).max()))


def settled_picture(camera: Camera, take: Callable[[], Image]) -> Image:
    """A picture that `take` takes with the camera, which is adjusted before by what is seen of the mat; the first where
    it cannot be, or no mat is seen."""
    image = take()
    if not isinstance(camera, Adjustable):
        return image
    light = tint = False
    for _ in range(MOST_STEPS):
        try:
            paper = paper_seen(image, find_mat(image), ())
        except RegistrationError:
            break
        wanted = wanted_for(paper, light=light, tint=tint) if paper else None
        if wanted is None or not camera.adjust(wanted):
            break
        light, tint = light or wanted.light != 1.0, tint or wanted.blue != 1.0 or wanted.red != 1.0
        image = take()
    return image


def wanted_for(paper: Sequence[PaperLevel], *, light: bool = False, tint: bool = False) -> Adjustment | None:
    """How a camera is to be adjusted that shows white paper so in some places; None where it may stay as it is. Of what
    is being adjusted already, `light` or `tint`, the aim is narrower."""
    low, high = (DARK_ENOUGH, BRIGHT_ENOUGH) if light else (DARKEST, BRIGHTEST)
    levels = sorted(max(level) for level in paper)
    level, usual = levels[max(len(levels) - 2, 0)], levels[len(levels) // 2]
    more = 1.0
    if level < low or usual < DARK_USUALLY:
        more = min((AIM / max(min(level, usual), 1.0)) ** GAMMA, MOST)
    elif level > high and usual > BRIGHT_USUALLY:
        more = MUCH_LESS if levels[0] > BRIGHTEST else LESS
    shown = [one for one in paper if max(one) <= BRIGHT_ENOUGH and min(one) > 0.0]
    blue = red = 1.0
    if shown:
        blues, greens, reds = np.mean(shown, axis=0)
        if max(blues, greens, reds) > (PLAIN if tint else TINTED) * min(blues, greens, reds):
            blue, red = (float(np.clip((greens / one) ** GAMMA, 1.0 / MOST_TINT, MOST_TINT)) for one in (blues, reds))
    return None if more == blue == red == 1.0 else Adjustment(more, blue, red)
