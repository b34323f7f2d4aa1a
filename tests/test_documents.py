"""What the documents name is there: files, headings, make targets, commands and their options; figures agree."""

import re
import shlex
import subprocess
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from controller.cli import COMMANDS, main
from tests.benchmarks import draw_rates

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *ROOT.glob("docs/*.md"), *ROOT.glob("hardware/*.md")]
NAMES = [str(path.relative_to(ROOT)) for path in DOCUMENTS]
"""Each test is told by the document's name."""
documents = pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)


@documents
def test_links_lead_somewhere(path: Path) -> None:
    lost = []
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text()):
        if re.match(r"https?:", target):
            continue
        file, _, anchor = target.partition("#")
        there = (path.parent / file).resolve() if file else path
        if not there.exists() or (anchor and anchor not in _anchors(there)):
            lost.append(target)
    assert lost == []


@documents
def test_pictures_and_source_files_that_are_named_are_there(path: Path) -> None:
    """By the end of their path: a table of a folder's files need not say the folder again."""
    named = set(re.findall(r"(?<![\w./-])[\w./-]+\.(?:py|js|css|c|svg)(?![\w/-])", _code(path.read_text())))
    lost = [
        name for name in sorted(named) if not any(f"/{file}".endswith(f"/{name.lstrip('/')}") for file in _tracked())
    ]
    assert lost == []


@documents
def test_make_targets_that_are_named_are_there(path: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:^|`|    )make ([a-z-]+)", _code(path.read_text()), re.MULTILINE)) - targets == set()


def test_every_make_target_is_explained() -> None:
    explained = set(re.findall(r"`make ([a-z-]+)", (ROOT / "docs" / "developing.md").read_text()))
    assert set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)) - explained == set()


def test_the_code_overview_names_every_package_and_thread() -> None:
    overview = (ROOT / "docs" / "code-overview.md").read_text()
    code = [Path(file) for file in _tracked() if file.endswith((".py", ".c", ".js")) and not file.startswith("tests/")]
    packages = {f"{file.parent}/" for file in code if file.parent.parts[:2] != ("controller", "games")}
    silent = {name for name in packages if f"`{name}" not in overview and f"`{Path(name).name}/" not in overview}
    python = "".join((ROOT / file).read_text() for file in code if file.suffix == ".py")
    threads = set(re.findall(r'name="([a-z-]+)", daemon=True', python))
    assert len(threads) > 5
    assert silent | {name for name in threads if f"`{name}`" not in overview} == set()


@documents
def test_commands_have_the_options_that_are_named(path: Path) -> None:
    context = click.Context(main)
    wrong = []
    for line in _commands(path.read_text()):
        words = [word.split("=")[0] for word in _words(line)]
        command = main.get_command(context, words[1]) if words[1] in COMMANDS else None
        if command is None:
            wrong.append(line)
            continue
        known = {"--help"}.union(*(param.opts for param in command.params))
        wrong += [f"{words[1]} {word}" for word in words if word.startswith("--") and word not in known]
    assert wrong == []


@documents
def test_modules_that_are_to_be_run_are_there(path: Path) -> None:
    modules = re.findall(r"python -m ([\w.]+)", _code(path.read_text()))
    assert [name for name in modules if find_spec(name) is None] == []


def test_shares_and_intervals_follow_from_the_counts() -> None:
    rates = list(draw_rates.rates(draw_rates.FIGURES.read_text()))
    wrong = [(rate.what, rate.written, rate.as_written()) for rate in rates if rate.written != rate.as_written()]
    assert len(rates) > 50
    assert wrong == []


def test_the_picture_of_the_rates_is_current() -> None:
    drawn = draw_rates.draw(list(draw_rates.rates(draw_rates.FIGURES.read_text())))
    assert drawn == draw_rates.PICTURE.read_text(), "run: python -m tests.benchmarks.draw_rates"


def test_the_readme_shows_the_whole_games_of_the_figures() -> None:
    figures = (ROOT / "docs" / "figures.md").read_text()
    row = re.compile(r"^\| ([\w ]+, \d players) +\|(.*)\|$", re.MULTILINE)
    shown = row.findall((ROOT / "README.md").read_text())
    measured = row.findall(figures[figures.index("\n## Whole games") :])[: len(shown)]
    assert len(shown) == 5
    assert [(game, _cells(cells)) for game, cells in shown] == [(game, _cells(cells)) for game, cells in measured]


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.split("|")]


def _code(text: str) -> str:
    """What stands in backticks or is indented as code, a line each."""
    blocks = re.findall(r"^ {4,}\S.*$", text, re.MULTILINE)
    return "\n".join([*blocks, *(" ".join(code.split()) for code in re.findall(r"`([^`\n]+(?:\n[^`\n]+)?)`", text))])


def _commands(text: str) -> list[str]:
    """Calls of `pizzatable` with at least a command's name, without what the shell or a person is told after them."""
    calls = re.findall(r"^ *(pizzatable [a-z-]+(?: .*)?)$", _code(text), re.MULTILINE)
    made = re.findall(r'make (run|play) (?:GAMES=\S+ )?ARGS="([^"]*)"', _code(text))
    return [re.split(r" {2,}#| {3,}", call)[0] for call in calls] + [f"pizzatable {name} {args}" for name, args in made]


def _words(line: str) -> list[str]:
    return shlex.split(line, comments=True)


def _anchors(path: Path) -> set[str]:
    """Of a document's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@cache
def _tracked() -> tuple[str, ...]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True
    )
    if listed.returncode:
        pytest.skip("this is no git checkout")
    return tuple(listed.stdout.splitlines())
