import asyncio
import base64
import hashlib
import json
import re
import threading
from collections.abc import Mapping
from typing import Any, Never

import cv2
import httpx
import numpy as np
import pytest
from fastapi import FastAPI

from controller.addresses import NotReachable
from controller.views import DoubtView, PictureView, TableView
from controller.web.hub import Hub
from controller.web.pages import STATIC, page_text
from controller.web.qr import qr_svg
from tests.controller.web.fixture_views import breach, question, ring_served
from tests.controller.web.table import TOKEN, NotingCommands, NotingShelf, make_app, until
from vision.reports.drawing import LEGEND

TOLD = PictureView(
    sequence=7, age_s=0.4, late_s=2.0, why_not_read="", pieces=3, doubtful=1, remembered=0, hidden=["hand", "glare"],
    doubts=[DoubtView(face="jalapeño/2", likelihood=0.62, x_mm=-12.5, y_mm=40.0)],
)  # fmt: skip


def request(
    app: FastAPI,
    method: str,
    path: str,
    *,
    client: str = "192.0.2.7",
    base_url: str = "http://table.local:8080",
    **arguments: Any,
) -> httpx.Response:
    """One request from another machine on the LAN (or from `client`)."""

    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=(client, 40000))
        async with httpx.AsyncClient(transport=transport, base_url=base_url) as session:
            return await session.request(method, path, **arguments)

    return asyncio.run(send())


def host(app: FastAPI, path: str, body: object = None, headers: Mapping[str, str] | None = None) -> httpx.Response:
    return request(app, "POST", path, json=body, headers={"X-Host-Token": TOKEN} | dict(headers or {}))


def published(view: TableView) -> Hub:
    hub = Hub()
    hub.publish(view)
    return hub


class TestState:
    def test_is_the_newest_view(self) -> None:
        response = request(make_app(published(question())), "GET", "/api/state")
        assert response.status_code == 200
        assert TableView.model_validate_json(response.content) == question()
        assert response.headers["cache-control"] == "no-store"

    def test_before_the_first_view_is_a_named_problem(self) -> None:
        response = request(make_app(), "GET", "/api/state")
        assert response.status_code == 503
        assert response.headers["content-type"] == "application/problem+json"
        assert response.json()["detail"] == "The table has shown nothing yet."

    def test_health_names_the_lost_part(self) -> None:
        assert request(make_app(), "GET", "/api/health").json()["status"] == "starting"
        assert request(make_app(published(breach())), "GET", "/api/health").json()["status"] == "ok"
        health = request(make_app(published(question())), "GET", "/api/health").json()
        assert health["status"] == "degraded"
        assert health["seq"] == 59
        assert health["parts"]["panel"]["text"].startswith("No answer on /dev/ttyACM0")


class TestGames:
    def test_are_listed_for_anybody_with_their_options(self) -> None:
        listed = request(make_app(), "GET", "/api/games").json()
        assert (listed["playing"], listed["players"]) == ("new_york_slice", 4)
        pizzeria = next(game for game in listed["games"] if game["game"] == "pizzeria")
        assert (pizzeria["title"], pizzeria["players"], pizzeria["why_not"]) == ("Pizzeria", [2, 3, 4, 5, 6], "")
        advanced = next(option for option in pizzeria["options"] if option["name"] == "advanced")
        assert (advanced["choices"], advanced["value"]) == ([False, True], False)
        assert next(game for game in listed["games"] if game["game"] == "slice")["why_not"] == "its faces are missing"

    def test_only_the_host_chooses(self) -> None:
        shelf = NotingShelf()
        body = {"game": "slice", "options": {"pizzas": 1}, "players": 2}
        assert request(make_app(shelf=shelf), "POST", "/api/play_game", json=body).status_code == 403
        assert shelf.asked == []
        assert host(make_app(shelf=shelf), "/api/play_game", body).status_code == 204
        assert shelf.asked == [("slice", {"pizzas": 1}, 2)]

    def test_what_cannot_be_played_is_refused_with_its_reason(self) -> None:
        response = host(make_app(), "/api/play_game", {"game": "pizzeria", "options": {"solo": True}})
        assert response.status_code == 422
        assert response.json()["detail"] == "option solo: True with 4 players; expected 2"
        assert host(make_app(), "/api/play_game", {"game": "pizzeria", "players": 0}).status_code == 422


def nowhere(port: int) -> Never:
    raise NotReachable(f"no network for port {port}")


class TestAddress:
    """The addresses that a page shows to phones."""

    def asked(self, path: str = "/api/address", **arguments: Any) -> Any:
        return request(make_app(**arguments.pop("app", {})), "GET", path, **arguments).json()

    def test_what_led_another_machine_here_leads_a_phone_here(self) -> None:
        for origin in ("http://table.home.arpa:8080", "http://10.0.0.7", "http://[fd00::1]:9000"):
            shown = self.asked(base_url=origin)
            assert (shown["address"], shown["why_not"]) == (f"{origin}/", "")
            assert shown["qr"] == qr_svg(f"{origin}/")

    def test_a_page_on_the_tables_own_machine_shows_its_address_on_the_lan(self) -> None:
        for origin in ("http://127.0.0.1:8080", "http://localhost:8080", "http://raspberrypi:8080"):
            assert self.asked(base_url=origin, client="127.0.0.1")["address"] == "http://192.168.1.20:8080/"

    @pytest.mark.parametrize("name", ["table.local", "TABLE.LOCAL", "raspberrypi"])
    def test_a_name_that_many_phones_do_not_find_is_not_shown_them(self, name: str) -> None:
        named: dict[str, Any] = {"base_url": "http://192.168.1.20:8080", "headers": {"Host": f"{name}:8080"}}
        assert self.asked(**named)["address"] == "http://192.168.1.20:8080/"
        own = {"base_url": "http://127.0.0.1:8080", "client": "127.0.0.1"}
        passed_on: dict[str, Any] = own | {"app": {"reached": nowhere}}
        shown = self.asked(headers={"Host": name, "Via": "1.1 table"}, **passed_on)
        assert shown["address"] == f"http://{name}/", "there it is all that is known"

    def test_what_a_proxy_passes_on_names_where_it_came_from_if_it_can(self) -> None:
        passed_on = {"X-Forwarded-For": "192.0.2.7"}
        shown = self.asked(base_url="http://pizza.example:80", client="127.0.0.1", headers=passed_on)
        assert shown["address"] == "http://pizza.example/"
        shown = self.asked(base_url="http://127.0.0.1:8080", client="127.0.0.1", headers=passed_on)
        assert shown["address"] == "http://192.168.1.20:8080/"

    @pytest.mark.parametrize("named", ["[::1", "a b", "table/?host=x#", "me@table", "table:port", "x" * 300, "ä"])
    def test_a_host_header_that_names_no_host_is_not_shown(self, named: str) -> None:
        shown = self.asked(headers={"Host": named.encode()})
        assert shown["address"] == "http://192.168.1.20:8080/"

    def test_where_there_is_none_it_is_said(self) -> None:
        shown = self.asked(base_url="http://127.0.0.1:8080", client="127.0.0.1", app={"reached": nowhere})
        assert shown == {"address": "", "qr": "", "why_not": "no network for port 8080"}

    def test_the_token_is_for_the_host_alone(self) -> None:
        token = TOKEN.replace(" ", "%20")
        refused = request(make_app(), "GET", "/api/host_address")
        assert (refused.status_code, "correct" in refused.text) == (403, False)
        rebound = {"base_url": "http://evil.example:8080", "client": "127.0.0.1"}
        assert request(make_app(), "GET", "/api/host_address", **rebound).status_code == 403
        assert "correct" not in json.dumps(self.asked())
        shown = self.asked("/api/host_address", headers={"X-Host-Token": TOKEN})
        assert shown["address"] == f"http://192.168.1.20:8080/?host={token}"
        here = self.asked("/api/host_address", base_url="http://localhost:8080", client="127.0.0.1")
        assert here["address"] == f"http://192.168.1.20:8080/?host={token}"

    def test_it_is_kept_by_no_browser(self) -> None:
        for path in ("/api/address", "/api/host_address"):
            answer = request(make_app(), "GET", path, headers={"X-Host-Token": TOKEN})
            assert answer.headers["cache-control"] == "no-store"


class TestPicture:
    def test_is_the_newest(self) -> None:
        response = request(make_app(picture=lambda: (b"\xff\xd8jpeg", TOLD)), "GET", "/api/picture")
        assert (response.content, response.headers["content-type"]) == (b"\xff\xd8jpeg", "image/jpeg")

    def test_what_was_read_travels_with_it(self) -> None:
        response = request(make_app(picture=lambda: (b"jpeg", TOLD)), "GET", "/api/picture")
        assert PictureView.model_validate_json(response.headers["x-picture"]) == TOLD

    def test_the_description_says_what_travels_with_it(self) -> None:
        described = make_app().openapi()["paths"]["/api/picture"]["get"]["responses"]["200"]["headers"]["X-Picture"]
        schema = described["content"]["application/json"]["schema"]
        assert schema["properties"].keys() == PictureView.model_fields.keys()
        assert schema["properties"]["doubts"]["items"]["properties"].keys() == {"face", "likelihood", "x_mm", "y_mm"}
        assert "$ref" not in json.dumps(schema)

    def test_the_legend_is_that_of_the_drawing(self) -> None:
        legend = request(make_app(), "GET", "/api/legend").json()
        assert [(mark["name"], mark["meaning"]) for mark in legend] == [(n, m.meaning) for n, m in LEGEND.items()]
        for mark in legend:
            assert mark["swatch"].startswith("data:image/png;base64,")
            swatch = cv2.imdecode(np.frombuffer(base64.b64decode(mark["swatch"].partition(",")[2]), np.uint8), 1)
            assert swatch is not None
            blue, green, red = LEGEND[mark["name"]].colour
            assert mark["colour"] == f"#{red:02x}{green:02x}{blue:02x}"
            assert (swatch == (blue, green, red)).all(-1).any()

    def test_none_now_is_a_named_problem_which_says_nothing_of_earlier_ones(self) -> None:
        response = request(make_app(), "GET", "/api/picture")
        assert (response.status_code, response.json()["detail"]) == (503, "There is no picture from the camera now.")

    def test_many_at_once_draw_one(self) -> None:
        drawn: list[int] = []
        may_draw = threading.Event()

        def draw() -> tuple[bytes, PictureView]:
            drawn.append(1)
            assert may_draw.wait(5)
            return b"picture", TOLD

        async def scenario() -> list[bytes]:
            transport = httpx.ASGITransport(make_app(picture=draw))
            async with httpx.AsyncClient(transport=transport, base_url="http://table.local") as session:
                asked = [asyncio.create_task(session.get("/api/picture")) for _ in range(20)]
                await until(lambda: drawn)
                for _ in range(200):
                    await asyncio.sleep(0)
                may_draw.set()
                return [response.content for response in await asyncio.gather(*asked)]

        assert asyncio.run(scenario()) == [b"picture"] * 20
        assert len(drawn) == 1


class TestCommands:
    @pytest.mark.parametrize(
        ("path", "body", "asked"),
        [
            ("/api/answer", {"question_id": 7, "candidate_id": 1}, ("answer", 7, 1)),
            ("/api/undo", None, ("undo",)),
            ("/api/pause", None, ("pause",)),
            ("/api/resume", None, ("resume",)),
            ("/api/rule_move", {"text": "A"}, ("rule_move", "A")),
            ("/api/rename", {"seat": 4, "name": "Bo"}, ("rename", [(4, "Bo")])),
            (
                "/api/rename",
                {"seat": 4, "name": "Bo", "others": [{"seat": 1, "name": "Anna"}]},
                ("rename", [(4, "Bo"), (1, "Anna")]),
            ),
            (
                "/api/new_game",
                {"players": [{"seat": 1, "name": "Anna"}, {"seat": 4, "name": "Bo"}], "options": {"x": 1}, "first": 4},
                ("new_game", [(1, "Anna"), (4, "Bo")], {"x": 1}, 4),
            ),
        ],
    )
    def test_reach_the_table(self, path: str, body: dict[str, Any] | None, asked: tuple[Any, ...]) -> None:
        commands = NotingCommands()
        response = host(make_app(commands=commands), path, body)
        assert (response.status_code, response.content) == (204, b"")
        assert commands.asked == [asked]

    def test_who_asks_and_what_was_seen_go_along(self) -> None:
        commands = NotingCommands()
        name = {"X-Host-Name": "Zo%C3%AB%20%F0%9F%8D%95"}
        host(make_app(commands=commands), "/api/undo", {"number": 3, "last": 12}, headers=name)
        host(make_app(commands=commands), "/api/rule_move", {"text": "A", "last": 0}, headers=name)
        host(make_app(commands=commands), "/api/answer", {"question_id": 7, "candidate_id": 1}, headers=name)
        host(make_app(commands=commands), "/api/rename", {"seat": 4, "name": "Bo", "number": 3}, headers=name)
        host(make_app(commands=commands), "/api/undo")
        assert commands.by == ["Zoë 🍕"] * 4 + [""]
        assert commands.seen == [(3, 12), (None, 0), (None, None), (3, None), (None, None)]

    def test_what_is_no_json_is_said_to_be_none(self) -> None:
        response = request(
            make_app(),
            "POST",
            "/api/rename",
            content="{",
            headers={"X-Host-Token": TOKEN, "Content-Type": "application/json"},
        )
        assert response.status_code == 422
        assert response.json()["detail"].startswith("body: got what is no JSON at character 1 (")

    @pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
    def test_a_hosts_name_that_is_not_percent_encoded_is_not_guessed(self, encoding: str) -> None:
        commands = NotingCommands()
        headers = {b"X-Host-Token": TOKEN.encode(), b"X-Host-Name": "Zoë".encode(encoding)}
        response = request(make_app(commands=commands), "POST", "/api/undo", headers=headers)
        assert (response.status_code, commands.asked) == (422, [])
        assert response.json()["detail"].endswith("as percent-encoded UTF-8")

    @pytest.mark.parametrize("name", ["", "%FF", "a%0Ab", "x" * 41, "%E2%80%AEevil", "%E2%80%8B"])
    def test_a_hosts_name_that_does_not_show_is_named(self, name: str) -> None:
        commands = NotingCommands()
        response = host(make_app(commands=commands), "/api/undo", headers={"X-Host-Name": name})
        assert response.status_code == 422
        assert response.json()["detail"].startswith(f"X-Host-Name: {name!r}: expected 1 to 40 characters")
        assert commands.asked == []

    def test_what_could_be_ruled_is_the_hosts_to_know(self) -> None:
        for given, status in (({"X-Host-Token": TOKEN}, 200), ({}, 403)):
            response = request(make_app(), "GET", "/api/moves?words=A&most=1", headers=given)
            assert response.status_code == status
            assert status != 200 or response.json() == ["A 8/1"]

    def test_a_refusal_says_why(self) -> None:
        commands = NotingCommands()
        commands.refusal = "There is nothing to undo."
        response = host(make_app(commands=commands), "/api/undo")
        assert (response.status_code, response.json()["detail"]) == (409, "There is nothing to undo.")

    def test_an_invalid_command_names_the_value(self) -> None:
        response = host(make_app(), "/api/rule_move", {"text": "??"})
        assert response.status_code == 422
        assert response.json()["detail"] == "'??' is no move; expected notation such as 'A 8/1'"

    @pytest.mark.parametrize(
        ("body", "where", "value"),
        [
            ({"question_id": "seven", "candidate_id": 1}, "body.question_id", "'seven'"),
            ({"candidate_id": 1}, "body.question_id", "nothing"),
            ({"question_id": 1, "candidate_id": 1, "colour": "red"}, "body.colour", "'red'"),
            ([], "body", "[]"),
        ],
    )
    def test_a_wrong_body_is_named(self, body: Any, where: str, value: str) -> None:
        response = host(make_app(), "/api/answer", body)
        problem = response.json()
        assert response.status_code == 422
        assert (problem["errors"][0]["where"], problem["errors"][0]["value"]) == (where, value)
        assert problem["errors"][0]["expected"]
        assert where in problem["detail"]

    @pytest.mark.parametrize(
        ("path", "body", "where"),
        [
            ("answer", {"question_id": 1, "candidate_id": "?"}, "body.candidate_id"),
            ("undo", {"number": "?"}, "body.number"),
            ("rule_move", {"text": "A", "last": "?"}, "body.last"),
            ("rename", {"seat": "?", "name": "Bo"}, "body.seat"),
            ("new_game", {"players": [{"seat": "?", "name": "Bo"}]}, "body.players.0.seat"),
            ("new_game", {"players": [{"seat": 1, "name": "Bo"}], "first": "?"}, "body.first"),
            ("play_game", {"game": "slice", "players": "?"}, "body.players"),
        ],
    )
    @pytest.mark.parametrize("value", [True, "2", 2.0])
    def test_what_is_not_written_as_a_whole_number_is_none(self, path: str, body: Any, where: str, value: Any) -> None:
        commands = NotingCommands()
        sent = json.loads(json.dumps(body).replace('"?"', json.dumps(value)))
        response = host(make_app(commands=commands), f"/api/{path}", sent)
        assert response.status_code == 422
        shown = "true" if value is True else repr(value)
        assert response.json()["errors"] == [{"where": where, "value": shown, "expected": "a whole number"}]
        assert commands.asked == []

    @pytest.mark.parametrize("name", ["", "  ", "Bo\nAnna", "\x1b[2J", "Bo\u202eannA", "B" * 41, "\u200b", "\u3164"])
    def test_a_name_that_does_not_show_as_it_is_is_named(self, name: str) -> None:
        response = host(make_app(), "/api/rename", {"seat": 4, "name": name})
        assert response.status_code == 422
        assert response.json()["errors"][0]["where"] == "body.name"
        assert "pattern" not in response.json()["detail"]

    def test_what_a_name_cannot_have_is_said_in_words(self) -> None:
        response = host(make_app(), "/api/rename", {"seat": 4, "name": "a\nb"})
        expected = r"body.name: got 'a\nb', expected: text without '\n', which cannot be shown"
        assert response.json()["detail"] == expected

    @pytest.mark.parametrize(("said", "kept"), [(" Ødegård  李 ", "Ødegård 李"), ("👩\u200d🍳 Mia", "👩\u200d🍳 Mia")])
    def test_blanks_around_a_name_are_none_of_it_and_in_it_they_are_one(self, said: str, kept: str) -> None:
        commands = NotingCommands()
        assert host(make_app(commands=commands), "/api/rename", {"seat": 4, "name": said}).status_code == 204
        assert commands.asked == [("rename", [(4, kept)])]

    @pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"null", b'{"question_id": 1e999}', b"[" * 30000])
    def test_any_bytes_are_a_named_problem(self, body: bytes) -> None:
        app = make_app()
        headers = {"X-Host-Token": TOKEN, "Content-Type": "application/json"}
        response = request(app, "POST", "/api/answer", content=body, headers=headers)
        assert response.status_code in {400, 422}
        assert "Traceback" not in response.text
        assert response.json()["detail"]

    def test_a_body_that_is_not_said_to_be_json_is_told_which_header_says_so(self) -> None:
        headers = {"X-Host-Token": TOKEN}
        response = request(make_app(), "POST", "/api/answer", content=b'{"question_id": 1}', headers=headers)
        assert response.status_code == 422
        assert "the header Content-Type: application/json" in response.json()["detail"]

    @pytest.mark.parametrize("options", ['{"\\ud800": 1}', '{"draw_limit": NaN}', '{"a": ' + 60 * "[" + 60 * "]" + "}"])
    @pytest.mark.parametrize("path", ["/api/new_game", "/api/play_game"])
    def test_options_that_no_journal_could_keep_are_named(self, path: str, options: str) -> None:
        rest = '"game": "slice"' if path == "/api/play_game" else '"players": [{"seat": 1, "name": "Bo"}]'
        commands = NotingCommands()
        headers = {"X-Host-Token": TOKEN, "Content-Type": "application/json"}
        content = f'{{"options": {options}, {rest}}}'
        response = request(make_app(commands=commands), "POST", path, content=content, headers=headers)
        assert response.status_code == 422
        assert response.json()["errors"][0]["where"] == "body"
        assert response.json()["detail"].startswith("body: got what is no JSON (")
        assert commands.asked == []

    @pytest.mark.parametrize(
        ("body", "said"),
        [
            ('{"seat": 1, "name": "A", "name": "B"}', "no JSON (the key 'name' stands twice in an object)"),
            (
                '{"name": "A", "seat": ' + "9" * 5000 + "}",
                "no JSON at character 22 (a number of 5000 digits is too large, 18 are the most)",
            ),
            (b'{"name": "\xff"}', "no JSON at character 10 (no UTF-8: invalid start byte)"),
        ],
    )
    def test_a_body_is_read_strictly(self, body: str | bytes, said: str) -> None:
        commands = NotingCommands()
        headers = {"X-Host-Token": TOKEN, "Content-Type": "application/json"}
        response = request(make_app(commands=commands), "POST", "/api/rename", content=body, headers=headers)
        assert (response.status_code, response.json()["detail"]) == (422, f"body: got what is {said}, expected: JSON")
        assert commands.asked == []

    @pytest.mark.parametrize("path", ["/api/nope", "/nope", "/static/nope.js"])
    def test_what_is_not_there_is_named(self, path: str) -> None:
        response = request(make_app(), "GET", path)
        said = f"Nothing is at {path!r}; /openapi.json describes what there is."
        assert (response.status_code, response.json()["detail"]) == (404, said)

    @pytest.mark.parametrize(
        ("method", "path", "allowed"),
        [
            ("GET", "/api/undo", "POST"),
            ("POST", "/api/state", "GET, HEAD"),
            ("DELETE", "/", "GET, HEAD"),
            ("POST", "/static/app.js", "GET, HEAD"),
        ],
    )
    def test_a_method_that_is_not_taken_is_named_with_those_that_are(
        self, method: str, path: str, allowed: str
    ) -> None:
        response = request(make_app(), method, path)
        said = f"{path!r} cannot be asked with {method}; expected {allowed}."
        assert (response.status_code, response.json()["detail"]) == (405, said)
        assert response.headers["allow"] == allowed

    def test_a_body_too_long_is_refused(self) -> None:
        response = host(make_app(), "/api/rule_move", {"text": "x" * 70000})
        assert response.status_code == 413
        assert "expected at most 65536" in response.json()["detail"]

    def test_a_failure_shows_nothing_of_the_inside(self) -> None:
        class Broken(NotingCommands):
            async def undo(self, *, by: str = "", number: int | None = None, last: int | None = None) -> Never:
                raise RuntimeError("secret path")

        response = host(make_app(commands=Broken()), "/api/undo")
        assert response.status_code == 500
        assert "secret" not in response.text
        assert response.json()["detail"]


class TestWhoIsHost:
    def test_others_may_only_watch(self) -> None:
        commands = NotingCommands()
        app = make_app(commands=commands)
        for headers in ({}, {"X-Host-Token": "guess"}, {"X-Host-Token": "gr\xfc\xdfe".encode("latin-1")}):
            response = request(app, "POST", "/api/undo", headers=headers)
            assert response.status_code == 403
            assert "X-Host-Token" in response.json()["detail"]
        assert commands.asked == []
        assert request(app, "GET", "/api/role").json() == {"host": False}

    def test_the_token_opens(self) -> None:
        assert request(make_app(), "GET", "/api/role", headers={"X-Host-Token": TOKEN}).json() == {"host": True}

    @pytest.mark.parametrize("address", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
    def test_the_machine_itself_is_host(self, address: str) -> None:
        role = request(make_app(), "GET", "/api/role", client=address, base_url="http://localhost:8080")
        assert role.json() == {"host": True}

    def test_a_page_from_elsewhere_in_the_machines_browser_is_not(self) -> None:
        app = make_app()
        own = {"client": "127.0.0.1", "base_url": "http://localhost:8080"}
        foreign = request(app, "POST", "/api/undo", headers={"Origin": "http://evil.example"}, **own)
        rebound = request(app, "POST", "/api/undo", client="127.0.0.1", base_url="http://evil.example:8080")
        same = request(app, "POST", "/api/undo", headers={"Origin": "http://localhost:8080"}, **own)
        assert [foreign.status_code, rebound.status_code, same.status_code] == [403, 403, 204]

    @pytest.mark.parametrize("named", ['a"b.example', "a{b}.example", "a`b.example", "evil.example:99999", ""])
    def test_a_strange_name_that_leads_to_the_machine_is_not_its_own(self, named: str) -> None:
        """Browsers ask for such names, and URLs without a valid name have the address that was connected to."""
        own: dict[str, Any] = {"client": "127.0.0.1", "base_url": "http://127.0.0.1:8080", "headers": {"Host": named}}
        assert request(make_app(), "GET", "/api/role", **own).json() == {"host": False}
        assert request(make_app(), "GET", "/api/host_address", **own).status_code == 403

    @pytest.mark.parametrize("header", ["X-Forwarded-For", "X-Real-IP", "Forwarded", "Via"])
    def test_whom_a_proxy_on_the_machine_passes_on_is_not(self, header: str) -> None:
        own = {"client": "127.0.0.1", "base_url": "http://127.0.0.1:8080"}
        role = request(make_app(), "GET", "/api/role", headers={header: "192.0.2.7"}, **own)
        assert role.json() == {"host": False}

    def test_an_origin_that_is_none_is_not(self) -> None:
        own = {"client": "127.0.0.1", "base_url": "http://127.0.0.1:8080"}
        role = request(make_app(), "GET", "/api/role", headers={"Origin": "http://[::1"}, **own)
        assert role.json() == {"host": False}


class TestPages:
    @pytest.mark.parametrize(
        ("path", "media_type"),
        [
            ("/", "text/html; charset=utf-8"),
            ("/docs", "text/html; charset=utf-8"),
            ("/results", "text/html; charset=utf-8"),
            ("/static/app.js", "text/javascript; charset=utf-8"),
            ("/setup", "text/html; charset=utf-8"),
            ("/static/setup.js", "text/javascript; charset=utf-8"),
            ("/static/style.css", "text/css; charset=utf-8"),
            ("/static/icon.svg", "image/svg+xml"),
            ("/games/new_york_slice/view.js", "text/javascript; charset=utf-8"),
            ("/games/new_york_slice/view.css", "text/css; charset=utf-8"),
            ("/games/pizzeria/view.js", "text/javascript; charset=utf-8"),
            ("/games/cut_and_choose.js", "text/javascript; charset=utf-8"),
            ("/games/cut_and_choose.css", "text/css; charset=utf-8"),
        ],
    )
    def test_come_with_their_type_and_are_asked_about_again(self, path: str, media_type: str) -> None:
        response = request(make_app(), "GET", path)
        assert response.status_code == 200
        assert response.headers["content-type"] == media_type
        assert response.headers["cache-control"] == "no-cache"

    def test_what_has_not_changed_is_not_sent_again(self) -> None:
        app = make_app()
        etag = request(app, "GET", "/static/app.js").headers["etag"]
        assert request(app, "GET", "/static/app.js", headers={"If-None-Match": etag}).status_code == 304

    @pytest.mark.parametrize("path", ["/", "/api/state", "/static/app.js", "/nowhere", "/openapi.json"])
    def test_keep_to_themselves(self, path: str) -> None:
        headers = request(make_app(), "GET", path).headers
        assert headers["content-security-policy"].startswith("default-src 'self'")
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in headers

    @pytest.mark.parametrize(
        "path",
        [
            "/nowhere",
            "/games/chess/view.js",
            "/games/chess.js",
            "/games/cut_and_choose.py",
            "/games/new_york_slice/rules.py",
            "/games/..%2f..%2fweb/view.js",
            "/games/%2e%2e/view.js",
            "/static/../app.py",
            "/static/%2e%2e/app.py",
            "/static/",
        ],
    )
    def test_nothing_else_is_served(self, path: str) -> None:
        response = request(make_app(), "GET", path)
        assert response.status_code in {404, 422}
        assert response.headers["content-type"] == "application/problem+json"

    @pytest.mark.parametrize("name", [file.name for file in STATIC.glob("*.html")])
    def test_look_first_whether_all_their_files_come(self, name: str) -> None:
        page = page_text(name)
        first = page[: page.index("</script>")]
        assert "<link" not in first
        script = first.partition("<script>")[2]
        allowed = request(make_app(), "GET", "/").headers["content-security-policy"]
        assert f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" in allowed
        assert script.count("addEventListener") == 1

    @pytest.mark.parametrize(
        "path",
        ["/", "/setup", "/docs", "/static/app.js", "/games/slice/view.js", "/api/state", "/api/results.csv", "/api/no"],
    )
    def test_whatever_can_be_asked_for_can_be_without_its_text(self, path: str) -> None:
        app = make_app(published(question()))
        whole, head = request(app, "GET", path), request(app, "HEAD", path)
        assert (head.status_code, head.content) == (whole.status_code, b"")
        assert head.headers == whole.headers

    def test_load_nothing_from_outside(self) -> None:
        games = STATIC.parents[1] / "games"
        files = [*STATIC.iterdir(), *games.glob("*/view.*")]
        texts = {file: file.read_text() for file in files if file.suffix in {".html", ".js", ".css"}}
        assert len(texts) >= 8
        for file, text in texts.items():
            found = set(re.findall(r"(?:https?:)?//[a-z][\w.-]+\.[a-z]+\S*", text)) - {'http://www.w3.org/2000/svg";'}
            assert not found, f"{file.name} names {found}"


class TestDescription:
    def test_the_page_for_programs_has_every_address_and_every_key_of_a_body(self) -> None:
        description = request(make_app(), "GET", "/openapi.json").json()
        page = (STATIC.parents[2] / "docs" / "for-programs.md").read_text()
        rows = [line for line in page.splitlines() if line.startswith("|")]
        for path, operations in description["paths"].items():
            told = re.sub(r"\{\w+\}", r"\\d+", path)
            row = next((row for row in rows if re.search(rf"{told}[?`]", row)), None)
            assert row is not None, path
            for operation in operations.values():
                schema = json.dumps(operation.get("requestBody", {}))
                for name in re.findall(r"#/components/schemas/(\w+)", schema):
                    for key in description["components"]["schemas"][name]["properties"]:
                        assert f"`{key}`" in row, (path, key)

    def test_describes_every_view_exactly(self) -> None:
        description = request(make_app(), "GET", "/openapi.json").json()
        schemas = description["components"]["schemas"]
        assert description["info"]["version"] == "1.2.3"
        assert set(schemas["TableView"]["properties"]) == set(TableView.model_fields)
        reference = {"$ref": "#/components/schemas/TableView"}
        assert (
            description["paths"]["/api/state"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
            == reference
        )
        assert "text/event-stream" in description["paths"]["/api/events"]["get"]["responses"]["200"]["content"]
        for path in ("answer", "undo", "pause", "resume", "new_game", "rule_move"):
            assert {"204", "403", "409", "422"} <= set(description["paths"][f"/api/{path}"]["post"]["responses"])

    def test_says_how_it_refuses(self) -> None:
        description = request(make_app(), "GET", "/openapi.json").json()
        schemas = description["components"]["schemas"]
        assert {"Problem", "WrongValue"} <= set(schemas)
        assert "HTTPValidationError" not in schemas
        refusals = [
            response
            for path in description["paths"].values()
            for operation in path.values()
            for status, response in operation["responses"].items()
            if int(status) >= 400
        ]
        assert len(refusals) > 20
        problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
        assert all(response["content"] == problem for response in refusals)
        refused = request(make_app(), "GET", "/api/results/none")
        assert refused.headers["content-type"] == "application/problem+json"
        assert set(refused.json()) == set(schemas["Problem"]["properties"])

    def test_no_page_of_the_framework_is_served(self) -> None:
        assert request(make_app(), "GET", "/redoc").status_code == 404
        assert "cdn" not in request(make_app(), "GET", "/docs").text


def test_the_fixtures_are_of_the_games_own_shape() -> None:
    from controller.games.new_york_slice import GAME

    def shape(value: object) -> object:
        if isinstance(value, dict):
            return set(value)
        return type(value)

    real = GAME.view(GAME.start(4, {}), None)
    fixture = json.loads(ring_served().model_dump_json())["position"]
    assert set(real) == set(fixture)
    for key in ("players", "types", "score"):
        assert shape(real[key][0]) == shape(fixture[key][0]), key
    assert set(real["components"]) == set(fixture["components"])
    labels = [line["label"] for line in real["score"][0]["lines"]]
    assert labels == [line["label"] for line in fixture["score"][0]["lines"]]
