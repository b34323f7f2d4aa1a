"""Options of the tests."""

import pytest

from vision.threads import use_one_core


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--hardware", action="store_true", help="also test what is really wired to this machine")
    parser.addoption("--pulls", type=int, default=1, help="how often a board's cable is pulled (default 1)")


def pytest_configure(config: pytest.Config) -> None:
    """Tests run in as many processes as there are cores."""
    use_one_core()
