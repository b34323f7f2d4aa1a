"""What a table is known by, kept in its data_dir: the host's token, and the table's identity on the LAN."""

import secrets
from dataclasses import dataclass
from pathlib import Path

from config.os_errors import reason
from vision.files.whole_files import write_whole

_TOKEN, _IDENTITY = "host-token", "table-id"
_MOST_IDENTITY = 32
"""It shares one string of a TXT record, 255 bytes, with what follows."""


class FolderError(Exception):
    """Root of what a table's data_dir is refused for; the message names it and says what was expected."""


class NeverStarted(FolderError, LookupError):
    """No table was started with this data_dir yet."""


@dataclass(frozen=True, slots=True)
class KnownBy:
    """Made once for a table."""

    token: str
    """The host's."""
    identity: str
    """Told to the LAN: hexadecimal digits."""


def prepare_folder(data_dir: Path) -> KnownBy:
    """Make the folder, and in it what is not there yet.

    Raises FolderError.
    """
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        token = _read(data_dir / _TOKEN) or _made(data_dir / _TOKEN, secrets.token_urlsafe(12))
        identity = _read(data_dir / _IDENTITY, errors="replace")
        if not (identity.isascii() and identity.isalnum() and len(identity) <= _MOST_IDENTITY):
            identity = _made(data_dir / _IDENTITY, secrets.token_hex(4))
        return KnownBy(token, identity)
    except (OSError, ValueError) as error:
        raise FolderError(f"data_dir {data_dir}: expected a folder that can be written: {reason(error)}") from error


def identity_of_start(identity: str) -> str:
    """A table's identity, a hyphen, and that of this start of it: tells also apart whose disks were copied from one
    another, with the former."""
    return f"{identity}-{secrets.token_hex(4)}"


def host_token(data_dir: Path) -> str:
    """The host's token of a table that was started before.

    Raises FolderError, NeverStarted.
    """
    path = data_dir / _TOKEN
    try:
        token = _read(path)
    except (OSError, ValueError) as error:
        expected = "expected a file that its table's user, who starts it, can read"
        raise FolderError(f"{path}: cannot be read: {reason(error)}; {expected}") from error
    if not token:
        raise NeverStarted(f"{path} is not there, or empty: the next start makes it")
    return token


def _read(path: Path, errors: str = "strict") -> str:
    """What is kept; empty where nothing is, or no text, as after a power cut. `errors`: in UTF-8."""
    try:
        text = path.read_text(errors=errors).strip()
    except FileNotFoundError:
        return ""
    return text if text.isprintable() else ""


def _made(path: Path, text: str) -> str:
    """For its owner alone, and to stay: with another token the host's addresses that were handed out are worth nothing,
    with another identity the table is another one to the LAN."""
    write_whole(path, text.encode(), 0o600)
    return text
