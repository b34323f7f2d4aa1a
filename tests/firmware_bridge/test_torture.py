"""A short run of what `make torture-link` does for hours, and the wrong lines it puts in between."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from firmware_bridge.signals import SignalKind
from tests.firmware_bridge.emulated_table import EmulatedTable
from tests.rigs.emulation import CannotEmulate, build
from tests.rigs.torture_link import FaultyLine, Report, Tortured, check_arrived, torture


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    try:
        build()
    except CannotEmulate as error:
        pytest.skip(str(error))


def test_nothing_is_lost_doubled_or_out_of_order(tmp_path: Path) -> None:
    """How often a board is reset or stands still is chance, also with the same seed; in four runs each happens."""
    happened: Counter[str] = Counter()
    for seed in range(5, 9):
        report, faults = torture(2500, Random(seed), tmp_path)
        assert report.events >= 2500
        assert min(faults.values()) > 10
        assert report.slowest_back_s < 2.0
        happened.update(resets=report.resets, unplugs=report.unplugs, stalls=report.stalls)
        if min(happened.values()):
            break
    assert min(happened.values()), happened


def test_the_rig_notices_what_is_wrong(tmp_path: Path) -> None:
    with EmulatedTable(tmp_path) as table:
        table.until_ready()
        table.edges([(0, "K0", 0)])
        with pytest.raises(Tortured, match="expected"):
            check_arrived(table, [(1, SignalKind.PAD_RELEASED)], Report())


def test_faults_change_what_passes() -> None:
    line = FaultyLine(Random(1))
    sent = bytes(range(256)) * 40
    passed = line(sent, 0.0) + line(b"", 1.0)
    assert passed != sent
    assert min(line.counts.values()) > 0
    assert FaultyLine(Random(1), rate=0.0)(sent, 0.0) == sent
