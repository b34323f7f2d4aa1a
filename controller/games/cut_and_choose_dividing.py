"""How a pizza of New York Slice or Pizzeria is divided, and a slice taken before that, as a scene at rest shows it."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from controller.game import Player
from controller.games import cut_and_choose
from controller.games import cut_and_choose_laid as lie
from controller.games.cut_and_choose import SLICES_IN_A_PIZZA, Ring
from controller.games.cut_and_choose_look import Draft, Look, unfinished, wrong
from controller.games.cut_and_choose_plays import ReadsPlays
from controller.games.cut_and_choose_rules import State
from controller.reading import Fault, Reading, ReadingKind

MOST_DOUBTFUL_GAPS = 3
"""How many doubtful gaps are varied at most to find other divisions."""
NEARER_MM = 1.2
"""A Special that touches several portions lies with the nearest; this is the scale of the doubt between two of them."""


class Divides(ReadsPlays[State]):
    """Reads the dividing of a pizza."""

    def read_dividing(self, look: Look[State]) -> Reading:
        """A slice may be taken by the owner of a Special; then the circle is pulled apart."""
        state, seen, changed, faults = look.state, look.seen, look.changed, self.faults
        caller = self.caller(state)
        if caller is not None and changed.active(caller):
            return self._read_call(look, caller)
        if fault := faults.at_seats(state, seen, changed):
            return wrong(self._undivided(look, fault))
        if fault := faults.face_down_in_middle(seen):
            return wrong(fault)
        if fault := faults.extra_slices(state, seen, state.ring) or faults.extra_specials(state, seen):
            return wrong(fault)
        if fault := faults.pizza_gone(state, changed):
            return wrong(replace(fault, player=state.slicer))
        if fault := faults.strayed(state, seen):
            ready = self.pressed(look, state.slicer)
            return wrong(fault) if ready else unfinished(fault.refusal.problem, fault)
        return self._divisions(look)

    def _undivided(self, look: Look[State], fault: Fault) -> Fault:
        """The same fault; whoever has taken something already, or plays what is played then, is told what to wait
        for."""
        player, slicer = fault.player, look.state.slicer
        if player is None:
            return fault
        until = f"until player {slicer} has divided the pizza{look.layout.pressing(' and pressed the button')}."
        remedy = fault.refusal.remedy
        if look.changed.new[player] or look.changed.special_at == player:
            remedy = f"Lay it back as it lay {until}"
        elif fault.refusal.pieces == (self.faults.words.early,) and player != slicer:
            remedy = f"Turn it face up again {until}"
        return replace(fault, refusal=replace(fault.refusal, remedy=remedy))

    def _divisions(self, look: Look[State]) -> Reading:
        state, seen = look.state, look.seen
        sightings = seen.scene.sightings
        pizza = seen.fronts(lie.Where.MIDDLE)
        order = [pizza[i] for i in lie.clockwise([sightings[i] for i in pizza])]
        names = tuple(seen.name(i) for i in order)
        cuts = [
            lie.cut_probability(lie.gap_mm(sightings[a], sightings[b]))
            for a, b in zip(order, (*order[1:], order[0]), strict=True)
        ]
        same_order = _rotation(names, state.ring)
        if sum(c > 0.5 for c in cuts) < 2 and same_order:
            return Reading(ReadingKind.AS_BEFORE, ())
        drafts = [
            Draft((move,), share, self._divide_text(state, move.portions, move.special_in), names)
            for move, share in self._likely_divisions(look, order, cuts)
        ]
        reading = self.choose(look, drafts, state.slicer, state.slicer)
        if reading.kind is not ReadingKind.FAULT:
            return reading
        if same_order and self.pressed(look, state.slicer):
            return self._miscounted(look, reading, max(drafts, key=lambda draft: draft.weight).moves[0])
        if not same_order:
            return wrong(self._order_changed(look, names))
        return unfinished(max(drafts, key=lambda draft: draft.weight).text)

    def _miscounted(self, look: Look[State], reading: Reading, division: Any) -> Reading:
        """The same fault of a division; where something counts otherwise than people may think, that is said too."""
        fault, special = reading.fault, self.faults.words.special
        assert fault is not None
        too_many = len(division.portions) - cut_and_choose.portions_for(look.state.players)
        hint = ""
        if too_many > 0 and len(look.state.ring) < SLICES_IN_A_PIZZA:
            hint = " The gap of the slice that was taken counts as a cut: close it, or cut there."
        elif too_many > 0 and () in division.portions:
            hint = f" The {special} lies apart and counts as a portion: lay it against the portion it belongs to."
        elif too_many == -1 and division.special_in is not None:
            hint = f" A {special} that is a portion by itself lies apart from all slices."
        refusal = replace(fault.refusal, remedy=f"{fault.refusal.remedy}{hint}")
        return replace(reading, fault=replace(fault, refusal=refusal))

    def _likely_divisions(
        self, look: Look[State], order: Sequence[int], cuts: Sequence[float]
    ) -> Iterator[tuple[Any, float]]:
        """Each likely way to part circle and Special, with its probability."""
        state, seen = look.state, look.seen
        sightings = seen.scene.sightings
        special = None if state.special is None else sightings[seen.at[state.special]]
        far = {} if special is None else {i: lie.distance_mm(special, (sightings[i],)) for i in order}
        for cut, share in _likely_cuts(cuts):
            groups = _grouped(order, cut)
            portions = tuple(tuple(seen.name(i) for i in group) for group in groups)
            if special is None:
                yield self.divide(state, portions, None), share
                continue
            for special_in, special_share in _special_choices([min(far[i] for i in group) for group in groups]):
                alone = special_in == len(portions)
                yield self.divide(state, (*portions, ()) if alone else portions, special_in), share * special_share

    def _order_changed(self, look: Look[State], names: Sequence[str]) -> Fault:
        """What the rules say of these slices in this order, however they are parted."""
        state = look.state
        singles = cut_and_choose.portions_for(state.players) - 1
        portions = (*((name,) for name in names[:singles]), tuple(names[singles:]))
        parted = self.divide(state, portions, None if state.special is None else 0)
        refusal = self.refusal(state, parted)
        assert refusal is not None
        return Fault(refusal, state.slicer, look.seen.indices(refusal.pieces))

    def _divide_text(self, state: State, portions: Sequence[Ring], special_in: int | None) -> str:
        noun = self.faults.words.special
        sizes = " + ".join(str(len(p)) if p else noun for p in portions)
        with_special = portions[special_in] if special_in is not None else ()
        return f"{len(portions)} portions: {sizes}" + (
            f", {noun} with {self.faults.names(state, with_special)}" if with_special else ""
        )

    # A slice taken before that ---------------------------------------------------------------------------------------

    def _read_call(self, look: Look[State], player: Player) -> Reading:
        """The owner of a Special takes one slice before the pizza is divided."""
        state, seen, changed, faults = look.state, look.seen, look.changed, self.faults
        if fault := faults.at_seats(state, seen, changed, busy=player):
            return wrong(fault)
        special = faults.words.call
        misused = [s for s in changed.turned[player] if s != special]
        if misused:
            return wrong(faults.special_misused(state, player, misused))
        up, eaten, downs = changed.new[player], changed.middle_gone, changed.downs[player]
        called = special in changed.turned[player]
        if called and not up and not eaten and downs == 0:
            name = faults.name(state, special)
            return unfinished(f"Player {player} plays {name}: take a slice, or turn it face up again.")
        if len(up) + len(eaten) != 1 or downs != len(eaten) or changed.absent[player] or changed.special_at is not None:
            return wrong(self._no_call(look, player, called))
        face = (*up, *eaten)[0]
        if not called:
            note = f"Player {player}: turn {faults.name(state, special)} face down to take a slice."
            return unfinished(note, faults.not_called(state, player, face, seen))
        drafts = [
            Draft((move,), share, text, (face,)) for move, share, text in self.calls(look, player, face, bool(eaten))
        ]
        return self.choose(look, drafts, player, player)

    def _no_call(self, look: Look[State], player: Player, called: bool) -> Fault:
        """What is wrong where the owner of the Special has not taken one slice of the pizza, and nothing else."""
        state, seen, changed, faults = look.state, look.seen, look.changed, self.faults
        gone = faults.pizza_gone(state, changed)
        if called and gone is not None and changed.downs[player] < len(changed.middle_gone):
            return gone
        taken = (*changed.new[player], *changed.middle_gone)
        if called and len(taken) > 1 and changed.special_at is None:
            return faults.called_several(state, player, taken, seen)
        fault = faults.at_seats(state, seen, changed) or gone
        return self._undivided(look, fault) if fault else faults.extra_down(player, seen)


def _likely_cuts(cuts: Sequence[float]) -> Iterator[tuple[tuple[bool, ...], float]]:
    """The likely ways to part the circle, with their probabilities: the clear gaps stay, the doubtful ones vary."""
    doubtful = sorted(range(len(cuts)), key=lambda i: abs(cuts[i] - 0.5))[:MOST_DOUBTFUL_GAPS]
    doubtful = [i for i in doubtful if 1e-4 < cuts[i] < 1 - 1e-4]
    for choice in itertools.product((False, True), repeat=len(doubtful)):
        cut = [c > 0.5 for c in cuts]
        for i, value in zip(doubtful, choice, strict=True):
            cut[i] = value
        share = math.prod(c if chosen else 1 - c for c, chosen in zip(cuts, cut, strict=True))
        if share > 1e-6:
            yield tuple(cut), share


def _grouped(order: Sequence[int], cut: Sequence[bool]) -> list[list[int]]:
    """`cut[i]` says whether the circle is parted after its i-th slice."""
    if not any(cut):
        return [list(order)]
    start = next(i for i, parted in enumerate(cut) if parted) + 1
    groups: list[list[int]] = [[]]
    for step in range(len(order)):
        i = (start + step) % len(order)
        groups[-1].append(order[i])
        if cut[i] and step < len(order) - 1:
            groups.append([])
    return groups


def _special_choices(distances: Sequence[float]) -> list[tuple[int, float]]:
    """The portions the Special may belong to, given how far it is from each, with their probabilities; one more than
    there are stands for "alone"."""
    near = [lie.touch_probability(d) for d in distances]
    alone = math.prod(1 - p for p in near)
    overlap = [p * math.exp(-d / NEARER_MM) for p, d in zip(near, distances, strict=True)]
    total = sum(overlap) or 1.0
    found = [(i, (1 - alone) * share / total) for i, share in enumerate(overlap)] + [(len(distances), alone)]
    return [(i, p) for i, p in found if p > 1e-4]


def _rotation(names: Sequence[str], ring: Sequence[str]) -> bool:
    """Whether both are the same circle, wherever they begin."""
    if sorted(names) != sorted(ring):
        return False
    start = list(ring).index(names[0])
    return list(ring[start:]) + list(ring[:start]) == list(names)
