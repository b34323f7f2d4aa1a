"""How well pieces of each kind are read, from many simulated tables in any light, on any cloth, from any place.

Faces are learned from pictures in one light; the tables that are read vary all that `Conditions.random` varies, and
hands reach over a third of them. Dice are thrown on bare tables and among pieces and prints that nobody enrolled; a die
counts as seen within 12 mm and 10 degrees of how it lies, as without enrolled pieces nothing tells the lens far from
the mat.

Run with `make many-pieces`; ARGS="--families cards --pictures 20 --seed 5 --view tilted --jobs 1 --faults DIR".
Ctrl-C and SIGTERM stop it; what was read by then is shown.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import perf_counter
from typing import Any

import cv2

from controller.batch import asked_to_stop, results
from tests.benchmarks.piece_rates import rates
from tests.benchmarks.simulated_dice import prints
from tests.benchmarks.simulated_pieces import FAMILIES, enrolled, photographs
from tests.benchmarks.views import VIEWS
from vision.files.label_kinds import TRUE_KINDS
from vision.pieces.faces import FacePack
from vision.reports.compared import PhotoReport
from vision.reports.rates import Report
from vision.reports.report import PICTURES, report_photo
from vision.threads import use_one_core

TELL_EVERY_S = 60.0
"""How often it says how far it is where nobody watches a terminal."""

AMONG = ("among other pieces", "among prints as well")
"""What tables are called on which something lies that is not looked for."""

_packs: dict[str, FacePack] = {}
"""What a process has learned."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table, read and compared."""

    seed: int
    hands: int
    """How many hands reach into its picture."""
    found: PhotoReport
    among: str
    """What else lies there that is not looked for."""


def read_one(family: str, seed: int, view: str, faults: Path | None) -> Table:
    """Render, read and compare one table, seen so."""
    use_one_core()
    if family not in _packs:
        _packs[family] = enrolled(FAMILIES[family])
    image, labels = photographs(FAMILIES[family], seed, view=VIEWS[view])
    near_mm, near_deg = FAMILIES[family].near_mm + VIEWS[view].near_mm, FAMILIES[family].near_deg
    found = report_photo(image, labels, _packs[family], f"{family}-{seed}", near_mm=near_mm, near_deg=near_deg)
    if faults is not None and not found.perfect:
        cv2.imwrite(str(faults / f"{family}-{seed}.png"), image)
    hands = sum(piece["kind"] == "hand" for piece in labels["pieces"])
    return Table(seed, hands, found, among(labels))


def among(labels: Mapping[str, Any]) -> str:
    """What lies in a labelled picture besides the kinds of piece that are looked for in it."""
    known = [piece for piece in labels["pieces"] if piece["kind"] in TRUE_KINDS]
    others = [piece for piece in known if TRUE_KINDS[piece["kind"]] not in PICTURES[labels["kind"]]]
    if any(str(piece.get("face")) in prints() for piece in others):
        return AMONG[1]
    return AMONG[0] if others else ""


def main(arguments: Sequence[str]) -> int:
    """Print the rates; 1 where something was claimed as sure and wrong, or not all was read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--families", nargs="+", choices=sorted(FAMILIES), default=sorted(FAMILIES))
    parser.add_argument("--pictures", type=int, default=400, help="of each family")
    parser.add_argument("--seed", type=int, default=1, help="of the first picture")
    said = "; ".join(f"{name}: {view.says}" for name, view in VIEWS.items())
    parser.add_argument("--view", choices=sorted(VIEWS), default="usual", help=said)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--faults", type=Path, help="folder for pictures that were not wholly right")
    options = parser.parse_args(arguments)
    if options.faults is not None:
        options.faults.mkdir(parents=True, exist_ok=True)
    good = True
    seeds = range(options.seed, options.seed + options.pictures)
    with asked_to_stop() as stop:
        for family in options.families:
            if stop.is_set():
                break
            start = perf_counter()
            tables = _read_all(family, seeds, options, stop)
            print(f"\n{family}: {_how_many(len(tables), len(seeds))}, {perf_counter() - start:.0f} s")
            print(_as_text(tables), flush=True)
            good &= not sum(table.found.sure_but_wrong for table in tables)
        return 0 if good and not stop.is_set() else 1


def _read_all(family: str, seeds: Sequence[int], options: argparse.Namespace, stop: Event) -> list[Table]:
    """The tables that were read until all were or somebody stopped it, by seed."""
    tables: list[Table] = []
    told = perf_counter()
    for table in results(
        read_one, [(family, seed, options.view, options.faults) for seed in seeds], stop, processes=options.jobs
    ):
        tables.append(table)
        if sys.stderr.isatty():
            print(f"\r{family}: {len(tables)} of {len(seeds)} tables", end="", file=sys.stderr)
        elif perf_counter() - told >= TELL_EVERY_S:
            told = perf_counter()
            print(f"{family}: {len(tables)} of {len(seeds)} tables; {_so_far(tables)}", file=sys.stderr, flush=True)
    return sorted(tables, key=lambda table: table.seed)


def _how_many(read: int, wanted: int) -> str:
    return f"{read} tables" if read == wanted else f"{read} of {wanted} tables before it was stopped"


def _so_far(tables: Sequence[Table]) -> str:
    right, expected = sum(table.found.right for table in tables), sum(table.found.expected for table in tables)
    return f"{right} of {expected} pieces right, {sum(table.found.sure_but_wrong for table in tables)} sure but wrong"


def _as_text(tables: Sequence[Table]) -> str:
    """The whole report, then the rates without and with hands, and what was taken for what."""
    photos = [table.found for table in tables]
    report = Report(tuple(photos))
    parts = [report.as_text()]
    for name, some in (
        ("no hands", [table.found for table in tables if not table.hands]),
        ("hands", [table.found for table in tables if table.hands]),
        *((name, [table.found for table in tables if table.among == name]) for name in AMONG),
        ("nothing to find", [photo for photo in photos if not photo.expected]),
        ("all tables", photos),
    ):
        if some:
            parts.append("\n".join([f"{name}: {len(some)} tables", *rates(some)]))
    parts.append("\n".join(["taken for another:", *_confused(report.confusion())]))
    return "\n\n".join(parts)


def _confused(pairs: Counter[tuple[str, str, str]]) -> list[str]:
    """What was claimed and is not so, the most frequent first."""
    wrong = Counter({pair: count for pair, count in pairs.items() if pair[2] and pair[1] != pair[2]})
    lines = [
        f"  {kind}: {true or 'nothing'} as {claimed}, {count}" for (kind, true, claimed), count in wrong.most_common()
    ]
    return lines or ["  none"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
