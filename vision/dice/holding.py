"""Whether a die is in somebody's hand: a small network looks at what lies around it, seen from above, from near and
from far enough to see the whole hand.

A plain ONNX file beside this module, run by OpenCV; tests/rigs/dice_training/hands.py trains it.
"""

from collections.abc import Sequence
from importlib.resources import files

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.mat.registration import Registration
from vision.scene import Sighting

Array = NDArray[np.float64]

PX = 64
"""Width and height of what the network is shown, in its pixels."""
NEAR_MM, WIDE_MM = 128.0, 320.0
"""So much of the table that is, from near and from far: a hand is 170 mm long."""
FINE = 2
"""So many places of the picture, from far of one half as large, are looked up for one of its pixels, each way."""
CHANNELS = 5
"""Of each look: colours, where the die itself is seen, where other dice are."""
OUTSIDE = 127
"""The level that is shown beyond the picture's edge."""
AROUND_MM = 14.0
"""What it is taught: a hand is around a die where it is so near to it."""

_SQUARE = np.array([[-1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])


class HandsAround:
    """The network. Keeps nothing between pictures."""

    def __init__(self, network: bytes) -> None:
        """From the contents of an ONNX file."""
        self._net = cv2.dnn.readNetFromONNX(np.frombuffer(network, np.uint8), cv2.dnn.ENGINE_NEW)

    def likelihoods(self, image: Image, registration: Registration, dice: Sequence[Sighting]) -> Array:
        """How likely each of these dice is in a hand, 0 to 1."""
        if not dice:
            return np.empty(0)
        self._net.setInput(shown(image, registration, dice))
        logits = np.asarray(self._net.forward(), np.float64)[:, 0]
        return np.asarray(1.0 / (1.0 + np.exp(-logits)))


def load_hands_around() -> HandsAround:
    """The network that comes with the package."""
    return HandsAround((files("vision.dice") / "holding.onnx").read_bytes())


def shown(image: Image, registration: Registration, dice: Sequence[Sighting]) -> NDArray[np.float32]:
    """What the network takes of each of these dice (2 CHANNELS x PX x PX): the table around it, where the die itself
    is seen, and where the others are, from near and from far."""
    hulls = [_silhouette(registration, die) for die in dice]
    half = np.asarray(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
    looks = [
        _look(seen, scale, registration, hulls, number, wide)
        for number in range(len(dice))
        for seen, scale, wide in ((image, 1.0, NEAR_MM), (half, 0.5, WIDE_MM))
    ]
    values = np.stack(looks).reshape(len(dice), 2, PX, PX, CHANNELS).transpose(0, 1, 4, 2, 3).astype(np.float32)
    values[:, :, :3] = values[:, :, :3] / 127.5 - 1.0
    values[:, :, 3:] /= 255.0
    return np.ascontiguousarray(values.reshape(len(dice), 2 * CHANNELS, PX, PX))


def _silhouette(registration: Registration, die: Sighting) -> Array:
    """Where a die seems to lie on the table (n x 2, mm)."""
    foot = np.array(die.outline_mm)
    side = float(np.linalg.norm(foot[1] - foot[0]))
    both = np.vstack([foot, registration.seen_from_table(foot, side)])
    return np.asarray(cv2.convexHull(both.astype(np.float32))[:, 0], np.float64)


def _look(
    image: Image, scale: float, registration: Registration, hulls: Sequence[Array], number: int, shown_mm: float
) -> Image:
    """So much of the table around one of the dice with these silhouettes, in a picture of such a scale (PX x PX x
    CHANNELS)."""
    middle = (hulls[number].min(0) + hulls[number].max(0)) / 2
    wide = PX * FINE
    corners = registration.to_picture(middle + _SQUARE * shown_mm / 2)
    in_image = ((corners + 0.5) * scale - 0.5).astype(np.float32)
    to_patch = np.array([[0, 0], [wide, 0], [wide, wide], [0, wide]], np.float32) - 0.5
    seen = cv2.warpPerspective(
        image,
        cv2.getPerspectiveTransform(in_image, to_patch),
        (wide, wide),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=(OUTSIDE,) * 3,
    )
    own, others = np.zeros((wide, wide), np.uint8), np.zeros((wide, wide), np.uint8)
    for other, hull in enumerate(hulls):
        at = (hull - middle) * np.array([1.0, -1.0]) / shown_mm * wide + (wide - 1) / 2
        mask = own if other == number else others
        cv2.fillConvexPoly(mask, np.round(at * 16).astype(np.int32), (255,), cv2.LINE_AA, 4)
    return np.dstack([shrunk(part) for part in (np.asarray(seen, np.uint8), own, others)])


def shrunk(look: Image) -> Image:
    """A look as small as the network takes it."""
    return np.asarray(cv2.resize(look, (PX, PX), interpolation=cv2.INTER_AREA), np.uint8)
