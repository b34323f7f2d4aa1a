"""Random play of any game through its interface: for the conformance suite, the soak run, fuzzers and benchmarks."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any

from controller.game import Actor, Game

LONGEST_GAME = 20_000
"""Moves. A random game that takes more is taken for endless."""


@dataclass(frozen=True, slots=True)
class Ply:
    """A state and the move that was made in it."""

    state: Any
    move: Any


def random_move(engine: Game[Any, Any], state: Any, rng: Random) -> Any:
    """A chance outcome, or one of the first few legal moves; how many are looked at differs, so that openings of the
    list do not decide the game."""
    return _random_move(engine, state, engine.turn(state).actor, rng)


def play(engine: Game[Any, Any], state: Any, rng: Random) -> Iterator[Ply]:
    """The plies of a random game from here to its end."""
    for _ in range(LONGEST_GAME):
        actor = engine.turn(state).actor
        if actor is Actor.NOBODY:
            return
        move = _random_move(engine, state, actor, rng)
        yield Ply(state, move)
        state = engine.apply(state, move)
    raise AssertionError(f"{engine.name}: no end after {LONGEST_GAME} moves")


def last_state(engine: Game[Any, Any], plies: Sequence[Ply]) -> Any:
    """The state after the last ply."""
    return engine.apply(plies[-1].state, plies[-1].move)


def through_json(value: Any) -> Any:
    """What comes back of a value written as JSON."""
    return json.loads(json.dumps(value, allow_nan=False))


def mutated(data: Any, rng: Random, pool: list[Any]) -> Any:
    """JSON with one thing in it changed: to something absurd, or to something else from the pool."""
    data = through_json(data)
    places = list(_places(data))
    if not places:
        return rng.choice((*_ABSURD, *pool))
    holder, key = rng.choice(places)
    match rng.randrange(4):
        case 0 if isinstance(holder, dict):
            del holder[key]
        case 0:
            holder.insert(key, holder[key])
        case 1 if isinstance(holder, dict) and rng.random() < 0.3:
            holder["unheard_of"] = 1
        case 1 | 2:
            holder[key] = rng.choice(_ABSURD)
        case _:
            holder[key] = rng.choice(pool or _ABSURD)
    return data


def leaves(data: Any) -> list[Any]:
    """Every value within JSON, lists and objects included."""
    return [holder[key] for holder, key in _places(data)]


_ABSURD: tuple[Any, ...] = (
    None, True, False, -1, 0, 1, 7, 99, 10**9, 0.5, "", "x", "é|;{", [], {}, [1], ["x"], [[]], {"x": 1}, "1",
)  # fmt: skip


def _random_move(engine: Game[Any, Any], state: Any, actor: Actor, rng: Random) -> Any:
    if actor is Actor.CHANCE:
        return engine.draw(state, rng)
    nth = rng.randrange(rng.choice((2, 12, 80)))
    moves = list(islice(engine.legal(state), nth + 1))
    return moves[nth % len(moves)]


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    keys = list(data) if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
    for key in keys:
        yield data, key
        yield from _places(data[key])
