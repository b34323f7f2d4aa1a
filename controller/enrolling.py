"""Naming the pieces that an owner laid out: photos in, proposals, names, a pack of faces out.

Used by `pizzatable enrol`, from its page and from its labels file alike.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from controller.whose_faces import GameFaces
from vision.board.marks import MarkedBoard, board_of_marks
from vision.enrolling.alike import (
    ALIKE_LEAD,
    Likeness,
    even_faces,
    hardly_printed,
    like_another_group,
    likenesses,
    upside_down,
)
from vision.enrolling.contact_sheet import contact_sheet, numbered, upright
from vision.enrolling.laid_out import LaidOut, SeenTable, doubt_of_table, find_laid_out
from vision.enrolling.lumps import lumps
from vision.files.board_marks import MARKS, parse_marks
from vision.files.label_kinds import LABEL_KINDS, TRUE_KINDS, LabelError, with_article
from vision.frame import Image
from vision.mat.lens import Lens
from vision.mat.registration import Registration, lens_doubt
from vision.pieces.faces import BACKS, FacePack
from vision.pieces.learning import enrol, find_named
from vision.reports.report import report_photo
from vision.scene import PieceKind

MOST_DOUBTFUL = 16
"""So many doubtful places are shown."""
FAR_MM = 400.0
"""Farther out a lens as it is guessed from the mat may be wrong by 3 %: with a barrel distortion of 0.05 cards were
outlined 3 % too large at 400 mm and 5 % at 520, and one of 15 learned so was not read."""


@dataclass(frozen=True, slots=True)
class Spread:
    """One photo of pieces laid out apart, and the pieces found in it."""

    name: str
    image: Image
    registration: Registration
    pieces: tuple[LaidOut, ...]
    doubt: str = ""
    """Why pieces may have been missed in it, for the owner."""
    touching: str = ""
    """Where something lies that is larger than pieces, for the owner; empty where nothing does."""
    far: str = ""
    """Where pieces lie so far from the mat that a lens that is only guessed outlines them too large or too small, or
    why the lens that was given seems to be another camera's, for the owner; empty where nothing says so."""
    removed: tuple[LaidOut, ...] = ()
    """What was found and is no piece, as the owner says."""
    hardly_seen: tuple[LaidOut, ...] = ()
    """Outlines of what hardly stands out from the table and may be a piece."""

    @property
    def doubtful(self) -> list[LaidOut]:
        """What may be a piece still: numbered after the pieces, as long as none lies there."""
        return [one for one in self.hardly_seen if not any(map(one.overlaps, self.pieces))]

    @property
    def warnings(self) -> list[str]:
        """What the owner should know of it besides its `doubt`."""
        return [one for one in (self.touching, self._faint(), self.far) if one]

    def _faint(self) -> str:
        count = len(self.doubtful)
        if not count:
            return ""
        numbers = ", ".join(str(len(self.pieces) + n) for n in range(1, count + 1))
        return f"what hardly stands out from the table may be {'a piece' if count == 1 else 'pieces'}: {numbers}, in \
broken lines"

    def picture(self, tops: Set[PieceKind] = frozenset()) -> Image:
        """The photo with the pieces numbered from 1, and what may be one; `tops` are the kinds whose proposed top is
        marked."""
        return numbered(self.image, self.registration, self.pieces, self.doubtful, tops)

    def piece(self, number: int, *, turn_deg: int = 0) -> Image:
        """The piece of this number (from 1), upright where its top is so much further round than was proposed."""
        return upright(self.image, self.registration, [*self.pieces, *self.doubtful][number - 1].turned(turn_deg))


@dataclass(frozen=True, slots=True)
class Naming:
    """What the owner says of one piece."""

    face: str
    """The face's name, a back's for a piece that lies face down; empty to leave it out."""
    turn_deg: int = 0
    """How much further round its top is than was proposed: a multiple of its kind's FULL_TURN_DEG."""


@dataclass(frozen=True, slots=True)
class Learned:
    """A pack, and what its owner should know of it."""

    pack: FacePack
    alike: tuple[Likeness, ...]
    """Faces that may be taken for each other."""
    missing: tuple[str, ...]
    """What of the game no photo showed."""
    doubts: tuple[str, ...] = ()
    """Sentences about what the game does not have."""
    upside_down: tuple[str, ...] = ()
    """Faces that seem to be labelled with their foot for their top."""
    hardly_printed: tuple[str, ...] = ()
    """Faces with too little print to be found on a table."""
    even: tuple[str, ...] = ()
    """Faces that are found by where they end alone."""
    strays: tuple[tuple[str, str], ...] = ()
    """Faces that are not like those whose names begin alike, and how the names begin of those that they are like."""
    unlike: tuple[str, ...] = ()
    """Sentences about pieces that look otherwise than others with their name."""

    def sentences(self) -> list[str]:
        """What of the faces themselves should be looked at again."""
        alike = [
            f"{one.face} and {one.other} look alike: the camera may take one for the other (the right one fits "
            f"better by {one.lead}; expected {ALIKE_LEAD} and more)"
            for one in self._pairs()
        ]
        turned = [
            f"{face} seems to be labelled upside down: only turned by 180 degrees is it laid out like the others"
            for face in self.upside_down
        ]
        plain = [
            f"{face} shows little print: the camera may not find it on the table, the less so in poor light"
            for face in self.hardly_printed
        ]
        even = [
            f"{face} is of one colour, or of a pattern as fine: the camera finds it by where it ends, and hardly where "
            "others touch or cover it"
            for face in self.even
        ]
        strays = [
            f"{face} looks like the faces {other}/..., not like {face.partition('/')[0]}/...: is it named rightly?"
            for face, other in self.strays
        ]
        return [*alike, *turned, *plain, *even, *strays, *self.unlike]

    def _pairs(self) -> Iterator[Likeness]:
        """Faces that are alike, each two once: the one that is most like the other first."""
        said: set[frozenset[str]] = set()
        for one in self.alike:
            pair = frozenset((one.face, one.other))
            if pair not in said:
                said.add(pair)
                yield one


def spread(
    name: str, image: Image, kinds: frozenset[PieceKind], empty: Image | None = None, lens: Lens | None = None
) -> Spread:
    """Find the pieces in a photo, taken with this lens, if it is known. Raises RegistrationError, which names it."""
    registration = find_named(image, name, lens)
    seen = SeenTable(image, registration, empty)
    found = find_laid_out(seen, kinds)
    touching = _touching(lumps(seen, found.pieces))
    far = _far(found.pieces) if lens is None else lens_doubt(registration, lens)
    clearest = sorted(found.doubtful, key=lambda piece: -piece.clear)[:MOST_DOUBTFUL]
    faint = tuple(one for one in found.doubtful if any(one is it for it in clearest))
    return Spread(name, image, registration, found.pieces, doubt_of_table(seen), touching, far, hardly_seen=faint)


def _far(pieces: Sequence[LaidOut]) -> str:
    far = [number for number, piece in enumerate(pieces, 1) if np.hypot(*piece.pose[:2]) > FAR_MM]
    if not far:
        return ""
    numbers = ", ".join(map(str, far))
    return (
        f"what lies more than {FAR_MM / 10:.0f} cm from the mat's middle is outlined only as well as the lens is known "
        f"(here {numbers}): lay it nearer, or calibrate the camera first (pizzatable calibrate)"
    )


def _touching(places: Sequence[tuple[float, float]]) -> str:
    if not places:
        return ""
    at = " and ".join(f"({x:.0f}, {y:.0f}) mm" for x, y in places)
    return f"something larger than pieces lies on the mat at {at}: pieces that touch are not found; lay them apart"


def label_of(one: Spread, names: Sequence[Naming], *, doubtful: bool = False) -> dict[str, Any]:
    """A photo's labels, as `pizzatable enrol --labels` takes them: its named pieces, one naming a piece, and if asked
    for, without a name, what may be one."""
    pieces = []
    for number, (piece, naming) in enumerate(zip(one.pieces, names, strict=True), 1):
        label = {"number": number, **piece.turned(naming.turn_deg).as_label(one.registration)}
        pieces.append({**label, "face": naming.face, "face_up": naming.face not in BACKS.values()})
    pieces += [
        {"number": number, **piece.as_label(one.registration), "doubtful": True}
        for number, piece in enumerate(one.doubtful if doubtful else (), len(one.pieces) + 1)
    ]
    pieces += [{**piece.as_label(one.registration), "removed": True} for piece in one.removed]
    height, width = one.image.shape[:2]
    return {"photo": one.name, "image": {"width": width, "height": height}, "pieces": pieces}


def with_pieces(
    labels: Mapping[str, Any], image: Image, name: str, game: GameFaces, lens: Lens | None = None
) -> dict[str, Any]:
    """A photo's labels with the pieces that its marks tell of, where it has marks in place of pieces. `lens` is the
    photo's, if it is known.

    Raises:
        LabelError: the marks are not those of a board, or the game has none.
        RegistrationError: the photo cannot be laid over the table.
    """
    if MARKS not in labels:
        return dict(labels)
    pieces = marked_board(labels[MARKS], find_named(image, name, lens), name, game).pieces
    return {**{key: value for key, value in labels.items() if key != MARKS}, "pieces": pieces}


def marked_board(content: object, registration: Registration, name: str, game: GameFaces) -> MarkedBoard:
    """The board that marks in a photo tell of. Raises LabelError."""
    if not game.board_corners:
        raise LabelError(f"labels of {name}: {MARKS} are of a board, and {game.game} has none; expected pieces")
    marks = parse_marks(content, f"labels of {name}")
    for of, named, known in (
        ("corners", marks.corners, game.board_corners),
        ("toppings", marks.toppings, game.board_colours),
        ("cutters", marks.cutters, game.board_colours),
    ):
        if strange := [one for one in named if known and one not in known]:
            raise LabelError(f"labels of {name}: {MARKS}.{of} has {strange[0]!r}; expected {', '.join(known)}")
    return board_of_marks(marks, registration, name, game.board_corners, game.board_spaces)


def as_text(labels: Sequence[Mapping[str, Any]]) -> str:
    """Labels of photos as JSON with a line for each numbered piece, so that they can be filled in by hand."""
    photos = []
    for label in labels:
        if "pieces" not in label:
            photos.append(" " + json.dumps(label))
            continue
        lines = ",\n".join(
            "   " + json.dumps({"number": number, **piece}) for number, piece in enumerate(label["pieces"], 1)
        )
        about = json.dumps({key: value for key, value in label.items() if key != "pieces"})[:-1]
        photos.append(f' {about}, "pieces": [\n{lines}\n ]}}')
    return "[\n" + ",\n".join(photos) + "\n]\n"


def learn(
    photos: Sequence[tuple[Image, Mapping[str, Any]]],
    names: Sequence[str],
    game: GameFaces,
    lens: Lens | None = None,
    named_at: Mapping[str, Sequence[str]] | None = None,
) -> Learned:
    """Learn the named pieces of a game; those without a name are left out. `names` are the photos' own, `lens` is
    theirs, if it is known; `named_at` says where each face is named, if doubts are to say so.

    Raises:
        LabelError: nothing is named, a piece is named as one of another kind, or none is of a kind that the game has.
        RegistrationError: a photo cannot be laid over the table.
    """
    named = [(image, named_only(labels)) for image, labels in photos]
    for name, (_, labels) in zip(names, named, strict=True):
        _check_kinds(labels["pieces"], name, game)
    if not any(labels["pieces"] for _, labels in named):
        raise LabelError(f"no piece is named in {', '.join(names)}; expected a face for at least one")
    kinds = {str(piece.get("kind")) for _, labels in named for piece in labels["pieces"]}
    if not any(TRUE_KINDS.get(kind) in game.kinds for kind in kinds):
        expected = ", ".join(sorted(word for word, kind in TRUE_KINDS.items() if kind in game.kinds))
        raise LabelError(
            f"none of the pieces in {', '.join(names)} is one of {game.game}: they are of kind "
            f"{', '.join(sorted(kinds))}; expected {expected}, or another --game"
        )
    pack = enrol([one for one in named if one[1]["pieces"]], source=[
        name for name, (_, labels) in zip(names, named, strict=True) if labels["pieces"]
    ], board_spaces=game.board_spaces, lens=lens)  # fmt: skip
    alike = tuple(one for one in likenesses(pack) if one.too_alike)
    return Learned(
        pack,
        alike,
        game.missing_at_table(pack),
        tuple(game.doubts(pack, named_at)),
        tuple(upside_down(pack)),
        tuple(hardly_printed(pack)),
        tuple(even_faces(pack)),
        tuple(like_another_group(pack)),
        tuple(_unlike(pack, named, names)),
    )


def _check_kinds(pieces: Sequence[Mapping[str, Any]], name: str, game: GameFaces) -> None:
    """Check that no piece has a name that the game has for another kind, nor a front's while it lies face down. Raises
    LabelError."""
    for piece in pieces:
        kind, face = LABEL_KINDS.get(str(piece.get("kind"))), str(piece.get("face"))
        if kind is None:
            continue
        its = game.kind_of.get(face)
        at = f"({piece['x_mm']:.0f}, {piece['y_mm']:.0f}) mm"
        which = f"piece {piece['number']}" if isinstance(piece.get("number"), int) else "the piece"
        if its is not None and its is not kind:
            back = f" (its back is {BACKS[kind]})" if face in BACKS.values() else ""
            raise LabelError(
                f"labels of {name}: {which} at {at} was outlined as {with_article(kind)} and is named {face}, as "
                f"{with_article(its)} is in {game.game}; expected the name of {with_article(kind)}{back}; where it is "
                f"{with_article(its)}, remove its outline on the page and outline it as one by hand, or leave it "
                "without a name"
            )
        if piece.get("face_up") is False and face not in BACKS.values():
            raise LabelError(
                f'labels of {name}: {which} at {at} is named {face} and has "face_up": false, so that what shows would '
                f"be learned as the back of {with_article(kind)}; expected true where {face} shows, or the back's "
                f"name, {BACKS[kind]}"
            )


def _unlike(pack: FacePack, photos: Sequence[tuple[Image, Mapping[str, Any]]], names: Sequence[str]) -> Iterator[str]:
    """A sentence for each piece that is not read as the face it is named, of those of which a name has several: only
    one of them was learned."""
    shown = Counter(_shown(piece) for _, labels in photos for piece in labels["pieces"])
    for (image, labels), name in zip(photos, names, strict=True):
        several = [piece for piece in labels["pieces"] if piece.get("kind") in LABEL_KINDS and shown[_shown(piece)] > 1]
        if not several:
            continue
        read = report_photo(image, {"pieces": several}, pack, name)
        wrong = [(match.truth, f"looks like {match.sighting.face}") for match in read.matches if not match.right]
        wrong += [(piece, "does not look like another of this name") for piece in read.missing]
        for piece, looks in wrong:
            at = f"({piece.pose.x_mm:.0f}, {piece.pose.y_mm:.0f}) mm"
            many = f"{shown[piece.face]} pieces have this name: is it right for each?"
            yield f"{name}: {piece.face} at {at} {looks}; {many}"


def _shown(piece: Mapping[str, Any]) -> str:
    """The face that a labelled piece shows."""
    kind = LABEL_KINDS.get(str(piece.get("kind")))
    return str(piece.get("face")) if kind is None or piece.get("face_up", True) else BACKS[kind]


def named_only(labels: Mapping[str, Any]) -> dict[str, Any]:
    """A photo's labels without pieces that have no name; names without spaces around them."""
    return {**labels, "pieces": [piece for piece in map(_trimmed, labels["pieces"]) if _known(piece)]}


def _trimmed(piece: Mapping[str, Any]) -> dict[str, Any]:
    face = piece.get("face")
    return {**piece, "face": face.strip()} if isinstance(face, str) else dict(piece)


def _known(piece: Mapping[str, Any]) -> bool:
    """Whether a piece is named, or is of a kind without faces, such as a cutter."""
    return bool(piece.get("face")) or piece.get("kind") not in LABEL_KINDS


def preview(spreads: Sequence[Spread], names: Sequence[Sequence[Naming]]) -> Image:
    """Every named piece as it will be learned, upright, with its name."""
    return contact_sheet(
        [
            (one.piece(number, turn_deg=naming.turn_deg), naming.face)
            for one, namings in zip(spreads, names, strict=True)
            for number, naming in enumerate(namings, 1)
            if naming.face
        ]
    )
