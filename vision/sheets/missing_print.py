"""Print that does not show on a flat sheet: neither light nor pencil takes it away, so something lies there."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.sheets.contrasts import box_points, differing, looks_at, of_print, topping_points
from vision.sheets.flattening import PX_PER_MM, FlatSheet, Plane, disc_points
from vision.sheets.layout import Array, SheetLayout
from vision.short_axes import median_of, row_medians, row_quantiles

Bools = NDArray[np.bool_]

SPOT_MM, OFF_MM, RING_MM = 0.55, 0.5, (1.5, 2.6)
"""A printed dot is looked for in a disc so large, no farther from its place, and its paper in such a ring."""
SHIFT_MM, SHIFT_DOTS, NO_SHIFT = 1.5, 5, 0.15
"""Its place is no farther from where it ought to be, as so many dots each way tell together; that far off, they must be
darker by such a share of what is usual."""
MISSING, TOLD, TOLD_BY_FOUR = 0.4, 4.2, 3.2
"""A dot that is less dark than this share of what printed dots usually are, and by so many times what bare paper
spreads, or they do, is missing; so are four about a square that are so on average. Of 27 350 that lay open, traced and
simulated, 2 were."""
BESIDE_MISSING, BESIDE_TOLD = 0.5, 1.5
"""One beside it may be darker."""
NOISES, FEW, ABOUT_NOTHING = 3.0, 0.1, 0.5
"""Dots that are darker by no more than so many standard deviations of the paper's noise do not show, if they are no
greater share of all or darker by no more than the last on average: a hand lies over them. Else print is as faint."""
HARDLY, LEAST_TOLD = 0.7, 5
"""Beside a topping that does not show dots do not, either, where with those next to them, so many at least, they show
less than this share of what is usual on average."""
LEAST_ALIKE, LESS_ALIKE = 0.6, 0.25
"""A topping whose colours, or how these differ from each other, correlate less than this with what is usual for its
kind, and by so much less than most of its kind do, does not show."""
OF_A_KIND = 3
"""So many toppings of a kind, or boxes, tell how it looks."""
PLAIN, PLAIN_BOX = 0.35, 0.25
"""A topping, or a box, whose colours differ by less than this share of what those of the second of its kind do that
differs most, does not show. Of 3700 toppings and 1000 boxes that lay open none differed by less than 0.45."""


def dots_missing(flat: FlatSheet, toppings: Bools) -> Bools:
    """At which of the sheet's dots neither a printed nor a pencilled one shows; nowhere if printed dots hardly do.
    `toppings` are those that do not show."""
    layout = flat.layout
    if not len(layout.bare_mm):
        return np.zeros(len(layout.dots_mm), bool)
    darkness = np.asarray(cv2.transform(flat.colours, np.full((1, 3), 1 / 3)), np.float32)
    soft = np.asarray(cv2.GaussianBlur(darkness, (0, 0), SPOT_MM / 1.6 * PX_PER_MM), np.float32)

    def spots(places_mm: Array) -> Plane:
        inner = flat.sampled(soft, places_mm[:, None] + disc_points(0.0, OFF_MM, 0.25)).max(axis=1)
        ring = flat.sampled(darkness, places_mm[:, None] + disc_points(*RING_MM, 0.35))
        return np.asarray(inner - row_quantiles(ring, 0.25), np.float32)

    bare = spots(layout.bare_mm)
    paper = median_of(bare)
    noise = 1.5 * median_of(np.abs(bare - paper))
    shown = spots(layout.dots_mm)
    usual, spread, most = _printed_darkness(shown - paper, noise)
    shifts = _shifts(flat, soft, usual)
    moved = shifts.any(axis=1)
    if moved.any():
        shown[moved] = np.maximum(shown[moved], spots(layout.dots_mm[moved] + shifts[moved]))
        usual, spread, most = _printed_darkness(shown - paper, noise)
    spread = max(spread, noise)
    darker = (shown - paper).reshape(layout.rows, layout.columns)
    missing = darker < min(MISSING * usual, usual - TOLD * spread)
    # Four dots about a square tell with half the spread of one what may lie over all of them.
    whole = _mean_of_four(darker) < min(MISSING * usual, usual - TOLD_BY_FOUR * spread / 2)
    missing |= cv2.dilate(np.pad(whole, 1).astype(np.uint8), np.ones((2, 2), np.uint8))[1:, 1:] > 0
    beside = darker < min(BESIDE_MISSING * usual, usual - BESIDE_TOLD * spread)
    missing = _spread(missing, beside)
    if usual and toppings.any():
        told = ~missing & (flat.sampled(flat.foreign.astype(np.float32), layout.dots_mm) == 0.0).reshape(missing.shape)
        about = _beside_toppings(layout, toppings).reshape(missing.shape)
        missing |= _beside_missing(darker / usual, told, about) & (darker < most)
    return missing.reshape(-1)


def _beside_toppings(layout: SheetLayout, toppings: Bools) -> Bools:
    """Which dots are corners of squares whose toppings are among these."""
    squares = {topping.square for topping, one in zip(layout.toppings, toppings, strict=True) if one}
    corners = {(column + i, row + j) for column, row in squares for i in (0, 1) for j in (0, 1)}
    return np.array([dot in corners for dot in layout.dots])


def _beside_missing(shown: Plane, told: Bools, about: Bools) -> Bools:
    """Which dots of the grid lie among such as hardly show on average (`shown`: beside what is usual, of those that are
    `told`), beside those `about` print that does not: paper with a grain of its own looks here and there like dots."""
    weight = told.astype(np.float32)
    near, many = (
        cv2.blur(one, (3, 3), borderType=cv2.BORDER_CONSTANT) for one in (np.clip(shown, 0.0, 1.0) * weight, weight)
    )
    pale = (9.0 * many > LEAST_TOLD - 0.5) & (near < HARDLY * many)
    there = _spread(pale & about, pale)
    return np.asarray(cv2.dilate(there.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0)


def _mean_of_four(values: Plane) -> Plane:
    """The mean of the dots at the corners of each square."""
    rows = values[:-1] + values[1:]
    return np.asarray((rows[:, :-1] + rows[:, 1:]) / 4, np.float32)


def _spread(missing: Bools, doubtful: Bools) -> Bools:
    """Those that are missing, and those next to them that are `doubtful`, and so on."""
    count, labels = cv2.connectedComponents((missing | doubtful).astype(np.uint8), connectivity=8)
    told = np.zeros(count, bool)
    told[labels[missing]] = True
    told[0] = False
    return np.asarray(told[labels])


def _printed_darkness(shown: Plane, noise: float) -> tuple[float, float, float]:
    """How dark printed dots usually are, among pencilled ones and others that do not show: the paler of the two sorts
    that are darker than noise of the paper (standard deviation) makes it; and how much they differ, as where paper is
    brighter than the picture shows; and how dark they are at most."""
    faint = shown[shown <= NOISES * noise]
    none = len(faint) <= FEW * len(shown) or float(faint.mean()) < noise * (ABOUT_NOTHING + 1.0 / np.sqrt(len(faint)))
    seen = shown[shown > (NOISES * noise if none else 0.0)]
    if not len(seen):
        return 0.0, 0.0, 0.0
    logs = np.log(seen)
    low, high = (float(value) for value in np.quantile(logs, (0.02, 0.98)))
    before = np.zeros(0, bool)
    for _ in range(12):
        dark = logs > (low + high) / 2
        if dark.all() or not dark.any() or np.array_equal(dark, before):
            break
        low, high, before = median_of(logs[~dark]), median_of(logs[dark]), dark
    usual, most = float(np.exp(low)), float(np.exp((low + high) / 2))
    printed = seen[seen < most]
    return usual, 1.5 * median_of(np.abs(printed - usual)) if len(printed) else 0.0, most


def _shifts(flat: FlatSheet, soft: Plane, usual: float) -> Array:
    """How far (n x 2, mm) the print about each dot lies from where it ought to, as printed dots around tell that are
    `usual`ly so dark: a sheet of which a marker is covered is not laid out quite right."""
    layout = flat.layout
    line = np.arange(-SHIFT_MM, SHIFT_MM + 0.01, OFF_MM)
    ways = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    seen = flat.sampled(soft, layout.dots_mm[:, None] + ways)
    darker = np.clip(seen - row_medians(seen)[:, None], 0.0, usual)  # pencil tells no more than print
    grid = darker.reshape(layout.rows, layout.columns, -1)
    near = cv2.blur(grid, (SHIFT_DOTS, SHIFT_DOTS), borderType=cv2.BORDER_REPLICATE).reshape(len(seen), -1)
    less = usual * NO_SHIFT * np.hypot(*ways.T) / SHIFT_MM
    return np.asarray(ways[(near - less.astype(np.float32)).argmax(axis=1)])


def toppings_missing(flat: FlatSheet) -> Bools:
    """Which toppings do not show the colours that others of their kind do."""
    toppings = flat.layout.toppings
    kinds = np.array([topping.kind for topping in toppings])
    missing = np.zeros(len(toppings), bool)
    if not len(toppings):
        return missing
    looks = _topping_looks(flat)
    # Pencil darkens all colours alike, so that how they differ from each other still shows.
    tints = looks - looks.mean(axis=2, keepdims=True)
    for kind in set(kinds.tolist()):
        mine = kinds == kind
        if mine.sum() >= OF_A_KIND:
            plain = _plain(differing(looks[mine]), PLAIN)
            alike = np.maximum(_alike(looks[mine], ~plain), _alike(tints[mine], ~plain))
            missing[mine] = plain | (alike < min(LEAST_ALIKE, median_of(alike[~plain]) - LESS_ALIKE))
    return missing


def boxes_missing(flat: FlatSheet, toppings: Bools) -> Bools:
    """Which bonus boxes show no print. `toppings` are those that do not show."""
    boxes = flat.layout.boxes
    if not boxes:
        return np.zeros(0, bool)
    differ, shown = differing(_looks(flat, box_points(boxes))), np.count_nonzero(~toppings)
    missing, most = np.zeros(len(boxes), bool), float(np.inf)
    if shown >= OF_A_KIND:  # where most boxes are covered they do not tell
        least, most = of_print(_topping_looks(flat)[~toppings])
        missing = (differ < least) | (differ > most)
    if np.count_nonzero(differ <= most) >= OF_A_KIND:
        missing |= _plain(differ, PLAIN_BOX, most)
    return missing


def _topping_looks(flat: FlatSheet) -> Plane:
    """The colours (logarithms) of each topping: n x points x 3."""
    return _looks(flat, topping_points(flat.layout.toppings))


def _looks(flat: FlatSheet, points_mm: Array) -> Plane:
    """The colours (logarithms) of n x m points: n x m x 3."""
    return looks_at(flat.cells, flat.to_cells(points_mm.reshape(-1, 2)).reshape(points_mm.shape))


def _plain(differ: Plane, share: float, most: float = np.inf) -> Bools:
    """Which looks, by how much they differ within themselves, do so by less than this share of the second of those that
    differ most, but for such as differ by more than print can."""
    return np.asarray(differ < share * np.sort(differ[differ <= most])[-2])


def _alike(looks: Plane, shown: Bools) -> Array:
    """How much each look (n x points x 3) correlates with what is usual among those that are `shown`."""
    own = (looks - looks.mean(axis=1, keepdims=True)).reshape(len(looks), -1)
    usual = np.median(own[shown], axis=0)
    return np.asarray(own @ usual / np.maximum(np.linalg.norm(own, axis=1) * np.linalg.norm(usual), 1e-6))
