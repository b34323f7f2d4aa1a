"""What is said of each piece that lies open on the table, picture by picture, while whole games are played.

A piece is asked for once it has lain for REST_S, and in pictures in which neither another piece nor a hand covers more
than two fifths of it. What is said of it then is one of OUTCOMES. Neighbouring pictures are alike, so shares are given
of stays, too: a stay is a piece that lies somewhere until it is touched.

Run with `make live-report`; ARGS="--game slice --games 2 --seed 5 --rate 10 --jobs 2 --faults DIR". Ctrl-C and SIGTERM
stop it; the games that were over by then are shown.
"""

import argparse
import math
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import perf_counter

import cv2
import numpy as np

from config.loader import load_table
from controller.batch import asked_to_stop, results
from controller.games.registry import game_names, kinds_of, load_game, table_options
from controller.simulation.copies.pizza_theory import BOARD_TURN_DEG
from controller.simulation.copy import enrol_own_copy, own_art
from controller.simulation.play import play_game
from controller.simulation.players import Habits
from hardware.simulated.bodies import thickness_mm
from hardware.simulated.lens import CameraModel
from hardware.simulated.lying import lying, outline_mm
from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import PieceView, WorldSnapshot
from tests.benchmarks.piece_rates import at_most, share_hidden
from tests.benchmarks.simulated_pieces import shares_beside_hands, shares_visible
from vision.following.settling import remembered
from vision.frame import Frame, Image
from vision.reports.rates import wilson
from vision.scene import SURE, PieceKind, Scene, Sighting
from vision.threads import use_one_core

REST_S = 0.6
"""A change that is not plain has to lie still for 0.35 s before it counts."""
OPEN = 0.6
"""A piece of which less shows is not asked for."""
NEAR_MM, NEAR_DEG = 8.0, 15.0
"""How far off the middle of a piece may be said to lie, and how far it may be said to be turned."""
SAME_PLACE = 0.5
"""Another piece that is said to lie on so much of a piece is said to lie instead of it."""
NOWHERE_MM = 25.0
"""No piece of a kind lies so near to where one is surely said to lie, and lies nowhere."""
TOUCHED = 0.1
"""A piece of which more is said to be hidden is said to be hidden."""
SIZE = (1920, 1080)
UNTOLD = frozenset({PieceKind.DIE, PieceKind.SHEET})
"""Dice and sheets are no pieces of the simulated world's: many_pieces and many_sheets tell of them."""
OUTCOMES = ("right", "doubted", "remembered", "hidden", "hidden without a hand", "unsaid", "another", "surely another")
"""Read right surely, or doubtfully; known from before something moved there; said to be hidden, with a hand in the
picture or without; not said at all; said to be another piece."""
WRONG = ("unsaid", "another", "surely another")


@dataclass
class Stay:
    """A piece that lies somewhere until it is touched."""

    view: PieceView
    since_s: float
    said: Counter[str] = field(default_factory=Counter)
    """How many pictures said what of it."""
    unsaid_since_s: float | None = None
    unsaid_s: float = 0.0
    """The longest time for which nothing was said of it though it lay open."""


@dataclass(frozen=True, slots=True)
class Watched:
    """One game."""

    seed: int
    pictures: int
    stays: tuple[tuple[PieceKind, Counter[str], float], ...]
    """Of each stay that was asked for: the kind of piece, how many pictures said what, and the longest time unsaid."""
    nowhere: Counter[tuple[PieceKind, str]]
    """Pictures with a piece surely said to lie where none does, by kind and face."""
    problem: str


class Observer:
    """Compares what is said with what lies there."""

    def __init__(self, renderer: Renderer, camera: CameraModel, faults: Path | None) -> None:
        self._renderer = renderer
        self._camera = camera
        self._faults = faults
        self._stays: dict[str, Stay] = {}
        self._over: list[Stay] = []
        self.pictures = 0
        self.nowhere: Counter[tuple[PieceKind, str]] = Counter()

    def stays(self) -> tuple[tuple[PieceKind, Counter[str], float], ...]:
        """Of all that were asked for."""
        every = [*self._over, *self._stays.values()]
        return tuple((stay.view.kind, stay.said, stay.unsaid_s) for stay in every if stay.said)

    def watch(self, truth: WorldSnapshot, frame: Frame, scene: Scene) -> None:
        """One more picture."""
        self.pictures += 1
        said = {stay.view.piece_id: outcome for stay, outcome in self._said(truth, scene)}
        for piece_id, outcome in said.items():
            stay = self._stays[piece_id]
            stay.said[outcome] += 1
            if outcome != "unsaid":
                stay.unsaid_since_s = None
                continue
            stay.unsaid_since_s = truth.time_s if stay.unsaid_since_s is None else stay.unsaid_since_s
            stay.unsaid_s = max(stay.unsaid_s, truth.time_s - stay.unsaid_since_s)
        self.nowhere.update(
            (s.kind, s.face) for s in scene.sightings if s.probability >= SURE and _lies_nowhere(s, truth.pieces)
        )
        if self._faults is not None and (wrong := [i for i, outcome in said.items() if outcome in WRONG]):
            self._keep(self._faults, [self._stays[i].view for i in wrong], frame.image, truth.time_s)

    def _said(self, truth: WorldSnapshot, scene: Scene) -> Iterator[tuple[Stay, str]]:
        """Of each piece that lies open at rest: what the scene says of it."""
        views, before = list(truth.pieces), remembered(scene)
        likely = scene.likely().sightings
        shares, open_shares = shares_visible(views), None
        for number, (view, share) in enumerate(zip(views, shares, strict=True)):
            stay = self._stay(view, truth.time_s)
            lies = not view.lift_mm and view.holder is None and view.flip == 1.0
            if not lies or truth.time_s - stay.since_s < REST_S or share < OPEN:
                continue
            outcome = _outcome(view, likely, before, scene, bool(truth.hands))
            if outcome in WRONG and truth.hands:
                open_shares = self._beside_hands(truth) if open_shares is None else open_shares
                if open_shares[number] < OPEN:
                    continue
            yield stay, outcome

    def _stay(self, view: PieceView, time_s: float) -> Stay:
        stay = self._stays.get(view.piece_id)
        if stay is None or (stay.view.pose, stay.view.face, stay.view.lift_mm, stay.view.holder) != (
            view.pose, view.face, view.lift_mm, view.holder
        ):  # fmt: skip
            if stay is not None:
                self._over.append(stay)
            stay = self._stays[view.piece_id] = Stay(view, time_s)
        return stay

    def _beside_hands(self, truth: WorldSnapshot) -> list[float]:
        views = list(truth.pieces)
        tops = [lies.base_mm + thickness_mm(view.kind) for lies, view in zip(lying(views), views, strict=True)]
        return shares_beside_hands(views, tops, self._camera, self._renderer.hiding(truth))

    def _keep(self, folder: Path, views: Sequence[PieceView], image: Image, time_s: float) -> None:
        """Keep the picture, and one with a line around what was not said rightly."""
        marked = image.copy()
        for view in views:
            outline = np.array(outline_mm(view.kind, view.pose))
            at = self._camera.project(np.column_stack([outline, np.full(len(outline), thickness_mm(view.kind))]))
            cv2.polylines(marked, [np.round(at).astype(np.int32)], True, (0, 0, 255), 3, cv2.LINE_AA)
        cv2.imwrite(str(folder / f"{time_s:08.2f}.png"), image)
        cv2.imwrite(str(folder / f"{time_s:08.2f}-marked.jpg"), marked)


def _outcome(view: PieceView, likely: Sequence[Sighting], before: Sequence[Sighting], scene: Scene, hands: bool) -> str:
    """One of OUTCOMES."""
    for sighting in likely:
        if _is(sighting, view):
            return "right" if sighting.probability >= SURE else "doubted"
    others = [s for s in likely if s.kind is view.kind and _share_in_common(s, view) > SAME_PLACE]
    if others:
        return "surely another" if any(other.probability >= SURE for other in others) else "another"
    if any(_is(sighting, view) for sighting in before):
        return "remembered"
    if share_hidden(view.kind, view.pose, scene) > TOUCHED:
        return "hidden" if hands else "hidden without a hand"
    return "unsaid"


def _is(sighting: Sighting, view: PieceView) -> bool:
    """Whether this is said of that piece: its face, where it lies, and how it is turned."""
    if sighting.kind is not view.kind or sighting.face != view.face.removeprefix("topping/").removeprefix("cutter/"):
        return False
    middle = np.mean(outline_mm(view.kind, view.pose), axis=0)
    angle_deg = view.pose.angle_deg + (BOARD_TURN_DEG if view.kind is PieceKind.BOARD else 0.0)
    turned = abs((sighting.pose.angle_deg - angle_deg + 180.0) % 360.0 - 180.0)
    near = math.dist(np.mean(sighting.outline_mm, axis=0), middle) < NEAR_MM
    return near and (turned < NEAR_DEG or view.kind is PieceKind.TOPPING)


def _share_in_common(sighting: Sighting, view: PieceView) -> float:
    """How much of a piece lies where another is said to lie, 0 to 1."""
    own, other = np.array(outline_mm(view.kind, view.pose), np.float32), np.array(sighting.outline_mm, np.float32)
    common, _ = cv2.intersectConvexConvex(cv2.convexHull(own), cv2.convexHull(other))
    return common / cv2.contourArea(cv2.convexHull(own))


def _lies_nowhere(sighting: Sighting, views: Sequence[PieceView]) -> bool:
    """Whether no such piece lies or is held anywhere near."""
    if sighting.kind in UNTOLD:
        return False
    place = sighting.pose.x_mm, sighting.pose.y_mm
    return not any(
        view.kind is sighting.kind and math.dist(place, (view.pose.x_mm, view.pose.y_mm)) < NOWHERE_MM for view in views
    )


def watch_game(game: str, seed: int, rate_hz: float, faults: Path | None) -> Watched:
    """Play one game and compare every picture."""
    use_one_core()
    config = load_table()
    camera = config.camera.model_copy(update={"width": SIZE[0], "height": SIZE[1], "rate": rate_hz})
    config = config.model_copy(update={"camera": camera, "game": game, "options": table_options(game)})
    art = own_art(game)
    conditions = Conditions.random(Random(seed))
    model = conditions.camera_model(*SIZE)
    folder = None if faults is None else faults / f"{game}-{seed}"
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    observer = Observer(Renderer(art, model, conditions), model, folder)
    players = range(2, min(load_game(game).player_counts.stop, len(config.seats) + 1))  # as `pizzatable play` has it
    count = players[seed % len(players)]
    played = play_game(config, art, enrol_own_copy(game, art, *SIZE), seed, count, Habits(), observer.watch)
    return Watched(seed, observer.pictures, observer.stays(), observer.nowhere, played.problem)


def main(arguments: Sequence[str]) -> int:
    """Print what was said; 1 where a piece was surely taken for another or said to lie where none does, or a game did
    not end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--game", choices=[name for name in sorted(game_names()) if kinds_of(name) - UNTOLD], default="new_york_slice"
    )
    parser.add_argument("--games", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1, help="of the first game")
    parser.add_argument("--rate", type=float, default=10.0, help="pictures a second")
    parser.add_argument("--jobs", type=int, default=2, help="games at a time")
    parser.add_argument("--faults", type=Path, help="folder for pictures in which a piece is not said rightly")
    options = parser.parse_args(arguments)
    start, games = perf_counter(), []
    seeds = range(options.seed, options.seed + options.games)
    with asked_to_stop() as stop:
        jobs = [(options.game, seed, options.rate, options.faults) for seed in seeds]
        for watched in results(watch_game, jobs, stop, processes=options.jobs):
            games.append(watched)
            ended = watched.problem or "played to its end"
            print(f"game {watched.seed}: {watched.pictures} pictures, {ended}", file=sys.stderr, flush=True)
    print(f"{options.game}: {len(games)} of {len(seeds)} games, {perf_counter() - start:.0f} s")
    print("\n".join(as_text(games)))
    wrong = sum(said["surely another"] for game in games for _, said, _ in game.stays)
    good = not wrong and not any(game.nowhere or game.problem for game in games) and len(games) == len(seeds)
    return 0 if good else 1


def as_text(games: Sequence[Watched]) -> list[str]:
    """For each kind of piece what was said in pictures and of stays."""
    lines = []
    for kind in PieceKind:
        stays = [(said, unsaid_s) for game in games for a_kind, said, unsaid_s in game.stays if a_kind is kind]
        if not stays:
            continue
        pictures = sum((said for said, _ in stays), Counter[str]())
        shown = ", ".join(f"{outcome} {pictures[outcome]}" for outcome in OUTCOMES if pictures[outcome])
        always = sum(not any(said[outcome] for outcome in WRONG) for said, _ in stays)
        surely = sum(bool(said["surely another"]) for said, _ in stays)
        long = sum(unsaid_s > REST_S for _, unsaid_s in stays)
        low, high = wilson(always, len(stays))
        lines += [
            f"{kind.value}: {len(stays)} stays, {sum(pictures.values())} times in a picture: {shown}",
            f"    never unsaid nor another: {always} of {len(stays)} stays, {100 * low:.2f} to {100 * high:.2f} %; "
            f"unsaid for more than {REST_S:g} s: {long}, {max(unsaid_s for _, unsaid_s in stays):.1f} s at most; "
            f"surely another: {surely}, at most {100 * at_most(surely, len(stays)):.2f} %",
        ]
    nowhere = sum((game.nowhere for game in games), Counter[tuple[PieceKind, str]]())
    for (kind, face), count in nowhere.most_common():
        lines.append(f"surely said to lie where none does: {kind.value} {face}, {count} pictures")
    return lines


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
