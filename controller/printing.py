"""What there is to print for each game, from the facts about its pieces."""

from collections.abc import Callable, Mapping

from hardware.kit.paper import Content, Paper

Prints = Callable[[Paper], list[Content]]


def dice_and_slice(paper: Paper) -> list[Content]:
    """A score sheet, to be copied as often as there are players."""
    from controller.games.dice_and_slice.components import load_components
    from hardware.kit.score_sheets import load_sheet_print, score_sheet

    components = load_components()
    sizes = sorted({rectangle.size for rectangle in components.grid.rectangles})
    return [score_sheet(paper, load_sheet_print(), [(size, components.points[size]) for size in sizes])]


GAME_PRINTS: Mapping[str, Prints] = {
    "dice_and_slice": dice_and_slice,
}
"""Of each game that can be printed."""
