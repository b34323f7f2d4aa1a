"""Toppings of which fingers leave something open, where all of it was taken for what lies over the board.

Half a topping under a finger looks neither like print nor like any topping on its space. What lies over the board close
by tells how the finger looks: what looks more like a topping than like that is the topping.
"""

import numpy as np
from numpy.typing import NDArray

from vision.board.covering_light import Ground, Light, Look, shade_and_tint, strangeness
from vision.board.record import BoardPrint

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]

BESIDE_MM, LEAST_BESIDE, ENOUGH_BESIDE = 30.0, 12, 60
"""So far from a space what lies over the board between spaces tells how it looks, by so many points at least, and no
more are needed."""
LEAST_SHOWN = 0.3
"""Of so much of a topping's area more must look like one, and no more of what lies beside"""
MOST_MISTAKEN = 0.1
LIKER, MOST_ALIKE = 0.7, 0.15
"""A point looks like a topping that is so many times as far from it as that share of what lies beside, the most alike,
are at most."""
TINTED = (0.1, 0.35)
"""Tints (logarithm) of a topping stray by so much, or by that share of what they differ from print;"""
STRAY_SHADE = (0.6, 0.8)
"""brightness by so much above and, in the shadow of a hand, below."""
APART_SHADE, APART_TINT = 0.4, 0.08
"""How much brightness and tint (logarithms) of one thing differ."""


def toppings_shown(over: Flags, spots_mm: Array, board: BoardPrint, ground: Ground, look: Look, light: Light) -> Flags:
    """Which points of a board's ground, of those thought to lie `over` it, show a topping on one of its spaces, whose
    tops are seen at these spots (n x 2, own frame, on its face)."""
    over = over & look.inside
    shown = np.zeros(over.shape, bool)
    seen = look.seen.reshape(-1, 3)
    from_colours = _from_toppings(over, board, ground, look, light)
    for at in spots_mm:
        part = ground.around(at, BESIDE_MM)
        own = ground.own[part]
        away = np.hypot(own[..., 0] - at[0], own[..., 1] - at[1])
        disc, beside = away < board.topping_mm / 2, ground.between[part] & (away < BESIDE_MM)
        some, others = (ground.number[part][over[part] & where] for where in (disc, beside))
        least = max(int(LEAST_SHOWN * np.count_nonzero(disc)), 1)
        if len(some) < least or len(others) < LEAST_BESIDE:
            continue
        others = others[:: -(-len(others) // ENOUGH_BESIDE)]
        nearest = [LIKER * from_most_alike(seen[where], seen[others]) for where in (some, others)]
        best = some[:0]
        for from_colour in from_colours:
            like, mistaken = (from_colour[where] < near for where, near in zip((some, others), nearest, strict=True))
            if np.count_nonzero(like) > len(best) and mistaken.mean() <= MOST_MISTAKEN:
                best = some[like]
        if len(best) >= least:
            shown.reshape(-1)[best] = True
    return shown


def _from_toppings(over: Flags, board: BoardPrint, ground: Ground, look: Look, light: Light) -> list[Array]:
    """How far from what is seen at each point of a board's ground (row by row) some part of a topping of each colour
    looks; infinitely far where only other light could make it look so, and where nothing lies `over` the board."""
    slow, nothing = ground.slow[over], np.zeros((np.count_nonzero(over), 3), np.float32)
    lit = look.seen[over] - light.at(slow, nothing)
    found = []
    for rings in (board.toppings.colours - look.usual).astype(np.float32):
        as_print = rings + light.at(np.zeros((len(rings), slow.shape[-1])), rings)
        left = lit[:, None] - np.concatenate([rings, as_print])
        tint = max(TINTED[0], TINTED[1] * float(np.median(shade_and_tint(rings)[1])))
        apart = np.full(over.shape, np.inf)
        likely = strangeness(left, tint, STRAY_SHADE).min(1) < 1.0
        apart[over] = np.where(likely, _apart(left).min(1), np.inf)
        found.append(apart.reshape(-1))
    return found


def from_most_alike(colours: Floats, others: Floats) -> Array:
    """How far apart colours (n x 3) are from those others that are most like each."""
    return np.asarray(np.quantile(_apart(colours[:, None] - others), MOST_ALIKE, axis=1), np.float64)


def _apart(colours: Floats) -> Array:
    """How far apart colours are that differ by so much, in what those of one thing do."""
    shade, tint = shade_and_tint(colours)
    return np.asarray(np.hypot(shade / APART_SHADE, tint / APART_TINT), np.float64)
