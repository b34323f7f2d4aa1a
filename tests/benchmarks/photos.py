"""Rates on labelled pictures of a table: each piece, each whole picture, and the arrangement that the game makes of it.

Run: python -m tests.benchmarks.photos [FOLDER]

The folder (by default ../shared/photos/table) holds pictures with truth files beside them. For each style, faces are
enrolled from its `enrol-*` pictures alone; `ring-*`, `split-*`, `hand-*` and `seats-*` of the same style are read.
"""

import sys
from pathlib import Path

from controller.arranged import misarranged
from vision.files.labelled import labelled
from vision.files.photos import load_photo, photo_beside
from vision.pieces.faces import FacePack
from vision.pieces.learning import enrol
from vision.reports.report import report
from vision.threads import use_one_core

KINDS = ("ring", "split", "seats", "hand")


def main(folder: Path) -> int:
    """Print the rates; 1 where something was claimed as sure and wrong."""
    use_one_core()
    result = report(folder, lambda style, _: enrol_style(folder, style), KINDS, misarranged=misarranged)
    print(result.as_text())
    print("\narrangements, wholly right (slices, their order, portions, the Special's place, seats, eaten)")
    for style, kind in sorted({(photo.style, photo.kind) for photo in result.photos}):
        rights = [not p.misarranged for p in result.photos if (p.style, p.kind) == (style, kind) and not p.problem]
        print(f"  {style:8} {kind:6} {sum(rights):3} of {len(rights)}")
    return int(any(photo.sure_but_wrong for photo in result.photos))


def enrol_style(folder: Path, style: str) -> FacePack:
    """The faces of a style, from its enrol pictures."""
    pictures = list(labelled(folder, ("enrol",), (style,)))
    photos = [(load_photo(photo_beside(path, labels)), labels) for path, labels in pictures]
    return enrol(photos, source=[path.name for path, _ in pictures])


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("../shared/photos/table")))
