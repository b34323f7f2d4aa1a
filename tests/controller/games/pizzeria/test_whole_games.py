"""Whole games of Pizzeria by simulated hands, through perfect eyes."""

from random import Random
from typing import Any

from controller.games.pizzeria import GAME
from tests.controller.perfect_eyes import PerfectEyes
from tests.controller.played_games import played, seats_of
from tests.long import cases


@cases(
    ("players", "options"), [(4, {"advanced": True}), (2, {"solo": True}), (3, {}), (2, {"advanced": True})], always=2
)
def test_every_play_is_read_and_every_breach_found(players: int, options: dict[str, Any]) -> None:
    rng, see = Random(players), PerfectEyes().scene
    mistake = 0.0 if "solo" in options else 0.3
    game = played(GAME.name, see, seats_of(players, rng), rng, seed=players, options=options, mistake=mistake)
    assert game.tally.wrong == 0
    assert game.tally.breaches_missed == {}
    assert sum(game.tally.breaches_found.values()) >= (0 if "solo" in options else 2)
    assert game.tally.asked <= 1, game.tally.notes
    assert game.state == game.believed
    assert GAME.winners(game.state)
