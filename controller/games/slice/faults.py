"""What is wrong on the table, in a player's words: each card that lies otherwise than the rules allow."""

from collections.abc import Sequence
from dataclasses import replace

from controller.game import Player, Refusal
from controller.games.changing import changed
from controller.games.slice import headings, rules
from controller.games.slice.components import HOT_SAUCE
from controller.games.slice.rules import PLACES, Block, Draw, Grab, Phase, Place, State, Stop
from controller.games.slice.seen import BLOCKED, BLOCKED_TOO, DOWN, HINT, Fit, Odd, Seen, Spot, name_of
from controller.reading import Fault, Layout

TURNED_UP = "A slice of the own pizza that was only turned up goes face down again."
UNBURNED = " Who is not burned puts the face-up slices back."
EIGHT_SLICES = "Still to deal: eight slices face down around each order"


def to_deal(missing: Sequence[Player]) -> str:
    """What is to be dealt before the first card is drawn."""
    if len(missing) == 1:
        return f"Player {missing[0]} still needs an order card, face up, and eight slices face down around it"
    return "Everybody gets an order card, face up, and eight slices face down around it"


def to_deal_anew(state: State, is_dealt: bool, layout: Layout) -> str:
    """What is still to be done after a pizza is finished."""
    if is_dealt:
        return f"Player {state.drawer} turns the hidden card over on the Open Pile{layout.pressing(', then presses')}"
    return (
        f"Player {state.drawer}: pizza and Open Pile go under the draw pile; a new order, eight new slices; "
        "then turn over the hidden card"
    )


def under_way(before: State, states: Sequence[State]) -> str:
    """What is still to be done with a card that somebody has in hand, in each state that the table may be in."""
    told = _under_way(states)
    is_unseen = all(state.draws > before.draws for state in states)
    return f"{told}, or a slice that was only turned up goes face down again" if is_unseen else told


def _under_way(states: Sequence[State]) -> str:
    drawers = {state.drawer for state in states}
    if len(drawers) > 1:
        return "The open card is grabbed: put it where it goes"
    if any(state.phase is Phase.REVEAL for state in states):
        return f"Player {states[-1].drawer} turns up the card that was replaced"
    return rules.turn(states[-1]).prompt


def no_order(player: Player) -> Fault:
    """An order card cannot be seen."""
    problem = f"The order card of player {player} cannot be seen."
    return Fault(Refusal(headings.SETTING_UP, problem, "Lay it face up amid its slices."), player, certain=False)


def empty(spot: Spot, word: str) -> Fault:
    """Nothing is seen at a place."""
    player, place = spot
    problem = f"Place {place} of player {player} is empty."
    lay = {DOWN: "its slice back, face down", BLOCKED: "slice and Hot Sauce back"}.get(word, "its slice back, face up")
    refusal = Refusal(headings.SETTING_UP, problem, f"Put {lay}.")
    return Fault(refusal, player, certain=False)


def to_fill(spot: Spot) -> Fault:
    """Nothing is seen where a slice lay face up, and somebody is burned: perhaps whose place it is."""
    player, place = spot
    problem = f"Place {place} of player {player} is empty."
    remedy = "Who is burned lays new cards face down into all gaps; else put its slice back, face up."
    return Fault(Refusal(headings.GETTING_BURNED, problem, remedy), player, certain=False)


def fault_of(state: State, ways: Sequence[tuple[State, Fit]], seen: Seen) -> Fault:
    """What is wrong, given each state that the table may be on the way to and what lies otherwise there."""
    nearest, fit = min(ways, key=lambda way: (len(way[1].odd), _gone_count(way[1]), -way[1].log))
    if not fit.odd:
        return in_hand(state, nearest)
    told = _burned_or_finished(state, ways, seen) if len(fit.odd) == 1 else None
    if told is not None:
        return told
    first = min(fit.odd, key=lambda odd: (not odd.certain, odd.spot is None, odd.order_of is None, odd.found == DOWN))
    if first.order_of is not None:
        return _order(first)
    if first.spot is not None and _is_order_turned(state, first.spot[0], seen):
        return _order_turned(first.spot[0], seen)
    if first.elsewhere is not None:
        return _elsewhere(seen, first.elsewhere)
    if first.spot is None:
        freed = _freed(state, nearest)
        return _sauce_not_on_pile(freed, first, seen) if freed is not None else _pile(state, ways, first, seen)
    if first.found is not None and first.found in (BLOCKED, *(f"{face}{BLOCKED_TOO}" for face in _cards(state))):
        return _sauce(state, nearest, first, seen)
    if first.found in (None, DOWN) or first.expected not in (DOWN, BLOCKED):
        return _gone(state, nearest, first, seen)
    return _added(state, nearest, first, seen)


# A card in hand -------------------------------------------------------------------------------------------------------


def in_hand(before: State, state: State) -> Fault:
    """Somebody says to be done, and a card is still to be put where it goes; the state before, and that one."""
    if state.phase is Phase.PLACE and state.hand == HOT_SAUCE:
        problem = "The Hot Sauce lies on no face-down slice of another player that was not blocked."
        remedy = "Put it on a face-down slice of another player without Hot Sauce."
        return Fault(Refusal(headings.HOT_SAUCE, problem, remedy, (HOT_SAUCE,)), None)
    if state.phase is Phase.PLACE and state.hand is not None and not state.own:
        problem = f"{_words(state, state.hand)} was grabbed and is nowhere to be seen."
        remedy = "Put it where it belongs; who does not need it is burned, and deals the own pizza anew."
        return Fault(Refusal(headings.IF_YOU_GRAB, problem, remedy, (state.hand,)), None)
    if state.phase is Phase.ORDER:
        return Fault(Refusal(headings.SETTING_UP, "Not everything is dealt.", f"{EIGHT_SLICES}."), None)
    problem = "The card that was replaced does not lie on the Open Pile."
    remedy = "Use it in the own pizza, or put it face up on the Open Pile."
    if state.draws > before.draws:  # nobody has seen the card that was grabbed
        remedy = f"{remedy} {TURNED_UP}"
    return Fault(Refusal(headings.IF_YOU_GRAB, problem, remedy), state.drawer)


def own_sauce(player: Player, layout: Layout) -> Fault:
    """Who revealed Hot Sauce says to be done, and it lies on another's pizza."""
    problem = f"Player {player} has revealed Hot Sauce in the own pizza and not put it on the Open Pile."
    remedy = f"Put it there, face up, for others to grab.{layout.pressing(' Who has grabbed it there presses.')}"
    return Fault(Refusal(headings.IF_YOU_GRAB, problem, remedy, (HOT_SAUCE,)), player)


# At a place -----------------------------------------------------------------------------------------------------------


def _added(state: State, nearest: State, odd: Odd, seen: Seen) -> Fault:
    """A slice face up where none may be."""
    assert odd.spot is not None
    assert odd.found is not None
    refusal = _refused(state, nearest, odd.spot, odd.found, seen)
    if not _is_taken(state, odd.found, seen):
        refusal = replace(refusal, remedy=f"{refusal.remedy} {TURNED_UP}")
    return Fault(refusal, odd.spot[0], tuple(seen.at(odd.spot)), certain=odd.certain)


def _refused(state: State, nearest: State, spot: Spot, card: str, seen: Seen) -> Refusal:
    """What the rules say to that card's being put there by whose place it is."""
    player, place = spot
    is_taken = _is_taken(state, card, seen)
    if is_taken and state.phase is Phase.DRAW:
        return _not_for_grabbing(state, player)
    if state.phase is Phase.DRAW and rules.refusal(state, Draw(card)) is None:
        state = rules.apply(state, Draw(card))
    if state.phase is Phase.GRAB and state.open[-1] == card:
        refused = rules.refusal(state, Grab(player))
        if refused is not None:
            return refused
        grabbed = rules.apply(state, Grab(player))
        if grabbed.phase is not Phase.PLACE:
            return _burns(state, spot, card, seen.layout, is_taken=is_taken)
        nearest = grabbed
    if nearest.phase is Phase.PLACE and nearest.hand == card:
        refused = rules.refusal(nearest, Place(player, place))
        if refused is not None:
            return refused
    name = _words(state, card)
    seat = state.seats[player - 1]
    if seat.spots[place - 1].blocked:
        problem = f"Place {place} of player {player} is blocked, so its slice stays face down there."
        remedy = "Put it back. What removes Hot Sauce goes to the Open Pile, and the Hot Sauce on top of it."
        return Refusal(headings.HOT_SAUCE, problem, remedy, (card, HOT_SAUCE))
    problem = f"Place {place} of player {player} shows {name}, and no grab can have led to that."
    if seat.order is not None and state.options.components.toppings[seat.order][place - 1] != card:
        problem = f"{name} does not belong to place {place} of player {player}."
    remedy = "Take it away; the slice that lay there goes back face down, other cards back to the Open Pile."
    return Refusal(headings.IF_YOU_GRAB, problem, remedy, (card,))


def _is_taken(state: State, card: str, seen: Seen) -> bool:
    """Whether this card lay on top of the Open Pile and does no more. Any other was drawn unseen, or turned up."""
    return state.open[-1:] == (card,) and seen.top.get(card, 0.0) < HINT


def _not_for_grabbing(state: State, player: Player) -> Refusal:
    refused = rules.refusal(state, Grab(player))
    assert refused is not None
    return refused


def _burns(state: State, spot: Spot, card: str, layout: Layout, *, is_taken: bool) -> Refusal:
    player, place = spot
    name = _words(state, card)
    problem = f"Player {player} has grabbed {name} and does not need it: that burns."
    if not is_taken:
        problem = (
            f"Place {place} of player {player} shows {name}, which player {player} does not need: grabbing it burns."
        )
    remedy = (
        "All face-up slices go with the Open Pile under the draw pile, new cards face down into the gaps"
        f"{layout.pressing(f'; then player {player} presses')}."
    )
    return Refusal(headings.GETTING_BURNED, problem, remedy, (card,))


def _sauce(state: State, nearest: State, odd: Odd, seen: Seen) -> Fault:
    """Hot Sauce where it may not be."""
    assert odd.spot is not None
    player, place = odd.spot
    if (
        odd.found == BLOCKED
        and state.seats[player - 1].spots[place - 1].blocked
        and _is_dealt_anew(state, nearest, player)
    ):
        problem = f"Place {place} of player {player}, who is burned, has its Hot Sauce still."
        refusal = Refusal(headings.PIZZA_RESET, problem, "All cards of the pizza go, Hot Sauce too.", (HOT_SAUCE,))
        return Fault(refusal, player, tuple(seen.at(odd.spot)), certain=odd.certain)
    if state.phase is Phase.DRAW and _is_taken(state, HOT_SAUCE, seen):
        return Fault(_not_for_grabbing(state, player), None, tuple(seen.at(odd.spot)), certain=odd.certain)
    is_open = state.phase is Phase.GRAB and state.open[-1] == HOT_SAUCE
    movers = rules.grabbers(state) if is_open else range(1, state.players + 1)
    mover = next((one for one in movers if one != player), player)
    held = changed(state, phase=Phase.PLACE, drawer=mover, hand=HOT_SAUCE, own=False)
    refused = rules.refusal(held, Block(mover, player, place))
    if refused is None:
        problem = f"Hot Sauce lies on place {place} of player {player}, and nobody can have grabbed it."
        remedy = "Take it away again."
        refused = Refusal(headings.HOT_SAUCE, problem, remedy)
    refusal = Refusal(refused.heading, refused.problem, refused.remedy, (HOT_SAUCE,))
    return Fault(refusal, None, tuple(seen.at(odd.spot)), certain=odd.certain)


def _gone_count(fit: Fit) -> int:
    """How many slices are gone: that somebody was burned explains it."""
    return sum(odd.spot is not None and odd.found in (None, DOWN) for odd in fit.odd)


def _is_dealt_anew(state: State, nearest: State, player: Player) -> bool:
    """Whether the table is on the way to a state in which this player has just been burned."""
    return nearest != state and nearest.phase is Phase.DRAW and nearest.drawer == player and not nearest.open


def _gone(state: State, nearest: State, odd: Odd, seen: Seen) -> Fault:
    """A slice or Hot Sauce that is no longer where it lay."""
    assert odd.spot is not None
    player, place = odd.spot
    if odd.expected == BLOCKED and _is_dealt_anew(state, nearest, player):
        problem = f"The Hot Sauce on place {place} of player {player}, who is burned, is gone."
        refusal = Refusal(headings.GETTING_BURNED, problem, "Hot Sauce stays: put it back on its slice.", (HOT_SAUCE,))
    elif odd.expected == BLOCKED:
        problem = f"The Hot Sauce on place {place} of player {player} is gone."
        remedy = "Only a Combo or the slice that belongs there removes it: put it back."
        refusal = Refusal(headings.HOT_SAUCE, problem, remedy, (HOT_SAUCE,))
    else:
        card = odd.expected or ""
        problem = f"{_words(state, card)} on place {place} of player {player} is gone."
        remedy = "Put it back, face up. Who got burned takes all face-up slices away, and the Open Pile."
        refusal = Refusal(headings.IF_YOU_GRAB, problem, remedy, (card,))
    return Fault(refusal, player, tuple(seen.at(odd.spot)), certain=odd.certain)


# The Open Pile, an order, a card elsewhere ----------------------------------------------------------------------------


def _pile(state: State, ways: Sequence[tuple[State, Fit]], odd: Odd, seen: Seen) -> Fault:
    """The card on top of the Open Pile cannot have come there."""
    cards = tuple(seen.open[:1])
    if odd.found is None:
        problem = "There is no Open Pile."
        then_press = seen.layout.pressing(", then presses")
        remedy = f"Put {_words(state, odd.expected or '')} back, face up. Who got burned deals anew{then_press}."
        return Fault(Refusal(headings.YOUR_TURN, problem, remedy, (odd.expected or "",)), None, certain=False)
    for after, fit in ways:
        # Somebody has discarded a card that must be used.
        if fit.odd == (odd,) and after.phase is Phase.PLACE and after.own and after.hand == odd.found:
            refused = rules.refusal(after, Stop(after.drawer))
            if refused is not None:
                problem = (
                    f"{_words(state, odd.found)} can be used by player {after.drawer}, so it may not be discarded."
                )
                refusal = Refusal(refused.heading, problem, refused.remedy, (odd.found,))
                return Fault(refusal, after.drawer, cards, certain=odd.certain)
    problem = f"{_words(state, odd.found)} cannot have come to the top of the Open Pile."
    remedy = "Put the cards back as they lay." if odd.expected is None else f"On top lay {_words(state, odd.expected)}."
    refusal = Refusal(headings.YOUR_TURN, problem, remedy, (odd.found,))
    return Fault(refusal, None, cards, certain=odd.certain)


def _burned_or_finished(state: State, ways: Sequence[tuple[State, Fit]], seen: Seen) -> Fault | None:
    """What is wrong with the card on the Open Pile where all the rest says that somebody is burned, or has finished a
    pizza; None where it does not."""
    for after, fit in ways:
        (odd,) = fit.odd if len(fit.odd) == 1 else (None,)
        if odd is None or not odd.is_pile or odd.found is None:
            continue
        player, before = after.drawer, state.seats[after.drawer - 1]
        name = _words(state, odd.found)
        refusal = None
        if len(after.seats[player - 1].finished) > len(before.finished):
            problem = f"Player {player} has finished a pizza, and {name} has come to the Open Pile."
            remedy = "The card replaced last goes face down beside the pizza, and nobody sees it yet."
            refusal = Refusal(headings.FINISHING, problem, remedy, (odd.found,))
        elif rules.found(before) and not rules.found(after.seats[player - 1]) and _is_dealt_anew(state, after, player):
            problem = f"Player {player} is burned, and {name} lies open."
            press = seen.layout.pressing(f" Player {player} presses before another is drawn.")
            remedy = f"The whole Open Pile goes under the draw pile; take away what was drawn since.{press}{UNBURNED}"
            refusal = Refusal(headings.GETTING_BURNED, problem, remedy, (odd.found,))
        if refusal is not None:
            return Fault(refusal, player, tuple(seen.open[:1]), certain=odd.certain)
    return None


def _freed(state: State, nearest: State) -> Spot | None:
    """The place of which somebody has taken the Hot Sauce."""
    for player, (before, after) in enumerate(zip(state.seats, nearest.seats, strict=True), start=1):
        for place, (was, now) in enumerate(zip(before.spots, after.spots, strict=True), start=1):
            if was.blocked and not now.blocked:
                return player, place
    return None


def _sauce_not_on_pile(freed: Spot, odd: Odd, seen: Seen) -> Fault:
    """Hot Sauce is gone from a place, and does not lie where it would if a card had removed it."""
    player, place = freed
    problem = f"The Hot Sauce on place {place} of player {player} is gone, and is not on top of the Open Pile."
    remedy = "Who removed it puts it there, on the card that removed it; if no card did, put it back on its slice."
    refusal = Refusal(headings.HOT_SAUCE, problem, remedy, (HOT_SAUCE,))
    return Fault(refusal, player, tuple(seen.open[:1]), certain=odd.certain)


def _order(odd: Odd) -> Fault:
    expected, found = (str(name).replace("-", " ") for name in (odd.expected, odd.found))
    problem = f"Player {odd.order_of} has {found} instead of {expected}."
    remedy = "A pizza has the order it was begun with until it is finished: lay that one back."
    pieces = tuple(name for name in (odd.expected,) if name)
    return Fault(Refusal(headings.FINISHING, problem, remedy, pieces), odd.order_of, certain=odd.certain)


def _is_order_turned(state: State, player: Player, seen: Seen) -> bool:
    """Whether all slices around an order card would lie right if it were turned."""
    lies = [seen.likely((player, place)) for place in range(1, PLACES + 1)]
    spots = state.seats[player - 1].spots
    words = [spot.up or (BLOCKED if spot.blocked else DOWN) for spot in spots]
    turned = (words[by:] + words[:by] for by in range(1, PLACES))
    return lies != words and any(lies == one for one in turned)


def _order_turned(player: Player, seen: Seen) -> Fault:
    problem = f"The order card of player {player} is turned, or the slices around it are."
    remedy = "Turn it back, so that each slice lies beyond the topping for which it was laid there."
    cards = tuple(index for index in (seen.orders.get(player),) if index is not None)
    return Fault(Refusal(headings.SETTING_UP, problem, remedy), player, cards)


def _elsewhere(seen: Seen, index: int) -> Fault:
    card = name_of(seen.scene.sightings[index])
    problem = "A slice lies face up beside the Open Pile and the pizzas."
    remedy = "Put it on top of the Open Pile, or where it goes in a pizza."
    return Fault(Refusal(headings.IF_YOU_GRAB, problem, remedy, (card,)), None, (index,))


def _cards(state: State) -> Sequence[str]:
    return state.options.components.cards


def _words(state: State, card: str) -> str:
    return state.options.components.words(card)
