"""Whether a picture's file is there to its end: a decoder fills what is missing with grey and says nothing."""

import struct

JPEG_START, JPEG_SCAN, JPEG_END = b"\xff\xd8", 0xDA, b"\xff\xd9"
PNG_START, PNG_END = b"\x89PNG\r\n\x1a\n", b"IEND"
_ALONE = {0x01, *range(0xD0, 0xD8)}
"""Markers without a length (ITU-T T.81, table B.1)."""


def is_cut_off(content: bytes) -> bool:
    """Whether a JPEG or PNG file ends before its picture does. False for files of other kinds."""
    if content.startswith(PNG_START):
        return not _png_ends(content)
    if content.startswith(JPEG_START):
        scan = _first_scan(content)
        return scan is None or JPEG_END not in content[scan:]
    return False


def _first_scan(content: bytes) -> int | None:
    """Where a JPEG's first scan begins: previews with ends of their own come before it. (ITU-T T.81, B.1.1)"""
    at = 2
    while at + 4 <= len(content):
        if content[at] != 0xFF:
            return None
        marker = content[at + 1]
        if marker == 0xFF:  # fill
            at += 1
        elif marker == JPEG_SCAN:
            return at
        elif marker in _ALONE:
            at += 2
        else:
            at += 2 + int(struct.unpack_from(">H", content, at + 2)[0])
    return None


def _png_ends(content: bytes) -> bool:
    """Whether the chunks go on to the last one. (PNG specification, 5.3)"""
    at = len(PNG_START)
    while at + 12 <= len(content):
        length, kind = struct.unpack_from(">I4s", content, at)
        at += 12 + int(length)
        if kind == PNG_END:
            return at <= len(content)
    return False
