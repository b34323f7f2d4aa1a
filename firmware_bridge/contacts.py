"""What is closed on the board now: docks with something in them, pads pressed, the beam."""

from dataclasses import dataclass, replace

from firmware_bridge.schema import Hello
from firmware_bridge.signals import Signal, SignalKind


@dataclass(frozen=True, slots=True)
class Contacts:
    """The closed contacts, as far as the board has told."""

    pads: frozenset[int]
    """Seats whose pad is pressed."""
    knives: frozenset[int]
    """Seats in whose dock a knife lies."""
    skewers: frozenset[int]
    """Docks, from 1, that a skewer stands in."""
    is_beam_broken: bool
    spares: frozenset[int]
    """Spare inputs, from 1, that are connected to ground."""


def contacts_of(hello: Hello) -> Contacts:
    """What the board says of its contacts in the handshake."""
    return Contacts(
        _numbers(hello.pads), _numbers(hello.knives), _numbers(hello.skewers), bool(hello.beam), _numbers(hello.spares)
    )


def failed_pads(hello: Hello) -> list[int]:
    """Seats whose pad failed the board's self-test."""
    return sorted(_numbers(hello.stuck | hello.bridged))


def contacts_after(contacts: Contacts, signal: Signal) -> Contacts:
    """The same after a signal; one that says nothing of them changes nothing."""
    match signal.kind:
        case SignalKind.PAD_PRESSED:
            return replace(contacts, pads=contacts.pads | {signal.seat})
        case SignalKind.PAD_RELEASED:
            return replace(contacts, pads=contacts.pads - {signal.seat})
        case SignalKind.KNIFE_DOCKED:
            return replace(contacts, knives=contacts.knives | {signal.seat})
        case SignalKind.KNIFE_TAKEN:
            return replace(contacts, knives=contacts.knives - {signal.seat})
        case SignalKind.SKEWER_DOCKED:
            return replace(contacts, skewers=contacts.skewers | {signal.number})
        case SignalKind.SKEWER_TAKEN:
            return replace(contacts, skewers=contacts.skewers - {signal.number})
        case SignalKind.BEAM_BROKEN | SignalKind.BEAM_CLEAR:
            return replace(contacts, is_beam_broken=signal.kind is SignalKind.BEAM_BROKEN)
        case SignalKind.SPARE_CLOSED:
            return replace(contacts, spares=contacts.spares | {signal.number})
        case SignalKind.SPARE_OPENED:
            return replace(contacts, spares=contacts.spares - {signal.number})
        case _:
            return contacts


def _numbers(bits: int) -> frozenset[int]:
    return frozenset(bit + 1 for bit in range(bits.bit_length()) if bits >> bit & 1)
