"""What lies on and around the table: the mat, four loose corners, the calibration sheet."""

import math
from itertools import product

from hardware.kit.drawing import (
    BLACK,
    WHITE,
    Anchor,
    Area,
    Disc,
    Page,
    Placed,
    Shape,
    Stroke,
    Words,
    box,
    centred_box,
)
from hardware.kit.markers import marker
from hardware.kit.paper import FAINT, INK, Content, Paper, content_area, content_middle, cut_cross, ruler
from vision.mat.calibration_sheet import SHEET
from vision.mat.markers import INNER_MM, MARKERS_MM, OUTER_MM

MAT_MM = 400.0
MARKER_MM = OUTER_MM - INNER_MM
TAB_MM = 10.0
"""How far a mat's tile goes on under its neighbour."""
COLUMNS, ROWS = 3, 2
_PAPER, _LINE, _FAINT_LINE = "#f3ecdd", "#8a5a3c", "#d9c9ad"
_NAMES = ("top left", "top right", "bottom right", "bottom left")
_BLEED_MM = 3.0
_SHOP_EDGE_MM = 15.0


def mat_drawing() -> Placed:
    """The mat, its middle at the origin."""
    half = MAT_MM / 2
    ground = half + _BLEED_MM
    shapes: list[Shape] = [
        Area((centred_box(2 * ground, 2 * ground),), fill=_PAPER),
        Area((centred_box(392.0, 392.0),), line=_LINE, width_mm=0.7),
        Disc((0.0, 0.0), 107.0, line=_LINE, width_mm=1.0),
        Disc((0.0, 0.0), 110.0, line=_LINE, width_mm=0.4),
        Disc((0.0, 0.0), 132.0, line=_FAINT_LINE, width_mm=0.5),
    ]
    for tick in range(44):
        turn, outer = math.radians(tick * 360 / 44), 132.0 if tick % 4 else 138.0
        c, s = math.cos(turn), math.sin(turn)
        shapes.append(Stroke(((126.0 * c, 126.0 * s), (outer * c, outer * s)), _FAINT_LINE, 0.5))
    shapes.append(Words("seat 1", (0.0, -183.0), 4.0, _LINE, bold=True))
    for number, corners in MARKERS_MM.items():
        x, y = (float(part) for part in corners[0])
        quiet = MARKER_MM / 6
        white = box(x - quiet, y - MARKER_MM - quiet, x + MARKER_MM + quiet, y + quiet)
        shapes += [Area((white,), fill=WHITE), marker(number, MARKER_MM, (x, y))]
    return Placed(tuple(shapes))


def mat_tiles(paper: Paper) -> list[Content]:
    """The mat over six sheets: a plan of how they lie, then the sheets."""
    width, height = MAT_MM / COLUMNS, MAT_MM / ROWS
    contents = [_mat_plan(paper)]
    for row, column in product(range(ROWS), range(COLUMNS)):
        left, bottom = -MAT_MM / 2 + column * width, MAT_MM / 2 - (row + 1) * height
        contents.append(_mat_tile(paper, row, column, (left, bottom, left + width, bottom + height)))
    return contents


def mat_for_a_print_shop() -> list[Page]:
    """The whole mat on one page, with crop marks and bleed."""
    side = MAT_MM + 2 * _SHOP_EDGE_MM
    middle, near, far = side / 2, _SHOP_EDGE_MM - _BLEED_MM - 1.0, _SHOP_EDGE_MM - _BLEED_MM - 6.0
    shapes: list[Shape] = [Placed((mat_drawing(),), (middle, middle))]
    for trim, (start, end) in product((_SHOP_EDGE_MM, side - _SHOP_EDGE_MM), ((far, near), (side - near, side - far))):
        shapes.append(Stroke(((trim, start), (trim, end)), BLACK, 0.1))
        shapes.append(Stroke(((start, trim), (end, trim)), BLACK, 0.1))
    note = "400 x 400 mm after cutting, matt paper or cloth. Print at 100 %: the ruler is 100 mm long."
    shapes.append(Words(note, (_SHOP_EDGE_MM + 110.0, 3.0), 1.8, INK, anchor=Anchor.START))
    shapes += ruler(_SHOP_EDGE_MM + 3.0, 2.0)
    trim_mm = (_SHOP_EDGE_MM, _SHOP_EDGE_MM, side - _SHOP_EDGE_MM, side - _SHOP_EDGE_MM)
    return [Page(side, side, tuple(shapes), trim_mm)]


def loose_corners(paper: Paper) -> list[Content]:
    """Four corners for any table, and a strip to lay them the right way apart."""
    x, y = content_middle(paper)
    shapes: list[Shape] = []
    for number, (dx, dy) in enumerate(((-1, 1), (1, 1), (1, -1), (-1, -1))):
        shapes.append(Placed(tuple(_corner(number)), (x + 40.0 * dx, y + 50.0 + 36.0 * dy)))
    gap = 2 * INNER_MM
    _, bottom, _, _ = content_area(paper)
    for half in range(2):
        at = (x - gap / 4 - 6.0, bottom + 58.0 - 26.0 * half)
        shapes.append(Placed(tuple(_strip(half)), at))
    diagonal = 2 * OUTER_MM * math.sqrt(2)
    sums = (
        f"Outer edge to outer edge {2 * OUTER_MM:.0f} mm, inner edge to inner edge {gap:.0f} mm, "
        f"outer corner to opposite outer corner {diagonal:.0f} mm."
    )
    shapes.append(Words(sums, (x, bottom + 8.0), 1.9, INK))
    note = (
        "Instead of the mat: cut the four corners out, lay them on the table as a square, arrows away from seat 1, "
        f"and tape them down. The glued strip is as long as the gap between two markers: {gap:.0f} mm."
    )
    return [Content("Four loose corners", note, tuple(shapes))]


def calibration_sheet(paper: Paper) -> list[Content]:
    """The ChArUco board that `pizzatable calibrate` knows."""
    x, y = content_middle(paper)
    left, top = x - SHEET.width_mm / 2, y + SHEET.height_mm / 2
    side, inset = SHEET.square_mm, (SHEET.square_mm - SHEET.marker_mm) / 2
    squares, markers = [], []
    numbers = iter(SHEET.marker_ids)
    for row, column in product(range(SHEET.rows), range(SHEET.columns)):
        corner = (left + column * side, top - row * side)
        if (row + column) % 2 == 0:
            squares.append(box(corner[0], corner[1] - side, corner[0] + side, corner[1]))
        else:
            markers.append(marker(next(numbers), SHEET.marker_mm, (corner[0] + inset, corner[1] - inset)))
    note = (
        "Glue it on something flat and stiff. Take ten photos or more in which it lies at other places and leans other "
        "ways, also in the picture's corners; then: pizzatable calibrate --out lens.json photo-*.jpg"
    )
    return [Content("Calibration sheet", note, (Area(tuple(squares), fill=BLACK), *markers))]


def _mat_plan(paper: Paper) -> Content:
    x, y = content_middle(paper)
    scale = 0.4
    shapes: list[Shape] = [
        Placed((mat_drawing(),), (x, y + 30.0), scale=scale, clip=centred_box(MAT_MM, MAT_MM)),
        Area((centred_box(MAT_MM * scale, MAT_MM * scale, at=(x, y + 30.0)),), line=INK, width_mm=0.3),
    ]
    width, height = MAT_MM / COLUMNS * scale, MAT_MM / ROWS * scale
    for row, column in product(range(ROWS), range(COLUMNS)):
        middle = (x + (column - 1) * width, y + 30.0 + (0.5 - row) * height)
        shapes.append(Area((centred_box(width, height, at=middle),), line=INK, width_mm=0.3))
        shapes.append(Disc(middle, 8.0, fill=WHITE, line=INK))
        shapes.append(Words(_tile_name(row, column), (middle[0], middle[1] - 2.5), 5.0, INK, bold=True))
    steps = (
        "1  Print this file at 100 % and check the ruler on each page.",
        "2  Cut every sheet along its fine lines. Leave the hatched tabs on.",
        "3  Put glue on the tabs, lay the next sheet's edge on the fine line beside the tab: rings and frame go on.",
        f"4  Measure: {2 * OUTER_MM:.0f} mm between the outer edges of two markers, "
        f"{2 * OUTER_MM * math.sqrt(2):.1f} mm from outer corner to outer corner.",
        "5  Matt paper reads best. A print shop makes it in one piece from mat-print-shop.pdf.",
    )
    for number, step in enumerate(steps):
        shapes.append(Words(step, (x - 88.0, y - 66.0 - 8.0 * number), 2.4, INK, anchor=Anchor.START))
    note = "The mat tells the program where the table is. It comes on six sheets that are cut and glued."
    return Content("The mat: how its sheets lie", note, tuple(shapes))


def _mat_tile(paper: Paper, row: int, column: int, tile: tuple[float, float, float, float]) -> Content:
    left, bottom, right, top = tile
    has_right, has_below = column < COLUMNS - 1, row < ROWS - 1
    low, wide = bottom - TAB_MM * has_below, right + TAB_MM * has_right
    x, y = content_middle(paper)
    at = (x - (left + right) / 2, y - (bottom + top) / 2)
    shapes: list[Shape] = [Placed((mat_drawing(),), at, clip=box(left, low, wide, top))]
    marks: list[Shape] = []
    if has_right:
        marks += _hatched(box(right, bottom, wide, top))
    if has_below:
        marks += _hatched(box(left, low, right, bottom))
    marks.append(Area((box(left, low, wide, top),), line=INK, width_mm=0.1))
    for corner in product((left, right), (bottom, top)):
        marks += cut_cross(*corner, 8.0)
    shapes.append(Placed(tuple(marks), at))
    name = _tile_name(row, column)
    shapes.append(Words(name, (at[0] + left - 6.0, at[1] + top - 4.0), 4.0, INK, bold=True))
    tabs = " and ".join(side for side, has in (("right", has_right), ("below", has_below)) if has)
    what = f"The hatched tab ({tabs}) goes under the next sheet." if tabs else "It lies on the tabs of its neighbours."
    note = f"Sheet {name} of A1 to B3. Cut along the fine line. {what}"
    return Content(f"The mat, sheet {name}", note, tuple(shapes))


def _tile_name(row: int, column: int) -> str:
    return f"{'AB'[row]}{column + 1}"


def _hatched(tab: tuple[tuple[float, float], ...]) -> list[Shape]:
    left, bottom, right, top = tab[0][0], tab[0][1], tab[2][0], tab[2][1]
    span, lines = (right - left) + (top - bottom), []
    for step in range(1, int(span / 3.0) + 1):
        reach = step * 3.0
        start = (left + min(reach, right - left), bottom + max(0.0, reach - (right - left)))
        end = (left + max(0.0, reach - (top - bottom)), bottom + min(reach, top - bottom))
        lines.append(Stroke((start, end), FAINT, 0.1))
    middle = ((left + right) / 2, (bottom + top) / 2)
    upright = top - bottom > right - left
    at = (middle[0] + 0.9, middle[1]) if upright else (middle[0], middle[1] - 0.9)
    size = (6.0, 20.0) if upright else (20.0, 6.0)
    words = Words("glue here", at, 1.9, INK, turn_deg=90.0 if upright else 0.0)
    return [*lines, Area((centred_box(*size, at=middle),), fill=WHITE), words]


def _corner(number: int) -> list[Shape]:
    """A loose corner, the middle of its marker at the origin."""
    half, edge = MARKER_MM / 2, 30.0
    return [
        Area((centred_box(2 * edge, 2 * edge),), fill=WHITE, line=INK, width_mm=0.15),
        marker(number, MARKER_MM, (-half, half)),
        Words(f"{number}: {_NAMES[number]}", (0.0, -26.5), 2.6, INK, bold=True),
        Area((((-2.6, 22.6), (2.6, 22.6), (0.0, 27.6)),), fill=INK),
    ]


def _strip(half: int) -> list[Shape]:
    """Half of the strip that is as long as the gap between two markers."""
    length, width = INNER_MM, 18.0
    tab = 12.0 if half == 0 else 0.0
    shapes: list[Shape] = [Area((box(0.0, 0.0, length + tab, width),), fill=WHITE, line=INK, width_mm=0.15)]
    if tab:
        shapes += [Stroke(((length, 0.0), (length, width)), INK, 0.15)]
        shapes += [Words("glue", (length + tab / 2 + 0.9, width / 2), 1.9, FAINT, turn_deg=90.0)]
    words = f"strip {half + 1} of 2: glued end to end {2 * INNER_MM:.0f} mm, the gap between two markers"
    shapes.append(Words(words, (length / 2, width / 2 - 1.0), 2.2, INK))
    for end in (0.0, length):
        point = 3.0 if end == 0.0 else -3.0
        shapes.append(Area((((end, width / 2), (end + point, width / 2 + 2), (end + point, width / 2 - 2)),), fill=INK))
    return shapes
