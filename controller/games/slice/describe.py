"""The arrangement of the cards in one picture, with no game state to help: what `pizzatable read` prints."""

import math
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from controller.game import Json
from controller.games.facts import load_own
from controller.games.polygons import inside
from controller.games.slice.components import HOT_SAUCE, Components, load_components, with_own_cards
from controller.games.slice.laid import CIRCLE_MM, PLACES, place_at
from vision.scene import HiddenCause, PieceKind, Point, Scene, Sighting

KINDS = frozenset({PieceKind.SLICE_CARD, PieceKind.ORDER_CARD})
"""The pieces that may lie on its table."""
TOPS = frozenset({PieceKind.ORDER_CARD})
"""Those from whose top places are counted."""

SIDE_MM = 55.0
"""A seat whose order card lies farther than this to one side of the mat's middle is named after that side."""
MIDDLE_MM = 130.0
"""The piles lie within this square around the mat's middle."""
NEAR_MM, NEARER_MM = 60.0, 20.0
"""Of several that may be the Open Pile it is the one nearer to the middle than the first, and by the second nearer than
the others: the places nearest to it of an order on the mat begin at 74 mm."""
COVERED = 0.02
"""Less of a card than this under a hand is the hand's edge."""
RIM = 0.8
"""What is farther from the mat's middle than this share of an arm's farthest point is where it leaves the table."""
SAME_MM = 6.0
"""A card seen no farther from where one lay is that one."""
GRAIN = 12
"""How finely a card's share under a hand is counted, along each side."""


SLICE_BACK, ORDER_BACK = "slice/back", "order/back"
NEEDED = frozenset({SLICE_BACK, f"slice/{HOT_SAUCE}"})
"""What the game tells by these names."""
NAMES_MAY_DIFFER = True
"""A copy may have toppings and orders of its own, with names of their own."""
SURELY_MISSPELT = 0.9
"""So much alike are names of which one is the other with a letter too many or too few."""


def faces() -> tuple[str, ...]:
    """The fronts of all kinds of slice card and of all orders, and the back of slices: an order is never laid face down
    where it counts."""
    return (*_fronts(load_components()), SLICE_BACK)


def own_faces(options: Mapping[str, Json]) -> tuple[str, ...]:
    """The fronts that a copy has by the options of its table. Raises ComponentError."""
    own = options.get("components", {})
    return _fronts(with_own_cards(load_components(), load_own(Path(own)) if isinstance(own, str) else own))


def _fronts(components: Components) -> tuple[str, ...]:
    slices = (f"slice/{card}" for card in components.cards)
    return (*slices, *(f"order/{order}" for order, _ in components.orders))


def looks() -> dict[str, str]:
    """What each of these shows, for an owner who puts names to them."""
    components = load_components()
    slices = {f"slice/{card}": components.words(card) for card in components.cards}
    orders = {
        f"order/{order}": f"clockwise from its top: {', '.join(map(components.words, toppings))}"
        for order, toppings in components.orders
    }
    return slices | orders | {SLICE_BACK: "the back of a slice card"}


def kind_of(face: str) -> PieceKind:
    """Which kind of card has this of these faces."""
    return PieceKind.ORDER_CARD if face.startswith("order/") else PieceKind.SLICE_CARD


def missing(enrolled: Mapping[PieceKind, Sequence[str]]) -> tuple[str, ...]:
    """Which of these faces are not among what was learned of each kind. A name of the copy's own, of its kind and not
    one of these misspelt, stands for one of the game's: where there are such, of the others only the number is known.
    """
    lacking: list[str] = []
    for kind, start in ((PieceKind.SLICE_CARD, "slice/"), (PieceKind.ORDER_CARD, "order/")):
        wanted = [face for face in faces() if face.startswith(start)]
        learned = set(enrolled.get(kind, ())) - {ORDER_BACK}
        gone = [face for face in wanted if face not in learned]
        others = [face for face in learned - set(wanted) if face.startswith(start)]
        own = sum(not get_close_matches(face, gone, 1, SURELY_MISSPELT) for face in others)
        needed = [face for face in gone if face in NEEDED]
        more = len(gone) - len(needed) - own
        if not own:
            lacking += gone
        else:
            lacking += [*needed, *([f"{more} more of the {len(wanted)} kinds of {kind.words}"] if more > 0 else [])]
    return tuple(lacking)


def describe(scene: Scene, toppings: Mapping[str, Sequence[str]] | None = None) -> Json:
    """Every seat with its order and the eight places around it, the piles, and the hands.

    With `toppings` (order card's face -> what belongs to its places) each place says what it wants.

    Returns a dictionary: `seats` (south, southwest, ... of the mat -> `order`, `toppings` or None, `slots`: each with
    `slot`, `wants` or None, `face` (None where it is down or not seen), `face_up` (None where nothing is seen) and
    `blocked` by a Hot Sauce card), `open_pile` (faces that show, the top last: the most that lie on each other in the
    middle, none where that may be several), `open_top`, `draw_pile` (whether a card lies face down in the middle),
    `stray` (faces of cards that belong nowhere), `hands` (`seat` it comes from,
    and `covers`: `face`, `seat`, `slot` and `share` of each card seen that it covers).

    Place k lies beyond topping k of the order, clockwise from the top of the order card.
    """
    orders = [s for s in scene.sightings if s.kind is PieceKind.ORDER_CARD]
    cards = [s for s in scene.sightings if s.kind is PieceKind.SLICE_CARD]
    seats = {_name(order): order for order in orders if order.face_up}
    lying: dict[tuple[str, int], list[Sighting]] = {(seat, slot): [] for seat in seats for slot in range(PLACES)}
    rest: list[Sighting] = []
    for card in cards:
        place = _place(card, seats)
        (rest if place is None else lying[place]).append(card)
    middle = [card for card in rest if max(abs(card.pose.x_mm), abs(card.pose.y_mm)) < MIDDLE_MM]
    pile = _open_pile([card for card in middle if card.face_up])
    return {
        "seats": {
            seat: _seat(order, [lying[seat, slot] for slot in range(PLACES)], (toppings or {}).get(order.face))
            for seat, order in seats.items()
        },
        "open_pile": [card.face for card in pile],
        "open_top": pile[-1].face if pile else None,
        "draw_pile": any(not card.face_up for card in middle),
        "stray": [card.face for card in rest if card not in pile and (card.face_up or card not in middle)],
        "hands": hands(scene),
    }


def _open_pile(cards: Sequence[Sighting]) -> list[Sighting]:
    """The cards of these that lie on each other, the top last: around an order that is not seen others lie, apart, and
    not as near to the middle. None where that may be several."""
    piles: list[list[Sighting]] = []
    for card in cards:
        touched = [pile for pile in piles if any(covered_share(card.outline_mm, one.outline_mm) for one in pile)]
        piles = [pile for pile in piles if pile not in touched]
        piles.append([card, *(one for pile in touched for one in pile)])
    most = max(map(len, piles), default=0)
    largest = sorted((pile for pile in piles if len(pile) == most), key=_from_middle_mm)
    if len(largest) > 1 and not _from_middle_mm(largest[0]) < min(NEAR_MM, _from_middle_mm(largest[1]) - NEARER_MM):
        return []
    return sorted(largest[0], key=lambda card: card.visible) if largest else []


def _from_middle_mm(pile: Sequence[Sighting]) -> float:
    return min(math.hypot(card.pose.x_mm, card.pose.y_mm) for card in pile)


def hands(scene: Scene, before: Sequence[Sighting] = ()) -> list[Json]:
    """Where each hand comes from and how much it covers of each card.

    `before` is what lay there before the hands came, so that cards wholly under them count too; cards of it that this
    scene shows elsewhere or again are not counted twice.
    """
    gone = [old for old in before if not any(_same(old, seen) for seen in scene.sightings)]
    cards = [s for s in (*scene.sightings, *gone) if s.kind in KINDS]
    seats = {_name(card): card for card in cards if card.kind is PieceKind.ORDER_CARD and card.face_up}
    outlines = [place.outline_mm for place in scene.hidden if place.cause is HiddenCause.HAND]
    return [{"seat": _comes_from(outline, seats), "covers": _covers(outline, cards, seats)} for outline in outlines]


def _name(order: Sighting) -> str:
    """The side or corner of the mat that an order card lies at."""
    return _side(order.pose.x_mm, order.pose.y_mm, SIDE_MM)


def _side(x: float, y: float, reach: float) -> str:
    upright = "north" if y > reach else "south" if y < -reach else ""
    across = "east" if x > reach else "west" if x < -reach else ""
    return upright + across or "middle"


def _place(card: Sighting, seats: Mapping[str, Sighting]) -> tuple[str, int] | None:
    """The seat and place that a card lies in: of the nearest order card that is neither too near nor too far."""
    at = {seat: math.dist(_centre(card), _centre(order)) for seat, order in seats.items()}
    near = [seat for seat in at if CIRCLE_MM[0] <= at[seat] <= CIRCLE_MM[1]]
    if not near:
        return None
    seat = min(near, key=lambda name: at[name])
    place = place_at(seats[seat].pose, card.pose)
    return None if place is None else (seat, place - 1)


def _seat(order: Sighting, places: Sequence[Sequence[Sighting]], toppings: Sequence[str] | None) -> Json:
    return {
        "order": order.face,
        "toppings": list(toppings) if toppings else None,
        "slots": [_slot(number, cards, toppings) for number, cards in enumerate(places)],
    }


def _slot(number: int, cards: Sequence[Sighting], toppings: Sequence[str] | None) -> Json:
    """A Hot Sauce card lies on a slice that is face down, by the rules; no slice of an order is Hot Sauce."""
    blocked = any(_is_hot_sauce(card) for card in cards)
    slices = [card for card in cards if not _is_hot_sauce(card)]
    top = max(slices, key=lambda card: card.visible, default=None)
    up = None if top is None and not blocked else bool(top and top.face_up)
    return {
        "slot": number,
        "wants": toppings[number] if toppings else None,
        "face": top.face if top and up else None,
        "face_up": up,
        "blocked": blocked,
    }


def _is_hot_sauce(card: Sighting) -> bool:
    return card.face.rpartition("/")[2] == HOT_SAUCE


def _comes_from(outline: Sequence[Point], seats: Mapping[str, Sighting]) -> str:
    """The seat nearest to where an arm leaves the table; the side it leaves at where no seat is seen on that side."""
    far = max(math.hypot(x, y) for x, y in outline)
    rim = [(x, y) for x, y in outline if math.hypot(x, y) > RIM * far]
    x, y = (sum(point[i] for point in rim) / len(rim) for i in (0, 1))
    side = _side(x, y, SIDE_MM)
    there = [seat for seat in seats if not any(_opposite(a, b) for a in _words(side) for b in _words(seat))]
    return min(there, key=lambda seat: math.dist((x, y), _centre(seats[seat])), default=side)


def _words(side: str) -> list[str]:
    return [word for word in ("north", "south", "east", "west") if word in side]


def _opposite(one: str, other: str) -> bool:
    return {one, other} in ({"north", "south"}, {"east", "west"})


def _covers(outline: Sequence[Point], cards: Sequence[Sighting], seats: Mapping[str, Sighting]) -> list[Json]:
    covers: list[Json] = []
    for card in cards:
        share = covered_share(card.outline_mm, outline)
        if share < COVERED:
            continue
        seat, slot = (_place(card, seats) or (None, None)) if card.kind is PieceKind.SLICE_CARD else (_name(card), None)
        covers.append({"face": card.face, "seat": seat, "slot": slot, "share": round(share, 2)})
    return covers


def covered_share(card: Sequence[Point], hand: Sequence[Point]) -> float:
    """How much of a four-cornered card lies inside a hand's outline, 0 to 1, counted on a grid."""
    (ax, ay), (bx, by), _, (dx, dy) = card
    steps = [(i + 0.5) / GRAIN for i in range(GRAIN)]
    spots = [(ax + u * (bx - ax) + v * (dx - ax), ay + u * (by - ay) + v * (dy - ay)) for u in steps for v in steps]
    return sum(inside(spot, hand) for spot in spots) / len(spots)


def _same(old: Sighting, seen: Sighting) -> bool:
    return old.kind is seen.kind and math.dist(_centre(old), _centre(seen)) < SAME_MM


def _centre(sighting: Sighting) -> Point:
    return (sighting.pose.x_mm, sighting.pose.y_mm)
