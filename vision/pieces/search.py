"""Where pieces may lie: keypoints that look like an enrolled face's vote for that face's pose."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.pieces.faces import KindFaces
from vision.pieces.features import Keypoints
from vision.scene import PieceKind
from vision.shapes import angle_between, place

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

WORDS = 128
"""Enrolled keypoints are kept in this many heaps of like ones; a keypoint is compared with `HEAPS` of them."""
HEAPS = 5
NEAREST = 2
FARTHEST_HAMMING = 72
BIN_MM = 14.0
BIN_DEG = 24.0
FIT_MM = 3.5
"""How far a keypoint may lie from where a pose has it and still speak for that pose."""
LEAST_VOTES = 4
SAME_MM = 5.0
SAME_DEG = 8.0


@dataclass(frozen=True, slots=True)
class Guesses:
    """Poses that keypoints vote for, most votes first."""

    poses: Array
    """n x 3: x, y, degrees, as seen at z = 0."""
    faces: Indices
    """n: the face each is a guess of."""
    votes: Array
    """n."""


@dataclass(frozen=True, slots=True)
class Matches:
    """Which keypoints of a picture look like which enrolled ones."""

    seen: Indices
    enrolled: Indices


@dataclass(frozen=True, slots=True)
class Index:
    """The enrolled keypoints of all kinds, like ones together."""

    keypoints: Keypoints
    owners: Indices
    kinds: tuple[PieceKind, ...]
    kind_of: Indices
    """Index into `kinds` for each keypoint."""
    words: NDArray[np.uint8]
    starts: Indices
    """Where the heap of each word starts, and where the last one ends."""


def build_index(faces: Mapping[PieceKind, KindFaces]) -> Index:
    """Sort all enrolled keypoints into heaps."""
    kinds = tuple(faces)
    parts = [faces[kind].keypoints for kind in kinds]
    joined = Keypoints(
        np.concatenate([np.zeros((0, 2)), *(p.points_mm for p in parts)]),
        np.concatenate([np.zeros(0), *(p.angles_deg for p in parts)]),
        np.concatenate([np.zeros((0, 32), np.uint8), *(p.descriptors for p in parts)]),
        np.concatenate([np.zeros(0), *(p.strength for p in parts)]),
    )
    words = _words(joined.descriptors)
    heap_of = _nearest(joined.descriptors, words, 1)[1].ravel() if len(joined) else np.zeros(0, np.intp)
    by_heap = np.argsort(heap_of, kind="stable")
    owners = np.concatenate([np.zeros(0, np.intp), *(faces[kind].owners for kind in kinds)])
    kind_of = np.repeat(np.arange(len(kinds)), np.array([len(p) for p in parts], np.intp))
    starts = np.searchsorted(heap_of[by_heap], np.arange(len(words) + 1))
    return Index(joined.pick(by_heap), owners[by_heap], kinds, kind_of[by_heap], words, starts)


def match(seen: Keypoints, index: Index) -> Matches:
    """The nearest enrolled keypoints of each keypoint."""
    nothing = np.zeros(0, np.intp)
    if not len(seen) or not len(index.keypoints):
        return Matches(nothing, nothing)
    heaps = min(HEAPS, len(index.words))
    nearest = _nearest(seen.descriptors, index.words, heaps)[1].ravel()
    by_word = np.argsort(nearest, kind="stable")
    asks, words = by_word // heaps, np.arange(len(index.words) + 1)
    ends = np.searchsorted(nearest[by_word], words).tolist()
    asking, among, starts = seen.descriptors[asks], index.keypoints.descriptors, index.starts.tolist()
    distance, found = np.full((len(asks), NEAREST), FARTHEST_HAMMING + 1), np.zeros((len(asks), NEAREST), np.intp)
    for (first, end), (start, stop) in zip(pairwise(ends), pairwise(starts), strict=True):
        if first < end and start < stop:
            near, which = _nearest(asking[first:end], among[start:stop], NEAREST)
            distance[first:end, : near.shape[1]] = near
            found[first:end, : near.shape[1]] = which + start
    row, column = np.nonzero(distance <= FARTHEST_HAMMING)
    return Matches(asks[row], found[row, column])


def guess_poses(
    seen: Keypoints, matches: Matches, index: Index, centres: Mapping[PieceKind, Array], most: int
) -> dict[PieceKind, Guesses]:
    """Poses of each kind of the index, whose centres lie there (in a piece's own frame), with enough votes: no two
    alike, and no more than `most` of a kind."""
    enrolled = matches.enrolled
    kind_of, owner = index.kind_of[enrolled], index.owners[enrolled]
    own = index.keypoints.points_mm[enrolled]
    where = seen.points_mm[matches.seen]
    turn = (seen.angles_deg[matches.seen] - index.keypoints.angles_deg[enrolled]) % 360.0
    middles = np.array([centres[kind] for kind in index.kinds]).reshape(-1, 2)
    arm = middles[kind_of] - own
    angle = np.radians(turn)
    cosine, sine = np.cos(angle), np.sin(angle)
    voted = where + np.column_stack([arm[:, 0] * cosine - arm[:, 1] * sine, arm[:, 0] * sine + arm[:, 1] * cosine])
    members, groups = _clusters(voted, turn, owner * len(middles) + kind_of)
    if not len(groups):
        return {kind: Guesses(np.zeros((0, 3)), np.zeros(0, np.intp), np.zeros(0)) for kind in index.kinds}
    fitted, heading, votes = _fitted(-arm[members], where[members], voted[members], turn[members], groups)
    face, kinds = np.zeros((2, len(votes)), np.intp)
    face[groups], kinds[groups] = owner[members], kind_of[members]
    tips = fitted + _turned(-middles[kinds].T, np.cos(heading), np.sin(heading))
    poses = np.column_stack([tips.T, np.degrees(heading)])
    order = np.argsort(-votes, kind="stable")
    order = order[votes[order] >= LEAST_VOTES]
    guesses = {}
    for number, kind in enumerate(index.kinds):
        mine = order[kinds[order] == number]
        kept = mine[_distinct(poses[mine], middles[number], most)]
        guesses[kind] = Guesses(poses[kept], face[kept], votes[kept])
    return guesses


def _nearest(
    asking: NDArray[np.uint8], among: NDArray[np.uint8], count: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    count = min(count, len(among))
    distance, found = cv2.batchDistance(asking, among, cv2.CV_32S, None, None, cv2.NORM_HAMMING, count, None, 0, False)
    return np.asarray(distance, np.int32), np.asarray(found, np.int32)


def _words(descriptors: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Typical descriptors: bitwise majorities, a few rounds."""
    words = descriptors[:: max(len(descriptors) // WORDS, 1)][:WORDS].copy()
    bits = np.unpackbits(descriptors, axis=1)
    for _ in range(4):
        nearest = _nearest(descriptors, words, 1)[1].ravel() if len(descriptors) else np.zeros(0, np.intp)
        for word in range(len(words)):
            mine = bits[nearest == word]
            if len(mine):
                words[word] = np.packbits(mine.mean(axis=0) > 0.5)
    return words


def _clusters(voted: Array, turn: Array, owner: Indices) -> tuple[Indices, Indices]:
    """Votes of one face that fall close together: their indices, and the number of the cluster of each.

    Two grids, half a bin apart, so that no cluster is cut by both.
    """
    members: list[Indices] = []
    numbers: list[Indices] = []
    count = 0
    turns = round(360.0 / BIN_DEG)
    for shift in (0.0, 0.5):
        cell = np.floor(voted / BIN_MM + shift).astype(np.int64) + 1000
        bent = np.floor(turn / BIN_DEG + shift).astype(np.int64) % turns
        key = ((owner * turns + bent) * 4000 + cell[:, 0]) * 4000 + cell[:, 1]
        order = np.argsort(key, kind="stable")
        starts = np.flatnonzero(np.diff(key[order], prepend=-1))
        sizes = np.diff(np.append(starts, len(order)))
        large = sizes >= LEAST_VOTES
        members.append(order[np.repeat(large, sizes)])
        numbers.append(np.repeat(np.arange(np.count_nonzero(large)) + count, sizes[large]))
        count += int(np.count_nonzero(large))
    return np.concatenate(members), np.concatenate(numbers)


def _fitted(offset: Array, where: Array, voted: Array, turn: Array, groups: Indices) -> tuple[Array, Array, Array]:
    """For each cluster the place (2 x clusters) of the piece's centre and the heading (radians) that fit most of its
    members, and how many do. `offset` is where each member is beside that centre in the piece's own frame."""
    count = int(groups.max()) + 1
    weights = np.ones(len(groups))
    angles = np.radians(turn)
    heading = np.arctan2(_sums(groups, np.sin(angles), count), _sums(groups, np.cos(angles), count))
    sums = np.maximum(_sums(groups, weights, count), 1e-9)
    # Coordinates by themselves: numpy is slow along an axis as short as a point's.
    offset, there = np.ascontiguousarray(offset.T), np.ascontiguousarray(where.T)
    middles = np.stack([_sums(groups, along, count) / sums for along in voted.T])
    misses: Array = np.zeros(len(groups))
    for reach in (10.0, 6.0, 3.0, 2.0):
        cosine, sine = np.cos(heading).take(groups), np.sin(heading).take(groups)
        away = middles.take(groups, 1) + _turned(offset, cosine, sine) - there
        misses = np.sqrt(away[0] * away[0] + away[1] * away[1])
        weights = 1.0 / (1.0 + (misses / reach) ** 2) ** 2
        heading, middles = _rigid(offset, there, weights, groups, count)
    good = misses < FIT_MM
    return middles, heading, _different_places(where, good, groups, count)


def _rigid(offset: Array, where: Array, weights: Array, groups: Indices, count: int) -> tuple[Array, Array]:
    """Weighted least squares for every cluster at once (2 x n each): heading (radians) and where the centre goes
    (2 x clusters)."""
    total = np.maximum(_sums(groups, weights, count), 1e-9)
    mean_own = np.stack([_sums(groups, weights * along, count) / total for along in offset])
    mean_where = np.stack([_sums(groups, weights * along, count) / total for along in where])
    mine, there = offset - mean_own.take(groups, 1), where - mean_where.take(groups, 1)
    along = _sums(groups, weights * (mine[0] * there[0] + mine[1] * there[1]), count)
    across = _sums(groups, weights * (mine[0] * there[1] - mine[1] * there[0]), count)
    heading = np.arctan2(across, along)
    return heading, mean_where - _turned(mean_own, np.cos(heading), np.sin(heading))


def _turned(points: Array, cosine: Array, sine: Array) -> Array:
    """Points (2 x n) turned by angles of these cosines and sines (n)."""
    return np.stack([cosine * points[0] - sine * points[1], sine * points[0] + cosine * points[1]])


def _sums(groups: Indices, values: Array, count: int) -> Array:
    return np.asarray(np.bincount(groups, values, minlength=count), np.float64)


def _different_places(where: Array, good: NDArray[np.bool_], groups: Indices, count: int) -> Array:
    """How many different points of the table speak for each cluster."""
    spot = np.round(where[good] / 2.0).astype(np.int64) + 2000
    keys = np.unique((groups[good] * 5000 + spot[:, 0]) * 5000 + spot[:, 1])
    return np.bincount(keys // 25_000_000, minlength=count).astype(np.float64)


def _distinct(poses: Array, centre: Array, most: int) -> Indices:
    """The first of each bunch of like poses."""
    centres = place(centre[None], poses)[:, 0] if len(poses) else np.zeros((0, 2))
    left = np.ones(len(poses), bool)
    kept: list[int] = []
    for i in range(len(poses)):
        if not left[i]:
            continue
        kept.append(i)
        if len(kept) == most:
            break
        near = np.abs(centres[i:] - centres[i]).max(1) < SAME_MM
        near &= np.abs(angle_between(poses[i:, 2], poses[i, 2])) < SAME_DEG
        left[i:][near] = False
    return np.array(kept, np.intp)
