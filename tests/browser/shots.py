"""Photographs the room's display: `python -m tests.browser.shots FOLDER [NAME ...]`, names such as "final-wide"."""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from controller.web.hub import Hub
from controller.web.server import serving
from tests.browser.chromium import browser, end_browser
from tests.controller.web import fixture_views as fixtures
from tests.controller.web.table import make_app

MOMENTS = {
    "lobby": fixtures.lobby,
    "ring": fixtures.ring_served,
    "taken": fixtures.portions_taken,
    "breach": fixtures.breach,
    "unseen": fixtures.unseen,
    "question": fixtures.question,
    "slapped": fixtures.slapped,
    "tie": lambda: fixtures.slapped(tie=True),
    "final": fixtures.final,
    "six": fixtures.six_players,
}
SIZES = {"wide": (1920, 1080), "phone": (390, 844)}
TABLET = (1024, 768)
DRAWN = """
document.querySelectorAll('.pieces .piece').length > 0 && document.getAnimations().every(
  (animation) => animation.effect.getTiming().iterations === Infinity || animation.playState === 'finished')
"""
"""True when a view is drawn and nothing moves on its way any more."""


async def photograph(moment: str, size: str) -> bytes:
    """The display at this moment, as anybody on the LAN sees it, as PNG."""
    hub = Hub()
    hub.publish(MOMENTS[moment]())
    async with serving(make_app(hub), hub, "127.0.0.1", 0) as port, browser() as page:
        await page.open(f"http://table.local:{port}/", *SIZES[size])
        await page.until(DRAWN)
        return await page.screenshot()


def main(folder: Path, names: Sequence[str]) -> None:
    """Photograph the named moments, all without names."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        for moment in MOMENTS:
            for size in SIZES:
                if not names or f"{moment}-{size}" in names:
                    (folder / f"{moment}-{size}.png").write_bytes(asyncio.run(photograph(moment, size)))
    finally:
        end_browser()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
