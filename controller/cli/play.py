"""`pizzatable play`: whole games on the simulated table, to measure how often it is read right."""

import os
import re
import sys
from typing import Any

import click

from config.loader import load_table
from controller.cli.common import FiniteRange, game_options, told
from controller.game import GameError
from controller.games.registry import games_with, kinds_of, load_game
from vision.scene import PieceKind


def player_counts(ctx: click.Context, param: click.Parameter, text: str | None) -> range | None:
    """A number of players or a range of them with both ends: "4", "2-6"; None where nothing is said."""
    if text is None:
        return None
    numbers = re.fullmatch(r"(\d+)(?:-(\d+))?", text)
    if not numbers:
        raise click.BadParameter(f'{text!r}: expected a number such as "4" or a range such as "2-6"', ctx, param)
    counts = range(int(numbers[1]), int(numbers[2] or numbers[1]) + 1)
    if not counts or counts[0] < 2 or counts[-1] > 6:
        raise click.BadParameter(f"{text!r}: expected 2 to 6 players, the lower number first", ctx, param)
    return counts


def picture_size(ctx: click.Context, param: click.Parameter, text: str) -> tuple[int, int]:
    """Width and height in pixels: "1920x1080"."""
    numbers = re.fullmatch(r"(\d{3,4})x(\d{3,4})", text)
    if not numbers:
        raise click.BadParameter(f'{text!r}: expected width and height in pixels such as "1920x1080"', ctx, param)
    return int(numbers[1]), int(numbers[2])


@click.command(epilog="Example:  pizzatable play --games 20 --players 2-6 --seed 1")
@click.option(
    "--games", type=click.IntRange(min=1), default=10, show_default=True, help="How many games, from start to end."
)
@click.option(
    "--players", callback=player_counts, help="How many play: a number or a range, 2-6; as many as game and table take."
)
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed plays the same games.")
@click.option(
    "--jobs", type=click.IntRange(min=1), default=lambda: os.cpu_count() or 1, help="Games at a time; one per core."
)
@click.option("--size", callback=picture_size, default="1920x1080", show_default=True, help="The camera's picture.")
@click.option(
    "--rate", type=FiniteRange(1, 60), default=5.0, show_default=True, help="The camera's pictures per second."
)
@click.option("--mistakes", type=FiniteRange(0, 1), default=0.06, show_default=True, help="How often a rule is broken.")
@click.option("--evening", is_flag=True, help="It grows dark while they play, and a lamp is switched on and off.")
@click.option("--loose-corners", is_flag=True, help="Somebody laid four corner markers by hand, in place of the mat's.")
@click.option("--grey", is_flag=True, help="The copy was printed without colour. Pizza Theory needs colours.")
@click.option("--pens", is_flag=True, help="Whoever writes on a sheet does so with a coloured pen.")
@click.option("--sun", is_flag=True, help="The sun shines through a window, blinds, netting or leaves; clouds pass.")
@click.option("--knocks", is_flag=True, help="Somebody knocks the camera now and then, and it hangs otherwise then.")
@click.option(
    "--webcam", is_flag=True, help="It exposes, balances colours and focuses by itself, and packs its pictures as JPEG."
)
@click.option(
    "--flicker",
    type=FiniteRange(0, 1, max_open=True),
    default=0.0,
    help="By what share the light of a picture's rows is more and less, as lamps flicker with the mains: 0.05.",
)
@click.option(
    "--sway",
    type=FiniteRange(0, 5),
    default=0.0,
    metavar="MM",
    help="How far the camera's arm sways all the time, in millimetres on the table to each side: 0.5.",
)
@click.option("--game", type=click.Choice(games_with("hands")), help="The game; without it that of the defaults.")
@click.option(
    "--option",
    "options",
    multiple=True,
    callback=game_options,
    help="An option of the game, such as advanced=true; may be repeated. Without any, people agree on some.",
)
@click.pass_context
def command(
    ctx: click.Context,
    games: int,
    players: range | None,
    seed: int,
    jobs: int,
    size: tuple[int, int],
    rate: float,
    mistakes: float,
    evening: bool,
    loose_corners: bool,
    grey: bool,
    pens: bool,
    sun: bool,
    knocks: bool,
    webcam: bool,
    flicker: float,
    sway: float,
    game: str | None,
    options: dict[str, Any],
) -> None:
    """Play whole games without a display, through pictures, pins, reading, rules and journal.

    Each move that was committed is compared with what the simulated hands did. The exit status is 1 if a move was
    silently wrong, a broken rule was missed, or a game was not played to its end. Ctrl-C and SIGTERM stop it: the games
    played by then are counted and shown.
    """
    with told(GameError):
        config = load_table()
        name = game or config.game
        if grey and PieceKind.TOPPING in kinds_of(name):
            raise GameError(f"--grey with {name}: expected another game, as its toppings are told by their colours")
        engine = load_game(name)
        players = players or range(2, min(engine.player_counts.stop, len(config.seats) + 1))
        for count in (players[0], players[-1]):
            engine.start(count, options)
    from controller.playing import line_of, play_games
    from controller.simulation.play import Played
    from hardware.simulated.circumstances import Circumstances

    on_terminal = sys.stderr.isatty()
    with click.progressbar(length=games, label="Games", file=sys.stderr, show_pos=True, hidden=not on_terminal) as bar:

        def tell(played: Played) -> None:
            bar.update(1)
            if not on_terminal:
                click.echo(f"{bar.pos} of {games}: {line_of(played)}", err=True)

        tally = play_games(
            games=games,
            players=players,
            seed=seed,
            jobs=jobs,
            on_game=tell,
            size=size,
            mistakes=mistakes,
            rate_hz=rate,
            game=game,
            options=options,
            grey=grey,
            circumstances=Circumstances(evening, loose_corners, knocks, webcam, flicker, sway, pens, sun),
        )
    click.echo(tally)
    ctx.exit(0 if tally.clean else 1)
