"""How Pizzeria lies on a table: which move a scene at rest shows; most of it is in `cut_and_choose_table`.

The text says that saved slices lie face up, eaten ones face down, special offers face up, and face down when used. What
it leaves open is settled here so that a camera sees it:

- Offers A and B are used while their taker decides about the portion, so that they may come face down. A may also be
  turned later in the round, with one or two saved slices, until the last player has decided.
- Offer B: the slice put aside is laid face up first, so that it is known; that needs no button, nor that the offer
  lies face down already. Then it is eaten or saved with the portion.
- Offer C is put on a kind by laying it against (or half on) saved slices of that kind. Where it touches two kinds
  alike, or a mixed slice only, the players are asked. Where it touches none although something is saved, its owner is
  told to put it on a kind, as the text does; that it goes on nothing, the host rules.
- Offers G to L stay face up to be scored; only J is turned, when it is used.
- Which variant is played shows nowhere on a table: it is an option of the game. With the solo variant the House's
  pieces lie in player 2's area, and player 1, who moves them, presses the button.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any

from controller.game import Player, Refusal
from controller.games import cut_and_choose_laid as lie
from controller.games.cut_and_choose import Ring
from controller.games.cut_and_choose_look import Draft, Look, Moves, Taken, Way, unfinished, without_taking, wrong
from controller.games.cut_and_choose_rules import owner_of
from controller.games.cut_and_choose_seen import Seen, changes
from controller.games.cut_and_choose_table import CutAndChooseTable
from controller.games.pizzeria import faults, headings, rules, solo
from controller.games.pizzeria.rules import OFFER_A, OFFER_B, OFFER_C, OFFER_J, Phase, State
from controller.reading import Fault, Reading, ReadingKind

KIND_SOFTNESS_MM = 1.2
"""Offer C lies on the kind of the nearest slice; this is the scale of the doubt between two of them."""

UNMOVED = 0.05
"""A kind that offer C lies against with more than this likelihood may be its own still."""


class PizzeriaTable(CutAndChooseTable[State]):
    """The `GameTable` of Pizzeria."""

    faults = faults.FAULTS
    at_once = frozenset({OFFER_A, OFFER_B})

    def phases(self) -> Mapping[Enum, Callable[[Look[State]], Reading]]:
        """See `CutAndChooseTable`."""
        return {
            Phase.PILE: self.read_serving,
            Phase.REVEAL: self.read_serving,
            Phase.REDRAW: self.read_serving,
            Phase.DIVIDE: self.read_dividing,
            Phase.CHOOSE: self._read_choosing,
            Phase.DRAW: self.read_choosing,
            Phase.DECIDE: self.read_choosing,
            Phase.EAT_KIND: self._read_eating_a_kind,
        }

    def to_act(self, state: State) -> Sequence[Player]:
        """See `CutAndChooseTable`. The House is one of the players here."""
        return rules.turn(state).players

    def hand_of(self, state: State, player: Player) -> Player:
        """See `CutAndChooseTable`. The House has no hands."""
        return 3 - solo.HOUSE if state.options.solo else player

    def refusal(self, state: State, move: rules.Move) -> Refusal | None:
        """See `CutAndChooseTable`."""
        return solo.refusal(state, move)

    def apply(self, state: State, move: rules.Move) -> State:
        """See `CutAndChooseTable`."""
        return solo.apply(state, move)

    # Pizza is served! ------------------------------------------------------------------------------------------------

    def legal(self, look: Look[State], drafts: Sequence[Draft], confirm: Player | None, player: Player) -> Reading:
        """See `CutAndChooseTable`. What the House has laid may not be all yet until its mover presses; nor may that of
        a player who has still to put offer C on a kind."""
        reading = super().legal(look, drafts, confirm, player)
        if reading.plays and self._forgets_offer_c(look.state, reading.plays[0].moves):
            if self.pressed(look, player):
                return wrong(faults.on_no_kind(player, look.seen.indices((OFFER_C,))))
            return unfinished(f"{reading.plays[0].text}. {faults.PUT_ON_A_KIND}")
        fault = reading.fault
        if reading.kind is not ReadingKind.FAULT or fault is None or fault.refusal.heading != headings.SOLO:
            return reading
        pressed = confirm is None or self.hand_of(look.state, confirm) in look.pressed
        return reading if pressed else unfinished(fault.refusal.remedy, fault)

    def served(self, state: State, special: str | None, ring: Ring) -> Moves:
        """See `CutAndChooseTable`."""
        match state.phase:
            case Phase.PILE:
                return (rules.ChoosePile(min(state.stacks)), rules.Reveal(ring, special))
            case Phase.REVEAL:
                return (rules.Reveal(ring, special),)
            case _:
                assert special is not None
                return (rules.Redraw(special),)

    def divide(self, state: State, portions: tuple[Ring, ...], special_in: int | None) -> rules.Divide:
        """See `CutAndChooseTable`."""
        return rules.Divide(state.slicer, portions, special_in)

    # Bon appétit! ----------------------------------------------------------------------------------------------------

    def _read_choosing(self, look: Look[State]) -> Reading:
        eater, choosers = rules.late_eater(look.state), rules.choosers(look.state)
        if eater is None or not self._eats_saved(look, eater):
            return self.read_choosing(look)
        others = [p for p in choosers if p != eater and look.changed.downs[p] > 0]
        if look.changed.middle_gone and others:
            backs = look.seen.backs(lie.Where.SEAT, others[0])
            return wrong(faults.both_eat(eater, others[0], look.layout, tuple(backs)))
        return self._read_eating_saved(look, eater)

    def ways(self, look: Look[State], player: Player) -> Iterator[Way]:
        """See `CutAndChooseTable`."""
        state = look.state
        if state.phase in (Phase.DECIDE, Phase.DRAW):
            yield Way((), state.taken, False, int(state.phase is Phase.DRAW))
            return
        for moves, at, take in self.takes(look, player):
            portion = at.portions[take.portion]
            yield Way(moves, portion.slices, portion.special, int(portion.special and at.special == OFFER_B))

    def may_be_turned(self, state: State, player: Player) -> frozenset[str]:
        """See `CutAndChooseTable`."""
        usable = {OFFER_A} if rules.usable(state, player, OFFER_A) else set()
        return super().may_be_turned(state, player) | usable

    def decisions(self, look: Look[State], way: Way, taken: Taken) -> list[Draft]:
        """What is eaten, and which kind offer C is put on."""
        player, eaten = taken.player, taken.eaten
        moves = (*way.moves, *(rules.DrawSlice(face) for face in taken.strange))
        words = f"Player {player} takes a portion" if way.moves else f"Player {player} saves what was taken"
        if any(isinstance(move, rules.MoveSlice) for move in moves):
            words = f"Player {player} moves a slice and takes a portion"
        if eaten:
            words += f", eats {self.faults.names(look.state, sorted(eaten))}"
        return [
            Draft(
                (*moves, rules.Decide(player, eaten, kind)),
                share,
                words + (f", puts offer C on the {kind}s" if kind is not None else ""),
                tuple(eaten),
            )
            for kind, share in self._kinds(look, way, player)
        ]

    # Special offers: A -----------------------------------------------------------------------------------------------

    def _eats_saved(self, look: Look[State], player: Player) -> bool:
        """Whether the owner of offer A has turned it, or saved slices, face down, and has not taken a portion."""
        changed = look.changed
        takes = player in rules.choosers(look.state) and bool(changed.middle_gone)
        if changed.new[player] or self._has_special(look, player) or takes:
            return False
        turned = OFFER_A in changed.turned[player] and changed.special_downs[player] > 0
        return turned or (bool(changed.absent[player]) and changed.downs[player] > 0)

    def _read_eating_saved(self, look: Look[State], player: Player) -> Reading:
        """Offer A is used between two decisions. The next player may have begun to take a portion."""
        state, changed = look.state, look.changed
        rest = look if state.order[0] == player else without_taking(look, state.order[0])
        if fault := self.faults.at_seats(state, rest.seen, rest.changed, busy=player):
            return wrong(fault)
        misused = [special for special in changed.turned[player] if special != OFFER_A]
        if misused:
            return wrong(self.faults.special_misused(state, player, misused))
        eaten = changed.absent[player]
        if changed.downs[player] > len(eaten):
            return wrong(self.faults.extra_down(player, look.seen))
        if changed.downs[player] < len(eaten):
            return wrong(self.fewer_down(look, player, eaten))
        if not eaten:
            if self.pressed(look, player):
                return wrong(self.faults.special_misused(state, player, (OFFER_A,)))
            return unfinished(f"Player {player} plays offer A: {faults.TURN_SAVED}, or turn it face up again.")
        text = f"Player {player} eats {self.faults.names(state, eaten)} with offer A"
        draft = Draft((rules.EatSaved(player, frozenset(eaten)),), 1.0, text, eaten)
        takers = {self.hand_of(state, p) for p in rules.choosers(state)} - {self.hand_of(state, player)}
        return replace(self.choose(look, [draft], player, player), unanswered=look.pressed & takers)

    # Special offers: B -----------------------------------------------------------------------------------------------

    def drawing(self, look: Look[State], way: Way, taken: Taken) -> Reading | None:
        """The slice that offer B brings is shown before anything is decided; who presses the button has decided."""
        player, ready = taken.player, self.pressed(look, taken.player)
        if not taken.strange:
            fault = faults.drawn_unseen(player, tuple(look.seen.backs(lie.Where.SEAT, player)))
            return wrong(fault) if ready else unfinished(fault.refusal.remedy, fault)
        if ready:
            return None
        face = taken.strange[0]
        text = f"Player {player} takes a portion and draws {self.faults.name(look.state, face)}"
        moves = (*way.moves, rules.DrawSlice(face))
        reading = self.legal(look, [Draft(moves, 1.0, text, taken.strange)], None, player)
        if reading.kind is not ReadingKind.MOVES:
            return reading
        at_fault = self._undecided(self.played(look.state, moves), look.seen, player)
        if at_fault is None:
            return reading
        return unfinished(f"{text}. {at_fault.refusal.problem} {at_fault.refusal.remedy}", at_fault)

    def _undecided(self, after: State, seen: Seen, player: Player) -> Fault | None:
        """What is wrong on the table while this player has still to decide about slices that lie as they like."""
        changed = changes(after, seen, self.faults.ahead)
        changed = replace(changed, again=tuple(face for face in changed.again if face != OFFER_B))
        lost = tuple(face for face in changed.middle_gone if face not in after.taken)
        return (
            self.faults.misplaced(after, seen, changed)
            or self.faults.at_seats(after, seen, changed, busy=player)
            or self.faults.in_middle(after, seen, replace(changed, middle_gone=lost))
        )

    def _read(self, look: Look[State]) -> Reading:
        """See `CutAndChooseTable`. The slice that offer B brings is known before its owner turns the offer down; an
        offer C that was pushed away is told of."""
        reading, state = super()._read(look), look.state
        taker, fault = state.taker, reading.fault
        if reading.kind is ReadingKind.AS_BEFORE and not reading.note:
            return replace(reading, note=self._offer_c_moved(look))
        if fault is None or taker is None or state.special != OFFER_B or look.changed.again != (OFFER_B,):
            return reading
        if look.changed.elsewhere or self.pressed(look, taker):
            return reading
        return unfinished(f"{fault.refusal.problem} {fault.refusal.remedy}", fault)

    def extra_due(self, state: State, player: Player) -> Fault | None:
        """See `CutAndChooseTable`."""
        return faults.draw_due(player) if state.special == OFFER_B else None

    def extra_note(self, state: State) -> str:
        """See `CutAndChooseTable`."""
        return "Take one of the three slices put aside, and lay it face up."

    # C ---------------------------------------------------------------------------------------------------------------

    def _forgets_offer_c(self, state: State, moves: Moves) -> bool:
        """Whether offer C could be put on a kind by this play, and is put on nothing."""
        *earlier, last = moves
        if not isinstance(last, rules.Decide) or last.kind is not None:
            return False
        return bool(rules.kinds_to_put_on(self.played(state, earlier), last))

    def _kinds(self, look: Look[State], way: Way, player: Player) -> list[tuple[int | None, float]]:
        """The kinds that offer C may be put on by where it lies, with probabilities."""
        state, seen = look.state, look.seen
        one = rules.owned(state, player, OFFER_C)
        mine = one is not None and one.kind is None and rules.usable(state, player, OFFER_C)
        if not (mine or (way.special and state.special == OFFER_C)) or not seen.lies_with(OFFER_C, player):
            return [(None, 1.0)]
        return self._beside_offer_c(look, player)

    def _offer_c_moved(self, look: Look[State]) -> str:
        """What is said where offer C lies against another kind than the one it was put on: nothing follows from it.
        Empty where it does not, or nothing is left of its kind."""
        state, by_face = look.state, look.state.options.components.by_face
        player = owner_of(state, OFFER_C)
        one = None if player is None else rules.owned(state, player, OFFER_C)
        if player is None or one is None or one.kind is None or not look.seen.lies_with(OFFER_C, player):
            return ""
        if not any(one.kind in by_face[face].values for face in state.holdings[player - 1].collected):
            return ""
        beside = {kind for kind, share in self._beside_offer_c(look, player) if share > UNMOVED}
        if None in beside or one.kind in beside:
            return ""
        told = f"Player {player}'s offer C lies on the {one.kind}s and is not moved to another kind"
        return f"{told}: lay it back against them."

    def _beside_offer_c(self, look: Look[State], player: Player) -> list[tuple[int | None, float]]:
        """The kinds that offer C lies against, with probabilities; None for nothing."""
        state, seen = look.state, look.seen
        sightings = seen.scene.sightings
        card = sightings[seen.at[OFFER_C]]
        far = {i: lie.distance_mm(card, (sightings[i],)) for i in seen.fronts(lie.Where.SEAT, player)}
        nearest = min(far.values(), default=math.inf)
        touches = lie.touch_probability(nearest)
        shares: dict[int, float] = defaultdict(float)
        for i, distance in far.items():
            facts = state.options.components.by_face.get(seen.name(i))
            for value in facts.values if facts else ():
                shares[value] += math.exp(-(distance - nearest) / KIND_SOFTNESS_MM) / len(facts.values if facts else ())
        total = sum(shares.values())
        ranked = sorted(((touches * share / total, kind) for kind, share in shares.items()), reverse=True)
        kinds: list[tuple[int | None, float]] = [(kind, share) for share, kind in ranked[:3] if share > 1e-3]
        return [*kinds, (None, 1 - touches)] if 1 - touches > 1e-3 or not kinds else kinds

    # D, E and F ------------------------------------------------------------------------------------------------------

    def caller(self, state: State) -> Player | None:
        """See `CutAndChooseTable`."""
        return rules.slice_taker(state)

    def calls(self, look: Look[State], player: Player, face: str, eaten: bool) -> list[tuple[Any, float, str]]:
        """See `CutAndChooseTable`."""
        verb = "eats" if eaten else "saves"
        text = f"Player {player} takes a slice with offer D: {verb} {self.faults.name(look.state, face)}"
        return [(rules.TakeSlice(player, face, eaten), 1.0, text)]

    def shifts(self, state: State, player: Player) -> list[rules.MoveSlice]:
        """See `CutAndChooseTable`."""
        if not rules.may_move_slice(state, player):
            return []
        return [m for m in rules.legal(state) if isinstance(m, rules.MoveSlice) and m.player == player]

    def may_come_early(self, state: State, player: Player) -> bool:
        """See `CutAndChooseTable`."""
        return rules.early_chooser(state) == player

    # J ---------------------------------------------------------------------------------------------------------------

    def _read_eating_a_kind(self, look: Look[State]) -> Reading:
        state, by_face = look.state, look.state.options.components.by_face
        player = self.to_act(state)[0]
        if solo.house_acts(state):
            unused = Draft((rules.EatKind(player, None),), 1.0, "The House does not use offer J", ())
            return self.choose(look, [unused], None, player)

        def move_of(player: Player, eaten: tuple[str, ...]) -> rules.EatKind:
            kinds = sorted({by_face[face].values for face in eaten}, key=len)
            return rules.EatKind(player, kinds[0][0] if kinds else None)

        reading = self.read_last_meal(look, OFFER_J, move_of)
        fault = self._no_whole_kind(look, player)
        if fault is None or reading.fault is None or reading.fault.player != player or not reading.fault.certain:
            return reading
        if self.pressed(look, player):
            return wrong(fault)
        return unfinished(f"{fault.refusal.problem} {fault.refusal.remedy}", fault)

    def _no_whole_kind(self, look: Look[State], player: Player) -> Fault | None:
        """What is wrong with slices turned over for offer J that are not all slices of one kind."""
        state, eaten = look.state, look.changed.absent[player]
        if not eaten or look.changed.downs[player] != len(eaten):
            return None
        kinds = {state.options.components.by_face[face].values for face in eaten}
        kind, *other = next(iter(kinds))
        if len(kinds) > 1 or other:
            return faults.not_one_kind(state, player, eaten)
        left = [face for face in rules.kinds_to_eat(state, player).get(kind, ()) if face not in eaten]
        return faults.not_all_of_kind(state, player, kind, left, look.seen) if left else None


GAME_TABLE = PizzeriaTable()
