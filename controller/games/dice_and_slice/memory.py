"""What is remembered of a table beside the state: what an eraser left on the sheets, and how the turn before left the
dice.

It is kept by state, so that it comes back with a state to which the host goes back. A state that was never read before,
as after a start of the program or a ruling, has what was known of the one before it, and what its first scene at rest
tells.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from controller.game import Player
from controller.games.dice_and_slice import rules
from controller.games.dice_and_slice.components import DICE
from controller.games.dice_and_slice.rules import Phase, Pick, State
from controller.games.dice_and_slice.seen import DieSeen, Seen, Traces, dice_named
from controller.games.dice_and_slice.ways import Moves
from controller.reading import Layout, Play
from vision.scene import Scene


@dataclass(frozen=True, slots=True)
class Left:
    """How the turn before left the dice."""

    lying: tuple[DieSeen, ...] = ()
    """Those that lay on the mat when the other one was picked."""
    roll: tuple[str, ...] | None = ()
    """What both showed; empty where there was no turn before, None where it is not known."""
    thrown: bool = False
    """Whether both have lain on the mat since, elsewhere."""

    def may_show(self, faces: tuple[str, ...]) -> bool:
        """Whether dice that show this may never have been thrown: they were laid where they lie."""
        return not self.thrown and self.roll in (None, faces)


@dataclass(frozen=True, slots=True)
class Known:
    """What is remembered of one state."""

    traces: Mapping[Player, Traces]
    """Of each player's sheet, where anything is known of it."""
    left: Left


class Memory:
    """What is remembered of the states of a game, as they are read."""

    def __init__(self) -> None:
        self._met: dict[State, Known] = {}
        self._next: dict[State, Known] = {}
        """Of those that the plays read last lead to."""
        self._last: State | None = None

    def of(self, state: State, scene: Scene, layout: Layout) -> Known:
        """What is known of a state, of which this is the newest scene."""
        if _begins(state):
            self._met = {}
        known = self._next.get(state) or self._met.get(state) or self._found(state, scene, layout)
        self._met[state] = known
        self._last = state
        return known

    def keep(self, state: State, seen: Seen, plays: Mapping[Play, State]) -> None:
        """Remember of this state what its scene tells, and of those that plays lead to."""
        known = self._met[state]
        if known.left.lying and not known.left.thrown and both_thrown(seen):
            known = self._met[state] = replace(known, left=replace(known.left, thrown=True))
        self._next = {}
        for play, after in plays.items():
            left = known.left
            if any(isinstance(move, Pick) for move in play.moves):
                left = Left(tuple(die for die in seen.dice if die.middle), _rolled(state, play.moves))
            self._next[after] = Known({**known.traces, **_traces(after, seen)}, left)

    def _found(self, state: State, scene: Scene, layout: Layout) -> Known:
        if _begins(state):
            return Known({}, Left())
        last = self._last
        before = self._met.get(last) if last is not None and _goes_on(last, state) else None
        traces: Mapping[Player, Traces] = {}
        if last is not None and before is not None:
            same = [p for p in before.traces if last.sheets[p - 1] == state.sheets[p - 1]]
            traces = {player: before.traces[player] for player in same}
        seen = Seen(state, scene, layout, traces)
        left = _left(state, seen)
        if last is not None and before is not None and _after_one_pick(last, state):
            left = before.left
        return Known({**traces, **_traces(state, seen)}, left)


def both_thrown(seen: Seen) -> bool:
    """Whether both dice lie on the mat, and not as the turn before left them."""
    known = dice_named([one for one in seen.thrown if one.middle])
    return all(known[name] for name in DICE)


def _begins(state: State) -> bool:
    return state.turn == 1 and state.phase is Phase.ROLL


def _goes_on(before: State, state: State) -> bool:
    """Whether a state may follow another one by a ruling: nothing is rubbed out."""
    if (before.players, before.options, before.first) != (state.players, state.options, state.first):
        return False
    kept = all(not one.dots & ~other.dots for one, other in zip(before.sheets, state.sheets, strict=True))
    return kept and state.turn - before.turn in (0, 1)


def _after_one_pick(before: State, state: State) -> bool:
    """Whether a state waits for the roll that comes after the pick which was the last one in the state before, too."""
    since = 1 if before.phase is Phase.MARK else 0
    return state.phase is Phase.ROLL and state.turn - before.turn == since


def _rolled(state: State, moves: Moves) -> tuple[str, ...]:
    return next((move.faces for move in moves if isinstance(move, rules.Roll)), state.roll)


def _traces(state: State, seen: Seen) -> dict[Player, Traces]:
    """Who has done marking leaves nothing on the own sheet but what is known of it, and traces. Where more is there it
    is no trace: somebody was wrong, or goes ahead with the next turn while others still mark."""
    done = set(seen.sheets).difference(rules.waiting_for(state) if state.phase is Phase.MARK else ())
    return {
        player: seen.sheets[player].traces_beside(state.sheets[player - 1])
        for player in done
        if not seen.sheets[player].fit(state.sheets[player - 1]).odd
    }


def _left(state: State, seen: Seen) -> Left:
    """How the turn before seems to have left the dice. While players mark it is this turn's roll. Before the next one
    the die on the mat is the one that was not picked, as long as the active player has none; all else may have been
    thrown or not."""
    middle = tuple(die for die in seen.dice if die.middle)
    if state.phase is Phase.MARK:
        other = state.roll[1 - DICE.index(str(state.picked))]
        return Left(tuple(die for die in middle if die.face == other), state.roll)
    taken = any(die.area == state.active for die in seen.dice)
    return Left(middle if len(middle) == 1 and not taken else (), None)
