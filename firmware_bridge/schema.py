"""What host and board say to each other: the one description, from which the C header is made too.

A message is a frozen dataclass; the wire carries its fields in this order, little-endian, without gaps. Every change
here changes `schema_hash`, and with it the seed of every checksum: versions that differ do not understand each other,
and say so in the handshake, which is `Who` and `Here`. Those two never change.
"""

import functools
import hashlib
import typing
from dataclasses import dataclass, fields
from enum import Enum, IntEnum
from typing import Annotated, ClassVar

BAUD = 115_200
TICK_NS = 500
"""Length of a tick of the board's counter."""
TICK_BITS = 40
"""The board's counter goes round after so many bits, 6.4 days; `ticks` and `turns` are its lower 32 and upper 8."""
PAD_COUNT = 8
RING_CAPACITY = 256
"""Events that the board keeps until they are acknowledged."""
WINDOW = 16
"""Events that the board sends ahead of the acknowledgement."""
DEBOUNCE_TICKS = 16_000
"""After an edge, a contact is not believed for so long (8 ms)."""
POLL_TICKS = 2_000
"""An input that is no pad is stamped at most so long after its edge (1 ms)."""
STAMP_JITTER_TICKS = 10
"""The gap between two pads' stamps differs from that between their edges by less than this (5 us): interrupts are never
masked for longer."""


class Sender(Enum):
    """Who says a message."""

    HOST = "host"
    BOARD = "board"


class EventKind(IntEnum):
    """What an event is about."""

    PAD = 1
    """`index` is the pad, from 0; `value` 1 for pressed."""
    KNIFE_DOCK = 2
    """`index` is the seat's dock, from 0; `value` 1 while the knife lies in it."""
    SKEWER_DOCK = 3
    """`index` is the dock, from 0; `value` 1 while a skewer lies in it."""
    BEAM = 4
    """`value` 1 while something breaks the dice tower's beam."""
    SPARE = 5
    """`index` is the spare input, from 0; `value` 1 while it is connected to ground."""
    OVERFLOW = 6
    """`value` events were lost here because the ring was full; 65535 stands for that many or more."""


class ResetCause(IntEnum):
    """Bits of why the board started anew: those of the ATmega2560's MCUSR."""

    POWER_ON = 1
    EXTERNAL = 2
    BROWN_OUT = 4
    WATCHDOG = 8


class EventFlag(IntEnum):
    """Bits of `Event.flags`."""

    LATE = 1
    """The edge lay within the debouncing before `ticks`, at no known moment."""


@dataclass(frozen=True, slots=True)
class Wire:
    """How a field lies on the wire."""

    size: int
    """Bytes."""
    is_text: bool = False
    """ASCII, filled up with zeros; else an unsigned integer."""


U8 = Annotated[int, Wire(1)]
U16 = Annotated[int, Wire(2)]
U32 = Annotated[int, Wire(4)]
Text48 = Annotated[str, Wire(48, is_text=True)]


@dataclass(frozen=True, slots=True)
class Who:
    """The host asks who is there and says which messages it speaks. Never changes."""

    NUMBER: ClassVar[int] = 1
    SENDER: ClassVar[Sender] = Sender.HOST
    schema: U32
    token: U16


@dataclass(frozen=True, slots=True)
class Here:
    """The board's answer to Who: what it speaks, and in words whether that will do. Never changes."""

    NUMBER: ClassVar[int] = 2
    SENDER: ClassVar[Sender] = Sender.BOARD
    schema: U32
    accepted: U8
    words: Text48


@dataclass(frozen=True, slots=True)
class Hello:
    """The board's state, sent after Here when both speak the same."""

    NUMBER: ClassVar[int] = 3
    SENDER: ClassVar[Sender] = Sender.BOARD
    token: U16
    """That of the latest Who: an answer that was long under way is known by it."""
    epoch: U16
    """Changes whenever the ring begins anew and event numbers start again at 1."""
    boot: U8
    """Changes with every reset: ticks of different boots cannot be compared."""
    cold_boots: U16
    """Starts other than by the watchdog since the board was made, modulo 65536; where `cause` is 0, those after power
    came."""
    warm_boots: U16
    """Watchdog resets since the last cold boot; where `cause` is 0, any resets."""
    cause: U8
    """ResetCause bits; 0 where a boot loader has cleared them."""
    oldest: U32
    """Number of the oldest event kept."""
    next: U32
    """Number that the next event will get."""
    stuck: U8
    """Pads that did not read open in the self-test, a bit each."""
    bridged: U8
    """Pads that follow another one in the self-test, a bit each."""
    pads: U8
    """Pressed now, a bit each; the same for what follows."""
    knives: U8
    skewers: U8
    beam: U8
    spares: U8


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened, sent again until it is acknowledged."""

    NUMBER: ClassVar[int] = 4
    SENDER: ClassVar[Sender] = Sender.BOARD
    epoch: U16
    sequence: U32
    kind: U8
    index: U8
    value: U16
    flags: U8
    boot: U8
    turns: U8
    ticks: U32


@dataclass(frozen=True, slots=True)
class Ack:
    """The host has everything before event `next`; the board may forget it."""

    NUMBER: ClassVar[int] = 5
    SENDER: ClassVar[Sender] = Sender.HOST
    epoch: U16
    next: U32
    again: U8
    """1: something was missing, send from `next` on once more."""


@dataclass(frozen=True, slots=True)
class Ping:
    """The host asks for the time."""

    NUMBER: ClassVar[int] = 6
    SENDER: ClassVar[Sender] = Sender.HOST
    token: U16


@dataclass(frozen=True, slots=True)
class Pong:
    """The tick at which Ping had come in whole, and how the board is."""

    NUMBER: ClassVar[int] = 7
    SENDER: ClassVar[Sender] = Sender.BOARD
    token: U16
    epoch: U16
    boot: U8
    turns: U8
    ticks: U32
    lamps: U8
    blinking: U8
    buzz: U8
    """`Buzz.number` of the last one obeyed."""
    lost: U16
    """Events lost since the board's start because the ring was full."""
    slowest: U16
    """Ticks that the slowest round of the main loop took since the last Pong."""


@dataclass(frozen=True, slots=True)
class Lamps:
    """The seats' lamps, seat 1 in the lowest bit."""

    NUMBER: ClassVar[int] = 8
    SENDER: ClassVar[Sender] = Sender.HOST
    on: U8
    blinking: U8


@dataclass(frozen=True, slots=True)
class Buzz:
    """Sound the buzzer `times` times; a number already obeyed is not obeyed twice."""

    NUMBER: ClassVar[int] = 9
    SENDER: ClassVar[Sender] = Sender.HOST
    number: U8
    on_ms: U16
    off_ms: U16
    times: U8


@dataclass(frozen=True, slots=True)
class Test:
    """Do the pads' self-test now; Hello answers. Pads are deaf meanwhile, for less than a millisecond."""

    NUMBER: ClassVar[int] = 10
    SENDER: ClassVar[Sender] = Sender.HOST


Message = Who | Here | Hello | Event | Ack | Ping | Pong | Lamps | Buzz | Test

MESSAGES: tuple[type[Message], ...] = typing.get_args(Message)

HANDSHAKE = frozenset({Who.NUMBER, Here.NUMBER})
"""Numbers of the messages whose checksum is not seeded with the schema."""

_CONSTANTS = {
    "BAUD": BAUD,
    "TICK_NS": TICK_NS,
    "PAD_COUNT": PAD_COUNT,
    "RING_CAPACITY": RING_CAPACITY,
    "WINDOW": WINDOW,
    "DEBOUNCE_TICKS": DEBOUNCE_TICKS,
    "POLL_TICKS": POLL_TICKS,
    "STAMP_JITTER_TICKS": STAMP_JITTER_TICKS,
}
_ENUMS: tuple[type[IntEnum], ...] = (EventKind, ResetCause, EventFlag)


def constants() -> dict[str, int]:
    """Every constant that both sides share, by name."""
    members = {
        f"{_upper(enum.__name__)}_{member.name}": member.value
        for enum in _ENUMS
        for member in enum.__members__.values()
    }
    return _CONSTANTS | members


def wire_fields(message: type[Message]) -> tuple[tuple[str, Wire], ...]:
    """A message's fields in the wire's order."""
    return _layouts()[message]


def payload_size(message: type[Message]) -> int:
    """Bytes of a message's fields."""
    return sum(wire.size for _, wire in wire_fields(message))


def schema_text() -> str:
    """Everything that both sides must agree on, as text: what the hash is of."""
    lines = [f"{name} {value}" for name, value in constants().items()]
    for message in MESSAGES:
        described = (f"{name}:{'t' if wire.is_text else 'u'}{wire.size}" for name, wire in wire_fields(message))
        lines.append(" ".join((message.__name__, str(message.NUMBER), message.SENDER.value, *described)))
    return "\n".join(lines)


@functools.cache
def schema_hash() -> int:
    """32 bits that stand for this version of the messages."""
    return int.from_bytes(hashlib.sha256(schema_text().encode()).digest()[:4], "little")


@functools.cache
def _layouts() -> dict[type[Message], tuple[tuple[str, Wire], ...]]:
    layouts: dict[type[Message], tuple[tuple[str, Wire], ...]] = {}
    for message in MESSAGES:
        hints = typing.get_type_hints(message, include_extras=True)
        layouts[message] = tuple((field.name, typing.get_args(hints[field.name])[1]) for field in fields(message))
    return layouts


def _upper(name: str) -> str:
    return "".join(f"_{letter}" if letter.isupper() else letter for letter in name).lstrip("_").upper()
