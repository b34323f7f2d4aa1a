"""From a world's snapshot to the picture that a camera above it takes.

The table with everything that lies still is kept lit and blurred; a frame redraws only what changed since, and
what hands move. A picture depends on its snapshot, the art, the camera and the conditions alone.
"""

import math
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.kit.theory import CUTTER_MM, SLEEVE_MM
from hardware.simulated import surroundings
from hardware.simulated.artwork import Artwork, Picture
from hardware.simulated.bodies import TILE_MM, piece_outline, thickness_mm
from hardware.simulated.dice import DieView, draw_die
from hardware.simulated.hands import draw_hand
from hardware.simulated.lens import CameraModel
from hardware.simulated.lying import TILES, Lying, lying, placed
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import HandView, PieceView, WorldSnapshot
from vision.scene import PieceKind, Point, Pose

_FLATTEST = 0.06
"""A piece on edge still shows this share of its width."""
_CARDBOARD = (150, 172, 186)
_STICK_SIDES = (0.0, 0.35, 0.7)
"""A stick's sides show the same as its top: they are drawn as tops so far up."""
_BLUR_MARGIN = 6
_MAT_PX_PER_MM = 4
_SAME_LIGHT = 0.004
"""A picture that is brighter or darker by less, one level of 255, is the same."""
_SAME_SCALE = 1e-9
"""Scales that differ by this share differ by rounding alone."""
_NOISE_MARGIN = 64
_FACES_KEPT = 200
_LAMP_SLOPE = 0.9
"""How far a shadow reaches for a millimetre of height."""

_Floats = NDArray[np.float32]
_Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Rect:
    """Columns and rows, ends not included."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def empty(self) -> bool:
        return self.right <= self.left or self.bottom <= self.top

    @property
    def area(self) -> int:
        return 0 if self.empty else (self.right - self.left) * (self.bottom - self.top)

    def slices(self) -> tuple[slice, slice]:
        return slice(self.top, self.bottom), slice(self.left, self.right)

    def common(self, other: "_Rect") -> "_Rect":
        return _Rect(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )

    def around(self, other: "_Rect") -> "_Rect":
        return _Rect(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )

    def grown(self, by: int) -> "_Rect":
        return _Rect(self.left - by, self.top - by, self.right + by, self.bottom + by)


@dataclass(frozen=True, slots=True)
class _Shadow:
    """A die's shadow: it falls before any die is drawn, so that it darkens none."""

    die: DieView


_Thing = PieceView | DieView | _Shadow


@dataclass(frozen=True, slots=True)
class _Body:
    """A piece at its height, or a die or its shadow, drawn."""

    view: _Thing
    lies: Lying
    rect: _Rect
    """All that it changes in the picture, shadow included."""
    layer: Picture
    """The piece itself, premultiplied, covering `rect`."""
    shade: Picture | None
    """Its shadow, covering `rect`; None for a piece in a hand, whose shadow is the hand's, and for a die without it."""
    shadow_px: _Matrix
    """The shadow's outline."""


def in_drawing_order(dice: Sequence[DieView], camera: CameraModel) -> list[DieView]:
    """The farthest from the camera first: a nearer one may hide it."""
    x, y, _ = camera.position_mm
    return sorted(dice, key=lambda die: -math.hypot(die.pose.x_mm - x, die.pose.y_mm - y))


class Renderer:
    """Renders snapshots of one table for one camera; keeps what lies still."""

    def __init__(
        self,
        art: Mapping[str, Artwork],
        camera: CameraModel,
        conditions: Conditions,
        seed: int | None = None,
        table_px_per_mm: float | None = None,
    ) -> None:
        """`seed` decides grain, skin and noise; the conditions' own if None. The table top is drawn with
        `table_px_per_mm`, on which its grain depends, too; as finely as this camera shows it if None."""
        self.camera = camera
        self.conditions = conditions
        self._seed = conditions.seed if seed is None else seed
        self._table_px_per_mm = table_px_per_mm or texture_scale(camera)
        self._art = art
        self._scaled: dict[str, Artwork] = {}
        grid_x, grid_y = camera.table_grid()
        self._grid = np.dstack([grid_x, grid_y])
        self._whole = _Rect(0, 0, camera.width, camera.height)
        turn = math.radians(conditions.lamp_deg)
        self._shadow_way = (-math.cos(turn) * _LAMP_SLOPE, -math.sin(turn) * _LAMP_SLOPE)
        self._exposed = (1.0, 1.0, 1.0)
        self._gain = surroundings.light_gain(conditions, grid_x, grid_y)
        self._glare = surroundings.glare_light(conditions, grid_x, grid_y)
        self._base = self._draw_base()
        self._still = self._base.copy()
        self._work = self._base.copy()
        self._lit = self._lit_part(self._whole, self._still, self._whole).copy()
        self._bodies: tuple[_Body, ...] = ()
        self._noise = _noise_pool(camera, conditions.noise)

    def seen_by(self, camera: CameraModel) -> "Renderer":
        """One of the same table for another camera."""
        return Renderer(self._art, camera, self.conditions, self._seed, self._table_px_per_mm)

    def render(self, snapshot: WorldSnapshot) -> Picture:
        """The picture, shape (height, width, 3), blue-green-red."""
        self._settle([view for view in snapshot.pieces if view.holder is None], snapshot.dice)
        frame = self._lit.copy()
        groups = [self._group(snapshot, hand) for hand in snapshot.hands]
        self._draw_groups(frame, [group for group in groups if not group.rect.empty])
        self._add_noise(frame, snapshot.time_s)
        return frame

    def expose(self, blue: float, green: float, red: float, noise: float = 1.0) -> None:
        """From now on pictures show so many times as much of each colour, in levels, as the conditions say, and so many
        times as much noise."""
        if max(abs(new / old - 1.0) for new, old in zip((blue, green, red), self._exposed, strict=True)) < _SAME_LIGHT:
            return
        self._exposed = (blue, green, red)
        grid_x, grid_y = (np.asarray(plane, np.float32) for plane in cv2.split(self._grid))
        self._gain = surroundings.light_gain(self.conditions, grid_x, grid_y, self._exposed)
        self._glare = surroundings.glare_light(self.conditions, grid_x, grid_y, self._exposed)
        self._lit = self._lit_part(self._whole, self._still, self._whole).copy()
        self._noise = _noise_pool(self.camera, self.conditions.noise * noise)

    def hiding(self, snapshot: WorldSnapshot) -> list[Picture]:
        """For each hand, shape (height, width), how far it and what it holds cover each pixel, 0 to 255."""
        masks = []
        for hand in snapshot.hands:
            group = self._group(snapshot, hand)
            mask = np.zeros((self.camera.height, self.camera.width), np.uint8)
            if not group.rect.empty:
                mask[group.rect.slices()] = self._group_layer(group)[..., 3]
            masks.append(mask)
        return masks

    # What lies still ------------------------------------------------------------------------------------------

    def _draw_base(self) -> Picture:
        """Table and mat, not lit."""
        scale = self._table_px_per_mm
        table = _table_top(self.conditions.surface, scale, self._seed)
        to_table = np.array(
            [
                [scale, 0, surroundings.TABLE_WIDTH_MM / 2 * scale - 0.5],
                [0, -scale, surroundings.TABLE_HEIGHT_MM / 2 * scale - 0.5],
            ]
        )
        image = _sampled(table, cv2.transform(self._grid, to_table), cv2.BORDER_REFLECT)
        self._lay_mat(image)
        return image

    def _lay_mat(self, image: Picture) -> None:
        mat = _mat(self.conditions.mat, texture_scale(self.camera), self._seed, self.conditions.corners)
        half = surroundings.MAT_MM / 2
        outline = [(-half, -half), (half, -half), (half, half), (-half, half)]
        shadow = self._project(outline, 0.0, (1.6 * self._shadow_way[0], 1.6 * self._shadow_way[1]))
        rect = self._bounds(shadow, 12)
        target = image[rect.slices()]
        _darken(target, self._soft_shadow(rect, shadow, 1.2), self.conditions.shadow)
        way = self._texture_map(mat, Pose(0, 0, 90), 0.0, 1.0)
        _over(target, _sampled(mat.image, cv2.transform(self._grid[rect.slices()], way)))

    def _settle(self, views: Sequence[PieceView], dice: Sequence[DieView] = ()) -> None:
        """Bring the kept picture up to date with what lies still."""
        known = {body.view: body for body in self._bodies}
        in_order = in_drawing_order(dice, self.camera)
        standing: list[_Thing] = [*map(_Shadow, in_order), *in_order]
        things = [*views, *standing]
        if len(known) == len(things) and all(
            body.view == thing for body, thing in zip(self._bodies, things, strict=True)
        ):
            return
        how = [*lying(views), *(Lying(0.0) for _ in standing)]
        bodies = tuple(
            known[thing] if thing in known and known[thing].lies == lies else self._drawn(thing, lies)
            for thing, lies in zip(things, how, strict=True)
        )
        dirty = self._changed(self._bodies, bodies)
        self._bodies = bodies
        for rect in dirty:
            self._redraw(rect.common(self._whole))

    def _changed(self, before: tuple[_Body, ...], after: tuple[_Body, ...]) -> list[_Rect]:
        old, new = {id(body) for body in before}, {id(body) for body in after}
        stayed_before = [id(body) for body in before if id(body) in new]
        stayed_after = [id(body) for body in after if id(body) in old]
        if stayed_before != stayed_after:
            return [self._whole]
        changed = [body.rect for body in before if id(body) not in new] + [
            body.rect for body in after if id(body) not in old
        ]
        return _merged([rect for rect in changed if not rect.empty])

    def _redraw(self, rect: _Rect) -> None:
        rows, columns = rect.slices()
        self._still[rows, columns] = self._base[rows, columns]
        for body in self._bodies:
            clip = body.rect.common(rect)
            if not clip.empty:
                self._draw_lying(self._still, body, clip)
        touched = rect.grown(_BLUR_MARGIN).common(self._whole)
        rows, columns = touched.slices()
        self._lit[rows, columns] = self._lit_part(touched, self._still, self._whole)

    def _draw_lying(self, image: Picture, body: _Body, clip: _Rect) -> None:
        target, part = image[clip.slices()], _within(clip, body.rect)
        if body.shade is not None:
            _darken(target, np.ascontiguousarray(body.shade[part]), self.conditions.shadow)
        _over(target, body.layer[part])

    # What moves -----------------------------------------------------------------------------------------------

    def _group(self, snapshot: WorldSnapshot, hand: HandView) -> "_Group":
        held = [view for view in snapshot.pieces if view.holder == hand.seat]
        bodies = tuple(self._body(view, Lying(view.lift_mm + TILE_MM * k)) for k, view in enumerate(held))
        sprite = draw_hand(hand.seat, hand.grip > 0.5, self._seed % 97)
        angle = math.degrees(math.atan2(hand.fingertip[1] - hand.shoulder[1], hand.fingertip[0] - hand.shoulder[0]))
        pose = Pose(hand.fingertip[0], hand.fingertip[1], angle)
        lift = hand.height_mm + max((body.lies.base_mm for body in bodies), default=0.0)
        corners = self._sprite_corners(sprite, pose, lift)
        rect = self._bounds(corners, 4)
        for body in bodies:
            rect = rect if body.rect.empty else rect.around(body.rect)
        reach = max([math.hypot(*hand.speed_mm_s)] + [math.hypot(*view.speed_mm_s) for view in held])
        smear = (hand.speed_mm_s if not held else held[0].speed_mm_s) if reach > 0 else (0.0, 0.0)
        per_mm = self.camera.px_per_mm * self.conditions.exposure_s
        smear_px = (round(abs(smear[0]) * per_mm), round(abs(smear[1]) * per_mm))
        shadow = (lift * self._shadow_way[0], lift * self._shadow_way[1])
        return _Group(bodies, sprite, pose, lift, shadow, smear_px, rect.grown(max(smear_px)).common(self._whole))

    def _sprite_corners(self, sprite: Artwork, pose: Pose, lift: float) -> _Matrix:
        height, width = sprite.image.shape[:2]
        left, up = sprite.anchor_px[0] / sprite.px_per_mm, sprite.anchor_px[1] / sprite.px_per_mm
        right, down = width / sprite.px_per_mm - left, min(height / sprite.px_per_mm - up, 900.0)
        local = [(up, left), (up, -right), (-down, -right), (-down, left)]
        return self._project(placed(local, pose), lift)

    def _draw_groups(self, frame: Picture, groups: list["_Group"]) -> None:
        spread = 14.0 * self.camera.px_per_mm
        rects = [self._with_shadow(group, spread).common(self._whole) for group in groups]
        for rect in rects:
            part = rect.grown(_BLUR_MARGIN).common(self._whole).slices()
            self._work[part] = self._still[part]
        for group, rect in zip(groups, rects, strict=True):
            self._shade_group(rect, group)
        for group in groups:
            self._draw_group(group)
        for rect in rects:
            frame[rect.slices()] = self._lit_part(rect, self._work, self._whole)

    def _with_shadow(self, group: "_Group", spread: float) -> _Rect:
        dx, dy = group.shadow_mm[0] * self.camera.px_per_mm, -group.shadow_mm[1] * self.camera.px_per_mm
        moved = _Rect(
            int(group.rect.left + dx - spread), int(group.rect.top + dy - spread),
            int(group.rect.right + dx + spread), int(group.rect.bottom + dy + spread),
        )  # fmt: skip
        return group.rect.around(moved)

    def _shade_group(self, rect: _Rect, group: "_Group") -> None:
        """The soft shadow of a hand and what it holds, drawn coarsely: it has no edges."""
        way = self._texture_map(group.sprite, group.pose, 0.0, 1.0, group.shadow_mm)
        small = _sampled(_alpha_of(group.sprite), cv2.transform(self._grid[rect.slices()][::4, ::4], way))
        for body in group.bodies:
            cv2.fillConvexPoly(small, _sixteenths(body.shadow_px, rect) // 4, (255,), cv2.LINE_AA, 4)
        soft = cv2.GaussianBlur(small, (0, 0), max(0.8, (3.0 + 0.16 * group.lift_mm) * self.camera.px_per_mm / 4))
        target = self._work[rect.slices()]
        mask = cv2.resize(soft, (target.shape[1], target.shape[0]), interpolation=cv2.INTER_LINEAR)
        _darken(target, np.asarray(mask, np.uint8), self.conditions.shadow)

    def _draw_group(self, group: "_Group") -> None:
        _over(self._work[group.rect.slices()], self._group_layer(group))

    def _group_layer(self, group: "_Group") -> Picture:
        """A hand and what it holds, premultiplied, covering the group's rectangle."""
        rect = group.rect
        layer = np.zeros((rect.bottom - rect.top, rect.right - rect.left, 4), np.uint8)
        for body in group.bodies:
            inner = body.rect.common(rect)
            if not inner.empty:
                _over(layer[_within(inner, rect)], body.layer[_within(inner, body.rect)])
        way = self._texture_map(group.sprite, group.pose, group.lift_mm, 1.0)
        _over(layer, _sampled(group.sprite.image, cv2.transform(self._grid[rect.slices()], way)))
        if max(group.smear_px) > 1:
            layer = np.asarray(cv2.blur(layer, (group.smear_px[0] + 1, group.smear_px[1] + 1)), np.uint8)
        return layer

    # One piece, one die -----------------------------------------------------------------------------------------

    def _drawn(self, thing: _Thing, lies: Lying) -> _Body:
        if isinstance(thing, DieView):
            return self._die(thing)
        return self._die_shadow(thing) if isinstance(thing, _Shadow) else self._body(thing, lies)

    def _die(self, die: DieView) -> _Body:
        corners = np.vstack([die.corners_mm(0.0), die.corners_mm(1.0)])
        rect = self._bounds(self.camera.project(corners), 3)
        layer = np.zeros((max(rect.bottom - rect.top, 0), max(rect.right - rect.left, 0), 4), np.uint8)
        if not rect.empty:
            grid = np.ascontiguousarray(self._grid[rect.slices()])
            layer = draw_die(die, grid, self.camera.position_mm, self._shadow_way, self.conditions.shadow)
        return _Body(die, Lying(0.0), rect, layer, None, np.zeros((0, 2)))

    def _die_shadow(self, shadow: _Shadow) -> _Body:
        die = shadow.die
        inset = 1.0 - die.look.rounding
        ground = np.array([die.pose.x_mm, die.pose.y_mm, die.base_mm])
        corners = (die.corners_mm(0.0) - ground) * inset + ground
        thrown = corners + np.append(np.array(self._shadow_way) * die.side_mm * inset, 0.0)
        outline = self.camera.project(np.vstack([corners, thrown]))
        hull = cv2.convexHull(outline.astype(np.float32)).reshape(-1, 2).astype(np.float64)
        soft_mm = 0.8 + 0.06 * die.side_mm
        rect = self._bounds(hull, math.ceil(3.0 * soft_mm * self.camera.px_per_mm))
        layer = np.zeros((max(rect.bottom - rect.top, 0), max(rect.right - rect.left, 0), 4), np.uint8)
        shade = None if rect.empty else self._soft_shadow(rect, hull, soft_mm)
        return _Body(shadow, Lying(0.0), rect, layer, shade, hull)

    def _body(self, view: PieceView, lies: Lying) -> _Body:
        flip = max(_FLATTEST, view.flip)
        own = [(x, y * flip) for x, y in piece_outline(view.kind)]
        outline = placed(own, view.pose)
        base_mm = lies.base_at(np.array([x for x, _ in own]))
        top_mm = base_mm + thickness_mm(view.kind)
        sides = np.vstack([self._project(outline, base_mm), self._project(outline, top_mm)])
        reach = top_mm if view.holder is not None or view.kind not in TILES else np.full(len(own), TILE_MM)
        shadow = self._project(outline, 0.0, reach[:, None] * np.array(self._shadow_way))
        if view.holder is None:
            rect = self._bounds(np.vstack([sides, shadow]), math.ceil(4.0 * self.camera.px_per_mm))
        else:
            rect = self._bounds(sides, 3)
        if rect.empty:
            return _Body(view, lies, rect, np.zeros((0, 0, 4), np.uint8), None, shadow)
        layer = np.zeros((rect.bottom - rect.top, rect.right - rect.left, 4), np.uint8)
        hull = cv2.convexHull(sides.astype(np.float32)).reshape(-1, 2)
        cv2.fillConvexPoly(layer, _sixteenths(hull, rect), (*_CARDBOARD, 255), cv2.LINE_AA, 4)
        art = self._artwork(view.face)
        for share in (*_STICK_SIDES, 1.0) if view.kind is PieceKind.CUTTER else (1.0,):
            high_mm = lies.base_mm + share * thickness_mm(view.kind)
            way = self._texture_map(art, view.pose, high_mm, flip)
            if lies.rise_mm:
                way = self._tilted(way, view.pose, high_mm, lies.rise_mm)
            _over(layer, _sampled(art.image, cv2.transform(self._grid[rect.slices()], way)))
        shade = self._soft_shadow(rect, shadow, 1.3) if view.holder is None else None
        return _Body(view, lies, rect, layer, shade, shadow)

    def _tilted(self, way: _Matrix, pose: Pose, height_mm: float, rise_mm: float) -> _Matrix:
        """The texture map of a stick at a height in its middle whose pointed end lies higher than the other. It is
        narrow: both its ends and one place beside its middle tell all."""
        half = CUTTER_MM / 2
        spots = np.array(placed([(-half, 0.0), (half, 0.0), (0.0, SLEEVE_MM)], pose))
        heights = height_mm + rise_mm * np.array([-0.5, 0.5, 0.0])
        flat, tilted = (self._seen_on_table(spots, mm) for mm in (np.full(3, height_mm), heights))
        texture = np.column_stack([flat, np.ones(3)]) @ way.T
        return np.asarray(cv2.getAffineTransform(tilted.astype(np.float32), texture.astype(np.float32)), np.float64)

    def _seen_on_table(self, points_mm: _Matrix, heights_mm: _Matrix) -> _Matrix:
        """Where points at heights seem to lie at height 0."""
        x_cam, y_cam, z_cam = self.camera.position_mm
        share = (heights_mm / z_cam)[:, None]
        return np.asarray((points_mm - share * np.array([x_cam, y_cam])) / (1.0 - share))

    def _artwork(self, face: str) -> Artwork:
        found = self._scaled.get(face)
        if found is None:
            if face not in self._art:
                raise KeyError(f"no art for face {face!r} among the {len(self._art)} faces given to this renderer")
            found = _premultiplied(at_scale(self._art[face], texture_scale(self.camera)))
            if len(self._scaled) >= _FACES_KEPT:
                del self._scaled[next(iter(self._scaled))]  # the oldest: what is written on never looks so again
            self._scaled[face] = found
        return found

    # Geometry and light ---------------------------------------------------------------------------------------

    def _project(
        self, points: Sequence[Point], height_mm: float | _Matrix, shift: Point | _Matrix = (0.0, 0.0)
    ) -> _Matrix:
        flat = np.asarray(points, np.float64) + shift
        return self.camera.project(np.column_stack([flat, np.broadcast_to(height_mm, len(flat))]))

    def _bounds(self, points_px: _Matrix, margin: int) -> _Rect:
        left, top = np.floor(points_px.min(axis=0)).astype(int) - margin
        right, bottom = np.ceil(points_px.max(axis=0)).astype(int) + 1 + margin
        return _Rect(int(left), int(top), int(right), int(bottom)).common(self._whole)

    def _texture_map(
        self, art: Artwork, pose: Pose, height_mm: float, squash: float, shift: Point = (0.0, 0.0)
    ) -> _Matrix:
        """2 x 3: from what `table_grid` says of a pixel to the texture's column and row, for a face at a height."""
        x_cam, y_cam, z_cam = self.camera.position_mm
        share = height_mm / z_cam
        angle = math.radians(pose.angle_deg)
        along, across = (math.cos(angle), math.sin(angle)), (math.sin(angle), -math.cos(angle))
        from_x = share * x_cam - pose.x_mm - shift[0]
        from_y = share * y_cam - pose.y_mm - shift[1]
        scale = art.px_per_mm
        wide = scale / squash
        keep = 1 - share
        return np.array(
            [
                [wide * across[0] * keep, wide * across[1] * keep,
                 art.anchor_px[0] + wide * (across[0] * from_x + across[1] * from_y)],
                [-scale * along[0] * keep, -scale * along[1] * keep,
                 art.anchor_px[1] - scale * (along[0] * from_x + along[1] * from_y)],
            ]
        )  # fmt: skip

    def _soft_shadow(self, rect: _Rect, outline_px: _Matrix, blur_mm: float) -> Picture:
        mask = np.zeros((rect.bottom - rect.top, rect.right - rect.left), np.uint8)
        cv2.fillConvexPoly(mask, _sixteenths(outline_px, rect), (255,), cv2.LINE_AA, 4)
        return np.asarray(cv2.GaussianBlur(mask, (0, 0), blur_mm * self.camera.px_per_mm), np.uint8)

    def _lit_part(self, rect: _Rect, image: Picture, origin: _Rect) -> Picture:
        """Light, glare and focus for one rectangle of an unlit picture that covers `origin`."""
        wide = rect.grown(_BLUR_MARGIN).common(origin)
        lit = cv2.multiply(image[_within(wide, origin)], self._gain[wide.slices()], scale=1 / 128.0)
        if self._glare is not None:
            lit = cv2.add(lit, self._glare[wide.slices()])
        sigma = self.conditions.blur_px * self.camera.width / 1280.0
        if sigma > 0.2:
            lit = cv2.GaussianBlur(lit, (_BLUR_MARGIN + 1, _BLUR_MARGIN + 1), sigma)
        return np.asarray(lit, np.uint8)[_within(rect, wide)]

    def _add_noise(self, frame: Picture, time_s: float) -> None:
        if self._noise is None:
            return
        number = zlib.crc32(struct.pack("<dq", time_s, self._seed))
        row, column = number % _NOISE_MARGIN, (number >> 8) % _NOISE_MARGIN
        rows, columns = slice(row, row + frame.shape[0]), slice(column, column + frame.shape[1])
        brighter, darker = self._noise
        if number & 0x10000:
            brighter, darker = darker, brighter
        cv2.add(frame, brighter[rows, columns], dst=frame)
        cv2.subtract(frame, darker[rows, columns], dst=frame)


@dataclass(frozen=True, slots=True)
class _Group:
    """A hand and what it holds."""

    bodies: tuple[_Body, ...]
    sprite: Artwork
    pose: Pose
    lift_mm: float
    shadow_mm: Point
    smear_px: tuple[int, int]
    rect: _Rect


def texture_scale(camera: CameraModel) -> float:
    """Pixels per millimetre in which a camera's table and pieces are drawn before they are laid in its picture."""
    return camera.px_per_mm * 1.3


def at_scale(art: Artwork, px_per_mm: float) -> Artwork:
    """The art made smaller, to at most `px_per_mm`. Who makes many renderers gives them art that is so already."""
    factor = px_per_mm / art.px_per_mm
    if factor >= 1 - _SAME_SCALE:
        return art
    height, width = art.image.shape[:2]
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    # One factor for both directions keeps the geometry exact: pad to a size that it divides evenly enough.
    exact = (size[0] / factor, size[1] / factor)
    scale = np.array([[factor, 0, 0.5 * factor - 0.5], [0, factor, 0.5 * factor - 0.5]])
    if abs(exact[0] - width) < 0.01 and abs(exact[1] - height) < 0.01:
        small = cv2.resize(art.image, size, interpolation=cv2.INTER_AREA)
    else:
        sigma = 0.42 / factor
        soft = cv2.GaussianBlur(_premultiply(art.image), (0, 0), sigma)
        small = cv2.warpAffine(soft, scale, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        small = _unpremultiply(np.asarray(small, np.uint8))
    anchor = ((art.anchor_px[0] + 0.5) * factor - 0.5, (art.anchor_px[1] + 0.5) * factor - 0.5)
    return Artwork(np.asarray(small, np.uint8), px_per_mm, anchor)


def _within(rect: _Rect, origin: _Rect) -> tuple[slice, slice]:
    """The rectangle's rows and columns in an array that covers `origin`."""
    return (
        slice(rect.top - origin.top, rect.bottom - origin.top),
        slice(rect.left - origin.left, rect.right - origin.left),
    )


def _sixteenths(points_px: NDArray[Any], origin: _Rect) -> NDArray[np.int32]:
    """Points in sixteenths of a pixel from the rectangle's corner, as cv2 draws them with shift 4."""
    return np.round((points_px - (origin.left, origin.top)) * 16).astype(np.int32)


def _merged(rects: Sequence[_Rect]) -> list[_Rect]:
    """Rectangles that share pixels, or nearly fill their common frame, joined."""
    merged: list[_Rect] = []
    for rect in rects:
        while True:
            partner = next((other for other in merged if not other.grown(_BLUR_MARGIN).common(rect).empty), None)
            if partner is None:
                break
            merged.remove(partner)
            rect = rect.around(partner)
        merged.append(rect)
    return merged


def _premultiply(image: Picture) -> Picture:
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_RGBA2mRGBA), np.uint8)


def _unpremultiply(image: Picture) -> Picture:
    alpha = np.maximum(image[..., 3:], 1).astype(np.float32) / 255.0
    return np.dstack([np.clip(np.round(image[..., :3] / alpha), 0, 255).astype(np.uint8), image[..., 3]])


def _premultiplied(art: Artwork) -> Artwork:
    return Artwork(_premultiply(art.image), art.px_per_mm, art.anchor_px)


def _alpha_of(art: Artwork) -> Picture:
    return np.ascontiguousarray(art.image[..., 3])


def _sampled(picture: Picture, where: cv2.typing.MatLike, border: int = cv2.BORDER_CONSTANT) -> Picture:
    """The picture's values at the places (column, row) given for every pixel."""
    # A map of two channels needs no second map; cv2's type hints do not know.
    sampled = cv2.remap(picture, where, None, cv2.INTER_LINEAR, borderMode=border)  # type: ignore[call-overload]
    return np.asarray(sampled, np.uint8)


def _over(target: Picture, layer: Picture) -> None:
    """Lay a premultiplied layer over a picture (3 or 4 channels), in place."""
    clear = cv2.bitwise_not(cv2.extractChannel(layer, 3))
    channels = target.shape[2]
    kept = cv2.multiply(target, cv2.merge([clear] * channels), scale=1 / 255.0)
    source = layer if channels == 4 else cv2.cvtColor(layer, cv2.COLOR_BGRA2BGR)
    target[:] = cv2.add(kept, source)


def _darken(target: Picture, mask: Picture, strength: float) -> None:
    """Multiply by 1 - strength where the mask is full, in place."""
    factor = cv2.convertScaleAbs(mask, alpha=-strength, beta=255.0)
    target[:] = cv2.multiply(target, cv2.merge([factor] * 3), scale=1 / 255.0)


def _noise_pool(camera: CameraModel, deviation: float) -> tuple[Picture, Picture] | None:
    """What noise adds and what it takes away, a little larger than a picture."""
    if deviation <= 0:
        return None
    noise, dither = _unit_noise(camera.width + _NOISE_MARGIN, camera.height + _NOISE_MARGIN)
    brighter = cv2.addWeighted(noise, deviation, dither, 1.0, 0.0, dtype=cv2.CV_8U)
    darker = cv2.addWeighted(noise, -deviation, dither, -1.0, 0.0, dtype=cv2.CV_8U)
    return np.asarray(brighter, np.uint8), np.asarray(darker, np.uint8)


@lru_cache(maxsize=2)
def _table_top(surface: surroundings.Surface, px_per_mm: float, seed: int) -> Picture:
    """What lies under everything: drawn once for all renderers of a table."""
    table = surroundings.draw_surface(surface, px_per_mm, seed)
    table.setflags(write=False)
    return table


@lru_cache(maxsize=2)
def _mat(
    style: surroundings.MatStyle, px_per_mm: float, seed: int, corners: tuple[tuple[float, float, float], ...]
) -> Artwork:
    drawn = surroundings.draw_mat(style, _MAT_PX_PER_MM, seed, corners)
    opaque = np.asarray(cv2.cvtColor(drawn, cv2.COLOR_BGR2BGRA), np.uint8)
    middle = drawn.shape[0] / 2 - 0.5
    return at_scale(Artwork(opaque, _MAT_PX_PER_MM, (middle, middle)), px_per_mm)


@lru_cache(maxsize=2)
def _unit_noise(width: int, height: int) -> tuple[_Floats, _Floats]:
    """Noise of deviation 1 as a sensor and its demosaicing make it, and what rounds it to whole levels by chance.

    Drawn once for each size of picture: it is the dearest part of a renderer.
    """
    rng = np.random.default_rng(0)
    grey = rng.standard_normal((height, width, 1), dtype=np.float32)
    colour = rng.standard_normal((height, width, 3), dtype=np.float32)
    noise = np.asarray(cv2.GaussianBlur(0.75 * grey + 0.66 * colour, (3, 3), 0.55), np.float32)
    noise /= float(noise.std())
    return noise, rng.random(noise.shape, dtype=np.float32) - np.float32(0.5)
