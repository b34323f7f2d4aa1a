"""The prints of score sheets that may lie on the table: our own, and those that an owner describes in files."""

import tomllib
from collections.abc import Sequence
from pathlib import Path

from controller.strict_json import NotStrictJson, parse_json
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
    content, language = path.read_bytes(), "JSON" if path.suffix == ".json" else "TOML"
    try:
        text = content.decode("utf-8")
        data = parse_json(text) if language == "JSON" else tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise SheetLayoutError(f"{path.name}: byte {error.start} is not UTF-8; expected a {language} file") from error
    except (NotStrictJson, tomllib.TOMLDecodeError) as error:
        raise SheetLayoutError(f"{path.name}: {error}; expected a {language} file") from error
    except RecursionError as error:
        raise SheetLayoutError(f"{path.name}: nested too deep; expected a {language} file") from error
    if not isinstance(data, dict):
        raise SheetLayoutError(f"{path.name}: it holds no object; expected one that describes a score sheet")
    return parse_layout(data, path.name)
