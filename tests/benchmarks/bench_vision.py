"""Milliseconds of reading, stage by stage, beside what `cv2.aruco` takes to find 40 markers in as large a picture.

Run: python -m tests.benchmarks.bench_vision [ROUNDS]
One core: the process is pinned to one, and OpenCV is told to use one thread. Tables are simulated, markers drawn.
"""

import os
import sys
from collections.abc import Callable
from random import Random
from statistics import median
from time import perf_counter

import cv2
import numpy as np

from tests.benchmarks.vision_tables import SIZES, crowded_table, enrolled, render, ring_table
from vision.faces import FacePack
from vision.frame import Frame, Image
from vision.reader import Reader

MARKERS = 40
NOISE = 3.0


def main(rounds: int) -> None:
    """Print the table."""
    cv2.setNumThreads(1)
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for size in SIZES:
        picture = marker_picture(size)
        base = time_ms(lambda picture=picture: find_markers(picture), rounds)
        print(f"\n{size[0]} x {size[1]}   cv2.aruco, {MARKERS} markers: {base:.1f} ms")
        print(f"{'what is read':34} {'ms':>7} {'of aruco':>9}   stages, ms")
        pack = enrolled(size)
        for name, world in (
            ("ring and Special, 12 pieces", ring_table),
            ("late in the game, 73 pieces", crowded_table),
        ):
            for what, (total, stages) in read_times(pack, world, size, rounds).items():
                parts = ", ".join(f"{stage} {ms:.1f}" for stage, ms in stages.items())
                print(f"{name + ', ' + what:46} {total:7.1f} {total / base:8.2f}x   {parts}")


def read_times(
    pack: FacePack, world: Callable[..., object], size: tuple[int, int], rounds: int
) -> dict[str, tuple[float, dict[str, float]]]:
    """Median milliseconds of: everything anew, an unchanged frame, a frame after one piece was moved."""
    frames = [render(world(Random(1)), size, 10 + i) for i in range(2)]
    moved = render(world(Random(1), moved=True), size, 20)
    times: dict[str, list[tuple[float, dict[str, float]]]] = {"first": [], "unchanged": [], "one piece moved": []}
    for _ in range(rounds):
        reader = Reader(pack)
        times["first"].append(timed(reader, frames[0], 0))
        times["unchanged"].append(timed(reader, frames[1], 1))
        timed(reader, moved, 2)
        times["one piece moved"].append(timed(reader, moved, 3))
    return {what: (median(t for t, _ in runs), _stages(runs)) for what, runs in times.items()}


def timed(reader: Reader, image: Image, number: int) -> tuple[float, dict[str, float]]:
    """Milliseconds of reading one frame, and its stages."""
    start = perf_counter()
    scene = reader.read(Frame(image, number / 10, number))
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


def find_markers(picture: Image) -> None:
    """What the measure is: all 40, with corners to a fraction of a pixel."""
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), parameters)
    _, ids, _ = detector.detectMarkers(picture)
    if ids is None or len(ids) != MARKERS:
        raise AssertionError(f"found {0 if ids is None else len(ids)} of {MARKERS} markers")


def time_ms(work: Callable[[], None], rounds: int) -> float:
    """Median milliseconds."""
    times = []
    for _ in range(rounds):
        start = perf_counter()
        work()
        times.append((perf_counter() - start) * 1e3)
    return median(times)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
