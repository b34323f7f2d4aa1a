"""How Dice and Slice lies on a table: what a scene says about a state.

What is seen, and when it counts:

- Everybody's sheet lies before the own seat. Dice are thrown onto the mat. The active player takes one of them into the
  own area, beside the sheet: that is the one that is picked, the other stays on the mat for all the others. The active
  player's button confirms roll and pick, both at once: dice on the mat alone may not have been thrown yet.
- A die that still lies where it lay when the turn before picked the other one has not been thrown. Dice that show what
  they showed then, and were not seen on the mat in between, may only have been laid there: that is asked.
- Everybody marks on the own sheet, in any order, and presses the own button when done: dots with their lines, extra
  dots with their toppings crossed off, circles around topping bonuses that are scored. The active player may also mark
  before pressing for the first time; then all of it counts at once.
- Who may place extra dots and places none presses all the same; they are not saved. In which order dots were marked
  does not show, see `ways`.
- Topping bonuses that others have scored may be crossed out at any time, or not: nothing follows from it.
- A mark that is half made is nobody's fault until its player presses, or where there are no buttons if it stays so.
  Marks of somebody whose turn is over, or not yet begun, are. Of several who press at once all have marked; who of them
  has marked wrongly is told so when the others' marks count.

Dice on a sheet are not looked at: toppings and print look too much like them. What cannot be seen speaks for nothing.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from controller.game import Player, Refusal
from controller.games.dice_and_slice import faults, grid, rules, ways
from controller.games.dice_and_slice.components import DICE
from controller.games.dice_and_slice.memory import Left, Memory
from controller.games.dice_and_slice.rules import ExtraDot, Mark, Phase, Pick, Roll, Sheet, State, Stop
from controller.games.dice_and_slice.seen import DieSeen, Fit, Seen, SheetSeen, dice_named
from controller.games.dice_and_slice.ways import Moves
from controller.games.wording import joined
from controller.reading import Fault, Layout, Play, Reading, ReadingKind
from vision.scene import Scene

OTHER = math.log(0.005)
"""How readily something that no rule allows is believed instead."""
OVERLOOKED = math.log(0.004)
"""How readily it is believed of a topping that gives an extra dot and seems to be crossed off that its dot is there and
was not seen."""
UNSEEN = math.log(0.02)
"""How readily it is believed that all dots of a die, or an extra dot, are at places that are hidden. There are many, so
each alone is less likely than nothing; but where one would explain what is seen otherwise, that is asked about."""
WITHOUT = math.log(0.1)
"""How readily it is believed that somebody does without extra dots one of whose toppings is hidden."""
PRESSED = math.log(0.1)
"""How readily it is believed that who presses the button has marked nothing."""
DIE_DOUBT = 0.2
"""Of what vision leaves open about a die, so much goes to another face of it."""
SUREST_DIE = 0.998
"""No die is surer to be one, whatever vision says."""
UNPAIRED = math.log(50.0)
"""By these odds each extra dot has a topping crossed off."""
PLAIN = math.log(0.95 / 0.05)
"""A topping with such odds is crossed off; with such odds against it, it is not."""
THROWN = 0.5
"""How readily it is believed that dice were thrown that show what they showed in the turn before, and that nobody saw
lie on the mat in between."""
WORTH_ASKING = 0.01
MOST_ASKED = 6


@dataclass(frozen=True, slots=True)
class _Candidate:
    """What a player may have done, nothing included."""

    moves: Moves
    fit: Fit
    """How well the sheet then fits what is seen of it."""


@dataclass(frozen=True, slots=True)
class _Marking:
    """What one sheet says of what its player has done."""

    plays: tuple[Play, ...] = ()
    """Most probable first."""
    fault: Fault | None = None
    note: str = ""


class DiceAndSliceTable:
    """See `controller.reading.GameTable`.

    It remembers what still showed of marks that are none any more: who has crossed off a topping by mistake, and rubbed
    it out, is not asked for it whenever the light changes. And how the turn before left the dice: who only lays them
    elsewhere has not thrown them."""

    def __init__(self) -> None:
        self._memory = Memory()

    def read(self, state: State, scene: Scene, layout: Layout, pressed: frozenset[Player]) -> Reading:
        """What a scene at rest says."""
        known = self._memory.of(state, scene, layout)
        left = known.left.lying if state.phase in (Phase.ROLL, Phase.MARK) else ()
        seen = Seen(state, scene, layout, known.traces, left)
        if state.phase is Phase.OVER:
            reading = Reading(ReadingKind.AS_BEFORE, ())
        elif seen.mixed_up is not None:
            reading = Reading(ReadingKind.FAULT, (), fault=faults.mixed_up(state, *seen.mixed_up))
        elif state.phase is Phase.MARK:
            reading = _marking(state, seen, pressed)
        else:
            reading = _rolling(state, seen, pressed, known.left)
        self._memory.keep(state, seen, {play: _after(state, play.moves) for play in reading.plays})
        players = {sheet.index: player for player, sheet in seen.sheets.items()}
        dice = {die.index: die for die in seen.dice}
        return replace(
            reading,
            places=tuple(_place(i, players, dice) for i in range(len(scene.sightings))),
            faces=tuple(
                f"sheet/{players[i]}" if i in players else dice[i].face if i in dice else one.face
                for i, one in enumerate(scene.sightings)
            ),
        )

    def lamps(self, state: State) -> frozenset[Player]:
        """Those who are to act."""
        if state.phase is Phase.MARK:
            return frozenset(rules.waiting_for(state))
        return frozenset() if state.phase is Phase.OVER else frozenset({state.active})


GAME_TABLE = DiceAndSliceTable()


# Rolling the dice, picking a die --------------------------------------------------------------------------------------


def _rolling(state: State, seen: Seen, pressed: frozenset[Player], left: Left) -> Reading:
    """Dice are thrown, and the active player takes one; who is quick has marked already."""
    wrong = _marked_too_early(state, seen)
    if wrong is not None:
        return Reading(ReadingKind.FAULT, (), fault=wrong)
    if state.phase is Phase.PICK and (turned := _turned(state, seen)):
        return Reading(ReadingKind.FAULT, (), fault=faults.die_turned(state, turned))
    player = state.active
    plays = sorted(_picked(state, seen, left), key=lambda play: -play.probability)
    if not plays:
        thrown = _thrown(seen)
        if player in pressed:
            return Reading(ReadingKind.FAULT, (), fault=_no_die_taken(state, seen, thrown))
        if thrown is None:
            return Reading(ReadingKind.AS_BEFORE, ())
        return Reading(ReadingKind.UNFINISHED, (), note=faults.take_one(state, thrown, seen.layout))
    refused = _refused(state, plays[0].moves)
    if refused is not None:
        fault = Fault(refused, player)
        kind = ReadingKind.FAULT if player in pressed else ReadingKind.UNFINISHED
        return Reading(kind, (), fault=fault, note=refused.problem)
    picked = plays[0]
    after = _after(state, picked.moves)
    sheet = seen.sheets.get(player)
    marks = after.phase is Phase.MARK and not after.sheets[player - 1].done
    marking = _marked(after, player, sheet, pressed=False) if marks and sheet is not None else _Marking()
    if marking.plays:
        plays = [_joined(state, picked, marked) for marked in marking.plays] + plays[1:]
    elif marking.fault is not None:
        if player not in pressed:
            return _begun(replace(marking, note=marking.note or picked.text), seen.layout)
        return Reading(ReadingKind.FAULT, (), fault=marking.fault, note=marking.note or picked.text)
    told = _worth(plays)
    if player in pressed:
        told = _with_others(state, told, seen, pressed)
    rolled = _after(state, told[0].moves[:1]).roll
    unthrown = state.phase is Phase.ROLL and left.may_show(rolled)
    note = faults.maybe_not_thrown(rolled, left.roll) if unthrown else told[0].text
    odd = [p for p, seen_sheet in seen.sheets.items() if seen_sheet.fit(state.sheets[p - 1]).odd]
    unanswered = _unanswered(odd, told, pressed) if player in pressed else frozenset[Player]()
    return Reading(ReadingKind.MOVES, (), plays=told, confirm=player, note=note, unanswered=unanswered)


def _picked(state: State, seen: Seen, left: Left) -> Iterator[Play]:
    """Each way to see one die in the active player's area, the other on the mat. Dice that may only have been laid
    there are asked about."""
    known = dice_named(seen.thrown)
    for die, other in (DICE, DICE[::-1]):
        for mine in (one for one in known[die] if one.area == state.active):
            for theirs in (one for one in known[other] if one.middle):
                faces = (mine.face, theirs.face) if die == DICE[0] else (theirs.face, mine.face)
                pick = Pick(state.active, die)
                moves: Moves = (pick,) if state.phase is Phase.PICK else (Roll(faces), pick)
                share = _share(mine, known[die]) * _share(theirs, known[other])
                if state.phase is Phase.ROLL and left.may_show(faces):
                    share *= THROWN
                yield Play(moves, share, describe(state, moves), _shown(state, moves))


def _no_die_taken(state: State, seen: Seen, thrown: tuple[str, str] | None) -> Fault:
    """Why the active player's press says nothing."""
    if seen.unthrown:
        return faults.not_thrown(state, [die.face for die in seen.unthrown])
    return faults.no_die_taken(state, thrown, seen.dice)


def _share(die: DieSeen, alike: Sequence[DieSeen]) -> float:
    """How likely a die shows this, and is that die and no other: just one of those that look alike is."""
    sure = 1.0 - DIE_DOUBT * (1.0 - die.probability)
    odds = [min(one.probability, SUREST_DIE) for one in (die, *alike)]
    weights = [share / (1.0 - share) for share in odds]
    return sure * weights[0] / sum(weights[1:])


def _thrown(seen: Seen) -> tuple[str, str] | None:
    """What both dice on the mat show, where both lie there."""
    known = dice_named([one for one in seen.thrown if one.middle])
    best = [max(known[name], key=lambda one: one.probability, default=None) for name in DICE]
    first, second = best
    return None if first is None or second is None else (first.face, second.face)


def _turned(state: State, seen: Seen) -> list[str]:
    """Dice that plainly show something else than was rolled."""
    turned = []
    for name, face in zip(DICE, state.roll, strict=True):
        shown = dice_named(seen.dice)[name]
        if len(shown) == 1 and shown[0].face != face:
            turned.append(shown[0].face)
    return turned


def _refused(state: State, moves: Moves) -> Refusal | None:
    for move in moves:
        refused = rules.refusal(state, move)
        if refused is not None:
            return refused
        state = rules.apply(state, move)
    return None


def _marked_too_early(state: State, seen: Seen) -> Fault | None:
    """Before the dice are known nobody marks; once they lie there, people may go ahead of the button."""
    if _thrown(seen) is not None or state.phase is Phase.PICK or any(die.area == state.active for die in seen.dice):
        return None
    if any(die.middle for die in seen.thrown) and len({die.die for die in seen.dice}) < len(DICE):
        return None  # the other one may have been thrown too, and is not seen
    return _strange(state, seen, range(1, state.players + 1))


def _joined(state: State, first: Play, second: Play) -> Play:
    moves = (*first.moves, *second.moves)
    return Play(moves, first.probability * second.probability, describe(state, moves), _shown(state, moves))


# Marking --------------------------------------------------------------------------------------------------------------


def _marking(state: State, seen: Seen, pressed: frozenset[Player]) -> Reading:
    """Everybody marks; who presses is judged first."""
    waiting = list(rules.waiting_for(state))
    faulty: Reading | None = None
    for player in waiting:
        if player in pressed:
            reading = _confirmed(state, player, seen.lying.get(player, ()))
            if reading.kind is ReadingKind.MOVES:
                plays = _with_others(state, reading.plays, seen, pressed)
                return replace(
                    reading, plays=plays, note=plays[0].text, unanswered=_unanswered(waiting, plays, pressed)
                )
            faulty = faulty or reading
    if faulty is not None:
        return faulty
    wrong = _strange(state, seen, [p for p in range(1, state.players + 1) if p not in waiting])
    if wrong is not None:
        return Reading(ReadingKind.FAULT, (), fault=wrong)
    begun = _Marking()
    for player in waiting:
        sheet = seen.sheets.get(player)
        marking = _Marking() if sheet is None else _marked(state, player, sheet, pressed=False)
        if marking.plays:
            return Reading(ReadingKind.MOVES, (), plays=marking.plays, confirm=player, note=marking.plays[0].text)
        begun = begun if begun.note else marking
    return _begun(begun, seen.layout) if begun.note else Reading(ReadingKind.AS_BEFORE, ())


def _begun(marking: _Marking, layout: Layout) -> Reading:
    """Marks that are no play yet: nobody's fault until their player presses, but where there are no buttons, if they
    stay so."""
    fault = None if layout.buttons else marking.fault
    return Reading(ReadingKind.UNFINISHED, (), fault=fault, note=marking.note)


def _confirmed(state: State, player: Player, lying: Sequence[SheetSeen]) -> Reading:
    """What somebody's press means, before whom these sheets lie."""
    if not lying:
        return Reading(ReadingKind.FAULT, (), fault=faults.not_seen(state, player))
    sheet = lying[0]
    marking = _marked(state, player, sheet, pressed=True)
    if marking.plays:
        return Reading(ReadingKind.MOVES, (), plays=marking.plays, confirm=player, note=marking.plays[0].text)
    if len(lying) > 1:
        return Reading(ReadingKind.FAULT, (), fault=faults.several_sheets(state, player, lying))
    return Reading(ReadingKind.FAULT, (), fault=marking.fault or faults.nothing_marked(state, player, sheet))


def _with_others(state: State, plays: tuple[Play, ...], seen: Seen, pressed: frozenset[Player]) -> tuple[Play, ...]:
    """A play that is the only one, with what all others have marked who have pressed besides: after a play no press
    counts any more. Each of them is as sure as by itself."""
    if len(plays) > 1:
        return plays
    (told,) = plays
    for player in sorted(pressed.intersection(seen.sheets)):
        after = _after(state, told.moves)
        if after.phase is Phase.MARK and player in rules.waiting_for(after):
            marking = _marked(after, player, seen.sheets[player], pressed=True)
            if len(marking.plays) == 1:
                (theirs,) = marking.plays
                sure = min(told.probability, theirs.probability)
                told = replace(_joined(state, told, theirs), probability=sure)
    return (told,)


def _unanswered(players: Iterable[Player], plays: Sequence[Play], pressed: frozenset[Player]) -> frozenset[Player]:
    """Those of these players who have pressed, and of whom the plays do not tell."""
    told = {move.player for play in plays for move in play.moves if not isinstance(move, Roll)}
    return pressed.intersection(players) - told


def _strange(state: State, seen: Seen, players: Sequence[Player] | range) -> Fault | None:
    """A sheet of these on which something was marked out of turn, or rubbed out."""
    for player in players:
        sheet = seen.sheets.get(player)
        if sheet is not None and (odd := sheet.fit(state.sheets[player - 1]).odd):
            return faults.about(state, player, sheet, odd)
    return None


def _marked(state: State, player: Player, sheet: SheetSeen, *, pressed: bool) -> _Marking:
    """What a player who is to mark has marked."""
    before = state.sheets[player - 1]
    candidates = list(_candidates(state, player, sheet))
    if not (pressed and before.marked):  # who presses then does without the extra dots that are left
        candidates.insert(0, _Candidate((), sheet.fit(before)))
    fitting = [one for one in candidates if not one.fit.odd]
    if not fitting:
        return _unfit(state, player, sheet, candidates)
    left = {one.moves: _left(state, player, one.moves) for one in fitting}
    logs = {
        one.moves: one.fit.log
        + (PRESSED if pressed and not one.moves else 0.0)
        + UNSEEN * _unseen(state, sheet, one.moves)
        + WITHOUT * bool(left[one.moves] & sheet.hidden_crosses)
        for one in fitting
    }
    other = OTHER + sheet.ceiling() + max(one.fit.log_rest for one in fitting)
    unseen = [
        logs[one.moves] + OVERLOOKED + sheet.crosses.get(bit, 0.0)
        for one in fitting
        for bit in grid.list_bits(left[one.moves])
    ]
    top = max(*logs.values(), other, *unseen)
    total = sum(math.exp(log - top) for log in (*logs.values(), other, *unseen))
    best = max(fitting, key=lambda one: logs[one.moves])
    if not best.moves:
        return _Marking()
    likeliest = sorted((one.moves for one in fitting if one.moves), key=lambda moves: -logs[moves])[:MOST_ASKED]
    plays = [_marks(state, player, moves, math.exp(logs[moves] - top) / total) for moves in likeliest]
    return _Marking(_worth(plays))


def _unseen(state: State, sheet: SheetSeen, moves: Moves) -> int:
    """Of how many of these moves no dot can be seen."""
    table = state.options.components.grid
    marked = [
        grid.mask_of(table, move.dots if isinstance(move, Mark) else {move.dot}) or 0
        for move in moves
        if isinstance(move, Mark | ExtraDot)
    ]
    return sum(not dots & ~sheet.hidden_dots for dots in marked)


def _left(state: State, player: Player, moves: Moves) -> int:
    """The squares of the toppings whose extra dots these moves do without."""
    return ways.done_without(state, player, moves) if moves and isinstance(moves[-1], Stop) else 0


def _marks(state: State, player: Player, moves: Moves, probability: float) -> Play:
    """A play of marks that do not show in which order they were made."""
    if any(isinstance(move, ExtraDot) for move in moves):
        moves = ways.in_order(state, player, moves)
    return Play(moves, probability, describe(state, moves), _shown(state, moves))


def _unfit(state: State, player: Player, sheet: SheetSeen, candidates: Sequence[_Candidate]) -> _Marking:
    """Why no play fits."""
    best = max(candidates, key=lambda one: (-len(one.fit.odd), one.fit.log))
    plays = [one for one in candidates if one.moves]
    nearest = max(plays, key=lambda one: (-len(one.fit.odd), one.fit.log), default=None)
    if nearest is None and not state.sheets[player - 1].marked and sheet.new_dots():
        fault = faults.misfit(state, player, sheet)
    else:
        fault = faults.about(state, player, sheet, (nearest or best).fit.odd)
    note = faults.still_to_do(state, player, nearest.fit.odd) if nearest is not None else ""
    return _Marking(fault=fault, note=note or f"Player {player} is marking")


def _candidates(state: State, player: Player, sheet: SheetSeen) -> Iterator[_Candidate]:
    """Every legal way to mark the dots that may be there, as far as it explains all that surely are; each once for what
    shows of it. Where none explains them all, those that leave the fewest."""
    toppings = partial(_crossed_next, sheet)
    found = list(ways.ways(state, player, sheet.hinted(), toppings, partial(_likely, sheet)))
    plain = sheet.plain()
    if plain.crossed != state.sheets[player - 1].crossed and not any(
        ways.shown(shows) == ways.shown(plain) for _, shows in found
    ):
        moves = ways.leading_to(state, player, plain)
        found += [(moves, ways.after(state, player, moves))] if moves else []
    left = [(sheet.sure_dots() & ~shows.dots).bit_count() for _, shows in found]
    for (moves, shows), count in zip(found, left, strict=True):
        if count == min(left):
            yield _Candidate(moves, sheet.fit(shows))


def _likely(seen: SheetSeen, sheet: Sheet) -> tuple[float, int]:
    """What speaks for a way so far, and against it that more dots are left than toppings for them, or fewer; of ways
    alike those come first that have brought more toppings which are crossed off: the next dots need them."""
    crossed = [bit for bit, odds in seen.crosses.items() if odds > 0.0]
    dots_left = (seen.sure_dots() & ~sheet.dots).bit_count()
    odd = abs(dots_left - sum(not bit & sheet.crossed for bit in crossed))
    return seen.added(sheet) - UNPAIRED * odd, sum(bool(bit & sheet.earned) for bit in crossed)


def _crossed_next(seen: SheetSeen, earned: int) -> list[int]:
    """The toppings that the next extra dot may be for: in whatever order they are crossed off, it comes to the same.
    So one that plainly is goes first; otherwise all that may be, or the one that most may be."""
    odds = {bit: seen.crosses.get(bit, 0.0) for bit in grid.list_bits(earned)}
    ranked = sorted(odds, key=lambda bit: -odds[bit])
    if ranked and odds[ranked[0]] < PLAIN:
        return [bit for i, bit in enumerate(ranked) if i == 0 or odds[bit] >= -PLAIN]
    return ranked[:1]


def _worth(plays: Sequence[Play]) -> tuple[Play, ...]:
    """Those that are worth asking about, each with what the others do not share."""
    told = [play for i, play in enumerate(plays) if i == 0 or play.probability >= WORTH_ASKING][:MOST_ASKED]
    common = set.intersection(*(set(play.differs) for play in told)) if len(told) > 1 else set()
    return tuple(replace(play, differs=tuple(f for f in play.differs if f not in common)) for play in told)


def _after(state: State, moves: Moves) -> State:
    for move in moves:
        state = rules.apply(state, move)
    return state


# In words -------------------------------------------------------------------------------------------------------------


def describe(state: State, moves: Moves) -> str:
    """A play in a player's words."""
    words, said = [], None
    for move in moves:
        who = state.active if isinstance(move, Roll) else move.player
        told = _doing_without(state, who, moves) if isinstance(move, Stop) else _words(state, move)
        words.append(told if who == said else f"Player {who} {told}")
        said = who
    return ", ".join(words)


def _doing_without(state: State, player: Player, moves: Moves) -> str:
    """Whoever overlooked a topping reads of it before pressing."""
    own = tuple(move for move in moves if isinstance(move, Mark | ExtraDot) and move.player == player)
    left = rules.toppings_in_words(state, ways.done_without(state, player, own))
    return f"does without the extra dot{'s' if len(left) > 1 else ''} for {joined(left)}"


def _words(state: State, move: Roll | Pick | Mark | ExtraDot) -> str:
    match move:
        case Roll(faces):
            return f"rolls {' and '.join(faces)}"
        case Pick(_, die):
            return f"picks {die}"
        case Mark(_, dots):
            table = state.options.components.grid
            return f"marks {' '.join(grid.names_of(table, grid.mask_of(table, dots) or 0))}"
        case ExtraDot(_, topping, dot):
            (called,) = rules.toppings_in_words(state, state.options.components.topping_bits[topping])
            return f"adds {dot} for {called}"


def _shown(state: State, moves: Moves) -> tuple[str, ...]:
    """What shows a play in a picture."""
    faces: list[str] = []
    for move in moves:
        match move:
            case Roll(rolled):
                faces += rolled
            case Pick(_, die) if state.roll:
                faces.append(state.roll[DICE.index(die)])
            case Mark(player, dots):
                faces += [f"sheet/{player}/{dot}" for dot in sorted(dots)]
            case ExtraDot(player, topping, dot):
                faces += [f"sheet/{player}/{dot}", f"sheet/{player}/{topping}"]
            case _:
                pass
    return tuple(faces)


def _place(index: int, players: Mapping[int, Player], dice: Mapping[int, DieSeen]) -> str:
    if index in players:
        return f"sheet/{players[index]}"
    if index in dice:
        return "mat" if dice[index].middle else f"area/{dice[index].area}" if dice[index].area else "stray"
    return "stray"
