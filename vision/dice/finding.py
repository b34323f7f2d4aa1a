"""Dice in a picture: proposed by one small network, each looked at by another that says what its top shows.

Both are plain ONNX files beside this module, run by OpenCV; tests/rigs/dice_training trains them. The second sees each
die at one size and, where it is known how the table lies, as from straight above, so that the top is a square and its
pips are round.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.patches import DIE_PX, Patch, Pyramid, normalised
from vision.dice.pips import SIDE_PX, SIZE, pip_fits
from vision.dice.proposing import Proposal, propose
from vision.frame import Image

Array = NDArray[np.float64]
Steps = Callable[[Array], Array]
"""The table's plane as it is seen at a place of the picture: 2 x 2, columns are a step to the right and a step away
from the viewer, in pixels, of any length."""

VALUES = 6
BATCH = 32
MOST = 64
"""So many proposals, the likeliest, are looked at."""
PROMISING = 0.05
"""A proposal whose top is less likely a die's is not looked at again."""
LEAST = 0.7
"""A die whose value is less likely is not given out: what is less likely was often none, on tables held aside."""
SURELY_NONE = 1e-5
"""No look is surer than this that a face is not there."""
LOOKS = ((1.0, False), (1.0, True), (0.88, False), (1.13, True))
"""Scales at which a promising place is looked at, and whether in a mirror; all together are one likelihood."""
DIE_SLOPE, DIE_FROM = 0.93, -0.69
"""From the network's log odds of a die to those that are true."""
FIT_SLOPE, FIT_FROM = 10.6, 0.233
"""How the fit of the pips decides whether there are any."""
VALUE_BY_NETWORK, VALUE_BY_FIT = 0.65, 8.3
"""How much either counts for which value it is. All six numbers are fitted on sources that the networks had not learned
from."""
BESIDE = 0.6
"""Tops nearer to each other than this share of a side are the same die."""


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


def upright(_: Array) -> Array:
    """The plane of a picture of which nothing is known: taken from above, or with what stands on the table upright."""
    return np.array([[1.0, 0.0], [0.0, -1.0]])


class DiceReader:
    """The two networks. Keeps nothing between pictures."""

    def __init__(self, proposer: bytes, reader: bytes) -> None:
        """From the contents of two ONNX files."""
        self._proposer = cv2.dnn.readNetFromONNX(np.frombuffer(proposer, np.uint8), cv2.dnn.ENGINE_NEW)
        self._reader = cv2.dnn.readNetFromONNX(np.frombuffer(reader, np.uint8), cv2.dnn.ENGINE_NEW)

    def find(
        self, image: Image, sizes_px: tuple[float, float], *, steps: Steps = upright, least: float = LEAST
    ) -> list[SeenDie]:
        """The dice in a picture, the surest first.

        `sizes_px`: how wide the smallest and the largest die may look, sides included. A die whose top is hidden, or is
        none of the six patterns, is none.
        """
        proposals = propose(self._proposer, image, sizes_px)[:MOST]
        pyramid = Pyramid(image)
        looks = [_look(p, steps) for p in proposals]
        said = self._read([normalised(pyramid.cut(look.centre, look.to_px)) for look in looks])
        promising = [_recentred(look, one) for look, one in zip(looks, said, strict=True) if _is_die(one) > PROMISING]
        dice = self._looked_again(pyramid, _apart(promising))
        return _best([die for die in dice if die.probability >= least])

    def _looked_again(self, pyramid: Pyramid, looks: Sequence["_Look"]) -> list[SeenDie]:
        patches = []
        for look in looks:
            for scale, mirrored in LOOKS:
                patch = normalised(pyramid.cut(look.centre, look.to_px * scale))
                patches.append(np.ascontiguousarray(patch[:, :, ::-1]) if mirrored else patch)
        said = self._read(patches)
        return [_together(pyramid, look, said[i * len(LOOKS) : (i + 1) * len(LOOKS)]) for i, look in enumerate(looks)]

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
    strength: float = 0.0


def _look(proposal: Proposal, steps: Steps) -> _Look:
    centre = np.array(proposal.centre_px)
    plane = steps(centre)
    plane = plane / np.sqrt(abs(np.linalg.det(plane))) @ np.diag([1.0, -1.0])
    return _Look(centre, plane * proposal.size_px / DIE_PX)


def _is_die(said: Array) -> float:
    return 1.0 - float(said[0])


def _recentred(look: _Look, said: Array) -> _Look:
    """A little nearer to where the top turned out to lie, at the size that it turned out to have."""
    shift = np.clip(said[VALUES + 1 : VALUES + 3], -0.3, 0.3) * DIE_PX
    size = float(np.exp(np.clip(said[VALUES + 3] - np.log(TOP_SHARE), -0.25, 0.25)))
    return _Look(look.centre + look.to_px @ shift * 0.6, look.to_px * size, _is_die(said))


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


def _together(pyramid: Pyramid, look: _Look, said: Array) -> SeenDie:
    """What several looks at one die, and the pips counted by geometry, say together."""
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
    shares = np.log(np.maximum(said[:, : VALUES + 1], SURELY_NONE)).mean(0)
    likelihoods = together(shares, pip_fits(pyramid.cut(centre, top / SIDE_PX, SIZE)))
    return SeenDie(
        (float(centre[0]), float(centre[1])),
        tuple((float(x), float(y)) for x, y in corners),
        tuple(float(share) for share in likelihoods[1:]),
    )


def together(network: Array, fits: Array) -> Array:
    """Likelihoods of nothing and of 1 to 6, by the network's logarithms of them and the fits of 1 to 6 pips."""
    odds = np.log(np.exp(network[1:]).sum()) - network[0]
    values = np.exp(VALUE_BY_NETWORK * network[1:] + VALUE_BY_FIT * fits)
    shares = values / values.sum() * _sigmoid(FIT_SLOPE * (fits - FIT_FROM)) * _sigmoid(DIE_SLOPE * (odds - DIE_FROM))
    return np.append(1.0 - shares.sum(), shares)


def _sigmoid(odds: Array) -> Array:
    return np.asarray(1.0 / (1.0 + np.exp(-odds)))


def _best(dice: Sequence[SeenDie]) -> list[SeenDie]:
    """Each die once: the surest of those that overlap."""
    kept: list[SeenDie] = []
    for die in sorted(dice, key=lambda die: -die.probability):
        here = np.array(die.centre_px)
        if all(np.linalg.norm(here - other.centre_px) > BESIDE * min(_side(die), _side(other)) for other in kept):
            kept.append(die)
    return kept


def _side(die: SeenDie) -> float:
    return float(np.sqrt(cv2.contourArea(np.array(die.corners_px, np.float32))))
