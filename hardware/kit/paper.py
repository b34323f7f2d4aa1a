"""What every printed page has: its title, what to do with it, a ruler, its number."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from hardware.kit.drawing import WHITE, Anchor, Area, Page, Shape, Stroke, Words, box
from hardware.kit.lettering import lines_of

MARGIN_MM = 8.0
"""What home printers leave white."""
HEAD_MM = 12.0
FOOT_MM = 11.0
INK, FAINT = "#22262b", "#7a828c"
RULER_MM = 100
_NOTE_CAPITAL_MM = 1.9


class Paper(Enum):
    """Sizes of paper: width and height in millimetres, upright."""

    A4 = (210.0, 297.0)
    LETTER = (215.9, 279.4)

    @property
    def width_mm(self) -> float:
        """Upright."""
        return self.value[0]

    @property
    def height_mm(self) -> float:
        """Upright."""
        return self.value[1]


@dataclass(frozen=True, slots=True)
class Content:
    """What is to be on a page, in the page's own frame, within `content_area`."""

    title: str
    note: str
    """What to do with it; two lines at most."""
    shapes: tuple[Shape, ...]
    faces: tuple[str, ...] = ()
    """Of the pieces on it, in order."""


def content_area(paper: Paper) -> tuple[float, float, float, float]:
    """Left, bottom, right, top of what a page's content may use."""
    return (
        MARGIN_MM,
        MARGIN_MM + FOOT_MM,
        paper.width_mm - MARGIN_MM,
        paper.height_mm - MARGIN_MM - HEAD_MM,
    )


def content_middle(paper: Paper) -> tuple[float, float]:
    """The middle of what a page's content may use."""
    left, bottom, right, top = content_area(paper)
    return (left + right) / 2, (bottom + top) / 2


def make_pages(paper: Paper, contents: Sequence[Content]) -> list[Page]:
    """The pages of a file, with everything that is around their content."""
    total = len(contents)
    return [
        Page(paper.width_mm, paper.height_mm, (*content.shapes, *_head(paper, content), *_foot(paper, number, total)))
        for number, content in enumerate(contents, start=1)
    ]


def ruler(left: float, bottom: float) -> list[Shape]:
    """A hundred millimetres to lay a ruler on."""
    shapes: list[Shape] = [Stroke(((left, bottom), (left + RULER_MM, bottom)), INK, 0.2)]
    for mm in range(RULER_MM + 1):
        long = 2.8 if mm % 10 == 0 else 2.0 if mm % 5 == 0 else 1.2
        shapes.append(Stroke(((left + mm, bottom), (left + mm, bottom + long)), INK, 0.12))
        if mm % 20 == 0:
            shapes.append(Words(str(mm), (left + mm, bottom + 3.4), 1.4, INK))
    return shapes


def cut_cross(x: float, y: float, size_mm: float = 4.0) -> list[Shape]:
    """A cross where cuts meet."""
    half = size_mm / 2
    return [Stroke(((x - half, y), (x + half, y)), INK, 0.1), Stroke(((x, y - half), (x, y + half)), INK, 0.1)]


def _head(paper: Paper, content: Content) -> list[Shape]:
    left, right, top = MARGIN_MM, paper.width_mm - MARGIN_MM, paper.height_mm - MARGIN_MM
    shapes: list[Shape] = [Words(content.title, (left, top - 3.4), 3.2, INK, bold=True, anchor=Anchor.START)]
    lines = lines_of(content.note, _NOTE_CAPITAL_MM, right - left)
    if len(lines) > 2:
        raise ValueError(f"the note of {content.title!r} takes {len(lines)} lines; there is room for 2: {lines[2:]}")
    for number, line in enumerate(lines):
        at = (left, top - 6.9 - 3.3 * number)
        shapes.append(Words(line, at, _NOTE_CAPITAL_MM, FAINT, anchor=Anchor.START))
    return shapes


def _foot(paper: Paper, number: int, total: int) -> list[Shape]:
    left, right, bottom = MARGIN_MM, paper.width_mm - MARGIN_MM, MARGIN_MM
    about = "Print at 100 % (actual size):"
    return [
        # Nothing of the content shows through the ruler.
        Area((box(left, bottom, right, bottom + FOOT_MM - 2.0),), fill=WHITE),
        *ruler(left + 0.5, bottom + 0.5),
        Words(about, (right - 28.0, bottom + 3.6), 1.7, INK, anchor=Anchor.END),
        Words("the ruler is 100 mm long", (right - 28.0, bottom + 0.5), 1.7, INK, anchor=Anchor.END),
        Words("pizzatable", (right, bottom + 3.6), 1.7, FAINT, bold=True, anchor=Anchor.END),
        Words(f"page {number} of {total}", (right, bottom + 0.5), 1.7, FAINT, anchor=Anchor.END),
    ]
