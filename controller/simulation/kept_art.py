"""Our own copy's faces, drawn once and kept in a file: drawing them takes seconds, reading them takes none."""

import contextlib
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from hardware.simulated.artwork import Artwork


class KeptArt(Mapping[str, Artwork]):
    """The faces of `drawn`, each read from a file where that works, else drawn, when it is first asked for."""

    def __init__(self, drawn: Mapping[str, Artwork], path: Path) -> None:
        self._drawn = drawn
        self._listed = frozenset(drawn)
        self._path = path
        self._known: dict[str, Artwork] = {}

    def keep(self) -> None:
        """Draw every face and write the file.

        Raises:
            OSError: it cannot be written.
        """
        draft = self._path.with_suffix(".part")
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_STORED) as file:
            for face, art in self._drawn.items():
                with file.open(f"{face}.npy", "w") as entry:
                    np.lib.format.write_array(entry, art.image, allow_pickle=False)
                with file.open(f"{face}.scale.npy", "w") as entry:
                    scale = np.array([art.px_per_mm, *art.anchor_px])
                    np.lib.format.write_array(entry, scale, allow_pickle=False)
        draft.replace(self._path)

    def __getitem__(self, face: str) -> Artwork:
        """A face that is not among those listed, such as a sheet that somebody has written on, is not kept."""
        if face not in self._listed:
            return self._drawn[face]
        if face not in self._known:
            self._known[face] = self._read(face) or self._drawn[face]
        return self._known[face]

    def __contains__(self, face: object) -> bool:
        return face in self._listed or face in self._drawn

    def __iter__(self) -> Iterator[str]:
        return iter(self._drawn)

    def __len__(self) -> int:
        return len(self._drawn)

    def _read(self, face: str) -> Artwork | None:
        """None where the file lacks it or is damaged: then it is drawn."""
        with contextlib.suppress(OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile):
            with zipfile.ZipFile(self._path) as file:
                with file.open(f"{face}.npy") as entry:
                    image = np.lib.format.read_array(entry, allow_pickle=False)
                with file.open(f"{face}.scale.npy") as entry:
                    px_per_mm, column, row = np.lib.format.read_array(entry, allow_pickle=False)
            return Artwork(image, float(px_per_mm), (float(column), float(row)))
        return None
