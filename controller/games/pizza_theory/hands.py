"""How people lay Pizza Theory: the Pizza, toppings, cutters. For simulated players.

Poses as in `vision.scene`. People are not exact: the Pizza lies a little crookedly, toppings off the middle of their
space, cutters beside their line. What nobody has laid is off the table, in hands and heaps beside it; what dice show is
kept under hands and in mind.
"""

import math
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from controller.game import Game, Player
from controller.games.pizza_theory import rules
from controller.games.pizza_theory.components import line_ends, position_on_board
from controller.games.pizza_theory.laid import board_turn
from controller.games.pizza_theory.rules import COLOURS, UNSELECTED, Add, Cut, Move, Phase, Place, Replace, Roll, State
from controller.hands import Lay, Lying, Mistake, NewPiece, Step
from vision.scene import PieceKind, Point, Pose

PITCH_MM = 22.0
"""From one space to the next on the copy that is printed with this project."""
BOARD = "board"
TOPPING_OFF_MM = 0.8
CUTTER_OFF_MM, CUTTER_OFF_DEG = 0.9, 0.8
BOARD_OFF_MM, BOARD_OFF_DEG = 6.0, 5.0
"""How far (standard deviation) things are laid from where they ought to lie."""
SLID_MM, SLID_DEG = 3.0, 2.0
"""And how far the Pizza slides when it is turned."""
READY = 4
"""Of how many of the best moves people choose."""


class PizzaTheoryHands:
    """See `controller.hands.GameHands`."""

    def __init__(
        self,
        game: Game[Any, Any],
        start: State,
        areas: Mapping[Player, Sequence[Sequence[Point]]],
        rng: Random,
    ) -> None:
        """`areas`: each player's polygons, as in `controller.reading.Layout`."""
        self._game = game
        self._areas = areas
        self._rng = rng
        self._colours = start.options.colours
        self._parts = start.options.components
        self._spaces = {name: position_on_board(at) for name, at in self._parts.spaces.items()}

    def box(self) -> Sequence[NewPiece]:
        """The Pizza, every topping, the cutters; nothing of it has a back that is ever shown."""
        toppings = [
            NewPiece(f"topping/{colour}/{number}", PieceKind.TOPPING, f"topping/{colour}", f"topping/{colour}")
            for colour in self._colours
            for number in range(1, self._parts.each + 1)
        ]
        cutters = [NewPiece(f"cutter/{c}", PieceKind.CUTTER, f"cutter/{c}", f"cutter/{c}") for c in self._colours]
        return [NewPiece(BOARD, PieceKind.BOARD, BOARD, BOARD), *toppings, *cutters]

    def next_play(self, state: State) -> tuple[Sequence[Move], Player | None]:
        """The moves made next, up to where the table must agree, and whose button confirms them."""
        first = rules.first_player(state)
        match state.phase:
            case Phase.ROLL:
                roll = self._game.draw(state, self._rng)
                rolled = self._game.apply(state, roll)
                if self._rng.random() < 0.5 or not rules.touching(rolled):
                    return [roll], first
                return [roll, self._choose(rolled, first)], first
            case Phase.CUT:
                return [self._choose(state, player) for player in rules.yet_to_cut(state)], first
            case _:
                player = self._game.turn(state).players[0]
                return [self._choose(state, player)], player

    def uses_knife(self, moves: Sequence[Move]) -> bool:
        """Nobody uses a knife: cutters have a place of their own."""
        return False

    def steps(self, state: State, moves: Sequence[Move], lying: Mapping[str, Lying]) -> Sequence[Step]:
        """The hand movements that carry these moves out; before the first, the Pizza is laid."""
        known = dict(lying)
        done: list[Step] = []
        if known[BOARD].pose is None:
            done += self._set_up(state, known)
        for move in moves:
            done += self._steps(state, move, known)
            state = self._game.apply(state, move)
        return done

    def mistakes(self, state: State, moves: Sequence[Move], lying: Mapping[str, Lying]) -> Sequence[Mistake]:
        """Ways to break a rule here instead."""
        if lying[BOARD].pose is None:
            return []
        match state.phase:
            case Phase.ADD:
                found = [self._beside_own(state, lying), self._out_of_turn(state, lying), self._pushed(state, lying)]
            case Phase.UNSELECTED:
                found = [self._off_cutter(state, lying), self._pushed(state, lying)]
            case Phase.CUT:
                found = [self._along_others(state, moves, lying), self._pushed(state, lying)]
            case Phase.REPLACE:
                found = [self._not_all(state, lying), self._not_turned(state, lying), self._wrong_one(state, lying)]
            case _:
                found = [self._pushed(state, lying)]
        return [mistake for mistake in found if mistake is not None]

    def lay_anew(
        self, state: State, faces: Sequence[str], player: Player | None, lying: Mapping[str, Lying]
    ) -> Sequence[Step]:
        """Lay what is named again, as it ought to lie, the Pizza a little elsewhere; cutters where nothing is named."""
        who = player or rules.first_player(state)
        board = _pose(lying[BOARD])
        if BOARD in faces:
            to = (board.x_mm * 0.5 + self._rng.gauss(0, 10.0), board.y_mm * 0.5 + self._rng.gauss(0, 10.0))
            return [Step(who, tuple(self._with_all_on_it(lying, to, self._rng.gauss(0, SLID_DEG))))]
        held = {space: piece for piece, space in self.on_spaces(lying).items()}
        named = [space for space in self._spaces if space in faces and space in held]
        lays = [Lay(held[space], self._space(board, space), True) for space in named]
        for number in range(1, COLOURS + 1):
            cutter, cut = f"cutter/{self._colours[number - 1]}", state.cuts[number - 1]
            if (cutter in faces or not lays) and lying[cutter].pose is not None and cut is not None:
                lays.append(Lay(cutter, self._line(state, board, number, cut), True))
        return [Step(who, tuple(lays))] if lays else []

    def on_spaces(self, known: Mapping[str, Lying]) -> dict[str, str]:
        """The space on which each topping lies."""
        board = known[BOARD].pose
        on: dict[str, str] = {}
        for piece, lies in known.items():
            if board is None or lies.pose is None or not piece.startswith("topping/"):
                continue
            at = (lies.pose.x_mm, lies.pose.y_mm)
            on[piece] = min(self._spaces, key=lambda space, at=at: math.dist(_on_board(board, self._spaces[space]), at))  # type: ignore[misc]
        return on

    def scattered(self, state: State, board: Pose, filled: float) -> Sequence[Lay]:
        """A board with toppings on such a share of its spaces, and a cutter on some line of each side: what shows
        everything to a camera once."""
        known = {piece.piece: Lying(None, True) for piece in self.box()}
        known[BOARD] = Lying(board, True)
        chosen = [space for space in self._spaces if self._rng.random() < filled]
        lays = [self._lay_topping(known, self._rng.randint(1, COLOURS), space) for space in chosen]
        cuts = [(number, self._rng.choice(self._parts.numbers)) for number in range(1, COLOURS + 1)]
        cutters = [
            Lay(f"cutter/{self._colours[number - 1]}", self._line(state, board, number, line), True)
            for number, line in cuts
        ]
        return [Lay(BOARD, board, True), *(lay for lay in lays if lay is not None), *cutters]

    # Moves ---------------------------------------------------------------------------------------------------------

    def _choose(self, state: State, player: Player) -> Move:
        best = self._game.advise(state, player)[:READY]
        move: Move = self._rng.choice(best).move
        return move

    def _set_up(self, state: State, known: dict[str, Lying]) -> list[Step]:
        """The Pizza, its 1st towards the first player, and the toppings on its X spaces."""
        turn = self._wanted_deg(state) + self._rng.gauss(0, BOARD_OFF_DEG)
        middle = (self._rng.gauss(0, BOARD_OFF_MM), self._rng.gauss(0, BOARD_OFF_MM))
        first = rules.first_player(state)
        done = [_do(known, first, Lay(BOARD, Pose(*middle, turn % 360.0), True))]
        for number, spaces in enumerate(state.toppings, start=1):
            who = number if number <= state.players else first
            lays = [self._lay_topping(known, number, space) for space in sorted(spaces)]
            done.append(_do(known, who, *(lay for lay in lays if lay is not None)))
        return done

    def _steps(self, state: State, move: Move, known: dict[str, Lying]) -> list[Step]:
        match move:
            case Add(player, space):
                return self._top(known, player, player, space)
            case Place(player, space):
                return self._top(known, player, UNSELECTED, space)
            case Roll(number):
                return [self._cut(state, known, rules.first_player(state), UNSELECTED, number)]
            case Cut(player, number):
                return [self._cut(state, known, player, player, number)]
            case Replace(player):
                return [*self._replace(state, known, player), *self._turn_on(state, known, player)]
            case _:
                return []

    def _top(self, known: dict[str, Lying], player: Player, number: int, space: str) -> list[Step]:
        lay = self._lay_topping(known, number, space)
        return [] if lay is None else [_do(known, player, lay)]

    def _cut(self, state: State, known: dict[str, Lying], player: Player, number: int, line: int) -> Step:
        pose = self._line(state, _pose(known[BOARD]), number, line)
        return _do(known, player, Lay(f"cutter/{self._colours[number - 1]}", pose, True))

    def _replace(self, state: State, known: dict[str, Lying], player: Player) -> list[Step]:
        """Slice by slice: what is lost is taken away, then, with all toppings at hand, what comes is laid."""
        before, after = state.toppings, rules.replaced(state)
        parts = [self._parts.as_spaces(part) for part in rules.slices_of(state)]
        on = {space: piece for piece, space in self.on_spaces(known).items()}
        done = []
        for inside in parts:
            lost = sorted(space for old, new in zip(before, after, strict=True) for space in (old - new) & inside)
            if lost:
                done.append(_do(known, player, *(Lay(on[space], None, True) for space in lost)))
        for inside in parts:
            lays = [
                self._lay_topping(known, number, space)
                for number, (old, new) in enumerate(zip(before, after, strict=True), start=1)
                for space in sorted((new - old) & inside)
            ]
            if any(lays):
                done.append(Step(player, tuple(lay for lay in lays if lay is not None)))
        return done

    def _turn_on(self, state: State, known: dict[str, Lying], player: Player) -> list[Step]:
        """Everybody takes the own cutter off, then the Pizza is turned with all that lies on it."""
        done = []
        for number in range(1, COLOURS + 1):
            cutter = f"cutter/{self._colours[number - 1]}"
            if known[cutter].pose is not None:
                done.append(_do(known, number if number <= state.players else player, Lay(cutter, None, True)))
        after = rules.apply(state, Replace(player))
        if after.phase is not Phase.OVER:
            done.append(self._rotate(after, known, player))
        return done

    def _rotate(self, after: State, known: dict[str, Lying], player: Player) -> Step:
        """Turn the Pizza to the next side, sliding it a little."""
        board = _pose(known[BOARD])
        # Who has turned it every round does not let it creep away from how it faces everybody.
        astray = (board.angle_deg - 120.0 - self._wanted_deg(after) + 180.0) % 360.0 - 180.0
        turn = -120.0 - 0.5 * astray + self._rng.gauss(0, SLID_DEG)
        to = (board.x_mm * 0.7 + self._rng.gauss(0, SLID_MM), board.y_mm * 0.7 + self._rng.gauss(0, SLID_MM))
        return _do(known, player, *self._with_all_on_it(known, to, turn))

    def _with_all_on_it(self, known: Mapping[str, Lying], to: Point, turn: float) -> list[Lay]:
        """The Pizza laid elsewhere, turned by so many degrees, with toppings and cutters."""
        board = _pose(known[BOARD])
        lays = [Lay(BOARD, Pose(*to, (board.angle_deg + turn) % 360.0), True)]
        for piece, lies in known.items():
            if piece != BOARD and lies.pose is not None:
                x, y = _turned((lies.pose.x_mm - board.x_mm, lies.pose.y_mm - board.y_mm), turn)
                lays.append(Lay(piece, Pose(to[0] + x, to[1] + y, (lies.pose.angle_deg + turn) % 360.0), True))
        return lays

    # Mistakes ------------------------------------------------------------------------------------------------------

    def _beside_own(self, state: State, lying: Mapping[str, Lying]) -> Mistake | None:
        """A topping next to an own one."""
        adder = state.order[0]
        taken = set().union(*state.toppings)
        beside = {space for own in state.toppings[adder - 1] for space in self._parts.neighbours[own]} - taken
        return self._mistake("a topping next to an own one", adder, adder, sorted(beside), lying)

    def _out_of_turn(self, state: State, lying: Mapping[str, Lying]) -> Mistake | None:
        """A topping of somebody whose turn it is not."""
        others = [player for player in range(1, state.players + 1) if player != state.order[0]]
        if not rules.available(state, state.order[0]):
            return None  # then the next player need not wait for the pass
        player = self._rng.choice(others)
        return self._mistake("out of turn", player, player, list(rules.available(state, player)), lying)

    def _off_cutter(self, state: State, lying: Mapping[str, Lying]) -> Mistake | None:
        """A topping of the unselected colour that does not touch its cutter."""
        taken = set().union(*state.toppings, rules.touching(state))
        spaces = [space for space in self._spaces if space not in taken]
        return self._mistake("away from the cutter", rules.first_player(state), UNSELECTED, spaces, lying)

    def _mistake(
        self, name: str, player: Player, number: int, spaces: Sequence[str], lying: Mapping[str, Lying]
    ) -> Mistake | None:
        lay = self._lay_topping(dict(lying), number, self._rng.choice(spaces)) if spaces else None
        return None if lay is None else Mistake(name, player, (Step(player, (lay,)),), press=True)

    def _pushed(self, state: State, lying: Mapping[str, Lying]) -> Mistake | None:
        """A topping that somebody pushes to another space."""
        on = self.on_spaces(lying)
        free = [space for space in self._spaces if space not in on.values()]
        if not on or not free:
            return None
        piece, player = self._rng.choice(sorted(on)), rules.first_player(state)
        lay = Lay(piece, self._space(_pose(lying[BOARD]), self._rng.choice(free)), True)
        return Mistake("a topping pushed away", player, (Step(player, (lay,)),), press=True)

    def _along_others(self, state: State, moves: Sequence[Move], lying: Mapping[str, Lying]) -> Mistake | None:
        """A cutter laid along lines of another side."""
        cut = next((move for move in moves if isinstance(move, Cut)), None)
        if cut is None:
            return None
        pose = self._line(state, _pose(lying[BOARD]), cut.player % COLOURS + 1, cut.number)
        step = Step(cut.player, (Lay(f"cutter/{self._colours[cut.player - 1]}", pose, True),))
        return Mistake("a cutter along another's lines", cut.player, (step,), press=True)

    def _not_all(self, state: State, lying: Mapping[str, Lying]) -> Mistake | None:
        """Some toppings are not replaced."""
        leader, known = rules.first_player(state), dict(lying)
        replacing = self._replace(state, known, leader)
        if not replacing:
            return None
        return Mistake("not all replaced", leader, tuple(replacing[:-1]), press=True)

    def _not_turned(self, state: State, lying: Mapping[str, Lying]) -> Mistake | None:
        """All is replaced, and the Pizza not turned."""
        leader, known = rules.first_player(state), dict(lying)
        steps = [*self._replace(state, known, leader), *self._turn_on(state, known, leader)]
        if rules.apply(state, Replace(leader)).phase is Phase.OVER:
            return None
        return Mistake("not turned", leader, tuple(steps[:-1]), press=True)

    def _wrong_one(self, state: State, lying: Mapping[str, Lying]) -> Mistake | None:
        """A topping is taken away that is not lost."""
        after = rules.replaced(state)
        kept = sorted(space for old, new in zip(state.toppings, after, strict=True) for space in old & new)
        on = {space: piece for piece, space in self.on_spaces(lying).items()}
        if not kept or self._rng.choice(kept) not in on:
            return None
        leader = rules.first_player(state)
        step = Step(leader, (Lay(on[self._rng.choice(kept)], None, True),))
        return Mistake("a kept topping taken away", leader, (step,), press=True)

    # Where things lie ----------------------------------------------------------------------------------------------

    def _wanted_deg(self, state: State) -> float:
        """The board's angle with which everybody faces the own side: to the top of its print, away from its 1st."""
        places = {player: rules.place_of(state, player) for player in range(1, state.players + 1)}
        return board_turn(places, self._areas)[0] + 180.0

    def _lay_topping(self, known: dict[str, Lying], number: int, space: str) -> Lay | None:
        """A topping of this colour from the heap, from now on known to lie there; None where there is none left."""
        colour = self._colours[number - 1]
        heap = [f"topping/{colour}/{n}" for n in range(1, self._parts.each + 1)]
        piece = next((one for one in heap if known[one].pose is None), None)
        if piece is None:
            return None
        lay = Lay(piece, self._space(_pose(known[BOARD]), space), True)
        known[piece] = Lying(lay.to, True)
        return lay

    def _space(self, board: Pose, space: str) -> Pose:
        x, y = _on_board(board, self._spaces[space])
        off = (self._rng.gauss(0, TOPPING_OFF_MM), self._rng.gauss(0, TOPPING_OFF_MM))
        return Pose(x + off[0], y + off[1], 0.0)

    def _line(self, state: State, board: Pose, number: int, line: int) -> Pose:
        """On this line of this colour's side, the point of the cutter towards whoever lays it."""
        place = self._parts.places[rules.place_of(state, number)]
        near, far = (_on_board(board, end) for end in line_ends(self._parts, place, line))
        angle = math.degrees(math.atan2(near[1] - far[1], near[0] - far[0])) + self._rng.gauss(0, CUTTER_OFF_DEG)
        x, y = (near[0] + far[0]) / 2, (near[1] + far[1]) / 2
        off = (self._rng.gauss(0, CUTTER_OFF_MM), self._rng.gauss(0, CUTTER_OFF_MM))
        return Pose(x + off[0], y + off[1], angle % 360.0)


HANDS = PizzaTheoryHands


def _do(known: dict[str, Lying], player: Player, *lays: Lay) -> Step:
    """A step, remembered."""
    known.update({lay.piece: Lying(lay.to, lay.face_up) for lay in lays})
    return Step(player, lays)


def _pose(lying: Lying) -> Pose:
    assert lying.pose is not None
    return lying.pose


def _on_board(board: Pose, point: Point) -> Point:
    """The place on the table of a point of the board, in spaces from its middle, its 1st below."""
    x, y = _turned((point[1] * PITCH_MM, -point[0] * PITCH_MM), board.angle_deg)
    return board.x_mm + x, board.y_mm + y


def _turned(point: Point, angle_deg: float) -> Point:
    cos, sin = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
    return point[0] * cos - point[1] * sin, point[0] * sin + point[1] * cos
