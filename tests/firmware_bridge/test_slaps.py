"""Verdicts on slaps."""

import pytest

from firmware_bridge.signals import Signal, SignalKind, Stamp
from firmware_bridge.slaps import NotComparable, judge


def slap(seat: int, at_us: float, early_us: float = 0.0, boot: int = 1) -> Signal:
    # The times contradict the ticks: they must not matter.
    stamp = Stamp(boot, round(2 * at_us), round(2 * early_us))
    return Signal(seat, SignalKind.PAD_PRESSED, -at_us, 0.001, stamp=stamp)


@pytest.mark.parametrize(
    ("slaps", "seats", "first", "margin_us"),
    [
        ([slap(3, 100)], (3,), (3,), None),
        ([slap(3, 100), slap(1, 120)], (3, 1), (3,), 20.0),
        ([slap(3, 100), slap(1, 50)], (1, 3), (1,), 50.0),
        ([slap(3, 100), slap(1, 114.5)], (3, 1), (3, 1), 14.5),
        ([slap(3, 100), slap(1, 115)], (3, 1), (3,), 15.0),
        ([slap(3, 100), slap(1, 100)], (1, 3), (1, 3), 0.0),
        ([slap(2, 300), slap(3, 100), slap(1, 110), slap(4, 112)], (3, 1, 4, 2), (3, 1, 4), 10.0),
        ([slap(3, 100), slap(1, 120), slap(3, 90)], (3, 1), (3,), 30.0),
        ([slap(3, 100), slap(1, 9000, early_us=8950)], (3, 1), (3, 1), 8900.0),
        ([slap(3, 100), slap(1, 9000, early_us=8000)], (3, 1), (3,), 8900.0),
    ],
)
def test_verdicts(slaps: list[Signal], seats: tuple[int, ...], first: tuple[int, ...], margin_us: float | None) -> None:
    for order in (slaps, slaps[::-1]):
        verdict = judge(order)
        assert (verdict.seats, verdict.first, verdict.margin_us) == (seats, first, margin_us)
        assert verdict.tie is (len(first) > 1)


def test_a_coarser_resolution() -> None:
    assert judge([slap(1, 0), slap(2, 90)], resolution_us=100).tie
    assert not judge([slap(1, 0), slap(2, 95)], resolution_us=100).tie


@pytest.mark.parametrize("resolution_us", [0.0, 10.0, float("nan")])
def test_what_the_stamps_cannot_tell_apart(resolution_us: float) -> None:
    with pytest.raises(ValueError, match="expected more than"):
        judge([slap(1, 0)], resolution_us)


@pytest.mark.parametrize(
    "slaps",
    [
        [],
        [slap(1, 0), slap(2, 5, boot=2)],
        [Signal(1, SignalKind.PAD_RELEASED, 0.0, 0.0, stamp=Stamp(1, 5))],
        [Signal(1, SignalKind.PAD_PRESSED, 0.0, 0.0)],
    ],
)
def test_what_cannot_be_compared(slaps: list[Signal]) -> None:
    with pytest.raises(NotComparable, match="expected pressed pads"):
        judge(slaps)
