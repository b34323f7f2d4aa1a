"""The browser of these tests: one for all of a process."""

from collections.abc import Iterator

import pytest

from tests.browser.chromium import end_browser


@pytest.fixture(scope="session", autouse=True)
def one_browser() -> Iterator[None]:
    """The browser that the first test starts ends with the last."""
    yield
    end_browser()
