"""The schema as a C header: `python -m firmware_bridge.c_header` writes it, `--check` says whether it is current."""

import argparse
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path

from firmware_bridge.framing import LARGEST_PAYLOAD
from firmware_bridge.schema import (
    HANDSHAKE,
    MESSAGES,
    Message,
    Sender,
    Wire,
    constants,
    payload_size,
    schema_hash,
    wire_fields,
)

HEADER = Path(__file__).parents[1] / "hardware" / "firmware" / "messages.h"


def header_text() -> str:
    """The whole header."""
    parts = [_opening()]
    for message in MESSAGES:
        parts.append(_struct(message))
        parts.append(_unpack(message) if message.SENDER is Sender.HOST else _pack(message))
    return "\n".join((*parts, "#endif\n"))


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if the header is current or was written."""
    parser = argparse.ArgumentParser(prog="python -m firmware_bridge.c_header", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args(arguments)
    if not options.check:
        HEADER.write_text(header_text())
        return 0
    if not HEADER.exists() or HEADER.read_text() != header_text():
        sys.stderr.write(f"{HEADER} is not what the schema says: run make firmware-header\n")
        return 1
    return 0


def _opening() -> str:
    lines = [
        "/* Made from firmware_bridge/schema.py by `make firmware-header`; change it there. */",
        "#ifndef MESSAGES_H",
        "#define MESSAGES_H",
        "",
        "#include <stdint.h>",
        "#include <string.h>",
        "",
        f"#define SCHEMA_HASH 0x{schema_hash():08x}UL",
        f"#define MSG_PAYLOAD_MAX {LARGEST_PAYLOAD}",
        f"#define MSG_IS_HANDSHAKE(kind) ({' || '.join(f'(kind) == {number}' for number in sorted(HANDSHAKE))})",
        "",
    ]
    lines += [f"#define {name} {value}{'UL' if value > 32767 else ''}" for name, value in constants().items()]
    return "\n".join((*lines, "", *_crc_table(), ""))


def _crc_table() -> list[str]:
    """CRC-32 of IEEE 802.3, reflected, a byte a step: one byte's CRC without the inversions before and after."""
    words = [zlib.crc32(bytes((byte,)), 0xFFFFFFFF) ^ 0xFFFFFFFF for byte in range(256)]
    rows = [", ".join(f"0x{word:08x}UL" for word in words[at : at + 8]) for at in range(0, 256, 8)]
    return ["#define CRC32_TABLE \\", *(f"    {row}, \\" for row in rows[:-1]), f"    {rows[-1]}"]


def _struct(message: type[Message]) -> str:
    name = message.__name__.lower()
    about = (message.__doc__ or "").splitlines()[0]
    members = [f"    {_declaration(field, wire)};" for field, wire in wire_fields(message)] or ["    uint8_t nothing;"]
    return "\n".join(
        (
            f"/* From the {message.SENDER.value}. {about} */",
            f"#define MSG_{name.upper()} {message.NUMBER}",
            f"#define MSG_{name.upper()}_SIZE {payload_size(message)}",
            "",
            f"struct msg_{name} {{",
            *members,
            "};",
            "",
        )
    )


def _declaration(field: str, wire: Wire) -> str:
    return f"char {field}[{wire.size}]" if wire.is_text else f"uint{8 * wire.size}_t {field}"


def _pack(message: type[Message]) -> str:
    name = message.__name__.lower()
    lines = [f"static inline void msg_{name}_pack(const struct msg_{name} *m, uint8_t *to)", "{"]
    at = 0
    for field, wire in wire_fields(message):
        if wire.is_text:
            lines.append(f"    memcpy(to + {at}, m->{field}, {wire.size});")
        else:
            for byte in range(wire.size):
                shifted = f"m->{field} >> {8 * byte}" if byte else f"m->{field}"
                lines.append(f"    to[{at + byte}] = (uint8_t)({shifted});")
        at += wire.size
    return "\n".join((*lines, "}", ""))


def _unpack(message: type[Message]) -> str:
    name = message.__name__.lower()
    lines = [f"static inline void msg_{name}_unpack(struct msg_{name} *m, const uint8_t *from)", "{"]
    at = 0
    for field, wire in wire_fields(message):
        kind = f"uint{8 * wire.size}_t"
        parts = (f"(({kind})from[{at + byte}] << {8 * byte})" if byte else f"from[{at}]" for byte in range(wire.size))
        lines.append(f"    m->{field} = ({kind})({' | '.join(parts)});")
        at += wire.size
    if not wire_fields(message):
        lines += ["    (void)from;", "    m->nothing = 0;"]
    return "\n".join((*lines, "}", ""))


if __name__ == "__main__":
    sys.exit(main())
