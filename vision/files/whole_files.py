"""Files that are written whole or not at all."""

import os
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Put these bytes in a file's place once all of them are on the disk; until then it stays as it was. Of a symbolic
    link it is the file that it leads to.

    Raises:
        OSError: that cannot be done; it has the file's name, and the file is as it was.
    """
    path = Path(os.path.realpath(path))
    try:
        _write(path, content)
    except OSError as error:  # the disk says nothing of a name, and a draft's is nobody's
        raise OSError(error.errno, error.strerror, str(path)) from error


def _write(path: Path, content: bytes) -> None:
    if path.exists() and not path.is_file():  # a device or a pipe has no place that another file could take
        path.write_bytes(content)
        return
    draft = path.with_name(f"{path.name}.part")
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
