"""What a player should do in SLICE, and why.

The game is a race, so a position is worth, for each player, the pizzas finished and the part of the next one that is
found. A card that fits brings a slice, and perhaps further ones: the card that it replaces fits in its turn as often as
the cards of its pool do. Only what everybody can know is used.
"""

from collections.abc import Sequence

from controller.game import Advice, Player
from controller.games.slice import rules
from controller.games.slice.components import COMBO, HOT_SAUCE
from controller.games.slice.rules import PLACES, Block, Count, Grab, Phase, Place, Seat, State, Stop

_MOST = 12
_BLOCK = 0.9
"""What a Hot Sauce card costs its victim, in slices: one card more, less for the doubt whether the place mattered."""
_DRAWERS_LOSS = 0.15
"""What being the Drawer costs, in slices: the chances to grab while drawing."""


def advise(state: State, player: Player) -> Sequence[Advice]:
    """Moves of this player, best first; nothing for a player who does best to do nothing, or may not act."""
    if state.phase is Phase.GRAB:
        found = [*_grabs(state, player), *_counts(state, player)]
    elif state.phase is Phase.PLACE and player == state.drawer:
        found = _blocks(state, player) if state.hand == HOT_SAUCE else [*_places(state, player), *_stops(state, player)]
    else:
        return ()
    return sorted(found, key=lambda one: -one.value)[:_MOST]


# While a card is open -------------------------------------------------------------------------------------------------


def _grabs(state: State, player: Player) -> list[Advice]:
    """Grabbing, where it is better than leaving the card."""
    if player not in rules.grabbers(state):
        return []
    card = state.open[-1]
    words = state.options.components.words(card)
    seat = state.seats[player - 1]
    if not rules.usable(state, player, card, revealed=False):
        gain = _burn_gain(state, seat)
        reason = f"burn on purpose: {rules.found(seat)} slices for a pizza without Hot Sauce"
    elif card == HOT_SAUCE:
        _, target, place = _best_block(state, player)
        gain = _margin_gain(state, player, target, _harm(state, target, place)) - _DRAWERS_LOSS
        reason = f"block place {place} of player {target}"
    else:
        gain = max(_gain(state, player, card, place) for place in _places_for(state, player, card)) - _DRAWERS_LOSS
        reason = f"{words} fits, and what it replaces may fit too"
    if gain <= 0:
        return []
    return [Advice(Grab(player), _margin(state, player) + gain / PLACES, reason)]


def _counts(state: State, player: Player) -> list[Advice]:
    if player != state.drawer:
        return []
    return [Advice(Count(player), _margin(state, player), "nobody grabs: count to three, then draw")]


def _burn_gain(state: State, seat: Seat) -> float:
    """What burning brings, in slices; without Pizza Reset it only costs."""
    blocked = sum(spot.blocked for spot in seat.spots)
    return (blocked if state.options.pizza_reset else 0) - rules.found(seat) - _DRAWERS_LOSS - 0.01


# With a card in hand --------------------------------------------------------------------------------------------------


def _places(state: State, player: Player) -> list[Advice]:
    assert state.hand is not None
    return [_place(state, player, state.hand, place) for place in rules.fitting(state)]


def _place(state: State, player: Player, card: str, place: int) -> Advice:
    spot = state.seats[player - 1].spots[place - 1]
    if spot.blocked:
        reason = f"removes the Hot Sauce from place {place}"
    elif _left(state.seats[player - 1]) == 1:
        reason = "finishes the pizza"
    else:
        chance = _chance_to_go_on(state, player, place)
        reason = f"place {place}: the card under it fits again in {chance:.0%} of all cases"
    return Advice(Place(player, place), _margin(state, player) + _gain(state, player, card, place) / PLACES, reason)


def _stops(state: State, player: Player) -> list[Advice]:
    if not (state.own and state.options.may_stop):
        return []
    return [Advice(Stop(player), _margin(state, player), "discard it, for the others to grab")]


def _places_for(state: State, player: Player, card: str) -> list[int]:
    """The places to which a grabbed card could go."""
    seat = state.seats[player - 1]
    assert seat.order is not None
    toppings = state.options.components.toppings[seat.order]
    wanted = (place for place in range(1, PLACES + 1) if card in (toppings[place - 1], COMBO))
    return [place for place in wanted if seat.spots[place - 1].up is None]


def _gain(state: State, player: Player, card: str, place: int) -> float:
    """Slices that the card brings there; Hot Sauce removed counts as what it cost. Of places that look alike a Combo
    goes where the topping is rarest."""
    if state.seats[player - 1].spots[place - 1].blocked:
        return _BLOCK
    left = _left(state.seats[player - 1])
    chance = _chance_to_go_on(state, player, place)
    further = chance * (1 - chance ** (left - 1)) / (1 - chance) if chance < 1 else left - 1
    return 1 + further + (0.1 * _rarity(state, player, place) if card == COMBO else 0)


def _chance_to_go_on(state: State, player: Player, place: int) -> float:
    """How likely the card that lies there face down fits one of the other places."""
    seat = state.seats[player - 1]
    pool = seat.spots[place - 1].pool
    assert pool is not None
    assert seat.order is not None
    components = state.options.components
    toppings = components.toppings[seat.order]
    others = {
        topping
        for number, (topping, spot) in enumerate(zip(toppings, seat.spots, strict=True), start=1)
        if spot.up is None and number != place and (state.options.revealed_cards_unblock or not spot.blocked)
    }
    if others and state.options.revealed_combo_is_wild:
        others.add(COMBO)
    counts = dict(zip(components.cards, state.pools[pool], strict=True))
    if state.own and state.hand is not None and state.lifted == pool:
        counts[state.hand] -= 1
    return sum(counts[one] for one in others) / sum(counts.values())


def _rarity(state: State, player: Player, place: int) -> float:
    """0 to 1: how few cards of the place's topping are still to come."""
    seat = state.seats[player - 1]
    assert seat.order is not None
    components = state.options.components
    number = components.index[components.toppings[seat.order][place - 1]]
    return 1 - sum(counts[number] for counts in state.pools) / max(1, components.counts[number])


def _left(seat: Seat) -> int:
    return sum(spot.up is None for spot in seat.spots)


# Hot Sauce ------------------------------------------------------------------------------------------------------------


def _blocks(state: State, player: Player) -> list[Advice]:
    ranked = sorted(_ranked_blocks(state, player), key=lambda one: -one[0])[:_MOST]
    return [
        Advice(
            Block(player, target, place),
            _margin(state, player) + _margin_gain(state, player, target, harm) / PLACES,
            f"player {target} has {rules.found(state.seats[target - 1])} of {PLACES} slices",
        )
        for harm, target, place in ranked
    ]


def _ranked_blocks(state: State, player: Player) -> list[tuple[float, Player, int]]:
    """Every face-down slice of another player, with how much it hurts to block it: the leader most."""
    return [
        (_harm(state, target, place) + 10 * _standing(seat), target, place)
        for target, seat in enumerate(state.seats, start=1)
        if target != player
        for place, spot in enumerate(seat.spots, start=1)
        if spot.up is None and not spot.blocked
    ]


def _best_block(state: State, player: Player) -> tuple[float, Player, int]:
    return max(_ranked_blocks(state, player), key=lambda one: (one[0], -one[1], -one[2]))


def _harm(state: State, target: Player, place: int) -> float:
    """What blocking costs its victim, in slices: most where few places are left and the topping is rare."""
    seat = state.seats[target - 1]
    return _BLOCK * (0.5 + 0.4 * rules.found(seat) / PLACES + 0.1 * _rarity(state, target, place))


# What a position is worth ---------------------------------------------------------------------------------------------


def _standing(seat: Seat) -> float:
    """Pizzas finished, and the part of the next one that is found."""
    blocked = sum(spot.blocked for spot in seat.spots)
    return len(seat.finished) + (rules.found(seat) - _BLOCK * blocked) / PLACES


def _margin(state: State, player: Player) -> float:
    """How far this player is before the best other one, in pizzas."""
    others = (_standing(seat) for other, seat in enumerate(state.seats, start=1) if other != player)
    return _standing(state.seats[player - 1]) - max(others)


def _margin_gain(state: State, player: Player, target: Player, harm: float) -> float:
    """What it brings this player, in slices, to throw the target back by so many: more against the leader."""
    others = {other: _standing(seat) for other, seat in enumerate(state.seats, start=1) if other != player}
    return harm if others[target] == max(others.values()) else harm / 2
