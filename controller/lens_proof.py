"""Whether a table's calibrated lens is its camera's, as a picture shows that is read while it is played."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from controller.parts import lens_part
from controller.views import PartState, PartView
from vision.frame import Frame
from vision.mat.lens import Lens

FIRST_S, AGAIN_S = 1.0, 20.0
"""How often it is looked for a first picture; and after one in which a marker was hidden, as one may be for a whole
evening: to look takes a part of a second, far more than a picture in which nothing changed."""
_log = logging.getLogger("pizzatable")


async def prove_lens(
    lens: Lens,
    newest: Callable[[], Frame | None],
    tell: Callable[[PartView], None],
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Tell it once, by the first of the newest pictures that shows the whole mat. `newest`: that read last, if any."""
    while True:
        frame = newest()
        if frame is not None:
            try:
                part = await asyncio.to_thread(lens_part, frame.image, lens)
            except Exception as error:  # a fault of ours; the table goes on without knowing
                _log.exception("cannot tell whether the calibrated lens is this camera's")
                part = PartView(state=PartState.LOST, text=f"cannot be told: {type(error).__name__}: {error}")
            if part is not None:
                tell(part)
                return
        await sleep(FIRST_S if frame is None else AGAIN_S)
