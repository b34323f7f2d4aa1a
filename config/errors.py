"""What loading a table's settings can fail with.

ConfigError
├── ConfigUnreadable (OSError)     the file is not there or cannot be read
├── ConfigSyntaxError (ValueError) the file is no TOML
└── ConfigInvalid (ValueError)     settings are unknown, missing or wrong; lists them all
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


class ConfigError(Exception):
    """Root of everything that loading settings can fail with."""


class ConfigUnreadable(ConfigError, OSError):
    """The file is not there or cannot be read."""


class ConfigSyntaxError(ConfigError, ValueError):
    """The file is no TOML."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file a setting stands."""

    file: Path
    line: int
    """1 upwards."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Problem:
    """One wrong setting."""

    place: Place
    key: str
    """Dotted, such as seats.3.button_pin."""
    value: str
    """As it was written; empty where there is none."""
    problem: str
    """What was expected, or what it collides with."""

    def __str__(self) -> str:
        setting = f"{self.key} = {self.value}" if self.value else self.key
        return f"{self.place}: {setting}: {self.problem}"


class ConfigInvalid(ConfigError, ValueError):
    """Settings are unknown, missing or wrong."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = tuple(problems)
