"""What a sensible player of Dice and Slice would do, and why: a plan for the sheet and what a move does to it.

A plan divides the whole sheet into slices, by cuts right across, so that the slices' points, each by the chance that
its outline will still be completed, are most in all. A dot is worth what it adds to those chances, less what it spoils.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from controller.game import Advice, Player
from controller.games.dice_and_slice import grid, rules
from controller.games.dice_and_slice.components import DICE
from controller.games.dice_and_slice.grid import Grid, Rectangle
from controller.games.dice_and_slice.rules import ExtraDot, Phase, Pick, Sheet, State, Stop, mark

MOST_ADVICE = 12
_CLOSER_LOOK = 6
"""So many of the moves that look best are looked at closer."""
_KEPT = 0.93
"""The chance of a slice falls to this with each dot that its outline lacks, at most; see `_kept`."""
_HURRY = 4
"""How many of the dots still missing before the end is near."""
_DOT_WORTH = 5.0
"""What an extra dot is worth, in points."""
_FIRST_THERE = 0.7
"""The chance that nobody else scores a topping bonus before."""

_ROUNDING = 1e-9

_Part = tuple[int, int, int, int]
"""Left column, lowest row, width and height of a rectangle of squares."""


def advise(state: State, player: Player) -> Sequence[Advice]:
    """Moves of this player, best first, at most a dozen."""
    if player not in rules.turn(state).players:
        return ()
    outlook = _outlook(state, player)
    if state.phase is Phase.PICK:
        ranked = _advise_pick(outlook)
    elif outlook.sheet.marked:
        ranked = _advise_extra_dot(outlook)
    else:
        ranked = _advise_mark(outlook, rules.face_for(state, player))
    return sorted(ranked, key=lambda one: -one.value)[:MOST_ADVICE]


@dataclass(frozen=True, slots=True)
class _Best:
    """The value of the best division of any part of a sheet."""

    number: Mapping[_Part, int]
    values: Sequence[float]
    """By the part's number."""

    def of(self, part: _Part) -> float:
        """That of one part."""
        return self.values[self.number[part]]


@dataclass(frozen=True, slots=True)
class _Plan:
    """The best division of a sheet into slices that may still come about."""

    value: float
    slices: Mapping[Rectangle, float]
    """With what each is worth."""
    best: _Best


@dataclass(frozen=True, slots=True)
class _Outlook:
    """A player's sheet and what the best of the others has."""

    state: State
    player: Player
    plan: _Plan
    kept: float
    """The chance of a slice falls to this with each dot that its outline lacks."""
    others_expect: float
    others_have: float

    @property
    def sheet(self) -> Sheet:
        """As it is now."""
        return self.state.sheets[self.player - 1]

    def margin(self, sheet: Sheet) -> float:
        """What the player with this sheet can expect beyond the best of the others."""
        return self.margins([sheet])[0]

    def margins(self, sheets: Sequence[Sheet]) -> list[float]:
        """The same of several sheets, in hardly more time than of one."""
        plans = iter(_plan_values(self.state, [one for one in sheets if not self._ends(one)], self.kept))
        return [
            _points(self.state, one) - self.others_have
            if self._ends(one)
            else _worth(self.state, one, next(plans)) - self.others_expect
            for one in sheets
        ]

    def _ends(self, sheet: Sheet) -> bool:
        return rules.is_finished(self.state, sheet)


def _outlook(state: State, player: Player) -> _Outlook:
    mine = state.sheets[player - 1]
    others = [one for number, one in enumerate(state.sheets, start=1) if number != player]
    kept = _kept(state, list(zip(state.sheets, _plans(state, state.sheets, _KEPT), strict=True)))
    expected = zip(others, _plan_values(state, others, kept), strict=True)
    return _Outlook(
        state=state,
        player=player,
        plan=_plans(state, [mine], kept)[0],
        kept=kept,
        others_expect=max(_worth(state, one, value) for one, value in expected),
        others_have=max(_points(state, one) for one in others),
    )


def _kept(state: State, planned: Iterable[tuple[Sheet, _Plan]]) -> float:
    """What a missing dot leaves of a slice's chance: less and less towards the end, which is near when the sheet that
    is furthest lacks few dots of its plan. Then it counts what is complete, not what could be."""
    table = state.options.components.grid
    nearest = table.dots.bit_count()
    for sheet, plan in planned:
        wanted = table.perimeter
        for one in plan.slices:
            wanted |= one.outline
        nearest = min(nearest, (wanted & ~sheet.dots).bit_count())
    return min(_KEPT, (nearest + 1) / (nearest + 1 + _HURRY))


# Moves ----------------------------------------------------------------------------------------------------------------


def _advise_pick(outlook: _Outlook) -> list[Advice]:
    """Each die by the best that can be marked with it."""
    advice = []
    for die, face in zip(DICE, outlook.state.roll, strict=True):
        move = Pick(outlook.player, die)
        if rules.refusal(outlook.state, move) is None:
            best = max(_advise_mark(outlook, face), key=lambda one: one.value, default=None)
            value = best.value if best else outlook.margin(outlook.sheet)
            reason = f"{face}: {best.reason}" if best else f"{face} adds nothing to your sheet, nor does the other die."
            advice.append(Advice(move, value, reason))
    return advice


def _advise_mark(outlook: _Outlook, face: str) -> list[Advice]:
    table = outlook.state.options.components.grid
    ranked = _ranked(outlook, rules.marks(outlook.state, outlook.player, face))
    return [Advice(mark(table, outlook.player, new), value, reason) for new, value, reason in ranked]


def _advise_extra_dot(outlook: _Outlook) -> list[Advice]:
    """The topping of the smallest slice is crossed off first: that of a larger one may come again."""
    table, sheet = outlook.state.options.components.grid, outlook.sheet
    found = grid.slices(table, sheet.dots)
    earned = grid.list_bits(sheet.earned)
    sizes = {bit: min((one.size for one in found if one.squares & bit), default=0) for bit in earned}
    smallest = min(sizes, key=sizes.__getitem__)
    (topping,) = rules.topping_names(outlook.state, smallest)
    without = outlook.margin(replace(sheet, earned=0))
    advice: list[Advice] = [Advice(Stop(outlook.player), without, "Every further dot would spoil something.")]
    for new, value, reason in _ranked(outlook, grid.list_bits(table.dots & ~sheet.dots), smallest):
        (dot,) = grid.names_of(table, new)
        advice.append(Advice(ExtraDot(outlook.player, topping, dot), value, reason))
    return advice


def _ranked(outlook: _Outlook, candidates: Iterable[int], topping: int = 0) -> list[tuple[int, float, str]]:
    """Sets of new dots with their value and the reason; those that look best are looked at closer.

    Where they are the extra dot of a topping, it is crossed off.
    """
    state = outlook.state
    table = state.options.components.grid
    sheet = replace(outlook.sheet, crossed=outlook.sheet.crossed | topping, earned=outlook.sheet.earned & ~topping)
    rough = sorted(((_gain(table, outlook, new), new) for new in candidates), reverse=True)[:MOST_ADVICE]
    now = _worth(state, sheet, outlook.plan.value) - outlook.others_expect
    after = [rules.add_dots(state, sheet, new) for _, new in rough]
    values = outlook.margins(after[:_CLOSER_LOOK]) + [now + gain for gain, _ in rough[_CLOSER_LOOK:]]
    reasons = [_reason(state, sheet, one, outlook.plan) for one in after]
    return [(new, value, reason) for (_, new), value, reason in zip(rough, values, reasons, strict=True)]


def _reason(state: State, before: Sheet, after: Sheet, plan: _Plan) -> str:
    components = state.options.components
    made = grid.slices_made(components.grid, after.dots, after.dots & ~before.dots)
    if after.bonuses & ~before.bonuses:
        return f"Scores {', '.join(rules.bonus_names(state, after.bonuses & ~before.bonuses))}."
    if made:
        points = sum(components.points[one.size] for one in made)
        return f"Encloses {', '.join(one.name for one in made)} for {points} point{'s' * (points != 1)}."
    new = after.dots & ~before.dots
    served = [one for one in plan.slices if one.outline & new and not one.inside & new]
    spoiled = [one for one in plan.slices if one.inside & new]
    if spoiled:
        return f"Spoils {spoiled[0].name}, less than any other way does."
    if served:
        largest = max(served, key=lambda one: one.size)
        left = (largest.outline & ~after.dots).bit_count()
        return f"Works on the slice {largest.name} of {largest.size}, which then lacks {left} dot{'s' * (left != 1)}."
    return "Does no harm."


# What a sheet is worth ------------------------------------------------------------------------------------------------


def _points(state: State, sheet: Sheet) -> int:
    """What the sheet would score now."""
    components = state.options.components
    return _circled(state, sheet) + sum(components.points[one.size] for one in grid.slices(components.grid, sheet.dots))


def _worth(state: State, sheet: Sheet, planned: float) -> float:
    """What the sheet can be expected to score; `planned`: the value of its best plan."""
    return _circled(state, sheet) + _DOT_WORTH * sheet.earned.bit_count() + planned


def _circled(state: State, sheet: Sheet) -> int:
    components = state.options.components
    return sum(one.points for one in components.bonuses if components.bonus_bits[one.name] & sheet.bonuses)


def _plans(state: State, sheets: Sequence[Sheet], kept: float) -> list[_Plan]:
    """The best division of each sheet."""
    table = state.options.components.grid
    parts = _parts(table.columns, table.rows)
    worths = _worths(state, sheets, kept)
    plans = []
    for sheet, whole, values in zip(sheets, worths.tolist(), _best(table, worths).tolist(), strict=True):
        best = _Best(parts.number, values)
        planned = tuple(_planned(table, best, (sheet.dots, whole), parts.all))
        plans.append(_Plan(best.of(parts.all), dict(planned), best))
    return plans


def _plan_values(state: State, sheets: Sequence[Sheet], kept: float) -> list[float]:
    """The value of the best division of each sheet."""
    table = state.options.components.grid
    parts = _parts(table.columns, table.rows)
    best = _best(table, _worths(state, sheets, kept))
    return [float(value) for value in best[:, parts.number[parts.all]]]


@dataclass(frozen=True, slots=True)
class _Cut:
    """Parts that are cut into parts smaller than all of them: each in every way."""

    parts: NDArray[np.intp]
    starts: NDArray[np.intp]
    """Where the ways of each begin in the next two."""
    first: NDArray[np.intp]
    second: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class _Parts:
    """All rectangles of squares of a sheet."""

    number: Mapping[_Part, int]
    all: _Part
    """The whole sheet."""
    cuts: tuple[_Cut, ...]
    """The small ones first."""


@cache
def _parts(columns: int, rows: int) -> _Parts:
    sizes = list(product(range(1, columns + 1), range(1, rows + 1)))
    every = [(x, y, w, h) for w, h in sizes for x in range(columns + 1 - w) for y in range(rows + 1 - h)]
    number = {part: i for i, part in enumerate(every)}
    cuts = []
    for length in range(3, columns + rows + 1):
        level = [part for part in every if part[2] + part[3] == length]
        ways = [[(number[one], number[other]) for one, other in _cuts(part)] for part in level]
        first, second = np.array([way for some in ways for way in some], np.intp).T
        starts = np.cumsum([0, *(len(some) for some in ways[:-1])])
        cuts.append(_Cut(np.array([number[part] for part in level]), starts, first, second))
    return _Parts(number, (0, 0, columns, rows), tuple(cuts))


def _part(one: Rectangle) -> _Part:
    return one.left, one.bottom, one.width, one.height


def _best(table: Grid, worths: NDArray[np.float64]) -> NDArray[np.float64]:
    """The value of the best division of any part of each sheet (sheets x parts), where its rectangles are worth this
    as slices: by dynamic programming over all parts, the small ones first."""
    parts = _parts(table.columns, table.rows)
    best = np.zeros((len(worths), len(parts.number)))
    best[:, _rectangles(table).part] = worths
    for cut in parts.cuts:
        divided = np.maximum.reduceat(best[:, cut.first] + best[:, cut.second], cut.starts, axis=1)
        best[:, cut.parts] = np.maximum(best[:, cut.parts], divided)
    return best


def _planned(
    table: Grid, best: _Best, sheet: tuple[int, Sequence[float]], part: _Part
) -> Iterator[tuple[Rectangle, float]]:
    """The slices of the best division of this part, with what each is worth; `sheet`: its dots, and what each rectangle
    is worth."""
    dots, worths = sheet
    value = best.of(part)
    slice_ = _rectangles(table).by_part.get(part)
    if slice_ is not None and not slice_.inside & dots and worths[slice_.number] >= value - _ROUNDING:
        yield slice_, worths[slice_.number]
        return
    for one, other in _cuts(part):
        if best.of(one) + best.of(other) >= value - _ROUNDING:
            yield from _planned(table, best, sheet, one)
            yield from _planned(table, best, sheet, other)
            return


def _cuts(part: _Part) -> Iterator[tuple[_Part, _Part]]:
    left, bottom, width, height = part
    for cut in range(1, width):
        yield (left, bottom, cut, height), (left + cut, bottom, width - cut, height)
    for cut in range(1, height):
        yield (left, bottom, width, cut), (left, bottom + cut, width, height - cut)


@dataclass(frozen=True, slots=True)
class _Rectangles:
    """Of each of a sheet's rectangles that can be slices (rows), the places (columns: bits) that it has: 1 or 0."""

    outline: NDArray[np.float32]
    inside: NDArray[np.float32]
    squares: NDArray[np.float32]
    size: NDArray[np.intp]
    part: NDArray[np.intp]
    """Its number among all parts."""
    by_part: Mapping[_Part, Rectangle]


@cache
def _rectangles(table: Grid) -> _Rectangles:
    known, number = table.rectangles, _parts(table.columns, table.rows).number
    return _Rectangles(
        _bits(table, [one.outline for one in known]),
        _bits(table, [one.inside for one in known]),
        _bits(table, [one.squares for one in known]),
        np.array([one.size for one in known]),
        np.array([number[_part(one)] for one in known]),
        {_part(one): one for one in known},
    )


def _bits(table: Grid, masks: Sequence[int]) -> NDArray[np.float32]:
    """Masks of dots or squares as rows, 1 or 0."""
    size = (table.dots.bit_length() + 7) // 8
    data = np.frombuffer(b"".join(mask.to_bytes(size, "little") for mask in masks), np.uint8)
    return np.unpackbits(data.reshape(-1, size), axis=1, bitorder="little").astype(np.float32)


def _worths(state: State, sheets: Sequence[Sheet], kept: float) -> NDArray[np.float64]:
    """What each rectangle of each sheet may bring as a slice (sheets x rectangles), by the chance that its outline is
    completed; nothing where a dot divides it."""
    components = state.options.components
    table, places = components.grid, _rectangles(components.grid)
    dots = _bits(table, [sheet.dots for sheet in sheets])
    missing = ((1.0 - dots) @ places.outline.T).astype(np.intp)
    printed = (_bits(table, [components.topping_squares]) @ places.squares.T) > 0
    worths = np.array(components.points, np.float64)[places.size][None].repeat(len(sheets), axis=0)
    uncrossed = _bits(table, [components.topping_squares & ~sheet.crossed for sheet in sheets]) @ places.squares.T
    open_still = printed & (missing > 0)
    worths += np.where(open_still, _DOT_WORTH * uncrossed, 0.0)
    for i, number in np.argwhere(open_still & (np.array(components.bonus_of) > 0)).tolist():
        bonus = components.bonus_of[number] & ~(state.closed | sheets[i].bonuses)
        if bonus and not table.rectangles[number].squares & components.topping_squares & sheets[i].counted:
            worths[i, number] += _FIRST_THERE * components.bonuses[bonus.bit_length() - 1].points
    chances = np.array([kept**count for count in range(int(missing.max(initial=0)) + 1)])
    divided = (dots @ places.inside.T) > 0
    return np.where(divided, 0.0, worths * chances[missing])


def _gain(table: Grid, outlook: _Outlook, new: int) -> float:
    """Roughly what these dots add to a plan."""
    plan, gain = outlook.plan, 0.0
    for one, worth in plan.slices.items():
        if one.inside & new:
            gain += min(_divided(table, plan.best, one, dot) for dot in grid.list_bits(one.inside & new)) - worth
        elif one.outline & new:
            gain += worth * (outlook.kept ** -((one.outline & new).bit_count()) - 1)
    return gain


def _divided(table: Grid, best: _Best, one: Rectangle, dot: int) -> float:
    """What a slice is worth when it has to be cut through this dot inside it."""
    row, column = divmod(dot.bit_length() - 1, table.stride)
    across, up = column - one.left, row - one.bottom
    left, right = (one.left, one.bottom, across, one.height), (column, one.bottom, one.width - across, one.height)
    lower, upper = (one.left, one.bottom, one.width, up), (one.left, row, one.width, one.height - up)
    return max(best.of(left) + best.of(right), best.of(lower) + best.of(upper))
