"""A game's moves with what its rules say of each: when it is made, what refuses it and what it changes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, Protocol, TypeVar

from controller.game import Actor, IllegalMove, Move, Player, Refusal, Turn


class InPhase(Protocol):
    """A state that says what the game waits for."""

    @property
    def phase(self) -> Enum: ...


State = TypeVar("State", bound=InPhase)


@dataclass(frozen=True, slots=True)
class Rule:
    """What the rules say of one kind of move."""

    phase: Enum
    """What the game waits for when it is made."""
    refusal: Callable[[Any, Any], Refusal | None]
    """Why this move is wrong in this state of that phase."""
    play: Callable[[Any, Any], Any]
    """The state after it; unchecked."""
    heading: str
    """Of the rule text, for one that is made at another time."""
    when: str
    """When it is made, as a sentence."""


@dataclass(frozen=True, slots=True)
class Rulebook(Generic[State, Move]):
    """The rules of a game by kind of move."""

    rules: Mapping[type, Rule]
    turn: Callable[[State], Turn]
    """Says what the game waits for."""
    heading: str
    """Of the rule text, for what is no move at all."""

    def refusal(self, state: State, move: Move) -> Refusal | None:
        """None exactly when the move is legal; otherwise which rule it breaks and how to put it right."""
        rule = self.rules.get(type(move))
        if rule is None:
            return refuse(self.heading, f"{move!r} is no move of this game.", f"{self.turn(state).prompt}.")
        if state.phase is not rule.phase:
            return refuse(rule.heading, rule.when, f"Now: {self.turn(state).prompt}.")
        return rule.refusal(state, move)

    def apply(self, state: State, move: Move) -> State:
        """The state after a legal move. Raises IllegalMove for any other."""
        found = self.refusal(state, move)
        if found is not None:
            raise IllegalMove(found)
        after: State = self.rules[type(move)].play(state, move)
        return after


def refuse(heading: str, problem: str, remedy: str, pieces: tuple[str, ...] = ()) -> Refusal:
    """A refusal whose sentences begin as sentences do."""
    return Refusal(heading, problem[:1].upper() + problem[1:], remedy, pieces)


def players_turn(players: tuple[Player, ...], prompt: str) -> Turn:
    """Players act."""
    return Turn(Actor.PLAYERS, players, prompt)


def chance(prompt: str) -> Turn:
    """Chance acts, by somebody's hand."""
    return Turn(Actor.CHANCE, (), prompt[:1].upper() + prompt[1:])
