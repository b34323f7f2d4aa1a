"""What is shown of a table's parts: camera, reading, lens, mat, panel, journal, referee. (Of the board: `board.py`.)"""

from typing import TYPE_CHECKING

from config.schema import Confirm
from controller.journal_recovery import Recovery
from controller.moved_mat import MAT_MOVED_MM, where_mat_lies
from controller.views import PartState, PartView

if TYPE_CHECKING:
    from hardware.vision_process import VisionStatus
    from vision.frame import Image
    from vision.mat.lens import Lens

WITHOUT_BUTTONS = (
    'Wire them as hardware/README.md says; without them, timing.confirm = "rest" takes moves that lie still, and the '
    "host's page starts the game. `pizzatable doctor` says more"
)
FULL_BYTES, SCARCE_BYTES = 100_000_000, 1_000_000_000
"""Less free than this on the disk of the journal: it is full, or nearly so."""
JOURNAL_OK = PartView(state=PartState.OK, text="each move is on the disk before it is shown")
JOURNAL_WAITS_S = 3.0
"""A disk that takes so long for a record is slow, or hangs; a poor memory card may take one or two."""
JOURNAL_WAITS = PartView(
    state=PartState.LOST,
    text=f"the disk has not taken the last record for {JOURNAL_WAITS_S:g} s or longer: nothing counts until it does. "
    "`pizzatable doctor` measures it; a faster card (A2) or a USB disk takes records sooner",
)
MEND_BY_STARTING = "End the program and start it again: what can be read of the journal is recovered then."
REFEREE_OK = PartView(state=PartState.OK, text="judging")


def journal_part(recovery: Recovery | None) -> PartView:
    """What is shown of a journal that is written; `recovery` is what was found in a damaged one."""
    if recovery is None:
        return JOURNAL_OK
    lost = f"records lost: {len(recovery.lost)}" if recovery.lost else "nothing known to be lost"
    return PartView(state=PartState.OK, text=recovery.told, note=f"was damaged, {lost}")


def no_panel_part(problem: str, confirm: Confirm) -> PartView:
    """What is shown where the buttons' pins cannot be had."""
    if confirm is Confirm.REST:
        note = "none, moves count when they lie still"
        return PartView(state=PartState.ABSENT, text=f"buttons: {note}. {problem}", note=note)
    return PartView(state=PartState.LOST, text=f"buttons: missing. {problem}. {WITHOUT_BUTTONS}")


def disk_part(free_bytes: int) -> PartView | None:
    """What is shown of the room for the journal; None where there is plenty."""
    left = f"{free_bytes / 1e9:.2g} GB left"
    remedy = (
        "Delete what is not needed; after this game `pizzatable tidy` deletes pictures of older ones. When it is full, "
        "no move counts any more."
    )
    if free_bytes < FULL_BYTES:
        return PartView(state=PartState.LOST, text=f"the disk is nearly full: {left}. {remedy}")
    if free_bytes < SCARCE_BYTES:
        return PartView(state=PartState.OK, text=f"the disk is filling up: {left}. {remedy}", note=left)
    return None


def mat_part(shift_mm: float) -> PartView:
    """What is shown once the mat, or the camera above it, was moved."""
    moved = f"{shift_mm:.0f} mm" if shift_mm >= MAT_MOVED_MM else "back"
    return PartView(state=PartState.OK, text=where_mat_lies(shift_mm), note=f"moved {moved}")


def vision_parts(status: "VisionStatus") -> dict[str, PartView]:
    """Camera and reading, from what their process says of itself."""
    from hardware.vision_process import VisionState

    match status.state:
        case VisionState.OK:
            return {
                "camera": PartView(state=PartState.OK, text=status.text),
                "reading": PartView(state=PartState.OK, text="every picture is read"),
            }
        case VisionState.UNREADABLE:
            return {
                "camera": PartView(state=PartState.OK, text="pictures come"),
                "reading": PartView(state=PartState.LOST, text=status.text),
            }
        case VisionState.SLOW:
            return {
                "camera": PartView(state=PartState.OK, text="its pictures wait to be read"),
                "reading": PartView(state=PartState.LOST, text=status.text),
            }
        case VisionState.STARTING:
            state, waiting = PartState.STARTING, "waiting for the camera"
        case _:
            state, waiting = PartState.LOST, "no pictures to read"
    return {"camera": PartView(state=state, text=status.text), "reading": PartView(state=state, text=waiting)}


def lens_part(image: "Image", lens: "Lens") -> PartView | None:
    """What is shown of a calibrated lens; None where a picture does not tell, as when a hand hides a marker."""
    from vision.mat.errors import MarkersMissing, VisionError
    from vision.mat.markers import MARKERS_MM
    from vision.mat.registration import find_mat, lens_doubt

    try:
        found = find_mat(image, lens=lens)
        if len(found.markers_px) < len(MARKERS_MM):
            return None
        doubt = lens_doubt(found, lens)
    except MarkersMissing:
        return None
    except VisionError as error:
        doubt = str(error)
    return PartView(state=PartState.LOST, text=doubt) if doubt else PartView(state=PartState.OK, text="calibrated")
