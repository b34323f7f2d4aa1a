"""What is said, picture by picture, of things that stay as they are until somebody touches them."""

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

REST_S = 0.6
"""A change that is not plain has to lie still for 0.35 s before it counts."""
OUTCOMES = ("right", "doubted", "remembered", "hidden", "hidden without a hand", "unsaid", "another", "surely another")
"""Read right surely, or doubtfully; known from before something moved there; said to be hidden, with a hand in the
picture or without; not said at all; said to be another."""
WRONG = ("unsaid", "another", "surely another")


@dataclass
class Stay:
    """Something that stays as it is until it is touched."""

    what: str
    """Of which kind it is."""
    state: Hashable
    since_s: float
    said: Counter[str] = field(default_factory=Counter)
    """How many pictures said what of it."""
    longest_s: dict[str, float] = field(default_factory=dict)
    """For how long at most the same was said of it, for each that was."""
    _now: tuple[str, float] = ("", 0.0)
    """What was said of it last, and since when."""

    def rests(self, time_s: float) -> bool:
        """Whether it can be asked for."""
        return time_s - self.since_s >= REST_S

    def count(self, outcome: str, time_s: float) -> None:
        """Count what one more picture says of it."""
        self.said[outcome] += 1
        if outcome != self._now[0]:
            self._now = outcome, time_s
        self.longest_s[outcome] = max(self.longest_s.get(outcome, 0.0), time_s - self._now[1])


class Stays:
    """Of one game."""

    def __init__(self) -> None:
        self._going_on: dict[Hashable, Stay] = {}
        self._over: list[Stay] = []

    def of(self, thing: Hashable, what: str, state: Hashable, time_s: float) -> Stay:
        """The stay of this thing; a new one where it is otherwise than it was."""
        stay = self._going_on.get(thing)
        if stay is None or stay.state != state:
            if stay is not None:
                self._over.append(stay)
            stay = self._going_on[thing] = Stay(what, state, time_s)
        return stay

    def asked_for(self) -> Iterator[Stay]:
        """Those of which anything was counted."""
        return (stay for stay in (*self._over, *self._going_on.values()) if stay.said)
