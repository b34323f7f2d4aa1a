"""What the operating system says against a file, in words for people, without its number."""

import errno
import os

DISK_FULL = "the disk is full; free some space"
_WORDS = {
    errno.ENOSPC: DISK_FULL,
    errno.EDQUOT: "this user's share of the disk is full; free some space",
    errno.EROFS: "the disk takes nothing: it is mounted for reading only",
    errno.EEXIST: "a file lies there",
}


def reason(error: BaseException) -> str:
    """Why, without the file's name; of what is no error of the system, what it says."""
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    return _WORDS.get(error.errno or 0, error.strerror)


def in_words(error: BaseException) -> str:
    """The file's name, where the system tells it, and why."""
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {reason(error)}"
    return reason(error)
