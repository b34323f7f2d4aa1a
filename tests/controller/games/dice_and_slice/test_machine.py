"""Games played by hypothesis: nothing is lost, scores add up, no legal move fails, every other is refused."""

import json

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from controller.game import Actor, IllegalMove
from controller.games.dice_and_slice import GAME, rules
from controller.games.dice_and_slice.grid import regions, slices
from controller.games.dice_and_slice.rules import ExtraDot, Mark, Move, Phase, Pick, Roll, State, Stop
from tests.controller.games.dice_and_slice.situations import OWN, TINY, named, slow_parts, with_dots
from tests.long import cases

PLAYERS = st.integers(-1, 7)
DOTS = st.sampled_from([*(named((x, y)) for x in range(13) for y in range(10)), "", "n1", "a0", "A1"])
FACES = st.sampled_from(["A1", "A4", "B2", "B5", "B7", "", "a1"])
TOPPINGS = st.sampled_from(["mushroom-b2", "salami-c2", "chili-b2", "mushroom-a1", "mushroom", ""])
MOVES = st.one_of(
    st.builds(Roll, st.lists(FACES, max_size=3).map(tuple)),
    st.builds(Pick, PLAYERS, st.sampled_from(["A", "B", "C", ""])),
    st.builds(Mark, PLAYERS, st.frozensets(DOTS, max_size=5)),
    st.builds(ExtraDot, PLAYERS, TOPPINGS, DOTS),
    st.builds(Stop, PLAYERS),
)


class Games(RuleBasedStateMachine):
    state: State
    before: State

    @initialize(
        players=st.integers(2, 6),
        first=st.integers(1, 6),
        tiny=st.booleans(),
        options=st.fixed_dictionaries({"rest_gives_dot": st.booleans(), "unscorable_may_remain": st.booleans()}),
        missing=st.sets(DOTS, max_size=12) | st.none(),
    )
    def begin(self, players: int, first: int, tiny: bool, options: dict[str, bool], missing: set[str] | None) -> None:
        pieces = TINY if tiny else OWN
        self.state = GAME.start(players, {"components": pieces, **options}, (first - 1) % players + 1)
        if missing is not None:
            # Sheets that are nearly full come to an end, and to extra dots, soon.
            dots = set(self.state.options.components.grid.names) - missing - {"a1", "b2"}
            for player in range(1, players + 1):
                self.state = with_dots(self.state, player, dots)
        self.before = self.state

    @rule(number=st.integers(0, 10**6))
    def play_a_legal_move(self, number: int) -> None:
        moves = list(GAME.legal(self.state))
        assert len(set(moves)) == len(moves)
        assert bool(moves) == (self.state.phase is not Phase.OVER)
        if moves:
            move = moves[number % len(moves)]
            assert GAME.refusal(self.state, move) is None
            assert GAME.parse(self.state, GAME.format(self.state, move)) == move
            assert GAME.decode_move(json.loads(json.dumps(GAME.encode_move(move)))) == move
            self.before, self.state = self.state, GAME.apply(self.state, move)
            acting = getattr(move, "player", None)
            assert acting is None or acting in GAME.turn(self.before).players

    @rule(move=MOVES)
    def try_any_move(self, move: Move) -> None:
        refusal = GAME.refusal(self.state, move)
        assert (refusal is None) == (move in set(GAME.legal(self.state)))
        if refusal is not None:
            assert all((refusal.heading, refusal.problem, refusal.remedy))
            with pytest.raises(IllegalMove) as caught:
                GAME.apply(self.state, move)
            assert caught.value.refusal == refusal

    @invariant()
    def turns_are_in_order(self) -> None:
        turn = GAME.turn(self.state)
        assert (turn.actor is Actor.NOBODY) == (self.state.phase is Phase.OVER) == bool(GAME.winners(self.state))
        assert (turn.actor is Actor.PLAYERS) == bool(turn.players)

    @invariant()
    def sheets_only_gain(self) -> None:
        for old, new in zip(self.before.sheets, self.state.sheets, strict=True):
            for part in ("dots", "crossed", "counted", "bonuses"):
                assert getattr(old, part) & ~getattr(new, part) == 0
            assert new.dots & ~self.state.options.components.grid.dots == 0
            assert (new.crossed | new.counted | new.earned) & ~self.state.options.components.topping_squares == 0
            assert not new.earned & new.crossed
        assert self.state.closed & ~rules.bonuses_of_all(self.state.sheets) == 0

    @invariant()
    def slices_are_those_of_the_slow_reading(self) -> None:
        pieces = self.state.options.components
        for sheet in set(self.state.sheets):
            names = [name for name, bit in pieces.grid.bits.items() if bit & sheet.dots]
            parts = slow_parts(pieces.columns, pieces.rows, names)
            assert sorted(len(part.squares) for part in parts) == sorted(
                part.size for part in regions(pieces.grid, sheet.dots)
            )
            assert sum(part.enclosed for part in parts) == sum(
                part.enclosed for part in regions(pieces.grid, sheet.dots)
            )
            assert {
                sum(pieces.grid.bits[named(square)] for square in part.squares) for part in parts if part.scorable
            } == {one.squares for one in slices(pieces.grid, sheet.dots)}

    @invariant()
    def scores_add_up(self) -> None:
        for sheet in GAME.score(self.state):
            assert sheet.total == sum(one.points for one in sheet.lines) >= 0

    @invariant()
    def states_survive_json_and_description(self) -> None:
        data = json.loads(json.dumps(GAME.encode_state(self.state)))
        assert GAME.decode_state(data) == self.state
        assert GAME.encode_state(GAME.decode_state(data)) == data
        assert json.loads(json.dumps(GAME.view(self.state, 1))) == GAME.view(self.state, None)


@cases("games", [6, 30], always=1)
def test_any_moves_in_any_order(games: int) -> None:
    often = settings(max_examples=games, stateful_step_count=30, deadline=None, derandomize=True)
    run_state_machine_as_test(Games, settings=often)
