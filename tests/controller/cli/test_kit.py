"""`pizzatable kit`."""

import tomllib
from pathlib import Path

import cv2
import pytest
from click.testing import CliRunner

from controller.cli.kit import command, kit_files
from controller.games.registry import components_text
from hardware.kit.paper import Paper
from hardware.kit.score_sheets import load_sheet_print

TABLE = ["mat", "mat-print-shop", "corners", "calibration-sheet", "wiring"]


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
    result = CliRunner().invoke(command, ["--out", str(tmp_path / "file" / "kit")])
    assert result.exit_code == 1
    assert "Error: " in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize("paper", list(Paper))
def test_table_sheets_come_first(paper: Paper) -> None:
    assert [name for name, _, _ in kit_files(paper, [])] == TABLE


def test_the_score_sheets_print_has_the_games_facts() -> None:
    printed, facts = load_sheet_print(), tomllib.loads(components_text("dice_and_slice"))
    layout, sheet = printed.layout, facts["sheet"]
    assert (layout.columns - 1, layout.rows - 1) == (sheet["columns"]["is"], sheet["rows"]["is"])
    wanted = {(square, kind) for kind, entry in facts["topping"].items() for square in entry["squares"]["is"]}
    # The print counts rows from the top, the game from the bottom, both squares by their left dot.
    shown = {(f"{'abcdefghijkl'[t.square[0]]}{layout.rows - 1 - t.square[1]}", t.kind) for t in layout.toppings}
    assert shown == wanted
    bonuses = [(sorted(entry["toppings"]["is"]), entry["points"]["is"]) for entry in facts["bonus"].values()]
    assert [(sorted(bonus.toppings), bonus.points) for bonus in printed.bonuses] == bonuses
