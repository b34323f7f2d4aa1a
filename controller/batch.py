"""Many jobs on several processes, with their results as they come, until all are done or somebody asks to stop."""

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.context import BaseContext
from threading import Event
from typing import Any, TypeVar

from hardware.interrupts import not_for_children

Result = TypeVar("Result")

_LOOKS_EVERY_S = 0.2
_SIGNAL_COMES_S = 1.0
_STOPS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def asked_to_stop() -> Iterator[Event]:
    """Set by Ctrl-C (SIGINT) or SIGTERM, which do nothing else meanwhile. For the main thread."""
    asked = Event()
    before = {number: signal.signal(number, lambda *_: asked.set()) for number in _STOPS}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def results(
    call: Callable[..., Result],
    jobs: Sequence[tuple[Any, ...]],
    stop: Event,
    *,
    processes: int,
    context: BaseContext | None = None,
    initializer: Callable[..., object] | None = None,
    initargs: tuple[Any, ...] = (),
) -> Iterator[Result]:
    """What `call` returns for each job's arguments, in the order in which they are done.

    Once `stop` is set only those come that are done already, and the processes are ended. What `call` raises is raised
    here.
    """
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(
        processes, mp_context=context, initializer=_start_worker, initargs=(initializer, initargs)
    )
    try:
        with not_for_children():
            waiting = {pool.submit(call, *job) for job in jobs}
        while waiting and not stop.is_set():
            done, waiting = wait(waiting, timeout=_LOOKS_EVERY_S, return_when=FIRST_COMPLETED)
            for one in done:
                yield one.result()
    except BrokenProcessPool:
        # Who stops a whole group of processes stops the workers as well, perhaps first.
        if not stop.wait(_SIGNAL_COMES_S):
            raise
    finally:
        for worker in set(multiprocessing.active_children()) - others:
            worker.kill()  # a signal that can be handled may come before the worker has put its handlers back
        # Python, as it ends, wakes the pool's thread through a pipe which that thread may be closing.
        pool.shutdown(wait=True, cancel_futures=True)


def _start_worker(initializer: Callable[..., object] | None, initargs: tuple[Any, ...]) -> None:
    """Who started the workers ends them."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if initializer is not None:
        initializer(*initargs)
