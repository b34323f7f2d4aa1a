"""What is wrong on the table, in a player's words: each mark that is otherwise than the rules allow."""

from collections.abc import Sequence

from controller.game import Player, Refusal
from controller.games.dice_and_slice import grid, headings, rules
from controller.games.dice_and_slice.components import DICE
from controller.games.dice_and_slice.rules import Mark, Phase, State
from controller.games.dice_and_slice.seen import DieSeen, Odd, SheetSeen, What
from controller.games.wording import MOST_NAMED, joined, ordinal, some
from controller.reading import Fault, Layout

_ORDER = (
    What.ADDED_DOT,
    What.MISSING_DOT,
    What.DIAGONAL,
    What.MISSING_LINE,
    What.NOT_CROSSED,
    What.CROSSED,
    What.NOT_CIRCLED,
    What.CIRCLED,
)


def take_one(state: State, thrown: Sequence[str], layout: Layout) -> str:
    """Dice lie on the mat, and none is taken yet."""
    press = layout.pressing(" and presses the button")
    return f"{' and '.join(thrown)} lie there: player {state.active} takes one of the dice{press}"


def no_die_taken(state: State, thrown: Sequence[str] | None, seen: Sequence[DieSeen]) -> Fault:
    """The active player presses, and no die lies in the own area with the other one on the mat. `seen` are all dice,
    wherever they lie."""
    if thrown is not None:
        problem = f"Player {state.active} has taken none of the dice."
        told = Refusal(headings.PICK, problem, "Lay the one that you pick beside your sheet.", tuple(thrown))
        return Fault(told, state.active)
    if sorted(one.die for one in seen) == list(DICE):
        return _dice_elsewhere(state, seen)
    return _dice_not_seen(state, [one.face for one in seen])


def _dice_elsewhere(state: State, seen: Sequence[DieSeen]) -> Fault:
    seen = sorted(seen, key=lambda one: one.face)
    problem = f"{joined([f'{one.face} lies {_where(one)}' for one in seen])}."
    remedy = f"Player {state.active} lays one of the dice beside the own sheet; the other one stays on the mat."
    remedy += " If nobody has thrown them, throw both first."
    told = Refusal(headings.PICK, problem, remedy, tuple(one.face for one in seen))
    return Fault(told, state.active, tuple(one.index for one in seen))


def _dice_not_seen(state: State, faces: Sequence[str]) -> Fault:
    player = state.active
    unseen = [die for die in DICE if not any(face.startswith(die) for face in faces)]
    problem = "The dice cannot both be seen, one on the mat and one beside the sheet."
    remedy = f"Throw both onto the mat; player {player} takes one and lays it beside the own sheet, not on it."
    if unseen:
        only = f"; only {' and '.join(faces)} is seen" if faces else ""
        problem = f"The camera does not see die {' and die '.join(unseen)}{only}."
        remedy += " Dice that lie there: out of a lamp's light with them, or onto dark paper."
    if len(unseen) == 1:  # of two, most likely nobody has thrown them yet
        remedy += f" {_by_hand(state, faces)}"
    return Fault(Refusal(headings.ROLL, problem, remedy, ("dice",)), player, certain=False)


def _where(die: DieSeen) -> str:
    """Where a die lies, in words."""
    if die.middle:
        return "on the mat"
    return f"before player {die.area}" if die.area is not None else "off the mat, before nobody"


def not_thrown(state: State, left: Sequence[str]) -> Fault:
    """The active player presses, and dice lie where they lay in the turn before."""
    problem = f"{joined(left)} still {'lie' if len(left) > 1 else 'lies'} where the turn before left it."
    remedy = f"Throw both dice; then player {state.active} takes one of them."
    return Fault(Refusal(headings.ROLL, problem, remedy, tuple(left)), state.active)


def maybe_not_thrown(rolled: Sequence[str], before: Sequence[str] | None) -> str:
    """The dice may only have been laid where they lie: what the active player is told, and the host is asked."""
    shown = " and ".join(rolled)
    why = f"{shown} were the roll of the turn before, too" if before else f"{shown} were not seen being thrown"
    return f"{why}: if nobody threw both dice, throw them"


def die_turned(state: State, turned: Sequence[str]) -> Fault:
    """A die shows something else than was rolled."""
    shown = "A die shows" if len(turned) == 1 else "The dice show"
    problem = f"{shown} {joined(turned)} now, but {joined(state.roll)} were rolled."
    remedy = f"Turn {'it' if len(turned) == 1 else 'them'} back to what was rolled."
    return Fault(Refusal(headings.ROLL, problem, remedy, tuple(turned)), state.active)


def not_seen(state: State, player: Player) -> Fault:
    """Somebody presses whose sheet is hidden or away."""
    remedy = f"Lay it before player {player} and take hands off it."
    return Fault(Refusal(_heading(state), f"Player {player}'s sheet cannot be seen.", remedy), player, certain=False)


def several_sheets(state: State, player: Player, lying: Sequence[SheetSeen]) -> Fault:
    """Somebody presses before whom more than one sheet lies, and the one that is looked at tells of no play."""
    problem = f"{len(lying)} sheets lie before player {player}, and it does not show which one is played with."
    remedy = f"Leave only player {player}'s own sheet there."
    return Fault(Refusal(_heading(state), problem, remedy), player, tuple(sheet.index for sheet in lying))


def mixed_up(state: State, player: Player, other: Player) -> Fault:
    """Before the other lies what seems to be the player's sheet."""
    problem = f"Player {player}'s sheet lies before player {other}."
    return Fault(Refusal(_heading(state), problem, "Lay every sheet before the player who marks it."), player)


def nothing_marked(state: State, player: Player, sheet: SheetSeen) -> Fault:
    """Somebody presses who has marked nothing."""
    face = rules.face_for(state, player)
    picture = state.options.components.faces[face].in_words
    problem = f"Player {player} has marked no new dot."
    remedy = f"Mark the dots of {face} ({picture}), one new dot at least, and connect neighbours."
    unseen = sheet.hidden_dots & ~state.sheets[player - 1].dots
    return Fault(Refusal(headings.MARK, problem, remedy), player, (sheet.index,), certain=not unseen)


def misfit(state: State, player: Player, sheet: SheetSeen) -> Fault:
    """The new dots are not those of the player's die."""
    table = state.options.components.grid
    names = frozenset(grid.names_of(table, sheet.new_dots()))
    refused = rules.refusal(state, Mark(player, names)) if names else None
    if refused is None:
        return nothing_marked(state, player, sheet)
    told = Refusal(refused.heading, refused.problem, refused.remedy, _places(player, names))
    return Fault(told, player, (sheet.index,))


def about(state: State, player: Player, sheet: SheetSeen, odd: Sequence[Odd]) -> Fault:
    """What is otherwise than it should be on a sheet; the most important first."""
    what = min((one.what for one in odd), key=_ORDER.index)
    alike = [one for one in odd if one.what is what]
    bits = state.options.components.grid.bits
    names = sorted((one.name for one in alike), key=lambda name: bits.get(name.partition("-")[0], 0))
    told = _words(state, player, what, names, old=all(one.old for one in alike))
    gone = what in (What.MISSING_DOT, What.MISSING_LINE, What.NOT_CIRCLED) and all(one.old for one in alike)
    certain = not gone and not sheet.may_hide(odd)
    refusal = Refusal(told.heading, told.problem, told.remedy, _places(player, names))
    return Fault(refusal, player, (sheet.index,), certain=certain)


def still_to_do(state: State, player: Player, odd: Sequence[Odd]) -> str:
    """What somebody who is marking has left to do, as far as it is plain; empty where it is not."""
    missing = [one for one in odd if one.what in (What.MISSING_LINE, What.NOT_CROSSED, What.NOT_CIRCLED)]
    if not missing or len(missing) < len(odd):
        return ""
    what = missing[0].what
    told = _words(state, player, what, [one.name for one in missing if one.what is what], old=False)
    return f"Player {player}: {told.remedy[0].lower()}{told.remedy[1:].rstrip('.')}"


def _words(state: State, player: Player, what: What, names: Sequence[str], *, old: bool) -> Refusal:
    listed, them = some([_called(state, name) for name in names]), "them" if len(names) > 1 else "it"
    found = some([_counted(state, name) for name in names])
    match what:
        case What.ADDED_DOT:
            return _dot_too_many(state, player, names)
        case What.MISSING_DOT:
            problem = f"On player {player}'s sheet {listed} {'are' if len(names) > 1 else 'is'} not marked any more."
            return Refusal(headings.MARK, problem, f"Mark {found} again.")
        case What.MISSING_LINE:
            gone = "any more" if old else "yet"
            problem = f"On player {player}'s sheet neighbouring dots are not connected {gone}: {listed}."
            return Refusal(headings.MARK, problem, f"Connect {found} with {'lines' if len(names) > 1 else 'a line'}.")
        case What.DIAGONAL:
            problem = f"On player {player}'s sheet dots are connected diagonally: {listed}."
            remedy = f"Rub out {found}: lines join dots beside or above each other."
            return Refusal(headings.MARK, problem, remedy)
        case What.NOT_CROSSED:
            problem = f"Player {player} has placed an extra dot and not crossed off {listed}."
            return Refusal(headings.EXTRA_DOTS, problem, f"Cross off {found}.")
        case What.CROSSED:
            problem = f"Player {player} has crossed off {listed} without placing an extra dot for {them} now."
            crosses = f"cross{'es' if len(names) > 1 else ''} over {found}"
            remedy = f"Place the extra dot if this turn gives one, or rub out the {crosses}."
            return Refusal(headings.EXTRA_DOTS, problem, remedy)
        case What.NOT_CIRCLED:
            problem = f"Player {player} scores {listed} and has not circled {them}."
            return Refusal(headings.EXTRA_DOTS, problem, f"Circle {listed}.")
        case What.CIRCLED:
            problem = f"Player {player} has circled {listed}, which no slice made now scores."
            return Refusal(headings.EXTRA_DOTS, problem, f"Rub the circle{'s' if len(names) > 1 else ''} out.")


def _called(state: State, name: str) -> str:
    """A place of a sheet by the letters and numbers that displays have around it: k9, c3-c4, the olive in k8."""
    components = state.options.components
    toppings = {one.name: one.in_words for one in components.toppings}
    return (toppings | {one.name: one.in_words for one in components.bonuses}).get(name, name)


def _counted(state: State, name: str) -> str:
    """The same with how to find it on paper, where no letters and numbers stand."""
    components, called = state.options.components, _called(state, name)
    if name in components.bonus_bits:
        return called
    square = next((one.square for one in components.toppings if one.name == name), None)
    place = square or name.partition("-")[0]
    row, column = divmod(components.grid.bits[place].bit_length() - 1, components.grid.stride)
    counted = f"{ordinal(column + 1)} {'square' if square else 'dot'} from the left, {ordinal(row + 1)} from below"
    return f"{called} ({'' if square or place == name else f'{place}: '}{counted})"


def _dot_too_many(state: State, player: Player, names: Sequence[str]) -> Refusal:
    several = len(names) > 1
    listed, them = some(names), "them" if several else "it"
    rub_out = f"Rub out {some([_counted(state, name) for name in names])}"
    remedy = f"{rub_out}."
    if state.phase is not Phase.MARK:
        why = f"dots are marked once player {state.active} has thrown the dice and picked one, and that is not seen"
    elif not rules.can_mark(state, player, rules.face_for(state, player)):
        why = f"with {rules.face_for(state, player)} none can be marked there"
    elif state.sheets[player - 1].done:
        why = f"player {player} has finished this turn"
        remedy = f"{rub_out}, or the host takes back the play with which player {player} finished."
    else:
        belong = "they belong" if several else "it belongs"
        why = f"{belong} neither to {rules.face_for(state, player)} nor to a topping"
    if len(names) > MOST_NAMED:
        remedy = f"Lay player {player}'s own sheet there, an empty one if the game begins, or rub {them} out."
    dots = f"{listed} {'are dots' if several else 'is a dot'} too many on player {player}'s sheet"
    return Refusal(_heading(state), f"{dots}: {why}.", remedy)


def _by_hand(state: State, seen: Sequence[str]) -> str:
    """How the host tells what a camera does not see, with what the faces of those dice are called."""
    faces = [next((face for face in seen if face.startswith(die)), f"{die}1") for die in DICE]
    moves = [f"P{state.active} picks {DICE[0]}"]
    if state.phase is Phase.ROLL:
        moves.insert(0, f"roll {' '.join(faces)}")
    called = (
        f"{name} is {face.in_words}"
        for name, face in state.options.components.faces.items()
        if not any(other.startswith(name[0]) for other in seen)
    )
    told = " and then ".join(f'"{move}"' for move in moves)
    return f"Or the host rules {told}: {', '.join(called)}."


def _heading(state: State) -> str:
    return headings.PICK if state.phase in (Phase.ROLL, Phase.PICK) else headings.MARK


def _places(player: Player, names: Sequence[str] | frozenset[str]) -> tuple[str, ...]:
    """What shows places of a sheet: sheet/2/c7, sheet/2/c7-d7, sheet/2/mushroom-b2."""
    return tuple(f"sheet/{player}/{name}" for name in sorted(names))
