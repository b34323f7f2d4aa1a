"""Labels files: what lies where in a photo, as an owner or a truth file says it. They are read and checked here only.

A file holds one photo's labels or a list of them. A photo's labels are an object with `pieces`, and where they are
known `photo` (its file's name), `image` (`width` and `height`), `style` and `kind` (of the picture). What a piece needs
depends on what is done with it: FaceLabel, BoardLabel and so on say it for learning, TrueFace and so on for comparing
what was read with what lay there, SheetLabel for a score sheet's marks. Other keys are passed over; another kind of
piece is an error.

Millimetres and degrees are of the table's frame (origin at the mat's middle, x to the right, y away from seat 1,
degrees counter-clockwise), pixels of the photo.
"""

import json
import math
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from vision.files.board_marks import MARKS, parse_marks
from vision.files.label_kinds import EVERY_KIND, LABEL_KINDS, TRUE_KINDS, LabelError
from vision.scene import PieceKind

# Fields: each with what an error says was expected --------------------------------------------------------------------


def _apart(ends: list[list[float]]) -> list[list[float]]:
    if max(abs(ends[0][axis] - ends[1][axis]) for axis in (0, 1)) < 1.0:
        raise ValueError("both ends lie at one place")
    return ends


def _sticks_length(ends: list[list[float]]) -> list[list[float]]:
    if not 60.0 <= math.dist(*ends) <= 700.0:
        raise ValueError("no stick is so short or so long")
    return ends


def _in_plane(space: str) -> str:
    if sum(int(step) for step in space.split(",")) != 0:
        raise ValueError("the coordinates of a space add up to 0")
    return space


def _whole_letters(text: str) -> str:
    """Half a surrogate pair, which JSON can hold, cannot be written."""
    text.encode("utf-8")
    return text


def _one_line(text: str) -> str:
    if not text.strip().isprintable():
        raise ValueError("a name has signs that cannot be shown")
    return text


_Text = Annotated[str, AfterValidator(_whole_letters)]
_Number = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-100000.0, le=100000.0)]
_Pair = Annotated[list[_Number], Field(min_length=2, max_length=2)]
_Points = Annotated[list[_Pair], Field(min_length=3)]
_Ends = Annotated[list[_Pair], Field(min_length=2, max_length=2), AfterValidator(_apart)]
_Whole = Annotated[int, Field(strict=True, ge=0, le=1000)]
_GridPlace = Annotated[list[_Whole], Field(min_length=2, max_length=2)]
_GridLine = Annotated[list[_GridPlace], Field(min_length=2, max_length=2)]
_DotRow = Annotated[str, Field(pattern=r"^[.#]{3}\z")]

_Millimetres = Annotated[
    float,
    Field(
        strict=True,
        allow_inf_nan=False,
        ge=-10000.0,
        le=10000.0,
        description="a number of millimetres from -10000 to 10000",
    ),
]
_Degrees = Annotated[
    float,
    Field(
        strict=True, allow_inf_nan=False, ge=-3600.0, le=3600.0, description="a number of degrees from -3600 to 3600"
    ),
]
_Outline = Annotated[
    _Points, Field(description="at least three points [x, y] in pixels, each number from -100000 to 100000")
]
_Corners = Annotated[
    Annotated[list[_Pair], Field(min_length=3, max_length=4)] | None,
    Field(description="a list of its three or four corners [x, y] in pixels, as somebody pointed at them"),
]
_EndsMm = Annotated[
    _Ends,
    AfterValidator(_sticks_length),
    Field(description="two points [x, y] in millimetres, 60 to 700 mm apart, the coloured end second"),
]
_EndsPx = Annotated[
    _Ends | None, Field(description="two points [x, y] in pixels, the coloured end second, not both at one place")
]
_Colour = Annotated[_Text, Field(min_length=1, description="a colour's name as text")]
_Space = Annotated[
    Annotated[str, Field(pattern=r"^-?[0-9]{1,2},-?[0-9]{1,2},-?[0-9]{1,2}\z"), AfterValidator(_in_plane)] | None,
    Field(description='coordinates such as "1,-1,0" that add up to 0, or null where it lies on no space'),
]
_Face = Annotated[
    _Text,
    AfterValidator(_one_line),
    Field(max_length=100, description="the face's name as text of 100 letters at most, empty to leave the piece out"),
]
_FaceUp = Annotated[bool, Field(strict=True, description="true or false")]
_Side = Annotated[int, Field(strict=True, ge=1, le=100000, description="a whole number of pixels from 1 to 100000")]


class _Checked(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Size(_Checked):
    width: _Side
    height: _Side


class _Photo(_Checked):
    pieces: Annotated[list[Any], Field(description="a list of pieces")]
    photo: Annotated[_Text | None, Field(description="the photo's file name as text")] = None
    image: Annotated[_Size | None, Field(description="an object with the photo's width and height in pixels")] = None
    style: Annotated[_Text, Field(description="the pieces' style as text")] = ""
    kind: Annotated[_Text, Field(description="the kind of picture as text")] = ""


# To learn from --------------------------------------------------------------------------------------------------------


class FaceLabel(_Checked):
    """A piece with a face. A slice's place is its tip, another piece's its middle; it points to crust or top."""

    kind: str
    """One of LABEL_KINDS."""
    face: _Face
    face_up: _FaceUp = True
    x_mm: _Millimetres
    y_mm: _Millimetres
    angle_deg: _Degrees
    outline_px: _Outline
    corners_px: _Corners = None
    """Where it was outlined by hand: what `vision.enrolling.by_hand` takes."""
    removed: Annotated[bool, Field(strict=True, description="true or false")] = False
    """Whether it was found and is no piece."""
    doubtful: Annotated[bool, Field(strict=True, description="true or false")] = False
    """Whether it hardly stands out from the table, and may be none: it is one if it has a face."""


class BoardLabel(_Checked):
    """The round board: its middle, and the direction of its `1st` from there."""

    x_mm: _Millimetres
    y_mm: _Millimetres
    angle_deg: _Degrees
    diameter_mm: Annotated[
        float,
        Field(strict=True, allow_inf_nan=False, ge=50.0, le=600.0, description="a number of millimetres, 50 to 600"),
    ]
    outline_px: _Outline | None = None


class ToppingLabel(_Checked):
    """A topping, by its middle."""

    colour: _Colour
    x_mm: _Millimetres
    y_mm: _Millimetres
    diameter_mm: Annotated[
        float,
        Field(strict=True, allow_inf_nan=False, ge=5.0, le=100.0, description="a number of millimetres, 5 to 100"),
    ] = 18.0
    space: _Space = None
    outline_px: _Outline


class CutterLabel(_Checked):
    """A cutter, from its blunt end to its coloured one."""

    colour: _Colour
    ends_mm: _EndsMm
    ends_px: _EndsPx = None
    diameter_mm: Annotated[
        float,
        Field(strict=True, allow_inf_nan=False, ge=1.5, le=19.0, description="a number of millimetres, 1.5 to 19"),
    ]
    outline_px: _Outline


class _Hiding(_Checked):
    outline_px: _Outline


class _PassedOver(_Checked):
    outline_px: Annotated[_Points | None, Field(description="at least three points [x, y] in pixels")] = None


@dataclass(frozen=True, slots=True)
class BoardLabels:
    """A photo's board and what lies on it."""

    board: BoardLabel
    toppings: tuple[ToppingLabel, ...]
    cutters: tuple[CutterLabel, ...]
    outlines_px: tuple[list[list[float]], ...]
    """Of everything but the board: its print does not show there."""


@dataclass(frozen=True, slots=True)
class LabelsToLearn:
    """What a photo teaches."""

    faces: tuple[FaceLabel, ...]
    """Those that are named."""
    board: BoardLabels | None


def labels_to_learn(labels: object, where: str) -> LabelsToLearn:
    """A photo's labels as faces and a board are learned from them; `where` names the file or photo.

    Of a photo without a board only pieces of LABEL_KINDS are used, of one with a board everything: it hides the print.

    Raises:
        LabelError: something is missing or is not what was expected.
    """
    pieces = [(kind, piece, at) for _, kind, piece, at in _pieces(labels, where)]
    faces = [_face(piece, at) for kind, piece, at in pieces if kind in LABEL_KINDS]
    boards = [(piece, at) for kind, piece, at in pieces if kind == "board"]
    if len(boards) > 1:
        raise LabelError(f"{where}: {len(boards)} pieces are of kind board; expected one board in a photo")
    if not boards:
        for _, piece, at in pieces:
            _check(_PassedOver, piece, at)
        return LabelsToLearn(tuple(face for face in faces if face.face), None)
    board = BoardLabels(
        _check(BoardLabel, *boards[0]),
        tuple(_check(ToppingLabel, piece, at) for kind, piece, at in pieces if kind == "topping"),
        tuple(_check(CutterLabel, piece, at) for kind, piece, at in pieces if kind == "cutter"),
        tuple(_check(_Hiding, piece, at).outline_px for kind, piece, at in pieces if kind != "board"),
    )
    return LabelsToLearn(tuple(face for face in faces if face.face), board)


# To compare with ------------------------------------------------------------------------------------------------------


class _True(_Checked):
    x_mm: _Millimetres
    y_mm: _Millimetres
    angle_deg: _Degrees
    visible: Annotated[
        float, Field(strict=True, allow_inf_nan=False, ge=0.0, le=1.0, description="the share that shows, 0 to 1")
    ] = 1.0


class TrueFace(_True):
    """A piece with a face, a board or a sheet. The face is its front's, also where it lies face down. Of cards around
    an order card, where it is known, whose they are and which place they lie in."""

    face: Annotated[_Text, Field(description="the face's name as text")]
    face_up: _FaceUp = True
    seat: Annotated[_Text | None, Field(description="the name of a seat, or null")] = None
    slot: Annotated[_Whole | None, Field(description="the number of a place, or null")] = None


class TrueColour(_True):
    """A topping or a cutter; where they are known a topping's space, and the numbered line that a cutter lies on."""

    colour: _Colour
    space: _Space = None
    side: Annotated[_Text | None, Field(description="the name of a side of the board, or null")] = None
    line: Annotated[_Whole | None, Field(description="the number of a line, or null")] = None


class TruePips(_True):
    """A die with pips."""

    value: Annotated[int, Field(strict=True, ge=1, le=6, description="a whole number from 1 to 6")]


class TrueDots(_True):
    """A die with dots: three rows of its top, as seen from the side that its angle names."""

    pattern: Annotated[
        list[_DotRow],
        Field(min_length=3, max_length=3, description='three rows such as "#.." of a dot die\'s top, # for a dot'),
    ]


TrueLabel = TrueFace | TrueColour | TruePips | TrueDots


def labels_to_compare(
    labels: object, where: str, kinds: Set[PieceKind] = frozenset(PieceKind)
) -> list[tuple[PieceKind, TrueLabel]]:
    """The pieces of these kinds in a photo; `where` names the file or photo.

    Raises:
        LabelError: something is missing or is not what was expected.
    """
    return [
        (TRUE_KINDS[kind], _check(_true_model(TRUE_KINDS[kind], piece), piece, at))
        for _, kind, piece, at in _pieces(labels, where)
        if TRUE_KINDS.get(kind) in kinds
    ]


def _true_model(kind: PieceKind, piece: Mapping[str, Any]) -> type[TrueFace | TrueColour | TruePips | TrueDots]:
    match kind:
        case PieceKind.DIE:
            return TrueDots if "pattern" in piece else TruePips
        case PieceKind.TOPPING | PieceKind.CUTTER:
            return TrueColour
        case _:
            return TrueFace


class _Crossed(_Checked):
    square: Annotated[_GridPlace, Field(description="a square [column, row]")]


class SheetLabel(_Checked):
    """What is pencilled on a score sheet. Dots and squares are [column, row], boxes are counted from 0."""

    dots: Annotated[list[_GridPlace], Field(description="a list of dots [column, row]")]
    lines: Annotated[list[_GridLine], Field(description="a list of lines, each of two dots [column, row]")]
    crossed: Annotated[list[_Crossed], Field(description='a list of toppings such as {"square": [2, 3]}')]
    circled: Annotated[list[_Whole], Field(description="a list of the boxes' numbers, from 0")]
    crossed_bonuses: Annotated[list[_Whole], Field(description="a list of the boxes' numbers, from 0")]


class _Arrangement(_Checked):
    sheet: Annotated[SheetLabel, Field(description="an object with the marks of a score sheet")]


class _Arranged(_Checked):
    arrangement: Annotated[_Arrangement, Field(description="an object with what is on the score sheet")]


def sheet_label(labels: object, where: str) -> SheetLabel:
    """What is pencilled on the sheet in a photo, its `arrangement.sheet`; `where` names the file or photo.

    Raises:
        LabelError: something is missing or is not what was expected.
    """
    return _check(_Arranged, labels, _At(where)).arrangement.sheet


class RingLabel(_Checked):
    """The circle of slices, faces as they show, and the Special beside it."""

    ring: Annotated[list[_Text], Field(description="a list of the circle's faces")]
    special: Annotated[_Text | None, Field(description="a Special's face, or null")] = None


class PortionsLabel(_Checked):
    """The circle cut into portions, some of them empty, and where the Special lies."""

    portions: Annotated[list[list[_Text]], Field(description="a list of portions, each a list of faces")]
    special: Annotated[_Text | None, Field(description="a Special's face, or null")] = None
    special_portion: Annotated[_Whole | None, Field(description="the number of a portion, from 0, or null")] = None
    special_alone: Annotated[bool, Field(strict=True, description="true or false")] = False


class OwnLabel(_Checked):
    """What lies in front of a player."""

    collected: Annotated[list[list[_Text]], Field(description="a list of groups, each a list of faces")]
    eaten: Annotated[list[_Text], Field(description="a list of faces, those of the slices that lie face down")]
    specials: Annotated[list[_Text], Field(description="a list of Specials' faces")]


class SeatsLabel(_Checked):
    """What lies in the middle and at each side of the mat."""

    middle: Annotated[list[_Text], Field(description="a list of faces")]
    seats: Annotated[dict[_Text, OwnLabel], Field(description="an object: side -> what lies there")]


class SpacesLabel(_Checked):
    """The toppings on a board."""

    spaces: Annotated[
        dict[Annotated[str, Field(pattern=r"^-?[0-9]{1,2},-?[0-9]{1,2},-?[0-9]{1,2}\z")], _Text],
        Field(description='an object: coordinates such as "1,-1,0" -> colour'),
    ]


class CardPlaceLabel(_Checked):
    """A place around an order card; without its number places are in their order, from 0."""

    slot: Annotated[_Whole | None, Field(description="the number of the place, or null")] = None
    face: Annotated[_Text | None, Field(description="a face, or null where there is no card")] = None
    face_up: Annotated[bool | None, Field(strict=True, description="true, false, or null")] = None
    blocked: Annotated[bool, Field(strict=True, description="true or false")] = False


class CardSeatLabel(_Checked):
    """An order card and what lies around it."""

    order: Annotated[_Text, Field(description="the order card's face")]
    slots: Annotated[list[CardPlaceLabel], Field(description="a list of places")]


class CardsLabel(_Checked):
    """Every seat's cards, and the open pile."""

    seats: Annotated[dict[_Text, CardSeatLabel], Field(description="an object: seat -> its cards")]
    open_top: Annotated[_Text | None, Field(description="the face of the open pile's top card, or null")] = None


ArrangementLabel = RingLabel | PortionsLabel | SeatsLabel | SpacesLabel | CardsLabel
_ARRANGEMENTS: Mapping[str, type[ArrangementLabel]] = {
    "ring": RingLabel,
    "portions": PortionsLabel,
    "middle": SeatsLabel,
    "spaces": SpacesLabel,
    "open_top": CardsLabel,
}
"""By the key that each of them has and no other."""


def arrangement_label(labels: Mapping[str, Any], where: str) -> ArrangementLabel | None:
    """How the pieces in a photo are arranged, by its `arrangement`; None where it says nothing of that.

    Raises:
        LabelError: something is missing or is not what was expected.
    """
    said = labels.get("arrangement")
    if said is None:
        return None
    at = _At(where, "arrangement")
    if not isinstance(said, dict):
        raise LabelError(f"{where}: arrangement is {_shown(said)}; expected an object with how the pieces are arranged")
    model = next((model for key, model in _ARRANGEMENTS.items() if key in said), None)
    return None if model is None else _check(model, said, at)


# Files and photos -----------------------------------------------------------------------------------------------------


def load_labels(path: Path) -> list[dict[str, Any]]:
    """The labels in a file, one photo's or a list of them, checked as for learning. In place of `pieces` a photo of a
    board may have `marks`.

    Raises:
        LabelError: it holds no labels, or they do not say what is needed.
        OSError: it cannot be read.
    """
    content = load_json(path)
    several = content if isinstance(content, list) else [content]
    expected = "expected an object with a photo's labels, or a list of such objects"
    if not several:
        raise LabelError(f"{path}: it holds an empty list; {expected}")
    found = []
    for number, labels in enumerate(several, 1):
        where = f"{path}: photo {number} of {len(several)}" if isinstance(content, list) else str(path)
        if not isinstance(labels, dict):
            raise LabelError(f"{where} is {_shown(labels)}; {expected}")
        if MARKS in labels:
            parse_marks(labels[MARKS], where)
        else:
            labels_to_learn(labels, where)
        found.append(labels)
    return found


def load_json(path: Path) -> object:
    """What a JSON file in UTF-8 holds.

    Raises:
        LabelError: it is none.
        OSError: it cannot be read.
    """
    content = path.read_bytes()
    if not content.strip():
        raise LabelError(f"{path}: the file is empty; expected JSON")
    try:
        return json.loads(content.decode("utf-8-sig"), object_pairs_hook=_without_doubles)
    except UnicodeDecodeError as error:
        raise LabelError(f"{path}: byte {error.start} is not UTF-8; expected a JSON file in UTF-8") from error
    except json.JSONDecodeError as error:
        at = f"line {error.lineno}, column {error.colno}"
        cut = ", where the file ends," if error.pos >= len(error.doc.rstrip()) else ""
        raise LabelError(f"{path}: {at}{cut} is not JSON; expected a whole JSON file") from error
    except RecursionError as error:
        raise LabelError(f"{path}: lists or objects are nested too deep; expected a photo's labels") from error
    except _TwiceError as error:
        raise LabelError(f"{path}: the key {_shown(error.key)} stands twice in an object; expected it once") from error
    except ValueError as error:
        raise LabelError(f"{path}: a number has too many digits; expected a photo's labels") from error


def picture_kind(labels: Mapping[str, Any], where: str) -> tuple[str, str]:
    """The kind and the style of a photo, "" where nothing says them. Raises LabelError."""
    for key, expected in (("kind", "the kind of picture"), ("style", "the pieces' style")):
        if not isinstance(labels.get(key, ""), str):
            raise LabelError(f"{where}: {key} is {_shown(labels[key])}; expected {expected} as text")
    return labels.get("kind", ""), labels.get("style", "")


def check_size(labels: Mapping[str, Any], width: int, height: int, where: str) -> None:
    """Check that a photo, in pixels, is as large as its labels say where they do. Raises LabelError."""
    said = _check(_Photo, labels, _At(where)).image
    if said is not None and (said.width, said.height) != (width, height):
        raise LabelError(
            f"{where}: image says {said.width} x {said.height} pixels; the photo has {width} x {height}; expected the "
            "photo that the labels were made for, in its own size"
        )


def check_outlines(labels: Mapping[str, Any], width: int, height: int, where: str) -> None:
    """Check that every outline lies in its photo, at least in part. Raises LabelError."""
    for _, _, piece, at in _pieces(labels, where):
        if outline := _check(_PassedOver, piece, at).outline_px:
            across, down = zip(*outline, strict=True)
            if max(across) < 0 or min(across) > width or max(down) < 0 or min(down) > height:
                raise LabelError(
                    f"{at.key('outline_px')} goes from x {min(across):g}, y {min(down):g} to x {max(across):g}, "
                    f"y {max(down):g}; expected it in the picture, at least in part: {width} x {height} pixels"
                )


class _TwiceError(ValueError):
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _TwiceError(key)
        found[key] = value
    return found


# Checking -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _At:
    """A place: of a file or photo, the path in it, and what people call that."""

    where: str
    path: str = ""
    called: str = ""

    def key(self, key: str) -> str:
        """The place of a key here, for an error."""
        path = f"{self.path}.{key}" if self.path else key
        return f"{self.where}: {path}{self.called}"


_Model = TypeVar("_Model", bound=_Checked)


def _pieces(labels: object, where: str) -> Iterator[tuple[int, str, dict[str, Any], _At]]:
    """Each piece with its index, its kind, which is one of EVERY_KIND, and its place."""
    pieces = _check(_Photo, labels, _At(where)).pieces
    for index, piece in enumerate(pieces):
        at = _At(where, f"pieces[{index}]", f" (piece {index + 1} of {len(pieces)})")
        if not isinstance(piece, Mapping):
            said = f"{where}: {at.path}{at.called} is {_shown(piece)}"
            raise LabelError(f"{said}; expected an object with its kind, face and place")
        kind = piece.get("kind")
        if not isinstance(kind, str) or kind not in EVERY_KIND:
            said = f"is {_shown(kind)}" if "kind" in piece else "is missing"
            raise LabelError(f"{at.key('kind')} {said}; expected one of {', '.join(EVERY_KIND)}")
        yield index, kind, dict(piece), at


def _check(model: type[_Model], value: object, at: _At) -> _Model:
    if not isinstance(value, Mapping):
        raise LabelError(f"{at.where} is {_shown(value)}; expected an object with a photo's labels")
    try:
        return model.model_validate(dict(value))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        said = "is missing" if first["type"] == "missing" else f"is {_shown(first['input'])}"
        place = at.key(_path(first["loc"]))
        raise LabelError(f"{place} {said}; expected {_expected(model, first['loc'])}") from error


def _face(piece: Mapping[str, Any], at: _At) -> FaceLabel:
    face = _check(FaceLabel, piece, at)
    if face.removed and (face.face or face.corners_px):
        other = f"its face is {face.face!r}" if face.face else "its corners_px are there"
        raise LabelError(f"{at.key('removed')} is true and {other}; expected one of them alone")
    return face


def _path(location: tuple[int | str, ...]) -> str:
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in location]
    return "".join(parts).removeprefix(".")


def _expected(model: type[BaseModel], location: tuple[int | str, ...]) -> str:
    """What the innermost field of a place says that it expects."""
    said, inner = "", model
    for part in location:
        if isinstance(part, str) and part in inner.model_fields:
            field = inner.model_fields[part]
            said = field.description or said
            inner = next(_models(field.annotation), inner)
    return said


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    """The models in a type such as `list[Model] | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)


def _shown(value: object) -> str:
    """A value of a JSON file in short, in letters that every screen can show."""
    match value:
        case list():
            return f"a list of {len(value)}"
        case Mapping():
            return "an object"
        case str() | bool() | int() | float() | None:
            text = _as_json(value)
            return text if len(text) <= 60 else text[:57] + "..."
        case _:
            return f"a {type(value).__name__}"


def _as_json(value: str | bool | int | float | None) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**50:
        return "a number of more than 50 digits"
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else json.dumps(value)
