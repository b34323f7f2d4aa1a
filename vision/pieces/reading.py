"""One piece found, and whether it holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vision.pieces.faces import CARDS
from vision.pieces.prepared import Prepared
from vision.pieces.verify import COST_LIMIT, Flags, Floats, Indices
from vision.scene import PieceKind

Array = NDArray[np.float64]

LEAST_AGREEING = 0.4
"""A piece of which less than this share agrees with its face is not reported."""
LEAST_GAIN, OF_CONTRAST = 1.2, 0.75
"""Mean gain over an even surface where a face is seen, or that share of what the face itself has over one, if that is
less: less is a tablecloth, not a piece."""
EXPLAINED, PLAINLY_EXPLAINED, EXPLAINED_SCALE = 0.67, 0.74, 0.02
"""And where the gain is so small, a face explains at least the first share of what an even surface leaves unexplained;
with the second it is as likely chance as it is right. On wood and along a printed line nearly plain faces explained 0.4
to 0.54 of it, between planks once 0.74; where they lay 0.9 and more, in half of the light 0.79 and more."""
ENDS, ENDS_SCALE = 0.8, 0.03
"""But where a face is even, it is told by where it ends: it does so along the first share of its outline at least, and
is as likely no piece as it is one with that."""
IN_SHEEN, IN_SHEEN_SCALE = 0.88, 0.01
"""Where a face that mirrors a lamp explains so much of it, it is as likely another as it is right. Of simulated cards
in sleeves 297 that were read right explained 0.9 and more, but for one in twenty; ten that were taken for others, with
half of the faces enrolled, all less."""
OWN_DOUBT = 0.5
"""How much the cost of all that is open speaks against a face, beside what the next best face costs more."""
FOREIGN_LEAD = 0.4
"""With this lead a face is as likely chance or a piece that was never enrolled as it is right; learned from pictures
read with half of their faces enrolled, where likenesses led by 0.28 at most, and right faces by 0.48 at least."""
LEAD_SCALE = 0.125
STRAY_COST, RATIO_POWER = 0.1, 8.0
"""Where a piece was never enrolled, the face it is taken for costs about as much as it leads by, or more; the right
face costs a part of that: so where all faces of a style are much alike, a small lead says enough. With as much over the
next face as this one costs and STRAY_COST, by which faces stray on the best of pictures, it is as likely one as the
other. Of readings in three styles whose lead is below 0.7, right ones had 1.0 to 3.6 times that but for 4 of 54; with
half of the faces enrolled, slice cards of the others 0.8 at most, and order cards, which FOREIGN_PART tells, 1.1."""
PART, PART_SCALE = 0.05, 0.3
FOREIGN_PART: Mapping[PieceKind, float] = {PieceKind.SLICE_CARD: 2.2, PieceKind.ORDER_CARD: 5.3}
"""A card so large a part of which costs so much more than the card leads by is as likely one that was never enrolled:
such have the frame of an enrolled one, and another topping. Read with half of the cards enrolled, in simulated and
shared pictures it was 3.1 more at least on slice cards of the others, and 0.5 less at least on 443 right ones; on order
cards, whose drawings are finer, 6 and more but for one of 14, and 4.3 at most on 47 right ones. Other pieces lie under
each other: of them it tells nothing."""
ALIKE, LEAST_APART = 1.0, 0.4
"""Faces of one kind mostly cost more than 1 in each other's place (`Prepared.apart`); such that differ by less than 0.4
are not told apart whatever a picture says."""
CLEAR_LEAD, FIT_OF_CLEAR = 0.5, 0.55
LEAST_LEAD, FIT_WHERE_OPEN = 0.35, 0.72
DOUBTFUL_LEAD, FIT_OF_DOUBTFUL, COST_OF_DOUBTFUL = 0.5, 0.85, 2.4
DOUBTFUL_GAIN = 2.0
"""Mean gain over an even surface that a piece needs besides, where its cost is high: a blue mat, with wood for a crust,
was taken for a pale blue slice at 1.75 and less; true slices that cost as much have 2.3 and more."""
STRONG_LEAD, FIT_OF_STRONG = 0.8, 0.65
"""A piece holds with such a lead and so large a share that looks like it, where nothing hides it."""
CERTAIN_LEAD, FIT_OF_CERTAIN = 2.5, 0.7
"""With such a lead and share a piece may fit as badly as one does in the colours of a camera that shows them quite
otherwise. Cloth in stripes of light was taken for faces that led by up to 1.73."""
WHOLE_LEAD = 0.1
"""With so little lead, its own or that of all that are like it, a piece still holds, as a doubtful one, that is seen
plainly wherever no other lies on it."""
CARD_LEAD, CARD_FIT, CARD_COST = 0.45, 0.9, 2.2
"""An open card holds with such a lead, share and mean cost where it is seen. Of pictures read with two thirds of their
faces enrolled, cards of the others led by 0.36 at most; cloths looked like 0.86 of a card, or at a cost of 2.6."""
HELD_MARGIN, HELD_FIT, HELD_COST = 1.5, 0.6, 1.1
"""What shows of a card beside fingers holds with so much over the next best face, such a share and cost."""
TRUSTED_COST = 1.5
"""Only a piece that costs less than this where it is seen proves that something lies on the rest of it."""
SETTLED_FIT = 0.93
"""A piece of which less of what no other piece covers agrees may be another, or lie a little elsewhere."""
SETTLED_QUALITY = 0.9
PLAIN_LEAD = 0.67
"""With so much lead a piece is settled even where it costs no small part of that (FOREIGN_LEAD, LEAD_SCALE)."""
CLEAR_COST = 0.7
"""A piece that costs less than this where it is seen is one of its kind, if not the one with this face; one that costs
more may lie a little elsewhere, even if it is seen nearly everywhere: so fit patterns that repeat themselves."""
COVER_COST = 3.0
"""What each cell that does not look like the piece takes from what the others speak for it."""
LIKE_TURNED = 0.3
"""A face alike when turned half round is tried so where it costs more than this share of what that would cost."""

NO_VEIL = (0.0, 0.0, 0.0, 0.0)


class OwnLight(Enum):
    """Light that is another in each place of a piece."""

    SHADE = "shade"
    """It changes along one direction (`vision.pieces.shade`)."""
    SHEEN = "sheen"
    """It is mirrored (`vision.pieces.sheen`)."""


@dataclass(frozen=True, eq=False)
class Reading:
    """One piece found, as seen at z = 0. What follows from its cells is worked out once."""

    kind: PieceKind
    pose: Array
    face: int
    """Index into the kind's faces."""
    candidates: Indices
    """The faces compared, the found one among them."""
    costs: Floats
    """Candidates x lattice: what each cell speaks against each candidate, 0 to COST_LIMIT."""
    gain: Floats
    """Lattice: how much better the found face explains each cell than an even surface does."""
    agrees: Flags
    """Lattice: where the found face is seen."""
    taken: Flags
    """Lattice: where another piece is seen instead."""
    hidden: Flags
    """Lattice: where something lies that is no piece."""
    prepared: Prepared
    """The faces it was compared with."""
    veil: tuple[float, ...] = NO_VEIL
    """Light over it that was taken off, see `verify.veiled`."""
    ends: float = 0.0
    """Of an even face: along which share of its outline it ends where the table, or another piece, begins."""
    own_light: OwnLight | None = None
    """What was taken off it by itself."""
    formerly: int | None = None
    """The face that lay in this very place before other light fell on it, and may lie there still; None: it is told."""

    @cached_property
    def best(self) -> Floats:
        """Lattice: what each cell speaks against the found face."""
        return np.asarray(self.costs[self.candidates == self.face][0])

    @property
    def is_even(self) -> bool:
        """Whether its face shows nothing from afar but where it ends."""
        return bool(self.prepared.even[self.face])

    @cached_property
    def strength(self) -> float:
        """How much this explains; what it says wrongly of its place has to be explained by something on top of it.

        What it explains is told by its own cost alone, beside what an even surface costs where this face truly is: in
        this picture that costs the more, the more of what is beside a piece a wrong pose takes in. Cards count alike.
        """
        return self._explained(np.ones_like(self.agrees))

    @cached_property
    def own_strength(self) -> float:
        """The same, of what no other piece covers."""
        return self._explained(~self.taken)

    def _explained(self, cells: Flags) -> float:
        explains = (COST_LIMIT if self.kind in CARDS else self.prepared.contrast[self.face]) - self.best
        return float(explains[self.agrees & cells].sum()) - COVER_COST * np.count_nonzero(~self.agrees & cells)

    @cached_property
    def visible(self) -> float:
        """Share of the lattice where this piece is seen."""
        return share(self._own)

    @cached_property
    def whole(self) -> bool:
        """Whether it is seen nearly everywhere where others do not cover it."""
        return bool(np.count_nonzero(self._own) >= SETTLED_FIT * np.count_nonzero(~self.taken))

    @cached_property
    def settled(self) -> bool:
        """Whether nothing is left to explain where this piece is not covered by others."""
        return self.whole and self.quality >= SETTLED_QUALITY

    @cached_property
    def in_plain_light(self) -> bool:
        """Whether it is settled, and leads by as much as most do that lie in even light, without shade or veil."""
        return self.settled and self.lead >= PLAIN_LEAD

    @cached_property
    def lies_there(self) -> bool:
        """Whether a piece like this one lies there, whichever of faces that are alike it has."""
        return self.whole and (self.cost < CLEAR_COST or self.quality >= SETTLED_QUALITY)

    @cached_property
    def may_be_turned(self) -> bool:
        """Whether the face is alike when turned half round, and might be seen so."""
        turned = float(self.prepared.turned[self.face])
        open_cells = ~(self.taken | self.hidden)
        if turned >= COST_LIMIT or not open_cells.any():
            return False
        return bool(self.best[open_cells].mean() > LIKE_TURNED * turned)

    @cached_property
    def trusted(self) -> bool:
        """Whether this is sure enough to say that something lies on the part of it that does not look like it."""
        own = self._own
        return bool(share(own) > 0.45 and self.best[own].mean() < TRUSTED_COST)

    @cached_property
    def cost(self) -> float:
        """What this face costs where it is seen, on average."""
        open_own = self._own & ~self.hidden
        return float(self.best[open_own].mean()) if open_own.any() else COST_LIMIT

    @cached_property
    def tells(self) -> float:
        """How much better it explains what agrees and is open than an even surface does, on average."""
        told = self.agrees & ~(self.taken | self.hidden)
        return float(self.gain[told].mean()) if told.any() else 0.0

    @cached_property
    def _explained_share(self) -> float:
        """Of what an even surface leaves unexplained where it agrees and is open, the share that it explains."""
        told = self.agrees & ~(self.taken | self.hidden)
        left = float(self.best[told].mean()) if told.any() else COST_LIMIT
        return max(self.tells, 0.0) / (max(self.tells, 0.0) + left + 1e-6)

    @cached_property
    def fits_badly(self) -> bool:
        """Whether it costs much, or no little and hardly differs from an even surface, and does not lead by far."""
        dear = self.cost >= TRUSTED_COST or (self.cost >= CLEAR_COST and self.tells < DOUBTFUL_GAIN)
        return dear and self.lead < CERTAIN_LEAD

    @cached_property
    def margin(self) -> float:
        """How much more the next best face costs where this one is seen.

        A face so like this one that it cannot cost ALIKE more even on the best of pictures counts by its share of that.
        """
        others = self.candidates != self.face
        return float(self._more[others].min()) if others.any() else COST_LIMIT

    @cached_property
    def lead(self) -> float:
        """The margin, less what this face costs where it is open."""
        return self._lead_by(self.margin)

    @cached_property
    def likes(self) -> Flags:
        """Candidates: which of them cost less than ALIKE where this face is seen just as it was enrolled, itself among
        them. Pictures hardly tell them apart."""
        return np.asarray((self.prepared.apart[self.face][self.candidates] < ALIKE) | (self.candidates == self.face))

    @cached_property
    def _margin_of_likes(self) -> float:
        """How much more the next best face costs that is not among its `likes`; where only such were compared, others
        cost ALIKE more at least."""
        return ALIKE if self.likes.all() else float(self._more[~self.likes].min())

    @cached_property
    def _more(self) -> Floats:
        """Candidates: how much more each costs where this face is seen, see `margin`."""
        own = self._own & ~self.hidden
        seen = int(np.count_nonzero(own))
        if not seen:
            return np.zeros(len(self.candidates), np.float32)
        costs = self.costs @ own.astype(np.float32) / np.float32(seen)
        more = costs - costs[self.candidates == self.face].min()
        if more[self.candidates != self.face].min(initial=ALIKE) < ALIKE:
            apart = self.prepared.apart[self.face][self.candidates]
            more = more * np.maximum(ALIKE / np.maximum(apart, LEAST_APART), 1.0)
        return np.asarray(more, np.float32)

    def _lead_by(self, margin: float) -> float:
        if not (self.agrees & ~(self.taken | self.hidden)).any():
            return -COST_LIMIT
        return margin - OWN_DOUBT * self._open_cost

    @cached_property
    def _open_cost(self) -> float:
        """What this face costs where it is open, seen or not, on average."""
        free = ~(self.taken | self.hidden)
        count = int(np.count_nonzero(free))
        return float(self.best @ free.astype(np.float32)) / count if count else COST_LIMIT

    @cached_property
    def quality(self) -> float:
        """How likely it is no chance likeness and no piece that was never enrolled, 0 to 1."""
        return self._quality_by(self.margin)

    @cached_property
    def quality_of_likes(self) -> float:
        """The same of this face and its `likes` together: no less than its own, and no more where it is not seen
        plainly."""
        return max(self.quality, self._quality_by(self._margin_of_likes)) if self._is_plain else self.quality

    @cached_property
    def _is_plain(self) -> bool:
        """Whether a piece of this kind is seen plainly wherever no other lies on it."""
        return self.trusted and self._fit >= SETTLED_FIT and self.cost < CLEAR_COST

    @cached_property
    def _fit(self) -> float:
        """Which share of what is open of it looks like it."""
        free = ~(self.taken | self.hidden)
        return float((self.agrees & free).sum()) / max(int(free.sum()), 1)

    def _quality_by(self, margin: float) -> float:
        lead = self._lead_by(margin)
        by_lead = np.exp((FOREIGN_LEAD - lead) / LEAD_SCALE)
        by_ratio = ((self._open_cost + STRAY_COST) / max(margin, 0.01)) ** RATIO_POWER
        doubt = min(by_lead, by_ratio)
        if self.is_even:
            doubt += np.exp((ENDS - self.ends) / ENDS_SCALE)
        elif self.tells < LEAST_GAIN:
            doubt += np.exp((PLAINLY_EXPLAINED - self._explained_share) / EXPLAINED_SCALE)
        if self.own_light is OwnLight.SHEEN:
            doubt += np.exp((IN_SHEEN - self._explained_share) / IN_SHEEN_SCALE)
        if self.kind in FOREIGN_PART:
            doubt += np.exp((self._oddest - lead - FOREIGN_PART[self.kind]) / PART_SCALE)
        return float(1.0 / (1.0 + doubt))

    @cached_property
    def confirmed(self) -> bool:
        """Whether this holds, now that it is known what nothing foreign hides of it."""
        fit, lead = self._fit, self.lead
        if self._is_plain and max(lead, self._lead_by(self._margin_of_likes)) >= WHOLE_LEAD:
            return True
        if self.kind in CARDS:
            return self._confirmed_card(fit)
        if not self.trusted:
            strong = lead >= STRONG_LEAD and fit >= FIT_OF_STRONG and self.cost < TRUSTED_COST
            likely = lead >= DOUBTFUL_LEAD and fit >= FIT_OF_DOUBTFUL
            likely |= lead >= CERTAIN_LEAD and fit >= FIT_OF_CERTAIN
            dear = likely and self.cost < COST_OF_DOUBTFUL
            return strong or (dear and self.tells >= DOUBTFUL_GAIN)
        return (lead >= CLEAR_LEAD and fit >= FIT_OF_CLEAR) or (lead >= LEAST_LEAD and fit >= FIT_WHERE_OPEN)

    def _confirmed_card(self, fit: float) -> bool:
        """Cards lie apart or wholly on each other: what shows of one looks like it nearly everywhere, or is held."""
        if fit >= CARD_FIT:
            return self.lead >= CARD_LEAD and self.cost <= CARD_COST
        return fit >= HELD_FIT and self.cost <= HELD_COST and (self.lead >= CARD_LEAD or self.margin >= HELD_MARGIN)

    @cached_property
    def _oddest(self) -> float:
        """What the part of it costs (PART of what is open, wherever it is) that looks least like this face and is not
        what covers it from beside it. Cells count with those around them: noise, an edge a little off, are no part."""
        open_cells = ~(self.taken | self.hidden)
        count = max(round(PART * np.count_nonzero(open_cells)), 1)
        costs = self._around(open_cells)
        if costs.size and np.sort(costs)[-count:].mean() > FOREIGN_PART[self.kind] - 6 * PART_SCALE + self.lead:
            costs = self._around(open_cells & ~self._covered_from_beside(open_cells))
        return float(np.sort(costs)[-count:].sum()) / count

    def _around(self, cells: Flags) -> Floats:
        """What each of these cells costs, with those of them around it."""
        share, cost = cells.astype(np.float32), np.where(cells, self.best, np.float32(0.0))
        neighbours = self.prepared.faces.shape.neighbours
        for _ in range(2):
            share, cost = share[neighbours].mean(-1), cost[neighbours].mean(-1)
        return np.asarray(cost[cells] / share[cells])

    def _covered_from_beside(self, open_cells: Flags) -> Flags:
        """Lattice: where it looks otherwise from its rim on, and right beside that: something lies on it there, and
        reaches beyond it."""
        neighbours = self.prepared.faces.shape.neighbours
        rim = (neighbours == np.arange(len(neighbours))[:, None]).sum(-1) > 1
        unlike = ~self.agrees & open_cells
        covered, before = np.asarray(unlike & rim), -1
        while (count := int(np.count_nonzero(covered))) > before:
            covered, before = np.asarray(covered | (covered[neighbours].any(-1) & unlike)), count
        for _ in range(2):
            covered = np.asarray(covered[neighbours].any(-1))
        return covered

    @cached_property
    def _own(self) -> Flags:
        """Lattice: where this piece is seen beside the others."""
        return self.agrees & ~self.taken


def share(flags: Flags) -> float:
    """Which share of these is set."""
    return float(np.count_nonzero(flags)) / flags.size
