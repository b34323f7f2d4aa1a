"""How well pictures are read: scenes compared with what truly lay there, both ways."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from vision.files.label_kinds import LabelError
from vision.files.labels import (
    TrueColour,
    TrueDots,
    TrueFace,
    TrueLabel,
    TruePips,
    arrangement_label,
    check_size,
    labels_to_compare,
    load_json,
    picture_kind,
    sheet_label,
)
from vision.files.photos import PhotoError, has_photo_beside, load_photo, photo_beside
from vision.frame import Image
from vision.looking_for import finders_for
from vision.mat.errors import RegistrationError
from vision.pieces.faces import BACKS, FacePack, FacePackError
from vision.reader import read_photo
from vision.reports.mark_report import MarkClaim, MarkPlace, claims, in_sheets_frame, true_marks, turned_pattern, unread
from vision.scene import MarkKind, Origin, PieceKind, Pose, Scene, Sighting
from vision.sheets.finder import read_sheets
from vision.sheets.layout import SheetLayout

SURE = 0.9
NEAR_MM = 5.0
NEAR_DEG = 5.0
STICK_ALONG_MM = 20.0
NOWHERE = Pose(float("nan"), float("nan"), 0.0)
"""The place of a piece of which labels do not say where it lies."""
NOT_READ = ("not read, so nothing of its arrangement",)
"""What is not as it truly is in the arrangement of a picture that could not be read."""
Misarranged = Callable[[Scene, Mapping[str, Any], str], tuple[str, ...] | None]
"""Says what of a picture's arrangement is not as its labels say, given the scene, the labels and the picture's name."""

LEAST_VISIBLE = 0.5
"""Pieces of which less shows are not expected to be read, and must not be claimed as sure."""

_TILES = frozenset({PieceKind.SLICE, PieceKind.SPECIAL})
PICTURES: Mapping[str, frozenset[PieceKind]] = {
    "ring": _TILES,
    "split": _TILES,
    "hand": _TILES,
    "seats": _TILES,
    "theory": frozenset({PieceKind.BOARD, PieceKind.TOPPING, PieceKind.CUTTER, PieceKind.DIE}),
    "board": frozenset({PieceKind.BOARD, PieceKind.TOPPING, PieceKind.CUTTER}),
    "dice": frozenset({PieceKind.DIE}),
    "cards": frozenset({PieceKind.SLICE_CARD, PieceKind.ORDER_CARD}),
    "sheet": frozenset({PieceKind.SHEET, PieceKind.DIE}),
}
"""The kinds of labelled picture that are read, and what is looked for in each."""
SHEET_PICTURES = "sheet"
"""Those that may show no mat, and a sheet whose marks are compared too."""
EVERY_DEG: Mapping[PieceKind, float] = {PieceKind.DIE: 90.0, PieceKind.TOPPING: 0.0}
"""After so many degrees a piece looks as before; 0: it has no direction."""
LIGHTS = ((70.0, "dim"), (125.0, "middling"), (256.0, "bright"))
"""Names for a picture's median grey value (0 to 255) below each of these."""
BINS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 1.0)
"""Edges of the likelihoods that are put together for the reliability table."""
MARKED = {True: "marked", False: "blank"}
MARK_BINS = (0.0, 0.005, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 0.995, 1.0)
"""The same for marks: most places have none."""


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

    @property
    def read(self) -> bool:
        """Whether it is said to be what it is: what is likelier not there is not read, whatever it looks like."""
        return self.right and self.sighting.likely


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
    light: str = ""
    """One of LIGHTS."""
    marks: tuple[MarkClaim, ...] = ()
    """Every place of its score sheet."""
    misarranged: tuple[str, ...] | None = None
    """What of the pieces' arrangement is not as it truly is; None where nothing says how it is."""
    unread_marks: tuple[MarkPlace, ...] = ()
    """What was pencilled where nothing was read: its sheet was not found, or its print has no such place."""
    origin: Origin = Origin.MAT
    """Whose frame places are said in; in the picture's own they are pixels."""

    @property
    def expected(self) -> int:
        """Pieces that show enough to be read."""
        found = sum(match.truth.visible >= LEAST_VISIBLE for match in self.matches)
        return found + sum(piece.visible >= LEAST_VISIBLE for piece in self.missing)

    @property
    def right(self) -> int:
        """Expected pieces that were read right."""
        return sum(match.read and match.truth.visible >= LEAST_VISIBLE for match in self.matches)

    @property
    def sure_but_wrong(self) -> int:
        """Sightings claimed as sure that are of another face or of nothing."""
        wrong = sum(not match.right and match.sighting.probability >= SURE for match in self.matches)
        wrong += sum(sighting.probability >= SURE for sighting in self.extra)
        return wrong + sum(claim.sureness >= SURE for claim in self.wrong_marks)

    @property
    def wrong_marks(self) -> tuple[MarkClaim, ...]:
        """Places of the sheet that are read as what they are not, but for those said to be hidden."""
        return tuple(claim for claim in self.marks if not claim.right and not claim.mark.hidden)

    @property
    def sure_but_hardly_visible(self) -> int:
        """Pieces claimed as sure of which less than half shows."""
        return sum(m.truth.visible < LEAST_VISIBLE and m.sighting.probability >= SURE for m in self.matches)

    @property
    def perfect(self) -> bool:
        """Whether everything expected is right and nothing is claimed that is not there."""
        pieces = self.right == self.expected and not self.extra and not self.sure_but_hardly_visible
        marks = not self.wrong_marks and not self.unread_marks
        return not self.problem and pieces and marks and not self.misarranged


@dataclass(frozen=True, slots=True)
class Report:
    """All pictures' reports."""

    photos: tuple[PhotoReport, ...]

    def as_text(self) -> str:
        """Rates by style, kind of picture and light, and by kind of piece; likelihoods against what was right; every
        fault; times."""
        groups = sorted({(photo.style, photo.kind) for photo in self.photos})
        rows = [_row(*group, [p for p in self.photos if (p.style, p.kind) == group]) for group in groups]
        rows.append(_row("all", "", list(self.photos)))
        lights = [(light, [p for p in self.photos if p.light == light]) for _, light in LIGHTS]
        rows += [_row("all", light, photos) for light, photos in lights if photos]
        rows.append("")
        rows += _by_piece(self.photos)
        rows += _by_mark(self.photos)
        rows += _arrangements(self.photos)
        rows.append("")
        rows += [str(share) for share in self.reliability()]
        rows += [f"mark on a sheet, {share}".replace("right", "there") for share in self.mark_reliability()]
        text = "\n".join([_HEAD, *rows, "", *self.faults(), "", _times(self.photos)]).strip() + "\n"
        return text.encode("utf-8", "replace").decode("utf-8")

    def reliability(self) -> list["Reliability"]:
        """For each range of likelihood how often the face claimed with it was right, from everything claimed."""
        return _binned([claim for photo in self.photos for claim in _claims(photo)], BINS)

    def mark_reliability(self) -> list["Reliability"]:
        """For each range of likelihood of a mark how often one was there, of all places of score sheets."""
        claims = [claim for photo in self.photos for claim in photo.marks if not claim.mark.hidden]
        return _binned([(claim.mark.probability, claim.there) for claim in claims], MARK_BINS)

    def confusion(self) -> Counter[tuple[str, str, str]]:
        """How often (kind of piece, true face, claimed face) occurred; "" for nothing there or nothing seen. Of places
        that may be marked (kind of mark, MARKED, MARKED)."""
        pairs: Counter[tuple[str, str, str]] = Counter()
        for photo in self.photos:
            for match in photo.matches:
                pairs[match.truth.kind.value, match.truth.face, match.sighting.face] += 1
            for piece in photo.missing:
                if piece.visible >= LEAST_VISIBLE:
                    pairs[piece.kind.value, piece.face, ""] += 1
            for sighting in photo.extra:
                pairs[sighting.kind.value, "", sighting.face] += 1
            for claim in photo.marks:
                if not claim.mark.hidden:
                    pairs[claim.mark.kind.value, MARKED[claim.there], MARKED[claim.there == claim.right]] += 1
            for mark_kind, _ in photo.unread_marks:
                pairs[mark_kind.value, MARKED[True], ""] += 1
        return pairs

    def faults(self) -> list[str]:
        """A line for each thing that is not as it should be."""
        return [line for photo in self.photos for line in _faults(photo)]


def _binned(claims: Sequence[tuple[float, bool]], edges: Sequence[float]) -> list["Reliability"]:
    bins = [
        Reliability(low, high, [c for c in claims if low <= c[0] < high or c[0] == high == 1.0])
        for low, high in itertools.pairwise(edges)
    ]
    return [one for one in bins if one.claims]


@dataclass(frozen=True, slots=True)
class Reliability:
    """What was claimed with likelihoods of one range."""

    low: float
    high: float
    claims: Sequence[tuple[float, bool]]
    """Each claim's likelihood, and whether it was right."""

    @property
    def claimed(self) -> float:
        """The mean likelihood."""
        return float(np.mean([likelihood for likelihood, _ in self.claims]))

    @property
    def right(self) -> float:
        """The share that was right."""
        return float(np.mean([right for _, right in self.claims]))

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true share lies with 95 %."""
        return wilson(sum(right for _, right in self.claims), len(self.claims))

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"likelihood {self.low:5.3f} to {self.high:5.3f}: {len(self.claims):6} claims, mean {self.claimed:.4f}, "
            f"right {self.right:.4f} (95 %: {low:.4f} to {high:.4f})"
        )


def wilson(good: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a share of which `good` out of `count` were seen (Wilson's score interval, 1927)."""
    if not count:
        return 0.0, 1.0
    z2, share = 1.96**2, good / count
    middle = (share + z2 / (2 * count)) / (1 + z2 / count)
    half = 1.96 / (1 + z2 / count) * float(np.sqrt(share * (1 - share) / count + z2 / (4 * count**2)))
    return max(0.0, middle - half), min(1.0, middle + half)


def labelled(folder: Path, kinds: Sequence[str], styles: Sequence[str] = ()) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The labels files of pictures of these kinds, in order; `styles` empty means all.

    Raises:
        LabelError: a file is no JSON, or beside a photo says its kind or style otherwise than as text.
        OSError: a file cannot be read.
    """
    for path, labels in _labels_in(folder):
        kind, style = picture_kind(labels, str(path))
        if kind in kinds and (not styles or style in styles):
            yield path, labels


def of_other_kinds(folder: Path, kinds: Sequence[str]) -> list[tuple[str, str]]:
    """The labels files of photos that are of none of these kinds: names, and their kind or "". Raises as `labelled`."""
    others = [(path.name, picture_kind(labels, str(path))[0]) for path, labels in _labels_in(folder)]
    return [(name, kind) for name, kind in others if kind not in kinds]


def strays(folder: Path) -> list[str]:
    """Why what is called .json in a folder is passed over: what is no JSON and has no photo beside it, and folders."""
    return [str(said) for _, said in _jsons_in(folder) if isinstance(said, LabelError)]


def _labels_in(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Files that hold a photo's labels; what else a folder holds in JSON has no photo beside it."""
    for path, labels in _jsons_in(folder):
        if isinstance(labels, dict) and ("pieces" in labels or has_photo_beside(path)):
            yield path, labels


def _jsons_in(folder: Path) -> Iterator[tuple[Path, object]]:
    """What the files called .json hold, but for hidden ones; a LabelError for what cannot be a photo's labels."""
    for path in sorted(folder.glob("*.json")):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield path, LabelError(f"{path}: it is a folder; expected a file in JSON")
            continue
        try:
            labels = load_json(path)
        except LabelError as error:
            if has_photo_beside(path):
                raise
            yield path, error
        else:
            yield path, labels


def report(
    folder: Path,
    pack_for: Callable[[str, str], FacePack],
    kinds: Sequence[str] = tuple(PICTURES),
    styles: Sequence[str] = (),
    on_photo: Callable[[PhotoReport, Image | None], object] | None = None,
    prints: Sequence[SheetLayout] = (),
    misarranged: Misarranged | None = None,
) -> Report:
    """Read the labelled pictures of these kinds and compare.

    All labels are checked before the first picture is read. A photo that is missing, cut off or of another size is a
    problem of that picture alone. `pack_for` gives the faces of a style for a kind of picture; sheets need none, but
    their `prints`. `on_photo` is called after each picture, with None where there is none. `misarranged` compares what
    a game makes of a scene with the labels.

    Raises:
        FileNotFoundError: the folder holds no such picture, or none of one of these styles.
        LabelError: label files do not say what is needed; names each of them.
    """
    pictures = list(labelled(folder, kinds, styles))
    there = {picture_kind(labels, str(path))[1] for path, labels in labelled(folder, kinds)} if styles else set()
    if not pictures and not there:
        raise FileNotFoundError(f"{folder} holds no labelled picture of kind {', '.join(kinds)}")
    if unknown := sorted(set(styles) - there):
        known = f"expected of {', '.join(sorted(there))}"
        raise FileNotFoundError(f"{folder} holds no labelled picture of style {', '.join(unknown)}; {known}")
    _check_all(pictures)
    photos = []
    packs: dict[tuple[str, str], FacePack] = {}
    for path, labels in pictures:
        kind, style = picture_kind(labels, str(path))
        name, image = picture_name(path), None
        try:
            image = load_photo(photo_beside(path, labels))
            check_size(labels, image.shape[1], image.shape[0], str(path))
        except (PhotoError, LabelError) as error:
            photos.append(_unread(labels, name, str(error), misarranged=misarranged))
        else:
            if kind == SHEET_PICTURES:
                photos.append(report_sheet(image, labels, prints, name))
            else:
                if (style, kind) not in packs:
                    packs[style, kind] = pack_for(style, kind)
                photos.append(report_photo(image, labels, packs[style, kind], name, misarranged=misarranged))
        if on_photo is not None:
            on_photo(photos[-1], image)
    return Report(tuple(photos))


def _check_all(pictures: Sequence[tuple[Path, Mapping[str, Any]]]) -> None:
    """Check all that is compared, so that errors name the file. Raises LabelError."""
    wrong = []
    for path, labels in pictures:
        try:
            labels_to_compare(labels, str(path), PICTURES.get(labels["kind"], frozenset(PieceKind)))
            arrangement_label(labels, str(path))
            if labels["kind"] == SHEET_PICTURES:
                sheet_label(labels, str(path))
        except LabelError as error:
            wrong.append(str(error))
    if wrong:
        raise LabelError("\n".join(wrong))


def report_photo(
    image: Image,
    labels: Mapping[str, Any],
    pack: FacePack,
    name: str,
    *,
    near_mm: float = NEAR_MM,
    near_deg: float = NEAR_DEG,
    misarranged: Misarranged | None = None,
) -> PhotoReport:
    """Read one picture and compare it with its labels; what is seen is taken for a piece that lies so near."""
    style, kind = str(labels.get("style", "")), str(labels.get("kind", ""))
    kinds = PICTURES.get(kind) or frozenset(pack.kinds)
    truth = true_pieces(labels, name, kinds)
    light = light_of(image)
    try:
        scene = read_photo(image, pack, finders=finders_for(kinds, pack))
    except (RegistrationError, FacePackError) as error:
        return _unread(labels, name, str(error), light, misarranged)
    matches, missing, extra = compare(scene, truth, near_mm=near_mm, near_deg=near_deg)
    extra = [sighting for sighting in extra if sighting.kind in kinds]
    arranged = misarranged(scene, labels, name) if misarranged else None
    return PhotoReport(
        name, style, kind, tuple(matches), tuple(missing), tuple(extra), scene.stage_ms,
        light=light, misarranged=arranged,
    )  # fmt: skip


def report_sheet(image: Image, labels: Mapping[str, Any], prints: Sequence[SheetLayout], name: str) -> PhotoReport:
    """Read one picture of a score sheet of these prints, with or without a mat, and compare its pieces and marks.

    Raises:
        LabelError: the labels do not say what is needed.
    """
    style, kind, light = str(labels.get("style", "")), str(labels.get("kind", "")), light_of(image)
    kinds = PICTURES[SHEET_PICTURES]
    truth = true_pieces(labels, name, kinds)
    marked = true_marks(labels, name)
    try:
        scene = read_sheets(image, prints)
    except RegistrationError as error:
        return _unread(labels, name, str(error), light)
    lying = [piece.pose for piece in truth if piece.kind is PieceKind.SHEET]
    if scene.origin is Origin.SHEET and lying:
        truth = [replace(piece, pose=in_sheets_frame(piece.pose, lying[0])) for piece in truth]
    matches, missing, extra = compare(scene, truth)
    marks = [mark for match in matches if match.truth.kind is PieceKind.SHEET for mark in match.sighting.marks]
    return PhotoReport(
        name, style, kind, tuple(matches), tuple(missing), tuple(extra), scene.stage_ms,
        light=light, marks=claims(marks, marked), unread_marks=unread(marks, marked),
    )  # fmt: skip


def _unread(
    labels: Mapping[str, Any], name: str, problem: str, light: str = "", misarranged: Misarranged | None = None
) -> PhotoReport:
    """Of a picture that could not be read everything is missing that its labels say."""
    style, kind = str(labels.get("style", "")), str(labels.get("kind", ""))
    truth = true_pieces(labels, name, PICTURES.get(kind, frozenset(PieceKind)))
    arranged = NOT_READ if misarranged and arrangement_label(labels, name) is not None else None
    marked = true_marks(labels, name) if kind == SHEET_PICTURES else ()
    return PhotoReport(
        name, style, kind, (), tuple(truth), (), {}, problem, light, misarranged=arranged,
        unread_marks=unread((), marked),
    )  # fmt: skip


def _said_alike(piece: TruePiece, seen: Sighting) -> TruePiece:
    """A die's dots said from the side that its sighting says them from."""
    if piece.kind is not PieceKind.DIE or "/" not in piece.face:
        return piece
    quarters = 90.0 * round((piece.pose.angle_deg - seen.pose.angle_deg) / 90.0)
    face, _ = turned_pattern(piece.face, quarters)
    return replace(piece, face=face, pose=replace(piece.pose, angle_deg=piece.pose.angle_deg - quarters))


def picture_name(path: Path) -> str:
    """What a picture is called: its labels' name without its ending, as text that can be written everywhere."""
    return path.stem.encode("utf-8", "replace").decode("utf-8")


def light_of(image: Image) -> str:
    """One of LIGHTS."""
    level = float(np.median(image[::4, ::4].mean(axis=2)))
    return next(name for below, name in LIGHTS if level < below)


def true_pieces(labels: Mapping[str, Any], name: str, kinds: Set[PieceKind] = frozenset(PieceKind)) -> list[TruePiece]:
    """The pieces of these kinds that vision should find, from a label file.

    Raises:
        LabelError: something is missing in a piece or is not what was expected.
    """
    return [
        TruePiece(kind, _true_face(kind, label), Pose(label.x_mm, label.y_mm, label.angle_deg), label.visible)
        for kind, label in labels_to_compare(labels, f"labels of {name}", kinds)
    ]


def compare(
    scene: Scene, truth: Sequence[TruePiece], *, near_mm: float = NEAR_MM, near_deg: float = NEAR_DEG
) -> tuple[list[Match], list[TruePiece], list[Sighting]]:
    """Pair pieces with sightings, the nearest first, what lies on top before what lies below: pairs, pieces not found,
    sightings of nothing."""
    pairs = sorted(
        (
            (piece.visible < LEAST_VISIBLE, _apart(piece.kind, piece.pose, seen.pose), i, j)
            for i, piece in enumerate(truth)
            for j, seen in enumerate(scene.sightings)
            if piece.kind is seen.kind
        ),
    )
    matches: list[Match] = []
    found: set[int] = set()
    used: set[int] = set()
    for _, distance, i, j in pairs:
        turn = _turn(truth[i].kind, truth[i].pose, scene.sightings[j].pose)
        if i in found or j in used or distance > near_mm or turn > near_deg:
            continue
        matches.append(Match(_said_alike(truth[i], scene.sightings[j]), scene.sightings[j], distance, turn))
        found.add(i)
        used.add(j)
    missing = [piece for i, piece in enumerate(truth) if i not in found]
    extra = [seen for j, seen in enumerate(scene.sightings) if j not in used]
    return matches, missing, extra


def _true_face(kind: PieceKind, label: TrueLabel) -> str:
    match label:
        case TrueDots():
            return "/".join(label.pattern)
        case TruePips():
            return str(label.value)
        case TrueColour():
            return label.colour
        case TrueFace():
            return label.face if label.face_up else BACKS.get(kind, label.face)


def _turn(kind: PieceKind, first: Pose, second: Pose) -> float:
    """Degrees between two directions of a piece of this kind."""
    every = EVERY_DEG.get(kind, 360.0)
    if not every:
        return 0.0
    return abs((first.angle_deg - second.angle_deg + every / 2) % every - every / 2)


def _claims(photo: PhotoReport) -> Iterator[tuple[float, bool]]:
    for match in photo.matches:
        yield match.sighting.probability, match.right
    for sighting in photo.extra:
        yield sighting.probability, False


def _by_piece(photos: Sequence[PhotoReport]) -> list[str]:
    """Rates by kind of piece, with intervals."""
    lines = []
    for kind in PieceKind:
        matches = [m for photo in photos for m in photo.matches if m.truth.kind is kind]
        shown = [m for m in matches if m.truth.visible >= LEAST_VISIBLE]
        missing = sum(p.visible >= LEAST_VISIBLE for photo in photos for p in photo.missing if p.kind is kind)
        extra = sum(s.kind is kind for photo in photos for s in photo.extra)
        count = len(shown) + missing
        if not count and not extra:
            continue
        missing += sum(m.right and not m.read for m in shown)
        right = sum(m.read for m in shown)
        doubtful = sum(m.read and m.sighting.probability < SURE for m in shown)
        sure = sum(not m.right and m.sighting.probability >= SURE for m in matches)
        sure += sum(s.kind is kind and s.probability >= SURE for photo in photos for s in photo.extra)
        low, high = wilson(right, count)
        lines.append(
            f"{kind.value:11} {right:6} of {count:6} right ({low:.4f} to {high:.4f}), {doubtful} of them doubtful, "
            f"{missing} missing, {len(matches) - sum(m.right for m in matches)} wrong, {extra} extra, "
            f"{sure} sure but wrong"
        )
    return lines


def _by_mark(photos: Sequence[PhotoReport]) -> list[str]:
    """Rates by kind of mark, with intervals: of marks there, and of places without one."""
    lines = []
    unread_places = Counter(kind for photo in photos for kind, _ in photo.unread_marks)
    for kind in MarkKind:
        places = [claim for photo in photos for claim in photo.marks if claim.mark.kind is kind]
        seen = [claim for claim in places if not claim.mark.hidden]
        if not places and not unread_places[kind]:
            continue
        there, free = ([claim.right for claim in seen if claim.there is truth] for truth in (True, False))
        there += [False] * unread_places[kind]
        sure = sum(claim.sureness >= SURE and not claim.right for claim in seen)
        shares = [
            f"{sum(right)} of {len(right)} ({low:.4f} to {high:.4f})"
            for right in (there, free)
            for low, high in [wilson(sum(right), len(right))]
        ]
        lines.append(
            f"{kind.value:15} read {shares[0]}, left blank {shares[1]}, {sure} sure but wrong, "
            f"{sum(claim.sureness < SURE for claim in seen)} said to be doubtful, {len(places) - len(seen)} hidden"
        )
    return lines


def _arrangements(photos: Sequence[PhotoReport]) -> list[str]:
    compared = [not photo.misarranged for photo in photos if photo.misarranged is not None]
    low, high = wilson(sum(compared), len(compared))
    return [f"arrangement {sum(compared):6} of {len(compared):6} right ({low:.4f} to {high:.4f})"] if compared else []


_HEAD = "style  kind     photos whole  pieces  right  missing  wrong  extra  sure&wrong  <half&sure  p95 mm  p95 deg"


def _apart(kind: PieceKind, first: Pose, second: Pose) -> float:
    """How far apart two pieces lie, in millimetres. Of sticks only how far they lie beside each other, as long as that
    is no other stick: where a stick begins says nothing, and other things hide its ends."""
    off = _distance(first, second)
    if kind is not PieceKind.CUTTER or off > STICK_ALONG_MM:
        return off
    angle = np.radians(first.angle_deg)
    return float(abs((second.x_mm - first.x_mm) * np.sin(angle) - (second.y_mm - first.y_mm) * np.cos(angle)))


def _distance(first: Pose, second: Pose) -> float:
    return float(np.hypot(first.x_mm - second.x_mm, first.y_mm - second.y_mm))


def _row(style: str, kind: str, photos: Sequence[PhotoReport]) -> str:
    matches = [match for photo in photos for match in photo.matches]
    missing = sum(piece.visible >= LEAST_VISIBLE for photo in photos for piece in photo.missing)
    missing += sum(m.right and not m.read and m.truth.visible >= LEAST_VISIBLE for m in matches)
    wrong = sum(not match.right for match in matches)
    measured = [match for photo in photos if photo.origin is not Origin.PICTURE for match in photo.matches]
    off = f"{np.percentile([m.distance_mm for m in measured], 95):.2f}" if measured else "-"
    turn = f"{np.percentile([m.turn_deg for m in measured], 95):.2f}" if measured else "-"
    return (
        f"{style:6} {kind:8} {len(photos):6} {sum(p.perfect for p in photos):5} {sum(p.expected for p in photos):7} "
        f"{sum(p.right for p in photos):6} {missing:8} {wrong:6} {sum(len(p.extra) for p in photos):6} "
        f"{sum(p.sure_but_wrong for p in photos):11} {sum(p.sure_but_hardly_visible for p in photos):11} "
        f"{off:>7} {turn:>8}"
    )


def _faults(photo: PhotoReport) -> list[str]:
    if photo.problem:
        return [f"{photo.photo}: not read: {photo.problem}"]
    lines = [
        f"{photo.photo}: missing {piece.face} at {_at(photo, piece.pose)}, {piece.visible:.0%} visible"
        for piece in photo.missing
        if piece.visible >= LEAST_VISIBLE
    ]
    for match in photo.matches:
        claim = f"{match.sighting.face} {match.sighting.probability:.2f}"
        if not match.right:
            lines.append(f"{photo.photo}: {match.truth.face} at {_at(photo, match.truth.pose)} read as {claim}")
        elif not match.read and match.truth.visible >= LEAST_VISIBLE:
            lines.append(f"{photo.photo}: {match.truth.face} at {_at(photo, match.truth.pose)} doubted away, {claim}")
        elif match.truth.visible < LEAST_VISIBLE and match.sighting.probability >= SURE:
            lines.append(f"{photo.photo}: {claim} claimed with {match.truth.visible:.0%} visible")
    lines += [
        f"{photo.photo}: nothing where {s.face} {s.probability:.2f} is claimed, {_at(photo, s.pose)}"
        for s in photo.extra
    ]
    lines += [
        f"{photo.photo}: {mark.kind.value} {mark.at} {'missing' if claim.there else 'claimed'}, {mark.probability:.2f}"
        for claim in photo.wrong_marks
        for mark in [claim.mark]
    ]
    if photo.unread_marks:
        lines.append(f"{photo.photo}: {len(photo.unread_marks)} marks lie where no place of a sheet was read")
    return lines + [f"{photo.photo}: {line}" for line in photo.misarranged or ()]


def _at(photo: PhotoReport, pose: Pose) -> str:
    if np.isnan(pose.x_mm):
        return "some place"
    return f"({pose.x_mm:.0f}, {pose.y_mm:.0f}) {'pixels' if photo.origin is Origin.PICTURE else 'mm'}"


def _times(photos: Sequence[PhotoReport]) -> str:
    stages = dict.fromkeys(stage for photo in photos for stage in photo.stage_ms)
    taken = {stage: [p.stage_ms[stage] for p in photos if stage in p.stage_ms] for stage in stages}
    said = ", ".join(f"{stage} {np.median(ms):.0f} ({len(ms)})" for stage, ms in taken.items())
    return f"median ms of each stage (pictures that have it): {said or 'none'}"
