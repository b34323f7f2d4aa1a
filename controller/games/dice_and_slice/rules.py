"""The rules of Dice and Slice, in the order of the rule text; each rule stands under its subject's name.

Players are numbered clockwise, 1 upwards. The dots, toppings and bonuses of a sheet are bits of whole numbers, see
`grid` and `components`; in moves they have names: dots such as `c7`, toppings `mushroom-b2`, faces of dice `A3`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from functools import lru_cache, partial
from itertools import product
from random import Random
from typing import Any

from controller.game import (
    Actor,
    GameError,
    IllegalMove,
    Json,
    Option,
    OptionError,
    Player,
    Refusal,
    Score,
    ScoreLine,
    Turn,
)
from controller.games.changing import changed
from controller.games.dice_and_slice import grid, headings
from controller.games.dice_and_slice.components import DICE, FACES, PLAYER_COUNTS, Components, turned, with_own_facts
from controller.games.dice_and_slice.grid import MOST_SQUARES, Rectangle
from controller.games.facts import ComponentError
from controller.games.wording import joined


class Phase(Enum):
    """What the game waits for."""

    ROLL = "roll"
    """Chance: both dice are rolled."""
    PICK = "pick"
    """The active player picks a die."""
    MARK = "mark"
    """All players mark their dots, and those that toppings bring, in any order.

    The active player marks and "then" the others; but they wait only for the pick, as all of a turn scores at the same
    time, and no sheet bears on another before the turn is over."""
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Roll:
    """Chance: both dice are rolled."""

    faces: tuple[str, ...]
    """One face of each die, such as ("A3", "B5")."""


@dataclass(frozen=True, slots=True)
class Pick:
    """The active player picks a die; all others use the other one."""

    player: int
    die: str
    """A or B."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A player marks the dot arrangement of their die."""

    player: int
    dots: frozenset[str]
    """The newly placed dots only: overlaps are ignored. Two ways to lay the arrangement that add the same dots are the
    same move."""


@dataclass(frozen=True, slots=True)
class ExtraDot:
    """A player places the extra dot of a topping, which is crossed off."""

    player: int
    topping: str
    dot: str


@dataclass(frozen=True, slots=True)
class Stop:
    """A player does without the extra dots that are left this turn."""

    player: int


Move = Roll | Pick | Mark | ExtraDot | Stop


@dataclass(frozen=True, slots=True)
class Sheet:
    """One player's score sheet, and how far the player is this turn."""

    dots: int = 0
    """The marked dots. The lines between them follow."""
    crossed: int = 0
    """Squares whose topping is crossed off: its extra dot has been placed."""
    counted: int = 0
    """Squares whose topping has scored a topping bonus."""
    bonuses: int = 0
    """The topping bonuses circled."""
    marked: bool = False
    """Whether the die of this turn has been used (or cannot be)."""
    earned: int = 0
    """Squares whose topping still gives an extra dot this turn."""

    @property
    def done(self) -> bool:
        """Whether the player has nothing more to do this turn."""
        return self.marked and not self.earned


@dataclass(frozen=True, slots=True)
class Options:
    """What tables play differently where the text leaves two readings, and the copy's own components."""

    components: Components
    rest_gives_dot: bool = True
    """Whether a topping whose slice is subdivided gives its extra dot also where its part is no scorable slice.

    The text gives it when "a scorable slice with a topping was subdivided" and asks nothing of the part."""
    unscorable_may_remain: bool = True
    """Whether the game can end with parts of 15 squares or fewer that are no scorable slices.

    The text ends it when no slice is "larger than 15 squares", and goes on to say what slices that are not scorable
    count: nothing."""


@dataclass(frozen=True, slots=True)
class State:
    """A whole game of Dice and Slice at one moment."""

    players: int
    options: Options
    phase: Phase
    sheets: tuple[Sheet, ...]
    """Player 1's first."""
    turn: int = 1
    first: int = 1
    """The first player."""
    roll: tuple[str, ...] = ()
    """The faces on top, die A's first; empty before they are rolled and when the game is over."""
    picked: str | None = None
    """The die of the active player."""
    closed: int = 0
    """The topping bonuses that were scored in an earlier turn, and that nobody can score any more."""

    @property
    def active(self) -> Player:
        """The player whose turn it is."""
        return (self.first + self.turn - 2) % self.players + 1


# What the game waits for ----------------------------------------------------------------------------------------------


def turn(state: State) -> Turn:
    """Who acts next, and what they do."""
    match state.phase:
        case Phase.ROLL:
            return Turn(Actor.CHANCE, (), f"Player {state.active} rolls both dice")
        case Phase.PICK:
            prompt = f"Player {state.active} picks one die, the others use the other one"
            return Turn(Actor.PLAYERS, (state.active,), prompt)
        case Phase.MARK:
            waiting = tuple(waiting_for(state))
            return Turn(Actor.PLAYERS, waiting, "; ".join(_tasks(state, waiting)))
        case Phase.OVER:
            return Turn(Actor.NOBODY, (), "The game is over")


def legal(state: State) -> Iterator[Move]:
    """Every legal move of everybody once, lazily."""
    match state.phase:
        case Phase.ROLL:
            yield from map(Roll, product(*([die + face for face in FACES] for die in DICE)))
        case Phase.PICK:
            yield from (Pick(state.active, die) for die in _dice_to_pick(state))
        case Phase.MARK:
            for player in waiting_for(state):
                if state.sheets[player - 1].marked:
                    yield from _legal_extra_dots(state, player)
                else:
                    yield from _legal_marks(state, player)
        case Phase.OVER:
            return


def refusal(state: State, move: Move) -> Refusal | None:
    """None exactly when the move is legal; otherwise which rule it breaks and how to put it right."""
    kind = type(move)
    if kind not in _RULES:
        return Refusal(headings.SETUP, f"{move!r} is no move of this game.", f"Now: {turn(state).prompt}.")
    phase, check, _ = _RULES[kind]
    if state.phase is not phase:
        heading, problem = _UNTIMELY[kind]
        return Refusal(heading, problem, f"Now: {turn(state).prompt}.")
    found: Refusal | None = check(state, move)
    return found


def apply(state: State, move: Move) -> State:
    """The state after a legal move. Raises IllegalMove for any other."""
    found = refusal(state, move)
    if found is not None:
        raise IllegalMove(found)
    after: State = _RULES[type(move)][2](state, move)
    return after


def draw(state: State, random: Random) -> Move:
    """Both dice rolled. Raises GameError where chance does not act."""
    if state.phase is not Phase.ROLL:
        raise GameError(f"nothing is drawn while the game waits for {state.phase.value}")
    return Roll(tuple(die + random.choice(FACES) for die in DICE))


def waiting_for(state: State) -> Iterator[Player]:
    """While all mark: those who have not finished, the active player first, then clockwise."""
    active = state.active
    for player in (*range(active, state.players + 1), *range(1, active)):
        if not state.sheets[player - 1].done:
            yield player


def face_for(state: State, player: Player) -> str:
    """The face that this player uses once a die is picked."""
    mine = (player == state.active) == (state.picked == DICE[0])
    return state.roll[0] if mine else state.roll[1]


# Setup ----------------------------------------------------------------------------------------------------------------

_SWITCH = (False, True)
OPTIONS = (
    Option("components", {}, "what this copy's sheet and dice show, by the keys of the components file, or a path"),
    Option("rest_gives_dot", True, "whether a subdivided slice gives its dot in a part that is not scorable", _SWITCH),
    Option("unscorable_may_remain", True, "whether the game can end with parts that are not scorable", _SWITCH),
)


def start(components: Components, players: int, options: Mapping[str, Json], first: Player = 1) -> State:
    """The state before the first roll: a sheet for each player. Raises OptionError.

    Who ate pizza last goes first; `first` says who that is.
    """
    if type(players) is not int or players not in PLAYER_COUNTS:
        raise OptionError(f"players: {players!r} is none of 2 to 6")
    if type(first) is not int or not 1 <= first <= players:
        raise OptionError(f"first: {first!r} is none of the players 1 to {players}")
    chosen = parse_options(components, options)
    return State(players=players, options=chosen, phase=Phase.ROLL, sheets=(Sheet(),) * players, first=first)


def parse_options(components: Components, options: Mapping[str, Json]) -> Options:
    """The options of a game. Raises OptionError for an unknown one or a wrong value."""
    switches = [field.name for field in fields(Options) if field.type is bool]
    values: dict[str, Any] = {}
    for name, value in options.items():
        if name == "components":
            try:
                components = with_own_facts(components, value)
            except ComponentError as error:
                raise OptionError(str(error)) from error
        elif name not in switches:
            raise OptionError(f"option {name}: unknown; expected components, {', '.join(switches)}")
        elif not isinstance(value, bool):
            raise OptionError(f"option {name}: {value!r} is neither true nor false")
        else:
            values[name] = value
    return Options(components, **values)


# Rolling the dice -----------------------------------------------------------------------------------------------------


def _roll_refusal(state: State, move: Roll) -> Refusal | None:
    known = state.options.components.faces
    if [known[face].name[0] for face in move.faces if face in known] == list(DICE) and len(move.faces) == len(DICE):
        return None
    problem = f"{' '.join(move.faces) or 'Nothing'} is not a face of die A and then one of die B."
    return Refusal(headings.ROLL, problem, "Roll both dice: one of A1 to A6, then one of B1 to B6.", move.faces)


def _play_roll(state: State, move: Roll) -> State:
    return changed(state, phase=Phase.PICK, roll=move.faces)


# Picking a die --------------------------------------------------------------------------------------------------------


def _pick_refusal(state: State, move: Pick) -> Refusal | None:
    """The active player picks a die and marks its arrangement: so one that can be marked, where there is one."""
    if move.player != state.active:
        problem = f"It is player {state.active}'s turn."
        return Refusal(headings.PICK, problem, f"Player {state.active} picks a die, you use the other one.")
    if move.die not in DICE:
        return Refusal(headings.PICK, f"There is no die {move.die}.", "Pick die A or die B.")
    allowed = _dice_to_pick(state)
    if move.die in allowed:
        return None
    problem = f"No new dot can be marked on your sheet with {state.roll[DICE.index(move.die)]}."
    return Refusal(headings.PICK, problem, f"Pick die {allowed[0]} and mark its dots.")


def _dice_to_pick(state: State) -> list[str]:
    markable = [die for die, face in zip(DICE, state.roll, strict=True) if can_mark(state, state.active, face)]
    return markable or list(DICE)


def _play_pick(state: State, move: Pick) -> State:
    state = changed(state, phase=Phase.MARK, picked=move.die)
    # Who cannot place at least one new dot with the die marks nothing this turn.
    stuck = [not can_mark(state, player, face_for(state, player)) for player in range(1, state.players + 1)]
    if all(stuck):
        return _end_exhausted(state)
    if any(stuck):
        sheets = zip(state.sheets, stuck, strict=True)
        state = changed(state, sheets=tuple(changed(sheet, marked=True) if no else sheet for sheet, no in sheets))
    return state


# Marking the dot arrangement ------------------------------------------------------------------------------------------


def can_mark(state: State, player: Player, face: str) -> bool:
    """Whether some way to lay this face on the player's sheet adds a dot."""
    return bool(state.options.components.coverable[face] & ~state.sheets[player - 1].dots)


def marks(state: State, player: Player, face: str) -> Iterator[int]:
    """Every set of new dots that the player can mark with this face, once.

    The arrangement is rotated by 90 degrees any number of times, not flipped; no dot of it hangs off the grid; it may
    overlap dots as long as at least one is new.
    """
    free = ~state.sheets[player - 1].dots
    seen = {0}
    for laid in state.options.components.placements[face]:
        new = laid & free
        if new not in seen:
            seen.add(new)
            yield new


def _legal_marks(state: State, player: Player) -> Iterator[Move]:
    table = state.options.components.grid
    return map(partial(mark, table, player), marks(state, player, face_for(state, player)))


@lru_cache(maxsize=1 << 16)
def mark(table: grid.Grid, player: Player, new: int) -> Mark:
    """The move that marks these few dots. What can be marked is listed again and again: each move is built once."""
    return Mark(player, frozenset(grid.names_of(table, new)))


def _mark_refusal(state: State, move: Mark) -> Refusal | None:
    components = state.options.components
    wrong = _out_of_turn(state, move.player, headings.MARK)
    if wrong is not None:
        return wrong
    sheet, face = state.sheets[move.player - 1], face_for(state, move.player)
    if sheet.marked:
        problem = f"Player {move.player} has already marked this turn."
        return Refusal(headings.MARK, problem, "Place extra dots one by one, or stop.")
    new = grid.mask_of(components.grid, move.dots)
    if new is None:
        return _no_dot(state, move.dots, headings.MARK)
    if not new:
        return Refusal(headings.MARK, "No dot is marked.", "Lay the arrangement so that at least one dot is new.")
    if new & sheet.dots:
        problem = f"{_list(state, new & sheet.dots)} is marked already."
        return Refusal(headings.MARK, problem, "Only newly placed dots are marked; leave out overlaps.", (face,))
    free = ~sheet.dots
    number = (new & -new).bit_length() - 1
    for laid in components.covering[face][number]:
        if laid & free == new:
            return None
    return _misfit(state, move.player, new)


def _misfit(state: State, player: Player, new: int) -> Refusal:
    """What is wrong with dots that are not those of the die."""
    components = state.options.components
    face, free = face_for(state, player), ~state.sheets[player - 1].dots
    picture = components.faces[face].in_words
    shown = _list(state, new)
    other = next(one for one in state.roll if one != face)
    if any(laid & free == new for laid in components.placements[other]):
        problem = f"{shown} is what {other} adds, and player {player} uses {face}."
        return Refusal(headings.MARK, problem, f"Mark the dots of {face} ({picture}) instead.", (face,))
    for laid in components.placements[face]:
        if laid & free & new == new:
            missing = _list(state, laid & free & ~new)
            problem = f"{shown} is only a part of {face} ({picture})."
            return Refusal(headings.MARK, problem, f"Mark all of its dots: {missing} too, for instance.", (face,))
    if _is_flipped(state, player, new):
        problem = f"{shown} is {face} ({picture}) flipped over."
        return Refusal(headings.MARK, problem, "Rotate the arrangement by quarter turns only.", (face,))
    problem = f"{shown} is not what {face} ({picture}) can add to this sheet."
    remedy = "Rotate it by quarter turns and lay all of its dots on the grid, none hanging off."
    return Refusal(headings.MARK, problem, remedy, (face,))


def _is_flipped(state: State, player: Player, new: int) -> bool:
    components = state.options.components
    stride = components.grid.stride
    places = [divmod(bit.bit_length() - 1, stride) for bit in grid.list_bits(new)]
    left, bottom = min(column for _, column in places), min(row for row, _ in places)
    shape = frozenset((column - left, row - bottom) for row, column in places)
    dots = components.faces[face_for(state, player)].dots
    right = max(column for column, _ in dots)
    flipped = frozenset((right - column, row) for column, row in dots)
    return any(shape == one for one in _rotations(flipped))


def _rotations(dots: frozenset[tuple[int, int]]) -> Iterator[frozenset[tuple[int, int]]]:
    for _ in range(4):
        yield dots
        dots = turned(dots)


def _play_mark(state: State, move: Mark) -> State:
    new = grid.mask_of(state.options.components.grid, move.dots)
    assert new is not None
    sheet = state.sheets[move.player - 1]
    return _with_sheet(state, move.player, add_dots(state, sheet, new))


def _no_dot(state: State, names: frozenset[str], heading: str) -> Refusal:
    sheet = state.options.components.grid
    unknown = sorted(name for name in names if name not in sheet.bits)
    problem = f"{', '.join(unknown)}: the sheet has no such dot."
    return Refusal(heading, problem, f"Dots are named {sheet.names[0]} to {sheet.names[-1]}, columns by letters.")


# Connecting dots, and scorable slices ---------------------------------------------------------------------------------
#
# See `grid.lines` and `grid.slices`. Neighbouring dots must be connected, so lines are no moves: the dots say all. The
# printed rim of the pizza is no line: the text has players slice the entire perimeter.


def add_dots(state: State, sheet: Sheet, new: int) -> Sheet:
    """The sheet with these dots marked, and with all that their slices bring at that moment."""
    components = state.options.components
    dots = sheet.dots | new
    made = grid.slices_made(components.grid, dots, new)
    gives = list(made)
    if state.options.rest_gives_dot:
        gives += grid.slices_divided(components.grid, sheet.dots, new)
    earned = sheet.earned
    for one in gives:
        earned |= one.squares & components.topping_squares
    bonuses, counted = _topping_bonuses(state, sheet, made)
    return Sheet(
        dots=dots,
        crossed=sheet.crossed,
        counted=counted,
        bonuses=bonuses,
        marked=True,
        # Without a free dot on the sheet nothing can be placed.
        earned=earned & ~sheet.crossed if dots != components.grid.dots else 0,
    )


# Extra dots from toppings ---------------------------------------------------------------------------------------------
#
# A topping gives its dot in the turn in which a scorable slice with it is enclosed, by the die or by another extra dot;
# what is not placed that turn comes again when that slice is subdivided. Each topping gives one dot in the whole game.
# A slice with a dot inside whose line does not cross it is not subdivided yet: it "will need to be sliced further". It
# is no scorable slice any more, though, so cutting it on a later turn gives what the new scorable slices give.


def _legal_extra_dots(state: State, player: Player) -> Iterator[Move]:
    table = state.options.components.grid
    sheet = state.sheets[player - 1]
    for name in topping_names(state, sheet.earned):
        for bit in grid.list_bits(table.dots & ~sheet.dots):
            yield ExtraDot(player, name, table.names[bit.bit_length() - 1])
    yield Stop(player)


def topping_names(state: State, squares: int) -> list[str]:
    """The toppings in these squares, in the order of the squares."""
    return [name for name, bit in state.options.components.topping_bits.items() if bit & squares]


def toppings_in_words(state: State, squares: int) -> list[str]:
    """The same toppings as people call them."""
    bits = state.options.components.topping_bits
    called = {one.name: one.in_words for one in state.options.components.toppings}
    return [called[name] for name, bit in bits.items() if bit & squares]


def _extra_dot_refusal(state: State, move: ExtraDot) -> Refusal | None:
    components = state.options.components
    wrong = _not_with_extra_dots(state, move.player)
    if wrong is not None:
        return wrong
    sheet = state.sheets[move.player - 1]
    topping = components.topping_bits.get(move.topping, 0)
    if not topping & sheet.earned:
        available = ", ".join(topping_names(state, sheet.earned))
        if topping & sheet.crossed:
            problem = f"{move.topping} is crossed off: its extra dot has been placed."
        elif topping:
            problem = f"{move.topping} is in no scorable slice that was enclosed or subdivided this turn."
        else:
            problem = f"There is no topping {move.topping} on the sheet."
        return Refusal(headings.EXTRA_DOTS, problem, f"This turn there is a dot for {available}.", (move.topping,))
    dot = components.grid.bits.get(move.dot)
    if dot is None:
        return _no_dot(state, frozenset((move.dot,)), headings.EXTRA_DOTS)
    if dot & sheet.dots:
        return Refusal(headings.EXTRA_DOTS, f"{move.dot} is marked already.", "Place the extra dot where none is yet.")
    return None


def _play_extra_dot(state: State, move: ExtraDot) -> State:
    components = state.options.components
    sheet = state.sheets[move.player - 1]
    topping = components.topping_bits[move.topping]
    crossed = changed(sheet, crossed=sheet.crossed | topping, earned=sheet.earned & ~topping)
    return _with_sheet(state, move.player, add_dots(state, crossed, components.grid.bits[move.dot]))


def _stop_refusal(state: State, move: Stop) -> Refusal | None:
    return _not_with_extra_dots(state, move.player)


def _not_with_extra_dots(state: State, player: Player) -> Refusal | None:
    wrong = _out_of_turn(state, player, headings.EXTRA_DOTS)
    if wrong is None and not state.sheets[player - 1].marked:
        problem = f"Player {player} has not marked the dots of {face_for(state, player)} yet."
        return Refusal(headings.EXTRA_DOTS, problem, "Mark them first; what they enclose may bring extra dots.")
    return wrong


def _play_stop(state: State, move: Stop) -> State:
    return _with_sheet(state, move.player, changed(state.sheets[move.player - 1], earned=0))


# Topping bonuses ------------------------------------------------------------------------------------------------------


def _topping_bonuses(state: State, sheet: Sheet, made: list[Rectangle]) -> tuple[int, int]:
    """The bonuses and the counted toppings of a sheet on which these slices have just been made.

    A slice with exactly the toppings of a bonus scores it, unless that was scored in an earlier turn: all who make it
    in one turn do so at the same time, with extra dots or without. Toppings that have scored do not score again, nor
    in the same turn. Where a player makes two such slices at once, both have made the bonus, and it scores once.
    """
    components = state.options.components
    bonuses, counted = sheet.bonuses, sheet.counted
    for one in made:
        bonus = components.bonus_of[one.number]
        toppings = components.toppings_in(one)
        if bonus and not bonus & (state.closed | sheet.bonuses) and not toppings & sheet.counted:
            bonuses |= bonus
            counted |= toppings
    return bonuses, counted


def bonus_names(state: State, bonuses: int) -> list[str]:
    """These topping bonuses, in the order of the sheet."""
    return [name for name, bit in state.options.components.bonus_bits.items() if bit & bonuses]


def bonuses_of_all(sheets: Iterable[Sheet]) -> int:
    """The topping bonuses that somebody has scored."""
    scored = 0
    for sheet in sheets:
        scored |= sheet.bonuses
    return scored


# End of the game ------------------------------------------------------------------------------------------------------


def is_finished(state: State, sheet: Sheet) -> bool:
    """Whether this sheet ends the game: the entire perimeter is sliced and no part is larger than 15 squares.

    A part is what no line divides, of any shape and with any lines or dots reaching into it.
    """
    table = state.options.components.grid
    if table.perimeter & ~sheet.dots:
        return False
    if any(region.size > MOST_SQUARES for region in grid.regions(table, sheet.dots)):
        return False
    if state.options.unscorable_may_remain:
        return True
    return sum(one.size for one in grid.slices(table, sheet.dots)) == table.columns * table.rows


def _end_turn(state: State, sheets: tuple[Sheet, ...]) -> State:
    """The turn after this one, or the end of the game: not before the turn is over for all."""
    finished = any(is_finished(state, sheet) for sheet in sheets)
    return changed(
        state,
        phase=Phase.OVER if finished else Phase.ROLL,
        sheets=tuple(Sheet(one.dots, one.crossed, one.counted, one.bonuses) for one in sheets),
        turn=state.turn if finished else state.turn + 1,
        roll=(),
        picked=None,
        closed=bonuses_of_all(sheets),
    )


def _end_exhausted(state: State) -> State:
    """The end of a game in which nobody could mark anything in a turn.

    The text does not speak of it, but without it a game might never end. It takes sheets that all lack nothing but
    corners, as faces of three by three dots can be laid on every other dot. Every turn before it marks a dot
    somewhere, so that no game has more turns than its sheets have dots.
    """
    return changed(state, phase=Phase.OVER, roll=(), picked=None)


def score(state: State) -> tuple[Score, ...]:
    """Every player's score as if the game ended now: the scorable slices by size, and the topping bonuses."""
    return tuple(_sheet_score(state, player) for player in _all_players(state))


def _sheet_score(state: State, player: Player) -> Score:
    components = state.options.components
    sheet = state.sheets[player - 1]
    sizes = [one.size for one in grid.slices(components.grid, sheet.dots)]
    lines = [
        ScoreLine(
            "1 square" if size == 1 else f"{size} squares",
            sizes.count(size) * components.points[size],
            f"{sizes.count(size)} × {components.points[size]}",
        )
        for size in components.sizes
    ]
    circled = [one for one in components.bonuses if components.bonus_bits[one.name] & sheet.bonuses]
    names = ", ".join(one.name for one in circled)
    lines.append(ScoreLine("Topping bonuses", sum(one.points for one in circled), names))
    return Score(player, tuple(lines), sum(line.points for line in lines))


def winners(state: State) -> tuple[Player, ...]:
    """Those with the most points; nobody while the game goes on. Players with equal points share the win."""
    if state.phase is not Phase.OVER:
        return ()
    totals = {one.player: one.total for one in score(state)}
    return tuple(player for player, total in totals.items() if total == max(totals.values()))


# The parts that several rules use -------------------------------------------------------------------------------------


_RULES: dict[type, tuple[Phase, Callable[[State, Any], Refusal | None], Callable[[State, Any], State]]] = {
    Roll: (Phase.ROLL, _roll_refusal, _play_roll),
    Pick: (Phase.PICK, _pick_refusal, _play_pick),
    Mark: (Phase.MARK, _mark_refusal, _play_mark),
    ExtraDot: (Phase.MARK, _extra_dot_refusal, _play_extra_dot),
    Stop: (Phase.MARK, _stop_refusal, _play_stop),
}

_UNTIMELY: dict[type, tuple[str, str]] = {
    Roll: (headings.ROLL, "The dice are rolled once, at the start of a turn."),
    Pick: (headings.PICK, "A die is picked once, right after the roll."),
    Mark: (headings.MARK, "Dots are marked only when a die has been picked."),
    ExtraDot: (headings.EXTRA_DOTS, "Extra dots are placed only right after marking; they cannot be saved for later."),
    Stop: (headings.EXTRA_DOTS, "Nobody has extra dots to do without."),
}


def _with_sheet(state: State, player: Player, sheet: Sheet) -> State:
    """The state with another sheet of this player, in the next turn if that was the last thing to do."""
    sheets = (*state.sheets[: player - 1], sheet, *state.sheets[player:])
    if sheet.done and all(one.done for one in sheets):
        return _end_turn(state, sheets)
    return changed(state, sheets=sheets)


def _out_of_turn(state: State, player: Player, heading: str) -> Refusal | None:
    if not 1 <= player <= state.players:
        problem = f"There is no player {player}."
    elif state.sheets[player - 1].done:
        problem = f"Player {player} has nothing more to do this turn."
    else:
        return None
    return Refusal(heading, problem, f"Now: {turn(state).prompt}.")


def _tasks(state: State, waiting: Sequence[Player]) -> Iterator[str]:
    """What those do who have not finished, in the order of the first of each task."""
    marking: dict[str, list[str]] = {}
    for player in waiting:
        if not state.sheets[player - 1].marked:
            marking.setdefault(face_for(state, player), []).append(f"Player {player}")
    for face, players in marking.items():
        yield f"{joined(players)} mark{'s' if len(players) == 1 else ''} the dots of {face}"
    for player in waiting:
        if state.sheets[player - 1].marked:
            earned = toppings_in_words(state, state.sheets[player - 1].earned)
            yield f"Player {player} may place extra dots for {joined(earned)}"


def _list(state: State, dots: int) -> str:
    return " ".join(grid.names_of(state.options.components.grid, dots))


def _all_players(state: State) -> range:
    return range(1, state.players + 1)
