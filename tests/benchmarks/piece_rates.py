"""Rates of pieces read right, doubted, missed and claimed wrongly, by kind, with what they may be at most."""

import math
from collections.abc import Sequence

import cv2
import numpy as np

from hardware.simulated.lying import outline_mm
from vision.reports.compared import LEAST_VISIBLE, PhotoReport
from vision.reports.rates import wilson
from vision.scene import SURE, PieceKind, Pose, Scene, Sighting

BESIDE_MM = 15.0


def rates(photos: Sequence[PhotoReport]) -> list[str]:
    """Lines for each kind of piece: of what shows at least by half, and of what shows less or not at all."""
    return [line for kind in PieceKind for line in _of_kind(kind, photos)]


def at_most(count: int, tries: int) -> float:
    """The rate that what was seen `count` times in so many tries exceeds with 5 % at most.

    The upper limit of a Poisson mean: 3 in all tries where nothing was seen (the rule of three).
    """
    low, high = 0.0, 3.0 + 3.0 * count + 10.0
    for _ in range(60):
        mean = (low + high) / 2
        chance = math.exp(-mean) * sum(mean**k / math.factorial(k) for k in range(count + 1))
        low, high = (mean, high) if chance > 0.05 else (low, mean)
    return min(1.0, high / tries) if tries else 1.0


def share_hidden(kind: PieceKind, pose: Pose, scene: Scene) -> float:
    """How much of a piece that lies there is in places of which the scene says nothing, 0 to 1."""
    outline = np.array(outline_mm(kind, pose))
    corner = outline.min(0) - 1.0
    width, height = np.ceil(outline.max(0) - corner + 2.0).astype(int)
    own, hidden = np.zeros((height, width), np.uint8), np.zeros((height, width), np.uint8)
    cv2.fillPoly(own, [np.round(outline - corner).astype(np.int32)], (1,))
    for place in scene.hidden:
        cv2.fillPoly(hidden, [np.round(np.array(place.outline_mm) - corner).astype(np.int32)], (1,))
    return float(np.count_nonzero(own & hidden)) / max(1, int(np.count_nonzero(own)))


def _is_elsewhere(sighting: Sighting, photo: PhotoReport) -> bool:
    """Whether this is a piece that lies not quite there: it counts as missed, and as claimed of nothing."""
    return any(
        piece.kind is sighting.kind
        and piece.face == sighting.face
        and math.dist((piece.pose.x_mm, piece.pose.y_mm), (sighting.pose.x_mm, sighting.pose.y_mm)) < BESIDE_MM
        for piece in photo.missing
    )


def _of_kind(kind: PieceKind, photos: Sequence[PhotoReport]) -> list[str]:
    matches = [match for photo in photos for match in photo.matches if match.truth.kind is kind]
    shown = [match for match in matches if match.truth.visible >= LEAST_VISIBLE]
    hardly = [match for match in matches if match.truth.visible < LEAST_VISIBLE]
    missing = [piece.visible for photo in photos for piece in photo.missing if piece.kind is kind]
    missed = sum(visible >= LEAST_VISIBLE for visible in missing)
    extra = [sighting.probability for photo in photos for sighting in photo.extra if sighting.kind is kind]
    misplaced = sum(
        _is_elsewhere(sighting, photo) for photo in photos for sighting in photo.extra if sighting.kind is kind
    )
    count = len(shown) + missed
    if not count and not extra:
        return []
    right = sum(match.right for match in shown)
    doubted = sum(match.right and match.sighting.probability < SURE for match in shown)
    other = [match.sighting.probability for match in matches if not match.right]
    sure_other, sure_nothing = (sum(likely >= SURE for likely in some) for some in (other, extra))
    low, high = wilson(right, count)
    sure = sum(match.sighting.probability >= SURE for match in matches) + sure_nothing
    hidden = len(hardly) + len(missing) - missed
    return [
        f"{kind.value:11} {right} of {count} right, {100 * right / max(count, 1):.2f} % ({100 * low:.2f} to "
        f"{100 * high:.2f}), {doubted} of them doubted; {missed} missed; another face: {len(other) - sure_other} "
        f"doubted, {sure_other} sure; of nothing: {len(extra) - sure_nothing} doubted, {sure_nothing} sure "
        f"({misplaced} beside a missed piece with that face)",
        f"{'':11} sure but wrong {sure_other + sure_nothing} of {sure} sure claims, at most "
        f"{100 * at_most(sure_other + sure_nothing, sure):.3f} %; mostly hidden {hidden}, of which "
        f"{sum(match.sighting.probability >= SURE for match in hardly)} claimed as sure, "
        f"{sum(match.sighting.probability < SURE for match in hardly)} doubted",
    ]
