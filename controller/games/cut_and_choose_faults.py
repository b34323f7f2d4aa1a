"""What is wrong on a table of New York Slice or Pizzeria, in a player's words: which rule, which pieces, how to put it
right."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Generic

from controller.game import Refusal
from controller.games import cut_and_choose_laid as lie
from controller.games.cut_and_choose import SLICES_IN_A_PIZZA, Portion
from controller.games.cut_and_choose_rules import RoundState, State, Take
from controller.games.cut_and_choose_seen import Ahead, Changes, Seen, middle_faces, special_in_middle
from controller.reading import Fault, Play
from vision.scene import PieceKind

SURELY = 0.95
"""A Special that touches another portion, and not its own, this likely was shoved there."""


@dataclass(frozen=True, slots=True)
class Words:
    """What a game calls things at the table, and its headings for what is wrong there."""

    slicer: str
    """Who slices, in a sentence, such as "the Slicer"."""
    stack: str
    """Such as "pile"."""
    special: str
    """Such as "special offer"."""
    special_nouns: tuple[str, str]
    """What stands before the names of one and of several Specials."""
    halves: str
    """What follows the values of a slice of two halves, such as "combo"."""
    setup: str
    serving: str
    dividing: str
    taking: str
    """Heading of what is done with the slices of a portion."""
    turns: str
    """Heading of who chooses when."""
    specials: str
    of_special: Mapping[str, str]
    """Headings of single Specials, by face."""
    call: str
    """The face of the Special that lets its owner take a slice before the pizza is divided."""
    early: str
    """The face of the Special that lets its owner choose before others."""
    shift: str
    """That of the one that shifts a slice from one portion to another."""
    uses: Mapping[str, str] = field(default_factory=dict)
    """By face, when and how a Special is used: said to who turned it face down otherwise."""


@dataclass(frozen=True, slots=True)
class Faults(Generic[State]):
    """What can be wrong on the table of one game."""

    words: Words
    ahead: Ahead[State]
    refusal: Callable[[State, Any], Refusal | None]
    """The rules' own."""
    dividing: Enum
    """The phase in which the pizza is divided."""

    def name(self, state: RoundState, face: str) -> str:
        """A face in a player's words, shortly: "7" for 7/3, "Supreme" for supreme, "Cut in Line" for the Special."""
        pieces = state.options.components
        if face in pieces.specials_by_face:
            return _short(self.words, pieces.specials_by_face[face].title)
        facts = pieces.by_face.get(face)
        if facts is not None and len(facts.values) == 2:
            return f"{'/'.join(map(str, facts.values))} {self.words.halves}"
        return face.partition("/")[0] if "/" in face else face.title()

    def names(self, state: RoundState, faces: Iterable[str]) -> str:
        """Several faces in a player's words."""
        return ", ".join(self.name(state, face) for face in faces)

    def pieces(self, state: RoundState, faces: Sequence[str]) -> str:
        """Several faces with the noun: "Slices 7, 9"."""
        kinds = {_is_special(state, face) for face in faces}
        nouns = (
            ("Piece", "Pieces")
            if len(kinds) > 1
            else self.words.special_nouns
            if True in kinds
            else ("Slice", "Slices")
        )
        return f"{nouns[len(faces) > 1]} {self.names(state, faces)}"

    def told_apart(self, state: RoundState, plays: Sequence[Play]) -> tuple[Play, ...]:
        """The same plays; where several have one text, as of two slices of a kind, each with what is printed on its
        own."""
        texts = Counter(play.text for play in plays)

        def printed(face: str) -> str:
            facts = state.options.components.by_face.get(face)
            marks = ", ".join(f"{count} {mark}" for mark, count in facts.marks().items()) if facts else ""
            return f"{face}: {marks}" if marks else face

        return tuple(
            replace(play, text=f"{play.text} ({'; '.join(map(printed, play.differs))})")
            if texts[play.text] > 1 and play.differs
            else play
            for play in plays
        )

    # The whole table --------------------------------------------------------------------------------------------------

    def difference(self, state: State, seen: Seen, changed: Changes) -> Fault | None:
        """The first thing on the table that does not lie as the state says; None when everything does."""
        return (
            self.misplaced(state, seen, changed)
            or self.at_seats(state, seen, changed)
            or self.in_middle(state, seen, changed)
        )

    def misplaced(self, state: State, seen: Seen, changed: Changes) -> Fault | None:
        """What is wrong at any time: pieces that lie with somebody else, or are turned up again."""
        if changed.elsewhere:
            return self._elsewhere(state, seen, changed)
        if not changed.again:
            return None
        faces = changed.again
        if _is_special(state, faces[0]):
            lies = _verb(faces, "has been used and lies", "have been used and lie")
            problem = f"{self.pieces(state, faces)} {lies} face up."
            refusal = Refusal(self.words.specials, problem, f"Turn {_it(faces)} face down: each works once.", faces)
        else:
            problem = (
                f"{self.pieces(state, faces)} {_verb(faces, 'was eaten and lies', 'were eaten and lie')} face up again."
            )
            remedy = f"Turn {_it(faces)} face down: an eaten slice stays eaten."
            refusal = Refusal(self.words.taking, problem, remedy, faces)
        return Fault(refusal, self._place_owner(seen, faces[0]), seen.indices(faces))

    def _elsewhere(self, state: State, seen: Seen, changed: Changes) -> Fault:
        owner = changed.elsewhere[0][1]
        faces = tuple(face for face, player in changed.elsewhere if player == owner)
        holder = self._place_owner(seen, faces[0])
        where = f"in player {holder}'s area" if holder is not None else "elsewhere"
        refusal = Refusal(
            self.words.specials if _is_special(state, faces[0]) else self.words.taking,
            f"{self.pieces(state, faces)} of player {owner} {_verb(faces, 'lies', 'lie')} {where}.",
            f"Lay {_it(faces)} back in front of player {owner}.",
            faces,
        )
        return Fault(refusal, holder or owner, seen.indices(faces))

    def _place_owner(self, seen: Seen, face: str) -> int | None:
        place = seen.where(face)
        return place.player if place is not None and place.where is lie.Where.SEAT else None

    # In front of the players ------------------------------------------------------------------------------------------

    def at_seats(self, state: State, seen: Seen, changed: Changes, busy: int | None = None) -> Fault | None:
        """The first thing wrong in front of a player, the one who is busy left out.

        Where all that is wrong is that pieces are not seen, they are named together, those of the pizza too.
        """
        players = [player for player in range(1, state.players + 1) if player != busy]
        found = [fault for p in players if (fault := self._in_front_of(state, seen, changed, p)) is not None]
        unseen = [fault for fault in found if not fault.certain]
        if len(unseen) < len(found):
            return next(fault for fault in found if fault.certain)
        if unseen and busy is None and (lost := self.pizza_gone(state, changed)) is not None:
            unseen.append(lost)
        return self._all_unseen(state, unseen)

    def _all_unseen(self, state: State, unseen: Sequence[Fault]) -> Fault | None:
        faces = tuple(face for fault in unseen for face in fault.refusal.pieces)
        if len(unseen) < 2 or not faces:
            return unseen[0] if unseen else None
        players = {fault.player for fault in unseen}
        return self.gone(state, faces, unseen[0].player if len(players) == 1 else None, unseen[0].refusal.heading)

    def _in_front_of(self, state: State, seen: Seen, changed: Changes, player: int) -> Fault | None:
        absent, downs = changed.absent[player], changed.downs[player]
        if changed.new[player]:
            return self.out_of_turn(state, player, changed.new[player], seen)
        if changed.special_at == player:
            return self.out_of_turn(state, player, (str(state.special),), seen)
        if absent and downs >= len(absent):
            return self._eaten_late(state, seen, player, absent)
        if absent:
            return self.gone(state, absent, player)
        if downs > 0:
            return self.extra_down(player, seen)
        if downs < 0:
            return self.eaten_gone(seen, player, -downs)
        return self._specials_in_front_of(state, seen, changed, player)

    def _specials_in_front_of(self, state: State, seen: Seen, changed: Changes, player: int) -> Fault | None:
        turned, downs = changed.turned[player], changed.special_downs[player]
        if strange := changed.strange_specials[player]:
            return self._not_received(state, player, strange, self.words.specials, seen)
        if turned and downs >= len(turned):
            return self.special_misused(state, player, turned)
        if turned:
            return self.gone(state, turned, player, self.words.specials)
        if downs < 0:
            problem = f"{-downs} of player {player}'s used {self.words.special}s cannot be seen."
            refusal = Refusal(
                self.words.specials, problem, f"Lay used {self.words.special}s face down where they can be seen."
            )
            return Fault(refusal, player, certain=False)
        if downs > 0:
            problem = (
                f"A {self.words.special} lies face down in front of player {player} that is not player {player}'s."
            )
            refusal = Refusal(self.words.specials, problem, "Lay it back where it came from.")
            return Fault(refusal, player, tuple(seen.backs(lie.Where.SEAT, player, PieceKind.SPECIAL)))
        return None

    def _not_received(self, state: State, player: int, faces: Sequence[str], heading: str, seen: Seen) -> Fault:
        who = f"player {player}, who has not received {_it(faces)}"
        problem = f"{self.pieces(state, faces)} {_verb(faces, 'lies', 'lie')} in front of {who}."
        return Fault(Refusal(heading, problem, _back(faces), tuple(faces)), player, seen.indices(faces))

    def _eaten_late(self, state: State, seen: Seen, player: int, faces: tuple[str, ...]) -> Fault:
        problem = f"Player {player} turned {self.pieces(state, faces)} face down, but may not eat {_it(faces)} now."
        remedy = f"Turn {_it(faces)} face up again: only slices of the portion just taken may be eaten."
        if _decided_this_round(state, player, faces):
            remedy += f" If player {player} meant to eat {_it(faces)}, the host takes the move back."
        refusal = Refusal(self.words.taking, problem, remedy, faces)
        return Fault(refusal, player, tuple(seen.backs(lie.Where.SEAT, player)))

    def eaten_gone(self, seen: Seen, player: int, count: int) -> Fault:
        """Fewer slices face down than this player has eaten."""
        problem = f"{count} of player {player}'s eaten slices cannot be seen."
        refusal = Refusal(self.words.taking, problem, "Lay the eaten slices face down so that each can be seen.")
        return Fault(refusal, player, tuple(seen.backs(lie.Where.SEAT, player)), certain=False)

    # In the middle ----------------------------------------------------------------------------------------------------

    def in_middle(self, state: State, seen: Seen, changed: Changes) -> Fault | None:
        """The first thing wrong with the pizza and what lies around it."""
        return (
            self.in_middle_but_joined(state, seen, changed)
            or self._joined_portions(state, seen)
            or self._special_shoved(state, seen)
        )

    def in_middle_but_joined(self, state: State, seen: Seen, changed: Changes) -> Fault | None:
        """The same, but for portions that lie together."""
        return (
            self.face_down_in_middle(seen)
            or self.pizza_gone(state, changed)
            or self.strayed(state, seen)
            or self.extra_slices(state, seen, middle_faces(state))
            or self.extra_specials(state, seen)
        )

    def face_down_in_middle(self, seen: Seen) -> Fault | None:
        """Whatever lies on the pizza's place lies face up."""
        backs = [
            i
            for where in (lie.Where.MIDDLE, lie.Where.STRAY)
            for kind in PieceKind
            for i in seen.backs(where, kind=kind)
        ]
        if not backs:
            return None
        kinds = {seen.scene.sightings[i].kind for i in backs}
        what = (
            f"A {self.words.special}" if kinds == {PieceKind.SPECIAL} else "A slice" if len(kinds) == 1 else "Something"
        )
        problem = f"{what} lies face down outside of the players' areas."
        remedy = "Turn it up, lay it in front of its owner, or put it away."
        return Fault(Refusal(self.words.serving, problem, remedy), None, tuple(backs))

    def pizza_gone(self, state: State, changed: Changes) -> Fault | None:
        """Nothing of the pizza disappears."""
        faces = changed.middle_gone
        heading = self.words.dividing if state.phase is self.dividing else self.words.taking
        if faces:
            return self.gone(state, faces, None, heading)
        return self.gone(state, (str(state.special),), None, heading) if changed.special_gone else None

    def strayed(self, state: State, seen: Seen) -> Fault | None:
        """Slices lie in the pizza or in front of a player."""
        strays = seen.fronts(lie.Where.STRAY)
        if not strays:
            return None
        faces = tuple(seen.name(i) for i in strays)
        lies = _verb(faces, "lies", "lie")
        problem = f"{self.pieces(state, faces)} {lies} neither in the pizza nor in front of a player."
        remedy = f"Lay {_it(faces)} in the pizza or in front of a player."
        return Fault(Refusal(self.words.taking, problem, remedy, faces), None, tuple(strays))

    def extra_slices(self, state: State, seen: Seen, belonging: Iterable[str]) -> Fault | None:
        """Only slices of this pizza lie in the middle."""
        pizza = frozenset(belonging)
        extra = [i for i in seen.fronts(lie.Where.MIDDLE) if seen.faces[i] not in pizza]
        if not extra:
            return None
        faces = tuple(seen.name(i) for i in extra)
        problem = f"{self.pieces(state, faces)} {_verb(faces, 'does', 'do')} not belong to this pizza."
        refusal = Refusal(self.words.serving, problem, _back(faces), faces)
        return Fault(refusal, None, tuple(extra))

    def extra_specials(self, state: State, seen: Seen) -> Fault | None:
        """No Special but the round's lies in the middle."""
        today = state.special if special_in_middle(state) else None
        extra = [i for i in seen.fronts(lie.Where.MIDDLE, kind=PieceKind.SPECIAL) if seen.faces[i] != today]
        if not extra:
            return None
        faces = tuple(seen.name(i) for i in extra)
        problem = f"{self.pieces(state, faces)} {_verb(faces, 'does', 'do')} not belong to this pizza."
        remedy = f"Put {_it(faces)} away, or lay {_it(faces)} in front of whoever has received {_it(faces)}."
        refusal = Refusal(self.words.specials, problem, remedy, faces)
        return Fault(refusal, None, tuple(extra))

    def _joined_portions(self, state: State, seen: Seen) -> Fault | None:
        """Portions stay apart until they are taken: the pizza is divided once."""
        portion_of = {
            f: k for k, p in enumerate(state.portions) if p.taken_by is None for f in p.slices if f in seen.at
        }
        if len(set(portion_of.values())) < 2:
            return None
        sightings = seen.scene.sightings
        lying = [seen.at[f] for f in portion_of]
        order = [lying[i] for i in lie.clockwise([sightings[i] for i in lying])]
        for here, there in zip(order, (*order[1:], order[0]), strict=True):
            pair = (seen.name(here), seen.name(there))
            together = lie.gap_mm(sightings[here], sightings[there]) < lie.TOGETHER_MM
            if together and portion_of[pair[0]] != portion_of[pair[1]]:
                problem = f"{self.pieces(state, pair)} belong to two portions and lie together."
                only = f"; only {self.name(state, self.words.shift)} shifts a slice" if state.special else ""
                remedy = f"Pull them apart as {self.words.slicer} had divided the pizza{only}."
                return Fault(Refusal(self.words.dividing, problem, remedy, pair), None, (here, there))
        return None

    def _special_shoved(self, state: State, seen: Seen) -> Fault | None:
        """The Special stays with the portion that it was laid with, or alone, until it is taken."""
        special = str(state.special)
        place = seen.where(special)
        if not state.portions or not special_in_middle(state) or place is None or place.where is not lie.Where.MIDDLE:
            return None
        sightings = seen.scene.sightings
        lying = {seen.name(i): sightings[i] for i in seen.fronts(lie.Where.MIDDLE)}

        def touches(portion: Portion) -> float:
            there = [lying[face] for face in portion.slices if face in lying]
            return lie.touch_probability(lie.distance_mm(sightings[seen.at[special]], there))

        left = [portion for portion in state.portions if portion.taken_by is None]
        other = next((one for one in left if not one.special and touches(one) > SURELY), None)
        if other is None or any(one.special and touches(one) > 1 - SURELY for one in left):
            return None
        own = next(one.slices for one in left if one.special)
        belongs = f"belongs to the portion with {self.names(state, own)}" if own else "is a portion by itself"
        problem = f"{self.pieces(state, (special,))} {belongs}, and lies with {self.names(state, other.slices)}."
        remedy = f"Lay it as {self.words.slicer} had laid it."
        refusal = Refusal(self.words.dividing, problem, remedy, (special,))
        return Fault(refusal, None, seen.indices((special,)))

    # What a player did ------------------------------------------------------------------------------------------------

    def gone(self, state: State, faces: Sequence[str], player: int | None, heading: str | None = None) -> Fault:
        """Pieces that cannot be seen."""
        problem = f"{self.pieces(state, faces)} cannot be seen on the table any more."
        heading = heading or self.words.taking
        remedy = f"Lay {_it(faces)} open to the camera: most of a slice must show."
        refusal = Refusal(heading, problem, remedy, tuple(faces))
        return Fault(refusal, player, certain=False)

    def extra_down(self, player: int, seen: Seen) -> Fault:
        """More slices face down than this player may have eaten."""
        refusal = Refusal(
            self.words.taking,
            f"A slice lies face down in player {player}'s area that nobody has eaten.",
            "Turn it face up or lay it back where it came from.",
        )
        return Fault(refusal, player, tuple(seen.backs(lie.Where.SEAT, player)))

    def special_misused(self, state: State, player: int, specials: Sequence[str]) -> Fault:
        """A Special turned face down, as if it were used."""
        heading = self.words.of_special.get(specials[0], self.words.specials)
        use = self.words.uses.get(specials[0], "")
        why = f"{_verb(specials, 'it', 'they')} cannot be used now"
        if use:
            why = f"{_verb(specials, 'it is', 'they are')} not used like this"
        problem = f"Player {player} turned {self.names(state, specials)} face down, but {why}."
        remedy = f"Turn {_it(specials)} face up again. {use}".strip()
        return Fault(Refusal(heading, problem, remedy, tuple(specials)), player)

    def not_called(self, state: State, player: int, face: str, seen: Seen) -> Fault:
        """A slice was taken before the pizza is divided, and the Special that allows it was not played."""
        special, name = self.words.call, self.name(state, self.words.call)
        problem = f"Player {player} has taken {self.pieces(state, (face,))}, and {name} has not been played."
        refusal = Refusal(
            self.words.of_special[special],
            problem,
            f"Turn {name} face down to play it, or lay the slice back.",
            (face,),
        )
        return Fault(refusal, player, seen.indices((face,)))

    def called_several(self, state: State, player: int, faces: Sequence[str], seen: Seen) -> Fault:
        """More than one slice was taken before the pizza is divided."""
        special, name = self.words.call, self.name(state, self.words.call)
        problem = f"Player {player} has taken {self.pieces(state, faces)}, and {name} brings one slice."
        remedy = f"Keep one of them, and lay the others back until player {state.slicer} has divided the pizza."
        return Fault(
            Refusal(self.words.of_special[special], problem, remedy, tuple(faces)), player, seen.indices(faces)
        )

    def nothing_shifted(self, state: State, player: int) -> Fault:
        """A Special that shifts a slice was turned face down, and none lies shifted."""
        special, name = self.words.shift, self.name(state, self.words.shift)
        problem = f"Player {player} turned {name} face down, but no slice lies with the portion beside its own."
        remedy = f"Lay one slice close to the end of that portion, then take a portion; or turn {name} face up again."
        return Fault(Refusal(self.words.of_special[special], problem, remedy, (special,)), player)

    def out_of_turn(self, state: State, player: int, faces: Sequence[str], seen: Seen) -> Fault:
        """Somebody has taken something who may not take anything now."""
        on_table = {str(state.special), *state.ring, *(face for portion in state.portions for face in portion.slices)}
        if on_table.isdisjoint(faces):
            return self._not_received(state, player, faces, self.words.taking, seen)
        portion = next((i for i, p in enumerate(state.portions) if set(faces) & set(p.slices)), 0)
        refusal = self.refusal(state, Take(player, portion))
        if refusal is None and player != state.order[0] and state.shifter is None:
            early = self.name(state, self.words.early)
            problem = f"It is not player {player}'s turn to choose, and {early} has not been played."
            refusal = Refusal(self.words.turns, problem, f"Turn {early} face down to play it, or put the portion back.")
        if refusal is None:
            problem = (
                f"Player {player} has {self.pieces(state, faces)}, "
                f"which {_verb(faces, 'is', 'are')} part of no portion that can be taken now."
            )
            refusal = Refusal(self.words.turns, problem, _back(faces))
        return Fault(replace(refusal, pieces=tuple(faces)), player, seen.indices(faces))

    def not_a_portion(
        self, state: State, seen: Seen, player: int, taken: frozenset[str], strange: Sequence[str]
    ) -> Fault:
        """What a player has taken is no portion."""
        faces = tuple(sorted(taken | set(strange)))
        if strange:
            problem = f"{self.pieces(state, strange)} {_verb(strange, 'is', 'are')} not part of this pizza."
        else:
            problem = f"What player {player} took is not one portion: {self.names(state, faces) or 'no slice'}."
        remedy = f"Take all slices of one portion, and its {self.words.special} if it has one, and nothing else."
        return Fault(Refusal(self.words.taking, problem, remedy, faces), player, seen.indices(faces))

    def special_of_another(self, state: State, seen: Seen, player: int) -> Fault:
        """A portion was taken with the Special that belongs to another, or is one by itself."""
        special = str(state.special)
        own = next((p.slices for p in state.portions if p.special), ())
        where = f"belongs to the portion with {self.names(state, own)}" if own else "is a portion by itself"
        problem = f"{self.pieces(state, (special,))} {where}, and player {player} took it with another."
        refusal = Refusal(self.words.taking, problem, "Lay it back as it lay when the pizza was divided.", (special,))
        return Fault(refusal, player, seen.indices((special,)))

    # While a pizza is served ------------------------------------------------------------------------------------------

    def wrong_slices(self, state: State, seen: Seen, wrong: Sequence[int]) -> Fault:
        """Slices that were taken out at set-up, or that have been seen before."""
        faces = tuple(seen.name(i) for i in wrong)
        removed = tuple(f for f in faces if f in state.options.components.removed[state.players])
        if removed:
            does = _verb(removed, "does", "do")
            problem = f"{self.pieces(state, removed)} {does} not belong in a game of {state.players} players."
            remedy = f"Take {_it(removed)} out and lay the next {_verb(removed, 'slice', 'slices')}."
            refusal = Refusal(self.words.setup, problem, remedy, removed)
            return Fault(refusal, state.slicer, seen.indices(removed))
        problem = f"{self.pieces(state, faces)} {_verb(faces, 'has', 'have')} already been served."
        belongs = _verb(faces, "it belongs", "they belong")
        remedy = f"Take {_it(faces)} out; {belongs} to a player or to the box."
        refusal = Refusal(self.words.setup, problem, remedy, faces)
        return Fault(refusal, state.slicer, tuple(wrong))

    def too_many_slices(self, state: State, seen: Seen, pizza: Sequence[int]) -> Fault:
        """More slices than a pizza has."""
        refusal = Refusal(
            self.words.serving,
            f"{len(pizza)} slices lie in the middle, and a pizza has {SLICES_IN_A_PIZZA}.",
            f"Take away the slices that do not belong to this {self.words.stack}.",
            tuple(seen.name(i) for i in pizza),
        )
        return Fault(refusal, state.slicer, tuple(pizza))

    def unfinished_pizza(self, state: State, problem: str, sightings: Sequence[int] = ()) -> Fault:
        """Something that cannot stay as it is while a pizza is turned up."""
        what = f"the {self.words.special}, and " if state.special or state.unseen_specials else ""
        remedy = f"Turn up {what}the eleven slices next to each other in a circle."
        return Fault(Refusal(self.words.serving, problem, remedy), state.slicer, tuple(sightings))


def _decided_this_round(state: RoundState, player: int, faces: Iterable[str]) -> bool:
    """Whether a player may have pressed before turning these over: they came with the portion of this round, or of the
    one that has just ended with the last player's decision."""
    if state.portions:
        mine = (face for portion in state.portions if portion.taken_by == player for face in portion.slices)
        return set(mine).issuperset(faces)
    return not state.ring and state.round > 1 and player == (state.slicer - 2) % state.players + 1


def _verb(faces: Sequence[str], one: str, many: str) -> str:
    """What fits one piece, or several."""
    return many if len(faces) > 1 else one


def _it(faces: Sequence[str]) -> str:
    return _verb(faces, "it", "them")


def _back(faces: Sequence[str]) -> str:
    return _verb(faces, "Lay it back where it came from.", "Lay them back where they came from.")


def _is_special(state: RoundState, face: str) -> bool:
    return face in state.options.components.specials_by_face or face.startswith("special/")


def _short(words: Words, title: str) -> str:
    """A title such as "special offer A" without what its noun says already: "offer A"."""
    return title.removeprefix(words.special_nouns[0].lower() + " ")
