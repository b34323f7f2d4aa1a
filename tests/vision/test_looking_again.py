"""What is looked at again, part by part: nothing that changed is passed over because a hand was elsewhere then."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import ModuleType

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from controller.games.dice_and_slice.hands import Pencilled, write_front
from controller.sheet_prints import load_prints
from tests.long import cases
from tests.vision.camera_noise import camera_noise
from tests.vision.drawn_board import draw
from tests.vision.test_sheets_on_table import A1, DIE_AT, DOTS, LINE, POSES, picture
from tests.vision.theory_pictures import BEFORE
from tests.vision.theory_pictures import pack as board_pack
from vision.board import finder as board_finder_module
from vision.board.finder import board_finder
from vision.finders import Finder
from vision.following.looked_at import LookedAt
from vision.frame import Frame, Image
from vision.looking_for import finders_for
from vision.mat.registration import find_mat
from vision.pieces.faces import FacePack
from vision.reader import Reader
from vision.scene import MarkKind, PieceKind, Scene, Sighting
from vision.sheets import finder as sheet_finder
from vision.sheets import finding

FRAME_S = 0.2
NOISE = 1.5
SKIN = (120, 150, 205)
SHEET = 2
"""Whose sheet the hand is over."""

Array = NDArray[np.float64]
Blocks = NDArray[np.uint8]


# How often ------------------------------------------------------------------------------------------------------------


def blocks(*places: int) -> Blocks:
    mask = np.zeros((1, 8), np.uint8)
    mask[0, list(places)] = 255
    return mask


def test_two_looks_that_find_the_same_are_enough_and_each_part_is_counted_by_itself() -> None:
    looked = LookedAt(blocks())
    looked.looked(blocks(0, 1, 2), otherwise=blocks(0, 1, 2))
    assert not looked.enough.any(), "one look is not"
    looked.looked(blocks(0, 1, 2), otherwise=blocks(2))
    assert (looked.enough == blocks(0, 1)).all()
    looked.changed(blocks(1))
    looked.looked(blocks(1, 2, 3), otherwise=blocks())
    assert (looked.enough == blocks(0, 2)).all()
    looked.looked(blocks(1, 3), otherwise=blocks())
    assert (looked.enough == blocks(0, 1, 2, 3)).all()
    looked.changed(blocks(4, 5))
    looked.looked(blocks(4, 5), otherwise=blocks(), as_before=blocks(4))
    assert (looked.enough == blocks(0, 1, 2, 3, 4)).all(), "what was found before it changed was the first look"


# What lies there ------------------------------------------------------------------------------------------------------


class Table:
    """A reader that watches pictures, one every FRAME_S, and which of its finders looked."""

    def __init__(self, pack: FacePack, finders: Sequence[Finder]) -> None:
        self.reader = Reader(pack, finders=finders)
        self._count = 0

    def watch(
        self, image: Image, times: int, hand_mm: Array | None = None, light: float = 1.0, noise: float = NOISE
    ) -> Scene:
        """The last scene of as many pictures; a hand (n x 2, its outline) shakes."""
        registration = None if hand_mm is None else find_mat(image)
        for _ in range(times):
            seen = image.astype(np.float32)
            if hand_mm is not None and registration is not None:
                shaken = hand_mm + np.random.default_rng(self._count).uniform(-9.0, 9.0, 2)
                cv2.fillPoly(seen, [np.round(registration.to_picture(shaken)).astype(np.int32)], SKIN)
            seen = seen * np.float32(light) + camera_noise(seen.shape, noise, self._count)
            frame = Frame(np.clip(seen, 0, 255).astype(np.uint8), self._count * FRAME_S, self._count)
            scene = self.reader.read(frame)
            self._count += 1
        return scene


def counted(monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str) -> list[str]:
    """The calls of a function from now on."""
    calls: list[str] = []
    does: Callable[..., object] = getattr(module, name)

    def noted(*args: object, **kwargs: object) -> object:
        calls.append(name)
        return does(*args, **kwargs)

    monkeypatch.setattr(module, name, noted)
    return calls


def arm(x_mm: float, y_mm: float) -> Array:
    """From the picture's lower edge to this point."""
    return np.array([[x_mm - 30, -900.0], [x_mm - 30, y_mm], [x_mm + 30, y_mm], [x_mm + 30, -900.0]])


def fronts(extra: Mapping[int, Sequence[Pencilled]]) -> dict[int, str]:
    marks = [Pencilled(MarkKind.DOT, dot) for dot in DOTS[:2]]
    return {player: write_front(player, [*marks, *extra.get(player, ())]) for player in POSES}


def sheet_of(scene: Scene, player: int) -> Sighting:
    assert scene.settled is not None
    sheets = [one for one in scene.settled.sightings if one.kind is PieceKind.SHEET]
    return min(sheets, key=lambda one: abs(one.pose.x_mm - POSES[player].x_mm))


def marked(sheet: Sighting) -> set[tuple[int, ...]]:
    kinds = (MarkKind.DOT, MarkKind.LINE)
    return {mark.at for mark in sheet.marks if mark.kind in kinds and mark.probability > 0.5}


@pytest.fixture(scope="module")
def unwritten() -> Image:
    return picture(fronts({}), None)


def sheets_table() -> Table:
    pack = FacePack({}, ())
    return Table(pack, finders_for({PieceKind.SHEET}, pack, load_prints()))


def test_a_mark_drawn_under_a_hand_is_read_when_the_hand_goes(
    unwritten: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While something moves over the sheet it waits as a whole, and is not laid flat; a die laid on the mat meanwhile
    is read at once."""
    table = sheets_table()
    assert marked(sheet_of(table.watch(unwritten, 4), SHEET)) == set(DOTS[:2])
    written = picture(fronts({SHEET: [Pencilled(MarkKind.LINE, LINE)]}), DIE_AT)
    laid = counted(monkeypatch, sheet_finder, "flatten")
    under = table.watch(written, 5, arm(POSES[SHEET].x_mm, POSES[SHEET].y_mm))
    assert marked(sheet_of(under, SHEET)) == set(DOTS[:2])
    assert A1 in {one.face for one in under.sightings}
    assert not laid
    after = table.watch(written, 4)
    assert marked(sheet_of(after, SHEET)) == {*DOTS[:2], LINE}


@pytest.mark.long
def test_a_sheet_pushed_by_a_millimetre_lies_where_it_was_pushed(
    unwritten: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = sheets_table()
    before = sheet_of(table.watch(unwritten, 4), SHEET).pose
    monkeypatch.setitem(POSES, SHEET, replace(POSES[SHEET], x_mm=POSES[SHEET].x_mm + 1.2))
    pushed = picture(fronts({}), None)
    table.watch(pushed, 3, arm(POSES[SHEET].x_mm, POSES[SHEET].y_mm))
    after = sheet_of(table.watch(pushed, 4), SHEET).pose
    assert after.x_mm - before.x_mm == pytest.approx(1.2, abs=0.4)


def spaces(scene: Scene) -> dict[str, str]:
    assert scene.settled is not None
    (board,) = [one for one in scene.settled.sightings if one.kind is PieceKind.BOARD]
    return {space.name: space.contents[0].face for space in board.spaces if space.contents}


def loose(scene: Scene) -> int:
    assert scene.settled is not None
    toppings = [one for one in scene.settled.sightings if one.kind is PieceKind.TOPPING]
    return len(toppings) - sum(face != "empty" for face in spaces(scene).values())


def board_table() -> Table:
    pack = board_pack()
    assert pack.board is not None
    return Table(pack, [board_finder(pack.board)])


@pytest.mark.long
@cases("light", [1.0, 0.8], always=1)
def test_a_topping_taken_away_far_from_a_hand_over_the_board_is_gone_when_the_hand_is(
    light: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the light changes meanwhile. While something moves over the board it waits as a whole; what is laid
    down beside it does not."""
    table = board_table()
    first = table.watch(draw(BEFORE), 4)
    kept = dict(BEFORE.spaces or {})
    assert {name: face for name, face in spaces(first).items() if face != "empty"} == kept
    away = max(kept, key=lambda name: next(s.y_mm for s in first.sightings[0].spaces if s.name == name))
    fewer = {name: face for name, face in kept.items() if name != away}
    after = draw(replace(BEFORE, spaces=fewer), loose={"blue": [(-160.0, 60.0)]})
    looked = counted(monkeypatch, board_finder_module, "read_spaces")
    under = table.watch(after, 5, arm(0.0, -60.0), light)
    assert loose(under) == 1
    assert not looked
    last = table.watch(after, 4, light=light)
    assert {name: face for name, face in spaces(last).items() if face != "empty"} == fewer
    assert loose(last) == 1


@pytest.mark.long
def test_a_cutter_laid_down_while_a_hand_is_over_the_board_lies_there_when_it_is_gone() -> None:
    table = board_table()
    table.watch(draw(replace(BEFORE, sticks=BEFORE.sticks[:1])), 4)
    after = draw(replace(BEFORE, sticks=BEFORE.sticks[:2]))
    table.watch(after, 5, arm(0.0, -60.0))
    last = table.watch(after, 4)
    assert last.settled is not None
    assert len([one for one in last.settled.sightings if one.kind is PieceKind.CUTTER]) == 2


@pytest.mark.long
def test_a_sheet_at_rest_is_laid_out_once_and_read_in_each_look(
    unwritten: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where each of its pixels is in the picture does not change while it lies still."""
    table = sheets_table()
    table.watch(unwritten, 4)
    laid_out, read = (counted(monkeypatch, *of) for of in ((finding, "places_of"), (sheet_finder, "flatten")))
    written = picture(fronts({}), None)
    table.watch(written, 3, arm(POSES[SHEET].x_mm, POSES[SHEET].y_mm))
    table.watch(written, 4)
    assert len(read) > len(laid_out)


@pytest.mark.long
def test_a_sheet_is_not_read_again_because_the_camera_s_noise_seems_to_be_a_step_less_or_more(
    unwritten: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How much blocks differ is told in steps, as pixels are whole levels: by one of them no light has changed."""
    table = sheets_table()
    table.watch(unwritten, 4, noise=3.5)
    read = counted(monkeypatch, sheet_finder, "flatten")
    table.watch(unwritten, 4, noise=NOISE)
    assert not read


@pytest.mark.long
@cases(("line", "looks"), [(False, 1), (True, 2)], always=1)
def test_a_sheet_that_a_hand_only_passed_over_is_read_in_one_look(
    line: bool, looks: int, unwritten: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If it is read as it was before the hand came, though a die that was laid beside it is looked at twice."""
    table = sheets_table()
    table.watch(unwritten, 4)
    read = counted(monkeypatch, sheet_finder, "flatten")
    then = picture(fronts({SHEET: [Pencilled(MarkKind.LINE, LINE)] if line else []}), DIE_AT)
    table.watch(then, 3, arm(POSES[SHEET].x_mm, POSES[SHEET].y_mm))
    last = table.watch(then, 8)
    assert (LINE in marked(sheet_of(last, SHEET))) is line
    assert A1 in {one.face for one in last.sightings}
    assert len(read) == looks


@pytest.mark.long
def test_a_sheet_that_looks_as_it_did_when_it_was_read_is_not_laid_flat_again(monkeypatch: pytest.MonkeyPatch) -> None:
    table = sheets_table()
    blank = picture({player: write_front(player, []) for player in POSES}, None)
    table.watch(blank, 4)
    read = counted(monkeypatch, sheet_finder, "flatten")
    table.watch(blank, 3, arm(POSES[SHEET].x_mm, POSES[SHEET].y_mm))
    last = table.watch(blank, 6)
    assert not read
    assert not marked(sheet_of(last, SHEET))


@pytest.mark.long
def test_what_was_plain_to_read_is_not_looked_at_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next pictures show the same but for noise; but blank sheets are read once more, when it is known that they
    are."""
    read, looked = (
        counted(monkeypatch, sheet_finder, "flatten"),
        counted(monkeypatch, board_finder_module, "same_board"),
    )
    sheets_table().watch(picture({player: write_front(player, []) for player in POSES}, None), 5)
    assert len(read) == 2 * len(POSES)
    assert not marked_spaces_missing(board_table().watch(draw(BEFORE), 5))
    assert not looked


def marked_spaces_missing(scene: Scene) -> set[str]:
    """The spaces on which a topping lies that is not seen there."""
    seen = spaces(scene)
    return {name for name, face in (BEFORE.spaces or {}).items() if seen[name] != face}
