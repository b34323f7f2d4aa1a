"""What holds for every game there is: the contract of `controller.game.Game`, checked by random play."""

import contextlib
import json
import math
from dataclasses import dataclass
from functools import cache
from itertools import islice
from random import Random
from typing import Any

import pytest

from controller.game import Actor, Game, GameError, IllegalMove, NotationError, OptionError, PositionError
from controller.games.registry import game_names, load_game
from controller.protocol import Session
from controller.records.loading import load_record
from controller.records.record import Header, MoveLine, Record, TakenBack, format_record, move_line, result
from tests.controller.games.random_play import Ply, last_state, leaves, mutated, play, random_move, through_json
from tests.long import cases

TABLES = [(name, players) for name in game_names() for players in load_game(name).player_counts]
FEW_OR_MANY = [
    (name, players)
    for name in game_names()
    for counts in [load_game(name).player_counts]
    for players in sorted({min(counts), max(counts)})
]
table = cases(("name", "players"), sorted(TABLES, key=lambda one: one not in FEW_OR_MANY), always=len(FEW_OR_MANY))
few_or_many = pytest.mark.parametrize(("name", "players"), FEW_OR_MANY)
"""For what holds of a game with any number of players if it does with the fewest and the most."""
every_game = pytest.mark.parametrize("name", game_names())
SAMPLED = 12
"""States of a game that a costly check looks at."""
LISTED = 4_000
"""Legal moves of a state that are compared one by one; where there are more, a part."""


@dataclass(frozen=True, slots=True)
class Played:
    """A random game."""

    engine: Game[Any, Any]
    plies: list[Ply]
    end: Any

    @property
    def states(self) -> list[Any]:
        """All states, the last included."""
        return [*(ply.state for ply in self.plies), self.end]

    def sample(self, count: int = SAMPLED) -> list[Any]:
        """States from all over the game, the first and the last included."""
        states = self.states
        step = max(1, len(states) // count)
        return [*states[::step], self.end]


@cache
def played(name: str, players: int, seed: int = 1) -> Played:
    """A random game, played once for all tests."""
    engine, rng = load_game(name), Random(f"{name} {players} {seed}")
    plies = list(play(engine, engine.start(players, {}, rng.randint(1, players)), rng))
    return Played(engine, plies, last_state(engine, plies))


@cache
def moves_of(name: str, players: int) -> list[Any]:
    """Moves of other games of this kind: most are illegal in any one state."""
    made = [ply.move for seed in (2, 3) for ply in played(name, players, seed).plies]
    return Random(4).sample(made, min(len(made), 120))


def viewers(players: int) -> list[int | None]:
    return [None, *range(1, players + 1)]


def listed(engine: Game[Any, Any], state: Any) -> tuple[list[Any], bool]:
    """Legal moves, and whether these are all."""
    moves = list(islice(engine.legal(state), LISTED + 1))
    all_there = len(moves) <= LISTED and (bool(moves) or engine.turn(state).actor is Actor.NOBODY)
    return moves[:LISTED], all_there


# Whole games ----------------------------------------------------------------------------------------------------------


@table
def test_random_games_end_with_winners_and_scores_that_add_up(name: str, players: int) -> None:
    for seed in (1, 2, 3):
        game = played(name, players, seed)
        for state in game.sample():
            turn = game.engine.turn(state)
            assert turn.prompt
            assert (turn.actor is Actor.PLAYERS) == bool(turn.players)
            assert set(turn.players) <= set(range(1, players + 1))
            sheets = game.engine.score(state)
            assert [sheet.player for sheet in sheets] == list(range(1, players + 1))
            assert all(sheet.total == sum(line.points for line in sheet.lines) for sheet in sheets)
            if turn.actor is not Actor.NOBODY:
                assert game.engine.winners(state) == ()
        assert game.engine.turn(game.end).actor is Actor.NOBODY
        assert list(game.engine.legal(game.end)) == []
        assert set(game.engine.winners(game.end)) <= set(range(1, players + 1))


@few_or_many
def test_states_are_values(name: str, players: int) -> None:
    game = played(name, players)
    again = game.plies[0].state
    for ply in game.plies:
        assert ply.state == again
        assert hash(ply.state) == hash(again)
        again = game.engine.apply(again, ply.move)
    assert again == game.end
    for state in game.sample(8):
        kept = game.engine.encode_state(state)
        assert game.engine.decode_state(through_json(kept)) == state
        for move in islice(game.engine.legal(state), 5):
            game.engine.apply(state, move)
        assert game.engine.encode_state(state) == kept


@table
def test_a_game_begins_with_whom_it_is_told(name: str, players: int) -> None:
    engine = load_game(name)
    for first in range(1, players + 1):
        state = engine.start(players, {}, first)
        assert engine.setup(players, {}, through_json(engine.position(state))) == state


# Notation and JSON ----------------------------------------------------------------------------------------------------


@few_or_many
def test_notation_is_read_as_it_was_written(name: str, players: int) -> None:
    game, rng = played(name, players), Random(5)
    sampled = [Ply(state, move) for state in game.sample() for move in _some_legal(game.engine, state, rng, 12)]
    for ply in game.plies + sampled:
        text = game.engine.format(ply.state, ply.move)
        again = game.engine.parse(ply.state, text)
        assert game.engine.apply(ply.state, again) == game.engine.apply(ply.state, ply.move), text
        assert game.engine.format(ply.state, again) == text
        assert text.isprintable(), text
        assert not set(text) & set(";{}#"), text
        assert not text[0].isdigit(), text
        assert not text.startswith(("undo ", "result ", "*", "[")), text
        assert text == " ".join(text.split())


@few_or_many
def test_moves_survive_json(name: str, players: int) -> None:
    game = played(name, players)
    for ply in game.plies:
        assert game.engine.decode_move(through_json(game.engine.encode_move(ply.move))) == ply.move


@few_or_many
def test_states_survive_json(name: str, players: int) -> None:
    game = played(name, players)
    for state in game.sample():
        data = through_json(game.engine.encode_state(state))
        again = game.engine.decode_state(data)
        assert again == state
        assert through_json(game.engine.encode_state(again)) == data


@every_game
def test_text_that_is_no_move_is_refused(name: str) -> None:
    engine, rng = load_game(name), Random(6)
    for players in engine.player_counts:
        for state in played(name, players).sample(4):
            texts = [engine.format(ply.state, ply.move) for ply in played(name, players, 2).plies[:20]]
            for text in (*_NO_MOVES, *map(_spoilt(rng), texts)):
                try:
                    move = engine.parse(state, text)
                except (NotationError, IllegalMove):
                    continue
                assert engine.refusal(state, move) is None


_NO_MOVES = ("", " ", "x", "\x00", "a" * 10_000, "P1", "P99999999999999999999 takes A")


def _spoilt(rng: Random) -> Any:
    def spoil(text: str) -> str:
        at = rng.randrange(len(text))
        return text[:at] + rng.choice(("", "9", "x", " ", "|", "-", "P", "²", "٣")) + text[at + 1 :]

    return spoil


@few_or_many
def test_json_that_is_no_move_or_state_is_refused(name: str, players: int) -> None:
    game, rng = played(name, players), Random(7)
    moves = [through_json(game.engine.encode_move(move)) for move in moves_of(name, players)]
    pool = [leaf for move in moves[:40] for leaf in leaves(move)]
    data: Any
    for data in (None, 1, "x", [], {}, {"move": "x"}, {"move": []}):
        with pytest.raises(GameError):
            game.engine.decode_move(data)
    for move in moves:
        _decoded_or_refused(game.engine.decode_move, mutated(move, rng, pool))
    for state in game.sample(8):
        data = through_json(game.engine.encode_state(state))
        for _ in range(3):
            _decoded_or_refused(game.engine.decode_state, mutated(data, rng, pool))


def _decoded_or_refused(decode: Any, data: Any) -> None:
    """Nothing else is raised than what says what is wrong."""
    with contextlib.suppress(GameError):
        decode(data)


# Rules ----------------------------------------------------------------------------------------------------------------


@few_or_many
def test_listed_moves_are_legal_and_listed_once(name: str, players: int) -> None:
    game = played(name, players)
    for state in game.sample():
        moves, _ = listed(game.engine, state)
        assert len(set(moves)) == len(moves)
        for move in Random(8).sample(moves, min(len(moves), 100)):
            assert game.engine.refusal(state, move) is None, move


@table
def test_a_move_is_refused_exactly_when_it_is_not_listed(name: str, players: int) -> None:
    game = played(name, players)
    for state in game.sample():
        legal = listed(game.engine, state)
        for move in moves_of(name, players):
            _check_refusal(game.engine, state, move, legal)


@few_or_many
def test_no_move_is_too_absurd_to_be_refused(name: str, players: int) -> None:
    game, rng = played(name, players), Random(9)
    encoded = [through_json(game.engine.encode_move(move)) for move in moves_of(name, players)]
    pool = [leaf for move in encoded[:40] for leaf in leaves(move)]
    for state in game.sample(12):
        legal = listed(game.engine, state)
        near = [through_json(game.engine.encode_move(move)) for move in _some_legal(game.engine, state, rng, 12)]
        for data in [*rng.sample(encoded, min(len(encoded), 25)), *near]:
            try:
                move = game.engine.decode_move(mutated(data, rng, pool))
            except GameError:
                continue
            _check_refusal(game.engine, state, move, legal)


@every_game
def test_what_is_no_move_of_this_game_is_refused(name: str) -> None:
    game = played(name, load_game(name).player_counts.start)
    others = [moves_of(other, load_game(other).player_counts.start)[0] for other in game_names() if other != name]
    for state in game.sample(3):
        for move in (*others, None, "x", 3):
            _check_refusal(game.engine, state, move, ([], False))


def _check_refusal(engine: Game[Any, Any], state: Any, move: Any, legal: tuple[list[Any], bool]) -> None:
    """Legal exactly when listed, or when it means the same as a listed move; otherwise refused in words."""
    moves, all_there = legal
    refusal = engine.refusal(state, move)
    if refusal is None:
        after = engine.apply(state, move)
        if all_there and move not in moves:
            assert any(engine.apply(state, other) == after for other in moves), f"{move} is not listed, but not refused"
        return
    assert move not in moves, f"{move} is listed, but refused: {refusal}"
    for words in (refusal.heading, refusal.problem, refusal.remedy):
        assert words.strip(), refusal
    with pytest.raises(IllegalMove) as caught:
        engine.apply(state, move)
    assert caught.value.refusal == refusal


def _some_legal(engine: Game[Any, Any], state: Any, rng: Random, count: int) -> list[Any]:
    moves = list(islice(engine.legal(state), 400))
    return rng.sample(moves, min(len(moves), count))


# Positions and options ------------------------------------------------------------------------------------------------


@few_or_many
def test_a_described_position_is_the_state_again(name: str, players: int) -> None:
    for seed in (1, 2):
        game = played(name, players, seed)
        for state in game.sample(35 if seed == 1 else 8):
            described = through_json(game.engine.position(state))
            again = game.engine.setup(players, {}, described)
            assert again == state
            assert game.engine.encode_state(again) == game.engine.encode_state(state)
    assert game.engine.setup(players, {}, {}) == game.engine.start(players, {})


@few_or_many
def test_what_a_position_leaves_out_is_as_at_the_start(name: str, players: int) -> None:
    engine = load_game(name)
    start = engine.position(engine.start(players, {}))
    for state in played(name, players).sample(12):
        described = {key: value for key, value in engine.position(state).items() if start.get(key, ...) != value}
        assert engine.setup(players, {}, through_json(described)) == state


@few_or_many
def test_a_position_that_cannot_be_is_refused_and_any_other_can_be_played(name: str, players: int) -> None:
    game, rng = played(name, players), Random(10)
    positions = [through_json(game.engine.position(state)) for state in game.sample()]
    pool = [leaf for described in positions for leaf in leaves(described)]
    for described in positions:
        for _ in range(6):
            spoilt = mutated(described, rng, pool)
            try:
                state = game.engine.setup(players, {}, spoilt)
            except PositionError:
                continue
            assert game.engine.setup(players, {}, through_json(game.engine.position(state))) == state
            _use(game.engine, state, players, rng)
    nothing: Any
    for nothing in ([], 1, "x", None, {"unheard_of": 1}):
        with pytest.raises(PositionError):
            game.engine.setup(players, {}, nothing)


def _use(engine: Game[Any, Any], state: Any, players: int, rng: Random) -> None:
    """Ask everything of a state, and play on a little."""
    for viewer in viewers(players):
        engine.view(state, viewer)
    engine.score(state)
    engine.winners(state)
    for _ in range(3):
        if engine.turn(state).actor is Actor.NOBODY:
            return
        move = random_move(engine, state, rng)
        state = engine.apply(state, move)


@every_game
def test_options_are_documented_and_checked(name: str) -> None:
    engine = load_game(name)
    players = engine.player_counts[len(engine.player_counts) // 2]
    names = [option.name for option in engine.option_list]
    assert len(set(names)) == len(names)
    defaults = {option.name: option.default for option in engine.option_list}
    for count in engine.player_counts:
        assert engine.start(count, through_json(defaults)) == engine.start(count, {})
    for option in engine.option_list:
        assert option.meaning
        assert not option.choices or option.default in option.choices
        with pytest.raises(GameError, match=option.name):
            engine.start(players, {option.name: ["absurd"]})
    with pytest.raises(OptionError, match="unheard_of"):
        engine.start(players, {"unheard_of": 1})


@every_game
def test_impossible_players_are_refused(name: str) -> None:
    engine = load_game(name)
    some = float(engine.player_counts.start)
    too_many: list[Any] = [0, -1, engine.player_counts.stop, 1000, some, str(some), None]
    for players in too_many:
        if players is some or players not in engine.player_counts:
            with pytest.raises(OptionError):
                engine.start(players, {})
    no_first: list[Any] = [0, -1, engine.player_counts.start + 1, some, True, None]
    for first in no_first:
        with pytest.raises(OptionError):
            engine.start(engine.player_counts.start, {}, first)


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [
        (name, option.name, value)
        for name in game_names()
        for option in load_game(name).option_list
        for value in option.choices
        if value != option.default
    ],
)
def test_every_choice_of_every_option_can_be_played(name: str, option: str, value: Any) -> None:
    engine, rng = load_game(name), Random(11)
    able = [count for count in engine.player_counts if _starts(engine, count, {option: value})]
    assert able, "no number of players can play it"
    for players in {able[0], able[-1]}:
        options = {option: value}
        plies = list(play(engine, engine.start(players, options), rng))
        for ply in plies[:: max(1, len(plies) // 10)]:
            assert engine.setup(players, options, through_json(engine.position(ply.state))) == ply.state
            assert engine.decode_state(through_json(engine.encode_state(ply.state))) == ply.state


def _starts(engine: Game[Any, Any], players: int, options: dict[str, Any]) -> bool:
    """Some options are for some numbers of players only; the others are refused by name."""
    try:
        engine.start(players, options)
    except OptionError:
        return False
    return True


# Secrets --------------------------------------------------------------------------------------------------------------


@table
def test_no_view_tells_what_its_viewer_may_not_know(name: str, players: int) -> None:
    """States that differ only in what a viewer may not know give that viewer equal views."""
    game, rng = played(name, players), Random(12)
    for state in game.sample():
        for viewer in viewers(players):
            other = game.engine.determinize(state, viewer, rng)
            seen = game.engine.view(state, viewer)
            assert through_json(seen) == seen
            assert game.engine.view(other, viewer) == seen
            assert game.engine.turn(other) == game.engine.turn(state)
            assert game.engine.setup(players, {}, through_json(game.engine.position(other))) == other


@few_or_many
def test_a_secret_is_redrawn_for_those_who_may_not_know_it(name: str, players: int) -> None:
    """Where players see different things, a spectator's redrawn state differs from the real one at times."""
    game, rng = played(name, players), Random(13)
    engine = game.engine
    shown = [(state, engine.view(state, None)) for state in game.sample()]
    secret = [s for s, seen in shown if any(engine.view(s, p) != seen for p in range(1, players + 1))]
    told = [s for s in secret if _knows_more(engine, s, players)]
    if told:
        assert any(engine.determinize(state, None, rng) != state for state in told for _ in range(3))


def _knows_more(engine: Game[Any, Any], state: Any, players: int) -> bool:
    """Whether some player's view says something that redrawing for a spectator changes."""
    rng = Random(14)
    others = [engine.determinize(state, None, rng) for _ in range(6)]
    return any(engine.view(other, p) != engine.view(state, p) for other in others for p in range(1, players + 1))


# Advice ---------------------------------------------------------------------------------------------------------------


@few_or_many
def test_advice_is_legal_and_given_with_a_reason(name: str, players: int) -> None:
    game = played(name, players)
    for state in game.sample(8):
        advised = {player: game.engine.advise(state, player) for player in game.engine.turn(state).players}
        # Who may act and does best to let the others gets none, but somebody does.
        assert any(advised.values()) or not advised
        for player, ranked in advised.items():
            assert len(ranked) <= 12
            for advice in ranked:
                assert game.engine.refusal(state, advice.move) is None
                assert getattr(advice.move, "player", player) == player
                assert math.isfinite(advice.value)
                assert advice.reason.isprintable()
                assert advice.reason


@few_or_many
def test_advice_uses_only_what_its_player_may_know(name: str, players: int) -> None:
    game, rng = played(name, players), Random(15)
    for state in game.sample(5):
        for player in game.engine.turn(state).players[:2]:
            other = game.engine.determinize(state, player, rng)
            if other != state:
                assert game.engine.advise(other, player) == game.engine.advise(state, player)


# Records and the referee ----------------------------------------------------------------------------------------------


@table
def test_a_record_replays_what_was_played(name: str, players: int) -> None:
    engine, rng = load_game(name), Random(16)
    start = engine.start(players, {}, players)
    states = [start]
    lines: list[MoveLine | TakenBack] = []
    while engine.turn(states[-1]).actor is not Actor.NOBODY:
        move = random_move(engine, states[-1], rng)
        lines.append(move_line(engine, states[-1], move))
        states.append(engine.apply(states[-1], move))
        if rng.random() < 0.05:
            number = rng.randrange(max(1, len(states) - 4), len(states))
            del states[number:]
            lines.append(TakenBack(number))
    names = tuple(f"Player {player}" for player in range(1, players + 1))
    record = Record(Header(name, players, names, first=players), tuple(lines), result(engine, states[-1]))
    text = format_record(record)
    replay = load_record(text)
    assert replay.state == states[-1]
    assert replay.record == record
    assert format_record(replay.record) == text


@few_or_many
def test_a_record_may_begin_in_the_middle(name: str, players: int) -> None:
    game = played(name, players)
    engine, half = game.engine, len(game.plies) // 2
    lines = tuple(move_line(engine, ply.state, ply.move) for ply in game.plies[half:])
    header = Header(name, players, position=through_json(engine.position(game.plies[half].state)))
    replay = load_record(format_record(Record(header, lines, result(engine, game.end))))
    assert replay.state == game.end


@few_or_many
def test_what_is_taken_back_never_was(name: str, players: int) -> None:
    """Through the referee's protocol: undo to the start, and the same moves again meet the same chance."""
    session, rng = Session("test"), Random(17)

    def ask(**request: Any) -> Any:
        answer = json.loads(session.answer(json.dumps(request)))
        assert answer["ok"], answer
        return answer

    ask(do="new", game=name, players=players, seed=3)
    begun, made = ask(do="position")["position"], []
    for _ in range(12):
        moves = ask(do="legal", limit=30)["moves"]
        if not moves:
            break
        made.append(rng.choice(moves))
        ask(do="play", move=made[-1]["move"])
    there, record = ask(do="position")["position"], ask(do="record")["record"]
    assert load_game(name).position(load_record(record).state) == there
    ask(do="undo", moves=len(made))
    assert ask(do="position")["position"] == begun
    for move in made:
        ask(do="play", notation=move["notation"])
    assert ask(do="position")["position"] == there
