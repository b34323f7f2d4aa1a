"""How people lay New York Slice, for simulated players; most of it is in `cut_and_choose_hands`."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from controller.game import Actor, Player
from controller.games.cut_and_choose_hands import CutAndChooseHands, Mover
from controller.games.cut_and_choose_rows import Item
from controller.games.new_york_slice import rules
from controller.games.new_york_slice.components import SUPREME
from controller.games.new_york_slice.rules import Holding, Phase, State
from controller.hands import Lay, Lying, Mistake, Step
from vision.scene import Point

SUPREME_APART_MM = 16.0
"""The Supreme slice is laid next to those it is attached to, and what follows leaves this much more."""
SETTLED = (Phase.STACK, Phase.DIVIDE, Phase.CHOOSE, Phase.SECONDS, Phase.COUNT, Phase.OVER)
"""Where the table must agree before anybody goes on."""


class NewYorkSliceHands(CutAndChooseHands[State]):
    """The hands of players of New York Slice."""

    early = rules.CUT_IN_LINE
    call = rules.DIBS
    shift = rules.SNEAK_A_SLICE
    plain = "without pepperoni"

    def __init__(
        self,
        game: Any,
        start: State,
        areas: Mapping[Player, Sequence[Sequence[Point]]],
        rng: Random,
        *,
        daring: float = 0.35,
    ) -> None:
        """See `CutAndChooseHands`."""
        super().__init__(game, start, areas, rng, daring=daring)
        self._mystery: str | None = None
        self._hidden: dict[Player, list[str]] = {}

    # What is played --------------------------------------------------------------------------------------------------

    def next_play(self, state: State) -> tuple[Sequence[rules.Move], Player | None]:
        """See `GameHands`."""
        moves: list[rules.Move] = []
        player: Player | None = None
        while True:
            turn = self._game.turn(state)
            if turn.actor is Actor.NOBODY:
                return moves, player
            if turn.actor is Actor.CHANCE:
                move = self._chance(state)
            else:
                player = player or self._who(state, turn.players)
                move = self._decision(state, player)
            moves.append(move)
            state = self._game.apply(state, move)
            if isinstance(move, rules.Decide) and move.mystery_eaten:
                self._hidden.setdefault(move.player, []).append(str(self._mystery))
                moves = [rules.Mystery(None) if isinstance(m, rules.Mystery) else m for m in moves]
            if state.phase in SETTLED and not isinstance(move, rules.Sneak):
                return moves, player
            if state.phase is Phase.REDRAW and isinstance(move, rules.Reveal | rules.Redraw):
                return moves, player

    def uses_knife(self, moves: Sequence[rules.Move]) -> bool:
        """See `GameHands`."""
        return any(isinstance(move, rules.Divide) for move in moves)

    def _chance(self, state: State) -> rules.Move:
        match state.phase:
            case Phase.REVEAL:
                special, slices = self._served(state)
                return rules.Reveal(str(special), slices)
            case Phase.REDRAW:
                return rules.Redraw(self._spare())
            case Phase.MYSTERY:
                self._mystery = self._rng.choice(self._deck.extras)
                return rules.Mystery(self._mystery)
            case _:
                player = next(p for p, h in enumerate(state.holdings, 1) if h.unseen_eaten)
                return rules.RevealEaten(player, self._hidden[player][0])

    # How it is laid --------------------------------------------------------------------------------------------------

    def _lay(self, before: State, after: State, move: rules.Move, lying: Mapping[str, Lying]) -> Sequence[Step]:
        match move:
            case rules.Reveal():
                return self._serve(before.slicer, move.special, move.ring)
            case rules.Redraw():
                return self._redraw(before, move.special, lying)
            case rules.Divide():
                return self._divide(before.slicer, move, str(after.special), lying)
            case rules.Sneak():
                return [self._flip(move.player, self.shift, lying), self._shift_slice(before, move, lying)]
            case rules.Dibs():
                return [self._flip(move.player, self.call, lying), *self._settle(after, move.player, lying)]
            case rules.Take() if before.order and move.player != before.order[0]:
                return [self._flip(move.player, self.early, lying)]
            case rules.Decide():
                return self._settle(after, move.player, lying)
            case rules.EatSeconds():
                flip = [self._flip(move.player, rules.SECONDS, lying)] if move.eaten else []
                return [*flip, *self._settle(after, move.player, lying)]
            case rules.RevealEaten():
                return [Step(move.player, (Lay(move.face, lying[move.face].pose, True),))]
            case _:
                return []

    def _items(self, player: Player, holding: Holding) -> list[Item]:
        """See `CutAndChooseHands`."""
        collected = [
            Item(face, True, hugs=True, after_mm=SUPREME_APART_MM) if face == SUPREME else Item(face, True)
            for face in _grouped(holding)
        ]
        return [
            *collected,
            *(Item(face, False) for face in (*holding.eaten, *self._hidden.get(player, ()))),
            *(Item(s.name, not s.used, is_card=True) for s in holding.specials),
        ]

    # How rules get broken --------------------------------------------------------------------------------------------

    def mistakes(self, state: State, moves: Sequence[rules.Move], lying: Mapping[str, Lying]) -> Sequence[Mistake]:
        """See `GameHands`."""
        makers: list[Mover] = []
        match moves[0]:
            case rules.ChooseStack():
                makers = [self._wrong_slice, self._slice_gone, self._special_misuse]
            case rules.Divide():
                makers = [
                    self._order_changed,
                    self._too_few,
                    self._too_many,
                    self._slice_gone,
                    self._takes_undivided,
                    self._special_misuse,
                    self._pizza_slice_gone,
                ]
            case rules.Take():
                makers = [
                    self._out_of_turn,
                    self._eats_plain,
                    self._slice_gone,
                    self._two_portions,
                    self._special_misuse,
                    self._pizza_slice_gone,
                    self._eats_collected,
                ]
            case _:
                pass
        found = [make(state, moves, lying) for make in makers]
        return [mistake for mistake in found if mistake is not None]

    def _may_eat(self, state: State, face: str) -> bool:
        """See `CutAndChooseHands`."""
        return state.options.components.by_face[face].pepperoni > 0

    def _eats_what_was_taken(self, state: State, take: rules.Take) -> bool:
        """See `CutAndChooseHands`."""
        holding = self._game.apply(state, take).holdings[take.player - 1]
        if any(s.name in (rules.COMBO_CRAVING, rules.YOU_LOVE_VEGGIES) for s in holding.specials):
            return False
        return not (state.portions[take.portion].special and state.special == rules.MYSTERY_SLICE)


HANDS = NewYorkSliceHands
"""Found by the folder's name; see `controller.hands.MakeHands`."""


def _grouped(holding: Holding) -> list[str]:
    """Collected slices by value; the Supreme slice after those it is attached to."""

    def key(face: str) -> tuple[int, int, str]:
        if "/" in face:
            return int(face.partition("/")[0]), 0, face
        if face == "supreme" and holding.supreme_as and holding.supreme_as.isdigit():
            kind = holding.supreme_as
            plain = any(f.startswith(f"{kind}/") for f in holding.collected)
            combo = next((f for f in holding.collected if f.startswith("combo-") and kind in f.split("-")), None)
            return (int(kind), 1, face) if plain or combo is None else (key(combo)[0], 1, face)
        if face.startswith("combo-"):
            return 20 + int(face.split("-")[1]), 0, face
        return (30, 0, face) if face == "anchovy" else (31, 0, face)

    return sorted(holding.collected, key=key)
