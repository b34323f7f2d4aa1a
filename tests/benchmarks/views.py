"""Where a stranger's camera may look from, and how a stranger may lay loose corners."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random

from hardware.simulated.surroundings import BY_HAND_MM, Conditions


def as_it_is(conditions: Conditions, rng: Random) -> Conditions:
    """As `Conditions.random` has it."""
    return conditions


@dataclass(frozen=True, slots=True)
class View:
    """What is otherwise than on most tables."""

    says: str
    change: Callable[[Conditions, Random], Conditions] = as_it_is
    near_mm: float = 0.0
    """So much farther from its place a piece may be seen: where corners lie beside theirs nothing tells the middle."""


VIEWS: Mapping[str, View] = {
    "usual": View("from above, 60 to 75 degrees wide"),
    "by-hand": View("loose corners, laid by hand", Conditions.with_corners_by_hand, near_mm=2 * BY_HAND_MM),
    "tilted": View("leaning by 25 degrees", lambda seen, _: replace(seen, tilt_deg=25.0)),
    "from-aside": View("leaning to the side by 20 degrees", lambda seen, _: replace(seen, pan_deg=20.0)),
    "upside-down": View("from the other side of the table", lambda seen, _: replace(seen, roll_deg=180.0)),
    "far": View("from 1.5 m, 45 degrees wide", lambda seen, _: replace(seen, height_mm=1500.0)),
    "wide": View("from 55 cm, 97 degrees wide", lambda seen, _: replace(seen, height_mm=550.0, k1=-0.03)),
    "bent": View("a lens that bends strongly", lambda seen, _: replace(seen, k1=-0.3, k2=0.09)),
    "wide-and-bent": View(
        "97 degrees, bending by a fifth", lambda seen, _: replace(seen, height_mm=550.0, k1=-0.2, k2=0.04)
    ),
}
"""By the name that a benchmark is given."""
