"""Simulated tables without dice, kept in a file for training: tiles, cards and boards in any light are no dice.

Run: python -m tests.rigs.dice_training.simulated /tmp/tables.pictures --tables 54

Needs what the project needs, and not PyTorch; `train.py --more` reads the file. No die of the simulator is ever learned
from: `make many-pieces` measures on those.
"""

import argparse
import pickle
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np

from hardware.simulated.surroundings import Conditions
from tests.benchmarks.simulated_hands import reaching
from tests.benchmarks.simulated_pieces import FAMILIES, REACH_MM, photograph
from tests.rigs.dice_training.sources import Example, without_dice
from vision.mat.errors import RegistrationError
from vision.mat.registration import find_mat
from vision.threads import use_one_core

FAMILY_NAMES = ("tiles", "cards", "theory")
FIRST_SEED = 201
EMPTY_EVERY, HANDS_EVERY = 5, 4


def simulated_table(seed: int) -> Example | None:
    """One of them; every EMPTY_EVERYth is empty, hands reach over every HANDS_EVERYth. None where the mat is hidden."""
    rng = Random(seed)
    family = FAMILIES[FAMILY_NAMES[seed % len(FAMILY_NAMES)]]
    views, conditions = family.table(rng), Conditions.random(rng)
    hands = reaching(rng, views, REACH_MM) if seed % HANDS_EVERY == 0 else ()
    if seed % EMPTY_EVERY == 0:
        views, hands = [], ()
    image, _ = photograph(family, views, conditions, hands=hands)
    try:
        registration = find_mat(image)
    except RegistrationError:
        return None
    return replace(
        without_dice(np.asarray(image, np.uint8), seed),
        source="own table",
        name=f"simulated-{seed}",
        registration=registration,
    )


def main() -> None:
    """Write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--tables", type=int, default=54)
    options = parser.parse_args()
    use_one_core()
    tables = (simulated_table(FIRST_SEED + number) for number in range(options.tables))
    options.out.write_bytes(pickle.dumps([table for table in tables if table is not None]))


if __name__ == "__main__":
    main()
