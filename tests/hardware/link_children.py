"""What the link's tests run in processes of their own."""

import sys
import time
from pathlib import Path
from random import Random
from threading import Event

from hardware.simulated.link import serve_world
from tests.hardware.demo_table import demo_world


def main() -> None:
    world = demo_world(Random(4))
    world.advance(time.monotonic())
    serve_world(world, Path(sys.argv[1]), time.monotonic, Event())


if __name__ == "__main__":
    main()
