"""The prints of score sheets that may lie on the table: our own, and those that an owner describes in files."""

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path

from hardware.kit.score_sheets import load_sheet_print
from vision.sheets.layout import SheetLayout, SheetLayoutError, parse_layout


def load_prints(others: Sequence[Path] = ()) -> tuple[SheetLayout, ...]:
    """Our own print and those in these TOML or JSON files.

    Raises:
        SheetLayoutError: a file does not describe one; names the file.
        OSError: a file cannot be read.
    """
    return (load_sheet_print().layout, *(load_layout(path) for path in others))


def load_layout(path: Path) -> SheetLayout:
    """The print that a TOML or JSON file describes. Raises SheetLayoutError and OSError."""
    text = path.read_bytes()
    try:
        data = json.loads(text) if path.suffix == ".json" else tomllib.loads(text.decode("utf-8"))
    except (json.JSONDecodeError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SheetLayoutError(f"{path.name}: neither JSON nor TOML: {error}") from error
    if not isinstance(data, dict):
        raise SheetLayoutError(f"{path.name}: a {type(data).__name__}; expected tables")
    return parse_layout(data, path.name)
