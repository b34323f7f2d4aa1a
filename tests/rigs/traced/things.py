"""Household things that do not belong on a game's table, and how some are strewn over a layout.

A thing is one or more bodies whose label has kind "thing", its name and its number in the picture.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tests.rigs.traced import flat_things, solid_things
from tests.rigs.traced.bodies import Body, Layout, generator
from tests.rigs.traced.resting import MAT_MM
from tests.rigs.traced.thing_parts import Part, Rng
from tests.rigs.traced.truth import THING

PLACES = ("pieces", "mat", "beside")
"""Where things lie: over pieces, on the bare mat, and on the table beside it."""
LARGE_MM = 70.0
"""Of things that reach farther from their middle a table has one at most."""
_MARKERS = [(172.0 * x, 172.0 * y) for x in (-1, 1) for y in (-1, 1)]
_CLEAR_MM = 34.0
"""So far from a marker's middle a thing ends: what covers markers is another question."""
_APART_MM = 14.0

THINGS: Mapping[str, Callable[[Rng, Layout], list[Part]]] = {
    "mug": solid_things.mug,
    "glass": solid_things.glass,
    "bottle": solid_things.bottle,
    "bottle cap": solid_things.bottle_cap,
    "tealight": solid_things.tealight,
    "ball": solid_things.ball,
    "bowl of crisps": solid_things.bowl,
    "pizza on a plate": solid_things.plate_with_pizza,
    "coaster": flat_things.coaster,
    "coins": flat_things.coins,
    "buttons": flat_things.button,
    "biscuit": flat_things.biscuit,
    "crisps": solid_things.crisps,
    "phone": flat_things.phone,
    "napkin": flat_things.napkin,
    "receipt": flat_things.receipt,
    "playing card": flat_things.playing_card,
    "other game's card": flat_things.other_games_card,
    "rules": flat_things.rules,
    "box lid": flat_things.box_lid,
    "notebook": flat_things.notebook,
    "sticky note": flat_things.sticker,
    "pen": solid_things.pen,
    "fork": solid_things.fork,
    "keys": solid_things.keys,
    "spectacles": solid_things.spectacles,
    "toy brick": solid_things.toy_brick,
    "toy car": solid_things.toy_car,
    "rubber band": solid_things.band,
}
"""Name -> how one of these is made for a layout."""


def strewn(layout: Layout, many: int) -> Layout:
    """The same layout with so many things of different kinds: over pieces, on the mat and beside it by turns.

    How its pieces are arranged is not said any more but for what lies on a board and on a sheet.
    """
    rng = generator("things", *layout.keys)
    names = [str(name) for name in rng.permutation(list(THINGS))]
    bodies = list(layout.bodies)
    taken: list[tuple[float, float, float]] = [(x, y, _CLEAR_MM - _APART_MM) for x, y in _MARKERS if layout.mat]
    number, larger = 0, False
    while number < many and names:
        name = names.pop()
        parts = THINGS[name](rng, layout)
        reach = max(float(np.hypot(*part.outline.T).max()) for part in parts)
        if larger and reach > LARGE_MM:
            continue
        at = _place(rng, layout, PLACES[number % len(PLACES)], reach, taken)
        if at is None:
            continue
        larger |= reach > LARGE_MM
        taken.append((*at, reach))
        turn = float(rng.uniform(0, 360))
        for part in parts:
            label = {"kind": THING, "thing": name, "number": number, "place": PLACES[number % len(PLACES)]}
            bodies.append(
                Body(label, *at, turn, part.outline, part.thickness, part.top, part.edge, part.mesh, finish=part.finish)
            )
        number += 1
    there = layout.arrangement
    kept: dict[str, Any] = {key: there[key] for key in ("sheet", "board", "spaces") if key in there}
    return replace(layout, name=f"things-{layout.name}", bodies=bodies, arrangement=kept, hand=False)


def _place(
    rng: Rng, layout: Layout, place: str, reach: float, taken: Sequence[tuple[float, float, float]]
) -> tuple[float, float] | None:
    """Where a thing so large finds room; None where it finds none."""
    half = layout.span_mm / 2
    pieces = [body for body in layout.bodies if body.label["kind"] != "board"] or list(layout.bodies)
    for _ in range(200):
        if place == "pieces":
            below = pieces[int(rng.integers(len(pieces)))]
            middle = below.on_table(below.outline).mean(0)
            x, y = middle + rng.normal(0, 9, 2)
        elif place == "mat":
            x, y = rng.uniform(-0.44, 0.44, 2) * MAT_MM
        else:
            x, y = rng.uniform(-1.5, 1.5) * half, rng.uniform(-0.85, 0.85) * half
            if max(abs(x), abs(y)) < MAT_MM / 2 + 0.6 * reach and layout.mat:
                continue
        if abs(x) > 1.6 * half or abs(y) > 0.9 * half:
            continue
        if place != "pieces" and any(_covers(body, float(x), float(y)) for body in layout.bodies):
            continue
        if all(math.hypot(x - u, y - v) > reach + other + _APART_MM for u, v, other in taken):
            return float(x), float(y)
    return None


def _covers(body: Body, x: float, y: float) -> bool:
    corners = body.on_table(body.outline)
    along, off = np.roll(corners, -1, 0) - corners, np.array([x, y]) - corners
    return bool((along[:, 0] * off[:, 1] - along[:, 1] * off[:, 0] > 0).all())
