"""Options of the tests."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--hardware", action="store_true", help="also test what is really wired to this machine")
    parser.addoption("--pulls", type=int, default=1, help="how often a board's cable is pulled (default 1)")
