"""Whole games played at random, as a state machine: what holds in every state of every one of them."""

import json
from random import Random

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
from controller.games.pizzeria import GAME, rules
from controller.games.pizzeria.rules import (
    ChoosePile,
    Decide,
    Divide,
    DrawSlice,
    EatKind,
    EatSaved,
    Move,
    MoveSlice,
    Phase,
    Redraw,
    Reveal,
    Take,
    TakeSlice,
)
from tests.long import cases

SWITCHES = [option.name for option in GAME.option_list if option.choices and option.name != "solo"]
PLAYERS = st.integers(-1, 7)
NUMBERS = st.integers(-2, 12)
FACES = st.sampled_from([*GAME.components.by_face, "offer/a", "", "mystery"])
OFFERS = st.sampled_from([*GAME.components.specials_by_face, "offer/z", "7/1"])
ANY_MOVE = st.one_of(
    st.builds(ChoosePile, NUMBERS),
    st.builds(Reveal, st.lists(FACES, max_size=12).map(tuple), st.none() | OFFERS),
    st.builds(Redraw, OFFERS),
    st.builds(TakeSlice, PLAYERS, FACES, st.booleans()),
    st.builds(MoveSlice, PLAYERS, FACES, NUMBERS),
    st.builds(Take, PLAYERS, NUMBERS),
    st.builds(DrawSlice, FACES),
    st.builds(Decide, PLAYERS, st.frozensets(FACES, max_size=4), st.none() | NUMBERS),
    st.builds(EatSaved, PLAYERS, st.frozensets(FACES, max_size=3)),
    st.builds(EatKind, PLAYERS, st.none() | NUMBERS),
)


class Games(RuleBasedStateMachine):
    """One game; every rule is a move."""

    @initialize(
        players=st.integers(2, 6),
        advanced=st.booleans(),
        solo=st.booleans(),
        switched=st.frozensets(st.sampled_from(SWITCHES), max_size=3),
        seed=st.integers(0, 999),
    )
    def begin(self, players: int, advanced: bool, solo: bool, switched: frozenset[str], seed: int) -> None:
        self.options = dict.fromkeys(switched, True) | {"advanced": advanced, "solo": solo and players == 2}
        self.players = players
        self.random = Random(seed)
        self.state = GAME.start(players, self.options, self.random.randint(1, players))
        self.rounds = 0

    @precondition(lambda self: self.state.phase is not Phase.OVER)
    @rule(steps=st.integers(1, 25))
    def play(self, steps: int) -> None:
        for _ in range(steps):
            if self.state.phase is Phase.OVER:
                break
            self.play_one()

    def play_one(self) -> None:
        state = self.state
        listed = [move for _, move in zip(range(400), GAME.legal(state), strict=False)]
        assert len(set(listed)) == len(listed)
        chance = GAME.turn(state).actor is Actor.CHANCE
        move = GAME.draw(state, self.random) if chance else self.random.choice(listed)
        for one in (move, *self.random.sample(listed, min(3, len(listed)))):
            assert GAME.refusal(state, one) is None
            text = GAME.format(state, one)
            assert GAME.parse(state, text) == one
            assert not set(text) & set(";{}#")
            assert not text[0].isdigit()
            assert GAME.decode_move(json.loads(json.dumps(GAME.encode_move(one)))) == one
        self.state = GAME.apply(state, move)
        if isinstance(move, Reveal):
            self.rounds += 1

    @rule(move=ANY_MOVE)
    def anything_else(self, move: Move) -> None:
        """A move out of the blue is refused with a reason exactly when it is not among the legal ones."""
        state = self.state
        found = GAME.refusal(state, move)
        if isinstance(move, Reveal):
            return
        assert (found is None) == (move in set(GAME.legal(state)))
        if found is None:
            GAME.apply(state, move)
            return
        assert found.heading
        assert found.problem
        assert found.remedy
        with pytest.raises(IllegalMove) as caught:
            GAME.apply(state, move)
        assert caught.value.refusal == found

    @precondition(lambda self: self.state.phase is Phase.DIVIDE)
    @rule(data=st.data())
    def any_division(self, data: st.DataObject) -> None:
        """A division is legal exactly when it is listed under its own numbering."""
        state = self.state
        ring = list(state.ring)
        if data.draw(st.booleans()):
            one, two = data.draw(st.integers(0, len(ring) - 1)), data.draw(st.integers(0, len(ring) - 1))
            ring[one], ring[two] = ring[two], ring[one]
        cuts = sorted(data.draw(st.lists(st.integers(0, len(ring)), min_size=2, max_size=5)))
        portions = tuple(tuple(ring[begin:end]) for begin, end in zip([0, *cuts], [*cuts, len(ring)], strict=True))
        special_in = data.draw(st.none() | st.integers(-1, len(portions)))
        move = Divide(state.slicer, portions, special_in)
        if GAME.refusal(state, move) is None:
            assert rules.canonical_divide(state, move) in set(GAME.legal(state))
            assert GAME.apply(state, move) == GAME.apply(state, rules.canonical_divide(state, move))
        else:
            assert move not in set(GAME.legal(state))

    @invariant()
    def no_slice_is_lost_or_doubled(self) -> None:
        state = self.state
        places = [face for holding in state.holdings for face in (*holding.collected, *holding.eaten)]
        places += [*state.unseen, *state.taken]
        if state.phase in (Phase.REDRAW, Phase.DIVIDE):
            places += state.ring
        places += [face for one in state.portions if one.taken_by is None for face in one.slices]
        assert len(places) == len(set(places))
        assert set(places) == GAME.components.in_game(state.players)
        assert len(state.unseen) >= 11 * len(state.stacks) + 2

    @invariant()
    def one_offer_comes_with_each_pizza(self) -> None:
        state = self.state
        owned = [one.name for holding in state.holdings for one in holding.specials]
        waiting = [state.special] if state.special and state.special not in owned else []
        everywhere = sorted([*owned, *waiting, *state.set_aside, *state.unseen_specials])
        assert everywhere == sorted(rules.specials_in_game(state.options, state.players))
        assert len(owned) + len(waiting) == (self.rounds if state.options.advanced else 0)

    @invariant()
    def scores_add_up(self) -> None:
        for sheet in GAME.score(self.state):
            assert sheet.total == sum(one.points for one in sheet.lines)
            assert len(sheet.lines) == 11 + self.state.options.advanced
            assert all(one.points >= 0 for one in sheet.lines)

    @invariant()
    def somebody_wins_exactly_when_it_is_over(self) -> None:
        state = self.state
        over = GAME.turn(state).actor is Actor.NOBODY
        assert over is (state.phase is Phase.OVER) is bool(GAME.winners(state))
        if over:
            assert self.rounds == state.rounds
            best = max(sheet.total for sheet in GAME.score(state))
            assert {GAME.score(state)[player - 1].total for player in GAME.winners(state)} == {best}

    @invariant()
    def it_is_the_same_after_json_and_as_a_position(self) -> None:
        state = self.state
        assert GAME.decode_state(json.loads(json.dumps(GAME.encode_state(state)))) == state
        described = json.loads(json.dumps(GAME.position(state)))
        again = GAME.setup(self.players, self.options, described)
        assert GAME.encode_state(again) == GAME.encode_state(state)
        assert again == state
        assert hash(again) == hash(state)

    @invariant()
    def everybody_sees_the_same(self) -> None:
        shown = GAME.view(self.state, None)
        assert json.loads(json.dumps(shown)) == shown
        assert all(GAME.view(self.state, player) == shown for player in range(1, self.state.players + 1))
        assert GAME.determinize(self.state, 1, self.random) == self.state


@cases("games", [12, 60], always=1)
def test_any_moves_in_any_order(games: int) -> None:
    often = settings(max_examples=games, stateful_step_count=12, deadline=None, derandomize=True)
    run_state_machine_as_test(Games, settings=often)
