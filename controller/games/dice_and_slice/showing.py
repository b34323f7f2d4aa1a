"""Dice and Slice as a display is told. All sheets lie open, so that players and spectators see the same."""

from random import Random
from typing import Any

from controller.game import Json, Player, Score
from controller.games.dice_and_slice import rules
from controller.games.dice_and_slice.components import DICE, Components
from controller.games.dice_and_slice.grid import MOST_SQUARES, lines, names_of, regions, slices
from controller.games.dice_and_slice.rules import Phase, Sheet, State


def view(state: State, viewer: Player | None) -> dict[str, Any]:  # noqa: ARG001
    """The game as JSON; a display can be written against this shape.

    Dots are named as in moves, a square by the dot at its lower left, a line by its two dots.
    """
    scores = rules.score(state)
    return {
        "phase": state.phase.value,
        "prompt": rules.turn(state).prompt,
        "turn": state.turn,
        "active": state.active,
        "waiting_for": list(rules.waiting_for(state)) if state.phase is Phase.MARK else [],
        "dice": [_die(state, index) for index in range(len(state.roll))],
        "players": [_player(state, player, scores[player - 1]) for player in range(1, state.players + 1)],
        "bonuses": _bonuses(state),
        "score": [_score(one) for one in scores],
        "winners": list(rules.winners(state)),
        "sheet": _sheet(state.options.components),
    }


def determinize(state: State, viewer: Player | None, random: Random) -> State:  # noqa: ARG001
    """The state itself: there is nothing that anybody may not know."""
    return state


def _die(state: State, index: int) -> Json:
    face = state.options.components.faces[state.roll[index]]
    users = [
        player
        for player in range(1, state.players + 1)
        if state.picked is not None and rules.face_for(state, player) == face.name
    ]
    return {
        "die": DICE[index],
        "face": face.name,
        "picture": list(face.picture),
        "connected": face.connected,
        "picked": state.picked == DICE[index],
        "used_by": users,
    }


def _player(state: State, player: Player, score: Score) -> Json:
    components, sheet = state.options.components, state.sheets[player - 1]
    parts = regions(components.grid, sheet.dots)
    return {
        "player": player,
        "dots": names_of(components.grid, sheet.dots),
        "lines": [f"{one}-{other}" for one, other in lines(components.grid, sheet.dots)],
        "slices": _slices(components, sheet),
        "too_large": [
            {"squares": names_of(components.grid, part.squares), "size": part.size, "enclosed": part.enclosed}
            for part in parts
            if part.size > MOST_SQUARES
        ],
        "perimeter": {
            "sliced": sum(1 for _ in lines(components.grid, components.grid.perimeter & sheet.dots)),
            "of": 2 * (components.columns + components.rows),
        },
        "finished": rules.is_finished(state, sheet),
        "crossed": rules.topping_names(state, sheet.crossed),
        # Crossed off or not, these score no further topping bonus.
        "counted": rules.topping_names(state, sheet.counted),
        "bonuses": rules.bonus_names(state, sheet.bonuses),
        "marked": sheet.marked,
        "extra_dots_for": rules.topping_names(state, sheet.earned),
        "placements": _placements(state, player),
        "total_so_far": score.total,
    }


def _slices(components: Components, sheet: Sheet) -> Json:
    return [
        {
            "slice": one.name,
            "width": one.width,
            "height": one.height,
            "squares": one.size,
            "points": components.points[one.size],
            "toppings": [name for name, bit in components.topping_bits.items() if bit & one.squares],
        }
        for one in slices(components.grid, sheet.dots)
    ]


def _placements(state: State, player: Player) -> Json:
    """In how many ways the player can mark each face on top that may be theirs."""
    if state.phase is Phase.PICK:
        faces = state.roll
    elif state.phase is Phase.MARK and not state.sheets[player - 1].marked:
        faces = (rules.face_for(state, player),)
    else:
        faces = ()
    return {face: sum(1 for _ in rules.marks(state, player, face)) for face in faces}


def _bonuses(state: State) -> Json:
    components = state.options.components
    return [
        {
            "bonus": one.name,
            "toppings": list(one.kinds),
            "points": one.points,
            "scored_by": [
                player
                for player, sheet in enumerate(state.sheets, start=1)
                if sheet.bonuses & components.bonus_bits[one.name]
            ],
            "closed": bool(state.closed & components.bonus_bits[one.name]),
        }
        for one in components.bonuses
    ]


def _score(score: Score) -> Json:
    shown = [{"label": line.label, "points": line.points, "detail": line.detail} for line in score.lines]
    return {"player": score.player, "total": score.total, "lines": shown}


def _sheet(components: Components) -> Json:
    return {
        "columns": components.columns,
        "rows": components.rows,
        "largest": MOST_SQUARES,
        "points": {str(size): components.points[size] for size in components.sizes},
        "toppings": [{"topping": one.name, "kind": one.kind, "square": one.square} for one in components.toppings],
        "faces": {name: list(face.picture) for name, face in components.faces.items()},
    }
