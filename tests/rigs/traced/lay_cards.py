"""How SLICE's cards lie: apart to be learned, and around the orders of three or four players, with the piles."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.rigs.traced.art_cards import BACK, COMBO, HOT_SAUCE, CardRun, orders, slice_fronts
from tests.rigs.traced.bodies import Body, Layout, Print, generator

_SEATS = {"south": (0.0, -1.0, 90.0), "west": (-1.0, 0.0, 0.0), "north": (0.0, 1.0, 270.0), "east": (1.0, 0.0, 180.0)}


class CardGame:
    """One print run of SLICE, and how it may lie."""

    def __init__(self, seed: int) -> None:
        self.seed, self.style, self.run = seed, f"slice{seed}", CardRun(seed)
        self._drawn: dict[str, Print] = {}

    def enrolment(self) -> Iterator[Layout]:
        """Every face once, face up and apart, and a slice card's back."""
        cells = [(x, y) for y in (112.0, 0.0, -112.0) for x in (-330.0, -245.0, -105.0, 0.0, 105.0, 245.0, 330.0)]
        faces = [*slice_fronts(), BACK, *orders()]
        per = math.ceil(len(faces) / 2)
        for number in (1, 2):
            rng = generator("enrol cards", self.seed, number)
            bodies = []
            for face, (x, y) in zip(faces[(number - 1) * per : number * per], cells, strict=False):
                turn = 90 + rng.uniform(-6, 6)
                if face.startswith("order/"):
                    bodies.append(self._order(face, x, y, turn))
                else:
                    bodies.append(self._card(face, x, y, turn, face != BACK))
            name = f"enrol-cards-{self.style}-{number:02}"
            yield Layout(name, "slice", self.style, "enrol-cards", bodies, {}, 470.0, plain_light=True, keys=(name,))

    def pictures(self, count: int) -> Iterator[Layout]:
        """So many tables to be read."""
        for index in range(count):
            rng = generator("picture of cards", self.seed, index)
            hand = rng.random() < 0.15 or index % 5 == 2
            many = int(rng.integers(3, 5))
            chosen = list(rng.permutation(sorted(orders())))[:many]
            deck = [face for face in slice_fronts() for _ in range(8 if face in (HOT_SAUCE, COMBO) else 14)]
            rng.shuffle(deck)
            bodies: list[Body] = []
            seats = {}
            away = rng.uniform(198, 214) if many == 4 else rng.uniform(140, 160)
            for side, order in zip(("west", "east", "south", "north"), chosen, strict=False):
                laid, seats[side] = self._seat(rng, side, str(order), deck, away)
                bodies += laid
            piles, open_pile = self._piles(rng, deck, 0.0 if many == 4 else 45.0)
            said = {"seats": seats, "open_pile": open_pile, "open_top": open_pile[-1] if open_pile else None}
            span = 2 * away + 265 if many == 4 else rng.uniform(520, 580)
            name = f"cards-{self.style}-{index + 1:02}"
            yield Layout(name, "slice", self.style, "cards", [*bodies, *piles], said, span, hand=hand, keys=(name,))

    def _seat(
        self, rng: np.random.Generator, side: str, order: str, deck: list[str], away: float
    ) -> tuple[list[Body], dict[str, Any]]:
        """An order card, eight slice cards in a circle around it, some face up, some under a Hot Sauce card."""
        across, up, top = _SEATS[side]
        x = across * rng.uniform(285, 305) + rng.normal(0, 3)
        y = up * away + rng.normal(0, 3)
        turn = top + rng.normal(0, 2.5)
        out = self.run.order_side * 0.7071 + self.run.card[1] / 2 + rng.uniform(1.5, 5)
        bodies = [self._order(order, x, y, turn, what="order", seat=side, toppings=list(orders()[order]))]
        blocks = []
        slots = []
        done = rng.uniform(0.1, 0.8)
        for slot, wants in enumerate(orders()[order]):
            way = math.radians(turn - 45 * slot)
            at = (x + out * math.cos(way) + rng.normal(0, 1), y + out * math.sin(way) + rng.normal(0, 1))
            lean = turn - 45 * slot + rng.normal(0, 2)
            shown = rng.random() < done
            face = (COMBO if rng.random() < 0.1 else f"slice/{wants}") if shown else deck.pop()
            blocked = not shown and rng.random() < 0.2
            bodies.append(self._card(face, *at, lean, shown, what="slice", seat=side, slot=slot))
            if blocked:
                off = rng.normal(0, 3, 2)
                block = (at[0] + off[0], at[1] + off[1], lean + rng.normal(0, 6))
                blocks.append(self._card(HOT_SAUCE, *block, True, what="block", seat=side, slot=slot))
            slots.append({"slot": slot, "wants": wants, "face": face, "face_up": bool(shown), "blocked": bool(blocked)})
        said = {"order": order, "toppings": list(orders()[order]), "slots": slots}
        return [*bodies, *blocks], said

    def _piles(self, rng: np.random.Generator, deck: list[str], y: float) -> tuple[list[Body], list[str]]:
        """The draw pile as one thick piece, a loose card or two on it; the open pile."""
        turn = rng.uniform(75, 105)
        y += rng.normal(0, 4)
        many = rng.integers(20, 80)
        pile = self._card(deck.pop(), -42 + rng.normal(0, 4), y, turn, False, what="draw-pile")
        thick = float(many * self.run.thickness)
        label = {**pile.label, "pile_mm": round(thick, 2)}
        bodies = [
            Body(label, pile.x_mm, pile.y_mm, turn, pile.outline, thick, pile.top, (0.9, 0.9, 0.87), finish=pile.finish)
        ]
        for _ in range(int(rng.integers(0, 3))):
            place = (pile.x_mm + rng.normal(0, 1), pile.y_mm + rng.normal(0, 1), turn + rng.normal(0, 1.5))
            bodies.append(self._card(deck.pop(), *place, False, what="draw"))
        open_pile = [deck.pop() for _ in range(int(rng.integers(1, 7)))]
        x = 36 + rng.normal(0, 4)
        for face in open_pile:
            place = (x + rng.normal(0, 3.5), y + rng.normal(0, 3.5), 90 + rng.normal(0, 8))
            bodies.append(self._card(face, *place, True, what="open"))
        return bodies, open_pile

    def _card(self, face: str, x: float, y: float, turn: float, up: bool, **more: Any) -> Body:
        run = self.run
        top = self._once(face) if up else self._once(BACK)
        label = {"kind": "slice-card", "face": face, "face_up": up, **more}
        return Body(label, x, y, turn, run.card_outline, run.thickness, top, (0.93, 0.93, 0.9), finish=run.finish)

    def _order(self, face: str, x: float, y: float, turn: float, **more: Any) -> Body:
        run = self.run
        label = {"kind": "order-card", "face": face, "face_up": True, **more}
        top = self._once(face)
        return Body(label, x, y, turn, run.order_outline, run.thickness, top, (0.93, 0.93, 0.9), finish=run.finish)

    def _once(self, face: str) -> Print:
        if face not in self._drawn:
            run = self.run
            if face == BACK:
                self._drawn[face] = run.back()
            else:
                self._drawn[face] = run.order(face) if face.startswith("order/") else run.front(face)
        return self._drawn[face]
