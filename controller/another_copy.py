"""Whether what lies on a table is another copy than the one that was shown: nothing of it is read then."""

import numpy as np

from controller.views import PartState, PartView
from vision.scene import HiddenCause, PieceKind, Scene
from vision.shapes import polygon_area

TOLD_BY_FORM = frozenset({PieceKind.TOPPING, PieceKind.CUTTER, PieceKind.DIE, PieceKind.SHEET})
"""What is read without having been shown."""
AT_REST_S = 5.0
"""For so long the table has lain still before anything is said."""
LEAST_MM2 = 4000.0
"""So much must be strange at least: about a slice, or a card."""
KNOWN = PartView(state=PartState.OK, text="no other copy's pieces lie on the table")


class AnotherCopy:
    """Looks, while a game is played with faces, for a table on which nothing looks like any of them."""

    def __init__(self, game: str) -> None:
        """`game` by its name."""
        self._game = game
        self._said = False

    def part(self, scene: Scene, *, playing: bool) -> PartView | None:
        """What is to be shown from now on; None where that stays as it is. While nobody is `playing` anything may lie
        there."""
        if not playing or any(seen.likely and seen.kind not in TOLD_BY_FORM for seen in scene.sightings):
            told, self._said = (KNOWN if self._said else None), False
            return told
        if self._said or scene.at_rest_s < AT_REST_S or _strange_mm2(scene) < LEAST_MM2:
            return None
        self._said = True
        return PartView(state=PartState.LOST, text=self._problem)

    @property
    def _problem(self) -> str:
        return (
            "nothing on the table looks like the pieces that were shown. Is it another copy? "
            f"`pizzatable enrol --game {self._game} --page` shows this one"
        )


def _strange_mm2(scene: Scene) -> float:
    """How much of the table is strange."""
    outlines = (place.outline_mm for place in scene.hidden if place.cause is HiddenCause.FOREIGN)
    return sum(abs(polygon_area(np.array(outline))) for outline in outlines)
