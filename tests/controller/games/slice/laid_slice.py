"""SLICE as perfect vision would see it, straight from the simulated world; its eyes may doubt, for questions."""

import math
from collections.abc import Mapping
from dataclasses import replace
from random import Random

from config.loader import load_table
from controller.game import Player
from controller.games.polygons import inside
from controller.games.slice import GAME, rules
from controller.games.slice.components import HOT_SAUCE
from controller.games.slice.hands import OPEN_PILE, SliceHands
from controller.games.slice.rules import PLACES, Move, State
from controller.games.slice.table import SliceTable
from controller.hands import Lay, Lying
from controller.reading import Fault, Layout, Reading, ReadingKind
from controller.seating import areas
from hardware.simulated.lying import outline_mm
from hardware.simulated.world import PieceView, World, WorldSnapshot
from vision.following.settling import changes
from vision.scene import Change, FaceLikelihood, HiddenCause, HiddenPlace, PieceKind, Pose, Scene, Settled, Sighting

SURE = 0.995
LEAST_VISIBLE = 0.1
NEAR_MM = 50.0
"""Cards farther from each other, of a pizza laid as these hands do, do not touch."""
SEATS: Mapping[int, Mapping[Player, int]] = {
    2: {1: 2, 2: 5},
    3: {1: 1, 2: 3, 3: 5},
    4: {1: 1, 2: 3, 3: 4, 4: 6},
    5: {1: 1, 2: 2, 3: 3, 4: 5, 5: 6},
    6: {player: player for player in range(1, 7)},
}
Contents = tuple[tuple[str, float], ...]


class CardEyes:
    """Scenes of a world of cards. Keeps since when it has been at rest."""

    def __init__(self) -> None:
        self.doubt: dict[str, Contents] = {}
        """What is seen instead of a piece's face, by the piece; nothing where it is not seen at all."""
        self._last: tuple[object, ...] = ()
        self._since_s = 0.0
        self._sequence = 0
        self._known: tuple[object, ...] = ()
        self._seen: tuple[Sighting, ...] = ()
        self._changes: tuple[Change, ...] = ()

    def scene(self, snapshot: WorldSnapshot) -> Scene:
        """What lies on the table at this moment."""
        self._sequence += 1
        lying = tuple((p.piece_id, p.pose, p.face) for p in snapshot.pieces)
        if lying != self._last or snapshot.hands:
            self._last, self._since_s = lying, snapshot.time_s
        views = [view for view in snapshot.pieces if view.holder is None]
        known = tuple((view.piece_id, view.pose, view.face_up, str(self.doubt.get(view.piece_id))) for view in views)
        if known != self._known:
            before, self._known, self._seen = self._seen, known, tuple(self._sightings(views))
            self._changes = changes(before, self._seen)
        hidden = tuple(HiddenPlace((h.fingertip, h.shoulder, h.fingertip), HiddenCause.HAND) for h in snapshot.hands)
        rest_s = snapshot.time_s - self._since_s
        settled = Settled(self._seen, rest_s, self._changes)
        return Scene(snapshot.time_s, self._sequence, self._seen, hidden, rest_s, settled=settled)

    def _sightings(self, views: list[PieceView]) -> list[Sighting]:
        outlines = [outline_mm(view.kind, view.pose) for view in views]
        found = []
        for number, (view, outline) in enumerate(zip(views, outlines, strict=True)):
            above = [
                other
                for other, over in zip(outlines[number + 1 :], views[number + 1 :], strict=True)
                if math.dist((over.pose.x_mm, over.pose.y_mm), (view.pose.x_mm, view.pose.y_mm)) < NEAR_MM
            ]
            visible = _visible(outline, above) if above else 1.0
            contents = self.doubt.get(view.piece_id, ((view.face, SURE),))
            if visible >= LEAST_VISIBLE and contents:
                likely = tuple(FaceLikelihood(face, share) for face, share in sorted(contents, key=lambda c: -c[1]))
                up = not likely[0].face.endswith("/back")
                found.append(Sighting(view.kind, view.pose, likely, up, visible, outline))
        return found


class LaidSlice:
    """A state, laid as it says; hands that know where its cards are."""

    def __init__(self, state: State, seed: int = 1) -> None:
        self.state = state
        self.rng = Random(seed)
        self.seats = SEATS[state.players]
        self.areas = areas(load_table([]), self.seats)
        self.layout = Layout(self.areas)
        start = GAME.start(state.players, rules.option_values(state.options), 1)
        self.hands = SliceHands(GAME, start, self.areas, self.rng)
        self.world = World(self.rng)
        self.eyes = CardEyes()
        self.table = SliceTable()
        for piece in self.hands.box():
            self.world.add_piece(piece.piece, piece.kind, piece.front, piece.back)

    def arrange(self, **under: str) -> "LaidSlice":
        """Lay everything as the state says; `under` says what lies face down, p2_3="onion" on player 2's place 3, or
        next on the draw pile: `next`."""
        hands, state, known = self.hands, self.state, self.lying()
        hands._set_up(state, known)
        hands.pile, hands.spots, hands.sauces, hands.open = [*hands._kinds], {}, {}, []
        hands.pile.sort(key=lambda piece: hands._kinds[piece] == HOT_SAUCE)  # face-down cards are not Hot Sauce, mostly
        for player, seat in enumerate(state.seats, start=1):
            if seat.order is not None:
                self.lay(Lay(f"order/{seat.order}", hands._tables[player], True))
            for place, spot in enumerate(seat.spots, start=1):
                if spot.up is not None or f"p{player}_{place}" in under:
                    hands.spots[player, place] = self._take(spot.up or under[f"p{player}_{place}"])
                if spot.blocked:
                    hands.sauces[player, place] = self._take(HOT_SAUCE)
        hands.open = [self._take(card) for card in state.open]
        for player in range(1, state.players + 1):
            for place in range(1, PLACES + 1):
                hands.spots.setdefault((player, place), hands.pile.pop(0))
        if "next" in under:
            hands.pile.insert(0, self._take(under["next"]))
        for (player, place), piece in hands.spots.items():
            up = state.seats[player - 1].spots[place - 1].up is not None
            self.lay(Lay(piece, hands._slice_pose((player, place)), up))
            if (player, place) in hands.sauces:
                self.lay(Lay(hands.sauces[player, place], hands._slice_pose((player, place)), True))
        for piece in hands.open:
            self.lay(Lay(piece, hands._nearly(OPEN_PILE, 1.0, 2.0), True))
        for step in hands._square_up(self.lying(), 1):
            self.lay(*step.lays)
        return self

    def _take(self, card: str) -> str:
        piece = next(piece for piece in self.hands.pile if self.hands._kinds[piece] == card)
        self.hands.pile.remove(piece)
        return piece

    def lying(self) -> dict[str, Lying]:
        return {name: Lying(piece.pose, piece.face_up) for name, piece in self.world.pieces.items()}

    def lay(self, *lays: Lay) -> None:
        for lay in lays:
            self.world.put(lay.piece, lay.to, lay.face_up)

    def play(self, *texts: str, steps: int | None = None) -> State:
        """Carry moves out with the hands, or only the first steps of it; the state after them."""
        state, moves = self.state, list[Move]()
        for text in texts:
            moves.append(GAME.parse(state, text))
            state = GAME.apply(state, moves[-1])
        for step in [*self.hands.steps(self.state, moves, self.lying())][:steps]:
            self.lay(*step.lays)
        return state

    def put(self, card: str, player: Player, place: int, *, face_up: bool = True) -> None:
        """Lay some card that is not on the table at a place; what lay there is taken away."""
        old = self.hands.spots[player, place]
        self.lay(Lay(old, None, False))
        piece = next(p for p, kind in self.hands._kinds.items() if kind == card and self.world.pieces[p].pose is None)
        self.lay(Lay(piece, self.hands._slice_pose((player, place)), face_up))

    def scene(self) -> Scene:
        return replace(self.eyes.scene(self.world.snapshot()), at_rest_s=1.0)

    def read(self, *pressed: int) -> Reading:
        return self.table.read(self.state, self.scene(), self.layout, frozenset(pressed))

    def moves(self, *pressed: int) -> list[str]:
        """The only play that fits, in notation."""
        reading = self.read(*pressed)
        assert reading.kind is ReadingKind.MOVES, (reading.kind, reading.note, reading.fault)
        assert reading.plays[0].probability > 0.99, reading.plays
        return notation(self.state, reading.plays[0].moves)

    def unfinished(self, *pressed: int) -> str:
        reading = self.read(*pressed)
        assert reading.kind is ReadingKind.UNFINISHED, (reading.kind, reading.fault, reading.plays)
        return reading.note

    def fault(self, *pressed: int) -> Fault:
        reading = self.read(*pressed)
        assert reading.kind is ReadingKind.FAULT, (reading.kind, reading.note, reading.plays)
        assert reading.fault is not None
        assert reading.fault.refusal.remedy
        return reading.fault


def notation(state: State, moves: tuple[Move, ...]) -> list[str]:
    texts = []
    for move in moves:
        texts.append(GAME.format(state, move))
        state = GAME.apply(state, move)
    return texts


def _visible(outline: tuple[tuple[float, float], ...], above: list[tuple[tuple[float, float], ...]]) -> float:
    """The share of a card that no other covers, counted on a grid."""
    (ax, ay), (bx, by), _, (dx, dy) = outline
    steps = [(i + 0.5) / 8 for i in range(8)]
    points = [(ax + u * (bx - ax) + v * (dx - ax), ay + u * (by - ay) + v * (dy - ay)) for u in steps for v in steps]
    return sum(not any(inside(point, other) for other in above) for point in points) / len(points)


def is_card(sighting: Sighting) -> bool:
    return sighting.kind is PieceKind.SLICE_CARD


def pose_at(pose: Pose, x: float, y: float) -> Pose:
    return Pose(pose.x_mm + x, pose.y_mm + y, pose.angle_deg)
