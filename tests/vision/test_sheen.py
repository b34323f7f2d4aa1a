"""Cards in sleeves that mirror a lamp are read where light lies over a part of each, and never as others."""

from functools import cache

import numpy as np
import pytest

from tests.benchmarks.simulated_pieces import FAMILIES, enrolled, photographs
from tests.long import cases
from tests.vision.altered import in_sleeves, some_sheen
from tests.vision.drawn_table import enrolled as enrolled_drawn
from tests.vision.drawn_table import without
from vision.pieces.faces import FacePack
from vision.pieces.features import LOG_FLOOR, PAPER_LEVEL
from vision.pieces.prepared import prepare
from vision.pieces.sheen import GAMMA, sheen
from vision.reports.compared import PhotoReport
from vision.reports.report import report_photo
from vision.scene import SURE, PieceKind

CARDS = FAMILIES["cards"]
IN_SLEEVES = 0.6
"""The share of the cards on which light lies."""


def read(seed: int, pack: FacePack, in_sleeves_share: float = IN_SLEEVES) -> PhotoReport:
    """What is read of a table of SLICE's cards, light lying on so many of them."""
    image, labels = photographs(CARDS, seed)
    rng = np.random.default_rng(seed)
    across = rng.uniform(0.0, np.pi)
    outlines = [np.array(piece["outline_px"]) for piece in labels["pieces"] if "outline_px" in piece]
    sheens = [some_sheen(rng, outline, across) if rng.random() < in_sleeves_share else None for outline in outlines]
    return report_photo(in_sleeves(image, outlines, sheens), labels, pack, f"cards-{seed}", near_mm=CARDS.near_mm)


@cases("seed", [5400, 5401, 5402], always=0)
def test_most_cards_in_sleeves_are_read_and_none_surely_as_another(seed: int) -> None:
    found = read(seed, enrolled(CARDS))
    sure = [match for match in found.matches if match.sighting.probability >= SURE]
    assert len([match for match in sure if match.right]) >= 0.75 * found.expected
    assert found.sure_but_wrong == 0


@cache
def half(odd: int) -> FacePack:
    pack = enrolled(CARDS)
    for name in [name for name in pack.names if not name.endswith("back")][odd::2]:
        pack = without(pack, name)
    return pack


@cases("seed", [5410, 5411, 5412], always=0)
def test_light_on_cards_that_were_never_enrolled_makes_no_more_of_them_others(seed: int) -> None:
    assert read(seed, half(seed % 2)).sure_but_wrong <= read(seed, half(seed % 2), 0.0).sure_but_wrong


@pytest.mark.parametrize("wide_mm", [8.0, 15.0])
def test_what_is_mirrored_is_told_from_print(wide_mm: float) -> None:
    """A slice with a band of light across: what is taken off is that, the more exactly the more of the face shows."""
    prepared = prepare(enrolled_drawn().kinds[PieceKind.SLICE])
    grid, face = prepared.full, 1
    away = (grid.points - grid.points.mean(0)) @ [0.6, 0.8]
    added = 0.25 * np.exp(-(away**2) / (2.0 * wide_mm**2))
    own = ((np.exp(grid.enrolled[face]) - LOG_FLOOR) / PAPER_LEVEL).clip(0.0) ** GAMMA
    seen = np.log(PAPER_LEVEL * (0.8 * own + added) ** (1 / GAMMA) + LOG_FLOOR)[None].astype(np.float32)
    over = sheen(seen, np.array([face]), grid)
    assert np.quantile(np.abs(over.taken_off(seen)[0] - grid.enrolled[face]), 0.9) < 0.06
    share = (0.8 * own / (0.8 * own + added + 1e-3)).mean(0)
    assert np.quantile(np.abs(over.own[0] - share), 0.9) < 0.12
