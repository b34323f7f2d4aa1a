"""How well Pizza Theory's board, toppings and cutters are read: rendered pictures beside the repository, each with a
board enrolled from other pictures of its style, as they are and altered.

Run with `make theory-report`; ARGS="--plain" leaves the altered pictures out.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import cv2
import numpy as np

from controller.games.pizza_theory.describe import KINDS, describe
from vision.files.labels import load_json
from vision.frame import Image
from vision.looking_for import finders_for
from vision.mat.errors import RegistrationError
from vision.mat.registration import find_mat
from vision.pieces.faces import FacePack
from vision.pieces.learning import enrol
from vision.reader import read_photo
from vision.scene import EMPTY, SURE, PieceKind, Scene

PHOTOS = Path(__file__).parents[2].parent / "shared" / "photos" / "table"
NEAR_MM = 6.0


@dataclass
class Rates:
    """Counts over some pictures."""

    pictures: int = 0
    whole: int = 0
    spaces: int = 0
    spaces_right: int = 0
    toppings: int = 0
    colours_right: int = 0
    cutters: int = 0
    cutters_right: int = 0
    sure_wrong: int = 0
    unclear: int = 0

    def __post_init__(self) -> None:
        self.off_mm: list[float] = []
        self.off_deg: list[float] = []
        self.faults: list[str] = []
        self.spent_ms: list[float] = []

    def row(self, name: str) -> str:
        """One line of the table."""
        mm, deg = (_spread(values) for values in (self.off_mm, self.off_deg))
        ms = f"{np.median(self.spent_ms):5.0f}" if self.spent_ms else "    -"
        return (
            f"{name:24} {self.whole:3}/{self.pictures:<3} {self.spaces_right:5}/{self.spaces:<5} "
            f"{self.colours_right:5}/{self.toppings:<5} {self.cutters_right:3}/{self.cutters:<3} "
            f"{self.sure_wrong:6} {self.unclear:7}  {mm}  {deg}  {ms}"
        )


HEAD = (
    "                         whole    spaces      colours    lines   sure&wrong unclear  "
    "mm median/p95/max   deg median/p95/max   ms"
)


def _spread(values: Sequence[float]) -> str:
    if not values:
        return "  -     -     -  "
    return "{:5.2f} {:5.2f} {:5.2f}".format(*np.percentile(values, [50, 95, 100]))


def score(scene: Scene, labels: Mapping[str, Any], rates: Rates, name: str) -> None:
    """Count what was read right in one picture; `labels` is its truth."""
    truth = labels["arrangement"]
    described: Any = describe(scene)
    before = len(rates.faults)
    _score_spaces(scene, truth["spaces"], rates, name)
    _score_cutters(scene, described, labels, rates, name)
    if described["loose"]:
        rates.faults.append(f"{name}: loose toppings {described['loose']}, there are none")
    rates.pictures += 1
    rates.whole += len(rates.faults) == before


def _score_spaces(scene: Scene, truth: Mapping[str, str], rates: Rates, name: str) -> None:
    board = next((s for s in scene.sightings if s.kind is PieceKind.BOARD), None)
    read = {space.name: space.contents for space in board.spaces} if board else {}
    names = {*read, *truth}
    rates.spaces += max(len(names), 37)
    rates.toppings += len(truth)
    if board is None:
        rates.faults.append(f"{name}: no board found")
        return
    for space in sorted(names):
        contents, want = read.get(space, ()), truth.get(space, EMPTY)
        told = bool(contents) and contents[0].probability >= 0.5
        right = told and contents[0].face == want
        rates.spaces_right += right
        rates.colours_right += right and want != EMPTY
        rates.unclear += not told
        rates.sure_wrong += told and not right and contents[0].probability >= SURE
        if not right:
            seen = f"{contents[0].face} {contents[0].probability:.2f}" if contents else "nothing"
            rates.faults.append(f"{name}: space {space} {want} read as {seen}")


def _score_cutters(scene: Scene, described: Any, labels: Mapping[str, Any], rates: Rates, name: str) -> None:
    seen = {s.face: s for s in scene.sightings if s.kind is PieceKind.CUTTER and s.probability >= 0.5}
    true = {piece["colour"]: piece for piece in labels["pieces"] if piece["kind"] == "cutter"}
    for colour, piece in true.items():
        rates.cutters += 1
        if colour not in seen:
            rates.faults.append(f"{name}: {colour} cutter not found")
            continue
        ends = np.array(piece["ends_mm"], np.float64)
        off, turn = line_error(np.array(seen[colour].outline_mm, np.float64), ends)
        rates.off_mm.append(off)
        rates.off_deg.append(turn)
        read = described["cutters"][colour]
        right = (read["side"], read["line"]) == (piece["side"], piece["line"])
        rates.cutters_right += right
        if not right:
            rates.sure_wrong += seen[colour].probability >= SURE
            rates.faults.append(
                f"{name}: {colour} cutter on {piece['side']} {piece['line']} read as {read}, {off:.1f} mm"
            )
    for colour in seen.keys() - true.keys():
        rates.sure_wrong += seen[colour].probability >= SURE
        rates.faults.append(f"{name}: no {colour} cutter is there")


def line_error(outline_mm: Any, ends_mm: Any) -> tuple[float, float]:
    """How far the stick's line is from the true one at the true middle (mm), and how it is turned (degrees)."""
    first, last = (outline_mm[0] + outline_mm[3]) / 2, (outline_mm[1] + outline_mm[2]) / 2
    way, true_way = last - first, ends_mm[1] - ends_mm[0]
    normal = np.array([-way[1], way[0]]) / np.linalg.norm(way)
    cross = way[0] * true_way[1] - way[1] * true_way[0]
    turn = np.degrees(np.arctan2(cross, way @ true_way))
    return float(abs((ends_mm.mean(0) - first) @ normal)), float(abs(turn))


def _darker(image: Image) -> Image:
    noise = np.random.default_rng(1).normal(0, 3, image.shape)
    return np.asarray(np.clip(image * 0.4 + noise, 0, 255), np.uint8)


def _tinted(image: Image) -> Image:
    return np.asarray(np.clip(image * np.array([0.65, 0.9, 1.1]), 0, 255), np.uint8)


def _cooler(image: Image) -> Image:
    return np.asarray(np.clip(image * np.array([1.1, 0.95, 0.75]), 0, 255), np.uint8)


def _blurred(image: Image) -> Image:
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 1.2), np.uint8)


def _turned(image: Image) -> Image:
    return np.ascontiguousarray(image[::-1, ::-1])


def _shaded(image: Image) -> Image:
    """A shadow falls over the right half, softly."""
    across = np.linspace(-1.0, 1.0, image.shape[1])
    return np.asarray(image * (1.0 - 0.25 * (1.0 + np.tanh(across * 6.0)))[None, :, None], np.uint8)


def _larger(image: Image) -> Image:
    return np.asarray(cv2.resize(image, (1920, 1080), interpolation=cv2.INTER_CUBIC), np.uint8)


def _squeezed(image: Image) -> Image:
    encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 40])[1]
    return np.asarray(cv2.imdecode(encoded, cv2.IMREAD_COLOR), np.uint8)


ALTERED: Mapping[str, Callable[[Image], Image]] = {
    "darker": _darker,
    "warmer": _tinted,
    "cooler": _cooler,
    "blurred": _blurred,
    "turned round": _turned,
    "half in shadow": _shaded,
    "1920x1080": _larger,
    "JPEG 40": _squeezed,
}


def load(path: Path) -> tuple[Image, dict[str, Any]]:
    """A picture and its truth."""
    image = cv2.imread(str(path.with_suffix(".jpg")), cv2.IMREAD_COLOR)
    if image is None:
        raise FileNotFoundError(f"{path.with_suffix('.jpg')} is missing or is no picture")
    labels = load_json(path)
    assert isinstance(labels, dict)
    return np.asarray(image, np.uint8), labels


def measure(
    photos: Mapping[str, tuple[Image, dict[str, Any]]],
    pack: FacePack,
    name: str,
    rates: Rates,
    alter: Callable[[Image], Image] | None = None,
) -> None:
    """Read one picture with a pack and count."""
    image, labels = photos[name]
    finders = finders_for(KINDS, pack)
    try:
        scene = read_photo(image if alter is None else alter(image), pack, finders=finders)
    except RegistrationError as error:
        rates.faults.append(f"{name}: {error}")
        rates.pictures += 1
        return
    rates.spent_ms.append(scene.stage_ms.get("board", 0.0))
    score(scene, labels, rates, name)


def main(arguments: Sequence[str]) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=PHOTOS)
    parser.add_argument("--plain", action="store_true", help="the pictures as they are only")
    options = parser.parse_args(arguments)
    paths = sorted(options.folder.glob("theory-*.json"))
    if not paths:
        print(f"no pictures theory-*.json in {options.folder}")
        return 1
    photos = {path.stem: load(path) for path in paths}
    packs = {}
    for name, (_, labels) in photos.items():
        others = [other for other, (_, about) in photos.items() if about["style"] == labels["style"] and other != name]
        packs[name] = {"others": enrol([photos[other] for other in others], source=others)}
        for other in others:
            packs[name][other] = enrol([photos[other]], source=[other])
    print(HEAD)
    faults = []
    for style in sorted({labels["style"] for _, labels in photos.values()}):
        mine = [name for name, (_, labels) in photos.items() if labels["style"] == style]
        rates = Rates()
        for name in mine:
            measure(photos, packs[name]["others"], name, rates)
        print(rates.row(f"{style}, others enrolled"))
        faults += [f"{style}, others: {fault}" for fault in rates.faults]
        rates = Rates()
        for name in mine:
            for other in packs[name].keys() - {"others"}:
                measure(photos, packs[name][other], name, rates)
        print(rates.row(f"{style}, one enrolled"))
        faults += [f"{style}, one: {fault}" for fault in rates.faults]
    for how, alter in {} if options.plain else ALTERED.items():
        rates = Rates()
        for name in photos:
            measure(photos, packs[name]["others"], name, rates, alter)
        print(rates.row(how))
        faults += [f"{how}: {fault}" for fault in rates.faults]
    name = next(iter(photos))
    spent = _own_ms(photos[name][0], packs[name]["others"])
    print(f"\nboard, toppings and cutters of one 1920x1080 picture: {spent:.0f} ms of one core")
    print()
    print("\n".join(faults) or "no faults")
    return 0


def _own_ms(image: Image, pack: FacePack) -> float:
    """Milliseconds of one core that the finder takes by itself, the best of five."""
    large = _larger(image)
    registration = find_mat(large)
    (finder,) = (finder for finder in finders_for({PieceKind.BOARD}, pack))
    spent = []
    for _ in range(5):
        started = process_time()
        finder.find(large, registration, ())
        spent.append(process_time() - started)
    return min(spent) * 1e3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
