"""What a table is known by, kept in its folder."""

from pathlib import Path

import pytest

from controller.table_folder import FolderError, NeverStarted, host_token, prepare_folder


def test_what_it_is_known_by_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "not" / "there"
    with pytest.raises(NeverStarted, match="host-token is not there, or empty: the next start makes it"):
        host_token(folder)
    known_by = prepare_folder(folder)
    assert (len(known_by.token), len(known_by.identity)) == (16, 8)
    assert prepare_folder(folder) == known_by
    assert host_token(folder) == known_by.token
    assert (folder / "host-token").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("kept", [" \n", "\0" * 16])
def test_an_empty_token_is_none(tmp_path: Path, kept: str) -> None:
    (tmp_path / "host-token").write_text(kept)
    with pytest.raises(NeverStarted):
        host_token(tmp_path)
    assert len(prepare_folder(tmp_path).token) == 16


@pytest.mark.parametrize("kept", [b"", b"12-34", "ä".encode(), b"1\n2", b"\xff\xfe", b"1" * 300])
def test_an_identity_that_is_none_is_made_anew(tmp_path: Path, kept: bytes) -> None:
    token = prepare_folder(tmp_path).token
    (tmp_path / "table-id").write_bytes(kept)
    known_by = prepare_folder(tmp_path)
    assert (known_by.token, len(known_by.identity)) == (token, 8)


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "host-token").mkdir()
    with pytest.raises(FolderError, match=f"{tmp_path}/host-token: cannot be read: Is a directory; expected a file"):
        host_token(tmp_path)
    with pytest.raises(FolderError, match=f"data_dir {tmp_path}: expected a folder that can be written"):
        prepare_folder(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(FolderError, match=r"file/host-token: cannot be read: Not a directory"):
        host_token(tmp_path / "file")
    (tmp_path / "no-text").mkdir()
    (tmp_path / "no-text" / "host-token").write_bytes(b"\xff\xfe")
    with pytest.raises(FolderError, match=r"no-text/host-token: cannot be read: 'utf-8' codec"):
        host_token(tmp_path / "no-text")
