"""What is wrong on a table of Pizzeria, in its own words; see `cut_and_choose_faults`."""

from collections.abc import Sequence

from controller.game import Player, Refusal
from controller.games.cut_and_choose_faults import Faults, Words
from controller.games.cut_and_choose_seen import Seen
from controller.games.pizzeria import headings, rules, solo
from controller.games.pizzeria.rules import Phase, State
from controller.games.pizzeria.seen import AHEAD
from controller.reading import Fault, Layout

TURN_SAVED = "turn one or two slices saved before face down as well"
WORDS = Words(
    slicer="the player with the knife",
    stack="pile",
    special="special offer",
    special_nouns=("Special", "Special"),
    halves="mixed",
    setup=headings.SETUP,
    serving=headings.SERVED,
    dividing=headings.SERVED,
    taking=headings.BON_APPETIT,
    turns=headings.BON_APPETIT,
    specials=headings.OFFERS,
    of_special={
        rules.OFFER_A: headings.OFFER_A,
        rules.OFFER_B: headings.OFFER_B,
        rules.OFFER_C: headings.OFFER_C,
        rules.OFFER_D: headings.OFFER_D,
        rules.OFFER_E: headings.OFFER_E,
        rules.OFFER_F: headings.OFFER_F,
        rules.OFFER_J: headings.OFFER_J,
    },
    call=rules.OFFER_D,
    early=rules.OFFER_F,
    shift=rules.OFFER_E,
    uses={
        rules.OFFER_A: f"It is used in the round in which it was taken: {TURN_SAVED} before the round ends.",
        rules.OFFER_C: "It stays face up, against the slices of its kind.",
        rules.OFFER_D: "It is used before the pizza is sliced.",
        rules.OFFER_E: "It is used just before its owner takes a portion.",
        rules.OFFER_F: "It is used before anybody has taken a portion, by who would not be the first.",
        rules.OFFER_J: "It is used before scoring, after the last round.",
        **dict.fromkeys(
            (rules.OFFER_G, rules.OFFER_H, rules.OFFER_I, rules.OFFER_K, rules.OFFER_L),
            "It counts at the end of the game.",
        ),
    },
)
PUT_ON_A_KIND = "Lay offer C against the saved slices of one kind."
FAULTS: Faults[State] = Faults(WORDS, AHEAD, solo.refusal, Phase.DIVIDE)


def both_eat(player: Player, other: Player, layout: Layout, backs: tuple[int, ...]) -> Fault:
    """Offer A is used later in the round, and the next player has turned slices of a portion face down already: who ate
    which is known of one at a time."""
    problem = f"Player {player} plays offer A, and what player {other} eats lies face down already."
    press = layout.pressing(" and pressed the button")
    remedy = f"Player {other} lays that face up until player {player} has eaten{press}."
    return Fault(Refusal(headings.OFFER_A, problem, remedy, (rules.OFFER_A,)), player, backs)


def draw_due(player: Player) -> Fault:
    """Who received offer B has not taken one of the slices put aside yet, or more than one."""
    problem = f"Player {player} received special offer B and takes exactly one of the three slices put aside."
    remedy = (
        "Lay it face up with what was taken; eat it afterwards. Who goes without says so to the host, who rules it."
    )
    return Fault(Refusal(headings.OFFER_B, problem, remedy), player)


def drawn_unseen(player: Player, backs: tuple[int, ...]) -> Fault:
    """The slice that offer B brings lies face down before anybody saw it."""
    problem = f"Player {player} laid the slice that offer B brings face down before it was seen."
    remedy = "Lay it face up first, and turn it face down when the display has its name."
    return Fault(Refusal(headings.OFFER_B, problem, remedy), player, backs)


def on_no_kind(player: Player, sightings: tuple[int, ...]) -> Fault:
    """Who received offer C in this round has saved slices, and has not put it on a kind yet."""
    problem = f"Player {player} has special offer C and has not put it on a kind of pizza."
    remedy = f"{PUT_ON_A_KIND} Who puts it on nothing says so to the host, who rules it."
    return Fault(Refusal(headings.OFFER_C, problem, remedy, (rules.OFFER_C,)), player, sightings)


def not_one_kind(state: State, player: Player, eaten: Sequence[str]) -> Fault:
    """Slices of several kinds were turned face down for offer J, or mixed ones."""
    problem = f"Player {player} turned {FAULTS.pieces(state, eaten)} face down, and offer J eats slices of one kind."
    remedy = "Leave slices of one kind face down and turn the others face up again; mixed slices stay face up."
    return Fault(Refusal(headings.OFFER_J, problem, remedy, tuple(eaten)), player)


def not_all_of_kind(state: State, player: Player, kind: int, left: Sequence[str], seen: Seen) -> Fault:
    """Only some slices of the kind were turned face down for offer J."""
    problem = f"Offer J eats all slices of a kind: player {player} has {FAULTS.pieces(state, left)} face up still."
    remedy = f"Turn every {kind} face down, or none."
    return Fault(Refusal(headings.OFFER_J, problem, remedy, tuple(left)), player, seen.indices(left))
