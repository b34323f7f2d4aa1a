"""Cards of SLICE as they are seen, laid by hand."""

import math

from vision.scene import FaceLikelihood, PieceKind, Pose, Sighting

SIZES_MM = {PieceKind.SLICE_CARD: (40.0, 56.0), PieceKind.ORDER_CARD: (70.0, 70.0)}
BACK, SAUCE = "slice/back", "slice/hot-sauce"


def card(face: str, x: float, y: float, angle: float, visible: float = 1.0) -> Sighting:
    kind = PieceKind.ORDER_CARD if face.startswith("order/") else PieceKind.SLICE_CARD
    width, height = SIZES_MM[kind]
    turn = math.radians(angle)
    corners = [(-height, -width), (height, -width), (height, width), (-height, width)]
    outline = tuple(
        (x + (a * math.cos(turn) - b * math.sin(turn)) / 2, y + (a * math.sin(turn) + b * math.cos(turn)) / 2)
        for a, b in corners
    )
    faces = (FaceLikelihood(face, 0.99),)
    return Sighting(kind, Pose(x, y, angle % 360), faces, not face.endswith("back"), visible, outline)


def around(order: Sighting, *faces: str | None) -> list[Sighting]:
    """Slices beyond an order's toppings, clockwise from its top; None leaves a place open."""
    ways = [math.radians(order.pose.angle_deg - 45 * k) for k in range(8)]
    return [
        card(face, order.pose.x_mm + 81 * math.cos(way), order.pose.y_mm + 79 * math.sin(way), math.degrees(way) + 3)
        for face, way in zip(faces, ways, strict=True)
        if face is not None
    ]
