"""What lies on a board whose pale parts are cut off, where it looks as it did before there was so much light.

Print, white toppings and wood are hardly told apart then. How each place would look in such light if nothing had
changed there follows from how it looked before, as for other pieces (`vision.pieces.overexposed`); what looks so, and
not more like something else, has not changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.pose import BoardFit, on_grid, print_at
from vision.board.record import HARDLY_SURE, TOPPING_THICK_MM, BoardPrint, topping_rings
from vision.board.sight import Sight, inside_any
from vision.board.toppings import RIM_MM, RIM_POINTS, ring_cost, same_cost
from vision.pieces.features import LOG_FLOOR
from vision.pieces.verify import SATURATED
from vision.scene import EMPTY, SURE, FaceLikelihood, PieceKind, Pose, Sighting, Space
from vision.shapes import as_points, place, to_own_frame

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]

_NEAR = np.ones((3, 3), np.uint8)
SAME_COST, SAME_LIKELIER = 4.0, 5.0
"""A space that looks as it did costs less than the first (as for `vision.board.toppings`). That it does, and not by
chance as something else would, is likelier beforehand by the second: hardly any space changes between two pictures,
one in twelve."""
STICK_STEP_MM, BESIDE_STICK_MM = 3.0, 8.0
STICK_STRAYS, STICK_SHARE = 0.12, 0.8
"""A cutter that lies there still looks as it did, to so much (logarithm, root mean square of the channels), along so
much of it that is open;"""
STICK_SHOWS, SHOWN_SHARE = 0.15, 0.25
"""that is sure where along so much of it it differs from what was beside it by more than that, and hardly sure else."""
HALF_WAY, LEAST_WAY = 0.5, 0.05
"""A space changed that looks by more than this share of the way (of the second, logarithm, at least) otherwise than
lately in the same light."""
TOUCHED = 0.05
"""What looks otherwise than lately in the same light, by more (logarithm, the mean over a place, in any channel), was
touched: white paper and print beside it that is nearly cut off differ by 0.1."""
OPEN_STRAYS = 0.06
"""What lies open looks as it did but for so much, on average: skin in much light is nearly as pale as print."""
WHITE, DARKER = 0.03, 0.06
"""What is no darker (logarithm) than the top in every channel, by the first, and by the second darker in one in the
light that the board tells, is blinded by more light than that, and may be anything: also what would be white there."""
WHITE_SHARE, BLINDED_AROUND = 0.5, 0.3
"""So is a space of which so much is white, and so much of what is right around it blinded: in simulated pictures of a
lamp mirrored on the board 0.58 to 0.65 of it, where what lay there was no more what was known; around white toppings
that did lie so, on drawn and simulated boards in 1.3 to 2.4 times as much light, none of it."""
LEAST_OPEN_MM = 60.0
"""Of what shows less nothing is said."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A board as it was read."""

    sight: Sight
    fit: BoardFit
    lying: tuple[Sighting, ...]
    """It, what lies on its spaces, and the cutters over it."""
    times: Floats | None = None
    """In more light than a picture can show: how many times as much (n x n x 3)."""

    def seen(self, own_mm: Array, up_mm: float) -> Floats:
        """Colours (logarithms, ... x 3) at points of its frame, so high over its face, light taken out."""
        at = self.sight.seen(_on_table(own_mm, self.fit), self.fit.height_mm + up_mm)
        return np.asarray(self.sight.seen_colours(at) - self.fit.light_at(own_mm), np.float32)

    @property
    def top(self) -> Floats:
        """The brightest colours (logarithms) that the picture can show."""
        return np.asarray(np.log(SATURATED * self.sight.gain + LOG_FLOOR), np.float32)

    def is_white(self, own_mm: Array, up_mm: float) -> Flags:
        """Which points (... x 2) are as bright as that in every channel."""
        shown = self.sight.seen_colours(self.sight.seen(_on_table(own_mm, self.fit), self.fit.height_mm + up_mm))
        return np.asarray((shown > self.top - WHITE).all(-1))


def remembered(plain: Seen, lately: Seen | None, now: Seen, board: BoardPrint) -> list[Sighting]:
    """What lies on a board in much light (`now`, as it is read), what has not changed since there was less of it as it
    was known then (`plain`). `lately`: as it was read before in much light, since."""
    then = _Then(plain, now)
    touched = None if lately is None else _Then(lately, now)
    same = _same_spaces(then, touched, board)
    spaces = tuple(same.get(space.name, space) for space in now.lying[0].spaces)
    middles = np.array([[space.x_mm, space.y_mm] for space in same.values()]).reshape(-1, 2)
    read = now.lying[1:]
    anew = [one for one in read if one.kind is not PieceKind.CUTTER and not _on(one, middles, board)]
    kept = [_as_sure(then.moved(one), spaces, board) for one in plain.lying if one.kind is PieceKind.TOPPING]
    sticks = _cutters(then, touched, [one for one in read if one.kind is PieceKind.CUTTER])
    return [replace(now.lying[0], spaces=spaces), *anew, *(one for one in kept if _on(one, middles, board)), *sticks]


def without_as_before(plain: Seen, now: Seen, own_mm: Array, covering: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """What lies over a board in much light (255 at points of its frame, n x n x 2), but for where it looks as it did
    before: crossing cutters seemed to be hands."""
    then = _Then(plain, now)
    same = (_size(then.off(own_mm, 0.0)) < OPEN_STRAYS) & ~then.blinded(own_mm, 0.0)
    opened = cv2.morphologyEx(np.where(same, np.uint8(0), covering), cv2.MORPH_OPEN, _NEAR)
    return np.asarray(opened, np.uint8)


def still_known(plain: Seen, lying: Sequence[Sighting]) -> Seen:
    """What was known in less light, but for what is seen to lie otherwise now: it may look so again by chance. What is
    hidden is still known."""
    board, *others = plain.lying
    now = {space.name: space.contents for space in lying[0].spaces}
    spaces = [one if _same_face(one.contents, now[one.name]) else replace(one, contents=()) for one in board.spaces]
    return replace(plain, lying=(replace(board, spaces=tuple(spaces)), *others))


def _same_face(one: Sequence[FaceLikelihood], other: Sequence[FaceLikelihood]) -> bool:
    return not one or not other or one[0].face == other[0].face


@dataclass(frozen=True, slots=True)
class _Then:
    """How a board looked, and how it looks now."""

    before: Seen
    now: Seen

    def off(self, own_mm: Array, up_mm: float) -> Floats:
        """How far colours (logarithms, ... x 3) at points of its frame, so high over its face, are from what they would
        be if nothing had changed there."""
        return np.asarray(self.now.seen(own_mm, up_mm) - self.expected(own_mm, up_mm), np.float32)

    def expected(self, own_mm: Array, up_mm: float) -> Floats:
        """What they would be."""
        assert self.now.times is not None
        times = self.now.times if self.before.times is None else self.now.times / self.before.times
        levels = np.exp(self.before.seen(own_mm, up_mm)) - np.float32(LOG_FLOOR)
        lit = np.minimum(levels * on_grid(times, own_mm), SATURATED * self.now.sight.gain)
        return np.asarray(np.log(np.maximum(lit, 0.0) + LOG_FLOOR), np.float32)

    def blinded(self, own_mm: Array, up_mm: float) -> Flags:
        """Which points (... x 2) are white, and would not be if nothing had changed there."""
        darker = (self.expected(own_mm, up_mm) < self.now.top - DARKER).any(-1)
        return np.asarray(darker & self.now.is_white(own_mm, up_mm))

    def was_touched(self, own_mm: Array, up_mm: float) -> Flags:
        """Where (n x points x 2 gives n) it looks otherwise than it did in the same light."""
        return np.asarray(np.abs(self.off(own_mm, up_mm).mean(-2)).max(-1) > TOUCHED)

    def is_open(self, own_mm: Array, up_mm: float) -> Flags:
        """Which points nothing lies over now."""
        fit, covering = self.now.fit, [np.array(outline) for outline in self.now.lying[0].covering_mm]
        return ~inside_any(self.now.sight.seen(_on_table(own_mm, fit), fit.height_mm + up_mm), covering)

    def moved(self, one: Sighting) -> Sighting:
        """What lay on the board where that lies now."""
        was, lies = self.before.fit.pose, self.now.fit.pose
        at = place(to_own_frame(np.array([[one.pose.x_mm, one.pose.y_mm]]), was), lies)[0]
        outline = place(to_own_frame(np.array(one.outline_mm), was), lies)
        turned = (one.pose.angle_deg + lies[2] - was[2]) % 360.0
        pose = Pose(round(float(at[0]), 3), round(float(at[1]), 3), round(float(turned), 3))
        return replace(one, pose=pose, outline_mm=as_points(outline))


def _same_spaces(then: _Then, lately: _Then | None, board: BoardPrint) -> dict[str, Space]:
    """The spaces that have not changed, as they were surely known."""
    before = then.before.lying[0].spaces
    known = [space for space in before if space.contents and space.contents[0].probability >= SURE]
    if not known:
        return {}
    which = [board.space_names.index(space.name) for space in known]
    rings = topping_rings(board.topping_mm).reshape(-1, 2)
    own = board.spaces_mm[which][:, None] + rings
    high = then.now.seen(own, TOPPING_THICK_MM)
    is_open = then.is_open(own, 0.0)
    bare = same_cost(then.now.seen(own, 0.0) - print_at(board, own)[0], is_open)
    others = {EMPTY: bare} | {name: ring_cost(board, i, high) for i, name in enumerate(board.toppings.names)}
    costs = same_cost(then.off(own, 0.0), is_open)
    faces = np.array([space.contents[0].face for space in known])
    least = np.min([np.where(faces == name, np.inf, cost) for name, cost in others.items()], axis=0)
    likely = (costs < SAME_COST) & ~_blinded(then, board, which)
    against = np.where(likely, costs, 0.0) - least - SAME_LIKELIER
    same = 1.0 / (1.0 + np.exp(np.clip(against / 2, -50.0, 50.0)))
    likely &= same > 0.5
    if lately is not None:
        likely &= ~_changed(then, lately, board, own, known)
    at = place(board.spaces_mm[which], then.now.fit.pose)
    return {
        space.name: replace(
            space, x_mm=round(float(x), 2), y_mm=round(float(y), 2), contents=_no_surer(space.contents, p)
        )
        for space, is_same, p, (x, y) in zip(known, likely, same, at, strict=True)
        if is_same
    }


def _blinded(then: _Then, board: BoardPrint, which: Sequence[int]) -> Flags:
    """Which of some spaces are blinded: white by more light than the board tells, and not by what lies there."""
    angles = np.linspace(0.0, 2 * np.pi, RIM_POINTS, endpoint=False)
    away = board.topping_mm / 2 + np.array(RIM_MM)
    rim = (away[:, None, None] * np.stack([np.cos(angles), np.sin(angles)], axis=-1)).reshape(-1, 2)
    middles, disc = board.spaces_mm[which][:, None], topping_rings(board.topping_mm).reshape(-1, 2)
    white, blinded = then.now.is_white(middles + disc, 0.0), then.blinded(middles + rim, 0.0)
    return np.asarray((white.mean(1) > WHITE_SHARE) & (blinded.mean(1) > BLINDED_AROUND))


def _changed(then: _Then, lately: _Then, board: BoardPrint, own_mm: Array, known: Sequence[Space]) -> Flags:
    """On which spaces, as they were known, something lies otherwise than lately in the same light: each looks by more
    than half of the way as if another topping, or none, lay there."""
    off = lately.off(own_mm, 0.0).mean(1)
    looks = {EMPTY: print_at(board, own_mm)[0].mean(1)}
    looks |= {name: of.mean(0)[None] for name, of in zip(board.toppings.names, board.toppings.colours, strict=True)}
    expected = then.expected(own_mm, 0.0).mean(1)
    changed = np.zeros(len(known), bool)
    for name, look in looks.items():
        way = look - expected
        far = np.maximum(np.sqrt((way**2).sum(-1)), LEAST_WAY)
        moved = (off * way).sum(-1) / far**2 > HALF_WAY
        changed |= moved & np.array([space.contents[0].face != name for space in known])
    return changed


def _cutters(then: _Then, lately: _Then | None, found: Sequence[Sighting]) -> list[Sighting]:
    """The cutters that lie as they did, and those that were found otherwise."""
    kept: list[Sighting] = []
    for one in then.before.lying:
        if one.kind is not PieceKind.CUTTER:
            continue
        shown = _still_lies(then, lately, one)
        if shown is None or any(other.face == one.face and _sure_elsewhere(other, one) for other in found):
            continue
        kept.append(then.moved(one if shown else replace(one, faces=_no_surer(one.faces, HARDLY_SURE))))
    others = [one for one in found if all(one.face != other.face for other in kept)]
    return [*kept, *(one for one in others if not _looks_as_before(then, one))]


def _looks_as_before(then: _Then, found: Sighting) -> bool:
    """Whether the table looks along a cutter that is found as if nothing had come there."""
    along, _ = _along(found, then.now.fit)
    return float((_size(then.off(along, TOPPING_THICK_MM)) < STICK_STRAYS).mean()) >= STICK_SHARE


def _along(stick: Sighting, fit: BoardFit) -> tuple[Array, Array]:
    """Points of the board's frame along a cutter (n x 2), and a step aside."""
    corners = np.array(stick.outline_mm)
    ends = to_own_frame((corners[:2] + corners[[3, 2]]) / 2, fit.pose)
    way = ends[1] - ends[0]
    length = float(np.linalg.norm(way))
    along = ends[0] + np.linspace(0.0, 1.0, round(length / STICK_STEP_MM))[:, None] * way
    return along, np.array([-way[1], way[0]]) / length * BESIDE_STICK_MM


def _still_lies(then: _Then, lately: _Then | None, stick: Sighting) -> bool | None:
    """Whether it surely does; False where it may, None where it does not."""
    along, aside = _along(stick, then.before.fit)
    is_open = then.is_open(along, TOPPING_THICK_MM)
    if np.count_nonzero(is_open) * STICK_STEP_MM < LEAST_OPEN_MM:
        return None
    strays = _size(then.off(along, TOPPING_THICK_MM))[is_open]
    if float((strays < STICK_STRAYS).mean()) < STICK_SHARE:
        return None
    itself, *beside = (then.expected(along + off * aside, TOPPING_THICK_MM) for off in (0.0, 1.0, -1.0))
    shows = np.min([_size(itself - other) for other in beside], axis=0)[is_open] > STICK_SHOWS
    if shows.mean() > SHOWN_SHARE:
        return True
    return None if lately is not None and lately.was_touched(along[None], TOPPING_THICK_MM)[0] else False


def _sure_elsewhere(found: Sighting, stick: Sighting) -> bool:
    """Whether a cutter is surely found and lies otherwise than one did."""
    off = np.hypot(found.pose.x_mm - stick.pose.x_mm, found.pose.y_mm - stick.pose.y_mm)
    return found.probability >= SURE and off > 2 * BESIDE_STICK_MM


def _no_surer(faces: Sequence[FaceLikelihood], share: float) -> tuple[FaceLikelihood, ...]:
    return tuple(FaceLikelihood(one.face, round(one.probability * float(share), 4)) for one in faces)


def _as_sure(topping: Sighting, spaces: Sequence[Space], board: BoardPrint) -> Sighting:
    """A topping, no surer than it is said of its space to hold it."""
    for space in spaces:
        if np.hypot(space.x_mm - topping.pose.x_mm, space.y_mm - topping.pose.y_mm) < board.pitch_mm / 2:
            told = max((one.probability for one in space.contents if one.face == topping.face), default=0.0)
            return replace(topping, faces=_no_surer(topping.faces, min(told / max(topping.probability, 1e-6), 1.0)))
    return topping


def _on(one: Sighting, middles_mm: Array, board: BoardPrint) -> bool:
    """Whether a topping lies on one of these spaces."""
    off = np.hypot(*(middles_mm - [one.pose.x_mm, one.pose.y_mm]).T)
    return one.kind is PieceKind.TOPPING and bool((off < board.pitch_mm / 2).any())


def _on_table(own_mm: Array, fit: BoardFit) -> Array:
    return place(own_mm.reshape(-1, 2), fit.pose).reshape(own_mm.shape)


def _size(colours: Floats) -> Floats:
    return np.asarray(np.sqrt((colours**2).mean(-1)), np.float32)
