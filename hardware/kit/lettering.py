"""How wide words are laid out: as in Helvetica; and how they are broken into lines."""

import unicodedata

ENCODING = "cp1252"
"""Of words in files."""
CAPITAL_EMS = 0.718
"""Height of a capital letter, as a share of the font's size."""
# Thousandths of the font's size, from the space to the tilde: Adobe's metrics of the fourteen standard fonts.
_REGULAR = (
    "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 "
    "278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 "
    "667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 "
    "556 333 500 278 556 500 722 500 500 500 334 260 334 584"
)
_BOLD = (
    "278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 333 "
    "333 584 584 584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611 722 "
    "667 944 667 667 611 333 278 333 584 556 333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611 "
    "611 389 556 333 611 556 778 556 556 500 389 280 389 584"
)
_WIDTHS = {bold: tuple(map(int, text.split())) for bold, text in ((False, _REGULAR), (True, _BOLD))}
_OTHERS = {"“": (333, 500), "”": (333, 500), "‘": (222, 278), "’": (222, 278), "—": (1000, 1000), "…": (1000, 1000)}
_OTHERS |= {"×": (584, 584), "°": (400, 400), "·": (278, 278), "•": (350, 350)}
_USUAL = 556


class UnknownLetter(ValueError):
    """A letter that files cannot encode; names it and the words it is in."""


def encoded(text: str) -> bytes:
    """Words in the files' encoding; a minus sign is written as a dash.

    Raises:
        UnknownLetter: a letter that it does not have.
    """
    text = text.replace("\N{MINUS SIGN}", "–")
    try:
        return text.encode(ENCODING)
    except UnicodeEncodeError as error:
        letter = text[error.start]
        raise UnknownLetter(f"{letter!r} in {text!r}: expected letters of western Europe ({ENCODING})") from error


def width_mm(text: str, capital_mm: float, *, bold: bool = False) -> float:
    """How wide a line of words is."""
    return sum(_width(letter, bold) for letter in text) * capital_mm / CAPITAL_EMS / 1000.0


def fitting_mm(text: str, capital_mm: float, widest_mm: float, *, bold: bool = False) -> float:
    """The height of capitals, `capital_mm` or less, with which a line is at most so wide."""
    wide = width_mm(text, capital_mm, bold=bold)
    return capital_mm if wide <= widest_mm else capital_mm * widest_mm / wide


def lines_of(text: str, capital_mm: float, widest_mm: float) -> list[str]:
    """Words broken into lines at most so wide; a word that is wider has its own."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width_mm(longer, capital_mm) > widest_mm:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _width(letter: str, bold: bool) -> int:
    if letter in _OTHERS:
        return _OTHERS[letter][bold]
    place = ord(unicodedata.normalize("NFD", letter)[0]) - ord(" ")
    return _WIDTHS[bold][place] if 0 <= place < len(_WIDTHS[bold]) else _USUAL
