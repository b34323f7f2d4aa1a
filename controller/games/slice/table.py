"""How SLICE lies on a table: what a scene says about a state.

It is a race, so nobody presses a button where the cards tell what has happened. What counts when:

- Everybody has an order card face up and eight slices face down around it: that deals the orders, and the first Drawer
  may draw.
- A card that comes to rest on the Open Pile is drawn; that it covers another one says that nobody grabbed that.
- Who grabbed a card is whose pizza it comes to lie in; slap pads, where there are any, show who was first, and are
  believed by the players. A grab counts as a whole, when it has come to its end: the card lies in a pizza, the cards
  revealed meanwhile in further places, the last one face up on the Open Pile. In which order the places were filled is
  not seen, so which face-down card was which is not either: on a table all of them are one pool (`OPTIONS`).
- Eight right slices around an order finish the pizza as they lie there.

A button says what cards cannot:

- Who got burned presses when the pizza is dealt anew; so does who has finished a pizza, when the new order, eight new
  slices and the hidden card, turned over, lie there.
- Where the card on the Open Pile looks like the one under it, a camera cannot tell whether it was drawn or discarded,
  or the card that lay above it taken: the Drawer presses. Without any sign that a card was laid there it is asked. A
  card drawn onto its like and grabbed before the Drawer has pressed is taken for the one it covered; one that burned
  somebody before it lay still is never seen at all.
- A card that is grabbed before it was seen on the Open Pile, and looks like one that was passed over just before, may
  be that one: it is asked.
- Hot Sauce in a pizza does not tell who put it there: who did presses, where it can have been several players, or
  where it has not been seen on the Open Pile: it may come from the pizza of one who may not use it, or have lain there.

Hot Sauce that is removed goes to the Open Pile over the card that removed it, so that this shows; where it does not and
nobody saw that card before, it is asked which it was. The draw pile is not counted, face-down cards beside the pizzas
(the hidden one, finished orders) are nobody's move. What cannot be seen speaks for nothing and against nothing.
"""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from controller.game import Player
from controller.games.slice import faults, rules
from controller.games.slice.components import COMBO, HOT_SAUCE
from controller.games.slice.rules import (
    Block,
    Count,
    DealOrder,
    Draw,
    Grab,
    Move,
    Phase,
    Place,
    Reveal,
    State,
    Stop,
    TurnOver,
)
from controller.games.slice.seen import BLOCKED, DOWN, HINT, Fit, Look, Seen, Spot
from controller.reading import Layout, Play, Reading, ReadingKind
from vision.scene import Pose, Scene

OPTIONS = {"returned_cards": "mixed"}
"""What it is played with on a table, see above; played otherwise, the likeliest way is taken."""
OTHER = math.log(0.005)
"""How readily something that no rule allows is believed instead."""
OVERLOOKED = math.log(0.0005)
"""How readily it is believed that a card was drawn and grabbed before it was seen at rest, where one that was seen may
have been grabbed instead."""
MOVED_MM, MOVED_DEG = 1.5, 2.5
"""A card that lies no farther away, nor more turned, may have been measured anew."""
UNTOLD_DRAW = 0.6
"""How far the Drawer's button alone is believed, where nothing shows that another card was laid on its like."""
WORTH_ASKING = 0.01
MOST_ASKED = 6
MOST_WAYS = 4000
"""More ways to play what is seen are not gone through."""
UNSEEN_DEALT = 4
"""So many slices of a player that lie face down may be missed by the camera when they have just been dealt."""
IN_REACH = 2
"""So many cards under the open one peep out, or are pulled out quickly."""
Moves = tuple[Move, ...]
_UNDER_WAY = frozenset({Phase.ORDER, Phase.PLACE, Phase.REVEAL, Phase.HIDDEN})
"""What the game waits for while somebody still has a card in hand."""


@dataclass(frozen=True, slots=True)
class Way:
    """What may have been played, nothing included, and how well that fits."""

    moves: Moves
    state: State
    """The state after it."""
    look: Look
    prior: float = 0.0
    """The logarithm of how likely its cards come up,"""
    readiness: float = 0.0
    """and of how readily it is believed."""
    finishes: bool = False
    """Whether its last move finishes a pizza, which lies there as it is."""
    fit: Fit = Fit(0.0, ())
    unseen: int = 0
    """How many places that it changes cannot be seen."""

    @property
    def fits(self) -> bool:
        """Whether nothing contradicts it."""
        return not self.fit.odd and not self.unseen

    @property
    def is_in_hand(self) -> bool:
        """Whether somebody has a card in hand after it."""
        return self.state.phase in _UNDER_WAY and not self.finishes

    @property
    def is_whole(self) -> bool:
        """Whether nobody has, or is still counting."""
        counts = bool(self.moves) and isinstance(self.moves[-1], Count) and self.state.phase is Phase.DRAW
        return not self.is_in_hand and not (counts and self.state.open)

    @property
    def overlooks(self) -> bool:
        """Whether a card was drawn and grabbed before it was seen, instead of one that was seen."""
        kinds = [type(move) for move in self.moves]
        return Draw in kinds[1:] and Grab in kinds[kinds.index(Draw, 1) :]

    @property
    def is_silent(self) -> bool:
        """Whether it ends with a card drawn onto its like."""
        drawn = bool(self.moves) and isinstance(self.moves[-1], Draw)
        return drawn and len(self.state.open) > 1 and self.state.open[-1] == self.state.open[-2]

    @property
    def log(self) -> float:
        """The logarithm of the evidence."""
        return self.fit.log + self.prior + self.readiness


@dataclass(frozen=True, slots=True)
class Known:
    """What is known from when the state began."""

    is_laid_anew: bool
    """Whether the open card lies otherwise than then."""
    is_untouched: bool
    """Whether it lies just as it did then."""
    is_uncovered: bool
    """Whether the card on top lies where the one under the open card lay: the open card was taken away."""
    unseen: frozenset[Spot]
    """Where nothing was seen then."""


class SliceTable:
    """See `controller.reading.GameTable`. It remembers where the open card lay when a state began, and where those
    under it had lain: this tells a card laid on its like, and one that only shows again from one that was drawn. It
    remembers where the order cards lay, too: while one cannot be seen, cards are drawn and grabbed all the same."""

    def __init__(self) -> None:
        self._open_cards: dict[State, tuple[Pose | None, ...]] = {}
        """Where each card of the Open Pile lay when it was the open one; None where that is not known. By the state
        read last, and by those that the plays read then lead to."""
        self._unseen: dict[State, frozenset[Spot]] = {}
        """Likewise, the places at which nothing was seen,"""
        self._orders: dict[State, Mapping[Player, Pose]] = {}
        """and where each order card lay."""

    def read(self, state: State, scene: Scene, layout: Layout, pressed: frozenset[Player]) -> Reading:
        """What a scene at rest says."""
        orders = self._orders.get(state, {})
        dealt = {player: pose for player, pose in orders.items() if state.seats[player - 1].order is not None}
        seen = Seen(scene, layout, range(1, state.players + 1), dealt)
        reading = self._read(state, seen, pressed)
        self._remember(state, reading.plays, seen)
        return replace(
            reading,
            places=tuple(seen.place(index) for index in range(len(scene.sightings))),
            faces=tuple(sighting.face for sighting in scene.sightings),
        )

    def lamps(self, state: State) -> frozenset[Player]:
        """The Drawer's."""
        return frozenset() if state.phase is Phase.OVER else frozenset({state.drawer})

    def _read(self, state: State, seen: Seen, pressed: frozenset[Player]) -> Reading:
        missing = seen.missing()
        if is_setting_up(state) and missing:
            fault = faults.no_order(missing[0]) if seen.orders else None
            return replace(_unfinished(faults.to_deal(missing)), fault=fault)
        gone = [player for player in missing if state.seats[player - 1].order is not None]
        no_order = Reading(ReadingKind.FAULT, (), fault=faults.no_order(gone[0])) if gone else None
        if no_order is not None and not seen.order_poses.keys() >= set(gone):
            return no_order
        if seen.pile_hidden:
            return _unfinished("")
        ways = [_fitted(way, state, seen) for way in _ways(state, seen)]
        lay, top = self._open_cards.get(state, ()), _open_card(seen)
        known = Known(
            is_laid_anew=bool(lay) and _is_elsewhere(top, lay[-1]),
            is_untouched=bool(lay) and _is_there(top, lay[-1]) and seen.top.get(state.open[-1], 0.0) >= HINT,
            is_uncovered=len(lay) > 1 and _is_there(top, lay[-2]),
            unseen=self._unseen.get(state, frozenset()),
        )
        reading = _judged(state, seen, ways, pressed, known)
        return reading if reading.plays or no_order is None else no_order

    def _remember(self, state: State, plays: Sequence[Play], seen: Seen) -> None:
        if seen.pile_hidden:
            return
        top = _open_card(seen)
        lay = self._open_cards.get(state) or _as_many((), state, top)
        now = {state: lay}
        unseen = frozenset(spot for spot in seen.contents if not seen.is_seen(spot))
        self._unseen = {state: self._unseen.get(state, unseen)}
        self._orders = {state: seen.order_poses}
        for play in plays:
            after = state
            for move in play.moves:
                after = rules.apply(after, move)
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(state.open, after.open, strict=False)))
            now[after], self._unseen[after] = _as_many(lay[:same], after, top), unseen
            self._orders[after] = seen.order_poses
        self._open_cards = now


def _as_many(lay: tuple[Pose | None, ...], state: State, top: Pose | None) -> tuple[Pose | None, ...]:
    """Where each card of the Open Pile lay, the open one as seen now."""
    under = len(state.open) - 1
    return (*lay[:under], *[None] * (under - len(lay)), top) if state.open else ()


def _open_card(seen: Seen) -> Pose | None:
    return seen.scene.sightings[seen.open[0]].pose if seen.open else None


def _is_elsewhere(one: Pose | None, other: Pose | None) -> bool:
    """Whether a card lies otherwise than it did."""
    return one is not None and other is not None and not _is_there(one, other)


def _is_there(one: Pose | None, other: Pose | None) -> bool:
    """Whether a card lies as it did, but for how exactly that is measured."""
    if one is None or other is None:
        return False
    turned = abs((one.angle_deg - other.angle_deg + 180.0) % 360.0 - 180.0)
    return math.dist((one.x_mm, one.y_mm), (other.x_mm, other.y_mm)) <= MOVED_MM and turned <= MOVED_DEG


GAME_TABLE = SliceTable()


def appearance(state: State) -> Look:
    """What a perfect camera would see of a state; while a pizza is dealt anew, of the others'."""
    dealt = {player: seat for player, seat in enumerate(state.seats, start=1) if seat.order is not None}
    spots = {
        (player, place): spot.up or (BLOCKED if spot.blocked else DOWN)
        for player, seat in dealt.items()
        for place, spot in enumerate(seat.spots, start=1)
    }
    orders = {player: seat.order for player, seat in dealt.items() if seat.order is not None}
    if is_setting_up(state):
        return Look({}, {}, None, any_pile=True)
    top = state.open[-1] if state.open else None
    # Only Hot Sauce that was removed lies so that what is under it shows.
    freed = state.phase is Phase.DRAW and top == HOT_SAUCE and len(state.open) > 1
    return Look(orders, spots, top, state.open[-2] if freed else None, any_pile=state.phase is Phase.ORDER)


def is_setting_up(state: State) -> bool:
    """Whether the first orders are being dealt."""
    return state.phase is Phase.ORDER and state.lifted is None


def _after_finish(state: State) -> bool:
    """Whether somebody who has finished a pizza gets a new order."""
    return state.phase is Phase.ORDER and state.lifted is not None


# Which plays the scene may show ---------------------------------------------------------------------------------------


def _ways(state: State, seen: Seen) -> Sequence[Way]:
    """Everything that something seen speaks for, playing nothing first; each state that it may lead to once."""
    found = [Way((), state, appearance(state))]
    known = {state}
    for way in found:
        if len(found) > MOST_WAYS:
            break
        for move in _steps(state, way, seen):
            if rules.refusal(way.state, move) is None:
                after = _after(way, move)
                if after.state not in known:
                    known.add(after.state)
                    found.append(after)
    return found


def _after(way: Way, move: Move) -> Way:
    before, state = way.state, rules.apply(way.state, move)
    finishes = isinstance(move, Place) and state.phase in (Phase.ORDER, Phase.OVER)
    look = _finished(before, move) if finishes and isinstance(move, Place) else appearance(state)
    after = Way((*way.moves, move), state, look, way.prior + _log_chance(before, move), way.readiness, finishes)
    return replace(after, readiness=OVERLOOKED) if after.overlooks else after


def _finished(before: State, move: Place) -> Look:
    """The pizza that this move finishes, as it lies there."""
    look = appearance(before)
    assert before.hand is not None
    return replace(look, spots={**look.spots, (move.player, move.place): before.hand})


def _log_chance(state: State, move: Move) -> float:
    match move:
        case Draw(card):
            pool = state.pile[0].pool
        case Reveal(card) | TurnOver(card):
            assert state.lifted is not None
            pool = state.lifted
        case _:
            return 0.0
    counts = state.pools[pool]
    return math.log(counts[state.options.components.index[card]] / sum(counts))


def _steps(start: State, way: Way, seen: Seen) -> Iterator[Move]:
    """What may have been done next, legal or not."""
    state, moves = way.state, way.moves
    drawer = state.drawer
    if _burned(start, moves) or way.finishes or way.is_silent:
        return  # these need time, or a button, before anything else is done
    match state.phase:
        case Phase.ORDER:
            player = next(p for p, seat in enumerate(state.seats, start=1) if seat.order is None)
            yield from (DealOrder(player, order) for order, share in seen.order_faces(player).items() if share >= HINT)
        case Phase.DRAW if not any(isinstance(move, Draw) for move in moves):
            only = set(state.open[-1:]) if _shows_nothing(way) else set()
            yield from (Draw(card) for card in sorted(_wanted(state, seen)) if card not in set(state.open[-1:]) - only)
        case Phase.GRAB:
            if not moves:
                yield Count(drawer)
            lifted = len(moves) <= 1 and _may_be_lifted(state, seen)
            yield from (
                Grab(player)
                for player in rules.grabbers(state)
                if _may_have_grabbed(state, seen, player, lifted=lifted)
            )
        case Phase.PLACE:
            yield from _placings(state, seen)
        case Phase.REVEAL:
            yield from map(Reveal, sorted(_wanted(state, seen)))
        case Phase.HIDDEN:
            yield from map(TurnOver, sorted(_wanted(state, seen)))
        case _:
            return


def _wanted(state: State, seen: Seen) -> set[str]:
    """The cards by which something seen might be explained: the one on top of the Open Pile, those that lie where the
    state has a face-down card, those that removed Hot Sauce."""
    cards = {card for card, share in seen.top.items() if share >= HINT}
    for player, seat in enumerate(state.seats, start=1):
        for place, spot in enumerate(seat.spots, start=1):
            if spot.up is not None or seat.order is None:
                continue
            words = [word for word, share in seen.contents[player, place].items() if share >= HINT]
            if spot.blocked and DOWN in words:
                cards |= {state.options.components.toppings[seat.order][place - 1], COMBO}
            elif not spot.blocked:
                cards |= {HOT_SAUCE if word == BLOCKED else word for word in words}
    return cards & set(state.options.components.index)


def _may_be_lifted(state: State, seen: Seen) -> bool:
    """Whether the open card may be in a hand: what lay under it shows."""
    return seen.top.get(state.open[-2], 0.0) >= HINT if len(state.open) > 1 else not seen.top


def _may_have_grabbed(state: State, seen: Seen, player: Player, *, lifted: bool) -> bool:
    """Whether a grab by this player explains anything: the card is in a hand, or lies in a pizza now."""
    card, seat = state.open[-1], state.seats[player - 1]
    if not rules.usable(state, player, card, revealed=False):
        up = ((place, spot.up) for place, spot in enumerate(seat.spots, start=1) if spot.up is not None)
        return seen.top.get(card, 0.0) < HINT and not any(seen.hinted((player, place), face) for place, face in up)
    return lifted or any(True for _ in _placings(rules.apply(state, Grab(player)), seen))


def _placings(state: State, seen: Seen) -> Iterator[Move]:
    """Where the card in hand may have been put."""
    drawer, card = state.drawer, state.hand
    assert card is not None
    for place in rules.fitting(state):
        spot = state.seats[drawer - 1].spots[place - 1]
        if seen.hinted((drawer, place), DOWN if spot.blocked else card):
            yield Place(drawer, place)
    if card == HOT_SAUCE:
        yield from (
            Block(drawer, target, place)
            for (target, place) in seen.contents
            if target != drawer and seen.hinted((target, place), BLOCKED)
        )
    if state.own and state.options.may_stop and seen.top.get(card, 0.0) >= HINT:
        yield Stop(drawer)


def _fitted(way: Way, state: State, seen: Seen) -> Way:
    before = appearance(state).spots
    changed = [spot for spot, word in way.look.spots.items() if before.get(spot) != word]
    if _burned(state, way.moves):  # what was grabbed may lie where nothing is seen
        own = (spot for spot in way.look.spots if spot[0] == way.state.drawer)
        changed += [spot for spot in own if spot not in changed and not seen.is_seen(spot)]
    # Under a hand there may be another card by now, and at its other places what it has changed just before.
    unseen = sum(not seen.is_seen(spot) or spot[0] in seen.in_hands for spot in changed)
    unseen += sum(seen.was_otherwise(spot, word) for spot, word in way.look.spots.items() if spot not in changed)
    if way.overlooks:  # what was seen last may lie where nothing is seen
        grabbers = {move.player for move in way.moves if isinstance(move, Grab)}
        unseen += sum(not seen.is_seen(spot) for spot in way.look.spots if spot[0] in grabbers)
    dealt = state.phase is Phase.ORDER or _burned(state, way.moves)
    hidden = [spot[0] for spot in changed if not seen.is_seen(spot)]
    if dealt and len(changed) > len(hidden) and all(hidden.count(player) <= UNSEEN_DEALT for player in hidden):
        unseen -= sum(player not in seen.in_hands for player in hidden)
    return replace(way, fit=seen.fit(way.look), unseen=unseen)


def _burned(start: State, moves: Moves) -> bool:
    """Whether these moves end with a grab by which somebody got burned."""
    if not moves or not isinstance(moves[-1], Grab):
        return False
    for move in moves[:-1]:
        start = rules.apply(start, move)
    return not rules.usable(start, moves[-1].player, start.open[-1], revealed=False)


# What that means ------------------------------------------------------------------------------------------------------


def _judged(state: State, seen: Seen, ways: Sequence[Way], pressed: frozenset[Player], known: Known) -> Reading:
    here = ways[0]
    bare = [way for way in ways[1:] if known.is_uncovered and _bares(state, way)]
    bare = [way for way in bare if isinstance(way.moves[-1], Draw) or not pressed]
    whole = [way for way in ways[1:] if way.fits and way.is_whole and way not in bare]
    under_way = [way for way in ways[1:] if way.fits and way.is_in_hand]
    if state.phase is Phase.ORDER:
        here = replace(here, unseen=1)  # it looks like nothing yet
    chances = _chances([*([here] if here.fits else []), *whole], seen)
    if here.fits and all(chances[()] >= chances[way.moves] or _shows_nothing(way) for way in whole):
        reading = _as_before(state, [way for way in whole if _shows_nothing(way)], pressed, known)
        return reading if reading.declares & pressed else _with_gaps(reading, here.look, seen)
    if whole:
        return _moves(state, seen, whole, under_way, chances, pressed, known)
    if _after_finish(state):
        return _unfinished(faults.to_deal_anew(state, bool(under_way), seen.layout))
    if is_setting_up(state) and not pressed:
        gap = next((spot for spot in seen.contents if not seen.is_seen(spot)), None)
        return replace(_unfinished(faults.EIGHT_SLICES), fault=None if gap is None else faults.empty(gap, DOWN))
    if under_way and not pressed:
        return _unfinished(faults.under_way(state, [way.state for way in under_way]))
    likely = [way for way in ways if not known.is_untouched or _kept(state, way.moves) == len(state.open)]
    fault = faults.fault_of(state, [(way.state, way.fit) for way in likely], seen)
    if under_way and known.is_uncovered:  # whatever was pressed, the card may still be on its way
        return replace(_unfinished(faults.under_way(state, [way.state for way in under_way])), fault=fault)
    return Reading(ReadingKind.FAULT, (), fault=fault)


def _bares(state: State, way: Way) -> bool:
    """Whether this way says that a card was laid on the Open Pile which looks like the one under the open card."""
    return _lays(state, way, state.open[-2:-1])


def _is_replaced(state: State, way: Way) -> bool:
    """Whether this way says that a card was laid on the Open Pile which looks like the open card. Who only takes Hot
    Sauce away, or turns up a slice of a pizza, lays none there."""
    return _lays(state, way, state.open[-1:])


def _lays(state: State, way: Way, card: tuple[str, ...]) -> bool:
    """Whether this way says that such a card has come to the top of the Open Pile; that there is none, without any."""
    return bool(card) and way.state.open[-1:] == card and len(way.state.open) > _kept(state, way.moves)


def _is_like_what_freed(state: State, way: Way) -> bool:
    """Whether this way says that Hot Sauce was removed and a card drawn onto it that looks like what removed it: it may
    be that one, put over the Hot Sauce by mistake, and nothing to grab."""
    laid = way.state.open[_kept(state, way.moves) :]
    return isinstance(way.moves[-1], Draw) and laid[-3:-1] == (laid[-1], HOT_SAUCE)


def _is_like_one_passed_over(state: State, way: Way) -> bool:
    """Whether this way says that a card was drawn and grabbed before it was seen which looks like one that lay under
    the open card: it may be that one, which is not to be grabbed, and what it replaced covers where it lay."""
    passed = state.open[:-1] if state.phase is Phase.GRAB else state.open
    drawn = {one.card for one, two in pairwise(way.moves) if isinstance(one, Draw) and isinstance(two, Grab)}
    return not drawn.isdisjoint(passed[-IN_REACH:])


def _blocks_unseen(state: State, way: Way) -> bool:
    """Whether this way says that Hot Sauce was grabbed that was not the open card: it may be a face-down slice that was
    turned up, or come from the own pizza of who put it there."""
    was_open = state.phase is Phase.GRAB and state.open[-1] == HOT_SAUCE and isinstance(way.moves[0], Grab)
    return any(isinstance(move, Block) for move in way.moves[2 if was_open else 0 :])


def _revealer_of_sauce(state: State, way: Way) -> Player | None:
    """Who, by this way, revealed Hot Sauce that another then put on a pizza."""
    revealer = None
    for move in way.moves:
        state = rules.apply(state, move)
        if move == Reveal(HOT_SAUCE) and state.phase is Phase.GRAB:
            revealer = state.drawer
    return revealer


def _kept(state: State, moves: Moves) -> int:
    """How many cards of the Open Pile these moves leave where they lie."""
    kept = len(state.open)
    for move in moves:
        state = rules.apply(state, move)
        kept = min(kept, len(state.open))
    return kept


def _chances(ways: Sequence[Way], seen: Seen) -> Mapping[Moves, float]:
    """The share of the evidence of everything that fits, beside what no rule allows. What looks alike in all that
    anybody can see counts together, for the likeliest of it; the others have none."""
    if not ways:
        return {}
    likeliest = max(ways, key=lambda way: way.log)
    other = OTHER + seen.ceiling(likeliest.look) + likeliest.prior + likeliest.readiness
    top = max(other, *(way.log for way in ways))
    best, sums = dict[Hashable, Way](), dict[Hashable, float]()
    for way in ways:
        key = _observable(way)
        sums[key] = sums.get(key, 0.0) + math.exp(way.log - top)
        if key not in best or way.log > best[key].log:
            best[key] = way
    total = sum(sums.values()) + math.exp(other - top)
    told = {best[key].moves: share / total for key, share in sums.items()}
    return {way.moves: told.get(way.moves, 0.0) for way in ways}


def _observable(way: Way) -> Hashable:
    """What everybody sees of a state: all but the pools that face-down cards come from."""
    state = way.state
    seats = tuple(
        (seat.order, seat.finished, tuple((spot.up, spot.blocked) for spot in seat.spots)) for seat in state.seats
    )
    return (not way.moves, state.phase, state.drawer, state.hand, state.own, state.open, state.draws, seats)


def _shows_nothing(way: Way) -> bool:
    """Whether these moves leave everything looking as it was: one card more on its like, a card thrown away."""
    return all(isinstance(move, Count | Draw | Grab) for move in way.moves)


def _as_before(state: State, unseen: Sequence[Way], pressed: frozenset[Player], known: Known) -> Reading:
    """Nobody has begun anything; or what was done looks like that, and a button says so."""
    by = {_who(state, way): way for way in reversed(unseen)}
    declared = sorted(set(by) & pressed) or sorted(by)
    if not declared:
        return Reading(ReadingKind.AS_BEFORE, ())
    way = by[declared[0]]
    drawn = any(isinstance(move, Draw) for move in way.moves)
    believed = UNTOLD_DRAW if drawn and not known.is_laid_anew else 1.0
    play = Play(way.moves, believed, describe(state, way.moves), _faces(way.moves))
    return Reading(ReadingKind.AS_BEFORE, (), plays=(play,), declares=frozenset(by))


def _with_gaps(reading: Reading, look: Look, seen: Seen) -> Reading:
    """Nothing has changed but that a slice is not seen: somebody may look at it, and lays it back."""
    gaps = [spot for spot in look.spots if not seen.is_seen(spot) and spot[0] not in seen.in_hands]
    if not gaps:
        return reading
    fault = faults.empty(gaps[0], look.spots[gaps[0]])
    return replace(reading, kind=ReadingKind.UNFINISHED, fault=fault, note=fault.refusal.problem)


def _moves(
    state: State,
    seen: Seen,
    whole: Sequence[Way],
    under_way: Sequence[Way],
    chances: Mapping[Moves, float],
    pressed: frozenset[Player],
    known: Known,
) -> Reading:
    named = [way for way in whole if chances[way.moves] > 0.0]
    by_button = [way for way in named if _who(state, way) in pressed]
    if by_button:
        named = by_button
        total = sum(chances[way.moves] for way in whole)
        share = sum(chances[way.moves] for way in named)
        chances = {way.moves: chances[way.moves] * total / share for way in named}
    named = sorted(named, key=lambda way: -chances[way.moves])
    worth = [way for way in named if way is named[0] or chances[way.moves] >= WORTH_ASKING][:MOST_ASKED]
    told = tuple(Play(way.moves, chances[way.moves], describe(state, way.moves), _faces(way.moves)) for way in worth)
    best = worth[0]
    who = _who(state, best)
    under_way = [way for way in under_way if best.overlooks or not way.overlooks]
    others = frozenset(_who(state, way) for way in worth if way.look == best.look) - {who}
    unseen_sauce = _blocks_unseen(state, best)
    waits = others or under_way or unseen_sauce or _burned(state, best.moves)
    if state.phase is Phase.ORDER:
        waits = _after_finish(state)
    taken_unseen = _may_be_taken(under_way, best, who) or _may_be_grabbed(state, best, seen, known)
    laid_unseen = (not known.is_laid_anew and _is_replaced(state, best)) or _is_like_what_freed(state, best)
    laid_unseen = laid_unseen or (known.is_uncovered and _bares(state, best))
    unsaid = (unseen_sauce and not seen.layout.buttons) or _is_like_one_passed_over(state, best)
    gap = _gap_beside(best, seen, known) if _burned(state, best.moves) else None
    if taken_unseen or laid_unseen or unsaid or gap is not None or _may_go_on(best, seen, known):
        told = tuple(replace(play, probability=play.probability * UNTOLD_DRAW) for play in told)
    if under_way and pressed and who not in pressed and state.phase is not Phase.ORDER:
        return Reading(ReadingKind.FAULT, (), fault=faults.in_hand(state, under_way[0].state))
    revealer = _revealer_of_sauce(state, best)
    if revealer in pressed and who not in pressed:
        return Reading(ReadingKind.FAULT, (), fault=faults.own_sauce(revealer, seen.layout))
    if gap is not None:
        return _beside_gap(told, gap, who, pressed)
    confirm = who if waits else None
    return Reading(ReadingKind.MOVES, (), plays=told, confirm=confirm, others=others, note=told[0].text)


def _gap_beside(way: Way, seen: Seen, known: Known) -> Spot | None:
    """A place of somebody whom a way does not say to be burned, where a slice lay face up and nothing is seen any more:
    it may be that one's pizza that is dealt anew."""
    up = (spot for spot, word in way.look.spots.items() if word not in (DOWN, BLOCKED) and spot[0] != way.state.drawer)
    return next((spot for spot in up if not seen.is_seen(spot) and spot not in known.unseen), None)


def _beside_gap(told: tuple[Play, ...], gap: Spot, who: Player, pressed: frozenset[Player]) -> Reading:
    """Somebody is burned; who is says so."""
    fault = faults.to_fill(gap)
    if gap[0] in pressed and who not in pressed:
        return Reading(ReadingKind.FAULT, (), fault=fault)
    return Reading(ReadingKind.MOVES, (), plays=told, confirm=who, note=fault.refusal.problem)


def _may_go_on(way: Way, seen: Seen, known: Known) -> bool:
    """Whether a card may have been put where nothing is seen any more, too."""
    players = {move.player for move in way.moves if isinstance(move, Place)}
    down = {spot for spot, word in way.look.spots.items() if word in (DOWN, BLOCKED) and spot[0] in players}
    return any(not seen.is_seen(spot) for spot in down - known.unseen)


def _may_be_grabbed(state: State, way: Way, seen: Seen, known: Known) -> bool:
    """Whether the open card, of which a way says that nobody grabbed it, or one that was drawn on it unseen, may have
    been put where nothing is seen any more, though no hand is there: the card that lay there would be the one that
    seems to have been drawn. Cards are lost that way when a lamp is switched on, until the camera has followed."""
    card = way.moves[-1]
    if not (isinstance(way.moves[0], Count) and isinstance(card, Draw)):
        return False
    lost = {spot for spot in seen.contents if not seen.is_seen(spot) and spot[0] not in seen.in_hands} - known.unseen
    if not lost:
        return False
    counted = rules.apply(state, way.moves[0])
    drawn = [rules.apply(counted, move) for move in rules.legal(counted) if isinstance(move, Draw)]
    return any(_may_be_put(one, *spot, card.card) for spot in lost for one in (state, *drawn))


def _may_be_put(state: State, player: Player, place: int, revealed: str) -> bool:
    """Whether a player may grab the open card and put it there, where the other that is `revealed` lay."""
    if rules.refusal(state, Grab(player)) is not None or not rules.usable(
        state, player, state.open[-1], revealed=False
    ):
        return False
    grabbed, put = rules.apply(state, Grab(player)), Place(player, place)
    return rules.refusal(grabbed, put) is None and rules.refusal(rules.apply(grabbed, put), Reveal(revealed)) is None


def _may_be_taken(under_way: Sequence[Way], best: Way, who: Player) -> bool:
    """Whether whose button says that a card was drawn may have taken the open one instead: where two play."""
    drawn = isinstance(best.moves[-1], Draw)
    return drawn and any(isinstance(way.moves[-1], Grab) and way.state.drawer == who for way in under_way)


def _who(state: State, way: Way) -> Player:
    """Whose button confirms a play: the Drawer's, who drew or grabbed last."""
    return way.state.drawer if way.moves else state.drawer


def _unfinished(note: str) -> Reading:
    return Reading(ReadingKind.UNFINISHED, (), note=note)


# In words -------------------------------------------------------------------------------------------------------------


def describe(state: State, moves: Moves) -> str:
    """A play in a player's words."""
    words = []
    for move in moves:
        words.append(_words(state, move))
        state = rules.apply(state, move)
    return "; ".join(filter(None, words))


def _words(state: State, move: Move) -> str:
    named = state.options.components.words
    match move:
        case DealOrder(player, order):
            return f"Player {player} gets {order.replace('-', ' ')}"
        case Draw(card):
            return f"Player {state.drawer} draws {named(card)}"
        case Count(_):
            return "Nobody grabs"
        case Grab(player):
            usable = rules.usable(state, player, state.open[-1], revealed=False)
            thrown = state.open[-1] == HOT_SAUCE and state.options.useless_hot_sauce == "discard"
            return f"Player {player} grabs {named(state.open[-1])}" + ("" if usable or thrown else " and gets burned")
        case Place(player, place):
            assert state.hand is not None
            if state.seats[player - 1].spots[place - 1].blocked:
                return f"{named(state.hand)} frees place {place}"
            done = sum(spot.up is None for spot in state.seats[player - 1].spots) == 1
            return f"{named(state.hand)} to place {place}" + (f": Player {player} finishes a pizza" if done else "")
        case Block(_, target, place):
            return f"Hot Sauce on place {place} of player {target}"
        case Stop(_):
            return ""
        case Reveal(card):
            fits = rules.usable(state, state.drawer, card, revealed=True)
            return "" if fits else f"{named(card)} is up to be grabbed"
        case TurnOver(card):
            return f"{named(card)} was hidden"


def _faces(moves: Moves) -> tuple[str, ...]:
    """What shows a play in a picture."""
    cards: list[str] = []
    for move in moves:
        match move:
            case Draw(card) | Reveal(card) | TurnOver(card):
                cards.append(card)
            case DealOrder(_, order):
                cards.append(order)
            case _:
                pass
    return tuple(dict.fromkeys(cards))
