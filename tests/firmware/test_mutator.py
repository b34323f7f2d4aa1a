"""Spoilt frames against the firmware's parser, a sample of them against the Python one too."""

import shutil
import subprocess
from pathlib import Path

import pytest

from firmware_bridge.framing import FrameReader

ROOT = Path(__file__).parents[2]
SOURCES = [str(ROOT / "tests" / "rigs" / "frame_mutator.c"), str(ROOT / "hardware" / "firmware" / "framing.c")]
FLAGS = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'hardware' / 'firmware'}"]


@pytest.fixture(scope="module", autouse=True)
def _compiler() -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed; `make firmware-tools` does it")


def test_spoilt_frames_are_refused_by_both_parsers(tmp_path: Path) -> None:
    program = tmp_path / "mutator"
    subprocess.run(["gcc", *FLAGS, "-fsanitize=address,undefined", "-o", str(program), *SOURCES], check=True)
    done = subprocess.run([str(program), "100000", "7", "50"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    *sample, total = done.stdout.splitlines()
    assert total.startswith("100000 stretches: ")
    assert total.endswith(" 0 accepted that nobody sent")
    assert len(sample) == 2000
    for line in sample:
        stretch, *found = line.split()
        frames = FrameReader().feed(bytes.fromhex(stretch))
        assert [f"{frame.kind}:{frame.payload.hex()}" for frame in frames] == found


def test_the_fuzz_target_compiles(tmp_path: Path) -> None:
    target = str(tmp_path / "target.o")
    subprocess.run(["gcc", *FLAGS, "-DFUZZ_TARGET", "-c", "-o", target, SOURCES[0]], check=True)
