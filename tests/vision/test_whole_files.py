"""What a file holds when writing over it fails."""

import resource
from pathlib import Path

import pytest

from vision.files.whole_files import write_whole


def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "mine.faces"
    path.write_bytes(b"old")
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


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
