"""Games of hypothesis: what holds in every position that any legal moves lead to."""

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

from controller.game import Actor
from controller.games.pizza_theory import GAME, rules
from controller.games.pizza_theory.rules import Add, Cut, Move, Pass, Phase, Place, Replace, Roll
from tests.long import cases

NUMBERS = st.integers(-1, 8)
SPACES = st.sampled_from([*GAME.components.spaces, "h9", ""])
ANY_MOVE = st.one_of(
    st.builds(Add, NUMBERS, SPACES),
    st.builds(Pass, NUMBERS),
    st.builds(Roll, NUMBERS),
    st.builds(Place, NUMBERS, SPACES),
    st.builds(Cut, NUMBERS, NUMBERS),
    st.builds(Replace, NUMBERS),
)


class PizzaTheoryGames(RuleBasedStateMachine):
    @initialize(
        players=st.sampled_from([2, 3]),
        first=st.sampled_from([1, 2]),
        sits=st.sampled_from(["left", "right"]),
        last_round=st.sampled_from([0, 0, 2]),
    )
    def start(self, players: int, first: int, sits: str, last_round: int) -> None:
        self.state = GAME.start(players, {"last_round": last_round, "second_sits": sits}, first)

    @precondition(lambda self: self.state.phase is not Phase.OVER)
    @rule(choice=st.integers(0, 10**6), moves=st.integers(1, 8))
    def play(self, choice: int, moves: int) -> None:
        """Some legal moves, as a game of several rounds would be too many steps otherwise."""
        for step in range(moves):
            legal = list(GAME.legal(self.state))
            if legal:
                self.state = GAME.apply(self.state, legal[(choice + step) % len(legal)])

    @rule(moves=st.lists(ANY_MOVE, min_size=10, max_size=20))
    def try_any(self, moves: list[Move]) -> None:
        """A move is legal exactly when it is listed; every other one is refused with a reason."""
        listed = set(GAME.legal(self.state))
        for move in moves:
            refusal = GAME.refusal(self.state, move)
            assert (refusal is None) == (move in listed)
            if refusal is not None:
                assert refusal.heading
                assert refusal.problem
                assert refusal.remedy
            assert GAME.decode_move(GAME.encode_move(move)) == move

    @invariant()
    def no_topping_is_lost_or_doubled(self) -> None:
        counts = [len(one) for one in self.state.toppings]
        assert len(frozenset().union(*self.state.toppings)) == sum(counts) <= 37
        for number, count in enumerate(counts, start=1):
            assert self.state.phase is Phase.OVER or count <= 16
            assert self.state.phase is not Phase.ADD or count <= 15 or number not in self.state.order
        for one in GAME.view(self.state, None)["players"]:
            assert one["on_pizza"] + one["supply"] == 16

    @invariant()
    def legal_moves_are_each_listed_once_and_play(self) -> None:
        legal = list(GAME.legal(self.state))
        assert len(set(legal)) == len(legal)
        turn = GAME.turn(self.state)
        assert (turn.actor is Actor.NOBODY) == (not legal) == (self.state.phase is Phase.OVER)
        if turn.actor is Actor.PLAYERS:
            acting = set()
            for move in legal:
                assert not isinstance(move, Roll)
                acting.add(move.player)
            assert acting == set(turn.players)
        for move in legal:
            GAME.apply(self.state, move)
            assert GAME.parse(self.state, GAME.format(self.state, move)) == move

    @invariant()
    def nobody_adds_next_to_their_own(self) -> None:
        if self.state.phase is Phase.ADD:
            adder = self.state.order[0]
            for space in rules.available(self.state, adder):
                assert not GAME.components.neighbours[space] & self.state.toppings[adder - 1]

    @invariant()
    def scores_add_up(self) -> None:
        sheets = GAME.score(self.state)
        for sheet in sheets:
            assert sheet.total == sum(line.points for line in sheet.lines) == len(self.state.toppings[sheet.player - 1])
        winners = GAME.winners(self.state)
        assert not winners or self.state.phase is Phase.OVER
        best = max(sheet.total for sheet in sheets)
        assert all(sheets[player - 1].total == best for player in winners)

    @invariant()
    def a_game_can_be_written_down(self) -> None:
        assert GAME.decode_state(GAME.encode_state(self.state)) == self.state
        options = {name: getattr(self.state.options, name) for name in ("last_round", "second_sits")}
        assert GAME.setup(self.state.players, options, GAME.position(self.state)) == self.state


@cases("games", [10, 50], always=1)
def test_any_moves_in_any_order(games: int) -> None:
    often = settings(max_examples=games, stateful_step_count=20, deadline=None, derandomize=True)
    run_state_machine_as_test(PizzaTheoryGames, settings=often)
