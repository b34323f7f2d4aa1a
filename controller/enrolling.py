"""Naming the pieces that an owner laid out: photos in, proposals, names, a pack of faces out.

Used by `pizzatable enrol`, from its page and from its labels file alike.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vision.alike import Likeness, likenesses
from vision.contact_sheet import contact_sheet, numbered, upright
from vision.faces import BACKS, LABEL_KINDS, FacePack, LabelError, enrol
from vision.frame import Image
from vision.laid_out import LaidOut, find_laid_out
from vision.registration import Registration, find_mat
from vision.scene import PieceKind

_Millimetres = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-10000.0, le=10000.0)]
_Degrees = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-3600.0, le=3600.0)]
_Pixels = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-100000.0, le=100000.0)]
_Point = Annotated[list[_Pixels], Field(min_length=2, max_length=2)]
_Outline = Annotated[list[_Point], Field(min_length=3)]
_OTHER_KINDS = ("board", "topping", "cutter", "die", "sheet", "hand", "pencil")
_EXPECTED = {
    "pieces": "a list of pieces",
    "photo": "the photo's file name as text",
    "kind": f"one of {', '.join((*LABEL_KINDS, *_OTHER_KINDS))}",
    "face": "the face's name as text, empty to leave the piece out",
    "face_up": "true or false",
    "x_mm": "a number of millimetres from -10000 to 10000",
    "y_mm": "a number of millimetres from -10000 to 10000",
    "angle_deg": "a number of degrees from -3600 to 3600",
    "outline_px": "at least three points [x, y] in pixels, each number from -100000 to 100000",
}


class _OtherPiece(BaseModel):
    """A piece of a kind without faces."""

    model_config = ConfigDict(extra="allow")

    kind: Literal["board", "topping", "cutter", "die", "sheet", "hand", "pencil"]
    face: Annotated[str, Field(strict=True)] | None = None
    x_mm: _Millimetres | None = None
    y_mm: _Millimetres | None = None
    angle_deg: _Degrees | None = None
    outline_px: _Outline | None = None


class _FacePiece(BaseModel):
    """A piece of a kind with faces."""

    model_config = ConfigDict(extra="allow")

    kind: Literal["tile", "special", "slice-card", "order-card"]
    face: Annotated[str, Field(strict=True)]
    face_up: Annotated[bool, Field(strict=True)] = True
    x_mm: _Millimetres
    y_mm: _Millimetres
    angle_deg: _Degrees
    outline_px: _Outline


class _Labels(BaseModel):
    model_config = ConfigDict(extra="allow")

    photo: Annotated[str, Field(strict=True)] | None = None
    pieces: list[Any]


@dataclass(frozen=True, slots=True)
class Spread:
    """One photo of pieces laid out apart, and the pieces found in it."""

    name: str
    image: Image
    registration: Registration
    pieces: tuple[LaidOut, ...]

    def picture(self) -> Image:
        """The photo with the pieces numbered from 1."""
        return numbered(self.image, self.registration, self.pieces)

    def piece(self, number: int, *, turned: bool = False) -> Image:
        """The piece of this number (from 1), upright."""
        return upright(self.image, self.registration, self.pieces[number - 1], turned=turned)


@dataclass(frozen=True, slots=True)
class Naming:
    """What the owner says of one piece."""

    face: str
    """The face's name, a back's for a piece that lies face down; empty to leave it out."""
    turned: bool = False
    """Whether its top is where the proposal has its foot. Never so for slices."""


@dataclass(frozen=True, slots=True)
class Learned:
    """A pack, and what its owner should know of it."""

    pack: FacePack
    alike: tuple[Likeness, ...]
    """Faces that may be taken for each other."""
    missing: tuple[str, ...]
    """Faces of the game that no photo showed."""
    strange: tuple[str, ...] = ()
    """Faces that the game does not have."""


def spread(name: str, image: Image, kinds: frozenset[PieceKind], empty: Image | None = None) -> Spread:
    """Find the pieces in a photo. Raises RegistrationError."""
    registration = find_mat(image)
    return Spread(name, image, registration, tuple(find_laid_out(image, registration, kinds, empty=empty)))


def label_of(one: Spread, names: Sequence[Naming]) -> dict[str, Any]:
    """A photo's labels, as `pizzatable enrol --labels` takes them: its named pieces, one naming a piece."""
    pieces = []
    for piece, naming in zip(one.pieces, names, strict=True):
        label = piece.as_label(one.registration)
        if naming.turned and piece.shape.kind is not PieceKind.SLICE:
            label["angle_deg"] = round((label["angle_deg"] + 180.0) % 360.0, 3)
        pieces.append({**label, "face": naming.face, "face_up": naming.face not in BACKS.values()})
    height, width = one.image.shape[:2]
    return {"photo": one.name, "image": {"width": width, "height": height}, "pieces": pieces}


def check_labels(labels: Mapping[str, Any], where: str) -> None:
    """Check one photo's labels as they stand in a file; `where` names it.

    Raises:
        LabelError: something is missing or is not what was expected. Pieces are counted from 1.
    """
    _check(_Labels, labels, where)
    pieces = labels["pieces"]
    for number, piece in enumerate(pieces, 1):
        at = f"{where}: piece {number} of {len(pieces)}"
        if not isinstance(piece, Mapping):
            raise LabelError(f"{at} is {_shown(piece)}; expected an object with its kind, face and place")
        other = isinstance(piece.get("kind"), str) and piece["kind"] in _OTHER_KINDS
        _check(_OtherPiece if other else _FacePiece, piece, at)


def check_outlines(labels: Mapping[str, Any], image: Image, where: str) -> None:
    """Check that every outline lies in its photo, at least in part. Raises LabelError."""
    height, width = image.shape[:2]
    for number, piece in enumerate(labels["pieces"], 1):
        if outline := piece.get("outline_px"):
            across, down = zip(*outline, strict=True)
            if max(across) < 0 or min(across) > width or max(down) < 0 or min(down) > height:
                raise LabelError(
                    f"{where}: piece {number} of {len(labels['pieces'])}: outline_px from x {min(across)}, "
                    f"y {min(down)} to x {max(across)}, y {max(down)} lies outside the picture; expected it within "
                    f"{width} x {height} pixels"
                )


def _check(model: type[BaseModel], value: Mapping[str, Any], where: str) -> None:
    try:
        model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = str(first["loc"][0])
        if key in value:
            said = f"{key} is {_shown(value[key] if first['type'] == 'missing' else first['input'])}"
        else:
            said = f"{key} is missing"
        raise LabelError(f"{where}: {said}; expected {_EXPECTED[key]}") from error


def _shown(value: object) -> str:
    """A value of a JSON file in short."""
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def learn(photos: Sequence[tuple[Image, Mapping[str, Any]]], names: Sequence[str], wanted: Sequence[str]) -> Learned:
    """Learn the named pieces; those without a name are left out.

    `names` are the photos' own, `wanted` the faces that the game has.

    Raises:
        LabelError: nothing is named, or a name is given to two different kinds of piece.
        RegistrationError: a photo cannot be laid over the table.
    """
    named = [(image, {**labels, "pieces": [p for p in labels["pieces"] if _known(p)]}) for image, labels in photos]
    if not any(labels["pieces"] for _, labels in named):
        raise LabelError(f"no piece is named in {', '.join(names)}; expected a face for at least one")
    pack = enrol([one for one in named if one[1]["pieces"]], source=[
        name for name, (_, labels) in zip(names, named, strict=True) if labels["pieces"]
    ])  # fmt: skip
    alike = tuple(one for one in likenesses(pack) if one.too_alike)
    known = {*wanted, *BACKS.values()}
    strange = tuple(face for face in pack.names if wanted and face not in known)
    return Learned(pack, alike, tuple(face for face in wanted if face not in pack.names), strange)


def _known(piece: Mapping[str, Any]) -> bool:
    """Whether a piece is named, or is of a kind without faces, such as a cutter."""
    return bool(piece.get("face")) or piece.get("kind") not in LABEL_KINDS


def preview(spreads: Sequence[Spread], names: Sequence[Sequence[Naming]]) -> Image:
    """Every named piece as it will be learned, upright, with its name."""
    return contact_sheet(
        [
            (one.piece(number, turned=naming.turned), naming.face)
            for one, namings in zip(spreads, names, strict=True)
            for number, naming in enumerate(namings, 1)
            if naming.face
        ]
    )
