"""Draws docs/pictures/rates.svg from the tables of docs/figures.md: the share of each kind of piece that is missed.

A table counts that has the columns "right" and "of"; its first heading names its rows' mark. Run
`python -m tests.benchmarks.draw_rates` after a figure has changed.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from vision.reports.rates import wilson

FIGURES = Path(__file__).parents[2] / "docs" / "figures.md"
PICTURE = FIGURES.parent / "pictures" / "rates.svg"
PANELS = {
    "Thousands of pieces on simulated tables": "Simulated tables",
    "Labelled pictures": "Labelled pictures, rendered",
    "Pictures by a renderer that is not ours": "Path-traced print runs, as first read",
    "Ordinary dice": "Ordinary dice",
    "Score sheets": "Score sheets",
}
"""Sections that are drawn, and what is written above them."""
_LEAST, _MOST = 0.0001, 0.5
"""Ends of the axis: shares that are missed."""
_TICKS = (0.0001, 0.001, 0.01, 0.1)
_WIDTH, _LEFT, _RIGHT, _LINE = 880, 240, 850, 17
_COLOURS = ("#0072B2", "#C96A00", "#00714F", "#8B3A8B")
_STYLE = (
    'text { font: 12px "DejaVu Sans", Verdana, sans-serif; fill: #1f2933; } .head { font-weight: bold; } '
    ".name { text-anchor: end; } .tick { fill: #52606d; text-anchor: middle; font-size: 11px; }"
)


@dataclass(frozen=True, slots=True)
class Rate:
    """A row of a table with the columns "right" and "of"."""

    section: str
    """The nearest heading of any level."""
    table: str
    """The first heading of the table."""
    what: str
    right: int
    of: int
    written: tuple[str, str]
    """The columns "share" and "95 %" as they stand there."""

    def as_written(self) -> tuple[str, str]:
        """What `written` has to be."""
        digits = 2 if self.of >= 1000 else 1
        low, high = wilson(self.right, self.of)
        return (
            f"{100 * self.right / self.of:.{digits}f} %",
            f"{100 * low:.{digits}f} to {100 * high:.{digits}f} %",
        )


def rates(text: str) -> Iterator[Rate]:
    """All of a page's rates, in its order."""
    section = ""
    columns: list[str] = []
    for line in text.splitlines():
        if heading := re.match(r"#+ (.*)", line):
            section = heading[1]
        if not line.startswith("|"):
            columns = []
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not columns:
            columns = cells
        elif {"right", "of", "share", "95 %"} <= set(columns) and not set(cells[0]) <= set("-"):
            row = dict(zip(columns, cells, strict=True))
            counts = int(row["right"]), int(row["of"])
            yield Rate(section, columns[0], cells[0], *counts, (row["share"], row["95 %"]))


def draw(all_rates: Sequence[Rate]) -> str:
    """The picture as SVG: a panel for each of PANELS, a mark with its interval for each rate; to the left is better."""
    parts: list[str] = []
    y = 44
    for section, title in PANELS.items():
        own = [rate for rate in all_rates if rate.section == section]
        tables = list(dict.fromkeys(rate.table for rate in own))
        parts.append(f'<text class="head" x="12" y="{y}">{escape(title)}</text>')
        if len(tables) > 1:
            parts += _legend(tables, y)
        for what in dict.fromkeys(rate.what for rate in own):
            y += _LINE
            parts.append(f'<text class="name" x="{_LEFT - 12}" y="{y + 4}">{escape(what)}</text>')
            parts.append(f'<path d="M{_LEFT} {y}H{_RIGHT}" stroke="#e4e7eb"/>')
            for rate in own:
                if rate.what == what:
                    parts.append(_mark(rate, y, tables.index(rate.table), len(tables)))
        y += 2 * _LINE
    axis = [
        f'<path d="M{_x(tick):.1f} 30V{y - _LINE}" stroke="#cbd2da" stroke-dasharray="2 3"/>'
        f'<text class="tick" x="{_x(tick):.1f}" y="24">{100 * tick:g} %</text>'
        for tick in _TICKS
    ]
    about = '<text x="12" y="24">missed or wrong:</text>'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{y}" viewBox="0 0 {_WIDTH} {y}">'
    body = [head, f"<style>{_STYLE}</style>", f'<rect width="{_WIDTH}" height="{y}" fill="white"/>', about]
    return "\n".join([*body, *axis, *parts, "</svg>"]) + "\n"


def _legend(tables: Sequence[str], y: int) -> Iterator[str]:
    x = _LEFT
    for number, table in enumerate(tables):
        yield f'<circle cx="{x}" cy="{y - 4}" r="4" fill="{_COLOURS[number]}"/>'
        yield f'<text x="{x + 8}" y="{y}" style="font-size: 11px">{escape(table)}</text>'
        x += 26 + 6 * len(table)


def _mark(rate: Rate, y: int, number: int, of: int) -> str:
    """A rate without any miss has no dot, as the axis has no zero: its line begins at the left end."""
    low, high = wilson(rate.of - rate.right, rate.of)
    at = y + (number - (of - 1) / 2) * 3.5
    colour = _COLOURS[number]
    line = f'<path d="M{_x(low):.1f} {at:g}H{_x(high):.1f}" stroke="{colour}" stroke-width="2"/>'
    missed = (rate.of - rate.right) / rate.of
    return line + (f'<circle cx="{_x(missed):.1f}" cy="{at:g}" r="3.5" fill="{colour}"/>' if missed else "")


def _x(share: float) -> float:
    """Of a share on the logarithmic axis."""
    along = math.log(min(max(share, _LEAST), _MOST) / _LEAST) / math.log(_MOST / _LEAST)
    return _LEFT + along * (_RIGHT - _LEFT)


if __name__ == "__main__":
    PICTURE.write_text(draw(list(rates(FIGURES.read_text()))))
