"""How New York Slice lies on a table: which move a scene at rest shows.

The pizza lies in the mat's middle, what a player owns in that player's area. Collected slices lie face up there, eaten
ones face down, so that all can be counted; a Special lies face up until it is used and face down afterwards. The text
asks for the first two; the third is taken from Pizzeria, the same family's other game, so that a used Special is seen.
Stacks and the box are out of the camera's sight: stacks look alike, so they are numbered in the order they are served.

Reading goes the way of the design: `seen` says which piece each sighting is, what has changed is compared with what
each legal play would change, and a play counts only when after it everything on the table lies as it must
(`faults.difference`). Where no play explains the table, the rules' own refusal says why.
"""

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from controller.game import Refusal
from controller.games import cut_and_choose
from controller.games import cut_and_choose_laid as lie
from controller.games.new_york_slice import faults, rules
from controller.games.new_york_slice.components import ANCHOVY, SUPREME
from controller.games.new_york_slice.rules import (
    CUT_IN_LINE,
    DIBS,
    MYSTERY_SLICE,
    SECONDS,
    SLICES_IN_A_PIZZA,
    SNEAK_A_SLICE,
    Phase,
    State,
)
from controller.games.new_york_slice.seen import BACKS, Changes, Seen, changes, identify, middle_faces
from controller.reading import Fault, Layout, Play, Reading, ReadingKind
from vision.scene import PieceKind, Scene, Sighting

ILLEGAL_PRIOR = 0.02
"""How much rarer a broken rule is than a legal move, before looking."""
WORTH_ASKING = 0.2
"""From this share on it is said that there may be a move, even if it is likelier that there is none."""
MOST_DOUBTFUL_GAPS = 3
"""How many doubtful gaps are varied at most to find other divisions."""
NEARER_MM = 1.5
"""A Special that touches several portions lies with the nearest; this is the scale of the doubt between two of them."""
ATTACH_SOFTNESS_MM = 2.5
"""The Supreme slice is attached to the nearest slice; this is the scale of the doubt between two of them."""
STEP_DEG = (16.0, 50.0)
"""Slices of a proper circle are turned against their neighbours by an angle between these, 32.7 when laid exactly."""

Moves = tuple[rules.Move, ...]


class NewYorkSliceTable:
    """The `GameTable` of New York Slice."""

    def lamps(self, state: State) -> frozenset[int]:
        """Who is to act, and who may interrupt now."""
        return frozenset(rules.turn(state).players)

    def read(self, state: State, scene: Scene, layout: Layout, pressed: frozenset[int]) -> Reading:
        """Which play, if any, a scene at rest shows; see `controller.reading`."""
        found = [
            _Found(share, seen, _read(_Look(state, seen, pressed))) for share, seen in identify(state, scene, layout)
        ]
        seen = found[0].seen
        return replace(
            found[0].reading if len(found) == 1 else _together(found),
            places=tuple(_place_name(state, seen, i) for i in range(len(scene.sightings))),
            faces=tuple(seen.name(i) for i in range(len(scene.sightings))),
        )


GAME_TABLE = NewYorkSliceTable()


class _Look:
    """One reading of a scene against one state."""

    def __init__(self, state: State, seen: Seen, pressed: frozenset[int]) -> None:
        self.state = state
        self.seen = seen
        self.pressed = pressed
        self.changed: Changes = changes(state, seen)


@dataclass(frozen=True, slots=True)
class _Draft:
    """A play not yet judged."""

    moves: Moves
    weight: float
    text: str
    faces: tuple[str, ...]
    """What it depends on, for telling it from others."""


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


def _read(look: _Look) -> Reading:
    state = look.state
    if state.phase is Phase.OVER:
        return Reading(ReadingKind.AS_BEFORE, ())
    if fault := faults.misplaced(state, look.seen, look.changed):
        return _fault(fault)
    match state.phase:
        case Phase.STACK | Phase.REVEAL | Phase.REDRAW:
            return _read_serving(look)
        case Phase.DIVIDE:
            return _read_dividing(look)
        case Phase.CHOOSE | Phase.MYSTERY | Phase.DECIDE:
            return _read_choosing(look)
        case Phase.SECONDS:
            return _read_seconds(look)
        case _:
            return _read_count(look)


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


# START EACH ROUND -----------------------------------------------------------------------------------------------------


def _read_serving(look: _Look) -> Reading:
    """The Special and then eleven slices are turned up in the middle."""
    state, seen = look.state, look.seen
    if fault := faults.at_seats(state, seen, look.changed):
        return _fault(fault)
    pizza = seen.fronts(lie.Where.MIDDLE)
    cards = seen.fronts(lie.Where.MIDDLE, kind=PieceKind.SPECIAL)
    fits = state.ring if state.phase is Phase.REDRAW else state.unseen
    wrong = [i for i in pizza if seen.faces[i] is not None and seen.faces[i] not in fits]
    if wrong:
        return _fault(faults.wrong_slices(state, seen, wrong))
    if len(pizza) > SLICES_IN_A_PIZZA:
        return _fault(faults.too_many_slices(state, seen, pizza))
    if fault := faults.face_down_in_middle(seen) or faults.strayed(state, seen):
        return _unfinished(fault.refusal.problem, fault)
    if not pizza and not cards:
        return Reading(ReadingKind.AS_BEFORE, ())
    return _serving_in_progress(look, pizza, cards) or _served(look, pizza, cards[0])


def _serving_in_progress(look: _Look, pizza: Sequence[int], cards: Sequence[int]) -> Reading | None:
    """What is still to be done before the pizza is served; None when it is."""
    state, seen = look.state, look.seen
    if state.phase is Phase.REDRAW and [seen.faces[i] for i in cards] == [state.special]:
        return _unfinished("This Special cannot be used now: put it away and turn up another one.")
    if len(cards) > 1:
        problem = "Only one Special belongs to a pizza."
        return _unfinished(problem, faults.unfinished_pizza(state, problem, cards))
    if len(pizza) < SLICES_IN_A_PIZZA:
        return _unfinished(f"{len(pizza)} of {SLICES_IN_A_PIZZA} slices lie in the circle.")
    if not cards:
        return _unfinished("Turn up the Special of this stack.")
    unread = [i for i in (*pizza, *cards) if seen.faces[i] is None]
    if unread:
        problem = f"{len(unread)} of the pieces in the middle cannot be told from others."
        return _unfinished(problem, faults.unfinished_pizza(state, problem, unread))
    if not _is_circle([seen.scene.sightings[i] for i in pizza]):
        problem = "The slices do not lie in a circle yet, each next to the one before."
        return _unfinished(problem, faults.unfinished_pizza(state, problem, pizza))
    return None


def _served(look: _Look, pizza: Sequence[int], card: int) -> Reading:
    state, seen = look.state, look.seen
    ring = tuple(seen.name(pizza[i]) for i in lie.clockwise([seen.scene.sightings[i] for i in pizza]))
    special = seen.name(card)
    match state.phase:
        case Phase.STACK:
            moves: Moves = (rules.ChooseStack(min(state.stacks)), rules.Reveal(special, ring))
        case Phase.REVEAL:
            moves = (rules.Reveal(special, ring),)
        case _:
            moves = (rules.Redraw(special),)
    text = f"{faults.name(state, special)} and {SLICES_IN_A_PIZZA} slices are served"
    return _choose(look, [_Draft(moves, 1.0, text, (special, *ring))], None, state.slicer)


def _is_circle(slices: Sequence[Sighting]) -> bool:
    """Whether slices lie next to each other all around."""
    order = [slices[i] for i in lie.clockwise(slices)]
    turns = [(a.pose.angle_deg - b.pose.angle_deg) % 360 for a, b in zip(order, (*order[1:], order[0]), strict=True)]
    return all(STEP_DEG[0] < turn < STEP_DEG[1] for turn in turns)


# DIVIDE THE PIZZA (AND SPECIAL) INTO PORTIONS -------------------------------------------------------------------------


def _read_dividing(look: _Look) -> Reading:
    """Dibs may be called; then the circle is pulled apart."""
    state, seen, changed = look.state, look.seen, look.changed
    caller = rules.dibs_caller(state)
    if caller is not None and changed.active(caller):
        return _read_dibs(look, caller)
    if fault := faults.at_seats(state, seen, changed) or faults.face_down_in_middle(seen):
        return _fault(fault)
    if fault := faults.extra_slices(state, seen, state.ring) or faults.extra_specials(state, seen):
        return _fault(fault)
    if fault := faults.pizza_gone(state, changed):
        return _fault(replace(fault, player=state.slicer))
    if fault := faults.strayed(state, seen):
        return _fault(fault) if state.slicer in look.pressed else _unfinished(fault.refusal.problem, fault)
    return _divisions(look)


def _divisions(look: _Look) -> Reading:
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
    special = sightings[seen.at[str(state.special)]]
    from_special = {i: lie.distance_mm(special, (sightings[i],)) for i in order}
    drafts = []
    for cut, share in _likely_cuts(cuts):
        groups = _grouped(order, cut)
        for special_in, special_share in _special_choices([min(from_special[i] for i in group) for group in groups]):
            portions = [tuple(seen.name(i) for i in group) for group in groups]
            if special_in == len(portions):
                portions.append(())
            move = rules.Divide(tuple(portions), special_in)
            drafts.append(_Draft((move,), share * special_share, _divide_text(state, move), names))
    reading = _choose(look, drafts, state.slicer, state.slicer)
    if reading.kind is not ReadingKind.FAULT or (same_order and state.slicer in look.pressed):
        return reading
    if not same_order:
        return _fault(_order_changed(look, names))
    return _unfinished(max(drafts, key=lambda draft: draft.weight).text)


def _order_changed(look: _Look, names: Sequence[str]) -> Fault:
    """What the rules say of these slices in this order, however they are parted."""
    singles = cut_and_choose.portions_for(look.state.players) - 1
    parted = rules.Divide((*((name,) for name in names[:singles]), tuple(names[singles:])), 0)
    refusal = rules.refusal(look.state, parted)
    assert refusal is not None
    return Fault(refusal, look.state.slicer, look.seen.indices(refusal.pieces))


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


def _divide_text(state: State, move: rules.Divide) -> str:
    sizes = " + ".join(str(len(p)) if p else "Special" for p in move.portions)
    with_special = move.portions[move.special_in]
    return f"{len(move.portions)} portions: {sizes}" + (
        f", Special with {faults.names(state, with_special)}" if with_special else ""
    )


# DIBS! ----------------------------------------------------------------------------------------------------------------


def _read_dibs(look: _Look, player: int) -> Reading:
    """The owner of Dibs! takes one slice before the pizza is divided."""
    state, seen, changed = look.state, look.seen, look.changed
    if fault := faults.at_seats(state, seen, changed, busy=player):
        return _fault(fault)
    misused = [s for s in changed.turned[player] if s != DIBS]
    if misused:
        return _fault(faults.special_misused(state, player, misused))
    up, eaten, downs = changed.new[player], changed.middle_gone, changed.downs[player]
    called = DIBS in changed.turned[player]
    if called and not up and not eaten and downs == 0:
        return _unfinished(f"Player {player} calls dibs: take a slice.")
    if len(up) + len(eaten) != 1 or downs != len(eaten) or changed.absent[player] or changed.special_at is not None:
        fault = faults.at_seats(state, seen, changed) or faults.pizza_gone(state, changed)
        return _fault(fault or faults.extra_down(player, seen))
    face = (*up, *eaten)[0]
    if not called:
        return _unfinished(
            f"Player {player}: turn Dibs! face down to call dibs.", faults.out_of_turn(state, player, (face,), seen)
        )
    text = f"Player {player} calls dibs on {faults.name(state, face)}"
    drafts = [
        _Draft((rules.Dibs(player, face, bool(eaten), attach),), share, text + _attach_text(attach), (face,))
        for attach, share in ([(None, 1.0)] if eaten else _attachments(state, seen, player))
    ]
    return _choose(look, drafts, player, player)


# CHOOSE A PORTION -----------------------------------------------------------------------------------------------------


def _read_choosing(look: _Look) -> Reading:
    state, seen, changed = look.state, look.seen, look.changed
    active = [p for p in range(1, state.players + 1) if changed.active(p)]
    if not active and state.taker is None:
        return _read_quiet_choosing(look)
    player = _who_took(look, active)
    others = [p for p in active if p != player and (changed.new[p] or changed.special_at == p)]
    if others:
        return _fault(_too_early(look, others[0], player))
    if fault := faults.at_seats(state, seen, changed, busy=player):
        return _fault(fault)
    misused = [s for s in changed.turned[player] if s not in (CUT_IN_LINE, SNEAK_A_SLICE)]
    if misused:
        return _fault(faults.special_misused(state, player, misused))
    if not _may_take(look, player):
        fault = faults.at_seats(state, seen, changed)
        return _fault(fault or faults.out_of_turn(state, player, changed.new[player], seen))
    return _taking(look, player)


def _read_quiet_choosing(look: _Look) -> Reading:
    """Nobody's area has changed; the middle may have."""
    state, seen, changed = look.state, look.seen, look.changed
    fault = faults.difference(state, seen, changed)
    if fault is None:
        return Reading(ReadingKind.AS_BEFORE, ())
    if faults.strayed(state, seen) or any(rules.may_sneak(state, p) for p in rules.turn(state).players):
        return _unfinished(fault.refusal.problem, fault)
    return _fault(fault)


def _who_took(look: _Look, active: Sequence[int]) -> int:
    """Who of those whose areas changed is the one to judge: the taker, one who plays Cut in Line, the next in order."""
    state = look.state
    if state.taker is not None:
        return state.taker
    if state.shifter is not None:
        return state.shifter
    for player in active:
        if CUT_IN_LINE in look.changed.turned[player] and rules.may_cut_in_line(state, player):
            return player
    return next((p for p in state.order if p in active), active[0])


def _may_take(look: _Look, player: int) -> bool:
    state = look.state
    if state.taker is not None or state.shifter is not None:
        return player in (state.taker, state.shifter)
    cuts = CUT_IN_LINE in look.changed.turned[player] and rules.may_cut_in_line(state, player)
    return cuts or player == state.order[0]


def _too_early(look: _Look, other: int, player: int) -> Fault:
    """Two have taken; the one who is not to be judged first has to wait."""
    faces = look.changed.new[other] or (str(look.state.special),)
    fault = faults.out_of_turn(look.state, other, faces, look.seen)
    remedy = f"Lay it back until player {player} has decided what to eat and pressed the button."
    return replace(fault, refusal=replace(fault.refusal, remedy=remedy))


def _taking(look: _Look, player: int) -> Reading:
    """Compare what a player now has with what each legal play would bring."""
    state, changed = look.state, look.changed
    pizza = frozenset((*middle_faces(state), *state.taken))
    up = changed.new[player]
    strange = tuple(f for f in up if f not in pizza)
    taken = frozenset(up) & pizza | frozenset(changed.middle_gone)
    eaten = frozenset((*changed.middle_gone, *changed.absent[player]))
    hidden = changed.downs[player] - len(eaten)
    if hidden < 0:
        return _fault(_fewer_down(look, player, sorted(eaten)))
    drafts: list[_Draft] = []
    note = ""
    for prefix, slices, special, mystery in _ways(look, player):
        if taken != frozenset(slices) or special != _has_special(look, player):
            note = note or _still_to_take(look, player, taken, slices, special)
        elif len(strange) + hidden != mystery:
            note = note or ("Take one of the three extra slices." if mystery and not strange else "")
        else:
            drafts += _decisions(look, player, prefix, eaten, strange, bool(mystery))
    if drafts:
        return _choose(look, drafts, player, player)
    if player in look.pressed or not note:
        return _taking_fault(look, player, taken, strange, hidden)
    return _unfinished(note)


def _still_to_take(look: _Look, player: int, taken: frozenset[str], slices: Sequence[str], special: bool) -> str:
    """What a player who has begun to take this portion still has to take; empty when it is another portion."""
    state = look.state
    if not taken <= frozenset(slices) or (_has_special(look, player) and not special):
        return ""
    if not taken and not _has_special(look, player):
        turned = look.changed.turned[player]
        return f"Player {player} plays {faults.names(state, turned)}." if turned else ""
    missing = [f for f in slices if f not in taken]
    if special and not _has_special(look, player):
        missing.append(str(state.special))
    return f"Player {player} still has to take {faults.names(state, missing)}."


def _taking_fault(look: _Look, player: int, taken: frozenset[str], strange: Sequence[str], hidden: int) -> Reading:
    state, seen = look.state, look.seen
    if hidden > 0:
        return _fault(faults.extra_down(player, seen))
    if not taken and not strange and look.changed.turned[player] and look.changed.special_at is None:
        return _fault(faults.special_misused(state, player, look.changed.turned[player]))
    if state.special == MYSTERY_SLICE and _has_special(look, player) and not strange:
        return _fault(faults.mystery_due(player))
    return _fault(faults.not_a_portion(state, seen, player, taken, strange))


def _ways(look: _Look, player: int) -> Iterator[tuple[Moves, tuple[str, ...], bool, int]]:
    """Every legal way up to the decision: the moves, the slices and whether the Special comes with them, and how many
    Mystery slices are taken besides."""
    state = look.state
    if state.phase in (Phase.DECIDE, Phase.MYSTERY):
        mystery = state.phase is Phase.MYSTERY or (state.mystery_drawn and state.mystery is None)
        yield (), state.taken, False, int(mystery)
        return
    for prefix in _before_taking(look, player):
        at = _played(state, prefix)
        for index, portion in enumerate(at.portions):
            take = rules.Take(player, index)
            if rules.refusal(at, take) is None:
                mystery = portion.special and at.special == MYSTERY_SLICE
                yield (*prefix, take), portion.slices, portion.special, int(mystery)


def _before_taking(look: _Look, player: int) -> list[Moves]:
    """What is played before a portion is taken: every shift of a slice that is legal, when Sneak-a-Slice is turned."""
    if SNEAK_A_SLICE not in look.changed.turned[player]:
        return [()]
    return [(m,) for m in rules.legal(look.state) if isinstance(m, rules.Sneak) and m.player == player]


def _has_special(look: _Look, player: int) -> bool:
    """Whether today's Special came to this player. Mystery Slice is used at once, so it may lie face down already."""
    changed = look.changed
    if changed.special_at == player:
        return True
    face_down = changed.special_gone and look.state.special == MYSTERY_SLICE
    return face_down and changed.special_downs[player] > len(changed.turned[player])


def _decisions(
    look: _Look, player: int, prefix: Moves, eaten: frozenset[str], strange: tuple[str, ...], mystery: bool
) -> list[_Draft]:
    """The ways to end a taking: what is eaten, the Mystery slice, what the Supreme slice is laid next to."""
    state = look.state
    unseen = mystery and not strange
    chance: Moves = ()
    if mystery and state.phase is not Phase.DECIDE:
        chance = (rules.Mystery(strange[0] if strange else None),)
    words = f"Player {player} takes a portion"
    if any(isinstance(m, rules.Sneak) for m in prefix):
        words = f"Player {player} sneaks a slice and takes a portion"
    if eaten:
        words += f", eats {faults.names(state, sorted(eaten))}"
    if unseen:
        words += ", eats the Mystery slice"
    return [
        _Draft(
            (*prefix, *chance, rules.Decide(player, eaten, attach, unseen)),
            share,
            words + _attach_text(attach),
            tuple(eaten),
        )
        for attach, share in _attachments(state, look.seen, player)
    ]


# SUPREME SLICE --------------------------------------------------------------------------------------------------------


def _attachments(state: State, seen: Seen, player: int) -> list[tuple[str | None, float]]:
    """What the Supreme slice in front of a player is laid next to, with probabilities; (None, 1) when there is nothing
    to attach."""
    sightings = seen.scene.sightings
    here = seen.fronts(lie.Where.SEAT, player)
    others = [i for i in here if seen.faces[i] != SUPREME]
    if len(others) == len(here) or not others or state.holdings[player - 1].supreme_as is not None:
        return [(None, 1.0)]
    supreme = lie.centroid(sightings[seen.at[SUPREME]])
    distances = {i: math.dist(lie.centroid(sightings[i]), supreme) for i in others}
    nearest = min(distances.values())
    shares: dict[str, float] = defaultdict(float)
    for i, distance in distances.items():
        types = _types_of(state, seen.name(i))
        for kind in types:
            shares[kind] += math.exp(-(distance - nearest) / ATTACH_SOFTNESS_MM) / len(types)
    total = sum(shares.values())
    ranked = sorted(((share / total, kind) for kind, share in shares.items()), reverse=True)
    return [(kind, share) for share, kind in ranked[:3] if share > 1e-3] or [(None, 1.0)]


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


# SECONDS, and counting what was eaten unseen --------------------------------------------------------------------------


def _read_seconds(look: _Look) -> Reading:
    state, seen, changed = look.state, look.seen, look.changed
    player = rules.turn(state).players[0]
    if fault := faults.at_seats(state, seen, changed, busy=player):
        return _fault(fault)
    eaten = changed.absent[player]
    if changed.new[player]:
        return _fault(faults.out_of_turn(state, player, changed.new[player], seen))
    if changed.downs[player] > len(eaten):
        return _fault(faults.extra_down(player, seen))
    if changed.downs[player] < len(eaten):
        return _fault(_fewer_down(look, player, eaten))
    misused = [s for s in changed.turned[player] if s != SECONDS]
    if misused:
        return _fault(faults.special_misused(state, player, misused))
    if eaten:
        text = f"Player {player} eats {faults.names(state, eaten)}"
        draft = _Draft((rules.EatSeconds(player, frozenset(eaten)),), 1.0, text, eaten)
        return _choose(look, [draft], player, player)
    if changed.turned[player] and player not in look.pressed:
        return _unfinished(f"Player {player} plays Seconds: turn face down what is eaten.")
    if fault := faults.difference(state, seen, changed):
        return _fault(fault)
    draft = _Draft((rules.EatSeconds(player, frozenset()),), 1.0, f"Player {player} eats no more", ())
    declining = _choose(look, [draft], player, player)
    return replace(declining, kind=ReadingKind.AS_BEFORE, declares=frozenset({player}), note="")


def _fewer_down(look: _Look, player: int, eaten: Sequence[str]) -> Fault:
    """Fewer slices lie face down than were turned over or had been eaten before."""
    if eaten:
        return faults.gone(look.state, eaten, player)
    return faults.eaten_gone(look.seen, player, -look.changed.downs[player])


def _read_count(look: _Look) -> Reading:
    state, changed = look.state, look.changed
    player = next(p for p, h in enumerate(state.holdings, 1) if h.unseen_eaten)
    if fault := faults.at_seats(state, look.seen, changed, busy=player):
        return _fault(fault)
    faces = changed.new[player]
    if len(faces) != 1 or changed.downs[player] != -1 or changed.absent[player] or changed.turned[player]:
        fault = faults.at_seats(state, look.seen, changed)
        return _fault(fault) if fault is not None else Reading(ReadingKind.AS_BEFORE, ())
    text = f"{faults.name(state, faces[0])} was eaten unseen"
    return _legal(look, [_Draft((rules.RevealEaten(player, faces[0]),), 1.0, text, faces)], None, player)


# Plays, doubts and words ----------------------------------------------------------------------------------------------


def _choose(look: _Look, drafts: Sequence[_Draft], confirm: int | None, player: int) -> Reading:
    """The legal ones of these plays after which everything lies as it must; or why there is none."""
    reading = _legal(look, drafts, confirm, player)
    if reading.kind is not ReadingKind.MOVES:
        return reading
    wrong = {play.moves: _difference_after(look, play.moves) for play in reading.plays}
    fitting = tuple(play for play in reading.plays if wrong[play.moves] is None)
    if fitting:
        share = sum(play.probability for play in reading.plays)
        left = share / sum(play.probability for play in fitting)
        plays = tuple(replace(play, probability=play.probability * left) for play in fitting)
        return replace(reading, plays=plays, note=plays[0].text)
    fault = wrong[reading.plays[0].moves]
    assert fault is not None
    if confirm is None or confirm in look.pressed:
        return _fault(fault)
    return _unfinished(f"{reading.plays[0].text}. {fault.refusal.remedy}", fault)


def _difference_after(look: _Look, moves: Moves) -> Fault | None:
    after = _played(look.state, moves)
    return faults.difference(after, look.seen, changes(after, look.seen))


def _legal(look: _Look, drafts: Sequence[_Draft], confirm: int | None, player: int) -> Reading:
    """The legal ones of these plays, or the rules' refusal of the likeliest."""
    plays = _legal_plays(look.state, drafts)
    if plays:
        return Reading(ReadingKind.MOVES, (), plays=plays, confirm=confirm, note=plays[0].text)
    best = max(drafts, key=lambda draft: draft.weight)
    refusal = rules_refusal(look.state, best.moves)
    if refusal is None:
        raise AssertionError(f"no legal play although {best.moves} is legal")
    return _fault(Fault(refusal, player, look.seen.indices(refusal.pieces)))


def _legal_plays(state: State, drafts: Iterable[_Draft]) -> tuple[Play, ...]:
    """The legal plays with their share of the evidence; illegal ones count too, as rare as broken rules are."""
    judged = [(draft, rules_refusal(state, draft.moves) is None) for draft in drafts]
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


def rules_refusal(state: State, moves: Sequence[rules.Move]) -> Refusal | None:
    """Why these moves in a row are not legal; None when they are."""
    for move in moves:
        refusal = rules.refusal(state, move)
        if refusal is not None:
            return refusal
        state = rules.apply(state, move)
    return None


def _played(state: State, moves: Sequence[rules.Move]) -> State:
    for move in moves:
        state = rules.apply(state, move)
    return state


def _fault(fault: Fault) -> Reading:
    return Reading(ReadingKind.FAULT, (), fault=fault)


def _unfinished(note: str, fault: Fault | None = None) -> Reading:
    """Something was begun; with a fault, it cannot stay so for long."""
    return Reading(ReadingKind.UNFINISHED, (), note=note, fault=fault)


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
