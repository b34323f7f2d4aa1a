"""Our own copy of Dice and Slice: the kit's sheets, as people have written on them, and its two dice."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from random import Random
from typing import Any
from zlib import crc32

from controller.games.dice_and_slice.components import DICE, FACES
from controller.games.dice_and_slice.hands import SHEET, Pencilled, read_front, standing
from controller.printing import dot_dice, sheet_points
from hardware.kit.drawing import Area, Shape, centred_box
from hardware.kit.nets import Die
from hardware.kit.score_sheets import load_sheet_print, sheet_drawing
from hardware.simulated.artwork import Artwork, Drawings, in_grey
from hardware.simulated.bodies import FOLDED_DIE_MM, SHEET_MM
from hardware.simulated.kit_art import cut_out
from hardware.simulated.pencil import PENS, PencilledSheet, Writer
from vision.frame import Image
from vision.scene import MarkKind
from vision.sheets.layout import SheetLayout

SHEETS_KEPT = 12
TOPPING_CROSS = 0.5
"""A cross over a topping reaches so much of its size to each side,"""
BOX_CROSS = 0.4
"""and one over a bonus so much of its box."""


def art(px_per_mm: float) -> Mapping[str, Artwork]:
    """The dice's faces, an empty sheet, and any sheet that somebody has written on."""
    printed = load_sheet_print()
    sheet = sheet_drawing(printed, sheet_points())
    drawers = {SHEET: partial(cut_out, sheet, centred_box(*SHEET_MM), px_per_mm)}
    for name, die in zip(DICE, dot_dice(), strict=True):
        for number, drawn in zip(FACES, die.faces, strict=True):
            outline = centred_box(FOLDED_DIE_MM, FOLDED_DIE_MM)
            drawers[f"die/{name}{number}"] = partial(cut_out, _face(die, drawn), outline, px_per_mm)
    return OwnArt(Drawings(drawers), printed.layout)


def photos(*_: object) -> Iterator[tuple[Image, dict[str, Any]]]:
    """None: sheets are told by their print, dice by their dots."""
    return iter(())


class OwnArt(Mapping[str, Artwork]):
    """The pieces as they are printed; sheets that were written on are drawn when they are asked for, and not listed."""

    def __init__(self, printed: Mapping[str, Artwork], layout: SheetLayout, *, pens: bool = False) -> None:
        self._printed = printed
        self._layout = layout
        self._pens = pens
        self._written = lru_cache(SHEETS_KEPT)(self._write)

    def __getitem__(self, face: str) -> Artwork:
        return self._printed[face] if face in self._printed else self._written(face)

    def __iter__(self) -> Iterator[str]:
        return iter(self._printed)

    def __len__(self) -> int:
        return len(self._printed)

    def __contains__(self, face: object) -> bool:
        return face in self._printed or (isinstance(face, str) and face.startswith(SHEET))

    def with_pens(self) -> "OwnArt":
        """The same, written on with pens; whose is of which colour follows from the player, and some have the same."""
        return OwnArt(self._printed, self._layout, pens=True)

    def in_grey(self) -> "OwnArt":
        """The same, printed without colour."""
        return OwnArt(in_grey(self._printed), self._layout, pens=self._pens)

    def _write(self, face: str) -> Artwork:
        player, marks = read_front(face)
        writer = _writer(player)
        if self._pens:
            writer = replace(writer, takes=[*PENS.values()][crc32(player.encode()) % len(PENS)])
        sheet = PencilledSheet(self._printed[SHEET], writer)
        for mark in standing(marks):
            pencil(sheet, self._layout, mark)
        return sheet.art()


def _face(die: Die, drawn: tuple[Shape, ...]) -> tuple[Shape, ...]:
    return (Area((centred_box(die.edge_mm, die.edge_mm),), fill=die.ground), *drawn)


def _writer(player: str) -> Writer:
    """Everybody presses otherwise on the pencil."""
    rng = Random(f"pencil of {player}")
    firm = rng.uniform(0.55, 0.85)
    return Writer(player, darkness=(0.85 * firm, min(1.0, 1.15 * firm)), wobble_mm=rng.uniform(0.1, 0.35))


def pencil(sheet: PencilledSheet, layout: SheetLayout, mark: Pencilled) -> None:
    """Write a mark on a sheet of this print, or rub it out again."""
    rubbed, at = mark.rubbed, mark.at
    match mark.kind:
        case MarkKind.DOT:
            sheet.dot(layout.dot_mm((at[0], at[1])), rubbed=rubbed)
        case MarkKind.LINE | MarkKind.DIAGONAL:
            sheet.line(layout.dot_mm((at[0], at[1])), layout.dot_mm((at[2], at[3])), rubbed=rubbed)
        case MarkKind.CROSSED_TOPPING:
            topping = next(one for one in layout.toppings if one.square == at)
            sheet.cross(topping.centre_mm, (TOPPING_CROSS * topping.size_mm,) * 2, rubbed=rubbed)
        case MarkKind.CIRCLED_BONUS:
            box = layout.boxes[at[0]]
            sheet.circle(box.centre_mm, box.size_mm, rubbed=rubbed)
        case MarkKind.CROSSED_BONUS:
            box = layout.boxes[at[0]]
            sheet.cross(box.centre_mm, (BOX_CROSS * box.size_mm[0], BOX_CROSS * box.size_mm[1]), rubbed=rubbed)
