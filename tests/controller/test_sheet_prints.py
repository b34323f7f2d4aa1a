"""Prints of score sheets in files: what is no description of one is refused, with the file's name."""

from pathlib import Path

import pytest

from controller.sheet_prints import load_layout
from vision.sheets.layout import SheetLayoutError


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("mine.json", b"", "no JSON: Expecting value; expected a JSON file"),
        ("mine.json", b"[]", "it holds no object; expected one that describes a score sheet"),
        ("mine.json", b"[" * 100000, "nested deeper than 40; expected a JSON file"),
        ("mine.json", b"9" * 5000, "a number of 5000 digits is too large, 18 are the most; expected a JSON file"),
        ("mine.json", b'{"sheet_mm": NaN}', "NaN is no JSON number; expected a JSON file"),
        ("mine.json", b'{"a": "K\xe4se"}', "byte 8 is not UTF-8; expected a JSON file"),
        ("mine.toml", b"\xff", "byte 0 is not UTF-8; expected a TOML file"),
        ("mine.toml", b"sheet_mm = ", "expected a TOML file"),
        ("mine.toml", b"a = " + b"[" * 100000, "expected a TOML file"),
    ],
)
def test_a_file_that_describes_no_sheet_is_named(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(SheetLayoutError) as caught:
        load_layout(path)
    assert str(caught.value).startswith(f"{name}: ")
    assert said in str(caught.value)
