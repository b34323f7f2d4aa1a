"""Games of SLICE in which everything that anybody could try is tried."""

import json
from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from controller.game import Actor, IllegalMove
from controller.games.slice import GAME
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
    Slap,
    State,
    Stop,
    TurnOver,
)
from tests.long import cases

NUMBERS = st.integers(-1, 9) | st.just(10**12)
CARDS = st.sampled_from([*GAME.components.cards, "ham", "", "order-1", "P1"])
ORDERS = st.sampled_from([*GAME.components.toppings, "order-0", "", "olive"])
SLAPS = st.lists(st.builds(Slap, NUMBERS, st.integers(-1, 500)), max_size=3).map(tuple)
ANY_MOVE = st.one_of(
    st.builds(DealOrder, NUMBERS, ORDERS),
    st.builds(Draw, CARDS),
    st.builds(Grab, NUMBERS),
    st.builds(Grab, NUMBERS, SLAPS),
    st.builds(Count, NUMBERS),
    st.builds(Place, NUMBERS, NUMBERS),
    st.builds(Block, NUMBERS, NUMBERS, NUMBERS),
    st.builds(Stop, NUMBERS),
    st.builds(Reveal, CARDS),
    st.builds(TurnOver, CARDS),
)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        option.name: st.sampled_from(option.choices) if option.choices else st.integers(20, 60)
        for option in GAME.option_list
        if option.name != "components"
    },
)


class SliceMachine(RuleBasedStateMachine):
    """One game, with whatever options."""

    @initialize(players=st.integers(2, 8), options=OPTIONS, seed=st.integers(0, 10**6))
    def start(self, players: int, options: dict[str, Any], seed: int) -> None:
        self.options = options
        self.random = Random(seed)
        self.state: State = GAME.start(players, options, seed % players + 1)

    @precondition(lambda self: self.state.phase is not Phase.OVER)
    @rule(steps=st.integers(1, 25))
    def play(self, steps: int) -> None:
        for _ in range(steps):
            if GAME.turn(self.state).actor is not Actor.NOBODY:
                chance = GAME.turn(self.state).actor is Actor.CHANCE
                moves = list(GAME.legal(self.state))
                assert len(set(moves)) == len(moves) > 0
                assert all(GAME.refusal(self.state, move) is None for move in moves)
                assert all(GAME.apply(self.state, move) for move in moves[:3])
                move = GAME.draw(self.state, self.random) if chance else self.random.choice(moves)
                assert move in moves
                self.state = GAME.apply(self.state, move)

    @rule(moves=st.lists(ANY_MOVE, min_size=5, max_size=20))
    def try_anything(self, moves: list[Move]) -> None:
        listed = set(GAME.legal(self.state))
        for move in moves:
            found = GAME.refusal(self.state, move)
            if found is None:
                plain = Grab(move.player) if isinstance(move, Grab) else move
                assert plain in listed
                assert GAME.apply(self.state, move) == GAME.apply(self.state, plain)
                continue
            assert not isinstance(move, Grab) or move.after or move not in listed
            assert isinstance(move, Grab) or move not in listed
            assert found.heading
            assert found.problem
            assert found.remedy
            with pytest.raises(IllegalMove) as caught:
                GAME.apply(self.state, move)
            assert caught.value.refusal == found

    @invariant()
    def every_card_is_somewhere_once(self) -> None:
        state = self.state
        lying = Counter(state.open)
        face_down = sum(layer.cards for layer in state.pile) + (state.lifted is not None)
        for seat in state.seats:
            assert len(seat.spots) == 8
            for spot in seat.spots:
                lying["hot-sauce"] += spot.blocked
                if spot.up is None:
                    face_down += 1
                else:
                    lying[spot.up] += 1
        if state.hand is not None and not state.own:
            lying[state.hand] += 1
        unseen = [sum(kind) for kind in zip(*state.pools, strict=True)]
        assert sum(unseen) == face_down
        for card, there, hidden in zip(GAME.components.cards, GAME.components.counts, unseen, strict=True):
            assert lying[card] + hidden == there

    @invariant()
    def every_slice_belongs_where_it_lies(self) -> None:
        for seat in self.state.seats:
            order = seat.order or (seat.finished[-1] if self.state.phase is Phase.OVER and seat.finished else None)
            for number, spot in enumerate(seat.spots):
                if spot.up is not None:
                    assert order is not None
                    assert spot.up in (GAME.components.toppings[order][number], "combo")
                assert not (spot.blocked and spot.up)

    @invariant()
    def orders_are_dealt_once(self) -> None:
        held = [order for seat in self.state.seats for order in (*seat.finished, seat.order) if order]
        assert len(held) == len(set(held))
        assert set(held) | self.state.orders == set(GAME.components.toppings)

    @invariant()
    def scores_add_up_and_only_the_end_has_winners(self) -> None:
        sheets = GAME.score(self.state)
        assert all(sheet.total == sum(line.points for line in sheet.lines) for sheet in sheets)
        assert max(sheet.total for sheet in sheets) <= self.state.options.pizzas
        assert bool(GAME.winners(self.state)) == (self.state.phase is Phase.OVER)
        assert (GAME.turn(self.state).actor is Actor.NOBODY) == (self.state.phase is Phase.OVER)

    @invariant()
    def views_are_json_and_say_what_each_viewer_may_know(self) -> None:
        for viewer in (None, *range(1, self.state.players + 1)):
            shown = GAME.view(self.state, viewer)
            assert json.loads(json.dumps(shown)) == shown
            other = GAME.determinize(self.state, viewer, self.random)
            assert GAME.view(other, viewer) == shown
            assert GAME.advise(other, viewer or 0) == GAME.advise(self.state, viewer or 0)

    @invariant()
    def its_position_set_up_is_the_same(self) -> None:
        again = GAME.setup(self.state.players, self.options, GAME.position(self.state))
        assert again == self.state


@cases("games", [10, 50], always=1)
def test_any_moves_in_any_order(games: int) -> None:
    often = settings(max_examples=games, stateful_step_count=20, deadline=None, derandomize=True)
    run_state_machine_as_test(SliceMachine, settings=often)
