"""The simulated table's process is joined by whoever plays the same game, and put away by others."""

import time
from pathlib import Path

import pytest

from config.loader import load_table
from controller.simulation.gathering import Gathering, Paths
from controller.simulation.table_process import SimulatedTable, SimulatedTableError

PATIENCE_S = 60.0


def test_a_table_is_joined_unless_another_game_is_played_there(tmp_path: Path) -> None:
    config, paths = load_table(), Paths(tmp_path / "simulated")
    gathering = Gathering(players=2, seed=1, speed=1.0, mistakes=0.0)
    with SimulatedTable(paths, config, gathering) as first:
        first.set_up()
        end = time.monotonic() + PATIENCE_S
        same = SimulatedTable(paths, config, gathering)
        while not same.join():
            assert first.ended is None, paths.log.read_text()
            assert time.monotonic() < end, paths.log.read_text()
            time.sleep(0.05)
        assert same.ended is None
        advanced = config.model_copy(update={"game": "pizzeria", "options": {"advanced": True}})
        assert not SimulatedTable(paths, advanced, gathering).join()
        assert first.ended is not None
        assert same.ended is not None


def test_the_file_is_named_in_which_people_cannot_be_told(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    told = paths.service.with_suffix(".part")
    told.symlink_to("/dev/full")
    table = SimulatedTable(paths, load_table(), Gathering(players=2, seed=1, speed=1.0, mistakes=0.0))
    with pytest.raises(SimulatedTableError, match=f"^{told}: cannot be written: the disk is full; free some space$"):
        table.tell("http://127.0.0.1:8080", "token")
