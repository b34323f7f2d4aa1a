"""Train the dice reader's second network without photographs and with them: for a machine with a GPU and many cores,
where all of it takes ten minutes.

    python -m tests.rigs.dice_training.at_once --out /tmp/readers --share 0.6 --jobs 16

That of vision/dice began with its `all`, see train.py; that of the folders of tests/benchmarks/dice_without is its
`drawn`.

It learns from what we drew and simulated alone, on from the reader in dice_without (for today's, the one before, and
a network since thrown away learned beside it, with half of the processes and the GPU); then two go on from
there at once, with all photographs and rendered tables, and with every second one, so that the others can be tested on.
Tops of photographs lie where the reader without photographs sees them. Since then dice in rows, and more dice from low
down, some of them from near, were added to what it draws (COUNTS): no reader in use learned from these here.
"""

import argparse
import time
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
import torch

from tests.rigs.dice_training import sources
from tests.rigs.dice_training.mixture import Mixture
from tests.rigs.dice_training.networks import TopReader
from tests.rigs.dice_training.simulated import FIRST_SEED, simulated_table
from tests.rigs.dice_training.sources import SOURCES, Example
from tests.rigs.dice_training.train import Plan, begin, fit

WITHOUT_PHOTOGRAPHS = Path(__file__).parents[2] / "benchmarks" / "dice_without" / "table"
FORK = get_context("fork")
SETS: dict[str, tuple[tuple[str, ...], int]] = {"drawn": ((), 1), "all": (SOURCES, 1), "half": (SOURCES, 2)}
"""What is learned from besides what we drew, and every how manieth picture of that."""
OWN = ("drawn", "clutter", "own table")
COUNTS = {
    sources.drawn: 8000, sources.drawn_from_aside: 6000, sources.drawn_sixes: 4000, sources.drawn_dim: 2500,
    sources.drawn_shiny: 5000, sources.drawn_sold: 7000, sources.drawn_rows: 5000, sources.clutter: 5000,
    sources.cloths: 4000, sources.own_tables: 700,
}  # fmt: skip
SEED_STEP = 100_000
SOME_OWN = 200
"""So many of our own pictures set the batch norms of a reader that is read from a file."""
ECHOES = 2


def own_pictures(share: float, jobs: int, first_seed: int) -> list[Example]:
    """What we draw ourselves: that share of COUNTS."""
    examples: list[Example] = []
    for number, (draw, count) in enumerate(COUNTS.items()):
        examples += draw(round(count * share), first_seed + number * SEED_STEP, jobs)
        print(f"{len(examples)} pictures", flush=True)
    return examples


def simulated_tables(count: int, jobs: int) -> list[Example]:
    """So many simulated tables without dice."""
    with FORK.Pool(jobs, initializer=cv2.setNumThreads, initargs=(1,)) as pool:
        tables = pool.map(simulated_table, range(FIRST_SEED, FIRST_SEED + count), chunksize=1)
    return [table for table in tables if table is not None]


def with_tops(photographs: list[Example], own: list[Example]) -> list[Example]:
    """Photographs with their tops where the reader without photographs sees them."""
    torch.set_num_threads(8)
    mixture, network = Mixture([*own, *photographs], np.random.default_rng(1)), TopReader()
    begin(network, "reader", WITHOUT_PHOTOGRAPHS, mixture)
    mixture.find_tops(network, "cpu")
    return mixture.examples[len(own) :]


def train(mixture: Mixture, learned: str, plan: Plan) -> None:
    """Train one reader, in a process of its own. `learned`: one of SETS."""
    torch.manual_seed(plan.seed)
    torch.set_num_threads(1)
    network = TopReader()
    begin(network, "reader", WITHOUT_PHOTOGRAPHS if learned == "drawn" else plan.out.parent.parent / "drawn", mixture)
    fit(network, mixture, plan)


def main() -> None:
    """Train as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder for the weights")
    parser.add_argument("--share", type=float, default=1.0, help="of our own pictures")
    parser.add_argument("--tables", type=int, default=120, help="simulated tables")
    parser.add_argument("--drawn-s", type=float, default=310.0, help="seconds for what we drew")
    parser.add_argument("--all-s", type=float, default=85.0, help="seconds to go on with photographs")
    parser.add_argument("--rate", type=float, default=2e-3, help="how fast what we drew is learned")
    parser.add_argument("--rate-on", type=float, default=8e-4, help="how fast those that go on learn")
    parser.add_argument("--on", choices=["all", "half"], nargs="+", default=["all", "half"], help="which go on")
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--first-seed", type=int, default=20_000_000)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--jobs", type=int, default=15, help="processes that draw pictures and make batches")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    start = time.monotonic()

    def tell(what: str) -> None:
        print(f"{time.monotonic() - start:5.0f} s: {what}", flush=True)

    examples = own_pictures(options.share, options.jobs, options.first_seed)
    tell("drawn")
    examples += simulated_tables(options.tables, options.jobs)
    tell("simulated")
    photographs = [example for source in SOURCES for example in sources.load(source)]
    with FORK.Pool(1) as pool:
        photographs = pool.apply(with_tops, (photographs, examples[:: max(len(examples) // SOME_OWN, 1)]))
    mixture = Mixture(examples + photographs, np.random.default_rng(1))
    tell("tops found")
    proposer = cv2.dnn.readNetFromONNX(str(WITHOUT_PHOTOGRAPHS / "proposer.onnx"), cv2.dnn.ENGINE_NEW)
    mixture.find_wrong(proposer, 3000, options.jobs)
    tell(f"{len(mixture.hard)} places that are no dice")
    for stage, seconds in ((["drawn"], options.drawn_s), (options.on, options.all_s)):
        each = max(options.jobs // len(stage), 1)
        running = []
        for number, learned in enumerate(stage):
            more, every = SETS[learned]
            some = mixture.restricted((*OWN, *more), every=every)
            rate, mean = (options.rate, 0.999) if learned == "drawn" else (options.rate_on, 0.998)
            out = options.out / learned / "reader.onnx"
            plan = Plan(seconds, rate, options.batch, out, options.device, each, mean, 1 + number, ECHOES)
            running.append(FORK.Process(target=train, args=(some, learned, plan)))
            running[-1].start()
        for process in running:
            process.join()
        tell(f"{' '.join(stage)} trained")


if __name__ == "__main__":
    main()
