"""Frames on a line that may drop, invent and spoil bytes.

A frame's content is kind, length of the payload, payload and the CRC-32 of these three; COBS takes the zeros out of
it, and a zero byte ends it. The CRC's seed holds the schema's hash, except in the handshake.

Sources: Cheshire and Baker, "Consistent Overhead Byte Stuffing" (1999); the CRC is that of IEEE 802.3, as in zlib.
"""

import zlib
from dataclasses import dataclass

from firmware_bridge.schema import HANDSHAKE, MESSAGES, payload_size, schema_hash

LARGEST_PAYLOAD = max(payload_size(message) for message in MESSAGES)
_AROUND = 6
"""Bytes of a frame's content that are no payload."""
_LARGEST_ENCODED = LARGEST_PAYLOAD + _AROUND + 1


class FrameError(ValueError):
    """Root of what is wrong with bytes that should be a frame."""


class BadStuffing(FrameError):
    """The bytes are no COBS."""


class BadLength(FrameError):
    """The frame is longer or shorter than it says, or than any frame is."""


class BadChecksum(FrameError):
    """The CRC is another one: spoilt, or sent by another version."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A kind of message and its bytes."""

    kind: int
    payload: bytes


def format_frame(frame: Frame, schema: int | None = None) -> bytes:
    """The bytes for the line, a zero at both ends so that noise before it costs nothing.

    Raises:
        BadLength: the payload is larger than any message's.
    """
    if len(frame.payload) > LARGEST_PAYLOAD:
        raise BadLength(f"a payload of {len(frame.payload)} bytes: expected at most {LARGEST_PAYLOAD}")
    content = bytes((frame.kind, len(frame.payload))) + frame.payload
    checksum = zlib.crc32(content, _seed(frame.kind, schema)).to_bytes(4, "little")
    return b"\0" + _stuff(content + checksum) + b"\0"


def parse_frame(encoded: bytes, schema: int | None = None) -> Frame:
    """The frame in the bytes between two zeros.

    Raises:
        FrameError: they are none.
    """
    if len(encoded) > _LARGEST_ENCODED:
        raise BadLength(f"{len(encoded)} bytes without a zero: expected at most {_LARGEST_ENCODED}")
    content = _unstuff(encoded)
    if len(content) < _AROUND:
        raise BadLength(f"a frame of {len(content)} bytes: expected at least {_AROUND}")
    if content[1] != len(content) - _AROUND:
        raise BadLength(f"a payload of {len(content) - _AROUND} bytes: the frame says {content[1]}")
    checksum = int.from_bytes(content[-4:], "little")
    expected = zlib.crc32(content[:-4], _seed(content[0], schema))
    if checksum != expected:
        raise BadChecksum(f"checksum {checksum:08x} of a frame of kind {content[0]}: expected {expected:08x}")
    return Frame(content[0], content[2:-4])


class FrameReader:
    """Finds the frames in a stream, however it is cut up, and goes on after whatever is no frame."""

    def __init__(self, schema: int | None = None) -> None:
        self._schema = schema_hash() if schema is None else schema
        self._pending = bytearray()
        self._skipping = False
        self.faults = 0
        """How many stretches between zeros were no frame."""

    def feed(self, received: bytes) -> list[Frame]:
        """The frames that these bytes complete."""
        frames: list[Frame] = []
        *whole, rest = received.split(b"\0")
        for stretch in whole:
            self._append(stretch)
            if self._pending or self._skipping:
                self._end(frames)
        self._append(rest)
        return frames

    def _append(self, stretch: bytes) -> None:
        self._pending += stretch
        if len(self._pending) > _LARGEST_ENCODED:
            self._skipping = True
            self._pending.clear()

    def _end(self, frames: list[Frame]) -> None:
        try:
            if self._skipping:
                self.faults += 1
            else:
                frames.append(parse_frame(bytes(self._pending), self._schema))
        except FrameError:
            self.faults += 1
        self._pending.clear()
        self._skipping = False


def _seed(kind: int, schema: int | None) -> int:
    if kind in HANDSHAKE:
        return 0
    return schema_hash() if schema is None else schema


def _stuff(content: bytes) -> bytes:
    # No frame is long enough for a run of 254 bytes without a zero.
    return b"".join(bytes((len(run) + 1,)) + run for run in content.split(b"\0"))


def _unstuff(encoded: bytes) -> bytes:
    runs: list[bytes] = []
    at = 0
    while at < len(encoded):
        code = encoded[at]
        run = encoded[at + 1 : at + code]
        if not code or len(run) != code - 1 or 0 in run:
            raise BadStuffing(f"byte {at} of {encoded.hex()} promises {code - 1} bytes without a zero")
        runs.append(run)
        at += code
    return b"\0".join(runs)
