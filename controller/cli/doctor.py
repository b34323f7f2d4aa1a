"""`pizzatable doctor`: what is wrong with this table, and what to do."""

import asyncio
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from config.errors import ConfigError
from config.loader import load_table, table_files
from controller.cli.common import EXISTING_FILE, told
from controller.doctor import Finding, Health, examine


@click.command(epilog="Example:  pizzatable doctor --config my-table.toml")
@click.option(
    "--config", "config_file", type=EXISTING_FILE, help="This table's settings (TOML), laid over the defaults."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of the table.")
@click.pass_context
def command(ctx: click.Context, config_file: Path | None, as_json: bool) -> None:
    """Check camera, markers, lens, the camera's arm, light and its flicker, what the camera holds, the game and its
    options, your copy's faces, pins, serial line, clock, disk, journal, port and LAN name; say what is wrong and what
    to do.

    The exit status is 1 where something is broken. A warning is none.
    """
    with told(ConfigError):
        config = load_table(table_files(config_file, os.environ))
    findings = asyncio.run(examine(config, config_file))
    broken = any(finding.state is Health.BROKEN for finding in findings)
    if as_json:
        click.echo(json.dumps({"ok": not broken, "findings": [_plain(finding) for finding in findings]}, indent=2))
    else:
        for line in table_lines(findings):
            click.echo(line)
    ctx.exit(1 if broken else 0)


def table_lines(findings: Sequence[Finding]) -> Iterator[str]:
    """A line for each finding, and under it what to do."""
    name_width = max(len(finding.name) for finding in findings)
    state_width = max(len(state.value) for state in Health)
    for finding in findings:
        yield f"{finding.name.ljust(name_width)}  {finding.state.value.ljust(state_width)}  {finding.what}"
        if finding.remedy:
            yield f"{' ' * (name_width + state_width + 4)}→ {finding.remedy}"


def _plain(finding: Finding) -> dict[str, str]:
    return asdict(finding) | {"state": finding.state.value}
