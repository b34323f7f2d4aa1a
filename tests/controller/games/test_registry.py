"""Games are found by their folders."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller import games
from controller.games import registry


def test_every_folder_is_a_game_and_loads() -> None:
    assert "new_york_slice" in registry.game_names()
    for name in registry.game_names():
        game = registry.load_game(name)
        assert game.name == name
        assert game.title
        assert min(game.player_counts) >= 1


def test_an_unknown_game_is_named_with_those_there_are() -> None:
    with pytest.raises(registry.UnknownGame, match=r"'chess' is no game; there are .*new_york_slice"):
        registry.load_game("chess")


@pytest.mark.parametrize("name", ["registry", "values", "../x", "", "new_york_slice.rules"])
def test_what_is_no_folder_is_no_game(name: str) -> None:
    with pytest.raises(registry.UnknownGame):
        registry.load_game(name)


def test_a_part_of_a_game() -> None:
    assert registry.load_part("new_york_slice", "rules").State


def test_a_part_that_a_game_lacks_is_named_with_the_games_that_have_it() -> None:
    assert "new_york_slice" in registry.games_with("table")
    assert registry.games_with("no_such_part") == ()
    with pytest.raises(registry.PartMissing, match=r"new_york_slice: the game has rules but no no_such_part\.py"):
        registry.load_part("new_york_slice", "no_such_part")
    with pytest.raises(registry.UnknownGame):
        registry.check_parts("chess", "table")


@pytest.fixture
def another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder beside the games, and what its `__init__.py` shall say."""
    monkeypatch.setattr(games, "__path__", [*games.__path__, str(tmp_path)])
    (tmp_path / "another").mkdir()
    yield tmp_path / "another" / "__init__.py"
    sys.modules.pop("controller.games.another", None)


def test_a_new_folder_is_found_without_any_list(another: Path) -> None:
    another.write_text(
        "from dataclasses import replace\n"
        "from controller.games import new_york_slice\n"
        "GAME = replace(new_york_slice.GAME, name='another')\n",
        encoding="utf-8",
    )
    assert "another" in registry.game_names()
    assert registry.load_game("another").name == "another"
    assert "another" not in registry.games_with("table")
    with pytest.raises(registry.PartMissing, match=r"another: .* no table\.py .* games with it: .*new_york_slice"):
        registry.check_parts("another", "table")


@pytest.mark.parametrize(
    ("text", "lacking"),
    [("", "lacks GAME"), ("class GAME:\n    name = 'another'\n", "lacks advise, apply")],
)
def test_a_folder_without_an_engine_is_an_error(another: Path, text: str, lacking: str) -> None:
    another.write_text(text, encoding="utf-8")
    with pytest.raises(registry.NotAGame, match=lacking):
        registry.load_game("another")
