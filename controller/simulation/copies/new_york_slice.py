"""Our own copy of New York Slice."""

from collections.abc import Mapping

from controller.games.new_york_slice.components import load_components
from hardware.simulated.art import draw_all
from hardware.simulated.artwork import Artwork
from hardware.simulated.slice_art import SliceArt
from hardware.simulated.special_art import SpecialArt


def art(px_per_mm: float) -> Mapping[str, Artwork]:
    """Every face, drawn from the facts about its piece."""
    components = load_components()
    slices = [
        SliceArt(s.face, s.values or ((-3,) if s.anchovies else ()), s.pepperoni, s.anchovies, s.name)
        for s in components.slices
    ]
    specials = [SpecialArt(s.face, s.title, s.text, s.blue) for s in components.specials]
    return draw_all(slices, specials, px_per_mm)
