"""Moves of SLICE as text and as JSON, and states as JSON."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.game import IllegalMove, NotationError
from controller.games.slice import GAME
from controller.games.slice.rules import (
    Block,
    Count,
    DealOrder,
    Draw,
    Grab,
    Move,
    Place,
    Reveal,
    Slap,
    State,
    Stop,
    TurnOver,
)
from tests.controller.games.known import known
from tests.controller.games.slice.situations import ALL_DOWN, dealt, game, grabbed, play, played, table

FEW = settings(max_examples=10, deadline=None, derandomize=True)
SEVEN = "pepperoni mushroom olive pepper pepperoni mushroom olive ?"
GRABBED = play(table(ALL_DOWN, "? ? ?! ? ? ? ? ?", players=4), Grab(2))
LINES = [
    (game(), DealOrder(1, "order-7"), "P1 gets order-7"),
    (dealt(), Draw("mushroom"), "draw mushroom"),
    (table(), Count(1), "P1 counts"),
    (table(), Grab(2), "P2 grabs"),
    (table(players=4), Grab(2, (Slap(3, 250), Slap(4, 3400))), "P2 grabs, P3 +250us, P4 +3400us"),
    (table(players=4), Grab(4, (Slap(2, 0), Slap(3, 12))), "P4 grabs, P2 tie, P3 +12us"),
    (GRABBED, Place(2, 7), "P2 fills 7"),
    (GRABBED, Place(2, 3), "P2 frees 3"),
    (play(table(open=["hot-sauce"]), Grab(2)), Block(2, 3, 5), "P2 blocks P3 5"),
    (grabbed(table(options={"may_stop": True}), 2, 3, "tomato"), Stop(2), "P2 stops"),
    (play(table(), Grab(2), Place(2, 3)), Reveal("hot-sauce"), "reveal hot-sauce"),
    (
        play(table(SEVEN, drawer=2, open=["pepper"]), Grab(1), Place(1, 8), DealOrder(1, "order-9")),
        TurnOver("onion"),
        "hidden onion",
    ),
]


@pytest.mark.parametrize(("state", "move", "text"), LINES, ids=[text for _, _, text in LINES])
def test_each_kind_of_move_as_text_and_as_json(state: State, move: Move, text: str) -> None:
    assert GAME.format(state, move) == text
    assert GAME.parse(state, text) == move
    assert GAME.parse(state, f"  {text.replace(' ', '   ')} ") == move
    assert GAME.decode_move(json.loads(json.dumps(GAME.encode_move(move)))) == move


@pytest.mark.parametrize(
    "text",
    ["", "P2", "P2 grab", "grabs", "P2 grabs P3", "P2 grabs, P3", "draw", "P2 fills", "P2 fills three", "P٢ grabs"],
)
def test_text_that_is_no_move(text: str) -> None:
    with pytest.raises(NotationError, match="is no move"):
        GAME.parse(table(), text)


def test_a_move_that_the_rules_refuse() -> None:
    with pytest.raises(IllegalMove, match="Drawer"):
        GAME.parse(table(), "P1 grabs")
    with pytest.raises(IllegalMove, match="no card of this game"):
        GAME.parse(dealt(), "draw ham")


@pytest.mark.parametrize(("text", "meant"), [("P2 frees 7", "P2 fills 7"), ("P2 fills 3", "P2 frees 3")])
def test_a_line_says_whether_a_place_is_filled_or_freed(text: str, meant: str) -> None:
    with pytest.raises(NotationError, match=f"{text}.* expected '{meant}'"):
        GAME.parse(GRABBED, text)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "None is no object"),
        ([], "is no object"),
        ({}, "move: missing; expected one of"),
        ({"move": "eat"}, "'eat' is none of"),
        ({"move": ["grab"]}, "is none of"),
        ({"move": "grab"}, r"grab\.player: missing"),
        ({"move": "grab", "player": "2", "after": []}, r"grab\.player: '2' is no whole number"),
        ({"move": "grab", "player": 2, "after": 3}, r"grab\.after: 3 is no list"),
        ({"move": "grab", "player": 2, "after": [{"player": 3}]}, r"grab\.after\[0\]\.later_us: missing"),
        ({"move": "draw", "card": 7}, r"draw\.card: 7 is no text"),
        ({"move": "draw", "card": "olive", "extra": 1}, r"draw\.extra: unknown key"),
    ],
)
def test_json_that_is_no_move(data: Any, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        GAME.decode_move(data)


OPTIONS = {"pizza_reset": True, "may_stop": True, "revealed_hot_sauce": "place", "draw_limit": 60}


@FEW
@given(st.integers(2, 8), st.integers(0, 10**6), st.booleans())
def test_states_and_moves_survive_json_and_text(players: int, seed: int, varied: bool) -> None:
    history = played(players, seed, **(OPTIONS if varied else {"draw_limit": 60}))
    for state, move in history[seed % 4 :: 4]:
        encoded = json.loads(json.dumps(GAME.encode_state(state)))
        decoded = GAME.decode_state(encoded)
        assert decoded == state
        assert GAME.encode_state(decoded) == encoded
        assert hash(decoded) == hash(state)
        if move is not None:
            assert GAME.parse(state, GAME.format(state, move)) == move
            assert GAME.decode_move(json.loads(json.dumps(GAME.encode_move(move)))) == move


def places_in(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in JSON."""
    yield path
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from places_in(value, (*path, key))


def replaced(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    copy: Any = dict(data) if isinstance(data, dict) else list(data)
    copy[path[0]] = replaced(data[path[0]], path[1:], value)
    return copy


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    st.integers(0, 10),
    st.randoms(use_true_random=False),
    st.sampled_from([None, -1, 0, 1, 7, 10**9, "", "x", "olive", "order-3", [], [1], {}, True, 1.5, {"up": None}]),
)
def test_anything_else_is_refused_or_a_state_that_can_be_played_on(seed: int, random: Random, junk: Any) -> None:
    history = played(2 + seed % 4, seed, draw_limit=25)
    data = json.loads(json.dumps(GAME.encode_state(random.choice(history)[0])))
    changed = replaced(data, random.choice(list(places_in(data))), junk)
    try:
        state = GAME.decode_state(changed)
    except NotationError:
        return
    assert GAME.encode_state(state) == changed
    GAME.view(state, 1)
    for move in GAME.legal(state):
        GAME.apply(state, move)


def test_errors_of_states_name_the_place() -> None:
    data = GAME.encode_state(table())
    for change, message in [
        ({"drawer": 9}, "drawer: 9 is none of the players 1 to 3"),
        ({"hand": "olive"}, "hand: 'olive' does not go with phase grab"),
        ({"open": []}, "onion: 13 cards are not 14"),
        ({"options": {}}, r"state\.options"),
        ({"options": data["options"] | {"pizzas": 9}}, "option pizzas: 9 is none of 1, 2, 3"),
        ({"orders": data["orders"][1:]}, "is missing"),
        ({"pile": []}, "of pool 0 lie face down; expected 127"),
        ({"seats": data["seats"][:2]}, "seats: 2 are not 3"),
    ]:
        with pytest.raises(NotationError, match=message):
            GAME.decode_state(data | change)


def test_own_cards_survive_json() -> None:
    state = GAME.start(2, {"components": own_cards()})
    assert GAME.decode_state(json.loads(json.dumps(GAME.encode_state(state)))) == state
    assert known(DealOrder, GAME.draw(state, Random(1))).order.startswith("mine-")


def own_cards() -> dict[str, Any]:
    cards = {"ham": 50, "corn": 50, "hot-sauce": 20, "combo": 8}
    return {"cards": cards, "orders": {f"mine-{number}": ["ham", "corn"] * 4 for number in range(24)}}
