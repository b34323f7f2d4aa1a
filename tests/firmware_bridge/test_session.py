"""The conversation's corner cases, against a board of a few scripted words. The real board: test_emulated_board.py."""

import math
from dataclasses import replace
from functools import reduce
from operator import xor

import pytest

from firmware_bridge import schema
from firmware_bridge.contacts import Contacts
from firmware_bridge.framing import FrameReader, format_frame
from firmware_bridge.messages import MessageError, format_message, parse_message
from firmware_bridge.schema import (
    Ack,
    Buzz,
    Event,
    EventFlag,
    EventKind,
    Hello,
    Here,
    Lamps,
    Message,
    Ping,
    Pong,
    Who,
)
from firmware_bridge.schema import schema_hash as ours
from firmware_bridge.session import (
    GREETING_S,
    LEAVE_BOOT_LOADER,
    REFUSED_S,
    RETEST_S,
    SILENCE_S,
    Buzzing,
    LinkState,
    Session,
)
from firmware_bridge.signals import HOST_SEAT, RingPlace, Signal, SignalKind


class Conversation:
    """A session and what it says; a board's words are put into its mouth."""

    def __init__(self, room: int = 100, settled: RingPlace | None = None) -> None:
        self.signals: list[Signal] = []
        self.room = room
        self.keeps = True
        self.session = Session(self._take, settled)
        self.now_s = 100.0
        self._reader = FrameReader()
        self.session.open(self.now_s)

    def hear(self, *messages: Message) -> None:
        """The board says something."""
        data = b"".join(format_frame(format_message(message)) for message in messages)
        self.session.receive(data, self.now_s)
        if self.keeps:
            self.keep()

    def keep(self) -> None:
        """What was delivered needs the board no more."""
        if self.signals and self.signals[-1].place is not None:
            self.session.settle(self.signals[-1].place)

    def said(self, after_s: float = 0.0) -> list[Message]:
        """What the session says after a while."""
        self.now_s += after_s
        return [parse_message(frame) for frame in self._reader.feed(self.session.due(self.now_s))]

    def greet(self, hello: Hello | None = None) -> None:
        """The handshake."""
        who = next(message for message in self.said(GREETING_S) if isinstance(message, Who))
        self.hear(Here(ours(), 1, "hello"), hello or a_hello(token=who.token))

    def settle(self) -> None:
        """The handshake and one exchange, so that times are known."""
        self.greet(a_hello(token=self._next_token()))
        ping = next(message for message in self.said() if isinstance(message, Ping))
        self.now_s += 0.01
        self.hear(a_pong(token=ping.token))

    def _next_token(self) -> int:
        return self.session._greeting_token + 1

    def _take(self, signal: Signal) -> bool:
        if len(self.signals) >= self.room:
            return False
        self.signals.append(signal)
        return True


def a_hello(token: int, **changes: int) -> Hello:
    values = {"epoch": 16, "boot": 5, "cold_boots": 1, "warm_boots": 0, "cause": 1, "oldest": 1, "next": 1}
    rest = dict.fromkeys(("stuck", "bridged", "pads", "knives", "skewers", "beam", "spares"), 0)
    return Hello(token=token, **(values | rest | changes))


def a_pong(token: int, **changes: int) -> Pong:
    values = {"epoch": 16, "boot": 5, "turns": 0, "ticks": 1_000_000, "lamps": 0, "blinking": 0, "buzz": 0}
    return Pong(token=token, **(values | {"lost": 0, "slowest": 0} | changes))


def an_event(sequence: int, **changes: int) -> Event:
    values = {"epoch": 16, "kind": int(EventKind.PAD), "index": 0, "value": 1, "flags": 0, "boot": 5, "turns": 0}
    return Event(sequence=sequence, **(values | {"ticks": 1_000_000 + sequence} | changes))


def test_events_are_delivered_once_and_in_order() -> None:
    talk = Conversation()
    talk.settle()
    talk.hear(an_event(1), an_event(2), an_event(1), an_event(2))
    talk.hear(an_event(4))
    assert Ack(16, 3, 1) in talk.said(0.1)
    talk.hear(an_event(3), an_event(4), an_event(3))
    assert Ack(16, 5, 0) in talk.said(0.1)
    assert [signal.stamp.ticks for signal in talk.signals if signal.stamp] == [
        1_000_001,
        1_000_002,
        1_000_003,
        1_000_004,
    ]
    assert talk.session.repeated == 3


def test_what_is_not_taken_is_not_acknowledged() -> None:
    talk = Conversation(room=1)
    talk.settle()
    talk.hear(an_event(1), an_event(2))
    assert Ack(16, 2, 1) in talk.said(0.1)
    talk.room = 2
    talk.hear(an_event(2))
    assert Ack(16, 3, 0) in talk.said(0.1)


def test_what_is_not_settled_is_not_acknowledged_and_not_delivered_again() -> None:
    talk = Conversation()
    talk.settle()
    talk.keeps = False
    talk.hear(an_event(1), an_event(2))
    assert not any(isinstance(message, Ack) for message in talk.said(0.1))
    talk.hear(an_event(1), an_event(2), an_event(3))
    assert Ack(16, 1, 0) in talk.said(0.1)
    assert [signal.place for signal in talk.signals] == [RingPlace(16, number) for number in (1, 2, 3)]
    talk.session.settle(RingPlace(16, 2))
    assert Ack(16, 3, 0) in talk.said(0.1)
    for place in (RingPlace(16, 1), RingPlace(16, 4), RingPlace(17, 3)):
        talk.session.settle(place)  # settled already, never delivered, of another ring
        assert not any(isinstance(message, Ack) for message in talk.said(0.1))


def test_an_heir_goes_on_from_what_was_settled() -> None:
    talk = Conversation(settled=RingPlace(16, 7))
    talk.greet(a_hello(token=talk._next_token(), oldest=5, next=10))
    said = talk.said()
    assert Ack(16, 8, 0) in said, "the board never heard of it"
    talk.now_s += 0.01
    talk.hear(a_pong(token=next(message.token for message in said if isinstance(message, Ping))))
    talk.hear(*(an_event(number) for number in range(5, 10)))
    assert [signal.place.sequence for signal in talk.signals if signal.place] == [8, 9]


@pytest.mark.parametrize(("epoch", "oldest"), [(16, 9), (32, 9), (16, 1)], ids=["later", "another ring", "begun anew"])
def test_an_heir_tells_no_gap_and_takes_another_ring_from_its_first_event(epoch: int, oldest: int) -> None:
    talk = Conversation(settled=RingPlace(16, 100 if oldest == 1 else 6))
    talk.greet(a_hello(token=talk._next_token(), epoch=epoch, oldest=oldest, next=oldest + 2))
    ping = next(message for message in talk.said() if isinstance(message, Ping))
    talk.now_s += 0.01
    talk.hear(a_pong(token=ping.token, epoch=epoch))
    talk.hear(an_event(oldest, epoch=epoch))
    assert [signal.place for signal in talk.signals] == [RingPlace(epoch, oldest)]
    talk.session.open(talk.now_s)
    talk.greet(a_hello(token=talk._next_token(), epoch=epoch, oldest=oldest + 4, next=oldest + 5))
    assert [signal.number for signal in talk.signals[1:]] == [3], "later gaps are told"


def test_events_wait_for_the_clock() -> None:
    talk = Conversation()
    talk.greet()
    talk.hear(an_event(1))
    assert talk.signals == []


def test_an_old_hello_is_no_news() -> None:
    talk = Conversation()
    talk.settle()
    talk.hear(an_event(1))
    talk.hear(a_hello(token=0, next=1), a_hello(token=0, epoch=32))
    talk.hear(an_event(1), an_event(1, epoch=32), an_event(2))
    assert len(talk.signals) == 2


def test_slow_answers_to_a_greeting_will_do() -> None:
    talk = Conversation()
    first = next(message for message in talk.said() if isinstance(message, Who))
    talk.said(GREETING_S)
    talk.said(GREETING_S)
    talk.hear(Here(ours(), 1, "hello"), a_hello(token=first.token))
    assert talk.session.state is LinkState.READY


def test_an_answer_overtaken_by_events_is_no_news() -> None:
    talk = Conversation()
    talk.said()
    talk.settle()
    talk.hear(an_event(1))
    talk.hear(a_hello(token=1))
    talk.hear(an_event(1), an_event(2))
    assert len(talk.signals) == 2
    talk.session.open(talk.now_s)
    talk.said()
    talk.hear(a_hello(token=2))
    assert talk.session.state is LinkState.GREETING


def test_a_gap_that_another_host_left_is_told() -> None:
    talk = Conversation()
    talk.settle()
    talk.hear(an_event(1))
    talk.session.open(talk.now_s)
    talk.greet(a_hello(token=talk._next_token(), oldest=10, next=12))
    assert [(signal.seat, signal.kind, signal.number) for signal in talk.signals[1:]] == [
        (HOST_SEAT, SignalKind.SIGNALS_LOST, 8)
    ]
    talk.hear(an_event(10))
    assert len(talk.signals) == 3


def test_a_gap_is_not_told_to_nobody() -> None:
    talk = Conversation(room=1)
    talk.settle()
    talk.hear(an_event(1))
    talk.session.open(talk.now_s)
    talk.greet(a_hello(token=talk._next_token(), oldest=10, next=12))
    state = talk.session.state
    assert state is LinkState.GREETING
    talk.room = 2
    talk.greet(a_hello(token=talk._next_token(), oldest=10, next=12))
    assert talk.session.state is LinkState.READY
    assert talk.signals[1].number == 8


def test_a_boot_nobody_talked_to_has_no_time() -> None:
    talk = Conversation()
    talk.settle()
    talk.hear(an_event(1, boot=4, turns=200, ticks=9))
    assert talk.signals[0].uncertainty_s == math.inf
    assert talk.signals[0].stamp is not None
    assert talk.signals[0].stamp.ticks == 200 << 32 | 9


def test_a_boot_that_ended_before_its_first_exchange_has_no_time() -> None:
    talk = Conversation()
    talk.settle()
    talk.session.open(talk.now_s)
    talk.greet(a_hello(token=talk._next_token(), boot=6))
    talk.session.open(talk.now_s)
    talk.greet(a_hello(token=talk._next_token(), boot=7))
    talk.hear(an_event(1, boot=6))
    assert talk.signals[0].uncertainty_s == math.inf


def test_a_late_edge_says_how_late() -> None:
    talk = Conversation()
    talk.settle()
    talk.hear(an_event(1), an_event(2, flags=int(EventFlag.LATE)))
    sure, late = talk.signals
    assert late.uncertainty_s > sure.uncertainty_s + 0.004
    assert late.time_s < sure.time_s


def test_a_board_that_started_anew_is_greeted_anew() -> None:
    talk = Conversation()
    talk.settle()
    talk.said(1.0)
    talk.hear(a_pong(token=0, boot=6))
    assert talk.session.state is LinkState.GREETING
    assert any(isinstance(message, Who) for message in talk.said())


def test_silence() -> None:
    talk = Conversation()
    talk.settle()
    talk.said(SILENCE_S + 0.01)
    assert talk.session.state is LinkState.GREETING
    assert "said nothing" in talk.session.words
    assert not talk.session.is_dead(talk.now_s)
    assert talk.session.is_dead(talk.now_s + SILENCE_S)


def test_a_boot_loader_is_told_to_start_the_boards_program() -> None:
    talk = Conversation()
    assert LEAVE_BOOT_LOADER in talk.session.due(talk.now_s)
    talk.settle()
    assert LEAVE_BOOT_LOADER not in talk.session.due(talk.now_s + 1.0)
    talk.now_s += SILENCE_S + 1.0
    assert LEAVE_BOOT_LOADER in talk.session.due(talk.now_s), "it was reset"
    talk.hear(Here(1, 0, "other messages"))
    assert LEAVE_BOOT_LOADER in talk.session.due(talk.now_s + REFUSED_S), "it was reset, too"


def test_what_a_boot_loader_is_told_is_a_message_of_stk500() -> None:
    *said, checksum = LEAVE_BOOT_LOADER
    assert said == [0x1B, 1, 0, 1, 0x0E, 0x11]
    assert checksum == reduce(xor, said)


def test_refused_and_asked_again() -> None:
    talk = Conversation()
    talk.said()
    talk.hear(Here(1, 0, "other messages"))
    state = talk.session.state
    assert state is LinkState.REFUSED
    assert "00000001" in talk.session.words
    assert talk.said(GREETING_S) != []
    assert talk.said(GREETING_S) == []
    talk.now_s += REFUSED_S
    talk.greet(a_hello(token=talk._next_token()))
    assert talk.session.state is LinkState.READY


def test_orders_are_repeated_until_obeyed() -> None:
    talk = Conversation()
    talk.settle()
    talk.session.set_lamps(3, 4)
    talk.session.buzz(Buzzing(0.1, 0.2, 3))
    buzz = Buzz(1, 100, 200, 3)
    for _ in range(2):
        said = talk.said(1.0)
        assert Lamps(3, 4) in said
        assert buzz in said
        talk.hear(a_pong(token=0))
    ping = next(message for message in talk.said(1.0) if isinstance(message, Ping))
    talk.hear(a_pong(token=ping.token, lamps=3, blinking=4, buzz=1))
    assert [type(message) for message in talk.said(0.5)] == [Ping]
    # After a reset the lamps are told again, the buzz is not.
    talk.hear(a_pong(token=0))
    said = talk.said(1.0)
    assert Lamps(3, 4) in said
    assert buzz not in said


def test_orders_go_out_at_once() -> None:
    talk = Conversation()
    talk.session.set_lamps(1, 2)
    assert not any(isinstance(message, Lamps) for message in talk.said())
    talk.settle()
    talk.hear(a_pong(token=0, lamps=1, blinking=2))
    talk.said(1.0)
    talk.session.set_lamps(5, 2)
    talk.session.buzz(Buzzing(0.1, 0.0, 1))
    assert talk.said(0.001) == [Lamps(5, 2), Buzz(1, 100, 0, 1)]
    talk.session.set_lamps(5, 2)
    assert talk.said(0.001) == []


@pytest.mark.parametrize("before", [0, 1, 254, 255])
@pytest.mark.parametrize("early", [True, False])
def test_the_first_sound_is_another_than_the_last_of_a_program_before(before: int, early: bool) -> None:
    talk = Conversation()
    if early:
        talk.session.buzz(Buzzing(0.1, 0.0, 1))
    talk.greet(a_hello(token=talk._next_token()))
    ping = next(message for message in talk.said() if isinstance(message, Ping))
    talk.hear(a_pong(token=ping.token, buzz=before))
    if not early:
        talk.session.buzz(Buzzing(0.1, 0.0, 1))
    assert Buzz(before % 255 + 1, 100, 0, 1) in talk.said(0.1)


def test_pads_are_tested_when_asked_until_the_board_has_answered() -> None:
    talk = Conversation()
    talk.session.test_pads()
    assert schema.Test() not in talk.said()
    talk.settle()
    assert talk.said(10.0).count(schema.Test()) == 0, "the handshake was an answer"
    talk.settle() if talk.session.state is not LinkState.READY else None
    talk.session.test_pads()
    assert schema.Test() in talk.said()
    assert schema.Test() not in talk.said(GREETING_S / 2)
    assert schema.Test() in talk.said(GREETING_S)
    talk.hear(a_hello(token=talk.session._greeting_token))
    assert schema.Test() not in talk.said(GREETING_S)


def test_pads_that_failed_are_tested_anew() -> None:
    talk = Conversation()
    talk.greet(a_hello(token=talk._next_token(), stuck=4))
    assert talk.session.words == "pad 3: failed the self-test"
    assert schema.Test() not in talk.said(1.0)
    talk.hear(a_pong(token=0))
    talk.now_s += RETEST_S - 1
    talk.hear(a_pong(token=0))
    assert schema.Test() in talk.said(0.01)
    talk.hear(a_hello(token=talk.session._greeting_token))
    assert talk.session.words == "all is well"
    talk.now_s += RETEST_S
    talk.hear(a_pong(token=0))
    assert schema.Test() not in talk.said(0.01)


def test_contacts_follow_the_boards_words() -> None:
    talk = Conversation()
    assert talk.session.contacts is None
    talk.greet(a_hello(token=talk._next_token(), knives=0b100, skewers=0b11, beam=1))
    assert talk.session.contacts == Contacts(frozenset(), frozenset({3}), frozenset({1, 2}), True, frozenset())
    ping = next(message for message in talk.said() if isinstance(message, Ping))
    talk.now_s += 0.01
    talk.hear(a_pong(token=ping.token))
    talk.hear(
        an_event(1, kind=int(EventKind.KNIFE_DOCK), index=2, value=0),
        an_event(2, kind=int(EventKind.KNIFE_DOCK), index=6, value=1),
        an_event(3, kind=int(EventKind.SKEWER_DOCK), index=0, value=0),
        an_event(4, kind=int(EventKind.BEAM), value=0),
        an_event(5, kind=int(EventKind.SPARE), index=1, value=1),
        an_event(6, kind=int(EventKind.PAD), index=7, value=1),
    )
    closed = Contacts(frozenset({8}), frozenset({7}), frozenset({2}), False, frozenset({2}))
    assert talk.session.contacts == closed
    talk.hear(
        an_event(7, kind=int(EventKind.SKEWER_DOCK), index=2, value=1),
        an_event(8, kind=int(EventKind.SPARE), index=1, value=0),
        an_event(9, kind=int(EventKind.PAD), index=7, value=0),
    )
    assert talk.session.contacts == replace(closed, pads=frozenset(), skewers=frozenset({2, 3}), spares=frozenset())
    talk.session.close(LinkState.NO_BOARD, "pulled")
    assert talk.session.contacts is None


def test_after_a_loss_the_board_is_asked_how_its_contacts_are() -> None:
    talk = Conversation()
    talk.settle()
    talk.said(1.0)
    talk.hear(an_event(1, kind=int(EventKind.OVERFLOW), value=3))
    who = next(message for message in talk.said(GREETING_S) if isinstance(message, Who))
    talk.hear(Here(ours(), 1, "hello"), a_hello(token=who.token, knives=1))
    assert talk.session.state is LinkState.READY
    assert talk.session.contacts is not None
    assert talk.session.contacts.knives == {1}
    assert not any(isinstance(message, Who) for message in talk.said(GREETING_S))


def test_an_answer_to_another_question_says_nothing_of_time() -> None:
    talk = Conversation()
    talk.greet()
    talk.said()
    talk.hear(a_pong(token=999))
    assert talk.session.clock is not None
    assert talk.session.clock.exchanges == 0


def test_an_event_of_no_kind_is_an_error() -> None:
    talk = Conversation()
    talk.settle()
    with pytest.raises(MessageError, match="expected one of the kinds"):
        talk.hear(an_event(1, kind=99))


def test_its_own_words_come_back() -> None:
    talk = Conversation()
    talk.settle()
    talk.hear(Who(ours(), 1), Ping(1), Lamps(1, 1))
    assert talk.session.state is LinkState.READY
