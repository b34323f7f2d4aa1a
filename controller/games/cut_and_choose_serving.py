"""How a pizza of New York Slice or Pizzeria is served, as a scene at rest shows it."""

from collections.abc import Sequence
from dataclasses import replace

from controller.games import cut_and_choose_laid as lie
from controller.games.cut_and_choose import SLICES_IN_A_PIZZA
from controller.games.cut_and_choose_look import Draft, Look, unfinished, wrong
from controller.games.cut_and_choose_plays import ReadsPlays
from controller.games.cut_and_choose_rules import State
from controller.reading import Fault, Reading, ReadingKind
from vision.scene import PieceKind, Sighting

STEP_DEG = (16.0, 50.0)
"""Slices of a proper circle are turned against their neighbours by an angle between these, 32.7 when laid exactly."""


class Serves(ReadsPlays[State]):
    """Reads the serving of a pizza."""

    def read_serving(self, look: Look[State]) -> Reading:
        """The Special, where there is one, and then eleven slices are turned up in the middle."""
        state, seen = look.state, look.seen
        pizza = seen.fronts(lie.Where.MIDDLE)
        cards = seen.fronts(lie.Where.MIDDLE, kind=PieceKind.SPECIAL)
        others = [i for i in cards if seen.faces[i] != state.special]
        if self._replaced_lies(look, bool(others)):
            name = self.faults.name(state, str(state.special))
            if others:
                return unfinished(f"Put {name} away: it cannot be used now.")
            return unfinished(f"{name[0].upper()}{name[1:]} cannot be used now: put it away and turn up another one.")
        if fault := self.faults.at_seats(state, seen, look.changed):
            if len(pizza) < SLICES_IN_A_PIZZA and fault == self.faults.extra_down(state.slicer, seen):
                return self._serving_from_stack(pizza)
            return wrong(self._not_served(look, fault))
        fits = state.ring or state.unseen
        strange = [i for i in pizza if seen.faces[i] is not None and seen.faces[i] not in fits]
        if strange:
            return wrong(self.faults.wrong_slices(state, seen, strange))
        if len(pizza) > SLICES_IN_A_PIZZA:
            return wrong(self.faults.too_many_slices(state, seen, pizza))
        if fault := self.faults.face_down_in_middle(seen) or self.faults.strayed(state, seen):
            stack = seen.backs(lie.Where.MIDDLE) or seen.backs(lie.Where.STRAY)
            if len(pizza) < SLICES_IN_A_PIZZA and not state.ring and stack:
                return self._serving_from_stack(pizza)
            return unfinished(fault.refusal.problem, fault)
        if not _has_specials(state) and (fault := self.faults.extra_specials(state, seen)):
            return wrong(fault)
        if not pizza and not cards:
            return Reading(ReadingKind.AS_BEFORE, ())
        return self._serving_in_progress(look, pizza, cards) or self._served(look, pizza, cards[0] if cards else None)

    def _replaced_lies(self, look: Look[State], another: bool) -> bool:
        """Whether a Special that gives way to another still lies there, in front of somebody too, or face down as long
        as none lies face up in its place."""
        state, seen = look.state, look.seen
        if not state.ring:
            return False
        return str(state.special) in seen.at or (
            not another and bool(seen.backs(lie.Where.MIDDLE, kind=PieceKind.SPECIAL))
        )

    def _serving_from_stack(self, pizza: Sequence[int]) -> Reading:
        """What is still to be turned up lies face down, beside the pizza or in front of the slicer."""
        there = f"{len(pizza)} of {SLICES_IN_A_PIZZA} slices lie face up in the circle"
        return unfinished(f"{there}; others lie face down: turn them up in their order.")

    def _not_served(self, look: Look[State], fault: Fault) -> Fault:
        """The same fault; of slices that lie in front of somebody although they are to be served, what to do."""
        state, player = look.state, fault.player
        slices = look.changed.new[player] if player is not None else ()
        if player is None or not slices or not state.unseen.issuperset(slices):
            return fault
        words = self.faults.words
        remedy = f"Lay what is of this pizza in the circle, all else back on the {words.stack}."
        return replace(fault, refusal=replace(fault.refusal, heading=words.serving, remedy=remedy))

    def _serving_in_progress(self, look: Look[State], pizza: Sequence[int], cards: Sequence[int]) -> Reading | None:
        """What is still to be done before the pizza is served; None when it is."""
        state, seen, special = look.state, look.seen, self.faults.words.special
        if len(cards) > 1:
            problem = f"Only one {special} belongs to a pizza."
            return unfinished(problem, self.faults.unfinished_pizza(state, problem, cards))
        if len(pizza) < SLICES_IN_A_PIZZA:
            return unfinished(f"{len(pizza)} of {SLICES_IN_A_PIZZA} slices lie in the circle.")
        if not cards and _has_specials(state):
            return unfinished(f"Turn up the {special} of this {self.faults.words.stack}.")
        unread = [i for i in (*pizza, *cards) if seen.faces[i] is None]
        if unread:
            problem = f"{len(unread)} of the pieces in the middle cannot be told from others."
            return unfinished(problem, self.faults.unfinished_pizza(state, problem, unread))
        if not _is_circle([seen.scene.sightings[i] for i in pizza]):
            problem = "The slices do not lie in a circle yet, each next to the one before."
            return unfinished(problem, self.faults.unfinished_pizza(state, problem, pizza))
        return None

    def _served(self, look: Look[State], pizza: Sequence[int], card: int | None) -> Reading:
        state, seen = look.state, look.seen
        ring = tuple(seen.name(pizza[i]) for i in lie.clockwise([seen.scene.sightings[i] for i in pizza]))
        special = None if card is None else seen.name(card)
        text = f"{SLICES_IN_A_PIZZA} slices are served"
        if special is not None:
            name = self.faults.name(state, special)
            name = f"{name[0].upper()}{name[1:]}"
            replaced = self.faults.name(state, state.special) if state.special is not None else ""
            text = f"{name} takes the place of {replaced}" if replaced else f"{name} and {text}"
        draft = Draft(self.served(state, special, ring), 1.0, text, ring if special is None else (special, *ring))
        return self.choose(look, [draft], None, state.slicer)


def _is_circle(slices: Sequence[Sighting]) -> bool:
    """Whether slices lie next to each other all around."""
    order = [slices[i] for i in lie.clockwise(slices)]
    turns = [(a.pose.angle_deg - b.pose.angle_deg) % 360 for a, b in zip(order, (*order[1:], order[0]), strict=True)]
    return all(STEP_DEG[0] < turn < STEP_DEG[1] for turn in turns)


def _has_specials(state: State) -> bool:
    """Whether each round of this game brings a Special."""
    return bool(state.unseen_specials) or state.special is not None
