"""What is wrong on a table of New York Slice, in its own words; see `cut_and_choose_faults`."""

from collections.abc import Sequence

from controller.game import Refusal
from controller.games.cut_and_choose_faults import Faults, Words
from controller.games.cut_and_choose_seen import Seen
from controller.games.new_york_slice import headings, rules
from controller.games.new_york_slice.rules import Phase, State
from controller.games.new_york_slice.seen import AHEAD
from controller.reading import Fault

WORDS = Words(
    slicer="the Slicer",
    stack="stack",
    special="Special",
    special_nouns=("Special", "Specials"),
    halves="combo",
    setup=headings.SETUP,
    serving=headings.START_ROUND,
    dividing=headings.DIVIDE,
    taking=headings.CHOOSE,
    turns=headings.NEXT_PLAYER,
    specials=headings.SPECIALS,
    of_special={
        rules.CUT_IN_LINE: headings.CUT_IN_LINE,
        rules.DIBS: headings.DIBS,
        rules.MYSTERY_SLICE: headings.MYSTERY_SLICE,
        rules.SECONDS: headings.SECONDS,
        rules.SNEAK_A_SLICE: headings.SNEAK_A_SLICE,
    },
    call=rules.DIBS,
    early=rules.CUT_IN_LINE,
    shift=rules.SNEAK_A_SLICE,
)
FAULTS: Faults[State] = Faults(WORDS, AHEAD, rules.refusal, Phase.DIVIDE)


def mystery_due(player: int) -> Fault:
    """The taker of Mystery Slice has not taken an extra slice yet, or more than one."""
    problem = f"Player {player} received Mystery Slice and takes exactly one of the three extra slices."
    refusal = Refusal(headings.MYSTERY_SLICE, problem, "Lay it face up to collect it, face down to eat it unseen.")
    return Fault(refusal, player)


def not_eaten_unseen(state: State, seen: Seen, player: int, faces: Sequence[str]) -> Fault:
    """What lies face up in front of who turns up the slice eaten unseen is not that slice, or not it alone."""
    problem = f"Player {player} ate one slice unseen, and {FAULTS.names(state, faces)} came to lie face up."
    remedy = "Turn up that one slice, and take away what nobody has eaten or collected."
    return Fault(Refusal(headings.MYSTERY_SLICE, problem, remedy, tuple(faces)), player, seen.indices(faces))
