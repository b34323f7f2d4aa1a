"""A short run of the fuzzers with every test run; `make fuzz` goes on for longer."""

from random import Random

import pytest

from tests.fuzz.fuzzing import fuzz_record, fuzz_session, seed_records, spoilt


@pytest.fixture(scope="module")
def seeds() -> list[str]:
    return seed_records(Random(1))


def test_spoilt_records_are_read_or_refused_with_their_place(seeds: list[str]) -> None:
    rng = Random(2)
    for _ in range(250):
        fuzz_record(seeds, rng)


def test_spoilt_requests_are_answered_and_change_nothing(seeds: list[str]) -> None:
    rng = Random(3)
    for _ in range(12):
        fuzz_session(seeds, rng)


def test_spoiling_spoils(seeds: list[str]) -> None:
    rng = Random(4)
    assert sum(spoilt(seeds[0], seeds, rng) != seeds[0] for _ in range(50)) > 30
