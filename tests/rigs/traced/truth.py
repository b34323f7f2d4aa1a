"""The truth of a rendered picture, as `pizzatable vision-report` judges by it and `vision.files.labels` checks it."""

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from tests.rigs.traced.bodies import Body, Floats, Layout
from tests.rigs.traced.camera import Camera
from tests.rigs.traced.resting import Rest

HAND = -2
THING = "thing"
"""What the label of a body says that is no piece."""
MARKERS_MM: dict[str, list[list[float]]] = {
    "0": [[-190.0, 190.0], [-154.0, 190.0], [-154.0, 154.0], [-190.0, 154.0]],
    "1": [[154.0, 190.0], [190.0, 190.0], [190.0, 154.0], [154.0, 154.0]],
    "2": [[154.0, -154.0], [190.0, -154.0], [190.0, -190.0], [154.0, -190.0]],
    "3": [[-190.0, -154.0], [-154.0, -154.0], [-154.0, -190.0], [-190.0, -190.0]],
}
"""The kit's mat, as in config/defaults.toml."""

Shown = npt.NDArray[np.int64]


def truth(
    layout: Layout,
    rests: Sequence[Rest],
    camera: Camera,
    shown: Shown,
    finger_mm: tuple[float, float, float] | None = None,
    notes: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Everything that is known of a picture; `shown` is the index of the body that each pixel shows.

    `finger_mm` is where a hand's finger ends and the direction in which it points, in degrees.
    """
    pieces = [
        _piece(body, rest, camera, shown, index)
        for index, (body, rest) in enumerate(zip(layout.bodies, rests, strict=True))
        if body.label["kind"] != THING
    ]
    arrangement = dict(layout.arrangement)
    if finger_mm is not None:
        pieces.append(_hand(shown, finger_mm))
        arrangement["covered_by_hand"] = _covered(layout.bodies, pieces, shown)
    markers = {
        key: _pairs(camera.project(np.array([[*corner, 0.0] for corner in corners])))
        for key, corners in MARKERS_MM.items()
    }
    return {
        "photo": f"{layout.name}.jpg",
        "style": layout.style,
        "kind": layout.kind,
        "image": {"width": camera.width, "height": camera.height},
        "table": {
            "markers_mm": MARKERS_MM if layout.mat else {},
            "markers_px": markers if layout.mat else {},
            "dictionary": "DICT_4X4_50",
            "mat_mm": 400 if layout.mat else None,
        },
        "camera": {
            "K": camera.K.round(4).tolist(),
            "dist": camera.dist.round(6).tolist(),
            "R": camera.R.round(8).tolist(),
            "t": camera.t.round(4).tolist(),
        },
        "arrangement": arrangement,
        "pieces": pieces,
        "things": _things(layout.bodies, shown),
        **(notes or {}),
    }


def outline_px(body: Body, rest: Rest, camera: Camera) -> Floats:
    """A body's outline in the picture, n x 2: a plate's and a topping's upper face, another solid's silhouette."""
    if body.mesh is None or body.label["kind"] == "topping":
        points = np.column_stack([body.outline, np.full(len(body.outline), body.thickness)])
        return camera.project(rest.points(points))
    seen = camera.project(rest.points(body.mesh.vertices)).astype(np.float32)
    return np.asarray(cv2.convexHull(seen), dtype=np.float64).reshape(-1, 2)


def _piece(body: Body, rest: Rest, camera: Camera, shown: Shown, index: int) -> dict[str, Any]:
    outline = outline_px(body, rest, camera)
    inside = _inside(outline, shown)
    top = rest.points(np.array([[0.0, 0.0, body.thickness]]))[0]
    found: dict[str, Any] = {
        "face": None,
        "face_up": True,
        **body.label,
        "x_mm": round(float(top[0]), 2),
        "y_mm": round(float(top[1]), 2),
        "angle_deg": round(body.angle_deg % 360, 2),
        "height_mm": round(float(top[2]), 2),
        "outline_px": _pairs(outline),
        "visible": round(float((shown[inside] == index).mean()), 3) if inside.any() else 0.0,
    }
    for name, points in body.marks.items():
        on_table = rest.points(points)
        found[f"{name}_px"] = _pairs(camera.project(on_table))
        found[f"{name}_mm"] = _pairs(on_table[:, :2])
    return found


def _inside(outline: Floats, shown: Shown) -> npt.NDArray[np.bool_]:
    mask = np.zeros(shown.shape, np.uint8)
    cv2.fillPoly(mask, [np.round(outline * 16).astype(np.int32).reshape(-1, 1, 2)], 1, cv2.LINE_8, 4)
    return np.asarray(mask > 0)


def _hand(shown: Shown, finger_mm: tuple[float, float, float]) -> dict[str, Any]:
    contours, _ = cv2.findContours((shown == HAND).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_TC89_L1)
    outlines = [np.asarray(c, dtype=np.float64).reshape(-1, 2) for c in contours if len(c) > 3]
    outlines.sort(key=lambda one: -float(np.prod(np.ptp(one, axis=0))))
    return {
        "kind": "hand",
        "face": None,
        "face_up": True,
        "x_mm": round(finger_mm[0], 2),
        "y_mm": round(finger_mm[1], 2),
        "angle_deg": round(finger_mm[2] % 360, 2),
        "outline_px": _pairs(outlines[0]) if outlines else None,
        "outlines_px": [_pairs(one) for one in outlines],
        "visible": 1.0,
    }


def _things(bodies: Sequence[Body], shown: Shown) -> list[dict[str, Any]]:
    """What is no piece, each with its name, where it was laid, and the outlines of what shows of it."""
    found = []
    for number in sorted({body.label["number"] for body in bodies if body.label["kind"] == THING}):
        parts = [i for i, body in enumerate(bodies) if body.label.get("number") == number]
        mask = np.isin(shown, parts).astype(np.uint8)
        contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_TC89_L1)
        outlines = [np.asarray(c, dtype=np.float64).reshape(-1, 2) for c in contours if len(c) > 3]
        said = {key: bodies[parts[0]].label[key] for key in ("thing", "place")}
        found.append({**said, "outlines_px": [_pairs(one) for one in outlines]})
    return found


def _covered(bodies: Sequence[Body], pieces: Sequence[dict[str, Any]], shown: Shown) -> list[dict[str, Any]]:
    """What lies under the hand, more than 2 % of it."""
    found = []
    for index, body in enumerate(bodies):
        inside = _inside(np.array(pieces[index]["outline_px"]), shown)
        share = float((shown[inside] == HAND).mean()) if inside.any() else 0.0
        if share > 0.02:
            found.append({"piece": index, "face": body.label.get("face"), "share": round(share, 3)})
    return found


def _pairs(points: Floats) -> list[list[float]]:
    return [[round(float(x), 2), round(float(y), 2)] for x, y in points]
