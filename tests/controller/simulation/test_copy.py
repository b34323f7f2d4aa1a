"""Our own copy's files are made anew whenever the art, or how faces are learned, would come out otherwise."""

import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from pathlib import Path

import pytest

from controller.simulation.copy import OwnCopy
from vision.pieces.faces import FacePack

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    "source",
    [
        "controller/games/pizzeria/components.toml",
        "controller/printing.py",
        "controller/simulation/copies/pizzeria.py",
        "controller/simulation/copy.py",
        "hardware/kit/dot_sheet.toml",
        "hardware/kit/slices.py",
        "hardware/simulated/renderer.py",
        "vision/pieces/faces.py",
    ],
)
def test_the_files_names_change_with_what_the_art_follows_from(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = tmp_path / "sources"
    for folder in (
        "controller/simulation",
        "controller/games/pizzeria",
        "hardware/kit",
        "hardware/simulated",
        "vision",
    ):
        shutil.copytree(
            ROOT / folder, sources / folder, ignore=shutil.ignore_patterns("*.onnx", "*.npz", "*.pyc", "build")
        )
    shutil.copy(ROOT / "controller" / "printing.py", sources / "controller")
    own = OwnCopy(tmp_path, "pizzeria")
    names = [own._name]
    monkeypatch.setattr(resources, "files", lambda package: sources / str(package).replace(".", "/"))
    monkeypatch.setattr("controller.games.registry.files", lambda package: sources / str(package).replace(".", "/"))
    names.append(own._name)
    with (sources / source).open("a") as file:
        file.write("\n# otherwise\n")
    names.append(own._name)
    assert names[0] == names[1] != names[2]


def test_two_that_begin_at_once_in_an_empty_folder_make_the_files_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def slowly(game: str, *_: object) -> FacePack:
        made.append(game)
        time.sleep(0.3)
        return FacePack({}, ())

    monkeypatch.setattr("controller.simulation.copy.enrol_own_copy", slowly)
    with ThreadPoolExecutor(4) as pool:
        packs = list(pool.map(lambda _: OwnCopy(tmp_path, "pizzeria").faces(640, 480), range(4)))
    assert made == ["pizzeria"]
    assert [pack.kinds for pack in packs] == [{}] * 4
    assert not list(tmp_path.glob("*.part"))
