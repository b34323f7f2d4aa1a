"""How New York Slice lies on a table: which move a scene at rest shows; most of it is in `cut_and_choose_table`.

Collected slices lie face up in a player's area, eaten ones face down, so that all can be counted; a Special lies face
up until it is used and face down afterwards. The text asks for the first two; the third is taken from Pizzeria, the
same family's other game, so that a used Special is seen.
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
from controller.games.cut_and_choose_look import Draft, Look, Moves, Taken, Way, wrong
from controller.games.cut_and_choose_seen import Seen
from controller.games.cut_and_choose_table import CutAndChooseTable
from controller.games.new_york_slice import faults, rules
from controller.games.new_york_slice.components import ANCHOVY, SUPREME
from controller.games.new_york_slice.rules import MYSTERY_SLICE, SECONDS, Phase, State
from controller.reading import Fault, Reading, ReadingKind

ATTACH_SOFTNESS_MM = 2.5
"""The Supreme slice is attached to the nearest slice; this is the scale of the doubt between two of them."""


class NewYorkSliceTable(CutAndChooseTable[State]):
    """The `GameTable` of New York Slice."""

    faults = faults.FAULTS
    at_once = frozenset({MYSTERY_SLICE})

    def phases(self) -> Mapping[Enum, Callable[[Look[State]], Reading]]:
        """See `CutAndChooseTable`."""
        return {
            Phase.STACK: self.read_serving,
            Phase.REVEAL: self.read_serving,
            Phase.REDRAW: self.read_serving,
            Phase.DIVIDE: self.read_dividing,
            Phase.CHOOSE: self.read_choosing,
            Phase.MYSTERY: self.read_choosing,
            Phase.DECIDE: self.read_choosing,
            Phase.SECONDS: self._read_seconds,
        }

    def to_act(self, state: State) -> Sequence[Player]:
        """See `CutAndChooseTable`."""
        return rules.turn(state).players

    def refusal(self, state: State, move: rules.Move) -> Refusal | None:
        """See `CutAndChooseTable`."""
        return rules.refusal(state, move)

    def apply(self, state: State, move: rules.Move) -> State:
        """See `CutAndChooseTable`."""
        return rules.apply(state, move)

    # START EACH ROUND, DIVIDE ----------------------------------------------------------------------------------------

    def served(self, state: State, special: str | None, ring: Ring) -> Moves:
        """See `CutAndChooseTable`."""
        assert special is not None
        match state.phase:
            case Phase.STACK:
                return (rules.ChooseStack(min(state.stacks)), rules.Reveal(special, ring))
            case Phase.REVEAL:
                return (rules.Reveal(special, ring),)
            case _:
                return (rules.Redraw(special),)

    def divide(self, state: State, portions: tuple[Ring, ...], special_in: int | None) -> rules.Divide:
        """See `CutAndChooseTable`."""
        assert special_in is not None
        return rules.Divide(portions, special_in)

    # CHOOSE A PORTION ------------------------------------------------------------------------------------------------

    def ways(self, look: Look[State], player: Player) -> Iterator[Way]:
        """See `CutAndChooseTable`."""
        state = look.state
        if state.phase in (Phase.DECIDE, Phase.MYSTERY):
            mystery = state.phase is Phase.MYSTERY or (state.mystery_drawn and state.mystery is None)
            yield Way((), state.taken, False, int(mystery))
            return
        for moves, at, take in self.takes(look, player):
            portion = at.portions[take.portion]
            mystery = portion.special and at.special == MYSTERY_SLICE
            yield Way(moves, portion.slices, portion.special, int(mystery))

    def extra_note(self, state: State) -> str:
        """See `CutAndChooseTable`."""
        return "Take one of the three extra slices."

    def decisions(self, look: Look[State], way: Way, taken: Taken) -> list[Draft]:
        """What is eaten, the Mystery slice, what the Supreme slice is laid next to."""
        state, player, eaten = look.state, taken.player, taken.eaten
        unseen = bool(way.extra) and not taken.strange
        chance: Moves = ()
        if way.extra and state.phase is not Phase.DECIDE:
            chance = (rules.Mystery(taken.strange[0] if taken.strange else None),)
        words = f"Player {player} takes a portion"
        if any(isinstance(m, rules.Sneak) for m in way.moves):
            words = f"Player {player} sneaks a slice and takes a portion"
        if eaten:
            words += f", eats {self.faults.names(state, sorted(eaten))}"
        if unseen:
            words += ", eats the Mystery slice"
        return [
            Draft(
                (*way.moves, *chance, rules.Decide(player, eaten, attach, unseen)),
                share,
                words + _attach_text(attach),
                tuple(eaten),
            )
            for attach, share in _attachments(state, look.seen, player)
        ]

    # MYSTERY SLICE, DIBS!, CUT IN LINE, SNEAK-A-SLICE ----------------------------------------------------------------

    def extra_due(self, state: State, player: Player) -> Fault | None:
        """See `CutAndChooseTable`."""
        return faults.mystery_due(player) if state.special == MYSTERY_SLICE else None

    def caller(self, state: State) -> Player | None:
        """See `CutAndChooseTable`."""
        return rules.dibs_caller(state)

    def calls(self, look: Look[State], player: Player, face: str, eaten: bool) -> list[tuple[Any, float, str]]:
        """See `CutAndChooseTable`."""
        text = f"Player {player} calls dibs on {self.faults.name(look.state, face)}"
        return [
            (rules.Dibs(player, face, eaten, attach), share, text + _attach_text(attach))
            for attach, share in ([(None, 1.0)] if eaten else _attachments(look.state, look.seen, player))
        ]

    def may_come_early(self, state: State, player: Player) -> bool:
        """See `CutAndChooseTable`."""
        return rules.may_cut_in_line(state, player)

    def shifts(self, state: State, player: Player) -> list[rules.Sneak]:
        """See `CutAndChooseTable`."""
        if not rules.may_sneak(state, player):
            return []
        return [m for m in rules.legal(state) if isinstance(m, rules.Sneak) and m.player == player]

    # SECONDS, and counting what was eaten unseen ---------------------------------------------------------------------

    def _read_seconds(self, look: Look[State]) -> Reading:
        return self.read_last_meal(look, SECONDS, lambda player, eaten: rules.EatSeconds(player, frozenset(eaten)))

    def _read(self, look: Look[State]) -> Reading:
        if look.state.phase is Phase.COUNT:
            return self._read_count(look)
        reading = super()._read(look)
        if reading.kind is not ReadingKind.AS_BEFORE or reading.note:
            return reading
        return replace(reading, note=_supreme_moved(look.state, look.seen))

    def _read_count(self, look: Look[State]) -> Reading:
        """All turn up what they have eaten, to count the pepperoni: only the slice eaten unseen says anything new."""
        state, seen, changed = look.state, look.seen, look.changed
        player = next(p for p, h in enumerate(state.holdings, 1) if h.unseen_eaten)
        holding, faces = state.holdings[player - 1], changed.new[player]
        if not faces:
            return Reading(ReadingKind.AS_BEFORE, ())
        if len(faces) > holding.unseen_eaten:
            return wrong(faults.not_eaten_unseen(state, seen, player, faces))
        face_up = sum(seen.lies_with(face, player) for face in holding.eaten)
        fewer = -changed.downs[player] - face_up - len(faces)
        if fewer < 0:
            return wrong(faults.not_eaten_unseen(state, seen, player, faces))
        if fewer > 0:
            return wrong(self.faults.eaten_gone(seen, player, fewer))
        text = f"{self.faults.name(state, faces[0])} was eaten unseen"
        return self.legal(look, [Draft((rules.RevealEaten(player, faces[0]),), 1.0, text, faces)], None, player)


GAME_TABLE = NewYorkSliceTable()
rules_refusal = GAME_TABLE.rules_refusal


# SUPREME SLICE --------------------------------------------------------------------------------------------------------


def _attachments(state: State, seen: Seen, player: int) -> list[tuple[str | None, float]]:
    """What the Supreme slice in front of a player is laid next to, with probabilities; (None, 1) when there is nothing
    to attach, or it lies next to nothing."""
    if state.holdings[player - 1].supreme_as is not None:
        return [(None, 1.0)]
    return _beside_supreme(state, seen, player)


def _supreme_moved(state: State, seen: Seen) -> str:
    """What is said where the Supreme slice lies beside another type than the one it counts with: nothing follows from
    it. Empty where it does not, or nothing is left of its type."""
    for player, holding in enumerate(state.holdings, 1):
        own = holding.supreme_as
        if own is None or SUPREME not in holding.collected or not seen.lies_with(SUPREME, player):
            continue
        if not any(own in _types_of(state, face) for face in holding.collected if face != SUPREME):
            continue
        beside = {kind for kind, _ in _beside_supreme(state, seen, player) if kind is not None}
        if beside and own not in beside:
            counts = own if own == ANCHOVY else f"{own}s"
            told = f"Player {player}'s Supreme slice counts with the {counts} and is not moved to another type"
            return f"{told}: lay it back beside them."
    return ""


def _beside_supreme(state: State, seen: Seen, player: int) -> list[tuple[str | None, float]]:
    """What the Supreme slice in front of a player lies next to, with probabilities; (None, 1) for nothing."""
    sightings = seen.scene.sightings
    here = seen.fronts(lie.Where.SEAT, player)
    others = {i: types for i in here if (types := _types_of(state, seen.name(i)))}
    supreme = next((sightings[i] for i in here if seen.faces[i] == SUPREME), None)
    if supreme is None:
        return [(None, 1.0)]
    if lie.distance_mm(supreme, [sightings[i] for i in others]) >= lie.FAR_MM:
        return [(None, 1.0)]
    distances = {i: math.dist(lie.centroid(sightings[i]), lie.centroid(supreme)) for i in others}
    nearest = min(distances.values())
    shares: dict[str, float] = defaultdict(float)
    for i, distance in distances.items():
        types = others[i]
        for kind in types:
            shares[kind] += math.exp(-(distance - nearest) / ATTACH_SOFTNESS_MM) / len(types)
    total = sum(shares.values())
    ranked = sorted(((share / total, kind) for kind, share in shares.items()), reverse=True)
    return [(kind, share) for share, kind in ranked[:3] if share > 1e-3]


def _types_of(state: State, face: str) -> tuple[str, ...]:
    """The types a slice can give to the Supreme slice beside it."""
    if face == ANCHOVY:
        return (ANCHOVY,) if state.options.supreme_on_anchovy else ()
    facts = state.options.components.by_face.get(face)
    return tuple(str(value) for value in facts.values) if facts else ()


def _attach_text(attach: str | None) -> str:
    if attach is None:
        return ""
    return f", lays the Supreme slice with the {attach if attach == ANCHOVY else attach + 's'}"
