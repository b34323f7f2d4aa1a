"""A button's contacts made believable: the first edge counts at its own time, what bounces after it does not."""

import math
from dataclasses import dataclass

from firmware_bridge.signals import SignalKind


@dataclass(frozen=True, slots=True)
class Change:
    """Something that a button did."""

    kind: SignalKind
    time_s: float
    uncertainty_s: float


class Debouncer:
    """One button's. Times are monotonic seconds; edges come with their own, perhaps some milliseconds late.

    The first edge is believed at once. For `bounce_s` after it the contacts may do what they like; where they then rest
    is believed, at the time of the last edge that led there. A level that no edge told of (the kernel's queue can
    overflow) is believed when it has been seen for `bounce_s`.
    """

    def __init__(self, bounce_s: float, held_s: float) -> None:
        """A button that is up; down for `held_s` it counts as held."""
        self._bounce_s = bounce_s
        self._held_s = held_s
        self._down = False
        self._held = False
        self._changed_s = -math.inf
        self._changed_uncertainty_s = math.inf
        self._contact = False
        self._contact_s = -math.inf

    def edge(self, down: bool, time_s: float, uncertainty_s: float) -> list[Change]:
        """The contacts closed or opened; what that means for the button."""
        self._contact, self._contact_s = down, time_s
        if down == self._down or time_s - self._changed_s < self._bounce_s:
            return []
        return self._change(down, time_s, uncertainty_s)

    def settle(self, down: bool, now_s: float) -> list[Change]:
        """The contacts are seen closed or open now; what that means for the button, and whether it is held."""
        changes: list[Change] = []
        if down != self._contact:  # an edge that is still on its way, or was lost
            self._contact, self._contact_s = down, now_s
        elif down != self._down and now_s - max(self._contact_s, self._changed_s) >= self._bounce_s:
            # Bounces hid when exactly it happened.
            changes += self._change(down, self._contact_s, self._bounce_s)
        return changes + self._notice_held(now_s)

    def _change(self, down: bool, time_s: float, uncertainty_s: float) -> list[Change]:
        # A release may come before anybody looked whether the button was held.
        changes = [] if down else self._notice_held(time_s)
        self._down, self._held = down, False
        self._changed_s, self._changed_uncertainty_s = time_s, uncertainty_s
        kind = SignalKind.BUTTON_PRESSED if down else SignalKind.BUTTON_RELEASED
        return [*changes, Change(kind, time_s, uncertainty_s)]

    def _notice_held(self, now_s: float) -> list[Change]:
        if not self._down or self._held or now_s - self._changed_s < self._held_s:
            return []
        self._held = True
        return [Change(SignalKind.BUTTON_HELD, self._changed_s + self._held_s, self._changed_uncertainty_s)]
