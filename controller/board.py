"""The microcontroller as the table shows it: how its line is, what its docks hold."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from controller.views import BoardView, PartState, PartView, SlapsView
from firmware_bridge.contacts import failed_pads
from firmware_bridge.session import LinkState

if TYPE_CHECKING:
    from firmware_bridge.link import LinkStatus

EMULATED = "the real firmware, emulated"
_WITHOUT = "Pads, docks and the dice tower are not heard until it is back; nothing that it keeps is lost."
_TOLD = {
    LinkState.CLOSED: "is not connected",
    LinkState.NO_BOARD: "cannot be reached",
    LinkState.GREETING: "does not answer",
    LinkState.REFUSED: "has firmware of another version",
    LinkState.READY: "answers",
}
BOUND_FALLS_S = 10.0
"""A bound is called smaller when it has been so for this long: displays are told nothing new twice a second."""
_BOUNDS_US = (10, 100, 1000, 10_000, 100_000, 1_000_000)


class SteadyBound:
    """The clock's bound as it is shown: rounded up to a power of ten, larger at once, smaller after a while."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._shown_us: int | None = None
        self._needed_s = 0.0

    def of(self, bound_s: float | None) -> int | None:
        """What to show for a bound of now."""
        if bound_s is None:
            self._shown_us = None
            return None
        now_s, bound_us = self._clock(), bound_s * 1e6
        rounded_us = next((step for step in _BOUNDS_US if step >= bound_us), _BOUNDS_US[-1])
        if self._shown_us is None or rounded_us >= self._shown_us or now_s - self._needed_s > BOUND_FALLS_S:
            self._shown_us, self._needed_s = rounded_us, now_s
        return self._shown_us


def board_view(
    status: "LinkStatus", *, emulated: bool, clock_bound_us: int | None, slaps: SlapsView | None
) -> BoardView:
    """All that there is to say of a board."""
    hello, closed = status.hello, status.contacts
    return BoardView(
        link=status.state,
        words=status.words,
        port=status.port,
        emulated=emulated,
        starts=hello.cold_boots if hello else None,
        watchdog_resets=hello.warm_boots if hello and hello.cause else None,
        failed_pads=failed_pads(hello) if hello else [],
        lost=status.lost,
        clock_bound_us=clock_bound_us,
        pads=sorted(closed.pads) if closed else [],
        knives=sorted(closed.knives) if closed else [],
        skewers=sorted(closed.skewers) if closed else [],
        beam_broken=closed is not None and closed.is_beam_broken,
        slaps=slaps,
    )


def board_part(board: BoardView, *, starting: bool) -> PartView:
    """The same in a few words; `starting`: it has not been ready yet, and need not be."""
    if board.link is LinkState.READY:
        return _ready(board)
    if starting and board.link is not LinkState.REFUSED:
        return PartView(state=PartState.STARTING, text="the microcontroller is starting")
    remedy = "" if board.link is LinkState.REFUSED else f" {_WITHOUT} `pizzatable doctor` says more."
    return PartView(state=PartState.LOST, text=f"the microcontroller {told_link(board.link)}: {board.words}.{remedy}")


def told_link(state: LinkState) -> str:
    """What a board does, as people say it."""
    return _TOLD[state]


def no_board(reason: str, *, simulated: bool) -> PartView:
    """A table without a microcontroller, and why: said where a table is set up, as players miss nothing."""
    text = f"without slap pads and docks, as no board is emulated here: {reason}" if simulated else reason
    return PartView(state=PartState.ABSENT, text=text)


def _ready(board: BoardView) -> PartView:
    if board.failed_pads:
        seats = ", ".join(map(str, board.failed_pads))
        text = (
            f"the slap pads of seats {seats} failed the self-test: pressed, shorted or touching one another. They are "
            "tested anew every few seconds until they are free."
        )
        return PartView(state=PartState.LOST, text=text)
    resets = board.watchdog_resets
    about = [
        f"{board.words}, {board.starts} starts" + ("" if resets is None else f", {resets} by its watchdog since"),
        f"signals lost: {board.lost}",
        f"its clock is known to {_bound_text(board.clock_bound_us)}",
        board.port,
    ]
    if board.emulated:
        about.insert(0, EMULATED)
    note = f"it had no room for {board.lost} signals" if board.lost else ""
    return PartView(state=PartState.OK, text="; ".join(about), note=note)


def _bound_text(bound_us: int | None) -> str:
    if bound_us is None:
        return "nothing yet"
    return f"{bound_us} µs" if bound_us < 1000 else f"{bound_us / 1000:g} ms"
