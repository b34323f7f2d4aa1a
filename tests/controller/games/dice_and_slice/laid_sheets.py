"""Dice and Slice as perfect vision would see it, straight from the simulated world; it may doubt."""

from collections.abc import Mapping
from dataclasses import replace
from random import Random

from config.loader import load_table
from controller.game import Player
from controller.games.dice_and_slice import GAME
from controller.games.dice_and_slice.components import load_components
from controller.games.dice_and_slice.hands import SHEET, DiceAndSliceHands, Pencilled, read_front, standing, write_front
from controller.games.dice_and_slice.rules import Pick, Roll, State
from controller.games.dice_and_slice.table import DiceAndSliceTable
from controller.hands import Lay, Lying
from controller.reading import Fault, Layout, Reading, ReadingKind
from controller.seating import areas
from controller.sheet_prints import load_prints
from hardware.simulated.lying import outline_mm
from hardware.simulated.world import PieceView, World, WorldSnapshot
from vision.scene import (
    FaceLikelihood,
    HiddenCause,
    HiddenPlace,
    MarkKind,
    PieceKind,
    Pose,
    Scene,
    Settled,
    SheetMark,
    Sighting,
)

PARTS = load_components()
(LAYOUT,) = load_prints()
SURE = 0.995
Place = tuple[MarkKind, tuple[int, ...]]
ALL: tuple[Place, ...] = (
    *((MarkKind.DOT, dot) for dot in LAYOUT.dots),
    *((MarkKind.LINE, (*one, *other)) for one, other in LAYOUT.lines),
    *((MarkKind.DIAGONAL, (*one, *other)) for one, other in LAYOUT.diagonals),
    *((MarkKind.CROSSED_TOPPING, topping.square) for topping in LAYOUT.toppings),
    *((kind, (n,)) for kind in (MarkKind.CIRCLED_BONUS, MarkKind.CROSSED_BONUS) for n in range(len(LAYOUT.boxes))),
)


class SheetEyes:
    """Scenes of a world with sheets and dice. Keeps since when it has been at rest."""

    def __init__(self) -> None:
        self.doubt: dict[tuple[Player, Place], float] = {}
        """What is seen at a place of a player's sheet instead of what is there."""
        self.hidden: set[tuple[Player, Place]] = set()
        """What cannot be seen."""
        self._last: tuple[object, ...] = ()
        self._since_s = 0.0
        self._hands_s = 0.0
        self._sequence = 0
        self._marks: dict[str, tuple[SheetMark, ...]] = {}

    def scene(self, snapshot: WorldSnapshot) -> Scene:
        """What lies on the table at this moment."""
        self._sequence += 1
        lying = tuple((p.piece_id, p.face, p.pose) for p in snapshot.pieces)
        if lying != self._last or any(piece.holder is not None for piece in snapshot.pieces):
            self._last, self._since_s = lying, snapshot.time_s
        seen = tuple(self._sighting(view) for view in snapshot.pieces if view.holder is None)
        hidden = tuple(HiddenPlace((h.fingertip, h.shoulder, h.fingertip), HiddenCause.HAND) for h in snapshot.hands)
        settled = Settled(seen, snapshot.time_s - self._since_s)
        if snapshot.hands:
            self._hands_s = snapshot.time_s
        rest_s = min(settled.at_rest_s, snapshot.time_s - self._hands_s)
        return Scene(snapshot.time_s, self._sequence, seen, hidden, rest_s, settled=settled)

    def _sighting(self, view: PieceView) -> Sighting:
        sheet = view.kind is PieceKind.SHEET
        face = "sheet" if sheet else dots_of(view.face)
        marks = self._read(view) if sheet else ()
        likely = (FaceLikelihood(face, SURE),)
        return Sighting(view.kind, view.pose, likely, True, 1.0, outline_mm(view.kind, view.pose), marks)

    def _read(self, view: PieceView) -> tuple[SheetMark, ...]:
        if view.face not in self._marks or self.doubt or self.hidden:
            there = marks_on(view.face)
            player = int(view.piece_id.partition("/")[2])
            marks = [
                SheetMark(kind, at, self.doubt.get((player, (kind, at)), SURE if (kind, at) in there else 1.0 - SURE))
                for kind, at in ALL
            ]
            self._marks[view.face] = tuple(
                replace(mark, hidden=True) if (player, (mark.kind, mark.at)) in self.hidden else mark for mark in marks
            )
        return self._marks[view.face]


class LaidSheets:
    """A state, laid as it says, or a world in which it may be."""

    def __init__(self, state: State, seed: int = 1, seats: Mapping[Player, int] | None = None) -> None:
        self.state = state
        self.table = DiceAndSliceTable()
        self.rng = Random(seed)
        taken = {2: (1, 4), 3: (1, 3, 5)}.get(state.players, range(1, state.players + 1))
        self.seats = seats or dict(enumerate(taken, 1))
        self.areas = areas(load_table([]), self.seats)
        self.layout = Layout(self.areas)
        self.hands = DiceAndSliceHands(GAME, state, self.areas, self.rng)
        self.world = World(self.rng)
        self.eyes = SheetEyes()
        for piece in self.hands.box():
            self.world.add_piece(piece.piece, piece.kind, piece.front, piece.back)

    def arrange(self) -> "LaidSheets":
        """Lay everything as the state says."""
        state, known = self.state, self.lying()
        for step in self.hands._lay_sheets(known):
            self.lay(*step.lays)
        for player, sheet in enumerate(state.sheets, start=1):
            marks = [Pencilled(MarkKind.DOT, self.hands._spot(bit)) for bit in _bits(sheet.dots)]
            marks += self.hands._lines(sheet.dots, sheet.dots)
            marks += [Pencilled(MarkKind.CROSSED_TOPPING, self.hands._square(bit)) for bit in _bits(sheet.crossed)]
            marks += [Pencilled(MarkKind.CIRCLED_BONUS, (bit.bit_length() - 1,)) for bit in _bits(sheet.bonuses)]
            self.write(player, *marks)
        if state.roll:
            for step in self.hands._throw(state, state.roll, self.lying()):
                self.lay(*step.lays)
        if state.picked:
            self.take(state.picked)
        return self

    def lying(self) -> dict[str, Lying]:
        return {name: Lying(piece.pose, piece.face_up, piece.front) for name, piece in self.world.pieces.items()}

    def lay(self, *lays: Lay) -> None:
        for lay in lays:
            self.world.put(lay.piece, lay.to, lay.face_up, lay.shows)

    def play(self, *texts: str) -> State:
        """Carry moves out with the hands; the state after them."""
        state, moves = self.state, []
        for text in texts:
            moves.append(GAME.parse(state, text))
            state = GAME.apply(state, moves[-1])
        for step in self.hands.steps(self.state, moves, self.lying()):
            self.lay(*step.lays)
        return state

    def throw(self, *faces: str) -> None:
        """Throw the dice onto the mat."""
        for step in self.hands._throw(self.state, faces, self.lying()):
            self.lay(*step.lays)

    def take(self, die: str, player: int | None = None) -> None:
        """Lay a die beside a player's sheet, the active one's."""
        self.lay(Lay(f"die/{die}", self.hands._beside_sheet(player or self.state.active), True))

    def write(self, player: int, *marks: Pencilled) -> None:
        for step in self.hands._write(player, marks, self.lying()):
            self.lay(*step.lays)

    def mark(self, player: int, dots: str = "", lines: str = "", toppings: str = "", bonuses: str = "") -> None:
        """Write whatever the rules say: dots c7, lines c7-d7, crosses mushroom-b2, circles chili-olive."""
        for name in f"{dots} {lines} {toppings} {bonuses}".split():
            mark = self.hands._mark_named(f"{SHEET}/{player}/{name}")
            assert mark is not None, name
            self.write(player, mark)

    def rub(self, player: int, name: str) -> None:
        mark = self.hands._mark_named(f"{SHEET}/{player}/{name}")
        assert mark is not None, name
        self.write(player, replace(mark, rubbed=True))

    def doubt(self, player: int, name: str, probability: float) -> None:
        """What is seen at this place of a sheet."""
        self.eyes.doubt[self._place(player, name)] = probability

    def hide(self, player: int, *names: str) -> None:
        """These places of a sheet cannot be seen."""
        self.eyes.hidden |= {self._place(player, name) for name in names}

    def _place(self, player: int, name: str) -> tuple[Player, Place]:
        mark = self.hands._mark_named(f"{SHEET}/{player}/{name}")
        assert mark is not None, name
        return player, (mark.kind, mark.at)

    def scene(self) -> Scene:
        return replace(self.eyes.scene(self.world.snapshot()), at_rest_s=1.0)

    def read(self, *pressed: int) -> Reading:
        return self.table.read(self.state, self.scene(), self.layout, frozenset(pressed))

    def moves(self, *pressed: int) -> list[str]:
        """The only play that fits, in notation."""
        reading = self.read(*pressed)
        assert reading.kind is ReadingKind.MOVES, (reading.kind, reading.note, reading.fault)
        assert reading.plays[0].probability > 0.99, reading.plays
        texts, state = [], self.state
        for move in reading.plays[0].moves:
            texts.append(GAME.format(state, move))
            state = GAME.apply(state, move)
        return texts

    def as_before(self, *pressed: int) -> bool:
        return self.read(*pressed).kind is ReadingKind.AS_BEFORE

    def unfinished(self, *pressed: int) -> str:
        reading = self.read(*pressed)
        assert reading.kind is ReadingKind.UNFINISHED, (reading.kind, reading.fault, reading.plays)
        return reading.note

    def fault(self, *pressed: int) -> Fault:
        reading = self.read(*pressed)
        assert reading.kind is ReadingKind.FAULT, (reading.kind, reading.note, reading.plays)
        assert reading.fault is not None
        assert reading.fault.refusal.remedy
        return reading.fault


def started(players: int = 2, roll: tuple[str, str] | None = None, pick: str | None = None) -> State:
    """A game at its beginning, or after a roll and a pick."""
    state = GAME.start(players, {}, 1)
    if roll is not None:
        state = GAME.apply(state, Roll(roll))
    return state if pick is None else GAME.apply(state, Pick(state.active, pick))


def dots_of(face: str) -> str:
    """What is seen of a die's face, die/A3."""
    picture = PARTS.faces[face.removeprefix("die/")].picture
    return "/".join(row.replace("o", "#") for row in picture)


def marks_on(front: str) -> set[Place]:
    """What is on a sheet with this front."""
    if ":" not in front:
        return set()
    marks = [mark for mark in standing(read_front(front)[1]) if not mark.rubbed]
    return {(_kind_seen(mark), mark.at) for mark in marks}


def _kind_seen(mark: Pencilled) -> MarkKind:
    """A line may have been drawn across a square."""
    across = mark.kind is MarkKind.LINE and mark.at[0] != mark.at[2] and mark.at[1] != mark.at[3]
    return MarkKind.DIAGONAL if across else mark.kind


def _bits(mask: int) -> list[int]:
    return [1 << number for number in range(mask.bit_length()) if mask >> number & 1]


__all__ = ["GAME", "LaidSheets", "Pose", "SheetEyes", "started", "write_front"]
