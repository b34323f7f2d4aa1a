"""The rules that New York Slice and Pizzeria share, in the order of a round.

What both texts say is here; a game's `rules.py` says the rest under the text's own headings, and hands them to what is
here in a `Text`. The names are those of New York Slice: a special offer of Pizzeria is a Special too, who holds the
knife is the slicer, a pile is a stack, and saved slices are collected.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any, TypeVar

from controller.game import Json, OptionError, Player, Refusal, Score, ScoreLine, Turn
from controller.games import cut_and_choose
from controller.games.changing import changed
from controller.games.cut_and_choose import SLICES_IN_A_PIZZA, Fault, Portion, Ring, left_of, words_for_halves
from controller.games.cut_and_choose_components import PLAYER_COUNTS, Pieces
from controller.games.rulebook import players_turn, refuse
from controller.games.wording import joined

# Moves and states -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Redraw:
    """Chance: another Special replaces the one that may not be used now."""

    special: str


@dataclass(frozen=True, slots=True)
class Shift:
    """A player shifts a slice at the end of a portion into the one beside it, and then takes a portion."""

    player: int
    face: str
    to: int
    """Index of the portion that gains the slice."""


@dataclass(frozen=True, slots=True)
class Take:
    """A player takes a portion. Who is not next uses a Special by it."""

    player: int
    portion: int


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
    """Face up."""
    eaten: tuple[str, ...] = ()
    """Face down, but everybody saw them being eaten."""
    specials: tuple[OwnedSpecial, ...] = ()


@dataclass(frozen=True, slots=True)
class Options:
    """The copy's own components; a game adds its switches."""

    components: Pieces[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundState:
    """A whole game at one moment, as far as both games have it."""

    players: int
    options: Options
    phase: Enum
    round: int
    """1 upwards."""
    slicer: int
    stacks: tuple[int, ...]
    """The stacks not yet served."""
    unseen: frozenset[str]
    """Slices in the game whose face nobody has seen."""
    unseen_specials: frozenset[str]
    holdings: tuple[Holding, ...]
    """Player 1's first."""
    ring: Ring = ()
    """The pizza clockwise, whole or as it was when divided, from its first slice in the order of the components list;
    empty before it is turned up."""
    special: str | None = None
    """The Special of this round."""
    portions: tuple[Portion, ...] = ()
    order: tuple[int, ...] = ()
    """The players still to choose, next first; in a two-player game everybody twice."""
    taker: int | None = None
    """The player who has taken a portion and not yet decided."""
    taken: tuple[str, ...] = ()
    """The slices that the taker must decide about."""
    shifter: int | None = None
    """The player who has just shifted a slice and must now take a portion."""
    set_aside: tuple[str, ...] = ()
    """Specials that were replaced by another, oldest first."""
    first: int = 1
    """The first slicer."""

    @property
    def rounds(self) -> int:
        """The number of rounds in this game: one for each stack."""
        return self.options.components.stacks[self.players]


State = TypeVar("State", bound=RoundState)
Held = TypeVar("Held", bound=Holding)
Owned = TypeVar("Owned", bound=OwnedSpecial)
Chosen = TypeVar("Chosen", bound=Options)


@dataclass(frozen=True, slots=True)
class Text:
    """What a rule text calls things, and its headings for what is refused here."""

    stack: str
    """Such as "pile"."""
    special: str
    """Such as "special offer"."""
    slice_into: str
    """How the pizza is divided: a sentence with {} for the number of portions."""
    setup: str
    """Heading of the pieces in the game."""
    served: str
    """Heading of choosing a stack and turning it up."""
    slicing: str
    """Heading of dividing."""
    choosing: str
    """Heading of choosing a portion."""


@dataclass(frozen=True, slots=True)
class Use:
    """A Special that its owner uses unasked: what is said where it may not be."""

    special: str
    heading: str
    only: str
    """Who may use it, as a sentence."""
    undo: str
    """How it is taken back, as a sentence."""


@dataclass(frozen=True, slots=True)
class Shifting:
    """How a text speaks of shifting a slice."""

    use: Use
    verb: str
    """Such as "move"."""
    where: str
    """Where a slice that may be shifted lies, such as "beside"."""
    how: str
    """Where to it is shifted, after the verb and "a slice"."""


# Setup ----------------------------------------------------------------------------------------------------------------


def check_players(players: int, first: Player) -> None:
    """Check that so many can play, and that one of them begins. Raises OptionError."""
    if type(players) is not int or players not in PLAYER_COUNTS:
        raise OptionError(f"players: {players!r} is none of 2 to 6")
    if type(first) is not int or first not in range(1, players + 1):
        raise OptionError(f"first: {first!r} is none of the players 1 to {players}")


def read_options(
    kind: Callable[..., Chosen],
    components: Pieces[Any, Any],
    options: Mapping[str, Json],
    with_own: Callable[[Any, object], Pieces[Any, Any]],
) -> Chosen:
    """The options of a game, `components` with the copy's own facts among them. Raises OptionError for an unknown one
    or a wrong value."""
    switches = [field.name for field in fields(kind) if field.type is bool]  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for name, value in options.items():
        if name == "components":
            components = with_own(components, value)
        elif name not in switches:
            raise OptionError(f"option {name}: unknown; expected components, {', '.join(switches)}")
        elif not isinstance(value, bool):
            raise OptionError(f"option {name}: {value!r} is neither true nor false")
        else:
            values[name] = value
    return kind(components, **values)


# A pizza is served ----------------------------------------------------------------------------------------------------


def stack_refusal(state: RoundState, stack: int, text: Text) -> Refusal | None:
    """Why this stack may not be chosen."""
    if stack in state.stacks:
        return None
    left = joined([str(one) for one in state.stacks])
    problem = f"{text.stack} {stack} is not on the table."
    return refuse(text.served, problem, f"Choose one of the {text.stack}s left: {left}.")


def play_stack(state: State, stack: int, phase: Enum) -> State:
    """The stack is served."""
    return changed(state, phase=phase, stacks=tuple([one for one in state.stacks if one != stack]))


def ring_refusal(state: RoundState, ring: Ring, text: Text) -> Refusal | None:
    """Why these are not the slices of a stack of this game."""
    if len(ring) == SLICES_IN_A_PIZZA == len(state.unseen.intersection(ring)):
        return None
    pieces = state.options.components
    fault = cut_and_choose.faces_fault(ring, pieces.by_face, pieces.words)
    if fault is not None:
        return at_fault(text.served, fault)
    removed = tuple(face for face in ring if face in pieces.removed[state.players])
    if removed:
        problem = f"Not used with {state.players} players: {in_words(state, *removed)}."
        return refuse(text.setup, problem, "Put it back in the box and shuffle the right slices.", removed)
    fault = cut_and_choose.stack_fault(ring, state.unseen, pieces.words, text.stack)
    return None if fault is None else at_fault(text.served, fault)


def play_reveal(state: State, ring: Ring, special: str | None, phase: Enum) -> State:
    """The pizza and its Special lie face up."""
    return changed(
        state,
        phase=phase,
        special=special,
        unseen_specials=state.unseen_specials - {special},
        ring=numbered_ring(state, ring),
        unseen=state.unseen.difference(ring),
    )


def play_redraw(state: State, special: str, phase: Enum) -> State:
    """The Special gives way to this one."""
    assert state.special is not None
    return changed(
        state,
        phase=phase,
        special=special,
        unseen_specials=state.unseen_specials - {special},
        set_aside=(*state.set_aside, state.special),
    )


def numbered_ring(state: RoundState, ring: Ring) -> Ring:
    """A circle of slices has no first one; ours is the first in the components list, so that equal pizzas are equal."""
    return cut_and_choose.start_ring_at(ring, min(ring, key=state.options.components.place.__getitem__))


# Dividing -------------------------------------------------------------------------------------------------------------


def slicing_turn(state: RoundState, does: str, caller: Player | None, what: str) -> Turn:
    """The slicer `does` the pizza; before that the caller may do what is asked."""
    portions = cut_and_choose.portions_for(state.players)
    prompt = f"Player {state.slicer} {does} the pizza into {portions} portions"
    if caller is None:
        return players_turn((state.slicer,), prompt)
    if caller == state.slicer:
        return players_turn((caller,), f"{prompt}, and may first {what}")
    return players_turn((state.slicer, caller), f"{prompt}, and first asks player {caller} whether to {what}")


def number_refusal(state: RoundState, portions: tuple[Ring, ...], text: Text) -> Refusal | None:
    """Why so many portions are wrong."""
    wanted = cut_and_choose.portions_for(state.players)
    if len(portions) == wanted:
        return None
    amount = "Too many" if len(portions) > wanted else "Too few"
    problem = f"{amount} portions: {len(portions)} instead of {wanted}."
    return refuse(text.slicing, problem, text.slice_into.format(wanted))


def division_refusal(
    state: RoundState, portions: tuple[Ring, ...], special_in: int | None, needed: str, text: Text
) -> Refusal | None:
    """Why these portions are no division of the pizza; `needed` is what each has at least."""
    words = state.options.components.words
    fault = cut_and_choose.division_fault(state.ring, portions, special_in, words, needed)
    return None if fault is None else at_fault(text.slicing, fault)


def play_divide(state: State, portions: tuple[Ring, ...], special_in: int | None, phase: Enum) -> State:
    """The portions lie apart, numbered from the one with the ring's first slice, a Special alone last."""
    numbered, special_in = cut_and_choose.numbered_portions(state.ring, portions, special_in)
    lying = tuple([Portion(slices, index == special_in) for index, slices in enumerate(numbered)])
    order = cut_and_choose.choosing_order(state.slicer, state.players)
    return changed(state, phase=phase, portions=lying, order=order)


# Taking a slice before that -------------------------------------------------------------------------------------------


def slice_refusal(state: RoundState, face: str, use: Use) -> Refusal | None:
    """Why this slice may not be taken from the pizza."""
    if face in state.ring:
        return None
    problem = f"{in_words(state, face)} is not in this pizza."
    return refuse(use.heading, problem, "Take a slice from the pizza on the table.", (face,))


def ring_without(state: RoundState, face: str) -> Ring:
    """The pizza closes up: ten slices are divided."""
    return numbered_ring(state, tuple([one for one in state.ring if one != face]))


# Choosing -------------------------------------------------------------------------------------------------------------


def open_portions(portions: Sequence[Portion]) -> list[int]:
    """The portions that nobody has taken."""
    return [index for index, portion in enumerate(portions) if portion.taken_by is None]


def portion_refusal(state: RoundState, portion: int, text: Text) -> Refusal | None:
    """Why this portion may not be taken."""
    if not 0 <= portion < len(state.portions):
        remedy = f"Choose one of the {len(state.portions)} portions."
        return refuse(text.choosing, "There is no such portion.", remedy)
    wanted = state.portions[portion]
    if wanted.taken_by is not None:
        problem = f"Player {wanted.taken_by} has already taken this portion."
        return refuse(text.choosing, problem, "Choose one that is left.", wanted.slices)
    return None


def play_take(state: State, move: Take, early: str, gained: OwnedSpecial | None, phase: Enum) -> State:
    """The portion is the player's, with the Special that is gained; who is not next has used `early`."""
    holdings = state.holdings
    if move.player != state.order[0]:
        holdings = with_used(holdings, move.player, early)
    if gained is not None:
        holding = holdings[move.player - 1]
        holdings = with_holding(holdings, move.player, changed(holding, specials=(*holding.specials, gained)))
    turn_of = state.order.index(move.player)
    portion = state.portions[move.portion]
    taken = Portion(portion.slices, portion.special, move.player)
    return changed(
        state,
        phase=phase,
        holdings=holdings,
        portions=(*state.portions[: move.portion], taken, *state.portions[move.portion + 1 :]),
        order=state.order[:turn_of] + state.order[turn_of + 1 :],
        taker=move.player,
        taken=portion.slices,
        shifter=None,
    )


def undecided_refusal(state: RoundState, player: Player, text: Text) -> Refusal | None:
    """Why this player has no decision to make."""
    if player == state.taker:
        return None
    problem = f"Player {player} has nothing to decide now."
    return refuse(text.choosing, problem, f"Player {state.taker} decides first.")


def next_round(state: State, phase: Enum, before_scoring: Callable[[State], State]) -> State:
    """The slicer's left neighbour slices next; after the last stack the game is scored."""
    if not state.stacks:
        return before_scoring(changed(state, ring=(), special=None, portions=()))
    return changed(
        state,
        phase=phase,
        round=state.round + 1,
        slicer=left_of(state.slicer, state.players),
        ring=(),
        special=None,
        portions=(),
    )


# Shifting a slice before choosing -------------------------------------------------------------------------------------


def shift_refusal(
    state: RoundState,
    move: Shift,
    shifting: Shifting,
    shifts: Iterable[tuple[str, int]],
    may_lose: Callable[[Portion], bool],
    text: Text,
) -> Refusal | None:
    """Why this is none of the shifts there are."""
    if (move.face, move.to) in shifts:
        return None
    heading, verb, pieces = shifting.use.heading, shifting.verb.capitalize(), (move.face,)
    here = next((one for one in state.portions if move.face in one.slices and one.taken_by is None), None)
    if here is None:
        problem = f"{in_words(state, move.face)} is in none of the portions left."
        return refuse(heading, problem, f"{verb} a slice of a portion nobody has taken.", pieces)
    if not 0 <= move.to < len(state.portions) or state.portions[move.to].taken_by is not None:
        return refuse(heading, "There is no such portion left.", f"{verb} it into a portion nobody has taken.", pieces)
    if not may_lose(here):
        problem = f"The portion would be left with neither a slice nor the {text.special}."
        return refuse(heading, problem, f"{verb} a slice of a larger portion.", pieces)
    problem = f"{in_words(state, move.face)} does not lie {shifting.where} that portion."
    return refuse(heading, problem, f"{verb} a slice {shifting.how}.", pieces)


def play_shift(state: State, move: Shift, special: str, across_gaps: bool) -> State:
    """The slice lies in the other portion."""
    portions = cut_and_choose.shifted(state.portions, move.face, move.to, across_gaps)
    holdings = with_used(state.holdings, move.player, special)
    return changed(state, holdings=holdings, portions=portions, shifter=move.player)


def must_take_now(state: RoundState, shifting: Shifting, done: str) -> Refusal:
    """Nobody else acts before who has shifted a slice has taken a portion."""
    problem = f"Player {state.shifter} has {done} a slice and must now choose."
    return refuse(shifting.use.heading, problem, f"Player {state.shifter} takes a portion next.")


# Specials -------------------------------------------------------------------------------------------------------------


def owned(state: RoundState, player: Player, special: str) -> OwnedSpecial | None:
    """The Special in front of this player, used or not."""
    return find_special(state.holdings[player - 1].specials, special)


def find_special(specials: Iterable[Owned], name: str) -> Owned | None:
    """The one of this name."""
    for one in specials:
        if one.name == name:
            return one
    return None


def owner_of(state: RoundState, special: str) -> Player | None:
    """Who has the Special, used or not."""
    return next((player for player in all_players(state) if owned(state, player, special) is not None), None)


def with_used(holdings: tuple[Held, ...], player: Player, special: str) -> tuple[Held, ...]:
    """The holdings once this player has used a Special."""
    holding = holdings[player - 1]
    return with_holding(holdings, player, changed(holding, specials=used_among(holding.specials, special)))


def used_among(specials: Iterable[Owned], special: str) -> tuple[Owned, ...]:
    """The Specials of a player who has used one of them."""
    return tuple([changed(one, used=True) if one.name == special else one for one in specials])


def why_not_usable(state: RoundState, player: Player, special: str, is_usable: bool, when: str) -> str | None:
    """Why this player may not use the Special; `when` says in which round it works."""
    if is_usable:
        return None
    one = owned(state, player, special)
    if one is None:
        return f"Player {player} does not have {in_words(state, special)}."
    if one.used:
        return f"{in_words(state, special)} has been used; it works once."
    return f"{in_words(state, special)} works only {when}."


def use_refusal(
    state: State, player: Player, use: Use, why_not: Callable[[State, Player, str], str | None], face: str
) -> Refusal | None:
    """Why this player may not use that Special on this slice."""
    if not is_player(state, player):
        return refuse(use.heading, f"There is no player {player}.", use.only, (face,))
    reason = why_not(state, player, use.special)
    return None if reason is None else refuse(use.heading, reason, use.undo, (face, use.special))


# Scoring --------------------------------------------------------------------------------------------------------------


def type_line(
    label: str, value: int, counts: Mapping[Player, int], player: Player, scorers: Sequence[Player], winning: str
) -> ScoreLine:
    """The line of one type for a player; `winning` is the Special that may decide a tie."""
    first = cut_and_choose.most(counts)
    wins = player in scorers
    standing = ""
    if player in first:
        standing = ", tied" if len(first) > 1 else ", the most"
        if wins and len(scorers) < len(first):
            standing += f", won by {winning}"
    return ScoreLine(label, value if wins else 0, words_for_halves(counts[player]) + standing)


def special_line(state: RoundState, label: str, points: Mapping[str, int]) -> ScoreLine:
    """The line of what each Special brings."""
    detail = ", ".join(f"{in_words(state, face)} {brought:+d}" for face, brought in points.items())
    return ScoreLine(label, sum(points.values()), detail)


def sheets(
    state: RoundState, lines: Callable[[Player], Iterator[ScoreLine]], tie_break: Callable[[Player], tuple[int, ...]]
) -> tuple[Score, ...]:
    """The sheet of every player, of the lines of each."""
    found = []
    for player in all_players(state):
        mine = tuple(lines(player))
        found.append(Score(player, mine, sum(line.points for line in mine), tie_break(player)))
    return tuple(found)


def winners(found: Sequence[Score]) -> tuple[Player, ...]:
    """Most points, then the tie-break, then the victory is shared."""
    best = max((sheet.total, sheet.tie_break) for sheet in found)
    return tuple(sheet.player for sheet in found if (sheet.total, sheet.tie_break) == best)


# The parts that several rules use -------------------------------------------------------------------------------------


def all_players(state: RoundState) -> range:
    """Every player once."""
    return range(1, state.players + 1)


def is_player(state: RoundState, player: Player) -> bool:
    """Whether there is this player."""
    return 1 <= player <= state.players


def with_holding(holdings: tuple[Held, ...], player: Player, holding: Held) -> tuple[Held, ...]:
    """The holdings with another one of this player."""
    return (*holdings[: player - 1], holding, *holdings[player:])


def at_fault(heading: str, fault: Fault) -> Refusal:
    """The refusal for a fault."""
    return refuse(heading, fault.problem, fault.remedy, fault.pieces)


def in_order(state: RoundState, faces: Iterable[str]) -> list[str]:
    """Slices in the order of the components list."""
    return state.options.components.in_order(faces)


def in_words(state: RoundState, *faces: str) -> str:
    """What players call these pieces."""
    return joined([state.options.components.words(face) for face in faces])
