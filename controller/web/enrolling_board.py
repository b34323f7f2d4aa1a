"""The page on which an owner points at a board's rim, corners, toppings and cutters in photos, to have it learned."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, FastAPI, HTTPException, Response
from pydantic import BaseModel, Field

from controller.enrolling import Learned, learn, marked_board, with_pieces
from controller.kept_enrolment import SEEN, KeptEnrolment, check_all_here, check_of_game, save_faces, seen_in
from controller.web.app import Body, app_of_page, host_only
from controller.web.bodies import StrictRoute
from controller.web.enrolling import ELSEWHERE, LearnedView, as_jpeg, told_as_answer
from controller.whose_faces import GameFaces
from vision.enrolling.marked_board import draw_marked_board
from vision.files.board_marks import MARKS, parse_marks
from vision.files.label_kinds import LabelError
from vision.frame import Image
from vision.mat.lens import Lens
from vision.mat.markers import MAT_HALF_MM
from vision.mat.registration import Registration
from vision.pieces.learning import find_named


class BoardPhotoView(BaseModel):
    """One photo."""

    name: str
    mat: list[float]
    """Where the mat is seen, as shares of the photo's width and height: its middle to the right, down, its width."""
    marks: dict[str, Any]
    """What was pointed at, as `vision.files.board_marks` has it."""
    state: str
    """Says which photo this is and what is pointed at in it."""
    lacks: str
    """What is still to be pointed at, or wrong; empty where the board is understood."""


class BoardDeskView(BaseModel):
    """All that the page shows."""

    game: str
    corners: list[str]
    """What is printed beside the board's corners."""
    colours: list[str]
    """Of toppings and cutters."""
    photos: list[BoardPhotoView]
    camera: bool
    """Whether photos can be taken here."""


class Marks(Body):
    """All that was pointed at in a photo."""

    marks: dict[str, Any]
    state: Annotated[str | None, Field(max_length=40)] = None
    """The photo's, as the page knew it: it is another by now if another page changed marks or left out a photo."""


@dataclass(slots=True)
class _Photo:
    name: str
    image: Image
    registration: Registration
    marks: dict[str, Any] = field(default_factory=dict)

    def mat(self) -> list[float]:
        height, width = self.image.shape[:2]
        corners = self.registration.to_picture(np.array([[x, y] for x in (-1, 1) for y in (-1, 1)]) * MAT_HALF_MM)
        x, y = corners.mean(0)
        return [float(x / width), float(y / height), float(np.ptp(corners[:, 0]) / width)]

    def state(self) -> str:
        marked = self.name, json.dumps(self.marks, sort_keys=True)
        return blake2b(repr(marked).encode(), digest_size=8).hexdigest()

    def label(self) -> dict[str, Any]:
        height, width = self.image.shape[:2]
        return {"photo": self.name, "image": {"width": width, "height": height}, MARKS: self.marks}


class BoardDesk:
    """The photos and marks of one enrolment. Methods may be called from several threads."""

    def __init__(self, game: GameFaces, out: Path, take: Callable[[], Image] | None, lens: Lens | None = None) -> None:
        """`take` gives a photo of the table as it is; None where there is no camera. `lens`: that of all photos."""
        self.game = game
        self._lens = lens
        self.out = out
        self._take = take
        self._kept = KeptEnrolment(out)
        self._lock = Lock()
        self._photos: list[_Photo] = []
        self._were_here: set[str] = set()
        """The names of all photos that were ever here: of those that were dropped nothing is to be known any more."""

    def view(self) -> BoardDeskView:
        """What the page shows."""
        with self._lock:
            return BoardDeskView(
                game=self.game.game,
                corners=list(self.game.board_corners),
                colours=list(self.game.board_colours),
                photos=[
                    BoardPhotoView(
                        name=one.name, mat=one.mat(), marks=one.marks, state=one.state(), lacks=self._lacks(one)
                    )
                    for one in self._photos
                ],
                camera=self._take is not None,
            )

    def add(self, name: str, image: Image) -> str:
        """One more photo; says that it can be used. Raises VisionError where it cannot be laid over the table."""
        photo = _Photo(name, image, find_named(image, name, self._lens))
        with self._lock:
            self._photos.append(photo)
            self._were_here.add(photo.name)
        return "the mat is found"

    def resume(self, tell: Callable[[str], object]) -> None:
        """Have the marks again that were made before; with a camera, first the photos that were taken then, which are
        told.

        Raises:
            LabelError: there are marks that cannot be read, or names of another game, or marks of a photo that is not
                here.
            VisionError, OSError: a photo or the marks cannot be read.
        """
        labels = self._kept.labels()
        check_of_game(self._kept, labels, self.game)
        for label in labels if self._take is not None else ():
            if (image := self._kept.taken(str(label.get("photo")))) is not None:
                tell(f"{self._kept.photo(label['photo'])}: taken before; {self.add(label['photo'], image)}")
        check_all_here(self._kept, labels, {one.name: one.image for one in self._photos})
        for label in labels:
            for photo in self._photos:
                if photo.name == label.get("photo"):
                    photo.marks = label.get(MARKS, {})

    def photograph(self) -> None:
        """Take a photo now, which is kept. Raises VisionError, CameraError, OSError."""
        if self._take is None:
            raise HTTPException(409, "There is no camera here; give photos to the command.")
        image = self._take()
        with self._lock:
            name = self._kept.new_name([one.name for one in self._photos])
            photo = _Photo(name, image, find_named(image, name, self._lens))
            self._kept.keep_photo(name, image)
            self._photos.append(photo)
            self._were_here.add(photo.name)
            self._keep()

    def drop(self, photo: int, name: str | None = None) -> None:
        """Forget a photo, of this name where one is given. Raises OSError."""
        with self._lock:
            gone = self._at(photo).name
            if name not in (None, gone):
                raise HTTPException(412, f"photo {photo} is {gone} by now, not {name}; {ELSEWHERE}")
            del self._photos[photo]
            self._keep()
            if self._take is not None:
                self._kept.photo(gone).unlink(missing_ok=True)

    def mark(self, photo: int, marks: dict[str, Any], state: str | None = None) -> None:
        """All that was pointed at in a photo, the one with this state if it is given; that is kept. Raises LabelError,
        OSError."""
        with self._lock:
            if state not in (None, self._at(photo).state()):
                raise HTTPException(412, f"{self._at(photo).name} has other marks by now; {ELSEWHERE}")
            parse_marks(marks, self._at(photo).name)
            self._at(photo).marks = marks
            self._keep()

    def picture(self, photo: int) -> Image:
        """A photo as it is."""
        with self._lock:
            return self._at(photo).image

    def understood(self, photo: int) -> Image:
        """A photo with its board as it is understood. Raises LabelError where it is not."""
        with self._lock:
            one = self._at(photo)
            board = marked_board(one.marks, one.registration, one.name, self.game)
            return draw_marked_board(one.image, one.registration, board)

    def learn(self) -> Learned:
        """Learn the board from the photos that have marks; writes the pack. Raises VisionError, OSError."""
        with self._lock:
            used = [one for one in self._photos if one.marks]
            if not used:
                raise LabelError(
                    "nothing is marked in any photo; expected a board's corners, rim, toppings and cutters"
                )
            photos = [(one.image, with_pieces(one.label(), one.image, one.name, self.game, self._lens)) for one in used]
            learned = learn(photos, [one.name for one in used], self.game, self._lens)
            save_faces(learned.pack, self.out, self._were_here)
            return learned

    def _lacks(self, one: _Photo) -> str:
        try:
            marked_board(one.marks, one.registration, one.name, self.game)
        except LabelError as error:
            return str(error)
        return ""

    def _at(self, photo: int) -> _Photo:
        if not 0 <= photo < len(self._photos):
            raise HTTPException(404, f"photo {photo} of {len(self._photos)}: there is no such photo")
        return self._photos[photo]

    def _keep(self) -> None:
        self._kept.keep([{SEEN: seen_in(one.image), **one.label()} for one in self._photos])


def create_board_app(desk: BoardDesk, *, version: str, token: str) -> FastAPI:
    """The application; everything but the page itself needs the host's token, or this machine's own browser."""
    return app_of_page("enrol-board.html", _router(desk, token), version, title="pizzatable enrol")


def _router(desk: BoardDesk, token: str) -> APIRouter:
    router = APIRouter(prefix="/api/enrol", dependencies=[host_only(token)], route_class=StrictRoute)

    @router.get("")
    def view() -> BoardDeskView:
        """Photos and marks."""
        return desk.view()

    @router.post("/photo")
    def photograph() -> BoardDeskView:
        """Take a photo of the board."""
        with told_as_answer():
            desk.photograph()
        return desk.view()

    @router.delete("/photo/{photo}")
    def drop(photo: int, name: str | None = None) -> BoardDeskView:
        """Forget a photo."""
        with told_as_answer():
            desk.drop(photo, name)
        return desk.view()

    @router.post("/photo/{photo}/marks")
    def mark(photo: int, said: Marks) -> BoardDeskView:
        """Say what was pointed at in a photo."""
        with told_as_answer():
            desk.mark(photo, said.marks, said.state)
        return desk.view()

    @router.post("/learn")
    def learn_now() -> LearnedView:
        """Learn the board and write the file of faces."""
        with told_as_answer():
            learned = desk.learn()
        faces = len(learned.pack.names)
        return LearnedView(file=desk.out.name, faces=faces, missing=list(learned.missing), notes=learned.sentences())

    @router.get("/photo/{photo}.jpg", response_class=Response)
    def picture(photo: int) -> Response:
        """A photo as it is."""
        return as_jpeg(desk.picture(photo))

    @router.get("/photo/{photo}/understood.jpg", response_class=Response)
    def understood(photo: int) -> Response:
        """A photo with its board as it is understood."""
        with told_as_answer():
            return as_jpeg(desk.understood(photo))

    return router
