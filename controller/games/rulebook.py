"""A game's moves with what its rules say of each: when it is made, what refuses it and what it changes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from controller.game import Actor, IllegalMove, Player, Refusal, Turn


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


Rules = Mapping[type, Rule]


def find_refusal(rules: Rules, state: Any, move: object, turn: Callable[[Any], Turn], heading: str) -> Refusal | None:
    """None exactly when the move is legal; otherwise which rule it breaks. `heading` is for what is no move at all."""
    rule = rules.get(type(move))
    if rule is None:
        return refuse(heading, f"{move!r} is no move of this game.", f"{turn(state).prompt}.")
    if state.phase is not rule.phase:
        return refuse(rule.heading, rule.when, f"Now: {turn(state).prompt}.")
    return rule.refusal(state, move)


def play(rules: Rules, state: Any, move: object, found: Refusal | None) -> Any:
    """The state after the move. Raises IllegalMove where its refusal is found."""
    if found is not None:
        raise IllegalMove(found)
    return rules[type(move)].play(state, move)


def refuse(heading: str, problem: str, remedy: str, pieces: tuple[str, ...] = ()) -> Refusal:
    """A refusal whose sentences begin as sentences do."""
    return Refusal(heading, problem[:1].upper() + problem[1:], remedy, pieces)


def players_turn(players: tuple[Player, ...], prompt: str) -> Turn:
    """Players act."""
    return Turn(Actor.PLAYERS, players, prompt)


def chance(prompt: str) -> Turn:
    """Chance acts, by somebody's hand."""
    return Turn(Actor.CHANCE, (), prompt[:1].upper() + prompt[1:])
