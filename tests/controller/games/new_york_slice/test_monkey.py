"""Nonsense in the middle of real games: whatever the table takes for a move must be what lies there.

What lies there is looked up in the world itself, piece by piece, not in what the table read.
"""

import asyncio
import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from random import Random

from controller.game import Actor
from controller.games import cut_and_choose_laid as lie
from controller.games.new_york_slice import GAME, rules
from controller.games.new_york_slice.rules import Decide, Dibs, Divide, EatSeconds, Phase, State
from controller.hands import Lay
from hardware.simulated.world import Piece
from tests.controller.laid_table import LaidTable
from tests.controller.perfect_eyes import outline
from tests.long import cases
from vision.scene import FaceLikelihood, PieceKind, Pose, Sighting

SEEDS = (0, 6, 12)


@cases("seed", SEEDS, always=1)
def test_whatever_is_taken_for_a_move_is_what_lies_there(tmp_path: Path, seed: int) -> None:
    asyncio.run(_game(LaidTable(tmp_path, 2 + seed % 5, seed), Random(seed)))


async def _game(table: LaidTable, rng: Random) -> None:
    """A whole game; before each play the monkey has its turn, and then everything is put back."""
    await table.start()
    with table.journal:
        while GAME.turn(table.state).actor is not Actor.NOBODY:
            before, lying = table.state, table.lying()
            moves, player = table.hands.next_play(before)
            await (_mischief(table, rng, moves) if rng.random() < 0.4 else _almost(table, rng, moves, player))
            while table.state != before:
                await table.table.undo()
                await table.look(scenes=3)
            table.restore(lying)
            await table.moved()
            assert table.view.breach is None, table.view.breach
            await table.make(moves, player)
            await _answer(table, _after(before, moves))
            assert table.state == _after(before, moves), (table.view.message, table.view.question)


async def _answer(table: LaidTable, meant: State) -> None:
    question = table.view.question
    if question is None:
        return
    before = table.state
    for candidate in question.candidates:
        state = before
        for text in candidate.moves:
            state = GAME.apply(state, GAME.parse(state, text))
        if state == meant:
            await table.table.answer(question.id, candidate.id)
            return


def _after(state: State, moves: Sequence[rules.Move]) -> State:
    for move in moves:
        state = GAME.apply(state, move)
    return state


async def _mischief(table: LaidTable, rng: Random, moves: Sequence[rules.Move]) -> None:
    """A dozen acts, each with a look or several afterwards; every move that the table makes of it is checked."""
    monkey = _Monkey(table, rng)
    steps = list(table.hands.steps(table.state, moves, table.lying()))
    pressed: set[int] = set()
    for _ in range(rng.randint(2, 8)):
        act = rng.random()
        if act < 0.45:
            player = rng.choice(list(table.seats))
            await table.press(player)
            pressed.add(player)
        elif act < 0.65 and steps:
            table.lay(*steps.pop(0).lays)
            await table.look(0.0)
            pressed.clear()
        else:
            monkey.act()
            await table.look(0.0)
            pressed.clear()
        before = table.state
        await table.look(scenes=rng.choice((1, 2, 3, 15)))
        if table.state != before:
            _check(table, before, pressed)
            pressed.clear()
            steps.clear()


async def _almost(table: LaidTable, rng: Random, moves: Sequence[rules.Move], player: int | None) -> None:
    """The play that is due, with one thing or two different; pressed by who should, or by everybody."""
    monkey = _Monkey(table, rng)
    before = table.state
    table.play(before, *moves)
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        monkey.act()
    await table.look(0.0)
    pressing = [player] if player is not None and rng.random() < 0.7 else list(table.seats)
    for one in pressing:
        await table.press(one)
    await table.look(scenes=rng.choice((2, 12)))
    if table.state != before:
        _check(table, before, set(pressing))


class _Monkey:
    """Does to the pieces what nobody should."""

    def __init__(self, table: LaidTable, rng: Random) -> None:
        self._table, self._rng = table, rng

    def act(self) -> None:
        rng = self._rng
        on_table = [piece for piece in self._table.world.pieces.values() if piece.pose is not None]
        if not on_table or rng.random() < 0.1:
            off = [piece for piece in self._table.world.pieces.values() if piece.pose is None]
            self._lay(rng.choice(off), self._anywhere(), rng.random() < 0.7)
            return
        piece = rng.choice(on_table)
        assert piece.pose is not None
        match rng.randrange(6):
            case 0:
                self._lay(piece, self._anywhere(), piece.face_up)
            case 1:
                self._lay(piece, piece.pose, not piece.face_up)
            case 2:
                self._lay(piece, None, False)
            case 3:
                self._swap(piece, rng.choice([p for p in on_table if p.kind is piece.kind]))
            case 4:
                x, y = piece.pose.x_mm + rng.gauss(0, 12), piece.pose.y_mm + rng.gauss(0, 12)
                self._lay(piece, Pose(x, y, piece.pose.angle_deg), piece.face_up)
            case _:
                self._portion_somewhere()

    def _lay(self, piece: Piece, pose: Pose | None, face_up: bool) -> None:
        self._table.lay(Lay(piece.piece_id, pose, face_up))

    def _swap(self, one: Piece, other: Piece) -> None:
        self._lay(one, other.pose, one.face_up)
        self._lay(other, one.pose, other.face_up)

    def _anywhere(self) -> Pose:
        rng = self._rng
        return Pose(rng.uniform(-540, 540), rng.uniform(-310, 310), rng.uniform(0, 360))

    def _portion_somewhere(self) -> None:
        """Somebody takes a portion, or part of it, wherever it goes."""
        state: State = self._table.state
        portions = [p.slices for p in state.portions if p.taken_by is None and p.slices] or [state.ring]
        faces = self._rng.choice(portions)
        count = self._rng.choice((len(faces), max(1, len(faces) - 1)))
        if faces:
            step = self._table.hands._grab(self._rng.choice(list(self._table.seats)), faces[:count])
            self._table.lay(*step.lays)


# What lies there ------------------------------------------------------------------------------------------------------


def _check(table: LaidTable, before: State, pressed: set[int]) -> None:
    """The state that the table has just reached, against the world."""
    after: State = table.state
    said = f"{table.view.log[-1].text}: "
    confirming = _confirming(table)
    assert confirming is None or confirming in pressed, f"{said}player {confirming} has not pressed"
    here = {name: _where(table, piece) for name, piece in table.world.pieces.items() if piece.pose is not None}
    ups = {piece.face for name, piece in table.world.pieces.items() if name in here and piece.face_up}
    assert len(ups) == sum(table.world.pieces[name].face_up for name in here), f"{said}a piece lies there twice"
    for player, holding in enumerate(after.holdings, 1):
        mine = [table.world.pieces[name] for name, place in here.items() if place.player == player]
        if after.phase is not Phase.OVER:
            _check_seat(mine, holding, said + f"player {player}: ")
    if after.phase is not Phase.OVER:
        _check_middle(table, after, [table.world.pieces[n] for n, p in here.items() if p.player == 0], said)
    if before.phase is Phase.DIVIDE and after.phase is Phase.CHOOSE:
        _check_portions(table, after, said)


def _confirming(table: LaidTable) -> int | None:
    running = table.table._running
    assert running is not None
    last = running.moves[-1][-1]
    return last.player if isinstance(last, Decide | Dibs | EatSeconds) else _slicer(table, last)


def _slicer(table: LaidTable, move: rules.Move) -> int | None:
    return table.state.slicer if isinstance(move, Divide) else None


def _check_seat(mine: Sequence[Piece], holding: rules.Holding, said: str) -> None:
    slices = [piece for piece in mine if piece.kind is PieceKind.SLICE]
    specials = [piece for piece in mine if piece.kind is PieceKind.SPECIAL]
    assert {p.front for p in slices if p.face_up} == set(holding.collected), said
    assert sum(not p.face_up for p in slices) == len(holding.eaten) + holding.unseen_eaten, said
    assert {p.front for p in specials if p.face_up} == {s.name for s in holding.specials if not s.used}, said
    assert sum(not p.face_up for p in specials) == sum(s.used for s in holding.specials), said


def _check_middle(table: LaidTable, state: State, middle: Sequence[Piece], said: str) -> None:
    pizza = {f for p in state.portions if p.taken_by is None for f in p.slices} if state.portions else set(state.ring)
    special = state.phase in (Phase.REDRAW, Phase.DIVIDE) or any(p.special and not p.taken_by for p in state.portions)
    assert {p.face for p in middle if p.kind is PieceKind.SLICE} == pizza, said
    assert {p.face for p in middle if p.kind is PieceKind.SPECIAL} == ({state.special} if special else set()), said
    tips = [math.hypot(p.pose.x_mm, p.pose.y_mm) for p in middle if p.pose and p.kind is PieceKind.SLICE]
    assert all(tip < lie.MIDDLE_TIP_MM for tip in tips), said


def _check_portions(table: LaidTable, state: State, said: str) -> None:
    """Neighbours of one portion lie near each other, portions apart."""
    for portion in state.portions:
        for one, other in pairwise(portion.slices):
            assert lie.gap_mm(_sighting(table, one), _sighting(table, other)) < lie.CUT_MM + 1, f"{said}{one} {other}"


def _where(table: LaidTable, piece: Piece) -> lie.Place:
    assert piece.pose is not None
    return lie.place(_seen(piece), table.areas)


def _sighting(table: LaidTable, face: str) -> Sighting:
    return _seen(table.world.pieces[face])


def _seen(piece: Piece) -> Sighting:
    assert piece.pose is not None
    faces = (FaceLikelihood(piece.face, 1.0),)
    return Sighting(piece.kind, piece.pose, faces, piece.face_up, 1.0, outline(piece.kind, piece.pose))
