"""Debouncing as tables: what the contacts do, when somebody looks, and what the button is said to have done.

Times are milliseconds. An input is (time, level) for an edge, or (time, level, LOOK) for the level that is seen then.
The contacts are believed after 20 ms, a press is long after 1000 ms.
"""

from itertools import pairwise
from random import Random

import pytest

from firmware_bridge.signals import SignalKind
from hardware.debounce import Change, Debouncer

DOWN, UP = True, False
LOOK = "look"
PRESSED, RELEASED, HELD = SignalKind.BUTTON_PRESSED, SignalKind.BUTTON_RELEASED, SignalKind.BUTTON_HELD
BOUNCE_MS, HELD_MS = 20, 1000
Input = tuple[float, bool] | tuple[float, bool, str]


def run(inputs: list[Input]) -> list[Change]:
    debouncer = Debouncer(BOUNCE_MS / 1000, HELD_MS / 1000)
    said: list[Change] = []
    for at_ms, level, *look in inputs:
        said += debouncer.settle(level, at_ms / 1000) if look else debouncer.edge(level, at_ms / 1000, 0.00005)
    return said


TABLE = [
    pytest.param([], [], id="nothing"),
    pytest.param([(0, DOWN), (200, UP)], [(0, PRESSED), (200, RELEASED)], id="clean"),
    pytest.param(
        [(0, DOWN), (1, UP), (3, DOWN), (200, UP), (204, DOWN), (209, UP)],
        [(0, PRESSED), (200, RELEASED)],
        id="bounces on both edges",
    ),
    pytest.param([(0, DOWN), (12, UP), (20, UP, LOOK)], [(0, PRESSED)], id="too early to believe"),
    pytest.param([(0, DOWN), (12, UP), (32, UP, LOOK)], [(0, PRESSED), (12, RELEASED)], id="let go within the bounce"),
    pytest.param([(0, DOWN), (12, UP), (40, DOWN)], [(0, PRESSED)], id="down again before anybody looked"),
    pytest.param([(0, DOWN), (20, UP), (40, DOWN)], [(0, PRESSED), (20, RELEASED), (40, PRESSED)], id="slow enough"),
    pytest.param([(100, DOWN, LOOK), (99, DOWN)], [(99, PRESSED)], id="an edge later than the look keeps its time"),
    pytest.param([(100, DOWN, LOOK), (110, DOWN, LOOK)], [], id="seen, but not for long enough"),
    pytest.param([(100, DOWN, LOOK), (121, DOWN, LOOK)], [(100, PRESSED)], id="a lost edge"),
    pytest.param([(100, DOWN, LOOK), (110, UP, LOOK), (140, UP, LOOK)], [], id="a flicker that had no edge"),
    pytest.param(
        [(0, DOWN), (999, DOWN, LOOK), (1000, DOWN, LOOK), (1500, DOWN, LOOK), (2000, UP)],
        [(0, PRESSED), (1000, HELD), (2000, RELEASED)],
        id="held, said once",
    ),
    pytest.param([(0, DOWN), (2000, DOWN, LOOK)], [(0, PRESSED), (1000, HELD)], id="held, noticed late"),
    pytest.param([(0, DOWN), (1005, UP)], [(0, PRESSED), (1000, HELD), (1005, RELEASED)], id="held, but let go"),
    pytest.param([(0, DOWN), (990, UP), (1500, UP, LOOK)], [(0, PRESSED), (990, RELEASED)], id="not quite held"),
    pytest.param(
        [(0, DOWN), (500, UP), (600, DOWN), (1500, DOWN, LOOK), (1600, DOWN, LOOK)],
        [(0, PRESSED), (500, RELEASED), (600, PRESSED), (1600, HELD)],
        id="each press has its own long",
    ),
    pytest.param(
        [(0, DOWN), (10, UP), (15, DOWN), (16, DOWN, LOOK), (1000, DOWN, LOOK)],
        [(0, PRESSED), (1000, HELD)],
        id="bounces do not shorten a long press",
    ),
    pytest.param([(0, DOWN), (1, DOWN), (300, UP), (301, UP)], [(0, PRESSED), (300, RELEASED)], id="edges told twice"),
]  # fmt: skip


@pytest.mark.parametrize(("inputs", "said"), TABLE)
def test_debounce(inputs: list[Input], said: list[tuple[int, SignalKind]]) -> None:
    assert [(round(1000 * change.time_s), change.kind) for change in run(inputs)] == said


def test_only_what_bounced_or_was_lost_is_uncertain() -> None:
    assert [change.uncertainty_s for change in run([(0, DOWN), (1500, DOWN, LOOK), (1600, UP)])] == [0.00005] * 3
    assert [change.uncertainty_s for change in run([(0, DOWN), (12, UP), (40, UP, LOOK)])] == [0.00005, 0.02]
    assert [change.uncertainty_s for change in run([(0, DOWN, LOOK), (40, DOWN, LOOK)])] == [0.02]


def test_presses_and_releases_take_turns_whatever_the_contacts_do() -> None:
    random = Random(5)
    for _ in range(300):
        at_ms = 0.0
        inputs: list[Input] = []
        for _ in range(100):
            at_ms += random.expovariate(1 / random.choice((1, 10, 300)))
            level = random.random() < 0.5
            inputs.append((at_ms, level, LOOK) if random.random() < 0.5 else (at_ms, level))
        rest = inputs[-1][1]
        inputs += [(at_ms + wait_ms, rest, LOOK) for wait_ms in (0, 20.001, 40.001, 60.001)]
        said = run(inputs)
        turns = [change.kind for change in said if change.kind is not HELD]
        assert turns[::2] == [PRESSED] * len(turns[::2])
        assert turns[1::2] == [RELEASED] * len(turns[1::2])
        assert len(turns) % 2 == rest
        assert all(first.time_s <= second.time_s for first, second in pairwise(said))
