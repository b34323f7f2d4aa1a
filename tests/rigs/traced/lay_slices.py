"""How slices and Specials (or offers) lie: apart to be learned, in a circle, in portions, in front of players.

New York Slice and Pizzeria. The kinds of picture and their arrangements are those of the labelled pictures beside the
repository.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tests.rigs.traced.art_slices import SLICE_DEG, Face, SliceRun, notice_faces, slice_faces
from tests.rigs.traced.bodies import Body, Layout, Print, generator
from tests.rigs.traced.resting import rest

SIDES = ("south", "west", "north", "east")
HIGHEST_MM, STEP_OUT_MM = 12.0, 2.0
_GAP_MM = 4.0
"""Between neighbours that nobody has cut apart, at their crusts."""
_TURN = {"south": 270.0, "west": 180.0, "north": 90.0, "east": 0.0}
STYLES = {"new_york_slice": "newyork", "pizzeria": "pizzeria"}
_BACKS = {"new_york_slice": "special/back", "pizzeria": "offer/back"}


def _lying_low(bodies: list[Body]) -> list[Body]:
    """Slices, pulled out a little until none lies higher than HIGHEST_MM: tips that all cross the middle would pile up
    as rigid plates do, and no cardboard does."""
    while max(lying.origin[2] for lying in rest(bodies)) > HIGHEST_MM:
        bodies = [
            replace(
                body,
                x_mm=body.x_mm + STEP_OUT_MM * math.cos(math.radians(body.angle_deg)),
                y_mm=body.y_mm + STEP_OUT_MM * math.sin(math.radians(body.angle_deg)),
            )
            for body in bodies
        ]
    return bodies


class SliceGame:
    """One print run of one of the two games, and how it may lie."""

    def __init__(self, game: str, seed: int) -> None:
        self.game, self.seed = game, seed
        self.style = f"{STYLES[game]}{seed}"
        self.run = SliceRun(game, seed)
        self.faces = slice_faces(game)
        self.notices = notice_faces(game)
        self._drawn: dict[str, Print] = {}

    def enrolment(self) -> Iterator[Layout]:
        """Every face once, face up and apart, and each back."""
        columns, rows = (-245.0, -112.0, -37.0, 37.0, 112.0, 245.0), (125.0, 0.0, -125.0)
        cells = [(x, y) for y in rows for x in columns]
        slices: list[Face | None] = [*self.faces, None]
        number = 0
        for start in range(0, len(slices), len(cells)):
            number += 1
            rng = generator("enrol", self.game, self.seed, number)
            bodies = []
            for face, (x, y) in zip(slices[start : start + len(cells)], cells, strict=False):
                up = bool(rng.random() < 0.5)
                turn = (90 if up else 270) + rng.uniform(-4, 4)
                way = math.radians(turn)
                tip = (x - self.run.radius / 2 * math.cos(way), y - self.run.radius / 2 * math.sin(way))
                bodies.append(self._slice(face or self.faces[0], *tip, turn, up=face is not None))
                if face is None:
                    bodies[-1].label["face"] = "back"
            yield self._layout(f"enrol-{self.style}-{number:02}", "enrol", bodies, {}, 500.0, plain=True)
        cells = [(x, y) for y in (105.0, 0.0, -105.0) for x in (-245.0, -112.0, 0.0, 112.0, 245.0)]
        rng = generator("enrol notices", self.game, self.seed)
        bodies = [
            self._notice(face, x, y, 90 + rng.uniform(-6, 6)) for face, (x, y) in zip(self.notices, cells, strict=False)
        ]
        x, y = cells[len(self.notices)]
        bodies.append(self._notice(self.notices[0], x, y, 90.0, up=False))
        bodies[-1].label["face"] = _BACKS[self.game]
        yield self._layout(f"enrol-{self.style}-{number + 1:02}", "enrol", bodies, {}, 500.0, plain=True)

    def pictures(self, count: int) -> Iterator[Layout]:
        """So many tables to be read."""
        makers = (self._ring, self._split, self._seats, self._split, self._ring)
        for index in range(count):
            rng = generator("picture", self.game, self.seed, index)
            hand = rng.random() < 0.2 or index % 5 == 3
            yield makers[index % len(makers)](rng, index + 1, hand)

    def _ring(self, rng: np.random.Generator, number: int, hand: bool) -> Layout:
        faces, special = self._dealt(rng)
        messy = rng.random() < 0.4
        bodies = self._circle(rng, faces, [0] * 11, [(0.0, 0.0)], messy)
        rng.shuffle(bodies)
        bodies = _lying_low(bodies)
        at = self.run.radius + rng.uniform(75, 115)
        around = rng.choice([0.0, math.pi]) + rng.uniform(-0.35, 0.35)
        bodies.append(self._notice(special, at * math.cos(around), at * math.sin(around), rng.uniform(60, 120)))
        said = {"ring": [face.name for face in faces], "special": special.name}
        kind = "hand" if hand else "ring"
        return self._layout(f"{kind}-{self.style}-{number:02}", kind, bodies, said, rng.uniform(470, 600), hand)

    def _split(self, rng: np.random.Generator, number: int, hand: bool) -> Layout:
        faces, special = self._dealt(rng)
        many = int(rng.integers(2, 7))
        alone = bool(rng.random() < 0.35)
        pieces = max(many - alone, 2)
        cuts = np.sort(rng.choice(11, pieces, replace=False))
        start = int(cuts[0])
        faces = [*faces[start:], *faces[:start]]
        sizes = np.diff([*(cuts - start), 11])
        portion = np.repeat(np.arange(pieces), sizes)
        turn = rng.uniform(0, 360)
        pulls = []
        for index, size in enumerate(sizes):
            middle = turn - (np.flatnonzero(portion == index).mean()) * SLICE_DEG
            half = math.radians(min(size * SLICE_DEG / 2, 90))
            pull = max(rng.uniform(20, 45), 13 / math.sin(half))
            pulls.append((pull * math.cos(math.radians(middle)), pull * math.sin(math.radians(middle))))
        bodies = self._circle(rng, faces, portion.tolist(), pulls, bool(rng.random() < 0.3), turn)
        rng.shuffle(bodies)
        bodies = _lying_low(bodies)
        owner = int(rng.integers(pieces))
        slot = int(rng.choice(np.flatnonzero(portion == owner)))
        if pieces > 1 and not alone:
            chosen = np.flatnonzero(portion == owner)
            slot = int(chosen[len(chosen) // 2])
        way = math.radians(turn - slot * SLICE_DEG)
        if alone:
            away, x, y = 0.0, 0.0, 0.0
            side = rng.choice([0.0, math.pi])
            x, y = (self.run.radius + 130) * math.cos(side), rng.uniform(-60, 60)
        else:
            away = self.run.radius * rng.uniform(0.93, 1.0) + 38
            x, y = pulls[owner][0] + away * math.cos(way), pulls[owner][1] + away * math.sin(way)
        lean = math.degrees(way) if not alone else rng.uniform(60, 120)
        bodies.append(self._notice(special, x, y, lean + (0 if alone else rng.uniform(-12, 12))))
        portions = [[faces[i].name for i in np.flatnonzero(portion == index)] for index in range(pieces)]
        said: dict[str, Any] = {
            "portions": [*portions, []] if alone else portions,
            "special": special.name,
            "special_portion": pieces if alone else owner,
            "special_alone": alone,
        }
        kind = "hand" if hand else "split"
        return self._layout(f"{kind}-{self.style}-{number:02}", kind, bodies, said, rng.uniform(540, 640), hand)

    def _seats(self, rng: np.random.Generator, number: int, hand: bool) -> Layout:
        """Groups of one value, overlapping; eaten ones face down, side by side or in a pile; a Special; left-overs."""
        dealt = list(self.faces)
        rng.shuffle(dealt)
        bodies: list[Body] = []
        seats: dict[str, Any] = {}
        specials = list(self.notices)
        rng.shuffle(specials)
        taken = SIDES[: int(rng.integers(2, 5))]
        out = float(rng.choice([88.0, 212.0]))
        for side in taken:
            long = side in ("south", "north")
            room = 285.0 if long and out < 100 else 420.0 if long else 150.0 if out < 100 else 260.0
            laid, seats[side] = self._player(rng, dealt, side, out, room, specials if rng.random() < 0.5 else [])
            bodies += laid
        middle = [dealt.pop() for _ in range(int(rng.integers(0, 3)))]
        for index, face in enumerate(middle):
            turn = rng.uniform(80, 100) + 180
            bodies.append(self._slice(face, -35 + 70 * index, 55, turn, place="middle"))
        said: dict[str, Any] = {"middle": [face.name for face in middle], "seats": seats}
        if any(body.label.get("pile") for body in bodies):
            said = {}  # how many lie in a pile cannot be seen from above
        span = rng.uniform(500, 580) if out < 100 else rng.uniform(680, 740)
        return self._layout(f"seats-{self.style}-{number:02}", "seats", bodies, said, span, hand)

    def _player(
        self, rng: np.random.Generator, dealt: list[Face], side: str, out: float, room: float, specials: list[Face]
    ) -> tuple[list[Body], dict[str, Any]]:
        """What lies in front of one: from left to right groups, eaten slices, a Special."""
        step, width = rng.uniform(24, 36), 2 * self.run.radius * math.sin(math.radians(SLICE_DEG / 2))
        along, group = -room / 2 + width / 2, 0
        bodies: list[Body] = []
        collected: list[list[str]] = []
        eaten: list[str] = []
        notices: list[str] = []
        had: set[int] = set()
        while along + width / 2 <= room / 2:
            dice = rng.random()
            last = along + width / 2 + step > room / 2
            if dice < 0.25 and group:
                pile = rng.random() < 0.5
                for index in range(int(rng.integers(1, 4))):
                    ahead = rng.uniform(0, 2.5) if pile else step
                    if index and along + ahead + width / 2 > room / 2:
                        break
                    along += ahead if index else 0.0
                    face = dealt.pop()
                    eaten.append(face.name)
                    more = {"group": group, "what": "eaten", "pile": bool(pile and index)}
                    bodies.append(self._at(side, out, along, rng.normal(0, 2), face, False, **more))
            elif dice < 0.4 and specials and not notices:
                face = specials.pop()
                notices.append(face.name)
                x, y, turn = _seat_place(side, out + 50, along)
                bodies.append(self._notice(face, x, y, turn + 180 + rng.normal(0, 3), place=side))
            else:
                first = next(face for face in reversed(dealt) if not set(face.values) & had)
                had |= set(first.values)
                dealt.remove(first)
                same = [face for face in dealt if face.values == first.values and len(first.values) == 1]
                faces = [first, *([] if last else same[: int(rng.integers(0, 3))])]
                for face in faces:
                    if along + width / 2 > room / 2:
                        break
                    if face is not first:
                        dealt.remove(face)
                    turn = rng.normal(0, 2.0)
                    bodies.append(self._at(side, out, along, turn, face, True, group=group, what="collected"))
                    along += step
                collected.append([body.label["face"] for body in bodies if body.label.get("group") == group])
                along -= step
            group += 1
            along += width + rng.uniform(12, 28)
        return bodies, {"collected": collected, "eaten": eaten, "specials": notices}

    def _at(self, side: str, out: float, along: float, turn: float, face: Face, up: bool, **more: Any) -> Body:
        x, y, way = _seat_place(side, out, along)
        return self._slice(face, x, y, way + turn, up, place=side, **more)

    def _circle(
        self,
        rng: np.random.Generator,
        faces: Sequence[Face],
        portion: Sequence[int],
        pulls: Sequence[tuple[float, float]],
        messy: bool,
        turn: float | None = None,
    ) -> list[Body]:
        """Eleven slices clockwise, each portion pulled out; where it is messy they overlap."""
        first = rng.uniform(0, 360) if turn is None else turn
        bodies = []
        leans, offs = self._uneven(rng, messy)
        for slot, (face, part) in enumerate(zip(faces, portion, strict=True)):
            way = first - slot * SLICE_DEG
            a = math.radians(way)
            x = pulls[part][0] + offs[slot] * math.cos(a) + rng.normal(0, 0.5)
            y = pulls[part][1] + offs[slot] * math.sin(a) + rng.normal(0, 0.5)
            bodies.append(self._slice(face, x, y, way + leans[slot], slot=slot, portion=part))
        return bodies

    def _uneven(self, rng: np.random.Generator, messy: bool) -> tuple[list[float], list[float]]:
        """How far each slice is turned (degrees) and out of the middle (mm): no gap that could be taken for a cut."""
        for _ in range(500):
            leans = np.clip(rng.normal(0, 4.0 if messy else 0.8, 11), -9, 9)
            offs = rng.uniform(-18, -4, 11) if messy else rng.uniform(0.5, 3.0, 11)
            apart = self.run.radius * np.radians(leans - np.roll(leans, -1)) + 0.28 * (offs + np.roll(offs, -1))
            if apart.max() < _GAP_MM:
                return leans.tolist(), offs.tolist()
        return [0.0] * 11, [1.0] * 11

    def _dealt(self, rng: np.random.Generator) -> tuple[list[Face], Face]:
        chosen = [self.faces[int(i)] for i in rng.choice(len(self.faces), 11, replace=False)]
        return chosen, self.notices[int(rng.integers(len(self.notices)))]

    def _slice(self, face: Face, x: float, y: float, turn: float, up: bool = True, **more: Any) -> Body:
        run = self.run
        top = self._once(face.name, lambda: run.slice(face)) if up else self._once("back", run.slice_back)
        label = {"kind": "tile", "face": face.name, "face_up": up, **more}
        return Body(label, x, y, turn, run.outline, run.thickness, top, run.edge, finish=run.finish)

    def _notice(self, face: Face, x: float, y: float, turn: float, up: bool = True, **more: Any) -> Body:
        run = self.run
        top = self._once(face.name, lambda: run.notice(face)) if up else self._once("notice back", run.notice_back)
        label = {"kind": "special", "face": face.name, "face_up": up, **more}
        return Body(label, x, y, turn, run.notice_outline, run.thickness, top, run.edge, finish=run.finish)

    def _once(self, name: str, make: Any) -> Print:
        if name not in self._drawn:
            self._drawn[name] = make()
        return self._drawn[name]

    def _layout(
        self,
        name: str,
        kind: str,
        bodies: Sequence[Body],
        said: dict[str, Any],
        span: float,
        hand: bool = False,
        plain: bool = False,
    ) -> Layout:
        return Layout(
            name, self.game, self.style, kind, bodies, said, span, hand=hand, plain_light=plain, keys=(self.seed, name)
        )


def _seat_place(side: str, out: float, along: float) -> tuple[float, float, float]:
    """A place in front of a player, from their left to their right: x, y, and the direction away from the middle."""
    turn = _TURN[side]
    c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    return out * c + along * s, out * s - along * c, turn
