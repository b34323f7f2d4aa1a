"""The referee's protocol: in the process, and from outside as another program sees it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest

from controller.cli.referee import serve
from controller.protocol import LONGEST_REQUEST, VERSION, Session
from controller.records.loading import load_record

RING = ["3/1", "7/1", "7/2", "11/1", "4/1", "5/1", "5/2", "9/1", "9/2", "6/1", "anchovy"]
NEW = {"do": "new", "game": "new_york_slice", "players": 3}


class Client:
    """Asks a session and looks at the answers."""

    def __init__(self) -> None:
        self.session = Session("1.2.3")

    def raw(self, request: Any) -> Any:
        text = self.session.answer(request if isinstance(request, str) else json.dumps(request))
        assert "\n" not in text
        return json.loads(text)

    def ask(self, do: str, **rest: Any) -> Any:
        answer = self.raw({"do": do, **rest})
        assert answer["ok"], answer
        return answer

    def fail(self, request: Any) -> tuple[str, str]:
        """Code and message of a request that must fail, and that has changed nothing."""
        before = self.raw({"do": "record"})
        answer = self.raw(request)
        assert not answer["ok"], answer
        assert self.raw({"do": "record"}) == before
        return answer["error"]["code"], answer["error"]["message"]


@pytest.fixture
def client() -> Client:
    return Client()


@pytest.fixture
def game(client: Client) -> Client:
    """A game of three with the pizza divided."""
    client.ask("new", game="new_york_slice", players=["Ann", "Ben", "Cara"])
    client.ask("play", notation="stack 3")
    client.ask("play", move={"move": "pizza", "special": "special/buffet", "ring": RING})
    client.ask("play", notation=f"divide {' '.join(RING[:2])} + special | {' '.join(RING[2:5])} | {' '.join(RING[5:])}")
    return client


def test_version_and_games(client: Client) -> None:
    assert client.ask("version") == {"ok": True, "protocol": VERSION, "program": "1.2.3"}
    games = {entry["game"]: entry for entry in client.ask("games")["games"]}
    assert games["new_york_slice"]["title"] == "New York Slice"
    assert games["new_york_slice"]["players"] == [2, 3, 4, 5, 6]
    option = next(one for one in games["new_york_slice"]["options"] if one["name"] == "sneak_may_empty")
    assert option["default"] is False
    assert option["choices"] == [False, True]


def test_an_id_comes_back(client: Client) -> None:
    assert client.raw({"id": 7, "do": "version"})["id"] == 7
    assert client.raw({"id": "a", "do": "legal"})["id"] == "a"
    assert client.raw({"id": 7, "do": "nonsense"})["id"] == 7
    assert "id" not in client.raw({"id": [1], "do": "version"})


def test_without_a_seed_chance_is_played_by_the_client(client: Client) -> None:
    answer = client.ask("new", game="new_york_slice", players=3, first=2)
    assert answer["turn"] == {"actor": "players", "players": [2], "prompt": "Player 2 slices: choose a stack"}
    answer = client.ask("play", notation="stack 3")
    assert answer["turn"]["actor"] == "chance"
    assert client.ask("legal")["moves"] == []
    answer = client.ask("play", notation=f"pizza buffet: {' '.join(RING)}")
    assert answer["played"] == [{"notation": f"pizza buffet: {' '.join(RING)}", "by": "chance"}]
    assert answer["moves"] == 2


def test_with_a_seed_the_referee_draws(client: Client) -> None:
    client.ask("new", game="new_york_slice", players=3, seed=5)
    played = client.ask("play", notation="stack 3")["played"]
    assert [move["by"] for move in played] == ["player", "chance"]
    assert client.ask("undo")["moves"] == 0
    assert client.ask("play", notation="stack 3")["played"] == played
    client.ask("new", game="new_york_slice", players=3, seed=6)
    assert client.ask("play", notation="stack 3")["played"] != played


def test_legal_moves_are_objects_and_notation(game: Client) -> None:
    answer = game.ask("legal")
    assert answer["moves"][1] == {"notation": "P2 takes B", "move": {"move": "take", "player": 2, "portion": 1}}
    assert not answer["more"]
    assert game.ask("legal", limit=2) == {"ok": True, "moves": answer["moves"][:2], "more": True}


def test_explain_says_why_not(game: Client) -> None:
    assert game.ask("explain", notation="P2 takes A") == {"ok": True, "legal": True, "refusal": None}
    for move in ({"notation": "P3 takes A"}, {"move": {"move": "take", "player": 3, "portion": 0}}):
        refusal = game.ask("explain", **move)["refusal"]
        assert refusal["heading"] == "Next player chooses"
        assert refusal["problem"] == "It is not player 3's turn to choose."
        assert refusal["remedy"] == "Player 2 chooses next; put the portion back."


def test_an_illegal_move_changes_nothing_and_says_why(game: Client) -> None:
    code, message = game.fail({"do": "play", "notation": "P3 takes A"})
    assert code == "illegal_move"
    assert message.startswith("Next player chooses: It is not player 3's turn")
    answer = game.raw({"do": "play", "move": {"move": "take", "player": 3, "portion": 0}})
    assert answer["error"]["refusal"]["heading"] == "Next player chooses"


def test_view_position_and_score(game: Client) -> None:
    assert game.ask("view")["view"]["slicer"] == 1
    assert game.ask("view", player=2)["view"]["phase"] == "choose"
    told = game.ask("position")
    assert told["position"]["pizza"] == RING
    answer = game.ask("score")
    assert [sheet["player"] for sheet in answer["scores"]] == [1, 2, 3]
    assert {"label": "Special*", "points": 0, "detail": ""} in answer["scores"][0]["lines"]
    assert answer["winners"] == []


def test_a_position_is_set_up(game: Client) -> None:
    told = game.ask("position")
    other = Client()
    other.ask("setup", game="new_york_slice", players=3, position=told["position"])
    assert other.ask("position") == told
    assert other.ask("record")["record"].count("[Position {") == 1
    other.ask("play", notation="P2 takes B")
    assert load_record(other.ask("record")["record"]).state == load_record(_continued(game)).state


def _continued(game: Client) -> str:
    game.ask("play", notation="P2 takes B")
    record: str = game.ask("record")["record"]
    return record


def test_advice_is_for_who_must_act(game: Client) -> None:
    advice = game.ask("advise")["advice"]
    assert advice == game.ask("advise", player=2)["advice"]
    assert advice[0]["notation"].startswith("P2 takes")
    assert advice[0]["reason"]
    game.ask("play", move=advice[0]["move"])


def test_undo_takes_back_as_many_as_it_is_told(game: Client) -> None:
    assert game.ask("undo", moves=2)["moves"] == 1
    assert game.ask("undo")["moves"] == 0
    assert game.fail({"do": "undo"}) == ("nothing_to_undo", "moves: 1 are too many; 0 can be taken back")


def test_the_record_holds_names_rulings_and_corrections(game: Client) -> None:
    game.ask("play", notation="P2 takes A")
    game.ask("undo")
    game.ask("play", notation="P2 takes B", ruling=True)
    text = game.ask("record", notes={"Date": "2026-11-20"})["record"]
    assert text.endswith("4. P2 takes A\nundo 4\n4! P2 takes B\n*\n")
    assert '[Players ["Ann", "Ben", "Cara"]]' in text
    assert load_record(text).record.header.notes == {"Date": "2026-11-20"}


def test_a_new_game_replaces_the_old_one(game: Client) -> None:
    assert game.ask("new", game="new_york_slice", players=2)["moves"] == 0
    assert "1." not in game.ask("record")["record"]


@pytest.mark.parametrize(
    ("request_", "code", "message"),
    [
        ("", "not_json", "no JSON"),
        ("{", "not_json", "column 2: no JSON"),
        ("[" * 100_000, "not_json", "nested deeper"),
        ('{"do": "view", "player": NaN}', "not_json", "NaN"),
        ('{"do": "view", "do": "view"}', "not_json", "'do' stands twice"),
        ('{"do": "view", "x": "\\ud800"}', "not_json", "surrogate"),
        ('{"do": "undo", "moves": ' + "9" * 5000 + "}", "not_json", "digits"),
        ("1", "bad_request", "a request: got 1, expected an object with the key do"),
        ("[]", "bad_request", "a request: got [], expected an object with the key do"),
        ({}, "bad_request", "do: missing; expected one of version, games, new"),
        ({"do": "dance"}, "bad_request", "do: 'dance' is none of version, games, new"),
        ({"do": ["view"]}, "bad_request", "do: ['view'] is none of version"),
        ({"do": "view", "players": 1}, "bad_request", "players: unknown key; expected id, do, player"),
        ({"do": "view", "player": "1"}, "bad_request", "player: got '1', expected a whole number"),
        ({"do": "view", "player": True}, "bad_request", "player: got true, expected a whole number"),
        ({"do": "view", "view": 1, "player": "x"}, "bad_request", "player: got 'x', expected a whole number"),
        ({"do": "version", "id": 1.5}, "bad_request", "id: got 1.5, expected a whole number or text"),
        ({"do": "version", "id": {"int": 1}}, "bad_request", "id: got {'int': 1}, expected a whole number or text"),
        ({"do": "version", "id": "x" * 101}, "bad_request", "id: got '" + "x" * 78 + "…, expected at most 100 char"),
        ({"do": "view", "player": 4}, "bad_request", "player: 4 is none of the players 1 to 3"),
        ({"do": "legal", "limit": 0}, "bad_request", "limit: got 0, expected greater than or equal to 1"),
        ({"do": "play"}, "bad_request", "move, notation: neither is there, expected one of the two keys"),
        ({"do": "play", "move": {}, "notation": "x"}, "bad_request", "move, notation: both are there"),
        ({"do": "play", "notation": "x"}, "bad_move", "'x' is no move"),
        ({"do": "play", "move": {"move": "take"}}, "bad_move", "take.player: missing"),
        ({"do": "play", "move": {}}, "bad_move", "move: missing; expected one of stack, "),
        ({"do": "play", "move": {"move": "stack", "stack": "1"}}, "bad_move", "stack.stack: '1' is no whole number"),
        ({"do": "explain", "notation": "x"}, "bad_move", "'x' is no move"),
        ({"do": "advise", "player": 1}, "not_now", "Player 2 chooses a portion"),
        ({"do": "undo", "moves": 9}, "nothing_to_undo", "3 can be taken back"),
        (
            {"do": "record", "notes": {"a b": "x"}},
            "bad_request",
            "notes.a b: got 'a b', expected text that matches ^[A-Z]",
        ),
        ({"do": "record", "notes": {"Date": 3}}, "bad_request", "notes.Date: got 3, expected text"),
        ({"do": "record", "notes": {"Game": "x"}}, "bad_request", "notes.Game: a tag that each record has of its own"),
        ({"do": "record", "notes": {"Date": "a\nb"}}, "bad_request", r"notes.Date: got 'a\nb', expected at most"),
        ({**NEW, "game": "chess"}, "unknown_game", "'chess' is no game"),
        ({**NEW, "game": "../x"}, "unknown_game", "'../x' is no game"),
        ({**NEW, "players": 9}, "bad_option", "players: 9"),
        ({**NEW, "players": ["Ann", "\x1b"]}, "bad_request", "is no name"),
        ({**NEW, "players": ["Ann", "\u3164"]}, "bad_request", "is no name"),
        ({**NEW, "players": "three"}, "bad_request", "players: got 'three', expected a whole number or a list"),
        ({**NEW, "players": [1, 2, 3]}, "bad_request", "players[0]: got 1, expected text"),
        ({**NEW, "players": ["A", 2]}, "bad_request", "players[1]: got 2, expected text"),
        ({**NEW, "players": 0}, "bad_request", "players: got 0, expected greater than or equal to 1"),
        ({**NEW, "players": []}, "bad_request", "players: got [], expected at least 1 element"),
        ({**NEW, "players": ["A", "A", "B"]}, "bad_request", "players: 'A' is player 1 and 'A' is player 2: in one"),
        ({**NEW, "players": ["A", "B", "a"]}, "bad_request", "players: 'A' is player 1 and 'a' is player 3: in one"),
        ({**NEW, "first": 4}, "bad_option", "first: 4"),
        ({**NEW, "options": {"x": 1}}, "bad_option", "option x: unknown"),
        ({**NEW, "options": {"components": "/dev/zero"}}, "bad_option", "option components: '/dev/zero' is no object"),
        ({**NEW, "do": "setup", "position": {"x": 1}}, "bad_position", "position.x: unknown key"),
        ({**NEW, "do": "setup"}, "bad_request", "position: missing"),
    ],
)
def test_a_bad_request_gets_an_error_and_changes_nothing(game: Client, request_: Any, code: str, message: str) -> None:
    found, said = game.fail(request_)
    assert found == code
    assert message in said


def test_nothing_can_be_asked_of_no_game(client: Client) -> None:
    for do in ("legal", "undo", "view", "position", "score", "advise", "record"):
        assert client.raw({"do": do})["error"]["code"] == "no_game"
    assert client.raw({"do": "play", "notation": "x"})["error"]["code"] == "no_game"


def test_a_request_that_is_too_long_is_refused_without_being_kept() -> None:
    answers = BytesIO()
    long = b'{"do": "version", "id": "' + b"x" * (2 * LONGEST_REQUEST) + b'"}\n'
    serve(
        Session("1"), BytesIO(long + b'\n  \r\n{"do": "version"}\n\xff\n{"do": "quit"}\n{"do": "version"}\n'), answers
    )
    codes = [answer.get("error", {}).get("code") for answer in map(json.loads, answers.getvalue().splitlines())]
    assert codes == ["not_json", None, "not_json", None]


def test_a_request_that_is_too_long_only_in_utf_8_is_not_called_broken() -> None:
    answers = BytesIO()
    request = '{"do": "version", "id": "' + "ü" * (LONGEST_REQUEST * 3 // 4) + '"}\n'
    serve(Session("1"), BytesIO(request.encode()), answers)
    assert f"more than {LONGEST_REQUEST} bytes" in json.loads(answers.getvalue())["error"]["message"]


# From outside ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def process() -> Iterator[subprocess.Popen[str]]:
    code = "import sys; from controller.cli import main; sys.argv = ['pizzatable', 'referee']; main()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.kill()


def test_another_program_plays_a_whole_game(process: "subprocess.Popen[str]") -> None:
    """One answer a request, each before the next request is sent."""
    stdin, stdout = process.stdin, process.stdout
    assert stdin is not None
    assert stdout is not None

    def ask(**request: Any) -> Any:
        stdin.write(json.dumps(request) + "\n")
        stdin.flush()
        return json.loads(stdout.readline())

    assert ask(do="version")["protocol"] == VERSION
    status = ask(do="new", game="new_york_slice", players=2, seed=1)
    assert not ask(do="play", notation="P1 takes A")["ok"]
    while status["turn"]["actor"] == "players":
        move = ask(do="legal", limit=5)["moves"][-1]
        status = ask(do="play", move=move["move"])
        assert status["ok"]
    assert status["winners"]
    record = ask(do="record")["record"]
    assert load_record(record).record.result is not None
    assert ask(do="quit") == {"ok": True}
    output, errors = process.communicate(timeout=30)
    assert (output, errors, process.returncode) == ("", "", 0)


def test_it_ends_with_its_input(process: "subprocess.Popen[str]") -> None:
    output, errors = process.communicate('{"do": "version"}', timeout=30)
    assert json.loads(output)["ok"]
    assert (errors, process.returncode) == ("", 0)
