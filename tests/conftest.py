"""Options of the tests."""

import contextlib
import gc
import os
from collections.abc import Generator
from importlib import import_module
from pathlib import Path

import pytest

from vision.threads import use_one_core


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--hardware", action="store_true", help="also test what is really wired to this machine")
    parser.addoption("--pulls", type=int, default=1, help="how often a board's cable is pulled (default 1)")


def pytest_configure(config: pytest.Config) -> None:
    """Tests run in about as many processes as there are cores."""
    use_one_core()


def pytest_xdist_auto_num_workers() -> int:
    """One more than cores: while one waits, for a service, a browser or a clock, others work. With two more, all
    together take an eighth more of the cores' time, as pictures push each other out of the caches."""
    return len(os.sched_getaffinity(0)) + 1


FIRST = ("tests/vision/", "tests/browser/", "tests/controller/test_", "tests/controller/games/", "tests/rigs/")
"""Whose files take longest: they begin first, so that no process has a long one left when the others are done."""
WAITING = (
    "tests/browser/",
    "tests/controller/test_discovery.py",
    "tests/controller/test_doctor.py",
    "tests/controller/test_event.py",
    "tests/controller/test_finding_tables.py",
    "tests/controller/test_kill_signals.py",
    "tests/controller/test_service.py",
    "tests/firmware_bridge/test_link",
    "tests/hardware/test_link.py",
    "tests/hardware/test_panel.py",
    "tests/hardware/test_vision_process.py",
)
"""Whose files mostly wait, for a browser, a service, a line or a clock."""
BESIDE = 7
"""So many other files come after each that waits: where several processes wait at once, a core is idle."""


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Nothing that is loaded and collected is rubbish: looking for it takes a fifth of that time."""
    gc.disable()
    try:
        _load_by_turns(session.config)
        return (yield)
    finally:
        gc.enable()


def _load_by_turns(config: pytest.Config) -> None:
    """Each process loads all files. Where nothing is compiled yet, as in a new clone, that takes four times as long:
    each begins with others, and finds those compiled that the others began with. What fails is said when collected."""
    process, count = (os.environ.get(f"PYTEST_XDIST_WORKER{what}", "") for what in ("", "_COUNT"))
    folders = [Path(argument) for argument in config.args if Path(argument).is_dir()]
    if not process or not folders:
        return
    files = sorted(file for folder in folders for file in folder.rglob("test_*.py"))
    first = len(files) * int(process.removeprefix("gw")) // int(count)
    for file in files[first:] + files[:first]:
        with contextlib.suppress(Exception, pytest.skip.Exception):
            import_module(".".join(file.absolute().relative_to(config.rootpath).with_suffix("").parts))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take long before all others, those that wait dealt out among those that work."""
    files = sorted(
        dict.fromkeys(_file(item) for item in items),
        key=lambda file: next((i for i, start in enumerate(FIRST) if file.startswith(start)), len(FIRST)),
    )
    working = [file for file in files if not file.startswith(WAITING)]
    place = {file: float(number) for number, file in enumerate(working)}
    for number, file in enumerate(file for file in files if file.startswith(WAITING)):
        place[file] = BESIDE * number - 0.5
    items.sort(key=lambda item: place[_file(item)])


def _file(item: pytest.Item) -> str:
    return item.nodeid.split("::")[0]


def pytest_collection_finish() -> None:
    """What is loaded and collected now stays until the end: rubbish is not looked for there, nor as often as else."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
