"""Where a table has no buttons, no text asks anybody to press one."""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import controller.games
from controller.reading import Layout
from tests.controller.games.dice_and_slice.laid_sheets import LaidSheets, started

GAMES = Path(controller.games.__path__[0])
PRESSING = re.compile(r"\b(press(es|ed)?|button)\b")


def test_a_note_leaves_pressing_out() -> None:
    sheets = LaidSheets(started()).arrange()
    sheets.throw("A3", "B5")
    sheets.layout = replace(sheets.layout, buttons=False)
    assert sheets.unfinished() == "A3 and B5 lie there: player 1 takes one of the dice"


def test_what_is_said_of_pressing_is_left_out_by_the_layout() -> None:
    said = {path.relative_to(GAMES): list(_pressing(ast.parse(path.read_text()))) for path in GAMES.rglob("*.py")}
    assert {path: texts for path, texts in said.items() if texts} == {}


def test_what_the_page_says_of_pressing_depends_on_the_view() -> None:
    lines = [line for path in GAMES.rglob("*.js") for line in path.read_text().splitlines()]
    said = [line for line in lines if PRESSING.search(line) and not re.match(r"\s*(/?\*|//)", line)]
    assert [line for line in said if "view.buttons" not in line] == []


def _pressing(node: ast.AST) -> Iterator[str]:
    """Texts that speak of pressing and are not given to `Layout.pressing`."""
    match node:
        case ast.Call(func=ast.Attribute(attr=Layout.pressing.__name__)):
            return
        case ast.Expr(value=ast.Constant()):  # a docstring
            return
        case ast.Constant(value=str(text)) if PRESSING.search(text):
            yield text
    for inner in ast.iter_child_nodes(node):
        yield from _pressing(inner)
