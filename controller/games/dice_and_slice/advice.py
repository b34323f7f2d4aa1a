"""What a sensible player of Dice and Slice would do, and why: a plan for the sheet and what a move does to it.

A plan divides the whole sheet into slices, by cuts right across, so that the slices' points, each by the chance that
its outline will still be completed, are most in all. A dot is worth what it adds to those chances, less what it spoils.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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

_Table = list[list[NDArray[np.float64]]]
_Part = tuple[int, int, int, int]
"""Left column, lowest row, width and height of a rectangle of squares."""
_Places = Mapping[_Part, tuple[Rectangle, float]]


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
class _Plan:
    """The best division of a sheet into slices that may still come about."""

    value: float
    slices: Mapping[Rectangle, float]
    """With what each is worth."""
    best: _Table
    """The value of the best division of any part: by its width, its height, and its lower left square."""


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
        if rules.is_finished(self.state, sheet):
            return _points(self.state, sheet) - self.others_have
        return _worth(self.state, sheet, _plan(self.state, sheet, self.kept)) - self.others_expect


def _outlook(state: State, player: Player) -> _Outlook:
    mine = state.sheets[player - 1]
    others = [one for number, one in enumerate(state.sheets, start=1) if number != player]
    kept = _kept(state, [(one, _plan(state, one, _KEPT)) for one in state.sheets])
    return _Outlook(
        state=state,
        player=player,
        plan=_plan(state, mine, kept),
        kept=kept,
        others_expect=max(_worth(state, one, _plan(state, one, kept)) for one in others),
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
    now = _worth(state, sheet, outlook.plan) - outlook.others_expect
    ranked = []
    for index, (gain, new) in enumerate(rough):
        after = rules.add_dots(state, sheet, new)
        value = outlook.margin(after) if index < _CLOSER_LOOK else now + gain
        ranked.append((new, value, _reason(state, sheet, after, outlook.plan)))
    return ranked


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


def _worth(state: State, sheet: Sheet, plan: _Plan) -> float:
    """What the sheet can be expected to score."""
    return _circled(state, sheet) + _DOT_WORTH * sheet.earned.bit_count() + plan.value


def _circled(state: State, sheet: Sheet) -> int:
    components = state.options.components
    return sum(one.points for one in components.bonuses if components.bonus_bits[one.name] & sheet.bonuses)


def _plan(state: State, sheet: Sheet, kept: float) -> _Plan:
    """Dynamic programming over all parts of the sheet, the small ones first."""
    table = state.options.components.grid
    whole = {one: _chance_worth(state, sheet, one, kept) for one in table.rectangles if not one.inside & sheet.dots}
    best: _Table = [
        [np.zeros((table.columns + 1 - width, table.rows + 1 - height)) for height in range(table.rows + 1)]
        for width in range(table.columns + 1)
    ]
    for one, worth in whole.items():
        best[one.width][one.height][one.left, one.bottom] = worth
    for width, height in product(range(1, table.columns + 1), range(1, table.rows + 1)):
        here = best[width][height]
        wide, high = here.shape
        for cut in range(1, width):
            np.maximum(here, best[cut][height][:wide] + best[width - cut][height][cut : cut + wide], out=here)
        for cut in range(1, height):
            np.maximum(here, best[width][cut][:, :high] + best[width][height - cut][:, cut : cut + high], out=here)
    places = {(one.left, one.bottom, one.width, one.height): (one, worth) for one, worth in whole.items()}
    planned = tuple(_planned(best, places, (0, 0, table.columns, table.rows)))
    return _Plan(float(best[table.columns][table.rows][0, 0]), dict(planned), best)


def _planned(best: _Table, places: _Places, part: _Part) -> Iterator[tuple[Rectangle, float]]:
    """The slices of the best division of this part, with what each is worth."""
    left, bottom, width, height = part
    value = best[width][height][left, bottom]
    if part in places and places[part][1] >= value - _ROUNDING:
        yield places[part]
        return
    for one, other in _cuts(part):
        if _value(best, one) + _value(best, other) >= value - _ROUNDING:
            yield from _planned(best, places, one)
            yield from _planned(best, places, other)
            return


def _cuts(part: _Part) -> Iterator[tuple[_Part, _Part]]:
    left, bottom, width, height = part
    for cut in range(1, width):
        yield (left, bottom, cut, height), (left + cut, bottom, width - cut, height)
    for cut in range(1, height):
        yield (left, bottom, width, cut), (left, bottom + cut, width, height - cut)


def _value(best: _Table, part: _Part) -> float:
    left, bottom, width, height = part
    return float(best[width][height][left, bottom])


def _chance_worth(state: State, sheet: Sheet, one: Rectangle, kept: float) -> float:
    """What this slice may bring, by the chance that its outline is completed."""
    components = state.options.components
    missing = (one.outline & ~sheet.dots).bit_count()
    worth: float = components.points[one.size]
    toppings = one.squares & components.topping_squares
    if toppings and missing:
        worth += _DOT_WORTH * (toppings & ~sheet.crossed).bit_count()
        bonus = components.bonus_of[one.number] & ~(state.closed | sheet.bonuses)
        if bonus and not toppings & sheet.counted:
            worth += _FIRST_THERE * components.bonuses[bonus.bit_length() - 1].points
    return worth * kept**missing


def _gain(table: Grid, outlook: _Outlook, new: int) -> float:
    """Roughly what these dots add to a plan."""
    plan, gain = outlook.plan, 0.0
    for one, worth in plan.slices.items():
        if one.inside & new:
            gain += min(_divided(table, plan, one, dot) for dot in grid.list_bits(one.inside & new)) - worth
        elif one.outline & new:
            gain += worth * (outlook.kept ** -((one.outline & new).bit_count()) - 1)
    return gain


def _divided(table: Grid, plan: _Plan, one: Rectangle, dot: int) -> float:
    """What a slice is worth when it has to be cut through this dot inside it."""
    row, column = divmod(dot.bit_length() - 1, table.stride)
    across, up = column - one.left, row - one.bottom
    left, right = (one.left, one.bottom, across, one.height), (column, one.bottom, one.width - across, one.height)
    lower, upper = (one.left, one.bottom, one.width, up), (one.left, row, one.width, one.height - up)
    return max(_value(plan.best, left) + _value(plan.best, right), _value(plan.best, lower) + _value(plan.best, upper))
