"""What is said of each piece that lies open on the table, picture by picture, while whole games are played.

A piece is asked for once it has lain for REST_S, and in pictures in which neither another piece nor a hand covers more
than two fifths of it; a place of a score sheet that may be marked where nothing is over it. What is said of it then is
one of OUTCOMES. Neighbouring pictures are alike, so shares are given of stays, too: a stay is a piece that lies
somewhere until it is touched, or a place of a sheet until something is pencilled or rubbed out there.

Run with `make live-report`; ARGS="--game slice --games 2 --seed 5 --rate 10 --jobs 2 --faults DIR --evening". Ctrl-C
and SIGTERM stop it; the games that were over by then are shown.
"""

import argparse
import math
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from random import Random
from time import perf_counter

import cv2
import numpy as np

from config.loader import load_table
from controller.batch import asked_to_stop, results
from controller.games.registry import game_names, load_game, table_options
from controller.simulation.copies.pizza_theory import BOARD_TURN_DEG
from controller.simulation.copy import enrol_own_copy, own_art
from controller.simulation.play import play_game
from controller.simulation.players import Habits
from hardware.simulated.bodies import thickness_mm
from hardware.simulated.circumstances import Circumstances
from hardware.simulated.lens import CameraModel
from hardware.simulated.lying import lying, outline_mm
from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import PieceView, WorldSnapshot
from tests.benchmarks.live_marks import Marks
from tests.benchmarks.piece_rates import at_most, share_hidden
from tests.benchmarks.simulated_pieces import shares_beside_hands, shares_visible
from tests.benchmarks.simulated_sheets import true_piece
from tests.benchmarks.stays import OUTCOMES, REST_S, WRONG, Stay, Stays
from vision.following.settling import remembered
from vision.frame import Frame, Image
from vision.reports.compared import TruePiece, said_alike
from vision.reports.rates import wilson
from vision.scene import SURE, PieceKind, Scene, Sighting
from vision.threads import use_one_core

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


@dataclass(frozen=True, slots=True)
class Watched:
    """One game."""

    seed: int
    pictures: int
    stays: tuple[Stay, ...]
    """Those that were asked for."""
    nowhere: Counter[tuple[PieceKind, str]]
    """Pictures with a piece surely said to lie where none does, by kind and face."""
    problem: str


class Observer:
    """Compares what is said with what lies there."""

    def __init__(self, renderer: Renderer, camera: CameraModel, faults: Path | None) -> None:
        self._renderer = renderer
        self._camera = camera
        self._faults = faults
        self._stays = Stays()
        self._marks = Marks(renderer, camera, self._stays)
        self.pictures = 0
        self.nowhere: Counter[tuple[PieceKind, str]] = Counter()

    def stays(self) -> tuple[Stay, ...]:
        """Of all that were asked for."""
        return tuple(self._stays.asked_for())

    def watch(self, truth: WorldSnapshot, frame: Frame, scene: Scene) -> None:
        """One more picture."""
        self.pictures += 1
        wrong: list[PieceView] = []
        told: list[str] = []
        for stay, view, outcome in self._said(truth, scene):
            stay.count(outcome, truth.time_s)
            if outcome in WRONG:
                wrong.append(view)
        for stay, view, place, outcome in self._marks.said(truth, scene):
            stay.count(outcome, truth.time_s)
            if outcome in WRONG:
                wrong.append(view)
                told.append(f"{truth.time_s:.2f}: {stay.what} {place[1]} of {view.piece_id}: {outcome}\n")
        self.nowhere.update(
            (s.kind, s.face) for s in scene.sightings if s.probability >= SURE and _lies_nowhere(s, truth.pieces)
        )
        if self._faults is not None and wrong:
            self._keep(self._faults, wrong, frame.image, truth.time_s)
            with (self._faults / "marks.txt").open("a") as file:
                file.writelines(told)

    def _said(self, truth: WorldSnapshot, scene: Scene) -> Iterator[tuple[Stay, PieceView, str]]:
        """Of each piece that lies open at rest: what the scene says of it."""
        views, before = list(truth.pieces), remembered(scene)
        likely = scene.likely().sightings
        shares, open_shares = shares_visible(views), None
        for number, (view, share) in enumerate(zip(views, shares, strict=True)):
            state = view.pose, _told_face(view), view.lift_mm, view.holder
            stay = self._stays.of(view.piece_id, view.kind.value, state, truth.time_s)
            lies = not view.lift_mm and view.holder is None and view.flip == 1.0
            if not lies or not stay.rests(truth.time_s) or share < OPEN:
                continue
            outcome = _outcome(view, likely, before, scene, bool(truth.hands))
            if outcome in WRONG and truth.hands:
                open_shares = self._beside_hands(truth) if open_shares is None else open_shares
                if open_shares[number] < OPEN:
                    continue
            yield stay, view, outcome

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
    if sighting.kind is not view.kind:
        return False
    truth = _truth(view, sighting)
    middle = np.mean(outline_mm(view.kind, view.pose), axis=0)
    turned = abs((sighting.pose.angle_deg - truth.pose.angle_deg + 180.0) % 360.0 - 180.0)
    near = math.dist(np.mean(sighting.outline_mm, axis=0), middle) < NEAR_MM
    return sighting.face == truth.face and near and (turned < NEAR_DEG or view.kind is PieceKind.TOPPING)


def _truth(view: PieceView, sighting: Sighting) -> TruePiece:
    """What should be said of a piece; of a die's dots, from the side that this sighting says them from."""
    if view.kind in (PieceKind.DIE, PieceKind.SHEET):
        return said_alike(true_piece(view, 1.0), sighting)
    turn_deg = BOARD_TURN_DEG if view.kind is PieceKind.BOARD else 0.0
    return TruePiece(view.kind, _told_face(view), replace(view.pose, angle_deg=view.pose.angle_deg + turn_deg), 1.0)


def _told_face(view: PieceView) -> str:
    """A piece's face without what is not told of it: which kind a colour is of, what is pencilled on a sheet."""
    if view.kind is PieceKind.SHEET:
        return PieceKind.SHEET.value
    return view.face.removeprefix("topping/").removeprefix("cutter/")


def _share_in_common(sighting: Sighting, view: PieceView) -> float:
    """How much of a piece lies where another is said to lie, 0 to 1."""
    own, other = np.array(outline_mm(view.kind, view.pose), np.float32), np.array(sighting.outline_mm, np.float32)
    common, _ = cv2.intersectConvexConvex(cv2.convexHull(own), cv2.convexHull(other))
    return common / cv2.contourArea(cv2.convexHull(own))


def _lies_nowhere(sighting: Sighting, views: Sequence[PieceView]) -> bool:
    """Whether no such piece lies or is held anywhere near."""
    place = sighting.pose.x_mm, sighting.pose.y_mm
    return not any(
        view.kind is sighting.kind and math.dist(place, (view.pose.x_mm, view.pose.y_mm)) < NOWHERE_MM for view in views
    )


def watch_game(game: str, seed: int, rate_hz: float, faults: Path | None, circumstances: Circumstances) -> Watched:
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
    pack = enrol_own_copy(game, art, *SIZE)
    played = play_game(config, art, pack, seed, count, Habits(), observer.watch, circumstances)
    return Watched(seed, observer.pictures, observer.stays(), observer.nowhere, played.problem)


def main(arguments: Sequence[str]) -> int:
    """Print what was said; 1 where a piece was surely taken for another or said to lie where none does, or a game did
    not end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", choices=sorted(game_names()), default="new_york_slice")
    parser.add_argument("--games", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1, help="of the first game")
    parser.add_argument("--rate", type=float, default=10.0, help="pictures a second")
    parser.add_argument("--jobs", type=int, default=2, help="games at a time")
    parser.add_argument("--faults", type=Path, help="folder for pictures, and a list of marks, not said rightly")
    for name in ("evening", "webcam", "pens", "sun"):
        parser.add_argument(f"--{name}", action="store_true", help="as `pizzatable play` has it")
    parser.add_argument("--flicker", type=float, default=0.0, help="likewise")
    parser.add_argument("--sway", type=float, default=0.0, help="likewise, in millimetres", dest="sway_mm")
    options = parser.parse_args(arguments)
    names = {part.name for part in fields(Circumstances)}
    circumstances = Circumstances(**{name: value for name, value in vars(options).items() if name in names})
    start, games = perf_counter(), []
    seeds = range(options.seed, options.seed + options.games)
    with asked_to_stop() as stop:
        jobs = [(options.game, seed, options.rate, options.faults, circumstances) for seed in seeds]
        for watched in results(watch_game, jobs, stop, processes=options.jobs):
            games.append(watched)
            ended = watched.problem or "played to its end"
            print(f"game {watched.seed}: {watched.pictures} pictures, {ended}", file=sys.stderr, flush=True)
    print(f"{options.game}: {len(games)} of {len(seeds)} games, {perf_counter() - start:.0f} s")
    print("\n".join(as_text(games)))
    wrong = sum(stay.said["surely another"] for game in games for stay in game.stays)
    good = not wrong and not any(game.nowhere or game.problem for game in games) and len(games) == len(seeds)
    return 0 if good else 1


def as_text(games: Sequence[Watched]) -> list[str]:
    """For each kind of piece, and of place on a sheet, what was said in pictures and of stays."""
    lines = []
    every = [stay for game in games for stay in game.stays]
    for what in dict.fromkeys(stay.what for stay in every):
        stays = [stay for stay in every if stay.what == what]
        pictures = sum((stay.said for stay in stays), Counter[str]())
        shown = ", ".join(f"{outcome} {pictures[outcome]}" for outcome in OUTCOMES if pictures[outcome])
        always = sum(not any(stay.said[outcome] for outcome in WRONG) for stay in stays)
        surely = sum(bool(stay.said["surely another"]) for stay in stays)
        unsaid_s, another_s = ([stay.longest_s.get(said, 0.0) for stay in stays] for said in ("unsaid", WRONG[-1]))
        low, high = wilson(always, len(stays))
        lines += [
            f"{what}: {len(stays)} stays, {sum(pictures.values())} times in a picture: {shown}",
            f"    never unsaid nor another: {always} of {len(stays)} stays, {100 * low:.2f} to {100 * high:.2f} %; "
            f"unsaid for more than {REST_S:g} s: {sum(s > REST_S for s in unsaid_s)}, {max(unsaid_s):.1f} s at most; "
            f"surely another: {surely}, at most {100 * at_most(surely, len(stays)):.2f} %, "
            f"{max(another_s):.1f} s at most",
        ]
    nowhere = sum((game.nowhere for game in games), Counter[tuple[PieceKind, str]]())
    for (kind, face), count in nowhere.most_common():
        lines.append(f"surely said to lie where none does: {kind.value} {face}, {count} pictures")
    return lines


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
