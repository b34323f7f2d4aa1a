"""What is wrong on the table, in a player's words: each thing that lies otherwise than the rules allow."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from controller.game import Player, Refusal
from controller.games.pizza_theory import headings, rules
from controller.games.pizza_theory.rules import UNSELECTED, Add, Cut, Phase, Place, Roll, State
from controller.games.pizza_theory.seen import Cutter, Odd, Seen
from controller.games.wording import joined, some
from controller.reading import Fault, Layout
from vision.scene import EMPTY

LAY_PIZZA = "Lay the Pizza in the middle, its 1st towards player {}"
SEATED = "Player 2 sits to the {0} of player 1: change seats, or start anew with the option second_sits, {0}."
TO_BE_READ = "toppings are replaced when the cuts have been read"
NO_PIZZA = Refusal(
    headings.SETUP, "The Pizza cannot be seen.", "Lay it in the middle of the table and take hands off it.", ("board",)
)


def fault_of(state: State, odd: Sequence[Odd], seen: Seen) -> Fault:
    """What is wrong about things that lie otherwise than in a state; the plainest first."""
    first = min(odd, key=lambda one: (not one.certain, one.turned, one.found == EMPTY, not one.space))
    if first.turned:
        return Fault(_turned(state), None, (seen.board,), certain=first.certain)
    if not first.space:
        return _about_cutter(state, first)
    otherwise = [one for one in odd if one.expected != EMPTY]
    if len(otherwise) > 1 and state.phase in (Phase.CUT, Phase.REPLACE):
        return _otherwise(state, otherwise, seen)
    gone = [one for one in odd if one.space and one.found == EMPTY]
    if any(one.expected == first.found for one in gone):
        first = next(one for one in gone if one.expected == first.found)
    if first.found == EMPTY:
        return _missing(state, first, odd, seen)
    if first.expected != EMPTY:
        return _exchanged(state, first, seen)
    return _added(state, first, seen)


def is_setting_up(state: State) -> bool:
    """Whether nothing has been played yet."""
    return state.round == 1 and state.phase is Phase.ADD and len(state.order) == state.players


def to_set_up(state: State, odd: Sequence[Odd]) -> str:
    """What is still to be laid before the first topping is added."""
    if any(one.turned for one in odd):
        return f"Turn the Pizza until {_faces_first(state)}"
    missing = dict.fromkeys(one.expected for one in odd)
    return f"Still to lay on the X spaces: {joined([f'{name} at the {_side(state, name)}' for name in missing])}"


def cutters_to_lay(state: State, missing: Sequence[Player]) -> str:
    """Whose cutter is still to be laid."""
    return f"Still to lay: {joined([f'the {rules.colour(state, player)} cutter' for player in missing])}"


def cutters_missing(state: State, missing: Sequence[Player]) -> Fault:
    """Somebody confirms cuts of which some are not there."""
    names = [rules.colour(state, player) for player in missing]
    problem = f"The {joined(names)} {'cutter lies' if len(names) == 1 else 'cutters lie'} on no line."
    remedy = "Each player's cutter lies on the line of their own side that their die shows."
    faces = tuple(f"cutter/{name}" for name in names)
    return Fault(Refusal(headings.CUT_PIZZA, problem, remedy, faces), missing[0], certain=False)


def still_to_do(after: State, left: Sequence[Odd], seen: Seen) -> str:
    """What is still to be done before the next round, or the game's end: `after` it."""
    words = []
    for name in dict.fromkeys(one.expected for one in left):
        spaces = some([one.space for one in left if one.expected == name])
        words.append(f"take away what lies on {spaces}" if name == EMPTY else f"{name} on {spaces}")
    if words:
        return f"Still to do: {'; '.join(words)}"
    if after.phase is Phase.OVER:
        return "Take the cutters off"
    first = "Take the cutters off and turn" if seen.cutters else "Turn"
    return f"{first} the Pizza clockwise until {_faces_first(after)}"


def not_replaced(state: State, after: State, left: Sequence[Odd], seen: Seen) -> Fault:
    """Somebody confirms what is not finished."""
    leader, remedy = rules.first_player(state), f"{still_to_do(after, left, seen)}."
    if left:
        pieces = tuple(one.space for one in left)
        refusal = Refusal(headings.REPLACE_TOPPINGS, "Not all toppings are replaced.", remedy, pieces)
        return Fault(refusal, leader, _toppings_on(pieces, seen))
    if seen.cutters:
        refusal = Refusal(headings.ROTATE_PIZZA, "Cutters still lie on the Pizza.", remedy)
        return Fault(refusal, leader, tuple(cutter.sighting for cutter in seen.cutters))
    problem = "The Pizza is not turned to the next side."
    return Fault(Refusal(headings.ROTATE_PIZZA, problem, remedy, ("board",)), leader, (seen.board,))


def wrongly_replaced(wrong: Sequence[Odd], before: Mapping[str, str], seen: Seen) -> Fault:
    """Toppings are replaced by others, or others are, than the slices say; `before`: what lay on each space."""
    first = wrong[0]
    spaces = tuple(one.space for one in wrong if (one.expected, one.found) == (first.expected, first.found))
    lies = "Nothing" if first.found == EMPTY else first.found.capitalize()
    remedy = f"Lay {first.expected} there." if first.expected != EMPTY else "Leave it empty."
    if first.expected == EMPTY and not any(space in before for space in spaces):
        remedy = "Take it back: toppings are added when all are replaced, the cutters off and the Pizza turned."
    problem = f"{lies} lies on {some(spaces)} now."
    refusal = Refusal(headings.REPLACE_TOPPINGS, problem, remedy, spaces)
    return Fault(refusal, None, _toppings_on(spaces, seen), certain=first.certain)


# On spaces ------------------------------------------------------------------------------------------------------------


def _added(state: State, odd: Odd, seen: Seen) -> Fault:
    """A topping on a space that ought to be empty."""
    number = state.options.colours.index(odd.found) + 1
    refusal, player = _refusal_of_topping(state, number, odd.space)
    refusal = Refusal(refusal.heading, refusal.problem, refusal.remedy, (odd.space,))
    # Who is to add before may have done so where nothing is seen.
    before = [space for adder in state.order[:1] if adder != player for space in rules.available(state, adder)]
    certain = odd.certain and all(seen.spaces.get(space) for space in before)
    return Fault(refusal, player, _toppings_on((odd.space,), seen), certain=certain)


def _refusal_of_topping(state: State, number: int, space: str) -> tuple[Refusal, Player | None]:
    """What the rules say to a topping of this colour there."""
    player = number if number <= state.players else rules.first_player(state)
    move = Add(player, space) if number <= state.players else Place(player, space)
    refused = rules.refusal(state, move)
    if refused is not None and state.phase is not (Phase.ADD if number <= state.players else Phase.UNSELECTED):
        return replace(refused, remedy=f"Take it back. {refused.remedy}"), player
    if refused is not None:
        return refused, player
    problem = f"A {rules.colour(state, number)} topping more than one is added on {space}."
    return Refusal(headings.ADD_TOPPINGS, problem, "Take all but one of the new ones back."), player


def _missing(state: State, odd: Odd, others: Sequence[Odd], seen: Seen) -> Fault:
    """No topping on a space that ought to have one; maybe it lies on another."""
    moved = next((one for one in others if one.found == odd.expected and one.expected == EMPTY), None)
    if moved is not None:
        problem = f"The {odd.expected} topping of {odd.space} lies on {moved.space}."
        remedy = f"Lay it on {odd.space}: {_starts(state, odd)}." if is_setting_up(state) else "Lay it back."
        refusal = Refusal(_heading(state), problem, remedy, (odd.space, moved.space))
        return Fault(refusal, None, _toppings_on((moved.space,), seen), certain=odd.certain)
    problem = f"The {odd.expected} topping on {odd.space} is gone."
    when = f": {TO_BE_READ}" if state.phase in (Phase.CUT, Phase.REPLACE) else ""
    refusal = Refusal(_heading(state), problem, f"Lay a {odd.expected} one there again{when}.", (odd.space,))
    return Fault(refusal, None, (), certain=odd.certain)


def _otherwise(state: State, odd: Sequence[Odd], seen: Seen) -> Fault:
    """Several toppings are gone or replaced before the cuts have been read."""
    spaces = tuple(one.space for one in odd)
    problem = f"On {some(spaces)} other toppings lie than before, or none."
    remedy = f"Lay them again as the display shows, and each cutter on its line: {TO_BE_READ}.{_cuts_by_hand(state)}"
    refusal = Refusal(headings.REPLACE_TOPPINGS, problem, remedy, spaces)
    return Fault(refusal, None, _toppings_on(spaces, seen), certain=all(one.certain for one in odd))


def _exchanged(state: State, odd: Odd, seen: Seen) -> Fault:
    """A topping of another colour than the space ought to have; maybe it lies on that."""
    problem = f"On {odd.space} lies a {odd.found} topping instead of a {odd.expected} one."
    remedy = f"Lay the {odd.expected} one there again: toppings are added on empty spaces."
    if is_setting_up(state):
        remedy = f"Lay a {odd.expected} one there: {_starts(state, odd)}."
    elif state.phase in (Phase.CUT, Phase.REPLACE):
        remedy = f"Lay the {odd.expected} one there again: {TO_BE_READ}."
    refusal = Refusal(_heading(state), problem, remedy, (odd.space,))
    return Fault(refusal, None, _toppings_on((odd.space,), seen), certain=odd.certain)


def _heading(state: State) -> str:
    """The rule that says what lies on the spaces now."""
    if is_setting_up(state):
        return headings.SETUP
    match state.phase:
        case Phase.ADD:
            return headings.ADD_TOPPINGS
        case Phase.ROLL | Phase.UNSELECTED:
            return headings.UNSELECTED_TURN
        case _:
            return headings.REPLACE_TOPPINGS


def _starts(state: State, odd: Odd) -> str:
    """Why this colour lies on one of its X spaces."""
    return f"the X spaces at the {_side(state, odd.expected)} are for {odd.expected}"


# The Pizza and its cutters --------------------------------------------------------------------------------------------


def _turned(state: State) -> Refusal:
    first = rules.first_player(state)
    side = _side(state, rules.colour(state, first))
    problem = f"The Pizza is turned so that its {side} does not face player {first}."
    heading = headings.SETUP if state.round == 1 else headings.ROTATE_PIZZA
    remedy = f"Turn it until {_faces_first(state)}.{_cuts_by_hand(state)}"
    return Refusal(heading, problem, remedy, ("board",))


def _cuts_by_hand(state: State) -> str:
    """How players go on who have replaced toppings and turned the Pizza though no camera saw the cutters lie."""
    if state.phase is not Phase.CUT:
        return ""
    cuts = [f'"P{player} cuts {number}"' for number, player in enumerate(rules.yet_to_cut(state), start=1)]
    return f" Or the host rules what each die showed, as {joined(cuts)}, and all may stay as it lies."


def nothing_to_add(state: State, passing: Player, layout: Layout) -> str:
    """What a player is told who has nothing to add."""
    who = rules.named(state, passing)
    if state.phase is Phase.UNSELECTED:
        return f"No empty space touches the cutter{layout.pressing(f': {who[0].lower()}{who[1:]} presses to go on')}"
    return f"{who} has no space for a topping{layout.pressing(': press to go on')}"


def _faces_first(state: State) -> str:
    """How the Pizza lies in a round."""
    first = rules.first_player(state)
    return f"its {_side(state, rules.colour(state, first))} faces player {first}"


def _side(state: State, name: str) -> str:
    """What is printed at the side of a colour."""
    number = state.options.colours.index(name) + 1
    return state.options.components.places[rules.place_of(state, number)].name


def _about_cutter(state: State, odd: Odd) -> Fault:
    """A cutter that is missing, too early, or lies along no line of its own."""
    name = rules.colour(state, odd.colour)
    player = odd.colour if odd.colour <= state.players else rules.first_player(state)
    faces = (f"cutter/{name}",)
    if odd.cutter is None:
        cut = state.cuts[odd.colour - 1]
        problem, remedy = f"The {name} cutter is not on line {cut}.", f"Lay it on line {cut} of its side again."
        heading = headings.UNSELECTED_TURN if odd.colour > state.players else headings.CUT_PIZZA
        return Fault(Refusal(heading, problem, remedy, faces), player, certain=False)
    refused = _refusal_of_cutter(state, odd.colour, odd.cutter)
    return Fault(Refusal(refused.heading, refused.problem, refused.remedy, faces), player, (odd.cutter.sighting,))


def _refusal_of_cutter(state: State, number: int, cutter: Cutter) -> Refusal:
    name = rules.colour(state, number)
    line = cutter.line or 1
    untimely = rules.refusal(state, Cut(number, line) if number <= state.players else Roll(line))
    if untimely is not None and state.cuts[number - 1] is None:
        return replace(untimely, remedy=f"Take it off the Pizza. {untimely.remedy}")
    heading = headings.UNSELECTED_TURN if number == UNSELECTED > state.players else headings.CUT_PIZZA
    side = state.options.components.places[rules.place_of(state, number)]
    cut = state.cuts[number - 1]
    which = "one of the lines" if cut is None else f"line {cut}"
    remedy = f"Lay it on {which} of the {side.name}{', as its die shows' if cut is None else ' again'}."
    if cutter.place is None or not cutter.lines:
        return Refusal(heading, f"The {name} cutter lies along no line.", remedy)
    if cutter.place is not side:
        return Refusal(heading, f"The {name} cutter lies along a line of the {cutter.place.name}.", remedy)
    where = "between two lines" if cutter.line is None else f"on line {line}, which is not its own"
    return Refusal(heading, f"The {name} cutter lies {where}.", remedy)


# Words ----------------------------------------------------------------------------------------------------------------


def _toppings_on(spaces: Sequence[str], seen: Seen) -> tuple[int, ...]:
    return tuple(index for index, space in seen.toppings if space in spaces)
