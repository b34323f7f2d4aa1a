"""The scanner that finds a key's line."""

import tomllib
from importlib import resources
from typing import Any

import pytest

from config.lines import Key, key_lines


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1\nb = 2\n", {("a",): 1, ("b",): 2}),
        ("\n\n[t]  # text\na = 1", {("t",): 3, ("t", "a"): 4}),
        ("[t.u]\na.b = 1", {("t",): 1, ("t", "u"): 1, ("t", "u", "a"): 2, ("t", "u", "a", "b"): 2}),
        ("a = [\n  1,  # ]\n  2,\n]\nb = 3", {("a",): 1, ("b",): 5}),
        ('a = """\nb = 1\n[c]\n"""\nd = 1', {("a",): 1, ("d",): 5}),
        ("a = '''\nb = 1\n'''\nd = 1", {("a",): 1, ("d",): 4}),
        ('a = "[ \\" {"\nb = 1', {("a",): 1, ("b",): 2}),
        ("a = '# ['\nb = 1", {("a",): 1, ("b",): 2}),
        ("# a = 1\n# [t]\nb = 1", {("b",): 3}),
        ('[t."u"]\n"a" = 1', {("t",): 1, ("t", "u"): 1, ("t", "u", "a"): 2}),
        ("[[t]]\na = 1\n[[t]]\na = 2", {("t",): 3, ("t", "a"): 2}),
        ("a = {b = 1}\nc = 2", {("a",): 1, ("c",): 2}),
        ("", {}),
    ],
)  # fmt: skip
def test_each_key_has_its_line(text: str, expected: dict[Key, int]) -> None:
    assert key_lines(text) == expected


def test_every_key_of_the_defaults_is_found() -> None:
    text = (resources.files("config") / "defaults.toml").read_text()
    lines = text.splitlines()
    found = key_lines(text)
    assert set(_keys(tomllib.loads(text))) <= set(found)
    assert all(key[-1] in lines[number - 1] for key, number in found.items())


def _keys(table: dict[str, Any], above: Key = ()) -> list[Key]:
    inner = [key for name, value in table.items() if isinstance(value, dict) for key in _keys(value, (*above, name))]
    return [(*above, name) for name in table] + inner
