"""What is said of each place of the score sheets on a table, while people pencil on them."""

from collections.abc import Iterator, Sequence

import numpy as np

from controller.games.dice_and_slice.hands import Pencilled, read_front, standing
from hardware.simulated.lens import CameraModel
from hardware.simulated.renderer import Renderer
from hardware.simulated.world import PieceView, WorldSnapshot
from tests.benchmarks.simulated_sheets import open_places, over_sheets, places, printed
from tests.benchmarks.stays import WRONG, Stay, Stays
from vision.following.settling import remembered
from vision.reports.mark_report import MarkClaim, MarkPlace
from vision.scene import SURE, MarkKind, PieceKind, Scene, Sighting

NEAR_MM = 20.0
"""A sheet that is said to lie so near is that sheet."""


class Marks:
    """Compares what is said of every place that may be marked with what was pencilled there. A place is asked for once
    it has been as it is for REST_S, on a sheet that lies; where something is over it nothing that is said is wrong."""

    def __init__(self, renderer: Renderer, camera: CameraModel, stays: Stays) -> None:
        self._renderer = renderer
        self._camera = camera
        self._stays = stays

    def said(self, truth: WorldSnapshot, scene: Scene) -> Iterator[tuple[Stay, PieceView, MarkPlace, str]]:
        """Of each place that is asked for: its stay, its sheet, which it is, and what this picture says of it."""
        before = remembered(scene)
        for view in truth.pieces:
            if view.kind is PieceKind.SHEET and not view.lift_mm and view.holder is None:
                yield from self._of_sheet(view, truth, scene, before)

    def _of_sheet(
        self, view: PieceView, truth: WorldSnapshot, scene: Scene, before: Sequence[Sighting]
    ) -> Iterator[tuple[Stay, PieceView, MarkPlace, str]]:
        sheet = _there(view, scene.sightings)
        shown = sheet or _there(view, before)
        read = {(mark.kind, mark.at): mark for mark in shown.marks} if shown else {}
        there = {_place(mark) for mark in standing(read_front(view.face)[1]) if not mark.rubbed}
        opened = None
        for place in places(printed()):
            stay = self._stays.of(
                (view.piece_id, place), _what(place, place in there), (view.pose, place in there), truth.time_s
            )
            untold = shown is not None and place[0] is MarkKind.DIAGONAL and place not in read
            if untold or not stay.rests(truth.time_s):
                continue
            claim = MarkClaim(read[place], place in there) if place in read else None
            outcome = _outcome(claim, bool(truth.hands), sheet is None)
            if outcome in (*WRONG, "hidden without a hand"):
                opened = self._open(view, truth) if opened is None else opened
                if not opened[place]:
                    continue
            yield stay, view, place, outcome

    def _open(self, view: PieceView, truth: WorldSnapshot) -> dict[MarkPlace, bool]:
        """Of each place of a sheet whether nothing is over it."""
        dice = [other for other in truth.pieces if other.kind is PieceKind.DIE]
        over = over_sheets(self._camera, self._renderer.hiding(truth), dice)
        return {place: shows is True for place, shows in open_places(view.pose, self._camera, over).items()}


def _place(mark: Pencilled) -> MarkPlace:
    """A line that somebody drew between opposite corners is told as a diagonal."""
    aslant = mark.kind is MarkKind.LINE and (mark.at[:2], mark.at[2:]) in printed().diagonals
    return MarkKind.DIAGONAL if aslant else mark.kind, mark.at


def _what(place: MarkPlace, there: bool) -> str:
    return place[0].value if there else f"no {place[0].value}"


def _there(view: PieceView, sightings: Sequence[Sighting]) -> Sighting | None:
    """Which of these is that sheet."""
    place = np.array([view.pose.x_mm, view.pose.y_mm])
    sheets = [s for s in sightings if s.kind is PieceKind.SHEET]
    near = [s for s in sheets if np.linalg.norm(place - (s.pose.x_mm, s.pose.y_mm)) < NEAR_MM]
    return near[0] if near else None


def _outcome(claim: MarkClaim | None, hands: bool, is_past: bool) -> str:
    """One of OUTCOMES."""
    if claim is None:
        return "unsaid"
    if claim.mark.hidden:
        return "hidden" if hands else "hidden without a hand"
    sure = claim.sureness >= SURE
    if not claim.right:
        return "surely another" if sure else "another"
    return "remembered" if is_past else "right" if sure else "doubted"
