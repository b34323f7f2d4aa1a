"""Cutters lying over a board: thin round sticks with one coloured, pointed end.

Long thin lines that are not the board's print are candidates. Each is moved to where both edges of a stick are sharpest
(shadows have soft ones), and the coloured end and the stick's length say which way round it lies and whose it is. How
high its ends lie follows from what it rests on, and that from which stick is seen uncut where two cross.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations, product
from math import log, prod

import numpy as np
from numpy.typing import NDArray

from vision.board.pose import BoardFit
from vision.board.record import BoardPrint
from vision.board.sight import Sight
from vision.board.stick_colours import LEAST_OPEN_MM, CutterFit, cutter_along
from vision.board.stick_edges import edge_contrast, on_edges, straightened
from vision.board.stick_heights import at_rest
from vision.board.stick_lines import CANDIDATES, Other, candidates, how_unlike, other_than_print
from vision.board.stick_strips import strip_along
from vision.board.toppings import SpaceFit
from vision.frame import Image

Array = NDArray[np.float64]

BESIDE_FOUND_MM = 6.0
LIKELY = 0.85
LEAST_UNLIKE = 0.2
"""A line that looks less like wood than this, and more like what it lies over, is print;"""
BESIDE_CANDIDATE_MM, LEAST_UNLIKE_NEAR = (-4.0, -2.0, 0.0, 2.0, 4.0), 0.16
"""a candidate that nowhere so near to it looks like wood by as much leads to none (of sticks on simulated tables, the
least looked so by 0.2);"""
SURE_UNLIKE = 0.35
"""one that looks as much like wood is not."""
LEAST_PAINTED = 0.55
"""Where cutters are painted all over, what looks less like one of a colour is print: on a simulated copy lines printed
in white looked so by 0.32 at most, cutters, also under hands, by 0.84 at least."""
WHOLE_SHARE, NOT_SEEN = 0.95, 0.8
"""A colour that is only left over, and not seen on a cutter of which less than such a share is open, is no likelier."""
LEAST_TOGETHER = 0.1
"""Two lines are two cutters if their colours are so likely to differ, beside the likeliest colour of each."""
SETTLED_SCORE, SETTLED_COLOUR = 4.5, 0.98
LEAST_EDGED, SURE_EDGED = 0.006, 0.012
"""A line beside which colours (logarithm) change by less than this is even print that happens to look like wood; of
those on tuning tables that were sticks the least changed by 0.013, of drawn print the most by 0.005."""
PLAINLY_EDGED, PLAINLY_UNLIKE = 0.03, 0.7
"""Nor is it sure where both together tell little: print that lay under a cutter when the board was enrolled, and grain
of a wooden board, were explained as white sticks on a pale mat with edges of 0.012 to 0.026 and 0.40 to 0.64 more like
wood, where sticks that lay there had 0.05 to 0.18, and 0.74 to 0.95."""
EDGES_TELL = 0.3
"""Of two lines over each other one with edges e times as clear is the stick if it is explained less well by less."""
CLEAR_EDGED, CLEAR_TELLS = 0.06, 1.26
"""Where cameras sharpen, and colours are richer, sticks look less as they were enrolled, with edges the clearer: what
has edges e times as clear as the first may be explained less well by the second. (A logistic model of 2856 lines on 200
simulated boards, six tenths of them as other cameras show them, weighs the two so.)"""
MOST_TOGETHER = 8
"""So many lines, the best explained, are tried together."""
LEAST_SCORE, SURE_SCORE = 2.6, 3.8
"""A line explained less well than the first is no cutter, one as well as the second is one."""


def everywhere(_: Array) -> bool:
    """Of a board of which nothing is known any line may be a cutter."""
    return True


def find_cutters(
    sight: Sight,
    image: Image,
    board: BoardPrint,
    fit: BoardFit,
    spaces: Sequence[SpaceFit],
    may_lie: Callable[[Array], bool] = everywhere,
) -> tuple[CutterFit, ...]:
    """The cutters over a board on which the toppings lie as read; none in a picture without colours. `may_lie` says of
    a line (2 x 2 seen points) whether one may lie along it."""
    if not sight.shows_colours:
        return ()
    other = other_than_print(sight, board, fit, spaces)
    all_lines = candidates(sight, board, fit, other)
    found, beside = _first_found(sight, image, board, fit, (other, all_lines), may_lie)
    if not _all_settled(found, board):
        # What was taken for a stick may have been its shadow, or its edge.
        rest = [line for line in all_lines if may_lie(line) and _beside_settled(line, found)]
        for line in [*beside, *rest]:
            found = _with_line(found, sight, image, board, fit, line, other)
    straight = [straightened(sight, image, board, fit, cutter) for cutter in _one_of_each(found)]
    return at_rest(sight, image, board, fit, spaces, straight)


def _first_found(
    sight: Sight,
    image: Image,
    board: BoardPrint,
    fit: BoardFit,
    looked: tuple[Other, Iterator[Array]],
    may_lie: Callable[[Array], bool],
) -> tuple[list[CutterFit], list[Array]]:
    """The cutters that candidates lead to, until those of all colours are settled, and the candidates that were left
    aside beside them; `looked` is how the board looks otherwise than print, and the candidates of that.

    Many a line through a cutter's coloured end looks like a stick, too: when one has led to nothing that settles, the
    others are those that are left without what was found by then.
    """
    other, lines = looked
    found: list[CutterFit] = []
    tried: list[Array] = []
    beside: list[Array] = []
    left_out = 0
    for _ in range(CANDIDATES):
        line = next(lines, None)
        if line is None:
            break
        if not may_lie(line) or any(np.array_equal(line, one) for one in tried):
            continue
        if _beside_settled(line, found):
            beside.append(line)
            continue
        tried.append(line)
        before = len(_settled_among(found))
        found = _with_line(found, sight, image, board, fit, line, other)
        if _all_settled(found, board):
            break
        settled = _settled_among(found)
        if before == len(settled) > left_out:
            left_out = len(settled)
            lines = candidates(sight, board, fit, other.without([one.seen_mm for one in settled], sight, board, fit))
    return found, beside


def _settled_among(found: Sequence[CutterFit]) -> list[CutterFit]:
    return [cutter for cutter in found if _settled(cutter)]


def _beside_settled(line: Array, found: Sequence[CutterFit]) -> bool:
    return any(lies_beside(line, cutter.seen_mm) for cutter in _settled_among(found))


def _with_line(
    found: list[CutterFit], sight: Sight, image: Image, board: BoardPrint, fit: BoardFit, line: Array, other: "Other"
) -> list[CutterFit]:
    """With the cutter that a candidate leads to, if it does."""
    if max(how_unlike(other, board, sight, fit, line, BESIDE_CANDIDATE_MM)) < LEAST_UNLIKE_NEAR:
        return found
    best: CutterFit | None = None
    for near in on_edges(sight, image, board, fit, line):
        cutter = _along(sight, image, board, fit, near, other)
        if cutter is not None and (best is None or _stick_like(cutter) > _stick_like(best)):
            best = cutter
        if best is not None and _settled(best):
            break
    return found if best is None else with_one_more(found, best)


def _along(
    sight: Sight, image: Image, board: BoardPrint, fit: BoardFit, line: Array, other: "Other"
) -> CutterFit | None:
    """The cutter along a line on its edges; None where there is none."""
    cutter = cutter_along(strip_along(sight, image, fit, line), board)
    if cutter is None:
        return None
    painted = next((one for one in board.of_each_colour() if one.cutters.names == (cutter.colours[0][0],)), None)
    unlike = how_unlike(other, painted or board, sight, fit, cutter.seen_mm)[0]
    if unlike <= (LEAST_UNLIKE if painted is None else LEAST_PAINTED):
        return None
    edged = edge_contrast(strip_along(sight, image, fit, cutter.seen_mm), board.cutter_mm[1] / 2)
    return replace(cutter, unlike=unlike, edged=edged)


def _all_settled(found: Sequence[CutterFit], board: BoardPrint) -> bool:
    """Whether cutters of all colours are found, and nothing better need be looked for."""
    return len({c.colours[0][0] for c in _settled_among(found)}) == len(board.cutters.names)


def with_one_more(found: Sequence[CutterFit], cutter: CutterFit) -> list[CutterFit]:
    """With one more line. A stick's shadow, or a line askew over it, may lead close to it; the better explained of the
    two, with clearer edges, is the stick."""
    same = [other for other in found if _same(cutter, other)]
    if any(_stick_like(other) >= _stick_like(cutter) for other in same):
        return list(found)
    return [*(other for other in found if not _same(cutter, other)), cutter]


def _stick_like(cutter: CutterFit) -> float:
    """Which of two lines over each other is the stick: that of which this is more."""
    return cutter.score + EDGES_TELL * float(np.log(max(cutter.edged, LEAST_EDGED)))


def _settled(cutter: CutterFit) -> bool:
    """Whether nothing better need be looked for."""
    return cutter.score > SETTLED_SCORE and cutter.colours[0][1] > SETTLED_COLOUR


def lies_beside(line: Array, seen_mm: Array) -> bool:
    """Whether a candidate is a cutter that was found (2 x 2 seen points each), or one of its sides."""
    way = (line[1] - line[0]) / np.linalg.norm(line[1] - line[0])
    return bool(np.abs((seen_mm - line[0]) @ np.array([-way[1], way[0]])).max() < BESIDE_FOUND_MM)


def _same(one: CutterFit, other: CutterFit) -> bool:
    """Whether two lines are one stick, or a stick and its shadow: nearly parallel and close all along."""
    way = (one.seen_mm[1] - one.seen_mm[0]) / np.linalg.norm(one.seen_mm[1] - one.seen_mm[0])
    normal = np.array([-way[1], way[0]])
    off = (other.seen_mm - one.seen_mm.mean(0)) @ normal
    return bool(np.abs(off).max() < 12.0 and np.abs(off.mean()) < 6.0)


def _one_of_each(found: Sequence[CutterFit]) -> list[CutterFit]:
    """The best explained lines, of each colour one, and what each is likely to be beside the others: one whose coloured
    end is hidden has the colour that none of the others has."""
    likely = [cutter for cutter in found if may_be(cutter)]  # the others would take a cutter's place
    best = _best_together(likely)
    chosen = _told_apart(best) if best else None
    if chosen is None:
        chosen, best = [], []
    others = [cutter for cutter in likely if not any(cutter is one for one in best)]
    for cutter in sorted(others, key=lambda c: -c.score * c.colours[0][1]):
        together = _told_apart([*chosen, cutter])
        if together is not None:
            chosen = together
    return chosen


def _best_together(cutters: Sequence[CutterFit]) -> list[CutterFit]:
    """Of lines that may be cutters those that are explained best together, each in a colour of its own: on a white mat
    many a line ends white, and would take the place of a stick whose end is hidden."""
    if not cutters:
        return []
    names = [name for name, _ in cutters[0].colours]
    ranked = sorted(cutters, key=lambda c: -certainty(c) * c.score)[:MOST_TOGETHER]
    colours = [dict(cutter.colours) for cutter in ranked]

    def explained(some: tuple[int, ...]) -> float:
        ways = permutations(names, len(some))
        differing = max(prod(colours[i][name] for i, name in zip(some, way, strict=True)) for way in ways)
        return sum(certainty(ranked[i]) * ranked[i].score for i in some) + log(max(differing, 1e-9))

    sets = (some for count in range(1, len(names) + 1) for some in combinations(range(len(ranked)), count))
    return [ranked[i] for i in max(sets, key=explained)]


def _told_apart(cutters: Sequence[CutterFit]) -> list[CutterFit] | None:
    """The cutters, each with its colours where no two have the same; None where hardly any two differ.

    A line that may be no cutter at all takes no colour from the others by as much.
    """
    names = sorted(name for name, _ in cutters[0].colours)
    if len(cutters) > len(names):
        return None
    sure = np.array([certainty(cutter) for cutter in cutters])[:, None]
    likely = np.array([[dict(cutter.colours)[name] for name in names] for cutter in cutters])
    ways = np.array(list(product(range(len(names) + 1), repeat=len(cutters))))  # The last: it is no cutter.
    apart = np.array([len({i for i in way if i < len(names)}) == int((way < len(names)).sum()) for way in ways])
    rows = np.arange(len(cutters))
    differing = np.where(apart & (ways < len(names)).all(1), np.hstack([likely, sure])[rows, ways].prod(1), 0.0)
    if differing.max() < LEAST_TOGETHER * likely.max(1).prod():
        return None
    together = np.where(apart, np.hstack([likely * sure, 1.0 - sure])[rows, ways].prod(1), 0.0)
    shares = np.array([[together[ways[:, row] == i].sum() for i in range(len(names))] for row in rows])
    shares = np.where(sure > 0.0, shares / np.maximum(shares.sum(1, keepdims=True), 1e-12), likely)
    # What is left over for a cutter that is partly hidden may as well be that of one that is wholly hidden.
    whole = np.array([c.open_mm >= WHOLE_SHARE * np.linalg.norm(c.seen_mm[1] - c.seen_mm[0]) for c in cutters])
    shares = np.where(whole[:, None], shares, np.minimum(shares, np.maximum(likely, NOT_SEEN)))
    return [
        replace(cutter, colours=tuple((names[i], float(row[i])) for i in np.argsort(-row, kind="stable")))
        for cutter, row in zip(cutters, shares, strict=True)
    ]


def may_be(cutter: CutterFit) -> bool:
    """Whether it is likely enough a cutter to be asked about."""
    return certainty(cutter) > LEAST_CERTAIN


def certainty(cutter: CutterFit) -> float:
    """How likely it is a cutter at all."""
    clear = max(float(np.log(max(cutter.edged, LEAST_EDGED) / CLEAR_EDGED)), 0.0)
    explained = (cutter.score + CLEAR_TELLS * clear - LEAST_SCORE) / (SURE_SCORE - LEAST_SCORE)
    unlike = (cutter.unlike - LEAST_UNLIKE) / (SURE_UNLIKE - LEAST_UNLIKE)
    shown = (cutter.open_mm - LEAST_OPEN_MM) / (WELL_OPEN_MM - LEAST_OPEN_MM)
    edged = (cutter.edged - LEAST_EDGED) / (SURE_EDGED - LEAST_EDGED)
    plain = cutter.edged / PLAINLY_EDGED * cutter.unlike / PLAINLY_UNLIKE
    likely = cutter.coloured * float(np.prod(np.clip([explained, unlike, shown, edged, plain], 0.0, 1.0)))
    return likely if cutter.open_mm >= SURE_OPEN_MM else min(likely, LIKELY)


LEAST_CERTAIN = 0.1
"""What is less likely a cutter is passed over: on 120 tables (seeds 740000 to 740119) one of some 260 was, but seven
printed lines."""
WELL_OPEN_MM, SURE_OPEN_MM = 110.0, 150.0
"""A line of which so much is open is likely a cutter, from the second on surely."""
