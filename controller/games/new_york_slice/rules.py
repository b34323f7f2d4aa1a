"""The rules of New York Slice, in the order of the rule text; each rule stands under its heading's name.

Faces are ids: slices `3/1` .. `11/11` (value/number), `combo-8-10` and the like, `anchovy`, `supreme`; Specials
`special/...`. Players are numbered clockwise, 1 upwards. Slices are counted in halves.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from enum import Enum
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
from controller.games import cut_and_choose
from controller.games.changing import changed
from controller.games.cut_and_choose import SLICES_IN_A_PIZZA as SLICES_IN_A_PIZZA
from controller.games.cut_and_choose import Fault, joined, left_of, words_for_halves
from controller.games.cut_and_choose import Portion as Portion
from controller.games.new_york_slice import headings
from controller.games.new_york_slice.components import ANCHOVY, SUPREME, VALUES, Components, with_own_facts

PLAYER_COUNTS = range(2, 7)

BUFFET = "special/buffet"
COMBO_CRAVING = "special/combo-craving"
CUT_IN_LINE = "special/cut-in-line"
DAY_OLD_PIZZA = "special/day-old-pizza"
DIBS = "special/dibs"
EVERYONE_ELSE_DIET = "special/everyone-else-diet"
MYSTERY_SLICE = "special/mystery-slice"
SECONDS = "special/seconds"
SNEAK_A_SLICE = "special/sneak-a-slice"
STUFFED_CRUST = "special/stuffed-crust"
SUPERSIZE_COMBOS = "special/supersize-combos"
TIEBREAKER = "special/tiebreaker"
YOU_LIKE_ANCHOVIES = "special/you-like-anchovies"
YOU_LOVE_VEGGIES = "special/you-love-veggies"


class Phase(Enum):
    """What the game waits for."""

    STACK = "stack"
    """The Slicer chooses a stack."""
    REVEAL = "reveal"
    """Chance: the Special and the eleven slices are turned up."""
    REDRAW = "redraw"
    """Chance: the Special that is shown may not be used now; another is drawn."""
    DIVIDE = "divide"
    """The Slicer divides; before that the owner of Dibs! may call."""
    CHOOSE = "choose"
    """A player takes a portion; Sneak-a-Slice and Cut in Line are played here."""
    MYSTERY = "mystery"
    """Chance: the taker of Mystery Slice takes one of the three extra slices."""
    DECIDE = "decide"
    """The taker eats or collects what was taken."""
    SECONDS = "seconds"
    """Just before scoring the owner of Seconds may eat."""
    COUNT = "count"
    """Chance: slices eaten unseen are turned up to be counted."""
    OVER = "over"


@dataclass(frozen=True, slots=True)
class ChooseStack:
    """The Slicer chooses a stack of 11 slices and its Special."""

    stack: int
    """1 upwards; any stack not yet served. They look alike."""


@dataclass(frozen=True, slots=True)
class Reveal:
    """Chance: the Special and the slices of the chosen stack lie face up."""

    special: str
    ring: tuple[str, ...]
    """The eleven faces clockwise as seen from above, starting anywhere."""


@dataclass(frozen=True, slots=True)
class Redraw:
    """Chance: another Special replaces the one that may not be used now."""

    special: str


@dataclass(frozen=True, slots=True)
class Dibs:
    """The owner of Dibs! takes a slice from the pizza before it is divided."""

    player: int
    face: str
    eat: bool
    attach: str | None = None
    """As in Decide."""


@dataclass(frozen=True, slots=True)
class Divide:
    """The Slicer divides the pizza and adds the Special."""

    portions: tuple[tuple[str, ...], ...]
    """Clockwise, the slices of each clockwise. A Special alone is an empty tuple, at any place.

    Which portion comes first does not matter: the state numbers them from the one with the ring's first slice, a
    Special alone last (see `canonical_divide`).
    """
    special_in: int
    """Index of the portion with the Special."""


@dataclass(frozen=True, slots=True)
class Sneak:
    """The owner of Sneak-a-Slice shifts an end slice into an adjacent portion and then takes a portion."""

    player: int
    face: str
    to: int
    """Index of the portion that gains the slice."""


@dataclass(frozen=True, slots=True)
class Take:
    """A player takes a portion. Who is not next plays Cut in Line by it."""

    player: int
    portion: int


@dataclass(frozen=True, slots=True)
class Mystery:
    """Chance: the taker of Mystery Slice takes one of the three extra slices.

    A camera sees it together with the Decide after it: a face that is collected is named here; None is a slice that
    nobody else sees, which Decide must then eat (`mystery_eaten`). A face that only its owner knows (a drawn one) may
    be named too and eaten all the same; it then stays secret until it is counted.
    """

    face: str | None


@dataclass(frozen=True, slots=True)
class Decide:
    """The taker eats some slices and collects the others. Follows every Take, also one without slices."""

    player: int
    eaten: frozenset[str]
    """Of the slices just taken, and collected ones that a Special just received allows to eat. Without the Mystery
    slice."""
    attach: str | None = None
    """What the Supreme slice (just collected, or waiting for a neighbour) is laid next to: a value such as "7", or
    "anchovy". None when there is nothing to attach."""
    mystery_eaten: bool = False


@dataclass(frozen=True, slots=True)
class EatSeconds:
    """The owner of Seconds eats slices of one type; none declines."""

    player: int
    eaten: frozenset[str]


@dataclass(frozen=True, slots=True)
class RevealEaten:
    """Chance: a slice that was eaten unseen is turned up to be counted."""

    player: int
    face: str


Move = ChooseStack | Reveal | Redraw | Dibs | Divide | Sneak | Take | Mystery | Decide | EatSeconds | RevealEaten


@dataclass(frozen=True, slots=True)
class OwnedSpecial:
    """A Special in front of a player."""

    name: str
    """Face id."""
    round: int
    """The round in which it was received."""
    used: bool = False
    """A used Special is turned face down."""


@dataclass(frozen=True, slots=True)
class Holding:
    """What lies in front of a player, in the order in which it came there."""

    collected: tuple[str, ...] = ()
    eaten: tuple[str, ...] = ()
    """Face down, but everybody saw them being eaten."""
    specials: tuple[OwnedSpecial, ...] = ()
    supreme_as: str | None = None
    """The type the Supreme slice was attached to ("3" .. "11" or "anchovy"); stays when it is eaten later."""
    unseen_eaten: int = 0
    """Slices eaten face down without having been shown, not in `eaten`."""
    unseen_faces: tuple[str, ...] = ()
    """Those of them that are known all the same, to their owner and the engine only."""


@dataclass(frozen=True, slots=True)
class Options:
    """What tables play differently where the text leaves two readings, and the copy's own components."""

    components: Components
    sneak_may_empty: bool = False
    """Whether Sneak-a-Slice may leave a portion with neither slice nor Special."""
    mystery_needs_pepperoni: bool = True
    """Whether the Mystery slice may be eaten only where any other slice could be."""
    seconds_needs_pepperoni: bool = False
    """Whether each slice eaten with Seconds must itself have pepperoni, not just its type."""
    supreme_on_anchovy: bool = True
    """Whether the Supreme slice may be (and, next to nothing else, must be) attached to the Anchovy slice."""


@dataclass(frozen=True, slots=True)
class State:
    """A whole game of New York Slice at one moment."""

    players: int
    options: Options
    phase: Phase
    round: int
    """1 upwards."""
    slicer: int
    stacks: tuple[int, ...]
    """The stacks not yet served."""
    unseen: frozenset[str]
    """Slices in the game whose face nobody has seen: in stacks, in the three extra ones, or eaten unseen."""
    unseen_specials: frozenset[str]
    holdings: tuple[Holding, ...]
    """Player 1's first."""
    ring: tuple[str, ...] = ()
    """The pizza clockwise, undivided or as it was when divided, from its first slice in the order of the components
    list; empty before it is turned up."""
    special: str | None = None
    """Today's Special of this round."""
    portions: tuple[Portion, ...] = ()
    order: tuple[int, ...] = ()
    """The players still to choose, next first; in a two-player game everybody twice."""
    taker: int | None = None
    """The player who has taken a portion and not yet decided."""
    taken: tuple[str, ...] = ()
    """The slices that the taker must decide about, without the Mystery slice."""
    took_special: bool = False
    """Whether the Special was part of the portion just taken; it already lies in front of the taker."""
    shifter: int | None = None
    """The player who has just shifted a slice and must now take a portion."""
    mystery_drawn: bool = False
    """Whether the taker holds the Mystery slice."""
    mystery: str | None = None
    """Its face if known."""
    set_aside: tuple[str, ...] = ()
    """Specials that were replaced by another, oldest first."""
    first: int = 1
    """The first Slicer."""

    @property
    def rounds(self) -> int:
        """The number of rounds in this game: one for each stack."""
        return self.options.components.stacks[self.players]


# What the game waits for ----------------------------------------------------------------------------------------------


def turn(state: State) -> Turn:
    """Who acts next, and what they do."""
    match state.phase:
        case Phase.STACK:
            return _players_turn((state.slicer,), f"Player {state.slicer} slices: choose a stack")
        case Phase.REVEAL:
            return _chance(f"Player {state.slicer} turns up the Special, then the eleven slices in a circle")
        case Phase.REDRAW:
            assert state.special is not None
            shown = _words(state, state.special)
            return _chance(f"{shown} may not be used now: draw another Special")
        case Phase.DIVIDE:
            return _divide_turn(state)
        case Phase.CHOOSE:
            return _choose_turn(state)
        case Phase.MYSTERY:
            return _chance(f"Player {state.taker} takes one of the three face-down slices")
        case Phase.DECIDE:
            assert state.taker is not None
            return _players_turn((state.taker,), f"Player {state.taker} decides what to eat and what to collect")
        case Phase.SECONDS:
            owner = _owner(state, SECONDS)
            assert owner is not None
            return _players_turn((owner,), f"Player {owner} has Seconds: eat slices of one type, or none")
        case Phase.COUNT:
            return _chance(f"Player {_next_to_count(state)} turns up the slice eaten unseen")
        case Phase.OVER:
            return Turn(Actor.NOBODY, (), "The game is over")


def legal(state: State) -> Iterator[Move]:
    """Every legal move once, lazily; nothing for the pizza that is turned up (see `draw`).

    Divisions are listed in the order of their numbering only, see `canonical_divide`.
    """
    match state.phase:
        case Phase.STACK:
            yield from (ChooseStack(stack) for stack in state.stacks)
        case Phase.REDRAW:
            yield from (Redraw(special) for special in sorted(state.unseen_specials))
        case Phase.DIVIDE:
            yield from _legal_dibs(state)
            yield from _legal_divisions(state)
        case Phase.CHOOSE:
            yield from _legal_choices(state)
        case Phase.MYSTERY:
            yield from (Mystery(face) for face in in_order(state, state.unseen))
            yield Mystery(None)
        case Phase.DECIDE:
            yield from _legal_decisions(state)
        case Phase.SECONDS:
            yield from _legal_seconds(state)
        case Phase.COUNT:
            yield from _legal_counts(state)
        case Phase.REVEAL | Phase.OVER:
            return


def refusal(state: State, move: Move) -> Refusal | None:
    """None exactly when the move is legal; otherwise which rule it breaks and how to put it right."""
    kind = type(move)
    if kind not in _RULES:
        return _refuse(headings.ROUNDS, f"{move!r} is no move of this game.", turn(state).prompt + ".")
    phase, check, _ = _RULES[kind]
    if state.phase is not phase:
        return _untimely(state, kind)
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
    """A chance outcome. Raises GameError where chance does not act."""
    unseen = in_order(state, state.unseen)
    match state.phase:
        case Phase.REVEAL:
            ring = tuple(random.sample(unseen, SLICES_IN_A_PIZZA))
            return Reveal(random.choice(sorted(state.unseen_specials)), ring)
        case Phase.REDRAW:
            return Redraw(random.choice(sorted(state.unseen_specials)))
        case Phase.MYSTERY:
            return Mystery(random.choice(unseen))
        case Phase.COUNT:
            candidates = tuple(_legal_counts(state))
            allowed = tuple(move for move in candidates if _mystery_refusal(state, move.player, move.face) is None)
            return random.choice(allowed or candidates)
        case _:
            raise GameError(f"nothing is drawn while the game waits for {state.phase.value}")


def in_order(state: State, faces: Iterable[str]) -> list[str]:
    """Slices in the order of the components list."""
    return sorted(faces, key=state.options.components.place.__getitem__)


# Setup ----------------------------------------------------------------------------------------------------------------


_SWITCH = (False, True)
OPTIONS = (
    Option("components", {}, "pepperoni and anchovies that this copy shows, by face: {'3/1': {'pepperoni': 2}}"),
    Option("sneak_may_empty", False, "whether Sneak-a-Slice may leave a portion with nothing in it", _SWITCH),
    Option("mystery_needs_pepperoni", True, "whether the Mystery slice is eaten only as any other could be", _SWITCH),
    Option("seconds_needs_pepperoni", False, "whether each slice eaten with Seconds needs pepperoni itself", _SWITCH),
    Option("supreme_on_anchovy", True, "whether the Supreme slice may be attached to the Anchovy slice", _SWITCH),
)


def start(components: Components, players: int, options: Mapping[str, Json], first: Player = 1) -> State:
    """The state before the first round. Raises OptionError, or ComponentError for impossible own pieces.

    Options: `components` (pepperoni and anchovies by face that this copy shows), and the switches of `Options`.
    """
    if players not in PLAYER_COUNTS:
        raise OptionError(f"players: {players!r} is none of 2 to 6")
    if not 1 <= first <= players:
        raise OptionError(f"first: {first!r} is none of the players 1 to {players}")
    chosen = parse_options(components, options)
    pieces = chosen.components
    return State(
        players=players,
        options=chosen,
        phase=Phase.STACK,
        round=1,
        slicer=first,
        stacks=tuple(range(1, pieces.stacks[players] + 1)),
        unseen=slices_in_game(pieces, players),
        unseen_specials=frozenset(pieces.specials_by_face),
        holdings=(Holding(),) * players,
        first=first,
    )


def parse_options(components: Components, options: Mapping[str, Json]) -> Options:
    """The options of a game. Raises OptionError for an unknown one or a wrong value."""
    switches = [field.name for field in fields(Options) if field.type is bool]
    values: dict[str, Any] = {}
    for name, value in options.items():
        if name == "components":
            components = with_own_facts(components, value)
        elif name not in switches:
            raise OptionError(f"option {name}: unknown; expected components, {', '.join(switches)}")
        elif not isinstance(value, bool):
            raise OptionError(f"option {name}: {value!r} is neither true nor false")
        else:
            values[name] = value
    return Options(components, **values)


def slices_in_game(components: Components, players: int) -> frozenset[str]:
    """The slices that are shuffled; the others stay in the box."""
    return frozenset(components.by_face) - components.removed[players]


# Start each round -----------------------------------------------------------------------------------------------------


def _stack_refusal(state: State, move: ChooseStack) -> Refusal | None:
    if move.stack in state.stacks:
        return None
    left = joined([str(stack) for stack in state.stacks])
    return _refuse(
        headings.START_ROUND, f"Stack {move.stack} is not on the table.", f"Choose one of the stacks left: {left}."
    )


def _play_stack(state: State, move: ChooseStack) -> State:
    return changed(state, phase=Phase.REVEAL, stacks=tuple(stack for stack in state.stacks if stack != move.stack))


def _reveal_refusal(state: State, move: Reveal) -> Refusal | None:
    return _special_refusal(state, move.special) or _ring_refusal(state, move.ring)


def _special_refusal(state: State, special: str) -> Refusal | None:
    if special in state.unseen_specials:
        return None
    if special not in state.options.components.specials_by_face:
        return _refuse(
            headings.START_ROUND, f"{special!r} is no Special.", "Turn up the Special of this stack.", (special,)
        )
    return _refuse(
        headings.SHUFFLE_SPECIALS,
        f"{_words(state, special)} has already been in this game.",
        "Turn up a Special that nobody has seen yet.",
        (special,),
    )


def _ring_refusal(state: State, ring: tuple[str, ...]) -> Refusal | None:
    if len(ring) == SLICES_IN_A_PIZZA == len(state.unseen.intersection(ring)):
        return None
    pieces = state.options.components
    fault = cut_and_choose.faces_fault(ring, pieces.by_face, pieces.words)
    if fault is not None:
        return _at_fault(headings.START_ROUND, fault)
    removed = tuple(face for face in ring if face in pieces.removed[state.players])
    if removed:
        problem = f"Not used with {state.players} players: {_list_words(state, removed)}."
        return _refuse(headings.SETUP, problem, "Put it back in the box and shuffle the right slices.", removed)
    fault = cut_and_choose.stack_fault(ring, state.unseen, pieces.words, "stack")
    return None if fault is None else _at_fault(headings.START_ROUND, fault)


def _play_reveal(state: State, move: Reveal) -> State:
    return changed(
        state,
        phase=_phase_with(state, move.special),
        special=move.special,
        unseen_specials=state.unseen_specials - {move.special},
        ring=_numbered_ring(state, move.ring),
        unseen=state.unseen.difference(move.ring),
    )


def _numbered_ring(state: State, ring: tuple[str, ...]) -> tuple[str, ...]:
    """A circle of slices has no first one; ours is the first in the components list, so that equal pizzas are equal."""
    return cut_and_choose.start_ring_at(ring, min(ring, key=state.options.components.place.__getitem__))


def _phase_with(state: State, special: str) -> Phase:
    return Phase.REDRAW if must_be_replaced(state, special) else Phase.DIVIDE


def must_be_replaced(state: State, special: str) -> bool:
    """Whether a Special that appears now gives way to another one.

    In the last round Cut in Line and Sneak-a-Slice do; with two players Cut in Line, Dibs! and You Love Veggies. What
    is drawn instead may have to be replaced in its turn.
    """
    last = state.round == state.rounds
    if state.players == 2 and special in (CUT_IN_LINE, DIBS, YOU_LOVE_VEGGIES):
        return True
    return last and special in (CUT_IN_LINE, SNEAK_A_SLICE)


def _redraw_refusal(state: State, move: Redraw) -> Refusal | None:
    return _special_refusal(state, move.special)


def _play_redraw(state: State, move: Redraw) -> State:
    assert state.special is not None
    return changed(
        state,
        phase=_phase_with(state, move.special),
        special=move.special,
        unseen_specials=state.unseen_specials - {move.special},
        set_aside=(*state.set_aside, state.special),
    )


# Divide the pizza (and Special) into portions -------------------------------------------------------------------------


def _divide_turn(state: State) -> Turn:
    portions = cut_and_choose.portions_for(state.players)
    prompt = f"Player {state.slicer} divides the pizza into {portions} portions"
    caller = dibs_caller(state)
    if caller is None:
        return _players_turn((state.slicer,), prompt)
    asked = f"{prompt}, and first asks player {caller} whether to call Dibs!"
    return _players_turn((state.slicer, caller) if caller != state.slicer else (caller,), asked)


def canonical_divide(state: State, move: Divide) -> Divide:
    """The same division as the state numbers its portions: from the one with the ring's first slice, clockwise, a
    Special alone last."""
    portions, special_in = cut_and_choose.numbered_portions(state.ring, move.portions, move.special_in)
    assert special_in is not None
    return Divide(portions, special_in)


def _legal_divisions(state: State) -> Iterator[Divide]:
    portions = cut_and_choose.portions_for(state.players)
    for division, special_in in cut_and_choose.divisions_with_special(state.ring, portions):
        yield Divide(division, special_in)


def _divide_refusal(state: State, move: Divide) -> Refusal | None:
    wanted = cut_and_choose.portions_for(state.players)
    if len(move.portions) != wanted:
        amount = "Too many" if len(move.portions) > wanted else "Too few"
        problem = f"{amount} portions: {len(move.portions)} instead of {wanted}."
        remedy = f"Divide the pizza and the Special into {wanted} portions; the Special may be one by itself."
        return _refuse(headings.DIVIDE, problem, remedy)
    if not 0 <= move.special_in < wanted:
        return _refuse(
            headings.DIVIDE, "The Special is in no portion.", "Add it to one, or let it be one.", _shown(state)
        )
    words, needed = state.options.components.words, "one slice or the Special"
    fault = cut_and_choose.division_fault(state.ring, move.portions, move.special_in, words, needed)
    return None if fault is None else _at_fault(headings.DIVIDE, fault)


def _play_divide(state: State, move: Divide) -> State:
    numbered = canonical_divide(state, move)
    portions = [Portion(slices, index == numbered.special_in) for index, slices in enumerate(numbered.portions)]
    order = cut_and_choose.choosing_order(state.slicer, state.players)
    return changed(state, phase=Phase.CHOOSE, portions=tuple(portions), order=order)


# Choose a portion -----------------------------------------------------------------------------------------------------


def _choose_turn(state: State) -> Turn:
    if state.shifter is not None:
        return _players_turn((state.shifter,), f"Player {state.shifter} has shifted a slice and now takes a portion")
    following = state.order[0]
    cutters = [player for player in state.order if may_cut_in_line(state, player)]
    prompt = f"Player {following} chooses a portion"
    if cutters:
        prompt += f"; before that player {cutters[0]} may cut in line"
    return _players_turn((following, *cutters), prompt)


def _legal_choices(state: State) -> Iterator[Move]:
    open_portions = [index for index, portion in enumerate(state.portions) if portion.taken_by is None]
    for player in _choose_turn(state).players:
        yield from (Take(player, index) for index in open_portions)
        if may_sneak(state, player):
            yield from (Sneak(player, face, to) for face, to in _shifts(state))


def _take_refusal(state: State, move: Take) -> Refusal | None:
    if state.shifter is not None and move.player != state.shifter:
        return _must_take_now(state)
    found = _out_of_turn(state, move.player)
    if found is not None:
        return found
    if not 0 <= move.portion < len(state.portions):
        return _refuse(
            headings.CHOOSE, "There is no such portion.", f"Choose one of the {len(state.portions)} portions."
        )
    portion = state.portions[move.portion]
    if portion.taken_by is not None:
        problem = f"Player {portion.taken_by} has already taken this portion."
        return _refuse(headings.CHOOSE, problem, "Choose one that is left.", portion.slices)
    return None


def _out_of_turn(state: State, player: Player) -> Refusal | None:
    """Next player chooses: clockwise around the table, the Slicer last."""
    following = state.order[0]
    if player == following or may_cut_in_line(state, player):
        return None
    heading, problem = headings.NEXT_PLAYER, f"It is not player {player}'s turn to choose."
    if _is_player(state, player) and owned(state, player, CUT_IN_LINE) is not None:
        heading = headings.CUT_IN_LINE
        problem += f" {_why_no_cut(state, player)}"
    return _refuse(heading, problem, f"Player {following} chooses next; put the portion back.")


def _play_take(state: State, move: Take) -> State:
    portion = state.portions[move.portion]
    holdings = state.holdings
    if move.player != state.order[0]:
        holdings = _used(holdings, move.player, CUT_IN_LINE)
    if portion.special:
        assert state.special is not None
        holding = holdings[move.player - 1]
        gained = OwnedSpecial(state.special, state.round)
        holdings = _with(holdings, move.player, changed(holding, specials=(*holding.specials, gained)))
    turn_of = state.order.index(move.player)
    return changed(
        state,
        phase=Phase.MYSTERY if portion.special and state.special == MYSTERY_SLICE else Phase.DECIDE,
        holdings=holdings,
        portions=tuple(
            changed(one, taken_by=move.player) if index == move.portion else one
            for index, one in enumerate(state.portions)
        ),
        order=state.order[:turn_of] + state.order[turn_of + 1 :],
        taker=move.player,
        taken=portion.slices,
        took_special=portion.special,
        shifter=None,
    )


def may_eat(state: State, player: Player, face: str) -> bool:
    """Whether this player may eat a slice that has just been gained: it has pepperoni, or a Special allows it."""
    return _eat_refusal(state, player, face) is None


def may_eat_collected(state: State, player: Player) -> tuple[str, ...]:
    """The slices collected before that may be eaten now, because the Special just received says so.

    Combo Craving: any Combo slices. You Love Veggies: any Veggie slices, with pepperoni or without; a Supreme slice
    attached to Veggie is one from that point on.
    """
    if not state.took_special or state.taker != player:
        return ()
    holding = state.holdings[player - 1]
    if state.special == COMBO_CRAVING:
        return tuple(face for face in holding.collected if _is_combo(state, face))
    if state.special == YOU_LOVE_VEGGIES:
        return tuple(face for face in holding.collected if _type_of(state, holding, face) == "3")
    return ()


def _eat_refusal(state: State, player: Player, face: str) -> Refusal | None:
    facts = state.options.components.by_face[face]
    if facts.pepperoni > 0:
        return None
    if len(facts.values) == 2:
        if owned(state, player, COMBO_CRAVING) is not None:
            return None
        problem = f"{_words(state, face)} cannot be eaten without Combo Craving."
        return _refuse(headings.COMBO_SLICES, problem, "Lay it face up with the collected slices.", (face,))
    if face == ANCHOVY:
        problem = "The Anchovy slice cannot be eaten."
        return _refuse(headings.ANCHOVY_SLICE, problem, "Lay it face up with the collected slices.", (face,))
    # You Love Veggies lets Veggies be eaten that are collected when it comes: those taken with it are among them, as
    # they could be collected first. It says nothing of later rounds (Combo Craving does), so later Veggies need
    # pepperoni like any slice.
    if facts.values == (3,) and state.taker == player and state.took_special and state.special == YOU_LOVE_VEGGIES:
        return None
    problem = f"{_words(state, face)} has no pepperoni and may not be eaten."
    return _refuse(headings.CHOOSE, problem, "Lay it face up with the collected slices.", (face,))


def _decide_refusal(state: State, move: Decide) -> Refusal | None:
    if move.player != state.taker:
        problem = f"Player {move.player} has nothing to decide now."
        return _refuse(headings.CHOOSE, problem, f"Player {state.taker} decides first.")
    holding = state.holdings[move.player - 1]
    for face in sorted(move.eaten):
        if face not in state.taken:
            found = _not_taken_refusal(state, move.player, face)
        else:
            found = _eat_refusal(state, move.player, face)
        if found is not None:
            return found
    found = _mystery_decision_refusal(state, move)
    if found is not None:
        return found
    if move.attach is None and not _may_attach(state, holding):
        return None
    return _attach_refusal(state, holding.supreme_as, _collected_after(state, move), move.attach)


def _not_taken_refusal(state: State, player: Player, face: str) -> Refusal | None:
    if face in may_eat_collected(state, player):
        return None
    if face == state.mystery:
        return _refuse(headings.MYSTERY_SLICE, "The Mystery slice is eaten unseen.", "Do not show it.", (face,))
    if face not in state.holdings[player - 1].collected:
        problem = f"{_words(state, face)} is not among the slices just taken."
        return _refuse(headings.CHOOSE, problem, "Eat only slices of the portion just taken.", (face,))
    problem = f"{_words(state, face)} was collected before and may not be eaten any more."
    return _refuse(headings.CHOOSE, problem, "Lay it face up with the collected slices again.", (face,))


def _collected_after(state: State, move: Decide) -> tuple[str, ...]:
    kept = tuple(face for face in state.holdings[move.player - 1].collected if face not in move.eaten)
    gained = tuple(face for face in state.taken if face not in move.eaten)
    mystery = (state.mystery,) if state.mystery is not None and not move.mystery_eaten else ()
    return kept + gained + mystery


def _play_decide(state: State, move: Decide) -> State:
    holding = state.holdings[move.player - 1]
    newly_eaten = tuple(face for face in holding.collected + state.taken if face in move.eaten)
    unseen_faces = (state.mystery,) if move.mystery_eaten and state.mystery is not None else ()
    after = changed(
        holding,
        collected=_collected_after(state, move),
        eaten=holding.eaten + newly_eaten,
        supreme_as=holding.supreme_as or move.attach,
        unseen_eaten=holding.unseen_eaten + move.mystery_eaten,
        unseen_faces=holding.unseen_faces + unseen_faces,
    )
    decided = changed(
        state,
        phase=Phase.CHOOSE,
        holdings=_with(state.holdings, move.player, after),
        taker=None,
        taken=(),
        took_special=False,
        mystery_drawn=False,
        mystery=None,
    )
    return decided if decided.order else _next_round(decided)


def _legal_decisions(state: State) -> Iterator[Decide]:
    player = state.taker
    assert player is not None
    edible = [face for face in state.taken if may_eat(state, player, face)]
    edible += may_eat_collected(state, player)
    for mystery_eaten in _mystery_choices(state, player):
        for eaten in cut_and_choose.subsets(edible):
            move = Decide(player, eaten, None, mystery_eaten)
            for attach in attachments_after(state, move):
                yield changed(move, attach=attach)


# Next round & the new Slicer ------------------------------------------------------------------------------------------


def _next_round(state: State) -> State:
    if not state.stacks:
        return _before_scoring(changed(state, ring=(), special=None, portions=()))
    return changed(
        state,
        phase=Phase.STACK,
        round=state.round + 1,
        slicer=left_of(state.slicer, state.players),
        ring=(),
        special=None,
        portions=(),
    )


# Game end & scoring ---------------------------------------------------------------------------------------------------


def _before_scoring(state: State) -> State:
    """Seconds happens before any scoring; slices eaten unseen are turned up to be counted. Where the owner of Seconds
    could eat nothing, nothing is asked."""
    owner = _owner(state, SECONDS)
    if state.phase is not Phase.SECONDS and owner is not None and seconds_choices(state, owner):
        return changed(state, phase=Phase.SECONDS)
    uncounted = any(holding.unseen_eaten for holding in state.holdings)
    return changed(state, phase=Phase.COUNT if uncounted else Phase.OVER)


def score(state: State) -> tuple[Score, ...]:
    """The guest checks as if the game ended now: a line for each type, the Special* line, Pepperoni - Anchovy."""
    counts = type_counts(state)
    sheets = []
    for player in _all_players(state):
        lines = [_type_line(state, counts, player, value) for value in VALUES]
        lines.append(_special_line(state, player))
        lines.append(_pepperoni_line(state, player))
        total = sum(line.points for line in lines)
        sheets.append(Score(player, tuple(lines), total, (number_eaten(state, player),)))
    return tuple(sheets)


# Pizza type scoring ---------------------------------------------------------------------------------------------------


def type_counts(state: State) -> dict[int, dict[Player, int]]:
    """Half slices of each type that each player has collected."""
    counts = {value: dict.fromkeys(_all_players(state), 0) for value in VALUES}
    for player, holding in enumerate(state.holdings, start=1):
        combo = 4 if owned(state, player, SUPERSIZE_COMBOS) is not None else 1
        for face in holding.collected:
            values = state.options.components.by_face[face].values
            for value in values:
                counts[value][player] += 2 if len(values) == 1 else combo
            if face == SUPREME and holding.supreme_as not in (None, ANCHOVY):
                counts[int(holding.supreme_as or 0)][player] += 2
    return counts


def leaders(counts: Mapping[Player, int]) -> tuple[Player, ...]:
    """Those with the most slices of a type; nobody where nobody has any."""
    return cut_and_choose.most(counts)


def scorer(state: State, counts: Mapping[Player, int]) -> Player | None:
    """Who scores the type: the one with more than any other; where several tie, only who owns Tiebreaker.

    A half slice wins where nobody has more: the counts are compared as they are.
    """
    first = leaders(counts)
    if len(first) > 1:
        first = tuple(player for player in first if owned(state, player, TIEBREAKER) is not None)
    return first[0] if len(first) == 1 else None


def _type_line(state: State, counts: Mapping[int, Mapping[Player, int]], player: Player, value: int) -> ScoreLine:
    label = f"{value} {state.options.components.type_names[value]}"
    have = counts[value]
    wins = scorer(state, have) == player
    first = leaders(have)
    standing = ""
    if player in first:
        standing = ", tied" if len(first) > 1 else ", the most"
        if wins and len(first) > 1:
            standing += ", won by Tiebreaker"
    return ScoreLine(label, value if wins else 0, words_for_halves(have[player]) + standing)


# Special* scoring -----------------------------------------------------------------------------------------------------


def _special_line(state: State, player: Player) -> ScoreLine:
    parts = list(special_points(state, player).items())
    detail = ", ".join(f"{_words(state, face)} {points:+d}" for face, points in parts)
    return ScoreLine("Special*", sum(points for _, points in parts), detail)


def special_points(state: State, player: Player) -> dict[str, int]:
    """What each blue Special brings or costs this player, by face; the Diet costs everyone but its owner."""
    points = {}
    for special in state.holdings[player - 1].specials:
        scored = _BLUE.get(special.name)
        if scored is not None:
            points[special.name] = scored(state, player)
    owner = _owner(state, EVERYONE_ELSE_DIET)
    if owner is not None and owner != player:
        points[EVERYONE_ELSE_DIET] = -(number_eaten(state, player) // 2)
    return points


# Pepperoni & anchovy scoring ------------------------------------------------------------------------------------------


def pepperoni_and_anchovies(state: State, player: Player) -> tuple[int, int]:
    """Pepperoni on eaten slices, and what the anchovies on collected slices count: below 0 unless the player likes
    them. Anchovies on eaten slices and pepperoni on collected slices are ignored."""
    by_face = state.options.components.by_face
    holding = state.holdings[player - 1]
    pepperoni = sum(by_face[face].pepperoni for face in holding.eaten)
    anchovies = sum(by_face[face].anchovies for face in holding.collected)
    # You Like Anchovies!: the - becomes a + on this line, the Anchovy slice's three included.
    return pepperoni, anchovies if owned(state, player, YOU_LIKE_ANCHOVIES) is not None else -anchovies


def _pepperoni_line(state: State, player: Player) -> ScoreLine:
    pepperoni, anchovies = pepperoni_and_anchovies(state, player)
    sign = "+" if owned(state, player, YOU_LIKE_ANCHOVIES) is not None else "−"
    detail = f"{pepperoni} pepperoni {sign} {abs(anchovies)} anchovies"
    return ScoreLine("Pepperoni - Anchovy", pepperoni + anchovies, detail)


# Final scoring --------------------------------------------------------------------------------------------------------


def number_eaten(state: State, player: Player) -> int:
    """Slices this player has eaten (not pepperoni), those eaten unseen included."""
    holding = state.holdings[player - 1]
    return len(holding.eaten) + holding.unseen_eaten


def winners(state: State) -> tuple[Player, ...]:
    """Most points; then most eaten slices; then the victory is shared. Empty while the game goes on."""
    if state.phase is not Phase.OVER:
        return ()
    sheets = score(state)
    best = max((sheet.total, sheet.tie_break) for sheet in sheets)
    return tuple(sheet.player for sheet in sheets if (sheet.total, sheet.tie_break) == best)


# Slices: Supreme slice ------------------------------------------------------------------------------------------------


def attachments(state: State, supreme_as: str | None, collected: tuple[str, ...]) -> tuple[str | None, ...]:
    """What may be said about the Supreme slice once these slices are collected: (None,) where nothing is to attach.

    Lying beside a collected slice it counts as one more of that type, for good; beside a Combo slice its owner chooses
    one of the two types. With no other slice there it waits until its player next collects one. The text excepts no
    neighbour, so the Anchovy slice is one too, where its type counts for nothing (option `supreme_on_anchovy`).
    """
    if supreme_as is not None or SUPREME not in collected:
        return (None,)
    by_face = state.options.components.by_face
    values = {value for face in collected for value in by_face[face].values}
    types: list[str | None] = [str(value) for value in sorted(values)]
    if ANCHOVY in collected and state.options.supreme_on_anchovy:
        types.append(ANCHOVY)
    return tuple(types) or (None,)


def _may_attach(state: State, holding: Holding) -> bool:
    """Whether a decision may come with the attachment of a Supreme slice at all: it is on the table, unattached."""
    lying = SUPREME in holding.collected or SUPREME in state.taken or state.mystery == SUPREME
    return lying and holding.supreme_as is None


def attachments_after(state: State, move: Decide) -> tuple[str | None, ...]:
    """What `attach` may say in this decision, whatever it says now."""
    return attachments(state, state.holdings[move.player - 1].supreme_as, _collected_after(state, move))


def _attach_refusal(
    state: State, supreme_as: str | None, collected: tuple[str, ...], attach: str | None
) -> Refusal | None:
    possible = attachments(state, supreme_as, collected)
    if attach in possible:
        return None
    if attach is not None and supreme_as is not None:
        problem = f"The Supreme slice is attached to {supreme_as} and may not be moved to another type."
        return _refuse(headings.SUPREME_SLICE, problem, "Leave it where it is.", (SUPREME,))
    if possible == (None,):
        problem = "There is nothing to attach to a Supreme slice."
        return _refuse(
            headings.SUPREME_SLICE, problem, "Attach it when it lies collected beside another slice.", (SUPREME,)
        )
    types = joined([str(one) for one in possible])
    problem = "The Supreme slice must be placed next to a slice its owner has collected."
    if attach is not None:
        problem = f"There is no collected {attach} to place the Supreme slice next to."
    return _refuse(headings.SUPREME_SLICE, problem, f"Place it next to one of these types: {types}.", (SUPREME,))


# Today's Specials -----------------------------------------------------------------------------------------------------


def owned(state: State, player: Player, special: str) -> OwnedSpecial | None:
    """The Special in front of this player, used or not."""
    for one in state.holdings[player - 1].specials:
        if one.name == special:
            return one
    return None


def usable(state: State, player: Player, special: str) -> bool:
    """Whether this player has the Special from an earlier round and has not used it."""
    one = owned(state, player, special)
    return one is not None and not one.used and one.round < state.round


def _owner(state: State, special: str) -> Player | None:
    return next((player for player in _all_players(state) if owned(state, player, special) is not None), None)


def _used(holdings: tuple[Holding, ...], player: Player, special: str) -> tuple[Holding, ...]:
    holding = holdings[player - 1]
    specials = tuple(changed(one, used=True) if one.name == special else one for one in holding.specials)
    return _with(holdings, player, changed(holding, specials=specials))


def _why_not_usable(state: State, player: Player, special: str) -> str | None:
    one = owned(state, player, special)
    if one is None:
        return f"Player {player} does not have {_words(state, special)}."
    if one.used:
        return f"{_words(state, special)} has been used; it works once."
    if one.round == state.round:
        return f"{_words(state, special)} works only in a round after the one it was taken in."
    return None


# Buffet* --------------------------------------------------------------------------------------------------------------


def _buffet(state: State, player: Player) -> int:
    """1 point for each different type. The halves of a Combo slice are types too, and so is the Anchovy slice; the
    Supreme slice is what it is attached to, and alone it is none."""
    holding = state.holdings[player - 1]
    by_face = state.options.components.by_face
    types = {str(value) for face in holding.collected for value in by_face[face].values}
    types |= {ANCHOVY} & set(holding.collected)
    if SUPREME in holding.collected and holding.supreme_as is not None:
        types.add(holding.supreme_as)
    return len(types)


# Combo Craving* -------------------------------------------------------------------------------------------------------


def _combo_craving(state: State, player: Player) -> int:
    return 3 * sum(_is_combo(state, face) for face in state.holdings[player - 1].eaten)


# Cut in Line ----------------------------------------------------------------------------------------------------------


def may_cut_in_line(state: State, player: Player) -> bool:
    """Whether this player may now choose before all others, and is not the next anyway."""
    return (
        state.phase is Phase.CHOOSE
        and _is_player(state, player)
        and player not in (state.order[0], state.slicer)
        and usable(state, player, CUT_IN_LINE)
        and not any(portion.taken_by for portion in state.portions)
    )


def _why_no_cut(state: State, player: Player) -> str:
    reason = _why_not_usable(state, player, CUT_IN_LINE)
    if reason is not None:
        return reason
    if player == state.slicer:
        return "The Slicer may not cut in line."
    return "Cut in Line is played immediately after the Slicer has divided, before anybody has chosen."


# Day-Old Pizza* -------------------------------------------------------------------------------------------------------


def _day_old_pizza(state: State, player: Player) -> int:  # noqa: ARG001
    return -2


# Dibs! ----------------------------------------------------------------------------------------------------------------


def dibs_caller(state: State) -> Player | None:
    """Who may call Dibs! before the pizza is divided; the Slicer may too."""
    owner = _owner(state, DIBS)
    return owner if state.phase is Phase.DIVIDE and owner is not None and usable(state, owner, DIBS) else None


def _legal_dibs(state: State) -> Iterator[Dibs]:
    caller = dibs_caller(state)
    if caller is None:
        return
    holding = state.holdings[caller - 1]
    for face in state.ring:
        for attach in attachments(state, holding.supreme_as, (*holding.collected, face)):
            yield Dibs(caller, face, False, attach)
        if may_eat(state, caller, face):
            yield Dibs(caller, face, True, None)


def _dibs_refusal(state: State, move: Dibs) -> Refusal | None:
    if not _is_player(state, move.player):
        return _refuse(
            headings.DIBS, f"There is no player {move.player}.", "Only the owner of Dibs! may call.", (DIBS,)
        )
    reason = _why_not_usable(state, move.player, DIBS)
    if reason is not None:
        return _refuse(headings.DIBS, reason, "Lay the slice back into the pizza.", (move.face, DIBS))
    if move.face not in state.ring:
        problem = f"{_words(state, move.face)} is not in this pizza."
        return _refuse(headings.DIBS, problem, "Take a slice from the pizza on the table.", (move.face,))
    holding = state.holdings[move.player - 1]
    if move.eat:
        found = _eat_refusal(state, move.player, move.face)
        return found or _attach_refusal(state, holding.supreme_as, (), move.attach)
    return _attach_refusal(state, holding.supreme_as, (*holding.collected, move.face), move.attach)


def _play_dibs(state: State, move: Dibs) -> State:
    """The pizza closes up: ten slices are divided."""
    holdings = _used(state.holdings, move.player, DIBS)
    holding = holdings[move.player - 1]
    if move.eat:
        holding = changed(holding, eaten=(*holding.eaten, move.face))
    else:
        supreme_as = holding.supreme_as or move.attach
        holding = changed(holding, collected=(*holding.collected, move.face), supreme_as=supreme_as)
    left = tuple(face for face in state.ring if face != move.face)
    return changed(state, holdings=_with(holdings, move.player, holding), ring=_numbered_ring(state, left))


# The "Everyone-Else" Diet* --------------------------------------------------------------------------------------------


def _everyone_else_diet(state: State, player: Player) -> int:  # noqa: ARG001
    """Costs its owner nothing; what it costs the others is in `special_points`."""
    return 0


# Mystery Slice --------------------------------------------------------------------------------------------------------


def _mystery_slice_refusal(state: State, move: Mystery) -> Refusal | None:
    if move.face is None or move.face in state.unseen:
        return None
    problem = f"{_words(state, move.face)} cannot be one of the three extra slices."
    return _refuse(headings.MYSTERY_SLICE, problem, "Take one of the three face-down slices.", (move.face,))


def _play_mystery(state: State, move: Mystery) -> State:
    assert state.taker is not None
    return changed(
        state,
        phase=Phase.DECIDE,
        holdings=_used(state.holdings, state.taker, MYSTERY_SLICE),
        mystery_drawn=True,
        mystery=move.face,
        unseen=state.unseen - {move.face},
    )


def _mystery_choices(state: State, player: Player) -> tuple[bool, ...]:
    if not state.mystery_drawn:
        return (False,)
    if state.mystery is None:
        return (True,)
    return (False,) if _mystery_refusal(state, player, state.mystery) is not None else (False, True)


def _mystery_decision_refusal(state: State, move: Decide) -> Refusal | None:
    if not state.mystery_drawn:
        if not move.mystery_eaten:
            return None
        return _refuse(headings.MYSTERY_SLICE, "No Mystery slice has been taken.", "Eat only slices just taken.")
    if state.mystery is None:
        if move.mystery_eaten:
            return None
        return _refuse(headings.MYSTERY_SLICE, "A collected Mystery slice lies face up.", "Show it, or eat it unseen.")
    return _mystery_refusal(state, move.player, state.mystery) if move.mystery_eaten else None


def _mystery_refusal(state: State, player: Player, face: str) -> Refusal | None:
    """Why this player may not have eaten this Mystery slice.

    The text lets its taker do either with it, and places it before the decision about all the slices taken: it is one
    more of them, so what may be eaten holds for it as for the others, although nobody else sees it before it is
    counted. Tables that read the permission as free of conditions switch `mystery_needs_pepperoni` off.
    """
    if not state.options.mystery_needs_pepperoni:
        return None
    if state.phase is Phase.COUNT and _is_combo(state, face):
        mystery, craving = owned(state, player, MYSTERY_SLICE), owned(state, player, COMBO_CRAVING)
        if mystery is not None and craving is not None and craving.round <= mystery.round:
            return None
        problem = f"{_words(state, face)} could not be eaten without Combo Craving."
        return _refuse(headings.COMBO_SLICES, problem, "It counts as collected.", (face,))
    return _eat_refusal(state, player, face)


def could_be_eaten_unseen(state: State, player: Player, faces: Iterable[str]) -> frozenset[str]:
    """Those of these slices that this player's Mystery slice, eaten unseen, may be."""
    counting = changed(state, phase=Phase.COUNT, taker=None)
    return frozenset(face for face in faces if _mystery_refusal(counting, player, face) is None)


def _next_to_count(state: State) -> Player:
    return next(player for player in _all_players(state) if state.holdings[player - 1].unseen_eaten)


def _legal_counts(state: State) -> Iterator[RevealEaten]:
    player = _next_to_count(state)
    known = state.holdings[player - 1].unseen_faces
    yield from (RevealEaten(player, face) for face in known or in_order(state, state.unseen))


def _count_refusal(state: State, move: RevealEaten) -> Refusal | None:
    if move.player != _next_to_count(state):
        problem = f"Player {move.player} has no slice to turn up now."
        return _refuse(
            headings.MYSTERY_SLICE, problem, f"Player {_next_to_count(state)} turns up the slice eaten unseen."
        )
    known = state.holdings[move.player - 1].unseen_faces
    if move.face in (known or state.unseen):
        return None
    problem = f"{_words(state, move.face)} is not the slice that was eaten unseen."
    return _refuse(headings.MYSTERY_SLICE, problem, "Turn up the slice that was taken as Mystery slice.", (move.face,))


def _play_count(state: State, move: RevealEaten) -> State:
    """A slice that turns out not to have been eatable counts as collected: it cannot have been eaten."""
    holding = state.holdings[move.player - 1]
    if _mystery_refusal(state, move.player, move.face) is None:
        holding = changed(holding, eaten=(*holding.eaten, move.face))
    else:
        holding = changed(holding, collected=(*holding.collected, move.face))
    known = tuple(face for face in holding.unseen_faces if face != move.face)
    holding = changed(holding, unseen_eaten=holding.unseen_eaten - 1, unseen_faces=known)
    holdings = _with(state.holdings, move.player, holding)
    phase = Phase.COUNT if any(one.unseen_eaten for one in holdings) else Phase.OVER
    return changed(state, phase=phase, holdings=holdings, unseen=state.unseen - {move.face})


# Seconds --------------------------------------------------------------------------------------------------------------


def seconds_choices(state: State, player: Player) -> dict[str, tuple[str, ...]]:
    """Collected slices that Seconds allows to eat, by type.

    The text asks for pepperoni on the type, not on each slice: where any slice of the type has some, all may be eaten,
    also those without (option `seconds_needs_pepperoni`). A Supreme slice is one of the type it is attached
    to; Combo slices have no pepperoni and are not slices of one type.
    """
    holding = state.holdings[player - 1]
    choices: dict[str, tuple[str, ...]] = {}
    for face in holding.collected:
        kind = _type_for_seconds(state, holding, face)
        if kind is not None:
            choices[kind] = (*choices.get(kind, ()), face)
    return choices


def _type_for_seconds(state: State, holding: Holding, face: str) -> str | None:
    """The type as which this collected slice may be eaten; None where it may not."""
    kind = _type_of(state, holding, face)
    pieces = state.options.components
    if kind is None:
        return None
    if state.options.seconds_needs_pepperoni:
        return kind if pieces.by_face[face].pepperoni > 0 else None
    return kind if int(kind) in pieces.types_with["pepperoni"] else None


def _legal_seconds(state: State) -> Iterator[EatSeconds]:
    owner = _owner(state, SECONDS)
    assert owner is not None
    yield EatSeconds(owner, frozenset())
    for faces in seconds_choices(state, owner).values():
        yield from (EatSeconds(owner, eaten) for eaten in cut_and_choose.subsets(faces) if eaten)


def _seconds_refusal(state: State, move: EatSeconds) -> Refusal | None:
    owner = _owner(state, SECONDS)
    if move.player != owner:
        problem = f"Player {move.player} does not have Seconds."
        return _refuse(headings.SECONDS, problem, f"Only player {owner} may eat now.", (SECONDS,))
    holding = state.holdings[owner - 1]
    types = set()
    for face in sorted(move.eaten):
        if face not in holding.collected:
            problem = f"{_words(state, face)} is not among the collected slices."
            return _refuse(headings.SECONDS, problem, "Eat collected slices only.", (face,))
        kind = _type_for_seconds(state, holding, face)
        if kind is None:
            problem = f"{_words(state, face)} is of no type with pepperoni."
            return _refuse(headings.SECONDS, problem, "Lay it face up again.", (face,))
        types.add(kind)
    if len(types) > 1:
        problem = "These slices are not all of one type."
        return _refuse(headings.SECONDS, problem, "Eat slices of one type only.", tuple(sorted(move.eaten)))
    return None


def _play_seconds(state: State, move: EatSeconds) -> State:
    if not move.eaten:
        return _before_scoring(state)
    holdings = _used(state.holdings, move.player, SECONDS)
    holding = holdings[move.player - 1]
    eaten = tuple(face for face in holding.collected if face in move.eaten)
    collected = tuple(face for face in holding.collected if face not in move.eaten)
    after = changed(holding, collected=collected, eaten=holding.eaten + eaten)
    return _before_scoring(changed(state, holdings=_with(holdings, move.player, after)))


# Sneak-a-Slice --------------------------------------------------------------------------------------------------------


def may_sneak(state: State, player: Player) -> bool:
    """Whether this player, about to select a portion, may first shift a slice."""
    return (
        state.phase is Phase.CHOOSE
        and state.shifter is None
        and player != state.slicer
        and usable(state, player, SNEAK_A_SLICE)
    )


def _shifts(state: State) -> Iterator[tuple[str, int]]:
    """Each slice that lies at an end of an untaken portion, with the portion beside it.

    Around the gap of a removed portion the slices on either side are adjacent. A Special alone has no slice that could
    be adjacent to another, so it is beside nothing; it cannot gain one. A portion keeps at least one slice or the
    Special, as when dividing (option `sneak_may_empty`).
    """
    yield from cut_and_choose.shifts(state.portions, lambda portion: _may_lose_slice(state, portion), across_gaps=True)


def _may_lose_slice(state: State, portion: Portion) -> bool:
    return len(portion.slices) > 1 or portion.special or state.options.sneak_may_empty


def _sneak_refusal(state: State, move: Sneak) -> Refusal | None:
    if state.shifter is not None:
        return _must_take_now(state)
    if not _is_player(state, move.player):
        return _refuse(
            headings.SNEAK_A_SLICE, f"There is no player {move.player}.", "Only the owner may shift a slice."
        )
    reason = _why_not_usable(state, move.player, SNEAK_A_SLICE)
    if reason is None and move.player == state.slicer:
        reason = "The Slicer may not shift a slice."
    if reason is not None:
        return _refuse(headings.SNEAK_A_SLICE, reason, "Put the slice back where it was.", (move.face,))
    found = _out_of_turn(state, move.player)
    if found is not None:
        return _refuse(
            headings.SNEAK_A_SLICE, found.problem, "Shift a slice just before selecting a portion.", (move.face,)
        )
    if (move.face, move.to) in _shifts(state):
        return None
    return _shift_refusal(state, move)


def _shift_refusal(state: State, move: Sneak) -> Refusal:
    pieces = (move.face,)
    here = next((one for one in state.portions if move.face in one.slices and one.taken_by is None), None)
    if here is None:
        problem = f"{_words(state, move.face)} is in none of the portions left."
        return _refuse(headings.SNEAK_A_SLICE, problem, "Shift a slice of a portion nobody has taken.", pieces)
    if not 0 <= move.to < len(state.portions) or state.portions[move.to].taken_by is not None:
        return _refuse(
            headings.SNEAK_A_SLICE,
            "There is no such portion left.",
            "Shift it into a portion nobody has taken.",
            pieces,
        )
    if not _may_lose_slice(state, here):
        problem = "The portion would be left with neither a slice nor the Special."
        return _refuse(headings.SNEAK_A_SLICE, problem, "Shift a slice of a larger portion.", pieces)
    problem = f"{_words(state, move.face)} does not lie beside that portion."
    return _refuse(
        headings.SNEAK_A_SLICE, problem, "Shift a slice from the end of a portion to the portion beside it.", pieces
    )


def _play_sneak(state: State, move: Sneak) -> State:
    portions = cut_and_choose.shifted(state.portions, move.face, move.to, across_gaps=True)
    holdings = _used(state.holdings, move.player, SNEAK_A_SLICE)
    return changed(state, holdings=holdings, portions=portions, shifter=move.player)


def _must_take_now(state: State) -> Refusal:
    problem = f"Player {state.shifter} has shifted a slice and must now choose."
    return _refuse(headings.SNEAK_A_SLICE, problem, f"Player {state.shifter} takes a portion next.")


# Stuffed Crust* -------------------------------------------------------------------------------------------------------


def _stuffed_crust(state: State, player: Player) -> int:  # noqa: ARG001
    return 5


# Supersize Combos: see `type_counts`. Tiebreaker: see `scorer`. You Like Anchovies!: see `pepperoni_and_anchovies`.

# You Love Veggies* ----------------------------------------------------------------------------------------------------


def _you_love_veggies(state: State, player: Player) -> int:
    """3 points for each Veggie slice eaten, besides its pepperoni: that is counted on all face-down slices."""
    holding = state.holdings[player - 1]
    return 3 * sum(_type_of(state, holding, face) == "3" for face in holding.eaten)


_BLUE: dict[str, Callable[[State, Player], int]] = {
    BUFFET: _buffet,
    COMBO_CRAVING: _combo_craving,
    DAY_OLD_PIZZA: _day_old_pizza,
    EVERYONE_ELSE_DIET: _everyone_else_diet,
    STUFFED_CRUST: _stuffed_crust,
    YOU_LOVE_VEGGIES: _you_love_veggies,
}

# The parts that several rules use -------------------------------------------------------------------------------------


_RULES: dict[type, tuple[Phase, Callable[[State, Any], Refusal | None], Callable[[State, Any], State]]] = {
    ChooseStack: (Phase.STACK, _stack_refusal, _play_stack),
    Reveal: (Phase.REVEAL, _reveal_refusal, _play_reveal),
    Redraw: (Phase.REDRAW, _redraw_refusal, _play_redraw),
    Dibs: (Phase.DIVIDE, _dibs_refusal, _play_dibs),
    Divide: (Phase.DIVIDE, _divide_refusal, _play_divide),
    Sneak: (Phase.CHOOSE, _sneak_refusal, _play_sneak),
    Take: (Phase.CHOOSE, _take_refusal, _play_take),
    Mystery: (Phase.MYSTERY, _mystery_slice_refusal, _play_mystery),
    Decide: (Phase.DECIDE, _decide_refusal, _play_decide),
    EatSeconds: (Phase.SECONDS, _seconds_refusal, _play_seconds),
    RevealEaten: (Phase.COUNT, _count_refusal, _play_count),
}

_UNTIMELY: dict[type, tuple[str, str]] = {
    ChooseStack: (headings.START_ROUND, "A stack is chosen at the start of a round."),
    Reveal: (headings.START_ROUND, "A pizza is turned up only after the Slicer has chosen a stack."),
    Redraw: (headings.SPECIALS, "Another Special is drawn only in place of one that may not be used now."),
    Dibs: (headings.DIBS, "Dibs! is called before the Slicer slices."),
    Divide: (headings.DIVIDE, "The pizza is divided once, when it has been turned up."),
    Sneak: (headings.SNEAK_A_SLICE, "A slice is shifted only just before selecting a portion."),
    Take: (
        headings.CHOOSE,
        "A portion is chosen only after the pizza has been divided and the player before has decided.",
    ),
    Mystery: (headings.MYSTERY_SLICE, "An extra slice is taken only by who has just received Mystery Slice."),
    Decide: (headings.CHOOSE, "Slices are eaten or collected only by who has just taken a portion."),
    EatSeconds: (headings.SECONDS, "Seconds is used just before scoring, after the last round."),
    RevealEaten: (headings.PEPPERONI_SCORING, "Slices eaten unseen are turned up only when they are counted."),
}


def _untimely(state: State, kind: type) -> Refusal:
    heading, problem = _UNTIMELY[kind]
    return _refuse(heading, problem, f"Now: {turn(state).prompt}.")


def _players_turn(players: tuple[Player, ...], prompt: str) -> Turn:
    return Turn(Actor.PLAYERS, players, prompt)


def _chance(prompt: str) -> Turn:
    return Turn(Actor.CHANCE, (), prompt)


def _all_players(state: State) -> range:
    return range(1, state.players + 1)


def _is_player(state: State, player: Player) -> bool:
    return 1 <= player <= state.players


def _with(holdings: tuple[Holding, ...], player: Player, holding: Holding) -> tuple[Holding, ...]:
    return (*holdings[: player - 1], holding, *holdings[player:])


def _is_combo(state: State, face: str) -> bool:
    return len(state.options.components.by_face[face].values) == 2


def _type_of(state: State, holding: Holding, face: str) -> str | None:
    """The one pizza type of a slice, such as "3"; None for Combo, Anchovy, and a Supreme slice attached to neither."""
    if face == SUPREME:
        return holding.supreme_as if holding.supreme_as != ANCHOVY else None
    values = state.options.components.by_face[face].values
    return str(values[0]) if len(values) == 1 else None


def _at_fault(heading: str, fault: Fault) -> Refusal:
    return _refuse(heading, fault.problem, fault.remedy, fault.pieces)


def _refuse(heading: str, problem: str, remedy: str, pieces: tuple[str, ...] = ()) -> Refusal:
    return Refusal(heading, problem[:1].upper() + problem[1:], remedy, pieces)


def _words(state: State, face: str) -> str:
    return state.options.components.words(face)


def _list_words(state: State, faces: tuple[str, ...]) -> str:
    return joined([state.options.components.words(face) for face in faces])


def _shown(state: State) -> tuple[str, ...]:
    return () if state.special is None else (state.special,)
