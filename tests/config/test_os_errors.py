"""What people are told of the operating system's errors."""

import errno
import os
from pathlib import Path

import pytest

from config.os_errors import DISK_FULL, in_words, reason


def test_a_full_disk_says_what_to_do_and_which_file() -> None:
    error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/table/journal.sqlite")
    assert in_words(error) == f"/table/journal.sqlite: {DISK_FULL}"
    assert reason(error) == DISK_FULL


def test_a_file_in_a_folders_place_is_called_one(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="Errno") as refused:
        (tmp_path / "file").mkdir(parents=True)
    assert in_words(refused.value) == f"{tmp_path / 'file'}: a file lies there"


def test_others_keep_their_words() -> None:
    assert reason(OSError(errno.EACCES, "Permission denied")) == "Permission denied"
    assert in_words(OSError(errno.EACCES, "Permission denied", b"/a\xff")) == "/a\udcff: Permission denied"
    assert in_words(OSError("no number")) == "no number"
    assert in_words(ValueError("another")) == "another"
