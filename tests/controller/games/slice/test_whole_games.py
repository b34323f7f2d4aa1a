"""Whole games by simulated hands, through perfect eyes and through eyes that doubt."""

from random import Random

from controller.game import Actor
from controller.games.slice import GAME
from controller.games.slice.components import load_components
from controller.games.slice.table import OPTIONS as ON_TABLE
from controller.simulation.players import Tally
from hardware.simulated.world import WorldSnapshot
from tests.controller.games.slice.laid_slice import SEATS, CardEyes, Contents
from tests.controller.played_games import played
from tests.long import cases
from vision.scene import PieceKind, Scene

DOUBTFUL = 0.02
"""The share of cards."""
OPTIONS = {"pizzas": 1, **ON_TABLE}
FACES = (*(f"slice/{card}" for card in load_components().cards), "slice/back")


@cases(("players", "seed"), [(2, 2), (4, 3)], always=1)
def test_every_play_is_read_and_every_breach_found(players: int, seed: int) -> None:
    tally = play(players, seed, mistake=0.3)
    assert tally.wrong == 0
    assert tally.breaches_missed == {}, tally.notes
    assert sum(tally.breaches_found.values()) >= 3
    assert tally.asked <= 1, tally.notes


def test_doubting_eyes_are_never_silently_wrong() -> None:
    """At any time some cards cannot be told, are not seen, or look like another as well."""
    tally = play(3, 4, mistake=0.0, doubt=Random(4))
    assert tally.wrong == 0
    assert tally.asked <= 0.3 * tally.plays, tally.notes


def play(players: int, seed: int, mistake: float, doubt: Random | None = None) -> Tally:
    """One game from joining to its end, which has the state that the hands have in mind."""
    sight = CardEyes()

    def see(now: WorldSnapshot) -> Scene:
        scene = sight.scene(now)
        if doubt is not None and scene.at_rest_s == 0.0:
            sight.doubt = _doubts(now, doubt)
        return scene

    rng = Random(seed)
    game = played(GAME.name, see, SEATS[players], rng, seed=seed, options=OPTIONS, mistake=mistake)
    assert game.state == game.believed
    assert GAME.turn(game.state).actor is Actor.NOBODY
    return game.tally


def _doubts(now: WorldSnapshot, rng: Random) -> dict[str, Contents]:
    """Some cards say nothing, some look almost as much like another, or are not quite sure."""
    doubts: dict[str, Contents] = {}
    cards = [piece for piece in now.pieces if piece.kind is PieceKind.SLICE_CARD]
    for card in cards:
        if rng.random() < DOUBTFUL:
            other = rng.choice([face for face in FACES if face != card.face])
            doubts[card.piece_id] = rng.choice([(), ((card.face, 0.55), (other, 0.4)), ((card.face, 0.7),)])
    return doubts
