"""How people play Dice and Slice: they throw dice, take one, and pencil on their sheets. For simulated players."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from controller.game import Game, Player
from controller.games.dice_and_slice import grid, laid, rules, ways
from controller.games.dice_and_slice.components import DICE
from controller.games.dice_and_slice.rules import ExtraDot, Mark, Move, Phase, Pick, Roll, State
from controller.hands import Lay, Lying, Mistake, NewPiece, Step
from vision.scene import MarkKind, PieceKind, Point, Pose

SHEET = "sheet"
"""The front of an empty sheet."""
READY = 3
"""Of how many of the best moves people choose."""
AT_ONCE = 0.3
"""How often the active player marks before pressing for the roll and the pick."""
SHEET_OUT_MM = (392.0, 250.0)
"""How far from the table's middle sheets lie, at its short sides and at its long ones."""
SIDE_SPREAD = 1.09
"""Two sheets at one short side need a little more room than their areas have."""
SHEET_OFF_MM, SHEET_OFF_DEG = 1.6, 1.2
THROWN_MM, APART_MM = 105.0, 50.0
"""How far from the table's middle dice come to lie, and how far from each other."""
IN_FRONT_MM = 262.0
BESIDE_MM, BESIDE_OUT_MM = (132.0, 160.0), 270.0
"""Where the die that was picked is laid: at a short side before the sheet, at a long one beside it."""


@dataclass(frozen=True, slots=True)
class Pencilled:
    """A mark on a sheet; places as in `vision.scene.MarkKind`, a line's ends may lie anywhere."""

    kind: MarkKind
    at: tuple[int, ...]
    rubbed: bool = False
    """Whether it was rubbed out again: only a trace is left."""


def write_front(player: int, marks: Sequence[Pencilled]) -> str:
    """The front of a sheet with what this player has written on it."""
    written = ",".join(f"{'~' * one.rubbed}{one.kind.value} {'.'.join(map(str, one.at))}" for one in marks)
    return f"{SHEET}/{player}:{written}"


def read_front(front: str) -> tuple[str, tuple[Pencilled, ...]]:
    """Who has written, and what: `write_front` backwards."""
    head, _, written = front.partition(":")
    return head.removeprefix(f"{SHEET}/"), tuple(map(_read_mark, filter(None, written.split(","))))


def standing(marks: Sequence[Pencilled]) -> list[Pencilled]:
    """What still shows of marks made in this order: what was rubbed out, as a trace, and what was not. Who rubs over a
    trace rubs that out, too."""
    left: list[Pencilled] = []
    made: set[tuple[MarkKind, tuple[int, ...]]] = set()
    for mark in marks:
        place = mark.kind, mark.at
        there = [one for one in left if (one.kind, one.at) == place]
        if mark.rubbed:
            left = [one for one in left if (one.kind, one.at) != place]
        if not mark.rubbed or place not in made or not all(one.rubbed for one in there):
            left.append(mark)
        made.add(place)
    return left


def _read_mark(text: str) -> Pencilled:
    kind, _, at = text.removeprefix("~").partition(" ")
    return Pencilled(MarkKind(kind), tuple(map(int, at.split("."))), text.startswith("~"))


class DiceAndSliceHands:
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
        self._players = start.players
        self._areas = areas
        self._rng = rng
        self._parts = start.options.components

    def box(self) -> Sequence[NewPiece]:
        """A sheet for everybody, and the dice."""
        sheets = [NewPiece(_sheet(p), PieceKind.SHEET, SHEET, SHEET) for p in range(1, self._players + 1)]
        dice = [NewPiece(_die(die), PieceKind.DIE, f"die/{die}1", f"die/{die}1") for die in DICE]
        return [*sheets, *dice]

    def next_play(self, state: State) -> tuple[Sequence[Move], Player | None]:
        """The moves made next, up to where the table must agree, and whose button confirms them."""
        if state.phase in (Phase.ROLL, Phase.PICK):
            return self._first(state), state.active
        player = self._rng.choice(list(rules.waiting_for(state)))
        return self._marking(state, player), player

    def uses_knife(self, moves: Sequence[Move]) -> bool:
        """Nobody uses a knife."""
        return False

    def steps(self, state: State, moves: Sequence[Move], lying: Mapping[str, Lying]) -> Sequence[Step]:
        """The hand movements that carry these moves out; before the first, everybody lays down a sheet."""
        known = dict(lying)
        done: list[Step] = self._lay_sheets(known)
        for move in moves:
            match move:
                case Roll(faces):
                    done += self._throw(state, faces, known)
                case Pick(player, die):
                    done.append(_do(known, player, Lay(_die(die), self._beside_sheet(player), True)))
                case _:
                    pass
            after = self._game.apply(state, move)
            if isinstance(move, Mark | ExtraDot):
                done += self._write(move.player, self._marks_between(state, after, move), known)
            state = after
        return _joined(done)

    def mistakes(self, state: State, moves: Sequence[Move], lying: Mapping[str, Lying]) -> Sequence[Mistake]:
        """Ways to break a rule here instead."""
        if lying[_sheet(1)].pose is None:
            return []
        if state.phase is not Phase.MARK:
            return [found for found in [self._too_early(state, lying)] if found is not None]
        makers = (
            self._off_pattern,
            self._line_forgotten,
            self._diagonal,
            self._dot_too_many,
            self._topping_forgotten,
            self._crossed_for_nothing,
            self._nothing_marked,
            self._others_sheet,
        )
        found = [make(state, moves, lying) for make in makers]
        return [mistake for mistake in found if mistake is not None]

    def lay_anew(
        self, state: State, faces: Sequence[str], player: Player | None, lying: Mapping[str, Lying]
    ) -> Sequence[Step]:
        """Marks that are named are pencilled again; dice are moved a little; a sheet of which nothing is named, too."""
        who = player or state.active
        known = dict(lying)
        marks = [mark for face in faces if (mark := self._mark_named(face)) is not None]
        wanted = [mark for mark in marks if self._should_be(state, who, mark)]
        if wanted:
            return self._write(who, wanted, known)
        if marks:
            return self._write(who, [replace(mark, rubbed=True) for mark in marks], known)
        pieces = [name for name in known if name.startswith("die/")] if faces else [_sheet(who)]
        return [Step(who, (Lay(name, self._shifted(known[name].pose), True),)) for name in pieces if known[name].pose]

    # Moves ---------------------------------------------------------------------------------------------------------

    def _first(self, state: State) -> list[Move]:
        """A roll and a pick; who is quick marks at once."""
        moves: list[Move] = [self._game.draw(state, self._rng)] if state.phase is Phase.ROLL else []
        for move in moves:
            state = self._game.apply(state, move)
        moves.append(self._choose(state, state.active))
        state = self._game.apply(state, moves[-1])
        active = moves[-1].player if isinstance(moves[-1], Pick) else state.active
        if state.phase is Phase.MARK and not state.sheets[active - 1].done and self._rng.random() < AT_ONCE:
            moves += self._marking(state, active)
        return moves

    def _marking(self, state: State, player: Player) -> list[Move]:
        """All that a player does in a turn with the own sheet."""
        before, moves = state, list[Move]()
        while state.phase is Phase.MARK and not state.sheets[player - 1].done:
            moves.append(self._choose(state, player))
            state = self._game.apply(state, moves[-1])
        # The order in which they mark is theirs; they agree on the one that leaves them most.
        return list(ways.in_order(before, player, tuple(moves)))

    def _choose(self, state: State, player: Player) -> Move:
        best = self._game.advise(state, player)[:READY]
        move: Move = self._rng.choice(best).move
        return move

    # Hands ---------------------------------------------------------------------------------------------------------

    def _lay_sheets(self, known: dict[str, Lying]) -> list[Step]:
        players = range(1, self._players + 1)
        return [
            _do(known, player, Lay(_sheet(player), self._before_seat(player), True, SHEET))
            for player in players
            if known[_sheet(player)].pose is None
        ]

    def _throw(self, state: State, faces: Sequence[str], known: dict[str, Lying]) -> list[Step]:
        """The active player takes both dice up, and throws them onto the mat."""
        steps = []
        if any(known[_die(die)].pose is not None for die in DICE):
            steps.append(_do(known, state.active, *(Lay(_die(die), None, True) for die in DICE)))
        spots: list[Point] = []
        while len(spots) < len(DICE):
            spot = (self._rng.uniform(-THROWN_MM, THROWN_MM), self._rng.uniform(-THROWN_MM, THROWN_MM))
            if all(math.dist(spot, other) > APART_MM for other in spots):
                spots.append(spot)
        lays = [
            Lay(_die(die), Pose(spot[0], spot[1], self._rng.uniform(0, 360)), True, f"die/{face}")
            for die, spot, face in zip(DICE, spots, faces, strict=True)
        ]
        return [*steps, _do(known, state.active, *lays)]

    def _write(self, player: Player, marks: Sequence[Pencilled], known: dict[str, Lying]) -> list[Step]:
        if not marks:
            return []
        piece = _sheet(player)
        lies = known[piece]
        _, written = read_front(lies.front) if ":" in lies.front else ("", ())
        lay = Lay(piece, lies.pose, lies.face_up, write_front(player, (*written, *marks)))
        return [_do(known, player, lay)]

    def _marks_between(self, before: State, after: State, move: Mark | ExtraDot) -> list[Pencilled]:
        """What a move adds to the player's sheet: dots and their lines, a cross, circles."""
        old, new = before.sheets[move.player - 1], after.sheets[move.player - 1]
        marks = [Pencilled(MarkKind.DOT, self._spot(bit)) for bit in grid.list_bits(new.dots & ~old.dots)]
        marks += self._lines(new.dots, new.dots & ~old.dots)
        marks += [
            Pencilled(MarkKind.CROSSED_TOPPING, self._square(bit)) for bit in grid.list_bits(new.crossed & ~old.crossed)
        ]
        circled = grid.list_bits(new.bonuses & ~old.bonuses)
        return [*marks, *(Pencilled(MarkKind.CIRCLED_BONUS, (bit.bit_length() - 1,)) for bit in circled)]

    def _lines(self, dots: int, new: int) -> list[Pencilled]:
        """The lines among these dots that end at a new one."""
        bits = self._parts.grid.bits
        pairs = [(bits[one], bits[other]) for one, other in grid.lines(self._parts.grid, dots)]
        return [self._line(one, other) for one, other in pairs if (one | other) & new]

    def _line(self, one: int, other: int) -> Pencilled:
        start, end = sorted((self._spot(one), self._spot(other)))
        return Pencilled(MarkKind.LINE, (*start, *end))

    def _spot(self, dot: int) -> tuple[int, int]:
        """Column and row of a dot, from the sheet's upper left."""
        row, column = divmod(dot.bit_length() - 1, self._parts.grid.stride)
        return column, self._parts.grid.rows - row

    def _square(self, square: int) -> tuple[int, int]:
        column, row = self._spot(square)
        return column, row - 1

    def _mark_named(self, face: str) -> Pencilled | None:
        """The mark that a complaint names, such as sheet/2/c7-d7."""
        kind, _, rest = face.partition("/")
        name = rest.partition("/")[2]
        bits = self._parts.grid.bits
        if kind != SHEET or not name:
            return None
        if name in bits:
            return Pencilled(MarkKind.DOT, self._spot(bits[name]))
        if name in self._parts.topping_bits:
            return Pencilled(MarkKind.CROSSED_TOPPING, self._square(self._parts.topping_bits[name]))
        if name in self._parts.bonus_bits:
            return Pencilled(MarkKind.CIRCLED_BONUS, (self._parts.bonus_bits[name].bit_length() - 1,))
        ends = [bits[one] for one in name.split("-") if one in bits]
        return self._line(*ends) if len(ends) == 2 else None

    def _should_be(self, state: State, player: Player, mark: Pencilled) -> bool:
        """Whether this mark belongs on the sheet."""
        sheet = state.sheets[player - 1]
        dots = [self._spot(bit) for bit in grid.list_bits(sheet.dots)]
        match mark.kind:
            case MarkKind.DOT:
                return mark.at in dots
            case MarkKind.LINE:
                neighbours = math.dist(mark.at[:2], mark.at[2:]) == 1
                return neighbours and mark.at[:2] in dots and mark.at[2:] in dots
            case MarkKind.CROSSED_TOPPING:
                return any(self._square(bit) == mark.at for bit in grid.list_bits(sheet.crossed))
            case _:
                return bool(sheet.bonuses >> mark.at[0] & 1)

    def _before_seat(self, player: Player) -> Pose:
        """Where a player's sheet lies, its top towards the table's middle."""
        x, y = laid.seat_way(self._areas, player)
        mine = self._areas[player][0]
        at = [sum(values) / len(mine) for values in zip(*mine, strict=True)]
        middle = (x * SHEET_OUT_MM[0], at[1] * SIDE_SPREAD) if x else (at[0], y * SHEET_OUT_MM[1])
        turn = math.degrees(math.atan2(-y, -x)) + self._rng.gauss(0, SHEET_OFF_DEG)
        off = (self._rng.gauss(0, SHEET_OFF_MM), self._rng.gauss(0, SHEET_OFF_MM))
        return Pose(middle[0] + off[0], middle[1] + off[1], turn % 360.0)

    def _beside_sheet(self, player: Player) -> Pose:
        """Where a player lays the die that was picked."""
        x, y = laid.seat_way(self._areas, player)
        mine = self._areas[player][0]
        at = [sum(values) / len(mine) for values in zip(*mine, strict=True)]
        along, off = self._rng.choice((-1.0, 1.0)) * self._rng.uniform(*BESIDE_MM), self._rng.gauss(0, 8.0)
        spot = (x * IN_FRONT_MM, at[1] + off * 2) if x else (at[0] + along, y * BESIDE_OUT_MM + off)
        return Pose(spot[0], spot[1], self._rng.uniform(0, 360))

    def _shifted(self, pose: Pose | None) -> Pose:
        assert pose is not None
        x, y = (value + self._rng.gauss(0, 5.0) for value in (pose.x_mm, pose.y_mm))
        return Pose(x, y, (pose.angle_deg + self._rng.gauss(0, 3.0)) % 360.0)

    # Mistakes ------------------------------------------------------------------------------------------------------

    def _too_early(self, state: State, lying: Mapping[str, Lying]) -> Mistake | None:
        """Somebody marks before the dice are thrown."""
        if all(lying[_die(die)].pose is not None and laid.is_in_middle(_at(lying[_die(die)])) for die in DICE):
            return None
        player = self._rng.randint(1, self._players)
        return self._mistake("marked before the roll", player, self._free_dots(state, player, 1), lying, press=False)

    def _off_pattern(self, state: State, moves: Sequence[Move], lying: Mapping[str, Lying]) -> Mistake | None:
        """Dots that are not those of the die."""
        first = moves[0]
        if not isinstance(first, Mark):
            return None
        table = self._parts.grid
        dots = grid.mask_of(table, first.dots) or 0
        moved = self._rng.choice(list(grid.list_bits(dots)))
        others = list(grid.list_bits(table.dots & ~state.sheets[first.player - 1].dots & ~dots))
        wrong = dots & ~moved | self._rng.choice(others) if others else 0
        refused = rules.refusal(state, Mark(first.player, frozenset(grid.names_of(table, wrong))))
        return self._mistake("dots off the pattern", first.player, wrong, lying) if wrong and refused else None

    def _line_forgotten(self, state: State, moves: Sequence[Move], lying: Mapping[str, Lying]) -> Mistake | None:
        """Neighbouring dots are not connected."""
        first = moves[0]
        if not isinstance(first, Mark):
            return None
        marks = self._marks_between(state, self._game.apply(state, first), first)
        lines = [mark for mark in marks if mark.kind is MarkKind.LINE]
        if not lines:
            return None
        left_out = self._rng.choice(lines)
        return self._written("a line forgotten", first.player, [m for m in marks if m is not left_out], lying)

    def _diagonal(self, state: State, moves: Sequence[Move], lying: Mapping[str, Lying]) -> Mistake | None:
        """Dots at opposite corners of an empty square are connected."""
        first = moves[0]
        if not isinstance(first, Mark):
            return None
        after = self._game.apply(state, first)
        dots = {self._spot(bit) for bit in grid.list_bits(after.sheets[first.player - 1].dots)}
        new = {self._spot(self._parts.grid.bits[name]) for name in first.dots}
        printed = {self._square(bit) for bit in self._parts.topping_bits.values()}
        pairs = [
            (one, other)
            for one in sorted(dots)
            for other in ((one[0] + 1, one[1] + 1), (one[0] + 1, one[1] - 1))
            if other in dots and {one, other} & new and (one[0], min(one[1], other[1])) not in printed
        ]
        if not pairs:
            return None
        one, other = self._rng.choice(pairs)
        marks = [*self._marks_between(state, after, first), Pencilled(MarkKind.LINE, (*one, *other))]
        return self._written("dots connected diagonally", first.player, marks, lying)

    def _topping_forgotten(self, state: State, moves: Sequence[Move], lying: Mapping[str, Lying]) -> Mistake | None:
        """An extra dot is placed, and its topping is not crossed off."""
        if not any(isinstance(move, ExtraDot) for move in moves):
            return None
        marks, player = self._all_marks(state, moves)
        left_out = self._rng.choice([mark for mark in marks if mark.kind is MarkKind.CROSSED_TOPPING])
        if self._is_another_play(state, moves, player, left_out):
            return None
        kept = [mark for mark in marks if mark is not left_out]
        return self._written("a topping not crossed off", player, kept, lying)

    def _crossed_for_nothing(self, state: State, moves: Sequence[Move], lying: Mapping[str, Lying]) -> Mistake | None:
        """A topping is crossed off that has brought no dot."""
        first = moves[0]
        if not isinstance(first, Mark):
            return None
        marks, player = self._all_marks(state, moves)
        crossed = {mark.at for mark in marks}
        before = state.sheets[player - 1].crossed
        free = [
            bit for bit in self._parts.topping_bits.values() if not bit & before and self._square(bit) not in crossed
        ]
        if not free:
            return None
        extra = Pencilled(MarkKind.CROSSED_TOPPING, self._square(self._rng.choice(free)))
        if self._is_another_play(state, moves, player, extra):
            return None
        return self._written("a topping crossed off for nothing", player, [*marks, extra], lying)

    def _is_another_play(self, state: State, moves: Sequence[Move], player: Player, cross: Pencilled) -> bool:
        """Whether what these moves of one player pencil is what the rules allow with this cross more, or less: an extra
        dot may be one of the die's as well, where that can be marked elsewhere."""
        shown = ways.after(state, player, tuple(moves))
        changed = next(bit for bit in self._parts.topping_bits.values() if self._square(bit) == cross.at)
        return ways.leading_to(state, player, replace(shown, crossed=shown.crossed ^ changed)) is not None

    def _all_marks(self, state: State, moves: Sequence[Move]) -> tuple[list[Pencilled], Player]:
        """All that these moves of one player add to the sheet."""
        marks: list[Pencilled] = []
        player = state.active
        for move in moves:
            after = self._game.apply(state, move)
            if isinstance(move, Mark | ExtraDot):
                marks += self._marks_between(state, after, move)
                player = move.player
            state = after
        return marks, player

    def _dot_too_many(self, state: State, moves: Sequence[Move], lying: Mapping[str, Lying]) -> Mistake | None:
        """An extra dot that no topping has brought."""
        first = moves[0]
        if not isinstance(first, Mark):
            return None
        table = self._parts.grid
        after = rules.add_dots(state, state.sheets[first.player - 1], grid.mask_of(table, first.dots) or 0)
        far = table.dots & ~after.dots
        for bit in grid.list_bits(after.dots):
            far &= ~table.neighbours[bit.bit_length() - 1]
        if after.earned or not far:
            return None
        extra = self._rng.choice(list(grid.list_bits(far)))
        if rules.refusal(state, Mark(first.player, first.dots | set(grid.names_of(table, extra)))) is None:
            return None
        marks = self._marks_between(state, self._game.apply(state, first), first)
        marks.append(Pencilled(MarkKind.DOT, self._spot(extra)))
        return self._written("a dot too many", first.player, marks, lying)

    def _nothing_marked(self, state: State, moves: Sequence[Move], lying: Mapping[str, Lying]) -> Mistake | None:
        """Somebody presses and has marked nothing."""
        first = moves[0]
        if not isinstance(first, Mark):
            return None
        return Mistake("nothing marked", first.player, (), press=True)

    def _others_sheet(self, state: State, moves: Sequence[Move], lying: Mapping[str, Lying]) -> Mistake | None:
        """Somebody marks whose turn is over."""
        done = [p for p in range(1, self._players + 1) if state.sheets[p - 1].done]
        if not done:
            return None
        player = self._rng.choice(done)
        dot = self._free_dots(state, player, 1)
        return self._mistake("marked after the own turn", player, dot, lying, press=False)

    def _free_dots(self, state: State, player: Player, count: int) -> int:
        free = list(grid.list_bits(self._parts.grid.dots & ~state.sheets[player - 1].dots))
        return sum(self._rng.sample(free, min(count, len(free))))

    def _mistake(
        self, name: str, player: Player, dots: int, lying: Mapping[str, Lying], *, press: bool = True
    ) -> Mistake | None:
        """These dots, with the lines among them and the old ones."""
        marks = [Pencilled(MarkKind.DOT, self._spot(bit)) for bit in grid.list_bits(dots)]
        return self._written(name, player, marks, lying, press=press) if marks else None

    def _written(
        self, name: str, player: Player, marks: Sequence[Pencilled], lying: Mapping[str, Lying], *, press: bool = True
    ) -> Mistake:
        known = dict(lying)
        steps = self._write(player, marks, known)
        # What is rubbed out leaves a trace.
        rubbed = self._write(player, [replace(mark, rubbed=True) for mark in marks], known)
        return Mistake(name, player, tuple(steps), press, put_right=tuple(rubbed))


HANDS = DiceAndSliceHands


def _sheet(player: Player) -> str:
    return f"{SHEET}/{player}"


def _die(die: str) -> str:
    return f"die/{die}"


def _at(lying: Lying) -> Point:
    assert lying.pose is not None
    return lying.pose.x_mm, lying.pose.y_mm


def _do(known: dict[str, Lying], player: Player, *lays: Lay) -> Step:
    """A step, remembered."""
    for lay in lays:
        shows = lay.shows if lay.shows is not None else known[lay.piece].front
        known[lay.piece] = Lying(lay.to, lay.face_up, shows)
    return Step(player, lays)


def _joined(steps: Sequence[Step]) -> list[Step]:
    """Writing on one sheet in a row is done in one go."""
    joined: list[Step] = []
    for step in steps:
        writes = all(lay.piece.startswith(SHEET) and lay.shows not in (None, SHEET) for lay in step.lays)
        before = joined[-1] if joined else None
        if before is not None and writes and [b.piece for b in before.lays] == [lay.piece for lay in step.lays]:
            joined.pop()
        joined.append(step)
    return joined
