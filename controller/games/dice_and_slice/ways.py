"""How a player may have come to what the own sheet shows.

Marks do not show in which order they were made. It hardly matters: only which toppings have scored a topping bonus may
follow from it. Of all orders that look the same the one is taken that leaves most of them for another bonus.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from controller.game import Player
from controller.games.dice_and_slice import grid, rules
from controller.games.dice_and_slice.rules import ExtraDot, Mark, Move, Sheet, State, Stop

MOST_WAYS = 30
"""So many ways to place some extra dots are gone on with,"""
MOST_ORDERS = 60
"""and so many orders of the same marks."""
Moves = tuple[Move, ...]
Level = dict[Sheet, Moves]


def ways(
    state: State,
    player: Player,
    free: int,
    toppings: Callable[[int], Sequence[int]],
    likely: Callable[[Sheet], tuple[float, ...]],
) -> Iterator[tuple[Moves, Sheet]]:
    """What a player may do until there is nothing more to do this turn, with what the sheet shows after it, each such
    sheet once.

    Dots are among those that are `free`; the next extra dot is for one of the `toppings` that are chosen among these
    bits. With many extra dots only the ways that are most `likely` are gone on with.
    """
    level = _begun(state, player, free)
    met: set[tuple[int, int, int]] = set()
    while level:
        for sheet, moves in level.items():
            # What is done without is not earned any more.
            if shown(sheet) not in met:
                met.add(shown(sheet))
                yield ((*moves, Stop(player)) if sheet.earned else moves), replace(sheet, earned=0)
        following = _following(state, player, level, free, toppings)
        likeliest = sorted(following, key=likely, reverse=True)[:MOST_WAYS]
        level = {sheet: following[sheet] for sheet in likeliest}


def in_order(state: State, player: Player, moves: Moves) -> Moves:
    """What a player may do in a turn to make the same marks, in the order that is taken, see above."""
    return leading_to(state, player, after(state, player, moves)) or moves


def leading_to(state: State, player: Player, wanted: Sheet) -> Moves | None:
    """What a player may do in a turn until the sheet shows this, in the order that is taken, see above; None where
    nothing was found that does."""

    def toppings(earned: int) -> Sequence[int]:
        return list(grid.list_bits(earned & wanted.crossed))[:1]  # it comes to the same

    def rank(sheet: Sheet) -> tuple[int, ...]:
        scored, more = sheet.bonuses & wanted.bonuses, sheet.earned & wanted.crossed
        return -scored.bit_count(), sheet.counted.bit_count(), -more.bit_count(), sheet.dots, sheet.counted

    def left(sheet: Sheet) -> int:
        """How many more dots there are to place than toppings to cross off for them."""
        return (wanted.dots & ~sheet.dots).bit_count() - (wanted.crossed & ~sheet.crossed).bit_count()

    level = {sheet: begun for sheet, begun in _begun(state, player, wanted.dots).items() if not left(sheet)}
    while level:
        done = [sheet for sheet in level if shown(sheet) == shown(wanted)]
        if done:
            best = min(done, key=rank)
            return (*level[best], Stop(player)) if best.earned else level[best]
        following = _following(state, player, level, wanted.dots, toppings)
        fit = [sheet for sheet in following if not sheet.bonuses & ~wanted.bonuses]
        level = {sheet: following[sheet] for sheet in sorted(fit, key=rank)[:MOST_ORDERS]}
    return None


def after(state: State, player: Player, moves: Moves) -> Sheet:
    """The player's sheet after these moves of a turn, before the turn ends."""
    return replace(_during(state, player, moves), earned=0)


def done_without(state: State, player: Player, moves: Moves) -> int:
    """The squares whose toppings still give an extra dot after these moves of a turn."""
    return _during(state, player, moves).earned


def _during(state: State, player: Player, moves: Moves) -> Sheet:
    sheet, parts = state.sheets[player - 1], state.options.components
    for move in moves:
        match move:
            case Mark(_, dots):
                sheet = rules.add_dots(state, sheet, grid.mask_of(parts.grid, dots) or 0)
            case ExtraDot(_, topping, dot):
                sheet = rules.add_dots(state, _crossed(sheet, parts.topping_bits[topping]), parts.grid.bits[dot])
            case _:
                pass
    return sheet


def _begun(state: State, player: Player, free: int) -> Level:
    """The sheet as it is, or as each way to mark the die among these dots leaves it."""
    before = state.sheets[player - 1]
    if before.marked:
        return {before: ()}
    level: Level = {}
    for new in rules.marks(state, player, rules.face_for(state, player)):
        if not new & ~free:
            move = rules.mark(state.options.components.grid, player, new)
            level.setdefault(rules.add_dots(state, before, new), (move,))
    return level


def _following(
    state: State, player: Player, level: Level, free: int, toppings: Callable[[int], Sequence[int]]
) -> Level:
    """One extra dot more."""
    table = state.options.components.grid
    following: Level = {}
    for sheet, moves in level.items():
        for bit in toppings(sheet.earned):
            (topping,) = rules.topping_names(state, bit)
            crossed = _crossed(sheet, bit)
            for dot in grid.list_bits(free & ~sheet.dots):
                move = ExtraDot(player, topping, table.names[dot.bit_length() - 1])
                following.setdefault(rules.add_dots(state, crossed, dot), (*moves, move))
    return following


def _crossed(sheet: Sheet, topping: int) -> Sheet:
    return replace(sheet, crossed=sheet.crossed | topping, earned=sheet.earned & ~topping)


def shown(sheet: Sheet) -> tuple[int, int, int]:
    """What can be seen of a sheet."""
    return sheet.dots, sheet.crossed, sheet.bonuses
