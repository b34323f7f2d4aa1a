"""What `pizzatable read` prints of a score sheet."""

from controller.games.dice_and_slice.components import load_components
from controller.games.dice_and_slice.describe import describe
from hardware.kit.score_sheets import load_sheet_print
from vision.scene import FaceLikelihood, MarkKind, Origin, PieceKind, Pose, Scene, SheetMark, Sighting

AT = Pose(0.0, 0.0, 90.0)
OUTLINE = ((0.0, 0.0),) * 4


def test_marks_are_sorted_and_hidden_places_are_left_open() -> None:
    marks = (
        SheetMark(MarkKind.DOT, (0, 0), 0.99),
        SheetMark(MarkKind.DOT, (1, 0), 0.8),
        SheetMark(MarkKind.DOT, (0, 1), 0.97),
        SheetMark(MarkKind.DOT, (5, 5), 0.99, hidden=True),
        SheetMark(MarkKind.LINE, (0, 0, 1, 0), 0.96),
        SheetMark(MarkKind.LINE, (0, 0, 0, 1), 0.01),
        SheetMark(MarkKind.LINE, (1, 0, 2, 0), 0.0),
        SheetMark(MarkKind.CROSSED_TOPPING, (3, 4), 0.99),
        SheetMark(MarkKind.CIRCLED_BONUS, (1,), 0.99),
        SheetMark(MarkKind.CROSSED_BONUS, (2,), 0.95),
    )
    sheet = Sighting(PieceKind.SHEET, AT, (FaceLikelihood("sheet", 1.0),), True, 0.9, OUTLINE, marks=marks)
    die = Sighting(PieceKind.DIE, Pose(90.0, 0.0, -12.5), (FaceLikelihood("##./.../..#", 0.9),), True, 1.0, OUTLINE)
    scene = Scene(0.0, 0, (sheet, die), (), 0.0, origin=Origin.SHEET)
    assert describe(scene) == {
        "sheets": [
            {
                "dots": [[0, 0], [1, 0], [0, 1]],
                "lines": [[[0, 0], [1, 0]]],
                "missing_lines": [[[0, 0], [0, 1]]],
                "crossed": [{"square": [3, 4]}],
                "circled": [1],
                "crossed_bonuses": [2],
                "hidden": {"dot": [[5, 5]]},
                "doubtful": [{"mark": "dot", "at": [1, 0], "likelihood": 0.8}],
            }
        ],
        "dice": [{"face": "B6", "pattern": ["##.", "...", "..#"], "angle_deg": -12.5, "likelihood": 0.9}],
    }


def test_a_die_of_another_game_has_no_face() -> None:
    die = Sighting(PieceKind.DIE, AT, (FaceLikelihood("#.#/.../#.#", 0.99),), True, 1.0, OUTLINE)
    assert [one["face"] for one in describe(Scene(0.0, 0, (die,), (), 0.0))["dice"]] == [None]


def test_the_kits_print_shows_the_games_toppings_and_bonuses() -> None:
    components, printed = load_components(), load_sheet_print()
    layout = printed.layout
    assert (layout.columns, layout.rows) == (components.columns + 1, components.rows + 1)
    squares = {(t.kind, f"{chr(ord('a') + t.square[0])}{components.rows - t.square[1]}") for t in layout.toppings}
    assert squares == {(topping.kind, topping.square) for topping in components.toppings}
    bonuses = {(tuple(sorted(bonus.toppings)), bonus.points) for bonus in printed.bonuses}
    assert bonuses == {(bonus.kinds, bonus.points) for bonus in components.bonuses}
    assert len(layout.boxes) == len(components.bonuses)
