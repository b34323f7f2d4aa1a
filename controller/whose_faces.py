"""Whether a file of faces is of the game that is to be read with it: another game's would leave the table empty."""

from collections.abc import Collection
from pathlib import Path

from controller.games.registry import games_with, load_part
from vision.faces import BACKS, FacePack, FacePackError
from vision.scene import PieceKind

NAMED = 5
"""So many faces are named in a message."""


class OtherGamesFaces(FacePackError):
    """A file of faces that was enrolled from another game."""


def check_faces(pack: FacePack, path: Path, game: str) -> str | None:
    """What to say of a file that holds other faces besides this game's; None where there are none.

    Some games name a few faces alike. A file is another game's where all of its faces are that game's and not all are
    this one's, or none is.

    Raises:
        OtherGamesFaces: they are not of this game; says which game's they seem to be.
        UnknownGame, PartMissing: there is no such game, or nothing says what it looks like.
    """
    fronts = frozenset(pack.names) - frozenset(BACKS.values())
    mine = _of_game(pack, fronts, game)
    strange = fronts - mine
    if mine | _board_of(pack, game) and not strange:
        return None
    others = {other: _of_game(pack, fronts, other) for other in games_with("describe") if other != game}
    whole = [other for other, own in others.items() if fronts and own == fronts]
    if whole or not mine | _board_of(pack, game):
        raise OtherGamesFaces(_refusal(pack, path, game, len(mine), len(fronts), whole or _likely(pack, others)))
    some = ", ".join(sorted(strange)[:NAMED]) + (" ..." if len(strange) > NAMED else "")
    return f"{path}: {len(strange)} of its {len(fronts)} faces are none of {game}'s: {some}"


def _of_game(pack: FacePack, fronts: Collection[str], game: str) -> frozenset[str]:
    """Those of the fronts that a game has; of one that says no names, those of its kinds of piece."""
    part = load_part(game, "describe")
    if hasattr(part, "faces"):
        return frozenset(part.faces()) & frozenset(fronts)
    return frozenset(name for kind, faces in pack.kinds.items() if kind in part.KINDS for name in faces.names) & (
        frozenset(fronts)
    )


def _board_of(pack: FacePack, game: str) -> frozenset[str]:
    """The board, where the file has one and the game is played on one."""
    board = pack.board is not None and PieceKind.BOARD in load_part(game, "describe").KINDS
    return frozenset({PieceKind.BOARD.value} if board else ())


def _likely(pack: FacePack, others: dict[str, frozenset[str]]) -> list[str]:
    """The other games that have most of the faces, or the board."""
    counts = {other: len(own | _board_of(pack, other)) for other, own in others.items()}
    most = max(counts.values(), default=0)
    return [other for other, count in counts.items() if count == most > 0]


def _refusal(pack: FacePack, path: Path, game: str, mine: int, count: int, seem: Collection[str]) -> str:
    kinds = ", ".join(sorted(kind.value for kind in load_part(game, "describe").KINDS))
    whose = f"these seem to be the faces of {' or '.join(seem)}" if seem else "these are the faces of no game known"
    held = f"{count} faces" + (" and a board" if pack.board is not None else "")
    return (
        f"{path}: {whose}: of its {held} {mine or 'none'} {'are' if mine > 1 else 'is'} named like one of {game}; "
        f"expected a file that `pizzatable enrol --game {game}` made ({kinds})"
    )
