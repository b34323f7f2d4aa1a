"""Whether enrolled faces can be told apart: by what was learned of them, and on altered copies of the photos."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.pieces.faces import BACKS, FacePack, KindFaces
from vision.pieces.prepared import Prepared, prepare
from vision.pieces.verify import Flags
from vision.reports.rates import Report
from vision.reports.report import report_photo
from vision.scene import PieceKind

ALIKE_LEAD = 1.0
"""Faces that differ by less than this in the mean cell can be taken for each other in poor light: a piece needs a lead
of 0.4 over the next face to be told from it (`FOREIGN_LEAD` in `vision.pieces.reading`), and noise and blur take about
half of it."""


LEAST_PRINT = 0.55
"""A face that an even surface explains but for less than this, in the mean cell, is hardly found on a table. Of three
backs that were a word or an emblem on one colour one had 0.33, and was not; those with 0.82 and 0.91 were. Other faces
have 2 and more."""
PALE = 0.03
"""A face that strays less than this from its mean colour from afar (`Prepared.from_afar`) is missed often: of 436 grey
slices, all of which have more, 430 were read, in three fifths of the ink, where 25 of 70 have less, 381."""
LEAST_FACES = 5
"""Of fewer faces it cannot be said how a kind's faces are laid out."""
LAID_OUT = 0.3
"""Faces of a kind have a top where they are so much more like the others upright than on their heads: the difference
of the correlations, in the median. Two styles' Specials have 0.55 and 0.64, their slice cards 1.0, their order cards,
which look much the same on their heads, 0.07 and 0.03."""


LEAST_OF_GROUP, GROUPED = 3, 2 / 3
"""Faces whose names begin alike are a group if they are so many, and groups say something where so large a share of
faces is most like its own: of four copies of 11 slices and more 56 to 63 of 63 were."""
ANOTHERS = 0.5
"""A face that others of another group explain better than its own by so much, in the median and the mean cell, seems to
be named wrongly. Of pairs that exchanged their names in those copies 92 to 100 % have one; of faces that are named
rightly one had 0.35, and all others less."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """A face and the one that is most like it."""

    kind: PieceKind
    face: str
    other: str
    lead: float
    """How much worse the other explains this one, in the mean cell; 0 if they are the same."""

    @property
    def too_alike(self) -> bool:
        """Whether they may be taken for each other."""
        return self.lead < ALIKE_LEAD


def likenesses(pack: FacePack) -> list[Likeness]:
    """For each face the one that is most like it, the most alike first."""
    found = [one for kind, faces in pack.kinds.items() for one in _of_kind(kind, faces)]
    return sorted(found, key=lambda one: one.lead)


def hardly_printed(pack: FacePack) -> list[str]:
    """Faces with too little print to be found on a table by it, but for those that are told by where they end."""
    return [
        name
        for faces in map(prepare, pack.kinds.values())
        for name, little in zip(faces.faces.names, _little_print(faces) & ~faces.even, strict=True)
        if little
    ]


def _little_print(faces: Prepared) -> Flags:
    return np.asarray((faces.contrast.mean(axis=1) < LEAST_PRINT) | (faces.from_afar < PALE))


def even_faces(pack: FacePack) -> list[str]:
    """Faces of one colour, or of a fine pattern, that are told by where they end alone."""
    return [
        name
        for faces in map(prepare, pack.kinds.values())
        for name, even in zip(faces.faces.names, faces.even, strict=True)
        if even
    ]


def upside_down(pack: FacePack) -> list[str]:
    """Faces that are laid out like most others of their kind only when they stand on their heads: labelled, it seems,
    with their foot for their top. Of kinds whose faces have little in common, or no top, none can be told."""
    return [name for kind, faces in pack.kinds.items() if kind is not PieceKind.SLICE for name in _on_its_head(faces)]


def _on_its_head(faces: KindFaces) -> list[str]:
    names = [name for name in faces.names if name != BACKS[faces.shape.kind]]
    if len(names) < LEAST_FACES:
        return []
    lattice = faces.shape.lattice
    opposite = np.linalg.norm(lattice[:, None] + lattice[None], axis=-1).argmin(axis=1)
    upright = _directions(faces.colours[[faces.names.index(name) for name in names]])
    turned = upright[:, opposite]
    likes = []
    for i in range(len(names)):
        others = _directions(np.median(np.delete(upright, i, axis=0), axis=0)[None])[0]
        likes.append(((upright[i] * others).sum(), (turned[i] * others).sum()))
    as_is, on_head = np.array(likes).T
    lead = float(np.median(as_is - on_head))
    if lead < LAID_OUT:
        return []
    wrong = (on_head - as_is > lead / 2) & (on_head > float(np.median(as_is)) / 2)
    return [name for name, is_wrong in zip(names, wrong, strict=True) if is_wrong]


def like_another_group(pack: FacePack) -> list[tuple[str, str]]:
    """Faces that are not like those whose names begin as theirs does, and the beginning of the names of those that they
    are like: such as slices of one type that have names of another. Of kinds in which groups are not alike none is."""
    return [one for faces in pack.kinds.values() for one in _strays(faces)]


def _strays(faces: KindFaces) -> list[tuple[str, str]]:
    groups = np.array([name.partition("/")[0] if "/" in name else "" for name in faces.names])
    several = [group for group, count in Counter(groups.tolist()).items() if group and count >= LEAST_OF_GROUP]
    if len(several) < 2:
        return []
    costs = prepare(faces).apart.copy()
    np.fill_diagonal(costs, np.nan)
    by_group = np.array([np.nanmedian(costs[:, groups == group], axis=1) for group in several]).T
    asked = np.flatnonzero(np.isin(groups, several))
    like = by_group[asked].argmin(axis=1)
    own = by_group[asked, [several.index(group) for group in groups[asked]]]
    lead = own - by_group[asked].min(axis=1)
    if (lead <= 0.0).mean() < GROUPED:
        return []
    return [(faces.names[i], several[group]) for i, group, by in zip(asked, like, lead, strict=True) if by > ANOTHERS]


def _directions(colours: NDArray[np.float32]) -> NDArray[np.float32]:
    """Colours of faces (n x cells x 3) about their mean, each face of length 1."""
    about = colours - colours.mean(axis=1, keepdims=True)
    length = np.linalg.norm(about, axis=(1, 2), keepdims=True)
    return np.asarray(about / np.maximum(length, 1e-6), np.float32)


def _of_kind(kind: PieceKind, faces: KindFaces) -> Iterator[Likeness]:
    count = len(faces.names)
    if count < 2:
        return
    costs = prepare(faces).apart.copy()
    np.fill_diagonal(costs, np.inf)
    for i, other in enumerate(costs.argmin(axis=1)):
        yield Likeness(kind, faces.names[i], faces.names[other], round(float(costs[i, other]), 2))


COPIES = 4
"""So many altered copies of each photo are read."""


def read_copies(
    photos: Sequence[tuple[Image, Mapping[str, Any]]],
    pack: FacePack,
    names: Sequence[str] = (),
    on_copy: Callable[[], object] = lambda: None,
) -> Report:
    """Read altered copies of the photos that faces were learned from: darker and noisy, tinted, blurred, smaller.

    `names` are the photos' own; without them they are numbered. Every labelled piece has to be read. `on_copy` is
    called after each of COPIES of each photo.

    Faces that are confused here will be confused on a table; that none are says less than photos taken another day.
    """
    reports = []
    called = names or [f"photo {number}" for number in range(1, len(photos) + 1)]
    for photo, (image, labels) in zip(called, photos, strict=True):
        for name, copy in altered(image):
            reports.append(report_photo(copy, {"style": name, **labels, "kind": ""}, pack, f"{photo}, {name}"))
            on_copy()
    return Report(tuple(reports))


def altered(image: Image) -> Iterator[tuple[str, Image]]:
    """Copies of a picture as other cameras and lights would show it. The same each time."""
    noise = np.random.default_rng(1).normal(0.0, 4.0, image.shape)
    yield "darker", np.asarray(np.clip(image * 0.4 + noise, 0, 255), np.uint8)
    yield "tinted", np.asarray(np.clip(image * np.array([0.6, 0.85, 1.1]), 0, 255), np.uint8)
    yield "blurred", np.asarray(cv2.GaussianBlur(image, (0, 0), image.shape[1] / 1000.0), np.uint8)
    yield "smaller", np.asarray(cv2.resize(image, None, fx=0.8, fy=0.8, interpolation=cv2.INTER_AREA), np.uint8)


def confused(report: Report) -> Counter[tuple[str, str]]:
    """How often (true face, claimed face) occurred where both are faces and differ."""
    pairs: Counter[tuple[str, str]] = Counter()
    for (_, true, claimed), count in report.confusion().items():
        if true and claimed and true != claimed:
            pairs[true, claimed] += count
    return pairs
