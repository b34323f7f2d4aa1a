"""What a file holds when writing over it fails."""

import errno
import os
import resource
import stat
from pathlib import Path

import pytest

from vision.files.whole_files import write_whole


def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "mine.faces"
    path.write_bytes(b"old")
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_the_file_and_then_its_new_name_are_brought_to_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = []
    sync = os.fsync

    def seen(handle: int) -> None:
        synced.append(Path(f"/proc/self/fd/{handle}").readlink())
        sync(handle)

    monkeypatch.setattr(os, "fsync", seen)
    path = tmp_path / "mine.faces"
    write_whole(path, b"new")
    assert synced == [tmp_path / "mine.faces.part", tmp_path]


def test_a_folder_that_cannot_be_brought_to_the_disk_is_said_unless_none_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, fails_with = tmp_path / "mine.faces", errno.EINVAL
    sync = os.fsync

    def of_files(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(fails_with, os.strerror(fails_with))
        sync(handle)

    monkeypatch.setattr(os, "fsync", of_files)
    write_whole(path, b"new")
    fails_with = errno.EIO
    with pytest.raises(OSError, match="Input/output error") as refused:
        write_whole(path, b"newer")
    assert refused.value.filename == str(path)


def test_a_file_stays_as_it_was_where_the_disk_takes_no_more(tmp_path: Path) -> None:
    path = tmp_path / "mine.faces"
    path.write_bytes(b"old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large") as refused:
            write_whole(path, bytes(5000))
        assert refused.value.filename == str(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_device_is_written_to_and_not_replaced() -> None:
    with pytest.raises(OSError, match="No space left"):
        write_whole(Path("/dev/full"), b"new")
    assert Path("/dev/full").is_char_device()
