"""What a scene says about SLICE's cards, and how well it fits what ought to lie there.

Every place of every pizza and the top of the Open Pile is weighed by how likely vision thinks each card is. A place at
which nothing is seen, or over which a hand is, speaks for nothing and against nothing.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from controller.game import Player
from controller.games.slice import laid
from controller.games.slice.components import HOT_SAUCE
from controller.games.slice.laid import PLACES
from controller.reading import Layout
from vision.scene import HiddenCause, PieceKind, Point, Pose, Scene, Sighting

DOWN, BLOCKED = "?", "?!"
"""What lies at a place, as in notation: a face-down card; one with Hot Sauce on it; else a face. A face with Hot Sauce
on it, which no rule allows, is the face and BLOCKED_TOO."""
BLOCKED_TOO = "!"
BACK = "slice/back"
Spot = tuple[Player, int]
"""A player's place, 1 to 8."""

LEAST = 0.5
"""A card that is less likely is none."""
LEAST_ORDER, AROUND_ORDER = 0.25, 4
"""An order card may be less likely where so many slices lie around it: they say that it is one."""
TOLD_ORDER = 0.98
"""Then its faces share so much: they were not taken for each other (none of 4905 on simulated tables)."""
HINT = 0.02
"""What vision thinks this likely may be meant, if the rules allow nothing likelier."""
FLOOR = 0.002
"""Nothing is less likely than this, whatever vision says: it may be wrong."""
UNTOLD_SHARE = 0.1
"""What vision leaves open goes to each of what may lie there by this share."""
LEAST_UNDER = 0.001
"""Nothing that may lie under another card is less likely. The less of a card shows, the more vision leaves open whether
it is one; that it is, the Open Pile says, and faces were not taken for each other: none of 9385 on simulated tables
(`make many-pieces ARGS="--families cards"`)."""
AGAINST = 0.1
"""What fits less well than this is another thing than was expected."""
CERTAIN = 0.9
PEEPS_OUT = 0.25
"""A card under others is told when so much of it shows."""
TOP_SHOWS = 0.7
"""A card of which less shows is not the top one, whatever lies over it."""
COVERED = 0.9
"""A card in the middle of which less shows is of the Open Pile, though what lies on it may be too covered to be told:
what somebody lays beside the pile shows whole."""
HAND_NEAR_MM = 15.0
"""What lies no farther from a hand may lie otherwise by now."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a perfect camera would see of a state."""

    orders: Mapping[Player, str]
    spots: Mapping[Spot, str]
    top: str | None
    """The card on top of the Open Pile; None where there is no Open Pile."""
    under: str | None = None
    """The card below it, where it may be told by what shows of it."""
    any_pile: bool = False
    """Whether the Open Pile is being taken away."""


@dataclass(frozen=True, slots=True)
class Odd:
    """Something that lies otherwise than expected."""

    spot: Spot | None = None
    """The place that it is about; the Open Pile, an order card or a card elsewhere if None."""
    expected: str | None = None
    found: str | None = None
    """None where nothing is seen."""
    certain: bool = True
    order_of: Player | None = None
    """Whose order card it is about."""
    elsewhere: int | None = None
    """A card that belongs to no pile and no place: its index into the scene."""

    @property
    def is_pile(self) -> bool:
        """Whether it is about the Open Pile."""
        return self.spot is None and self.order_of is None and self.elsewhere is None


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a scene fits a look."""

    log: float
    """The logarithm of the evidence."""
    odd: tuple[Odd, ...]


@dataclass(frozen=True, slots=True)
class _Laid:
    """Which sighting is what, by index into the scene."""

    orders: dict[Player, int]
    spots: dict[Spot, list[int]] = field(default_factory=dict)
    open: list[int] = field(default_factory=list)
    """Face-up cards in the middle that lie on each other, the top one first."""
    down: list[int] = field(default_factory=list)
    """Face-down cards in the middle."""
    elsewhere: list[int] = field(default_factory=list)


class Seen:
    """A scene, sorted by whose pizza its cards are of."""

    def __init__(
        self, scene: Scene, layout: Layout, players: Sequence[Player], lay: Mapping[Player, Pose] | None = None
    ) -> None:
        """`lay`: where order cards lay when they were seen last. Slices still lie around one that is not seen now."""
        self.scene = scene
        self._players = players
        self.layout = layout
        self._lay = dict(lay or {})
        self._hands = [place.outline_mm for place in scene.hidden if place.cause is HiddenCause.HAND]
        self._laid = self._sorted()
        self.contents = {spot: self._contents(spot) for spot in self._spots()}
        """What may lie at each place, and how likely it does; nothing where nothing can be said."""

    @property
    def orders(self) -> Mapping[Player, int]:
        """Each player's order card, where one is seen: its index into the scene."""
        return self._laid.orders

    @property
    def order_poses(self) -> Mapping[Player, Pose]:
        """Where each player's order card lies; where it lay, if it is not seen now."""
        return self._lay | self._poses(self._laid.orders)

    @property
    def open(self) -> Sequence[int]:
        """The cards of the Open Pile that are seen, the top one first: indices into the scene."""
        return self._laid.open

    @cached_property
    def top(self) -> Mapping[str, float]:
        """What may lie on top of the Open Pile; nothing where none is seen."""
        return self._faces(self._laid.open[0]) if self._laid.open else {}

    @cached_property
    def under(self) -> Mapping[str, float]:
        """What may lie right under it, of all cards of which enough shows; nothing where of none does."""
        told: dict[str, float] = {}
        for index in self._laid.open[1:]:
            if self.scene.sightings[index].visible >= PEEPS_OUT:
                for card, share in self._faces(index).items():
                    told[card] = max(told.get(card, 0.0), share)
        return told

    @cached_property
    def pile_hidden(self) -> bool:
        """Whether a hand is over the middle of the table, or something unseen on the Open Pile, so that it may look
        otherwise by now."""
        piles = [self.scene.sightings[i] for i in (*self._laid.open, *self._laid.down)]
        if not piles:
            return any(max(map(abs, point)) < laid.MIDDLE_MM for hand in self._hands for point in hand)
        covered = any(self.scene.sightings[i].visible < TOP_SHOWS for i in self._laid.open[:1])
        return covered or any(self._under_hand(pile) for pile in piles)

    @cached_property
    def in_hands(self) -> frozenset[Player]:
        """Players over whose pizza a hand is."""
        sightings = self.scene.sightings
        cards = [(player, sightings[index]) for player, index in self._laid.orders.items()]
        cards += [(spot[0], sightings[index]) for spot, indices in self._laid.spots.items() for index in indices]
        return frozenset(player for player, card in cards if self._under_hand(card))

    def missing(self) -> tuple[Player, ...]:
        """Players whose order card is not seen."""
        return tuple(player for player in self._players if player not in self._laid.orders)

    def order_faces(self, player: Player) -> Mapping[str, float]:
        """What a player's order card may be."""
        index = self._laid.orders.get(player)
        if index is None:
            return {}
        faces = self._faces(index)
        told = sum(faces.values())
        return {order: share / told * max(told, TOLD_ORDER) for order, share in faces.items()}

    def at(self, spot: Spot) -> Sequence[int]:
        """The cards seen at a place: indices into the scene."""
        return self._laid.spots.get(spot, [])

    def is_seen(self, spot: Spot) -> bool:
        """Whether anything can be said of a place."""
        return bool(self.contents[spot])

    def likely(self, spot: Spot) -> str | None:
        """What most likely lies at a place; None where nothing can be said."""
        contents = self.contents[spot]
        return max(contents, key=lambda word: contents[word]) if contents else None

    def share(self, spot: Spot, word: str) -> float:
        """How likely this lies at a place; the same for all where nothing can be said."""
        return _share(self.contents[spot], word)

    def was_otherwise(self, spot: Spot, word: str) -> bool:
        """Whether a hand is over a place that showed something else before: as long as it is, that is not over."""
        cards = [self.scene.sightings[i] for i in self._laid.spots.get(spot, [])]
        return not self.is_seen(spot) and bool(cards) and _share(self._told(cards), word) < AGAINST

    def hinted(self, spot: Spot, word: str) -> bool:
        """Whether vision thinks it possible that this lies there."""
        return self.contents[spot].get(word, 0.0) >= HINT

    def fit(self, look: Look) -> Fit:
        """How well the scene fits."""
        log, odd = 0.0, list[Odd]()
        for spot, word in look.spots.items():
            contents = self.contents[spot]
            if contents:
                share = _share(contents, word)
                log += math.log(share)
                if share < AGAINST:
                    found = self.likely(spot)
                    odd.append(Odd(spot, word, found, certain=contents.get(found or "", 0.0) >= CERTAIN))
        for player, order in look.orders.items():
            if player not in self._laid.orders:
                continue
            share = _share(self.order_faces(player), order)
            log += math.log(share)
            if share < AGAINST:
                odd.append(Odd(order_of=player, expected=order, found=_best(self.order_faces(player))))
        if not look.any_pile:
            log += self._fit_pile(look, odd)
            odd += [Odd(elsewhere=index) for index in self._laid.elsewhere]
            log += len(self._laid.elsewhere) * math.log(FLOOR)
        return Fit(log, tuple(odd))

    def ceiling(self, look: Look) -> float:
        """The logarithm of the evidence for whatever fits best at the same places, legal or not."""
        seen = [self.contents[spot] for spot in look.spots] + [self.order_faces(player) for player in look.orders]
        seen += [self.top] if not look.any_pile else []
        seen += [self.under] if not look.any_pile and look.under is not None else []
        return sum(math.log(max(max(one.values()), FLOOR)) for one in seen if one)

    def place(self, index: int) -> str:
        """Where a sighting counts as lying; see `controller.views.PieceView.place`."""
        player = next((p for p, order in self._laid.orders.items() if order == index), None)
        spot = next((spot for spot, cards in self._laid.spots.items() if index in cards), None)
        if player is not None:
            return f"order/{player}"
        if spot is not None:
            return f"pizza/{spot[0]}/{spot[1]}"
        if index in self._laid.open:
            return "open" if index == self._laid.open[0] else "open/under"
        return "draw" if index in self._laid.down else "stray"

    def _fit_pile(self, look: Look, odd: list[Odd]) -> float:
        if look.top is None or not self.top:
            share = 1.0 if look.top is None and not self.top else FLOOR
        else:
            share = _share(self.top, look.top)
        if share < AGAINST:
            found = _best(self.top)
            odd.append(Odd(None, look.top, found, certain=found is not None))
        log = math.log(share)
        if look.under is not None and self.under:
            log += math.log(max(LEAST_UNDER, self.under.get(look.under, 0.0)))
        return log

    # Which sighting is what ----------------------------------------------------------------------------------------

    def _spots(self) -> Iterable[Spot]:
        return ((player, place) for player in self._players for place in range(1, PLACES + 1))

    def _sorted(self) -> _Laid:
        sightings = self.scene.sightings
        cards = [i for i, s in enumerate(sightings) if s.kind is PieceKind.SLICE_CARD and s.probability >= LEAST]
        found = _Laid(self._find_orders(cards))
        rest = []
        for index in cards:
            spot = self._spot_of(sightings[index], found.orders)
            if spot is None:
                rest.append(index)
            else:
                found.spots.setdefault(spot, []).append(index)
        up = [i for i in rest if sightings[i].face_up]
        middle = sorted((i for i in up if laid.in_middle(sightings[i].pose)), key=lambda i: (-sightings[i].visible, -i))
        for index in middle:
            touching = any(laid.overlap(sightings[index].outline_mm, sightings[i].outline_mm) for i in found.open)
            touching = touching or sightings[index].visible < COVERED
            (found.open if touching or not found.open else found.elsewhere).append(index)
        found.elsewhere.extend(i for i in up if i not in middle)
        found.down.extend(i for i in rest if not sightings[i].face_up and laid.in_middle(sightings[i].pose))
        return found

    def _find_orders(self, cards: Sequence[int]) -> dict[Player, int]:
        """Each player's order card: of several face-up ones in front of a player, the one with most slices around."""
        sightings, best = self.scene.sightings, dict[Player, tuple[int, int]]()
        for index, sighting in enumerate(sightings):
            if sighting.kind is not PieceKind.ORDER_CARD or not sighting.face_up:
                continue
            player = laid.nearest_player(sighting.pose, self.layout.areas)
            around = sum(laid.place_at(sighting.pose, sightings[i].pose) is not None for i in cards)
            if sighting.probability < (LEAST_ORDER if around >= AROUND_ORDER else LEAST):
                continue
            if player is not None and (player not in best or around > best[player][0]):
                best[player] = (around, index)
        return {player: index for player, (_, index) in best.items()}

    def _spot_of(self, card: Sighting, orders: Mapping[Player, int]) -> Spot | None:
        """The place of the nearest order card that is neither too near nor too far."""
        poses = self._lay | self._poses(orders)
        at = (card.pose.x_mm, card.pose.y_mm)
        for player in sorted(poses, key=lambda p: math.dist(at, (poses[p].x_mm, poses[p].y_mm))):
            place = laid.place_at(poses[player], card.pose)
            if place is not None:
                return player, place
        return None

    def _poses(self, orders: Mapping[Player, int]) -> dict[Player, Pose]:
        return {player: self.scene.sightings[index].pose for player, index in orders.items()}

    # What lies there -----------------------------------------------------------------------------------------------

    def _contents(self, spot: Spot) -> Mapping[str, float]:
        cards = [self.scene.sightings[i] for i in self._laid.spots.get(spot, [])]
        return {} if not cards or any(self._under_hand(card) for card in cards) else self._told(cards)

    def _told(self, cards: Sequence[Sighting]) -> Mapping[str, float]:
        """What cards at one place say of it."""
        top = max(cards, key=lambda card: card.visible)
        if top.face != f"slice/{HOT_SAUCE}":
            return _words(top)
        sauce, rest = top.probability, max(0.0, 1.0 - top.probability)
        below = max((card for card in cards if card is not top), key=lambda card: card.visible, default=None)
        if below is not None and below.face_up and below.visible >= PEEPS_OUT:
            return {_name(below.face) + BLOCKED_TOO: sauce}
        return {BLOCKED: sauce} | {word: share for word, share in _words(top).items() if share <= rest}

    def _faces(self, index: int) -> Mapping[str, float]:
        return {_name(face.face): face.probability for face in self.scene.sightings[index].faces}

    def _under_hand(self, card: Sighting) -> bool:
        return any(laid.overlap(card.outline_mm, hand) or _near(card, hand) for hand in self._hands)


def name_of(sighting: Sighting) -> str:
    """A card's kind or an order's name, of the face that is most likely."""
    return _name(sighting.face)


def _words(card: Sighting) -> dict[str, float]:
    return {DOWN if face.face == BACK else _name(face.face): face.probability for face in card.faces}


def _name(face: str) -> str:
    return face.partition("/")[2]


def _near(card: Sighting, hand: Sequence[Point]) -> bool:
    return any(math.dist(corner, point) < HAND_NEAR_MM for corner in card.outline_mm for point in hand)


def _share(contents: Mapping[str, float], word: str) -> float:
    return max(FLOOR, contents.get(word, 0.0) + UNTOLD_SHARE * max(0.0, 1.0 - sum(contents.values())))


def _best(contents: Mapping[str, float]) -> str | None:
    return max(contents, key=lambda word: contents[word]) if contents else None
