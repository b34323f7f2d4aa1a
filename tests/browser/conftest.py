"""The browser of these tests: one for all of a file."""

from collections.abc import Iterator

import pytest

from tests.browser.chromium import end_browser


@pytest.fixture(scope="module", autouse=True)
def one_browser() -> Iterator[None]:
    """The browser that a file's first test starts ends with its last."""
    yield
    end_browser()
