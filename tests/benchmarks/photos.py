"""Rates on labelled pictures of a table: each piece, each whole picture, and the arrangement that the game makes of it.

Run: python -m tests.benchmarks.photos [FOLDER]

The folder (by default ../shared/photos/table) holds pictures with truth files beside them. For each style, faces are
enrolled from its `enrol-*` pictures alone; `ring-*`, `split-*`, `hand-*` and `seats-*` of the same style are read.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2

from controller.games.new_york_slice.describe import describe
from vision.faces import FacePack, enrol
from vision.labels import load_json
from vision.reader import read_photo
from vision.report import report
from vision.scene import Scene
from vision.threads import use_one_core

KINDS = ("ring", "split", "seats", "hand")


def main(folder: Path) -> int:
    """Print both tables; 1 where something was claimed as sure and wrong."""
    use_one_core()
    packs = {style: enrol_style(folder, style) for style in styles(folder)}
    result = report(folder, lambda style, _: packs[style], KINDS)
    print(result.as_text())
    print("\narrangements, wholly right (slices, their order, portions, the Special's place, seats, eaten)")
    for style, pack in packs.items():
        for kind in KINDS:
            rights = [agrees(labels, describe(scene)) for labels, scene in read(folder, style, kind, pack)]
            print(f"  {style:8} {kind:6} {sum(rights):3} of {len(rights)}")
    return 0


def styles(folder: Path) -> list[str]:
    """The styles of which there are pictures to enrol from."""
    return sorted({path.name.split("-")[1] for path in folder.glob("enrol-*-*.jpg") if path.name.count("-") == 2})


def enrol_style(folder: Path, style: str) -> FacePack:
    """The faces of a style, from its enrol pictures."""
    paths = sorted(folder.glob(f"enrol-{style}-*.jpg"))
    return enrol([(cv2.imread(str(path)), _labels(path)) for path in paths], source=[path.name for path in paths])  # type: ignore[misc]


def read(folder: Path, style: str, kind: str, pack: FacePack) -> Iterator[tuple[Mapping[str, Any], Scene]]:
    """Each picture's labels and what is read in it."""
    for path in sorted(folder.glob(f"{kind}-{style}-*.jpg")):
        image = cv2.imread(str(path))
        assert image is not None
        yield _labels(path), read_photo(image, pack)  # type: ignore[arg-type]


def agrees(labels: Mapping[str, Any], found: Mapping[str, Any]) -> bool:
    """Whether the arrangement is the true one. A slice that hardly shows may be missing, none may be wrong."""
    truth = labels["arrangement"]
    covered = {piece["face"] for piece in labels["pieces"] if piece.get("visible", 1.0) < 0.5}
    if "ring" in truth:
        return _same_circle([truth["ring"]], found["portions"], covered) and found["special"] == truth["special"]
    if "portions" in truth:
        portions = [portion for portion in truth["portions"] if portion]
        lies_with = [] if truth["special_alone"] else truth["portions"][truth["special_portion"]]
        index = found["special_portion"]
        with_special = [] if index is None or found["special_alone"] else found["portions"][index]
        return (
            _same_circle(portions, [portion for portion in found["portions"] if portion], covered)
            and [f for f in lies_with if f not in covered] == [f for f in with_special if f not in covered]
            and found["special"] == truth["special"]
        )
    return sorted(truth["middle"]) == sorted(found["middle"]) and all(
        _same_seat(seat, found["seats"].get(side, {})) for side, seat in truth["seats"].items()
    )


def _same_circle(truth: Sequence[Sequence[str]], found: Sequence[Sequence[str]], covered: set[str]) -> bool:
    """Whether both are the same portions in the same circle, wherever they begin."""
    a = [[face for face in portion if face not in covered] for portion in truth]
    b = [[face for face in portion if face not in covered] for portion in found]
    if len(a) == 1 and len(b) == 1:
        return _from_first(a[0]) == _from_first(b[0])
    return _from_first(a) == _from_first(b)


def _from_first(circle: Sequence[Any]) -> list[Any]:
    rotations = [[*circle[i:], *circle[:i]] for i in range(len(circle))]
    return min(rotations, default=[])


def _same_seat(truth: Mapping[str, Any], found: Mapping[str, Any]) -> bool:
    groups = {tuple(sorted(group)) for group in truth["collected"]}
    return (
        groups == {tuple(sorted(group)) for group in found.get("collected", [])}
        and len(truth["eaten"]) == found.get("eaten", 0)
        and truth["specials"] == found.get("specials", [])
    )


def _labels(path: Path) -> Mapping[str, Any]:
    labels: Mapping[str, Any] = load_json(path.with_suffix(".json"))
    return labels


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("../shared/photos/table")))
