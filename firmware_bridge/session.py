"""The host's side of the conversation with the board, without a port and without a clock of its own.

Bytes that came in go to `receive`, bytes that `due` gives go out. An event is delivered once and in order; what is
missing is asked for again, what nobody has room for stays on the board. The board is told to forget an event only when
`settle` was: until then it may come again, to us or to who comes after us.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

from firmware_bridge.clock import ClockMap, Exchange, TickCounter
from firmware_bridge.contacts import Contacts, contacts_after, contacts_of, failed_pads
from firmware_bridge.events import signal_of
from firmware_bridge.framing import Frame, FrameReader, format_frame
from firmware_bridge.messages import MessageError, format_message, parse_message
from firmware_bridge.schema import (
    BAUD,
    Ack,
    Buzz,
    Event,
    Hello,
    Here,
    Lamps,
    Message,
    Ping,
    Pong,
    Test,
    Who,
    payload_size,
    schema_hash,
)
from firmware_bridge.signals import HOST_SEAT, RingPlace, Signal, SignalKind

GREETING_S = 0.3
"""How often the board is asked who it is, until it answers."""
REFUSED_S = 2.0
"""The same, once it has answered that it speaks other messages."""
FIRST_PINGS = 16
FIRST_PING_S = 0.02
PING_S = 0.5
ANSWER_S = 0.25
"""A Ping without a Pong for so long is lost."""
SILENCE_S = 1.5
"""A board that says nothing for so long is greeted anew; after twice as long its line is given up."""
RETEST_S = 5.0
"""Pads that failed the self-test are tested anew so often: who frees them need not do anything else."""
AGAIN_S = 0.05
"""What is missing is asked for at most so often."""
LEAVE_BOOT_LOADER = bytes.fromhex("1b 01 00 01 0e 11 04")
"""Arduino's boot loader for the ATmega2560 (STK500v2) waits for a program from the first byte that it hears, and goes
on waiting while it hears any: our greeting alone would keep it for good. This lets it start the board's own program,
which takes it for noise. Source: Atmel's AVR068, CMD_LEAVE_PROGMODE_ISP."""
_BYTE_S = 0.95 * 10 / BAUD
"""What a byte takes on the line at least."""


class LinkState(Enum):
    """Where the connection stands."""

    CLOSED = "closed"
    """Not started, or stopped."""
    NO_BOARD = "no-board"
    """The port is not there, is used by somebody else or has failed; it is tried again and again."""
    GREETING = "greeting"
    """The port is open; nobody has answered yet."""
    REFUSED = "refused"
    """A board of another version has answered."""
    READY = "ready"
    """Events flow."""


@dataclass(frozen=True, slots=True)
class Buzzing:
    """A sound of the board's buzzer."""

    on_s: float
    off_s: float
    times: int


class Session:
    """One connection after another with a board; what was delivered is remembered over all of them."""

    def __init__(self, deliver: Callable[[Signal], bool], settled: RingPlace | None = None) -> None:
        """`deliver` says whether it took the signal; one that it did not take comes again.

        `settled` is the last place that somebody before us is known to have settled, who may have settled later ones:
        what stands there or before is not delivered, and what is missing right after it is no news.
        """
        self._deliver = deliver
        self._clocks: dict[int, tuple[TickCounter, ClockMap]] = {}
        self._epoch = settled.epoch if settled else None
        self._expected = settled.sequence + 1 if settled else 1
        self._settled = self._expected
        self._is_heir = settled is not None
        self._lamps = (0, 0)
        self._buzz = Buzz(0, 0, 0, 0)
        self._is_buzz_due = False
        self._is_order_new = False
        self._is_test_due = False
        self._contacts: Contacts | None = None
        self._token = 0
        self._greeting_token = 0
        self._greetings = 0
        self.state = LinkState.CLOSED
        self.words = "not started"
        """What is wrong, or that nothing is, for people."""
        self.hello: Hello | None = None
        """What the board last said of itself."""
        self.pong: Pong | None = None
        """How the board last said it was."""
        self.repeated = 0
        """Events that came again and were not delivered again."""
        self._start(0.0)

    @property
    def faults(self) -> int:
        """Stretches of this connection that were no frame."""
        return self._reader.faults

    @property
    def clock(self) -> ClockMap | None:
        """The map of the board's present boot."""
        return self._clocks[self.hello.boot][1] if self.hello is not None else None

    @property
    def contacts(self) -> Contacts | None:
        """What is closed on the board now; None while nobody says."""
        return self._contacts if self.state is LinkState.READY else None

    def open(self, now_s: float) -> None:
        """A port was opened."""
        self._start(now_s)
        self._greetings = 0
        self._set(LinkState.GREETING, "the port is open; the board has not answered yet")

    def close(self, state: LinkState, words: str) -> None:
        """The port is gone."""
        self._set(state, words)

    def is_dead(self, now_s: float) -> bool:
        """Whether the board has been silent for too long: the port had better be opened anew."""
        return self.state is LinkState.GREETING and now_s - self._heard_s > 2 * SILENCE_S

    def set_lamps(self, on: int, blinking: int) -> None:
        """Light and blink the seats' lamps, seat 1 in the lowest bit. Told again until the board says so."""
        self._is_order_new |= self._lamps != (on, blinking)
        self._lamps = (on, blinking)

    def buzz(self, sound: Buzzing) -> None:
        """Sound the buzzer, once, as soon as there is a board."""
        number = self._buzz.number % 255 + 1
        self._is_buzz_due = self._is_order_new = True
        self._buzz = Buzz(number, round(1000 * sound.on_s), round(1000 * sound.off_s), sound.times)

    def settle(self, place: RingPlace) -> None:
        """What was delivered up to this place needs the board no more: it may forget it."""
        if place.epoch == self._epoch and self._settled <= place.sequence < self._expected:
            self._settled = place.sequence + 1
            self._is_ack_due = True

    def test_pads(self) -> None:
        """Let the board test its pads; what it finds is in the `hello` that comes then."""
        self._is_test_due = True

    def receive(self, received: bytes, now_s: float) -> None:
        """Take what came in by `now_s`.

        Raises:
            MessageError: the board, of the same version, says what no such board can.
        """
        for frame in self._reader.feed(received):
            message = _message_of(frame)
            if message is not None:
                self._heard_s = now_s
                self._take(message, now_s)

    def due(self, now_s: float) -> bytes:
        """What is to be sent now."""
        if self.state is LinkState.READY and now_s - self._heard_s > SILENCE_S:
            self._set(LinkState.GREETING, f"the board has said nothing for {SILENCE_S} s")
            self._greet_s = now_s
        if self.state in (LinkState.GREETING, LinkState.REFUSED):
            return self._greeting(now_s)
        if self.state is LinkState.READY:
            asked = self._greeting(now_s) if self._is_hello_due else b""
            asked += self._question(now_s) + self._acknowledgement(now_s)
            return asked + self._order() + self._test(now_s)
        return b""

    def _start(self, now_s: float) -> None:
        self._reader = FrameReader()
        self._greet_s = self._ping_s = self._heard_s = now_s
        self._asked_s: float | None = None
        self._again_s = now_s - AGAIN_S
        self._test_s = now_s
        self._asked_test_s = -math.inf
        self._pings = 0
        self._is_ack_due = self._is_missing = self._is_hello_due = False

    def _set(self, state: LinkState, words: str) -> None:
        if state is LinkState.GREETING and self.state is not LinkState.REFUSED:
            self._greetings = 0
        self.state, self.words = state, words

    # What comes in ---------------------------------------------------------------------------------------------------

    def _take(self, message: Message, now_s: float) -> None:
        match message:
            case Here():
                self._take_here(message)
            case Hello() if self.state is not LinkState.REFUSED:
                self._take_hello(message)
            case Pong() if self.state is LinkState.READY:
                self._take_pong(message, now_s)
            case Event() if self.state is LinkState.READY:
                self._take_event(message)
            case _:
                pass  # our own words come back from a line that echoes; others are early or late

    def _take_here(self, here: Here) -> None:
        if here.schema != schema_hash() or not here.accepted:
            self._set(
                LinkState.REFUSED,
                f"the board speaks messages {here.schema:08x}, this program {schema_hash():08x}: "
                f'flash the firmware of this version (make firmware). The board says: "{here.words}"',
            )
        elif self.state is LinkState.REFUSED:
            self._set(LinkState.GREETING, "the board speaks the same messages now")

    def _take_hello(self, hello: Hello) -> None:
        if (self._greeting_token - hello.token) % 65536 >= self._greetings:
            return  # an answer from before this greeting
        # Once events flow, another answer to the same greeting may have been overtaken by them.
        if self.state is not LinkState.READY and not self._is_followed(hello):
            return
        if self.state is LinkState.READY and self.hello is not None and hello.boot != self.hello.boot:
            return
        if hello.boot not in self._clocks:
            # The boot before may still have events in the ring; older ones cannot.
            self._clocks = {boot: self._clocks[boot] for boot in list(self._clocks)[-1:]}
            self._clocks[hello.boot] = (TickCounter(), ClockMap())
        if self.state is not LinkState.READY:
            self._pings = 0
            self._asked_s = None
        self.hello, self._contacts = hello, contacts_of(hello)
        self._is_ack_due, self._is_hello_due = True, False
        self._is_test_due, self._asked_test_s = False, -math.inf
        self._test_s = self._heard_s + RETEST_S
        wrong = [f"pad {pad}" for pad in failed_pads(hello)]
        self._set(LinkState.READY, f"{', '.join(wrong)}: failed the self-test" if wrong else "all is well")

    def _is_followed(self, hello: Hello) -> bool:
        """Go on where the board's ring goes on; False if that has to wait until somebody takes the news of a gap."""
        if self._epoch != hello.epoch or hello.next < self._expected:
            self._epoch, self._expected, self._settled = hello.epoch, hello.oldest, hello.oldest
        elif hello.oldest > self._expected and self._is_heir:
            self._expected = hello.oldest
        elif hello.oldest > self._expected:
            lost = Signal(
                HOST_SEAT, SignalKind.SIGNALS_LOST, self._heard_s, math.inf, number=hello.oldest - self._expected,
                place=RingPlace(hello.epoch, hello.oldest - 1),
            )  # fmt: skip
            if not self._deliver(lost):
                return False
            self._expected = hello.oldest
        self._settled = max(self._settled, hello.oldest)
        self._is_heir = False
        return True

    def _take_pong(self, pong: Pong, now_s: float) -> None:
        assert self.hello is not None
        if pong.boot != self.hello.boot or pong.epoch != self.hello.epoch:
            self._set(LinkState.GREETING, "the board has started anew")
            self._greet_s = now_s
            return
        if self.pong is None:  # a program before us may have given its last sound the number of our first
            number = pong.buzz % 255 + 1 if self._is_buzz_due else pong.buzz
            self._buzz = replace(self._buzz, number=number)
        self.pong = pong
        self._is_buzz_due &= pong.buzz != self._buzz.number
        if pong.token != self._token or self._asked_s is None:
            return
        counter, clock = self._clocks[pong.boot]
        after_s = self._asked_s + _line_s(Ping)
        before_s = now_s - _line_s(Pong)
        self._asked_s = None
        if before_s >= after_s:
            clock.add(Exchange(counter.extend(pong.turns, pong.ticks), after_s, before_s))

    def _take_event(self, event: Event) -> None:
        if event.epoch != self._epoch:
            return
        if event.sequence != self._expected:
            self.repeated += event.sequence < self._expected
            self._is_ack_due = True
            self._is_missing |= event.sequence > self._expected
            return
        assert self.hello is not None
        counter, clock = self._clocks.get(event.boot, (TickCounter(), ClockMap()))
        if clock.exchanges == 0 and event.boot == self.hello.boot:
            self._is_missing = True  # its time is known in a moment
            return
        # A boot that ended before its first exchange leaves events whose time nobody will ever know.
        known = clock if clock.exchanges else None
        signal = signal_of(event, counter.extend(event.turns, event.ticks), known, self._heard_s)
        if self._deliver(signal):
            self._expected += 1
            if self._contacts is not None:
                self._contacts = contacts_after(self._contacts, signal)
            # What was lost may have changed any contact: the next Hello says how they all are.
            self._is_hello_due |= signal.kind is SignalKind.SIGNALS_LOST
        else:
            self._is_missing = True

    # What goes out ---------------------------------------------------------------------------------------------------

    def _greeting(self, now_s: float) -> bytes:
        if now_s < self._greet_s:
            return b""
        self._greet_s = now_s + (REFUSED_S if self.state is LinkState.REFUSED else GREETING_S)
        self._greeting_token = (self._greeting_token + 1) % 65536
        self._greetings += 1
        who = _bytes_of(Who(schema_hash(), self._greeting_token))
        return who if self.state is LinkState.READY else LEAVE_BOOT_LOADER + who

    def _acknowledgement(self, now_s: float) -> bytes:
        again = self._is_missing and now_s - self._again_s >= AGAIN_S
        if not self._is_ack_due and not again:
            return b""
        self._is_ack_due = False
        if again:
            self._is_missing, self._again_s = False, now_s
        assert self._epoch is not None
        return _bytes_of(Ack(self._epoch, self._settled, int(again)))

    def _question(self, now_s: float) -> bytes:
        if self._asked_s is not None and now_s - self._asked_s > ANSWER_S:
            self._asked_s = None
        if self._asked_s is not None or now_s < self._ping_s:
            return b""
        told = self._told()
        self._token = (self._token + 1) % 65536
        self._asked_s = now_s
        self._pings += 1
        self._ping_s = now_s + (FIRST_PING_S if self._pings < FIRST_PINGS else PING_S)
        # Ping last would measure what stands before it in the queue; so it goes first.
        return _bytes_of(Ping(self._token)) + told

    def _order(self) -> bytes:
        """New orders at once; whether they are obeyed, Pong says."""
        if not self._is_order_new:
            return b""
        self._is_order_new = False
        sounds = self._is_buzz_due and self.pong is not None
        return _bytes_of(Lamps(*self._lamps)) + (_bytes_of(self._buzz) if sounds else b"")

    def _test(self, now_s: float) -> bytes:
        failed = self.hello is not None and self.hello.stuck | self.hello.bridged
        if not self._is_test_due and not (failed and now_s >= self._test_s):
            return b""
        if self._is_test_due and now_s < self._asked_test_s + GREETING_S:
            return b""
        self._is_test_due, self._asked_test_s = True, now_s  # until a Hello comes
        return _bytes_of(Test())

    def _told(self) -> bytes:
        """Orders that the board has not obeyed yet, as far as its last Pong knew."""
        if self.pong is None:
            return b""
        told = b""
        if (self.pong.lamps, self.pong.blinking) != self._lamps:
            told += _bytes_of(Lamps(*self._lamps))
        if self._is_buzz_due:
            told += _bytes_of(self._buzz)
        return told


def _message_of(frame: Frame) -> Message | None:
    """None for a frame of this schema that it has no message for: its checksum was right, so it was sent by mistake."""
    try:
        return parse_message(frame)
    except MessageError:
        return None


def _bytes_of(message: Message) -> bytes:
    return format_frame(format_message(message))


def _line_s(message: type[Message]) -> float:
    """What a message takes on the line at least, all but one of its bytes."""
    return (payload_size(message) + 8) * _BYTE_S
