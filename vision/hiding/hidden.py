"""Places that a picture says nothing about: under hands, under things that are no pieces; dice in somebody's hand."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import cv2
import numpy as np

from vision.frame import Image
from vision.hiding.cells import (
    BESIDE_MM,
    CELL_MM,
    Array,
    CoarseMap,
    disc,
    grown,
    large_parts,
    opened,
    square,
    without_any,
)
from vision.hiding.foreign import SeenTable
from vision.hiding.plain_table import LEAST_AROUND, colours_of, rare_on
from vision.masks import Mask
from vision.pieces.faces import MAT_HALF_MM
from vision.scene import HiddenCause, HiddenPlace, PieceKind, Point, Sighting
from vision.shapes import as_points

LEANS = 0.2
"""And a die so much of its side further: its top is seen shifted."""
HELD_WITHIN_MM = 14.0
HELD_SHARE = 0.35
"""A die is held where so much of what is around it is foreign."""
IN_HAND, MAYBE_IN_HAND = 0.8, 0.6
"""A die that is in a hand so likely is not read, and one that is so likely in one is doubted: by what the network says
of its picture, and by how much of what is around it looks unlike mat and table."""
BY_UNLIKE, USUALLY_UNLIKE, MOST_UNLIKE = 11.0, 0.25, 0.4
"""The logarithm of the odds grows so much by that share, from the share at which it says nothing to the one from which
on it says no more: fingers leave more than half of what is around a die free. Fitted with the network's odds to
simulated tables and hands (logistic regression; tuning seeds)."""
ASKED = 0.15
"""What is less likely in a hand is not, whatever is around it."""
HAND_MM2, MOST_OF_SMALL = 5000.0, 0.15
"""What looks unlike the table and is smaller than a child's hand (8 x 6 cm) is none: a shadow, another piece, grain.
So much of it counts at most, as it may be the part of a hand that looks unlike the table."""
WITHIN_MM = 10.0
"""What is narrower is no part of a hand, but grain or an edge."""
REST_MM = 60.0
"""So far from a die the rest of the table begins."""
DOUBTFUL = 0.89
"""A die that may be in a hand is at most so likely what it seems."""
NEAR_HAND_MM = 25.0
"""What lies on a sheet no farther from a hand is part of it."""
NO_PRINT = 0.94
"""On a print that nobody enrolled only what is surer than this is surely a die, and not printed there."""
NOBODY_SAYS: Mapping[int, float] = MappingProxyType({})


def hidden_places(
    foreign: Mask,
    coarse: CoarseMap,
    *,
    cause: HiddenCause | None = None,
    things: Mask | None = None,
    goes_on: Callable[[Mask], bool] | None = None,
) -> tuple[HiddenPlace, ...]:
    """A mask of what is foreign, as outlines. What `goes_on` (`SeenTable.goes_on`; else what reaches the mat's or the
    picture's edge) is a hand; `things` (255 there) on a piece are none, unless they lie near one: what of a hand lies
    on a sheet's rim is not known."""
    hands = np.zeros_like(foreign)
    places = []
    for outline, part in _parts(foreign, coarse):
        reaches = goes_on(part) if goes_on is not None else bool((part & coarse.border).any())
        what = cause or (HiddenCause.HAND if reaches else HiddenCause.FOREIGN)
        places.append(HiddenPlace(outline, what))
        if what is HiddenCause.HAND:
            hands |= part
    if things is not None and things.any():
        near_hands = np.asarray(cv2.dilate(hands, disc(2 * NEAR_HAND_MM)), np.uint8)
        for outline, part in _parts(things & ~foreign, coarse):
            what = HiddenCause.HAND if (part & near_hands).any() else HiddenCause.FOREIGN
            places.append(HiddenPlace(outline, what))
    return tuple(places)


def _parts(mask: Mask, coarse: CoarseMap) -> Iterator[tuple[tuple[Point, ...], Mask]]:
    """The parts of a mask, a little wider: the outline of each on the table, and its cells (255)."""
    grown = cv2.dilate(mask, disc(2 * CELL_MM))
    contours, _ = cv2.findContours(grown, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    for contour in contours:
        outline = cv2.approxPolyDP(contour, 0.8, True).reshape(-1, 2).astype(np.float64)
        if len(outline) < 3:
            continue
        part = np.zeros_like(mask)
        cv2.drawContours(part, [contour], -1, 255, -1)
        yield as_points(coarse.to_table(outline)[::-1]), part


def told_by_form(
    pieces: Sequence[Sighting],
    foreign: Mask,
    coarse: CoarseMap,
    in_hand: Mapping[int, float] = NOBODY_SAYS,
    soft: Image | None = None,
) -> tuple[tuple[Sighting, ...], Mask]:
    """Of pieces told by their form those that lie there, and what is foreign but for them.

    A die in somebody's fingers shows nothing until it is thrown. `in_hand`: how likely a piece is in a hand by what is
    seen around it, by the identity of its sighting. Wood may look like skin there: what is around it must look unlike
    the mat and, in `soft`, the table seen from above, unlike the rest of the table. Of what nobody says that about
    it is enough that something foreign goes on around it, and is no other die; so may what is there be a print on
    another print, which is doubted, or, where it is no likely die either, left out.
    """
    asked = [piece for piece in pieces if in_hand.get(id(piece), 0.0) >= ASKED]
    if not pieces or not (foreign.any() or asked):
        return tuple(pieces), foreign
    others = [np.array(piece.outline_mm) for piece in pieces if piece.kind is not PieceKind.DIE]
    strange = _without(foreign, [grown(outline, BESIDE_MM, coarse) for outline in others])
    dice = [piece for piece in pieces if piece.kind is PieceKind.DIE]
    own = {id(die): grown(np.array(die.outline_mm), _beside_mm(die), coarse) for die in dice}
    between = without_any(strange, list(own.values()))
    unlike = _unlike_around(asked, strange, [*own.values(), coarse.polygons(others)], coarse, soft)
    said = {die: _weighed(share, unlike.get(die)) for die, share in in_hand.items()}
    each = list(own.values())
    printed = {id(die) for die in dice if _may_be_printed(die, between, each, coarse)}
    held = {id(die) for die in dice if _in_hand(die, said.get(id(die)), between, each, coarse)}
    held |= {id(die) for die in dice if id(die) in printed and die.probability <= DOUBTFUL}
    unsure = {die for die, share in said.items() if share >= MAYBE_IN_HAND} | printed
    lying = tuple(doubted(piece) if id(piece) in unsure else piece for piece in pieces if id(piece) not in held)
    left = _without(strange, [own[id(die)] for die in dice if id(die) not in held])
    return lying, np.maximum.reduce([left, *(own[die] for die in held)])


def doubted_in_hands(
    dice: Sequence[Sighting], in_hand: Mapping[int, float], coarse: CoarseMap, soft: Image
) -> tuple[Sighting, ...]:
    """The same dice, those doubted that may be in somebody's hand, where nothing else is looked for: see
    `told_by_form`. Pieces that nobody looked for are foreign."""
    asked = [die for die in dice if in_hand[id(die)] >= ASKED]
    foreign = SeenTable(soft, coarse, (), {}).foreign(dice_as_seen(dice))
    own = [grown(np.array(die.outline_mm), _beside_mm(die), coarse) for die in dice]
    unlike = _unlike_around(asked, foreign, own, coarse, soft)
    said = (_weighed(in_hand[id(die)], unlike.get(id(die))) for die in dice)
    return tuple(doubted(die) if share >= MAYBE_IN_HAND else die for die, share in zip(dice, said, strict=True))


def over_pieces(pieces: Sequence[Sighting], kind: PieceKind, coarse: CoarseMap) -> Mask:
    """255 where something that is no piece lies over pieces of this kind or reaches for them: no dice beside them."""
    over = coarse.polygons([np.array(one) for piece in pieces if piece.kind is kind for one in piece.covering_mm])
    dice = [piece for piece in pieces if piece.kind is PieceKind.DIE]
    return _without(over, [grown(np.array(die.outline_mm), _beside_mm(die), coarse) for die in dice])


def _unlike_around(
    asked: Sequence[Sighting], strange: Mask, pieces: Sequence[Mask], coarse: CoarseMap, soft: Image | None
) -> dict[int, float]:
    """Of each of these dice the share of what is around it, but for `pieces`, that looks unlike mat and table: what is
    strange on the mat, what has rare colours beyond it; by the identity of its sighting. A hand is large."""
    if not asked:
        return {}
    covered = np.maximum.reduce([np.zeros_like(strange), *pieces]) > 0
    mat = coarse.polygons([square(0.0, 0.0, MAT_HALF_MM)]) > 0
    unlike, told = (strange > 0) & mat, mat.copy()
    if soft is not None:
        beyond = (coarse.seen > 0) & (coarse.polygons([square(0.0, 0.0, MAT_HALF_MM + BESIDE_MM)]) == 0)
        feet = coarse.polygons([np.array(die.outline_mm) for die in asked])
        far = cv2.distanceTransform(255 - feet, cv2.DIST_L2, cv2.DIST_MASK_5) * CELL_MM > REST_MM
        rare = rare_on(colours_of(coarse.shrink(soft)), beyond & far & (strange == 0) & ~covered, beyond)
        if rare is not None:
            unlike[beyond] = rare
            told |= beyond
    told &= (coarse.seen > 0) & ~covered
    thick = cv2.morphologyEx((unlike | covered).astype(np.uint8), cv2.MORPH_OPEN, disc(WITHIN_MM))
    _, parts = cv2.connectedComponents(thick, connectivity=4)
    large = np.bincount(parts[unlike & ~covered], minlength=parts.max() + 1) * CELL_MM**2 >= HAND_MM2
    found = {}
    for die in asked:
        around = told & (grown(np.array(die.outline_mm), _beside_mm(die) + HELD_WITHIN_MM - BESIDE_MM, coarse) > 0)
        if around.sum() >= LEAST_AROUND:
            share = float(unlike[around].mean())
            hand = large[parts[around & (parts > 0)]].any()
            found[id(die)] = share if hand else min(share, MOST_OF_SMALL)
    return found


def _weighed(share: float, unlike: float | None) -> float:
    """How likely a die is in a hand, that is so likely in one by its picture, where so much around it looks unlike mat
    and table."""
    if unlike is None:
        return share
    more = BY_UNLIKE * (min(unlike, MOST_UNLIKE) - USUALLY_UNLIKE)
    return share / (share + (1.0 - share) * float(np.exp(-more)))


def doubted(die: Sighting) -> Sighting:
    """The same die, never surely what it seems."""
    if die.probability <= DOUBTFUL:
        return die
    less = DOUBTFUL / die.probability
    return replace(die, faces=tuple(replace(one, probability=round(one.probability * less, 4)) for one in die.faces))


def dice_as_seen(pieces: Sequence[Sighting]) -> list[Array]:
    """Outlines (4 x 2) that hold the dice among some pieces also where their tops are seen."""
    feet = [np.array(piece.outline_mm) for piece in pieces if piece.kind is PieceKind.DIE]
    return [foot.mean(0) + (1.0 + 2.0 * LEANS) * (foot - foot.mean(0)) for foot in feet]


def _beside_mm(die: Sighting) -> float:
    """How far beside its foot a die is seen."""
    side = float(np.linalg.norm(np.subtract(die.outline_mm[0], die.outline_mm[1])))
    return BESIDE_MM + LEANS * side


def _without(foreign: Mask, pieces: Sequence[Mask]) -> Mask:
    """What is foreign but for these pieces, and what stands out beside them."""
    return large_parts(opened(without_any(foreign, pieces))) if pieces else foreign


def _in_hand(die: Sighting, said: float | None, foreign: Mask, dice: Sequence[Mask], coarse: CoarseMap) -> bool:
    """Whether a die is in somebody's hand: by how likely it is, or if nobody says that by what is foreign around it."""
    return _is_held(die, foreign, dice, coarse) if said is None else said >= IN_HAND


def _may_be_printed(die: Sighting, foreign: Mask, dice: Sequence[Mask], coarse: CoarseMap) -> bool:
    """Whether a die may be a part of a print that nobody enrolled, on the mat."""
    on_mat = foreign & coarse.polygons([square(0.0, 0.0, MAT_HALF_MM)])
    return die.probability <= NO_PRINT and _is_held(die, on_mat, dice, coarse)


def _is_held(die: Sighting, foreign: Mask, dice: Sequence[Mask], coarse: CoarseMap) -> bool:
    """Whether foreign things go on around a die, `dice` (where each of them is seen) left aside."""
    within = _beside_mm(die) + HELD_WITHIN_MM - BESIDE_MM
    around = without_any(grown(np.array(die.outline_mm), within, coarse), dice) > 0
    return bool(around.any()) and float((foreign[around] > 0).mean()) > HELD_SHARE
