"""Files that are there whole or not at all, and stay, when a disk is full or the power goes while they are written."""

import errno
import os
from pathlib import Path


def write_whole(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Put these bytes in a file's place once all of them are on the disk; until then it stays as it was. When this
    returns, the new one is there after a power cut, too. Of a symbolic link it is the file that it leads to. `mode`:
    what the umask takes from.

    Raises:
        OSError: that cannot be done; it has the file's name, and the file is as it was, or, where only its folder could
            not be brought to the disk, the new one until the power goes.
    """
    path = Path(os.path.realpath(path))
    try:
        _write(path, content, mode)
    except OSError as error:  # the disk says nothing of a name, and a draft's is nobody's
        raise OSError(error.errno, error.strerror, str(path)) from error


def sync_folder(folder: Path) -> None:
    """A new file's name must reach the disk too. Where a folder cannot be synced, as on some shared drives, nothing
    better can be done. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(descriptor)


def _write(path: Path, content: bytes, mode: int) -> None:
    if path.exists() and not path.is_file():  # a device or a pipe has no place that another file could take
        path.write_bytes(content)
        return
    draft = path.with_name(f"{path.name}.part")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
