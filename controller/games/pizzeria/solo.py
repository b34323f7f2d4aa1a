"""The solo variant: one player against the House. Its rules are this project's own.

The text leaves the rules of playing against a virtual player to the publisher's website; they are not known here, and
nothing below is taken from them. Player 1 is the human, player 2 the House, and all is as with two players (slices,
piles, four portions, two choices each, the knife in turns), except that the House does not think. At a table:

- Pile: the House is served the pile with the lowest number.
- Slicing: spin the knife in the middle. The House cuts where the tip comes to rest and then, clockwise, after every
  third slice. The special offer lies with the portion of two slices.
- Choosing: the House takes the portion that counts most: each basil leaf 1, each slice without basil 1, the special
  offer 2; of equal ones the one with more slices, then the one whose letter comes first.
- Deciding: kind by kind, the House saves its slices if it then has at least as many slices of the kind as the player,
  and otherwise eats those that have basil. It puts offer C on the kind of which it has most saved, of equal ones on
  that of the highest value. It never uses A, E and J.

What the House does is chance to the engine: only how the knife spins is open, but nobody decides it.
"""

from collections.abc import Iterator
from itertools import chain
from random import Random

from controller.game import Actor, IllegalMove, Refusal, Turn
from controller.games import cut_and_choose
from controller.games.cut_and_choose_rules import in_order, in_words
from controller.games.pizzeria import headings, rules
from controller.games.pizzeria.rules import HOUSE as HOUSE
from controller.games.pizzeria.rules import ChoosePile, Decide, Divide, EatKind, EatSaved, Move, Phase, State, Take

_PORTION_SLICES = 3
_OFFER_COUNTS = 2


def house_acts(state: State) -> bool:
    """Whether the House is to act; player 1 may still use offer A before it."""
    return state.options.solo and rules.turn(state).players[:1] == (HOUSE,)


def turn(state: State) -> Turn:
    """As `rules.turn`; the House's moves are chance."""
    if not house_acts(state):
        return rules.turn(state)
    return Turn(Actor.CHANCE, (), f"{_PROMPTS[state.phase]}{rules.told_of_offer_a(state)}")


def legal(state: State) -> Iterator[Move]:
    """As `rules.legal`; of the House's moves those its rules allow."""
    if not house_acts(state):
        return rules.legal(state)
    late = (move for move in rules.legal(state) if isinstance(move, EatSaved)) if rules.late_eater(state) else ()
    return chain(house_moves(state), late)


def refusal(state: State, move: Move) -> Refusal | None:
    """As `rules.refusal`, and why a move is not what the House does."""
    found = rules.refusal(state, move)
    if found is not None or isinstance(move, EatSaved) or not house_acts(state):
        return found
    allowed = house_moves(state)
    plain = rules.canonical_divide(state, move) if isinstance(move, Divide) else move
    if plain in allowed:
        return None
    remedy = f"{_PROMPTS[state.phase]}.{_told(state, allowed[0])}"
    return Refusal(headings.SOLO, "The House does something else by its rules.", remedy)


def apply(state: State, move: Move) -> State:
    """The state after a legal move. Raises IllegalMove for any other."""
    if house_acts(state):
        found = refusal(state, move)
        if found is not None:
            raise IllegalMove(found)
    return rules.apply(state, move)


def draw(state: State, random: Random) -> Move:
    """A chance outcome, the House's moves included. Raises GameError where chance does not act."""
    return random.choice(house_moves(state)) if house_acts(state) else rules.draw(state, random)


def house_moves(state: State) -> tuple[Move, ...]:
    """What the House may do now: one move, or one for each slice the knife may point at."""
    match state.phase:
        case Phase.PILE:
            return (ChoosePile(min(state.stacks)),)
        case Phase.DIVIDE:
            return _house_divisions(state)
        case Phase.CHOOSE:
            return (Take(HOUSE, _house_portion(state)),)
        case Phase.DECIDE:
            return (_house_decision(state),)
        case _:
            return (EatKind(HOUSE, None),)


_PROMPTS = {
    Phase.PILE: "The House has the knife and is served the pile with the lowest number",
    Phase.DIVIDE: "The House slices: spin the knife, cut where it points and clockwise after every third slice",
    Phase.CHOOSE: "The House takes the portion that counts most: leaves, slices without basil, 2 for the special offer",
    Phase.DECIDE: "The House saves each kind in which it then is not behind and eats the rest",
    Phase.EAT_KIND: "The House does not use special offer J",
}


def _told(state: State, move: Move) -> str:
    """What the House does now, where that is not plain from its rules at once."""
    match move:
        case Take(_, index):
            portion = state.portions[index]
            faces = (*portion.slices, *((str(state.special),) if portion.special else ()))
            return f" Here it takes {in_words(state, *faces)}."
        case Decide(_, eaten, kind):
            on = "" if kind is None else f", and offer C goes on the {kind}s"
            return f" Here it eats {in_words(state, *in_order(state, eaten)) or 'nothing'}{on}."
        case _:
            return ""


def _house_divisions(state: State) -> tuple[Divide, ...]:
    ring, portions = state.ring, cut_and_choose.portions_for(state.players)
    special_in = None if state.special is None else portions - 1
    divisions = []
    for face in ring:
        turned = cut_and_choose.start_ring_at(ring, face)
        cuts = range(0, _PORTION_SLICES * portions, _PORTION_SLICES)
        pieces = tuple(turned[cut : cut + _PORTION_SLICES] for cut in cuts)
        divisions.append(rules.canonical_divide(state, Divide(HOUSE, pieces, special_in)))
    return tuple(divisions)


def _house_portion(state: State) -> int:
    by_face = state.options.components.by_face

    def counts(index: int) -> tuple[int, int, int]:
        portion = state.portions[index]
        points = sum(max(1, by_face[face].basil) for face in portion.slices) + _OFFER_COUNTS * portion.special
        return points, len(portion.slices), -index

    return max((index for index, one in enumerate(state.portions) if one.taken_by is None), key=counts)


def _house_decision(state: State) -> Decide:
    by_face = state.options.components.by_face
    counts = rules.type_counts(state)
    eaten: set[str] = set()
    for value, have in counts.items():
        faces = [face for face in state.taken if by_face[face].values == (value,)]
        if have[HOUSE] + 2 * len(faces) < have[3 - HOUSE]:
            eaten.update(face for face in faces if rules.may_eat(state, face))
    decided = Decide(HOUSE, frozenset(eaten))
    kinds = rules.kinds_to_put_on(state, decided)
    if not kinds:
        return decided
    after = rules.type_counts(rules.apply(state, decided))
    return Decide(HOUSE, decided.eaten, max(kinds, key=lambda kind: (after[kind][HOUSE], kind)))
