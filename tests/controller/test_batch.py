"""Jobs on several processes: all their results, or those that were done when somebody asked to stop."""

import multiprocessing
import os
import signal
import threading
from threading import Event

import pytest

from controller.batch import asked_to_stop, results


def half(number: int) -> int:
    """Half of an even number."""
    if number % 2:
        raise ValueError(f"{number} is odd")
    return number // 2


def first_only(number: int) -> int:
    """Never done but for 0."""
    if number:
        Event().wait()
    return number


def test_every_job_has_its_result_and_nothing_goes_on_after_the_last() -> None:
    jobs = [(number,) for number in range(0, 40, 2)]
    processes, threads = set(multiprocessing.active_children()), set(threading.enumerate())
    assert sorted(results(half, jobs, Event(), processes=2)) == list(range(20))
    assert set(multiprocessing.active_children()) <= processes
    assert set(threading.enumerate()) <= threads


def test_what_a_job_raises_is_raised() -> None:
    with pytest.raises(ValueError, match="7 is odd"):
        list(results(half, [(7,)], Event(), processes=1))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_what_was_done(number: signal.Signals) -> None:
    before = set(multiprocessing.active_children())
    handler = signal.getsignal(number)
    found = []
    with asked_to_stop() as stop:
        for result in results(first_only, [(job,) for job in range(8)], stop, processes=2):
            found.append(result)
            os.kill(os.getpid(), number)
        assert stop.is_set()
    assert found == [0]
    assert signal.getsignal(number) is handler
    assert set(multiprocessing.active_children()) <= before
