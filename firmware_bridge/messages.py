"""Messages as bytes: `parse_message` is where what came over the line is checked, once."""

from typing import Any

from firmware_bridge.framing import Frame, FrameError
from firmware_bridge.schema import MESSAGES, Message, payload_size, wire_fields


class MessageError(FrameError):
    """A whole frame that is no message of this schema."""


def format_message(message: Message) -> Frame:
    """The message's frame.

    Raises:
        MessageError: a field does not fit its place.
    """
    parts: list[bytes] = []
    for name, wire in wire_fields(type(message)):
        value = getattr(message, name)
        try:
            encoded = value.encode("ascii") if wire.is_text else value.to_bytes(wire.size, "little")
        except (OverflowError, UnicodeEncodeError) as error:
            raise _misfit(message, name, value, wire.size) from error
        if len(encoded) > wire.size:
            raise _misfit(message, name, value, wire.size)
        parts.append(encoded.ljust(wire.size, b"\0"))
    return Frame(message.NUMBER, b"".join(parts))


def parse_message(frame: Frame) -> Message:
    """The message in a frame.

    Raises:
        MessageError: the schema has no such message.
    """
    for kind in MESSAGES:
        if frame.kind == kind.NUMBER:
            return _parse_as(kind, frame.payload)
    raise MessageError(f"a frame of kind {frame.kind}: expected one of {[kind.NUMBER for kind in MESSAGES]}")


def _parse_as(kind: type[Message], payload: bytes) -> Message:
    if len(payload) != payload_size(kind):
        raise MessageError(f"{kind.__name__} of {len(payload)} bytes: expected {payload_size(kind)}")
    values: dict[str, Any] = {}
    at = 0
    for name, wire in wire_fields(kind):
        raw = payload[at : at + wire.size]
        values[name] = _text(kind, name, raw) if wire.is_text else int.from_bytes(raw, "little")
        at += wire.size
    return kind(**values)


def _text(kind: type[Message], name: str, raw: bytes) -> str:
    try:
        return raw.rstrip(b"\0").decode("ascii")
    except UnicodeDecodeError as error:
        raise MessageError(f"{kind.__name__}.{name} is {raw!r}: expected ASCII") from error


def _misfit(message: Message, name: str, value: object, size: int) -> MessageError:
    return MessageError(f"{type(message).__name__}.{name} is {value!r}: expected what {size} bytes can hold")
