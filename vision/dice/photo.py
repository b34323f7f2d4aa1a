"""Ordinary dice alone in a photo, on a table with its mat or on none."""

from dataclasses import replace
from time import perf_counter

import numpy as np

from vision.dice.finder import DiceFinder, likely_first, side_mm
from vision.dice.finding import SeenDie, any_sizes_px, load_reader
from vision.frame import Image
from vision.hiding.cells import coarse_map
from vision.hiding.hidden import doubted_in_hands
from vision.mat.errors import MarkersMissing
from vision.mat.lens import ANY_CAMERA, AssumedFocal, Lens
from vision.mat.rectify import table_map
from vision.mat.registration import Registration, find_mat
from vision.pieces.from_above import FromAbove
from vision.scene import Origin, PieceKind, Pose, Scene, Sighting


class DicePhotos:
    """Reads photos of dice. Keeps nothing between them."""

    def __init__(self) -> None:
        self._reader = load_reader()
        self._finder = DiceFinder(self._reader)

    def read(
        self, image: Image, lens: Lens | None = None, assumed: AssumedFocal = ANY_CAMERA
    ) -> tuple[Scene, Registration | None]:
        """The dice, and where the mat lies; without one the scene is in pixels (`Origin.PICTURE`), outlines are those
        of the tops, and nothing is known of hands.

        Raises:
            RegistrationError: a mat shows, but not where it lies.
        """
        start = perf_counter()
        try:
            registration = find_mat(image, lens=lens, assumed=assumed)
        except MarkersMissing:
            seen = tuple(_in_pixels(die) for die in self._reader.find(image, any_sizes_px(image)))
            taken_ms = {self._finder.name: (perf_counter() - start) * 1e3}
            return Scene(0.0, 0, seen, (), 0.0, stage_ms=taken_ms, origin=Origin.PICTURE), None
        start = perf_counter()
        found = self._finder.find(image, registration, ())
        shares = self._finder.in_hand(image, registration, found)
        in_hand = {id(die): share for die, share in zip(found, shares, strict=True)}
        view = FromAbove(image, table_map(registration), registration)
        sightings = doubted_in_hands(found, in_hand, coarse_map(view.table), view.look.soft)
        taken_ms = {self._finder.name: (perf_counter() - start) * 1e3}
        return Scene(0.0, 0, sightings, (), 0.0, stage_ms=taken_ms), registration


def tops_in_picture(scene: Scene, registration: Registration | None) -> Scene:
    """A scene of dice with their tops in pixels, whether the mat shows or not."""
    if registration is None:
        return scene
    return replace(scene, sightings=tuple(_top_of(die, registration) for die in scene.sightings), origin=Origin.PICTURE)


def _in_pixels(die: SeenDie) -> Sighting:
    return Sighting(
        kind=PieceKind.DIE,
        pose=Pose(round(die.centre_px[0], 1), round(die.centre_px[1], 1), 0.0),
        faces=likely_first(die.likelihoods),
        face_up=True,
        visible=1.0,
        outline_mm=tuple((round(x, 1), round(y, 1)) for x, y in die.corners_px),
    )


def _top_of(die: Sighting, registration: Registration) -> Sighting:
    corners = registration.to_picture(registration.seen_from_table(np.array(die.outline_mm), side_mm(die)))
    x, y = (float(middle) for middle in corners.mean(0))
    return replace(die, pose=Pose(x, y, 0.0), outline_mm=tuple((float(a), float(b)) for a, b in corners))
