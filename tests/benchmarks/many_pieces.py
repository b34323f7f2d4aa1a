"""How well pieces of each kind are read, from many simulated tables in any light, on any cloth, from any place.

Faces are learned from pictures in one light; the tables that are read vary all that `Conditions.random` varies.
Run with `make many-pieces`; ARGS="--families cards --pictures 20 --seed 5 --jobs 1 --faults DIR".
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from time import perf_counter

import cv2

from tests.benchmarks.simulated_pieces import FAMILIES, enrolled, photographs
from vision.faces import FacePack
from vision.report import PhotoReport, Report, report_photo

_packs: dict[str, FacePack] = {}


def read_one(family: str, seed: int, faults: Path | None) -> PhotoReport:
    """Render, read and compare one table."""
    cv2.setNumThreads(1)
    if family not in _packs:
        _packs[family] = enrolled(FAMILIES[family])
    image, labels = photographs(FAMILIES[family], seed)
    found = report_photo(image, labels, _packs[family], f"{family}-{seed}")
    if faults is not None and not found.perfect:
        cv2.imwrite(str(faults / f"{family}-{seed}.png"), image)
    return found


def main(arguments: Sequence[str]) -> int:
    """Print the rates; 1 where something was claimed as sure and wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--families", nargs="+", choices=sorted(FAMILIES), default=sorted(FAMILIES))
    parser.add_argument("--pictures", type=int, default=400, help="of each family")
    parser.add_argument("--seed", type=int, default=1, help="of the first picture")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--faults", type=Path, help="folder for pictures that were not wholly right")
    options = parser.parse_args(arguments)
    if options.faults is not None:
        options.faults.mkdir(parents=True, exist_ok=True)
    sure_but_wrong = 0
    for family in options.families:
        found: list[PhotoReport] = []
        start = perf_counter()
        with ProcessPoolExecutor(options.jobs) as pool:
            seeds = range(options.seed, options.seed + options.pictures)
            waiting = [pool.submit(read_one, family, seed, options.faults) for seed in seeds]
            for done in as_completed(waiting):
                found.append(done.result())
                if sys.stderr.isatty():
                    print(f"\r{family}: {len(found)} of {len(waiting)} tables", end="", file=sys.stderr)
        result = Report(tuple(sorted(found, key=lambda photo: int(photo.photo.rpartition("-")[2]))))
        print(f"\n{family}: {len(found)} tables, {perf_counter() - start:.0f} s\n{result.as_text()}", flush=True)
        sure_but_wrong += sum(photo.sure_but_wrong for photo in result.photos)
    return 1 if sure_but_wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
