"""How people lay Pizzeria, for simulated players; most of it is in `cut_and_choose_hands`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from random import Random

from controller.game import Actor, Advice, Json, Player
from controller.games.cut_and_choose_hands import CutAndChooseHands, Mover
from controller.games.cut_and_choose_rows import Item
from controller.games.pizzeria import rules, solo
from controller.games.pizzeria.rules import Holding, Phase, State
from controller.hands import Lying, Mistake, Step

OFFER_APART_MM = 18.0
"""Offer C lies against the slices that it is put on, and this much more is left to others; all around, as long as it
is put on none."""
SETTLED = (Phase.PILE, Phase.DIVIDE, Phase.CHOOSE, Phase.EAT_KIND, Phase.OVER)
"""Where the table must agree before anybody goes on."""


def agreed_options(rng: Random) -> dict[str, Json]:
    """The variant that people agree on."""
    return {"advanced": rng.random() < 0.75}


class PizzeriaHands(CutAndChooseHands[State]):
    """The hands of players of Pizzeria."""

    early = rules.OFFER_F
    call = rules.OFFER_D
    shift = rules.OFFER_E
    plain = "without basil"

    # What is played --------------------------------------------------------------------------------------------------

    def next_play(self, state: State) -> tuple[Sequence[rules.Move], Player | None]:
        """See `GameHands`."""
        moves: list[rules.Move] = []
        player: Player | None = None
        while True:
            turn = self._game.turn(state)
            if turn.actor is Actor.NOBODY:
                return moves, player
            if solo.house_acts(state):
                player = None if state.phase in (Phase.PILE, Phase.EAT_KIND) else 3 - solo.HOUSE
                move = self._game.draw(state, self._rng)
            elif turn.actor is Actor.CHANCE:
                move = self._chance(state)
            else:
                player = player or self._who(state, turn.players)
                move = self._decision(state, player)
            moves.append(move)
            state = self._game.apply(state, move)
            if state.phase in SETTLED and not isinstance(move, rules.MoveSlice):
                return moves, player
            if isinstance(move, rules.DrawSlice):
                return moves, None  # it is shown to all before anything is decided
            if state.phase is Phase.REDRAW:
                return moves, player

    def uses_knife(self, moves: Sequence[rules.Move]) -> bool:
        """See `GameHands`."""
        return any(isinstance(move, rules.Divide) for move in moves)

    def _advice(self, state: State, player: Player) -> Sequence[Advice]:
        """Offer C is put on something where that is possible, as the text says."""
        advice = super()._advice(state, player)
        kept = [a for a in advice if not isinstance(a.move, rules.Decide) or not self._forgets_offer_c(state, a.move)]
        return kept or advice

    def _forgets_offer_c(self, state: State, move: rules.Decide) -> bool:
        return move.kind is None and bool(rules.kinds_to_put_on(state, move))

    def _chance(self, state: State) -> rules.Move:
        match state.phase:
            case Phase.REVEAL:
                special, slices = self._served(state)
                return rules.Reveal(slices, special)
            case Phase.REDRAW:
                return rules.Redraw(self._spare())
            case _:
                return rules.DrawSlice(self._rng.choice(self._deck.extras))

    # How it is laid --------------------------------------------------------------------------------------------------

    def _lay(self, before: State, after: State, move: rules.Move, lying: Mapping[str, Lying]) -> Sequence[Step]:
        match move:
            case rules.Reveal():
                return self._serve(self._hand_of(before, before.slicer), move.special, move.ring)
            case rules.Redraw():
                return self._redraw(before, move.special, lying)
            case rules.Divide():
                return self._divide(self._hand_of(before, before.slicer), move, after.special, lying)
            case rules.MoveSlice():
                return [self._flip(move.player, self.shift, lying), self._shift_slice(before, move, lying)]
            case rules.TakeSlice():
                return [self._flip(move.player, self.call, lying), *self._settle(after, move.player, lying)]
            case rules.Take() if move.player != before.order[0]:
                return [self._flip(move.player, self.early, lying)]
            case rules.DrawSlice() if after.taker is not None:
                return self._settle(after, after.taker, lying)
            case rules.Decide():
                return self._settle(after, move.player, lying)
            case rules.EatSaved(player):
                return [self._flip(player, rules.OFFER_A, lying), *self._settle(after, player, lying)]
            case rules.EatKind(player, kind):
                flip = [self._flip(player, rules.OFFER_J, lying)] if kind is not None else []
                return [*flip, *self._settle(after, player, lying)]
            case _:
                return []

    def _hand_of(self, state: State, player: Player) -> Player:
        """The House has no hands."""
        return 3 - solo.HOUSE if state.options.solo else player

    def _in_front_of(self, state: State, player: Player) -> Holding:
        """See `CutAndChooseHands`: what has been taken lies open until it is decided about."""
        holding = state.holdings[player - 1]
        return replace(holding, collected=holding.collected + state.taken) if state.taker == player else holding

    def _items(self, player: Player, holding: Holding) -> list[Item]:
        """See `CutAndChooseHands`."""
        offer_c = next((one for one in holding.specials if one.name == rules.OFFER_C), None)
        others = [one for one in holding.specials if one is not offer_c]
        items = [*self._saved(holding, offer_c), *(Item(face, False) for face in holding.eaten)]
        if offer_c is not None and _lies_on(holding, offer_c) is None:
            items.append(Item(offer_c.name, True, is_card=True, before_mm=OFFER_APART_MM))
        return [*items, *(Item(one.name, not one.used, is_card=True) for one in others)]

    def _saved(self, holding: Holding, offer_c: rules.OwnedSpecial | None) -> Iterator[Item]:
        """Kind by kind, mixed slices last; offer C lies against the last slice of its kind."""
        with_offer = None if offer_c is None else _lies_on(holding, offer_c)
        for group, same in groupby(sorted(holding.collected, key=_group), key=_group):
            yield from (Item(face, True) for face in same)
            if offer_c is not None and with_offer is not None and group == _group(with_offer):
                yield Item(offer_c.name, True, is_card=True, hugs=True, after_mm=OFFER_APART_MM)

    # How rules get broken --------------------------------------------------------------------------------------------

    def mistakes(self, state: State, moves: Sequence[rules.Move], lying: Mapping[str, Lying]) -> Sequence[Mistake]:
        """See `GameHands`."""
        makers: list[Mover] = []
        match moves[0]:
            case rules.ChoosePile():
                makers = [self._wrong_slice, self._slice_gone, self._special_misuse]
            case rules.Divide():
                makers = [
                    self._order_changed,
                    self._too_few,
                    self._too_many,
                    self._slice_gone,
                    self._takes_undivided,
                    self._special_misuse,
                    self._pizza_slice_gone,
                ]
            case rules.Take():
                makers = [
                    self._out_of_turn,
                    self._eats_plain,
                    self._slice_gone,
                    self._two_portions,
                    self._special_misuse,
                    self._pizza_slice_gone,
                    self._eats_collected,
                    self._leaves_the_offer,
                ]
            case _:
                pass
        found = [make(state, moves, lying) for make in makers] if not state.options.solo else []
        return [mistake for mistake in found if mistake is not None]

    def _leaves_the_offer(
        self, state: State, moves: Sequence[rules.Move], lying: Mapping[str, Lying]
    ) -> Mistake | None:
        """The slices of a portion are taken, and the special offer that belongs to them is not."""
        portion = next((p for p in state.portions if p.taken_by is None and p.special and p.slices), None)
        player = state.order[0]
        if portion is None or any(one.name == self.shift for one in state.holdings[player - 1].specials):
            return None
        return Mistake("takes slices without their offer", player, (self._grab(player, portion.slices),), True)

    def _usable(self, state: State) -> set[str]:
        """See `CutAndChooseHands`; C lies face up whatever is done."""
        return super()._usable(state) | {
            one.name for h in state.holdings for one in h.specials if one.name == rules.OFFER_A
        }

    def _may_eat(self, state: State, face: str) -> bool:
        """See `CutAndChooseHands`."""
        return rules.may_eat(state, face)

    def _eats_what_was_taken(self, state: State, take: rules.Take) -> bool:
        """See `CutAndChooseHands`. Offers A and B let other slices be eaten."""
        return not (state.portions[take.portion].special and state.special in (rules.OFFER_A, rules.OFFER_B))


def _lies_on(holding: Holding, offer_c: rules.OwnedSpecial) -> str | None:
    """The saved slice that offer C lies against; None if it has no kind yet, or none is left of it."""
    return next((face for face in sorted(holding.collected, key=_group) if offer_c.kind in _group(face)), None)


def _group(face: str) -> tuple[int, ...]:
    """The values that a slice shows, those of one kind before those of two."""
    if face.startswith("mixed-"):
        return (20, *map(int, face.split("-")[1:]))
    return (int(face.partition("/")[0]),)


HANDS = PizzeriaHands
"""Found by the folder's name; see `controller.hands.MakeHands`."""
