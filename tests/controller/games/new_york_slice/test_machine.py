"""Whole games played at random, as a state machine: what holds in every state of every one of them."""

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
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
from controller.games.new_york_slice import GAME, headings, rules
from controller.games.new_york_slice.rules import (
    ChooseStack,
    Decide,
    Dibs,
    Divide,
    EatSeconds,
    Move,
    Mystery,
    Phase,
    Redraw,
    Reveal,
    RevealEaten,
    Sneak,
    State,
    Take,
)
from tests.long import cases

SPECIALS = sorted(GAME.components.specials_by_face)
HEADINGS = {value for name, value in vars(headings).items() if name.isupper()}
SWITCHES = {option.name: not option.default for option in GAME.option_list if option.choices}
OWN_PIECES = {"7/1": {"pepperoni": 0, "anchovies": 2}, "3/3": {"pepperoni": 2}}
PLAYERS = st.integers(-1, 7)
NUMBERS = st.integers(-2, 12) | st.just(10**12)
FACES = st.sampled_from([*GAME.components.by_face, "special/dibs", "", "mystery"])
TYPES = st.none() | st.sampled_from(["3", "7", "11", "12", "", "anchovy", "supreme"])
EATEN = st.frozensets(FACES, max_size=4)
PIZZAS = st.lists(FACES, max_size=12).map(tuple)
ANY_SPECIAL = st.sampled_from([*SPECIALS, "special/none", "7/1", ""])
ANY_MOVE = st.one_of(
    st.builds(ChooseStack, NUMBERS),
    st.builds(Reveal, ANY_SPECIAL, PIZZAS),
    st.builds(Redraw, ANY_SPECIAL),
    st.builds(Dibs, PLAYERS, FACES, st.booleans(), TYPES),
    st.builds(Divide, st.lists(PIZZAS, max_size=6).map(tuple), NUMBERS),
    st.builds(Sneak, PLAYERS, FACES, NUMBERS),
    st.builds(Take, PLAYERS, NUMBERS),
    st.builds(Mystery, st.none() | FACES),
    st.builds(Decide, PLAYERS, EATEN, TYPES, st.booleans()),
    st.builds(EatSeconds, PLAYERS, EATEN),
    st.builds(RevealEaten, PLAYERS, FACES),
)


def chance(state: State, coming: Sequence[str], random: Random) -> Move:
    """An outcome; of the Specials the next in this order comes up. A Mystery slice may be seen by its owner only."""
    move = GAME.draw(state, random)
    if isinstance(move, Reveal | Redraw):
        return replace(move, special=next(one for one in coming if one in state.unseen_specials))
    return Mystery(None) if isinstance(move, Mystery) and random.random() < 0.5 else move


def choice(state: State, random: Random) -> Move:
    """A legal move of any kind and player, as likely where there are few as where there are thousands."""
    listed = list(islice(GAME.legal(state), 4000))
    kind = random.choice(sorted({(type(move).__name__, getattr(move, "player", 0)) for move in listed}))
    return random.choice([move for move in listed if (type(move).__name__, getattr(move, "player", 0)) == kind])


def any_move(state: State, coming: Sequence[str], random: Random) -> Move:
    by_chance = GAME.turn(state).actor is Actor.CHANCE
    return chance(state, coming, random) if by_chance else choice(state, random)


def is_legal(state: State, move: Move) -> bool:
    """Whether a move is in the list, under the list's numbering; a pizza that is turned up is in none."""
    if isinstance(move, Reveal):
        fresh = move.special in state.unseen_specials and state.unseen.issuperset(move.ring)
        return state.phase is Phase.REVEAL and fresh and len(move.ring) == len(set(move.ring)) == 11
    return move in set(GAME.legal(state))


def check_one(state: State, move: Move) -> bool:
    """A move is refused with a reason exactly when it is not legal. Returns whether it is legal."""
    found = GAME.refusal(state, move)
    if found is None:
        listed = rules.canonical_divide(state, move) if isinstance(move, Divide) else move
        assert is_legal(state, listed)
        assert GAME.apply(state, move) == GAME.apply(state, listed)
        return True
    assert not is_legal(state, move)
    assert found.heading in HEADINGS
    assert found.problem
    assert found.remedy
    with pytest.raises(IllegalMove) as caught:
        GAME.apply(state, move)
    assert caught.value.refusal == found
    return False


def pieces(state: State) -> list[str]:
    """Every slice in the game, wherever it is."""
    places = [*state.unseen, *state.taken, *([state.mystery] if state.mystery else [])]
    for holding in state.holdings:
        places += [*holding.collected, *holding.eaten, *holding.unseen_faces]
    if state.phase in (Phase.REDRAW, Phase.DIVIDE):
        places += state.ring
    return places + [face for one in state.portions if one.taken_by is None for face in one.slices]


class Games(RuleBasedStateMachine):
    """One game; every rule is a move, or one that is tried."""

    @initialize(
        players=st.integers(2, 6),
        switched=st.frozensets(st.sampled_from(sorted(SWITCHES))),
        own=st.booleans(),
        coming=st.permutations(SPECIALS),
        seed=st.integers(0, 999),
    )
    def begin(self, players: int, switched: frozenset[str], own: bool, coming: Sequence[str], seed: int) -> None:
        self.options = {name: SWITCHES[name] for name in switched} | ({"components": OWN_PIECES} if own else {})
        self.coming = coming
        self.random = Random(seed)
        self.state = GAME.start(players, self.options, self.random.randint(1, players))
        self.past: list[Move] = []

    @precondition(lambda self: self.state.phase is not Phase.OVER)
    @rule(steps=st.integers(1, 25))
    def play(self, steps: int) -> None:
        for _ in range(steps):
            if self.state.phase is not Phase.OVER:
                self.play_one()

    def play_one(self) -> None:
        state = self.state
        move = any_move(state, self.coming, self.random)
        listed = list(islice(GAME.legal(state), 200))
        assert len(set(listed)) == len(listed)
        for one in (move, *self.random.sample(listed, min(3, len(listed)))):
            assert GAME.refusal(state, one) is None
            text = GAME.format(state, one)
            assert GAME.parse(state, text) == one
            assert not set(text) & set(";{}#")
            assert not text[0].isdigit()
            assert GAME.decode_move(json.loads(json.dumps(GAME.encode_move(one)))) == one
            GAME.apply(state, one)
        self.state = GAME.apply(state, move)
        self.past.append(move)

    @rule(move=ANY_MOVE)
    def anything_else(self, move: Move) -> None:
        check_one(self.state, move)

    @precondition(lambda self: self.past)
    @rule()
    def a_move_of_another_moment(self) -> None:
        check_one(self.state, self.random.choice(self.past))

    @precondition(lambda self: self.state.phase not in (Phase.REVEAL, Phase.OVER))
    @rule(other=ANY_MOVE)
    def almost_a_legal_move(self, other: Move) -> None:
        """A legal move with one thing changed for that of any other move of its kind."""
        move = any_move(self.state, self.coming, self.random)
        if type(move) is type(other):
            name = self.random.choice(move.__slots__)
            check_one(self.state, replace(move, **{name: getattr(other, name)}))
        if isinstance(move, Decide | EatSeconds):
            mine = self.state.holdings[move.player - 1].collected
            more = {self.random.choice([*self.state.taken, *mine, "supreme"])}
            check_one(self.state, replace(move, eaten=move.eaten ^ more))

    @precondition(lambda self: self.state.phase is Phase.DIVIDE)
    @rule(data=st.data())
    def any_division(self, data: st.DataObject) -> None:
        """Wherever the pizza is cut, and also where two slices have changed places."""
        ring = list(self.state.ring)
        places = st.integers(0, len(ring) - 1)
        if data.draw(st.booleans()):
            one, two = data.draw(places), data.draw(places)
            ring[one], ring[two] = ring[two], ring[one]
        wanted = 4 if self.state.players == 2 else self.state.players
        cuts = sorted(data.draw(st.lists(places, min_size=wanted - 2, max_size=wanted)))
        portions = tuple(tuple(ring[begin:end]) for begin, end in zip([0, *cuts], [*cuts, len(ring)], strict=True))
        check_one(self.state, Divide(portions, data.draw(st.integers(-1, len(portions)))))

    @invariant()
    def no_slice_is_lost_or_doubled(self) -> None:
        found = pieces(self.state)
        assert len(found) == len(set(found))
        assert set(found) == GAME.components.in_game(self.state.players)
        in_stacks = 11 * (len(self.state.stacks) + (self.state.phase is Phase.REVEAL))
        assert len(self.state.unseen) - in_stacks in (2, 3)

    @invariant()
    def one_special_comes_with_each_pizza(self) -> None:
        state = self.state
        owned = [one.name for holding in state.holdings for one in holding.specials]
        waiting = [state.special] if state.special and state.special not in owned else []
        assert sorted([*owned, *waiting, *state.set_aside, *state.unseen_specials]) == SPECIALS
        assert len(owned) + len(waiting) == sum(isinstance(move, Reveal) for move in self.past)

    @invariant()
    def scores_add_up(self) -> None:
        sheets = GAME.score(self.state)
        for sheet in sheets:
            assert sheet.total == sum(one.points for one in sheet.lines)
            assert len(sheet.lines) == 11
        for line, value in enumerate(range(3, 12)):
            assert sorted(sheet.lines[line].points for sheet in sheets)[:-1] == [0] * (self.state.players - 1)
            assert max(sheet.lines[line].points for sheet in sheets) in (0, value)

    @invariant()
    def somebody_wins_exactly_when_it_is_over(self) -> None:
        state = self.state
        over = GAME.turn(state).actor is Actor.NOBODY
        assert over is (state.phase is Phase.OVER) is bool(GAME.winners(state))
        if over:
            assert sum(isinstance(move, Reveal) for move in self.past) == state.rounds
            best = max((sheet.total, len(state.holdings[sheet.player - 1].eaten)) for sheet in GAME.score(state))
            first = GAME.winners(state)
            assert {GAME.score(state)[player - 1].total for player in first} == {best[0]}
            assert {len(state.holdings[player - 1].eaten) for player in first} == {best[1]}

    @invariant()
    def it_is_the_same_after_json_and_as_a_position(self) -> None:
        state = self.state
        assert GAME.decode_state(json.loads(json.dumps(GAME.encode_state(state)))) == state
        described = json.loads(json.dumps(GAME.position(state)))
        again = GAME.setup(state.players, self.options, described)
        assert again == state
        assert hash(again) == hash(state)

    @invariant()
    def nobody_sees_another_ones_secret(self) -> None:
        for viewer in (None, *range(1, self.state.players + 1)):
            shown = GAME.view(self.state, viewer)
            assert json.loads(json.dumps(shown)) == shown
            assert GAME.view(GAME.determinize(self.state, viewer, self.random), viewer) == shown


@cases("games", [10, 60], always=1)
def test_any_moves_in_any_order(games: int) -> None:
    often = settings(max_examples=games, stateful_step_count=12, deadline=None, derandomize=True)
    run_state_machine_as_test(Games, settings=often)


# Every Special comes into play ----------------------------------------------------------------------------------------


def moves_of_game(players: int, special: str, seed: int) -> list[tuple[State, Move | None]]:
    """Each state with the move made in it, of a game in whose first round this Special comes up, and a Veggie slice
    without pepperoni where there is one."""
    random = Random(seed)
    coming = [special, *random.sample([one for one in SPECIALS if one != special], 13)]
    state = GAME.start(players, {}, random.randint(1, players))
    history = []
    while state.phase is not Phase.OVER:
        move = any_move(state, coming, random)
        if isinstance(move, Reveal) and "3/3" in state.unseen.difference(move.ring):
            move = replace(move, ring=("3/3", *move.ring[1:]))
        history.append((state, move))
        state = GAME.apply(state, move)
    return [*history, (state, None)]


def is_use(special: str, state: State, move: Move | None) -> bool:
    """Whether this move uses the Special."""
    match special, move:
        case (rules.CUT_IN_LINE, Take()):
            return move.player != state.order[0]
        case (rules.DIBS, Dibs()) | (rules.SNEAK_A_SLICE, Sneak()) | (rules.MYSTERY_SLICE, Mystery()):
            return True
        case (rules.SECONDS, EatSeconds()):
            return bool(move.eaten)
        case (rules.COMBO_CRAVING, Decide()):
            return any(face.startswith("combo-") for face in move.eaten)
        case (rules.YOU_LOVE_VEGGIES, Decide()):
            return "3/3" in move.eaten
    return False


USED = (
    rules.CUT_IN_LINE, rules.DIBS, rules.SNEAK_A_SLICE, rules.MYSTERY_SLICE, rules.SECONDS, rules.COMBO_CRAVING,
    rules.YOU_LOVE_VEGGIES,
)  # fmt: skip
NOT_FOR_TWO = (rules.CUT_IN_LINE, rules.DIBS, rules.YOU_LOVE_VEGGIES)


@cases("special", SPECIALS, always=4)
def test_every_special_comes_into_play_with_any_number_of_players(special: str) -> None:
    used = False
    for players in range(2, 7):
        history = moves_of_game(players, special, players)
        state = history[-1][0]
        owners = sum(rules.owned(state, player, special) is not None for player in range(1, players + 1))
        if players == 2 and special in NOT_FOR_TWO:
            assert (owners, state.set_aside[0]) == (0, special)
            continue
        assert (owners, state.set_aside.count(special)) == (1, 0)
        used = used or any(is_use(special, *step) for step in history)
    if special in USED and not used:
        used = any(is_use(special, *step) for seed in range(10, 60) for step in moves_of_game(4, special, seed))
    assert used is (special in USED)
