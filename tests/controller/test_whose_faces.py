"""A file of another game's faces is refused, and one that holds some of both is warned of."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from controller.games.registry import load_part
from controller.games.slice.components import load_components
from controller.watching import load_faces
from controller.whose_faces import OtherGamesFaces, check_faces, faces_of
from tests.vision import drawn_cards
from tests.vision.drawn_table import enrolled
from vision.pieces.faces import FacePack, FacePackError, KindFaces, save_pack
from vision.scene import PieceKind


def without(names: tuple[str, ...], *lost: str) -> tuple[str, ...]:
    return tuple(name for name in names if name not in lost)


FILE = Path("mine.faces")
NEW_YORK_SLICE, PIZZERIA = (load_part(game, "describe").faces() for game in ("new_york_slice", "pizzeria"))
SLICE = load_part("slice", "describe").faces()
OWN_CARDS = (*(face for face in SLICE if not face.startswith("order/")), *(f"order/own-{i}" for i in range(1, 25)))
CARDS_NAMED = {"slice": PieceKind.SLICE_CARD, "order": PieceKind.ORDER_CARD}
CARDS = ("slice/bacon", "slice/basil", "slice/back", "order/1")


@pytest.fixture(scope="module")
def drawn() -> FacePack:
    return enrolled()


def pack_of(drawn: FacePack, *names: str, kind: PieceKind = PieceKind.SLICE) -> FacePack:
    """A pack of these names, cards where they are named so; what the faces look like does not matter."""
    of: dict[PieceKind, list[str]] = {}
    for name in names:
        card = CARDS_NAMED.get(name.partition("/")[0])
        of.setdefault(card if card is not None and kind is PieceKind.SLICE else kind, []).append(name)
    known = {**drawn_cards.enrolled().kinds, **drawn.kinds}
    return FacePack({kind: _named(known[kind], own) for kind, own in of.items()}, ("drawn",))


def _named(faces: KindFaces, names: list[str]) -> KindFaces:
    """As many faces as there are names."""
    take = [i % len(faces.names) for i in range(len(names))]
    return replace(
        faces,
        names=tuple(names),
        colours=faces.colours[take],
        slopes=faces.slopes[take],
        owners=faces.owners % len(names),
    )


@pytest.mark.parametrize(
    ("game", "names"),
    [
        pytest.param("new_york_slice", NEW_YORK_SLICE, id="all"),
        pytest.param("pizzeria", PIZZERIA, id="all of a game that names many faces as another does"),
        pytest.param("slice", SLICE, id="all cards, by the names that we have for them"),
        pytest.param("slice", OWN_CARDS, id="as many cards, some by names of the copy's own"),
    ],
)
def test_a_games_own_faces_are_nothing_to_speak_of(drawn: FacePack, game: str, names: tuple[str, ...]) -> None:
    assert check_faces(pack_of(drawn, *names), FILE, game) == []


@pytest.mark.parametrize(
    ("game", "names", "lacks"),
    [
        ("pizzeria", PIZZERIA[2:], f"{PIZZERIA[0]}, {PIZZERIA[1]}"),
        ("slice", without(SLICE, "slice/onion", "order/order-7"), "slice/onion, order/order-7"),
        ("slice", without(SLICE, "slice/back"), "slice/back"),
        ("slice", (*without(SLICE, "slice/bacon"), "slice/bacn"), "slice/bacon"),
        ("slice", SLICE[:3], f"{', '.join(SLICE[3:8])} ..."),
    ],
)
def test_what_was_not_enrolled_is_told_and_no_table_is_begun_without_it(
    drawn: FacePack, game: str, names: tuple[str, ...], lacks: str, tmp_path: Path
) -> None:
    pack, path = pack_of(drawn, *names), tmp_path / "mine.faces"
    assert check_faces(pack, FILE, game) == [
        f"mine.faces: not enrolled: {lacks}; pieces that look so may be taken for others"
    ]
    save_pack(pack, path)
    with pytest.raises(FacePackError, match=re.escape(f"faces of the game are missing: {lacks}; expected")):
        load_faces(path, game)


def test_a_name_that_is_no_cards_stands_for_none(drawn: FacePack) -> None:
    pack = pack_of(drawn, *without(SLICE, "slice/bacon"), "bacon rashers")
    assert check_faces(pack, FILE, "slice") == [
        "mine.faces: 1 of its 34 faces are none of slice's: bacon rashers",
        "mine.faces: not enrolled: slice/bacon; pieces that look so may be taken for others",
    ]


@pytest.mark.parametrize(
    ("lost", "lacks"), [("order/own-9", "1 more of the 24 kinds of order card"), ("slice/back", "slice/back")]
)
def test_what_is_missing_beside_a_copys_own_cards_is_told(drawn: FacePack, lost: str, lacks: str) -> None:
    assert check_faces(pack_of(drawn, *without(OWN_CARDS, lost)), FILE, "slice") == [
        f"mine.faces: not enrolled: {lacks}; pieces that look so may be taken for others"
    ]


def test_cards_of_the_copys_own_need_a_table_that_knows_them(drawn: FacePack, tmp_path: Path) -> None:
    path = tmp_path / "mine.faces"
    save_pack(pack_of(drawn, *OWN_CARDS), path)
    with pytest.raises(FacePackError, match=r"missing: order/order-1, .*slice has no such faces: .*components"):
        load_faces(path, "slice")
    toppings = [dict(load_components().orders)[f"order-{i}"] for i in range(1, 25)]
    orders = {f"own-{i}": list(places) for i, places in enumerate(toppings, 1)}
    assert load_faces(path, "slice", {"components": {"orders": orders}}).names
    with pytest.raises(FacePackError, match="missing: order/mine; expected"):
        load_faces(path, "slice", {"components": {"orders": {"mine": orders.pop("own-9"), **orders}}})


@pytest.mark.parametrize(
    ("game", "names", "kind", "says"),
    [
        ("pizzeria", NEW_YORK_SLICE, PieceKind.SLICE, r"faces of new_york_slice: of its 83 faces 63 are named"),
        ("new_york_slice", PIZZERIA, PieceKind.SLICE, r"faces of pizzeria: of its 81 faces"),
        ("new_york_slice", CARDS, PieceKind.SLICE_CARD, r"faces of slice: of its 3 faces none is named"),
        ("slice", NEW_YORK_SLICE, PieceKind.SLICE, r"faces of new_york_slice: .* --game slice` made \(order card, sl"),
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
    assert said == ["mine.faces: 2 of its 83 faces are none of pizzeria's: anchovy, supreme"]


def test_a_table_is_not_begun_with_another_games_faces(drawn: FacePack, tmp_path: Path) -> None:
    path = tmp_path / "mine.faces"
    save_pack(drawn, path)
    with pytest.raises(OtherGamesFaces, match="expected a file that `pizzatable enrol --game new_york_slice` made"):
        load_faces(path, "new_york_slice")


def test_pieces_of_a_kind_that_the_game_lacks_are_doubted(drawn: FacePack) -> None:
    doubts = faces_of("slice").doubts(pack_of(drawn, "slice/bacon", "3/1"))
    assert "slice has no pieces of kind tile" in doubts
