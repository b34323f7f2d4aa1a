"""Whether a file of faces is of the game that is to be read with it: another game's would leave the table empty."""

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from controller.game import Json
from controller.games.registry import games_with, load_part
from vision.files.label_kinds import LABEL_KINDS
from vision.pieces.faces import BACKS, FacePack, FacePackError
from vision.scene import PieceKind

OWN = "; where your copy has such pieces, the option components of its table's settings (--config) says so"
MISSPELT = 0.7
"""So much alike is a name to the one that is meant: two wrong letters in `slice/onion` leave 0.8, `a/1` is no 9/1 with
0.67."""
NAMED = 5
"""So many faces are named in a message."""


class OtherGamesFaces(FacePackError):
    """A file of faces that was enrolled from another game."""


@dataclass(frozen=True, slots=True)
class GameFaces:
    """What of a game there is to enrol."""

    game: str
    kinds: frozenset[PieceKind]
    """The pieces that may lie on its table."""
    faces: tuple[str, ...] = ()
    """Its faces, backs included, as it names them; none where its pieces have none."""
    board_spaces: tuple[str, ...] = ()
    """Its board's spaces, as `vision.pieces.learning.enrol` takes them; none where it has no board."""
    board_corners: Mapping[str, str] = field(default_factory=dict)
    """The coordinates of its board's corner spaces by what is printed beside them, clockwise as seen from above, as
    `board_of_marks` takes them."""
    board_colours: tuple[str, ...] = ()
    """The colours of what lies on the board."""
    looks: Mapping[str, str] = field(default_factory=dict)
    """What a face shows, in the words of its game: an owner puts names to pieces by it."""
    kind_of: Mapping[str, PieceKind] = field(default_factory=dict)
    """Which kind of piece has a face."""
    names_may_differ: bool = False
    """Whether a copy may have faces of its own, with names of their own."""
    own_names: tuple[str, ...] = ()
    """The fronts that this copy has, as far as its table's settings tell."""
    tops: frozenset[PieceKind] = frozenset()
    """The cards from whose tops it counts places."""
    lacks: Callable[[Mapping[PieceKind, Sequence[str]]], Sequence[str]] | None = None
    """What is missing of what was learned, in the game's words; without it the faces themselves are counted."""

    def of_tops(self, how: str) -> str:
        """That the tops of cards matter, and how to see and put them right; empty where they do not."""
        cards = " and ".join(sorted(kind.words for kind in self.tops))
        return f"Places are counted from the top of each {cards}: make sure that {how}." if cards else ""

    def missing(self, pack: FacePack) -> tuple[str, ...]:
        """What was not learned: a piece that looks like none that was learned may be taken for another."""
        if self.lacks is not None:
            return tuple(self.lacks(pack.enrolled))
        return tuple(face for face in self.faces if face not in pack.names)

    def missing_at_table(self, pack: FacePack) -> tuple[str, ...]:
        """What was not learned that a table of these settings needs: there each piece has the name that they tell."""
        if not self.own_names:
            return self.missing(pack)
        backs = (face for face in self.faces if face in BACKS.values())
        return tuple(face for face in (*self.own_names, *backs) if face not in pack.names)

    def doubts(self, pack: FacePack, named_at: Mapping[str, Sequence[str]] | None = None) -> list[str]:
        """Sentences about what was learned and the game does not have: an owner may have pieces of their own.
        `named_at`: where each face is named, if that is to be said."""
        known = {*self.faces, *self.own_names, *BACKS.values()}
        strange = [
            _with_nearest(face, sorted(known)) + _at((named_at or {}).get(face, ()))
            for face in pack.names
            if self.faces and face not in known
        ]
        unused = [word for word, kind in LABEL_KINDS.items() if kind in pack.kinds and kind not in self.kinds]
        said = []
        if strange:
            said.append(f"{self.game} has no such faces: {some(strange)}{OWN if self.names_may_differ else ''}")
        if unused:
            said.append(f"{self.game} has no pieces of kind {', '.join(unused)}")
        return said

    def own(self, pack: FacePack) -> frozenset[str]:
        """The fronts that the game has, as far as that can be told."""
        fronts = fronts_of(pack)
        if self.faces and not self.names_may_differ:
            return fronts & frozenset(self.faces)
        return fronts & {name for kind, faces in pack.kinds.items() if kind in self.kinds for name in faces.names}


def _at(places: Sequence[str]) -> str:
    return f" at {' and '.join(places)}" if places else ""


def _with_nearest(face: str, known: Sequence[str]) -> str:
    """A name with the one that may be meant: also one without its first part, or as people write it."""
    words = {end: name for name in known if (end := name.rpartition("/")[2]).replace("-", "").isalpha()}
    near = get_close_matches(face, known, 1, MISSPELT)
    near = near or [words[end] for end in get_close_matches("-".join(face.lower().split()), words, 1, MISSPELT)]
    return f"{face} (is {near[0]} meant?)" if near else face


def faces_of(game: str, options: Mapping[str, Json] | None = None) -> GameFaces:
    """What of a game there is to enrol; with a table's `options` also of its copy.

    Raises:
        UnknownGame, PartMissing: there is no such game, or nothing says what it looks like.
        ComponentError: the options are wrong about the copy.
    """
    part = load_part(game, "describe")
    return GameFaces(
        game,
        part.KINDS,
        tuple(part.faces()) if hasattr(part, "faces") else (),
        tuple(part.board_spaces()) if hasattr(part, "board_spaces") else (),
        part.board_corners(options or {}) if hasattr(part, "board_corners") else {},
        tuple(part.board_colours()) if hasattr(part, "board_colours") else (),
        part.looks() if hasattr(part, "looks") else {},
        {face: part.kind_of(face) for face in part.faces()} if hasattr(part, "kind_of") else {},
        getattr(part, "NAMES_MAY_DIFFER", False),
        part.own_faces(options or {}) if hasattr(part, "own_faces") else (),
        getattr(part, "TOPS", frozenset()),
        getattr(part, "missing", None),
    )


def fronts_of(pack: FacePack) -> frozenset[str]:
    """All faces of a pack that are no back."""
    return frozenset(pack.names) - frozenset(BACKS.values())


def check_faces(pack: FacePack, path: Path, game: str) -> Sequence[str]:
    """What to say of a file that holds other faces besides this game's, or not all of them.

    Some games name a few faces alike. A file is another game's where all of its faces are that game's and not all are
    this one's, or none is.

    Raises:
        OtherGamesFaces: they are not of this game; says which game's they seem to be.
        UnknownGame, PartMissing: there is no such game, or nothing says what it looks like.
    """
    fronts, mine = fronts_of(pack), faces_of(game).own(pack)
    strange = fronts - mine
    missing = faces_of(game).missing(pack)
    lacks = f"{path}: not enrolled: {some(missing)}; pieces that look so may be taken for others"
    said = [lacks] if missing else []
    if mine | _board_of(pack, game) and not strange:
        return said
    others = {other: faces_of(other).own(pack) for other in games_with("describe") if other != game}
    whole = _all_of(pack, others)
    if whole or not mine | _board_of(pack, game):
        raise OtherGamesFaces(_refusal(pack, path, game, len(mine), len(fronts), whole or _likely(pack, others)))
    return [f"{path}: {len(strange)} of its {len(fronts)} faces are none of {game}'s: {some(sorted(strange))}", *said]


def whole_of_others(pack: FacePack, game: str) -> Sequence[str]:
    """The games whose faces all of these are, where not all are this one's."""
    of_each = {each: faces_of(each).own(pack) for each in games_with("describe")}
    whole = _all_of(pack, of_each)
    return [] if game in whole else whole


def _all_of(pack: FacePack, of_each: Mapping[str, Set[str]]) -> list[str]:
    fronts = fronts_of(pack)
    return [each for each, own in of_each.items() if fronts and own == fronts]


def some(names: Sequence[str]) -> str:
    """The first few of these, and whether there are more."""
    return ", ".join(names[:NAMED]) + (" ..." if len(names) > NAMED else "")


def _board_of(pack: FacePack, game: str) -> frozenset[str]:
    """The board, where the file has one and the game is played on one."""
    board = pack.board is not None and PieceKind.BOARD in faces_of(game).kinds
    return frozenset({PieceKind.BOARD.value} if board else ())


def _likely(pack: FacePack, others: dict[str, frozenset[str]]) -> list[str]:
    """The other games that have most of the faces, or the board."""
    counts = {other: len(own | _board_of(pack, other)) for other, own in others.items()}
    most = max(counts.values(), default=0)
    return [other for other, count in counts.items() if count == most > 0]


def _refusal(pack: FacePack, path: Path, game: str, mine: int, count: int, seem: Collection[str]) -> str:
    kinds = ", ".join(sorted(kind.words for kind in faces_of(game).kinds))
    whose = f"these seem to be the faces of {' or '.join(seem)}" if seem else "these are the faces of no game known"
    held = f"{count} faces" + (" and a board" if pack.board is not None else "")
    return (
        f"{path}: {whose}: of its {held} {mine or 'none'} {'are' if mine > 1 else 'is'} named like one of {game}; "
        f"expected a file that `pizzatable enrol --game {game}` made ({kinds})"
    )
