"""The rules of New York Slice, in the order of the rule text; each rule stands under its heading's name.

Faces are ids: slices `3/1` .. `11/11` (value/number), `combo-8-10` and the like, `anchovy`, `supreme`; Specials
`special/...`. Players are numbered clockwise, 1 upwards. Slices are counted in halves.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from random import Random

from controller.game import Actor, GameError, Json, Option, Player, Refusal, Score, ScoreLine, Turn
from controller.games import cut_and_choose
from controller.games import cut_and_choose_rules as family
from controller.games.changing import changed
from controller.games.cut_and_choose import SLICES_IN_A_PIZZA as SLICES_IN_A_PIZZA
from controller.games.cut_and_choose import Portion as Portion
from controller.games.cut_and_choose_rules import OwnedSpecial as OwnedSpecial
from controller.games.cut_and_choose_rules import Redraw as Redraw
from controller.games.cut_and_choose_rules import Take as Take
from controller.games.cut_and_choose_rules import all_players, in_words, is_player, owner_of, with_holding, with_used
from controller.games.cut_and_choose_rules import in_order as in_order
from controller.games.cut_and_choose_rules import owned as owned
from controller.games.new_york_slice import headings
from controller.games.new_york_slice.components import ANCHOVY, SUPREME, VALUES, Components, with_own_facts
from controller.games.rulebook import Rule, Rulebook, chance, players_turn, refuse
from controller.games.wording import joined

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
class Sneak(family.Shift):
    """The owner of Sneak-a-Slice shifts an end slice into an adjacent portion and then takes a portion."""


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
class Holding(family.Holding):
    """What lies in front of a player, in the order in which it came there."""

    supreme_as: str | None = None
    """The type the Supreme slice was attached to ("3" .. "11" or "anchovy"); stays when it is eaten later."""
    unseen_eaten: int = 0
    """Slices eaten face down without having been shown, not in `eaten`."""
    unseen_faces: tuple[str, ...] = ()
    """Those of them that are known all the same, to their owner and the engine only."""


@dataclass(frozen=True, slots=True)
class Options(family.Options):
    """What tables play differently where the text leaves two readings, and the copy's own components."""

    components: Components
    """With what this copy shows."""
    sneak_may_empty: bool = False
    """Whether Sneak-a-Slice may leave a portion with neither slice nor Special."""
    mystery_needs_pepperoni: bool = True
    """Whether the Mystery slice may be eaten only where any other slice could be."""
    seconds_needs_pepperoni: bool = False
    """Whether each slice eaten with Seconds must itself have pepperoni, not just its type."""
    supreme_on_anchovy: bool = True
    """Whether the Supreme slice may be (and, next to nothing else, must be) attached to the Anchovy slice."""
    supreme_loved_as_veggie: bool = True
    """Whether an eaten Supreme slice that is attached to Veggie is one to You Love Veggies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State(family.RoundState):
    """A whole game of New York Slice at one moment."""

    options: Options
    phase: Phase
    holdings: tuple[Holding, ...]
    """Player 1's first."""
    took_special: bool = False
    """Whether the Special was part of the portion just taken; it already lies in front of the taker."""
    mystery_drawn: bool = False
    """Whether the taker holds the Mystery slice, which is none of those taken."""
    mystery: str | None = None
    """Its face if known."""


_TEXT = family.Text(
    stack="stack",
    special="Special",
    slice_into="Divide the pizza and the Special into {} portions; the Special may be one by itself.",
    setup=headings.SETUP,
    served=headings.START_ROUND,
    slicing=headings.DIVIDE,
    choosing=headings.CHOOSE,
)
_CALL = family.Use(
    special=DIBS,
    heading=headings.DIBS,
    only="Only the owner of Dibs! may call.",
    undo="Lay the slice back into the pizza.",
)
_SHIFTING = family.Shifting(
    use=family.Use(
        special=SNEAK_A_SLICE,
        heading=headings.SNEAK_A_SLICE,
        only="Only the owner may shift a slice.",
        undo="Put the slice back where it was.",
    ),
    verb="shift",
    where="beside",
    how="from the end of a portion to the portion beside it",
)

# What the game waits for ----------------------------------------------------------------------------------------------


def turn(state: State) -> Turn:
    """Who acts next, and what they do."""
    match state.phase:
        case Phase.STACK:
            return players_turn((state.slicer,), f"Player {state.slicer} slices: choose a stack")
        case Phase.REVEAL:
            return chance(f"Player {state.slicer} turns up the Special, then the eleven slices in a circle")
        case Phase.REDRAW:
            assert state.special is not None
            shown = in_words(state, state.special)
            return chance(f"{shown} may not be used now: draw another Special")
        case Phase.DIVIDE:
            return _divide_turn(state)
        case Phase.CHOOSE:
            return _choose_turn(state)
        case Phase.MYSTERY:
            return chance(f"Player {state.taker} takes one of the three face-down slices")
        case Phase.DECIDE:
            assert state.taker is not None
            return players_turn((state.taker,), f"Player {state.taker} decides what to eat and what to collect")
        case Phase.SECONDS:
            owner = owner_of(state, SECONDS)
            assert owner is not None
            return players_turn((owner,), f"Player {owner} has Seconds: eat slices of one type, or none")
        case Phase.COUNT:
            return chance(f"Player {_next_to_count(state)} turns up the slice eaten unseen")
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
            yield from legal_dibs(state)
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


# Setup ----------------------------------------------------------------------------------------------------------------


_SWITCH = (False, True)
OPTIONS = (
    Option("components", {}, "pepperoni and anchovies that this copy shows, by face: {'3/1': {'pepperoni': 2}}"),
    Option("sneak_may_empty", False, "whether Sneak-a-Slice may leave a portion with nothing in it", _SWITCH),
    Option("mystery_needs_pepperoni", True, "whether the Mystery slice is eaten only as any other could be", _SWITCH),
    Option("seconds_needs_pepperoni", False, "whether each slice eaten with Seconds needs pepperoni itself", _SWITCH),
    Option("supreme_on_anchovy", True, "whether the Supreme slice may be attached to the Anchovy slice", _SWITCH),
    Option(
        "supreme_loved_as_veggie",
        True,
        "whether You Love Veggies gives 3 for an eaten Supreme slice attached to Veggie",
        _SWITCH,
    ),
)


def start(components: Components, players: int, options: Mapping[str, Json], first: Player = 1) -> State:
    """The state before the first round. Raises OptionError, or ComponentError for impossible own pieces.

    Options: `components` (pepperoni and anchovies by face that this copy shows), and the switches of `Options`.
    """
    family.check_players(players, first)
    chosen = parse_options(components, options)
    return State(
        players=players,
        options=chosen,
        phase=Phase.STACK,
        round=1,
        slicer=first,
        stacks=tuple(range(1, chosen.components.stacks[players] + 1)),
        unseen=chosen.components.in_game(players),
        unseen_specials=frozenset(chosen.components.specials_by_face),
        holdings=(Holding(),) * players,
        first=first,
    )


def parse_options(components: Components, options: Mapping[str, Json]) -> Options:
    """The options of a game. Raises OptionError for an unknown one or a wrong value."""
    return family.read_options(Options, components, options, with_own_facts)


# Start each round -----------------------------------------------------------------------------------------------------


def _stack_refusal(state: State, move: ChooseStack) -> Refusal | None:
    return family.stack_refusal(state, move.stack, _TEXT)


def _play_stack(state: State, move: ChooseStack) -> State:
    return family.play_stack(state, move.stack, Phase.REVEAL)


def _reveal_refusal(state: State, move: Reveal) -> Refusal | None:
    return _special_refusal(state, move.special) or family.ring_refusal(state, move.ring, _TEXT)


def _special_refusal(state: State, special: str) -> Refusal | None:
    if special in state.unseen_specials:
        return None
    if special not in state.options.components.specials_by_face:
        return refuse(
            headings.START_ROUND, f"{special!r} is no Special.", "Turn up the Special of this stack.", (special,)
        )
    return refuse(
        headings.SHUFFLE_SPECIALS,
        f"{in_words(state, special)} has already been in this game.",
        "Turn up a Special that nobody has seen yet.",
        (special,),
    )


def _play_reveal(state: State, move: Reveal) -> State:
    return family.play_reveal(state, move.ring, move.special, _phase_with(state, move.special))


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
    return family.play_redraw(state, move.special, _phase_with(state, move.special))


# Divide the pizza (and Special) into portions -------------------------------------------------------------------------


def _divide_turn(state: State) -> Turn:
    return family.slicing_turn(state, "divides", dibs_caller(state), "call dibs")


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
    found = family.number_refusal(state, move.portions, _TEXT)
    if found is not None:
        return found
    if not 0 <= move.special_in < len(move.portions):
        remedy, shown = "Add it to one, or let it be one.", () if state.special is None else (state.special,)
        return refuse(headings.DIVIDE, "The Special is in no portion.", remedy, shown)
    return family.division_refusal(state, move.portions, move.special_in, "one slice or the Special", _TEXT)


def _play_divide(state: State, move: Divide) -> State:
    return family.play_divide(state, move.portions, move.special_in, Phase.CHOOSE)


# Choose a portion -----------------------------------------------------------------------------------------------------


def _choose_turn(state: State) -> Turn:
    if state.shifter is not None:
        return players_turn((state.shifter,), f"Player {state.shifter} has shifted a slice and now takes a portion")
    following = state.order[0]
    cutters = [player for player in state.order if may_cut_in_line(state, player)]
    prompt = f"Player {following} chooses a portion"
    if cutters:
        prompt += f"; before that player {cutters[0]} may cut in line"
    return players_turn((following, *cutters), prompt)


def _legal_choices(state: State) -> Iterator[Move]:
    for player in _choose_turn(state).players:
        yield from (Take(player, index) for index in family.open_portions(state.portions))
        if may_sneak(state, player):
            yield from (Sneak(player, face, to) for face, to in _shifts(state))


def _take_refusal(state: State, move: Take) -> Refusal | None:
    if state.shifter is not None and move.player != state.shifter:
        return family.must_take_now(state, _SHIFTING, "shifted")
    return _out_of_turn(state, move.player) or family.portion_refusal(state, move.portion, _TEXT)


def _out_of_turn(state: State, player: Player) -> Refusal | None:
    """Next player chooses: clockwise around the table, the Slicer last."""
    following = state.order[0]
    if player == following or may_cut_in_line(state, player):
        return None
    heading, problem = headings.NEXT_PLAYER, f"It is not player {player}'s turn to choose."
    if not is_player(state, player):
        problem = f"There is no player {player}."
    elif owned(state, player, CUT_IN_LINE) is not None:
        heading = headings.CUT_IN_LINE
        problem += f" {_why_no_cut(state, player)}"
    return refuse(heading, problem, f"Player {following} chooses next; put the portion back.")


def _play_take(state: State, move: Take) -> State:
    if not state.portions[move.portion].special:
        return family.play_take(state, move, CUT_IN_LINE, None, Phase.DECIDE)
    assert state.special is not None
    phase = Phase.MYSTERY if state.special == MYSTERY_SLICE else Phase.DECIDE
    gained = OwnedSpecial(state.special, state.round)
    return changed(family.play_take(state, move, CUT_IN_LINE, gained, phase), took_special=True)


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
        problem = f"{in_words(state, face)} cannot be eaten without Combo Craving."
        return refuse(headings.COMBO_SLICES, problem, "Lay it face up with the collected slices.", (face,))
    if face == ANCHOVY:
        problem = "The Anchovy slice cannot be eaten."
        return refuse(headings.ANCHOVY_SLICE, problem, "Lay it face up with the collected slices.", (face,))
    # You Love Veggies lets Veggies be eaten that are collected when it comes: those taken with it are among them, as
    # they could be collected first. It says nothing of later rounds (Combo Craving does), so later Veggies need
    # pepperoni like any slice.
    if facts.values == (3,) and state.taker == player and state.took_special and state.special == YOU_LOVE_VEGGIES:
        return None
    problem = f"{in_words(state, face)} has no pepperoni and may not be eaten."
    return refuse(headings.CHOOSE, problem, "Lay it face up with the collected slices.", (face,))


def _decide_refusal(state: State, move: Decide) -> Refusal | None:
    found = family.undecided_refusal(state, move.player, _TEXT)
    if found is not None:
        return found
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
        return refuse(headings.MYSTERY_SLICE, "The Mystery slice is eaten unseen.", "Do not show it.", (face,))
    if face not in state.holdings[player - 1].collected:
        problem = f"{in_words(state, face)} is not among the slices just taken."
        return refuse(headings.CHOOSE, problem, "Eat only slices of the portion just taken.", (face,))
    problem = f"{in_words(state, face)} was collected before and may not be eaten any more."
    return refuse(headings.CHOOSE, problem, "Lay it face up with the collected slices again.", (face,))


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
        holdings=with_holding(state.holdings, move.player, after),
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
    return family.next_round(state, Phase.STACK, _before_scoring)


# Game end & scoring ---------------------------------------------------------------------------------------------------


def _before_scoring(state: State) -> State:
    """Seconds happens before any scoring; slices eaten unseen are turned up to be counted. Where the owner of Seconds
    could eat nothing, nothing is asked."""
    owner = owner_of(state, SECONDS)
    if state.phase is not Phase.SECONDS and owner is not None and seconds_choices(state, owner):
        return changed(state, phase=Phase.SECONDS)
    uncounted = any(holding.unseen_eaten for holding in state.holdings)
    return changed(state, phase=Phase.COUNT if uncounted else Phase.OVER)


def score(state: State) -> tuple[Score, ...]:
    """The guest checks as if the game ended now: a line for each type, the Special* line, Pepperoni - Anchovy."""
    counts = type_counts(state)

    def lines(player: Player) -> Iterator[ScoreLine]:
        yield from (_type_line(state, counts, player, value) for value in VALUES)
        yield family.special_line(state, "Special*", special_points(state, player))
        yield _pepperoni_line(state, player)

    return family.sheets(state, lines, lambda player: (number_eaten(state, player),))


# Pizza type scoring ---------------------------------------------------------------------------------------------------


def type_counts(state: State) -> dict[int, dict[Player, int]]:
    """Half slices of each type that each player has collected."""
    counts = {value: dict.fromkeys(all_players(state), 0) for value in VALUES}
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
    scores = scorer(state, counts[value])
    scorers = () if scores is None else (scores,)
    return family.type_line(label, value, counts[value], player, scorers, "Tiebreaker")


# Special* scoring -----------------------------------------------------------------------------------------------------


def special_points(state: State, player: Player) -> dict[str, int]:
    """What each blue Special brings or costs this player, by face; the Diet costs everyone but its owner."""
    points = {}
    for special in state.holdings[player - 1].specials:
        scored = _BLUE.get(special.name)
        if scored is not None:
            points[special.name] = scored(state, player)
    owner = owner_of(state, EVERYONE_ELSE_DIET)
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
    return family.winners(score(state)) if state.phase is Phase.OVER else ()


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
        return refuse(headings.SUPREME_SLICE, problem, "Leave it where it is.", (SUPREME,))
    if possible == (None,):
        problem = "There is nothing to attach to a Supreme slice."
        return refuse(
            headings.SUPREME_SLICE, problem, "Attach it when it lies collected beside another slice.", (SUPREME,)
        )
    types = joined([str(one) for one in possible])
    problem = "The Supreme slice must be placed next to a slice its owner has collected."
    if attach is not None:
        problem = f"There is no collected {attach} to place the Supreme slice next to."
    return refuse(headings.SUPREME_SLICE, problem, f"Place it next to one of these types: {types}.", (SUPREME,))


# Today's Specials -----------------------------------------------------------------------------------------------------


def usable(state: State, player: Player, special: str) -> bool:
    """Whether this player has the Special from an earlier round and has not used it."""
    one = owned(state, player, special)
    return one is not None and not one.used and one.round < state.round


def _why_not_usable(state: State, player: Player, special: str) -> str | None:
    when = "in a round after the one it was taken in"
    return family.why_not_usable(state, player, special, usable(state, player, special), when)


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
        and is_player(state, player)
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
    owner = owner_of(state, DIBS)
    return owner if state.phase is Phase.DIVIDE and owner is not None and usable(state, owner, DIBS) else None


def legal_dibs(state: State) -> Iterator[Dibs]:
    """Every way to call Dibs! now."""
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
    found = family.use_refusal(state, move.player, _CALL, _why_not_usable, move.face)
    found = found or family.slice_refusal(state, move.face, _CALL)
    if found is not None:
        return found
    holding = state.holdings[move.player - 1]
    if move.eat:
        found = _eat_refusal(state, move.player, move.face)
        return found or _attach_refusal(state, holding.supreme_as, (), move.attach)
    return _attach_refusal(state, holding.supreme_as, (*holding.collected, move.face), move.attach)


def _play_dibs(state: State, move: Dibs) -> State:
    holdings = with_used(state.holdings, move.player, DIBS)
    holding = holdings[move.player - 1]
    if move.eat:
        holding = changed(holding, eaten=(*holding.eaten, move.face))
    else:
        supreme_as = holding.supreme_as or move.attach
        holding = changed(holding, collected=(*holding.collected, move.face), supreme_as=supreme_as)
    holdings = with_holding(holdings, move.player, holding)
    return changed(state, holdings=holdings, ring=family.ring_without(state, move.face))


# The "Everyone-Else" Diet* --------------------------------------------------------------------------------------------


def _everyone_else_diet(state: State, player: Player) -> int:  # noqa: ARG001
    """Costs its owner nothing; what it costs the others is in `special_points`."""
    return 0


# Mystery Slice --------------------------------------------------------------------------------------------------------


def _mystery_slice_refusal(state: State, move: Mystery) -> Refusal | None:
    if move.face is None or move.face in state.unseen:
        return None
    problem = f"{in_words(state, move.face)} cannot be one of the three extra slices."
    return refuse(headings.MYSTERY_SLICE, problem, "Take one of the three face-down slices.", (move.face,))


def _play_mystery(state: State, move: Mystery) -> State:
    assert state.taker is not None
    return changed(
        state,
        phase=Phase.DECIDE,
        holdings=with_used(state.holdings, state.taker, MYSTERY_SLICE),
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
        return refuse(headings.MYSTERY_SLICE, "No Mystery slice has been taken.", "Eat only slices just taken.")
    if state.mystery is None:
        if move.mystery_eaten:
            return None
        return refuse(headings.MYSTERY_SLICE, "A collected Mystery slice lies face up.", "Show it, or eat it unseen.")
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
        problem = f"{in_words(state, face)} could not be eaten without Combo Craving."
        return refuse(headings.COMBO_SLICES, problem, "It counts as collected.", (face,))
    return _eat_refusal(state, player, face)


def could_be_eaten_unseen(state: State, player: Player, faces: Iterable[str]) -> frozenset[str]:
    """Those of these slices that this player's Mystery slice, eaten unseen, may be."""
    counting = changed(state, phase=Phase.COUNT, taker=None)
    return frozenset(face for face in faces if _mystery_refusal(counting, player, face) is None)


def _next_to_count(state: State) -> Player:
    return next(player for player in all_players(state) if state.holdings[player - 1].unseen_eaten)


def _legal_counts(state: State) -> Iterator[RevealEaten]:
    player = _next_to_count(state)
    known = state.holdings[player - 1].unseen_faces
    yield from (RevealEaten(player, face) for face in known or in_order(state, state.unseen))


def _count_refusal(state: State, move: RevealEaten) -> Refusal | None:
    if move.player != _next_to_count(state):
        problem = f"Player {move.player} has no slice to turn up now."
        return refuse(
            headings.MYSTERY_SLICE, problem, f"Player {_next_to_count(state)} turns up the slice eaten unseen."
        )
    known = state.holdings[move.player - 1].unseen_faces
    if move.face in (known or state.unseen):
        return None
    problem = f"{in_words(state, move.face)} is not the slice that was eaten unseen."
    return refuse(headings.MYSTERY_SLICE, problem, "Turn up the slice that was taken as Mystery slice.", (move.face,))


def _play_count(state: State, move: RevealEaten) -> State:
    """A slice that turns out not to have been eatable counts as collected: it cannot have been eaten."""
    holding = state.holdings[move.player - 1]
    if _mystery_refusal(state, move.player, move.face) is None:
        holding = changed(holding, eaten=(*holding.eaten, move.face))
    else:
        holding = changed(holding, collected=(*holding.collected, move.face))
    known = tuple(face for face in holding.unseen_faces if face != move.face)
    holding = changed(holding, unseen_eaten=holding.unseen_eaten - 1, unseen_faces=known)
    holdings = with_holding(state.holdings, move.player, holding)
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
    owner = owner_of(state, SECONDS)
    assert owner is not None
    yield EatSeconds(owner, frozenset())
    for faces in seconds_choices(state, owner).values():
        yield from (EatSeconds(owner, eaten) for eaten in cut_and_choose.subsets(faces) if eaten)


def _seconds_refusal(state: State, move: EatSeconds) -> Refusal | None:
    owner = owner_of(state, SECONDS)
    if move.player != owner:
        problem = f"Player {move.player} does not have Seconds."
        return refuse(headings.SECONDS, problem, f"Only player {owner} may eat now.", (SECONDS,))
    holding = state.holdings[owner - 1]
    types = set()
    for face in sorted(move.eaten):
        if face not in holding.collected:
            problem = f"{in_words(state, face)} is not among the collected slices."
            return refuse(headings.SECONDS, problem, "Eat collected slices only.", (face,))
        kind = _type_for_seconds(state, holding, face)
        if kind is None:
            problem = f"{in_words(state, face)} is of no type with pepperoni."
            return refuse(headings.SECONDS, problem, "Lay it face up again.", (face,))
        types.add(kind)
    if len(types) > 1:
        problem = "These slices are not all of one type."
        return refuse(headings.SECONDS, problem, "Eat slices of one type only.", tuple(sorted(move.eaten)))
    return None


def _play_seconds(state: State, move: EatSeconds) -> State:
    if not move.eaten:
        return _before_scoring(state)
    holdings = with_used(state.holdings, move.player, SECONDS)
    holding = holdings[move.player - 1]
    eaten = tuple(face for face in holding.collected if face in move.eaten)
    collected = tuple(face for face in holding.collected if face not in move.eaten)
    after = changed(holding, collected=collected, eaten=holding.eaten + eaten)
    return _before_scoring(changed(state, holdings=with_holding(holdings, move.player, after)))


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
    yield from cut_and_choose.shifts(state.portions, partial(_may_lose_slice, state), across_gaps=True)


def _may_lose_slice(state: State, portion: Portion) -> bool:
    return len(portion.slices) > 1 or portion.special or state.options.sneak_may_empty


def _sneak_refusal(state: State, move: Sneak) -> Refusal | None:
    if state.shifter is not None:
        return family.must_take_now(state, _SHIFTING, "shifted")
    found = family.use_refusal(state, move.player, _SHIFTING.use, _why_not_usable, move.face)
    if found is not None:
        return found
    if move.player == state.slicer:
        problem = "The Slicer may not shift a slice."
        return refuse(headings.SNEAK_A_SLICE, problem, _SHIFTING.use.undo, (move.face,))
    found = _out_of_turn(state, move.player)
    if found is not None:
        remedy = "Shift a slice just before selecting a portion."
        return refuse(headings.SNEAK_A_SLICE, found.problem, remedy, (move.face,))
    may_lose = partial(_may_lose_slice, state)
    return family.shift_refusal(state, move, _SHIFTING, _shifts(state), may_lose, _TEXT)


def _play_sneak(state: State, move: Sneak) -> State:
    return family.play_shift(state, move, SNEAK_A_SLICE, across_gaps=True)


# Stuffed Crust* -------------------------------------------------------------------------------------------------------


def _stuffed_crust(state: State, player: Player) -> int:  # noqa: ARG001
    return 5


# Supersize Combos: see `type_counts`. Tiebreaker: see `scorer`. You Like Anchovies!: see `pepperoni_and_anchovies`.

# You Love Veggies* ----------------------------------------------------------------------------------------------------


def _you_love_veggies(state: State, player: Player) -> int:
    """3 points for each Veggie slice eaten, besides its pepperoni: that is counted on all face-down slices. A Supreme
    slice attached to Veggie is one "from that point on"; that it is always worth 2 when eaten (FACTS.md) is read of its
    pepperoni, and by option `supreme_loved_as_veggie` of all that it is worth."""
    holding = state.holdings[player - 1]
    loved = [face for face in holding.eaten if face != SUPREME or state.options.supreme_loved_as_veggie]
    return 3 * sum(_type_of(state, holding, face) == "3" for face in loved)


_BLUE: dict[str, Callable[[State, Player], int]] = {
    BUFFET: _buffet,
    COMBO_CRAVING: _combo_craving,
    DAY_OLD_PIZZA: _day_old_pizza,
    EVERYONE_ELSE_DIET: _everyone_else_diet,
    STUFFED_CRUST: _stuffed_crust,
    YOU_LOVE_VEGGIES: _you_love_veggies,
}

# The parts that several rules use -------------------------------------------------------------------------------------


_RULES = {
    ChooseStack: Rule(
        Phase.STACK, _stack_refusal, _play_stack, headings.START_ROUND, "A stack is chosen at the start of a round."
    ),
    Reveal: Rule(
        Phase.REVEAL,
        _reveal_refusal,
        _play_reveal,
        headings.START_ROUND,
        "A pizza is turned up only after the Slicer has chosen a stack.",
    ),
    Redraw: Rule(
        Phase.REDRAW,
        _redraw_refusal,
        _play_redraw,
        headings.SPECIALS,
        "Another Special is drawn only in place of one that may not be used now.",
    ),
    Dibs: Rule(Phase.DIVIDE, _dibs_refusal, _play_dibs, headings.DIBS, "Dibs! is called before the Slicer slices."),
    Divide: Rule(
        Phase.DIVIDE,
        _divide_refusal,
        _play_divide,
        headings.DIVIDE,
        "The pizza is divided once, when it has been turned up.",
    ),
    Sneak: Rule(
        Phase.CHOOSE,
        _sneak_refusal,
        _play_sneak,
        headings.SNEAK_A_SLICE,
        "A slice is shifted only just before selecting a portion.",
    ),
    Take: Rule(
        Phase.CHOOSE,
        _take_refusal,
        _play_take,
        headings.CHOOSE,
        "A portion is chosen only after the pizza has been divided and the player before has decided.",
    ),
    Mystery: Rule(
        Phase.MYSTERY,
        _mystery_slice_refusal,
        _play_mystery,
        headings.MYSTERY_SLICE,
        "An extra slice is taken only by who has just received Mystery Slice.",
    ),
    Decide: Rule(
        Phase.DECIDE,
        _decide_refusal,
        _play_decide,
        headings.CHOOSE,
        "Slices are eaten or collected only by who has just taken a portion.",
    ),
    EatSeconds: Rule(
        Phase.SECONDS,
        _seconds_refusal,
        _play_seconds,
        headings.SECONDS,
        "Seconds is used just before scoring, after the last round.",
    ),
    RevealEaten: Rule(
        Phase.COUNT,
        _count_refusal,
        _play_count,
        headings.PEPPERONI_SCORING,
        "Slices eaten unseen are turned up only when they are counted.",
    ),
}
_RULEBOOK: Rulebook[State, Move] = Rulebook(_RULES, turn, headings.ROUNDS)
refusal = _RULEBOOK.refusal
apply = _RULEBOOK.apply


def _is_combo(state: State, face: str) -> bool:
    return len(state.options.components.by_face[face].values) == 2


def _type_of(state: State, holding: Holding, face: str) -> str | None:
    """The one pizza type of a slice, such as "3"; None for Combo, Anchovy, and a Supreme slice attached to neither."""
    if face == SUPREME:
        return holding.supreme_as if holding.supreme_as != ANCHOVY else None
    values = state.options.components.by_face[face].values
    return str(values[0]) if len(values) == 1 else None
