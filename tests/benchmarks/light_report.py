"""What is said of tables on which pieces are laid, or marks pencilled, while the light changes, followed live.

Each simulated table is watched at five pictures a second: it is read at rest, then something on it changes and other
light falls on it, in one of the ORDERS. Every KIND of light is tried on every table. A piece or a place of a sheet is
"right" if it is said surely and as it lies, "doubtful" if said with less than 0.9, "hidden" if said to be, "unseen" if
nothing is said of a piece that lies open, "surely wrong" if said with 0.9 and more to be what it is not; so is what is
surely said to lie where nothing does. Told is what is said at the end, two seconds after the last change, and in
"meanwhile" what was surely wrong in any picture in which the table was said to have been at rest for REST_S.
The row "no change" has the same tables in the same order without another light.

Run with `make light-report`; ARGS="--games sheets tiles --lights blinds dusk --tables 20 --seed 5 --faults DIR".
Ctrl-C and SIGTERM stop it; what was watched by then is shown.
"""

import argparse
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Event
from time import perf_counter

import cv2
import numpy as np

from controller.batch import asked_to_stop, results
from tests.benchmarks.changing_tables import GAMES, SHEETS, ChangingTable, TableState, changing_table
from tests.benchmarks.light_changes import COMES_IN_S, KINDS, Light
from tests.benchmarks.piece_rates import share_hidden
from tests.benchmarks.simulated_pieces import FAMILIES, enrolled
from tests.benchmarks.simulated_sheets import printed
from vision.frame import Frame, Image
from vision.looking_for import finders_for
from vision.mat.errors import RegistrationError
from vision.mat.registration import find_mat
from vision.pieces.faces import FacePack
from vision.reader import Reader
from vision.reports.compared import LEAST_VISIBLE, TruePiece, compare
from vision.reports.mark_report import claims
from vision.reports.rates import wilson
from vision.scene import EMPTY, SURE, PieceKind, Scene
from vision.threads import use_one_core

EVERY_S = 0.2
REST_S = 0.35
"""For so long a change that is not plain has to lie still before it counts."""
STILL, AFTER = 6, 11
"""Pictures before something changes, and afterwards."""
SHORTLY = 2
"""So many pictures later is shortly afterwards."""
HINT = 0.1
"""A space that is said to hold a topping with less does not say so."""
TOUCHED = 0.1
"""A piece of which more is said to be hidden is said to be hidden."""
NO_CHANGE = "no change"
TELL_EVERY_S = 60.0
OUTCOMES = ("right", "doubtful", "hidden", "unseen", "surely wrong")


@dataclass(frozen=True, slots=True)
class Step:
    """One picture: which state of the table, whether other light falls on it, and whether a hand is over it."""

    state: int
    lit: bool = False
    hand: bool = False


Steps = list[Step]
Order = Callable[[int, int], Steps]


def at_once(old: int, new: int) -> Steps:
    """Light and change in one picture."""
    return [Step(old)] * STILL + [Step(new, lit=True)] * AFTER


def light_first(old: int, new: int) -> Steps:
    """The change shortly after the light."""
    return [Step(old)] * STILL + [Step(old, lit=True)] * SHORTLY + [Step(new, lit=True)] * AFTER


def change_first(old: int, new: int) -> Steps:
    """The light shortly after the change."""
    return [Step(old)] * STILL + [Step(new)] * SHORTLY + [Step(new, lit=True)] * AFTER


def gone_again(old: int, new: int) -> Steps:
    """Both in one picture, and the light goes again."""
    return [Step(old)] * STILL + [Step(new, lit=True)] * (SHORTLY + 1) + [Step(new)] * AFTER


def going(old: int, new: int) -> Steps:
    """That light falls there before, and goes in the moment of the change."""
    return [Step(old, lit=True)] * STILL + [Step(new)] * AFTER


def under_hand(old: int, new: int) -> Steps:
    """The change under a hand, and the light while that is there."""
    hand = [Step(old, hand=True), Step(old, hand=True), Step(old, lit=True, hand=True), Step(new, lit=True, hand=True)]
    return [Step(old)] * STILL + hand + [Step(new, lit=True)] * AFTER


ORDERS = (at_once, light_first, change_first, gone_again, going, under_hand)


@dataclass
class Watched:
    """One table in one light."""

    game: str
    seed: int
    light: str
    order: str
    end: Counter[str] = field(default_factory=Counter)
    """OUTCOMES of what lay there at the end."""
    marks: Counter[str] = field(default_factory=Counter)
    """The same of places on sheets that may be marked."""
    meanwhile: int = 0
    """Most that was surely wrong at rest in any one picture after the change."""
    faults: list[str] = field(default_factory=list)


_packs: dict[str, FacePack] = {}
"""What a process has learned."""


def pack_of(game: str) -> FacePack:
    """The faces of a game, learned once; sheets need none."""
    if game not in _packs:
        _packs[game] = FacePack({}, ()) if game == SHEETS else enrolled(FAMILIES[game])
    return _packs[game]


def watch(game: str, seed: int, light: str, faults: Path | None = None) -> Watched:
    """Watch one table and compare. Which order it is the seed and the light say."""
    use_one_core()
    table = changing_table(game, seed)
    order = Random(f"{seed} {light}").choice(ORDERS)
    watched = Watched(game, seed, light, order.__name__)
    for image, scene, state, last in followed(game, table, order, light, seed):
        at_rest = scene.at_rest_s >= REST_S and state is table.states[-1]
        if not at_rest and not last:
            continue
        end, marks, told = judged(scene, state)
        watched.meanwhile = max(watched.meanwhile, end["surely wrong"] + marks["surely wrong"])
        if last:
            watched.end, watched.marks = end, marks
            watched.faults = [f"{game}-{seed} {light} {watched.order}: {line}" for line in told]
            if faults is not None and told:
                cv2.imwrite(str(faults / f"{game}-{seed}-{light}.png"), image)
    return watched


def followed(
    game: str, table: ChangingTable, order: Order, light: str, seed: int
) -> Iterator[tuple[Image, Scene, TableState, bool]]:
    """Each picture with what is said in it, the true state, and whether it is the last one."""
    pack = pack_of(game)
    reader = Reader(pack, finders=finders_for(table.kinds, pack, [printed()]))
    steps = steps_of(table, order)
    first = table.picture(0, 0.0)
    falls = light_of(light, first, seed)
    lit_since: float | None = None
    for number, step in enumerate(steps):
        time_s = round(number * EVERY_S, 3)
        image = table.picture(step.state, time_s, hand=step.hand)
        lit_since = (time_s if lit_since is None else lit_since) if step.lit else None
        if lit_since is not None and falls is not None:
            comes_s = COMES_IN_S.get(light, 0.0) if number >= STILL else 0.0
            image = falls.over(image, min(1.0, (time_s - lit_since + EVERY_S) / comes_s) if comes_s else 1.0)
        try:
            scene = reader.read(Frame(image, time_s, number))
        except RegistrationError:
            scene = Scene(time_s, number, (), (), 0.0)
        yield image, scene, table.states[step.state], number == len(steps) - 1


def steps_of(table: ChangingTable, order: Order) -> Steps:
    """All pictures: states before the last change come without another light, under a hand."""
    new = len(table.states) - 1
    steps: Steps = []
    for state in range(new - 1):
        steps += [Step(state)] * STILL + [Step(state, hand=True)] * 2
    return steps + order(new - 1, new)


def light_of(kind: str, picture: Image, seed: int) -> Light | None:
    """The light of this kind on this table; None for NO_CHANGE."""
    if kind == NO_CHANGE:
        return None
    return KINDS[kind](find_mat(picture), np.random.default_rng([zlib.crc32(kind.encode()), seed]))


# What is said, beside what lies there ---------------------------------------------------------------------------------


def judged(scene: Scene, state: TableState) -> tuple[Counter[str], Counter[str], list[str]]:
    """OUTCOMES of pieces, of places on sheets, and a line for each that is unseen or wrong."""
    matches, missing, extra = compare(scene, state.truth)
    pieces, marks, told = Counter[str](), Counter[str](), []
    kinds = {piece.kind for piece in state.truth}
    for match in matches:
        sure = match.sighting.probability >= SURE
        if not match.right and sure:
            pieces["surely wrong"] += 1
            told.append(f"{_said(match.truth)} is surely {match.sighting.face}")
        elif match.truth.visible >= LEAST_VISIBLE:
            pieces["right" if sure else "doubtful"] += 1
    for piece in missing:
        if piece.visible < LEAST_VISIBLE:
            continue
        outcome = _of_missing(piece, scene)
        pieces[outcome] += 1
        if outcome != "hidden":
            told.append(f"{_said(piece)} {outcome}")
    for sighting in extra:
        if sighting.probability >= SURE and sighting.kind in kinds:
            pieces["surely wrong"] += 1
            place = f"({sighting.pose.x_mm:.0f}, {sighting.pose.y_mm:.0f})"
            told.append(f"nothing where {sighting.kind.value} {sighting.face} surely lies, {place}")
    for match in matches:
        sheet = next((one for one in state.sheets if one.pose == match.truth.pose), None)
        if match.truth.kind is not PieceKind.SHEET or sheet is None:
            continue
        for claim in claims(match.sighting.marks, sheet.marks):
            if not sheet.shows[claim.mark.kind, claim.mark.at]:
                continue
            outcome = "hidden" if claim.mark.hidden else "doubtful" if claim.sureness < SURE else "right"
            if outcome == "right" and not claim.right:
                outcome = "surely wrong"
                told.append(f"{claim.mark.kind.value} {claim.mark.at} surely {'absent' if claim.there else 'there'}")
            marks[outcome] += 1
    return pieces, marks, told


def _of_missing(piece: TruePiece, scene: Scene) -> str:
    """Whether a piece of which nothing is said is said to be hidden, or is taken for nothing."""
    if piece.kind is PieceKind.TOPPING:
        for board in scene.sightings:
            for space in board.spaces:
                if np.hypot(space.x_mm - piece.pose.x_mm, space.y_mm - piece.pose.y_mm) > 8.0:
                    continue
                if not space.contents:
                    return "hidden"
                if space.contents[0].face == EMPTY:
                    return "surely wrong" if space.contents[0].probability >= SURE else "doubtful"
                told = {content.face: content.probability for content in space.contents}
                if told.get(piece.face, 0.0) >= HINT and max(told.values()) < SURE:
                    return "doubtful"
    return "hidden" if share_hidden(piece.kind, piece.pose, scene) > TOUCHED else "unseen"


def _said(piece: TruePiece) -> str:
    return f"{piece.kind.value} {piece.face} at ({piece.pose.x_mm:.0f}, {piece.pose.y_mm:.0f})"


# Tables ---------------------------------------------------------------------------------------------------------------


def main(arguments: Sequence[str]) -> int:
    """Print the rates; 1 where something was surely wrong at the end, or not all was watched."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", choices=GAMES, default=GAMES)
    parser.add_argument("--lights", nargs="+", choices=(*KINDS, NO_CHANGE), default=(*KINDS, NO_CHANGE))
    parser.add_argument("--tables", type=int, default=30, help="of each game")
    parser.add_argument("--seed", type=int, default=1, help="of the first table")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--faults", type=Path, help="folder for pictures of which something is unseen or surely wrong")
    options = parser.parse_args(arguments)
    if options.faults is not None:
        options.faults.mkdir(parents=True, exist_ok=True)
    start, good = perf_counter(), True
    seeds = range(options.seed, options.seed + options.tables)
    with asked_to_stop() as stop:
        for game in options.games:
            jobs = [(game, seed, light, options.faults) for seed in seeds for light in options.lights]
            watched = _watch_all(jobs, options.jobs, stop)
            print(f"\n{game}: {len(watched)} of {len(jobs)} changes, {perf_counter() - start:.0f} s", flush=True)
            print("\n".join(as_text(watched)), flush=True)
            good &= len(watched) == len(jobs)
            good &= not any(one.end["surely wrong"] + one.marks["surely wrong"] for one in watched)
    return 0 if good else 1


def _watch_all(jobs: Sequence[tuple[str, int, str, Path | None]], processes: int, stop: Event) -> list[Watched]:
    """What was watched until all was or somebody stopped it."""
    watched: list[Watched] = []
    told = perf_counter()
    for one in results(watch, jobs, stop, processes=processes):
        watched.append(one)
        wrong = sum(bool(some.end["surely wrong"] + some.marks["surely wrong"]) for some in watched)
        line = f"{one.game}: {len(watched)} of {len(jobs)} changes, {wrong} of them with something surely wrong"
        if sys.stderr.isatty():
            print(f"\r{line}", end="", file=sys.stderr, flush=True)
        elif perf_counter() - told >= TELL_EVERY_S:
            told = perf_counter()
            print(line, file=sys.stderr, flush=True)
    return sorted(watched, key=lambda one: (one.seed, one.light))


def as_text(watched: Sequence[Watched]) -> list[str]:
    """Rates by kind of light and by order, then every fault."""
    lines = []
    for what, counts in (("pieces", "end"), ("marks", "marks")):
        by_light, by_order = defaultdict[str, list[Watched]](list), defaultdict[str, list[Watched]](list)
        for one in watched:
            by_light[one.light].append(one)
            if one.light != NO_CHANGE:
                by_order[one.order].append(one)
        if not any(getattr(one, counts) for one in watched):
            continue
        lines.append(f"{what:15} changes      of {' '.join(f'{name:>12}' for name in OUTCOMES)}  surely wrong, 95 %")
        for groups in (by_light, by_order):
            lines += [_row(name, groups[name], counts) for name in sorted(groups)]
    meanwhile = sum(one.meanwhile > 0 for one in watched)
    low, high = wilson(meanwhile, len(watched))
    lines.append(
        f"changes after which something was surely wrong at rest, at the end or meanwhile: {meanwhile} of "
        f"{len(watched)} ({100 * low:.1f} to {100 * high:.1f} %)"
    )
    return lines + [fault for one in watched for fault in one.faults]


def _row(name: str, some: Sequence[Watched], counts: str) -> str:
    total: Mapping[str, int] = sum((getattr(one, counts) for one in some), Counter[str]())
    count = sum(total.values())
    low, high = wilson(total["surely wrong"], count)
    shown = " ".join(f"{total[outcome]:12d}" for outcome in OUTCOMES)
    return f"{name:15} {len(some):7d} {count:7d} {shown}  {100 * low:.3f} to {100 * high:.3f}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
