"""The page on which an owner names the pieces of a copy: photos with what was found in them, names, a pack of faces."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

import cv2
from fastapi import APIRouter, FastAPI, HTTPException, Response
from pydantic import BaseModel, Field

from config.os_errors import in_words
from controller.enrolling import Learned, Naming, Spread, label_of, learn, preview, spread
from controller.kept_enrolment import (
    SEEN,
    KeptEnrolment,
    check_all_here,
    check_of_game,
    names_again,
    pieces_again,
    save_faces,
    seen_in,
)
from controller.web.app import Body, Whole, app_of_page, host_only
from controller.web.bodies import StrictRoute
from controller.web.responses import NO_STORE
from controller.whose_faces import GameFaces
from hardware.camera import CameraError
from vision.enrolling.by_hand import CORNERS, corners_px, outlined
from vision.enrolling.laid_out import LaidOut
from vision.files.board_marks import FAR_PX
from vision.files.label_kinds import LabelError, with_article
from vision.files.whole_files import write_whole
from vision.frame import Image
from vision.mat.errors import VisionError
from vision.mat.lens import Lens
from vision.shapes import FULL_TURN_DEG

Pixel = Annotated[float, Field(ge=-FAR_PX, le=FAR_PX, allow_inf_nan=False)]
Place = Annotated[str | None, Field(max_length=40)]
"""The piece's own, as the page showed it: it is another's number if outlines were changed on another page since."""
ELSEWHERE = "it was changed on another page; nothing is done: look at what is shown now"
HOW_TOPS = "it is up in the card's picture, or press “turn by a quarter” until it is"
EMPTY = "empty.png"
"""What the photo of the empty table is called."""


class PieceView(BaseModel):
    """One piece found, as the page shows it."""

    number: int
    place: str
    """Says which piece lies where, whatever its number is by now."""
    kind: str
    face: str
    turn_deg: int
    """How much further round its top is than it was found, as `Naming` has it."""
    step_deg: int
    """It may be turned by multiples of that; 360 where its top is known."""
    corners: list[tuple[float, float]]
    """In pixels of the photo, as an outline takes them."""


class DoubtfulView(BaseModel):
    """What may be a piece. Outlined or named, it is one."""

    number: int
    kind: str
    corners: list[tuple[float, float]]
    """In pixels of the photo, as an outline takes them."""


class PhotoView(BaseModel):
    """One photo."""

    name: str
    pieces: list[PieceView]
    doubtful: list[DoubtfulView]
    """What may be a piece, numbered after the pieces."""
    width: int
    height: int
    doubt: str
    """Why pieces may have been missed in it; empty where nothing speaks for that."""


class DeskView(BaseModel):
    """All that the page shows."""

    game: str
    faces: list[str]
    """What may be named."""
    own_names: list[str]
    """What of this copy's own may be named, too."""
    looks: dict[str, str]
    """What of these shows what."""
    kinds: dict[str, str]
    """Which kind of piece has which of these."""
    corners: dict[str, int]
    """The kinds of piece that may be outlined by hand, and how many corners each has."""
    tops: str
    """A sentence that cards' tops matter; empty where they do not."""
    photos: list[PhotoView]
    camera: bool
    """Whether photos can be taken here."""
    empty: bool
    """Whether a photo of the empty table is there."""


class PieceName(Body):
    """What a piece is."""

    photo: Annotated[Whole, Field(ge=0, le=999)]
    number: Annotated[Whole, Field(ge=1, le=999)]
    place: Place = None
    face: Annotated[str, Field(max_length=60)]
    turn_deg: Annotated[Whole, Field(ge=0, lt=360)] = 0


class Outline(Body):
    """A piece by its corners."""

    photo: Annotated[Whole, Field(ge=0, le=999)]
    number: Annotated[Whole | None, Field(ge=1, le=999)] = None
    """The piece that lies otherwise than its outline does; without it, a piece that has none yet."""
    place: Place = None
    kind: Annotated[str, Field(max_length=60)]
    corners: Annotated[list[tuple[Pixel, Pixel]], Field(max_length=99)]
    """In pixels of the photo."""
    face: Annotated[str, Field(max_length=60)] = ""
    """What a piece is that has none yet, where that is said with it."""


class LearnedView(BaseModel):
    """What was learned."""

    file: str
    faces: int
    missing: list[str]
    notes: list[str]
    """Sentences about faces that the game lacks, that can be taken for each other, or seem to be named upside down."""


class Desk:
    """The photos and names of one enrolment. Methods may be called from several threads."""

    def __init__(self, game: GameFaces, out: Path, take: Callable[[], Image] | None, lens: Lens | None = None) -> None:
        """`take` gives a photo of the table as it is; None where there is no camera. `lens`: that of all photos."""
        self.game = game
        self._lens = lens
        self._out = out
        self._take = take
        self._kept = KeptEnrolment(out)
        self._lock = Lock()
        self._empty: Image | None = None
        self._spreads: list[Spread] = []
        self._were_here: set[str] = set()
        """The names of all photos that were ever here: of those that were dropped nothing is to be known any more."""
        self._names: list[list[Naming]] = []

    def view(self) -> DeskView:
        """What the page shows."""
        with self._lock:
            photos = [
                PhotoView(
                    name=one.name,
                    width=one.image.shape[1],
                    height=one.image.shape[0],
                    doubt="; ".join(filter(None, (one.doubt, *one.warnings))),
                    pieces=[
                        PieceView(
                            number=n,
                            place=_place_of(one, n),
                            kind=piece.shape.kind.value,
                            face=naming.face,
                            turn_deg=naming.turn_deg,
                            step_deg=int(FULL_TURN_DEG[piece.shape.kind]),
                            corners=corners_px(piece, one.registration),
                        )
                        for n, (piece, naming) in enumerate(zip(one.pieces, names, strict=True), 1)
                    ],
                    doubtful=[
                        DoubtfulView(number=n, kind=it.shape.kind.value, corners=corners_px(it, one.registration))
                        for n, it in enumerate(one.doubtful, len(one.pieces) + 1)
                    ],
                )
                for one, names in zip(self._spreads, self._names, strict=True)
            ]
            return DeskView(
                game=self.game.game,
                faces=list(self.game.faces),
                own_names=list(self.game.own_names),
                looks=dict(self.game.looks),
                kinds={face: kind.value for face, kind in self.game.kind_of.items()},
                corners={kind.value: count for kind, count in CORNERS.items() if kind in self.game.kinds},
                tops=self.game.of_tops(HOW_TOPS),
                photos=photos,
                camera=self._take is not None,
                empty=self._empty is not None,
            )

    def set_empty(self, image: Image) -> None:
        """The table with nothing on it."""
        with self._lock:
            self._empty = image

    def add(self, name: str, image: Image) -> str:
        """One more photo; says what is in it. Raises VisionError where it cannot be laid over the table."""
        with self._lock:
            one = spread(name, image, self.game.kinds, self._empty, self._lens)
            self._add(one)
            return f"{len(one.pieces)} piece{'s' if len(one.pieces) != 1 else ''}"

    def _add(self, one: Spread) -> None:
        self._were_here.add(one.name)
        self._spreads.append(one)
        self._names.append([Naming("")] * len(one.pieces))

    def resume(self, tell: Callable[[str], object]) -> None:
        """Have the outlines and names again that pieces were given before; with a camera, first take the photos that
        were taken then. Each such photo is told, and names that fit no piece.

        Raises:
            LabelError: there are labels that cannot be read, or names of another game, or in a photo that is not here.
            VisionError, OSError: a photo or the labels cannot be read.
        """
        labels = self._kept.labels()
        check_of_game(self._kept, labels, self.game)
        if self._take is not None:
            if (empty := self._kept.taken(EMPTY)) is not None:
                self.set_empty(empty)
            for label in labels:
                if (image := self._kept.taken(str(label.get("photo")))) is not None:
                    tell(f"{self._kept.photo(label['photo'])}: taken before; {self.add(label['photo'], image)}")
        check_all_here(self._kept, labels, {one.name: one.image for one in self._spreads})
        by_photo = {label.get("photo"): label for label in labels}
        for index, one in enumerate(self._spreads):
            if one.name in by_photo:
                one = pieces_again(one, by_photo[one.name], str(self._kept.labels_file))
                self._spreads[index] = one
                self._names[index], lost = names_again(one, by_photo[one.name])
                if lost:
                    tell(f"{self._kept.labels_file}: {lost} of its names in {one.name} fit no piece found there")

    def photograph(self, *, empty: bool) -> None:
        """Take a photo now, which is kept. Raises VisionError, CameraError, OSError."""
        if self._take is None:
            raise HTTPException(409, "There is no camera here; give photos to the command.")
        image = self._take()
        if empty:
            self._kept.keep_photo(EMPTY, image)
            self.set_empty(image)
            return
        with self._lock:
            name = self._kept.new_name([one.name for one in self._spreads])
            one = spread(name, image, self.game.kinds, self._empty, self._lens)
            self._kept.keep_photo(name, image)
            self._add(one)
            self._keep()

    def drop(self, photo: int, name: str | None = None) -> None:
        """Forget a photo, of this name where one is given. Raises OSError."""
        with self._lock:
            self._check(photo)
            if name not in (None, self._spreads[photo].name):
                raise HTTPException(
                    412, f"photo {photo} is {self._spreads[photo].name} by now, not {name}; {ELSEWHERE}"
                )
            gone = self._spreads[photo].name
            del self._spreads[photo], self._names[photo]
            self._keep()
            if self._take is not None:
                self._kept.photo(gone).unlink(missing_ok=True)

    def name(self, said: PieceName) -> None:
        """Say what a piece is; that is kept. Raises OSError."""
        with self._lock:
            self._check(said.photo, said.number, said.place)
            kind = self._spreads[said.photo].pieces[said.number - 1].shape.kind
            if said.turn_deg % FULL_TURN_DEG[kind]:
                step = f"a multiple of {FULL_TURN_DEG[kind]:.0f}, as piece {said.number} is {with_article(kind)}"
                raise HTTPException(422, f"turn_deg {said.turn_deg}: expected {step}")
            self._names[said.photo][said.number - 1] = Naming(said.face.strip(), said.turn_deg)
            self._keep()

    def outline(self, said: Outline) -> None:
        """Add a piece by its corners, or put one that lies otherwise right; that is kept.

        Raises:
            LabelError: the corners are not those of such a piece, or it lies where another does.
            OSError: it cannot be kept.
        """
        with self._lock:
            self._check(said.photo, said.number, said.place)
            one, names = self._spreads[said.photo], self._names[said.photo]
            kind = next((kind for kind in CORNERS if kind.value == said.kind and kind in self.game.kinds), None)
            if kind is None:
                kinds = ", ".join(sorted(kind.value for kind in CORNERS.keys() & self.game.kinds))
                raise HTTPException(
                    404, f"kind {said.kind!r}: {self.game.game} has no such piece to outline; expected {kinds}"
                )
            at = len(one.pieces) if said.number is None else said.number - 1
            piece = outlined(said.corners, kind, one.registration, f"{one.name}: the outline")
            for number, other in enumerate(one.pieces, 1):
                if number - 1 != at and piece.overlaps(other):
                    raise LabelError(
                        f"{one.name}: the outline covers piece {number}, too; expected pieces that lie apart; remove "
                        "that one, or move its corners"
                    )
            naming = names[at] if said.number is not None else Naming(said.face.strip())
            if naming.turn_deg % FULL_TURN_DEG[kind]:  # it was outlined as another kind
                naming = replace(naming, turn_deg=0)
            self._put(said.photo, at, (piece,), (naming,))

    def remove(self, photo: int, number: int, place: str | None = None) -> None:
        """Take away an outline that is no piece's, the one with this place if it is given; that is kept. Raises
        OSError."""
        with self._lock:
            self._check(photo, number, place)
            self._put(photo, number - 1, (), ())

    def _put(self, photo: int, at: int, pieces: tuple[LaidOut, ...], names: tuple[Naming, ...]) -> None:
        """Have other pieces in the place of one, or after all; what was found there is no piece."""
        one = self._spreads[photo]
        found = [piece for piece in one.pieces[at : at + 1] if not piece.pointed_px]
        self._spreads[photo] = replace(
            one, pieces=(*one.pieces[:at], *pieces, *one.pieces[at + 1 :]), removed=(*one.removed, *found)
        )
        self._names[photo][at : at + 1] = names
        self._keep()

    def picture(self, photo: int) -> Image:
        """A photo with its pieces numbered."""
        with self._lock:
            self._check(photo)
            return self._spreads[photo].picture()

    def piece(self, photo: int, number: int) -> Image:
        """One piece, or what may be one, upright."""
        with self._lock:
            self._check(photo)
            one, names = self._spreads[photo], self._names[photo]
            if len(names) < number <= len(names) + len(one.doubtful):
                return one.piece(number)
            self._check(photo, number)
            return one.piece(number, turn_deg=names[number - 1].turn_deg)

    def learn(self) -> Learned:
        """Learn what is named; writes the pack and a preview beside it. Raises VisionError, OSError."""
        with self._lock:
            labels = self._labels()
            photos = [(one.image, label) for one, label in zip(self._spreads, labels, strict=True)]
            learned = learn(photos, [one.name for one in self._spreads], self.game, self._lens)
            save_faces(learned.pack, self._out, self._were_here)
            shown = cv2.imencode(".jpg", preview(self._spreads, self._names))[1]
            write_whole(self._out.with_suffix(".preview.jpg"), shown.tobytes())
            return learned

    def _labels(self) -> list[dict[str, Any]]:
        return [label_of(one, names) for one, names in zip(self._spreads, self._names, strict=True)]

    def _keep(self) -> None:
        labels = zip(self._labels(), self._spreads, strict=True)
        self._kept.keep([{SEEN: seen_in(one.image), **label} for label, one in labels])

    @property
    def out(self) -> Path:
        """The file of faces."""
        return self._out

    def _check(self, photo: int, number: int | None = None, place: str | None = None) -> None:
        if not 0 <= photo < len(self._spreads):
            raise HTTPException(404, f"photo {photo} of {len(self._spreads)}: there is no such photo")
        if number is not None and not 1 <= number <= len(self._spreads[photo].pieces):
            raise HTTPException(404, f"piece {number}: photo {photo} has {len(self._spreads[photo].pieces)} pieces")
        if number is not None and place not in (None, _place_of(self._spreads[photo], number)):
            raise HTTPException(412, f"piece {number} of {self._spreads[photo].name} is another by now; {ELSEWHERE}")


def _place_of(one: Spread, number: int) -> str:
    piece = one.pieces[number - 1]
    lies = one.name, piece.shape.kind.value, corners_px(piece, one.registration)
    return blake2b(repr(lies).encode(), digest_size=8).hexdigest()


def create_enrolling_app(desk: Desk, *, version: str, token: str) -> FastAPI:
    """The application; everything but the page itself needs the host's token, or this machine's own browser."""
    return app_of_page("enrol.html", _router(desk, token), version, title="pizzatable enrol")


def _router(desk: Desk, token: str) -> APIRouter:
    router = APIRouter(prefix="/api/enrol", dependencies=[host_only(token)], route_class=StrictRoute)

    @router.get("")
    def view() -> DeskView:
        """Photos, pieces and names."""
        return desk.view()

    @router.post("/photo")
    def photograph(empty: bool = False) -> DeskView:
        """Take a photo of the pieces, or of the empty table."""
        with told_as_answer():
            desk.photograph(empty=empty)
        return desk.view()

    @router.delete("/photo/{photo}")
    def drop(photo: int, name: str | None = None) -> DeskView:
        """Forget a photo."""
        with told_as_answer():
            desk.drop(photo, name)
        return desk.view()

    @router.post("/outline")
    def outline(said: Outline) -> DeskView:
        """Outline a piece by its corners."""
        with told_as_answer():
            desk.outline(said)
        return desk.view()

    @router.delete("/photo/{photo}/{number}")
    def remove(photo: int, number: int, place: Place = None) -> DeskView:
        """Take away an outline that is no piece's."""
        with told_as_answer():
            desk.remove(photo, number, place)
        return desk.view()

    @router.post("/name")
    def name(said: PieceName) -> DeskView:
        """Say what a piece is."""
        with told_as_answer():
            desk.name(said)
        return desk.view()

    @router.post("/learn")
    def learn_now() -> LearnedView:
        """Learn what is named and write the file of faces."""
        with told_as_answer():
            learned = desk.learn()
        return LearnedView(
            file=desk.out.name,
            faces=len(learned.pack.names),
            missing=list(learned.missing),
            notes=[*learned.doubts, *learned.sentences()],
        )

    @router.get("/photo/{photo}.jpg", response_class=Response)
    def picture(photo: int) -> Response:
        """A photo with its pieces numbered."""
        return as_jpeg(desk.picture(photo))

    @router.get("/photo/{photo}/{number}.jpg", response_class=Response)
    def piece(photo: int, number: int) -> Response:
        """One piece, upright."""
        return as_jpeg(desk.piece(photo, number))

    return router


@contextlib.contextmanager
def told_as_answer() -> Iterator[None]:
    """Turns what can go wrong with a photo into an answer that says so."""
    try:
        yield
    except (VisionError, CameraError) as error:
        raise HTTPException(409, str(error)) from error
    except OSError as error:
        raise HTTPException(409, in_words(error)) from error


def as_jpeg(image: Image) -> Response:
    """A picture as an answer that no browser keeps."""
    return Response(cv2.imencode(".jpg", image)[1].tobytes(), media_type="image/jpeg", headers=NO_STORE)
