"""A photo with the board as its marks are understood, for an owner to look at before it is learned."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.marks import MarkedBoard
from vision.board.record import TOPPING_THICK_MM
from vision.frame import Image
from vision.mat.registration import Registration

GOLD, GREEN, BLACK = (78, 193, 242), (60, 220, 60), (0, 0, 0)
"""Blue, green, red."""
FONT = cv2.FONT_HERSHEY_SIMPLEX


def draw_marked_board(image: Image, registration: Registration, board: MarkedBoard) -> Image:
    """A copy of the photo with rim, middles of all spaces, and toppings and cutters with their colours."""
    drawn = image.copy()
    thick = max(1, image.shape[1] // 800)
    top, *others = board.pieces
    turn = np.linspace(0.0, 2.0 * np.pi, 90)
    rim = np.column_stack([np.cos(turn), np.sin(turn)]) * top["diameter_mm"] / 2 + [top["x_mm"], top["y_mm"]]
    way = np.radians(top["angle_deg"])
    to_first = np.array([[0.0, 0.0], [np.cos(way), np.sin(way)]]) * top["diameter_mm"] / 2 + [top["x_mm"], top["y_mm"]]

    def pixels(points_mm: NDArray[np.float64], height_mm: float) -> NDArray[np.int32]:
        seen = registration.seen_from_table(points_mm, height_mm)
        return np.asarray(registration.to_picture(seen).round(), np.int32)

    for line in (rim, to_first):
        cv2.polylines(drawn, [pixels(line, board.height_mm)], False, GOLD, thick, cv2.LINE_AA)
    for spot in pixels(np.array(list(board.spaces_mm.values())), board.height_mm):
        for size, colour in ((3 * thick, BLACK), (2 * thick, GOLD)):
            cv2.circle(drawn, tuple(map(int, spot)), size, colour, cv2.FILLED, cv2.LINE_AA)
    for name, space in board.corners.items():
        (at,) = pixels(board.spaces_mm[space][None], board.height_mm)
        _write(drawn, name, (int(at[0]) + 4 * thick, int(at[1]) + 12 * thick), thick, GOLD)
    for piece in others:
        outline = np.array(piece["outline_px"]).round().astype(np.int32)
        cv2.polylines(drawn, [outline], True, GREEN, thick, cv2.LINE_AA)
        if piece["kind"] == "topping":
            (at,) = pixels(np.array([[piece["x_mm"], piece["y_mm"]]]), board.height_mm + TOPPING_THICK_MM)
            on_space = "" if piece["space"] else " (on no space)"
        else:
            at, on_space = np.array(piece["ends_px"][1]).round().astype(np.int32), ""
        _write(drawn, piece["colour"] + on_space, (int(at[0]) + 4 * thick, int(at[1])), thick, GREEN)
    return drawn


def _write(drawn: Image, text: str, at: tuple[int, int], thick: int, colour: tuple[int, int, int]) -> None:
    size = drawn.shape[1] / 2600
    cv2.putText(drawn, text, at, FONT, size, BLACK, 3 * thick, cv2.LINE_AA)
    cv2.putText(drawn, text, at, FONT, size, colour, thick, cv2.LINE_AA)
