"""How people handle SLICE's cards: dealing, drawing, grabbing, swapping, getting burned. For simulated players.

Poses as in `vision.scene`. The cards are shuffled here, once: what is drawn and what lies face down in a pizza is what
the shuffling made it. People are not exact: slices lie a little off their place, the piles grow crooked. Of the draw
pile only the uppermost cards lie on the table; now and then somebody squares it up with more of them.
"""

import math
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from controller.game import Game, Player
from controller.games.slice import rules
from controller.games.slice.components import COMBO, HOT_SAUCE
from controller.games.slice.laid import PLACES, order_pose, place_pose
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
from controller.hands import Lay, Lying, Mistake, NewPiece, Step
from vision.scene import PieceKind, Point, Pose

DRAW_PILE, OPEN_PILE = Pose(-42.0, 0.0, 90.0), Pose(42.0, 0.0, 90.0)
SLICE_OFF_MM, SLICE_OFF_DEG = 1.2, 2.0
ORDER_OFF_MM, ORDER_OFF_DEG = 4.0, 3.0
PILE_OFF_MM, PILE_OFF_DEG = 5.0, 9.0
"""How far (standard deviation) cards are laid from where they ought to lie."""
SHOWS_MM = 32.0
"""So far aside is Hot Sauce laid on the card that removed it, which so shows."""
SQUARED_UP = 8
"""So many cards of the draw pile lie on the table when it is squared up; when two are left it is again."""
GRABS, GRABS_SAUCE, GRABS_WRONG = 0.9, 0.6, 0.03
"""How often somebody grabs a card that fits, Hot Sauce, and one that burns."""
AT_ONCE = 0.4
"""How often a drawn card is grabbed before anybody can look."""

Spot = tuple[Player, int]


class SliceHands:
    """See `controller.hands.GameHands`."""

    def __init__(
        self,
        game: Game[Any, Any],
        start: State,
        areas: Mapping[Player, Sequence[Sequence[Point]]],
        rng: Random,
    ) -> None:
        """`areas`: each player's polygons, as in `controller.reading.Layout`. At the start of a game."""
        self._game = game
        self._areas = areas
        self._rng = rng
        components = start.options.components
        self._kinds = {
            f"slice/{card}/{number}": card
            for card, count in zip(components.cards, components.counts, strict=True)
            for number in range(1, count + 1)
        }
        self.pile = list(self._kinds)
        """The draw pile, its top first."""
        rng.shuffle(self.pile)
        self.orders = list(components.toppings)
        rng.shuffle(self.orders)
        self.open: list[str] = []
        """The Open Pile, its top last."""
        self.spots: dict[Spot, str] = {}
        self.sauces: dict[Spot, str] = {}
        self.hidden: str | None = None
        """The card beside a finished pizza."""
        self._replaced: str | None = None
        """The card that was replaced last, in hand."""
        self._is_shuffled = False
        """Whether the Open Pile is about to become the draw pile, its first card the top."""
        self._tables: dict[Player, Pose] = {}

    def box(self) -> Sequence[NewPiece]:
        """Every card."""
        slices = [
            NewPiece(piece, PieceKind.SLICE_CARD, f"slice/{card}", "slice/back") for piece, card in self._kinds.items()
        ]
        orders = [
            NewPiece(f"order/{order}", PieceKind.ORDER_CARD, f"order/{order}", "order/back")
            for order in sorted(self.orders)
        ]
        return [*slices, *orders]

    # What they play ------------------------------------------------------------------------------------------------

    def next_play(self, state: State) -> tuple[Sequence[Move], Player | None]:
        """The moves made next, up to where the table must agree, and whose button confirms them, where one has to."""
        match state.phase:
            case Phase.ORDER:
                return self._dealing(state)
            case Phase.DRAW:
                return self._drawing(state, [])
            case _:
                grabber = self._grabber(state)
                return self._drawing(state, [Count(state.drawer)]) if grabber is None else self._grab(state, grabber)

    def slaps(self, state: State, moves: Sequence[Move]) -> Sequence[Player]:
        """Who grabs, and then some of those who wanted the card too."""
        for move in moves:
            if isinstance(move, Grab):
                others = [player for player in rules.grabbers(state) if player != move.player]
                wants = [p for p in others if rules.usable(state, p, state.open[-1], revealed=False)]
                late = [player for player in wants if self._rng.random() < GRABS]
                return [move.player, *late]
            state = rules.apply(state, move)
        return []

    def uses_knife(self, moves: Sequence[Move]) -> bool:
        """Nobody cuts anything."""
        return False

    def _dealing(self, state: State) -> tuple[Sequence[Move], Player | None]:
        moves: list[Move] = []
        orders = [order for order in self.orders if order in state.orders]
        who = state.drawer if state.lifted is not None else None
        while state.phase is Phase.ORDER:
            player = next(p for p, seat in enumerate(state.seats, start=1) if seat.order is None)
            moves.append(DealOrder(player, orders[len(moves)]))
            state = rules.apply(state, moves[-1])
        if state.phase is Phase.HIDDEN and self.hidden is not None:
            moves.append(TurnOver(self._kinds[self.hidden]))
        return moves, who

    def _drawing(self, state: State, moves: list[Move]) -> tuple[Sequence[Move], Player | None]:
        """A card is drawn; it may be grabbed at once."""
        below, drawer = list(state.open[-1:]), state.drawer
        if state.phase is Phase.GRAB and any(
            rules.usable(state, player, state.open[-1], revealed=False) for player in rules.grabbers(state)
        ):
            below = list(state.open[-2:])  # it may look like the open card taken away
        for move in moves:
            state = rules.apply(state, move)
        if state.phase is Phase.OVER:
            return moves, drawer
        if not state.open:
            below = []
        card = self._kinds[self._top_of(state)]
        moves.append(Draw(card))
        state = rules.apply(state, moves[-1])
        at_once = card not in below[-1:] and self._rng.random() < AT_ONCE
        grabber = self._grabber(state) if at_once else None
        if grabber is not None and rules.usable(state, grabber, card, revealed=False):
            return self._grab(state, grabber, moves)  # else all look at the card, and talk
        return moves, drawer if card in below else None

    def _top_of(self, state: State) -> str:
        """The card drawn next; where the Open Pile has just become the draw pile, of that."""
        if self.pile or state.open:
            return self.pile[0]
        self._shuffle_open()
        return self.open[0]

    def _shuffle_open(self) -> None:
        if not self._is_shuffled:
            self._rng.shuffle(self.open)
            self._is_shuffled = True

    def _grabber(self, state: State) -> Player | None:
        """Who grabs the open card, if anybody does."""
        card, quick = state.open[-1], []
        for player in rules.grabbers(state):
            usable = rules.usable(state, player, card, revealed=False)
            share = GRABS_WRONG if not usable else GRABS_SAUCE if card == HOT_SAUCE else GRABS
            if self._rng.random() < share / (1 if usable else state.players):
                quick.append(player)
        return self._rng.choice(quick) if quick else None

    def _grab(
        self, state: State, player: Player, moves: list[Move] | None = None
    ) -> tuple[Sequence[Move], Player | None]:
        """The open card is grabbed, and swaps go on as far as they go."""
        moves = [] if moves is None else moves
        below = state.open[-2] if len(state.open) > 1 else None
        burns = not rules.usable(state, player, state.open[-1], revealed=False)
        moves.append(Grab(player))
        state = rules.apply(state, moves[-1])
        while state.phase in (Phase.PLACE, Phase.REVEAL):
            if state.phase is Phase.REVEAL:
                replaced = next(move for move in reversed(moves) if isinstance(move, Place))
                moves.append(Reveal(self._kinds[self.spots[player, replaced.place]]))
            else:
                moves.append(self._rng.choice(self._game.advise(state, player)[:2]).move)
            state = rules.apply(state, moves[-1])
        same = bool(state.open) and state.phase is Phase.GRAB and state.open[-1] == below
        return moves, player if burns or same or isinstance(moves[-1], Block) else None

    # How they do it ------------------------------------------------------------------------------------------------

    def steps(self, state: State, moves: Sequence[Move], lying: Mapping[str, Lying]) -> Sequence[Step]:
        """The hand movements that carry these moves out."""
        known, done = dict(lying), list[Step]()
        if not self._tables:
            done += self._set_up(state, known)
        for move in moves:
            after = rules.apply(state, move)
            done += self._steps(state, move, after, known)
            if after.phase is Phase.DRAW and not after.open and self.open:
                done.append(self._to_draw_pile(known, after.drawer))
            state = after
        return done

    def _to_draw_pile(self, known: dict[str, Lying], player: Player) -> Step:
        """The draw pile has run out: the Open Pile is shuffled and becomes it."""
        self._shuffle_open()
        self.pile, self.open, self._is_shuffled = self.open, [], False
        return _do(known, player, *(Lay(card, None, False) for card in self.pile))

    def _set_up(self, state: State, known: dict[str, Lying]) -> list[Step]:
        """Everybody's eight slices face down, and the draw pile."""
        done = []
        for player in range(1, state.players + 1):
            self._tables[player] = self._nearly(order_pose(self._areas[player]), ORDER_OFF_MM, ORDER_OFF_DEG)
        done += self._square_up(known, state.drawer)
        for player in range(1, state.players + 1):
            done += self._deal(known, player, range(1, PLACES + 1))
        return done

    def _steps(self, state: State, move: Move, after: State, known: dict[str, Lying]) -> list[Step]:
        drawer = state.drawer
        match move:
            case DealOrder(player, order):
                return self._new_order(state, known, player, order)
            case Draw(_):
                squared = self._square_up(known, drawer)
                card = self.pile.pop(0)
                return [*squared, _do(known, drawer, self._to_open(card))]
            case Grab(player):
                return self._burn(state, known, player) if after.phase is Phase.DRAW else []
            case Place(player, place):
                return self._place(state, known, player, place)
            case Block(player, target, place):
                card = self._held() if state.own else self.open.pop()
                self.sauces[target, place] = card
                return [_do(known, player, Lay(card, self._slice_pose((target, place)), True))]
            case Reveal(_) if after.phase is Phase.GRAB or after.phase is Phase.DRAW:
                return [_do(known, drawer, self._to_open(self._held()))]
            case Stop(player):
                return [_do(known, player, self._to_open(self._held()))]
            case TurnOver(_):
                assert self.hidden is not None
                card, self.hidden = self.hidden, None
                return [_do(known, drawer, self._to_open(card))]
            case _:
                return []

    def _held(self) -> str:
        card, self._replaced = self._replaced, None
        assert card is not None
        return card

    def _place(self, state: State, known: dict[str, Lying], player: Player, place: int) -> list[Step]:
        card = self._held() if state.own else self.open.pop()
        spot = (player, place)
        if spot in self.sauces:
            sauce = self.sauces.pop(spot)
            lay = self._to_open(card)
            assert lay.to is not None
            aside = Pose(lay.to.x_mm, lay.to.y_mm - SHOWS_MM, lay.to.angle_deg)
            self.open.append(sauce)
            return [_do(known, player, lay, Lay(sauce, aside, True))]
        old, self.spots[spot] = self.spots[spot], card
        finishes = all(one.up is not None for n, one in enumerate(state.seats[player - 1].spots, 1) if n != place)
        self.hidden, self._replaced = (old, None) if finishes else (None, old)
        away = self._beside(player) if finishes else None
        # The old card is taken up with the same grip, and looked at where nobody else sees it.
        return [_do(known, player, Lay(old, away, False), Lay(card, self._slice_pose(spot), True))]

    def _burn(self, state: State, known: dict[str, Lying], player: Player) -> list[Step]:
        """What is face up goes with the Open Pile under the draw pile; the gaps are dealt anew."""
        reset = state.options.pizza_reset
        spots = state.seats[player - 1].spots
        gone = [n for n, spot in enumerate(spots, 1) if reset or spot.up is not None]
        under = [*self.open, *(self.spots[player, n] for n in gone)]
        if reset:
            under += [self.sauces.pop((player, n)) for n in gone if (player, n) in self.sauces]
        self.open = []
        done = [_do(known, player, *(Lay(card, None, False) for card in under))]
        self.pile += under
        return done + self._deal(known, player, gone)

    def _new_order(self, state: State, known: dict[str, Lying], player: Player, order: str) -> list[Step]:
        """A first order, or the next one with all that goes with it."""
        done = []
        if state.lifted is not None:
            old = state.seats[player - 1].finished[-1]
            under = [*self.open, *(self.spots[player, n] for n in range(1, PLACES + 1))]
            self.open = []
            self.pile += under
            done.append(_do(known, player, *(Lay(card, None, False) for card in under)))
            done.append(_do(known, player, Lay(f"order/{old}", None, True)))
        done.append(_do(known, player, Lay(f"order/{order}", self._tables[player], True)))
        return done if state.lifted is None else [*done, *self._deal(known, player, range(1, PLACES + 1))]

    def _deal(self, known: dict[str, Lying], player: Player, places: Sequence[int]) -> list[Step]:
        """Cards of the draw pile face down to these places."""
        lays, squared = [], list[Step]()
        for place in places:
            card = self.pile.pop(0)
            self.spots[player, place] = card
            lays.append(Lay(card, self._slice_pose((player, place)), False))
        dealt = [_do(known, player, *lays)] if lays else []
        squared = self._square_up(known, player)
        return [*dealt, *squared]

    def _square_up(self, known: dict[str, Lying], player: Player) -> list[Step]:
        """See to it that some cards of the draw pile lie on the table."""
        there = [card for card in self.pile[:SQUARED_UP] if known[card].pose is not None]
        if len(there) > 1 or len(there) == len(self.pile):
            return []
        cards = self.pile[:SQUARED_UP]
        lays = [Lay(card, self._nearly(DRAW_PILE, 0.4, 0.8), False) for card in reversed(cards)]
        return [_do(known, player, *lays)]

    def lay_anew(
        self, state: State, faces: Sequence[str], player: Player | None, lying: Mapping[str, Lying]
    ) -> Sequence[Step]:
        """Lay what is named, or all in front of the player, again as it ought to lie, and the open card."""
        who = player or state.drawer
        lays = []
        for spot, card in self.spots.items():
            if lying[card].pose is None or (player is not None and spot[0] != player):
                continue
            if player is not None or self._kinds[card] in faces:
                lays.append(Lay(card, self._slice_pose(spot), lying[card].face_up))
                if spot in self.sauces:
                    lays.append(Lay(self.sauces[spot], self._slice_pose(spot), True))
        if self.open:
            lays.append(Lay(self.open[-1], self._nearly(OPEN_PILE, PILE_OFF_MM, PILE_OFF_DEG), True))
        if player is not None and state.seats[player - 1].order is not None:
            lays.append(
                Lay(f"order/{state.seats[player - 1].order}", self._nearly(self._tables[player], 3.0, 4.0), True)
            )
        return [Step(who, tuple(lays))] if lays else []

    # Mistakes ------------------------------------------------------------------------------------------------------

    def mistakes(
        self,
        state: State,
        moves: Sequence[Move],
        lying: Mapping[str, Lying],
    ) -> Sequence[Mistake]:
        """Ways to break a rule here instead."""
        if not self._tables or state.phase not in (Phase.GRAB, Phase.DRAW):
            return []
        found = [self._order_changed(state), self._slice_taken(state)]
        if state.phase is Phase.GRAB and self.open:
            found += [
                self._drawer_grabs(state),
                self._wrong_place(state),
                self._useful_discarded(state),
                self._beside_the_pile(state, lying),
                self._sauce_wrongly(state),
            ]
        return [mistake for mistake in found if mistake is not None]

    def _drawer_grabs(self, state: State) -> Mistake | None:
        """The Drawer puts the open card into the own pizza."""
        if state.drawer in rules.grabbers(state) or state.open[-1] == HOT_SAUCE:
            return None
        spot = self._free(state, state.drawer, state.open[-1])
        return None if spot is None else self._swapped("the Drawer grabs", spot)

    def _wrong_place(self, state: State) -> Mistake | None:
        """A grabbed slice goes where it does not belong."""
        card = state.open[-1]
        if card in (HOT_SAUCE, COMBO):
            return None
        player = self._rng.choice(rules.grabbers(state))
        seat = state.seats[player - 1]
        assert seat.order is not None
        toppings = state.options.components.toppings[seat.order]
        places = [n for n, spot in enumerate(seat.spots, 1) if spot.up is None and not spot.blocked]
        places = [n for n in places if toppings[n - 1] != card]
        return self._swapped("on a wrong place", (player, self._rng.choice(places))) if places else None

    def _useful_discarded(self, state: State) -> Mistake | None:
        """A revealed slice that could be used is put on the Open Pile."""
        if state.options.may_stop:
            return None
        for player in rules.grabbers(state):
            if not rules.usable(state, player, state.open[-1], revealed=False) or state.open[-1] == HOT_SAUCE:
                continue
            grabbed = rules.apply(state, Grab(player))
            for place in rules.fitting(grabbed):
                if grabbed.seats[player - 1].spots[place - 1].blocked:
                    continue
                after, old = rules.apply(grabbed, Place(player, place)), self.spots[player, place]
                reveal = Reveal(self._kinds[old])
                below = self._kinds[self.open[-2]] if len(self.open) > 1 else None
                if reveal.card == below:
                    continue  # that looks like nothing discarded yet
                if after.phase is Phase.REVEAL and rules.apply(after, reveal).phase is Phase.PLACE:
                    step = Step(
                        player,
                        (
                            Lay(self.open[-1], self._slice_pose((player, place)), True),
                            Lay(old, self._nearly(OPEN_PILE, PILE_OFF_MM, PILE_OFF_DEG), True),
                        ),
                    )
                    return Mistake("a useful slice discarded", player, (step,), press=False)
        return None

    def _beside_the_pile(self, state: State, lying: Mapping[str, Lying]) -> Mistake | None:
        """The next card is drawn and laid beside the Open Pile."""
        card = self.pile[0] if self.pile else None
        if card is None or lying[card].pose is None:
            return None
        to = Pose(OPEN_PILE.x_mm + 78.0, OPEN_PILE.y_mm + self._rng.uniform(-15, 15), self._rng.uniform(75, 105))
        step = Step(state.drawer, (Lay(card, to, True),))
        return Mistake("beside the Open Pile", state.drawer, (step,), press=False)

    def _sauce_wrongly(self, state: State) -> Mistake | None:
        """Hot Sauce goes on a slice that is face up or blocked."""
        if state.open[-1] != HOT_SAUCE:
            return None
        player = self._rng.choice(rules.grabbers(state))
        bad = [
            (other, n)
            for other, seat in enumerate(state.seats, 1)
            for n, spot in enumerate(seat.spots, 1)
            if other != player and (spot.up is not None or spot.blocked)
        ]
        if not bad:
            return None
        step = Step(player, (Lay(self.open[-1], self._slice_pose(self._rng.choice(bad)), True),))
        return Mistake("Hot Sauce where it may not go", player, (step,), press=True)

    def _order_changed(self, state: State) -> Mistake | None:
        """Somebody takes another order in the middle of a pizza."""
        player = self._rng.randint(1, state.players)
        old, left = state.seats[player - 1].order, sorted(state.orders)
        if old is None or not left:
            return None
        new = self._rng.choice(left)
        lays = (Lay(f"order/{old}", None, True), Lay(f"order/{new}", self._tables[player], True))
        return Mistake("another order", player, (Step(player, lays),), press=True)

    def _slice_taken(self, state: State) -> Mistake | None:
        """A face-up slice is turned down without getting burned."""
        up = [
            (player, n)
            for player, seat in enumerate(state.seats, 1)
            for n, spot in enumerate(seat.spots, 1)
            if spot.up is not None
        ]
        if not up:
            return None
        spot = self._rng.choice(up)
        step = Step(spot[0], (Lay(self.spots[spot], self._slice_pose(spot), False),))
        return Mistake("a slice turned down", spot[0], (step,), press=False)

    def _free(self, state: State, player: Player, card: str) -> Spot | None:
        """A place of a player to which a card would go."""
        seat = state.seats[player - 1]
        assert seat.order is not None
        toppings = state.options.components.toppings[seat.order]
        fits = [
            n
            for n, spot in enumerate(seat.spots, 1)
            if spot.up is None and not spot.blocked and card in (toppings[n - 1], COMBO)
        ]
        return (player, self._rng.choice(fits)) if fits else None

    def _swapped(self, name: str, spot: Spot) -> Mistake:
        """The open card goes to a place, whatever the rules say; the one that lay there into the hand."""
        lays = (Lay(self.spots[spot], None, False), Lay(self.open[-1], self._slice_pose(spot), True))
        return Mistake(name, spot[0], (Step(spot[0], lays),), press=self._rng.random() < 0.5)

    # Where things lie ----------------------------------------------------------------------------------------------

    def _to_open(self, card: str) -> Lay:
        """A card onto the Open Pile, from now on its top."""
        self.open.append(card)
        return Lay(card, self._nearly(OPEN_PILE, PILE_OFF_MM, PILE_OFF_DEG), True)

    def _slice_pose(self, spot: Spot) -> Pose:
        return self._nearly(place_pose(self._tables[spot[0]], spot[1]), SLICE_OFF_MM, SLICE_OFF_DEG)

    def _beside(self, player: Player) -> Pose:
        """Beside a player's pizza, away from the mat's middle, where it is in nobody's way."""
        order = self._tables[player]
        way = math.radians(order.angle_deg + 180.0)
        out = (math.cos(way), math.sin(way))
        if abs(out[1]) > abs(out[0]):  # near and far edge: no room behind the pizza
            return Pose(order.x_mm + 140.0, order.y_mm + 60.0 * out[1], 90.0)
        return Pose(order.x_mm + 140.0 * out[0], order.y_mm, 90.0)

    def _nearly(self, pose: Pose, off_mm: float, off_deg: float) -> Pose:
        x, y = pose.x_mm + self._rng.gauss(0, off_mm), pose.y_mm + self._rng.gauss(0, off_mm)
        return Pose(x, y, (pose.angle_deg + self._rng.gauss(0, off_deg)) % 360.0)


HANDS = SliceHands


def _do(known: dict[str, Lying], player: Player, *lays: Lay) -> Step:
    """A step, remembered."""
    known.update({lay.piece: Lying(lay.to, lay.face_up) for lay in lays})
    return Step(player, lays)
