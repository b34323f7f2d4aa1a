"""Tables seen from above with drawn things strewn over them, for training the network that outlines things.

The tables are the simulator's, with others' cloths and planks beyond the mat; the things are of
tests/vision/drawn_things.py, the hands of drawn_hands.py. Nothing of the path tracer in tests/rigs/traced is learned
from, and no photograph.

Run, in the project's own environment: python -m tests.rigs.things_training.scenes /tmp/scenes --tables 400
"""

import argparse
import pickle
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from random import Random

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulated.surroundings import Conditions
from tests.benchmarks.simulated_pieces import FAMILIES, photograph
from tests.rigs.things_training.scene import STEP_OF_LIGHT, VARIANTS, Scene
from tests.vision.drawn_cloths import draw_cloth
from tests.vision.drawn_dice import background
from tests.vision.drawn_hands import lay_hand, some_hand
from tests.vision.drawn_lamps import GAMMA, Lights, lamp_pool, moved, some_lights, something_above
from tests.vision.drawn_things import PX_MM, lay, some_thing
from vision.frame import Image
from vision.hiding.cells import CoarseMap, coarse_map
from vision.hiding.outlining import changes, mat_of, shrunk
from vision.masks import Mask
from vision.mat.errors import RegistrationError
from vision.mat.rectify import table_map
from vision.mat.registration import find_mat
from vision.pieces.from_above import FromAbove
from vision.scene import PieceKind

Floats = NDArray[np.float32]
Rng = np.random.Generator

FAMILY_NAMES = ("tiles", "cards", "theory", "boards", "pizzeria", "fans", "dice")
BY_FORM = ("board", "sheet", "die")
"""What lies on these another finder says."""
BARE, LIE_THERE = 0.1, (0.1, 1.0)
"""The share of tables on which no piece but a board lies; on the others lies such a share of all pieces."""
LOOSE_CORNERS = 0.2
"""The share of tables without a mat."""
OTHER_GROUND, OTHER_MAT, OTHER_LAMPS = 0.5, 0.4, 0.8
"""Shares of the scenes whose ground beyond the mat is another, whose mat is of another colour, and on which other lamps
shine."""
MOST_THINGS, EMPTY, WITH_HANDS = 12, 0.3, 0.2
STOOD, GONE = (0.7, 0.2, 0.1), 0.25
"""The shares of watched tables on which none, three in ten or all of the things lay from the start, and on which others
were taken away."""
CAME, NUDGED = 0.2, 0.15
"""The shares of pieces that came since, and that were pushed a little."""
OTHER_LIGHT, SWAY = 0.5, 0.4
"""The share of watched tables whose light was another at the start; how far it is seen askew (pixels)."""
HARD, HARDER = 0.3, 0.1
"""The share of tables on which shadows of things have much harder edges, so much as wide."""
BLOCK_MM = 3.8, 6.5
"""So large are the blocks of small pictures (`vision.motion`)."""
UNREAD = 0.08
"""The share of pieces that were not read: what they are is not asked."""
PART = 40
"""So many tables go into one file."""
FIRST_SEED = 1_000_000
COVERED = 0.4
"""Nor is a piece read that things cover so much of."""


@dataclass(frozen=True)
class Table:
    """A table seen from above, with what lies there."""

    fine: Image
    """See `vision.hiding.outlining.shrunk`."""
    seen: Mask
    mat: Mask
    ground: Mask
    """255 beside the mat."""
    pieces: list[tuple[str, Mask]]
    """Kind, and 255 in the cells of each piece, bottom first."""


def simulated(seed: int) -> Table | None:
    """A simulated table; None where its mat is not found."""
    rng = Random(seed)
    family = FAMILIES[rng.choice(FAMILY_NAMES)]
    views, conditions = family.table(rng), Conditions.random(rng)
    share = 0.0 if rng.random() < BARE else rng.uniform(*LIE_THERE)
    views = [view for view in views if view.kind is PieceKind.BOARD or rng.random() < share]
    if rng.random() < LOOSE_CORNERS:
        corners = tuple((rng.gauss(0, 4), rng.gauss(0, 4), rng.gauss(0, 3)) for _ in range(4))
        conditions = replace(conditions, corners=corners)
    image, labels = photograph(family, views, conditions)
    try:
        registration = find_mat(image)
    except RegistrationError:
        return None
    view = FromAbove(image, table_map(registration), registration)
    coarse = coarse_map(view.table)
    pieces = [
        (str(piece["kind"]), coarse.polygons([registration.to_table(np.array(piece["outline_px"]))]))
        for piece in labels["pieces"]
        if "outline_px" in piece
    ]
    return Table(shrunk(view.looked, coarse), coarse.seen, mat_of(coarse), _beside(coarse), pieces)


def _beside(coarse: CoarseMap) -> Mask:
    return coarse.seen & ~np.asarray(cv2.dilate(mat_of(coarse), np.ones((5, 5), np.uint8)), np.uint8)


def scenes(table: Table, rng: Rng) -> Iterator[Scene]:
    """Some of this table."""
    for _ in range(VARIANTS):
        yield _scene(table, rng)


def _scene(table: Table, rng: Rng) -> Scene:
    picture = table.fine.astype(np.float32)
    _other_surfaces(rng, picture, table)
    lights = some_lights(rng)
    if rng.random() < HARD:
        lights = Lights(tuple(replace(lamp, soft=lamp.soft * HARDER) for lamp in lights.lamps), lights.room)
    if rng.random() < OTHER_LAMPS:
        _light(rng, picture)
    count = 0 if rng.random() < EMPTY else int(rng.integers(1, MOST_THINGS + 1))
    stood = rng.binomial(count, float(rng.choice([0.0, 0.3, 1.0], p=STOOD)))
    things = _strew(rng, picture, stood, lights)
    before = picture.copy()
    things = np.maximum(things, _strew(rng, picture, count - stood, lights))
    if rng.random() < GONE:
        _strew(rng, before, int(rng.integers(1, 5)), lights)
    if rng.random() < WITH_HANDS:
        things = np.maximum(things, _reach_over(rng, picture))
    pieces, asked = _known(rng, table, things)
    cells = np.asarray(cv2.resize(things, pieces.shape[::-1], interpolation=cv2.INTER_AREA), np.float32)
    camera = _some_camera(rng)
    now = _photographed(rng, picture, camera)
    light, known = _changed(rng, table, before, now, camera)
    return Scene(now, pieces, table.mat, table.seen, np.round(cells * 255).astype(np.uint8), asked, light, known)


def _strew(rng: Rng, picture: Floats, count: int, lights: Lights) -> Floats:
    """So many things over all of it; what they cover, 0 to 1."""
    if not count:
        return np.zeros(picture.shape[:2], np.float32)
    middles = [rng.uniform(0, picture.shape[1::-1]) for _ in range(count)]
    return lay(rng, picture, [(some_thing(rng, _colour_at(picture, at)), at) for at in middles], lights)


def _changed(rng: Rng, table: Table, before: Floats, now: Image, camera: "_Camera") -> tuple[NDArray[np.int8], Mask]:
    """How a picture differs from that of the same table `before`, in small pictures, and where that is known: not where
    other pieces lay, nor what hands hid then."""
    known = table.seen.copy()
    size = before.shape[1::-1]
    for _, mask in table.pieces:
        chance = rng.random()
        if chance < CAME:
            known[cv2.dilate(mask, np.ones((5, 5), np.uint8)) > 0] = 0
        elif chance < CAME + NUDGED:
            lay = cv2.resize(mask, size, interpolation=cv2.INTER_NEAREST) > 0
            way = np.array([[1, 0, rng.normal(0, 1.2)], [0, 1, rng.normal(0, 1.2)]])
            before[lay] = cv2.warpAffine(before, way, size, borderMode=cv2.BORDER_REPLICATE)[lay]
    for _ in range(int(rng.choice([0, 1, 3], p=[0.5, 0.3, 0.2]))):
        at, wide = (rng.uniform(0, 1, 2) * known.shape[::-1]).tolist(), rng.uniform(10, 120, 2).tolist()
        cv2.ellipse(known, (at, wide, float(rng.uniform(0, 180))), (0,), -1)
    if rng.random() < OTHER_LIGHT:
        before *= np.exp(rng.normal(0, 0.08) + rng.normal(0, 0.03, 3)).astype(np.float32)
        for _ in range(int(rng.choice([0, 1, 2]))):
            _spot(rng, before)
        for _ in range(int(rng.choice([0, 1, 2]))):
            above = cv2.GaussianBlur(something_above(rng, before.shape[:2]), (0, 0), float(rng.uniform(1, 15)))
            before *= (1.0 - rng.uniform(0.05, 0.6) * above[..., None]).astype(np.float32)
    way = np.array([[1, 0, rng.normal(0, SWAY)], [0, 1, rng.normal(0, SWAY)]])
    before = np.asarray(cv2.warpAffine(before, way, size, borderMode=cv2.BORDER_REPLICATE), np.float32)
    then = _photographed(rng, before, camera)
    block = float(rng.uniform(*BLOCK_MM)) / PX_MM
    small = tuple(max(2, round(side / block)) for side in size)
    now_small, then_small = (
        np.asarray(cv2.resize(one.astype(np.float32), small, interpolation=cv2.INTER_AREA), np.float32)
        for one in (now, then)
    )
    known_small = np.asarray(cv2.resize(known, small, interpolation=cv2.INTER_NEAREST), np.uint8)
    brighter = cv2.resize(changes(now_small, then_small, known_small), known.shape[::-1])
    return np.clip(np.round(brighter / STEP_OF_LIGHT), -127, 127).astype(np.int8), known


def _colour_at(picture: Floats, at: NDArray[np.float64]) -> NDArray[np.float64]:
    column, row = np.clip(at.astype(int), 0, np.array(picture.shape[1::-1]) - 1)
    return np.asarray(picture[row, column], np.float64)


def _other_surfaces(rng: Rng, picture: Floats, table: Table) -> None:
    """Another table beyond the mat, and another mat: in the light that falls there."""
    size = picture.shape[1::-1]
    fine = [np.asarray(cv2.resize(m, size, interpolation=cv2.INTER_NEAREST) > 0) for m in (table.ground, table.mat)]
    lying = np.zeros(fine[0].shape, bool)
    for _, mask in table.pieces:
        lying |= cv2.resize(cv2.dilate(mask, np.ones((3, 3), np.uint8)), size, interpolation=cv2.INTER_NEAREST) > 0
    ground, mat = (flags & ~lying for flags in fine)
    if rng.random() < OTHER_GROUND and ground.any():
        wide = max(size)
        drawn = draw_cloth(rng, wide).astype(np.float32) if rng.random() < 0.6 else background(rng, wide)
        if rng.random() < 0.4:
            drawn = _planks(rng, wide)
        drawn = np.asarray(np.clip(drawn, 0, 255), np.float32)[: size[1], : size[0]]
        level = cv2.GaussianBlur(picture.mean(2), (0, 0), 25)
        light = np.clip(level / max(float(np.median(level[ground])), 1.0), 0.5, 1.5)[..., None]
        soft = cv2.GaussianBlur(ground.astype(np.float32), (0, 0), 0.6)[..., None]
        picture += (drawn * light - picture) * soft
    if rng.random() < OTHER_MAT and mat.any():
        soft = cv2.GaussianBlur(mat.astype(np.float32), (0, 0), 0.6)[..., None]
        tint = np.exp(rng.normal(0, 0.25, 3) - abs(rng.normal(0, 0.4))).astype(np.float32)
        usual = np.median(picture[mat], axis=0)
        other = np.asarray(picture * tint if rng.random() < 0.7 else 255 - (255 - picture) * tint, np.float32)
        if usual.mean() < 90:
            other = picture * np.exp(rng.uniform(0, 0.8) + rng.normal(0, 0.2, 3)).astype(np.float32)
        picture += (other - picture) * soft


def _planks(rng: Rng, wide: int) -> NDArray[np.float64]:
    """Wood: boards of slightly different browns, with grain along them."""
    tint = np.array([rng.uniform(0.3, 0.8), rng.uniform(0.6, 0.9), 1.0]) * rng.uniform(50, 240)
    grain = cv2.resize(
        rng.normal(0, 1, (wide, max(4, wide // int(rng.integers(12, 60))))), (wide, wide), interpolation=cv2.INTER_CUBIC
    )
    grain = cv2.GaussianBlur(grain, (0, 0), rng.uniform(0.6, 2.5))
    count = int(rng.integers(1, 9))
    shades = np.repeat(rng.normal(0, rng.uniform(0, 0.12), count), -(-wide // count))[:wide, None]
    wood = np.exp(grain * rng.uniform(0.02, 0.2) + shades)
    turned = np.rot90(wood, int(rng.integers(2)))
    return np.asarray(turned[..., None] * tint)


def _light(rng: Rng, picture: Floats) -> None:
    """Lamps that each light a part, and shadows of what is not in the picture: none of it is a thing."""
    size = picture.shape[:2]
    lights = some_lights(rng)
    light = np.tile(lights.room, (*size, 1))
    for lamp in lights.lamps:
        pool = lamp_pool(rng, size)
        for _ in range(int(rng.choice([0, 1, 2, 3], p=[0.35, 0.35, 0.2, 0.1]))):
            high = float(np.exp(rng.uniform(np.log(5), np.log(300)))) / PX_MM
            pool = pool * (1.0 - moved(something_above(rng, size), lamp.away * high, lamp.soft * high))
        light += pool[..., None] * lamp.light
    balance = lights.white / lights.white.mean()
    picture *= np.asarray((light / lights.white.mean() / balance ** rng.uniform(0.8, 1.0)) ** (1 / GAMMA), np.float32)
    for _ in range(int(rng.choice([0, 1, 3], p=[0.5, 0.3, 0.2]))):
        _spot(rng, picture)


def _spot(rng: Rng, picture: Floats) -> None:
    """A lamp mirrored, or what a lens or a window throws on the table, or a shadow as round: with any edge."""
    size = picture.shape[:2]
    y, x = np.indices(size, np.float32)
    at, wide = rng.uniform(0, 1, 2) * size, np.exp(rng.uniform(np.log(6), np.log(70), 2))
    far = np.square((y - at[0]) / wide[0]) + np.square((x - at[1]) / wide[1])
    if rng.random() < 0.5:
        share = np.exp(-far / 2)
    else:
        share = np.clip((1.0 - np.sqrt(far)) / rng.uniform(0.02, 0.6), 0, 1)
    if rng.random() < 0.4:
        picture += np.float32(rng.uniform(10, 160)) * share[..., None]
    else:
        light = np.exp(rng.uniform(-0.8, 0.5)) * np.exp(rng.normal(0, 0.04, 3)) - 1.0
        picture *= (1.0 + share[..., None] * light).astype(np.float32)


def _reach_over(rng: Rng, picture: Floats) -> Floats:
    """A hand or two; what they cover, 0 to 1."""
    rows, columns = picture.shape[:2]
    side = max(rows, columns)
    covered = np.zeros((rows, columns), np.float32)
    for _ in range(int(rng.integers(1, 3))):
        square_picture = np.zeros((side, side, 3))
        square_picture[:rows, :columns] = picture
        turn = rng.uniform(0, 2 * np.pi)
        to_hand = PX_MM * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        _, any_part = lay_hand(rng, square_picture, some_hand(rng), to_hand, rng.uniform(-200, 200, 2))
        picture[:] = square_picture[:rows, :columns]
        covered = np.maximum(covered, any_part[:rows, :columns].astype(np.float32))
    return covered


def _known(rng: Rng, table: Table, things: Floats) -> tuple[Mask, Mask]:
    """Where pieces are known to be seen, and where it is asked whether there are things."""
    covered = cv2.resize(things, table.seen.shape[::-1], interpolation=cv2.INTER_AREA) > 0.3
    covered = cv2.dilate(covered.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    pieces, asked = np.zeros_like(table.seen), table.seen.copy()
    for kind, mask in table.pieces:
        there = mask > 0
        if not there.any():
            continue
        hidden = float(covered[there].mean())
        if kind in BY_FORM:
            pieces[there], asked[there] = 255, 0
        elif hidden > COVERED:
            asked[there & ~covered] = 0
            pieces[there] = 0
        elif rng.random() < UNREAD:
            asked[there] = 0
        else:
            seen = there & ~covered
            ragged = seen & (rng.random(seen.shape) > rng.choice([0.0, 0.02, 0.1]))
            pieces[ragged] = 255
            asked[seen] = 0
            asked[there & covered] = 255
    return pieces, asked


@dataclass(frozen=True)
class _Camera:
    """What a camera makes of all it sees."""

    blur: float
    gain: NDArray[np.float64]
    noise: float
    grain: float


def _some_camera(rng: Rng) -> _Camera:
    gain = np.exp(rng.normal(0, 0.12) - abs(rng.normal(0, 0.25))) * np.exp(rng.normal(0, 0.06, 3))
    blur = float(rng.uniform(0.3, 1.0)) if rng.random() < 0.5 else 0.0
    return _Camera(blur, gain, float(rng.uniform(0.5, 5)), float(rng.uniform(0.3, 0.8)))


def _photographed(rng: Rng, picture: Floats, camera: _Camera) -> Image:
    """As a camera sees it."""
    seen = np.clip(picture, 0, 255).astype(np.float64)
    if camera.blur:
        seen[:] = cv2.GaussianBlur(seen, (0, 0), camera.blur)
    seen = seen * camera.gain
    seen = seen + cv2.GaussianBlur(rng.normal(0, camera.noise, seen.shape), (0, 0), camera.grain)
    return np.asarray(np.clip(seen, 0, 255), np.uint8)


def _of_seed(seed: int) -> list[Scene]:
    cv2.setNumThreads(1)
    table = simulated(seed)
    return [] if table is None else list(scenes(table, np.random.default_rng(seed)))


def main() -> None:
    """Draw scenes into a folder, in files of some each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--tables", type=int, default=400, help="of so many simulated tables")
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--jobs", type=int, default=2, help="processes that draw")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(options.jobs, get_context("fork")) as pool:
        for first in range(0, options.tables, PART):
            seeds = range(options.first_seed + first, options.first_seed + min(first + PART, options.tables))
            some = [scene for table in pool.map(_of_seed, seeds) for scene in table]
            (options.out / f"{seeds.start}.pkl").write_bytes(pickle.dumps(some))
            print(f"{first + len(seeds)} of {options.tables} tables", flush=True)


if __name__ == "__main__":
    main()
