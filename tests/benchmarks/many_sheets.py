"""How well score sheets, what is pencilled on them and their dice are read, from many simulated tables in any light.

Each table is read twice: by a reader that saw its sheets blank before, as at a table where people play, and from its
one picture alone, as `pizzatable read` does. Hands reach over a third of the tables. Of a place that is open and of one
that is covered by a hand or a die it is known which it is; places that are partly covered are not counted.

Run with `make many-sheets`; ARGS="--pictures 20 --seed 5 --jobs 1 --things --napkins --netting --faults DIR". Ctrl-C
and SIGTERM stop it; what was read by then is shown.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from time import perf_counter

import cv2
import numpy as np

from controller.batch import asked_to_stop, results
from tests.benchmarks.light_changes import netting
from tests.benchmarks.piece_rates import rates
from tests.benchmarks.simulated_sheets import SheetTable, printed, sheet_table
from vision.frame import Frame
from vision.looking_for import finders_for
from vision.mat.errors import RegistrationError
from vision.mat.registration import find_mat
from vision.pieces.faces import FacePack
from vision.reader import Reader
from vision.reports.compared import PhotoReport, compare, light_of
from vision.reports.mark_report import MarkClaim, MarkPlace, claims
from vision.reports.rates import Report
from vision.scene import SURE, PieceKind, Scene
from vision.sheets.finder import read_sheets
from vision.threads import use_one_core

TELL_EVERY_S = 60.0
LOOKS_S = (0.0, 0.5, 1.0, 1.5, 2.0)
"""When a reader is shown each of both pictures, until it has looked often enough."""
BLANK_FIRST, ALONE = "seen blank before", "one picture alone"


@dataclass(frozen=True, slots=True)
class Read:
    """One table, read in one way and compared."""

    found: PhotoReport
    """With those of its sheets' places that are open."""
    open_but_hidden: int
    """Open places that were said to be hidden."""
    covered: int
    """Places of sheets that were found, of which all is covered,"""
    guessed: int
    """those of them that were not said to be hidden,"""
    guessed_wrong: int
    """and of these, those that were said to be what they are not."""
    partly_wrong: int
    """Places that are partly covered and surely said to be what they are not."""


@dataclass(frozen=True, slots=True)
class Both:
    """One table, read in both ways."""

    seed: int
    hands: int
    ways: dict[str, Read]


def read_one(seed: int, faults: Path | None, things: bool = False, napkins: bool = False, netted: bool = False) -> Both:
    """Render, read and compare one table."""
    use_one_core()
    table = sheet_table(seed, things=things, napkins=napkins)
    if netted:
        light = netting(find_mat(table.blank), np.random.default_rng(seed))
        table = replace(table, written=light.over(table.written))
    ways = {BLANK_FIRST: _compared(table, followed(table), seed), ALONE: _compared(table, alone(table), seed)}
    if faults is not None and not all(read.found.perfect for read in ways.values()):
        cv2.imwrite(str(faults / f"sheets-{seed}.png"), table.written)
    return Both(seed, table.hands, ways)


def followed(table: SheetTable) -> Scene | str:
    """What a reader says of the second picture that saw the first one; why it could not, else."""
    reader = Reader(FacePack({}, ()), finders=finders_for({PieceKind.SHEET}, FacePack({}, ()), [printed()]))
    scene: Scene | str = ""
    for number, (image, since_s) in enumerate(
        [(table.blank, at) for at in LOOKS_S] + [(table.written, 10.0 + at) for at in LOOKS_S]
    ):
        try:
            scene = reader.read(Frame(image, since_s, number))
        except RegistrationError as error:
            scene = str(error)
    return scene


def alone(table: SheetTable) -> Scene | str:
    """What is read in the second picture by itself; why it could not be, else."""
    try:
        return read_sheets(table.written, [printed()])
    except RegistrationError as error:
        return str(error)


def _compared(table: SheetTable, scene: Scene | str, seed: int) -> Read:
    name, light = f"sheets-{seed}", light_of(table.written)
    if isinstance(scene, str):
        missed = PhotoReport(name, table.style, "sheet", (), table.truth, (), {}, scene, light)
        return Read(missed, 0, 0, 0, 0, 0)
    matches, missing, extra = compare(scene, table.truth)
    places: list[MarkClaim] = []
    hidden = covered = guessed = wrong = partly = 0
    for match in matches:
        for sheet, open_places in zip(table.sheets, table.open_places, strict=True):
            if match.truth.kind is not PieceKind.SHEET or match.truth.pose != sheet.piece.pose:
                continue
            said = claims(match.sighting.marks, sheet.marks)
            shown = [claim for claim in said if open_places[_place(claim)]]
            partly += sum(
                open_places[_place(claim)] is None and not (claim.mark.hidden or claim.right) and claim.sureness >= SURE
                for claim in said
            )
            under = [claim for claim in said if open_places[_place(claim)] is False]
            places += shown
            hidden += sum(claim.mark.hidden for claim in shown)
            covered += len(under)
            guessed += sum(not claim.mark.hidden for claim in under)
            wrong += sum(not claim.mark.hidden and not claim.right for claim in under)
    found = PhotoReport(
        name, table.style, "sheet", tuple(matches), tuple(missing), tuple(extra), scene.stage_ms,
        light=light, marks=tuple(places),
    )  # fmt: skip
    return Read(found, hidden, covered, guessed, wrong, partly)


def _place(claim: MarkClaim) -> MarkPlace:
    return claim.mark.kind, claim.mark.at


def main(arguments: Sequence[str]) -> int:
    """Print the rates; 1 where a die or a sheet was claimed as sure and wrong, or not all was read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=200, help="tables")
    parser.add_argument("--seed", type=int, default=1, help="of the first table")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--things", action="store_true", help="pencils, pens and coins lie on the sheets")
    parser.add_argument("--napkins", action="store_true", help="a napkin lies on each sheet")
    parser.add_argument("--netting", action="store_true", help="shadows as thin as strokes lie on the written sheets")
    parser.add_argument("--faults", type=Path, help="folder for pictures that were not wholly right")
    options = parser.parse_args(arguments)
    if options.faults is not None:
        options.faults.mkdir(parents=True, exist_ok=True)
    seeds = range(options.seed, options.seed + options.pictures)
    start = perf_counter()
    with asked_to_stop() as stop:
        tables = _read_all(seeds, options, stop)
        stopped = stop.is_set()
    print(f"{len(tables)} of {len(seeds)} tables, {perf_counter() - start:.0f} s")
    for way in (BLANK_FIRST, ALONE):
        for name, some in (
            ("no hands", [table for table in tables if not table.hands]),
            ("hands", [table for table in tables if table.hands]),
        ):
            if some:
                print(f"\n{way}, {name}: {len(some)} tables")
                print(_as_text([table.ways[way] for table in some]), flush=True)
    surely_wrong = sum(_piece_surely_wrong(read.found) for table in tables for read in table.ways.values())
    return 1 if surely_wrong or stopped else 0


def _piece_surely_wrong(found: PhotoReport) -> int:
    return found.sure_but_wrong - sum(claim.sureness >= SURE for claim in found.wrong_marks)


def _read_all(seeds: Sequence[int], options: argparse.Namespace, stop: Event) -> list[Both]:
    """The tables that were read until all were or somebody stopped it, by seed."""
    tables: list[Both] = []
    tasks = [(seed, options.faults, options.things, options.napkins, options.netting) for seed in seeds]
    told = perf_counter()
    for table in results(read_one, tasks, stop, processes=options.jobs):
        tables.append(table)
        if sys.stderr.isatty():
            print(f"\r{len(tables)} of {len(seeds)} tables", end="", file=sys.stderr)
        elif perf_counter() - told >= TELL_EVERY_S:
            told = perf_counter()
            print(f"{len(tables)} of {len(seeds)} tables", file=sys.stderr, flush=True)
    return sorted(tables, key=lambda table: table.seed)


def _as_text(reads: Sequence[Read]) -> str:
    photos = [read.found for read in reads]
    covered, guessed, wrong, hidden, partly = (
        sum(getattr(read, name) for read in reads)
        for name in ("covered", "guessed", "guessed_wrong", "open_but_hidden", "partly_wrong")
    )
    lines = [*rates(photos), Report(tuple(photos)).as_text()]
    lines.append(f"open places said to be hidden: {hidden}")
    lines.append(f"covered places: {covered}; not said to be hidden {guessed}, of these said otherwise {wrong}")
    lines.append(f"partly covered places that are surely said otherwise: {partly}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
