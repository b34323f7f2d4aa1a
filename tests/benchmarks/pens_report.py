"""How well score sheets are read that are marked with coloured pens, thin or thick, instead of pencils.

Drawn sheets that nobody saw blank, each in one picture; every third is marked with a felt pen.

Run `python -m tests.benchmarks.pens_report`; options `--sheets 14 --seed 63200`.
"""

import argparse

import numpy as np

from hardware.kit.score_sheets import load_sheet_print
from hardware.simulated.pencil import PENS
from tests.benchmarks.sheets_report import Count, compare_marks
from tests.vision.drawn_sheet import Hand, blank_sheet, pencil_all, photograph, some_camera
from vision.scene import PieceKind, SheetMark
from vision.sheets.finder import read_sheets
from vision.threads import use_one_core

LEAST_PX_PER_MM = 2.0
PEN = Hand(darkness=(0.7, 1.0), line_mm=(0.4, 0.7))
FELT_PEN = Hand(darkness=(0.7, 1.0), line_mm=(0.9, 1.3), dot_mm=(1.5, 2.0))
EVERY = 3


def marks_of(takes: tuple[float, float, float], seed: int) -> tuple[Count, list[SheetMark]]:
    """A sheet's marks compared with the truth, and all as they are read; none where it is not found."""
    rng, printed = np.random.default_rng(seed), load_sheet_print()
    camera = some_camera(rng)
    camera.px_per_mm = max(camera.px_per_mm, LEAST_PX_PER_MM)
    coloured = seed % 2 == 1
    sheet = blank_sheet(printed, grid=(205, 230, 240) if coloured else None, border=coloured)
    pencil_all(sheet, rng, PEN if seed % EVERY else FELT_PEN)
    sheet.takes = takes
    read = read_sheets(photograph(sheet, rng, camera), [printed.layout])
    marks = [mark for one in read.sightings if one.kind is PieceKind.SHEET for mark in one.marks]
    return compare_marks(marks, sheet.marks), marks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sheets", type=int, default=14)
    parser.add_argument("--seed", type=int, default=63200)
    asked = parser.parse_args()
    use_one_core()
    print(f"{'':10}  marks  hidden  overlooked  places  hidden  too many  surely wrong")
    for pen, takes in {"graphite": (1.0, 1.0, 1.0), "black": (1.6, 1.6, 1.6), **PENS}.items():
        every, hidden = Count(), 0
        for seed in range(asked.seed, asked.seed + asked.sheets):
            count, marks = marks_of(takes, seed)
            every.add(count)
            hidden += sum(mark.hidden for mark in marks)
        marked, free = (sum(numbers[i] for numbers in every.places.values()) for i in (0, 2))
        print(
            f"{pen:10} {marked:6} {every.hidden:7} {len(every.missing):11} {free:7} {hidden - every.hidden:7} "
            f"{len(every.extra):9} {every.sure_and_wrong:13}",
            flush=True,
        )


if __name__ == "__main__":
    main()
