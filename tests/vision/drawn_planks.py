"""A table of planks in two tones, drawn, and plain cards on it of nearly the planks' colours."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.vision.drawn_table import View, photograph, taken
from vision.frame import Image
from vision.mat.registration import Registration, find_mat
from vision.scene import PieceKind
from vision.shapes import card_shape, place, to_own_frame

Array = NDArray[np.float64]
CARDS_MM = {PieceKind.SLICE_CARD: (48.0, 67.2), PieceKind.ORDER_CARD: (72.0, 72.0)}
CORNER_MM = 3.0
SHADOW_MM = np.array([0.7, -0.5])
SHADOW_REACH_MM = 3.0
"""Farther than that beyond a card's corners neither it nor its shadow reaches."""
BESIDE_MAT_MM = 206.0


@dataclass(frozen=True)
class PlainCard:
    """A card in one colour with a thin frame and a mark in its middle."""

    kind: PieceKind
    pose: tuple[float, float, float]
    """x, y (mm) and degrees."""
    colour: tuple[float, float, float]
    """Blue, green, red."""
    frame: float
    """How much darker its frame and its mark are, as a share."""


@dataclass(frozen=True)
class Planks:
    """How a table is made."""

    tones: tuple[tuple[float, float, float], tuple[float, float, float]]
    """The colours of every other plank: blue, green, red."""
    wide_mm: float
    turn_deg: float
    grain: float
    """How far the wood's brightness goes up and down along its grain, as a share."""
    gap_mm: float
    seed: int


def some_planks(rng: np.random.Generator) -> Planks:
    """Wood: brown, the one tone paler than the other."""
    value = rng.uniform(120.0, 215.0)
    first = value * np.array([rng.uniform(0.45, 0.7), rng.uniform(0.7, 0.82), 1.0])
    second = first * rng.uniform(0.72, 0.9) * rng.uniform(0.96, 1.04, 3)
    return Planks(
        (tuple(first), tuple(second)), rng.uniform(60.0, 160.0), rng.uniform(0.0, 180.0), rng.uniform(0.01, 0.05),
        rng.uniform(0.5, 2.0), int(rng.integers(2**31)),
    )  # fmt: skip


def some_cards(rng: np.random.Generator, planks: Planks, most: int = 18) -> list[PlainCard]:
    """Cards that lie apart beyond the mat, all in nearly the colour of one of the tones."""
    colours = {
        kind: np.array(planks.tones[rng.integers(2)]) * rng.uniform(0.9, 1.12) + rng.uniform(-8.0, 8.0, 3)
        for kind in CARDS_MM
    }
    frames = {kind: rng.uniform(0.1, 0.4) for kind in CARDS_MM}
    cards: list[PlainCard] = []
    for _ in range(4000):
        if len(cards) == most:
            break
        kind = list(CARDS_MM)[int(rng.random() < 0.3)]
        x, y, turn = rng.uniform(-430.0, 430.0), rng.uniform(-235.0, 235.0), rng.uniform(0.0, 360.0)
        reach = np.hypot(*CARDS_MM[kind]) / 2
        if max(abs(x), abs(y)) < BESIDE_MAT_MM + reach:
            continue
        if any(np.hypot(x - c.pose[0], y - c.pose[1]) < reach + np.hypot(*CARDS_MM[c.kind]) / 2 + 6 for c in cards):
            continue
        colour = tuple(float(level) for level in np.clip(colours[kind], 20.0, 245.0))
        cards.append(PlainCard(kind, (x, y, turn), colour, frames[kind]))  # type: ignore[arg-type]
    return cards


def on_planks(cards: Sequence[PlainCard], planks: Planks, view: View | None = None) -> Image:
    """A picture of the cards on the planks around the mat."""
    view = view or View(size=(1920, 1080))
    bare = photograph([], View(**{**view.__dict__, "blur": 0.3, "noise": 0.0}))
    registration = find_mat(bare)
    rows, columns = np.mgrid[0 : bare.shape[0], 0 : bare.shape[1]]
    at = registration.to_table(np.column_stack([columns.ravel(), rows.ravel()]))
    picture = bare.astype(np.float64).reshape(-1, 3)
    beyond = np.abs(at).max(axis=1) > 201.0
    picture[beyond] = _wood(at[beyond], planks)
    for card in cards:
        half = card_shape(card.kind, *CARDS_MM[card.kind]).outline.max(axis=0)
        near = np.flatnonzero(np.hypot(*(at - card.pose[:2]).T) < np.hypot(*half) + SHADOW_REACH_MM)
        own = to_own_frame(at[near], np.array(card.pose))
        inside = _within(own, half)
        shadow = _within(to_own_frame(at[near] - SHADOW_MM, np.array(card.pose)), half + 0.6)
        under = picture[near] * (1.0 - 0.25 * (shadow * (1.0 - inside))[:, None])
        from_edge = (half - np.abs(own)).min(axis=1)
        printed = ((from_edge > 2.0) & (from_edge < 3.5)) | (np.hypot(*own.T) < half.min() * 0.3)
        colour = np.array(card.colour) * (1.0 - card.frame * printed)[:, None]
        picture[near] = under * (1.0 - inside[:, None]) + colour * inside[:, None]
    lit = 1.0 + at @ [0.0002, -0.0002]
    return taken(np.clip(picture * lit[:, None], 0, 255).reshape(bare.shape).astype(np.uint8), view)


def truth_px(card: PlainCard, registration: Registration) -> Array:
    """Where a card's corners are seen, 4 x 2 pixels."""
    return registration.to_picture(place(card_shape(card.kind, *CARDS_MM[card.kind]).outline, np.array(card.pose)))


def _within(own: Array, half: Array) -> Array:
    """1 inside a rectangle with round corners, 0 outside, between at its edge."""
    over = np.maximum(np.abs(own) - half + CORNER_MM, 0.0)
    return np.asarray(np.clip((CORNER_MM - np.hypot(*over.T)) / 0.6 + 0.5, 0.0, 1.0))


def _wood(at: Array, planks: Planks) -> Array:
    rng = np.random.default_rng(planks.seed)
    turn = np.radians(planks.turn_deg)
    along, across = at @ [np.cos(turn), np.sin(turn)], at @ [-np.sin(turn), np.cos(turn)]
    plank = np.floor(across / planks.wide_mm).astype(int)
    tones = np.array(planks.tones)
    own = rng.uniform(0.97, 1.03, 64)[plank % 64]
    grain = cv2.resize(rng.normal(0.0, 1.0, (700, 40)), (2000, 2000), interpolation=cv2.INTER_CUBIC)
    index = (across + 1000.0).astype(int) % 2000, (along + 1000.0 + 37.0 * plank).astype(int) % 2000
    colours = tones[plank % 2] * (own * (1.0 + planks.grain * grain[index]))[:, None]
    beside = np.minimum(across % planks.wide_mm, planks.wide_mm - across % planks.wide_mm)
    return np.asarray(colours * (1.0 - 0.6 * np.clip((planks.gap_mm / 2 - beside) / 0.6 + 0.5, 0.0, 1.0))[:, None])
