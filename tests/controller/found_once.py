"""Finding the pieces in a picture takes a second: each picture's are found once, whichever test asks."""

from dataclasses import replace

from controller.enrolling import Spread, spread
from vision.frame import Image
from vision.mat.lens import Lens
from vision.scene import PieceKind

_FOUND: dict[tuple[bytes, frozenset[PieceKind], bytes, Lens | None], Spread] = {}


def spread_once(
    name: str, image: Image, kinds: frozenset[PieceKind], empty: Image | None = None, lens: Lens | None = None
) -> Spread:
    """`controller.enrolling.spread`."""
    key = image.tobytes(), kinds, b"" if empty is None else empty.tobytes(), lens
    if key not in _FOUND:
        _FOUND[key] = spread(name, image, kinds, empty, lens)
    return replace(_FOUND[key], name=name)


def spread_doubting_two(
    name: str, image: Image, kinds: frozenset[PieceKind], empty: Image | None = None, lens: Lens | None = None
) -> Spread:
    """The same, but the last two of its pieces hardly stand out."""
    one = spread_once(name, image, kinds, empty, lens)
    return replace(one, pieces=one.pieces[:-2], hardly_seen=one.pieces[-2:])
