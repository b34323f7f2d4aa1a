"""Kinds of score sheet that are hard to read, drawn from seeds: to fit likelihoods on, and to check them on others."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.kit.score_sheets import Bonus, SheetPrint, load_sheet_print
from tests.vision.drawn_sheet import (
    PX_PER_MM,
    Camera,
    DrawnSheet,
    Hand,
    blank_sheet,
    corners_px,
    pencil_all,
    photograph,
    rub_out,
    some_camera,
    some_hand,
)
from vision.frame import Image
from vision.sheets.layout import PrintedTopping

GRIDS = (None, (200, 225, 240), (225, 240, 215), (190, 215, 225), (235, 225, 215))
"""Colours that the pizza of a drawn sheet is filled with."""
SHARES, SHARES_ODDS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9), (0.05, 0.2, 0.25, 0.25, 0.2, 0.05)
"""Of its dots that are pencilled on a sheet at least, and how many sheets have so many."""
TOPPINGS = ("bacon", "basil", "chili", "mushroom", "olive", "onion", "pepper", "pineapple", "shrimp", "tomato")
"""Those that our kit draws alike each time."""
SLIPPED_DEG = 0.7
"""How far (standard deviation) a sheet turns while it is written on."""
SHARP_BLUR = 0.0004
"""Of a picture's width: the blur that every camera has,"""
BLURS = (0.0005, 0.0019)
"""and that of one out of focus."""
LEVELS = (235.0, 510.0)
"""Levels of paper in much light, in its brightest colour."""
DISCS, MOVED = 0.35, 0.2
"""The shares of them that show a point as a disc, or moved as well; the others blur by a Gaussian."""
Placed = tuple[Image, NDArray[np.float64]]
Change = Callable[[Hand, Camera, np.random.Generator], tuple[Hand, Camera]]


def _plain(hand: Hand, camera: Camera, _: np.random.Generator) -> tuple[Hand, Camera]:
    return hand, camera


def _faint(hand: Hand, camera: Camera, rng: np.random.Generator) -> tuple[Hand, Camera]:
    firm = float(rng.uniform(0.22, 0.4))
    return replace(hand, darkness=(firm * 0.8, firm * 1.2)), camera


def _tilted(hand: Hand, camera: Camera, rng: np.random.Generator) -> tuple[Hand, Camera]:
    return hand, replace(camera, tilt=float(rng.uniform(0.12, 0.25)), px_per_mm=min(camera.px_per_mm, 3.5))


def _blurred(hand: Hand, camera: Camera, rng: np.random.Generator) -> tuple[Hand, Camera]:
    return hand, replace(camera, blur_px=float(rng.uniform(0.4, 0.62)) * camera.px_per_mm)


def _dim(hand: Hand, camera: Camera, rng: np.random.Generator) -> tuple[Hand, Camera]:
    white = tuple(float(level) for level in rng.uniform(45, 80) * rng.uniform(0.65, 1.0, 3))
    return hand, replace(camera, white=(white[0], white[1], white[2]), noise=float(rng.uniform(2, 5)))


def _far(hand: Hand, camera: Camera, rng: np.random.Generator) -> tuple[Hand, Camera]:
    return hand, replace(camera, px_per_mm=float(rng.uniform(1.65, 2.1)), blur_px=float(rng.uniform(0.4, 0.9)))


def _thick(hand: Hand, camera: Camera, rng: np.random.Generator) -> tuple[Hand, Camera]:
    return replace(hand, line_mm=(0.9, 1.3), dot_mm=(1.2, 2.0)), camera


def _thin(hand: Hand, camera: Camera, rng: np.random.Generator) -> tuple[Hand, Camera]:
    return replace(hand, line_mm=(0.3, 0.45), dot_mm=(0.85, 1.2), darkness=(0.5, 0.85)), camera


def _wild(hand: Hand, camera: Camera, _: np.random.Generator) -> tuple[Hand, Camera]:
    return replace(hand, wobble_mm=0.7, off_mm=0.75), camera


def _on_a_table(hand: Hand, camera: Camera, rng: np.random.Generator) -> tuple[Hand, Camera]:
    return hand, replace(
        camera,
        size=(1280, 720),
        px_per_mm=float(rng.uniform(1.35, 1.75)),
        tilt=float(rng.uniform(0, 0.06)),
        blur_px=float(rng.uniform(0.6, 1.3)),
        noise=float(rng.uniform(1.0, 3.5)),
    )


def _out_of_focus(hand: Hand, camera: Camera, rng: np.random.Generator) -> tuple[Hand, Camera]:
    """By a Gaussian, a disc, or a movement as well; pencil from the faintest to the firmest."""
    firm, width = float(rng.uniform(0.22, 0.95)), camera.size[0]
    blur_px = float(rng.uniform(*BLURS)) * width
    shape, turn = rng.random(), rng.uniform(0.0, np.pi)
    gauss, disc, moved = blur_px, 0.0, 0.0
    if shape < DISCS:  # a disc's deviation is half its radius
        gauss, disc = SHARP_BLUR * width, 2.0 * blur_px
    elif shape < DISCS + MOVED:  # of what is evenly spread the deviation is its length divided by the root of twelve
        gauss, moved = 0.7 * blur_px, float(rng.uniform(0.5, 1.5)) * blur_px * np.sqrt(12.0)
    return replace(hand, darkness=(hand.darkness[0] / hand.darkness[1] * firm, min(1.0, 1.2 * firm))), replace(
        camera,
        blur_px=float(np.hypot(gauss, SHARP_BLUR * width)),
        disc_px=disc,
        moved_px=(moved * float(np.cos(turn)), moved * float(np.sin(turn))),
    )


def _out_of_focus_on_a_table(hand: Hand, camera: Camera, rng: np.random.Generator) -> tuple[Hand, Camera]:
    scale = camera.size[0] / 1280
    near = replace(camera, px_per_mm=float(rng.uniform(1.35, 1.9)) * scale, tilt=float(rng.uniform(0, 0.06)))
    return _out_of_focus(hand, replace(near, noise=float(rng.uniform(0.8, 4.0))), rng)


def _too_bright(hand: Hand, camera: Camera, rng: np.random.Generator) -> tuple[Hand, Camera]:
    """Paper is up to twice as bright as the picture shows; pencil from faint to firm, near, far or around a mat."""
    firm = float(rng.uniform(0.25, 0.95))
    hand = replace(hand, darkness=(hand.darkness[0] / hand.darkness[1] * firm, min(1.0, 1.2 * firm)))
    change = (_plain, _blurred, _far, _tilted, _on_a_table, _on_a_table)[int(rng.integers(6))]
    hand, camera = change(hand, camera, rng)
    level, tint = rng.uniform(*LEVELS), rng.uniform(0.0, 0.25)
    white = tuple(float(one) for one in level * rng.uniform(1.0 - tint, 1.0, 3))
    return hand, replace(camera, white=(white[0], white[1], white[2]))


def _too_bright_and_out_of_focus(hand: Hand, camera: Camera, rng: np.random.Generator) -> tuple[Hand, Camera]:
    hand, bright = _too_bright(hand, camera, rng)
    change = (_out_of_focus, _out_of_focus_on_a_table)[int(rng.integers(2))]
    hand, blurred = change(hand, camera, rng)
    return hand, replace(blurred, white=bright.white)


def _thin_and_too_bright(hand: Hand, camera: Camera, rng: np.random.Generator) -> tuple[Hand, Camera]:
    bright = _too_bright(hand, camera, rng)[1]
    return _thin(hand, bright, rng)


TRAINED: Mapping[str, Change] = {
    "plain": _plain,
    "faint": _faint,
    "tilted": _tilted,
    "blurred": _blurred,
    "dim": _dim,
    "far": _far,
}
"""Kinds that likelihoods are fitted on."""
ASIDE: Mapping[str, Change] = {
    "thick pencil": _thick,
    "thin pencil": _thin,
    "shaken": _plain,
    "hard shadow": _plain,
    "wild hand": _wild,
}
"""Kinds that they are only checked on."""
ON_A_TABLE: Mapping[str, Change] = {"on a table": _on_a_table}
"""As sheets lie around a mat, and were seen when blank: likelihoods for those are fitted on it, too."""
OUT_OF_FOCUS: Mapping[str, Change] = {
    "out of focus": _out_of_focus,
    "out of focus on a table": _out_of_focus_on_a_table,
}
"""Blurred by up to a five-hundredth of the picture's width: likelihoods of their own are fitted on them."""
TOO_BRIGHT: Mapping[str, Change] = {
    "too bright": _too_bright,
    "too bright and out of focus": _too_bright_and_out_of_focus,
}
"""Paper is brighter than the picture shows: likelihoods of their own are fitted on them,"""
TOO_BRIGHT_ASIDE: Mapping[str, Change] = {"too bright, thin pencil": _thin_and_too_bright}
"""and are only checked on these."""
KINDS: Mapping[str, Change] = {
    **TRAINED,
    **ASIDE,
    **ON_A_TABLE,
    **OUT_OF_FOCUS,
    "too bright": _too_bright,
    **TOO_BRIGHT_ASIDE,
    "too bright and out of focus": _too_bright_and_out_of_focus,
}
"""Their order counts: it is a part of each seed."""


def drawn_of_kind(kind: str, seed: int) -> tuple[DrawnSheet, Image]:
    """A sheet of this kind and a picture of it."""
    drawn = _drawn(kind, seed)
    return drawn.sheet, drawn.image


def drawn_after_blank(kind: str, seed: int) -> tuple[DrawnSheet, Image, Image]:
    """A sheet of this kind, a picture of it, and one that the same camera took when it was blank: since then the light
    has changed a little, and the sheet has slipped."""
    drawn = _drawn(kind, seed)
    return drawn.sheet, drawn.image, drawn.blank()


def drawn_and_placed(kind: str, seed: int) -> tuple[DrawnSheet, Placed, Placed]:
    """As `drawn_after_blank`, each picture with where it shows the corners (4 x 2): markers that are too blurred
    to be decoded do not tell, on a table the mat does."""
    drawn = _drawn(kind, seed)
    now, then = (corners_px(drawn.sheet, deepcopy(drawn.rng), camera) for camera in (drawn.camera, drawn.slipped))
    return drawn.sheet, (drawn.image, now), (drawn.blank(), then)


def drawn_where(kind: str, seed: int) -> tuple[DrawnSheet, Image, NDArray[np.float64]]:
    """A sheet of this kind, a picture of it, and where that shows its corners (4 x 2)."""
    drawn = _drawn(kind, seed)
    return drawn.sheet, drawn.image, corners_px(drawn.sheet, deepcopy(drawn.rng), drawn.camera)


@dataclass(frozen=True)
class _Drawn:
    """A sheet, a picture of it, and how one was taken of it when it was blank."""

    sheet: DrawnSheet
    image: Image
    camera: Camera
    slipped: Camera
    """As it was when the sheet was blank."""
    rng: np.random.Generator
    """Both pictures' randomness,"""
    noise: np.random.Generator
    """but for the noise of that of the blank sheet."""

    def blank(self) -> Image:
        """That picture, once."""
        bare = replace(self.sheet, pencil=np.ones_like(self.sheet.pencil), marks=set())
        return photograph(bare, deepcopy(self.rng), self.slipped, self.noise)


def _drawn(kind: str, seed: int) -> _Drawn:
    rng = np.random.default_rng([seed, list(KINDS).index(kind)])
    printed = _some_print(load_sheet_print(), rng)
    sheet = blank_sheet(printed, grid=GRIDS[int(rng.integers(len(GRIDS)))])
    if rng.random() < 0.6:
        _print_border(sheet, rng)
    hand, camera = KINDS[kind](_uneven(some_hand(rng), rng), some_camera(rng), rng)
    pencil_all(sheet, rng, hand, share=float(rng.choice(SHARES, p=SHARES_ODDS)))
    if rng.random() < 0.6:
        rub_out(sheet, rng, hand, int(rng.integers(4, 20)))
    as_then = deepcopy(rng)
    image = photograph(sheet, rng, camera)
    if kind == "shaken":
        image = _shaken(image, rng, camera.px_per_mm)
    if kind == "hard shadow":
        image = _shadowed(image, rng)

    noise = np.random.default_rng([seed, list(KINDS).index(kind), 1])
    slipped = replace(
        camera,
        turn_deg=camera.turn_deg + float(noise.normal(0, SLIPPED_DEG)),
        white=tuple(level * float(noise.uniform(0.93, 1.05)) for level in camera.white),  # type: ignore[arg-type]
    )
    return _Drawn(sheet, image, camera, slipped, as_then, noise)


def _uneven(hand: Hand, rng: np.random.Generator) -> Hand:
    """Nobody presses evenly, and some forget much."""
    return replace(
        hand,
        darkness=(hand.darkness[0] * float(rng.uniform(0.65, 1.1)), hand.darkness[1]),
        line_mm=(float(rng.uniform(0.3, 0.5)), float(rng.uniform(0.5, 0.9))),
        off_mm=float(rng.uniform(0.2, 0.6)),
        wobble_mm=float(rng.uniform(0.05, 0.45)),
        forgets=float(rng.choice([0.03, 0.15, 0.4])),
    )


def _print_border(sheet: DrawnSheet, rng: np.random.Generator) -> None:
    """Join the outer dots."""
    layout = sheet.layout
    (x0, y0), (x1, y1) = (layout.dot_mm(dot) for dot in ((0, 0), (layout.columns - 1, layout.rows - 1)))
    (left, top), (right, bottom) = (
        ((x + layout.size_mm[0] / 2) * PX_PER_MM, (layout.size_mm[1] / 2 - y) * PX_PER_MM)
        for x, y in ((x0, y0), (x1, y1))
    )
    colour = tuple(float(level) for level in np.sort(rng.uniform(0.3, 0.9, 3)))
    width = round(float(rng.uniform(0.15, 0.45)) * PX_PER_MM)
    cv2.rectangle(sheet.ink, (round(left), round(top)), (round(right), round(bottom)), colour, width, cv2.LINE_AA)


def _some_print(printed: SheetPrint, rng: np.random.Generator) -> SheetPrint:
    """Our own, or the same grid with other toppings in other squares, other bonuses and dots of another size."""
    layout = printed.layout
    if rng.random() < 0.3:
        return printed
    kinds = [str(kind) for kind in rng.choice(TOPPINGS, 4, replace=False)]
    squares = [(c, r) for c in range(layout.columns - 1) for r in range(layout.rows - 1)]
    toppings = []
    for number in rng.choice(len(squares), int(rng.integers(12, 36)), replace=False):
        square = squares[int(number)]
        x, y = layout.dot_mm(square)
        centre = (x + layout.pitch_mm / 2, y - layout.pitch_mm / 2)
        kind = kinds[int(rng.integers(len(kinds)))]
        toppings.append(PrintedTopping(square, kind, centre, layout.toppings[0].size_mm))
    bonuses = tuple(
        Bonus(tuple(str(kind) for kind in rng.choice(kinds, int(rng.integers(1, 4)))), int(rng.choice([3, 8, 12, 40])))
        for _ in layout.boxes
    )
    changed = replace(layout, toppings=tuple(toppings))
    return replace(printed, layout=changed, bonuses=bonuses, dot_mm=float(rng.uniform(0.6, 1.1)))


def _shaken(image: Image, rng: np.random.Generator, px_per_mm: float) -> Image:
    """The camera moved while the picture was taken."""
    length, turn = float(rng.uniform(0.5, 1.0)) * px_per_mm, rng.uniform(0, np.pi)
    kernel = np.zeros((9, 9), np.float32)
    for at in np.linspace(-length / 2, length / 2, 40):
        row, column = np.clip(np.round(4 + at * np.array([np.sin(turn), np.cos(turn)])), 0, 8).astype(int)
        kernel[row, column] += 1
    weights = np.asarray(cv2.GaussianBlur(kernel, (3, 3), 0.5) / 40.0, np.float32)
    return np.asarray(cv2.filter2D(image, -1, weights), np.uint8)


def _shadowed(image: Image, rng: np.random.Generator) -> Image:
    """Something between a lamp and the table."""
    height, width = image.shape[:2]
    y, x = np.indices((height, width), np.float32) / width
    turn, place = rng.uniform(0, 2 * np.pi), rng.uniform(-0.15, 0.15)
    side = (x - 0.5) * np.cos(turn) + (y - height / width / 2) * np.sin(turn) - place
    shade = 1.0 - rng.uniform(0.2, 0.5) / (1.0 + np.exp(np.clip(-side / rng.uniform(0.002, 0.02), -30, 30)))
    return np.asarray(np.clip(image * shade[..., None], 0, 255), np.uint8)
