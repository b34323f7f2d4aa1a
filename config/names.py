"""Names that people give, to themselves, a table or an event: which can be shown, and how they are kept.

Display, journal, records, spreadsheets and terminals all show them.
"""

import re
import unicodedata

_JOINERS = "\u200c\u200d"
"""They join or part letters, and make one picture of several, such as 👩‍🍳; Unicode counts them with what does not
show."""
_PICTURES = range(0x1F000, 0x1FC00)
"""The blocks of emoji, as some of them are newer than what Python knows of Unicode."""
_NOTHING = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and signs that are drawn as nothing: fillers of Hangul, braille without a dot."""
_VARIANTS = "\u034f" + "".join(map(chr, range(0xFE00, 0xFE10)))
"""Marks that only say how others are joined or drawn."""


def parse_name(text: str) -> str:
    """A name as it is kept: in the normal form NFC, each blank one space, none around it. Raises ValueError for one
    with what cannot be shown, such as a line's end or what turns the direction of text, and for one of which nothing
    is seen."""
    name = " ".join(_check_shown(_spaced(text)).split())
    if not is_name(name):
        raise ValueError("expected a name with at least one character that is seen")
    return unicodedata.normalize("NFC", name)


def can_be_shown(text: str) -> bool:
    """Whether all of it can stand in one line of a page, a file or a terminal."""
    return text.isprintable() or all(one.isprintable() or one in _JOINERS or ord(one) in _PICTURES for one in text)


def is_name(text: str) -> bool:
    """Whether all of it can be shown, and something of it is seen."""
    return can_be_shown(text) and any(map(_is_seen, text))


def same_name(name: str) -> str:
    """What names have in common that people take for one, whatever is typed: alike but for case, blanks, what is not
    seen, and how Unicode writes their letters (NFKC)."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join("".join(one for one in folded if not _is_unseen(one)).split())


def shown(text: str) -> str:
    """Text that others, or older versions, wrote: what cannot be shown, as it would move a terminal's cursor or write
    elsewhere, shows as "?"."""
    return "".join(one if can_be_shown(one) else "?" for one in _spaced(text))


def _check_shown(text: str) -> str:
    """The text as it is. Raises ValueError where a character of it cannot be shown."""
    for character in text:
        if not can_be_shown(character):
            raise ValueError(f"expected text without {character!r}, which cannot be shown")
    return text


def _is_seen(character: str) -> bool:
    sign = unicodedata.category(character)[0] in "LNPS" and character not in _NOTHING
    return sign or ord(character) in _PICTURES


def _is_unseen(character: str) -> bool:
    return unicodedata.category(character) == "Cf" or character in _VARIANTS + _NOTHING


def _spaced(text: str) -> str:
    """With spaces for other blanks, such as the wide one of Japanese."""
    return "".join(" " if unicodedata.category(one) == "Zs" else one for one in text)


def in_order(name: str) -> str:
    """For sorting: Table 2 before Table 10."""
    return re.sub(r"\d+", lambda number: number[0].zfill(10), name.casefold())
