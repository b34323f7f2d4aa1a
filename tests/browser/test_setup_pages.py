"""The pages for setting a table up, in a real browser: what the camera sees, and naming an owner's pieces."""

import contextlib
import itertools
from collections.abc import AsyncIterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from fastapi import HTTPException

from controller.records.results import standings
from controller.views import (
    DoubtView,
    GameResultView,
    HappenedView,
    PartState,
    PartView,
    PictureView,
    PlayerResultView,
    ResultsView,
)
from controller.web.enrolling import Desk, PieceName, create_enrolling_app
from controller.web.enrolling_board import BoardDesk, create_board_app
from controller.web.hub import Hub
from controller.web.server import serving
from controller.whose_faces import GameFaces, faces_of
from tests.browser.chromium import Page, browser, find_chromium
from tests.browser.legible import illegible
from tests.browser.shots import SIZES
from tests.browser.test_display import run
from tests.controller.found_once import spread_doubting_two, spread_once
from tests.controller.web.fixture_views import question
from tests.controller.web.table import make_app
from tests.controller.web.test_enrolling_board import GAME
from tests.long import cases
from tests.vision import drawn_cards
from tests.vision.drawn_board import DIAMETER_MM, draw
from tests.vision.drawn_table import View, enrolment, photograph
from tests.vision.test_marked_board import SHOWN, marks_of
from vision.pieces.faces import load_pack
from vision.reports.drawing import LEGEND
from vision.scene import PieceKind

TOKEN = "secret-1"

pytestmark = pytest.mark.skipif(find_chromium() is None, reason="needs Debian's chromium (apt-get install chromium)")


def told(sequence: int, **changes: object) -> PictureView:
    """What is read in a picture with this number: so many pieces."""
    facts: dict[str, object] = {
        "sequence": sequence, "age_s": 0.2, "late_s": 2.0, "why_not_read": "", "pieces": sequence, "doubtful": 0,
        "doubts": [], "remembered": 0, "hidden": [],
    }  # fmt: skip
    return PictureView.model_validate(facts | changes)


def picture_of(sequence: int) -> bytes:
    """A picture whose width tells its number."""
    return cv2.imencode(".jpg", np.full((90, 160 + 8 * sequence, 3), 99, np.uint8))[1].tobytes()


def text(of: str) -> str:
    return f"(document.getElementById('{of}')?.textContent ?? '')"


def test_the_cameras_picture_is_shown_live_with_what_is_not_well() -> None:
    doubt = DoubtView(face="b/1", likelihood=0.62, x_mm=-12.4, y_mm=40.0)

    async def scenario() -> None:
        hub = Hub()
        hub.publish(question())
        shown = told(3, doubtful=1, doubts=[doubt], remembered=2, hidden=["hand", "glare", "hand"])
        app = make_app(hub, picture=lambda: (picture_of(3), shown))
        async with serving(app, hub, "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/setup", 1280, 720)
            await page.until("document.getElementById('picture')?.naturalWidth === 184")
            await page.until(f"{text('state')} === 'Live'")
            await page.until(f"/^This picture is 0\\.\\d s old\\.$/.test({text('age')})")
            await page.until(f"{text('counts')}.includes('hidden by a hand')")
            assert await page.evaluate(text("counts")) == (
                "Read in this picture: 3 pieces, 1 doubtful; 2 known from before something moved there; "
                "hidden by a hand: 2 places; hidden by glare: 1 place."
            )
            listed = await page.evaluate("[...document.querySelectorAll('#doubtful li')].map((e) => e.textContent)")
            assert listed == ["b/1 62 % at -12, 40 mm"]
            parts = await page.evaluate("[...document.querySelectorAll('dt')].map((e) => [e.textContent, e.className])")
            assert [name for name, _ in parts] == list(question().parts)
            assert ["panel", "lost"] in parts
            assert await illegible(page) == []
            assert page.complaints == []

    run(scenario)


def test_what_is_said_changes_with_the_picture_and_is_of_it() -> None:
    """Whenever one looks, number and picture belong together, whatever else the table says meanwhile."""
    pictures = itertools.count(1)

    def picture() -> tuple[bytes, PictureView]:
        sequence = next(pictures)
        return picture_of(sequence), told(sequence)

    async def scenario() -> None:
        hub = Hub()
        view = question()
        hub.publish(view)
        app = make_app(hub, picture=picture)
        async with serving(app, hub, "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/setup", 1280, 720)
            await page.until("document.getElementById('picture')?.naturalWidth > 160")
            await page.evaluate(
                "(() => { window.pairs = []; const look = () => { window.pairs.push([document.getElementById('picture')"
                ".naturalWidth, parseInt(document.getElementById('counts').textContent.split(': ')[1])]);"
                " requestAnimationFrame(look); }; look(); })()"
            )
            for number in range(1, 4):
                hub.publish(view.model_copy(update={"seq": view.seq + number, "pieces": view.pieces[:number]}))
            await page.until("new Set(window.pairs.map(([width]) => width)).size >= 5")
            pairs = await page.evaluate("window.pairs")
            assert [pair for pair in pairs if pair[0] != 160 + 8 * pair[1]] == []

    run(scenario)


def test_a_picture_that_grows_old_is_grey_though_the_camera_says_it_is_well() -> None:
    """The page counts on by itself, from how old the picture was and how often pictures come."""
    age = {"s": 0.2}

    async def scenario() -> None:
        hub = Hub()
        hub.publish(question())
        app = make_app(hub, picture=lambda: (picture_of(3), told(3, age_s=age["s"], late_s=5.0)))
        async with serving(app, hub, "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/setup", 1280, 720)
            await page.until(f"{text('state')} === 'Live'")
            assert not await page.evaluate("document.getElementById('picture').classList.contains('old')")
            for age_s, live in ((0.5, True), (7.0, False), (42.0, False)):
                age["s"] = age_s
                await page.until(f"parseFloat({text('age')}.split(' is ')[1]) >= {age_s}")
                await page.until(f"({text('state')} === 'Live') === {str(live).lower()}")
                grey = "document.getElementById('picture').classList.contains('old')"
                assert await page.evaluate(grey) is not live
            assert await page.evaluate(text("state")) == (
                "Not live: nothing newer was read. The computer may be slow just now."
            )
            assert await page.evaluate(text("age")) == "This picture is 42 s old."

    run(scenario)


def test_a_camera_that_gives_nothing_new_is_not_called_live() -> None:
    async def scenario() -> None:
        hub = Hub()
        hub.publish(question())
        app = make_app(hub, picture=lambda: (picture_of(3), told(3)))
        async with serving(app, hub, "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/setup", 1280, 720)
            await page.until(f"{text('state')} === 'Live'")
            lost = PartView(state=PartState.LOST, text="no sign of life for 5 s")
            view = question()
            hub.publish(view.model_copy(update={"seq": view.seq + 1, "parts": view.parts | {"camera": lost}}))
            await page.until(f"{text('state')} !== 'Live'")
            assert await page.evaluate(text("state")) == (
                "Not live: nothing newer was read. The camera: no sign of life for 5 s."
            )
            assert await page.evaluate("document.getElementById('picture').classList.contains('old')")
            hub.publish(view.model_copy(update={"seq": view.seq + 2}))
            await page.until(f"{text('state')} === 'Live'")
            assert not await page.evaluate("document.getElementById('picture').classList.contains('old')")

    run(scenario)


def test_before_the_first_picture_the_camera_is_said_to_start_and_a_picture_not_read_says_why() -> None:
    answers: dict[str, tuple[bytes, PictureView] | None] = {"now": None}

    async def scenario() -> None:
        hub = Hub()
        starting = PartView(state=PartState.STARTING, text="the camera is starting")
        hub.publish(question().model_copy(update={"parts": {"camera": starting}}))
        app = make_app(hub, picture=lambda: answers["now"])
        async with serving(app, hub, "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/setup", 1280, 720)
            await page.until(
                f"{text('state')} === 'There is no picture from the camera now. The camera: the camera is starting.'"
            )
            assert await page.evaluate(text("age") + " + " + text("counts")) == ""
            answers["now"] = picture_of(3), told(3, pieces=0, why_not_read="found no corner markers")
            await page.until(f"{text('counts')} === 'Nothing is read in this picture: found no corner markers.'")
            answers["now"] = None
            await page.until(f"{text('state')}.startsWith('There is no picture from the camera now.')")
            assert await page.evaluate("document.getElementById('picture').classList.contains('old')")

    run(scenario)


def test_the_legend_is_the_drawings_and_the_page_fits_a_phone() -> None:
    async def scenario() -> None:
        hub = Hub()
        hub.publish(question())
        wide = cv2.imencode(".jpg", np.full((1080, 1920, 3), 99, np.uint8))[1].tobytes()
        app = make_app(hub, picture=lambda: (wide, told(3)))
        async with serving(app, hub, "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/setup", 390, 844)
            await page.until(f"document.querySelectorAll('#legend img').length === {len(LEGEND)}")
            await page.until("[...document.querySelectorAll('#legend img')].every((e) => e.naturalWidth === 72)")
            lines = await page.evaluate("[...document.querySelectorAll('#legend li')].map((e) => e.textContent)")
            assert lines[:-1] == [mark.meaning for mark in LEGEND.values()]
            await page.until("document.getElementById('picture')?.naturalWidth === 1920")
            assert await page.evaluate("document.documentElement.scrollWidth") == 390
            await page.evaluate("document.getElementById('enlarge').click()")
            assert await page.evaluate("document.getElementById('picture').clientWidth") == 1920
            assert await page.evaluate("document.documentElement.scrollWidth") == 390
            assert page.complaints == []

    run(scenario)


def test_a_part_that_is_absent_is_not_shown_as_well_and_the_table_is_one_step_away() -> None:
    async def scenario() -> None:
        hub = Hub()
        states = {"camera": PartState.OK, "board": PartState.ABSENT}
        parts = {name: PartView(state=state, text="as it is") for name, state in states.items()}
        hub.publish(question().model_copy(update={"parts": parts}))
        async with serving(make_app(hub), hub, "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/setup", 1280, 720)
            await page.until("document.querySelectorAll('#parts dt').length === 2")
            marks = "[...document.querySelectorAll('#parts dt')].map((e) => getComputedStyle(e, '::before')"
            well, away = await page.evaluate(f"{marks}.color)")
            assert well != away
            well, away = await page.evaluate(f"{marks}.content)")
            assert well != away
            for path in ("/setup", "/results"):
                await page.open(f"http://table.local:{port}{path}", 1280, 720)
                await page.until("document.querySelector('a[href=\"/\"]')?.clientWidth !== undefined")

    run(scenario)


@pytest.fixture
def found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.web.enrolling.spread", spread_once)


KINDS = frozenset({PieceKind.SLICE, PieceKind.SPECIAL})


def laid_out(game: GameFaces, folder: Path) -> Desk:
    """The drawn pieces of a game in a photo, not named yet."""
    desk = Desk(game, folder / "mine.faces", None)
    desk.add("laid.jpg", photograph(enrolment()))
    return desk


@contextlib.asynccontextmanager
async def naming(desk: Desk, height: int, width: int = 1280) -> AsyncIterator[Page]:
    """The page on which pieces are named, as its host sees it, in a window of this height and width."""
    app = create_enrolling_app(desk, version="1", token=TOKEN)
    async with serving(app, Hub(), "127.0.0.1", 0) as port, browser() as page:
        await page.open(f"http://table.local:{port}/?host={TOKEN}", width, height)
        yield page


@pytest.mark.usefixtures("found_once")
def test_an_owner_names_pieces_and_learns_them(tmp_path: Path) -> None:
    faces = ("a/1", "a/2")
    looks = {"a/1": "two olives", "a/2": "none", "special/one": "One"}
    kind_of = {"a/1": PieceKind.SLICE, "a/2": PieceKind.SLICE, "special/one": PieceKind.SPECIAL}
    game = GameFaces("drawn", KINDS, (*faces, "special/one"), looks=looks, kind_of=kind_of, own_names=("a/2", "a/9"))
    desk = laid_out(game, tmp_path)

    async def scenario() -> None:
        async with naming(desk, 900) as page:
            await page.until("[...document.querySelectorAll('img')].filter((i) => i.naturalWidth > 0).length === 10")
            heights = "['.frame', '.frame img'].map((one) => document.querySelector(one).offsetHeight)"
            framed, photo = await page.evaluate(heights)
            assert framed == photo, "nothing under the photo"
            assert await page.evaluate("document.querySelector('.piece input').placeholder") == "such as a/1"
            for said in ("Two olives ", "a/1"):
                await page.evaluate(
                    f"(() => {{ const input = document.querySelector('.piece input'); input.value = '{said}';"
                    " input.dispatchEvent(new Event('change')); })()"
                )
                assert await page.evaluate("document.querySelector('.piece input').value") == "a/1"
                await page.until("document.querySelectorAll('.piece.named').length === 1")
            assert await page.evaluate("document.getElementById('count').textContent") == "1 of 3 faces named"
            offered = await page.evaluate(
                "[...document.querySelector('.piece input').list.options].map((e) => [e.value, e.label])"
            )
            assert await illegible(page) == []
            assert offered == [["a/1", "a/1: two olives"], ["a/2", "a/2: none"], ["a/9", "a/9"]]
            typed = "input.value = '{}'; input.dispatchEvent(new Event('input'));"
            meanings = {
                "olive": "the game has no such face: choose one of the list",
                "special/one": "this is a special’s name",
                "a/9": "",
                "a/1": "two olives",
            }
            for name, meaning in meanings.items():
                await page.evaluate(
                    f"(() => {{ const input = document.querySelector('.piece input'); {typed.format(name)} }})()"
                )
                assert await page.evaluate("document.querySelector('.piece .meaning').textContent") == meaning
            await page.evaluate("document.getElementById('learn').click()")
            await page.until("!document.getElementById('learned').hidden")
            assert "Still missing: a/2, a/9." in await page.evaluate("document.getElementById('learned').textContent")
            assert TOKEN not in await page.evaluate("location.href")
            assert page.complaints == []

    run(scenario)
    assert load_pack(tmp_path / "mine.faces").names == ("a/1",)


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.usefixtures("found_once")
def test_names_are_sent_again_after_the_server_was_away_and_those_of_another_page_are_shown(
    tmp_path: Path, width: int
) -> None:
    desk = laid_out(GameFaces("drawn", KINDS, ("a/1", "a/2", "a/3")), tmp_path)
    type_in = (
        "(() => {{ const input = document.querySelectorAll('.piece input')[{}]; input.value = '{}';"
        " input.dispatchEvent(new Event('change')); }})()"
    )

    async def scenario() -> None:
        async with naming(desk, 800, width) as page:
            await page.until("document.querySelectorAll('.piece input').length === 9")
            await page.evaluate("window.sent = fetch; window.fetch = () => Promise.reject(new TypeError('gone')); 0")
            await page.evaluate(type_in.format(0, "a/1"))
            await page.until(f"{text('trouble')}.includes('start it again and open the address that it prints')")
            await page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
            low = "document.getElementById('trouble').getBoundingClientRect().bottom"
            assert await page.evaluate(f"window.scrollY > 0 && {low} > 0 && {low} <= innerHeight")
            desk.name(PieceName(photo=0, number=3, face="a/3"))
            await page.evaluate("window.fetch = window.sent; 0")
            await page.evaluate(type_in.format(1, "a/2"))
            await page.until("document.querySelectorAll('.piece.named').length === 3")
            assert await page.evaluate("document.querySelectorAll('.piece input')[2].value") == "a/3"
            assert await page.evaluate("document.getElementById('trouble').hidden")

    run(scenario)
    assert [piece.face for piece in desk.view().photos[0].pieces][:3] == ["a/1", "a/2", "a/3"]


@pytest.mark.long
@pytest.mark.usefixtures("found_once")
def test_square_cards_are_turned_by_quarters_others_by_halves(tmp_path: Path) -> None:
    desk = Desk(faces_of("slice"), tmp_path / "mine.faces", None)
    desk.add("cards.jpg", photograph(drawn_cards.enrolment()))
    kinds = [piece.kind for piece in desk.view().photos[0].pieces]

    async def scenario() -> None:
        async with naming(desk, 900) as page:
            shown = f"[...document.querySelectorAll('img')].filter((i) => i.naturalWidth > 0).length > {len(kinds)}"
            await page.until(shown)
            assert (await page.evaluate(text("tops"))) == (
                "Places are counted from the top of each order card: make sure that it is up in the card's picture, "
                "or press “turn by a quarter” until it is."
            )
            buttons = "[...document.querySelectorAll('.piece')].map((piece) => piece.querySelector('button'))"
            said = await page.evaluate(f"{buttons}.map((button) => button.textContent)")
            turns = {"order-card": "turn by a quarter", "slice-card": "turn round"}
            assert said == [turns[kind] for kind in kinds]
            for kind, presses in (("order-card", 3), ("slice-card", 1)):
                number = kinds.index(kind)
                picture = f"document.querySelectorAll('.piece')[{number}].querySelector('img')"
                await page.evaluate(
                    "(() => { window.shown = 0; const count = () => { window.shown += 1; };"
                    f" new MutationObserver(count).observe({picture}, {{ attributes: true }});"
                    f" for (let i = 0; i < {presses}; i++) {buttons}[{number}].click(); }})()"
                )
                await page.until(f"window.shown === {presses}")
            assert await illegible(page) == []
            assert page.complaints == []

    run(scenario)
    turned = {kind: desk.view().photos[0].pieces[kinds.index(kind)].turn_deg for kind in ("order-card", "slice-card")}
    assert turned == {"order-card": 270, "slice-card": 180}


def test_an_owner_takes_what_hardly_stands_out_for_a_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its outline is looked at before it is taken; or it is named, which takes it as it is outlined."""
    monkeypatch.setattr("controller.web.enrolling.spread", spread_doubting_two)
    desk = laid_out(GameFaces("drawn", KINDS, ("a/1",)), tmp_path)
    first, second = desk.view().photos[0].doubtful

    async def scenario() -> None:
        async with naming(desk, 1400) as page:
            await page.until("[...document.querySelectorAll('img')].filter((i) => i.naturalWidth > 0).length === 10")
            shown = "[...document.querySelectorAll('.doubtful label')].map((one) => one.textContent)"
            assert await page.evaluate(shown) == ["8?", "9?"]
            await page.evaluate("document.querySelectorAll('.doubtful button')[1].click()")
            await page.until(f"document.querySelectorAll('.corner').length === {len(second.corners)}")
            assert await page.evaluate("document.querySelector('select').value") == second.kind
            await page.evaluate("document.querySelector('.shown .main').click()")
            await page.until("document.querySelectorAll('.piece').length === 8")
            assert await page.evaluate("document.activeElement.getAttribute('aria-label')") == "name of piece 8"
            assert await page.evaluate(shown) == ["9?"]
            field = "document.querySelector('.doubtful input')"
            await page.evaluate(f"{field}.value = 'A/1'; {field}.dispatchEvent(new Event('change'))")
            await page.until("document.querySelectorAll('.piece').length === 9")
            assert await page.evaluate(shown) == []
            assert await page.evaluate("document.activeElement.getAttribute('aria-label')") == "name of piece 9"
            assert await page.evaluate("document.activeElement.value") == "a/1"
            assert page.complaints == []

    run(scenario)
    photo = desk.view().photos[0]
    assert np.abs(np.array(photo.pieces[7].corners) - second.corners).max() < 0.1
    assert (photo.pieces[8].corners, photo.pieces[8].face, photo.doubtful) == (first.corners, "a/1", [])


@cases("height", [800, 700], always=1)
@pytest.mark.usefixtures("found_once")
def test_nothing_covers_what_a_piece_is_outlined_with(tmp_path: Path, height: int) -> None:
    """Wherever the page was scrolled to: its head stays above while corners are moved."""
    desk = laid_out(GameFaces("drawn", KINDS, ("a/1",)), tmp_path)
    covered = """[...document.querySelectorAll('.shown .tools button, .corner')].filter((one) => {
      const box = one.getBoundingClientRect();
      return box.width && document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2) !== one;
    }).map((one) => one.textContent || one.getAttribute('aria-label'))"""

    async def scenario() -> None:
        async with naming(desk, height) as page:
            await page.until("[...document.querySelectorAll('img')].filter((i) => i.naturalWidth > 0).length === 10")
            for number in (1, 5, 9):
                move = f"document.querySelectorAll('.piece')[{number - 1}].lastElementChild.previousElementSibling"
                await page.evaluate(f"{move}.scrollIntoView({{ block: 'center' }})")
                await page.evaluate(f"{move}.click()")
                await page.until("document.querySelectorAll('.corner').length > 0")
                assert await page.evaluate(covered) == []
                await page.press("Escape")
                await page.until("document.querySelectorAll('.corner').length === 0")
            assert await page.evaluate("getComputedStyle(document.querySelector('header')).position") == "sticky"

    run(scenario)


@pytest.mark.usefixtures("found_once")
def test_an_owner_outlines_a_missed_piece_by_touch_and_by_keys(tmp_path: Path) -> None:
    """A piece is removed and outlined again, its first corner beside its place at first, which is said, then moved."""
    desk = laid_out(GameFaces("drawn", KINDS, ("a/1",)), tmp_path)
    pieces = desk.view().photos[0].pieces
    gone = next(piece for piece in pieces if piece.kind == "special")

    def at(point: tuple[float, float]) -> str:
        """Where in the window a place in the photo is, once what the page has become is drawn."""
        return (
            "new Promise((done) => requestAnimationFrame(() => setTimeout(() => { "
            "const box = document.querySelector('.frame img').getBoundingClientRect(); "
            f"done([box.left + {point[0]} * box.width / 1280, box.top + {point[1]} * box.height / 720]); }})))"
        )

    async def scenario() -> None:
        async with naming(desk, 1400) as page:
            state, trouble = "document.querySelector('.state').textContent", text("trouble")
            await page.until("[...document.querySelectorAll('img')].filter((i) => i.naturalWidth > 0).length === 10")
            await page.evaluate(f"document.querySelectorAll('.piece')[{gone.number - 1}].lastElementChild.click()")
            await page.until("document.querySelectorAll('.piece').length === 8")
            # The page grows with every picture, which may move what is tapped.
            await page.until("[...document.querySelectorAll('img')].every((i) => i.complete && i.naturalWidth > 0)")
            await page.evaluate("(() => { const kind = document.querySelector('select'); kind.value = 'special'; })()")
            await page.evaluate("document.querySelector('.outline').click()")
            beside = (gone.corners[0][0] - 60.0, gone.corners[0][1])
            for count, corner in enumerate([beside, *gone.corners[1:]], 1):
                await page.tap(*await page.evaluate(at(corner)))
                await page.until(f"document.querySelectorAll('.corner').length === {count}")
            assert await page.evaluate("document.activeElement.textContent") == "Take this outline"
            await page.press("Enter")
            await page.until(f"{trouble}.includes('the outline is no special')")
            first, last = "document.querySelectorAll('.corner')[0]", "document.querySelectorAll('.corner')[3]"
            await page.drag(tuple(await page.evaluate(at(beside))), tuple(await page.evaluate(at(gone.corners[0]))))
            await page.evaluate(f"{last}.focus()")
            await page.press("ArrowRight", 3)
            await page.press("ArrowLeft", 29, shift=True)
            where = await page.evaluate(
                f"[{first}, {last}].map((one) => [parseFloat(one.style.left) * 12.8, parseFloat(one.style.top) * 7.2])"
            )
            assert where[0] == pytest.approx(gone.corners[0], abs=1.5)
            assert where[1] == pytest.approx([gone.corners[3][0] + 1.0, gone.corners[3][1]], abs=1.5)
            await page.evaluate("document.querySelector('.shown .main').click()")
            await page.until("document.querySelectorAll('.piece').length === 9")
            assert await page.evaluate("document.activeElement.getAttribute('aria-label')") == "name of piece 9"
            assert not await page.evaluate("document.querySelector('.photo').classList.contains('outlining')")
            # The keys alone: the second piece's corner, then a new outline that is given up.
            await page.evaluate(
                "document.querySelectorAll('.piece')[1].lastElementChild.previousElementSibling.focus()"
            )
            await page.press("Enter")
            assert await page.evaluate("document.activeElement.getAttribute('aria-label')") == "corner 1"
            await page.press("ArrowDown", 2, shift=True)
            await page.evaluate("document.querySelector('.shown .main').focus()")
            await page.press("Enter")
            await page.until("document.activeElement.getAttribute('aria-label') === 'name of piece 2'")
            await page.evaluate("document.querySelector('.outline').focus()")
            await page.press("Enter")
            await page.press("ArrowLeft", 4)
            await page.press("Enter")
            await page.press("ArrowUp", 5)
            await page.press("Enter")
            assert await page.evaluate("document.querySelectorAll('.corner').length") == 2
            assert await page.evaluate("document.querySelector('polygon').getAttribute('points')") == "600,360 600,310"
            await page.press("Delete")
            assert "2 to go" in await page.evaluate(state)
            await page.press("Escape")
            assert await page.evaluate("document.activeElement.textContent") == "Outline a piece by hand"
            assert await page.evaluate("document.querySelectorAll('.corner').length") == 0
            assert [one for one in page.complaints if "409" not in one] == []

    run(scenario)
    after = desk.view().photos[0].pieces
    assert (len(after), after[8].kind) == (9, "special")
    assert np.abs(np.array(after[8].corners) - gone.corners).max() < 2.5
    assert np.array(after[1].corners)[0] == pytest.approx(np.array(pieces[1].corners)[0] + [0.0, 2.0], abs=0.11)


@pytest.mark.long
@pytest.mark.usefixtures("found_once")
def test_what_was_changed_on_another_page_is_shown_and_nothing_else_is_taken_away(tmp_path: Path) -> None:
    desk = Desk(GameFaces("drawn", frozenset({PieceKind.SLICE}), ("a/1",)), tmp_path / "mine.faces", None)
    desk.add("laid.jpg", photograph(enrolment()))
    before = desk.view().photos[0].pieces

    async def scenario() -> None:
        async with naming(desk, 900) as page:
            loaded = "[...document.querySelectorAll('img')].filter((i) => i.naturalWidth > 0).length"
            await page.until(f"{loaded} === {len(before) + 1}")
            desk.remove(0, 1)
            await page.evaluate("document.querySelectorAll('.piece')[1].lastElementChild.click()")
            await page.until(f"{text('trouble')}.includes('piece 2 of laid.jpg is another by now')")
            assert await page.evaluate("document.querySelectorAll('.piece').length") == len(before) - 1
            await page.until(f"{loaded} === {len(before)}")
            await page.evaluate("document.querySelectorAll('.piece')[0].lastElementChild.click()")
            await page.until(f"document.querySelectorAll('.piece').length === {len(before) - 2}")
            await page.until(f"{loaded} === {len(before) - 1}")
            assert [one for one in page.complaints if "412" not in one] == []

    run(scenario)
    assert [piece.place for piece in desk.view().photos[0].pieces] == [piece.place for piece in before[2:]]


def test_an_owner_points_at_a_board_and_has_it_learned(tmp_path: Path) -> None:
    """Click by click, as the list asks for; a dot that was set wrongly is taken away."""
    desk = BoardDesk(GAME, tmp_path / "mine.faces", None)
    desk.add("laid.jpg", draw(SHOWN))
    marks = marks_of(SHOWN, View(), unsteady_px=0.0)
    shown = sorted(marks["toppings"])
    steps = [
        *([at] for at in marks["corners"].values()),
        [[300.0, 300.0], *marks["rim"]],
        *(marks["toppings"][colour] for colour in GAME.board_colours if colour in shown),
        [marks["topping_edge"]],
        *(marks["cutters"][colour] for colour in GAME.board_colours),
    ]

    async def scenario() -> None:
        app = create_board_app(desk, version="1", token=TOKEN)
        async with serving(app, Hub(), "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/?host={TOKEN}", 1280, 900)
            await page.until("document.querySelector('.frame img')?.naturalWidth > 0")
            dots = "document.querySelectorAll('.dot').length"
            for tool, points in enumerate(steps):
                await page.evaluate(f"document.querySelectorAll('.marks button')[{tool}].click()")
                for x, y in points:
                    await page.evaluate(
                        "(() => { const picture = document.querySelector('.frame img');"
                        " const box = picture.getBoundingClientRect(); const scale = box.width / picture.naturalWidth;"
                        " picture.dispatchEvent(new MouseEvent('click', { bubbles: true,"
                        f" clientX: box.left + {x} * scale, clientY: box.top + {y} * scale }})); }})()"
                    )
                if tool == 3:
                    await page.evaluate('document.querySelector(\'.dot[data-tool="3"][data-at="0"]\').click()')
                    pointed = await page.evaluate(dots)
                    await page.press("ArrowRight", 3)
                    await page.press("Enter")
                    assert await page.evaluate(dots) == pointed + 1, "by keys"
                    await page.press("Delete")
                    assert await page.evaluate(dots) == pointed
            await page.until("document.querySelector('.understood').naturalWidth > 0")
            assert await illegible(page) == []
            assert await page.evaluate("document.getElementById('count').textContent") == "1 of 1 photo understood"
            await page.evaluate("document.getElementById('learn').click()")
            await page.until("!document.getElementById('learned').hidden")
            said = await page.evaluate("document.getElementById('learned').textContent")
            next_step = "End pizzatable enrol with Ctrl+C, then start the table: pizzatable run."
            assert said == f"The board is learned and written to mine.faces.Nothing is missing. {next_step}"
            assert page.complaints == []

    run(scenario)
    (kept,) = desk.view().photos
    assert len(kept.marks["rim"]) == len(marks["rim"])
    assert np.abs(np.array(kept.marks["rim"]) - marks["rim"]).max() < 1.5
    board = load_pack(tmp_path / "mine.faces").board
    assert board is not None
    assert board.diameter_mm == pytest.approx(DIAMETER_MM, abs=2.0)


@pytest.mark.parametrize(("width", "height"), [(390, 844), (844, 390)])
def test_on_a_phone_what_is_asked_for_and_the_board_are_seen_at_once(tmp_path: Path, width: int, height: int) -> None:
    """Whoever points need not scroll from the picture to the list and back at each step."""
    desk = BoardDesk(GAME, tmp_path / "mine.faces", None)
    desk.add("laid.jpg", draw(SHOWN))
    reach = "(([a, b]) => Math.max(a.bottom, b.bottom) - Math.min(a.top, b.top))"
    boxes = "['.marks .chosen', '.window'].map((one) => document.querySelector(one).getBoundingClientRect())"
    inside = (
        "((item, list) => item.top >= list.top - 1 && item.bottom <= list.bottom + 1)"
        "(...['.marks .chosen', '.marks'].map((one) => document.querySelector(one).getBoundingClientRect()))"
    )

    async def scenario() -> None:
        app = create_board_app(desk, version="1", token=TOKEN)
        async with serving(app, Hub(), "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/?host={TOKEN}", width, height)
            await page.until("document.querySelector('.frame img')?.naturalWidth > 0")
            assert await page.evaluate("document.documentElement.scrollWidth") == width
            steps = await page.evaluate("document.querySelectorAll('.marks button').length")
            for step in (0, steps - 1, 0):
                await page.evaluate(f"document.querySelectorAll('.marks button')[{step}].click()")
                assert await page.evaluate(inside), step
                assert await page.evaluate(f"{reach}({boxes})") <= height, step
            assert await page.evaluate("scrollY") == 0, "the page stays where it is"

    run(scenario)


def test_marks_of_another_page_are_shown_and_none_is_lost(tmp_path: Path) -> None:
    desk = BoardDesk(GAME, tmp_path / "mine.faces", None)
    desk.add("laid.jpg", draw(SHOWN))
    others = {"rim": [[100.0, 100.0], [200.0, 200.0]]}

    async def scenario() -> None:
        app = create_board_app(desk, version="1", token=TOKEN)
        async with serving(app, Hub(), "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/?host={TOKEN}", 1280, 900)
            await page.until("document.querySelector('.frame img')?.naturalWidth > 0")
            desk.mark(0, others)
            await page.evaluate("document.querySelector('.frame').focus()")
            for _ in range(3):
                await page.press("Enter")
            await page.until(f"{text('trouble')}.includes('laid.jpg has other marks by now')")
            await page.until("document.querySelectorAll('.dot').length === 2")
            assert desk.view().photos[0].marks == others
            await page.press("Enter")
            await page.until("document.querySelectorAll('.dot').length === 3")
            await page.until("document.getElementById('trouble').hidden")
            assert [one for one in page.complaints if "412" not in one] == []

    run(scenario)
    assert desk.view().photos[0].marks["rim"][:2] == others["rim"]


@pytest.mark.parametrize("size", SIZES)
def test_the_games_of_the_day_are_listed(size: str) -> None:
    players = [
        PlayerResultView(seat=1, name="Ann", total=21, won=False),
        PlayerResultView(seat=2, name="W" * 40, total=35, won=True),
    ]
    over = GameResultView(
        table="Left table", event="Con", number=2, game="pizzeria", title="Pizzeria", began="2026-03-01T12:00:00+00:00",
        ended="2026-03-01T12:40:00+00:00", over=True, players=players,
    )  # fmt: skip
    left = over.model_copy(update={"over": False, "title": "Pizza Theory", "simulated": True})
    played = over.model_copy(update={"over": False, "title": "SLICE", "began_ago_s": 3600.0})

    async def scenario() -> None:
        games = [left, over, played]
        results = ResultsView(games=games, standings=standings(games))
        app = make_app(results=lambda: results)
        async with serving(app, Hub(), "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/results", *SIZES[size])
            await page.until("document.querySelectorAll('#games tr').length === 3")
            rows = "[...document.querySelectorAll('tbody tr')].map((row) => row.lastChild.innerText)"
            assert await page.evaluate(rows) == [
                "W" * 40, "Ann", f"SLICE\n\nBeing played: Ann, {'W' * 40}",
                f"Pizzeria\n\n{'W' * 40}: 35 (won), Ann: 21",
                f"Pizza Theory (simulated)\n\nLeft before it was over: Ann, {'W' * 40}",
            ]  # fmt: skip
            ranks = "[...document.querySelectorAll('#standings tr')].map((row) => row.firstChild.textContent)"
            assert await page.evaluate(ranks) == ["1.", "2."]
            newest = await page.evaluate("document.querySelector('#games tr').firstChild.textContent")
            hour_ago = "new Date(Date.now() - 3600e3).toLocaleString(undefined, {weekday: 'short', hour: '2-digit'})"
            assert await illegible(page) == []
            assert newest[:6] == (await page.evaluate(hour_ago))[:6], "not by the table's clock"
            oldest = await page.evaluate("[...document.querySelectorAll('#games tr')].at(-1).firstChild.textContent")
            assert "2026" in oldest, "of a game that is long over the weekday says nothing"
            assert await page.evaluate("document.getElementById('state').textContent") == (
                "Left table: games over: 1 of 3."
            )
            assert await page.evaluate("document.documentElement.scrollWidth") == SIZES[size][0]
            ways = "[...document.querySelectorAll('#games a')].map((way) => way.getAttribute('href'))"
            assert set(await page.evaluate(ways)) == {"/game?number=2"}
            await page.as_printed()
            colours = "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
            assert await page.evaluate(colours) == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
            assert page.complaints == []

    run(scenario)


@pytest.mark.parametrize("size", SIZES)
def test_why_something_was_refused_is_found_with_its_picture(size: str) -> None:
    at = "2026-03-01T12:00:00+00:00"
    told = [
        HappenedView(seq=2, at=at, ago_s=7200.0, kind="begun", text="Begun by Ann, Ben"),
        HappenedView(
            seq=3, at=at, ago_s=None, kind="play", text="Ann takes A", source="ruling", by="Zoë", picture=True
        ),
        HappenedView(
            seq=4,
            at=at,
            ago_s=3600.0,
            kind="refused",
            text="Ben's slice 7 is gone.",
            remedy="Lay it back.",
            picture=True,
        ),
    ]

    async def scenario() -> None:
        pictures = {4: picture_of(4)}
        players = [PlayerResultView(seat=1, name="Ann", total=1, won=False)]
        game = GameResultView(
            table="Left table", event="", number=2, game="new_york_slice", title="New York Slice", began=at, ended=at,
            over=False, players=players,
        )  # fmt: skip
        results = ResultsView(games=[game], standings=[])
        app = make_app(results=lambda: results, happened={2: told}.get, evidence=pictures.get)
        async with serving(app, Hub(), "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/game?number=2", *SIZES[size])
            await page.until("document.querySelectorAll('#happened tr').length === 3")
            lines = "[...document.querySelectorAll('#happened tr')].map((row) => row.children[1].textContent)"
            assert await page.evaluate(lines) == [
                "Refused: Ben's slice 7 is gone.Lay it back.", "Ann takes A (ruled by Zoë)", "Begun by Ann, Ben"
            ]  # fmt: skip
            assert await page.evaluate(text("game")) == "New York Slice at Left tableBeing played: Ann"
            way = await page.evaluate("document.querySelector('#happened a').href")
            assert await illegible(page) == []
            assert await page.evaluate("document.documentElement.scrollWidth") == SIZES[size][0]
            assert page.complaints == []
            await page.open(way, *SIZES[size])
            await page.until(f"document.querySelector('img')?.naturalWidth === {160 + 8 * 4}")
            await page.open(f"http://table.local:{port}/game?number=3", *SIZES[size])
            await page.until(
                "document.getElementById('state')?.textContent.startsWith('No game here has the number 3')"
            )
            assert await page.evaluate("document.querySelector('#state a').pathname") == "/results"
            for address in ("game", "game?number=abc"):
                await page.open(f"http://table.local:{port}/{address}", *SIZES[size])
                none = "document.getElementById('state')?.textContent.startsWith('This address names no game')"
                await page.until(none)
            page.complaints.clear()

    run(scenario)


@pytest.mark.parametrize("picture", [True, False])
def test_of_a_game_whose_pictures_were_deleted_it_is_said(*, picture: bool) -> None:
    told = [HappenedView(seq=2, at="2026-03-01T12:00:00+00:00", ago_s=None, kind="play", text="P", picture=picture)]

    async def scenario() -> None:
        async with serving(make_app(happened=lambda _: told), Hub(), "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/game?number=2", 800, 600)
            await page.until("document.querySelector('#happened tr') !== null")
            said = await page.evaluate(text("state"))
            assert said == "Game 2: the newest first" + ("" if picture else "; its pictures are kept no longer")

    run(scenario)


def test_why_a_game_cannot_be_told_is_said_in_the_tables_own_words() -> None:
    def damaged(game: int) -> None:
        raise HTTPException(503, "journal.sqlite: cannot be read: disk I/O error")

    async def scenario() -> None:
        async with serving(make_app(happened=damaged), Hub(), "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/game?number=1", 800, 600)
            await page.until(
                "document.getElementById('state')?.textContent === 'journal.sqlite: cannot be read: disk I/O error'"
            )
            page.complaints.clear()

    run(scenario)


def test_why_the_games_cannot_be_told_is_said_in_the_tables_own_words() -> None:
    def damaged() -> ResultsView:
        raise HTTPException(503, "journal.sqlite: cannot be read: disk I/O error")

    async def scenario() -> None:
        async with serving(make_app(results=damaged), Hub(), "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/results", 800, 600)
            await page.until(
                "document.getElementById('state')?.textContent === 'journal.sqlite: cannot be read: disk I/O error'"
            )
            page.complaints.clear()

    run(scenario)


def test_on_a_small_phone_what_happened_has_more_room_than_when() -> None:
    text = "Ann takes A, and divides the pizza anew"
    told = [HappenedView(seq=2, at="2026-03-01T12:00:00+00:00", ago_s=None, kind="play", text=text, picture=True)]
    widths = "[...document.querySelectorAll('#happened td')].map((cell) => cell.clientWidth)"

    async def scenario() -> None:
        async with serving(make_app(happened=lambda _: told), Hub(), "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/game?number=2", 320, 700)
            await page.until("document.querySelector('#happened tr') !== null")
            when, what, _ = await page.evaluate(widths)
            assert what > when
            assert await page.evaluate("document.documentElement.scrollWidth") == 320

    run(scenario)
