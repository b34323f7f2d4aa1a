"""Which files of a folder are labels of pictures, and of which kinds of picture."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from vision.files.label_kinds import LabelError
from vision.files.labels import load_json, picture_kind
from vision.files.photos import has_photo_beside


def labelled(folder: Path, kinds: Sequence[str], styles: Sequence[str] = ()) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The labels files of pictures of these kinds, in order; `styles` empty means all.

    Raises:
        LabelError: a file is no JSON, or beside a photo says its kind or style otherwise than as text.
        OSError: a file cannot be read.
    """
    for path, labels in _labels_in(folder):
        kind, style = picture_kind(labels, str(path))
        if kind in kinds and (not styles or style in styles):
            yield path, labels


def of_other_kinds(folder: Path, kinds: Sequence[str]) -> list[tuple[str, str]]:
    """The labels files of photos that are of none of these kinds: names, and their kind or "". Raises as `labelled`."""
    others = [(path.name, picture_kind(labels, str(path))[0]) for path, labels in _labels_in(folder)]
    return [(name, kind) for name, kind in others if kind not in kinds]


def strays(folder: Path) -> list[str]:
    """Why what is called .json in a folder is passed over: what is no JSON and has no photo beside it, folders, and
    what has one and is no photo's labels."""
    others = [(path, said) for path, said in _jsons_in(folder) if not isinstance(said, dict)]
    return [
        str(said) if isinstance(said, LabelError) else f"{path}: expected an object with the photo's pieces"
        for path, said in others
        if isinstance(said, LabelError) or has_photo_beside(path)
    ]


def picture_name(path: Path) -> str:
    """What a picture is called: its labels' name without its ending, as text that can be written everywhere."""
    return path.stem.encode("utf-8", "replace").decode("utf-8")


def _labels_in(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Files that hold a photo's labels; what else a folder holds in JSON has no photo beside it."""
    for path, labels in _jsons_in(folder):
        if isinstance(labels, dict) and ("pieces" in labels or has_photo_beside(path)):
            yield path, labels


def _jsons_in(folder: Path) -> Iterator[tuple[Path, object]]:
    """What the files called .json hold, but for hidden ones; a LabelError for what cannot be a photo's labels."""
    for path in sorted(folder.glob("*.json")):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield path, LabelError(f"{path}: it is a folder; expected a file in JSON")
            continue
        try:
            labels = load_json(path)
        except LabelError as error:
            if has_photo_beside(path):
                raise
            yield path, error
        else:
            yield path, labels
