"""So many things, as it is said."""


def counted(number: int, thing: str) -> str:
    """So many things: "1 photo", "2 photos"."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
