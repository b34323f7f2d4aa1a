"""The focal length that a camera or phone wrote into a photo: EXIF (CIPA DC-008, Exif 2.32) in a JPEG.

What is broken there, or says nothing of a focal length, is passed over: a photo is as good without.
"""

import math
import struct
from collections.abc import Iterator

from vision.mat.lens import FOCAL_SPREAD, AssumedFocal

FOCAL_MM, PLANE_ACROSS, PLANE_UNIT, IN_35_MM, ZOOM = 0x920A, 0xA20E, 0xA210, 0xA405, 0xA404
"""Tags: FocalLength, FocalPlaneXResolution and its unit, FocalLengthIn35mmFilm, DigitalZoomRatio (section 4.6.5)."""
PIXELS_ACROSS, PIXELS_DOWN, EXIF_IFD = 0xA002, 0xA003, 0x8769
UNITS_MM = {2: 25.4, 3: 10.0}
FILM_DIAGONAL_MM = math.hypot(36.0, 24.0)
"""A focal length in 35 mm film is one that sees as much along the diagonal (annex of the standard)."""
SPREAD_35_MM, SPREAD_PLANE = 0.06, 0.04
"""How far such values lie from the truth (natural logarithm): the first is a whole number and of the uncropped lens."""
SPREAD_CROPPED = 0.2
"""Of a picture with other sides than the camera took: how much of it was cut off is not known."""
FOCALS = (0.3, 5.0)
"""In lengths of the longer side; others are no camera's that looks at a table."""
SAME_SHAPE = 0.02
USUAL_SHAPE, SQUARE, WIDE = 4 / 3, 1.2, 1.6
"""Sides of most sensors, and of what is none's own picture: phones that take wide ones leave out what lies above and
below, and may or may not mean the whole sensor's diagonal."""
SPREAD_WIDE = 0.1
PANORAMA = 2.4
"""A picture with such sides was put together from several, or little of it is left."""
_FORMATS = {3: "H", 4: "I", 5: "II", 9: "i", 10: "ii"}
MOST_ENTRIES = 500


def focal_by_exif(content: bytes, size_px: tuple[int, int]) -> AssumedFocal | None:
    """What the file of a photo of this size (pixels) says of its focal length; None where nothing.

    Pictures made smaller keep their focal length, in lengths of the longer side. What was cropped shows by its sides
    and by those that the camera wrote down: as much is taken to be left as its shape allows. Some cameras count digital
    zoom in, some do not: either may be so.
    """
    tags = _tags(content)
    shape = max(size_px) / min(size_px)
    taken = tags.get(PIXELS_ACROSS, 0.0), tags.get(PIXELS_DOWN, 0.0)
    of_sensor = max(taken) / min(taken) if min(taken) > 0.0 else shape
    # No sensor is that square, nor did a program that wrote new sides down keep what was taken.
    of_sensor = of_sensor if of_sensor > SQUARE else USUAL_SHAPE
    across_mm = tags.get(PLANE_ACROSS, 0.0) / UNITS_MM.get(int(tags.get(PLANE_UNIT, 2)), math.inf)
    if (film := tags.get(IN_35_MM, 0.0)) > 0.0:
        wide = of_sensor > WIDE
        diagonal = (math.hypot(1.0, 1.0 / of_sensor) + math.hypot(1.0, 1.0 / (USUAL_SHAPE if wide else of_sensor))) / 2
        focal, spread = film * diagonal / FILM_DIAGONAL_MM, SPREAD_WIDE if wide else SPREAD_35_MM
    elif tags.get(FOCAL_MM, 0.0) > 0.0 and across_mm > 0.0 and max(taken) > 0.0:
        focal, spread = tags[FOCAL_MM] * across_mm / max(taken), SPREAD_PLANE
    else:
        return None
    if abs(shape / of_sensor - 1.0) > SAME_SHAPE:
        focal, spread = focal * max(1.0, of_sensor / shape), SPREAD_CROPPED
    either = math.log(max(1.0, tags.get(ZOOM, 1.0))) / 2
    focal, spread = focal * math.exp(either), math.hypot(spread, either)
    plain = max(shape, of_sensor) < PANORAMA and spread < FOCAL_SPREAD
    return AssumedFocal(focal, spread) if plain and FOCALS[0] <= focal <= FOCALS[1] else None


def _tags(content: bytes) -> dict[int, float]:
    """The numbers of a JPEG's EXIF by their tags; none where it has none or it is broken."""
    found: dict[int, float] = {}
    for start in _exif_segments(content):
        order = {b"II*\0": "<", b"MM\0*": ">"}.get(content[start : start + 4])
        if order is None:
            continue
        try:
            (first,) = struct.unpack_from(order + "I", content, start + 4)
            found |= _directory(content, start, first, order)
            if inner := int(found.get(EXIF_IFD, 0)):
                found |= _directory(content, start, inner, order)
        except struct.error:
            continue
    return found


def _exif_segments(content: bytes) -> Iterator[int]:
    """Where the TIFF header of each EXIF segment (APP1) of a JPEG begins."""
    at = 2 if content.startswith(b"\xff\xd8") else len(content)
    while at + 10 <= len(content) and content[at] == 0xFF and content[at + 1] != 0xDA:
        length = int.from_bytes(content[at + 2 : at + 4], "big")
        if content[at + 1] == 0xE1 and content[at + 4 : at + 10] == b"Exif\0\0":
            yield at + 10
        at += 2 + max(length, 2)


def _directory(content: bytes, start: int, offset: int, order: str) -> dict[int, float]:
    """The first number of each entry of a directory. Raises struct.error where it goes beyond the file."""
    (count,) = struct.unpack_from(order + "H", content, start + offset)
    found = {}
    for number in range(min(count, MOST_ENTRIES)):
        entry = start + offset + 2 + 12 * number
        tag, kind, values = struct.unpack_from(order + "HHI", content, entry)
        if kind not in _FORMATS or values < 1:
            continue
        code = order + _FORMATS[kind]
        place = entry + 8
        if struct.calcsize(code) * values > 4:
            place = start + struct.unpack_from(order + "I", content, place)[0]
        try:
            above, *below = struct.unpack_from(code, content, place)
        except struct.error:
            continue
        if not below or below[0]:
            found[tag] = float(above / below[0]) if below else float(above)
    return found
