"""How portions of New York Slice or Pizzeria are chosen, as a scene at rest shows it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from controller.game import Player
from controller.games import cut_and_choose_laid as lie
from controller.games.cut_and_choose_look import Draft, Look, Moves, Taken, Way, unfinished, without_taking, wrong
from controller.games.cut_and_choose_plays import ReadsPlays
from controller.games.cut_and_choose_rules import Shift, State, Take
from controller.games.cut_and_choose_seen import middle_faces
from controller.reading import Fault, Reading, ReadingKind


class Chooses(ReadsPlays[State]):
    """Reads the choosing of portions."""

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
            look = without_taking(look, other)
        changed = look.changed
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
