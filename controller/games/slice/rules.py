"""The rules of SLICE, in the order of the rule text; each rule stands under its heading's name.

Cards of a kind are alike, so a card is named by its kind: a topping, `hot-sauce` or `combo`. The places of an order are
numbered 1 to 8 clockwise. Players are numbered clockwise, 1 upwards. Nobody knows a face-down card, its owner neither:
turning one up is chance. A card revealed in a pizza is seen by its owner only (Hot Tips) until it is placed or
discarded; that is the one secret of the game.

What anybody can know of face-down cards is which cards they were dealt from. Unseen cards therefore belong to pools:
the cards of a pool are known, which of them lies where is not. The shuffled deck is the first pool; the cards that go
back under the draw pile together are another, as everybody has seen them; how they then lie is not told. Where nobody
can say in which order places were filled, so which face-down card was which, all are one pool (`returned_cards`).

What the text leaves open, and how it is read here (the option's name where tables may choose):

- A slice whose places are all found, or that is not on the order, is a card "you don't need", and so is Hot Sauce that
  fits nowhere (`useless_hot_sauce`). Grabbing it is no illegal move: it burns, by mistake or by choice. There is no
  other way to burn by choice: what is needed must be used, and the Drawer may not grab.
- The card last put on the Open Pile is the only one to grab; what it covered was passed over, also when uncovered.
- If nobody grabs, the same Drawer goes on. That also holds for a card out of the Drawer's pizza and a hidden card.
- A player's own discarded card is "for others": nobody grabs it back, also where two players play and both may grab.
  The hidden card is for both of two.
- A revealed card that can be used must be used (`may_stop`), a Combo like any other (`revealed_combo_is_wild`); Hot
  Sauce goes to the Open Pile for others to grab (`revealed_hot_sauce`).
- A card that removes Hot Sauce is spent: it lands on the Open Pile with the Hot Sauce on top of it, and the slice stays
  face down. A revealed card does it like a grabbed one (`revealed_cards_unblock`).
- A discarded Hot Sauce card lies there for nobody: the next card is drawn at once, a slap on it counts for nothing.
- The hidden card of a finished pizza is unknown to all until it is turned over, and then up to be grabbed.
- Finished orders are kept and counted. No order is dealt twice: 8 players with 2 finished pizzas each have had all 24.
- When the draw pile has run out the Open Pile is shuffled and becomes the draw pile (`empty_pile`).
- Nothing in the text ends a game in which nobody gets anywhere; `draw_limit` does (games of good players take about 50
  draws, at times 100). The most finished pizzas win then, and among equals the most slices found. Between two draws
  nothing goes on for ever: each grab finds a slice, blocks or frees one, or leads to the next draw.
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
from controller.games.changing import changed
from controller.games.slice import headings
from controller.games.slice.components import COMBO, HOT_SAUCE, Components, own_cards, with_own_cards

PLACES = 8
PLAYER_COUNTS = range(2, 9)
"""For 3 to 8 players; two play the Two-Player Game."""
MOST_DRAWS = 100_000


class Phase(Enum):
    """What the game waits for."""

    ORDER = "order"
    """Chance: a player gets an order card."""
    DRAW = "draw"
    """Chance: the Drawer turns up a card of the draw pile."""
    GRAB = "grab"
    """A card lies open: somebody grabs it, or the Drawer counts to three."""
    PLACE = "place"
    """The Drawer has a card in hand that fits and puts it where it goes."""
    REVEAL = "reveal"
    """Chance: the face-down card that was replaced is turned up."""
    HIDDEN = "hidden"
    """Chance: the card hidden beside a finished pizza is turned over."""
    OVER = "over"


@dataclass(frozen=True, slots=True)
class DealOrder:
    """Chance: a player's new order card."""

    player: int
    order: str


@dataclass(frozen=True, slots=True)
class Draw:
    """Chance: the Drawer puts a card of the draw pile face up on the Open Pile."""

    card: str


@dataclass(frozen=True, slots=True)
class Slap:
    """A hand that was on the card too, and not the first."""

    player: int
    later_us: int
    """Microseconds after the first hand; 0 is a tie, which the hand that covers the card the most, or lies at the
    bottom, has won."""


@dataclass(frozen=True, slots=True)
class Grab:
    """A player slaps the open card and gets it."""

    player: int
    after: tuple[Slap, ...] = ()
    """What is known of the other hands, soonest first: evidence for the record, which changes nothing in the game. The
    Drawer's may be among them: it may not grab, and where another was first it has not."""


@dataclass(frozen=True, slots=True)
class Count:
    """The Drawer counts to three: nobody grabs the open card."""

    player: int


@dataclass(frozen=True, slots=True)
class Place:
    """The Drawer lays the card in hand on a place: a slice that belongs there, or the card that removes Hot Sauce."""

    player: int
    place: int
    """1 to 8."""


@dataclass(frozen=True, slots=True)
class Block:
    """The Drawer lays the Hot Sauce card in hand on a face-down slice of another player."""

    player: int
    target: int
    place: int
    """1 to 8."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The Drawer puts a revealed card that would fit on the Open Pile (option `may_stop`)."""

    player: int


@dataclass(frozen=True, slots=True)
class Reveal:
    """Chance: what the replaced face-down card is."""

    card: str


@dataclass(frozen=True, slots=True)
class TurnOver:
    """Chance: what the hidden card of the finished pizza is."""

    card: str


Move = DealOrder | Draw | Grab | Count | Place | Block | Stop | Reveal | TurnOver


@dataclass(frozen=True, slots=True)
class Spot:
    """What lies at one place of a pizza: a face, or a face-down card of some pool, perhaps blocked."""

    up: str | None
    pool: int | None = None
    """The pool of a face-down card."""
    blocked: bool = False
    """Whether a Hot Sauce card lies on it."""


@dataclass(frozen=True, slots=True)
class Seat:
    """What lies in front of a player."""

    order: str | None
    spots: tuple[Spot, ...]
    """Places 1 to 8."""
    finished: tuple[str, ...] = ()
    """The orders finished, oldest first."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Cards of one pool lying together in the draw pile."""

    pool: int
    cards: int


@dataclass(frozen=True, slots=True)
class Options:
    """What tables play differently, and the copy's own cards."""

    components: Components
    pizzas: int = 3
    pizza_reset: bool = False
    may_stop: bool = False
    revealed_combo_is_wild: bool = True
    revealed_hot_sauce: str = "open"
    revealed_cards_unblock: bool = True
    useless_hot_sauce: str = "burns"
    empty_pile: str = "shuffle"
    returned_cards: str = "known"
    draw_limit: int = 400


OPTION_LIST = (
    Option("components", {}, "this copy's cards: {} for the packaged ones, {cards, orders}, or a TOML file's path"),
    Option("pizzas", 3, "how many finished pizzas win the game", (1, 2, 3)),
    Option("pizza_reset", False, "whether a burned pizza loses all its cards, Hot Sauce included", (False, True)),
    Option("may_stop", False, "whether a revealed card that fits may be discarded all the same", (False, True)),
    Option(
        "revealed_combo_is_wild", True, "whether a Combo from one's own pizza is used like a grabbed one", (True, False)
    ),
    Option(
        "revealed_hot_sauce",
        "open",
        "Hot Sauce from one's own pizza: open to others, placed by who revealed it, or discarded",
        ("open", "place", "discard"),
    ),
    Option("revealed_cards_unblock", True, "whether revealed cards remove Hot Sauce as grabbed ones do", (True, False)),
    Option(
        "useless_hot_sauce", "burns", "what grabbing Hot Sauce does when every place is blocked", ("burns", "discard")
    ),
    Option(
        "empty_pile", "shuffle", "when the draw pile runs out: the Open Pile is shuffled, or the game ends",
        ("shuffle", "end"),
    ),
    Option(
        "returned_cards", "known",
        "face-down cards that had been seen before they went back under the draw pile: known, or mixed with all others",
        ("known", "mixed"),
    ),
    Option("draw_limit", 400, f"after how many drawn cards the game ends; 0 for never, at most {MOST_DRAWS}"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class State:
    """A whole game of SLICE at one moment: all that anybody can know."""

    players: int
    options: Options
    phase: Phase
    drawer: int
    """The Drawer; who grabs a card is it from then on."""
    seats: tuple[Seat, ...]
    """Player 1's first."""
    orders: frozenset[str]
    """The order cards still face down."""
    pools: tuple[tuple[int, ...], ...]
    """The unseen cards of each pool, oldest pool first: how many of each kind, in the order of `Components.cards`."""
    pile: tuple[Layer, ...]
    """The draw pile from its top."""
    open: tuple[str, ...] = ()
    """The Open Pile, the card on top last."""
    hand: str | None = None
    """The card that the Drawer is about to place."""
    own: bool = False
    """Whether the card in hand, or up to be grabbed, was revealed in the Drawer's own pizza; a hidden card was not."""
    lifted: int | None = None
    """The pool of the card that was replaced and that not everybody has seen yet. An own card in hand is still counted
    among that pool's cards."""
    draws: int = 0
    """Cards drawn so far."""


# What the game waits for ----------------------------------------------------------------------------------------------


def turn(state: State) -> Turn:
    """Who acts next, and what they do. While a card is open the Drawer, who must count, stands first."""
    drawer = state.drawer
    match state.phase:
        case Phase.ORDER:
            return _chance(f"Player {_without_order(state)} gets an order card")
        case Phase.DRAW:
            return _chance(f"Player {drawer} draws a card")
        case Phase.GRAB:
            others = tuple(player for player in grabbers(state) if player != drawer)
            shown = _words(state, state.open[-1])
            return Turn(Actor.PLAYERS, (drawer, *others), f"{shown} is open: grab it, or player {drawer} counts to 3")
        case Phase.PLACE:
            return Turn(Actor.PLAYERS, (drawer,), _place_prompt(state))
        case Phase.REVEAL:
            return _chance(f"Player {drawer} turns up the card that was replaced")
        case Phase.HIDDEN:
            return _chance(f"Player {drawer} turns over the hidden card")
        case Phase.OVER:
            return Turn(Actor.NOBODY, (), "The game is over")


def legal(state: State) -> Iterator[Move]:
    """Every legal move once, lazily. A `Grab` is listed without evidence."""
    match state.phase:
        case Phase.ORDER:
            player = _without_order(state)
            orders = state.options.components.toppings
            yield from (DealOrder(player, order) for order in orders if order in state.orders)
        case Phase.DRAW:
            yield from map(Draw, _possible(state, state.pile[0].pool))
        case Phase.GRAB:
            yield from map(Grab, grabbers(state))
            yield Count(state.drawer)
        case Phase.PLACE:
            yield from _legal_places(state)
        case Phase.REVEAL:
            yield from map(Reveal, _possible(state, state.lifted))
        case Phase.HIDDEN:
            yield from map(TurnOver, _possible(state, state.lifted))
        case Phase.OVER:
            return


def refusal(state: State, move: Move) -> Refusal | None:
    """None exactly when the move is legal; otherwise why not."""
    rule = _RULES.get(type(move))
    if rule is None:
        return _refuse(headings.SETTING_UP, f"{move!r} is no move of this game.", f"{turn(state).prompt}.")
    phase, check, _ = rule
    return check(state, move) if state.phase is phase else _untimely(state, type(move))


def apply(state: State, move: Move) -> State:
    """The state after a legal move. Raises IllegalMove for any other."""
    found = refusal(state, move)
    if found is not None:
        raise IllegalMove(found)
    after: State = _RULES[type(move)][2](state, move)
    return after


def draw(state: State, random: Random) -> Move:
    """A chance outcome, as likely as at the table. Raises GameError where chance does not act."""
    match state.phase:
        case Phase.ORDER:
            return DealOrder(_without_order(state), random.choice(sorted(state.orders)))
        case Phase.DRAW:
            return Draw(_drawn(state, state.pile[0].pool, random))
        case Phase.REVEAL:
            return Reveal(_drawn(state, state.lifted, random))
        case Phase.HIDDEN:
            return TurnOver(_drawn(state, state.lifted, random))
        case _:
            raise GameError(f"nothing is drawn while the game waits for {state.phase.value}")


# Setting Up The Game --------------------------------------------------------------------------------------------------


def start(components: Components, players: int, options: Mapping[str, Json], first: Player = 1) -> State:
    """The state before the order cards are turned up; `first` is the starting Drawer.

    Eight slice cards lie face down in front of everybody, the rest are the draw pile. Raises OptionError, or
    ComponentError for impossible own cards.
    """
    if type(players) is not int or players not in PLAYER_COUNTS:
        raise OptionError(f"players: {players!r} is none of 2 to 8")
    if type(first) is not int or not 1 <= first <= players:
        raise OptionError(f"first: {first!r} is none of the players 1 to {players}")
    chosen = parse_options(components, options)
    cards = chosen.components
    return State(
        players=players,
        options=chosen,
        phase=Phase.ORDER,
        drawer=first,
        seats=(Seat(None, (Spot(None, 0),) * PLACES),) * players,
        orders=frozenset(cards.toppings),
        pools=(cards.counts,),
        pile=(Layer(0, sum(cards.counts) - PLACES * players),),
    )


def parse_options(components: Components, options: Mapping[str, Json]) -> Options:
    """The options of a game. Raises OptionError for an unknown one or a wrong value."""
    known = {option.name: option for option in OPTION_LIST}
    values: dict[str, Any] = {}
    for name, value in options.items():
        if name not in known:
            raise OptionError(f"option {name}: unknown; expected some of {', '.join(known)}")
        choices = known[name].choices
        if name == "components":
            components = with_own_cards(components, value)
        elif name == "draw_limit":
            values[name] = _draw_limit(value)
        elif not any(value is choice or (value == choice and type(value) is type(choice)) for choice in choices):
            raise OptionError(f"option {name}: {value!r} is none of {', '.join(map(repr, choices))}")
        else:
            values[name] = value
    return Options(components, **values)


def option_values(options: Options) -> dict[str, Json]:
    """What `parse_options` makes these options from."""
    plain = {field.name: getattr(options, field.name) for field in fields(Options) if field.name != "components"}
    return {"components": own_cards(options.components), **plain}


def _draw_limit(value: Json) -> int:
    if type(value) is not int or not 0 <= value <= MOST_DRAWS:
        raise OptionError(f"option draw_limit: {value!r} is no whole number from 0 to {MOST_DRAWS}")
    return value


def _without_order(state: State) -> Player:
    return next(player for player, seat in enumerate(state.seats, start=1) if seat.order is None)


def _order_refusal(state: State, move: DealOrder) -> Refusal | None:
    player = _without_order(state)
    if move.player != player:
        problem = f"Player {move.player} gets no order card now."
        return _refuse(headings.SETTING_UP, problem, f"Player {player} gets the next one.")
    if move.order in state.orders:
        return None
    problem = f"{move.order!r} is not among the face-down order cards."
    return _refuse(headings.SETTING_UP, problem, "Turn up a card of the order pile.", (move.order,))


def _play_order(state: State, move: DealOrder) -> State:
    seat = state.seats[move.player - 1]
    seats = _with(state.seats, move.player, Seat(move.order, seat.spots, seat.finished))
    phase = Phase.DRAW if state.lifted is None else Phase.HIDDEN
    if any(one.order is None for one in seats):
        phase = Phase.ORDER
    return changed(state, phase=phase, seats=seats, orders=state.orders - {move.order})


# On Your Turn: the Drawer pulls a card --------------------------------------------------------------------------------


def _draw_refusal(state: State, move: Draw) -> Refusal | None:
    return _face_refusal(state, state.pile[0].pool, move.card, headings.YOUR_TURN, "the draw pile's next card")


def _face_refusal(state: State, pool: int | None, card: str, heading: str, what: str) -> Refusal | None:
    """Whether a card of this pool can be of this kind."""
    number = state.options.components.index.get(card)
    if number is None:
        return _refuse(heading, f"{card!r} is no card of this game.", "Use only the game's own slice cards.", (card,))
    assert pool is not None
    if state.pools[pool][number]:
        return None
    problem = f"{_words(state, card)} cannot be {what}: every one that could be is elsewhere."
    return _refuse(heading, problem, "Look at this card again, and for cards that were moved unseen.", (card,))


def _play_draw(state: State, move: Draw) -> State:
    top = state.pile[0]
    pile = (Layer(top.pool, top.cards - 1), *state.pile[1:]) if top.cards > 1 else state.pile[1:]
    opened = (*state.open, move.card)
    return _seen(state, top.pool, move.card, phase=Phase.GRAB, pile=pile, open=opened, own=False, draws=state.draws + 1)


# On Your Turn: slap your hand on it first -----------------------------------------------------------------------------


def grabbers(state: State) -> tuple[Player, ...]:
    """Who may grab the open card, clockwise from the Drawer's left.

    Not the Drawer; with two players the Drawer too, except for a card that the Drawer has discarded, which is "for
    others". The hidden card of a finished pizza is no such card: Finishing a Pizza says nothing of others, its owner
    has kept it hidden and knows it no sooner, and "both players" grab. Which hand draws and which grabs then is for the
    players to watch.
    """
    drawer, count = state.drawer, state.players
    others = (*range(drawer + 1, count + 1), *range(1, drawer))
    return (*others, drawer) if count == 2 and not state.own else others


def _grab_refusal(state: State, move: Grab) -> Refusal | None:
    allowed = grabbers(state)
    if move.player not in allowed:
        return _not_a_grabber(state, move.player)
    if not move.after:
        return None
    hands = [move.player]
    latest = 0
    for slap in move.after:
        if not 1 <= slap.player <= state.players:
            return _not_a_grabber(state, slap.player)
        if slap.player in hands:
            problem = f"Player {slap.player} is named twice."
            return _refuse(headings.YOUR_TURN, problem, "Name each hand on the card once, the first one first.")
        if slap.later_us < latest:
            problem = f"Player {slap.player} slapped before a hand named earlier."
            return _refuse(headings.YOUR_TURN, problem, "The first to slap the card wins: name the hands in order.")
        hands.append(slap.player)
        latest = slap.later_us
    return None


def _not_a_grabber(state: State, player: Player) -> Refusal:
    if not 1 <= player <= state.players:
        return _refuse(headings.YOUR_TURN, f"There is no player {player}.", "Only players grab cards.")
    if state.players == 2:
        problem = f"Player {player} has just discarded this card."
        return _refuse(headings.IF_YOU_GRAB, problem, "It is for the other player to grab: put it back.")
    problem = f"Player {player} is the Drawer, who may not grab cards."
    return _refuse(headings.IMPORTANT_NOTE, problem, "Put the card back on the Open Pile; the others may grab it.")


def _play_grab(state: State, move: Grab) -> State:
    card = state.open[-1]
    if usable(state, move.player, card, revealed=False):
        return changed(state, phase=Phase.PLACE, drawer=move.player, open=state.open[:-1], hand=card, own=False)
    if card == HOT_SAUCE and state.options.useless_hot_sauce == "discard":
        return _to_draw(state, drawer=move.player)
    return _burned(state, move.player)


def _count_refusal(state: State, move: Count) -> Refusal | None:
    if move.player == state.drawer:
        return None
    problem = f"Player {move.player} is not the Drawer."
    return _refuse(headings.YOUR_TURN, problem, f"Player {state.drawer} counts and then draws another card.")


def _play_count(state: State, move: Count) -> State:  # noqa: ARG001
    return _to_draw(state)


def _to_draw(state: State, **changes: Any) -> State:
    """With these changes another card is drawn. Where none is left, what lies open is shuffled and becomes the draw
    pile."""
    state = changed(state, phase=Phase.DRAW, hand=None, own=False, **changes)
    if 0 < state.options.draw_limit <= state.draws:
        return changed(state, phase=Phase.OVER)
    if state.pile:
        return state
    if state.options.empty_pile == "end":
        return changed(state, phase=Phase.OVER)
    pools, pile = _under_the_pile(state, state.open, {})
    return changed(state, pools=pools, pile=pile, open=())


# If you grab a card ---------------------------------------------------------------------------------------------------


def usable(state: State, player: Player, card: str, *, revealed: bool) -> bool:
    """Whether this player can put this card somewhere: grabbed, or revealed in the own pizza."""
    if card == HOT_SAUCE:
        return (not revealed or state.options.revealed_hot_sauce == "place") and any(_targets(state, player))
    return any(_fitting(state, player, card, revealed=revealed))


def fitting(state: State) -> tuple[int, ...]:
    """The places, 1 to 8, to which the card in the Drawer's hand can go in the own pizza."""
    if state.hand is None or state.hand == HOT_SAUCE:
        return ()
    return tuple(_fitting(state, state.drawer, state.hand, revealed=state.own))


def _fitting(state: State, player: Player, card: str, *, revealed: bool) -> Iterator[int]:
    """Places with a face-down card to which this topping belongs, any for a Combo; those with Hot Sauce, too, which
    the card then removes."""
    options = state.options
    seat = state.seats[player - 1]
    if seat.order is None or (revealed and card == COMBO and not options.revealed_combo_is_wild):
        return
    removes = not revealed or options.revealed_cards_unblock
    for place, (topping, spot) in enumerate(zip(options.components.toppings[seat.order], seat.spots, strict=True), 1):
        if spot.up is None and card in (topping, COMBO) and (removes or not spot.blocked):
            yield place


def _place_prompt(state: State) -> str:
    assert state.hand is not None
    if state.own:
        return f"Player {state.drawer} puts the card just revealed in its place"
    card = _words(state, state.hand)
    if state.hand == HOT_SAUCE:
        return f"Player {state.drawer} puts Hot Sauce on a face-down slice of another player"
    return f"Player {state.drawer} puts {card} in its place"


def _legal_places(state: State) -> Iterator[Move]:
    if state.hand == HOT_SAUCE:
        yield from (Block(state.drawer, target, place) for target, place in _targets(state, state.drawer))
        return
    yield from (Place(state.drawer, place) for place in fitting(state))
    if state.own and state.options.may_stop:
        yield Stop(state.drawer)


def _place_refusal(state: State, move: Place) -> Refusal | None:
    if move.player != state.drawer:
        return _not_the_hand(state, move.player)
    if not 1 <= move.place <= PLACES:
        return _refuse(headings.IF_YOU_GRAB, f"There is no place {move.place}.", "Places are numbered 1 to 8.")
    if move.place in fitting(state):
        return None
    spot = state.seats[move.player - 1].spots[move.place - 1]
    card = _hand_words(state)
    heading, remedy = headings.IF_YOU_GRAB, "Put it where it goes."
    if spot.up is not None:
        problem = f"Place {move.place} is found already."
    elif spot.blocked and state.own and not state.options.revealed_cards_unblock:
        problem = f"Place {move.place} is blocked, and a revealed card removes no Hot Sauce."
    elif spot.blocked:
        problem = f"Place {move.place} is blocked, and {card} does not remove that Hot Sauce."
    else:
        problem = f"{card} does not belong to place {move.place}."
    if not state.own and state.hand == HOT_SAUCE:
        heading, problem = headings.HOT_SAUCE, "Hot Sauce is no slice of a pizza."
        remedy = "Put it on a face-down slice of another player."
    elif not state.own:
        heading = headings.COMBO if state.hand == COMBO else headings.IF_YOU_GRAB
        remedy = f"{card} goes to one of these places: {', '.join(map(str, fitting(state)))}."
    return _refuse(heading, problem, remedy, _hand_pieces(state))


def _play_place(state: State, move: Place) -> State:
    """The card replaces the face-down one, which is then revealed; or it removes the Hot Sauce on it."""
    spot = state.seats[move.player - 1].spots[move.place - 1]
    if spot.blocked:
        return _unblock(state, move)
    seats = _with_spot(state, move.player, move.place, Spot(state.hand))
    state = _hand_shown(state, phase=Phase.REVEAL, seats=seats, hand=None, own=False, lifted=spot.pool)
    is_found = all(one.up is not None for one in seats[move.player - 1].spots)
    return _finish(state, move.player) if is_found else state


def _reveal_refusal(state: State, move: Reveal) -> Refusal | None:
    return _face_refusal(state, state.lifted, move.card, headings.IF_YOU_GRAB, "the card that was replaced")


def _play_reveal(state: State, move: Reveal) -> State:
    """A card that fits goes on swapping, and others do not see it before; any other is open for them to grab."""
    assert state.lifted is not None
    if usable(state, state.drawer, move.card, revealed=True):
        return changed(state, phase=Phase.PLACE, hand=move.card, own=True)
    opened = (*state.open, move.card)
    state = _seen(state, state.lifted, move.card, phase=Phase.GRAB, open=opened, own=True, lifted=None)
    is_discarded = move.card == HOT_SAUCE and state.options.revealed_hot_sauce == "discard"
    return _to_draw(state) if is_discarded else state


def _hand_shown(state: State, **changes: Any) -> State:
    """With these changes; and an own card in hand is seen by everybody now."""
    if state.lifted is None or state.hand is None:
        return changed(state, **changes)
    return _seen(state, state.lifted, state.hand, **{"lifted": None, **changes})


def _stop_refusal(state: State, move: Stop) -> Refusal | None:
    if move.player != state.drawer:
        return _not_the_hand(state, move.player)
    assert state.hand is not None
    if state.own and state.options.may_stop and state.hand != HOT_SAUCE:
        return None
    problem = f"{_hand_words(state)} can be used, so it may not be discarded."
    heading = headings.HOT_SAUCE if state.hand == HOT_SAUCE and not state.own else headings.IF_YOU_GRAB
    return _refuse(heading, problem, "Put it where it goes.", _hand_pieces(state))


def _play_stop(state: State, move: Stop) -> State:  # noqa: ARG001
    assert state.hand is not None
    return _hand_shown(state, phase=Phase.GRAB, open=(*state.open, state.hand), hand=None, own=True)


def _not_the_hand(state: State, player: Player) -> Refusal:
    problem = f"Player {player} has no card in hand."
    return _refuse(headings.IF_YOU_GRAB, problem, f"Player {state.drawer} places the card.")


# Getting Burned! ------------------------------------------------------------------------------------------------------


def _burned(state: State, player: Player) -> State:
    """A card that was not needed: the face-up slices and the Open Pile go under the draw pile, empty places are dealt
    anew, Hot Sauce stays where it is. With Pizza Reset the whole pizza goes, Hot Sauce included."""
    seat = state.seats[player - 1]
    reset = state.options.pizza_reset
    faces = [spot.up for spot in seat.spots if spot.up is not None]
    unseen: dict[int, int] = {}
    if reset:
        faces += [HOT_SAUCE for spot in seat.spots if spot.blocked]
        for spot in seat.spots:
            if spot.pool is not None:
                unseen[spot.pool] = unseen.get(spot.pool, 0) + 1
    pools, pile = _under_the_pile(state, (*state.open, *faces), unseen)
    seat, pile = _dealt(seat, pile, everything=reset)
    return _to_draw(state, drawer=player, seats=_with(state.seats, player, seat), pools=pools, pile=pile, open=())


def _under_the_pile(
    state: State, cards: Iterable[str], unseen: Mapping[int, int]
) -> tuple[tuple[tuple[int, ...], ...], tuple[Layer, ...]]:
    """The pools and the draw pile with these cards at its bottom, which everybody has seen: a pool of their own. Below
    them cards that nobody saw, by pool."""
    index = state.options.components.index
    counts = [0] * len(index)
    for card in cards:
        counts[index[card]] += 1
    if state.options.returned_cards == "mixed" and state.pools:
        (pool,), below = state.pools, sum(layer.cards for layer in state.pile)
        every = tuple(map(sum, zip(pool, counts, strict=True)))
        return (every,), (Layer(0, below + sum(counts) + sum(unseen.values())),)
    added = (Layer(len(state.pools), sum(counts)), *(Layer(pool, unseen[pool]) for pool in sorted(unseen)))
    return (*state.pools, tuple(counts)), (*state.pile, *added)


def _dealt(seat: Seat, pile: tuple[Layer, ...], *, everything: bool) -> tuple[Seat, tuple[Layer, ...]]:
    """New face-down cards from the top of the draw pile for the empty places of a player, or for all eight; and what
    is left of the pile.

    There are always enough: at most 8 x 8 places, 8 Hot Sauce cards and a hidden one leave the draw pile with more
    than 50 of 128 cards once the Open Pile is under it.
    """
    rest = list(pile)
    spots = list(seat.spots)
    for index, spot in enumerate(spots):
        if everything or spot.up is not None:
            spots[index] = Spot(None, rest[0].pool)
            rest[0] = Layer(rest[0].pool, rest[0].cards - 1)
            if not rest[0].cards:
                del rest[0]
    return Seat(seat.order, tuple(spots), seat.finished), tuple(rest)


# Finishing a Pizza ----------------------------------------------------------------------------------------------------


def _finish(state: State, player: Player) -> State:
    """All eight slices match: the card replaced last stays hidden, the others go under the draw pile, and a new order
    with eight new cards comes before the hidden card is turned over."""
    seat = state.seats[player - 1]
    assert seat.order is not None
    seat = Seat(None, seat.spots, (*seat.finished, seat.order))
    if len(seat.finished) == state.options.pizzas:
        return changed(state, phase=Phase.OVER, seats=_with(state.seats, player, seat))
    faces = (spot.up for spot in seat.spots if spot.up is not None)
    pools, pile = _under_the_pile(state, (*state.open, *faces), {})
    seat, pile = _dealt(seat, pile, everything=True)
    return changed(state, phase=Phase.ORDER, seats=_with(state.seats, player, seat), pools=pools, pile=pile, open=())


def _turn_over_refusal(state: State, move: TurnOver) -> Refusal | None:
    return _face_refusal(state, state.lifted, move.card, headings.FINISHING, "the hidden card")


def _play_turn_over(state: State, move: TurnOver) -> State:
    assert state.lifted is not None
    opened = (*state.open, move.card)
    state = _seen(state, state.lifted, move.card, phase=Phase.GRAB, open=opened, lifted=None)
    if move.card == HOT_SAUCE and state.options.revealed_hot_sauce == "discard":
        return _to_draw(state)
    return state


# Hot Sauce Cards ------------------------------------------------------------------------------------------------------


def _targets(state: State, player: Player) -> Iterator[tuple[Player, int]]:
    """Face-down slices of other players without Hot Sauce."""
    for other, seat in enumerate(state.seats, start=1):
        if other != player:
            for place, spot in enumerate(seat.spots, start=1):
                if spot.up is None and not spot.blocked:
                    yield other, place


def _block_refusal(state: State, move: Block) -> Refusal | None:
    if move.player != state.drawer:
        return _not_the_hand(state, move.player)
    problem = None
    if move.target == move.player:
        problem = "Hot Sauce does not go on one's own pizza."
    elif not 1 <= move.target <= state.players:
        problem = f"There is no player {move.target}."
    elif not 1 <= move.place <= PLACES:
        problem = f"There is no place {move.place}."
    else:
        spot = state.seats[move.target - 1].spots[move.place - 1]
        if spot.blocked:
            problem = f"Place {move.place} of player {move.target} is blocked already."
        elif spot.up is not None:
            problem = f"Place {move.place} of player {move.target} is face up."
    if problem is not None:
        remedy = "Hot Sauce goes on a face-down slice of another player without Hot Sauce."
        return _refuse(headings.HOT_SAUCE, problem, remedy)
    if state.hand == HOT_SAUCE:
        return None
    problem = f"{_hand_words(state)} blocks nobody."
    return _refuse(headings.HOT_SAUCE, problem, "Put it where it goes.", _hand_pieces(state))


def _play_block(state: State, move: Block) -> State:
    state = _hand_shown(state)
    spot = state.seats[move.target - 1].spots[move.place - 1]
    blocked = Spot(spot.up, spot.pool, blocked=True)
    return _to_draw(state, seats=_with_spot(state, move.target, move.place, blocked))


def _unblock(state: State, move: Place) -> State:
    """Both cards go to the Open Pile, Hot Sauce on top, where nobody can use it: the next card is drawn."""
    opened = (*state.open, state.hand, HOT_SAUCE)
    state = _hand_shown(state)
    spot = state.seats[move.player - 1].spots[move.place - 1]
    free = Spot(spot.up, spot.pool, blocked=False)
    return _to_draw(state, seats=_with_spot(state, move.player, move.place, free), open=opened)


# Hot Tips for Topping the Competition! --------------------------------------------------------------------------------
#
# That others do not see a revealed card is below; toppings found already are in `_fitting`, the Combo's use against Hot
# Sauce too. How to rest a hand and how to flip a card on the pile quickly are tips for hands, nothing to be judged.


def sees_hand(state: State, viewer: Player | None) -> bool:
    """Whether this viewer knows the card in hand: everybody saw one that was grabbed, only its owner a revealed one."""
    return state.hand is not None and (not state.own or viewer == state.drawer)


def _hand_words(state: State) -> str:
    """The card in hand in a refusal, which everybody at the table is shown."""
    assert state.hand is not None
    return "the card just revealed" if state.own else _words(state, state.hand)


def _hand_pieces(state: State) -> tuple[str, ...]:
    return () if state.own or state.hand is None else (state.hand,)


# Combo Cards: see `_fitting`. Two-Player Game: see `grabbers`. Pizza Reset: see `_burned`.

# Winning! -------------------------------------------------------------------------------------------------------------


def found(seat: Seat) -> int:
    """How many slices of the current order lie face up."""
    return 0 if seat.order is None else sum(spot.up is not None for spot in seat.spots)


def score(state: State) -> tuple[Score, ...]:
    """A line for each finished pizza. The slices found so far settle a game that ends before anybody has won."""
    toppings = state.options.components.toppings
    return tuple(
        Score(
            player,
            tuple(ScoreLine(order, 1, _list_words(state, toppings[order])) for order in seat.finished),
            len(seat.finished),
            (found(seat),),
        )
        for player, seat in enumerate(state.seats, start=1)
    )


def winners(state: State) -> tuple[Player, ...]:
    """Who finished the last pizza; where the game ended without that, who has most pizzas, then most slices found."""
    if state.phase is not Phase.OVER:
        return ()
    best = max((len(seat.finished), found(seat)) for seat in state.seats)
    return tuple(
        player for player, seat in enumerate(state.seats, start=1) if (len(seat.finished), found(seat)) == best
    )


# The parts that several rules use -------------------------------------------------------------------------------------


_RULES: dict[type, tuple[Phase, Callable[[State, Any], Refusal | None], Callable[[State, Any], State]]] = {
    DealOrder: (Phase.ORDER, _order_refusal, _play_order),
    Draw: (Phase.DRAW, _draw_refusal, _play_draw),
    Grab: (Phase.GRAB, _grab_refusal, _play_grab),
    Count: (Phase.GRAB, _count_refusal, _play_count),
    Place: (Phase.PLACE, _place_refusal, _play_place),
    Block: (Phase.PLACE, _block_refusal, _play_block),
    Stop: (Phase.PLACE, _stop_refusal, _play_stop),
    Reveal: (Phase.REVEAL, _reveal_refusal, _play_reveal),
    TurnOver: (Phase.HIDDEN, _turn_over_refusal, _play_turn_over),
}

_UNTIMELY: dict[type, tuple[str, str]] = {
    DealOrder: (headings.SETTING_UP, "An order card is dealt at the start and when a pizza is finished."),
    Draw: (headings.YOUR_TURN, "The Drawer draws only when nobody grabs the open card and nobody holds one."),
    Grab: (headings.YOUR_TURN, "No card is open to be grabbed."),
    Count: (headings.YOUR_TURN, "The Drawer counts only while a card is open."),
    Place: (headings.IF_YOU_GRAB, "Nobody holds a card to be placed."),
    Block: (headings.HOT_SAUCE, "Nobody holds a Hot Sauce card."),
    Stop: (headings.IF_YOU_GRAB, "Nobody holds a card to be discarded."),
    Reveal: (headings.IF_YOU_GRAB, "A face-down slice is turned up only when another has replaced it."),
    TurnOver: (headings.FINISHING, "A hidden card is turned over only when a finished pizza has been dealt anew."),
}


def _untimely(state: State, kind: type) -> Refusal:
    if state.phase is Phase.OVER:
        return _refuse(headings.WINNING, "The game is over.", "Nothing more is played: begin another game.")
    if kind is Grab and state.phase is Phase.DRAW and state.open:
        return _not_for_grabbing(state)
    heading, problem = _UNTIMELY[kind]
    return _refuse(heading, problem, f"Now: {turn(state).prompt}.")


def _not_for_grabbing(state: State) -> Refusal:
    """Why the card on top of the Open Pile is nobody's while another is drawn."""
    card = state.open[-1]
    remedy = f"Put it back on the Open Pile. Now: {turn(state).prompt}."
    if card == HOT_SAUCE:
        problem = "Hot Sauce that was discarded or passed over cannot be used by other players."
        return _refuse(headings.HOT_SAUCE, problem, remedy, (card,))
    problem = f"{_words(state, card)} was passed over: only the card put last on the Open Pile may be grabbed."
    return _refuse(headings.YOUR_TURN, problem, remedy, (card,))


def _possible(state: State, pool: int | None) -> Iterator[str]:
    """The kinds that a card of this pool can be."""
    assert pool is not None
    return (card for card, count in zip(state.options.components.cards, state.pools[pool], strict=True) if count)


def _drawn(state: State, pool: int | None, random: Random) -> str:
    assert pool is not None
    return random.choices(state.options.components.cards, state.pools[pool])[0]


def _seen(state: State, pool: int, card: str, **changes: Any) -> State:
    """With these changes; and a card of this pool has been turned up. A pool that is known whole is none any more."""
    number = state.options.components.index[card]
    counts = state.pools[pool]
    left = (*counts[:number], counts[number] - 1, *counts[number + 1 :])
    if any(left):
        return changed(state, pools=(*state.pools[:pool], left, *state.pools[pool + 1 :]), **changes)
    return _without_pool(changed(state, **changes), pool)


def _without_pool(state: State, gone: int) -> State:
    """The later pools move up by one."""

    def seat(one: Seat) -> Seat:
        spots = [
            spot if spot.pool is None or spot.pool < gone else Spot(None, spot.pool - 1, spot.blocked)
            for spot in one.spots
        ]
        return Seat(one.order, tuple(spots), one.finished)

    return changed(
        state,
        pools=(*state.pools[:gone], *state.pools[gone + 1 :]),
        seats=tuple([seat(one) for one in state.seats]),
        pile=tuple([one if one.pool < gone else Layer(one.pool - 1, one.cards) for one in state.pile]),
        lifted=None if state.lifted is None else state.lifted - (state.lifted > gone),
    )


def _chance(prompt: str) -> Turn:
    return Turn(Actor.CHANCE, (), prompt)


def _with(items: tuple[Any, ...], number: int, item: Any) -> tuple[Any, ...]:
    """The items with another one at this number, counted from 1."""
    return (*items[: number - 1], item, *items[number:])


def _with_spot(state: State, player: Player, place: int, spot: Spot) -> tuple[Seat, ...]:
    seat = state.seats[player - 1]
    return _with(state.seats, player, Seat(seat.order, _with(seat.spots, place, spot), seat.finished))


def _refuse(heading: str, problem: str, remedy: str, pieces: tuple[str, ...] = ()) -> Refusal:
    return Refusal(heading, problem[:1].upper() + problem[1:], remedy, pieces)


def _words(state: State, card: str) -> str:
    return state.options.components.words(card)


def _list_words(state: State, cards: tuple[str, ...]) -> str:
    return ", ".join(_words(state, card) for card in cards)
