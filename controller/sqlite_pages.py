"""The rows that still stand in a damaged SQLite file and in its write-ahead log, page by page.

SQLite refuses a file whose header is gone or that was cut off, and takes nothing of a log after its first broken frame.
Each leaf of a B-tree can be read by itself, though. The form of pages, cells and logs is that of
https://www.sqlite.org/fileformat2.html.
"""

import mmap
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

TABLE_LEAF, INDEX_LEAF = 0x0D, 0x0A
USUAL_PAGE = 4096
"""SQLite's default, where a file's own page size cannot be read."""
_FILE_HEADER, _WAL_HEADER, _FRAME_HEADER, _ROLLBACK_HEADER = 100, 32, 24, 28
_ROLLBACK_MAGIC = bytes.fromhex("d9d505f920a163d7")
_WAL_MAGIC = (0x377F0682, 0x377F0683)
_INTEGER_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}

Value = int | float | str | bytes | None


class Cell(NamedTuple):
    """One row of a table, or one entry of an index."""

    rowid: int | None
    """None in an index."""
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """What could be read of one leaf of a B-tree."""

    kind: int
    """TABLE_LEAF or INDEX_LEAF."""
    cells: tuple[Cell | None, ...]
    """In order; None for one that is damaged."""


def read_leaves(path: Path, widest: int) -> Iterator[Leaf]:
    """Every leaf of the file at `path` that can be read: first those of its log, oldest first, then its own; of a page
    that was changed there are several. What claims to have more than `widest` bytes counts as damaged.

    Raises:
        OSError: the files cannot be read.
    """
    log = wal_path(path)
    frames = _sound_frames(log.read_bytes() if log.exists() else b"")
    with path.open("rb") as file:
        empty = not file.seek(0, 2)
        content = b"" if empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        page_size = len(frames[0].page) if frames else _page_size(content[:_FILE_HEADER])
        pages = _Pages(content, page_size, {frame.number: frame.page for frame in frames}, widest)
        for frame in frames:
            yield from pages.leaf(frame.number, frame.page)
        for number in range(1, len(content) // page_size + 1):
            yield from pages.leaf(number, content[(number - 1) * page_size : number * page_size])


def wal_path(path: Path) -> Path:
    """Where SQLite keeps the write-ahead log of a file."""
    return path.with_name(f"{path.name}-wal")


def rollback_path(path: Path) -> Path:
    """Where SQLite keeps, while a file without a log is being changed, what it was before."""
    return path.with_name(f"{path.name}-journal")


def pages_before(path: Path) -> int | None:
    """How many pages the file at `path` had, by what lies beside it to bring that back; None where nothing does."""
    rollback = rollback_path(path)
    head = rollback.read_bytes()[:_ROLLBACK_HEADER] if rollback.exists() else b""
    if len(head) < _ROLLBACK_HEADER or not head.startswith(_ROLLBACK_MAGIC):
        return None
    pages: int = struct.unpack_from(">I", head, 16)[0]
    return pages


def pages_of(path: Path) -> int:
    """How many pages the file has, whole ones."""
    with path.open("rb") as file:
        return path.stat().st_size // _page_size(file.read(_FILE_HEADER))


def is_closed(path: Path) -> bool:
    """Whether the file says of itself that it has no log: SQLite's "legacy" read and write version."""
    with path.open("rb") as file:
        return file.read(_FILE_HEADER)[18:20] == b"\x01\x01"


def frames_written(log: Path) -> int:
    """How many frames a log has of one round, sound or not."""
    return len(_frame_heads(log.read_bytes())) if log.exists() else 0


def frames_surely_synced(log: Path) -> int:
    """How many frames of a log were on the disk for good: up to the last commit that another frame goes on from, which
    what a power cut has left of a transaction before does not. None of a round whose header alone is written yet: what
    the frames before it say is in the file."""
    content = log.read_bytes() if log.exists() else b""
    heads = [] if _begins_anew(content) else _frame_heads(content)
    for count in range(len(heads) - 1, 0, -1):
        if heads[count - 1].commits and _is_sound(content, heads[count], heads[count - 1].checksum):
            return count
    return 0


def pages_only_in_log(path: Path) -> int:
    """How many pages are otherwise in the log of the file at `path`, up to its last commit, than in the file; what
    SQLite itself changes of the file's header when it does without a log is left out."""
    newest = _newest_pages(wal_path(path))
    with path.open("rb") as file:
        return sum(
            _lasting(number, page) != _lasting(number, _page_of(file, number, len(page)))
            for number, page in newest.items()
        )


def leaves_of_log(path: Path, frames: int, widest: int) -> Iterator[Leaf]:
    """The leaves of a B-tree as the first `frames` of the log of the file at `path` have them at their last commit; see
    `read_leaves`. What goes on in pages that are only in the file counts as damaged."""
    newest = _newest_pages(wal_path(path), frames)
    for number, page in newest.items():
        yield from _Pages(b"", len(page), newest, widest).leaf(number, page)


def _newest_pages(log: Path, frames: int | None = None) -> dict[int, bytes]:
    """Pages by number as the first `frames` of a log have them at their last commit, all where it is None; their
    checksums are not looked at."""
    content = log.read_bytes() if log.exists() else b""
    heads = _frame_heads(content)[:frames]
    page_size = _wal_page_size(content) or USUAL_PAGE
    last = max((index for index, head in enumerate(heads) if head.commits), default=-1)
    starts = {head.number: head.at + _FRAME_HEADER for head in heads[: last + 1]}
    return {number: content[at : at + page_size] for number, at in starts.items()}


def _lasting(number: int, page: bytes) -> bytes:
    """A page without the versions for reading and writing, and without the counts of changes."""
    return page[:18] + page[20:24] + page[28:92] + page[100:] if number == 1 else page


def _page_of(file: BinaryIO, number: int, page_size: int) -> bytes:
    file.seek((number - 1) * page_size)
    return file.read(page_size)


class _Head(NamedTuple):
    number: int
    commits: bool
    checksum: tuple[int, int]
    at: int
    """Where the frame begins in its log."""


class _Frame(NamedTuple):
    number: int
    page: bytes


def _wal_page_size(content: bytes) -> int:
    """0 where the log's header does not say."""
    size = struct.unpack_from(">I", content, 8)[0] if len(content) >= _WAL_HEADER else 0
    return size if 512 <= size <= 65536 and size & (size - 1) == 0 else 0


def _frame_heads(content: bytes) -> list[_Head]:
    """The frames of the log's newest round: those with its header's salts, or where none has, with the first one's."""
    step = _FRAME_HEADER + (_wal_page_size(content) or USUAL_PAGE)
    starts = range(_WAL_HEADER, len(content) - step + 1, step)
    salts = [content[at + 8 : at + 16] for at in starts]
    own = content[16:24] if content[16:24] in salts else salts[0] if salts else b""
    heads = []
    for at, salt in zip(starts, salts, strict=True):
        if salt == own:
            number, size = struct.unpack_from(">II", content, at)
            heads.append(_Head(number, size != 0, struct.unpack_from(">II", content, at + 16), at))
    return heads


def _begins_anew(content: bytes) -> bool:
    """Whether a log has a whole header and no frame of its round: it is synced before the first one is written."""
    header = content[:_WAL_HEADER]
    if len(header) < _WAL_HEADER or struct.unpack_from(">I", header)[0] not in _WAL_MAGIC:
        return False
    if _checksum(header[:24], (0, 0), _byte_order(header)) != _header_checksum(header):
        return False
    return all(content[head.at + 8 : head.at + 16] != header[16:24] for head in _frame_heads(content)[:1])


def _sound_frames(content: bytes) -> list[_Frame]:
    """Those of a log whose checksums fit, up to the last commit; each one's goes on from that of the frame before."""
    heads = _frame_heads(content)
    if not heads:
        return []
    page_size = _wal_page_size(content) or USUAL_PAGE
    last = max((index for index, head in enumerate(heads) if head.commits), default=-1)
    before = _header_checksum(content[:_WAL_HEADER])
    sound = []
    for head in heads[: last + 1]:
        if _is_sound(content, head, before):
            at = head.at + _FRAME_HEADER
            sound.append(_Frame(head.number, content[at : at + page_size]))
        before = head.checksum
    return sound


def _is_sound(content: bytes, head: _Head, before: tuple[int, int]) -> bool:
    """Whether a frame's checksum fits, and goes on from that of the frame before."""
    at = head.at + _FRAME_HEADER
    page = content[at : at + (_wal_page_size(content) or USUAL_PAGE)]
    return _checksum(content[head.at : head.at + 8] + page, before, _byte_order(content)) == head.checksum


def _byte_order(header: bytes) -> str:
    """Of what a log's checksums are made from."""
    return ">" if struct.unpack_from(">I", header)[0] == _WAL_MAGIC[1] else "<"


def _header_checksum(header: bytes) -> tuple[int, int]:
    """The checksum of a log's header, which its first frame's goes on from."""
    first, second = struct.unpack_from(">II", header, 24)
    return first, second


def _checksum(content: bytes, start: tuple[int, int], order: str) -> tuple[int, int]:
    first, second = start
    for one, two in struct.iter_unpack(f"{order}II", content):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + two + first) & 0xFFFFFFFF
    return first, second


def _page_size(header: bytes) -> int:
    size: int = struct.unpack_from(">H", header, 16)[0] if len(header) == _FILE_HEADER else 0
    size = 65536 if size == 1 else size
    return size if size >= 512 and size & (size - 1) == 0 else USUAL_PAGE


class _Damaged(Exception):
    """What is being read makes no sense."""


class _Pages:
    """The pages of a file as they were last written, as far as they can be read."""

    def __init__(self, content: "bytes | mmap.mmap", page_size: int, newer: dict[int, bytes], widest: int) -> None:
        """`newer`: pages by number that the log has and the file may not have yet."""
        self._content = content
        self._size = page_size
        self._newer = newer
        self._widest = widest

    def leaf(self, number: int, page: bytes) -> Iterator[Leaf]:
        """The leaf on this page, where it is one."""
        head = _FILE_HEADER if number == 1 else 0
        kind = page[head]
        if kind in (TABLE_LEAF, INDEX_LEAF):
            count = struct.unpack_from(">H", page, head + 3)[0]
            if head + 8 + 2 * count <= len(page):
                places = struct.unpack_from(f">{count}H", page, head + 8)
                yield Leaf(kind, tuple(self._cells(page, kind, places)))

    def _cells(self, page: bytes, kind: int, places: Sequence[int]) -> Iterator[Cell | None]:
        for at in places:
            try:
                yield self._cell(page, kind, at)
            except (_Damaged, IndexError, struct.error, UnicodeDecodeError):
                yield None

    def _cell(self, page: bytes, kind: int, at: int) -> Cell:
        length, at = _varint(page, at)
        if not 2 <= length <= self._widest:
            raise _Damaged
        rowid = None
        if kind == TABLE_LEAF:
            rowid, at = _varint(page, at)
        most = self._size - 35 if kind == TABLE_LEAF else (self._size - 12) * 64 // 255 - 23
        least = (self._size - 12) * 32 // 255 - 23
        here = length
        if length > most:
            here = least + (length - least) % (self._size - 4)
            here = here if here <= most else least
        payload = page[at : at + here]
        if length > here:
            payload += self._overflow(struct.unpack_from(">I", page, at + here)[0], length - here)
        if len(payload) != length:
            raise _Damaged
        return Cell(rowid, tuple(_values(payload)))

    def _overflow(self, number: int, length: int) -> bytes:
        parts = bytearray()
        while len(parts) < length:
            page = self._newer.get(number) or self._content[(number - 1) * self._size : number * self._size]
            if not number or len(page) != self._size:
                raise _Damaged
            number = struct.unpack_from(">I", page)[0]
            parts += page[4 : 4 + length - len(parts)]
        return bytes(parts)


def _varint(content: bytes, at: int) -> tuple[int, int]:
    """A number, and where the next begins."""
    value = 0
    for index in range(8):
        byte = content[at + index]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + index + 1
    value = value << 8 | content[at + 8]
    return value - (1 << 64) if value >> 63 else value, at + 9


def _values(payload: bytes) -> Iterator[Value]:
    """The columns of a row."""
    end, at = _varint(payload, 0)
    body = end
    if not 1 <= end <= len(payload):
        raise _Damaged
    while at < end:
        serial, at = _varint(payload, at)
        value, body = _value(payload, serial, body)
        yield value
    if (at, body) != (end, len(payload)):
        raise _Damaged


def _value(payload: bytes, serial: int, at: int) -> tuple[Value, int]:
    if serial in _INTEGER_BYTES:
        end = at + _INTEGER_BYTES[serial]
        return int.from_bytes(payload[at:end], "big", signed=True), end
    if serial == 7:
        return struct.unpack_from(">d", payload, at)[0], at + 8
    if serial in (8, 9):
        return serial - 8, at
    if serial == 0:
        return None, at
    if serial < 12:
        raise _Damaged
    end = at + (serial - 12) // 2
    content = payload[at:end]
    return (content.decode() if serial % 2 else content), end
