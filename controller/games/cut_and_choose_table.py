"""How New York Slice and Pizzeria lie on a table: which move a scene at rest shows.

The pizza lies in the mat's middle, what a player owns in that player's area. Collected slices lie face up there, eaten
ones face down, so that all can be counted; a Special lies face up until it is used and face down afterwards.
Stacks and the box are out of the camera's sight: stacks look alike, so they are numbered in the order they are served.

Reading goes the way of the design: `cut_and_choose_seen` says which piece each sighting is, what has changed is
compared with what each legal play would change, and a play counts only when after it everything on the table lies as it
must (`Faults.difference`). Where no play explains the table, the rules' own refusal says why.

What is here reads a round; a game's `table.py` adds what a player decides about a portion, and what comes after the
last round.
"""

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Generic

from controller.game import Player, Refusal
from controller.games import cut_and_choose
from controller.games import cut_and_choose_laid as lie
from controller.games.cut_and_choose import SLICES_IN_A_PIZZA, Ring
from controller.games.cut_and_choose_faults import Faults
from controller.games.cut_and_choose_rules import Shift, State, Take
from controller.games.cut_and_choose_seen import BACKS, Changes, Seen, changes, identify, middle_faces
from controller.reading import Fault, Layout, Play, Reading, ReadingKind
from vision.scene import PieceKind, Scene, Sighting

ILLEGAL_PRIOR = 0.02
"""How much rarer a broken rule is than a legal move, before looking."""
WORTH_ASKING = 0.2
"""From this share on it is said that there may be a move, even if it is likelier that there is none."""
MOST_DOUBTFUL_GAPS = 3
"""How many doubtful gaps are varied at most to find other divisions."""
NEARER_MM = 1.2
"""A Special that touches several portions lies with the nearest; this is the scale of the doubt between two of them."""
STEP_DEG = (16.0, 50.0)
"""Slices of a proper circle are turned against their neighbours by an angle between these, 32.7 when laid exactly."""

Moves = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Look(Generic[State]):
    """One reading of a scene against one state."""

    state: State
    seen: Seen
    changed: Changes
    pressed: frozenset[Player]
    """Who has pressed the button since the pieces moved last."""
    layout: Layout


@dataclass(frozen=True, slots=True)
class Draft:
    """A play not yet judged."""

    moves: Moves
    weight: float
    text: str
    faces: tuple[str, ...]
    """What it depends on, for telling it from others."""


@dataclass(frozen=True, slots=True)
class Way:
    """A legal way up to what a player decides about a portion."""

    moves: Moves
    slices: tuple[str, ...]
    special: bool
    """Whether the Special comes with them."""
    extra: int = 0
    """How many slices are taken besides that were put aside."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What a player has taken, compared with the state before."""

    player: Player
    eaten: frozenset[str]
    """Face down, and known."""
    strange: tuple[str, ...]
    """Face up, and not of this pizza."""
    hidden: int
    """Face down, and unknown."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What one of several readings of the pieces in a scene means."""

    share: float
    seen: Seen
    reading: Reading

    @property
    def breaks_rules_unweighed(self) -> bool:
        """Whether it is a broken rule whose rarity is not yet part of the share."""
        return self.reading.kind is ReadingKind.FAULT and not self.seen.breaks_rules


class CutAndChooseTable(ABC, Generic[State]):
    """The `GameTable` of a game of the family. What is abstract is what its rule text has of its own."""

    faults: Faults[State]
    at_once: frozenset[str] = frozenset()
    """Specials that are used by receiving them, so that they may lie face down at once."""

    def lamps(self, state: State) -> frozenset[Player]:
        """Who is to act, and who may interrupt now."""
        return frozenset(self.hand_of(state, player) for player in self.to_act(state))

    def read(self, state: State, scene: Scene, layout: Layout, pressed: frozenset[Player]) -> Reading:
        """Which play, if any, a scene at rest shows; see `controller.reading`."""
        found = [
            _Found(share, seen, self._read(self._look(state, seen, layout, pressed)))
            for share, seen in identify(state, scene, layout, self.faults.ahead)
        ]
        seen, reading = found[0].seen, found[0].reading if len(found) == 1 else _together(found)
        return replace(
            reading,
            plays=self.faults.told_apart(state, reading.plays),
            places=tuple(_place_name(state, seen, i) for i in range(len(scene.sightings))),
            faces=tuple(seen.name(i) for i in range(len(scene.sightings))),
        )

    # What a game has of its own --------------------------------------------------------------------------------------

    @abstractmethod
    def phases(self) -> Mapping[Enum, Callable[[Look[State]], Reading]]:
        """How each phase is read; in others everything is as before."""

    @abstractmethod
    def to_act(self, state: State) -> Sequence[Player]:
        """Who is to act next."""

    @abstractmethod
    def refusal(self, state: State, move: Any) -> Refusal | None:
        """The rules' own."""

    @abstractmethod
    def apply(self, state: State, move: Any) -> State:
        """The rules' own."""

    @abstractmethod
    def caller(self, state: State) -> Player | None:
        """Who may take a slice before the pizza is divided."""

    @abstractmethod
    def calls(self, look: Look[State], player: Player, face: str, eaten: bool) -> list[tuple[Any, float, str]]:
        """The ways in which the caller may have taken this slice, with probabilities and words."""

    @abstractmethod
    def may_come_early(self, state: State, player: Player) -> bool:
        """Whether this player may use the Special that lets its owner choose before others."""

    @abstractmethod
    def shifts(self, state: State, player: Player) -> list[Any]:
        """Every legal shift of a slice by this player."""

    @abstractmethod
    def served(self, state: State, special: str | None, ring: Ring) -> Moves:
        """The moves by which this pizza was served."""

    @abstractmethod
    def divide(self, state: State, portions: tuple[Ring, ...], special_in: int | None) -> Any:
        """The move that divides the pizza so."""

    @abstractmethod
    def ways(self, look: Look[State], player: Player) -> Iterator[Way]:
        """Every legal way up to the decision about a portion."""

    @abstractmethod
    def decisions(self, look: Look[State], way: Way, taken: Taken) -> list[Draft]:
        """The ways to end a taking: what is eaten, and all else that is decided then."""

    def drawing(self, look: Look[State], way: Way, taken: Taken) -> Reading | None:
        """What an extra slice that was taken means before anything is decided; None: it is decided about at once."""
        return None

    def extra_due(self, state: State, player: Player) -> Fault | None:
        """What is wrong where an extra slice had to be taken and was not."""
        return None

    def extra_note(self, state: State) -> str:
        """What is to be done where an extra slice is still to be taken."""
        return ""

    def may_be_turned(self, state: State, player: Player) -> frozenset[str]:
        """Specials that somebody who takes a portion may turn face down."""
        return frozenset({self.faults.words.early, self.faults.words.shift})

    def hand_of(self, state: State, player: Player) -> Player:
        """Whose button confirms what this player does."""
        return player

    # Reading ---------------------------------------------------------------------------------------------------------

    def _look(self, state: State, seen: Seen, layout: Layout, pressed: frozenset[Player]) -> Look[State]:
        return Look(state, seen, changes(state, seen, self.faults.ahead), pressed, layout)

    def _read(self, look: Look[State]) -> Reading:
        reads = self.phases().get(look.state.phase)
        if reads is None:
            return Reading(ReadingKind.AS_BEFORE, ())
        if fault := self.faults.misplaced(look.state, look.seen, look.changed):
            return wrong(fault)
        return reads(look)

    def pressed(self, look: Look[State], player: Player) -> bool:
        """Whether this player has said to be ready."""
        return self.hand_of(look.state, player) in look.pressed

    # A pizza is served -----------------------------------------------------------------------------------------------

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

    # The pizza is divided --------------------------------------------------------------------------------------------

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

    # Portions are chosen ---------------------------------------------------------------------------------------------

    def read_choosing(self, look: Look[State]) -> Reading:
        """A portion goes over to whoever chose it, who eats some of it."""
        state, seen, changed = look.state, look.seen, look.changed
        down = changed.special_gone
        active = [p for p in range(1, state.players + 1) if changed.active(p) or (down and self._turned_down(look, p))]
        if not active and state.taker is None:
            return self._read_quiet_choosing(look)
        player = self._who_took(look, active)
        others = [p for p in active if p != player and (changed.new[p] or changed.special_at == p)]
        finished = self.pressed(look, player) or not look.layout.buttons
        if others and not (finished and others == self._next_after(state, player)):
            return wrong(self._too_early(look, others[0], player))
        for other in others:
            look, changed = (rest := without_taking(look, other)), rest.changed
        if fault := self.faults.at_seats(state, seen, changed, busy=player):
            return wrong(fault)
        allowed = self.may_be_turned(state, player)
        misused = [s for s in changed.turned[player] if s not in allowed]
        if misused:
            return wrong(self.faults.special_misused(state, player, misused))
        if not self._may_take(look, player):
            fault = self.faults.at_seats(state, seen, changed)
            return wrong(fault or self.faults.out_of_turn(state, player, changed.new[player], seen))
        return self._taking(look, player)

    def _read_quiet_choosing(self, look: Look[State]) -> Reading:
        """Nobody's area has changed; the middle may have."""
        state, seen, changed = look.state, look.seen, look.changed
        fault = self.faults.difference(state, seen, changed)
        if fault is None:
            return Reading(ReadingKind.AS_BEFORE, ())
        if self.faults.strayed(state, seen) or any(self.shifts(state, p) for p in self.to_act(state)):
            return unfinished(fault.refusal.problem, fault)
        return wrong(fault)

    def _who_took(self, look: Look[State], active: Sequence[Player]) -> Player:
        """Who of those whose areas changed is the one to judge: the taker, one who comes early, the next in order."""
        state = look.state
        if state.taker is not None:
            return state.taker
        if state.shifter is not None:
            return state.shifter
        for player in active:
            if self._comes_early(look, player):
                return player
        return next((p for p in state.order if p in active), active[0])

    def _comes_early(self, look: Look[State], player: Player) -> bool:
        return self.faults.words.early in look.changed.turned[player] and self.may_come_early(look.state, player)

    def _may_take(self, look: Look[State], player: Player) -> bool:
        state = look.state
        if state.taker is not None or state.shifter is not None:
            return player in (state.taker, state.shifter)
        return self._comes_early(look, player) or player == state.order[0]

    def _next_after(self, state: State, player: Player) -> list[Player]:
        """Who chooses when this player has decided; nobody after the last."""
        order = list(state.order)
        if state.taker is None and player in order:
            order.remove(player)
        return order[:1]

    def _too_early(self, look: Look[State], other: Player, player: Player) -> Fault:
        """Two have taken; the one who is not to be judged first has to wait."""
        faces = look.changed.new[other] or (str(look.state.special),)
        fault = self.faults.out_of_turn(look.state, other, faces, look.seen)
        press = look.layout.pressing(" and pressed the button")
        remedy = f"Lay it back until player {player} has decided what to eat{press}."
        problem = fault.refusal.problem
        if other == look.state.order[0] and self._comes_early(look, player):
            early = self.faults.name(look.state, self.faults.words.early)
            problem = f"Player {player} has played {early} and chooses before player {other}."
        return replace(fault, refusal=replace(fault.refusal, problem=problem, remedy=remedy))

    def _taking(self, look: Look[State], player: Player) -> Reading:
        """Compare what a player now has with what each legal play would bring."""
        state, changed = look.state, look.changed
        pizza = frozenset((*middle_faces(state), *state.taken))
        up = changed.new[player]
        faces = frozenset(up) & pizza | frozenset(changed.middle_gone)
        eaten = frozenset((*changed.middle_gone, *changed.absent[player]))
        taken = Taken(player, eaten, tuple(f for f in up if f not in pizza), changed.downs[player] - len(eaten))
        if taken.hidden < 0:
            return wrong(self.fewer_down(look, player, sorted(eaten)))
        nothing = not (faces or taken.strange or taken.hidden or self._has_special(look, player))
        if nothing and changed.turned[player] and state.taker is None:
            return self._only_turned(look, player)
        if nothing and eaten and state.taker is None:
            fault = self.faults.at_seats(state, look.seen, changed)
            return wrong(fault or self._taking_fault(look, faces, taken))
        if changed.special_gone and not self._has_special(look, player) and self._turned_down(look, player):
            return wrong(self.faults.special_misused(state, player, (str(state.special),)))
        drafts: list[Draft] = []
        note = ""
        for way in self.ways(look, player):
            if faces != frozenset(way.slices) or way.special != self._has_special(look, player):
                note = note or self._still_to_take(look, player, faces, way)
            elif len(taken.strange) + taken.hidden != way.extra:
                too_few = len(taken.strange) + taken.hidden < way.extra
                note = note or (self.extra_note(state) if too_few else "")
            elif way.extra and (reading := self.drawing(look, way, taken)) is not None:
                return reading
            else:
                drafts += self.decisions(look, way, taken)
        if drafts:
            return self.choose(look, drafts, player, player)
        if self.pressed(look, player) or not note:
            return wrong(self._taking_fault(look, faces, taken))
        return unfinished(note)

    def _only_turned(self, look: Look[State], player: Player) -> Reading:
        """A Special was turned face down to use it, and no portion has been taken yet; a press came too early."""
        state, changed, words = look.state, look.changed, self.faults.words
        turned = changed.turned[player]
        if changed.special_downs[player] < len(turned) and (fault := self.faults.at_seats(state, look.seen, changed)):
            return wrong(fault)
        useless = {words.early: not self.may_come_early(state, player), words.shift: not self.shifts(state, player)}
        if misused := [special for special in turned if useless.get(special)]:
            return wrong(self.faults.special_misused(state, player, misused))
        what = "shift a slice and take a portion" if words.shift in turned else "take a portion"
        return unfinished(
            f"Player {player} plays {self.faults.names(state, turned)}: {what}, or turn it face up again."
        )

    def _still_to_take(self, look: Look[State], player: Player, faces: frozenset[str], way: Way) -> str:
        """What a player who has begun to take this portion still has to take; empty when it is another portion."""
        state = look.state
        has_special = self._has_special(look, player)
        if not faces <= frozenset(way.slices) or (has_special and not way.special):
            return ""
        if not faces and not has_special:
            return ""
        missing = [f for f in way.slices if f not in faces]
        if way.special and not has_special:
            missing.append(str(state.special))
        return f"Player {player} still has to take {self.faults.names(state, missing)}."

    def _taking_fault(self, look: Look[State], faces: frozenset[str], taken: Taken) -> Fault:
        state, seen, player = look.state, look.seen, taken.player
        has_special = self._has_special(look, player)
        whole = any(faces == frozenset(w.slices) and has_special == w.special for w in self.ways(look, player))
        if whole and has_special and (due := self.extra_due(state, player)) is not None:
            return due
        if taken.hidden > 0:
            return self.faults.extra_down(player, seen)
        if self.faults.words.shift in look.changed.turned[player]:
            middle = {seen.name(i) for i in seen.fronts(lie.Where.MIDDLE)}
            if not any(shift.face in middle for shift in self._lying_shifts(look, player)):
                return self.faults.nothing_shifted(state, player)
        portion = next((p for p in state.portions if p.slices and faces == frozenset(p.slices)), None)
        if portion is not None and has_special and not portion.special:
            return self.faults.special_of_another(state, seen, player)
        if portion is not None and portion.special and look.changed.special_gone:
            return self.faults.gone(state, (str(state.special),), player, self.faults.words.specials)
        if (refused := self._another_portion_due(look, faces, player)) is not None:
            return refused
        with_it = {str(state.special)} if has_special else set()
        extra = max((w.extra for w in self.ways(look, player) if has_special == w.special), default=0)
        strange = taken.strange if len(taken.strange) > extra else ()
        fault = self.faults.not_a_portion(state, seen, player, faces | with_it | frozenset(taken.strange), strange)
        if taken.strange or self.faults.words.shift in look.changed.turned[player] or not self.shifts(state, player):
            return fault
        name = self.faults.name(state, self.faults.words.shift)
        remedy = f"{fault.refusal.remedy} Who shifts a slice turns {name} face down."
        return replace(fault, refusal=replace(fault.refusal, remedy=remedy))

    def _another_portion_due(self, look: Look[State], faces: frozenset[str], player: Player) -> Fault | None:
        """What the rules say to this player's taking this portion, all of it or some, where that may not be taken."""
        state = look.state
        wanted = next((i for i, p in enumerate(state.portions) if faces and faces <= frozenset(p.slices)), None)
        refusal = None if wanted is None or state.taker is not None else self.refusal(state, Take(player, wanted))
        if refusal is None:
            return None
        return Fault(replace(refusal, pieces=tuple(sorted(faces))), player, look.seen.indices(faces))

    def takes(self, look: Look[State], player: Player) -> Iterator[tuple[Moves, State, Take]]:
        """Every legal taking by this player, shifts before it included: the moves, the state in which the portion is
        taken, and how."""
        prefixes: list[Moves] = [()]
        if self.faults.words.shift in look.changed.turned[player]:
            prefixes = [(move,) for move in self._lying_shifts(look, player)]
        for prefix in prefixes:
            at = self.played(look.state, prefix)
            for index in range(len(at.portions)):
                take = Take(player, index)
                if self.refusal(at, take) is None:
                    yield (*prefix, take), at, take

    def _lying_shifts(self, look: Look[State], player: Player) -> list[Any]:
        """The legal shifts by this player that can be seen: the slice lies close to an end of the portion that gains
        it, or has left the middle. A slice that still lies where it lay has not been shifted."""
        return [shift for shift in self.shifts(look.state, player) if self._lies_shifted(look, shift)]

    def _lies_shifted(self, look: Look[State], shift: Shift) -> bool:
        seen = look.seen
        middle = {seen.name(i): seen.scene.sightings[i] for i in seen.fronts(lie.Where.MIDDLE)}
        shifted = middle.get(shift.face)
        if shifted is None:
            return True
        there = [middle[face] for face in look.state.portions[shift.to].slices if face in middle]
        if not there:
            return False
        gap = min(lie.gap_mm(there[-1], shifted), lie.gap_mm(shifted, there[0]))
        return lie.cut_probability(gap) < 0.5

    def _has_special(self, look: Look[State], player: Player) -> bool:
        """Whether the round's Special came to this player. One that is used at once may lie face down already."""
        changed = look.changed
        if changed.special_at == player:
            return True
        face_down = changed.special_gone and look.state.special in self.at_once
        return face_down and self._turned_down(look, player)

    def _turned_down(self, look: Look[State], player: Player) -> bool:
        """Whether a Special lies face down in front of this player that was none of theirs."""
        return look.changed.special_downs[player] > len(look.changed.turned[player])

    def fewer_down(self, look: Look[State], player: Player, eaten: Sequence[str]) -> Fault:
        """Fewer slices lie face down than were turned over or had been eaten before."""
        if eaten:
            return self.faults.gone(look.state, eaten, player)
        return self.faults.eaten_gone(look.seen, player, -look.changed.downs[player])

    # Before scoring --------------------------------------------------------------------------------------------------

    def read_last_meal(
        self, look: Look[State], special: str, move_of: Callable[[Player, tuple[str, ...]], Any]
    ) -> Reading:
        """The owner of a Special may once more turn collected slices over, or decline. `move_of`: the move by which
        these are eaten."""
        state, seen, changed, faults = look.state, look.seen, look.changed, self.faults
        player = self.to_act(state)[0]
        if fault := faults.at_seats(state, seen, changed, busy=player):
            return wrong(fault)
        eaten = changed.absent[player]
        if changed.new[player]:
            return wrong(faults.out_of_turn(state, player, changed.new[player], seen))
        if changed.downs[player] > len(eaten):
            return wrong(faults.extra_down(player, seen))
        if changed.downs[player] < len(eaten):
            return wrong(self.fewer_down(look, player, eaten))
        misused = [s for s in changed.turned[player] if s != special]
        if misused:
            return wrong(faults.special_misused(state, player, misused))
        if eaten:
            text = f"Player {player} eats {faults.names(state, eaten)}"
            return self.choose(look, [Draft((move_of(player, eaten),), 1.0, text, eaten)], player, player)
        declines = Draft((move_of(player, ()),), 1.0, f"Player {player} eats no more", ())
        return self._no_last_meal(look, special, declines)

    def _no_last_meal(self, look: Look[State], special: str, declines: Draft) -> Reading:
        """The owner of the Special has turned no slice over. Who declines presses; where there are no buttons the
        Special turned face down alone says so."""
        state, seen, changed, faults = look.state, look.seen, look.changed, self.faults
        player, name, buttons = self.to_act(state)[0], faults.name(state, special), look.layout.buttons
        if special in changed.turned[player] and changed.special_downs[player] > 0:
            if fault := faults.in_middle(state, seen, changed):
                return wrong(fault)
            note = f"Player {player} plays {name}: turn face down what is eaten, or turn it face up again."
            return unfinished(note) if buttons else self.legal(look, [declines], player, player)
        if fault := faults.difference(state, seen, changed):
            return wrong(fault)
        nothing = look.layout.pressing(", or press to eat nothing") or f", or {name} alone to eat nothing"
        note = f"Player {player} may eat once more: turn {name} and what is eaten face down{nothing}"
        if not buttons:
            return unfinished(note)
        declining = self.choose(look, [declines], player, player)
        return replace(
            declining, kind=ReadingKind.AS_BEFORE, declares=frozenset({declining.confirm or player}), note=note
        )

    # Plays and doubts ------------------------------------------------------------------------------------------------

    def choose(self, look: Look[State], drafts: Sequence[Draft], confirm: Player | None, player: Player) -> Reading:
        """The legal ones of these plays after which everything lies as it must; or why there is none."""
        reading = self.legal(look, drafts, confirm, player)
        if reading.kind is not ReadingKind.MOVES:
            return reading
        at_fault = {play.moves: self._difference_after(look, play.moves) for play in reading.plays}
        fitting = tuple(play for play in reading.plays if at_fault[play.moves] is None)
        if fitting:
            share = sum(play.probability for play in reading.plays)
            left = share / sum(play.probability for play in fitting)
            plays = tuple(replace(play, probability=play.probability * left) for play in fitting)
            return replace(reading, plays=plays, note=plays[0].text)
        fault = at_fault[reading.plays[0].moves]
        assert fault is not None
        if reading.confirm is None or reading.confirm in look.pressed:
            return wrong(fault)
        return unfinished(f"{reading.plays[0].text}. {fault.refusal.problem} {fault.refusal.remedy}", fault)

    def _difference_after(self, look: Look[State], moves: Moves) -> Fault | None:
        after = self.played(look.state, moves)
        changed = changes(after, look.seen, self.faults.ahead)
        if after.stacks and not after.ring:  # what lies in the middle is of the next pizza, and is read with it
            return self.faults.misplaced(after, look.seen, changed) or self.faults.at_seats(after, look.seen, changed)
        following = after.order[0] if after.order and after.taker is None else None
        if following is not None and (changed.new[following] or changed.special_at == following):
            return self._begun_after(Look(after, look.seen, changed, frozenset(), look.layout), following)
        return self.faults.difference(after, look.seen, changed)

    def _begun_after(self, look: Look[State], following: Player) -> Fault | None:
        """What is wrong after a play where the next player has taken something already. A portion, or part of one,
        waits there until the player before has pressed, and then need not be laid back."""
        state, seen, faults = look.state, look.seen, self.faults
        rest = without_taking(look, following).changed
        fault = (
            faults.misplaced(state, seen, rest)
            or faults.at_seats(state, seen, rest)
            or faults.in_middle_but_joined(state, seen, rest)
        )
        if fault is not None:
            return fault
        reading = self._read(look)
        begun = reading.fault is None and reading.kind in (ReadingKind.UNFINISHED, ReadingKind.MOVES)
        return None if begun else faults.difference(state, seen, look.changed)

    def legal(self, look: Look[State], drafts: Sequence[Draft], confirm: Player | None, player: Player) -> Reading:
        """The legal ones of these plays, or the rules' refusal of the likeliest."""
        plays = self._legal_plays(look.state, drafts)
        if plays:
            presser = None if confirm is None else self.hand_of(look.state, confirm)
            return Reading(ReadingKind.MOVES, (), plays=plays, confirm=presser, note=plays[0].text)
        best = max(drafts, key=lambda draft: draft.weight)
        refusal = self.rules_refusal(look.state, best.moves)
        if refusal is None:
            raise AssertionError(f"no legal play although {best.moves} is legal")
        return wrong(Fault(refusal, player, look.seen.indices(refusal.pieces)))

    def _legal_plays(self, state: State, drafts: Iterable[Draft]) -> tuple[Play, ...]:
        """The legal plays with their share of the evidence; illegal ones count too, as rare as broken rules are."""
        judged = [(draft, self.rules_refusal(state, draft.moves) is None) for draft in drafts]
        total = sum(draft.weight * (1 if legal else ILLEGAL_PRIOR) for draft, legal in judged)
        legal = sorted((draft for draft, fits in judged if fits), key=lambda draft: -draft.weight)
        common = frozenset.intersection(*(frozenset(draft.faces) for draft in legal)) if legal else frozenset()
        if sum(draft.weight for draft in legal) < 0.5 * total:
            return ()
        return tuple(
            Play(draft.moves, draft.weight / total, draft.text, tuple(sorted(frozenset(draft.faces) - common)))
            for draft in legal
            if draft.weight > 1e-6 * total
        )

    def rules_refusal(self, state: State, moves: Sequence[Any]) -> Refusal | None:
        """Why these moves in a row are not legal; None when they are."""
        for move in moves:
            refusal = self.refusal(state, move)
            if refusal is not None:
                return refusal
            state = self.apply(state, move)
        return None

    def played(self, state: State, moves: Sequence[Any]) -> State:
        """The state after these moves in a row."""
        for move in moves:
            state = self.apply(state, move)
        return state


def wrong(fault: Fault) -> Reading:
    """No play explains the table."""
    return Reading(ReadingKind.FAULT, (), fault=fault)


def unfinished(note: str, fault: Fault | None = None) -> Reading:
    """Something was begun; with a fault, it cannot stay so for long."""
    return Reading(ReadingKind.UNFINISHED, (), note=note, fault=fault)


def without_taking(look: Look[State], player: Player) -> Look[State]:
    """The same but for what this player has begun to take."""
    changed = look.changed
    special_at = None if changed.special_at == player else changed.special_at
    return replace(look, changed=replace(changed, new={**changed.new, player: ()}, special_at=special_at))


def _together(found: Sequence[_Found]) -> Reading:
    """One reading out of several of the same scene, each with its probability."""
    weights = [f.share * (ILLEGAL_PRIOR if f.breaks_rules_unweighed else 1.0) for f in found]
    total = sum(weights) + max(0.0, 1 - sum(f.share for f in found))
    moving = [(w / total, f) for w, f in zip(weights, found, strict=True) if f.reading.kind is ReadingKind.MOVES]
    best = max(zip(weights, found, strict=True), key=lambda pair: pair[0])[1]
    moving_share = sum(weight for weight, _ in moving)
    if moving and (best.reading.kind is ReadingKind.MOVES or moving_share >= WORTH_ASKING):
        return _moves_of(moving)
    if best.reading.kind is not ReadingKind.AS_BEFORE:
        wrong = [f for f in found if f.reading.kind in (ReadingKind.UNFINISHED, ReadingKind.FAULT)]
        return max(wrong, key=lambda f: f.share).reading
    same = sum(w for w, f in zip(weights, found, strict=True) if f.reading.kind is ReadingKind.AS_BEFORE)
    plays = tuple(replace(play, probability=play.probability * same / total) for play in best.reading.plays)
    return replace(best.reading, plays=plays)


def _moves_of(moving: Sequence[tuple[float, _Found]]) -> Reading:
    """The plays of several readings of one scene, each with its share of all."""
    names = [[f.seen.name(i) for i in range(len(f.seen.faces))] for _, f in moving]
    disputed = [i for i, named in enumerate(zip(*names, strict=True)) if len(set(named)) > 1]
    plays: dict[Moves, Play] = {}
    for weight, found in moving:
        shown = {found.seen.name(i) for i in disputed} - BACKS
        for play in found.reading.plays:
            known = plays.get(play.moves)
            share = weight * play.probability + (known.probability if known else 0.0)
            plays[play.moves] = replace(
                known or play, probability=share, differs=tuple(sorted(shown | set((known or play).differs)))
            )
    ranked = tuple(sorted(plays.values(), key=lambda play: -play.probability))
    first = max(moving, key=lambda pair: pair[0])[1].reading
    return replace(first, plays=ranked, note=ranked[0].text)


def _is_circle(slices: Sequence[Sighting]) -> bool:
    """Whether slices lie next to each other all around."""
    order = [slices[i] for i in lie.clockwise(slices)]
    turns = [(a.pose.angle_deg - b.pose.angle_deg) % 360 for a, b in zip(order, (*order[1:], order[0]), strict=True)]
    return all(STEP_DEG[0] < turn < STEP_DEG[1] for turn in turns)


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


def _has_specials(state: State) -> bool:
    """Whether each round of this game brings a Special."""
    return bool(state.unseen_specials) or state.special is not None


def _rotation(names: Sequence[str], ring: Sequence[str]) -> bool:
    """Whether both are the same circle, wherever they begin."""
    if sorted(names) != sorted(ring):
        return False
    start = list(ring).index(names[0])
    return list(ring[start:]) + list(ring[:start]) == list(names)


def _place_name(state: State, seen: Seen, index: int) -> str:
    place, kind, face = seen.places[index], seen.scene.sightings[index].kind, seen.name(index)
    if place.where is lie.Where.STRAY:
        return "stray"
    if place.where is lie.Where.SEAT:
        if kind is PieceKind.SPECIAL:
            return f"seat/{place.player}/special"
        return f"seat/{place.player}/{'eaten' if face in BACKS else 'collected'}"
    for number, portion in enumerate(state.portions):
        if face in portion.slices or (portion.special and face == state.special):
            return f"portion/{number}"
    return "ring"
