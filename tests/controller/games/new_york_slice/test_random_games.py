"""Whole games played at random: what holds in every one of them."""

import json
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from controller.game import Actor
from controller.games.new_york_slice import GAME, rules
from controller.games.new_york_slice.rules import Divide, Mystery, Phase, Reveal, State, Take

PLAYERS = st.integers(2, 6)
SEEDS = st.integers(0, 10**9)
FEW = settings(max_examples=25, deadline=None)


def any_move(state: State, random: Random) -> rules.Move:
    """A legal move, chosen without listing all: some are looked at, one is kept."""
    if GAME.turn(state).actor is Actor.CHANCE:
        hidden = state.phase is Phase.MYSTERY and random.random() < 0.5
        return Mystery(None) if hidden else GAME.draw(state, random)
    looked_at = random.choice((1, 5, 60))
    kept: list[rules.Move] = []
    for number, move in zip(range(looked_at), GAME.legal(state), strict=False):
        if random.randrange(number + 1) == 0:
            kept = [move]
    return kept[0]


def played(players: int, seed: int) -> list[tuple[State, rules.Move | None]]:
    """Every state of a game with the move that was made in it."""
    random = Random(seed)
    state = GAME.start(players, {}, random.randint(1, players))
    history: list[tuple[State, rules.Move | None]] = []
    while state.phase is not Phase.OVER:
        move = any_move(state, random)
        history.append((state, move))
        state = GAME.apply(state, move)
    return [*history, (state, None)]


def pieces(state: State) -> list[str]:
    """Every slice in the game, wherever it is."""
    places = [
        face for holding in state.holdings for face in (*holding.collected, *holding.eaten, *holding.unseen_faces)
    ]
    places += state.unseen
    places += state.taken
    places += [state.mystery] if state.mystery else []
    if state.phase in (Phase.REDRAW, Phase.DIVIDE):
        places += state.ring
    places += [face for one in state.portions if one.taken_by is None for face in one.slices]
    return places


@FEW
@given(PLAYERS, SEEDS)
def test_no_slice_is_lost_or_doubled(players: int, seed: int) -> None:
    for state, _ in played(players, seed):
        found = pieces(state)
        assert len(found) == len(set(found))
        assert set(found) == GAME.components.in_game(players)


@FEW
@given(PLAYERS, SEEDS)
def test_specials_are_conserved_and_one_comes_with_each_pizza(players: int, seed: int) -> None:
    history = played(players, seed)
    for state, _ in history:
        owned = [one.name for holding in state.holdings for one in holding.specials]
        waiting = [state.special] if state.special and state.special not in owned else []
        assert sorted([*owned, *waiting, *state.set_aside, *state.unseen_specials]) == sorted(
            GAME.components.specials_by_face
        )
    assert len(owned) == state.rounds


@FEW
@given(PLAYERS, SEEDS)
def test_each_round_has_one_pizza_and_as_many_takes_as_portions(players: int, seed: int) -> None:
    moves = [move for _, move in played(players, seed)]
    rounds = GAME.start(players, {}).rounds
    assert sum(isinstance(move, Reveal) for move in moves) == rounds
    assert sum(isinstance(move, Take) for move in moves) == rounds * (4 if players == 2 else players)


@FEW
@given(PLAYERS, SEEDS)
def test_listed_moves_are_legal_and_one_of_them_is_among_them_when_played(players: int, seed: int) -> None:
    random = Random(seed)
    for state, move in played(players, seed):
        listed = [one for _, one in zip(range(40), GAME.legal(state), strict=False)]
        assert all(GAME.refusal(state, one) is None for one in listed)
        assert len(set(listed)) == len(listed)
        if move is not None and state.phase in (Phase.STACK, Phase.CHOOSE, Phase.SECONDS):
            assert move in list(GAME.legal(state))
        for one in listed[:10]:
            GAME.apply(state, one)
        if GAME.turn(state).actor is Actor.CHANCE:
            assert GAME.refusal(state, GAME.draw(state, random)) is None


@FEW
@given(PLAYERS, SEEDS, SEEDS)
def test_a_move_of_another_moment_is_refused_or_listed(players: int, seed: int, other_seed: int) -> None:
    """Legality and the list say the same about moves that were made for other situations."""
    moves = [move for _, move in played(players, other_seed) if move is not None]
    random = Random(seed)
    for state, _ in played(players, seed):
        if state.phase in (Phase.STACK, Phase.CHOOSE, Phase.SECONDS, Phase.COUNT, Phase.MYSTERY, Phase.REDRAW):
            listed = set(GAME.legal(state))
            for move in random.sample(moves, 20):
                assert (GAME.refusal(state, move) is None) == (move in listed)


@FEW
@given(PLAYERS, SEEDS, st.data())
def test_a_division_is_legal_exactly_when_it_is_listed(players: int, seed: int, data: st.DataObject) -> None:
    history = [state for state, move in played(players, seed) if isinstance(move, Divide)]
    state = data.draw(st.sampled_from(history))
    ring = list(state.ring)
    if data.draw(st.booleans()):
        first, second = data.draw(st.tuples(st.integers(0, len(ring) - 1), st.integers(0, len(ring) - 1)))
        ring[first], ring[second] = ring[second], ring[first]
    wanted = 4 if players == 2 else players
    cuts = sorted(data.draw(st.lists(st.integers(0, len(ring)), min_size=wanted - 1, max_size=wanted)))
    portions = tuple(tuple(ring[begin:end]) for begin, end in zip([0, *cuts], [*cuts, len(ring)], strict=True))
    move = Divide(portions, data.draw(st.integers(0, len(portions) - 1)))
    refusal = GAME.refusal(state, move)
    if refusal is None:
        assert rules.canonical_divide(state, move) in set(GAME.legal(state))
        assert GAME.apply(state, move) == GAME.apply(state, rules.canonical_divide(state, move))
    else:
        assert move not in set(GAME.legal(state))


@FEW
@given(PLAYERS, SEEDS)
def test_the_same_moves_lead_to_the_same_game(players: int, seed: int) -> None:
    history = played(players, seed)
    state = history[0][0]
    for expected, move in history:
        assert state == expected
        if move is not None:
            state = GAME.apply(state, move)


@FEW
@given(PLAYERS, SEEDS)
def test_states_and_moves_survive_json_and_notation(players: int, seed: int) -> None:
    for state, move in played(players, seed):
        assert GAME.decode_state(json.loads(json.dumps(GAME.encode_state(state)))) == state
        if move is not None:
            assert GAME.decode_move(json.loads(json.dumps(GAME.encode_move(move)))) == move
            assert GAME.parse(state, GAME.format(state, move)) == move


@FEW
@given(PLAYERS, SEEDS)
def test_scores_add_up_and_somebody_wins(players: int, seed: int) -> None:
    history = played(players, seed)
    for state, _ in history[:-1:10]:
        for sheet in GAME.score(state):
            assert sheet.total == sum(one.points for one in sheet.lines)
            assert len(sheet.lines) == 11
        assert GAME.winners(state) == ()
    state = history[-1][0]
    best = max(sheet.total for sheet in GAME.score(state))
    assert {GAME.score(state)[player - 1].total for player in GAME.winners(state)} == {best}
    for value in range(9):
        assert sum(sheet.lines[value].points > 0 for sheet in GAME.score(state)) <= 1


@FEW
@given(PLAYERS, SEEDS)
def test_what_is_shown_is_json_and_keeps_the_mystery(players: int, seed: int) -> None:
    for state, _ in played(players, seed)[::5]:
        shown = GAME.view(state, None)
        assert json.loads(json.dumps(shown)) == shown
        known = {player: set(holding.unseen_faces) for player, holding in enumerate(state.holdings, 1)}
        if state.mystery is not None and state.taker is not None:
            known[state.taker].add(state.mystery)
        for viewer in (None, *known):
            own = GAME.view(state, viewer)
            lying = json.dumps([own["players"], own["portions"], own["ring"], own["mystery"]])
            for owner, faces in known.items():
                assert all((f'"{face}"' in lying) is (owner == viewer) for face in faces)
            hidden = json.dumps(own)
            for told in known.get(viewer or 0, ()):
                hidden = hidden.replace(f'"face": "{told}"', '"face": null').replace(
                    f'"unseen_faces": ["{told}"]', '"unseen_faces": []'
                )
            assert json.loads(hidden) == shown, "all else is everybody's"
