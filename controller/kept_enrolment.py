"""What an owner has said of pieces, kept beside the file of faces as it is said: naming goes on where it was left."""

import base64
import contextlib
import fcntl
import math
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from config.counted import counted
from config.os_errors import reason
from controller.enrolling import Naming, Spread, as_text
from controller.whose_faces import GameFaces, some
from vision.enrolling.by_hand import outlined
from vision.enrolling.laid_out import LaidOut
from vision.files.board_marks import MARKS
from vision.files.label_kinds import LABEL_KINDS, LabelError
from vision.files.labels import check_size, load_labels
from vision.files.photos import load_photo
from vision.files.whole_files import write_whole
from vision.frame import Image
from vision.pieces.faces import FacePack, FacePackError, load_pack, save_pack
from vision.scene import PieceKind
from vision.shapes import FULL_TURN_DEG

SEEN, SEEN_PX, SEEN_LEVELS = "seen", (64, 36), 3
"""Under this key stands the photo in few grey pixels; another photo of its name differs by more levels in one. Decoders
differ by less."""
SAME_PLACE_MM = 8.0
"""A piece so near to where one was named is that one, found again."""


_ZIP = b"PK"
"""So a file of faces begins, in every version."""


class NamesNotHere(LabelError):
    """Names that were given before are of photos that are not here: they would be written over."""


class FacesNotHere(LabelError):
    """Faces that were learned before are of photos that are not here: they would be written over."""


class KeptElsewhere(LabelError):
    """Another program keeps what is said of pieces in the same files, or this one may not."""


@dataclass(frozen=True, slots=True)
class KeptEnrolment:
    """The files beside a file of faces."""

    out: Path
    """The file of faces."""

    @property
    def labels_file(self) -> Path:
        """The names, as `pizzatable enrol --labels` takes them."""
        return self.out.with_suffix(".labels.json")

    @property
    def folder(self) -> Path:
        """Photos that were taken while pieces were named."""
        return self.out.with_name(f"{self.out.stem}-photos")

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Keep these files to this program while the block runs: two pages would write over each other's names.

        Raises:
            KeptElsewhere: another page has them, or they cannot be written.
        """
        path = self.out.with_suffix(".labels.lock")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("wb")
        except OSError as error:
            expected = "expected a file of faces that can be written"
            raise KeptElsewhere(f"{self.out}: cannot be written: {reason(error)}; {expected}") from error
        with file:
            if not _is_ours(file.fileno(), path):
                raise KeptElsewhere(
                    f"{self.out}: another page of `pizzatable enrol` is open for it; expected that one to be used, or "
                    "ended, or another --out"
                )
            try:
                yield
            finally:
                path.unlink(missing_ok=True)

    def labels(self) -> list[dict[str, Any]]:
        """What was kept, a photo each; nothing where there is no such file. Raises LabelError, OSError."""
        return load_labels(self.labels_file) if self.labels_file.exists() else []

    def keep(self, labels: Sequence[dict[str, Any]]) -> None:
        """Write all labels, in place of what was kept. Raises OSError."""
        if labels:
            self.labels_file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self.labels_file, as_text(labels).encode())
        else:
            self.labels_file.unlink(missing_ok=True)

    def photo(self, name: str) -> Path:
        """Where a photo of this name is kept."""
        return self.folder / name

    def new_name(self, others: Sequence[str]) -> str:
        """A name for a photo, that no other has and no file."""
        number = 1
        while (name := f"photo-{number}.png") in others or self.photo(name).exists():
            number += 1
        return name

    def taken(self, name: str) -> Image | None:
        """A photo that was kept; None where there is none of this name. Raises PhotoError."""
        path = self.photo(name)
        return load_photo(path) if Path(name).name == name and path.is_file() else None

    def keep_photo(self, name: str, image: Image) -> None:
        """Write a photo whole. Raises OSError."""
        path = self.photo(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, cv2.imencode(path.suffix, image)[1].tobytes())


def _is_ours(handle: int, path: Path) -> bool:
    """Whether a file that was opened can be held, and is still the one there. Where no file can be held, as on some
    network drives, nobody has it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(handle), path.stat())
    except (BlockingIOError, FileNotFoundError):
        return False
    except OSError:
        return True


def save_faces(pack: FacePack, out: Path, photos: Collection[str]) -> None:
    """Write what was learned from photos of these names, in place of what was learned before from some of them.

    Raises:
        FacesNotHere: the file has faces, learned from other photos, that this pack lacks, or is no file of faces.
        OSError: it cannot be read or written.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    if out.exists():
        _check_none_is_lost(pack, out, photos)
    save_pack(pack, out)


def _check_none_is_lost(pack: FacePack, out: Path, photos: Collection[str]) -> None:
    try:
        before = load_pack(out)
    except FacePackError as error:
        if out.read_bytes()[: len(_ZIP)] == _ZIP or not out.stat().st_size:  # a damaged one, or an older version's
            return
        raise FacesNotHere(f"{out}: it is no file of faces and is not written over; expected another --out") from error
    elsewhere = sorted(set(before.source) - set(photos))
    lost = [
        face for kind, faces in before.enrolled.items() for face in faces if face not in pack.enrolled.get(kind, ())
    ]
    if elsewhere and lost:
        raise FacesNotHere(
            f"{out} has {counted(len(lost), 'face')} that no photo here shows ({some(lost)}), learned from "
            f"{some(elsewhere)}; expected that, too, another --out, or that file moved away: it would be lost"
        )


def pieces_again(one: Spread, labels: Mapping[str, Any], where: str) -> Spread:
    """A photo's pieces as labels have them: with those outlined by hand, which take the place of what was found there,
    with what was doubtful and has a name, and without those that are none. `where` names the labels. Raises
    LabelError."""
    pointed, removed, sure = list[LaidOut](), list[LaidOut](), list[LaidOut]()
    faces = [(n, label) for n, label in enumerate(labels.get("pieces", ()), 1) if label["kind"] in LABEL_KINDS]
    if any(label.get("corners_px") for _, label in faces):
        check_size(labels, one.image.shape[1], one.image.shape[0], f"{where}: {one.name}")
    for number, label in faces:
        if corners := label.get("corners_px"):
            at = f"{where}: piece {number} of {one.name}"
            pointed.append(outlined(corners, LABEL_KINDS[label["kind"]], one.registration, at))
        elif label.get("removed"):
            removed += _there(one, one.pieces, label)
        elif label.get("doubtful") and label["face"]:
            sure += _there(one, one.doubtful, label)
    gone = {id(piece) for piece in removed}
    gone |= {id(piece) for piece in one.pieces if any(map(piece.overlaps, pointed))}
    kept = [piece for piece in one.pieces if id(piece) not in gone]
    return replace(one, pieces=(*kept, *sure, *pointed), removed=tuple(removed))


def _there(one: Spread, pieces: Sequence[LaidOut], label: Mapping[str, Any]) -> list[LaidOut]:
    return [piece for piece in pieces if _away_mm(piece.as_label(one.registration), label) < SAME_PLACE_MM]


def names_again(one: Spread, labels: dict[str, Any]) -> tuple[list[Naming], int]:
    """The names that labels give to the pieces found in a photo, with their turns, and how many of them fit none."""
    names = [Naming("")] * len(one.pieces)
    found = [piece.as_label(one.registration) for piece in one.pieces]
    lost = 0
    for label in labels.get("pieces", ()):
        if label["kind"] not in LABEL_KINDS or label.get("removed"):
            continue
        away_mm, index = min(
            ((_away_mm(place, label), index) for index, place in enumerate(found)), default=(math.inf, 0)
        )
        if away_mm > SAME_PLACE_MM:
            lost += bool(label.get("face"))
            continue
        full_turn = FULL_TURN_DEG[LABEL_KINDS[label["kind"]]]
        turns = round((label["angle_deg"] - found[index]["angle_deg"]) / full_turn)
        names[index] = Naming(label.get("face", ""), int(turns * full_turn) % 360)
    return names, lost


def _away_mm(place: Mapping[str, Any], label: Mapping[str, Any]) -> float:
    """How far a found piece lies from a labelled one; of another kind infinitely far."""
    if place["kind"] != label["kind"]:
        return math.inf
    return math.hypot(place["x_mm"] - label["x_mm"], place["y_mm"] - label["y_mm"])


def seen_in(image: Image) -> str:
    """A photo in few grey pixels, row by row, by which it is known again; in base64."""
    return base64.b64encode(_small(image).tobytes()).decode("ascii")


def _small(image: Image) -> NDArray[np.uint8]:
    grey = cv2.cvtColor(cv2.resize(image, SEEN_PX, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    return np.asarray(grey, np.uint8).ravel()


def check_all_here(kept: KeptEnrolment, labels: Sequence[dict[str, Any]], photos: Mapping[str, Image]) -> None:
    """Check that every photo in which pieces are named, outlined or removed is here, by its name and by what it shows.
    Raises NamesNotHere."""
    for one in labels:
        named = sum(map(was_told, one.get("pieces", []))) or int(bool(one.get(MARKS)))
        image = photos.get(str(one.get("photo")))
        if not named or (image is not None and _is_same(one.get(SEEN), image)):
            continue
        pieces = "a piece" if named == 1 else f"{named} pieces"
        where, expected = f"{one.get('photo')}, which is not among the photos", "it, too"
        if image is not None:
            where, expected = f"another photo called {one.get('photo')}", "that one"
        raise NamesNotHere(
            f"{kept.labels_file} tells of {pieces} in {where}; expected {expected}, or another --out, as what it tells "
            "would be written over"
        )


def check_of_game(kept: KeptEnrolment, labels: Sequence[dict[str, Any]], game: GameFaces) -> None:
    """Check that the game has the pieces that somebody said something of, or the board. Raises NamesNotHere."""
    pieces = [piece for one in labels for piece in one.get("pieces", []) if was_told(piece)]
    told = [LABEL_KINDS[piece["kind"]] for piece in pieces if piece["kind"] in LABEL_KINDS]
    told += [PieceKind.BOARD for one in labels if one.get(MARKS)]
    if others := [kind.words for kind in told if kind not in game.kinds]:
        raise NamesNotHere(
            f"{kept.labels_file} tells of {counted(len(others), 'piece')} ({', '.join(sorted(set(others)))}) that "
            f"{game.game} does not have; expected --game to be the one whose pieces these are, or another --out, as "
            "what it tells would be written over"
        )


def was_told(piece: Mapping[str, Any]) -> bool:
    """Whether somebody said something of a labelled piece: its name, its corners, or that it is none."""
    return any(piece.get(key) for key in ("face", "corners_px", "removed"))


def _is_same(seen: object, image: Image) -> bool:
    """Whether a photo is the one that was kept; one of which nothing was kept is taken for it."""
    try:
        before = np.frombuffer(base64.b64decode(str(seen), validate=True), np.uint8)
    except ValueError:
        return True
    here = _small(image)
    return len(before) != len(here) or bool((cv2.absdiff(before, here) <= SEEN_LEVELS).all())
