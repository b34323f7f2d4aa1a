"""The rules of Pizza Theory, in the order of the rule text; each rule stands under its heading's name.

Players sit at sides of the board and are numbered clockwise, 1 upwards. Colours are numbered alike: each player's
colour has the player's number, and with two players the unselected colour is number 3 and cuts from the third side.
Spaces are named as in `components.toml`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from itertools import permutations
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
from controller.games.facts import ComponentError
from controller.games.pizza_theory import headings, slices
from controller.games.pizza_theory.components import Components, with_own_facts
from controller.games.pizza_theory.slices import Toppings
from controller.games.wording import joined

PLAYER_COUNTS = range(2, 4)
COLOURS = 3
UNSELECTED = 3
"""The number of the colour that nobody has in a game of two."""
BOTH_LOSE = "both lose"
MORE_TOPPINGS = "more toppings"
LEFT, RIGHT = "left", "right"


class Phase(Enum):
    """What the game waits for."""

    ADD = "add"
    """The players add a topping each, in turn order."""
    ROLL = "roll"
    """Chance, two players only: the die of the unselected colour."""
    UNSELECTED = "unselected"
    """Two players only: the first player places a topping of the unselected colour."""
    CUT = "cut"
    """The players choose their cuts, all at once and secretly."""
    REPLACE = "replace"
    """The cuts are revealed and the cutters lie on the Pizza: toppings are replaced, then the Pizza is rotated."""
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Add:
    """A player adds a topping."""

    player: int
    space: str


@dataclass(frozen=True, slots=True)
class Pass:
    """A player who has no available space adds no topping; or places none of the unselected colour."""

    player: int


@dataclass(frozen=True, slots=True)
class Roll:
    """Chance: the die of the unselected colour."""

    number: int


@dataclass(frozen=True, slots=True)
class Place:
    """The first player of a game of two places a topping of the unselected colour."""

    player: int
    space: str


@dataclass(frozen=True, slots=True)
class Cut:
    """A player chooses a cut. It is secret until every player has chosen."""

    player: int
    number: int
    """What the die shows: the number of the line that faces the player."""


@dataclass(frozen=True, slots=True)
class Replace:
    """The toppings are replaced as the slices say, the cutters taken off and the Pizza is rotated.

    Everybody lends a hand; the first player of the round sees to it. It leaves no choice.
    """

    player: int


Move = Add | Pass | Roll | Place | Cut | Replace


@dataclass(frozen=True, slots=True)
class Options:
    """What tables play differently, and the copy's own components."""

    components: Components
    colours: tuple[str, ...]
    """Player 1's colour first; with two players the unselected one last."""
    unselected_fills: str = BOTH_LOSE
    """What happens when the unselected colour and a player run out in the same round: see `winners`."""
    second_sits: str = LEFT
    """Two players: to which hand of player 1 player 2 sits, and so which side nobody does."""
    last_round: int = 0
    """The round after which the game ends with no winner by the rules, 0 for none; ours, see `winners`."""


@dataclass(frozen=True, slots=True)
class State:
    """A whole game of Pizza Theory at one moment."""

    players: int
    options: Options
    first: int
    """The player who was first in round 1."""
    round: int
    """1 upwards."""
    phase: Phase
    toppings: tuple[frozenset[str], ...]
    """The spaces of each colour's toppings. At the end of the game they may be more than there are of a colour: then
    they are the spaces it would have with more toppings, which the tie breaker counts."""
    order: tuple[int, ...] = ()
    """The players still to add a topping in this round, next first."""
    cuts: tuple[int | None, ...] = (None, None, None)
    """Each colour's cut of this round, as far as it is chosen (the unselected colour's: rolled)."""


# What the game waits for ----------------------------------------------------------------------------------------------


def turn(state: State) -> Turn:
    """Who acts next, and what they do."""
    match state.phase:
        case Phase.ADD:
            adder = state.order[0]
            what = "adds a topping" if available(state, adder) else "has no space for a topping and passes"
            return Turn(Actor.PLAYERS, (adder,), f"{named(state, adder)} {what}")
        case Phase.ROLL:
            return Turn(Actor.CHANCE, (), f"Player {first_player(state)} rolls the {colour(state, UNSELECTED)} die")
        case Phase.UNSELECTED:
            placer = first_player(state)
            place = f"places a {colour(state, UNSELECTED)} topping on a space that touches the cutter"
            passes = f"places no {colour(state, UNSELECTED)} topping: no empty space touches the cutter"
            return Turn(Actor.PLAYERS, (placer,), f"Player {placer} {place if touching(state) else passes}")
        case Phase.CUT:
            choosing = yet_to_cut(state)
            return Turn(Actor.PLAYERS, choosing, f"{_list_players(choosing)} secretly {_choose(choosing)} a cut")
        case Phase.REPLACE:
            leader = first_player(state)
            return Turn(Actor.PLAYERS, (leader,), f"Player {leader} sees to it that {_to_be_done(state)}")
        case Phase.OVER:
            return Turn(Actor.NOBODY, (), "The game is over")


def legal(state: State) -> Iterator[Move]:
    """Every legal move once, of all players who may act now; every number of a die that chance rolls."""
    match state.phase:
        case Phase.ADD:
            adder = state.order[0]
            spaces = available(state, adder)
            yield from (Add(adder, space) for space in spaces)
            if not spaces:
                yield Pass(adder)
        case Phase.ROLL:
            yield from (Roll(number) for number in state.options.components.numbers)
        case Phase.UNSELECTED:
            placer = first_player(state)
            spaces = touching(state)
            yield from (Place(placer, space) for space in spaces)
            if not spaces:
                yield Pass(placer)
        case Phase.CUT:
            numbers = state.options.components.numbers
            yield from (Cut(player, number) for player in yet_to_cut(state) for number in numbers)
        case Phase.REPLACE:
            yield Replace(first_player(state))
        case Phase.OVER:
            return


def refusal(state: State, move: Move) -> Refusal | None:
    """None exactly when the move is legal; otherwise which rule it breaks and how to put it right."""
    kind = type(move)
    if kind not in _RULES:
        return Refusal(headings.GAME_PLAY, f"{move!r} is no move of this game.", f"{turn(state).prompt}.")
    phases, check, _ = _RULES[kind]
    if state.phase is Phase.OVER:
        return Refusal(headings.END_GAME, "The game is over.", "Look at the score, or start a new game.")
    if state.phase not in phases:
        heading, problem = _UNTIMELY[kind]
        if heading == headings.UNSELECTED_TURN and state.players == COLOURS:
            problem = "Only with two players there is a color that nobody has selected."
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
    """The die of the unselected colour, rolled. Raises GameError where chance does not act."""
    if state.phase is not Phase.ROLL:
        raise GameError(f"nothing is rolled while the game waits for {state.phase.value}")
    return Roll(random.choice(state.options.components.numbers))


# Setup ----------------------------------------------------------------------------------------------------------------


def options_of(components: Components) -> tuple[Option, ...]:
    """What may be chosen at the start of a game with these pieces."""
    return (
        Option(
            "colours",
            list(components.colours),
            "each player's colour, player 1's first; with two players the unselected one last",
            tuple(list(order) for order in permutations(components.colours)),
        ),
        Option(
            "unselected_fills",
            BOTH_LOSE,
            "two players: when the unselected colour has all its toppings on the Pizza and a player, too, both lose "
            "all the same, or whoever would have more toppings is ahead",
            (BOTH_LOSE, MORE_TOPPINGS),
        ),
        Option(
            "second_sits",
            LEFT,
            "two players: to which hand of player 1 player 2 sits; the unselected colour cuts from the third side",
            (LEFT, RIGHT),
        ),
        Option(
            "last_round",
            0,
            "the round after which most toppings win if nobody has them all on the Pizza, 1 to 999; 0 plays on, as the "
            "rules do",
        ),
        Option("components", {}, "facts that this copy shows otherwise: {'place.1st.starts': ['c1', 'e1']}"),
    )


def start(components: Components, players: int, options: Mapping[str, Json], first: Player = 1) -> State:
    """The state before the first round: see `opening`. Raises OptionError."""
    if players not in PLAYER_COUNTS or type(players) is not int:
        raise OptionError(f"players: {players!r} is neither 2 nor 3")
    if type(first) is not int or not 1 <= first <= players:
        raise OptionError(f"first: {first!r} is none of the players 1 to {players}")
    return opening(players, parse_options(components, options), first)


def opening(players: int, options: Options, first: Player) -> State:
    """The state before the first round, all of this being valid.

    The Pizza lies so that "1st" faces the first player. Each colour has two toppings on the X spaces closest to it,
    with two players the unselected one as well.
    """
    empty = State(players, options, first, 1, Phase.ADD, toppings=(frozenset(),) * COLOURS)
    starts = tuple(
        frozenset(options.components.places[place_of(empty, number)].starts) for number in range(1, COLOURS + 1)
    )
    return changed(empty, toppings=starts, order=turn_order(empty))


def parse_options(components: Components, options: Mapping[str, Json]) -> Options:
    """The options of a game. Raises OptionError for an unknown one or a wrong value."""
    known = {option.name: option for option in options_of(components)}
    for name, value in options.items():
        if name not in known:
            raise OptionError(f"option {name}: unknown; expected one of {', '.join(known)}")
        if known[name].choices and value not in known[name].choices:
            allowed = ", ".join(map(str, known[name].choices))
            raise OptionError(f"option {name}: {value!r} is none of {allowed}")
    chosen = {name: options.get(name, option.default) for name, option in known.items()}
    last_round = chosen["last_round"]
    if type(last_round) is not int or last_round not in range(1000):
        raise OptionError(f"option last_round: {last_round!r} is no whole number from 0 to 999")
    pieces = components
    if chosen["components"] != {}:
        try:
            pieces = with_own_facts(chosen["components"])
        except ComponentError as error:
            raise OptionError(str(error)) from error
    return Options(pieces, tuple(chosen["colours"]), chosen["unselected_fills"], chosen["second_sits"], last_round)


def place_of(state: State, number: int) -> int:
    """Which of the board's places (clockwise, from 0) faces the side of this colour in this round.

    Each rotation brings every player the place of the neighbour to the right.
    """
    first_place = state.options.components.turn_order[0]
    clockwise = number - state.first
    if state.players == 2 and state.options.second_sits == RIGHT:
        clockwise = -clockwise
    return (clockwise - (state.round - 1) + first_place) % COLOURS


def seated_otherwise(state: State) -> State:
    """The state before the first round, player 2 sitting to the other hand of player 1."""
    other = LEFT if state.options.second_sits == RIGHT else RIGHT
    return opening(state.players, replace(state.options, second_sits=other), state.first)


def turn_order(state: State) -> tuple[Player, ...]:
    """The players as they add toppings in this round, first to last.

    Three players follow the 1st, 2nd and 3rd of the board. Two ignore them: the first player alternates.
    """
    if state.players == 2:
        other = COLOURS - state.first
        return (state.first, other) if state.round % 2 else (other, state.first)
    at_place = {place_of(state, number): number for number in range(1, COLOURS + 1)}
    return tuple(at_place[place] for place in state.options.components.turn_order)


def first_player(state: State) -> Player:
    """The first player of this round."""
    return turn_order(state)[0]


# Add Toppings ---------------------------------------------------------------------------------------------------------


def available(state: State, number: int) -> tuple[str, ...]:
    """The empty spaces that are not next to any topping of this colour, in the order of the board."""
    neighbours = state.options.components.neighbours
    own = state.toppings[number - 1]
    taken = frozenset().union(*state.toppings, *(neighbours[space] for space in own))
    return tuple(space for space in neighbours if space not in taken)


def _may_add(state: State, player: Player, space: str) -> bool:
    """Whether it is this player's turn to add, and the space is empty and not next to an own topping."""
    if state.order[0] != player:
        return False
    neighbours = state.options.components.neighbours.get(space)
    one, two, three = state.toppings
    return (
        neighbours is not None
        and space not in one
        and space not in two
        and space not in three
        and neighbours.isdisjoint(state.toppings[player - 1])
    )


def _add_refusal(state: State, move: Add) -> Refusal | None:
    if _may_add(state, move.player, move.space):
        return None
    found = _out_of_turn(state, move.player) or _occupied(state, move.space, headings.ADD_TOPPINGS)
    if found is not None:
        return found
    neighbours = state.options.components.neighbours
    own = state.toppings[move.player - 1]
    beside = tuple(space for space in neighbours if space in own and space in neighbours[move.space])
    problem = f"{move.space} is next to {named(state, move.player)}'s own topping on {joined(beside)}."
    remedy = _remedy_of_adding(state, move.player)
    return Refusal(headings.ADD_TOPPINGS, problem, remedy, (move.space, *beside))


def _play_add(state: State, move: Add) -> State:
    return _added(state, _with_topping(state.toppings, move.player, move.space))


def _pass_refusal(state: State, move: Pass) -> Refusal | None:
    if state.phase is Phase.UNSELECTED:
        return _no_placing_refusal(state, move)
    found = _out_of_turn(state, move.player)
    if found is not None:
        return found
    if available(state, move.player):
        problem = f"{named(state, move.player)} has spaces to add a topping and may not pass."
        return Refusal(headings.ADD_TOPPINGS, problem, _remedy_of_adding(state, move.player))
    return None


def _play_pass(state: State, move: Pass) -> State:  # noqa: ARG001
    if state.phase is Phase.UNSELECTED:
        return changed(state, phase=Phase.CUT)
    return _added(state, state.toppings)


def _added(state: State, toppings: tuple[frozenset[str], ...]) -> State:
    order = state.order[1:]
    phase = Phase.ADD
    if not order:
        phase = Phase.ROLL if state.players == 2 else Phase.CUT
    return State(state.players, state.options, state.first, state.round, phase, toppings, order)


def _out_of_turn(state: State, player: Player) -> Refusal | None:
    if player == state.order[0]:
        return None
    problem = f"It is not player {player}'s turn to add a topping."
    if not 1 <= player <= state.players:
        problem = f"There is no player {player}."
    remedy = f"{named(state, state.order[0])} adds a topping now; take this one back."
    return Refusal(headings.ADD_TOPPINGS, problem, remedy)


def _remedy_of_adding(state: State, player: Player) -> str:
    spaces = available(state, player)
    return f"Add it on one of {joined(spaces)}." if spaces else "There is no such space: add no topping and pass."


# Unselected Color's Turn (two players) --------------------------------------------------------------------------------


def _roll_refusal(state: State, move: Roll) -> Refusal | None:
    return _number_refusal(state, move.number, headings.UNSELECTED_TURN)


def _play_roll(state: State, move: Roll) -> State:
    return changed(state, phase=Phase.UNSELECTED, cuts=(*state.cuts[:-1], move.number))


def touching(state: State) -> tuple[str, ...]:
    """The empty spaces that touch the cutter of the unselected colour, in the order of the board. They may be next to
    toppings of any colour."""
    number = state.cuts[UNSELECTED - 1]
    assert number is not None
    along = state.options.components.touching[place_of(state, UNSELECTED), number]
    return tuple(space for space in along if not any(space in one for one in state.toppings))


def _place_refusal(state: State, move: Place) -> Refusal | None:
    found = _not_first_player(state, move.player) or _occupied(state, move.space, headings.UNSELECTED_TURN)
    if found is not None:
        return found
    spaces = touching(state)
    if move.space in spaces:
        return None
    problem = f"{move.space} does not touch the {colour(state, UNSELECTED)} cutter."
    remedy = f"Place the topping on one of {joined(spaces)}." if spaces else "There is no such space: place none."
    return Refusal(headings.UNSELECTED_TURN, problem, remedy, (move.space,))


def _play_place(state: State, move: Place) -> State:
    return changed(state, phase=Phase.CUT, toppings=_with_topping(state.toppings, UNSELECTED, move.space))


def _no_placing_refusal(state: State, move: Pass) -> Refusal | None:
    """The text has no word for a cutter without an empty space beside it; there is then nothing to place."""
    found = _not_first_player(state, move.player)
    spaces = touching(state)
    if found is not None or not spaces:
        return found
    problem = f"A topping of the unselected color can be placed: {joined(spaces)} touch its cutter."
    return Refusal(headings.UNSELECTED_TURN, problem, "Place a topping on one of them.")


def _not_first_player(state: State, player: Player) -> Refusal | None:
    first = first_player(state)
    if player == first:
        return None
    problem = f"Player {player} does not place the topping of the unselected color."
    return Refusal(headings.UNSELECTED_TURN, problem, f"Player {first}, who is first in this round, places it.")


# Cut Pizza ------------------------------------------------------------------------------------------------------------


def yet_to_cut(state: State) -> tuple[Player, ...]:
    """The players who have not chosen a cut in this round, in turn order."""
    return tuple(player for player in turn_order(state) if state.cuts[player - 1] is None)


def _cut_refusal(state: State, move: Cut) -> Refusal | None:
    if not 1 <= move.player <= state.players:
        problem = f"There is no player {move.player} who cuts."
        return Refusal(headings.CUT_PIZZA, problem, f"Each of the players 1 to {state.players} chooses a cut.")
    if state.cuts[move.player - 1] is not None:
        problem = f"Player {move.player} has already chosen a cut."
        return Refusal(headings.CUT_PIZZA, problem, "Leave the die as it is until all are revealed.")
    return _number_refusal(state, move.number, headings.CUT_PIZZA)


def _number_refusal(state: State, number: int, heading: str) -> Refusal | None:
    numbers = state.options.components.numbers
    if number in numbers:
        return None
    problem = f"A die shows no {number}."
    return Refusal(heading, problem, f"Choose a line from {numbers[0]} to {numbers[-1]}.")


def _play_cut(state: State, move: Cut) -> State:
    cuts = (*state.cuts[: move.player - 1], move.number, *state.cuts[move.player :])
    return changed(state, phase=Phase.CUT if None in cuts else Phase.REPLACE, cuts=cuts)


def slices_of(state: State) -> tuple[int, ...]:
    """The slices of the Pizza as bits, when all cuts are made."""
    numbers: list[int] = [0] * COLOURS
    for colour_number, cut in enumerate(state.cuts, start=1):
        assert cut is not None
        numbers[place_of(state, colour_number)] = cut
    return state.options.components.slices[tuple(numbers)]


# Replace Toppings, with the Safety Rule: see `slices` -----------------------------------------------------------------


def replaced(state: State) -> tuple[frozenset[str], ...]:
    """The toppings after they have been replaced in all slices; all cuts are made."""
    pieces = state.options.components
    after = slices.replace_toppings(slices_of(state), bits_of(state))
    return tuple(pieces.as_spaces(one) for one in after)


def bits_of(state: State) -> Toppings:
    """Each colour's toppings as bits."""
    return tuple(state.options.components.as_bits(one) for one in state.toppings)


def _to_be_done(state: State) -> str:
    after = replaced(state)
    if after != state.toppings:
        return "the toppings are replaced"
    turned = "" if _ends(state, after) else " and the Pizza is turned"
    return f"the cutters are taken off{turned}: no topping is replaced"


def _replace_refusal(state: State, move: Replace) -> Refusal | None:
    first = first_player(state)
    if move.player == first:
        return None
    problem = f"Player {move.player} is not the first player of this round."
    return Refusal(headings.REPLACE_TOPPINGS, problem, f"Player {first} sees to it that all toppings are replaced.")


# Rotate the Pizza -----------------------------------------------------------------------------------------------------


def _play_replace(state: State, move: Replace) -> State:  # noqa: ARG001
    toppings = replaced(state)
    if _ends(state, toppings):
        return changed(state, phase=Phase.OVER, toppings=toppings, cuts=(None,) * COLOURS)
    rotated = changed(state, round=state.round + 1, phase=Phase.ADD, toppings=toppings, cuts=(None,) * COLOURS)
    return changed(rotated, order=turn_order(rotated))


# End Game -------------------------------------------------------------------------------------------------------------


def _ends(state: State, toppings: tuple[frozenset[str], ...]) -> bool:
    """Whether the game ends with this round: a colour has all its toppings on the Pizza."""
    out = any(len(one) >= state.options.components.each for one in toppings)
    return out or state.round == state.options.last_round


def winners(state: State) -> tuple[Player, ...]:
    """Who won: the player with all toppings on the Pizza. Empty while the game goes on, and where both players lose.

    Tie breaker: where two run out in the same round, whoever would end with more toppings; equal ones share.

    If the unselected color has all its toppings on the Pizza both players lose, as the text says it without exception;
    with the option `unselected_fills` a player who has run out in the same round and would end with more wins.

    A game that ends with the option `last_round` is won by most toppings; ours, as the rules always play on.
    """
    if state.phase is not Phase.OVER:
        return ()
    counts = [len(one) for one in state.toppings]
    players, unselected = counts[: state.players], max(counts[state.players :], default=0)
    most, each = max(players), state.options.components.each
    if unselected >= each and (state.options.unselected_fills == BOTH_LOSE or most <= unselected):
        return ()
    return tuple(player for player, count in enumerate(players, start=1) if count == most)


def score(state: State) -> tuple[Score, ...]:
    """Every player's toppings: those on the Pizza, and those it would have if there were more of the colour."""
    each = state.options.components.each
    sheets = []
    for player in range(1, state.players + 1):
        count = len(state.toppings[player - 1])
        lines = (
            ScoreLine("Toppings on the Pizza", min(count, each), f"of {each}"),
            ScoreLine("Toppings it would have besides", max(0, count - each), "for the tie breaker"),
        )
        sheets.append(Score(player, lines, count))
    return tuple(sheets)


# The parts that several rules use -------------------------------------------------------------------------------------


def colour(state: State, number: int) -> str:
    """The name of a colour."""
    return state.options.colours[number - 1]


def named(state: State, player: Player) -> str:
    """A player with the toppings' colour, which is none of the seat's: Green may play with white."""
    return f"Player {player} (with {colour(state, player)})"


def _with_topping(toppings: tuple[frozenset[str], ...], number: int, space: str) -> tuple[frozenset[str], ...]:
    return (*toppings[: number - 1], toppings[number - 1] | {space}, *toppings[number:])


def _occupied(state: State, space: str, heading: str) -> Refusal | None:
    """Why no topping can lie on this space, if it is none of the board or not empty."""
    if space not in state.options.components.spaces:
        names = list(state.options.components.spaces)
        problem = f"The Pizza has no space {space!r}."
        return Refusal(heading, problem, f"Name a space from {names[0]} to {names[-1]}.", (space,))
    for number, spaces in enumerate(state.toppings, start=1):
        if space in spaces:
            problem = f"On {space} there is a {colour(state, number)} topping already."
            return Refusal(heading, problem, "Use an empty space.", (space,))
    return None


def _list_players(players: tuple[Player, ...]) -> str:
    return joined([f"Player {player}" for player in players])


def _choose(players: tuple[Player, ...]) -> str:
    return "choose" if len(players) > 1 else "chooses"


_RULES: dict[type, tuple[tuple[Phase, ...], Callable[[State, Any], Refusal | None], Callable[[State, Any], State]]] = {
    Add: ((Phase.ADD,), _add_refusal, _play_add),
    Pass: ((Phase.ADD, Phase.UNSELECTED), _pass_refusal, _play_pass),
    Roll: ((Phase.ROLL,), _roll_refusal, _play_roll),
    Place: ((Phase.UNSELECTED,), _place_refusal, _play_place),
    Cut: ((Phase.CUT,), _cut_refusal, _play_cut),
    Replace: ((Phase.REPLACE,), _replace_refusal, _play_replace),
}

_UNTIMELY: dict[type, tuple[str, str]] = {
    Add: (headings.ADD_TOPPINGS, "Each player adds one topping a round, at its beginning."),
    Pass: (headings.ADD_TOPPINGS, "Passing is for players who have no space to add a topping, in their turn."),
    Roll: (headings.UNSELECTED_TURN, "The die is rolled for the unselected color when both players have added."),
    Place: (headings.UNSELECTED_TURN, "The unselected color gets one topping a round, when its die has been rolled."),
    Cut: (headings.CUT_PIZZA, "A cut is chosen once in a round, when all toppings have been added."),
    Replace: (headings.REPLACE_TOPPINGS, "Toppings are replaced when all cutters lie on the Pizza."),
}
