"""Rates on the labelled pictures of SLICE's cards, whole arrangements, and what reading them costs.

Run: python -m tests.benchmarks.cards_report [FOLDER]

The folder (by default ../shared/photos/table) holds pictures with truth files beside them. For each style, faces are
enrolled from its `enrol-cards-*` pictures alone, and its `cards-*` pictures are read. Milliseconds are of one core's
own time, beside what `cv2.aruco` takes to find 40 markers in as large a picture; the table for them is drawn.
"""

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

from controller.games.slice.describe import describe
from tests.benchmarks.bench_vision import find_markers, marker_picture
from tests.vision.drawn_cards import MORE, TABLE, enrolled
from tests.vision.drawn_table import View, photograph
from vision.files.labelled import labelled
from vision.files.photos import load_photo
from vision.frame import Frame, Image
from vision.pieces.faces import FacePack
from vision.pieces.learning import enrol
from vision.reader import Reader, read_photo
from vision.reports.report import report
from vision.threads import use_one_core

SIZES = ((1280, 720), (1920, 1080), (2304, 1296))
ROUNDS = 5


def main(folder: Path) -> int:
    """Print rates, arrangements and times; 1 where something was claimed as sure and wrong."""
    use_one_core()
    packs = {style: enrol_style(folder, style) for style in styles(folder)}
    result = report(folder, lambda style, _: packs[style], ("cards",))
    print(result.as_text())
    print("arrangements (whole: all that shows is where it belongs; hidden: under a hand, not claimed)")
    for style, pack in packs.items():
        print(f"  {style:8}", ", ".join(f"{what} {count}" for what, count in arrangements(folder, style, pack).items()))
    print(f"\nms on one core   {'aruco, 40 markers':>18} {'first':>8} {'unchanged':>10} {'a card laid':>12}")
    for size in SIZES:
        times = "  ".join(f"{ms:10.1f}" for ms in read_times(size))
        print(f"{size[0]} x {size[1]:<12} {aruco_ms(size):10.1f} {times}")
    return int(any(photo.sure_but_wrong for photo in result.photos))


def styles(folder: Path) -> list[str]:
    """The styles of which there are cards to enrol from."""
    return sorted({str(labels["style"]) for _, labels in labelled(folder, ("enrol-cards",))})


def enrol_style(folder: Path, style: str) -> FacePack:
    """The cards of a style."""
    pictures = list(labelled(folder, ("enrol-cards",), (style,)))
    photos = [(load_photo(path.with_suffix(".jpg")), labels) for path, labels in pictures]
    return enrol(photos, source=[path.name for path, _ in pictures])


def arrangements(folder: Path, style: str, pack: FacePack) -> Counter[str]:
    """How many seats, places and open piles of a style are right, wrong, or hidden."""
    counts: Counter[str] = Counter()
    for path, labels in labelled(folder, ("cards",), (style,)):
        found: Any = describe(read_photo(load_photo(path.with_suffix(".jpg")), pack))
        truth = labels["arrangement"]
        counts[f"open pile {_verdict(found['open_top'], truth['open_top'])}"] += 1
        for seat, true in truth["seats"].items():
            counts.update(_seat_verdicts(found["seats"].get(seat), true))
    return Counter(dict(sorted(counts.items())))


def read_times(size: tuple[int, int]) -> Sequence[float]:
    """Median milliseconds of: everything anew, an unchanged frame, the frame after a card was laid."""
    pack = enrolled()
    frames = [photograph(cards, View(size=size, seed=i)) for i, cards in enumerate((TABLE, TABLE, MORE, MORE))]
    runs = [_times_of(Reader(pack), frames) for _ in range(ROUNDS)]
    return [median(run[i] for run in runs) for i in (0, 1, 3)]


def _times_of(reader: Reader, frames: Sequence[Image]) -> list[float]:
    return [_ms(partial(reader.read, Frame(frame, i / 20, i))) for i, frame in enumerate(frames)]


def aruco_ms(size: tuple[int, int]) -> float:
    """Median milliseconds of finding the markers."""
    picture = marker_picture(size)
    return median(_ms(partial(find_markers, picture)) for _ in range(ROUNDS))


def _ms(do: Callable[[], object]) -> float:
    start = process_time()
    do()
    return (process_time() - start) * 1e3


def _verdict(found: object, true: object) -> str:
    return "hidden" if found is None else "right" if found == true else "wrong"


def _seat_verdicts(found: Mapping[str, Any] | None, true: Mapping[str, Any]) -> list[str]:
    if found is None:
        return ["seats hidden"]
    slots = [_slot_verdict(slot, wanted) for slot, wanted in zip(found["slots"], true["slots"], strict=True)]
    right = found["order"] == true["order"] and "places wrong" not in slots
    whole = right and "places hidden" not in slots
    return [*slots, "seats whole" if whole else "seats partly hidden" if right else "seats wrong"]


def _slot_verdict(found: Mapping[str, Any], true: Mapping[str, Any]) -> str:
    if found["face_up"] is None:
        return "places hidden"
    wanted = (true["face"] if true["face_up"] else None, true["face_up"], true["blocked"])
    return "places right" if (found["face"], found["face_up"], found["blocked"]) == wanted else "places wrong"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("../shared/photos/table")))
