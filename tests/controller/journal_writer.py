"""A child process for the tests: appends records for ever and prints the number of each that was acknowledged."""

import os
import sys
from collections import deque
from concurrent.futures import Future
from pathlib import Path

from controller.journal import Journal


def main(path: Path, waiting: int) -> None:
    """Keep `waiting` appends under way; each record's data repeats the number it must get."""
    with Journal(path) as journal:
        number = len(journal.records())
        under_way: deque[Future[int]] = deque()
        os.write(1, b"0\n")
        while True:
            number += 1
            under_way.append(journal.append("move", {"number": number}, b"x" * (number % 7 * 1000)))
            if len(under_way) >= waiting:
                os.write(1, b"%d\n" % under_way.popleft().result())


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
