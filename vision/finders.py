"""What finds pieces that are told by their form and not by an enrolled face: dice, cutters, sheets, ..."""

from collections.abc import Sequence
from typing import Protocol

from vision.frame import Image
from vision.registration import Registration
from vision.scene import Sighting


class Finder(Protocol):
    """Finds pieces of some kinds in a picture that is laid over the table. Keeps nothing between pictures."""

    @property
    def name(self) -> str:
        """The stage under which its milliseconds are counted."""
        ...

    def find(self, image: Image, registration: Registration, seen: Sequence[Sighting]) -> Sequence[Sighting]:
        """What it finds. `seen` is what was found in this picture before."""
        ...
