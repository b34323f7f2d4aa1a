"""What players have pencilled on their sheets in one picture, without any game state: what `pizzatable read` prints.

Dots and squares are [column, row], from 0 at the left and at the top of the sheet as it is printed.
"""

from collections.abc import Iterable, Mapping, Sequence

from controller.game import Json
from controller.games.dice_and_slice.components import Face, load_components
from controller.games.dice_and_slice.laid import face_shown
from vision.scene import LIKELY, MarkKind, PieceKind, Scene, SheetMark, Sighting

KINDS = frozenset({PieceKind.SHEET})
"""The pieces that may lie on its table. Its dice, which have no numbers, are looked for with the sheets."""

DOUBTFUL = (0.1, 0.9)


def describe(scene: Scene) -> Json:
    """Every sheet's marks and the dice's patterns.

    Returns a dictionary: `sheets`, each with `dots`, `lines` (pairs of neighbouring dots), `missing_lines` (neighbours
    that no line joins, though the rules want one), `crossed` (squares of crossed-out toppings), `circled` and
    `crossed_bonuses` (numbers of the boxes from the left, from 0), `hidden` (the places that something lies on, by the
    kind of mark) and `doubtful` (marks that may or may not be there, with their likelihoods); and `dice`, each with its
    `pattern` (three rows, # a dot) as seen with its right side along `angle_deg`, and the `face` of the usual dice that
    has it: null is another game's die. Nothing is said of hidden places.
    """
    faces = load_components().faces
    return {
        "sheets": [_sheet(sighting) for sighting in scene.sightings if sighting.kind is PieceKind.SHEET],
        "dice": [_die(sighting, faces) for sighting in scene.sightings if sighting.kind is PieceKind.DIE],
    }


def _sheet(sheet: Sighting) -> Json:
    seen = {kind: [mark for mark in sheet.marks if mark.kind is kind and not mark.hidden] for kind in MarkKind}
    hidden = [mark for mark in sheet.marks if mark.hidden]
    dots = [mark.at for mark in _likely(seen[MarkKind.DOT])]
    lines = _likely(seen[MarkKind.LINE])
    unjoined = [m for m in seen[MarkKind.LINE] if m not in lines and m.at[:2] in dots and m.at[2:] in dots]
    return {
        "dots": [list(dot) for dot in dots],
        "lines": _pairs(lines),
        "missing_lines": _pairs(unjoined),
        "crossed": [{"square": list(mark.at)} for mark in _likely(seen[MarkKind.CROSSED_TOPPING])],
        "circled": [mark.at[0] for mark in _likely(seen[MarkKind.CIRCLED_BONUS])],
        "crossed_bonuses": [mark.at[0] for mark in _likely(seen[MarkKind.CROSSED_BONUS])],
        "hidden": {
            kind.value: [list(mark.at) for mark in hidden if mark.kind is kind]
            for kind in MarkKind
            if any(mark.kind is kind for mark in hidden)
        },
        "doubtful": [
            {"mark": mark.kind.value, "at": list(mark.at), "likelihood": mark.probability}
            for mark in sheet.marks
            if not mark.hidden and DOUBTFUL[0] < mark.probability < DOUBTFUL[1]
        ],
    }


def _likely(marks: Iterable[SheetMark]) -> list[SheetMark]:
    return [mark for mark in marks if mark.probability >= LIKELY]


def _pairs(lines: Sequence[SheetMark]) -> list[list[list[int]]]:
    return [[list(mark.at[:2]), list(mark.at[2:])] for mark in lines]


def _die(die: Sighting, faces: Mapping[str, Face]) -> Json:
    pattern = die.face.split("/")
    return {
        "face": face_shown(faces, pattern),
        "pattern": pattern,
        "angle_deg": die.pose.angle_deg,
        "likelihood": die.probability,
    }
