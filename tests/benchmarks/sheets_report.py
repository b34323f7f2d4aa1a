"""How well score sheets are read: marks found and missed, and marks claimed that are not there.

Run: python -m tests.benchmarks.sheets_report [--drawn N] [--fingers N] [--blurred N] [FOLDER]

Rendered pictures (`sheet-*.jpg` with truth and `sheet-layout.json` in FOLDER, by default ../shared/photos/table) as
they are and altered, and N sheets of each kind drawn by `tests/vision/drawn_sheet_kinds.py`: of the kinds that the
likelihoods were fitted on (with other seeds), and of those that they were not; with paper brighter than the picture
shows, too. With --fingers, N more of our own print
under fingers about as bright as the paper in their shadows (`tests/vision/drawn_fingers.py`): what they cover ought to
be hidden, and what lies open or in shadow ought not. With --blurred, N more of each kind out of focus, by blur, alone
and after they were seen blank.
"""

import argparse
import itertools
import json
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time

import cv2
import numpy as np

from hardware.kit.score_sheets import load_sheet_print
from tests.benchmarks.fit_sheet_marks import drawn_flat
from tests.vision.drawn_fingers import Covered, reach_over, some_hand
from tests.vision.drawn_sheet import Camera, Hand, blank_sheet, pencil_all, photograph
from tests.vision.drawn_sheet_kinds import ASIDE, OUT_OF_FOCUS, TOO_BRIGHT, TOO_BRIGHT_ASIDE, TRAINED, drawn_of_kind
from vision.files.labels import load_json
from vision.frame import Image
from vision.mat.errors import RegistrationError
from vision.reports.mark_report import MarkPlace, true_marks
from vision.reports.rates import MARK_BINS, Reliability
from vision.scene import SURE, MarkKind, PieceKind, SheetMark
from vision.sheets.finder import lay_out, read_sheets
from vision.sheets.layout import SheetLayout, parse_layout
from vision.sheets.likelihood import FITTED, judges_for
from vision.sheets.marks import read_marks
from vision.threads import use_one_core

BLURS_MM = (0.0, 0.3, 0.6, 0.8, 1.0, 1.25)
CLEAR_MM = 4.0
"""What is no nearer to a finger is open."""


@dataclass
class Count:
    """One sheet's marks compared with the truth, or those of many sheets."""

    places: dict[MarkKind, list[int]] = field(default_factory=lambda: {kind: [0, 0, 0, 0] for kind in MarkKind})
    """Of each kind: marks there, of these missing; places without one, of these claimed."""
    missing: list[SheetMark] = field(default_factory=list)
    extra: list[SheetMark] = field(default_factory=list)
    hidden: int = 0
    """Marks there that are said to be hidden."""
    sure_and_wrong: int = 0
    doubtful: int = 0
    """Places of which it is said that they may be or not."""
    claims: list[tuple[float, bool]] = field(default_factory=list)
    """Likelihood and truth of every place that is seen."""

    @property
    def whole(self) -> bool:
        """Whether everything that is not hidden is right."""
        return not self.missing and not self.extra

    def add(self, other: "Count") -> None:
        """Take in another sheet."""
        for kind, numbers in other.places.items():
            self.places[kind] = [a + b for a, b in zip(self.places[kind], numbers, strict=True)]
        self.missing += other.missing
        self.extra += other.extra
        self.hidden += other.hidden
        self.sure_and_wrong += other.sure_and_wrong
        self.doubtful += other.doubtful
        self.claims += other.claims


def compare_marks(marks: Collection[SheetMark], truth: Collection[MarkPlace]) -> Count:
    """Marks as read beside those that are there. Hidden places are left out."""
    count = Count()
    for mark in marks:
        there, claimed = (mark.kind, mark.at) in truth, mark.probability >= 0.5
        if mark.hidden:
            count.hidden += there
            continue
        numbers = count.places[mark.kind]
        numbers[0 if there else 2] += 1
        numbers[1 if there else 3] += there != claimed
        count.claims.append((mark.probability, there))
        count.doubtful += max(mark.probability, 1 - mark.probability) < SURE
        if there != claimed:
            (count.missing if there else count.extra).append(mark)
            count.sure_and_wrong += max(mark.probability, 1 - mark.probability) >= SURE
    return count


def darker(image: Image) -> Image:
    """A third of the light, with noise."""
    noise = np.random.default_rng(1).normal(0, 3, image.shape)
    return np.asarray(np.clip(image * 0.35 + noise, 0, 255), np.uint8)


def tinted(image: Image) -> Image:
    """Under a yellow lamp."""
    return np.asarray(np.clip(image * np.array([0.6, 0.88, 1.05]), 0, 255), np.uint8)


def blurred(image: Image) -> Image:
    """Out of focus."""
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 1.0), np.uint8)


def rotated(image: Image) -> Image:
    """Upside down."""
    return np.ascontiguousarray(image[::-1, ::-1])


def larger(image: Image) -> Image:
    """As a larger sensor would give it."""
    return np.asarray(cv2.resize(image, (1920, 1080), interpolation=cv2.INTER_CUBIC), np.uint8)


def squeezed(image: Image) -> Image:
    """Coded with quality 50."""
    coded = cv2.imdecode(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 50])[1], cv2.IMREAD_COLOR)
    return np.asarray(coded, np.uint8)


def brighter(image: Image) -> Image:
    """In half as much light again, cut off at white."""
    return np.asarray(np.minimum(image.astype(np.float32) * 1.5, 255), np.uint8)


def twice(image: Image) -> Image:
    """In twice as much light."""
    return np.asarray(np.minimum(image.astype(np.float32) * 2.0, 255), np.uint8)


ALTERED: Mapping[str, Callable[[Image], Image]] = {
    "as they are": lambda image: image,
    "darker": darker,
    "tinted": tinted,
    "blurred": blurred,
    "upside down": rotated,
    "1920 x 1080": larger,
    "JPEG 50": squeezed,
    "1.5 x light": brighter,
    "2 x light": twice,
}


@dataclass
class Row:
    """Pictures of one sort."""

    name: str
    pictures: int = 0
    found: int = 0
    whole: int = 0
    count: Count = field(default_factory=Count)
    dice: list[int] = field(default_factory=lambda: [0, 0, 0])
    """There, read right, claimed where there is none or another."""
    ms: list[float] = field(default_factory=list)

    def read(self, image: Image, layouts: Sequence[SheetLayout], truth: set[MarkPlace], dice: Sequence[str]) -> str:
        """Read one picture; what was wrong with it."""
        self.pictures += 1
        self.dice[0] += len(dice)
        start = process_time()
        try:
            scene = read_sheets(image, layouts)
        except RegistrationError as error:
            return f"not read: {error}"
        self.ms.append((process_time() - start) * 1e3)
        seen = [s.face for s in scene.sightings if s.kind is PieceKind.DIE]
        right = sum(any(alike(face, true) for face in seen) for true in dice)
        self.dice[1] += right
        self.dice[2] += len(seen) - right
        sheets = [s for s in scene.sightings if s.kind is PieceKind.SHEET]
        if len(sheets) != 1:
            return f"{len(sheets)} sheets found"
        self.found += 1
        one = compare_marks(sheets[0].marks, truth)
        self.count.add(one)
        self.whole += one.whole
        wrong = [f"missing {m.kind.value} {m.at} {m.probability:.2f}" for m in one.missing]
        wrong += [f"extra {m.kind.value} {m.at} {m.probability:.2f}" for m in one.extra]
        return ", ".join(wrong[:6]) + (f" and {len(wrong) - 6} more" if len(wrong) > 6 else "")

    def __str__(self) -> str:
        numbers = []
        for kind in FITTED:
            there, missing, free, claimed = self.count.places[kind]
            numbers.append(f"{missing:4}/{there:<6}{claimed:4}/{free:<6}")
        ms = f"{np.median(self.ms):6.0f}" if self.ms else "     -"
        dice = "/".join(str(number) for number in (self.dice[1], self.dice[0])) + f" +{self.dice[2]}"
        return (
            f"{self.name:24}{self.pictures:4}{self.found:6}{self.whole:6}  {' '.join(numbers)} "
            f"{self.count.hidden:6} {self.count.sure_and_wrong:5} {self.count.doubtful:5} {dice:>9} {ms}"
        )


HEAD = (
    f"{'pictures':24}{'':4} found whole  "
    + " ".join(f"{kind.value + ' miss/there extra/free':21}"[:21] for kind in FITTED)
    + " hidden sure& doubt dice right    ms"
)


def alike(face: str, true: str) -> bool:
    """Whether two patterns are one, turned by quarters."""
    pattern = np.array([list(row) for row in true.split("/")])
    return any("/".join("".join(row) for row in np.rot90(pattern, turns)) == face for turns in range(4))


def rendered(folder: Path) -> Iterator[tuple[str, Image, set[MarkPlace], list[str]]]:
    """Name, picture, marks and dice of each rendered sheet."""
    for path in sorted(folder.glob("sheet-*.jpg")):
        labels = load_json(path.with_suffix(".json"))
        image = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if image is None:
            raise FileNotFoundError(f"{path} is no picture")
        assert isinstance(labels, dict)
        dice = ["/".join(piece["pattern"]) for piece in labels["pieces"] if piece["kind"] == "die"]
        yield path.stem, np.asarray(image, np.uint8), true_marks(labels, path.stem), dice


def report_rendered(folder: Path) -> None:
    """Print the rendered pictures' rows."""
    layout = parse_layout(json.loads((folder / "sheet-layout.json").read_text()), "sheet-layout.json")
    layouts = [layout, load_sheet_print().layout]
    for name, change in ALTERED.items():
        row, faults = Row(name), []
        for photo, image, truth, dice in rendered(folder):
            wrong = row.read(change(image), layouts, truth, dice)
            faults += [f"    {photo}: {wrong}"] if wrong else []
        print(row)
        print("\n".join(faults) + "\n" if faults else "", end="")


def report_drawn(pictures: int, first_seed: int) -> None:
    """Print a row for each kind of drawn picture, and how often marks of each likelihood were there."""
    fitted, others = {**TRAINED, **TOO_BRIGHT}, {**ASIDE, **TOO_BRIGHT_ASIDE}
    for kinds, what in ((fitted, "kinds that the likelihoods were fitted on"), (others, "kinds that they were not")):
        print(f"{what}, drawn:")
        rows = {kind: Row(kind) for kind in kinds}
        for kind, row in rows.items():
            faults = []
            for seed in range(first_seed, first_seed + pictures):
                sheet, image = drawn_of_kind(kind, seed)
                wrong = row.read(image, [sheet.layout], sheet.marks, [])
                faults += [f"    {seed}: {wrong}"] if wrong else []
            print(row, *faults, sep="\n", flush=True)
        claims = [claim for row in rows.values() for claim in row.count.claims]
        for low, high in itertools.pairwise(MARK_BINS):
            part = Reliability(low, high, [c for c in claims if low <= c[0] < high or c[0] == high == 1.0])
            if part.claims:
                print(f"    {part}".replace("right", "there"))


def report_fingers(pictures: int, first_seed: int) -> None:
    """Print how much of what fingers cover is hidden, and of what is open."""
    counts, refused = Counter[str](), 0
    for seed in range(first_seed, first_seed + pictures):
        try:
            scene, there = under_fingers(seed)
            seen = read_sheets(scene.image, [scene.layout]).sightings
        except RegistrationError:
            refused += 1
            continue
        sheets = [one for one in seen if one.kind is PieceKind.SHEET]
        refused += not sheets
        far = round(CLEAR_MM * scene.px_per_mm)
        beside = np.asarray(cv2.dilate(scene.over, np.ones((2 * far + 1,) * 2, np.uint8)), np.float32)
        for mark in (mark for sheet in sheets for mark in sheet.marks):
            part = "covered" if scene.share(mark, scene.over) == 1.0 else "partly"
            if scene.share(mark, 1.0 - beside) > 0.9:
                part = "in shadow" if scene.share(mark, scene.shade) > 0.6 else "open"
            sure = max(mark.probability, 1 - mark.probability) >= SURE
            wrong = (mark.probability >= 0.5) != ((mark.kind, mark.at) in there)
            counts[part] += 1
            counts[part + " hidden"] += mark.hidden
            counts[part + " sure and wrong"] += sure and wrong and not mark.hidden
    print(f"under fingers, drawn: {pictures} pictures, {refused} sheets not found; places:")
    for part in ("covered", "partly", "in shadow", "open"):
        told = counts[part], counts[part + " hidden"], counts[part + " sure and wrong"]
        print("    {:10}{:6}, {:5} hidden, {:4} of the others surely wrong".format(part, *told))


def under_fingers(seed: int) -> tuple[Covered, set[MarkPlace]]:
    """A drawn sheet of our own print in any light, under fingers, and what was pencilled on it."""
    rng = np.random.default_rng(seed)
    camera = Camera(
        px_per_mm=float(rng.uniform(1.8, 3.6)),
        white=tuple((rng.uniform(110, 235) * rng.uniform(0.92, 1.0, 3)).tolist()),
        noise=float(rng.uniform(1.0, 4.5)),
        blur_px=float(rng.uniform(0.5, 1.1)),
    )
    hand, sheet = some_hand(rng), blank_sheet(load_sheet_print())
    pencil_all(sheet, rng, Hand(forgets=0.1, darkness=(0.45, 1.0)), share=float(rng.uniform(0.05, 0.5)))
    plain = photograph(sheet, rng, camera)
    where = lay_out(plain, [sheet.layout])[2][0].registration
    return reach_over(plain, sheet.layout, where, hand, camera, rng), sheet.marks


def report_blurred(pictures: int, first_seed: int) -> None:
    """Print how marks are read out of focus, by how blurred the sheets' own markers are."""
    ways = ("one picture alone", "after blank")
    counts = {(way, low): Count() for way in ways for low in BLURS_MM}
    sheets, lost = Counter[tuple[str, float]](), Counter[str]()
    for kind, seed in itertools.product(OUT_OF_FOCUS, range(first_seed, first_seed + pictures)):
        sheet, *flats = drawn_flat(kind, seed)
        for way, flat in zip(ways, flats, strict=True):
            if flat is None:
                lost[way] += 1
                continue
            row = way, max(low for low in BLURS_MM if low <= flat.soft_mm)
            counts[row].add(compare_marks(read_marks(flat, judges_for(flat)), sheet.marks))
            sheets[row] += 1
    for way in ways:
        print(f"out of focus, {way}; {lost[way]} sheets not found; blurred by (mm, 0: in focus) at least:")
        for low in BLURS_MM:
            count = counts[way, low]
            there = [said for said, true in count.claims if true]
            print(
                f"    {low:4} {sheets[way, low]:4} sheets, of {len(count.claims):6} places {count.sure_and_wrong:4} "
                f"surely wrong, {count.doubtful:5} doubtful; of {len(there):5} marks {sum(p >= 0.5 for p in there):5} "
                f"right, {sum(p >= SURE for p in there):5} surely"
            )


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="How well score sheets are read.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path("../shared/photos/table"))
    parser.add_argument("--drawn", type=int, default=4, help="how many drawn sheets of each kind")
    parser.add_argument("--blurred", type=int, default=0, help="how many drawn sheets of each kind out of focus")
    parser.add_argument("--fingers", type=int, default=0, help="how many drawn sheets under fingers")
    parser.add_argument("--seed", type=int, default=1000, help="of the first drawn sheet")
    arguments = parser.parse_args()
    use_one_core()
    print(HEAD)
    if arguments.folder.is_dir():
        report_rendered(arguments.folder)
    else:
        print(f"no pictures at {arguments.folder}")
    if arguments.drawn:
        report_drawn(arguments.drawn, arguments.seed)
    if arguments.fingers:
        report_fingers(arguments.fingers, arguments.seed)
    if arguments.blurred:
        report_blurred(arguments.blurred, arguments.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
