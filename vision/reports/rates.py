"""How well many pictures were read: rates, likelihoods against what was right, every fault, times."""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from vision.reports.compared import LEAST_VISIBLE, LIGHTS, PhotoReport
from vision.scene import SURE, MarkKind, Origin, PieceKind, Pose

BINS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 1.0)
"""Edges of the likelihoods that are put together for the reliability table."""
MARKED = {True: "marked", False: "blank"}
MARK_BINS = (0.0, 0.005, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 0.995, 1.0)
"""The same for marks: most places have none."""


@dataclass(frozen=True, slots=True)
class Report:
    """All pictures' reports."""

    photos: tuple[PhotoReport, ...]

    def as_text(self) -> str:
        """Rates by style, kind of picture and light, and by kind of piece; likelihoods against what was right; every
        fault; times."""
        groups = sorted({(photo.style, photo.kind) for photo in self.photos})
        rows = [_row(*group, [p for p in self.photos if (p.style, p.kind) == group]) for group in groups]
        rows.append(_row("all", "", list(self.photos)))
        lights = [(light, [p for p in self.photos if p.light == light]) for _, light in LIGHTS]
        rows += [_row("all", light, photos) for light, photos in lights if photos]
        rows.append("")
        rows += _by_piece(self.photos)
        rows += _by_mark(self.photos)
        rows += _arrangements(self.photos)
        rows.append("")
        rows += [str(share) for share in self.reliability()]
        rows += [f"mark on a sheet, {share}".replace("right", "there") for share in self.mark_reliability()]
        text = "\n".join([_HEAD, *rows, "", *self.faults(), "", _times(self.photos)]).strip() + "\n"
        return text.encode("utf-8", "replace").decode("utf-8")

    def reliability(self) -> list["Reliability"]:
        """For each range of likelihood how often the face claimed with it was right, from everything claimed."""
        return _binned([claim for photo in self.photos for claim in _claims(photo)], BINS)

    def mark_reliability(self) -> list["Reliability"]:
        """For each range of likelihood of a mark how often one was there, of all places of score sheets."""
        claims = [claim for photo in self.photos for claim in photo.marks if not claim.mark.hidden]
        return _binned([(claim.mark.probability, claim.there) for claim in claims], MARK_BINS)

    def confusion(self) -> Counter[tuple[str, str, str]]:
        """How often (kind of piece, true face, claimed face) occurred; "" for nothing there or nothing seen. Of places
        that may be marked (kind of mark, MARKED, MARKED)."""
        pairs: Counter[tuple[str, str, str]] = Counter()
        for photo in self.photos:
            for match in photo.matches:
                pairs[match.truth.kind.value, match.truth.face, match.sighting.face] += 1
            for piece in photo.missing:
                if piece.visible >= LEAST_VISIBLE:
                    pairs[piece.kind.value, piece.face, ""] += 1
            for sighting in photo.extra:
                pairs[sighting.kind.value, "", sighting.face] += 1
            for claim in photo.marks:
                if not claim.mark.hidden:
                    pairs[claim.mark.kind.value, MARKED[claim.there], MARKED[claim.there == claim.right]] += 1
            for mark_kind, _ in photo.unread_marks:
                pairs[mark_kind.value, MARKED[True], ""] += 1
        return pairs

    def faults(self) -> list[str]:
        """A line for each thing that is not as it should be."""
        return [line for photo in self.photos for line in _faults(photo)]


def _binned(claims: Sequence[tuple[float, bool]], edges: Sequence[float]) -> list["Reliability"]:
    bins = [
        Reliability(low, high, [c for c in claims if low <= c[0] < high or c[0] == high == 1.0])
        for low, high in itertools.pairwise(edges)
    ]
    return [one for one in bins if one.claims]


@dataclass(frozen=True, slots=True)
class Reliability:
    """What was claimed with likelihoods of one range."""

    low: float
    high: float
    claims: Sequence[tuple[float, bool]]
    """Each claim's likelihood, and whether it was right."""

    @property
    def claimed(self) -> float:
        """The mean likelihood."""
        return float(np.mean([likelihood for likelihood, _ in self.claims]))

    @property
    def right(self) -> float:
        """The share that was right."""
        return float(np.mean([right for _, right in self.claims]))

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true share lies with 95 %."""
        return wilson(sum(right for _, right in self.claims), len(self.claims))

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"likelihood {self.low:5.3f} to {self.high:5.3f}: {len(self.claims):6} claims, mean {self.claimed:.4f}, "
            f"right {self.right:.4f} (95 %: {low:.4f} to {high:.4f})"
        )


def wilson(good: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a share of which `good` out of `count` were seen (Wilson's score interval, 1927)."""
    if not count:
        return 0.0, 1.0
    z2, share = 1.96**2, good / count
    middle = (share + z2 / (2 * count)) / (1 + z2 / count)
    half = 1.96 / (1 + z2 / count) * float(np.sqrt(share * (1 - share) / count + z2 / (4 * count**2)))
    return max(0.0, middle - half), min(1.0, middle + half)


def _claims(photo: PhotoReport) -> Iterator[tuple[float, bool]]:
    for match in photo.matches:
        yield match.sighting.probability, match.right
    for sighting in photo.extra:
        yield sighting.probability, False


def _by_piece(photos: Sequence[PhotoReport]) -> list[str]:
    """Rates by kind of piece, with intervals."""
    lines = []
    for kind in PieceKind:
        matches = [m for photo in photos for m in photo.matches if m.truth.kind is kind]
        shown = [m for m in matches if m.truth.visible >= LEAST_VISIBLE]
        missing = sum(p.visible >= LEAST_VISIBLE for photo in photos for p in photo.missing if p.kind is kind)
        extra = sum(s.kind is kind for photo in photos for s in photo.extra)
        count = len(shown) + missing
        if not count and not extra:
            continue
        missing += sum(m.right and not m.read for m in shown)
        right = sum(m.read for m in shown)
        doubtful = sum(m.read and m.sighting.probability < SURE for m in shown)
        sure = sum(not m.right and m.sighting.probability >= SURE for m in matches)
        sure += sum(s.kind is kind and s.probability >= SURE for photo in photos for s in photo.extra)
        low, high = wilson(right, count)
        lines.append(
            f"{kind.value:11} {right:6} of {count:6} right ({low:.4f} to {high:.4f}), {doubtful} of them doubtful, "
            f"{missing} missing, {len(matches) - sum(m.right for m in matches)} wrong, {extra} extra, "
            f"{sure} sure but wrong"
        )
    return lines


def _by_mark(photos: Sequence[PhotoReport]) -> list[str]:
    """Rates by kind of mark, with intervals: of marks there, and of places without one."""
    lines = []
    unread_places = Counter(kind for photo in photos for kind, _ in photo.unread_marks)
    for kind in MarkKind:
        places = [claim for photo in photos for claim in photo.marks if claim.mark.kind is kind]
        seen = [claim for claim in places if not claim.mark.hidden]
        if not places and not unread_places[kind]:
            continue
        there, free = ([claim.right for claim in seen if claim.there is truth] for truth in (True, False))
        there += [False] * unread_places[kind]
        sure = sum(claim.sureness >= SURE and not claim.right for claim in seen)
        shares = [
            f"{sum(right)} of {len(right)} ({low:.4f} to {high:.4f})"
            for right in (there, free)
            for low, high in [wilson(sum(right), len(right))]
        ]
        lines.append(
            f"{kind.value:15} read {shares[0]}, left blank {shares[1]}, {sure} sure but wrong, "
            f"{sum(claim.sureness < SURE for claim in seen)} said to be doubtful, {len(places) - len(seen)} hidden"
        )
    return lines


def _arrangements(photos: Sequence[PhotoReport]) -> list[str]:
    compared = [not photo.misarranged for photo in photos if photo.misarranged is not None]
    low, high = wilson(sum(compared), len(compared))
    return [f"arrangement {sum(compared):6} of {len(compared):6} right ({low:.4f} to {high:.4f})"] if compared else []


_HEAD = "style  kind     photos whole  pieces  right  missing  wrong  extra  sure&wrong  <half&sure  p95 mm  p95 deg"


def _row(style: str, kind: str, photos: Sequence[PhotoReport]) -> str:
    matches = [match for photo in photos for match in photo.matches]
    missing = sum(piece.visible >= LEAST_VISIBLE for photo in photos for piece in photo.missing)
    missing += sum(m.right and not m.read and m.truth.visible >= LEAST_VISIBLE for m in matches)
    wrong = sum(not match.right for match in matches)
    measured = [match for photo in photos if photo.origin is not Origin.PICTURE for match in photo.matches]
    off = f"{np.percentile([m.distance_mm for m in measured], 95):.2f}" if measured else "-"
    turn = f"{np.percentile([m.turn_deg for m in measured], 95):.2f}" if measured else "-"
    return (
        f"{style:6} {kind:8} {len(photos):6} {sum(p.perfect for p in photos):5} {sum(p.expected for p in photos):7} "
        f"{sum(p.right for p in photos):6} {missing:8} {wrong:6} {sum(len(p.extra) for p in photos):6} "
        f"{sum(p.sure_but_wrong for p in photos):11} {sum(p.sure_but_hardly_visible for p in photos):11} "
        f"{off:>7} {turn:>8}"
    )


def _faults(photo: PhotoReport) -> list[str]:
    if photo.problem:
        return [f"{photo.photo}: not read: {photo.problem}"]
    lines = [
        f"{photo.photo}: missing {piece.face} at {_at(photo, piece.pose)}, {piece.visible:.0%} visible"
        for piece in photo.missing
        if piece.visible >= LEAST_VISIBLE
    ]
    for match in photo.matches:
        claim = f"{match.sighting.face} {match.sighting.probability:.2f}"
        if not match.right:
            lines.append(f"{photo.photo}: {match.truth.face} at {_at(photo, match.truth.pose)} read as {claim}")
        elif not match.read and match.truth.visible >= LEAST_VISIBLE:
            lines.append(f"{photo.photo}: {match.truth.face} at {_at(photo, match.truth.pose)} doubted away, {claim}")
        elif match.truth.visible < LEAST_VISIBLE and match.sighting.probability >= SURE:
            lines.append(f"{photo.photo}: {claim} claimed with {match.truth.visible:.0%} visible")
    lines += [
        f"{photo.photo}: nothing where {s.face} {s.probability:.2f} is claimed, {_at(photo, s.pose)}"
        for s in photo.extra
    ]
    lines += [
        f"{photo.photo}: {mark.kind.value} {mark.at} {'missing' if claim.there else 'claimed'}, {mark.probability:.2f}"
        for claim in photo.wrong_marks
        for mark in [claim.mark]
    ]
    if photo.unread_marks:
        lines.append(f"{photo.photo}: {len(photo.unread_marks)} marks lie where no place of a sheet was read")
    return lines + [f"{photo.photo}: {line}" for line in photo.misarranged or ()]


def _at(photo: PhotoReport, pose: Pose) -> str:
    if np.isnan(pose.x_mm):
        return "some place"
    return f"({pose.x_mm:.0f}, {pose.y_mm:.0f}) {'pixels' if photo.origin is Origin.PICTURE else 'mm'}"


def _times(photos: Sequence[PhotoReport]) -> str:
    stages = dict.fromkeys(stage for photo in photos for stage in photo.stage_ms)
    taken = {stage: [p.stage_ms[stage] for p in photos if stage in p.stage_ms] for stage in stages}
    said = ", ".join(f"{stage} {np.median(ms):.0f} ({len(ms)})" for stage, ms in taken.items())
    return f"median ms of each stage (pictures that have it): {said or 'none'}"
