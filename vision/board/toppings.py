"""What lies on the spaces of a board."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.board.pose import BoardFit, print_at
from vision.board.record import HARDLY_APART, HARDLY_SURE, TOPPING_THICK_MM, BoardPrint, apart, topping_rings
from vision.board.sight import Sight, inside_any
from vision.frame import GAMMA
from vision.scene import EMPTY
from vision.shapes import place, to_own_frame
from vision.short_axes import dot, row_medians, total

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]

NOISE = 0.07
"""How far the colour of print and toppings strays under even light (logarithm)."""
POINT_LIMIT = 9.0
"""A point costs nothing more than this (in squared noises)."""
OTHER_COST = 5.0
"""What something unknown costs a point: more than the right thing, less than a wrong one."""
EVIDENCE = 0.15
"""How much of a point's cost counts as independent evidence."""
SHADE_SPREAD = 0.3
"""How far (logarithm) shadow and gloss change the brightness of a whole space."""
SPOT_SPREAD = 0.12
"""And that of parts of it: a stick's shadow is narrow."""
TINT_SPREAD = 0.1
SHEENS, SHEEN_SPREAD, SHEEN_FROM = (0.06, 0.12, 0.2, 0.3), 0.15, 3.0
"""Plastic mirrors so much of a lamp's light besides, as a share of what white throws back, and how much usually; looked
for where the best explanation costs more than the last. It makes a colour pale before it makes it white."""
LIGHT_TINT = (0.055, 0.085)
"""How much the light's tint (logarithm) may differ around a space from the board's: hardly ever more than the first,
never as much as the second."""
LEAST_SEEN = 0.1
"""So much of a space must be open to view for anything to be said about it."""
HARDLY_SEEN = 0.3
"""Where less than this is, nothing is surer than `HARDLY_SURE`. On 300 simulated tables 59 of 60 such toppings were
told rightly."""
REACH_MM = 5.0
"""A topping is looked for this far from the middle of its space."""
WINDOW_MM = 11.0
STEP_MM = 1.5
RIM_MM, RIM_POINTS = (1.5, 2.5, 3.5), 24
"""So far beyond a topping's edge it is looked whether it ends there, in so many directions."""
WIDER_SHARE, WIDER_SURE = 0.4, 0.4
"""What goes on beyond a topping's edge in so many of them is wider than one, as a bottle cap or a plate is: that a
topping lies there is no likelier then. Toppings of shared and path-traced pictures go on so in 0.27 of them at most."""
OUTER, FITS_PRINT, NARROW_SHARE, DOUBTFUL = 2, 4.0, 0.06, 0.85
"""And of what nothing is known to cover, but shows print on so much of a topping's outer rings, where print costs no
more than that: a coloured pencil shows it on both of its sides. Of toppings on simulated boards that lay open no more
than 0.05 of them showed print, of pencils over spaces 0.06 to 0.22."""
LEAST_RIM = 0.2
"""Where so little shows beside other toppings, nothing is told."""
LEAST_DISC = 0.3
"""So much of a topping's area must look like one for its place to be measured."""


@dataclass(frozen=True, slots=True)
class SpaceFit:
    """What lies on one space."""

    name: str
    contents: tuple[tuple[str, float], ...]
    """EMPTY and the colours with their likelihoods, most likely first; what they leave to 1 is something else. Nothing
    where the space cannot be seen."""
    at_mm: Array
    """Where the middle of the topping truly lies on the table, or else of the space."""
    seen: float
    """Share of it that no cutter covers."""
    cost: float = 0.0
    """What the likeliest costs there, as if all of it were seen."""
    wider: bool = False
    """Whether something wider or narrower than a topping seems to be one there."""

    @property
    def likely(self) -> str | None:
        """What most likely lies there; None where something else is likelier, or nothing can be said."""
        return self.contents[0][0] if self.contents and self.contents[0][1] >= 0.5 else None


def read_spaces(
    sight: Sight,
    board: BoardPrint,
    fit: BoardFit,
    covered: Sequence[Array] = (),
    only: Sequence[int] | None = None,
) -> tuple[SpaceFit, ...]:
    """What lies on each space, or on `only` some. `covered`: outlines, where they seem to lie at z = 0, of what lies
    over the board. Without colours nothing can be said of any."""
    plausible = _light_plausible(board, fit)
    if only is not None:
        if not only:
            return ()
        chosen = np.array(only, np.intp)
        names_of = tuple(board.space_names[i] for i in only)
        board, plausible = replace(board, space_names=names_of, spaces_mm=board.spaces_mm[chosen]), plausible[chosen]
    offsets = _offsets(sight, board, fit, covered)
    costs, seen = _costs(sight, board, fit, offsets, covered)
    names = (EMPTY, *board.toppings.names)
    most = np.where(seen >= HARDLY_SEEN, 1.0, HARDLY_SURE)
    wider = _wider(sight, board, fit, offsets, costs) >= WIDER_SHARE
    if board.cut_off:
        most = np.where(_hardly_told(board, costs[:, :-1].argmin(1)), HARDLY_SURE, most)
    fits = []
    for i, name in enumerate(board.space_names):
        ranked = (
            _ranked(costs[i], names, plausible[i], most[i]) if seen[i] >= LEAST_SEEN and sight.shows_colours else ()
        )
        lies = board.spaces_mm[i] + (offsets[i] if ranked and ranked[0][0] != EMPTY else 0.0)
        cost = float(costs[i].min() / max(seen[i], LEAST_SEEN))
        space = SpaceFit(name, ranked, place(lies[None], fit.pose)[0], float(seen[i]), cost)
        fits.append(_hardly_a_topping(space, WIDER_SURE) if wider[i] and ranked else space)
    return tuple(fits)


def _offsets(sight: Sight, board: BoardPrint, fit: BoardFit, covered: Sequence[Array]) -> Array:
    """How far the topping on each space lies from the space's middle (board's own frame); 0 where there is none."""
    steps = np.arange(-WINDOW_MM, WINDOW_MM + 0.1, STEP_MM)
    window = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    own = board.spaces_mm[:, None] + window
    topping, free = _like_topping(sight, board, fit, own, covered)
    offsets = np.zeros_like(board.spaces_mm)
    expected = np.pi * (board.topping_mm / 2) ** 2 / STEP_MM**2
    with_ones = np.column_stack([window, np.ones(len(window))])
    for _ in range(3):
        away = np.hypot(window[:, 0] - offsets[:, :1], window[:, 1] - offsets[:, 1:])
        inside = (away < board.topping_mm / 2 + 1.0) & free
        weight = topping & inside
        sums, open_sums = weight @ with_ones, inside @ with_ones
        # What is covered on one side only must not pull the middle to the other.
        open_middle = open_sums[:, :2] / np.maximum(open_sums[:, 2:], 1.0)
        moved = sums[:, :2] / np.maximum(sums[:, 2:], 1.0) - (open_middle - offsets)
        there = sums[:, 2:] > LEAST_DISC * expected
        offsets = np.where(there, np.clip(moved, -REACH_MM, REACH_MM), 0.0)
    return offsets


def _like_topping(
    sight: Sight, board: BoardPrint, fit: BoardFit, own: Array, covered: Sequence[Array]
) -> tuple[Flags, Flags]:
    """Which points (spaces x n x 2, own frame) look more like a topping than like the print, and which are open."""
    light = fit.light_at(own)
    high = sight.seen(_on_table(own, fit), fit.height_mm + TOPPING_THICK_MM)
    seen = sight.seen_colours(high) - light
    printed, known = print_at(board, own)
    metric = _shaded_metric()
    costs = [_cost(seen - board.toppings.colours[i].mean(0), metric) for i in range(len(board.toppings.names))]
    bare = np.where(known, _cost(seen - printed, metric), 2 * POINT_LIMIT)
    return np.asarray(np.min(costs, axis=0) < bare), ~inside_any(high, covered)


def _hardly_told(board: BoardPrint, likeliest: Indices) -> Flags:
    """On which spaces of a board that is cut off at white what is likeliest (0 nothing, 1 the first colour) hardly
    differs from nothing, or nothing from a topping, or from anything pale, as hands are."""
    rings = topping_rings(board.topping_mm)
    printed, _ = print_at(board, board.spaces_mm[:, None] + rings.reshape(-1, 2))
    alike = apart(printed[:, None], np.repeat(board.toppings.colours, rings.shape[1], axis=1)) < HARDLY_APART
    pale = apart(printed, board.colours.max((0, 1))) < HARDLY_APART
    return np.where(likeliest == 0, alike.any(1) | pale, alike[np.arange(len(alike)), likeliest - 1])


def _wider(sight: Sight, board: BoardPrint, fit: BoardFit, offsets: Array, costs: Array) -> Array:
    """The share of what lies right beyond the edge of a topping on each space, but for other toppings there, that looks
    more like a topping of the likeliest colour than like print, where its top and where the board's face would be seen,
    also under what covers the board. `costs` as for `_ranked`, of each space; 0 where no topping is likeliest."""
    shares = np.zeros(len(costs))
    topped = costs[:, 1:-1].min(1) < costs[:, [0, -1]].min(1)
    if not topped.any():
        return shares
    angles = np.linspace(0.0, 2 * np.pi, RIM_POINTS, endpoint=False)
    away = board.topping_mm / 2 + np.repeat(RIM_MM, RIM_POINTS)
    rim = away[:, None] * np.tile(np.column_stack([np.cos(angles), np.sin(angles)]), (len(RIM_MM), 1))
    at = (board.spaces_mm + offsets)[topped]
    own = at[:, None] + rim
    printed, known = print_at(board, own)
    known &= (np.linalg.norm(own[:, :, None] - at, axis=-1) > board.topping_mm / 2).all(-1)
    light, metric = fit.light_at(own), _shaded_metric()
    usual = np.stack([colour.mean(0) for colour in board.toppings.colours])
    middles = usual[costs[topped, 1:-1].argmin(1)][:, None]
    low, high = (
        sight.seen_colours(sight.seen(_on_table(own, fit), fit.height_mm + up)) - light
        for up in (0.0, TOPPING_THICK_MM)
    )
    bare = _cost(low - printed, metric)
    goes_on = known & (_cost(low - middles, metric) < bare) & (_cost(high - middles, metric) < bare)
    told = known.mean(1) >= LEAST_RIM
    shares[topped] = np.where(told, goes_on.sum(1) / np.maximum(known.sum(1), 1), 0.0)
    return shares


def narrow_ones_doubted(
    sight: Sight, board: BoardPrint, fit: BoardFit, spaces: Sequence[SpaceFit], *, fingers: bool
) -> tuple[SpaceFit, ...]:
    """The spaces as they were read, with what covers them known, but that what seems to be a topping there and shows
    print beside its middle is likelier something narrow; where `fingers` may leave no more of one, it is doubtful."""

    def is_narrow(space: SpaceFit) -> bool:
        open_topping = space.likely not in (None, EMPTY) and space.seen == 1.0
        return open_topping and _print_on_rim(sight, board, fit, space) > NARROW_SHARE

    sure = DOUBTFUL if fingers else WIDER_SURE
    return tuple(_hardly_a_topping(space, sure) if is_narrow(space) else space for space in spaces)


def _print_on_rim(sight: Sight, board: BoardPrint, fit: BoardFit, space: SpaceFit) -> float:
    """The share of the outer rings of the topping that seems to lie on a space that looks like print instead."""
    rings = topping_rings(board.topping_mm)
    own = to_own_frame(space.at_mm[None], fit.pose) + rings[-OUTER:].reshape(-1, 2)
    printed, known = print_at(board, own)
    known &= ~fit.hidden_at(own)
    if not known.any():
        return 0.0
    light, metric = fit.light_at(own), _shaded_metric()
    low, high = (
        sight.seen_colours(sight.seen(_on_table(own, fit), fit.height_mm + up)) - light
        for up in (0.0, TOPPING_THICK_MM)
    )
    colours = board.toppings.colours[board.toppings.names.index(str(space.likely)), -OUTER:]
    bare, lies = _cost(low - printed, metric), _cost(high - np.repeat(colours, rings.shape[1], axis=0), metric)
    return float((known & (bare < FITS_PRINT) & (bare < lies)).sum() / known.sum())


def _hardly_a_topping(space: SpaceFit, sure: float) -> SpaceFit:
    return replace(space, contents=tuple((name, share * sure) for name, share in space.contents), wider=True)


def _shaded_metric() -> Floats:
    """One over the covariance of colours whose brightness shadows may change."""
    shade = np.full((3, 3), SHADE_SPREAD**2)
    return np.asarray(np.linalg.inv(shade + np.eye(3) * NOISE**2), np.float32)


def _cost(residual: Floats, metric: Floats) -> Floats:
    return dot(residual @ metric, residual)


def _on_table(own: Array, fit: BoardFit) -> Array:
    return place(own.reshape(-1, 2), fit.pose).reshape(own.shape)


def _costs(
    sight: Sight, board: BoardPrint, fit: BoardFit, offsets: Array, covered: Sequence[Array]
) -> tuple[Array, Array]:
    """What EMPTY, each colour, and something else cost on each space (spaces x hypotheses), and the share seen."""
    rings = topping_rings(board.topping_mm)
    shape = (len(offsets), rings.shape[0] * rings.shape[1], 2)
    bare = (board.spaces_mm[:, None, None] + rings).reshape(shape)
    lying = ((board.spaces_mm + offsets)[:, None, None] + rings).reshape(shape)
    low = sight.seen(_on_table(bare, fit), fit.height_mm)
    high = sight.seen(_on_table(lying, fit), fit.height_mm + TOPPING_THICK_MM)
    free_low, free_high = ~inside_any(low, covered), ~inside_any(high, covered)
    printed, known = print_at(board, bare)
    plain = sight.seen_colours(low) - fit.light_at(bare) - printed
    noise = np.full(plain.shape, NOISE, np.float32)
    bare_known: Flags = np.asarray(free_low & known)
    costs = [_hypothesis(plain, noise, bare_known)]
    above = sight.seen_colours(high) - fit.light_at(lying)
    for colours, spread in zip(board.toppings.colours, board.toppings.spread, strict=True):
        expected, strays = (np.repeat(each, rings.shape[1], axis=0) for each in (colours, spread))
        wide = np.broadcast_to(np.hypot(strays, NOISE), above.shape)
        costs.append(_hypothesis(above - expected, wide, free_high))
    unlike = np.min(costs, axis=0) > SHEEN_FROM  # few spaces: what fits needs no sheen
    if unlike.any():
        white = float(board.toppings.colours.max())
        for cost, colours, spread in zip(costs[1:], board.toppings.colours, board.toppings.spread, strict=True):
            expected, strays = (np.repeat(each, rings.shape[1], axis=0) for each in (colours, spread))
            noise = np.broadcast_to(np.hypot(strays, NOISE), above[unlike].shape)
            for added in SHEENS:
                shiny = _hypothesis(above[unlike] - _in_sheen(expected, added, white), noise, free_high[unlike])
                cost[unlike] = np.minimum(cost[unlike], shiny + (added / SHEEN_SPREAD) ** 2)
    costs.append(EVIDENCE * OTHER_COST * free_high.sum(1))
    return np.stack(costs, axis=1), free_high.mean(1)


def _in_sheen(colours: Floats, added: float, white: float) -> Floats:
    """Colours (logarithms) as a picture shows them where so much light, of what `white` throws back, is mirrored."""
    return np.asarray(white + np.log(np.exp((colours - white) * GAMMA) + added) / GAMMA, np.float32)


def ring_cost(board: BoardPrint, which: int, seen: Floats) -> Array:
    """What it costs each of n places that a topping of one colour lies there. `seen`: n x points x 3 logarithms, light
    taken out, on a topping's rings (`vision.board.record.topping_rings`), all of them open to view."""
    looks = board.toppings
    times = seen.shape[1] // looks.colours.shape[1]
    expected, strays = (np.repeat(each[which], times, axis=0) for each in (looks.colours, looks.spread))
    noise = np.broadcast_to(np.hypot(strays, NOISE), seen.shape)
    return _hypothesis(np.asarray(seen - expected, np.float32), noise, np.ones(seen.shape[:2], bool))


def same_cost(off: Floats, free: Flags) -> Array:
    """What it costs each of n places that it shows what it showed: n x points x 3 logarithms by which it is off, light
    taken out, and which of the points are open to view; infinite where too few are."""
    cost = _hypothesis(off, np.full(off.shape, NOISE, np.float32), free)
    return np.where(free.mean(1) < HARDLY_SEEN, np.inf, cost)


def even_cost(seen: Floats) -> Array:
    """What it costs each of n places that even ground of any colour shows there, seen as for `ring_cost`."""
    middles = row_medians(np.ascontiguousarray(np.swapaxes(seen, 1, 2)))
    residual = np.asarray(seen - middles[:, None], np.float32)
    return _hypothesis(residual, np.full(seen.shape, NOISE, np.float32), np.ones(seen.shape[:2], bool))


def _hypothesis(residual: Floats, noise: Floats, free: Flags) -> Array:
    """What one explanation costs each space, after the brightness and tint of the light there are taken out."""
    open_ones = np.where(free[..., None], residual, np.nan)
    with np.errstate(all="ignore"):
        middle = np.where(np.asarray(free.any(1))[:, None], _median(open_ones), 0.0)
    grey = middle.mean(-1, keepdims=True)
    tint = middle - grey
    share = SHADE_SPREAD**2 / (SHADE_SPREAD**2 + NOISE**2 / 4), TINT_SPREAD**2 / (TINT_SPREAD**2 + NOISE**2)
    shift = grey * share[0] + tint * share[1]
    left, precision = residual - shift[:, None], 1.0 / noise**2
    told = left * precision
    spots = total(told) ** 2 / (1.0 / SPOT_SPREAD**2 + total(precision))
    misses = (dot(left, told) - spots) / 3
    points = np.where(free, np.minimum(misses, POINT_LIMIT), 0.0).sum(1)
    return np.asarray(EVIDENCE * points + (grey[:, 0] / SHADE_SPREAD) ** 2 + ((tint / TINT_SPREAD) ** 2).sum(-1))


def _median(values: Floats) -> Floats:
    """The median over the second axis of what is finite."""
    ordered = np.sort(values, axis=1)
    count = np.isfinite(values[..., :1]).sum(1, keepdims=True)
    return np.asarray(np.take_along_axis(ordered, np.maximum(count - 1, 0) // 2, axis=1)[:, 0], np.float32)


def _light_plausible(board: BoardPrint, fit: BoardFit) -> Array:
    """How far (0 to 1) what makes the print around each space look otherwise can be light. Light and shadow have one
    tint all over the board; a hand over even print has another."""
    light = fit.light_at(board.spaces_mm)
    tint = light - light.mean(-1, keepdims=True)
    strays = np.linalg.norm(tint - np.median(tint, axis=0), axis=-1)
    low, high = (limit * board.richer for limit in LIGHT_TINT)
    return np.asarray(np.clip((high - strays) / (high - low), 0.0, 1.0), np.float64)


def _ranked(costs: Array, names: Sequence[str], plausible: float, most: float) -> tuple[tuple[str, float], ...]:
    weights = np.exp(-0.5 * (costs - costs.min()))
    shares = weights * (most / weights.sum())
    shares[names.index(EMPTY)] *= plausible
    order = np.argsort(-shares[:-1], kind="stable")
    return tuple((names[i], float(shares[i])) for i in order)
