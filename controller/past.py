"""What the pages ask a running table's journal about its games."""

import logging

from fastapi import Request, Response

from controller.journal import JournalError, JournalInDoubt
from controller.journal_keeper import JournalKeeper
from controller.records.results import Results
from controller.views import HappenedView
from controller.web.problems import problem_response

_log = logging.getLogger("pizzatable")


class Past:
    """A table's games. Ask from any thread."""

    def __init__(self, journal: JournalKeeper, results: Results) -> None:
        self._journal = journal
        self._results = results
        self._pictures_lost = False
        """Whether that was said in the log: pages ask again and again."""

    def happened(self, number: int) -> list[HappenedView] | None:
        """What happened in the table's game of this number, without pictures where those cannot be read; None where
        there is none. Raises JournalError."""
        games = self._journal.games()
        if number > len(games):
            return None
        game = games[number - 1]
        return self._results.happened(self._journal.records(game=game), self._pictured(game))

    def _pictured(self, game: int) -> frozenset[int]:
        try:
            return self._journal.pictured(game)
        except JournalError as error:
            if not self._pictures_lost:
                _log.warning("what happened is told without its pictures: %s", error)
            self._pictures_lost = True
            return frozenset()


def journal_problem(request: Request, error: Exception) -> Response:
    """The answer where the journal fails: to who only asks, that it cannot be read."""
    if request.method in ("GET", "HEAD"):
        return problem_response(503, "Not read", str(error))
    if isinstance(error, JournalInDoubt):
        return problem_response(
            503,
            "Perhaps not written",
            f"{error}. This may count all the same: look again when the journal can be written.",
        )
    return problem_response(503, "Not written", f"Nothing has changed: {error}")
