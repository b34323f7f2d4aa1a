"""Fits the networks that say how likely marks on score sheets are, to sheets drawn from seeds.

Run: python -m tests.benchmarks.fit_sheet_marks [--sheets N] [--seed FIRST] [--after-blank] [--out-of-focus]
    [--too-bright] OUT.npz

Only the kinds of sheet in `TRAINED` are drawn, with `--out-of-focus` those in `OUT_OF_FOCUS`, with `--too-bright` those
in `TOO_BRIGHT`. With `--after-blank` each was seen before it was written on. The same numbers give the same file; those
out of focus are of 350 sheets from 90000, those too bright of 1100 from 50000.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.vision.drawn_sheet import DrawnSheet, MarkPlace
from tests.vision.drawn_sheet_kinds import (
    ON_A_TABLE,
    OUT_OF_FOCUS,
    TOO_BRIGHT,
    TRAINED,
    drawn_after_blank,
    drawn_and_placed,
    drawn_of_kind,
    drawn_where,
)
from vision.frame import Image
from vision.mat.registration import register
from vision.scene import MarkKind
from vision.sheets import flattening
from vision.sheets.blanks import covered
from vision.sheets.evidence import Evidence, gather
from vision.sheets.finding import find_sheets, seen_again
from vision.sheets.flattening import FlatSheet, flatten
from vision.sheets.likelihood import FAR, FITTED, Judge
from vision.threads import use_one_core

Plane = NDArray[np.float32]

NETWORKS = 5
UNITS, FEW_UNITS = 20, 8
"""Of each network; fewer where there are few samples."""
FEW = 20000
ROUNDS = 2000
BATCH = 4096
DECAY = 0.5
"""Divided by the number of samples."""
RATE = 4e-3
LEAST_SPREAD = 1e-3
FROM_CUT_OFF = 0.2
"""Likelihoods for sheets that are too bright are fitted on those, too, of which only so much is cut off."""
MORE_ON_TABLES = 3
"""So many times more sheets are drawn as they lie around a mat than of each other kind; a third is found."""


def evidence_of(sheet: DrawnSheet, image: Image) -> dict[MarkKind, Evidence] | None:
    """What is measured of a drawn sheet; None where it is not found."""
    flat = flat_sheet(sheet, image)
    return None if flat is None else gather(flat)


def evidence_after_blank(sheet: DrawnSheet, image: Image, blank: Image) -> dict[MarkKind, Evidence] | None:
    """The same of a sheet that was seen `blank` before."""
    before, now = flat_sheet(sheet, blank), flat_sheet(sheet, image)
    if before is None or now is None:
        return None
    return gather(covered(replace(now, blank=before.darkness)))


def flat_sheet(sheet: DrawnSheet, image: Image, corners: NDArray[np.float64] | None = None) -> FlatSheet | None:
    """The sheet laid flat; None where it is not found: where its `corners` (4 x 2) are, if they are given."""
    layout, grey = sheet.layout, np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    if corners is None:
        found = next(iter(find_sheets(grey, [layout])), None)
    else:
        plane = cv2.getPerspectiveTransform(layout.corners_mm.astype(np.float32), corners.astype(np.float32))
        seen = {number: cv2.perspectiveTransform(one[None], plane)[0] for number, one in layout.marks.items()}
        around = register(seen, (grey.shape[1], grey.shape[0]), markers_mm=layout.marks)
        found = seen_again(grey, layout, layout.corners_mm, around)
    return None if found is None else flatten(image, layout, found.registration)


def drawn_flat(kind: str, seed: int) -> tuple[DrawnSheet, FlatSheet | None, FlatSheet | None]:
    """A drawn sheet of this kind of those out of focus, laid flat, and the same beside how it looked when blank; None
    where it is not found."""
    sheet, now, before = drawn_and_placed(kind, seed)
    flat, blank = flat_sheet(sheet, *now), flat_sheet(sheet, *before)
    if flat is None or blank is None:
        return sheet, flat, None
    return sheet, flat, covered(replace(flat, blank=blank.darkness))


def samples(kind: MarkKind, evidence: Evidence, marks: set[MarkPlace]) -> tuple[Plane, NDArray[np.bool_]]:
    """Measures and truth of the places that are judged: of lines only those between pencilled dots."""
    there = np.array([(kind, place) in marks for place in evidence.places], bool)
    judged = ~evidence.hidden
    if evidence.bare is not None:  # only the others are measured
        return evidence.features[judged[~evidence.bare]], there[judged & ~evidence.bare]
    if kind is MarkKind.LINE:
        judged &= np.array([{(MarkKind.DOT, at[:2]), (MarkKind.DOT, at[2:])} <= marks for at in evidence.places])
    return evidence.features[judged], there[judged]


def fit(features: Plane, there: NDArray[np.bool_], rng: np.random.Generator) -> Judge:
    """Networks with the least log loss."""
    middle = np.median(features, axis=0)
    spread = np.maximum(features.std(axis=0), LEAST_SPREAD)
    scaled = np.clip((features - middle) / spread, -FAR, FAR).astype(np.float32)
    fitted = [_fit_one(scaled, there.astype(np.float32), rng) for _ in range(NETWORKS)]
    return Judge(middle, spread, np.stack([one[0] for one in fitted]), np.stack([one[1] for one in fitted]))


def _fit_one(features: Plane, there: Plane, rng: np.random.Generator) -> tuple[Plane, Plane]:
    """One network, by Adam (Kingma and Ba, 2015)."""
    count = features.shape[1] + 1
    data = np.column_stack([features, np.ones(len(features), np.float32)])
    units, decay = FEW_UNITS if len(data) < FEW else UNITS, DECAY / len(data)
    drawn = [rng.normal(0, count**-0.5, (count, units)), rng.normal(0, units**-0.5, units + 1)]
    values = [value.astype(np.float32) for value in drawn]
    first, second = [np.zeros_like(v) for v in values], [np.zeros_like(v) for v in values]
    for turn in range(1, ROUNDS + 1):
        rows = rng.integers(0, len(data), min(BATCH, len(data)))
        part, truth = data[rows], there[rows]
        inner = np.tanh(part @ values[0])
        logits = inner @ values[1][:-1] + values[1][-1]
        off = (1.0 / (1.0 + np.exp(-np.clip(logits, -30, 30))) - truth) / len(rows)
        slopes = [
            part.T @ (off[:, None] * values[1][:-1] * (1.0 - inner**2)) + decay * values[0],
            np.append(inner.T @ off, off.sum()) + decay * values[1],
        ]
        rate = RATE * min(1.0, 2.0 * (1.0 - turn / (ROUNDS + 1)))
        for i, slope in enumerate(slopes):
            first[i] = 0.9 * first[i] + 0.1 * slope
            second[i] = 0.999 * second[i] + 0.001 * slope**2
            step = first[i] / (1.0 - 0.9**turn) / (np.sqrt(second[i] / (1.0 - 0.999**turn)) + 1e-8)
            values[i] = (values[i] - rate * step).astype(np.float32)
    return values[0], values[1]


def fit_all(sheets: Sequence[tuple[dict[MarkKind, Evidence], set[MarkPlace]]], seed: int) -> dict[str, Plane]:
    """Everything that the file holds."""
    stored: dict[str, Plane] = {}
    for number, kind in enumerate(FITTED):
        parts = [samples(kind, evidence[kind], marks) for evidence, marks in sheets]
        parts = [part for part in parts if len(part[0])]
        judge = fit(
            np.concatenate([p[0] for p in parts]),
            np.concatenate([p[1] for p in parts]),
            np.random.default_rng([seed, number]),
        )
        stored |= {f"{kind.value}.{part}": np.asarray(getattr(judge, part), np.float32) for part in Judge.__slots__}
    return stored


def main() -> int:
    """Draw, measure, fit, store."""
    parser = argparse.ArgumentParser(description="Fits the networks that judge marks on score sheets.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--sheets", type=int, default=100, help="of each kind")
    parser.add_argument("--seed", type=int, default=50000, help="of the first sheet")
    parser.add_argument("--after-blank", action="store_true", help="for sheets that were seen blank before")
    parser.add_argument("--out-of-focus", action="store_true", help="for pictures out of focus")
    parser.add_argument("--too-bright", action="store_true", help="for paper brighter than the picture shows")
    arguments = parser.parse_args()
    use_one_core()
    if arguments.too_bright:
        flattening.TOO_BRIGHT = FROM_CUT_OFF
    kinds = OUT_OF_FOCUS if arguments.out_of_focus else TOO_BRIGHT if arguments.too_bright else TRAINED
    drawn = [(kind, seed) for seed in range(arguments.seed, arguments.seed + arguments.sheets) for kind in kinds]
    if arguments.after_blank and not arguments.out_of_focus:
        seeds = range(arguments.seed, arguments.seed + MORE_ON_TABLES * arguments.sheets)
        drawn += [(kind, seed) for seed in seeds for kind in ON_A_TABLE]
    sheets = []
    for kind, seed in drawn:
        if arguments.out_of_focus:
            sheet, *flats = drawn_flat(kind, seed)
            flat = flats[arguments.after_blank]
            # Those that are sharp enough are judged by the other networks.
            evidence = gather(flat) if flat is not None and flat.out_of_focus else None
        elif arguments.too_bright:
            sheet, image, corners = drawn_where(kind, seed)
            bright = flat_sheet(sheet, image, corners)
            evidence = gather(bright) if bright is not None and bright.too_bright else None
        elif arguments.after_blank:
            sheet, image, blank = drawn_after_blank(kind, seed)
            evidence = evidence_after_blank(sheet, image, blank)
        else:
            sheet, image = drawn_of_kind(kind, seed)
            evidence = evidence_of(sheet, image)
        if evidence is not None:
            sheets.append((evidence, sheet.marks))
    print(f"{len(sheets)} of {len(drawn)} sheets found")
    np.savez_compressed(arguments.out, **fit_all(sheets, arguments.seed))  # type: ignore[arg-type]
    return 0


if __name__ == "__main__":
    sys.exit(main())
