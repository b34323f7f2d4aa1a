"""Milliseconds and memory of reading, stage by stage, beside `cv2.aruco` finding 40 markers in the same picture.

Run: python -m tests.benchmarks.bench_vision [--rounds 5] [--game-seed 8601] [--games pizza_theory slice]
One core: the process is pinned to one, and OpenCV is told to use one thread. Tables are simulated; the markers are
drawn on a picture of the fuller one. A table is read until nothing more is looked for; then a piece is moved. Last, at
1920 x 1080, every picture of a whole game is read as it comes, hands, questions and all.
"""

import argparse
import multiprocessing
import os
import tracemalloc
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter

import cv2
import numpy as np
from numpy.typing import NDArray

from config.loader import load_table
from controller.simulation.copy import enrol_own_copy, own_art
from controller.simulation.play import play_game
from controller.simulation.players import Habits
from hardware.simulated.world import World
from tests.benchmarks.vision_tables import SIZES, crowded_table, enrolled, render, ring_table
from vision.following.known_table import LOOKS
from vision.frame import Frame, Image
from vision.pieces.faces import FacePack
from vision.reader import Reader
from vision.threads import use_one_core

Array = NDArray[np.float64]

MARKERS = 40
GAME_SIZE, GAME_RATE_HZ = (1920, 1080), 5.0
GAME_PLAYERS = {"new_york_slice": 4, "pizzeria": 4, "pizza_theory": 3, "slice": 4, "dice_and_slice": 2}
NOISE = 3.0
FRAMES_PER_S = 2.0
"""So few that each picture of a table at rest is looked at, while it is looked at again at all."""
SETTLED = LOOKS + 2
"""After so many pictures a table at rest is not looked at again."""


def main(rounds: int, game_seed: int, games: Sequence[str]) -> None:
    """Print the table."""
    use_one_core()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for size in SIZES:
        picture = with_markers(render(crowded_table(Random(1)), size, 10))
        base = time_ms(partial(find_markers, picture), rounds)
        print(f"\n{size[0]} x {size[1]}   cv2.aruco, {MARKERS} markers in a picture of the table: {base:.1f} ms")
        print(f"{'what is read':46} {'ms':>7} {'of aruco':>9}   stages, ms")
        pack = enrolled(size)
        for name, world in (
            ("ring and Special, 12 pieces", ring_table),
            ("late in the game, 73 pieces", crowded_table),
        ):
            for what, (total, stages) in read_times(pack, world, size, rounds).items():
                parts = ", ".join(f"{stage} {ms:.1f}" for stage, ms in stages.items())
                print(f"{name + ', ' + what:46} {total:7.1f} {total / base:8.2f}x   {parts}")
        print(f"allocated at most while reading an unchanged picture: {unchanged_kib(pack, size):.0f} KiB")
        print(f"memory of a process that only reads such pictures, at its largest: {reading_mib(pack, size):.0f} MiB")
        if size == GAME_SIZE:
            for game in games:
                print(_game_beside_markers(game, game_seed, partial(find_markers, picture), rounds), flush=True)


def _game_beside_markers(game: str, seed: int, markers: Callable[[], None], rounds: int) -> str:
    """`game_line`, the markers found before and after the game: this machine may be slower in another minute."""
    before = time_ms(markers, rounds)
    taken_ms = np.array(game_ms(game, seed))
    after = time_ms(markers, rounds)
    return f"{game_line(game, taken_ms, (before + after) / 2, seed)} ({before:.1f} ms before, {after:.1f} after)"


def game_line(game: str, taken_ms: Array, base_ms: float, seed: int) -> str:
    """What reading each picture of a game took, beside the markers."""
    mean, middle, slow = taken_ms.mean(), *np.quantile(taken_ms, (0.5, 0.95))
    shorter = float((taken_ms < base_ms).mean())
    return (
        f"{game}: the {len(taken_ms)} pictures of a game (seed {seed}), {GAME_RATE_HZ:g} a second: mean {mean:.1f} ms, "
        f"{mean / base_ms:.2f}x; median {middle:.1f}, {middle / base_ms:.2f}x; 95 % {slow:.1f}, {slow / base_ms:.2f}x; "
        f"{shorter:.0%} of them take less than the markers"
    )


def game_ms(game: str, seed: int) -> tuple[float, ...]:
    """Milliseconds that reading each picture of a game took."""
    config = load_table()
    camera = config.camera.model_copy(update={"width": GAME_SIZE[0], "height": GAME_SIZE[1], "rate": GAME_RATE_HZ})
    config = config.model_copy(update={"camera": camera, "game": game})
    art = own_art(game)
    pack = enrol_own_copy(game, art, *GAME_SIZE)
    return play_game(config, art, pack, seed, GAME_PLAYERS[game], Habits()).read_ms


def read_times(
    pack: FacePack, world: Callable[..., World], size: tuple[int, int], rounds: int
) -> dict[str, tuple[float, dict[str, float]]]:
    """Median milliseconds of: everything anew, an unchanged frame, a frame after one piece was moved."""
    frames = [render(world(Random(1)), size, 10 + i) for i in range(2)]
    moved = render(world(Random(1), moved=True), size, 20)
    times: dict[str, list[tuple[float, dict[str, float]]]] = {"first": [], "unchanged": [], "one piece moved": []}
    for _ in range(rounds):
        reader = Reader(pack)
        times["first"].append(timed(reader, frames[0], 0))
        for number in range(1, SETTLED):
            timed(reader, frames[number % 2], number)
        times["unchanged"].append(timed(reader, frames[1], SETTLED))
        timed(reader, moved, SETTLED + 1)
        times["one piece moved"].append(timed(reader, moved, SETTLED + 2))
    return {what: (median(t for t, _ in runs), _stages(runs)) for what, runs in times.items()}


def unchanged_kib(pack: FacePack, size: tuple[int, int]) -> float:
    """The most memory that is taken at any moment of reading a picture in which nothing changed."""
    frames = [render(crowded_table(Random(1)), size, 10 + i) for i in range(2)]
    reader = Reader(pack)
    for number in range(SETTLED):
        timed(reader, frames[number % 2], number)
    tracemalloc.start()
    timed(reader, frames[1], SETTLED)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1024


def reading_mib(pack: FacePack, size: tuple[int, int]) -> float:
    """How large a process grows that reads a full table from the first picture until a piece was moved."""
    frames = [render(crowded_table(Random(1)), size, 10 + i) for i in range(SETTLED)]
    frames += [render(crowded_table(Random(1), moved=True), size, 20 + i) for i in range(2)]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_mib_after_reading, (pack, frames))


def _mib_after_reading(pack: FacePack, frames: list[Image]) -> float:
    use_one_core()
    reader = Reader(pack)
    for number, frame in enumerate(frames):
        timed(reader, frame, number)
    # Not getrusage: there a process begins as large as the one that started it.
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024


def timed(reader: Reader, image: Image, number: int) -> tuple[float, dict[str, float]]:
    """Milliseconds of reading one frame, and its stages."""
    start = perf_counter()
    scene = reader.read(Frame(image, number / FRAMES_PER_S, number))
    return (perf_counter() - start) * 1e3, scene.stage_ms


def _stages(runs: list[tuple[float, dict[str, float]]]) -> dict[str, float]:
    return {name: median(stages.get(name, 0.0) for _, stages in runs) for name in runs[0][1]}


def marker_picture(size: tuple[int, int]) -> Image:
    """40 markers in a noisy picture."""
    width, height = size
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    grey = np.full((height, width), 200, np.uint8)
    side = width // 16
    for marker in range(MARKERS):
        x, y = marker % 8 * width // 8 + width // 40, marker // 8 * height // 5 + height // 20
        grey[y : y + side, x : x + side] = dictionary.generateImageMarker(marker, side)
    soft = cv2.GaussianBlur(grey, (0, 0), 0.7)[..., None].repeat(3, axis=-1)
    noise = np.random.default_rng(0).normal(0, NOISE, soft.shape)
    return np.asarray(np.clip(soft + noise, 0, 255), np.uint8)


def with_markers(picture: Image) -> Image:
    """40 markers, on white, drawn into a picture."""
    height, width = picture.shape[:2]
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    side, rim = width // 48, width // 320
    drawn = picture.copy()
    for marker in range(MARKERS):
        x, y = marker % 8 * width // 8 + width // 32, marker // 8 * height // 5 + height // 18
        drawn[y - rim : y + side + rim, x - rim : x + side + rim] = 230
        drawn[y : y + side, x : x + side] = dictionary.generateImageMarker(marker, side)[..., None]
    return drawn


def find_markers(picture: Image) -> None:
    """What the measure is: all 40, with corners to a fraction of a pixel."""
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), parameters)
    _, ids, _ = detector.detectMarkers(picture)
    found = 0 if ids is None else len(set(ids.ravel().tolist()))
    if found != MARKERS:
        raise AssertionError(f"found {found} of {MARKERS} markers")


def time_ms(work: Callable[[], None], rounds: int) -> float:
    """Median milliseconds."""
    times = []
    for _ in range(rounds):
        start = perf_counter()
        work()
        times.append((perf_counter() - start) * 1e3)
    return median(times)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="times that each is measured; medians are printed")
    parser.add_argument("--game-seed", type=int, default=8601, help="of the games whose pictures are read")
    games = ("new_york_slice", "pizza_theory", "dice_and_slice")
    parser.add_argument(
        "--games", nargs="*", choices=GAME_PLAYERS, default=games, help="whose pictures are read; none: only tables"
    )
    options = parser.parse_args()
    main(options.rounds, options.game_seed, options.games)
