"""The camera's picture with what was read drawn on it, and what is said beside it: of one scene, and no other."""

import base64
import itertools
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Protocol

import cv2

from controller.views import DoubtView, LegendView, PictureView
from hardware.vision_process import VisionState, VisionStatus
from vision.following.settling import remembered
from vision.frame import Frame, Image
from vision.mat.errors import VisionError
from vision.mat.lens import Lens
from vision.mat.registration import Registration, find_mat
from vision.reports.drawing import LEGEND, draw_scene, draw_swatch
from vision.scene import SURE, Scene

JPEG_QUALITY = 80
LATE_S = 3.0
"""A picture is late when it is older than this and than LATE_PICTURES of those that come now."""
LATE_PICTURES = 4
PERIODS = 9
"""So many pictures tell how often they come."""
MAT_MOVED_MM = 0.7
"""A mat that seems to lie less far from where it lay was measured anew, and outlines would only tremble."""
MOST_DOUBTS = 12
NOT_READ_YET = "it is the first, and is being read"


class Pictures(Protocol):
    """Where pictures come from: see `VisionProcess`."""

    @property
    def status(self) -> VisionStatus:
        """How camera and reading are doing now."""

    def picture(self, sequence: int | None = None) -> Frame | None:
        """The newest picture, or the one with this number if it is still there."""


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A picture that was drawn, and by what it is known again."""

    time_s: float
    sequence: int
    scene: Scene | None
    asked: str
    """Why it was to be shown without what was read; empty where it was not."""
    jpeg: bytes
    told: PictureView


class LivePicture:
    """Draws the newest picture that was read, whenever somebody asks. One call at a time, in any thread."""

    def __init__(self, pictures: Pictures, clock: Callable[[], float], lens: Lens | None = None) -> None:
        """`clock` is that of the frames' times; `lens` the calibrated one, where there is one."""
        self._pictures = pictures
        self._clock = clock
        self._lens = lens
        self._scene: Scene | None = None
        self._times_s: deque[float] = deque(maxlen=PERIODS)
        self._late_s = LATE_S
        self._laid: Registration | None = None
        self._drawn: _Drawn | None = None
        self._one_at_a_time = threading.Lock()

    def take(self, scene: Scene) -> None:
        """The newest scene."""
        self._scene = scene
        self._times_s.append(scene.time_s)
        times_s = list(self._times_s)
        gaps_s = [after - before for before, after in itertools.pairwise(times_s)]
        self._late_s = max(LATE_S, LATE_PICTURES * median(gaps_s)) if gaps_s else LATE_S

    def read(self) -> tuple[bytes, PictureView] | None:
        """The picture as JPEG, and what was read from it; None while there is none: before the camera's first one, and
        while it starts again where nobody has asked before.

        The one that was shown before comes again, and older, while nothing new was read. One that could not be read is
        shown as it is, with the reason.
        """
        with self._one_at_a_time:
            scene, status = self._scene, self._pictures.status
            if status.state is VisionState.UNREADABLE:
                self._show(self._pictures.picture(), None, status.text)
            elif scene is not None:
                self._show(self._of(scene), scene, "")
            elif self._drawn is None:
                self._show(self._pictures.picture(), None, NOT_READ_YET)
            drawn = self._drawn
            if drawn is None:
                return None
            age_s = round(max(0.0, self._clock() - drawn.time_s), 2)
            return drawn.jpeg, drawn.told.model_copy(update={"age_s": age_s, "late_s": round(self._late_s, 2)})

    def _of(self, scene: Scene) -> Frame | None:
        """The picture that a scene was read from; numbers begin anew when the camera does."""
        frame = self._pictures.picture(scene.sequence)
        return frame if frame is not None and frame.time_s == scene.time_s else None

    def _show(self, frame: Frame | None, scene: Scene | None, why_not_read: str) -> None:
        """Draw a picture in place of the last, unless there is none, or it is the same."""
        last = self._drawn
        if frame is None or (
            last is not None
            and (last.time_s, last.sequence) == (frame.time_s, frame.sequence)
            and last.scene is scene
            and last.asked == why_not_read
        ):
            return
        image, told = frame.image, picture_view(frame.sequence, scene, why_not_read)
        if scene is not None:
            try:
                image = draw_scene(image, scene, self._lie_of(image))
            except VisionError as error:
                told = picture_view(frame.sequence, None, f"what was read cannot be drawn: {error}")
        _, encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        self._drawn = _Drawn(frame.time_s, frame.sequence, scene, why_not_read, encoded.tobytes(), told)

    def _lie_of(self, image: Image) -> Registration:
        """How a picture lies over the table: as the last one did, unless the mat was moved.

        Raises:
            VisionError: that is not known.
        """
        laid = self._laid
        if laid is not None and laid.size_px != (image.shape[1], image.shape[0]):
            laid = None
        try:
            found = find_mat(image, lens=self._lens, near=laid)
        except VisionError:
            if laid is None:
                raise
            return laid
        if laid is None or found.markers_shift_mm(laid) >= MAT_MOVED_MM:
            self._laid = found
            return found
        return laid


def picture_view(sequence: int, scene: Scene | None, why_not_read: str) -> PictureView:
    """What was read from a picture, all of it from the one scene that is drawn on it."""
    sightings = scene.sightings if scene is not None else ()
    doubtful = sorted((s for s in sightings if s.probability < SURE), key=lambda s: s.probability)
    return PictureView(
        sequence=sequence,
        age_s=0.0,
        late_s=LATE_S,
        why_not_read=why_not_read,
        pieces=len(sightings),
        doubtful=len(doubtful),
        doubts=[
            DoubtView(
                face=s.face, likelihood=round(s.probability, 3), x_mm=round(s.pose.x_mm, 1), y_mm=round(s.pose.y_mm, 1)
            )
            for s in doubtful[:MOST_DOUBTS]
        ],
        remembered=len(remembered(scene)) if scene is not None else 0,
        hidden=[place.cause.value for place in scene.hidden] if scene is not None else [],
    )


def legend_views() -> list[LegendView]:
    """All that may be drawn on a picture, each with what it looks like and what it means."""
    return [
        LegendView(
            name=name, meaning=mark.meaning, colour="#{2:02x}{1:02x}{0:02x}".format(*mark.colour), swatch=_swatch(name)
        )
        for name, mark in LEGEND.items()
    ]


def _swatch(name: str) -> str:
    _, encoded = cv2.imencode(".png", draw_swatch(name))
    return f"data:image/png;base64,{base64.b64encode(encoded.tobytes()).decode()}"
