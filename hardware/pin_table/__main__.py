"""Makes anew what is made from the pin table, or says what is not current: `python -m hardware.pin_table --help`."""

import argparse
import sys
from pathlib import Path

from config.errors import ConfigError
from hardware.pin_table.made import MADE, not_current
from hardware.pin_table.table import TABLE, load_pin_table

ROOT = Path(__file__).parents[2]


def main() -> int:
    """The exit status: 1 where the table is wrong or something is not current."""
    parser = argparse.ArgumentParser(
        prog="python -m hardware.pin_table", description=f"Compares with hardware/pins.toml: {', '.join(MADE)}."
    )
    parser.add_argument("--write", action="store_true", help="write what is not current")
    write = parser.parse_args().write
    try:
        stale = list(not_current(load_pin_table(TABLE), ROOT))
        for path, text in stale:
            if write:
                path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{path.relative_to(ROOT)}: {'written' if write else 'not current, use --write'}\n")
    except (ConfigError, OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 1 if stale and not write else 0


if __name__ == "__main__":
    sys.exit(main())
