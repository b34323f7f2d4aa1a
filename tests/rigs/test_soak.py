"""The table left on: what grows is told."""

from pathlib import Path

import pytest

from tests.rigs.running import Service
from tests.rigs.soak import ALLOWED, SETTINGS, Taken, growing, soak

STEADY = [Taken(500.0 + 5.0 * (number % 3), 16.0, 30.0 + number % 4) for number in range(80)]


def test_what_goes_up_and_down_does_not_grow() -> None:
    assert growing(STEADY) == []
    filling = [Taken(100.0 + 20.0 * number, 3.0, 10.0) for number in range(20)]
    assert growing([*filling, *STEADY[20:]]) == []


@pytest.mark.parametrize(("which", "told"), [(0, "memory_mb"), (1, "threads"), (2, "files")])
def test_what_grows_is_told(which: int, told: str) -> None:
    step = [0.0, 0.0, 0.0]
    step[which] = [0.4, 0.06, 0.15][which]
    leaking = [
        Taken(*(value + number * more for value, more in zip((500.0, 16.0, 30.0), step, strict=True)))
        for number in range(80)
    ]
    (said,) = growing(leaking, ALLOWED)
    assert said.startswith(told)


def test_a_table_is_looked_at_while_displays_come_and_go(tmp_path: Path) -> None:
    service, told = Service(tmp_path, "--speed", "5", settings=SETTINGS), list[str]()
    try:
        samples = soak(service, 0.05, told.append, every_s=1.0)
    finally:
        service.end()
    assert set(samples) == {"main", "vision", "people"}
    assert all(one[-1].memory_mb > 1.0 and one[-1].files >= 3.0 for one in samples.values())
    assert "journal" in told[-1]
