"""The rules of New York Slice, in the order of the rule text; each rule stands under its heading's name.

Faces are ids: slices `3/1` .. `11/11` (value/number), `combo-8-10` and the like, `anchovy`, `supreme`; Specials
`special/...`. Players are numbered clockwise, 1 upwards.
"""

from dataclasses import dataclass
from enum import Enum

from controller.games.new_york_slice.components import Components


class Phase(Enum):
    """What the game waits for."""

    STACK = "stack"
    """The Slicer chooses a stack."""
    REVEAL = "reveal"
    """Chance: the Special and the eleven slices are turned up."""
    REDRAW = "redraw"
    """Chance: the Special that is shown may not be used now; another is drawn."""
    DIVIDE = "divide"
    """The Slicer divides; before that the owner of Dibs! may call."""
    CHOOSE = "choose"
    """A player takes a portion; Sneak-a-Slice and Cut in Line are played here."""
    MYSTERY = "mystery"
    """Chance: the taker of Mystery Slice takes one of the three extra slices."""
    DECIDE = "decide"
    """The taker eats or collects what was taken."""
    SECONDS = "seconds"
    """Just before scoring the owner of Seconds may eat."""
    COUNT = "count"
    """Chance: slices eaten unseen are turned up to be counted."""
    OVER = "over"


@dataclass(frozen=True, slots=True)
class ChooseStack:
    """The Slicer chooses a stack of 11 slices and its Special."""

    stack: int
    """1 upwards; any stack not yet served. They look alike."""


@dataclass(frozen=True, slots=True)
class Reveal:
    """Chance: the Special and the slices of the chosen stack lie face up."""

    special: str
    ring: tuple[str, ...]
    """The eleven faces clockwise as seen from above, starting anywhere."""


@dataclass(frozen=True, slots=True)
class Redraw:
    """Chance: another Special replaces the one that may not be used now."""

    special: str


@dataclass(frozen=True, slots=True)
class Dibs:
    """The owner of Dibs! takes a slice from the pizza before it is divided."""

    player: int
    face: str
    eat: bool
    attach: str | None = None
    """As in Decide."""


@dataclass(frozen=True, slots=True)
class Divide:
    """The Slicer divides the pizza and adds the Special."""

    portions: tuple[tuple[str, ...], ...]
    """Clockwise, the slices of each clockwise. A Special alone is an empty tuple, at any place.

    Which portion comes first does not matter: the state numbers them from the one with the ring's first slice, a
    Special alone last (see `canonical_divide`).
    """
    special_in: int
    """Index of the portion with the Special."""


@dataclass(frozen=True, slots=True)
class Sneak:
    """The owner of Sneak-a-Slice shifts an end slice into an adjacent portion and then takes a portion."""

    player: int
    face: str
    to: int
    """Index of the portion that gains the slice."""


@dataclass(frozen=True, slots=True)
class Take:
    """A player takes a portion. Who is not next plays Cut in Line by it."""

    player: int
    portion: int


@dataclass(frozen=True, slots=True)
class Mystery:
    """Chance: the taker of Mystery Slice takes one of the three extra slices.

    A camera sees it together with the Decide after it: a face that is collected is named here; None is a slice that
    nobody else sees, which Decide must then eat (`mystery_eaten`). A face that only its owner knows (a drawn one) may
    be named too and eaten all the same; it then stays secret until it is counted.
    """

    face: str | None


@dataclass(frozen=True, slots=True)
class Decide:
    """The taker eats some slices and collects the others. Follows every Take, also one without slices."""

    player: int
    eaten: frozenset[str]
    """Of the slices just taken, and collected ones that a Special just received allows to eat. Without the Mystery
    slice."""
    attach: str | None = None
    """What the Supreme slice (just collected, or waiting for a neighbour) is laid next to: a value such as "7", or
    "anchovy". None when there is nothing to attach."""
    mystery_eaten: bool = False


@dataclass(frozen=True, slots=True)
class EatSeconds:
    """The owner of Seconds eats slices of one type; none declines."""

    player: int
    eaten: frozenset[str]


@dataclass(frozen=True, slots=True)
class RevealEaten:
    """Chance: a slice that was eaten unseen is turned up to be counted."""

    player: int
    face: str


Move = (
    ChooseStack
    | Reveal
    | Redraw
    | Dibs
    | Divide
    | Sneak
    | Take
    | Mystery
    | Decide
    | EatSeconds
    | RevealEaten
)


@dataclass(frozen=True, slots=True)
class OwnedSpecial:
    """A Special in front of a player."""

    name: str
    """Face id."""
    round: int
    """The round in which it was received."""
    used: bool = False
    """A used Special is turned face down."""


@dataclass(frozen=True, slots=True)
class Holding:
    """What lies in front of a player, in the order in which it came there."""

    collected: tuple[str, ...] = ()
    eaten: tuple[str, ...] = ()
    """Face down, but everybody saw them being eaten."""
    specials: tuple[OwnedSpecial, ...] = ()
    supreme_as: str | None = None
    """The type the Supreme slice was attached to ("3" .. "11" or "anchovy"); stays when it is eaten later."""
    unseen_eaten: int = 0
    """Slices eaten face down without having been shown, not in `eaten`."""
    unseen_faces: tuple[str, ...] = ()
    """Those of them that are known all the same, to their owner and the engine only."""


@dataclass(frozen=True, slots=True)
class Portion:
    """A portion of the divided pizza."""

    slices: tuple[str, ...]
    """Clockwise."""
    special: bool
    """Whether the Special is part of it."""
    taken_by: int | None = None


@dataclass(frozen=True, slots=True)
class Options:
    """What tables play differently where the text leaves two readings, and the copy's own components."""

    components: Components
    sneak_may_empty: bool = False
    """Whether Sneak-a-Slice may leave a portion with neither slice nor Special."""
    mystery_needs_pepperoni: bool = True
    """Whether the Mystery slice may be eaten only where any other slice could be."""
    seconds_needs_pepperoni: bool = False
    """Whether each slice eaten with Seconds must itself have pepperoni, not just its type."""
    supreme_on_anchovy: bool = True
    """Whether the Supreme slice may be (and, next to nothing else, must be) attached to the Anchovy slice."""


@dataclass(frozen=True, slots=True)
class State:
    """A whole game of New York Slice at one moment."""

    players: int
    options: Options
    phase: Phase
    round: int
    """1 upwards."""
    slicer: int
    stacks: tuple[int, ...]
    """The stacks not yet served."""
    unseen: frozenset[str]
    """Slices in the game whose face nobody has seen: in stacks, in the three extra ones, or eaten unseen."""
    unseen_specials: frozenset[str]
    holdings: tuple[Holding, ...]
    """Player 1's first."""
    ring: tuple[str, ...] = ()
    """The pizza clockwise, undivided or as it was when divided, from its first slice in the order of the components
    list; empty before it is turned up."""
    special: str | None = None
    """Today's Special of this round."""
    portions: tuple[Portion, ...] = ()
    order: tuple[int, ...] = ()
    """The players still to choose, next first; in a two-player game everybody twice."""
    taker: int | None = None
    """The player who has taken a portion and not yet decided."""
    taken: tuple[str, ...] = ()
    """The slices that the taker must decide about, without the Mystery slice."""
    took_special: bool = False
    """Whether the Special was part of the portion just taken; it already lies in front of the taker."""
    sneaked: int | None = None
    """The player who has just shifted a slice and must now take a portion."""
    mystery_drawn: bool = False
    """Whether the taker holds the Mystery slice."""
    mystery: str | None = None
    """Its face if known."""
    set_aside: tuple[str, ...] = ()
    """Specials that were replaced by another, oldest first."""
    first: int = 1
    """The first Slicer."""

    @property
    def rounds(self) -> int:
        """The number of rounds in this game: one for each stack."""
        return self.options.components.stacks[self.players]
