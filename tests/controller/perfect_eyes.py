"""Scenes as perfect vision would give them, straight from the simulated world: for testing what sits above vision.

`doubt` takes certainty away from faces, to test questions.
"""

import math

from hardware.simulated.world import World, WorldSnapshot
from vision.scene import FaceLikelihood, HiddenCause, HiddenPlace, PieceKind, Point, Pose, Scene, Sighting

SLICE_MM = 100.0


class PerfectEyes:
    """Keeps what must be remembered between scenes: since when the world has been at rest."""

    def __init__(self, doubt: dict[str, tuple[tuple[str, float], ...]] | None = None) -> None:
        self._doubt = doubt or {}
        self._last: tuple[object, ...] = ()
        self._since_s = 0.0
        self._sequence = 0

    def scene(self, snapshot: WorldSnapshot) -> Scene:
        """What lies on the table at this moment."""
        self._sequence += 1
        lying = tuple((p.piece_id, p.pose, p.face) for p in snapshot.pieces)
        if lying != self._last or snapshot.hands:
            self._last, self._since_s = lying, snapshot.time_s
        return Scene(
            snapshot.time_s,
            self._sequence,
            tuple(
                Sighting(p.kind, p.pose, self._faces(p.face), p.face_up, 1.0, outline(p.kind, p.pose))
                for p in snapshot.pieces
                if p.holder is None
            ),
            tuple(HiddenPlace((h.fingertip, h.shoulder, h.fingertip), HiddenCause.HAND) for h in snapshot.hands),
            snapshot.time_s - self._since_s,
        )

    def _faces(self, face: str) -> tuple[FaceLikelihood, ...]:
        return tuple(FaceLikelihood(f, p) for f, p in self._doubt.get(face, ((face, 0.995),)))


def eyes_on(world: World) -> Scene:
    """One scene of a world, at rest for long."""
    scene = PerfectEyes().scene(world.snapshot())
    return Scene(scene.time_s, 1, scene.sightings, (), 60.0)


def outline(kind: PieceKind, pose: Pose) -> tuple[Point, ...]:
    """The outline of a piece, counter-clockwise."""
    angle = math.radians(pose.angle_deg)
    if kind is PieceKind.SPECIAL:
        up, right = (math.cos(angle), math.sin(angle)), (math.sin(angle), -math.cos(angle))
        corners = ((-30, -45), (30, -45), (30, 45), (-30, 45))
        return tuple((pose.x_mm + x * right[0] + y * up[0], pose.y_mm + x * right[1] + y * up[1]) for x, y in corners)
    arc = [angle + math.pi / 11 * k / 4 for k in range(-4, 5)]
    return (
        (pose.x_mm, pose.y_mm),
        *((pose.x_mm + SLICE_MM * math.cos(a), pose.y_mm + SLICE_MM * math.sin(a)) for a in arc),
    )
