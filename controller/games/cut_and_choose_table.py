"""How New York Slice and Pizzeria lie on a table: which move a scene at rest shows.

The pizza lies in the mat's middle, what a player owns in that player's area. Collected slices lie face up there, eaten
ones face down, so that all can be counted; a Special lies face up until it is used and face down afterwards.
Stacks and the box are out of the camera's sight: stacks look alike, so they are numbered in the order they are served.

Reading goes the way of the design: `cut_and_choose_seen` says which piece each sighting is, what has changed is
compared with what each legal play would change, and a play counts only when after it everything on the table lies as it
must (`Faults.difference`). Where no play explains the table, the rules' own refusal says why.

`cut_and_choose_serving`, `_dividing` and `_choosing` read a round, `_plays` judges what they find; here is what comes
before scoring. A game's `table.py` adds what a player decides about a portion.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from controller.game import Player
from controller.games.cut_and_choose_choosing import Chooses
from controller.games.cut_and_choose_dividing import Divides
from controller.games.cut_and_choose_look import Draft, Look, unfinished, wrong
from controller.games.cut_and_choose_rules import State
from controller.games.cut_and_choose_serving import Serves
from controller.reading import Reading, ReadingKind


class CutAndChooseTable(Serves[State], Divides[State], Chooses[State]):
    """The `GameTable` of a game of the family: with what comes before scoring."""

    def read_last_meal(
        self, look: Look[State], special: str, move_of: Callable[[Player, tuple[str, ...]], Any]
    ) -> Reading:
        """The owner of a Special may once more turn collected slices over, or decline. `move_of`: the move by which
        these are eaten."""
        state, seen, changed, faults = look.state, look.seen, look.changed, self.faults
        player = self.to_act(state)[0]
        if fault := faults.at_seats(state, seen, changed, busy=player):
            return wrong(fault)
        eaten = changed.absent[player]
        if changed.new[player]:
            return wrong(faults.out_of_turn(state, player, changed.new[player], seen))
        if changed.downs[player] > len(eaten):
            return wrong(faults.extra_down(player, seen))
        if changed.downs[player] < len(eaten):
            return wrong(self.fewer_down(look, player, eaten))
        misused = [s for s in changed.turned[player] if s != special]
        if misused:
            return wrong(faults.special_misused(state, player, misused))
        if eaten:
            text = f"Player {player} eats {faults.names(state, eaten)}"
            return self.choose(look, [Draft((move_of(player, eaten),), 1.0, text, eaten)], player, player)
        declines = Draft((move_of(player, ()),), 1.0, f"Player {player} eats no more", ())
        return self._no_last_meal(look, special, declines)

    def _no_last_meal(self, look: Look[State], special: str, declines: Draft) -> Reading:
        """The owner of the Special has turned no slice over. Who declines presses; where there are no buttons the
        Special turned face down alone says so."""
        state, seen, changed, faults = look.state, look.seen, look.changed, self.faults
        player, name, buttons = self.to_act(state)[0], faults.name(state, special), look.layout.buttons
        if special in changed.turned[player] and changed.special_downs[player] > 0:
            if fault := faults.in_middle(state, seen, changed):
                return wrong(fault)
            note = f"Player {player} plays {name}: turn face down what is eaten, or turn it face up again."
            return unfinished(note) if buttons else self.legal(look, [declines], player, player)
        if fault := faults.difference(state, seen, changed):
            return wrong(fault)
        nothing = look.layout.pressing(", or press to eat nothing") or f", or {name} alone to eat nothing"
        note = f"Player {player} may eat once more: turn {name} and what is eaten face down{nothing}"
        if not buttons:
            return unfinished(note)
        declining = self.choose(look, [declines], player, player)
        return replace(
            declining, kind=ReadingKind.AS_BEFORE, declares=frozenset({declining.confirm or player}), note=note
        )
