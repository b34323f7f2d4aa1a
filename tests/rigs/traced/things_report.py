"""What is read of tables on which household things lie, beside what truly lies there."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike

from controller.cli.vision_report import learned_faces
from controller.sheet_prints import load_prints
from vision.files.label_kinds import TRUE_KINDS
from vision.files.labelled import labelled
from vision.files.photos import load_with_focal, photo_beside
from vision.frame import Image
from vision.looking_for import finders_for
from vision.masks import Mask
from vision.mat.errors import RegistrationError
from vision.mat.registration import Registration, find_mat
from vision.pieces.faces import FacePack
from vision.reader import read_photo
from vision.reports.compared import LEAST_VISIBLE, Match, TruePiece, compare, true_pieces
from vision.reports.mark_report import claims, in_sheets_frame, true_marks
from vision.reports.rates import wilson
from vision.reports.report import PICTURES, SHEET_PICTURES
from vision.scene import EMPTY, SURE, HiddenCause, Origin, PieceKind, Scene, Sighting
from vision.sheets.finder import lay_out, read_sheets

CLEAR = "glass"
"""What is seen through: what lies under it may be read or said to be hidden."""
OUTLINED = 0.5
"""A thing is outlined where so large a share of it is said to be hidden."""
COVERED = 0.3
"""What things cover so much of is under them."""
TOUCHED = 0.02
OF_A_THING_MM = 12.0
"""What is hidden so near to a thing is so by it and by its shadow."""
CAUSES = (HiddenCause.FOREIGN, HiddenCause.HAND)
_OUTCOMES = ("right, sure", "right, doubtful", "hidden", "unsaid", "another, doubtful", "another, sure")


@dataclass
class Counts:
    """What was read of the tables of one game, or of all."""

    pictures: int = 0
    refused: list[str] = field(default_factory=list)
    open: Counter[str] = field(default_factory=Counter)
    """Pieces of which half and more shows: outcome -> count."""
    under: Counter[str] = field(default_factory=Counter)
    """Pieces of which less shows, that things cover; and board spaces wholly under things."""
    outlined: Counter[tuple[str, str, bool]] = field(default_factory=Counter)
    """Things by name and place, and whether they are outlined -> count."""
    extra: list[str] = field(default_factory=list)
    """What is claimed and is not there, with what lies there."""
    extra_sure: int = 0
    marks_wrong: int = 0
    marks: int = 0
    beside_cm2: float = 0.0
    """Said to be hidden, and nowhere near a thing."""
    faults: list[str] = field(default_factory=list)


def things_report(folder: Path) -> dict[str, Counts]:
    """Read every picture of a folder of `--things`: game (its style) -> counts."""
    found: dict[str, Counts] = {}
    packs: dict[str, FacePack] = {}
    prints = load_prints()
    for path, labels in labelled(folder, tuple(PICTURES)):
        if not labels.get("things"):
            continue
        style, kind = labels["style"], labels["kind"]
        counts = found.setdefault(style.rstrip("0123456789"), Counts())
        counts.pictures += 1
        image, assumed = load_with_focal(photo_beside(path, labels))
        try:
            if kind == SHEET_PICTURES:
                scene, registration = read_sheets(image, prints), lay_out(image, prints)[0]
            else:
                if style not in packs:
                    packs[style] = learned_faces(folder, set(), style, kind)
                finders = finders_for(PICTURES[kind], packs[style])
                scene, registration = read_photo(image, packs[style], assumed=assumed, finders=finders), find_mat(image)
        except RegistrationError as error:
            counts.refused.append(f"{path.stem}: {error}")
            continue
        Picture(path.stem, image, labels, scene, registration).count(counts)
    return found


class Picture:
    """One picture's truth and what was read of it, in pixels."""

    def __init__(
        self, name: str, image: Image, labels: Mapping[str, Any], scene: Scene, registration: Registration
    ) -> None:
        self._name, self._labels, self._scene, self._registration = name, labels, scene, registration
        self._shape = image.shape[:2]
        self._things = [
            (thing["thing"], thing["place"], self._mask(thing["outlines_px"])) for thing in labels["things"]
        ]
        self._any_thing = self._union(mask for _, _, mask in self._things)
        self._opaque = self._union(mask for name, _, mask in self._things if name != CLEAR)
        self._hidden = self._hidden_for(*(cause for cause in HiddenCause if cause is not HiddenCause.OUT_OF_PICTURE))
        self._hidden_by_things = self._hidden_for(*CAUSES)

    def count(self, counts: Counts) -> None:
        """Add what this picture shows."""
        kinds = PICTURES[self._labels["kind"]]
        truth = true_pieces(self._labels, self._name, kinds)
        outlines = [piece["outline_px"] for piece in self._labels["pieces"] if self._is_of(piece, kinds)]
        lying = [piece.pose for piece in truth if piece.kind is PieceKind.SHEET]
        if self._scene.origin is Origin.SHEET and lying:
            truth = [replace(piece, pose=in_sheets_frame(piece.pose, lying[0])) for piece in truth]
        matches, _missing, extra = compare(self._scene, truth)
        for piece, outline in zip(truth, outlines, strict=True):
            at = piece.kind, piece.pose.x_mm, piece.pose.y_mm
            match = next((m for m in matches if (m.truth.kind, m.truth.pose.x_mm, m.truth.pose.y_mm) == at), None)
            self._count_piece(counts, piece, self._mask([outline]), match)
        for seen in extra:
            if seen.kind in kinds and seen.likely:
                self._count_extra(counts, seen)
        for name, place, mask in self._things:
            self._count_thing(counts, name, place, mask)
        self._count_marks(counts, matches)
        self._count_spaces(counts, matches)
        reach = round(OF_A_THING_MM * self._px_per_mm())
        near = np.asarray(cv2.dilate(self._any_thing, np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)), np.uint8)
        stray = float(np.count_nonzero(self._hidden_by_things & ~near)) / self._px_per_mm() ** 2 / 100
        counts.beside_cm2 += stray
        if stray > 5:
            counts.faults.append(f"{self._name}: {stray:.0f} cm2 are hidden with nothing near")

    def share_hidden(self, thing: int, cause: HiddenCause | None = None) -> float:
        """The share of a thing that is said to be hidden, for this `cause` or any."""
        mask = self._things[thing][2]
        return self._share(self._hidden if cause is None else self._hidden_for(cause), mask)

    def hidden_cm2(self) -> float:
        """How much is said to be hidden by hands and things."""
        return float(np.count_nonzero(self._hidden_by_things)) / self._px_per_mm() ** 2 / 100

    def _hidden_for(self, *causes: HiddenCause) -> Mask:
        return self._mask_mm([place.outline_mm for place in self._scene.hidden if place.cause in causes])

    def _is_of(self, piece: Mapping[str, Any], kinds: frozenset[PieceKind]) -> bool:
        return TRUE_KINDS.get(piece["kind"]) in kinds

    def _count_piece(self, counts: Counts, piece: TruePiece, mask: Mask, match: Match | None) -> None:
        covered = self._share(self._opaque, mask)
        seen = match.sighting if match is not None and match.sighting.likely else None
        if seen is not None:
            what = "right" if match is not None and match.right else "another"
            outcome = f"{what}, {'sure' if seen.probability >= SURE else 'doubtful'}"
        else:
            away = mask & self._any_thing if self._share(self._any_thing, mask) > TOUCHED else mask
            outcome = "hidden" if self._share(self._hidden, away) >= OUTLINED else "unsaid"
        said = f"{piece.kind.value} {piece.face}, {piece.visible:.2f} shows, {covered:.2f} under things: {outcome}"
        if piece.visible >= LEAST_VISIBLE:
            counts.open[outcome] += 1
            if outcome != "right, sure":
                counts.faults.append(f"{self._name}: {said}")
        elif covered >= COVERED and piece.visible + covered > 0.5:
            counts.under[outcome] += 1
            if outcome not in ("hidden", "right, doubtful"):
                counts.faults.append(f"{self._name}: {said}")

    def _count_extra(self, counts: Counts, seen: Sighting) -> None:
        mask = self._mask_mm([seen.outline_mm])
        over = [(self._share(thing, mask), name) for name, _, thing in self._things]
        share, name = max(over, default=(0.0, "nothing"))
        at = f"on {name} ({share:.2f})" if share > TOUCHED else "on nothing"
        sure = seen.probability >= SURE
        counts.extra_sure += sure
        counts.extra.append(f"{self._name}: {seen.kind.value} {seen.face} {seen.probability:.2f} {at}")

    def _count_thing(self, counts: Counts, name: str, place: str, mask: Mask) -> None:
        if np.count_nonzero(mask):
            outlined = self._share(self._hidden, mask) >= OUTLINED
            counts.outlined[name, place, outlined] += 1
            if not outlined and place != "beside":
                counts.faults.append(
                    f"{self._name}: {name} ({place}) is not outlined, {self._share(self._hidden, mask):.2f}"
                )

    def _count_marks(self, counts: Counts, matches: Sequence[Match]) -> None:
        if self._labels["kind"] != SHEET_PICTURES:
            return
        marked = true_marks(self._labels, self._name)
        marks = [mark for match in matches if match.truth.kind is PieceKind.SHEET for mark in match.sighting.marks]
        for claim in claims(marks, marked):
            counts.marks += 1
            if not claim.mark.hidden and not claim.right and claim.sureness >= SURE:
                counts.marks_wrong += 1
                counts.faults.append(f"{self._name}: surely wrong: {claim.mark}")

    def _count_spaces(self, counts: Counts, matches: Sequence[Match]) -> None:
        truth = self._labels["arrangement"].get("spaces")
        for match in matches:
            if match.truth.kind is not PieceKind.BOARD or truth is None:
                continue
            for space in match.sighting.spaces:
                disc = np.zeros(self._shape, np.uint8)
                x, y = self._registration.to_picture([[space.x_mm, space.y_mm]])[0]
                cv2.circle(disc, (round(x), round(y)), round(5 * self._px_per_mm()), 255, -1)
                if self._share(self._opaque, disc) < 0.9:
                    continue
                first = space.contents[0] if space.contents else None
                if first is None:
                    outcome = "hidden"
                else:
                    right = first.face == truth.get(space.name, EMPTY)
                    outcome = (
                        f"{'right' if right else 'another'}, {'sure' if first.probability >= SURE else 'doubtful'}"
                    )
                counts.under[f"space {outcome}"] += 1
                if outcome.endswith("sure"):
                    counts.faults.append(f"{self._name}: space {space.name} wholly under a thing: {outcome}")

    # Pixels ------------------------------------------------------------------------------------------------------

    def _px_per_mm(self) -> float:
        ends = self._registration.to_picture([[-50.0, 0.0], [50.0, 0.0]])
        return float(np.linalg.norm(ends[1] - ends[0])) / 100

    def _mask(self, outlines: Sequence[ArrayLike]) -> Mask:
        mask = np.zeros(self._shape, np.uint8)
        for outline in outlines:
            cv2.fillPoly(mask, [np.round(np.array(outline)).astype(np.int32)], 255)
        return mask

    def _mask_mm(self, outlines: Sequence[Sequence[Sequence[float]]]) -> Mask:
        return self._mask([self._registration.to_picture(np.array(outline)) for outline in outlines])

    def _union(self, masks: Iterator[Mask]) -> Mask:
        return np.asarray(np.maximum.reduce([np.zeros(self._shape, np.uint8), *masks]), np.uint8)

    @staticmethod
    def _share(of: Mask, within: Mask) -> float:
        return float(np.count_nonzero(of & within)) / max(int(np.count_nonzero(within)), 1)


def as_text(found: Mapping[str, Counts], faults: bool = True) -> str:
    """The figures of each game, things by name, and with `faults` every one of them."""
    lines = []
    for game, counts in found.items():
        lines.append(f"{game}: {counts.pictures} pictures, {len(counts.refused)} refused")
        for what, counter in (("half and more shows", counts.open), ("under things", counts.under)):
            lines.append(f"  {what}: " + ", ".join(f"{name} {count}" for name, count in sorted(counter.items())))
        lines.append(f"  of nothing: {len(counts.extra)}, {counts.extra_sure} of them sure")
        if counts.marks:
            lines.append(f"  marks: {counts.marks_wrong} of {counts.marks} surely wrong")
        lines.append(f"  hidden with nothing near: {counts.beside_cm2:.0f} cm2")
    lines.append("outlined, on pieces / on the mat / beside:")
    every = sum((counts.outlined for counts in found.values()), Counter[tuple[str, str, bool]]())
    names = sorted({name for name, _, _ in every})
    for name in [*names, "all"]:
        row = []
        for place in ("pieces", "mat", "beside"):
            some = names if name == "all" else [name]
            there = sum(every[one, place, True] for one in some)
            of = there + sum(every[one, place, False] for one in some)
            row.append(
                f"{there}/{of}"
                + (
                    " ({:.0f} to {:.0f} %)".format(*(100 * x for x in wilson(there, of)))
                    if name == "all" and of
                    else ""
                )
            )
        lines.append(f"  {name:20} {'   '.join(row)}")
    if faults:
        for counts in found.values():
            lines += ["  " + one for one in [*counts.refused, *counts.extra, *counts.faults]]
    return "\n".join(lines)
