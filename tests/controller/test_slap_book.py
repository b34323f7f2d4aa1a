"""Which slaps belong together, and what is shown and written of them."""

import pytest

from controller.slap_book import SETTLED_S, SLAPS_S, SLAPS_SHOWN_S, SlapBook, burst_after
from controller.views import SlapsView
from firmware_bridge.signals import RingPlace, Signal, SignalKind, Stamp

TICKS_PER_S = 2_000_000


class Clock:
    """Stands still until told."""

    def __init__(self) -> None:
        self.now_s = 50.0

    def __call__(self) -> float:
        return self.now_s


def slap(seat: int, at_s: float, boot: int = 1, early_s: float = 0.0, epoch: int = 7) -> Signal:
    stamp = Stamp(boot, round(at_s * TICKS_PER_S), round(early_s * TICKS_PER_S))
    return Signal(seat, SignalKind.PAD_PRESSED, at_s, 0.001, stamp=stamp, place=RingPlace(epoch, 1))


def add(book: SlapBook, one: Signal) -> None:
    book.turn_to(burst_after(book.burst, one))


def test_first_by_a_margin() -> None:
    clock = Clock()
    book = SlapBook(clock)
    assert book.shown is None
    assert book.to_write is None
    add(book, slap(3, 10.0))
    assert book.shown == SlapsView(number=1, seats=[3], first=[3], margin_us=None)
    add(book, slap(5, 10.000412))
    assert book.shown == SlapsView(number=1, seats=[3, 5], first=[3], margin_us=412.0)
    assert book.to_write is None, "others may follow"
    clock.now_s += SETTLED_S
    found = book.to_write
    assert found == {"burst": 1, "seats": [3, 5], "first": [3], "margin_us": 412.0}
    book.written(found)
    assert book.to_write is None
    clock.now_s += SLAPS_SHOWN_S
    assert book.shown is None


def test_a_tie() -> None:
    book = SlapBook(Clock())
    add(book, slap(6, 10.0))
    add(book, slap(2, 10.000007))
    assert book.shown == SlapsView(number=1, seats=[6, 2], first=[6, 2], margin_us=7.0)


def test_a_slap_that_came_late_counts_and_is_written_again() -> None:
    clock = Clock()
    book = SlapBook(clock)
    add(book, slap(4, 10.2))
    clock.now_s += SETTLED_S
    first = book.to_write
    add(book, slap(1, 10.3))
    book.written(first)
    assert book.to_write == {"burst": 1, "seats": [4, 1], "first": [4], "margin_us": 100_000.0}


@pytest.mark.parametrize(
    "later", [slap(1, 10.0 + SLAPS_S + 0.001), slap(1, 10.5, boot=2), slap(1, 10.5, epoch=8)]
)  # fmt: skip
def test_slaps_that_do_not_belong_together(later: Signal) -> None:
    clock = Clock()
    book = SlapBook(clock)
    add(book, slap(4, 10.0))
    clock.now_s += SLAPS_SHOWN_S + 1
    add(book, later)
    assert book.shown == SlapsView(number=2, seats=[1], first=[1], margin_us=None)


def test_a_slap_that_changes_nothing_leaves_the_burst_as_it_is() -> None:
    burst = burst_after(burst_after(None, slap(4, 10.0)), slap(2, 10.1))
    assert burst_after(burst, slap(4, 10.2)) is burst
    assert burst_after(burst, slap(4, 9.999)) is not burst, "earlier than the first"


def test_a_book_that_goes_on_shows_what_was_not_written_yet_and_nothing_twice() -> None:
    clock = Clock()
    burst = burst_after(burst_after(None, slap(4, 10.0)), slap(2, 10.1))
    book = SlapBook(clock, burst)
    assert book.shown is not None
    clock.now_s += SETTLED_S
    verdict = book.to_write
    assert verdict is not None
    again = SlapBook(clock, burst, verdict)
    assert (again.shown, again.to_write) == (None, None)
    add(again, slap(5, 10.2))
    assert again.to_write == {"burst": 1, "seats": [4, 2, 5], "first": [4], "margin_us": 100_000.0}
    add(again, slap(5, 20.2))
    assert again.shown == SlapsView(number=2, seats=[5], first=[5], margin_us=None)
