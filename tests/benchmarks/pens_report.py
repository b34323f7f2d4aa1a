"""How well score sheets are read that are marked with coloured pens, thin or thick, instead of pencils.

Drawn sheets that nobody saw blank, each in one picture, or that were seen blank before; every third is marked with a
felt pen.

Run `python -m tests.benchmarks.pens_report`; options `--sheets 14 --seed 63200 --after-blank`.
"""

import argparse
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace

import numpy as np

from hardware.kit.score_sheets import load_sheet_print
from hardware.simulated.pencil import PENS
from tests.benchmarks.sheets_report import Count, compare_marks
from tests.vision.drawn_sheet import Hand, blank_sheet, pencil_all, photograph, some_camera
from vision.mat.errors import VisionError
from vision.scene import PieceKind, SheetMark, Sighting
from vision.sheets.blanks import Blanks
from vision.sheets.finder import lay_out, sightings
from vision.threads import use_one_core

LEAST_PX_PER_MM = 2.0
PEN = Hand(darkness=(0.7, 1.0), line_mm=(0.4, 0.7))
FELT_PEN = Hand(darkness=(0.7, 1.0), line_mm=(0.9, 1.3), dot_mm=(1.5, 2.0))
EVERY = 3


def marks_of(
    takes: tuple[float, float, float], seed: int, *, after_blank: bool = False
) -> tuple[Count, list[SheetMark]]:
    """A sheet's marks compared with the truth, and all as they are read; none where it is not found."""
    rng, printed = np.random.default_rng(seed), load_sheet_print()
    camera = some_camera(rng)
    camera = replace(camera, px_per_mm=max(camera.px_per_mm, LEAST_PX_PER_MM))
    coloured = seed % 2 == 1
    sheet = blank_sheet(printed, grid=(205, 230, 240) if coloured else None, border=coloured)
    blank = replace(sheet, pencil=sheet.pencil.copy(), marks=set())
    pencil_all(sheet, rng, PEN if seed % EVERY else FELT_PEN)
    sheet.takes = takes
    blanks = Blanks() if after_blank else None
    seen: list[Sighting] = []
    pictures = [photograph(blank, deepcopy(rng), camera, np.random.default_rng(seed))] if after_blank else []
    for image in (*pictures, photograph(sheet, rng, camera)):
        seen = []
        with suppress(VisionError):
            registration, _, found = lay_out(image, [printed.layout])
            seen = sightings(image, registration, found, blanks)
    marks = [mark for one in seen if one.kind is PieceKind.SHEET for mark in one.marks]
    return compare_marks(marks, sheet.marks), marks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sheets", type=int, default=14)
    parser.add_argument("--seed", type=int, default=63200)
    parser.add_argument("--after-blank", action="store_true")
    asked = parser.parse_args()
    use_one_core()
    print(f"{'':10}  marks  hidden  overlooked  places  hidden  too many  doubtful  surely wrong")
    for pen, takes in {"graphite": (1.0, 1.0, 1.0), "black": (1.6, 1.6, 1.6), **PENS}.items():
        every, hidden = Count(), 0
        for seed in range(asked.seed, asked.seed + asked.sheets):
            count, marks = marks_of(takes, seed, after_blank=asked.after_blank)
            every.add(count)
            hidden += sum(mark.hidden for mark in marks)
        marked, free = (sum(numbers[i] for numbers in every.places.values()) for i in (0, 2))
        print(
            f"{pen:10} {marked:6} {every.hidden:7} {len(every.missing):11} {free:7} {hidden - every.hidden:7} "
            f"{len(every.extra):9} {every.doubtful:9} {every.sure_and_wrong:13}",
            flush=True,
        )


if __name__ == "__main__":
    main()
