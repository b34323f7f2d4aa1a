"""What a scene says of the sheets and the dice, and how well that fits what ought to be there.

The places that may be marked are few and known: each is weighed by how likely vision thinks it is marked, as logarithms
of odds, so that what a move adds is a sum over the marks it adds. What cannot be seen speaks neither for nor against
anything.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property, lru_cache, reduce
from operator import or_

import numpy as np
from numpy.typing import NDArray

from controller.game import Player
from controller.games.dice_and_slice import grid, laid
from controller.games.dice_and_slice.components import DICE, Components
from controller.games.dice_and_slice.rules import Sheet, State
from controller.reading import Layout
from vision.scene import MarkKind, PieceKind, Point, Scene, SheetMark, Sighting

MOST = math.log(0.998 / 0.002)
"""Nothing is surer than this, whatever vision says: it may be wrong."""
UNDRAWN = math.log(0.3 / 0.7)
"""A new line that is less likely than this is asked for: drawn once more, it is plain."""
LEAST_LINE = -1.0
"""A line that is doubtful where both its dots are plain says little against them."""
PLAIN_DOT = math.log(0.9 / 0.1)
"""Where a dot is less likely, its lines are weighed by themselves, and do not speak for it: what is looked for between
dots may be another stroke where there are none."""
KNOWN = math.log(50.0)
"""By these odds what was marked before is still there: pencil does not go away by itself."""
HINT = math.log(0.03 / 0.97)
"""What is this likely may be meant, if the rules allow nothing likelier."""
AGAINST = math.log(0.91 / 0.09)
"""What is as it should not be with such odds is odd. Crosses on sheets that were never seen blank are less sure: they
say which topping an extra dot is for, and nothing is odd about one."""
ADDED = math.log(0.75 / 0.25)
"""Dots are told from print so surely that one less likely is odd, too; and with such odds against one that was there
before, it was rubbed out."""
LEAST_DIE = 0.6
"""A die that is less likely is none."""
LEAST_LACKING = 2
"""Of a sheet that lacks so many dots it is asked whether it is another's."""
UNMOVED_MM = 4.0
"""A die that seems to lie no farther from where it lay is only measured anew."""


Traces = Mapping[tuple[MarkKind, int], float]
"""By which odds marks (their kind, their bits) seemed to be on a sheet when it was known that they are not: what an
eraser leaves of a mark looks a little like it, and after two of them much."""


class What(Enum):
    """What is odd about a sheet."""

    ADDED_DOT = "added dot"
    MISSING_DOT = "missing dot"
    MISSING_LINE = "missing line"
    DIAGONAL = "diagonal"
    NOT_CROSSED = "not crossed"
    CROSSED = "crossed"
    NOT_CIRCLED = "not circled"
    CIRCLED = "circled"


@dataclass(frozen=True, slots=True)
class Odd:
    """One place of a sheet that is otherwise than it should be."""

    what: What
    name: str
    """The dot, the line's two dots, the topping or the bonus."""
    old: bool = False
    """Whether it was so in the state before."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a sheet fits what should be on it."""

    log_dots: float
    """The logarithm of the evidence of dots and circles, but for what is the same for all that it is compared with,"""
    log_rest: float
    """and of lines and crosses, which follow from the dots."""
    odd: tuple[Odd, ...]

    @property
    def log(self) -> float:
        """The logarithm of all evidence."""
        return self.log_dots + self.log_rest


class SheetSeen:
    """One player's sheet in a scene, beside what is known of it."""

    def __init__(self, sighting: Sighting, index: int, known: Sheet, parts: Components, traces: Traces) -> None:
        """`index` is the sighting's in the scene; `known` is the sheet of the state before, on which are `traces`."""
        self.index = index
        self._traces = traces
        self._parts = parts
        self._known = known
        self._table = parts.grid
        self.dots: dict[int, float] = {}
        """The odds of each dot by its bit; likewise of lines by their two dots', crosses by squares', circles."""
        self.lines: dict[int, float] = {}
        self.diagonals: dict[int, float] = {}
        """The odds of lines between dots that are no neighbours, likewise."""
        self.crosses: dict[int, float] = {}
        self.circles: dict[int, float] = {}
        self._hidden: set[tuple[MarkKind, int]] = set()
        self._take(sighting.marks)

    def traces_beside(self, sheet: Sheet) -> Traces:
        """What seems to be on the sheet, though nothing but this is; where it is hidden now, as it was before."""
        places = (
            (MarkKind.DOT, self.dots, sheet.dots),
            (MarkKind.CROSSED_TOPPING, self.crosses, sheet.crossed),
            (MarkKind.CIRCLED_BONUS, self.circles, sheet.bonuses),
        )
        left: dict[tuple[MarkKind, int], float] = {}
        for kind, seen, there in places:
            for bit, odds in seen.items():
                before = self._traces.get((kind, bit), 0.0)
                trace = before if (kind, bit) in self._hidden else odds + before
                if trace > 0.0 and not bit & there:
                    left[kind, bit] = trace
        return left

    @property
    def hidden_dots(self) -> int:
        """The places of dots that are hidden."""
        return sum(bit for kind, bit in self._hidden if kind is MarkKind.DOT)

    @property
    def hidden_crosses(self) -> int:
        """The squares of which it is hidden whether their topping is crossed off."""
        return sum(bit for kind, bit in self._hidden if kind is MarkKind.CROSSED_TOPPING)

    @cached_property
    def lacking(self) -> int:
        """How many of the dots that were there before are not."""
        gone = -ADDED - KNOWN
        return sum(self.dots.get(bit, 0.0) < gone for bit in grid.list_bits(self._known.dots))

    def may_hide(self, odd: Sequence[Odd]) -> bool:
        """Whether what cannot be seen may be why this is odd: the extra dot of a topping that is crossed off, the cross
        for an extra dot, or that a dot is not there whose line is missing."""
        dots, crosses = self.hidden_dots & ~self._known.dots, self.hidden_crosses & ~self._known.crossed

        def may(one: Odd) -> bool:
            match one.what:
                case What.CROSSED:
                    return bool(dots)
                case What.ADDED_DOT | What.NOT_CROSSED:
                    return bool(crosses)
                case What.MISSING_LINE:
                    return bool((grid.mask_of(self._table, one.name.split("-")) or 0) & dots)
                case _:
                    return False

        return any(map(may, odd))

    def hinted(self) -> int:
        """The dots that may be new."""
        return sum(bit for bit, odds in self.dots.items() if odds >= HINT) & ~self._known.dots

    def sure_dots(self) -> int:
        """The dots that are surely new: what leaves one of them out is odd."""
        return sum(bit for bit, odds in self.dots.items() if odds > ADDED) & ~self._known.dots

    def new_dots(self) -> int:
        """The dots that are more likely new than not."""
        return sum(bit for bit, odds in self.dots.items() if odds > 0.0) & ~self._known.dots

    def plain(self) -> Sheet:
        """What is more likely there than not, by itself, and what is known."""
        return replace(
            self._known,
            dots=self._known.dots | self.new_dots(),
            crossed=self._known.crossed | sum(bit for bit, odds in self.crosses.items() if odds > 0.0),
            bonuses=self._known.bonuses | sum(bit for bit, odds in self.circles.items() if odds > 0.0),
        )

    def added(self, sheet: Sheet) -> float:
        """The logarithm of the evidence of what was not known there, dots and crosses. Against a dot that is hidden
        speaks that no line joins it to one beside it."""
        new = ((self.dots, sheet.dots & ~self._known.dots), (self.crosses, sheet.crossed & ~self._known.crossed))
        seen = sum(places.get(bit, 0.0) for places, bits in new for bit in grid.list_bits(bits))
        return seen - MOST * (sheet.dots & self._unjoined).bit_count()

    @cached_property
    def _unjoined(self) -> int:
        """The hidden dots that a line would join to one that is there, where none is drawn."""
        there = self._known.dots | self.sure_dots()
        hidden = self.hidden_dots & ~there
        apart = (bits for bits, odds in self.lines.items() if odds < UNDRAWN and bits & hidden and bits & there)
        return reduce(or_, apart, 0) & hidden

    def fit(self, sheet: Sheet) -> Fit:
        """How well it fits these dots, with their lines, crosses and circles."""
        logs, odd = [0.0, 0.0], list[Odd]()
        for places, expected, known, missing, added in self._all(sheet):
            follows = missing in (What.MISSING_LINE, What.NOT_CROSSED)
            for bit, odds in places.items():
                old = bit & known == bit
                if bit & expected == bit:
                    odds = odds + KNOWN if old else odds
                    logs[follows] += max(odds, LEAST_LINE) if missing is What.MISSING_LINE else odds
                    if odds < _least(missing, old=old):
                        odd.append(Odd(missing, self._name(missing, bit), old))
                elif odds > (ADDED if added is What.ADDED_DOT else AGAINST) and added is not None:
                    odd.append(Odd(added, self._name(added, bit), old))
        drawn = (bits for bits, odds in self.diagonals.items() if odds > AGAINST)
        return Fit(logs[0], logs[1], (*odd, *(Odd(What.DIAGONAL, self._name(What.DIAGONAL, bits)) for bits in drawn)))

    def ceiling(self) -> float:
        """The evidence of dots and circles for whatever fits best, whether the rules allow it or not."""
        total = 0.0
        for places, known in ((self.dots, self._known.dots), (self.circles, self._known.bonuses)):
            total += sum(max(0.0, odds + KNOWN if bit & known == bit else odds) for bit, odds in places.items())
        return total

    def _all(self, sheet: Sheet) -> Iterator[tuple[Mapping[int, float], int, int, What, What | None]]:
        """The places of each kind, what is expected and what was known there (a line is where both dots are), and what
        is odd where it is missing, or there for nothing."""
        known = self._known
        yield self.dots, sheet.dots, known.dots, What.MISSING_DOT, What.ADDED_DOT
        yield self.lines, sheet.dots, known.dots, What.MISSING_LINE, None
        yield self.crosses, sheet.crossed, known.crossed, What.NOT_CROSSED, What.CROSSED
        yield self.circles, sheet.bonuses, known.bonuses, What.NOT_CIRCLED, What.CIRCLED

    def _name(self, what: What, bits: int) -> str:
        if what in (What.NOT_CROSSED, What.CROSSED):
            return next(name for name, bit in self._parts.topping_bits.items() if bit == bits)
        if what in (What.NOT_CIRCLED, What.CIRCLED):
            return next(name for name, bit in self._parts.bonus_bits.items() if bit == bits)
        return "-".join(grid.names_of(self._table, bits))

    def _take(self, marks: Sequence[SheetMark]) -> None:
        """Weigh all marks: hundreds, for each sheet in each scene."""
        bits, ends = _bits_of(self._table)
        squares, bonuses = self._parts.topping_squares, len(self._parts.bonuses)
        lines: list[tuple[tuple[int, int], SheetMark]] = []
        for mark, odds in zip(marks, _odds(np.array([mark.probability for mark in marks])).tolist(), strict=True):
            kind, at = mark.kind, mark.at
            if kind is MarkKind.LINE:
                if at in ends:
                    lines.append((ends[at], mark))
            elif kind is MarkKind.DOT:
                self._take_at(bits.get(at, 0), self.dots, mark, odds)
            elif kind is MarkKind.DIAGONAL:
                self._take_at(bits.get(at[:2], 0) | bits.get(at[2:], 0), self.diagonals, mark, odds)
            elif kind is MarkKind.CROSSED_TOPPING:
                self._take_at(bits.get((at[0], at[1] + 1), 0) & squares, self.crosses, mark, odds)
            elif kind is MarkKind.CIRCLED_BONUS and at[0] < bonuses:
                self._take_at(1 << at[0], self.circles, mark, odds)
        self._take_lines(lines)

    def _take_at(self, bits: int, places: dict[int, float], mark: SheetMark, odds: float) -> None:
        """A mark, if it is on a place of the sheet, speaks for itself by as much as more than a trace is seen."""
        if not bits:
            return
        if mark.hidden:
            places[bits] = 0.0
            self._hidden.add((mark.kind, bits))
        else:
            places[bits] = odds - self._traces.get((mark.kind, bits), 0.0) if self._traces else odds

    def _take_lines(self, lines: Sequence[tuple[tuple[int, int], SheetMark]]) -> None:
        """Vision says how likely a line and both its dots are. Here it is a line's if both dots are there: what is
        doubtful about a dot is weighed once, with the dot."""
        dots = self.dots
        weaker = np.array([min(dots.get(one, 0.0), dots.get(other, 0.0)) for (one, other), _ in lines])
        likely = np.array([mark.probability for _, mark in lines])
        plain = _odds(likely)
        odds = np.where(weaker > PLAIN_DOT, plain, np.minimum(_odds(likely * (1.0 + np.exp(-weaker))), 0.0))
        odds[[mark.hidden for _, mark in lines]] = 0.0
        self.lines = dict(zip([one | other for (one, other), _ in lines], odds.tolist(), strict=True))


@lru_cache(maxsize=16)
def _bits_of(table: grid.Grid) -> tuple[Mapping[tuple[int, ...], int], Mapping[tuple[int, ...], tuple[int, int]]]:
    """The bit of each dot, which vision counts from the top, and those of both ends of each line."""
    bits: Mapping[tuple[int, ...], int] = {
        (column, row): 1 << (table.rows - row) * table.stride + column
        for row in range(table.rows + 1)
        for column in range(table.columns + 1)
    }
    ends: Mapping[tuple[int, ...], tuple[int, int]] = {
        (*dot, *beside): (bit, bits[beside])
        for dot, bit in bits.items()
        for beside in ((dot[0] + 1, dot[1]), (dot[0], dot[1] + 1))
        if beside in bits
    }
    return bits, ends


@dataclass(frozen=True, slots=True)
class DieSeen:
    """One die that lies beside all sheets."""

    index: int
    face: str
    probability: float
    area: Player | None
    """In whose area it lies; None on the mat, or beyond all areas."""
    middle: bool
    """Whether it lies on the mat."""
    spot: Point

    @property
    def die(self) -> str:
        """A or B."""
        return self.face[0]


class Seen:
    """A scene beside a state."""

    def __init__(
        self,
        state: State,
        scene: Scene,
        layout: Layout,
        traces: Mapping[Player, Traces] | None = None,
        left: Sequence[DieSeen] = (),
    ) -> None:
        """`traces` are those that are known on each player's sheet; `left` the dice that lay on the mat when a die was
        picked in the turn before."""
        self._state = state
        self._traces = traces or {}
        self._left = left
        self._scene = scene
        self.layout = layout
        self._parts = state.options.components

    @cached_property
    def lying(self) -> Mapping[Player, Sequence[SheetSeen]]:
        """All sheets that lie before each player, the own one first: what lacks nothing that was on it, lies in the own
        area and fits best what is known."""
        found: dict[Player, list[tuple[int, bool, float, SheetSeen]]] = {}
        for index, one in enumerate(self._scene.sightings):
            if one.kind is not PieceKind.SHEET or not self._is_of_this_game(one):
                continue
            spot = laid.at(one)
            player = laid.owner(spot, self.layout)
            sheet = self._sheet(index, player)
            off = sheet.ceiling() - sheet.fit(self._state.sheets[player - 1]).log_dots
            away = not laid.is_before(spot, player, self.layout)
            found.setdefault(player, []).append((sheet.lacking, away, off, sheet))
        return {player: [one[-1] for one in sorted(some, key=lambda one: one[:-1])] for player, some in found.items()}

    @cached_property
    def sheets(self) -> Mapping[Player, SheetSeen]:
        """Each player's sheet that is seen."""
        return {player: some[0] for player, some in self.lying.items()}

    @cached_property
    def mixed_up(self) -> tuple[Player, Player] | None:
        """A player before whom lies a sheet that lacks what is known of the own one, and before whom one lies that
        has it all."""
        for player in sorted(self.sheets):
            if self.sheets[player].lacking < LEAST_LACKING:
                continue
            for other, some in self.lying.items():
                if other != player and any(not self._sheet(one.index, player).lacking for one in some):
                    return player, other
        return None

    def _sheet(self, index: int, player: Player) -> SheetSeen:
        """A sheet as this player's."""
        known, traces = self._state.sheets[player - 1], self._traces.get(player, {})
        return SheetSeen(self._scene.sightings[index], index, known, self._parts, traces)

    @cached_property
    def dice(self) -> tuple[DieSeen, ...]:
        """The dice that lie beside all sheets, where what they show is a face of theirs."""
        sheets = [one for one in self._scene.sightings if one.kind is PieceKind.SHEET]
        found = []
        for index, one in enumerate(self._scene.sightings):
            spot = laid.at(one)
            if one.kind is not PieceKind.DIE or one.probability < LEAST_DIE or laid.lies_on(spot, sheets):
                continue
            face = laid.face_shown(self._parts.faces, one.face.split("/"))
            if face is not None:
                area = laid.area_of(spot, self.layout)
                found.append(DieSeen(index, face, one.probability, area, laid.is_in_middle(spot), spot))
        return tuple(found)

    @cached_property
    def unthrown(self) -> tuple[DieSeen, ...]:
        """The dice that still lie as the turn before left them."""
        return tuple(
            one
            for one in self.dice
            if any(one.face == left.face and math.dist(one.spot, left.spot) < UNMOVED_MM for left in self._left)
        )

    @cached_property
    def thrown(self) -> tuple[DieSeen, ...]:
        """All others."""
        return tuple(one for one in self.dice if one not in self.unthrown)

    def _is_of_this_game(self, sheet: Sighting) -> bool:
        """Whether it has the dots of this game's sheet."""
        dots = {mark.at for mark in sheet.marks if mark.kind is MarkKind.DOT}
        table = self._parts.grid
        return len(dots) == len(table.names) and max(dots) == (table.columns, table.rows)


def _least(missing: What, *, old: bool) -> float:
    """With smaller odds it is odd that this is not there."""
    if missing is What.MISSING_LINE:
        return UNDRAWN
    return -ADDED if missing is What.MISSING_DOT and old else -AGAINST


def _odds(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    share = np.clip(probabilities, 1e-9, 1.0 - 1e-9)
    return np.clip(np.log(share / (1.0 - share)), -MOST, MOST)


def dice_named(dice: Sequence[DieSeen]) -> Mapping[str, Sequence[DieSeen]]:
    """By which die they may be."""
    return {name: [one for one in dice if one.die == name] for name in DICE}
