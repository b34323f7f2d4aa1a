"""What is wrong on a table of New York Slice, in a player's words: which rule, which pieces, how to put it right."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from controller.game import Refusal
from controller.games import cut_and_choose_laid as lie
from controller.games.new_york_slice import headings, rules
from controller.games.new_york_slice.rules import Phase, State
from controller.games.new_york_slice.seen import Changes, Seen, middle_faces, special_in_middle
from controller.reading import Fault
from vision.scene import PieceKind

_SPECIAL_HEADINGS = {
    rules.CUT_IN_LINE: headings.CUT_IN_LINE,
    rules.DIBS: headings.DIBS,
    rules.MYSTERY_SLICE: headings.MYSTERY_SLICE,
    rules.SECONDS: headings.SECONDS,
    rules.SNEAK_A_SLICE: headings.SNEAK_A_SLICE,
}


def name(state: State, face: str) -> str:
    """A face in a player's words, shortly: "7" for 7/3, "Supreme" for supreme, "Cut in Line" for the Special."""
    special = state.options.components.specials_by_face.get(face)
    if special is not None:
        return special.title
    if face.startswith("combo-"):
        return face.removeprefix("combo-").replace("-", "/") + " combo"
    return face.partition("/")[0] if "/" in face else face.title()


def names(state: State, faces: Iterable[str]) -> str:
    """Several faces in a player's words."""
    return ", ".join(name(state, face) for face in faces)


def pieces(state: State, faces: Sequence[str]) -> str:
    """Several faces with the noun: "Slices 7, 9"."""
    kinds = {face.startswith("special/") for face in faces}
    noun = "Piece" if len(kinds) > 1 else "Special" if True in kinds else "Slice"
    return f"{noun}{'s' if len(faces) > 1 else ''} {names(state, faces)}"


# The whole table ------------------------------------------------------------------------------------------------------


def difference(state: State, seen: Seen, changed: Changes) -> Fault | None:
    """The first thing on the table that does not lie as the state says; None when everything does."""
    return misplaced(state, seen, changed) or at_seats(state, seen, changed) or in_middle(state, seen, changed)


def misplaced(state: State, seen: Seen, changed: Changes) -> Fault | None:
    """What is wrong at any time: pieces that lie with somebody else, or are turned up again."""
    if changed.elsewhere:
        return _elsewhere(state, seen, changed)
    if not changed.again:
        return None
    faces = changed.again
    if faces[0].startswith("special/"):
        problem = f"{pieces(state, faces)} has been used and lies face up again."
        refusal = Refusal(headings.SPECIALS, problem, "Turn it face down: it works once.", faces)
    else:
        problem = f"{pieces(state, faces)} was eaten and lies face up again."
        refusal = Refusal(headings.CHOOSE, problem, "Turn it face down: an eaten slice stays eaten.", faces)
    return Fault(refusal, _place_owner(seen, faces[0]), seen.indices(faces))


def _elsewhere(state: State, seen: Seen, changed: Changes) -> Fault:
    owner = changed.elsewhere[0][1]
    faces = tuple(face for face, player in changed.elsewhere if player == owner)
    holder = _place_owner(seen, faces[0])
    where = f"in player {holder}'s area" if holder is not None else "not in front of its owner"
    refusal = Refusal(
        headings.SPECIALS if faces[0].startswith("special/") else headings.CHOOSE,
        f"{pieces(state, faces)} of player {owner} lies {where}.",
        "Lay it back in front of its owner.",
        faces,
    )
    return Fault(refusal, holder or owner, seen.indices(faces))


def _place_owner(seen: Seen, face: str) -> int | None:
    place = seen.where(face)
    return place.player if place is not None and place.where is lie.Where.SEAT else None


# In front of the players ----------------------------------------------------------------------------------------------


def at_seats(state: State, seen: Seen, changed: Changes, busy: int | None = None) -> Fault | None:
    """The first thing wrong in front of a player, the one who is busy left out.

    Where all that is wrong is that pieces are not seen, they are named together, those of the pizza too.
    """
    players = [player for player in range(1, state.players + 1) if player != busy]
    found = [fault for p in players if (fault := _in_front_of(state, seen, changed, p)) is not None]
    unseen = [fault for fault in found if not fault.certain]
    if len(unseen) < len(found):
        return next(fault for fault in found if fault.certain)
    if unseen and busy is None and (lost := pizza_gone(state, changed)) is not None:
        unseen.append(lost)
    return _all_unseen(state, unseen)


def _all_unseen(state: State, unseen: Sequence[Fault]) -> Fault | None:
    faces = tuple(face for fault in unseen for face in fault.refusal.pieces)
    if len(unseen) < 2 or not faces:
        return unseen[0] if unseen else None
    players = {fault.player for fault in unseen}
    return gone(state, faces, unseen[0].player if len(players) == 1 else None, unseen[0].refusal.heading)


def _in_front_of(state: State, seen: Seen, changed: Changes, player: int) -> Fault | None:
    absent, downs = changed.absent[player], changed.downs[player]
    if changed.new[player]:
        return out_of_turn(state, player, changed.new[player], seen)
    if changed.special_at == player:
        return out_of_turn(state, player, (str(state.special),), seen)
    if absent and downs >= len(absent):
        return _eaten_late(state, seen, player, absent)
    if absent:
        return gone(state, absent, player)
    if downs > 0:
        return extra_down(player, seen)
    if downs < 0:
        return eaten_gone(seen, player, -downs)
    return _specials_in_front_of(state, seen, changed, player)


def _specials_in_front_of(state: State, seen: Seen, changed: Changes, player: int) -> Fault | None:
    turned, downs = changed.turned[player], changed.special_downs[player]
    if strange := changed.strange_specials[player]:
        problem = f"{pieces(state, strange)} lies in front of player {player}, who has not received it."
        refusal = Refusal(headings.SPECIALS, problem, "Lay it back where it came from.", strange)
        return Fault(refusal, player, seen.indices(strange))
    if turned and downs >= len(turned):
        return special_misused(state, player, turned)
    if turned:
        return gone(state, turned, player, headings.SPECIALS)
    if downs < 0:
        problem = f"{-downs} of player {player}'s used Specials cannot be seen."
        refusal = Refusal(headings.SPECIALS, problem, "Lay used Specials face down where they can be seen.")
        return Fault(refusal, player, certain=False)
    if downs > 0:
        problem = f"A Special lies face down in front of player {player} that is not player {player}'s."
        refusal = Refusal(headings.SPECIALS, problem, "Lay it back where it came from.")
        return Fault(refusal, player, tuple(seen.backs(lie.Where.SEAT, player, PieceKind.SPECIAL)))
    return None


def _eaten_late(state: State, seen: Seen, player: int, faces: tuple[str, ...]) -> Fault:
    problem = f"Player {player} turned {pieces(state, faces)} face down, but may not eat it now."
    remedy = "Turn it face up again: only slices of the portion just taken may be eaten."
    refusal = Refusal(headings.CHOOSE, problem, remedy, faces)
    return Fault(refusal, player, tuple(seen.backs(lie.Where.SEAT, player)))


def eaten_gone(seen: Seen, player: int, count: int) -> Fault:
    """Fewer slices face down than this player has eaten."""
    problem = f"{count} of player {player}'s eaten slices cannot be seen."
    refusal = Refusal(headings.CHOOSE, problem, "Lay the eaten slices face down so that each can be seen.")
    return Fault(refusal, player, tuple(seen.backs(lie.Where.SEAT, player)), certain=False)


# In the middle --------------------------------------------------------------------------------------------------------


def in_middle(state: State, seen: Seen, changed: Changes) -> Fault | None:
    """The first thing wrong with the pizza and what lies around it."""
    return (
        face_down_in_middle(seen)
        or pizza_gone(state, changed)
        or strayed(state, seen)
        or extra_slices(state, seen, middle_faces(state))
        or extra_specials(state, seen)
        or _joined_portions(state, seen)
    )


def face_down_in_middle(seen: Seen) -> Fault | None:
    """Whatever lies on the pizza's place lies face up."""
    backs = [
        i for where in (lie.Where.MIDDLE, lie.Where.STRAY) for kind in PieceKind for i in seen.backs(where, kind=kind)
    ]
    if not backs:
        return None
    problem = "Something lies face down outside of the players' areas."
    remedy = "Turn it up, or take it where it belongs."
    return Fault(Refusal(headings.START_ROUND, problem, remedy), None, tuple(backs))


def pizza_gone(state: State, changed: Changes) -> Fault | None:
    """Nothing of the pizza disappears."""
    faces = changed.middle_gone
    heading = headings.DIVIDE if state.phase is Phase.DIVIDE else headings.CHOOSE
    if faces:
        return gone(state, faces, None, heading)
    return gone(state, (str(state.special),), None, heading) if changed.special_gone else None


def strayed(state: State, seen: Seen) -> Fault | None:
    """Slices lie in the pizza or in front of a player."""
    strays = seen.fronts(lie.Where.STRAY)
    if not strays:
        return None
    faces = tuple(seen.name(i) for i in strays)
    problem = f"{pieces(state, faces)} lies neither in the pizza nor in front of a player."
    return Fault(Refusal(headings.CHOOSE, problem, "Lay it where it belongs.", faces), None, tuple(strays))


def extra_slices(state: State, seen: Seen, belonging: Iterable[str]) -> Fault | None:
    """Only slices of this pizza lie in the middle."""
    pizza = frozenset(belonging)
    extra = [i for i in seen.fronts(lie.Where.MIDDLE) if seen.faces[i] not in pizza]
    if not extra:
        return None
    faces = tuple(seen.name(i) for i in extra)
    problem = f"{pieces(state, faces)} does not belong to this pizza."
    refusal = Refusal(headings.START_ROUND, problem, "Lay it back where it came from.", faces)
    return Fault(refusal, None, tuple(extra))


def extra_specials(state: State, seen: Seen) -> Fault | None:
    """No Special but today's lies in the middle."""
    today = state.special if special_in_middle(state) else None
    extra = [i for i in seen.fronts(lie.Where.MIDDLE, kind=PieceKind.SPECIAL) if seen.faces[i] != today]
    if not extra:
        return None
    faces = tuple(seen.name(i) for i in extra)
    problem = f"{pieces(state, faces)} does not belong to this pizza."
    refusal = Refusal(headings.SPECIALS, problem, "Put it away, or lay it in front of its owner.", faces)
    return Fault(refusal, None, tuple(extra))


def _joined_portions(state: State, seen: Seen) -> Fault | None:
    """Portions stay apart until they are taken: the pizza is divided once."""
    portion_of = {f: k for k, p in enumerate(state.portions) if p.taken_by is None for f in p.slices if f in seen.at}
    if len(set(portion_of.values())) < 2:
        return None
    sightings = seen.scene.sightings
    lying = [seen.at[f] for f in portion_of]
    order = [lying[i] for i in lie.clockwise([sightings[i] for i in lying])]
    for here, there in zip(order, (*order[1:], order[0]), strict=True):
        pair = (seen.name(here), seen.name(there))
        together = lie.gap_mm(sightings[here], sightings[there]) < lie.TOGETHER_MM
        if together and portion_of[pair[0]] != portion_of[pair[1]]:
            problem = f"{pieces(state, pair)} belong to two portions and lie together."
            remedy = "Pull them apart as the Slicer had divided the pizza; only Sneak-a-Slice shifts a slice."
            return Fault(Refusal(headings.DIVIDE, problem, remedy, pair), None, (here, there))
    return None


# What a player did ----------------------------------------------------------------------------------------------------


def gone(state: State, faces: Sequence[str], player: int | None, heading: str = headings.CHOOSE) -> Fault:
    """Pieces that cannot be seen."""
    problem = f"{pieces(state, faces)} cannot be seen on the table any more."
    refusal = Refusal(heading, problem, "Lay it open to the camera: most of a slice must show.", tuple(faces))
    return Fault(refusal, player, certain=False)


def extra_down(player: int, seen: Seen) -> Fault:
    """More slices face down than this player may have eaten."""
    refusal = Refusal(
        headings.CHOOSE,
        f"A slice lies face down in player {player}'s area that nobody has eaten.",
        "Turn it face up or lay it back where it came from.",
    )
    return Fault(refusal, player, tuple(seen.backs(lie.Where.SEAT, player)))


def special_misused(state: State, player: int, specials: Sequence[str]) -> Fault:
    """A Special turned face down, as if it were used."""
    heading = _SPECIAL_HEADINGS.get(specials[0], headings.SPECIALS)
    problem = f"Player {player} turned {names(state, specials)} face down, but it cannot be used now."
    return Fault(Refusal(heading, problem, "Turn it face up again.", tuple(specials)), player)


def out_of_turn(state: State, player: int, faces: Sequence[str], seen: Seen) -> Fault:
    """Somebody has taken something who may not take anything now."""
    portion = next((i for i, p in enumerate(state.portions) if set(faces) & set(p.slices)), 0)
    refusal = rules.refusal(state, rules.Take(player, portion))
    if refusal is None and player != state.order[0] and state.shifter is None:
        problem = f"It is not player {player}'s turn to choose, and Cut in Line has not been played."
        refusal = Refusal(
            headings.NEXT_PLAYER, problem, "Turn Cut in Line face down to play it, or put the portion back."
        )
    if refusal is None:
        problem = f"Player {player} has {pieces(state, faces)}, which is part of no portion that can be taken now."
        refusal = Refusal(headings.NEXT_PLAYER, problem, "Lay it back where it came from.")
    return Fault(replace(refusal, pieces=tuple(faces)), player, seen.indices(faces))


def not_a_portion(state: State, seen: Seen, player: int, taken: frozenset[str], strange: Sequence[str]) -> Fault:
    """What a player has taken is no portion."""
    faces = tuple(sorted(taken | set(strange)))
    if strange:
        problem = f"{pieces(state, strange)} is not part of this pizza."
    else:
        problem = f"What player {player} took is not one portion: {names(state, faces) or 'no slice'}."
    remedy = "Take all slices of one portion, and its Special if it has one, and nothing else."
    return Fault(Refusal(headings.CHOOSE, problem, remedy, faces), player, seen.indices(faces))


# While a pizza is served ----------------------------------------------------------------------------------------------


def wrong_slices(state: State, seen: Seen, wrong: Sequence[int]) -> Fault:
    """Slices that were taken out at set-up, or that have been seen before."""
    faces = tuple(seen.name(i) for i in wrong)
    removed = tuple(f for f in faces if f in state.options.components.removed[state.players])
    if removed:
        problem = f"{pieces(state, removed)} does not belong in a game of {state.players} players."
        refusal = Refusal(headings.SETUP, problem, "Take it out and lay the next slice.", removed)
        return Fault(refusal, state.slicer, seen.indices(removed))
    problem = f"{pieces(state, faces)} has already been served."
    refusal = Refusal(headings.SETUP, problem, "Take it out; it belongs to a player or to the box.", faces)
    return Fault(refusal, state.slicer, tuple(wrong))


def too_many_slices(state: State, seen: Seen, pizza: Sequence[int]) -> Fault:
    """More slices than a pizza has."""
    refusal = Refusal(
        headings.START_ROUND,
        f"{len(pizza)} slices lie in the middle, and a pizza has {rules.SLICES_IN_A_PIZZA}.",
        "Take away the slices that do not belong to this stack.",
        tuple(seen.name(i) for i in pizza),
    )
    return Fault(refusal, state.slicer, tuple(pizza))


def unfinished_pizza(state: State, problem: str, sightings: Sequence[int] = ()) -> Fault:
    """Something that cannot stay as it is while a pizza is turned up."""
    remedy = "Turn up the Special, and the eleven slices next to each other in a circle."
    return Fault(Refusal(headings.START_ROUND, problem, remedy), state.slicer, tuple(sightings))


def mystery_due(player: int) -> Fault:
    """The taker of Mystery Slice has not taken an extra slice yet, or more than one."""
    problem = f"Player {player} received Mystery Slice and takes exactly one of the three extra slices."
    refusal = Refusal(headings.MYSTERY_SLICE, problem, "Lay it face up to collect it, face down to eat it unseen.")
    return Fault(refusal, player)
