"""Blank sheets on disk: a restart in the middle of a game must not forget how its sheets looked before it began.

One small file for each sheet. Whatever cannot be read is said and left out; whatever cannot be written is said once.
"""

import hashlib
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.files.whole_files import write_whole
from vision.scene import Pose
from vision.sheets.flattening import Plane, flat_size
from vision.sheets.layout import SheetLayout

STEP = 0.001
"""Darkness (logarithm) is kept in such steps, from -1 on."""
LEAST = -1.0
SHADE_STEP, LEAST_SHADE, MOST_SHADE = 0.01, -0.5, 2.0
"""Each colour by itself, beside which ink is told, in such coarser steps, from the second on. By more than the last
(logarithm) nothing need be darker than paper."""
SAME_MM, SAME_DEG = 2.0, 1.0
"""A sheet that lies no farther from where it lay when it was written need not be written again."""
_log = logging.getLogger("pizzatable")


@dataclass(frozen=True, slots=True)
class Blank:
    """A sheet when nothing was pencilled on it."""

    number: int
    """Which of the sheets that are remembered."""
    layout: SheetLayout
    pose: Pose
    px_per_mm: float
    """Of the picture that it was seen in."""
    blur_mm: float
    """In which it was seen; 0 where that is not known."""
    darkness: Plane
    colours: Plane | None = None
    """`FlatSheet.colours`, where paper may have been brighter than the picture showed; None: it was not."""
    shades: NDArray[np.uint8] | None = None
    """The same where it was not, in steps (`as_shades`); None: written by an older version, or it was."""

    @property
    def each_colour(self) -> Plane | None:
        """`FlatSheet.colours`, to half a step; None where it is not known."""
        if self.shades is None:
            return self.colours
        return np.asarray(self.shades.astype(np.float32) * np.float32(SHADE_STEP) + np.float32(LEAST_SHADE), np.float32)


def as_shades(colours: Plane) -> NDArray[np.uint8]:
    """`FlatSheet.colours` in a quarter of the room."""
    return np.asarray(cv2.convertScaleAbs(colours, None, 1.0 / SHADE_STEP, -LEAST_SHADE / SHADE_STEP), np.uint8)


class BlankFiles:
    """The files of a table's blank sheets, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        """`folder` is made where it is missing."""
        self._folder = folder
        self._written: dict[int, Pose] = {}
        self._refused = False

    def load(self, layouts: Sequence[SheetLayout]) -> list[Blank]:
        """Those that were kept of sheets of these prints."""
        known = {_digest(layout): layout for layout in layouts}
        found = []
        for path in sorted(self._folder.glob("sheet-*.blank")):
            try:
                blank = _decode(path.read_bytes(), int(path.stem.removeprefix("sheet-")), known)
            except (OSError, ValueError) as error:
                _log.warning(
                    "%s: expected a sheet as it was when blank; it is left out, and crosses over toppings are less "
                    "sure until the sheet is seen blank again: %s",
                    path,
                    error,
                )
                continue
            if blank is not None:
                found.append(blank)
        return found

    def keep(self, blank: Blank) -> None:
        """Remember a sheet across a power cut; one that lies as it lay when it was last written is on disk already."""
        if self._refused or _lies_as(self._written.get(blank.number), blank.pose):
            return
        path = self._folder / f"sheet-{blank.number}.blank"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_whole(path, _encode(blank))
        except OSError as error:
            self._refused = True
            _log.warning("%s: blank sheets cannot be kept and are forgotten when the table restarts: %s", path, error)
            return
        self._written[blank.number] = blank.pose


def _encode(blank: Blank) -> bytes:
    pose = np.array([blank.pose.x_mm, blank.pose.y_mm, blank.pose.angle_deg])
    written = BytesIO()
    np.savez(
        written,
        layout=np.array(_digest(blank.layout)),
        pose=pose,
        px_per_mm=np.array(blank.px_per_mm),
        blur_mm=np.array(blank.blur_mm),
        picture=_as_png(blank.darkness),
        colours=np.zeros(0, np.uint8) if blank.colours is None else _as_png(blank.colours),
        shades=np.zeros(0, np.uint8) if blank.shades is None else _coded(blank.shades),
    )
    data = written.getvalue()
    return hashlib.sha256(data).digest() + data


def _decode(data: bytes, number: int, known: Mapping[str, SheetLayout]) -> Blank | None:
    """None where it is a sheet of another print. Raises ValueError where it is damaged."""
    size = hashlib.sha256().digest_size
    if hashlib.sha256(data[size:]).digest() != data[:size]:
        raise ValueError("its checksum does not fit")
    with np.load(BytesIO(data[size:]), allow_pickle=False) as stored:
        layout = known.get(str(stored["layout"]))
        if layout is None:
            return None
        x_mm, y_mm, angle_deg = (float(value) for value in stored["pose"])
        px_per_mm = float(stored["px_per_mm"])
        darkness = _from_png(stored["picture"], flat_size(layout))
        coloured = "colours" in stored and stored["colours"].size  # files of older versions have none
        colours = _from_png(stored["colours"], (*flat_size(layout), 3)) if coloured else None
        shaded = "shades" in stored and stored["shades"].size
        shades = _decoded(stored["shades"], (*flat_size(layout), 3)).astype(np.uint8) if shaded else None
        blur_mm = float(stored["blur_mm"]) if "blur_mm" in stored else 0.0  # files of older versions say none
    return Blank(number, layout, Pose(x_mm, y_mm, angle_deg), px_per_mm, blur_mm, darkness, colours, shades)


def _as_png(plane: Plane) -> NDArray[np.uint8]:
    """A plane in steps of STEP."""
    return _coded(np.clip(np.round((plane - LEAST) / STEP), 0, 65535).astype(np.uint16))


def _from_png(picture: NDArray[np.uint8], shape: tuple[int, ...]) -> Plane:
    """The plane again. Raises ValueError where it has not this shape."""
    levels = _decoded(picture, shape)
    return np.asarray(levels.astype(np.float32) * np.float32(STEP) + np.float32(LEAST), np.float32)


def _coded(levels: NDArray[Any]) -> NDArray[np.uint8]:
    coded, picture = cv2.imencode(".png", levels, [cv2.IMWRITE_PNG_COMPRESSION, 1])
    if not coded:
        raise ValueError(f"a sheet of {levels.shape} cells cannot be coded")
    return np.asarray(picture, np.uint8)


def _decoded(picture: NDArray[np.uint8], shape: tuple[int, ...]) -> NDArray[Any]:
    """Raises ValueError where it has not this shape."""
    levels = cv2.imdecode(np.asarray(picture, np.uint8), cv2.IMREAD_UNCHANGED)
    if levels is None or levels.shape != shape:
        raise ValueError("sheets of this print are laid flat in another size now")
    return np.asarray(levels)


def _lies_as(before: Pose | None, now: Pose) -> bool:
    """Whether a sheet lies as it lay before, if it did."""
    if before is None:
        return False
    turned = abs((now.angle_deg - before.angle_deg + 180.0) % 360.0 - 180.0)
    return turned < SAME_DEG and math.hypot(now.x_mm - before.x_mm, now.y_mm - before.y_mm) < SAME_MM


def _digest(layout: SheetLayout) -> str:
    """Tells prints apart."""
    marks = sorted((number, corners.tolist()) for number, corners in layout.marks.items())
    parts = (
        layout.size_mm,
        layout.columns,
        layout.rows,
        layout.pitch_mm,
        layout.first_mm,
        layout.toppings,
        layout.boxes,
    )
    return hashlib.sha256(repr((parts, marks)).encode()).hexdigest()
