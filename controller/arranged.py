"""Whether what a game makes of a picture is what its labels say: rings, portions, seats, spaces, lines and places."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

from controller.game import Json
from controller.games.registry import load_part
from controller.reading import Describe
from vision.files.labels import (
    CardPlaceLabel,
    CardSeatLabel,
    CardsLabel,
    OwnLabel,
    PortionsLabel,
    RingLabel,
    SeatsLabel,
    SpacesLabel,
    TrueColour,
    TrueFace,
    arrangement_label,
    labels_to_compare,
)
from vision.reports.compared import LEAST_VISIBLE
from vision.scene import PieceKind, Scene

TILES = frozenset({PieceKind.SLICE, PieceKind.SPECIAL})
CARDS = frozenset({PieceKind.SLICE_CARD, PieceKind.ORDER_CARD})
COLOURED = frozenset({PieceKind.TOPPING, PieceKind.CUTTER})
GAMES: Mapping[type, str] = {
    RingLabel: "new_york_slice",
    PortionsLabel: "new_york_slice",
    SeatsLabel: "new_york_slice",
    SpacesLabel: "pizza_theory",
    CardsLabel: "slice",
}
"""The game that makes something of such an arrangement; the games of slices make the same of it."""


def misarranged(scene: Scene, labels: Mapping[str, Any], where: str) -> tuple[str, ...] | None:
    """A line for each part of a picture's arrangement that is not as its labels say; None where they say nothing of it.

    Pieces of which less than half shows (LEAST_VISIBLE) may be missing from it. Where a circle begins does not matter.

    Raises:
        LabelError: the labels do not say what is needed.
    """
    truth = arrangement_label(labels, where)
    if truth is None:
        return None
    describe: Describe = load_part(GAMES[type(truth)], "describe").describe
    said: Any = describe(scene)
    match truth:
        case RingLabel() | PortionsLabel():
            return tuple(_circle_faults(truth, said, _hardly_seen(labels, where)))
        case SeatsLabel():
            return tuple(_seat_faults(truth, said))
        case SpacesLabel():
            colours = [
                label for _, label in labels_to_compare(labels, where, COLOURED) if isinstance(label, TrueColour)
            ]
            return (*_space_faults(truth, said, colours), *_line_faults(said, colours))
        case CardsLabel():
            cards = [label for _, label in labels_to_compare(labels, where, CARDS) if isinstance(label, TrueFace)]
            return tuple(_card_faults(truth, said, cards))


def _hardly_seen(labels: Mapping[str, Any], where: str) -> set[str]:
    pieces = labels_to_compare(labels, where, TILES)
    return {label.face for _, label in pieces if isinstance(label, TrueFace) and label.visible < LEAST_VISIBLE}


def _circle_faults(truth: RingLabel | PortionsLabel, said: Json, hardly_seen: Set[str]) -> Iterator[str]:
    portions = [truth.ring] if isinstance(truth, RingLabel) else truth.portions
    true, read = (
        [shown for portion in circle if (shown := _without(portion, hardly_seen))]
        for circle in (portions, said["portions"])
    )
    if not _same_circle(true, read):
        yield f"the circle {_circle(true)} is read as {_circle(read)}"
    if truth.special != said["special"] and truth.special not in hardly_seen:
        yield f"Special {truth.special} is read as {said['special']}"
    elif isinstance(truth, PortionsLabel):
        lies_with = _with_special(truth.portions, truth.special_portion, alone=truth.special_alone)
        seen_with = _with_special(said["portions"], said["special_portion"], alone=said["special_alone"])
        if _without(lies_with, hardly_seen) != _without(seen_with, hardly_seen):
            true_with, read_with = (" ".join(faces) or "nothing" for faces in (lies_with, seen_with))
            yield f"the Special lies with {true_with}, read as with {read_with}"


def _with_special(portions: Sequence[Sequence[str]], number: int | None, *, alone: bool) -> Sequence[str]:
    return [] if alone or number is None or number >= len(portions) else portions[number]


def _without(faces: Iterable[str], hardly_seen: Set[str]) -> list[str]:
    return [face for face in faces if face not in hardly_seen]


def _same_circle(true: Sequence[Sequence[str]], read: Sequence[Sequence[str]]) -> bool:
    """Whether both are the same portions in the same circle, wherever it begins."""
    if len(true) == len(read) == 1:
        return _from_first(true[0]) == _from_first(read[0])
    return _from_first([tuple(portion) for portion in true]) == _from_first([tuple(portion) for portion in read])


def _from_first(circle: Sequence[Any]) -> list[Any]:
    return min(([*circle[i:], *circle[:i]] for i in range(len(circle))), default=[])


def _circle(portions: Sequence[Sequence[str]]) -> str:
    return " | ".join(" ".join(portion) for portion in portions) or "empty"


def _seat_faults(truth: SeatsLabel, said: Json) -> Iterator[str]:
    if sorted(truth.middle) != sorted(said["middle"]):
        yield f"the middle, {_faces(truth.middle)}, is read as {_faces(said['middle'])}"
    for side, own in truth.seats.items():
        read = said["seats"].get(side, {})
        if not _same_own(own, read):
            yield f"what lies in the {side} is read as {read or 'nothing'}"
    for side in sorted(said["seats"].keys() - truth.seats.keys()):
        yield f"nothing lies in the {side}, read as {said['seats'][side]}"


def _same_own(own: OwnLabel, read: Json) -> bool:
    groups, seen = (
        sorted(sorted(group) for group in several) for several in (own.collected, read.get("collected", []))
    )
    specials, seen_specials = sorted(own.specials), sorted(read.get("specials", []))
    return (groups, len(own.eaten), specials) == (seen, read.get("eaten", 0), seen_specials)


def _faces(faces: Sequence[str]) -> str:
    return " ".join(sorted(faces)) or "empty"


def _space_faults(truth: SpacesLabel, said: Json, coloured: Sequence[TrueColour]) -> Iterator[str]:
    if said["board"] is None:
        yield "no board is read"
        return
    toppings = [one for one in coloured if "space" in one.model_fields_set]
    hardly = {one.space for one in toppings if one.visible < LEAST_VISIBLE}
    read: Mapping[str, str] = said["spaces"]
    for space in sorted({*truth.spaces, *read, *said["unclear"]} - hardly):
        true, seen = truth.spaces.get(space, "empty"), read.get(space, "empty")
        if space in said["unclear"]:
            yield f"space {space}, {true}, cannot be told"
        elif true != seen:
            yield f"space {space}, {true}, is read as {seen}"
    loose = Counter(one.colour for one in toppings if one.space is None)
    if toppings and loose != Counter(said["loose"]):
        yield f"toppings beside the board, {dict(loose)}, are read as {said['loose']}"


def _line_faults(said: Json, coloured: Sequence[TrueColour]) -> Iterator[str]:
    """Of cutters whose labels say which line they lie on, or (null) that they lie on none: between lines, or along
    none, whichever side is named."""
    for cutter in coloured:
        if "side" not in cutter.model_fields_set or cutter.visible < LEAST_VISIBLE:
            continue
        on = "no line" if cutter.line is None else f"{cutter.side} {cutter.line}"
        read = said["cutters"].get(cutter.colour)
        if read is None:
            yield f"the {cutter.colour} cutter on {on} is not read"
        elif read["line"] != cutter.line or cutter.side not in (None, read["side"]):
            yield f"the {cutter.colour} cutter on {on} is read as on {_line(read)}"


def _line(read: Json) -> str:
    if read["between"] is not None:
        return f"{read['side']}, between {' and '.join(str(number) for number in read['between'])}"
    return "no line" if read["side"] is None else f"{read['side']} {read['line']}"


def _card_faults(truth: CardsLabel, said: Json, cards: Sequence[TrueFace]) -> Iterator[str]:
    shown = [card for card in cards if card.visible >= LEAST_VISIBLE]
    told = said["open_top"] is not None or not cards or truth.open_top in {c.face for c in shown if c.seat is None}
    if told and said["open_top"] != truth.open_top:
        yield f"the open pile's top card, {truth.open_top or 'none'}, is read as {said['open_top'] or 'none'}"
    for seat, true in truth.seats.items():
        if read := said["seats"].get(seat):
            yield from _order_faults(seat, true, read, cards)
        elif not _all_hardly_seen([card for card in cards if card.face == true.order]):
            yield f"the order in the {seat}, {true.order}, is not read"
    for seat in sorted(said["seats"].keys() - truth.seats.keys()):
        yield f"no order lies in the {seat}, read as {said['seats'][seat]['order']}"


def _order_faults(seat: str, true: CardSeatLabel, read: Json, cards: Sequence[TrueFace]) -> Iterator[str]:
    if read["order"] != true.order:
        yield f"the order in the {seat}, {true.order}, is read as {read['order']}"
    places = {index if place.slot is None else place.slot: place for index, place in enumerate(true.slots)}
    slots = {slot["slot"]: slot for slot in read["slots"]}
    for number in sorted(places.keys() | slots.keys()):
        place, seen = places.get(number, CardPlaceLabel()), slots.get(number)
        if seen is None:
            yield f"place {number} in the {seat} is none of an order's"
        elif _shown(place) != (seen["face"], seen["face_up"], seen["blocked"]):
            here = [card for card in cards if (card.seat, card.slot) == (seat, number)]
            if seen["face_up"] is None and _all_hardly_seen(here):
                continue
            said = _card(seen["face"], face_up=seen["face_up"], blocked=seen["blocked"])
            was = _card(place.face, face_up=place.face_up, blocked=place.blocked)
            yield f"place {number} in the {seat}, {was}, is read as {said}"


def _all_hardly_seen(cards: Sequence[TrueFace]) -> bool:
    """Whether these cards are known, and none of them shows enough to be read."""
    return bool(cards) and all(card.visible < LEAST_VISIBLE for card in cards)


def _card(face: str | None, *, face_up: bool | None, blocked: bool) -> str:
    lies = {None: "empty", False: "face down", True: str(face)}[face_up]
    return f"{lies}, blocked" if blocked else lies


def _shown(place: CardPlaceLabel) -> tuple[str | None, bool | None, bool]:
    return (place.face if place.face_up else None, place.face_up, place.blocked)
