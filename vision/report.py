"""How well pictures are read: scenes compared with what truly lay there, both ways."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.faces import BACKS, LABEL_KINDS, FacePack, LabelError
from vision.frame import Image
from vision.reader import read_photo
from vision.registration import RegistrationError
from vision.scene import PieceKind, Pose, Scene, Sighting

SURE = 0.9
NEAR_MM = 5.0
NEAR_DEG = 5.0
LEAST_VISIBLE = 0.5
"""Pieces of which less shows are not expected to be read, and must not be claimed as sure."""
READ_KINDS = ("ring", "split", "hand", "seats")


@dataclass(frozen=True, slots=True)
class TruePiece:
    """A piece as a label file has it; its face is what the picture shows, a back if it is face down."""

    kind: PieceKind
    face: str
    pose: Pose
    visible: float


@dataclass(frozen=True, slots=True)
class Match:
    """A piece and the sighting of it."""

    truth: TruePiece
    sighting: Sighting
    distance_mm: float
    turn_deg: float

    @property
    def right(self) -> bool:
        """Whether the most likely face is the true one."""
        return self.sighting.face == self.truth.face


@dataclass(frozen=True, slots=True)
class PhotoReport:
    """One picture's pieces: found, missing, and what is claimed but not there."""

    photo: str
    style: str
    kind: str
    matches: tuple[Match, ...]
    missing: tuple[TruePiece, ...]
    extra: tuple[Sighting, ...]
    stage_ms: Mapping[str, float]
    problem: str = ""
    """Why it could not be read at all."""

    @property
    def expected(self) -> int:
        """Pieces that show enough to be read."""
        found = sum(match.truth.visible >= LEAST_VISIBLE for match in self.matches)
        return found + sum(piece.visible >= LEAST_VISIBLE for piece in self.missing)

    @property
    def right(self) -> int:
        """Expected pieces that were read right."""
        return sum(match.right and match.truth.visible >= LEAST_VISIBLE for match in self.matches)

    @property
    def sure_but_wrong(self) -> int:
        """Sightings claimed as sure that are of another face or of nothing."""
        wrong = sum(not match.right and match.sighting.probability >= SURE for match in self.matches)
        return wrong + sum(sighting.probability >= SURE for sighting in self.extra)

    @property
    def sure_but_hardly_visible(self) -> int:
        """Pieces claimed as sure of which less than half shows."""
        return sum(m.truth.visible < LEAST_VISIBLE and m.sighting.probability >= SURE for m in self.matches)

    @property
    def perfect(self) -> bool:
        """Whether everything expected is right and nothing is claimed that is not there."""
        return not self.problem and self.right == self.expected and not self.extra and not self.sure_but_hardly_visible


@dataclass(frozen=True, slots=True)
class Report:
    """All pictures' reports."""

    photos: tuple[PhotoReport, ...]

    def as_text(self) -> str:
        """A table by style and kind, then every fault."""
        head = (
            "style  kind   photos whole  pieces  right  missing  wrong  extra  sure&wrong  <half&sure  p95 mm  p95 deg"
        )
        groups = sorted({(photo.style, photo.kind) for photo in self.photos})
        rows = [_row(*group, [p for p in self.photos if (p.style, p.kind) == group]) for group in groups]
        total = _row("all", "", list(self.photos))
        return "\n".join([head, *rows, total, "", *self.faults(), "", _times(self.photos)]).strip() + "\n"

    def faults(self) -> list[str]:
        """A line for each thing that is not as it should be."""
        return [line for photo in self.photos for line in _faults(photo)]


def report(
    folder: Path,
    pack_for_style: Callable[[str], FacePack],
    kinds: Sequence[str] = READ_KINDS,
    styles: Sequence[str] = (),
) -> Report:
    """Read the labelled pictures of these kinds (NAME.jpg beside NAME.json) and compare; `styles` empty means all.

    Raises:
        FileNotFoundError: the folder holds no such picture.
        LabelError: a label file does not say what is needed.
    """
    photos = []
    packs: dict[str, FacePack] = {}
    for path in sorted(folder.glob("*.json")):
        labels = json.loads(path.read_text())
        if (
            not isinstance(labels, dict)
            or labels.get("kind") not in kinds
            or (styles and labels["style"] not in styles)
        ):
            continue
        style = str(labels["style"])
        if style not in packs:
            packs[style] = pack_for_style(style)
        photos.append(report_photo(_load(path.with_suffix(".jpg")), labels, packs[style], path.stem))
    if not photos:
        raise FileNotFoundError(f"{folder} holds no labelled picture of kind {', '.join(kinds)}")
    return Report(tuple(photos))


def report_photo(image: Image, labels: Mapping[str, Any], pack: FacePack, name: str) -> PhotoReport:
    """Read one picture and compare it with its labels."""
    truth = true_pieces(labels, name)
    style, kind = str(labels.get("style", "")), str(labels.get("kind", ""))
    try:
        scene = read_photo(image, pack)
    except RegistrationError as error:
        return PhotoReport(name, style, kind, (), tuple(truth), (), {}, str(error))
    matches, missing, extra = compare(scene, truth)
    return PhotoReport(name, style, kind, tuple(matches), tuple(missing), tuple(extra), scene.stage_ms)


def true_pieces(labels: Mapping[str, Any], name: str) -> list[TruePiece]:
    """The pieces that vision should find, from a label file.

    Raises:
        LabelError: a piece lacks something.
    """
    pieces = []
    for number, piece in enumerate(labels.get("pieces", ())):
        if piece.get("kind") not in LABEL_KINDS:
            continue
        kind = LABEL_KINDS[piece["kind"]]
        try:
            face = str(piece["face"]) if piece.get("face_up", True) else BACKS[kind]
            pose = Pose(float(piece["x_mm"]), float(piece["y_mm"]), float(piece["angle_deg"]))
        except (KeyError, TypeError, ValueError) as error:
            raise LabelError(f"piece {number} in the labels of {name}: {error!r}") from error
        pieces.append(TruePiece(kind, face, pose, float(piece.get("visible", 1.0))))
    return pieces


def compare(
    scene: Scene, truth: Sequence[TruePiece], *, near_mm: float = NEAR_MM, near_deg: float = NEAR_DEG
) -> tuple[list[Match], list[TruePiece], list[Sighting]]:
    """Pair pieces with sightings, the nearest first: pairs, pieces not found, sightings of nothing."""
    pairs = sorted(
        (
            (_distance(piece.pose, seen.pose), i, j)
            for i, piece in enumerate(truth)
            for j, seen in enumerate(scene.sightings)
            if piece.kind is seen.kind
        ),
    )
    matches: list[Match] = []
    found: set[int] = set()
    used: set[int] = set()
    for distance, i, j in pairs:
        turn = abs((truth[i].pose.angle_deg - scene.sightings[j].pose.angle_deg + 180.0) % 360.0 - 180.0)
        if i in found or j in used or distance > near_mm or turn > near_deg:
            continue
        matches.append(Match(truth[i], scene.sightings[j], distance, turn))
        found.add(i)
        used.add(j)
    missing = [piece for i, piece in enumerate(truth) if i not in found]
    extra = [seen for j, seen in enumerate(scene.sightings) if j not in used]
    return matches, missing, extra


def _distance(first: Pose, second: Pose) -> float:
    return float(np.hypot(first.x_mm - second.x_mm, first.y_mm - second.y_mm))


def _row(style: str, kind: str, photos: Sequence[PhotoReport]) -> str:
    matches = [match for photo in photos for match in photo.matches]
    missing = sum(piece.visible >= LEAST_VISIBLE for photo in photos for piece in photo.missing)
    wrong = sum(not match.right for match in matches)
    off = float(np.percentile([m.distance_mm for m in matches], 95)) if matches else 0.0
    turn = float(np.percentile([m.turn_deg for m in matches], 95)) if matches else 0.0
    return (
        f"{style:6} {kind:6} {len(photos):6} {sum(p.perfect for p in photos):5} {sum(p.expected for p in photos):7} "
        f"{sum(p.right for p in photos):6} {missing:8} {wrong:6} {sum(len(p.extra) for p in photos):6} "
        f"{sum(p.sure_but_wrong for p in photos):11} {sum(p.sure_but_hardly_visible for p in photos):11} "
        f"{off:7.2f} {turn:8.2f}"
    )


def _faults(photo: PhotoReport) -> list[str]:
    lines = [f"{photo.photo}: not read: {photo.problem}"] if photo.problem else []
    lines += [
        f"{photo.photo}: missing {piece.face} at {_at(piece.pose)}, {piece.visible:.0%} visible"
        for piece in photo.missing
        if piece.visible >= LEAST_VISIBLE
    ]
    for match in photo.matches:
        claim = f"{match.sighting.face} {match.sighting.probability:.2f}"
        if not match.right:
            lines.append(f"{photo.photo}: {match.truth.face} at {_at(match.truth.pose)} read as {claim}")
        elif match.truth.visible < LEAST_VISIBLE and match.sighting.probability >= SURE:
            lines.append(f"{photo.photo}: {claim} claimed with {match.truth.visible:.0%} visible")
    lines += [
        f"{photo.photo}: nothing where {s.face} {s.probability:.2f} is claimed, {_at(s.pose)}" for s in photo.extra
    ]
    return lines


def _at(pose: Pose) -> str:
    return f"({pose.x_mm:.0f}, {pose.y_mm:.0f}) mm"


def _times(photos: Sequence[PhotoReport]) -> str:
    stages = dict.fromkeys(stage for photo in photos for stage in photo.stage_ms)
    medians = {stage: float(np.median([p.stage_ms.get(stage, 0.0) for p in photos if p.stage_ms])) for stage in stages}
    return "median ms: " + ", ".join(f"{stage} {ms:.0f}" for stage, ms in medians.items())


def _load(path: Path) -> Image:
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if image is None:
        raise FileNotFoundError(f"{path} is missing or is no picture")
    return np.asarray(image, np.uint8)
