"""The rules of Pizzeria, in the order of the rule text; each rule stands under its heading's name.

Faces are ids: slices `2/1` .. `11/11` (value/number), `mixed-8-10` and the like; special offers `offer/a` .. `offer/l`.
Players are numbered clockwise, 1 upwards. Slices are counted in halves. What is the same thing as in New York Slice
has the same name here, so that the two can be read side by side: a special offer is a `special`, who holds the knife
is the `slicer`. The solo variant is in `solo.py`.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from itertools import chain, combinations
from random import Random

from controller.game import Actor, GameError, Json, Option, OptionError, Player, Refusal, Score, ScoreLine, Turn
from controller.games import cut_and_choose
from controller.games import cut_and_choose_rules as family
from controller.games.changing import changed
from controller.games.cut_and_choose import SLICES_IN_A_PIZZA, Portion, words_for_halves
from controller.games.cut_and_choose_rules import Redraw as Redraw
from controller.games.cut_and_choose_rules import Take as Take
from controller.games.cut_and_choose_rules import all_players, in_words, is_player, owner_of, with_holding, with_used
from controller.games.cut_and_choose_rules import in_order as in_order
from controller.games.pizzeria import headings
from controller.games.pizzeria.components import TOMATO, VALUES, Components, with_own_facts
from controller.games.rulebook import Rule, Rulebook, chance, players_turn, refuse
from controller.games.wording import joined

HOUSE: Player = 2
"""Who is nobody in the solo variant; see `solo.py`."""
OFFER_A = "offer/a"
OFFER_B = "offer/b"
OFFER_C = "offer/c"
OFFER_D = "offer/d"
OFFER_E = "offer/e"
OFFER_F = "offer/f"
OFFER_G = "offer/g"
OFFER_H = "offer/h"
OFFER_I = "offer/i"
OFFER_J = "offer/j"
OFFER_K = "offer/k"
OFFER_L = "offer/l"


class Phase(Enum):
    """What the game waits for."""

    PILE = "pile"
    """The Slicer chooses a pile."""
    REVEAL = "reveal"
    """Chance: the special offer and the eleven slices are turned up."""
    REDRAW = "redraw"
    """Chance: the special offer that is shown may not be used now; another is drawn."""
    DIVIDE = "divide"
    """The Slicer slices; before that the owner of offer D may take a slice."""
    CHOOSE = "choose"
    """A player takes a portion; offers E and F are used here, and A by who has decided already."""
    DRAW = "draw"
    """Chance: the taker of offer B takes one of the three slices put aside."""
    DECIDE = "decide"
    """The taker eats or saves what was taken."""
    EAT_KIND = "eat-kind"
    """Before scoring the owner of offer J may eat all slices of one kind."""
    OVER = "over"


@dataclass(frozen=True, slots=True)
class ChoosePile:
    """The Slicer chooses a pile of 11 slices."""

    pile: int
    """1 upwards; any pile not yet served. They look alike."""


@dataclass(frozen=True, slots=True)
class Reveal:
    """Chance: the slices of the chosen pile, and its special offer, lie face up."""

    ring: tuple[str, ...]
    """The eleven faces clockwise as seen from above, starting anywhere."""
    special: str | None = None
    """In the advanced variant."""


@dataclass(frozen=True, slots=True)
class TakeSlice:
    """The owner of offer D takes a slice from the pizza before it is sliced."""

    player: int
    face: str
    eat: bool


@dataclass(frozen=True, slots=True)
class Divide:
    """The Slicer slices the pizza and places the special offer."""

    player: int
    portions: tuple[tuple[str, ...], ...]
    """Clockwise, the slices of each clockwise. A special offer alone is an empty tuple, at any place.

    Which portion comes first does not matter: the state numbers them from the one with the ring's first slice, a
    special offer alone last (see `canonical_divide`).
    """
    special_in: int | None = None
    """Index of the portion with the special offer; None in the basic variant."""


@dataclass(frozen=True, slots=True)
class MoveSlice(family.Shift):
    """The owner of offer E moves a slice across a cut into the adjacent portion and then takes a portion."""


@dataclass(frozen=True, slots=True)
class TakeWithoutB(Take):
    """A player takes the portion with offer B and goes without the slice that it may bring."""


@dataclass(frozen=True, slots=True)
class DrawSlice:
    """Chance: the taker of offer B takes one of the three slices put aside. It is one more of the slices taken."""

    face: str


@dataclass(frozen=True, slots=True)
class Decide:
    """The taker eats some slices and saves the others. Follows every Take, also one without slices."""

    player: int
    eaten: frozenset[str]
    """Of the slices just taken, and saved ones that offer A allows to eat."""
    kind: int | None = None
    """The kind of pizza that offer C is put on now."""


@dataclass(frozen=True, slots=True)
class EatSaved:
    """The owner of offer A, who has decided already in this round, eats saved slices before it ends."""

    player: int
    eaten: frozenset[str]


@dataclass(frozen=True, slots=True)
class EatKind:
    """The owner of offer J eats all saved slices of one kind; None declines."""

    player: int
    kind: int | None


Move = (
    ChoosePile
    | Reveal
    | Redraw
    | TakeSlice
    | Divide
    | MoveSlice
    | Take
    | TakeWithoutB
    | DrawSlice
    | Decide
    | EatSaved
    | EatKind
)


@dataclass(frozen=True, slots=True)
class OwnedSpecial(family.OwnedSpecial):
    """A special offer in front of a player."""

    kind: int | None = None
    """What offer C was put on. It stays there, face up, until the end of the game."""


@dataclass(frozen=True, slots=True)
class Holding(family.Holding):
    """What lies in front of a player, in the order in which it came there."""

    specials: tuple[OwnedSpecial, ...] = ()


@dataclass(frozen=True, slots=True)
class Options(family.Options):
    """The variant, what tables play differently where the text leaves two readings, and the copy's own components."""

    components: Components
    """With what this copy shows."""
    advanced: bool = False
    """Whether the advanced variant is played, with special offers."""
    solo: bool = False
    """Whether player `HOUSE` is the House, which plays by rules of this project's own, against player 1."""
    sort_out_offers: bool = False
    """Whether offers not used with two players go back to the box before shuffling, not when they come up."""
    offer_c_counts_mixed: bool = False
    """Whether a mixed slice is one of the slices of its kinds for offer C, not half of one."""
    offer_e_across_gaps: bool = False
    """Whether portions on either side of one that was taken are adjacent for offer E."""
    offer_e_may_empty: bool = False
    """Whether offer E may leave a portion with neither slice nor special offer."""
    offer_f_for_slicer: bool = True
    """Whether the player with the knife may use offer F to choose first."""
    offer_i_wins_the_game: bool = False
    """Whether offer I also wins a tie for the most points in the game."""
    offer_j_eats_some: bool = False
    """Whether offer J eats the slices of a kind that have basil where others of the kind have none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State(family.RoundState):
    """A whole game of Pizzeria at one moment."""

    options: Options
    phase: Phase
    holdings: tuple[Holding, ...]
    """Player 1's first."""


_TEXT = family.Text(
    stack="pile",
    special="special offer",
    slice_into="Slice the pizza into {} portions.",
    setup=headings.SETUP,
    served=headings.SERVED,
    slicing=headings.SERVED,
    choosing=headings.BON_APPETIT,
)
_SAVED_EATEN = family.Use(
    special=OFFER_A,
    heading=headings.OFFER_A,
    only="Only the owner of offer A may eat saved slices.",
    undo="Lay it face up with the saved slices again.",
)
_CALL = family.Use(
    special=OFFER_D,
    heading=headings.OFFER_D,
    only="Only the owner of offer D may take a slice.",
    undo="Lay the slice back into the pizza.",
)
_SHIFTING = family.Shifting(
    use=family.Use(
        special=OFFER_E,
        heading=headings.OFFER_E,
        only="Only the owner of offer E may move a slice.",
        undo="Put the slice back where it was.",
    ),
    verb="move",
    where="at a cut beside",
    how="across one cut into the portion beside it",
)


# What the game waits for ----------------------------------------------------------------------------------------------


def turn(state: State) -> Turn:
    """Who acts next, and what they do."""
    match state.phase:
        case Phase.PILE:
            return players_turn((state.slicer,), f"Player {state.slicer} has the knife: choose a pile")
        case Phase.REVEAL:
            offer = "reads the special offer aloud, then turns" if state.options.advanced else "turns"
            return chance(f"Player {state.slicer} {offer} up the eleven slices in a circle")
        case Phase.REDRAW:
            assert state.special is not None
            return chance(f"{in_words(state, state.special)} may not be used now: take another from the box")
        case Phase.DIVIDE:
            return _divide_turn(state)
        case Phase.CHOOSE:
            return _with_offer_a(state, _choose_turn(state))
        case Phase.DRAW:
            return chance(f"Player {state.taker} takes one of the three slices put aside")
        case Phase.DECIDE:
            assert state.taker is not None
            return players_turn((state.taker,), f"Player {state.taker} decides what to eat and what to save")
        case Phase.EAT_KIND:
            owner = owner_of(state, OFFER_J)
            assert owner is not None
            return players_turn((owner,), f"Player {owner} has offer J: eat all saved slices of one kind, or none")
        case Phase.OVER:
            return Turn(Actor.NOBODY, (), "The game is over")


def legal(state: State) -> Iterator[Move]:
    """Every legal move once, lazily; nothing for the pizza that is turned up (see `draw`).

    Divisions are listed in the order of their numbering only, see `canonical_divide`.
    """
    match state.phase:
        case Phase.PILE:
            yield from (ChoosePile(pile) for pile in state.stacks)
        case Phase.REDRAW:
            yield from (Redraw(special) for special in sorted(state.unseen_specials))
        case Phase.DIVIDE:
            yield from legal_slices_taken(state)
            yield from _legal_divisions(state)
        case Phase.CHOOSE:
            yield from _legal_choices(state)
            yield from _legal_saved_eaten(state)
        case Phase.DRAW:
            yield from (DrawSlice(face) for face in in_order(state, state.unseen))
        case Phase.DECIDE:
            yield from _legal_decisions(state)
        case Phase.EAT_KIND:
            yield from _legal_kinds_eaten(state)
        case Phase.REVEAL | Phase.OVER:
            return


def draw(state: State, random: Random) -> Move:
    """A chance outcome. Raises GameError where chance does not act."""
    match state.phase:
        case Phase.REVEAL:
            ring = tuple(random.sample(in_order(state, state.unseen), SLICES_IN_A_PIZZA))
            special = random.choice(sorted(state.unseen_specials)) if state.options.advanced else None
            return Reveal(ring, special)
        case Phase.REDRAW:
            return Redraw(random.choice(sorted(state.unseen_specials)))
        case Phase.DRAW:
            return DrawSlice(random.choice(in_order(state, state.unseen)))
        case _:
            raise GameError(f"nothing is drawn while the game waits for {state.phase.value}")


# Game setup -----------------------------------------------------------------------------------------------------------


_SWITCH = (False, True)
OPTIONS = (
    Option("components", {}, "basil leaves that this copy shows, by face: {'3/1': {'basil': 2}}"),
    Option("advanced", False, "whether the advanced variant is played, with special offers", _SWITCH),
    Option("solo", False, "with 2 players: whether player 2 is the House, by rules of this project's own", _SWITCH),
    Option("sort_out_offers", False, "whether offers not used by two players leave the game before it begins", _SWITCH),
    Option("offer_c_counts_mixed", False, "whether offer C also brings 1 point for a mixed slice of its kind", _SWITCH),
    Option("offer_e_across_gaps", False, "whether offer E moves a slice across a gap that a portion left", _SWITCH),
    Option("offer_e_may_empty", False, "whether offer E may leave a portion with nothing in it", _SWITCH),
    Option("offer_f_for_slicer", True, "whether the player with the knife may choose first with offer F", _SWITCH),
    Option("offer_i_wins_the_game", False, "whether offer I also wins a tie for the most points", _SWITCH),
    Option("offer_j_eats_some", False, "whether offer J works on a kind of which not all slices have basil", _SWITCH),
)


def start(components: Components, players: int, options: Mapping[str, Json], first: Player = 1) -> State:
    """The state before the first round. Raises OptionError, or ComponentError for impossible own pieces.

    Options: `components` (basil leaves by face that this copy shows), and the switches of `Options`. Who recently ate
    pizza, or is the oldest, is `first`.
    """
    family.check_players(players, first)
    chosen = parse_options(components, options)
    if chosen.solo and players != 2:
        raise OptionError(f"option solo: True with {players} players; expected 2: player 1, and the House as player 2")
    return State(
        players=players,
        options=chosen,
        phase=Phase.PILE,
        round=1,
        slicer=first,
        stacks=tuple(range(1, chosen.components.stacks[players] + 1)),
        unseen=chosen.components.in_game(players),
        unseen_specials=specials_in_game(chosen, players),
        holdings=(Holding(),) * players,
        first=first,
    )


def parse_options(components: Components, options: Mapping[str, Json]) -> Options:
    """The options of a game. Raises OptionError for an unknown one or a wrong value."""
    return family.read_options(Options, components, options, with_own_facts)


# Pizza is served! -----------------------------------------------------------------------------------------------------


def _pile_refusal(state: State, move: ChoosePile) -> Refusal | None:
    return family.stack_refusal(state, move.pile, _TEXT)


def _play_pile(state: State, move: ChoosePile) -> State:
    return family.play_stack(state, move.pile, Phase.REVEAL)


def _reveal_refusal(state: State, move: Reveal) -> Refusal | None:
    special_refusal = _special_refusal if state.options.advanced else _no_special_refusal
    return special_refusal(state, move.special) or family.ring_refusal(state, move.ring, _TEXT)


def _play_reveal(state: State, move: Reveal) -> State:
    return family.play_reveal(state, move.ring, move.special, _phase_with(state, move.special))


def _divide_turn(state: State) -> Turn:
    return family.slicing_turn(state, "slices", slice_taker(state), "use offer D")


def canonical_divide(state: State, move: Divide) -> Divide:
    """The same division as the state numbers its portions: from the one with the ring's first slice, clockwise, a
    special offer alone last."""
    return Divide(move.player, *cut_and_choose.numbered_portions(state.ring, move.portions, move.special_in))


def _legal_divisions(state: State) -> Iterator[Divide]:
    portions = cut_and_choose.portions_for(state.players)
    if state.special is None:
        yield from (Divide(state.slicer, one) for one in cut_and_choose.divisions(state.ring, portions))
    else:
        found = cut_and_choose.divisions_with_special(state.ring, portions)
        yield from (Divide(state.slicer, division, special_in) for division, special_in in found)


def _divide_refusal(state: State, move: Divide) -> Refusal | None:
    if move.player != state.slicer:
        problem = f"Player {move.player} does not hold the pizza knife."
        return refuse(headings.SERVED, problem, f"Player {state.slicer} slices the pizza in this round.")
    found = family.number_refusal(state, move.portions, _TEXT) or _special_place_refusal(state, move)
    if found is not None:
        return found
    # A portion may have any number of slices, but one: the text makes a portion without slices of the special offer
    # alone, as something that only the advanced variant has.
    needed = "one slice" if state.special is None else "one slice or the special offer"
    return family.division_refusal(state, move.portions, move.special_in, needed, _TEXT)


def _play_divide(state: State, move: Divide) -> State:
    return family.play_divide(state, move.portions, move.special_in, Phase.CHOOSE)


# Bon appétit! ---------------------------------------------------------------------------------------------------------


def choosers(state: State) -> tuple[Player, ...]:
    """Who may take a portion now."""
    return _choose_turn(state).players


def _choose_turn(state: State) -> Turn:
    if state.shifter is not None:
        return players_turn((state.shifter,), f"Player {state.shifter} has moved a slice and now takes a portion")
    following = state.order[0]
    prompt = f"Player {following} chooses a portion"
    early = early_chooser(state)
    if early is None:
        return players_turn((following,), prompt)
    return players_turn((following, early), f"{prompt}; before that player {early} may choose with offer F")


def _legal_choices(state: State) -> Iterator[Move]:
    for player in choosers(state):
        for index in family.open_portions(state.portions):
            yield Take(player, index)
            if _brings_b(state, index):
                yield TakeWithoutB(player, index)
        if may_move_slice(state, player):
            yield from (MoveSlice(player, face, to) for face, to in _shifts(state))


def _take_refusal(state: State, move: Take) -> Refusal | None:
    return _out_of_turn(state, move.player) or family.portion_refusal(state, move.portion, _TEXT)


def _out_of_turn(state: State, player: Player) -> Refusal | None:
    """The next player on the left chooses, the player with the knife last."""
    if state.shifter is not None:
        return None if player == state.shifter else family.must_take_now(state, _SHIFTING, "moved")
    following = state.order[0]
    if player == following or player == early_chooser(state):
        return None
    heading, problem = headings.BON_APPETIT, f"It is not player {player}'s turn to choose."
    if not is_player(state, player):
        problem = f"There is no player {player}."
    elif owned(state, player, OFFER_F) is not None:
        heading = headings.OFFER_F
        problem += f" {_why_not_early(state, player)}"
    return refuse(heading, problem, f"Player {following} chooses next; put the portion back.")


def _play_take(state: State, move: Take) -> State:
    if not state.portions[move.portion].special:
        return family.play_take(state, move, OFFER_F, None, Phase.DECIDE)
    assert state.special is not None
    draws = state.special == OFFER_B and not isinstance(move, TakeWithoutB)
    phase = Phase.DRAW if draws else Phase.DECIDE
    return family.play_take(state, move, OFFER_F, OwnedSpecial(state.special, state.round), phase)


# Saving slices for later, eating pizza slices -------------------------------------------------------------------------


def may_eat(state: State, face: str) -> bool:
    """Whether a slice may be eaten: it has 1, 2 or 3 basil leaves."""
    return state.options.components.by_face[face].basil > 0


def _eat_refusal(state: State, face: str) -> Refusal | None:
    if may_eat(state, face):
        return None
    values = state.options.components.by_face[face].values
    heading = headings.EATING
    if len(values) == 2:
        heading = headings.MIXED_SLICES
    elif values == (TOMATO,):
        heading = headings.TOMATO_PIZZA
    problem = f"{in_words(state, face)} has no basil leaf and may not be eaten."
    return refuse(heading, problem, "Lay it face up with the saved slices.", (face,))


def _decide_refusal(state: State, move: Decide) -> Refusal | None:
    found = family.undecided_refusal(state, move.player, _TEXT)
    if found is not None:
        return found
    saved = state.holdings[move.player - 1].collected
    earlier = []
    for face in sorted(move.eaten):
        if face not in state.taken:
            if face not in saved:
                problem = f"{in_words(state, face)} is not among the slices just taken."
                return refuse(headings.EATING, problem, "Eat only slices of the portion just taken.", (face,))
            earlier.append(face)
        found = _eat_refusal(state, face)
        if found is not None:
            return found
    return _eat_saved_refusal(state, move.player, tuple(earlier)) or _kind_refusal(state, move)


def _saved_after(state: State, move: Decide) -> tuple[str, ...]:
    saved = state.holdings[move.player - 1].collected
    return tuple(face for face in saved + state.taken if face not in move.eaten)


def _play_decide(state: State, move: Decide) -> State:
    """A portion is decided about once: what is saved from a first portion of a two-player game stays saved."""
    holding = state.holdings[move.player - 1]
    specials = holding.specials
    if not move.eaten.isdisjoint(holding.collected):
        specials = family.used_among(specials, OFFER_A)
    if move.kind is not None:
        specials = tuple(changed(one, kind=move.kind) if one.name == OFFER_C else one for one in specials)
    after = Holding(
        collected=_saved_after(state, move),
        eaten=holding.eaten + tuple(face for face in holding.collected + state.taken if face in move.eaten),
        specials=specials,
    )
    holdings = with_holding(state.holdings, move.player, after)
    if not state.order:
        return _next_round(changed(state, holdings=holdings, taker=None, taken=()))
    return changed(state, phase=Phase.CHOOSE, holdings=holdings, taker=None, taken=())


def _legal_decisions(state: State) -> Iterator[Decide]:
    player = state.taker
    assert player is not None
    edible = [face for face in state.taken if may_eat(state, face)]
    earlier = saved_that_may_be_eaten(state, player)
    for extra in chain.from_iterable(combinations(earlier, number) for number in range(_MOST_EATEN_BY_A + 1)):
        for eaten in cut_and_choose.subsets(edible):
            move = Decide(player, eaten.union(extra))
            yield move
            yield from (changed(move, kind=kind) for kind in kinds_to_put_on(state, move))


def _next_round(state: State) -> State:
    """The pizza knife is passed to the left."""
    return family.next_round(state, Phase.PILE, _before_scoring)


# Mixed slices ---------------------------------------------------------------------------------------------------------


def type_counts(state: State) -> dict[int, dict[Player, int]]:
    """Half slices of each kind that each player has saved: a mixed slice is half a slice of both its kinds."""
    counts = {value: dict.fromkeys(all_players(state), 0) for value in VALUES}
    by_face = state.options.components.by_face
    for player, holding in enumerate(state.holdings, start=1):
        for face in holding.collected:
            values = by_face[face].values
            for value in values:
                counts[value][player] += 2 if len(values) == 1 else 1
    return counts


# Tomato pizza ---------------------------------------------------------------------------------------------------------


def tomato_points(halves: int) -> int:
    """2 points for each slice saved, whoever has more of them."""
    return TOMATO * (halves // 2)


# End of the game ------------------------------------------------------------------------------------------------------


def _before_scoring(state: State) -> State:
    """Offer J is used before any scoring. Where its owner could eat nothing, nothing is asked."""
    owner = owner_of(state, OFFER_J)
    asked = state.phase is not Phase.EAT_KIND and owner is not None and bool(kinds_to_eat(state, owner))
    return changed(state, phase=Phase.EAT_KIND if asked else Phase.OVER)


def score(state: State) -> tuple[Score, ...]:
    """The points as if the game ended now: a line for each kind, special offers in the advanced variant, basil."""
    counts = type_counts(state)

    def lines(player: Player) -> Iterator[ScoreLine]:
        yield from (_type_line(state, counts, player, value) for value in VALUES)
        if state.options.advanced:
            yield family.special_line(state, "Special offers", special_points(state, player))
        yield _basil_line(state, player)

    return family.sheets(state, lines, lambda player: _tie_break(state, player))


# Points for slices saved for later ------------------------------------------------------------------------------------


def leaders(counts: Mapping[Player, int]) -> tuple[Player, ...]:
    """Those with the most slices of a kind; nobody where nobody has any."""
    return cut_and_choose.most(counts)


def scorers(state: State, counts: Mapping[Player, int]) -> tuple[Player, ...]:
    """Who scores the kind: all that are tied for the most; where one of several owns offer I, only that player.

    A half slice wins where nobody has more: the counts are compared as they are.
    """
    first = leaders(counts)
    if len(first) > 1:
        return tuple(player for player in first if owned(state, player, OFFER_I) is not None) or first
    return first


def _type_line(state: State, counts: Mapping[int, Mapping[Player, int]], player: Player, value: int) -> ScoreLine:
    label = f"{value} {state.options.components.type_names[value]}"
    have = counts[value]
    if value == TOMATO:
        return ScoreLine(label, tomato_points(have[player]), words_for_halves(have[player]))
    return family.type_line(label, value, have, player, scorers(state, have), "offer I")


# Points for eaten slices ----------------------------------------------------------------------------------------------


def basil_leaves(state: State, player: Player) -> int:
    """Leaves on the slices this player has eaten; those on saved slices are worth nothing."""
    by_face = state.options.components.by_face
    return sum(by_face[face].basil for face in state.holdings[player - 1].eaten)


def _basil_line(state: State, player: Player) -> ScoreLine:
    return ScoreLine("Basil leaves", basil_leaves(state, player), f"on {number_eaten(state, player)} eaten slices")


def number_eaten(state: State, player: Player) -> int:
    """Slices (not leaves) this player has eaten."""
    return len(state.holdings[player - 1].eaten)


def _tie_break(state: State, player: Player) -> tuple[int, ...]:
    """The most eaten slices. Offer I speaks of "all ties" and of players who then get no points, so of the ties for a
    kind; with the option `offer_i_wins_the_game` it also comes before the eaten slices."""
    if state.options.offer_i_wins_the_game:
        return (int(owned(state, player, OFFER_I) is not None), number_eaten(state, player))
    return (number_eaten(state, player),)


def winners(state: State) -> tuple[Player, ...]:
    """Most points; then most eaten slices; then the victory is shared. Empty while the game goes on."""
    return family.winners(score(state)) if state.phase is Phase.OVER else ()


# Advanced variant: Game setup -----------------------------------------------------------------------------------------


def specials_in_game(options: Options, players: int) -> frozenset[str]:
    """The special offers that are shuffled: all, as the text says for any number of players.

    Those not used with two players are removed when they come up, as the others that come up in a wrong round; with
    the option `sort_out_offers` before the game.
    """
    if not options.advanced:
        return frozenset()
    sorted_out = options.sort_out_offers and players == 2
    return frozenset(facts.face for facts in options.components.specials if facts.two_players or not sorted_out)


# Advanced variant: Pizza is served! -----------------------------------------------------------------------------------


def _no_special_refusal(state: State, special: str | None) -> Refusal | None:  # noqa: ARG001
    if special is None:
        return None
    problem = "There are no special offers in the basic variant."
    return refuse(headings.SETUP, problem, "Put the special offers back in the box.", (special,))


def _special_refusal(state: State, special: str | None) -> Refusal | None:
    if special in state.unseen_specials:
        return None
    if special is None or special not in state.options.components.specials_by_face:
        remedy = "Turn up the special offer of this pile first."
        problem = "No special offer is shown." if special is None else f"{special!r} is no special offer."
        return refuse(headings.ADVANCED_SERVED, problem, remedy, () if special is None else (special,))
    if special not in specials_in_game(state.options, state.players):
        problem = f"{in_words(state, special)} is not used with {state.players} players."
        return refuse(headings.OFFERS, problem, "Put it back in the box.", (special,))
    problem = f"{in_words(state, special)} has already been in this game."
    return refuse(headings.ADVANCED_SETUP, problem, "Turn up a special offer that nobody has seen yet.", (special,))


def _special_place_refusal(state: State, move: Divide) -> Refusal | None:
    """The special offer lies with one portion, or is one by itself."""
    if state.special is None:
        if move.special_in is None:
            return None
        problem = "There is no special offer in this game."
        return refuse(headings.SETUP, problem, "Slice the pizza only.")
    if move.special_in is not None and 0 <= move.special_in < len(move.portions):
        return None
    remedy = "Place it on any portion, or let it be a portion of its own."
    return refuse(headings.ADVANCED_SERVED, "The special offer is in no portion.", remedy, (state.special,))


# Special offers -------------------------------------------------------------------------------------------------------


def owned(state: State, player: Player, special: str) -> OwnedSpecial | None:
    """The special offer in front of this player, used or not."""
    return family.find_special(state.holdings[player - 1].specials, special)


def usable(state: State, player: Player, special: str) -> bool:
    """Whether this player has the special offer, has not used it, and its symbol allows it now.

    With the lightning bolt that is the round in which it was received, with the clock any round, that one included: it
    matters with two players, who choose twice.
    """
    one = owned(state, player, special)
    if one is None or one.used:
        return False
    facts = state.options.components.specials_by_face[special]
    return facts.when != "this round" or one.round == state.round


def must_be_replaced(state: State, special: str) -> bool:
    """Whether a special offer that appears now is removed from the game for another one from the box: A in the first
    round; D, E and F in the last; D and F with two players. What is taken instead may have to be replaced in its turn.
    """
    facts = state.options.components.specials_by_face[special]
    if state.players == 2 and not facts.two_players:
        return True
    if facts.never_in == "first":
        return state.round == 1
    return facts.never_in == "last" and state.round == state.rounds


def _phase_with(state: State, special: str | None) -> Phase:
    return Phase.REDRAW if special is not None and must_be_replaced(state, special) else Phase.DIVIDE


def _redraw_refusal(state: State, move: Redraw) -> Refusal | None:
    return _special_refusal(state, move.special)


def _play_redraw(state: State, move: Redraw) -> State:
    return family.play_redraw(state, move.special, _phase_with(state, move.special))


def _why_not_usable(state: State, player: Player, special: str) -> str | None:
    when = "in the round in which it was taken"
    return family.why_not_usable(state, player, special, usable(state, player, special), when)


# A --------------------------------------------------------------------------------------------------------------------

_MOST_EATEN_BY_A = 2


def saved_that_may_be_eaten(state: State, player: Player) -> tuple[str, ...]:
    """The slices saved before of which offer A lets two be eaten now. They too must have basil leaves.

    It "may be used once in the same round": while its owner decides about a portion of this round, or after that as
    long as somebody is still to choose. The decision of the last one ends the round.
    """
    if state.taker not in (player, None) or state.shifter is not None or not usable(state, player, OFFER_A):
        return ()
    return tuple(face for face in state.holdings[player - 1].collected if may_eat(state, face))


def _eat_saved_refusal(state: State, player: Player, faces: tuple[str, ...]) -> Refusal | None:
    if not faces:
        return None
    if owned(state, player, OFFER_A) is None:
        problem = f"Saved before and not to be eaten any more: {in_words(state, *faces)}."
        return refuse(headings.EATING, problem, "Lay it face up with the saved slices again.", faces)
    reason = _why_not_usable(state, player, OFFER_A)
    if reason is not None:
        return refuse(headings.OFFER_A, reason, _SAVED_EATEN.undo, faces)
    return _too_many_refusal(state, faces)


def _too_many_refusal(state: State, faces: tuple[str, ...]) -> Refusal | None:
    if len(faces) <= _MOST_EATEN_BY_A:
        return None
    problem = f"{len(faces)} slices saved before would be eaten: {in_words(state, *faces)}."
    return refuse(headings.OFFER_A, problem, "Eat at most two of those.", faces)


def late_eater(state: State) -> Player | None:
    """The owner of offer A who may eat saved slices now, between two decisions."""
    if state.phase is not Phase.CHOOSE or state.special != OFFER_A:
        return None
    owner = owner_of(state, OFFER_A)
    if owner is None or (state.options.solo and owner == HOUSE):
        return None
    return owner if saved_that_may_be_eaten(state, owner) else None


def _with_offer_a(state: State, choosing: Turn) -> Turn:
    eater = late_eater(state)
    if eater is None or eater in choosing.players:
        return choosing
    return players_turn((*choosing.players, eater), f"{choosing.prompt}{told_of_offer_a(state)}")


def told_of_offer_a(state: State) -> str:
    """What is said of who may eat saved slices now, after what else there is to do; empty where nobody may."""
    eater = late_eater(state)
    return "" if eater is None else f"; player {eater} may still eat saved slices with offer A"


def _legal_saved_eaten(state: State) -> Iterator[EatSaved]:
    eater = late_eater(state)
    if eater is None:
        return
    saved = saved_that_may_be_eaten(state, eater)
    for number in range(1, _MOST_EATEN_BY_A + 1):
        yield from (EatSaved(eater, frozenset(faces)) for faces in combinations(saved, number))


def _eat_saved_now_refusal(state: State, move: EatSaved) -> Refusal | None:
    faces = tuple(sorted(move.eaten))
    if state.options.solo and move.player == HOUSE:
        return refuse(headings.SOLO, "The House never uses special offer A.", _SAVED_EATEN.undo, faces)
    if state.shifter is not None:
        return family.must_take_now(state, _SHIFTING, "moved")
    if not faces:
        problem = f"Player {move.player} eats no saved slice."
        return refuse(headings.OFFER_A, problem, "Eat one or two, or leave offer A face up.", (OFFER_A,))
    found = family.use_refusal(state, move.player, _SAVED_EATEN, _why_not_usable, faces[0])
    if found is not None:
        return found
    for face in faces:
        if face not in state.holdings[move.player - 1].collected:
            problem = f"Player {move.player} has not saved {in_words(state, face)}."
            return refuse(headings.OFFER_A, problem, "Eat only slices that you saved.", (face,))
    refusals = (_eat_refusal(state, face) for face in faces)
    return next(filter(None, refusals), None) or _too_many_refusal(state, faces)


def _play_eat_saved(state: State, move: EatSaved) -> State:
    holdings = with_used(state.holdings, move.player, OFFER_A)
    return changed(state, holdings=with_holding(holdings, move.player, _ate(holdings[move.player - 1], move.eaten)))


def _ate(holding: Holding, faces: Collection[str]) -> Holding:
    """The same after these of the saved slices were eaten."""
    saved = tuple(face for face in holding.collected if face not in faces)
    return changed(
        holding, collected=saved, eaten=holding.eaten + tuple(face for face in holding.collected if face in faces)
    )


# B --------------------------------------------------------------------------------------------------------------------


# It "may be used once in the same round", so its taker may go without: one who means to eat a kind with offer J may not
# want a slice of that kind without basil. At a table whoever presses without a slice is reminded of it; that somebody
# goes without, the host rules.


def _brings_b(state: State, portion: int) -> bool:
    return state.special == OFFER_B and state.portions[portion].special


def _take_without_refusal(state: State, move: TakeWithoutB) -> Refusal | None:
    refused = _take_refusal(state, move)
    if refused is not None or _brings_b(state, move.portion):
        return refused
    return refuse(headings.OFFER_B, "This portion brings no offer B to go without.", "Take the portion.")


def _draw_refusal(state: State, move: DrawSlice) -> Refusal | None:
    if move.face in state.unseen:
        return None
    problem = f"{in_words(state, move.face)} cannot be one of the three slices put aside."
    return refuse(headings.OFFER_B, problem, "Take one of the three face-down slices.", (move.face,))


def _play_draw(state: State, move: DrawSlice) -> State:
    """The slice is eaten or saved like those of the portion, so it is one of the slices taken, and is shown like them:
    the text keeps nothing secret."""
    assert state.taker is not None
    return changed(
        state,
        phase=Phase.DECIDE,
        holdings=with_used(state.holdings, state.taker, OFFER_B),
        taken=(*state.taken, move.face),
        unseen=state.unseen - {move.face},
    )


# C --------------------------------------------------------------------------------------------------------------------


def kinds_to_put_on(state: State, move: Decide) -> tuple[int, ...]:
    """The kinds that offer C may be put on by this decision, whatever it says now: those saved after it, of mixed
    slices both. Who has saved nothing puts it on nothing."""
    one = owned(state, move.player, OFFER_C)
    if one is None or one.kind is not None or not usable(state, move.player, OFFER_C):
        return ()
    by_face = state.options.components.by_face
    return tuple(sorted({value for face in _saved_after(state, move) for value in by_face[face].values}))


def _kind_refusal(state: State, move: Decide) -> Refusal | None:
    """It may be used: not putting it on anything is allowed."""
    if move.kind is None:
        return None
    possible = kinds_to_put_on(state, move)
    if move.kind in possible:
        return None
    one = owned(state, move.player, OFFER_C)
    problem = _why_not_usable(state, move.player, OFFER_C)
    if one is not None and one.kind is not None:
        problem = f"Special offer C lies on the {one.kind}s and may not be moved to another kind."
    if problem is not None:
        return refuse(headings.OFFER_C, problem, "Leave it out.", (OFFER_C,))
    problem = f"Player {move.player} has saved no slice of kind {move.kind}."
    kinds = joined([str(kind) for kind in possible])
    remedy = f"Put it on one of the kinds saved: {kinds}." if possible else "Put it on nothing."
    return refuse(headings.OFFER_C, problem, remedy, (OFFER_C,))


def _points_of_c(state: State, player: Player) -> int:
    """1 point for each slice of the kind, besides the points for having the most. Half a slice is not yet one (option
    `offer_c_counts_mixed`)."""
    one = owned(state, player, OFFER_C)
    if one is None or one.kind is None:
        return 0
    by_face = state.options.components.by_face
    slices = [by_face[face].values for face in state.holdings[player - 1].collected if one.kind in by_face[face].values]
    if state.options.offer_c_counts_mixed:
        return len(slices)
    return sum(2 if len(values) == 1 else 1 for values in slices) // 2


# D --------------------------------------------------------------------------------------------------------------------


def slice_taker(state: State) -> Player | None:
    """Who may take a slice with offer D before the pizza is sliced; the player with the knife may too."""
    owner = owner_of(state, OFFER_D)
    return owner if state.phase is Phase.DIVIDE and owner is not None and usable(state, owner, OFFER_D) else None


def legal_slices_taken(state: State) -> Iterator[TakeSlice]:
    """Every way to take a slice with offer D now."""
    caller = slice_taker(state)
    if caller is None:
        return
    for face in state.ring:
        yield TakeSlice(caller, face, False)
        if may_eat(state, face):
            yield TakeSlice(caller, face, True)


def _take_slice_refusal(state: State, move: TakeSlice) -> Refusal | None:
    found = family.use_refusal(state, move.player, _CALL, _why_not_usable, move.face)
    found = found or family.slice_refusal(state, move.face, _CALL)
    if found is not None:
        return found
    return _eat_refusal(state, move.face) if move.eat else None


def _play_take_slice(state: State, move: TakeSlice) -> State:
    holdings = with_used(state.holdings, move.player, OFFER_D)
    holding = holdings[move.player - 1]
    if move.eat:
        holding = changed(holding, eaten=(*holding.eaten, move.face))
    else:
        holding = changed(holding, collected=(*holding.collected, move.face))
    holdings = with_holding(holdings, move.player, holding)
    return changed(state, holdings=holdings, ring=family.ring_without(state, move.face))


# E --------------------------------------------------------------------------------------------------------------------


def may_move_slice(state: State, player: Player) -> bool:
    """Whether this player, about to choose a portion, may first move a slice. The player with the knife may too."""
    return state.phase is Phase.CHOOSE and state.shifter is None and usable(state, player, OFFER_E)


def _shifts(state: State) -> Iterator[tuple[str, int]]:
    """Each slice beside a cut with the portion that may gain it.

    A cut is between two portions that both lie there still, so a gap where a portion was is none (option
    `offer_e_across_gaps`). A portion keeps at least one slice or the special offer, as when slicing (option
    `offer_e_may_empty`).
    """
    yield from cut_and_choose.shifts(state.portions, partial(_may_lose_slice, state), state.options.offer_e_across_gaps)


def _may_lose_slice(state: State, portion: Portion) -> bool:
    return len(portion.slices) > 1 or portion.special or state.options.offer_e_may_empty


def _move_slice_refusal(state: State, move: MoveSlice) -> Refusal | None:
    if state.shifter is not None:
        return family.must_take_now(state, _SHIFTING, "moved")
    found = family.use_refusal(state, move.player, _SHIFTING.use, _why_not_usable, move.face)
    if found is not None:
        return found
    found = _out_of_turn(state, move.player)
    if found is not None:
        return refuse(headings.OFFER_E, found.problem, "Move a slice just before choosing a portion.", (move.face,))
    may_lose = partial(_may_lose_slice, state)
    return family.shift_refusal(state, move, _SHIFTING, _shifts(state), may_lose, _TEXT)


def _play_move_slice(state: State, move: MoveSlice) -> State:
    return family.play_shift(state, move, OFFER_E, state.options.offer_e_across_gaps)


# F --------------------------------------------------------------------------------------------------------------------


def early_chooser(state: State) -> Player | None:
    """Who may now choose before all others with offer F, and is not the next anyway.

    Nothing excepts the player with the knife, who so gives up the last portion (option `offer_f_for_slicer`).
    """
    if state.phase is not Phase.CHOOSE or not state.options.advanced or _choosing_has_begun(state):
        return None
    owner = owner_of(state, OFFER_F)
    if owner is None or owner == state.order[0] or not usable(state, owner, OFFER_F):
        return None
    return owner if owner != state.slicer or state.options.offer_f_for_slicer else None


def _choosing_has_begun(state: State) -> bool:
    return len(state.order) < len(state.portions)


def _why_not_early(state: State, player: Player) -> str:
    reason = _why_not_usable(state, player, OFFER_F)
    if reason is not None:
        return reason
    if player == state.slicer and not state.options.offer_f_for_slicer:
        return "The player with the knife may not choose first."
    return "Offer F is used when the pizza has been sliced, before anybody has chosen."


# G to L: at the end of the game ---------------------------------------------------------------------------------------


def _points_of_g(state: State, player: Player) -> int:  # noqa: ARG001
    return 5


def _points_of_h(state: State, player: Player) -> int:
    """1 point for each kind saved. A mixed slice is one of each of its kinds; both tomato slices are one kind."""
    by_face = state.options.components.by_face
    return len({value for face in state.holdings[player - 1].collected for value in by_face[face].values})


# I: see `scorers`.

# J --------------------------------------------------------------------------------------------------------------------


def kinds_to_eat(state: State, player: Player) -> dict[int, tuple[str, ...]]:
    """The saved slices that offer J eats, by kind. All slices of the kind are eaten, and all must have basil leaves, so
    a kind with one that has none cannot be chosen (option `offer_j_eats_some`: that one stays). A mixed slice is not a
    slice of one kind: it stays, and hinders nothing."""
    by_face = state.options.components.by_face
    kinds: dict[int, tuple[str, ...]] = {}
    for face in state.holdings[player - 1].collected:
        values = by_face[face].values
        if len(values) == 1:
            kinds[values[0]] = (*kinds.get(values[0], ()), face)
    if state.options.offer_j_eats_some:
        kinds = {kind: tuple(face for face in faces if may_eat(state, face)) for kind, faces in kinds.items()}
    return {kind: kinds[kind] for kind in sorted(kinds) if kinds[kind] and all(may_eat(state, f) for f in kinds[kind])}


def _legal_kinds_eaten(state: State) -> Iterator[EatKind]:
    owner = owner_of(state, OFFER_J)
    assert owner is not None
    yield EatKind(owner, None)
    yield from (EatKind(owner, kind) for kind in kinds_to_eat(state, owner))


def _eat_kind_refusal(state: State, move: EatKind) -> Refusal | None:
    owner = owner_of(state, OFFER_J)
    if move.player != owner:
        problem = f"Player {move.player} does not have special offer J."
        return refuse(headings.OFFER_J, problem, f"Only player {owner} may eat now.", (OFFER_J,))
    possible = kinds_to_eat(state, owner)
    if move.kind is None or move.kind in possible:
        return None
    by_face = state.options.components.by_face
    saved = tuple(face for face in state.holdings[owner - 1].collected if by_face[face].values == (move.kind,))
    if not saved:
        problem = f"Player {owner} has saved no slice of kind {move.kind} alone."
    else:
        saved = tuple(face for face in saved if not may_eat(state, face))
        problem = f"Not all slices of the kind have basil leaves: {in_words(state, *saved)}."
    kinds = joined([str(kind) for kind in possible])
    return refuse(headings.OFFER_J, problem, f"Eat one of the kinds {kinds}, or nothing.", saved)


def _play_eat_kind(state: State, move: EatKind) -> State:
    if move.kind is None:
        return _before_scoring(state)
    eaten = kinds_to_eat(state, move.player)[move.kind]
    holdings = with_used(state.holdings, move.player, OFFER_J)
    after = _ate(holdings[move.player - 1], eaten)
    return _before_scoring(changed(state, holdings=with_holding(holdings, move.player, after)))


# K and L --------------------------------------------------------------------------------------------------------------


def _eaten_by_kind(state: State, player: Player) -> dict[int, int]:
    by_face = state.options.components.by_face
    eaten: dict[int, int] = {}
    for face in state.holdings[player - 1].eaten:
        for value in by_face[face].values:
            eaten[value] = eaten.get(value, 0) + 1
    return eaten


def _points_of_k(state: State, player: Player) -> int:
    return len(_eaten_by_kind(state, player))


def _points_of_l(state: State, player: Player) -> int:
    return max(_eaten_by_kind(state, player).values(), default=0)


_SCORED: dict[str, Callable[[State, Player], int]] = {
    OFFER_C: _points_of_c,
    OFFER_G: _points_of_g,
    OFFER_H: _points_of_h,
    OFFER_K: _points_of_k,
    OFFER_L: _points_of_l,
}


def special_points(state: State, player: Player) -> dict[str, int]:
    """What each scored special offer brings this player, by face."""
    specials = state.holdings[player - 1].specials
    return {one.name: _SCORED[one.name](state, player) for one in specials if one.name in _SCORED}


# The parts that several rules use -------------------------------------------------------------------------------------


_RULES = {
    ChoosePile: Rule(
        Phase.PILE, _pile_refusal, _play_pile, headings.SERVED, "A pile is chosen at the start of a round."
    ),
    Reveal: Rule(
        Phase.REVEAL,
        _reveal_refusal,
        _play_reveal,
        headings.SERVED,
        "A pizza is turned up only after a pile has been chosen.",
    ),
    Redraw: Rule(
        Phase.REDRAW,
        _redraw_refusal,
        _play_redraw,
        headings.OFFERS,
        "Another special offer is taken only in place of one that may not be used now.",
    ),
    TakeSlice: Rule(
        Phase.DIVIDE,
        _take_slice_refusal,
        _play_take_slice,
        headings.OFFER_D,
        "Offer D is used before the pizza is sliced.",
    ),
    Divide: Rule(
        Phase.DIVIDE,
        _divide_refusal,
        _play_divide,
        headings.SERVED,
        "The pizza is sliced once, when it has been turned up.",
    ),
    MoveSlice: Rule(
        Phase.CHOOSE,
        _move_slice_refusal,
        _play_move_slice,
        headings.OFFER_E,
        "A slice is moved only just before choosing a portion.",
    ),
    Take: Rule(
        Phase.CHOOSE,
        _take_refusal,
        _play_take,
        headings.BON_APPETIT,
        "A portion is chosen only after the pizza has been sliced and the player before has decided.",
    ),
    TakeWithoutB: Rule(
        Phase.CHOOSE,
        _take_without_refusal,
        _play_take,
        headings.OFFER_B,
        "Who takes the portion with offer B says then that they go without a slice.",
    ),
    DrawSlice: Rule(
        Phase.DRAW,
        _draw_refusal,
        _play_draw,
        headings.OFFER_B,
        "A slice put aside is taken only by who has just received offer B.",
    ),
    Decide: Rule(
        Phase.DECIDE,
        _decide_refusal,
        _play_decide,
        headings.BON_APPETIT,
        "Slices are eaten or saved only by who has just taken a portion.",
    ),
    EatSaved: Rule(
        Phase.CHOOSE,
        _eat_saved_now_refusal,
        _play_eat_saved,
        headings.OFFER_A,
        "Saved slices are eaten with offer A while its owner decides, or before the next player takes a portion.",
    ),
    EatKind: Rule(
        Phase.EAT_KIND,
        _eat_kind_refusal,
        _play_eat_kind,
        headings.OFFER_J,
        "Offer J is used before scoring, after the last round.",
    ),
}
_RULEBOOK: Rulebook[State, Move] = Rulebook(_RULES, turn, headings.SETUP)
refusal = _RULEBOOK.refusal
apply = _RULEBOOK.apply
