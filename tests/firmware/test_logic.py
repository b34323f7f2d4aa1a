"""The firmware's logic, compiled for this machine and watched by the sanitizers."""

import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from firmware_bridge.framing import Frame, FrameReader, format_frame
from firmware_bridge.schema import MESSAGES, payload_size

FIRMWARE = Path(__file__).parents[2] / "hardware" / "firmware"
LOGIC = [FIRMWARE / name for name in ("debounce.c", "framing.c", "ring.c")]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed; `make firmware-tools` does it")
    made = tmp_path_factory.mktemp("logic") / "logic_test"
    flags = ["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined"]
    sources = [str(Path(__file__).with_name("logic_test.c")), *map(str, LOGIC)]
    subprocess.run(["gcc", *flags, f"-I{FIRMWARE}", "-o", str(made), *sources], check=True)
    return made


def test_debouncing_ring_and_frames(program: Path) -> None:
    done = subprocess.run([str(program)], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_both_parsers_find_the_same_frames(program: Path) -> None:
    rng = Random(1)
    stretches = [_stretch(rng) for _ in range(3000)]
    done = subprocess.run(
        [str(program), "frames"], input="\n".join(data.hex() for data in stretches), capture_output=True, text=True
    )
    assert done.stderr == ""
    found = done.stdout.splitlines()
    assert len(found) == len(stretches)
    for data, line in zip(stretches, found, strict=True):
        assert line.split() == [f"{frame.kind}:{frame.payload.hex()}" for frame in FrameReader().feed(data)]


def _stretch(rng: Random) -> bytes:
    """Frames, most of them spoilt."""
    data = bytearray()
    for _ in range(rng.randrange(1, 4)):
        message = rng.choice(MESSAGES)
        payload = bytes(rng.choice((0, 1, 255, rng.randrange(256))) for _ in range(payload_size(message)))
        data += format_frame(Frame(message.NUMBER, payload))
    for _ in range(rng.choice((0, 0, 1, 3))):
        at = rng.randrange(len(data))
        match rng.randrange(3):
            case 0:
                data[at] ^= 1 << rng.randrange(8)
            case 1:
                del data[at : at + rng.randrange(1, 5)]
            case _:
                data[at:at] = rng.randbytes(rng.randrange(1, 5))
        data = data or bytearray(1)
    return bytes(data)
