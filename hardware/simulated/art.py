"""Our own printable art: slices of pizza, chalkboard Specials and their backs, drawn by program.

Every drawing is decided by its value and its face id alone, so that a print, the simulated table and a test
show the same picture.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from hardware.simulated.artwork import Artwork, Drawings
from hardware.simulated.slice_art import SLICE_BACK, SliceArt, draw_slice, draw_slice_back, recipe_of
from hardware.simulated.special_art import SPECIAL_BACK, SpecialArt, draw_special, draw_special_back


def draw_all(slices: Iterable[SliceArt], specials: Iterable[SpecialArt], px_per_mm: float) -> Mapping[str, Artwork]:
    """Every face and both backs, by face id. Each is drawn when it is first asked for.

    Raises:
        ValueError: a slice of a value that there is no art for.
    """
    drawers: dict[str, Callable[[], Artwork]] = {
        SLICE_BACK: partial(draw_slice_back, px_per_mm),
        SPECIAL_BACK: partial(draw_special_back, px_per_mm),
    }
    for art in slices:
        for value in art.values:
            recipe_of(value)
        drawers[art.face] = partial(draw_slice, art, px_per_mm)
    for special in specials:
        drawers[special.face] = partial(draw_special, special, px_per_mm)
    return Drawings(drawers)
