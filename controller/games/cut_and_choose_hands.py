"""How people lay New York Slice and Pizzeria: circle, portions, what is in front of them. For simulated players.

Poses as in `vision.scene`. People are not exact: circles gape, slices lie crookedly, portions are pulled out by more or
less. What is here plays a round and breaks the rules that both games have; a game's `hands.py` adds its own moves.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Generic, Protocol

import numpy as np
from numpy.typing import NDArray

from controller.game import Advice, Player
from controller.games.cut_and_choose import SLICES_IN_A_PIZZA, Ring
from controller.games.cut_and_choose_laid import SLICE_ANGLE_DEG
from controller.games.cut_and_choose_rows import PITCHES_MM, SLICE_MM, SPECIAL_MM, Item, fill, row_lines
from controller.games.cut_and_choose_rules import Shift, State, Take
from controller.hands import Lay, Lying, Mistake, NewPiece, Step
from vision.scene import PieceKind, Point, Pose

Points = NDArray[np.float64]

ASIDE_MM = 172.0
"""From the mat's centre to a Special that lies beside the pizza, its short side towards the centre."""
PULL_MM = (24.0, 34.0)
"""How far portions are pulled out at least and usually at most."""
APART_MM = 17.0
"""People leave at least this much between portions."""
FAN_MM = 24.0
"""Closer than this a slice would hide two fifths of the one below it: then every other one is turned round."""
TILED_MM = 29.5
"""Head to tail, slices this far apart hide nothing of each other; so they are laid by those whose fan was not read."""
BESIDE_MM = 24.0
"""What is laid next to a slice on purpose is this near to it (by who was told that one cannot be seen: as near as
TILED_MM)."""
ANEW = 2.5
"""Who was told that a slice cannot be seen lays it another way, so many times as crookedly as usual."""
KEEP_MM = 5.0
"""A piece that lies this near to its place is left alone."""
INTRUDER = "intruder"
INTRUDER_FACE = "11/1"
BACKS = {PieceKind.SLICE: "back", PieceKind.SPECIAL: "special/back"}

Mover = Callable[[Any, Sequence[Any], Mapping[str, Lying]], Mistake | None]


class Division(Protocol):
    """What dividing a pizza says, in either game."""

    @property
    def portions(self) -> tuple[Ring, ...]: ...

    @property
    def special_in(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Parted:
    """A division that no rules have judged."""

    portions: tuple[Ring, ...]
    special_in: int | None


@dataclass(frozen=True, slots=True)
class Deck:
    """The shuffled box: what each stack holds, top first."""

    stacks: tuple[tuple[str | None, Ring], ...]
    extras: tuple[str, ...]
    spare_specials: tuple[str, ...]

    @classmethod
    def shuffled(cls, start: Any, rng: Random) -> "Deck":
        slices = rng.sample(sorted(start.unseen), len(start.unseen))
        specials = rng.sample(sorted(start.unseen_specials), len(start.unseen_specials))
        count, size = len(start.stacks), SLICES_IN_A_PIZZA
        stacks = tuple(
            (specials[i] if specials else None, tuple(slices[size * i : size * i + size])) for i in range(count)
        )
        return cls(stacks, tuple(slices[size * count :]), tuple(specials[count:]))


class CutAndChooseHands(ABC, Generic[State]):
    """The hands of players of a game of the family. What is abstract is the game's own."""

    early: str
    """The Special that lets its owner choose before others,"""
    call: str
    """the one that lets its owner take a slice before the pizza is divided,"""
    shift: str
    """and the one that shifts a slice from one portion to another."""
    plain: str
    """What is wrong with a slice that may not be eaten, such as "without pepperoni"."""

    def __init__(
        self,
        game: Any,
        start: State,
        areas: Mapping[Player, Sequence[Sequence[Point]]],
        rng: Random,
        *,
        daring: float = 0.35,
    ) -> None:
        """`areas`: each player's polygons, as in `controller.reading.Layout`. `daring`: how often a Special that may
        be used is used."""
        self._game = game
        self._areas = areas
        self._rng = rng
        self._daring = daring
        self._deck = Deck.shuffled(start, rng)
        self._start = start
        self._redrawn = 0
        self._head_to_tail: set[Player] = set()
        """Who was told that a slice cannot be seen."""

    def box(self) -> Sequence[NewPiece]:
        """Every slice and Special of the copy, removed ones too."""
        components = self._start.options.components
        kinds = [(PieceKind.SLICE, components.slices), (PieceKind.SPECIAL, components.specials)]
        pieces = [NewPiece(facts.face, kind, facts.face, BACKS[kind]) for kind, list_ in kinds for facts in list_]
        return [*pieces, NewPiece(INTRUDER, PieceKind.SLICE, INTRUDER_FACE, BACKS[PieceKind.SLICE])]

    # What a game has of its own --------------------------------------------------------------------------------------

    @abstractmethod
    def next_play(self, state: State) -> tuple[Sequence[Any], Player | None]:
        """See `GameHands`."""

    @abstractmethod
    def uses_knife(self, moves: Sequence[Any]) -> bool:
        """See `GameHands`."""

    @abstractmethod
    def _lay(self, before: State, after: State, move: Any, lying: Mapping[str, Lying]) -> Sequence[Step]:
        """The hand movements of one move."""

    @abstractmethod
    def _items(self, player: Player, holding: Any) -> list[Item]:
        """Everything in front of a player, in the order in which it is laid."""

    @abstractmethod
    def _may_eat(self, state: State, face: str) -> bool:
        """Whether a slice that was taken may be eaten."""

    @abstractmethod
    def mistakes(self, state: State, moves: Sequence[Any], lying: Mapping[str, Lying]) -> Sequence[Mistake]:
        """See `GameHands`."""

    @abstractmethod
    def _eats_what_was_taken(self, state: State, take: Take) -> bool:
        """Whether it is the slices of this portion, each by what is printed on it, that its taker may eat or not."""

    # What is played --------------------------------------------------------------------------------------------------

    def _served(self, state: State) -> tuple[str | None, Ring]:
        """What the next stack holds."""
        return self._deck.stacks[len(self._start.stacks) - len(state.stacks) - 1]

    def _spare(self) -> str:
        self._redrawn += 1
        return self._deck.spare_specials[self._redrawn - 1]

    def _who(self, state: State, players: Sequence[Player]) -> Player:
        """The one whose turn it is, or sometimes one who may interrupt."""
        for player in players[1:]:
            if self._rng.random() < self._daring and self._game.advise(state, player):
                return player
        return players[0]

    def _decision(self, state: State, player: Player) -> Any:
        moves = [a.move for a in self._advice(state, player)]
        shifts = [m for m in moves if isinstance(m, Shift)]
        if shifts and self._rng.random() < self._daring:
            return shifts[0]
        plain = [m for m in moves if not isinstance(m, Shift)] or moves
        return plain[min(len(plain) - 1, int(self._rng.expovariate(1.2)))]

    def _advice(self, state: State, player: Player) -> Sequence[Advice]:
        """What this player may think of doing, best first."""
        advice: Sequence[Advice] = self._game.advise(state, player)
        return advice

    # How it is laid --------------------------------------------------------------------------------------------------

    def steps(self, state: State, moves: Sequence[Any], lying: Mapping[str, Lying]) -> Sequence[Step]:
        """See `GameHands`."""
        steps: list[Step] = []
        here = dict(lying)
        for move in moves:
            before, state = state, self._game.apply(state, move)
            for step in self._lay(before, state, move, here):
                steps.append(step)
                here.update({lay.piece: Lying(lay.to, lay.face_up) for lay in step.lays})
        return [step for step in steps if step.lays]

    def _in_front_of(self, state: State, player: Player) -> Any:
        """What lies in front of a player, what is still to be decided about included."""
        return state.holdings[player - 1]

    def _redraw(self, before: State, special: str, lying: Mapping[str, Lying]) -> Sequence[Step]:
        old = before.special
        pose = lying[old].pose if old and lying[old].pose else self._beside(90.0)
        return [Step(before.slicer, (Lay(str(old), None, False),)), Step(before.slicer, (Lay(special, pose, True),))]

    def _serve(self, slicer: Player, special: str | None, slices: Sequence[str]) -> Sequence[Step]:
        """The Special beside the pizza, then the slices next to each other, three or so at a time."""
        rng = self._rng
        steps = []
        if special is not None:
            direction = rng.choice((90.0, 0.0, 180.0, 270.0)) + rng.uniform(-12, 12)
            steps.append(Step(slicer, (Lay(special, self._beside(direction), True),)))
        centre = (rng.gauss(0, 3), rng.gauss(0, 3))
        start = rng.uniform(0, 360)
        lays = []
        for k, face in enumerate(slices):
            angle = start - k * SLICE_ANGLE_DEG
            out = 2.2 + rng.uniform(0, 2.2)
            tip = _polar(centre, angle, out)
            pose = Pose(tip[0] + rng.gauss(0, 0.5), tip[1] + rng.gauss(0, 0.5), (angle + rng.gauss(0, 0.6)) % 360)
            lays.append(Lay(face, pose, True))
        sizes = rng.choice(((4, 4, 3), (3, 3, 3, 2), (6, 5)))
        for size in sizes:
            steps.append(Step(slicer, tuple(lays[:size])))
            lays = lays[size:]
        return steps

    def _beside(self, direction: float) -> Pose:
        at = _polar((0.0, 0.0), direction, ASIDE_MM)
        turn = 90 if 45 <= direction % 360 < 225 else -90
        return Pose(at[0], at[1], (direction + turn + self._rng.gauss(0, 2)) % 360)

    def _divide(
        self, slicer: Player, move: Division, special: str | None, lying: Mapping[str, Lying]
    ) -> Sequence[Step]:
        groups = [list(portion) for portion in move.portions if portion]
        poses = {}
        for group in groups:
            poses.update(_closed({face: _pose(lying, face) for face in group}))
        pulls = self._pulls([[poses[f] for f in g] for g in groups])
        steps, moved = [], dict(poses)
        for group, (direction, distance) in zip(groups, pulls, strict=True):
            turn = self._rng.gauss(0, 1.0)
            for face in group:
                moved[face] = _shifted(poses[face], direction, distance, turn)
            steps.append(Step(slicer, tuple(Lay(f, moved[f], True) for f in group)))
        if special is None or move.special_in is None:
            return steps
        with_special = move.portions[move.special_in]
        pose = self._special_pose([moved[f] for f in with_special], [moved[f] for f in moved if f not in with_special])
        # Last, so that a Special that lies with its portion lies on it and can be read.
        return [*steps, Step(slicer, (Lay(special, pose, True),))]

    def _pulls(self, groups: Sequence[Sequence[Pose]]) -> list[tuple[float, float]]:
        """Direction and distance for each portion, so that all lie clearly apart."""
        directions = [_mean_angle([p.angle_deg for p in group]) for group in groups]
        distances = [self._rng.uniform(*PULL_MM) for _ in groups]
        if len(groups) == 1:
            return [(directions[0], 0.0)]
        for _ in range(40):
            tight = False
            for i in range(len(groups)):
                j = (i + 1) % len(groups)
                a = _shifted(groups[i][-1], directions[i], distances[i], 0)
                b = _shifted(groups[j][0], directions[j], distances[j], 0)
                if _edge_gap(a, b) < APART_MM:
                    narrow = min((i, j), key=lambda k: (distances[k], len(groups[k])))
                    distances[narrow] += 3.0
                    tight = True
            if not tight:
                break
        return [(d, min(r, 52.0)) for d, r in zip(directions, distances, strict=True)]

    def _special_pose(self, own: Sequence[Pose], others: Sequence[Pose]) -> Pose:
        """Touching or lying on its portion, or clear of all; tried around the table until it is clear which."""
        best: tuple[float, Pose] | None = None
        own_spots = np.array([s for p in own for s in _spots(p)])
        other_spots = np.array([s for p in others for s in _spots(p)])
        for _ in range(160):
            if own:
                slice_ = self._rng.choice(own)
                upright = self._rng.random() < 0.5
                beyond = self._rng.uniform(29, 42) if upright else self._rng.uniform(16, 27)
                centre = _polar((slice_.x_mm, slice_.y_mm), slice_.angle_deg, SLICE_MM + beyond)
                angle = (
                    slice_.angle_deg + (180.0 if upright else self._rng.choice((90.0, -90.0))) + self._rng.gauss(0, 3)
                )
            else:
                direction = self._rng.uniform(0, 360)
                centre = _polar((0.0, 0.0), direction, self._rng.uniform(165, 182))
                angle = direction + self._rng.choice((90.0, -90.0))
            pose = Pose(centre[0], centre[1], angle % 360)
            if not _on_free_mat(pose):
                continue
            apart = _gap_to_card(other_spots, pose) if others else 99.0
            close = _gap_to_card(own_spots, pose) if own else 0.0
            score = min(apart, 24.0) - (4 * max(0.0, close - 1.0) if own else 0.0)
            if best is None or score > best[0]:
                best = (score, pose)
        return best[1] if best else self._beside(90.0)

    def _shift_slice(self, before: State, move: Shift, lying: Mapping[str, Lying]) -> Step:
        """Lay the slice against the end of the other portion."""
        target = before.portions[move.to].slices
        state = self._game.apply(before, move)
        after = state.portions[move.to].slices
        pose = _pose(lying, move.face)
        if target:
            clockwise_end = after[-1] == move.face
            neighbour = _pose(lying, target[-1] if clockwise_end else target[0])
            turn = -SLICE_ANGLE_DEG if clockwise_end else SLICE_ANGLE_DEG
            tip = _polar((neighbour.x_mm, neighbour.y_mm), neighbour.angle_deg + turn / 2, 1.2)
            pose = Pose(tip[0], tip[1], (neighbour.angle_deg + turn) % 360)
        return Step(move.player, (Lay(move.face, pose, True),))

    def _flip(self, player: Player, special: str, lying: Mapping[str, Lying]) -> Step:
        return Step(player, (Lay(special, lying[special].pose, False),))

    def _settle(self, after: State, player: Player, lying: Mapping[str, Lying]) -> Sequence[Step]:
        """Bring a player's things in order: what was taken comes over, then what lies there and is eaten is turned."""
        wanted = self._rows(player, self._in_front_of(after, player))
        first: list[Lay] = []
        flips: list[Lay] = []
        moving_row: set[int] = set()
        turned_row: set[int] = set()
        for row, face, pose, face_up in wanted:
            now = lying[face]
            near = now.pose is not None and math.dist((now.pose.x_mm, now.pose.y_mm), (pose.x_mm, pose.y_mm)) < KEEP_MM
            stays = near and row not in moving_row
            if stays and now.pose is not None:
                pose = now.pose
            else:
                moving_row.add(row)
                first.append(Lay(face, pose, face_up))
            if stays and now.face_up != face_up:
                turned_row.add(row)
            # What is turned over is laid down anew, so that what lies on it in a fan has to be laid on it again.
            if row in turned_row:
                flips.append(Lay(face, pose, face_up))
        return [Step(player, tuple(first)), Step(player, tuple(flips))]

    def lay_anew(
        self, state: State, faces: Sequence[str], player: Player | None, lying: Mapping[str, Lying]
    ) -> Sequence[Step]:
        """See `GameHands`."""
        owners = {
            p
            for p in range(1, state.players + 1)
            if set(faces) & {*(h := self._in_front_of(state, p)).collected, *h.eaten, *(s.name for s in h.specials)}
        }
        if not faces and player is not None:
            owners.add(player)
        steps = []
        self._head_to_tail |= owners
        for owner in sorted(owners):
            rows = self._rows(owner, self._in_front_of(state, owner))
            steps.append(Step(owner, tuple(Lay(face, pose, lying[face].face_up) for _, face, pose, _ in rows)))
        loose = [f for f in faces if f in lying and (pose := lying[f].pose) is not None and _in_middle(pose)]
        if loose:
            rng = self._rng
            lays = [
                Lay(f, _shifted(_pose(lying, f), rng.uniform(0, 360), abs(rng.gauss(0, 1.2)), rng.gauss(0, 0.5)), True)
                for f in loose
            ]
            card = lying.get(state.special or "")
            if card is not None and card.pose is not None and card.face_up:
                lays.append(Lay(str(state.special), card.pose, True))
            steps.append(Step(player or state.slicer, tuple(lays)))
        return steps

    def _rows(self, player: Player, holding: Any) -> list[tuple[int, str, Pose, bool]]:
        """Where everything in front of a player goes: (row, piece, pose, face up), in the order it is laid."""
        items = self._items(player, holding)
        rows = row_lines(self._areas[player])
        told = player in self._head_to_tail
        for pitch in PITCHES_MM:
            if (placed := fill(rows, items, pitch, TILED_MM if told else BESIDE_MM)) is not None:
                break
        else:
            raise ValueError(f"{len(items)} pieces do not fit in the area of player {player}")
        laid = []
        fan_mm = TILED_MM if told else FAN_MM
        for k, (row, item, centre) in enumerate(placed):
            is_card = item.is_card
            line = rows[row].turned() if pitch < fan_mm and k % 2 and not is_card else rows[row]
            crooked = ANEW if told else 1.0
            jitter = [crooked * self._rng.gauss(0, spread) for spread in (0.7, 0.7, 1.2)]
            if is_card:
                middle = line.tip_y - math.copysign(
                    min(SPECIAL_MM[1] / 2 + 2, line.depth / 2), line.tip_y - line.crust_y
                )
                pose = Pose(centre + jitter[0], middle + jitter[1], (90 + jitter[2]) % 360)
            else:
                pose = Pose(centre + jitter[0], line.tip_y + jitter[1], (line.angle + jitter[2]) % 360)
            laid.append((row, item.piece, pose, item.face_up))
        return laid

    # How rules get broken --------------------------------------------------------------------------------------------

    def _wrong_slice(self, state: State, moves: Sequence[Any], lying: Mapping[str, Lying]) -> Mistake | None:
        """A slice that was served before, or another copy's, lies in the circle."""
        steps = self._serve(state.slicer, moves[1].special, moves[1].ring)
        last = steps[-1]
        swapped = (*last.lays[:-1], Lay(INTRUDER, last.lays[-1].to, True))
        seen = self._start.unseen - state.unseen
        if INTRUDER_FACE not in seen and INTRUDER_FACE in self._start.unseen:
            return None
        return Mistake("wrong slice served", state.slicer, (*steps[:-1], Step(last.player, swapped)), False)

    def _slice_gone(self, state: State, moves: Sequence[Any], lying: Mapping[str, Lying]) -> Mistake | None:
        owners = [(p, f) for p, h in enumerate(state.holdings, 1) for f in h.collected]
        if not owners:
            return None
        player, face = self._rng.choice(owners)
        return Mistake("collected slice gone", player, (Step(player, (Lay(face, None, True),)),), False)

    def _pizza_slice_gone(self, state: State, moves: Sequence[Any], lying: Mapping[str, Lying]) -> Mistake | None:
        faces = [f for f in state.ring if (pose := lying[f].pose) is not None and _in_middle(pose)]
        if not faces:
            return None
        player = state.slicer
        return Mistake(
            "slice of the pizza gone", player, (Step(player, (Lay(self._rng.choice(faces), None, True),)),), False
        )

    def _special_misuse(self, state: State, moves: Sequence[Any], lying: Mapping[str, Lying]) -> Mistake | None:
        usable = self._usable(state)
        owned = [
            (p, s.name)
            for p, h in enumerate(state.holdings, 1)
            for s in h.specials
            if not s.used and s.name not in usable
        ]
        if not owned:
            return None
        player, special = self._rng.choice(owned)
        return Mistake("Special used at the wrong time", player, (self._flip(player, special, lying),), False)

    def _usable(self, state: State) -> set[str]:
        """The Specials that somebody may turn face down now."""
        if not state.ring:
            return set()
        return {self.early, self.shift} if state.portions else {self.call}

    def _order_changed(self, state: State, moves: Sequence[Any], lying: Mapping[str, Lying]) -> Mistake | None:
        a, b = self._rng.sample(state.ring, 2)
        lays = (Lay(a, _pose(lying, b), True), Lay(b, _pose(lying, a), True))
        return Mistake("order of slices changed", state.slicer, (Step(state.slicer, lays),), False)

    def _too_few(self, state: State, moves: Sequence[Any], lying: Mapping[str, Lying]) -> Mistake | None:
        portions = [p for p in moves[0].portions if p]
        if len(portions) < 3:
            return None
        merged = Parted((portions[0] + portions[1], *portions[2:]), 0)
        steps = self._divide(state.slicer, merged, state.special, lying)
        return Mistake("too few portions", state.slicer, tuple(steps), True)

    def _too_many(self, state: State, moves: Sequence[Any], lying: Mapping[str, Lying]) -> Mistake | None:
        portions = [p for p in moves[0].portions if p]
        widest = max(range(len(portions)), key=lambda i: len(portions[i]))
        if len(portions[widest]) < 2 or len(portions) < len(moves[0].portions) or len(portions) > 5:
            return None
        half = portions[widest]
        portions[widest : widest + 1] = [half[:1], half[1:]]
        steps = self._divide(state.slicer, Parted(tuple(portions), 0), state.special, lying)
        return Mistake("too many portions", state.slicer, tuple(steps), True)

    def _takes_undivided(self, state: State, moves: Sequence[Any], lying: Mapping[str, Lying]) -> Mistake | None:
        others = [
            p
            for p, h in enumerate(state.holdings, 1)
            if p != state.slicer and all(s.name != self.call for s in h.specials)
        ]
        if not others:
            return None
        player, face = self._rng.choice(others), self._rng.choice(state.ring)
        return Mistake("takes before it is divided", player, (self._grab(player, (face,)),), False)

    def _out_of_turn(self, state: State, moves: Sequence[Any], lying: Mapping[str, Lying]) -> Mistake | None:
        others = [
            p
            for p in range(1, state.players + 1)
            if p != state.order[0]
            and p != (moves[0].player if isinstance(moves[0], Take) else 0)
            and all(s.name != self.early for s in state.holdings[p - 1].specials)
        ]
        portions = [p for p in state.portions if p.taken_by is None and p.slices]
        if not others or not portions:
            return None
        player, portion = self._rng.choice(others), self._rng.choice(portions)
        return Mistake("chooses out of turn", player, (self._grab(player, portion.slices),), False)

    def _two_portions(self, state: State, moves: Sequence[Any], lying: Mapping[str, Lying]) -> Mistake | None:
        portions = [p for p in state.portions if p.taken_by is None and p.slices]
        if len(portions) < 2 or any(s.name == self.shift for s in state.holdings[state.order[0] - 1].specials):
            return None
        one, two = self._rng.sample(portions, 2)
        return Mistake(
            "takes from two portions", state.order[0], (self._grab(state.order[0], (*one.slices, two.slices[0])),), True
        )

    def _eats_plain(self, state: State, moves: Sequence[Any], lying: Mapping[str, Lying]) -> Mistake | None:
        take = moves[0]
        if not isinstance(take, Take) or not self._eats_what_was_taken(state, take):
            return None
        plain = [f for f in state.portions[take.portion].slices if not self._may_eat(state, f)]
        if not plain or take.player != state.order[0]:
            return None
        grab = self._grab(take.player, state.portions[take.portion].slices)
        cards: tuple[Step, ...] = ()
        if state.portions[take.portion].special:
            cards = (Step(take.player, (Lay(str(state.special), self._free_card(take.player, lying), True),)),)
        spot = next(lay.to for lay in grab.lays if lay.piece == plain[0])
        flip = Step(take.player, (Lay(plain[0], spot, False),))
        return Mistake(f"eats a slice {self.plain}", take.player, (grab, *cards, flip), True)

    def _eats_collected(self, state: State, moves: Sequence[Any], lying: Mapping[str, Lying]) -> Mistake | None:
        owners = [(p, f) for p, h in enumerate(state.holdings, 1) for f in h.collected if p != state.order[0]]
        if not owners:
            return None
        player, face = self._rng.choice(owners)
        return Mistake(
            "eats a slice collected earlier", player, (Step(player, (Lay(face, lying[face].pose, False),)),), False
        )

    def _grab(self, player: Player, faces: Sequence[str]) -> Step:
        """Slices laid anyhow onto the near side of a player's area."""
        rows = row_lines(self._areas[player])
        line = rows[0]
        width = line.right - line.left - 60
        pitch = min(58.0, width / max(1, len(faces)))
        lays = [
            Lay(face, Pose(line.right - 32 - i * pitch, line.tip_y, line.angle), True) for i, face in enumerate(faces)
        ]
        return Step(player, tuple(lays))

    def _free_card(self, player: Player, lying: Mapping[str, Lying]) -> Pose:
        line = row_lines(self._areas[player])[-1]
        middle = line.tip_y - math.copysign(SPECIAL_MM[1] / 2 + 2, line.tip_y - line.crust_y)
        return Pose(line.left + 32, middle, 90.0)


def _pose(lying: Mapping[str, Lying], piece: str) -> Pose:
    pose = lying[piece].pose
    if pose is None:
        raise ValueError(f"{piece} is not on the table")
    return pose


def _in_middle(pose: Pose) -> bool:
    return math.hypot(pose.x_mm, pose.y_mm) < 78


def _polar(origin: Point, angle_deg: float, distance: float) -> Point:
    angle = math.radians(angle_deg)
    return (origin[0] + distance * math.cos(angle), origin[1] + distance * math.sin(angle))


def _shifted(pose: Pose, direction: float, distance: float, turn: float) -> Pose:
    """Pulled out in a direction and turned about the mat's centre."""
    cos, sin = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    x, y = pose.x_mm * cos - pose.y_mm * sin, pose.x_mm * sin + pose.y_mm * cos
    x, y = _polar((x, y), direction + turn, distance)
    return Pose(x, y, (pose.angle_deg + turn) % 360)


def _closed(group: Mapping[str, Pose]) -> dict[str, Pose]:
    """The slices of a portion, clockwise, pushed together where one was taken out between them."""
    closed: dict[str, Pose] = {}
    turn = 0.0
    before: Pose | None = None
    for face, pose in group.items():
        if before is not None:
            hole = (before.angle_deg - pose.angle_deg) % 360 - SLICE_ANGLE_DEG
            turn += hole if hole > SLICE_ANGLE_DEG / 2 else 0.0
        before = pose
        closed[face] = _shifted(pose, 0.0, 0.0, turn)
    return closed


def _mean_angle(angles: Sequence[float]) -> float:
    x = sum(math.cos(math.radians(a)) for a in angles)
    y = sum(math.sin(math.radians(a)) for a in angles)
    if math.hypot(x, y) < 1e-6:
        return angles[len(angles) // 2]
    return math.degrees(math.atan2(y, x))


def _edge_gap(first: Pose, second: Pose) -> float:
    a = _polar((first.x_mm, first.y_mm), first.angle_deg - SLICE_ANGLE_DEG / 2, SLICE_MM / 2)
    b = _polar((second.x_mm, second.y_mm), second.angle_deg + SLICE_ANGLE_DEG / 2, SLICE_MM / 2)
    return math.dist(a, b)


def _spots(pose: Pose) -> list[Point]:
    """Points all over a slice."""
    turns = (-SLICE_ANGLE_DEG / 2, -SLICE_ANGLE_DEG / 4, 0.0, SLICE_ANGLE_DEG / 4, SLICE_ANGLE_DEG / 2)
    return [_polar((pose.x_mm, pose.y_mm), pose.angle_deg + t, r) for t in turns for r in (30.0, 65.0, SLICE_MM)]


def _gap_to_card(points: Points, card: Pose) -> float:
    """How far the nearest of some points (n x 2) lies from a Special; negative inside."""
    angle = math.radians(card.angle_deg)
    cosine, sine = math.cos(angle), math.sin(angle)
    dx, dy = points[:, 0] - card.x_mm, points[:, 1] - card.y_mm
    across = np.abs(dy * cosine - dx * sine) - SPECIAL_MM[0] / 2
    along = np.abs(dx * cosine + dy * sine) - SPECIAL_MM[1] / 2
    inside = np.minimum(np.maximum(across, along), 0.0)
    return float((np.hypot(np.maximum(across, 0.0), np.maximum(along, 0.0)) + inside).min())


def _on_free_mat(card: Pose) -> bool:
    """Whether a Special lies inside the mat's surroundings and off the corner markers."""
    for sx in (-1, 0, 1):
        for sy in (-1, 0, 1):
            angle = math.radians(card.angle_deg)
            across, along = sx * SPECIAL_MM[0] / 2, sy * SPECIAL_MM[1] / 2
            x = card.x_mm + along * math.cos(angle) - across * math.sin(angle)
            y = card.y_mm + along * math.sin(angle) + across * math.cos(angle)
            if max(abs(x), abs(y)) > 205 or (abs(x) > 146 and abs(y) > 146):
                return False
    return True
