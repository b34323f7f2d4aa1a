"""What can be set for a table. The defaults, and what each setting means, are in `defaults.toml` beside this file."""

import re
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from config.names import parse_name

Point = tuple[float, float]
"""(x, y) in table millimetres."""

Rest = Annotated[float, Field(gt=0, le=60)]
"""Seconds for which nothing moves before anything is judged: with more a table seems to be dead."""
Patience = Annotated[float, Field(gt=0, le=600)]
"""Seconds."""


def _none_if_empty(value: object) -> object:
    return None if value == "" else value


def _camera_driver(value: str) -> str:
    if value in ("simulated", "picamera2") or re.fullmatch(r"opencv:.+", value):
        return value
    raise ValueError('expected "simulated", "picamera2" or "opencv:" and a device, a file or a folder')


def _pin(value: int) -> int:
    if 2 <= value <= 27:
        return value
    raise ValueError("expected a GPIO's number from 2 to 27 (BCM), not that of a pin of the header")


def _game(value: str) -> str:
    if re.fullmatch(r"[a-z][a-z0-9_]*", value):
        return value
    raise ValueError('expected the name of a game in small letters, such as "new_york_slice"')


def _colour(value: str) -> str:
    if re.fullmatch(r"#[0-9A-Fa-f]{6}", value):
        return value
    raise ValueError('expected a colour as "#rrggbb"')


def _some_text(value: object) -> object:
    if value == "":
        raise ValueError("expected a path; nothing would be the folder in which the command is typed")
    return value


def _home_folder(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError as error:
        raise ValueError(f"expected a path whose home folder exists: {error}") from error


def _only_the_game(path: Path | None) -> Path | None:
    rest = "" if path is None else path.name.replace("{game}", "")  # folders are called what they are
    if "{" in rest or "}" in rest:
        raise ValueError("expected no { or } but those of {game}, which stands for the game's name")
    return path


Pin = Annotated[int, AfterValidator(_pin)]
"""A Raspberry Pi's GPIO, by its BCM number."""
Colour = Annotated[str, AfterValidator(_colour)]
CameraDriver = Annotated[str, AfterValidator(_camera_driver)]
Millimetres = Annotated[float, Field(ge=400, le=10_000)]
FilePath = Annotated[Path, BeforeValidator(_some_text), AfterValidator(_home_folder)]
OptionalPath = Annotated[FilePath | None, BeforeValidator(_none_if_empty)]
OptionalText = Annotated[str | None, BeforeValidator(_none_if_empty)]
OptionalName = Annotated[
    Annotated[str, Field(max_length=60), AfterValidator(parse_name)] | None, BeforeValidator(_none_if_empty)
]
Name = Annotated[str, Field(min_length=1, max_length=60), AfterValidator(parse_name)]


class Settings(BaseModel):
    """Immutable; an unknown key or a value of another type is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class SeatConfig(Settings):
    """One place at the table."""

    present: bool
    name: Name
    colour: Colour
    area_mm: Annotated[tuple[Point, ...], Field(min_length=3, max_length=32)]
    button_pin: Pin
    lamp_pin: Pin


class HostConfig(Settings):
    """The host's controls."""

    button_pin: Pin
    buzzer_pin: Pin


class CameraConfig(Settings):
    """The camera and what it sees."""

    driver: CameraDriver
    width: Annotated[int, Field(ge=320, le=7680)]
    height: Annotated[int, Field(ge=240, le=4320)]
    rate: Annotated[float, Field(ge=1, le=240)]
    mains_hz: Literal[0, 50, 60]
    view_mm: tuple[Millimetres, Millimetres]
    """The mat lies within it."""
    focus_mm: Annotated[float, Field(ge=50, le=10_000)]
    follow_light: bool
    hold: bool


class SerialConfig(Settings):
    """The line to the microcontroller."""

    port: OptionalText
    baud: Annotated[int, Field(ge=1200, le=4_000_000)]


class LanConfig(Settings):
    """How the table is reached."""

    host: Annotated[str, Field(min_length=1)]
    port: Annotated[int, Field(ge=0, le=65535)]
    announce: bool
    name: OptionalName


class Confirm(Enum):
    """What ends a move that could still be changed."""

    BUTTON = "button"
    REST = "rest"


class TimingConfig(Settings):
    """How long things must last."""

    rest_s: Rest
    clear_rest_s: Rest
    breach_s: Patience
    confirm: Confirm
    confirm_rest_s: Patience
    hang_s: Annotated[float, Field(ge=3, le=3600)]
    """A picture is waited for half as long, so the slowest camera must give one in that time."""


def _present(seats: dict[int, SeatConfig]) -> dict[int, SeatConfig]:
    return {number: seats[number] for number in sorted(seats) if seats[number].present}


class TableConfig(Settings):
    """Everything that is set for one table."""

    name: Name
    game: Annotated[str, AfterValidator(_game)]
    options: dict[str, Any]
    """The game's own options, which the game checks."""
    data_dir: FilePath
    faces: Annotated[OptionalPath, AfterValidator(_only_the_game)]
    event: OptionalName
    seats: Annotated[dict[Annotated[int, Field(ge=1, le=12)], SeatConfig], AfterValidator(_present)]
    """Seat number to seat, in order; only those that are present."""
    host: HostConfig
    camera: CameraConfig
    serial: SerialConfig
    lan: LanConfig
    timing: TimingConfig

    def faces_of(self, game: str) -> Path | None:
        """The file of this game's enrolled faces; None where `faces` names none. `{game}` in it is the game's name."""
        return None if self.faces is None else Path(str(self.faces).replace("{game}", game))
