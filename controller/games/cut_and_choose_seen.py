"""What a scene says once the state of the game has had its word: which piece each sighting is, and what has changed.

Every piece exists once, and the state says which faces can show at all; most doubts end there. What stays in doubt is
kept as several whole readings of the scene, each with its probability, so that a play is judged in each of them.
"""

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from controller.games import cut_and_choose_laid as lie
from controller.games.cut_and_choose_rules import RoundState, State
from controller.reading import Layout
from vision.scene import PieceKind, Scene, Sighting

BACKS = frozenset({"back", "special/back"})
ELSEWHERE_PRIOR = 0.02
"""Weight of a face that cannot show by the state, against one that can. Not nought: players break rules."""
SURE = 0.97
"""From here on a face is not doubted any more."""
CLAIMED = 0.9
"""From here on vision claims a piece rather than guessing at one."""
LEAST = 1e-4
"""Weight of "none of the pieces of this game that are still free"."""
MOST_READINGS = 8
"""How many readings of one scene are kept, the likeliest first."""
NEGLIGIBLE = 0.002
"""A reading with a smaller share than this of the likeliest one's is not worth judging."""


@dataclass(frozen=True, slots=True)
class Ahead(Generic[State]):
    """What a game's state says of pieces that are not on the table yet."""

    to_come: Callable[[State], frozenset[str]]
    """Faces that a chance outcome may turn up next."""
    comes_down: Callable[[State], bool]
    """Whether a slice may come face down that has not lain open."""
    eaten: Callable[[Any], int]
    """How many slices lie face down in front of the owner of this holding."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A scene with a place and a face for each sighting."""

    scene: Scene
    places: tuple[lie.Place, ...]
    faces: tuple[str | None, ...]
    """What each sighting shows, backs included; None where no piece of the game that is free explains it."""
    at: Mapping[str, int]
    """Where each front is seen: face to index of the sighting."""
    lying: Mapping[tuple[lie.Where, int, PieceKind, bool], list[int]]
    """The sightings by place, player, kind, and whether they lie face up."""
    breaks_rules: bool
    """Whether a face shows that cannot show by the state; that has been weighed already."""

    def where(self, face: str) -> lie.Place | None:
        """Where a piece lies face up; None when it is not seen."""
        index = self.at.get(face)
        return None if index is None else self.places[index]

    def lies_with(self, face: str, player: int) -> bool:
        """Whether a piece lies face up in this player's area."""
        place = self.where(face)
        return place is not None and place.where is lie.Where.SEAT and place.player == player

    def fronts(self, where: lie.Where, player: int = 0, kind: PieceKind = PieceKind.SLICE) -> list[int]:
        """The sightings that lie face up in a place."""
        return self.lying.get((where, player, kind, True), [])

    def backs(self, where: lie.Where, player: int = 0, kind: PieceKind = PieceKind.SLICE) -> list[int]:
        """The sightings that lie face down in a place."""
        return self.lying.get((where, player, kind, False), [])

    def name(self, index: int) -> str:
        """What a sighting is called, also one that cannot be explained."""
        return self.faces[index] or self.scene.sightings[index].face

    def indices(self, faces: Iterable[str]) -> tuple[int, ...]:
        """The sightings that show these faces."""
        wanted = set(faces)
        return tuple(i for i in range(len(self.faces)) if self.name(i) in wanted)


# Whose face is it -----------------------------------------------------------------------------------------------------


def identify(state: State, scene: Scene, layout: Layout, ahead: Ahead[State]) -> list[tuple[float, Seen]]:
    """The likeliest readings of a scene with their probabilities, best first; what they leave to 1 was not followed."""
    places = tuple(lie.place(s, layout.areas) for s in scene.sightings)
    to_come = ahead.to_come(state)
    possible = faces_up(state) | to_come | BACKS
    owner = _owners(state)
    weighed = [
        _weigh(s, possible, 1.0 if to_come and not _is_at_home(s, place, owner) else ELSEWHERE_PRIOR)
        for s, place in zip(scene.sightings, places, strict=True)
    ]
    faces: list[str | None] = [None] * len(places)
    doubtful = []
    used: set[str] = set()
    for i in sorted(range(len(places)), key=lambda i: -weighed[i][0][0]):
        weight, face = weighed[i][0]
        if weight >= SURE and face is not None and face not in used:
            faces[i] = face
            used |= {face} - BACKS
        else:
            doubtful.append(i)
    return [
        (share, _seen(state, scene, places, _filled(faces, doubtful, chosen), possible, ahead))
        for share, chosen in _readings([weighed[i] for i in doubtful], used)
    ]


def _owners(state: RoundState) -> dict[str, int]:
    """In front of whom each piece lies face up by the state."""
    numbered = enumerate(state.holdings, 1)
    return {face: p for p, h in numbered for face in (*h.collected, *(s.name for s in h.specials if not s.used))}


def _is_at_home(sighting: Sighting, place: lie.Place, owner: Mapping[str, int]) -> bool:
    """Whether what a sighting looks like most lies in front of whom it belongs to. No stranger is looked for there:
    the piece would have had to go as another like it came. Nor is one behind a back: faces that come look otherwise."""
    return place.where is lie.Where.SEAT and (sighting.face in BACKS or owner.get(sighting.face) == place.player)


def _weigh(sighting: Sighting, possible: frozenset[str], other: float) -> list[tuple[float, str | None]]:
    """The faces a sighting may show, by weight; None stands for one that vision did not name, worth `other` as much."""
    weights: list[tuple[float, str | None]] = [
        (f.probability * (1 if f.face in possible else ELSEWHERE_PRIOR), f.face) for f in sighting.faces
    ]
    rest = max(0.0, 1 - sum(f.probability for f in sighting.faces))
    weights.append((max(rest * other, LEAST * ELSEWHERE_PRIOR), None))
    total = sum(weight for weight, _ in weights)
    return sorted(((w / total, face) for w, face in weights), key=lambda option: -option[0])


def _readings(
    doubtful: Sequence[Sequence[tuple[float, str | None]]], used: set[str]
) -> list[tuple[float, tuple[str | None, ...]]]:
    """The likeliest ways to give each doubtful sighting a face, no front twice, with their probabilities."""
    beam: list[tuple[float, tuple[str | None, ...]]] = [(1.0, ())]
    dropped = 0.0
    for options in doubtful:
        grown = [
            (share * weight, (*chosen, face))
            for share, chosen in beam
            for weight, face in options
            if face is None or face in BACKS or (face not in used and face not in chosen)
        ]
        beam = heapq.nlargest(MOST_READINGS, grown, key=lambda reading: reading[0])
        total = dropped + sum(share for share, _ in grown)
        dropped = (total - sum(share for share, _ in beam)) / total
        beam = [(share / total, chosen) for share, chosen in beam]
    return [reading for reading in beam if reading[0] > NEGLIGIBLE * beam[0][0]]


def _filled(
    faces: Sequence[str | None], doubtful: Sequence[int], chosen: Sequence[str | None]
) -> tuple[str | None, ...]:
    named = list(faces)
    for i, face in zip(doubtful, chosen, strict=True):
        named[i] = face
    return tuple(named)


def _seen(
    state: State,
    scene: Scene,
    places: tuple[lie.Place, ...],
    faces: tuple[str | None, ...],
    possible: frozenset[str],
    ahead: Ahead[State],
) -> Seen:
    to_come = ahead.to_come(state)
    faint = {i for i, face in enumerate(faces) if _faint(scene.sightings[i], places[i], face, possible, to_come)}
    faint |= _specials_on_another(scene, places)
    at = {face: i for i, face in enumerate(faces) if face is not None and face not in BACKS and i not in faint}
    faint |= {i for i, face in enumerate(faces) if face is None and _looks_like_another(scene, i, at)}
    faint |= _one_too_many(state, scene, places, faces, at, ahead)
    lying: dict[tuple[lie.Where, int, PieceKind, bool], list[int]] = {}
    for i, (sighting, place, face) in enumerate(zip(scene.sightings, places, faces, strict=True)):
        if i not in faint:
            lying.setdefault((place.where, place.player, sighting.kind, face not in BACKS), []).append(i)
    return Seen(scene, places, faces, at, lying, not at.keys() <= possible)


def _faint(
    sighting: Sighting, place: lie.Place, face: str | None, possible: frozenset[str], to_come: frozenset[str]
) -> bool:
    """Whether vision only guesses at something where nothing of the kind can be: print on the mat, a sleeve. A Special
    that is still to come comes in the middle."""
    if sighting.probability >= CLAIMED:
        return False
    at_seat = place.where is lie.Where.SEAT
    if sighting.kind is PieceKind.SPECIAL and at_seat and face in to_come:
        return True
    return face not in possible or (face in BACKS and not at_seat)


def _specials_on_another(scene: Scene, places: Sequence[lie.Place]) -> set[int]:
    """Specials in the middle that vision only guesses at, where it is sure of another: one alone lies there."""
    middle = [
        i
        for i, (sighting, place) in enumerate(zip(scene.sightings, places, strict=True))
        if sighting.kind is PieceKind.SPECIAL and place.where is lie.Where.MIDDLE
    ]
    sure = [i for i in middle if scene.sightings[i].probability >= SURE]
    return {
        i
        for i in middle
        if scene.sightings[i].probability < CLAIMED
        and lie.distance_mm(scene.sightings[i], (scene.sightings[j] for j in sure)) == 0
    }


def _looks_like_another(scene: Scene, index: int, at: Mapping[str, int]) -> bool:
    """Whether vision is not sure of a piece that looks like one that it sees elsewhere, where it is sure: each front
    exists once. A piece that was taken for it is missed as itself."""
    sighting = scene.sightings[index]
    other = at.get(sighting.face)
    return other is not None and sighting.probability < SURE <= scene.sightings[other].probability


def _one_too_many(
    state: State,
    scene: Scene,
    places: tuple[lie.Place, ...],
    faces: tuple[str | None, ...],
    at: Mapping[str, int],
    ahead: Ahead[State],
) -> set[int]:
    """Slices' backs that vision only guesses at, where every slice on the table is seen without them."""
    if ahead.comes_down(state):
        return set()
    backs = [
        i
        for i, (sighting, place, face) in enumerate(zip(scene.sightings, places, faces, strict=True))
        if sighting.kind is PieceKind.SLICE and place.where is lie.Where.SEAT and face in BACKS
    ]
    eaten = sum(ahead.eaten(holding) for holding in state.holdings)
    unseen = sum(face in state.options.components.by_face and face not in at for face in faces_up(state))
    guesses = sorted((scene.sightings[i].probability, i) for i in backs if scene.sightings[i].probability < CLAIMED)
    return {i for _, i in guesses[: max(len(backs) - eaten - unseen, 0)]}


# What the state says about where pieces lie ---------------------------------------------------------------------------


def faces_up(state: RoundState) -> frozenset[str]:
    """Every face that shows by the state."""
    faces = {*middle_faces(state), *state.taken}
    if state.special is not None and special_in_middle(state):
        faces.add(state.special)
    for holding in state.holdings:
        faces.update(holding.collected)
        faces.update(s.name for s in holding.specials if not s.used)
    return frozenset(faces)


def middle_faces(state: RoundState) -> tuple[str, ...]:
    """The slices that lie in the middle by the state, clockwise."""
    if state.portions:
        return tuple(f for portion in state.portions if portion.taken_by is None for f in portion.slices)
    return state.ring


def special_in_middle(state: RoundState) -> bool:
    """Whether the round's Special lies in the middle by the state."""
    if not state.portions:
        return bool(state.ring) and state.special is not None
    return any(p.special and p.taken_by is None for p in state.portions)


# What has changed -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Changes:
    """How what is seen differs from what the state says."""

    new: Mapping[int, tuple[str, ...]]
    """Player -> slices that lie face up in the player's area and in nobody's by the state."""
    absent: Mapping[int, tuple[str, ...]]
    """Player -> collected slices that are not seen face up anywhere."""
    downs: Mapping[int, int]
    """Player -> how many more slices lie face down in the player's area than by the state; may be negative."""
    turned: Mapping[int, tuple[str, ...]]
    """Player -> own unused Specials that are not seen face up anywhere."""
    special_downs: Mapping[int, int]
    """Player -> how many more Specials lie face down in the player's area than by the state; may be negative."""
    strange_specials: Mapping[int, tuple[str, ...]]
    """Player -> Specials that lie face up in the player's area, neither anybody's nor the round's."""
    special_at: int | None
    """The player in whose area the round's Special lies face up although it belongs to the middle."""
    special_gone: bool
    """Whether the round's Special belongs to the middle and is not seen face up anywhere."""
    middle_gone: tuple[str, ...]
    """Slices of the pizza, or just taken from it, that are not seen face up anywhere."""
    elsewhere: tuple[tuple[str, int], ...]
    """What belongs into a player's area, with that player, and lies face up somewhere else."""
    again: tuple[str, ...]
    """Eaten slices and used Specials that lie face up."""

    def active(self, player: int) -> bool:
        """Whether anything in front of this player has changed."""
        return bool(
            self.new[player]
            or self.absent[player]
            or self.turned[player]
            or self.downs[player] > 0
            or self.special_at == player
        )


def changes(state: State, seen: Seen, ahead: Ahead[State]) -> Changes:
    """Compare a scene with the state."""
    numbered = list(enumerate(state.holdings, 1))
    owner = _owners(state)
    done = {face for h in state.holdings for face in (*h.eaten, *(s.name for s in h.specials if s.used))}
    in_middle = special_in_middle(state) and state.special is not None
    special_place = seen.where(str(state.special)) if in_middle else None
    at_seat = special_place is not None and special_place.where is lie.Where.SEAT
    pizza = (*middle_faces(state), *state.taken)
    return Changes(
        new={
            p: tuple(
                name for i in seen.fronts(lie.Where.SEAT, p) if (name := seen.name(i)) not in owner and name not in done
            )
            for p, _ in numbered
        },
        absent={p: tuple(f for f in h.collected if f not in seen.at) for p, h in numbered},
        downs={p: len(seen.backs(lie.Where.SEAT, p)) - ahead.eaten(h) for p, h in numbered},
        turned={p: tuple(s.name for s in h.specials if not s.used and s.name not in seen.at) for p, h in numbered},
        special_downs={
            p: len(seen.backs(lie.Where.SEAT, p, PieceKind.SPECIAL)) - sum(s.used for s in h.specials)
            for p, h in numbered
        },
        strange_specials={
            p: tuple(
                name
                for i in seen.fronts(lie.Where.SEAT, p, PieceKind.SPECIAL)
                if (name := seen.name(i)) not in owner
                and name not in done
                and not (in_middle and name == state.special)
            )
            for p, _ in numbered
        },
        special_at=special_place.player if special_place is not None and at_seat else None,
        special_gone=in_middle and special_place is None,
        middle_gone=tuple(f for f in pizza if f not in seen.at),
        elsewhere=tuple((f, p) for f, p in owner.items() if f in seen.at and not seen.lies_with(f, p)),
        again=tuple(f for f in seen.at if f in done),
    )
