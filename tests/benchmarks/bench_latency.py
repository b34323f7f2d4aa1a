"""From a piece at rest, or a button going down, to the event on a display: over one game at the simulated table.

The world says when the last hand left the picture and when buttons went down; a display's event stream says when the
view arrived. Both by the same monotonic clock. In it is everything between: waiting for the next picture, drawing it
(the simulated camera does that where a real one exposes), reading, judging, the journal's fsync, the stream. Prints;
asserts nothing about time.

    python tests/benchmarks/bench_latency.py --players 3 --speed 2 --game slice
"""

import statistics
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from config.loader import load_table  # noqa: E402
from hardware.simulated.link import LinkError, RemoteWorld  # noqa: E402
from tests.rigs.running import Service, Spectator  # noqa: E402

LOOK_S = 0.01


@dataclass
class Watched:
    """What the world did last, and what the display showed then. Monotonic seconds."""

    moved_s: float = 0.0
    """When a hand was last in the picture."""
    pressed_s: float = 0.0
    shown: int = 0
    """Lines of the log so far."""
    settled_for_s: float = 0.0
    """The rest that the display has answered already."""
    pieces: frozenset[Any] = frozenset()
    """As they are shown."""
    pieces_for_s: float = 0.0
    """The rest whose pieces the display has shown already."""
    by_rest: list[float] = field(default_factory=list)
    by_button: list[float] = field(default_factory=list)
    seen_at_rest: list[float] = field(default_factory=list)
    pieces_shown: list[float] = field(default_factory=list)

    def on_view(self, view: Any) -> None:
        """A view has arrived."""
        now = time.monotonic()
        moved_s, pressed_s = self.moved_s, self.pressed_s
        pieces = frozenset((one["kind"], one["face"], round(one["x_mm"]), round(one["y_mm"])) for one in view["pieces"])
        if pieces != self.pieces and moved_s and now - moved_s > 2 * LOOK_S and moved_s != self.pieces_for_s:
            self.pieces_for_s = moved_s
            self.pieces_shown.append(now - moved_s)
        self.pieces = pieces
        if view["referee"] != "hands" and moved_s and now - moved_s > 2 * LOOK_S and moved_s != self.settled_for_s:
            self.settled_for_s = moved_s
            self.seen_at_rest.append(now - moved_s)
        newest = view["log"][-1]["seq"] if view["log"] else 0
        if newest > self.shown and self.shown:
            times = self.by_button if pressed_s > moved_s else self.by_rest
            times.append(now - max(moved_s, pressed_s))
        self.shown = max(newest, self.shown)

    def watch(self, socket: Path, stop: threading.Event) -> None:
        """Follow the world until `stop`."""
        world = RemoteWorld(socket)
        after: int | None = None
        while not stop.is_set():
            try:
                if world.snapshot().hands:
                    self.moved_s = time.monotonic()
                edges = world.edges(after, 0.0)
            except LinkError:
                stop.wait(0.2)
                continue
            after = edges.sequence
            self.pressed_s = max([self.pressed_s, *(edge.time_s for edge in edges.edges if edge.pressed)])
            stop.wait(LOOK_S)
        world.close()


@click.command()
@click.option("--game", default="new_york_slice", show_default=True)
@click.option("--rate", type=float, help="Pictures per second, where not those of the settings.")
@click.option("--size", default="1920x1080", show_default=True, help="Of the pictures.")
@click.option("--players", default=3, show_default=True)
@click.option("--speed", default=2.0, show_default=True, help="How much faster than people's the hands are.")
@click.option("--seed", default=1, show_default=True)
@click.option("--longest", default=600.0, show_default=True, help="Seconds after which the game is left.")
def main(game: str, rate: float | None, size: str, players: int, speed: float, seed: int, longest: float) -> None:
    """Play one game and print how long events took."""
    watched, stop = Watched(), threading.Event()
    width, height = size.split("x")
    rate = rate or load_table().camera.rate
    settings = (
        f'[camera]\nwidth = {width}\nheight = {height}\nrate = {rate}\n[lan]\nhost = "127.0.0.1"\nannounce = false\n'
    )
    options = ("--game", game, "--players", str(players), "--speed", str(speed), "--seed", str(seed), "--mistakes", "0")
    with tempfile.TemporaryDirectory() as folder:
        service = Service(Path(folder), *options, settings=settings)
        try:
            service.start_and_look(60)
            watching = threading.Thread(target=watched.watch, args=(service.simulated / "table.sock", stop))
            watching.start()
            spectator = Spectator(service.port, watched.on_view)
            tally, end = service.simulated / "tally.jsonl", time.monotonic() + longest
            while not tally.exists() and time.monotonic() < end:
                time.sleep(0.5)
            stop.set()
            watching.join()
            spectator.close()
        finally:
            service.end()
    timing = load_table().timing
    print(
        f"{game}, {size} at {rate:g} pictures/s; what is clear is judged after {1000 * timing.clear_rest_s:.0f} ms of "
        f"rest, all else after {1000 * timing.rest_s:.0f} ms"
    )
    print(f"{'milliseconds':48} {'n':>5} {'median':>7} {'p95':>7}  within 200 ms")
    _print("last hand gone -> pieces shown where they lie", watched.pieces_shown)
    _print("last hand gone -> table known to lie as shown", watched.seen_at_rest)
    _print("last hand gone -> move on the display", watched.by_rest)
    _print("button down -> move on the display", watched.by_button)


def _print(name: str, seconds: list[float]) -> None:
    if len(seconds) < 2:
        print(f"{name:48} {len(seconds):5}")
        return
    median, p95 = statistics.median(seconds), statistics.quantiles(seconds, n=20)[-1]
    soon = sum(one <= 0.2 for one in seconds) / len(seconds)
    print(f"{name:48} {len(seconds):5} {1000 * median:7.0f} {1000 * p95:7.0f} {soon:12.0%}")


if __name__ == "__main__":
    main()
