"""Pizza Theory as perfect vision would see it, straight from the simulated world; its eyes may doubt, for questions."""

import math
from collections.abc import Mapping
from dataclasses import replace
from random import Random

from config.loader import load_table
from controller.game import Player
from controller.games.pizza_theory import GAME
from controller.games.pizza_theory.components import load_components, position_on_board
from controller.games.pizza_theory.hands import PITCH_MM, PizzaTheoryHands
from controller.games.pizza_theory.rules import State
from controller.games.pizza_theory.table import GAME_TABLE
from controller.hands import Lay, Lying
from controller.reading import Fault, Layout, Reading, ReadingKind
from controller.seating import areas
from hardware.simulated.lying import outline_mm
from hardware.simulated.world import PieceView, World, WorldSnapshot
from vision.scene import (
    EMPTY,
    FaceLikelihood,
    HiddenCause,
    HiddenPlace,
    PieceKind,
    Pose,
    Scene,
    Sighting,
    Space,
)

PARTS = load_components()
SURE = 0.995
Contents = tuple[tuple[str, float], ...]


class PizzaEyes:
    """Scenes of a world with a Pizza. Keeps since when it has been at rest."""

    def __init__(self) -> None:
        self.doubt: dict[str, Contents] = {}
        """What is seen on a space instead of what lies there."""
        self.cutters: dict[str, Contents] = {}
        """What colour a cutter seems to have, by its own colour."""
        self._last: tuple[object, ...] = ()
        self._since_s = 0.0
        self._sequence = 0

    def scene(self, snapshot: WorldSnapshot) -> Scene:
        """What lies on the table at this moment."""
        self._sequence += 1
        lying = tuple((p.piece_id, p.pose) for p in snapshot.pieces)
        if lying != self._last or snapshot.hands:
            self._last, self._since_s = lying, snapshot.time_s
        views = [view for view in snapshot.pieces if view.holder is None]
        hidden = tuple(HiddenPlace((h.fingertip, h.shoulder, h.fingertip), HiddenCause.HAND) for h in snapshot.hands)
        rest_s = snapshot.time_s - self._since_s
        return Scene(snapshot.time_s, self._sequence, tuple(self._sightings(views)), hidden, rest_s)

    def _sightings(self, views: list[PieceView]) -> list[Sighting]:
        board = next((view for view in views if view.kind is PieceKind.BOARD), None)
        if board is None:
            return []
        toppings = [view for view in views if view.kind is PieceKind.TOPPING]
        seen = [_sighting(view, ((colour_of(view), SURE),)) for view in toppings]
        spaces = tuple(self._space(board.pose, name, toppings) for name in PARTS.spaces)
        whole = replace(_sighting(board, (("board", SURE),)), spaces=spaces)
        turned = replace(whole, pose=replace(board.pose, angle_deg=(board.pose.angle_deg + 180.0) % 360.0))
        sticks = [view for view in views if view.kind is PieceKind.CUTTER]
        cutters = [_sighting(v, self.cutters.get(colour_of(v), ((colour_of(v), SURE),))) for v in sticks]
        return [turned, *seen, *cutters]

    def _space(self, board: Pose, name: str, toppings: list[PieceView]) -> Space:
        x, y = on_board(board, name)
        near = [t for t in toppings if math.dist((t.pose.x_mm, t.pose.y_mm), (x, y)) < PITCH_MM / 2]
        face = colour_of(near[-1]) if near else EMPTY
        contents = self.doubt.get(name, ((face, SURE),))
        likely = tuple(FaceLikelihood(face, share) for face, share in sorted(contents, key=lambda one: -one[1]))
        return Space(",".join(map(str, PARTS.spaces[name])), x, y, likely)


class LaidPizza:
    """A state, laid as it says, or a world in which it may be."""

    def __init__(self, state: State, seed: int = 1, seats: Mapping[Player, int] | None = None) -> None:
        self.state = state
        self.rng = Random(seed)
        self.seats = seats or ({1: 1, 2: 4} if state.players == 2 else {1: 1, 2: 3, 3: 5})
        self.areas = areas(load_table([]), self.seats)
        self.layout = Layout(self.areas)
        self.hands = PizzaTheoryHands(GAME, state, self.areas, self.rng)
        self.world = World(self.rng)
        self.eyes = PizzaEyes()
        for piece in self.hands.box():
            self.world.add_piece(piece.piece, piece.kind, piece.front, piece.back)

    def arrange(self) -> "LaidPizza":
        """Lay everything as the state says, cutters whose line is decided too."""
        known = self.lying()
        for step in self.hands._set_up(self.state, known):
            self.lay(*step.lays)
        for number, cut in enumerate(self.state.cuts, start=1):
            if cut is not None:
                self.lay(*self.hands._cut(self.state, self.lying(), 1, number, cut).lays)
        return self

    def lying(self) -> dict[str, Lying]:
        return {name: Lying(piece.pose, piece.face_up) for name, piece in self.world.pieces.items()}

    def lay(self, *lays: Lay) -> None:
        for lay in lays:
            self.world.put(lay.piece, lay.to, lay.face_up)

    def play(self, *texts: str) -> State:
        """Carry moves out with the hands; the state after them."""
        state, moves = self.state, []
        for text in texts:
            moves.append(GAME.parse(state, text))
            state = GAME.apply(state, moves[-1])
        for step in self.hands.steps(self.state, moves, self.lying()):
            self.lay(*step.lays)
        return state

    def top(self, colour: str, space: str) -> str:
        """Lay a topping whatever the rules say; the piece."""
        free = next(
            name for name, lies in self.lying().items() if name.startswith(f"topping/{colour}/") and not lies.pose
        )
        self.lay(Lay(free, Pose(*on_board(self.pose("board"), space), 0.0), True))
        return free

    def clear(self, space: str) -> None:
        """Take the topping off a space."""
        at = on_board(self.pose("board"), space)
        for name, lies in self.lying().items():
            if name.startswith("topping/") and lies.pose and math.dist((lies.pose.x_mm, lies.pose.y_mm), at) < 11.0:
                self.lay(Lay(name, None, True))

    def cutter(self, number: int, line: int, of: int | None = None, aside: float = 0.0) -> None:
        """Lay a colour's cutter on a line, or on that of another colour's side, so many steps beside it."""
        pose = self.hands._line(self.state, self.pose("board"), of or number, line)
        turn = math.radians(pose.angle_deg + 90.0)
        off = aside * PITCH_MM * math.sqrt(3) / 2
        colour = self.state.options.colours[number - 1]
        to = Pose(pose.x_mm + off * math.cos(turn), pose.y_mm + off * math.sin(turn), pose.angle_deg)
        self.lay(Lay(f"cutter/{colour}", to, True))

    def turn(self, by_deg: float) -> None:
        """Turn the Pizza with all on it, counter-clockwise."""
        middle = self.pose("board")
        for name, lies in self.lying().items():
            if lies.pose is not None:
                off = complex(lies.pose.x_mm - middle.x_mm, lies.pose.y_mm - middle.y_mm)
                turned = off * complex(math.cos(math.radians(by_deg)), math.sin(math.radians(by_deg)))
                at = (middle.x_mm + turned.real, middle.y_mm + turned.imag)
                self.lay(Lay(name, Pose(*at, (lies.pose.angle_deg + by_deg) % 360.0), True))

    def pose(self, piece: str) -> Pose:
        pose = self.world.pieces[piece].pose
        assert pose is not None, f"{piece} is not on the table"
        return pose

    def scene(self) -> Scene:
        return replace(self.eyes.scene(self.world.snapshot()), at_rest_s=1.0)

    def read(self, *pressed: int) -> Reading:
        return GAME_TABLE.read(self.state, self.scene(), self.layout, frozenset(pressed))

    def moves(self, *pressed: int) -> list[str]:
        """The only play that fits, in notation."""
        reading = self.read(*pressed)
        assert reading.kind is ReadingKind.MOVES, (reading.kind, reading.note, reading.fault)
        assert reading.plays[0].probability > 0.99, reading.plays
        return [GAME.format(self.state, move) for move in reading.plays[0].moves]

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


def on_board(board: Pose, space: str) -> tuple[float, float]:
    """The place on the table of a space of a board that lies so."""
    right, away = position_on_board(PARTS.spaces[space])
    cos, sin = math.cos(math.radians(board.angle_deg)), math.sin(math.radians(board.angle_deg))
    return (
        board.x_mm + PITCH_MM * (away * cos + right * sin),
        board.y_mm + PITCH_MM * (away * sin - right * cos),
    )


def colour_of(view: PieceView) -> str:
    return view.piece_id.split("/")[1]


def _sighting(view: PieceView, faces: Contents) -> Sighting:
    likely = tuple(FaceLikelihood(face, share) for face, share in faces)
    return Sighting(view.kind, view.pose, likely, True, 1.0, outline_mm(view.kind, view.pose))
