"""A short run of what `make kill-signals` does for long: slaps at a table whose service is killed."""

from pathlib import Path
from random import Random

import pytest

from tests.rigs.emulation import CannotEmulate, build
from tests.rigs.kill_signals import kill


@pytest.mark.long
def test_no_slap_is_lost_or_written_twice_when_the_service_is_killed(tmp_path: Path) -> None:
    try:
        build()
    except CannotEmulate as error:
        pytest.skip(str(error))
    found = kill(3, Random(4), tmp_path)
    assert (found.kills, found.bursts > 2, found.slaps > 6) == (3, True, True)
    assert found.is_good, found
