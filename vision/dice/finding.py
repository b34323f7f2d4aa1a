"""Dice in a picture: proposed by one small network, each looked at by another that says what its top shows.

Both are plain ONNX files beside this module, run by OpenCV; tests/rigs/dice_training trains them. The second sees each
die at one size and, where it is known how the table lies, as from straight above, so that the top is a square, its
pips are round, and the side of it that must show does so below.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.patches import DIE_PX, UPRIGHT, Ground, Patch, Pyramid, laid_out, shown
from vision.dice.pips import SIDE_PX, SIZE, pip_fits
from vision.dice.proposing import Box, Proposal, propose
from vision.frame import Image

Array = NDArray[np.float64]
GroundAt = Callable[[Array], Ground]
"""How the table is seen at a pixel."""
Sift = Callable[[Sequence[Proposal]], Sequence[Proposal]]
"""Those of the proposals that are worth a look."""

VALUES = 6
BATCH = 32
MOST = 72
"""So many proposals, the likeliest, are looked at if need be."""
AT_ONCE = 24
"""So many are looked at together, as long as there was a promising one among the last."""
PROMISING = 0.25
"""A proposal whose top is less likely a die's is not looked at again. Of a hundred dice that are read hardly one is."""
LEAST = 0.5
"""A die whose value is less likely is not given out."""
SURELY_NONE = 1e-5
"""No look is surer than this that a face is not there."""
LOOKS = ((1.0, False), (0.9, True), (1.1, False))
"""Scales at which a promising place is looked at, and whether in a mirror; all together are one likelihood."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How much counts for there being nothing and for each value; fitted by tests/rigs/dice_training/fit_likelihoods.py
    on sources that the networks had not learned from."""

    none_by_network: float
    """The network's logarithm of how likely nothing is."""
    none: float
    none_by_fit: float
    """How well the pips fit that fit best: less than nothing, as a rule."""
    value_by_network: float
    value_by_fit: float
    """How well the pips fit."""


TOLD = Counts(1.32, 1.89, 6.192, 0.61, 7.081)
"""Where the network is told how far a die would lean."""
AT_MOST = ((3.4, 0.89), (5.0, 0.94))
"""Where the network is told how far a die would lean and the logarithm of its odds is less than the first number, pips
make a die no surer than the second: printed ones look the same. Of flat things measured on drawn tables 97 % have less
than about 3.6."""
UNTOLD = Counts(1.317, 1.578, 6.849, 0.632, 6.337)
BESIDE = 0.6
"""Tops nearer to each other than this share of their mean side are the same die: one's pip, say, taken for another."""


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
    fits: Array
    """How well the pips of 1 to 6 explain the top: see `pip_fits`."""
    told: bool
    """Whether the network was told how far a die would lean."""


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
        least: float = LEAST,
    ) -> list[SeenDie]:
        """The dice in a picture, the surest first.

        `sizes_px`: how wide the smallest and the largest die may look, sides included. `within`: where alone to look. A
        die whose top is hidden, or is none of the six patterns, is none.
        """
        measured = self.measure(image, sizes_px, ground_at=ground_at, within=within, sift=sift)
        dice = [_seen(one, self._counts[one.told]) for one in measured]
        return _best([die for die in dice if die.probability >= least])

    def measure(
        self,
        image: Image,
        sizes_px: tuple[float, float],
        *,
        ground_at: GroundAt = upright,
        within: Box | None = None,
        sift: Sift = all_of_them,
    ) -> list[Measured]:
        """What is measured wherever a die may be, whatever it says; one die may be there several times."""
        proposals = sift(propose(self._proposer, image, sizes_px, within=within))[:MOST]
        pyramid = Pyramid(image)
        promising: list[_Look] = []
        for start in range(0, len(proposals), AT_ONCE):
            looks = [_look(p, ground_at) for p in proposals[start : start + AT_ONCE]]
            said = self._read([shown(pyramid.cut(look.centre, look.to_px), look.lean) for look in looks])
            found = [_recentred(look, one) for look, one in zip(looks, said, strict=True) if _is_die(one) > PROMISING]
            promising += found
            if not found:
                break
        return self._looked_again(pyramid, _apart(promising))

    def _looked_again(self, pyramid: Pyramid, looks: Sequence["_Look"]) -> list[Measured]:
        patches = []
        for look in looks:
            for scale, mirrored in LOOKS:
                patch = shown(pyramid.cut(look.centre, look.to_px * scale), look.lean)
                patches.append(np.ascontiguousarray(patch[:, :, ::-1]) if mirrored else patch)
        said = self._read(patches)
        return [_measured(pyramid, look, said[i * len(LOOKS) : (i + 1) * len(LOOKS)]) for i, look in enumerate(looks)]

    def _read(self, patches: Sequence[Patch]) -> Array:
        """What the second network says of each: likelihoods of nothing and of 1 to 6, then its geometry."""
        said = [np.empty((0, 12))]
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


def _is_die(said: Array) -> float:
    return 1.0 - float(said[0])


def _recentred(look: _Look, said: Array) -> _Look:
    """A little nearer to where the top turned out to lie, at the size that it turned out to have."""
    shift = np.clip(said[VALUES + 1 : VALUES + 3], -0.3, 0.3) * DIE_PX
    size = float(np.exp(np.clip(said[VALUES + 3] - np.log(TOP_SHARE), -0.25, 0.25)))
    return _Look(look.centre + look.to_px @ shift * 0.6, look.to_px * size, look.lean, _is_die(said))


TOP_SHARE = 0.8
"""A top's side is usually so wide, as a share of the silhouette."""


def _apart(looks: Sequence[_Look]) -> list[_Look]:
    """One look at each die."""
    kept: list[_Look] = []
    for look in sorted(looks, key=lambda look: -look.strength):
        width = DIE_PX * np.sqrt(abs(np.linalg.det(look.to_px)))
        if all(np.linalg.norm(look.centre - other.centre) > 0.25 * width for other in kept):
            kept.append(look)
    return kept


def _measured(pyramid: Pyramid, look: _Look, said: Array) -> Measured:
    """What several looks at one die say together, and the pips counted by geometry."""
    flip = np.array([-1.0 if mirrored else 1.0 for _, mirrored in LOOKS])
    scales = np.array([scale for scale, _ in LOOKS])
    dx, dy, size, cosine, sine = said[:, VALUES + 1 :].T
    shift = np.array([(dx * flip * scales).mean(), (dy * scales).mean()]) * DIE_PX
    side = DIE_PX * float(np.exp((size + np.log(scales)).mean()))
    turn = float(np.arctan2((sine * flip).mean(), cosine.mean())) / 4
    along = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) * side
    centre = look.centre + look.to_px @ shift
    top = look.to_px @ along
    corners = centre + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2 @ top.T
    network = np.log(np.maximum(said[:, : VALUES + 1], SURELY_NONE)).mean(0)
    fits = pip_fits(pyramid.cut(centre, top / SIDE_PX, SIZE))
    return Measured(centre, corners, network, fits, look.lean is not None)


def _seen(one: Measured, counts: Counts) -> SeenDie:
    shares = together(one.network, one.fits, counts)[1:]
    if one.told:
        odds = _odds(one.network)
        most = min((most for below, most in AT_MOST if odds < below), default=1.0)
        shares *= min(1.0, most / shares.max())
    return SeenDie(
        (float(one.centre_px[0]), float(one.centre_px[1])),
        tuple((float(x), float(y)) for x, y in one.corners_px),
        tuple(float(share) for share in shares),
    )


def _odds(network: Array) -> float:
    """The logarithm of the network's odds that a die is there."""
    return float(np.log(np.exp(network[1:]).sum()) - network[0])


def together(network: Array, fits: Array, counts: Counts) -> Array:
    """Likelihoods of nothing and of 1 to 6, by the network's logarithms of them and the fits of 1 to 6 pips."""
    none = counts.none_by_network * network[0] + counts.none + counts.none_by_fit * fits.max()
    said = np.append(none, counts.value_by_network * network[1:] + counts.value_by_fit * fits)
    shares = np.exp(said - said.max())
    return np.asarray(shares / shares.sum())


def _best(dice: Sequence[SeenDie]) -> list[SeenDie]:
    """Each die once: the surest of those that overlap."""
    kept: list[SeenDie] = []
    for die in sorted(dice, key=lambda die: -die.probability):
        here = np.array(die.centre_px)
        if all(np.linalg.norm(here - other.centre_px) > BESIDE * (_side(die) + _side(other)) / 2 for other in kept):
            kept.append(die)
    return kept


def _side(die: SeenDie) -> float:
    return float(np.sqrt(cv2.contourArea(np.array(die.corners_px, np.float32))))
