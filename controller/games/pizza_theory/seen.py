"""What a scene says about Pizza Theory's pieces, and how well it fits what ought to lie there.

The spaces and lines of the board are few and known: everything that may lie there is weighed by how likely vision
thinks it is, and what cannot be seen speaks neither for nor against anything.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from controller.games.pizza_theory.components import Components, Place
from controller.games.pizza_theory.laid import along, board_turn, cube_of, facing, lattice_of
from controller.reading import Layout
from vision.scene import EMPTY, PieceKind, Scene, Sighting

LEAST = 0.5
"""A board, a topping or a cutter that is less likely is none."""
HINT = 0.02
"""What vision thinks this likely may be meant, if the rules allow nothing likelier."""
FLOOR = 0.002
"""Nothing is less likely than this, whatever vision says: it may be wrong."""
UNTOLD_SHARE = 0.25
"""What vision leaves open goes to each of what may lie on a space by this share."""
AGAINST = 0.1
"""What fits less well than this is another thing than was expected."""
CERTAIN = 0.9
"""A topping that is this likely surely lies there."""
LINE_SPREAD = 0.17
"""How far, in steps from line to line, people lay cutters beside their line."""
BESIDE_LINE = 0.64
"""A cutter this far beside a line is not meant for it: it lies nearer to another, or too crookedly."""
TURN_DEG = 52.0
"""A board turned farther from where everybody faces the own side is on its way to another turn."""
SEATS_APART = 0.8
"""People who face their sides less well than this (see `board_turn`) do not tell how the board has to lie."""


@dataclass(frozen=True, slots=True)
class Cutter:
    """One cutter as it lies."""

    sighting: int
    """Its index into the scene."""
    colours: Mapping[str, float]
    place: Place | None
    """The place along whose lines it lies."""
    lines: Mapping[int, float]
    """The numbers of lines that it may be meant for, and how well it lies on them, 0 to 1."""

    def fits(self, colour: str, number: int) -> float:
        """How well it is this colour's, and lies on this line of its place."""
        return self.colour(colour) * self.lines.get(number, 0.0)

    def colour(self, name: str) -> float:
        """How likely it has this colour; all lines of a place are one colour's, so a little is enough."""
        return max(self.colours.get(name, 0.0), UNTOLD_SHARE * max(0.0, 1.0 - sum(self.colours.values())))

    @property
    def likely(self) -> str:
        """Its likeliest colour."""
        return max(self.colours, key=lambda name: self.colours[name])

    @property
    def line(self) -> int | None:
        """The line it lies on, where that is plain."""
        best = sorted(self.lines, key=lambda number: -self.lines[number])
        plain = len(best) == 1 or (len(best) > 1 and self.lines[best[1]] < AGAINST * self.lines[best[0]])
        return best[0] if plain else None


@dataclass(frozen=True, slots=True)
class Appearance:
    """What a perfect camera would see of a state."""

    toppings: Mapping[str, str]
    """The colour on each space that has a topping."""
    cutters: Mapping[int, int]
    """For each colour whose cutter lies there, the line."""
    early: frozenset[int] = frozenset()
    """Colours whose cutters may be on their way to the board."""
    spare: Mapping[str, int] | None = None
    """Of each colour how many of its spaces stay empty, as there are no more toppings."""
    becoming: Mapping[str, str] = field(default_factory=dict)
    """What spaces may show already instead, or else nothing on the way to it."""
    turned: frozenset[int] = frozenset({0})
    """By how many rotations, modulo 3, the board may lie turned on from how `places` say."""


@dataclass(frozen=True, slots=True)
class Odd:
    """Something that lies otherwise than expected: on a space, or a cutter."""

    space: str = ""
    expected: str = EMPTY
    """What ought to lie on the space."""
    found: str = EMPTY
    """What does."""
    certain: bool = True
    colour: int = 0
    """Whose cutter it is about."""
    cutter: Cutter | None = None
    """The cutter that lies wrongly; None for one that is missing."""
    turned: bool = False
    """The board lies turned otherwise."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a scene fits an appearance."""

    log_spaces: float
    """The logarithm of the evidence that the spaces give,"""
    log_others: float
    """and of that of all else."""
    odd: tuple[Odd, ...]

    @property
    def log(self) -> float:
        """The logarithm of all evidence."""
        return self.log_spaces + self.log_others


class Seen:
    """A scene with a board."""

    def __init__(self, scene: Scene, board: int, parts: Components, colours: Sequence[str]) -> None:
        """`board` is its index into the scene; `colours` are those of the state, number 1 first."""
        self._scene = scene
        self.board = board
        self._parts = parts
        self._colours = tuple(colours)
        self._lattice = lattice_of(scene.sightings[board].spaces)
        names = {at: name for name, at in parts.spaces.items()}
        spaces = scene.sightings[board].spaces
        self.spaces = {
            names[cube_of(space)]: {content.face: content.probability for content in space.contents}
            for space in spaces
            if cube_of(space) in names
        }
        self.at_mm = {names[cube_of(space)]: (space.x_mm, space.y_mm) for space in spaces if cube_of(space) in names}

    @cached_property
    def cutters(self) -> tuple[Cutter, ...]:
        """Every cutter on the board."""
        return tuple(
            self._cutter(index, sighting)
            for index, sighting in enumerate(self._scene.sightings)
            if sighting.kind is PieceKind.CUTTER and sighting.probability >= LEAST
        )

    @cached_property
    def toppings(self) -> tuple[tuple[int, str], ...]:
        """Every topping on a space: its index into the scene, and the space."""
        toppings = ((i, s) for i, s in enumerate(self._scene.sightings) if s.kind is PieceKind.TOPPING)
        placed = ((i, self.space_at(s)) for i, s in toppings)
        return tuple((i, space) for i, space in placed if space is not None)

    def share(self, space: str, face: str) -> float:
        """How likely this face is on this space; the same for all where nothing can be said."""
        contents = self.spaces.get(space, {})
        return max(FLOOR, contents.get(face, 0.0) + UNTOLD_SHARE * max(0.0, 1.0 - sum(contents.values())))

    def space_at(self, topping: Sighting) -> str | None:
        """The space on which a topping lies; None for one that lies beside all."""
        if self._lattice is None or not self.at_mm:
            return None
        at = (topping.pose.x_mm, topping.pose.y_mm)
        nearest = min(self.at_mm, key=lambda space: math.dist(self.at_mm[space], at))
        return nearest if math.dist(self.at_mm[nearest], at) < self.pitch_mm / 2 else None

    @property
    def pitch_mm(self) -> float:
        """From a space to the next."""
        return 0.0 if self._lattice is None else abs(self._lattice.scale) * math.sqrt(3)

    @cached_property
    def unseen(self) -> frozenset[str]:
        """The spaces of which vision mostly cannot say what lies there."""
        return frozenset(space for space, contents in self.spaces.items() if sum(contents.values()) <= LEAST)

    def doubt(self, space: str, face: str) -> float:
        """How likely something else lies there, beside this face; 0 where vision does not think it possible."""
        others = (likely for other, likely in self.spaces.get(space, {}).items() if other != face and likely >= HINT)
        return max(others, default=0.0) / self.share(space, face)

    def hinted(self, space: str, face: str) -> bool:
        """Whether vision thinks it possible that this lies there."""
        return self.spaces.get(space, {}).get(face, 0.0) >= HINT

    def lines_of(self, place: Place, colour: str) -> Mapping[int, float]:
        """The lines of a place on which this colour's cutter may lie, and how well it does."""
        fits: dict[int, float] = {}
        for cutter in self.cutters:
            if cutter.place is place and cutter.colour(colour) >= HINT:
                for number in cutter.lines:
                    fits[number] = max(fits.get(number, 0.0), cutter.fits(colour, number))
        return {number: fit for number, fit in fits.items() if fit > 0.0}

    def turns(self, places: Mapping[int, int], layout: Layout) -> frozenset[int]:
        """By how many clockwise rotations, modulo 3, the board may lie turned from how each player faces the own of
        `places`: one, none where it is on its way, all where the seats do not tell."""
        wanted, well = board_turn(places, layout.areas)
        if well < SEATS_APART or self._lattice is None:
            return frozenset({0, 1, 2})
        first = facing(self._lattice, self._parts)[self._parts.places[0].name]
        steps, left = divmod((wanted - first + 60.0) % 360.0, 120.0)
        return frozenset({int(steps)}) if abs(left - 60.0) <= TURN_DEG else frozenset()

    def fit(self, look: Appearance, places: Sequence[Place], turns: frozenset[int]) -> Fit:
        """How well the scene fits; `places`: the place of each colour, number 1 first."""
        log, odd = self._fit_spaces(look)
        log_cutters, odd_cutters = self._fit_cutters(look, places)
        if not turns & look.turned:
            odd_cutters.append(Odd(turned=True, certain=bool(turns)))
            log_cutters += math.log(FLOOR)
        return Fit(log, log_cutters, (*odd, *odd_cutters))

    def ceiling(self) -> float:
        """The logarithm of the evidence for whatever fits the spaces best, legal or not."""
        return sum(math.log(max(self.share(space, face) for face in (EMPTY, *self._colours))) for space in self.spaces)

    def _fit_spaces(self, look: Appearance) -> tuple[float, list[Odd]]:
        log, odd, spare = 0.0, list[Odd](), dict(look.spare or {})
        for space in self.spaces:
            expected = look.toppings.get(space, EMPTY)
            share = self.share(space, expected)
            if spare.get(expected, 0) and self.share(space, EMPTY) > share:
                spare[expected] -= 1
                share = self.share(space, EMPTY)
            if space in look.becoming:
                share = max(share, self.share(space, EMPTY), self.share(space, look.becoming[space]))
            log += math.log(share)
            if share < AGAINST:
                found = max(self.spaces[space], key=lambda face, space=space: self.spaces[space][face])  # type: ignore[misc]
                odd.append(Odd(space, expected, found, certain=self.spaces[space][found] >= CERTAIN))
        return log, _without_spare(odd, spare)

    def _fit_cutters(self, look: Appearance, places: Sequence[Place]) -> tuple[float, list[Odd]]:
        log, odd, left = 0.0, list[Odd](), list(self.cutters)
        for number, line in look.cutters.items():
            name, place = self._colours[number - 1], places[number - 1]
            mine = [cutter for cutter in left if cutter.place is place and cutter.colour(name) >= HINT]
            best = max(mine, key=lambda cutter: cutter.fits(name, line), default=None)
            fits = 0.0 if best is None else best.fits(name, line)
            log += math.log(max(fits, FLOOR))
            if best is not None and fits >= FLOOR:
                left.remove(best)
            else:
                odd.append(Odd(colour=number, certain=False))
        for number in look.early - look.cutters.keys():
            mine = [cutter for cutter in left if cutter.place is places[number - 1] and cutter.lines]
            best = max(mine, key=lambda cutter: cutter.colour(self._colours[number - 1]), default=None)
            if best is not None and best.colour(self._colours[number - 1]) >= HINT:
                left.remove(best)
                log += math.log(FLOOR)
        odd += [Odd(colour=self._colours.index(cutter.likely) + 1, cutter=cutter) for cutter in left]
        return log + len(left) * math.log(FLOOR), odd

    def _cutter(self, index: int, sighting: Sighting) -> Cutter:
        colours = {face.face: face.probability for face in sighting.faces if face.face in self._colours}
        if self._lattice is None or not colours:
            return Cutter(index, colours or {self._colours[0]: 0.0}, None, {})
        place, low, high = along(sighting.pose, self._lattice, self._parts)
        if place is None:
            return Cutter(index, colours, None, {})
        off = {number: max(abs(low - at), abs(high - at)) for number, at in enumerate(place.lines, 1)}
        near = {number: far for number, far in off.items() if far <= BESIDE_LINE}
        return Cutter(index, colours, place, {n: math.exp(-((far / LINE_SPREAD) ** 2) / 2) for n, far in near.items()})


def _without_spare(odd: Sequence[Odd], spare: Mapping[str, int]) -> list[Odd]:
    """Of what lies otherwise the last stay empty, as far as there are no more toppings for them."""
    left, told = dict(spare), list[Odd]()
    for one in reversed(odd):
        none = left.get(one.expected, 0) > 0
        if none:
            left[one.expected] -= 1
        told.insert(0, replace(one, expected=EMPTY) if none else one)
    return told


def find_board(scene: Scene) -> int | None:
    """The index of the board; None where none is seen."""
    boards = [(s.probability, -i) for i, s in enumerate(scene.sightings) if s.kind is PieceKind.BOARD and s.spaces]
    best = max(boards, default=(0.0, 0))
    return -best[1] if best[0] >= LEAST else None
