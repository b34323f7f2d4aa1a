"""The file of a calibrated lens, which `pizzatable calibrate` writes."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from vision.mat.calibration import Calibration
from vision.mat.errors import LensFileError
from vision.mat.lens import Lens


def lens_text(calibration: Calibration, camera: str) -> str:
    """The file's text (JSON). `camera` says which one it is."""
    lens = calibration.lens
    content = {
        "camera": camera,
        "size_px": list(calibration.size_px),
        "lens": {name: round(value, 6) for name, value in asdict(lens).items()},
        "error_px": round(calibration.error_px, 4),
        "views": len(calibration.views),
        "covered": round(calibration.covered, 3),
    }
    return json.dumps(content, indent=2) + "\n"


def load_lens(path: Path, size_px: tuple[int, int] | None = None) -> Lens:
    """The lens in a file; with `size_px`, for pictures of that size.

    Raises:
        LensFileError: it is no such file, or was made for pictures of another shape.
        OSError: it cannot be read.
    """
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise LensFileError(f"{path} is no JSON; expected a file that `pizzatable calibrate` wrote") from error
    lens = Lens(*(_number(content, path, "lens", name) for name in ("focal_widths", "k1", "k2")))
    # Lenses that were found before axes were have none.
    lens = replace(
        lens, **{name: _number(content, path, "lens", name) for name in ("right", "down") if name in content["lens"]}
    )
    width, height = (_number(content, path, "size_px", side) for side in (0, 1))
    beside = max(abs(lens.right), abs(lens.down))
    if not 0.2 < lens.focal_widths < 10.0 or beside > 0.5 or width < 1.0 or height < 1.0:
        raise LensFileError(f"{path}: {lens} for {width:.0f}x{height:.0f} is no camera's lens")
    if size_px is not None and not of_one_shape(size_px, (width, height)):
        raise LensFileError(
            f"{path}: it was made from pictures of {width:.0f}x{height:.0f} and does not hold for "
            f"{size_px[0]}x{size_px[1]}, which is another shape; calibrate again"
        )
    return lens


def of_one_shape(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Whether pictures of these two sizes (width and height) are as wide for their height: a lens holds for both."""
    return abs(one[0] * other[1] - one[1] * other[0]) <= 0.01 * one[0] * other[1]


def _number(content: Any, path: Path, key: str, part: str | int) -> float:
    """A number in a lens file: `key` and, in that object or list, `part`."""
    place = f"{key}.{part}" if isinstance(part, str) else f"{key}[{part}]"
    held = content.get(key) if isinstance(content, dict) else None
    if isinstance(part, str):
        value = held.get(part) if isinstance(held, dict) else None
    else:
        value = held[part] if isinstance(held, list) and part < len(held) else None
    if not isinstance(value, int | float) or isinstance(value, bool) or not -1e6 < value < 1e6:
        said = "is missing" if value is None else f"is {json.dumps(value)[:60]}"
        raise LensFileError(f"{path}: {place} {said}; expected a number, as `pizzatable calibrate` writes it")
    return float(value)
