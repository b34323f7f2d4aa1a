"""Which plays a table of New York Slice or Pizzeria may show, what is legal of them, and what doubts are left; and what
a game says of its own for that."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Generic

from controller.game import Player, Refusal
from controller.games import cut_and_choose_laid as lie
from controller.games.cut_and_choose import Ring
from controller.games.cut_and_choose_faults import Faults
from controller.games.cut_and_choose_look import Draft, Look, Moves, Taken, Way, unfinished, without_taking, wrong
from controller.games.cut_and_choose_rules import State
from controller.games.cut_and_choose_seen import BACKS, Seen, changes, identify
from controller.reading import Fault, Layout, Play, Reading, ReadingKind
from vision.scene import PieceKind, Scene

ILLEGAL_PRIOR = 0.02
"""How much rarer a broken rule is than a legal move, before looking."""
WORTH_ASKING = 0.2
"""From this share on it is said that there may be a move, even if it is likelier that there is none."""


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


class ReadsPlays(ABC, Generic[State]):
    """Reads one scene, and judges plays. What is abstract is what a game's rule text has of its own."""

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
