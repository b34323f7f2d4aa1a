"""Which game is played: the settings', or what the host took from the shelf."""

import asyncio
import logging
import os
from pathlib import Path

import pytest

from config.loader import load_table
from config.schema import TableConfig
from controller.choosing import Choice, NotPlayable, Shelf, told_left
from controller.commands import CommandError, InvalidCommand
from controller.game import GameError, OptionError
from controller.host_choice import HostChoice
from controller.journal import Journal
from controller.service import ServiceError, run_service
from controller.simulation.gathering import Gathering


def settings(folder: Path, text: str = "") -> TableConfig:
    (folder / "table.toml").write_text(f'data_dir = "{folder}"\n{text}')
    return load_table([folder / "table.toml"])


def real(folder: Path, faces: str, more: str = "") -> Shelf:
    """A table with a camera of its own."""
    return Shelf(settings(folder, f'faces = "{faces}"\n{more}\n[camera]\ndriver = "opencv:0"\n'))


def test_another_game_takes_the_tables_options_and_none_of_the_settings(tmp_path: Path) -> None:
    shelf = Shelf(settings(tmp_path, "[options]\nsneak_may_empty = true\n"))
    assert shelf.usual() == Choice("new_york_slice", {"sneak_may_empty": True})
    assert shelf.usual("slice", {"pizzas": 1}) == Choice("slice", {"returned_cards": "mixed", "pizzas": 1})


def test_as_many_sit_at_a_simulated_table_as_the_game_and_the_seats_take(tmp_path: Path) -> None:
    shelf = Shelf(settings(tmp_path))
    assert shelf.checked(shelf.usual()).players == 4
    assert shelf.checked(shelf.usual("pizza_theory")).players == 3
    assert Shelf(settings(tmp_path), 5).checked(shelf.usual("slice")).players == 5
    with pytest.raises(NotPlayable, match=r"8 players: expected 2 to 6 for SLICE at this table"):
        shelf.checked(Choice("slice", {}, 8))


def test_a_game_that_cannot_be_started_so_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="solo"):
        Shelf(settings(tmp_path)).checked(Choice("pizzeria", {"solo": True}, 4))
    with pytest.raises(GameError, match="'ludo' is no game"):
        Shelf(settings(tmp_path)).checked(Choice("ludo"))


@pytest.mark.parametrize(
    ("game", "options", "named"),
    [
        ("slice", {"components": __file__}, "option components: '.*' is no object"),
        ("slice", {"pizzas": 9}, "pizzas"),
        ("", {}, "'' is no game"),
    ],
)
def test_what_a_host_may_not_choose_is_refused(
    tmp_path: Path, game: str, options: dict[str, object], named: str
) -> None:
    """The settings may name an owner's file of facts; who holds the host's token may not have the table read any."""
    shelf = Shelf(settings(tmp_path))
    choice = HostChoice(shelf, shelf.usual())
    with pytest.raises(InvalidCommand, match=named):
        asyncio.run(choice.play(game, options, None))
    assert choice.next is None


def test_a_choice_holds_across_power_cuts_when_it_is_acknowledged(tmp_path: Path) -> None:
    shelf = Shelf(settings(tmp_path))
    choice = HostChoice(shelf, shelf.usual())
    asyncio.run(choice.play("pizzeria", {"advanced": True}, 3))
    assert choice.next == shelf.kept() == Choice("pizzeria", {"advanced": True}, 3)
    asyncio.run(choice.play("slice", {}, 2))
    assert choice.next == shelf.kept()
    assert choice.before is None, "the settings' game was played before"
    again = HostChoice(shelf, shelf.usual())
    asyncio.run(again.play("pizzeria", {}, 2))
    assert again.before == choice.next


def test_the_name_of_the_choice_s_file_is_on_the_disk_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it a power cut brings back the file that was there before."""
    shelf, fsync, synced = Shelf(settings(tmp_path)), os.fsync, list[tuple[Path, bool]]()

    def noted(descriptor: int) -> None:
        synced.append((Path(f"/proc/self/fd/{descriptor}").readlink(), (tmp_path / "choice.json").exists()))
        fsync(descriptor)

    monkeypatch.setattr("os.fsync", noted)
    shelf.keep(Choice("slice", {}, 2))
    assert synced == [(tmp_path / "choice.json.part", False), (tmp_path, True)]


def test_a_choice_that_cannot_be_kept_changes_nothing(tmp_path: Path) -> None:
    shelf = Shelf(settings(tmp_path))
    (tmp_path / "choice.json.part").mkdir()
    choice = HostChoice(shelf, shelf.usual())
    with pytest.raises(CommandError, match=r"the choice cannot be kept: .*directory.* Nothing has changed"):
        asyncio.run(choice.play("slice", {}, 2))
    assert choice.next is shelf.kept() is None


@pytest.mark.parametrize("chosen_before", [None, Choice("pizzeria", {"advanced": True}, 3)])
def test_a_chosen_game_that_cannot_start_does_not_come_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chosen_before: Choice | None
) -> None:
    shelf = Shelf(settings(tmp_path))
    if chosen_before is not None:
        shelf.keep(chosen_before)

    async def serve(config: TableConfig, gathering: object, choice: HostChoice, *_: object) -> int:
        if config.game == "slice":
            raise ServiceError("no camera")
        await choice.play("slice", {}, 2)
        assert shelf.kept() == choice.next
        choice.runs(asyncio.Event(), str)
        return 80

    monkeypatch.setattr("controller.service._serve", serve)
    with pytest.raises(ServiceError, match="no camera"):
        run_service(shelf, chosen_before or shelf.usual(), Gathering(2, 1, 1.0, 0.0), fresh=False)
    assert shelf.kept() == chosen_before


def test_the_host_s_choice_holds_until_the_settings_change(tmp_path: Path) -> None:
    shelf = Shelf(settings(tmp_path))
    assert shelf.kept() is None
    choice = Choice("pizzeria", {"advanced": True}, 3)
    shelf.keep(choice)
    assert Shelf(settings(tmp_path)).kept() == choice
    assert Shelf(settings(tmp_path), 5).kept() == Choice("pizzeria", {"advanced": True}, 5)
    assert Shelf(settings(tmp_path, 'game = "slice"\n')).kept() is None
    assert Shelf(settings(tmp_path, "[options]\nsneak_may_empty = true\n")).kept() is None
    Shelf(settings(tmp_path)).forget()
    assert shelf.kept() is None


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b'{"game": 3}', b'{"game": "ludo"}'])
def test_a_damaged_choice_is_said_and_the_settings_are_played(
    tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "choice.json").write_bytes(content)
    with caplog.at_level(logging.WARNING, "pizzatable"):
        assert Shelf(settings(tmp_path)).kept() is None
    assert f"{tmp_path / 'choice.json'}: expected the game that the host chose" in caplog.text


def test_a_choice_that_cannot_be_played_any_more_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    Shelf(settings(tmp_path)).keep(Choice("pizzeria", {"solo": 7}, 2))
    with caplog.at_level(logging.WARNING, "pizzatable"):
        assert Shelf(settings(tmp_path)).kept() is None
    assert "option solo: 7" in caplog.text


def test_with_a_camera_a_game_needs_its_faces(tmp_path: Path) -> None:
    one = tmp_path / "mine.faces"
    one.touch()
    shelf = real(tmp_path, str(one))
    assert shelf.why_not("new_york_slice") == ""
    assert "is one game's file; with {game} in it" in shelf.why_not("pizzeria")
    assert shelf.why_not("dice_and_slice") == "", "its sheets are known by their print"
    assert 'faces = "": expected the file' in real(tmp_path, "").why_not("slice")

    each = real(tmp_path, "{game}.faces", 'game = "slice"')
    missing = tmp_path / "slice.faces"
    assert each.why_not("slice").startswith("no slice.faces yet: `pizzatable enrol --game slice --out /")
    missing.touch()
    assert each.checked(each.usual()) == Choice("slice", {"returned_cards": "mixed"}), "real people are not counted"


def test_offers_show_what_is_played(tmp_path: Path) -> None:
    shelf = Shelf(settings(tmp_path))
    offers = shelf.offers(Choice("pizzeria", {"advanced": True}, 4))
    assert [offer.title for offer in offers] == sorted((o.title for o in offers), key=str.casefold)
    assert {"new_york_slice", "pizzeria", "pizza_theory", "slice", "dice_and_slice"} <= {o.game for o in offers}
    values = {o.game: {option.name: option.default for option in o.options} for o in offers}
    assert values["pizzeria"]["advanced"] is True
    assert values["slice"]["returned_cards"] == "mixed", "as on any table"
    assert next(o.players for o in offers if o.game == "slice") == (2, 3, 4, 5, 6), "there are six seats"


def test_of_another_game_that_was_played_last_is_said_how_to_go_back_to_it(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.sqlite") as journal:
        assert told_left(journal.records(), "slice") == ""
        for game in ("pizzeria", "slice"):
            journal.append("game", {"game": game}, begins_game=True)
        records = journal.records(game=journal.last_game())
    assert told_left(records, "slice") == ""
    assert "--game slice goes back to it" in told_left(records, "pizzeria")
