"""The arrangement of SLICE's cards in one picture: laid by hand, and the true poses of the rendered pictures."""

import json
from pathlib import Path
from typing import Any

import pytest

from controller.games.slice.describe import covered_share, describe, hands
from tests.controller.games.slice.laid_cards import BACK, SAUCE, around, card
from vision.scene import HiddenCause, HiddenPlace, Point, Scene, Sighting

PHOTOS = Path(__file__).parents[5] / "shared" / "photos" / "table"


def described(*sightings: Sighting, hands: tuple[tuple[Point, ...], ...] = (), **more: Any) -> Any:
    hidden = tuple(HiddenPlace(outline, HiddenCause.HAND) for outline in hands)
    return describe(Scene(0.0, 0, sightings, hidden, 1.0), **more)


def test_nothing() -> None:
    nothing: dict[str, object] = {
        "seats": {},
        "open_pile": [],
        "open_top": None,
        "draw_pile": False,
        "stray": [],
        "hands": [],
    }
    assert described() == nothing


def test_a_seat_place_by_place() -> None:
    order = card("order/7", 4.0, -140.0, 92.0)
    faces = ["slice/onion", BACK, SAUCE, "slice/combo", None, BACK, "slice/olive", BACK]
    seat = described(order, *around(order, *faces))["seats"]["south"]
    assert seat["order"] == "order/7"
    assert seat["toppings"] is None
    assert [slot["face"] for slot in seat["slots"]] == [
        "slice/onion", None, None, "slice/combo", None, None, "slice/olive", None
    ]  # fmt: skip
    assert [slot["face_up"] for slot in seat["slots"]] == [True, False, False, True, None, False, True, False]
    assert [slot["blocked"] for slot in seat["slots"]] == [k == 2 for k in range(8)]


def test_a_slice_seen_under_hot_sauce_stays_face_down() -> None:
    order = card("order/7", -300.0, 0.0, 0.0)
    cards = around(order, SAUCE, *[None] * 7)
    under = card(BACK, cards[0].pose.x_mm + 6, 3.0, 8.0, visible=0.3)
    slot = described(order, under, *cards)["seats"]["west"]["slots"][0]
    assert (slot["face"], slot["face_up"], slot["blocked"]) == (None, False, True)


def test_what_places_want_is_said_where_the_orders_are_known() -> None:
    order = card("order/7", 300.0, 0.0, 180.0)
    toppings = ["olive", "onion", "olive", "onion", "basil", "basil", "bacon", "bacon"]
    seat = described(order, toppings={"order/7": toppings})["seats"]["east"]
    assert seat["toppings"] == toppings
    assert [slot["wants"] for slot in seat["slots"]] == toppings


@pytest.mark.parametrize(
    ("x", "y", "seat"),
    [(-310, 115, "northwest"), (-300, -20, "west"), (10, 140, "north"), (310, -112, "southeast"), (0, -140, "south")],
)
def test_seats_are_named_after_the_mats_sides(x: float, y: float, seat: str) -> None:
    assert list(described(card("order/1", x, y, 10.0))["seats"]) == [seat]


def test_piles() -> None:
    found = described(
        card(BACK, -38, 2, 88), card("slice/olive", 33, 5, 80, 0.12), card("slice/bacon", 36, 1, 92, 0.97),
        card("slice/basil", 250, 10, 0),
    )  # fmt: skip
    assert found["draw_pile"]
    assert found["open_pile"] == ["slice/olive", "slice/bacon"]
    assert found["open_top"] == "slice/bacon"
    assert found["stray"] == ["slice/basil"]


def test_cards_around_an_order_that_is_not_seen_are_no_open_pile() -> None:
    """They lie in the middle, too, apart from each other, and one may show more of itself than the pile's top."""
    apart = card("slice/pineapple", 71, 76, 30), card("slice/onion", -60, 95, 10)
    pile = card("slice/olive", 33, 5, 80, 0.12), card("slice/bacon", 36, 1, 92, 0.8)
    found = described(card(BACK, -38, 2, 88), *pile, *apart)
    assert (found["open_pile"], found["open_top"]) == (["slice/olive", "slice/bacon"], "slice/bacon")
    assert found["stray"] == ["slice/pineapple", "slice/onion"]
    assert described(card(BACK, -38, 2, 88), pile[1], apart[0])["open_top"] == "slice/bacon"  # the other lies far out
    aside = card("slice/bacon", 52, 1, 92, 0.8)
    unclear = described(card(BACK, -38, 2, 88), aside, card("slice/onion", -5, 71, 10))  # either may be a pile of one
    assert (unclear["open_pile"], unclear["open_top"]) == ([], None)
    assert described(pile[1])["open_top"] == "slice/bacon"


def test_a_hand_comes_from_a_seat_and_covers_cards() -> None:
    west, east = card("order/1", -300, 0, 0), card("order/2", 300, 0, 180)
    slices = around(east, "slice/onion", *[None] * 7)
    arm = ((300.0, -12.0), (480.0, -40.0), (480.0, 40.0), (300.0, 12.0))
    hand = described(west, east, *slices, hands=(arm,))["hands"][0]
    assert hand["seat"] == "east"
    covers = {cover["face"]: cover for cover in hand["covers"]}
    assert set(covers) == {"order/2"}
    assert covers["order/2"]["share"] == pytest.approx(0.22, abs=0.06)
    reaching = ((190.0, -30.0), (480.0, -40.0), (480.0, 40.0), (190.0, 30.0))
    covers = {c["face"]: c for c in described(west, east, *slices, hands=(reaching,))["hands"][0]["covers"]}
    assert (covers["slice/onion"]["seat"], covers["slice/onion"]["slot"]) == ("east", 0)
    assert covers["slice/onion"]["share"] > 0.9


def test_a_hand_where_no_seat_is_seen_comes_from_that_side() -> None:
    arm = ((0.0, 0.0), (480.0, -200.0), (480.0, -120.0), (0.0, 20.0))
    assert described(card("order/1", 310, 115, 180), hands=(arm,))["hands"][0]["seat"] == "southeast"


def test_cards_wholly_under_a_hand_count_when_they_were_known_before() -> None:
    east, top, under = card("order/2", 300, 0, 180), card("slice/onion", 35, 0, 90), card("slice/bacon", 33, 2, 80, 0.1)
    arm = HiddenPlace(((0.0, -40.0), (480.0, -60.0), (480.0, -20.0), (80.0, 40.0), (0.0, 40.0)), HiddenCause.HAND)
    scene = Scene(0.0, 0, (east,), (arm,), 0.0)
    assert [cover["face"] for cover in hands(scene)[0]["covers"]] == ["order/2"]
    covers = {cover["face"]: cover for cover in hands(scene, [east, top, under])[0]["covers"]}
    assert covers["slice/onion"]["share"] == 1.0
    assert len(hands(scene, [east, top, under])[0]["covers"]) == 3


def test_shares_of_two_hands_over_one_card() -> None:
    outline = card("slice/onion", 0, 0, 90).outline_mm
    left = ((-90.0, -90.0), (-10.0, -90.0), (-10.0, 90.0), (-90.0, 90.0))
    right = ((0.0, -90.0), (90.0, -90.0), (90.0, 90.0), (0.0, 90.0))
    assert covered_share(outline, left) == pytest.approx(0.25, abs=0.05)
    assert covered_share(outline, right) == pytest.approx(0.5, abs=0.05)


# Rendered pictures ----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not PHOTOS.is_dir(), reason=f"no pictures at {PHOTOS}")
@pytest.mark.parametrize("name", sorted(path.stem for path in PHOTOS.glob("cards-*-*.json")))
def test_true_poses_make_the_true_arrangement(name: str) -> None:
    labels = json.loads((PHOTOS / f"{name}.json").read_text())
    shown = [p for p in labels["pieces"] if p["kind"] in ("slice-card", "order-card") and p["visible"] > 0.3]
    toppings = {p["face"]: p["toppings"] for p in shown if p["kind"] == "order-card"}
    found = described(
        *(card(p["face"] if p["face_up"] else BACK, p["x_mm"], p["y_mm"], p["angle_deg"], p["visible"]) for p in shown),
        toppings=toppings,
    )
    truth = labels["arrangement"]
    assert found["open_top"] == truth["open_top"]
    for seat, true in truth["seats"].items():
        if true["order"] not in toppings:
            continue
        assert found["seats"][seat]["order"] == true["order"]
        for slot, wanted in zip(found["seats"][seat]["slots"], true["slots"], strict=True):
            if slot["face_up"] is None:
                continue
            assert slot == wanted | {"face": wanted["face"] if wanted["face_up"] else None}
