"""Where pieces may lie: keypoints that look like an enrolled face's vote for that face's pose."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.faces import KindFaces
from vision.features import Keypoints
from vision.shapes import angle_between, place

Array = NDArray[np.float64]

MATCHES_PER_KEYPOINT = 3
FARTHEST_HAMMING = 72
BIN_MM = 14.0
BIN_DEG = 24.0
FIT_MM = 3.5
"""How far a keypoint may lie from where a pose has it and still speak for that pose."""
LEAST_VOTES = 4


@dataclass(frozen=True, slots=True)
class Guess:
    """A pose that keypoints of one face vote for."""

    pose: Array
    """x, y, degrees, as seen at z = 0."""
    face: int
    votes: float


@dataclass(frozen=True, slots=True)
class Matches:
    """Which keypoints of a picture look like which enrolled ones."""

    seen: NDArray[np.intp]
    enrolled: NDArray[np.intp]
    distance: NDArray[np.float64]


def match(seen: Keypoints, faces: KindFaces) -> Matches:
    """The nearest enrolled keypoints of each keypoint."""
    if not len(seen) or not len(faces.keypoints):
        nothing = np.zeros(0, np.intp)
        return Matches(nothing, nothing, np.zeros(0))
    matcher = cv2.BFMatcher(cv2.NORM_HAMMING)
    found = matcher.knnMatch(seen.descriptors, faces.keypoints.descriptors, k=MATCHES_PER_KEYPOINT)
    rows = np.array([(m.queryIdx, m.trainIdx, m.distance) for some in found for m in some])
    rows = rows[rows[:, 2] <= FARTHEST_HAMMING]
    return Matches(rows[:, 0].astype(np.intp), rows[:, 1].astype(np.intp), rows[:, 2])


def guess_poses(seen: Keypoints, matches: Matches, faces: KindFaces, most: int) -> list[Guess]:
    """Poses with enough votes, most votes first."""
    if not len(matches.seen):
        return []
    centre = faces.shape.centre
    own = faces.keypoints.points_mm[matches.enrolled]
    where = seen.points_mm[matches.seen]
    turn = (seen.angles_deg[matches.seen] - faces.keypoints.angles_deg[matches.enrolled]) % 360.0
    rotate = np.radians(turn)
    arm = centre - own
    voted = where + np.column_stack(
        [arm[:, 0] * np.cos(rotate) - arm[:, 1] * np.sin(rotate), arm[:, 0] * np.sin(rotate) + arm[:, 1] * np.cos(rotate)]
    )
    owner = faces.owners[matches.enrolled]
    groups = _clusters(voted, turn, owner)[:most]
    guesses = [g for group in groups if (g := _fit(group, own, where, turn, voted, owner, centre)) is not None]
    return sorted(guesses, key=lambda guess: -guess.votes)


def _clusters(voted: Array, turn: Array, owner: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Votes of one face that fall close together, largest first; two grids, so that no edge cuts every cluster."""
    groups: list[NDArray[np.intp]] = []
    turns = int(round(360.0 / BIN_DEG))
    for shift in (0.0, 0.5):
        cell = np.floor(voted / BIN_MM + shift).astype(np.int64) + 1000
        bent = np.floor(turn / BIN_DEG + shift).astype(np.int64) % turns
        key = ((owner * turns + bent) * 4000 + cell[:, 0]) * 4000 + cell[:, 1]
        order = np.argsort(key, kind="stable")
        starts = np.flatnonzero(np.diff(key[order], prepend=-1))
        ends = np.append(starts[1:], len(order))
        large = np.flatnonzero(ends - starts >= LEAST_VOTES)
        groups += [order[starts[i] : ends[i]] for i in large]
    return sorted(groups, key=lambda group: -len(group))


def _fit(
    group: NDArray[np.intp], own: Array, where: Array, turn: Array, voted: Array, owner: NDArray[np.intp], centre: Array
) -> Guess | None:
    middle = np.median(voted[group], axis=0)
    bend = turn[group[0]] + float(np.median(angle_between(turn[group], turn[group[0]])))
    near = (owner == owner[group[0]]) & (np.abs(voted - middle).max(1) < 1.5 * BIN_MM)
    chosen = np.flatnonzero(near)
    chosen = chosen[np.abs(angle_between(turn[chosen], bend)) < 1.5 * BIN_DEG]
    mine, there = own[chosen], where[chosen]
    pose = _pose_with_centre(centre, middle, bend)
    for reach in (10.0, 5.0, FIT_MM):
        misses = np.linalg.norm(place(mine, pose) - there, axis=1)
        good = misses < reach
        if good.sum() < 3:
            return None
        pose = rigid_fit(mine[good], there[good], centre)
    misses = np.linalg.norm(place(mine, pose) - there, axis=1)
    good = misses < FIT_MM
    votes = len(np.unique(np.round(there[good] / 2.0), axis=0)) if good.any() else 0
    return Guess(pose, int(owner[group[0]]), float(votes)) if votes >= LEAST_VOTES - 1 else None


def rigid_fit(own: Array, where: Array, centre: Array) -> Array:
    """The pose that brings own-frame points closest to table points."""
    mean_own, mean_where = own.mean(0), where.mean(0)
    mine, there = own - mean_own, where - mean_where
    along = (mine * there).sum()
    across = (mine[:, 0] * there[:, 1] - mine[:, 1] * there[:, 0]).sum()
    angle = np.degrees(np.arctan2(across, along))
    return _pose_with_centre(mean_own, mean_where, angle)


def _pose_with_centre(own_point: Array, table_point: Array, angle_deg: float) -> Array:
    turned = place(own_point[None], np.array([0.0, 0.0, angle_deg]))[0]
    return np.array([*(table_point - turned), angle_deg])
