"""What pydantic found wrong, in words that are not its own: the value, shortened, and what was expected."""

from pydantic_core import ErrorDetails

from config.counted import counted

_SHOWN_CHARS = 80
_NAMED = {True: "true", False: "false", None: "null"}
_KINDS = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "string_type": "text",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "missing": "this key, it is missing",
    "extra_forbidden": "no such key",
}


def shown_value(value: object) -> str:
    """A value as Python writes it, but for what JSON and TOML write alike, shortened."""
    text = _NAMED.get(value, repr(value)) if value is None or isinstance(value, bool) else repr(value)
    return text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 1] + "…"


def expectation(details: ErrorDetails) -> str:
    """What was expected, to follow that word: "a whole number"."""
    if details["type"] in _KINDS:
        return _KINDS[details["type"]]
    match details["type"]:
        case "string_too_short":
            return f"at least {counted(details['ctx']['min_length'], 'character')}"
        case "string_too_long":
            return f"at most {counted(details['ctx']['max_length'], 'character')}"
        case "too_short":
            return f"at least {counted(details['ctx']['min_length'], 'element')}"
        case "too_long":
            return f"at most {counted(details['ctx']['max_length'], 'element')}"
        case "string_pattern_mismatch":
            return f"text that matches {details['ctx']['pattern']}"
        case _:
            return (
                details["msg"].removeprefix("Value error, ").removeprefix("Input should be ").removeprefix("expected ")
            )


def is_of_kind(details: ErrorDetails) -> bool:
    """Whether the value was of the right kind, and something else is wrong with it."""
    return not details["type"].endswith("_type")
