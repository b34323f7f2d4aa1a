"""kill -9 in the middle of a game, start again: until the same view is shown, and until the table is read again.

Beside it, how long Python takes to import the web server's libraries alone: no start can be quicker. Prints; asserts
nothing about time.

    python tests/benchmarks/bench_restart.py --kills 10
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.rigs.running import Service, learn_own_copy  # noqa: E402


@click.command()
@click.option("--kills", default=10, show_default=True)
@click.option("--plays", default=3, show_default=True, help="Plays before the first kill.")
def main(kills: int, plays: int) -> None:
    """Kill and start again; print how long that takes."""
    shown_s, read_s, bare_s = [], [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "copy").mkdir()
        service = Service(folder, "--players", "2", "--speed", "4", "--seed", "5", "--mistakes", "0")
        for file in learn_own_copy(folder / "copy"):
            (service.data / file.name).symlink_to(file)
        try:
            service.start_and_look(60)
            before = service.look_until(lambda view: len(view["log"]) >= plays, 300)
            for _ in range(kills):
                service.kill()
                begun = time.monotonic()
                seconds, view = service.start_and_look(60)
                assert view["log"][: len(before["log"])] == before["log"], "a play is lost"
                before = service.look_until(lambda view: view["parts"]["reading"]["state"] == "ok", 60)
                shown_s.append(seconds)
                read_s.append(time.monotonic() - begun)
                bare_s.append(_bare())
        finally:
            service.end()
    print(f"{'milliseconds, ' + str(kills) + ' times':44} {'median':>7} {'max':>7}")
    _print("start -> the same view as before kill -9", shown_s)
    _print("start -> the table is read again", read_s)
    _print("python importing fastapi and uvicorn", bare_s)
    print(f"ratio of the first to the last: {statistics.median(shown_s) / statistics.median(bare_s):.2f}")


def _bare() -> float:
    begun = time.monotonic()
    subprocess.run([sys.executable, "-c", "import fastapi, uvicorn"], check=True)
    return time.monotonic() - begun


def _print(name: str, seconds: list[float]) -> None:
    print(f"{name:44} {1000 * statistics.median(seconds):7.0f} {1000 * max(seconds):7.0f}")


if __name__ == "__main__":
    main()
