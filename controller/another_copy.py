"""Whether what lies on a table is another copy than the one that was shown: nothing of it is read then."""

import numpy as np

from controller.views import PartState, PartView
from vision.scene import HiddenCause, PieceKind, Scene
from vision.shapes import polygon_area

TOLD_BY_FORM = frozenset({PieceKind.TOPPING, PieceKind.CUTTER, PieceKind.DIE, PieceKind.SHEET})
"""What is read without having been shown."""
AT_REST_S = 15.0
"""For so long the table has lain still before anything is said, after somebody laid something: before, there may be
nothing but what people brought."""
LEAST_MM2 = 15000.0
"""So much must be strange at least: more than a phone or a mug, less than a pizza, a board or a few cards."""
KNOWN = PartView(state=PartState.OK, text="no other copy's pieces lie on the table")


class AnotherCopy:
    """Looks, while a game with faces is judged, for a table on which nothing looks like any of them."""

    def __init__(self, game: str) -> None:
        """`game` by its name."""
        self._game = game
        self._said = False
        self._laid = False
        """Whether anybody has moved anything since it is judged."""

    def part(self, scene: Scene, *, judging: bool) -> PartView | None:
        """What is to be shown from now on; None where that stays as it is. Anything may lie there while no game is
        played, or it is paused."""
        self._laid = judging and (self._laid or scene.at_rest_s == 0)
        if not judging or any(seen.likely and seen.kind not in TOLD_BY_FORM for seen in scene.sightings):
            told, self._said = (KNOWN if self._said else None), False
            return told
        if self._said or not self._laid or scene.at_rest_s < AT_REST_S or _strange_mm2(scene) < LEAST_MM2:
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
