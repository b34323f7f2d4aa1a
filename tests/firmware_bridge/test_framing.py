"""Frames whole, byte by byte, five at once, and spoilt."""

import zlib
from random import Random

import pytest

from firmware_bridge.framing import (
    LARGEST_PAYLOAD,
    BadChecksum,
    BadLength,
    BadStuffing,
    Frame,
    FrameError,
    FrameReader,
    format_frame,
    parse_frame,
)
from firmware_bridge.schema import MESSAGES, Event, Here, Ping, payload_size

FRAMES = [
    Frame(message.NUMBER, bytes(filler * (place % 2) for place in range(payload_size(message))))
    for message in MESSAGES
    for filler in (0, 1, 255)
]


@pytest.mark.parametrize("frame", FRAMES)
def test_a_frame_whole(frame: Frame) -> None:
    assert FrameReader().feed(format_frame(frame)) == [frame]


@pytest.mark.parametrize("frame", FRAMES)
def test_a_frame_byte_by_byte(frame: Frame) -> None:
    reader = FrameReader()
    found = [reader.feed(bytes((byte,))) for byte in format_frame(frame)]
    assert found == [[]] * (len(found) - 1) + [[frame]]


@pytest.mark.parametrize("frame", FRAMES)
def test_five_frames_at_once(frame: Frame) -> None:
    reader = FrameReader()
    assert reader.feed(format_frame(frame) * 5) == [frame] * 5
    assert reader.faults == 0


def test_one_zero_between_frames_is_enough() -> None:
    assert FrameReader().feed(b"".join(format_frame(frame)[1:] for frame in FRAMES)) == FRAMES


def test_noise_before_and_between_costs_nothing() -> None:
    reader = FrameReader()
    frame = format_frame(FRAMES[0])
    assert reader.feed(b"\x31\x41\x59" + frame + b"\xff" * 1000 + frame) == [FRAMES[0]] * 2
    assert reader.faults == 2


@pytest.mark.parametrize(
    ("encoded", "error"),
    [
        (b"", BadLength),
        (b"\x05ab", BadStuffing),
        (b"\x01" * 3, BadLength),
        (b"\x02a" * 60, BadLength),
        (format_frame(Frame(7, b"abc"))[1:-2], BadStuffing),
        (b"\x08\x07\x02abcd\x11", BadLength),
        (b"\x09\x07\x02abcdef", BadChecksum),
    ],
)
def test_what_is_no_frame(encoded: bytes, error: type[FrameError]) -> None:
    with pytest.raises(error):
        parse_frame(encoded)


def test_the_largest_payload() -> None:
    with pytest.raises(BadLength, match="expected at most"):
        format_frame(Frame(3, bytes(LARGEST_PAYLOAD + 1)))


def test_versions_read_only_each_others_handshake() -> None:
    ours, theirs = FrameReader(1), 2
    assert ours.feed(format_frame(Frame(Event.NUMBER, b"abc"), theirs)) == []
    handshake = Frame(Here.NUMBER, b"abc")
    assert ours.feed(format_frame(handshake, theirs)) == [handshake]


def test_the_checksum_is_zlibs() -> None:
    encoded = format_frame(Frame(Ping.NUMBER, b"\x11\x12"), 0x1234)
    content = bytes((Ping.NUMBER, 2, 0x11, 0x12))
    assert encoded == b"\0\x09" + content + zlib.crc32(content, 0x1234).to_bytes(4, "little") + b"\0"


def test_every_spoilt_bit_is_noticed() -> None:
    encoded = format_frame(FRAMES[10])[1:-1]
    for bit in range(8 * len(encoded)):
        spoilt = bytearray(encoded)
        spoilt[bit // 8] ^= 1 << bit % 8
        assert FRAMES[10] not in FrameReader().feed(bytes(spoilt) + b"\0")


def test_any_bytes_are_survived() -> None:
    rng = Random(1)
    reader = FrameReader()
    for _ in range(2000):
        assert reader.feed(rng.randbytes(rng.randrange(80))) == []
    assert reader.feed(b"\0" + format_frame(FRAMES[0])) == [FRAMES[0]]
