"""Pictures of game tables by a path tracer that shares nothing with our simulator, and how well they are read.

Every seed is a new print run of every game: other colours, drawings, lettering, backs, cards, toppings. Pictures that
are there already are not rendered again.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.rigs.traced import lights, tables
from tests.rigs.traced.bodies import Layout, generator
from tests.rigs.traced.camera import hang
from tests.rigs.traced.games import GAMES, layouts
from tests.rigs.traced.hands import Reach, reach_over
from tests.rigs.traced.live_things import as_live_text, live_things_report
from tests.rigs.traced.resting import rest
from tests.rigs.traced.scene import Stage, Tracer
from tests.rigs.traced.sensor import develop, write
from tests.rigs.traced.things import strewn
from tests.rigs.traced.things_report import as_text, things_report
from tests.rigs.traced.truth import truth

EXAMPLE = 'Example:  make traced-report ARGS="--seed 7 --pictures 20 --only slice"'
KEPT = Path("build") / "traced"


def main(arguments: Sequence[str] | None = None) -> int:
    """Render what is missing, then compare what is read with what lies there."""
    options = _options(arguments)
    folder = options.out / f"{'things' if options.things else 'seed'}-{options.seed}"
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [layout for game in options.only or GAMES for layout in layouts(game, options.seed, options.pictures)]
    if options.things:
        wanted = [layout if layout.plain_light else strewn(layout, options.things) for layout in wanted]
    render(wanted, folder, options.samples, options.light)
    if options.live:
        bare = folder.with_name(f"{folder.name}-bare")
        bare.mkdir(exist_ok=True)
        tables_alone = [strewn(layout, 0) for game in options.only or GAMES for layout in _to_read(game, options)]
        render(tables_alone, bare, options.samples, options.light)
    if options.no_report:
        return 0
    if options.live:
        print(as_live_text(live_things_report(folder, bare)))
        return 0
    if options.things:
        print(as_text(things_report(folder)))
        return 0
    report = ["vision-report", str(folder), "--out", str(options.out / f"report-{options.seed}")]
    code = "import sys; from controller.cli import main; main()"
    return subprocess.run([sys.executable, "-c", code, *report], check=False).returncode


def render(wanted: Sequence[Layout], folder: Path, samples: int, light: str | None) -> None:
    """Each picture and its truth into a folder, but for those that are there."""
    missing = [layout for layout in wanted if not (folder / f"{layout.name}.json").exists()]
    if not missing:
        return
    tracer = Tracer(samples)
    print(f"{len(missing)} pictures to render ({tracer.variant}), {len(wanted) - len(missing)} are there", flush=True)
    started = time.monotonic()
    for done, layout in enumerate(missing, 1):
        picture(tracer, layout, folder, light)
        spent = (time.monotonic() - started) / done
        left = spent * (len(missing) - done) / 60
        print(f"  {done}/{len(missing)} {layout.name}  {spent:.0f} s a picture, {left:.0f} min left", flush=True)


def picture(tracer: Tracer, layout: Layout, folder: Path, light: str | None) -> None:
    """Render one picture and write it and its truth."""
    rng = generator("stage", *layout.keys)
    kind = light or str(rng.choice(lights.LIGHTS))
    kind = lights.PLAIN if layout.plain_light else kind
    surfaces = ("wood", "white", "grey", "dark wood") if layout.plain_light else tables.SURFACES
    surface = str(rng.choice(surfaces))
    large = bool(rng.random() < 0.25) if layout.large is None else layout.large
    camera = hang(rng, layout.span_mm, layout.aim_mm, large)
    shining = lights.a_light(kind, rng)
    rests = rest(layout.bodies, layout.mat)
    reach: Reach | None = reach_over(layout, rests, rng) if layout.hand else None
    stage = Stage(
        layout.bodies,
        rests,
        camera,
        shining,
        tables.surface(surface, rng),
        surface in ("white", "black", "dark wood") and bool(rng.random() < 0.4),
        layout.mat,
        reach.meshes if reach else (),
    )
    rendered = tracer.render(stage, int(rng.integers(1 << 30)))
    developed = develop(rendered.light, shining.white, rng, 1.0 if layout.plain_light else shining.dimness)
    notes = {"light": kind, "surface": surface}
    said = truth(layout, rests, camera, rendered.shown, reach.finger_mm if reach else None, notes)
    write(developed, folder / f"{layout.name}.jpg", rng)
    (folder / f"{layout.name}.json").write_text(json.dumps(said), encoding="utf-8")


def _to_read(game: str, options: argparse.Namespace) -> list[Layout]:
    """The tables of a game that are watched: a sheet is read by itself."""
    found = layouts(game, options.seed, options.pictures) if game != "dice_and_slice" else ()
    return [layout for layout in found if not layout.plain_light]


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="traced-report", description=__doc__, epilog=EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1, help="the print run, and how everything lies (default 1)")
    parser.add_argument("--pictures", type=int, default=4, help="how many of each game, besides those to learn from")
    parser.add_argument("--things", type=int, default=0, help="so many household things on each table (default none)")
    parser.add_argument(
        "--live", action="store_true", help="lay the --things on tables that are watched, and take them away again"
    )
    parser.add_argument("--only", choices=GAMES, action="append", help="this game; may be given several times")
    parser.add_argument("--light", choices=lights.LIGHTS, help="this light in every picture that is rendered")
    parser.add_argument("--out", type=Path, default=KEPT, help=f"where pictures are kept (default {KEPT})")
    parser.add_argument("--samples", type=int, default=128, help="light paths a pixel (default 128)")
    parser.add_argument("--no-report", action="store_true", help="render only")
    options = parser.parse_args(arguments)
    if options.live and not options.things:
        parser.error("--live needs --things, so many on each table")
    return options
