"""The pictures to learn from, by source: real photographs with boxes, rendered tables with truth, dice of our own."""

import csv
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.vision import drawn_board, drawn_table
from tests.vision.drawn_cloths import draw_cloth
from tests.vision.drawn_clutter import draw_clutter, draw_thing
from tests.vision.drawn_dice import (
    Die,
    DrawnDie,
    TableView,
    as_photographed,
    die_style,
    draw_dice,
    photograph_dice,
)
from vision.dice.finder import ground
from vision.dice.patches import UPRIGHT, Ground, Pyramid
from vision.frame import Image
from vision.mat.errors import RegistrationError
from vision.mat.registration import Registration, find_mat

Array = NDArray[np.float64]

PHOTOS = Path(__file__).parents[3].parent / "shared" / "photos"
SOURCES = ("nellbyler", "epanemu", "table")
"""Those with boxes. kamil has none; it is never learned from."""
REACH_MM = 230.0
"""On own tables, so far from the mat's middle things lie."""
PRINT_PX_PER_MM = 3.0
LOW_DEG = (35.0, 70.0)
"""How far the camera is tilted in pictures from low down."""
SIXES = 0.3
DIM = 0.7
SHINY = 0.85
SOLD = 0.9
"""So many dice of such pictures show a 6, have pips that are hardly lighter or darker than they, are polished, or look
as dice in shops do."""


@dataclass(frozen=True)
class Example:
    """A picture and its dice."""

    source: str
    name: str
    image: Image
    boxes: Array
    """n x 4: left, top, right, bottom in pixels."""
    values: NDArray[np.int64]
    """1 to 6; 0 is a die whose top cannot be read; -1 is left alone."""
    tops: Array
    """n x 4 x 2 corners of the top faces, NaN where unknown."""
    grounds: tuple[Ground | None, ...]
    """How the table is seen at each die, where that is known."""
    turnable: bool
    """Whether it is seen from so high above that any side may be up."""
    scale_px: float | None = None
    """How wide a die would be, where there is none."""
    registration: Registration | None = None
    """Where the mat shows."""

    @property
    def sizes(self) -> Array:
        """The square root of each box's area."""
        return np.asarray(np.sqrt(np.prod(self.boxes[:, 2:] - self.boxes[:, :2], axis=1)))

    @property
    def centres(self) -> Array:
        """The middle of each box."""
        return np.asarray((self.boxes[:, 2:] + self.boxes[:, :2]) / 2)

    def ground_at(self, place: Array, rng: np.random.Generator) -> Ground | None:
        """How the table is seen at a pixel; what lies flat in a picture from above may have been seen from anywhere."""
        if self.registration is not None:
            return ground(self.registration, place)
        if self.source == "clutter":
            way, far = rng.uniform(0, 2 * np.pi), rng.uniform(0.0, 0.5)
            return Ground(UPRIGHT.plane, far * np.array([np.cos(way), np.sin(way)]))
        return next((known for known in self.grounds if known is not None), None)


def load(source: str) -> list[Example]:
    """All pictures of a source that have labels."""
    return {"nellbyler": _nellbyler, "epanemu": _epanemu, "table": _table}[source]()


def drawn(count: int, first_seed: int, jobs: int = 1) -> list[Example]:
    """So many pictures of our own."""
    return many(draw_one, count, first_seed, jobs)


def drawn_from_aside(count: int, first_seed: int, jobs: int = 1) -> list[Example]:
    """So many pictures of our own that are seen from low down."""
    return many(_draw_low, count, first_seed, jobs)


def drawn_sixes(count: int, first_seed: int, jobs: int = 1) -> list[Example]:
    """So many pictures of our own with many a 6, every second one seen from low down."""
    return many(_draw_sixes, count, first_seed, jobs)


def drawn_dim(count: int, first_seed: int, jobs: int = 1) -> list[Example]:
    """So many pictures of our own with many a die whose pips differ from it in colour alone."""
    return many(_draw_dim, count, first_seed, jobs)


def drawn_shiny(count: int, first_seed: int, jobs: int = 1) -> list[Example]:
    """So many pictures of our own with many a die that mirrors the lamps above it."""
    return many(_draw_shiny, count, first_seed, jobs)


def drawn_sold(count: int, first_seed: int, jobs: int = 1) -> list[Example]:
    """So many pictures of our own with many a die in the colours of dice in shops, polished, on a plain table."""
    return many(_draw_sold, count, first_seed, jobs)


def drawn_rows(count: int, first_seed: int, jobs: int = 1) -> list[Example]:
    """So many pictures of our own with dice of one make flush in a row or in two."""
    return many(_draw_rows, count, first_seed, jobs)


def clutter(count: int, first_seed: int, jobs: int = 1) -> list[Example]:
    """So many pictures of our own without any die."""
    return many(_draw_clutter, count, first_seed, jobs)


def many(make: Callable[[int], Example], count: int, first_seed: int, jobs: int) -> list[Example]:
    """What is made of so many seeds, by so many processes."""
    seeds = range(first_seed, first_seed + count)
    if jobs <= 1:
        return [make(seed) for seed in seeds]
    with ProcessPoolExecutor(jobs, initializer=cv2.setNumThreads, initargs=(1,)) as pool:
        return list(pool.map(make, seeds, chunksize=8))


def without_dice(image: Image, number: int) -> Example:
    """A picture without dice; the number names it."""
    none = np.empty((0, 4))
    return Example(
        "clutter", f"clutter-{number}", image, none, np.empty(0, np.int64), np.empty((0, 4, 2)), (), True, 30.0
    )


def cloths(count: int, first_seed: int, jobs: int = 1) -> list[Example]:
    """So many surfaces with a pattern, with dice of our own on half of them."""
    return many(_cloth, count, first_seed, jobs)


def _cloth(seed: int) -> Example:
    rng = np.random.default_rng(seed)
    if seed % 2:
        image = as_photographed(rng, draw_cloth(rng).astype(np.float64))
        return without_dice(image, seed)
    image, dice, _ = draw_dice(rng, cloth=draw_cloth(rng))
    return as_example(image, dice, f"cloth-{seed}")


def own_tables(count: int, first_seed: int, jobs: int = 1) -> list[Example]:
    """So many drawn tables with slices and cards, or Pizza Theory's board, or flat prints of all kinds on them; dice
    too on half of them."""
    return many(own_table, count, first_seed, jobs)


def own_table(seed: int, *, dice: bool | None = None, prints: bool | None = None) -> Example:
    """One of them; `dice` and `prints` say whether there are some."""
    rng = np.random.default_rng(seed)
    view = drawn_table.View(
        height_mm=float(rng.uniform(620, 950)), tilt=float(rng.uniform(0, 0.3)), turn_deg=float(rng.uniform(0, 360)),
        noise=0.0, blur=0.01, seed=seed,
    )  # fmt: skip
    table = _with_board(rng, view) if rng.random() < 0.4 else _with_pieces(rng, view)
    try:
        viewer = TableView(find_mat(table))
    except RegistrationError:
        return own_table(seed + 100_000, dice=dice, prints=prints)
    if (rng.random() < 0.5) if prints is None else prints:
        table = lay_prints(rng, table, viewer.registration)
    side = float(np.exp(rng.uniform(np.log(12), np.log(50))))
    some = (rng.random() < 0.5) if dice is None else dice
    places = rng.uniform(-REACH_MM, REACH_MM, (8, 2)) if some else np.empty((0, 2))
    apart = [i for i, at in enumerate(places) if all(np.linalg.norm(at - b) > 1.5 * side for b in places[:i])]
    on_it = [
        Die(
            float(places[i][0]),
            float(places[i][1]),
            side,
            float(rng.uniform(0, 90)),
            int(rng.integers(1, 7)),
            die_style(rng),
        )
        for i in apart
    ]
    image, truth = photograph_dice(rng, table, on_it, viewer)
    image = np.asarray(np.clip(image * np.exp(rng.normal(0, 0.15, 3) + rng.normal(-0.1, 0.25)), 0, 255), np.uint8)
    image = np.asarray(cv2.GaussianBlur(image, (0, 0), rng.uniform(0.3, 1.2)), np.uint8)
    example = replace(as_example(image, truth, f"own-{seed}"), registration=viewer.registration)
    scale = float(np.sqrt(abs(np.linalg.det(ground(viewer.registration, np.array([640.0, 360.0])).plane))))
    return replace(example, source="own table", turnable=True, scale_px=20.0 * scale)


def _with_pieces(rng: np.random.Generator, view: drawn_table.View) -> Image:
    faces = (*drawn_table.FACES, *drawn_table.SPECIALS, "slice/one", "slice/two", "order/one", "order/two")
    pieces = []
    for _ in range(int(rng.integers(3, 14))):
        face, (x, y) = str(rng.choice(faces)), rng.uniform(-170, 170, 2)
        pieces.append(drawn_table.Piece(face, float(x), float(y), float(rng.uniform(0, 360))))
    return drawn_table.photograph(pieces, view)


def _with_board(rng: np.random.Generator, view: drawn_table.View) -> Image:
    colours = list(drawn_board.COLOURS)
    spaces = {name: str(rng.choice(colours)) for name in drawn_board.every_space() if rng.random() < 0.4}
    x_mm, y_mm = map(float, rng.uniform(-60, 60, 2))
    board = drawn_board.Board(x_mm, y_mm, float(rng.uniform(0, 360)), spaces)
    loose = {str(rng.choice(colours)): [(float(x), float(y)) for x, y in rng.uniform(-180, 180, (4, 2))]}
    return drawn_board.draw(board, view, loose=loose)


def draw_one(seed: int) -> Example:
    image, dice, _ = draw_dice(np.random.default_rng(seed))
    return as_example(image, dice, f"drawn-{seed}")


def _draw_low(seed: int) -> Example:
    image, dice, _ = draw_dice(np.random.default_rng(seed), tilts_deg=LOW_DEG)
    return as_example(image, dice, f"low-{seed}")


def _draw_sixes(seed: int) -> Example:
    image, dice, _ = draw_dice(np.random.default_rng(seed), tilts_deg=LOW_DEG if seed % 2 else None, sixes=SIXES)
    return as_example(image, dice, f"six-{seed}")


def _draw_dim(seed: int) -> Example:
    image, dice, _ = draw_dice(np.random.default_rng(seed), dim=DIM)
    return as_example(image, dice, f"dim-{seed}")


def _draw_shiny(seed: int) -> Example:
    image, dice, _ = draw_dice(np.random.default_rng(seed), shiny=SHINY)
    return as_example(image, dice, f"shiny-{seed}")


def _draw_sold(seed: int) -> Example:
    image, dice, _ = draw_dice(np.random.default_rng(seed), sold=SOLD)
    return as_example(image, dice, f"sold-{seed}")


def _draw_rows(seed: int) -> Example:
    image, dice, _ = draw_dice(np.random.default_rng(seed), rows=True)
    return as_example(image, dice, f"row-{seed}")


def _draw_clutter(seed: int) -> Example:
    return without_dice(draw_clutter(np.random.default_rng(seed)), seed)


def as_example(image: Image, dice: Sequence[DrawnDie], name: str) -> Example:
    """A drawn picture as an example. Dice seen from low down stand upright in it."""
    boxes = np.array([die.box for die in dice], np.float64).reshape(-1, 4)
    low = any(abs(np.linalg.det(die.to_px)) < 0.8 * np.linalg.norm(die.to_px[:, 0]) ** 2 for die in dice)
    return Example(
        "drawn", name, image, boxes, np.array([die.value for die in dice], np.int64),
        np.array([die.top_px for die in dice]).reshape(-1, 4, 2), tuple(_ground_of(die) for die in dice), not low,
        30.0,
    )  # fmt: skip


def _ground_of(die: DrawnDie) -> Ground:
    plane = die.to_px * 10.0
    return Ground(plane, np.linalg.solve(plane, die.top_px.mean(0) - die.foot_px.mean(0)))


def lay_prints(rng: np.random.Generator, table: Image, registration: Registration) -> Image:
    """A table with things lying flat on it that are no dice."""
    wide = round(2 * REACH_MM * PRINT_PX_PER_MM)
    seed = int(rng.integers(2**31))
    sheets = []
    for level in (0, 255):
        again = np.random.default_rng(seed)
        sheet = np.full((wide, wide, 3), level, np.uint8)
        unit = float(np.exp(again.uniform(np.log(12), np.log(40)))) * PRINT_PX_PER_MM
        for _ in range(int(again.integers(3, 16))):
            draw_thing(again, sheet, again.uniform(0, wide, 2), unit * float(np.exp(again.normal(0, 0.2))))
        sheets.append(sheet.astype(np.float32))
    share = 1.0 - (sheets[1] - sheets[0]).max(2, keepdims=True) / 255.0
    corners = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) * REACH_MM
    source = np.array([[0, 0], [wide, 0], [wide, wide], [0, wide]], np.float32) - 0.5
    warp = cv2.getPerspectiveTransform(source, registration.to_picture(corners).astype(np.float32))
    laid = cv2.warpPerspective(
        np.dstack([sheets[0], share]), warp, (table.shape[1], table.shape[0]), flags=cv2.INTER_AREA
    )
    return np.asarray(np.clip(table * (1.0 - laid[..., 3:]) + laid[..., :3], 0, 255), np.uint8)


def _nellbyler() -> list[Example]:
    rows: dict[str, list[list[float]]] = {}
    for row in csv.DictReader((PHOTOS / "dice/nellbyler/labels.csv").open()):
        box = [float(row[key]) * 640 for key in ("xmin", "ymin", "xmax", "ymax")]
        rows.setdefault(row["image"], []).append([*box, float(row["value"])])
    return [_photo("nellbyler", name, dice, turnable=True) for name, dice in sorted(rows.items())]


def _epanemu() -> list[Example]:
    rows: dict[str, list[list[float]]] = {}
    for row in csv.DictReader((PHOTOS / "dice/epanemu/labels.csv").open()):
        box = [float(row[key]) for key in ("xmin", "ymin", "xmax", "ymax")]
        rows.setdefault(row["image"], []).append([*box, float(row["value"])])
    return [_photo("epanemu", name, dice, turnable=False) for name, dice in sorted(rows.items())]


def _photo(source: str, name: str, dice: list[list[float]], *, turnable: bool) -> Example:
    image = cv2.imread(str(PHOTOS / "dice" / source / "images" / name))
    assert image is not None, name
    table = np.array(dice)
    unknown = np.full((len(dice), 4, 2), np.nan)
    values = table[:, 4].astype(np.int64)
    return Example(source, name, np.asarray(image), table[:, :4], values, unknown, (None,) * len(dice), turnable)


def _table() -> list[Example]:
    examples = []
    for path in sorted((PHOTOS / "table").glob("*.json")):
        truth = json.loads(path.read_text())
        if not isinstance(truth, dict) or "pieces" not in truth:
            continue
        image = cv2.imread(str(path.with_suffix(".jpg")))
        assert image is not None, path
        dice = [piece for piece in truth["pieces"] if piece["kind"] == "die"]
        outlines = [np.array(piece["outline_px"]) for piece in dice]
        boxes = np.array([[*outline.min(0), *outline.max(0)] for outline in outlines]).reshape(-1, 4)
        values = np.array([int(piece.get("value") or -1) for piece in dice], np.int64)
        tops = np.array([_top(piece) for piece in dice]).reshape(-1, 4, 2)
        camera = truth["camera"]
        px_per_mm = camera["K"][0][0] / np.linalg.norm(camera["t"])
        examples.append(
            Example(
                "table", path.stem, np.asarray(image), boxes, values, tops, (None,) * len(dice), True,
                20.0 * px_per_mm, _mat_of(np.asarray(image, np.uint8)),
            )
        )  # fmt: skip
    return examples


def _mat_of(image: Image) -> Registration | None:
    try:
        return find_mat(image)
    except RegistrationError:
        return None


def _top(piece: dict[str, object]) -> Array:
    return np.array(piece.get("top_face_px", np.full((4, 2), np.nan)), np.float64)


def pyramids(examples: Sequence[Example]) -> list[Pyramid]:
    """A pyramid of each picture."""
    return [Pyramid(example.image) for example in examples]
