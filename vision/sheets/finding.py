"""Where sheets lie in a picture: by their own small markers, each looked at again where the others put it.

Several sheets of one print may lie in one picture: every marker says where its sheet's centre is, and markers that
agree are of one sheet.
"""

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.mat.errors import RegistrationError
from vision.mat.lens import Lens
from vision.mat.markers import DICTIONARY, detector_parameters
from vision.mat.registration import Registration, register
from vision.sheets.as_read import Strokes, strokes_px
from vision.sheets.by_print import laid_by_print, seen_at
from vision.sheets.corners import ANYWHERE, Where, corner_groups
from vision.sheets.flattening import Places, places_of
from vision.sheets.layout import Array, SheetLayout

Grey = NDArray[np.uint8]

PATCH_PX_PER_MM = 6.0
FAR_MM = 12.0
REACHES_MM = (2.5, 1.5)
"""So far from where the others put it a marker is looked for, round after round; farther at first while one is
missing."""
ALIKE = 0.6
"""Correlation with its own drawing from which on a marker is seen."""
CENTRES_MM = 40.0
"""Markers of one sheet put its centre no farther apart than this: perspective is not known yet."""
LEAST_MARKERS = 3
SMALL_PX = 1500
"""Pictures narrower than this are also searched twice as large: markers of 13 pixels do not decode well. Larger ones
only where one marker is found already: it takes long."""
LEAST_PERIMETER_PX = 36.0
MOST_ERROR_MM = 1.2
TWO_ALIKE, MOST_PAIRS, MOST_SQUARES = 0.75, 24, 60
"""Two dark squares that look so much like two markers of a sheet may be those, its others covered. So many pairs are
looked at, the likeliest, but none on a table with more dark squares than the last."""
SAME_SIZE = 0.03
"""They are as far apart as those markers, but for this share."""


@dataclass(frozen=True)
class FoundSheet:
    """A sheet in a picture."""

    layout: SheetLayout
    registration: Registration
    """In the sheet's own frame."""
    by_two: bool = False
    """Whether only two of its markers show, so that its print has to tell."""

    @cached_property
    def places(self) -> Places:
        """Where in the picture it is, pixel by pixel: a sheet at rest is read several times."""
        return places_of(self.layout, self.registration)

    @cached_property
    def strokes(self) -> Strokes:
        """Where in the picture it may be drawn on."""
        return strokes_px(self.registration, self.layout)


@dataclass(frozen=True, slots=True)
class SeenMarker:
    """A marker somewhere in a picture."""

    number: int
    corners_px: Array
    """4 x 2, to about a pixel."""


def see_markers(
    grey: Grey, layouts: Sequence[SheetLayout], others: Collection[int] = (), *, closely: bool = False
) -> list[SeenMarker]:
    """The markers of these prints in a picture, and of `others` those that are seen in looking for them. `closely` is
    for a picture that shows nothing else: a large one takes 45 ms more."""
    wanted = {marker for layout in layouts for marker in layout.marks}
    seen = _detected(grey, wanted | set(others), 1)
    count = sum(marker.number in wanted for marker in seen)
    if count < LEAST_MARKERS and (closely or count or grey.shape[1] < SMALL_PX):
        twice = np.asarray(cv2.resize(grey, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC), np.uint8)
        again = _detected(twice, wanted | set(others), 2)
        seen = max(seen, again, key=lambda some: sum(marker.number in wanted for marker in some))
    return seen


def find_sheets(
    grey: Grey, layouts: Sequence[SheetLayout], *, lens: Lens | None = None, seen: Sequence[SeenMarker] | None = None
) -> list[FoundSheet]:
    """All sheets of these prints of which three markers show, two of them well. One sheet may fit several prints.

    `seen` are the picture's markers where they are known already.
    """
    markers = see_markers(grey, layouts) if seen is None else seen
    found = []
    for layout in layouts:
        for group in _groups(markers, layout.marks):
            registration = _registered(grey, group, layout.marks, lens)
            if registration is not None:
                found.append(FoundSheet(layout, registration))
    return found


def find_by_print(
    grey: Grey, layouts: Sequence[SheetLayout], seen: Sequence[SeenMarker], known: Sequence[FoundSheet]
) -> list[FoundSheet]:
    """What may be sheets, beside the `known` ones, of which two markers are `seen` in a picture that shows no table.
    Whether they are their print has to tell."""
    found: list[FoundSheet] = []
    for layout in layouts:
        for group in _groups(seen, layout.marks):
            if any(_covers(sheet, _without_perspective(group, layout.marks)) for sheet in known):
                continue
            laid = laid_by_print(grey, group, layout)
            registration = _registered(grey, laid, layout.marks, None)
            with contextlib.suppress(RegistrationError):
                size = (grey.shape[1], grey.shape[0])
                registration = registration or register(laid, size, markers_mm=layout.marks)
                found.append(FoundSheet(layout, registration, by_two=True))
    return found


def find_on_table(
    grey: Grey,
    layouts: Sequence[SheetLayout],
    table: Registration,
    known: Sequence[FoundSheet] = (),
    where: Where = ANYWHERE,
) -> list[FoundSheet]:
    """The `known` sheets and all others that lie on a known table: there markers too small to be decoded are enough.
    Others are looked for only `where` they may have come."""
    found = list(known)
    for layout in layouts:
        groups = [g for g in corner_groups(grey, layout, table, where) if not any(_covers(sheet, g) for sheet in found)]
        ways = [(_likeness(grey, group, layout.marks), group) for group in groups]
        for likeness, group in sorted(ways, key=lambda way: -way[0]):
            if likeness < ALIKE or any(_covers(sheet, group) for sheet in found):
                continue
            registration = _registered(grey, group, layout.marks, table.lens)
            if registration is not None:
                found.append(FoundSheet(layout, registration))
    return found


def find_by_two(
    grey: Grey, layouts: Sequence[SheetLayout], table: Registration, known: Sequence[FoundSheet]
) -> list[FoundSheet]:
    """What may be sheets, beside the `known` ones, of which two markers show on a known table: a hand covers more. The
    table says how they are seen, the markers where they lie; whether they do their print has to tell."""
    found: list[FoundSheet] = []
    for layout in layouts:
        free = Where(free=lambda spots: _off_sheets(spots, known, table) & (len(spots) <= MOST_SQUARES))
        groups = [g for g in corner_groups(grey, layout, table, free, least=2) if not any(_covers(s, g) for s in known)]
        looked = [_two_seen(grey, group, layout.marks) for group in groups[:MOST_PAIRS]]
        for _, seen in sorted((one for one in looked if len(one[1]) == 2), key=lambda one: -one[0]):
            laid = _laid_by_table(seen, layout.marks, table)
            if laid is None or any(_covers(sheet, laid) for sheet in found):
                continue
            try:
                registration = register(laid, (grey.shape[1], grey.shape[0]), lens=table.lens, markers_mm=layout.marks)
            except RegistrationError:
                continue
            found.append(FoundSheet(layout, registration, by_two=True))
    return found


def _two_seen(grey: Grey, group: Mapping[int, Array], places: Mapping[int, Array]) -> tuple[float, dict[int, Array]]:
    """How much the picture looks like those two of these markers that it looks most like, and where they are seen, if
    it looks enough like them."""
    plane = _plane(group, places)
    if plane is None:
        return 0.0, {}
    fits = {marker: _best_fit(grey, plane, marker, place, REACHES_MM[0]) for marker, place in places.items()}
    best = sorted(fits, key=lambda marker: -fits[marker][0])[:2]
    seen = {
        marker: seen_at(plane, places[marker] + off)
        for marker in best
        if (off := fits[marker][1]) is not None and fits[marker][0] >= TWO_ALIKE
    }
    return sum(fits[marker][0] for marker in best), seen


def _off_sheets(spots: Array, known: Sequence[FoundSheet], table: Registration) -> NDArray[np.bool_]:
    """Which places (n x 2) of the table no known sheet lies on."""
    off = np.ones(len(spots), bool)
    for sheet in known:
        own = np.abs(sheet.registration.to_table(table.to_picture(spots))) if len(spots) else spots
        off &= (own > np.array(sheet.layout.size_mm) / 2).any(axis=1)
    return off


def _laid_by_table(
    seen: Mapping[int, Array], places: Mapping[int, Array], table: Registration
) -> dict[int, Array] | None:
    """Where all markers would be seen of a sheet that lies flat on the table, two of which are `seen`; None where these
    are not as far apart as they would be."""
    on_table = np.concatenate([table.to_table(corners) for corners in seen.values()]) * (1.0, -1.0)
    turn, shift = _similarity(np.concatenate([places[marker] for marker in seen]), on_table)
    size = float(np.hypot(turn[0, 0], turn[1, 0]))
    if abs(size - 1.0) > SAME_SIZE:
        return None
    return {
        marker: table.to_picture((place * (1.0, -1.0) @ (turn / size).T + shift) * (1.0, -1.0))
        for marker, place in places.items()
    }


def seen_again(grey: Grey, layout: SheetLayout, corners_mm: Array, table: Registration) -> FoundSheet | None:
    """A sheet whose corners (as `SheetLayout.corners_mm`) seemed to lie there on the table a moment before, where it
    still does; None where it does not."""
    plane = _homography(layout.corners_mm, corners_mm)
    if plane is None:
        return None
    group = {number: table.to_picture(seen_at(plane, corners)) for number, corners in layout.marks.items()}
    if _likeness(grey, group, layout.marks) < ALIKE:
        return None
    registration = _registered(grey, group, layout.marks, table.lens)
    return None if registration is None else FoundSheet(layout, registration)


def _covers(sheet: FoundSheet, group: Mapping[int, Array]) -> bool:
    """Whether a sheet lies where these markers' sheet would have its middle."""
    middle = np.concatenate(list(group.values())).mean(axis=0)
    return float(np.hypot(*sheet.registration.to_table(middle[None])[0])) < CENTRES_MM


def _likeness(grey: Grey, group: Mapping[int, Array], places: Mapping[int, Array]) -> float:
    """How much the picture looks like these markers where they would be."""
    plane = _plane(group, places)
    if plane is None:
        return 0.0
    seen = sorted(_best_fit(grey, plane, marker, place, REACHES_MM[0])[0] for marker, place in places.items())
    return sum(seen[-LEAST_MARKERS:]) / LEAST_MARKERS


def _detected(grey: Grey, wanted: set[int], times: int) -> list[SeenMarker]:
    parameters = detector_parameters()
    parameters.cornerRefinementWinSize = 3
    parameters.adaptiveThreshWinSizeMin = 7
    parameters.adaptiveThreshWinSizeMax = 27 * times
    parameters.adaptiveThreshWinSizeStep = 20 * times
    parameters.minMarkerPerimeterRate = LEAST_PERIMETER_PX * times / max(grey.shape)
    detector = cv2.aruco.ArucoDetector(DICTIONARY, parameters)
    corners, ids, _ = detector.detectMarkers(grey)
    if ids is None:
        return []
    places = [(np.asarray(c, np.float64).reshape(4, 2) + 0.5) / times - 0.5 for c in corners]
    return [SeenMarker(int(i), place) for i, place in zip(ids.ravel(), places, strict=True) if int(i) in wanted]


def _groups(seen: Sequence[SeenMarker], places: Mapping[int, Array]) -> Iterator[dict[int, Array]]:
    """Markers of one sheet each, by where they put its centre."""
    mine = [
        (one.number, one.corners_px, *_centre(one.corners_px, places[one.number]))
        for one in seen
        if one.number in places
    ]
    while mine:
        _, _, centre, px_per_mm = mine[0]
        near = [one for one in mine if np.hypot(*(one[2] - centre)) < CENTRES_MM * px_per_mm]
        group: dict[int, Array] = {}
        for marker, corners, _, _ in near:
            group.setdefault(marker, corners)
        mine = [one for one in mine if not any(one[1] is corners for corners in group.values())]
        if len(group) >= 2:
            yield group


def _centre(corners: Array, place: Array) -> tuple[Array, float]:
    """Where a marker puts its sheet's centre (pixels), and its pixels per millimetre."""
    turn, shift = _similarity(place, corners)
    return shift, float(np.hypot(turn[0, 0], turn[1, 0]))


def _similarity(mm: Array, px: Array) -> tuple[Array, Array]:
    """2 x 2 and a shift that best take places (y up) to pixels (y down), angles kept."""
    flipped = mm * (1.0, -1.0)
    a, b = flipped - flipped.mean(0), px - px.mean(0)
    square = float((a**2).sum())
    cosine, sine = float((a * b).sum()) / square, float((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum()) / square
    turn = np.array([[cosine, -sine], [sine, cosine]])
    return turn, np.asarray(px.mean(0) - turn @ flipped.mean(0))


def _registered(
    grey: Grey, group: Mapping[int, Array], places: Mapping[int, Array], lens: Lens | None
) -> Registration | None:
    """The sheet laid out by its markers, those first found and then all that show where those put them."""
    # Two small markers say too little of perspective: what they say is taken without any, and all the others must show.
    few = len(group) < LEAST_MARKERS
    markers = _without_perspective(group, places) if few else dict(group)
    for reach_mm in REACHES_MM if len(group) == len(places) else (FAR_MM, *REACHES_MM):
        plane = _plane(markers, places)
        if plane is None:
            return None
        markers = _looked_at_again(grey, plane, places, reach_mm)
        if len(markers) < LEAST_MARKERS:
            return None
    if few and len(markers) < len(places):
        return None
    try:
        registration = register(markers, (grey.shape[1], grey.shape[0]), lens=lens, markers_mm=places)
    except RegistrationError:
        return None
    well = registration.error_px < MOST_ERROR_MM * _px_per_mm(registration, places)
    return registration if well else None


def _without_perspective(group: Mapping[int, Array], places: Mapping[int, Array]) -> dict[int, Array]:
    """All markers where the similarity puts them that best fits these."""
    seen = np.concatenate([group[marker] for marker in group])
    mm = np.concatenate([places[marker] for marker in group])
    turn, shift = _similarity(mm, seen)
    return {marker: np.asarray(place * (1.0, -1.0) @ turn.T + shift) for marker, place in places.items()}


def _plane(markers: Mapping[int, Array], places: Mapping[int, Array]) -> Array | None:
    """The homography that takes the sheet to the picture, without the lens: near enough to look there again."""
    mm, px = (np.concatenate([where[marker] for marker in markers]) for where in (places, markers))
    return _homography(mm, px)


def _homography(start: Array, end: Array) -> Array | None:
    fitted = cv2.findHomography(start, end, 0)[0]
    return None if fitted is None else np.asarray(fitted, np.float64)


def _px_per_mm(registration: Registration, places: Mapping[int, Array]) -> float:
    mm = np.concatenate(list(places.values()))
    px = registration.to_picture(mm)
    return float(np.linalg.norm(np.ptp(px, axis=0)) / np.linalg.norm(np.ptp(mm, axis=0)))


def _looked_at_again(grey: Grey, plane: Array, places: Mapping[int, Array], reach_mm: float) -> dict[int, Array]:
    """Every marker that shows near where it should be: its corners moved by where its drawing fits best."""
    found = {}
    for marker, place in places.items():
        off = _offset_mm(grey, plane, marker, place, reach_mm)
        if off is not None:
            found[marker] = seen_at(plane, place + off)
    return found


def _offset_mm(grey: Grey, plane: Array, marker: int, place: Array, reach_mm: float) -> Array | None:
    """How far a marker lies from its place, in the sheet's frame; None where it does not show."""
    likeness, off = _best_fit(grey, plane, marker, place, reach_mm)
    return off if likeness >= ALIKE else None


def _best_fit(grey: Grey, plane: Array, marker: int, place: Array, reach_mm: float) -> tuple[float, Array | None]:
    """How much it looks like a marker where it looks most like it, and how far that lies from its place, in the sheet's
    frame; None where that cannot be said."""
    drawing = _drawing(marker, place)
    half = np.abs(place - place.mean(0)).max() + 1.0 + reach_mm
    count = drawing.shape[0] + 2 * round(reach_mm * PATCH_PX_PER_MM)
    steps = (np.arange(count) - (count - 1) / 2) / PATCH_PX_PER_MM
    along, down = (place[1] - place[0]), (place[3] - place[0])
    along, down = along / np.linalg.norm(along), down / np.linalg.norm(down)
    grid = place.mean(0) + steps[None, :, None] * along + steps[:, None, None] * down
    px = seen_at(plane, grid.reshape(-1, 2)).astype(np.float32).reshape(count, count, 2)
    height, width = grey.shape
    if px.min() < -half or px[..., 0].max() > width + half or px[..., 1].max() > height + half:
        return 0.0, None
    patch = cv2.remap(grey, px[..., 0], px[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    scores = cv2.matchTemplate(patch, drawing, cv2.TM_CCOEFF_NORMED)
    _, best, _, (x, y) = cv2.minMaxLoc(scores)
    if not (0 < x < scores.shape[1] - 1 and 0 < y < scores.shape[0] - 1):
        return float(best), None
    fine_x = x + _peak(scores[y, x - 1 : x + 2])
    fine_y = y + _peak(scores[y - 1 : y + 2, x])
    middle = (scores.shape[0] - 1) / 2
    return float(best), np.asarray((along * (fine_x - middle) + down * (fine_y - middle)) / PATCH_PX_PER_MM)


def _peak(three: Iterable[float]) -> float:
    """Where a parabola through three values has its top, from the middle one."""
    left, middle, right = (float(value) for value in three)
    bend = left - 2 * middle + right
    return 0.0 if bend >= 0 else float(np.clip(0.5 * (left - right) / bend, -0.5, 0.5))


def _drawing(marker: int, place: Array) -> Grey:
    """A marker as it is printed, with a millimetre of paper around it, a little soft."""
    side = round(float(np.linalg.norm(place[1] - place[0])) * PATCH_PX_PER_MM)
    border = round(PATCH_PX_PER_MM)
    image = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50).generateImageMarker(marker, side)
    wide = cv2.copyMakeBorder(image, border, border, border, border, cv2.BORDER_CONSTANT, value=(255.0,))
    return np.asarray(cv2.GaussianBlur(wide, (0, 0), 0.35 * PATCH_PX_PER_MM), np.uint8)
