"""Views of a New York Slice table at telling moments of one game, as a display is sent them."""

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from controller.views import (
    BoardView,
    BreachView,
    CandidateView,
    LogLine,
    PartState,
    PartView,
    PieceView,
    QuestionView,
    RefereeState,
    SeatView,
    SlapsView,
    TableView,
    TurnView,
)
from firmware_bridge.session import LinkState

GAMES_ROOT = Path(__file__).parents[3] / "controller" / "games"
_FACTS = tomllib.loads((GAMES_ROOT / "new_york_slice" / "components.toml").read_text())
_VALUES = range(3, 12)
_COMBOS = ("combo-4-6", "combo-5-7", "combo-8-10", "combo-9-11")
_AREAS = {
    1: (-560, -325, 560, -208),
    2: (-565, -205, -208, 0),
    3: (-565, 0, -208, 205),
    4: (-560, 208, 560, 325),
    5: (208, 0, 565, 205),
    6: (208, -205, 565, 0),
}
_COLOURS = {1: "#0072B2", 2: "#E69F00", 3: "#009E73", 4: "#CC79A7", 5: "#D55E00", 6: "#56B4E9"}
_SPECIALS = {
    "special/dibs": ("Dibs!", "In a later round, before the pizza is cut, take one slice of your choice from it."),
    "special/stuffed-crust": ("Stuffed Crust", "Five points at the end."),
    "special/everyone-else-diet": (
        "The “Everyone–Else” Diet",
        "At the end everybody but you loses a point for every two slices they have eaten.",
    ),
    "special/cut-in-line": ("Cut in Line", "In a later round, choose before everybody else."),
}
_RING = ("11/3", "4/1", "8/5", "combo-5-7", "10/2", "9/6", "3/2", "11/7", "anchovy", "7/4", "6/1")
_PORTIONS = (("11/3", "4/1", "8/5"), ("combo-5-7", "10/2"), ("9/6", "3/2", "11/7", "anchovy"), ("7/4", "6/1"))


@dataclass(frozen=True)
class Holding:
    """What one player has."""

    collected: tuple[str, ...] = ()
    eaten: tuple[str, ...] = ()
    specials: tuple[str, ...] = ()
    used: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Moment:
    """One moment of the game, from which a view is made."""

    phase: str
    prompt: str
    acting: tuple[int, ...]
    message: str
    names: tuple[str, ...] = ("Anna", "Bruno", "Carla", "Dmitri")
    seats: tuple[int, ...] = (1, 3, 4, 5)
    referee: RefereeState = RefereeState.WAITING
    ring: tuple[str, ...] = ()
    portions: tuple[tuple[str, ...], ...] = ()
    taken: dict[int, int] = field(default_factory=dict)
    """Portion -> player."""
    special: str | None = "special/everyone-else-diet"
    special_in: int | None = 1
    holdings: tuple[Holding, ...] = (
        Holding(("11/1", "11/2", "3/1", "combo-8-10"), ("7/1", "10/3"), ("special/dibs",), frozenset({"special/dibs"})),
        Holding(("8/1", "8/2", "8/3", "10/1"), ("9/1",)),
        Holding(("6/5", "supreme", "5/1"), ("11/4", "4/2", "9/2"), ("special/stuffed-crust",)),
        Holding(("9/3", "9/4", "10/7", "7/7"), ()),
    )


def lobby() -> TableView:
    """No game yet: two have pressed their buttons, some pieces lie about."""
    view = ring_served()
    joined = {1, 4}
    seats = [
        seat.model_copy(
            update={
                "player": None,
                "name": f"Seat {seat.seat}",
                "lamp": "on" if seat.seat in joined else "off",
                "begins": seat.seat == 4,
            }
        )
        for seat in view.seats
    ]
    prompt = "New York Slice: press your button to join, 2 to 6 players."
    turn = TurnView(actor="nobody", players=[], prompt=prompt)
    update = {"seq": 2, "turn": turn, "message": prompt, "seats": seats, "position": None, "log": []}
    return view.model_copy(update=update)


def ring_served() -> TableView:
    """Eleven slices in a circle, the Special beside them; the slicer is to divide."""
    moment = Moment(
        "divide",
        "Player 1 divides the pizza into 4 portions",
        (1,),
        "Pull the pizza apart, then press the button.",
        ring=_RING,
    )
    return _view(moment, 41)


def portions_taken() -> TableView:
    """Two portions are gone; the third player is to choose."""
    bruno, carla = Moment("", "", (), "").holdings[1:3]
    holdings = (
        Moment("", "", (), "").holdings[0],
        replace(bruno, collected=(*bruno.collected, "11/3", "8/5"), eaten=(*bruno.eaten, "4/1")),
        replace(carla, collected=(*carla.collected, "combo-5-7", "10/2"), specials=(*carla.specials, _DIET)),
        Moment("", "", (), "").holdings[3],
    )
    moment = Moment(
        "choose",
        "Player 4 chooses a portion",
        (4, 1),
        "Take one portion into your place.",
        portions=_PORTIONS,
        taken={0: 2, 1: 3},
        holdings=holdings,
    )
    return _view(moment, 57)


def breach() -> TableView:
    """A slice was turned down that has no pepperoni."""
    view = portions_taken()
    wrong = next(piece for piece in view.pieces if piece.face == "10/2")
    return view.model_copy(
        update={
            "seq": 58,
            "referee": RefereeState.BREACH,
            "message": "Something on the table is against the rules.",
            "breach": BreachView(
                rule="Choose a portion",
                problem="Player 3 has eaten 10/2, which has no pepperoni.",
                remedy="Turn the slice face up again and lay it with the collected ones.",
                player=3,
                faces=["10/2"],
                pieces=[wrong],
            ),
        }
    )


def unseen() -> TableView:
    """A slice has gone, or something hides it."""
    told = BreachView(
        rule="Choose a portion",
        problem="10/2 is not seen any more.",
        remedy="Lay it back with what player 3 has collected.",
        player=3,
        faces=["10/2"],
        pieces=[],
        certain=False,
    )
    return breach().model_copy(update={"seq": 59, "message": told.problem, "breach": told})


def question() -> TableView:
    """Two slices look alike: which one was eaten?"""
    view = portions_taken()
    candidates = [
        _candidate(0, "Player 2 eats 4 and collects 11 and 8", 0.55, ["4/1", "11/3", "8/5"]),
        _candidate(1, "Player 2 eats 11 and collects 4 and 8", 0.32, ["11/3"]),
        _candidate(2, "Player 2 takes the Special too", 0.13, ["special/cut-in-line"]),
    ]
    asked = QuestionView(id=7, text="Which slice did Player 2 eat?", candidates=candidates)
    hand = [(-180.0, 60.0), (-80.0, 40.0), (-20.0, 90.0), (-60.0, 170.0), (-190.0, 175.0), (-250.0, 120.0)]
    message = "The table cannot tell which of these you meant."
    parts = view.parts | {"panel": PartView(state=PartState.LOST, text="No answer on /dev/ttyACM0: plug it in again")}
    return view.model_copy(
        update={
            "seq": 59,
            "referee": RefereeState.UNCLEAR,
            "message": message,
            "question": asked,
            "hidden": [hand],
            "parts": parts,
        }
    )


def final(players: int = 4) -> TableView:
    """The game is over."""
    holdings = (
        Holding(
            ("11/1", "11/2", "11/8", "11/5", "3/1", "3/3", "combo-8-10", "7/6"),
            ("7/1", "10/3", "9/9", "11/9"),
            ("special/dibs",),
            frozenset({"special/dibs"}),
        ),
        Holding(("8/1", "8/2", "8/3", "10/1", "11/3", "8/5", "6/2", "5/2"), ("9/1", "4/1", "10/9"), (_DIET,)),
        Holding(
            ("6/5", "supreme", "5/1", "combo-5-7", "10/2", "10/4", "4/3"), ("11/4", "4/2", "9/2", "9/7"), (_CRUST,)
        ),
        Holding(("9/3", "9/4", "10/7", "7/7", "7/2", "anchovy", "6/6"), ("8/8", "8/6"), ("special/cut-in-line",)),
        Holding(("4/4", "9/8", "7/3"), ("10/5",)),
        Holding(("5/3", "5/4", "3/2", "10/6"), ("11/6", "6/3")),
    )[:players]
    names = ("Anna", "Bruno", "Carla", "Dmitri", "Eleonora-Francesca", "Fred")[:players]
    seats = (1, 3, 4, 5) if players == 4 else tuple(range(1, players + 1))
    moment = Moment(
        "over",
        "The game is over",
        (),
        "Well played.",
        names,
        seats,
        RefereeState.OVER,
        special=None,
        holdings=holdings,
    )
    return _view(moment, 240)


def six_players() -> TableView:
    """A full table, everybody with a lot."""
    view = final(6)
    position = view.position | {"phase": "choose", "order": [5, 6, 1], "winners": []}
    turn = TurnView(actor="players", players=[5, 6], prompt="Player 5 chooses a portion")
    update = {
        "seq": 90,
        "position": position,
        "turn": turn,
        "referee": RefereeState.HANDS,
        "message": "Take a portion.",
    }
    return view.model_copy(update=update)


_DIET = "special/everyone-else-diet"
_CRUST = "special/stuffed-crust"


def _view(moment: Moment, seq: int) -> TableView:
    actor = "nobody" if moment.phase == "over" else "players"
    return TableView(
        seq=seq,
        version="0.1.0",
        table="Kitchen table",
        game="new_york_slice",
        title="New York Slice",
        number=3,
        simulated=True,
        referee=moment.referee,
        message=moment.message,
        turn=TurnView(actor=actor, players=list(moment.acting), prompt=moment.prompt),
        seats=[_seat(seat, moment) for seat in _AREAS],
        pieces=_pieces(moment),
        hidden=[],
        question=None,
        breach=None,
        position=_position(moment),
        log=[LogLine(seq=seq, player=2, text="Player 2 takes portion A: collects 11 and 8, eats 4")],
        parts={
            "camera": PartView(state=PartState.OK, text="simulated, 1920 × 1080, 10 pictures a second"),
            "reading": PartView(state=PartState.OK, text="61 ms a picture"),
            "panel": PartView(state=PartState.OK, text="4 seats"),
            "journal": PartView(state=PartState.OK, text="all kept"),
            "discovery": PartView(state=PartState.ABSENT, text="not announced"),
        },
    )


def _candidate(number: int, text: str, likelihood: float, differs: list[str]) -> CandidateView:
    return CandidateView(id=number, text=text, likelihood=likelihood, moves=["take A"], differs=differs)


def _seat(seat: int, moment: Moment) -> SeatView:
    left, bottom, right, top = _AREAS[seat]
    player = moment.seats.index(seat) + 1 if seat in moment.seats else None
    return SeatView(
        seat=seat,
        player=player,
        name=moment.names[player - 1] if player else "",
        said=player is not None,
        colour=_COLOURS[seat],
        area_mm=[(left, bottom), (right, bottom), (right, top), (left, top)],
        lamp="blink" if player in moment.acting[:1] else "off",
    )


def _pieces(moment: Moment) -> list[PieceView]:
    pieces = []
    step = 360 / 11
    for i, face in enumerate(moment.ring):
        angle = 90 - i * step
        pieces.append(_slice(face, 3 * _cos(angle), 3 * _sin(angle), angle, "ring"))
    done = 0
    for index, portion in enumerate(moment.portions):
        middle = 90 - (done + (len(portion) - 1) / 2) * step
        for slot, face in enumerate(portion):
            if index not in moment.taken:
                angle = 90 - (done + slot) * step
                pieces.append(_slice(face, 42 * _cos(middle), 42 * _sin(middle), angle, f"portion/{index}"))
        done += len(portion)
    if moment.special is not None and moment.special_in not in moment.taken:
        pieces.append(_special(moment.special, 166, -8, "middle"))
    for player, holding in enumerate(moment.holdings, start=1):
        pieces += _in_place(moment.seats[player - 1], player, holding)
    return pieces


def _in_place(seat: int, player: int, holding: Holding) -> list[PieceView]:
    left, bottom, right, top = _AREAS[seat]
    wide = right - left > 500
    inwards = seat in (3, 4, 5)
    near, angle = (top - 8, -90) if inwards else (bottom + 8, 90)
    second = near if wide else near + (-95 if inwards else 95)
    pieces = []
    x: float = left + 120 if wide else left + 34
    before = ""
    for face in sorted(holding.collected, key=_order):
        value = face.split("/")[0]
        x += 0 if not before else 24 if before == value else 46
        before = value
        pieces.append(_slice(face, x, near, angle + 1.5 * math.sin(x), f"seat/{player}/collected"))
    x = (right - 300) if wide else left + 34
    pieces += [_slice("back", x + 24 * i, second, angle, f"seat/{player}/eaten") for i in range(len(holding.eaten))]
    x = right - 40
    for card in holding.specials:
        face = "special/back" if card in holding.used else card
        pieces.append(_special(face, x, (bottom + top) / 2 if wide else second + (-50 if inwards else 50), "seat"))
        x -= 66
    return pieces


def _order(face: str) -> tuple[int, str]:
    value = face.split("/")[0]
    return (int(value) if value.isdigit() else 99, face)


def _slice(face: str, x: float, y: float, angle: float, place: str) -> PieceView:
    arc = [angle + (i / 8 - 0.5) * 360 / 11 for i in range(9)]
    outline = [(x, y)] + [(x + 100 * _cos(a), y + 100 * _sin(a)) for a in arc]
    return PieceView(
        kind="slice",
        face=face,
        face_up=face != "back",
        x_mm=x,
        y_mm=y,
        angle_deg=angle,
        likelihood=0.999,
        outline_mm=outline,
        place=place,
    )


def _special(face: str, x: float, y: float, place: str) -> PieceView:
    outline = [(x - 30, y - 45), (x + 30, y - 45), (x + 30, y + 45), (x - 30, y + 45)]
    return PieceView(
        kind="special",
        face=face,
        face_up=face != "special/back",
        x_mm=x,
        y_mm=y,
        angle_deg=90,
        likelihood=0.999,
        outline_mm=outline,
        place=place,
    )


def _cos(angle_deg: float) -> float:
    return math.cos(math.radians(angle_deg))


def _sin(angle_deg: float) -> float:
    return math.sin(math.radians(angle_deg))


def _position(moment: Moment) -> dict[str, Any]:
    components = _components()
    types = [_type(value, moment.holdings, components) for value in _VALUES]
    score = [_score(player, holding, types, components) for player, holding in enumerate(moment.holdings, start=1)]
    best = max(sheet["total"] for sheet in score)
    title = _SPECIALS.get(moment.special or "")
    return {
        "phase": moment.phase,
        "round": 3,
        "rounds": 6,
        "slicer": 1,
        "order": [4, 1] if moment.taken else [2, 3, 4, 1],
        "taker": None,
        "ring": list(moment.ring) or None,
        "portions": [
            {"slices": list(slices), "special": i == moment.special_in, "taken_by": moment.taken.get(i)}
            for i, slices in enumerate(moment.portions)
        ],
        "special": moment.special,
        "special_text": {"title": title[0], "text": title[1]} if title else None,
        "set_aside": [],
        "moved": None,
        "mystery": {"drawn": False, "face": None},
        "players": [
            _player(player, holding, score[player - 1], components)
            for player, holding in enumerate(moment.holdings, start=1)
        ],
        "types": types,
        "score": score,
        "winners": [sheet["player"] for sheet in score if sheet["total"] == best] if moment.phase == "over" else [],
        "components": components,
    }


def _components() -> dict[str, dict[str, Any]]:
    components: dict[str, dict[str, Any]] = {}
    for value in _VALUES:
        facts = _FACTS["value"][str(value)]
        for i in range(value):
            components[f"{value}/{i + 1}"] = {
                "values": [value],
                "pepperoni": facts["pepperoni"]["is"][i],
                "anchovies": facts["anchovies"]["is"][i],
                "name": facts["name"]["is"],
            }
    for combo in _COMBOS:
        values = [int(part) for part in combo.split("-")[1:]]
        components[combo] = {"values": values, "pepperoni": 0, "anchovies": 0, "name": "Combo"}
    components["anchovy"] = {"values": [], "pepperoni": 0, "anchovies": 3, "name": "Anchovy"}
    components["supreme"] = {"values": [], "pepperoni": 2, "anchovies": 0, "name": "Supreme"}
    return components


def _type(value: int, holdings: Sequence[Holding], components: dict[str, dict[str, Any]]) -> dict[str, Any]:
    counts = {}
    for player, holding in enumerate(holdings, start=1):
        held = [components[face]["values"] for face in holding.collected]
        counts[str(player)] = sum(1.0 if len(values) == 1 else 0.5 for values in held if value in values)
    most = max(counts.values())
    leaders = [int(player) for player, count in counts.items() if count == most and most > 0]
    return {
        "type": str(value),
        "name": _FACTS["value"][str(value)]["name"]["is"],
        "value": value,
        "counts": counts,
        "leaders": leaders,
        "scorer": leaders[0] if len(leaders) == 1 else None,
    }


def _score(
    player: int, holding: Holding, types: Sequence[dict[str, Any]], components: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    lines = [
        {"label": f"{t['value']} {t['name']}", "points": t["value"] if t["scorer"] == player else 0, "detail": ""}
        for t in types
    ]
    lines.append(
        {"label": "Special*", "points": 5 if _CRUST in holding.specials else -1 if player == 4 else 0, "detail": ""}
    )
    eaten = sum(components[face]["pepperoni"] for face in holding.eaten)
    anchovies = sum(components[face]["anchovies"] for face in holding.collected)
    lines.append({"label": "Pepperoni - Anchovy", "points": eaten - anchovies, "detail": ""})
    return {"player": player, "total": sum(line["points"] for line in lines), "lines": lines}


def _player(
    player: int, holding: Holding, score: dict[str, Any], components: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    return {
        "player": player,
        "collected": [
            {"face": face, "attached": "6" if face == "supreme" else None}
            | {key: components[face][key] for key in ("values", "pepperoni", "anchovies")}
            for face in holding.collected
        ],
        "eaten": list(holding.eaten),
        "unseen_eaten": 0,
        "unseen_faces": [],
        "specials": [
            {
                "face": face,
                "title": _SPECIALS[face][0],
                "text": _SPECIALS[face][1],
                "round": 1,
                "used": face in holding.used,
                "score": 5 if face == _CRUST else None,
            }
            for face in holding.specials
        ],
        "total_so_far": score["total"],
    }


def slapped(tie: bool = False) -> TableView:
    """Four slaps, and a knife in its dock: what the microcontroller adds."""
    view = portions_taken()
    first, margin_us = ([3, 5], 7.5) if tie else ([3], 412.0)
    slaps = SlapsView(number=3, seats=[3, 5, 1, 4], first=first, margin_us=margin_us)
    board = BoardView(
        link=LinkState.READY, words="all is well", port="/dev/serial/by-id/usb-board", emulated=True, starts=1,
        watchdog_resets=0, failed_pads=[], lost=0, clock_bound_us=1000, pads=[], knives=[5 if tie else 1], skewers=[],
        beam_broken=False, slaps=slaps,
    )  # fmt: skip
    part = PartView(state=PartState.OK, text="the real firmware, emulated; all is well, 1 starts")
    return view.model_copy(update={"seq": 61, "board": board, "parts": view.parts | {"board": part}})
