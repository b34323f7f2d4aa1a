"""Simulated tables on which something is changed: pieces laid, moved, taken, turned over; marks pencilled.

A table has several states, each after the one before; in every state it is known what lies where.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from controller.games.dice_and_slice.hands import Pencilled
from controller.games.pizza_theory.components import line_ends, position_on_board
from hardware.simulated.lying import lying
from hardware.simulated.renderer import Renderer, texture_scale
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import HandView, PieceView, WorldSnapshot, middle_of
from tests.benchmarks.simulated_hands import reaching_from
from tests.benchmarks.simulated_pieces import (
    FAMILIES,
    MOST_COVERED,
    REACH_MM,
    SIZE,
    Family,
    as_card,
    as_tile,
    fits,
    for_camera,
    on_board,
    piece_view,
    shares_visible,
    theory_parts,
    true_label,
)
from tests.benchmarks.simulated_sheets import (
    SheetArt,
    lain,
    open_places,
    over_sheets,
    some_marks,
    some_writer,
    thrown,
    true_piece,
    written,
)
from vision.frame import Image
from vision.pieces.faces import BACKS
from vision.reports.compared import TruePiece, true_pieces
from vision.reports.mark_report import MarkPlace
from vision.reports.report import PICTURES
from vision.scene import MarkKind, PieceKind, Pose

SHEETS = "sheets"
GAMES = (SHEETS, "tiles", "pizzeria", "cards", "boards")
"""Dice and Slice, New York Slice, Pizzeria, SLICE, Pizza Theory."""
MOST_CHANGES = 4
SOME = 0.45
"""Of a sheet's dots, and of its other marks, those that are made first."""


@dataclass(frozen=True, slots=True)
class SheetTruth:
    """What is on a sheet, and which of its places show (`simulated_sheets.SheetTable.open_places`)."""

    pose: Pose
    marks: frozenset[MarkPlace]
    shows: Mapping[MarkPlace, bool | None]


@dataclass(frozen=True, slots=True)
class TableState:
    """How everything lies."""

    views: tuple[PieceView, ...]
    truth: tuple[TruePiece, ...]
    """Of each of them."""
    sheets: tuple[SheetTruth, ...] = ()


class ChangingTable:
    """A table, its light and camera, and what lies there, one state after the other."""

    def __init__(
        self, renderer: Renderer, states: Sequence[TableState], kinds: frozenset[PieceKind], rng: Random
    ) -> None:
        """`kinds` are those that are looked for; `rng` says from where hands reach over it."""
        self._renderer = renderer
        self.states = tuple(states)
        self.kinds = kinds
        self._hands = [_hands_at(rng, views) for views in _changed(states)]

    def picture(self, state: int, time_s: float, *, hand: bool = False) -> Image:
        """What the camera sees of one state; `hand`: somebody reaches for what is to change in it."""
        hands = self._hands[state] if hand else ()
        return self._renderer.render(WorldSnapshot(time_s, self.states[state].views, hands, frozenset(), (), dice=()))


@lru_cache(maxsize=1)
def changing_table(game: str, seed: int) -> ChangingTable:
    """One of GAMES; the seed decides everything."""
    if game == SHEETS:
        return _with_sheets(Random(f"changing sheets {seed}"))
    return _with_pieces(FAMILIES[game], Random(f"changing {game} {seed}"))


def _with_sheets(rng: Random) -> ChangingTable:
    """Blank sheets; some marks; more of them, and dice thrown in between."""
    conditions = Conditions.random(rng)
    camera = conditions.camera_model(*SIZE)
    art = SheetArt()
    blank = list(lain(rng, camera))
    writers = [some_writer(rng) for _ in blank]
    marks = [list(some_marks(rng)) for _ in blank]
    turns: list[list[list[Pencilled]]] = [[[] for _ in blank], [_first(rng, made) for made in marks], marks]
    states = []
    for number, made in enumerate(turns):
        sheets = [
            written(art, piece, some, writer, number) for piece, some, writer in zip(blank, made, writers, strict=True)
        ]
        dice = thrown(rng, blank) if number else []
        views = [*(sheet.piece for sheet in sheets), *dice]
        over = over_sheets(camera, (), dice)
        states.append(
            TableState(
                tuple(views),
                tuple(true_piece(view, share) for view, share in zip(views, shares_visible(views), strict=True)),
                tuple(SheetTruth(s.piece.pose, s.marks, open_places(s.piece.pose, camera, over)) for s in sheets),
            )
        )
    return ChangingTable(Renderer(art, camera, conditions), states, frozenset({PieceKind.SHEET}), rng)


def _first(rng: Random, marks: Sequence[Pencilled]) -> list[Pencilled]:
    """Those that are made first: no line before both its dots."""
    made = [mark for mark in marks if mark.kind is MarkKind.DOT and rng.random() < SOME]
    dots = {mark.at for mark in made if not mark.rubbed}
    lines = (MarkKind.LINE, MarkKind.DIAGONAL)
    made += [mark for mark in marks if mark.kind in lines and {mark.at[:2], mark.at[2:]} <= dots]
    return made + [m for m in marks if m.kind not in (*lines, MarkKind.DOT) and rng.random() < SOME]


def _with_pieces(family: Family, rng: Random) -> ChangingTable:
    """Pieces as they fell, and the same table after some of them were laid otherwise."""
    conditions = Conditions.random(rng)
    camera = conditions.camera_model(*SIZE)
    before = family.table(rng)
    change = _on_a_board if family.name == "boards" else _among_pieces
    renderer = Renderer(for_camera(family.art, round(texture_scale(camera), 9)), camera, conditions)
    kinds = PICTURES[family.picture]

    def state(views: Sequence[PieceView]) -> TableState:
        shown = zip(views, lying(views), shares_visible(views), strict=True)
        labels = [true_label(view, lies, share, camera) for view, lies, share in shown]
        truth = [one for label in labels for one in true_pieces({"pieces": [label]}, family.name, kinds)]
        return TableState(tuple(views), tuple(truth))

    return ChangingTable(renderer, [state(before), state(change(rng, before, family))], kinds, rng)


def _among_pieces(rng: Random, before: Sequence[PieceView], family: Family) -> list[PieceView]:
    """One to MOST_CHANGES of these: one taken away, one moved, one turned over or exchanged where it lies, one laid
    anew, one laid on another of its kind."""
    views = list(before)
    told = as_card if family.name == "cards" else as_tile
    kind_of = {face: told(face)[0] for face in family.art()}
    for number in range(rng.randint(1, MOST_CHANGES)):
        tops = [v for i, v in enumerate(views) if shares_visible(views)[i] > 0.99]
        if not tops:
            break
        some = rng.choice(tops)
        rest = [view for view in views if view is not some]
        alike = [face for face, kind in kind_of.items() if kind is some.kind and face != some.face]
        match rng.choice(["take", "move", "turn", "lay", "stack"]):
            case "take":
                views = rest
            case "move":
                views = rest + _lain_anew(rng, some.piece_id, some.kind, some.face, rest)
            case "turn":
                face = rng.choice(alike)
                other = replace(some, face=face, face_up=face != BACKS.get(some.kind))
                views = [other if view is some else view for view in views]
            case "lay":
                face = rng.choice(list(kind_of))
                views += _lain_anew(rng, f"new {number}", kind_of[face], face, views)
            case _:
                x, y = some.pose.x_mm + rng.gauss(0, 1.5), some.pose.y_mm + rng.gauss(0, 1.5)
                pose = Pose(x, y, some.pose.angle_deg + rng.gauss(0, 3.0))
                views.append(piece_view(f"new {number}", some.kind, rng.choice(alike), pose))
    return views


def _lain_anew(rng: Random, piece_id: str, kind: PieceKind, face: str, others: Sequence[PieceView]) -> list[PieceView]:
    """The piece somewhere, if there is room."""
    for _ in range(60):
        x, y = (rng.uniform(-reach, reach) for reach in REACH_MM)
        pose = Pose(x, y, rng.uniform(0, 360))
        view = piece_view(piece_id, kind, face, pose)
        if fits(view, others, MOST_COVERED / 2):
            return [view]
    return []


def _on_a_board(rng: Random, before: Sequence[PieceView], _: Family) -> list[PieceView]:
    """Toppings taken, laid, exchanged for others; cutters laid along other lines or taken."""
    parts, views = theory_parts(), list(before)
    board = views[0].pose
    for _change in range(rng.randint(1, MOST_CHANGES)):
        toppings = [view for view in views if view.kind is PieceKind.TOPPING]
        cutters = [view for view in views if view.kind is PieceKind.CUTTER]
        taken = {view.piece_id.split(":")[2] for view in toppings}
        free = [at for at in parts.spaces.values() if ",".join(map(str, at)) not in taken]
        what = rng.choice(["take", "lay", "lay", "exchange", "cutter"])
        if what == "lay" and free:
            at = rng.choice(free)
            x, y = on_board(board, position_on_board(at))
            colour = rng.choice(parts.colours)
            topping = piece_view(
                f"topping:{colour}:{','.join(map(str, at))}",
                PieceKind.TOPPING,
                f"topping/{colour}",
                Pose(x + rng.gauss(0, 0.7), y + rng.gauss(0, 0.7), 0.0),
            )
            views.insert(len(views) - len(cutters), topping)
        elif what == "take" and toppings:
            views.remove(rng.choice(toppings))
        elif what == "exchange" and toppings:
            old = rng.choice(toppings)
            colour = rng.choice([one for one in parts.colours if f"topping/{one}" != old.face])
            space = old.piece_id.split(":")[2]
            new = replace(old, piece_id=f"topping:{colour}:{space}", face=f"topping/{colour}")
            views = [new if view is old else view for view in views]
        elif what == "cutter" and cutters:
            stick = rng.choice(cutters)
            views.remove(stick)
            if rng.random() < 0.7:
                ends = line_ends(parts, rng.choice(list(parts.places)), rng.choice(parts.numbers))
                start, end = (on_board(board, at) for at in ends)
                angle = math.degrees(math.atan2(start[1] - end[1], start[0] - end[0]))
                middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
                views.append(replace(stick, pose=Pose(*middle, angle % 360)))
    return views


def _changed(states: Sequence[TableState]) -> list[list[PieceView]]:
    """For each state what is otherwise in the one after it; for the last what is otherwise than before."""
    pairs = list(itertools.pairwise(states))
    found = []
    for one, other in [*pairs, pairs[-1][::-1]]:
        before = [(view.kind, view.face, view.pose) for view in one.views]
        now = [(view.kind, view.face, view.pose) for view in other.views]
        new = [view for view, what in zip(other.views, now, strict=True) if what not in before]
        gone = [view for view, what in zip(one.views, before, strict=True) if what not in now]
        found.append([*new, *gone])
    return found


def _hands_at(rng: Random, views: Sequence[PieceView]) -> tuple[HandView, ...]:
    """Hands that reach for these pieces, everybody's own for their sheet."""
    sheets = [view for view in views if view.kind is PieceKind.SHEET]
    pieces = list({view.piece_id: view for view in sheets}.values()) or list(views[:1])
    hands = []
    for number, piece in enumerate(pieces, 1):
        tip = middle_of(piece.kind, piece.pose)
        speed = rng.uniform(-300, 300), rng.uniform(-300, 300)
        hands.append(HandView(number, tip, reaching_from(rng, tip), rng.uniform(10, 50), 1.0, speed))
    return tuple(hands)
