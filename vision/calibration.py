"""The lens of a camera, from photos of a sheet whose geometry is known."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CalibrationSheet:
    """A ChArUco board: black squares as on a chess board, the first at the top left, a marker in each white one."""

    columns: int
    rows: int
    square_mm: float
    marker_mm: float
    first_id: int
    """Of DICT_4X4_50; the markers are numbered row by row from the top left."""

    @property
    def width_mm(self) -> float:
        """Of all squares."""
        return self.columns * self.square_mm

    @property
    def height_mm(self) -> float:
        """Of all squares."""
        return self.rows * self.square_mm

    @property
    def marker_ids(self) -> range:
        """The numbers of its markers."""
        return range(self.first_id, self.first_id + self.columns * self.rows // 2)


SHEET = CalibrationSheet(columns=5, rows=7, square_mm=34.0, marker_mm=25.5, first_id=20)
"""The one that `pizzatable kit` prints. Its markers are none of the mat's (0 to 3) or the score sheets' (10 to 13)."""
