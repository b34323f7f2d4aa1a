"""What of a picture's arrangement is not as its labels say: each way in which it may differ is told."""

from typing import Any

import pytest

from controller.arranged import misarranged
from controller.games.pizza_theory import GAME
from tests.controller.games.pizza_theory.laid_pizza import LaidPizza
from tests.controller.games.slice.laid_cards import BACK, around, card
from vision.scene import PieceKind, Scene, Sighting

ORDER = card("order/7", 4.0, -260.0, 92.0)
FACES = ["slice/onion", BACK, None, "slice/combo", BACK, BACK, "slice/olive", BACK]
TOP = card("slice/basil", 40.0, 0.0, 92.0)
UP = {"face_up": True, "blocked": False}
DOWN = {"face": "slice/basil", "face_up": False, "blocked": False}
SLOTS = [
    {"face": "slice/onion", **UP}, DOWN, {}, {"face": "slice/combo", **UP}, DOWN, DOWN,
    {"face": "slice/olive", **UP}, DOWN,
]  # fmt: skip
SEAT = {"order": "order/7", "slots": SLOTS}


def cards(*sightings: Sighting) -> Scene:
    return Scene(0.0, 0, sightings, (), 1.0)


def labelled(seats: dict[str, Any], open_top: str | None = "slice/basil", *pieces: dict[str, Any]) -> dict[str, Any]:
    at = {"x_mm": 0.0, "y_mm": 0.0, "angle_deg": 0.0}
    return {"pieces": [{**at, **piece} for piece in pieces], "arrangement": {"seats": seats, "open_top": open_top}}


def faults(scene: Scene, labels: dict[str, Any]) -> list[str]:
    return list(misarranged(scene, labels, "cards") or ())


def other_slots(number: int, **place: Any) -> dict[str, Any]:
    slots = [place if index == number else slot for index, slot in enumerate(SLOTS)]
    return {"order": "order/7", "slots": slots}


AS_IT_IS = cards(ORDER, *around(ORDER, *FACES), TOP)


def test_cards_that_lie_as_their_labels_say_are_no_fault() -> None:
    assert faults(AS_IT_IS, labelled({"south": SEAT})) == []
    numbered = [{**slot, "slot": index} for index, slot in enumerate(SLOTS)]
    assert faults(AS_IT_IS, labelled({"south": {**SEAT, "slots": numbered[::-1]}})) == []


@pytest.mark.parametrize(
    ("labels", "fault"),
    [
        (labelled({"south": SEAT}, "slice/olive"), "the open pile's top card, slice/olive, is read as slice/basil"),
        (labelled({"south": SEAT}, None), "the open pile's top card, none, is read as slice/basil"),
        (labelled({}), "no order lies in the south, read as order/7"),
        (labelled({"south": {**SEAT, "order": "order/8"}}), "the order in the south, order/8, is read as order/7"),
        (labelled({"south": other_slots(0, face="slice/olive", **UP)}),
         "place 0 in the south, slice/olive, is read as slice/onion"),
        (labelled({"south": other_slots(0, **DOWN)}), "place 0 in the south, face down, is read as slice/onion"),
        (labelled({"south": other_slots(1, **{**DOWN, "blocked": True})}),
         "place 1 in the south, face down, blocked, is read as face down"),
        (labelled({"south": other_slots(0)}), "place 0 in the south, empty, is read as slice/onion"),
        (labelled({"south": other_slots(2, **DOWN)}), "place 2 in the south, face down, is read as empty"),
        (labelled({"south": {**SEAT, "slots": SLOTS[:7]}}), "place 7 in the south, empty, is read as face down"),
        (labelled({"south": {**SEAT, "slots": [*SLOTS, DOWN]}}), "place 8 in the south is none of an order's"),
    ],
)  # fmt: skip
def test_each_way_in_which_cards_lie_otherwise_is_a_fault(labels: dict[str, Any], fault: str) -> None:
    assert faults(AS_IT_IS, labels) == [fault]


def test_what_is_not_read_is_a_fault_unless_it_hardly_shows() -> None:
    seats = {"south": SEAT, "north": {"order": "order/9", "slots": SLOTS}}
    lost = cards(ORDER, *[s for s in around(ORDER, *FACES) if s.face != "slice/olive"])
    names = ["the open pile's top card, slice/basil, is read as none",
             "place 6 in the south, slice/olive, is read as empty",
             "the order in the north, order/9, is not read"]  # fmt: skip
    olive = {"kind": "slice-card", "face": "slice/olive", "seat": "south", "slot": 6}
    top = {"kind": "slice-card", "face": "slice/basil"}
    order = {"kind": "order-card", "face": "order/9", "seat": "north"}
    for visible in (1.0, 0.5):
        pieces = [{**piece, "visible": visible} for piece in (olive, top, order)]
        assert faults(lost, labelled(seats, "slice/basil", *pieces)) == names
    assert faults(lost, labelled(seats)) == names
    pieces = [{**piece, "visible": 0.3} for piece in (olive, top, order)]
    assert faults(lost, labelled(seats, "slice/basil", *pieces)) == []


def pizza(**cutter: Any) -> dict[str, Any]:
    at = {"kind": "cutter", "x_mm": 0.0, "y_mm": 0.0, "angle_deg": 0.0, "colour": COLOUR}
    return {"pieces": [{**at, **cutter}], "arrangement": {"spaces": {}}}


STATE = GAME.start(2, {}, 1)
COLOUR = STATE.options.colours[0]


@pytest.mark.parametrize(
    ("aside", "label", "fault"),
    [
        (0.0, {"side": "1st", "line": 3}, None),
        (0.0, {"side": "1st", "line": 4}, f"the {COLOUR} cutter on 1st 4 is read as on 1st 3"),
        (0.0, {"side": "2nd", "line": 3}, f"the {COLOUR} cutter on 2nd 3 is read as on 1st 3"),
        (0.0, {"side": None, "line": None}, f"the {COLOUR} cutter on no line is read as on 1st 3"),
        (0.0, {"side": "1st", "line": None}, f"the {COLOUR} cutter on no line is read as on 1st 3"),
        (0.5, {"side": "1st", "line": 3}, f"the {COLOUR} cutter on 1st 3 is read as on 1st, between "),
        (0.5, {"side": None, "line": None}, None),
        (0.5, {"side": "1st", "line": None}, None),
        (None, {"side": "1st", "line": 3}, f"the {COLOUR} cutter on 1st 3 is not read"),
        (None, {"side": "1st", "line": 3, "visible": 0.3}, None),
        (0.0, {}, None),
    ],
)
def test_cutters_on_another_line_than_their_own_are_a_fault(
    aside: float | None, label: dict[str, Any], fault: str | None
) -> None:
    laid = LaidPizza(STATE)
    board = next(step.lays[0] for step in laid.hands._set_up(STATE, laid.lying()) if step.lays[0].piece == "board")
    laid.lay(board)
    if aside is not None:
        laid.cutter(1, 3, aside=aside)
    said = faults(laid.scene(), pizza(**label))
    assert len(said) == (fault is not None), said
    assert fault is None or said[0].startswith(fault)
    assert any(seen.kind is PieceKind.BOARD for seen in laid.scene().sightings)


@pytest.mark.parametrize(("visible", "is_a_fault"), [(0.3, False), (0.8, True)])
def test_a_slice_at_a_seat_that_hardly_shows_may_be_missing(visible: float, is_a_fault: bool) -> None:
    own = {"collected": [["7/3"]], "eaten": [], "specials": []}
    piece = {"kind": "tile", "face": "7/3", "face_up": True, "x_mm": 210.0, "y_mm": 40.0, "angle_deg": 2.0}
    seats = {"pieces": [{**piece, "visible": visible}], "arrangement": {"middle": [], "seats": {"east": own}}}
    empty = Scene(0.0, 0, (), (), 1.0)
    told = misarranged(empty, seats, "seats")
    assert told == (("what lies in the east is read as nothing",) if is_a_fault else ())
