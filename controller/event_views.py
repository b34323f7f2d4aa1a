"""What an event's screen shows."""

from typing import Literal

from controller.views import Model, PlayerResultView, StandingView

EventState = Literal["away", "lobby", "plays", "asks", "breach", "paused", "over"]
"""How a table is."""


class EventPlayerView(Model):
    """Somebody at a table."""

    name: str
    colour: str
    acts: bool


class EventTableView(Model):
    """One table, as the event's screen shows it."""

    number: int
    """The same as long as the event's program runs; addresses are passed on."""
    address: str
    table: str
    """Its name; its address as long as it has not answered."""
    title: str
    """The game's."""
    state: EventState
    message: str
    """What it says to its players; of a table that was packed up, that it was."""
    calls: str
    """Why somebody should come; empty: nobody needs to."""
    calls_for_s: float
    """For how long it has been calling."""
    players: list[EventPlayerView]


class EventGameView(Model):
    """A game that is over."""

    table: str
    title: str
    ended: str
    """ISO 8601, UTC, by the clock of whoever asks the tables."""
    players: list[PlayerResultView]
    """The best first."""
    doubt: str = ""
    """Why it may have ended otherwise."""


class EventView(Model):
    """All that the event's screen shows."""

    event: str
    tables: list[EventTableView]
    standings: list[StandingView]
    """See `ResultsView.standings`."""
    games: int
    """How many are over."""
    newest: list[EventGameView]
    """The last of them, the newest first."""
    finding: str = ""
    """What is said where no table was found, or none can be; else empty."""
    twice: str = ""
    """Which of the addresses lead to one table; empty: none."""
    uncounted: str = ""
    """Which tables' games do not count, of these hours as their settings name another event, and as nobody can tell how
    they ended; empty: none."""
    namesakes: str = ""
    """Which names several people have, as far as that is known; empty: none."""
    kept: str = ""
    """Why what tables have told is not kept, or what was is not here; empty: all is well."""
