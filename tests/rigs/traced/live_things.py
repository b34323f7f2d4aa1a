"""What is said of path-traced tables, followed live, on which household things are laid and taken away again.

Each table was rendered twice, with the things and without. It is watched at five pictures a second with fresh noise:
its pieces alone, then with all things, then without them.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from controller.cli.vision_report import learned_faces
from tests.rigs.traced.things_report import CAUSES, OUTLINED, Counts, Picture, as_text
from tests.vision.camera_noise import camera_noise
from vision.files.labelled import labelled
from vision.files.photos import load_with_focal, photo_beside
from vision.following.settling import changes
from vision.frame import Frame, Image
from vision.looking_for import finders_for
from vision.mat.errors import RegistrationError
from vision.pieces.faces import FacePack
from vision.reader import Reader
from vision.reports.report import PICTURES, SHEET_PICTURES
from vision.scene import HiddenCause, Scene, Sighting

EVERY_S = 0.2
BEFORE, LIES, AFTER = 11, 45, 12
"""Pictures without the things, with them, and without them again."""
NOISE = 1.5
"""Levels (of 255), besides what is in the pictures."""


@dataclass
class Watched:
    """What was said of some tables."""

    counts: Counts = field(default_factory=Counts)
    """At the end of the time in which things lay there."""
    pictures: Counter[int | None] = field(default_factory=Counter)
    """After so many pictures a thing was outlined, and stayed so; None: it was not at the end."""
    causes: Counter[HiddenCause] = field(default_factory=Counter)
    """Which was given where a thing is outlined."""
    meanwhile: list[str] = field(default_factory=list)
    """Claimed in any picture of a table at rest, and not at the end."""
    after: list[str] = field(default_factory=list)
    """What is otherwise at the end than before things were laid there."""


def live_things_report(folder: Path, bare: Path) -> dict[str, Watched]:
    """Watch every table of which `folder` has a picture with things, and `bare` the same without: game (its style) ->
    what was said."""
    packs: dict[str, FacePack] = {}
    found: dict[str, Watched] = {}
    for path, labels in labelled(folder, tuple(PICTURES)):
        without = bare / path.name
        if not labels.get("things") or labels["kind"] == SHEET_PICTURES or not without.exists():
            continue
        style = labels["style"]
        if style not in packs:
            packs[style] = learned_faces(folder, set(), style, labels["kind"])
        game = style.rstrip("0123456789")
        watched = found.setdefault(game, Watched())
        table, assumed = load_with_focal(photo_beside(without, labels))
        with_things, _ = load_with_focal(photo_beside(path, labels))
        reader = Reader(packs[style], finders=finders_for(PICTURES[labels["kind"]], packs[style]))
        pictures = [table] * BEFORE + [with_things] * LIES + [table] * AFTER
        scenes = []
        watched.counts.pictures += 1
        try:
            for number, image in enumerate(pictures):
                scenes.append(reader.read(Frame(_noisy(image, number), round(number * EVERY_S, 3), number, assumed)))
        except RegistrationError as error:
            watched.counts.refused.append(f"{path.stem}: {error}")
            continue
        _count(watched, path.stem, labels, with_things, scenes, reader)
    return found


def as_live_text(found: Mapping[str, Watched]) -> str:
    """The figures of each game, and every fault."""
    lines = [as_text({game: watched.counts for game, watched in found.items()})]
    for game, watched in found.items():
        after = ", ".join(f"{many} after {at}" for at, many in sorted(watched.pictures.items(), key=str))
        causes = ", ".join(f"{many} {cause.value}" for cause, many in watched.causes.items())
        lines.append(f"{game}: things outlined after so many pictures: {after}; {causes}")
        lines += ["  meanwhile: " + one for one in watched.meanwhile]
        lines += ["  taken away again: " + one for one in watched.after]
    return "\n".join(lines)


def _noisy(image: Image, number: int) -> Image:
    return np.asarray(np.clip(image + camera_noise(image.shape, NOISE, number) + np.float32(0.5), 0, 255), np.uint8)


def _count(
    watched: Watched, name: str, labels: Mapping[str, Any], image: Image, scenes: list[Scene], reader: Reader
) -> None:
    registration = reader.registration
    assert registration is not None  # all its pictures were read
    lain = scenes[BEFORE : BEFORE + LIES]
    pictures = [Picture(name, image, labels, scene, registration) for scene in lain]
    pictures[-1].count(watched.counts)
    for thing in range(len(labels["things"])):
        outlined = [picture.share_hidden(thing) >= OUTLINED for picture in pictures]
        missed = [i for i, is_outlined in enumerate(outlined) if not is_outlined]
        watched.pictures[None if not outlined[-1] else max(missed, default=-1) + 1] += 1
        if outlined[-1]:
            shares = {cause: pictures[-1].share_hidden(thing, cause) for cause in CAUSES}
            watched.causes[max(shares, key=lambda cause: shares[cause])] += 1
    at_rest = Counts()
    for picture, scene in zip(pictures, lain, strict=True):
        if scene.at_rest_s > 0:
            picture.count(at_rest)
    watched.meanwhile += sorted(set(at_rest.extra) - set(watched.counts.extra))
    before, after = scenes[BEFORE - 1], scenes[-1]
    for change in changes(before.sightings, after.sightings):
        watched.after.append(f"{name}: {_said(change.before)} is now {_said(change.after)}")
    was, now = (Picture(name, image, labels, scene, registration).hidden_cm2() for scene in (before, after))
    if abs(now - was) > 1:
        watched.after.append(f"{name}: {was:.0f} cm2 were hidden, {now:.0f} are")


def _said(seen: Sighting | None) -> str:
    return "nothing" if seen is None else f"{seen.kind.value} {seen.face} {seen.probability:.2f}"
