"""Whether a die is in somebody's hand: a small network looks at what lies around it, seen from above.

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
SHOWN_MM = 128.0
"""So much of the table that is."""
FINE = 2
"""So many places of the picture are looked up for one of its pixels, each way."""
NEAR_MM = 14.0
"""What it is taught: a hand is around a die where it is so near to it."""


class HandsAround:
    """The network. Keeps nothing between pictures."""

    def __init__(self, network: bytes) -> None:
        """From the contents of an ONNX file."""
        self._net = cv2.dnn.readNetFromONNX(np.frombuffer(network, np.uint8), cv2.dnn.ENGINE_NEW)

    def likelihoods(self, image: Image, registration: Registration, dice: Sequence[Sighting]) -> Array:
        """How likely each of these dice is in a hand, 0 to 1."""
        if not dice:
            return np.empty(0)
        self._net.setInput(np.stack([shown(image, registration, die) for die in dice]))
        logits = np.asarray(self._net.forward(), np.float64)[:, 0]
        return np.asarray(1.0 / (1.0 + np.exp(-logits)))


def load_hands_around() -> HandsAround:
    """The network that comes with the package."""
    return HandsAround((files("vision.dice") / "holding.onnx").read_bytes())


def shown(image: Image, registration: Registration, die: Sighting) -> NDArray[np.float32]:
    """What the network takes of a die (4 x PX x PX): the table around it, and where the die itself is seen."""
    foot = np.array(die.outline_mm)
    side = float(np.linalg.norm(foot[1] - foot[0]))
    hull = cv2.convexHull(np.vstack([foot, registration.seen_from_table(foot, side)]).astype(np.float32))[:, 0]
    middle = (hull.min(0) + hull.max(0)) / 2
    wide = PX * FINE
    corners = np.array([[-1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]]) * SHOWN_MM / 2
    to_patch = np.array([[0, 0], [wide, 0], [wide, wide], [0, wide]], np.float32) - 0.5
    warp = cv2.getPerspectiveTransform(registration.to_picture(middle + corners).astype(np.float32), to_patch)
    seen = cv2.warpPerspective(image, warp, (wide, wide), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    own = np.zeros((wide, wide), np.uint8)
    at = (hull - middle) * np.array([1.0, -1.0]) / SHOWN_MM * wide + (wide - 1) / 2
    cv2.fillConvexPoly(own, np.round(at * 16).astype(np.int32), (255,), cv2.LINE_AA, 4)
    small = cv2.resize(np.dstack([seen, own]), (PX, PX), interpolation=cv2.INTER_AREA).astype(np.float32)
    values = np.concatenate([small[..., :3] / 127.5 - 1.0, small[..., 3:] / 255.0], axis=2)
    return np.ascontiguousarray(values.transpose(2, 0, 1), np.float32)
