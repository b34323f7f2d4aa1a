"""How a game's pieces are read: the packaged ones, and those in a file."""

from pathlib import Path

import pytest

from controller.games.facts import ComponentError, read_packaged
from controller.games.registry import game_names, load_part


@pytest.mark.parametrize("game", game_names())
def test_packaged_pieces_are_read_once_and_a_file_each_time(game: str, tmp_path: Path) -> None:
    """Whoever asks of each of sixty faces which kind of piece has it would read the file sixty times."""
    load = load_part(game, "components").load_components
    assert load() is load()
    path = tmp_path / "mine.toml"
    path.write_text(read_packaged(f"controller.games.{game}"), encoding="utf-8")
    assert load(path) == load()
    path.write_text("", encoding="utf-8")
    with pytest.raises(ComponentError, match=r"mine\.toml: "):
        load(path)
