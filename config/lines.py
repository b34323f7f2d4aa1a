"""Which line of a TOML file a key stands on, which `tomllib` does not tell."""

import re
import tomllib

Key = tuple[str, ...]
"""A dotted key, part by part: ("seats", "3", "name")."""

_HEADER = re.compile(r"\s*\[\[?\s*(?P<key>[^\]]+?)\s*\]\]?\s*(#.*)?$")
_PART = r"""[A-Za-z0-9_-]+|"[^"]*"|'[^']*'"""
_SETTING = re.compile(rf"\s*(?P<key>(?:{_PART})(?:\s*\.\s*(?:{_PART}))*)\s*=(?P<value>.*)", re.DOTALL)
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?(?:"""|\Z)'
    r"|'''.*?(?:'''|\Z)"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|[\[\]{}\n]",
    re.DOTALL,
)


_BARE = re.compile(r"\s*[\w.\-]+\s*=\s*([A-Za-z_][\w\- ]*?)\s*(#.*)?")
"""A setting whose value is text without quotes."""
_SLANTED = "“”„‘’"
"""Quotes as word processors write them."""


def syntax_problem(text: str, error: tomllib.TOMLDecodeError) -> tuple[int, str]:
    """The line (from 1) at which a TOML text cannot be read, and what is wrong with it, the line itself told."""
    at = re.search(r"at line (\d+)", str(error))
    number = int(at[1]) if at else text.count("\n") + 1
    lines = text.splitlines()
    line = lines[number - 1].strip() if number <= len(lines) else ""
    said = f"{error}: {line}" if line else str(error)
    bare = _BARE.fullmatch(line)
    if bare and bare[1].lower() in ("true", "false"):
        said += f"; expected {bare[1].lower()}, in small letters" if bare[1] != bare[1].lower() else ""
    elif bare:
        said += f'; expected text in quotes, "{bare[1]}"'
    elif any(quote in line for quote in _SLANTED):
        said += '; expected straight quotes, "'
    return number, said


def key_lines(text: str) -> dict[Key, int]:
    """The line, 1 upwards, of each table header and each key of a TOML text that `tomllib` accepts.

    Keys inside inline tables and elements of arrays are left out: they stand on the line of the key they belong to, or
    below it. A table without a header of its own stands where it is first mentioned; for an array of tables the last
    header counts.
    """
    lines: dict[Key, int] = {}
    table: Key = ()
    number = 1
    for statement in _statements(text):
        if header := _HEADER.match(statement):
            table = _parts(header["key"])
            for depth in range(1, len(table)):
                lines.setdefault(table[:depth], number)
            lines[table] = number
        elif setting := _SETTING.match(statement):
            key = table + _parts(setting["key"])
            for depth in range(len(table) + 1, len(key) + 1):
                lines.setdefault(key[:depth], number)
        number += statement.count("\n")
    return lines


def _parts(key: str) -> Key:
    return tuple(part.strip("\"'") for part in re.findall(_PART, key))


def _statements(text: str) -> list[str]:
    """The text cut after each newline that is in no string and no bracket."""
    statements = []
    start = depth = 0
    for token in _TOKEN.finditer(text):
        match token[0]:
            case "[" | "{":
                depth += 1
            case "]" | "}":
                depth -= 1
            case "\n" if depth == 0:
                statements.append(text[start : token.end()])
                start = token.end()
    return [*statements, text[start:]]
