"""What the table says of its microcontroller."""

import math
from dataclasses import replace

import pytest

from controller.board import BOUND_FALLS_S, SteadyBound, board_part, board_view, no_board
from controller.views import BoardView, PartState
from controller.wiring import board_lamps
from firmware_bridge.contacts import Contacts
from firmware_bridge.link import LinkStatus
from firmware_bridge.schema import Hello
from firmware_bridge.session import LinkState

HELLO = Hello(
    token=1, epoch=1, boot=1, cold_boots=7, warm_boots=2, cause=1, oldest=1, next=1, stuck=0, bridged=0, pads=0,
    knives=0, skewers=0, beam=0, spares=0,
)  # fmt: skip
CLOSED = Contacts(frozenset({2}), frozenset({5}), frozenset({1, 3}), True, frozenset())
READY = LinkStatus(LinkState.READY, "all is well", "/dev/b", HELLO, 0, 3, 0.0004, CLOSED)


class Clock:
    """Stands still until told."""

    def __init__(self) -> None:
        self.now_s = 50.0

    def __call__(self) -> float:
        return self.now_s


def view(status: LinkStatus, bound_us: int | None = 1000) -> BoardView:
    return board_view(status, emulated=False, clock_bound_us=bound_us, slaps=None)


# The board ------------------------------------------------------------------------------------------------------------


def test_everything_a_ready_board_says() -> None:
    board = view(READY)
    assert board == BoardView(
        link=LinkState.READY, words="all is well", port="/dev/b", emulated=False, starts=7, watchdog_resets=2,
        failed_pads=[], lost=0, clock_bound_us=1000, pads=[2], knives=[5], skewers=[1, 3], beam_broken=True, slaps=None,
    )  # fmt: skip
    part = board_part(board, starting=False)
    assert (part.state, part.note) == (PartState.OK, "")
    assert part.text == (
        "all is well, 7 starts, 2 by its watchdog since; signals lost: 0; its clock is known to 1 ms; /dev/b"
    )
    emulated = board_view(READY, emulated=True, clock_bound_us=10, slaps=None)
    part = board_part(emulated, starting=False)
    assert (part.note, part.text.startswith("the real firmware, emulated; ")) == ("", True)
    assert "known to 10 µs" in board_part(emulated, starting=False).text


def test_behind_a_boot_loader_no_reset_is_said_to_be_the_watchdogs() -> None:
    board = view(replace(READY, hello=replace(HELLO, cause=0)))
    assert (board.starts, board.watchdog_resets) == (7, None)
    assert board_part(board, starting=False).text.startswith("all is well, 7 starts; signals lost: 0")


def test_lost_signals_are_said() -> None:
    part = board_part(view(replace(READY, lost=12)), starting=False)
    assert (part.state, part.note) == (PartState.OK, "it had no room for 12 signals")


def test_pads_that_failed_the_self_test_are_named() -> None:
    board = view(replace(READY, hello=replace(HELLO, stuck=0b100, bridged=0b10000001)))
    assert board.failed_pads == [1, 3, 8]
    part = board_part(board, starting=False)
    assert part.state is PartState.LOST
    assert "the slap pads of seats 1, 3, 8 failed the self-test" in part.text


@pytest.mark.parametrize(
    ("state", "words", "said"),
    [
        (
            LinkState.NO_BOARD,
            "/dev/b: No such file",
            "cannot be reached: /dev/b: No such file. Pads, docks",
        ),
        (
            LinkState.GREETING,
            "it has not answered",
            "does not answer: it has not answered. Pads, docks",
        ),
        (
            LinkState.REFUSED,
            "flash the firmware",
            "has firmware of another version: flash the firmware.",
        ),
    ],
)
def test_trouble_is_said_in_words(state: LinkState, words: str, said: str) -> None:
    board = view(LinkStatus(state, words, "/dev/b", None, 0, 0, None), None)
    assert (board.starts, board.knives, board.pads, board.clock_bound_us) == (None, [], [], None)
    part = board_part(board, starting=False)
    assert part.state is PartState.LOST
    assert part.text.startswith(f"the microcontroller {said}")
    starting = board_part(board, starting=True).state
    assert starting is (PartState.LOST if state is LinkState.REFUSED else PartState.STARTING)


def test_no_board_is_shown_where_one_might_be_expected() -> None:
    assert no_board('serial.port is ""', simulated=False).note == ""
    part = no_board("simavr is not installed", simulated=True)
    assert (part.state, part.note) == (PartState.ABSENT, "")
    assert part.text == "without slap pads and docks, as no board is emulated here: simavr is not installed"


def test_the_bound_is_steady() -> None:
    clock = Clock()
    bound = SteadyBound(clock)
    assert bound.of(None) is None
    assert bound.of(0.0004) == 1000
    assert bound.of(0.00101) == 10_000
    clock.now_s += BOUND_FALLS_S
    assert bound.of(0.00002) == 10_000
    clock.now_s += 0.1
    assert bound.of(0.00002) == 100
    assert bound.of(math.inf) == 1_000_000
    assert bound.of(None) is None


def test_lamps_on_the_board() -> None:
    assert board_lamps({}) == (0, 0)
    assert board_lamps({1: "on", 2: "off", 3: "blink", 8: "on", 9: "on"}) == (0b10000001, 0b100)
