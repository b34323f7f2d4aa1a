"""The table: all decisions in one place, one event loop.

Scenes and signals come in, the referee judges them with the game's own reading, a move is journalled before anything
is shown, and a whole view goes out after every change. Nothing here touches a device: the caller brings scenes,
signals, the journal, and takes views and lamps.
"""

import asyncio
import contextlib
import math
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from itertools import chain
from typing import Any, Protocol

from config.schema import Confirm, TableConfig
from controller.commands import CommandError, InvalidCommand, Sitting
from controller.game import Game, GameError, Json, Player
from controller.journal import RECOVERED, JournalDamaged, JournalError, Record, counted, set_aside
from controller.reading import GameTable, Layout, Play, Reading
from controller.records.record import check_options
from controller.referee import Answer, Referee, Verdict
from controller.running_game import RunningGame
from controller.said_names import ANOTHER_NAME, namesakes
from controller.seating import areas, player_counts, told_counts
from controller.table_view import Question, Standing, TableViews
from controller.views import BoardView, Lamp, LogLine, PartView, Source, TableView
from firmware_bridge.signals import HOST_SEAT, Signal, SignalKind
from vision.scene import Scene

_CHANGES = ("game", "play", "undo", "lobby", RECOVERED)
"""After these records another game stands on the table, or may; all others leave it as it is."""
_REPLAYED = ("game", "play", "undo", "rename", "lobby")
"""What a table writes down of its game."""
PAUSE_UNWRITTEN = "The journal did not take the pause: started anew now, the table would go on. "

RESULT_STAYS_S = 10.0
"""For so long after a game's end the host's button does not put its result away: such a press may be meant for the last
move, and everybody looks at the result."""
SEQ_PER_START = 1_000_000
"""Views of one run of the program; the journal numbers the runs, so that ids grow across restarts."""


class Outlets(Protocol):
    """Where the table's decisions go."""

    def show(self, view: TableView) -> None:
        """A new whole view."""
        ...

    def lamp(self, seat: int, mode: Lamp) -> None:
        """What a seat's lamp does from now on."""
        ...

    def buzz(self) -> None:
        """Something needs the players' eyes."""
        ...

    def evidence(self) -> bytes | None:
        """The picture that the newest scene was read from, as JPEG."""
        ...


class NotReplayed(JournalDamaged):
    """A record of the last game does not replay at this table; `remedy` says what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


class NoSuchSeat(InvalidCommand):
    """The table's settings do not have this seat."""

    def __init__(self, seat: int, seats: Iterable[int]) -> None:
        super().__init__(f"seat {seat}: expected one of {sorted(seats)}")
        self.seat = seat


class Log(Protocol):
    """What the table needs of its journal."""

    def append(
        self, kind: str, data: Json, evidence: bytes | None = None, *, begins_game: bool = False
    ) -> "Future[int]":
        """See `Journal.append`."""
        ...

    def records(self, after: int = 0, *, game: int | None = None) -> list[Record]:
        """See `Journal.records`."""
        ...

    def games(self) -> tuple[int, ...]:
        """See `Journal.games`."""
        ...

    def last_game(self) -> int | None:
        """See `Journal.last_game`."""
        ...


class Table:
    """One table. All methods run in one event loop; what comes in while something is being written to disk waits."""

    def __init__(
        self,
        config: TableConfig,
        game: Game[Any, Any],
        game_table: GameTable[Any],
        referee: Referee,
        journal: Log,
        outlets: Outlets,
        *,
        version: str,
        simulated: bool,
        boot: str = "",
        identity: str = "",
    ) -> None:
        """`boot`: which start of the computer it runs in (`boot_id`); `identity`: see `TableView`."""
        self._boot = boot
        self._config = config
        self._game = game
        self._game_table = game_table
        self._referee = referee
        self._journal = journal
        self._outlets = outlets
        self._version = version
        self._simulated = simulated
        self._views = TableViews(config, game, game_table, version=version, simulated=simulated, identity=identity)
        self._parts: dict[str, PartView] = {}
        self._board: BoardView | None = None
        self._running: RunningGame | None = None
        self._joined: list[int] = []
        self._wants_to_begin: int | None = None
        self._last_winner_seat: int | None = None
        self._paused = False
        self._pause_note = ""
        self._pause_unwritten = False
        self._plays_before_press: int | None = None
        self._undecided: set[int] = set()
        """Seats, or HOST_SEAT, whose button is down: a press if it is let go soon, and something else if it is held."""
        self._result_stays_to_s = -math.inf
        self._scene: Scene | None = None
        self._places: tuple[str, ...] = ()
        self._faces: tuple[str, ...] = ()
        self._verdict = Verdict(Answer.HANDS)
        self._question: Question | None = None
        self._questions = 0
        self._seq = 0
        self._newest = 0
        """The last record that is known to be written."""
        self._shown: TableView | None = None
        self._last_read: tuple[tuple[object, ...], Reading] | None = None
        """What was read last, and of what."""
        self._deciding = asyncio.Lock()

    # Life ----------------------------------------------------------------------------------------------------------

    async def start(self, *, fresh: bool = False) -> None:
        """Bring back the last game of the journal, note the start, show the first view. `fresh` leaves that game be; so
        does a table at which another game is played now. A game that is left need not replay any more.

        Raises:
            NotReplayed: see `bring_back`.
            JournalError: the journal cannot be read or written.
        """
        records, standing = self.bring_back(fresh=fresh)
        changes = [record for record in standing if record.kind in _CHANGES]
        if not fresh and self._running is not None and changes[-1].kind == RECOVERED:
            unread = sum(record.kind == "play" for record in set_aside(records))
            if self._over:
                # It stays over, as the players saw it end: hardly ever is a game gone on with that was over, and one
                # that is would wait for people who have gone home. That it may have been is said.
                self._running.log.append(LogLine(seq=changes[-1].seq, player=None, text=_recovered_end(unread)))
            else:
                self._set_paused(True, _recovered_note(len(self._running.plays), len(standing) < len(records), unread))
        run = await self._write("start", {"version": self._version, "game": self._game.name, "boot": self._boot})
        self._seq = run * SEQ_PER_START
        if fresh and records:
            await self._write("lobby", {})
            self._running = None
            self._set_paused(False)
        self._show()

    def bring_back(self, *, fresh: bool = False) -> tuple[list[Record], list[Record]]:
        """Bring back the last game of the journal, without writing or showing anything; `fresh` as in `start`. The
        records of that game, and those of them that count.

        Raises:
            NotReplayed: a record does not replay; names it.
            JournalError: the journal cannot be read.
        """
        records = self._journal.records(game=self._journal.last_game())
        name = self._game.name
        if any(record.kind == "game" and record.data.get("game", name) != name for record in records):
            records = []
        games, standing = self._journal.games(), counted(records)
        for index, record in enumerate(standing):
            try:
                self._replay(record, games)
            except (GameError, CommandError, KeyError, IndexError, TypeError, ValueError) as error:
                if not fresh and all(later.kind != "lobby" for later in standing[index:]):
                    problem = f"record {record.seq} ({record.kind}) does not replay: {error}"
                    raise NotReplayed(problem, _to_go_on(error)) from error
                self._running = None
                self._set_paused(False)
                break
        return records, standing

    async def catch_up(self) -> list[Record]:
        """Let count what the journal has though it was said to be refused, so that the game stays what the journal
        says: such records. A disk that fails while it makes a record last may have it all the same.

        Raises:
            JournalError: it cannot be read.
        """
        async with self._deciding:
            missed, games = await asyncio.to_thread(
                lambda: (self._journal.records(self._newest), self._journal.games())
            )
            there = [record for record in missed if record.kind in _REPLAYED]
            for record in there:
                self._replay(record, games)
                self._newest = record.seq
                if record.kind in ("game", "lobby"):
                    self._joined, self._wants_to_begin = [], None
                    self._set_paused(False)
            self._show()
            return there

    @property
    def state(self) -> Any:
        """The running game's state; None in the lobby."""
        return self._running.state if self._running else None

    @property
    def judging(self) -> bool:
        """Whether what lies there is judged: a game is being played that is neither over nor paused."""
        return self._running is not None and not self._running.over and not self._paused

    @property
    def view(self) -> TableView | None:
        """The newest view."""
        return self._shown

    @property
    def parts(self) -> Mapping[str, PartView]:
        """How the parts of the table are doing."""
        return self._parts

    def set_part(self, name: str, part: PartView) -> None:
        """How a part of the table is doing."""
        if self._parts.get(name) != part:
            self._parts[name] = part
            self._show()

    def set_board(self, board: BoardView | None) -> None:
        """How the microcontroller is doing, and what it feels."""
        if self._board != board:
            self._board = board
            self._show()

    # What comes in -------------------------------------------------------------------------------------------------

    async def on_signal(self, signal: Signal) -> None:
        """A button. In the lobby a press joins or leaves, and who holds it down joins and begins; the host's starts.

        In a game the host's pauses and goes on; held down, it pauses and takes back the last move. Once the game is
        over it leads to the lobby, but for the first seconds; held down, it takes back the last move, too.
        """
        act = {
            SignalKind.BUTTON_PRESSED: self._press,
            SignalKind.BUTTON_HELD: self._hold,
            SignalKind.BUTTON_RELEASED: self._release,
        }.get(signal.kind)
        if act is not None:
            async with self._deciding:
                await act(signal)
                self._show()

    async def on_scene(self, scene: Scene) -> None:
        """What lies on the table now."""
        async with self._deciding:
            before = self._verdict.answer
            self._scene, self._verdict = scene, Verdict(Answer.HANDS)  # what was judged was another scene
            self._places, self._faces = (), ()
            self._referee.follow(scene)
            if self.judging:
                if self._referee.settled(scene):
                    await self._judge(scene, before)
                elif self._referee.settling(scene):
                    await self._foresee(scene)
                elif self._referee.settled_apart(scene):
                    await self._judge_apart(scene)
                else:
                    self._verdict = self._referee.hands(scene)
                    self._question = None
            self._show()

    # What the host may do ------------------------------------------------------------------------------------------

    async def answer(self, question_id: int, candidate_id: int, *, by: str = "") -> None:
        """See `Commands`."""
        async with self._deciding:
            question = self._question
            if question is None or question.number != question_id:
                gone = "it was answered, or what lies there has changed"
                raise CommandError(f"question {question_id} is not open any more: {gone}; look again")
            if not 0 <= candidate_id < len(question.plays):
                expected = f"expected 0 to {len(question.plays) - 1}"
                raise InvalidCommand(f"candidate {candidate_id} of question {question_id}: {expected}")
            await self._make(question.plays[candidate_id], "answer", by)
            self._show()

    async def undo(self, *, by: str = "", number: int | None = None, last: int | None = None) -> None:
        """See `Commands`."""
        async with self._deciding:
            game = self._require_game()
            _check_seen(game, number, last)
            if len(game.states) < 2:
                raise CommandError("there is no move to take back")
            self._undo(await self._write("undo", _signed({}, by)), by)
            self._show()

    async def pause(self) -> None:
        """See `Commands`."""
        async with self._deciding:
            self._require_game()
            if self._over:
                raise CommandError("the game is over: there is nothing to pause")
            if self._paused:
                raise CommandError("the table is paused already: Resume lets the game go on")
            self._pause(True)
            self._show()

    async def resume(self) -> None:
        """See `Commands`."""
        async with self._deciding:
            if not self._paused:
                raise CommandError("the table is not paused: the game goes on")
            self._pause(False)
            self._show()

    async def new_game(
        self,
        players: Sequence[Sitting],
        options: Mapping[str, Json],
        *,
        first: int | None = None,
        by: str = "",
        number: int | None = None,
    ) -> None:
        """See `Commands`."""
        async with self._deciding:
            if self._running is not None and not self._over:  # another one would be ended than was meant
                _check_seen(self._running, number, None)
            _check_names({sitting.seat: sitting.name for sitting in players})
            await self._new_game(players, options, by, first)
            self._show()

    async def rename(self, players: Sequence[Sitting], *, by: str = "", number: int | None = None) -> None:
        """See `Commands`."""
        async with self._deciding:
            game = self._require_game()
            _check_seen(game, number, None)
            names = {seat: game.names[player] for player, seat in game.seats.items()}
            for seat in [sitting.seat for sitting in players if sitting.seat not in names]:
                raise InvalidCommand(f"seat {seat}: nobody plays there; expected one of {sorted(names)}")
            renamed = {sitting.seat: sitting.name for sitting in players}
            if len(renamed) != len(players):
                raise InvalidCommand(f"seats {[sitting.seat for sitting in players]}: each seat is named once")
            _check_names(names | renamed)
            for seat, name in renamed.items():
                await self._write("rename", _signed({"seat": seat, "name": name}, by))
                game.rename(seat, name)
            self._show()

    async def to_lobby(self) -> None:
        """Leave the game be, as if it had never ended: whoever wants to may join the next."""
        async with self._deciding:
            if self._running is not None:
                await self._leave_game()
                self._show()

    async def rule_move(self, text: str, *, by: str = "", number: int | None = None, last: int | None = None) -> None:
        """See `Commands`."""
        async with self._deciding:
            game = self._require_game()
            _check_seen(game, number, last)
            try:
                move = self._game.parse(game.state, text)
            except GameError as error:
                raise InvalidCommand(str(error)) from error
            await self._make(Play((move,), 1.0, self._game.format(game.state, move)), "ruling", by)
            self._show()

    def legal_moves(self, words: str, most: int) -> list[str]:
        """See `Commands`."""
        return self._require_game().legal_moves(words, most)

    # Buttons -------------------------------------------------------------------------------------------------------

    async def _press(self, signal: Signal) -> None:
        seat, game = signal.seat, self._running
        if seat == HOST_SEAT:
            self._plays_before_press = len(game.plays) if game is not None else None
        if (game is None and seat in self._joined) or (self._over and seat == HOST_SEAT):
            self._undecided.add(seat)
        elif game is None:
            await self._press_in_lobby(seat)
        elif self._over:
            pass
        elif seat == HOST_SEAT:
            self._pause(not self._paused)
        elif (player := game.player_at(seat)) is not None:
            self._referee.press(player, signal.time_s)

    async def _press_in_lobby(self, seat: int) -> None:
        if seat in self._config.seats:
            self._joined = sorted({*self._joined, seat})
        elif seat == HOST_SEAT and len(self._joined) in self._game.player_counts:
            owners = {seat: self._config.seats[seat].name for seat in self._joined}
            alike = set(chain(*namesakes(owners)))  # what two are called tells nobody which of them it is
            sittings = [
                Sitting(seat, f"Player {player}" if seat in alike else name)
                for player, (seat, name) in enumerate(owners.items(), 1)
            ]
            await self._new_game(sittings, {})

    async def _hold(self, signal: Signal) -> None:
        self._undecided.discard(signal.seat)
        if signal.seat == HOST_SEAT:
            await self._hold_hosts_button()
        elif self._running is None and signal.seat in self._config.seats:
            self._joined = sorted({*self._joined, signal.seat})
            self._wants_to_begin = signal.seat

    async def _hold_hosts_button(self) -> None:
        """Take back the move that the host saw when the press began; a later one was not meant."""
        game, seen = self._running, self._plays_before_press
        self._plays_before_press = None
        if game is None or seen is None:
            return
        note = ""
        if seen and len(game.plays) == seen:
            self._undo(await self._write("undo", {}))
            note = "The last move is taken back. "
        if not self._over:
            self._pause(True, note)

    async def _release(self, signal: Signal) -> None:
        """Of a button that was held down nothing is undecided any more."""
        seat = signal.seat
        if seat not in self._undecided:
            return
        self._undecided.discard(seat)
        if self._running is None and seat in self._joined:
            self._joined.remove(seat)
            if seat == self._wants_to_begin:
                self._wants_to_begin = None
        elif self._over and seat == HOST_SEAT and signal.time_s >= self._result_stays_to_s:
            await self._leave_game()

    async def _leave_game(self) -> None:
        await self._write("lobby", {})
        self._running, self._joined = None, []
        self._set_paused(False)

    def _pause(self, paused: bool, note: str = "") -> None:
        """The host pauses, or lets go on, also across a restart: in a break the power may go, and pieces be put away.
        Nothing waits for the disk, so that a table can be paused whose disk is full."""
        changes = paused is not self._paused
        self._set_paused(paused, note)
        if changes:
            self._write_pause()

    def _write_pause(self) -> None:
        try:
            writing = self._journal.append("pause" if self._paused else "resume", {})
        except JournalError:  # said by the part "journal"
            self._pause_unwritten = True
        else:
            writing.add_done_callback(self._pause_is_written)

    def _pause_is_written(self, writing: "Future[int]") -> None:
        """In the journal's thread."""
        self._pause_unwritten = writing.exception() is not None

    def keep_pause(self) -> None:
        """Write down what was paused, or went on, while the journal took no records."""
        if self._pause_unwritten:
            self._write_pause()

    def _told_of_pause(self) -> str:
        return PAUSE_UNWRITTEN if self._pause_unwritten and not self._pause_note else self._pause_note

    def _set_paused(self, paused: bool, note: str = "") -> None:
        self._paused, self._pause_note = paused, note
        self._question = None
        self._verdict = Verdict(Answer.HANDS)
        self._referee.forget()

    async def _new_game(
        self, players: Sequence[Sitting], options: Mapping[str, Json], by: str = "", first_seat: int | None = None
    ) -> None:
        seats = [sitting.seat for sitting in players]
        self._check_seats(seats)
        if len(set(seats)) != len(seats):
            raise InvalidCommand(f"seats {seats}: each seat can be taken once")
        counts = player_counts(self._config, self._game.player_counts)
        if len(players) not in counts:
            many = "1 player" if len(players) == 1 else f"{len(players)} players"
            raise InvalidCommand(f"{many}: {self._game.title} takes {told_counts(counts)} at this table")
        if first_seat is not None and first_seat not in seats:
            raise InvalidCommand(f"first = {first_seat}: nobody plays at that seat; expected one of {sorted(seats)}")
        clockwise = sorted(players, key=lambda sitting: sitting.seat)
        begins = self._first_of(seats) if first_seat is None else first_seat
        first = next(i for i, s in enumerate(clockwise, 1) if s.seat == begins)
        own = {**self._config.options, **options}
        data = {
            "game": self._game.name,
            "table": self._config.name,
            "event": self._config.event or "",
            "seats": [s.seat for s in clockwise],
            "names": [s.name for s in clockwise],
            "options": own,
            "first": first,
        }
        if self._simulated:
            data["simulated"] = True
        try:
            check_options(self._game, options)
            running = self._begin(data, 0)
        except GameError as error:
            raise InvalidCommand(str(error)) from error
        if isinstance(own.get("components"), str):
            # A file may change, or go, before the game is over: what it says now goes with the game.
            own["components"] = self._game.encode_state(running.state)["options"]["components"]
        seq = await self._write("game", _signed(data, by), begins_game=True)
        running.number = _number_of(seq, await asyncio.to_thread(self._journal.games))
        self._running, self._joined, self._wants_to_begin = running, [], None
        self._set_paused(False)

    def _first_of(self, seats: Sequence[int]) -> int:
        """Who of those at these seats begins, where nobody says so on the page."""
        wanted = (self._wants_to_begin, self._last_winner_seat)
        return next((seat for seat in wanted if seat is not None and seat in seats), min(seats))

    # Judging -------------------------------------------------------------------------------------------------------

    async def _judge(self, scene: Scene, before: Answer) -> None:
        """Judge a scene at rest; `before` is what the last one was answered."""
        reading = self._read(scene, self._referee.counted(scene))
        self._places, self._faces = reading.places, reading.faces
        verdict = self._referee.judge(scene, reading)
        await self._take(scene, verdict)
        if verdict.answer is Answer.UNCLEAR:
            self._ask(verdict.candidates)
        elif verdict.answer is Answer.BREACH:
            self._question = None
            self._note_refused(verdict)
        if verdict.answer in (Answer.BREACH, Answer.UNCLEAR) and before is not verdict.answer:
            self._outlets.buzz()

    def _note_refused(self, verdict: Verdict) -> None:
        """Write down why what lies there is refused, with the picture, for whoever asks later: once until a play is
        made or taken back. Nothing waits for it; that the disk refuses it the part "journal" says."""
        game, fault = self._require_game(), verdict.fault
        if fault is None or fault.refusal.problem in game.refused:
            return
        told = {"rule": fault.refusal.heading, "problem": fault.refusal.problem, "remedy": fault.refusal.remedy}
        with contextlib.suppress(JournalError):
            self._journal.append("refused", told | {"certain": fault.certain}, self._outlets.evidence())
            game.refused.add(fault.refusal.problem)

    async def _foresee(self, scene: Scene) -> None:
        """Before a scene has lain still for long, a play that is clear is made."""
        reading = self._read(scene, self._referee.counted(scene))
        verdict = self._referee.foresee(scene, reading)
        if verdict.answer is not Answer.HANDS:
            self._places, self._faces = reading.places, reading.faces
        await self._take(scene, verdict)

    async def _judge_apart(self, scene: Scene) -> None:
        """While hands move elsewhere, a play that is plain is made; nothing is asked, and nobody is told off."""
        self._question = None
        reading = self._read(scene.last_rest(), self._referee.counted(scene))
        await self._take(scene, self._referee.judge_apart(scene, reading))

    async def _take(self, scene: Scene, verdict: Verdict) -> None:
        """Take a verdict as what the table shows, and make its play, if it is a move."""
        self._verdict = verdict
        if verdict.answer is Answer.MOVE and verdict.play is not None:
            kept = self._referee.pressed_by(verdict.unanswered)
            await self._make(verdict.play, "table")
            self._referee.made(verdict.confirm, scene.time_s, kept)

    def _read(self, scene: Scene, pressed: frozenset[Player]) -> Reading:
        """What a scene says; of the same pieces, hands, presses and state it is not worked out again."""
        game = self._require_game()
        asked = game.state, game.layout, pressed, scene.sightings, scene.hidden
        if self._last_read is None or self._last_read[0] != asked:
            self._last_read = asked, self._game_table.read(game.state, scene, game.layout, pressed)
        return self._last_read[1]

    def _ask(self, candidates: tuple[Play, ...]) -> None:
        """A question stays the same while the candidates do, whatever their probabilities, until something moves."""
        if self._question is None or {p.moves for p in self._question.plays} != {p.moves for p in candidates}:
            self._questions += 1
            self._question = Question(self._questions, candidates)

    async def _make(self, play: Play, source: Source, by: str = "") -> None:
        """Journal a play, then let it count: what is shown has been written."""
        game = self._require_game()
        state = game.state
        for move in play.moves:
            state = self._game.apply(state, move)
        data = {"moves": [self._game.encode_move(m) for m in play.moves], "text": play.text, "source": source}
        seq = await self._write("play", _signed(data, by), self._outlets.evidence())
        line = LogLine(seq=seq, player=None, text=play.text, source=source, by=by)
        self._count(game, state, play.moves, line)

    def _count(self, game: RunningGame, state: Any, moves: tuple[Any, ...], line: LogLine) -> None:
        game.count(state, moves, line)
        self._referee.forget()
        self._after_change()

    def _after_change(self) -> None:
        self._question = None
        self._verdict = Verdict(Answer.AS_BEFORE)
        if self._over and self._running is not None:
            winners = self._game.winners(self._running.state)
            self._last_winner_seat = self._running.seats[winners[0]] if winners else None
            if self._scene is not None:
                self._result_stays_to_s = self._scene.time_s + RESULT_STAYS_S

    def _undo(self, seq: int, by: str = "") -> None:
        """Let the last play count no more: the record `seq` says so."""
        self._referee.taken_back(self._require_game().take_back(seq, by))
        self._after_change()

    @property
    def _over(self) -> bool:
        return self._running is not None and self._running.over

    async def _write(self, kind: str, data: Json, evidence: bytes | None = None, *, begins_game: bool = False) -> int:
        self._newest = await asyncio.wrap_future(self._journal.append(kind, data, evidence, begins_game=begins_game))
        return self._newest

    # Replay --------------------------------------------------------------------------------------------------------

    def _replay(self, record: Record, games: Sequence[int]) -> None:
        """Bring one record's effect back; `games` are the records that begin the table's games. Calls no clock and no
        random number generator."""
        match record.kind:
            case "game":
                self._running = self._begin(record.data, _number_of(record.seq, games))
            case "play":
                game = self._require_game()
                state = game.state
                moves = tuple(self._game.decode_move(data) for data in record.data["moves"])
                for move in moves:
                    state = self._game.apply(state, move)
                source, by = record.data.get("source", "table"), record.data.get("by", "")
                line = LogLine(seq=record.seq, player=None, text=record.data["text"], source=source, by=by)
                self._count(game, state, moves, line)
            case "undo":
                self._undo(record.seq, record.data.get("by", ""))
            case "rename":
                self._require_game().rename(record.data["seat"], record.data["name"])
            case "pause" | "resume":
                self._set_paused(record.kind == "pause")
            case "lobby":
                self._running = None
                self._set_paused(False)
            case _:
                pass

    def _check_seats(self, seats: Sequence[int]) -> None:
        """Raises NoSuchSeat for one that the table's settings do not have."""
        for seat in seats:
            if seat not in self._config.seats:
                raise NoSuchSeat(seat, self._config.seats)

    def _begin(self, data: Mapping[str, Any], number: int) -> RunningGame:
        self._check_seats(data["seats"])
        seats = dict(enumerate(data["seats"], 1))
        names = dict(enumerate(data["names"], 1))
        layout = Layout(areas(self._config, seats), buttons=self._config.timing.confirm is Confirm.BUTTON)
        return RunningGame(
            number, self._game, seats, names, layout, [self._game.start(len(seats), data["options"], data["first"])]
        )

    # Showing -------------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        """Show a view if it differs from the last."""
        view = self._views.of(self._standing(), self._seq)
        if self._shown is not None and view.model_copy(update={"seq": self._shown.seq}) == self._shown:
            return
        self._seq += 1
        self._shown = view.model_copy(update={"seq": self._seq})
        self._outlets.show(self._shown)
        for seat in self._shown.seats:
            self._outlets.lamp(seat.seat, seat.lamp)

    def _standing(self) -> Standing:
        return Standing(
            running=self._running,
            joined=self._joined,
            begins=self._first_of(self._joined) if self._joined else None,
            pause_note=self._told_of_pause() if self._paused and not self._over else None,
            scene=self._scene,
            places=self._places,
            faces=self._faces,
            verdict=self._verdict,
            question=self._question,
            parts=self._parts,
            board=self._board,
        )

    def _require_game(self) -> RunningGame:
        if self._running is None:
            raise CommandError("no game is running: the host begins one at Game…")
        return self._running


def _number_of(seq: int, games: Sequence[int]) -> int:
    """Which of the table's games this record began, counted from 1."""
    return games.index(seq) + 1


def _signed(data: dict[str, Json], by: str) -> dict[str, Json]:
    """What a host did, with the name, where it was said."""
    return data | {"by": by} if by else data


def _to_go_on(error: Exception) -> str:
    """What to do where a record does not replay."""
    leave = "`pizzatable run --fresh` leaves that game be."
    if not isinstance(error, NoSuchSeat):
        return leave
    there = f"present = true under [seats.{error.seat}] in the settings"
    return f"Put seat {error.seat} back, {there}, to go on with that game. {leave}"


def _check_names(names: Mapping[int, str]) -> None:
    """Raises InvalidCommand where two seats have one name."""
    for seat, other, *_ in namesakes(names):
        raise InvalidCommand(f"“{names[seat].strip()}” is at seat {seat} and at seat {other}: {ANOTHER_NAME}")


def _check_seen(game: RunningGame, number: int | None, last: int | None) -> None:
    """Raises CommandError where the game, or the newest line of its log, is another than its host sees."""
    if number is not None and number != game.number:
        seen = f"game {number}, which your page shows, is no longer played" if number else "a game has begun since"
        raise CommandError(f"{seen}: now it is game {game.number}; look again")
    newest = game.log[-1].seq if game.log else 0
    if last is not None and last != newest:
        raise CommandError(f"nothing was done, the game has gone on: its last line is {newest}, not {last}; look again")


def _recovered_end(unread: int) -> str:
    """What the players are told of a game that was over in a journal that was damaged; `unread`: as there."""
    if unread:
        gone_on = f"It was gone on with: {unread} later plays do not count"
        return f"The journal was damaged. {gone_on}. Take the last move back and rule what was played since"
    return "The journal was damaged, and what came next may be lost: if the end was taken back, take it back again"


def _recovered_note(plays: int, lost: bool, unread: int) -> str:
    """What the players are told of a game in a journal that was damaged; `unread`: plays that follow what was lost."""
    if not lost:
        return f"The journal was damaged. Check that the table lies as shown, after {plays} plays. "
    later = f", and {unread} later plays do not count" if unread else ""
    return (
        f"The journal was damaged: the game stands as after {plays} plays, what came next is lost{later}. "
        "Lay the table as shown, or rule what was played since. "
    )
