"""A file of another game's faces is refused, and one that holds some of both is warned of."""

from dataclasses import replace
from pathlib import Path

import pytest

from controller.games.registry import load_part
from controller.watching import load_faces
from controller.whose_faces import OtherGamesFaces, check_faces
from tests.vision.drawn_table import enrolled
from vision.faces import FacePack, save_pack
from vision.scene import PieceKind

FILE = Path("mine.faces")
NEW_YORK_SLICE, PIZZERIA = (load_part(game, "describe").faces() for game in ("new_york_slice", "pizzeria"))
CARDS = ("slice/bacon", "slice/basil", "slice/back", "order/1")


@pytest.fixture(scope="module")
def drawn() -> FacePack:
    return enrolled()


def pack_of(drawn: FacePack, *names: str, kind: PieceKind = PieceKind.SLICE) -> FacePack:
    """A pack of these names; what the faces look like does not matter."""
    return FacePack({kind: replace(drawn.kinds[PieceKind.SLICE], names=names)}, ("drawn",))


@pytest.mark.parametrize(
    ("game", "names"),
    [
        pytest.param("new_york_slice", NEW_YORK_SLICE, id="all"),
        pytest.param("pizzeria", PIZZERIA, id="all of a game that names many faces as another does"),
        pytest.param("pizzeria", ("3/1", "10/2", "back"), id="a few that both games have"),
    ],
)
def test_a_games_own_faces_are_nothing_to_speak_of(drawn: FacePack, game: str, names: tuple[str, ...]) -> None:
    assert check_faces(pack_of(drawn, *names), FILE, game) is None


@pytest.mark.parametrize(
    ("game", "names", "kind", "says"),
    [
        ("pizzeria", NEW_YORK_SLICE, PieceKind.SLICE, r"faces of new_york_slice: of its 83 faces 63 are named"),
        ("new_york_slice", PIZZERIA, PieceKind.SLICE, r"faces of pizzeria: of its 81 faces"),
        ("new_york_slice", CARDS, PieceKind.SLICE_CARD, r"faces of slice: of its 3 faces none is named"),
        ("slice", NEW_YORK_SLICE, PieceKind.SLICE, r"faces of new_york_slice: .* --game slice` made \(order-card, sl"),
        ("pizza_theory", NEW_YORK_SLICE, PieceKind.SLICE, r"expected a file that .* --game pizza_theory` made \(board"),
        ("new_york_slice", ("a/1", "back"), PieceKind.SLICE, r"the faces of no game known: of its 1 faces none"),
        ("new_york_slice", ("back",), PieceKind.SLICE, r"of its 0 faces none is named like one of new_york_slice"),
    ],
)
def test_another_games_faces_are_refused(
    drawn: FacePack, game: str, names: tuple[str, ...], kind: PieceKind, says: str
) -> None:
    with pytest.raises(OtherGamesFaces, match=rf"^mine\.faces: .*{says}"):
        check_faces(pack_of(drawn, *names, kind=kind), FILE, game)


def test_some_of_both_are_counted(drawn: FacePack) -> None:
    said = check_faces(pack_of(drawn, *PIZZERIA, "supreme", "anchovy"), FILE, "pizzeria")
    assert said == "mine.faces: 2 of its 83 faces are none of pizzeria's: anchovy, supreme"


def test_a_table_is_not_begun_with_another_games_faces(drawn: FacePack, tmp_path: Path) -> None:
    path = tmp_path / "mine.faces"
    save_pack(drawn, path)
    with pytest.raises(OtherGamesFaces, match="expected a file that `pizzatable enrol --game new_york_slice` made"):
        load_faces(path, "new_york_slice")
