"""How much what is printed in a sheet's boxes, and its toppings, differs within itself, seen in coarse cells.

A sheet's own toppings tell how much a printed box may: less is a thing of one colour that lies there, more is another
print.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.sheets.layout import Array, BonusBox, PrintedTopping

Plane = NDArray[np.float32]

TOPPING_MM, TOPPING_STEPS = 3.6, 19
"""A topping is looked at so far from its middle, at so many points each way."""
BOX_SHARE, BOX_STEPS = 0.42, 19
"""A box is looked at so far from its middle, in its size, at so many points each way."""
BESIDE_TOPPINGS = (0.3, 1.9)
"""A box that shows differs, point by point, by no less than the first share of what most toppings do (0.68 at least on
125 sheets of three prints), nor by more than the second, as phones and cards of other games do: 1.85 at most on 102
drawn sheets, pencilled on and printed in many ways."""


def of_print(toppings: Plane) -> tuple[float, float]:
    """How much a box that shows differs within itself at least, and at most, by the looks (n x points x 3) of toppings
    that do."""
    least, most = np.array(BESIDE_TOPPINGS) * np.median(differing(toppings))
    return float(least), float(most)


def topping_points(toppings: tuple[PrintedTopping, ...]) -> Array:
    """Points all over each topping: n x m x 2."""
    line = np.linspace(-TOPPING_MM, TOPPING_MM, TOPPING_STEPS)
    points = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    within = points[np.hypot(points[:, 0], points[:, 1]) <= TOPPING_MM]
    return np.asarray(np.array([topping.centre_mm for topping in toppings])[:, None] + within)


def box_points(boxes: tuple[BonusBox, ...]) -> Array:
    """Points all over each box, but for its edge: n x m x 2."""
    line = np.linspace(-BOX_SHARE, BOX_SHARE, BOX_STEPS)
    points = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    return np.stack([np.array(box.centre_mm) + points * box.size_mm for box in boxes])


def looks_at(cells: Plane, at: Array) -> Plane:
    """The colours (logarithms) of n x m points, columns and rows of cells: n x m x 3."""
    columns, rows = (np.ascontiguousarray(at[..., i], np.float32) for i in range(2))
    return np.asarray(cv2.remap(cells, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)


def differing(looks: Plane) -> Plane:
    """How much each look (n x points x 3) differs within itself, point by point."""
    off = (looks - looks.mean(axis=1, keepdims=True)).reshape(len(looks), -1)
    return np.asarray(np.linalg.norm(off, axis=1) / looks.shape[1] ** 0.5, np.float32)
