"""Who plays at a simulated table, and the files by which its process and the service find each other."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Gathering:
    """Who plays at the simulated table, and how."""

    players: int
    seed: int
    """What they do follows from it, as far as the table answers in the same way."""
    speed: float
    """How much faster than people's their hands are."""
    mistakes: float
    """How often they break a rule on purpose before a play, 0 to 1."""
    games: int = 0
    """After this many games they stop; 0: never."""
    pause_s: float = 25.0
    """How long they look at the guest check before the next game."""


@dataclass(frozen=True, slots=True)
class Paths:
    """The files of a simulated table, all in one private folder."""

    folder: Path

    @property
    def socket(self) -> Path:
        """Where the table answers; see `hardware.simulated.link`."""
        return self.folder / "table.sock"

    @property
    def board(self) -> Path:
        """Where its microcontroller's serial port is."""
        return self.folder / "board"

    @property
    def no_board(self) -> Path:
        """Why it has no microcontroller; missing where it has one."""
        return self.folder / "no-board.txt"

    @property
    def service(self) -> Path:
        """Where the service writes its address and the host's token."""
        return self.folder / "service.json"

    @property
    def config(self) -> Path:
        return self.folder / "table.json"

    @property
    def log(self) -> Path:
        """What its process complains of."""
        return self.folder / "people.log"

    @property
    def tally(self) -> Path:
        """Where the people write what happened, after each game."""
        return self.folder / "tally.jsonl"
