"""Moves as text, states and moves as JSON, positions as a person writes them."""

from typing import Any

import pytest

from controller.game import IllegalMove, NotationError, PositionError
from controller.games.pizzeria import GAME, rules
from controller.games.pizzeria.rules import (
    ChoosePile,
    Decide,
    Divide,
    EatKind,
    EatSaved,
    MoveSlice,
    Phase,
    Take,
    TakeSlice,
    TakeWithoutB,
)
from tests.controller.games.pizzeria.situations import (
    RING,
    advanced,
    game,
    having,
    in_round,
    late_a,
    owning,
    play,
    quarters,
    served,
)


@pytest.mark.parametrize("variant", [False, True])
def test_the_moves_of_a_round_as_text(variant: bool) -> None:
    state = game(advanced=variant)
    texts = [
        "pile 3",
        f"pizza {'c: ' if variant else ''}{' '.join(RING)}",
        f"divide 2/1 7/1 7/2 | 11/1 11/10 4/1{' + offer' if variant else ''} | mixed-9-11 9/2 | 9/9 5/1 6/1",
        "P2 takes B",
        f"P2 eats 4/1 11/1{', offer c on 11' if variant else ''}",
        "P3 takes C",
        "P3 eats nothing",
    ]
    for text in texts:
        move = GAME.parse(state, text)
        assert GAME.format(state, move) == text
        state = GAME.apply(state, move)


def test_offers_as_text() -> None:
    first = play(advanced(), ChoosePile(1))
    state = play(first, GAME.parse(first, f"pizza a: {' '.join(RING)}"))
    assert GAME.format(state, GAME.parse(state, "redraw g")) == "redraw g"
    later = in_round(advanced(), 2)
    state = served(owning(later, 4, rules.OFFER_D, rules.OFFER_E, rules.OFFER_F))
    assert GAME.parse(state, "P4 offer d eats 7/1") == TakeSlice(4, "7/1", True)
    assert GAME.parse(state, "P4 offer d saves 2/1") == TakeSlice(4, "2/1", False)
    assert GAME.parse(quarters(state), "P4 offer e moves 4/1 to C") == MoveSlice(4, "4/1", 2)
    state = play(quarters(served(advanced(), special=rules.OFFER_B)), Take(2, 1))
    assert GAME.format(state, GAME.parse(state, "draw 5/2")) == "draw 5/2"
    late = GAME.parse(late_a(), "P2 offer a eats 11/1 5/1")
    assert (late, GAME.format(late_a(), late)) == (EatSaved(2, frozenset({"5/1", "11/1"})), "P2 offer a eats 5/1 11/1")
    assert GAME.decode_move(GAME.encode_move(late)) == late
    before = quarters(served(advanced(), special=rules.OFFER_B))
    without = GAME.parse(before, "P2 takes B without offer b")
    assert (without, GAME.format(before, without)) == (TakeWithoutB(2, 1), "P2 takes B without offer b")
    assert GAME.decode_move(GAME.encode_move(without)) == without
    state = play(before, without)
    assert GAME.setup(4, {"advanced": True}, GAME.position(state)) == state
    assert GAME.decode_state(GAME.encode_state(state)) == state
    assert GAME.format(state, EatKind(2, 5)) == "P2 offer j eats 5"
    assert GAME.format(state, EatKind(2, None)) == "P2 offer j eats nothing"


def test_an_offer_alone_as_text() -> None:
    state = served(advanced())
    move = Divide(1, (RING[:4], (), RING[4:8], RING[8:]), 1)
    assert "| offer |" in GAME.format(state, move)
    assert GAME.parse(state, GAME.format(state, move)) == move


def test_spaces_do_not_matter() -> None:
    assert GAME.parse(game(), "  pile   2 ") == ChoosePile(2)


@pytest.mark.parametrize("text", ["", "pile", "pile x", "P2 take B", "P2 takes 1", "pizza", "🍕", "P2 eats", "pile ²"])
def test_text_that_is_no_move_is_quoted(text: str) -> None:
    with pytest.raises(NotationError, match="is no move") as caught:
        GAME.parse(game(), text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("text", ["divide |", "divide offer", "divide | | |", "divide 1 + + offer | 2", "pile 9"])
def test_text_of_an_illegal_move_is_refused(text: str) -> None:
    for state in (game(), served(game()), served(advanced())):
        with pytest.raises(IllegalMove):
            GAME.parse(state, text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("divide 2/1 7/1 + offer | 7/2 11/1 + offer | 11/10 4/1 | mixed-9-11 9/2 9/9 5/1 6/1", "in two portions"),
        ("divide offer | offer | 2/1 7/1 7/2 11/1 11/10 | 4/1 mixed-9-11 9/2 9/9 5/1 6/1", "in two portions"),
        ("P2 eats nothing 7/1", "nothing and something"),
        ("P2 eats 7/1 7/1", "a slice twice"),
    ],
)
def test_text_that_contradicts_itself_is_no_move(text: str, problem: str) -> None:
    state = served(advanced())
    for one in (state, play(quarters(state), Take(2, 0))):
        with pytest.raises(NotationError, match=problem):
            GAME.parse(one, text)


def test_a_move_as_json() -> None:
    move = Decide(2, frozenset({"9/2", "5/1"}), 9)
    data = GAME.encode_move(move)
    assert data == {"move": "decide", "player": 2, "eaten": ["5/1", "9/2"], "kind": 9}
    assert GAME.decode_move(data) == move


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (3, "move: 3 is no object"),
        ({}, "move: missing; expected one of pile, pizza"),
        ({"move": ["take"]}, "none of pile"),
        ({"move": "take", "player": 2}, "take.portion: missing"),
        ({"move": "take", "player": True, "portion": 0}, "take.player: True is no whole number"),
        ({"move": "take", "player": 2, "portion": 0, "x": 1}, "take.x: unknown key"),
        ({"move": "pizza", "special": None, "ring": "7/1"}, "pizza.ring: '7/1' is no list"),
        ({"move": "decide", "player": 2, "eaten": [], "kind": "7"}, "decide.kind: '7' is no whole number"),
    ],
)
def test_json_that_is_no_move_is_named(data: Any, problem: str) -> None:
    with pytest.raises(NotationError, match=problem):
        GAME.decode_move(data)


def test_a_state_as_json_keeps_options_and_own_pieces() -> None:
    state = game(offer_e_may_empty=True, components={"9/9": {"basil": 1}})
    data = GAME.encode_state(state)
    assert data["options"]["components"] == {"9/9": {"basil": 1}}
    assert GAME.decode_state(data) == state


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"phase": "lunch"}, "state.phase: 'lunch' is none of pile"),
        ({"round": None}, "state.round: None is no whole number"),
        ({"holdings": [{}]}, r"state.holdings\[0\].collected: missing"),
        ({"options": {}}, "state.options.components: missing"),
        ({"options": {**GAME.encode_state(game())["options"], "components": 3}}, "options.components: 3 is no mapping"),
    ],
)
def test_json_that_is_no_state_is_named(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(NotationError, match=problem):
        GAME.decode_state({**GAME.encode_state(game()), **change})


# Positions ------------------------------------------------------------------------------------------------------------

PORTIONS: list[dict[str, Any]] = [
    {"slices": ["2/1", "7/1", "7/2"]},
    {"slices": ["11/1", "11/10", "4/1"], "taken_by": 2},
    {"slices": ["mixed-9-11", "9/2"]},
    {"slices": ["9/9", "5/1", "6/1"]},
]
DECIDING = {"phase": "decide", "pizza": list(RING), "portions": PORTIONS, "deciding": "B"}
OFFERED = {
    "pizza": list(RING),
    "portions": [{"slices": list(RING[i : i + 3]), "special": i == 0} for i in (0, 3, 6, 9)],
}


def test_an_empty_position_is_the_start() -> None:
    for players in GAME.player_counts:
        assert GAME.setup(players, {}, {}) == game(players)
        assert GAME.position(game(players)) == {}


def test_a_position_as_a_person_writes_it() -> None:
    assert GAME.setup(4, {}, DECIDING) == play(quarters(served(game())), Take(2, 1))
    turned = {**DECIDING, "pizza": list(RING[5:] + RING[:5]), "portions": PORTIONS[1:] + PORTIONS[:1], "deciding": "A"}
    with pytest.raises(PositionError, match="deciding: 'A' is a portion that nobody has taken"):
        GAME.setup(4, {}, turned)
    assert GAME.setup(4, {}, {**turned, "deciding": "B"}) == GAME.setup(4, {}, DECIDING)


def test_a_position_between_rounds() -> None:
    described: dict[str, Any] = {"round": 2, "first": 3, "players": {"1": {"saved": list(RING[:4]), "eaten": ["9/2"]}}}
    rest = [face for face in RING[4:] if face != "9/2"]
    described["players"]["2"] = {"saved": rest}
    state = GAME.setup(4, {}, described)
    assert (state.phase, state.slicer, state.stacks) == (Phase.PILE, 4, (2, 3, 4))
    assert GAME.position(state) == described


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"lunch": 1}, "position.lunch: unknown key"),
        ({"round": 5}, "position.round: 5 is no whole number from 1 to 4"),
        ({"first": 0}, "position.first: 0 is no whole number from 1 to 4"),
        ({"phase": "eat"}, "position.phase: 'eat' is not one of pile"),
        ({"phase": "over"}, "position.round: 1 is not 4, the last one, as over needs"),
        ({"served": [1, 2]}, r"position.served: \[1, 2\] are not the numbers of 1 different piles"),
        ({"players": {"5": {}}}, "position.players.5: unknown key"),
        ({"players": {"1": {"saved": ["7/1"]}}}, "'7/1' is also in position.players.1.saved"),
        ({"players": {"1": {"saved": ["8/1"]}}}, r"position.players.1.saved\[0\]: '8/1' is not a slice in a game of 4"),
        ({"players": {"1": {"eaten": ["2/2"]}}}, "position.players.1.eaten: .* '2/2' has no basil leaf"),
        ({"players": {"1": {"saved": ["5/5"]}}}, "position: 12 slices are not 11, those of 1 pizzas"),
        ({"players": {"1": {"specials": [{"special": "g"}]}}}, "there are no special offers in the basic variant"),
        ({"special": "g"}, "position.special: 'g' does not belong to phase decide"),
        ({"deciding": "E"}, "position.deciding: 'E' is not a portion from A to D"),
        ({"drawn": "5/5"}, "position.drawn: '5/5' does not belong to phase decide"),
        ({"moved": 3}, "position.moved: 3 is no player who is about to choose"),
        ({"portions": PORTIONS[:3]}, "are not 4 portions"),
        ({"portions": [*PORTIONS[:3], {"slices": ["9/9"]}]}, "are not made of the slices of position.pizza"),
        ({"portions": [*PORTIONS[:3], {**PORTIONS[3], "special": True}]}, "in no portion"),
        ({"portions": [*PORTIONS[:2], PORTIONS[3], PORTIONS[2]]}, "are no division of position.pizza"),
        ({"portions": [{**PORTIONS[0], "taken_by": 2}, *PORTIONS[1:]]}, "more often than that player chooses"),
        (
            {
                "portions": [{**PORTIONS[0], "taken_by": 3}, *PORTIONS[1:]],
                "deciding": "A",
                "players": {"4": {"saved": ["11/1", "11/10", "4/1"]}},
            },
            "neither lies in front of player 2",
        ),
        ({"portions": [{**PORTIONS[0], "taken_by": 3}, *PORTIONS[1:]]}, "player 2, who was not the last to choose"),
        (
            {"portions": [*PORTIONS[:2], {**PORTIONS[2], "taken_by": 4}, PORTIONS[3]]},
            "are taken out of turn: the players choose in the order 2, 3, 4 and 1",
        ),
        ({"pizza": "7/1"}, "position.pizza: '7/1' is no list"),
    ],
)
def test_what_is_no_position_is_named(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(PositionError, match=problem):
        GAME.setup(4, {}, {**DECIDING, **change})


def test_a_position_lacks_what_its_phase_needs() -> None:
    for key in ("pizza", "portions", "deciding"):
        with pytest.raises(PositionError, match=f"position.{key}: missing; phase decide needs it"):
            GAME.setup(4, {}, {name: value for name, value in DECIDING.items() if name != key})


@pytest.mark.parametrize(
    ("specials", "problem"),
    [
        ({"2": [{"special": "g"}]}, None),
        ({}, "specials of the rounds .* are not one of each from 1 to 1"),
        ({"3": [{"special": "g"}]}, "lie not with player 2, who took g in round 1"),
        ({"2": [{"special": "g", "used": True}]}, "used: True is not false; only one of a, b, d, e, f, j can be used"),
        ({"2": [{"special": "g", "kind": 7}]}, "kind: 7 does not belong here; only c is put on a kind"),
        ({"2": [{"special": "z"}]}, "special: 'z' is not one of a, b"),
        ({"2": [{}]}, "lacks the key special"),
        ({"2": [{"special": "a"}]}, "special: 'a' cannot have been received in round 1 with 4 players"),
        ({"2": [{"special": "g"}], "3": [{"special": "g"}]}, "'g' is also in position.players.2"),
    ],
)
def test_offers_in_a_position(specials: dict[str, Any], problem: str | None) -> None:
    portions = [PORTIONS[0], {**PORTIONS[1], "special": True}, *PORTIONS[2:]]
    players = {player: {"specials": owned} for player, owned in specials.items()}
    described = {**DECIDING, "special": "g", "portions": portions, "players": players}
    if problem is None:
        assert GAME.setup(4, {"advanced": True}, described) == play(quarters(served(advanced())), Take(2, 1))
    else:
        with pytest.raises(PositionError, match=problem):
            GAME.setup(4, {"advanced": True}, described)


@pytest.mark.parametrize(
    ("described", "problem"),
    [
        ({"phase": "divide", "special": "a", "pizza": list(RING)}, "phase: 'divide' does not go with a in round 1"),
        ({"phase": "redraw", "special": "g", "pizza": list(RING)}, "phase: 'redraw' does not go with g"),
        ({**OFFERED, "phase": "choose", "special": "a"}, "phase: 'choose' does not go with a in round 1"),
        ({"phase": "divide", "special": "g", "pizza": []}, "0 slices are not 11"),
        ({"phase": "divide", "special": "g", "pizza": list(RING), "set_aside": ["g"]}, "is in two places"),
        ({**DECIDING, "phase": "draw", "special": "g", "deciding": "B"}, "special offer in exactly one portion"),
    ],
)
def test_a_position_that_waits_for_something_impossible(described: dict[str, Any], problem: str) -> None:
    with pytest.raises(PositionError, match=problem):
        GAME.setup(4, {"advanced": True}, described)


SEEN = "7/3 7/4 7/5 9/1 9/3 9/4 9/5 9/6 9/7 5/2 5/3"
"""The slices of a first pizza."""


def test_portions_in_a_position_may_be_taken_out_of_turn_with_offer_f() -> None:
    later = having(owning(in_round(advanced(), 2), 1, rules.OFFER_F), 2, saved=SEEN)
    state = play(quarters(served(later)), Take(1, 2))
    described = GAME.position(state)
    assert GAME.setup(4, {"advanced": True}, described) == state
    described["players"]["1"]["specials"][0]["used"] = False
    with pytest.raises(PositionError, match="are taken out of turn"):
        GAME.setup(4, {"advanced": True}, described)


def test_a_pizza_in_a_position_has_eleven_slices_or_ten_after_offer_d() -> None:
    described = {"phase": "divide", "pizza": list(RING[:2]), "players": {"1": {"saved": list(RING[2:])}}}
    with pytest.raises(PositionError, match="2 slices; expected eleven"):
        GAME.setup(4, {}, described)
    later = having(owning(in_round(advanced(), 2), 4, rules.OFFER_D), 2, saved=SEEN)
    ten = play(served(later), TakeSlice(4, "7/1", True))
    assert GAME.setup(4, {"advanced": True}, GAME.position(ten)) == ten
    nine = GAME.position(ten)
    nine["pizza"].remove("7/2")
    nine["players"]["4"]["saved"] = ["7/2"]
    with pytest.raises(PositionError, match="9 slices; expected eleven"):
        GAME.setup(4, {"advanced": True}, nine)


def test_portions_in_a_position_are_neighbours_also_after_offer_e() -> None:
    later = having(owning(in_round(advanced(), 2), 3, rules.OFFER_E), 2, saved=SEEN)
    moved = play(quarters(served(later)), MoveSlice(3, "4/1", 2))
    described = GAME.position(moved)
    assert GAME.setup(4, {"advanced": True}, described) == moved
    described["portions"][1:3] = reversed(described["portions"][1:3])
    with pytest.raises(PositionError, match="are no division of"):
        GAME.setup(4, {"advanced": True}, described)


def test_the_view_names_what_a_display_needs() -> None:
    state = owning(having(in_round(advanced(), 2), 3, saved="7/3", eaten="9/1"), 3, rules.OFFER_G)
    state = quarters(served(state, special=rules.OFFER_K))
    shown = GAME.view(state, None)
    assert shown == GAME.view(state, 3)
    assert shown["turn"] == {"actor": "players", "players": [3], "prompt": "Player 3 chooses a portion"}
    assert (shown["variant"], shown["house"], shown["round"], shown["slicer"]) == ("advanced", None, 2, 2)
    mine = shown["players"][2]
    assert mine["saved"] == [{"face": "7/3", "values": [7], "basil": 2}]
    assert (mine["eaten"], mine["basil"], mine["total_so_far"]) == (["9/1"], 2, 7 + 2 + 5)
    assert mine["specials"][0] == {
        "face": "offer/g", "title": "special offer G", "text": "Worth 5 points.", "when": "end",
        "round": 1, "used": False, "kind": None, "score": 5,
    }  # fmt: skip
    assert GAME.view(play(state, Take(3, 1)), None)["may_eat"] == ["11/1", "4/1"]
    tomatoes = GAME.view(having(game(), 2, saved="2/1"), None)["types"][0]
    assert tomatoes["scorers"] == [2]
