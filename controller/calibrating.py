"""Views of a calibration sheet from a running camera: each taken when the sheet is held still, somewhere new."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hardware.camera import Camera, CameraLost, RecordingEnded
from vision.mat.calibration import lean_between
from vision.mat.calibration_sheet import See, View
from vision.mat.errors import CalibrationError

TIMEOUT_S = 5.0
STILL_WIDTHS = 0.0012
"""A sheet that moves less between two pictures, in picture widths, is held still."""
ELSEWHERE_WIDTHS = 0.08
LEANS_DEG = 12.0
"""A view is a new one when the sheet's middle is so far from where it was in all others, or it leans so differently."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """How many views are looked for, and for how long at most."""

    views: int
    limit_s: float


def collect_views(camera: Camera, see: See, wanted: Wanted, tell: Callable[[str], None]) -> list[View]:
    """Views in which the sheet is still and lies as in no other.

    Time is that of the frames. What is seen is told to the person who holds the sheet. A recording's end ends it.

    Raises:
        CameraError: the camera is lost before it gave any view.
    """
    views: list[View] = []
    before: View | None = None
    started_s: float | None = None
    told = ""
    while len(views) < wanted.views:
        try:
            frame = camera.read(TIMEOUT_S)
        except CameraLost as ended:
            if not views:
                raise
            if not isinstance(ended, RecordingEnded):
                tell(f"{ended}; going on with what was seen")
            break
        started_s = frame.time_s if started_s is None else started_s
        if frame.time_s - started_s > wanted.limit_s:
            break
        try:
            view = see(frame.image, f"view {len(views) + 1}")
        except CalibrationError as error:
            before, said = None, str(error)
        else:
            still = before is not None and _moved(before, view) < STILL_WIDTHS * view.size_px[0]
            before = view
            said = "hold it still"
            if still and not all(_is_new(view, other) for other in views):
                said = "now elsewhere in the picture, leaning another way"
            elif still:
                views.append(view)
                said = f"{len(views)} of {wanted.views} views"
        if said != told:
            tell(said)
            told = said
    return views


def _moved(one: View, other: View) -> float:
    """How far in pixels the points that both show moved, at most; infinite where there are too few."""
    common = {tuple(point): index for index, point in enumerate(one.points_mm.round(3).tolist())}
    pairs = [(common[tuple(p)], i) for i, p in enumerate(other.points_mm.round(3).tolist()) if tuple(p) in common]
    if len(pairs) < 4:
        return float("inf")
    first, second = (np.array(side) for side in zip(*pairs, strict=True))
    return float(np.linalg.norm(one.points_px[first] - other.points_px[second], axis=1).max())


def _is_new(view: View, other: View) -> bool:
    apart = float(np.linalg.norm(view.points_px.mean(0) - other.points_px.mean(0)))
    return apart > ELSEWHERE_WIDTHS * view.size_px[0] or lean_between(view, other) > LEANS_DEG
