"""The board and the pieces: what the packaged file says, and what a wrong file is told."""

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from controller.games.facts import ComponentError, list_facts, parse_table
from controller.games.pizza_theory.components import (
    PLACES,
    Cube,
    line_ends,
    load_components,
    parse_components,
    position_on_board,
    with_own_facts,
)

PACKAGED = files("controller.games.pizza_theory").joinpath("components.toml").read_text(encoding="utf-8")
PIECES = load_components()


def test_the_board_has_37_spaces_in_a_hexagon_of_side_4() -> None:
    expected = {(x, y, -x - y) for x in range(-3, 4) for y in range(-3, 4) if abs(x + y) <= 3}
    assert len(PIECES.spaces) == 37
    assert set(PIECES.spaces.values()) == expected


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_rows_of_4_5_6_7_6_5_4_along_each_axis(axis: int) -> None:
    rows = [sum(at[axis] == value for at in PIECES.spaces.values()) for value in range(-3, 4)]
    assert rows == [4, 5, 6, 7, 6, 5, 4]


def test_columns_are_lettered_from_left_to_right_and_counted_away() -> None:
    for name, at in PIECES.spaces.items():
        right, _ = position_on_board(at)
        assert "abcdefg"[round(right / 0.866) + 3] == name[0]
    for column in "abcdefg":
        away = [position_on_board(at)[1] for name, at in PIECES.spaces.items() if name[0] == column]
        assert away == sorted(away)
        names = [name for name in PIECES.spaces if name[0] == column]
        assert names == [f"{column}{number}" for number in range(1, len(names) + 1)]


def test_corners_and_centre_have_the_names_that_are_documented() -> None:
    assert PIECES.spaces["d4"] == (0, 0, 0)
    assert [PIECES.spaces[name] for name in ("d1", "a4", "g4")] == [place.corner for place in PIECES.places]


def test_neighbours_are_one_space_apart_and_mutual() -> None:
    assert sum(map(len, PIECES.neighbours.values())) == 2 * 90
    for name, neighbours in PIECES.neighbours.items():
        x, y = position_on_board(PIECES.spaces[name])
        for other in neighbours:
            to_x, to_y = position_on_board(PIECES.spaces[other])
            assert abs((to_x - x) ** 2 + (to_y - y) ** 2 - 1) < 0.01
            assert name in PIECES.neighbours[other]


def test_a_turn_of_the_board_brings_each_place_to_the_next() -> None:
    for place, following in zip(PIECES.places, PIECES.places[1:] + PIECES.places[:1], strict=True):
        turned = {(z, x, y) for x, y, z in (PIECES.spaces[name] for name in place.starts)}
        assert turned == {PIECES.spaces[name] for name in following.starts}
        assert following.lines == place.lines
    assert {(z, x, y) for x, y, z in PIECES.spaces.values()} == set(PIECES.spaces.values())


def test_starts_are_the_closest_of_the_six_to_their_place() -> None:
    starts = [name for place in PIECES.places for name in place.starts]
    assert len(set(starts)) == 6

    def distance(name: str, corner: Cube) -> int:
        return max(abs(one - two) for one, two in zip(PIECES.spaces[name], corner, strict=True))

    for place in PIECES.places:
        assert set(sorted(starts, key=lambda name: distance(name, place.corner))[:2]) == set(place.starts)
        first, second = place.starts
        assert second not in PIECES.neighbours[first]


def test_lines_run_between_the_rows_and_cross_no_space() -> None:
    for place in PIECES.places:
        assert [line + 3.5 for line in place.lines] == [1, 2, 3, 4, 5, 6]
        for line in place.lines:
            assert min(abs(at[place.axis] - line) for at in PIECES.spaces.values()) == 0.5


def test_lines_are_numbered_from_left_to_right_before_the_player() -> None:
    for place in PIECES.places:
        corner = position_on_board(place.corner)
        begins = [line_ends(PIECES, place, number)[0] for number in PIECES.numbers]
        # Seen from above, from the left hand to the right hand of who looks to the centre is counter-clockwise.
        first, last = begins[0], begins[-1]
        assert first[0] * last[1] - first[1] * last[0] > 0
        assert all(begin[0] * corner[0] + begin[1] * corner[1] > 0 for begin in begins)


def test_the_example_cuts_make_slices_of_14_10_8_4_and_1() -> None:
    assert sorted((part.bit_count() for part in PIECES.slices[5, 6, 4]), reverse=True) == [14, 10, 8, 4, 1]


def test_places_and_turn_order() -> None:
    assert [PIECES.places[index].name for index in PIECES.turn_order] == list(PLACES)


def test_a_board_whose_turn_order_runs_the_other_way() -> None:
    """The corners stay clockwise; 2nd and 3rd change their sides with all they have there."""
    own = {"board.clockwise": ["1st", "3rd", "2nd"]}
    for here, there in (("2nd", "3rd"), ("3rd", "2nd")):
        data = tomllib.loads(PACKAGED)["place"][there]
        own |= {f"place.{here}.{name}": fact["is"] for name, fact in data.items()}
    pieces = with_own_facts(own)
    assert [place.name for place in pieces.places] == ["1st", "3rd", "2nd"]
    assert pieces.turn_order == (0, 2, 1)
    assert pieces != PIECES


def test_every_fact_has_its_provenance() -> None:
    facts = list(list_facts(parse_table(PACKAGED, "components.toml")))
    assert len(facts) == 3 + 1 + 3 * 4 + 37
    by_rule = {f"{fact.piece}.{fact.name}" for fact in facts if fact.provenance == "rules"}
    assert by_rule == {"topping.each", "colours.names", "die.numbers"}


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("is = 16", "is = 0", "topping.each: 0 is no whole number from 1 to 99"),
        ('["red", "green", "white"]', '["red", "red", "white"]', "colours.names: .* are not three different words"),
        ('["red", "green", "white"]', '["red", "green", 3]', "colours.names: .* are not three different words"),
        ('["1st", "2nd", "3rd"]', '["1st", "2nd", "2nd"]', "board.clockwise: .* is not 1st, 2nd, 3rd in some order"),
        ('["1st", "2nd", "3rd"]', '["1st", "3rd", "2nd"]', "place.3rd.corner: .* is not 120 degrees clockwise of 1st"),
        ("corner = { is = [0, 3, -3]", "corner = { is = [3, 0, -3]", "lines of constant x do not run towards it"),
        ("corner = { is = [0, 3, -3]", "corner = { is = [0, 3, 3]", "place.1st.corner: .* add up to 0"),
        ('axis = { is = "x"', 'axis = { is = "w"', "place.1st.axis: 'w' is none of x, y, z"),
        ("[-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]", "[-2.5, -1.5, -0.5, 0.5, 1.5]", "are not 6 numbers with a decimal"),
        ("[-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]", "[-2.5, -1.5, -0.5, 0.5, 1.5, 1.5]", "are not in order"),
        ("[-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]", "[-2.5, -1.5, -0.5, 0.0, 1.5, 2.5]", "0.0 is not between rows"),
        ("[-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]", "[-3.5, -1.5, -0.5, 0.5, 1.5, 2.5]", "-3.5 is not between rows"),
        ('["c2", "e2"]', '["c2", "z2"]', "place.1st.starts: .* are not two spaces of the board"),
        ('["c2", "e2"]', '["c2"]', "place.1st.starts: .* are not two spaces of the board"),
        ('["c2", "e2"]', '["c2", "b3"]', "the start 'b3' is there twice"),
        ("a1 = ", "A1 = ", "space.A1: a space is named by a letter and a number"),
        ("a1 = { is = [-3, 3, 0]", "a1 = { is = [-3, 2, 1]", "space.a2: .* is another space's place, too"),
        ("a1 = { is = [-3, 3, 0]", "a1 = { is = [-3, 3]", "space.a1: .* are not three numbers that add up to 0"),
        ("a1 = { is = [-3, 3, 0]", "a1 = { is = [-3, 3, 0.0]", "space.a1: 0.0 is no whole number"),
        ("[space]", "[spaces]", "space: missing"),
        ("[space]", "[space", "no TOML"),
    ],
)
def test_a_wrong_fact_is_named_with_file_key_and_value(old: str, new: str, problem: str) -> None:
    assert old in PACKAGED
    with pytest.raises(ComponentError, match=f"pieces.toml: .*{problem}"):
        parse_components(PACKAGED.replace(old, new, 1), "pieces.toml")


def test_a_file_with_all_pieces(tmp_path: Path) -> None:
    path = tmp_path / "all.toml"
    path.write_text(PACKAGED, encoding="utf-8")
    assert load_components(path).spaces == PIECES.spaces


@pytest.mark.parametrize(
    ("own", "problem"),
    [
        ([], r"own: \[\] is no mapping of facts"),
        ({"place.4th.starts": ["a1", "a3"]}, "own: 'place.4th.starts' is no fact; expected one such as"),
        ({"die.numbers": 8}, "own: die.numbers: 8 cannot be, the rules say 6"),
        ({"place.1st.starts": "a1"}, "own: place.1st.starts: 'a1' is no list"),
        ({"place.1st.starts": ["a1", 3]}, "own: place.1st.starts: .* are not two spaces of the board"),
        ({"space.a1": None}, "own: space.a1: None is no list"),
    ],
)
def test_a_wrong_fact_of_ones_own_is_named(own: Any, problem: str) -> None:
    with pytest.raises(ComponentError, match=problem):
        with_own_facts(own, "own")
