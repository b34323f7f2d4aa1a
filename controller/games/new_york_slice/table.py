"""How New York Slice lies on a table: which move a scene at rest shows.

The pizza lies in the mat's middle, what a player owns in that player's area. Collected slices lie face up there, eaten
ones face down, so that all can be counted; a Special lies face up until it is used and face down afterwards. The text asks
for the first two; the third is taken from Pizzeria, the same family's other game, so that a used Special is seen.
Stacks and the box are out of the camera's sight: stacks look alike, so they are numbered in the order they are served.

Reading goes the way of the design: the state says which faces can be where, each sighting is given the face that explains
it best (`_identify`), what moved is compared with what each legal play would move, and the rules' own refusal explains
what no play explains.
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from controller.game import Json, Refusal
from controller.games.new_york_slice import arrangement as lie
from controller.games.new_york_slice import rules
from controller.games.new_york_slice.describe import describe as describe_scene
from controller.games.new_york_slice.rules import Phase, State
from controller.reading import Fault, Layout, Play, Reading, ReadingKind
from vision.scene import PieceKind, Scene, Sighting

CUT_IN_LINE = "special/cut-in-line"
DIBS = "special/dibs"
MYSTERY_SLICE = "special/mystery-slice"
SECONDS = "special/seconds"
SNEAK_A_SLICE = "special/sneak-a-slice"
SUPREME = "supreme"
ANCHOVY = "anchovy"

ELSEWHERE_PRIOR = 0.02
"""Weight of a face that cannot be on the table by the state, against one that can. Not nought: players break rules."""
ILLEGAL_PRIOR = 0.02
"""How much rarer a broken rule is than a legal move, before looking."""
SURE = 0.9
"""From here on an identity is not doubted any more."""
MOST_DOUBTS = 3
"""How many doubtful facts are varied at most to find other plays."""
NEARER_MM = 1.5
"""A Special that touches several portions lies with the nearest; this is the scale of the doubt between two of them."""
ATTACH_SOFTNESS_MM = 2.5
"""The Supreme slice is attached to the nearest slice; this is the scale of the doubt between two of them."""


@dataclass(frozen=True, slots=True)
class _Table:
    """A scene with a face for each sighting and a place for each."""

    scene: Scene
    layout: Layout
    places: tuple[lie.Place, ...]
    faces: tuple[str | None, ...]
    """What each sighting is, None where nothing explains it."""
    beliefs: tuple[float, ...]
    """How sure the face is, after what the state says about it."""
    rivals: tuple[tuple[tuple[str, float], ...], ...]
    """Other faces that could be meant, with their beliefs."""

    def where(self, face: str) -> lie.Place | None:
        """Where the piece lies face up; None when it is not seen."""
        return self.places[self.faces.index(face)] if face in self.faces else None

    def indices(self, where: lie.Where, player: int = 0) -> list[int]:
        return [i for i, p in enumerate(self.places) if p.where is where and p.player == player]

    def fronts(self, where: lie.Where, player: int = 0, kind: PieceKind = PieceKind.SLICE) -> list[int]:
        sightings = self.scene.sightings
        return [i for i in self.indices(where, player) if sightings[i].kind is kind and sightings[i].face_up]

    def backs(self, where: lie.Where, player: int = 0, kind: PieceKind = PieceKind.SLICE) -> list[int]:
        sightings = self.scene.sightings
        return [i for i in self.indices(where, player) if sightings[i].kind is kind and not sightings[i].face_up]


class NewYorkSliceTable:
    """The `GameTable` of New York Slice."""

    def describe(self, scene: Scene) -> Json:
        """The arrangement without any state; see `describe.describe`."""
        return describe_scene(scene)

    def lamps(self, state: State) -> frozenset[int]:
        """Who is to act, and who may interrupt now."""
        return _who_may(state)

    def read(self, state: State, scene: Scene, layout: Layout, pressed: frozenset[int]) -> Reading:
        """Which play, if any, a scene at rest shows; see `controller.reading`."""
        table = _identify(state, scene, layout)
        reading = _read_phase(state, table, pressed)
        return replace(
            reading,
            places=tuple(_place_name(state, table, i) for i in range(len(scene.sightings))),
            faces=tuple(face or s.face for face, s in zip(table.faces, scene.sightings, strict=True)),
        )


GAME_TABLE = NewYorkSliceTable()


def _read_phase(state: State, table: _Table, pressed: frozenset[int]) -> Reading:
    if fault := _impossible(state, table):
        return _fault(fault)
    match state.phase:
        case Phase.STACK | Phase.REVEAL | Phase.REDRAW:
            return _read_serving(state, table)
        case Phase.DIVIDE:
            return _read_dividing(state, table, pressed)
        case Phase.CHOOSE | Phase.MYSTERY | Phase.DECIDE:
            return _read_choosing(state, table, pressed)
        case Phase.SECONDS:
            return _read_seconds(state, table, pressed)
        case Phase.COUNT:
            return _read_count(state, table)
        case Phase.OVER:
            return Reading(ReadingKind.AS_BEFORE, ())


# Whose face is it ------------------------------------------------------------------------------------------------------


def _identify(state: State, scene: Scene, layout: Layout) -> _Table:
    """Give each front the face that explains it best: every face is on the table once at most, and the state says which
    can be there at all."""
    possible = _faces_up(state) | _faces_to_come(state)
    places = tuple(lie.place(s, layout.areas) for s in scene.sightings)
    weighed: list[list[tuple[float, str]]] = []
    for sighting in scene.sightings:
        rest = max(0.0, 1 - sum(f.probability for f in sighting.faces))
        weights = [(f.probability * (1 if f.face in possible else ELSEWHERE_PRIOR), f.face) for f in sighting.faces]
        total = sum(w for w, _ in weights) + rest * ELSEWHERE_PRIOR
        weighed.append(sorted(((w / total, face) for w, face in weights if total > 0), reverse=True))

    faces: list[str | None] = [None] * len(places)
    beliefs = [0.0] * len(places)
    rivals: list[tuple[tuple[str, float], ...]] = [()] * len(places)
    waiting = {i for i, s in enumerate(scene.sightings) if s.face_up}
    used: set[str] = set()
    while waiting:
        best = max(waiting, key=lambda i: _best_free(weighed[i], used)[0])
        waiting.remove(best)
        belief, face = _best_free(weighed[best], used)
        if belief <= 0:
            continue
        free = [(w, f) for w, f in weighed[best] if f not in used]
        taken = sum(w for w, f in weighed[best] if f in used)
        share = 1 - taken if taken < 1 - 1e-9 else 1.0
        faces[best], beliefs[best] = face, min(1.0, belief / share)
        rivals[best] = tuple((f, w / share) for w, f in free[1:4])
        used.add(face)
    return _Table(scene, layout, places, tuple(faces), tuple(beliefs), tuple(rivals))


def _best_free(weights: Sequence[tuple[float, str]], used: set[str]) -> tuple[float, str]:
    return next(((w, f) for w, f in weights if f not in used), (0.0, ""))


def _faces_up(state: State) -> frozenset[str]:
    """Every face that lies face up by the state."""
    faces = set(_middle_faces(state))
    if state.special is not None and _special_in_middle(state):
        faces.add(state.special)
    for holding in state.holdings:
        faces.update(holding.collected)
        faces.update(s.name for s in holding.specials if not s.used)
    return frozenset(faces)


def _faces_to_come(state: State) -> frozenset[str]:
    """Faces that a chance outcome may turn up next."""
    match state.phase:
        case Phase.STACK | Phase.REVEAL:
            return state.unseen | state.unseen_specials
        case Phase.REDRAW:
            return state.unseen_specials
        case Phase.CHOOSE | Phase.MYSTERY if state.special == MYSTERY_SLICE:
            return state.unseen
        case Phase.COUNT:
            return state.unseen
        case _:
            return frozenset()


def _middle_faces(state: State) -> tuple[str, ...]:
    """The slices that lie in the middle by the state, clockwise."""
    if state.portions:
        return tuple(f for portion in state.portions if portion.taken_by is None for f in portion.slices)
    return state.ring


def _special_in_middle(state: State) -> bool:
    if state.phase in (Phase.STACK, Phase.REVEAL):
        return False
    if state.phase in (Phase.REDRAW, Phase.DIVIDE):
        return True
    return any(p.special and p.taken_by is None for p in state.portions)


# What no move can explain ----------------------------------------------------------------------------------------------


def _impossible(state: State, table: _Table) -> Fault | None:
    """Faults that do not depend on whose turn it is: pieces that are gone, doubled, turned up again or lie nowhere."""
    seated = _Moved.between(state, table)
    for player, faces in seated.foreign.items():
        return Fault(
            Refusal(
                "CHOOSE A PORTION",
                f"{_slices(faces)} of another player lies in player {player}'s area.",
                "Give it back to its owner.",
                tuple(faces),
            ),
            player,
            _sightings(table, faces),
        )
    if seated.again:
        return Fault(
            Refusal(
                "CHOOSE A PORTION",
                f"{_slices(seated.again)} was eaten and lies face up again.",
                "Turn it face down: an eaten slice stays eaten.",
                tuple(seated.again),
            ),
            None,
            _sightings(table, seated.again),
        )
    return None


def _gone(faces: Sequence[str], player: int | None, heading: str = "CHOOSE A PORTION") -> Fault:
    return Fault(
        Refusal(
            heading,
            f"{_slices(faces)} cannot be seen on the table any more.",
            "Lay it back where it was, open to the camera.",
            tuple(faces),
        ),
        player,
        certain=False,
    )


@dataclass(frozen=True, slots=True)
class _Moved:
    """How the pieces in players' areas differ from what the state says."""

    new: dict[int, tuple[str, ...]]
    """Player -> slices of the pizza (or not seen before) that lie face up in the player's area."""
    absent: dict[int, tuple[str, ...]]
    """Player -> collected slices that do not lie face up in the player's area any more."""
    downs: dict[int, int]
    """Player -> how many more slices lie face down than the state says; may be negative."""
    turned: dict[int, tuple[str, ...]]
    """Player -> own unused Specials that no longer lie face up."""
    special_downs: dict[int, int]
    """Player -> how many more Specials lie face down than the state says."""
    special_at: int | None
    """The player in whose area today's Special lies face up."""
    special_gone: bool
    """Whether today's Special is to be in the middle and does not lie face up anywhere."""
    foreign: dict[int, tuple[str, ...]]
    """Player -> pieces of another player in the player's area."""
    again: tuple[str, ...]
    """Faces up that were eaten."""
    middle_gone: tuple[str, ...]
    """Slices of the pizza that are neither in the middle nor face up in anybody's area."""
    strays: tuple[int, ...]

    @classmethod
    def between(cls, state: State, table: _Table) -> "_Moved":
        owner = {face: p for p, h in enumerate(state.holdings, 1) for face in h.collected}
        special_owner = {s.name: p for p, h in enumerate(state.holdings, 1) for s in h.specials}
        eaten = {face for h in state.holdings for face in h.eaten}
        new: dict[int, list[str]] = {}
        foreign: dict[int, list[str]] = {}
        for player in range(1, state.players + 1):
            for i in table.fronts(lie.Where.SEAT, player):
                face = table.faces[i]
                if face is None or face in eaten or owner.get(face) == player:
                    continue
                (foreign if face in owner else new).setdefault(player, []).append(face)
            for i in table.fronts(lie.Where.SEAT, player, PieceKind.SPECIAL):
                face = table.faces[i]
                if face in special_owner and special_owner[face] != player:
                    foreign.setdefault(player, []).append(face)
        seen = set(table.faces)
        special_place = table.where(state.special) if state.special and _special_in_middle(state) else None
        numbered = list(enumerate(state.holdings, 1))
        at_seats = {f for faces in new.values() for f in faces}
        return cls(
            new={p: tuple(f) for p, f in new.items()},
            absent={
                p: absent
                for p, h in numbered
                if (absent := tuple(f for f in h.collected if not _lies_with(table, f, p)))
            },
            downs={p: len(table.backs(lie.Where.SEAT, p)) - len(h.eaten) - h.unseen_eaten for p, h in numbered},
            turned={
                p: turned
                for p, h in numbered
                if (turned := tuple(s.name for s in h.specials if not s.used and not _lies_with(table, s.name, p)))
            },
            special_downs={
                p: len(table.backs(lie.Where.SEAT, p, PieceKind.SPECIAL)) - sum(s.used for s in h.specials)
                for p, h in numbered
            },
            special_at=special_place.player if special_place and special_place.where is lie.Where.SEAT else None,
            special_gone=special_place is None,
            foreign={p: tuple(f) for p, f in foreign.items()},
            again=tuple(f for f in table.faces if f in eaten),
            middle_gone=tuple(f for f in _middle_faces(state) if f not in seen and f not in at_seats),
            strays=tuple(
                i
                for i in range(len(table.places))
                if table.places[i].where is lie.Where.STRAY and table.scene.sightings[i].kind is PieceKind.SLICE
            ),
        )


def _lies_with(table: _Table, face: str, player: int) -> bool:
    place = table.where(face)
    return place is not None and place.where is lie.Where.SEAT and place.player == player


# START EACH ROUND ------------------------------------------------------------------------------------------------------


def _read_serving(state: State, table: _Table) -> Reading:
    """The Special and then eleven slices are turned up in the middle."""
    if untouched := _own_things_fault(state, table, ()):
        return _fault(untouched)
    pizza = table.fronts(lie.Where.MIDDLE)
    cards = table.fronts(lie.Where.MIDDLE, kind=PieceKind.SPECIAL)
    if not pizza and not cards:
        return Reading(ReadingKind.AS_BEFORE, ())
    new_cards = [i for i in cards if table.faces[i] != state.special]
    if state.phase is Phase.REDRAW:
        if not new_cards or len(cards) > 1:
            return _unfinished("This Special cannot be used now: put it away and turn up another one.")
    wrong = [
        i
        for i in pizza
        if table.beliefs[i] >= SURE and table.faces[i] not in state.unseen and state.phase is not Phase.REDRAW
    ]
    if wrong:
        faces = tuple(str(table.faces[i]) for i in wrong)
        return _fault(_wrong_slices(state, faces, tuple(wrong)))
    if len(pizza) < 11:
        return _unfinished(f"{len(pizza)} of 11 slices lie in the circle.")
    if len(pizza) > 11:
        return _fault(
            Fault(
                Refusal(
                    "START EACH ROUND",
                    f"{len(pizza)} slices lie in the middle, and a pizza has 11.",
                    "Take away the slices that do not belong to this stack.",
                    tuple(str(table.faces[i]) for i in pizza),
                ),
                state.slicer,
                tuple(pizza),
            )
        )
    if len(cards) != 1:
        return _unfinished(
            "Turn up the Special of this stack." if not cards else "Only one Special belongs to a pizza."
        )
    order = [pizza[i] for i in lie.clockwise([table.scene.sightings[i] for i in pizza])]
    plays = []
    for faces, share in _variants(table, [*order, cards[0]]):
        moves = _serving_moves(state, faces[-1], faces[:-1])
        plays.append((moves, share, f"{_name(faces[-1])} and 11 slices are served", faces))
    return _choose(state, plays, None, state.slicer)


def _wrong_slices(state: State, faces: Sequence[str], sightings: tuple[int, ...]) -> Fault:
    """A slice that was taken out at set-up, or that has been seen before."""
    components = state.options.components
    removed = [f for f in faces if f in components.removed.get(state.players, ())]
    if removed:
        problem = f"{_slices(removed)} does not belong in a game of {state.players} players."
        return Fault(
            Refusal("SETUP", problem, "Take it out and lay the next slice.", tuple(removed)), state.slicer, sightings
        )
    problem = f"{_slices(faces)} has already been served."
    return Fault(
        Refusal("SETUP", problem, "Take it out; it belongs to a player or to the box.", tuple(faces)),
        state.slicer,
        sightings,
    )


def _serving_moves(state: State, special: str, ring: tuple[str, ...]) -> tuple[rules.Move, ...]:
    match state.phase:
        case Phase.STACK:
            return (rules.ChooseStack(min(state.stacks)), rules.Reveal(special, ring))
        case Phase.REVEAL:
            return (rules.Reveal(special, ring),)
        case _:
            return (rules.Redraw(special),)


# DIVIDE THE PIZZA (AND SPECIAL) INTO PORTIONS --------------------------------------------------------------------------


def _read_dividing(state: State, table: _Table, pressed: frozenset[int]) -> Reading:
    """Dibs may be called; then the circle is pulled apart."""
    moved = _Moved.between(state, table)
    called = [p for p in range(1, state.players + 1) if moved.new.get(p) or moved.turned.get(p) or moved.downs[p] > 0]
    if called or moved.special_at is not None:
        return _read_dibs(state, table, moved, called)
    if fault := _own_things_fault(state, table, ()):
        return _fault(fault)
    if moved.middle_gone:
        return _fault(_gone(moved.middle_gone, state.slicer, "DIVIDE THE PIZZA (AND SPECIAL) INTO PORTIONS"))
    if moved.strays:
        return _unfinished("A slice lies outside the pizza.")
    pizza = table.fronts(lie.Where.MIDDLE)
    extra = [i for i in pizza if table.faces[i] not in state.ring]
    if extra:
        return _fault(_extra_slices(table, extra, state.slicer))
    special = next((i for i, face in enumerate(table.faces) if face == state.special), None)
    if special is None:
        return _fault(_gone((state.special or "",), state.slicer, "DIVIDE THE PIZZA (AND SPECIAL) INTO PORTIONS"))
    return _divisions(state, table, pizza, special, pressed)


def _divisions(state: State, table: _Table, pizza: list[int], special: int, pressed: frozenset[int]) -> Reading:
    sightings = table.scene.sightings
    order = [pizza[i] for i in lie.clockwise([sightings[i] for i in pizza])]
    names = [str(table.faces[i]) for i in order]
    cuts = [
        lie.cut_probability(lie.gap_mm(sightings[order[i]], sightings[order[(i + 1) % len(order)]]))
        for i in range(len(order))
    ]
    same_order = _rotation(names, state.ring)
    if sum(c > 0.5 for c in cuts) < 2 and same_order:
        return Reading(ReadingKind.AS_BEFORE, ())
    plays = []
    for cut, share in _likely_cuts(cuts):
        groups = _grouped(order, cut)
        for special_in, special_share in _special_choices(sightings, groups, special):
            portions = [tuple(str(table.faces[i]) for i in group) for group in groups]
            if special_in == len(portions):
                portions.append(())
            move = rules.Divide(tuple(portions), special_in)
            plays.append(((move,), share * special_share, _divide_text(move), tuple(names)))
    reading = _choose(state, plays, state.slicer, state.slicer)
    if reading.kind is not ReadingKind.FAULT or state.slicer in pressed or not same_order:
        return reading
    return _unfinished(max(plays, key=lambda play: play[1])[2])


def _likely_cuts(cuts: Sequence[float]) -> Iterator[tuple[tuple[bool, ...], float]]:
    """The likely ways to part the circle, with their probabilities: the clear gaps stay, the doubtful ones vary."""
    doubtful = sorted(range(len(cuts)), key=lambda i: abs(cuts[i] - 0.5))[:MOST_DOUBTS]
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


def _special_choices(
    sightings: Sequence[Sighting], groups: Sequence[Sequence[int]], special: int
) -> list[tuple[int, float]]:
    """The portions the Special may belong to, with their probabilities; the number of groups stands for "alone"."""
    distances = [lie.distance_mm(sightings[special], (sightings[i] for i in group)) for group in groups]
    near = [(lie.touch_probability(d), i) for i, d in enumerate(distances)]
    alone = math.prod(1 - p for p, _ in near)
    overlap = [p * math.exp(-d / NEARER_MM) for (p, _), d in zip(near, distances, strict=True)]
    total = sum(overlap) or 1.0
    found = [(i, (1 - alone) * share / total) for i, share in enumerate(overlap)] + [(len(groups), alone)]
    return [(i, p) for i, p in found if p > 1e-4]


def _divide_text(move: rules.Divide) -> str:
    sizes = " + ".join(str(len(p)) if p else "Special" for p in move.portions)
    with_special = (
        "" if not move.portions[move.special_in] else f", Special with {_names(move.portions[move.special_in])}"
    )
    return f"{len(move.portions)} portions: {sizes}{with_special}"


def _read_dibs(state: State, table: _Table, moved: _Moved, called: Sequence[int]) -> Reading:
    """The owner of Dibs! takes one slice before the pizza is divided."""
    if moved.special_at is not None:
        return _fault(_out_of_turn(state, moved.special_at, (state.special or "",), table))
    player = called[0]
    if len(called) > 1:
        player = next((p for p in called if DIBS in moved.turned.get(p, ())), player)
    wrong_turn = [s for s in moved.turned.get(player, ()) if s != DIBS]
    if wrong_turn:
        return _fault(_special_misused(state, player, wrong_turn, moved))
    if moved.absent.get(player):
        return _fault(_own_things_fault(state, table, ()) or _gone(moved.absent[player], player))
    taken = moved.new.get(player, ())
    gone = moved.middle_gone
    if moved.turned.get(player) and not taken and not gone:
        return _unfinished(f"Player {player} calls dibs: take a slice.")
    faces = taken or gone
    if len(faces) != 1 or (taken and gone) or (not taken and moved.downs[player] != 1):
        if len(faces) > 1 or (taken and gone):
            return _fault(_out_of_turn(state, player, faces, table))
        return _fault(_gone(gone, player)) if gone else _fault(_extra_down(player))
    plays = [
        (
            (rules.Dibs(player, faces[0], not taken, attach),),
            share,
            f"Player {player} calls dibs on {_name(faces[0])}",
            faces,
        )
        for attach, share in _attachments(state, table, player, faces if taken else ())
    ]
    if DIBS in _unused(state, player) and DIBS not in moved.turned.get(player, ()):
        return _unfinished(f"Player {player}: turn Dibs! face down to call dibs.")
    return _choose(state, plays, player, player)


# CHOOSE A PORTION ------------------------------------------------------------------------------------------------------


def _read_choosing(state: State, table: _Table, pressed: frozenset[int]) -> Reading:
    moved = _Moved.between(state, table)
    active = _active_players(state, moved)
    if not active:
        return _read_quiet_choosing(state, table, moved, pressed)
    player = _who_took(state, moved, active)
    others = [p for p in active if p != player and (moved.new.get(p) or moved.special_at == p)]
    if others:
        return _fault(_out_of_turn(state, others[0], moved.new.get(others[0], ()), table))
    if fault := _own_things_fault(state, table, (player,)):
        return _fault(fault)
    misused = [s for s in moved.turned.get(player, ()) if s not in (CUT_IN_LINE, SNEAK_A_SLICE)]
    if misused:
        return _fault(_special_misused(state, player, misused, moved))
    if player not in _may_take(state, moved, player):
        return _fault(_out_of_turn(state, player, moved.new.get(player, ()), table))
    return _taking(state, table, moved, player, pressed)


def _read_quiet_choosing(state: State, table: _Table, moved: _Moved, pressed: frozenset[int]) -> Reading:
    """Nobody's area has changed; the middle may have."""
    if moved.middle_gone:
        return _fault(_gone(moved.middle_gone, state.order[0] if state.order else state.taker))
    if moved.strays:
        return _unfinished("A slice lies between the pizza and the players.")
    extra = [i for i in table.fronts(lie.Where.MIDDLE) if table.faces[i] not in _middle_faces(state)]
    if extra:
        return _fault(_extra_slices(table, extra, None))
    if state.special and _special_in_middle(state) and table.where(state.special) is None:
        return _fault(_gone((state.special,), None))
    if state.phase is Phase.DECIDE and state.taker is not None:
        return _taking(state, table, moved, state.taker, pressed)
    return Reading(ReadingKind.AS_BEFORE, ())


def _active_players(state: State, moved: _Moved) -> list[int]:
    return [
        p
        for p in range(1, state.players + 1)
        if moved.new.get(p) or moved.downs[p] > 0 or moved.turned.get(p) or moved.special_at == p or moved.absent.get(p)
    ]


def _who_took(state: State, moved: _Moved, active: Sequence[int]) -> int:
    """Who of those whose areas changed is the one to judge: the taker, one who plays Cut in Line, the next in order."""
    if state.taker is not None:
        return state.taker
    for player in active:
        if CUT_IN_LINE in moved.turned.get(player, ()):
            return player
    following = next((p for p in state.order if p in active), active[0])
    return following


def _may_take(state: State, moved: _Moved, player: int) -> frozenset[int]:
    if state.taker is not None:
        return frozenset({state.taker})
    allowed = {state.order[0]} if state.order else set()
    if CUT_IN_LINE in moved.turned.get(player, ()):
        allowed.add(player)
    return frozenset(allowed)


def _taking(state: State, table: _Table, moved: _Moved, player: int, pressed: frozenset[int]) -> Reading:
    """Compare what a player now has with what each legal play would bring."""
    up = moved.new.get(player, ())
    pizza_up = tuple(f for f in up if f in _middle_faces(state) or f in state.taken)
    strange = tuple(f for f in up if f not in pizza_up)
    turned_down = moved.absent.get(player, ())
    eaten = (*moved.middle_gone, *turned_down)
    extra_downs = moved.downs[player] - len(eaten)
    if extra_downs < 0:
        return _fault(_gone(eaten, player))
    if moved.strays and player not in pressed:
        return _unfinished("A slice lies between the pizza and the players.")
    taken = frozenset(pizza_up) | frozenset(moved.middle_gone)
    plays, partial = [], ()
    for prefix, after, mystery in _prefixes(state, moved, player):
        portion_slices = frozenset(after)
        if taken != portion_slices:
            if taken < portion_slices:
                partial = after
            continue
        plays += _decisions(state, table, player, prefix, frozenset(eaten), strange, extra_downs, mystery)
    if plays:
        unused_turn = [s for s in moved.turned.get(player, ()) if not any(_uses(state, p[0], s) for p in plays)]
        if unused_turn and player in pressed:
            return _fault(_special_misused(state, player, unused_turn, moved))
        if unused_turn:
            return _unfinished(f"Player {player} plays {_names(unused_turn)}.")
        return _choose(state, plays, player, player)
    if player in pressed or (strange and state.special != MYSTERY_SLICE):
        return _fault(_not_a_portion(state, table, player, taken, strange, extra_downs))
    if not taken and not strange and not extra_downs and moved.special_at is None:
        return _unfinished(f"Player {player} plays {_names(moved.turned.get(player, ()))}.")
    missing = tuple(f for f in partial if f not in taken)
    if missing:
        return _unfinished(f"Player {player} still has to take {_slices(missing)}.")
    if _is_part(state, taken):
        return _unfinished(f"Player {player} is taking a portion.")
    return _fault(_not_a_portion(state, table, player, taken, strange, extra_downs))


def _prefixes(
    state: State, moved: _Moved, player: int
) -> Iterator[tuple[tuple[rules.Move, ...], tuple[str, ...], bool]]:
    """Every legal way up to the decision: the moves, the slices they bring, and whether a Mystery slice is among them."""
    if state.phase in (Phase.DECIDE, Phase.MYSTERY):
        yield (), state.taken, state.phase is Phase.MYSTERY
        return
    starts: list[tuple[tuple[rules.Move, ...], State]] = [((), state)]
    if SNEAK_A_SLICE in moved.turned.get(player, ()):
        starts = [
            ((sneak,), rules.apply(state, sneak))
            for sneak in rules.legal(state)
            if isinstance(sneak, rules.Sneak) and sneak.player == player
        ]
    for prefix, at in starts:
        for index, portion in enumerate(at.portions):
            if portion.taken_by is not None:
                continue
            if portion.special != _has_special(state, moved, player):
                continue
            take = rules.Take(player, index)
            if rules.refusal(at, take) is None:
                after = rules.apply(at, take)
                yield (*prefix, take), portion.slices, after.phase is Phase.MYSTERY


def _has_special(state: State, moved: _Moved, player: int) -> bool:
    """Whether today's Special came to this player. Mystery Slice is used at once, so it may lie face down there already."""
    if moved.special_at == player:
        return True
    used_up = state.special == MYSTERY_SLICE and _special_in_middle(state) and moved.special_at is None
    return used_up and moved.special_gone and moved.special_downs[player] > len(moved.turned.get(player, ()))


def _decisions(
    state: State,
    table: _Table,
    player: int,
    prefix: tuple[rules.Move, ...],
    eaten: frozenset[str],
    strange: tuple[str, ...],
    extra_downs: int,
    mystery: bool,
) -> list[tuple[tuple[rules.Move, ...], float, str, tuple[str, ...]]]:
    """The ways to end a taking: what is eaten, the Mystery slice, what the Supreme slice is laid next to."""
    if mystery and len(strange) + extra_downs != 1:
        return []
    if not mystery and (strange or extra_downs):
        return []
    chance: tuple[rules.Move, ...] = (rules.Mystery(strange[0] if strange else None),) if mystery else ()
    found = []
    for attach, share in _attachments(state, table, player, _new_fronts(table, player)):
        decide = rules.Decide(player, eaten, attach, mystery and not strange)
        text = _take_text(player, eaten, prefix, state, mystery and not strange, attach)
        found.append(((*prefix, *chance, decide), share, text, tuple(eaten)))
    return found


def _new_fronts(table: _Table, player: int) -> tuple[str, ...]:
    return tuple(str(table.faces[i]) for i in table.fronts(lie.Where.SEAT, player) if table.faces[i] is not None)


def _take_text(
    player: int,
    eaten: frozenset[str],
    prefix: Sequence[rules.Move],
    state: State,
    mystery_eaten: bool,
    attach: str | None,
) -> str:
    words = [f"Player {player} takes a portion"]
    if any(isinstance(m, rules.Sneak) for m in prefix):
        words[0] = f"Player {player} sneaks a slice and takes a portion"
    if eaten:
        words.append(f"eats {_names(sorted(eaten))}")
    if mystery_eaten:
        words.append("eats the Mystery slice")
    if attach is not None:
        words.append(f"lays the Supreme slice with the {attach}s")
    return ", ".join(words)


def _uses(state: State, moves: Sequence[rules.Move], special: str) -> bool:
    if special == SNEAK_A_SLICE:
        return any(isinstance(m, rules.Sneak) for m in moves)
    if special == CUT_IN_LINE:
        take = next((m for m in moves if isinstance(m, rules.Take)), None)
        return take is not None and bool(state.order) and take.player != state.order[0]
    return False


def _types_of(state: State, face: str) -> tuple[str, ...]:
    """The types a slice can give to the Supreme slice beside it."""
    if face == ANCHOVY:
        return (ANCHOVY,) if state.options.supreme_on_anchovy else ()
    facts = state.options.components.by_face.get(face)
    return tuple(str(value) for value in facts.values) if facts else ()


def _is_part(state: State, taken: frozenset[str]) -> bool:
    return any(p.taken_by is None and taken <= frozenset(p.slices) for p in state.portions)


def _attachments(state: State, table: _Table, player: int, faces: Sequence[str]) -> list[tuple[str | None, float]]:
    """What the Supreme slice is laid next to, with probabilities; (None, 1) when there is nothing to attach."""
    holding = state.holdings[player - 1]
    if SUPREME not in faces or holding.supreme_as is not None:
        return [(None, 1.0)]
    sightings = table.scene.sightings
    supreme = sightings[table.faces.index(SUPREME)]
    others = [i for i in table.fronts(lie.Where.SEAT, player) if table.faces[i] not in (None, SUPREME)]
    if not others:
        return [(None, 1.0)]
    distances = {i: math.dist(lie.centroid(sightings[i]), lie.centroid(supreme)) for i in others}
    nearest = min(distances.values())
    shares: Counter[str] = Counter()
    for i, distance in distances.items():
        weight = math.exp(-(distance - nearest) / ATTACH_SOFTNESS_MM)
        if weight < 1e-3:
            continue
        types = _types_of(state, str(table.faces[i]))
        for kind in types:
            shares[kind] += weight / len(types)
    total = sum(shares.values())
    return [(kind, share / total) for kind, share in shares.most_common(3)] or [(None, 1.0)]


# SECONDS, and counting what was eaten unseen ---------------------------------------------------------------------------


def _read_seconds(state: State, table: _Table, pressed: frozenset[int]) -> Reading:
    player = next(iter(_who_may(state)))
    if fault := _own_things_fault(state, table, (player,)):
        return _fault(fault)
    moved = _Moved.between(state, table)
    turned_down = moved.absent.get(player, ())
    if moved.downs[player] != len(turned_down):
        return _fault(_gone(turned_down, player) if turned_down else _extra_down(player))
    misused = [s for s in moved.turned.get(player, ()) if s != SECONDS]
    if misused:
        return _fault(_special_misused(state, player, misused, moved))
    text = f"Player {player} eats {_names(turned_down)}" if turned_down else f"Player {player} eats no more"
    play = ((rules.EatSeconds(player, frozenset(turned_down)),), 1.0, text, turned_down)
    if not turned_down:
        return replace(_choose(state, [play], player, player), kind=ReadingKind.AS_BEFORE, declares=frozenset({player}))
    return _choose(state, [play], player, player)


def _read_count(state: State, table: _Table) -> Reading:
    moved = _Moved.between(state, table)
    for player, faces in moved.new.items():
        plays = [
            ((rules.RevealEaten(player, face),), 1.0, f"{_name(face)} was eaten unseen", (face,)) for face in faces
        ]
        return _choose(state, plays[:1], None, player)
    return Reading(ReadingKind.AS_BEFORE, ())


# What everybody's own things must look like ----------------------------------------------------------------------------


def _own_things_fault(state: State, table: _Table, busy: Sequence[int]) -> Fault | None:
    """The first thing wrong in the area of a player who has nothing to do there now."""
    moved = _Moved.between(state, table)
    for player in range(1, state.players + 1):
        if player in busy:
            continue
        absent, downs = moved.absent.get(player, ()), moved.downs[player]
        if moved.new.get(player):
            return _out_of_turn(state, player, moved.new[player], table)
        if absent and downs >= len(absent):
            return Fault(
                Refusal(
                    "CHOOSE A PORTION",
                    f"Player {player} turned {_slices(absent)} face down, but may not eat it now.",
                    "Turn it face up again: only slices of the portion just taken may be eaten.",
                    absent,
                ),
                player,
                tuple(table.backs(lie.Where.SEAT, player)),
            )
        if absent:
            return _gone(absent, player)
        if downs > 0:
            return _extra_down(player)
        if downs < 0:
            return Fault(
                Refusal(
                    "CHOOSE A PORTION",
                    f"{-downs} of player {player}'s eaten slices cannot be seen.",
                    "Lay the eaten slices face down so that each can be seen.",
                ),
                player,
                tuple(table.backs(lie.Where.SEAT, player)),
                certain=False,
            )
        turned = moved.turned.get(player, ())
        if turned and moved.special_downs[player] >= len(turned):
            if not set(turned) <= {CUT_IN_LINE, SNEAK_A_SLICE} or state.phase is not Phase.CHOOSE:
                return _special_misused(state, player, turned, moved)
        elif turned:
            return _gone(turned, player, "TODAY'S SPECIALS")
    return None


def _special_misused(state: State, player: int, specials: Sequence[str], moved: _Moved) -> Fault:
    if moved.special_downs[player] < len(moved.turned.get(player, ())):
        return _gone(tuple(specials), player, "TODAY'S SPECIALS")
    return Fault(
        Refusal(
            _name(specials[0]).upper(),
            f"Player {player} turned {_names(specials)} face down, but it cannot be used now.",
            "Turn it face up again.",
            tuple(specials),
        ),
        player,
    )


def _out_of_turn(state: State, player: int, faces: Sequence[str], table: _Table) -> Fault:
    move = rules.Take(player, next((i for i, p in enumerate(state.portions) if set(faces) & set(p.slices)), 0))
    refusal = rules.refusal(state, move)
    if refusal is None:
        refusal = Refusal(
            "NEXT PLAYER CHOOSES",
            f"Player {player} has taken {_slices(faces)} before the player in front has finished.",
            "Lay it back until the player before has decided what to eat and pressed the button.",
            tuple(faces),
        )
    return Fault(replace(refusal, pieces=tuple(faces)), player, _sightings(table, faces))


def _extra_down(player: int) -> Fault:
    return Fault(
        Refusal(
            "CHOOSE A PORTION",
            f"A slice lies face down in player {player}'s area that nobody has eaten.",
            "Turn it face up or lay it back where it came from.",
        ),
        player,
    )


def _extra_slices(table: _Table, extra: Sequence[int], player: int | None) -> Fault:
    faces = tuple(str(table.faces[i]) for i in extra)
    return Fault(
        Refusal(
            "START EACH ROUND",
            f"{_slices(faces)} does not belong to this pizza.",
            "Lay it back where it came from.",
            faces,
        ),
        player,
        tuple(extra),
    )


def _not_a_portion(
    state: State, table: _Table, player: int, taken: frozenset[str], strange: Sequence[str], extra_downs: int
) -> Fault:
    pieces = tuple(sorted(taken | set(strange)))
    if extra_downs > 0:
        return _extra_down(player)
    if strange:
        problem = f"{_slices(strange)} is not part of this pizza."
    else:
        problem = f"What player {player} took is not one portion: {_names(sorted(taken)) or 'nothing'}."
    return Fault(
        Refusal(
            "CHOOSE A PORTION",
            problem,
            "Take all slices of one portion, and its Special if it has one, and nothing else.",
            pieces,
        ),
        player,
        _sightings(table, pieces),
    )


# Plays, doubts and words -----------------------------------------------------------------------------------------------


_Draft = tuple[tuple[rules.Move, ...], float, str, tuple[str, ...]]
"""A play not yet judged: moves, weight, text, the faces it depends on."""


def _variants(table: _Table, indices: Sequence[int]) -> Iterator[tuple[tuple[str, ...], float]]:
    """The ways to read these sightings: their best faces, and others where they are in doubt."""
    best = [str(table.faces[i]) for i in indices]
    doubtful = sorted(
        (k for k, i in enumerate(indices) if table.beliefs[i] < SURE and table.rivals[i]),
        key=lambda k: table.beliefs[indices[k]],
    )[:MOST_DOUBTS]
    choices = [[(best[k], table.beliefs[indices[k]]), *table.rivals[indices[k]]] for k in doubtful]
    for choice in itertools.product(*choices):
        faces = list(best)
        for k, (face, _) in zip(doubtful, choice, strict=True):
            faces[k] = face
        if len(set(faces)) == len(faces):
            yield tuple(faces), math.prod(p for _, p in choice)


def _choose(state: State, drafts: Sequence[_Draft], confirm: int | None, player: int | None) -> Reading:
    """The legal ones of these plays, or the rules' refusal of the likeliest."""
    legal = _legal_plays(state, drafts)
    if legal:
        return Reading(ReadingKind.MOVES, (), plays=legal, confirm=confirm, note=legal[0].text)
    best = max(drafts, key=lambda draft: draft[1])
    refusal = rules_refusal(state, best[0])
    if refusal is None:
        raise AssertionError(f"no legal play although {best[0]} is legal")
    return _fault(Fault(refusal, player))


def _legal_plays(state: State, drafts: Iterable[_Draft]) -> tuple[Play, ...]:
    """The legal plays with their share of the evidence; illegal ones count too, as rare as broken rules are."""
    judged = [(draft, rules_refusal(state, draft[0]) is None) for draft in drafts]
    total = sum(draft[1] * (1 if legal else ILLEGAL_PRIOR) for draft, legal in judged)
    legal = sorted((draft for draft, fits in judged if fits), key=lambda draft: -draft[1])
    first = frozenset(legal[0][3]) if legal else frozenset()
    if sum(draft[1] for draft in legal) < 0.5 * total:
        return ()
    return tuple(
        Play(moves, weight / total, text, tuple(sorted(frozenset(faces) ^ first)))
        for moves, weight, text, faces in legal
        if weight > 1e-6 * total
    )


def rules_refusal(state: State, moves: Sequence[rules.Move]) -> Refusal | None:
    """Why these moves in a row are not legal; None when they are."""
    for move in moves:
        refusal = rules.refusal(state, move)
        if refusal is not None:
            return refusal
        state = rules.apply(state, move)
    return None


def _fault(fault: Fault) -> Reading:
    return Reading(ReadingKind.FAULT, (), fault=fault)


def _unfinished(note: str) -> Reading:
    return Reading(ReadingKind.UNFINISHED, (), note=note)


def _unused(state: State, player: int) -> frozenset[str]:
    return frozenset(s.name for s in state.holdings[player - 1].specials if not s.used)


def _who_may(state: State) -> frozenset[int]:
    return frozenset(rules.turn(state).players)


def _rotation(names: Sequence[str], ring: Sequence[str]) -> bool:
    """Whether both are the same circle, wherever they begin."""
    if sorted(names) != sorted(ring):
        return False
    start = list(ring).index(names[0])
    return list(ring[start:]) + list(ring[:start]) == list(names)


def _sightings(table: _Table, faces: Iterable[str]) -> tuple[int, ...]:
    wanted = set(faces)
    return tuple(i for i, face in enumerate(table.faces) if face in wanted)


def _place_name(state: State, table: _Table, index: int) -> str:
    place, sighting = table.places[index], table.scene.sightings[index]
    if place.where is lie.Where.STRAY:
        return "stray"
    if place.where is lie.Where.SEAT:
        if sighting.kind is PieceKind.SPECIAL:
            return f"seat/{place.player}/special"
        return f"seat/{place.player}/{'collected' if sighting.face_up else 'eaten'}"
    for index_of_portion, portion in enumerate(state.portions):
        face = table.faces[index]
        if face in portion.slices or (portion.special and face == state.special):
            return f"portion/{index_of_portion}"
    return "ring"


def _name(face: str) -> str:
    """A face in a player's words: "7" for 7/3, "Supreme" for supreme, "Cut in Line" for the Special."""
    if face.startswith("special/"):
        return face.removeprefix("special/").replace("-", " ").title()
    if face.startswith("combo-"):
        return face.removeprefix("combo-").replace("-", "/") + " combo"
    return face.partition("/")[0] if "/" in face else face.title()


def _names(faces: Iterable[str]) -> str:
    return ", ".join(_name(face) for face in faces)


def _slices(faces: Sequence[str]) -> str:
    noun = "Slice" if not faces[0].startswith("special/") else "Special"
    return f"{noun}{'s' if len(faces) > 1 else ''} {_names(faces)}"
