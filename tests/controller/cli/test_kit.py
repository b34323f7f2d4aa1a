"""`pizzatable kit`."""

import json
import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from controller.cli.kit import command, kit_files
from controller.cli.read import command as read
from controller.games.registry import components_text, game_names
from controller.printing import GAME_PRINTS
from hardware.kit.drawing import Placed, Shape, all_words, placed_points
from hardware.kit.paper import Paper, content_area, make_pages
from hardware.kit.raster import draw_page
from hardware.kit.score_sheets import load_sheet_print
from hardware.kit.toppings import topping
from tests.long import cases
from tests.vision.lens_photos import PhotoMaker, Stand
from vision.mat.lens import Lens

COARSE = 1.5
"""Pixels a millimetre: enough to count faces."""
TABLE = ["mat", "mat-print-shop", "corners", "calibration-sheet", "wiring"]
PAPERS = pytest.mark.parametrize("paper", list(Paper))


def test_files_and_pictures_are_written(tmp_path: Path) -> None:
    arguments = ["--out", str(tmp_path / "kit"), "--paper", "letter", "--game", "dice_and_slice", "--pictures"]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.output
    written = sorted(path.name for path in (tmp_path / "kit").glob("*.pdf"))
    assert written == sorted(f"{name}.pdf" for name in [*TABLE, "dice-and-slice"])
    assert all(f"{name}: " in result.output for name in written)
    assert all((tmp_path / "kit" / name).read_bytes().startswith(b"%PDF-1.4") for name in written)
    picture = cv2.imread(str(tmp_path / "kit" / "corners-01.png"))
    assert picture is not None
    assert picture.shape[:2] == (round(279.4 * 4), round(215.9 * 4))


def test_a_folder_that_cannot_be_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for out, why in ((tmp_path / "file" / "kit", "Not a directory"), (Path("/proc/kit"), "No such file or directory")):
        result = CliRunner().invoke(command, ["--out", str(out)])
        assert result.exit_code == 1
        expected = "expected a folder that can be made and written to"
        assert result.output == f"Error: {out}: cannot be written: {why}; {expected}\n"


def test_a_picture_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "mat-01.png").mkdir()
    result = CliRunner().invoke(command, ["--out", str(tmp_path), "--game", "slice", "--pictures"])
    assert result.exit_code == 1
    assert result.output.endswith(f"Error: {tmp_path / 'mat-01.png'}: cannot be written: Is a directory\n")


@PAPERS
def test_table_sheets_come_first(paper: Paper) -> None:
    assert [name for name, _, _ in kit_files(paper, [])] == TABLE


def test_the_score_sheets_print_has_the_games_facts() -> None:
    printed, facts = load_sheet_print(), facts_of("dice_and_slice")
    layout, sheet = printed.layout, facts["sheet"]
    assert (layout.columns - 1, layout.rows - 1) == (sheet["columns"]["is"], sheet["rows"]["is"])
    wanted = {(square, kind) for kind, entry in facts["topping"].items() for square in entry["squares"]["is"]}
    # The print counts rows from the top, the game from the bottom, both squares by their left dot.
    shown = {(f"{'abcdefghijkl'[t.square[0]]}{layout.rows - 1 - t.square[1]}", t.kind) for t in layout.toppings}
    assert shown == wanted
    bonuses = [(sorted(entry["toppings"]["is"]), entry["points"]["is"]) for entry in facts["bonus"].values()]
    assert [(sorted(bonus.toppings), bonus.points) for bonus in printed.bonuses] == bonuses


def facts_of(game: str) -> dict[str, Any]:
    return tomllib.loads(components_text(game))


def shown(game: str, paper: Paper) -> Counter[str]:
    return Counter(face for content in GAME_PRINTS[game](paper, COARSE) for face in content.faces)


def test_every_game_can_be_printed() -> None:
    assert set(GAME_PRINTS) == set(game_names())


@PAPERS
def test_new_york_slice_has_each_face_once(paper: Paper) -> None:
    facts = facts_of("new_york_slice")
    numbered = [f"{value}/{number}" for value in facts["value"] for number in range(1, int(value) + 1)]
    wanted = [*numbered, *facts["combo"], *facts["single"], *(f"special/{name}" for name in facts["special"])]
    assert len(wanted) == 69 + 14
    assert shown("new_york_slice", paper) == Counter(wanted)


@PAPERS
def test_pizzeria_has_each_face_once(paper: Paper) -> None:
    facts = facts_of("pizzeria")
    numbered = [f"{value}/{number}" for value in facts["value"] for number in range(1, int(value) + 1)]
    wanted = [*numbered, *facts["mixed"], *(f"offer/{letter}" for letter in facts["offer"])]
    assert len(wanted) == 65 + 4 + 12
    assert shown("pizzeria", paper) == Counter(wanted)


@PAPERS
def test_pizza_theory_has_a_board_toppings_cutters_and_dice(paper: Paper) -> None:
    facts = facts_of("pizza_theory")
    colours, each = facts["colours"]["names"]["is"], facts["topping"]["each"]["is"]
    wanted = Counter({f"topping/{colour}": each for colour in colours})
    wanted |= Counter(["board", *(f"cutter/{colour}" for colour in colours), *(f"{colour} die" for colour in colours)])
    assert shown("pizza_theory", paper) == wanted
    board = GAME_PRINTS["pizza_theory"](paper, COARSE)[0]
    assert Counter(all_words(board.shapes)) == Counter([*"123456"] * 3 + ["1st", "2nd", "3rd"])


@PAPERS
def test_slice_has_every_card_as_often_as_the_copy(paper: Paper) -> None:
    facts = facts_of("slice")
    kinds = facts["topping"] | facts["special"]
    wanted = Counter({f"slice/{kind}": entry["cards"]["is"] for kind, entry in kinds.items()})
    wanted |= Counter(f"order/{order}" for order in facts["order"])
    assert wanted.total() == 128 + 24
    assert shown("slice", paper) == wanted


@PAPERS
def test_dice_and_slice_has_its_dice(paper: Paper) -> None:
    assert shown("dice_and_slice", paper) == Counter(["die A", "die B"])


@PAPERS
@cases("game", sorted(GAME_PRINTS), always=4)
def test_pieces_are_where_printers_reach(game: str, paper: Paper) -> None:
    left, bottom, right, top = content_area(paper)
    for content in GAME_PRINTS[game](paper, COARSE):
        for shape in content.shapes:
            if isinstance(shape, Placed) and shape.clip is not None:
                x, y = zip(*placed_points(shape.clip, shape.at, shape.turn_deg), strict=True)
                assert min(x) > left - 2.0
                assert max(x) < right + 2.0
                assert min(y) > bottom - 2.0
                assert max(y) < top + 2.0


def test_a_photo_of_the_printed_score_sheet_is_read_as_empty(tmp_path: Path) -> None:
    """Print and reading agree: the sheet is found, and none of its own ink is taken for pencil; whether a bonus is
    crossed out may be doubted a little."""
    (content, *_) = GAME_PRINTS["dice_and_slice"](Paper.A4, COARSE)
    (page,) = make_pages(Paper.A4, [content])
    maker, rng = PhotoMaker((1280, 720), Lens(0.86, -0.04, 0.01)), np.random.default_rng(1)
    photo = maker.photo(draw_page(page, 6.0), 6.0, Stand(-86.0, 4.0, 6.0, (0.02, 0.0), 330.0), maker.rays(), rng)
    cv2.imwrite(str(tmp_path / "sheet.png"), photo)
    result = CliRunner().invoke(read, ["--game", "dice_and_slice", str(tmp_path / "sheet.png")])
    assert result.exit_code == 0, result.output
    line = json.loads(result.output)
    assert [piece["kind"] for piece in line["pieces"]] == ["sheet"]
    (sheet,) = line["arrangement"]["sheets"]
    doubtful = sheet.pop("doubtful")
    assert not any(sheet.values())
    assert all(mark["likelihood"] < 0.25 for mark in doubtful)


def fronts(game: str) -> list[tuple[str, Placed]]:
    """Each piece that has an outline of its own, with its drawing."""
    return [
        (face, drawn)
        for content in GAME_PRINTS[game](Paper.A4, COARSE)
        for face, drawn in zip(content.faces, cut_out(content.shapes), strict=False)
    ]


def cut_out(shapes: Iterable[Shape]) -> list[Placed]:
    return [shape for shape in shapes if isinstance(shape, Placed) and shape.clip is not None]


def drawn_toppings(piece: Placed) -> list[str]:
    """The kinds of topping on a piece, in the order in which they were drawn."""
    kinds = {topping(kind, (0.0, 0.0), 1.0).shapes: kind for kind in ("basil", *toppings_of_slice())}
    return [kinds[shape.shapes] for shape in piece.shapes if isinstance(shape, Placed) and shape.shapes in kinds]


def toppings_of_slice() -> list[str]:
    return list(facts_of("slice")["topping"])


def test_pizzerias_slices_have_the_values_and_leaves_that_the_facts_say() -> None:
    facts = facts_of("pizzeria")
    wanted = {
        f"{value}/{number}": ([value], leaves)
        for value, entry in facts["value"].items()
        for number, leaves in enumerate(entry["basil"]["is"], start=1)
    }
    wanted |= {face: ([str(v) for v in e["values"]["is"]], e["basil"]["is"]) for face, e in facts["mixed"].items()}
    shown_there = {
        face: (list(all_words(piece.shapes)), drawn_toppings(piece).count("basil"))
        for face, piece in fronts("pizzeria")
        if not face.startswith("offer/")
    }
    assert shown_there == wanted


def test_pizzerias_offers_say_what_the_facts_say() -> None:
    facts = facts_of("pizzeria")["offer"]
    for face, piece in fronts("pizzeria"):
        if face.startswith("offer/"):
            letter, entry = face[-1], facts[face[-1]]
            words = list(all_words(piece.shapes))
            assert words[0] == letter.upper()
            assert entry["text"] in " ".join(words)
            assert ("not with two players" in words) != entry["two_players"]["is"]
            never = entry["never_in"]["is"]
            assert [word for word in words if word.startswith("not in")] == (
                [f"not in the {never} round"] if never else []
            )


def test_order_cards_have_the_toppings_that_the_facts_say() -> None:
    wanted = {f"order/{order}": entry["places"]["is"] for order, entry in facts_of("slice")["order"].items()}
    found = {face: drawn_toppings(piece) for face, piece in fronts("slice") if face.startswith("order/")}
    assert found == wanted


def test_slice_cards_show_their_topping_and_its_name() -> None:
    names = {kind: entry["name"]["is"].upper() for kind, entry in facts_of("slice")["topping"].items()}
    for face, piece in fronts("slice"):
        kind = face.removeprefix("slice/")
        if kind in names:
            assert set(drawn_toppings(piece)) == {kind}
            assert list(all_words(piece.shapes)) == [names[kind]]
