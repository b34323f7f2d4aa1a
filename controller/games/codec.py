"""States and moves of a game as JSON, checked when they are read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Generic, TypeVar

from controller.game import Json, Move, NotationError, State
from controller.games import values
from controller.games.described import check_described
from controller.games.engine import Positions, Rules
from controller.games.facts import ComponentError

Components = TypeVar("Components")


@dataclass(frozen=True, slots=True)
class Codec(Generic[State, Move, Components]):
    """How a game's values are written. `options` is a field of the state, and `components` one of the options."""

    moves: Mapping[str, type[Any]]
    """Each kind of move by its name."""
    state: type[State]
    options: type[Any]
    own: Callable[[Components], Json]
    """What these components have otherwise than the packaged ones: the option `components`."""
    with_own: Callable[[Components, Json, str], Components]
    """These components with that; errors name its place. Raises ComponentError."""
    rules: Rules[State, Components]
    positions: Positions[State]

    def encode_move(self, move: Move) -> Json:
        """The move as JSON; `move` names its kind."""
        return values.encode_move(self.moves, move)

    def decode_move(self, data: Json) -> Move:
        """The move of that JSON. Raises NotationError that names the key, the value and what was expected."""
        move: Move = values.decode_move(self.moves, data)
        return move

    def encode_state(self, state: State) -> Json:
        """The state as JSON; of the components only what this copy has otherwise."""
        encoded = {field.name: getattr(state, field.name) for field in fields(self.state)}  # type: ignore[arg-type]
        options = encoded.pop("options")
        chosen = {field.name: getattr(options, field.name) for field in fields(self.options)}
        own = self.own(chosen.pop("components"))
        plain = {name: values.encode(value) for name, value in encoded.items()}
        return plain | {"options": {**chosen, "components": own}}

    def decode_state(self, components: Components, data: Json) -> State:
        """The state of that JSON. Raises NotationError that names the key, the value and what was expected."""

        def options(entry: Json) -> Any:
            own = {"components": lambda facts: self.with_own(components, facts, "state.options.components")}
            try:
                return values.decode_fields(self.options, entry, "state.options", own)
            except ComponentError as error:
                raise NotationError(str(error)) from error

        state: State = values.decode_fields(self.state, data, "state", {"options": options})
        check_described(state, self.rules.start, self.positions.position, self.positions.setup)
        return state
