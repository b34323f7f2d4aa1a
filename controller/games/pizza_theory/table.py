"""How Pizza Theory lies on a table: what a scene says about a state.

What is seen, and when it counts:

- The Pizza lies on the mat so that everybody faces the own side; it is laid, with two toppings of each colour on the
  X spaces, before the first topping is added. That is part of no move and needs no button.
- A topping on the Pizza is a move of whoever adds; that player's button confirms it. Who has no space presses without
  adding. The next players need not wait for the button: the last one's confirms all that was added in turn.
- Dice are hidden under hands until all have chosen, and no camera tells whose die it sees. What they decide is read
  from the cutters, which everybody lays by the own die: a cut becomes a move when every cutter lies on a line of its
  own side, all of them at once, so that nothing is known of a cut before all are. The first player of the round
  confirms them, also while toppings are being replaced already, as long as all cutters lie there. So does the first
  player of two the line that the unselected colour's die decided (by its cutter), and the topping beside it, both
  together or one by one.
- Toppings are replaced, cutters taken off and the Pizza turned in any order; meanwhile the display says what is still
  to be done. When all lies as the rules say the first player confirms. Here, too, the next player who adds need not
  wait for the button.

Toppings beside the Pizza are nobody's move. What cannot be seen speaks for nothing and against nothing.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from controller.game import Player
from controller.games.pizza_theory import faults, headings, rules
from controller.games.pizza_theory.components import Place
from controller.games.pizza_theory.laid import board_turn
from controller.games.pizza_theory.rules import COLOURS, UNSELECTED, Add, Cut, Move, Pass, Phase, Replace, Roll, State
from controller.games.pizza_theory.rules import Place as PlaceTopping
from controller.games.pizza_theory.seen import SEATS_APART, Appearance, Fit, Odd, Seen, find_board
from controller.reading import Fault, Layout, Play, Reading, ReadingKind
from vision.scene import EMPTY, PieceKind, Scene, Sighting

KINDS = frozenset({PieceKind.BOARD, PieceKind.TOPPING, PieceKind.CUTTER})
"""What a game is followed by: dice are not looked for, see above."""
OTHER = math.log(0.005)
"""How readily something that no rule allows is believed instead."""
PRESSED = math.log(0.1)
"""How readily it is believed that who presses the button has laid nothing."""
WORTH_ASKING = 0.01
MOST_ASKED = 6
Moves = tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """What may have been played, nothing included, and how well that fits."""

    moves: Moves
    state: State
    """The state after it."""
    fit: Fit


class PizzaTheoryTable:
    """See `controller.reading.GameTable`."""

    def read(self, state: State, scene: Scene, layout: Layout, pressed: frozenset[Player]) -> Reading:
        """What a scene at rest says."""
        reading = self._read(state, scene, layout, pressed)
        if reading.declares and not reading.note:
            reading = replace(reading, note=faults.nothing_to_add(state, min(reading.declares), layout))
        return _told_of_seats(reading, state, layout) if faults.is_setting_up(state) else reading

    def _read(self, state: State, scene: Scene, layout: Layout, pressed: frozenset[Player]) -> Reading:
        board = find_board(scene)
        if board is None:
            return _without_board(state, scene)
        seen = Seen(scene, board, state.options.components, state.options.colours)
        candidates = [_candidate((), state, seen, layout)]
        candidates += [_candidate(moves, after, seen, layout) for moves, after in _plays(state, seen)]
        best = max(candidates, key=lambda one: (-len(one.fit.odd), one.fit.log))
        reading = _judged(state, seen, candidates, best, pressed)
        look = appearance(best.state)
        return replace(
            reading,
            places=tuple(_place(s, i, seen) for i, s in enumerate(scene.sightings)),
            faces=tuple(_face(s, seen, look) for s in scene.sightings),
        )

    def lamps(self, state: State) -> frozenset[Player]:
        """Who confirms what is done now."""
        confirms = confirmer(state)
        return frozenset() if confirms is None else frozenset({confirms})


GAME_TABLE = PizzaTheoryTable()


def confirmer(state: State) -> Player | None:
    """Whose button turns what is done now into a move; None when the game is over."""
    if state.phase is Phase.OVER:
        return None
    return state.order[0] if state.phase is Phase.ADD else rules.first_player(state)


def appearance(state: State) -> Appearance:
    """What a perfect camera would see of a state."""
    colours, each = state.options.colours, state.options.components.each
    toppings = {space: colours[i] for i, spaces in enumerate(state.toppings) for space in spaces}
    chosen = {number: cut for number, cut in enumerate(state.cuts, start=1) if cut is not None}
    spare = {colours[i]: len(spaces) - each for i, spaces in enumerate(state.toppings) if len(spaces) > each}
    match state.phase:
        case Phase.ROLL:
            return Appearance(toppings, {})
        case Phase.CUT:
            lying = {number: cut for number, cut in chosen.items() if number > state.players}
            return Appearance(toppings, lying, early=frozenset(range(1, state.players + 1)))
        case Phase.OVER:
            return Appearance(toppings, {}, spare=spare, turned=frozenset({0, 1, 2}))
        case _:
            return Appearance(toppings, chosen)


def places_of(state: State) -> tuple[Place, ...]:
    """The place of each colour in this round, number 1 first."""
    places = state.options.components.places
    return tuple(places[rules.place_of(state, number)] for number in range(1, COLOURS + 1))


# Which plays the scene may show ---------------------------------------------------------------------------------------


def _plays(state: State, seen: Seen, before: Moves = ()) -> Iterator[tuple[Moves, State]]:
    """Moves in a row that something seen speaks for, with the state after them; passing alone shows nothing."""
    for step in _steps(state, seen, before):
        after = state
        for move in step:
            after = rules.apply(after, move)
        moves = (*before, *step)
        if not isinstance(step[-1], Pass):
            yield moves, after
        yield from _plays(after, seen, moves)


def _steps(state: State, seen: Seen, before: Moves) -> Iterator[Moves]:
    """What may have been done next."""
    places = places_of(state)
    match state.phase:
        case Phase.ADD:
            adder = state.order[0]
            yield from _topped(state, seen, adder, [Add(adder, space) for space in rules.available(state, adder)])
        case Phase.ROLL:
            lines = seen.lines_of(places[UNSELECTED - 1], rules.colour(state, UNSELECTED))
            yield from ((Roll(number),) for number in lines)
        case Phase.UNSELECTED:
            placer = rules.first_player(state)
            spaces = [PlaceTopping(placer, space) for space in rules.touching(state)]
            yield from _topped(state, seen, UNSELECTED, spaces, placer)
        case Phase.CUT:
            choosing = rules.yet_to_cut(state)
            ways = [seen.lines_of(places[player - 1], rules.colour(state, player)) for player in choosing]
            for numbers in product(*ways):
                yield tuple(Cut(player, number) for player, number in zip(choosing, numbers, strict=True))
        case Phase.REPLACE if not before:
            yield (Replace(rules.first_player(state)),)
        case _:
            return


def _topped(
    state: State, seen: Seen, number: int, moves: Sequence[Add | PlaceTopping], passing: Player | None = None
) -> Iterator[Moves]:
    """Those of the moves whose topping may lie there; passing where there are none at all."""
    if not moves:
        yield (Pass(passing or number),)
    name = rules.colour(state, number)
    yield from ((move,) for move in moves if seen.hinted(move.space, name))


def _candidate(moves: Moves, state: State, seen: Seen, layout: Layout) -> _Candidate:
    turns = seen.turns(_places(state), layout)
    look = appearance(_passed(state))
    if state.phase is Phase.REPLACE and moves:
        # Who forgets the button goes on: toppings are replaced while all cutters still lie there.
        look = replace(look, becoming=_becoming(state))
    return _Candidate(moves, state, seen.fit(look, places_of(state), turns))


def _becoming(state: State) -> Mapping[str, str]:
    """What lies on each space where toppings are to be replaced, afterwards."""
    old, new = appearance(state).toppings, appearance(_replaced(state)).toppings
    return {space: new.get(space, EMPTY) for space, face in old.items() if new.get(space, EMPTY) != face}


def _replaced(state: State) -> State:
    return rules.apply(state, Replace(rules.first_player(state)))


# What that means ------------------------------------------------------------------------------------------------------


def _judged(
    state: State, seen: Seen, candidates: Sequence[_Candidate], best: _Candidate, pressed: frozenset[Player]
) -> Reading:
    fitting = [one for one in candidates if not one.fit.odd]
    if not fitting:
        return _nothing_fits(state, seen, best, pressed)
    chances = _chances(state, seen, fitting, pressed)
    likeliest = max(fitting, key=lambda one: chances[one.moves])
    if not likeliest.moves:
        return _as_before(state, seen, pressed)
    plays = sorted((one for one in fitting if one.moves), key=lambda one: -chances[one.moves])
    worth = [one for one in plays if one is likeliest or chances[one.moves] >= WORTH_ASKING][:MOST_ASKED]
    told = tuple(Play(one.moves, chances[one.moves], describe(state, one.moves), _faces(state, one)) for one in worth)
    common = set.intersection(*(set(play.differs) for play in told)) if len(told) > 1 else set()
    told = tuple(replace(play, differs=tuple(f for f in play.differs if f not in common)) for play in told)
    # Where it is not clear who moved last, any of them who presses is asked.
    confirming = [_who(one) for one in worth]
    confirm = next((player for player in confirming if player in pressed), confirming[0])
    others = frozenset(confirming) - {confirm}
    return Reading(ReadingKind.MOVES, (), plays=told, confirm=confirm, others=others, note=told[0].text)


def _chances(
    state: State, seen: Seen, fitting: Sequence[_Candidate], pressed: frozenset[Player]
) -> Mapping[Moves, float]:
    """The share of the evidence of everything that fits, beside what no rule allows."""
    logs = {one.moves: one.fit.log for one in fitting}
    if () in logs and confirmer(state) in pressed and _passing(state) is None:
        logs[()] += PRESSED
    other = OTHER + seen.ceiling() + max(one.fit.log_others for one in fitting)
    top = max(*logs.values(), other)
    total = sum(math.exp(log - top) for log in logs.values()) + math.exp(other - top)
    total += sum(math.exp(logs[one.moves] - top) * _where_unseen(one, seen) for one in fitting)
    return {moves: math.exp(log - top) / total for moves, log in logs.items()}


def _where_unseen(one: _Candidate, seen: Seen) -> float:
    """How likely a topping that the play takes from doubtful looks was laid where nothing is seen, beside the play."""
    free = seen.unseen.difference(*one.state.toppings)
    return sum(len(free) * seen.doubt(space, face) for space, face in _laid(one.state, one.moves))


def _laid(state: State, moves: Moves) -> list[tuple[str, str]]:
    """The toppings of a play: each space and colour."""
    toppings = (move for move in moves if isinstance(move, Add | PlaceTopping))
    numbers = ((move.space, move.player if isinstance(move, Add) else UNSELECTED) for move in toppings)
    return [(space, rules.colour(state, number)) for space, number in numbers]


def _as_before(state: State, seen: Seen, pressed: frozenset[Player]) -> Reading:
    """Nobody has begun anything, or cutters are on their way."""
    passing, passed = _passing(state), _passed(state)
    declaring = passing is not None and passing.player in pressed
    missing = _missing_cutters(passed, seen) if passed.phase is Phase.CUT and not declaring else ()
    if missing and len(missing) < state.players:
        if confirmer(passed) in pressed:
            return Reading(ReadingKind.FAULT, (), fault=faults.cutters_missing(state, missing))
        return Reading(ReadingKind.UNFINISHED, (), note=faults.cutters_to_lay(state, missing))
    if state.phase is Phase.REPLACE and confirmer(state) in pressed:
        return _replacing(state, seen, pressed)
    if passing is None:
        return Reading(ReadingKind.AS_BEFORE, ())
    play = Play((passing,), 1.0, describe(state, (passing,)))
    return Reading(
        ReadingKind.AS_BEFORE, (), plays=(play,), confirm=passing.player, declares=frozenset({passing.player})
    )


def _passing(state: State) -> Pass | None:
    """The pass that is the only move there is."""
    if state.phase is Phase.ADD and not rules.available(state, state.order[0]):
        return Pass(state.order[0])
    if state.phase is Phase.UNSELECTED and not rules.touching(state):
        return Pass(rules.first_player(state))
    return None


def _passed(state: State) -> State:
    """The state when all have passed who have nothing else to do: nobody need wait for their buttons."""
    while (passing := _passing(state)) is not None:
        state = rules.apply(state, passing)
    return state


def _missing_cutters(state: State, seen: Seen) -> tuple[Player, ...]:
    """The players whose cutter lies on none of their lines yet."""
    places = places_of(state)
    return tuple(p for p in rules.yet_to_cut(state) if not seen.lines_of(places[p - 1], rules.colour(state, p)))


def _nothing_fits(state: State, seen: Seen, best: _Candidate, pressed: frozenset[Player]) -> Reading:
    if state.phase is Phase.REPLACE:
        return _replacing(state, seen, pressed)
    odd = best.fit.odd
    if faults.is_setting_up(state):
        return _setting_up(state, seen, best)
    if all(one.cutter is not None for one in odd) and (passed := _passed(best.state)).phase is Phase.CUT:
        fault = faults.fault_of(passed, odd, seen)
        if confirmer(state) in pressed:
            return Reading(ReadingKind.FAULT, (), fault=fault)
        note = f"{fault.refusal.problem} {fault.refusal.remedy}"
        return Reading(ReadingKind.UNFINISHED, (), fault=fault, note=note)
    return Reading(ReadingKind.FAULT, (), fault=faults.fault_of(best.state, odd, seen))


def _setting_up(state: State, seen: Seen, best: _Candidate) -> Reading:
    """The Pizza is being laid; who adds first may have done so already."""
    odd = best.fit.odd
    wrong = [one for one in odd if not _to_set_up(one)]
    if not wrong:
        return Reading(ReadingKind.UNFINISHED, (), note=faults.to_set_up(state, odd))
    # Of what is not laid yet only what may lie elsewhere, or whether the Pizza is turned, tells what is wrong.
    found = {one.found for one in wrong if one.space}
    about = [one for one in odd if one.turned] or [one for one in odd if one in wrong or one.expected in found]
    misplaced = any(one.expected != EMPTY for one in about)
    return Reading(ReadingKind.FAULT, (), fault=faults.fault_of(state if misplaced else best.state, about, seen))


def _to_set_up(odd: Odd) -> bool:
    """Whether it is only not laid yet."""
    return odd.turned or bool(odd.space and odd.expected != EMPTY and odd.found == EMPTY)


def _replacing(state: State, seen: Seen, pressed: frozenset[Player]) -> Reading:
    """Toppings are being replaced, cutters taken off, the Pizza is turned."""
    after = _replaced(state)
    old, new = appearance(state), appearance(after)
    left, wrong = [], []
    for odd in seen.fit(new, places_of(after), frozenset({0, 1, 2})).odd:
        before = old.toppings.get(odd.space, EMPTY)
        if odd.space and odd.found in (before, EMPTY) and before != odd.expected:
            left.append(odd)
        elif odd.space:
            wrong.append(odd)
    finished = confirmer(state) in pressed
    if wrong:
        kind = ReadingKind.FAULT if finished else ReadingKind.UNFINISHED
        fault = faults.wrongly_replaced(wrong, old.toppings, seen)
        return Reading(kind, (), fault=fault, note=faults.still_to_do(after, left, seen))
    if finished:
        return Reading(ReadingKind.FAULT, (), fault=faults.not_replaced(state, after, left, seen))
    return Reading(ReadingKind.UNFINISHED, (), note=faults.still_to_do(after, left, seen))


def _places(state: State) -> dict[Player, int]:
    """Which of the board's places each player faces."""
    return {player: rules.place_of(state, player) for player in range(1, state.players + 1)}


def _told_of_seats(reading: Reading, state: State, layout: Layout) -> Reading:
    """What is still to be laid, or lies wrongly; where two players sit otherwise than the option says, that as well."""
    seated = rules.seated_otherwise(state)
    if state.players != 2 or _face_theirs(state, layout) or not _face_theirs(seated, layout):
        return reading
    told = faults.SEATED.format(seated.options.second_sits)
    if reading.fault is not None and reading.fault.refusal.heading == headings.SETUP:
        refusal = reading.fault.refusal
        refusal = replace(refusal, remedy=f"{refusal.remedy} {told}")
        return replace(reading, fault=replace(reading.fault, refusal=refusal))
    return replace(reading, note=f"{reading.note}. {told}") if reading.kind is ReadingKind.UNFINISHED else reading


def _face_theirs(state: State, layout: Layout) -> bool:
    """Whether the Pizza can lie so that everybody faces the own side."""
    return board_turn(_places(state), layout.areas)[1] >= SEATS_APART


def _without_board(state: State, scene: Scene) -> Reading:
    places = tuple("stray" for _ in scene.sightings)
    faces = tuple(sighting.face for sighting in scene.sightings)
    if faults.is_setting_up(state):
        return Reading(ReadingKind.UNFINISHED, places, faces, note=faults.LAY_PIZZA.format(rules.first_player(state)))
    fault = Fault(faults.NO_PIZZA, None, certain=False)
    return Reading(ReadingKind.FAULT, places, faces, fault=fault)


# In words -------------------------------------------------------------------------------------------------------------


def describe(state: State, moves: Moves) -> str:
    """A play in a player's words."""
    cuts = [f"{rules.colour(state, move.player)} {move.number}" for move in moves if isinstance(move, Cut)]
    words = [_words(state, move) for move in moves if not isinstance(move, Cut)]
    if cuts:
        at = next(i for i, move in enumerate(moves) if isinstance(move, Cut))
        words.insert(at, f"The cuts are {', '.join(cuts)}")
    return "; ".join(words)


def _words(state: State, move: Move) -> str:
    match move:
        case Add(player, space):
            return f"{rules.named(state, player)} adds a topping on {space}"
        case PlaceTopping(player, space):
            return f"Player {player} places a {rules.colour(state, UNSELECTED)} topping on {space}"
        case Pass(player):
            return f"Player {player} passes"
        case Roll(number):
            return f"The {rules.colour(state, UNSELECTED)} cutter lies on line {number}"
        case Replace(_):
            ends = _replaced(state).phase is Phase.OVER
            return f"The toppings are replaced and the {'game is over' if ends else 'Pizza is turned'}"
        case Cut(player, number):
            return f"Player {player} cuts {number}"


def _who(candidate: _Candidate) -> Player:
    """Whose button confirms a play: that of whoever makes its last move, of cuts the first player's of their round."""
    match candidate.moves[-1]:
        case Roll() | Cut():
            return rules.first_player(candidate.state)
        case move:
            return move.player


def _faces(state: State, candidate: _Candidate) -> tuple[str, ...]:
    """What shows a play in a picture."""
    faces = []
    for move in candidate.moves:
        match move:
            case Add(player, space):
                faces.append(f"{space}/{rules.colour(state, player)}")
            case PlaceTopping(_, space):
                faces.append(f"{space}/{rules.colour(state, UNSELECTED)}")
            case Cut(player, number):
                faces.append(f"cutter/{rules.colour(state, player)}/{number}")
            case Roll(number):
                faces.append(f"cutter/{rules.colour(state, UNSELECTED)}/{number}")
            case _:
                pass
    return tuple(faces)


def _place(sighting: Sighting, index: int, seen: Seen) -> str:
    match sighting.kind:
        case PieceKind.BOARD:
            return "board" if index == seen.board else "stray"
        case PieceKind.TOPPING:
            space = seen.space_at(sighting)
            return f"space/{space}" if space else "supply"
        case PieceKind.CUTTER:
            cutter = next((one for one in seen.cutters if one.sighting == index), None)
            lies = cutter is not None and cutter.place is not None and cutter.line is not None
            return f"line/{cutter.place.name}/{cutter.line}" if lies and cutter and cutter.place else "stray"
        case _:
            return "stray"


def _face(sighting: Sighting, seen: Seen, look: Appearance) -> str:
    """What a sighting is taken for, the state's word included."""
    space = seen.space_at(sighting) if sighting.kind is PieceKind.TOPPING else None
    expected = look.toppings.get(space, EMPTY) if space else EMPTY
    return expected if space and expected != EMPTY and seen.hinted(space, expected) else sighting.face
