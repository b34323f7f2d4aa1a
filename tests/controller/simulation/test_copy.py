"""Our own copy's files are made anew whenever the art, or how faces are learned, would come out otherwise."""

import shutil
from importlib import resources
from pathlib import Path

import pytest

from controller.simulation.copy import OwnCopy

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
