"""Ctrl-C at a terminal, which interrupts every process of it at once: who started the others ends them."""

import contextlib
import signal
from collections.abc import Iterator
from multiprocessing import resource_tracker


@contextlib.contextmanager
def not_for_children() -> Iterator[None]:
    """What is started meanwhile, by this thread, is not interrupted: not even before it can say so itself, while Python
    starts. Nor is this thread until the end."""
    resource_tracker.ensure_running()  # which, when it starts, lets interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
