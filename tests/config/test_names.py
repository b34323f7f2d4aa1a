"""Names: which can be shown, and how they are kept."""

import pytest

from config.names import can_be_shown, is_name, parse_name, same_name, shown

COOK = "👩\u200d🍳"


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (f"{COOK} Mia", f"{COOK} Mia"),
        ("❤\ufe0f", "❤\ufe0f"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        (" Anna \u00a0 Maria ", "Anna Maria"),
        ("山田\u3000太郎", "山田 太郎"),
        ("Zoe\u0308", "Zoë"),
        ("\U0001fae9", "\U0001fae9"),
        ("7", "7"),
        ("?!", "?!"),
    ],
)
def test_a_name_is_kept_in_one_form(said: str, kept: str) -> None:
    assert parse_name(said) == kept
    assert is_name(kept)
    assert shown(kept) == kept


@pytest.mark.parametrize("character", "\n\t\x1b\x85\xad\u061c\u200b\u2028\u202e\u2066\ufeff\ue000\ud800")
def test_what_cannot_be_shown_is_named(character: str) -> None:
    with pytest.raises(ValueError, match=r"expected text without '.+', which cannot be shown") as caught:
        parse_name(f"Bo{character}Anna")
    assert repr(character) in str(caught.value)
    assert not can_be_shown(character)
    assert shown(f"Bo{character}") == "Bo?"


@pytest.mark.parametrize("said", ["", "  ", "\u3164", "\u115f\u1160 \uffa0", "\u2800", "\u200d", "\ufe0f", "\u034f"])
def test_of_a_name_something_is_seen(said: str) -> None:
    assert not is_name(said)
    with pytest.raises(ValueError, match="expected a name with at least one character that is seen"):
        parse_name(said)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Mia", "mIA"), ("Zoë", "Zoe\u0308"), ("Anna Maria", " Anna  Maria"), ("Mia", "Mi\u200ba"), ("Mia", "Ｍia"),
        (COOK, "👩🍳"), ("❤", "❤\ufe0f"), ("Straße", "STRASSE"),
    ],
)  # fmt: skip
def test_names_that_people_take_for_one_are_one(one: str, other: str) -> None:
    assert same_name(one) == same_name(other)


@pytest.mark.parametrize(("one", "other"), [("Mia", "Mía"), ("Anna Maria", "Annamaria"), ("👩🏻", "👩🏿")])
def test_other_names_are_others(one: str, other: str) -> None:
    assert same_name(one) != same_name(other)
