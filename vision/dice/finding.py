"""Dice in a picture: proposed by one small network, each looked at by another that says what its top shows.

Both are plain ONNX files beside this module, run by OpenCV; tests/rigs/dice_training trains them. The second sees each
die at one size and, where it is known how the table lies, as from straight above, so that the top is a square, its
pips are round, and the side of it that must show does so below. Where it is not known, the network says how the top is
stretched, and the next look undoes it; at last the top is looked at closely, square and upright, however it is seen.
What may be a die then, but is not read surely, is looked at once more where its top was found, in other colours.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.makes import Make, make_of
from vision.dice.patches import DIE_PX, UPRIGHT, Ground, Patch, Pyramid, laid_out, shown, stretched
from vision.dice.pips import SIDE_PX, SIZE, pip_fits
from vision.dice.proposing import Box, Proposal, propose
from vision.dice.recolouring import decorrelated, enriched
from vision.frame import Image

Array = NDArray[np.float64]
GroundAt = Callable[[Array], Ground]
"""How the table is seen at a pixel."""
Sift = Callable[[Sequence[Proposal]], Sequence[Proposal]]
"""Those of the proposals that are worth a look."""

VALUES = 6
GEOMETRY = 7
"""Place (2), logarithm of the size, stretch (2), cosine and sine of four times the turn of a top."""
MIRRORED = np.array([-1.0, 1.0, 1.0, 1.0, -1.0, 1.0, -1.0])
"""What becomes of these in a mirror."""
BATCH = 32
MOST = 160
"""So many proposals, the likeliest, are looked at if need be."""
AT_ONCE = 48
"""So many are looked at together, as long as there was a promising one among the last."""
PROMISING, PROMISING_UNTOLD = 0.25, 0.1
"""A proposal whose top is less likely a die's is not looked at again, where the second network is told how far a die
would lean, and where it is not. Of a hundred dice that are read hardly one is."""
LEAST = 0.5
"""A die whose value is less likely is not given out,"""
SOME_DIE = 0.9
"""unless it is so likely that there is one: then only its value cannot be told, which is a question, not a miss."""
SURELY_NONE = 1e-5
"""No look is surer than this that a face is not there."""
LOOKS = ((1.0, False), (0.9, True), (1.12, False))
"""Scales at which a promising place is looked at, and whether in a mirror; all together are one likelihood."""
CLOSE_PX = 30.0
"""Then its top is looked at by itself, laid square and upright, so wide."""
CLOSER = 2
"""So often, each time where the last look says that it lies; the last one counts."""
STILL = 0.06
"""But not again where no corner moved farther than this share of a side."""
DOUBTFUL = 0.97
"""A close look that is less sure is repeated in a mirror."""
MAY_SHOW, SURELY = 0.15, 0.9
"""A top that shows some value with the first likelihood, but none with the second, is looked at in other colours, its
middle in that of the look: from afar, in its own colours too, and closely, each time in a mirror as well. Where it is
told how far a die would lean it must be likely enough to be given out, or show a value plainly closely: there no die
was won by looking at others."""
LEAST_AGAIN_PX = 14.0
"""But no smaller top: pictures are mostly coded with colours at half their size, which does not hold its pips."""
MOST_STRETCH = 0.7
"""A top may be seen so much shorter one way than the other: half the logarithm."""
TURNED_WRONG = 0.35
"""So far, in radians, a close look may say that the top is turned otherwise than thought."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How much counts for there being nothing and for each value; fitted by tests/rigs/dice_training/fit_likelihoods.py
    on sources that the networks had not learned from."""

    none_by_network: float
    """The network's logarithm of how likely nothing is."""
    none_by_close: float
    """The same of a close look at the top."""
    none: float
    none_by_fit: float
    """How well the pips fit that fit best: less than nothing, as a rule."""
    value_by_network: float
    value_by_close: float
    value_by_fit: float
    """How well the pips fit; see WHICH_BY_FIT, too."""
    sure_odds: float
    """Where the logarithm of the network's odds is less, pips make no die sure: printed ones look the same. Where the
    network is told a lean, see `_needed`."""


TOLD = Counts(1.544, -0.003, 1.738, 2.018, 0.46, 0.342, 2.943, 3.6)
"""Where the network is told how far a die would lean. Of flat things on simulated tables (seeds below 41) 99 % had less
odds, by the reader of before, than are needed here to be sure."""
UNTOLD = Counts(1.683, -0.019, 1.409, 2.857, 0.421, 0.404, 2.482, 4.1)
"""Where it is not: no more of drawn clutter is sure than before there were looks in other colours. Both were fitted
with the reader as it was before it was taught on dice with dim pips, and pips were counted in all colours alike; fitted
anew, for today's too, fewer dice were read surely that it had not learned from, on photographs too."""
WHICH_BY_FIT, BEST_FIT = 3.5, 0.99
"""Which value a die shows is told by how likely its pips are, whatever they say about there being a die at all: by the
logarithm of what a pattern leaves unexplained (at least 1 %), as if a top had seven independent pixels. Plain pips tell
it under a lamp's arc, where the networks guess, and faint ones hardly do. Chosen on nellbyler's photographs."""
WHICH_BY_FIT_AGAIN = 5.0
"""The same where the top was looked at in other colours, too: it is laid square better, and other means over looks say
less. Fitted on drawn and path-traced dice (4.6 to 5.3)."""
BY_HESITATION, CLEAR_FIT = 2.0, 0.5
"""What hides a die's value, as a lamp's arc does, hides that it is one, too, while printed pips are plain to read. So
where looks from afar hesitate between values, but pips explain that much of the top, a value may be sure with so much
less odds for each nat that those leave open (the entropy of 1 to 6). A logistic regression on plain values in drawn
pictures, with dice and without (seeds from 820 000), has 2.2 and 2.8; the share was chosen on photographs. Not where
the network is told a lean: blurred flat prints make it hesitate there."""
CUT_OFF = 0.25
"""Nor for a top that is nearer to the picture's border than this share of its side: it may be the side of a die that is
cut off there."""
NOT_SURE, PRINTED = 0.89, 0.94
"""So likely a die is at most whose odds are too small to be sure; and, where the network is told how far a die would
lean, whose odds are less than MORE_ODDS beyond."""
MORE_ODDS = 1.4
BY_LEAN, UPRIGHT_ODDS, MOST_LEAN = 2.5, 0.6, 0.4
"""The more a die leans, the more of its side must show, and the less odds flat things have: so much less by lean, from
so much more than usual where nothing of a side shows, up to the lean from where on they have no less. Chosen on drawn
and simulated tables of prints (tuning seeds): more dice and fewer prints are sure than with the same odds for all."""
PLAIN_CLOSE, PLAIN_FIT, PLAIN_MARGIN = 0.85, 0.3, 0.05
"""To be sure, a close look must find a value so likely, and its pips must explain so much of the top, and so much more
than those of any other."""
LIKELY_CLOSE, GOOD_FIT, GOOD_MARGIN = 0.5, 0.4, 0.1
"""Or likelier than anything else, where its pips explain that much more: a lamp's arc confuses a close look more than
pips of another colour do. Chosen on nellbyler's photographs, with seeds of drawn pictures from 810 000 on."""
MORE_PIPS = 0.06
"""What 7 to 9 pips explain so much better shows no value: 0.15 and more on cubes with so many, none on dice; under a
lamp's arc 0.03 on some of nellbyler's."""
ALL_TOLD = 0.98
"""Or each likelier than anything else, nothing included, where together they make it so likely that it is this one, if
there is a die: so 15 drawn dice more were right, on tables and without, and none wrong (seeds from 820 000)."""
ALIKE = 1.2
"""Widths that differ by no more than this factor are alike."""
ALIKE_PROMISE, ALIKE_ODDS = 0.15, 2.0
"""What is as large as dice that were found is looked at as if it promised so much more; and, in pictures of which
nothing is known, its odds (their logarithm) on a die are so much greater."""
LEAST_ALIKE_PX = 14.0
"""Of smaller tops, whose pips hardly show, the latter does not hold: too much is as large as they."""
MAKE_ODDS, FAMILIAR = 2.5, 0.92
"""What is plainly read on a table and of one make with a die that is sure by itself (see `vision.dice.makes`) has so
much greater odds, less than the tables tell by which that was chosen (3.3), and is sure with no more than the second
likelihood; it vouches for no other."""
BEYOND, ASIDE = 1.25, 0.7
"""Not by one nearer than so many sides, as both halves of a domino are of one make; nor where a die leans farther: its
side looks as large as its top there."""
HALF_APART, HALF_ASKEW_DEG = (0.8, 1.25), 9.0
"""The halves of a domino lie so many sides apart, along a side of both, each turned as the other but for so much. What
has such a half beside it vouches for none, and none vouches for it: on drawn tables with other dominoes half of them
were dice by each other. Of dice of one make hardly any lie so."""
TOUCH = 0.3, 0.75
"""How far apart the middles of dice are that touch, as shares of the sum of their widths."""
BETWEEN, TWICE = 1.2, (1.1, 3.2)
"""Where dice touch, some may be proposed as one: nearer to the middle of a die that was found than the first, and as
large as the others, in widths of that die. Then as wide ones are looked for around it within what was proposed,"""
AROUND, WAYS = 0.95, 10
"""so far from its middle, in widths, in so many directions. Middles of dice that touch are 0.8 to 1.1 of it apart, and
a look sees a die whose middle it misses by 0.3."""
FROM_ABOVE = 0.85
"""Where nobody knows how the table lies, only beside tops no shorter one way than this share of the other: sides that
show there are shorter."""
ONE = 0.9
"""A first look that finds a die so likely found one."""
BESIDE = 0.6
"""Tops nearer to each other than this share of their mean side are the same die."""
LEAST_TOP_PX = 8.0
"""The pips of a smaller top cannot be counted."""


PHOTO_SHARES = (0.02, 0.16)
"""Widths of dice in photographs of which nothing is known, as shares of the photograph's longer side."""


@dataclass(frozen=True, slots=True)
class SeenDie:
    """A die's top face in a picture."""

    centre_px: tuple[float, float]
    """The middle of the top face."""
    corners_px: tuple[tuple[float, float], ...]
    """Its four corners."""
    likelihoods: tuple[float, ...]
    """How likely it shows 1, 2, ... 6; what is left to 1: no die's top, or none that can be read."""

    @property
    def value(self) -> int:
        """The likeliest value."""
        return int(np.argmax(self.likelihoods)) + 1

    @property
    def probability(self) -> float:
        """How likely that value is."""
        return max(self.likelihoods)


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured at a place where a die's top may be."""

    centre_px: Array
    corners_px: Array
    """4 x 2."""
    network: Array
    """The second network's logarithms of how likely nothing is, and 1 to 6: means over several looks."""
    close: Array
    """The same of a close look at the top."""
    fits: Array
    """How well the pips of 1 to 6 explain the top: see `pip_fits`."""
    lean: float | None
    """How far a die would lean there, as a share of its height, as the network was told; None: nobody knows."""
    more: float = 0.0
    """How well 7 to 9 pips explain it."""
    again: bool = False
    """Whether it was looked at in other colours, too."""
    cut_off: bool = False
    """Whether it is so near to the picture's border that a part of the die may lie outside."""

    @property
    def told(self) -> bool:
        """Whether the network was told how far a die would lean."""
        return self.lean is not None


def all_of_them(proposals: Sequence[Proposal]) -> Sequence[Proposal]:
    """Where nothing is known of what else lies there."""
    return proposals


def upright(_: Array) -> Ground:
    """Of a picture of which nothing is known."""
    return UPRIGHT


class DiceReader:
    """The two networks. Keeps nothing between pictures."""

    def __init__(self, proposer: bytes, reader: bytes, *, told: Counts = TOLD, untold: Counts = UNTOLD) -> None:
        """From the contents of two ONNX files, and what counts how much where the second is told how far a die would
        lean, and where it is not."""
        self._counts = {True: told, False: untold}
        self._proposer = cv2.dnn.readNetFromONNX(np.frombuffer(proposer, np.uint8), cv2.dnn.ENGINE_NEW)
        self._reader = cv2.dnn.readNetFromONNX(np.frombuffer(reader, np.uint8), cv2.dnn.ENGINE_NEW)

    def find(
        self,
        image: Image,
        sizes_px: tuple[float, float],
        *,
        ground_at: GroundAt = upright,
        within: Box | None = None,
        sift: Sift = all_of_them,
        least_promise: float = 0.0,
        known_px: Sequence[Array] = (),
    ) -> list[SeenDie]:
        """The dice in a picture, the surest first.

        `sizes_px`: how wide the smallest and the largest die may look, sides included. `within`: where alone to look. A
        die whose top is hidden, or is none of the six patterns, is none. `least_promise`: see `measure`. `known_px`:
        corners (4 x 2 each) of the tops of dice that are sure to lie elsewhere in the picture.
        """
        measured = self.measure(
            image, sizes_px, ground_at=ground_at, within=within, sift=sift, least_promise=least_promise
        )
        pyramid = Pyramid(image)
        dice = in_company(measured, [claimed(one, self._counts[one.told]) for one in measured], self._counts[False])
        dice = of_a_make(
            measured, dice, self._counts[True], lambda corners_px: make_of(pyramid, corners_px, ground_at), known_px
        )
        return _best([die for die in dice if die.probability >= LEAST or sum(die.likelihoods) >= SOME_DIE])

    def measure(
        self,
        image: Image,
        sizes_px: tuple[float, float],
        *,
        ground_at: GroundAt = upright,
        within: Box | None = None,
        sift: Sift = all_of_them,
        least_promise: float = 0.0,
    ) -> list[Measured]:
        """What is measured wherever a die may be, whatever it says; one die may be there several times. What promises
        less than `least_promise` is looked at only where it touches a die that was found."""
        proposals = sift(propose(self._proposer, image, sizes_px, within=within))
        rest = [p for p in proposals if p.promise >= least_promise]
        pyramid = Pyramid(image)
        promising: list[_Look] = []
        for looked in range(0, MOST, AT_ONCE):
            count = min(AT_ONCE, MOST - looked)
            looks, rest = [_look(p, ground_at) for p in rest[:count]], rest[count:]
            said = self._read([shown(pyramid.cut(look.centre, look.to_px), look.lean) for look in looks])
            found = _promising(looks, said)
            promising += found
            if not found or not rest:
                break
            rest = _alike_first(rest, [look for look in promising if look.strength > ONE])
        faint = [p for p in proposals if p.promise < least_promise]
        promising += self._beside(pyramid, faint, promising, ground_at)
        promising += self._touching(pyramid, proposals, promising, ground_at)
        return self._looked_again(pyramid, _apart(promising))

    def _beside(
        self, pyramid: Pyramid, faint: Sequence[Proposal], found: Sequence["_Look"], ground_at: GroundAt
    ) -> list["_Look"]:
        """What else is found right beside the dice that were found, where less was promised."""
        near = [p for p in faint if any(_touches(p, look) for look in found if look.strength > ONE)][:AT_ONCE]
        looks = [_look(p, ground_at) for p in near]
        said = self._read([shown(pyramid.cut(look.centre, look.to_px), look.lean) for look in looks])
        return _promising(looks, said)

    def _touching(
        self, pyramid: Pyramid, proposals: Sequence[Proposal], found: Sequence["_Look"], ground_at: GroundAt
    ) -> list["_Look"]:
        """What is found around dice that were found, where several dice seem to have been proposed as one. Where nobody
        knows how the table lies sides of dice would be, too (six more of epanemu's photographs), unless it is seen from
        above."""
        sure = _apart([look for look in found if look.strength > ONE and _from_above(look)])
        several = [p for p in proposals if not any(_is_one(p, look) for look in sure)]
        around = [p for look in sure for p in _places_around(look, [s for s in several if _may_be_some(s, look)])]
        free = [p for p in around if not any(_is_at(p, look.centre) for look in sure)]
        looks = [
            _look(p, ground_at)
            for i, p in enumerate(free)
            if not any(_is_at(p, np.array(other.centre_px)) for other in free[:i])
        ][:AT_ONCE]
        said = self._read([shown(pyramid.cut(look.centre, look.to_px), look.lean) for look in looks])
        new = _promising(looks, said)
        return [look for look in new if look.lean is not None or (look.strength > ONE and _from_above(look))]

    def _looked_again(self, pyramid: Pyramid, looks: Sequence["_Look"]) -> list[Measured]:
        patches = []
        for look in looks:
            for scale, mirrored in LOOKS:
                patch = shown(pyramid.cut(look.centre, look.to_px * scale), look.lean)
                patches.append(np.ascontiguousarray(patch[:, :, ::-1]) if mirrored else patch)
        said = self._read(patches)
        tops = [_top_of(look, said[i * len(LOOKS) : (i + 1) * len(LOOKS)]) for i, look in enumerate(looks)]
        network = [_logarithms(said[i * len(LOOKS) : (i + 1) * len(LOOKS)]) for i in range(len(looks))]
        tops, close = self._looked_closely(pyramid, tops)
        measured = [
            _measured(pyramid, top, (far, one), look.lean)
            for look, top, far, one in zip(looks, tops, network, close, strict=True)
        ]
        return [
            self._in_other_colours(pyramid, look, top, one) if self._is_doubtful(one) else one
            for look, top, one in zip(looks, tops, measured, strict=True)
        ]

    def _is_doubtful(self, one: Measured) -> bool:
        """Whether it may be a die, but no value is sure."""
        die = claimed(one, self._counts[one.told])
        least = LEAST if one.told and not _clear_face(one) else MAY_SHOW
        return least <= die.probability < SURELY and _side(die) >= LEAST_AGAIN_PX

    def _in_other_colours(self, pyramid: Pyramid, look: "_Look", top: "_Top", before: Measured) -> Measured:
        """What further looks say of a place, from afar and closely, and where the latter say that its top lies."""
        shrink = float(np.sqrt(abs(np.linalg.det(top.sides) / np.linalg.det(look.to_px)))) / (TOP_SHARE * DIE_PX)
        far = pyramid.cut(top.centre, look.to_px * shrink)
        near = pyramid.cut(top.centre, top.sides / CLOSE_PX)
        pieces = [shown(piece, look.lean) for piece in (far, enriched(far), decorrelated(far))]
        pieces += [shown(piece, None, close=True) for piece in (enriched(near), decorrelated(near))]
        said = self._read([way for piece in pieces for way in (piece, np.ascontiguousarray(piece[:, :, ::-1]))])
        said[1::2, VALUES + 1 :] *= MIRRORED
        afar, closely = said[:6], said[6:]
        close = (before.close + len(closely) * _logarithms(closely)) / (1 + len(closely))
        nearer = _closer(top, closely.mean(0))
        return replace(_measured(pyramid, nearer, (_logarithms(afar), close), look.lean), again=True)

    def _looked_closely(self, pyramid: Pyramid, tops: Sequence["_Top"]) -> tuple[list["_Top"], list[Array]]:
        """Where close looks say that tops lie, and what the last ones say of them."""
        kept, pieces, said = list(tops), [np.empty(0, np.float32)] * len(tops), [np.empty(0)] * len(tops)
        again = list(range(len(tops)))
        for _ in range(CLOSER):
            for i in again:
                pieces[i] = shown(pyramid.cut(kept[i].centre, kept[i].sides / CLOSE_PX), None, close=True)
            for i, one in zip(again, self._read([pieces[i] for i in again]), strict=True):
                said[i] = one
            nearer = {i: _closer(kept[i], said[i]) for i in again}
            again = [i for i in again if _moved(kept[i], nearer[i]) > STILL]
            kept = [nearer.get(i, top) for i, top in enumerate(kept)]
        return kept, self._mirrored_too(pieces, said)

    def _mirrored_too(self, pieces: Sequence[Patch], said: Sequence[Array]) -> list[Array]:
        """The logarithms that were said of close looks; of doubtful ones, means with what is said of them mirrored."""
        each = [one[None, : VALUES + 1] for one in said]
        doubtful = [i for i, one in enumerate(each) if one.max() < DOUBTFUL]
        mirrored = self._read([np.ascontiguousarray(pieces[i][:, :, ::-1]) for i in doubtful])
        for i, one in zip(doubtful, mirrored, strict=True):
            each[i] = np.vstack([each[i], one[: VALUES + 1]])
        return [_logarithms(rows) for rows in each]

    def _read(self, patches: Sequence[Patch]) -> Array:
        """What the second network says of each: likelihoods of nothing and of 1 to 6, then its geometry."""
        said = [np.empty((0, VALUES + 1 + GEOMETRY))]
        for start in range(0, len(patches), BATCH):
            self._reader.setInput(np.stack(patches[start : start + BATCH]))
            said.append(np.asarray(self._reader.forward(), np.float64))
        both = np.concatenate(said)
        logits = both[:, : VALUES + 1]
        odds = np.exp(logits - logits.max(1, keepdims=True))
        return np.column_stack([odds / odds.sum(1, keepdims=True), both[:, VALUES + 1 :]])


def any_sizes_px(image: Image) -> tuple[float, float]:
    """Widths that dice may have in a photograph of which nothing is known."""
    longer = max(image.shape[:2])
    return PHOTO_SHARES[0] * longer, PHOTO_SHARES[1] * longer


def load_reader() -> DiceReader:
    """The reader with the networks that come with the package."""
    here = files("vision.dice")
    return DiceReader((here / "proposer.onnx").read_bytes(), (here / "reader.onnx").read_bytes())


@dataclass(frozen=True, slots=True)
class _Look:
    """Where the second network looks."""

    centre: Array
    to_px: Array
    """2 x 2: a patch's pixels to picture pixels."""
    lean: float | None
    strength: float = 0.0


def _look(proposal: Proposal, ground_at: GroundAt) -> _Look:
    centre = np.array(proposal.centre_px)
    to_px, lean = laid_out(ground_at(centre))
    return _Look(centre, to_px * proposal.size_px / DIE_PX, lean)


def _alike_first(proposals: Sequence[Proposal], found: Sequence[_Look]) -> list[Proposal]:
    """The most promising first, those above all that are as large as dice that were found."""
    widths = np.array([_width(look) for look in found])

    def promise(one: Proposal) -> float:
        return one.promise + ALIKE_PROMISE * _alike(one.size_px, widths)

    return sorted(proposals, key=lambda one: -promise(one))


def _touches(one: Proposal, look: _Look) -> bool:
    """Whether a die might touch another one there, and is not that one."""
    apart = float(np.linalg.norm(np.array(one.centre_px) - look.centre)) / (one.size_px + _width(look))
    return TOUCH[0] < apart < TOUCH[1]


def _may_be_some(one: Proposal, look: _Look) -> bool:
    """Whether what is proposed may be several dice, of which this look found one."""
    width = _width(look)
    apart = float(np.linalg.norm(np.array(one.centre_px) - look.centre)) / width
    return apart < BETWEEN and TWICE[0] < one.size_px / width < TWICE[1]


def _is_one(one: Proposal, look: _Look) -> bool:
    """Whether what is proposed is the die that this look found."""
    return _is_at(one, look.centre) and _alike(one.size_px, np.array([_width(look)]))


def _from_above(look: _Look) -> bool:
    """Whether a die's sides cannot be mistaken for tops where this one was seen."""
    least, most = np.sort(np.linalg.svd(look.to_px, compute_uv=False))
    return look.lean is not None or bool(least > FROM_ABOVE * most)


def _places_around(look: _Look, several: Sequence[Proposal]) -> list[Proposal]:
    """Where dice would touch the one that this look found, within what was proposed that may be several."""
    turns = np.arange(WAYS) * 2 * np.pi / WAYS
    steps = AROUND * DIE_PX * np.column_stack([np.cos(turns), np.sin(turns)])
    places = [
        Proposal((float(x), float(y)), _width(look), look.strength) for x, y in look.centre + steps @ look.to_px.T
    ]
    return [place for place in places if any(_is_within(place, one) for one in several)]


def _is_within(place: Proposal, one: Proposal) -> bool:
    return float(np.hypot(*np.subtract(place.centre_px, one.centre_px))) < one.size_px / 2


def _is_at(one: Proposal, place: Array) -> bool:
    """Whether it has its middle there, or so near that a look at either sees the other."""
    return float(np.linalg.norm(np.array(one.centre_px) - place)) < 0.25 * one.size_px


def _width(look: _Look) -> float:
    """Of the silhouette that is looked at, in pixels."""
    return DIE_PX * float(np.sqrt(abs(np.linalg.det(look.to_px))))


def _alike(width: float, widths: Array) -> bool:
    """Whether one of these widths is about as large."""
    return bool((np.abs(np.log(widths / width)) < np.log(ALIKE)).any())


def _is_die(said: Array) -> float:
    return 1.0 - float(said[0])


def _promising(looks: Sequence[_Look], said: Array) -> list[_Look]:
    """Those of the looks at which a die may be, nearer to where its top is."""
    return [
        _recentred(look, one)
        for look, one in zip(looks, said, strict=True)
        if _is_die(one) > (PROMISING_UNTOLD if look.lean is None else PROMISING)
    ]


def _recentred(look: _Look, said: Array) -> _Look:
    """A little nearer to where the top turned out to lie, at the size that it turned out to have."""
    shift = np.clip(said[VALUES + 1 : VALUES + 3], -0.3, 0.3) * DIE_PX
    size = float(np.exp(np.clip(said[VALUES + 3] - np.log(TOP_SHARE), -0.25, 0.25)))
    square = _stretch(*said[VALUES + 4 : VALUES + 6]) if look.lean is None else np.eye(2)
    return _Look(look.centre + look.to_px @ shift * 0.6, look.to_px @ square * size, look.lean, _is_die(said))


def _stretch(along: float, across: float) -> Array:
    """A stretch as it was said, but no more than a top may have."""
    share = min(1.0, MOST_STRETCH / max(float(np.hypot(along, across)), 1e-9))
    return stretched(along * share, across * share)


TOP_SHARE = 0.8
"""A top's side is usually so wide, as a share of the silhouette."""


def _apart(looks: Sequence[_Look]) -> list[_Look]:
    """One look at each die."""
    kept: list[_Look] = []
    for look in sorted(looks, key=lambda look: -look.strength):
        if all(np.linalg.norm(look.centre - other.centre) > 0.25 * _width(look) for other in kept):
            kept.append(look)
    return kept


@dataclass(frozen=True, slots=True)
class _Top:
    """Where a top lies in the picture."""

    centre: Array
    sides: Array
    """2 x 2: its two sides as columns."""

    @property
    def corners(self) -> Array:
        """4 x 2."""
        return np.asarray(self.centre + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2 @ self.sides.T)


def _top_of(look: _Look, said: Array) -> _Top:
    """What several looks at one die say together of its top."""
    flip = np.array([-1.0 if mirrored else 1.0 for _, mirrored in LOOKS])
    scales = np.array([scale for scale, _ in LOOKS])
    dx, dy, size, along, across, cosine, sine = said[:, VALUES + 1 :].T
    shift = np.array([(dx * flip * scales).mean(), (dy * scales).mean()]) * DIE_PX
    side = DIE_PX * float(np.exp((size + np.log(scales)).mean()))
    turn = float(np.arctan2((sine * flip).mean(), cosine.mean())) / 4
    square = _stretch(float(along.mean()), float((across * flip).mean()))
    return _Top(look.centre + look.to_px @ shift, look.to_px @ square @ _rotation(turn) * side)


def _rotation(angle: float) -> Array:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def _closer(top: _Top, said: Array) -> _Top:
    """Where a close look says that the top lies."""
    dx, dy, size, along, across, cosine, sine = said[VALUES + 1 :]
    to_px = top.sides / CLOSE_PX
    shift = np.clip([dx, dy], -0.2, 0.2) * DIE_PX
    turn = float(np.clip(np.arctan2(sine, cosine) / 4, -TURNED_WRONG, TURNED_WRONG))
    side = DIE_PX * float(np.exp(np.clip(size, -0.3, 0.3)))
    return _Top(top.centre + to_px @ shift, to_px @ _stretch(float(along), float(across)) @ _rotation(turn) * side)


def _moved(before: _Top, after: _Top) -> float:
    """How far the corner that moved farthest has moved, as a share of a side."""
    moved = after.corners - before.corners
    return float(np.hypot(*moved.T).max() / np.sqrt(abs(np.linalg.det(before.sides))))


def _measured(pyramid: Pyramid, top: _Top, network: tuple[Array, Array], lean: float | None) -> Measured:
    """What several looks at one die say together, and the pips counted by geometry."""
    fits, more = pip_fits(pyramid.cut(top.centre, top.sides / SIDE_PX, SIZE))
    around = CUT_OFF * float(np.sqrt(abs(np.linalg.det(top.sides))))
    least, most = top.corners.min(0) - around, top.corners.max(0) + around
    cut_off = bool((least < 0).any() or (most > np.array(pyramid.levels[0].shape[1::-1]) - 1).any())
    return Measured(top.centre, top.corners, network[0], network[1], fits, lean, more=more, cut_off=cut_off)


def _logarithms(said: Array) -> Array:
    return np.asarray(np.log(np.maximum(said[:, : VALUES + 1], SURELY_NONE)).mean(0))


def claimed(one: Measured, counts: Counts, more_odds: float = 0.0, most: float = 1.0) -> SeenDie:
    """What is claimed of a measured place: a value is sure only where the odds on a die are great enough, and where all
    readings agree. `more_odds` (their logarithm) are those by which something else than the place itself makes it
    likelier that a die is there; it is no likelier than `most`."""
    shares = together(one, counts, more_odds)[1:]
    spared = 0.0 if one.told or one.cut_off else _spared(one, int(shares.argmax()))
    odds, needed = odds_of(one.network) + more_odds + spared, _needed(one.lean, counts)
    likeliest = NOT_SURE
    if most > NOT_SURE and odds >= needed and _plain(one, shares):
        likeliest = PRINTED if one.told and odds < needed + MORE_ODDS else 1.0
        shares = together(one, counts, more_odds + spared)[1:]
    shares *= min(1.0, min(likeliest, most) / shares.max())
    return SeenDie(
        (float(one.centre_px[0]), float(one.centre_px[1])),
        tuple((float(x), float(y)) for x, y in one.corners_px),
        tuple(float(share) for share in shares),
    )


def in_company(measured: Sequence[Measured], dice: Sequence[SeenDie], untold: Counts) -> list[SeenDie]:
    """The same claims, but that what is as large as a die that is sure is likelier a die, too, though never surely:
    dice that are thrown together are mostly of one make. Where the table is known nothing is added: prints on it may
    be as large."""
    sides = np.array([_side(die) for die in dice if die.probability > NOT_SURE])
    return [
        claimed(one, untold, ALIKE_ODDS, NOT_SURE)
        if not one.told and die.probability < NOT_SURE and _side(die) >= LEAST_ALIKE_PX and _alike(_side(die), sides)
        else die
        for one, die in zip(measured, dice, strict=True)
    ]


def of_a_make(
    measured: Sequence[Measured],
    dice: Sequence[SeenDie],
    told: Counts,
    make_at: Callable[[Array], Make],
    known_px: Sequence[Array] = (),
) -> list[SeenDie]:
    """The same claims, but that what is plain to read on a table, and of one make with a die that is sure by itself, is
    likelier a die, and may be sure: flat prints are seldom as large and coloured as dice that lie there. `make_at` says
    of which make a top with such corners is; `known_px` are those of further dice that are sure."""
    doubted = [
        number
        for number, (one, die) in enumerate(zip(measured, dice, strict=True))
        if one.lean is not None
        and one.lean < ASIDE
        and die.probability <= NOT_SURE
        and _side(die) >= LEAST_ALIKE_PX
        and _plain(one, together(one, told)[1:])
    ]
    found = list(dice)
    if not doubted:
        return found
    sure = [one.corners_px for one, die in zip(measured, dice, strict=True) if one.told and die.probability > FAMILIAR]
    tops = [one.corners_px for one in measured]
    alone = [corners for corners in (*sure, *known_px) if not _is_half(corners, tops, make_at)]
    makes = [(corners.mean(0), make_at(corners)) for corners in alone]
    for number in doubted:
        die, make = measured[number], make_at(measured[number].corners_px)
        beyond = BEYOND * _side(dice[number])
        of_one_make = any(np.linalg.norm(die.centre_px - at) > beyond and make.is_alike(other) for at, other in makes)
        if of_one_make and not _is_half(die.corners_px, tops, make_at):
            found[number] = claimed(die, told, MAKE_ODDS, FAMILIAR)
    return found


def _is_half(corners: Array, tops: Sequence[Array], make_at: Callable[[Array], Make]) -> bool:
    """Whether one of these tops of the same make lies beside one with such corners (4 x 2) as a domino's other half."""
    ways = np.array([corners[1] - corners[0], corners[3] - corners[0]])
    side, middle = float(np.sqrt(abs(np.linalg.det(ways)))), corners.mean(0)

    def lies_beside(top: Array) -> bool:
        apart = top.mean(0) - middle
        near = HALF_APART[0] < float(np.hypot(*apart)) / side < HALF_APART[1]
        return near and max(_askew_deg(way, ways) for way in (apart, top[1] - top[0])) < HALF_ASKEW_DEG

    beside = [top for top in tops if lies_beside(top)]
    return bool(beside) and any(make_at(corners).is_alike(make_at(top)) for top in beside)


def _askew_deg(way: Array, ways: Array) -> float:
    """How far a direction is turned from the nearest of two others, whichever way they point."""
    along = np.abs(ways @ way) / (np.linalg.norm(ways, axis=1) * np.linalg.norm(way))
    return float(np.degrees(np.arccos(min(along.max(), 1.0))))


def _needed(lean: float | None, counts: Counts) -> float:
    """The odds (their logarithm) that a die needs to be sure, where it would lean so far."""
    if lean is None:
        return counts.sure_odds
    return counts.sure_odds + UPRIGHT_ODDS - BY_LEAN * min(lean, MOST_LEAN)


def _spared(one: Measured, value: int) -> float:
    """How much less odds a value (0: a 1) needs to be sure where looks from afar hesitate, but its pips are clear."""
    return BY_HESITATION * hesitation(one.network) if one.fits[value] >= CLEAR_FIT else 0.0


def _plain(one: Measured, shares: Array) -> bool:
    """Whether looks from afar, a close look and the pips by themselves each show the likeliest value most, the last two
    plainly or all of them together."""
    value = int(shares.argmax())
    near, fit = float(np.exp(one.close[1 + value])), float(one.fits[value])
    margin = fit - float(np.delete(one.fits, value).max())
    agree = int(one.network[1:].argmax()) == int(one.close.argmax()) - 1 == value and fit >= PLAIN_FIT and margin > 0
    if one.more > fit + MORE_PIPS:
        return False
    plain = near >= PLAIN_CLOSE and margin >= PLAIN_MARGIN
    likely = near >= LIKELY_CLOSE and fit >= GOOD_FIT and margin >= GOOD_MARGIN
    return bool(agree and (plain or likely or shares[value] >= ALL_TOLD * shares.sum()))


def _clear_face(one: Measured) -> bool:
    """Whether a close look and the pips show one value plainly, whatever looks from afar say."""
    value = int(one.fits.argmax())
    return bool(one.close[1 + value] >= np.log(PLAIN_CLOSE) and one.fits[value] >= CLEAR_FIT)


def odds_of(network: Array) -> float:
    """The logarithm of the network's odds that a die is there."""
    return float(np.log(np.exp(network[1:]).sum()) - network[0])


def hesitation(network: Array) -> float:
    """How much the network leaves open which value it is, if there is a die: the entropy, in nats."""
    shares = np.exp(network[1:] - np.logaddexp.reduce(network[1:]))
    return float(-(shares * np.log(np.maximum(shares, 1e-12))).sum())


def together(one: Measured, counts: Counts, more_odds: float = 0.0) -> Array:
    """Likelihoods of nothing and of 1 to 6, by the network's logarithms of them and the fits of 1 to 6 pips."""
    none = counts.none_by_network * one.network[0] + counts.none_by_close * one.close[0] - more_odds
    none += counts.none + counts.none_by_fit * one.fits.max()
    value = counts.value_by_network * one.network[1:] + counts.value_by_close * one.close[1:]
    some = value + counts.value_by_fit * one.fits
    by_fit = WHICH_BY_FIT_AGAIN if one.again else WHICH_BY_FIT
    which = value - by_fit * np.log(1.0 - np.minimum(one.fits, BEST_FIT))
    said = np.append(none, which + np.logaddexp.reduce(some) - np.logaddexp.reduce(which))
    shares = np.exp(said - said.max())
    return np.asarray(shares / shares.sum())


def _best(dice: Sequence[SeenDie]) -> list[SeenDie]:
    """Each die once: the surest of those that overlap."""
    kept: list[SeenDie] = []
    for die in sorted(dice, key=lambda die: -die.probability):
        if _side(die) >= LEAST_TOP_PX and not any(_same(die, other) for other in kept):
            kept.append(die)
    return kept


def _same(die: SeenDie, other: SeenDie) -> bool:
    """Whether two tops are the same die: nearly in one place, or one's middle within the other, as its pips are."""
    apart = np.linalg.norm(np.array(die.centre_px) - other.centre_px)
    within = cv2.pointPolygonTest(np.array(other.corners_px, np.float32), die.centre_px, False) > 0
    return bool(apart <= BESIDE * (_side(die) + _side(other)) / 2 or within)


def _side(die: SeenDie) -> float:
    return float(np.sqrt(cv2.contourArea(np.array(die.corners_px, np.float32))))
