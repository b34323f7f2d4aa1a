"""The board's clock against known ones: offsets, rates, delays, jumps."""

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.clock import KEPT, TICK_S, ClockMap, ClockUnknown, Exchange, TickCounter
from tests.long import cases


class Resonator:
    """A board's counter that runs a little wrong, asked over a line whose delays differ."""

    def __init__(self, rate: float, offset_s: float, rng: Random) -> None:
        self._rate, self._offset_s, self._rng = rate, offset_s, rng

    def ticks(self, time_s: float) -> int:
        return math.floor((time_s - self._offset_s) * self._rate / TICK_S)

    def exchange(self, now_s: float) -> Exchange:
        there_s, back_s = (self._rng.expovariate(1 / 0.001) + 0.0001 for _ in range(2))
        return Exchange(self.ticks(now_s + there_s), now_s, now_s + there_s + back_s)


@pytest.mark.parametrize("rate", [1.0, 1.004, 0.996])
@cases("seed", range(3), always=1)
def test_the_error_stays_within_its_bound(rate: float, seed: int) -> None:
    rng = Random(seed)
    board = Resonator(rate, rng.uniform(-1e4, 1e4), rng)
    clock = ClockMap()
    now_s = 1000.0
    bounds_s = []
    for _ in range(2 * KEPT):
        clock.add(board.exchange(now_s))
        for when_s in (now_s - 0.3, now_s, now_s + 0.4):
            instant = clock.time_of(board.ticks(when_s))
            assert abs(instant.time_s - when_s) <= instant.bound_s
        bounds_s.append(clock.time_of(board.ticks(now_s)).bound_s)
        now_s += 0.5
    # A median exchange alone says it within 0.9 ms.
    assert max(bounds_s[KEPT:]) < 0.0005
    assert clock.exchanges == KEPT


def test_a_slow_way_back_costs_bound_and_not_truth() -> None:
    board = Resonator(1.0, 0.0, Random(1))
    clock = ClockMap()
    for turn in range(50):
        now_s = 10.0 + turn
        clock.add(Exchange(board.ticks(now_s + 0.0001), now_s, now_s + 0.02))
    instant = clock.time_of(board.ticks(60.0))
    assert abs(instant.time_s - 60.0) <= instant.bound_s
    assert 0.005 < instant.bound_s < 0.011


def test_a_clock_that_stood_still_is_believed_anew() -> None:
    board, later = Resonator(1.0, 0.0, Random(1)), Resonator(1.0, 3.0, Random(2))
    clock = ClockMap()
    for turn in range(40):
        clock.add(board.exchange(10.0 + turn / 2))
    clock.add(later.exchange(40.0))
    assert clock.exchanges == 1
    assert clock.time_of(later.ticks(40.0)).time_s == pytest.approx(40.0, abs=0.01)


def test_nothing_is_known_before_the_first_exchange() -> None:
    with pytest.raises(ClockUnknown, match="tick 5 has no time"):
        ClockMap().time_of(5)
    with pytest.raises(ClockUnknown):
        _ = ClockMap().newest_bound_s


def test_an_exchange_backwards() -> None:
    with pytest.raises(ValueError, match="expected no negative time"):
        ClockMap().add(Exchange(0, 2.0, 1.0))


@given(st.lists(st.integers(-(1 << 38), 1 << 38), max_size=30), st.integers(0, (1 << 40) - 1))
def test_the_counter_goes_on_over_every_turn(steps: list[int], start: int) -> None:
    counter = TickCounter()
    assert counter.extend(start >> 32, start & 0xFFFFFFFF) == start
    newest = start
    for step in steps:
        whole = max(newest + step, 0)
        newest = max(newest, whole)
        reading = whole % (1 << 40)
        assert counter.extend(reading >> 32, reading & 0xFFFFFFFF) == whole
